/*
 * limits.h -- every bound of the search for a function, with its reason. None makes a result wrong:
 * beyond them a column is a table.
 */
#ifndef TRACENEST_FIT_LIMITS_H
#define TRACENEST_FIT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Of a sum that a reader grasps: factors and constants, */
#define FACTOR_MOST (INT64_C(1) << 30)
#define CONSTANT_MOST (INT64_C(1) << 59)

/* ... and so many remainders and powers in it: one for each coordinate of a grid, two levels. */
#define REMAINDERS_MOST 3
#define POWERS_MOST 2

static inline bool is_small(__int128 number, int64_t most)
{
	return number <= most && number >= -most;
}

/* Powers: levels of a grid shrink by 2, 4, 8, rarely by 3 or 16; an exponent above has no 64
   bits. */
#define POWER_BASE_MOST 16
#define POWER_EXPONENT_MOST 60

/* Periods of an index that are tried one by one, each in the time of the table: output every 50 or
   100 steps is common, every 1,000 is an iteration of its own. */
#define PERIOD_MOST 256

/* Remainders of numbers that are seen here and there only: 2 to 8 are colours, corners, blocks. */
#define UNEVEN_MOST 8

/* Sums of coordinates modulo a size, as arguments: of two axes and two indices, two by two, with
   both signs, they are 10, three by three 8. */
#define DERIVED_MOST 24

/* Distinct points above which nothing is tried that looks at pairs of variables: digits and
   products come from numbers of ranks and levels, never from long loops. */
#define PAIRS_POINTS (UINT32_C(1) << 14)

/* Entries above which a table is made once, without trying several ways to fill its holes, or other
   arguments: printing it is what costs. */
#define TRIED_ENTRIES (UINT32_C(1) << 12)

/* Numbers of a statement, of all its processes together: so many are looked at first, each time
   that a function is wrong so many times as many, and above so many each gets an entry of its own.
   What 4,096 do not tell 300,000 rarely do; a million points take 100 MB. */
#define SAMPLE_FIRST (UINT32_C(1) << 12)
#define SAMPLE_GROWTH 8
#define SAMPLE_MOST (UINT32_C(1) << 19)

/* Entries that nothing asks for, of a table: so many times as many as are asked for, and so
   many. */
#define HOLES_RATIO 16
#define HOLES_FEW (UINT64_C(1) << 16)

/* An index that counts further than this counts iterations, not levels, neighbours, or ranks of a
   table that is read as one. */
#define LEVELS_MOST 64

#endif
