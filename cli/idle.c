/*
 * idle.c -- each reason is known to one verb, or to those that read traces; here is how it is said.
 */
#include "cli/idle.h"

#include <string.h>

#include "ask/consistency.h"

void idle_say(struct report *report, const struct settings *s, const enum option_id *option, const char *why)
{
	for (; *option != OPTION_IDS; option++)
		if (s->given[*option])
			report_say(report, "--%s changes nothing: %s", option_spelling(*option), why);
}

void idle_reading(struct report *report, const struct settings *s, const struct trace_facts *f)
{
	if (!f->archive)
		idle_say(report, s, OPTIONS(OPTIONS_TRACE), "a text trace is read as it stands");
	else if (!f->disordered)
		idle_say(report, s, OPTIONS(OPTION_ORDER),
			"all receives were completed in the order in which they were posted");
	if (f->archive && s->collectives && f->collectives_recorded)
		idle_say(report, s, OPTIONS(OPTION_COLLECTIVES), "the archive records collectives");
	else if (f->archive && s->collectives && !f->collective_regions_seen)
		idle_say(report, s, OPTIONS(OPTION_COLLECTIVES), "no region is named as a collective");
}

void idle_no_trace(struct report *report, const struct settings *s)
{
	idle_say(report, s, OPTIONS(OPTIONS_TRACE, OPTION_EAGER, OPTION_JOBS), "no trace is read");
}

void idle_lenient(
	struct report *report, const struct settings *s, const struct error *incomplete, const struct error *lost)
{
	if (!report->cautioned && incomplete->kind == ERROR_NONE && lost->kind == ERROR_NONE)
		idle_say(report, s, OPTIONS(OPTION_LENIENT), "nothing is missing");
}

void idle_lenient_cautions(struct report *report, const struct settings *s)
{
	idle_lenient(report, s, &(struct error){.kind = ERROR_NONE}, &(struct error){.kind = ERROR_NONE});
}

void idle_lenient_on(struct report *report, const struct settings *s, struct run *run, const struct error *lost)
{
	struct consistency c;
	if (!s->lenient)
		return;
	consistency_of(run, &c);
	if (c.facts->known)
		idle_lenient(report, s, &c.messages, lost);
	consistency_clear(&c);
}

void idle_with_model(struct report *report, const struct settings *s, const struct module *m)
{
	idle_say(report, s, OPTIONS(OPTION_EVENTS, OPTION_ORDER),
		"the model says what the events are, and in which order");
	if (!idle_has(m, EVENT_SEND))
		idle_say(report, s, OPTIONS(OPTION_EAGER), "no message is sent");
}

/* An event of this kind; or an attribute of this name. */
static bool any_inside(const struct store *s, node_id at, enum node_kind kind, uint32_t what)
{
	const struct node *n = node_of(s, at);
	bool is = n->kind == kind && (kind == NODE_EVENT ? n->sub : n->word) == what;
	for (uint32_t k = 0; k < n->kids && n->kind != NODE_CALL && !is; k++)
		is = any_inside(s, n->kid[k], kind, what);
	return is;
}

static bool any(const struct module *m, enum node_kind kind, uint32_t what)
{
	bool is = any_inside(m->store, m->body, kind, what);
	for (size_t i = 0; i < m->procedures && !is; i++)
		is = any_inside(m->store, m->procedure[i], kind, what);
	return is;
}

bool idle_carries(const struct module *m, const char *name, size_t length)
{
	return any(m, NODE_ATTRIBUTE, store_word(m->store, name, length));
}

bool idle_has(const struct module *m, enum event_kind kind)
{
	return any(m, NODE_EVENT, kind);
}

void idle_values(struct report *report, const struct settings *s, const struct module *m)
{
	const char *names = s->values;
	if (!names || !strcmp(names, "all") || !strcmp(names, "none"))
		return;
	for (const char *at = names; *at; at += strspn(at, ",")) {
		size_t length = strcspn(at, ",");
		bool site = length == strlen("site") && !strncmp(at, "site", length); /* stands as a comment */
		if (!site && !idle_carries(m, at, length))
			report_say(report,
				"--values: no statement has '%.*s': no event carries it, or it follows no formula",
				(int)length, at);
		at += length;
	}
}
