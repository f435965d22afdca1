/*
 * module_of_model.c -- each event and each loop of the model becomes a node once, wherever it
 * stands: steps are counted from the innermost loop outwards, as indices are.
 */
#include "model/module_of_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct making {
	const struct dictionary *dictionary;
	const struct nest *nest;
	struct store *s;
	node_id *event, *loop; /* by id; NODE_NONE: not made so far */
};

static uint32_t word_of(struct making *m, uint32_t word)
{
	const char *bytes = dictionary_get_word(m->dictionary, word);
	return store_word(m->s, bytes, strlen(bytes));
}

static node_id ranks_node(struct making *m, const struct ranks *ranks, bool plain)
{
	return node_make(m->s, NODE_RANKS, plain, 0, store_ranks(m->s, ranks), 0, NULL);
}

static node_id communicator_of(struct making *m, int64_t number)
{
	return number == NO_COMMUNICATOR ? NODE_NONE : number_constant(m->s, number);
}

/* The number in the first iterations, and what it advances by in those of each loop around. */
static node_id advancing(struct making *m, node_id first, const int64_t *steps)
{
	for (size_t k = 0; k < EVENT_LOOPS; k++)
		if (steps[k])
			first = number_add(m->s, first, number_variable(m->s, VARIABLE_INDEX + (int64_t)k), steps[k]);
	assert(first);
	return first;
}

static node_id ring_place(struct making *m, const struct event *e, const struct event_steps *steps)
{
	int64_t move = grid_nearest((int64_t)e->peer - e->process, steps->ring);
	node_id place = number_add(m->s, number_variable(m->s, VARIABLE_P), number_constant(m->s, move), 1);
	return number_remainder(m->s, advancing(m, place, steps->peer), number_constant(m->s, steps->ring));
}

static node_id make_event(struct making *m, uint32_t id)
{
	const struct event *e = dictionary_get_event(m->dictionary, id);
	const struct event_steps *steps = dictionary_get_steps(m->dictionary, e->steps);
	struct ranks_run single;
	struct ranks who = event_processes(m->dictionary, id, &single);
	bool ring = event_advances_on_ring(steps);
	node_id column[COLUMNS] = {[COLUMN_WHO] = ranks_node(m, &who, !ring)};
	uint32_t word = 0;
	const struct sync *sync;
	const struct tag *tag;
	struct ranks group;
	if (kind_has_peer(e->kind))
		column[COLUMN_PEER] = ring ? ring_place(m, e, steps) : number_constant(m->s, e->peer);
	switch (kind_rows[e->kind].subject) {
	case SUBJECT_TAG:
		tag = dictionary_get_tag(m->dictionary, e->subject);
		word = word_of(m, tag->stem);
		column[COLUMN_COMMUNICATOR] = communicator_of(m, tag->communicator);
		if (tag->numbered)
			column[COLUMN_TAG] = advancing(m, number_constant(m->s, (int64_t)tag->number), steps->number);
		break;
	case SUBJECT_SYNC:
		sync = dictionary_get_sync(m->dictionary, e->subject);
		group = dictionary_get_ranks(m->dictionary, sync->group);
		word = word_of(m, sync->name);
		column[COLUMN_GROUP] = ranks_node(m, &group, true);
		column[COLUMN_COMMUNICATOR] = communicator_of(m, sync->communicator);
		column[COLUMN_ROOT] = e->peer == NO_ROOT ? NODE_NONE : number_constant(m->s, e->peer);
		break;
	case SUBJECT_WORD:
		word = word_of(m, e->subject);
		break;
	}
	return node_make(m->s, NODE_EVENT, (int)e->kind, word, 0, COLUMNS, column);
}

static node_id make_body(struct making *, struct body);

/* Recursion as deep as loops nest. */
static node_id statement_of(struct making *m, node n)
{
	node_id *made = node_is_loop(n) ? &m->loop[n & ~NEST_LOOP] : &m->event[n];
	if (!*made && node_is_loop(n)) {
		node_id last = number_constant(m->s, (int64_t)(nest_get(m->nest, n)->count - 1));
		*made = node_make(
			m->s, NODE_LOOP, 0, 0, 0, 3, (node_id[]){NODE_NONE, last, make_body(m, nest_body(m->nest, n))});
	} else if (!*made) {
		*made = make_event(m, n);
	}
	return *made;
}

static node_id make_body(struct making *m, struct body body)
{
	node_id *kid = mem_array(body.length, sizeof *kid);
	for (size_t i = 0; i < body.length; i++)
		kid[i] = statement_of(m, body.node[i]);
	node_id made = node_make(m->s, NODE_SEQUENCE, 0, 0, 0, (uint32_t)body.length, kid);
	free(kid);
	return made;
}

struct module *module_of_model(const struct model *from)
{
	struct module *to = module_new(from->processes, &(struct grid){0});
	struct making m = {from->dictionary, from->nest, to->store,
		mem_zero((dictionary_events(from->dictionary) + (size_t)1) * sizeof *m.event),
		mem_zero((from->nest->loops + 1) * sizeof *m.loop)};
	notes_add_all(&to->notes, &from->notes);
	module_set_body(to, make_body(&m, (struct body){from->nest->root, from->nest->root_length}));
	free(m.event);
	free(m.loop);
	return to;
}
