/*
 * volumes.h -- the bytes that each pair of processes exchanges, fetched from a trace by a generated scanner.
 */
#ifndef TRACENEST_CLI_VOLUMES_H
#define TRACENEST_CLI_VOLUMES_H

#include "cli/scanner.h"
#include "model/matrix.h"

struct volumes_phase {
	const char *address; /* NULL: the whole run */
	struct matrix *matrix; /* its cells get their bytes */
};

/* The trace is settings->bytes. With per_iteration: of the mean iteration, rounded. */
bool volumes_fetch(
	const struct annotated *, const struct settings *, struct volumes_phase *, size_t phases, struct report *, struct error *);

#endif
