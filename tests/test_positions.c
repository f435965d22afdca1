/*
 * test_positions.c -- polynomials, positions, and the text that tells them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/durations.h"
#include "ask/offsets.h"
#include "base/mem.h"
#include "base/polynomial.h"
#include "model/prepared.h"
#include "tests/random_program.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ polynomials */

static const uint16_t i0[] = {0}, i1[] = {1}, i0i0[] = {0, 0};

static void prints(const struct polynomial *p, const char *wanted)
{
	struct text text = {0};
	polynomial_print(p, &text);
	CU_ASSERT_STRING_EQUAL(text.data, wanted);
	text_clear(&text);
}

static void test_polynomials(void)
{
	struct polynomial p = {0};
	struct text text = {0};
	int64_t value;
	prints(&p, "0");
	polynomial_add(&p, 644, i0, 1);
	polynomial_add(&p, 671, NULL, 0);
	polynomial_add(&p, -3, i0i0, 2);
	polynomial_add(&p, 1, i1, 1);
	prints(&p, "671+644*i0+i1-3*i0*i0");
	polynomial_print_with(&p, true, NULL, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "671 + 644 * i0 + i1 - 3 * i0 * i0");
	CU_ASSERT(polynomial_value(&p, (int64_t[]){10, 5}, NULL, &value));
	CU_ASSERT_EQUAL(value, 671 + 6440 + 5 - 300);
	polynomial_add(&p, -644, i0, 1);
	prints(&p, "671+i1-3*i0*i0");
	CU_ASSERT_EQUAL(p.terms, 3);
	text_clear(&text);
	polynomial_clear(&p);
}

/* Sums of i^k below n, against sums by hand. */
static void test_sums(void)
{
	for (size_t k = 0; k < POLYNOMIAL_DEGREE; k++) {
		struct polynomial power = {0}, n = {0}, sum = {0};
		uint16_t index[POLYNOMIAL_DEGREE] = {0};
		polynomial_add(&power, 1, index, k);
		polynomial_add(&n, 2, i1, 1);
		polynomial_add(&n, -1, NULL, 0);
		polynomial_add_sum(&sum, &power, 0, &n);
		CU_ASSERT_FALSE(sum.unknown);
		for (int64_t i = 1; i < 5; i++) {
			int64_t wanted = 0, value = -1;
			for (int64_t at = 0; at < 2 * i - 1; at++) {
				int64_t product = 1;
				for (size_t e = 0; e < k; e++)
					product *= at;
				wanted += product;
			}
			CU_ASSERT(polynomial_value(&sum, (int64_t[]){0, i}, NULL, &value));
			CU_ASSERT_EQUAL(value, wanted);
		}
		polynomial_clear(&power);
		polynomial_clear(&n);
		polynomial_clear(&sum);
	}
}

static void test_overflow(void)
{
	struct polynomial p = {0}, q = {0};
	int64_t value;
	polynomial_add(&p, INT64_MAX, NULL, 0);
	polynomial_add(&p, 1, i0, 1);
	CU_ASSERT_FALSE(polynomial_value(&p, (int64_t[]){1}, NULL, &value));
	CU_ASSERT(polynomial_value(&p, (int64_t[]){0}, NULL, &value));
	CU_ASSERT_EQUAL(value, INT64_MAX);
	polynomial_add(&p, 1, NULL, 0);
	CU_ASSERT(p.unknown);
	prints(&p, "?");
	polynomial_add_all(&q, &p);
	CU_ASSERT(q.unknown);
	CU_ASSERT_FALSE(polynomial_value(&q, (int64_t[]){0}, NULL, &value));
	polynomial_clear(&p);
	polynomial_add(&p, INT64_MAX / 2, i0i0, 2);
	CU_ASSERT_FALSE(polynomial_value(&p, (int64_t[]){2}, NULL, &value));
	polynomial_clear(&p);
	polynomial_clear(&q);
}

/* ------------------------------------------------------------------ Figure 8 */

/* Of a statement at these indices. */
static bool position_at(const struct offsets *o, const struct prepared *n, const struct polynomial *p, uint32_t rank,
	const int64_t *index, size_t indices, uint64_t *value)
{
	struct environment at = {0};
	int64_t known = -1;
	run_start(n->run, rank, &at);
	memset(at.index, 0, run_depth(n->run) * sizeof *index);
	if (indices)
		memcpy(at.index, index, indices * sizeof *index);
	bool good = unknowns_value(offsets_unknowns(o), p, &at, &known);
	free(at.index);
	*value = (uint64_t)known;
	return good && known >= 0;
}

static void put_positions(const struct prepared *f, struct text *out)
{
	struct offsets *o = offsets_new(f->run);
	struct module_remarks remarks = offsets_remarks(o);
	module_print_text(f->module, &remarks, out);
	offsets_free(o);
}

static void test_figure_8(void)
{
	static const char model[] =
		"// tracenest 1\n// processes 4\n0-3 sync MPI_Bcast 0-3\nfor a = 0 to 248\n  for b = 0 to 159\n    0 send 1 tag1\n"
		"    0 recv 1 tag1\n  done\n  2 local work\n  0-1 sync MPI_Barrier 0-3\n  3 local work\ndone\n";
	static const char wanted[] =
		"// tracenest 1\n// processes 4\n// events 80680\n0-3 sync MPI_Bcast 0-3 // @{0-3=0}\nfor i0 = 0 to 248 // "
		"@{0-3=1}\n"
		"  // #{0-1=161,2-3=1}\n  for i1 = 0 to 159 // @{0-1=0}\n    // #{0-1=1}\n    0 send 1 tag1 // @{0=0}\n"
		"    0 recv 1 tag1 // @{1=0}\n  done\n  2 local work // @{2=0}\n  0-1 sync MPI_Barrier 0-3 // @{0-1=160}\n"
		"  3 local work // @{3=0}\ndone\n";
	struct prepared *f = program_of(model);
	struct text text = {0};
	put_positions(f, &text);
	CU_ASSERT_STRING_EQUAL(text.data, wanted);
	struct prepared *again = program_of(text.data);
	struct text once = {0}, twice = {0};
	module_print_text(f->text, NULL, &once);
	module_print_text(again->text, NULL, &twice);
	row_same("read back", twice.data, once.data);
	text_clear(&once);
	text_clear(&twice);
	prepared_free(again);
	prepared_free(f);
	text_clear(&text);
}

/* The position of a statement as text: "0-3: 1+i0; 4: 7". */
static struct text places_of(
	const struct prepared *f, const char *address, enum position_end end, const struct ranks *who)
{
	struct error error = {0};
	struct text text = {0};
	struct position_places places = {0};
	size_t at;
	CU_ASSERT_FATAL(module_find(f->module, address, &at, &error));
	struct offsets *o = offsets_new(f->run);
	offsets_places(o, at, end, who, &places);
	text_put(&text, "");
	for (size_t i = 0; i < places.length; i++) {
		text_put(&text, i ? "; " : "");
		ranks_print(&places.place[i].ranks, &text);
		text_put(&text, ": ");
		unknowns_print(offsets_unknowns(o), &places.place[i].position, &text);
	}
	position_places_clear(&places);
	offsets_free(o);
	return text;
}

static void in_the_stream(void)
{
	static const char large
		[] = "// tracenest 1\n// processes 2\nfor a = 0 to 999999999999999999\n  0 send 1 tag1\n  0 recv 1 "
		     "tag1\ndone\n0 local last\n",
	   line[] =
		   "// tracenest 1\n// processes 4\nfor i0 = 0 to 9\n  [0-3] for i1 = 0 to {i0}\n    [1-3] p-1 recv p t\n"
		   "    [0-2] p send p+1 t\n  done\n  [0,2] p local x\ndone\n",
	   idle[] = "// tracenest 1\n// processes 2\nfor i0 = 0 to -1\n  0 local x\ndone\n1 local y\n",
	   below[] = "// tracenest 1\n// processes 1\nfor i0 = 0 to 9\n  for i1 = 0 to {i0-4}\n    0 local x\n  done\n"
		     "  0 local y\ndone\n";
	static const struct {
		const char *why, *text, *address;
		enum position_end end;
		const char *places;
	} cases[] = {
		{"behind a loop of 10^18 iterations", large, "1", POSITION_START, "0: 1000000000000000000"},
		{"... and its end", large, "0", POSITION_END, "0-1: 1000000000000000000"},
		{"an iteration", large, "0", POSITION_ITERATION_END, "0-1: 1+i0"},
		{"sets of processes that share a position", line, "0.0.1", POSITION_START,
			"0: (3*i0+2*i1+i0*i0)/2; 1: 1+i0+2*i1+i0*i0; 2: 1+2*i0+2*i1+i0*i0"},
		{"in the order of their lowest ranks", line, "0.0", POSITION_START,
			"0: (3*i0+i0*i0)/2; 1: i0+i0*i0; 2: 2*i0+i0*i0; 3: (i0+i0*i0)/2"},
		{"a loop that is never executed", idle, "0", POSITION_START, ""},
		{"... and what it holds", idle, "0.0", POSITION_START, ""},
		{"counts below 0 are 0", below, "0.1", POSITION_START,
			"0: i0+max(0,{-3+i0})+sum(k0<i0: max(0,{-3+k0}))"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct prepared *f = program_of(cases[i].text);
		struct text text = places_of(f, cases[i].address, cases[i].end, NULL);
		if (strcmp(text.data, cases[i].places)) {
			fprintf(stderr, "\n  %s:\n  is        %s\n  should be %s\n", cases[i].why, text.data,
				cases[i].places);
			CU_FAIL("other places");
		}
		text_clear(&text);
		prepared_free(f);
	}
}

/* ------------------------------------------------------------------ random programs */

struct checking {
	const struct prepared *program;
	struct offsets *offsets;
	uint64_t checked, wrong;
};

static void check_visit(void *context, const struct random_program_visit *v)
{
	static const enum position_end ends[] = {
		POSITION_START, POSITION_END, POSITION_ITERATION, POSITION_ITERATION_END};
	struct checking *c = context;
	struct error error = {0};
	struct position_places places = {0};
	struct ranks_run run = {v->rank, v->rank};
	struct ranks who = {&run, 1, 0};
	size_t at = 0;
	uint64_t value = 0;
	bool good = module_find(c->program->module, v->address, &at, &error);
	int64_t index[PROGRAM_DEPTH + 2];
	size_t indices = 0;
	for (size_t d = 0; d < v->depth; d++)
		if (!(v->guards >> d & 1))
			index[indices++] = v->index[d];
	offsets_places(c->offsets, at, ends[v->place], &who, &places);
	good = good && places.length == 1 &&
	       position_at(c->offsets, c->program, &places.place[0].position, v->rank, index, indices, &value);
	c->wrong += !good || value != v->position;
	c->checked++;
	position_places_clear(&places);
}

static void test_random(void)
{
	struct checking c = {0};
	for (unsigned seed = 0; seed < rounds(600); seed++) {
		struct random_program *p = random_program_new(
			seed, PROGRAM_LOCALS | (seed % 2 ? PROGRAM_SETS : 0) | (seed % 6 < 2 ? PROGRAM_IRREGULAR : 0));
		struct text text = {0};
		random_program_print(p, false, &text);
		struct prepared *f = program_of(text.data);
		c.program = f;
		c.offsets = offsets_new(f->run);
		uint64_t before = c.wrong;
		for (uint32_t rank = 0; rank < PROGRAM_RANKS; rank++)
			random_program_run(p, rank, check_visit, &c);
		if (c.wrong > before)
			fprintf(stderr, "\n  seed %u:\n%s", seed, text.data);
		offsets_free(c.offsets);
		prepared_free(f);
		text_clear(&text);
		random_program_free(p);
	}
	CU_ASSERT(c.checked > 10000);
	CU_ASSERT_EQUAL(c.wrong, 0);
}

/* ------------------------------------------------------------------ durations of these */

/* What a process did in each loop, added up one by one. */
struct adding {
	const struct prepared *program;
	uint64_t times[1 << 16], events;
	uint64_t begin[PROGRAM_DEPTH + 2];
	bool entered[PROGRAM_DEPTH + 2];
	struct duration *loop; /* by statement */
};

static uint64_t time_at(const struct adding *a, uint64_t position)
{
	return a->times[position < a->events ? position : a->events - 1];
}

static void count_event(void *context, const struct random_program_visit *v)
{
	*(uint64_t *)context += v->event != NULL;
}

static void add_iteration(void *context, const struct random_program_visit *v)
{
	struct adding *a = context;
	struct error error = {0};
	size_t at = 0;
	if (v->place == PLACE_START)
		a->entered[v->depth] = false;
	if (v->place == PLACE_ITERATION)
		a->begin[v->depth] = time_at(a, v->position);
	if (v->place != PLACE_ITERATION_END || !module_find(a->program->module, v->address, &at, &error))
		return;
	struct duration *d = &a->loop[at];
	uint64_t time = time_at(a, v->position) - a->begin[v->depth];
	d->occurrences += !a->entered[v->depth - 1];
	a->entered[v->depth - 1] = true;
	d->least = !d->iterations || time < d->least ? time : d->least;
	d->most = time > d->most ? time : d->most;
	d->total += time;
	d->iterations++;
}

/* The durations of a process, and whether these are they. */
static bool same_durations(struct adding *a, const struct random_program *p, struct durations *d, uint32_t rank)
{
	bool good = true;
	a->events = 0;
	random_program_run(p, rank, count_event, &a->events);
	if (!a->events || a->events > COUNT(a->times))
		return true;
	for (uint64_t i = 0, time = 7; i < a->events; i++) {
		a->times[i] = time += i * 7919 % 13;
		durations_event(d, rank, time);
	}
	durations_finish(d, rank);
	memset(a->loop, 0, a->program->module->lines * sizeof *a->loop);
	random_program_run(p, rank, add_iteration, a);
	for (size_t i = 0; i < durations_loops(d); i++) {
		const struct duration *want = &a->loop[durations_loop(d, i)->line];
		struct duration have = {0};
		durations_of(d, i, rank, &have);
		good = good && have.occurrences == want->occurrences && have.iterations == want->iterations &&
		       have.total == want->total && have.least == want->least && have.most == want->most;
	}
	return good;
}

static void random_durations(void)
{
	struct adding *a = mem_zero(sizeof *a);
	uint64_t loops = 0;
	for (unsigned seed = 0; seed < rounds(60); seed++) {
		struct random_program *p = random_program_new(seed, PROGRAM_LOCALS | PROGRAM_SETS | PROGRAM_IRREGULAR);
		struct text text = {0};
		random_program_print(p, false, &text);
		struct prepared *f = program_of(text.data);
		struct durations *d = durations_new(f->run, UINT64_MAX, false);
		bool good = true;
		a->program = f;
		a->loop = mem_zero((f->module->lines + 1) * sizeof *a->loop);
		for (uint32_t rank = 0; rank < PROGRAM_RANKS; rank++)
			good = same_durations(a, p, d, rank) && good;
		loops += durations_loops(d);
		if (!good)
			fprintf(stderr, "\n  seed %u:\n%s", seed, text.data);
		CU_ASSERT(good);
		free(a->loop);
		durations_free(d);
		prepared_free(f);
		text_clear(&text);
		random_program_free(p);
	}
	CU_ASSERT(loops > 60);
	free(a);
}

/* ------------------------------------------------------------------ programs that advance */

static void advancing(void)
{
	static const struct {
		const char *why, *text;
	} cases[] = {
		{"a growing triangle: sums of sums",
			"for i0 = 0 to 4 // @{0-3=0}\n  // #{0=2+i0,1-2=3+2*i0,3=2+i0}\n  [*] p sync S * // @{0-3=0}\n"
			"  [*] for i1 = 0 to {i0} // @{0-3=1}\n    // #{0=1,1-2=2,3=1}\n    [1-3] p-1 recv p t // @{1-3=0}\n"
			"    [0-2] p send p+1 t // @{0=0,1-2=1}\n  done\ndone\n0 send 1 u // @{0=20}\n"},
		{"processes that have no part have no position",
			"[1-2] for i0 = 0 to 9 // @{1-2=0}\n  // #{1=1,2=2}\n  [1-2] p send p+1 t{i0} // @{1-2=0}\n"
			"  [2] p send p+1 u // @{2=1}\ndone\n"},
		{"after a triangle in a loop",
			"for i0 = 0 to 3 // @{0=0}\n  // #{0=(2+i0+i0*i0)/2}\n  for i1 = 0 to {i0} // @{0=0}\n"
			"    // #{0=i1}\n    for i2 = 0 to {-1+i1} // @{0=0}\n      // #{0=1}\n      0 send 1 t // @{0=0}\n    done\n  done\n"
			"  0 send 1 u // @{0=(i0+i0*i0)/2}\ndone\n"},
		{"counts below 0 are 0",
			"for i0 = 0 to 5 // @{0=0}\n  // #{0=1+max(0,{-2+i0})}\n  for i1 = 0 to {-3+i0} // @{0=0}\n    // #{0=1}\n    0 send 1 t // @{0=0}\n"
			"  done\n  0 send 1 u // @{0=max(0,{-2+i0})}\ndone\n"},
		{"guards and tables",
			"[0-2] for i0 = 0 to 699 // @{0-2=0}\n  // #{0-2=1+$n[p]*({i0%7} = 6)}\n"
			"  if {i0%7} = 6 // @{0-2=0}\n    // #{0-2=$n[p]}\n    [0-2] for i1 = 0 to {$n[p]-1} // @{0-2=0}\n"
			"      // #{0-2=1}\n      [0-2] p send $b[p,i1] t // @{0-2=0}\n    done\n  done\n"
			"  [0-2] p local x // @{0-2=$n[p]*({i0%7} = 6)}\ndone\n[0] p local y // @{0=700+100*$n[p]}\n"
			"// tables\n$n[p] = 1 2 1\n$b[p,i1] = 1 | 0 2 | 1\n"},
		{"who is named, and otherwise",
			"[0-2] for i0 = 0 to 3 // @{0-2=0}\n  // #{0=($w[i0] = p)+$g[i0]+($g[i0] = 0),1-2=($w[i0] = p)}\n"
			"  [$w[i0]] p send 3 t // @{0-2=0}\n  if $g[i0] // @{0=($w[i0] = p)}\n    // #{0=1}\n"
			"    [0] p local x // @{0=0}\n  else // @{0=($w[i0] = p)+$g[i0]}\n    // #{0=1}\n    [0] p local y // @{0=0}\n"
			"  done\ndone\n[1] p local z // @{1=sum(k0<4: ($w[k0] = p))}\n// tables\n$w[i0] = 1 0 2 1\n"
			"$g[i0] = 0 1 1 0\n"},
		{"powers and products of tables",
			"[*] for i0 = 0 to 5 // @{0-3=0}\n  // #{0-3=i0+{2^i0}+max(0,{5+i0-2^p})+$w[i0]*$w[p]}\n"
			"  [*] for i1 = 0 to {-2+2^i0} // @{0-3=0}\n    // #{0-3=1}\n    [*] p local a // @{0-3=0}\n  done\n"
			"  [*] for i1 = 0 to {4+i0-2^p} // @{0-3=-1+{2^i0}}\n    // #{0-3=1}\n    [*] p local c // @{0-3=0}\n  done\n"
			"  [*] for i1 = 0 to {$w[i0]*$w[p]+i0} // @{0-3=-1+{2^i0}+max(0,{5+i0-2^p})}\n    // #{0-3=1}\n"
			"    [*] p local d // @{0-3=0}\n  done\ndone\n"
			"[*] p local b // @{0-3=78+sum(k0<6: max(0,{5+k0-2^p}))+sum(k0<6: $w[k0]*$w[p])}\n"
			"// tables\n$w[i0] = 0..2 1 1 3\n"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text text = {0}, printed = {0};
		struct error error = {0};
		text_put(&text, "// tracenest 1\n// processes 4\n");
		text_put(&text, cases[i].text);
		struct prepared *f = prepared_parse(cases[i].why, text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		put_positions(f, &printed);
		const char *listing = strstr(printed.data, "// events");
		listing = strchr(listing, '\n') + 1;
		if (strcmp(listing, cases[i].text)) {
			fprintf(stderr, "\n%s: is\n%sinstead of\n%s", cases[i].why, listing, cases[i].text);
			CU_FAIL("other positions");
		}
		prepared_free(f);
		text_clear(&text);
		text_clear(&printed);
	}
}

/* As deep as programs go: constant bounds, and triangles as long as 64 bits suffice. */
static void deep(void)
{
	static const unsigned depths[] = {9, 12, 16, 199};
	for (size_t i = 0; i < COUNT(depths); i++) {
		for (int triangles = 0; triangles < 2; triangles++) {
			struct text text = {0}, address = {0};
			text_put(&text, "// tracenest 1\n// processes 2\n");
			for (unsigned d = 0; d < depths[i]; d++)
				if (triangles && d && d < 12)
					text_format(&text, "for i%u = 0 to {i%u}\n", d, d - 1);
				else
					text_format(&text, "for i%u = 0 to %u\n", d, d < 12);
			text_put(&text, "0 send 1 tag{i0}\n0 recv 1 tag{i0}\n");
			for (unsigned d = 0; d < depths[i]; d++) {
				text_put(&text, "done\n");
				text_put(&address, "0.");
			}
			text_put(&address, "1");
			struct prepared *f = program_of(text.data);
			struct text places = places_of(f, address.data, POSITION_START, NULL);
			CU_ASSERT(!strncmp(places.data, "1: ", 3) && !strchr(places.data, '?'));
			text_truncate(&text, 0);
			put_positions(f, &text);
			CU_ASSERT_PTR_NULL(strchr(text.data, '?'));
			text_clear(&text);
			text_clear(&address);
			text_clear(&places);
			prepared_free(f);
		}
	}
}

/* Where sums are long they are found by formulas: at one place, the events before. */
static void long_sums(void)
{
	static const struct {
		const char *why, *text, *address;
		uint32_t rank;
		int64_t index;
		uint64_t position;
	} cases[] = {
		{"a remainder that is tested", "for i0 = 0 to 99999\nif {i0%7} = 6\n0 local a\ndone\n0 local b\ndone\n",
			"0.1", 0, 70006, 70006 + 10001},
		{"... in steps", "for i0 = 0 to 99999\nif {(4*i0+1)%10} = 3\n0 local a\ndone\n0 local b\ndone\n", "0.0",
			0, 50000, 60000},
		{"... never", "for i0 = 0 to 99999\nif {(4*i0+1)%10} = 2\n0 local a\ndone\n0 local b\ndone\n", "0.0", 0,
			50000, 50000},
		{"a set, and otherwise",
			"for i0 = 0 to 99999\nif {i0} in {3,17,40}\n0 local a\nelse\n0 local b\n0 local c\ndone\ndone\n",
			"0.0", 0, 50000, 99997},
		{"a remainder as a count", "for i0 = 0 to 99999\nfor i1 = 0 to {-1+(3*i0)%5}\n0 local a\ndone\ndone\n",
			"0.0", 0, 50001, 100000},
		{"... and another of the process",
			"[0-1] for i0 = 0 to 99999\nfor i1 = 0 to {-1+(p)%2+(3*i0)%5}\n[0-1] p local a\ndone\ndone\n",
			"0.0", 1, 50001, 150001},
		{"... and another of an index around",
			"for i0 = 0 to 9\nfor i1 = 0 to 99999\nfor i2 = 0 to {-1+i0%3+i1%5}\n0 local a\ndone\ndone\ndone\n",
			"0.0", 0, 5, 100000 * (4 + 10)},
		{"... where the sum may be below 0",
			"for i0 = 0 to 9\nfor i1 = 0 to 99999\nfor i2 = 0 to {-2+i0%3+i1%5}\n0 local a\ndone\ndone\ndone\n",
			"0.0", 0, 5, 940000},
		{"... in another order",
			"for i0 = 0 to 9\nfor i1 = 0 to 99999\nfor i2 = 0 to {-2+i1%5+i0%3}\n0 local a\ndone\ndone\ndone\n",
			"0.0", 0, 5, 940000},
		{"... and two, tested",
			"for i0 = 0 to 9\nfor i1 = 0 to 99999\nif {i0%3+i1%5+i0%4} = 3\n0 local a\ndone\ndone\ndone\n",
			"0.0", 0, 5, 20000 * 4},
		{"below 0 at first", "for i0 = 0 to 9999\nfor i1 = 0 to {i0-1001}\n0 local a\ndone\n0 local b\ndone\n",
			"0.0", 0, 2000, 2000 + 999 * 1000 / 2},
		{"at last", "for i0 = 0 to 9999\nfor i1 = 0 to {999-i0}\n0 local a\ndone\n0 local b\ndone\n", "0.0", 0,
			2000, 2000 + 1001 * 1000 / 2},
		{"two guards that meet every 35 iterations",
			"for i0 = 0 to 99999\nif {i0%7} = 6\nif {i0%5} = 4\n0 local a\ndone\ndone\n0 local b\ndone\n",
			"0.0", 0, 70000, 72000},
		{"whom a table names, around",
			"[0-1] for i0 = 0 to 99999\n[$w[i0%5]] p local a\ndone\n$w[i0] = 1 0 1 1 0\n", "0.0", 1, 50003,
			30002},
		{"a table for each process",
			"[0-1] for i0 = 0 to 3\nfor i1 = 0 to {$n[p,i0]-1}\n[0-1] p local a\ndone\ndone\n$n[p,i0] = 1000000000000 2 "
			"3 4 | 5 600000000000 7 8\n",
			"0.0", 1, 3, 600000000012},
		{"a product of two, one of them for each process",
			"[0-1] for i0 = 0 to 99999\nfor i1 = 0 to {$w[i0%3]*$n[p]-2}\n[0-1] p local a\ndone\ndone\n$w[i0] = 1 0 3\n"
			"$n[p] = 5 2\n",
			"0.0", 1, 30001, 10000 * 6 + 1},
		{"powers of an index",
			"for i0 = 0 to 99999\nfor i1 = 0 to 40\nif {2^i1} in {4,8,1048576}\n0 local a\ndone\ndone\ndone\n",
			"0.0", 0, 5, 15},
		{"a shrinking loop in one whose count is a sum with a table",
			"[0-1] for i0 = 0 to {7*p+$z[p]}\n[0-1] for i1 = 0 to {1-i0}\n[0-1] p local a\ndone\ndone\n$z[p] = 0 1\n",
			"0.0", 1, 7, 3},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text text = {0};
		struct error error = {0};
		struct position_places places = {0};
		struct ranks_run run = {cases[i].rank, cases[i].rank};
		struct ranks who = {&run, 1, 0};
		size_t at = 0;
		uint64_t value = 0;
		text_format(&text, "// tracenest 1\n// processes 2\n%s", cases[i].text);
		struct prepared *f = program_of(text.data);
		struct offsets *o = offsets_new(f->run);
		ROW(cases[i].why, module_find(f->module, cases[i].address, &at, &error));
		offsets_places(o, at, POSITION_START, &who, &places);
		ROW(cases[i].why, places.length == 1 && position_at(o, f, &places.place[0].position, cases[i].rank,
								&cases[i].index, 1, &value));
		if (value != cases[i].position)
			fprintf(stderr, "%s: %llu\n", cases[i].why, (unsigned long long)value);
		ROW(cases[i].why, value == cases[i].position);
		position_places_clear(&places);
		offsets_free(o);
		prepared_free(f);
		text_clear(&text);
	}
}

void suite_positions(CU_pSuite suite)
{
	CU_add_test(suite, "polynomials add up and print as C", test_polynomials);
	CU_add_test(suite, "sums of powers", test_sums);
	CU_add_test(suite, "what 64 bits cannot hold is refused", test_overflow);
	CU_add_test(suite, "the text of Figure 8", test_figure_8);
	CU_add_test(suite, "in the stream", in_the_stream);
	CU_add_test(suite, "deep nests", deep);
	CU_add_test(suite, "random programs, run naively", test_random);
	CU_add_test(suite, "durations of random programs, added up one by one", random_durations);
	CU_add_test(suite, "programs that advance", advancing);
	CU_add_test(suite, "long sums", long_sums);
}
