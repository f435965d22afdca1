/*
 * behaviours.c -- equal bytes are one share.
 */
#include "lib/behaviours.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

struct behaviours {
	struct intern *bytes;
	struct ranks *who; /* by id of the bytes */
	size_t capacity;
};

struct behaviours *behaviours_new(void)
{
	struct behaviours *s = mem_zero(sizeof *s);
	s->bytes = intern_new();
	return s;
}

void behaviours_free(struct behaviours *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < intern_count(s->bytes); i++)
		ranks_clear(&s->who[i]);
	free(s->who);
	intern_free(s->bytes);
	free(s);
}

static struct ranks *who_does(struct behaviours *s, const void *bytes, size_t size)
{
	uint32_t id = intern_id(s->bytes, bytes, size);
	return MEM_AT(s->who, s->capacity, id);
}

void behaviours_add(struct behaviours *s, uint32_t rank, const void *bytes, size_t size)
{
	ranks_add(who_does(s, bytes, size), rank);
}

void behaviours_pack(const struct behaviours *s, struct text *to)
{
	pack_number(to, behaviours_count(s));
	for (uint32_t i = 0; i < behaviours_count(s); i++) {
		size_t size;
		const struct ranks *who;
		const void *bytes = behaviours_get(s, i, &who, &size);
		pack_ranks(to, who);
		pack_bytes(to, bytes, size);
	}
}

void behaviours_unpack(struct behaviours *s, struct unpack *from)
{
	for (size_t count = unpack_count(from); count > 0; count--) {
		struct ranks who = {0};
		unpack_ranks(from, &who);
		size_t size;
		const void *bytes = unpack_bytes(from, &size);
		if (bytes)
			ranks_join(who_does(s, bytes, size), &who);
		ranks_clear(&who);
	}
}

uint32_t behaviours_count(const struct behaviours *s)
{
	return intern_count(s->bytes);
}

const void *behaviours_get(const struct behaviours *s, uint32_t i, const struct ranks **who, size_t *size)
{
	*who = &s->who[i];
	return intern_data(s->bytes, i, size);
}
