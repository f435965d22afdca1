/*
 * selection.c -- nothing is left out silently: a rank that does not exist is a mistake of the one
 * who asked.
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
		return error_set(error, ERROR_INPUT, "%s: there are no processes to choose from", s->argument[0]);
	return error_set(error, ERROR_INPUT, "%s: there is no rank %" PRIu32 ", the ranks are 0 to %" PRIu32,
		s->argument[0], last, processes - 1);
}

void selection_ranks(const struct settings *s, uint32_t processes, struct ranks *to)
{
	if (s->ranks.length)
		ranks_copy(to, &s->ranks);
	else if (processes > 0)
		ranks_add_run(to, 0, processes - 1);
}
