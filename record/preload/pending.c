/*
 * pending.c -- what this process has begun and not completed, in a file that is mapped: it is there
 * however the process ends. An entry is kept for each request under way, so the file grows with the
 * most of them; a call costs a few stores.
 *
 * The first two entries are of the call that the process stands in: MPI_Sendrecv is two operations.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/preload/recorder.h"

#define FIRST 64 /* entries of a page and a half */
#define OF_CALL 2

void pending_open(const char *path)
{
	struct pending_table *t = &recorder.pending;
	*t = (struct pending_table){.file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
	if (t->file < 0)
		return;
	void *memory = MAP_FAILED;
	size_t size = FIRST * sizeof *t->entry;
	if (!posix_fallocate(t->file, 0, (off_t)size))
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, t->file, 0);
	if (memory == MAP_FAILED) {
		close(t->file);
		unlink(path);
		return;
	}
	t->entry = memory;
	t->capacity = FIRST;
	t->used = OF_CALL;
}

/* Where there is no room, no more is kept: those that are there stay. */
static bool grow(struct pending_table *t)
{
	size_t size = t->capacity * sizeof *t->entry;
	if (posix_fallocate(t->file, 0, (off_t)(2 * size)))
		return false;
	void *memory = mremap(t->entry, size, 2 * size, MREMAP_MAYMOVE);
	if (memory == MAP_FAILED)
		return false;
	t->entry = memory;
	t->capacity *= 2;
	return true;
}

static void put(struct pending *to, struct pending p)
{
	enum pending_kind kind = p.kind;
	p.kind = PENDING_NOTHING;
	*to = p;
	__atomic_store_n(&to->kind, kind, __ATOMIC_RELEASE);
}

uint32_t pending_add(struct pending p)
{
	struct pending_table *t = &recorder.pending;
	uint32_t at = t->unused;
	if (!t->entry || (!at && t->used == t->capacity && !grow(t)))
		return 0;
	if (at)
		t->unused = (uint32_t)t->entry[at].turn;
	else
		at = (uint32_t)t->used++;
	put(&t->entry[at], p);
	return at;
}

void pending_drop(uint32_t *at)
{
	struct pending_table *t = &recorder.pending;
	if (*at) {
		t->entry[*at] = (struct pending){.turn = t->unused};
		t->unused = *at;
	}
	*at = 0;
}

void pending_await(uint32_t at, bool awaited)
{
	if (at)
		recorder.pending.entry[at].where = awaited ? PENDING_WAIT : PENDING_POSTED;
}

void pending_call(const struct call *c, struct pending p)
{
	struct pending_table *t = &recorder.pending;
	if (!t->entry || !c->with_region)
		return;
	p.where = PENDING_CALL;
	p.call = c->region;
	p.site = c->site;
	put(&t->entry[t->entry[0].kind != PENDING_NOTHING], p);
}

void pending_returned(void)
{
	struct pending_table *t = &recorder.pending;
	if (t->entry)
		t->entry[0].kind = t->entry[1].kind = PENDING_NOTHING;
}

uint64_t pending_turn(struct communicator *k)
{
	struct pending_table *t = &recorder.pending;
	k->turn++;
	if (k->turns)
		t->entry[k->turns].turn = k->turn;
	else
		k->turns = pending_add((struct pending){.kind = PENDING_TURNS,
			.where = PENDING_NOWHERE,
			.peer = PENDING_NONE,
			.communicator = k->id,
			.turn = k->turn});
	return k->turn;
}

struct pending pending_collective(struct pending p, const struct collective_record *d, uint64_t turn)
{
	p.kind = PENDING_COLLECTIVE;
	p.peer = d->root < COLLECTIVE_ROOT_IN_MY_GROUP ? d->root : PENDING_NONE;
	p.tag = 0;
	p.communicator = d->communicator;
	p.sent = d->sent;
	p.received = d->received;
	p.turn = turn;
	return p;
}

void pending_meeting(const struct call *c, MPI_Comm comm)
{
	struct communicator *k = communicator_of(comm);
	if (!k)
		return;
	uint64_t turn = pending_turn(k);
	if (recorder.on)
		pending_call(c,
			pending_collective((struct pending){0},
				&(struct collective_record){.communicator = k->id, .root = COLLECTIVE_NO_ROOT}, turn));
}

void pending_close(void)
{
	struct pending_table *t = &recorder.pending;
	if (!t->entry)
		return;
	munmap(t->entry, t->capacity * sizeof *t->entry);
	close(t->file);
	*t = (struct pending_table){0};
}
