/*
 * hypotheses.c -- proposals counted, the best evaluated, a cover chosen.
 */
#include "fold/hypotheses.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/search.h"
#include "fold/cover.h"

/* So many functions of what is left are evaluated for all observations; of more each explains only
   what it was made for. */
#define EVALUATED 128

/* Processes that are drawn at least, about. */
#define FEW 8

/* What speaks for a function. */
struct support {
	uint32_t function;
	uint32_t proposals, cost;
	uint32_t turn; /* of the last proposal */
	uint32_t together, best; /* proposals from that turn; the most from any turn */
};

struct hypotheses {
	const struct family *family;
	const struct topology *topology;
	const struct population *population;
	size_t *first; /* by process that was seen, and one more: its observations */
	size_t processes;
	uint32_t turns;
	struct intern *functions; /* packed */
	void *function; /* scratch: one unpacked */
	struct support *support; /* by function: of the round */
	size_t support_capacity;
	uint32_t turn; /* of the observation that proposes */
	struct cover cover;
	uint32_t *candidate; /* functions */
	size_t candidate_capacity;
	bool *evaluated; /* by function: is it a candidate? */
	size_t evaluated_capacity;
	uint32_t *chosen; /* candidates */
	uint32_t chosen_count;
	uint64_t *left; /* bits of observations */
	size_t left_count;
	uint32_t *own; /* functions of what is left: by observation; NULL: nothing is */
};

struct hypotheses *hypotheses_new(
	const struct family *family, const struct topology *topology, const struct population *population)
{
	struct hypotheses *h = mem_zero(sizeof *h);
	*h = (struct hypotheses){
		.family = family, .topology = topology, .population = population, .left_count = population->count};
	h->functions = intern_new();
	h->function = mem_alloc(family->size);
	cover_start(&h->cover, population->count);
	h->left = mem_array(h->cover.words, sizeof *h->left);
	memset(h->left, 0xff, h->cover.words * sizeof *h->left);
	h->first = mem_array(population->count + 1, sizeof *h->first);
	for (size_t i = 0; i < population->count; i++) {
		const struct observation *o = &population->seen[i];
		if (!i || o->p != o[-1].p)
			h->first[h->processes++] = i;
		h->turns = o->turn >= h->turns ? o->turn + 1 : h->turns;
	}
	h->first[h->processes] = population->count;
	return h;
}

void hypotheses_free(struct hypotheses *h)
{
	intern_free(h->functions);
	free(h->function);
	cover_clear(&h->cover);
	free(h->first);
	free(h->support);
	free(h->candidate);
	free(h->evaluated);
	free(h->chosen);
	free(h->left);
	free(h->own);
	free(h);
}

uint32_t hypotheses_chosen(const struct hypotheses *h)
{
	return h->chosen_count;
}

size_t hypotheses_left(const struct hypotheses *h)
{
	return h->left_count;
}

static bool is_left(const struct hypotheses *h, size_t observation)
{
	return h->left[observation / 64] >> observation % 64 & 1;
}

/* ------------------------------------------------------------------ proposals */

void hypotheses_propose(struct hypotheses *h, const void *packed, uint32_t cost)
{
	uint32_t id = intern_id(h->functions, packed, h->family->packed);
	if (id >= h->support_capacity) {
		size_t before = h->support_capacity;
		h->support = mem_grow(h->support, &h->support_capacity, id + 1, sizeof *h->support);
		memset(h->support + before, 0, (h->support_capacity - before) * sizeof *h->support);
	}
	struct support *s = &h->support[id];
	s->function = id;
	s->cost = cost;
	s->together = s->proposals && s->turn == h->turn ? s->together + 1 : 1;
	s->turn = h->turn;
	s->best = s->together > s->best ? s->together : s->best;
	s->proposals++;
}

/* By turn of observations, and each turn in their order: a stable count. */
static void sort_by_turn(const struct hypotheses *h, size_t *observation, size_t count)
{
	size_t *first = mem_zero((h->turns + (size_t)1) * sizeof *first), *sorted = mem_array(count, sizeof *sorted);
	for (size_t i = 0; i < count; i++)
		first[h->population->seen[observation[i]].turn + 1]++;
	for (uint32_t t = 0; t < h->turns; t++)
		first[t + 1] += first[t];
	for (size_t i = 0; i < count; i++)
		sorted[first[h->population->seen[observation[i]].turn]++] = observation[i];
	memcpy(observation, sorted, count * sizeof *observation);
	free(first);
	free(sorted);
}

/* One process of so many, and not those that stand in a line of the grid. */
static bool is_drawn(const struct hypotheses *h, size_t process, size_t step)
{
	return hash_mix(h->population->seen[h->first[process]].p) % step == 0;
}

/* All observations in question of some processes. */
static size_t *choose_sample(const struct hypotheses *h, bool all, size_t *count)
{
	size_t asked = all ? h->population->count : h->left_count, step = asked / (h->family->sample + 1) + 1;
	step = step < h->processes / FEW + 1 ? step : h->processes / FEW + 1;
	size_t *sample = mem_array(asked, sizeof *sample);
	*count = 0;
	for (size_t p = 0; p < h->processes; p++)
		for (size_t i = h->first[p]; i < h->first[p + 1] && (is_drawn(h, p, step) || !*count); i++)
			if (all || is_left(h, i))
				sample[(*count)++] = i;
	sort_by_turn(h, sample, *count);
	return sample;
}

/* ------------------------------------------------------------------ candidates */

struct wanted {
	const struct observation *seen;
	uint64_t number;
};

static bool reaches(const void *context, size_t i)
{
	const struct wanted *w = context;
	return w->seen[i].number >= w->number;
}

static size_t find(const struct hypotheses *h, size_t process, uint64_t number)
{
	const struct observation *seen = h->population->seen;
	size_t behind = h->first[process + 1];
	size_t at = search_first(h->first[process], behind, reaches, &(struct wanted){seen, number});
	return at < behind && seen[at].number == number ? at : SIZE_MAX;
}

/* What does the function explain? */
static void evaluate(struct hypotheses *h, uint32_t function, uint32_t cost)
{
	h->family->unpack(intern_data(h->functions, function, NULL), h->function);
	uint32_t c = cover_add(&h->cover, cost), explained = 0, together = 0;
	uint32_t *of_turn = h->family->by_turns ? mem_zero(h->turns * sizeof *of_turn) : NULL;
	h->candidate = mem_grow(h->candidate, &h->candidate_capacity, c + 1, sizeof *h->candidate);
	h->candidate[c] = function;
	for (size_t p = 0; p < h->processes; p++) {
		struct spot spot = grid_spot(&h->topology->grid, h->population->seen[h->first[p]].p);
		int64_t number = h->family->at(h->function, h->topology, &spot);
		size_t found = number < 0 ? SIZE_MAX : find(h, p, (uint64_t)number);
		if (found == SIZE_MAX)
			continue;
		cover_set(&h->cover, c, found);
		uint32_t same = of_turn ? ++of_turn[h->population->seen[found].turn] : 0;
		together = same > together ? same : together;
		explained++;
	}
	if (of_turn)
		h->cover.cost[c] = cost + 100 * (explained - together);
	free(of_turn);
}

/* Each function once. */
static void nominate(struct hypotheses *h, uint32_t function, uint32_t cost)
{
	size_t before = h->evaluated_capacity;
	h->evaluated = mem_grow(h->evaluated, &h->evaluated_capacity, function + 1, sizeof *h->evaluated);
	memset(h->evaluated + before, 0, h->evaluated_capacity - before);
	if (!h->evaluated[function])
		evaluate(h, function, cost);
	h->evaluated[function] = true;
}

static void choose(struct hypotheses *h)
{
	h->chosen = mem_resize(h->chosen, h->cover.candidates + 1, sizeof *h->chosen);
	h->chosen_count = cover_choose(&h->cover, h->chosen, h->left);
	h->left_count = 0;
	for (size_t w = 0; w < h->cover.words; w++)
		h->left_count += (size_t)__builtin_popcountll(h->left[w]);
}

static int by_support(const void *a, const void *b)
{
	const struct support *x = a, *y = b;
	if (x->best != y->best)
		return x->best > y->best ? -1 : 1;
	if (x->proposals != y->proposals)
		return x->proposals > y->proposals ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

/* The functions proposed in this round, the best first. */
static struct support *rank_proposals(const struct hypotheses *h, size_t *ranked)
{
	uint32_t functions = intern_count(h->functions);
	struct support *support = mem_array(functions, sizeof *support);
	*ranked = 0;
	for (uint32_t f = 0; f < functions && f < h->support_capacity; f++)
		if (h->support[f].proposals) {
			support[*ranked] = h->support[f];
			support[*ranked].best *= h->family->by_turns;
			++*ranked;
		}
	qsort(support, *ranked, sizeof *support, by_support);
	return support;
}

size_t hypotheses_round(struct hypotheses *h, bool all, proposing *propose, const void *context)
{
	size_t asked, ranked;
	size_t *sample = choose_sample(h, all, &asked);
	if (h->support_capacity)
		memset(h->support, 0, h->support_capacity * sizeof *h->support);
	for (size_t i = 0; i < asked; i++) {
		const struct observation *o = &h->population->seen[sample[i]];
		h->turn = o->turn;
		propose(h, o, context);
	}
	struct support *best = rank_proposals(h, &ranked);
	for (size_t i = 0; i < ranked && i < h->family->candidates; i++) {
		bool rare = (size_t)best[i].proposals * h->population->least * h->family->rarest < asked;
		if (!h->family->rarest || !rare)
			nominate(h, best[i].function, best[i].cost);
	}
	choose(h);
	free(best);
	free(sample);
	return h->left_count;
}

/* ------------------------------------------------------------------ the rest */

void hypotheses_rest(struct hypotheses *h, void (*own)(void *packed, const struct observation *))
{
	uint32_t known = intern_count(h->functions);
	void *packed = mem_alloc(h->family->packed);
	h->own = mem_array(h->population->count, sizeof *h->own);
	for (size_t i = 0; i < h->population->count; i++)
		if (is_left(h, i)) {
			own(packed, &h->population->seen[i]);
			h->own[i] = intern_id(h->functions, packed, h->family->packed);
		}
	free(packed);
	if (intern_count(h->functions) - known > EVALUATED)
		return;
	for (size_t i = 0; i < h->population->count; i++)
		if (is_left(h, i))
			nominate(h, h->own[i], 1);
	choose(h);
}

/* The functions of what is left come behind those chosen. */
static void take_rest(const struct hypotheses *h, struct explanation *to, size_t *capacity)
{
	uint32_t *number = mem_zero(intern_count(h->functions) * sizeof *number); /* by function: 1 + its own in `to` */
	char *function = to->function;
	for (size_t i = 0; i < h->population->count; i++) {
		if (!is_left(h, i))
			continue;
		if (!number[h->own[i]]) {
			function = mem_grow(function, capacity, to->count + 1, h->family->size);
			h->family->unpack(
				intern_data(h->functions, h->own[i], NULL), function + to->count * h->family->size);
			number[h->own[i]] = ++to->count;
		}
		to->of[i] = number[h->own[i]] - 1;
	}
	to->function = function;
	free(number);
}

void hypotheses_take(struct hypotheses *h, struct explanation *to)
{
	size_t capacity = h->chosen_count;
	*to = (struct explanation){
		mem_array(capacity, h->family->size), h->chosen_count, mem_array(h->population->count, sizeof *to->of)};
	for (uint32_t k = h->chosen_count; k--;) {
		uint32_t c = h->chosen[k];
		h->family->unpack(
			intern_data(h->functions, h->candidate[c], NULL), (char *)to->function + k * h->family->size);
		for (size_t i = 0; i < h->population->count; i++)
			if (cover_has(&h->cover, c, i))
				to->of[i] = k;
	}
	if (h->left_count)
		take_rest(h, to, &capacity);
	hypotheses_free(h);
}

void explanation_clear(struct explanation *e)
{
	free(e->function);
	free(e->of);
	*e = (struct explanation){0};
}
