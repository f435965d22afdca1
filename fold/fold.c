/*
 * fold.c -- bodies folded from the inside out.
 *
 * A shape is what a construct is, whoever executes it: of an event its form (forms.h); of a loop its count and the shapes of the groups
 * of its folded body, in order. Constructs of equal shapes may become one statement; schedule.c decides which do. A folded body is a
 * sequence of pieces, each a shape with a set of ranks; where loops become one statement, the sets of their pieces are united, one by one.
 *
 * A loop whose processes do not all communicate inside it, which merge_reduce never makes, is kept as a plain one, as unfolding would take it
 * apart; so is the order of a body with a loop of no iterations, which nobody executes.
 */
#include "fold/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fold/connect.h"
#include "fold/forms.h"
#include "fold/schedule.h"

/* Statements that are nearly as many as the constructs were, and so many: other forms are not worth their time. */
#define HOPELESS_LENGTH 100000

struct pieces {
	struct piece *piece;
	size_t length;
};

struct piece {
	uint32_t shape;
	bool plain; /* a loop without a set; or an event as it stands in the model, whose id is `event` */
	uint32_t event, form;
	uint64_t count; /* of a loop */
	struct ranks set; /* runs in the arena */
	struct pieces *inside; /* of a loop; else NULL */
};

struct program_loop {
	uint32_t shape;
	bool whole; /* its processes communicate in it */
	struct pieces *inside;
	struct open_end *end;
	size_t ends, end_capacity;
};

struct folder {
	const struct model *model;
	struct program *to;
	struct nest_coverage *coverage;
	struct connections *connections;
	struct arena *arena;
	struct forms forms;
	bool vote; /* let processes that do alike agree on forms, where events have several */
	struct intern *shapes;
	struct program_loop *loop; /* by loop of the nest */
	struct schedule schedule; /* scratch */
};

/* ------------------------------------------------------------------ shapes */

static uint32_t form_shape(struct folder *f, uint32_t form)
{
	uint32_t key[2] = {0, form};
	return intern_id(f->shapes, key, sizeof key);
}

static uint32_t event_shape(struct folder *f, uint32_t event)
{
	return form_shape(f, f->forms.of[event]);
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

/* ------------------------------------------------------------------ sets in the arena */

static struct ranks keep_set(struct folder *f, struct ranks *set)
{
	struct ranks kept = {arena_copy(f->arena, set->run, set->length * sizeof *set->run), set->length, 0};
	ranks_clear(set);
	return kept;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static struct ranks set_of(struct folder *f, uint32_t *process, size_t processes)
{
	struct ranks set = {0};
	bool sorted = true;
	for (size_t i = 1; i < processes && sorted; i++)
		sorted = process[i - 1] < process[i];
	if (!sorted)
		qsort(process, processes, sizeof *process, by_number);
	for (size_t i = 0; i < processes; i++)
		ranks_add(&set, process[i]);
	return keep_set(f, &set);
}

static int by_first(const void *a, const void *b)
{
	const struct ranks_run *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

/* ------------------------------------------------------------------ groups become pieces */

/* The same pieces of several loops of equal shapes, their sets united. */
static struct pieces *unite_pieces(struct folder *f, struct pieces *const *all, size_t count)
{
	if (count == 1)
		return all[0];
	struct pieces *united = arena_alloc(f->arena, sizeof *united);
	*united = (struct pieces){arena_copy(f->arena, all[0]->piece, all[0]->length * sizeof *united->piece), all[0]->length};
	struct pieces **inside = mem_array(count, sizeof *inside);
	struct ranks_run *run = NULL;
	size_t capacity = 0;
	for (size_t i = 0; i < united->length; i++) {
		struct piece *piece = &united->piece[i];
		size_t runs = 0;
		for (size_t k = 0; k < count; k++) {
			const struct ranks *set = &all[k]->piece[i].set;
			run = mem_grow(run, &capacity, runs + set->length, sizeof *run);
			memcpy(run + runs, set->run, set->length * sizeof *run);
			runs += set->length;
			inside[k] = all[k]->piece[i].inside;
		}
		qsort(run, runs, sizeof *run, by_first);
		struct ranks set = {0};
		for (size_t k = 0; k < runs; k++)
			ranks_add_run(&set, run[k].first, run[k].last);
		piece->set = keep_set(f, &set);
		if (piece->inside)
			piece->inside = unite_pieces(f, inside, count);
	}
	free(run);
	free(inside);
	return united;
}

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
		piece.inside = unite_pieces(f, inside, constructs);
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
	piece.set = set_of(f, process, processes);
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

/* ------------------------------------------------------------------ events with several forms */

static bool has_others(const struct folder *f, node n)
{
	return !node_is_loop(n) && f->forms.first_other[n + 1] > f->forms.first_other[n];
}

static bool any_has_others(const struct folder *f, struct body body)
{
	for (size_t i = 0; i < body.length; i++)
		if (has_others(f, body.node[i]))
			return true;
	return false;
}

/* What a process does in a body: processes with equal sketches do alike, but for peers and numbers. */
struct sketch {
	uint64_t hash;
	uint32_t process;
	size_t first, past; /* its constructs, in `place` */
};

static int by_hash(const void *a, const void *b)
{
	const struct sketch *x = a, *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

static uint64_t sketch_of(const struct folder *f, node n, uint32_t shape)
{
	if (node_is_loop(n))
		return hash_pair(1, shape);
	const struct event *e = dictionary_get_event(f->model->dictionary, n);
	if (e->kind != EVENT_SEND && e->kind != EVENT_RECV)
		return hash_pair(1, shape);
	return hash_pair(2 + e->kind, dictionary_get_tag(f->model->dictionary, e->subject)->stem);
}

/* By process, of those that have constructs; *place: the constructs of each. */
static struct sketch *make_sketches(const struct folder *f, struct body body, uint32_t **place, size_t *sketches)
{
	const struct schedule *s = &f->schedule;
	uint32_t limit = f->model->processes;
	struct sketch *all = mem_zero(limit * sizeof *all);
	for (size_t i = 0; i < s->processes; i++)
		all[s->process[i]].past++;
	size_t first = 0;
	for (uint32_t p = 0; p < limit; p++) {
		size_t length = all[p].past;
		all[p] = (struct sketch){0, p, first, first};
		first += length;
	}
	*place = mem_array(s->processes, sizeof **place);
	for (uint32_t c = 0; c < s->constructs; c++)
		for (size_t i = 0; i < s->construct[c].processes; i++) {
			struct sketch *k = &all[s->process[s->construct[c].first_process + i]];
			k->hash = hash_pair(k->hash, sketch_of(f, body.node[c], s->construct[c].shape));
			(*place)[k->past++] = c;
		}
	*sketches = 0;
	for (uint32_t p = 0; p < limit; p++)
		if (all[p].past > all[p].first)
			all[(*sketches)++] = all[p];
	return all;
}

struct ballot {
	struct {
		uint32_t form, votes;
	} * entry;
	size_t entries, capacity;
};

static uint32_t *votes_for(struct ballot *b, uint32_t form)
{
	for (size_t i = 0; i < b->entries; i++)
		if (b->entry[i].form == form)
			return &b->entry[i].votes;
	b->entry = mem_grow(b->entry, &b->capacity, b->entries + 1, sizeof *b->entry);
	b->entry[b->entries].form = form;
	b->entry[b->entries].votes = 0;
	return &b->entry[b->entries++].votes;
}

/* The k-th constructs of processes that do alike: each takes the form that most of them have. */
static void vote_on_column(struct folder *f, struct body body, const struct sketch *alike, size_t count, const uint32_t *place,
	size_t k, struct ballot *b)
{
	b->entries = 0;
	for (size_t i = 0; i < count; i++) {
		node n = body.node[place[alike[i].first + k]];
		++*votes_for(b, f->forms.of[n]);
		for (size_t j = f->forms.first_other[n]; j < f->forms.first_other[n + 1]; j++)
			++*votes_for(b, f->forms.other[j]);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t c = place[alike[i].first + k], best = f->forms.of[body.node[c]];
		uint32_t votes = *votes_for(b, best);
		for (size_t j = f->forms.first_other[body.node[c]]; j < f->forms.first_other[body.node[c] + 1]; j++)
			if (*votes_for(b, f->forms.other[j]) > votes) {
				best = f->forms.other[j];
				votes = *votes_for(b, best);
			}
		f->schedule.construct[c].shape = form_shape(f, best);
	}
}

static void vote_on_forms(struct folder *f, struct body body)
{
	uint32_t *place;
	size_t sketches;
	if (!any_has_others(f, body))
		return;
	struct sketch *sketch = make_sketches(f, body, &place, &sketches);
	struct ballot ballot = {0};
	qsort(sketch, sketches, sizeof *sketch, by_hash);
	for (size_t from = 0, to; from < sketches; from = to) {
		size_t length = sketch[from].past - sketch[from].first;
		for (to = from;
			to < sketches && sketch[to].hash == sketch[from].hash && sketch[to].past - sketch[to].first == length;)
			to++;
		for (size_t k = 0; k < length && to - from > 1; k++) {
			bool open = false;
			for (size_t i = from; i < to && !open; i++)
				open = has_others(f, body.node[place[sketch[i].first + k]]);
			if (open)
				vote_on_column(f, body, sketch + from, to - from, place, k, &ballot);
		}
	}
	free(ballot.entry);
	free(sketch);
	free(place);
}

/* ------------------------------------------------------------------ bodies */

static struct pieces *new_pieces(struct folder *f, size_t length)
{
	struct pieces *p = arena_alloc(f->arena, sizeof *p);
	*p = (struct pieces){arena_alloc(f->arena, length * sizeof *p->piece), length};
	return p;
}

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
	if (f->vote)
		vote_on_forms(f, body);
	schedule_make(s, f->model->processes, connections_channels(f->connections));
	if (alone && nothing_folds(f, body)) {
		schedule_clear(s);
		return fold_in_order(f, body);
	}
	struct pieces *pieces = new_pieces(f, s->groups);
	for (size_t i = 0; i < s->groups; i++)
		pieces->piece[i] = group_piece(f, body.node, s->order + s->first[i], s->first[i + 1] - s->first[i]);
	schedule_clear(s);
	return pieces;
}

/* Nothing folded but the bodies of loops. */
static struct pieces *fold_in_order(struct folder *f, struct body body)
{
	struct pieces *pieces = new_pieces(f, body.length);
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
	l->whole = connections_of(f->connections, loop, &l->end, &l->ends, &l->end_capacity);
	l->inside = fold_body(f, nest_body(f->model->nest, loop), !l->whole);
	l->shape = loop_shape(f, loop, l->whole, l->inside);
}

/* ------------------------------------------------------------------ pieces become statements */

static uint32_t copy_word(struct folder *f, uint32_t word)
{
	const char *text = dictionary_get_word(f->model->dictionary, word);
	return dictionary_word(f->to->dictionary, text, strlen(text));
}

static uint32_t copy_set(struct folder *f, uint32_t set)
{
	struct ranks ranks = dictionary_get_ranks(f->model->dictionary, set);
	return dictionary_ranks(f->to->dictionary, &ranks);
}

/* An event as it stands in the model; a sync of these processes, if they are given. */
static uint32_t copy_event(struct folder *f, uint32_t event, const struct ranks *who)
{
	struct dictionary *to = f->to->dictionary;
	struct event e = *dictionary_get_event(f->model->dictionary, event);
	if (e.kind == EVENT_SYNC) {
		struct sync sync = *dictionary_get_sync(f->model->dictionary, e.subject);
		sync.name = copy_word(f, sync.name);
		sync.group = copy_set(f, sync.group);
		e.subject = dictionary_sync(to, &sync);
		e.process = who ? dictionary_ranks(to, who) : copy_set(f, e.process);
	} else if (e.kind == EVENT_LOCAL) {
		e.subject = copy_word(f, e.subject);
	} else {
		struct tag tag = *dictionary_get_tag(f->model->dictionary, e.subject);
		tag.stem = copy_word(f, tag.stem);
		e.subject = dictionary_tag(to, &tag);
	}
	return dictionary_event(to, &e);
}

/* Is p^c one and the same p+c for all of them? */
static bool is_offset(const struct ranks *set, int64_t c)
{
	struct ranks_walk walk = {0};
	uint32_t first, p;
	if (!ranks_next(set, &walk, &first))
		return false;
	bool same = (c & (c - 1)) == 0;
	while (same && ranks_next(set, &walk, &p))
		same = !((p ^ first) & c);
	return same;
}

/* Butterflies that go one way only are better read as what they add. */
static uint32_t natural_form(struct folder *f, const struct piece *p)
{
	struct form form = program_get_form(f->to, p->form);
	int64_t move = form.peer.value.plain.constant;
	if (form.peer.kind != PLACE_XOR || !is_offset(&p->set, move))
		return p->form;
	form.peer = place_of(PLACE_OFFSET, p->set.run->first & move ? -move : move);
	return program_form(f->to, &form);
}

/* As deep as loops nest. What one process does alone is said plainly. */
static void put_pieces(struct folder *f, const struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->length; i++) {
		const struct piece *p = &pieces->piece[i];
		bool plain = p->plain || ranks_count(&p->set) == 1;
		uint32_t set = plain ? STATEMENT_PLAIN : dictionary_ranks(f->to->dictionary, &p->set);
		if (!p->inside) {
			program_add(f->to, set, plain ? copy_event(f, p->event, p->plain ? NULL : &p->set) : natural_form(f, p));
			continue;
		}
		size_t loop = program_open(f->to, set, p->count);
		put_pieces(f, p->inside);
		program_close(f->to, loop);
	}
}

static bool value_uses_grid(const struct value *v)
{
	struct value same = *v;
	memset(same.plain.axis, 0, sizeof same.plain.axis);
	for (int i = 0; i < REMAINDERS; i++)
		memset(same.remainder[i].inside.axis, 0, sizeof same.remainder[i].inside.axis);
	return memcmp(&same, v, sizeof same) != 0;
}

static bool form_uses_grid(const struct form *f)
{
	return f->peer.kind == PLACE_GRID || f->area.on_grid || value_uses_grid(&f->value) || value_uses_grid(&f->communicator);
}

/* A grid that no statement uses is not there. */
static void drop_unused_grid(struct program *f)
{
	for (size_t i = 0; i < f->length; i++) {
		const struct statement *s = &f->statement[i];
		if (statement_is_loop(s) || s->set == STATEMENT_PLAIN)
			continue;
		struct form form = program_get_form(f, s->event);
		if (form_uses_grid(&form))
			return;
	}
	f->grid = (struct grid){0};
}

static struct program *fold_with(const struct model *m, const struct fold_options *options, bool vote, bool *offsets, bool *several)
{
	struct folder f = {.model = m, .to = program_new(), .arena = arena_new(), .shapes = intern_new(), .vote = vote};
	f.to->processes = m->processes;
	notes_add_all(&f.to->notes, &m->notes);
	forms_choose(&f.forms, m, f.to, options);
	*offsets = f.forms.offsets;
	*several = f.forms.first_other[dictionary_events(m->dictionary)] > 0;
	f.coverage = nest_coverage_new(m, NULL);
	f.connections = connections_new(m, f.coverage);
	f.loop = mem_zero(m->nest->loops * sizeof *f.loop);
	for (uint32_t i = 0; i < m->nest->loops; i++)
		fold_loop(&f, i);
	put_pieces(&f, fold_body(&f, (struct body){m->nest->root, m->nest->root_length}, true));
	drop_unused_grid(f.to);
	for (uint32_t i = 0; i < m->nest->loops; i++)
		free(f.loop[i].end);
	free(f.loop);
	forms_clear(&f.forms);
	connections_free(f.connections);
	nest_coverage_free(f.coverage);
	intern_free(f.shapes);
	arena_free(f.arena);
	return f.to;
}

/* Takes both. */
static struct program *shorter(struct program *a, struct program *b)
{
	struct program *best = b->length < a->length ? b : a;
	program_free(best == a ? b : a);
	return best;
}

static bool is_hopeless(const struct model *m, const struct program *folded)
{
	return folded->length > HOPELESS_LENGTH && folded->length > nest_constructs(m->nest, m->nest->root, m->nest->root_length) / 8 * 7;
}

struct program *fold(const struct model *m, const struct fold_options *options)
{
	static const struct fold_options all = {0}, offsets = {.offsets_only = true};
	bool only_offsets, several, ignored;
	struct program *best = fold_with(m, options ? options : &all, true, &only_offsets, &several);
	if (is_hopeless(m, best))
		return best;
	if (several)
		best = shorter(best, fold_with(m, options ? options : &all, false, &ignored, &ignored));
	if (!only_offsets)
		best = shorter(best, fold_with(m, &offsets, false, &ignored, &ignored));
	return best;
}
