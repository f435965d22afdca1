/*
 * deal_values.c -- which line a kind of event has become.
 *
 * Mostly one line stands for all events of a kind of a process, or they all carry the same: then the
 * kind's columns are the line's. Only where several lines share a kind whose values vary, or where an
 * event is a function of indices, the process's part of the program is walked, and values are dealt
 * out to the lines.
 */
#include <stdlib.h>
#include <string.h>

#include "ask/event_numbers.h"
#include "base/mem.h"
#include "fit/value_kinds.h"

#define KIND_UNKNOWN INTERN_NONE

/* What was dealt out to a line, of one process. */
struct share {
	uint32_t rank;
	struct series **column; /* by slot; none of sites; NULL: none at all */
	uint32_t slots;
	uint64_t executed; /* times */
	int64_t *site; /* each once */
	size_t sites, site_capacity;
};

struct line {
	node_id event; /* NODE_NONE: nobody executes it */
	struct ranks who; /* those of its processes that have events */
	struct share *share; /* by process, ascending */
	size_t shares, capacity;
};

struct dealt_values {
	const struct value_columns *columns;
	struct value_places places;
	struct line *line;
	size_t lines;
	struct line_values *values; /* of the line at hand */
	size_t values_capacity;
};

/* ------------------------------------------------------------------ kinds of events of the program */

_Static_assert(KIND_SEND == (int)EVENT_SEND && KIND_RECV == (int)EVENT_RECV && KIND_SYNC == (int)EVENT_SYNC &&
		       KIND_LOCAL == (int)EVENT_LOCAL,
	"kinds of events");

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
	*kind = (struct value_kind){.kind = e->kind, .word = intern_find(v->process->words, word, strlen(word))};
	if (e->kind == KIND_LOCAL)
		return kind->word != INTERN_NONE;
	kind->communicator = (int64_t)number_or(e, COLUMN_COMMUNICATOR, (uint64_t)NO_COMMUNICATOR);
	if (e->kind == KIND_SYNC) {
		const struct ranks *group = member_set_ranks(v->members, (uint32_t)e->number[COLUMN_GROUP]);
		kind->peer = (uint32_t)number_or(e, COLUMN_ROOT, NO_ROOT);
		kind->group = intern_find(v->process->groups, group->run, group->length * sizeof *group->run);
		return kind->word != INTERN_NONE && kind->group != INTERN_NONE;
	}
	kind->peer = (uint32_t)number_or(e, COLUMN_PEER, 0);
	if (kind->peer < processes)
		kind->peer = (uint32_t)(((uint64_t)kind->peer + processes - (uint64_t)at->p + v->owner) % processes);
	kind->numbered = e->number[COLUMN_TAG] != EVENT_UNSAID;
	kind->number = number_or(e, COLUMN_TAG, 0);
	return kind->word != INTERN_NONE;
}

uint32_t value_places_kind(struct value_places *v, struct environment *at, node_id event)
{
	struct event_numbers e;
	struct value_kind kind;
	event_numbers_at(at, v->members, event, &e);
	if (at->failure || !find_kind(v, at, &e, &kind))
		return KIND_UNKNOWN;
	uint32_t id = intern_find(v->process->kinds, &kind, sizeof kind);
	if (id == INTERN_NONE && (kind.kind == EVENT_SEND || kind.kind == EVENT_RECV)) {
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
	size_t line;
	node_id event;
	uint64_t indices; /* that decide what it is */
	uint32_t kind; /* where none does */
	bool dealt;
	uint64_t executed; /* in the last walk */
	struct share share;
	struct found found;
};

struct dealing {
	struct dealt_values *to;
	struct value_places *places; /* of the process */
	uint32_t class;
	struct station *station; /* in the order of the text */
	size_t stations, station_capacity;
	size_t *station_at; /* by line */
	uint32_t *users; /* by kind: lines that are it; more than one where anything varies */
	struct series_cursor ***cursor; /* by kind, by slot */
	uint32_t *wanted; /* by line: so many before it are walked to */
	bool varying, counting, unfit;
};

static bool is_constant(const struct value_source *s)
{
	int64_t number;
	for (uint32_t slot = 0; slot < s->slots; slot++)
		if (slot != SLOT_ENTERED && s->column[slot] && !series_constant(s->column[slot], &number))
			return false;
	return true;
}

/* Is what a kind carries dealt out among lines? */
static bool is_dealt(const struct dealing *d, uint32_t kind)
{
	return d->users[kind] > 1 && !is_constant(&d->places->process->source[kind]);
}

static void find_stations(struct dealing *d, node_id body, size_t line)
{
	size_t length;
	const struct projected *p = run_projection(d->places->run, body, d->class, &length);
	struct store *s = d->places->at.store;
	for (size_t i = 0; i < length; i++) {
		size_t at = line + p[i].line;
		if (p[i].kind != NODE_EVENT) {
			find_stations(d, node_kid(s, p[i].statement, 2), at + 1);
			continue;
		}
		struct station station = {.line = at,
			.event = p[i].statement,
			.indices = value_places_indices(s, p[i].statement),
			.kind = KIND_UNKNOWN,
			.share.rank = (uint32_t)d->places->at.p};
		if (!station.indices)
			station.kind = value_places_kind(d->places, &d->places->at, station.event);
		if (station.kind != KIND_UNKNOWN)
			d->users[station.kind]++;
		d->varying = d->varying || station.indices;
		d->station_at[at] = d->stations;
		*MEM_PUSH(d->station, d->stations, d->station_capacity) = station;
	}
}

/* ------------------------------------------------------------------ dealing out */

/* They come in any order, few of them; the last one is likely to come again. */
static void deal_site(struct share *to, int64_t number)
{
	for (size_t i = to->sites; i-- > 0;)
		if (to->site[i] == number)
			return;
	*MEM_PUSH(to->site, to->sites, to->site_capacity) = number;
}

/* False: there are fewer. */
static bool deal_sites(struct share *to, struct series_cursor *from, uint64_t times)
{
	int64_t number, stride;
	for (uint64_t run; times && (run = series_run(from, &number, &stride)) > 0;) {
		uint64_t same = stride ? 1 : run < times ? run : times;
		deal_site(to, number);
		series_skip(from, same);
		times -= same;
	}
	return !times;
}

/* Kinds may lack what others of the same line have: so many values of it are there now. */
static void fill(struct series *column, uint64_t length)
{
	if (column && series_length(column) < length)
		series_push_times(column, ABSENT, length - series_length(column));
}

static struct series_cursor *cursor_of(struct dealing *d, uint32_t kind, uint32_t slot)
{
	const struct value_source *s = &d->places->process->source[kind];
	if (!d->cursor[kind])
		d->cursor[kind] = mem_zero((s->slots + (size_t)1) * sizeof *d->cursor[kind]);
	if (!d->cursor[kind][slot])
		d->cursor[kind][slot] = series_read(s->column[slot]);
	return d->cursor[kind][slot];
}

static void deal(struct dealing *d, uint32_t kind, struct share *to, uint64_t times)
{
	const struct value_source *s = &d->places->process->source[kind];
	uint64_t before = to->executed;
	to->executed += times;
	for (uint32_t slot = 0; slot < s->slots; slot++) {
		if (!s->column[slot] || slot == SLOT_ENTERED)
			continue;
		struct series_cursor *from = cursor_of(d, kind, slot);
		if (slot == SLOT_SITES) {
			d->unfit = !deal_sites(to, from, times) || d->unfit;
			continue;
		}
		if (!to->column) {
			to->slots = intern_count(d->places->process->names);
			to->column = mem_zero(to->slots * sizeof *to->column);
		}
		if (!to->column[slot])
			to->column[slot] = series_new();
		fill(to->column[slot], before);
		d->unfit = !series_move(from, times, to->column[slot]) || d->unfit;
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

static void take(struct dealing *d, struct station *s, uint64_t times)
{
	s->executed += times;
	if (d->counting)
		return;
	uint32_t kind = kind_here(d, s);
	if (kind == KIND_UNKNOWN)
		d->unfit = true;
	else
		deal(d, kind, &s->share, times);
}

static uint32_t wanted_in(const struct dealing *d, size_t line, size_t end)
{
	return d->wanted[end] - d->wanted[line];
}

/* Does one line alone matter here, which is the same event in all iterations, equally many times in each? */
static bool is_repeated(const struct dealing *d, const struct node *loop, size_t line)
{
	size_t at = line, end = line + loop->lines;
	if (wanted_in(d, line, end) != 1 || node_of(d->places->at.store, loop->kid[2])->uses[FOR_COUNT] & USES_INDEX(0))
		return false;
	while (d->wanted[at + 1] == d->wanted[line])
		at++;
	return !d->station[d->station_at[at]].indices;
}

static void walk_body(struct dealing *d, node_id body, size_t line, uint64_t times);

static void walk_loop(struct dealing *d, node_id loop, size_t line, uint64_t times)
{
	struct environment *e = &d->places->at;
	const struct node *n = node_of(e->store, loop);
	int64_t trips = loop_trips(e, loop);
	bool repeated = is_repeated(d, n, line);
	if (!trips)
		return;
	e->index[e->depth++] = 0;
	for (int64_t i = 0; i < (repeated ? 1 : trips) && run_may_go_on(d->places->run, e); i++) {
		e->index[e->depth - 1] = i;
		walk_body(d, n->kid[2], line + 1, repeated ? times * (uint64_t)trips : times);
	}
	e->depth--;
}

/* What the process has of a body, each so many times. Recursion as deep as loops nest. */
static void walk_body(struct dealing *d, node_id body, size_t line, uint64_t times)
{
	size_t length;
	struct environment *e = &d->places->at;
	const struct projected *p = run_projection(d->places->run, body, d->class, &length);
	for (size_t i = 0; i < length && !e->failure; i++) {
		size_t at = line + p[i].line;
		if (!wanted_in(d, at, at + node_of(e->store, p[i].statement)->lines))
			continue;
		if (p[i].kind == NODE_LOOP)
			walk_loop(d, p[i].statement, at, times);
		else if (p[i].kind == NODE_GUARD && test_holds(e, node_kid(e->store, p[i].statement, 1)))
			walk_body(d, node_kid(e->store, p[i].statement, 2), at + 1, times);
		else if (p[i].kind == NODE_EVENT && (p[i].always || event_happens(e, p[i].statement)))
			take(d, &d->station[d->station_at[at]], times);
	}
}

/* To these stations, from the process's first statement on. */
static void walk(struct dealing *d, bool (*wanted)(const struct dealing *, const struct station *, size_t), size_t which)
{
	size_t lines = d->to->lines, at = 0;
	uint32_t count = 0;
	for (size_t line = 0; line < lines; line++) {
		struct station *s = at < d->stations && d->station[at].line == line ? &d->station[at] : NULL;
		d->wanted[line] = count;
		count += s && wanted(d, s, which);
		at += s != NULL;
		if (s)
			s->executed = 0;
	}
	d->wanted[lines] = count;
	walk_body(d, run_module(d->places->run)->body, 0, 1);
}

static bool any_dealt(const struct dealing *d, const struct station *s, size_t which)
{
	(void)d, (void)which;
	return s->dealt;
}

static bool is_of_kind(const struct dealing *d, const struct station *s, size_t kind)
{
	(void)d;
	return s->dealt && s->kind == kind;
}

static bool is_station(const struct dealing *d, const struct station *s, size_t which)
{
	return s == &d->station[which];
}

/* One kind after the other: then most loops have but one line to walk to, and what it carries is
   dealt out at once. */
static void walk_all(struct dealing *d)
{
	if (d->varying)
		walk(d, any_dealt, 0);
	for (uint32_t i = 0; !d->varying && i < intern_count(d->places->process->kinds); i++)
		if (is_dealt(d, i))
			walk(d, is_of_kind, i);
}

/* Was all that is dealt out taken? What all carry alike may be a line's that was passed. */
static void end_dealing(struct dealing *d)
{
	const struct value_process *p = d->places->process;
	for (uint32_t i = 0; i < intern_count(p->kinds); i++) {
		const struct value_source *s = &p->source[i];
		bool dealt = is_dealt(d, i);
		d->unfit = d->unfit || (dealt && s->events && !d->cursor[i]);
		for (uint32_t slot = 0; d->cursor[i] && slot < s->slots; slot++) {
			if (dealt && d->cursor[i][slot])
				d->unfit = !series_ended(d->cursor[i][slot]) || d->unfit;
			series_cursor_free(d->cursor[i][slot]);
		}
		free(d->cursor[i]);
	}
}

/* Has every kind become lines, and every line, but one that is never executed, a kind? Is what
   varies, and is not dealt out, carried as often as it is executed? */
static void check_whole(struct dealing *d)
{
	const struct value_process *p = d->places->process;
	for (uint32_t i = 0; i < intern_count(p->kinds); i++)
		d->unfit = d->unfit || (p->source[i].events && !d->users[i]);
	d->counting = true;
	for (size_t i = 0; i < d->stations && !d->unfit; i++) {
		const struct station *s = &d->station[i];
		const struct value_source *source = s->kind == KIND_UNKNOWN ? NULL : &p->source[s->kind];
		if (s->indices || (source && (d->users[s->kind] > 1 || is_constant(source))))
			continue;
		walk(d, is_station, i);
		d->unfit = s->executed != (source ? source->events : 0);
	}
	d->counting = false;
}

/* A line has its shares in the order of ranks. */
static void keep(struct dealing *d, struct station *s)
{
	struct line *line = &d->to->line[s->line];
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
}

/* False: these are not its events. */
static bool deal_process(struct dealing *d, uint32_t rank)
{
	struct value_places *v = d->places;
	bool any = false;
	if (!value_places_start(v, rank))
		return true;
	uint32_t kinds = intern_count(v->process->kinds);
	d->class = run_class(v->run, rank);
	d->users = mem_zero((kinds + (size_t)1) * sizeof *d->users);
	d->cursor = mem_zero((kinds + (size_t)1) * sizeof *d->cursor);
	d->stations = 0;
	d->varying = d->unfit = false;
	find_stations(d, run_module(v->run)->body, 0);
	for (uint32_t i = 0; d->varying && i < kinds; i++)
		d->users[i] += 2;
	check_whole(d);
	for (size_t i = 0; i < d->stations; i++) {
		struct station *s = &d->station[i];
		s->dealt = s->indices || (s->kind != KIND_UNKNOWN && is_dealt(d, s->kind));
		any = any || s->dealt;
	}
	if (any && !d->unfit)
		walk_all(d);
	if (any)
		end_dealing(d);
	for (size_t i = 0; i < d->stations; i++)
		keep(d, &d->station[i]);
	free(d->users);
	free(d->cursor);
	return !d->unfit && !v->at.failure;
}

/* ------------------------------------------------------------------ all of them */

struct dealt_values *deal_values(const struct value_columns *c, struct run *run, struct error *error)
{
	struct dealt_values *to = mem_zero(sizeof *to);
	to->columns = c;
	to->places = value_places_new(c, run);
	to->lines = run_module(run)->lines;
	to->line = mem_zero((to->lines + 1) * sizeof *to->line);
	struct dealing d = {.to = to,
		.places = &to->places,
		.station_at = mem_array(to->lines + 1, sizeof *d.station_at),
		.wanted = mem_array(to->lines + 1, sizeof *d.wanted)};
	bool fit = true;
	for (uint32_t rank = 0; rank < run_module(run)->processes && fit; rank++)
		if (!deal_process(&d, rank))
			fit = values_unfit(error, rank);
	free(d.station);
	free(d.station_at);
	free(d.wanted);
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
			free(s->site);
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
	uint32_t kind = value_places_indices(v->at.store, event) ? KIND_UNKNOWN : value_places_kind(v, &v->at, event);
	if (kind == KIND_UNKNOWN)
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
			to = (struct line_values){rank, to.process, s->column, s->slots, true, s->site, s->sites};
		if (s ? s->executed > 0 : values_of_kind(&v->places, l->event, &to))
			*MEM_PUSH(v->values, *count, v->values_capacity) = to;
	}
	return v->values;
}
