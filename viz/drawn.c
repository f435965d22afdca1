/*
 * drawn.c -- copies of statements, and what they amount to.
 */
#include "viz/drawn.h"

#include <stdlib.h>
#include <string.h>

#include "ask/executions.h"
#include "base/mem.h"
#include "base/saturate.h"

/* ------------------------------------------------------------------ where control comes to a statement */

/* Loops around a statement, the outermost first. */
struct around {
	size_t *loop;
	size_t loops, capacity;
};

static struct around loops_around(const struct program *p, size_t at)
{
	struct around a = {0};
	for (size_t i = 0; i < at;) {
		size_t past = i + statement_size(&p->statement[i]);
		if (past <= at) {
			i = past;
			continue;
		}
		a.loop = mem_grow(a.loop, &a.capacity, a.loops + 1, sizeof *a.loop);
		a.loop[a.loops++] = i++;
	}
	return a;
}

/* Affine counts are largest at the corners of what the loops around run over. */
static bool reach(const struct program *p, const struct around *a, size_t depth, int64_t *index)
{
	if (depth == a->loops)
		return true;
	uint64_t count = program_count(p, a->loop[depth], index);
	if (!count || depth >= INDEX_DEPTH)
		return count && reach(p, a, depth + 1, index);
	if (reach(p, a, depth + 1, index))
		return true;
	if (count == 1 || !program_index_used(p, a->loop[depth]))
		return false;
	index[depth] = (int64_t)(count - 1);
	bool reached = reach(p, a, depth + 1, index);
	index[depth] = reached ? index[depth] : 0;
	return reached;
}

bool drawn_instance(const struct program *p, size_t at, int64_t index[INDEX_DEPTH])
{
	struct around a = loops_around(p, at);
	memset(index, 0, INDEX_DEPTH * sizeof *index);
	bool reached = reach(p, &a, 0, index);
	free(a.loop);
	return reached;
}

/* ------------------------------------------------------------------ copies */

/* The loops around the statements drawn, which stay behind. */
struct outside {
	uint32_t depth;
	int64_t index[INDEX_DEPTH];
};

/* What advances with the loops outside is added to the number. */
static void settle(struct advance *by, const struct outside *o, int64_t *number)
{
	struct advance inside = {0};
	advance_add(by, o->index, o->depth, number);
	for (uint32_t d = o->depth; d < INDEX_DEPTH; d++)
		inside.by[d - o->depth] = by->by[d];
	*by = inside;
}

static bool stands_still(const struct steps *s)
{
	bool still = advance_is_none(&s->of_number);
	for (int i = 0; i < GRID_AXES; i++)
		still = still && advance_is_none(&s->of_peer[i]);
	return still;
}

static void settle_form(struct program *p, struct statement *s, struct steps *steps, const struct outside *o)
{
	struct form form = *program_get_form(p, s->event);
	bool counted = !advance_is_none(&steps->of_number);
	settle(&steps->of_number, o, &form.value.plain.constant);
	if (form.peer.kind != PLACE_GRID)
		settle(&steps->of_peer[0], o, &form.peer.number);
	for (uint32_t i = 0; form.peer.kind == PLACE_GRID && i < p->grid.axes; i++) {
		bool moves = !advance_is_none(&steps->of_peer[i]);
		int64_t *constant = &form.peer.axis[i].constant;
		settle(&steps->of_peer[i], o, constant);
		*constant = moves ? grid_nearest(*constant, p->grid.size[i]) : *constant;
	}
	if (counted && advance_is_none(&steps->of_number) && value_is_constant(&form.value)) {
		form.varies = 0;
		form.number = (uint64_t)form.value.plain.constant;
		form.value = value_of(0);
	}
	s->event = program_form(p, &form);
}

static void settle_plain(struct program *p, struct statement *s, struct steps *steps, const struct outside *o)
{
	settle(&steps->of_number, o, &steps->number);
	settle(&steps->of_peer[0], o, &steps->peer);
	if (!stands_still(steps))
		return;
	struct event e = *dictionary_get_event(p->dictionary, s->event);
	e.peer += e.kind != EVENT_LOCAL && e.peer != NO_ROOT ? (uint32_t)steps->peer : 0;
	if (e.kind == EVENT_SEND || e.kind == EVENT_RECV) {
		struct tag tag = *dictionary_get_tag(p->dictionary, e.subject);
		tag.number += (uint64_t)steps->number;
		e.subject = dictionary_tag(p->dictionary, &tag);
	}
	s->event = dictionary_event(p->dictionary, &e);
	*steps = (struct steps){0};
}

static void settle_loop(struct statement *s, struct steps *steps, const struct outside *o)
{
	settle(&steps->of_number, o, &steps->number);
	if (!stands_still(steps))
		return;
	s->count = steps->number > 0 ? (uint64_t)steps->number : 0;
	*steps = (struct steps){0};
}

static void settle_statement(struct program *p, size_t at, const struct outside *o)
{
	struct statement *s = &p->statement[at];
	struct steps steps = *program_steps(p, s);
	if (statement_is_loop(s))
		settle_loop(s, &steps, o);
	else if (s->set == STATEMENT_PLAIN)
		settle_plain(p, s, &steps, o);
	else
		settle_form(p, s, &steps, o);
	program_advance(p, at, &steps);
}

static struct program *copy(const struct program *p, size_t from, size_t past)
{
	struct program *c = mem_zero(sizeof *c);
	c->dictionary = dictionary_copy(p->dictionary);
	c->processes = p->processes;
	c->grid = p->grid;
	c->forms = intern_copy(p->forms);
	c->steps = intern_copy(p->steps);
	c->length = c->capacity = past - from;
	c->statement = mem_array(c->length, sizeof *c->statement);
	if (c->length)
		memcpy(c->statement, p->statement + from, c->length * sizeof *c->statement);
	struct outside o = {0};
	struct around a = loops_around(p, from);
	o.depth = a.loops < INDEX_DEPTH ? (uint32_t)a.loops : INDEX_DEPTH;
	free(a.loop);
	bool loop = past > from + 1;
	if (!loop || !drawn_instance(p, from + 1, o.index)) /* of a loop, one in which it runs */
		drawn_instance(p, from, o.index);
	for (size_t i = 0; o.depth && i < c->length; i++)
		if (c->statement[i].steps != STEPS_NONE)
			settle_statement(c, i, &o);
	return c;
}

/* ------------------------------------------------------------------ unfolded */

static size_t *origins(size_t length, size_t first)
{
	size_t *origin = mem_array(length, sizeof *origin);
	for (size_t i = 0; i < length; i++)
		origin[i] = first + i;
	return origin;
}

/* Of statements that are written out already, nothing changes. */
static void unfold(struct drawn *d)
{
	if (!program_is_folded(d->program) && !program_varies(d->program))
		return;
	struct model *plain = program_unfold(d->program);
	d->program = program_of_plain(plain);
	model_free(plain);
	free(d->origin);
	d->origin = mem_array(d->program->length, sizeof *d->origin);
	for (size_t i = 0; i < d->program->length; i++)
		d->origin[i] = DRAWN_NOWHERE;
}

/* ------------------------------------------------------------------ figures */

static uint64_t mean(uint64_t all, uint64_t executions)
{
	return all == UINT64_MAX || !executions ? all : all / executions;
}

/* Sums over all executions, then means. */
static void count(struct drawn *d)
{
	const struct program *p = d->program;
	struct executions e = executions_of(p);
	d->events = mem_zero(p->length * sizeof *d->events);
	d->messages = mem_zero(p->length * sizeof *d->messages);
	for (size_t i = p->length; i-- > 0;) { /* loops after what is inside */
		const struct statement *s = &p->statement[i];
		if (!statement_is_loop(s)) {
			struct ranks who = coverage_of(d->coverage, i);
			uint32_t kind = s->set == STATEMENT_PLAIN ? dictionary_get_event(p->dictionary, s->event)->kind
								  : program_get_form(p, s->event)->kind;
			d->events[i] = saturating_multiply(e.times[i], ranks_count(&who));
			d->messages[i] = kind == EVENT_SEND ? d->events[i] : 0;
		}
		for (size_t k = i + 1; k < i + s->size; k += statement_size(&p->statement[k])) {
			d->events[i] = saturating_add(d->events[i], d->events[k]);
			d->messages[i] = saturating_add(d->messages[i], d->messages[k]);
		}
	}
	for (size_t i = 0; i < p->length; i++) {
		d->events[i] = mean(d->events[i], e.times[i]);
		d->messages[i] = mean(d->messages[i], e.times[i]);
	}
	d->times = e.times;
	e.times = NULL;
	executions_clear(&e);
}

struct drawn *drawn_new(const struct program *p, size_t from, size_t past, bool unfolded)
{
	struct drawn *d = mem_zero(sizeof *d);
	d->source = p;
	d->program = copy(p, from, past);
	d->origin = origins(past - from, from);
	if (unfolded)
		unfold(d);
	d->coverage = coverage_new(d->program);
	count(d);
	return d;
}

void drawn_free(struct drawn *d)
{
	if (!d)
		return;
	coverage_free(d->coverage);
	program_free(d->program);
	free(d->origin);
	free(d->times);
	free(d->events);
	free(d->messages);
	free(d);
}

void drawn_address(const struct drawn *d, size_t at, struct text *out)
{
	if (d->origin[at] != DRAWN_NOWHERE) {
		program_address(d->source, d->origin[at], out);
		return;
	}
	text_char(out, 'u');
	program_address(d->program, at, out);
}
