/*
 * module_read.h -- what the parts of the reader share (model/module_read.c): the line at hand, what
 * names stand for in it, and how a message finds its place.
 *
 * Functions that read something take where it stands and move it behind; they give a node, or
 * NODE_NONE with the error set, file:line:column in front of it.
 */
#ifndef TRACENEST_MODEL_MODULE_READ_H
#define TRACENEST_MODEL_MODULE_READ_H

#include "base/intern.h"
#include "model/attributes.h"
#include "model/lines.h"
#include "model/module_parts.h"

/* Limits of a text. Loops and guards inside each other. */
#define NESTED_LIMIT 1000

/* Events of all processes. */
#define EVENTS_LIMIT (UINT64_C(1) << 63)

/* Procedures inside each other; lines that all calls of a text may come to. */
#define CALLS_INSIDE 64
#define CALLED_LINES (UINT64_C(1) << 20)

/* Parentheses, arguments and coordinates inside each other. */
#define PARENTHESES_LIMIT 64

struct loop_name {
	struct word name;
	node_id low; /* its first value */
};

struct reader {
	struct module *module;
	struct store *store;
	const char *name; /* of the file */
	struct error *error;
	const char *line, *line_end; /* the one at hand, before it is cut into parts */
	uint64_t number; /* ... in the file */
	struct loop_name *index; /* of the loops around, the outermost first */
	size_t depth, base, index_capacity; /* names of those from base on are known */
	struct word parameter[PARAMETERS_LIMIT]; /* of the procedure around; a table's with its dollar */
	uint32_t parameters;
	bool condition; /* a set is being read: names are of processes and extents alone */
	char counter; /* the letter that a sum() around counts with; 0: there is none */
	int inside; /* parentheses around */
	struct intern *table_names; /* ids are places in the module */
	uint64_t *table_line;
	size_t table_line_capacity;
	struct intern *set_texts; /* sets of ranks as they are written, */
	node_id *set; /* and what these are */
	size_t sets, set_capacity;
};

/* Set the error, with the place of `at`, which is in the line at hand, and give 0. */
bool reader_place(const struct reader *, const char *at);
#define fail(r, at, ...) (error_set((r)->error, ERROR_INPUT, __VA_ARGS__), reader_place((r), (at)))

static inline bool accept(const char **at, const char *what)
{
	size_t length = strlen(what);
	bool good = !strncmp(*at, what, length);
	*at += good ? length : 0;
	return good;
}

/* Letters and digits. */
static inline size_t name_length(const char *name)
{
	size_t length = 0;
	while (is_letter(name[length]) || is_digit(name[length]))
		length++;
	return length;
}

/* ------------------------------------------------------------------ numbers: model/read_number.c
   */

/* 8+2*i0; {8+2*i0} or without braces; the same as a place, where p^ flips bits. */
node_id read_sum(struct reader *, const char **at);
node_id read_value(struct reader *, const char **at);
node_id read_place(struct reader *, const char **at);
/* {8+2*i0}, $b[p] */
bool number_begins(const char *at);
/* <= among the functions; FUNCTION_DIVIDED: none stands here. */
enum node_function read_relation(const char **at);
/* @(x,*): by axis; NODE_NONE: all coordinates. */
bool read_line_of_grid(struct reader *, const char **at, node_id *coordinate);
/* {i0%7} = 6, {i0} in {3,17,20..30} */
node_id read_test(struct reader *, const char **at);
/* $b, which is no look-up: the table, or the parameter that is one. */
node_id read_table_name(struct reader *, struct word);

/* ------------------------------------------------------- events and sets: model/read_statement.c
   */

/* [x>0], [$w[i0]], behind the bracket; who executes all that follows. */
node_id read_domain(struct reader *, const char **at);
/* A line without its set (who: NODE_NONE: it has none) and its comment; it is cut into parts. */
node_id read_event(struct reader *, char *line, node_id who);

/* A WORD, in quotes where it would be read as anything else. */
node_id attribute_word(struct store *, const char *word);

/* ------------------------------------------------------------------ all together */

/* In an environment, do all numbers come out, wherever they are asked for; are peers ranks? Else
   *line and a message without a place. events: of all processes; UINT64_MAX: that many or more. */
#define INLINED_NOWHERE ((struct inlined_line){UINT32_MAX, UINT32_MAX})
bool module_check(
	struct module *, const struct environment *, uint64_t *events, struct inlined_line *line, struct error *);

/* Puts before the message where in the text of this name the line is, of a module as it was read;
   gives false. */
bool module_error_at(const struct module *, const char *name, struct inlined_line, struct error *);

#endif
