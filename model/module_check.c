/*
 * module_check.c -- what numbers come to, wherever they are asked for.
 *
 * It is asked of the program without calls. First by ranges (model/number_range.h): of all
 * processes of a statement at once, else of each, for all indices. What that does not prove and
 * does not depend on indices is tried on each process. The rest, most often rows of tables of
 * unequal lengths, is tried on each process in all iterations that make a difference to it, within
 * CHECK_STEPS; a text for which they do not suffice is refused.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "model/module_read.h"
#include "model/number_range.h"

/* Numbers, rows and iterations that are looked at one by one, beside those that the text itself
   asks for: some for each process of each statement, up to the second limit. Seconds. */
#define CHECK_STEPS (UINT64_C(1) << 26)
#define CHECK_STEPS_OF_TEXT (UINT64_C(1) << 28)

enum wrong { NOTHING, BEYOND, NO_RANK, NO_TAG, NEGATIVE_COMMUNICATOR, NO_ENTRY, NO_POWER, NOBODY, TOO_MANY };
static const char *const wrong_text[] = {"", "a number goes beyond 64 bits for some indices",
	"the peer or root is no rank of the run for some indices", "the tag is negative for some indices",
	"the communicator is negative for some indices",
	"a table has no entry for some indices, or a number goes beyond 64 bits",
	"an exponent is negative for some indices, or a number goes beyond 64 bits",
	"the process that is named executes nothing here for some indices",
	"it stands for too many statements that differ"};

struct check {
	struct store *s;
	uint32_t processes;
	struct error *error;
	struct environment at; /* of who tries */
	struct ranges ranges; /* of who proves */
	struct intern *sets; /* of ranks */
	struct line {
		uint32_t who; /* set: those who execute something of it */
		bool open; /* not proven: of a loop or a guard something inside, or its number */
		uint32_t columns; /* ... of an event, by place among its kids */
		uint64_t uses; /* what decides that: of a loop as its body sees it */
	} * line;
	int64_t *index, *top;
	uint64_t steps;
	size_t dead; /* loops without iterations around: at their indices nothing is wrong */
	size_t wrong; /* the line */
};

#define refuse(c, at, ...) ((c)->wrong = (at), error_set((c)->error, ERROR_INPUT, __VA_ARGS__))

/* ------------------------------------------------------------------ who */

static uint32_t set_id(struct check *c, const struct ranks *set)
{
	return intern_id(c->sets, set->run, set->length * sizeof *set->run);
}

static struct ranks set_of(const struct check *c, uint32_t id)
{
	size_t size;
	const struct ranks_run *run = intern_data(c->sets, id, &size);
	return (struct ranks){.run = (struct ranks_run *)run, .length = size / sizeof *run};
}

static uint32_t set_united(struct check *c, uint32_t a, uint32_t b)
{
	struct ranks left = set_of(c, a), right = set_of(c, b), all = {0};
	if (a == b || !right.length)
		return a;
	ranks_unite(&all, &left, &right);
	uint32_t id = set_id(c, &all);
	ranks_clear(&all);
	return id;
}

/* A name that is an entry of a table and a constant may mean all that the table has. */
static bool named_set(struct check *c, size_t line, node_id name, uint32_t around, uint32_t *who)
{
	const struct node *n = node_of(c->s, name), *term = node_of(c->s, n->kids == 1 ? n->kid[0] : NODE_NONE);
	const struct node *entry = node_of(c->s, n->kids == 1 ? term->kid[0] : NODE_NONE);
	struct ranks set = {0}, most = set_of(c, around);
	*who = around;
	if (!most.length)
		return refuse(c, line, "there is no process that could execute this");
	if (entry->kind != NODE_ENTRY || term->number != 1)
		return true;
	const struct table *t = store_get_table(c->s, (uint32_t)node_of(c->s, entry->kid[0])->number);
	bool *met = mem_zero(c->processes), good = true;
	for (uint64_t i = 0; i < table_entries(t) && good; i++) {
		__int128 rank = (__int128)table_entry(t, i) + n->number;
		good = rank >= 0 && rank < c->processes;
		if (good)
			met[rank] = true;
		else
			refuse(c, line, "$%s names process %lld, but the header says %u processes", table_name(t),
				(long long)rank, c->processes);
	}
	for (uint32_t p = 0; p < c->processes && good; p++)
		if (met[p])
			ranks_add(&set, p);
	if (good && !ranks_within(&set, &most))
		good = refuse(c, line, "a process that does not execute the loop around is named here");
	if (good)
		*who = set_id(c, &set);
	ranks_clear(&set);
	free(met);
	return good;
}

static bool domain_set(struct check *c, size_t line, node_id domain, uint32_t around, uint32_t *who)
{
	const struct node *d = node_of(c->s, domain);
	struct ranks all = set_of(c, around), beyond = {0};
	if (d->kind == NODE_NAMED)
		return named_set(c, line, d->kid[0], around, who);
	struct ranks_run run = {0, c->processes - 1};
	struct ranks every = {.run = &run, .length = 1};
	const struct ranks *set = d->kind == NODE_ALL ? &every : store_get_ranks(c->s, (uint32_t)d->number);
	*who = set_id(c, set);
	if (*who == around || ranks_within(set, &all))
		return true;
	ranks_subtract(&beyond, set, &all);
	uint32_t first = beyond.run->first;
	ranks_clear(&beyond);
	return refuse(c, line, "process %u executes this statement, but not the loop around it", first);
}

/* Fills in who executes what; gives those who execute anything of the body. */
static bool find_who(struct check *c, node_id body, size_t line, uint32_t around, uint32_t *all)
{
	const struct node *b = node_of(c->s, body);
	*all = set_id(c, &(struct ranks){0});
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *s = node_of(c->s, b->kid[k]);
		uint32_t *who = &c->line[line].who, own = around;
		if (s->kid[0] && !domain_set(c, line, s->kid[0], around, &own))
			return false;
		*who = own;
		if (s->kind != NODE_EVENT && !find_who(c, s->kid[2], line + 1, own, who))
			return false;
		if (s->kid[0])
			*who = own;
		struct ranks set = set_of(c, *who);
		uint64_t own_steps = ranks_count(&set) * 4;
		c->steps += own_steps;
		*all = set_united(c, *all, *who);
		line += s->lines;
	}
	return true;
}

/* ------------------------------------------------------------------ one number */

static enum wrong why_not(const struct check *c, node_id number)
{
	const struct environment *e = &c->at;
	if (node_of(c->s, number)->looks)
		return NO_ENTRY;
	return e->failure == FAILURE_EXPONENT || node_of(c->s, e->failed)->kind == NODE_POWER ? NO_POWER : BEYOND;
}

/* A rank that is given need not be of the run. */
static int64_t rank_limit(const struct check *c, node_id place)
{
	return node_of(c->s, place)->uses[FOR_ALL] & USES_PROCESS ? c->processes : RANK_LIMIT;
}

static node_id number_in(const struct check *c, const struct node *event, uint32_t column)
{
	return column < COLUMNS ? event->kid[column] : node_kid(c->s, event->kid[column], 0);
}

static bool is_place(uint32_t column)
{
	return column == COLUMN_PEER || column == COLUMN_ROOT;
}

/* Is the kid a number that a range can prove? */
static bool is_number(const struct check *c, const struct node *event, uint32_t column)
{
	return column != COLUMN_WHO && column != COLUMN_GROUP && number_in(c, event, column);
}

static bool in_range(const struct check *c, const struct node *event, uint32_t column)
{
	struct range r;
	node_id number = number_in(c, event, column);
	if (!number_range(&c->ranges, number, &r))
		return false;
	if (is_place(column))
		return event->number || (r.low >= 0 && r.high < rank_limit(c, number));
	return column >= COLUMNS || r.low >= 0;
}

/* What is wrong with it in the environment. */
static enum wrong wrong_here(struct check *c, const struct node *event, uint32_t column, int64_t *value)
{
	node_id number = number_in(c, event, column);
	*value = number_at(&c->at, number);
	if (c->at.failure)
		return why_not(c, number);
	if (is_place(column))
		return event->number || (*value >= 0 && *value < rank_limit(c, number)) ? NOTHING : NO_RANK;
	if (column >= COLUMNS || *value >= 0)
		return NOTHING;
	return column == COLUMN_TAG ? NO_TAG : NEGATIVE_COMMUNICATOR;
}

static bool spend(struct check *c, size_t line)
{
	if (!c->steps)
		return refuse(c, line, "%s", wrong_text[TOO_MANY]);
	c->steps--;
	return true;
}

/* It depends on no index: it is tried on each process. */
static bool try_on_all(struct check *c, size_t line, const struct node *event, uint32_t column)
{
	struct ranks who = set_of(c, c->line[line].who);
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(&who, &walk, &p);) {
		int64_t value;
		if (!spend(c, line))
			return false;
		environment_set(&c->at, p);
		enum wrong wrong = wrong_here(c, event, column, &value);
		if (!wrong)
			continue;
		if (wrong == NO_RANK)
			return refuse(c, line, "the %s of process %u would be %lld, but the header says %u processes",
				column == COLUMN_PEER ? "peer" : "root", p, (long long)value, c->processes);
		if (wrong == NO_TAG || wrong == NEGATIVE_COMMUNICATOR)
			return refuse(c, line, "the %s of process %u would be negative",
				wrong == NO_TAG ? "tag" : "communicator", p);
		return refuse(c, line, "%s", wrong_text[wrong]);
	}
	return true;
}

/* ------------------------------------------------------------------ events by ranges */

static bool proven_for_each(struct check *c, size_t line, const struct node *event, uint32_t column)
{
	struct ranks who = set_of(c, c->line[line].who);
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(&who, &walk, &p);) {
		if (!c->steps)
			return false;
		c->steps--;
		ranges_of_process(&c->ranges, p);
		if (!in_range(c, event, column))
			return false;
	}
	return true;
}

/* Each process is in its own line of the grid. */
static bool check_own_line(struct check *c, size_t line, const struct node *group)
{
	struct ranks who = set_of(c, c->line[line].who);
	struct ranks_walk walk = {0};
	bool plain = true;
	for (uint32_t a = 0; a < group->kids; a++) {
		const struct node *f = node_of(c->s, number_single(c->s, group->kid[a]));
		plain = plain && (!group->kid[a] || (f->kind == NODE_VARIABLE && f->number == (int64_t)VARIABLE_X + a));
	}
	if (group->uses[FOR_ALL] & USES_INDICES)
		return refuse(c, line,
			"an index may not stand in a group, only in tags, peers, roots, communicators and bounds");
	for (uint32_t p; !plain && ranks_next(&who, &walk, &p);) {
		bool member = true;
		if (!spend(c, line))
			return false;
		environment_set(&c->at, p);
		for (uint32_t a = 0; a < group->kids; a++) {
			int64_t at = group->kid[a] ? number_at(&c->at, group->kid[a]) - c->at.axis[a] : 0;
			member = member && at % c->at.grid.size[a] == 0;
		}
		if (c->at.failure || !member)
			return refuse(c, line, "process %u is not in the group of its sync", p);
	}
	return true;
}

/* Does a communicator part the processes alike, whatever the indices? */
static bool tells_groups(const struct store *s, node_id communicator)
{
	const struct node *n = node_of(s, communicator);
	bool good = true;
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *f = node_of(s, node_of(s, n->kid[i])->kid[0]);
		good = good && (f->kind == NODE_VARIABLE || !(f->uses[FOR_ALL] & USES_INDICES));
	}
	return good;
}

static bool check_group(struct check *c, size_t line, const struct node *event)
{
	const struct node *group = node_of(c->s, event->kid[COLUMN_GROUP]);
	struct ranks who = set_of(c, c->line[line].who), beyond = {0};
	if (group->kind == NODE_LINE)
		return check_own_line(c, line, group);
	if (group->kind == NODE_BY_COMMUNICATOR)
		return tells_groups(c->s, event->kid[COLUMN_COMMUNICATOR]) ||
		       refuse(c, line, "a communicator tells groups that depend on indices");
	if (group->kind != NODE_RANKS)
		return true;
	const struct ranks *members = store_get_ranks(c->s, (uint32_t)group->number);
	if (ranks_within(&who, members))
		return true;
	ranks_subtract(&beyond, &who, members);
	uint32_t first = beyond.run->first;
	ranks_clear(&beyond);
	return refuse(c, line, "process %u is not in the group of its sync", first);
}

/* Can it name only those who execute the statement? */
static bool name_proven(const struct check *c, size_t line, node_id name)
{
	struct ranks who = set_of(c, c->line[line].who);
	const struct node *n = node_of(c->s, name);
	struct range r;
	bool known = number_range(&c->ranges, name, &r);
	bool entry = n->kids == 1 && node_of(c->s, n->kid[0])->number == 1 &&
		     node_of(c->s, node_kid(c->s, n->kid[0], 0))->kind == NODE_ENTRY;
	return known && (entry || (who.length == 1 && r.low >= who.run->first && r.high <= who.run->last));
}

static bool prove_event(struct check *c, size_t at, const struct node *event)
{
	struct line *line = &c->line[at];
	struct ranks who = set_of(c, line->who);
	const struct node *domain = node_of(c->s, event->kid[COLUMN_WHO]);
	bool plain = domain->kind == NODE_RANKS && domain->sub;
	if (!who.length || !check_group(c, at, event))
		return !who.length;
	for (uint32_t k = 0; k < event->kids; k++) {
		if (!is_number(c, event, k))
			continue;
		uint64_t uses = node_of(c->s, number_in(c, event, k))->uses[FOR_ALL];
		if (plain && k < COLUMNS && uses & USES_PROCESS)
			return refuse(c, at, "in a statement without a set, only indices may stand in braces");
		if (c->dead && uses & USES_INDICES)
			continue;
		ranges_of_processes(&c->ranges, who.run[0].first, who.run[who.length - 1].last);
		if (in_range(c, event, k) || (uses & USES_PROCESS && proven_for_each(c, at, event, k)))
			continue;
		if (!(uses & USES_INDICES) && !event->number) {
			if (!try_on_all(c, at, event, k))
				return false;
			continue;
		}
		line->columns |= UINT32_C(1) << k;
		line->uses |= uses;
		line->open = true;
	}
	ranges_of_processes(&c->ranges, who.run[0].first, who.run[who.length - 1].last);
	if (domain->kind == NODE_NAMED && !c->dead && !name_proven(c, at, domain->kid[0]))
		line->open = true;
	if (line->open && domain->kind == NODE_NAMED)
		line->uses |= domain->uses[FOR_ALL];
	if (line->open && event->number)
		line->uses |= node_of(c->s, event->kid[COLUMN_PEER])->uses[FOR_ALL];
	return true;
}

/* ------------------------------------------------------------------ loops and guards by ranges */

/* The most that the number comes to for any process of the line; false: not proven. */
static bool number_proven(struct check *c, size_t line, node_id number, int64_t *most)
{
	struct ranks who = set_of(c, c->line[line].who);
	struct ranks_walk walk = {0};
	struct range r;
	*most = 0;
	if (!who.length)
		return true; /* nobody executes anything of it */
	*most = INT64_MAX - 1;
	ranges_of_processes(&c->ranges, who.run[0].first, who.run[who.length - 1].last);
	if (number_range(&c->ranges, number, &r)) {
		*most = r.high;
		return r.high < INT64_MAX;
	}
	if (!(node_of(c->s, number)->uses[FOR_ALL] & USES_PROCESS))
		return false;
	int64_t found = INT64_MIN;
	for (uint32_t p; ranks_next(&who, &walk, &p);) {
		if (!c->steps)
			return false;
		c->steps--;
		ranges_of_process(&c->ranges, p);
		if (!number_range(&c->ranges, number, &r) || r.high == INT64_MAX)
			return false;
		found = r.high > found ? r.high : found;
	}
	*most = found;
	return true;
}

static bool prove_body(struct check *c, node_id body, size_t line, size_t nested, uint64_t *uses, bool *open);

static uint64_t seen_from_outside(uint64_t uses)
{
	uint64_t index = uses & USES_INDICES;
	return (uses & ~USES_INDICES) | index >> 1 | (index & USES_INDEX(31));
}

/* gives what decides whether something of the line is wrong, as seen where it stands. */
static bool prove_block(struct check *c, const struct node *s, size_t at, size_t nested, uint64_t *uses)
{
	struct line *line = &c->line[at];
	bool loop = s->kind == NODE_LOOP;
	node_id number = loop ? s->kid[1] : node_kid(c->s, s->kid[1], 0);
	int64_t most, constant;
	if (loop && number_is_constant(c->s, number, &constant) && constant < -1)
		return refuse(c, at, "the loop from 0 to %lld runs backwards (0 to -1 would be no iterations)",
			(long long)constant);
	bool open = !number_proven(c, at, number, &most) && !c->dead, dead = loop && most < 0;
	if (loop)
		c->top[c->ranges.depth++] = most;
	c->dead += dead;
	bool good = prove_body(c, s->kid[2], at + 1, nested + 1, &line->uses, &line->open);
	c->dead -= dead;
	c->ranges.depth -= loop;
	*uses = loop ? seen_from_outside(line->uses) : line->uses;
	line->open = line->open || open;
	if (line->open)
		*uses |= node_of(c->s, number)->uses[FOR_ALL];
	return good;
}

static bool prove_body(struct check *c, node_id body, size_t line, size_t nested, uint64_t *uses, bool *open)
{
	const struct node *b = node_of(c->s, body);
	if (nested > NESTED_LIMIT)
		return refuse(c, line - 1, "more than %d loops nested", NESTED_LIMIT);
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *s = node_of(c->s, b->kid[k]);
		uint64_t own = 0;
		if (!(s->kind == NODE_EVENT ? prove_event(c, line, s) : prove_block(c, s, line, nested, &own)))
			return false;
		*uses |= s->kind == NODE_EVENT ? c->line[line].uses : own;
		*open = *open || c->line[line].open;
		line += s->lines;
	}
	return true;
}

/* ------------------------------------------------------------------ what is left, one by one */

static bool try_body(struct check *c, node_id body, size_t line, uint32_t rank);

static bool refuse_number(struct check *c, size_t line, node_id number)
{
	return refuse(c, line, "%s", wrong_text[why_not(c, number)]);
}

static bool try_event(struct check *c, const struct node *event, size_t at)
{
	const struct node *domain = node_of(c->s, event->kid[COLUMN_WHO]);
	if (domain->kind == NODE_NAMED) {
		struct ranks who = set_of(c, c->line[at].who);
		int64_t named = number_at(&c->at, domain->kid[0]);
		if (c->at.failure)
			return refuse_number(c, at, domain->kid[0]);
		if (named < 0 || named >= c->processes || !ranks_has(&who, (uint32_t)named))
			return refuse(c, at, "%s", wrong_text[NOBODY]);
		if (named != c->at.p)
			return true;
	}
	if (event->number) {
		bool inside = place_is_in(&c->at, event->kid[COLUMN_PEER]);
		if (c->at.failure)
			return refuse_number(c, at, event->kid[COLUMN_PEER]);
		if (!inside)
			return true;
	}
	for (uint32_t k = 0; k < event->kids; k++) {
		int64_t value;
		enum wrong wrong = c->line[at].columns >> k & 1 ? wrong_here(c, event, k, &value) : NOTHING;
		if (wrong)
			return refuse(c, at, "%s", wrong_text[wrong]);
	}
	return true;
}

static bool try_loop(struct check *c, const struct node *loop, size_t at, uint32_t rank)
{
	int64_t last = number_at(&c->at, loop->kid[1]);
	if (c->at.failure)
		return refuse_number(c, at, loop->kid[1]);
	if (!(c->line[at].uses & USES_INDEX(0)) && last > 0)
		last = 0;
	int64_t *index = &c->index[c->at.depth++];
	bool good = true;
	for (*index = 0; *index <= last && good; ++*index)
		good = spend(c, at) && try_body(c, loop->kid[2], at + 1, rank);
	c->at.depth--;
	return good;
}

static bool try_guard(struct check *c, const struct node *guard, size_t at, uint32_t rank)
{
	bool holds = test_holds(&c->at, guard->kid[1]);
	if (c->at.failure)
		return refuse_number(c, at, node_kid(c->s, guard->kid[1], 0));
	return !holds || try_body(c, guard->kid[2], at + 1, rank);
}

static bool try_body(struct check *c, node_id body, size_t line, uint32_t rank)
{
	const struct node *b = node_of(c->s, body);
	bool good = true;
	for (uint32_t k = 0; k < b->kids && good; k++) {
		const struct node *s = node_of(c->s, b->kid[k]);
		struct ranks who = set_of(c, c->line[line].who);
		if (c->line[line].open && ranks_has(&who, rank))
			good = spend(c, line) && (s->kind == NODE_EVENT         ? try_event(c, s, line)
							 : s->kind == NODE_LOOP ? try_loop(c, s, line, rank)
										: try_guard(c, s, line, rank));
		line += s->lines;
	}
	return good;
}

static bool try_all(struct check *c, node_id body)
{
	bool good = true;
	for (uint32_t rank = 0; rank < c->processes && good; rank++) {
		environment_set(&c->at, rank);
		good = try_body(c, body, 0, rank);
	}
	return good;
}

/* ------------------------------------------------------------------ all together */

static bool check_body(struct check *c, node_id body)
{
	struct ranks_run run = {0, c->processes - 1};
	struct ranks every = {.run = &run, .length = c->processes > 0};
	uint32_t all;
	uint64_t uses = 0;
	bool open = false;
	bool good = find_who(c, body, 0, set_id(c, &every), &all);
	c->steps = CHECK_STEPS + (c->steps < CHECK_STEPS_OF_TEXT ? c->steps : CHECK_STEPS_OF_TEXT);
	return good && prove_body(c, body, 0, 0, &uses, &open) && (!open || try_all(c, body));
}

bool module_check(struct module *m, struct inlined_line *line, struct error *error)
{
	struct inlined_line *lines;
	struct store_mark mark = store_mark(m->store);
	if (m->parametric)
		return true;
	node_id body = module_inlined(m, &lines, line, error);
	bool good = body;
	if (good) {
		size_t length = node_of(m->store, body)->lines, depth = node_of(m->store, body)->depth;
		struct check c = {.s = m->store, .processes = m->processes, .error = error};
		c.at = module_environment(m);
		c.ranges = (struct ranges){m->store, m->processes, .grid = m->grid, .steps = &c.steps};
		c.sets = intern_new();
		c.line = mem_zero((length + 1) * sizeof *c.line);
		c.ranges.top = c.top = mem_array(depth + 1, sizeof *c.top);
		c.at.index = c.index = mem_array(depth + 1, sizeof *c.index);
		good = check_body(&c, body);
		if (!good)
			*line = lines[c.wrong];
		intern_free(c.sets);
		free(c.line);
		free(c.top);
		free(c.index);
	}
	free(lines);
	store_release(m->store, mark, NULL, 0);
	return good;
}
