/*
 * matrix.c -- how often each loop is entered, top down (loops stand in the nest after all that they hold), and so how often each event happens.
 *
 * Numbers stay below 2^63, as models do (MODEL_EVENTS_LIMIT).
 */
#include "model/matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/model.h"
#include "model/nest_positions.h"

struct tally {
	const struct model *model;
	uint64_t *loop, *event; /* executions, by id */
};

static void add_body(struct tally *t, struct body body, uint64_t times)
{
	for (size_t i = 0; i < body.length; i++)
		*(node_is_loop(body.node[i]) ? &t->loop[body.node[i] & ~NODE_LOOP] : &t->event[body.node[i]]) += times;
}

static void run_loops(struct tally *t)
{
	const struct nest *n = t->model->nest;
	for (size_t i = n->loops; i-- > 0;)
		if (t->loop[i])
			add_body(t, nest_body(n, (node)i | NODE_LOOP), t->loop[i] * n->loop[i].count);
}

/* How often the run gets to the construct at the end of a path. */
static uint64_t executions_of(const struct model *m, const struct nest_position_path *path)
{
	uint64_t times = 1;
	for (size_t d = 1; d <= path->depth; d++)
		times *= nest_get(m->nest, path->body[d])->count;
	return times;
}

static bool start_part(struct tally *t, const struct matrix_part *part, uint64_t *executions, struct error *error)
{
	struct nest_position_path path;
	if (!nest_positions_path(t->model, part->address, &path, error))
		return false;
	*executions = executions_of(t->model, &path);
	if (!part->per_iteration) {
		add_body(t, (struct body){&path.found, 1}, *executions);
		return true;
	}
	if (!node_is_loop(path.found))
		return error_set(error, ERROR_INPUT, "%s is an event: only loops have iterations", part->address);
	*executions *= nest_get(t->model->nest, path.found)->count;
	add_body(t, nest_body(t->model->nest, path.found), 1);
	return true;
}

/* ------------------------------------------------------------------ from events to cells */

/* In its words or its number alone, with its communicator or whatever that is. */
static bool tag_is(const struct dictionary *d, const struct tag *tag, const char *wanted)
{
	size_t stem = strlen(dictionary_get_word(d, tag->stem));
	bool same = false;
	for (int communicator = 0; communicator < 2 && !same; communicator++) {
		struct text words = {0};
		struct tag shown = *tag;
		if (!communicator)
			shown.communicator = NO_COMMUNICATOR;
		tag_print(d, &shown, &words);
		text_char(&words, '\0');
		same = !strcmp(words.data, wanted) || !strcmp(words.data + stem, wanted);
		text_clear(&words);
	}
	return same;
}

static bool is_message(const struct event *e)
{
	return e->kind == EVENT_SEND || e->kind == EVENT_RECV;
}

bool matrix_counts(const struct model *m, uint32_t event, const char *tag)
{
	const struct event *e = dictionary_get_event(m->dictionary, event);
	return is_message(e) && (!tag || tag_is(m->dictionary, dictionary_get_tag(m->dictionary, e->subject), tag));
}

/* The first few tags, in the order of the model, and how many more there are. */
static void put_tags(const struct dictionary *d, struct text *out)
{
	enum { TOLD = 6 };
	struct intern *tags = intern_new();
	for (uint32_t event = 0; event < dictionary_events(d); event++) {
		const struct event *e = dictionary_get_event(d, event);
		uint32_t known = intern_count(tags);
		if (!is_message(e) || intern_id(tags, &e->subject, sizeof e->subject) != known || known >= TOLD)
			continue;
		text_put(out, known ? ", " : "");
		tag_print(d, dictionary_get_tag(d, e->subject), out);
	}
	if (intern_count(tags) > TOLD)
		text_format(out, " and %" PRIu32 " more", intern_count(tags) - TOLD);
	intern_free(tags);
}

bool matrix_has_tag(const struct model *m, const char *tag, struct error *error)
{
	uint32_t events = dictionary_events(m->dictionary);
	for (uint32_t event = 0; event < events; event++)
		if (matrix_counts(m, event, tag))
			return true;
	struct text tags = {0};
	put_tags(m->dictionary, &tags);
	if (tags.length)
		error_set(error, ERROR_INPUT, "no message has the tag %s: there are %s", tag, tags.data);
	else
		error_set(error, ERROR_INPUT, "no message has the tag %s: there are no messages", tag);
	text_clear(&tags);
	return false;
}

static int by_pair(const void *left, const void *right)
{
	const struct matrix_cell *a = left, *b = right;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return (a->destination > b->destination) - (a->destination < b->destination);
}

static int by_sync(const void *left, const void *right)
{
	uint32_t a = ((const struct matrix_collective *)left)->sync, b = ((const struct matrix_collective *)right)->sync;
	return (a > b) - (a < b);
}

static void join_cells(struct matrix *x)
{
	size_t kept = 0;
	qsort(x->cell, x->cells, sizeof *x->cell, by_pair);
	for (size_t i = 0; i < x->cells; i++) {
		if (kept && !by_pair(&x->cell[kept - 1], &x->cell[i]))
			x->cell[kept - 1].messages += x->cell[i].messages;
		else
			x->cell[kept++] = x->cell[i];
	}
	x->cells = kept;
}

static void join_collectives(struct matrix *x)
{
	size_t kept = 0;
	qsort(x->collective, x->collectives, sizeof *x->collective, by_sync);
	for (size_t i = 0; i < x->collectives; i++) {
		if (kept && x->collective[kept - 1].sync == x->collective[i].sync)
			x->collective[kept - 1].calls += x->collective[i].calls;
		else
			x->collective[kept++] = x->collective[i];
	}
	x->collectives = kept;
}

static void collect_event(struct matrix *x, const struct tally *t, uint32_t event, const char *tag)
{
	const struct event *e = dictionary_get_event(t->model->dictionary, event);
	uint64_t times = t->event[event];
	struct ranks_run single;
	if (e->kind == EVENT_SYNC) {
		struct ranks members = event_processes(t->model->dictionary, event, &single);
		x->collective[x->collectives++] = (struct matrix_collective){e->subject, times * ranks_count(&members)};
	} else if (e->kind == EVENT_SEND && matrix_counts(t->model, event, tag)) {
		x->cell[x->cells++] = (struct matrix_cell){e->process, e->peer, times, 0};
		x->sent += times;
	} else if (e->kind == EVENT_RECV && matrix_counts(t->model, event, tag)) {
		x->received += times;
	}
}

static void collect(struct matrix *x, const struct tally *t, const char *tag)
{
	uint32_t events = dictionary_events(t->model->dictionary);
	x->cell = mem_array(events, sizeof *x->cell);
	x->collective = mem_array(events, sizeof *x->collective);
	for (uint32_t event = 0; event < events; event++)
		if (t->event[event])
			collect_event(x, t, event, tag);
	join_cells(x);
	join_collectives(x);
}

struct matrix *matrix_new(const struct model *m, const struct matrix_part *part, struct error *error)
{
	struct tally t = {
		m, mem_zero(m->nest->loops * sizeof *t.loop), mem_zero(dictionary_events(m->dictionary) * sizeof *t.event)};
	struct matrix *x = mem_zero(sizeof *x);
	x->processes = m->processes;
	x->executions = 1;
	bool good = true;
	if (part->whole)
		add_body(&t, (struct body){m->nest->root, m->nest->root_length}, 1);
	else
		good = start_part(&t, part, &x->executions, error);
	if (good) {
		run_loops(&t);
		collect(x, &t, part->tag);
	}
	free(t.loop);
	free(t.event);
	if (good)
		return x;
	matrix_free(x);
	return NULL;
}

void matrix_free(struct matrix *x)
{
	if (!x)
		return;
	free(x->cell);
	free(x->collective);
	free(x);
}

struct matrix_cell *matrix_find(const struct matrix *x, uint32_t source, uint32_t destination)
{
	struct matrix_cell wanted = {.source = source, .destination = destination};
	return x->cells ? bsearch(&wanted, x->cell, x->cells, sizeof *x->cell, by_pair) : NULL;
}
