/*
 * constructs.c -- sums by construct. The work of each process in each iteration of the outermost
 * loop stands in rows until all processes have left that iteration; then, if memory asks for it,
 * rows are folded into bins, with the sum of their maxima.
 */
#include "time/constructs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"

#ifndef TRACENEST_HOSTILE
#define SERIES_BINS 4096
#define RANK_BINS 512
#define ROWS_BUDGET (UINT64_C(32) << 20) /* bytes */
#else
#define SERIES_BINS 4
#define RANK_BINS 2
#define ROWS_BUDGET UINT64_C(256)
#endif

#define NO_LABEL UINT32_MAX
#define MOST_LABELS 4 /* in the name of a phase */

struct key {
	uint64_t loop;
	uint32_t label, sort;
};

/* Work by iteration and process. */
struct rows {
	uint64_t **row; /* of iteration base + i: by process; NULL: no work */
	size_t length, capacity;
	uint64_t base;
	/* what was folded, in bins */
	uint64_t width;
	size_t bins;
	uint64_t *sum, *most; /* sum[bin * processes + rank] */
};

struct sums {
	struct key key;
	struct analysis_share *share;
	struct analysis_series series[ANALYSIS_DEPTH];
	size_t capacity[ANALYSIS_DEPTH]; /* of the series */
	struct rows rows;
	uint32_t *labels; /* several, where phases were joined */
	size_t label_count, label_capacity;
	uint64_t meeting_cost, meetings; /* collectives on the path */
	uint32_t collective; /* the first one met; a label, or NO_LABEL */
	const char **site; /* of its statements */
	size_t site_count, site_capacity;
	bool gone; /* merged into another one */
	uint32_t inside; /* how deep some of it lies between two events of one execution of a loop */
	char *functions; /* without regions: those that hold its calls; NULL: not known */
};

struct link_key {
	uint32_t construct, source, destination;
};

struct link {
	uint32_t construct; /* as it was when the link was first met */
	struct analysis_link data;
};

/* Constructs and links that were asked for lately, by their keys: most are asked for again and
   again. */
#define LATELY 256

struct lately {
	struct {
		struct key key;
		uint32_t id;
		bool any;
	} construct[LATELY];
	struct {
		struct link_key key;
		uint32_t id;
		bool any;
	} link[LATELY];
};

struct constructs {
	const struct program *program;
	uint32_t processes;
	bool regions;
	struct intern *labels, *keys, *links;
	struct lately *lately;
	struct sums *sums; /* by construct */
	size_t length, capacity;
	size_t *first; /* by label: the first statement that it is met in */
	size_t firsts, first_capacity;
	uint32_t *label; /* by statement: what its events are called; NO_LABEL */
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

static void note_loops(struct constructs *c, size_t from, size_t to, size_t around, uint32_t depth)
{
	for (size_t i = from; i < to; i += statement_size(&c->program->statement[i])) {
		c->around[i] = around;
		c->depth[i] = depth;
		if (!statement_is_loop(&c->program->statement[i]))
			continue;
		bool guard = statement_guard(&c->program->statement[i]) != GUARD_NONE;
		c->depth[i] = depth + !guard;
		note_loops(c, i + 1, i + c->program->statement[i].size, guard ? around : i, depth + !guard);
	}
}

struct constructs *constructs_new(const struct program *program, bool regions)
{
	struct constructs *c = mem_zero(sizeof *c);
	c->program = program;
	c->processes = program->processes;
	c->regions = regions;
	c->labels = intern_new();
	c->keys = intern_new();
	c->links = intern_new();
	c->lately = mem_zero(sizeof *c->lately);
	c->passed = mem_zero((program->length + 1) * sizeof *c->passed);
	c->depth = mem_zero((program->length + 1) * sizeof *c->depth);
	c->around = mem_array(program->length + 1, sizeof *c->around);
	c->label = mem_array(program->length + 1, sizeof *c->label);
	memset(c->label, 0xff, (program->length + 1) * sizeof *c->label); /* NO_LABEL */
	c->rows_budget = ROWS_BUDGET;
	note_loops(c, 0, program->length, ANALYSIS_NO_LOOP, 0);
	return c;
}

static void clear_rows(struct rows *r)
{
	for (size_t i = 0; i < r->length; i++)
		free(r->row[i]);
	free(r->row);
	free(r->sum);
	free(r->most);
	*r = (struct rows){0};
}

static void clear_series(struct analysis_series *s)
{
	free(s->path_work);
	free(s->path_call);
	free(s->work);
	free(s->waited);
	free(s->bytes);
	free(s->messages);
	*s = (struct analysis_series){0};
}

static void clear_sums(struct sums *s)
{
	free(s->share);
	for (size_t d = 0; d < ANALYSIS_DEPTH; d++)
		clear_series(&s->series[d]);
	clear_rows(&s->rows);
	free(s->labels);
	free(s->site);
	free(s->functions);
}

void constructs_free(struct constructs *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->length; i++)
		clear_sums(&c->sums[i]);
	free(c->sums);
	free(c->first);
	free(c->lately);
	free(c->parent);
	free(c->link);
	free(c->passed);
	free(c->depth);
	free(c->around);
	free(c->label);
	intern_free(c->labels);
	intern_free(c->keys);
	intern_free(c->links);
	free(c);
}

/* ------------------------------------------------------------------ names */

uint32_t constructs_label(struct constructs *c, const char *name)
{
	return intern_id(c->labels, name, strlen(name));
}

const char *constructs_label_name(const struct constructs *c, uint32_t label)
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
	c->label[statement] = label;
}

static size_t first_of(const struct constructs *c, uint32_t label)
{
	return label < c->firsts ? c->first[label] : SIZE_MAX;
}

static uint32_t root_of(struct constructs *c, uint32_t construct)
{
	while (c->parent[construct] != construct)
		construct = c->parent[construct] = c->parent[c->parent[construct]];
	return construct;
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
	*s = (struct sums){.key = *key, .share = mem_zero((c->processes + (size_t)1) * sizeof *s->share)};
	s->rows.width = 1;
	s->collective = NO_LABEL;
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
	const struct key *last = &c->lately->construct[slot].key;
	if (c->lately->construct[slot].any && last->loop == loop && last->label == label && last->sort == sort)
		return c->lately->construct[slot].id;
	c->lately->construct[slot].key = key;
	c->lately->construct[slot].any = true;
	return c->lately->construct[slot].id = construct_new(c, &key);
}

/* ------------------------------------------------------------------ series */

static void halve(uint64_t *bin, size_t bins)
{
	for (size_t i = 0; i < bins; i++)
		bin[i] = bin[2 * i] + (2 * i + 1 < 2 * bins ? bin[2 * i + 1] : 0);
	if (bins)
		memset(bin + bins, 0, bins * sizeof *bin);
}

static uint64_t *grow_bins(uint64_t *bin, size_t from, size_t to)
{
	bin = mem_resize(bin, to, sizeof *bin);
	memset(bin + from, 0, (to - from) * sizeof *bin);
	return bin;
}

static void series_room(struct analysis_series *s, size_t *capacity, size_t bins)
{
	if (bins <= *capacity)
		return;
	size_t to = *capacity ? *capacity : 4;
	while (to < bins)
		to *= 2;
	s->path_work = grow_bins(s->path_work, *capacity, to);
	s->path_call = grow_bins(s->path_call, *capacity, to);
	s->work = grow_bins(s->work, *capacity, to);
	s->waited = grow_bins(s->waited, *capacity, to);
	s->bytes = grow_bins(s->bytes, *capacity, to);
	s->messages = grow_bins(s->messages, *capacity, to);
	*capacity = to;
}

static void series_widen(struct analysis_series *s, size_t *capacity)
{
	series_room(s, capacity, 2 * ((s->bins + 1) / 2));
	size_t half = (s->bins + 1) / 2;
	halve(s->path_work, half);
	halve(s->path_call, half);
	halve(s->work, half);
	halve(s->waited, half);
	halve(s->bytes, half);
	halve(s->messages, half);
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

static void fold_widen(const struct constructs *c, struct rows *r)
{
	size_t n = c->processes, half = (r->bins + 1) / 2;
	for (size_t i = 1; i < r->bins; i++) {
		uint64_t *to = &r->sum[i / 2 * n], *from = &r->sum[i * n];
		for (size_t rank = 0; rank < n; rank++)
			to[rank] = i % 2 ? to[rank] + from[rank] : from[rank];
		r->most[i / 2] = i % 2 ? r->most[i / 2] + r->most[i] : r->most[i];
	}
	if (r->bins) {
		memset(r->sum + half * n, 0, (r->bins - half) * n * sizeof *r->sum);
		memset(r->most + half, 0, (r->bins - half) * sizeof *r->most);
	}
	r->bins = half;
	r->width *= 2;
}

static void fold_bin_room(const struct constructs *c, struct rows *r, uint64_t iteration)
{
	while (iteration / r->width >= RANK_BINS)
		fold_widen(c, r);
	if (!r->sum) {
		r->sum = mem_zero((size_t)RANK_BINS * c->processes * sizeof *r->sum);
		r->most = mem_zero(RANK_BINS * sizeof *r->most);
	}
	if (iteration / r->width >= r->bins)
		r->bins = (size_t)(iteration / r->width) + 1;
}

static uint64_t most_of(const struct constructs *c, const uint64_t *row)
{
	uint64_t most = 0;
	for (uint32_t rank = 0; rank < c->processes; rank++)
		most = row[rank] > most ? row[rank] : most;
	return most;
}

static void fold_row(struct constructs *c, struct rows *r, uint64_t iteration, const uint64_t *row)
{
	fold_bin_room(c, r, iteration);
	size_t bin = (size_t)(iteration / r->width);
	for (uint32_t rank = 0; rank < c->processes; rank++)
		r->sum[bin * c->processes + rank] += row[rank];
	r->most[bin] += most_of(c, row);
}

/* Fold the rows of all iterations below one. */
static void fold_rows(struct constructs *c, struct rows *r, uint64_t below)
{
	size_t gone = 0;
	for (; gone < r->length && r->base + gone < below; gone++) {
		if (!r->row[gone])
			continue;
		fold_row(c, r, r->base + gone, r->row[gone]);
		free(r->row[gone]);
		c->rows_bytes -= c->processes * sizeof(uint64_t);
	}
	if (gone)
		memmove(r->row, r->row + gone, (r->length - gone) * sizeof *r->row);
	r->length -= gone;
	r->base += gone;
}

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
			fold_rows(c, &c->sums[i].rows, c->passed[loop]);
	}
	while (c->rows_bytes > c->rows_budget / 2)
		c->rows_budget *= 2;
}

static uint64_t *row_of(struct constructs *c, struct rows *r, uint64_t iteration)
{
	assert(iteration >= r->base);
	size_t at = (size_t)(iteration - r->base);
	if (at >= r->length) {
		r->row = mem_grow(r->row, &r->capacity, at + 1, sizeof *r->row);
		memset(r->row + r->length, 0, (at + 1 - r->length) * sizeof *r->row);
		r->length = at + 1;
	}
	if (!r->row[at]) {
		r->row[at] = mem_zero((c->processes + (size_t)1) * sizeof *r->row[at]);
		c->rows_bytes += c->processes * sizeof(uint64_t);
	}
	return r->row[at];
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

void constructs_work(struct constructs *c, uint32_t construct, const struct moment *place, uint32_t rank, uint64_t time)
{
	struct sums *s = sums_of(c, construct);
	s->share[rank].work += time;
	row_of(c, &s->rows, place->depth ? place->index[0] : 0)[rank] += time;
	for (uint32_t d = 0; d < (place->depth ? place->depth : 1); d++) {
		size_t bin = series_bin(s, d, place->depth ? place->index[d] : 0);
		s->series[d].work[bin] += time;
	}
}

void constructs_call(struct constructs *c, uint32_t construct, uint32_t rank, uint64_t time)
{
	sums_of(c, construct)->share[rank].call += time;
}

void constructs_collective(struct constructs *c, uint32_t construct, uint32_t label)
{
	struct sums *s = sums_of(c, construct);
	if (s->collective == NO_LABEL)
		s->collective = label;
}

void constructs_count(struct constructs *c, uint32_t construct, uint32_t rank, uint64_t calls, uint64_t events)
{
	struct analysis_share *share = &sums_of(c, construct)->share[rank];
	share->calls += calls;
	share->events += events;
}

void constructs_wait(struct constructs *c, uint32_t construct, const struct moment *place, uint32_t rank,
	enum wait_kind kind, uint32_t culprit, uint64_t time)
{
	struct sums *s = sums_of(c, construct);
	s->share[rank].waited[kind] += time;
	s->share[culprit].caused[kind] += time;
	for (uint32_t d = 0; d < (place->depth ? place->depth : 1); d++) {
		size_t bin = series_bin(s, d, place->depth ? place->index[d] : 0);
		s->series[d].waited[bin] += time;
	}
}

static uint32_t link_of(struct constructs *c, uint32_t construct, uint32_t source, uint32_t destination)
{
	struct link_key key = {root_of(c, construct), source, destination};
	size_t slot = ((size_t)key.construct * 31 + source * 17 + destination) % LATELY;
	const struct link_key *last = &c->lately->link[slot].key;
	if (c->lately->link[slot].any && last->construct == key.construct && last->source == source &&
		last->destination == destination)
		return c->lately->link[slot].id;
	uint32_t id = intern_id(c->links, &key, sizeof key);
	c->lately->link[slot].key = key;
	c->lately->link[slot].id = id;
	c->lately->link[slot].any = true;
	if (id == c->link_count) {
		c->link = mem_grow(c->link, &c->link_capacity, c->link_count + 1, sizeof *c->link);
		c->link[c->link_count++] = (struct link){.construct = key.construct,
			.data = {.source = source, .destination = destination, .least = UINT64_MAX}};
	}
	return id;
}

void constructs_message(
	struct constructs *c, uint32_t construct, const struct moment *place, const struct sent_message *m)
{
	struct sums *s = sums_of(c, construct);
	uint32_t id = link_of(c, construct, m->source, m->destination);
	struct analysis_link *link = &c->link[id].data;
	link->messages++;
	link->bytes += m->bytes;
	link->flight += m->flight;
	link->waited += m->waited;
	link->least = m->took < link->least ? m->took : link->least;
	for (uint32_t d = 0; d < (place->depth ? place->depth : 1); d++) {
		size_t bin = series_bin(s, d, place->depth ? place->index[d] : 0);
		s->series[d].bytes[bin] += m->bytes;
		s->series[d].messages[bin]++;
	}
}

/* ------------------------------------------------------------------ the critical path */

void constructs_path(struct paths *paths, struct piece *piece, uint32_t construct, const struct moment *place,
	uint32_t rank, uint64_t work, uint64_t call, bool hop, uint32_t cause)
{
	static_assert(PATH_DEPTH == ANALYSIS_DEPTH, "a path tells apart what is asked for");
	struct path_cell cell = {.construct = construct,
		.rank = rank,
		.depth = place->depth,
		.cause = cause,
		.work = work,
		.call = call,
		.hops = hop,
		.times = cause != PATH_NOTHING};
	memcpy(cell.index, place->index, sizeof cell.index);
	piece_add(paths, piece, &cell);
}

uint32_t constructs_link(struct constructs *c, uint32_t construct, uint32_t source, uint32_t destination)
{
	return PATH_LINK | (link_of(c, construct, source, destination) & PATH_INDEX);
}

void constructs_take(void *constructs, const struct path_step *step)
{
	struct constructs *c = constructs;
	struct sums *s = sums_of(c, step->construct);
	uint32_t index = step->where & PATH_INDEX, depth = step->where >> PATH_SHIFT;
	if ((step->where & ~PATH_INDEX) == PATH_RANK) {
		s->share[index].path_work += step->work;
		s->share[index].path_call += step->call;
		s->share[index].hops += step->hops;
		return;
	}
	if ((step->where & ~PATH_INDEX) == PATH_LINK) {
		c->link[index].data.path += step->call;
		return;
	}
	if ((step->where & ~PATH_INDEX) == PATH_MEETING) {
		s->meeting_cost += step->call;
		s->meetings += step->hops;
		return;
	}
	size_t bin = series_bin(s, depth, index);
	s->series[depth].path_work[bin] += step->work;
	s->series[depth].path_call[bin] += step->call;
}

uint32_t constructs_coarse(void *constructs, uint32_t construct, uint32_t where)
{
	struct constructs *c = constructs;
	if (where >= PATH_MEETING)
		return where;
	uint64_t width = sums_of(c, construct)->series[where >> PATH_SHIFT].width;
	uint32_t index = where & PATH_INDEX;
	return (where & ~PATH_INDEX) | (uint32_t)(index / width * width);
}

/* ------------------------------------------------------------------ what is one construct */

static void add_shares(struct analysis_share *to, const struct analysis_share *from)
{
	to->work += from->work;
	to->call += from->call;
	to->calls += from->calls;
	to->events += from->events;
	to->path_work += from->path_work;
	to->path_call += from->path_call;
	to->hops += from->hops;
	for (size_t k = 0; k < WAIT_KINDS; k++) {
		to->waited[k] += from->waited[k];
		to->caused[k] += from->caused[k];
	}
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
	for (size_t i = 0; i < b->bins; i++) {
		a->path_work[i] += b->path_work[i];
		a->path_call[i] += b->path_call[i];
		a->work[i] += b->work[i];
		a->waited[i] += b->waited[i];
		a->bytes[i] += b->bytes[i];
		a->messages[i] += b->messages[i];
	}
}

/* Bins of what was folded. */
static void merge_bins(const struct constructs *c, struct rows *to, struct rows *from)
{
	size_t n = c->processes;
	while (from->width < to->width)
		fold_widen(c, from);
	while (to->width < from->width)
		fold_widen(c, to);
	if (from->bins)
		fold_bin_room(c, to, (from->bins - 1) * from->width);
	for (size_t i = 0; i < from->bins; i++) {
		for (size_t rank = 0; rank < n; rank++)
			to->sum[i * n + rank] += from->sum[i * n + rank];
		uint64_t most = most_of(c, &to->sum[i * n]);
		to->most[i] = to->most[i] > from->most[i] ? to->most[i] : from->most[i];
		to->most[i] = to->most[i] > most ? to->most[i] : most;
	}
}

static void merge_rows(struct constructs *c, struct rows *to, struct rows *from)
{
	if (from->sum)
		merge_bins(c, to, from);
	for (size_t i = 0; i < from->length; i++) {
		if (!from->row[i])
			continue;
		if (from->base + i < to->base) { /* all have passed it */
			fold_row(c, to, from->base + i, from->row[i]);
			continue;
		}
		uint64_t *row = row_of(c, to, from->base + i);
		for (uint32_t rank = 0; rank < c->processes; rank++)
			row[rank] += from->row[i][rank];
	}
}

/* One construct from now on. The other one is empty. */
static void merge_sums(struct constructs *c, uint32_t to, uint32_t from)
{
	struct sums *a = &c->sums[to], *b = &c->sums[from];
	for (uint32_t rank = 0; rank < c->processes; rank++)
		add_shares(&a->share[rank], &b->share[rank]);
	for (size_t d = 0; d < ANALYSIS_DEPTH; d++)
		merge_series(a, b, d);
	merge_rows(c, &a->rows, &b->rows);
	for (size_t i = 0; i < b->label_count; i++) {
		a->labels = mem_grow(a->labels, &a->label_capacity, a->label_count + 1, sizeof *a->labels);
		a->labels[a->label_count++] = b->labels[i];
	}
	a->meeting_cost += b->meeting_cost;
	a->meetings += b->meetings;
	a->inside = b->inside > a->inside ? b->inside : a->inside;
	if (a->collective == NO_LABEL)
		a->collective = b->collective;
	for (size_t i = 0; i < b->rows.length; i++)
		c->rows_bytes -= b->rows.row[i] ? c->processes * sizeof(uint64_t) : 0;
	clear_sums(b);
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

static bool takes_part(const struct analysis_share *s)
{
	return s->work || s->call || s->calls;
}

static bool disjoint(const struct constructs *c, const struct sums *a, const struct sums *b)
{
	bool some = false, other = false;
	for (uint32_t rank = 0; rank < c->processes; rank++) {
		bool one = takes_part(&a->share[rank]), two = takes_part(&b->share[rank]);
		if (one && two)
			return false;
		some |= one;
		other |= two;
	}
	return some && other;
}

/* Regions of one loop that disjoint sets of processes execute. */
static void merge_disjoint(struct constructs *c)
{
	for (uint32_t i = 0; i < c->length; i++)
		for (uint32_t k = i + 1; k < c->length && !c->sums[i].gone; k++)
			if (!c->sums[k].gone && c->sums[k].key.loop == c->sums[i].key.loop &&
				c->sums[i].key.loop != ANALYSIS_NO_LOOP && c->sums[i].key.sort == CONSTRUCT_PROGRAM &&
				c->sums[k].key.sort == CONSTRUCT_PROGRAM && disjoint(c, &c->sums[i], &c->sums[k]))
				merge_sums(c, i, k);
}

/* ------------------------------------------------------ what stands before loops */

void constructs_inside(struct constructs *c, uint32_t construct, uint32_t depth)
{
	struct sums *s = sums_of(c, construct);
	s->inside = depth > s->inside ? depth : s->inside;
}

/* Work alone, and never between two events of its loop: it stands before the loop. */
static bool is_before(const struct constructs *c, const struct sums *s)
{
	if (s->gone || s->key.loop == ANALYSIS_NO_LOOP || s->key.sort != CONSTRUCT_PROGRAM)
		return false;
	if (s->inside >= c->depth[s->key.loop])
		return false;
	for (uint32_t rank = 0; rank < c->processes; rank++)
		if (s->share[rank].calls || s->share[rank].call)
			return false;
	return true;
}

static void collapse_bins(uint64_t *bin, size_t bins)
{
	for (size_t i = 1; i < bins; i++)
		bin[0] += bin[i];
}

static void collapse_series(struct analysis_series *s)
{
	collapse_bins(s->path_work, s->bins);
	collapse_bins(s->path_call, s->bins);
	collapse_bins(s->work, s->bins);
	collapse_bins(s->waited, s->bins);
	collapse_bins(s->bytes, s->bins);
	collapse_bins(s->messages, s->bins);
	s->bins = s->bins > 0;
	s->iterations = s->bins;
	s->width = 1;
}

/* All iterations are one. */
static void collapse_rows(struct constructs *c, struct rows *r)
{
	uint64_t *row = mem_zero((c->processes + (size_t)1) * sizeof *row);
	for (uint32_t rank = 0; rank < c->processes; rank++) {
		for (size_t i = 0; i < r->length; i++)
			row[rank] += r->row[i] ? r->row[i][rank] : 0;
		for (size_t i = 0; i < r->bins; i++)
			row[rank] += r->sum[i * c->processes + rank];
	}
	for (size_t i = 0; i < r->length; i++)
		c->rows_bytes -= r->row[i] ? c->processes * sizeof(uint64_t) : 0;
	clear_rows(r);
	r->width = 1;
	memcpy(row_of(c, r, 0), row, c->processes * sizeof *row);
	free(row);
}

/* It becomes one of the loop around in which it lies inside, or of none. */
static void move_out(struct constructs *c, uint32_t construct)
{
	struct sums *s = &c->sums[construct];
	size_t loop = (size_t)s->key.loop;
	uint32_t depth = c->depth[loop];
	if (!s->inside) {
		collapse_series(&s->series[0]);
		collapse_rows(c, &s->rows);
	}
	for (; depth > s->inside; depth--, loop = c->around[loop])
		if (depth > 1 && depth <= ANALYSIS_DEPTH) {
			clear_series(&s->series[depth - 1]);
			s->series[depth - 1].width = 1;
			s->capacity[depth - 1] = 0;
		}
	uint32_t to = constructs_get(c, loop, s->key.label, (enum construct_sort)s->key.sort);
	merge_sums(c, root_of(c, to), construct);
}

/* The innermost ones first: what they leave may lie inside of the loop around. */
static void move_all_out(struct constructs *c)
{
	uint32_t deepest = 0;
	for (size_t i = 0; i < c->program->length; i++)
		deepest = c->depth[i] > deepest ? c->depth[i] : deepest;
	for (uint32_t depth = deepest; depth; depth--)
		for (uint32_t i = 0; i < c->length; i++)
			if (is_before(c, &c->sums[i]) && c->depth[c->sums[i].key.loop] == depth)
				move_out(c, i);
}

/* ------------------------------------------------------------------ handing over */

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* In the order of the program. */
static void sort_labels(const struct constructs *c, uint32_t *label, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0 && first_of(c, label[k]) < first_of(c, label[k - 1]); k--) {
			uint32_t other = label[k];
			label[k] = label[k - 1];
			label[k - 1] = other;
		}
}

/* "exchange+main": in the order of the program. */
static char *functions_of(const struct sums *s)
{
	struct text functions = {0};
	const char *part[MOST_LABELS];
	size_t parts = 0;
	for (size_t i = 0; i < s->site_count && parts < MOST_LABELS; i++) {
		const char *function = site_parts(s->site[i]).function;
		bool again = !*function;
		for (size_t k = 0; k < parts && !again; k++)
			again = !strcmp(part[k], function);
		if (again)
			continue;
		text_format(&functions, "%s%s", parts ? "+" : "", function);
		part[parts++] = function;
	}
	return functions.data;
}

/* Do these functions hold another construct of the loop, too? */
static bool hold_others(const struct constructs *c, const struct sums *s)
{
	for (size_t i = 0; i < c->length; i++) {
		const struct sums *other = &c->sums[i];
		if (other != s && other->functions && other->key.loop == s->key.loop &&
			!strcmp(other->functions, s->functions))
			return true;
	}
	return false;
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
		if (!hold_others(c, s)) {
			free(part);
			return name.data;
		}
		text_put(&name, ", ");
	}
	sort_labels(c, s->labels, s->label_count);
	for (size_t i = 0; i < s->label_count; i++) {
		const char *text = constructs_label_name(c, s->labels[i]);
		bool again = false;
		for (size_t k = 0; k < parts && !again; k++)
			again = !strcmp(part[k], text);
		if (!again)
			part[parts++] = text;
	}
	if (c->regions)
		qsort(part, parts, sizeof *part, by_text);
	for (; put < parts && put < MOST_LABELS; put++)
		text_format(&name, "%s%s", !put ? "" : c->regions ? "|" : "+", part[put]);
	if (put < parts)
		text_put(&name, "+...");
	free(part);
	return name.data;
}

/* Constructs have the sites of the statements that they are called after. */
static void note_sites(struct constructs *c)
{
	for (size_t i = 0; i < c->program->length; i++) {
		struct key key = {constructs_loop_around(c, i), c->label[i], CONSTRUCT_PROGRAM};
		const uint32_t *word;
		size_t count = program_get_sites(c->program, c->program->statement[i].sites, &word);
		uint32_t id = count ? intern_find(c->keys, &key, sizeof key) : INTERN_NONE;
		if (id == INTERN_NONE)
			continue;
		struct sums *s = &c->sums[root_of(c, id)];
		s->site = mem_grow(s->site, &s->site_capacity, s->site_count + count, sizeof *s->site);
		for (size_t k = 0; k < count; k++)
			s->site[s->site_count++] = dictionary_get_word(c->program->dictionary, word[k]);
	}
	for (size_t i = 0; i < c->length && !c->regions; i++)
		c->sums[i].functions = functions_of(&c->sums[i]);
}

static void give_rows(struct constructs *c, struct rows *r, struct analysis_construct *to)
{
	if (r->sum) {
		fold_rows(c, r, UINT64_MAX);
		to->rank_width = r->width;
		to->rank_bins = r->bins;
		to->by_rank = mem_copy(r->sum, r->bins * c->processes * sizeof *r->sum);
		to->bin_most = mem_copy(r->most, r->bins * sizeof *r->most);
	} else {
		to->rank_width = 1;
		to->rank_bins = r->length;
		to->by_rank = mem_zero((r->length * c->processes + 1) * sizeof *to->by_rank);
		to->bin_most = mem_zero((r->length + 1) * sizeof *to->bin_most);
		for (size_t i = 0; i < r->length; i++) {
			if (!r->row[i])
				continue;
			memcpy(&to->by_rank[i * c->processes], r->row[i], c->processes * sizeof *to->by_rank);
			to->bin_most[i] = most_of(c, r->row[i]);
		}
	}
	for (size_t i = 0; i < to->rank_bins; i++)
		to->most += to->bin_most[i];
}

static void give_losses(const struct constructs *c, struct analysis_construct *to)
{
	int64_t n = c->processes;
	to->imbalance = n * (int64_t)to->most - (int64_t)to->total.work;
	to->serialization = n * ((int64_t)to->total.path_work - (int64_t)to->most);
	to->transfer = n * (int64_t)to->total.path_call;
	to->loss = to->imbalance + to->serialization + to->transfer;
}

static void give_place(const struct constructs *c, const struct sums *s, struct analysis_construct *to)
{
	to->sort = (enum construct_sort)s->key.sort;
	to->loop = (size_t)s->key.loop;
	if (to->loop == ANALYSIS_NO_LOOP)
		return;
	struct text address = {0};
	program_address(c->program, to->loop, &address);
	to->address = address.data;
	to->depth = c->depth[to->loop];
	uint32_t d = to->depth;
	for (size_t loop = to->loop; loop != ANALYSIS_NO_LOOP; loop = c->around[loop])
		if (--d < ANALYSIS_DEPTH)
			to->around[d] = loop;
}

static void give(struct constructs *c, struct sums *s, struct analysis_construct *to)
{
	*to = (struct analysis_construct){0};
	give_place(c, s, to);
	to->name = name_of(c, s);
	struct text sites = {0};
	sites_print(s->site, s->site_count, &sites);
	to->sites = sites.data;
	to->collective_cost = s->meeting_cost;
	to->collectives = s->meetings;
	if (s->collective != NO_LABEL)
		to->collective = mem_text(constructs_label_name(c, s->collective));
	to->share = s->share;
	s->share = NULL;
	for (uint32_t rank = 0; rank < c->processes; rank++) {
		add_shares(&to->total, &to->share[rank]);
		if (takes_part(&to->share[rank]))
			ranks_add(&to->ranks, rank);
	}
	memcpy(to->series, s->series, sizeof to->series);
	memset(s->series, 0, sizeof s->series);
	give_rows(c, &s->rows, to);
	give_losses(c, to);
}

static int by_pair(const void *left, const void *right)
{
	const struct analysis_link *a = left, *b = right;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return (a->destination > b->destination) - (a->destination < b->destination);
}

/* index: by construct, its place in the analysis. */
static void give_links(struct constructs *c, const size_t *index, struct analysis *a)
{
	for (size_t i = 0; i < c->link_count; i++) {
		struct analysis_construct *to = &a->construct[index[root_of(c, c->link[i].construct)]];
		to->link = mem_grow(to->link, &to->link_capacity, to->links + 1, sizeof *to->link);
		to->link[to->links++] = c->link[i].data;
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
			l->messages += m->messages;
			l->bytes += m->bytes;
			l->flight += m->flight;
			l->waited += m->waited;
			l->path += m->path;
			l->least = m->least < l->least ? m->least : l->least;
		}
		to->links = to->links ? last + 1 : 0;
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
	move_all_out(c);
	if (c->regions)
		merge_disjoint(c);
	note_sites(c);
	a->construct = mem_array(c->length + 1, sizeof *a->construct);
	size_t *index = mem_zero((c->length + 1) * sizeof *index);
	for (size_t i = 0; i < c->length; i++)
		if (!c->sums[i].gone) {
			index[i] = a->constructs;
			give(c, &c->sums[i], &a->construct[a->constructs++]);
		}
	give_links(c, index, a);
	free(index);
	qsort(a->construct, a->constructs, sizeof *a->construct, by_loss);
	for (size_t i = 0; i < a->constructs; i++) {
		a->path_work += a->construct[i].total.path_work;
		a->path_call += a->construct[i].total.path_call;
		a->hops += a->construct[i].total.hops;
	}
}
