/*
 * parquet.h -- a table as a Parquet file, row by row.
 *
 *	static const struct parquet_column columns[] = {{"rank", PARQUET_INTEGER}, {"site", PARQUET_WORD}};
 *	struct parquet *p = parquet_new(columns, 2, output);
 *	parquet_integer(p, 0, 3);
 *	parquet_word(p, 1, "rhs.f:203 compute_rhs");
 *	parquet_end_row(p);			-- what a row was not given is null
 *	parquet_finish(p);			-- p is gone; the output is to be closed
 *
 * The format is that of parquet.apache.org, of its first version: row groups that are written
 * as soon as they are full, so that memory does not grow with the table; plain numbers; words
 * by number in a dictionary of their group, which readers may take for categories; pages
 * compressed by zstd where its library is there.
 */
#ifndef TRACENEST_BASE_PARQUET_H
#define TRACENEST_BASE_PARQUET_H

#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

enum parquet_type { PARQUET_INTEGER, PARQUET_FIGURE, PARQUET_WORD };

struct parquet_column {
	const char *name;
	enum parquet_type type;
};

struct parquet;

/* Borrows the columns and the output, which is to be raw. */
struct parquet *parquet_new(const struct parquet_column *, size_t columns, struct output *);
void parquet_integer(struct parquet *, size_t column, int64_t);
void parquet_figure(struct parquet *, size_t column, double);
void parquet_word(struct parquet *, size_t column, const char *); /* in UTF-8 */
void parquet_end_row(struct parquet *);
void parquet_finish(struct parquet *);

#endif
