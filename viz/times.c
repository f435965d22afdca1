/*
 * times.c -- from loops of the text to loops that are drawn.
 */
#include "viz/times.h"

#include <stdlib.h>

#include "base/mem.h"

static double scale_end(double most)
{
	static const double ends[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (most <= ends[i])
			return ends[i];
	return 1;
}

double times_top(const struct viz_time *time, size_t length)
{
	double most = 0;
	for (size_t i = 0; i < length; i++)
		most = time[i].share > most ? time[i].share : most;
	return length ? scale_end(most) : 0;
}

double *times_shares(const struct drawn *d, const struct viz_time *time, size_t length)
{
	if (!length)
		return NULL;
	size_t statements = d->module->lines, sources = d->source->lines;
	double *share = mem_array(statements + 1, sizeof *share), *told = mem_array(sources + 1, sizeof *told),
	       *events = mem_zero((sources + 1) * sizeof *events);
	struct error error;
	uint64_t place;
	for (size_t i = 0; i < sources; i++)
		told[i] = TIMES_UNKNOWN;
	for (size_t i = 0; i < length; i++)
		if (module_find(d->source, time[i].address, &place, &error))
			told[place] = time[i].share;
	for (size_t i = 0; i < statements; i++)
		events[d->origin[i]] += d->call[i] ? 0 : (double)d->events[i] * (double)d->times[i];
	for (size_t i = 0; i < statements; i++) {
		size_t at = d->origin[i];
		share[i] = told[at] < 0 || d->call[i] ? TIMES_UNKNOWN
			   : events[at] > 0 ? told[at] * (double)d->events[i] * (double)d->times[i] / events[at]
					    : 0;
	}
	free(told);
	free(events);
	return share;
}

double times_add(double a, double b)
{
	return a < 0 ? b : b < 0 ? a : a + b;
}

void times_print(double share, struct text *out)
{
	double percent = 100 * share;
	if (percent > 0 && percent < 0.05)
		text_put(out, "< 0.1 %");
	else
		text_format(out, percent >= 9.95 || percent <= 0 ? "%.0f %%" : "%.1f %%", percent);
}
