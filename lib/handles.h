/*
 * handles.h -- what is behind the handles of tracenest.h. Private to those who define its
 * functions.
 */
#ifndef TRACENEST_LIB_HANDLES_H
#define TRACENEST_LIB_HANDLES_H

#include "ask/coverage.h"
#include "ask/offsets.h"
#include "base/error.h"
#include "base/text.h"
#include "lib/tracenest.h"
#include "model/program.h"
#include "profile/time_series.h"

/* Walks that began before others were asked for keep them. */
struct kept_series {
	struct time_series *series;
	size_t users;
};
void kept_series_leave(struct kept_series *); /* NULL is fine */

struct tracenest_program {
	struct program *program;
	struct coverage *coverage; /* who executes its statements; NULL: nobody has asked yet */
	uint32_t *depth; /* by statement; likewise */
	struct addresses addresses; /* likewise */
	struct offsets *offsets; /* likewise */
	char **words; /* the lines of its text; likewise */
	struct kept_series *times; /* when its events were; NULL: not known */
};

/* Ours to theirs, which may be NULL. Gives `good`, so that "return tell(...)" reads well. */
bool tell(bool good, const struct error *, tracenest_error *);

/* The bytes, which the caller gets; *length may be NULL. */
char *give(struct text *, size_t *length);

#endif
