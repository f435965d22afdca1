/*
 * restate.c -- statement by statement; loops are closed again around what their bodies became.
 */
#include "sizes/restate.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* More numbers of processes are data. */
#define SPLIT_MOST 4

/* The numbers of a table of processes at the place of each. */
struct numbers_by_process {
	int64_t number[SPLIT_MOST];
	struct ranks who[SPLIT_MOST];
	size_t length;
};

static struct program *emptied(const struct program *p)
{
	struct program *to = program_copy(p);
	program_empty(to);
	return to;
}

/* A table that processes look up, whatever the iteration, beside no other one. */
static bool is_by_process(const struct value *v)
{
	struct value alone = {.lookup = v->lookup};
	return v->lookup.table && !v->by.table && !value_is_uniform(&alone) && !(value_indices(&alone) & ~INDEX_TABLE);
}

static bool numbers_of(
	const struct program *p, const struct value *v, const struct ranks *who, struct numbers_by_process *to)
{
	struct value alone = {.lookup = v->lookup};
	uint32_t process;
	for (struct ranks_walk walk = {0}; ranks_next(who, &walk, &process);) {
		struct spot spot = grid_spot(&p->grid, process);
		int64_t number = value_at(&alone, &spot);
		size_t k = 0;
		while (k < to->length && to->number[k] != number)
			k++;
		if (k == SPLIT_MOST)
			return false;
		if (k == to->length)
			to->number[to->length++] = number;
		ranks_add(&to->who[k], process);
	}
	return true;
}

static void put_number(struct value *v, int64_t number)
{
	v->plain.constant += number;
	v->lookup = (struct lookup){0};
}

/* Of the peer, or of the tag, of this event. False: then the statement is put as it is. */
static bool split_event(struct program *to, const struct program *p, const struct statement *s)
{
	struct ranks_run single;
	struct ranks who = program_processes(p, s, &single);
	struct form form = statement_form(p, s);
	bool peer = form.peer.kind != PLACE_NONE && form.peer.kind != PLACE_GRID && is_by_process(&form.peer.value);
	bool tag = !peer && form.varies && is_by_process(&form.value);
	struct numbers_by_process numbers = {0};
	if (s->set == STATEMENT_PLAIN || s->alone || (!peer && !tag))
		return false;
	bool good = numbers_of(p, peer ? &form.peer.value : &form.value, &who, &numbers);
	for (size_t k = 0; k < numbers.length; k++) {
		struct form part = form;
		struct statement one = *s;
		put_number(peer ? &part.peer.value : &part.value, numbers.number[k]);
		if (tag && value_is_constant(&part.value)) {
			part.varies = false;
			part.number = (uint64_t)part.value.plain.constant;
			part.value = value_of(0);
		}
		one.set = dictionary_ranks(to->dictionary, &numbers.who[k]);
		one.event = program_form(to, &part);
		if (good)
			program_put(to, &one);
		ranks_clear(&numbers.who[k]);
	}
	return good;
}

/* place: where each statement comes to stand. */
static bool split_body(struct program *to, const struct program *p, size_t from, size_t end, size_t *place)
{
	bool split = false;
	for (size_t i = from; i < end; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		place[i] = to->length;
		if (!statement_is_loop(s) && split_event(to, p, s)) {
			split = true;
			continue;
		}
		size_t at = to->length;
		program_put(to, s);
		if (statement_is_loop(s)) {
			split |= split_body(to, p, i + 1, i + s->size, place);
			program_close(to, at);
		}
	}
	return split;
}

struct program *restate_split(const struct program *p)
{
	struct program *to = emptied(p);
	size_t *place = mem_array(p->length + 1, sizeof *place);
	bool split = split_body(to, p, 0, p->length, place);
	place[p->length] = to->length;
	program_calls_copy(&to->calls, &p->calls);
	for (size_t i = 0; i < to->calls.length; i++) {
		to->calls.call[i].start = place[to->calls.call[i].start];
		to->calls.call[i].end = place[to->calls.call[i].end];
	}
	free(place);
	if (split)
		return to;
	program_free(to);
	return NULL;
}

/* ------------------------------------------------------------------ grids */

static void widen_affine(struct affine *a)
{
	memmove(a->axis + 1, a->axis, (GRID_AXES - 1) * sizeof *a->axis);
	a->axis[0] = 0;
}

static void widen_lookup(struct lookup *l)
{
	for (size_t i = 0; i < TABLE_ARGUMENTS && l->table; i++)
		widen_affine(&l->argument[i].inside);
}

static void widen_value(struct value *v)
{
	widen_affine(&v->plain);
	for (size_t i = 0; i < REMAINDERS; i++)
		widen_affine(&v->remainder[i].inside);
	for (size_t i = 0; i < POWERS; i++)
		widen_affine(&v->power[i].exponent);
	widen_lookup(&v->lookup);
	widen_lookup(&v->by);
}

/* x, or all of it, which is the same. */
static void widen_axes(struct affine *axis)
{
	memmove(axis + 1, axis, (GRID_AXES - 1) * sizeof *axis);
	for (size_t i = 1; i < GRID_AXES; i++)
		widen_affine(&axis[i]);
	axis[0] = (struct affine){.axis[0] = 1};
}

static void widen_form(struct form *form)
{
	widen_value(&form->value);
	if (form->peer.kind == PLACE_GRID) {
		widen_axes(form->peer.axis);
		memmove(form->peer.offset + 1, form->peer.offset, (GRID_AXES - 1) * sizeof *form->peer.offset);
		form->peer.offset[0] = NULL;
	} else {
		widen_value(&form->peer.value);
	}
	widen_value(&form->communicator);
	if (form->area.kind == AREA_ON_GRID) {
		memmove(form->area.all + 1, form->area.all, (GRID_AXES - 1) * sizeof *form->area.all);
		form->area.all[0] = 0;
		widen_axes(form->area.axis);
	}
}

static void widen_attributes(struct program *p, struct statement *s)
{
	struct attribute attribute[ATTRIBUTES_MOST];
	size_t count = program_get_attributes(p, s->attributes, attribute);
	for (size_t i = 0; i < count; i++)
		widen_value(&attribute[i].value);
	s->attributes = count ? program_attributes(p, attribute, count) : s->attributes;
}

struct program *restate_on_wider_grid(const struct program *p)
{
	if (!p->grid.axes || p->grid.axes == GRID_AXES)
		return NULL;
	struct program *to = emptied(p);
	to->grid.axes = p->grid.axes + 1;
	to->grid.size[0] = 1;
	memcpy(to->grid.size + 1, p->grid.size, p->grid.axes * sizeof *p->grid.size);
	for (size_t i = 0; i < p->length; i++) {
		struct statement s = p->statement[i];
		if (s.set != STATEMENT_PLAIN && !statement_is_loop(&s)) {
			struct form form = program_get_form(p, s.event);
			widen_form(&form);
			s.event = program_form(to, &form);
		}
		widen_attributes(to, &s);
		program_put(to, &s);
		if (statement_is_loop(&s) && s.bound != BOUND_NONE) {
			struct value bound = program_bound(p, &p->statement[i]);
			widen_value(&bound);
			program_set_count(to, &to->statement[i], &bound);
		}
	}
	program_calls_copy(&to->calls, &p->calls);
	return to;
}
