/*
 * difference.c -- two runs, matched: statements first, by which loops are, then constructs.
 */
#include "report/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/counterparts.h"
#include "base/compare.h"
#include "base/mem.h"
#include "trace/trace_options.h"

/* ------------------------------------------------------------------ statements */

/* Numbers of processes apart, which change everybody's partners. */
static bool lines_differ(const struct difference *d, size_t a, size_t b)
{
	if (d->run[0].processes != d->run[1].processes)
		return false;
	struct text x = {0}, y = {0};
	run_facts_print_event(&d->run[0], a, &x);
	run_facts_print_event(&d->run[1], b, &y);
	bool differ = strcmp(x.data, y.data) != 0;
	text_clear(&x);
	text_clear(&y);
	return differ;
}

static void add_statement(struct difference *d, size_t a, size_t b)
{
	static const struct communication none = {0};
	const struct communication *x = a == DIFFERENCE_NONE ? &none : &d->run[0].totals[a];
	const struct communication *y = b == DIFFERENCE_NONE ? &none : &d->run[1].totals[b];
	struct difference_statement s = {.in = {a, b},
		.differs = a == DIFFERENCE_NONE || b == DIFFERENCE_NONE,
		.change = {d->sized ? (int64_t)(y->bytes - x->bytes) : 0, (int64_t)(y->sent - x->sent),
			(int64_t)(y->events - x->events)}};
	for (enum volume v = 0; v < VOLUMES; v++)
		s.differs |= s.change[v] != 0;
	s.differs = s.differs || lines_differ(d, a, b);
	d->only[0] += b == DIFFERENCE_NONE;
	d->only[1] += a == DIFFERENCE_NONE;
	d->differing += s.differs;
	d->statement[d->statements++] = s;
}

static uint64_t size_of(int64_t change)
{
	return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

static int more_first(const void *left, const void *right)
{
	const struct difference_statement *a = left, *b = right;
	if (a->differs != b->differs)
		return a->differs ? -1 : 1;
	for (enum volume v = 0; v < VOLUMES; v++)
		if (size_of(a->change[v]) != size_of(b->change[v]))
			return size_of(a->change[v]) > size_of(b->change[v]) ? -1 : 1;
	return a->in[0] != b->in[0] ? COMPARE(a->in[0], b->in[0]) : COMPARE(a->in[1], b->in[1]);
}

static bool all_are_sized(const struct run_facts *r)
{
	for (size_t i = 0; i < r->program->lines; i++)
		if (r->totals[i].sized != r->totals[i].sent)
			return false;
	return true;
}

/* But for what the makers noted. */
static bool texts_equal(struct prepared *const *p)
{
	struct text text[2] = {{0}};
	for (size_t i = 0; i < 2; i++) {
		struct notes notes = p[i]->module->notes;
		p[i]->module->notes = (struct notes){0};
		module_print_text(p[i]->module, NULL, &text[i]);
		p[i]->module->notes = notes;
	}
	bool equal = text[0].length == text[1].length && !memcmp(text[0].data, text[1].data, text[0].length);
	text_clear(&text[0]);
	text_clear(&text[1]);
	return equal;
}

static void compare_streams(struct difference *d)
{
	struct prepared *p[2];
	for (size_t i = 0; i < 2; i++)
		p[i] = d->run[i].written ? d->run[i].written : d->run[i].account.program;
	d->streams = SAMENESS_SAME;
	if (!texts_equal(p))
		d->streams = runs_sameness(p[0]->run, p[1]->run, VALUES_SHARED, DIFFERENCE_EVENTS_MOST, &d->first);
}

static void align(struct difference *d)
{
	const struct overview *a = &d->run[0].lines, *b = &d->run[1].lines;
	bool *taken = mem_zero(b->lines + 1);
	d->aligned = true;
	d->sized = all_are_sized(&d->run[0]) && all_are_sized(&d->run[1]);
	d->counterpart = counterparts_of(a->module, b->module);
	d->statement = mem_array(a->lines + b->lines + 1, sizeof *d->statement);
	for (size_t i = 0; i < a->lines; i++) {
		size_t k = d->counterpart[i];
		if (k != COUNTERPART_NONE)
			taken[k] = true;
		if (overview_is_call(a, i))
			add_statement(d, i, k == COUNTERPART_NONE ? DIFFERENCE_NONE : k);
	}
	for (size_t k = 0; k < b->lines; k++)
		if (overview_is_call(b, k) && !taken[k])
			add_statement(d, DIFFERENCE_NONE, k);
	free(taken);
	compare_streams(d);
	d->retold = d->differing && d->streams == SAMENESS_SAME;
	for (size_t i = 0; i < d->statements && d->retold; i++)
		d->statement[i].differs = false;
	if (d->retold)
		d->differing = d->only[0] = d->only[1] = 0;
	if (d->statements)
		qsort(d->statement, d->statements, sizeof *d->statement, more_first);
	d->structure = d->streams != SAMENESS_SAME;
}

/* ------------------------------------------------------------------ constructs */

static int largest_first(const void *left, const void *right)
{
	const struct difference_row *a = left, *b = right;
	if (fabs(a->change) != fabs(b->change))
		return fabs(a->change) > fabs(b->change) ? -1 : 1;
	return a->in[0] != b->in[0] ? COMPARE(a->in[0], b->in[0]) : COMPARE(a->in[1], b->in[1]);
}

/* Are the loops around the two one? */
static bool loops_match(const struct difference *d, const struct run_construct *a, const struct run_construct *b)
{
	if (a->line == RUN_NOWHERE || b->line == RUN_NOWHERE)
		return !a->loop && !b->loop;
	return d->counterpart[a->line] == b->line;
}

/* What constructs of a name have in common. */
enum likeness { BY_LOOP, BY_ITERATIONS, BY_NAME };

struct matching {
	struct difference *d;
	size_t *of; /* by construct of the first: that of the second */
	bool *taken; /* of the second */
};

static void take(struct matching *m, size_t i, size_t k)
{
	m->of[i] = k;
	m->taken[k] = true;
}

/* Constructs of a name are next to each other. */
static void match_names(struct matching *m, enum likeness by)
{
	const struct run_facts *a = &m->d->run[0], *b = &m->d->run[1];
	for (size_t i = 0, first = 0; i < a->length; i++) {
		while (first < b->length && strcmp(b->construct[first].name, a->construct[i].name) < 0)
			first++;
		for (size_t k = first; k < b->length && m->of[i] == DIFFERENCE_NONE &&
				       !strcmp(b->construct[k].name, a->construct[i].name);
			k++)
			if (!m->taken[k] &&
				(by == BY_NAME ||
					(by == BY_LOOP ? loops_match(m->d, &a->construct[i], &b->construct[k])
						       : a->construct[i].iterations == b->construct[k].iterations)))
				take(m, i, k);
	}
}

/* Is each of "tag1+tag2" among the parts of the other name? */
static bool is_part(const char *part, const char *whole)
{
	for (const char *at = part;; at++) {
		size_t length = strcspn(at, "+");
		const char *in = whole;
		while (in && (strcspn(in, "+") != length || strncmp(in, at, length)))
			in = (in = strchr(in, '+')) ? in + 1 : NULL;
		if (!in)
			return false;
		at += length;
		if (!*at)
			return true;
	}
}

/* Phases may be one in one of the runs, where calls follow each other at once, and several in the
   other: the one that takes as long. */
static void match_parts(struct matching *m)
{
	const struct run_facts *a = &m->d->run[0], *b = &m->d->run[1];
	for (size_t i = 0; i < a->length; i++) {
		const struct run_construct *was = &a->construct[i];
		size_t partner = DIFFERENCE_NONE;
		for (size_t k = 0; k < b->length && m->of[i] == DIFFERENCE_NONE; k++) {
			const struct run_construct *is = &b->construct[k];
			if (!m->taken[k] && loops_match(m->d, was, is) &&
				(is_part(was->name, is->name) || is_part(is->name, was->name)) &&
				(partner == DIFFERENCE_NONE ||
					fabs(is->path - was->path) < fabs(b->construct[partner].path - was->path)))
				partner = k;
		}
		if (partner != DIFFERENCE_NONE)
			take(m, i, partner);
	}
}

/* The only one left in a loop, and the only one left in the other: what phases are called depends
   on what follows at once. */
static void match_rest_of_loops(struct matching *m)
{
	const struct run_facts *a = &m->d->run[0], *b = &m->d->run[1];
	for (size_t i = 0; i < a->length; i++) {
		size_t partner = DIFFERENCE_NONE, partners = 0, rivals = 0;
		if (m->of[i] != DIFFERENCE_NONE || a->construct[i].line == RUN_NOWHERE)
			continue;
		for (size_t k = 0; k < b->length; k++)
			if (!m->taken[k] && loops_match(m->d, &a->construct[i], &b->construct[k])) {
				partner = k;
				partners++;
			}
		for (size_t k = 0; k < a->length; k++)
			rivals += m->of[k] == DIFFERENCE_NONE && a->construct[k].line == a->construct[i].line;
		if (partners == 1 && rivals == 1)
			take(m, i, partner);
	}
}

static void add_row(struct difference *d, size_t i, size_t k)
{
	struct difference_row row = {{i, k}, 0};
	if (i != DIFFERENCE_NONE)
		row.change -= d->run[0].construct[i].path * d->ideal;
	if (k != DIFFERENCE_NONE)
		row.change += d->run[1].construct[k].path;
	d->row[d->rows++] = row;
}

/* Where the programs are not known: what constructs show of them. */
static bool counts_differ(const struct difference *d, const struct difference_row *row)
{
	const struct run_construct *a = row->in[0] == DIFFERENCE_NONE ? NULL : &d->run[0].construct[row->in[0]];
	const struct run_construct *b = row->in[1] == DIFFERENCE_NONE ? NULL : &d->run[1].construct[row->in[1]];
	if (!a || !b)
		return (a ? a : b)->messages || (a ? a : b)->loop;
	return a->messages != b->messages || a->bytes != b->bytes || a->iterations != b->iterations;
}

static size_t end_of_name(const struct run_facts *r, size_t first)
{
	size_t end = first;
	while (end < r->length && !strcmp(r->construct[end].name, r->construct[first].name))
		end++;
	return end;
}

/* Of what moves from one loop to another, so much of both changes is gone where they are one. */
#define MOVED 0.5

/* Are the constructs of a name as many in both runs, in the same loops, and did nothing move
   between these? */
static bool stay(const struct difference *d, size_t i, size_t n, size_t k)
{
	double sum = 0, all = 0;
	bool same = true;
	for (size_t at = 0; at < n && same; at++) {
		const struct run_construct *a = &d->run[0].construct[i + at], *b = &d->run[1].construct[k + at];
		same = !d->aligned || loops_match(d, a, b);
		sum += b->path - a->path * d->ideal;
		all += fabs(b->path - a->path * d->ideal);
	}
	return same && fabs(sum) >= MOVED * all;
}

/* A region, or a call path, in loops that are not the same in both runs is one in each. */
static void unite_moved(struct difference *d)
{
	struct run_facts *a = &d->run[0], *b = &d->run[1];
	for (size_t i = 0, k = 0; i < a->length; i++) {
		while (k < b->length && strcmp(b->construct[k].name, a->construct[i].name) < 0)
			k++;
		size_t n = end_of_name(a, i) - i, m = 0;
		if (k < b->length && !strcmp(b->construct[k].name, a->construct[i].name))
			m = end_of_name(b, k) - k;
		if (m && (n > 1 || m > 1) && (n != m || !stay(d, i, n, k))) {
			run_facts_unite(a, i, i + n);
			run_facts_unite(b, k, k + m);
		} else
			i += n - 1;
	}
}

static void match(struct difference *d)
{
	unite_moved(d);
	const struct run_facts *a = &d->run[0], *b = &d->run[1];
	struct matching m = {
		.d = d, .of = mem_array(a->length + 1, sizeof *m.of), .taken = mem_zero(b->length + (size_t)1)};
	for (size_t i = 0; i < a->length; i++)
		m.of[i] = DIFFERENCE_NONE;
	for (enum likeness by = d->aligned ? BY_LOOP : BY_ITERATIONS; by <= BY_NAME; by++)
		match_names(&m, by);
	if (d->aligned) {
		match_parts(&m);
		match_rest_of_loops(&m);
	}
	d->row = mem_array(a->length + b->length + 1, sizeof *d->row);
	for (size_t i = 0; i < a->length; i++)
		add_row(d, i, m.of[i]);
	for (size_t k = 0; k < b->length; k++)
		if (!m.taken[k])
			add_row(d, DIFFERENCE_NONE, k);
	for (size_t i = 0; i < d->rows && !d->aligned; i++)
		d->structure |= counts_differ(d, &d->row[i]);
	if (d->rows)
		qsort(d->row, d->rows, sizeof *d->row, largest_first);
	free(m.of);
	free(m.taken);
}

/* ------------------------------------------------------------------ both */

/* A model tells how its maker read the trace: unless the user knows better, the other one is read
   like that. */
static bool read_beside_model(struct difference *d, const char *const *path, size_t model,
	const struct account_options *options, struct error *error)
{
	static const struct trace_options usual = {0};
	struct account_options like = *options;
	if (!run_facts_read(&d->run[model], path[model], false, options, error))
		return false;
	if (!memcmp(&usual, &like.program.trace, sizeof usual) &&
		!trace_options_of_notes(&like.program.trace, &d->run[model].account.program->text->notes, error))
		return error_at(error, "%s", path[model]);
	if (!run_facts_read(&d->run[!model], path[!model], false, &like, error))
		return false;
	return d->run[!model].program ||
	       error_set(error, ERROR_INPUT,
		       "%s: a profile that does not hold its program: make it again with tracenest profile, or name "
		       "the trace",
		       path[!model]);
}

static bool read_both(
	struct difference *d, const char *const *path, const struct account_options *options, struct error *error)
{
	for (size_t i = 0; i < 2; i++)
		if (run_source_of(path[i]) == RUN_MODEL)
			return read_beside_model(d, path, i, options, error);
	d->timed = true;
	return run_facts_read(&d->run[0], path[0], true, options, error) &&
	       run_facts_read(&d->run[1], path[1], true, options, error);
}

bool difference_read(struct difference *d, const char *first, const char *second, const struct account_options *options,
	struct error *error)
{
	*d = (struct difference){0};
	if (!read_both(d, (const char *const[]){first, second}, options, error))
		return false;
	bool promised = d->timed && d->run[0].processes && d->run[1].processes;
	d->ideal = promised ? (double)d->run[0].processes / d->run[1].processes : 1;
	d->structure = d->run[0].processes != d->run[1].processes;
	if (d->run[0].program && d->run[1].program)
		align(d);
	if (d->timed)
		match(d);
	return true;
}

void difference_clear(struct difference *d)
{
	run_facts_clear(&d->run[0]);
	run_facts_clear(&d->run[1]);
	free(d->row);
	free(d->statement);
	free(d->counterpart);
	first_difference_clear(&d->first);
	*d = (struct difference){0};
}
