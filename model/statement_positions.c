/*
 * statement_positions.c -- for each role, what one of its processes executes as an affine nest, whose positions affine_positions.h knows.
 */
#include "model/statement_positions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/affine.h"
#include "model/affine_positions.h"

#define NONE UINT32_MAX

struct statement_positions {
	const struct program *f;
	uint32_t *role; /* by process, or NO_ROLE */
	uint32_t roles;
	uint32_t *start, *iteration; /* by role, then statement: the text's id, or NONE */
	struct intern *texts;
};

/* ------------------------------------------------------------------ one role */

struct role_nest {
	struct statement_positions *p;
	struct affine_nest *nest;
	uint32_t rank, role;
	size_t *statement; /* of the constructs, in the order of the text */
	size_t constructs, next;
};

struct nodes {
	struct affine_node *node;
	size_t length, capacity;
};

static bool executes(const struct role_nest *r, const struct statement *s)
{
	struct ranks_run single;
	struct ranks who = program_processes(r->p->f, s, &single);
	return ranks_has(&who, r->rank);
}

static int64_t *count_vector(const struct role_nest *r, const struct statement *s, size_t depth)
{
	const struct steps *steps = program_steps(r->p->f, s);
	int64_t *value = arena_alloc(r->nest->arena, (1 + depth) * sizeof *value);
	value[0] = s->steps == STEPS_NONE ? (int64_t)s->count : steps->number;
	for (size_t d = 0; d < depth; d++)
		value[1 + d] = d < INDEX_DEPTH ? steps->of_number.by[d] : 0;
	return value;
}

static struct nodes nodes_of(struct role_nest *r, size_t from, size_t to, size_t depth)
{
	struct nodes all = {0};
	for (size_t i = from; i < to; i += statement_size(&r->p->f->statement[i])) {
		const struct statement *s = &r->p->f->statement[i];
		struct affine_node n = {0};
		size_t construct = r->constructs;
		r->statement[r->constructs++] = i;
		if (statement_is_loop(s)) {
			struct nodes inside = nodes_of(r, i + 1, i + s->size, depth + 1);
			n.shape = AFFINE_LOOP;
			n.value = count_vector(r, s, depth);
			n.length = inside.length;
			n.body = arena_copy(r->nest->arena, inside.node, inside.length * sizeof *inside.node);
			free(inside.node);
		}
		if (statement_is_loop(s) ? !n.length : !executes(r, s)) {
			r->constructs = construct;
			continue;
		}
		all.node = mem_grow(all.node, &all.capacity, all.length + 1, sizeof *all.node);
		all.node[all.length++] = n;
	}
	return all;
}

static uint32_t text_id(struct statement_positions *p, const struct affine_polynomial *polynomial)
{
	struct text text = {0};
	affine_polynomial_print(polynomial, &text);
	uint32_t id = intern_id(p->texts, text.data, text.length);
	text_clear(&text);
	return id;
}

static void note_construct(void *context, const struct affine_node *n, size_t depth, const struct affine_polynomial *position,
	const struct affine_polynomial *iteration)
{
	(void)n;
	(void)depth;
	struct role_nest *r = context;
	size_t at = r->role * r->p->f->length + r->statement[r->next++];
	r->p->start[at] = text_id(r->p, position);
	if (iteration)
		r->p->iteration[at] = text_id(r->p, iteration);
}

static void place_role(struct statement_positions *p, uint32_t role, uint32_t rank)
{
	struct role_nest r = {p, affine_nest_new(), rank, role, mem_array(p->f->length, sizeof(size_t)), 0, 0};
	struct nodes root = nodes_of(&r, 0, p->f->length, 0);
	r.nest->root = root.node;
	r.nest->length = root.length;
	r.nest->capacity = root.capacity;
	affine_positions(r.nest, &(struct affine_positions_visit){.context = &r, .relative = true, .construct = note_construct});
	affine_nest_free(r.nest);
	free(r.statement);
}

struct statement_positions *statement_positions_new(const struct program *f)
{
	struct statement_positions *p = mem_zero(sizeof *p);
	p->f = f;
	p->texts = intern_new();
	p->role = program_role_of(f, &p->roles);
	size_t all = p->roles * f->length;
	p->start = mem_array(all, sizeof *p->start);
	p->iteration = mem_array(all, sizeof *p->iteration);
	memset(p->start, 0xff, all * sizeof *p->start);
	memset(p->iteration, 0xff, all * sizeof *p->iteration);
	for (uint32_t rank = 0, next = 0; rank < f->processes; rank++)
		if (p->role[rank] == next) /* the first of its role */
			place_role(p, next++, rank);
	return p;
}

void statement_positions_free(struct statement_positions *p)
{
	if (!p)
		return;
	free(p->role);
	free(p->start);
	free(p->iteration);
	intern_free(p->texts);
	free(p);
}

/* ------------------------------------------------------------------ as text */

static uint32_t id_at(const struct statement_positions *p, uint32_t process, size_t statement, bool iteration)
{
	if (p->role[process] == NO_ROLE)
		return NONE;
	return (iteration ? p->iteration : p->start)[p->role[process] * p->f->length + statement];
}

void statement_positions_text(const struct statement_positions *p, size_t statement, bool iteration, struct text *out)
{
	bool any = false;
	for (uint32_t first = 0, past; first < p->f->processes; first = past) {
		uint32_t id = id_at(p, first, statement, iteration);
		for (past = first + 1; past < p->f->processes && id_at(p, past, statement, iteration) == id;)
			past++;
		if (id == NONE)
			continue;
		text_format(out, any ? ",%" PRIu32 : "%" PRIu32, first);
		if (past - first > 1)
			text_format(out, "-%" PRIu32, past - 1);
		text_format(out, "=%s", (const char *)intern_data(p->texts, id, NULL));
		any = true;
	}
}
