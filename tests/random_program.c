/*
 * random_program.c -- a tree, printed with its annotations and walked with its indices. Only
 * processes that a construct covers come by its places.
 */
#include "tests/random_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define GETS 3
#define BODY 5

struct get {
	char label[16];
	const char *attribute;
	uint32_t ranks; /* bits; 0: all */
};

/* A number that is no affine function; of a guard, what it is tested for. */
struct irregular {
	enum { REGULAR, IN_TABLE, MODULO, OF_PROCESS, BELOW } kind;
	unsigned depth; /* of the loop whose index it is a function of */
	int factor, constant, modulus;
	unsigned table, arguments; /* bits: of the process, of the index */
	enum { NOT_TESTED, EQUAL, DIFFERS, AMONG } test;
	int wanted[3]; /* ascending */
};

#define TABLES 64
#define TABLE_LENGTH 64
struct random_table {
	unsigned arguments, rows, length;
	int entry[PROGRAM_RANKS][TABLE_LENGTH];
};

struct item {
	bool is_loop, over_set; /* over_set: an event that the processes `named` execute; a loop that names them */
	unsigned count; /* of a loop, at indices 0 */
	unsigned step[PROGRAM_DEPTH]; /* what is added for each index: to the count, or to the tag */
	bool is_guard, is_else, has_else, who; /* of a loop; of an event: whom `irregular` names */
	struct irregular irregular;
	uint32_t guards; /* among the loops around, with itself */
	bool uneven; /* not all processes come by in the same iterations of the loops around, and of itself */
	struct item *inner;
	size_t inners;
	char kind; /* of an event: 's', 'r', 'b', 'l' */
	unsigned from, to, tag;
	uint32_t named, covered; /* bits: processes that have statements here; that ever execute one */
	char address[64];
	struct get get[4][GETS]; /* by place */
	size_t gets[4];
};

struct random_program {
	struct item root;
	unsigned seed, labels;
	unsigned kind;
	unsigned most[PROGRAM_DEPTH + 1]; /* iterations of the loops around */
	struct random_table table[TABLES];
	unsigned tables;
};

static unsigned below(struct random_program *p, unsigned limit)
{
	return (unsigned)rand_r(&p->seed) % limit;
}

static void make_steps(struct random_program *p, struct item *i, unsigned depth)
{
	for (unsigned d = 0; d < depth && p->kind & PROGRAM_SETS; d++)
		if (!(i->guards >> d & 1))
			i->step[d] = below(p, 3) ? 0 : 1 + below(p, 2);
}

/* ------------------------------------------------------------------ what is irregular */

static unsigned add_table(struct random_program *p, unsigned arguments, unsigned length, int least, unsigned range)
{
	struct random_table *t = &p->table[p->tables];
	t->arguments = arguments;
	t->rows = arguments & 1 ? PROGRAM_RANKS : 1;
	t->length = arguments & 2 ? length : 1;
	for (unsigned row = 0; row < t->rows; row++)
		for (unsigned k = 0; k < t->length; k++)
			t->entry[row][k] = least + (int)below(p, range);
	return p->tables++;
}

/* The index of a loop around, not of a guard: false where there is none. */
static bool choose_index(struct random_program *p, const struct item *around, unsigned depth, unsigned *chosen)
{
	*chosen = depth ? below(p, depth) : 0;
	return depth && !(around->guards >> *chosen & 1) && p->most[*chosen] && p->most[*chosen] <= TABLE_LENGTH;
}

static void make_irregular(struct random_program *p, const struct item *around, struct irregular *n, unsigned depth,
	int least, unsigned range)
{
	bool index = choose_index(p, around, depth, &n->depth);
	unsigned most = index ? p->most[n->depth] : 1;
	switch (below(p, p->tables < TABLES ? 5 : 3)) {
	case 0:
		*n = (struct irregular){OF_PROCESS, .constant = -(int)below(p, 4), .factor = below(p, 3) ? 1 : -1};
		n->constant += n->factor < 0 ? 5 : 0;
		return;
	case 1:
		n->kind = index ? BELOW : REGULAR;
		n->factor = below(p, 2) ? 1 + (int)below(p, 2) : -1 - (int)below(p, 2);
		n->constant = n->factor > 0 ? -(int)below(p, 6) : (int)below(p, 6);
		return;
	case 2:
		n->kind = index ? MODULO : REGULAR;
		n->factor = 1 + (int)below(p, 5);
		n->constant = (int)below(p, 5);
		n->modulus = 2 + (int)below(p, 5);
		return;
	default:
		n->kind = IN_TABLE;
		n->arguments = index ? 1 + below(p, 3) : 1;
		n->modulus = n->arguments & 2 && !below(p, 3) ? 1 + (int)below(p, 4) : 0;
		n->factor = n->arguments & 2 && !below(p, 3) ? 2 : 1; /* of the index */
		n->constant = (int)below(p, 3);
		most = n->modulus ? (unsigned)n->modulus : most * (unsigned)n->factor + (unsigned)n->constant;
		if (most <= TABLE_LENGTH)
			n->table = add_table(p, n->arguments, most, least, range);
		else
			n->kind = REGULAR;
	}
}

static int irregular_at(const struct random_program *p, const struct irregular *n, uint32_t rank, const int64_t *index)
{
	int i = (int)index[n->depth];
	const struct random_table *t = &p->table[n->table];
	switch (n->kind) {
	case MODULO:
		return (n->factor * i + n->constant) % n->modulus;
	case OF_PROCESS:
		return n->factor * (int)rank + n->constant;
	case BELOW:
		return n->factor * i + n->constant;
	default:
		i = n->arguments & 2 ? n->factor * i + n->constant : 0;
		return t->entry[n->arguments & 1 ? rank : 0][n->modulus ? i % n->modulus : i];
	}
}

static bool holds(const struct irregular *n, int value)
{
	bool among = false;
	for (int i = 0; i < 3; i++)
		among = among || value == n->wanted[i];
	switch (n->test) {
	case EQUAL:
		return value == n->wanted[0];
	case DIFFERS:
		return value != n->wanted[0];
	case AMONG:
		return among;
	default:
		return value;
	}
}

/* False: there is nothing to test. */
static bool make_guard(struct random_program *p, const struct item *around, struct item *i, unsigned depth)
{
	bool bare = !below(p, 4);
	make_irregular(p, around, &i->irregular, depth, 0, bare ? 2 : 4);
	bare = bare && i->irregular.kind == IN_TABLE;
	i->irregular.test = bare ? NOT_TESTED : (int)(EQUAL + below(p, 3));
	for (int k = 0; k < 3; k++)
		i->irregular.wanted[k] = k ? i->irregular.wanted[k - 1] + 1 + (int)below(p, 2) : (int)below(p, 3);
	i->is_guard = i->irregular.kind != REGULAR;
	return i->is_guard;
}

static void make_event(struct random_program *p, struct item *i, unsigned depth)
{
	static const char kinds[] = "srsrsrbl";
	i->kind = kinds[below(p, p->kind & PROGRAM_LOCALS ? 8 : 7)];
	i->from = below(p, PROGRAM_RANKS);
	i->to = below(p, PROGRAM_RANKS);
	i->tag = below(p, 3);
	if (i->kind == 's' || i->kind == 'r')
		make_steps(p, i, depth);
	i->over_set = p->kind & PROGRAM_SETS && below(p, 3);
	if (i->over_set) {
		i->covered = 1 + below(p, (1u << PROGRAM_RANKS) - 1);
		return;
	}
	if (i->kind == 'b' && i->from > i->to) {
		unsigned old = i->from;
		i->from = i->to;
		i->to = old;
	}
	i->covered = i->kind == 'r' ? 1u << i->to : 1u << i->from;
	for (unsigned r = i->from; i->kind == 'b' && r <= i->to; r++)
		i->covered |= 1u << r;
}

static void annotate(struct random_program *p, struct item *i)
{
	static const char *const attributes[] = {"time", "bytes", "time"};
	for (unsigned place = 0; i->covered && place < (i->is_loop ? 4 : 2); place++) {
		if ((place == PLACE_START && i->is_else) || (place == PLACE_END && i->has_else))
			continue;
		while (i->gets[place] < GETS && !below(p, place < 2 ? 4 : 8)) {
			struct get *g = &i->get[place][i->gets[place]++];
			snprintf(g->label, sizeof g->label, "%s%u", below(p, 9) ? "a" : "x, \\?", p->labels++);
			g->attribute = attributes[below(p, 3)];
			g->ranks = below(p, 2) ? 0 : i->covered & (below(p, 63) + 1);
		}
	}
}

static bool advances(const struct item *i)
{
	for (unsigned d = 0; d < PROGRAM_DEPTH; d++)
		if (i->step[d])
			return true;
	return false;
}

/* Nobody comes by the places inside a loop of no iterations. */
static void forget_gets(struct item *around)
{
	for (size_t k = 0; k < around->inners; k++) {
		memset(around->inner[k].gets, 0, sizeof around->inner[k].gets);
		forget_gets(&around->inner[k]);
	}
}

static bool asks_process(const struct irregular *n)
{
	return n->kind == OF_PROCESS || (n->kind == IN_TABLE && n->arguments & 1);
}

static void make_body(struct random_program *p, struct item *around, const char *prefix, unsigned depth);

/* A loop, or a guard. */
static void make_loop(struct random_program *p, struct item *around, struct item *i, unsigned depth)
{
	bool irregular = p->kind & PROGRAM_IRREGULAR && !below(p, 2);
	i->is_loop = true;
	i->guards = around->guards;
	p->most[depth] = 1;
	if (!i->is_guard && (!irregular || !below(p, 2) || !make_guard(p, around, i, depth))) {
		i->irregular = (struct irregular){0};
		i->count = below(p, 6);
		make_steps(p, i, depth);
		p->most[depth] = i->count;
		for (unsigned d = 0; d < depth; d++)
			p->most[depth] += i->step[d] * p->most[d];
		if (irregular)
			make_irregular(p, around, &i->irregular, depth, 0, 4);
		if (i->irregular.kind != REGULAR)
			p->most[depth] = TABLE_LENGTH;
	}
	i->guards |= (uint32_t)i->is_guard << depth;
	i->uneven = around->uneven || asks_process(&i->irregular);
	make_body(p, i, i->address, depth + 1);
	i->over_set = !i->is_guard && p->kind & PROGRAM_SETS && i->named && below(p, 2);
	if (!i->is_guard && !i->count && !advances(i) && i->irregular.kind == REGULAR) {
		forget_gets(i);
		i->covered = 0;
	}
}

/* One of the processes that the table has executes it, each time another; they all come by. */
static void make_who(struct random_program *p, const struct item *around, struct item *i, unsigned depth)
{
	if (!(p->kind & PROGRAM_IRREGULAR) || !i->over_set || around->uneven || below(p, 2) || p->tables == TABLES ||
		!choose_index(p, i, depth, &i->irregular.depth))
		return;
	i->who = true;
	i->irregular.kind = IN_TABLE;
	i->irregular.arguments = 2;
	i->irregular.factor = 1;
	i->irregular.table = add_table(p, 2, p->most[i->irregular.depth], 0, PROGRAM_RANKS);
	i->covered = 0;
	for (unsigned k = 0; k < p->table[i->irregular.table].length; k++)
		i->covered |= UINT32_C(1) << p->table[i->irregular.table].entry[0][k];
}

static void make_body(struct random_program *p, struct item *around, const char *prefix, unsigned depth)
{
	unsigned deepest = p->kind & PROGRAM_IRREGULAR ? PROGRAM_DEPTH : PROGRAM_DEPTH - 1;
	around->inners = below(p, BODY + 1) + !depth;
	around->inner = mem_zero((around->inners + 1) * sizeof *around->inner);
	for (size_t k = 0; k < around->inners; k++) {
		struct item *i = &around->inner[k], *before = k ? i - 1 : NULL;
		snprintf(i->address, sizeof i->address, "%s%s%zu", prefix, *prefix ? "." : "", k);
		if (before && before->is_guard && !before->is_else && !below(p, 2)) {
			i->is_guard = i->is_else = before->has_else = true;
			i->irregular = before->irregular;
			make_loop(p, around, i, depth);
		} else if (depth < deepest && !below(p, 2)) {
			make_loop(p, around, i, depth);
		} else {
			i->guards = around->guards;
			make_event(p, i, depth);
			make_who(p, around, i, depth);
			i->named = i->covered;
		}
		around->named |= i->named;
		around->covered |= i->covered;
	}
	for (size_t k = 0; k < around->inners; k++)
		annotate(p, &around->inner[k]);
}

struct random_program *random_program_new(unsigned seed, unsigned kind)
{
	struct random_program *p = mem_zero(sizeof *p);
	p->seed = seed * 2654435761u + 1;
	p->kind = kind;
	make_body(p, &p->root, "", 0);
	return p;
}

static void free_body(struct item *i)
{
	for (size_t k = 0; k < i->inners; k++)
		free_body(&i->inner[k]);
	free(i->inner);
}

void random_program_free(struct random_program *p)
{
	free_body(&p->root);
	free(p);
}

/* ------------------------------------------------------------------ printing */

static void print_ranks(uint32_t ranks, struct text *out)
{
	bool first = true;
	for (unsigned r = 0; r < PROGRAM_RANKS; r++)
		if (ranks >> r & 1) {
			text_format(out, "%s%u", first ? "" : ",", r);
			first = false;
		}
}

static void print_gets(const struct item *i, unsigned place, struct text *out)
{
	bool back = place == PLACE_END || place == PLACE_ITERATION;
	for (size_t k = 0; k < i->gets[place]; k++) {
		const struct get *g = &i->get[place][k];
		text_format(out, "get \"%s\" {", g->label);
		print_ranks(g->ranks, out);
		text_format(out, "%s}.%s %s\n", g->ranks ? "" : "*", g->attribute, back ? "<-" : "->");
	}
}

static unsigned at_index(const struct item *i, unsigned constant, const int64_t *index)
{
	for (unsigned d = 0; d < PROGRAM_DEPTH; d++)
		constant += i->step[d] ? i->step[d] * (unsigned)index[d] : 0;
	return constant;
}

/* As the process sees it. */
static void print_event(const struct item *i, uint32_t rank, const int64_t *index, struct text *out)
{
	unsigned from = i->over_set && i->kind != 'r' ? rank : i->from,
		 to = i->over_set && i->kind == 'r' ? rank : i->to;
	if (i->kind == 'b')
		text_format(out, "%u sync MPI_Barrier 0-%u", rank, PROGRAM_RANKS - 1);
	else if (i->kind == 'l')
		text_format(out, "%u local work %u", rank, i->tag);
	else
		text_format(
			out, "%u %s %u tag%u", from, i->kind == 's' ? "send" : "recv", to, at_index(i, i->tag, index));
}

/* How the index of a loop is called: guards have none. */
static unsigned name_of(uint32_t guards, unsigned depth)
{
	return depth - (unsigned)__builtin_popcount(guards & ((1u << depth) - 1));
}

static void print_irregular(const struct random_program *p, const struct item *i, int more, struct text *out)
{
	const struct irregular *n = &i->irregular;
	unsigned name = name_of(i->guards, n->depth);
	switch (n->kind) {
	case MODULO:
		text_format(out, "{%d+(%d*i%u%+d)%%%d}", more, n->factor, name, n->constant, n->modulus);
		return;
	case OF_PROCESS:
		text_format(out, "{%d%+d*p}", n->constant + more, n->factor);
		return;
	case BELOW:
		text_format(out, "{%d%+d*i%u}", n->constant + more, n->factor, name);
		return;
	default:
		text_format(out, "%s$t%u[%s", more ? "{" : "", n->table, n->arguments & 1 ? "p" : "");
		if (n->arguments & 2)
			text_format(out, n->modulus ? "%s(%d*i%u%+d)%%%d" : "%s%d*i%u%+d", n->arguments & 1 ? "," : "",
				n->factor, name, n->constant, n->modulus);
		text_put(out, "]");
		if (more)
			text_format(out, "%+d}", more);
	}
	(void)p;
}

static void print_tables(const struct random_program *p, struct text *out)
{
	for (unsigned i = 0; i < p->tables; i++) {
		const struct random_table *t = &p->table[i];
		text_format(out, "$t%u[%s] =", i, t->arguments == 3 ? "p,i0" : "p");
		for (unsigned row = 0; row < t->rows; row++) {
			for (unsigned k = 0; k < t->length; k++)
				text_format(out, " %d", t->entry[row][k]);
			text_put(out, t->arguments == 3 ? " |" : "");
		}
		text_char(out, '\n');
	}
}

static void print_guard(const struct random_program *p, const struct item *i, struct text *out)
{
	const struct irregular *n = &i->irregular;
	static const char *const tests[] = {"", " = ", " != ", " in "};
	if (i->is_else) {
		text_put(out, "else\n");
		return;
	}
	bool braces = n->test && n->kind == IN_TABLE;
	text_put(out, braces ? "if {" : "if ");
	print_irregular(p, i, 0, out);
	text_format(out, "%s%s", braces ? "}" : "", tests[n->test]);
	if (n->test == AMONG)
		text_format(out, "{%d,%d,%d}", n->wanted[0], n->wanted[1], n->wanted[2]);
	else if (n->test)
		text_format(out, "%d", n->wanted[0]);
	text_char(out, '\n');
}

static void print_function(const struct item *i, int constant, struct text *out)
{
	if (!advances(i)) {
		text_format(out, "%d", constant);
		return;
	}
	text_format(out, "{%d", constant);
	for (unsigned d = 0; d < PROGRAM_DEPTH; d++)
		if (i->step[d])
			text_format(out, "+%u*i%u", i->step[d], name_of(i->guards, d));
	text_char(out, '}');
}

static void print_set(const struct random_program *p, const struct item *i, struct text *out)
{
	if (!i->over_set)
		return;
	text_char(out, '[');
	if (i->who)
		print_irregular(p, i, 0, out);
	else
		print_ranks(i->named, out);
	text_put(out, "] ");
}

/* As the program has it. */
static void print_statement(const struct random_program *p, const struct item *i, struct text *out)
{
	char from[12], to[12];
	snprintf(from, sizeof from, i->over_set && i->kind != 'r' ? "p" : "%u", i->from);
	snprintf(to, sizeof to, i->over_set && i->kind == 'r' ? "p" : "%u", i->to);
	print_set(p, i, out);
	if (i->kind == 'b' && !i->over_set && i->from != i->to)
		text_format(out, "%u-%u sync MPI_Barrier 0-%u", i->from, i->to, PROGRAM_RANKS - 1);
	else if (i->kind == 'b')
		text_format(out, "%s sync MPI_Barrier 0-%u", from, PROGRAM_RANKS - 1);
	else if (i->kind == 'l')
		text_format(out, "%s local work %u", from, i->tag);
	else {
		text_format(out, "%s %s %s tag", from, i->kind == 's' ? "send" : "recv", to);
		print_function(i, (int)i->tag, out);
	}
}

static void print_body(
	const struct random_program *p, const struct item *around, bool annotated, unsigned depth, struct text *out)
{
	for (size_t k = 0; k < around->inners; k++) {
		const struct item *i = &around->inner[k];
		if (annotated)
			print_gets(i, PLACE_START, out);
		if (i->is_loop) {
			print_set(p, i, out);
			if (i->is_guard) {
				print_guard(p, i, out);
			} else {
				text_format(out, "for i%u = 0 to ", name_of(i->guards, depth));
				if (i->irregular.kind == REGULAR)
					print_function(i, (int)i->count - 1, out);
				else
					print_irregular(p, i, -1, out);
				text_char(out, '\n');
			}
			if (annotated)
				print_gets(i, PLACE_ITERATION, out);
			print_body(p, i, annotated, depth + 1, out);
			if (annotated)
				print_gets(i, PLACE_ITERATION_END, out);
			if (i->has_else)
				continue;
			text_put(out, "done");
		} else {
			print_statement(p, i, out);
		}
		text_char(out, '\n');
		if (annotated)
			print_gets(i, PLACE_END, out);
	}
}

void random_program_print(const struct random_program *p, bool annotated, struct text *out)
{
	text_format(out, "// tracenest 1\n// processes %u\n", PROGRAM_RANKS);
	print_body(p, &p->root, annotated, 0, out);
	print_tables(p, out);
}

static size_t depth_of(const struct item *around, size_t depth)
{
	size_t deepest = 0;
	for (size_t k = 0; k < around->inners; k++) {
		const struct item *i = &around->inner[k];
		size_t within = depth + !i->is_guard, inside = depth_of(i, within);
		if (i->gets[PLACE_ITERATION] || i->gets[PLACE_ITERATION_END])
			inside = inside > within ? inside : within;
		else if (i->gets[PLACE_START] || i->gets[PLACE_END])
			inside = inside > depth ? inside : depth;
		deepest = inside > deepest ? inside : deepest;
	}
	return deepest;
}

size_t random_program_depth(const struct random_program *p)
{
	return depth_of(&p->root, 0);
}

/* ------------------------------------------------------------------ running */

struct running {
	const struct random_program *program;
	uint32_t rank;
	uint64_t position;
	int64_t index[PROGRAM_DEPTH + 1];
	void (*visit)(void *context, const struct random_program_visit *);
	void *context;
};

static void come_by(struct running *r, const struct item *i, enum random_program_place place, size_t depth)
{
	const char *label[GETS], *attribute[GETS];
	struct text event = {0};
	struct random_program_visit v = {
		place, i->address, r->rank, depth, r->index, i->guards, r->position, NULL, label, attribute, 0};
	for (size_t k = 0; k < i->gets[place]; k++) {
		const struct get *g = &i->get[place][k];
		if (g->ranks && !(g->ranks >> r->rank & 1))
			continue;
		label[v.annotations] = g->label;
		attribute[v.annotations++] = g->attribute;
	}
	if (place == PLACE_START && !i->is_loop) {
		print_event(i, r->rank, r->index, &event);
		v.event = event.data;
	}
	r->visit(r->context, &v);
	text_clear(&event);
}

static unsigned count_of(const struct running *r, const struct item *i)
{
	if (i->irregular.kind == REGULAR)
		return at_index(i, i->count, r->index);
	int value = irregular_at(r->program, &i->irregular, r->rank, r->index);
	if (i->is_guard)
		return holds(&i->irregular, value) != i->is_else;
	return value > 0 ? (unsigned)value : 0;
}

static void run_body(struct running *r, const struct item *around, size_t depth)
{
	for (size_t k = 0; k < around->inners; k++) {
		const struct item *i = &around->inner[k];
		if (!(i->covered >> r->rank & 1))
			continue;
		if (i->who && irregular_at(r->program, &i->irregular, r->rank, r->index) != (int)r->rank)
			continue;
		come_by(r, i, PLACE_START, depth);
		r->position += !i->is_loop;
		for (unsigned n = 0, count = i->is_loop ? count_of(r, i) : 0; n < count; n++) {
			r->index[depth] = n;
			come_by(r, i, PLACE_ITERATION, depth + 1);
			run_body(r, i, depth + 1);
			r->index[depth] = n;
			come_by(r, i, PLACE_ITERATION_END, depth + 1);
		}
		r->index[depth] = 0;
		come_by(r, i, PLACE_END, depth);
	}
}

void random_program_run(const struct random_program *p, uint32_t rank,
	void (*visit)(void *context, const struct random_program_visit *), void *context)
{
	run_body(&(struct running){.program = p, .rank = rank, .visit = visit, .context = context}, &p->root, 0);
}
