/*
 * definitions.h -- numbers that an option names: --param n=64, -D P=4096, --grid 8x4.
 */
#ifndef TRACENEST_CLI_DEFINITIONS_H
#define TRACENEST_CLI_DEFINITIONS_H

#include "base/error.h"
#include "model/extents.h"

struct definition {
	char name[EXTENTS_NAME + 1]; /* in capital letters: in texts, small ones are coordinates, indices, arguments */
	int64_t value;
};

bool definition_read(const char *text, const char *option, struct definition *, struct error *);
bool definition_grid(const char *text, struct grid *, struct error *);

#endif
