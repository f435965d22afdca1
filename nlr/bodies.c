/*
 * bodies.c -- bodies are interned as strings of terms; loops that are known likewise, with the
 * number of places that know them.
 *
 * A reduction that begins before a loop L on top of the window and takes it in is either an
 * absorption, then L stands in the body of the absorbing loop; or a repetition, then each of its
 * copies holds an L at the same place, and all but one of them lie deeper in the window. So L is
 * out of reach of both while it is in no body and fewer than repetitions - 1 equals of it are
 * covered.
 */
#include "nlr/bodies.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

#define IN_A_BODY (UINT32_C(1) << 31)

/* Known loops of few iterations over one body are found without hashing: a loop under construction
   asks at every iteration. */
#define FEW 256

struct few {
	uint32_t counts;
	uint32_t known[]; /* by count: 1 + the id of the loop, 0 if it is not known */
};

struct bodies {
	unsigned repetitions;
	struct few **few; /* by body, or NULL */
	struct intern *ids;
	struct loop_body *body;
	size_t count, capacity;
	struct intern *loops;
	uint32_t *places; /* of each known loop: how often it is covered in the window, and IN_A_BODY */
	size_t known, known_capacity;
};

struct bodies *bodies_new(unsigned repetitions)
{
	struct bodies *f = mem_zero(sizeof *f);
	f->repetitions = repetitions;
	f->ids = intern_new();
	f->loops = intern_new();
	return f;
}

void bodies_free(struct bodies *f)
{
	if (!f)
		return;
	intern_free(f->ids);
	intern_free(f->loops);
	for (size_t i = 0; i < f->count; i++)
		free(f->few[i]);
	free(f->few);
	free(f->body);
	free(f->places);
	free(f);
}

const struct loop_body *bodies_get(const struct bodies *f, uint32_t id)
{
	return &f->body[id];
}

/* The id of a loop of few iterations, or INTERN_NONE. */
static uint32_t find_few(const struct bodies *f, struct term loop)
{
	const struct few *few = f->few[loop.id];
	return few && loop.count < few->counts && few->known[loop.count] ? few->known[loop.count] - 1 : INTERN_NONE;
}

static void note_few(struct bodies *f, struct term loop, uint32_t id)
{
	struct few *few = f->few[loop.id];
	uint32_t old = few ? few->counts : 0, counts = old ? old : 8;
	while (counts <= loop.count)
		counts *= 2;
	if (counts != old) {
		few = f->few[loop.id] = mem_resize(few, 1, sizeof *few + counts * sizeof *few->known);
		memset(few->known + old, 0, (counts - old) * sizeof *few->known);
		few->counts = counts;
	}
	few->known[loop.count] = id + 1;
}

static uint32_t know(struct bodies *f, struct term loop)
{
	uint32_t id = find_few(f, loop);
	if (id != INTERN_NONE)
		return id;
	id = intern_id(f->loops, &loop, sizeof loop);
	if (id == f->known) {
		*MEM_PUSH(f->places, f->known, f->known_capacity) = 0;
	}
	if (f->body[loop.id].most_known < loop.count)
		f->body[loop.id].most_known = loop.count;
	if (loop.count < FEW)
		note_few(f, loop, id);
	return id;
}

static uint32_t find_known(const struct bodies *f, struct term loop)
{
	return loop.count < FEW ? find_few(f, loop) : intern_find(f->loops, &loop, sizeof loop);
}

uint32_t bodies_cover(struct bodies *f, struct term loop)
{
	uint32_t id = know(f, loop);
	f->places[id]++;
	return id;
}

void bodies_bare(struct bodies *f, uint32_t ticket)
{
	f->places[ticket]--;
}

enum known bodies_known(const struct bodies *f, struct term loop)
{
	if (loop.count > f->body[loop.id].most_known)
		return KNOWN_NOWHERE;
	uint32_t id = find_known(f, loop);
	if (id == INTERN_NONE || f->places[id] < f->repetitions - 1)
		return KNOWN_NOWHERE;
	return f->places[id] & IN_A_BODY ? KNOWN_IN_BODY : KNOWN_IN_WINDOW;
}

/* While the first iterations of a loop are built, they stand side by side: the last of those that
   do has the most below it. */
static size_t room_for(const struct bodies *f, struct term t)
{
	if (term_is_record(t))
		return 1;
	return (f->repetitions - 1) * f->body[t.id].length + f->body[t.id].room;
}

static void describe(struct bodies *f, struct loop_body *body)
{
	for (size_t i = 0; i < body->length; i++) {
		struct term t = body->term[i];
		size_t room = i + room_for(f, t);
		if (body->room < room)
			body->room = room;
		if (term_is_loop(t))
			f->places[know(f, t)] |= IN_A_BODY;
	}
}

uint32_t bodies_id(struct bodies *f, struct term *body, size_t length)
{
	body[length] = TERMINATOR;
	uint32_t id = intern_id(f->ids, body, (length + 1) * sizeof *body);
	if (id == f->count) {
		size_t capacity = f->capacity;
		f->body = mem_grow(f->body, &f->capacity, f->count + 1, sizeof *f->body);
		f->few = mem_grow(f->few, &capacity, f->capacity, sizeof(struct few *));
		f->few[f->count] = NULL;
		struct loop_body new = {.term = intern_data(f->ids, id, NULL), .length = length};
		describe(f, &new);
		f->body[f->count++] = new;
	}
	return id;
}
