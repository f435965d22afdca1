/*
 * sample.c -- which values are kept is a matter of their numbers alone, mixed, so that no period of
 * the program meets one of ours.
 */
#include "profile/sample.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

static bool is_kept(uint64_t index, uint32_t level)
{
	uint64_t mixed = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
	return !((mixed ^ mixed >> 29) >> 8 & ((UINT64_C(1) << level) - 1));
}

void sample_add(struct sample *s, uint64_t value)
{
	uint64_t index = s->seen++;
	while (s->length == SAMPLE_MOST && is_kept(index, s->level)) {
		size_t kept = 0;
		s->level++;
		for (size_t i = 0; i < s->length; i++)
			if (is_kept(s->kept[i].index, s->level))
				s->kept[kept++] = s->kept[i];
		s->length = kept;
	}
	if (!is_kept(index, s->level))
		return;
	*MEM_PUSH(s->kept, s->length, s->capacity) = (struct sampled){index, value};
}

void sample_clear(struct sample *s)
{
	free(s->kept);
	*s = (struct sample){0};
}

double sample_mean_of_largest(const struct sample *const *sample, size_t samples)
{
	double sum = 0;
	for (size_t i = 0; i < samples; i++)
		if (sample[i]->seen != sample[0]->seen)
			return 0;
	if (!samples || !sample[0]->length)
		return 0;
	for (size_t i = 0; i < sample[0]->length; i++) {
		uint64_t largest = 0;
		for (size_t k = 0; k < samples; k++)
			largest = sample[k]->kept[i].value > largest ? sample[k]->kept[i].value : largest;
		sum += (double)largest;
	}
	return sum / (double)sample[0]->length;
}
