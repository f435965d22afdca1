/*
 * places.c -- which functions explain who talks to whom?
 *
 * First one kind of function alone: p+c, p^c, the ring, moves on the grid, numbers. Each explains
 * every pair, by as many functions as there are different constants. What counts is the statements
 * that the functions make: as many, if all processes agree on an order of them; else some stand
 * several times. An all-to-all over p^1, p^2, ... and one over p+1, p+2, ... have the same pairs;
 * their order tells them apart. No choice can have fewer statements than a process has peers. If
 * none reaches that, kinds are mixed, and the less likely ones are tried as well: coordinates
 * exchanged, mirrored, fixed.
 */
#include "fold/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

#define CANDIDATES 48
#define FEW_CANDIDATES 8 /* ... of large populations only so many more than are needed at least, */
#define TRIALS 1000000 /* ... if trying all on all pairs would take more steps than this */
#define PROPOSALS 20000 /* in a round at most */
#define ROUNDS 3
#define RAREST 8

/* ------------------------------------------------------------------ one kind of function */

/* The likely ones first. */
static const enum place_kind kinds[] = {PLACE_OFFSET, PLACE_XOR, PLACE_GRID, PLACE_RING, PLACE_NUMBER};
#define KINDS (sizeof kinds / sizeof *kinds)

static void move_of(const struct grid *g, const struct observation *o, uint32_t *move)
{
	uint32_t p = o->p, q = (uint32_t)o->number;
	for (uint32_t i = 0; i < g->axes; i++) {
		move[i] = (q % g->size[i] + g->size[i] - p % g->size[i]) % g->size[i];
		p /= g->size[i];
		q /= g->size[i];
	}
}

static uint64_t move_key(const struct grid *g, const struct observation *o)
{
	uint32_t move[GRID_AXES];
	uint64_t key = 0;
	move_of(g, o, move);
	for (uint32_t i = g->axes; i--;)
		key = key * g->size[i] + move[i];
	return key;
}

static uint64_t ring_move(const struct topology *t, const struct observation *o)
{
	return (o->number + t->processes - o->p) % t->processes;
}

/* Equal for the pairs that one function of this kind explains. */
static uint64_t key_of_kind(enum place_kind kind, const struct topology *t, const struct observation *o)
{
	switch (kind) {
	case PLACE_OFFSET:
		return o->number + RANK_LIMIT - o->p;
	case PLACE_XOR:
		return o->p ^ o->number;
	case PLACE_RING:
		return ring_move(t, o);
	case PLACE_GRID:
		return move_key(&t->grid, o);
	default:
		return o->number;
	}
}

static struct place move_place(const struct grid *g, const struct observation *o)
{
	uint32_t move[GRID_AXES];
	struct place f = {.kind = PLACE_GRID};
	move_of(g, o, move);
	for (uint32_t i = 0; i < g->axes; i++) {
		f.axis[i].axis[i] = 1;
		f.axis[i].constant = grid_nearest(move[i], g->size[i]);
	}
	return f;
}

static struct place place_of_kind(enum place_kind kind, const struct topology *t, const struct observation *o)
{
	int64_t q = (int64_t)o->number;
	switch (kind) {
	case PLACE_OFFSET:
		return place_of(kind, q - o->p);
	case PLACE_XOR:
		return place_of(kind, o->p ^ q);
	case PLACE_RING:
		return place_on_ring(grid_nearest((int64_t)ring_move(t, o), t->processes), t->processes);
	case PLACE_GRID:
		return move_place(&t->grid, o);
	default:
		return place_of(PLACE_NUMBER, q);
	}
}

/* How many functions of this kind explain them all; `limit` + 1 if more than that. of: by
   observation, which one. */
static uint32_t explain_by_kind(
	enum place_kind kind, const struct topology *t, const struct population *p, uint32_t limit, uint32_t *of)
{
	struct intern *keys = intern_new_keys(sizeof(uint64_t));
	for (size_t i = 0; i < p->count && intern_count(keys) <= limit; i++) {
		uint64_t key = key_of_kind(kind, t, &p->seen[i]);
		of[i] = intern_id(keys, &key, sizeof key);
	}
	uint32_t count = intern_count(keys);
	intern_free(keys);
	return count;
}

/* By kind: the keys of all pairs, and how often each is met. */
struct familiar {
	struct intern *keys[PLACE_GRID + 1];
	uint32_t *met[PLACE_GRID + 1];
};

struct familiar *familiar_new(const struct observation *all, size_t count, const struct topology *t)
{
	struct familiar *f = mem_zero(sizeof *f);
	for (size_t k = 0; k < KINDS; k++) {
		if (kinds[k] == PLACE_GRID && !t->grid.axes)
			continue;
		f->keys[kinds[k]] = intern_new_keys(sizeof(uint64_t));
		f->met[kinds[k]] = mem_zero(count * sizeof(uint32_t));
		for (size_t i = 0; i < count; i++) {
			uint64_t key = key_of_kind(kinds[k], t, &all[i]);
			f->met[kinds[k]][intern_id(f->keys[kinds[k]], &key, sizeof key)]++;
		}
	}
	return f;
}

void familiar_free(struct familiar *f)
{
	for (size_t k = 0; k < KINDS; k++) {
		intern_free(f->keys[kinds[k]]);
		free(f->met[kinds[k]]);
	}
	free(f);
}

/* How many of all pairs the functions explain that these need. */
static uint64_t familiarity(
	enum place_kind kind, const struct topology *t, const struct population *p, const struct familiar *f)
{
	struct intern *counted = intern_new_keys(sizeof(uint64_t));
	uint64_t sum = 0;
	for (size_t i = 0; i < p->count && f; i++) {
		uint64_t key = key_of_kind(kind, t, &p->seen[i]);
		uint32_t before = intern_count(counted);
		if (intern_id(counted, &key, sizeof key) == before)
			sum += f->met[kind][intern_find(f->keys[kind], &key, sizeof key)];
	}
	intern_free(counted);
	return sum;
}

/* Exclusive ors are natural where each flips a single bit, */
static bool is_butterfly(const struct population *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (__builtin_popcountll(p->seen[i].p ^ p->seen[i].number) > 1)
			return false;
	return true;
}

/* ... or where each process has several peers, and always in the same order. */
static bool natural_xor(const struct population *p, uint32_t statements)
{
	return (p->least > 2 && statements == p->least) || is_butterfly(p);
}

/* Of kinds that take as many statements. */
static bool is_more_natural(enum place_kind kind, enum place_kind than, const struct topology *t,
	const struct population *p, uint32_t statements, const struct familiar *f)
{
	uint64_t own = familiarity(kind, t, p, f), other = familiarity(than, t, p, f);
	return own > other ||
	       (own == other && than == PLACE_XOR && kind != PLACE_NUMBER && !natural_xor(p, statements));
}

/* The kind that makes fewest statements; of equals the one whose functions explain most elsewhere.
   of: as explained by it. */
static enum place_kind best_kind(const struct population *p, const struct topology *t, const struct familiar *f,
	uint32_t *statements, uint32_t *functions, uint32_t *of)
{
	enum place_kind best = PLACE_OFFSET;
	uint32_t *own_of = mem_array(p->count, sizeof *own_of);
	*statements = UINT32_MAX - 1;
	for (size_t k = 0; k < KINDS; k++) {
		if (kinds[k] == PLACE_GRID && !t->grid.axes)
			continue;
		uint32_t own = explain_by_kind(kinds[k], t, p, *statements, own_of);
		if (own > *statements)
			continue;
		uint32_t own_statements = population_statements(p, own_of, own);
		if (own_statements > *statements ||
			(own_statements == *statements && !is_more_natural(kinds[k], best, t, p, *statements, f)))
			continue;
		*statements = own_statements;
		*functions = own;
		best = kinds[k];
		memcpy(of, own_of, p->count * sizeof *of);
	}
	free(own_of);
	return best;
}

static void take_kind(struct explanation *to, enum place_kind kind, const struct topology *t,
	const struct population *p, uint32_t functions, uint32_t *of)
{
	struct place *place = mem_array(functions, sizeof *place);
	for (size_t i = p->count; i--;)
		place[of[i]] = place_of_kind(kind, t, &p->seen[i]);
	*to = (struct explanation){place, functions, of};
}

uint32_t places_moves(const struct population *p, const struct topology *t)
{
	uint32_t *of = mem_array(p->count, sizeof *of);
	uint32_t moves = explain_by_kind(t->grid.axes ? PLACE_GRID : PLACE_RING, t, p, UINT32_MAX - 1, of);
	free(of);
	return moves;
}

uint32_t places_statements(const struct population *p, const struct topology *t, bool ring)
{
	uint32_t best = UINT32_MAX - 1, *of = mem_array(p->count, sizeof *of);
	for (size_t k = 0; k < KINDS && best > p->least; k++) {
		if ((kinds[k] == PLACE_GRID && !t->grid.axes) || (kinds[k] == PLACE_RING && !ring))
			continue;
		uint32_t own = explain_by_kind(kinds[k], t, p, best, of);
		own = own < best ? population_statements(p, of, own) : best;
		if (own < best && (kinds[k] != PLACE_XOR || natural_xor(p, own)))
			best = own;
	}
	free(of);
	return best;
}

/* ------------------------------------------------------------------ kinds mixed */

/* A place, small. Coordinates: where each comes from, and what is added. */
struct packed {
	int32_t kind, number;
	struct {
		int32_t source, constant; /* source: 1 + an axis, negative if mirrored; 0: only the constant */
	} axis[GRID_AXES];
};

static void unpack(const void *packed, void *function)
{
	const struct packed *from = packed;
	struct place *to = function;
	*to = from->kind == PLACE_GRID ? (struct place){.kind = PLACE_GRID} : place_of(from->kind, from->number);
	if (to->kind == PLACE_RING)
		to->modulus = from->axis[0].constant;
	for (uint32_t i = 0; i < GRID_AXES && from->kind == PLACE_GRID; i++) {
		to->axis[i].constant = from->axis[i].constant;
		if (from->axis[i].source)
			to->axis[i].axis[abs(from->axis[i].source) - 1] = from->axis[i].source > 0 ? 1 : -1;
	}
}

static int64_t family_at(const void *function, const struct topology *t, const struct spot *spot)
{
	return place_at(function, &t->grid, spot);
}

struct asked {
	const struct topology *topology;
	bool quick;
};

/* What coordinate `axis` of q may be: moved; that of another axis; mirrored; fixed. */
static void propose_axes(struct hypotheses *h, const struct asked *a, const struct spot *from, const struct spot *to,
	uint32_t axis, struct packed *f, uint32_t cost)
{
	const struct grid *g = &a->topology->grid;
	if (axis == g->axes) {
		hypotheses_propose(h, f, 3 + cost);
		return;
	}
	uint32_t size = g->size[axis];
	for (uint32_t j = 0; j < g->axes; j++) {
		if (g->size[j] != size || size == 1)
			continue;
		int32_t c = (int32_t)grid_nearest(to->axis[axis] - from->axis[j], size);
		if (a->quick && j != axis && c)
			continue;
		f->axis[axis].source = (int32_t)j + 1;
		f->axis[axis].constant = c;
		propose_axes(h, a, from, to, axis + 1, f, cost + (j == axis ? c != 0 : 2 + (c != 0)));
	}
	if (size > 1 && a->quick)
		return;
	f->axis[axis].source = 0;
	f->axis[axis].constant = (int32_t)to->axis[axis];
	propose_axes(h, a, from, to, axis + 1, f, cost + (size > 1 ? 4 : 0));
	if (size <= 2)
		return;
	f->axis[axis].source = -(int32_t)axis - 1;
	f->axis[axis].constant = (int32_t)((to->axis[axis] + from->axis[axis]) % size);
	propose_axes(h, a, from, to, axis + 1, f, cost + 5);
}

static struct packed pack(const struct place *f)
{
	struct packed to = {.kind = (int32_t)f->kind, .number = (int32_t)f->value.plain.constant};
	to.axis[0].constant = (int32_t)f->modulus;
	return to;
}

static void propose(struct hypotheses *h, const struct observation *o, const void *context)
{
	static const struct {
		enum place_kind kind;
		uint32_t cost;
	} simple[] = {{PLACE_OFFSET, 1}, {PLACE_XOR, 2}, {PLACE_RING, 3}, {PLACE_NUMBER, 9}};
	const struct asked *a = context;
	for (size_t k = 0; k < sizeof simple / sizeof *simple; k++) {
		struct place place = place_of_kind(simple[k].kind, a->topology, o);
		struct packed f = pack(&place);
		hypotheses_propose(h, &f, simple[k].cost);
	}
	struct spot from = grid_spot(&a->topology->grid, o->p), to = grid_spot(&a->topology->grid, (uint32_t)o->number);
	struct packed f = {.kind = PLACE_GRID};
	if (a->topology->grid.axes)
		propose_axes(h, a, &from, &to, 0, &f, 0);
}

/* How many functions one pair proposes, about. */
static size_t proposals(const struct asked *a)
{
	const struct grid *g = &a->topology->grid;
	size_t product = 1;
	for (uint32_t i = 0; i < g->axes; i++) {
		size_t equal = 0;
		for (uint32_t j = 0; j < g->axes; j++)
			equal += g->size[j] == g->size[i];
		product *= equal + (a->quick ? 0 : 2);
	}
	return product + 4;
}

static void as_offset(void *packed, const struct observation *o)
{
	struct place place = place_of_kind(PLACE_OFFSET, NULL, o);
	*(struct packed *)packed = pack(&place);
}

/* Mixed kinds, if that makes fewer than `enough` statements: true. */
static bool choose_mixed(
	struct explanation *to, const struct population *p, const struct topology *t, bool quick, uint32_t enough)
{
	struct asked asked = {t, quick};
	struct family family = {.size = sizeof(struct place),
		.packed = sizeof(struct packed),
		.unpack = unpack,
		.at = family_at,
		.sample = PROPOSALS / proposals(&asked),
		.candidates = p->count * CANDIDATES > TRIALS ? p->least + FEW_CANDIDATES : CANDIDATES,
		.rarest = RAREST};
	struct hypotheses *h = hypotheses_new(&family, t, p);
	bool hopeful = true;
	for (int round = 0; hypotheses_left(h) && hopeful && round < ROUNDS; round++) {
		hypotheses_round(h, !round, propose, &asked);
		hopeful = hypotheses_chosen(h) < enough && hypotheses_left(h) <= p->count / 2;
	}
	if (hopeful && hypotheses_left(h) && hypotheses_left(h) < enough)
		hypotheses_rest(h, as_offset);
	else
		hopeful &= !hypotheses_left(h);
	if (!hopeful || hypotheses_chosen(h) >= enough) {
		hypotheses_free(h);
		return false;
	}
	hypotheses_take(h, to);
	if (to->count < enough && population_statements(p, to->of, to->count) < enough)
		return true;
	explanation_clear(to);
	return false;
}

void places_choose(struct explanation *to, const struct population *p, const struct topology *t,
	enum place_choice choice, const struct familiar *f)
{
	uint32_t *of = mem_array(p->count, sizeof *of), statements, functions = 0;
	if (choice == CHOOSE_OFFSETS) {
		functions = explain_by_kind(PLACE_OFFSET, t, p, UINT32_MAX - 1, of);
		take_kind(to, PLACE_OFFSET, t, p, functions, of);
		return;
	}
	enum place_kind kind = best_kind(p, t, f, &statements, &functions, of);
	if (statements > p->least && choose_mixed(to, p, t, choice == CHOOSE_QUICKLY, statements))
		free(of);
	else
		take_kind(to, kind, t, p, functions, of);
}
