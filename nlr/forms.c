/*
 * forms.c -- bodies are interned as strings of terms; loops that are known likewise, with the number of places that know them.
 *
 * A reduction that begins before a loop L on top of the window and takes it in is either an absorption, then L stands in the body
 * of the absorbing loop; or a repetition, then each of its copies holds an L at the same place, and all but one of them lie
 * deeper in the window. So L is out of reach of both while it is in no body and fewer than repetitions - 1 equals of it are covered.
 */
#include "nlr/forms.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

#define IN_A_BODY (UINT32_C(1) << 31)

/* Known loops of few iterations over one body are found without hashing: a loop under construction asks at every iteration. */
#define FEW 256

struct few {
	uint32_t counts;
	uint32_t known[]; /* by count: 1 + the id of the loop, 0 if it is not known */
};

struct forms {
	unsigned repetitions;
	struct few **few; /* by form, or NULL */
	struct intern *bodies;
	struct form *form;
	size_t forms, capacity;
	struct intern *loops;
	uint32_t *places; /* of each known loop: how often it is covered in the window, and IN_A_BODY */
	size_t known, known_capacity;
};

struct forms *forms_new(unsigned repetitions)
{
	struct forms *f = mem_zero(sizeof *f);
	f->repetitions = repetitions;
	f->bodies = intern_new();
	f->loops = intern_new();
	return f;
}

void forms_free(struct forms *f)
{
	if (!f)
		return;
	intern_free(f->bodies);
	intern_free(f->loops);
	for (size_t i = 0; i < f->forms; i++)
		free(f->few[i]);
	free(f->few);
	free(f->form);
	free(f->places);
	free(f);
}

const struct form *forms_get(const struct forms *f, uint64_t id)
{
	return &f->form[id];
}

size_t forms_count(const struct forms *f)
{
	return f->forms;
}

/* The id of a loop of few iterations, or INTERN_NONE. */
static uint32_t find_few(const struct forms *f, struct term loop)
{
	const struct few *few = f->few[loop.id];
	return few && loop.count < few->counts && few->known[loop.count] ? few->known[loop.count] - 1 : INTERN_NONE;
}

static void note_few(struct forms *f, struct term loop, uint32_t id)
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

static uint32_t know(struct forms *f, struct term loop)
{
	uint32_t id = find_few(f, loop);
	if (id != INTERN_NONE)
		return id;
	id = intern_id(f->loops, &loop, sizeof loop);
	if (id == f->known) {
		f->places = mem_grow(f->places, &f->known_capacity, f->known + 1, sizeof *f->places);
		f->places[f->known++] = 0;
	}
	if (f->form[loop.id].most_known < loop.count)
		f->form[loop.id].most_known = loop.count;
	if (loop.count < FEW)
		note_few(f, loop, id);
	return id;
}

static uint32_t find_known(const struct forms *f, struct term loop)
{
	return loop.count < FEW ? find_few(f, loop) : intern_find(f->loops, &loop, sizeof loop);
}

uint32_t forms_cover(struct forms *f, struct term loop)
{
	uint32_t id = know(f, loop);
	f->places[id]++;
	return id;
}

void forms_bare(struct forms *f, uint32_t ticket)
{
	f->places[ticket]--;
}

enum known forms_known(const struct forms *f, struct term loop)
{
	if (loop.count > f->form[loop.id].most_known)
		return KNOWN_NOWHERE;
	uint32_t id = find_known(f, loop);
	if (id == INTERN_NONE || f->places[id] < f->repetitions - 1)
		return KNOWN_NOWHERE;
	return f->places[id] & IN_A_BODY ? KNOWN_IN_BODY : KNOWN_IN_WINDOW;
}

/* While the first iterations of a loop are built, they stand side by side: the last of those that do has the most below it. */
static size_t room_for(const struct forms *f, struct term t)
{
	if (term_is_record(t))
		return 1;
	return (f->repetitions - 1) * f->form[t.id].length + f->form[t.id].room;
}

static void describe(struct forms *f, struct form *form)
{
	for (size_t i = 0; i < form->length; i++) {
		struct term t = form->term[i];
		size_t room = i + room_for(f, t);
		if (form->room < room)
			form->room = room;
		if (term_is_loop(t))
			f->places[know(f, t)] |= IN_A_BODY;
	}
}

uint64_t forms_id(struct forms *f, struct term *body, size_t length)
{
	body[length] = TERMINATOR;
	uint32_t id = intern_id(f->bodies, body, (length + 1) * sizeof *body);
	if (id == f->forms) {
		size_t capacity = f->capacity;
		f->form = mem_grow(f->form, &f->capacity, f->forms + 1, sizeof *f->form);
		f->few = mem_grow(f->few, &capacity, f->capacity, sizeof(struct few *));
		f->few[f->forms] = NULL;
		struct form form = {.term = intern_data(f->bodies, id, NULL), .length = length};
		describe(f, &form);
		f->form[f->forms++] = form;
	}
	return id;
}
