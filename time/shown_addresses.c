/*
 * shown_addresses.c -- where constructs are in another program of the same events: both are walked
 * side by side, and the loop that most events of a construct are in is its own (a majority vote:
 * R. S. Boyer, J S. Moore: MJRTY, 1991).
 */
#include <stdlib.h>

#include "base/mem.h"
#include "model/program_nodes.h"
#include "time/analysis.h"

struct vote {
	size_t loop;
	uint64_t lead;
};

static void cast(struct vote *v, size_t loop)
{
	if (loop == ANALYSIS_NO_LOOP)
		return;
	if (!v->lead)
		v->loop = loop;
	v->lead += v->loop == loop ? 1 : UINT64_MAX;
}

/* By statement: the innermost loop around it; guards are none. */
static void note_around(const struct program *p, size_t from, size_t to, size_t loop, size_t *around)
{
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		around[i] = loop;
		if (statement_is_loop(s))
			note_around(p, i + 1, i + s->size, statement_guard(s) == GUARD_NONE ? i : loop, around);
	}
}

static size_t *around_of(const struct program *p)
{
	size_t *around = mem_array(p->length + 1, sizeof *around);
	note_around(p, 0, p->length, ANALYSIS_NO_LOOP, around);
	return around;
}

struct votes {
	struct analysis *a;
	size_t *around, *shown_around;
	struct vote *construct, *loop;
	bool *seen; /* by statement */
};

static void walk_process(
	struct votes *v, const struct program_nodes *own, const struct program_nodes *shown, uint32_t rank)
{
	struct cursor *x = cursor_new(own->run, rank), *y = cursor_new(shown->run, rank);
	while (cursor_next(x) && cursor_next(y)) {
		size_t at = own->statement[x->line], loop = v->shown_around[shown->statement[y->line]];
		v->seen[at] = true;
		if (v->a->construct_of[at] != ANALYSIS_NO_CONSTRUCT)
			cast(&v->construct[v->a->construct_of[at]], loop);
		if (v->around[at] != ANALYSIS_NO_LOOP)
			cast(&v->loop[v->around[at]], loop);
	}
	cursor_free(x);
	cursor_free(y);
}

/* One process after the other, as long as they do what none before did. */
static void walk_all(struct votes *v, struct program *shown)
{
	const struct program *program = v->a->program;
	struct error unread; /* both were read */
	const struct program_nodes *own = program_nodes(program, &unread), *other = program_nodes(shown, &unread);
	for (size_t i = 0; i < program->length && own && other; i++) {
		if (statement_is_loop(&program->statement[i]) || v->seen[i])
			continue;
		struct ranks_run single;
		struct ranks ranks = program_processes(program, &program->statement[i], &single);
		struct ranks_walk walk = {0};
		uint32_t rank;
		if (ranks_next(&ranks, &walk, &rank))
			walk_process(v, own, other, rank);
	}
}

void analysis_show(struct analysis *a, struct program *shown)
{
	size_t n = a->program->length + 1;
	struct votes v = {.a = a,
		.around = around_of(a->program),
		.shown_around = around_of(shown),
		.construct = mem_zero((a->constructs + 1) * sizeof *v.construct),
		.loop = mem_zero(n * sizeof *v.loop),
		.seen = mem_zero(n)};
	struct addresses addresses = addresses_of(shown);
	walk_all(&v, shown);
	a->shown = shown;
	a->shown_around = v.shown_around;
	for (size_t i = 0; i < a->constructs; i++) {
		struct analysis_construct *c = &a->construct[i];
		if (c->loop == ANALYSIS_NO_LOOP)
			continue;
		const struct vote *vote = v.construct[i].lead ? &v.construct[i] : &v.loop[c->loop];
		c->shown = vote->lead ? vote->loop : ANALYSIS_NO_LOOP;
		free(c->address);
		c->address = vote->lead ? mem_text(addresses_get(&addresses, c->shown)) : NULL;
	}
	addresses_clear(&addresses);
	free(v.around);
	free(v.construct);
	free(v.loop);
	free(v.seen);
}
