/*
 * activations.h -- calls of functions, read off the call paths of what each process did.
 *
 *	path of events		main > run > step, main > run > step, main > run > output, ...
 *	activations		main: run;  run: step step output ...
 *
 * (Design 18.) The path of each event is followed from the outside in as far as it is what is open;
 * the first frame that differs is a new step of the activation that holds it. A step that is not
 * behind the last one of its activation may be an iteration of a loop there, or a new activation:
 * that is decided for each function by what its activations look like where they are called.
 *
 * A step is a call: its place, and which function it calls where that is known; or, of the
 * innermost call of a path, the shape of an event. A context is a step with all those around it.
 *
 * Where it is known which calls were made since the event before (struct call_point), these are new
 * activations; where it is known that others were not, their activations go on. What follows what
 * inside of such an activation, and what begins one where another has ended, decides for all lanes.
 */
#ifndef TRACENEST_MERGE_ACTIVATIONS_H
#define TRACENEST_MERGE_ACTIVATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/call_paths.h"

#define STEP_NONE UINT32_MAX
#define CONTEXT_ROOT UINT32_C(0) /* around all calls */
#define CONTEXT_NONE UINT32_MAX

/* What a lane did, event by event. */
struct path_events {
	struct call_point *point; /* of call_paths */
	uint32_t *shape; /* equal for what may be one statement */
	size_t length;
};

struct activations;

/* Borrows all. kind: by shape; what is passed by one call comes in the order of kinds. O(events x
   rounds); rounds are ACTIVATION_ROUNDS at most. */
struct activations *activations_new(
	const struct call_paths *, const uint32_t *kind, const struct path_events *lane, uint32_t lanes);
void activations_free(struct activations *);

/* Steps and contexts are below these numbers. */
uint32_t activations_steps(const struct activations *);
uint32_t activations_contexts(const struct activations *);

/* Which function the step is in: the same number for its steps. */
uint32_t activations_function(const struct activations *, uint32_t step);

/* Does it call a function of the program? Else it is an event, or passes events on. */
bool activations_calls(const struct activations *, uint32_t step);

/* Where the call stands: steps at one place are one call, of several functions. */
uint32_t activations_place(const struct activations *, uint32_t step);

/* -1, 0, 1: is a step before another one of its function, in the order of the program's text? */
int activations_order(const struct activations *, uint32_t a, uint32_t b);

/* The context of a step in this one, CONTEXT_NONE: it never is; any step in it, STEP_NONE: it is an
   event's, of which the shape is told. */
uint32_t activations_inside(const struct activations *, uint32_t context, uint32_t step);
uint32_t activations_step_in(const struct activations *, uint32_t context);

uint32_t activations_shape(const struct activations *, uint32_t context);

/* What activations did, each way once. Borrowed. */
struct activation_run {
	uint32_t function;
	const uint32_t *step;
	size_t length;
};
size_t activations_runs(const struct activations *);
struct activation_run activations_run(const struct activations *, size_t i);

/* What a lane does: the activation at this level (0: of the root) is opened; goes on from one step
   to the next (STEP_NONE: from its beginning); an event happens in the activations that are open,
   those at levels 0 to `level`. */
struct activation_client {
	void *context;
	void (*open)(void *context, uint32_t level);
	void (*step)(void *context, uint32_t level, uint32_t from, uint32_t to);
	void (*event)(void *context, uint32_t level, uint32_t of);
};
void activations_walk(struct activations *, uint32_t lane, const struct activation_client *);

#endif
