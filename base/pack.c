/*
 * pack.c -- seven bits a byte; the highest bit says that more follow.
 */
#include "base/pack.h"

void pack_number(struct text *to, uint64_t n)
{
	for (; n > 0x7f; n >>= 7)
		text_char(to, (char)(n | 0x80));
	text_char(to, (char)n);
}

void pack_signed(struct text *to, int64_t n)
{
	pack_number(to, (uint64_t)n << 1 ^ (n < 0 ? UINT64_MAX : 0));
}

void pack_bytes(struct text *to, const void *bytes, size_t size)
{
	pack_number(to, size);
	text_add(to, bytes, size);
}

void pack_ranks(struct text *to, const struct ranks *ranks)
{
	uint32_t last = 0;
	pack_number(to, ranks->length);
	for (size_t i = 0; i < ranks->length; i++) {
		pack_number(to, ranks->run[i].first - last);
		pack_number(to, ranks->run[i].last - ranks->run[i].first);
		last = ranks->run[i].last;
	}
}

struct unpack unpack_start(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	return (struct unpack){at, at ? at + size : at, false};
}

static uint64_t none(struct unpack *from)
{
	from->bad = true;
	from->at = from->end;
	return 0;
}

uint64_t unpack_number(struct unpack *from)
{
	uint64_t n = 0;
	for (unsigned shift = 0; from->at < from->end && shift < 64; shift += 7) {
		unsigned char byte = *from->at++;
		uint64_t bits = byte & 0x7f;
		if (bits << shift >> shift != bits)
			break;
		n |= bits << shift;
		if (!(byte & 0x80))
			return n;
	}
	return none(from);
}

int64_t unpack_signed(struct unpack *from)
{
	uint64_t n = unpack_number(from);
	return (int64_t)(n >> 1 ^ (n & 1 ? UINT64_MAX : 0));
}

uint64_t unpack_below(struct unpack *from, uint64_t limit)
{
	uint64_t n = unpack_number(from);
	return n < limit ? n : none(from);
}

size_t unpack_count(struct unpack *from)
{
	uint64_t n = unpack_number(from);
	return n <= (size_t)(from->end - from->at) ? (size_t)n : (size_t)none(from);
}

const void *unpack_bytes(struct unpack *from, size_t *size)
{
	*size = unpack_count(from);
	const unsigned char *bytes = from->at;
	from->at += *size;
	return from->bad ? NULL : bytes;
}

void unpack_ranks(struct unpack *from, struct ranks *to)
{
	uint64_t last = 0;
	for (size_t runs = unpack_count(from); runs > 0; runs--) {
		uint64_t first = last + unpack_below(from, RANK_LIMIT);
		last = first + unpack_below(from, RANK_LIMIT);
		if (last >= RANK_LIMIT)
			none(from);
		if (from->bad)
			return;
		ranks_add_run(to, (uint32_t)first, (uint32_t)last);
	}
}

bool unpack_ended(const struct unpack *from)
{
	return !from->bad && from->at == from->end;
}
