/*
 * parametric_difference.h -- two parametric texts beside each other, statement by statement: who,
 * with whom and how often as functions, whatever the number of processes.
 *
 *	struct parametric_difference d;
 *	parametric_difference_of(&d, first.data, first.length, second.data, second.length);
 *	parametric_difference_print(&d, "a.nest", "b.nest", &text);
 *	parametric_difference_clear(&d);
 *
 * A statement is a line of the text without what stands behind it for people, a procedure's too,
 * with the formulas of the tables in it; so are tables of numbers, and the rules of the header. What
 * was learned and proven is no difference.
 */
#ifndef TRACENEST_REPORT_PARAMETRIC_DIFFERENCE_H
#define TRACENEST_REPORT_PARAMETRIC_DIFFERENCE_H

#include "base/json.h"

/* A line, taken apart: [who] does ; carries. */
struct parametric_line {
	uint64_t number;
	uint32_t depth; /* loops and conditions around */
	char *whole, *who, *does, *carries; /* the last three: "" where there is none */
};

struct parametric_difference {
	struct parametric_line *line[2];
	size_t lines[2], capacity[2];
	size_t *counterpart; /* by line of the first; SIZE_MAX: it stands in the first alone */
	size_t same, differing, only[2];
};

/* The texts are parametric. To be cleared. O(lines that differ of the one x of the other). */
void parametric_difference_of(struct parametric_difference *, const char *first, size_t first_length,
	const char *second, size_t second_length);
void parametric_difference_clear(struct parametric_difference *);

/* What differs, in the order of the first: both lines, and in what they differ. */
void parametric_difference_print(
	const struct parametric_difference *, const char *first, const char *second, struct text *);
void parametric_difference_print_json(const struct parametric_difference *, struct json *);

#endif
