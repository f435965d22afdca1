/*
 * digest.c -- polynomials modulo 2^61 - 1.
 */
#include "base/digest.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

static const uint64_t base[DIGEST_ROWS] = {UINT64_C(0x12d8af4b3c6e5971), UINT64_C(0x0b7a3e9150c4f2d7)};

const struct digest digest_empty = {.power = {1, 1}};

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;
	return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	return add((uint64_t)product & PRIME, (uint64_t)(product >> 61));
}

struct digest digest_of(uint32_t number)
{
	struct digest d = {.length = 1};
	for (int i = 0; i < DIGEST_ROWS; i++) {
		d.value[i] = (uint64_t)number + 1;
		d.power[i] = base[i];
	}
	return d;
}

struct digest digest_join(const struct digest *a, const struct digest *b)
{
	struct digest d = {.length = a->length + b->length};
	for (int i = 0; i < DIGEST_ROWS; i++) {
		d.value[i] = add(multiply(a->value[i], b->power[i]), b->value[i]);
		d.power[i] = multiply(a->power[i], b->power[i]);
	}
	return d;
}

struct digest digest_repeat(struct digest d, uint64_t count)
{
	struct digest all = digest_empty;
	for (; count; count >>= 1) {
		if (count & 1)
			all = digest_join(&all, &d);
		d = digest_join(&d, &d);
	}
	return all;
}
