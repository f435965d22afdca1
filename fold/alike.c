/*
 * alike.c -- processes grouped by what they do in a body, and the forms of each place counted.
 */
#include "fold/alike.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* What a process does in the body: processes with equal sketches do alike, but for peers and
   numbers. */
struct sketch {
	uint64_t hash;
	uint32_t process;
	size_t first, past; /* its constructs, in `place` */
};

struct count {
	uint32_t form, processes;
};

struct agreement {
	const struct model *model;
	const struct forms *forms;
	struct body body;
	const struct schedule *schedule;
	uint32_t *form; /* by construct */
	struct sketch *sketch; /* of processes that have constructs */
	size_t sketches;
	uint32_t *place; /* constructs, by process */
	struct count *count; /* scratch: forms of one place */
	size_t counts, count_capacity;
};

static bool has_others(const struct agreement *x, uint32_t construct)
{
	node n = x->body.node[construct];
	return !node_is_loop(n) && x->forms->first_other[n + 1] > x->forms->first_other[n];
}

static bool any_has_others(const struct agreement *x)
{
	for (uint32_t c = 0; c < x->body.length; c++)
		if (has_others(x, c))
			return true;
	return false;
}

/* ------------------------------------------------------------------ sketches */

static int by_hash(const void *a, const void *b)
{
	const struct sketch *x = a, *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

static bool are_alike(const struct sketch *x, const struct sketch *y)
{
	return x->hash == y->hash && x->past - x->first == y->past - y->first;
}

static uint64_t sketch_of(const struct agreement *x, uint32_t construct)
{
	node n = x->body.node[construct];
	uint32_t shape = x->schedule->construct[construct].shape;
	if (node_is_loop(n))
		return hash_pair(1, shape);
	const struct event *e = dictionary_get_event(x->model->dictionary, n);
	if (e->kind != EVENT_SEND && e->kind != EVENT_RECV)
		return hash_pair(1, shape);
	return hash_pair(2 + e->kind, dictionary_get_tag(x->model->dictionary, e->subject)->stem);
}

/* Sorted, so that those that do alike stand together. */
static void make_sketches(struct agreement *x)
{
	const struct schedule *s = x->schedule;
	uint32_t limit = x->model->processes;
	struct sketch *all = mem_zero(limit * sizeof *all);
	for (size_t i = 0; i < s->processes; i++)
		all[s->process[i]].past++;
	size_t first = 0;
	for (uint32_t p = 0; p < limit; p++) {
		size_t length = all[p].past;
		all[p] = (struct sketch){0, p, first, first};
		first += length;
	}
	x->place = mem_array(s->processes, sizeof *x->place);
	for (uint32_t c = 0; c < s->constructs; c++)
		for (size_t i = 0; i < s->construct[c].processes; i++) {
			struct sketch *k = &all[s->process[s->construct[c].first_process + i]];
			k->hash = hash_pair(k->hash, sketch_of(x, c));
			x->place[k->past++] = c;
		}
	for (uint32_t p = 0; p < limit; p++)
		if (all[p].past > all[p].first)
			all[x->sketches++] = all[p];
	x->sketch = all;
	qsort(all, x->sketches, sizeof *all, by_hash);
}

/* ------------------------------------------------------------------ places */

static uint32_t *count_of(struct agreement *x, uint32_t form)
{
	for (size_t i = 0; i < x->counts; i++)
		if (x->count[i].form == form)
			return &x->count[i].processes;
	x->count = mem_grow(x->count, &x->count_capacity, x->counts + 1, sizeof *x->count);
	x->count[x->counts] = (struct count){form, 0};
	return &x->count[x->counts++].processes;
}

/* The k-th constructs of processes that do alike. */
static void choose_place(struct agreement *x, const struct sketch *alike, size_t processes, size_t k)
{
	const struct forms *f = x->forms;
	x->counts = 0;
	for (size_t i = 0; i < processes; i++) {
		node n = x->body.node[x->place[alike[i].first + k]];
		++*count_of(x, f->of[n]);
		for (size_t j = f->first_other[n]; j < f->first_other[n + 1]; j++)
			++*count_of(x, f->other[j]);
	}
	for (size_t i = 0; i < processes; i++) {
		uint32_t c = x->place[alike[i].first + k], n = x->body.node[c], most = *count_of(x, f->of[n]);
		x->form[c] = f->of[n];
		for (size_t j = f->first_other[n]; j < f->first_other[n + 1]; j++)
			if (*count_of(x, f->other[j]) > most) {
				x->form[c] = f->other[j];
				most = *count_of(x, f->other[j]);
			}
	}
}

static bool is_open(const struct agreement *x, const struct sketch *alike, size_t processes, size_t k)
{
	for (size_t i = 0; i < processes; i++)
		if (has_others(x, x->place[alike[i].first + k]))
			return true;
	return false;
}

void alike_choose(const struct model *m, const struct forms *forms, struct body body, const struct schedule *schedule,
	uint32_t *form)
{
	struct agreement x = {.model = m, .forms = forms, .body = body, .schedule = schedule, .form = form};
	if (!any_has_others(&x))
		return;
	make_sketches(&x);
	for (size_t from = 0, to; from < x.sketches; from = to) {
		for (to = from; to < x.sketches && are_alike(&x.sketch[from], &x.sketch[to]);)
			to++;
		size_t length = x.sketch[from].past - x.sketch[from].first;
		for (size_t k = 0; k < length && to - from > 1; k++)
			if (is_open(&x, x.sketch + from, to - from, k))
				choose_place(&x, x.sketch + from, to - from, k);
	}
	free(x.count);
	free(x.sketch);
	free(x.place);
}
