/*
 * payload.c -- the value of another member is that of its own execution of the same statement.
 */
#include "replay/payload.h"

#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"
#include "ask/event_numbers.h"

struct amount {
	bool sent_known, received_known;
	uint64_t sent, received;
};

static bool take_number(const struct payload *x, struct environment *e, uint32_t name, uint64_t *number)
{
	struct event_value v = event_value_at(e, NULL, x->payloads->overview->line[x->line].node, name);
	*number = v.there && !v.word && v.number > 0 ? (uint64_t)v.number : 0;
	return v.there && !v.word;
}

/* Of another member that executes another statement: what this one says. */
static struct environment environment_of(const struct payload *x, uint32_t rank)
{
	struct environment e = *x->at;
	if (ranks_has(&x->payloads->overview->line[x->line].who, rank)) {
		environment_set(&e, rank);
		e.depth = x->at->depth;
	}
	return e;
}

static struct amount amount_of(const struct payload *x, uint32_t rank)
{
	struct amount a = {0};
	struct environment e = environment_of(x, rank);
	a.sent_known = take_number(x, &e, x->payloads->bytes, &a.sent);
	a.received_known = take_number(x, &e, x->payloads->received, &a.received);
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

/* Of a statement, its first execution by one of those who execute it. */
struct first {
	struct payload payload;
	struct environment e;
	const struct ranks *group;
	int64_t communicator; /* below 0: it has no number */
};

/* by: who executes it; UINT32_MAX: the first one of them. */
static void look(const struct payloads *p, struct member_sets *sets, size_t at, uint32_t by, struct first *f)
{
	const struct overview_line *line = &p->overview->line[at];
	node_id communicator = overview_node(p->overview, at)->kid[COLUMN_COMMUNICATOR];
	overview_start(p->overview, at, by != UINT32_MAX ? by : overview_first(p->overview, at), &f->e);
	f->group = member_set_ranks(sets, member_set_of(sets, &f->e, line->node));
	f->communicator = communicator ? number_at(&f->e, communicator) : -1;
	f->payload = payload_of(p, at, &f->e, (uint32_t)ranks_count(f->group));
}

/* Another member by a statement by which it takes part in the same operation, not this one. */
static bool find_another(
	const struct payloads *p, struct member_sets *sets, const struct first *of, uint32_t than, struct first *f)
{
	const struct overview *o = p->overview;
	size_t at = of->payload.line;
	struct ranks group = {0};
	struct ranks_walk walk = {0};
	bool found = false;
	ranks_copy(&group, of->group);
	for (uint32_t member; !found && ranks_next(&o->line[at].who, &walk, &member);)
		if (member != than && ranks_has(&group, member)) {
			look(p, sets, at, member, f);
			found = true;
		}
	for (size_t i = 0; i < o->lines && !found; i++) {
		if (i == at || !overview_is_event(o, i) || overview_node(o, i)->word != overview_node(o, at)->word)
			continue;
		look(p, sets, i, UINT32_MAX, f);
		found = f->e.p != than && f->communicator == of->communicator && f->payload.root == of->payload.root &&
			ranks_equal(f->group, &group);
	}
	ranks_clear(&group);
	return found;
}

/* Does a statement tell? One that a root executes, and somebody else it or another one, and that
   says 1 byte or more; or a scan of which members say different things. */
static bool tells(const struct payloads *p, struct member_sets *sets, size_t at, enum payload_count *count)
{
	struct first f = {0}, g = {0};
	look(p, sets, at, UINT32_MAX, &f);
	const char *name = f.payload.name;
	uint32_t members = f.payload.members;
	bool scans = !strcmp(name, "MPI_Scan") || !strcmp(name, "MPI_Exscan");
	bool rooted = !strcmp(name, "MPI_Bcast") || !strcmp(name, "MPI_Reduce");
	int64_t one = scans ? f.e.p : f.payload.root;
	bool told = (scans || (rooted && one >= 0 && ranks_has(&p->overview->line[at].who, (uint32_t)one))) &&
		    find_another(p, sets, &f, (uint32_t)one, &g);
	if (told) {
		struct amount a = amount_of(&f.payload, (uint32_t)one), b = amount_of(&g.payload, (uint32_t)g.e.p);
		told = a.sent_known && b.sent_known && a.sent + b.sent + b.received > 0 && (rooted || a.sent != b.sent);
		if (told)
			*count = scans ? PAYLOAD_TIMES_MEMBERS : counted(name, members, &a, &b);
	}
	free(f.e.index);
	free(g.e.index);
	return told;
}

struct payloads payloads_of(const struct overview *o)
{
	struct payloads p = {.overview = o,
		.bytes = store_word(o->store, "bytes", 5),
		.received = store_word(o->store, "received", 8),
		.bytes_by_member = store_word(o->store, "bytes[q]", 8)};
	struct member_sets *sets = member_sets_new(o->run);
	bool told = false;
	for (size_t i = 0; i < o->lines && !told; i++)
		told = overview_match(o, i) == MATCH_GROUP && tells(&p, sets, i, &p.count);
	member_sets_free(sets);
	return p;
}

/* ------------------------------------------------------------------ one operation */

struct payload payload_of(const struct payloads *payloads, size_t line, const struct environment *at, uint32_t members)
{
	node_id root = overview_node(payloads->overview, line)->kid[COLUMN_ROOT];
	struct environment e = *at;
	return (struct payload){payloads, at, line, collective_operation(overview_word(payloads->overview, line)),
		members, root ? number_at(&e, root) : -1};
}

static bool is(const struct payload *x, const char *name)
{
	return !strncmp(x->name, name, strlen(name));
}

uint64_t payload_vector(const struct payload *x)
{
	struct amount a = amount_of(x, (uint32_t)x->at->p);
	bool at_root = x->root == x->at->p;
	enum payload_count count = x->payloads->count;
	if (is(x, "MPI_Bcast") && !at_root && !a.received_known && x->root >= 0)
		return amount_of(x, (uint32_t)x->root).sent / (count == PAYLOAD_TIMES_MEMBERS ? x->members : 1);
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

uint64_t payload_pair(const struct payload *x, uint32_t rank, uint32_t to, uint32_t member)
{
	struct environment e = environment_of(x, rank);
	int64_t told;
	if (event_member_value(
		    &e, x->payloads->overview->line[x->line].node, x->payloads->bytes_by_member, to, member, &told))
		return told > 0 ? (uint64_t)told : 0;
	struct amount a = amount_of(x, rank);
	bool each = x->payloads->count == PAYLOAD_OF_CALL && !strcmp(x->name, "MPI_Alltoall");
	/* blocks are as even as whole bytes are */
	return each ? a.sent : a.sent / x->members + (member < a.sent % x->members);
}

bool payload_known(const struct overview *o, size_t line)
{
	return overview_has(o, line, "bytes");
}
