/*
 * event_lines.h -- events of a run as lines of text.
 *
 *	struct event_lines *l = event_lines_new(run, NULL, NULL);
 *	while (cursor_next(c))
 *		event_lines_put(l, &c->at, c->event, &text);	-- "0 send 1 tag5@2"
 *	event_lines_free(l);
 *
 * A line that a process has again and again is worded once.
 */
#ifndef TRACENEST_ASK_EVENT_LINES_H
#define TRACENEST_ASK_EVENT_LINES_H

#include "base/output.h"
#include "model/run.h"

struct event_lines;

/* Is an attribute of this name to stand behind the event? NULL: none is. */
typedef bool event_lines_asked(const void *context, const char *name);

struct event_lines *event_lines_new(struct run *, event_lines_asked *, const void *context);
void event_lines_free(struct event_lines *);

/* With its newline. Numbers that do not come out are the environment's failure. */
void event_lines_put(struct event_lines *, struct environment *, node_id event, struct text *);

/* All events of these processes, one after the other. False with *error set where a number does not
   come out; output that fails ends it early. O(events). */
bool run_expand(
	struct run *, const struct ranks *, event_lines_asked *, const void *context, struct output *, struct error *);

#endif
