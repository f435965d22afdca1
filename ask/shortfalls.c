/*
 * shortfalls.c -- what is no event is in the header of the program; of its statements the names of
 * their collectives tell.
 */
#include "ask/shortfalls.h"

#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"
#include "ask/communication.h"

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

static bool is_short(const struct program *p, size_t at, const char **call, enum shortfall *what)
{
	const struct statement *s = &p->statement[at];
	if (statement_is_loop(s) || statement_kind(p, s) != EVENT_SYNC)
		return false;
	*call = dictionary_get_word(p->dictionary, statement_form(p, s).word);
	*what = shortfall_of(*call);
	return *what != SHORTFALLS;
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

void shortfalls_of(const struct program *p, struct shortfalls *to)
{
	struct communication *all = NULL;
	const char *call;
	enum shortfall what;
	struct error none;
	*to = (struct shortfalls){0};
	add_omissions(to, &p->notes);
	for (size_t i = 0; i < p->length; i++)
		if (is_short(p, i, &call, &what)) {
			all = all ? all : communication_of_statements(p, false, &none);
			if (all && all[i].events)
				notes_omit(&to->of[what], call, all[i].events);
		}
	communication_free(all);
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

void shortfalls_tell_of(const struct program *p, struct text *out)
{
	struct shortfalls s;
	shortfalls_of(p, &s);
	tell(&s, out);
	shortfalls_clear(&s);
}
