/*
 * measures.c -- events are counted by class where they do not depend on the process (run_count).
 */
#include "ask/measures.h"

#include <stdlib.h>

#include "ask/communication.h"
#include "ask/listing_lines.h"
#include "ask/loop_groups.h"
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
		uint64_t events = run_count(r, e, p[i].statement);
		c.events = saturating_add(c.events, events);
		if (node_of(e->store, p[i].statement)->kind != NODE_EVENT)
			c.inside = saturating_add(c.inside, events);
	}
	return c;
}

static void add_process(struct measures *s, const struct counted *c, uint32_t *everybody)
{
	*everybody += c->events > 0;
	s->events = saturating_add(s->events, c->events);
	s->in_loops = saturating_add(s->in_loops, c->inside);
	s->fewest = c->events < s->fewest ? c->events : s->fewest;
	s->most = c->events > s->most ? c->events : s->most;
}

/* everybody: how many have events. */
static bool count_events(struct run *r, struct measures *s, uint32_t *everybody, struct error *error)
{
	struct environment e = {0};
	bool alike = run_counts_by_class(r);
	struct counted *of_class = mem_zero(run_classes(r) * sizeof *of_class);
	s->fewest = s->processes ? UINT64_MAX : 0;
	for (uint32_t rank = 0; rank < s->processes && !e.failure; rank++) {
		struct counted *c = &of_class[run_class(r, rank)];
		run_start(r, rank, &e);
		if (!alike || !c->known)
			*c = count_process(r, &e);
		add_process(s, c, everybody);
	}
	free(e.index);
	free(of_class);
	return environment_good(&e, error);
}

/* ------------------------------------------------------------------ loops of several processes */

/* Processes that go through a statement together: as often, or with the same answer to its test. */
struct part {
	int64_t times;
	struct ranks ranks; /* that have events inside */
};

struct sharing {
	struct run *run;
	struct measures *measures;
	uint32_t everybody; /* how many processes have events */
	struct environment at;
	uint64_t *events; /* by process, of it */
	struct part *part;
	size_t parts, capacity;
};

static struct part *part_of(struct sharing *s, int64_t times)
{
	for (size_t i = 0; i < s->parts; i++)
		if (s->part[i].times == times)
			return &s->part[i];
	*MEM_PUSH(s->part, s->parts, s->capacity) = (struct part){.times = times};
	return &s->part[s->parts - 1];
}

/* In the environment of each process: how many events it has there. */
static void find_parts(struct sharing *s, node_id statement)
{
	const struct node *n = node_of(s->at.store, statement);
	bool differ = node_of(s->at.store, n->kid[1])->uses[FOR_ALL] & USES_PROCESS;
	struct ranks who = *run_inside(s->run, statement);
	struct ranks_walk walk = {0};
	for (uint32_t rank; !s->at.failure && ranks_next(&who, &walk, &rank);) {
		if (!run_is_inside(s->run, n->kid[2], rank))
			continue;
		run_start(s->run, rank, &s->at);
		s->events[rank] = run_count(s->run, &s->at, statement);
		if (!s->events[rank])
			continue;
		int64_t times = differ && n->kind == NODE_LOOP ? loop_trips(&s->at, statement) : 0;
		ranks_add(&part_of(s, times)->ranks, rank);
	}
}

static void add_shares(struct sharing *s, const struct part *part, const struct loop_groups *g)
{
	struct measures *m = s->measures;
	uint64_t together = ranks_count(&part->ranks);
	uint32_t *members = mem_zero((g->count + (size_t)1) * sizeof *members), rank;
	struct ranks_walk first = {0}, second = {0};
	while (g->of && ranks_next(&part->ranks, &first, &rank))
		members[g->of[rank]]++;
	while (ranks_next(&part->ranks, &second, &rank)) {
		if (g->of ? members[g->of[rank]] > 1 : together > 1)
			m->in_several = saturating_add(m->in_several, s->events[rank]);
		if (g->count == 1 && together == s->everybody)
			m->in_all = saturating_add(m->in_all, s->events[rank]);
	}
	free(members);
}

static bool share_statement(struct sharing *s, node_id statement, size_t line, struct error *error)
{
	bool good = true;
	find_parts(s, statement);
	for (size_t i = 0; i < s->parts; i++) {
		struct loop_groups g = {0};
		good = good &&
		       loop_groups_of(s->run, statement, line, s->parts > 1 ? &s->part[i].ranks : NULL, &g, error);
		if (good)
			add_shares(s, &s->part[i], &g);
		loop_groups_clear(&g);
		ranks_clear(&s->part[i].ranks);
	}
	s->parts = 0;
	return good && environment_good(&s->at, error);
}

static bool count_shares(struct run *r, struct measures *m, uint32_t everybody, struct error *error)
{
	struct sharing s = {.run = r,
		.measures = m,
		.everybody = everybody,
		.at = run_environment(r),
		.events = mem_array(m->processes, sizeof *s.events)};
	const struct module *module = run_module(r);
	const struct node *b = node_of(module->store, module->body);
	bool good = true;
	for (size_t k = 0, line = 0; k < b->kids && good; line = module_line_behind(module, line, b->kid[k++]))
		if (node_of(module->store, b->kid[k])->kind != NODE_EVENT)
			good = share_statement(&s, b->kid[k], line, error);
	free(s.at.index);
	free(s.events);
	free(s.part);
	return good;
}

/* ------------------------------------------------------------------ all together */

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
	uint32_t everybody = 0;
	*s = (struct measures){.processes = run_environment(r).processes,
		.statements = body->statements,
		.loops = body->loops,
		.depth = body->depth,
		.loops_at = mem_zero((body->depth + (size_t)1) * sizeof *s->loops_at)};
	struct module_line *line = module_statements(m);
	for (size_t i = 0; i < m->lines; i++)
		s->loops_at[line[i].loops] += node_of(m->store, line[i].node)->kind == NODE_LOOP;
	free(line);
	for (uint32_t class = 0; class < run_classes(r); class ++) {
		size_t length;
		run_projection(r, m->body, class, &length);
		s->roles += length > 0;
	}
	return count_events(r, s, &everybody, error) && count_shares(r, s, everybody, error) &&
	       listing_lines(r, &s->constructs, error) && count_traffic(r, s, error);
}

uint64_t measures_in_several(struct run *r)
{
	struct measures s = {.processes = run_environment(r).processes};
	return count_shares(r, &s, s.processes, &(struct error){0}) ? s.in_several : 0;
}

void measures_clear(struct measures *s)
{
	free(s->loops_at);
	*s = (struct measures){0};
}
