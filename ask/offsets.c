/*
 * offsets.c -- bodies from the inside out: each class counts its events over the statements that it
 * executes; what it has before a statement is its offset there, what it has at the end is the
 * length of an iteration, which the bodies further out sum over.
 *
 * Polynomials are interned, and so are their sums: most additions are one look-up.
 */
#include "ask/offsets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

/* Ids of polynomials. */
#define ZERO 0
#define ONE 1
#define NO_ITERATION UINT32_MAX

/* A class executes a statement. */
struct counted {
	uint32_t line, class;
	uint32_t before, iteration, count, all; /* polynomials; iteration: NO_ITERATION of an event */
};

struct class_run {
	uint32_t first, last, class;
};

struct offsets {
	struct run *run;
	const struct store *store;
	struct unknowns *unknowns;
	struct counted *counted; /* in the end by line, then class */
	size_t length, capacity;
	struct class_run *runs; /* of ranks */
	size_t run_count, run_capacity;
	struct intern *polynomials, *sums; /* their bytes; what was added up */
	uint32_t *sum; /* of each in `sums`: the polynomial */
	size_t sum_capacity;
};

/* ------------------------------------------------------------------ polynomials by number */

/* The bytes of a polynomial, with its terms behind. */
struct stored {
	int64_t divisor, unknown;
};

/* Borrowed: not to be changed. */
static struct polynomial polynomial_of(const struct offsets *o, uint32_t id)
{
	size_t size;
	const struct stored *s = intern_data(o->polynomials, id, &size);
	return (struct polynomial){.term = (void *)(uintptr_t)(s + 1),
		.terms = (size - sizeof *s) / sizeof(struct polynomial_term),
		.divisor = s->divisor,
		.unknown = s->unknown};
}

/* Takes it. */
static uint32_t polynomial_id(struct offsets *o, struct polynomial *polynomial)
{
	size_t size = polynomial->terms * sizeof *polynomial->term;
	struct stored *s = mem_alloc(sizeof *s + size);
	*s = (struct stored){polynomial->divisor, polynomial->unknown};
	if (size)
		memcpy(s + 1, polynomial->term, size);
	uint32_t id = intern_id(o->polynomials, s, sizeof *s + size);
	free(s);
	polynomial_clear(polynomial);
	return id;
}

/* Has this been computed? *sum is where the result is, or is to be. */
static bool summed(struct offsets *o, uint64_t a, uint64_t b, uint32_t **sum)
{
	uint64_t key[] = {a, b};
	uint32_t known = intern_count(o->sums), id = intern_id(o->sums, key, sizeof key);
	o->sum = mem_grow(o->sum, &o->sum_capacity, (size_t)id + 1, sizeof *o->sum);
	*sum = &o->sum[id];
	return id < known;
}

static uint32_t add(struct offsets *o, uint32_t a, uint32_t b)
{
	uint32_t *sum;
	if (a == ZERO || b == ZERO)
		return a + b;
	if (summed(o, a, b, &sum))
		return *sum;
	struct polynomial total = {0}, x = polynomial_of(o, a), y = polynomial_of(o, b);
	polynomial_copy(&total, &x);
	polynomial_add_all(&total, &y);
	return *sum = polynomial_id(o, &total);
}

/* Of one iteration there are so many; of all of them. line: of the loop, or guard, whose index this
   is (guards have none), with this count. */
static uint32_t times(struct offsets *o, uint32_t line, uint32_t iteration, uint32_t count, bool guard)
{
	uint32_t *sum;
	if (summed(o, iteration, UINT64_C(1) << 32 | line, &sum))
		return *sum;
	struct polynomial total = {0}, n = polynomial_of(o, count), one = polynomial_of(o, iteration);
	if (guard)
		polynomial_add_product(&total, &one, &n);
	else
		unknowns_add_sum(o->unknowns, &total, &one, unknowns_depth(o->unknowns), &n);
	uint32_t id = polynomial_id(o, &total);
	summed(o, iteration, UINT64_C(1) << 32 | line, &sum);
	return *sum = id;
}

/* ------------------------------------------------------------------ bodies */

/* How often an event happens when it is come to, or the body of a loop or guard. */
static void add_times(struct offsets *o, node_id statement, const struct ranks_run *who, struct polynomial *times)
{
	struct store *s = run_module(o->run)->store;
	const struct node *n = node_of(s, statement), *named = node_of(s, n->kid[COLUMN_WHO]);
	node_id one = number_constant(s, 1);
	if (n->kind == NODE_GUARD) {
		unknowns_add_test(o->unknowns, times, n->kid[1]);
	} else if (n->kind == NODE_LOOP) {
		unknowns_add_count(o->unknowns, times, number_add(s, n->kid[1], one, 1), who->first, who->last);
	} else if (named->kind == NODE_NAMED) {
		node_id own = number_add(s, number_variable(s, VARIABLE_P), named->kid[0], -1);
		unknowns_add_test(o->unknowns, times, node_make(s, NODE_TEST, NODE_TEST_EQUAL, 0, 0, 1, &own));
	} else if (n->number) {
		unknowns_add_inside(o->unknowns, times, n->kid[COLUMN_PEER]);
	} else {
		polynomial_add(times, 1, NULL, 0);
	}
}

/* A class executes a statement of a body. */
struct execution_of {
	uint32_t place, class; /* in the body; which of those that come to it */
	node_id statement;
};

static int by_place(const void *left, const void *right)
{
	const struct execution_of *a = left, *b = right;
	return a->place != b->place ? COMPARE(a->place, b->place) : COMPARE(a->class, b->class);
}

static void count_body(struct offsets *, node_id body, uint32_t line, const struct ranks_run *, const uint32_t *class,
	size_t classes, uint32_t *iteration);

/* For the classes that execute it, in a row; sum: by class of the body, what they have had of it.
   */
static void count_statement(struct offsets *o, const struct execution_of *e, size_t classes, uint32_t line,
	const struct ranks_run *who, const uint32_t *class, uint32_t *sum)
{
	const struct node *n = node_of(o->store, e->statement);
	bool event = n->kind == NODE_EVENT;
	const struct ranks *ranks = event || !n->kid[0] ? NULL : run_ranks(o->run, n->kid[0]);
	struct ranks_run own =
		ranks ? (struct ranks_run){ranks->run[0].first, ranks->run[ranks->length - 1].last} : *who;
	uint32_t *of = mem_array(2 * classes, sizeof *of), *inner = of + classes;
	struct polynomial count = {0};
	for (size_t i = 0; i < classes; i++) {
		of[i] = class[e[i].class];
		inner[i] = NO_ITERATION;
	}
	if (n->kind == NODE_LOOP)
		unknowns_enter(o->unknowns, n->kid[1]);
	if (!event)
		count_body(o, n->kid[2], line + 1, &own, of, classes, inner);
	if (n->kind == NODE_LOOP)
		unknowns_leave(o->unknowns);
	add_times(o, e->statement, &own, &count);
	uint32_t id = polynomial_id(o, &count);
	for (size_t i = 0; i < classes; i++) {
		uint32_t *before = &sum[e[i].class],
			 all = event ? id : times(o, line, inner[i], id, n->kind == NODE_GUARD);
		*MEM_PUSH(o->counted, o->length, o->capacity) =
			(struct counted){line, of[i], *before, inner[i], id, all};
		*before = add(o, *before, all);
	}
	free(of);
}

/* For the classes that come to it; who: between which processes these are. iteration: by class,
   what they have of it. Recursion as deep as statements nest. */
static void count_body(struct offsets *o, node_id body, uint32_t line, const struct ranks_run *who,
	const uint32_t *class, size_t classes, uint32_t *iteration)
{
	struct execution_of *all = NULL;
	size_t length = 0, capacity = 0, statements;
	for (uint32_t c = 0; c < classes; c++) {
		const struct projected *p = run_projection(o->run, body, class[c], &statements);
		iteration[c] = ZERO;
		for (size_t i = 0; i < statements; i++)
			*MEM_PUSH(all, length, capacity) = (struct execution_of){p[i].place, c, p[i].statement};
	}
	if (length)
		qsort(all, length, sizeof *all, by_place);
	for (size_t i = 0, past; i < length; i = past) {
		for (past = i; past < length && all[past].place == all[i].place;)
			past++;
		count_statement(o, all + i, past - i, line + all[i].place, who, class, iteration);
	}
	free(all);
}

/* ------------------------------------------------------------------ in public */

static int by_line(const void *left, const void *right)
{
	const struct counted *a = left, *b = right;
	return a->line != b->line ? COMPARE(a->line, b->line) : COMPARE(a->class, b->class);
}

static void find_runs(struct offsets *o, uint32_t processes)
{
	for (uint32_t p = 0; p < processes; p++) {
		uint32_t class = run_class(o->run, p);
		struct class_run *last = o->run_count ? &o->runs[o->run_count - 1] : NULL;
		if (last && last->class == class)
			last->last = p;
		else
			*MEM_PUSH(o->runs, o->run_count, o->run_capacity) = (struct class_run){p, p, class};
	}
}

struct offsets *offsets_new(struct run *run)
{
	struct offsets *o = mem_zero(sizeof *o);
	const struct module *m = run_module(run);
	struct polynomial zero = {0}, one = {0};
	uint32_t processes = run_environment(run).processes;
	o->run = run;
	o->store = m->store;
	o->unknowns = unknowns_new(run);
	o->polynomials = intern_new();
	o->sums = intern_new_keys(2 * sizeof(uint64_t));
	polynomial_add(&one, 1, NULL, 0);
	polynomial_id(o, &zero); /* ZERO */
	polynomial_id(o, &one); /* ONE */
	find_runs(o, processes);
	uint32_t classes = run_classes(run), *class = mem_array(2 * (size_t)classes + 1, sizeof *class);
	for (uint32_t c = 0; c < classes; c++)
		class[c] = c;
	count_body(o, m->body, 0, &(struct ranks_run){0, processes - 1}, class, classes, class + classes);
	free(class);
	if (o->length)
		qsort(o->counted, o->length, sizeof *o->counted, by_line);
	return o;
}

void offsets_free(struct offsets *o)
{
	if (!o)
		return;
	unknowns_free(o->unknowns);
	intern_free(o->polynomials);
	intern_free(o->sums);
	void *owned[] = {o->counted, o->runs, o->sum, o};
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
}

static const struct counted *counted_of(const struct offsets *o, size_t line, uint32_t class)
{
	size_t at;
	SEARCH_FIRST(at, 0, o->length,
		o->counted[at].line != line ? o->counted[at].line > line : o->counted[at].class >= class);
	return at < o->length && o->counted[at].line == line && o->counted[at].class == class ? &o->counted[at] : NULL;
}

const struct unknowns *offsets_unknowns(const struct offsets *o)
{
	return o->unknowns;
}

bool offsets_count(const struct offsets *o, size_t line, uint32_t class, struct polynomial *p)
{
	const struct counted *c = counted_of(o, line, class);
	if (c)
		*p = polynomial_of(o, c->count);
	return c;
}

void offsets_ranks(const struct offsets *o, size_t line, struct ranks *to)
{
	ranks_clear(to);
	for (size_t i = 0; i < o->run_count; i++)
		if (counted_of(o, line, o->runs[i].class))
			ranks_add_run(to, o->runs[i].first, o->runs[i].last);
}

/* ------------------------------------------------------------------ in the stream */

size_t offsets_way(const struct offsets *o, size_t line, struct located **way)
{
	node_id body = run_module(o->run)->body;
	size_t levels = 0, capacity = 0, at = 0;
	*way = NULL;
	for (bool found = false; !found; at++) {
		const node_id *kid = node_of(o->store, body)->kid;
		for (; line >= at + node_of(o->store, *kid)->lines; kid++)
			at += node_of(o->store, *kid)->lines;
		*MEM_PUSH(*way, levels, capacity) = (struct located){*kid, at};
		found = at == line;
		body = found ? NODE_NONE : node_kid(o->store, *kid, 2);
	}
	return levels;
}

/* Places of a statement whose way this is. */
struct placing {
	const struct offsets *o;
	struct located *way;
	size_t levels;
	enum position_end end;
	struct level {
		uint32_t before, iteration; /* iteration: of loops that have iterations before this one; else ZERO */
	} * level; /* of the class at hand */
	struct intern *known;
	struct position_places *places;
};

/* False: the class has no part in it. */
static bool find_levels(const struct placing *g, uint32_t class)
{
	for (size_t d = 0; d < g->levels; d++) {
		const struct counted *c = counted_of(g->o, g->way[d].line, class);
		if (!c)
			return false;
		g->level[d] = (struct level){c->before, c->iteration};
	}
	return true;
}

static void make_position(const struct placing *g, uint32_t class, struct polynomial *sum)
{
	const struct counted *last = counted_of(g->o, g->way[g->levels - 1].line, class);
	bool inside = g->end == POSITION_ITERATION || g->end == POSITION_ITERATION_END;
	uint16_t depth = 0;
	for (size_t d = 0; d < g->levels; d++) {
		struct polynomial before = polynomial_of(g->o, g->level[d].before), index = {0}, iteration;
		polynomial_add_all(sum, &before);
		if (!(d + 1 < g->levels || inside) || node_of(g->o->store, g->way[d].statement)->kind != NODE_LOOP)
			continue;
		iteration = polynomial_of(g->o, g->level[d].iteration);
		polynomial_add(&index, 1, &depth, 1);
		unknowns_add_sum(g->o->unknowns, sum, &iteration, depth++, &index);
		polynomial_clear(&index);
	}
	if (g->end == POSITION_END || g->end == POSITION_ITERATION_END) {
		struct polynomial rest = polynomial_of(g->o, last->iteration == NO_ITERATION ? ONE
							     : g->end == POSITION_END        ? last->all
											     : last->iteration);
		polynomial_add_all(sum, &rest);
	}
}

static void place_run(struct placing *g, uint32_t class, uint32_t first, uint32_t last)
{
	struct position_places *places = g->places;
	uint32_t id = intern_id(g->known, g->level, g->levels * sizeof *g->level);
	if (id == places->length) {
		struct position_place *new = MEM_PUSH(places->place, places->length, places->capacity);
		*new = (struct position_place){0};
		make_position(g, class, &new->position);
	}
	ranks_add_run(&places->place[id].ranks, first, last);
}

void offsets_places(const struct offsets *o, size_t line, enum position_end end, const struct ranks *who,
	struct position_places *places)
{
	struct placing g = {.o = o, .end = end, .known = intern_new(), .places = places};
	position_places_clear(places);
	g.levels = offsets_way(o, line, &g.way);
	g.level = mem_array(g.levels, sizeof *g.level);
	for (size_t i = 0; i < o->run_count; i++) {
		struct ranks_run run = {o->runs[i].first, o->runs[i].last};
		struct ranks all = {&run, 1, 0}, wanted = {0};
		if (!find_levels(&g, o->runs[i].class))
			continue;
		if (who)
			ranks_intersect(&wanted, who, &all);
		for (size_t k = 0; k < (who ? wanted.length : 1); k++) {
			const struct ranks_run *own = who ? &wanted.run[k] : &run;
			place_run(&g, o->runs[i].class, own->first, own->last);
		}
		ranks_clear(&wanted);
	}
	intern_free(g.known);
	free(g.level);
	free(g.way);
}

void position_places_clear(struct position_places *places)
{
	for (size_t i = 0; i < places->length; i++) {
		ranks_clear(&places->place[i].ranks);
		polynomial_clear(&places->place[i].position);
	}
	free(places->place);
	*places = (struct position_places){0};
}

/* ------------------------------------------------------------------ as remarks */

/* Runs with the same number behind each other are one. None where nothing is ever executed. */
static void remark(const struct offsets *o, size_t line, bool iteration, struct text *out)
{
	uint32_t classes = run_classes(o->run), *of = mem_array(classes + (size_t)1, sizeof *of);
	size_t at, printed = 0;
	memset(of, 0xff, classes * sizeof *of);
	SEARCH_FIRST(at, 0, o->length, o->counted[at].line >= line);
	for (; at < o->length && o->counted[at].line == line; at++)
		of[o->counted[at].class] = iteration ? o->counted[at].iteration : o->counted[at].before;
	for (size_t i = 0, past; i < o->run_count; i = past) {
		uint32_t value = of[o->runs[i].class];
		for (past = i + 1; past < o->run_count && of[o->runs[past].class] == value;)
			past++;
		if (value == NO_ITERATION)
			continue;
		struct polynomial p = polynomial_of(o, value);
		uint32_t first = o->runs[i].first, last = o->runs[past - 1].last;
		text_format(out, printed++ ? "," : iteration ? "// #{" : " // @{");
		text_format(out, last > first ? "%" PRIu32 "-%" PRIu32 "=" : "%" PRIu32 "=", first, last);
		unknowns_print(o->unknowns, &p, out);
	}
	text_put(out, printed ? "}" : "");
	free(of);
}

static void remark_before(const void *context, size_t line, struct text *out)
{
	remark(context, line, false, out);
}

static void remark_iteration(const void *context, size_t line, struct text *out)
{
	remark(context, line, true, out);
}

struct module_remarks offsets_remarks(const struct offsets *o)
{
	return (struct module_remarks){.context = o, .behind = remark_before, .below = remark_iteration};
}
