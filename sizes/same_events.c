/*
 * same_events.c -- and if not, in what they differ.
 */
#include "sizes/same_events.h"

#include "ask/sameness.h"
#include "model/program_nodes.h"

bool same_events(struct program *of, struct program *as, struct text *told)
{
	struct error error;
	struct first_difference d = {0};
	const struct program_nodes *x = program_nodes(of, &error), *y = x ? program_nodes(as, &error) : NULL;
	bool same = y && runs_sameness(x->run, y->run, VALUES_OF_BOTH, UINT64_MAX, &d) == SAMENESS_SAME;
	if (!y && told)
		text_put(told, error.message);
	if (d.known && told)
		text_format(told, "'%s' instead of '%s'", d.event[0].length ? d.event[0].data : "the end",
			d.event[1].length ? d.event[1].data : "the end");
	first_difference_clear(&d);
	return same;
}
