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

static void settle_event(struct program *p, struct statement *s, const struct outside *o)
{
	struct form form = program_get_form(p, s->event);
	form_put(&form, &p->grid, o->index, o->depth);
	bool plain = s->alone && !form_indices(&form);
	s->event = plain ? program_event_of(p, s->set, &form) : program_form(p, &form);
	s->set = plain ? STATEMENT_PLAIN : s->set;
	s->alone = s->alone && !plain;
}

static void settle_loop(struct program *p, struct statement *s, const struct outside *o)
{
	struct value count = program_bound(p, s);
	value_put(&count, o->index, o->depth);
	program_set_count(p, s, &count);
}

/* What depends on the indices of the loops outside. */
static void settle_statement(struct program *p, struct statement *s, const struct outside *o)
{
	if (statement_is_loop(s))
		settle_loop(p, s, o);
	else if (s->set != STATEMENT_PLAIN)
		settle_event(p, s, o);
}

static struct program *copy(const struct program *p, size_t from, size_t past)
{
	struct program *c = mem_zero(sizeof *c);
	c->dictionary = dictionary_copy(p->dictionary);
	c->processes = p->processes;
	c->grid = p->grid;
	c->forms = intern_copy(p->forms);
	c->bounds = intern_copy(p->bounds);
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
		settle_statement(c, &c->statement[i], &o);
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
static bool unfold(struct drawn *d, struct error *error)
{
	if (!program_is_folded(d->program) && !program_varies(d->program))
		return true;
	struct model *plain = program_to_model(d->program, error);
	d->program = NULL;
	if (!plain)
		return false;
	d->program = program_of_plain(plain);
	model_free(plain);
	free(d->origin);
	d->origin = mem_array(d->program->length, sizeof *d->origin);
	for (size_t i = 0; i < d->program->length; i++)
		d->origin[i] = DRAWN_NOWHERE;
	return true;
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
			enum event_kind kind = statement_kind(p, s);
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

struct drawn *drawn_new(const struct program *p, size_t from, size_t past, bool unfolded, struct error *error)
{
	struct drawn *d = mem_zero(sizeof *d);
	d->source = p;
	d->program = copy(p, from, past);
	d->origin = origins(past - from, from);
	if (unfolded && !unfold(d, error)) {
		drawn_free(d);
		return NULL;
	}
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
