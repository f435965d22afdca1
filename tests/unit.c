/*
 * unit.c -- runs every CUnit suite, or those named as arguments; the exit status says whether all
 * passed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "model/model.h"
#include "model/prepared.h"
#include "tests/models.h"
#include "tests/unit.h"

unsigned soak_factor(void)
{
	const char *factor = getenv("TRACENEST_SOAK");
	return factor && atoi(factor) > 0 ? (unsigned)atoi(factor) : 1;
}

/* ThreadSanitizer, as gcc and as clang tell it. */
#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define THREADS_WATCHED
#endif
#endif
#if defined __SANITIZE_THREAD__
#define THREADS_WATCHED
#endif

bool watched(void)
{
#if defined TRACENEST_HOSTILE || defined THREADS_WATCHED
	return true;
#else
	return false;
#endif
}

unsigned rounds(unsigned n)
{
	return (watched() ? (n + 9) / 10 : n) * soak_factor();
}

size_t each_of(size_t n)
{
	return watched() ? n : 1;
}

struct model *model_of(const char *text)
{
	struct error error = {0};
	struct model *m = model_parse("m", text, strlen(text), &error);
	if (!m)
		printf("\n%s\n%s\n", text, error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	return m;
}

struct prepared *program_of(const char *text)
{
	struct error error = {0};
	struct prepared *p = prepared_parse("row", text, strlen(text), &error);
	if (!p)
		printf("\n%s\n%s\n", text, error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

static const struct {
	const char *name;
	void (*fill)(CU_pSuite);
} suites[] = {
#define SUITE(name) {#name, suite_##name},
#include "tests/suites.def"
#undef SUITE
};

/* Names of suites are those that run; behind a hyphen, those that do not. */
static int wanted(const char *name, int argc, char **argv)
{
	int named = 0;
	for (int i = 1; i < argc; i++) {
		int except = argv[i][0] == '-';
		if (!strcmp(argv[i] + except, name))
			return !except;
		named |= !except;
	}
	return !named;
}

int main(int argc, char **argv)
{
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 1;
	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
		if (wanted(suites[i].name, argc, argv))
			suites[i].fill(CU_add_suite(suites[i].name, NULL, NULL));
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	unsigned failed = CU_get_number_of_failures();
	unsigned ran = CU_get_number_of_tests_run();
	CU_cleanup_registry();
	return failed || !ran;
}
