/*
 * elastic.c -- from streams to trees, from the joint tree to statements.
 */
#include "fold/elastic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ask/projection.h"
#include "base/deflated.h"
#include "base/mem.h"
#include "fold/elastic_fit.h"
#include "fold/elastic_join.h"
#include "fold/elastic_tree.h"

/* Events of one process, and of all. */
#define OWN_LIMIT (UINT64_C(1) << 18)
#define EVENTS_LIMIT (UINT64_C(1) << 22)

/* Tags that differ in their number alone are listed one by one up to so many. */
#define TAGS_LISTED 6

/* Programs this short are what they should be; so are those in which a statement stands for so many
   events of a process: to look at all of these one by one would not pay, nor, where it stands for
   many more, to look at their loops. */
#define SHORT 4
#define STREAM_RATIO 64
#define STREAM_SHORT 4096 /* but so many events of a process are soon looked at */
#define LOOPS_RATIO 512

/* So many statements less are worth a byte more. */
#define STATEMENTS_A_BYTE 16

/* What must be equal: an event without its peer and, where there are many, the number of its
   tag. */
struct shape {
	uint32_t kind, word, group, numbered;
	uint64_t number;
	int64_t communicator;
	uint32_t counted, rooted; /* is the number left out; has a sync a root? */
};

struct elastic {
	struct program *from;
	const struct program *local;
	struct projection *projection;
	struct intern *shapes, *keys, *tags, *stems;
	uint32_t *numbers; /* by stem: different numbers of its tags */
	size_t numbers_capacity;
};

/* ------------------------------------------------------------------ shapes */

static uint32_t stem_of(struct elastic *e, const struct plain_event *event)
{
	return intern_id(e->stems, (uint32_t[]){event->kind, event->word}, 2 * sizeof(uint32_t));
}

static void note_tag(struct elastic *e, const struct plain_event *event)
{
	if ((event->kind != EVENT_SEND && event->kind != EVENT_RECV) || !event->numbered)
		return;
	uint32_t stems = intern_count(e->stems), stem = stem_of(e, event), tags = intern_count(e->tags);
	e->numbers = mem_grow(e->numbers, &e->numbers_capacity, (size_t)stem + 1, sizeof *e->numbers);
	if (stem == stems)
		e->numbers[stem] = 0;
	uint64_t tag[] = {stem, event->number};
	e->numbers[stem] += intern_id(e->tags, tag, sizeof tag) == tags;
}

static bool is_message(const struct plain_event *event)
{
	return event->kind == EVENT_SEND || event->kind == EVENT_RECV;
}

static struct elastic_node *node_of(struct elastic *e, const struct plain_event *event)
{
	struct shape shape;
	memset(&shape, 0, sizeof shape);
	shape.kind = event->kind;
	shape.word = event->word;
	shape.group = event->group;
	shape.numbered = event->numbered;
	shape.communicator = event->communicator;
	shape.rooted = event->kind == EVENT_SYNC && event->peer != NO_ROOT;
	shape.counted = is_message(event) && event->numbered && e->numbers[stem_of(e, event)] > TAGS_LISTED &&
			event->number <= INT64_MAX;
	shape.number = shape.counted ? 0 : event->number;
	int64_t peer = is_message(event) || shape.rooted ? (int64_t)event->peer : 0;
	struct elastic_node *n = elastic_event(
		e->keys, intern_id(e->shapes, &shape, sizeof shape), peer, shape.counted ? (int64_t)event->number : -1);
	n->collective = event->kind == EVENT_SYNC;
	return n;
}

/* ------------------------------------------------------------------ streams */

static void each_event(
	struct elastic *e, uint32_t rank, void (*visit)(void *, const struct plain_event *), void *context)
{
	struct walk *w = walk_new(e->projection, rank);
	struct plain_event event;
	while (walk_next(w)) {
		walk_event(w, &event);
		visit(context, &event);
	}
	walk_free(w);
}

static void visit_tag(void *context, const struct plain_event *event)
{
	note_tag(context, event);
}

struct listing {
	struct elastic *elastic;
	struct elastic_list *list;
};

static void visit_event(void *context, const struct plain_event *event)
{
	struct listing *l = context;
	elastic_add(l->list, node_of(l->elastic, event));
}

/* The process's events one by one. */
static void list_stream(struct elastic *e, uint32_t rank, struct elastic_list *list)
{
	each_event(e, rank, visit_event, &(struct listing){e, list});
}

/* Its loops as they were recognized. Recursion as deep as these nest. */
static void list_loops(struct elastic *e, size_t from, size_t to, uint32_t rank, bool runs, struct elastic_list *list)
{
	const struct program *p = e->local;
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		if (!statement_is_loop(s)) {
			struct plain_event event;
			plain_event_of(e->from->dictionary, p->dictionary, s->event, rank, &event);
			elastic_add(list, node_of(e, &event));
			continue;
		}
		struct elastic_list body = {0};
		list_loops(e, i + 1, i + s->size, rank, runs, &body);
		elastic_reduce(&body, e->keys, runs);
		struct elastic_node *loop = elastic_loop(e->keys, ELASTIC_LOOP, &body);
		for (size_t k = 0; k < loop->body.length; k++)
			elastic_repeat(loop->body.node[k], s->count);
		series_add(&loop->slot[SLOT_COUNT], (int64_t)s->count);
		elastic_add(list, loop);
	}
}

static uint32_t owner_of(const struct program *p, size_t at)
{
	while (statement_is_loop(&p->statement[at]))
		at++;
	struct ranks_run single;
	return program_processes(p, &p->statement[at], &single).run->first;
}

static bool is_all_plain(const struct program *p)
{
	for (size_t i = 0; i < p->length; i++) {
		const struct statement *s = &p->statement[i];
		if (s->set != STATEMENT_PLAIN || s->bound != BOUND_NONE ||
			(statement_is_loop(s) && (s->size == 1 || !s->count)))
			return false;
	}
	return true;
}

/* By process. */
static void list_local(struct elastic *e, bool runs, struct elastic_list *list)
{
	const struct program *p = e->local;
	for (size_t i = 0; i < p->length; i += statement_size(&p->statement[i])) {
		uint32_t rank = owner_of(p, i);
		list_loops(e, i, i + statement_size(&p->statement[i]), rank, runs, &list[rank]);
	}
}

/* ------------------------------------------------------------------ statements */

/* When the places of a body are executed, by process. */
struct frame {
	uint32_t process;
	size_t executions;
	int64_t *index[INDEX_DEPTH]; /* by depth */
};

struct frames {
	struct frame *frame;
	size_t length;
};

struct writing {
	struct elastic *elastic;
	struct program *to;
	const struct elastic_options *options;
	uint32_t depth, guards;
};

static void frames_clear(struct frames *f, uint32_t depth)
{
	for (size_t i = 0; i < f->length; i++)
		for (uint32_t d = 0; d < depth; d++)
			free(f->frame[i].index[d]);
	free(f->frame);
	*f = (struct frames){0};
}

static const struct frame *frame_of(const struct frames *f, uint32_t process)
{
	size_t low = 0, high = f->length;
	while (low + 1 < high) {
		size_t middle = (low + high) / 2;
		if (f->frame[middle].process <= process)
			low = middle;
		else
			high = middle;
	}
	assert(f->frame[low].process == process);
	return &f->frame[low];
}

/* Those inside a loop, or a guard, of these counts. */
static struct frames frames_inside(const struct writing *w, const struct frames *around, const struct joined *loop)
{
	struct frames inside = {mem_zero(loop->members * sizeof *inside.frame), loop->members};
	for (size_t i = 0; i < loop->members; i++) {
		const struct joined_member *m = &loop->member[i];
		const struct frame *f = frame_of(around, m->process);
		const int64_t *count = m->node->slot[SLOT_COUNT].number;
		struct frame *to = &inside.frame[i];
		to->process = m->process;
		for (size_t k = 0; k < f->executions; k++)
			to->executions += (size_t)count[k];
		for (uint32_t d = 0; d <= w->depth; d++)
			to->index[d] = mem_array(to->executions + 1, sizeof(int64_t));
		size_t at = 0;
		for (size_t k = 0; k < f->executions; k++)
			for (int64_t n = 0; n < count[k]; n++, at++) {
				for (uint32_t d = 0; d < w->depth; d++)
					to->index[d][at] = f->index[d][k];
				to->index[w->depth][at] = n;
			}
	}
	return inside;
}

static uint32_t set_of(const struct writing *w, const struct joined *place)
{
	struct ranks set = {0};
	for (size_t i = 0; i < place->members; i++)
		ranks_add(&set, place->member[i].process);
	uint32_t id = dictionary_ranks(w->to->dictionary, &set);
	ranks_clear(&set);
	return id;
}

/* The numbers of a slot, by process; the caller's. */
static struct fit_times *times_of(const struct frames *frames, const struct joined *place, int slot)
{
	struct fit_times *times = mem_zero(place->members * sizeof *times);
	for (size_t i = 0; i < place->members; i++) {
		const struct frame *f = frame_of(frames, place->member[i].process);
		times[i].process = f->process;
		times[i].executions = f->executions;
		times[i].number = place->member[i].node->slot[slot].number;
		assert(place->member[i].node->slot[slot].length == f->executions);
		for (uint32_t d = 0; d < INDEX_DEPTH; d++)
			times[i].index[d] = f->index[d];
	}
	return times;
}

static struct fitting fitting_of(
	const struct writing *w, const struct fit_times *times, const struct joined *place, const char *name)
{
	return (struct fitting){w->to, times, place->members, w->depth, w->guards, name};
}

static bool write_event(struct writing *w, const struct frames *frames, const struct joined *place)
{
	struct shape shape;
	memcpy(&shape, intern_data(w->elastic->shapes, place->shape, NULL), sizeof shape);
	struct form form;
	memset(&form, 0, sizeof form);
	form.kind = shape.kind;
	form.word = shape.word;
	form.group = shape.group;
	form.numbered = shape.numbered;
	form.number = shape.number;
	form.communicator = value_of(shape.kind == EVENT_LOCAL ? NO_COMMUNICATOR : shape.communicator);
	bool message = shape.kind == EVENT_SEND || shape.kind == EVENT_RECV, good = true;
	if (message || shape.rooted) {
		struct fit_times *times = times_of(frames, place, SLOT_PEER);
		struct fitting f = fitting_of(w, times, place, shape.rooted ? "root" : "peer");
		good = fit_place(&f, &form.peer);
		free(times);
	}
	if (shape.counted && good) {
		struct fit_times *times = times_of(frames, place, SLOT_TAG);
		struct fitting f = fitting_of(w, times, place, "tag");
		good = fit_value(&f, &form.value);
		free(times);
		form.varies = !value_is_constant(&form.value);
		if (!form.varies) {
			form.number = (uint64_t)form.value.plain.constant;
			form.value = value_of(0);
		}
	}
	if (good)
		program_add(w->to, set_of(w, place), program_form(w->to, &form));
	return good;
}

static bool write_list(struct writing *w, const struct frames *frames, const struct joined_list *list);

static bool write_inside(struct writing *w, const struct frames *frames, const struct joined *place, bool guard)
{
	if (w->depth == INDEX_DEPTH)
		return false;
	struct frames inside = frames_inside(w, frames, place);
	uint32_t guards = w->guards;
	w->guards |= guard ? UINT32_C(1) << w->depth : 0;
	w->depth++;
	bool good = write_list(w, &inside, &place->body);
	frames_clear(&inside, w->depth);
	w->depth--;
	w->guards = guards;
	return good;
}

static bool is_once(const struct joined *place)
{
	for (size_t i = 0; i < place->members; i++)
		for (size_t k = 0; k < place->member[i].node->slot[SLOT_COUNT].length; k++)
			if (place->member[i].node->slot[SLOT_COUNT].number[k] != 1)
				return false;
	return true;
}

static bool write_loop(struct writing *w, const struct frames *frames, const struct joined *place)
{
	if (is_once(place))
		return write_list(w, frames, &place->body);
	struct fit_times *times = times_of(frames, place, SLOT_COUNT);
	struct fitting f = fitting_of(w, times, place, "n");
	struct value count;
	bool good = fit_value(&f, &count);
	free(times);
	if (!good)
		return false;
	size_t loop = program_open_by(w->to, set_of(w, place), &count);
	good = write_inside(w, frames, place, false);
	program_close(w->to, loop);
	return good;
}

/* Does each process execute exactly one of the two, each time? */
static bool is_opposite(const struct joined *a, const struct joined *b)
{
	bool opposite = a->kind == ELASTIC_GUARD && a->members == b->members;
	for (size_t i = 0; i < b->members && opposite; i++) {
		const struct series *x = &a->member[i].node->slot[SLOT_COUNT],
				    *y = &b->member[i].node->slot[SLOT_COUNT];
		opposite = a->member[i].process == b->member[i].process && x->length == y->length;
		for (size_t k = 0; k < x->length && opposite; k++)
			opposite = x->number[k] != y->number[k];
	}
	return opposite;
}

/* before: the guard that has just been written; its statement. */
static bool write_guard(struct writing *w, const struct frames *frames, const struct joined *place,
	const struct joined *before, size_t written)
{
	if (is_once(place))
		return write_list(w, frames, &place->body);
	if (w->options->no_guards)
		return false;
	struct value condition;
	bool opposite = before && statement_guard(&w->to->statement[written]) == GUARD_IF && is_opposite(before, place);
	if (opposite) {
		struct value first = program_bound(w->to, &w->to->statement[written]);
		condition = value_negated(&first);
	} else {
		struct fit_times *times = times_of(frames, place, SLOT_COUNT);
		struct fitting f = fitting_of(w, times, place, "g");
		bool good = fit_condition(&f, &condition);
		free(times);
		if (!good)
			return false;
	}
	size_t guard = program_open_guard(w->to, opposite ? GUARD_ELSE : GUARD_IF, &condition);
	bool good = write_inside(w, frames, place, true);
	program_close(w->to, guard);
	return good;
}

/* Recursion as deep as loops nest. */
static bool write_list(struct writing *w, const struct frames *frames, const struct joined_list *list)
{
	const struct joined *before = NULL;
	size_t written = 0;
	for (size_t i = 0; i < list->length; i++) {
		const struct joined *place = &list->place[i];
		size_t at = w->to->length;
		bool good = place->kind == ELASTIC_EVENT  ? write_event(w, frames, place)
			    : place->kind == ELASTIC_LOOP ? write_loop(w, frames, place)
							  : write_guard(w, frames, place, before, written);
		if (!good)
			return false;
		before = place->kind == ELASTIC_GUARD && statement_guard(&w->to->statement[at]) == GUARD_IF ? place
													    : NULL;
		written = at;
	}
	return true;
}

/* ------------------------------------------------------------------ one measure */

static size_t statements_of(const struct program *p)
{
	size_t sum = 0;
	for (size_t i = 0; i < p->length; i++)
		sum += statement_guard(&p->statement[i]) != GUARD_WHO;
	return sum;
}

/* Of the text, but for what it repeats. */
static size_t bytes_of(const struct program *p)
{
	struct text text = {0};
	program_print_text(p, &text);
	size_t bytes = deflated_size(text.data, text.length);
	text_clear(&text);
	return bytes;
}

static bool has_tables(const struct program *p)
{
	for (size_t i = 0; i < p->length; i++) {
		const struct statement *s = &p->statement[i];
		if (statement_is_loop(s)) {
			struct value bound = program_bound(p, s);
			if (bound.lookup.table)
				return true;
		} else if (program_indices(p, s) & INDEX_TABLE) {
			return true;
		}
	}
	return false;
}

static bool same_stream(struct elastic *e, const struct projection *other, uint32_t rank)
{
	struct walk *a = walk_new(e->projection, rank), *b = walk_new(other, rank);
	struct plain_event x, y;
	bool same = true, more = true;
	while (same && more) {
		more = walk_next(a);
		same = walk_next(b) == more;
		if (!same || !more)
			break;
		walk_event(a, &x);
		walk_event(b, &y);
		same = plain_event_equal(&x, &y);
	}
	walk_free(a);
	walk_free(b);
	return same;
}

/* Groups and words have the same ids in both. */
static bool same_streams(struct elastic *e, struct program *other)
{
	struct projection *projection = projection_new(other, NULL);
	bool same = true;
	for (uint32_t rank = 0; rank < other->processes && same; rank++)
		same = same_stream(e, projection, rank);
	projection_free(projection);
	return same;
}

/* ------------------------------------------------------------------ all together */

/* A program that says what these trees do, by process; NULL: it cannot be said. */
static struct program *written(
	struct elastic *e, const struct elastic_list *list, const struct elastic_options *options)
{
	uint32_t processes = e->from->processes, own = 0;
	struct joined_own *owns = mem_array(processes, sizeof *owns);
	struct frames frames = {mem_zero(processes * sizeof *frames.frame), 0};
	for (uint32_t rank = 0; rank < processes; rank++) {
		if (!list[rank].length)
			continue;
		owns[own++] = (struct joined_own){rank, &list[rank]};
		frames.frame[frames.length++] = (struct frame){.process = rank, .executions = 1};
	}
	struct joined_list joined;
	struct program *to = program_copy(e->from);
	to->length = 0;
	struct writing w = {.elastic = e, .to = to, .options = options};
	bool good = joined_make(owns, own, &joined) && write_list(&w, &frames, &joined);
	joined_clear(&joined);
	free(owns);
	free(frames.frame);
	if (good && !(options->no_tables && has_tables(to)))
		return to;
	program_free(to);
	return NULL;
}

static struct program *shortest(struct program *best, struct program *other)
{
	bool better =
		other && (!best || statements_of(other) < statements_of(best) ||
				 (statements_of(other) == statements_of(best) && bytes_of(other) < bytes_of(best)));
	program_free(better ? best : other);
	return better ? other : best;
}

/* What is neither guarded, nor looked up, nor different from process to process is said best as it
   was. */
static bool needs_to_be(const struct program *p)
{
	bool guards = false;
	for (size_t i = 0; i < p->length; i++)
		guards = guards || statement_guard(&p->statement[i]) != GUARD_NONE;
	return guards || has_tables(p) || program_is_uneven(p);
}

/* Where it has fewer statements; a few bytes more may go with many statements less. */
static bool is_shorter(const struct program *p, const struct program *than)
{
	size_t statements = statements_of(p), more = statements_of(than);
	return statements < more && bytes_of(p) <= bytes_of(than) + (more - statements) / STATEMENTS_A_BYTE;
}

/* Events that are in a loop of their own on some processes, on all of them. */
static bool loop_alike(struct elastic *e, struct elastic_list *list)
{
	bool *looped = mem_zero(intern_count(e->shapes) + (size_t)1), any = false;
	for (uint32_t rank = 0; rank < e->from->processes; rank++)
		elastic_mark_looped(&list[rank], looped);
	for (uint32_t rank = 0; rank < e->from->processes; rank++)
		any = elastic_loop_marked(&list[rank], e->keys, looped) || any;
	free(looped);
	return any;
}

/* runs: are neighbours of one key loops? NULL, too, where there are no such neighbours. */
static struct program *try_way(struct elastic *e, bool loops, bool runs, const struct elastic_options *options)
{
	uint32_t processes = e->from->processes;
	struct elastic_list *list = mem_zero(processes * sizeof *list);
	if (loops)
		list_local(e, runs, list);
	bool any = !runs;
	for (uint32_t rank = 0; rank < processes; rank++) {
		if (!loops)
			list_stream(e, rank, &list[rank]);
		any = any || loops || elastic_has_runs(&list[rank]);
	}
	for (uint32_t rank = 0; rank < processes && any; rank++)
		elastic_reduce(&list[rank], e->keys, runs);
	struct program *to = any ? written(e, list, options) : NULL;
	if (any && loop_alike(e, list))
		to = shortest(to, written(e, list, options));
	for (uint32_t rank = 0; rank < processes; rank++)
		elastic_clear(&list[rank]);
	free(list);
	return to;
}

/* Events of the process that has the most; UINT64_MAX: all have too many. */
static uint64_t most_events(struct elastic *e)
{
	uint64_t all = 0, most = 0;
	for (uint32_t rank = 0; rank < e->from->processes; rank++) {
		uint64_t own = projection_events(e->projection, rank);
		most = own > most ? own : most;
		all += own;
		if (own > OWN_LIMIT || all > EVENTS_LIMIT)
			return UINT64_MAX;
	}
	return most;
}

struct program *elastic(struct program *from, const struct program *local, const struct elastic_options *options)
{
	static const struct elastic_options all;
	struct program *best = NULL;
	if (from->length <= SHORT)
		return NULL;
	options = options ? options : &all;
	struct elastic e = {.from = from,
		.local = local,
		.projection = projection_new(from, NULL),
		.shapes = intern_new(),
		.keys = intern_new(),
		.tags = intern_new(),
		.stems = intern_new()};
	uint64_t ratio = most_events(&e) / from->length;
	bool streams = ratio <= STREAM_RATIO || ratio * from->length <= STREAM_SHORT,
	     loops = ratio <= LOOPS_RATIO && local && is_all_plain(local);
	for (uint32_t rank = 0; rank < from->processes && (streams || loops); rank++)
		each_event(&e, rank, visit_tag, &e);
	for (int way = 0; way < 4; way++)
		if (way < 2 ? loops : streams)
			best = shortest(best, try_way(&e, way < 2, way % 2, options));
	if (best && (!needs_to_be(best) || !is_shorter(best, from) || !same_streams(&e, best))) {
		program_free(best);
		best = NULL;
	}
	projection_free(e.projection);
	intern_free(e.shapes);
	intern_free(e.keys);
	intern_free(e.tags);
	intern_free(e.stems);
	free(e.numbers);
	return best;
}
