/*
 * plan.h -- what a scanner must do, in the order in which it does it: for the room only.
 *
 * A tree with the loops to be copied; in each body, stretches of requests and loops in the order of
 * the text.
 */
#ifndef TRACENEST_SCANGEN_PLAN_H
#define TRACENEST_SCANGEN_PLAN_H

#include "ask/offsets.h"
#include "scangen/scangen.h"

/* A request, with the positions that it means. */
struct plan_get {
	const struct scan_request *request;
	struct position_places places;
};

struct plan_item {
	bool is_loop;
	size_t get; /* of plan->get, or: */
	size_t loop; /* the line of the loop, of the guard, or of the event that only some have */
	bool indexed; /* it is a loop */
	struct plan_body *body;
};

struct plan_body {
	struct plan_item *item;
	size_t items, capacity;
	struct ranks ranks; /* that are asked about in it */
};

struct plan {
	struct plan_get *get; /* in the order of the text */
	size_t gets;
	struct plan_body root;
	size_t depth; /* loops around a record, without guards */
};

bool plan_make(struct plan *, struct run *, const struct offsets *, const struct scan_requests *, const char *name,
	struct error *);
void plan_clear(struct plan *);

#endif
