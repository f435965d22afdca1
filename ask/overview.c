/*
 * overview.c -- one way through the nodes.
 */
#include "ask/overview.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ------------------------------------------------------------------ what statements say */

bool overview_is_kind(const struct overview *o, size_t at, enum event_kind kind)
{
	const struct node *n = overview_node(o, at);
	return n->kind == NODE_EVENT && n->sub == kind;
}

enum event_match overview_match(const struct overview *o, size_t at)
{
	const struct node *n = overview_node(o, at);
	return n->kind == NODE_EVENT ? kind_rows[n->sub].match : MATCH_NONE;
}

bool overview_is_call(const struct overview *o, size_t at)
{
	return overview_node(o, at)->kind == NODE_EVENT && kind_is_call(overview_node(o, at)->sub);
}

const char *overview_word(const struct overview *o, size_t at)
{
	return store_get_word(o->store, overview_node(o, at)->word);
}

static const struct node *attribute(const struct overview *o, size_t at, const char *name)
{
	uint32_t word = store_word(o->module->store, name, strlen(name));
	node_id a = overview_is_event(o, at) ? event_attribute(o->store, overview_node(o, at), word) : NODE_NONE;
	return a ? node_of(o->store, a) : NULL;
}

bool overview_has(const struct overview *o, size_t at, const char *name)
{
	return attribute(o, at, name);
}

const char *overview_attribute_word(const struct overview *o, size_t at, const char *name)
{
	const struct node *a = attribute(o, at, name);
	const struct node *word = a && a->kid[1] ? node_of(o->store, a->kid[1]) : NULL;
	return word && word->kind == NODE_WORD ? store_get_word(o->store, word->word) : "";
}

node_id overview_attribute(const struct overview *o, size_t at, const char *name)
{
	const struct node *a = attribute(o, at, name);
	return a && !a->kid[1] ? a->kid[0] : NODE_NONE;
}

bool overview_is_guarded(const struct overview *o, size_t at)
{
	return overview_is_event(o, at) && !event_always_happens(o->store, o->line[at].node);
}

bool overview_trips(const struct overview *o, size_t loop, uint64_t *trips)
{
	int64_t last;
	bool same = number_is_constant(o->store, overview_node(o, loop)->kid[1], &last);
	*trips = same && last >= 0 ? (uint64_t)last + 1 : 0;
	return same;
}

/* ------------------------------------------------------------------ all of them */

static bool is_told(const struct overview *o, size_t at)
{
	return overview_node(o, at)->kid[0] != NODE_NONE;
}

/* Who executes the loops around. */
static const struct ranks *who_around(const struct overview *o, size_t at)
{
	do
		at = o->line[at].around;
	while (at != OVERVIEW_NONE && !is_told(o, at));
	return at == OVERVIEW_NONE ? &o->all : &o->line[at].who;
}

/* From the inside out: of a loop of no iterations nobody, of what does not say, those inside. */
static void find_inside(struct overview *o)
{
	for (size_t at = o->lines; at-- > 0;) {
		struct overview_line *line = &o->line[at];
		uint64_t trips;
		if (overview_is_loop(o, at) && overview_trips(o, at, &trips) && !trips)
			ranks_clear(&line->who);
		if (line->around != OVERVIEW_NONE && !is_told(o, line->around))
			ranks_join(&o->line[line->around].who, &line->who);
	}
}

void overview_of(struct overview *o, struct run *run)
{
	const struct module *m = run_module(run);
	struct module_line *text = module_statements(m);
	*o = (struct overview){.run = run, .module = m, .store = m->store, .lines = m->lines};
	o->line = mem_zero((o->lines + 1) * sizeof *o->line);
	o->all = *run_processes(run, NODE_NONE);
	for (size_t at = 0; at < o->lines; at++) {
		o->line[at] = (struct overview_line){.node = text[at].node,
			.end = module_line_behind(m, at, text[at].node),
			.around = text[at].around,
			.loops = text[at].loops};
		const struct ranks *told = is_told(o, at) ? run_ranks(run, overview_node(o, at)->kid[0]) : NULL;
		if (is_told(o, at))
			ranks_copy(&o->line[at].who, told ? told : who_around(o, at));
	}
	find_inside(o);
	free(text);
}

void overview_clear(struct overview *o)
{
	for (size_t i = 0; i < o->lines; i++)
		ranks_clear(&o->line[i].who);
	free(o->line);
}

size_t overview_loop_around(const struct overview *o, size_t at)
{
	size_t loop = o->line[at].around;
	while (loop != OVERVIEW_NONE && !overview_is_loop(o, loop))
		loop = o->line[loop].around;
	return loop;
}

/* ------------------------------------------------------------------ what numbers come to */

/* Gives how many loops are around. */
static uint32_t find_tops(struct ranges *r, const struct overview *o, size_t at, int64_t *top)
{
	struct range last;
	size_t around = o->line[at].around;
	if (around == OVERVIEW_NONE)
		return 0;
	uint32_t depth = find_tops(r, o, around, top);
	if (!overview_is_loop(o, around))
		return depth;
	r->depth = depth;
	top[depth] = !number_range(r, overview_node(o, around)->kid[1], &last) ? INT64_MAX
		     : last.high < 0                                           ? 0
									       : last.high;
	return depth + 1;
}

bool overview_range(const struct overview *o, size_t at, node_id number, struct range *to)
{
	int64_t *top = mem_array(o->line[at].loops + (size_t)1, sizeof *top);
	struct ranges r = {.at = run_environment(o->run), .top = top, .lax = true};
	environment_set(&r.at, 0);
	r.last = o->module->processes ? o->module->processes - 1 : 0;
	r.depth = find_tops(&r, o, at, top);
	bool good = number_range(&r, number, to);
	free(top);
	return good;
}

void overview_start(const struct overview *o, size_t at, uint32_t rank, struct environment *e)
{
	run_start(o->run, rank, e);
	e->depth = o->line[at].loops;
	memset(e->index, 0, e->depth * sizeof *e->index);
}
