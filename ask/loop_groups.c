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
	uint64_t apart; /* joins that are missing until all are together */
	size_t visit, *seen; /* of the process at hand; by line inside, the one in which its event came first */
	size_t left; /* its events that may come to others still */
};

enum { MEETS_IN_LOOP, MEETS_IN_GROUP, MEETS_ON_CHANNEL, MEETS_PEER };

/* ------------------------------------------------------------------ joining */

/* The same in all iterations? */
static bool comes_to_one(const struct store *s, node_id event)
{
	static const enum event_column columns[] = {COLUMN_PEER, COLUMN_COMMUNICATOR, COLUMN_GROUP};
	uint64_t uses = 0;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		uses |= node_of(s, node_kid(s, event, columns[i]))->uses[FOR_ALL];
	return !(uses & USES_INDICES);
}

static void come_to_channel(struct joining *j, struct environment *e, node_id event, enum event_match match)
{
	uint32_t process = (uint32_t)e->p, side = match == MATCH_IN, channel = ends_channel(&j->ends, e, event);
	const struct channel_key *key = ends_key(&j->ends, channel);
	if (match == MATCH_GROUP)
		j->apart -= together_come(&j->together, process, MEETS_IN_GROUP, channel, 0, 0);
	else if (j->tags)
		j->apart -= together_come(&j->together, process, MEETS_ON_CHANNEL, channel, side, !side);
	else
		j->apart -= together_come(
			&j->together, process, MEETS_PEER, (uint64_t)key->from << 32 | key->to, side, !side);
}

static void add_event(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	(void)times;
	struct joining *j = context;
	enum event_match match = kind_rows[node_of(e->store, event)->sub].match;
	uint32_t process = (uint32_t)e->p;
	size_t *seen = &j->seen[line - j->line];
	if (*seen && *seen != j->visit)
		return;
	j->left -= !*seen && comes_to_one(e->store, event);
	*seen = j->visit;
	j->inside[process] = true;
	for (size_t i = 0; i < j->wholes; i += 2)
		if (line >= j->whole[i] && line < j->whole[i + 1])
			j->apart -= together_come(&j->together, process, MEETS_IN_LOOP, j->whole[i], 0, 0);
	if (match != MATCH_NONE)
		come_to_channel(j, e, event, match);
	if (!j->left || !j->apart) /* that is enough: ends the walk */
		e->failure = FAILURE_STEPS;
}

/* Of each event, the first time that the process comes to the loop and to it: others are the same,
   but for peers. */
static void add_process(void *context, struct environment *e, node_id statement, size_t line, uint64_t times)
{
	struct joining *j = context;
	j->visit++;
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

static size_t events_of_class(struct run *r, node_id statement, uint32_t class)
{
	const struct store *s = run_module(r)->store;
	const struct node *n = node_of(s, statement);
	size_t length, events = 0;
	if (n->kind == NODE_EVENT)
		return 1;
	const struct projected *p = run_projection(r, n->kid[2], class, &length);
	for (size_t i = 0; i < length; i++)
		events += events_of_class(r, p[i].statement, class);
	return events;
}

static bool join_all(struct joining *j, node_id statement, const struct ranks *among, struct error *error)
{
	const struct node *n = node_of(run_module(j->run)->store, statement);
	struct ranks_walk walk = {0};
	struct environment e = run_environment(j->run);
	struct ranks who = run_who(j->run, &e, n->kid[0], among);
	j->apart = ranks_count(&who) - 1;
	size_t events = 0;
	for (uint32_t rank, class = UINT32_MAX; j->apart && !e.failure && ranks_next(&who, &walk, &rank);) {
		if (class != run_class(j->run, rank))
			events = events_of_class(j->run, statement, class = run_class(j->run, rank));
		j->visit = 0;
		j->left = events;
		memset(j->seen, 0, n->lines * sizeof *j->seen);
		run_start(j->run, rank, &e);
		if (j->left)
			run_each(j->run, &e, FOR_PEER, &j->line, add_process, j);
		if (!j->left || !j->apart)
			e.failure = FAILURE_NONE;
	}
	free(e.index);
	ranks_clear(&who);
	return environment_good(&e, error);
}

bool loop_groups_of(struct run *r, node_id statement, size_t line, const struct ranks *among, struct loop_groups *g,
	struct error *error)
{
	const struct module *m = run_module(r);
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
		.seen = mem_array(n->lines, sizeof *j.seen),
		.tags = true};
	look_inside(&j, m->store, n->kid[2], line + 1, n->kind == NODE_LOOP);
	bool good = join_all(&j, statement, among, error);
	g->of = mem_array(processes, sizeof *g->of);
	g->count = together_number(&j.together, j.inside, g->of);
	if (!good || g->count < 2) {
		free(g->of);
		g->of = NULL;
	}
	ends_clear(&j.ends);
	free(j.inside);
	free(j.seen);
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

static void print_groups(const struct run *r, const struct loop_groups *g, struct text *out)
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

static void note_loops(struct loop_remarks *r, const struct inlined_line *line)
{
	struct module_line *line_of = module_statements(r->flat);
	for (size_t place = 0; place < r->flat->lines; place++) {
		const struct node *n = node_of(r->flat->store, line_of[place].node);
		size_t *first = &r->place[line[place].line];
		if (n->kind != NODE_EVENT && n->kid[0] && *first == SIZE_MAX &&
			!looks_up_peers(r->flat->store, n->kid[2]))
			*first = place;
	}
	free(line_of);
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
		note_loops(r, line);
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
	if (r->place[line] == SIZE_MAX)
		return;
	node_id loop = module_at(r->flat, r->place[line]).statement;
	if (!loop_groups_of(r->run, loop, r->place[line], NULL, &g, &ignored))
		return;
	text_put(out, g.count > 1 ? " // " : "");
	print_groups(r->run, &g, out);
	loop_groups_clear(&g);
}

struct module_remarks loop_remarks(const struct loop_remarks *r)
{
	return (struct module_remarks){.context = r, .behind = remark};
}

void loop_remarks_print(const struct module *m, struct output *out)
{
	struct loop_remarks *r = loop_remarks_new(m);
	struct module_remarks remarks = loop_remarks(r);
	module_print(m, &remarks, out);
	loop_remarks_free(r);
}
