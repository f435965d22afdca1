/*
 * consistency.c -- what meets, then what can happen; and how to say what does not.
 */
#include "ask/consistency.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/module_address.h"

static void blame_messages(const struct meeting_facts *f, struct error *error)
{
	error_set(error, ERROR_INCONSISTENT, "%" PRIu64 " channel%s with unmatched messages or syncs:%s", f->unmatched,
		f->unmatched == 1 ? "" : "s", f->channels.data);
	size_t used = strlen(error->message);
	if (f->unmatched > MEETING_TOLD)
		snprintf(error->message + used, sizeof error->message - used, "\n  and %" PRIu64 " more",
			f->unmatched - MEETING_TOLD);
}

static void blame_loop(const struct module *m, const struct consistency *c, struct error *error)
{
	struct text address = {0};
	module_address(m, c->facts->crossed, &address);
	error_set(error, ERROR_INCONSISTENT, "loop %s: %s: messages cross from one iteration into another",
		address.data, c->facts->channel.data);
	text_clear(&address);
}

static void blame_receive(const struct module *m, const struct consistency *c, struct error *error)
{
	struct text address = {0}, words = {0};
	uint32_t depth = 0;
	module_address(m, c->facts->misplaced, &address);
	for (const char *at = address.data; *at; at++)
		depth += *at == '.';
	node_print(m, module_at(m, c->facts->misplaced).statement, depth, &words);
	error_set(error, ERROR_INCONSISTENT, "%s: '%s' stands before the send of the same iteration that it receives",
		address.data, words.data);
	text_clear(&address);
	text_clear(&words);
}

/* Is there a statement for several processes, or a number for several? */
static bool is_folded(const struct module *m)
{
	struct module_line *line = module_statements(m);
	bool folded = module_is_folded(m);
	for (size_t i = 0; i < m->lines && !folded; i++) {
		const struct node *n = node_of(m->store, line[i].node);
		folded = n->kind == NODE_GUARD || (n->kind == NODE_LOOP && node_of(m->store, n->kid[1])->kids);
	}
	free(line);
	return folded;
}

void consistency_of(struct run *run, struct consistency *c)
{
	const struct module *m = run_module(run);
	*c = (struct consistency){.schedule = SCHEDULE_UNKNOWN};
	c->meeting = meeting_new(run, MEETING_BUDGET);
	const struct meeting_facts *f = c->facts = meeting_facts(c->meeting);
	if (f->known && !f->complete)
		blame_messages(f, &c->messages);
	c->excused = f->known && f->never_received && f->never_received == m->notes.never_received;
	if (f->known && f->crossed != MEETING_NOWHERE)
		blame_loop(m, c, &c->loops);
	else if (f->known && f->misplaced != MEETING_NOWHERE && !is_folded(m))
		blame_receive(m, c, &c->listing);
	if (f->known && f->complete && f->order != ORDER_UNKNOWN) {
		c->schedule = SCHEDULE_THERE;
	} else if (!f->failure && (!f->known || f->complete)) {
		c->schedule = schedule_find(run, SENDS_BUFFERED, SCHEDULE_BUDGET, &c->cycle);
		c->run = true;
	}
}

bool consistency_ends(const struct consistency *c)
{
	return c->messages.kind == ERROR_NONE && c->schedule != SCHEDULE_CYCLE;
}

bool consistency_holds(const struct consistency *c, struct error *error)
{
	if (c->messages.kind != ERROR_NONE)
		*error = c->messages;
	else if (c->schedule == SCHEDULE_CYCLE)
		error_set(error, ERROR_INCONSISTENT, "%s%s", CONSISTENCY_CYCLE, c->cycle.data);
	else if (c->loops.kind != ERROR_NONE)
		*error = c->loops;
	else if (c->listing.kind != ERROR_NONE)
		*error = c->listing;
	else
		return true;
	return false;
}

void consistency_clear(struct consistency *c)
{
	meeting_free(c->meeting);
	text_clear(&c->cycle);
	*c = (struct consistency){0};
}
