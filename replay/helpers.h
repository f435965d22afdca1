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

typedef unsigned __int128 helper_bits;
#define HELPER_BIT(helper) ((helper_bits)1 << (helper))

/* What a collective call is told: a root; an operation; where blocks differ, what each process sends,
   and gets; its window alone, and of one that is made how large it is. */
enum { TAKES_ROOT = 1, TAKES_SENT = 2, TAKES_RECEIVED = 4, TAKES_OPERATION = 8, TAKES_WINDOW = 16 };

extern const struct helper_row {
	const char *name; /* of its function, "bcast" */
	helper_bits calls; /* helpers, a bit each */
	const char *operation; /* "MPI_Bcast"; NULL: it makes no collective call */
	unsigned takes;
} helper_rows[HELPERS];

/* By which call requests are completed. Functions that do so have variants in which this one stands
   for the one in their text: waitany_for(). */
enum completing {
	COMPLETING_WAIT,
	COMPLETING_WAITANY,
	COMPLETING_WAITSOME,
	COMPLETING_TEST,
	COMPLETING_TESTANY,
	COMPLETING_TESTSOME,
	COMPLETING_WAITALL, /* with others, as the next one */
	COMPLETING_TESTALL, /* instead of MPI_Waitall: test_all() */
	STARTING_ALL, /* the same of MPI_Startall, instead of MPI_Start: startall() */
	COMPLETINGS
};

/* "MPI_Waitany"; other calls complete as MPI_Wait does. */
enum completing completing_of(const char *call);

/* Functions that a program calls, by helper, a bit each. */
struct helpers {
	helper_bits called[COMPLETINGS]; /* as they stand, and all that have no variant: COMPLETING_WAIT */
	helper_bits
		posted; /* collective calls in two, MPI_Ibcast and MPI_Wait, called as the others with an i before */
};

/* They and what they call. */
void helpers_print(const struct helpers *, struct text *);

/* Begin a call, "waitany_for(", of which the helpers take note. */
void helper_call(struct helpers *, enum helper, enum completing, struct text *);

/* The one that makes a collective call, "MPI_Bcast" or "MPI_Ibcast"; HELPERS: there is none. */
enum helper helper_of(const char *operation, bool *posted);

enum helper helper_of_name(const char *function);

#endif
