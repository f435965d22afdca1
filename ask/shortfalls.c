/*
 * shortfalls.c -- what is no event is in the header of the program; of its statements the names of
 * their collectives tell.
 */
#include "ask/shortfalls.h"

#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"

static const char *const names[SHORTFALLS] = {"", "sizes by peer", "neighbours", "groups"};

const char *shortfall_name(enum shortfall s)
{
	return names[s];
}

static enum shortfall shortfall_of(const char *collective)
{
	switch (collective_scope(collective)) {
	case SCOPE_NEIGHBOURS:
		return SHORTFALL_NEIGHBOURS;
	case SCOPE_SIDES:
		return SHORTFALL_SIDES;
	case SCOPE_GROUP:
		break;
	}
	return collective_differs_by_peer(collective) ? SHORTFALL_SIZES : SHORTFALLS;
}

static enum shortfall shortfall_of_event(const struct store *s, node_id event)
{
	const struct node *n = node_of(s, event);
	enum shortfall is = kind_gathers(n->sub) ? shortfall_of(store_get_word(s, n->word)) : SHORTFALLS;
	bool told = is == SHORTFALL_SIZES;
	for (uint32_t k = COLUMNS; k < n->kids && told; k++)
		if (!strcmp(store_get_word(s, node_of(s, n->kid[k])->word), "bytes[q]"))
			return SHORTFALLS;
	return is;
}

static bool any_line(const struct module *m, bool (*is)(const struct store *, node_id event))
{
	struct module_line *line = module_statements(m);
	bool any = false;
	for (size_t i = 0; i < m->lines && !any; i++)
		any = node_of(m->store, line[i].node)->kind == NODE_EVENT && is(m->store, line[i].node);
	free(line);
	return any;
}

static bool is_short(const struct store *s, node_id event)
{
	return shortfall_of_event(s, event) != SHORTFALLS;
}

static bool is_one_sided(const struct store *s, node_id event)
{
	uint32_t kind = node_of(s, event)->sub;
	return kind_is_call(kind) && !kind_matches(kind);
}

static void count(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	(void)line;
	struct shortfalls *to = context;
	enum shortfall what = shortfall_of_event(e->store, event);
	if (what != SHORTFALLS && times)
		notes_omit(&to->of[what], store_get_word(e->store, node_of(e->store, event)->word), times);
}

/* Of what the header counts, collectives are events, of which it is not known between whom. */
static void add_omissions(struct shortfalls *to, const struct notes *n)
{
	for (size_t i = 0; i < n->omissions; i++)
		notes_omit(&to->of[collective_is_known(n->omission[i].call) ? SHORTFALL_SIDES : SHORTFALL_CALLS],
			n->omission[i].call, n->omission[i].calls);
}

bool shortfalls_may_be_between(const struct notes *n, const char *name, bool numbered)
{
	if (collective_scope(name) == SCOPE_SIDES)
		return true;
	for (size_t i = 0; numbered && i < n->omissions; i++)
		if (!strcmp(n->omission[i].call, name))
			return true;
	return false;
}

static void count_all(struct run *r, run_take *visit, void *to)
{
	struct environment e = run_environment(r);
	bool good = true;
	for (uint32_t rank = 0; rank < e.processes && good; rank++) {
		run_start(r, rank, &e);
		good = run_each(r, &e, FOR_COUNT, NULL, visit, to);
	}
	free(e.index);
}

void shortfalls_of(struct run *r, struct shortfalls *to)
{
	const struct module *m = run_module(r);
	*to = (struct shortfalls){0};
	add_omissions(to, &m->notes);
	if (any_line(m, is_short))
		count_all(r, count, to);
}

void shortfalls_clear(struct shortfalls *s)
{
	for (enum shortfall i = 0; i < SHORTFALLS; i++)
		notes_clear(&s->of[i]);
}

bool shortfalls_none(const struct shortfalls *s)
{
	bool none = true;
	for (enum shortfall i = 0; i < SHORTFALLS; i++)
		none = none && !s->of[i].omissions;
	return none;
}

static void tell(const struct shortfalls *s, struct text *out)
{
	const char *before = "not in this model: ";
	for (enum shortfall i = 0; i < SHORTFALLS; i++)
		if (s->of[i].omissions) {
			text_format(out, "%s%s%s", before, names[i], *names[i] ? " of " : "");
			notes_print_omissions(&s->of[i], out);
			before = "; ";
		}
}

void shortfalls_tell_notes(const struct notes *n, struct text *out)
{
	struct shortfalls s = {0};
	add_omissions(&s, n);
	tell(&s, out);
	shortfalls_clear(&s);
}

void shortfalls_tell_of(struct run *r, struct text *out)
{
	struct shortfalls s;
	shortfalls_of(r, &s);
	tell(&s, out);
	shortfalls_clear(&s);
}

static void count_one_sided(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	(void)line;
	if (is_one_sided(e->store, event) && times)
		notes_omit(context, kind_rows[node_of(e->store, event)->sub].verb, times);
}

void shortfalls_tell_one_sided(struct run *r, const char *what, struct text *out)
{
	struct notes calls = {0};
	if (any_line(run_module(r), is_one_sided))
		count_all(r, count_one_sided, &calls);
	if (calls.omissions) {
		text_format(out, "not in this %s: ", what);
		notes_print_omissions(&calls, out);
	}
	notes_clear(&calls);
}
