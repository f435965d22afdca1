/*
 * roll.c -- bodies, innermost first, through the affine recognizer.
 *
 * A statement becomes a record: what it is but for its numbers is interned as its shape. A loop
 * becomes one record, too: its shape is all that was found in its body, and its numbers are its
 * count and all constants in there (its *slots*), so that loops that advance as a whole become
 * loops of loops. When all bodies are known the program is written from the outside in: a loop that
 * is a record hands its slots down, as functions of the indices around it.
 */
#include "fold/roll.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/saturate.h"
#include "fold/absorb.h"
#include "fold/crossing.h"
#include "fold/modular.h"
#include "fold/prune.h"
#include "model/instances.h"
#include "nlr/affine_nlr.h"

#define FEWEST 3 /* statements of a body that is worth a look */

/* What text may hold. */
#define CONSTANT_MOST (INT64_C(1) << 60)
#define FACTOR_MOST (INT64_C(1) << 31)

/* Counts below are not told from statements written out, as the local models have them. */
#define LOOP_LEAST 3

#define NO_BODY SIZE_MAX

struct shape {
	size_t statement; /* the first that has it */
	size_t body; /* of a loop */
	uint32_t width;
	bool fixed_count, opaque; /* of a loop: is its count a part of the shape; are all numbers? */
	const uint32_t *modulus; /* by number; 0: none */
	int64_t *last; /* by number: of the record before, in the body at hand, if `pass` says so */
	size_t pass;
};

/* The numbers of a record. Those that are taken modulo something count on where they wrap
   around. */
struct slots {
	int64_t number[AFFINE_WIDTH];
	uint32_t modulus[AFFINE_WIDTH]; /* 0: none */
	uint32_t width;
};

static void add_slot(struct slots *s, int64_t number, uint32_t modulus)
{
	s->number[s->width] = number;
	s->modulus[s->width++] = modulus;
}

struct rolling {
	struct program *from;
	struct program to; /* shares all but its statements */
	struct intern *shapes;
	struct shape *shape;
	size_t *lines; /* by shape, of its text */
	size_t shape_capacity;
	struct affine_nest **body;
	size_t bodies, body_capacity;
	struct arena *arena; /* what shapes hold */
	size_t pass; /* over a body: never the same twice */
	bool recorded; /* in this pass numbers stay as they are where they wrap around, */
	bool wrapped; /* ... or some did not */
	bool found; /* any loop */
	bool failed; /* something cannot be written */
};

/* ------------------------------------------------------------------ statements as records */

/* A loop has a "done". */
static size_t text_lines(const struct program *f, size_t at)
{
	size_t lines = statement_size(&f->statement[at]);
	for (size_t i = at; i < at + statement_size(&f->statement[at]); i++)
		lines += statement_is_loop(&f->statement[i]);
	return lines;
}

static uint32_t shape_id(struct rolling *r, const struct text *key, struct shape shape, const uint32_t *modulus)
{
	uint32_t id = intern_id(r->shapes, key->data, key->length);
	size_t before = r->shape_capacity;
	if (id < before && r->shape[id].statement != SIZE_MAX)
		return id;
	r->shape = mem_grow(r->shape, &r->shape_capacity, id + 1, sizeof *r->shape);
	if (r->shape_capacity > before)
		r->lines = mem_resize(r->lines, r->shape_capacity, sizeof *r->lines);
	for (size_t i = before; i < r->shape_capacity; i++)
		r->shape[i].statement = SIZE_MAX;
	shape.modulus = arena_copy(r->arena, modulus, shape.width * sizeof *modulus);
	shape.last = arena_alloc(r->arena, shape.width * sizeof *shape.last);
	r->shape[id] = shape;
	r->lines[id] = text_lines(r->from, shape.statement);
	return id;
}

static bool fits(uint64_t number)
{
	return number <= (uint64_t)CONSTANT_MOST;
}

/* The numbers of a plain event; what is left of it stays in *e and *tag. */
static void take_plain(const struct dictionary *d, struct event *e, struct tag *tag, struct slots *to)
{
	if (e->kind == EVENT_LOCAL || (e->kind == EVENT_SYNC && e->peer == NO_ROOT))
		return;
	add_slot(to, e->peer, 0);
	e->peer = 0;
	if (e->kind == EVENT_SYNC)
		return;
	*tag = *dictionary_get_tag(d, e->subject);
	e->subject = 0;
	if (tag->numbered && fits(tag->number)) {
		add_slot(to, (int64_t)tag->number, 0);
		tag->number = 0;
	}
}

static void plain_record(const struct rolling *r, const struct statement *s, struct text *key, struct slots *to)
{
	struct event e = *dictionary_get_event(r->from->dictionary, s->event);
	struct tag tag = {0};
	take_plain(r->from->dictionary, &e, &tag, to);
	text_add(key, (const char *)&e, sizeof e);
	text_add(key, (const char *)(uint64_t[4]){tag.stem, tag.numbered, tag.number, (uint64_t)tag.communicator},
		4 * sizeof(uint64_t));
}

static bool has_number(const struct form *f)
{
	if (f->kind != EVENT_SEND && f->kind != EVENT_RECV)
		return false;
	return f->varies || (f->numbered && fits(f->number));
}

/* Only those are taken that will be written the same again. */
static void take_modular(struct affine *a, uint32_t size, struct slots *to)
{
	if (a->constant != grid_coordinate(a, size).constant)
		return;
	add_slot(to, a->constant < 0 ? a->constant + size : a->constant, size);
	a->constant = 0;
}

/* p+c, of (p+c)%m. */
static struct affine ring_inside(const struct place *p)
{
	struct affine inside = p->value.plain;
	inside.p++;
	return inside;
}

static void take_place(struct place *p, const struct grid *g, struct slots *to)
{
	if (p->kind == PLACE_NUMBER || p->kind == PLACE_OFFSET) {
		add_slot(to, p->value.plain.constant, 0);
		p->value.plain.constant = 0;
	}
	if (p->kind == PLACE_RING) {
		struct affine inside = ring_inside(p);
		take_modular(&inside, (uint32_t)p->modulus, to);
		p->value.plain.constant = inside.constant;
	}
	for (uint32_t i = 0; p->kind == PLACE_GRID && i < g->axes; i++)
		take_modular(&p->axis[i], g->size[i], to);
}

static bool is_canonical(const struct remainder *r)
{
	return r->inside.constant >= 0 && r->inside.constant < r->modulus && r->modulus < RANK_LIMIT;
}

static void take_value(struct value *v, const struct grid *g, struct slots *to)
{
	value_normalize(v, g);
	add_slot(to, v->plain.constant, 0);
	v->plain.constant = 0;
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		if (is_canonical(&v->remainder[i])) {
			add_slot(to, v->remainder[i].inside.constant, (uint32_t)v->remainder[i].modulus);
			v->remainder[i].inside.constant = 0;
		}
}

static void form_record(const struct rolling *r, const struct statement *s, struct text *key, struct slots *to)
{
	struct form form = program_get_form(r->from, s->event);
	take_place(&form.peer, &r->from->grid, to);
	if (has_number(&form)) {
		if (!form.varies)
			form.value = value_of((int64_t)form.number);
		take_value(&form.value, &r->from->grid, to);
		form.number = 0;
	}
	text_add(key, (const char *)&form, sizeof form);
}

/* ------------------------------------------------------------------ bodies as records */

/* What of a nest is no constant; the constants go to `to`, as far as there is room. Returns how
   many there are. */
static size_t take_nest(const struct rolling *r, const struct affine_node *n, size_t length, size_t depth,
	struct text *key, struct slots *to, size_t slots)
{
	for (size_t i = 0; i < length; i++) {
		size_t values = affine_is_loop(&n[i]) ? 1 : n[i].width;
		text_add(key, (const char *)(uint64_t[2]){n[i].shape, n[i].length}, 2 * sizeof(uint64_t));
		for (size_t k = 0; k < values; k++, slots++) {
			const int64_t *value = n[i].value + k * (1 + depth);
			uint32_t modulus = affine_is_loop(&n[i]) ? 0 : r->shape[n[i].shape].modulus[k];
			if (slots < AFFINE_WIDTH)
				add_slot(to, modulus ? value[0] % modulus : value[0], modulus);
			for (size_t d = 1; d <= depth; d++) {
				int64_t factor = modulus ? grid_nearest(value[d], modulus) : value[d];
				text_add(key, (const char *)&factor, sizeof factor);
			}
		}
		if (affine_is_loop(&n[i]))
			slots = take_nest(r, n[i].body, n[i].length, depth + 1, key, to, slots);
	}
	return slots;
}

/* Everything of a nest. */
static void add_constants(const struct affine_node *n, size_t length, size_t depth, struct text *key)
{
	for (size_t i = 0; i < length; i++) {
		size_t values = affine_is_loop(&n[i]) ? 1 : n[i].width;
		for (size_t k = 0; k < values; k++)
			text_add(key, (const char *)(n[i].value + k * (1 + depth)), sizeof(int64_t));
		if (affine_is_loop(&n[i]))
			add_constants(n[i].body, n[i].length, depth + 1, key);
	}
}

static void loop_record(
	const struct rolling *r, const struct statement *s, struct shape *shape, struct text *key, struct slots *to)
{
	const struct affine_nest *body = r->body[shape->body];
	shape->fixed_count = s->count < LOOP_LEAST || !fits(s->count);
	text_add(key, (const char *)(uint64_t[2]){shape->fixed_count, shape->fixed_count ? s->count : 0},
		2 * sizeof(uint64_t));
	if (!shape->fixed_count)
		add_slot(to, (int64_t)s->count, 0);
	uint32_t counts = to->width;
	shape->opaque = take_nest(r, body->root, body->length, 0, key, to, counts) > AFFINE_WIDTH;
	if (!shape->opaque)
		return;
	add_constants(body->root, body->length, 0, key);
	to->width = counts;
}

/* Numbers that wrap around count on from the last record of the shape. */
static void unwrap(struct rolling *r, struct shape *shape, struct slots *s)
{
	for (uint32_t k = 0; k < s->width; k++) {
		int64_t modulus = s->modulus[k], last = shape->last[k];
		if (modulus && shape->pass == r->pass && !r->recorded) {
			int64_t number = last + ((s->number[k] - last) % modulus + modulus) % modulus;
			r->wrapped = r->wrapped || number != s->number[k];
			s->number[k] = number;
		}
		shape->last[k] = s->number[k];
	}
	shape->pass = r->pass;
}

static uint32_t record_of(struct rolling *r, size_t at, size_t body, struct slots *to)
{
	const struct statement *s = &r->from->statement[at];
	struct shape shape = {.statement = at, .body = body};
	struct text key = {0};
	to->width = 0;
	text_add(&key, (const char *)(uint32_t[2]){s->set, statement_is_loop(s)}, 2 * sizeof(uint32_t));
	if (statement_is_loop(s))
		loop_record(r, s, &shape, &key, to);
	else
		(s->set == STATEMENT_PLAIN ? plain_record : form_record)(r, s, &key, to);
	shape.width = to->width;
	text_add(&key, (const char *)to->modulus, to->width * sizeof *to->modulus);
	uint32_t id = shape_id(r, &key, shape, to->modulus);
	unwrap(r, &r->shape[id], to);
	text_clear(&key);
	return id;
}

/* ------------------------------------------------------------------ recognizing */

static size_t roll_body(struct rolling *r, size_t from, size_t to);

/* What statements a loop is written as whose count was found to vary. */
static bool write_short_loop(
	struct rolling *r, const struct shape *shape, const int64_t *number, struct absorb_list *to)
{
	const struct affine_nest *body = r->body[shape->body];
	if (number[0] < 0 || prune_loops(body))
		return false;
	for (int64_t k = 0; k < number[0]; k++) {
		const int64_t *slot = number + 1;
		for (size_t i = 0; i < body->length; slot += body->root[i++].width)
			absorb_add(to, body->root[i].shape, body->root[i].width,
				shape->opaque ? body->root[i].value : slot);
	}
	return true;
}

static bool write_as_found(void *context, uint32_t id, uint32_t width, const int64_t *number, struct absorb_list *to)
{
	struct rolling *r = context;
	const struct shape *shape = &r->shape[id];
	if (shape->body != NO_BODY && !shape->fixed_count && number[0] < LOOP_LEAST)
		return write_short_loop(r, shape, number, to);
	absorb_add(to, id, width, number);
	return true;
}

/* The statements of a body. */
struct body_of {
	const size_t *statement, *body;
	size_t length;
};

static struct affine_nest *push_body(struct rolling *r, const struct body_of *b)
{
	struct affine_nlr *nlr = affine_nlr_new(NULL);
	struct slots slots;
	r->pass++;
	for (size_t i = 0; i < b->length; i++) {
		uint32_t shape = record_of(r, b->statement[i], b->body[i], &slots);
		affine_nlr_push(nlr, shape, slots.width, slots.number);
	}
	return affine_nlr_finish(nlr);
}

static struct affine_nest *flat_body(struct rolling *r, const struct body_of *b)
{
	struct affine_nest *flat = affine_nest_new();
	struct slots slots;
	r->pass++;
	for (size_t i = 0; i < b->length; i++) {
		uint32_t shape = record_of(r, b->statement[i], b->body[i], &slots);
		struct affine_node record = {.shape = shape,
			.width = slots.width,
			.value = arena_copy(flat->arena, slots.number, slots.width * sizeof *slots.number)};
		affine_nest_append(flat, &record);
	}
	return flat;
}

/* What goes once around comes to where it was: it does not advance. */
static void drop_whole_turns(const struct rolling *r, struct affine_node *n, size_t length, size_t depth)
{
	for (size_t i = 0; i < length; i++) {
		if (affine_is_loop(&n[i])) {
			drop_whole_turns(r, n[i].body, n[i].length, depth + 1);
			continue;
		}
		for (size_t k = 0; k < n[i].width; k++) {
			uint32_t modulus = r->shape[n[i].shape].modulus[k];
			int64_t *step = n[i].value + k * (1 + depth) + 1;
			for (size_t d = 0; modulus && d < depth; d++)
				step[d] = step[d] % modulus ? step[d] : 0;
		}
	}
}

/* Writes out loops that are no gain, and those that messages would cross. True if there are any of
   these. */
static bool prune_body(struct rolling *r, struct affine_nest **n, const struct body_of *b)
{
	struct absorb_rules rules = {r, write_as_found};
	drop_whole_turns(r, (*n)->root, (*n)->length, 0);
	size_t loops = prune_loops(*n);
	bool *mark = mem_zero(loops + 1), crossed = false;
	prune_mark_pointless(*n, r->lines, mark);
	*n = prune(*n, mark);
	free(mark);
	loops = prune_loops(*n); /* more, perhaps: those inside of what was written out */
	mark = mem_zero(loops + 1);
	if (loops)
		crossing_mark(r->from, b->statement, b->length, *n, &rules, mark);
	for (size_t i = 0; i < loops; i++)
		crossed = crossed || mark[i];
	if (crossed)
		*n = prune(*n, mark);
	free(mark);
	return crossed;
}

static struct affine_nest *recognize_loops(struct rolling *r, const struct body_of *b)
{
	struct affine_nest *n = push_body(r, b);
	if (!prune_loops(n))
		return n;
	struct absorb_rules rules = {r, write_as_found};
	if (absorb(n, &rules) && prune_body(r, &n, b)) {
		affine_nest_free(n); /* what was absorbed cannot be written out as it was */
		n = push_body(r, b);
	}
	prune_body(r, &n, b);
	return n;
}

static size_t nodes(const struct affine_node *n, size_t length)
{
	size_t count = length;
	for (size_t i = 0; i < length; i++)
		count += affine_is_loop(&n[i]) ? nodes(n[i].body, n[i].length) : 0;
	return count;
}

/* With numbers that count on where they wrap around, if that is shorter. */
static struct affine_nest *recognize(struct rolling *r, const struct body_of *b)
{
	if (b->length < FEWEST)
		return flat_body(r, b);
	r->wrapped = false;
	struct affine_nest *n = recognize_loops(r, b);
	if (r->wrapped) {
		r->recorded = true;
		struct affine_nest *recorded = recognize_loops(r, b);
		r->recorded = false;
		bool shorter = nodes(n->root, n->length) < nodes(recorded->root, recorded->length);
		affine_nest_free(shorter ? recorded : n);
		n = shorter ? n : recorded;
	}
	r->found = r->found || prune_loops(n);
	return n;
}

/* Recursion as deep as loops nest. The number of the body. */
static size_t roll_body(struct rolling *r, size_t from, size_t to)
{
	size_t records = 0, k = 0;
	for (size_t i = from; i < to; i += statement_size(&r->from->statement[i]))
		records++;
	size_t *statement = mem_array(records, sizeof *statement), *body = mem_array(records, sizeof *body);
	for (size_t i = from; i < to; i += statement_size(&r->from->statement[i]), k++) {
		const struct statement *s = &r->from->statement[i];
		statement[k] = i;
		body[k] = statement_is_loop(s) ? roll_body(r, i + 1, i + s->size) : NO_BODY;
	}
	struct affine_nest *n = recognize(r, &(struct body_of){statement, body, records});
	free(statement);
	free(body);
	r->body = mem_grow(r->body, &r->body_capacity, r->bodies + 1, sizeof *r->body);
	r->body[r->bodies] = n;
	return r->bodies++;
}

/* ------------------------------------------------------------------ writing */

struct place_in {
	/* a number as a function of the indices: the next; NULL: constants are those of the nest */
	const struct affine *slot;
	size_t base; /* loops around the body */
};

static struct affine next_slot(struct rolling *r, struct place_in *in, const int64_t *value, size_t depth)
{
	struct affine s = in->slot ? *in->slot++ : (struct affine){.constant = value[0]};
	for (size_t k = 0; k < depth; k++) {
		int64_t factor = value[1 + k];
		if (factor && in->base + k < INDEX_DEPTH)
			s.index[in->base + k] += factor;
		else if (factor)
			r->failed = true;
		if (factor > FACTOR_MOST || factor < -FACTOR_MOST)
			r->failed = true;
	}
	if (s.constant > CONSTANT_MOST || s.constant < -CONSTANT_MOST)
		r->failed = true;
	return s;
}

static void put_factors(struct affine *to, uint32_t size, const struct affine *slot)
{
	for (int d = 0; d < INDEX_DEPTH; d++)
		to->index[d] = grid_nearest(slot->index[d], size);
}

static void put_value(struct value *v, const struct grid *g, const struct affine *slot)
{
	value_normalize(v, g);
	v->plain.constant = slot->constant;
	memcpy(v->plain.index, slot->index, sizeof slot->index);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		struct remainder *r = &v->remainder[i];
		if (!is_canonical(r))
			continue;
		slot++;
		r->inside.constant = (slot->constant % r->modulus + r->modulus) % r->modulus;
		put_factors(&r->inside, (uint32_t)r->modulus, slot);
	}
	value_simplify(v, g);
}

static void put_number(struct form *form, const struct grid *g, const struct affine *slot)
{
	put_value(&form->value, g, slot);
	form->varies = !value_is_constant(&form->value) || form->varies;
	form->number = form->varies ? 0 : (uint64_t)slot->constant;
	if (!form->varies)
		form->value = value_of(0);
}

static const struct affine *put_modular(struct affine *to, uint32_t size, const struct affine *slot)
{
	if (to->constant != grid_coordinate(to, size).constant)
		return slot;
	to->constant = slot->constant;
	to->constant = grid_coordinate(to, size).constant;
	put_factors(to, size, slot);
	return slot + 1;
}

static const struct affine *put_place(struct place *p, const struct grid *g, const struct affine *slot)
{
	if (p->kind == PLACE_NUMBER || p->kind == PLACE_OFFSET)
		p->value.plain = *slot++;
	if (p->kind == PLACE_RING) {
		struct affine inside = ring_inside(p);
		slot = put_modular(&inside, (uint32_t)p->modulus, slot);
		inside.p--;
		p->value.plain = inside;
	}
	for (uint32_t i = 0; p->kind == PLACE_GRID && i < g->axes; i++)
		slot = put_modular(&p->axis[i], g->size[i], slot);
	return slot;
}

/* A plain event stays a plain one, and a form only where it depends on an index. */
static void write_event(struct rolling *r, const struct statement *s, const struct affine *slot)
{
	struct program *to = &r->to;
	bool plain = s->set == STATEMENT_PLAIN;
	struct form form = plain ? form_of_event(to->dictionary, s->event) : program_get_form(r->from, s->event);
	slot = put_place(&form.peer, &to->grid, slot);
	if (has_number(&form))
		put_number(&form, &to->grid, slot);
	if (!plain) {
		program_add(to, s->set, program_form(to, &form));
		return;
	}
	struct ranks_run single;
	struct ranks who = event_processes(to->dictionary, s->event, &single);
	uint32_t set = dictionary_ranks(to->dictionary, &who);
	if (form_indices(&form))
		program_add_alone(to, set, program_form(to, &form));
	else
		program_add(to, STATEMENT_PLAIN, program_event_of(to, set, &form));
}

static size_t open_loop(struct rolling *r, uint32_t set, const struct affine *count)
{
	struct value bound = {.plain = *count};
	return program_open_by(&r->to, set, &bound);
}

static void write_nodes(
	struct rolling *r, const struct affine_node *n, size_t length, size_t depth, struct place_in *in);

static void write_record(struct rolling *r, const struct affine_node *n, size_t depth, struct place_in *in)
{
	const struct shape *shape = &r->shape[n->shape];
	const struct statement *s = &r->from->statement[shape->statement];
	struct affine slot[AFFINE_WIDTH];
	for (uint32_t k = 0; k < n->width; k++)
		slot[k] = next_slot(r, in, n->value + k * (1 + depth), depth);
	if (!statement_is_loop(s)) {
		write_event(r, s, slot);
		return;
	}
	const struct affine_nest *body = r->body[shape->body];
	size_t loop = shape->fixed_count ? program_open(&r->to, s->set, s->count) : open_loop(r, s->set, &slot[0]);
	struct place_in inside = {shape->opaque ? NULL : slot + !shape->fixed_count, in->base + depth + 1};
	write_nodes(r, body->root, body->length, 0, &inside);
	program_close(&r->to, loop);
}

static void write_nodes(
	struct rolling *r, const struct affine_node *n, size_t length, size_t depth, struct place_in *in)
{
	for (size_t i = 0; i < length && !r->failed; i++) {
		if (!affine_is_loop(&n[i])) {
			write_record(r, &n[i], depth, in);
			continue;
		}
		struct affine count = next_slot(r, in, n[i].value, depth);
		size_t loop = open_loop(r, STATEMENT_PLAIN, &count);
		write_nodes(r, n[i].body, n[i].length, depth + 1, in);
		program_close(&r->to, loop);
		r->to.statement[loop].set =
			program_executed_by(&r->to, &r->to.statement[loop + 1], r->to.length - loop - 1);
	}
}

/* ------------------------------------------------------------------ the proof */

static struct form normal_form(const struct program *f, uint32_t event)
{
	struct form form = program_get_form(f, event);
	value_normalize(&form.value, &f->grid);
	return form;
}

static bool same_event(
	const struct program *a, const struct statement *x, const struct program *b, const struct statement *y)
{
	if (x->event == y->event || statement_is_loop(x) || x->set == STATEMENT_PLAIN)
		return x->event == y->event;
	struct form one = normal_form(a, x->event), other = normal_form(b, y->event);
	return !memcmp(&one, &other, sizeof one);
}

static bool same_statements(const struct program *a, const struct program *b)
{
	if (a->length != b->length)
		return false;
	for (size_t i = 0; i < a->length; i++) {
		const struct statement *x = &a->statement[i], *y = &b->statement[i];
		if (x->set != y->set || !same_event(a, x, b, y) || x->count != y->count || x->size != y->size ||
			x->bound != y->bound)
			return false;
	}
	return true;
}

/* Do the new statements stand for the old ones? */
static bool stands_for(const struct rolling *r)
{
	struct instances_error wrong;
	if (!instances_check(&r->to, &wrong))
		return false;
	struct program instances = r->to;
	instances.statement = mem_copy(r->to.statement, r->to.length * sizeof *r->to.statement);
	instances.capacity = r->to.length;
	bool same = instances_write(&instances, INSTANCES_EXECUTED_LIMIT, NULL, &wrong) &&
		    same_statements(&instances, r->from);
	free(instances.statement);
	return same;
}

/* A program whose numbers advance already is only rolled from all that it stands for: so much of
   it, of all processes together. */
#define WRITTEN_MOST (UINT64_C(1) << 16)
#define WRITTEN_EXECUTED_MOST (UINT64_C(1) << 18)

/* How many statements a part stands for, or more; and the indices used in it. Recursion as deep as
   loops nest. */
static uint64_t stands_for_statements(const struct program *f, size_t from, size_t to, uint32_t depth, uint32_t *used)
{
	uint64_t sum = 0;
	for (size_t i = from; i < to; i += statement_size(&f->statement[i])) {
		const struct statement *s = &f->statement[i];
		uint32_t inside = 0;
		uint64_t body =
			statement_is_loop(s) ? stands_for_statements(f, i + 1, i + s->size, depth + 1, &inside) : 0;
		bool written = statement_is_loop(s) && depth < INDEX_DEPTH && inside >> depth & 1;
		sum = saturating_add(sum, saturating_add(1, written ? saturating_multiply(body, s->count) : body));
		*used |= inside | program_indices(f, s);
	}
	return sum;
}

/* Loops in which something advances may be iterations of others. What is not shorter stays as it
   was. */
static void roll_again(struct program *f)
{
	struct instances_error wrong;
	uint32_t used = 0;
	if (stands_for_statements(f, 0, f->length, 0, &used) > WRITTEN_MOST)
		return;
	struct program *written = program_copy(f);
	if (instances_write(written, WRITTEN_EXECUTED_MOST, NULL, &wrong) && roll(written) &&
		written->length < f->length) {
		struct program swap = *f;
		*f = *written;
		*written = swap;
	}
	program_free(written);
}

bool roll(struct program *f)
{
	if (program_varies(f)) {
		roll_again(f);
		return true;
	}
	if (f->length >= INSTANCES_LIMIT)
		return false;
	struct rolling r = {.from = f, .shapes = intern_new(), .arena = arena_new()};
	r.to = *f;
	r.to.statement = NULL;
	r.to.length = r.to.capacity = 0;
	size_t root = roll_body(&r, 0, f->length);
	struct place_in all = {NULL, 0};
	if (r.found)
		write_nodes(&r, r.body[root]->root, r.body[root]->length, 0, &all);
	bool good = r.found && !r.failed && stands_for(&r);
	if (good) {
		free(f->statement);
		*f = r.to;
	} else {
		free(r.to.statement);
	}
	for (size_t i = 0; i < r.bodies; i++)
		affine_nest_free(r.body[i]);
	free(r.body);
	free(r.shape);
	free(r.lines);
	intern_free(r.shapes);
	arena_free(r.arena);
	return good || !r.found;
}
