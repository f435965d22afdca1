/*
 * random_program.c -- a tree, printed with its annotations and walked with its indices. Only
 * processes that a construct covers come by its places.
 */
#include "tests/random_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define GETS 3
#define BODY 5

struct get {
	char label[16];
	const char *attribute;
	uint32_t ranks; /* bits; 0: all */
};

struct item {
	bool is_loop, over_set; /* over_set: an event that the processes `named` execute; a loop that names them */
	unsigned count; /* of a loop, at indices 0 */
	unsigned step[PROGRAM_DEPTH]; /* what is added for each index: to the count, or to the tag */
	struct item *inner;
	size_t inners;
	char kind; /* of an event: 's', 'r', 'b', 'l' */
	unsigned from, to, tag;
	uint32_t named, covered; /* bits: processes that have statements here; that ever execute one */
	char address[64];
	struct get get[4][GETS]; /* by place */
	size_t gets[4];
};

struct random_program {
	struct item root;
	unsigned seed, labels;
	unsigned kind;
};

static unsigned below(struct random_program *p, unsigned limit)
{
	return (unsigned)rand_r(&p->seed) % limit;
}

static void make_steps(struct random_program *p, struct item *i, unsigned depth)
{
	for (unsigned d = 0; d < depth && p->kind & PROGRAM_SETS; d++)
		i->step[d] = below(p, 3) ? 0 : 1 + below(p, 2);
}

static void make_event(struct random_program *p, struct item *i, unsigned depth)
{
	static const char kinds[] = "srsrsrbl";
	i->kind = kinds[below(p, p->kind & PROGRAM_LOCALS ? 8 : 7)];
	i->from = below(p, PROGRAM_RANKS);
	i->to = below(p, PROGRAM_RANKS);
	i->tag = below(p, 3);
	if (i->kind == 's' || i->kind == 'r')
		make_steps(p, i, depth);
	i->over_set = p->kind & PROGRAM_SETS && below(p, 3);
	if (i->over_set) {
		i->covered = 1 + below(p, (1u << PROGRAM_RANKS) - 1);
		return;
	}
	if (i->kind == 'b' && i->from > i->to) {
		unsigned old = i->from;
		i->from = i->to;
		i->to = old;
	}
	i->covered = i->kind == 'r' ? 1u << i->to : 1u << i->from;
	for (unsigned r = i->from; i->kind == 'b' && r <= i->to; r++)
		i->covered |= 1u << r;
}

static void annotate(struct random_program *p, struct item *i)
{
	static const char *const attributes[] = {"time", "bytes", "time"};
	for (unsigned place = 0; i->covered && place < (i->is_loop ? 4 : 2); place++) {
		while (i->gets[place] < GETS && !below(p, place < 2 ? 4 : 8)) {
			struct get *g = &i->get[place][i->gets[place]++];
			snprintf(g->label, sizeof g->label, "%s%u", below(p, 9) ? "a" : "x, \\?", p->labels++);
			g->attribute = attributes[below(p, 3)];
			g->ranks = below(p, 2) ? 0 : i->covered & (below(p, 63) + 1);
		}
	}
}

static bool advances(const struct item *i)
{
	for (unsigned d = 0; d < PROGRAM_DEPTH; d++)
		if (i->step[d])
			return true;
	return false;
}

/* Nobody comes by the places inside a loop of no iterations. */
static void forget_gets(struct item *around)
{
	for (size_t k = 0; k < around->inners; k++) {
		memset(around->inner[k].gets, 0, sizeof around->inner[k].gets);
		forget_gets(&around->inner[k]);
	}
}

static void make_body(struct random_program *p, struct item *around, const char *prefix, unsigned depth)
{
	around->inners = below(p, BODY + 1) + !depth;
	around->inner = mem_zero((around->inners + 1) * sizeof *around->inner);
	for (size_t k = 0; k < around->inners; k++) {
		struct item *i = &around->inner[k];
		snprintf(i->address, sizeof i->address, "%s%s%zu", prefix, *prefix ? "." : "", k);
		i->is_loop = depth < PROGRAM_DEPTH && !below(p, 2);
		if (i->is_loop) {
			i->count = below(p, 6);
			make_steps(p, i, depth);
			make_body(p, i, i->address, depth + 1);
			i->over_set = p->kind & PROGRAM_SETS && i->named && below(p, 2);
			if (!i->count && !advances(i)) {
				forget_gets(i);
				i->covered = 0;
			}
		} else {
			make_event(p, i, depth);
			i->named = i->covered;
		}
		around->named |= i->named;
		around->covered |= i->covered;
	}
	for (size_t k = 0; k < around->inners; k++)
		annotate(p, &around->inner[k]);
}

struct random_program *random_program_new(unsigned seed, unsigned kind)
{
	struct random_program *p = mem_zero(sizeof *p);
	p->seed = seed * 2654435761u + 1;
	p->kind = kind;
	make_body(p, &p->root, "", 0);
	return p;
}

static void free_body(struct item *i)
{
	for (size_t k = 0; k < i->inners; k++)
		free_body(&i->inner[k]);
	free(i->inner);
}

void random_program_free(struct random_program *p)
{
	free_body(&p->root);
	free(p);
}

/* ------------------------------------------------------------------ printing */

static void print_ranks(uint32_t ranks, struct text *out)
{
	bool first = true;
	for (unsigned r = 0; r < PROGRAM_RANKS; r++)
		if (ranks >> r & 1) {
			text_format(out, "%s%u", first ? "" : ",", r);
			first = false;
		}
}

static void print_gets(const struct item *i, unsigned place, struct text *out)
{
	bool back = place == PLACE_END || place == PLACE_ITERATION;
	for (size_t k = 0; k < i->gets[place]; k++) {
		const struct get *g = &i->get[place][k];
		text_format(out, "get \"%s\" {", g->label);
		print_ranks(g->ranks, out);
		text_format(out, "%s}.%s %s\n", g->ranks ? "" : "*", g->attribute, back ? "<-" : "->");
	}
}

static unsigned at_index(const struct item *i, unsigned constant, const int64_t *index)
{
	for (unsigned d = 0; d < PROGRAM_DEPTH; d++)
		constant += i->step[d] ? i->step[d] * (unsigned)index[d] : 0;
	return constant;
}

/* As the process sees it. */
static void print_event(const struct item *i, uint32_t rank, const int64_t *index, struct text *out)
{
	unsigned from = i->over_set && i->kind != 'r' ? rank : i->from,
		 to = i->over_set && i->kind == 'r' ? rank : i->to;
	if (i->kind == 'b')
		text_format(out, "%u sync MPI_Barrier 0-%u", rank, PROGRAM_RANKS - 1);
	else if (i->kind == 'l')
		text_format(out, "%u local work %u", rank, i->tag);
	else
		text_format(
			out, "%u %s %u tag%u", from, i->kind == 's' ? "send" : "recv", to, at_index(i, i->tag, index));
}

static void print_function(const struct item *i, int constant, struct text *out)
{
	if (!advances(i)) {
		text_format(out, "%d", constant);
		return;
	}
	text_format(out, "{%d", constant);
	for (unsigned d = 0; d < PROGRAM_DEPTH; d++)
		if (i->step[d])
			text_format(out, "+%u*i%u", i->step[d], d);
	text_char(out, '}');
}

static void print_set(const struct item *i, struct text *out)
{
	if (!i->over_set)
		return;
	text_char(out, '[');
	print_ranks(i->named, out);
	text_put(out, "] ");
}

/* As the program has it. */
static void print_statement(const struct item *i, struct text *out)
{
	char from[12], to[12];
	snprintf(from, sizeof from, i->over_set && i->kind != 'r' ? "p" : "%u", i->from);
	snprintf(to, sizeof to, i->over_set && i->kind == 'r' ? "p" : "%u", i->to);
	print_set(i, out);
	if (i->kind == 'b' && !i->over_set && i->from != i->to)
		text_format(out, "%u-%u sync MPI_Barrier 0-%u", i->from, i->to, PROGRAM_RANKS - 1);
	else if (i->kind == 'b')
		text_format(out, "%s sync MPI_Barrier 0-%u", from, PROGRAM_RANKS - 1);
	else if (i->kind == 'l')
		text_format(out, "%s local work %u", from, i->tag);
	else {
		text_format(out, "%s %s %s tag", from, i->kind == 's' ? "send" : "recv", to);
		print_function(i, (int)i->tag, out);
	}
}

static void print_body(const struct item *around, bool annotated, unsigned depth, struct text *out)
{
	for (size_t k = 0; k < around->inners; k++) {
		const struct item *i = &around->inner[k];
		if (annotated)
			print_gets(i, PLACE_START, out);
		if (i->is_loop) {
			print_set(i, out);
			text_format(out, "for i%u = 0 to ", depth);
			print_function(i, (int)i->count - 1, out);
			text_char(out, '\n');
			if (annotated)
				print_gets(i, PLACE_ITERATION, out);
			print_body(i, annotated, depth + 1, out);
			if (annotated)
				print_gets(i, PLACE_ITERATION_END, out);
			text_put(out, "done");
		} else {
			print_statement(i, out);
		}
		text_char(out, '\n');
		if (annotated)
			print_gets(i, PLACE_END, out);
	}
}

void random_program_print(const struct random_program *p, bool annotated, struct text *out)
{
	text_format(out, "// tracenest 1\n// processes %u\n", PROGRAM_RANKS);
	print_body(&p->root, annotated, 0, out);
}

static size_t depth_of(const struct item *around, size_t depth)
{
	size_t deepest = 0;
	for (size_t k = 0; k < around->inners; k++) {
		const struct item *i = &around->inner[k];
		size_t inside = depth_of(i, depth + 1);
		if (i->gets[PLACE_ITERATION] || i->gets[PLACE_ITERATION_END])
			inside = inside > depth + 1 ? inside : depth + 1;
		else if (i->gets[PLACE_START] || i->gets[PLACE_END])
			inside = inside > depth ? inside : depth;
		deepest = inside > deepest ? inside : deepest;
	}
	return deepest;
}

size_t random_program_depth(const struct random_program *p)
{
	return depth_of(&p->root, 0);
}

/* ------------------------------------------------------------------ running */

struct running {
	uint32_t rank;
	uint64_t position;
	int64_t index[PROGRAM_DEPTH + 1];
	void (*visit)(void *context, const struct random_program_visit *);
	void *context;
};

static void come_by(struct running *r, const struct item *i, enum random_program_place place, size_t depth)
{
	const char *label[GETS], *attribute[GETS];
	struct text event = {0};
	struct random_program_visit v = {
		place, i->address, r->rank, depth, r->index, r->position, NULL, label, attribute, 0};
	for (size_t k = 0; k < i->gets[place]; k++) {
		const struct get *g = &i->get[place][k];
		if (g->ranks && !(g->ranks >> r->rank & 1))
			continue;
		label[v.annotations] = g->label;
		attribute[v.annotations++] = g->attribute;
	}
	if (place == PLACE_START && !i->is_loop) {
		print_event(i, r->rank, r->index, &event);
		v.event = event.data;
	}
	r->visit(r->context, &v);
	text_clear(&event);
}

static void run_body(struct running *r, const struct item *around, size_t depth)
{
	for (size_t k = 0; k < around->inners; k++) {
		const struct item *i = &around->inner[k];
		if (!(i->covered >> r->rank & 1))
			continue;
		come_by(r, i, PLACE_START, depth);
		r->position += !i->is_loop;
		for (unsigned n = 0, count = i->is_loop ? at_index(i, i->count, r->index) : 0; n < count; n++) {
			r->index[depth] = n;
			come_by(r, i, PLACE_ITERATION, depth + 1);
			run_body(r, i, depth + 1);
			r->index[depth] = n;
			come_by(r, i, PLACE_ITERATION_END, depth + 1);
		}
		come_by(r, i, PLACE_END, depth);
	}
}

void random_program_run(const struct random_program *p, uint32_t rank,
	void (*visit)(void *context, const struct random_program_visit *), void *context)
{
	run_body(&(struct running){.rank = rank, .visit = visit, .context = context}, &p->root, 0);
}
