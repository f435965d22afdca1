/*
 * scaled_profile.h -- how long the statements of a parametric program compute, on any number of
 * processes: a profile of what was measured on several, and estimates from it.
 *
 *	const char *run[] = {"4.db", "9.db", "16.db", "25.db", "36.db"};
 *	scaled_profile_write("app.db", "APP.nest", &text, run, 5, &facts, &error);
 *	struct pace *pace = scaled_profile_pace("app.db", program_on_64, "M.nest", &error);
 *
 * What is measured is the median of the time before the call, of each statement, arrival
 * (ask/arrival.h) and role: processes that execute the same statements of the text. Over numbers of
 * processes it becomes a function of the performance model normal form, cross-validated
 * (fit/scaling.h), of at least SCALING_FEWEST; a role that fewer runs have takes what its statement
 * takes in the mean of all roles. These are estimates, with prediction intervals of 95 %.
 */
#ifndef TRACENEST_LIB_SCALED_PROFILE_H
#define TRACENEST_LIB_SCALED_PROFILE_H

#include "base/error.h"
#include "base/text.h"
#include "model/run.h"
#include "profile/pace.h"
#include "sizes/doubts.h"

struct scaled_profile_facts {
	uint32_t least, most; /* processes */
	struct doubts doubts; /* about the first instance that has any: the caller's */
	size_t measured, fitted; /* statements by role and arrival; those that enough runs have */
};

/* Each run: a profile of the instance on its number of processes (database.h). False with *error
   set: it is of another program, two are of one number of processes, or there are too few. */
bool scaled_profile_write(const char *path, const char *name, const struct text *app, const char *const *run,
	size_t runs, struct scaled_profile_facts *, struct error *);

/* As database_pace; of a scaled profile, where the program is an instance of what it is of, what is
   to be expected: rows with ranges (pace_is_estimate). */
struct pace *scaled_profile_pace(const char *path, struct run *, const char *model, struct error *);

/* False of what is none, too. */
bool scaled_profile_is(const char *path);

#endif
