/*
 * measures.c -- events are counted by class where they do not depend on the process (run_count).
 */
#include "ask/measures.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/communication.h"
#include "base/mem.h"
#include "base/saturate.h"

/* Of one process. */
struct counted {
	uint64_t events, inside; /* ... of loops and guards */
	bool known;
};

static struct counted count_process(struct run *r, struct environment *e)
{
	uint32_t class = run_class(r, (uint32_t)e->p);
	size_t length;
	const struct projected *p = run_projection(r, run_module(r)->body, class, &length);
	struct counted c = {.known = true};
	for (size_t i = 0; i < length && !e->failure; i++) {
		uint64_t events = run_count(r, e, p[i].statement, class);
		c.events = saturating_add(c.events, events);
		if (node_of(e->store, p[i].statement)->kind != NODE_EVENT)
			c.inside = saturating_add(c.inside, events);
	}
	return c;
}

static void add_process(struct measures *s, const struct counted *c)
{
	s->events = saturating_add(s->events, c->events);
	s->in_loops = saturating_add(s->in_loops, c->inside);
	s->fewest = c->events < s->fewest ? c->events : s->fewest;
	s->most = c->events > s->most ? c->events : s->most;
}

static bool count_events(struct run *r, struct measures *s, struct error *error)
{
	struct environment e = run_environment(r);
	bool differ = node_of(e.store, run_module(r)->body)->uses[FOR_COUNT] & USES_PROCESS;
	int64_t *index = mem_array(run_depth(r), sizeof *index);
	struct counted *of_class = mem_zero(run_classes(r) * sizeof *of_class);
	enum failure failure = run_failure(r);
	s->fewest = s->processes ? UINT64_MAX : 0;
	for (uint32_t rank = 0; rank < s->processes && !failure; rank++) {
		struct counted *c = &of_class[run_class(r, rank)];
		environment_set(&e, rank);
		e.index = index;
		if (differ || !c->known)
			*c = count_process(r, &e);
		add_process(s, c);
		failure = e.failure;
	}
	free(index);
	free(of_class);
	return !failure || error_set(error, ERROR_INCONSISTENT, "process %" PRId64 ": %s", e.p, failure_text(failure));
}

static bool count_traffic(struct run *r, struct measures *s, struct error *error)
{
	struct communication_part part = {.whole = true, .totals = true, .sizes = true};
	struct communication *x = communication_new(r, &part, error);
	if (!x)
		return false;
	s->sent = x->sent;
	s->sized = x->sized;
	s->bytes = x->bytes;
	communication_free(x);
	return true;
}

bool measures_of(struct run *r, struct measures *s, struct error *error)
{
	const struct module *m = run_module(r);
	const struct node *body = node_of(m->store, m->body);
	*s = (struct measures){.processes = run_environment(r).processes,
		.statements = body->statements,
		.loops = body->loops,
		.depth = body->depth};
	for (uint32_t class = 0; class < run_classes(r); class ++) {
		size_t length;
		run_projection(r, m->body, class, &length);
		s->roles += length > 0;
	}
	return count_events(r, s, error) && count_traffic(r, s, error);
}
