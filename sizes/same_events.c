/*
 * same_events.c -- and if not, in what they differ.
 */
#include "sizes/same_events.h"

#include "ask/sameness.h"

bool same_events(struct run *of, struct run *as, struct text *told)
{
	struct first_difference d = {0};
	bool same = runs_sameness(of, as, VALUES_OF_BOTH, UINT64_MAX, &d) == SAMENESS_SAME;
	if (d.known && told)
		text_format(told, "'%s' instead of '%s'", d.event[0].length ? d.event[0].data : "the end",
			d.event[1].length ? d.event[1].data : "the end");
	first_difference_clear(&d);
	return same;
}
