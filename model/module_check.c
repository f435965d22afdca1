/*
 * module_check.c -- what numbers come to, wherever they are asked for; and how many events there
 * are.
 *
 * It is asked of the program without calls, which is walked once for each class of processes
 * (model/run.h). A number is proven by its range (model/number_range.h): for all processes of the
 * class at once, else for each, for all indices. Where that does not suffice, most often for rows
 * of tables of unequal lengths, iterations that make a difference are gone through, within
 * CHECK_STEPS; a text for which these do not suffice is refused. Told is what is wrong first in the
 * text.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/module_read.h"
#include "model/number_range.h"
#include "model/run.h"

/* Statements that are gone through one by one; numbers and rows that are looked at for a process
   alone, beside some for each process of each statement, up to the second limit; statements that are
   gone through to count events. Seconds. */
#define CHECK_STEPS (UINT64_C(1) << 26)
#define CHECK_STEPS_OF_TEXT (UINT64_C(1) << 28)
#define EVENTS_STEPS (UINT64_C(1) << 27)

struct check {
	struct module flat; /* borrows all but its body */
	const struct store *s;
	struct run *run;
	uint32_t processes;
	uint32_t *next; /* by process: the next one of its class; UINT32_MAX: none */
	struct error *error;
	struct ranges ranges;
	int64_t *top, *index; /* by loop around; of who proves, of who tries */
	struct ranks every;
	uint32_t first; /* process of the class; */
	int64_t least, most; /* ... and those that may execute the statement */
	const struct ranks *around; /* who executes the loop around it */
	node_id *path; /* loops and guards around it, the outermost first */
	size_t paths;
	bool *differs; /* by loop around: what is to be tried differs with its index */
	uint32_t open; /* numbers of the statement that are to be tried, by place among its kids */
	uint64_t steps; /* left */
	size_t wrong; /* the first line; SIZE_MAX: none */
};

/* Unless something before it is wrong, too. */
#define refuse(c, at, ...)                                                                                             \
	((at) < (c)->wrong ? ((c)->wrong = (at), error_set((c)->error, ERROR_INPUT, __VA_ARGS__)) : false)

static const struct ranks *ranks_of(const struct check *c, node_id domain, const struct ranks *around)
{
	const struct node *d = node_of(c->s, domain);
	return d->kind == NODE_ALL                              ? &c->every
	       : d->kind == NODE_RANKS || d->kind == NODE_WHERE ? run_ranks(c->run, domain)
								: around;
}

/* ------------------------------------------------------------------ whatever numbers come to */

static void check_within(
	struct check *c, size_t line, const struct ranks *these, const struct ranks *those, const char *what)
{
	struct ranks beyond = {0};
	if (these == those || ranks_within(these, those))
		return;
	ranks_subtract(&beyond, these, those);
	refuse(c, line, "process %" PRIu32 " %s", beyond.run->first, what);
	ranks_clear(&beyond);
}

/* Does a communicator part the processes alike, whatever the indices? */
static bool tells_groups(const struct store *s, node_id communicator)
{
	const struct node *n = node_of(s, communicator);
	bool good = true;
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *f = node_of(s, node_kid(s, n->kid[i], 0));
		good = good && (f->kind == NODE_VARIABLE || !(f->uses[FOR_ALL] & USES_INDICES));
	}
	return good;
}

static void check_columns(struct check *c, const struct node *event, size_t line, const struct ranks *who)
{
	const struct node *domain = node_of(c->s, event->kid[COLUMN_WHO]);
	const struct node *group = node_of(c->s, event->kid[COLUMN_GROUP]);
	for (uint32_t k = COLUMN_WHO + 1; k < COLUMNS; k++)
		if (domain->sub && k != COLUMN_GROUP && node_of(c->s, event->kid[k])->uses[FOR_ALL] & USES_PROCESS)
			refuse(c, line, "in a statement without a set, only indices may stand in braces");
	if (group->kind == NODE_LINE && group->uses[FOR_ALL] & USES_INDICES)
		refuse(c, line,
			"an index may not stand in a group, only in tags, peers, roots, communicators and bounds");
	if (group->kind == NODE_BY_COMMUNICATOR && !tells_groups(c->s, event->kid[COLUMN_COMMUNICATOR]))
		refuse(c, line, "a communicator tells groups that depend on indices");
	if (group->kind == NODE_RANKS && domain->kind != NODE_NAMED)
		check_within(c, line, who, store_get_ranks(c->s, (uint32_t)group->number),
			"is not in the group of its sync");
}

/* Which condition is it that does not come out? */
static void check_where(struct check *c, size_t line, node_id domain)
{
	struct environment e = run_environment(c->run);
	struct ranks holds = {0};
	if (!e.failure || node_of(c->s, domain)->kind != NODE_WHERE)
		return;
	e.failure = FAILURE_NONE;
	if (!domain_holds(&e, domain, &holds))
		refuse(c, line, "%s", failure_text(e.failure));
	ranks_clear(&holds);
}

static void check_bound(struct check *c, size_t line, node_id last)
{
	struct environment e = run_environment(c->run);
	if (node_of(c->s, last)->uses[FOR_ALL] & ~USES_EXTENTS)
		return;
	e.failure = FAILURE_NONE;
	int64_t number = number_at(&e, last);
	if (!e.failure && number < -1)
		refuse(c, line, "the loop from 0 to %" PRId64 " runs backwards (0 to -1 would be no iterations)",
			number);
}

static void check_domains(struct check *c, node_id body, size_t line, const struct ranks *around)
{
	const struct node *b = node_of(c->s, body);
	for (uint32_t k = 0; k < b->kids && line < c->wrong; k++) {
		const struct node *s = node_of(c->s, b->kid[k]);
		const struct ranks *who = ranks_of(c, s->kid[0], around);
		check_where(c, line, s->kid[0]);
		check_within(c, line, who, around, "executes this statement, but not the loop around it");
		if (s->kind == NODE_LOOP)
			check_bound(c, line, s->kid[1]);
		if (s->kind == NODE_EVENT)
			check_columns(c, s, line, who);
		else
			check_domains(c, s->kid[2], line + 1, who);
		line += s->lines;
	}
}

/* ------------------------------------------------------------------ the numbers of a statement */

/* Of an event by place among its kids; of a loop how often, of a guard what it asks for. */
static node_id number_in(const struct check *c, const struct node *s, uint32_t k)
{
	if (s->kind != NODE_EVENT)
		return k ? NODE_NONE : s->kind == NODE_LOOP ? s->kid[1] : node_kid(c->s, s->kid[1], 0);
	if (k == COLUMN_WHO || k == COLUMN_GROUP || k >= s->kids)
		return NODE_NONE;
	return k < COLUMNS ? s->kid[k] : node_kid(c->s, s->kid[k], 0);
}

static bool is_place(const struct node *s, uint32_t k)
{
	return s->kind == NODE_EVENT && (k == COLUMN_PEER || k == COLUMN_ROOT);
}

/* What it has to lie between. A rank that is given need not be of the run, if the other end would
   be missed. */
static struct range limits(const struct check *c, const struct node *s, uint32_t k)
{
	struct range any = {INT64_MIN, s->kind == NODE_LOOP ? INT64_MAX - 1 : INT64_MAX};
	if (s->kind != NODE_EVENT || k >= COLUMNS || (is_place(s, k) && s->number))
		return any;
	bool own = node_of(c->s, s->kid[k])->uses[FOR_ALL] & USES_PROCESS || kind_is_one_sided(s->sub);
	return (struct range){0, !is_place(s, k) ? INT64_MAX : (own ? c->processes : RANK_LIMIT) - INT64_C(1)};
}

static bool is_within(struct range a, struct range limits)
{
	return a.low >= limits.low && a.high <= limits.high;
}

/* What it is for each member. Those of a group that depends on the process are found when it is
   asked for. */
static void check_members(struct check *c, struct environment *e, const struct node *s, size_t line, uint32_t k)
{
	const struct ranks *members = ranks_of(c, s->kid[COLUMN_GROUP], NULL);
	struct ranks_walk walk = {0};
	uint32_t member;
	while (members && !e->failure && ranks_next(members, &walk, &member)) {
		number_of_member(e, number_in(c, s, k), member);
		if (e->failure)
			refuse(c, line, "%s (of process %" PRId64 ", for %" PRIu32 ")", failure_text(e->failure), e->p,
				member);
	}
}

/* Is something wrong with it, where it is? */
static void check_here(struct check *c, struct environment *e, const struct node *s, size_t line, uint32_t k)
{
	static const char *const columns[COLUMNS] = {[COLUMN_PEER] = "peer",
		[COLUMN_TAG] = "tag",
		[COLUMN_COMMUNICATOR] = "communicator",
		[COLUMN_ROOT] = "root"};
	if (node_of(c->s, number_in(c, s, k))->uses[FOR_ALL] & USES_COUNTER) {
		check_members(c, e, s, line, k);
		return;
	}
	int64_t value = number_at(e, number_in(c, s, k));
	if (e->failure)
		refuse(c, line, "%s (of process %" PRId64 ")", failure_text(e->failure), e->p);
	else if (is_within((struct range){value, value}, limits(c, s, k)))
		return;
	else if (s->kind != NODE_EVENT)
		refuse(c, line, "%s", failure_text(FAILURE_OVERFLOW));
	else if (is_place(s, k))
		refuse(c, line,
			"the %s of process %" PRId64 " would be %" PRId64 ", but the header says %" PRIu32 " processes",
			columns[k], e->p, value, c->processes);
	else
		refuse(c, line, "the %s of process %" PRId64 " would be negative", columns[k], e->p);
	e->failure = e->failure ? e->failure : FAILURE_PEER; /* nobody goes on */
}

/* May the named processes execute the event, and are they in its group? */
static bool names_good(const struct check *c, const struct node *event, struct range named)
{
	struct ranks_run run = {(uint32_t)named.low, (uint32_t)named.high};
	struct ranks these = {.run = &run, .length = 1};
	return named.low >= 0 && named.high < c->processes && ranks_within(&these, c->around) &&
	       ranks_within(&these, ranks_of(c, event->kid[COLUMN_GROUP], &c->every));
}

static void try_here(struct check *c, struct environment *e, const struct node *s, size_t line)
{
	const struct node *who = node_of(c->s, s->kid[0]);
	if (who->kind == NODE_NAMED) {
		int64_t named = number_at(e, who->kid[0]);
		if (!e->failure && !names_good(c, s, (struct range){named, named})) {
			refuse(c, line, "process %" PRId64 " is named, but executes nothing here", named);
			e->failure = FAILURE_PEER;
		}
		if (named != e->p)
			return;
	}
	if (s->kind == NODE_EVENT && s->number && !place_is_in(e, s->kid[COLUMN_PEER]))
		return;
	for (uint32_t k = 0; k < s->kids && !e->failure; k++)
		if (c->open >> k & 1)
			check_here(c, e, s, line, k);
}

/* From a place of the path on. */
static void try_inside(struct check *c, struct environment *e, size_t at, const struct node *s, size_t line)
{
	if (at == c->paths) {
		try_here(c, e, s, line);
		return;
	}
	bool loop = node_of(c->s, c->path[at])->kind == NODE_LOOP, differs = loop && c->differs[e->depth];
	int64_t trips = loop ? loop_trips(e, c->path[at]) : test_holds(e, node_kid(c->s, c->path[at], 1));
	int64_t *index = &c->index[e->depth];
	e->depth += loop;
	for (*index = 0; *index < trips && (differs || !*index) && !e->failure; ++*index) {
		try_inside(c, e, at + 1, s, line);
		if (!c->steps--)
			e->failure = FAILURE_STEPS;
	}
	e->depth -= loop;
}

static uint32_t first_of(const struct check *c)
{
	uint32_t p = c->first;
	while (p != UINT32_MAX && p < c->least)
		p = c->next[p];
	return p <= c->most ? p : UINT32_MAX;
}

static uint32_t next_of(const struct check *c, uint32_t p)
{
	p = c->next[p];
	return p <= c->most ? p : UINT32_MAX;
}

/* Loops around so many others, whose indices are used. */
static void note_indices(struct check *c, node_id number, size_t depth)
{
	uint64_t uses = node_of(c->s, number)->uses[FOR_ALL];
	for (size_t d = 0; d < depth; d++)
		c->differs[d] |= (uses & USES_INDEX(depth - 1 - d)) != 0;
}

/* In all iterations that make a difference to it, or to whether it is come to. */
static void try_statement(struct check *c, const struct node *s, size_t line)
{
	size_t depth = 0;
	for (size_t d = 0; d < c->ranges.depth; d++)
		c->differs[d] = false;
	for (size_t i = 0; i < c->paths; i++) {
		const struct node *around = node_of(c->s, c->path[i]);
		note_indices(c, around->kid[1], depth);
		depth += around->kind == NODE_LOOP;
	}
	for (uint32_t k = 0; k < s->kids; k++)
		if (c->open >> k & 1)
			note_indices(c, number_in(c, s, k), depth);
	note_indices(c, s->kid[0], depth);
	if (s->kind == NODE_EVENT && s->number)
		note_indices(c, s->kid[COLUMN_PEER], depth);
	for (uint32_t p = first_of(c); p != UINT32_MAX && line < c->wrong; p = next_of(c, p)) {
		struct environment e = c->ranges.at;
		environment_set(&e, p);
		e.index = c->index;
		try_inside(c, &e, 0, s, line);
		if (e.failure)
			refuse(c, line, "%s (of process %" PRIu32 ")", failure_text(e.failure), p);
	}
}

static void set_processes(struct check *c, uint32_t first, uint32_t last)
{
	environment_set(&c->ranges.at, first);
	c->ranges.last = last;
}

/* most: what it comes to, or more. False: it is to be tried. */
static bool prove(struct check *c, const struct node *s, size_t line, uint32_t k, int64_t *most)
{
	struct range r, good = limits(c, s, k);
	node_id number = number_in(c, s, k);
	uint64_t uses = node_of(c->s, number)->uses[FOR_ALL];
	uint32_t p = first_of(c), last = p;
	*most = INT64_MIN;
	if (p == UINT32_MAX)
		return true;
	while (uses & USES_PROCESS && next_of(c, last) != UINT32_MAX)
		last = next_of(c, last);
	set_processes(c, p, last);
	if (number_range(&c->ranges, number, &r) && is_within(r, good)) {
		*most = r.high;
		return true;
	}
	*most = good.high;
	int64_t found = INT64_MIN;
	for (; p != UINT32_MAX && c->ranges.steps; p = uses & USES_PROCESS ? next_of(c, p) : UINT32_MAX) {
		c->ranges.steps--;
		set_processes(c, p, p);
		if (!number_range(&c->ranges, number, &r) || !is_within(r, good))
			break;
		found = r.high > found ? r.high : found;
	}
	if (p == UINT32_MAX)
		*most = found;
	else if (!(uses & USES_INDICES) && s->kind == NODE_EVENT && !s->number)
		check_here(c, &c->ranges.at, s, line, k);
	return p == UINT32_MAX || line >= c->wrong;
}

/* ------------------------------------------------------------------ statements of a class */

/* Each process is in its own line of the grid. */
static void check_line(struct check *c, size_t line, const struct node *group)
{
	struct environment *e = &c->ranges.at;
	bool plain = true;
	for (uint32_t a = 0; a < group->kids; a++) {
		const struct node *f = node_of(c->s, number_single(c->s, group->kid[a]));
		plain = plain && (!group->kid[a] || (f->kind == NODE_VARIABLE && f->number == (int64_t)VARIABLE_X + a));
	}
	for (uint32_t p = plain ? UINT32_MAX : first_of(c); p != UINT32_MAX && line < c->wrong; p = next_of(c, p)) {
		set_processes(c, p, p);
		for (uint32_t a = 0; a < group->kids; a++)
			if (group->kid[a] && (number_at(e, group->kid[a]) - e->axis[a]) % e->grid.size[a])
				e->failure = FAILURE_PEER;
		if (e->failure)
			refuse(c, line, "process %" PRIu32 " is not in the group of its sync", p);
	}
}

static void check_event(struct check *c, const struct node *event, size_t line)
{
	const struct node *who = node_of(c->s, event->kid[COLUMN_WHO]);
	struct range named;
	int64_t most;
	bool good = true;
	c->open = 0;
	if (who->kind == NODE_NAMED) {
		set_processes(c, c->first, c->first);
		bool known = number_range(&c->ranges, who->kid[0], &named);
		good = known && names_good(c, event, named);
		c->least = known ? named.low : 0;
		c->most = known ? named.high : c->processes;
	}
	if (node_of(c->s, event->kid[COLUMN_GROUP])->kind == NODE_LINE)
		check_line(c, line, node_of(c->s, event->kid[COLUMN_GROUP]));
	for (uint32_t k = 0; k < event->kids && line < c->wrong; k++)
		if (number_in(c, event, k) && !prove(c, event, line, k, &most))
			c->open |= UINT32_C(1) << k;
	if (!good)
		c->least = first_of(c) == UINT32_MAX ? 0 : c->least; /* somebody goes through what is named */
	if (!good || c->open)
		try_statement(c, event, line);
	c->least = 0;
	c->most = c->processes;
}

static void check_body(struct check *c, node_id body, size_t first, const struct ranks *around)
{
	size_t length;
	const struct projected *own = run_projection(c->run, body, run_class(c->run, c->first), &length);
	for (size_t i = 0; i < length && first + own[i].line < c->wrong; i++) {
		const struct node *s = node_of(c->s, own[i].statement);
		size_t line = first + own[i].line;
		int64_t most;
		c->around = around;
		if (s->kind == NODE_EVENT) {
			check_event(c, s, line);
			continue;
		}
		bool loop = s->kind == NODE_LOOP;
		c->open = !prove(c, s, line, 0, &most);
		if (c->open)
			try_statement(c, s, line);
		c->path[c->paths++] = own[i].statement;
		c->top[c->ranges.depth] = most;
		c->ranges.depth += loop;
		if (!loop || most >= 0)
			check_body(c, s->kid[2], line + 1, ranks_of(c, s->kid[0], around));
		c->ranges.depth -= loop;
		c->paths--;
	}
}

/* ------------------------------------------------------------------ all together */

static void find_next(struct check *c)
{
	uint32_t *head = mem_array(run_classes(c->run) + (size_t)1, sizeof *head);
	c->next = mem_array(c->processes + (size_t)1, sizeof *c->next);
	for (uint32_t k = 0; k < run_classes(c->run); k++)
		head[k] = UINT32_MAX;
	for (uint32_t p = c->processes; p-- > 0;) {
		uint32_t class = run_class(c->run, p);
		c->next[p] = head[class];
		head[class] = p;
	}
	free(head);
}

static bool check_flat(struct check *c, const struct environment *at, uint64_t *events)
{
	const struct node *body = node_of(c->s, c->flat.body);
	struct ranks_run run = {0, c->processes - 1};
	uint64_t own_steps = (uint64_t)body->lines * c->processes * 4;
	c->every = (struct ranks){.run = &run, .length = c->processes > 0};
	c->run = run_new(&c->flat, at);
	c->ranges.at = run_environment(c->run);
	c->ranges.steps = CHECK_STEPS + (own_steps < CHECK_STEPS_OF_TEXT ? own_steps : CHECK_STEPS_OF_TEXT);
	c->steps = CHECK_STEPS;
	c->ranges.top = c->top = mem_array(body->depth + (size_t)1, sizeof *c->top);
	c->index = mem_array(body->depth + (size_t)1, sizeof *c->index);
	c->differs = mem_array(body->depth + (size_t)1, sizeof *c->differs);
	c->path = mem_array(NESTED_LIMIT + 1, sizeof *c->path);
	c->most = c->processes;
	find_next(c);
	check_domains(c, c->flat.body, 0, &c->every);
	for (uint32_t k = 0; k < run_classes(c->run); k++) {
		c->first = run_class_first(c->run, k);
		check_body(c, c->flat.body, 0, &c->every);
	}
	enum failure failure = FAILURE_NONE;
	run_allow(c->run, EVENTS_STEPS);
	*events = c->wrong == SIZE_MAX ? run_events(c->run, &failure) : 0;
	if (failure)
		error_set(c->error, ERROR_INPUT, "%s", failure_text(failure));
	run_free(c->run);
	free(c->top);
	free(c->index);
	free(c->differs);
	free(c->path);
	free(c->next);
	return c->wrong == SIZE_MAX && !failure;
}

bool module_check(struct module *m, const struct environment *at, uint64_t *events, struct inlined_line *line,
	struct error *error)
{
	struct inlined_line *lines;
	struct store_mark mark = store_mark(m->store);
	struct check c = {.flat = *m, .s = m->store, .processes = at->processes, .error = error, .wrong = SIZE_MAX};
	c.flat.procedures = 0;
	c.flat.body = module_inlined(m, &lines, line, error);
	bool good = c.flat.body && check_flat(&c, at, events);
	if (c.flat.body && !good)
		*line = c.wrong == SIZE_MAX ? INLINED_NOWHERE : lines[c.wrong];
	free(lines);
	store_release(m->store, mark, NULL, 0);
	return good;
}
