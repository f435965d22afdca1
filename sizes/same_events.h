/*
 * same_events.h -- do two runs stand for the same events, process by process?
 */
#ifndef TRACENEST_SIZES_SAME_EVENTS_H
#define TRACENEST_SIZES_SAME_EVENTS_H

#include "model/run.h"

/* What they carry is compared where both carry it. told: the first difference, a line of each; may
   be NULL. O(events). */
bool same_events(struct run *of, struct run *as, struct text *told);

#endif
