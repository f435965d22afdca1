/*
 * cells.c -- to which cell the time of a process belongs.
 *
 * An event has the loops and indices of the program's statement that it is, and the region instance
 * that its call is in. Work between two events belongs to the one in whose region instance it is,
 * and to the later one if that is both, or neither: work stands before the exchange that it is for.
 * Calls without an event are treated like work. Between two iterations, a region that has no event
 * ends the earlier one, unless it, or one before it, is met where the loop begins, too.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "time/engine.h"

/* Items looked at for one to add to, from the end. */
#define LOOK_BACK 8

/* Calls with no more work between them follow each other at once: in seconds. */
#define AT_ONCE 1e-6

static const struct frame no_frame = {.label = NO_LABEL};

static const struct frame *inside(const struct timed_process *p)
{
	return p->frames ? &p->frame[p->frames - 1] : &no_frame;
}

/* ------------------------------------------------------------------ regions */

void cells_region_begins(struct engine *e, uint32_t rank, uint32_t label)
{
	struct timed_process *p = &e->process[rank];
	*MEM_PUSH(p->frame, p->frames, p->frame_capacity) =
		(struct frame){.label = label, .serial = ++p->serials, .items = p->items};
}

/* Did it begin before the last event of the process? */
static bool is_older(const struct timed_process *p, const struct frame *frame)
{
	return frame->serial <= p->at.serials;
}

/* What is in an instance without events belongs together. */
static void note_whole(struct timed_process *p, const struct frame *frame)
{
	bool inner = frame > p->frame && !is_older(p, frame - 1);
	for (size_t i = frame->items; i < p->items && !frame->any && !inner && !is_older(p, frame); i++)
		p->item[i].whole = frame->label;
}

void cells_region_ends(struct engine *e, uint32_t rank, uint32_t label)
{
	struct timed_process *p = &e->process[rank];
	for (size_t i = p->frames; i > 0; i--)
		if (p->frame[i - 1].label == label) {
			note_whole(p, &p->frame[i - 1]);
			p->frames = i - 1;
			return;
		}
}

/* ------------------------------------------------------------------ adding up */

static void add_up(struct engine *e, const struct cell *cell, uint32_t rank, const struct timed_item *item)
{
	if (item->work)
		constructs_work(e->constructs, cell, rank, item->time);
	else
		constructs_share(e->constructs, cell->construct, rank)->call += item->time;
	if (item->away)
		constructs_share(e->constructs, cell->construct, rank)->away += item->time;
	if (item->path)
		constructs_path(e->paths, item->piece, cell, rank, item->work ? item->path : 0,
			item->work ? 0 : item->path, false, item->away ? PATH_AWAY : PATH_NOTHING);
}

/* What the call was for. */
static uint32_t cause_of(struct engine *e, const struct timed_call *c)
{
	bool sent = c->kind == WAIT_LATE_RECEIVER;
	if (c->culprit == NOBODY)
		return PATH_NOTHING;
	if (c->kind >= WAIT_COLLECTIVES)
		return PATH_MEETING | (c->collective & PATH_INDEX);
	return constructs_link(
		e->constructs, c->cell.construct, sent ? c->rank : c->culprit, sent ? c->culprit : c->rank);
}

void cells_settle(struct engine *e, struct timed_call *c)
{
	if (!c->known || !c->decided)
		return;
	constructs_count(e->constructs, &c->cell, c->rank, c->events);
	if (c->path)
		constructs_path(e->paths, c->piece, &c->cell, c->rank, 0, c->path, c->waited > 0, cause_of(e, c));
	if (c->waited)
		constructs_wait(e->constructs, &c->cell, c->rank, c->kind, c->culprit, c->waited);
	call_free(e, c);
}

/* The cell of an item next to an event at this place. */
static struct cell cell_of(
	struct engine *e, const struct timed_item *item, const struct iteration_vector *place, uint32_t label)
{
	uint32_t own = e->regions && item->label != NO_LABEL ? item->label : label;
	if (item->sort != CONSTRUCT_PROGRAM)
		own = item->label;
	return (struct cell){*place, constructs_get(e->constructs, place->loop, own, item->sort)};
}

/* How many of the loops around, the outermost first, was the last event in the same execution
   of? */
static uint32_t inside_of(const struct engine *e, const struct timed_process *p, const struct iteration_vector *place)
{
	const struct iteration_vector *last = &p->at.place;
	uint32_t same = 0, depth = p->at.any ? constructs_depth(e->constructs, place->loop) : 0;
	while (same < place->depth && same < last->depth && last->index[same] == place->index[same])
		same++;
	for (size_t loop = place->loop; depth; depth--, loop = constructs_loop_around(e->constructs, loop))
		if ((depth <= same + 1 || same == place->depth) && constructs_encloses(e->constructs, loop, last->loop))
			return depth;
	return 0;
}

/* inside: how many loops around the place the last event was in the same execution of. */
static void resolve(struct engine *e, uint32_t rank, const struct timed_item *item,
	const struct iteration_vector *place, uint32_t label, uint32_t inside)
{
	struct cell cell = cell_of(e, item, place, label);
	const struct timed_process *p = &e->process[rank];
	if (item->work && place->depth && !inside && item->sort == CONSTRUCT_PROGRAM)
		cell.construct = constructs_before(e->constructs, cell.construct);
	add_up(e, &cell, rank, item);
	constructs_inside(e->constructs, cell.construct, inside);
	if (item->work && item->untold && inside == 1 && p->at.place.index[0] != place->index[0])
		constructs_between(e->constructs, cell.construct, item->time);
	piece_drop(e->paths, item->piece);
	if (!item->call)
		return;
	item->call->users--;
	if (!item->call->known) {
		item->call->cell = cell;
		item->call->known = true;
	}
	if (!item->call->users)
		cells_settle(e, item->call);
}

/* The loop around a place that is so deep; ANALYSIS_NO_LOOP. */
static size_t loop_at(const struct engine *e, size_t loop, uint32_t depth)
{
	while (constructs_depth(e->constructs, loop) > depth)
		loop = constructs_loop_around(e->constructs, loop);
	return depth ? loop : ANALYSIS_NO_LOOP;
}

static struct end_key end_of(const struct timed_item *item, size_t loop, uint32_t rank, bool ends)
{
	return (struct end_key){.loop = loop, .label = item->whole, .rank = rank, .ends = ends};
}

static bool is_at_end(const struct engine *e, const struct end_key *key)
{
	return intern_find(e->at_ends, key, sizeof *key) != INTERN_NONE;
}

/*
 * Which iteration does a region end that has no event, and stands before this place? False: none.
 * shared: how many loops around the place the last event was in the same execution of.
 */
static bool ends_iteration(struct engine *e, uint32_t rank, const struct timed_item *item,
	const struct iteration_vector *place, uint32_t shared, struct iteration_vector *ended)
{
	const struct iteration_vector *last = &e->process[rank].at.place;
	size_t loop = loop_at(e, last->loop, shared);
	struct end_key begins = end_of(item, loop, rank, false), ends = end_of(item, loop, rank, true);
	*ended = *last;
	if (shared && shared <= ANALYSIS_DEPTH && last->index[shared - 1] != place->index[shared - 1]) {
		if (is_at_end(e, &begins))
			return false;
		intern_id(e->at_ends, &ends, sizeof ends);
	} else {
		for (loop = last->loop; constructs_depth(e->constructs, loop) > shared;
			loop = constructs_loop_around(e->constructs, loop)) {
			ends.loop = loop;
			if (is_at_end(e, &ends))
				break;
		}
		if (constructs_depth(e->constructs, loop) <= shared)
			return false;
	}
	ended->loop = loop;
	ended->depth = constructs_depth(e->constructs, loop) < last->depth ? constructs_depth(e->constructs, loop)
									   : last->depth;
	return true;
}

/* A region without events is met where executions of the loops around the place begin. */
static void note_begun(struct engine *e, uint32_t rank, const struct timed_item *item,
	const struct iteration_vector *place, uint32_t shared)
{
	for (size_t loop = place->loop; constructs_depth(e->constructs, loop) > shared;
		loop = constructs_loop_around(e->constructs, loop)) {
		struct end_key begins = end_of(item, loop, rank, false);
		intern_id(e->at_ends, &begins, sizeof begins);
	}
}

/* Everything that waits for this event of a region instance. */
static void resolve_all(
	struct engine *e, uint32_t rank, const struct iteration_vector *place, uint32_t label, uint64_t serial)
{
	struct timed_process *p = &e->process[rank];
	bool same = p->at.any && p->at.serial == serial, over = false;
	uint32_t shared = p->items ? inside_of(e, p, place) : 0;
	for (size_t i = 0; i < p->items; i++) {
		const struct timed_item *item = &p->item[i];
		struct iteration_vector ended;
		if (item->with_last && !same) {
			resolve(e, rank, item, &p->at.place, p->at.label,
				constructs_depth(e->constructs, p->at.place.loop));
		} else if (item->whole != NO_LABEL && p->at.any && !over &&
			   ends_iteration(e, rank, item, place, shared, &ended)) {
			resolve(e, rank, item, &ended, label, constructs_depth(e->constructs, ended.loop));
		} else {
			if (item->whole != NO_LABEL) {
				note_begun(e, rank, item, place, shared);
				over = true;
			}
			resolve(e, rank, item, place, label, shared);
		}
	}
	p->items = 0;
}

static void add_item(struct engine *e, uint32_t rank, const struct timed_item *item)
{
	struct timed_process *p = &e->process[rank];
	size_t least = p->items > LOOK_BACK ? p->items - LOOK_BACK : 0;
	for (size_t i = p->items; i > least && !item->call; i--) {
		struct timed_item *old = &p->item[i - 1];
		if (old->piece != item->piece || old->label != item->label || old->work != item->work ||
			old->away != item->away || old->with_last != item->with_last || old->sort != item->sort ||
			old->call)
			continue;
		old->time += item->time;
		old->path += item->path;
		return;
	}
	p->item = mem_grow(p->item, &p->item_capacity, p->items + 1, sizeof *p->item);
	p->item[p->items] = *item;
	piece_keep(p->item[p->items++].piece);
}

/* Is the last event in this very region instance, and does the instance say where in the program
   that is? One that goes over several iterations does not. */
static bool is_with_last(const struct engine *e, const struct timed_process *p, const struct frame *frame)
{
	return e->regions && frame->any && !frame->spans && frame->serial == p->at.serial;
}

static void between_calls(struct engine *e, uint32_t rank, uint64_t time, bool away)
{
	struct timed_process *p = &e->process[rank];
	const struct frame *frame = inside(p);
	uint64_t work = time - p->mark;
	p->mark = time;
	if (!work)
		return;
	if (!away) {
		p->at.work += work;
		p->ideal += work;
	}
	add_item(e, rank,
		&(struct timed_item){.piece = p->piece,
			.label = frame->label,
			.whole = NO_LABEL,
			.work = !away,
			.away = away,
			.untold = is_older(p, frame),
			.with_last = is_with_last(e, p, frame),
			.time = work,
			.path = work});
}

void cells_work(struct engine *e, uint32_t rank, uint64_t time)
{
	between_calls(e, rank, time, false);
}

void cells_away(struct engine *e, uint32_t rank, uint64_t time)
{
	uint64_t away = time - e->process[rank].mark;
	e->away += away;
	e->aways++;
	e->longest = away > e->longest ? away : e->longest;
	between_calls(e, rank, time, true);
}

static uint32_t label_of_sort(struct engine *e, const struct timed_call *c, uint32_t label)
{
	static const char *const names[] = {[CONSTRUCT_INIT] = "MPI_Init",
		[CONSTRUCT_FINALIZE] = "MPI_Finalize",
		[CONSTRUCT_IO] = "I/O",
		[CONSTRUCT_DEVICE] = "waiting for devices"};
	return names[c->sort] ? constructs_label(e->constructs, names[c->sort]) : label;
}

void cells_call(struct engine *e, uint32_t rank, uint64_t time, bool path)
{
	struct timed_process *p = &e->process[rank];
	struct timed_call *c = p->call;
	const struct frame *frame = inside(p);
	uint64_t spent = time - c->mark;
	struct timed_item item = {.piece = p->piece,
		.label = label_of_sort(e, c, frame->label),
		.whole = NO_LABEL,
		.sort = c->sort,
		.with_last = is_with_last(e, p, frame),
		.time = spent,
		.path = path ? spent : 0};
	p->mark = c->mark = time;
	if ((c->sort == CONSTRUCT_INIT || c->sort == CONSTRUCT_FINALIZE) && !c->known) {
		c->cell.place = (struct iteration_vector){.loop = ANALYSIS_NO_LOOP};
		c->cell.construct = constructs_get(e->constructs, ANALYSIS_NO_LOOP, item.label, c->sort);
		c->known = true;
	}
	if (c->known) {
		add_up(e, &c->cell, rank, &item);
		return;
	}
	if (!path) { /* what comes of it is decided later */
		item.call = c;
		c->users++;
	}
	if (spent || item.call)
		add_item(e, rank, &item);
}

/* ------------------------------------------------------------------ events */

static struct iteration_vector moment_of(const struct environment *at, const struct statement_note *note)
{
	struct iteration_vector place = {.loop = note->loop};
	for (; place.depth < at->depth && place.depth < ANALYSIS_DEPTH; place.depth++)
		place.index[place.depth] = (uint32_t)at->index[place.depth] + (note->later >> place.depth & 1);
	return place;
}

/* Without regions: one call completes both, or the calls follow each other at once, and it is not
   known that different functions call them. */
static void join(struct engine *e, struct timed_process *p, const struct iteration_vector *place, uint32_t label,
	size_t statement)
{
	if (e->regions || !p->at.any || p->at.place.loop != place->loop || p->at.label == label ||
		e->statement[p->at_statement].caller != e->statement[statement].caller)
		return;
	uint64_t ticks = e->analysis->ticks_per_second ? e->analysis->ticks_per_second : 1000000000;
	if (p->at.work <= (uint64_t)(AT_ONCE * (double)ticks))
		constructs_join(e->constructs, p->at.construct,
			constructs_get(e->constructs, place->loop, label, CONSTRUCT_PROGRAM));
}

/* The region instance has an event there. */
static void note_place(struct timed_process *p, const struct iteration_vector *place)
{
	struct frame *frame = p->frames ? &p->frame[p->frames - 1] : NULL;
	if (!frame)
		return;
	frame->spans |= frame->any && !iteration_vectors_equal(&frame->first, place);
	if (!frame->any)
		frame->first = *place;
	frame->any = true;
}

/* Between what an entry of a table, or a product of two, lies. False: it is none. */
static bool entry_limits(const struct store *s, node_id factor, __int128 limit[2])
{
	const struct node *f = node_of(s, factor);
	__int128 a[2], b[2];
	while (f->kind == NODE_SUM && f->kids == 1 && !f->number && node_of(s, f->kid[0])->number == 1)
		f = node_of(s, node_kid(s, f->kid[0], 0));
	if (f->kind == NODE_ENTRY) {
		const struct node *n = node_of(s, f->kid[0]);
		const struct table *t =
			n->kind == NODE_TABLE && !n->kids ? store_get_table(s, (uint32_t)n->number) : NULL;
		limit[0] = t ? table_least(t) : 0;
		limit[1] = t ? table_most(t) : 0;
		return t;
	}
	if (f->kind != NODE_PRODUCT || !entry_limits(s, f->kid[0], a) || !entry_limits(s, f->kid[1], b))
		return false;
	for (int i = 0; i < 4; i++) {
		__int128 product = a[i / 2] * b[i % 2];
		limit[0] = !i || product < limit[0] ? product : limit[0];
		limit[1] = !i || product > limit[1] ? product : limit[1];
	}
	return true;
}

/* A number; a function by where it begins: {3000+y+2*i0} is "3000..", of a table the lowest
   entry. */
static void put_number(const struct store *s, node_id number, struct text *out)
{
	const struct node *n = node_of(s, number);
	__int128 least = n->number, limit[2];
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *term = node_of(s, n->kid[k]);
		if (entry_limits(s, term->kid[0], limit))
			least += limit[term->number < 0] * term->number;
	}
	least = least > INT64_MAX ? INT64_MAX : least;
	text_format(out, "%" PRId64 "%s", least > 0 ? (int64_t)least : 0, n->kids ? ".." : "");
}

static void put_tag(const struct store *s, const struct node *event, struct text *out)
{
	text_put(out, store_get_word(s, event->word));
	if (event->kid[COLUMN_TAG])
		put_number(s, event->kid[COLUMN_TAG], out);
	if (!event->kid[COLUMN_COMMUNICATOR])
		return;
	text_char(out, '@');
	put_number(s, event->kid[COLUMN_COMMUNICATOR], out);
}

/* Where it is known which function calls the one that communicates: what several call alike, a
   function that only wraps MPI, say, is told apart by who does. */
static uint32_t caller_of(const struct module *m, size_t line)
{
	const uint32_t *path;
	size_t count = sites_get(&m->places, m->sites[line], &path);
	uint32_t caller = count ? call_paths_frame(m->places.paths, path[0])->caller : CALL_PATH_NONE;
	for (size_t i = 1; i < count && caller != CALL_PATH_NONE; i++)
		if (call_paths_frame(m->places.paths, path[i])->caller != caller)
			caller = CALL_PATH_NONE;
	return caller;
}

/* What the event that the cursor stands at is called, the same for all processes that execute its
   line. */
static uint32_t label_of_event(struct engine *e, const struct cursor *at)
{
	struct statement_note *note = &e->statement[at->line];
	if (note->label != NO_LABEL)
		return note->label;
	const struct node *event = node_of(at->at.store, at->event);
	struct text text = {0};
	if (kind_gathers(event->sub))
		text_put(&text, store_get_word(at->at.store, event->word));
	else
		put_tag(at->at.store, event, &text);
	note->caller = caller_of(e->module, at->line);
	if (note->caller != CALL_PATH_NONE)
		text_format(&text, CONSTRUCTS_UNSAID "%" PRIu32, note->caller);
	note->label = constructs_label(e->constructs, text.data);
	constructs_first(e->constructs, note->label, at->line);
	text_clear(&text);
	return note->label;
}

bool cells_event(struct engine *e, uint32_t rank, enum event_kind kind)
{
	struct timed_process *p = &e->process[rank];
	struct timed_call *c = p->call;
	const struct frame *frame = inside(p);
	const struct cursor *at = tracker_next(e->tracker, rank, kind, e->error);
	if (!at)
		return false;
	size_t statement = at->line;
	struct iteration_vector place = moment_of(&at->at, &e->statement[statement]);
	uint32_t label = label_of_event(e, at);
	join(e, p, &place, label, statement);
	c->events++;
	if (!c->known) {
		struct timed_item like = {.label = label_of_sort(e, c, frame->label), .sort = c->sort};
		resolve_all(e, rank, &place, label, frame->serial);
		c->cell = cell_of(e, &like, &place, label);
		c->known = true;
	}
	note_place(p, &place);
	struct statement_note *note = &e->statement[statement];
	uint32_t region = p->frames > 2 ? p->frame[p->frames - 2].label : NO_LABEL;
	if (note->construct != c->cell.construct || note->region != region) {
		constructs_event(e->constructs, c->cell.construct, statement, region);
		note->construct = c->cell.construct;
		note->region = region;
	}
	if (kind_gathers(kind))
		c->collective = label;
	p->at_statement = statement;
	p->at = (struct last_event){true, place, label, c->cell.construct, frame->serial, 0, p->serials};
	return true;
}

void cells_end(struct engine *e, uint32_t rank)
{
	struct iteration_vector none = {.loop = ANALYSIS_NO_LOOP};
	resolve_all(e, rank, &none, constructs_label(e->constructs, "the rest"), UINT64_MAX);
}
