/*
 * fold.c -- bodies folded from the inside out.
 *
 * A shape is what a construct is, whoever executes it: of an event its form (forms.h); of a loop
 * its count and the shapes of the groups of its folded body, in order. Constructs of equal shapes
 * may become one statement; schedule.c decides which do. A folded body is a sequence of pieces,
 * each a shape with a set of ranks; where loops become one statement, the sets of their pieces are
 * united, one by one.
 *
 * A loop whose processes do not all communicate inside it, which merge_reduce never makes, is kept
 * as a plain one, as unfolding would take it apart; so is the order of a body with a loop of no
 * iterations, which nobody executes.
 */
#include "fold/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold/alike.h"
#include "fold/connect.h"
#include "fold/forms.h"
#include "fold/pieces.h"
#include "fold/schedule.h"

/* Statements that are nearly as many as the constructs were, and so many: other forms are not worth
   their time. */
#define HOPELESS_LENGTH 100000

struct program_loop {
	bool whole; /* its processes communicate in it */
	struct open_end *end;
	size_t ends, end_capacity;
	uint32_t shape; /* of the folding under way, as `inside` */
	struct pieces *inside;
};

/* Foldings of one model, each by other forms: what they share, and the one under way. */
struct folder {
	const struct model *model;
	struct nest_coverage *coverage;
	struct connections *connections;
	struct arena *arena;
	struct program *to; /* whose forms these are */
	struct forms forms;
	bool alike; /* processes that do alike agree on forms, where events have several */
	struct intern *shapes;
	struct intern *steps; /* struct event_steps, without rings and channels */
	struct program_loop *loop; /* by loop of the nest */
	struct schedule schedule; /* scratch */
};

/* ------------------------------------------------------------------ shapes */

/* How an event advances, whatever its channel: an id. */
static uint32_t steps_of(struct folder *f, uint32_t event)
{
	const struct dictionary *d = f->model->dictionary;
	uint32_t id = dictionary_get_event(d, event)->steps;
	if (id == EVENT_CONSTANT)
		return EVENT_CONSTANT;
	struct event_steps steps = *dictionary_get_steps(d, id);
	steps.channel = 0;
	steps.ring = 0;
	return 1 + intern_id(f->steps, &steps, sizeof steps);
}

/* The shape of an event of this form. */
static uint32_t form_shape(struct folder *f, uint32_t form, uint32_t event)
{
	uint32_t key[3] = {0, form, steps_of(f, event)};
	return intern_id(f->shapes, key, sizeof key);
}

static uint32_t event_shape(struct folder *f, uint32_t event)
{
	return form_shape(f, f->forms.of[event], event);
}

static uint32_t form_of_shape(const struct folder *f, uint32_t shape)
{
	const uint32_t *key = intern_data(f->shapes, shape, NULL);
	return key[1];
}

/* Kept loops are equal to none but themselves. */
static uint32_t loop_shape(struct folder *f, node loop, bool whole, const struct pieces *inside)
{
	uint64_t count = nest_get(f->model->nest, loop)->count;
	uint32_t *key = mem_array(inside->length + 4, sizeof *key);
	key[0] = 1;
	key[1] = whole ? 0 : 1 + (loop & ~NODE_LOOP);
	key[2] = (uint32_t)count;
	key[3] = (uint32_t)(count >> 32);
	for (size_t i = 0; i < inside->length; i++)
		key[4 + i] = inside->piece[i].shape;
	uint32_t shape = intern_id(f->shapes, key, (inside->length + 4) * sizeof *key);
	free(key);
	return shape;
}

/* ------------------------------------------------------------------ groups become pieces */

static struct piece group_piece(struct folder *f, const node *body, const uint32_t *construct, size_t constructs)
{
	const struct schedule *s = &f->schedule;
	node first = body[construct[0]];
	struct piece piece = {.shape = s->construct[construct[0]].shape};
	if (node_is_loop(first)) {
		const struct program_loop *l = &f->loop[first & ~NODE_LOOP];
		piece.plain = !l->whole;
		piece.count = nest_get(f->model->nest, first)->count;
		struct pieces **inside = mem_array(constructs, sizeof *inside);
		for (size_t i = 0; i < constructs; i++)
			inside[i] = f->loop[body[construct[i]] & ~NODE_LOOP].inside;
		piece.inside = pieces_unite(f->arena, inside, constructs);
		free(inside);
	} else {
		piece.event = first;
		piece.form = form_of_shape(f, piece.shape);
	}
	size_t processes = 0, at = 0;
	for (size_t i = 0; i < constructs; i++)
		processes += s->construct[construct[i]].processes;
	uint32_t *process = mem_array(processes, sizeof *process);
	for (size_t i = 0; i < constructs; i++) {
		const struct construct *c = &s->construct[construct[i]];
		memcpy(process + at, s->process + c->first_process, c->processes * sizeof *process);
		at += c->processes;
	}
	piece.set = pieces_set(f->arena, process, processes);
	free(process);
	return piece;
}

static void add_construct(struct folder *f, node n)
{
	struct schedule *s = &f->schedule;
	struct construct c = {.first_end = s->ends, .first_process = s->processes};
	struct ranks_run single;
	struct ranks who;
	if (node_is_loop(n)) {
		const struct program_loop *l = &f->loop[n & ~NODE_LOOP];
		c.shape = l->shape;
		c.ends = l->ends;
		who = *nest_coverage_loop(f->coverage, n);
		s->end = mem_grow(s->end, &s->end_capacity, s->ends + l->ends, sizeof *s->end);
		if (l->ends)
			memcpy(s->end + s->ends, l->end, l->ends * sizeof *s->end);
		s->ends += l->ends;
	} else {
		c.shape = event_shape(f, n);
		who = event_processes(f->model->dictionary, n, &single);
	}
	struct ranks_walk walk = {0};
	s->process = mem_grow(s->process, &s->process_capacity, s->processes + ranks_count(&who), sizeof *s->process);
	for (uint32_t p; ranks_next(&who, &walk, &p);)
		s->process[s->processes++] = p;
	c.processes = s->processes - c.first_process;
	s->construct = mem_grow(s->construct, &s->construct_capacity, s->constructs + 1, sizeof *s->construct);
	s->construct[s->constructs++] = c;
}

/* ------------------------------------------------------------------ bodies */

static struct pieces *fold_in_order(struct folder *f, struct body body);

/* Will no statement have a set? Then the listing stays as it is in the model. */
static bool nothing_folds(const struct folder *f, struct body body)
{
	const struct schedule *s = &f->schedule;
	for (size_t i = 0; i < s->constructs; i++) {
		bool kept = node_is_loop(body.node[i]) && !f->loop[body.node[i] & ~NODE_LOOP].whole;
		if (!kept && s->construct[i].processes > 1)
			return false;
	}
	return s->groups == s->constructs;
}

static void choose_alike(struct folder *f, struct body body)
{
	struct schedule *s = &f->schedule;
	uint32_t *form = mem_array(s->constructs, sizeof *form);
	for (size_t i = 0; i < s->constructs; i++)
		form[i] = node_is_loop(body.node[i]) ? 0 : f->forms.of[body.node[i]];
	alike_choose(f->model, &f->forms, body, s, form);
	for (size_t i = 0; i < s->constructs; i++)
		if (!node_is_loop(body.node[i]))
			s->construct[i].shape = form_shape(f, form[i], body.node[i]);
	free(form);
}

/* alone: it is of no loop that may become one with others. */
static struct pieces *fold_body(struct folder *f, struct body body, bool alone)
{
	struct schedule *s = &f->schedule;
	*s = (struct schedule){0};
	for (size_t i = 0; i < body.length; i++) {
		if (node_is_loop(body.node[i]) && nest_coverage_of(f->coverage, body.node[i]) == NEST_COVERAGE_NONE) {
			schedule_clear(s);
			return fold_in_order(f, body);
		}
		add_construct(f, body.node[i]);
	}
	if (f->alike)
		choose_alike(f, body);
	schedule_make(s, f->model->processes, connections_channels(f->connections));
	if (alone && nothing_folds(f, body)) {
		schedule_clear(s);
		return fold_in_order(f, body);
	}
	struct pieces *pieces = pieces_new(f->arena, s->groups);
	for (size_t i = 0; i < s->groups; i++)
		pieces->piece[i] = group_piece(f, body.node, s->order + s->first[i], s->first[i + 1] - s->first[i]);
	schedule_clear(s);
	return pieces;
}

/* Nothing folded but the bodies of loops. */
static struct pieces *fold_in_order(struct folder *f, struct body body)
{
	struct pieces *pieces = pieces_new(f->arena, body.length);
	for (size_t i = 0; i < body.length; i++) {
		node n = body.node[i];
		bool loop = node_is_loop(n);
		pieces->piece[i] = (struct piece){.shape = loop ? f->loop[n & ~NODE_LOOP].shape : event_shape(f, n),
			.plain = true,
			.event = loop ? 0 : n,
			.count = loop ? nest_get(f->model->nest, n)->count : 0,
			.inside = loop ? f->loop[n & ~NODE_LOOP].inside : NULL};
	}
	return pieces;
}

/* Bodies come before the loops around them. */
static void fold_loop(struct folder *f, uint32_t index)
{
	node loop = index | NODE_LOOP;
	struct program_loop *l = &f->loop[index];
	l->inside = fold_body(f, nest_body(f->model->nest, loop), !l->whole);
	l->shape = loop_shape(f, loop, l->whole, l->inside);
}

static struct pieces *fold_all(struct folder *f, bool alike)
{
	f->alike = alike;
	for (uint32_t i = 0; i < f->model->nest->loops; i++)
		fold_loop(f, i);
	return fold_body(f, (struct body){f->model->nest->root, f->model->nest->root_length}, true);
}

/* ------------------------------------------------------------------ by the best forms */

static void folder_start(struct folder *f, const struct model *m)
{
	*f = (struct folder){.model = m, .arena = arena_new(), .coverage = nest_coverage_new(m, NULL)};
	f->connections = connections_new(m, f->coverage);
	f->loop = mem_zero(m->nest->loops * sizeof *f->loop);
	for (uint32_t i = 0; i < m->nest->loops; i++) {
		struct program_loop *l = &f->loop[i];
		l->whole = connections_of(f->connections, i | NODE_LOOP, &l->end, &l->ends, &l->end_capacity);
	}
}

static void folder_end(struct folder *f)
{
	for (uint32_t i = 0; i < f->model->nest->loops; i++)
		free(f->loop[i].end);
	free(f->loop);
	connections_free(f->connections);
	nest_coverage_free(f->coverage);
	arena_free(f->arena);
}

static struct pieces *fewer(struct pieces *a, struct pieces *b)
{
	return pieces_statements(b) < pieces_statements(a) ? b : a;
}

/* *offsets: is no peer anything but p+c? */
static struct program *fold_by(struct folder *f, const struct fold_options *options, bool *offsets)
{
	struct program *to = program_new();
	to->processes = f->model->processes;
	notes_add_all(&to->notes, &f->model->notes);
	f->to = to;
	f->shapes = intern_new();
	f->steps = intern_new();
	forms_choose(&f->forms, f->model, to, options);
	struct pieces *best = fold_all(f, true);
	if (f->forms.first_other[dictionary_events(f->model->dictionary)] > 0)
		best = fewer(best, fold_all(f, false));
	pieces_put(best, f->model, to);
	*offsets = f->forms.offsets;
	forms_clear(&f->forms);
	intern_free(f->shapes);
	intern_free(f->steps);
	return to;
}

static bool is_hopeless(const struct model *m, const struct program *folded)
{
	return folded->length > HOPELESS_LENGTH && folded->length > model_constructs(m) / 8 * 7;
}

static struct program *fold_best(const struct model *m, const struct fold_options *options)
{
	static const struct fold_options all = {0}, offsets = {.offsets_only = true};
	bool only_offsets, ignored;
	struct folder f;
	folder_start(&f, m);
	struct program *best = fold_by(&f, options ? options : &all, &only_offsets);
	if (!only_offsets && !is_hopeless(m, best)) {
		struct program *other = fold_by(&f, &offsets, &ignored);
		bool better = other->length < best->length;
		program_free(better ? best : other);
		best = better ? other : best;
	}
	folder_end(&f);
	return best;
}

/* Where nobody does alike, the listing of the model reads best: it has sends before their
   receives. */
struct program *fold(const struct model *m, const struct fold_options *options)
{
	struct program *folded = fold_best(m, options);
	if (program_is_folded(folded))
		return folded;
	program_free(folded);
	return program_of_plain(m);
}
