/*
 * skeleton.c -- statements as C.
 *
 * What stands several times in the text becomes a function (blocks.h), and so does each top-level
 * loop, and what stands between two of them: the phases, which main() runs and times. Neighbouring
 * statements over one set share one condition; a set that everybody around has needs none. All is
 * printed twice, as only then it is known which conditions are asked for more than once: these get
 * a name.
 */
#include "replay/skeleton.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ask/executions.h"
#include "base/intern.h"
#include "base/mem.h"
#include "replay/blocks.h"
#include "replay/communicators.h"
#include "model/c_text.h"
#include "replay/leftovers.h"
#include "replay/pieces.h"
#include "replay/sizes.h"

/* A set of processes that conditions ask for. */
struct condition {
	struct ranks who;
	uint64_t asked;
	bool mixed; /* its processes talk to others that differ in more than one number */
	int64_t move; /* ... or in this one */
	char *name; /* NULL: it has none */
};

/* A body that is said once, or a phase. */
struct function {
	const struct unit *unit;
	size_t units;
	uint32_t depth;
	char *name;
	uint32_t indices; /* of loops around, which it is given */
	bool done;
	bool told; /* it is told which of the events before which it computes is its first one */
};

/* A part of the program's text: units of its outermost body. */
struct phase {
	const struct unit *unit;
	size_t units;
	size_t function; /* that the loop is; BLOCKS_NONE: the units stand where the phases are run */
	char *name;
};

struct printer {
	struct program *f;
	const struct skeleton_options *options;
	struct text *out;
	struct c_text c;
	struct communicators communicators;
	struct sizes sizes;
	struct leftovers leftovers;
	bool is_timed;
	struct timed timed; /* if so */
	uint32_t base; /* the first event of the function that is printed, which it is told; UINT32_MAX: it is not */
	uint32_t tracked; /* 0; or the body that is printed is that of a loop so many deep */
	struct blocks blocks;
	struct intern *sets;
	struct condition *condition; /* by set */
	size_t conditions, condition_capacity;
	struct function *function;
	size_t functions, function_capacity;
	size_t *function_of; /* by body */
	size_t *condition_of; /* by statement; BLOCKS_NONE: all that are there execute it */
	struct phase *phase;
	size_t phases, phase_capacity;
	struct intern *names;
	struct text *functions_text;
	uint32_t pieces, posted;
	size_t main_loop; /* whose iterations --iterations sets; BLOCKS_NONE */
	bool main_counts; /* does anything in it depend on which iteration it is? */
	bool guessed; /* sizes that are not known */
	uint64_t largest; /* bytes that are passed on at once; 0: nothing ever is */
	uint32_t indent;
};

static void indent(struct printer *x)
{
	for (uint32_t i = 0; i < x->indent; i++)
		text_char(x->out, '\t');
}

#define line(x, ...) (indent(x), text_format((x)->out, __VA_ARGS__), text_char((x)->out, '\n'))

/* ------------------------------------------------------------------ events */

/* Tags of C are ints. */
static void put_tag(struct printer *x, const struct form *form, struct text *out)
{
	if (form->varies)
		c_value(&x->c, &form->value, out);
	else
		text_format(out, "%u", (unsigned)(form->numbered ? form->number % INT_MAX : 0));
}

/* send_to(600, MPI_BYTE, p + 1, 2, MPI_COMM_WORLD); */
static void put_message(struct printer *x, size_t at, const struct form *form)
{
	struct text peer = {0};
	bool send = form->kind == EVENT_SEND;
	c_place(&x->c, &form->peer, &peer);
	text_put(x->out, send ? "send_to(" : "receive_from(");
	x->pieces |= 1 << (send ? PIECE_SEND : PIECE_RECEIVE);
	x->guessed |= !sizes_put_message(&x->sizes, &x->c, at, x->out);
	text_put(x->out, ", ");
	communicators_put_rank(&x->communicators, &x->c, form, peer.data, x->out);
	text_put(x->out, ", ");
	put_tag(x, form, x->out);
	text_put(x->out, ", ");
	communicators_put(&x->communicators, &x->c, form, x->out);
	text_put(x->out, ");");
	text_clear(&peer);
}

static void put_root(struct printer *x, const struct form *form)
{
	struct text root = {0};
	if (form->peer.kind == PLACE_NONE)
		return;
	c_place(&x->c, &form->peer, &root);
	communicators_put_rank(&x->communicators, &x->c, form, root.data, x->out);
	text_put(x->out, ", ");
	text_clear(&root);
}

/* sent[k] = table_b[k]; for the k-th process of the communicator. */
static void put_totals(struct printer *x, size_t at, const struct form *form, enum total total, uint64_t divisor)
{
	struct text who = {0};
	text_put(&who, "");
	communicators_put_world_rank(&x->communicators, &x->c, form, "k", &who);
	x->c.process = who.data;
	indent(x);
	text_put(x->out, total == TOTAL_SENT ? "sent[k] = " : "received[k] = ");
	x->guessed |= !sizes_put_total(&x->sizes, &x->c, at, total, divisor, x->out);
	text_put(x->out, ";\n");
	x->c.process = NULL;
	text_clear(&who);
}

/* Of which each process passes on something else: all have to be known. */
static void put_uneven(struct printer *x, size_t at, const struct form *form, enum piece piece, bool posted)
{
	uint64_t members = communicators_size(&x->communicators, form);
	bool both = piece == PIECE_ALLTOALLV || piece == PIECE_ALLTOALLW;
	bool gets = both || piece == PIECE_SCATTERV || piece == PIECE_REDUCE_SCATTER, puts = both || !gets;
	bool times_all = piece == PIECE_ALLGATHERV && x->sizes.told.count == PAYLOAD_TIMES_MEMBERS;
	text_format(x->out, "{\n");
	x->indent++;
	if (puts)
		line(x, "long sent[%" PRIu64 "];", members);
	if (gets)
		line(x, "long received[%" PRIu64 "];", members);
	line(x, "for (int k = 0; k < %" PRIu64 "; k++) {", members);
	x->indent++;
	if (puts)
		put_totals(x, at, form, TOTAL_SENT, times_all ? members : 1);
	if (gets)
		put_totals(x, at, form, TOTAL_RECEIVED, 1);
	x->indent--;
	line(x, "}");
	indent(x);
	text_format(x->out, "%s%s(%s%s", posted ? "i" : "", piece_name(piece), puts ? "sent, " : "",
		gets ? "received, " : "");
	put_root(x, form);
	communicators_put(&x->communicators, &x->c, form, x->out);
	text_put(x->out, ");\n");
	x->indent--;
	indent(x);
	text_char(x->out, '}');
}

static bool is_uneven(enum piece piece)
{
	return piece == PIECE_GATHERV || piece == PIECE_SCATTERV || piece == PIECE_ALLGATHERV ||
	       piece == PIECE_REDUCE_SCATTER || piece == PIECE_ALLTOALLV || piece == PIECE_ALLTOALLW;
}

/* allreduce(5, MPI_DOUBLE, MPI_COMM_WORLD); what MPI does not know is a barrier. */
static void put_sync(struct printer *x, size_t at, const struct form *form)
{
	const char *name = dictionary_get_word(x->f->dictionary, form->word);
	bool posted;
	enum piece piece = piece_of(name, &posted);
	bool known = piece != PIECES;
	if (!known) {
		text_format(x->out, "/* %s */ ", name);
		piece = PIECE_BARRIER;
	}
	if (piece == PIECE_BARRIER && !posted) { /* which needs no help */
		text_put(x->out, "MPI_Barrier(");
		communicators_put(&x->communicators, &x->c, form, x->out);
		text_put(x->out, ");");
		return;
	}
	*(posted ? &x->posted : &x->pieces) |= UINT32_C(1) << piece;
	if (is_uneven(piece)) {
		put_uneven(x, at, form, piece, posted);
		return;
	}
	text_format(x->out, posted ? "i%s(" : "%s(", piece_name(piece));
	if (piece != PIECE_BARRIER) {
		x->guessed |= !sizes_put_block(&x->sizes, &x->c, at, piece_operation(piece),
			communicators_size(&x->communicators, form), x->out);
		text_put(x->out, ", ");
	}
	put_root(x, form);
	communicators_put(&x->communicators, &x->c, form, x->out);
	text_put(x->out, ");");
}

/* Comments must not end early. */
static void put_local(struct printer *x, const struct form *form)
{
	text_put(x->out, "/* ");
	for (const char *at = dictionary_get_word(x->f->dictionary, form->word); *at; at++) {
		text_char(x->out, *at);
		if ((at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*'))
			text_char(x->out, ' ');
	}
	text_put(x->out, " */");
}

static void put_event(struct printer *x, size_t at)
{
	struct form form = statement_form(x->f, &x->f->statement[at]);
	if (form.kind == EVENT_LOCAL)
		put_local(x, &form);
	else if (form.kind == EVENT_SYNC)
		put_sync(x, at, &form);
	else
		put_message(x, at, &form);
}

/* ------------------------------------------------------------------ conditions */

/* A loop without a set concerns whoever may be here. */
static struct ranks processes_of(
	const struct printer *x, const struct statement *s, const struct ranks *around, struct ranks_run *single)
{
	return statement_is_loop(s) && s->set == STATEMENT_PLAIN ? *around : program_processes(x->f, s, single);
}

static size_t find_condition(struct printer *x, const struct ranks *who)
{
	uint32_t known = intern_count(x->sets), id = intern_id(x->sets, who->run, who->length * sizeof *who->run);
	if (id == known) {
		x->condition = mem_grow(x->condition, &x->condition_capacity, id + (size_t)1, sizeof *x->condition);
		x->condition[id] = (struct condition){0};
		ranks_copy(&x->condition[id].who, who);
	}
	return id;
}

/* Whom do its processes talk to? */
static void meet_peer(const struct printer *x, struct condition *c, const struct statement *s)
{
	struct form form;
	if (statement_is_loop(s))
		return;
	form = statement_form(x->f, s);
	if (form.kind != EVENT_SEND && form.kind != EVENT_RECV)
		return;
	const struct affine *move = &form.peer.value.plain;
	bool constant = form.peer.kind == PLACE_OFFSET && !affine_indices(move) && !move->p;
	c->mixed |= !constant || (c->move && c->move != move->constant);
	c->move = constant ? move->constant : 0;
}

/* Which statements need a condition: those that not all execute who are there. */
static void find_conditions(struct printer *x, size_t from, size_t to, const struct ranks *around)
{
	for (size_t i = from; i < to; i += statement_size(&x->f->statement[i])) {
		const struct statement *s = &x->f->statement[i];
		struct ranks_run single;
		struct ranks who = processes_of(x, s, around, &single);
		bool everybody = ranks_within(around, &who);
		x->condition_of[i] = everybody ? BLOCKS_NONE : find_condition(x, &who);
		if (!everybody)
			meet_peer(x, &x->condition[x->condition_of[i]], s);
		find_conditions(x, i + 1, i + statement_size(s), everybody ? around : &who);
	}
}

/* Without parentheses around all of it, if there are any: they have another pair. */
static void put_ranks_condition(const struct printer *x, const struct ranks *who, struct text *out)
{
	struct text text = {0};
	ranks_print_condition(who, x->f->processes, "p", &text);
	bool around = text.data[0] == '(';
	for (size_t i = 0, depth = 0; around && i + 1 < text.length; i++) {
		depth += (size_t)(text.data[i] == '(') - (size_t)(text.data[i] == ')');
		around = depth > 0;
	}
	text_add(out, text.data + around, text.length - 2 * around);
	text_clear(&text);
}

static void put_condition(struct printer *x, size_t condition)
{
	struct condition *c = &x->condition[condition];
	c->asked++;
	if (c->name)
		text_put(x->out, c->name);
	else
		put_ranks_condition(x, &c->who, x->out);
}

/* ------------------------------------------------------------------ loops and guards */

/* < 200, < i0, <= 3 + i0 */
static void put_bound(struct printer *x, size_t at, struct text *out)
{
	const struct statement *s = &x->f->statement[at];
	if (s->bound == BOUND_NONE) {
		if (at == x->main_loop)
			text_put(out, "< option[ITERATIONS]");
		else
			text_format(out, "< %" PRIu64 "%s", s->count < INT64_MAX ? s->count : (uint64_t)INT64_MAX,
				s->count > INT_MAX ? "L" : "");
		return;
	}
	struct value count = program_bound(x->f, s);
	text_put(out, count.plain.constant ? "<= " : "< ");
	count.plain.constant -= count.plain.constant != 0;
	c_value(&x->c, &count, out);
}

static void put_test(struct printer *x, size_t at, struct text *out)
{
	struct value condition = program_bound(x->f, &x->f->statement[at]);
	text_put(out, "if (");
	c_condition(&x->c, &condition, out);
	text_char(out, ')');
}

static void put_head_of(struct printer *x, size_t at, uint32_t depth)
{
	if (statement_guard(&x->f->statement[at]) != GUARD_NONE) {
		put_test(x, at, x->out);
		return;
	}
	text_format(x->out, "for (long i%u = 0; i%u ", depth, depth);
	put_bound(x, at, x->out);
	text_format(x->out, "; i%u++)", depth);
}

/* ------------------------------------------------------------------ blocks */

/* What tells a statement from others, wherever it stands. */
static void put_key(void *context, size_t at, uint32_t depth, struct text *key)
{
	struct printer *x = context;
	x->c.relative = true;
	x->c.depth = depth;
	x->out = key;
	text_format(key, "%zu ", x->condition_of[at]);
	if (x->is_timed && !x->timed.exact) /* which keeps track of where it is */
		text_format(key, "%" PRIu32 " ", depth);
	if (!statement_is_loop(&x->f->statement[at])) {
		put_event(x, at);
	} else if (statement_guard(&x->f->statement[at]) != GUARD_NONE) {
		put_test(x, at, key);
	} else {
		text_put(key, "for ");
		put_bound(x, at, key);
	}
	x->c.relative = false;
}

/* ------------------------------------------------------------------ what stands in units */

/* What is said of the statements inside, counted. */
struct content {
	uint64_t sends, receives, syncs, loops;
	uint64_t late; /* receives behind a send of the same body */
	int64_t from; /* of receives: from p+c, the sum of c's signs */
	uint32_t sync; /* the name, */
	bool several; /* or several names */
};

static void look_at(const struct printer *x, const struct statement *s, struct content *c)
{
	struct form form = statement_form(x->f, s);
	if (form.kind == EVENT_SEND) {
		c->sends++;
	} else if (form.kind == EVENT_RECV) {
		int64_t from = form.peer.kind == PLACE_OFFSET ? form.peer.value.plain.constant : 0;
		c->receives++;
		c->late += c->sends > 0;
		c->from += (from > 0) - (from < 0);
	} else if (form.kind == EVENT_SYNC) {
		c->several |= c->syncs++ && c->sync != form.word;
		c->sync = form.word;
	}
}

static void look_into(const struct printer *x, const struct unit *unit, size_t units, struct content *c)
{
	for (size_t i = 0; i < units; i++) {
		const struct statement *s = &x->f->statement[unit[i].statement];
		if (unit[i].function != BLOCKS_NONE) {
			const struct function *f = &x->function[x->function_of[unit[i].function]];
			look_into(x, f->unit, f->units, c);
		} else if (statement_is_loop(s)) {
			const struct block_body *body = &x->blocks.body[x->blocks.body_of[unit[i].statement]];
			c->loops += statement_guard(s) == GUARD_NONE;
			look_into(x, body->unit, body->units, c);
		} else {
			look_at(x, s, c);
		}
	}
}

/* A loop in which each process waits for those before it, then serves those behind: where from. */
static int64_t wavefront_of(const struct printer *x, const struct unit *unit)
{
	struct content c = {0};
	const struct statement *s = &x->f->statement[unit->statement];
	if (unit->function != BLOCKS_NONE || !statement_is_loop(s) || statement_guard(s) != GUARD_NONE)
		return 0;
	look_into(x, unit, 1, &c);
	return c.loops == 1 && c.sends && c.receives && !c.late && !c.syncs ? c.from : 0;
}

/* ------------------------------------------------------------------ bodies */

static void put_units(struct printer *x, const struct unit *unit, size_t units, uint32_t depth);

/* Of the first event at or behind a statement. */
static void put_number(struct printer *x, size_t statement)
{
	uint32_t number = x->timed.number[statement];
	if (x->base == UINT32_MAX)
		text_format(x->out, "%" PRIu32, number);
	else if (number == x->base)
		text_put(x->out, "event");
	else
		text_format(x->out, "event + %" PRIu32, number - x->base);
}

static void put_computing(struct printer *x, size_t statement)
{
	if (!x->is_timed || statement_kind(x->f, &x->f->statement[statement]) == EVENT_LOCAL)
		return;
	text_put(x->out, "compute(");
	put_number(x, statement);
	text_put(x->out, ");\n");
	indent(x);
}

static void put_call(struct printer *x, const struct unit *unit)
{
	const struct function *f = &x->function[x->function_of[unit->function]];
	unsigned some = 0;
	text_format(x->out, "%s(", f->name);
	if (x->is_timed) {
		put_number(x, unit->statement);
		some++;
	}
	for (unsigned d = 0; d < f->depth; d++)
		if (f->indices >> d & 1)
			text_format(x->out, "%si%u", some++ ? ", " : "", d);
	text_put(x->out, ");");
	x->c.indices |= f->indices;
}

static size_t condition_of_unit(const struct printer *x, const struct unit *unit)
{
	return unit->function == BLOCKS_NONE ? x->condition_of[unit->statement] : BLOCKS_NONE;
}

static enum guard guard_of_unit(const struct printer *x, const struct unit *unit)
{
	return unit->function == BLOCKS_NONE ? statement_guard(&x->f->statement[unit->statement]) : GUARD_NONE;
}

/* Does it need no braces? */
static bool is_line(const struct printer *x, const struct unit *unit)
{
	const struct statement *s = &x->f->statement[unit->statement];
	return unit->function != BLOCKS_NONE ||
	       (!x->is_timed && !statement_is_loop(s) && statement_kind(x->f, s) != EVENT_LOCAL);
}

static void put_block(struct printer *x, const struct unit *unit, size_t units, uint32_t depth)
{
	bool one = !x->tracked && units == 1 && condition_of_unit(x, unit) == BLOCKS_NONE && is_line(x, unit);
	text_put(x->out, one ? "\n" : " {\n");
	x->indent++;
	if (x->tracked)
		line(x, "iteration(%" PRIu32 ", i%" PRIu32 ");", x->tracked, depth - 1);
	x->tracked = 0;
	put_units(x, unit, units, depth);
	x->indent--;
	if (one) {
		text_truncate(x->out, x->out->length - 1);
		return;
	}
	indent(x);
	text_char(x->out, '}');
}

/* A line, or several: without the end of the last one. */
static void put_unit(struct printer *x, const struct unit *unit, uint32_t depth)
{
	if (unit->function != BLOCKS_NONE) {
		put_call(x, unit);
	} else if (statement_is_loop(&x->f->statement[unit->statement])) {
		const struct block_body *body = &x->blocks.body[x->blocks.body_of[unit->statement]];
		uint32_t around = x->c.indices;
		bool tracked = x->is_timed && !x->timed.exact &&
			       statement_guard(&x->f->statement[unit->statement]) == GUARD_NONE;
		put_head_of(x, unit->statement, depth);
		x->c.indices = 0;
		x->tracked = tracked ? x->timed.depth[unit->statement] + 1 : 0;
		put_block(x, body->unit, body->units, depth + 1);
		x->main_counts |= unit->statement == x->main_loop && x->c.indices & 1;
		x->c.indices |= around;
	} else {
		put_computing(x, unit->statement);
		put_event(x, unit->statement);
	}
}

/* The `else` of the guard before it. */
static void put_else(struct printer *x, const struct unit *unit, uint32_t depth)
{
	const struct block_body *body = &x->blocks.body[x->blocks.body_of[unit->statement]];
	text_put(x->out, x->out->data[x->out->length - 1] == '}' ? " else" : "\n");
	if (x->out->data[x->out->length - 1] == '\n') {
		indent(x);
		text_put(x->out, "else");
	}
	put_block(x, body->unit, body->units, depth + 1);
}

/* Those that all execute who are there. */
static void put_sequence(struct printer *x, const struct unit *unit, size_t units, uint32_t depth)
{
	for (size_t i = 0; i < units; i++) {
		if (wavefront_of(x, &unit[i]))
			line(x, "/* A wavefront: each waits for those before it, then serves those behind. */");
		indent(x);
		put_unit(x, &unit[i], depth);
		while (i + 1 < units && guard_of_unit(x, &unit[i]) == GUARD_IF &&
			guard_of_unit(x, &unit[i + 1]) == GUARD_ELSE)
			put_else(x, &unit[++i], depth);
		text_char(x->out, '\n');
	}
}

static void put_units(struct printer *x, const struct unit *unit, size_t units, uint32_t depth)
{
	for (size_t i = 0, next; i < units; i = next) {
		size_t condition = condition_of_unit(x, &unit[i]);
		for (next = i + 1; next < units && condition_of_unit(x, &unit[next]) == condition;)
			next++;
		if (condition == BLOCKS_NONE) {
			put_sequence(x, &unit[i], next - i, depth);
			continue;
		}
		indent(x);
		text_put(x->out, "if (");
		put_condition(x, condition);
		bool one = next - i == 1 &&
			   (is_line(x, &unit[i]) || statement_is_loop(&x->f->statement[unit[i].statement]));
		text_put(x->out, one ? ")\n" : ") {\n");
		x->indent++;
		put_sequence(x, &unit[i], next - i, depth);
		x->indent--;
		if (!one)
			line(x, "}");
	}
}

/* ------------------------------------------------------------------ what functions are called */

/* The first statement with a call site tells the function: "main.c:7 exchange". */
static bool put_source(const struct printer *x, const struct unit *unit, size_t units, struct text *name)
{
	uint32_t site = dictionary_word(x->f->dictionary, "site", 4);
	for (size_t i = 0; i < units; i++) {
		struct attribute a;
		const struct statement *s = &x->f->statement[unit[i].statement];
		if (unit[i].function == BLOCKS_NONE && statement_is_loop(s)) {
			const struct block_body *body = &x->blocks.body[x->blocks.body_of[unit[i].statement]];
			if (put_source(x, body->unit, body->units, name))
				return true;
		}
		if (unit[i].function != BLOCKS_NONE || !program_attribute(x->f, unit[i].statement, site, &a) ||
			!value_is_constant(&a.value))
			continue;
		struct spot spot = {0};
		struct attribute_value value = attribute_at(x->f, &a, &spot);
		const char *blank = value.word ? strchr(value.word, ' ') : NULL;
		if (!blank || !strncmp(blank + 1, "main", 4))
			continue;
		for (const char *at = blank + 1; isalnum((unsigned char)*at) || *at == '_'; at++)
			text_char(name, *at);
		if (name->length)
			return true;
	}
	return false;
}

/* MPI_Bcast: bcast */
static void put_operation(const char *operation, struct text *name)
{
	for (const char *at = strncmp(operation, "MPI_", 4) ? operation : operation + 4; *at; at++)
		text_char(name, isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_');
}

static bool are_wavefronts(const struct printer *x, const struct unit *unit, size_t units)
{
	size_t i = 0;
	while (i < units && wavefront_of(x, &unit[i]))
		i++;
	return i == units;
}

static void put_kind(const struct printer *x, const struct unit *unit, size_t units, struct text *name)
{
	struct content c = {0};
	look_into(x, unit, units, &c);
	if (units == 1 && unit->statement == x->main_loop && c.loops > 1)
		text_put(name, "main_loop");
	else if (!c.sends && !c.receives && c.syncs && !c.several)
		put_operation(dictionary_get_word(x->f->dictionary, c.sync), name);
	else if (!c.sends && !c.receives)
		text_put(name, c.syncs ? "collectives" : "local");
	else if (are_wavefronts(x, unit, units))
		text_put(name, units > 1                   ? "wavefronts"
			       : wavefront_of(x, unit) < 0 ? "wavefront_forward"
							   : "wavefront_backward");
	else if (!c.loops && !c.syncs)
		text_put(name, !c.receives ? "send" : !c.sends ? "receive" : "exchange");
	else
		text_put(name, c.loops ? "loop" : "step");
}

/* Names of C, and of what else stands in the program. */
static bool is_taken(const char *name)
{
	static const char *const taken[] = {"main", "comm", "row", "column", "option", "sending", "in", "out", "room",
		"scaled", "fail", "send_to", "receive_from", "split", "at", "wrap", "most", "among", "iterations",
		"phases", "operation", "size_of", "for", "if", "do", "int", "long", "while", "return", "static", "char",
		"double", "float", "short", "signed", "unsigned", "void", "const", "struct", "union", "enum", "switch",
		"case", "default", "break", "continue", "else", "goto", "sizeof", "register", "volatile", "auto",
		"extern", "typedef", "inline", "restrict", "p", "x", "y", "z", "w", "send", "recv", "printf", "exit",
		"abort", "time", "sleep", "read", "write", "role_of", "compute"};
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (!strcmp(taken[i], name))
			return true;
	return piece_of_name(name) != PIECES;
}

/* exchange, exchange_2, ...: once. */
static char *unused_name(struct printer *x, const char *wanted)
{
	struct text name = {0};
	for (uint32_t i = is_taken(wanted) ? 1 : 0;; i++) {
		text_truncate(&name, 0);
		text_format(&name, i ? "%s_%u" : "%s", wanted, is_taken(wanted) ? i : i + 1);
		if (intern_find(x->names, name.data, name.length) == INTERN_NONE)
			break;
	}
	intern_id(x->names, name.data, name.length);
	return name.data;
}

static char *name_of(struct printer *x, const struct unit *unit, size_t units)
{
	struct text name = {0};
	if (!put_source(x, unit, units, &name))
		put_kind(x, unit, units, &name);
	char *unused = unused_name(x, name.data);
	text_clear(&name);
	return unused;
}

/* A function has a name; what has none needs none of its own. */
static char *name_of_phase(struct printer *x, const struct phase *phase)
{
	struct text name = {0};
	size_t called = phase->unit->function == BLOCKS_NONE ? phase->function : x->function_of[phase->unit->function];
	if (called != BLOCKS_NONE)
		return mem_text(x->function[called].name);
	if (!put_source(x, phase->unit, phase->units, &name))
		put_kind(x, phase->unit, phase->units, &name);
	return name.data;
}

/* Conditions that are asked for several times; those on a line of processes by whom these talk
   to. */
static void name_conditions(struct printer *x)
{
	int64_t far = 0; /* the row next to theirs */
	for (uint32_t i = 0; i < intern_count(x->sets); i++) {
		const struct condition *c = &x->condition[i];
		int64_t distance = c->mixed ? 0 : llabs(c->move);
		far = distance > 1 && (!far || distance < far) ? distance : far;
	}
	for (uint32_t i = 0; i < intern_count(x->sets); i++) {
		struct condition *c = &x->condition[i];
		struct text text = {0};
		ranks_print_condition(&c->who, x->f->processes, "p", &text);
		bool worth = c->asked > 2 && text.length > 8;
		text_clear(&text);
		if (worth)
			c->name = unused_name(x, c->mixed || !c->move ? "is_member"
						 : c->move == -1      ? "has_left"
						 : c->move == 1       ? "has_right"
						 : c->move == -far    ? "has_above"
						 : c->move == far     ? "has_below"
						 : c->move < 0        ? "has_before"
								      : "has_behind");
	}
}

/* ------------------------------------------------------------------ functions */

static size_t add_function(struct printer *x, const struct unit *unit, size_t units, uint32_t depth, bool told)
{
	x->function = mem_grow(x->function, &x->function_capacity, x->functions + 1, sizeof *x->function);
	x->function[x->functions] = (struct function){.unit = unit, .units = units, .depth = depth, .told = told};
	return x->functions++;
}

/* Does a unit belong to what the one before it, which is no loop, is a part of? */
static bool is_of_phase(const struct printer *x, const struct unit *before, const struct unit *unit)
{
	if (before->function != BLOCKS_NONE || unit->function != BLOCKS_NONE)
		return before->function == unit->function;
	return !statement_is_loop(&x->f->statement[unit->statement]);
}

/* Loops of fewer lines need no function. */
#define PHASE_LINES 5

/* The functions of blocks; a phase for each loop of the text, each call, and what stands between
   them. */
static void find_functions(struct printer *x)
{
	const struct block_body *top = &x->blocks.body[BLOCKS_TOP];
	x->function_of = mem_array(x->blocks.bodies, sizeof *x->function_of);
	for (size_t i = 0; i < x->blocks.bodies; i++) {
		const struct block_body *body = &x->blocks.body[i];
		if (i != BLOCKS_TOP && body->loop == BLOCKS_NONE)
			x->function_of[i] = add_function(x, body->unit, body->units, body->depth, x->is_timed);
	}
	for (size_t i = 0, next; i < top->units; i = next) {
		const struct unit *unit = &top->unit[i];
		bool call = unit->function != BLOCKS_NONE, loop = !call && x->f->statement[unit->statement].size;
		next = i + 1;
		while (next < top->units && !loop && is_of_phase(x, unit, &top->unit[next]))
			next++;
		x->phase = mem_grow(x->phase, &x->phase_capacity, x->phases + 1, sizeof *x->phase);
		x->phase[x->phases++] = (struct phase){unit, next - i,
			loop && unit->lines > PHASE_LINES ? add_function(x, unit, 1, 0, false) : BLOCKS_NONE, NULL};
	}
}

static void do_function(struct printer *x, size_t function);

/* Those that are called come first. */
static void do_called(struct printer *x, const struct unit *unit, size_t units)
{
	for (size_t i = 0; i < units; i++) {
		const struct statement *s = &x->f->statement[unit[i].statement];
		if (unit[i].function != BLOCKS_NONE) {
			do_function(x, x->function_of[unit[i].function]);
		} else if (statement_is_loop(s)) {
			const struct block_body *body = &x->blocks.body[x->blocks.body_of[unit[i].statement]];
			do_called(x, body->unit, body->units);
		}
	}
}

static void put_function(const struct function *f, const struct text *body, struct text *out)
{
	unsigned some = f->told;
	text_format(out, "static void %s(%s", f->name, f->told ? "int event" : "");
	for (unsigned d = 0; d < f->depth; d++)
		if (f->indices >> d & 1)
			text_format(out, "%slong i%u", some++ ? ", " : "", d);
	text_put(out, some ? ")\n{\n" : "void)\n{\n");
	text_add(out, body->data, body->length);
	text_put(out, "}\n\n");
}

static void do_function(struct printer *x, size_t function)
{
	struct text body = {0};
	struct function *f = &x->function[function];
	uint32_t around = x->c.indices;
	if (f->done)
		return;
	f->done = true;
	do_called(x, f->unit, f->units);
	if (!f->name)
		f->name = name_of(x, f->unit, f->units);
	x->c.indices = 0;
	x->out = &body;
	x->indent = 1;
	x->base = f->told ? x->timed.number[f->unit->statement] : UINT32_MAX;
	put_units(x, f->unit, f->units, f->depth);
	f->indices = x->c.indices & ((UINT32_C(1) << f->depth) - 1);
	x->c.indices = around;
	put_function(f, &body, x->functions_text);
	text_clear(&body);
}

/* All phases, one after the other. */
static void put_run(struct printer *x)
{
	struct text run = {0};
	for (size_t i = 0; i < x->phases; i++) {
		struct phase *phase = &x->phase[i];
		struct function *f = phase->function == BLOCKS_NONE ? NULL : &x->function[phase->function];
		if (f)
			do_function(x, phase->function);
		else
			do_called(x, phase->unit, phase->units);
		x->out = &run;
		x->indent = 1;
		x->base = UINT32_MAX;
		if (!phase->name)
			phase->name = name_of_phase(x, phase);
		text_put(&run, "\tphase(\"");
		program_address(x->f, phase->unit->statement, &run);
		text_format(&run, " %s\");\n", phase->name);
		if (f)
			text_format(&run, "\t%s();\n", f->name);
		else
			put_units(x, phase->unit, phase->units, 0);
	}
	text_put(x->functions_text, "/* The phases, each with its place in the model. */\nstatic void run(void)\n{\n");
	text_add(x->functions_text, run.data ? run.data : "", run.length);
	text_put(x->functions_text, "\tphase(\"end\");\n");
	text_put(x->functions_text, x->is_timed ? "\tspend(rest[p] * scale_of_ours());\n}\n\n" : "}\n\n");
	text_clear(&run);
}

/* ------------------------------------------------------------------ the program around them */

static void put_place(struct printer *x, struct text *out)
{
	text_put(out, "/* Our rank");
	text_put(out, x->c.axis[0] || x->c.axis[1] || x->c.axis[2] || x->c.axis[3] ? ", our place on the grid" : "");
	bool any = false;
	for (uint32_t i = 0; i < intern_count(x->sets); i++)
		any |= x->condition[i].name != NULL;
	text_put(out, any ? ", and which neighbours we have. */\n" : ". */\n");
	text_put(out, "static int p");
	for (uint32_t i = 0; i < GRID_AXES; i++)
		if (x->c.axis[i])
			text_format(out, ", %c", c_axis(i));
	for (uint32_t i = 0; i < intern_count(x->sets); i++)
		if (x->condition[i].name)
			text_format(out, ", %s", x->condition[i].name);
	text_put(out, ";\n\nstatic void find_place(void)\n{\n\tMPI_Comm_rank(MPI_COMM_WORLD, &p);\n");
	for (uint32_t i = 0; i < GRID_AXES; i++)
		if (x->c.axis[i]) {
			text_format(out, "\t%c = ", c_axis(i));
			c_coordinate(&x->f->grid, i, out);
			text_put(out, ";\n");
		}
	for (uint32_t i = 0; i < intern_count(x->sets); i++)
		if (x->condition[i].name) {
			text_format(out, "\t%s = ", x->condition[i].name);
			ranks_print_condition(&x->condition[i].who, x->f->processes, "p", out);
			text_put(out, "; /* ");
			ranks_print_short(&x->condition[i].who, out);
			text_put(out, " */\n");
		}
	text_put(out, "}\n\n");
}

static void put_reading_options(const struct printer *x, struct text *out)
{
	text_put(out,
		"static void read_options(int words, char **word)\n{\n"
		"\tstatic const char *const names[] = {\"--iterations\", \"--bytes\", \"--scale-bytes\", \"--scale-compute\", \"--role\"");
	text_put(out, x->is_timed ? ",\n\t\t\"--rank\", \"--seed\", \"--compute\"};\n" : "};\n");
	text_put(out, "\tfor (int i = 1, k = 0; i < words; i += 2, k = 0) {\n"
		      "\t\twhile (k < OPTIONS && strcmp(word[i], names[k]))\n"
		      "\t\t\tk++;\n"
		      "\t\tif (k == OPTIONS || i + 1 == words)\n"
		      "\t\t\tleave(\"options: --iterations N, --bytes N, --scale-bytes F, --scale-compute F, --role R");
	text_put(out, x->is_timed ? ", --rank P, --seed N, --compute sleep|spin|none" : "");
	text_put(out, "\");\n\t\toption[k] = atof(word[i + 1]);\n");
	if (x->is_timed)
		text_put(out,
			"\t\tif (k == COMPUTE)\n"
			"\t\t\toption[k] = !strcmp(word[i + 1], \"spin\") ? SPIN : !strcmp(word[i + 1], \"none\") ? NOTHING : SLEEP;\n");
	text_put(out, "\t}\n");
	if (x->main_counts)
		text_format(out,
			"\tif (option[ITERATIONS] > %" PRIu64 ")\n"
			"\t\tleave(\"what more iterations would do is not known\");\n",
			x->f->statement[x->main_loop].count);
	text_put(out, "}\n\n");
}

static const char timing_phases[] =
	"/* When each phase began, and how long processes took: told behind the back of tools, as this is no part of it. */\n"
	"static const char *phase_name[PHASES + 1];\nstatic double phase_start[PHASES + 1];\n\n"
	"static void phase(const char *name)\n{\n"
	"\tstatic int begun;\n"
	"\tphase_name[begun] = name;\n"
	"\tphase_start[begun++] = MPI_Wtime();\n}\n\n";

static const char printing_means[] =
	"static void print_times(void)\n{\n"
	"\tdouble own[PHASES], sum[PHASES], most[PHASES];\n"
	"\tfor (int i = 0; i < PHASES; i++)\n"
	"\t\town[i] = phase_start[i + 1] - phase_start[i];\n"
	"#ifndef SMPI_H\n"
	"\tMPI_Pcontrol(0);\n"
	"#endif\n"
	"\tPMPI_Reduce(own, sum, PHASES, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);\n"
	"\tPMPI_Reduce(own, most, PHASES, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);\n"
	"\tfor (int i = 0; p == 0 && i < PHASES; i++)\n"
	"\t\tprintf(\"%10.6f s, at most %10.6f s: %s\\n\", sum[i] / PROCESSES, most[i], phase_name[i]);\n}\n\n";

static const char printing_each[] =
	"static void print_times(void)\n{\n"
	"\tdouble own[PHASES], *all = malloc(sizeof own * PROCESSES);\n"
	"\tfor (int i = 0; i < PHASES; i++)\n"
	"\t\town[i] = phase_start[i + 1] - phase_start[i];\n"
	"#ifndef SMPI_H\n"
	"\tMPI_Pcontrol(0);\n"
	"#endif\n"
	"\tPMPI_Gather(own, PHASES, MPI_DOUBLE, all, PHASES, MPI_DOUBLE, 0, MPI_COMM_WORLD);\n"
	"\tfor (int i = 0; p == 0 && all && i < PHASES * PROCESSES; i++)\n"
	"\t\tprintf(\"phase %d %d %.9f\\n\", i % PHASES, i / PHASES, all[i]);\n"
	"\tfree(all);\n}\n\n";

static void put_main(const struct printer *x, bool communicators, struct text *out)
{
	text_put(out,
		"int main(int argc, char **argv)\n{\n\tint processes;\n\tMPI_Init(&argc, &argv);\n"
		"\tfind_place();\n"
		"\tMPI_Comm_size(MPI_COMM_WORLD, &processes);\n"
		"\tif (processes != PROCESSES)\n\t\tleave(\"this program is one of another number of processes\");\n"
		"\tread_options(argc, argv);\n");
	if (x->largest)
		text_put(out,
			"\tdouble largest = option[BYTES] < 0 ? LARGEST * option[SCALE_BYTES] : PROCESSES * option[BYTES];\n"
			"\tsize_t room = 64 * ((size_t)largest / 64 + PROCESSES);\n"
			"\tif (largest > 2e9 || !(in = calloc(2, room)))\n"
			"\t\tleave(\"so much cannot be passed on at once\");\n"
			"\tout = in + room;\n");
	if (communicators)
		text_put(out, "\tmake_communicators();\n");
	text_put(out, x->leftovers.items ? "\trun();\n\treceive_leftovers();\n" : "\trun();\n");
	if (x->pieces >> PIECE_SEND & 1)
		text_put(out, "\tfor (int i = 0; i < sends; i++)\n\t\tMPI_Wait(&sending[i], MPI_STATUS_IGNORE);\n");
	text_put(out, "\tprint_times();\n\tMPI_Finalize();\n\treturn 0;\n}\n");
}

/* The name of a file without its folders, and what is behind its last point. */
static void put_short_name(const char *path, struct text *out)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *point = strrchr(name, '.');
	text_add(out, name, point > name ? (size_t)(point - name) : strlen(name));
}

static void put_head(struct printer *x, struct text *out)
{
	text_put(out, "/* ");
	put_short_name(x->options->model, out);
	text_format(out,
		": what %u processes passed on, in its order. Made by tracenest skeleton, to be read and changed.%s\n",
		x->f->processes, x->guessed ? "\n * Where sizes are not known, it is one byte." : "");
	text_format(out, " *\tmpicc -O2 -o app app.c && mpirun -n %u ./app */\n", x->f->processes);
	text_put(out, x->is_timed ? "#define _POSIX_C_SOURCE 200809L\n" : "");
	text_put(out, "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
	text_put(out, x->is_timed ? "#include <time.h>\n\n" : "\n");
	text_format(out, "enum { PROCESSES = %u, PHASES = %zu, LARGEST = %" PRIu64 " };\n\n", x->f->processes,
		x->phases, x->largest);
	text_format(out,
		"/* What the command line says. */\n"
		"enum { ITERATIONS, BYTES, SCALE_BYTES, SCALE_COMPUTE, ROLE,%s OPTIONS };\n",
		x->is_timed ? " RANK, DRAW, COMPUTE," : "");
	if (x->is_timed)
		text_put(out, "enum { SLEEP, SPIN, NOTHING };\n");
	text_format(out, "static double option[OPTIONS] = {%" PRIu64 ", -1, 1, 1, -1%s};\n\n",
		x->main_loop == BLOCKS_NONE ? 0 : x->f->statement[x->main_loop].count,
		x->is_timed ? ", -1, 0, SLEEP" : "");
	if (x->largest)
		text_put(out,
			"/* What is passed on, without content, and sends that are under way. */\nstatic char *in, *out;\n");
	if (x->pieces >> PIECE_SEND & 1)
		text_put(out, "static MPI_Request *sending;\nstatic int sends, most_sends;\n");
	text_put(out, x->largest ? "\n" : "");
}

static const char leaving[] = "static _Noreturn void leave(const char *why)\n{\n"
			      "\tif (p == 0)\n\t\tfprintf(stderr, \"%s\\n\", why);\n"
			      "\tMPI_Finalize();\n\texit(2);\n}\n\n";

/* ------------------------------------------------------------------ all of it */

/* Of the loops of the text whose count is constant, the one with most events. */
static size_t find_main_loop(const struct program *f)
{
	struct executions e = executions_of(f);
	uint64_t most = 0;
	size_t found = BLOCKS_NONE;
	for (size_t i = 0; i < f->length; i += statement_size(&f->statement[i])) {
		uint64_t events = 0;
		const struct statement *s = &f->statement[i];
		for (size_t k = i + 1; k < i + s->size; k++) {
			struct ranks_run single;
			struct ranks who = {0};
			if (statement_is_loop(&f->statement[k]))
				continue;
			who = program_processes(f, &f->statement[k], &single);
			events += e.times[k] / (e.iterations[i] ? e.iterations[i] : 1) * s->count * ranks_count(&who);
		}
		if (s->size && s->bound == BOUND_NONE && statement_guard(s) == GUARD_NONE && events > most) {
			most = events;
			found = i;
		}
	}
	executions_clear(&e);
	return found;
}

/* What buffers have to hold. */
static uint64_t find_largest(const struct printer *x)
{
	uint64_t largest = 0;
	for (size_t i = 0; i < x->f->length; i++) {
		if (statement_is_loop(&x->f->statement[i]) || statement_kind(x->f, &x->f->statement[i]) == EVENT_LOCAL)
			continue;
		struct form form = statement_form(x->f, &x->f->statement[i]);
		uint64_t most = sizes_most(&x->sizes, i);
		bool posted;
		if (form.kind == EVENT_SYNC &&
			piece_of(dictionary_get_word(x->f->dictionary, form.word), &posted) == PIECE_BARRIER)
			continue;
		if (form.kind == EVENT_SYNC && sizes_are_blocks(&x->sizes, i))
			most *= communicators_size(&x->communicators, &form);
		largest = most > largest ? most : largest;
	}
	return largest;
}

static void print_functions(struct printer *x)
{
	x->pieces = x->leftovers.items ? UINT32_C(1) << PIECE_RECEIVE : 0;
	for (size_t i = 0; i < x->leftovers.items; i++)
		x->communicators.rank_in |= x->leftovers.item[i].communicator != NO_COMMUNICATOR;
	x->posted = 0;
	x->guessed = false;
	c_text_clear(&x->c);
	x->functions_text->length = 0;
	for (size_t i = 0; i < x->functions; i++)
		x->function[i].done = false;
	for (uint32_t i = 0; i < intern_count(x->sets); i++)
		x->condition[i].asked = 0;
	put_run(x);
}

/* Which processes --scale-compute is for. */
static void put_roles(const struct printer *x, struct text *out)
{
	uint32_t roles, *role = program_role_of(x->f, &roles);
	text_put(out, "/* Processes of one role execute the same statements. */\nstatic int role(void)\n{\n");
	for (uint32_t i = 1; i < roles; i++) {
		struct ranks who = {0};
		for (uint32_t k = 0; k < x->f->processes; k++)
			if (role[k] == i)
				ranks_add(&who, k);
		text_put(out, "\tif (");
		put_ranks_condition(x, &who, out);
		text_format(out, ")\n\t\treturn %" PRIu32 ";\n", i);
		ranks_clear(&who);
	}
	text_put(out,
		"\treturn 0;\n}\n\nstatic double scale_of_ours(void)\n{\n"
		"\tint ours = (option[ROLE] < 0 || role() == option[ROLE]) && (option[RANK] < 0 || p == option[RANK]);\n"
		"\treturn ours ? option[SCALE_COMPUTE] : 1;\n}\n\n");
	free(role);
}

static void put_leftovers(const struct printer *x, struct text *out)
{
	bool parts = false;
	text_put(out, "/* What was sent, and nobody received: it is received at the end. */\n"
		      "static void receive_leftovers(void)\n{\n"
		      "\tstatic const struct { int from, to, tag, comm; long count; } leftovers[] = {\n");
	for (size_t i = 0; i < x->leftovers.items; i++) {
		const struct leftover *l = &x->leftovers.item[i];
		text_format(out, "\t\t{%" PRIu32 ", %" PRIu32 ", %" PRIu64 ", %" PRId64 ", %" PRIu64 "},\n", l->from,
			l->to, l->tag, l->communicator, l->count);
		parts |= l->communicator != NO_COMMUNICATOR;
	}
	text_put(out, "\t};\n\tfor (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++)\n"
		      "\t\tfor (long k = 0; leftovers[i].to == p && k < leftovers[i].count; k++)\n");
	text_put(out,
		parts ? "\t\t\treceive_from(LARGEST, MPI_BYTE, leftovers[i].comm < 0 ? leftovers[i].from : rank_in(comm[leftovers[i].comm],\n"
			"\t\t\t\tleftovers[i].from), leftovers[i].tag, leftovers[i].comm < 0 ? MPI_COMM_WORLD : comm[leftovers[i].comm]);\n"
		      : "\t\t\treceive_from(LARGEST, MPI_BYTE, leftovers[i].from, leftovers[i].tag, MPI_COMM_WORLD);\n");
	text_put(out, "}\n\n");
}

static void print_program(struct printer *x, struct text *out)
{
	struct text communicators = {0};
	bool any = communicators_print(&x->communicators, &x->c, &communicators);
	put_head(x, out);
	put_place(x, out);
	text_put(out, leaving);
	text_add(out, communicators.data ? communicators.data : "", communicators.length);
	c_text_definitions(&x->c, out);
	if (x->is_timed) {
		put_roles(x, out);
		timed_print(&x->timed, out);
	}
	pieces_print(x->pieces, x->posted, out);
	text_put(out, timing_phases);
	text_put(out, x->options->phases ? printing_each : printing_means);
	text_add(out, x->functions_text->data, x->functions_text->length);
	if (x->leftovers.items)
		put_leftovers(x, out);
	put_reading_options(x, out);
	put_main(x, any, out);
	text_clear(&communicators);
}

void skeleton_phases_clear(struct skeleton_phases *p)
{
	for (size_t i = 0; i < p->length; i++)
		free(p->phase[i].name);
	free(p->phase);
	*p = (struct skeleton_phases){0};
}

static void tell_phases(const struct printer *x, struct skeleton_phases *p)
{
	*p = (struct skeleton_phases){mem_array(x->phases + 1, sizeof *p->phase), x->phases};
	for (size_t i = 0; i < x->phases; i++)
		p->phase[i] = (struct skeleton_phase){x->phase[i].unit->statement, mem_text(x->phase[i].name)};
}

static void clear_printer(struct printer *x)
{
	for (uint32_t i = 0; i < intern_count(x->sets); i++) {
		ranks_clear(&x->condition[i].who);
		free(x->condition[i].name);
	}
	for (size_t i = 0; i < x->functions; i++)
		free(x->function[i].name);
	for (size_t i = 0; i < x->phases; i++)
		free(x->phase[i].name);
	free(x->condition);
	free(x->condition_of);
	free(x->function);
	free(x->function_of);
	free(x->phase);
	intern_free(x->sets);
	intern_free(x->names);
	c_text_clear(&x->c);
	communicators_clear(&x->communicators);
	leftovers_clear(&x->leftovers);
	if (x->is_timed)
		timed_clear(&x->timed);
	blocks_clear(&x->blocks);
}

bool skeleton_print_c(struct program *f, const struct skeleton_options *options, struct text *out, struct error *error)
{
	struct text bodies = {0};
	struct ranks all = {0};
	struct printer x = {.f = f,
		.options = options,
		.c = {.grid = &f->grid},
		.sets = intern_new(),
		.names = intern_new(),
		.functions_text = &bodies,
		.main_loop = find_main_loop(f)};
	if (options->pace) {
		x.is_timed = true;
		timed_of(&x.timed, f, options->pace, options->exact);
	}
	bool good = communicators_of(&x.communicators, f, error) &&
		    (!options->lenient || leftovers_of(&x.leftovers, f, error));
	sizes_of(&x.sizes, f);
	x.largest = find_largest(&x);
	x.condition_of = mem_array(f->length + 1, sizeof *x.condition_of);
	if (f->processes)
		ranks_add_run(&all, 0, f->processes - 1);
	find_conditions(&x, 0, f->length, &all);
	ranks_clear(&all);
	blocks_of(&x.blocks, f, put_key, &x);
	find_functions(&x);
	print_functions(&x);
	name_conditions(&x);
	print_functions(&x);
	if (good)
		print_program(&x, out);
	if (good && options->phases)
		tell_phases(&x, options->phases);
	clear_printer(&x);
	text_clear(&bodies);
	return good;
}

/* ------------------------------------------------------------------ in columns */

/* The listing has one line per statement or done, and its header lines start with slashes. */
static size_t set_width(const char *at)
{
	at += strspn(at, " ");
	return *at == '[' ? strcspn(at, " ") : 0;
}

static size_t depth_of(const char *at)
{
	return strspn(at, " ");
}

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');
	return end ? end + 1 : at + strlen(at);
}

/* Events that follow each other on one level are a block: how wide are their sets? */
static size_t block_width(const char *at, const char **past)
{
	size_t depth = depth_of(at), width = 0;
	while (*at && depth_of(at) == depth && set_width(at) && strncmp(at + depth + set_width(at), " for ", 5)) {
		width = set_width(at) > width ? set_width(at) : width;
		at = next_line(at);
	}
	*past = at;
	return width;
}

void skeleton_print_text(const struct program *f, struct text *out)
{
	struct text listing = {0};
	program_print_text(f, &listing);
	for (const char *at = listing.data; *at;) {
		const char *past, *end;
		size_t width = block_width(at, &past);
		past = past == at ? next_line(at) : past;
		for (; at < past; at = end) {
			size_t set = depth_of(at) + set_width(at);
			end = next_line(at);
			text_add(out, at, width ? set : 0);
			for (size_t i = set_width(at); i < width; i++)
				text_char(out, ' ');
			text_add(out, at + (width ? set : 0), (size_t)(end - at) - (width ? set : 0));
		}
	}
	text_clear(&listing);
}
