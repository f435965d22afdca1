/*
 * bits.h -- numbers of a few bits each, one behind the other in words.
 *
 *	uint64_t *word = mem_zero(bits_words(count, width) * sizeof *word);
 *	bits_put(word, i, width, number);
 *	number = bits_get(word, i, width);
 */
#ifndef TRACENEST_BASE_BITS_H
#define TRACENEST_BASE_BITS_H

#include <stddef.h>
#include <stdint.h>

/* Of a number: how many it takes; 0 takes none. */
static inline unsigned bits_of(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

static inline size_t bits_words(size_t count, unsigned width)
{
	return (count * width + 63) / 64;
}

/* Where there was 0. width: up to 64; of width 0 all numbers are 0. */
static inline void bits_put(uint64_t *word, size_t at, unsigned width, uint64_t number)
{
	size_t bit = at * width;
	if (!width)
		return;
	word[bit / 64] |= number << bit % 64;
	if (bit % 64 + width > 64)
		word[bit / 64 + 1] |= number >> (64 - bit % 64);
}

static inline uint64_t bits_get(const uint64_t *word, size_t at, unsigned width)
{
	size_t bit = at * width;
	if (!width)
		return 0;
	uint64_t number = word[bit / 64] >> bit % 64;
	if (bit % 64 + width > 64)
		number |= word[bit / 64 + 1] << (64 - bit % 64);
	return width < 64 ? number & ((UINT64_C(1) << width) - 1) : number;
}

#endif
