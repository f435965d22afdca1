/*
 * unfolding.c -- bodies taken apart into what each of their processes does, iteration by iteration
 * where these differ, and listed anew. Statements are made innermost first; a loop that several
 * processes have is one statement.
 *
 * In a listing units are the single events, the loops, and the collectives of the same number on
 * the same channel, all members in one. What collectives would close a cycle are left to their
 * members one by one. model/listing.h puts units in order; a body without sets keeps its own.
 */
#include "ask/unfolding.h"

#include <stdlib.h>
#include <string.h>

#include "ask/ends.h"
#include "base/compare.h"
#include "base/mem.h"
#include "model/listing.h"
#include "model/module_address.h"

#define NO_LOOP UINT32_MAX

/* So much passes on one side of a channel: twice the channel, and one more for what is received. */
struct passage {
	uint32_t side;
	uint64_t count;
};

/* What a process has of a body: an event, or its part of a loop. */
struct item {
	uint32_t process, occurrence; /* in the order of the text */
	uint32_t loop; /* of those made; NO_LOOP: an event */
	node_id event;
	size_t line;
	uint32_t key; /* only collectives of equal keys meet: the root */
	size_t flow, flows;
	uint32_t component, unit; /* ... in the listing, first its number, then its place */
};

struct items {
	struct item *item; /* once all are there, by process: strands */
	size_t count, capacity;
	size_t *first; /* by strand, and one more */
	uint32_t strands, occurrences;
	bool folded; /* is there a statement over a set? */
};

struct unfolding {
	const struct module *from;
	struct store *s;
	struct run *run;
	struct ends ends;
	struct environment at;
	uint64_t left; /* of the budget */
	size_t failed; /* the line where it was used up, or a number does not come out */
	bool too_much;
	struct made_loop {
		node_id loop;
		size_t line; /* its first, of those made */
		uint32_t unit; /* in the body that is listed; NO_LOOP */
	} * made;
	size_t loops, loop_capacity;
	struct inlined_line *line; /* of all that was made: bodies have theirs again */
	size_t lines, line_capacity;
	struct passage *flow;
	size_t flows, flow_capacity;
	uint64_t *passed; /* by side, 0 when nobody counts */
	size_t side_capacity;
};

static bool is_lost(const struct unfolding *u)
{
	return u->too_much || u->at.failure;
}

static void spend(struct unfolding *u, size_t line)
{
	u->too_much = u->too_much || !u->left;
	u->left -= u->left > 0;
	u->failed = line;
}

static void add_line(struct unfolding *u, struct inlined_line line)
{
	*MEM_PUSH(u->line, u->lines, u->line_capacity) = line;
}

/* ------------------------------------------------------------------ events */

static size_t add_flow(struct unfolding *u, uint32_t side, uint64_t count)
{
	(void)MEM_AT(u->passed, u->side_capacity, side);
	*MEM_PUSH(u->flow, u->flows, u->flow_capacity) = (struct passage){side, count};
	return u->flows - 1;
}

/* Without attributes: numbers for all that it says. */
static node_id plain_event(struct unfolding *u, node_id id, uint32_t channel)
{
	const struct node *e = node_of(u->s, id);
	node_id kid[COLUMNS] = {0};
	for (uint32_t k = COLUMN_PEER; k < COLUMNS; k++)
		kid[k] = k == COLUMN_GROUP || !e->kid[k] ? e->kid[k]
							 : number_constant(u->s, number_at(&u->at, e->kid[k]));
	enum node_kind group = (enum node_kind)node_of(u->s, kid[COLUMN_GROUP])->kind;
	if (kid[COLUMN_GROUP] && group != NODE_ALL && group != NODE_RANKS) {
		struct ranks members = ends_group(&u->ends, channel);
		kid[COLUMN_GROUP] = node_make(u->s, NODE_RANKS, 1, 0, store_ranks(u->s, &members), 0, NULL);
	}
	return node_make(u->s, NODE_EVENT, e->sub, e->word, 0, COLUMNS, kid);
}

static void take_event(struct unfolding *u, struct items *to, node_id id, size_t line, uint32_t process)
{
	environment_move(&u->at, process);
	if (!event_happens(&u->at, id))
		return;
	struct item item = {.process = process, .occurrence = to->occurrences, .loop = NO_LOOP, .line = line};
	enum event_match match = kind_rows[node_of(u->s, id)->sub].match;
	uint32_t channel = match == MATCH_NONE ? ENDS_NONE : ends_channel(&u->ends, &u->at, id);
	spend(u, line);
	if (is_lost(u))
		return;
	item.event = plain_event(u, id, channel);
	if (match != MATCH_NONE) {
		node_id root = node_kid(u->s, item.event, COLUMN_ROOT);
		item.flow = add_flow(u, 2 * channel + (match == MATCH_IN), 1);
		item.flows = 1;
		item.key = match == MATCH_GROUP && root ? 1 + (uint32_t)node_of(u->s, root)->number : 0;
	}
	*MEM_PUSH(to->item, to->count, to->capacity) = item;
}

/* ------------------------------------------------------------------ strands */

static int by_process(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	return a->process != b->process ? COMPARE(a->process, b->process) : COMPARE(a->occurrence, b->occurrence);
}

static void find_strands(struct items *s)
{
	if (s->count)
		qsort(s->item, s->count, sizeof *s->item, by_process);
	s->first = mem_array(s->count + 1, sizeof *s->first);
	for (size_t i = 0; i < s->count; i++)
		if (!i || s->item[i].process != s->item[i - 1].process)
			s->first[s->strands++] = i;
	s->first[s->strands] = s->count;
}

/* By the loops, channels and collectives that they have, numbered by their lowest strands. Gives
   how many. */
static uint32_t find_components(struct unfolding *u, struct items *s)
{
	struct together t = together_new(s->strands);
	uint32_t *number = mem_array(s->strands, sizeof *number);
	for (uint32_t k = 0; k < s->strands; k++)
		for (const struct item *i = s->item + s->first[k]; i < s->item + s->first[k + 1]; i++) {
			if (i->loop != NO_LOOP)
				together_come(&t, k, NODE_LOOP, i->loop, 0, 0);
			for (const struct passage *f = u->flow + i->flow; f < u->flow + i->flow + i->flows; f++) {
				uint32_t side = f->side & 1;
				bool collective = ends_is_collective(&u->ends, f->side / 2);
				together_come(&t, k, NODE_EVENT, f->side / 2, side, collective ? side : !side);
			}
		}
	uint32_t components = together_number(&t, NULL, number);
	for (uint32_t k = 0; k < s->strands; k++)
		for (size_t i = s->first[k]; i < s->first[k + 1]; i++)
			s->item[i].component = number[k];
	free(number);
	return components;
}

/* ------------------------------------------------------------------ listings */

/* The k-th of a channel is one. */
struct meeting_place {
	uint32_t channel, key;
	uint64_t number;
};

struct units {
	uint32_t count, *partner;
	bool *receives, *collective;
	uint32_t *of; /* by item */
	bool *cut; /* by item: a collective that is left to its members one by one */
	struct intern *places; /* who came first: */
	uint32_t *owner;
	size_t owners, owner_capacity;
};

static uint32_t new_unit(struct units *n)
{
	n->partner[n->count] = UNIT_NONE;
	n->receives[n->count] = n->collective[n->count] = false;
	return n->count++;
}

static uint32_t event_unit(struct unfolding *u, struct units *n, const struct item *item, bool cut)
{
	if (!item->flows || cut)
		return new_unit(n);
	uint32_t side = u->flow[item->flow].side;
	struct meeting_place key = {side / 2, item->key, u->passed[side]};
	bool collective = ends_is_collective(&u->ends, side / 2);
	uint32_t place = intern_id(n->places, &key, sizeof key);
	if (place < n->owners && collective)
		return n->owner[place];
	uint32_t unit = new_unit(n);
	n->collective[unit] = collective;
	n->receives[unit] = side & 1;
	if (place == n->owners) {
		*MEM_PUSH(n->owner, n->owners, n->owner_capacity) = unit;
	} else {
		n->partner[unit] = n->owner[place];
		n->partner[n->owner[place]] = unit;
	}
	return unit;
}

static uint32_t loop_unit(struct unfolding *u, struct units *n, uint32_t loop)
{
	if (u->made[loop].unit == NO_LOOP)
		u->made[loop].unit = new_unit(n);
	return u->made[loop].unit;
}

static void number_units(struct unfolding *u, struct units *n, const struct items *s)
{
	n->count = 0;
	n->owners = 0;
	n->places = intern_new_keys(sizeof(struct meeting_place));
	for (size_t i = 0; i < s->count; i++)
		if (s->item[i].loop != NO_LOOP)
			u->made[s->item[i].loop].unit = NO_LOOP;
	for (uint32_t k = 0; k < s->strands; k++) {
		for (size_t i = s->first[k]; i < s->first[k + 1]; i++) {
			const struct item *item = &s->item[i];
			n->of[i] =
				item->loop == NO_LOOP ? event_unit(u, n, item, n->cut[i]) : loop_unit(u, n, item->loop);
			for (const struct passage *f = u->flow + item->flow, *end = f + item->flows; f < end; f++)
				u->passed[f->side] += f->count;
		}
		for (size_t i = s->first[k]; i < s->first[k + 1]; i++)
			for (size_t f = 0; f < s->item[i].flows; f++)
				u->passed[u->flow[s->item[i].flow + f].side] = 0;
	}
	intern_free(n->places);
}

static bool cut_cycles(struct units *n, size_t items, const bool *in_cycle)
{
	bool any = false;
	for (size_t i = 0; i < items; i++)
		if (in_cycle[n->of[i]] && n->collective[n->of[i]])
			any = n->cut[i] = true;
	return any;
}

/* By item, where it is listed. */
static void order_units(struct unfolding *u, struct items *s)
{
	size_t room = s->count + 1;
	struct units n = {.partner = mem_array(room, sizeof *n.partner),
		.receives = mem_zero(room),
		.collective = mem_zero(room),
		.of = mem_array(room, sizeof *n.of),
		.cut = mem_zero(room)};
	uint32_t listed, *order = mem_array(room, sizeof *order), *place = mem_zero(room * sizeof *place);
	bool *in_cycle = mem_zero(room);
	do {
		number_units(u, &n, s);
		struct listing system = {s->strands, n.count, s->first, n.of, n.partner, n.receives};
		listed = listing_order(&system, order, in_cycle);
	} while (!listed && s->count && cut_cycles(&n, s->count, in_cycle));
	for (uint32_t k = 0; k < listed; k++)
		place[order[k]] = k;
	for (size_t i = 0; i < s->count; i++)
		s->item[i].unit = place[n.of[i]];
	free(n.partner);
	free(n.receives);
	free(n.collective);
	free(n.of);
	free(n.cut);
	free(n.owner);
	free(order);
	free(place);
	free(in_cycle);
}

static int by_listing(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	int order = COMPARE(a->component, b->component);
	order = order ? order : COMPARE(a->unit, b->unit);
	return order ? order : COMPARE(a->process, b->process);
}

/* Of these items, which are one unit; its line is that of the last. */
static node_id statement_of(struct unfolding *u, const struct item *first, size_t count)
{
	const struct item *item = &first[count - 1];
	if (item->loop != NO_LOOP) {
		const struct made_loop *made = &u->made[item->loop];
		for (size_t i = 0; i < node_of(u->s, made->loop)->lines; i++) {
			struct inlined_line line = u->line[made->line + i];
			add_line(u, line);
		}
		return made->loop;
	}
	struct ranks who = {0};
	for (size_t i = 0; i < count; i++)
		ranks_add(&who, first[i].process);
	node_id kid[COLUMNS];
	memcpy(kid, node_of(u->s, item->event)->kid, sizeof kid);
	kid[COLUMN_WHO] = node_make(u->s, NODE_RANKS, 1, 0, store_ranks(u->s, &who), 0, NULL);
	ranks_clear(&who);
	add_line(u, (struct inlined_line){(uint32_t)item->line, (uint32_t)item->line});
	return node_with(u->s, item->event, kid);
}

/* What these items, which are ordered, are as a SEQUENCE. Its lines are added. */
static node_id body_of(struct unfolding *u, const struct item *item, size_t count)
{
	node_id *kid = mem_array(count, sizeof *kid);
	uint32_t kids = 0;
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && item[next].unit == item[i].unit;)
			next++;
		kid[kids++] = statement_of(u, item + i, next - i);
	}
	node_id body = node_make(u->s, NODE_SEQUENCE, 0, 0, 0, kids, kid);
	free(kid);
	return body;
}

/* All that are there, as they are listed; not by strand then. */
static void list_items(struct unfolding *u, struct items *s)
{
	if (s->folded)
		order_units(u, s);
	else
		for (size_t i = 0; i < s->count; i++)
			s->item[i].unit = s->item[i].occurrence;
	if (s->count)
		qsort(s->item, s->count, sizeof *s->item, by_listing);
}

static void items_clear(struct items *s)
{
	free(s->item);
	free(s->first);
}

/* ------------------------------------------------------------------ loops */

static void expand(struct unfolding *, struct items *, node_id body, size_t line, const struct ranks *);

/* What passes in all iterations of a strand. */
static void add_flows(struct unfolding *u, const struct item *item, size_t items, uint64_t times, struct item *to)
{
	to->flow = u->flows;
	for (size_t i = 0; i < items; i++)
		for (size_t k = 0; k < item[i].flows; k++) {
			struct passage flow = u->flow[item[i].flow + k];
			if (!u->passed[flow.side])
				add_flow(u, flow.side, 0);
			/* loops of no iterations have sides, too */
			u->passed[flow.side] += flow.count + !flow.count;
		}
	to->flows = u->flows - to->flow;
	for (size_t k = to->flow; k < u->flows; k++) {
		u->flow[k].count = u->passed[u->flow[k].side] * times;
		u->passed[u->flow[k].side] = 0;
	}
}

/* A loop for each component of these processes; one, without a set. */
static void keep_loop(struct unfolding *u, struct items *to, const struct node *loop, size_t line, int64_t trips,
	const struct ranks *m)
{
	struct items inside = {0};
	uint32_t components = 1;
	u->at.index[u->at.depth++] = 0;
	expand(u, &inside, loop->kid[2], line + 1, m);
	u->at.depth--;
	find_strands(&inside);
	if (loop->kid[0]) {
		components = find_components(u, &inside);
		inside.folded = true;
	}
	uint32_t first = (uint32_t)u->loops;
	for (uint32_t k = 0; k < inside.strands && !is_lost(u); k++) {
		const struct item *own = &inside.item[inside.first[k]];
		struct item item = {.process = own->process,
			.occurrence = to->occurrences + own->component,
			.loop = first + own->component,
			.line = line};
		add_flows(u, own, inside.first[k + 1] - inside.first[k], (uint64_t)trips, &item);
		*MEM_PUSH(to->item, to->count, to->capacity) = item;
	}
	to->occurrences += components;
	if (!is_lost(u))
		list_items(u, &inside);
	for (size_t i = 0, next; i < inside.count && !is_lost(u); i = next) {
		for (next = i + 1; next < inside.count && inside.item[next].component == inside.item[i].component;)
			next++;
		size_t at = u->lines;
		add_line(u, (struct inlined_line){(uint32_t)line, (uint32_t)line});
		node_id kid[] = {NODE_NONE, number_constant(u->s, trips - 1), body_of(u, &inside.item[i], next - i)};
		*MEM_PUSH(u->made, u->loops, u->loop_capacity) =
			(struct made_loop){node_make(u->s, NODE_LOOP, 0, 0, 0, 3, kid), at, NO_LOOP};
	}
	items_clear(&inside);
}

/* Is any index asked for inside, be it of a loop in there? What is never executed may not come
   out. */
static bool asks_index(const struct unfolding *u, node_id body)
{
	const struct node *b = node_of(u->s, body);
	bool asks = b->uses[FOR_CHANNEL] & USES_INDICES;
	for (uint32_t k = 0; k < b->kids && !asks; k++) {
		const struct node *inside = node_of(u->s, b->kid[k]);
		asks = inside->kind != NODE_EVENT && asks_index(u, inside->kid[2]);
	}
	return asks;
}

/* These have the same count, as a function of indices. */
static void take_loop(struct unfolding *u, struct items *to, node_id id, size_t line, const struct ranks *m)
{
	const struct node *loop = node_of(u->s, id), *body = node_of(u->s, loop->kid[2]);
	environment_move(&u->at, m->run->first);
	int64_t trips = loop_trips(&u->at, id);
	bool function = node_of(u->s, loop->kid[1])->uses[FOR_ALL] & USES_INDICES,
	     asked = body->uses[FOR_CHANNEL] & USES_INDEX(0);
	if (is_lost(u) || (!trips && (function || asks_index(u, loop->kid[2]))))
		return;
	if (!asked && !(function && trips <= 2)) {
		keep_loop(u, to, loop, line, trips, m);
		return;
	}
	for (int64_t i = 0; i < trips && !is_lost(u); i++) {
		spend(u, line);
		u->at.index[u->at.depth++] = i;
		expand(u, to, loop->kid[2], line + 1, m);
		u->at.depth--;
	}
}

/* As deep as loops nest. */
static void expand(struct unfolding *u, struct items *to, node_id body, size_t line, const struct ranks *m)
{
	const struct node *n = node_of(u->s, body);
	for (uint32_t k = 0; k < n->kids && !is_lost(u); line += node_of(u->s, n->kid[k++])->lines) {
		const struct node *statement = node_of(u->s, n->kid[k]);
		if (statement->kid[0] && !node_of(u->s, statement->kid[0])->sub)
			to->folded = true;
		if (statement->kind == NODE_EVENT) {
			struct ranks who = run_who(u->run, &u->at, statement->kid[0], m);
			struct ranks_walk walk = {0};
			for (uint32_t rank; !is_lost(u) && ranks_next(&who, &walk, &rank);)
				take_event(u, to, n->kid[k], line, rank);
			ranks_clear(&who);
			to->occurrences++;
			continue;
		}
		struct run_parts parts = run_parts(u->run, &u->at, n->kid[k], m);
		for (size_t i = 0; i < parts.count && !is_lost(u); i++)
			if (statement->kind == NODE_LOOP)
				take_loop(u, to, n->kid[k], line, &parts.part[i]);
			else
				expand(u, to, statement->kid[2], line + 1, &parts.part[i]);
		run_parts_clear(&parts);
	}
}

/* ------------------------------------------------------------------ the whole */

static void spend_event(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	(void)event, (void)times;
	struct unfolding *u = context;
	spend(u, line);
	if (u->too_much)
		e->failure = FAILURE_STEPS;
}

/* Events that differ alone are more than the budget: known before anything is made. */
static void expect(struct unfolding *u)
{
	struct environment e = {0};
	uint64_t left = u->left;
	for (uint32_t rank = 0; rank < u->from->processes && !u->too_much; rank++) {
		run_start(u->run, rank, &e);
		run_each(u->run, &e, FOR_CHANNEL, NULL, spend_event, u);
	}
	u->left = left;
	free(e.index);
}

/* NODE_NONE, with the error set: it is too much, or does not come out. */
static node_id unfold(struct unfolding *u, struct error *error)
{
	struct items s = {0};
	node_id body = NODE_NONE;
	expect(u);
	if (!is_lost(u))
		expand(u, &s, u->from->body, 0, run_processes(u->run, NODE_NONE));
	find_strands(&s);
	if (is_lost(u)) {
		struct text address = {0};
		module_address(u->from, u->failed, &address);
		error_set(error, ERROR_INPUT, "the program cannot be unfolded: at %s %s", address.data,
			u->too_much ? "it stands for too many statements that differ" : failure_text(u->at.failure));
		text_clear(&address);
	} else {
		list_items(u, &s);
		body = body_of(u, s.item, s.count);
	}
	items_clear(&s);
	return body;
}

struct module *module_unfold(const struct module *from, struct inlined_line **origin, struct error *error)
{
	struct unfolding u = {.from = from,
		.s = from->store,
		.run = run_new(from, NULL),
		.left = UNFOLDING_LIMIT + (uint64_t)from->lines * from->processes};
	struct module *m = NULL;
	u.ends = ends_new(u.run);
	u.at = run_environment(u.run);
	u.at.index = mem_zero((node_of(u.s, from->body)->depth + (size_t)1) * sizeof *u.at.index);
	node_id body = unfold(&u, error);
	if (body) {
		size_t lines = node_of(u.s, body)->lines; /* the last ones that were made */
		struct inlined_line *line = lines ? mem_copy(u.line + u.lines - lines, lines * sizeof *line) : NULL;
		m = module_with(from, body, line, origin);
		m->grid.axes = 0;
		notes_add_all(&m->notes, &from->notes);
	}
	free(u.made);
	free(u.line);
	free(u.flow);
	free(u.passed);
	free(u.at.index);
	ends_clear(&u.ends);
	run_free(u.run);
	return m;
}
