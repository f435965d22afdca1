/*
 * odds.h -- symbols in nearly as few bits as they are worth, where it is known how often each
 * occurs.
 *
 *	struct odds odds = {0};
 *	odds_of(&odds, symbols, symbol, count);
 *	struct odds_writer w = {0};
 *	odds_put(&w, &odds, 17);
 *	odds_put_bits(&w, 4711, 13);			-- what is as likely as anything else
 *	odds_finish(&w, &bytes);			-- appended
 *	struct odds_reader r = odds_start(bytes.data, bytes.length);
 *	if (!odds_get(&r, &odds, &symbol) || !odds_get_bits(&r, 13, &value) || !odds_ended(&r))
 *		...					-- damaged
 *
 * What FSE is to zstd, with a table for each symbol that is put, chosen by whoever puts it, where
 * zstd has one for all bytes of a block. (J. Duda: Asymmetric numeral systems, arXiv:1311.2540; the
 * range variant, written from the end so that it is read from the beginning.)
 */
#ifndef TRACENEST_PROFILE_ODDS_H
#define TRACENEST_PROFILE_ODDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pack.h"
#include "base/text.h"

/* Shares are parts of so many; so many symbols a table may have at most. */
#define ODDS_BITS 14
#define ODDS_WHOLE (1u << ODDS_BITS)

/* Symbols, ascending; entry i has the shares from its start to the start of the next one, less 1.
   Hints lie behind the entries: what is read together is near each other. */
struct odds_entry {
	uint16_t start, symbol;
};
struct odds {
	struct odds_entry *entry; /* and one more, behind the last */
	uint16_t *hint; /* by the first bits of a share: the entry that has it, or one before; borrowed */
	uint8_t *code; /* the shares, as they are packed */
	uint32_t symbols;
	unsigned hint_shift; /* a share without its other bits */
};

/* symbol: ascending; each occurs count times, at least once. At least one, at most ODDS_WHOLE. */
void odds_of(struct odds *, uint32_t symbols, const uint16_t *symbol, const uint32_t *count);
void odds_clear(struct odds *);

/* As bytes; again: false, and *from is bad, where they are none. */
void odds_pack(const struct odds *, struct text *);
bool odds_unpack(struct odds *, struct unpack *from);

struct odds_step {
	uint16_t start, share;
};

/* Starts as {0}; empty again once finished, so that its memory is used again. */
struct odds_writer {
	struct odds_step *step;
	size_t steps, capacity;
};

void odds_put(struct odds_writer *, const struct odds *, uint16_t symbol); /* one that has a share */
void odds_put_bits(struct odds_writer *, uint64_t value, unsigned bits);
void odds_finish(struct odds_writer *, struct text *to);
void odds_writer_clear(struct odds_writer *);

struct odds_reader {
	uint32_t state;
	const unsigned char *at, *end;
};

/* Borrows the bytes. False: they end too soon. O(1), nearly. */
struct odds_reader odds_start(const void *bytes, size_t size);
bool odds_get(struct odds_reader *, const struct odds *, uint16_t *symbol);
bool odds_get_bits(struct odds_reader *, unsigned bits, uint64_t *value);

/* Was all that was put read again? Says so of damaged bytes only by chance. */
bool odds_ended(const struct odds_reader *);

#endif
