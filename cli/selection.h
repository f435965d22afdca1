/*
 * selection.h -- the ranks that --rank names, held against those that exist.
 */
#ifndef TRACENEST_CLI_SELECTION_H
#define TRACENEST_CLI_SELECTION_H

#include "cli/options.h"

/* Are all ranks asked for below `processes`? An error that says which ones there are, if not. */
bool selection_exists(const struct settings *, uint32_t processes, struct error *);

/* The ranks asked for; all if none were. */
void selection_ranks(const struct settings *, uint32_t processes, struct ranks *);

#endif
