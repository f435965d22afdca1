/*
 * c_text.h -- numbers of a program as expressions of C, and the tables that they look up as static
 * arrays.
 *
 *	struct c_text c = {0};
 *	c_value(&c, &value, &text);			-- 2 * table_w_0[i0] + 3 + wrap(i0, 7)
 *	...
 *	c_text_definitions(&c, &text);			-- static const long table_w_0[] = ...; wrap()
 *	c_text_clear(&c);
 *
 * The code around has `p`, the coordinates and the indices as variables, of those that were used.
 */
#ifndef TRACENEST_MODEL_C_TEXT_H
#define TRACENEST_MODEL_C_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/formula.h"

/* What was used. Starts as {0}. */
struct c_text {
	bool rank, axis[GRID_AXES], wrap, among;
	const struct table **table; /* borrowed; in the order in which they were met */
	size_t tables, table_capacity;
};

void c_text_clear(struct c_text *);

/* "3 + 2 * i0"; "table_nbr_1[table_nbr_1_row[p] + i1]"; "i0 % 7 == 6". */
void c_affine(struct c_text *, const struct affine *, struct text *);
void c_value(struct c_text *, const struct value *, struct text *); /* but for its test */
void c_condition(struct c_text *, const struct value *, struct text *);

/* p / 4 % 4: a coordinate of p. */
void c_coordinate(const struct grid *, uint32_t axis, struct text *);

/* The arrays and functions that all of this needs, at the top of the file. An array is called
   table_NAME_NUMBER. */
void c_text_definitions(const struct c_text *, struct text *);

#endif
