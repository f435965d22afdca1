/*
 * unfold.c -- requests of statements over sets of processes, as requests of the constructs that these stand for.
 *
 * However a plain model is listed, a process executes its constructs in the order of its statements: the k-th of a body's statements that a process has
 * a part in is the k-th of the constructs that it has a part in. So processes are led down from the root, level by level, and part where their
 * constructs are different ones.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/nest_coverage.h"
#include "model/program.h"
#include "scangen/scangen.h"

struct unfolding {
	const struct program *folded;
	const struct model *plain;
	struct nest_coverage *coverage; /* of the plain model */
	struct ranks *part; /* by statement: who has a part in it */
	uint64_t *before; /* by process: its statements before the one wanted; 0 between uses */
	const struct scan_request *request; /* at hand */
	struct scan_requests made;
	struct text address; /* in the plain model, so far */
};

/* Processes that are at the same construct. */
struct group {
	size_t index; /* in the body */
	struct ranks ranks;
};

/* ------------------------------------------------------------------ who has a part */

static void unite_parts(struct unfolding *u, size_t loop)
{
	const struct statement *s = u->folded->statement;
	for (size_t i = loop + 1; s[loop].count && i < loop + s[loop].size; i += statement_size(&s[i])) {
		struct ranks both = {0};
		ranks_unite(&both, &u->part[loop], &u->part[i]);
		ranks_clear(&u->part[loop]);
		u->part[loop] = both;
	}
}

/* Inner statements stand behind their loops. */
static void find_parts(struct unfolding *u)
{
	u->part = mem_zero((u->folded->length + 1) * sizeof *u->part);
	for (size_t i = u->folded->length; i-- > 0;) {
		struct ranks_run single;
		if (statement_is_loop(&u->folded->statement[i])) {
			unite_parts(u, i);
			continue;
		}
		struct ranks who = program_processes(u->folded, &u->folded->statement[i], &single);
		ranks_copy(&u->part[i], &who);
	}
}

/* ------------------------------------------------------------------ from statements to constructs */

static size_t next_index(const char **address)
{
	char *end;
	size_t index = strtoul(*address, &end, 10);
	*address = end + (*end == '.');
	return index;
}

static size_t statement_at(const struct program *f, size_t from, size_t index)
{
	while (index--)
		from += statement_size(&f->statement[from]);
	return from;
}

/* Add one for each of these processes that has a part in the statement. */
static void count_before(struct unfolding *u, const struct ranks *who, size_t statement)
{
	struct ranks both = {0};
	struct ranks_walk walk = {0};
	ranks_intersect(&both, who, &u->part[statement]);
	for (uint32_t p; ranks_next(&both, &walk, &p);)
		u->before[p]++;
	ranks_clear(&both);
}

/* Of these processes, those for which this is the construct wanted; it is one less for the others that have a part in it. */
static void sort_out(struct unfolding *u, struct ranks *waiting, node construct, struct ranks *found)
{
	struct ranks_run single;
	struct ranks both = {0}, rest = {0};
	struct ranks who = node_is_loop(construct) ? *nest_coverage_loop(u->coverage, construct)
						   : event_processes(u->plain->dictionary, construct, &single);
	struct ranks_walk walk = {0};
	ranks_intersect(&both, waiting, &who);
	for (uint32_t p; ranks_next(&both, &walk, &p);)
		if (!u->before[p])
			ranks_add(found, p);
		else
			u->before[p]--;
	ranks_subtract(&rest, waiting, found);
	ranks_clear(waiting);
	*waiting = rest;
	ranks_clear(&both);
}

static struct group *make_groups(
	struct unfolding *u, struct body body, size_t from, size_t statement, const struct ranks *who, size_t *groups)
{
	struct group *group = NULL;
	size_t capacity = 0;
	struct ranks waiting = {0};
	for (size_t i = from; i < statement; i += statement_size(&u->folded->statement[i]))
		count_before(u, who, i);
	ranks_copy(&waiting, who);
	*groups = 0;
	for (size_t i = 0; i < body.length && waiting.length; i++) {
		struct ranks found = {0};
		sort_out(u, &waiting, body.node[i], &found);
		if (!found.length)
			continue;
		group = mem_grow(group, &capacity, *groups + 1, sizeof *group);
		group[(*groups)++] = (struct group){i, found};
	}
	ranks_clear(&waiting);
	return group;
}

static void add_request(struct unfolding *u, const struct ranks *who)
{
	struct scan_request made = *u->request;
	made.address = u->address.data;
	made.ranks = *who;
	scan_requests_add(&u->made, &made);
}

/* who: processes that all execute this body; address: of what is wanted in it. */
static void descend(struct unfolding *u, struct body body, size_t from, const char *address, const struct ranks *who)
{
	size_t statement = statement_at(u->folded, from, next_index(&address)), groups, length = u->address.length;
	struct group *group = make_groups(u, body, from, statement, who, &groups);
	for (size_t i = 0; i < groups; i++) {
		text_format(&u->address, "%s%zu", length ? "." : "", group[i].index);
		if (*address)
			descend(u, nest_body(u->plain->nest, body.node[group[i].index]), statement + 1, address, &group[i].ranks);
		else
			add_request(u, &group[i].ranks);
		text_truncate(&u->address, length);
		ranks_clear(&group[i].ranks);
	}
	free(group);
}

/* ------------------------------------------------------------------ requests */

static size_t wanted_statement(const struct program *f, const char *address)
{
	size_t at = statement_at(f, 0, next_index(&address));
	while (*address)
		at = statement_at(f, at + 1, next_index(&address));
	return at;
}

static bool check_part(const struct scan_request *r, const struct ranks *part, const char *name, struct error *error)
{
	struct ranks missing = {0};
	struct text who = {0}, all = {0};
	ranks_subtract(&missing, &r->ranks, part);
	ranks_print_short(&missing, &who);
	ranks_print_short(part, &all);
	bool good = part->length && !missing.length;
	if (!part->length)
		error_set(error, ERROR_INPUT, "%s:%" PRIu64 ": get \"%s\": the statement is never executed", name, r->line, r->label);
	else if (!good)
		error_set(error, ERROR_INPUT, "%s:%" PRIu64 ": get \"%s\": the statement covers the processes %s, not %s", name, r->line,
			r->label, all.data, who.data);
	ranks_clear(&missing);
	text_clear(&who);
	text_clear(&all);
	return good;
}

static bool unfold_request(struct unfolding *u, const char *name, struct error *error)
{
	const struct ranks *part = &u->part[wanted_statement(u->folded, u->request->address)];
	if (!check_part(u->request, part, name, error))
		return false;
	descend(u, (struct body){u->plain->nest->root, u->plain->nest->root_length}, 0, u->request->address,
		u->request->ranks.length ? &u->request->ranks : part);
	return true;
}

static void unfolding_clear(struct unfolding *u)
{
	for (size_t i = 0; u->part && i < u->folded->length; i++)
		ranks_clear(&u->part[i]);
	free(u->part);
	free(u->before);
	nest_coverage_free(u->coverage);
	text_clear(&u->address);
}

bool scan_requests_unfold(struct scan_requests *requests, const char *name, const struct program *folded, const struct model *plain,
	struct error *error)
{
	struct unfolding u = {.folded = folded, .plain = plain};
	bool good = true;
	if (requests->length && program_varies(folded))
		return error_set(error, ERROR_INPUT,
			"%s:%" PRIu64 ": a model whose statements advance with the indices of loops takes no annotations: "
			"'tracenest show --unfold' writes its plain form, which does",
			name, requests->item->line);
	u.coverage = nest_coverage_new(plain, NULL);
	u.before = mem_zero((plain->processes + (size_t)1) * sizeof *u.before);
	find_parts(&u);
	for (size_t i = 0; good && i < requests->length; i++) {
		u.request = &requests->item[i];
		good = unfold_request(&u, name, error);
	}
	unfolding_clear(&u);
	scan_requests_clear(good ? requests : &u.made);
	if (good)
		*requests = u.made;
	return good;
}
