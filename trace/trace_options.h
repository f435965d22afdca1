/*
 * trace_options.h -- how a trace is read (struct trace_options) as words, "--events mpi --order
 * recorded": on the command line, in the notes of the model that was made from it, in a scanner.
 * Readers of the same trace must agree: positions depend on it.
 */
#ifndef TRACENEST_TRACE_TRACE_OPTIONS_H
#define TRACENEST_TRACE_TRACE_OPTIONS_H

#include "base/error.h"
#include "base/text.h"
#include "model/notes.h"
#include "trace/trace.h"

/* Each has a few choices, of which 0 is the default. */
enum trace_option { TRACE_OPTION_EVENTS, TRACE_OPTION_ORDER, TRACE_OPTION_COLLECTIVES, TRACE_OPTIONS };

void trace_option_set(struct trace_options *, enum trace_option, unsigned choice);

/* Append those that are not the default; nothing if all are. */
void trace_options_print(const struct trace_options *, struct text *);

/* Set what the words say; the rest stays. False with *error set where they say something else. */
bool trace_options_read(struct trace_options *, const char *words, struct error *);

/* What the maker of a model noted of its reading; how it is noted. */
bool trace_options_of_notes(struct trace_options *, const struct notes *, struct error *);
void trace_options_note(const struct trace_options *, struct notes *);

#endif
