/*
 * selection.c -- nothing is left out silently: a rank that does not exist is a mistake of the one who asked.
 */
#include "cli/selection.h"

#include <inttypes.h>

bool selection_exists(const struct settings *s, uint32_t processes, struct error *error)
{
	if (s->ranks.length == 0)
		return true;
	uint32_t last = s->ranks.run[s->ranks.length - 1].last;
	if (last < processes)
		return true;
	if (processes == 0)
		return error_set(error, ERROR_INPUT, "--rank: %s has no processes", s->argument[0]);
	return error_set(error, ERROR_INPUT, "--rank: there is no rank %" PRIu32 " in %s, the ranks are 0 to %" PRIu32, last,
		s->argument[0], processes - 1);
}

void selection_ranks(const struct settings *s, uint32_t processes, struct ranks *to)
{
	if (s->ranks.length)
		ranks_copy(to, &s->ranks);
	else if (processes > 0)
		ranks_add_run(to, 0, processes - 1);
}
