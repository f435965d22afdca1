/*
 * guarded.c -- one iteration more: a block beside a loop that is its body but for a piece or two.
 *
 *	for i0 = 0 to 8			for i0 = 0 to 9
 *	  a  b				  a
 *	done			--->	  if {i0} != 9: b done
 *	a  c				  if {i0} = 9: c done
 *					done
 *
 * A block is compared with the body as texts are (longest common subsequence), where pieces that
 * are not common are few. What occurs in the first iteration of all, or in the last, is set-up or
 * the end of the work: it stays outside, where no loop around makes it come again. A guard that is
 * there already holds in the new iteration, or does not.
 */
#include <stdlib.h>
#include <string.h>

#include "merge/bounds.h"
#include "merge/reroll.h"

struct guarding {
	struct tree_builder *builder;
	struct pricing *pricing;
	const struct tree_context *context;
	uint32_t depth; /* of the list */
	struct intern *keys;
};

/* ------------------------------------------------------------------ what may be one statement */

/* Equal for nodes that differ in sizes, and in numbers that vary, alone. */
static uint32_t key_of(struct guarding *g, const struct tree_node *n)
{
	struct tree_builder *b = g->builder;
	size_t words = 0, most = 2 + 3 * (size_t)n->slots + n->body.length;
	uint32_t *word = mem_array(most, sizeof *word);
	word[words++] = n->structure;
	word[words++] = tree_lane_signature(b, n);
	for (uint32_t k = 0; n->kind == TREE_EVENT && k < n->slots; k++) {
		int64_t number;
		if (SLOT_IS_SIZE(tree_slot_of(b, n, k)) || !indexed_is_constant(b->store, n->slot[k][0], &number))
			continue;
		word[words++] = k;
		word[words++] = (uint32_t)(uint64_t)number;
		word[words++] = (uint32_t)((uint64_t)number >> 32);
	}
	for (size_t i = 0; i < n->body.length; i++)
		word[words++] = key_of(g, n->body.node[i]);
	uint32_t key = intern_id(g->keys, word, words * sizeof *word);
	free(word);
	return key;
}

static uint32_t *keys_of(struct guarding *g, struct tree_list list)
{
	uint32_t *key = mem_array(list.length, sizeof *key);
	for (size_t i = 0; i < list.length; i++)
		key[i] = key_of(g, list.node[i]);
	return key;
}

/* ------------------------------------------------------------------ alignment */

/*
 * Steps of an alignment. In a piece, what the block has alone comes before what the body has alone.
 * A guard of the body that is there already is one step: its body is next in the block, or nothing.
 */
enum step { STEP_NONE, STEP_BOTH, STEP_BLOCK, STEP_BODY, STEP_HOLDS, STEP_FAILS };
enum state { ALIGNED, IN_BLOCK, IN_BODY, STATES };

/* Where an alignment of the first items of both is, with so many pieces. */
struct cell {
	int32_t common; /* items; -1: there is none */
	uint8_t step, state; /* the last step, and the state before it */
};

struct alignment {
	const struct tree_node *const *body; /* the loop's, in the direction that leads away from it */
	const uint32_t *body_key, *block_key;
	const uint32_t *const *guarded; /* keys of what is under a guard of the body, in that direction */
	size_t body_length, block_length;
	bool more; /* may the block have what the body lacks? */
	struct cell *cell;
};

static struct cell *cell_at(const struct alignment *a, size_t body, size_t block, unsigned pieces, enum state state)
{
	return &a->cell[((body * (a->block_length + 1) + block) * (GUARD_PIECES + 1) + pieces) * STATES + state];
}

static void offer(struct cell *to, const struct cell *from, int32_t more, enum step step, enum state state)
{
	if (from->common >= 0 && from->common + more > to->common)
		*to = (struct cell){from->common + more, (uint8_t)step, (uint8_t)state};
}

static bool guard_holds(const struct alignment *a, size_t body, size_t block)
{
	size_t length = a->body[body]->body.length;
	return block + length <= a->block_length &&
	       !memcmp(a->guarded[body], a->block_key + block, length * sizeof *a->block_key);
}

static void align_from(struct alignment *a, size_t body, size_t block, unsigned pieces, enum state state)
{
	const struct cell *from = cell_at(a, body, block, pieces, state);
	unsigned opened = pieces + (state == ALIGNED);
	if (from->common < 0)
		return;
	if (body < a->body_length && block < a->block_length && a->body_key[body] == a->block_key[block])
		offer(cell_at(a, body + 1, block + 1, pieces, ALIGNED), from, 1, STEP_BOTH, state);
	if (body < a->body_length && a->guarded[body]) {
		if (guard_holds(a, body, block))
			offer(cell_at(a, body + 1, block + a->body[body]->body.length, pieces, ALIGNED), from, 1,
				STEP_HOLDS, state);
		offer(cell_at(a, body + 1, block, pieces, ALIGNED), from, 0, STEP_FAILS, state);
	}
	if (opened > GUARD_PIECES)
		return;
	if (a->more && block < a->block_length && state != IN_BODY)
		offer(cell_at(a, body, block + 1, opened, IN_BLOCK), from, 0, STEP_BLOCK, state);
	if (body < a->body_length)
		offer(cell_at(a, body + 1, block, opened, IN_BODY), from, 0, STEP_BODY, state);
}

static void align(struct alignment *a)
{
	size_t cells = (a->body_length + 1) * (a->block_length + 1) * (GUARD_PIECES + 1) * STATES;
	a->cell = mem_array(cells, sizeof *a->cell);
	for (size_t i = 0; i < cells; i++)
		a->cell[i] = (struct cell){.common = -1};
	cell_at(a, 0, 0, 0, ALIGNED)->common = 0;
	for (size_t body = 0; body <= a->body_length; body++)
		for (size_t block = 0; block <= a->block_length; block++)
			for (unsigned pieces = 0; pieces <= GUARD_PIECES; pieces++)
				for (unsigned state = 0; state < STATES; state++)
					align_from(a, body, block, pieces, (enum state)state);
}

/* ------------------------------------------------------------------ one iteration more */

/* A number under a loop more: of the block, or of the body. */
struct moving {
	struct indexed_store *store;
	uint32_t depth; /* of the loop */
	size_t iterations;
	bool in_front;
};

/* Of the block: below the loop, and a guard in it. */
static indexed block_guarded(void *context, indexed v)
{
	const struct moving *m = context;
	return indexed_insert(m->store, indexed_insert(m->store, v, m->depth), m->depth);
}

static indexed block_under_guard(void *context, indexed v)
{
	const struct moving *m = context;
	return indexed_insert(m->store, v, m->depth);
}

/* Of the body: nothing in the new iteration. */
static indexed body_kept(void *context, indexed v)
{
	const struct moving *m = context;
	return indexed_extend(m->store, v, INDEXED_NONE, m->depth, m->iterations, m->in_front, NULL);
}

static indexed body_guarded(void *context, indexed v)
{
	const struct moving *m = context;
	return indexed_insert(m->store, body_kept(context, v), m->depth + 1);
}

static struct tree_node *tree_node_with(
	struct tree_builder *b, const struct tree_node *n, indexed **slot, struct tree_list body)
{
	if (n->kind == TREE_EVENT)
		return tree_event(b, n->shape, n->lanes, slot, n->parameters);
	if (n->kind == TREE_CALL)
		return tree_call(b, n->procedure, n->lanes, slot, n->parameters);
	return tree_loop(b, n->kind, n->lanes, slot[0], body);
}

/* A node of the body with one of the block as what it is in the new iteration. Same structure and
   lanes. */
static struct tree_node *extended(
	struct guarding *g, const struct moving *m, const struct tree_node *n, const struct tree_node *one)
{
	struct tree_builder *b = g->builder;
	struct lane_set set = tree_lanes(b, n->lanes);
	indexed **slot = tree_slots(b, n->slots, n->lanes), *around = mem_array(g->depth + (size_t)1, sizeof *around);
	for (size_t i = 0; i < set.length; i++) {
		tree_counts_around(b, g->context, set.lane[i], around);
		for (uint32_t k = 0; k < n->slots; k++)
			slot[k][i] = indexed_extend(
				m->store, n->slot[k][i], one->slot[k][i], m->depth, m->iterations, m->in_front, around);
	}
	free(around);
	struct tree_node **inside = mem_array(n->body.length, sizeof *inside);
	for (size_t i = 0; i < n->body.length; i++)
		inside[i] = extended(g, m, n->body.node[i], one->body.node[i]);
	struct tree_node *made = tree_node_with(b, n, slot, tree_list_of(b, inside, n->body.length));
	free(inside);
	return made;
}

/* 1 or 0 in the iterations there were, and the other one in the new one. */
static const indexed *condition_of(struct guarding *g, const struct moving *m, uint32_t lanes, bool in_new)
{
	struct indexed_store *s = m->store;
	indexed old = indexed_wrap(s, indexed_number(s, !in_new), m->depth + 1);
	indexed one = indexed_wrap(s, indexed_number(s, in_new), m->depth);
	size_t length = tree_lanes(g->builder, lanes).length;
	indexed *condition = tree_slots(g->builder, 1, lanes)[0];
	for (size_t i = 0; i < length; i++)
		condition[i] = indexed_extend(s, old, one, m->depth, m->iterations, m->in_front, NULL);
	return condition;
}

/* Under a new guard; of the block, or of the body. */
static struct tree_node *under_guard(
	struct guarding *g, struct moving *m, struct tree_node *const *piece, size_t length, bool of_block)
{
	struct tree_builder *b = g->builder;
	uint32_t lanes = tree_list_lanes(b, (struct tree_list){piece, length});
	struct tree_node **inside = mem_array(length, sizeof *inside);
	for (size_t i = 0; i < length; i++)
		inside[i] = tree_map(b, piece[i], of_block ? block_guarded : body_guarded, m);
	struct tree_node *made =
		tree_loop(b, TREE_GUARD, lanes, condition_of(g, m, lanes, of_block), tree_list_of(b, inside, length));
	free(inside);
	return made;
}

/* A guard that is there already, with these nodes of the block under it, or none (NULL). */
static struct tree_node *guard_more(
	struct guarding *g, struct moving *m, const struct tree_node *n, struct tree_node *const *block)
{
	struct tree_builder *b = g->builder;
	indexed one = indexed_wrap(m->store, indexed_number(m->store, block != NULL), m->depth);
	struct lane_set set = tree_lanes(b, n->lanes);
	indexed *condition = tree_slots(b, 1, n->lanes)[0], *around = mem_array(g->depth + (size_t)1, sizeof *around);
	for (size_t i = 0; i < set.length; i++) {
		tree_counts_around(b, g->context, set.lane[i], around);
		condition[i] =
			indexed_extend(m->store, n->slot[0][i], one, m->depth, m->iterations, m->in_front, around);
	}
	free(around);
	struct tree_node **inside = mem_array(n->body.length, sizeof *inside);
	for (size_t i = 0; i < n->body.length; i++)
		inside[i] = block ? extended(g, m, n->body.node[i], tree_map(b, block[i], block_under_guard, m))
				  : tree_map(b, n->body.node[i], body_kept, m);
	struct tree_node *made = tree_loop(b, TREE_GUARD, n->lanes, condition, tree_list_of(b, inside, n->body.length));
	free(inside);
	return made;
}

/* ------------------------------------------------------------------ a loop and what is beside
   it */

/* A loop, and what is beside it on one side. */
struct beside {
	struct guarding *g;
	struct tree_node *loop;
	struct tree_list outside; /* as it stands */
	struct moving moving;
	struct alignment a;
	/* the best so far */
	struct tree_node *best;
	size_t taken; /* nodes of the block */
	unsigned pieces;
	int64_t saves;
};

/* Items in the direction of the text. */
static struct tree_node *const *body_item(const struct beside *s, size_t at)
{
	return s->loop->body.node + (s->moving.in_front ? s->loop->body.length - 1 - at : at);
}
static struct tree_node *const *block_item(const struct beside *s, size_t at)
{
	return s->outside.node + (s->moving.in_front ? s->outside.length - 1 - at : at);
}
/* Of several in a row, from `at` to before `end`, the first one as they stand in the text. */
static struct tree_node *const *body_items(const struct beside *s, size_t at, size_t end)
{
	return body_item(s, s->moving.in_front ? end - 1 : at);
}
static struct tree_node *const *block_items(const struct beside *s, size_t at, size_t end)
{
	return block_item(s, s->moving.in_front ? end - 1 : at);
}

/* The loop that the alignment says, made from its end. NULL: the block has lanes that the loop
   lacks. */
static struct tree_node *loop_of(struct beside *s, size_t block, unsigned pieces, enum state state)
{
	struct guarding *g = s->g;
	struct tree_builder *b = g->builder;
	struct moving *m = &s->moving;
	size_t body = s->a.body_length, count = 0;
	struct tree_node **made = mem_array(body + block + 1, sizeof *made);
	while (body || block) {
		const struct cell *c = cell_at(&s->a, body, block, pieces, state);
		enum step step = (enum step)c->step;
		size_t body_end = body, block_end = block;
		if (step == STEP_BLOCK || step == STEP_BODY) {
			/* the whole of what is alone: back to where it began */
			enum state inside = state;
			while (state == inside) {
				c = cell_at(&s->a, body, block, pieces, state);
				body -= step == STEP_BODY;
				block -= step == STEP_BLOCK;
				pieces -= c->state == ALIGNED;
				state = (enum state)c->state;
			}
			made[count++] =
				step == STEP_BLOCK
					? under_guard(g, m, block_items(s, block, block_end), block_end - block, true)
					: under_guard(g, m, body_items(s, body, body_end), body_end - body, false);
			continue;
		}
		const struct tree_node *n = *body_item(s, --body);
		block -= step == STEP_BOTH ? 1 : step == STEP_HOLDS ? n->body.length : 0;
		made[count++] =
			step == STEP_BOTH
				? extended(g, m, n, *block_item(s, block))
				: guard_more(g, m, n, step == STEP_HOLDS ? block_items(s, block, block_end) : NULL);
		state = (enum state)c->state;
	}
	/* the alignment leads away from the loop: in front of it, against the text */
	for (size_t i = 0; !m->in_front && i < count / 2; i++) {
		struct tree_node *swapped = made[i];
		made[i] = made[count - 1 - i];
		made[count - 1 - i] = swapped;
	}
	struct tree_list list = tree_list_of(b, made, count);
	free(made);
	if (tree_list_lanes(b, list) != s->loop->lanes)
		return NULL;
	size_t lanes = tree_lanes(b, s->loop->lanes).length;
	indexed *iterations = tree_slots(b, 1, s->loop->lanes)[0];
	for (size_t i = 0; i < lanes; i++)
		iterations[i] = indexed_wrap(m->store, indexed_number(m->store, (int64_t)m->iterations + 1), m->depth);
	return tree_loop(b, TREE_LOOP, s->loop->lanes, iterations, list);
}

/* The loop and the block, in an order of no matter to what they cost. The caller frees. */
static struct tree_node **with_block(const struct beside *s, size_t block)
{
	struct tree_node **all = mem_array(block + 1, sizeof *all);
	all[0] = s->loop;
	memcpy(all + 1, block_items(s, 0, block), block * sizeof *all);
	return all;
}

static int64_t saved_by(const struct beside *s, struct tree_node *made, size_t block)
{
	struct tree_node **old = with_block(s, block);
	int64_t saved = price_saved(
		s->g->pricing, (struct tree_list){old, block + 1}, (struct tree_list){&made, 1}, s->g->context);
	free(old);
	return saved;
}

/* What needs no new guard comes first: it may give others the iterations that they are beside. */
static bool is_better(const struct beside *s, unsigned pieces, int64_t saves)
{
	return !s->best || pieces < s->pieces || (pieces == s->pieces && saves > s->saves);
}

/* Does what the block lacks at its far end come next, but for its numbers? Then it is no end of the
   loop. */
static bool is_continued(const struct beside *s, size_t block, unsigned pieces)
{
	size_t missing = 0;
	for (enum state state = IN_BODY; state == IN_BODY; missing++)
		state = (enum state)cell_at(&s->a, s->a.body_length - missing, block, pieces, state)->state;
	if (missing > s->a.block_length - block)
		return false;
	for (size_t i = 0; i < missing; i++) {
		const struct tree_node *next = *block_item(s, block + i);
		const struct tree_node *lacks = *body_item(s, s->a.body_length - missing + i);
		if (next->structure != lacks->structure || next->lanes != lacks->lanes)
			return false;
	}
	return true;
}

/* Blocks of every length that have half of the body; a longer one only if it has more of it. */
static void try_blocks(struct beside *s)
{
	int32_t most[GUARD_PIECES + 1] = {0};
	for (size_t block = 1; block <= s->a.block_length; block++)
		for (unsigned pieces = 0; pieces <= GUARD_PIECES; pieces++)
			for (unsigned state = 0; state < STATES; state++) {
				int32_t common =
					cell_at(&s->a, s->a.body_length, block, pieces, (enum state)state)->common;
				bool more = common > 0 && 2 * (size_t)common >= s->a.body_length;
				for (unsigned fewer = 0; fewer <= pieces; fewer++)
					more = more && common > most[fewer];
				/* what the block has alone at its far end can stay outside */
				if (!more || state == IN_BLOCK || (state == IN_BODY && is_continued(s, block, pieces)))
					continue;
				most[pieces] = common;
				struct tree_node *made = loop_of(s, block, pieces, (enum state)state);
				if (!made)
					continue;
				int64_t saves = saved_by(s, made, block);
				if (saves <= GUARD_SAVES || !is_better(s, pieces, saves))
					continue;
				s->best = made;
				s->taken = block;
				s->pieces = pieces;
				s->saves = saves;
			}
}

static void reverse(uint32_t *key, size_t length)
{
	for (size_t i = 0; i < length / 2; i++) {
		uint32_t swapped = key[i];
		key[i] = key[length - 1 - i];
		key[length - 1 - i] = swapped;
	}
}

/* list: on this side of the loop; key: of its nodes. */
static void try_beside(struct beside *s, const uint32_t *key)
{
	size_t length = s->loop->body.length, most = 2 * length + 1;
	bool in_front = s->moving.in_front;
	if (s->outside.length > most) {
		size_t left = s->outside.length - most;
		s->outside = (struct tree_list){s->outside.node + (in_front ? left : 0), most};
		key += in_front ? left : 0;
	}
	if (!s->outside.length || (length + 1) * (s->outside.length + 1) > GUARD_CELLS)
		return;
	uint32_t *body_key = keys_of(s->g, s->loop->body);
	uint32_t *block_key = mem_copy(key, s->outside.length * sizeof *key);
	uint32_t **guarded = mem_array(length, sizeof *guarded);
	const struct tree_node **body = mem_array(length, sizeof *body);
	if (in_front) {
		reverse(body_key, length);
		reverse(block_key, s->outside.length);
	}
	for (size_t i = 0; i < length; i++) {
		body[i] = *body_item(s, i);
		guarded[i] = body[i]->kind == TREE_GUARD ? keys_of(s->g, body[i]->body) : NULL;
		if (guarded[i] && in_front)
			reverse(guarded[i], body[i]->body.length);
	}
	s->a = (struct alignment){body, body_key, block_key, (const uint32_t *const *)guarded, length,
		s->outside.length, s->g->depth > 0, NULL};
	align(&s->a);
	try_blocks(s);
	for (size_t i = 0; i < length; i++)
		free(guarded[i]);
	free(s->a.cell);
	free(guarded);
	free(body);
	free(body_key);
	free(block_key);
}

/* Is it a loop of as many iterations for each lane, whatever is around? */
static bool is_plain_loop(const struct tree_builder *b, const struct tree_node *n, int64_t *iterations)
{
	if (n->kind != TREE_LOOP || !n->body.length)
		return false;
	size_t lanes = tree_lanes(b, n->lanes).length;
	for (size_t i = 0; i < lanes; i++) {
		int64_t here;
		if (!indexed_is_constant(b->store, n->slot[0][i], &here) || (i && here != *iterations))
			return false;
		*iterations = here;
	}
	return lanes && *iterations > 0;
}

/* ------------------------------------------------------------------ lists */

/* A list that changes. */
struct changing {
	struct tree_node **node;
	uint32_t *key;
	size_t length;
};

/* In place of the loop and what was taken beside it. */
static void put_loop(struct guarding *g, struct changing *l, size_t at, const struct beside *s)
{
	size_t first = s->moving.in_front ? at - s->taken : at, gone = s->taken;
	l->node[first] = s->best;
	l->key[first] = key_of(g, s->best);
	l->length -= gone;
	memmove(l->node + first + 1, l->node + first + 1 + gone, (l->length - first - 1) * sizeof *l->node);
	memmove(l->key + first + 1, l->key + first + 1 + gone, (l->length - first - 1) * sizeof *l->key);
}

/* Does the loop take something in? Then *at is where it is. */
static bool take_in(struct guarding *g, struct changing *l, size_t *at)
{
	int64_t iterations = 0;
	if (!is_plain_loop(g->builder, l->node[*at], &iterations))
		return false;
	struct beside best = {0};
	for (int in_front = 0; in_front < 2; in_front++) {
		struct beside s = {.g = g, .loop = l->node[*at]};
		s.moving = (struct moving){g->builder->store, g->depth, (size_t)iterations, in_front};
		s.outside = in_front ? (struct tree_list){l->node, *at}
				     : (struct tree_list){l->node + *at + 1, l->length - *at - 1};
		try_beside(&s, in_front ? l->key : l->key + *at + 1);
		if (s.best && is_better(&best, s.pieces, s.saves))
			best = s;
	}
	if (!best.best)
		return false;
	struct tree_node **old = with_block(&best, best.taken);
	price_change(
		g->pricing, (struct tree_list){old, best.taken + 1}, (struct tree_list){&best.best, 1}, g->context);
	free(old);
	put_loop(g, l, *at, &best);
	*at -= best.moving.in_front ? best.taken : 0;
	return true;
}

/* A loop that has taken something in is looked at again, and so is the one before. */
static struct tree_list guard_list(struct guarding *g, struct tree_list list)
{
	struct changing l = {mem_copy(list.node, list.length * sizeof *list.node), keys_of(g, list), list.length};
	bool changed = false;
	for (size_t at = 0; at < l.length;) {
		if (!take_in(g, &l, &at)) {
			at++;
			continue;
		}
		changed = true;
		for (size_t before = at; before > 0; before--)
			if (l.node[before - 1]->kind == TREE_LOOP) {
				at = before - 1;
				break;
			}
	}
	if (changed)
		list = tree_list_of(g->builder, l.node, l.length);
	free(l.node);
	free(l.key);
	return list;
}

static struct tree_list guard_below(
	struct tree_builder *b, struct pricing *pricing, struct tree_list list, const struct tree_context *context)
{
	struct guarding g = {b, pricing, context, tree_depth(context), intern_new()};
	struct tree_node **inside = mem_array(list.length, sizeof *inside);
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = inside[i] = list.node[i];
		if (!n->body.length)
			continue;
		struct tree_list body = guard_below(b, pricing, n->body, &(struct tree_context){n, context, g.depth});
		if (body.node != n->body.node)
			inside[i] = tree_with_body(b, n, body);
	}
	list = guard_list(&g, tree_list_of(b, inside, list.length));
	free(inside);
	intern_free(g.keys);
	return list;
}

struct tree_list guard(
	struct tree_builder *b, struct pricing *pricing, struct tree_list list, const struct tree_context *context)
{
	if (!context)
		price_program(pricing, list);
	return guard_below(b, pricing, list, context);
}

void guard_procedures(struct tree_builder *b, struct pricing *pricing)
{
	for (size_t i = 0; i < b->procedures; i++)
		b->procedure[i]->body = guard_below(b, pricing, b->procedure[i]->body, NULL);
}
