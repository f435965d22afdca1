/*
 * json.h -- results as JSON: the one place that knows its commas, its quotes and its escapes.
 *
 *	struct json j = {.out = out};
 *	json_object(&j, NULL, JSON_LINES);
 *	json_number(&j, "processes", 16);
 *	json_array(&j, "grid", JSON_ROW);
 *	json_number(&j, NULL, 4);
 *	json_number(&j, NULL, 4);
 *	json_close(&j);
 *	json_close(&j);
 *	json_finish(&j);
 *
 *	{
 *	  "processes": 16,
 *	  "grid": [4, 4]
 *	}
 *
 * A name stands before each member of an object, NULL before each item of an array. (RFC 8259.)
 */
#ifndef TRACENEST_BASE_JSON_H
#define TRACENEST_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/output.h"
#include "base/text.h"

#define JSON_DEPTH 16

/* What stands inside: a line each, or all in a row, or that without any blank, for machines
   alone. */
enum json_layout { JSON_LINES, JSON_ROW, JSON_TIGHT };

/* Starts as {0}, or with an output, which is borrowed; without one, all stays in the text, which is
   the caller's. */
struct json {
	struct output *out;
	struct text text;
	unsigned depth;
	struct {
		enum json_layout layout;
		char end; /* the bracket that closes it */
		bool any; /* is there something inside? */
	} level[JSON_DEPTH];
};

void json_object(struct json *, const char *name, enum json_layout);
void json_array(struct json *, const char *name, enum json_layout);
void json_close(struct json *); /* the innermost that is open */

/* Any bytes: those that are no UTF-8 become U+FFFD. */
void json_string(struct json *, const char *name, const char *string);
void json_number(struct json *, const char *name, uint64_t number);
void json_count(struct json *, const char *name, uint64_t number); /* a string where JavaScript would round it */
void json_integer(struct json *, const char *name, int64_t number);
void json_real(struct json *, const char *name, double number, int decimals); /* null: it is not finite */
void json_short(struct json *, const char *name, double number, int decimals); /* the same without zeros at the end */
void json_truth(struct json *, const char *name, bool truth);

/* The newline behind it all, which must be closed; with an output, everything is handed to it. */
void json_finish(struct json *);

#endif
