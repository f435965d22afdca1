/*
 * helpers.h -- what mini-apps have in common: functions that pass on data, read options, and tell
 * times. Each is printed only where it is called.
 */
#ifndef TRACENEST_REPLAY_HELPERS_H
#define TRACENEST_REPLAY_HELPERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum helper {
#define HELPER(id, name, ...) HELPER_##id,
#include "replay/helpers.def"
#undef HELPER
	HELPERS
};

#define HELPER_BIT(helper) (UINT64_C(1) << (helper))

/* Helpers in which another call of MPI stands for the one in their text. */
enum variant {
	VARIANT_WAITANY, /* ... instead of MPI_Wait: waitany_for() */
	VARIANT_WAITSOME,
	VARIANT_TEST,
	VARIANT_TESTANY,
	VARIANT_TESTSOME,
	VARIANT_TESTALL, /* instead of MPI_Waitall: test_all() */
	VARIANT_STARTALL, /* instead of MPI_Start: startall() */
	VARIANTS
};

/* Functions that a program calls, by helper, a bit each. */
struct helpers {
	uint64_t plain;
	uint64_t posted; /* collective calls in two, MPI_Ibcast and MPI_Wait, called as the others with an i before */
	uint64_t variant[VARIANTS];
};

/* They and what they call. */
void helpers_print(const struct helpers *, struct text *);

/* What the function of a helper is called in a variant. */
void helper_put_variant(enum helper, enum variant, struct text *);

/* The one that makes a collective call, "MPI_Bcast" or "MPI_Ibcast"; HELPERS: there is none. */
enum helper helper_of(const char *operation, bool *posted);

enum helper helper_of_name(const char *function);

const char *helper_name(enum helper); /* of its function, "bcast" */
const char *helper_operation(enum helper); /* "MPI_Bcast" */

#endif
