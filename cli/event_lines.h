/*
 * event_lines.h -- events as lines of text, fast: each is worded once and copied from then on.
 */
#ifndef TRACENEST_CLI_EVENT_LINES_H
#define TRACENEST_CLI_EVENT_LINES_H

#include <stdint.h>

#include "base/text.h"
#include "model/dictionary.h"

struct event_lines;

/* Borrows the dictionary, which may grow meanwhile. */
struct event_lines *event_lines_new(const struct dictionary *);
void event_lines_free(struct event_lines *);

/* Append the line, with its newline, of an event as the process of that rank sees it. O(length). */
void event_lines_put(struct event_lines *, uint32_t event, uint32_t rank, struct text *out);

#endif
