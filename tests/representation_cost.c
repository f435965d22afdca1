/*
 * representation_cost.c -- what a model costs its reader; with `--inline`, with calls replaced.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/representation.h"

int representation_cost(struct module *m, const char *path, int options, char **option)
{
	struct error error = {0};
	if (options && !strcmp(option[0], "--inline") && !module_inline(m, &error)) {
		fprintf(stderr, "tracenest: %s: %s\n", path, error.message);
		return 3;
	}
	uint64_t cost = module_cost(m);
	printf("%" PRIu64 ".%02" PRIu64 "\n", cost / COST_UNIT, cost % COST_UNIT * (100 / COST_UNIT));
	return 0;
}
