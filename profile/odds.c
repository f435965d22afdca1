/*
 * odds.c -- the state is a number that holds all that was put since it was last made smaller by a
 * byte.
 */
#include "profile/odds.h"

#include <assert.h>
#include <stdlib.h>

#include "base/binary_search.h"
#include "base/mem.h"

/* Bits of a share that a hint goes by: none where there are few symbols. */
static unsigned hint_bits(uint32_t symbols)
{
	return symbols <= 8 ? 0 : symbols <= 24 ? 5 : 8;
}

/* The state is at least this, and below 256 times as much. */
#define LEAST (UINT32_C(1) << 23)

/* ------------------------------------------------------------------ tables */

/* Give and take where it matters least: at the largest share. */
static void make_whole(uint32_t *share, uint32_t symbols, uint32_t sum)
{
	while (sum != ODDS_WHOLE) {
		uint32_t most = 0;
		for (uint32_t i = 1; i < symbols; i++)
			most = share[i] > share[most] ? i : most;
		if (sum < ODDS_WHOLE) {
			share[most] += ODDS_WHOLE - sum;
			return;
		}
		uint32_t over = sum - ODDS_WHOLE, half = share[most] / 2, take = over < half ? over : half;
		share[most] -= take;
		sum -= take;
	}
}

/* Tables tell shares in steps of an eighth, as codes of a byte: 1 to 7, and then three bits of the
   share and how many follow. */
static uint8_t code_of(uint32_t share)
{
	unsigned bits = share < 8 ? 0 : 29 - (unsigned)__builtin_clz(share);
	uint32_t lead = (share + (bits ? 1u << (bits - 1) : 0)) >> bits;
	return (uint8_t)(4 * bits + lead);
}

static uint32_t share_of(uint8_t code)
{
	return code < 8 ? code : (4u + code % 4) << (code / 4 - 1);
}

#define CODES 61

static struct odds_entry *entries_new(uint32_t symbols)
{
	size_t hints = (size_t)1 << hint_bits(symbols);
	return mem_zero((symbols + (size_t)1) * sizeof(struct odds_entry) + hints * sizeof(uint16_t));
}

static void set_hints(struct odds *o)
{
	unsigned bits = hint_bits(o->symbols);
	o->hint = (uint16_t *)(o->entry + o->symbols + 1);
	o->hint_shift = ODDS_BITS - bits;
	for (uint32_t h = 0, at = 0; h < 1u << bits; h++) {
		while (at + 1 < o->symbols && o->entry[at + 1].start <= h << o->hint_shift)
			at++;
		o->hint[h] = (uint16_t)at;
	}
}

/* Take the shares that the codes stand for, made a whole. */
static void set_shares(struct odds *o)
{
	uint32_t sum = 0, *share = mem_array(o->symbols, sizeof *share);
	uint64_t total = 0;
	for (uint32_t i = 0; i < o->symbols; i++)
		total += share_of(o->code[i]);
	for (uint32_t i = 0; i < o->symbols; i++) {
		share[i] = (uint32_t)((share_of(o->code[i]) * (uint64_t)ODDS_WHOLE + total / 2) / total);
		share[i] += !share[i];
		sum += share[i];
	}
	make_whole(share, o->symbols, sum);
	for (uint32_t i = 0; i < o->symbols; i++)
		o->entry[i + 1].start = (uint16_t)(o->entry[i].start + share[i]);
	free(share);
	set_hints(o);
}

void odds_of(struct odds *o, uint32_t symbols, const uint16_t *symbol, const uint32_t *count)
{
	uint64_t total = 0;
	assert(symbols >= 1 && symbols <= ODDS_WHOLE);
	o->symbols = symbols;
	o->entry = entries_new(symbols);
	o->code = mem_array(symbols, sizeof *o->code);
	for (uint32_t i = 0; i < symbols; i++)
		total += count[i];
	for (uint32_t i = 0; i < symbols; i++) {
		o->entry[i].symbol = symbol[i];
		uint64_t share = (count[i] * (uint64_t)ODDS_WHOLE + total / 2) / total;
		o->code[i] = code_of(share ? (uint32_t)share : 1);
	}
	set_shares(o);
}

void odds_clear(struct odds *o)
{
	free(o->entry);
	free(o->code);
	*o = (struct odds){0};
}

void odds_pack(const struct odds *o, struct text *to)
{
	uint32_t next = 0;
	pack_number(to, o->symbols);
	for (uint32_t i = 0; i < o->symbols; i++) {
		pack_number(to, o->entry[i].symbol - next);
		next = o->entry[i].symbol + UINT32_C(1);
	}
	text_add(to, (const char *)o->code, o->symbols);
}

bool odds_unpack(struct odds *o, struct unpack *from)
{
	uint64_t next = 0;
	size_t symbols = unpack_count(from);
	*o = (struct odds){0};
	from->bad |= symbols < 1 || symbols > ODDS_WHOLE;
	if (from->bad)
		return false;
	o->symbols = (uint32_t)symbols;
	o->entry = entries_new(o->symbols);
	o->code = mem_array(symbols, sizeof *o->code);
	for (uint32_t i = 0; i < o->symbols; i++) {
		uint64_t symbol = next + unpack_below(from, UINT16_MAX + UINT64_C(1));
		from->bad |= symbol > UINT16_MAX;
		o->entry[i].symbol = (uint16_t)symbol;
		next = symbol + 1;
	}
	for (uint32_t i = 0; i < o->symbols; i++) {
		o->code[i] = (uint8_t)unpack_below(from, CODES);
		from->bad |= !o->code[i];
	}
	if (from->bad)
		odds_clear(o);
	else
		set_shares(o);
	return !from->bad;
}

/* ------------------------------------------------------------------ writing */

static void put(struct odds_writer *w, uint32_t start, uint32_t share)
{
	if (w->steps == w->capacity)
		w->step = mem_grow(w->step, &w->capacity, w->steps + 1, sizeof *w->step);
	w->step[w->steps++] = (struct odds_step){(uint16_t)start, (uint16_t)share};
}

void odds_put(struct odds_writer *w, const struct odds *o, uint16_t symbol)
{
	size_t at;
	SEARCH_FIRST(at, 0, o->symbols - (size_t)1, o->entry[at].symbol >= symbol);
	assert(o->entry[at].symbol == symbol);
	if (o->symbols > 1)
		put(w, o->entry[at].start, (uint32_t)(o->entry[at + 1].start - o->entry[at].start));
}

void odds_put_bits(struct odds_writer *w, uint64_t value, unsigned bits)
{
	while (bits) {
		unsigned now = bits < ODDS_BITS ? bits : ODDS_BITS;
		bits -= now;
		uint32_t part = (uint32_t)(value >> bits & ((UINT64_C(1) << now) - 1));
		put(w, part << (ODDS_BITS - now), 1u << (ODDS_BITS - now));
	}
}

void odds_finish(struct odds_writer *w, struct text *to)
{
	uint32_t state = LEAST;
	size_t begin = to->length;
	for (size_t i = w->steps; i-- > 0;) {
		uint32_t share = w->step[i].share, most = (LEAST >> ODDS_BITS << 8) * share;
		for (; state >= most; state >>= 8)
			text_char(to, (char)state);
		state = (state / share << ODDS_BITS) + state % share + w->step[i].start;
	}
	for (unsigned i = 0; i < 4; i++, state >>= 8)
		text_char(to, (char)state);
	for (size_t low = begin, high = to->length - 1; low < high; low++, high--) {
		char byte = to->data[low];
		to->data[low] = to->data[high];
		to->data[high] = byte;
	}
	w->steps = 0;
}

void odds_writer_clear(struct odds_writer *w)
{
	free(w->step);
	*w = (struct odds_writer){0};
}

/* ------------------------------------------------------------------ reading */

struct odds_reader odds_start(const void *bytes, size_t size)
{
	struct odds_reader r = {0, bytes, (const unsigned char *)bytes + size};
	if (size < 4) /* the state 0 is none */
		return (struct odds_reader){0};
	for (unsigned i = 0; i < 4; i++)
		r.state = r.state << 8 | *r.at++;
	return r;
}

static bool take(struct odds_reader *r, uint32_t start, uint32_t share)
{
	uint32_t slot = r->state & (ODDS_WHOLE - 1);
	r->state = share * (r->state >> ODDS_BITS) + slot - start;
	while (r->state < LEAST) {
		if (r->at == r->end) {
			r->state = 0;
			return false;
		}
		r->state = r->state << 8 | *r->at++;
	}
	return true;
}

bool odds_get(struct odds_reader *r, const struct odds *o, uint16_t *symbol)
{
	uint32_t slot = r->state & (ODDS_WHOLE - 1);
	*symbol = o->entry[0].symbol;
	if (o->symbols == 1)
		return r->state;
	const struct odds_entry *entry = &o->entry[o->hint[slot >> o->hint_shift]], *last = &o->entry[o->symbols - 1];
	while (entry < last && entry[1].start <= slot)
		entry++;
	*symbol = entry->symbol;
	return r->state && take(r, entry->start, (uint32_t)(entry[1].start - entry->start));
}

bool odds_get_bits(struct odds_reader *r, unsigned bits, uint64_t *value)
{
	*value = 0;
	while (bits) {
		unsigned now = bits < ODDS_BITS ? bits : ODDS_BITS;
		uint32_t part = (r->state & (ODDS_WHOLE - 1)) >> (ODDS_BITS - now);
		bits -= now;
		*value = *value << now | part;
		if (!r->state || !take(r, part << (ODDS_BITS - now), 1u << (ODDS_BITS - now)))
			return false;
	}
	return true;
}

bool odds_ended(const struct odds_reader *r)
{
	return r->state == LEAST && r->at == r->end;
}
