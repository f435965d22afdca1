/*
 * projection.h -- the part of a model that one process executes, walked event by event.
 *
 *	struct projection *p = projection_new(m, NULL);
 *	struct walk *w = walk_new(p, rank);
 *	for (uint32_t event; walk_next(w, &event);)
 *		event_print_as(m->dictionary, event, rank, &text);
 *	walk_free(w);
 *
 * A projection is built once, at most of the size of the coverage (the sum over constructs of the processes they cover;
 * constructs that all processes of their body cover count once), and serves any number of walks, from any threads. It
 * borrows the model, which must not change.
 */
#ifndef TRACENEST_MODEL_PROJECTION_H
#define TRACENEST_MODEL_PROJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ranks.h"
#include "model/nest.h"

struct model;
struct projection;
struct walk;

/* wanted: prepare walks of these ranks only; NULL: of all. */
struct projection *projection_new(const struct model *, const struct ranks *wanted);
void projection_free(struct projection *);

/* Number of events of one process (0 if it was not wanted); UINT64_MAX: that many or more. O(log processes). */
uint64_t projection_events(const struct projection *, uint32_t rank);

/* Walk over the events of one process, in order: O(1) amortized per event but for O(log processes) at each entry of a loop
   in which processes differ; O(depth) memory. The projection must outlive the walk. */
struct walk *walk_new(const struct projection *, uint32_t rank);

/* The next event, as it stands in the model: of a sync of several processes their common one (see event_as). False at the end. */
bool walk_next(struct walk *, uint32_t *event);
void walk_free(struct walk *);

#endif
