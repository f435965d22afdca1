/*
 * deal_values.c -- which line a kind of event has become.
 *
 * Mostly all events of a kind carry the same: then its columns are those of each line that it has
 * become. Where they vary, or where an event is a function of indices, the process's part of the
 * program is walked, and values are dealt out to the lines.
 */
#include <stdlib.h>
#include <string.h>

#include "ask/event_numbers.h"
#include "base/mem.h"
#include "fit/value_kinds.h"

/* What was dealt out to a line, of one process. */
struct share {
	uint32_t rank;
	struct series **column; /* by slot; NULL: none at all */
	uint32_t slots;
	uint64_t executed; /* times */
};

struct line {
	node_id event; /* NODE_NONE: nobody executes it */
	struct ranks who; /* those of its processes that have events */
	struct share *share; /* by process, ascending */
	size_t shares, capacity;
};

struct dealt_values {
	struct value_places places;
	struct line *line;
	size_t lines;
	struct line_values *values; /* of the line at hand */
	size_t values_capacity;
};

/* -------------------------------------------------------------- kinds of events of the program */

struct value_places value_places_new(const struct value_columns *c, struct run *run)
{
	return (struct value_places){.columns = c, .run = run, .members = member_sets_new(run)};
}

void value_places_clear(struct value_places *v)
{
	member_sets_free(v->members);
	free(v->at.index);
}

bool value_places_start(struct value_places *v, uint32_t rank)
{
	const struct value_columns *c = v->columns;
	if (rank >= c->processes || !c->process[value_owner(c, rank)].kinds)
		return false;
	v->owner = value_owner(c, rank);
	v->process = &c->process[v->owner];
	run_start(v->run, rank, &v->at);
	return true;
}

static uint64_t number_or(const struct event_numbers *e, enum event_column column, uint64_t otherwise)
{
	return e->number[column] == EVENT_UNSAID ? otherwise : (uint64_t)e->number[column];
}

/* Peers as the owner tells them. */
static bool find_kind(
	struct value_places *v, const struct environment *at, const struct event_numbers *e, struct value_kind *kind)
{
	const char *word = store_get_word(at->store, e->word);
	uint32_t processes = at->processes;
	const struct ranks *group;
	*kind = (struct value_kind){.kind = e->kind, .word = intern_find(v->process->words, word, strlen(word))};
	if (kind_has_peer(e->kind))
		kind->peer = (uint32_t)number_or(e, COLUMN_PEER, 0);
	if (kind_has_peer(e->kind) && kind->peer < processes)
		kind->peer = (uint32_t)(((uint64_t)kind->peer + processes - (uint64_t)at->p + v->owner) % processes);
	int64_t communicator = (int64_t)number_or(e, COLUMN_COMMUNICATOR, (uint64_t)NO_COMMUNICATOR);
	switch (kind_rows[e->kind].subject) {
	case SUBJECT_TAG:
		kind->communicator = communicator;
		kind->numbered = e->number[COLUMN_TAG] != EVENT_UNSAID;
		kind->number = number_or(e, COLUMN_TAG, 0);
		break;
	case SUBJECT_SYNC:
		kind->communicator = communicator;
		group = member_set_ranks(v->members, (uint32_t)e->number[COLUMN_GROUP]);
		kind->peer = (uint32_t)number_or(e, COLUMN_ROOT, NO_ROOT);
		kind->group = intern_find(v->process->groups, group->run, group->length * sizeof *group->run);
		return kind->word != INTERN_NONE && kind->group != INTERN_NONE;
	case SUBJECT_WORD:
		break;
	}
	return kind->word != INTERN_NONE;
}

uint32_t value_places_kind(struct value_places *v, struct environment *at, node_id event)
{
	struct event_numbers e;
	struct value_kind kind;
	event_numbers_at(at, v->members, event, &e);
	if (at->failure || !find_kind(v, at, &e, &kind))
		return INTERN_NONE;
	uint32_t id = intern_find(v->process->kinds, &kind, sizeof kind);
	if (id == INTERN_NONE && kind_has_tag(kind.kind)) {
		kind.shape = true;
		kind.peer = 0;
		kind.number = 0;
		id = intern_find(v->process->kinds, &kind, sizeof kind);
	}
	return id;
}

uint64_t value_places_indices(const struct store *s, node_id event)
{
	const struct node *n = node_of(s, event);
	bool by_communicator = node_of(s, n->kid[COLUMN_GROUP])->kind == NODE_BY_COMMUNICATOR;
	uint64_t uses = 0;
	for (uint32_t k = 0; k < COLUMNS; k++)
		if (k != COLUMN_WHO || by_communicator)
			uses |= node_of(s, n->kid[k])->uses[FOR_ALL];
	return uses & USES_INDICES;
}

/* ------------------------------------------------------------------ one process */

/* What an event that varies was found to be, by the values of the indices that decide it. */
#define FOUND_MOST 4096
struct found {
	struct intern *indices;
	uint32_t *kind;
	size_t kinds, capacity;
};

/* A line of the process. */
struct station {
	node_id event;
	uint64_t indices; /* that decide what it is */
	uint32_t kind; /* where none does */
	bool dealt;
	struct share share;
	struct found found;
};

struct dealing {
	struct dealt_values *to;
	struct value_places *places; /* of the process */
	uint32_t class;
	struct station *station; /* by line; of no event: one that the process has not */
	uint32_t *dealt; /* by line: so many before it are dealt to */
	struct dealt_kind {
		struct series_cursor **cursor; /* by slot; NULL: nothing was dealt out */
		bool varies; /* what its events carry does */
		bool has_line; /* a line is it in all iterations; */
		bool inside; /* ... and in the loop at hand */
	} * kind;
	bool varying; /* is any event a function of indices? */
	bool unfit;
};

static bool is_constant(const struct value_source *s)
{
	int64_t number;
	for (uint32_t slot = 0; slot < s->slots; slot++)
		if (slot != SLOT_ENTERED && s->column[slot] && !series_constant(s->column[slot], &number))
			return false;
	return true;
}

static void find_stations(struct dealing *d, node_id body, size_t line)
{
	size_t length;
	struct value_places *v = d->places;
	const struct projected *p = run_projection(v->run, body, d->class, &length);
	for (size_t i = 0; i < length; i++) {
		size_t at = line + p[i].line;
		struct station *s = &d->station[at];
		if (p[i].kind != NODE_EVENT) {
			find_stations(d, node_kid(v->at.store, p[i].statement, 2), at + 1);
			continue;
		}
		*s = (struct station){.event = p[i].statement, .share.rank = (uint32_t)v->at.p};
		s->indices = value_places_indices(v->at.store, s->event);
		s->kind = s->indices ? INTERN_NONE : value_places_kind(v, &v->at, s->event);
		s->dealt = s->kind == INTERN_NONE || d->kind[s->kind].varies;
		if (s->kind != INTERN_NONE)
			d->kind[s->kind].has_line = true;
		d->varying = d->varying || s->indices;
	}
}

/* ------------------------------------------------------------------ dealing out */

/* Kinds may lack what others of the same line have: so many values of it are there now. */
static void fill(struct series *column, uint64_t length)
{
	if (column && series_length(column) < length)
		series_push_times(column, ABSENT, length - series_length(column));
}

static void deal(struct dealing *d, uint32_t kind, struct share *to, uint64_t times)
{
	const struct value_source *s = &d->places->process->source[kind];
	struct series_cursor ***cursor = &d->kind[kind].cursor;
	uint64_t before = to->executed;
	to->executed += times;
	if (!*cursor)
		*cursor = mem_zero((s->slots + (size_t)1) * sizeof **cursor);
	if (!to->column) {
		to->slots = intern_count(d->places->process->names);
		to->column = mem_zero(to->slots * sizeof *to->column);
	}
	for (uint32_t slot = 0; slot < s->slots; slot++) {
		if (!s->column[slot] || slot == SLOT_ENTERED)
			continue;
		if (!(*cursor)[slot])
			(*cursor)[slot] = series_read(s->column[slot]);
		if (!to->column[slot])
			to->column[slot] = series_new();
		fill(to->column[slot], before);
		d->unfit = !series_move((*cursor)[slot], times, to->column[slot]) || d->unfit;
	}
}

/* Inner indices take the same values again and again. */
static uint32_t kind_here(struct dealing *d, struct station *s)
{
	const struct environment *at = &d->places->at;
	int64_t key[31];
	size_t length = 0;
	if (!s->indices)
		return s->kind;
	for (uint32_t k = 0; k < 31 && k < at->depth; k++)
		if (s->indices & USES_INDEX(k))
			key[length++] = at->index[at->depth - 1 - k];
	struct found *f = &s->found;
	if (!f->indices)
		f->indices = intern_new();
	uint32_t known = intern_find(f->indices, key, length * sizeof *key);
	bool beyond = s->indices & USES_INDEX(31);
	if (known != INTERN_NONE && !beyond)
		return f->kind[known];
	uint32_t kind = value_places_kind(d->places, &d->places->at, s->event);
	if (!beyond && f->kinds < FOUND_MOST) {
		intern_id(f->indices, key, length * sizeof *key);
		*MEM_PUSH(f->kind, f->kinds, f->capacity) = kind;
	}
	return kind;
}

static uint32_t dealt_in(const struct dealing *d, size_t line, size_t end)
{
	return d->dealt[end] - d->dealt[line];
}

/* Is a loop of lines that are each another kind of event, the same in all iterations, equally many
   times in each? Then what they carry does not depend on their order. */
static bool is_repeated(struct dealing *d, node_id loop, size_t line)
{
	const struct node *n = node_of(d->places->at.store, loop);
	size_t end = line + n->lines, at = line;
	bool repeated = !(node_of(d->places->at.store, n->kid[2])->uses[FOR_COUNT] & USES_INDEX(0));
	for (; at < end && repeated; at++) {
		const struct station *s = &d->station[at];
		if (!s->event || !s->dealt)
			continue;
		repeated = s->kind != INTERN_NONE && !d->kind[s->kind].inside;
		if (repeated)
			d->kind[s->kind].inside = true;
	}
	while (at-- > line)
		if (d->station[at].event && d->station[at].kind != INTERN_NONE)
			d->kind[d->station[at].kind].inside = false;
	return repeated;
}

static void walk_body(struct dealing *d, node_id body, size_t line, uint64_t times);

static void walk_loop(struct dealing *d, node_id loop, size_t line, uint64_t times)
{
	struct environment *e = &d->places->at;
	int64_t trips = loop_trips(e, loop);
	bool repeated = trips > 1 && is_repeated(d, loop, line);
	e->index[e->depth++] = 0;
	for (int64_t i = 0; i < (repeated ? 1 : trips) && run_may_go_on(d->places->run, e); i++) {
		e->index[e->depth - 1] = i;
		walk_body(d, node_kid(e->store, loop, 2), line + 1, repeated ? times * (uint64_t)trips : times);
	}
	e->depth--;
}

/* What the process has of a body, each so many times. Recursion as deep as loops nest. */
static void walk_body(struct dealing *d, node_id body, size_t line, uint64_t times)
{
	size_t length;
	struct environment *e = &d->places->at;
	const struct projected *p = run_projection(d->places->run, body, d->class, &length);
	for (size_t i = 0; i < length && !e->failure && !d->unfit; i++) {
		size_t at = line + p[i].line;
		if (!dealt_in(d, at, at + node_of(e->store, p[i].statement)->lines))
			continue;
		if (p[i].kind == NODE_LOOP) {
			walk_loop(d, p[i].statement, at, times);
		} else if (p[i].kind == NODE_GUARD) {
			if (test_holds(e, node_kid(e->store, p[i].statement, 1)))
				walk_body(d, node_kid(e->store, p[i].statement, 2), at + 1, times);
		} else if (p[i].always || event_happens(e, p[i].statement)) {
			uint32_t kind = kind_here(d, &d->station[at]);
			d->unfit = kind == INTERN_NONE;
			if (!d->unfit)
				deal(d, kind, &d->station[at].share, times);
		}
	}
}

static void walk(struct dealing *d)
{
	for (size_t line = 0; line < d->to->lines; line++)
		d->dealt[line + 1] = d->dealt[line] + (d->station[line].event && d->station[line].dealt);
	if (d->dealt[d->to->lines])
		walk_body(d, run_module(d->places->run)->body, 0, 1);
}

/* Has every kind become lines, and was all taken of those that vary? */
static void end_dealing(struct dealing *d)
{
	const struct value_process *p = d->places->process;
	for (uint32_t i = 0; i < intern_count(p->kinds); i++) {
		const struct value_source *s = &p->source[i];
		struct dealt_kind *k = &d->kind[i];
		bool taken = !s->events || k->cursor || (!k->varies && (k->has_line || d->varying));
		for (uint32_t slot = 0; k->cursor && slot < s->slots; slot++) {
			if (k->varies && k->cursor[slot])
				taken = taken && series_ended(k->cursor[slot]);
			series_cursor_free(k->cursor[slot]);
		}
		free(k->cursor);
		d->unfit = d->unfit || !taken;
	}
}

/* A line has its shares in the order of ranks. */
static void keep(struct line *line, struct station *s)
{
	line->event = s->event;
	ranks_add(&line->who, s->share.rank);
	for (uint32_t slot = 0; slot < s->share.slots; slot++) {
		fill(s->share.column[slot], s->share.executed);
		if (s->share.column[slot])
			series_finish(s->share.column[slot]);
	}
	if (s->dealt)
		*MEM_PUSH(line->share, line->shares, line->capacity) = s->share;
	intern_free(s->found.indices);
	free(s->found.kind);
	*s = (struct station){0};
}

/* False: these are not its events. */
static bool deal_process(struct dealing *d, uint32_t rank)
{
	struct value_places *v = d->places;
	if (!value_places_start(v, rank))
		return true;
	uint32_t kinds = intern_count(v->process->kinds);
	d->class = run_class(v->run, rank);
	d->kind = mem_zero((kinds + (size_t)1) * sizeof *d->kind);
	d->varying = d->unfit = false;
	for (uint32_t i = 0; i < kinds; i++)
		d->kind[i].varies = !is_constant(&v->process->source[i]);
	find_stations(d, run_module(v->run)->body, 0);
	walk(d);
	end_dealing(d);
	for (size_t line = 0; line < d->to->lines; line++)
		if (d->station[line].event)
			keep(&d->to->line[line], &d->station[line]);
	free(d->kind);
	return !d->unfit && !v->at.failure;
}

/* ------------------------------------------------------------------ all of them */

struct dealt_values *deal_values(const struct value_columns *c, struct run *run, struct error *error)
{
	struct dealt_values *to = mem_zero(sizeof *to);
	to->places = value_places_new(c, run);
	to->lines = run_module(run)->lines;
	to->line = mem_zero((to->lines + 1) * sizeof *to->line);
	struct dealing d = {.to = to,
		.places = &to->places,
		.station = mem_zero((to->lines + 1) * sizeof *d.station),
		.dealt = mem_zero((to->lines + 1) * sizeof *d.dealt)};
	bool fit = true;
	for (uint32_t rank = 0; rank < run_module(run)->processes && fit; rank++)
		if (!deal_process(&d, rank))
			fit = values_unfit(error, rank);
	free(d.station);
	free(d.dealt);
	if (fit)
		return to;
	dealt_values_free(to);
	return NULL;
}

void dealt_values_free(struct dealt_values *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->lines; i++) {
		for (size_t k = 0; k < v->line[i].shares; k++) {
			struct share *s = &v->line[i].share[k];
			for (uint32_t slot = 0; slot < s->slots; slot++)
				series_free(s->column[slot]);
			free(s->column);
		}
		ranks_clear(&v->line[i].who);
		free(v->line[i].share);
	}
	value_places_clear(&v->places);
	free(v->line);
	free(v->values);
	free(v);
}

/* Does the process at hand execute the line, which a guard may keep it from? */
static bool values_of_kind(struct value_places *v, node_id event, struct line_values *to)
{
	uint32_t kind = value_places_indices(v->at.store, event) ? INTERN_NONE : value_places_kind(v, &v->at, event);
	if (kind == INTERN_NONE)
		return false;
	to->column = v->process->source[kind].column;
	to->slots = v->process->source[kind].slots;
	return true;
}

const struct line_values *dealt_values_of(struct dealt_values *v, size_t line, size_t *count)
{
	const struct line *l = &v->line[line];
	struct ranks_walk walk = {0};
	size_t share = 0;
	*count = 0;
	for (uint32_t rank; ranks_next(&l->who, &walk, &rank);) {
		const struct share *s = share < l->shares && l->share[share].rank == rank ? &l->share[share] : NULL;
		struct line_values to = {.rank = rank};
		share += s != NULL;
		value_places_start(&v->places, rank);
		to.process = v->places.process;
		if (s)
			to = (struct line_values){rank, to.process, s->column, s->slots};
		if (s ? s->executed > 0 : values_of_kind(&v->places, l->event, &to))
			*MEM_PUSH(v->values, *count, v->values_capacity) = to;
	}
	return v->values;
}
