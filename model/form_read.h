/*
 * form_read.h -- the event of a statement, as a function of the process and of the indices of the
 * loops around it.
 */
#ifndef TRACENEST_MODEL_FORM_READ_H
#define TRACENEST_MODEL_FORM_READ_H

#include "model/program.h"

/*
 * Read "p send p+1 tag{3000+y}" and the like (NUL-terminated, behind the set, comments cut off).
 * set: who executes it, whose communicators may tell groups; STATEMENT_PLAIN: that is not known.
 * False: *error set, without a place.
 */
bool form_parse(struct program *, const struct scope *, uint32_t set, const char *line, struct form *, struct error *);

/*
 * Read "0 send {1+i0} tag{5+2*i0}" and the like: an event of the dictionary; where anything in it
 * is a function of indices, that is 0 there, and the form says all.
 */
bool plain_event_parse(
	struct program *, const struct scope *, const char *line, uint32_t *event, struct form *, struct error *);

#endif
