/*
 * text_trace.h -- the reader of text traces, for trace.c only.
 */
#ifndef TRACENEST_TRACE_TEXT_TRACE_H
#define TRACENEST_TRACE_TEXT_TRACE_H

#include "trace/trace.h"

struct text_trace;

struct text_trace *text_trace_new(const struct trace_options *);
void text_trace_free(struct text_trace *);

/* One more file, after those before it; "-": standard input. */
bool text_trace_add(struct text_trace *, const char *path, struct error *);

bool text_trace_read(struct text_trace *, const char *name, const struct ranks *wanted, const struct trace_sink *,
	struct trace_facts *, struct error *);
struct dictionary *text_trace_dictionary(const struct text_trace *, uint32_t rank);

#endif
