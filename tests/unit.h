/*
 * unit.h -- what the CUnit suites share.
 */
#ifndef TRACENEST_TESTS_UNIT_H
#define TRACENEST_TESTS_UNIT_H

#include <stdbool.h>

#include <CUnit/CUnit.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* How much random testing to do: 1 in every `make test`, more in `make soak` (environment variable
   TRACENEST_SOAK). */
unsigned soak_factor(void);

/* Is this a hostile build, or one with ThreadSanitizer? They look for misuse of memory and of
   threads, at ten times the cost, where the plain build has seen the results: what proves a cost
   by its size, or the same of many, is left to that. */
bool watched(void);

/* So many rounds of random testing, times the soak factor; a tenth of them where it is watched. */
unsigned rounds(unsigned n);

/* The step through a table of programs that take the same ways: 1, and n where it is watched. */
size_t each_of(size_t n);

/* The model, the program that is this text, which must be right; the caller's. */
struct model *model_of(const char *text);
struct prepared *program_of(const char *text);

#define SUITE(name) void suite_##name(CU_pSuite);
#include "tests/suites.def"
#undef SUITE

#endif
