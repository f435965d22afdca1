/*
 * constants.c -- a recognizer of ids per process, fed from what the nest of the process stands for.
 */
#include "lib/constants.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "fold/phase.h"
#include "nlr/nlr.h"

/* Events that differ; executed. */
#define DIFFERENT_MOST (UINT32_C(1) << 19)
#define EXECUTED_MOST (UINT64_C(1) << 26)

struct feeding {
	struct model *model;
	struct nlr *nlr;
	struct intern *own; /* the recognizer's numbers of the events */
	uint64_t *index; /* of the loops around, the outermost first */
	size_t depth, capacity;
	uint32_t events_most;
	uint64_t executed;
};

/* The event that one with steps is in this iteration. */
static uint32_t event_now(struct feeding *f, uint32_t event)
{
	struct dictionary *d = f->model->dictionary;
	struct event e = *dictionary_get_event(d, event);
	if (e.steps == EVENT_CONSTANT)
		return event;
	struct event_steps steps = *dictionary_get_steps(d, e.steps);
	struct tag tag = *dictionary_get_tag(d, e.subject);
	int64_t peer = e.peer;
	for (size_t h = 0; h < EVENT_LOOPS && h < f->depth; h++) {
		int64_t index = (int64_t)f->index[f->depth - 1 - h];
		tag.number += (uint64_t)(steps.number[h] * index);
		peer += steps.peer[h] * index;
	}
	int64_t ring = steps.ring;
	e.peer = (uint32_t)(ring ? (peer % ring + ring) % ring : peer);
	e.subject = dictionary_tag(d, &tag);
	e.steps = EVENT_CONSTANT;
	return dictionary_event(d, &e);
}

static bool feed(struct feeding *f, const node *n, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!node_is_loop(n[i])) {
			uint32_t event = event_now(f, n[i]);
			nlr_push(f->nlr, intern_id(f->own, &event, sizeof event));
			if (++f->executed > EXECUTED_MOST || dictionary_events(f->model->dictionary) > f->events_most)
				return false;
			continue;
		}
		struct body body = nest_body(f->model->nest, n[i]);
		f->index = mem_grow(f->index, &f->capacity, f->depth + 1, sizeof *f->index);
		size_t depth = f->depth++;
		for (uint64_t k = 0; k < nest_get(f->model->nest, n[i])->count; k++) {
			f->index[depth] = k;
			if (!feed(f, body.node, body.length))
				return false;
		}
		f->depth--;
	}
	return true;
}

static uint32_t process_of(const struct model *m, node n)
{
	while (node_is_loop(n))
		n = nest_body(m->nest, n).node[0];
	struct ranks_run single;
	return event_processes(m->dictionary, n, &single).run->first;
}

/* From this place of the root on, up to *past. */
static bool add_process(struct feeding *f, const struct nlr_options *options, size_t from, size_t *past, bool turn,
	struct constants *to, bool *turned)
{
	const struct nest *n = f->model->nest;
	uint32_t process = process_of(f->model, n->root[from]);
	for (*past = from; *past < n->root_length && process_of(f->model, n->root[*past]) == process;)
		++*past;
	f->nlr = nlr_new(options);
	f->own = intern_new();
	f->depth = 0;
	bool good = feed(f, n->root + from, *past - from);
	struct nest *made = nlr_finish(f->nlr),
		    *shorter = good && turn ? phase_turned(made, options->repetitions) : NULL;
	uint32_t events = intern_count(f->own), *event = mem_array(events, sizeof *event);
	for (uint32_t i = 0; i < events; i++)
		event[i] = *(const uint32_t *)intern_data(f->own, i, NULL);
	nest_append_all(to->nest, made, event);
	nest_append_all(to->turned, shorter ? shorter : made, event);
	*turned = *turned || shorter;
	nest_free(made);
	nest_free(shorter);
	free(event);
	intern_free(f->own);
	return good;
}

bool constants_of(struct model *m, size_t window, unsigned repetitions, bool turn, struct constants *to)
{
	struct nlr_options options = {.window = window, .repetitions = repetitions};
	struct feeding f = {.model = m, .events_most = dictionary_events(m->dictionary) + DIFFERENT_MOST};
	bool good = true, turned = false;
	*to = (struct constants){nest_new(), nest_new()};
	for (size_t from = 0, past; good && from < m->nest->root_length; from = past)
		good = add_process(&f, &options, from, &past, turn, to, &turned);
	free(f.index);
	if (!turned) {
		nest_free(to->turned);
		to->turned = NULL;
	}
	if (!good)
		constants_clear(to);
	return good;
}

void constants_clear(struct constants *c)
{
	nest_free(c->nest);
	nest_free(c->turned);
	*c = (struct constants){0};
}
