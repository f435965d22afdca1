/*
 * nested.c -- functions of two indices as functions of the one that counts both.
 *
 * a*i0 + b*i1 with i1 below n is b*(n*i0 + i1) where a = n*b, or where that holds modulo what the
 * number is taken by.
 */
#include "fold/nested.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/saturate.h"

/* Statements that one loop stands for at most. */
#define WRITTEN_MOST (UINT64_C(1) << 12)

/* The index of the loop at `depth` and the one below it, of `inner` iterations. */
struct joining {
	const struct program *program;
	uint32_t depth;
	int64_t inner;
};

static bool join_indices(const struct joining *j, struct affine *a, int64_t modulus)
{
	int64_t *index = a->index + j->depth;
	__int128 rest = index[0] - (__int128)j->inner * index[1];
	if (modulus ? rest % modulus : rest)
		return false;
	memmove(index, index + 1, (INDEX_DEPTH - j->depth - 1) * sizeof *index);
	a->index[INDEX_DEPTH - 1] = 0;
	return true;
}

static bool join_value(const struct joining *j, struct value *v, int64_t modulus)
{
	bool good = value_is_quasi_affine(v) && join_indices(j, &v->plain, modulus);
	for (int i = 0; good && i < REMAINDERS; i++)
		good = join_indices(j, &v->remainder[i].inside, v->remainder[i].modulus);
	return good;
}

static bool join_place(const struct joining *j, struct place *p)
{
	bool good = true;
	if (p->kind != PLACE_GRID)
		return join_value(j, &p->value, p->kind == PLACE_RING ? p->modulus : 0);
	for (uint32_t i = 0; good && i < GRID_AXES; i++)
		good = join_indices(j, &p->axis[i], j->program->grid.size[i]);
	return good;
}

static bool join_form(const struct joining *j, struct form *f)
{
	bool good = join_value(j, &f->value, 0) && join_value(j, &f->communicator, 0) && join_place(j, &f->peer);
	for (uint32_t i = 0; good && i < GRID_AXES; i++)
		good = join_indices(j, &f->area.axis[i], j->program->grid.size[i]);
	return good;
}

/* What a statement inside becomes. */
static bool join_statement(struct program *p, const struct joining *j, struct statement *s)
{
	if (s->attributes)
		return false;
	if (statement_is_loop(s)) {
		struct value count = program_bound(p, s);
		if (s->bound == BOUND_NONE)
			return true;
		bool good = join_value(j, &count, 0);
		if (good)
			program_set_count(p, s, &count);
		return good;
	}
	if (s->set == STATEMENT_PLAIN)
		return true;
	struct form form = program_get_form(p, s->event);
	if (!join_form(j, &form))
		return false;
	s->event = program_form(p, &form);
	return true;
}

/* Is the body of this loop one loop, of the same processes, whose index matters? */
static bool is_nested(const struct program *p, size_t loop, uint32_t depth)
{
	const struct statement *s = &p->statement[loop], *inner = s + 1;
	return s->size > 1 && statement_is_loop(inner) && inner->size + 1 == s->size && s->set == inner->set &&
	       s->bound == BOUND_NONE && inner->bound == BOUND_NONE && depth + 1 < INDEX_DEPTH &&
	       saturating_multiply(saturating_multiply(s->count, inner->count), inner->size) <= WRITTEN_MOST &&
	       program_index_used(p, loop + 1);
}

static bool join_at(struct program *p, size_t loop, uint32_t depth)
{
	if (!is_nested(p, loop, depth))
		return false;
	struct statement *s = &p->statement[loop];
	size_t length = s->size - 2;
	struct joining j = {p, depth, (int64_t)s[1].count};
	struct statement *inside = mem_copy(s + 2, length * sizeof *inside);
	bool good = true;
	for (size_t i = 0; good && i < length; i++)
		good = join_statement(p, &j, &inside[i]);
	if (good) {
		s->count *= s[1].count;
		s->size--;
		memcpy(s + 1, inside, length * sizeof *inside);
		memmove(s + 1 + length, s + 2 + length, (p->length - loop - 2 - length) * sizeof *s);
		p->length--;
	}
	free(inside);
	return good;
}

/* Inner loops first. So many statements go. */
static size_t join_body(struct program *p, size_t from, size_t to, uint32_t depth)
{
	size_t gone = 0;
	for (size_t i = from; i < to - gone; i += statement_size(&p->statement[i])) {
		if (!statement_is_loop(&p->statement[i]))
			continue;
		size_t inside = join_body(p, i + 1, i + p->statement[i].size, depth + 1);
		p->statement[i].size -= inside;
		gone += inside + join_at(p, i, depth);
	}
	return gone;
}

void nested_join(struct program *p)
{
	join_body(p, 0, p->length, 0);
}
