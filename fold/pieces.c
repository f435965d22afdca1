/*
 * pieces.c -- sets of pieces united, and pieces written as statements.
 */
#include "fold/pieces.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ sets */

static struct ranks keep_set(struct arena *arena, struct ranks *set)
{
	struct ranks kept = {arena_copy(arena, set->run, set->length * sizeof *set->run), set->length, 0};
	ranks_clear(set);
	return kept;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

struct ranks pieces_set(struct arena *arena, uint32_t *process, size_t processes)
{
	struct ranks set = {0};
	bool sorted = true;
	for (size_t i = 1; i < processes && sorted; i++)
		sorted = process[i - 1] < process[i];
	if (!sorted)
		qsort(process, processes, sizeof *process, by_number);
	for (size_t i = 0; i < processes; i++)
		ranks_add(&set, process[i]);
	return keep_set(arena, &set);
}

static int by_first(const void *a, const void *b)
{
	const struct ranks_run *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

struct pieces *pieces_unite(struct arena *arena, struct pieces *const *all, size_t count)
{
	if (count == 1)
		return all[0];
	struct pieces *united = arena_alloc(arena, sizeof *united);
	*united = (struct pieces){
		arena_copy(arena, all[0]->piece, all[0]->length * sizeof *united->piece), all[0]->length};
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
		piece->set = keep_set(arena, &set);
		if (piece->inside)
			piece->inside = pieces_unite(arena, inside, count);
	}
	free(run);
	free(inside);
	return united;
}

struct pieces *pieces_new(struct arena *arena, size_t length)
{
	struct pieces *p = arena_alloc(arena, sizeof *p);
	*p = (struct pieces){arena_alloc(arena, length * sizeof *p->piece), length};
	return p;
}

/* ------------------------------------------------------------------ statements */

size_t pieces_statements(const struct pieces *pieces)
{
	size_t statements = pieces->length;
	for (size_t i = 0; i < pieces->length; i++)
		if (pieces->piece[i].inside)
			statements += pieces_statements(pieces->piece[i].inside);
	return statements;
}

struct writer {
	const struct model *model;
	struct program *to;
};

static uint32_t copy_word(const struct writer *w, uint32_t word)
{
	const char *text = dictionary_get_word(w->model->dictionary, word);
	return dictionary_word(w->to->dictionary, text, strlen(text));
}

static uint32_t copy_set(const struct writer *w, uint32_t set)
{
	struct ranks ranks = dictionary_get_ranks(w->model->dictionary, set);
	return dictionary_ranks(w->to->dictionary, &ranks);
}

/* An event as it stands in the model; a sync of these processes, if they are given. */
static uint32_t copy_event(const struct writer *w, uint32_t event, const struct ranks *who)
{
	struct dictionary *to = w->to->dictionary;
	struct event e = *dictionary_get_event(w->model->dictionary, event);
	e.steps = dictionary_steps(to, dictionary_get_steps(w->model->dictionary, e.steps));
	if (e.kind == EVENT_SYNC) {
		struct sync sync = *dictionary_get_sync(w->model->dictionary, e.subject);
		sync.name = copy_word(w, sync.name);
		sync.group = copy_set(w, sync.group);
		e.subject = dictionary_sync(to, &sync);
		e.process = who ? dictionary_ranks(to, who) : copy_set(w, e.process);
	} else if (e.kind == EVENT_LOCAL) {
		e.subject = copy_word(w, e.subject);
	} else {
		struct tag tag = *dictionary_get_tag(w->model->dictionary, e.subject);
		tag.stem = copy_word(w, tag.stem);
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
static uint32_t natural_form(const struct writer *w, const struct piece *p)
{
	struct form form = program_get_form(w->to, p->form);
	int64_t move = form.peer.value.plain.constant;
	if (form.peer.kind != PLACE_XOR || !is_offset(&p->set, move))
		return p->form;
	form.peer = place_of(PLACE_OFFSET, p->set.run->first & move ? -move : move);
	return program_form(w->to, &form);
}

static uint32_t advancing_form(const struct writer *w, const struct piece *p, size_t depth)
{
	const struct dictionary *d = w->model->dictionary;
	uint32_t id = natural_form(w, p), steps = dictionary_get_event(d, p->event)->steps;
	if (steps == EVENT_CONSTANT)
		return id;
	struct form form = program_get_form(w->to, id);
	form_advance(&form, dictionary_get_steps(d, steps), depth);
	return program_form(w->to, &form);
}

/* As deep as loops nest. What one process does alone is said plainly. */
static void put_pieces(const struct writer *w, const struct pieces *pieces, size_t depth)
{
	for (size_t i = 0; i < pieces->length; i++) {
		const struct piece *p = &pieces->piece[i];
		bool plain = p->plain || ranks_count(&p->set) == 1;
		if (!p->inside && plain) {
			program_add_plain(w->to, copy_event(w, p->event, p->plain ? NULL : &p->set), depth);
			continue;
		}
		uint32_t set = plain ? STATEMENT_PLAIN : dictionary_ranks(w->to->dictionary, &p->set);
		if (!p->inside) {
			program_add(w->to, set, advancing_form(w, p, depth));
			continue;
		}
		size_t loop = program_open(w->to, set, p->count);
		put_pieces(w, p->inside, depth + 1);
		program_close(w->to, loop);
	}
}

static bool value_uses_grid(const struct value *v)
{
	struct value same = *v;
	memset(same.plain.axis, 0, sizeof same.plain.axis);
	for (int i = 0; i < REMAINDERS; i++)
		memset(same.remainder[i].inside.axis, 0, sizeof same.remainder[i].inside.axis);
	for (int i = 0; i < POWERS; i++)
		memset(same.power[i].exponent.axis, 0, sizeof same.power[i].exponent.axis);
	for (int i = 0; i < TABLE_ARGUMENTS; i++) {
		memset(same.lookup.argument[i].inside.axis, 0, sizeof same.lookup.argument[i].inside.axis);
		memset(same.by.argument[i].inside.axis, 0, sizeof same.by.argument[i].inside.axis);
	}
	return memcmp(&same, v, sizeof same) != 0;
}

static bool form_uses_grid(const struct form *f)
{
	return f->peer.kind == PLACE_GRID || f->area.on_grid || value_uses_grid(&f->value) ||
	       value_uses_grid(&f->communicator);
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

void pieces_put(const struct pieces *pieces, const struct model *m, struct program *to)
{
	struct writer w = {m, to};
	put_pieces(&w, pieces, 0);
	drop_unused_grid(to);
}
