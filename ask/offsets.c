/*
 * offsets.c -- bodies from the inside out: each class counts its events over the statements that it
 * executes; what it has before a statement is its offset there, what it has at the end is the length
 * of an iteration, which the bodies further out sum over.
 *
 * Polynomials are interned, and so are their sums: most additions are one look-up.
 */
#include "ask/offsets.h"

#include <inttypes.h>
#include <stdio.h>
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
	uint32_t before, iteration; /* polynomials; of a loop or guard: of its body */
};

struct class_run {
	uint32_t first, last, class;
};

struct offsets {
	struct run *run;
	const struct store *store;
	uint32_t processes, loops;
	struct unknowns *unknowns;
	struct counted *counted; /* in the end by line, then class */
	size_t length, capacity;
	struct class_run *runs; /* of ranks */
	size_t run_count, run_capacity;
	uint32_t *class_last; /* by class: its highest rank */
	struct intern *polynomials, *sums; /* their bytes; what was added up */
	uint32_t *sum; /* of each in `sums`: the polynomial */
	size_t sum_capacity;
	size_t depth; /* loops around the body at hand */
	struct intern *insides; /* by events `where inside`: their flags, a number */
	node_id *inside;
	size_t inside_count, inside_capacity;
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

/* Of one iteration there are so many; of all of them. line: of the loop, or guard, whose index this is
   (guards have none), with this count. */
static uint32_t times(struct offsets *o, uint32_t line, uint32_t iteration, uint32_t count, bool guard)
{
	uint32_t *sum;
	if (summed(o, iteration, (uint64_t)1 << 32 | line, &sum))
		return *sum;
	struct polynomial total = {0}, n = polynomial_of(o, count), one = polynomial_of(o, iteration);
	if (guard)
		polynomial_add_product(&total, &one, &n);
	else
		unknowns_add_sum(o->unknowns, &total, &one, (uint16_t)o->depth, &n);
	uint32_t id = polynomial_id(o, &total);
	summed(o, iteration, (uint64_t)1 << 32 | line, &sum);
	return *sum = id;
}

/* ------------------------------------------------------------------ events that may not happen */

static node_id put_in(struct store *s, node_id id, node_id what, node_id with)
{
	const struct node *n = node_of(s, id);
	node_id kid[NUMBER_TERMS];
	if (id == what || n->kids > NUMBER_TERMS)
		return id == what ? with : id;
	for (uint32_t k = 0; k < n->kids; k++)
		kid[k] = put_in(s, n->kid[k], what, with);
	return n->kids ? node_with(s, id, kid) : id;
}

/* The first look-up in a place: its table and argument tell what the place depends on. */
static node_id look_up_in(const struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	node_id found = n->kind == NODE_ENTRY ? id : NODE_NONE;
	for (uint32_t k = 0; k < n->kids && !found; k++)
		found = look_up_in(s, n->kid[k]);
	return found;
}

/* Where the peer, by a table of offsets, is inside of the open grid: a table of flags. */
static node_id table_of_insides(struct offsets *o, node_id peer, node_id argument, uint64_t entries)
{
	struct store *s = run_module(o->run)->store;
	struct environment at = run_environment(o->run);
	int64_t index = 0;
	node_id place = put_in(s, peer, argument, number_variable(s, VARIABLE_INDEX));
	char name[32] = "inside";
	if (o->inside_count)
		snprintf(name, sizeof name, "inside%zu", o->inside_count + 1);
	struct table *flags = table_new(name, 2);
	for (uint32_t p = 0; p < o->processes; p++) {
		environment_set(&at, p);
		at.index = &index;
		at.depth = 1;
		for (index = 0; index < (int64_t)entries; index++)
			table_add(flags, place_is_in(&at, place));
		table_end(flags, 1);
	}
	table_finish(flags);
	uint32_t word = store_word(s, name, strlen(name)), table = store_table(s, flags);
	return node_make(s, NODE_TABLE, 0, word, table, 0, NULL);
}

/* How often it happens: 1, where it is the process that is named, or its peer is inside. */
static uint32_t times_of_event(struct offsets *o, node_id event)
{
	struct store *s = run_module(o->run)->store;
	const struct node *n = node_of(s, event), *who = node_of(s, n->kid[COLUMN_WHO]);
	struct polynomial count = {0};
	if (who->kind == NODE_NAMED) {
		node_id own = number_add(s, number_variable(s, VARIABLE_P), who->kid[0], -1),
			test = node_make(s, NODE_TEST, NODE_TEST_EQUAL, 0, 0, 1, &own);
		unknowns_add_test(o->unknowns, &count, test);
		return polynomial_id(o, &count);
	}
	if (!n->number)
		return ONE;
	node_id peer = n->kid[COLUMN_PEER], entry = look_up_in(s, peer);
	const struct node *e = node_of(s, entry);
	if (!entry || e->kids != 2 || node_of(s, e->kid[0])->kids) {
		polynomial_lose(&count);
		return polynomial_id(o, &count);
	}
	uint32_t known = intern_count(o->insides), id = intern_id(o->insides, &peer, sizeof peer);
	if (id == known) {
		uint64_t entries = table_entries(store_get_table(s, (uint32_t)node_of(s, e->kid[0])->number));
		node_id argument[] = {number_variable(s, VARIABLE_P), e->kid[1]};
		node_id table = table_of_insides(o, peer, e->kid[1], entries);
		o->inside = mem_grow(o->inside, &o->inside_capacity, (size_t)id + 1, sizeof *o->inside);
		o->inside[id] = number_entry(s, table, argument, 2);
		o->inside_count++;
	}
	unknowns_add_count(o->unknowns, &count, o->inside[id], 0, o->processes - 1);
	return polynomial_id(o, &count);
}

/* ------------------------------------------------------------------ bodies */

struct execution_of {
	uint32_t place; /* of the statement in the body */
	uint32_t class; /* which of the body's */
	node_id statement;
};

static int by_place(const void *left, const void *right)
{
	const struct execution_of *a = left, *b = right;
	return a->place != b->place ? COMPARE(a->place, b->place) : COMPARE(a->class, b->class);
}

/* A body, for the classes that come to it; iteration: by class, what they have of it. */
static void count_body(
	struct offsets *o, node_id body, uint32_t line, const uint32_t *class, size_t classes, uint32_t *iteration);

/* A loop or a guard: what each class has of an iteration becomes what it has of all of them. */
static void count_block(struct offsets *o, node_id statement, uint32_t line, const uint32_t *class, size_t classes,
	uint32_t *iteration, uint32_t *all)
{
	struct store *s = run_module(o->run)->store;
	const struct node *n = node_of(s, statement);
	bool guard = n->kind == NODE_GUARD;
	uint32_t first = UINT32_MAX, last = 0;
	for (size_t i = 0; i < classes; i++) {
		uint32_t low = run_class_first(o->run, class[i]), high = o->class_last[class[i]];
		first = low < first ? low : first;
		last = high > last ? high : last;
	}
	if (!guard) {
		unknowns_enter(o->unknowns, n->kid[1]);
		o->depth++;
	}
	count_body(o, n->kid[2], line + 1, class, classes, iteration);
	if (!guard) {
		unknowns_leave(o->unknowns);
		o->depth--;
	}
	struct polynomial count = {0};
	if (guard)
		unknowns_add_test(o->unknowns, &count, n->kid[1]);
	else
		unknowns_add_count(
			o->unknowns, &count, number_add(s, n->kid[1], number_constant(s, 1), 1), first, last);
	uint32_t id = polynomial_id(o, &count);
	for (size_t i = 0; i < classes; i++)
		all[i] = times(o, line, iteration[i], id, guard);
}

/* Is it a loop without iterations, whatever the indices? */
static bool is_never(const struct offsets *o, node_id statement)
{
	const struct node *n = node_of(o->store, statement);
	int64_t last;
	return n->kind == NODE_LOOP && number_is_constant(o->store, n->kid[1], &last) && last < 0;
}

/* A statement, for the classes that execute it, all of which stand in a row. */
static void count_statement(struct offsets *o, node_id statement, uint32_t line, const struct execution_of *who,
	size_t classes, const uint32_t *class, uint32_t *iteration)
{
	uint32_t *room = mem_array(3 * classes + 1, sizeof *room), *of = room, *inner = room + classes,
		 *all = inner + classes;
	bool event = node_of(o->store, statement)->kind == NODE_EVENT;
	for (size_t i = 0; i < classes; i++) {
		of[i] = class[who[i].class];
		inner[i] = NO_ITERATION;
	}
	if (!event)
		count_block(o, statement, line, of, classes, inner, all);
	else if (classes)
		all[0] = times_of_event(o, statement);
	for (size_t i = 0; i < classes; i++) {
		uint32_t *before = &iteration[who[i].class];
		struct counted counted = {line, of[i], *before, inner[i]};
		if (is_never(o, statement))
			counted.before = NO_ITERATION;
		else
			*before = add(o, *before, all[event ? 0 : i]);
		*MEM_PUSH(o->counted, o->length, o->capacity) = counted;
	}
	free(room);
}

static void count_body(
	struct offsets *o, node_id body, uint32_t line, const uint32_t *class, size_t classes, uint32_t *iteration)
{
	struct execution_of *all = NULL;
	size_t length = 0, capacity = 0;
	for (uint32_t c = 0; c < classes; c++) {
		size_t statements;
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
		count_statement(o, all[i].statement, line + all[i].place, all + i, past - i, class, iteration);
	}
	free(all);
}

/* ------------------------------------------------------------------ in public */

static int by_line(const void *left, const void *right)
{
	const struct counted *a = left, *b = right;
	return a->line != b->line ? COMPARE(a->line, b->line) : COMPARE(a->class, b->class);
}

static void find_runs(struct offsets *o)
{
	o->class_last = mem_zero((run_classes(o->run) + (size_t)1) * sizeof *o->class_last);
	for (uint32_t p = 0; p < o->processes; p++) {
		uint32_t class = run_class(o->run, p);
		struct class_run *last = o->run_count ? &o->runs[o->run_count - 1] : NULL;
		o->class_last[class] = p;
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
	o->run = run;
	o->store = m->store;
	o->processes = run_environment(run).processes;
	o->loops = node_of(m->store, m->body)->depth;
	o->unknowns = unknowns_new(run, o->loops);
	o->polynomials = intern_new();
	o->sums = intern_new_keys(2 * sizeof(uint64_t));
	o->insides = intern_new_keys(sizeof(node_id));
	polynomial_add(&one, 1, NULL, 0);
	polynomial_id(o, &zero); /* ZERO */
	polynomial_id(o, &one); /* ONE */
	find_runs(o);
	uint32_t classes = run_classes(run), *class = mem_array(2 * (size_t)classes + 1, sizeof *class);
	for (uint32_t c = 0; c < classes; c++)
		class[c] = c;
	count_body(o, m->body, 0, class, classes, class + classes);
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
	intern_free(o->insides);
	void *owned[] = {o->counted, o->runs, o->class_last, o->sum, o->inside, o};
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

static bool polynomial_there(const struct offsets *o, uint32_t id, struct polynomial *p)
{
	if (id != NO_ITERATION)
		*p = polynomial_of(o, id);
	return id != NO_ITERATION;
}

bool offsets_before(const struct offsets *o, size_t line, uint32_t class, struct polynomial *p)
{
	const struct counted *c = counted_of(o, line, class);
	return c && polynomial_there(o, c->before, p);
}

bool offsets_of_iteration(const struct offsets *o, size_t line, uint32_t class, struct polynomial *p)
{
	const struct counted *c = counted_of(o, line, class);
	return c && polynomial_there(o, c->iteration, p);
}

bool offsets_value(struct offsets *o, const struct polynomial *p, uint32_t rank, const int64_t *index, int64_t *value)
{
	return unknowns_value(o->unknowns, p, rank, index, value);
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
