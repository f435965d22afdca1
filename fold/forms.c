/*
 * forms.c -- the events of a model, told apart, and the grid on which they are explained: messages
 * in messages.c, collectives in syncs.c.
 */
#include "fold/forms.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold/infer.h"
#include "fold/messages.h"
#include "fold/syncs.h"

uint32_t chooser_word(struct chooser *c, uint32_t word)
{
	const char *text = dictionary_get_word(c->model->dictionary, word);
	return dictionary_word(c->to->dictionary, text, strlen(text));
}

uint32_t chooser_value(struct chooser *c, struct value v)
{
	return intern_id(c->values, &v, sizeof v);
}

uint32_t chooser_place(struct chooser *c, const struct place *p)
{
	return intern_id(c->places, p, sizeof *p);
}

/* ------------------------------------------------------------------ the events that there are */

/* Mostly that of the message before. */
static uint32_t communicator_value(struct chooser *c, int64_t number)
{
	const struct message *last = c->messages ? &c->message[c->messages - 1] : NULL;
	const struct value *known = last ? intern_data(c->values, last->communicator, NULL) : NULL;
	return known && known->plain.constant == number ? last->communicator : chooser_value(c, value_of(number));
}

static void take_message(struct chooser *c, uint32_t event, const struct event *e)
{
	const struct tag *tag = dictionary_get_tag(c->model->dictionary, e->subject);
	c->message = mem_grow(c->message, &c->message_capacity, c->messages + 1, sizeof *c->message);
	c->message[c->messages] = (struct message){.event = event,
		.turn = (uint32_t)c->messages,
		.kind = e->kind,
		.stem = tag->stem,
		.numbered = tag->numbered,
		.number = tag->numbered ? tag->number : 0,
		.communicator = communicator_value(c, tag->communicator),
		.p = e->process,
		.q = e->peer,
		.value = UINT32_MAX};
	c->messages++;
}

/* Peers that advance do so on the ring of all ranks. */
static void take_ring(struct chooser *c, uint32_t event, const struct event *e, uint32_t ring)
{
	const struct tag *tag = dictionary_get_tag(c->model->dictionary, e->subject);
	struct form form;
	memset(&form, 0, sizeof form);
	form.kind = e->kind;
	form.word = chooser_word(c, tag->stem);
	form.numbered = tag->numbered;
	form.number = tag->number;
	form.peer = place_on_ring(grid_nearest((int64_t)e->peer - e->process, ring), ring);
	form.communicator = value_of(tag->communicator);
	c->form_of[event] = program_form(c->to, &form);
	c->offsets = false;
}

static void take_local(struct chooser *c, uint32_t event, const struct event *e)
{
	struct form form;
	memset(&form, 0, sizeof form);
	form.kind = EVENT_LOCAL;
	form.communicator = value_of(NO_COMMUNICATOR);
	form.word = chooser_word(c, e->subject);
	c->form_of[event] = program_form(c->to, &form);
}

static void take_event(struct chooser *c, uint32_t event, bool *taken)
{
	if (node_is_loop(event) || taken[event])
		return;
	taken[event] = true;
	const struct event *e = dictionary_get_event(c->model->dictionary, event);
	if (e->kind == EVENT_LOCAL) {
		take_local(c, event, e);
	} else if (e->kind == EVENT_SYNC) {
		c->sync = mem_grow(c->sync, &c->sync_capacity, c->syncs + 1, sizeof *c->sync);
		c->sync[c->syncs++] = event;
	} else if (event_advances_on_ring(dictionary_get_steps(c->model->dictionary, e->steps))) {
		take_ring(c, event, e, dictionary_get_steps(c->model->dictionary, e->steps)->ring);
	} else {
		take_message(c, event, e);
	}
}

/* In the order in which the listing has them first. Recursion as deep as loops nest. */
static void take_body(struct chooser *c, struct body body, bool *event_taken, bool *loop_taken)
{
	for (size_t i = 0; i < body.length; i++) {
		node n = body.node[i];
		if (!node_is_loop(n)) {
			take_event(c, n, event_taken);
		} else if (!loop_taken[n & ~NODE_LOOP]) {
			loop_taken[n & ~NODE_LOOP] = true;
			take_body(c, nest_body(c->model->nest, n), event_taken, loop_taken);
		}
	}
}

static void take_events(struct chooser *c)
{
	const struct nest *nest = c->model->nest;
	bool *event_taken = mem_zero(dictionary_events(c->model->dictionary)),
	     *loop_taken = mem_zero(nest->loops + (size_t)1);
	take_body(c, (struct body){nest->root, nest->root_length}, event_taken, loop_taken);
	free(event_taken);
	free(loop_taken);
}

static void find_grid(struct chooser *c)
{
	size_t populations, groups;
	struct population *population = messages_populations(c, &populations);
	struct ranks *group = syncs_groups(c, &groups);
	c->topology.grid = infer_grid(c->model->processes, population, populations, group, groups);
	c->to->grid = c->topology.grid;
	messages_free_populations(population, populations);
	free(group);
}

/* --------------------------------------------------------------- events that have several forms */

static int by_event(const void *a, const void *b)
{
	const struct alias *x = a, *y = b;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return (x->form > y->form) - (x->form < y->form);
}

static void put_aliases(struct chooser *c, struct forms *to)
{
	uint32_t events = dictionary_events(c->model->dictionary);
	to->first_other = mem_zero((events + 1) * sizeof *to->first_other);
	to->other = mem_array(c->aliases, sizeof *to->other);
	if (c->aliases)
		qsort(c->alias, c->aliases, sizeof *c->alias, by_event);
	for (size_t i = 0; i < c->aliases; i++) {
		to->first_other[c->alias[i].event + 1]++;
		to->other[i] = c->alias[i].form;
	}
	for (uint32_t e = 0; e < events; e++)
		to->first_other[e + 1] += to->first_other[e];
}

/* ------------------------------------------------------------------ in public */

void forms_choose(struct forms *to, const struct model *m, struct program *folded, const struct fold_options *options)
{
	uint32_t events = dictionary_events(m->dictionary);
	struct chooser c = {.model = m,
		.to = folded,
		.offsets_only = options->offsets_only,
		.topology.processes = m->processes,
		.form_of = mem_array(events, sizeof(uint32_t)),
		.values = intern_new(),
		.places = intern_new(),
		.offsets = true};
	memset(c.form_of, 0xff, events * sizeof *c.form_of);
	take_events(&c);
	if (!options->offsets_only)
		find_grid(&c);
	syncs_explain(&c);
	messages_explain(&c);
	put_aliases(&c, to);
	to->of = c.form_of;
	to->offsets = c.offsets;
	free(c.message);
	free(c.sync);
	free(c.alias);
	intern_free(c.values);
	intern_free(c.places);
}

void forms_clear(struct forms *f)
{
	free(f->of);
	free(f->first_other);
	free(f->other);
	*f = (struct forms){0};
}
