/*
 * sizes.c -- values of the model as counts of C.
 */
#include "replay/sizes.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/member_sets.h"
#include "replay/operations.h"

/* Datatypes of any MPI for which reductions have a sum, or which are bytes. */
static const struct datatype {
	const char *name;
	unsigned size;
} datatypes[] = {
	{"MPI_BYTE", 1},
	{"MPI_SHORT", 2},
	{"MPI_INT", 4},
	{"MPI_UNSIGNED", 4},
	{"MPI_LONG", sizeof(long)},
	{"MPI_UNSIGNED_LONG", sizeof(long)},
	{"MPI_LONG_LONG", 8},
	{"MPI_LONG_LONG_INT", 8},
	{"MPI_UNSIGNED_LONG_LONG", 8},
	{"MPI_INT32_T", 4},
	{"MPI_UINT32_T", 4},
	{"MPI_INT64_T", 8},
	{"MPI_UINT64_T", 8},
	{"MPI_FLOAT", 4},
	{"MPI_DOUBLE", 8},
	{"MPI_2INT", 8},
	{"MPI_DOUBLE_INT", sizeof(double) + sizeof(int)},
	{"MPI_SIGNED_CHAR", 1},
};

static node_id sent_of(const struct sizes *s, size_t statement)
{
	return overview_attribute(s->overview, statement, "bytes");
}

static node_id received_of(const struct sizes *s, size_t statement)
{
	return overview_attribute(s->overview, statement, "received");
}

void sizes_of(struct sizes *s, const struct overview *o)
{
	*s = (struct sizes){o, payloads_of(o)};
}

/* No execution has more, that could be passed on at once. */
static uint64_t most_of(const struct sizes *s, size_t statement, node_id number)
{
	struct range range;
	if (!overview_range(s->overview, statement, number, &range) || range.high > INT_MAX)
		return INT_MAX;
	return range.high < 0 ? 0 : (uint64_t)range.high;
}

uint64_t sizes_most(const struct sizes *s, size_t statement)
{
	node_id sent = sent_of(s, statement), received = received_of(s, statement);
	uint64_t most = sent ? most_of(s, statement, sent) : 1;
	uint64_t other = received ? most_of(s, statement, received) : 0;
	return other > most ? other : most;
}

bool sizes_are_blocks(const struct sizes *s, size_t statement)
{
	return s->told.count == PAYLOAD_OF_CALL || !received_of(s, statement);
}

/* ------------------------------------------------------------------ in C */

static const struct datatype *datatype_named(const char *name)
{
	for (size_t i = 0; i < sizeof datatypes / sizeof *datatypes; i++)
		if (!strcmp(datatypes[i].name, name))
			return &datatypes[i];
	return NULL;
}

/* One that the operation of a reduction is for. */
static const struct datatype *datatype_for(const struct sizes *s, size_t statement)
{
	node_id sent = sent_of(s, statement);
	int64_t bytes;
	bool whole = sent && number_is_constant(s->overview->store, sent, &bytes);
	switch (operations_operands(s->overview, statement)) {
	case OPERANDS_ANY:
	case OPERANDS_BITS:
		return datatype_named("MPI_BYTE");
	case OPERANDS_NUMBERS:
		return datatype_named("MPI_SIGNED_CHAR");
	case OPERANDS_PAIRS:
		break;
	}
	const struct datatype *real = datatype_named("MPI_DOUBLE_INT");
	return whole && bytes % 8 && !(bytes % real->size) ? real : datatype_named("MPI_2INT");
}

/* The one datatype of all executions, if C has it; else bytes, or what can be reduced. */
static const struct datatype *datatype_of(const struct sizes *s, size_t statement)
{
	const struct datatype *told = datatype_named(overview_attribute_word(s->overview, statement, "type"));
	return told ? told : datatype_for(s, statement);
}

/* sum / divisor */
static void put_part(struct c_text *x, node_id number, uint64_t divisor, struct text *out)
{
	int64_t constant;
	const struct node *one = node_of(x->store, number_single(x->store, number));
	bool sum = divisor > 1 && one->kind != NODE_ENTRY && one->kind != NODE_PRODUCT;
	if (number_is_constant(x->store, number, &constant)) {
		text_format(out, "%" PRId64, constant / (int64_t)divisor);
		return;
	}
	text_put(out, sum ? "(" : "");
	c_number(x, number, out);
	text_put(out, sum ? ")" : "");
	if (divisor > 1)
		text_format(out, " / %" PRIu64, divisor);
}

static void put_count(
	const struct sizes *s, struct c_text *x, size_t statement, node_id number, uint64_t divisor, struct text *out)
{
	const struct datatype *type = datatype_of(s, statement);
	put_part(x, number, divisor * type->size, out);
	text_format(out, ", %s", type->name);
}

static bool put_nothing(struct text *out)
{
	text_put(out, "1, MPI_BYTE");
	return false;
}

bool sizes_are_defined(const struct sizes *s, size_t statement)
{
	node_id bytes = sent_of(s, statement);
	return !bytes || c_is_defined(s->overview->store, bytes);
}

bool sizes_put_message(const struct sizes *s, struct c_text *x, size_t statement, struct text *out)
{
	node_id bytes = sent_of(s, statement);
	if (!bytes)
		return put_nothing(out);
	put_count(s, x, statement, bytes, 1, out);
	return true;
}

bool sizes_put_access(const struct sizes *s, struct c_text *x, size_t statement, bool back, struct text *out)
{
	node_id bytes = back ? received_of(s, statement) : sent_of(s, statement);
	if (!bytes)
		return put_nothing(out);
	put_count(s, x, statement, bytes, 1, out);
	return true;
}

void sizes_put_element(const struct sizes *s, size_t statement, struct text *out)
{
	const struct datatype *told = datatype_named(overview_attribute_word(s->overview, statement, "type"));
	node_id back = received_of(s, statement);
	int64_t bytes = 0;
	if (back)
		number_is_constant(s->overview->store, back, &bytes);
	text_put(out, told         ? told->name
		      : bytes == 4 ? "MPI_INT"
		      : bytes == 2 ? "MPI_SHORT"
		      : bytes == 1 ? "MPI_SIGNED_CHAR"
				   : "MPI_LONG_LONG");
}

/* As it moves: the root of a broadcast has only sent it, the others have only received it. */
static bool put_larger(const struct sizes *s, struct c_text *x, size_t statement, struct text *out)
{
	const struct datatype *type = datatype_of(s, statement);
	text_put(out, "most(");
	put_part(x, sent_of(s, statement), type->size, out);
	text_put(out, ", ");
	put_part(x, received_of(s, statement), type->size, out);
	text_format(out, "), %s", type->name);
	x->most = true;
	return true;
}

/* Where the root of a collective says what it puts in: in this statement, or the one next to it of
   the same operation that it executes; of a root that is not always the same, in this one. */
static size_t statement_of_root(const struct sizes *s, size_t statement)
{
	const struct overview *o = s->overview;
	const struct node *n = overview_node(o, statement);
	int64_t root;
	if (!n->kid[COLUMN_ROOT] || !number_is_constant(o->store, n->kid[COLUMN_ROOT], &root))
		return statement;
	for (size_t apart = 0; apart < o->lines; apart++)
		for (int side = -1; side <= 1; side += 2) {
			size_t at = side < 0 ? statement - apart : statement + apart;
			if (at < o->lines && overview_is_kind(o, at, (enum event_kind)n->sub) &&
				overview_node(o, at)->word == n->word && ranks_has(&o->line[at].who, (uint32_t)root))
				return at;
		}
	return statement;
}

/* What the root puts in, where nothing says what the others get; or (scan) the first one, who sends to
   all, where each sends to itself and those behind. */
static bool put_of_one(
	const struct sizes *s, struct c_text *x, size_t statement, bool scan, uint64_t divisor, struct text *out)
{
	node_id place = overview_node(s->overview, statement)->kid[COLUMN_ROOT];
	size_t at = scan ? statement : statement_of_root(s, statement);
	struct text one = {0};
	uint32_t loops = x->loops;
	if (!sent_of(s, at))
		return put_nothing(out);
	if (scan || !place)
		text_number(&one, scan ? overview_first(s->overview, statement) : 0);
	else
		c_number(x, place, &one);
	x->process = one.data;
	x->loops = s->overview->line[at].loops;
	put_count(s, x, at, sent_of(s, at), divisor, out);
	x->process = NULL;
	x->loops = loops;
	text_clear(&one);
	return true;
}

/* By which part of what is told is one block, and is it what was received? */
static uint64_t divisor_of(const struct sizes *s, const char *operation, uint64_t members, bool *received)
{
	bool gets = !strcmp(operation, "MPI_Bcast") || !strcmp(operation, "MPI_Scatter") ||
		    !strncmp(operation, "MPI_Reduce_scatter", 18);
	bool each = !strcmp(operation, "MPI_Alltoall");
	bool all = !strcmp(operation, "MPI_Allreduce") || !strcmp(operation, "MPI_Allgather");
	*received = gets && s->told.count != PAYLOAD_OF_CALL;
	if (each)
		return s->told.count == PAYLOAD_OF_CALL ? 1 : members;
	return all && s->told.count == PAYLOAD_TIMES_MEMBERS ? members : 1;
}

bool sizes_put_block(const struct sizes *s, struct c_text *x, size_t statement, const char *operation, uint64_t members,
	struct text *out)
{
	node_id sent = sent_of(s, statement), received = received_of(s, statement);
	bool gets, has_sent = sent, has_received = received;
	uint64_t divisor = divisor_of(s, operation, members, &gets);
	bool scan = !strcmp(operation, "MPI_Scan") || !strcmp(operation, "MPI_Exscan");
	if (!has_sent && !has_received)
		return put_nothing(out);
	if (gets && has_sent && !has_received) {
		bool vector = !strcmp(operation, "MPI_Bcast") && s->told.count != PAYLOAD_TIMES_MEMBERS;
		if (strncmp(operation, "MPI_Reduce_scatter", 18) != 0)
			return put_of_one(s, x, statement, false, vector ? 1 : members, out);
		divisor = members; /* of MPI_Reduce_scatter */
	}
	if (scan && s->told.count == PAYLOAD_TIMES_MEMBERS && !has_received)
		return put_of_one(
			s, x, statement, true, members - (members > 1 && strcmp(operation, "MPI_Scan") != 0), out);
	if (!has_sent)
		sent = received;
	if (!has_received)
		received = sent;
	if (!strcmp(operation, "MPI_Bcast") && s->told.count == PAYLOAD_MOVED && has_sent && has_received &&
		sent != received)
		return put_larger(s, x, statement, out);
	if (scan && s->told.count == PAYLOAD_TIMES_MEMBERS) {
		const struct datatype *type = datatype_of(s, statement);
		text_put(out, "("); /* each sends to those behind it, and itself */
		c_number(x, sent, out);
		text_put(out, " + ");
		c_number(x, received, out);
		text_format(out, ") / %" PRIu64 ", %s", (members + 1) * type->size, type->name);
		return true;
	}
	put_count(s, x, statement, gets ? received : sent, divisor, out);
	return true;
}

bool sizes_know_received(const struct sizes *s, size_t statement)
{
	return received_of(s, statement);
}

bool sizes_put_total(
	const struct sizes *s, struct c_text *x, size_t statement, enum total total, uint64_t divisor, struct text *out)
{
	node_id number = total == TOTAL_SENT ? sent_of(s, statement) : received_of(s, statement);
	if (!number) {
		text_put(out, "1");
		return false;
	}
	put_part(x, number, divisor, out);
	return true;
}

bool sizes_know_each(const struct sizes *s, size_t statement)
{
	const struct overview_line *line = &s->overview->line[statement];
	bool known = overview_attribute(s->overview, statement, "bytes[q]");
	struct member_sets *sets = known ? member_sets_new(s->overview->run) : NULL;
	struct environment e = {0};
	struct ranks_walk walk = {0};
	for (uint32_t rank; known && ranks_next(&line->who, &walk, &rank);) {
		overview_start(s->overview, statement, rank, &e);
		known = ranks_within(member_set_ranks(sets, member_set_of(sets, &e, line->node)), &line->who);
	}
	free(e.index);
	member_sets_free(sets);
	return known;
}

void sizes_put_to_each(const struct sizes *s, struct c_text *x, size_t statement, struct text *out)
{
	c_number(x, overview_attribute(s->overview, statement, "bytes[q]"), out);
}
