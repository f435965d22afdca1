/*
 * shown_addresses.c -- where constructs are in another program of the same events: both are walked
 * side by side, and the loop that most events of a construct are in is its own (a majority vote:
 * R. S. Boyer, J S. Moore: MJRTY, 1991).
 */
#include <stdlib.h>

#include "ask/overview.h"
#include "base/mem.h"
#include "model/module_address.h"
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

/* By line: the innermost loop around it; ANALYSIS_NO_LOOP. */
static size_t *around_of(const struct overview *o)
{
	size_t *around = mem_array(o->lines + 1, sizeof *around);
	for (size_t i = 0; i < o->lines; i++)
		around[i] = overview_loop_around(o, i);
	return around;
}

struct votes {
	struct analysis *a;
	size_t *around, *shown_around;
	struct vote *construct, *loop;
	bool *seen; /* by line */
};

static void walk_process(struct votes *v, struct run *own, struct run *shown, uint32_t rank)
{
	struct cursor *x = cursor_new(own, rank), *y = cursor_new(shown, rank);
	while (cursor_next(x) && cursor_next(y)) {
		size_t at = x->line, loop = v->shown_around[y->line];
		v->seen[at] = true;
		if (v->a->construct_of[at] != ANALYSIS_NO_CONSTRUCT)
			cast(&v->construct[v->a->construct_of[at]], loop);
		if (v->around[at] != ANALYSIS_NO_LOOP)
			cast(&v->loop[v->around[at]], loop);
	}
	cursor_free(x);
	cursor_free(y);
}

void analysis_show(struct analysis *a, const struct prepared *shown)
{
	struct overview own, other;
	overview_of(&own, a->program->run);
	overview_of(&other, shown->run);
	struct votes v = {.a = a,
		.around = around_of(&own),
		.shown_around = around_of(&other),
		.construct = mem_zero((a->constructs + 1) * sizeof *v.construct),
		.loop = mem_zero((own.lines + 1) * sizeof *v.loop),
		.seen = mem_zero(own.lines + 1)};
	struct module_addresses addresses = module_addresses_of(shown->module);
	/* one process after the other, as long as they do what none before did */
	for (size_t i = 0; i < own.lines; i++)
		if (overview_is_event(&own, i) && !v.seen[i] && own.line[i].who.length)
			walk_process(&v, own.run, shown->run, overview_first(&own, i));
	a->shown = shown;
	a->shown_around = v.shown_around;
	for (size_t i = 0; i < a->constructs; i++) {
		struct analysis_construct *c = &a->construct[i];
		if (c->loop == ANALYSIS_NO_LOOP)
			continue;
		const struct vote *vote = v.construct[i].lead ? &v.construct[i] : &v.loop[c->loop];
		c->shown = vote->lead ? vote->loop : ANALYSIS_NO_LOOP;
		free(c->address);
		c->address = vote->lead ? mem_text(module_addresses_get(&addresses, c->shown)) : NULL;
	}
	module_addresses_clear(&addresses);
	overview_clear(&own);
	overview_clear(&other);
	free(v.around);
	free(v.construct);
	free(v.loop);
	free(v.seen);
}
