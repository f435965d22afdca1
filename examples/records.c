/*
 * records.c -- loop nests of any records, found while they come, and what is expected next.
 *
 * A triangular sweep over the rows of a matrix tells the addresses that it reads. The recognizer
 * finds the two loops, with bounds and addresses as functions of their indices; and it foretells
 * most of the addresses eight places ahead.
 */
#include <inttypes.h>
#include <stdio.h>

#include <tracenest.h>

#define AHEAD 8

int main(void)
{
	tracenest_nlr *nlr = tracenest_nlr_new(0, 0, AHEAD);
	uint32_t load = tracenest_nlr_shape(nlr, "load 0x0", NULL), shape;
	int64_t expected[AHEAD] = {0}, number[TRACENEST_NLR_WIDTH];
	unsigned records = 0, right = 0;
	for (int64_t row = 0; row < 100; row++)
		for (int64_t column = 0; column <= row; column++, records++) {
			int64_t address = 0x10000 + 800 * row + 8 * column;
			right += expected[records % AHEAD] == address;
			tracenest_nlr_push(nlr, load, &address);
			expected[records % AHEAD] = tracenest_nlr_ahead(nlr, AHEAD, &shape, number) ? number[0] : 0;
		}
	char *nest = tracenest_nlr_finish(nlr, NULL);
	printf("%s%u of %u foretold\n", nest, right, records);
	tracenest_free(nest);
	return 0;
}
