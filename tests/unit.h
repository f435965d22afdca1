/*
 * unit.h -- what the CUnit suites share.
 */
#ifndef TRACENEST_TESTS_UNIT_H
#define TRACENEST_TESTS_UNIT_H

#include <CUnit/CUnit.h>

/* How much random testing to do: 1 in every `make test`, more in `make soak` (environment variable TRACENEST_SOAK). */
unsigned soak_factor(void);

#define SUITE(name) void suite_##name(CU_pSuite);
#include "tests/suites.def"
#undef SUITE

#endif
