/*
 * affine.c -- the rules of the affine recognizer, and the cursor.
 *
 * The window is a pile of terms, records and loops. A loop on top of it is open: the records that come are compared with those of its next
 * iteration, and while they agree nothing is pushed. A record that disagrees closes the loop:
 *
 *	put back	what was passed of the unfinished iteration becomes terms, as they stand in the loop's body; a loop that was being
 *			passed is open now;
 *	peel		... [A [B]m]n, then the first record of [B]'s next iteration: the loop is one iteration shorter, [B]m stands on top,
 *			open. If it is closed before that iteration is complete, the peel is undone.
 *
 *	turn		X [A B]n A  -> [B A]n+1	where X stands for the B of iteration -1 (or that is empty): the first B was too short to be seen
 *			[A B]n A    -> A [B A]n	where loops over B A are known, or one ended with this A
 *
 * And as soon as the top is a record, or a closed loop, so that it cannot change any more:
 *
 *	create		... S S' S"  ->  [S]3	so many adjacent copies (--repetitions) with advancing numbers, the shortest that there are
 *	extend		... T [S]n   ->  [S]n+1	where what stands before a new loop stands for the records of its iteration -1, however it is
 *			written: in a triangle the first inner loops are too short to be loops
 *	try		... S S'     ->  [S]2	two copies with a loop in them, if iteration -1 stands before them, or while iteration 2 follows;
 *			if it does not come to its end, they are as they were, and what followed is fed once more
 *
 * A loop is created only when its last copy cannot grow any more. (The constant recognizer, nlr.c, is greedier: it makes loops of loops that
 * would have grown, and the bodies of what follows are shifted. With affine bounds, where counts keep changing, that would ruin every nest.)
 *
 * The cursor is a frame per loop that is being passed: its numbers in the iteration at hand, advanced by its steps. What is expected next is one
 * comparison away; so a record costs constant time while input follows the loop, however deep and however affine.
 */
#include "nlr/affine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nlr/pile.h"
#include "nlr/runner.h"
#include "nlr/pattern.h"
#include "nlr/iterate.h"

/* Terms of the body of a loop that do nothing are passed for free, but not forever: an affine bound can ask for 2^63 empty iterations. */
#define IDLE_LIMIT 10000

/* An iteration that is longer than this is not looked for before a new loop. */
#define EXTENSION_LIMIT 65536
#define NOT_THERE SIZE_MAX

#define PAIRS_TRIED 4
#define RIGHT_TURNS_TRIED 4

/* More records than this are never held to be fed once more: what was followed stays as it was followed. */
#define REPLAY_LIMIT 1000000

struct frame {
	const struct pattern *loop;
	int64_t *number; /* of its iteration at hand */
	size_t capacity;
	int64_t count, done; /* iterations; of the outermost frame: done since the loop was opened */
	const struct pattern_item *place; /* of the loop in the body outside */
};

struct affine_nlr {
	/* the cursor */
	const struct pattern_item *next; /* the record expected; &nowhere without one */
	const struct pattern_item *stop; /* then: up to where the loop was followed */
	const int64_t *current; /* numbers of the innermost frame */
	uint64_t records;
	uint64_t turns; /* how often a record was not the one expected, or a loop was opened */
	uint64_t boundary; /* records when the iteration at hand of the open loop began */
	struct frame *frame;
	unsigned depth; /* index of the innermost frame */
	unsigned frames; /* allocated */
	bool open; /* the top is an open loop, and the frames tell how far it was followed */
	bool settled; /* no peeling, no trials: records are fed once more */
	bool trial; /* the open loop is a pair that its third iteration has yet to confirm */
	/* the last peel that may be undone */
	size_t peeled; /* 1 + the height below the loop that was peeled; 0: none */
	size_t peeled_top; /* the height with the loop that grew on top */
	int64_t peeled_count; /* of that */
	const struct pattern *peeled_loop; /* as it was */
	int64_t *peeled_number;

	unsigned repetitions;
	size_t longest;
	bool slow;
	struct pile *pile;
	struct patterns *patterns;
	struct affine_nest *nest;
	struct record_list *compared; /* two of them, for part_stands */
};

static const struct pattern_item nowhere = {.shape = PATTERN_END};

static size_t height_kept(const struct affine_nlr *r)
{
	return (r->repetitions + 1) * r->longest;
}

static size_t height_limit(const struct affine_nlr *r)
{
	return height_kept(r) < 32 ? 64 : 2 * height_kept(r);
}

struct affine_nlr *affine_nlr_new(const struct affine_nlr_options *options)
{
	static const struct affine_nlr_options defaults = {.window = AFFINE_NLR_WINDOW, .repetitions = AFFINE_NLR_REPETITIONS};
	if (!options)
		options = &defaults;
	assert(options->window >= 1 && options->window <= 1000000);
	assert(options->repetitions >= 3 && options->repetitions <= 100);
	struct affine_nlr *r = mem_zero(sizeof *r);
	r->next = &nowhere;
	r->repetitions = options->repetitions;
	r->longest = options->window;
	r->slow = options->slow;
	r->pile = pile_new(r->longest, r->repetitions, r->slow);
	r->patterns = patterns_new();
	r->nest = affine_nest_new();
	r->compared = mem_zero(2 * sizeof *r->compared);
	return r;
}

void affine_nlr_free(struct affine_nlr *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->frames; i++)
		free(r->frame[i].number);
	free(r->frame);
	free(r->peeled_number);
	record_list_clear(&r->compared[0]);
	record_list_clear(&r->compared[1]);
	free(r->compared);
	pile_free(r->pile);
	patterns_free(r->patterns);
	affine_nest_free(r->nest);
	free(r);
}

uint64_t affine_nlr_records(const struct affine_nlr *r)
{
	return r->records;
}

/* ------------------------------------------------------------------ what leaves the window */

static void leave_window(struct affine_nlr *r, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct affine_node node;
		iterate_node(r->patterns, r->pile->term[i].pattern, pile_numbers(r->pile, i), r->nest->arena, &node);
		affine_nest_append(r->nest, &node);
	}
	pile_forget(r->pile, count);
	r->peeled = 0;
}

static void push(struct affine_nlr *r, const struct pattern *s, const int64_t *number)
{
	if (r->pile->height >= height_limit(r))
		leave_window(r, r->pile->height - height_kept(r));
	pile_push(r->pile, s, number);
}

static void push_term(void *context, const struct pattern *s, const int64_t *number)
{
	push(context, s, number);
}

/* Put terms on the window as they stand in a body: loops long enough to be loops stay loops. */
static struct iterating onto_window(struct affine_nlr *r)
{
	return (struct iterating){.patterns = r->patterns, .keep = r->repetitions, .context = r, .term = push_term};
}

/* ------------------------------------------------------------------ the cursor */

static struct frame *frame_at(struct affine_nlr *r, unsigned depth, const struct pattern *loop)
{
	if (depth == r->frames) {
		r->frame = mem_resize(r->frame, depth + 1, sizeof *r->frame);
		r->frame[r->frames++] = (struct frame){0};
	}
	struct frame *f = &r->frame[depth];
	f->number = mem_grow(f->number, &f->capacity, iteration_numbers(loop) + 1, sizeof *f->number);
	f->loop = loop;
	f->done = 0;
	f->place = NULL;
	r->depth = depth;
	r->current = f->number;
	return f;
}

static void enter(struct affine_nlr *r, const struct pattern_item *place, int64_t count)
{
	const struct pattern *loop = patterns_get(r->patterns, place->pattern);
	unsigned outside = r->depth;
	struct frame *f = frame_at(r, outside + 1, loop);
	f->count = count;
	f->place = place;
	if (iteration_numbers(loop))
		memcpy(f->number, r->frame[outside].number + place->first + 1, iteration_numbers(loop) * sizeof *f->number);
	r->next = loop->item;
}

/* Nothing is expected, though the loop may have been followed so far. */
static void lose(struct affine_nlr *r)
{
	r->stop = r->next;
	r->next = &nowhere;
}

static const struct pattern_item *place_reached(const struct affine_nlr *r)
{
	return r->next == &nowhere ? r->stop : r->next;
}

/* The end of an iteration of the open loop: it is part of it now. False if there is no other one. */
static bool count_outermost(struct affine_nlr *r)
{
	struct frame *f = &r->frame[0];
	r->next = f->loop->item;
	if (r->records == r->boundary)
		return false;
	f->done++;
	r->boundary = r->records;
	if (iteration_next(f->loop, f->number))
		return true;
	return false;
}

/* The end of an iteration of an inner loop. False where its next one has numbers beyond 64 bits. */
static bool count_inner(struct affine_nlr *r)
{
	struct frame *f = &r->frame[r->depth];
	if (f->done + 1 == f->count) {
		r->next = f->place + 1;
		r->current = r->frame[--r->depth].number;
		return true;
	}
	if (!iteration_next(f->loop, f->number))
		return false;
	f->done++;
	r->next = f->loop->item;
	return true;
}

/* The cursor has come to a loop, or to the end of a body: go on to the next record. */
static void advance(struct affine_nlr *r)
{
	for (unsigned idle = 0; r->next->shape >= PATTERN_LOOP; idle++) {
		bool good = idle < IDLE_LIMIT;
		if (r->next->shape == PATTERN_LOOP) {
			int64_t count = r->current[r->next->first];
			if (count > 0)
				enter(r, r->next, count);
			else
				r->next++;
		} else if (good) {
			good = r->depth ? count_inner(r) : count_outermost(r);
		}
		if (!good) {
			lose(r);
			return;
		}
	}
}

/* The same when only so many records have passed it: a record that is counted already may be the first of the iteration. */
static void advance_from(struct affine_nlr *r, uint64_t passed)
{
	uint64_t records = r->records;
	r->records = passed;
	advance(r);
	r->records = records;
}

/* Expect the next iteration of the closed loop on top; it begins after so many records. */
static void open_top(struct affine_nlr *r, uint64_t boundary)
{
	const struct pile_term *top = pile_top(r->pile);
	const int64_t *number = r->pile->number + top->first;
	struct frame *f = frame_at(r, 0, top->pattern);
	r->open = true;
	r->boundary = boundary;
	r->next = top->pattern->item;
	if (!iteration_at(top->pattern, number + 1, number[0], f->number))
		lose(r);
	else if (!r->slow)
		advance_from(r, boundary);
}

/* The iterations that the cursor counted become the loop's; nothing is expected any more. */
static void close_top(struct affine_nlr *r)
{
	if (r->frame[0].done) {
		pile_numbers(r->pile, r->pile->height - 1)[0] += r->frame[0].done;
		pile_top_changed(r->pile);
	}
	r->stop = place_reached(r);
	r->next = &nowhere;
	r->open = false;
}

/* What was passed of the unfinished iteration. Of each inner loop: the iterations done, then a part of one. */
static void iterate_passed(const struct affine_nlr *r, const struct iterating *u, uint64_t pending)
{
	if (r->slow) {
		iterate_prefix(u, r->frame[0].loop, r->frame[0].number, pending);
		return;
	}
	for (unsigned i = 0; pending && i <= r->depth; i++) {
		const struct frame *f = &r->frame[i];
		const struct pattern_item *to = i < r->depth ? r->frame[i + 1].place : r->stop;
		iterate_items(u, f->loop->item, to, f->number);
		if (i == r->depth)
			break;
		const struct frame *inner = f + 1;
		int64_t *term = mem_array(inner->loop->numbers, sizeof *term);
		memcpy(term, f->number + to->first, inner->loop->numbers * sizeof *term);
		term[0] = inner->done;
		iterate_term(u, inner->loop, term);
		free(term);
	}
}

static void put_back(struct affine_nlr *r, uint64_t pending)
{
	struct iterating u = onto_window(r);
	iterate_passed(r, &u, pending);
}

static struct record_list collect_passed(const struct affine_nlr *r, uint64_t pending)
{
	struct record_list list = {0};
	struct iterating u = {.patterns = r->patterns, .context = &list, .term = record_list_add};
	iterate_passed(r, &u, pending);
	return list;
}

/* ------------------------------------------------------------------ a record */

struct record {
	uint32_t shape, width;
	int64_t number[AFFINE_WIDTH];
};

static bool same_numbers(const int64_t *a, const int64_t *b, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

static bool expects_slowly(const struct affine_nlr *r, const struct record *record, uint64_t pending)
{
	struct record_list list = {0};
	struct iterating u = {.patterns = r->patterns, .context = &list, .term = record_list_add};
	bool missing = iterate_prefix(&u, r->frame[0].loop, r->frame[0].number, pending + 1) > 0;
	const struct listed *last = list.length ? &list.record[list.length - 1] : NULL;
	bool same = !missing && last && last->pattern->shape == record->shape &&
		    same_numbers(list.number + last->first, record->number, record->width);
	record_list_clear(&list);
	return same;
}

/* Is this record, the last one counted, the one that the cursor expects? */
static bool expects(const struct affine_nlr *r, const struct record *record)
{
	if (r->next == &nowhere)
		return false;
	if (r->slow)
		return expects_slowly(r, record, r->records - 1 - r->boundary);
	return r->next->shape == record->shape && same_numbers(r->current + r->next->first, record->number, record->width);
}

static void accept_slowly(struct affine_nlr *r)
{
	const struct frame *f = &r->frame[0];
	uint64_t pending = r->records - r->boundary;
	struct record_list whole = {0};
	struct iterating u = {.patterns = r->patterns, .context = &whole, .term = record_list_add};
	iterate_items(&u, f->loop->item, f->loop->item + f->loop->length, f->number);
	bool complete = whole.length == pending;
	record_list_clear(&whole);
	if (complete && !count_outermost(r))
		lose(r);
}

static void accept(struct affine_nlr *r)
{
	if (r->slow) {
		accept_slowly(r);
		return;
	}
	r->next++;
	if (r->next->shape >= PATTERN_LOOP)
		advance(r);
}

/* ------------------------------------------------------------------ create and extend */

/* The numbers of the loop on top, to be freed. */
static int64_t *top_numbers(struct affine_nlr *r)
{
	const struct pile_term *top = pile_top(r->pile);
	int64_t *number = mem_array(top->pattern->numbers + 1, sizeof *number);
	if (top->pattern->numbers)
		memcpy(number, r->pile->number + top->first, top->pattern->numbers * sizeof *number);
	return number;
}

/* The topmost terms as copies of a sequence: what a loop of them is made of. */
struct copies {
	int64_t *number; /* the count, then those of the first copy; and the memory of the others */
	int64_t *step;
	const struct pattern **body;
	size_t length;
	bool fits; /* the steps are within 64 bits */
};

static struct copies copies_on_top(const struct pile *p, size_t length, unsigned count)
{
	size_t a = p->height - count * length, b = a + length, numbers = p->term[b].first - p->term[a].first;
	struct copies c = {.length = length, .fits = true};
	c.number = mem_alloc(2 * (1 + numbers) * sizeof *c.number + length * sizeof *c.body);
	c.step = c.number + 1 + numbers;
	c.body = (const struct pattern **)(c.step + 1 + numbers);
	c.number[0] = count;
	for (size_t i = 0; i < numbers; i++) {
		c.number[1 + i] = pile_numbers(p, a)[i];
		c.fits &= !__builtin_sub_overflow(pile_numbers(p, b)[i], c.number[1 + i], &c.step[i]);
	}
	for (size_t i = 0; i < length; i++)
		c.body[i] = p->term[a + i].pattern;
	return c;
}

static void copies_clear(struct copies *c)
{
	free(c->number);
}

/* They become a loop. */
static void make_loop(struct affine_nlr *r, const struct copies *c)
{
	pile_truncate(r->pile, r->pile->height - (size_t)c->number[0] * c->length);
	push(r, patterns_loop(r->patterns, c->body, c->length, c->step), c->number);
}

/* The last records of the terms below this height. */
static bool last_records(const struct affine_nlr *r, size_t height, size_t need, struct record_list *list)
{
	bool good = true;
	while (good && height-- > 0 && list->length < need)
		good = iterate_last(r->patterns, r->pile->term[height].pattern, pile_numbers(r->pile, height), need, list);
	return good;
}

/* Do the records of this iteration from item `from` on, the last `need` of them, stand below this height? Gives how many they are; NOT_THERE if they do not. */
static size_t part_stands(
	const struct affine_nlr *r, size_t height, const struct pattern *loop, size_t from, const int64_t *number, size_t need)
{
	struct record_list *part = &r->compared[0], *there = &r->compared[1];
	record_list_empty(part);
	record_list_empty(there);
	bool good = iterate_last_part(r->patterns, loop, from, number, need, part) &&
		    last_records(r, height, part->length, there) && there->length == part->length;
	for (size_t i = 0; good && i < part->length; i++)
		good = record_list_same(part, i, there, i);
	return good ? part->length : NOT_THERE;
}

/* The same for all its records, EXTENSION_LIMIT + 1 at most. More and more of them, since most attempts fail soon. */
static size_t whole_part_stands(
	const struct affine_nlr *r, size_t height, const struct pattern *loop, size_t from, const int64_t *number)
{
	for (size_t need = 1;; need = need < EXTENSION_LIMIT ? 16 * need : EXTENSION_LIMIT + 1) {
		size_t length = part_stands(r, height, loop, from, number, need);
		if (length == NOT_THERE || length < need || need > EXTENSION_LIMIT)
			return length;
	}
}

static uint64_t constructs_above(const struct pile *p, size_t height)
{
	uint64_t total = 0;
	for (size_t i = height; i < p->height; i++)
		total += p->term[i].pattern->constructs;
	return total;
}

static void stack_term(void *context, const struct pattern *s, const int64_t *number)
{
	pile_push(context, s, number);
}

/* Take the last records off the pile; not where that takes more constructs than they had. */
static bool take_off(struct affine_nlr *r, uint64_t records)
{
	struct pile *p = r->pile;
	size_t from = p->height;
	uint64_t left = records;
	for (; left; from--) {
		uint64_t here = iterate_count(r->patterns, p->term[from - 1].pattern, pile_numbers(p, from - 1), left + 1);
		if (here > left)
			break;
		left -= here;
	}
	if (!left) {
		pile_truncate(p, from);
		return true;
	}
	const struct pattern *cut = p->term[from - 1].pattern;
	int64_t *number = mem_array(cut->numbers, sizeof *number);
	memcpy(number, pile_numbers(p, from - 1), cut->numbers * sizeof *number);
	struct pile *rest = pile_new(1, r->repetitions, true);
	struct iterating u = {.patterns = r->patterns, .keep = r->repetitions, .context = rest, .term = stack_term};
	iterate_without_tail(&u, cut, number, left);
	bool pays = constructs_above(rest, 0) <= constructs_above(p, from - 1);
	if (pays) {
		pile_truncate(p, from - 1);
		for (size_t i = 0; i < rest->height; i++)
			pile_push(p, rest->term[i].pattern, pile_numbers(rest, i));
	}
	pile_free(rest);
	free(number);
	return pays;
}

/* One more iteration at the front of the loop on top. */
static bool extend(struct affine_nlr *r)
{
	const struct pattern *loop = pile_top(r->pile)->pattern;
	int64_t *number = top_numbers(r), *before = mem_array(loop->numbers, sizeof *before);
	pile_truncate(r->pile, r->pile->height - 1);
	size_t records = NOT_THERE;
	if (iteration_at(loop, number + 1, -1, before + 1))
		records = whole_part_stands(r, r->pile->height, loop, 0, before + 1);
	bool extended = records > 0 && records <= EXTENSION_LIMIT && take_off(r, records);
	before[0] = number[0] + 1;
	push(r, loop, extended ? before : number);
	free(number);
	free(before);
	return extended;
}

/* The top is what it will be: make a loop that ends there, if there is one. */
static bool create(struct affine_nlr *r)
{
	size_t length = pile_find_repetition(r->pile);
	if (!length)
		return false;
	struct copies copies = copies_on_top(r->pile, length, r->repetitions);
	make_loop(r, &copies);
	copies_clear(&copies);
	while (extend(r))
		;
	return true;
}

/* ------------------------------------------------------------------ try a pair */

/* Does the pair's iteration -1 stand before it? */
static bool pair_stands(const struct affine_nlr *r, const struct copies *c, const struct pattern *sketch)
{
	int64_t *before = mem_array(sketch->numbers, sizeof *before);
	size_t height = r->pile->height - 2 * c->length, records = NOT_THERE;
	if (iteration_at(sketch, c->number + 1, -1, before))
		records = whole_part_stands(r, height, sketch, 0, before);
	free(before);
	return records > 0 && records <= EXTENSION_LIMIT;
}

/* Would its third iteration begin with this record? */
static bool pair_expects(
	const struct affine_nlr *r, const struct copies *c, const struct pattern *sketch, const struct record *record)
{
	int64_t *third = mem_array(sketch->numbers, sizeof *third), first[AFFINE_WIDTH];
	uint32_t shape;
	bool same = iteration_at(sketch, c->number + 1, 2, third) && iterate_first(r->patterns, sketch, third, &shape, first) &&
		    shape == record->shape && same_numbers(first, record->number, record->width);
	free(third);
	return same;
}

enum trial { TRIAL_NONE, TRIAL_OPEN, TRIAL_LOOP };

static enum trial try_pair_of(struct affine_nlr *r, size_t length, const struct record *record)
{
	struct copies copies = copies_on_top(r->pile, length, 2);
	enum trial result = TRIAL_NONE;
	if (copies.fits) {
		struct pattern *sketch = patterns_sketch(copies.body, length, copies.step);
		if (pair_stands(r, &copies, sketch))
			result = TRIAL_LOOP;
		else if (record && pair_expects(r, &copies, sketch, record))
			result = TRIAL_OPEN;
		free(sketch);
	}
	if (result != TRIAL_NONE)
		make_loop(r, &copies);
	copies_clear(&copies);
	return result;
}

/*
 * Loops that shrink are too short for a loop soon, loops that grow were: two copies with a loop in each are tried as a loop already. If the records of
 * iteration -1 stand before them, they are one. If this record, the next one, agrees with iteration 2, the pair is followed on trial.
 */
static enum trial try_pair(struct affine_nlr *r, const struct record *record)
{
	if (r->settled || r->repetitions > 3)
		return TRIAL_NONE;
	size_t length = 0;
	for (unsigned tries = 0; tries < PAIRS_TRIED && (length = pile_find_pair(r->pile, length)); tries++) {
		enum trial result = try_pair_of(r, length, record);
		if (result == TRIAL_LOOP)
			while (extend(r))
				;
		if (result != TRIAL_NONE)
			return result;
	}
	return TRIAL_NONE;
}

/* The pair was none: as it was before. */
static void give_up_trial(struct affine_nlr *r)
{
	const struct pattern *loop = pile_top(r->pile)->pattern;
	int64_t *number = top_numbers(r);
	struct iterating u = onto_window(r);
	pile_truncate(r->pile, r->pile->height - 1);
	iterate_iterations(&u, loop, number + 1, number[0]);
	free(number);
}

/* ------------------------------------------------------------------ turn */

/* A loop [A B]n as a loop over B A: what it is made of. */
struct turned {
	int64_t *number; /* its count, then the numbers of B and A; and the memory of the others */
	int64_t *step;
	const struct pattern **body;
	size_t length;
};

/* b, a: numbers of the iterations that its first B and A are taken from. */
static struct turned turned_new(
	const struct affine_nlr *r, const struct pattern *loop, size_t split, const int64_t *b, const int64_t *a, int64_t count)
{
	size_t numbers = iteration_numbers(loop), cut = loop->item[split].first, tail = numbers - cut;
	struct turned t = {.length = loop->length};
	t.number = mem_alloc(2 * (1 + numbers) * sizeof *t.number + loop->length * sizeof *t.body);
	t.step = t.number + 1 + numbers;
	t.body = (const struct pattern **)(t.step + 1 + numbers);
	t.number[0] = count;
	for (size_t i = 0; i < numbers; i++) {
		size_t from = i < tail ? cut + i : i - tail;
		t.number[1 + i] = i < tail ? b[from] : a[from];
		t.step[i] = loop->step[from];
	}
	for (size_t i = 0; i < loop->length; i++)
		t.body[i] = patterns_get(r->patterns, loop->item[split + i < loop->length ? split + i : split + i - loop->length].pattern);
	return t;
}

static void turned_clear(struct turned *t)
{
	free(t->number);
}

static void push_turned(struct affine_nlr *r, const struct turned *t)
{
	push(r, patterns_loop(r->patterns, t->body, t->length, t->step), t->number);
}

/* A loop that was taken off the top, closed, its unfinished iteration, and numbers of some of its iterations. */
struct turning {
	const struct pattern *loop;
	int64_t *number; /* its count, and the first iteration */
	int64_t *before; /* iteration -1 */
	int64_t *second;
	int64_t *last; /* the unfinished one */
};

/*
 * [A B]n A, and B of iteration -1 stands before it or is empty: the loop was begun in the middle, because the first B was too short for a loop.
 * *stands: that B stands there, so a longer one may.
 */
static bool turn_left(struct affine_nlr *r, const struct turning *t, size_t split, bool *stands)
{
	size_t records = whole_part_stands(r, r->pile->height, t->loop, split, t->before);
	*stands = records <= EXTENSION_LIMIT;
	if (!*stands || !take_off(r, records))
		return false;
	struct turned turned = turned_new(r, t->loop, split, t->before, t->number + 1, t->number[0] + 1);
	push_turned(r, &turned);
	turned_clear(&turned);
	while (extend(r))
		;
	return true;
}

/* Does B stand on top, behind any number of B A, and nothing of another one before them? (As patterns: numbers may differ.) */
static bool looks_like(const struct affine_nlr *r, const struct pattern *loop, size_t split)
{
	size_t like = 0, height = r->pile->height, length = loop->length;
	for (; height > 0 && r->pile->term[height - 1].pattern->id == loop->item[length - 1 - like].pattern; height--)
		like = like + 1 < length ? like + 1 : 0;
	return like == length - split;
}

/*
 * [A B]n A is A [B A]n as well. That is better if such a loop is known from before this one; or if B A was there once before, with
 * other numbers, so that A is its end.
 */
static bool turn_right(struct affine_nlr *r, const struct turning *t, size_t split)
{
	struct turned turned = turned_new(r, t->loop, split, t->number + 1, t->second, t->number[0]);
	const struct pattern *known = patterns_find_loop(r->patterns, turned.body, turned.length, turned.step);
	bool better = known ? known->id < t->loop->id : looks_like(r, t->loop, split);
	if (better) {
		struct iterating u = onto_window(r);
		iterate_items(&u, t->loop->item, t->loop->item + split, t->number + 1);
		while (r->pile->height && create(r))
			;
		push_turned(r, &turned);
	}
	turned_clear(&turned);
	return better;
}

/* passed[k]: records of the first k terms of the body in the unfinished iteration; of the places behind those pending, pending + 1. */
static uint64_t *passed_up_to(const struct affine_nlr *r, const struct turning *t, uint64_t pending)
{
	uint64_t *passed = mem_array(t->loop->length + 1, sizeof *passed), total = 0;
	for (size_t i = 0; i <= t->loop->length; i++) {
		passed[i] = total;
		if (i == t->loop->length || total > pending)
			continue;
		const struct pattern_item *item = &t->loop->item[i];
		const struct pattern *s = patterns_get(r->patterns, item->pattern);
		total += iterate_count(r->patterns, s, t->last + item->first, pending + 1 - total);
	}
	return passed;
}

/* The first place in the body behind which iteration -1 holds nothing. */
static size_t begin_of_nothing(const struct affine_nlr *r, const struct turning *t)
{
	size_t at = t->loop->length;
	while (at > 0) {
		const struct pattern_item *item = &t->loop->item[at - 1];
		if (iterate_count(r->patterns, patterns_get(r->patterns, item->pattern), t->before + item->first, 1))
			break;
		at--;
	}
	return at;
}

static bool turn_somehow(struct affine_nlr *r, struct turning *t, uint64_t pending, uint64_t *taken)
{
	const int64_t *first = t->number + 1;
	bool complete = !pending; /* the last iteration may have ended early: then it counts as the unfinished one */
	bool turned = false, stands = true;
	if (!iteration_at(t->loop, first, -1, t->before) || !iteration_at(t->loop, first, 1, t->second) ||
		!iteration_at(t->loop, first, complete ? t->number[0] - 1 : t->number[0], t->last))
		return false;
	uint64_t limit = complete ? iterate_iteration_count(r->patterns, t->loop, t->last, EXTENSION_LIMIT) : pending;
	uint64_t *passed = passed_up_to(r, t, limit);
	bool end_stands = part_stands(r, r->pile->height, t->loop, 0, t->before, 1) != NOT_THERE;
	size_t least = end_stands ? 1 : begin_of_nothing(r, t);
	t->number[0] -= complete;
	for (size_t split = t->loop->length; !turned && stands && --split >= least && split > 0;) {
		*taken = passed[split];
		if (*taken > 0 && (complete ? *taken == limit : *taken <= limit))
			turned = turn_left(r, t, split, &stands);
	}
	t->number[0] += turned ? 0 : complete;
	unsigned tries = complete ? 0 : RIGHT_TURNS_TRIED;
	for (size_t split = t->loop->length; !turned && tries && --split > 0;) {
		*taken = passed[split];
		if (*taken == 0 || *taken > limit)
			continue;
		tries--;
		turned = turn_right(r, t, split);
	}
	free(passed);
	return turned;
}

/* *taken: how many of the pending records are in the loop now. */
static bool turn(struct affine_nlr *r, uint64_t pending, uint64_t *taken)
{
	const struct pattern *loop = pile_top(r->pile)->pattern;
	int64_t *number = top_numbers(r), *rows = mem_array(3 * loop->numbers, sizeof *rows);
	struct turning t = {loop, number, rows, rows + loop->numbers, rows + 2 * loop->numbers};
	bool complete = !pending, turned = false;
	pile_truncate(r->pile, r->pile->height - 1);
	if (loop->length > 1)
		turned = turn_somehow(r, &t, pending, taken);
	if (!turned)
		push(r, loop, number);
	if (!turned || complete)
		*taken = 0;
	free(number);
	free(rows);
	return turned;
}

/* ------------------------------------------------------------------ peel */

/* How many loops, each the last term of the one outside, is it from the closed loop on top to one that this record would continue? 0: none. */
static unsigned grows(struct affine_nlr *r, const struct record *record)
{
	const struct pattern *loop = pile_top(r->pile)->pattern;
	const int64_t *number = r->pile->number + pile_top(r->pile)->first;
	int64_t count = number[0], *row = mem_array(loop->numbers, sizeof *row), *ahead = mem_array(loop->numbers, sizeof *ahead);
	int64_t first[AFFINE_WIDTH];
	uint32_t shape;
	unsigned levels = 0, found = 0;
	bool good = iteration_at(loop, number + 1, count - 1, row);
	while (good && !found && loop->item[loop->length - 1].shape == PATTERN_LOOP) {
		const struct pattern_item *last = &loop->item[loop->length - 1];
		const struct pattern *inner = patterns_get(r->patterns, last->pattern);
		count = row[last->first];
		if (count <= 0)
			break;
		levels++;
		if (iteration_at(inner, row + last->first + 1, count, ahead) &&
			iterate_first(r->patterns, inner, ahead, &shape, first) && shape == record->shape &&
			same_numbers(first, record->number, record->width))
			found = levels;
		good = iteration_at(inner, row + last->first + 1, count - 1, ahead);
		int64_t *swap = row;
		row = ahead;
		ahead = swap;
		loop = inner;
	}
	free(row);
	free(ahead);
	return found;
}

/* Take the last iteration of the top apart, and of its last loop, and so on, down to so many levels. Gives the count of the last one. */
static int64_t take_apart(struct affine_nlr *r, unsigned levels)
{
	const struct pattern *loop = pile_top(r->pile)->pattern;
	int64_t *number = top_numbers(r), *row = mem_array(loop->numbers, sizeof *row);
	struct iterating u = onto_window(r);
	pile_truncate(r->pile, r->pile->height - 1);
	while (levels--) {
		int64_t count = number[0]--;
		iterate_term(&u, loop, number);
		iteration_at(loop, number + 1, count - 1, row);
		const struct pattern_item *last = &loop->item[loop->length - 1];
		iterate_items(&u, loop->item, last, row);
		loop = patterns_get(r->patterns, last->pattern);
		memcpy(number, row + last->first, loop->numbers * sizeof *number);
	}
	iterate_term(&u, loop, number);
	int64_t count = number[0];
	free(number);
	free(row);
	return count;
}

static void place(struct affine_nlr *r, const struct record *record);
static void break_off(struct affine_nlr *r, const struct record *record);

/* The closed loop on top was not closed yet, if this record continues a loop at its end. */
static bool peel(struct affine_nlr *r, const struct record *record)
{
	unsigned levels = grows(r, record);
	if (!levels)
		return false;
	size_t left = r->nest->length, below = r->pile->height - 1;
	free(r->peeled_number);
	r->peeled_loop = pile_top(r->pile)->pattern;
	r->peeled_number = top_numbers(r);
	int64_t count = take_apart(r, levels);
	if (count < (int64_t)r->repetitions) {
		place(r, record);
		return true;
	}
	open_top(r, r->records - 1);
	assert(expects(r, record));
	if (r->nest->length == left) {
		r->peeled = below + 1;
		r->peeled_top = r->pile->height;
		r->peeled_count = count;
	}
	accept(r);
	return true;
}

/* The loop that was to grow was closed as it was: back to the greater one that was peeled. */
static bool peeled_in_vain(const struct affine_nlr *r)
{
	return r->peeled && r->pile->height == r->peeled_top && pile_numbers(r->pile, r->pile->height - 1)[0] == r->peeled_count;
}

static void undo_peel(struct affine_nlr *r)
{
	pile_truncate(r->pile, r->peeled - 1);
	push(r, r->peeled_loop, r->peeled_number);
}

/* ------------------------------------------------------------------ records that nobody expected */

static void push_record(struct affine_nlr *r, const struct record *record)
{
	affine_nlr_push(r, record->shape, record->width, record->number);
}

/* Push these once more, from number `from` on, and then the record that came last (or NULL). */
static void feed(struct affine_nlr *r, struct record_list *list, size_t from, const struct record *last)
{
	bool settled = r->settled;
	r->settled = true;
	r->records -= list->length - from + (last ? 1 : 0);
	for (size_t i = from; i < list->length; i++) {
		const struct pattern *s = list->record[i].pattern;
		affine_nlr_push(r, s->shape, (uint32_t)s->numbers, list->number + list->record[i].first);
	}
	if (last)
		push_record(r, last);
	r->settled = settled;
	record_list_clear(list);
}

/* A record becomes a term. */
static void place(struct affine_nlr *r, const struct record *record)
{
	push(r, patterns_record(r->patterns, record->shape, record->width), record->number);
	if (create(r))
		open_top(r, r->records);
}

/* Behind a top that is what it will be. */
static void place_or_try(struct affine_nlr *r, const struct record *record)
{
	enum trial trial = r->pile->height ? try_pair(r, record) : TRIAL_NONE;
	if (trial == TRIAL_NONE) {
		place(r, record);
		return;
	}
	open_top(r, r->records - 1);
	r->trial = trial == TRIAL_OPEN;
	if (expects(r, record))
		accept(r);
	else
		break_off(r, record);
}

/* The record against a closed top. tried: it is known not to continue it. */
static void offer(struct affine_nlr *r, const struct record *record, bool tried)
{
	bool new = r->settled;
	while (r->pile->height && pattern_is_loop(pile_top(r->pile)->pattern)) {
		if (!tried) {
			open_top(r, r->records - 1);
			if (expects(r, record)) {
				accept(r);
				return;
			}
			close_top(r);
		}
		if (!new &&peel(r, record))
			return;
		if (!create(r))
			break;
		tried = false;
		new = true;
	}
	place_or_try(r, record);
}

/* The loop on trial is closed: was it one? */
static bool confirm_trial(struct affine_nlr *r)
{
	bool confirmed = pile_numbers(r->pile, r->pile->height - 1)[0] > 2;
	r->trial = false;
	if (!confirmed)
		give_up_trial(r);
	while (confirmed && extend(r))
		;
	return confirmed;
}

/* The open loop on top is not continued: close it, and see what becomes of the records of its unfinished iteration. last: as of feed. Gives
   false where `last` is still to be dealt with; *pending is then what there was. */
static bool settle(struct affine_nlr *r, const struct record *last, uint64_t *pending)
{
	uint64_t taken = 0, before_last = r->records - (last ? 1 : 0);
	bool given_up, undo = false, turned = false;
	*pending = before_last - r->boundary;
	close_top(r);
	given_up = r->trial && !confirm_trial(r);
	if (!given_up && *pending <= REPLAY_LIMIT) {
		undo = peeled_in_vain(r);
		turned = !undo && turn(r, *pending, &taken);
	}
	r->peeled = undo ? r->peeled : 0;
	if (*pending > REPLAY_LIMIT || (!given_up && (*pending == taken || (!undo && !turned && !pile_find_repetition(r->pile))))) {
		if (!turned)
			put_back(r, *pending);
		return false;
	}
	struct record_list list = collect_passed(r, *pending);
	if (undo)
		undo_peel(r);
	r->peeled = 0;
	if (!given_up && (create(r) || turned))
		open_top(r, before_last - (*pending - taken));
	feed(r, &list, taken, last);
	return true;
}

static void break_off(struct affine_nlr *r, const struct record *record)
{
	uint64_t pending;
	if (!r->open)
		place_or_try(r, record);
	else if (!settle(r, record, &pending))
		offer(r, record, !pending);
}

static void push_slowly(struct affine_nlr *r, uint32_t shape, uint32_t width, const int64_t *number)
{
	assert(shape < AFFINE_SHAPES && width <= AFFINE_WIDTH);
	r->turns++;
	struct record record; /* most of which is room for numbers */
	record.shape = shape;
	record.width = width;
	if (width)
		memcpy(record.number, number, width * sizeof *number);
	if (r->slow && expects(r, &record))
		accept(r);
	else
		break_off(r, &record);
}

void affine_nlr_push(struct affine_nlr *r, uint32_t shape, uint32_t width, const int64_t *number)
{
	const struct pattern_item *next = r->next;
	r->records++;
	if (next->shape != shape || r->slow || !same_numbers(r->current + next->first, number, next->width)) {
		push_slowly(r, shape, width, number);
		return;
	}
	r->next = ++next;
	if (next->shape >= PATTERN_LOOP)
		advance(r);
}

/* Nothing comes any more. */
static void end(struct affine_nlr *r)
{
	uint64_t pending;
	while (r->open && settle(r, NULL, &pending))
		;
	while (r->pile->height && (create(r) || try_pair(r, NULL) != TRIAL_NONE))
		;
}

struct affine_nest *affine_nlr_finish(struct affine_nlr *r)
{
	end(r);
	leave_window(r, r->pile->height);
	struct affine_nest *nest = r->nest;
	r->nest = NULL;
	affine_nlr_free(r);
	return nest;
}

/* ------------------------------------------------------------------ for predictions */

uint64_t affine_nlr_turns(const struct affine_nlr *r)
{
	return r->turns;
}

bool runner_start(struct runner *runner, const struct affine_nlr *r)
{
	runner->patterns = r->patterns;
	runner->depth = 0;
	if (!r->open || r->next == &nowhere || r->slow)
		return false;
	for (unsigned i = 0; i <= r->depth; i++) {
		const struct frame *f = &r->frame[i];
		runner_push(runner, f->loop, f->number, f->count, f->done, i < r->depth ? r->frame[i + 1].place : r->next);
	}
	return true;
}
