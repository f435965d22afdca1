/*
 * test_positions.c -- polynomials, positions, and the text that tells them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/program.h"
#include "model/model.h"
#include "model/positions.h"
#include "model/statement_positions.h"
#include "tests/random_program.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ polynomials */

static const uint32_t i0[] = {0}, i1[] = {1}, i0i0[] = {0, 0};

static void test_polynomials(void)
{
	struct polynomial p = {0};
	struct text text = {0};
	int64_t value;
	polynomial_print(&p, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "0");
	CU_ASSERT(polynomial_add(&p, 644, i0, 1));
	CU_ASSERT(polynomial_add(&p, 671, NULL, 0));
	CU_ASSERT(polynomial_add(&p, -3, i0i0, 2));
	CU_ASSERT(polynomial_add(&p, 1, i1, 1));
	text_truncate(&text, 0);
	polynomial_print(&p, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "671 + 644 * i0 + i1 - 3 * i0 * i0");
	CU_ASSERT(polynomial_value(&p, (int64_t[]){10, 5}, &value));
	CU_ASSERT_EQUAL(value, 671 + 6440 + 5 - 300);
	CU_ASSERT_EQUAL(polynomial_coefficient(&p, i0, 1), 644);
	CU_ASSERT(polynomial_add(&p, -644, i0, 1));
	CU_ASSERT_EQUAL(polynomial_coefficient(&p, i0, 1), 0);
	CU_ASSERT_EQUAL(p.terms, 3);
	text_clear(&text);
	polynomial_clear(&p);
}

static void test_overflow(void)
{
	struct polynomial p = {0};
	int64_t value;
	CU_ASSERT(polynomial_add(&p, INT64_MAX, NULL, 0));
	CU_ASSERT_FALSE(polynomial_add(&p, 1, NULL, 0));
	CU_ASSERT_EQUAL(polynomial_coefficient(&p, NULL, 0), INT64_MAX);
	CU_ASSERT(polynomial_add(&p, 1, i0, 1));
	CU_ASSERT_FALSE(polynomial_value(&p, (int64_t[]){1}, &value));
	CU_ASSERT(polynomial_value(&p, (int64_t[]){0}, &value));
	CU_ASSERT_EQUAL(value, INT64_MAX);
	polynomial_clear(&p);
	CU_ASSERT(polynomial_add(&p, INT64_MAX / 2, i0i0, 2));
	CU_ASSERT_FALSE(polynomial_value(&p, (int64_t[]){2}, &value));
	polynomial_clear(&p);
}

/* ------------------------------------------------------------------ Figure 8 */

static void put_positions(const struct model *m, struct text *out)
{
	struct error error = {0};
	struct positions *p = positions_new(m, &error);
	struct output *file = output_open("positions.tmp", &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	model_print_positions(m, p, file);
	CU_ASSERT(output_close(file, &error));
	FILE *back = fopen("positions.tmp", "r");
	char buffer[4096];
	for (size_t got; back && (got = fread(buffer, 1, sizeof buffer, back));)
		text_add(out, buffer, got);
	if (back)
		fclose(back);
	remove("positions.tmp");
	positions_free(p);
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
	struct model *m = model_of(model);
	struct text text = {0};
	put_positions(m, &text);
	CU_ASSERT_STRING_EQUAL(text.data, wanted);
	struct model *again = model_of(text.data);
	CU_ASSERT(model_equal(m, again));
	model_free(again);
	model_free(m);
	text_clear(&text);
}

static void test_large(void)
{
	struct error error = {0};
	struct model *m = model_of("// tracenest 1\n// processes 2\nfor a = 0 to 999999999999999999\n  0 send 1 tag1\n  0 recv 1 "
				"tag1\ndone\n0 local last\n");
	struct positions *p = positions_new(m, &error);
	struct position_path *path = mem_alloc(sizeof *path);
	struct polynomial at = {0};
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT(positions_path(m, "1", path, &error));
	CU_ASSERT(positions_polynomial(p, path, POSITION_START, 0, &at, &error));
	CU_ASSERT_EQUAL(polynomial_coefficient(&at, NULL, 0), 1000000000000000000);
	CU_ASSERT_FALSE(positions_polynomial(p, path, POSITION_START, 1, &at, &error));
	CU_ASSERT_FALSE(positions_path(m, "2", path, &error));
	CU_ASSERT_FALSE(positions_path(m, "1.0", path, &error));
	polynomial_clear(&at);
	free(path);
	positions_free(p);
	model_free(m);
}

/* ------------------------------------------------------------------ random programs */

struct checking {
	const struct model *model;
	const struct positions *positions;
	struct position_path path;
	uint64_t checked, wrong;
};

static void check_visit(void *context, const struct random_program_visit *v)
{
	static const enum position_end ends[] = {POSITION_START, POSITION_END, POSITION_ITERATION, POSITION_ITERATION_END};
	struct checking *c = context;
	struct error error = {0};
	struct polynomial p = {0};
	int64_t value = -1;
	bool good = positions_path(c->model, v->address, &c->path, &error) &&
		    positions_polynomial(c->positions, &c->path, ends[v->place], v->rank, &p, &error) &&
		    polynomial_value(&p, v->index, &value);
	c->wrong += !good || (uint64_t)value != v->position;
	c->checked++;
	polynomial_clear(&p);
}

static void test_random(void)
{
	struct checking *c = mem_zero(sizeof *c);
	for (unsigned seed = 0; seed < 300 * soak_factor(); seed++) {
		struct random_program *p = random_program_new(seed, true);
		struct text text = {0};
		struct error error = {0};
		random_program_print(p, false, &text);
		struct model *m = model_of(text.data);
		c->model = m;
		c->positions = positions_new(m, &error);
		for (uint32_t rank = 0; rank < PROGRAM_RANKS; rank++)
			random_program_run(p, rank, check_visit, c);
		positions_free((struct positions *)c->positions);
		model_free(m);
		text_clear(&text);
		random_program_free(p);
	}
	CU_ASSERT(c->checked > 10000);
	CU_ASSERT_EQUAL(c->wrong, 0);
	free(c);
}

/* ------------------------------------------------------------------ programs that advance */

static void advancing(void)
{
	static const struct {
		const char *why, *text;
	} cases[] = {
		{"a growing triangle: sums of sums",
			"for i0 = 0 to 4 // @{0-3=0}\n  // #{0=2+i0,1-2=3+2*i0,3=2+i0}\n  [0-3] p sync S 0-3 // @{0-3=0}\n"
			"  [0-3] for i1 = 0 to {i0} // @{0-3=1}\n    // #{0=1,1-2=2,3=1}\n    [1-3] p-1 recv p t // @{1-3=0}\n"
			"    [0-2] p send p+1 t // @{0=0,1-2=1}\n  done\ndone\n0 send 1 u // @{0=20}\n"},
		{"processes that have no part have no position",
			"[1-2] for i0 = 0 to 9 // @{1-2=0}\n  // #{1=1,2=2}\n  [1-2] p send p+1 t{i0} // @{1-2=0}\n"
			"  [2] p send p+1 u // @{2=1}\ndone\n"},
		{"after a triangle in a loop",
			"for i0 = 0 to 3 // @{0=0}\n  // #{0=(2+i0+i0*i0)/2}\n  for i1 = 0 to {i0} // @{0=0}\n"
			"    // #{0=i1}\n    for i2 = 0 to {-1+i1} // @{0=0}\n      // #{0=1}\n      0 send 1 t // @{0=0}\n    done\n  done\n"
			"  0 send 1 u // @{0=(i0+i0*i0)/2}\ndone\n"},
		{"counts below 0 make no polynomial",
			"for i0 = 0 to 5 // @{0=0}\n  // #{0=?}\n  for i1 = 0 to {-3+i0} // @{0=0}\n    // #{0=1}\n    0 send 1 t // @{0=0}\n"
			"  done\n  0 send 1 u // @{0=?}\ndone\n"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text text = {0}, printed = {0};
		struct error error = {0};
		text_put(&text, "// tracenest 1\n// processes 4\n");
		text_put(&text, cases[i].text);
		struct program *f = program_parse(cases[i].why, text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		struct statement_positions *p = statement_positions_new(f);
		program_print_positions_text(f, p, &printed);
		const char *listing = strstr(printed.data, "// events");
		listing = strchr(listing, '\n') + 1;
		if (strcmp(listing, cases[i].text)) {
			fprintf(stderr, "\n%s: is\n%sinstead of\n%s", cases[i].why, listing, cases[i].text);
			CU_FAIL("other positions");
		}
		statement_positions_free(p);
		program_free(f);
		text_clear(&text);
		text_clear(&printed);
	}
}

void suite_positions(CU_pSuite suite)
{
	CU_add_test(suite, "polynomials add up and print as C", test_polynomials);
	CU_add_test(suite, "what 64 bits cannot hold is refused", test_overflow);
	CU_add_test(suite, "the text of Figure 8", test_figure_8);
	CU_add_test(suite, "a loop of 10^18 iterations", test_large);
	CU_add_test(suite, "random programs, run naively", test_random);
	CU_add_test(suite, "programs that advance", advancing);
}
