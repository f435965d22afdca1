/*
 * test_inference.c -- which functions explain what processes do: covers, places, values, grids, and
 * the order of statements.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fold/cover.h"
#include "fold/infer.h"
#include "fold/modular.h"
#include "fold/places.h"
#include "fold/schedule.h"
#include "fold/values.h"
#include "tests/rows.h"
#include "tests/unit.h"

static void expect(const char *why, struct text *is, const char *expected)
{
	if (!is->length)
		text_add(is, "", 0);
	if (strcmp(is->data, expected)) {
		fprintf(stderr, "\n  %s: is '%s', should be '%s'\n", why, is->data, expected);
		CU_FAIL("another result");
	}
	text_clear(is);
}

/* ------------------------------------------------------------------ observations */

/* "0>1 0>2 1>2": process and number, in the order of their turns. */
static size_t observe(const char *row, struct observation *seen)
{
	size_t count = 0;
	for (const char *at = row; *at; at += strspn(at, " ")) {
		char *end;
		seen[count].p = (uint32_t)strtoul(at, &end, 10);
		seen[count].number = strtoull(end + 1, &end, 10);
		seen[count].turn = (uint32_t)count;
		count++;
		at = end;
	}
	return observations_sort(seen, count);
}

#define MOST 4096

/* Each process of a torus moves so, in this order. */
static size_t observe_torus(uint32_t nx, uint32_t ny, const int (*move)[2], size_t moves, struct observation *seen)
{
	size_t count = 0;
	for (uint32_t p = 0; p < nx * ny; p++)
		for (size_t k = 0; k < moves; k++) {
			uint32_t x = (p % nx + nx + (uint32_t)move[k][0]) % nx,
				 y = (p / nx + ny + (uint32_t)move[k][1]) % ny;
			seen[count++] = (struct observation){p, (uint32_t)k, x + nx * y};
		}
	return observations_sort(seen, count);
}

/* ------------------------------------------------------------------ covers */

static void covers(void)
{
	static const struct {
		const char *why, *candidates, *chosen; /* a candidate is the items that it explains */
	} cases[] = {
		{"the largest first", "0 123 4", "1 0 2"},
		{"of equals the first", "01 12 2", "0 1"},
		{"none that explains nothing new", "012 01 3 2", "0 2"},
		{"greedy chose one too many: without it two do", "0123 0145 2367", "1 2"},
		{"items that nothing explains", "0 2", "0 1"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cover c;
		uint32_t chosen[16];
		uint64_t left;
		struct text text = {0};
		cover_start(&c, 8);
		for (const char *at = cases[i].candidates; *at; at += *at == ' ')
			for (uint32_t k = cover_add(&c, 1); *at && *at != ' '; at++)
				cover_set(&c, k, (size_t)(*at - '0'));
		uint32_t count = cover_choose(&c, chosen, &left);
		for (uint32_t k = 0; k < count; k++)
			text_format(&text, k ? " %u" : "%u", chosen[k]);
		expect(cases[i].why, &text, cases[i].chosen);
		for (size_t item = 0; item < 8; item++)
			ROW(cases[i].why,
				(left >> item & 1) == (strchr(cases[i].candidates, (char)('0' + item)) == NULL));
		cover_clear(&c);
	}
}

static void costs(void)
{
	struct cover c;
	uint32_t chosen[2];
	uint64_t left;
	cover_start(&c, 1);
	cover_set(&c, cover_add(&c, 3), 0);
	cover_set(&c, cover_add(&c, 1), 0);
	CU_ASSERT_EQUAL(cover_choose(&c, chosen, &left), 1);
	CU_ASSERT_EQUAL(chosen[0], 1); /* the cheaper */
	cover_clear(&c);
}

/* ------------------------------------------------------------------ places */

static void explain_places(const struct observation *seen, size_t count, const struct topology *t, struct text *out)
{
	struct population population = population_of(seen, count);
	struct explanation e;
	places_choose(&e, &population, t, CHOOSE_ALL, NULL);
	const struct place *place = e.function;
	for (uint32_t k = 0; k < e.count; k++) {
		text_put(out, k ? " " : "");
		place_print(&place[k], &t->grid, out);
	}
	for (size_t i = 0; i < count; i++) {
		struct spot spot = grid_spot(&t->grid, seen[i].p);
		CU_ASSERT_EQUAL(place_at(&place[e.of[i]], &t->grid, &spot), (int64_t)seen[i].number);
	}
	explanation_clear(&e);
	population_clear(&population);
}

static void places(void)
{
	static const struct {
		const char *why;
		struct topology on;
		const char *seen, *functions;
	} cases[] = {
		{"a line", {4, {0}}, "0>1 1>2 2>3", "p+1"},
		{"both neighbours on a line", {4, {0}}, "0>1 1>0 1>2 2>1 2>3 3>2", "p+1 p-1"},
		{"a ring is no line", {4, {0}}, "0>1 1>2 2>3 3>0", "(p+1)%4"},
		{"pairs", {4, {0}}, "0>1 1>0 2>3 3>2", "p^1"},
		{"a master", {4, {0}}, "1>0 2>0 3>0", "0"},
		{"everybody over p^k: the order tells it from the ring", {4, {0}},
			"0>1 0>2 0>3 1>0 1>3 1>2 2>3 2>0 2>1 3>2 3>1 3>0", "p^1 p^2 p^3"},
		{"everybody over p+k", {4, {0}}, "0>1 0>2 0>3 1>2 1>3 1>0 2>3 2>0 2>1 3>0 3>1 3>2",
			"(p+1)%4 (p+2)%4 (p-1)%4"},
		{"everybody in the order of ranks", {4, {0}}, "0>1 0>2 0>3 1>0 1>2 1>3 2>0 2>1 2>3 3>0 3>1 3>2",
			"1 2 3 0"},
		{"along rows of a grid", {6, {2, {3, 2}}}, "0>1 1>2 2>0 3>4 4>5 5>3", "@(x+1,y)"},
		{"along columns: the grid that is there, before the ring", {6, {2, {3, 2}}}, "0>3 1>4 2>5 3>0 4>1 5>2",
			"@(x,y+1)"},
		{"a transpose", {4, {2, {2, 2}}}, "1>2 2>1 0>0 3>3", "@(y,x)"},
	};
	struct observation seen[MOST];
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text text = {0};
		size_t count = observe(cases[i].seen, seen);
		explain_places(seen, count, &cases[i].on, &text);
		expect(cases[i].why, &text, cases[i].functions);
	}
}

static void statements(void)
{
	static const struct {
		const char *why, *seen; /* the number is the function */
		uint32_t statements;
	} cases[] = {
		{"one function, one statement", "0>0 1>0 2>0", 1},
		{"the same order everywhere", "0>0 0>1 1>1 1>2 2>0 2>2", 3},
		{"two orders: one of them stands twice", "0>0 0>1 1>1 1>0", 3},
		{"three in all rotations", "0>0 0>1 0>2 1>1 1>2 1>0 2>2 2>0 2>1", 5},
	};
	struct observation seen[MOST];
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t of[MOST];
		size_t count = observe(cases[i].seen, seen);
		struct population population = population_of(seen, count);
		uint32_t functions = 0;
		for (size_t k = 0; k < count; k++) {
			of[k] = (uint32_t)seen[k].number;
			functions = of[k] >= functions ? of[k] + 1 : functions;
		}
		uint32_t is = population_statements(&population, of, functions);
		if (is != cases[i].statements) {
			fprintf(stderr, "\n  %s: %u statements, should be %u\n", cases[i].why, is, cases[i].statements);
			CU_FAIL("another number of statements");
		}
		population_clear(&population);
	}
}

/* ------------------------------------------------------------------ values */

static void values(void)
{
	static const struct {
		const char *why;
		struct topology on;
		const char *seen, *functions;
	} cases[] = {
		{"with the rank", {4, {0}}, "0>7 1>8 2>9 3>10", "{7+p}"},
		{"far apart", {3, {0}}, "0>7 1>1007 2>2007", "{7+1000*p}"},
		{"two turns", {3, {0}}, "0>10 0>20 1>11 1>22 2>12 2>24", "{10+p} {20+2*p}"},
		{"a coordinate", {6, {2, {3, 2}}}, "0>5 1>5 2>5 3>6 4>6 5>6", "{5+y}"},
		{"a digit that wraps around", {6, {2, {3, 2}}}, "0>6 1>7 2>5 3>6 4>7 5>5", "{5+(x+1)%3}"},
		{"a sum of coordinates", {9, {2, {3, 3}}}, "0>5 1>6 2>7 3>6 4>7 5>5 6>7 7>5 8>6", "{5+(x+y)%3}"},
		{"two digits", {9, {2, {3, 3}}}, "0>8 1>9 2>10 3>12 4>13 5>11 6>7 7>5 8>6", "{5+(x+y)%3+(y+1)%3*3}"},
		{"of equals the constant", {3, {0}}, "0>7 1>7 2>8", "{7} {8}"},
		{"a digit that is a coordinate", {6, {2, {3, 2}}},
			"0>8 1>9 2>10 3>5 4>6 5>7 0>20 1>20 2>20 3>20 4>21 5>20", "{5+x+(-y+1)%2*3} {20} {21}"},
		{"nothing in common", {3, {0}}, "0>7 1>3 2>90", "{7} {3} {90}"},
	};
	struct observation seen[MOST];
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text text = {0};
		size_t count = observe(cases[i].seen, seen);
		struct population population = population_of(seen, count);
		struct explanation e;
		values_choose(&e, &population, &cases[i].on);
		const struct value *value = e.function;
		for (uint32_t k = 0; k < e.count; k++) {
			text_put(&text, k ? " " : "");
			value_print(&value[k], &text);
		}
		for (size_t k = 0; k < count; k++) {
			struct spot spot = grid_spot(&cases[i].on.grid, seen[k].p);
			CU_ASSERT_EQUAL(value_at(&value[e.of[k]], &spot), (int64_t)seen[k].number);
		}
		expect(cases[i].why, &text, cases[i].functions);
		explanation_clear(&e);
		population_clear(&population);
	}
}

/* Half of the processes follow a function, the others none, in more ways than are looked at one by
   one. */
static void values_at_random(void)
{
	struct topology on = {MOST, {0}};
	static struct observation seen[MOST];
	for (uint32_t p = 0; p < MOST; p++)
		seen[p] = (struct observation){p, 0, p < MOST / 2 ? 7 + p : 10000 + hash_mix(p) % 1000000};
	struct population population = population_of(seen, MOST);
	struct explanation e;
	values_choose(&e, &population, &on);
	const struct value *value = e.function;
	CU_ASSERT(e.count <= MOST / 2 + 1);
	for (uint32_t p = 0; p < MOST; p++) {
		struct spot spot = grid_spot(&on.grid, p);
		CU_ASSERT_FATAL(e.of[p] < e.count);
		CU_ASSERT_EQUAL(value_at(&value[e.of[p]], &spot), (int64_t)seen[p].number);
	}
	explanation_clear(&e);
	population_clear(&population);
}

/* ------------------------------------------------------------------ values as remainders */

static unsigned draw(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % below;
}

static struct value random_value(const struct grid *g, int remainders, unsigned *seed)
{
	struct value v = value_of(draw(seed, 100));
	v.plain.p = draw(seed, 3) ? 0 : (int64_t)draw(seed, 5) - 2;
	for (uint32_t i = 0; i < g->axes; i++)
		v.plain.axis[i] = draw(seed, 2) ? 0 : (int64_t)draw(seed, 9) - 4;
	for (int k = 0; k < remainders; k++) {
		struct remainder *r = &v.remainder[k];
		*r = (struct remainder){.modulus = 2 + draw(seed, 3), .factor = 1 + draw(seed, 5)};
		for (uint32_t i = 0; i < g->axes; i++)
			r->inside.axis[i] = (int64_t)draw(seed, 3) - 1;
		r->inside.constant = draw(seed, 3);
	}
	return v;
}

static bool same_numbers(const struct value *a, const struct value *b, const struct grid *g)
{
	for (uint32_t rank = 0; rank < grid_ranks(g); rank++) {
		struct spot spot = grid_spot(g, rank);
		if (value_at(a, &spot) != value_at(b, &spot))
			return false;
	}
	return true;
}

/* Coordinates stand in remainders alone, the smallest factors first. */
static bool is_normal(const struct value *v)
{
	bool good = !v->plain.p;
	for (int i = 0; i < GRID_AXES; i++)
		good = good && !v->plain.axis[i];
	for (int i = 1; i < REMAINDERS && v->remainder[i].modulus; i++)
		good = good && v->remainder[i - 1].modulus && v->remainder[i - 1].factor <= v->remainder[i].factor;
	return good;
}

/* The same numbers, however they are written; where there is room, in one way. */
static void remainders(void)
{
	unsigned seed = 1, normal_ones = 0;
	for (unsigned n = 0; n < rounds(2000); n++) {
		struct grid g = {2 + draw(&seed, 2), {0}};
		bool flat = false;
		for (uint32_t i = 0; i < g.axes; i++) {
			g.size[i] = 1 + draw(&seed, 5);
			flat = flat || g.size[i] == 1;
		}
		int given = (int)draw(&seed, REMAINDERS + 1);
		struct value v = random_value(&g, given, &seed), normal = v;
		uint32_t axes = 0;
		for (uint32_t i = 0; i < g.axes; i++)
			axes += v.plain.p || v.plain.axis[i];
		value_normalize(&normal, &g);
		CU_ASSERT(same_numbers(&v, &normal, &g));
		bool room = (int)axes + given <= REMAINDERS && !flat;
		CU_ASSERT(room ? is_normal(&normal) : !memcmp(&normal, &v, sizeof v));
		normal_ones += room && axes > 0;
		struct value simple = normal;
		value_simplify(&simple, &g);
		CU_ASSERT(same_numbers(&v, &simple, &g));
		value_normalize(&simple, &g);
		CU_ASSERT(!room || given || !memcmp(&simple, &normal, sizeof normal));
	}
	CU_ASSERT(normal_ones > 0);
	struct grid g = {3, {2, 3, 5}};
	struct value rank = {.plain.p = 4}, same = {.plain.axis = {4, 8, 24}};
	value_normalize(&rank, &g);
	value_normalize(&same, &g);
	CU_ASSERT(!memcmp(&rank, &same, sizeof rank));
	value_simplify(&same, &g);
	CU_ASSERT_EQUAL(same.plain.p, 4);
}

/* ------------------------------------------------------------------ grids */

static void grids(void)
{
	static const int east[][2] = {{1, 0}}, north[][2] = {{0, 1}}, both[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}},
			 corners[][2] = {{1, 1}, {-1, 1}}, north_and_south[][2] = {{0, 1}, {0, -1}};
	static const struct {
		const char *why;
		uint32_t nx, ny;
		const int (*move)[2];
		size_t moves;
		const char *grid;
	} cases[] = {
		{"neighbours in rows", 4, 5, east, 1, "4 5"},
		{"a ring is no grid", 12, 1, east, 1, ""},
		{"one population along columns: their length, as good as a ring, has neighbours", 4, 5, north, 1,
			"4 5"},
		{"all four", 6, 8, both, 4, "6 8"},
		{"... of odd sizes", 3, 5, both, 4, "3 5"},
		{"diagonals", 5, 7, corners, 2, "5 7"},
		{"there and back", 5, 7, north_and_south, 2, "5 7"},
	};
	static struct observation seen[MOST];
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t count = observe_torus(cases[i].nx, cases[i].ny, cases[i].move, cases[i].moves, seen);
		struct population population = population_of(seen, count);
		struct grid g = infer_grid(cases[i].nx * cases[i].ny, &population, 1, NULL, 0);
		struct text text = {0};
		for (uint32_t k = 0; k < g.axes; k++)
			text_format(&text, k ? " %u" : "%u", g.size[k]);
		expect(cases[i].why, &text, cases[i].grid);
		population_clear(&population);
	}
}

static void groups(void)
{
	static const struct {
		const char *why;
		uint32_t processes;
		const char *groups[4];
		const char *grid;
	} cases[] = {
		{"rows", 6, {"0-2", "3-5"}, "3 2"},
		{"columns", 6, {"0,3", "1,4", "2,5"}, "3 2"},
		{"groups of one process say nothing", 3, {"0", "1", "2"}, ""},
		{"parts that are no lines", 6, {"0-1", "2-5"}, ""},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ranks group[4] = {0};
		size_t count = 0;
		struct text text = {0};
		for (; count < 4 && cases[i].groups[count]; count++) {
			const char *at = cases[i].groups[count];
			struct error error = {0};
			ROW(cases[i].why, ranks_parse(&group[count], &at, &error));
		}
		struct grid g = infer_grid(cases[i].processes, NULL, 0, group, count);
		for (uint32_t k = 0; k < g.axes; k++)
			text_format(&text, k ? " %u" : "%u", g.size[k]);
		expect(cases[i].why, &text, cases[i].grid);
		for (size_t k = 0; k < count; k++)
			ranks_clear(&group[k]);
	}
}

/* ------------------------------------------------------------------ the order of statements */

/* " " separates processes, each a word of shapes; the listing is that of the first process, then
   that of the second, ... */
static void schedules(void)
{
	static const struct {
		const char *why, *processes, *statements; /* a statement: shape and processes */
	} cases[] = {
		{"the same everywhere", "ab ab ab", "a012 b012"},
		{"what some lack", "abc ac bc", "a01 b02 c012"},
		{"again", "aba aba", "a01 b01 a01"},
		{"two orders: one is split", "ab ba", "a0 b01 a1"},
		{"what is alone stands where it may", "ab b", "a0 b01"},
	};
	for (int hasty = 0; hasty < 2; hasty++)
		for (size_t i = 0; i < COUNT(cases); i++) {
			struct schedule s = {.hasty = hasty};
			size_t n = strlen(cases[i].processes);
			struct text text = {0};
			uint32_t process = 0;
			s.construct = mem_array(n, sizeof *s.construct);
			s.process = mem_array(n, sizeof *s.process);
			for (size_t k = 0; k < n; k++) {
				if (cases[i].processes[k] == ' ') {
					process++;
					continue;
				}
				s.construct[s.constructs++] =
					(struct construct){.shape = (uint32_t)(cases[i].processes[k] - 'a'),
						.first_process = s.processes,
						.processes = 1};
				s.process[s.processes++] = process;
			}
			schedule_make(&s, process + 1, 0);
			for (size_t k = 0; k < s.groups; k++) {
				text_format(
					&text, k ? " %c" : "%c", (int)('a' + s.construct[s.order[s.first[k]]].shape));
				for (size_t m = s.first[k]; m < s.first[k + 1]; m++)
					text_format(&text, "%u", s.process[s.construct[s.order[m]].first_process]);
			}
			expect(cases[i].why, &text, cases[i].statements);
			schedule_clear(&s);
		}
}

void suite_inference(CU_pSuite suite)
{
	CU_add_test(suite, "covers", covers);
	CU_add_test(suite, "costs of candidates", costs);
	CU_add_test(suite, "places", places);
	CU_add_test(suite, "statements of an explanation", statements);
	CU_add_test(suite, "values", values);
	CU_add_test(suite, "values at random", values_at_random);
	CU_add_test(suite, "values as remainders", remainders);
	CU_add_test(suite, "grids of peers", grids);
	CU_add_test(suite, "grids of groups", groups);
	CU_add_test(suite, "the order of statements", schedules);
}
