/*
 * build.h -- one system of a scene from the statements of its bodies.
 */
#ifndef TRACENEST_VIZ_BUILD_H
#define TRACENEST_VIZ_BUILD_H

#include "viz/bands.h"
#include "viz/scene.h"
#include "viz/traffic.h"

struct builder;

struct builder *builder_new(struct scene *, const struct traffic *, enum viz_labels);
void builder_free(struct builder *);

/* A loop of the scene that is to be opened: all loops drawn that it stands for. */
struct opening {
	uint32_t item;
	size_t *loop; /* statements */
	size_t loops;
};

/*
 * Append a system to the scene, with its items and links; loops to open are appended to the
 * builder's queue, in order. False where the lanes do not fit (their ranks are out of step): the
 * scene must be made anew with coarser bands.
 */
bool builder_root(struct builder *, const struct entry *, size_t entries, const uint32_t *lane, uint32_t lanes);
bool builder_next(struct builder *); /* the next of the queue */
bool builder_done(const struct builder *);

#endif
