/*
 * value_pack.c -- columns of one process as bytes. Kinds are packed as integers without padding.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fit/value_kinds.h"

static void pack_intern(const struct intern *from, struct text *to)
{
	pack_number(to, intern_count(from));
	for (uint32_t i = 0; i < intern_count(from); i++) {
		size_t size;
		const void *bytes = intern_data(from, i, &size);
		pack_bytes(to, bytes, size);
	}
}

static struct intern *unpack_intern(struct unpack *from)
{
	struct intern *to = intern_new();
	for (size_t i = unpack_count(from); i > 0; i--) {
		size_t size;
		const void *bytes = unpack_bytes(from, &size);
		if (bytes)
			intern_id(to, bytes, size);
	}
	return to;
}

/* Its peer as so many ranks from this one, or back. */
static struct value_kind moved(const struct value_kind *kind, uint32_t processes, uint32_t by)
{
	struct value_kind to = *kind;
	if (kind_has_peer(kind->kind) && !kind->shape && kind->peer < processes)
		to.peer = (uint32_t)(((uint64_t)kind->peer + by) % processes);
	return to;
}

void value_columns_pack(const struct value_columns *c, uint32_t rank, struct text *to)
{
	const struct value_process *p = &c->process[rank];
	uint32_t processes = (uint32_t)c->processes;
	pack_number(to, p->kinds != NULL);
	if (!p->kinds)
		return;
	pack_intern(p->words, to);
	pack_intern(p->groups, to);
	pack_intern(p->names, to);
	pack_number(to, intern_count(p->kinds));
	for (uint32_t i = 0; i < intern_count(p->kinds); i++) {
		struct value_kind kind = moved(intern_data(p->kinds, i, NULL), processes, processes - rank);
		const struct value_source *s = &p->source[i];
		pack_bytes(to, &kind, sizeof kind);
		pack_number(to, s->events);
		pack_number(to, s->slots);
		for (uint32_t slot = 0; slot < s->slots; slot++) {
			pack_number(to, s->column[slot] != NULL);
			if (s->column[slot])
				series_pack(s->column[slot], to);
		}
	}
}

static void unpack_source(struct value_source *s, uint32_t names, struct unpack *from)
{
	s->events = unpack_number(from);
	s->slots = (uint32_t)unpack_below(from, (uint64_t)names + 1);
	s->column = mem_zero(s->slots * sizeof *s->column);
	for (uint32_t slot = 0; slot < s->slots; slot++)
		if (unpack_below(from, 2))
			s->column[slot] = series_unpack(from);
}

/* What a communicator of the packed process is here; see dictionary_unpack. */
static int64_t communicator_here(int64_t packed, const int64_t *communicator, struct unpack *from)
{
	int64_t known = 0;
	if (!communicator || packed == NO_COMMUNICATOR)
		return packed;
	while (known < packed && communicator[known] != NO_COMMUNICATOR)
		known++;
	from->bad = from->bad || known != packed;
	return communicator[known];
}

void value_columns_unpack(struct value_columns *c, uint32_t rank, const int64_t *communicator, struct unpack *from)
{
	struct value_process *p = &c->process[rank];
	if (!unpack_below(from, 2))
		return;
	p->words = unpack_intern(from);
	p->groups = unpack_intern(from);
	p->names = unpack_intern(from);
	p->kinds = intern_new_keys(sizeof(struct value_kind));
	p->own = intern_new_keys(sizeof(uint32_t));
	for (size_t i = unpack_count(from); i > 0; i--) {
		size_t size;
		const struct value_kind *packed = unpack_bytes(from, &size);
		struct value_kind kind;
		if (!packed || size != sizeof kind) {
			from->bad = true;
			return;
		}
		memcpy(&kind, packed, sizeof kind);
		kind = moved(&kind, (uint32_t)c->processes, rank);
		if (kind_rows[kind.kind].subject != SUBJECT_WORD)
			kind.communicator = communicator_here(kind.communicator, communicator, from);
		uint32_t source = value_source_of_kind(p, &kind);
		unpack_source(&p->source[source], intern_count(p->names), from);
	}
}

void value_columns_like(struct value_columns *c, uint32_t rank, uint32_t other)
{
	c->process[rank].like = other + 1;
}
