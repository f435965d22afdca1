/*
 * loop_groups.c -- processes joined by what they pass on: members of a collective, both ends of a
 * channel.
 */
#include "ask/loop_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ends.h"
#include "base/mem.h"
#include "model/module_address.h"
#include "model/module_parts.h"

struct joining {
	struct run *run;
	size_t line;
	struct ends ends;
	struct together together;
	bool *inside; /* by process: has it events? */
	bool tags; /* do they tell channels apart? Not where they are functions of indices */
	size_t *whole, wholes, whole_capacity; /* loops over no set that the event at hand is in: from, and behind */
};

enum { MEETS_IN_LOOP, MEETS_IN_GROUP, MEETS_ON_CHANNEL, MEETS_PEER };

/* ------------------------------------------------------------------ joining */

static void add_event(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	(void)times;
	struct joining *j = context;
	enum event_match match = kind_rows[node_of(e->store, event)->sub].match;
	uint32_t process = (uint32_t)e->p, side = match == MATCH_IN;
	j->inside[process] = true;
	for (size_t i = 0; i < j->wholes; i += 2)
		if (line >= j->whole[i] && line < j->whole[i + 1])
			together_come(&j->together, process, MEETS_IN_LOOP, j->whole[i], 0, 0);
	if (match == MATCH_NONE)
		return;
	uint32_t channel = ends_channel(&j->ends, e, event);
	const struct channel_key *key = ends_key(&j->ends, channel);
	if (match == MATCH_GROUP)
		together_come(&j->together, process, MEETS_IN_GROUP, channel, 0, 0);
	else if (j->tags)
		together_come(&j->together, process, MEETS_ON_CHANNEL, channel, side, !side);
	else
		together_come(&j->together, process, MEETS_PEER, (uint64_t)key->from << 32 | key->to, side, !side);
}

/* The first time that the process has events inside: others are the same, but for peers. */
static void add_process(void *context, struct environment *e, node_id statement, size_t line, uint64_t times)
{
	struct joining *j = context;
	if (!j->inside[e->p])
		run_each_of(j->run, e, statement, line, FOR_PEER, times, add_event, j);
}

/* ------------------------------------------------------------------ what is inside */

/* Loops over no set, and whether a tag is a function of the index of one of the `depth` loops
   around it that are inside. */
static void look_inside(struct joining *j, const struct store *s, node_id body, size_t line, uint32_t depth)
{
	const struct node *b = node_of(s, body);
	for (uint32_t i = 0; i < b->kids; i++) {
		const struct node *n = node_of(s, b->kid[i]);
		if (n->kind == NODE_EVENT) {
			uint64_t uses = node_of(s, n->kid[COLUMN_TAG])->uses[FOR_ALL];
			for (uint32_t k = 0; k < depth; k++)
				j->tags = j->tags && !(uses & USES_INDEX(k));
		} else if (n->kind == NODE_LOOP || n->kind == NODE_GUARD) {
			if (n->kind == NODE_LOOP && !n->kid[0]) {
				*MEM_PUSH(j->whole, j->wholes, j->whole_capacity) = line;
				*MEM_PUSH(j->whole, j->wholes, j->whole_capacity) = line + n->lines;
			}
			look_inside(j, s, n->kid[2], line + 1, depth + (n->kind == NODE_LOOP));
		}
		line += n->lines;
	}
}

/* Over no set, over one process, or as often as each process says: one. */
static bool is_one(struct run *r, const struct node *statement, const struct ranks *among)
{
	const struct store *s = run_module(r)->store;
	const struct node *domain = node_of(s, statement->kid[0]);
	if (among)
		return ranks_count(among) == 1;
	bool alone = domain->kind == NODE_RANKS && ranks_count(store_get_ranks(s, (uint32_t)domain->number)) == 1;
	return !statement->kid[0] || alone || node_of(s, statement->kid[1])->uses[FOR_ALL] & USES_PROCESS;
}

static bool join_all(struct joining *j, node_id domain, const struct ranks *among, struct error *error)
{
	uint32_t processes = run_environment(j->run).processes;
	struct environment e = {0};
	for (uint32_t rank = 0; rank < processes; rank++) {
		run_start(j->run, rank, &e);
		if (run_has(j->run, domain, rank) && (!among || ranks_has(among, rank)) &&
			!run_each(j->run, &e, FOR_PEER, &j->line, add_process, j))
			break;
		e.failure = FAILURE_NONE;
	}
	free(e.index);
	return environment_good(&e, error);
}

bool loop_groups_of(struct run *r, size_t line, const struct ranks *among, struct loop_groups *g, struct error *error)
{
	const struct module *m = run_module(r);
	node_id statement = module_at(m, line).statement;
	const struct node *n = node_of(m->store, statement);
	*g = (struct loop_groups){.count = 1};
	if ((n->kind != NODE_LOOP && n->kind != NODE_GUARD) || is_one(r, n, among))
		return true;
	uint32_t processes = run_environment(r).processes;
	struct joining j = {.run = r,
		.line = line,
		.ends = ends_new(r),
		.together = together_new(processes),
		.inside = mem_zero(processes),
		.tags = true};
	look_inside(&j, m->store, n->kid[2], line + 1, n->kind == NODE_LOOP);
	bool good = join_all(&j, n->kid[0], among, error);
	g->of = mem_array(processes, sizeof *g->of);
	g->count = together_number(&j.together, j.inside, g->of);
	if (!good || g->count < 2) {
		free(g->of);
		g->of = NULL;
	}
	ends_clear(&j.ends);
	free(j.inside);
	free(j.whole);
	return good;
}

void loop_groups_clear(struct loop_groups *g)
{
	free(g->of);
	*g = (struct loop_groups){0};
}

/* ------------------------------------------------------------------ as a remark */

/* So many groups are told one by one; of more, the first ones. */
enum { TOLD = 4, TOLD_OF_MORE = 2 };

/* In brackets where it has commas of its own. */
static void put_set(const struct ranks *set, struct text *out)
{
	struct text words = {0};
	ranks_print_short(set, &words);
	text_format(out, strchr(words.data, ',') ? "[%s]" : "%s", words.data);
	text_clear(&words);
}

void loop_groups_print(const struct run *r, const struct loop_groups *g, struct text *out)
{
	uint32_t told = g->count <= TOLD ? g->count : TOLD_OF_MORE, processes = run_environment(r).processes;
	if (g->count < 2)
		return;
	struct ranks member[TOLD] = {0};
	for (uint32_t p = 0; p < processes; p++)
		if (g->of[p] < told)
			ranks_add(&member[g->of[p]], p);
	text_format(out, "%" PRIu32 " side by side: ", g->count);
	for (uint32_t i = 0; i < told; i++) {
		text_put(out, i ? ", " : "");
		put_set(&member[i], out);
		ranks_clear(&member[i]);
	}
	text_put(out, told < g->count ? ", ..." : "");
}

struct loop_remarks {
	struct module *flat; /* without calls */
	struct run *run; /* of that one */
	size_t *place; /* by line of the module its first one there, of loops that may be several; else SIZE_MAX */
};

/* Where tables tell each process its peers, and each has its own, there is nothing to be seen side
   by side. */
static bool looks_up_peers(const struct store *s, node_id body)
{
	const struct node *b = node_of(s, body);
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *n = node_of(s, b->kid[k]);
		if (n->kind == NODE_EVENT
				? node_of(s, n->kid[COLUMN_PEER])->looks || node_of(s, n->kid[COLUMN_ROOT])->looks
				: looks_up_peers(s, n->kid[2]))
			return true;
	}
	return false;
}

static void note_loops(struct loop_remarks *r, const struct inlined_line *line, node_id body, size_t place)
{
	const struct store *s = r->flat->store;
	const struct node *b = node_of(s, body);
	for (uint32_t k = 0; k < b->kids; place = module_line_behind(r->flat, place, b->kid[k++])) {
		const struct node *n = node_of(s, b->kid[k]);
		size_t *first = &r->place[line[place].line];
		if (n->kind == NODE_EVENT)
			continue;
		if (n->kid[0] && *first == SIZE_MAX && !looks_up_peers(s, n->kid[2]))
			*first = place;
		note_loops(r, line, n->kid[2], place + 1);
	}
}

struct loop_remarks *loop_remarks_new(const struct module *m)
{
	struct inlined_line *line, wrong;
	struct error ignored;
	node_id body = module_inlined(m, &line, &wrong, &ignored);
	struct loop_remarks *r = mem_zero(sizeof *r);
	r->place = mem_array(m->lines + 1, sizeof *r->place);
	memset(r->place, 0xff, (m->lines + 1) * sizeof *r->place);
	if (body) {
		r->flat = module_with(m, body, line, &line);
		r->run = run_new(r->flat, NULL);
		note_loops(r, line, body, 0);
	}
	free(line);
	return r;
}

void loop_remarks_free(struct loop_remarks *r)
{
	if (!r)
		return;
	run_free(r->run);
	module_free(r->flat);
	free(r->place);
	free(r);
}

static void remark(const void *remarks, size_t line, struct text *out)
{
	const struct loop_remarks *r = remarks;
	struct loop_groups g;
	struct error ignored;
	if (r->place[line] == SIZE_MAX || !loop_groups_of(r->run, r->place[line], NULL, &g, &ignored))
		return;
	text_put(out, g.count > 1 ? " // " : "");
	loop_groups_print(r->run, &g, out);
	loop_groups_clear(&g);
}

struct module_remarks loop_remarks(const struct loop_remarks *r)
{
	return (struct module_remarks){.context = r, .behind = remark};
}
