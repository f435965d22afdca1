/*
 * random_program.c -- a tree, printed with its annotations and walked with its indices. Only processes that a construct covers come by its places.
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
	bool is_loop;
	unsigned count;
	struct item *inner;
	size_t inners;
	char kind; /* of an event: 's', 'r', 'b', 'l' */
	unsigned from, to, tag;
	uint32_t covered; /* bits */
	char address[64];
	struct get get[4][GETS]; /* by place */
	size_t gets[4];
};

struct random_program {
	struct item root;
	unsigned seed, labels;
	bool locals;
};

static unsigned below(struct random_program *p, unsigned limit)
{
	return (unsigned)rand_r(&p->seed) % limit;
}

static void make_event(struct random_program *p, struct item *i)
{
	static const char kinds[] = "srsrsrbl";
	i->kind = kinds[below(p, p->locals ? 8 : 7)];
	i->from = below(p, PROGRAM_RANKS);
	i->to = below(p, PROGRAM_RANKS);
	i->tag = below(p, 3);
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
			make_body(p, i, i->address, depth + 1);
			if (!i->count)
				forget_gets(i);
			i->covered = i->count ? i->covered : 0;
		} else {
			make_event(p, i);
		}
		around->covered |= i->covered;
	}
	for (size_t k = 0; k < around->inners; k++)
		annotate(p, &around->inner[k]);
}

struct random_program *random_program_new(unsigned seed, bool locals)
{
	struct random_program *p = mem_zero(sizeof *p);
	p->seed = seed * 2654435761u + 1;
	p->locals = locals;
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

static void print_gets(const struct item *i, unsigned place, struct text *out)
{
	bool back = place == PLACE_END || place == PLACE_ITERATION;
	for (size_t k = 0; k < i->gets[place]; k++) {
		const struct get *g = &i->get[place][k];
		text_format(out, "get \"%s\" {", g->label);
		bool first = true;
		for (unsigned r = 0; r < PROGRAM_RANKS; r++)
			if (g->ranks >> r & 1) {
				text_format(out, "%s%u", first ? "" : ",", r);
				first = false;
			}
		text_format(out, "%s}.%s %s\n", g->ranks ? "" : "*", g->attribute, back ? "<-" : "->");
	}
}

/* As the process sees it; UINT32_MAX: as the model has it. */
static void print_event(const struct item *i, uint32_t rank, struct text *out)
{
	if (i->kind == 'b' && rank == UINT32_MAX && i->from != i->to)
		text_format(out, "%u-%u sync MPI_Barrier 0-%u", i->from, i->to, PROGRAM_RANKS - 1);
	else if (i->kind == 'b')
		text_format(out, "%u sync MPI_Barrier 0-%u", rank == UINT32_MAX ? i->from : rank, PROGRAM_RANKS - 1);
	else if (i->kind == 'l')
		text_format(out, "%u local work %u", i->from, i->tag);
	else
		text_format(out, "%u %s %u tag%u", i->from, i->kind == 's' ? "send" : "recv", i->to, i->tag);
}

static void print_body(const struct item *around, bool annotated, struct text *out)
{
	for (size_t k = 0; k < around->inners; k++) {
		const struct item *i = &around->inner[k];
		if (annotated)
			print_gets(i, PLACE_START, out);
		if (i->is_loop) {
			text_format(out, "for i = 0 to %d\n", (int)i->count - 1);
			if (annotated)
				print_gets(i, PLACE_ITERATION, out);
			print_body(i, annotated, out);
			if (annotated)
				print_gets(i, PLACE_ITERATION_END, out);
			text_put(out, "done");
		} else {
			print_event(i, UINT32_MAX, out);
		}
		text_char(out, '\n');
		if (annotated)
			print_gets(i, PLACE_END, out);
	}
}

void random_program_print(const struct random_program *p, bool annotated, struct text *out)
{
	text_format(out, "// tracenest 1\n// processes %u\n", PROGRAM_RANKS);
	print_body(&p->root, annotated, out);
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
	struct random_program_visit v = {place, i->address, r->rank, depth, r->index, r->position, NULL, label, attribute, 0};
	for (size_t k = 0; k < i->gets[place]; k++) {
		const struct get *g = &i->get[place][k];
		if (g->ranks && !(g->ranks >> r->rank & 1))
			continue;
		label[v.annotations] = g->label;
		attribute[v.annotations++] = g->attribute;
	}
	if (place == PLACE_START && !i->is_loop) {
		print_event(i, r->rank, &event);
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
		for (unsigned n = 0; n < i->count; n++) {
			r->index[depth] = n;
			come_by(r, i, PLACE_ITERATION, depth + 1);
			run_body(r, i, depth + 1);
			r->index[depth] = n;
			come_by(r, i, PLACE_ITERATION_END, depth + 1);
		}
		come_by(r, i, PLACE_END, depth);
	}
}

void random_program_run(const struct random_program *p, uint32_t rank, void (*visit)(void *context, const struct random_program_visit *), void *context)
{
	run_body(&(struct running){.rank = rank, .visit = visit, .context = context}, &p->root, 0);
}
