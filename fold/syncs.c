/*
 * syncs.c -- groups of one name are lines of the grid in the same axes, or stand as they are.
 */
#include "fold/syncs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold/infer.h"
#include "fold/values.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static const struct sync *channel_of(const struct chooser *c, uint32_t sync)
{
	return dictionary_get_sync(c->model->dictionary, dictionary_get_event(c->model->dictionary, sync)->subject);
}

static struct ranks group_of(const struct chooser *c, uint32_t sync)
{
	return dictionary_get_ranks(c->model->dictionary, channel_of(c, sync)->group);
}

/* ------------------------------------------------------------------ groups */

struct named_group {
	uint32_t name, group;
};

static int by_name_and_group(const void *a, const void *b)
{
	const struct named_group *x = a, *y = b;
	int order = compare(x->name, y->name);
	return order ? order : compare(x->group, y->group);
}

static int by_group(const void *a, const void *b)
{
	const struct named_group *x = a, *y = b;
	return compare(x->group, y->group);
}

struct ranks *syncs_groups(const struct chooser *c, size_t *count)
{
	struct named_group *named = mem_array(c->syncs, sizeof *named);
	size_t kept = 0;
	for (size_t i = 0; i < c->syncs; i++)
		named[i] = (struct named_group){channel_of(c, c->sync[i])->name, channel_of(c, c->sync[i])->group};
	if (c->syncs)
		qsort(named, c->syncs, sizeof *named, by_name_and_group);
	for (size_t from = 0, to; from < c->syncs; from = to) {
		for (to = from; to < c->syncs && named[to].name == named[from].name;)
			to++;
		if (named[from].group == named[to - 1].group)
			continue;
		for (size_t i = from; i < to; i++)
			named[kept++] = named[i];
	}
	if (kept)
		qsort(named, kept, sizeof *named, by_group);
	struct ranks *group = mem_array(kept, sizeof *group);
	*count = 0;
	for (size_t i = 0; i < kept; i++)
		if (!i || named[i].group != named[i - 1].group)
			group[(*count)++] = dictionary_get_ranks(c->model->dictionary, named[i].group);
	free(named);
	return group;
}

/* ------------------------------------------------------------------ forms */

/* Syncs of one name on lines of the grid in the same axes; or of each process alone; or of no
   line. */
struct sync_class {
	uint32_t event, name;
	bool on_grid;
	uint32_t mask; /* the axes of the line */
	struct area area;
};

static int by_class(const void *a, const void *b)
{
	const struct sync_class *x = a, *y = b;
	int order = compare(x->name, y->name);
	order = order ? order : compare(x->on_grid, y->on_grid);
	order = order ? order : compare(x->mask, y->mask);
	return order ? order : compare(x->event, y->event);
}

static bool same_class(const struct sync_class *x, const struct sync_class *y)
{
	return x->name == y->name && x->on_grid == y->on_grid && x->mask == y->mask;
}

static struct sync_class class_of(const struct chooser *c, uint32_t event)
{
	const struct grid *g = &c->topology.grid;
	struct ranks group = group_of(c, event);
	struct sync_class class = {.event = event, .name = channel_of(c, event)->name};
	class.on_grid = !c->offsets_only && infer_area(g, &group, &class.area);
	for (uint32_t i = 0; i < g->axes && class.on_grid; i++)
		class.mask |= (uint32_t) class.area.all[i] << i;
	return class;
}

static void put_sync(struct chooser *c, const struct sync_class *class, bool on_grid, struct value communicator)
{
	const struct event *e = dictionary_get_event(c->model->dictionary, class->event);
	const struct grid *g = &c->topology.grid;
	struct ranks group = group_of(c, class->event);
	struct form form;
	memset(&form, 0, sizeof form);
	form.kind = EVENT_SYNC;
	form.word = chooser_word(c, class->name);
	form.communicator = communicator;
	if (on_grid)
		form.area = class->area;
	else
		form.group = dictionary_ranks(c->to->dictionary, &group);
	if (e->peer != NO_ROOT)
		form.peer = place_of(PLACE_NUMBER, e->peer);
	if (e->peer != NO_ROOT && on_grid && !g->axes && ranks_has(&group, e->peer)) {
		form.peer = place_of(PLACE_OFFSET, 0);
	} else if (e->peer != NO_ROOT && on_grid && ranks_has(&group, e->peer)) {
		struct spot root = grid_spot(g, e->peer);
		form.peer = (struct place){.kind = PLACE_GRID};
		for (uint32_t i = 0; i < g->axes; i++)
			form.peer.axis[i] =
				class->area.all[i] ? (struct affine){.constant = root.axis[i]} : class->area.axis[i];
	}
	c->form_of[class->event] = program_form(c->to, &form);
}

/* The communicators of a class as one function, if there is one and it serves several groups. */
static bool explain_class(
	const struct chooser *c, const struct sync_class *class, size_t count, struct value *communicator)
{
	const struct sync *first = channel_of(c, class->event);
	bool one_group = true, one_communicator = true;
	size_t members = 0, capacity = 0;
	struct observation *seen = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct sync *channel = channel_of(c, class[i].event);
		one_group &= channel->group == first->group;
		one_communicator &= channel->communicator == first->communicator;
		struct ranks group = group_of(c, class[i].event);
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_next(&group, &walk, &p); members++) {
			seen = mem_grow(seen, &capacity, members + 1, sizeof *seen);
			seen[members] = (struct observation){p, 0, (uint64_t)channel->communicator};
		}
	}
	*communicator = value_of(first->communicator);
	bool good =
		!one_group && (one_communicator || values_fit_several(seen, members, &c->topology.grid, communicator));
	free(seen);
	return good;
}

void syncs_explain(struct chooser *c)
{
	struct sync_class *class = mem_array(c->syncs, sizeof *class);
	for (size_t i = 0; i < c->syncs; i++)
		class[i] = class_of(c, c->sync[i]);
	if (c->syncs)
		qsort(class, c->syncs, sizeof *class, by_class);
	for (size_t from = 0, to; from < c->syncs; from = to) {
		for (to = from; to < c->syncs && same_class(&class[to], &class[from]);)
			to++;
		struct value communicator;
		bool on_grid = class[from].on_grid && explain_class(c, class + from, to - from, &communicator);
		for (size_t i = from; i < to; i++)
			put_sync(c, &class[i], on_grid,
				on_grid ? communicator : value_of(channel_of(c, class[i].event)->communicator));
	}
	free(class);
}
