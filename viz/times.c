/*
 * times.c -- a tree of addresses: each step is interned with the place that it starts from.
 */
#include "viz/times.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

struct times {
	struct intern *places; /* of (place around, index) */
	double *share; /* per place */
	size_t capacity;
	double top;
};

_Static_assert(TIMES_NOWHERE == INTERN_NONE, "what is not found is nowhere");

struct step {
	uint32_t around, index;
};

static uint32_t add_step(struct times *t, uint32_t around, uint32_t index)
{
	struct step step = {around, index};
	uint32_t known = intern_count(t->places), place = intern_id(t->places, &step, sizeof step);
	t->share = mem_grow(t->share, &t->capacity, (size_t)place + 1, sizeof *t->share);
	if (place == known)
		t->share[place] = TIMES_UNKNOWN;
	return place;
}

/* The next number of an address, and the dot behind it. */
static uint32_t next_index(const char **address)
{
	char *end;
	uint32_t index = (uint32_t)strtoul(*address, &end, 10);
	*address = end + (*end == '.');
	return index;
}

static double scale_end(double most)
{
	static const double ends[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (most <= ends[i])
			return ends[i];
	return 1;
}

struct times *times_new(const struct viz_time *time, size_t length)
{
	struct times *t = mem_zero(sizeof *t);
	double most = 0;
	t->places = intern_new();
	for (size_t i = 0; i < length; i++) {
		uint32_t place = TIMES_ROOT;
		for (const char *at = time[i].address; *at;)
			place = add_step(t, place, next_index(&at));
		if (place != TIMES_ROOT)
			t->share[place] = time[i].share;
		most = time[i].share > most ? time[i].share : most;
	}
	t->top = length ? scale_end(most) : 0;
	return t;
}

void times_free(struct times *t)
{
	if (!t)
		return;
	intern_free(t->places);
	free(t->share);
	free(t);
}

uint32_t times_inside(const struct times *t, uint32_t place, uint32_t index)
{
	struct step step = {place, index};
	return place == TIMES_NOWHERE ? TIMES_NOWHERE : intern_find(t->places, &step, sizeof step);
}

uint32_t times_at(const struct times *t, const char *address)
{
	uint32_t place = TIMES_ROOT;
	while (*address)
		place = times_inside(t, place, next_index(&address));
	return place;
}

double times_share(const struct times *t, uint32_t place)
{
	return place < intern_count(t->places) ? t->share[place] : TIMES_UNKNOWN;
}

double times_add(double a, double b)
{
	return a < 0 ? b : b < 0 ? a : a + b;
}

double times_top(const struct times *t)
{
	return t->top;
}

void times_print(double share, struct text *out)
{
	double percent = 100 * share;
	if (percent > 0 && percent < 0.05)
		text_put(out, "< 0.1 %");
	else
		text_format(out, percent >= 9.95 || percent <= 0 ? "%.0f %%" : "%.1f %%", percent);
}
