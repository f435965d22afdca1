/*
 * call_table.h -- the calls of a trace as a table: CSV, or Parquet.
 */
#ifndef TRACENEST_CLI_CALL_TABLE_H
#define TRACENEST_CLI_CALL_TABLE_H

#include "cli/options.h"
#include "cli/talk.h"

/* As --csv or --parquet ask. */
bool call_table_print(const struct settings *, struct report *, struct error *);

#endif
