/*
 * affine_nlr.c -- the affine recognizer: which rule comes when.
 *
 * The window (affine_window.h) is a stack of terms, records and loops. While a loop on top is open,
 * the cursor (affine_cursor.h) compares the records that come with its next iteration; as long as
 * they agree nothing is pushed. Else the next record finds everything closed:
 *
 *	CLOSED	nothing is expected
 *	OPEN	the loop on top is followed
 *	TRIAL	the same, and it is a pair that its third iteration has yet to confirm
 *	PEELED	the same, and it is the end of a closed loop, which is remembered as it was
 *
 *	in	a record				what is done		then
 *	OPEN, TRIAL, PEELED:
 *		that is expected			-			as it was
 *		that is not				settle			CLOSED, at once; and there
 *		 (behind the loop that was settled:)
 *		 that its next iteration begins with	-			OPEN
 *		 that goes on with a loop at its end	peel			PEELED [1]
 *		 before which a loop can be created	create, likewise	OPEN
 *	CLOSED:	that confirms a pair			try			OPEN or TRIAL
 *		any other one				push it, create		OPEN, or CLOSED without a loop
 *
 *	[1] OPEN, where terms left the window meanwhile; as any other one, where that loop is too short
 *
 * Settle closes the loop, and sees to the records of its unfinished iteration, those pending:
 *
 *	TRIAL	without a third iteration the pair is taken apart, and they are fed once more
 *	PEELED	without a whole iteration the peel is undone, and they are fed once more
 *	else	rotate, or create where the loop ends a repetition; the new loop is OPEN, and those that it
 *		does not hold are fed once more
 *	else	they are put back: terms, as they stand in the loop's body
 *
 * Nothing is peeled or tried for records that are fed once more: so they lead to OPEN and CLOSED
 * alone, and it ends. The rules:
 *
 *	create	... S S' S"  ->  [S]3	so many adjacent copies (--repetitions) with advancing numbers, the
 *			shortest that there are
 *	extend	... T [S]n   ->  [S]n+1	where what stands before a new loop stands for the records of its
 *			iteration -1, however it is written: in a triangle the first inner loops are too
 *			short to be loops
 *	try	... S S'     ->  [S]2	two copies with a loop in them, if iteration -1 stands before them, or
 *			while iteration 2 follows
 *	rotate	X [A B]n A   ->  [B A]n+1	where X stands for the B of iteration -1 (or that is empty):
 *			the first B was too short to be seen
 *		[A B]n A     ->  A [B A]n	where loops over B A are known, or one ended with this A
 *	peel	... [A [B]m]n, then the first record of [B]'s next iteration: the loop is one iteration
 *			shorter, [B]m stands on top
 *
 * A loop is created only when its last copy cannot grow any more. (The constant recognizer, nlr.c,
 * is greedier: it makes loops of loops that would have grown, and the bodies of what follows are
 * shifted. With affine bounds, where counts keep changing, that would ruin every nest.)
 */
#include "nlr/affine_nlr.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "nlr/affine_create.h"
#include "nlr/affine_cursor.h"
#include "nlr/affine_peel.h"
#include "nlr/affine_rotate.h"
#include "nlr/affine_window.h"
#include "nlr/runner.h"

/* More records than this are never held to be fed once more: what was followed stays as it was
   followed. */
#define REPLAY_LIMIT 1000000

enum state { CLOSED, OPEN, TRIAL, PEELED };

struct affine_nlr {
	struct affine_cursor cursor;
	enum state state;
	struct affine_peeled peeled; /* while PEELED: to undo that */
	struct affine_window window;
	uint64_t mispredictions; /* how often a record was not the one expected */
};

size_t affine_nlr_window(size_t window)
{
	return window <= AFFINE_NLR_WINDOW_MOST ? window : AFFINE_NLR_WINDOW;
}

struct affine_nlr *affine_nlr_new(const struct affine_nlr_options *options)
{
	static const struct affine_nlr_options defaults = {
		.window = AFFINE_NLR_WINDOW, .repetitions = AFFINE_NLR_REPETITIONS};
	if (!options)
		options = &defaults;
	assert(options->window >= 1 && options->window <= 1000000);
	assert(options->repetitions >= 3 && options->repetitions <= 100);
	struct affine_nlr *r = mem_zero(sizeof *r);
	affine_window_start(&r->window, options);
	affine_cursor_start(&r->cursor, r->window.patterns, options->slow);
	return r;
}

void affine_nlr_free(struct affine_nlr *r)
{
	if (!r)
		return;
	affine_cursor_clear(&r->cursor);
	affine_window_clear(&r->window);
	free(r->peeled.number);
	free(r);
}

/* ----------------------------------------------------------- the loop on top, opened and closed */

static int64_t top_count(const struct affine_nlr *r)
{
	return stack_numbers(r->window.stack, r->window.stack->height - 1)[0];
}

/* Expect the next iteration of the closed loop on top; it begins after so many records. */
static void open_top(struct affine_nlr *r, uint64_t boundary, enum state state)
{
	const struct stack *p = r->window.stack;
	affine_cursor_open(&r->cursor, p->term[p->height - 1].pattern, stack_numbers(p, p->height - 1), boundary);
	r->state = state;
}

/* The iterations that the cursor counted become the loop's. */
static void close_top(struct affine_nlr *r)
{
	int64_t done = affine_cursor_close(&r->cursor);
	if (done) {
		stack_numbers(r->window.stack, r->window.stack->height - 1)[0] += done;
		stack_top_changed(r->window.stack);
	}
	r->state = CLOSED;
}

/* Open the loop on top if this record, the last one counted, begins its next iteration. */
static bool goes_on(struct affine_nlr *r, const struct affine_record *record)
{
	open_top(r, r->cursor.records - 1, OPEN);
	if (affine_cursor_expects(&r->cursor, record)) {
		affine_cursor_accept(&r->cursor);
		return true;
	}
	close_top(r);
	return false;
}

/* -------------------------------------------------------------- a record, behind what is closed */

static void close_before(struct affine_nlr *r, const struct affine_record *record);

/* It becomes a term. */
static void place(struct affine_nlr *r, const struct affine_record *record)
{
	affine_window_push(
		&r->window, patterns_record(r->window.patterns, record->shape, record->width), record->number);
	if (affine_create(&r->window))
		open_top(r, r->cursor.records, OPEN);
}

/* Behind a top that is what it will be. */
static void try_or_place(struct affine_nlr *r, const struct affine_record *record)
{
	enum affine_pair pair = PAIR_NONE;
	if (r->window.stack->height && !record->again)
		pair = affine_try_pair(&r->window, record);
	if (pair == PAIR_NONE) {
		place(r, record);
		return;
	}
	open_top(r, r->cursor.records - 1, pair == PAIR_ON_TRIAL ? TRIAL : OPEN);
	if (affine_cursor_expects(&r->cursor, record))
		affine_cursor_accept(&r->cursor);
	else
		close_before(r, record);
}

static bool peel(struct affine_nlr *r, const struct affine_record *record)
{
	size_t left = r->window.nest->length;
	if (!affine_peel(&r->window, record, &r->peeled))
		return false;
	if (r->peeled.count < (int64_t)r->window.repetitions) {
		place(r, record);
		return true;
	}
	open_top(r, r->cursor.records - 1, r->window.nest->length == left ? PEELED : OPEN);
	assert(affine_cursor_expects(&r->cursor, record));
	affine_cursor_accept(&r->cursor);
	return true;
}

/* Behind a loop that was just closed. other: it is known not to go on with this record. */
static void offer(struct affine_nlr *r, const struct affine_record *record, bool other)
{
	const struct stack *p = r->window.stack;
	if (p->height && pattern_is_loop(p->term[p->height - 1].pattern)) {
		if (!other && goes_on(r, record))
			return;
		if (!record->again && peel(r, record))
			return;
		while (affine_create(&r->window))
			if (goes_on(r, record))
				return;
	}
	try_or_place(r, record);
}

/* ------------------------------------------------------------------ settle */

static inline void take(struct affine_nlr *r, uint32_t shape, uint32_t width, const int64_t *number, bool again);

/* Feed these once more, from number `from` on, and then the record that came last (or NULL). */
static void feed(struct affine_nlr *r, struct record_list *list, size_t from, const struct affine_record *last)
{
	r->cursor.records -= list->length - from + (last ? 1 : 0);
	for (size_t i = from; i < list->length; i++) {
		const struct pattern *s = list->record[i].pattern;
		take(r, s->shape, (uint32_t)s->numbers, list->number + list->record[i].first, true);
	}
	if (last)
		take(r, last->shape, last->width, last->number, true);
	record_list_clear(list);
}

/* The pair on trial is closed: was it a loop? */
static bool confirm_trial(struct affine_nlr *r)
{
	if (top_count(r) <= 2) {
		affine_give_up_pair(&r->window);
		return false;
	}
	affine_extend(&r->window);
	return true;
}

/* What becomes of a loop that is closed. */
enum fate {
	STAYS,
	GIVEN_UP, /* the pair on trial */
	GIVEN_BACK, /* to the greater loop that was peeled in vain */
	ROTATED,
};

static enum fate fate_of(struct affine_nlr *r, enum state was, uint64_t pending, uint64_t *taken)
{
	if (was == TRIAL && !confirm_trial(r))
		return GIVEN_UP;
	if (pending > REPLAY_LIMIT)
		return STAYS;
	if (was == PEELED && top_count(r) == r->peeled.count)
		return GIVEN_BACK;
	return affine_rotate(&r->window, pending, taken) ? ROTATED : STAYS;
}

/*
 * The open loop on top is not continued: close it, and see what becomes of the records of its
 * unfinished iteration. last: as of feed. Gives false where `last` is still to be dealt with;
 * *pending is then what there was.
 */
static bool settle(struct affine_nlr *r, const struct affine_record *last, uint64_t *pending)
{
	enum state was = r->state;
	uint64_t taken = 0, before_last = r->cursor.records - (last ? 1 : 0);
	*pending = before_last - r->cursor.boundary;
	close_top(r);
	enum fate fate = fate_of(r, was, *pending, &taken);
	if (fate == ROTATED && *pending == taken)
		return false;
	bool stays = fate == STAYS && (*pending == 0 || !stack_find_repetition(r->window.stack));
	if (stays || *pending > REPLAY_LIMIT) {
		struct iterating u = affine_window_onto(&r->window);
		affine_cursor_passed(&r->cursor, &u, *pending);
		return false;
	}
	struct record_list list = {0};
	struct iterating u = {.patterns = r->window.patterns, .context = &list, .term = record_list_add};
	affine_cursor_passed(&r->cursor, &u, *pending);
	if (fate == GIVEN_BACK)
		affine_peel_undo(&r->window, &r->peeled);
	bool created = fate != GIVEN_UP && affine_create(&r->window);
	if (created || fate == ROTATED)
		open_top(r, before_last - (*pending - taken), OPEN);
	feed(r, &list, taken, last);
	return true;
}

/* ------------------------------------------------------------------ records */

/* A record that is not expected. */
static void close_before(struct affine_nlr *r, const struct affine_record *record)
{
	uint64_t pending;
	if (r->state == CLOSED)
		try_or_place(r, record);
	else if (!settle(r, record, &pending))
		offer(r, record, !pending);
}

static void take_slowly(struct affine_nlr *r, uint32_t shape, uint32_t width, const int64_t *number, bool again)
{
	assert(shape < AFFINE_SHAPES && width <= AFFINE_WIDTH);
	r->mispredictions++;
	struct affine_record record; /* most of which is room for numbers */
	record.shape = shape;
	record.width = width;
	record.again = again;
	if (width)
		memcpy(record.number, number, width * sizeof *number);
	if (r->cursor.slow && affine_cursor_expects(&r->cursor, &record))
		affine_cursor_accept(&r->cursor);
	else
		close_before(r, &record);
}

static inline void take(struct affine_nlr *r, uint32_t shape, uint32_t width, const int64_t *number, bool again)
{
	r->cursor.records++;
	if (!affine_cursor_step(&r->cursor, shape, number))
		take_slowly(r, shape, width, number, again);
}

void affine_nlr_push(struct affine_nlr *r, uint32_t shape, uint32_t width, const int64_t *number)
{
	take(r, shape, width, number, false);
}

/* Nothing comes any more. */
static void end(struct affine_nlr *r)
{
	uint64_t pending;
	while (r->state != CLOSED && settle(r, NULL, &pending))
		;
	while (r->window.stack->height && (affine_create(&r->window) || affine_try_pair(&r->window, NULL) != PAIR_NONE))
		;
}

struct affine_nest *affine_nlr_finish(struct affine_nlr *r)
{
	end(r);
	affine_window_leave(&r->window, r->window.stack->height);
	struct affine_nest *nest = r->window.nest;
	r->window.nest = NULL;
	affine_nlr_free(r);
	return nest;
}

/* ------------------------------------------------------------------ for predictions */

uint64_t affine_nlr_mispredictions(const struct affine_nlr *r)
{
	return r->mispredictions;
}

bool runner_start(struct runner *runner, const struct affine_nlr *r)
{
	const struct affine_cursor *c = &r->cursor;
	runner->patterns = r->window.patterns;
	runner->depth = 0;
	if (affine_cursor_lost(c) || c->slow)
		return false;
	for (unsigned i = 0; i <= c->depth; i++) {
		const struct cursor_frame *f = &c->frame[i];
		runner_push(
			runner, f->loop, f->number, f->count, f->done, i < c->depth ? c->frame[i + 1].place : c->next);
	}
	return true;
}
