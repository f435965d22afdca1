/*
 * constructs.c -- sums by construct, and in each by its members: the processes that have a part in
 * it, numbered as they come. So memory follows who does what, not processes x constructs.
 */
#include "time/constructs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/module_address.h"
#include "base/text.h"
#include "time/rows.h"

#ifndef TRACENEST_HOSTILE
#define SERIES_BINS 4096
#define ROWS_BUDGET (UINT64_C(32) << 20) /* bytes */
#else
#define SERIES_BINS 4
#define ROWS_BUDGET UINT64_C(256)
#endif

#define NO_LABEL UINT32_MAX
#define MANY_LABELS (UINT32_MAX - 1)
#define NO_CONSTRUCT UINT32_MAX
#define MOST_LABELS 4 /* in the name of a phase */
#define BEFORE 16U /* with the sort of a construct: it stands before its outermost loop, or begins it */
#define AS_MUCH 1.25 /* iterations that take up to so much more take as long */

struct key {
	uint64_t loop;
	uint32_t label, sort;
};

struct collective_cost {
	uint32_t label;
	uint64_t cost, times;
};

struct sums {
	struct key key;
	struct analysis_share *share; /* by member */
	uint32_t members;
	size_t share_capacity;
	struct analysis_series series[ANALYSIS_DEPTH];
	size_t capacity[ANALYSIS_DEPTH]; /* of the series */
	struct rows rows; /* work */
	uint32_t *labels; /* several, where phases were joined */
	size_t label_count, label_capacity;
	struct collective_cost *collective; /* on the path */
	size_t collectives, collective_capacity;
	uint64_t away; /* of the path */
	uint32_t *path; /* of its statements */
	size_t paths, path_capacity;
	uint32_t caller; /* the region that calls its region; NO_LABEL, MANY_LABELS */
	bool gone; /* merged into another one */
	uint32_t inside; /* how deep some of it lies between two events of one execution of a loop */
	uint64_t between; /* work that may end one iteration of the outermost loop, or begin the next */
	char *functions; /* without regions: those that hold its calls; NULL: not known */
	bool holds_others; /* ... and those of another construct of the loop */
};

struct link_key {
	uint32_t construct, source, destination;
};

struct member_key {
	uint32_t construct, rank;
};

struct link {
	uint32_t construct; /* as it was when the link was first met */
	struct analysis_link data;
};

/* Constructs and links that were asked for lately, and members, of each process in as many
   constructs: most are asked for again and again. */
#define LATELY 256
#define LATELY_EACH 8

struct constructs {
	const struct module *module;
	uint32_t processes;
	bool regions;
	struct intern *labels, *keys, *links, *members;
	uint32_t *member; /* by id of a member's key: its number in its construct */
	size_t member_count, member_capacity;
	/* By their keys, each with what is known of it and 1; 0: nothing is. */
	struct {
		struct key key;
		uint32_t known;
	} lately[LATELY];
	struct {
		struct link_key key;
		uint32_t known;
	} lately_link[LATELY];
	struct {
		struct member_key key;
		uint32_t known;
	} * lately_member;
	size_t lately_members; /* a power of two */
	struct sums *sums; /* by construct */
	size_t length, capacity;
	size_t *first; /* by label: the first statement that it is met in */
	size_t firsts, first_capacity;
	uint32_t *construct; /* by statement: that of its events; NO_CONSTRUCT */
	uint32_t *parent; /* of joined ones */
	size_t parent_capacity;
	struct link *link;
	size_t link_count, link_capacity;
	uint64_t *passed; /* by outermost loop */
	uint64_t rows_bytes, rows_budget;
	uint32_t *depth; /* by loop: loops around, itself included */
	size_t *around; /* by loop: the one around */
};

/* ------------------------------------------------------------------ beginning and end */

struct constructs *constructs_new(const struct overview *o, bool regions)
{
	const struct module *m = o->module;
	struct constructs *c = mem_zero(sizeof *c);
	c->module = m;
	c->processes = m->processes;
	c->regions = regions;
	c->labels = intern_new();
	c->keys = intern_new();
	c->links = intern_new();
	c->members = intern_new_keys(sizeof(struct member_key));
	for (c->lately_members = LATELY; c->lately_members / LATELY_EACH < c->processes;)
		c->lately_members *= 2;
	c->lately_member = mem_zero(c->lately_members * sizeof *c->lately_member);
	c->passed = mem_zero((m->lines + 1) * sizeof *c->passed);
	c->depth = mem_zero((m->lines + 1) * sizeof *c->depth);
	c->around = mem_array(m->lines + 1, sizeof *c->around);
	c->construct = mem_array(m->lines + 1, sizeof *c->construct);
	memset(c->construct, 0xff, (m->lines + 1) * sizeof *c->construct); /* NO_CONSTRUCT */
	c->rows_budget = ROWS_BUDGET;
	for (size_t i = 0; i < m->lines; i++) {
		c->around[i] = overview_loop_around(o, i);
		c->depth[i] = o->line[i].loops + overview_is_loop(o, i);
	}
	return c;
}

static void clear_series(struct analysis_series *s)
{
	for (size_t i = 0; i < ANALYSIS_SERIES; i++)
		free(s->each[i]);
	*s = (struct analysis_series){0};
}

static void clear_sums(struct constructs *c, struct sums *s)
{
	free(s->share);
	for (size_t d = 0; d < ANALYSIS_DEPTH; d++)
		clear_series(&s->series[d]);
	rows_clear(&s->rows, &c->rows_bytes);
	free(s->labels);
	free(s->collective);
	free(s->path);
	free(s->functions);
}

void constructs_free(struct constructs *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->length; i++)
		clear_sums(c, &c->sums[i]);
	free(c->sums);
	free(c->first);
	free(c->member);
	free(c->lately_member);
	free(c->parent);
	free(c->link);
	free(c->passed);
	free(c->depth);
	free(c->around);
	free(c->construct);
	intern_free(c->labels);
	intern_free(c->keys);
	intern_free(c->links);
	intern_free(c->members);
	free(c);
}

/* ------------------------------------------------------------------ names */

uint32_t constructs_label(struct constructs *c, const char *name)
{
	return intern_id(c->labels, name, strlen(name));
}

static const char *constructs_label_name(const struct constructs *c, uint32_t label)
{
	return intern_data(c->labels, label, NULL);
}

void constructs_first(struct constructs *c, uint32_t label, size_t statement)
{
	for (size_t i = c->firsts; i <= label; i++) {
		c->first = mem_grow(c->first, &c->first_capacity, i + 1, sizeof *c->first);
		c->first[i] = SIZE_MAX;
		c->firsts = i + 1;
	}
	c->first[label] = statement < c->first[label] ? statement : c->first[label];
}

static uint32_t root_of(struct constructs *c, uint32_t construct)
{
	while (c->parent[construct] != construct)
		construct = c->parent[construct] = c->parent[c->parent[construct]];
	return construct;
}

void constructs_event(struct constructs *c, uint32_t construct, size_t statement, uint32_t caller)
{
	uint32_t *known = &c->sums[root_of(c, construct)].caller;
	c->construct[statement] = construct;
	*known = *known == NO_LABEL || *known == caller ? caller : MANY_LABELS;
}

static size_t first_of(const struct constructs *c, uint32_t label)
{
	return label < c->firsts ? c->first[label] : SIZE_MAX;
}

static uint32_t construct_new(struct constructs *c, const struct key *key)
{
	uint32_t id = intern_id(c->keys, key, sizeof *key);
	if (id < c->length)
		return id;
	c->sums = mem_grow(c->sums, &c->capacity, c->length + 1, sizeof *c->sums);
	c->parent = mem_grow(c->parent, &c->parent_capacity, c->length + 1, sizeof *c->parent);
	c->parent[id] = id;
	struct sums *s = &c->sums[c->length++];
	*s = (struct sums){.key = *key, .caller = NO_LABEL};
	rows_begin(&s->rows);
	for (size_t d = 0; d < ANALYSIS_DEPTH; d++)
		s->series[d].width = 1;
	s->labels = mem_grow(NULL, &s->label_capacity, 1, sizeof *s->labels);
	s->labels[s->label_count++] = key->label;
	return id;
}

uint32_t constructs_get(struct constructs *c, size_t loop, uint32_t label, enum construct_sort sort)
{
	struct key key = {loop, label, sort};
	size_t slot = (loop * 31 + label * 7 + sort) % LATELY;
	const struct key *last = &c->lately[slot].key;
	if (!c->lately[slot].known || last->loop != loop || last->label != label || last->sort != sort) {
		c->lately[slot].key = key;
		c->lately[slot].known = construct_new(c, &key) + 1;
	}
	return c->lately[slot].known - 1;
}

/* ------------------------------------------------------------------ series */

static void series_room(struct analysis_series *s, size_t *capacity, size_t bins)
{
	if (bins <= *capacity)
		return;
	size_t to = *capacity ? *capacity : 4;
	while (to < bins)
		to *= 2;
	for (size_t i = 0; i < ANALYSIS_SERIES; i++) {
		s->each[i] = mem_resize(s->each[i], to, sizeof *s->each[i]);
		memset(s->each[i] + *capacity, 0, (to - *capacity) * sizeof *s->each[i]);
	}
	*capacity = to;
}

static void series_widen(struct analysis_series *s, size_t *capacity)
{
	series_room(s, capacity, 2 * ((s->bins + 1) / 2));
	size_t half = (s->bins + 1) / 2;
	for (size_t k = 0; k < ANALYSIS_SERIES && half; k++) {
		for (size_t i = 0; i < half; i++)
			s->each[k][i] = s->each[k][2 * i] + s->each[k][2 * i + 1];
		memset(s->each[k] + half, 0, half * sizeof *s->each[k]);
	}
	s->bins = half;
	s->width *= 2;
}

static size_t series_reach(struct sums *s, size_t depth, uint64_t index)
{
	struct analysis_series *series = &s->series[depth];
	while (index / series->width >= SERIES_BINS)
		series_widen(series, &s->capacity[depth]);
	size_t bin = (size_t)(index / series->width);
	if (bin >= series->bins) {
		series_room(series, &s->capacity[depth], bin + 1);
		series->bins = bin + 1;
	}
	if (index >= series->iterations)
		series->iterations = index + 1;
	return bin;
}

/* The bin of an iteration, made if need be. Widths are powers of two. */
static inline size_t series_bin(struct sums *s, size_t depth, uint64_t index)
{
	const struct analysis_series *series = &s->series[depth];
	size_t bin = (size_t)(index >> __builtin_ctzll(series->width));
	return bin < series->bins && index < series->iterations ? bin : series_reach(s, depth, index);
}

/* ------------------------------------------------------------------ rows */

static size_t outermost(const struct constructs *c, size_t loop)
{
	while (loop != ANALYSIS_NO_LOOP && c->around[loop] != ANALYSIS_NO_LOOP)
		loop = c->around[loop];
	return loop;
}

bool constructs_full(const struct constructs *c)
{
	return c->rows_bytes > c->rows_budget;
}

static void keep_budget(struct constructs *c)
{
	if (c->rows_bytes <= c->rows_budget)
		return;
	for (size_t i = 0; i < c->length; i++) {
		size_t loop = outermost(c, c->sums[i].key.loop);
		if (loop != ANALYSIS_NO_LOOP && c->passed[loop])
			rows_fold(&c->sums[i].rows, c->passed[loop], &c->rows_bytes);
	}
	while (c->rows_bytes > c->rows_budget / 2)
		c->rows_budget *= 2;
}

void constructs_passed(struct constructs *c, size_t loop, uint64_t iteration)
{
	if (iteration > c->passed[loop])
		c->passed[loop] = iteration;
	keep_budget(c);
}

/* ------------------------------------------------------------------ adding up */

static struct sums *sums_of(struct constructs *c, uint32_t construct)
{
	return &c->sums[root_of(c, construct)];
}

/* The number of a process in a construct that stands for itself, given if need be. */
static uint32_t member_new(struct constructs *c, const struct member_key *key)
{
	struct sums *s = &c->sums[key->construct];
	uint32_t id = intern_id(c->members, key, sizeof *key);
	if (id < c->member_count)
		return c->member[id];
	*MEM_PUSH(c->member, c->member_count, c->member_capacity) = s->members;
	s->share = mem_grow(s->share, &s->share_capacity, s->members + (size_t)1, sizeof *s->share);
	s->share[s->members] = (struct analysis_share){.rank = key->rank};
	return s->members++;
}

static uint32_t member_of(struct constructs *c, const struct sums *s, uint32_t rank)
{
	struct member_key key = {(uint32_t)(s - c->sums), rank};
	size_t slot = ((size_t)key.construct * c->processes + rank) & (c->lately_members - 1);
	const struct member_key *last = &c->lately_member[slot].key;
	if (!c->lately_member[slot].known || last->construct != key.construct || last->rank != rank) {
		c->lately_member[slot].key = key;
		c->lately_member[slot].known = member_new(c, &key) + 1;
	}
	return c->lately_member[slot].known - 1;
}

static void add_over(struct sums *s, const struct iteration_vector *place, unsigned figure, uint64_t value)
{
	for (uint32_t d = 0; d < (place->depth ? place->depth : 1); d++) {
		size_t bin = series_bin(s, d, place->depth ? place->index[d] : 0);
		s->series[d].each[figure][bin] += value;
	}
}

void constructs_work(struct constructs *c, const struct cell *cell, uint32_t rank, uint64_t time)
{
	struct sums *s = sums_of(c, cell->construct);
	const struct iteration_vector *place = &cell->place;
	uint32_t member = member_of(c, s, rank);
	s->share[member].work += time;
	rows_add(&s->rows, place->depth ? place->index[0] : 0, member, s->members, time, &c->rows_bytes);
	add_over(s, place, SERIES_WORK, time);
}

struct analysis_share *constructs_share(struct constructs *c, uint32_t construct, uint32_t rank)
{
	struct sums *s = sums_of(c, construct);
	uint32_t member = member_of(c, s, rank);
	return &s->share[member];
}

static void add_collective(struct sums *s, const struct collective_cost *more)
{
	for (size_t i = 0; i < s->collectives; i++)
		if (s->collective[i].label == more->label) {
			s->collective[i].cost += more->cost;
			s->collective[i].times += more->times;
			return;
		}
	*MEM_PUSH(s->collective, s->collectives, s->collective_capacity) = *more;
}

void constructs_count(struct constructs *c, const struct cell *cell, uint32_t rank, uint64_t events)
{
	struct analysis_share *share = constructs_share(c, cell->construct, rank);
	share->calls++;
	share->events += events;
	add_over(sums_of(c, cell->construct), &cell->place, SERIES_EVENTS, events);
}

void constructs_wait(struct constructs *c, const struct cell *cell, uint32_t rank, enum wait_kind kind,
	uint32_t culprit, uint64_t time)
{
	constructs_share(c, cell->construct, rank)->waited[kind] += time;
	constructs_share(c, cell->construct, culprit)->caused[kind] += time;
	add_over(sums_of(c, cell->construct), &cell->place, SERIES_WAITED, time);
}

static uint32_t link_of(struct constructs *c, uint32_t construct, uint32_t source, uint32_t destination)
{
	struct link_key key = {root_of(c, construct), source, destination};
	size_t slot = ((size_t)key.construct * 31 + source * 17 + destination) % LATELY;
	const struct link_key *last = &c->lately_link[slot].key;
	if (c->lately_link[slot].known && last->construct == key.construct && last->source == source &&
		last->destination == destination)
		return c->lately_link[slot].known - 1;
	uint32_t id = intern_id(c->links, &key, sizeof key);
	c->lately_link[slot].key = key;
	c->lately_link[slot].known = id + 1;
	if (id == c->link_count)
		*MEM_PUSH(c->link, c->link_count, c->link_capacity) = (struct link){.construct = key.construct,
			.data = {.source = source, .destination = destination, .least = UINT64_MAX}};
	return id;
}

static void add_links(struct analysis_link *to, const struct analysis_link *from)
{
	to->messages += from->messages;
	to->bytes += from->bytes;
	to->flight += from->flight;
	to->waited += from->waited;
	to->path += from->path;
	to->least = from->least < to->least ? from->least : to->least;
}

void constructs_message(struct constructs *c, const struct cell *cell, const struct analysis_link *one)
{
	struct sums *s = sums_of(c, cell->construct);
	uint32_t id = link_of(c, cell->construct, one->source, one->destination);
	add_links(&c->link[id].data, one);
	add_over(s, &cell->place, SERIES_BYTES, one->bytes);
	add_over(s, &cell->place, SERIES_MESSAGES, one->messages);
}

/* ------------------------------------------------------------------ the critical path */

void constructs_path(struct paths *paths, struct piece *piece, const struct cell *at, uint32_t rank, uint64_t work,
	uint64_t call, bool hop, uint32_t cause)
{
	piece_add(paths, piece,
		&(struct path_cell){.at = *at,
			.rank = rank,
			.cause = cause,
			.work = work,
			.call = call,
			.hops = hop,
			.times = cause != PATH_NOTHING});
}

uint32_t constructs_link(struct constructs *c, uint32_t construct, uint32_t source, uint32_t destination)
{
	return PATH_LINK | (link_of(c, construct, source, destination) & PATH_INDEX);
}

void constructs_take(struct constructs *c, const struct path_step *step)
{
	struct sums *s = sums_of(c, step->construct);
	uint32_t index = step->where & PATH_INDEX, depth = step->where >> PATH_SHIFT;
	if ((step->where & ~PATH_INDEX) == PATH_RANK) {
		struct analysis_share *share = constructs_share(c, step->construct, index);
		share->path_work += step->work;
		share->path_call += step->call;
		share->hops += step->hops;
		return;
	}
	if ((step->where & ~PATH_INDEX) == PATH_LINK) {
		c->link[index].data.path += step->call;
		return;
	}
	if ((step->where & ~PATH_INDEX) == PATH_AWAY) {
		s->away += step->call;
		return;
	}
	if ((step->where & ~PATH_INDEX) == PATH_MEETING) {
		add_collective(s, &(struct collective_cost){index, step->call, step->hops});
		return;
	}
	size_t bin = series_bin(s, depth, index);
	s->series[depth].path_work[bin] += step->work;
	s->series[depth].path_call[bin] += step->call;
}

uint32_t constructs_coarse(struct constructs *c, uint32_t construct, uint32_t where)
{
	if (where >= PATH_AWAY)
		return where;
	uint64_t width = sums_of(c, construct)->series[where >> PATH_SHIFT].width;
	uint32_t index = where & PATH_INDEX;
	return (where & ~PATH_INDEX) | (uint32_t)(index / width * width);
}

/* ------------------------------------------------------------------ what is one construct */

static void add_shares(struct analysis_share *to, const struct analysis_share *from)
{
	for (size_t i = 0; i < ANALYSIS_FIGURES; i++)
		to->each[i] += from->each[i];
}

static void merge_series(struct sums *to, struct sums *from, size_t d)
{
	struct analysis_series *a = &to->series[d], *b = &from->series[d];
	while (a->width < b->width)
		series_widen(a, &to->capacity[d]);
	while (b->width < a->width)
		series_widen(b, &from->capacity[d]);
	if (b->iterations)
		series_bin(to, d, b->iterations - 1);
	for (size_t k = 0; k < ANALYSIS_SERIES; k++)
		for (size_t i = 0; i < b->bins; i++)
			a->each[k][i] += b->each[k][i];
}

/* One construct from now on. The other one is empty. */
static void merge_sums(struct constructs *c, uint32_t to, uint32_t from)
{
	struct sums *a = &c->sums[to], *b = &c->sums[from];
	uint32_t *number = mem_array(b->members + (size_t)1, sizeof *number);
	for (uint32_t m = 0; m < b->members; m++) {
		number[m] = member_of(c, a, b->share[m].rank);
		add_shares(&a->share[number[m]], &b->share[m]);
	}
	for (size_t d = 0; d < ANALYSIS_DEPTH; d++)
		merge_series(a, b, d);
	rows_merge(&a->rows, &b->rows, number, &c->rows_bytes);
	free(number);
	for (size_t i = 0; i < b->label_count; i++) {
		*MEM_PUSH(a->labels, a->label_count, a->label_capacity) = b->labels[i];
	}
	for (size_t i = 0; i < b->collectives; i++)
		add_collective(a, &b->collective[i]);
	a->away += b->away;
	a->inside = b->inside > a->inside ? b->inside : a->inside;
	a->between += b->between;
	a->caller = a->caller == b->caller || b->caller == NO_LABEL ? a->caller
		    : a->caller == NO_LABEL                         ? b->caller
								    : MANY_LABELS;
	clear_sums(c, b);
	*b = (struct sums){.key = b->key, .gone = true};
	c->parent[from] = to;
}

size_t constructs_loop_around(const struct constructs *c, size_t statement)
{
	return c->around[statement];
}

uint32_t constructs_depth(const struct constructs *c, size_t loop)
{
	return loop == ANALYSIS_NO_LOOP ? 0 : c->depth[loop];
}

bool constructs_encloses(const struct constructs *c, size_t loop, size_t inner)
{
	while (inner != loop && inner != ANALYSIS_NO_LOOP)
		inner = c->around[inner];
	return inner == loop && loop != ANALYSIS_NO_LOOP;
}

void constructs_join(struct constructs *c, uint32_t a, uint32_t b)
{
	a = root_of(c, a);
	b = root_of(c, b);
	if (a != b)
		merge_sums(c, a < b ? a : b, a < b ? b : a);
}

/* It becomes one of a loop around it, or beside that, or of none; gives which. */
static uint32_t move_to(struct constructs *c, uint32_t construct, size_t loop)
{
	struct sums *s = &c->sums[construct];
	uint32_t depth = constructs_depth(c, loop);
	if (s->key.loop == loop)
		return construct;
	if (!depth) {
		struct analysis_series *all = &s->series[0];
		for (size_t k = 0; k < ANALYSIS_SERIES; k++)
			for (size_t i = 1; i < all->bins; i++)
				all->each[k][0] += all->each[k][i];
		all->iterations = all->bins = all->bins > 0;
		all->width = 1;
		rows_collapse(&s->rows, &c->rows_bytes);
	}
	for (uint32_t d = depth ? depth : 1; d < ANALYSIS_DEPTH; d++) {
		clear_series(&s->series[d]);
		s->series[d].width = 1;
		s->capacity[d] = 0;
	}
	uint32_t to = root_of(c, constructs_get(c, loop, s->key.label, (enum construct_sort)s->key.sort));
	merge_sums(c, to, construct);
	return to;
}

static bool takes_part(const struct analysis_share *s)
{
	return s->work || s->call || s->calls;
}

static uint32_t count_parts(const struct sums *s)
{
	uint32_t count = 0;
	for (uint32_t m = 0; m < s->members; m++)
		count += takes_part(&s->share[m]);
	return count;
}

/* Its number there; s->members: none. */
static uint32_t member_in(const struct constructs *c, const struct sums *s, uint32_t rank)
{
	struct member_key key = {(uint32_t)(s - c->sums), rank};
	uint32_t id = intern_find(c->members, &key, sizeof key);
	return id != INTERN_NONE ? c->member[id] : s->members;
}

/* How many processes have a part in both? Counts no further than `enough`. */
static uint32_t count_both(const struct constructs *c, const struct sums *a, const struct sums *b, uint32_t enough)
{
	const struct sums *few = a->members < b->members ? a : b, *many = few == a ? b : a;
	uint32_t both = 0;
	for (uint32_t m = 0; m < few->members && both < enough; m++) {
		uint32_t other = takes_part(&few->share[m]) ? member_in(c, many, few->share[m].rank) : many->members;
		both += other < many->members && takes_part(&many->share[other]);
	}
	return both;
}

static bool disjoint(const struct constructs *c, const struct sums *a, const struct sums *b)
{
	return !count_both(c, a, b, 1) && count_parts(a) && count_parts(b);
}

/* One region, or tag or collective, that one has a part in elsewhere than another. */
static bool are_parts(const struct constructs *c, const struct sums *a, const struct sums *b)
{
	bool shared = false;
	for (size_t i = 0; i < a->label_count && !shared; i++)
		for (size_t k = 0; k < b->label_count && !shared; k++)
			shared = a->labels[i] == b->labels[k];
	if (!shared)
		return false;
	uint32_t first = count_parts(a), second = count_parts(b), most = first > second ? first : second;
	return first && second && count_both(c, a, b, most) < most;
}

struct in_loop {
	uint64_t outermost, loop;
	uint32_t construct;
};

static int by_loop(const void *left, const void *right)
{
	const struct in_loop *a = left, *b = right;
	return a->outermost != b->outermost ? COMPARE(a->outermost, b->outermost)
	       : a->loop != b->loop         ? COMPARE(a->loop, b->loop)
					    : COMPARE(a->construct, b->construct);
}

/* The innermost loop around both; these have one. */
static size_t common_loop(const struct constructs *c, size_t a, size_t b)
{
	while (a != b)
		if (c->depth[a] < c->depth[b])
			b = c->around[b];
		else
			a = c->around[a];
	return a;
}

/* What is one, of those in one outermost loop; near: in one loop. */
static void merge_if(struct constructs *c,
	bool (*are_one)(const struct constructs *, const struct sums *, const struct sums *), bool near)
{
	struct in_loop *in = mem_array(c->length + 1, sizeof *in);
	size_t length = 0;
	for (uint32_t i = 0; i < c->length; i++)
		if (!c->sums[i].gone && c->sums[i].key.loop != ANALYSIS_NO_LOOP &&
			c->sums[i].key.sort == CONSTRUCT_PROGRAM)
			in[length++] =
				(struct in_loop){outermost(c, (size_t)c->sums[i].key.loop), c->sums[i].key.loop, i};
	if (length)
		qsort(in, length, sizeof *in, by_loop);
	for (size_t i = 0; i < length; i++)
		for (size_t k = i + 1; k < length && in[k].outermost == in[i].outermost; k++) {
			uint32_t a = root_of(c, in[i].construct), b = root_of(c, in[k].construct);
			if (a == b || (near && in[k].loop != in[i].loop) || !are_one(c, &c->sums[a], &c->sums[b]))
				continue;
			size_t loop = common_loop(c, (size_t)c->sums[a].key.loop, (size_t)c->sums[b].key.loop);
			a = move_to(c, a, loop);
			b = move_to(c, root_of(c, b), loop);
			constructs_join(c, a, b);
		}
	free(in);
}

/* ------------------------------------------------------ loops of the source */

/*
 * Loops beside each other that different processes go through as often are one loop of the source,
 * in which they do not do the same: edges and others, colours, roles. The first of them in the text
 * is taken for all.
 */
struct source_loop {
	struct ranks who; /* has a part in it; of the first of several: in any of them */
	uint64_t iterations;
	size_t same; /* the first of those that are one with it */
	size_t next; /* that is another one, beside it and with as many iterations; SIZE_MAX */
};

static struct source_loop *loops_of(const struct constructs *c)
{
	struct source_loop *all = mem_zero((c->module->lines + 1) * sizeof *all);
	for (size_t i = 0; i < c->module->lines; i++)
		all[i].same = i;
	for (const struct sums *s = c->sums; s < c->sums + c->length; s++)
		for (size_t loop = (size_t)s->key.loop; loop != ANALYSIS_NO_LOOP; loop = c->around[loop]) {
			uint32_t depth = c->depth[loop];
			uint64_t most = depth <= ANALYSIS_DEPTH ? s->series[depth - 1].iterations : 0;
			all[loop].iterations = most > all[loop].iterations ? most : all[loop].iterations;
			for (uint32_t m = 0; m < s->members; m++)
				if (takes_part(&s->share[m]))
					ranks_add(&all[loop].who, s->share[m].rank);
		}
	return all;
}

/* Which loop this is one with. at: the first of those beside it that are apart; it may be the last. */
static size_t find_same(struct source_loop *all, size_t loop, size_t *at)
{
	while (*at != SIZE_MAX && ranks_meet(&all[*at].who, &all[loop].who))
		at = &all[*at].next;
	if (*at == SIZE_MAX) {
		all[loop].next = SIZE_MAX;
		return *at = loop;
	}
	ranks_join(&all[*at].who, &all[loop].who);
	return *at;
}

static void unite_loops(struct constructs *c)
{
	size_t length = c->module->lines, *first = mem_array(length + 1, sizeof *first);
	struct source_loop *all = loops_of(c);
	struct intern *alike = intern_new();
	for (size_t i = 0; i < length; i++) {
		if (all[i].iterations < 2)
			continue;
		c->around[i] = c->around[i] == ANALYSIS_NO_LOOP ? ANALYSIS_NO_LOOP : all[c->around[i]].same;
		uint64_t key[] = {c->around[i], all[i].iterations};
		uint32_t known = intern_count(alike), id = intern_id(alike, key, sizeof key);
		if (id == known)
			first[id] = SIZE_MAX;
		all[i].same = find_same(all, i, &first[id]);
	}
	for (uint32_t i = 0, constructs = (uint32_t)c->length; i < constructs; i++)
		if (!c->sums[i].gone && c->sums[i].key.loop != ANALYSIS_NO_LOOP)
			move_to(c, i, all[c->sums[i].key.loop].same);
	for (size_t i = 0; i < length; i++)
		ranks_clear(&all[i].who);
	intern_free(alike);
	free(first);
	free(all);
}

/* ------------------------------------------------------ what stands before loops */

void constructs_inside(struct constructs *c, uint32_t construct, uint32_t depth)
{
	struct sums *s = sums_of(c, construct);
	s->inside = depth > s->inside ? depth : s->inside;
}

void constructs_between(struct constructs *c, uint32_t construct, uint64_t work)
{
	sums_of(c, construct)->between += work;
}

/* Work alone, and never between two events of its loop: it stands before the loop. */
static bool is_before(const struct constructs *c, const struct sums *s)
{
	if (s->gone || s->key.loop == ANALYSIS_NO_LOOP || s->key.sort != CONSTRUCT_PROGRAM)
		return false;
	if (s->inside >= c->depth[s->key.loop])
		return false;
	for (uint32_t m = 0; m < s->members; m++)
		if (s->share[m].calls || s->share[m].call)
			return false;
	return true;
}

uint32_t constructs_before(struct constructs *c, uint32_t construct)
{
	struct key key = c->sums[construct].key;
	key.sort |= BEFORE;
	return construct_new(c, &key);
}

static uint64_t work_in(const struct rows *rows, size_t i, uint32_t member)
{
	return i < rows->length && member < rows->row[i].length ? rows->row[i].work[member] : 0;
}

/* Do all that have work before the loop have as much in two of its iterations as in the first
   together with that? Then it is the work of this one. So it is where iterations were folded. */
static bool is_of_first(const struct constructs *c, const struct sums *before, const struct sums *s)
{
	bool all = true;
	for (uint32_t b = 0; b < before->members && all && !s->rows.sum; b++) {
		uint32_t m = member_in(c, s, before->share[b].rank);
		uint64_t most = 0, second = 0, first = before->share[b].work + work_in(&s->rows, 0, m);
		for (size_t i = 1; i < s->rows.length; i++) {
			uint64_t work = work_in(&s->rows, i, m);
			second = work > most ? most : work > second ? work : second;
			most = work > most ? work : most;
		}
		all = (double)first <= AS_MUCH * (double)second;
	}
	return all;
}

/* The construct whose first iteration it may be. */
static uint32_t begun_by(struct constructs *c, uint32_t before)
{
	struct key key = c->sums[before].key;
	key.sort &= ~BEFORE;
	return root_of(c, construct_new(c, &key));
}

static void move_before(struct constructs *c)
{
	uint32_t length = (uint32_t)c->length;
	bool *longer = mem_zero(c->module->lines + 1); /* by outermost loop: more than iteration 0 is before it */
	for (uint32_t i = 0; i < length; i++)
		if (c->sums[i].key.sort & BEFORE && !c->sums[i].gone) {
			uint32_t own = begun_by(c, i);
			longer[outermost(c, (size_t)c->sums[i].key.loop)] |=
				!is_of_first(c, &c->sums[i], &c->sums[own]);
		}
	for (uint32_t i = 0; i < length; i++) {
		if (c->sums[i].gone || !(c->sums[i].key.sort & BEFORE))
			continue;
		bool region = first_of(c, c->sums[i].key.label) == SIZE_MAX;
		uint32_t own = begun_by(c, i);
		if (region ? is_of_first(c, &c->sums[i], &c->sums[own])
			   : !longer[outermost(c, (size_t)c->sums[i].key.loop)]) {
			merge_sums(c, own, i);
			continue;
		}
		if (!region) { /* what is in none belongs together, whatever processes communicate first */
			struct text name = {0};
			text_format(&name, "before the loop" CONSTRUCTS_UNSAID "%zu",
				outermost(c, (size_t)c->sums[i].key.loop));
			c->sums[i].key.label = c->sums[i].labels[0] = constructs_label(c, name.data);
			text_clear(&name);
		}
		c->sums[i].key.sort &= ~BEFORE;
		move_to(c, i, ANALYSIS_NO_LOOP);
	}
	free(longer);
}

/* The innermost ones first: what they leave may lie inside of the loop around. */
static void move_all_out(struct constructs *c)
{
	uint32_t deepest = 0;
	for (size_t i = 0; i < c->module->lines; i++)
		deepest = c->depth[i] > deepest ? c->depth[i] : deepest;
	for (uint32_t depth = deepest; depth; depth--)
		for (uint32_t i = 0; i < c->length; i++)
			if (is_before(c, &c->sums[i]) && c->depth[c->sums[i].key.loop] == depth) {
				size_t loop = (size_t)c->sums[i].key.loop;
				while (loop != ANALYSIS_NO_LOOP && c->depth[loop] > c->sums[i].inside)
					loop = c->around[loop];
				move_to(c, i, loop);
			}
}

/* ------------------------------------------------------------------ handing over */

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

struct named {
	size_t first;
	uint32_t label;
};

static int by_first(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	return a->first != b->first ? COMPARE(a->first, b->first) : COMPARE(a->label, b->label);
}

static int said(const char *label)
{
	return (int)strcspn(label, CONSTRUCTS_UNSAID);
}

/* "tag5" of "tag5..@2", where no other label begins so. */
static int said_shortly(const struct constructs *c, const char *label)
{
	size_t whole = (size_t)said(label), stem = strcspn(label, ".@" CONSTRUCTS_UNSAID);
	for (uint32_t i = 0; i < intern_count(c->labels) && stem < whole; i++) {
		const char *other = constructs_label_name(c, i);
		if (!strncmp(other, label, stem) && strchr(".@", other[stem]) &&
			((size_t)said(other) != whole || strncmp(other, label, whole)))
			return (int)whole;
	}
	return (int)stem;
}

/* The names of its labels, each once, in the order of the program; gives how many. */
static size_t names_of(const struct constructs *c, const struct sums *s, const char **name)
{
	struct named *named = mem_array(s->label_count + 1, sizeof *named);
	size_t names = 0;
	for (size_t i = 0; i < s->label_count; i++)
		named[i] = (struct named){first_of(c, s->labels[i]), s->labels[i]};
	qsort(named, s->label_count, sizeof *named, by_first);
	for (size_t i = 0; i < s->label_count; i++)
		if (!i || named[i].label != named[i - 1].label)
			name[names++] = constructs_label_name(c, named[i].label);
	free(named);
	return names;
}

/* "limiter > exchange": the function of a call, and those that call it, but for the outermost. */
static void put_functions(const struct site_places *p, uint32_t path, uint32_t depth, struct text *out)
{
	const struct call_frame *frame = call_paths_frame(p->paths, path);
	const char *name = frame->name;
	uint32_t caller = frame->caller;
	if (caller != CALL_PATH_NONE && call_paths_frame(p->paths, caller)->caller != CALL_PATH_NONE) {
		if (depth + 1 < PATH_FRAMES_SHOWN)
			put_functions(p, caller, depth + 1, out);
		text_put(out, depth + 1 < PATH_FRAMES_SHOWN ? CALL_PATH_INSIDE : "... > ");
	}
	text_put(out, name);
}

/* "exchange+main": in the order of the program. */
static char *functions_of(const struct site_places *p, const struct sums *s)
{
	struct text functions = {0};
	struct intern *put = intern_new();
	for (size_t i = 0; i < s->paths && intern_count(put) < MOST_LABELS; i++) {
		struct text function = {0};
		uint32_t known = intern_count(put);
		if (*call_paths_frame(p->paths, s->path[i])->name)
			put_functions(p, s->path[i], 0, &function);
		if (function.length && intern_id(put, function.data, function.length) == known)
			text_format(&functions, "%s%s", known ? "+" : "", function.data);
		text_clear(&function);
	}
	intern_free(put);
	return functions.data;
}

/* Which functions hold another construct of the loop, too? */
static void note_shared_functions(struct constructs *c)
{
	struct intern *held = intern_new();
	size_t *first = mem_array(c->length + 1, sizeof *first), length = 0;
	struct text key = {0};
	for (size_t i = 0; i < c->length; i++) {
		struct sums *s = &c->sums[i];
		if (!s->functions)
			continue;
		text_clear(&key);
		text_format(&key, "%" PRIu64 " %s", s->key.loop, s->functions);
		uint32_t id = intern_id(held, key.data, key.length);
		if (id == length)
			first[length++] = i;
		else
			s->holds_others = c->sums[first[id]].holds_others = true;
	}
	text_clear(&key);
	free(first);
	intern_free(held);
}

/* "consume|produce" of regions, "tag1+tag2" of phases, "exchange" of what one function holds,
   "main, tag1+tag2" of one of several phases. */
static char *name_of(const struct constructs *c, const struct sums *s)
{
	struct text name = {0};
	const char **part = mem_array(s->label_count, sizeof *part);
	size_t parts = 0, put = 0;
	if (s->functions) {
		text_put(&name, s->functions);
		if (!s->holds_others) {
			free(part);
			return name.data;
		}
		text_put(&name, ", ");
	}
	parts = names_of(c, s, part);
	if (c->regions)
		qsort(part, parts, sizeof *part, by_text);
	for (; put < parts && put < MOST_LABELS; put++)
		text_format(&name, "%s%.*s",
			!put         ? ""
			: c->regions ? "|"
				     : "+",
			c->regions ? said(part[put]) : said_shortly(c, part[put]), part[put]);
	if (put < parts)
		text_put(&name, "+...");
	free(part);
	return name.data;
}

/* Constructs have the sites of their statements. */
static void note_sites(struct constructs *c)
{
	for (size_t i = 0; i < c->module->lines; i++) {
		const uint32_t *path;
		size_t count = sites_get(&c->module->places, c->module->sites[i], &path);
		if (!count || c->construct[i] == NO_CONSTRUCT)
			continue;
		struct sums *s = &c->sums[root_of(c, c->construct[i])];
		for (size_t k = 0; k < count; k++) {
			size_t at = 0;
			while (at < s->paths && s->path[at] != path[k])
				at++;
			if (at == s->paths)
				*MEM_PUSH(s->path, s->paths, s->path_capacity) = path[k];
		}
	}
	for (size_t i = 0; i < c->length && !c->regions; i++)
		c->sums[i].functions = functions_of(&c->module->places, &c->sums[i]);
	note_shared_functions(c);
}

/* place: by member, where its share stands. */
static void give_rows(struct constructs *c, struct rows *r, const uint32_t *place, struct analysis_construct *to)
{
	if (r->sum)
		rows_fold(r, UINT64_MAX, &c->rows_bytes);
	to->rank_width = r->sum ? r->width : 1;
	to->rank_bins = r->sum ? r->bins : r->length;
	to->bin_work = mem_zero((to->rank_bins * to->shares + 1) * sizeof *to->bin_work);
	to->bin_most = mem_zero((to->rank_bins + 1) * sizeof *to->bin_most);
	for (size_t i = 0; i < to->rank_bins; i++) {
		const struct work_row *row = r->sum ? &r->sum[i] : &r->row[i];
		for (uint32_t m = 0; m < row->length; m++)
			if (row->work[m])
				to->bin_work[i * to->shares + place[m]] = row->work[m];
		to->bin_most[i] = r->sum ? r->most[i] : row_most(row);
		to->most += to->bin_most[i];
	}
}

static void give_place(const struct constructs *c, const struct sums *s, const struct module_addresses *addresses,
	struct analysis_construct *to)
{
	to->sort = (enum construct_sort)s->key.sort;
	to->loop = (size_t)s->key.loop;
	if (to->loop == ANALYSIS_NO_LOOP)
		return;
	to->address = mem_text(module_addresses_get(addresses, to->loop));
	to->depth = c->depth[to->loop];
	uint32_t d = to->depth;
	for (size_t loop = to->loop; loop != ANALYSIS_NO_LOOP; loop = c->around[loop])
		if (--d < ANALYSIS_DEPTH)
			to->around[d] = loop;
}

static int by_rank(const void *left, const void *right)
{
	const struct analysis_share *a = left, *b = right;
	return COMPARE(a->rank, b->rank);
}

/* Sorted; gives where each member is then. */
static uint32_t *give_shares(struct constructs *c, struct sums *s, struct analysis_construct *to)
{
	uint32_t *place = mem_array(s->members + (size_t)1, sizeof *place);
	to->share = s->share ? s->share : mem_array(1, sizeof *to->share); /* also of none, there is an end */
	to->shares = s->members;
	s->share = NULL;
	qsort(to->share, to->shares, sizeof *to->share, by_rank);
	for (uint32_t i = 0; i < to->shares; i++) {
		place[member_of(c, s, to->share[i].rank)] = i;
		add_shares(&to->total, &to->share[i]);
		if (takes_part(&to->share[i]))
			ranks_add(&to->ranks, to->share[i].rank);
	}
	return place;
}

static void give_sites(const struct constructs *c, struct sums *s, struct analysis_construct *to)
{
	struct text sites = {0}, callers = {0};
	const char **site = mem_array(s->paths + 1, sizeof *site);
	bool called = false;
	for (size_t i = 0; i < s->paths; i++) {
		site[i] = path_site(&c->module->places, s->path[i]);
		called |= call_paths_frame(c->module->places.paths, s->path[i])->caller != CALL_PATH_NONE;
	}
	sites_print(site, s->paths, &sites);
	if (called)
		paths_print(&c->module->places, s->path, s->paths, PATH_SHORT, &callers);
	else if (s->caller < MANY_LABELS)
		text_format(&callers, "%s > %s", constructs_label_name(c, s->caller), to->name);
	to->sites = sites.data;
	to->callers = callers.data;
	to->path = s->path;
	to->paths = s->paths;
	s->path = NULL;
	free(site);
}

static void give_collectives(const struct constructs *c, const struct sums *s, struct analysis_construct *to)
{
	const struct collective_cost *most = s->collective;
	for (size_t i = 0; i < s->collectives; i++) {
		to->collectives_cost += s->collective[i].cost;
		most = s->collective[i].cost > most->cost ? &s->collective[i] : most;
	}
	if (!most)
		return;
	to->collective_cost = most->cost;
	to->collective_times = most->times;
	struct text name = {0};
	const char *label = constructs_label_name(c, most->label);
	text_format(&name, "%.*s", said(label), label);
	to->collective = name.data;
}

static void give(
	struct constructs *c, struct sums *s, const struct module_addresses *addresses, struct analysis_construct *to)
{
	*to = (struct analysis_construct){.between = s->between, .order = (uint32_t)(s - c->sums)};
	give_place(c, s, addresses, to);
	to->name = name_of(c, s);
	give_sites(c, s, to);
	give_collectives(c, s, to);
	to->away = s->away;
	uint32_t *place = give_shares(c, s, to);
	memcpy(to->series, s->series, sizeof to->series);
	memset(s->series, 0, sizeof s->series);
	give_rows(c, &s->rows, place, to);
	int64_t n = c->processes;
	to->imbalance = n * (int64_t)to->most - (int64_t)to->total.work;
	to->serialization = n * ((int64_t)to->total.path_work - (int64_t)to->most);
	to->transfer = n * (int64_t)to->total.path_call;
	to->loss = to->imbalance + to->serialization + to->transfer;
	free(place);
}

static int by_pair(const void *left, const void *right)
{
	const struct analysis_link *a = left, *b = right;
	return a->source != b->source ? COMPARE(a->source, b->source) : COMPARE(a->destination, b->destination);
}

/* place: by construct, its place in the analysis. */
static void give_links(struct constructs *c, const size_t *place, struct analysis *a)
{
	for (size_t i = 0; i < c->link_count; i++) {
		struct analysis_construct *to = &a->construct[place[root_of(c, c->link[i].construct)]];
		*MEM_PUSH(to->link, to->links, to->link_capacity) = c->link[i].data;
		to->messages += c->link[i].data.messages;
		to->bytes += c->link[i].data.bytes;
	}
	for (size_t i = 0; i < a->constructs; i++) {
		struct analysis_construct *to = &a->construct[i];
		size_t last = 0;
		if (to->links)
			qsort(to->link, to->links, sizeof *to->link, by_pair);
		for (size_t k = 1; k < to->links; k++) {
			struct analysis_link *l = &to->link[last], *m = &to->link[k];
			if (by_pair(l, m)) {
				to->link[++last] = *m;
				continue;
			}
			add_links(l, m);
		}
		to->links = to->links ? last + 1 : 0;
		to->overhead = to->total.path_call - to->collectives_cost - to->away;
		for (size_t k = 0; k < to->links; k++)
			to->overhead -= to->link[k].path;
	}
}

/* Constructs may have no part in the last iterations of a loop around them. */
static void give_iterations(const struct constructs *c, struct analysis *a)
{
	a->iterations = mem_zero((c->module->lines + 1) * sizeof *a->iterations);
	for (const struct analysis_construct *k = a->construct; k < a->construct + a->constructs; k++)
		for (uint32_t d = 0; d < k->depth && d < ANALYSIS_DEPTH; d++) {
			uint64_t *most = &a->iterations[k->around[d]];
			*most = k->series[d].iterations > *most ? k->series[d].iterations : *most;
		}
}

static int by_loss(const void *left, const void *right)
{
	const struct analysis_construct *a = left, *b = right;
	bool apart_a = a->sort != CONSTRUCT_PROGRAM, apart_b = b->sort != CONSTRUCT_PROGRAM;
	if (apart_a != apart_b)
		return apart_a ? 1 : -1;
	if (a->loss != b->loss)
		return a->loss > b->loss ? -1 : 1;
	if (a->loop != b->loop)
		return a->loop < b->loop ? -1 : 1;
	return strcmp(a->name, b->name);
}

void constructs_finish(struct constructs *c, struct analysis *a)
{
	unite_loops(c);
	move_before(c);
	move_all_out(c);
	if (c->regions)
		merge_if(c, disjoint, true);
	merge_if(c, are_parts, false);
	if (c->regions)
		merge_if(c, disjoint, false);
	note_sites(c);
	struct module_addresses addresses = module_addresses_of(c->module);
	a->construct = mem_array(c->length + 1, sizeof *a->construct);
	for (size_t i = 0; i < c->length; i++)
		if (!c->sums[i].gone)
			give(c, &c->sums[i], &addresses, &a->construct[a->constructs++]);
	module_addresses_clear(&addresses);
	qsort(a->construct, a->constructs, sizeof *a->construct, by_loss);
	size_t *place = mem_zero((c->length + 1) * sizeof *place);
	for (size_t i = 0; i < a->constructs; i++) {
		place[a->construct[i].order] = i;
		a->path_work += a->construct[i].total.path_work;
		a->path_call += a->construct[i].total.path_call;
		a->hops += a->construct[i].total.hops;
	}
	give_links(c, place, a);
	give_iterations(c, a);
	a->construct_of = mem_array(c->module->lines + 1, sizeof *a->construct_of);
	for (size_t i = 0; i < c->module->lines; i++)
		a->construct_of[i] =
			c->construct[i] == NO_CONSTRUCT ? ANALYSIS_NO_CONSTRUCT : place[root_of(c, c->construct[i])];
	free(place);
}
