/*
 * plan.h -- what a scanner must do, in the order in which it does it: for the room only.
 *
 * A tree with the loops to be copied; in each body, stretches of requests and loops in the order of the listing.
 */
#ifndef TRACENEST_SCANGEN_PLAN_H
#define TRACENEST_SCANGEN_PLAN_H

#include "model/model.h"
#include "scangen/scangen.h"

/* The same position on all these processes. */
struct plan_place {
	struct ranks ranks;
	struct polynomial position;
};

/* A request, with the positions that it means. */
struct plan_get {
	const struct scan_request *request;
	struct plan_place *place;
	size_t places;
};

struct plan_item {
	bool is_loop;
	size_t get; /* of plan->get, or: */
	uint64_t count;
	struct plan_body *body;
};

struct plan_body {
	struct plan_item *item;
	size_t items, capacity;
	struct ranks ranks; /* that are asked about in it */
};

struct plan {
	struct plan_get *get; /* in the order of the listing */
	size_t gets;
	struct plan_body root;
	size_t depth; /* loops around a record */
};

bool plan_make(struct plan *, const struct model *, const struct nest_positions *, const struct scan_requests *, const char *name,
	struct error *);
void plan_clear(struct plan *);

#endif
