/*
 * copies.c -- bodies from the inside out; in each, what saves most first, until nothing does.
 *
 * The statements of a body, each with what is inside, are numbered by what they say; a sequence of
 * numbers that is equal to itself so many places further on are copies.
 */
#include "fold/copies.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/sides.h"

/* Comparisons of parts in a program, about; and statements of processes whose messages are looked
   at. */
#define COMPARISONS ((size_t)1 << 22)
#define EVENTS_LIMIT ((uint64_t)1 << 20)

struct copies {
	struct program *program;
	struct statement *statement; /* of the result */
	size_t length, capacity;
	size_t left; /* comparisons */
	bool any;
};

/* A body of the result: where each of its statements begins, and what it says. */
struct parts {
	size_t *start; /* one more */
	uint32_t *says;
	size_t length;
};

/* So many copies of so many parts, from one on. */
struct found {
	size_t from, length, times, saves;
	size_t slack; /* they may begin so many parts later, too */
};

static void add(struct copies *c, const struct statement *s)
{
	c->statement = mem_grow(c->statement, &c->capacity, c->length + 1, sizeof *c->statement);
	c->statement[c->length++] = *s;
}

static struct parts parts_of(const struct copies *c, size_t from)
{
	struct parts parts = {0};
	size_t capacity = 0, says_capacity = 0;
	struct intern *known = intern_new();
	for (size_t i = from; i < c->length; i += statement_size(&c->statement[i])) {
		parts.start = mem_grow(parts.start, &capacity, parts.length + 2, sizeof *parts.start);
		parts.says = mem_grow(parts.says, &says_capacity, parts.length + 1, sizeof *parts.says);
		parts.start[parts.length] = i;
		parts.says[parts.length++] =
			intern_id(known, &c->statement[i], statement_size(&c->statement[i]) * sizeof *c->statement);
		parts.start[parts.length] = c->length;
	}
	intern_free(known);
	return parts;
}

static void parts_clear(struct parts *parts)
{
	free(parts->start);
	free(parts->says);
}

/* A loop has a "done". */
static size_t lines_of(const struct copies *c, size_t from, size_t to)
{
	size_t lines = to - from;
	for (size_t i = from; i < to; i++)
		lines += statement_is_loop(&c->statement[i]);
	return lines;
}

/* ------------------------------------------------------------------ messages */

struct traffic {
	struct program *program;
	struct sides sides;
	int64_t *passed; /* by side */
	size_t capacity;
};

static void pass(struct traffic *t, uint32_t event, uint32_t process, uint64_t times)
{
	uint32_t side = sides_of(&t->sides, event, process);
	size_t known = t->capacity;
	if (side == NO_SIDE)
		return;
	t->passed = mem_grow(t->passed, &t->capacity, sides_count(&t->sides), sizeof *t->passed);
	for (; known < t->capacity; known++)
		t->passed[known] = 0;
	t->passed[side] += (int64_t)times;
}

/* False where only the numbers of a table tell. Recursion as deep as loops nest. */
static bool pass_all(struct traffic *t, const struct statement *s, size_t from, size_t to, uint64_t times)
{
	static const int64_t first[INDEX_DEPTH];
	bool good = true;
	for (size_t i = from; i < to && good; i += statement_size(&s[i])) {
		if (statement_is_loop(&s[i])) {
			bool guard = statement_guard(&s[i]);
			good = (guard || s[i].bound == BOUND_NONE) && statement_guard(&s[i]) != GUARD_WHO &&
			       pass_all(t, s, i + 1, i + s[i].size, guard ? times : times * s[i].count);
			continue;
		}
		struct form form = statement_form(t->program, &s[i]);
		struct ranks_run single;
		struct ranks who = program_processes(t->program, &s[i], &single);
		struct ranks_walk walk = {0};
		if (form.kind != EVENT_SEND && form.kind != EVENT_RECV)
			continue;
		good = !(form_indices(&form) & INDEX_TABLE) && form_put(&form, &t->program->grid, first, INDEX_DEPTH);
		for (uint32_t p; good && ranks_next(&who, &walk, &p);)
			pass(t, program_event(t->program, &form, p), p, times);
	}
	return good;
}

/* Is every message of a copy received in it, where there is somebody to receive it? before: the
   body begins there. */
static bool stays_inside(const struct copies *c, size_t before, size_t from, size_t to)
{
	if ((to - before) * (uint64_t)c->program->processes > EVENTS_LIMIT)
		return false;
	struct traffic t = {.program = c->program};
	sides_start(&t.sides, c->program->dictionary);
	bool good = pass_all(&t, c->statement, before, from, 1);
	uint32_t sides = sides_count(&t.sides);
	int64_t *earlier = mem_zero((sides + (size_t)1) * sizeof *earlier);
	if (sides)
		memcpy(earlier, t.passed, sides * sizeof *earlier);
	good = good && pass_all(&t, c->statement, from, to, 1);
	for (uint32_t side = 0; good && side + 1 < sides_count(&t.sides); side++) {
		if (!sides_sends(&t.sides, side))
			continue;
		int64_t sent = t.passed[side] - (side < sides ? earlier[side] : 0),
			received = t.passed[side + 1] - (side + 1 < sides ? earlier[side + 1] : 0);
		good = !sent || !received || (sent == received && t.passed[side] == t.passed[side + 1]);
	}
	free(earlier);
	free(t.passed);
	sides_end(&t.sides);
	return good;
}

/* ------------------------------------------------------------------ loops */

static bool is_else(const struct copies *c, const struct parts *parts, size_t at)
{
	return at < parts->length && statement_guard(&c->statement[parts->start[at]]) == GUARD_ELSE;
}

/* What stands several times in a row and saves most. */
static struct found find_best(struct copies *c, const struct parts *parts, size_t but)
{
	struct found best = {0};
	for (size_t length = 1; 2 * length <= parts->length && parts->length <= c->left; length++) {
		c->left -= parts->length;
		size_t same = 0;
		for (size_t i = 0; i + length <= parts->length; i++) {
			if (i + length < parts->length && parts->says[i] == parts->says[i + length]) {
				same++;
				continue;
			}
			size_t from = i - same, times = 1 + same / length;
			size_t lines = times > 1 ? lines_of(c, parts->start[from], parts->start[from + length]) : 0;
			size_t saved = (times - 1) * lines;
			if (saved > best.saves + 2 && saved < but)
				best = (struct found){from, length, times, saved - 2, same % length};
			same = 0;
		}
	}
	return best;
}

/* An index more at this depth, whose loop is around. False: there are too many. */
static bool deepen(struct copies *c, size_t from, size_t to, uint32_t depth)
{
	bool good = true;
	for (size_t i = from; i < to && good; i++) {
		struct statement *s = &c->statement[i];
		if (statement_is_loop(s) && s->bound != BOUND_NONE) {
			struct value bound = program_bound(c->program, s);
			good = value_deepen(&bound, depth);
			program_set_count(c->program, s, &bound);
		} else if (!statement_is_loop(s) && s->set != STATEMENT_PLAIN) {
			struct form form = program_get_form(c->program, s->event);
			good = form_deepen(&form, &c->program->grid, depth);
			s->event = program_form(c->program, &form);
		}
	}
	return good;
}

/* From a place of the result on; the first copy becomes the body. */
static void make_loop(struct copies *c, size_t from, size_t body, size_t times, uint32_t set)
{
	size_t behind = from + body * times;
	memmove(c->statement + from + 1 + body, c->statement + behind, (c->length - behind) * sizeof *c->statement);
	memmove(c->statement + from + 1, c->statement + from, body * sizeof *c->statement);
	c->statement[from] = (struct statement){.set = set, .bound = BOUND_NONE, .count = times, .size = 1 + body};
	c->length -= body * (times - 1) - 1;
	c->any = true;
}

/* Where the copies may begin. False: nowhere. */
static bool find_beginning(struct copies *c, const struct parts *parts, struct found *f)
{
	for (size_t k = 0; k <= f->slack; k++) {
		size_t from = f->from + k, behind = from + f->length * f->times;
		if (is_else(c, parts, from) || is_else(c, parts, behind) ||
			!stays_inside(c, parts->start[0], parts->start[from], parts->start[from + f->length]))
			continue;
		f->from = from;
		return true;
	}
	return false;
}

static bool roll_best(struct copies *c, size_t start, uint32_t depth);

/* What stands several times in the first copy does so in all. */
static void roll_inside(struct copies *c, size_t loop, uint32_t depth)
{
	size_t end = loop + c->statement[loop].size, behind = c->length - end;
	struct statement *rest = mem_copy(c->statement + end, behind * sizeof *rest);
	c->length = end;
	while (depth < INDEX_DEPTH && roll_best(c, loop + 1, depth))
		;
	c->statement[loop].size = c->length - loop;
	for (size_t i = 0; i < behind; i++)
		add(c, &rest[i]);
	free(rest);
}

/* One more loop in the body that begins there; false: there is none. Recursion as deep as these
   nest. */
static bool roll_best(struct copies *c, size_t start, uint32_t depth)
{
	struct parts parts = parts_of(c, start);
	struct found found;
	bool made = false;
	for (size_t but = SIZE_MAX; !made; but = found.saves + 2) {
		found = find_best(c, &parts, but);
		if (!found.times)
			break;
		if (!find_beginning(c, &parts, &found))
			continue;
		size_t from = parts.start[found.from], body = parts.start[found.from + found.length] - from;
		struct statement *first = mem_copy(c->statement + from, body * sizeof *first);
		uint32_t set = program_executed_by(c->program, first, body);
		made = deepen(c, from, from + body, depth);
		if (made)
			make_loop(c, from, body, found.times, set);
		else
			memcpy(c->statement + from, first, body * sizeof *first);
		free(first);
		if (made)
			roll_inside(c, from, depth + 1);
	}
	parts_clear(&parts);
	return made;
}

/* Recursion as deep as loops nest. */
static void roll_body(struct copies *c, const struct statement *s, size_t from, size_t to, uint32_t depth)
{
	size_t start = c->length;
	for (size_t i = from; i < to; i += statement_size(&s[i])) {
		size_t own = c->length;
		add(c, &s[i]);
		if (!statement_is_loop(&s[i]))
			continue;
		roll_body(c, s, i + 1, i + s[i].size, depth + 1);
		c->statement[own].size = c->length - own;
	}
	while (depth < INDEX_DEPTH && roll_best(c, start, depth))
		;
}

bool copies_roll(struct program *p)
{
	struct copies c = {.program = p, .left = COMPARISONS};
	roll_body(&c, p->statement, 0, p->length, 0);
	if (c.any) {
		free(p->statement);
		p->statement = c.statement;
		p->length = c.length;
		p->capacity = c.capacity;
	} else {
		free(c.statement);
	}
	return c.any;
}
