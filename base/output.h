/*
 * output.h -- results, written whole or not at all.
 *
 * A named output is a temporary file beside its destination until output_close has flushed, checked
 * and renamed it; a run that fails or is ended by a signal leaves nothing behind (but a crash or
 * SIGKILL may). "-" or NULL is standard output. A destination that is not a regular file
 * (/dev/null, a pipe) is written in place. Write errors are remembered and reported by
 * output_close.
 */
#ifndef TRACENEST_BASE_OUTPUT_H
#define TRACENEST_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

struct output;

/* A file whose name ends with .nestz is compressed (packed.h). */
struct output *output_open(const char *path, struct error *);

/* Do not wait for the disk when it is closed: after a power failure the file may be gone, as
   results that are soon made again may. */
void output_do_not_wait(struct output *);

/* How lines are to look, for outputs that are a terminal: appends a line, which comes without its
   newline, to a text. Before anything is written. */
typedef void output_dress(const char *line, size_t length, struct text *);
void output_dress_lines(struct output *, output_dress *);
bool output_is_terminal(const struct output *);

/* What a terminal would obey goes out as text_put_visible shows it (escape.h); but for outputs that are
   no text. */
void output_write(struct output *, const char *bytes, size_t length);
void output_raw(struct output *);
void output_text(struct output *, struct text *); /* writes and empties the text */
/* As a field of CSV: in quotes where it needs these. */
void output_csv(struct output *, const char *word);
void output_format(struct output *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Has a write failed already (a closed pipe, a full disk)? Long writers stop early. */
bool output_failed(const struct output *);

/* Flush, check, rename; takes the output. A reader that closed the pipe is no error (but
   output_failed was true). */
bool output_close(struct output *, struct error *);

/* These bytes, and no others, are the output; of a text, as output_write writes it. */
bool output_all(const char *path, const char *bytes, size_t length, struct error *);
bool output_all_text(const char *path, const struct text *, struct error *);

/* Drop what was written; takes the output. NULL is fine. */
void output_abandon(struct output *);

/* Close it; or abandon it, where what goes into it is no good, and *error says why. */
bool output_finish(struct output *, bool good, struct error *);

#endif
