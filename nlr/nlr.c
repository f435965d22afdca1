/*
 * nlr.c -- the rules of the recognizer, and the cursor that saves it most of its work.
 *
 * The rules. A record is pushed on the window as a term. Then, as long as something applies,
 * shortest body first:
 *
 *	absorb	... [B]n B	->  ... [B]n+1		a loop takes in the copy of its body behind it
 *	create	... S S S	->  ... [S]3		so many adjacent copies (--repetitions) are a loop
 *
 * Both end at the top, so a term under the top has its final form, and what a rule makes of a
 * suffix of the window depends on that suffix alone. Two consequences carry the cursor:
 *
 * (1) When a body B was made, its last copy had been built on the window record by record, each
 *     reduction within the copy. Built again behind
 * [B]n it meets the same reductions in the same order, but for those that begin before [B]n and
 * take it in. These need another loop [B]n elsewhere (bodies_known).
 * (2) A term of B that is complete has its final form before the next record comes. So what the
 *     window holds above [B]n after any
 * part of an iteration can be read off B and the place reached in it: the terms passed and, of each
 * loop entered, [D]i for the i iterations done (i copies of D, while they are fewer than
 * `repetitions`), and so on inwards.
 *
 * The cursor is that place: while records follow B and [B]n is not known, nothing is pushed; at the
 * end of an iteration n is raised; when a record differs, the window is filled in by (2) and the
 * rules go on. Nothing may leave the window meanwhile, so the cursor only sets out where an
 * iteration has room. The result is the one of the rules alone: options->slow leaves the cursor
 * out, and tests compare.
 */
#include "nlr/nlr.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"
#include "nlr/bodies.h"
#include "nlr/long_periods.h"
#include "nlr/window.h"

/* A loop holds at least two iterations, and fewer than 2^64 records were pushed. */
#define DEEPEST 66

#define UNKNOWN UINT_MAX

struct frame {
	struct term loop; /* which is followed; of the outermost one: the top of the window */
	const struct term *body; /* its first term */
	const struct term *place; /* of the loop within the body of the frame outside */
	uint32_t done; /* iterations; of the outermost one: counted in the window */
};

struct nlr {
	const struct term *next; /* of the innermost frame: the record expected; &nowhere without a cursor */
	struct frame frame[DEEPEST];
	unsigned depth; /* index of the innermost frame */
	unsigned surroundings; /* of the top: see window.h; or UNKNOWN */
	unsigned repetitions;
	size_t longest; /* body */
	bool slow;
	struct window *window;
	struct bodies *bodies;
	struct long_periods *missed;
	struct nest *nest;
	node **nodes; /* of each body: its nodes in the nest, or NULL */
	size_t nodes_capacity;
};

static const struct term nowhere = TERMINATOR;

/* Terms that must stay in the window for the longest repetition: one body more than that takes. */
static size_t height_kept(const struct nlr *r)
{
	return (r->repetitions + 1) * r->longest;
}

static size_t height_limit(const struct nlr *r)
{
	return height_kept(r) < 32 ? 64 : 2 * height_kept(r);
}

struct nlr *nlr_new(const struct nlr_options *options)
{
	static const struct nlr_options defaults = {.window = NLR_WINDOW, .repetitions = NLR_REPETITIONS};
	if (!options)
		options = &defaults;
	assert(options->window >= 1 && options->window <= NLR_WINDOW_MOST);
	assert(options->repetitions >= 2 && options->repetitions <= NLR_REPETITIONS_MOST);
	struct nlr *r = mem_zero(sizeof *r);
	r->next = &nowhere;
	r->repetitions = options->repetitions;
	r->longest = options->window;
	r->slow = options->slow;
	r->bodies = bodies_new(r->repetitions);
	r->window = window_new(r->bodies, r->repetitions, r->longest, height_limit(r));
	r->nest = nest_new();
	return r;
}

void nlr_free(struct nlr *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nodes_capacity; i++)
		free(r->nodes[i]);
	free(r->nodes);
	window_free(r->window);
	bodies_free(r->bodies);
	long_periods_free(r->missed);
	nest_free(r->nest);
	free(r);
}

bool nlr_window_hit(const struct nlr *r)
{
	if (!r->missed && r->window->height <= r->longest)
		return false;
	struct long_periods *all =
		r->missed ? long_periods_copy(r->missed) : long_periods_new(r->longest, r->repetitions);
	for (size_t i = 0; i < r->window->height; i++)
		long_periods_add(all, r->window->term[i]);
	bool any = long_periods_any(all);
	long_periods_free(all);
	return any;
}

/* ------------------------------------------------------------------ what leaves the window */

static node term_node(struct nlr *r, struct term t);

static const node *body_nodes(struct nlr *r, uint32_t id)
{
	size_t old = r->nodes_capacity;
	if (id >= old) {
		r->nodes = mem_grow(r->nodes, &r->nodes_capacity, (size_t)id + 1, sizeof *r->nodes);
		for (size_t i = old; i < r->nodes_capacity; i++)
			r->nodes[i] = NULL;
	}
	if (!r->nodes[id]) {
		const struct loop_body *body = bodies_get(r->bodies, id);
		node *nodes = mem_array(body->length, sizeof *nodes);
		for (size_t i = 0; i < body->length; i++)
			nodes[i] = term_node(r, body->term[i]);
		r->nodes[id] = nodes;
	}
	return r->nodes[id];
}

static node term_node(struct nlr *r, struct term t)
{
	if (term_is_record(t))
		return (node)t.id;
	return nest_loop(r->nest, t.count, body_nodes(r, t.id), bodies_get(r->bodies, t.id)->length);
}

/* The lowest terms go to the nest. */
static void put_into_nest(struct nlr *r, size_t count)
{
	const struct term *term = r->window->term;
	node *to = nest_extend(r->nest, count);
	for (size_t i = 0; i < count; i++)
		to[i] = term_is_record(term[i]) ? (node)term[i].id : term_node(r, term[i]);
}

/* The oldest terms leave. */
static void leave_window(struct nlr *r, size_t count)
{
	struct window *w = r->window;
	if (!r->missed)
		r->missed = long_periods_new(r->longest, r->repetitions);
	put_into_nest(r, count);
	for (size_t i = 0; i < count; i++)
		long_periods_add(r->missed, w->term[i]);
	for (size_t i = 0, end = window_loop_from(w, count); i < end; i++)
		bodies_bare(r->bodies, w->loop[i].ticket);
	window_forget(w, count);
}

/* ------------------------------------------------------------------ the rules */

static void push(struct nlr *r, struct term t)
{
	struct window *w = r->window;
	window_index(w);
	if (w->height == w->limit)
		leave_window(r, w->height - height_kept(r));
	window_reserve(w);
	if (w->height && term_is_loop(*window_top(w)))
		w->loop[w->loops - 1].ticket = bodies_cover(r->bodies, *window_top(w));
	window_push(w, t);
}

static void drop(struct nlr *r, size_t count)
{
	struct window *w = r->window;
	size_t from = w->height - count;
	for (size_t i = window_loop_from(w, from ? from - 1 : 0); i < w->loops && w->loop[i].at + 1 < w->height; i++)
		bodies_bare(r->bodies, w->loop[i].ticket);
	window_drop(w, count);
}

static bool absorb(struct nlr *r)
{
	size_t length = window_find_copy(r->window);
	if (!length || window_top(r->window)[-(ptrdiff_t)length].count == MOST_ITERATIONS)
		return false;
	drop(r, length);
	window_bare(r->window);
	window_top(r->window)->count++;
	window_top_changed(r->window);
	return true;
}

static bool create(struct nlr *r)
{
	struct window *w = r->window;
	size_t length = window_find_repetition(w);
	if (!length)
		return false;
	uint32_t id = bodies_id(r->bodies, w->term + w->height - length, length);
	drop(r, r->repetitions * length);
	push(r, (struct term){id, r->repetitions});
	return true;
}

/* Reduce from the bare top on. */
static void reduce(struct nlr *r)
{
	while (absorb(r) || create(r))
		;
}

/* ------------------------------------------------------------------ the cursor */

static void enter(struct nlr *r, struct term loop, const struct term *place)
{
	assert(r->depth < DEEPEST);
	const struct term *body = bodies_get(r->bodies, loop.id)->term;
	r->frame[r->depth] = (struct frame){loop, body, place, 0};
	r->next = body;
}

/* Go down to the first record of what is next. */
static void descend(struct nlr *r)
{
	while (term_is_loop(*r->next)) {
		const struct term *place = r->next;
		r->depth++;
		enter(r, *place, place);
	}
}

/* May a reduction that begins before the top take it in, while it is this loop? */
static bool in_reach(struct nlr *r, struct term top)
{
	enum known known = bodies_known(r->bodies, top);
	if (known != KNOWN_IN_WINDOW)
		return known == KNOWN_IN_BODY;
	if (r->surroundings == UNKNOWN)
		r->surroundings = window_surroundings(r->window);
	return window_may_repeat(r->window, top, r->surroundings);
}

/* Follow the loop on top of the window, if that is safe. */
static void set_out(struct nlr *r)
{
	struct window *w = r->window;
	struct term loop = *window_top(w);
	if (r->slow || !term_is_loop(loop) || loop.count == MOST_ITERATIONS)
		return;
	r->surroundings = UNKNOWN;
	if (in_reach(r, loop) || bodies_get(r->bodies, loop.id)->room > w->limit - w->height)
		return;
	r->depth = 0;
	enter(r, loop, NULL);
	descend(r);
}

static void put_back_all(struct nlr *r, const struct term *from, const struct term *to)
{
	for (; from < to; from++)
		push(r, *from);
}

/* The top of the window as counted by the cursor. */
static void recount(struct nlr *r)
{
	if (!r->frame[0].done)
		return;
	window_bare(r->window);
	window_top(r->window)->count += r->frame[0].done;
	window_top_changed(r->window);
}

/* Leave the cursor: what was followed is filled in, see (2) above. */
static void give_up(struct nlr *r)
{
	const struct term *stop = r->next;
	r->next = &nowhere;
	recount(r);
	for (unsigned i = 0; i <= r->depth; i++) {
		const struct frame *f = &r->frame[i];
		if (i && f->done >= r->repetitions)
			push(r, (struct term){f->loop.id, f->done});
		else if (i)
			for (uint32_t k = 0; k < f->done; k++)
				put_back_all(r, f->body, f->body + bodies_get(r->bodies, f->loop.id)->length);
		put_back_all(r, f->body, i < r->depth ? r->frame[i + 1].place : stop);
	}
}

/* An iteration of the outermost loop is complete. */
static void count_iteration(struct nlr *r)
{
	struct frame *f = &r->frame[0];
	f->done++;
	r->next = f->body;
	struct term loop = {f->loop.id, f->loop.count + f->done};
	if (loop.count == MOST_ITERATIONS || in_reach(r, loop)) {
		r->next = &nowhere;
		recount(r);
		reduce(r);
		set_out(r);
	} else {
		descend(r);
	}
}

/* The innermost frame has come to a loop, or to the end of its body: find the next record. */
static void advance(struct nlr *r)
{
	while (term_is_terminator(*r->next)) {
		struct frame *f = &r->frame[r->depth];
		if (r->depth == 0) {
			count_iteration(r);
			return;
		}
		if (++f->done < f->loop.count) {
			r->next = f->body;
			break;
		}
		r->depth--;
		r->next = f->place + 1;
	}
	descend(r);
}

/* ------------------------------------------------------------------ in and out */

static void push_and_reduce(struct nlr *r, uint32_t record)
{
	if (r->next != &nowhere)
		give_up(r);
	push(r, (struct term){record, 0});
	reduce(r);
	set_out(r);
}

/* Apart, so that what is expected takes few instructions. */
__attribute__((noinline)) static void push_slowly(struct nlr *r, uint32_t record)
{
	if (r->next != &nowhere || !window_push_quietly(r->window, record))
		push_and_reduce(r, record);
}

void nlr_push(struct nlr *r, uint32_t record)
{
	if (r->next->id != record) {
		push_slowly(r, record);
		return;
	}
	r->next++;
	if (r->next->count)
		advance(r);
}

struct nest *nlr_finish(struct nlr *r)
{
	if (r->next != &nowhere)
		give_up(r);
	put_into_nest(r, r->window->height);
	struct nest *nest = r->nest;
	r->nest = NULL;
	nlr_free(r);
	return nest;
}
