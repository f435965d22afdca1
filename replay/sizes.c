/*
 * sizes.c -- values of the model as counts of C.
 */
#include "replay/sizes.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

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
};

static bool find(const struct sizes *s, size_t statement, uint32_t name, struct value *value)
{
	struct attribute a;
	if (!program_attribute(s->program, statement, name, &a) || a.choices != CHOICES_NONE)
		return false;
	*value = a.value;
	return true;
}

void sizes_of(struct sizes *s, struct program *program)
{
	*s = (struct sizes){.program = program, .type = dictionary_word(program->dictionary, "type", 4)};
	payloads_of(program, &s->told);
}

/* ------------------------------------------------------------------ the largest */

static int64_t coordinate_top(const struct program *f, int axis)
{
	return (axis < 0 ? f->processes : (uint32_t)axis < f->grid.axes ? f->grid.size[axis] : 1) - INT64_C(1);
}

static __int128 above(__int128 number)
{
	return number > 0 ? number : 0;
}

static __int128 affine_at_most(const struct program *f, const struct affine *a, const int64_t *top)
{
	__int128 sum = a->constant + above((__int128)a->p * coordinate_top(f, -1));
	for (int i = 0; i < GRID_AXES; i++)
		sum += above((__int128)a->axis[i] * coordinate_top(f, i));
	for (int d = 0; d < INDEX_DEPTH; d++)
		sum += above((__int128)a->index[d] * top[d]);
	return sum;
}

static __int128 power_at_most(const struct program *f, const struct power *w, const int64_t *top)
{
	__int128 exponent = affine_at_most(f, &w->exponent, top), most = w->factor;
	for (; most > 0 && most <= INT_MAX && exponent > 0; exponent--)
		most *= w->base;
	return above(most);
}

/* No execution has more. */
static uint64_t at_most(const struct program *f, const struct value *v, const int64_t *top)
{
	__int128 sum = affine_at_most(f, &v->plain, top);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		sum += above((__int128)v->remainder[i].factor * (v->remainder[i].modulus - 1));
	for (int i = 0; i < POWERS && v->power[i].base; i++)
		sum += power_at_most(f, &v->power[i], top);
	if (v->lookup.table) {
		__int128 least, most;
		value_product_range(v, &least, &most);
		sum += most;
	}
	return sum <= 0 ? 0 : sum > INT_MAX ? INT_MAX : (uint64_t)sum;
}

/* The loops around a statement go up to these indices. */
static void find_tops(const struct program *f, size_t at, int64_t *top)
{
	int depth = 0;
	memset(top, 0, INDEX_DEPTH * sizeof *top);
	for (size_t i = 0; i < at;) {
		const struct statement *s = &f->statement[i];
		bool around = i + statement_size(s) > at;
		if (around && depth < INDEX_DEPTH) {
			struct value bound = program_bound(f, s);
			uint64_t most = at_most(f, &bound, top);
			top[depth++] = most ? (int64_t)most - 1 : 0;
		}
		i += around ? 1 : statement_size(s);
	}
}

/* Loops are looked for where a value counts with them: that takes a way through the program. */
static uint64_t most_of(const struct sizes *s, size_t statement, const struct value *v)
{
	int64_t top[INDEX_DEPTH] = {0};
	bool advances = false;
	for (int d = 0; d < INDEX_DEPTH; d++)
		advances = advances || v->plain.index[d];
	if (advances)
		find_tops(s->program, statement, top);
	return at_most(s->program, v, top);
}

uint64_t sizes_most(const struct sizes *s, size_t statement)
{
	struct value sent, received;
	uint64_t most = find(s, statement, s->told.bytes, &sent) ? most_of(s, statement, &sent) : 1;
	uint64_t other = find(s, statement, s->told.received, &received) ? most_of(s, statement, &received) : 0;
	return other > most ? other : most;
}

bool sizes_are_blocks(const struct sizes *s, size_t statement)
{
	struct value received;
	return s->told.count == PAYLOAD_OF_CALL || !find(s, statement, s->told.received, &received);
}

/* ------------------------------------------------------------------ in C */

/* The one datatype of all executions, if C has it; else bytes. */
static const struct datatype *datatype_of(const struct sizes *s, size_t statement)
{
	struct attribute a;
	if (program_attribute(s->program, statement, s->type, &a) && value_is_constant(&a.value)) {
		struct spot spot = {0};
		struct attribute_value type = attribute_at(s->program, &a, &spot);
		for (size_t i = 0; type.there && type.word && i < sizeof datatypes / sizeof *datatypes; i++)
			if (!strcmp(datatypes[i].name, type.word))
				return &datatypes[i];
	}
	return &datatypes[0];
}

/* sum / divisor */
static void put_part(struct c_text *x, const struct value *v, uint64_t divisor, struct text *out)
{
	bool sum = divisor > 1 && (!value_is_entry(v) || v->plain.constant);
	if (value_is_constant(v)) {
		text_format(out, "%" PRId64, v->plain.constant / (int64_t)divisor);
		return;
	}
	text_put(out, sum ? "(" : "");
	c_value(x, v, out);
	text_put(out, sum ? ")" : "");
	if (divisor > 1)
		text_format(out, " / %" PRIu64, divisor);
}

static void put_count(const struct sizes *s, struct c_text *x, size_t statement, const struct value *v,
	uint64_t divisor, struct text *out)
{
	const struct datatype *type = datatype_of(s, statement);
	put_part(x, v, divisor * type->size, out);
	text_format(out, ", %s", type->name);
}

static bool put_nothing(struct text *out)
{
	text_put(out, "1, MPI_BYTE");
	return false;
}

bool sizes_are_defined(const struct sizes *s, size_t statement)
{
	struct value bytes;
	return !find(s, statement, s->told.bytes, &bytes) || c_is_defined(&bytes);
}

bool sizes_put_message(const struct sizes *s, struct c_text *x, size_t statement, struct text *out)
{
	struct value bytes;
	if (!find(s, statement, s->told.bytes, &bytes))
		return put_nothing(out);
	put_count(s, x, statement, &bytes, 1, out);
	return true;
}

/* As it moves: the root of a broadcast has only sent it, the others have only received it. */
static bool put_larger(const struct sizes *s, struct c_text *x, size_t statement, const struct value *sent,
	const struct value *received, struct text *out)
{
	const struct datatype *type = datatype_of(s, statement);
	text_put(out, "most(");
	put_part(x, sent, type->size, out);
	text_put(out, ", ");
	put_part(x, received, type->size, out);
	text_format(out, "), %s", type->name);
	x->most = true;
	return true;
}

/* Where the root of a collective says what it puts in: in this statement, or the one next to it of
   the same operation that it executes; of a root that is not always the same, in this one. */
static size_t statement_of_root(const struct program *f, size_t statement, const struct form *form)
{
	const struct value *root = &form->peer.value;
	for (size_t apart = 0; form->peer.kind == PLACE_NUMBER && value_is_constant(root) && apart < f->length; apart++)
		for (int side = -1; side <= 1; side += 2) {
			size_t at = side < 0 ? statement - apart : statement + apart;
			struct ranks_run single;
			if (at >= f->length || statement_is_loop(&f->statement[at]))
				continue;
			struct form other = statement_form(f, &f->statement[at]);
			struct ranks who = program_processes(f, &f->statement[at], &single);
			if (other.kind == form->kind && other.word == form->word &&
				ranks_has(&who, (uint32_t)root->plain.constant))
				return at;
		}
	return statement;
}

/* The first one sends to all, where each sends to itself and those behind. */
static bool put_of_first(const struct sizes *s, struct c_text *x, size_t statement, uint64_t members, struct text *out)
{
	struct ranks_run single;
	struct ranks who = program_processes(s->program, &s->program->statement[statement], &single);
	struct text first = {0};
	struct value sent;
	if (!find(s, statement, s->told.bytes, &sent))
		return put_nothing(out);
	text_format(&first, "%" PRIu32, who.run[0].first);
	x->process = first.data;
	put_count(s, x, statement, &sent, members, out);
	x->process = NULL;
	text_clear(&first);
	return true;
}

/* What the root puts in, where nothing says what the others get. */
static bool put_of_root(const struct sizes *s, struct c_text *x, size_t statement, uint64_t divisor, struct text *out)
{
	struct form form = statement_form(s->program, &s->program->statement[statement]);
	struct text root = {0};
	struct value sent;
	if (!find(s, statement_of_root(s->program, statement, &form), s->told.bytes, &sent))
		return put_nothing(out);
	c_place(x, &form.peer, &root);
	x->process = root.data;
	put_count(s, x, statement, &sent, divisor, out);
	x->process = NULL;
	text_clear(&root);
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
	struct value sent, received;
	bool gets, has_sent = find(s, statement, s->told.bytes, &sent),
		   has_received = find(s, statement, s->told.received, &received);
	uint64_t divisor = divisor_of(s, operation, members, &gets);
	bool scan = !strcmp(operation, "MPI_Scan") || !strcmp(operation, "MPI_Exscan");
	if (!has_sent && !has_received)
		return put_nothing(out);
	if (gets && has_sent && !has_received) {
		if (!strcmp(operation, "MPI_Bcast"))
			return put_of_root(s, x, statement, s->told.count == PAYLOAD_TIMES_MEMBERS ? members : 1, out);
		if (!strcmp(operation, "MPI_Scatter"))
			return put_of_root(s, x, statement, members, out);
		divisor = members; /* of MPI_Reduce_scatter */
	}
	if (scan && s->told.count == PAYLOAD_TIMES_MEMBERS && !has_received)
		return put_of_first(
			s, x, statement, members - (members > 1 && strcmp(operation, "MPI_Scan") != 0), out);
	if (!has_sent)
		sent = received;
	if (!has_received)
		received = sent;
	if (!strcmp(operation, "MPI_Bcast") && s->told.count == PAYLOAD_MOVED && has_sent && has_received &&
		memcmp(&sent, &received, sizeof sent) != 0)
		return put_larger(s, x, statement, &sent, &received, out);
	if (scan && s->told.count == PAYLOAD_TIMES_MEMBERS) {
		const struct datatype *type = datatype_of(s, statement);
		text_put(out, "("); /* each sends to those behind it, and itself */
		c_value(x, &sent, out);
		text_put(out, " + ");
		c_value(x, &received, out);
		text_format(out, ") / %" PRIu64 ", %s", (members + 1) * type->size, type->name);
		return true;
	}
	put_count(s, x, statement, gets ? &received : &sent, divisor, out);
	return true;
}

bool sizes_know_received(const struct sizes *s, size_t statement)
{
	struct value received;
	return find(s, statement, s->told.received, &received);
}

bool sizes_put_total(
	const struct sizes *s, struct c_text *x, size_t statement, enum total total, uint64_t divisor, struct text *out)
{
	struct value value;
	if (!find(s, statement, total == TOTAL_SENT ? s->told.bytes : s->told.received, &value)) {
		text_put(out, "1");
		return false;
	}
	put_part(x, &value, divisor, out);
	return true;
}
