/*
 * profiles.h -- what verbs that analyse runs, and make profiles, share.
 */
#ifndef TRACENEST_CLI_PROFILES_H
#define TRACENEST_CLI_PROFILES_H

#include "cli/options.h"
#include "cli/talk.h"
#include "report/profiling.h"

/* How the program of a run is made and analysed, but for the options of the trace. */
struct account_options settings_account(const struct settings *, struct report *);

/* What the user asked for: how the trace is read but for its own options, what is kept. False with
   *error set: it makes no sense. */
bool profile_options(const struct settings *, struct report *, struct profiling_options *, struct error *);

/* Where --profile is of a parametric program: that computing is an estimate. */
void profile_say_estimate(struct report *, const struct settings *);

#endif
