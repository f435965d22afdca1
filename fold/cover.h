/*
 * cover.h -- few functions that explain many things.
 *
 * Minimal set cover: each candidate explains some of the items; choose few candidates that together
 * explain all that any of them does.
 */
#ifndef TRACENEST_FOLD_COVER_H
#define TRACENEST_FOLD_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cover {
	size_t items, words; /* words: of a row of bits */
	uint64_t *bits; /* by candidate: which items it explains */
	uint32_t *cost; /* by candidate: of two that explain as much the cheaper is preferred */
	uint32_t candidates, capacity;
};

void cover_start(struct cover *, size_t items);
void cover_clear(struct cover *);

/* A new candidate, which explains nothing yet: its number. */
uint32_t cover_add(struct cover *, uint32_t cost);
static inline void cover_set(struct cover *c, uint32_t candidate, size_t item)
{
	c->bits[candidate * c->words + item / 64] |= UINT64_C(1) << item % 64;
}

/*
 * Greedy: again and again the candidate that explains most of what is left; of equals the cheaper,
 * the earlier. Then for each one chosen: is it better to do without? chosen: room for all
 * candidates, filled in the order of choice. Returns how many were chosen. left: c->words words of
 * bits, set to the items that nothing explains.
 */
uint32_t cover_choose(const struct cover *, uint32_t *chosen, uint64_t *left);

bool cover_has(const struct cover *, uint32_t candidate, size_t item);

#endif
