/*
 * payload.c -- the value of another member is that of its own execution of the same statement.
 */
#include "ask/payload.h"

#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"

struct amount {
	bool sent_known, received_known;
	uint64_t sent, received;
};

static bool number_at(
	const struct payloads *p, size_t statement, uint32_t name, const struct spot *spot, uint64_t *number)
{
	struct attribute attribute;
	if (name == INTERN_NONE || !program_attribute(p->program, statement, name, &attribute))
		return false;
	struct attribute_value v = attribute_at(p->program, &attribute, spot);
	*number = v.there && !v.word && v.number > 0 ? (uint64_t)v.number : 0;
	return v.there && !v.word;
}

static bool executes(const struct program *p, size_t statement, uint32_t rank)
{
	struct ranks_run single;
	struct ranks who = program_processes(p, &p->statement[statement], &single);
	return ranks_has(&who, rank);
}

/* Of another member that executes another statement: what this one says. */
static struct amount amount_of(const struct payload *x, uint32_t rank)
{
	struct amount a = {0};
	struct spot spot = x->spot;
	if (rank != (uint32_t)x->spot.p && executes(x->payloads->program, x->statement, rank)) {
		spot = grid_spot(&x->payloads->program->grid, rank);
		spot.index = x->spot.index;
	}
	a.sent_known = number_at(x->payloads, x->statement, x->payloads->bytes, &spot, &a.sent);
	a.received_known = number_at(x->payloads, x->statement, x->payloads->received, &spot, &a.received);
	return a;
}

/* ------------------------------------------------------------------ how a recorder counts */

static enum payload_count counted(
	const char *name, uint32_t members, const struct amount *root, const struct amount *leaf)
{
	uint64_t whole = !strcmp(name, "MPI_Bcast") ? leaf->received : leaf->sent;
	uint64_t at_root = !strcmp(name, "MPI_Bcast") ? root->sent : root->received;
	uint64_t other = !strcmp(name, "MPI_Bcast") ? leaf->sent : leaf->received;
	if (at_root == whole)
		return other == whole ? PAYLOAD_OF_CALL : PAYLOAD_MOVED;
	return at_root == members * whole ? PAYLOAD_TIMES_MEMBERS : PAYLOAD_MOVED;
}

/* Of a statement, its first execution by the first of those who execute it. */
struct first {
	struct ranks_run single;
	struct ranks who, group;
	struct plain_event event;
	struct spot spot;
	const char *name;
};

static const int64_t no_index[INDEX_DEPTH];

/* by: who executes it; UINT32_MAX: the first one of them. */
static void look(const struct program *p, size_t at, uint32_t by, struct first *f)
{
	*f = (struct first){.who = program_processes(p, &p->statement[at], &f->single)};
	f->spot = grid_spot(&p->grid, by != UINT32_MAX ? by : f->who.length ? f->who.run[0].first : 0);
	f->spot.index = no_index;
	plain_event_at(p, at, &f->spot, no_index, &f->event);
	f->name = collective_operation(dictionary_get_word(p->dictionary, f->event.word));
	struct form form = statement_form(p, &p->statement[at]);
	program_members(p, &form, &f->spot, &f->group);
}

/* The first statement by which another member takes part in the same operation; the member is the
   one that it is looked at by. SIZE_MAX: there is none. */
static size_t another(const struct program *p, const struct first *of, size_t at, uint32_t than, struct first *f)
{
	struct ranks_walk walk = {0};
	for (uint32_t member; ranks_next(&of->who, &walk, &member);)
		if (member != than && ranks_has(&of->group, member)) {
			look(p, at, member, f);
			return at;
		}
	for (size_t i = 0; i < p->length; i++) {
		if (i == at || statement_is_loop(&p->statement[i]) ||
			statement_form(p, &p->statement[i]).word != of->event.word)
			continue;
		look(p, i, UINT32_MAX, f);
		if ((uint32_t)f->spot.p != than && f->event.communicator == of->event.communicator &&
			f->event.peer == of->event.peer && ranks_equal(&f->group, &of->group))
			return i;
		ranks_clear(&f->group);
	}
	return SIZE_MAX;
}

/* Does a statement tell? One that a root executes, and somebody else it or another one, and that
   says 1 byte or more; or a scan of which members say different things. */
static bool tells(const struct payloads *p, size_t at, enum payload_count *count)
{
	struct first f, g;
	look(p->program, at, UINT32_MAX, &f);
	bool scans = !strcmp(f.name, "MPI_Scan") || !strcmp(f.name, "MPI_Exscan");
	bool rooted = !strcmp(f.name, "MPI_Bcast") || !strcmp(f.name, "MPI_Reduce");
	uint32_t one = scans ? (uint32_t)f.spot.p : f.event.peer;
	bool told = (scans || (rooted && one != NO_ROOT && ranks_has(&f.who, one)));
	size_t other = told ? another(p->program, &f, at, one, &g) : SIZE_MAX;
	if (other != SIZE_MAX) {
		uint32_t members = (uint32_t)ranks_count(&f.group);
		struct payload x = payload_of(p, at, &f.event, &f.spot, members),
			       y = payload_of(p, other, &g.event, &g.spot, members);
		struct amount a = amount_of(&x, one), b = amount_of(&y, (uint32_t)g.spot.p);
		told = a.sent_known && b.sent_known && a.sent + b.sent + b.received > 0 && (rooted || a.sent != b.sent);
		if (told)
			*count = scans ? PAYLOAD_TIMES_MEMBERS : counted(f.name, members, &a, &b);
		ranks_clear(&g.group);
	}
	ranks_clear(&f.group);
	return told && other != SIZE_MAX;
}

void payloads_of(const struct program *program, struct payloads *p)
{
	uint32_t *name;
	size_t names = program_attribute_names(program, &name);
	*p = (struct payloads){.program = program, .bytes = INTERN_NONE, .received = INTERN_NONE};
	for (size_t i = 0; i < names; i++) {
		const char *word = dictionary_get_word(program->dictionary, name[i]);
		if (!strcmp(word, "bytes"))
			p->bytes = name[i];
		else if (!strcmp(word, "received"))
			p->received = name[i];
	}
	free(name);
	for (size_t i = 0; i < program->length; i++)
		if (!statement_is_loop(&program->statement[i]) &&
			statement_kind(program, &program->statement[i]) == EVENT_SYNC && tells(p, i, &p->count))
			return;
}

/* ------------------------------------------------------------------ one operation */

struct payload payload_of(const struct payloads *payloads, size_t statement, const struct plain_event *event,
	const struct spot *spot, uint32_t members)
{
	return (struct payload){payloads, event, *spot, statement,
		collective_operation(dictionary_get_word(payloads->program->dictionary, event->word)), members};
}

static bool is(const struct payload *x, const char *name)
{
	return !strncmp(x->name, name, strlen(name));
}

/* Of all blocks, the one of this number: as even as whole bytes are. */
static uint64_t share(uint64_t all, uint32_t number, uint32_t of)
{
	return all / of + (number < all % of);
}

uint64_t payload_vector(const struct payload *x)
{
	struct amount a = amount_of(x, (uint32_t)x->spot.p);
	bool at_root = x->event->peer == (uint32_t)x->spot.p;
	enum payload_count count = x->payloads->count;
	if (is(x, "MPI_Bcast") && !at_root && !a.received_known && x->event->peer != NO_ROOT)
		return amount_of(x, x->event->peer).sent / (count == PAYLOAD_TIMES_MEMBERS ? x->members : 1);
	if (is(x, "MPI_Bcast"))
		return !at_root && count != PAYLOAD_OF_CALL ? a.received
		       : count == PAYLOAD_TIMES_MEMBERS     ? a.sent / x->members
							    : a.sent;
	if (is(x, "MPI_Reduce") || count != PAYLOAD_TIMES_MEMBERS)
		return a.sent;
	if (is(x, "MPI_Scan")) /* what each member contributes goes to itself and those behind */
		return (a.sent + a.received) / (x->members + 1);
	if (is(x, "MPI_Exscan")) /* ... and to those behind alone */
		return (a.sent + a.received) / (x->members > 1 ? x->members - 1 : 1);
	return a.sent / x->members;
}

uint64_t payload_part(const struct payload *x, uint32_t rank)
{
	struct amount a = amount_of(x, rank);
	if (is(x, "MPI_Gather"))
		return a.sent;
	if (is(x, "MPI_Scatter"))
		return a.received;
	if (is(x, "MPI_Reduce_scatter"))
		return x->payloads->count == PAYLOAD_TIMES_MEMBERS ? a.received / x->members : a.received;
	if (is(x, "MPI_Allgatherv"))
		return x->payloads->count == PAYLOAD_TIMES_MEMBERS ? a.sent / x->members : a.sent;
	return x->payloads->count == PAYLOAD_OF_CALL ? a.sent : a.received / x->members; /* MPI_Allgather */
}

uint64_t payload_pair(const struct payload *x, uint32_t rank, uint32_t member)
{
	struct amount a = amount_of(x, rank);
	bool each = x->payloads->count == PAYLOAD_OF_CALL && !strcmp(x->name, "MPI_Alltoall");
	return each ? a.sent : share(a.sent, member, x->members);
}

bool payload_known(const struct payloads *p, size_t statement)
{
	struct attribute attribute;
	return p->bytes != INTERN_NONE && program_attribute(p->program, statement, p->bytes, &attribute);
}
