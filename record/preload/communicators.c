/*
 * communicators.c -- communicators, with a key that is the same on all members, without asking
 * them.
 *
 * A communicator is made by calls that its members make in the same order for the same parent. So
 * (parent, members, how many such there were before) names it: all members can say it for
 * themselves. The key is a hash of that, 64 bits; of an intercommunicator, whose two groups have no
 * parent in common, it is made from the members alone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "lib/online.h"
#include "record/preload/recorder.h"

#define KEY_WORLD 1
#define KEY_SELF 2

struct communicator *communicator_of(MPI_Comm comm)
{
	struct communicator *k = recorder.last_communicator;
	if (!k || k->entry.key != HANDLE_KEY(comm)) {
		k = (struct communicator *)handles_find(&recorder.communicators, HANDLE_KEY(comm));
		recorder.last_communicator = k;
	}
	return k && !k->foreign ? k : NULL;
}

/* ------------------------------------------------------------------ members */

struct members {
	int *rank; /* of the world */
	int count;
	bool foreign;
};

static struct members members_in(MPI_Group group)
{
	struct members m = {0};
	MPI_Group world;
	recorder.mpi.Group_size(group, &m.count);
	int *number = mem_array((size_t)m.count, sizeof *number);
	m.rank = mem_array((size_t)m.count, sizeof *m.rank);
	for (int i = 0; i < m.count; i++)
		number[i] = i;
	recorder.mpi.Comm_group(recorder.mpi.world, &world);
	recorder.mpi.Group_translate_ranks(group, m.count, number, world, m.rank);
	recorder.mpi.Group_free(&world);
	for (int i = 0; i < m.count; i++)
		if (m.rank[i] < 0)
			m.foreign = true;
	free(number);
	return m;
}

/* Takes the group. */
static struct members members_of(MPI_Group group)
{
	struct members m = members_in(group);
	recorder.mpi.Group_free(&group);
	return m;
}

static uint64_t hash_members(const struct members *m)
{
	return hash_bytes(m->rank, (size_t)m->count * sizeof *m->rank);
}

/* "0-3,8,7" */
static void print_members(struct text *line, const struct members *m)
{
	for (int i = 0, last; i < m->count; i = last + 1) {
		for (last = i; last + 1 < m->count && m->rank[last + 1] == m->rank[last] + 1;)
			last++;
		text_format(line, last > i ? "%s%d-%d" : "%s%d", i ? "," : "", m->rank[i], m->rank[last]);
	}
}

void group_words(MPI_Group group, struct text *to)
{
	struct members m = members_in(group);
	print_members(to, &m);
	free(m.rank);
}

/* ------------------------------------------------------------------ making */

/* How many there were of this parent and these members. */
static uint64_t next_of_family(uint64_t family)
{
	struct family {
		struct handle entry;
		uint64_t members;
	} *f = (struct family *)handles_find(&recorder.families, family);
	if (!f) {
		f = mem_zero(sizeof *f);
		handles_add(&recorder.families, &f->entry, family);
	}
	return f->members++;
}

/* One of them tells who they all are. */
/* The two groups, one behind the other. */
static void online_learns(const struct communicator *k, const struct members *first, const struct members *second)
{
	size_t count = (size_t)first->count, more = k->inter ? (size_t)second->count : 0;
	uint32_t *all = mem_array(count + more, sizeof *all);
	memcpy(all, first->rank, count * sizeof *all);
	if (more)
		memcpy(all + count, second->rank, more * sizeof *all);
	online_communicator(recorder.online, k->id, all, count + more);
	free(all);
}

static void tell(const struct communicator *k, const struct members *own, const struct members *other)
{
	struct text line = {0};
	uint32_t number = k->our_first + (uint32_t)k->rank;
	text_format(&line, "communicator %u %016llx %u ", k->id, (unsigned long long)k->key, number);
	if (number == 0) {
		print_members(&line, own);
		if (k->inter) {
			text_char(&line, ',');
			print_members(&line, other);
		}
	} else
		text_char(&line, '-');
	side_text(&recorder.side, &line);
	if (k->inter)
		side_line(&recorder.side, "between %u", k->id);
	if (recorder.online)
		online_learns(k, k->our_first ? other : own, k->our_first ? own : other);
	text_clear(&line);
}

/* One that was freed: its handle is another's now. */
static void forget(MPI_Comm comm)
{
	struct communicator *k = (struct communicator *)handles_find(&recorder.communicators, HANDLE_KEY(comm));
	if (!k)
		return;
	recorder.last_communicator = NULL;
	handles_remove(&recorder.communicators, &k->entry);
	free(k);
}

static struct communicator *learn(MPI_Comm comm)
{
	struct communicator *k = mem_zero(sizeof *k);
	int inter = 0;
	recorder.mpi.Comm_size(comm, &k->size);
	recorder.mpi.Comm_rank(comm, &k->rank);
	recorder.mpi.Comm_test_inter(comm, &inter);
	k->inter = inter;
	k->others = k->size;
	if (inter)
		recorder.mpi.Comm_remote_size(comm, &k->others);
	forget(comm);
	handles_add(&recorder.communicators, &k->entry, HANDLE_KEY(comm));
	return k;
}

void communicator_made(int result, MPI_Comm parent, const MPI_Comm *made)
{
	MPI_Group group;
	struct members own, other = {0};
	if (result != MPI_SUCCESS || *made == recorder.mpi.no_communicator)
		return;
	struct communicator *from = parent == NO_PARENT ? NULL : communicator_of(parent);
	struct communicator *k = learn(*made);
	recorder.mpi.Comm_group(*made, &group);
	own = members_of(group);
	uint64_t family = hash_members(&own);
	if (k->inter) {
		recorder.mpi.Comm_remote_group(*made, &group);
		other = members_of(group);
		family ^= hash_members(&other); /* from both sides the same */
		if (own.rank[0] < other.rank[0])
			k->their_first = (uint32_t)own.count;
		else
			k->our_first = (uint32_t)other.count;
	}
	family = hash_pair(from && !(k->inter && parent == NO_PARENT) ? from->key : 0, family);
	k->key = hash_pair(family, next_of_family(family));
	k->id = recorder.communicator_ids++;
	k->foreign = own.foreign || other.foreign || (parent != NO_PARENT && !from);
	if (k->foreign)
		recorder_misses("messages to and from processes that are not of MPI_COMM_WORLD are left out");
	else
		tell(k, &own, &other);
	free(own.rank);
	free(other.rank);
}

struct communicator *communicator_copy(MPI_Comm comm, uint64_t kind)
{
	struct communicator *from = communicator_of(comm);
	MPI_Group group;
	if (!from || from->inter)
		return NULL;
	recorder.mpi.Comm_group(comm, &group);
	struct members own = members_of(group), other = {0};
	struct communicator *k = mem_zero(sizeof *k);
	k->size = k->others = from->size;
	k->rank = from->rank;
	uint64_t family = hash_pair(hash_pair(from->key, kind), hash_members(&own));
	k->key = hash_pair(family, next_of_family(family));
	k->id = recorder.communicator_ids++;
	tell(k, &own, &other);
	free(own.rank);
	return k;
}

/* What is passed to those of another world is not recorded. */
void communicator_met(struct call *c, int result, const MPI_Comm *made)
{
	communicator_made(result, NO_PARENT, made);
	if (result == MPI_SUCCESS && *made != recorder.mpi.no_communicator && !communicator_of(*made))
		call_moved(c);
}

uint32_t communicator_id(struct communicator *k)
{
	if (!k->used) {
		k->used = true;
		side_line(&recorder.side, "used %u", k->id);
		if (recorder.online)
			online_used(recorder.online, k->id, k->key);
	}
	return k->id;
}

void communicator_named(int result, MPI_Comm comm, const char *name)
{
	struct communicator *k = communicator_of(comm);
	if (k && result == MPI_SUCCESS)
		side_named(&recorder.side, name, "name %u", k->id);
}

/* The world is 0 everywhere, the communicator of a process by itself 1. */
void communicators_start(void)
{
	struct communicator *world = learn(recorder.mpi.world), *self = learn(recorder.mpi.self);
	world->key = KEY_WORLD;
	world->id = recorder.communicator_ids++;
	self->key = KEY_SELF;
	self->id = recorder.communicator_ids++;
	world->used = self->used = true; /* they are known without that */
}
