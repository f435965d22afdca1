/*
 * form_read.h -- the event of a statement over a set of ranks, as a function of the process.
 */
#ifndef TRACENEST_MODEL_FORM_READ_H
#define TRACENEST_MODEL_FORM_READ_H

#include "model/folded.h"

/* Read "p send p+1 tag{3000+y}" and the like (NUL-terminated, behind the set, comments cut off). False: *error set, without a place. */
bool form_parse(struct folded *, const char *line, struct form *, struct error *);

#endif
