/*
 * c_text.h -- numbers of a program as expressions of C, (p + 15) % 16, 600 + 40 * i0,
 * table_b[p][i0], and the tables that they look up as static arrays.
 *
 *	struct c_text c = {.store = module->store, .grid = &module->grid, .loops = loops around it};
 *	c_number(&c, number, &text);			-- 2 * table_w[i0] + 3 + i0 % 7
 *	...
 *	c_text_definitions(&c, &text);			-- static const int table_w[] = ...; wrap()
 *	c_text_clear(&c);
 *
 * The code around has `p`, the coordinates x, y, z, w and the indices i0, i1, ... as variables, of
 * those that were used.
 */
#ifndef TRACENEST_SCANGEN_C_TEXT_H
#define TRACENEST_SCANGEN_C_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/number.h"

struct c_text {
	struct store *store; /* of the numbers, */
	uint32_t loops; /* ... and the loops around those that are asked for */
	const struct grid *grid; /* needed for places, and where the process is not called p */
	const char *process; /* another name than p */
	const char *counter; /* what q is, of an attribute by member */
	uint32_t processes; /* how many there are */
	/* of the loops beyond `depth`, indices are called by how far they are from there: what
	   stands below loops that differ in depth reads the same. For comparing; this is no C. */
	bool relative;
	unsigned depth;
	/* What was used. */
	bool axis[GRID_AXES], wrap, at, most, among, power;
	uint32_t indices; /* a bit each */
	struct c_table {
		const struct table *table; /* borrowed */
		bool by_process; /* it is looked up by p: then it has an entry for each process */
	} * table; /* in the order in which they were met */
	size_t tables, table_capacity;
};

/* As new, of the same grid. */
void c_text_clear(struct c_text *);

/* "3 + 2 * i0"; "table_nbr[table_nbr_row[p] + i1]"; "(p + 1) % 16"; "i0 % 7 == 6"; the condition
   that a place is one of the run, whether it is a number or on the open grid. */
void c_number(struct c_text *, node_id sum, struct text *);
void c_test(struct c_text *, node_id test, struct text *);
void c_inside(struct c_text *, node_id place, struct text *);

/* The name of a coordinate; p / 4 % 4: what it is. */
char c_axis(uint32_t axis);
void c_coordinate(const struct grid *, uint32_t axis, struct text *);

/* May any process compute it, whether it has such a value or not? */
bool c_is_defined(const struct store *, node_id sum);

/* The arrays and functions that all of this needs, at the top of the file. An array is called
   table_NAME, those that conditions ask for set_NUMBER. */
void c_text_definitions(const struct c_text *, struct text *);

#endif
