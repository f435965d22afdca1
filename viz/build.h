/*
 * build.h -- one system of a scene from the listings of its bodies.
 */
#ifndef TRACENEST_VIZ_BUILD_H
#define TRACENEST_VIZ_BUILD_H

#include "viz/bands.h"
#include "viz/flows.h"
#include "viz/scene.h"

struct builder;

struct builder *builder_new(struct scene *, struct flows *, const uint32_t *lane_of);
void builder_free(struct builder *);

/* A loop of the scene that is to be opened: the bodies of all loops of the model that it stands for, borrowed from the builder. */
struct opening {
	uint32_t item;
	node *loop;
	uint32_t *place; /* of each among the times */
	size_t loops;
};

/*
 * Append a system to the scene, with its items and links; loops to open are appended to the builder's queue, in order.
 * False where the lanes do not fit (their ranks are out of step): the scene must be made anew with coarser bands.
 */
bool builder_root(struct builder *, const struct entry *, size_t entries, const uint32_t *lane, uint32_t lanes);
bool builder_next(struct builder *); /* the next of the queue */
bool builder_done(const struct builder *);

#endif
