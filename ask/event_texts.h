/*
 * event_texts.h -- events of a run as lines of text.
 *
 *	struct event_texts *l = event_texts_new(run, NULL, NULL);
 *	while (cursor_next(c))
 *		event_texts_put(l, &c->at, c->event, NULL, &text);	-- "0 send 1 tag5@2"
 *	event_texts_free(l);
 *
 * A line that a process has again and again is worded once.
 */
#ifndef TRACENEST_ASK_EVENT_TEXTS_H
#define TRACENEST_ASK_EVENT_TEXTS_H

#include "model/run.h"

struct event_texts;

/* Is an attribute of this name to stand behind the event? NULL: none is. */
typedef bool event_texts_asked(const void *context, const char *name);

struct event_texts *event_texts_new(struct run *, event_texts_asked *, const void *context);
void event_texts_free(struct event_texts *);

/* With its newline. said: what is no attribute, and stands before them, "time=5"; or NULL. Numbers
   that do not come out are the environment's failure. */
void event_texts_put(struct event_texts *, struct environment *, node_id event, const char *said, struct text *);

#endif
