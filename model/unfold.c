/*
 * unfold.c -- from statements over sets of ranks to the plain ones that they stand for.
 *
 * Loops are made innermost first. The processes of a loop over a set fall into the components in
 * which they exchange messages or meet in syncs inside it: each becomes a loop of its own. Bodies
 * are taken apart into strands (unfold_strands.c), and listed anew (unfold_list.c).
 */
#include "model/unfold.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/instances.h"

/* Statements of loops whose index is used that are written out, counted for each of their
   processes: each takes some 250 bytes. */
#define UNFOLD_LIMIT (UINT64_C(1) << 22)

static bool is_folded_body(const struct program *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i += statement_size(&f->statement[i]))
		if (f->statement[i].set != STATEMENT_PLAIN)
			return true;
	return false;
}

/* ------------------------------------------------------------------ nodes */

size_t unfold_node(struct unfolding *u, struct made_node n)
{
	u->node = mem_grow(u->node, &u->node_capacity, u->nodes + 1, sizeof *u->node);
	u->node[u->nodes] = n;
	return u->nodes++;
}

static size_t new_loop(struct unfolding *u, size_t origin, uint64_t count, const size_t *body, size_t length)
{
	struct made_node n = {.origin = origin, .event = NONE, .count = count, .first = u->children, .length = length};
	u->child = mem_grow(u->child, &u->child_capacity, u->children + length, sizeof *u->child);
	if (length)
		memcpy(u->child + u->children, body, length * sizeof *body);
	u->children += length;
	return unfold_node(u, n);
}

/* ------------------------------------------------------------------ loops */

/* The constructs of a body of plain statements, as they stand. */
static size_t *plain_listing(struct unfolding *u, size_t from, size_t to, size_t *length)
{
	size_t *listing = mem_array(to - from, sizeof *listing);
	*length = 0;
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i])) {
		const struct statement *s = &u->folded->statement[i];
		listing[(*length)++] = statement_is_loop(s)
					       ? u->loop[i].node[0]
					       : unfold_node(u, (struct made_node){.origin = i, .event = s->event});
	}
	return listing;
}

/* Loops that nobody executes anything of are in no strand: they come first. */
static void add_empty(struct unfolding *u, size_t from, size_t to, struct unfold_listing *l)
{
	size_t empty = 0, listed = l->first[1];
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i]))
		empty += statement_is_loop(&u->folded->statement[i]) && !u->loop[i].parts && u->loop[i].components;
	if (!empty)
		return;
	size_t *all = mem_array(listed + empty, sizeof *all);
	size_t at = 0;
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i]))
		if (statement_is_loop(&u->folded->statement[i]) && !u->loop[i].parts && u->loop[i].components)
			all[at++] = u->loop[i].node[0];
	memcpy(all + at, l->node, listed * sizeof *all);
	free(l->node);
	l->node = all;
	l->first[1] = listed + empty;
}

/* One body as one listing, if it belongs together whatever its processes do. */
static struct unfold_listing list_whole(
	struct unfolding *u, size_t from, size_t to, const struct strands *s, uint32_t **unit_of_component)
{
	uint32_t *component = mem_zero(s->count * sizeof *component);
	struct unfold_listing l;
	if (u->relist || is_folded_body(u->folded, from, to)) {
		l = unfold_list(u, s, component, 1, unit_of_component);
		add_empty(u, from, to, &l);
	} else {
		l.first = mem_zero(2 * sizeof *l.first);
		l.node = plain_listing(u, from, to, &l.first[1]);
	}
	free(component);
	return l;
}

static void make_loop(struct unfolding *u, size_t at, uint32_t **unit_of_component)
{
	const struct statement *loop = &u->folded->statement[at];
	struct made_loop *made = &u->loop[at];
	size_t from = at + 1, to = at + loop->size;
	struct strands s = unfold_strands(u, from, to);
	uint32_t *component = mem_zero(s.count * sizeof *component);
	bool whole = loop->set == STATEMENT_PLAIN;
	struct unfold_listing l;
	if (whole) {
		made->components = 1;
		l = list_whole(u, from, to, &s, unit_of_component);
	} else {
		made->components = unfold_components(u, &s, component);
		l = unfold_list(u, &s, component, made->components, unit_of_component);
	}
	made->node = mem_array(made->components, sizeof *made->node);
	for (uint32_t k = 0; k < made->components; k++)
		made->node[k] = new_loop(u, at, loop->count, l.node + l.first[k], l.first[k + 1] - l.first[k]);
	unfold_parts(u, &s, component, loop->count, made);
	free(component);
	free(l.node);
	free(l.first);
	unfold_strands_clear(u, &s);
}

static void clear_made(struct made_loop *l)
{
	free(l->part);
	free(l->node);
	free(l->first);
	free(l->flow);
	*l = (struct made_loop){0};
}

/* Statements below are done with, once the loop around them is made. */
static void forget(struct unfolding *u, size_t from, size_t to, uint32_t **unit_of_component)
{
	for (size_t i = from; i < to; i++) {
		clear_made(&u->loop[i]);
		free(u->event[i]);
		free(unit_of_component[i]);
		u->event[i] = unit_of_component[i] = NULL;
	}
}

/* Recursion as deep as loops nest. */
static void make_body(struct unfolding *u, size_t from, size_t to, uint32_t **unit_of_component)
{
	for (size_t i = from; i < to; i += statement_size(&u->folded->statement[i])) {
		const struct statement *s = &u->folded->statement[i];
		if (statement_is_loop(s)) {
			make_body(u, i + 1, i + s->size, unit_of_component);
			make_loop(u, i, unit_of_component);
			forget(u, i + 1, i + s->size, unit_of_component);
		} else {
			u->event[i] = unfold_events(u, s);
		}
	}
	unfold_know_events(u);
}

/* ------------------------------------------------------------------ as a program */

/* What is made, and where each of its statements came from. */
struct plain {
	struct program *program;
	size_t *origin, capacity;
	const size_t *source; /* by statement of what was unfolded: NULL: as it is */
};

static void note_origin(struct plain *to, size_t statement)
{
	to->origin = mem_grow(to->origin, &to->capacity, to->program->length, sizeof *to->origin);
	to->origin[to->program->length - 1] = to->source ? to->source[statement] : statement;
}

/* Recursion as deep as loops nest. */
static void write_node(const struct unfolding *u, const struct made_node *n, struct plain *to)
{
	if (n->event != NONE) {
		program_add(to->program, STATEMENT_PLAIN, n->event);
		note_origin(to, n->origin);
		return;
	}
	size_t loop = program_open(to->program, STATEMENT_PLAIN, n->count);
	note_origin(to, n->origin);
	for (size_t i = 0; i < n->length; i++)
		write_node(u, &u->node[u->child[n->first + i]], to);
	program_close(to->program, loop);
}

static void unfold_root(struct unfolding *u, struct plain *to)
{
	size_t length = u->folded->length;
	uint32_t **unit_of_component = mem_zero(length * sizeof *unit_of_component);
	make_body(u, 0, length, unit_of_component);
	struct strands s = unfold_strands(u, 0, length);
	struct unfold_listing l = list_whole(u, 0, length, &s, unit_of_component);
	for (size_t i = 0; i < l.first[1]; i++)
		write_node(u, &u->node[l.node[i]], to);
	free(l.node);
	free(l.first);
	unfold_strands_clear(u, &s);
	forget(u, 0, length, unit_of_component);
	free(unit_of_component);
}

/* Statements none of which has a set, nor depends on an index. */
static void copy_plain(const struct program *f, struct plain *to)
{
	for (size_t i = 0; i < f->length; i++) {
		const struct statement *s = &f->statement[i];
		program_add(to->program, STATEMENT_PLAIN, s->event);
		to->program->statement[i] = *s;
		to->program->statement[i].attributes = ATTRIBUTES_NONE;
		to->program->statement[i].sites = SITES_NONE;
		note_origin(to, i);
	}
}

static void unfold(const struct program *f, bool relist, struct plain *to)
{
	if (!relist && !program_is_folded(f)) {
		copy_plain(f, to);
		return;
	}
	struct unfolding u = {.folded = f,
		.dictionary = f->dictionary,
		.relist = relist,
		.event = mem_zero(f->length * sizeof *u.event),
		.loop = mem_zero(f->length * sizeof *u.loop),
		.strand_of = mem_zero(f->processes * sizeof *u.strand_of),
		.process_met = mem_array(f->processes, sizeof *u.process_met)};
	sides_start(&u.sides, f->dictionary);
	unfold_root(&u, to);
	free(u.node);
	free(u.child);
	free(u.event);
	free(u.loop);
	free(u.side_of);
	free(u.at);
	free(u.channel);
	free(u.strand_of);
	free(u.process_met);
	sides_end(&u.sides);
}

static bool refuse(const struct program *f, const struct instances_error *wrong, struct error *error)
{
	struct text address = {0};
	program_address(f, wrong->statement, &address);
	error_set(error, ERROR_INPUT, "the program cannot be unfolded: at %s %s", address.data, wrong->what);
	text_clear(&address);
	return false;
}

static struct program *unfolded(const struct program *source, bool relist, size_t **origin, struct error *error)
{
	struct program *f = program_copy(source);
	struct plain to = {.program = program_new()};
	struct instances_error wrong;
	size_t *instance_of = NULL;
	bool good = instances_write(f, UNFOLD_LIMIT, &instance_of, &wrong) || refuse(source, &wrong, error);
	to.source = instance_of;
	if (good) {
		unfold(f, relist, &to);
		program_adopt(to.program, f);
	} else {
		program_free(to.program);
		to.program = NULL;
	}
	if (origin && good) {
		*origin = to.origin;
		to.origin = NULL;
	}
	free(to.origin);
	free(instance_of);
	program_free(f);
	return to.program;
}

struct program *program_unfold(const struct program *source, size_t **origin, struct error *error)
{
	return unfolded(source, false, origin, error);
}
