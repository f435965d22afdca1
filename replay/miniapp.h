/*
 * miniapp.h -- the mini-app of a model, with the times of a profile.
 *
 *	struct miniapp_options options = {.profile = "run.db"};
 *	struct text c = {0};
 *	if (miniapp_print(program, "run.nest", &options, &c, &error)) ...
 */
#ifndef TRACENEST_REPLAY_MINIAPP_H
#define TRACENEST_REPLAY_MINIAPP_H

#include "base/error.h"
#include "base/text.h"
#include "replay/skeleton.h"

struct miniapp_options {
	const char *profile; /* a database (database.h); NULL: computing takes no time */
	struct skeleton_phases *phases; /* (skeleton.h) */
	struct pace **pace; /* NULL; or it gives the profile's, which is the caller's (pace_free) */
	bool lenient; /* messages may be missing (skeleton.h), and collectives left out; */
	bool *left_out; /* ... NULL; or it is told whether any are: posted ones, which would wait forever */
};

/* What to keep of the events of an archive: sizes, and the calls that were made. */
#define MINIAPP_VALUES "bytes,received,call"

/* model: what to call the program. False with *error set: messages or members of collectives are
   missing, or received before they are sent; the profile is of another program. */
bool miniapp_print(
	const struct prepared *, const char *model, const struct miniapp_options *, struct text *c, struct error *);

#endif
