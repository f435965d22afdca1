/*
 * value_dropping.c -- kinds that only their communicators tell apart become one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fit/value_kinds.h"

struct value_dropping {
	struct value_process *process;
	const struct dictionary *dictionary;
	struct intern *named; /* the kinds as they were, */
	struct value_source *source; /* what they carried, */
	struct series_cursor ***cursor; /* and where its columns are read, by kind and slot; NULL: not yet */
	uint32_t *kind_of; /* by event, told by its id: its kind, plus one; 0: not known yet */
};

static struct value_kind unnamed(const struct value_kind *kind)
{
	struct value_kind to = *kind;
	to.communicator = kind_rows[kind->kind].subject == SUBJECT_WORD ? 0 : NO_COMMUNICATOR;
	return to;
}

/* Is what the kinds carried put together? Messages of a shape may be those that have a kind of
   their own on another communicator. */
static bool become_one(const struct intern *named, const struct intern *kinds)
{
	bool shapes = false, several = false;
	int64_t known = 0;
	for (uint32_t i = 0, messages = 0; i < intern_count(named); i++) {
		const struct value_kind *kind = intern_data(named, i, NULL);
		if (!kind_has_tag(kind->kind))
			continue;
		shapes = shapes || kind->shape;
		several = several || (messages++ && kind->communicator != known);
		known = kind->communicator;
	}
	return intern_count(kinds) < intern_count(named) || (shapes && several);
}

/* What the next event of a kind carried, of all of this kind now. */
static void take_next(struct value_dropping *d, uint32_t kind, struct value_source *to)
{
	const struct value_source *from = &d->source[kind];
	struct series_cursor ***cursor = &d->cursor[kind];
	if (!*cursor) {
		*cursor = mem_zero(from->slots * sizeof **cursor);
		for (uint32_t slot = 0; slot < from->slots; slot++)
			(*cursor)[slot] = from->column[slot] ? series_drain(from->column[slot]) : NULL;
	}
	for (uint32_t slot = 0; slot < from->slots; slot++) {
		int64_t number = ABSENT;
		if ((*cursor)[slot] && !series_next((*cursor)[slot], &number))
			d->process->unfit = true;
		if (number != ABSENT)
			value_source_put(to, slot, number);
	}
	to->events++;
}

/* That of a message's own kind, or of its shape. */
static uint32_t find_message(
	struct value_dropping *d, const struct intern *kinds, const struct event *e, const struct tag *tag, bool drop)
{
	uint32_t id = INTERN_NONE;
	for (int shape = 0; shape < 2 && id == INTERN_NONE; shape++) {
		struct value_kind kind = value_kind_of_message(d->process, d->dictionary, e, tag, shape);
		kind = drop ? unnamed(&kind) : kind;
		id = intern_find(kinds, &kind, sizeof kind);
	}
	return id;
}

static void put_together(struct value_dropping *d, uint32_t from, uint32_t to)
{
	if (from == INTERN_NONE || to == INTERN_NONE)
		d->process->unfit = true;
	else
		take_next(d, from, &d->process->source[to]);
}

void value_dropping_advancing(void *dropping, const struct event *e, const struct tag *tag)
{
	struct value_dropping *d = dropping;
	struct value_process *p = d->process;
	if (tag) {
		put_together(d, find_message(d, d->named, e, tag, false), find_message(d, p->kinds, e, tag, true));
		return;
	}
	struct value_kind kind = value_kind_of(p, d->dictionary, e, false), to = unnamed(&kind);
	put_together(d, intern_find(d->named, &kind, sizeof kind), intern_find(p->kinds, &to, sizeof to));
}

/* Here no message is known by its shape alone. */
void value_dropping_event(void *dropping, uint32_t event)
{
	struct value_dropping *d = dropping;
	uint32_t *of = &d->kind_of[event];
	if (!*of) {
		const struct event *e = dictionary_get_event(d->dictionary, event);
		struct value_kind kind = value_kind_of(d->process, d->dictionary, e, false);
		*of = 1 + intern_find(d->named, &kind, sizeof kind);
	}
	uint32_t from = *of - 1;
	if (from == INTERN_NONE) {
		d->process->unfit = true;
		return;
	}
	struct value_kind to = unnamed(intern_data(d->named, from, NULL));
	put_together(d, from, intern_find(d->process->kinds, &to, sizeof to));
}

/* Without communicators, each with nothing carried. */
static void start_again(struct value_process *p, const struct intern *named)
{
	p->kinds = intern_new_keys(sizeof(struct value_kind));
	p->source = NULL;
	p->source_capacity = 0;
	for (uint32_t i = 0; i < intern_count(named); i++) {
		struct value_kind kind = unnamed(intern_data(named, i, NULL));
		value_source_of_kind(p, &kind);
	}
}

struct value_dropping *value_columns_drop_communicators(
	struct value_columns *c, uint32_t rank, const struct dictionary *dictionary)
{
	struct value_process *p = &c->process[rank];
	if (!p->kinds)
		return NULL;
	struct intern *named = p->kinds;
	struct value_source *source = p->source;
	size_t capacity = p->source_capacity;
	start_again(p, named);
	if (!become_one(named, p->kinds)) {
		free(p->source);
		p->source = source;
		p->source_capacity = capacity;
		intern_free(named);
		return NULL;
	}
	struct value_dropping *d = mem_alloc(sizeof *d);
	*d = (struct value_dropping){.process = p,
		.dictionary = dictionary,
		.named = named,
		.source = source,
		.cursor = mem_zero((intern_count(named) + (size_t)1) * sizeof *d->cursor),
		.kind_of = mem_zero((dictionary_events(dictionary) + (size_t)1) * sizeof *d->kind_of)};
	return d;
}

/* Was all taken that a kind carried? */
static bool is_taken(const struct value_source *s, struct series_cursor **cursor)
{
	bool taken = cursor || !s->events;
	for (uint32_t slot = 0; cursor && slot < s->slots; slot++) {
		taken = taken && (!cursor[slot] || series_ended(cursor[slot]));
		series_cursor_free(cursor[slot]);
	}
	free(cursor);
	return taken;
}

void value_dropping_finish(struct value_dropping *d)
{
	if (!d)
		return;
	struct value_process *p = d->process;
	for (uint32_t i = 0; i < intern_count(d->named); i++) {
		p->unfit = !is_taken(&d->source[i], d->cursor[i]) || p->unfit;
		value_source_clear(&d->source[i]);
	}
	value_process_finish(p);
	intern_free(d->named);
	free(d->source);
	free(d->cursor);
	free(d->kind_of);
	free(d);
}
