/*
 * volumes.h -- the bytes that each pair of processes exchanges, from one reading of a trace beside its program.
 */
#ifndef TRACENEST_CLI_VOLUMES_H
#define TRACENEST_CLI_VOLUMES_H

#include "ask/matrix.h"
#include "cli/options.h"
#include "cli/report.h"
#include "model/program.h"

struct volumes_phase {
	const char *address; /* of a statement; NULL: the whole run */
	struct matrix *matrix; /* its cells get their bytes */
};

/* The trace is settings->bytes. With per_iteration: of the mean iteration, rounded. */
bool volumes_read(
	struct program *, const struct settings *, struct volumes_phase *, size_t phases, struct report *, struct error *);

#endif
