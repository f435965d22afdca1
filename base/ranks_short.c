/*
 * ranks_short.c -- the text of a set of ranks, made short by repetition.
 *
 * The set is a sequence of pieces, at first its runs. Where k pieces come again n times at a
 * constant distance, they become one piece, if that is shorter to write; short periods first, and
 * so again on what results, which finds the planes of a grid made of its rows. Pieces that are
 * equal but for where they start have equal shapes, interned, so that looking for repetitions
 * compares integers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/ranks.h"

#define LONGEST_GROUP 8

struct piece {
	uint32_t first, last, shape;
	uint32_t length; /* of its text */
	uint32_t stride, count; /* of a repetition; count 0: a run of `width` ranks */
	uint32_t width;
	uint32_t inside, insides; /* the pieces of the first copy, in the attic */
};

struct pieces {
	struct piece *piece;
	size_t length, capacity;
};

struct shortening {
	struct intern *shapes;
	struct pieces now, next;
	struct pieces attic; /* pieces that became parts of others */
	struct text text; /* scratch */
};

static void add(struct pieces *p, struct piece piece)
{
	*MEM_PUSH(p->piece, p->length, p->capacity) = piece;
}

/* ------------------------------------------------------------------ printing */

static void print_piece(const struct shortening *s, const struct piece *p, struct text *out);

static void print_pieces(const struct shortening *s, const struct piece *p, size_t count, struct text *out)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			text_char(out, ',');
		print_piece(s, p + i, out);
	}
}

static bool is_single(const struct piece *p)
{
	return !p->count && p->width == 1;
}

static void print_piece(const struct shortening *s, const struct piece *p, struct text *out)
{
	const struct piece *inside = p->count ? s->attic.piece + p->inside : NULL;
	if (!p->count) {
		text_number(out, p->first);
		if (p->width > 1)
			text_format(out, "-%u", p->first + p->width - 1);
	} else if (p->insides == 1 && is_single(inside)) {
		text_format(out, "%u-%u:%u", p->first, p->first + p->stride * (p->count - 1), p->stride);
	} else {
		text_char(out, '(');
		print_pieces(s, inside, p->insides, out);
		text_format(out, ")+%u*%u", p->stride, p->count);
	}
}

static void measure(struct shortening *s, struct piece *p)
{
	text_truncate(&s->text, 0);
	print_piece(s, p, &s->text);
	p->length = (uint32_t)s->text.length;
}

/* ------------------------------------------------------------------ repetitions */

static struct piece run_piece(struct shortening *s, struct ranks_run run)
{
	uint32_t width = run.last - run.first + 1;
	struct piece p = {.first = run.first,
		.last = run.last,
		.width = width,
		.shape = intern_id(s->shapes, &width, sizeof width)};
	measure(s, &p);
	return p;
}

/* How often the `period` pieces at `at` stand there, at a constant distance. */
static uint32_t copies(const struct pieces *p, size_t at, size_t period)
{
	uint32_t count = 1, stride = p->piece[at + period].first - p->piece[at].first;
	for (size_t i = at + period; i + period <= p->length; i += period, count++)
		for (size_t k = 0; k < period; k++) {
			const struct piece *now = &p->piece[i + k], *before = &p->piece[i + k - period];
			if (now->shape != before->shape || now->first - before->first != stride)
				return count;
		}
	return count;
}

static struct piece repetition(struct shortening *s, size_t at, size_t period, uint32_t count)
{
	const struct piece *from = s->now.piece + at;
	struct piece p = {.first = from->first,
		.last = from[(count - 1) * period + period - 1].last,
		.stride = from[period].first - from->first,
		.count = count,
		.inside = (uint32_t)s->attic.length,
		.insides = (uint32_t)period};
	uint32_t key[3 + 2 * LONGEST_GROUP] = {UINT32_MAX, p.stride, p.count};
	for (size_t k = 0; k < period; k++) {
		add(&s->attic, from[k]);
		key[3 + 2 * k] = from[k].shape;
		key[4 + 2 * k] = from[k].first - from->first;
	}
	p.shape = intern_id(s->shapes, key, (3 + 2 * period) * sizeof *key);
	measure(s, &p);
	return p;
}

static uint32_t listed_length(const struct pieces *p, size_t at, size_t count)
{
	uint32_t length = 0;
	for (size_t i = at; i < at + count; i++)
		length += p->piece[i].length + 1;
	return length - 1;
}

/* Replace a repetition of this period at `at`, if that is shorter: pieces taken, the new one in
   *piece. */
static size_t shorten_at(struct shortening *s, size_t at, size_t period, struct piece *piece)
{
	uint32_t count = at + 2 * period <= s->now.length ? copies(&s->now, at, period) : 1;
	if (count < 2)
		return 0;
	size_t attic = s->attic.length;
	*piece = repetition(s, at, period, count);
	if (piece->length < listed_length(&s->now, at, period * count))
		return period * count;
	s->attic.length = attic;
	return 0;
}

static bool shorten(struct shortening *s, size_t period)
{
	bool changed = false;
	s->next.length = 0;
	for (size_t at = 0; at < s->now.length;) {
		struct piece piece;
		size_t taken = shorten_at(s, at, period, &piece);
		add(&s->next, taken ? piece : s->now.piece[at]);
		at += taken ? taken : 1;
		changed |= taken > 0;
	}
	struct pieces swap = s->now;
	s->now = s->next;
	s->next = swap;
	return changed;
}

static struct shortening shortened(const struct ranks *set)
{
	struct shortening s = {.shapes = intern_new()};
	for (size_t i = 0; i < set->length; i++)
		add(&s.now, run_piece(&s, set->run[i]));
	for (size_t period = 1; period <= LONGEST_GROUP; period = shorten(&s, period) ? 1 : period + 1)
		;
	return s;
}

static void clear(struct shortening *s)
{
	intern_free(s->shapes);
	free(s->now.piece);
	free(s->next.piece);
	free(s->attic.piece);
	text_clear(&s->text);
}

void ranks_print_short(const struct ranks *set, struct text *out)
{
	if (set->length < 2) {
		ranks_print(set, out);
		return;
	}
	struct shortening s = shortened(set);
	print_pieces(&s, s.now.piece, s.now.length, out);
	clear(&s);
}

/* ------------------------------------------------------------------ as a condition */

/* An expression for a rank, which is between 0 and limit - 1. Pieces count from `origin`. */
struct subject {
	const char *text;
	uint32_t limit, origin;
};

static void print_bounds(const struct subject *x, uint32_t first, uint32_t last, struct text *out)
{
	if (first == last)
		text_format(out, "%s == %u", x->text, first);
	else if (first && last < x->limit - 1)
		text_format(out, "%s >= %u && %s <= %u", x->text, first, x->text, last);
	else if (first)
		text_format(out, "%s >= %u", x->text, first);
	else if (last < x->limit - 1)
		text_format(out, "%s <= %u", x->text, last);
	else
		text_put(out, "1");
}

static void print_conditions(
	const struct shortening *s, const struct subject *x, const struct piece *p, size_t count, struct text *out);

/* Between bounds, and at the right place of its copy. */
static void print_repetition(
	const struct shortening *s, const struct subject *x, const struct piece *p, struct text *out)
{
	const struct piece *inside = s->attic.piece + p->inside, *end = inside + p->insides - 1;
	uint32_t first = p->first - x->origin, aligned = first - first % p->stride;
	bool on_grid = first % p->stride + (end->last - p->first) < p->stride;
	uint32_t start = on_grid ? aligned : first, past = start + p->stride * p->count;
	struct text place = {0};
	if (start || past < x->limit) {
		print_bounds(x, start, past - 1 < x->limit - 1 ? past - 1 : x->limit - 1, out);
		text_put(out, " && ");
	}
	text_format(&place, start && !on_grid ? "(%s - %u) %% %u" : "%s %% %u", x->text,
		start && !on_grid ? start : p->stride, p->stride);
	struct subject inner = {place.data, p->stride, p->first - (first - start)};
	print_conditions(s, &inner, inside, p->insides, out);
	text_clear(&place);
}

static void print_condition(
	const struct shortening *s, const struct subject *x, const struct piece *p, struct text *out)
{
	if (p->count)
		print_repetition(s, x, p, out);
	else
		print_bounds(x, p->first - x->origin, p->first - x->origin + p->width - 1, out);
}

/* Several are in parentheses, and each of them if need be. */
static void print_conditions(
	const struct shortening *s, const struct subject *x, const struct piece *p, size_t count, struct text *out)
{
	if (count == 1) {
		print_condition(s, x, p, out);
		return;
	}
	text_char(out, '(');
	for (size_t i = 0; i < count; i++) {
		struct text one = {0};
		print_condition(s, x, p + i, &one);
		bool several = strstr(one.data, "&&") != NULL;
		text_format(out, several ? "%s(%s)" : "%s%s", i ? " || " : "", one.data);
		text_clear(&one);
	}
	text_char(out, ')');
}

void ranks_print_condition(const struct ranks *set, uint32_t limit, const char *variable, struct text *out)
{
	if (!set->length) {
		text_put(out, "0");
		return;
	}
	struct shortening s = shortened(set);
	struct subject x = {variable, limit, 0};
	print_conditions(&s, &x, s.now.piece, s.now.length, out);
	clear(&s);
}
