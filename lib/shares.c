/*
 * shares.c -- equal bytes are one share.
 */
#include "lib/shares.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

struct shares {
	struct intern *bytes;
	struct ranks *who; /* by id of the bytes */
	size_t capacity;
};

struct shares *shares_new(void)
{
	struct shares *s = mem_zero(sizeof *s);
	s->bytes = intern_new();
	return s;
}

void shares_free(struct shares *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < intern_count(s->bytes); i++)
		ranks_clear(&s->who[i]);
	free(s->who);
	intern_free(s->bytes);
	free(s);
}

static struct ranks *who_does(struct shares *s, const void *bytes, size_t size)
{
	uint32_t before = intern_count(s->bytes), id = intern_id(s->bytes, bytes, size);
	if (id == before) {
		s->who = mem_grow(s->who, &s->capacity, (size_t)id + 1, sizeof *s->who);
		s->who[id] = (struct ranks){0};
	}
	return &s->who[id];
}

void shares_add(struct shares *s, uint32_t rank, const void *bytes, size_t size)
{
	ranks_add(who_does(s, bytes, size), rank);
}

void shares_pack(const struct shares *s, struct text *to)
{
	pack_number(to, shares_count(s));
	for (uint32_t i = 0; i < shares_count(s); i++) {
		size_t size;
		const struct ranks *who;
		const void *bytes = shares_get(s, i, &who, &size);
		pack_ranks(to, who);
		pack_bytes(to, bytes, size);
	}
}

void shares_unpack(struct shares *s, struct unpack *from)
{
	for (size_t count = unpack_count(from); count > 0; count--) {
		struct ranks who = {0}, both = {0};
		unpack_ranks(from, &who);
		size_t size;
		const void *bytes = unpack_bytes(from, &size);
		if (bytes) {
			struct ranks *known = who_does(s, bytes, size);
			ranks_unite(&both, known, &who);
			ranks_clear(known);
			*known = both;
		}
		ranks_clear(&who);
	}
}

uint32_t shares_count(const struct shares *s)
{
	return intern_count(s->bytes);
}

const void *shares_get(const struct shares *s, uint32_t i, const struct ranks **who, size_t *size)
{
	*who = &s->who[i];
	return intern_data(s->bytes, i, size);
}
