/*
 * procedures.h -- bodies that a model's text says once and calls by name.
 *
 *	[0-15] for i0 = 0 to 248
 *	  call exchange(640)
 *	done
 *	// procedures
 *	procedure exchange(n)
 *	  [0-14] p send p+1 tag1 ; bytes={n}
 *	  [1-15] p-1 recv p tag1 ; bytes={n}
 *	done
 *
 * A procedure is a way to say a program, and no part of what it is: whoever reads a text reads the
 * lines of the body at each call of it. So nobody behind the reader knows of procedures, and
 * addresses are those of the text without them.
 *
 *	struct procedures *p = procedures_collect(lines, line, &behind, &error);
 *	... procedures_main(p): its lines, and at a call those of procedures_find(p, name) ...
 */
#ifndef TRACENEST_MODEL_PROCEDURES_H
#define TRACENEST_MODEL_PROCEDURES_H

#include "base/text.h"
#include "model/lines.h"

#define PARAMETERS_MOST 16

/* Procedures inside each other; lines that all calls of a text may come to. */
#define CALL_DEPTH 64
#define CALLED_LIMIT (UINT64_C(1) << 20)

/* A line of a body. */
struct kept_line {
	size_t start; /* in the body's text */
	uint64_t number;
};

struct procedure {
	const char *name; /* NULL: what stands outside of all procedures */
	uint64_t line;
	char *heading; /* name and parameters */
	struct word parameter[PARAMETERS_MOST]; /* with the dollar where a table is meant */
	size_t parameters;
	struct text text;
	struct kept_line *kept;
	size_t lines, capacity;
};

/* "exchange(640,$b)" behind `call` or `procedure`. */
struct called {
	struct word name, argument[PARAMETERS_MOST];
	size_t arguments;
};

struct procedures;

/* Does the line, without what is blank before it, call or define a procedure? */
bool procedure_calls(const char *line);
bool procedure_defines(const char *line);

/* What it calls. False with *error (without a place) set where it is none that can be called. */
bool procedure_called(const char *line, struct called *, struct error *);

/*
 * The lines from this one, which is the last that was read, to the first that defines a table (it
 * is *behind, lines_next's) or to the end (NULL). open: loops and guards around the line. NULL with
 * *error set, with file:line: a procedure that is not closed, or is defined twice, a call of none
 * that there is, a procedure that calls itself, calls that are too deep or stand for more than
 * CALLED_LIMIT lines. O(lines).
 */
struct procedures *procedures_collect(struct lines *, const char *line, size_t open, char **behind, struct error *);
void procedures_free(struct procedures *);

const struct procedure *procedures_main(const struct procedures *);
const struct procedure *procedures_find(const struct procedures *, struct word name); /* NULL: none */

#endif
