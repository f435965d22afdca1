/*
 * drawn.c -- copies of statements, and what they amount to.
 */
#include "viz/drawn.h"

#include <stdlib.h>
#include <string.h>

#include "ask/executions.h"
#include "base/mem.h"
#include "base/rank_sets.h"
#include "base/saturate.h"

/*
 * ------------------------------------------------------------------ where control comes to a
 * statement
 */

/* Loops around a statement, the outermost first. */
struct around {
	size_t *loop;
	size_t loops;
};

static struct around loops_around(const struct program *p, size_t at)
{
	struct around a = {.loop = mem_array(program_depth(p) + (size_t)1, sizeof *a.loop)};
	a.loops = program_loops_around(p, at, a.loop);
	return a;
}

/* Iterations that are tried where conditions and tables tell which ones come to it. */
#define TRIED 100000

/* Is the count of any of the loops from this depth on no affine function? */
static bool is_irregular(const struct program *p, const struct around *a, size_t depth)
{
	for (size_t i = depth; i < a->loops; i++) {
		struct value count = program_bound(p, &p->statement[a->loop[i]]), plain = {.plain = count.plain};
		if (memcmp(&count, &plain, sizeof count))
			return true;
	}
	return false;
}

bool drawn_is_divergent(const struct program *p, size_t at)
{
	const struct statement *s = &p->statement[at];
	if (s->bound == BOUND_NONE || s->set == STATEMENT_PLAIN)
		return false;
	struct value bound = program_bound(p, s);
	return !value_is_uniform(&bound);
}

uint64_t drawn_count(const struct program *p, size_t at, const int64_t *index)
{
	if (!drawn_is_divergent(p, at))
		return program_count(p, at, index);
	uint64_t most = 0;
	struct ranks_run single;
	struct ranks who = program_processes(p, &p->statement[at], &single);
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(&who, &walk, &rank);) {
		struct spot spot = grid_spot(&p->grid, rank);
		spot.index = index;
		uint64_t count = program_count_of(p, at, &spot);
		most = count > most ? count : most;
	}
	return most;
}

/* Affine counts are largest at the corners of what the loops around run over. */
static bool reach(const struct program *p, const struct around *a, size_t depth, int64_t *index, uint64_t *left)
{
	if (depth == a->loops)
		return true;
	uint64_t count = drawn_count(p, a->loop[depth], index);
	if (!count || depth >= INDEX_DEPTH)
		return count && reach(p, a, depth + 1, index, left);
	if (reach(p, a, depth + 1, index, left))
		return true;
	if (count == 1 || !program_index_used(p, a->loop[depth]))
		return false;
	bool reached = false, all = is_irregular(p, a, depth + 1);
	for (uint64_t i = all ? 1 : count - 1; i < count && !reached && *left; i++, --*left) {
		index[depth] = (int64_t)i;
		reached = reach(p, a, depth + 1, index, left);
	}
	index[depth] = reached ? index[depth] : 0;
	return reached;
}

bool drawn_instance(const struct program *p, size_t at, int64_t index[INDEX_DEPTH])
{
	struct around a = loops_around(p, at);
	memset(index, 0, INDEX_DEPTH * sizeof *index);
	uint64_t left = TRIED;
	bool reached = reach(p, &a, 0, index, &left);
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
	struct program *c = program_copy(p);
	program_calls_clear(&c->calls);
	c->length = past - from;
	memmove(c->statement, c->statement + from, c->length * sizeof *c->statement);
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

/* ------------------------------------------------------------------ boxes around calls */

struct boxing {
	const struct program *from;
	const struct drawn *drawn;
	struct coverage *coverage;
	struct rank_sets *sets;
	struct program *to;
	size_t first; /* statement of the source */
	size_t next; /* call of the source that may come */
	uint32_t deepest; /* loops inside of each other */
	uint32_t box[INDEX_DEPTH]; /* depths of those around */
	uint32_t boxes;
	size_t *origin, *call; /* by statement of `to` */
	size_t origins, calls;
};

static void note_origin(struct boxing *x, size_t at, size_t call)
{
	x->origin = mem_grow(x->origin, &x->origins, x->to->length, sizeof *x->origin);
	x->call = mem_grow(x->call, &x->calls, x->to->length, sizeof *x->call);
	x->origin[x->to->length - 1] = at;
	x->call[x->to->length - 1] = call;
}

/* Below the boxes around. */
static void deepen(const struct boxing *x, struct statement *s)
{
	struct program *p = x->to;
	struct value bound;
	struct form form;
	if (statement_is_loop(s))
		bound = program_bound(p, s);
	else if (s->set != STATEMENT_PLAIN)
		form = program_get_form(p, s->event);
	else
		return;
	for (uint32_t i = 0; i < x->boxes; i++) {
		if (statement_is_loop(s)) {
			value_deepen(&bound, x->box[i]);
			continue;
		}
		value_deepen(&form.value, x->box[i]);
		value_deepen(&form.communicator, x->box[i]);
		place_deepen(&form.peer, &p->grid, x->box[i]);
	}
	if (statement_is_loop(s))
		program_set_count(p, s, &bound);
	else
		s->event = program_form(p, &form);
}

static size_t open_box(struct boxing *x, size_t at, size_t end, size_t call, uint32_t depth)
{
	rank_sets_start(x->sets);
	for (size_t i = at; i < end; i += statement_size(&x->from->statement[i])) {
		struct ranks own = coverage_of(x->coverage, i);
		rank_sets_join(x->sets, rank_sets_id(x->sets, &own, NULL));
	}
	struct ranks all = rank_sets_get(x->sets, rank_sets_union(x->sets));
	size_t box = program_open(x->to, dictionary_ranks(x->to->dictionary, &all), 1);
	note_origin(x, at, call);
	x->box[x->boxes++] = depth;
	return box;
}

/* The end of the box that begins with this statement, if it fits in between; else SIZE_MAX. */
static size_t next_box(struct boxing *x, size_t at, size_t to, size_t *call)
{
	const struct program_calls *calls = &x->drawn->source->calls;
	while (x->next < calls->length && calls->call[x->next].start < at + x->first)
		x->next++;
	for (; x->next < calls->length && calls->call[x->next].start == at + x->first; x->next++) {
		*call = x->next;
		size_t end = calls->call[x->next].end - x->first;
		if (x->drawn->label[x->next] && end <= to && x->deepest + x->boxes < INDEX_DEPTH) {
			x->next++;
			return end;
		}
	}
	return SIZE_MAX;
}

/* As deep as loops nest. */
static void put_boxed(struct boxing *x, size_t from, size_t to, uint32_t depth)
{
	for (size_t i = from, call; i < to;) {
		size_t end = next_box(x, i, to, &call);
		if (end != SIZE_MAX) {
			size_t box = open_box(x, i, end, call, depth);
			put_boxed(x, i, end, depth + 1);
			program_close(x->to, box);
			x->boxes--;
			i = end;
			continue;
		}
		struct statement s = x->from->statement[i];
		size_t at = x->to->length;
		if (x->boxes)
			deepen(x, &s);
		program_put(x->to, &s);
		note_origin(x, i, CALL_NONE);
		if (statement_is_loop(&s)) {
			put_boxed(x, i + 1, i + s.size, depth + 1);
			program_close(x->to, at);
		}
		i += statement_size(&x->from->statement[i]);
	}
}

/* Gives what it has become; d->origin, d->call: of its statements. Takes the program. */
static struct program *box_calls(struct drawn *d, struct program *p, size_t from)
{
	struct boxing x = {.from = p,
		.drawn = d,
		.coverage = coverage_new(p),
		.sets = rank_sets_new(),
		.to = program_copy(p),
		.first = from,
		.deepest = program_depth(p)};
	program_empty(x.to);
	put_boxed(&x, 0, p->length, 0);
	d->origin = x.origin;
	d->call = x.call;
	coverage_free(x.coverage);
	rank_sets_free(x.sets);
	program_free(p);
	return x.to;
}

const char *drawn_label(const struct drawn *d, size_t at)
{
	return d->call[at] == CALL_NONE ? NULL : d->label[d->call[at]];
}

/* ------------------------------------------------------------------ process by process */

/*
 * Statements that name their process without the guards around them, which are no loops to look at.
 * Its index was the innermost one, so the others stay what they are.
 */
static void dissolve_names(struct drawn *d)
{
	struct program *p = d->program;
	size_t *before = mem_array(p->length + 1, sizeof *before), names = 0; /* guards that go */
	for (size_t i = 0; i < p->length; i++) {
		before[i] = names;
		names += statement_guard(&p->statement[i]) == GUARD_WHO;
	}
	before[p->length] = names;
	d->named = names ? mem_array(p->length, sizeof *d->named) : NULL;
	uint32_t named = BOUND_NONE;
	for (size_t i = 0; i < p->length && names; i++) {
		struct statement s = p->statement[i];
		if (statement_guard(&s) == GUARD_WHO) {
			named = s.bound;
			continue;
		}
		size_t to = i - before[i];
		s.size -= s.size ? before[i + s.size] - before[i] : 0;
		p->statement[to] = s;
		d->origin[to] = d->origin[i];
		d->call[to] = d->call[i];
		d->named[to] = named;
		named = BOUND_NONE;
	}
	p->length -= names;
	free(before);
}

bool drawn_is_named(const struct drawn *d, size_t at)
{
	return d->named && d->named[at] != BOUND_NONE;
}

struct telling {
	uint32_t named;
	void (*take)(void *context, const struct channel *, bool sends);
	void *context;
};

static void tell_named(void *context, const struct channel *c, bool sends)
{
	const struct telling *t = context;
	if ((sends ? c->from : c->to) == t->named)
		t->take(t->context, c, sends);
}

void drawn_messages_each(const struct drawn *d, size_t at, const int64_t *index,
	void (*take)(void *context, const struct channel *, bool sends), void *context)
{
	struct program *p = d->program;
	if (!drawn_is_named(d, at)) {
		messages_each(p, p->dictionary, at, index, take, context);
		return;
	}
	struct value condition = program_bound(p, &(struct statement){.bound = d->named[at]});
	condition.test = TEST_NONE; /* p - NAMED */
	struct telling t = {(uint32_t)-value_at(&condition, &(struct spot){.index = index}), take, context};
	messages_each(p, p->dictionary, at, index, tell_named, &t);
}

bool drawn_is_irregular(const struct program *p)
{
	for (size_t i = 0; i < p->length; i++) {
		const struct statement *s = &p->statement[i];
		if (statement_guard(s) || program_indices(p, s) & INDEX_TABLE)
			return true;
	}
	return false;
}

/* Gives the program that the origins are of. NULL with *error set. */
static struct program *unfold(struct program *part, size_t **origin, struct error *error)
{
	struct program *plain = program_unfold(part, origin, error);
	program_free(part);
	return plain;
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
			d->events[i] = saturating_multiply(e.times[i], drawn_is_named(d, i) ? 1 : ranks_count(&who));
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
	d->label = program_call_labels(p);
	d->program = box_calls(d, copy(p, from, past), from);
	size_t *origin = NULL, *boxed = d->origin, *call = d->call;
	if (unfolded)
		d->program = unfold(d->program, &origin, error);
	if (!d->program) {
		drawn_free(d);
		return NULL;
	}
	if (origin) {
		d->origin = origin;
		d->call = mem_array(d->program->length + 1, sizeof *d->call);
		for (size_t i = 0; i < d->program->length; i++) {
			d->call[i] = call[origin[i]];
			d->origin[i] = boxed[origin[i]];
		}
		free(boxed);
		free(call);
	}
	for (size_t i = 0; i < d->program->length; i++)
		d->origin[i] += from;
	dissolve_names(d);
	d->address = addresses_of(p);
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
	for (size_t i = 0; d->label && i < d->source->calls.length; i++)
		free(d->label[i]);
	free(d->label);
	free(d->call);
	free(d->origin);
	free(d->named);
	addresses_clear(&d->address);
	free(d->times);
	free(d->events);
	free(d->messages);
	free(d);
}

void drawn_address(const struct drawn *d, size_t at, struct text *out)
{
	text_put(out, addresses_get(&d->address, d->origin[at]));
}
