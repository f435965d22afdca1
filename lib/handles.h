/*
 * handles.h -- what is behind the handles of tracenest.h. Private to those who define its
 * functions.
 */
#ifndef TRACENEST_LIB_HANDLES_H
#define TRACENEST_LIB_HANDLES_H

#include "ask/overview.h"
#include "ask/offsets.h"
#include "base/error.h"
#include "base/text.h"
#include "lib/tracenest.h"
#include "model/prepared.h"
#include "profile/time_series.h"

/* Walks that began before others were asked for keep them. */
struct kept_series {
	struct time_series *series;
	size_t users;
};
void kept_series_leave(struct kept_series *); /* NULL is fine */

/* A statement as users count them: what has a condition in its own line is two of that line, the
   condition first. */
struct counted {
	size_t line, inside;
	uint32_t depth;
	bool is_loop, has_line; /* ... that says it: no condition of what is behind it */
};

struct tracenest_program {
	struct prepared *program;
	struct counted *counted;
	size_t statements, capacity;
	size_t *statement; /* by line: what the line says, behind its condition */
	struct overview overview; /* who executes its lines; without lines: nobody has asked yet */
	struct module_addresses addresses; /* likewise */
	struct offsets *offsets; /* likewise */
	char **words; /* its lines; likewise */
	struct kept_series *times; /* when its events were; NULL: not known */
};

/* Ours to theirs, which may be NULL. Gives `good`, so that "return tell(...)" reads well. */
bool tell(bool good, const struct error *, tracenest_error *);

/* The bytes, which the caller gets; *length may be NULL. */
char *give(struct text *, size_t *length);

#endif
