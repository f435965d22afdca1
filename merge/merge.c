/*
 * merge.c -- the reduction from model to model: strands out of the one, systems into the other.
 *
 * Taking a model apart is projection: every loop becomes, for each process that it covers, a loop
 * of that process alone. Loops of a nest stand behind the loops in their bodies, so one pass over
 * them in order is enough. Putting it together follows the listings.
 */
#include "merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "merge/system.h"
#include "model/sides.h"

static const char *const reason_text[] = {
#define REASON(name, text) text,
#include "merge/reasons.def"
#undef REASON
};

const char *merge_reason_text(enum merge_reason r)
{
	return reason_text[r];
}

/* ------------------------------------------------------------------ apart: a model as strands */

/* What one process has of a loop: its items (several, if the loop has one iteration). */
struct share {
	uint32_t process;
	struct strand strand;
};

struct shares {
	struct share *share; /* ascending processes */
	size_t length;
};

struct takedown {
	struct reduction *r;
	const struct model *model;
	struct dictionary *dictionary; /* of the result */
	uint32_t *side_of; /* by event of the result */
	size_t side_capacity;
	uint32_t sided; /* events whose side is known */
	struct sides sides;
	struct shares *loop; /* by loop of the model */
	uint32_t *index; /* by process: 1 + its place in `open`, while a body is taken apart */
	struct share *open;
	size_t opened, capacity;
};

static struct strand *open_strand(struct takedown *t, uint32_t process)
{
	if (!t->index[process]) {
		t->open = mem_grow(t->open, &t->capacity, t->opened + 1, sizeof *t->open);
		t->open[t->opened++] = (struct share){.process = process, .strand = {.process = process}};
		t->index[process] = (uint32_t)t->opened;
	}
	return &t->open[t->index[process] - 1].strand;
}

static void know_side(struct takedown *t, uint32_t event, uint32_t process)
{
	uint32_t events = dictionary_events(t->dictionary);
	t->side_of = mem_grow(t->side_of, &t->side_capacity, events, sizeof *t->side_of);
	t->r->loops.side_of = t->side_of;
	t->side_of[event] = sides_of(&t->sides, event, process);
}

/* Messages on a wide channel become one event, and what they are besides. */
static void take_numbers(struct takedown *t, struct item *item)
{
	struct event e = *dictionary_get_event(t->dictionary, item->event);
	const struct event_steps *steps = dictionary_get_steps(t->dictionary, e.steps);
	if (!steps->channel)
		return;
	struct tag tag = *dictionary_get_tag(t->dictionary, e.subject);
	struct numbers *n = mem_alloc(sizeof *n + EVENT_LOOPS * sizeof *n->by);
	*n = (struct numbers){.number = (int64_t)tag.number, .peer = e.peer, .ring = steps->ring, .depth = EVENT_LOOPS};
	for (size_t h = 0; h < EVENT_LOOPS; h++)
		n->by[h] = (struct number_step){steps->number[h], steps->peer[h]};
	item->numbers = numbers_keep(&t->r->loops, n);
	free(n);
	struct event_steps none;
	memset(&none, 0, sizeof none);
	none.channel = steps->channel;
	none.ring = steps->ring;
	tag.number = 0;
	e.peer = steps->ring ? 0 : e.peer;
	e.subject = dictionary_tag(t->dictionary, &tag);
	e.steps = dictionary_steps(t->dictionary, &none);
	item->event = dictionary_event(t->dictionary, &e);
}

static void take_event(struct takedown *t, uint32_t event)
{
	struct ranks_run single;
	struct ranks who = event_processes(t->dictionary, event, &single);
	uint64_t processes = ranks_count(&who);
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(&who, &walk, &p);) {
		struct item own = {.event = processes > 1 ? event_as(t->dictionary, event, p) : event};
		take_numbers(t, &own);
		know_side(t, own.event, p);
		strand_add(open_strand(t, p), own);
		who = event_processes(t->dictionary, event, &single);
	}
}

static void take_body(struct takedown *t, const node *body, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!node_is_loop(body[i])) {
			take_event(t, body[i]);
			continue;
		}
		const struct shares *l = &t->loop[body[i] & ~NEST_LOOP];
		for (size_t k = 0; k < l->length; k++)
			strand_add_all(open_strand(t, l->share[k].process), l->share[k].strand.item,
				l->share[k].strand.length);
	}
}

static int by_process(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	return (x->process > y->process) - (x->process < y->process);
}

/* What take_body has opened, ascending; the caller owns it and its strands. */
static struct shares close_body(struct takedown *t)
{
	struct shares s = {mem_array(t->opened, sizeof *s.share), t->opened};
	if (t->opened) {
		memcpy(s.share, t->open, t->opened * sizeof *s.share);
		qsort(s.share, s.length, sizeof *s.share, by_process);
	}
	for (size_t i = 0; i < t->opened; i++)
		t->index[t->open[i].process] = 0;
	t->opened = 0;
	return s;
}

static void shares_clear(struct shares *s)
{
	for (size_t i = 0; i < s->length; i++)
		free(s->share[i].strand.item);
	free(s->share);
}

static void take_loop(struct takedown *t, uint32_t loop)
{
	struct body body = nest_body(t->model->nest, loop | NEST_LOOP);
	take_body(t, body.node, body.length);
	struct shares inside = close_body(t);
	uint64_t count = nest_get(t->model->nest, loop)->count;
	struct shares *made = &t->loop[loop];
	*made = (struct shares){mem_zero(inside.length * sizeof *made->share), inside.length};
	for (size_t k = 0; k < inside.length; k++) {
		made->share[k].process = inside.share[k].process;
		strand_add_loop(&made->share[k].strand, &t->r->loops, count, inside.share[k].strand.item,
			inside.share[k].strand.length);
	}
	shares_clear(&inside);
}

static struct shares take_apart(struct takedown *t)
{
	const struct nest *nest = t->model->nest;
	t->index = mem_zero(t->model->processes * sizeof *t->index);
	t->loop = mem_array(nest->loops, sizeof *t->loop);
	sides_start(&t->sides, t->dictionary);
	for (uint32_t i = 0; i < nest->loops; i++)
		take_loop(t, i);
	take_body(t, nest->root, nest->root_length);
	struct shares root = close_body(t);
	for (uint32_t i = 0; i < nest->loops; i++)
		shares_clear(&t->loop[i]);
	free(t->loop);
	free(t->index);
	free(t->open);
	return root;
}

/* ---------------------------------------------------------------- together: a system as a model */

#define ADDRESSES 10

struct apart {
	uint64_t count;
	struct text address; /* of the first ones */
};

struct assembly {
	struct model *model;
	struct merge_report *report;
	struct apart apart[APART_REASONS];
	struct text path;
};

static node put_item(struct assembly *a, const struct item *item);

static node put_loop(struct assembly *a, const struct strand_loop *l)
{
	node *body = mem_array(l->length, sizeof *body);
	for (uint32_t i = 0; i < l->length; i++)
		body[i] = put_item(a, &l->body[i]);
	node n = nest_loop(a->model->nest, l->count, body, l->length);
	free(body);
	return n;
}

/* The event with its numbers. */
static uint32_t put_numbers(struct assembly *a, uint32_t event, const struct numbers *n)
{
	struct dictionary *d = a->model->dictionary;
	struct event e = *dictionary_get_event(d, event);
	struct tag tag = *dictionary_get_tag(d, e.subject);
	struct event_steps steps = *dictionary_get_steps(d, e.steps);
	for (uint32_t h = 0; h < n->depth; h++) {
		steps.number[h] = n->by[h].number;
		steps.peer[h] = n->by[h].peer;
	}
	tag.number = (uint64_t)n->number;
	e.peer = (uint32_t)n->peer;
	e.subject = dictionary_tag(d, &tag);
	e.steps = dictionary_steps(d, &steps);
	return dictionary_event(d, &e);
}

static node put_item(struct assembly *a, const struct item *item)
{
	if (item->loop)
		return put_loop(a, item->loop);
	return item->numbers ? put_numbers(a, item->event, item->numbers) : item->event;
}

static void note_apart(struct assembly *a, uint32_t reason)
{
	struct apart *x = &a->apart[reason];
	if (x->count++ < ADDRESSES)
		text_format(&x->address, " %s", a->path.data);
}

static node put_sync(struct assembly *a, const struct system *s, const struct listed_item *u)
{
	struct dictionary *d = a->model->dictionary;
	struct ranks who = {0};
	for (uint32_t k = 0; k < u->strands; k++)
		ranks_add(&who, s->process[u->strand[k]]);
	struct event e = *dictionary_get_event(d, u->item.event);
	e.process = dictionary_ranks(d, &who);
	ranks_clear(&who);
	return dictionary_event(d, &e);
}

static node *put_system(struct assembly *a, const struct system *s);

static node put_unit(struct assembly *a, const struct system *s, const struct listed_item *u)
{
	if (u->item.apart)
		note_apart(a, u->item.apart - 1);
	const struct joint *joint = item_joint(&u->item);
	if (joint) {
		node *body = put_system(a, joint->body);
		node n = nest_loop(a->model->nest, joint->count, body, joint->body->units);
		free(body);
		a->report->joined++;
		return n;
	}
	return u->strands > 1 ? put_sync(a, s, u) : put_item(a, &u->item);
}

static node *put_system(struct assembly *a, const struct system *s)
{
	node *listing = mem_array(s->units, sizeof *listing);
	size_t prefix = a->path.length;
	for (size_t i = 0; i < s->units; i++) {
		if (prefix)
			text_char(&a->path, '.');
		text_number(&a->path, i);
		listing[i] = put_unit(a, s, &s->unit[i]);
		text_truncate(&a->path, prefix);
	}
	return listing;
}

/* Remarks on what is not as one would wish, for whoever reads the model later. */
static void put_notes(struct assembly *a)
{
	const struct merge_report *r = a->report;
	struct text line = {0};
	for (int k = 0; k < APART_REASONS; k++) {
		struct apart *x = &a->apart[k];
		a->report->apart[k] = x->count;
		if (!x->count)
			continue;
		text_truncate(&line, 0);
		text_format(&line, "apart: %llu loop%s %s:%s", (unsigned long long)x->count, x->count == 1 ? "" : "s",
			merge_reason_text((enum merge_reason)k), x->address.data);
		if (x->count > ADDRESSES)
			text_format(&line, " and %llu more", (unsigned long long)(x->count - ADDRESSES));
		notes_add(&a->model->notes, line.data);
		text_clear(&x->address);
	}
	if ((double)r->constructs_global > 1.1 * (double)r->constructs_local) {
		text_truncate(&line, 0);
		text_format(&line,
			"growth: %llu constructs, the single processes have %llu together: %llu loops shifted, %llu split, %llu unrolled",
			(unsigned long long)r->constructs_global, (unsigned long long)r->constructs_local,
			(unsigned long long)r->shifted, (unsigned long long)r->split, (unsigned long long)r->unrolled);
		notes_add(&a->model->notes, line.data);
	}
	text_clear(&line);
}

/* ------------------------------------------------------------------ the reduction */

static uint64_t shares_constructs(const struct shares *s)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < s->length; k++)
		for (size_t i = 0; i < s->share[k].strand.length; i++)
			sum += item_constructs(&s->share[k].strand.item[i]);
	return sum;
}

static struct system *reduce(struct reduction *r, struct shares *root, unsigned jobs)
{
	struct strand *strand = mem_array(root->length, sizeof *strand);
	for (size_t k = 0; k < root->length; k++)
		strand[k] = root->share[k].strand;
	struct system *s = system_merge(r, strand, root->length, jobs);
	free(strand);
	free(root->share);
	return s;
}

static void assemble(struct model *global, const struct system *s, struct merge_report *report)
{
	struct assembly a = {.model = global, .report = report};
	node *root = put_system(&a, s);
	for (size_t i = 0; i < s->units; i++)
		nest_append(global->nest, root[i]);
	free(root);
	report->constructs_global = model_constructs(global);
	put_notes(&a);
	text_clear(&a.path);
}

struct model *merge_reduce(const struct model *local, const struct merge_options *options, struct merge_report *report)
{
	static const struct merge_options defaults = {.growth = MERGE_GROWTH};
	struct merge_report ignored;
	report = report ? report : &ignored;
	options = options ? options : &defaults;
	*report = (struct merge_report){0};

	struct model *global = model_new();
	global->processes = local->processes;
	dictionary_free(global->dictionary);
	global->dictionary = dictionary_copy(local->dictionary);
	struct reduction r = {.dictionary = global->dictionary, .growth = options->growth};
	reduction_start(&r);
	struct takedown t = {.r = &r, .model = local, .dictionary = global->dictionary};
	struct shares root = take_apart(&t);
	report->constructs_local = shares_constructs(&root);
	r.sides = sides_count(&t.sides);
	r.channels = sides_channels(&t.sides);
	r.channel_of = t.sides.channel_of;

	struct system *s = reduce(&r, &root, options->jobs);
	report->shifted = tally_get(&r, TALLY_SHIFTED);
	report->split = tally_get(&r, TALLY_SPLIT);
	report->blocked = tally_get(&r, TALLY_BLOCKED);
	report->unrolled = tally_get(&r, TALLY_UNROLLED);
	assemble(global, s, report);
	reduction_end(&r);
	sides_end(&t.sides);
	free(t.side_of);
	return global;
}
