/*
 * positions.c -- bodies from the inside out. In each, the processes fall into roles; each role
 * counts its events over the statements that it executes: what it has before a statement is its
 * start, what it has at the end is the length of an iteration, which the bodies further out sum
 * over.
 *
 * Roles are found by marks: each statement adds a random number to every process that executes it
 * (of a loop: a number that depends on how many events it is, too), so that equal sums are equal
 * roles. Sums change only where some run of ranks begins or ends: the stretches between are the
 * segments of the body.
 *
 * Polynomials are interned, and so are their sums: most additions are one look-up.
 */
#include "ask/positions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/terms.h"
#include "base/binary_search.h"
#include "base/compare.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/affine.h"
#include "model/iteration.h"

/* Ids of polynomials. */
#define ZERO 0
#define ONE 1

struct segment {
	uint32_t first, last;
	size_t role;
};

struct role {
	size_t first, length; /* in p->statement and p->start */
	uint32_t iteration, all; /* events of one iteration; of all those of one occurrence of the loop */
};

struct placed_body {
	size_t first, segments;
	size_t first_role;
	size_t depth; /* loops around: with this one */
	uint64_t guards; /* those of them that are guards: a bit each */
	uint32_t count; /* of a loop: the polynomial of its iterations */
};

struct positions {
	const struct program *program;
	struct placed_body *body; /* of each statement that is a loop, and at the end of the program */
	size_t *around; /* the loop around each statement, or POSITIONS_PROGRAM */
	struct segment *segment;
	size_t segments, segment_capacity;
	struct role *role;
	size_t roles, role_capacity;
	size_t *statement; /* that a role executes */
	uint32_t *start; /* the polynomial: events before it in the iteration */
	size_t starts, statement_capacity, start_capacity;
	struct intern *polynomials, *sums; /* their bytes; what was added up */
	uint32_t *sum; /* of each in `sums`: the polynomial */
	size_t sum_capacity;
	struct terms *terms;
};

static size_t body_of(const struct positions *p, size_t loop)
{
	return loop == POSITIONS_PROGRAM ? p->program->length : loop;
}

/* ------------------------------------------------------------------ polynomials by number */

/* The bytes of a polynomial, with its terms behind. */
struct stored {
	int64_t divisor, unknown;
};

/* Borrowed: not to be changed. */
static struct polynomial polynomial_of(const struct positions *p, uint32_t id)
{
	size_t size;
	const struct stored *s = intern_data(p->polynomials, id, &size);
	return (struct polynomial){.term = (void *)(s + 1),
		.terms = (size - sizeof *s) / sizeof(struct polynomial_term),
		.divisor = s->divisor,
		.unknown = s->unknown};
}

/* Takes it. */
static uint32_t polynomial_id(struct positions *p, struct polynomial *polynomial)
{
	size_t size = polynomial->terms * sizeof *polynomial->term;
	struct stored *s = mem_alloc(sizeof *s + size);
	*s = (struct stored){polynomial->divisor, polynomial->unknown};
	if (size)
		memcpy(s + 1, polynomial->term, size);
	uint32_t id = intern_id(p->polynomials, s, sizeof *s + size);
	free(s);
	polynomial_clear(polynomial);
	return id;
}

struct summands {
	uint64_t a, b;
};

/* Has this been computed? *sum is where the result is, or is to be. */
static bool summed(struct positions *p, struct summands key, uint32_t **sum)
{
	uint32_t known = intern_count(p->sums), id = intern_id(p->sums, &key, sizeof key);
	p->sum = mem_grow(p->sum, &p->sum_capacity, (size_t)id + 1, sizeof *p->sum);
	*sum = &p->sum[id];
	return id < known;
}

static uint32_t add(struct positions *p, uint32_t a, uint32_t b)
{
	uint32_t *sum;
	if (a == ZERO || b == ZERO)
		return a + b;
	if (summed(p, (struct summands){a, b}, &sum))
		return *sum;
	struct polynomial total = {0}, x = polynomial_of(p, a), y = polynomial_of(p, b);
	polynomial_copy(&total, &x);
	polynomial_add_all(&total, &y);
	return *sum = polynomial_id(p, &total);
}

/* ------------------------------------------------------------------ counts of loops */

/* Deeper ones are not told from loops. */
static uint64_t guard_bit(size_t depth)
{
	return depth < 64 ? UINT64_C(1) << depth : 0;
}

/* The loops around the body at hand, outermost first: their counts as vectors (model/affine.h). */
struct around {
	const int64_t *count[NEST_DEPTH_LIMIT + 1];
	size_t depth;
};

static int64_t *count_vector(const struct program *f, const struct statement *s, size_t depth)
{
	struct value bound = program_bound(f, s);
	int64_t *value = mem_zero((1 + depth) * sizeof *value);
	if (!value_is_quasi_affine(&bound) || bound.test || bound.remainder[0].modulus) {
		struct value same = bound; /* but for what varies beside its parts: as many as there can be */
		same.plain = (struct affine){.constant = bound.plain.constant};
		int64_t most = value_most(&bound);
		bool known = bound.test || (!memcmp(&same, &bound, sizeof same) && most < INT64_MAX / 4);
		value[0] = known ? most : INT64_MAX / 4;
		return value;
	}
	value[0] = bound.plain.constant;
	value[0] += bound.plain.p > 0 ? bound.plain.p * (f->processes - (int64_t)1) : 0;
	for (uint32_t i = 0; i < f->grid.axes; i++)
		value[0] += bound.plain.axis[i] > 0 ? bound.plain.axis[i] * (f->grid.size[i] - (int64_t)1) : 0;
	for (size_t d = 0; d < depth && d < INDEX_DEPTH; d++)
		value[1 + d] = bound.plain.index[d];
	return value;
}

/* Does it have no iterations, whatever the indices? */
static bool is_never(const struct statement *s)
{
	return s->bound == BOUND_NONE && !s->count;
}

/* Is it never below 0, for those who execute the loop? */
static bool never_negative(const struct positions *p, size_t loop, const struct value *count, const int64_t *vector,
	const struct around *around)
{
	const struct placed_body *b = &p->body[loop];
	const struct grid *g = &p->program->grid;
	if (count->test || !b->segments || value_falls(count))
		return count->test;
	int64_t *least = mem_copy(vector, (1 + around->depth) * sizeof *least);
	least[0] = count->plain.constant;
	for (size_t d = 0; d < around->depth; d++)
		least[1 + d] = d < INDEX_DEPTH ? count->plain.index[d] : 0;
	int64_t first = p->segment[b->first].first, last = p->segment[b->first + b->segments - 1].last;
	least[0] += count->plain.p * (count->plain.p < 0 ? last : first);
	for (uint32_t i = 0; i < g->axes; i++)
		least[0] += count->plain.axis[i] < 0 ? count->plain.axis[i] * (g->size[i] - 1) : 0;
	struct value rest = *count;
	rest.plain = (struct affine){0};
	value_oppose(&rest);
	least[0] -= value_most(&rest);
	bool good = affine_never_negative(least, around->count, around->depth);
	free(least);
	return good;
}

/* around: the loops around this one. */
static uint32_t count_polynomial(struct positions *p, size_t loop, const int64_t *vector, const struct around *around)
{
	const struct statement *s = &p->program->statement[loop];
	struct value bound = program_bound(p->program, s);
	struct polynomial count = {0};
	if (s->bound == BOUND_NONE)
		polynomial_add(&count, vector[0], NULL, 0);
	else
		terms_add_count(p->terms, &count, &bound, never_negative(p, loop, &bound, vector, around),
			p->body[loop].guards & ~guard_bit(around->depth));
	return polynomial_id(p, &count);
}

/* The events of all iterations of a loop, of one of which there are so many. */
static uint32_t sum_over(struct positions *p, size_t loop, uint32_t iteration, size_t depth)
{
	uint32_t *sum;
	if (summed(p, (struct summands){iteration, (uint64_t)1 << 32 | loop}, &sum))
		return *sum;
	struct polynomial total = {0}, n = polynomial_of(p, p->body[loop].count), one = polynomial_of(p, iteration);
	terms_add_sum(p->terms, &total, &one, (uint16_t)depth, &n, p->body[loop].guards);
	uint32_t id = polynomial_id(p, &total);
	return *sum = id;
}

/* ------------------------------------------------------------------ the processes of a body */

/* From this rank on, sums are larger by so much. */
struct mark {
	uint32_t rank;
	uint64_t by;
};

struct marks {
	struct mark *mark;
	size_t length, capacity;
};

/* The runs of a statement, one after the other: of a loop, those of its body's segments. */
struct runs {
	const struct ranks_run *run;
	const struct segment *segment;
	size_t length;
	struct ranks_run single;
};

static void runs_of(const struct positions *p, size_t at, struct runs *r)
{
	const struct statement *s = &p->program->statement[at];
	*r = (struct runs){0};
	if (statement_is_loop(s)) {
		r->length = is_never(s) ? 0 : p->body[at].segments;
		if (r->length)
			r->segment = p->segment + p->body[at].first;
	} else {
		struct ranks who = program_processes(p->program, s, &r->single);
		r->run = who.run;
		r->length = who.length;
	}
}

static struct ranks_run run_at(const struct runs *r, size_t i)
{
	return r->segment ? (struct ranks_run){r->segment[i].first, r->segment[i].last} : r->run[i];
}

/* The events of the statement on the processes of this run. */
static uint32_t events_at(const struct positions *p, const struct runs *r, size_t i)
{
	return r->segment ? p->role[r->segment[i].role].all : ONE;
}

static void add_mark(struct marks *m, struct ranks_run run, uint64_t by)
{
	m->mark = mem_grow(m->mark, &m->capacity, m->length + 2, sizeof *m->mark);
	m->mark[m->length++] = (struct mark){run.first, by};
	m->mark[m->length++] = (struct mark){run.last + 1, 0 - by};
}

static int by_rank(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;
	return COMPARE(a->rank, b->rank);
}

struct numbered {
	uint64_t sum;
	size_t number;
};

static int by_sum(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;
	return a->sum != b->sum ? COMPARE(a->sum, b->sum) : COMPARE(a->number, b->number);
}

static void add_segment(struct positions *p, struct placed_body *b, uint32_t first, uint32_t last)
{
	*MEM_PUSH(p->segment, p->segments, p->segment_capacity) = (struct segment){first, last, 0};
	b->segments++;
}

/* Segments with equal sums are of one role; roles in the order of their lowest ranks. */
static void number_roles(struct positions *p, const struct placed_body *b, struct numbered *sum)
{
	if (!b->segments)
		return;
	struct segment *segment = p->segment + b->first;
	qsort(sum, b->segments, sizeof *sum, by_sum);
	for (size_t i = 0; i < b->segments; i++) /* for now: the first segment of the role */
		segment[sum[i].number].role =
			i && sum[i].sum == sum[i - 1].sum ? segment[sum[i - 1].number].role : sum[i].number;
	for (size_t i = 0; i < b->segments; i++) {
		if (segment[i].role < i) {
			segment[i].role = segment[segment[i].role].role;
			continue;
		}
		p->role = mem_grow(p->role, &p->role_capacity, p->roles + 1, sizeof *p->role);
		p->role[p->roles] = (struct role){.iteration = ZERO};
		segment[i].role = p->roles++;
	}
}

static void find_roles(struct positions *p, struct placed_body *b, struct marks *m)
{
	struct numbered *sum = mem_array(m->length + 1, sizeof *sum);
	uint64_t here = 0;
	if (m->length)
		qsort(m->mark, m->length, sizeof *m->mark, by_rank);
	for (size_t i = 0; i < m->length;) {
		uint32_t rank = m->mark[i].rank;
		for (; i < m->length && m->mark[i].rank == rank; i++)
			here += m->mark[i].by;
		if (!here)
			continue;
		struct segment *before = b->segments ? &p->segment[p->segments - 1] : NULL;
		if (before && before->last + 1 == rank && sum[b->segments - 1].sum == here) {
			before->last = m->mark[i].rank - 1;
			continue;
		}
		sum[b->segments] = (struct numbered){here, b->segments};
		add_segment(p, b, rank, m->mark[i].rank - 1);
	}
	number_roles(p, b, sum);
	free(sum);
}

/* What is looked for in an ascending table. */
/* The segment that a rank is in, or the first one behind it. */
static size_t segment_from(const struct positions *p, const struct placed_body *b, uint32_t rank)
{
	size_t at;
	SEARCH_FIRST(at, b->first, b->first + b->segments, p->segment[at].last >= rank);
	return at;
}

/* ------------------------------------------------------------------ bodies */

/* A role executes a statement. */
struct counted_execution {
	size_t role, statement;
	uint32_t start;
};

struct executions {
	struct counted_execution *item;
	size_t length, capacity;
};

static void execute(struct positions *p, const struct placed_body *b, size_t at, struct executions *all, size_t *latest)
{
	struct runs runs;
	runs_of(p, at, &runs);
	for (size_t i = 0; i < runs.length; i++) {
		struct ranks_run run = run_at(&runs, i);
		for (size_t k = segment_from(p, b, run.first);
			k < b->first + b->segments && p->segment[k].first <= run.last; k++) {
			size_t number = p->segment[k].role;
			struct role *role = &p->role[number];
			if (role->length && latest[number - b->first_role] == at)
				continue;
			latest[number - b->first_role] = at;
			*MEM_PUSH(all->item, all->length, all->capacity) =
				(struct counted_execution){number, at, role->iteration};
			role->length++;
			role->iteration = add(p, role->iteration, events_at(p, &runs, i));
		}
	}
}

/* By role, in the order of the text. */
static void store(struct positions *p, const struct placed_body *b, const struct executions *all)
{
	p->statement = mem_grow(p->statement, &p->statement_capacity, p->starts + all->length, sizeof *p->statement);
	p->start = mem_grow(p->start, &p->start_capacity, p->starts + all->length, sizeof *p->start);
	for (size_t r = b->first_role; r < p->roles; r++) {
		p->role[r].first = p->starts;
		p->starts += p->role[r].length;
		p->role[r].length = 0;
	}
	for (size_t i = 0; i < all->length; i++) {
		struct role *role = &p->role[all->item[i].role];
		p->statement[role->first + role->length] = all->item[i].statement;
		p->start[role->first + role->length++] = all->item[i].start;
	}
}

static void place_loop(struct positions *p, size_t at, struct around *around);

/* loop: whose body it is. */
static void place_body(struct positions *p, size_t loop, size_t from, size_t to, struct around *around)
{
	const struct statement *s = p->program->statement;
	struct marks marks = {0};
	struct executions all = {0};
	for (size_t i = from; i < to; i += statement_size(&s[i])) {
		struct runs runs;
		p->around[i] = loop;
		if (statement_is_loop(&s[i]))
			place_loop(p, i, around);
		runs_of(p, i, &runs);
		for (size_t k = 0; k < runs.length; k++)
			add_mark(&marks, run_at(&runs, k), hash_pair(hash_mix(i + 1), events_at(p, &runs, k)));
	}
	struct placed_body *b = &p->body[body_of(p, loop)];
	b->first = p->segments;
	b->first_role = p->roles;
	find_roles(p, b, &marks);
	size_t *latest = mem_array(p->roles - b->first_role + 1, sizeof *latest); /* statement of each role */
	for (size_t i = from; i < to; i += statement_size(&s[i]))
		execute(p, b, i, &all, latest);
	store(p, b, &all);
	free(latest);
	free(all.item);
	free(marks.mark);
}

static void place_loop(struct positions *p, size_t at, struct around *around)
{
	const struct statement *s = &p->program->statement[at];
	struct placed_body *b = &p->body[at];
	int64_t *count = count_vector(p->program, s, around->depth);
	b->guards = p->body[body_of(p, p->around[at])].guards;
	b->guards |= statement_guard(s) ? guard_bit(around->depth) : 0;
	around->count[around->depth++] = count;
	b->depth = around->depth;
	place_body(p, at, at + 1, at + s->size, around);
	around->depth--;
	b->count = count_polynomial(p, at, count, around);
	for (size_t r = b->first_role; r < p->roles; r++) /* inner bodies were done before */
		p->role[r].all = sum_over(p, at, p->role[r].iteration, around->depth);
	free(count);
}

struct positions *positions_new(const struct program *f)
{
	struct positions *p = mem_zero(sizeof *p);
	struct polynomial zero = {0}, one = {0};
	struct around *around = mem_zero(sizeof *around);
	p->program = f;
	p->body = mem_zero((f->length + 1) * sizeof *p->body);
	p->around = mem_array(f->length + 1, sizeof *p->around);
	p->terms = terms_new(f);
	p->polynomials = intern_new();
	p->sums = intern_new();
	polynomial_add(&one, 1, NULL, 0);
	polynomial_id(p, &zero); /* ZERO */
	polynomial_id(p, &one); /* ONE */
	place_body(p, POSITIONS_PROGRAM, 0, f->length, around);
	free(around);
	return p;
}

void positions_free(struct positions *p)
{
	if (!p)
		return;
	free(p->body);
	free(p->around);
	free(p->segment);
	free(p->role);
	free(p->statement);
	free(p->start);
	free(p->sum);
	terms_free(p->terms);
	intern_free(p->polynomials);
	intern_free(p->sums);
	free(p);
}

/* ------------------------------------------------------------------ asking */

static const struct segment *segment_of(const struct positions *p, size_t loop, uint32_t rank)
{
	const struct placed_body *b = &p->body[body_of(p, loop)];
	size_t at = segment_from(p, b, rank);
	return at < b->first + b->segments && p->segment[at].first <= rank ? &p->segment[at] : NULL;
}

/* Which of a role's statements it is; false: none. */
static bool execution_of(const struct positions *p, const struct role *role, size_t statement, size_t *number)
{
	size_t behind = role->first + role->length;
	SEARCH_FIRST(*number, role->first, behind, p->statement[*number] >= statement);
	return *number < behind && p->statement[*number] == statement;
}

static size_t depth_of_body(const struct positions *p, size_t loop)
{
	return p->body[body_of(p, loop)].depth;
}

size_t positions_around(const struct positions *p, size_t statement)
{
	return p->around[statement];
}

void positions_count(const struct positions *p, size_t loop, struct polynomial *count)
{
	struct polynomial known = polynomial_of(p, p->body[loop].count);
	polynomial_copy(count, &known);
}

void positions_ranks(const struct positions *p, size_t statement, struct ranks *to)
{
	struct runs runs;
	ranks_clear(to);
	runs_of(p, statement, &runs);
	for (size_t i = 0; i < runs.length; i++) {
		struct ranks_run run = run_at(&runs, i);
		ranks_add_run(to, run.first, run.last);
	}
}

void positions_all(const struct positions *p, struct ranks *to)
{
	const struct placed_body *b = &p->body[p->program->length];
	ranks_clear(to);
	for (size_t i = b->first; i < b->first + b->segments; i++)
		ranks_add_run(to, p->segment[i].first, p->segment[i].last);
}

/* ------------------------------------------------------------------ as remarks */

/* Runs with the same number behind each other are one. */
struct printing {
	const struct positions *p;
	struct text *out;
	uint64_t guards; /* around what is printed */
	bool any;
	uint32_t first, last, value;
};

static void print_pending(struct printing *printing)
{
	if (!printing->any)
		return;
	struct polynomial value = polynomial_of(printing->p, printing->value);
	text_format(printing->out, "%" PRIu32, printing->first);
	if (printing->last > printing->first)
		text_format(printing->out, "-%" PRIu32, printing->last);
	text_char(printing->out, '=');
	terms_print(printing->p->terms, &value, printing->guards, printing->out);
}

static void print_run(struct printing *printing, uint32_t first, uint32_t last, uint32_t value)
{
	if (printing->any && printing->last + 1 == first && printing->value == value) {
		printing->last = last;
		return;
	}
	print_pending(printing);
	if (printing->any)
		text_char(printing->out, ',');
	*printing = (struct printing){printing->p, printing->out, printing->guards, true, first, last, value};
}

static void print_starts(struct printing *printing, size_t statement)
{
	const struct positions *p = printing->p;
	const struct placed_body *b = &p->body[body_of(p, p->around[statement])];
	struct runs runs;
	runs_of(p, statement, &runs);
	for (size_t i = 0; i < runs.length; i++) {
		struct ranks_run run = run_at(&runs, i);
		for (size_t k = segment_from(p, b, run.first);
			k < b->first + b->segments && p->segment[k].first <= run.last; k++) {
			const struct segment *s = &p->segment[k];
			size_t number;
			if (execution_of(p, &p->role[s->role], statement, &number))
				print_run(printing, s->first > run.first ? s->first : run.first,
					s->last < run.last ? s->last : run.last, p->start[number]);
		}
	}
}

/* "0-3=671,4=2*i0": the events of each process that has a part in the statement, from the start of
   the iteration around it; for a loop with `iteration`, the events of one iteration. "?": not known. */
static void positions_print(const struct positions *p, size_t statement, bool iteration, struct text *out)
{
	const struct placed_body *b = &p->body[iteration ? statement : body_of(p, p->around[statement])];
	struct printing printing = {.p = p, .out = out, .guards = b->guards};
	if (!iteration)
		print_starts(&printing, statement);
	for (size_t k = b->first; iteration && k < b->first + b->segments; k++)
		print_run(&printing, p->segment[k].first, p->segment[k].last, p->role[p->segment[k].role].iteration);
	print_pending(&printing);
}

/* None where nothing is ever executed. */
static void remark(const struct positions *p, size_t statement, bool iteration, struct text *out)
{
	size_t before = out->length;
	text_put(out, iteration ? "#{" : "@{");
	size_t start = out->length;
	positions_print(p, statement, iteration, out);
	if (out->length == start)
		text_truncate(out, before);
	else
		text_char(out, '}');
}

static void remark_start(const void *context, size_t statement, struct text *out)
{
	remark(context, statement, false, out);
}

static void remark_iteration(const void *context, size_t loop, struct text *out)
{
	remark(context, loop, true, out);
}

struct program_remarks positions_remarks(const struct positions *p)
{
	return (struct program_remarks){.context = p, .behind = remark_start, .below = remark_iteration};
}

/* ------------------------------------------------------------------ in the stream */

/* The bodies that a statement is in, from the program's on, and what is looked for in each. */
struct way {
	size_t loop, statement;
};

/* What a process has before the statement: at each level its start there, and the iterations of the
   loop around. */
struct level {
	uint32_t start, iteration; /* iteration: of the statement of this level, if it is a loop; else ONE */
};

struct placing {
	const struct positions *p;
	struct way *way;
	size_t levels;
	struct level *level; /* of the processes at hand */
	enum position_end end;
	struct intern *known;
	struct position_places *places;
};

static size_t find_way(const struct positions *p, size_t statement, struct way **way)
{
	size_t levels = 0;
	for (size_t at = statement; at != POSITIONS_PROGRAM; at = p->around[at])
		levels++;
	*way = mem_array(levels, sizeof **way);
	for (size_t at = statement, level = levels; level--; at = p->around[at])
		(*way)[level] = (struct way){p->around[at], at};
	return levels;
}

/* The levels of the processes from `rank` to *last, at most, that are alike. False: they have no
   part. */
static bool find_levels(const struct placing *g, uint32_t rank, uint32_t *last)
{
	const struct positions *p = g->p;
	for (size_t d = 0; d < g->levels; d++) {
		const struct segment *s = segment_of(p, g->way[d].loop, rank);
		size_t number, at = g->way[d].statement;
		if (s && s->last < *last)
			*last = s->last;
		if (!s || !execution_of(p, &p->role[s->role], at, &number)) {
			*last = s ? *last : rank;
			return false;
		}
		g->level[d] = (struct level){p->start[number], ONE};
		if (!statement_is_loop(&p->program->statement[at]))
			continue;
		const struct segment *inside = segment_of(p, at, rank);
		g->level[d].iteration = p->role[inside->role].iteration;
		*last = inside->last < *last ? inside->last : *last;
	}
	return true;
}

/* Add the iterations before this one of the loop at a level. */
static void add_iterations(const struct placing *g, size_t level, struct polynomial *sum)
{
	struct polynomial index = {0}, one = polynomial_of(g->p, g->level[level].iteration);
	const struct placed_body *b = &g->p->body[g->way[level].statement];
	if (b->guards & guard_bit(level)) /* there is no iteration before */
		return;
	polynomial_add(&index, 1, &(uint16_t){(uint16_t)level}, 1);
	terms_add_sum(g->p->terms, sum, &one, (uint16_t)level, &index, b->guards);
	polynomial_clear(&index);
}

static uint32_t all_events(const struct positions *p, size_t statement, uint32_t rank)
{
	return statement_is_loop(&p->program->statement[statement]) ? p->role[segment_of(p, statement, rank)->role].all
								    : ONE;
}

static void make_position(const struct placing *g, uint32_t rank, struct polynomial *sum)
{
	size_t last = g->levels - 1;
	for (size_t d = 0; d < g->levels; d++) {
		struct polynomial start = polynomial_of(g->p, g->level[d].start);
		polynomial_add_all(sum, &start);
		if (d < last || g->end == POSITION_ITERATION || g->end == POSITION_ITERATION_END)
			add_iterations(g, d, sum);
	}
	struct polynomial rest = {0};
	if (g->end == POSITION_END)
		rest = polynomial_of(g->p, all_events(g->p, g->way[last].statement, rank));
	if (g->end == POSITION_ITERATION_END)
		rest = polynomial_of(g->p, g->level[last].iteration);
	polynomial_add_all(sum, &rest);
}

static void place_run(struct placing *g, uint32_t first, uint32_t last)
{
	struct position_places *places = g->places;
	uint32_t id = intern_id(g->known, g->level, g->levels * sizeof *g->level);
	if (id == places->length) {
		places->place = mem_grow(places->place, &places->capacity, places->length + 1, sizeof *places->place);
		places->place[places->length] = (struct position_place){0};
		make_position(g, first, &places->place[places->length++].position);
	}
	ranks_add_run(&places->place[id].ranks, first, last);
}

static void place_ranks(struct placing *g, const struct ranks *who)
{
	for (size_t i = 0; i < who->length; i++) {
		uint64_t rank = who->run[i].first;
		while (rank <= who->run[i].last) {
			uint32_t last = who->run[i].last;
			if (find_levels(g, (uint32_t)rank, &last))
				place_run(g, (uint32_t)rank, last);
			rank = (uint64_t)last + 1;
		}
	}
}

void positions_places(const struct positions *p, size_t statement, enum position_end end, const struct ranks *who,
	struct position_places *places)
{
	struct placing g = {.p = p, .end = end, .known = intern_new(), .places = places};
	struct ranks all = {0}, wanted = {0};
	position_places_clear(places);
	g.levels = find_way(p, statement, &g.way);
	g.level = mem_array(g.levels, sizeof *g.level);
	positions_ranks(p, statement, &all);
	if (who)
		ranks_intersect(&wanted, who, &all);
	place_ranks(&g, who ? &wanted : &all);
	ranks_clear(&all);
	ranks_clear(&wanted);
	intern_free(g.known);
	free(g.way);
	free(g.level);
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

/* ------------------------------------------------------------------ as one process meets them */

void positions_print_polynomial(
	const struct positions *p, const struct polynomial *polynomial, size_t loop, struct text *out)
{
	terms_print(p->terms, polynomial, p->body[body_of(p, loop)].guards, out);
}

const struct terms *positions_terms(const struct positions *p)
{
	return p->terms;
}

uint64_t positions_guards(const struct positions *p, size_t loop)
{
	return p->body[body_of(p, loop)].guards;
}

bool positions_role(const struct positions *p, size_t loop, uint32_t rank, size_t *role)
{
	const struct segment *s = segment_of(p, loop, rank);
	if (s)
		*role = s->role;
	return s;
}

const size_t *positions_statements(const struct positions *p, size_t role, size_t *length)
{
	*length = p->role[role].length;
	return p->statement + p->role[role].first;
}

bool positions_value(const struct positions *p, const struct polynomial *polynomial, uint32_t rank,
	const int64_t *index, size_t depth, uint64_t *value)
{
	int64_t known = 0;
	bool good = terms_value(p->terms, polynomial, rank, index, depth, &known);
	*value = (uint64_t)known;
	return good && known >= 0;
}

static bool known_value(
	const struct positions *p, uint32_t id, uint32_t rank, const int64_t *index, size_t depth, uint64_t *value)
{
	struct polynomial polynomial = polynomial_of(p, id);
	return positions_value(p, &polynomial, rank, index, depth, value);
}

/* index: has room for those of the loops inside. */
static uint64_t count_events(
	const struct positions *p, size_t role, size_t statements, uint32_t rank, int64_t *index, size_t depth);

static uint64_t count_loop(const struct positions *p, size_t loop, uint32_t rank, int64_t *index, size_t depth)
{
	const struct role *role = &p->role[segment_of(p, loop, rank)->role];
	struct spot spot = grid_spot(&p->program->grid, rank);
	spot.index = index;
	uint64_t total, count = program_count_of(p->program, loop, &spot);
	if (known_value(p, role->all, rank, index, depth, &total))
		return total;
	total = 0;
	struct iteration k = iteration_start(&index[depth], count, 0);
	while (iteration_step(&k) && total < UINT64_MAX) {
		uint64_t one;
		if (!known_value(p, role->iteration, rank, index, depth + 1, &one))
			one = count_events(p, (size_t)(role - p->role), role->length, rank, index, depth + 1);
		total = saturating_add(total, one);
	}
	return total;
}

static uint64_t count_events(
	const struct positions *p, size_t role, size_t statements, uint32_t rank, int64_t *index, size_t depth)
{
	uint64_t total = 0;
	for (size_t i = 0; i < statements; i++) {
		size_t at = p->statement[p->role[role].first + i];
		bool loop = statement_is_loop(&p->program->statement[at]);
		total = saturating_add(total, loop ? count_loop(p, at, rank, index, depth) : 1);
	}
	return total;
}

uint64_t positions_events(
	const struct positions *p, size_t loop, size_t role, size_t statements, uint32_t rank, const int64_t *index)
{
	uint64_t events;
	bool whole = statements == p->role[role].length;
	uint32_t id = whole ? p->role[role].iteration : p->start[p->role[role].first + statements];
	size_t depth = depth_of_body(p, loop);
	if (known_value(p, id, rank, index, depth, &events))
		return events;
	int64_t *inner = mem_zero((NEST_DEPTH_LIMIT + 1) * sizeof *inner);
	if (depth)
		memcpy(inner, index, depth * sizeof *inner);
	events = count_events(p, role, statements, rank, inner, depth);
	free(inner);
	return events;
}

uint64_t positions_iteration(const struct positions *p, size_t loop, size_t role, uint32_t rank, const int64_t *index)
{
	return positions_events(p, loop, role, p->role[role].length, rank, index);
}

uint64_t positions_stream(const struct positions *p, uint32_t rank)
{
	size_t role;
	return positions_role(p, POSITIONS_PROGRAM, rank, &role)
		       ? positions_iteration(p, POSITIONS_PROGRAM, role, rank, NULL)
		       : 0;
}
