/*
 * parametric.h -- a text for every number of processes, and instances of it: as many as are asked
 * for, while the text is read at the extents of its runs once.
 *
 *	struct parametric *app = parametric_read("APP.nest", bytes, length, &error);
 *	struct draft *made = parametric_instance(app, &asked, false, &doubts, NULL, &error);
 *	parametric_free(app);
 */
#ifndef TRACENEST_SIZES_PARAMETRIC_H
#define TRACENEST_SIZES_PARAMETRIC_H

#include "model/draft.h"
#include "model/run.h"
#include "sizes/doubts.h"
#include "sizes/number_space.h"

struct parametric;

/* Borrows name and bytes. NULL with *error set: it is none, or was edited. */
struct parametric *parametric_read(const char *name, const char *bytes, size_t length, struct error *);
void parametric_free(struct parametric *);

/* What it was learned from; borrowed. */
const struct learned_runs *parametric_runs(const struct parametric *);

/* What is asked for with the grid that all rules make, and the parameters that no run has
   otherwise. False with *error set: there is no such grid, or more has to be asked for. */
bool parametric_extents(const struct parametric *, const struct extents *asked, struct extents *, struct error *);

/* As instantiate (generalize_runs.h). origin (may be NULL): as parametric_at. */
struct draft *parametric_instance(struct parametric *, const struct extents *asked, bool lenient, struct doubts *,
	size_t **origin, struct error *);

/* The same as a run of the text, which the parametric has. */
struct run *parametric_run(struct parametric *, const struct extents *asked, struct doubts *, struct error *);

/* Extents that show what is the same at all larger ones: grids of four by four and the like, or
   eight processes, where there is such an instance; else those of a learned run. NULL with *error
   set. */
struct draft *parametric_sample(struct parametric *, struct doubts *, size_t **origin, struct error *);

/* The text at these extents, whatever is decided. origin: by line, which it is of the text's
   without calls; the caller's. NULL with *error set. */
struct draft *parametric_at(const struct parametric *, const struct extents *, size_t **origin, struct error *);

/* The lines of the text without calls, as they are written: how many, borrowed. */
size_t parametric_lines(struct parametric *, const char *const **line);

#endif
