/*
 * activations.c -- a stack of open activations for each lane, walked again until no function is cut
 * otherwise.
 */
#include "merge/activations.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/union_find.h"
#include "merge/bounds.h"

/* A call at a place, of a function (or of one that is not known); of an event the place, and its
   shape. */
struct step_key {
	uint32_t place, callee, shape;
};

#define STEP_CALLS UINT32_MAX /* the shape of a step that is no event */
#define CALLS_MPI (UINT32_MAX - 1) /* as function: what is passed on there */

struct context_key {
	uint32_t around, step;
};

struct pair {
	uint32_t from, to;
};

/* What follows what where a function is called at one place, and how often another activation
   surely began there, or is not known to. */
struct followed {
	struct pair pair;
	uint32_t context;
};

struct how_often {
	uint64_t anew, perhaps;
};

/* The contexts of a path, the outermost first. Where lines are known a frame is a call within its
   function, and the innermost one passes events on; a region is a call of its function, within the
   one around, and passes them on itself. */
struct chain {
	uint32_t *context;
	uint32_t length; /* 0: not known so far */
	uint32_t place; /* of the innermost frame */
	bool regions;
};

struct level {
	uint32_t context, last;
	uint32_t *run;
	size_t length, capacity;
};

struct activations {
	const struct call_paths *paths;
	const uint32_t *kind;
	const struct path_events *lane;
	uint32_t lanes;
	struct intern *steps, *contexts;
	uint64_t *position; /* by step: of the call, of an event its kind */
	size_t position_capacity;
	uint32_t *within; /* by context: a step in it */
	size_t within_capacity;
	uint32_t *function; /* by step: union_find */
	struct chain *chain; /* by path */
	struct intern *cuts; /* struct pair: between these steps an activation ends */
	struct intern *inside; /* struct pair: between these steps one surely did not end */
	bool known; /* is any such thing, of any event? */
	struct intern *followed; /* struct followed; NULL: not counted now */
	struct how_often *often; /* by these */
	size_t often_capacity;
	struct intern *runs; /* function, where it was called, steps */
	size_t *times; /* by run */
	size_t times_capacity;
	struct level *level;
	size_t levels;
};

/* ------------------------------------------------------------------ steps, contexts */

static uint32_t step_of(struct activations *a, const struct step_key *key, uint64_t position)
{
	uint32_t known = intern_count(a->steps), id = intern_id(a->steps, key, sizeof *key);
	if (id == known) {
		a->position = mem_grow(a->position, &a->position_capacity, (size_t)id + 1, sizeof *a->position);
		a->position[id] = position;
	}
	return id;
}

static uint32_t context_of(struct activations *a, uint32_t around, uint32_t step)
{
	struct context_key key = {around, step};
	uint32_t known = intern_count(a->contexts), id = intern_id(a->contexts, &key, sizeof key);
	a->within = mem_grow(a->within, &a->within_capacity, (size_t)id + 1, sizeof *a->within);
	if (id == known)
		a->within[id] = STEP_NONE;
	if (around != CONTEXT_NONE)
		a->within[around] = step;
	return id;
}

static struct context_key context_key(const struct activations *a, uint32_t context)
{
	return *(const struct context_key *)intern_data(a->contexts, context, NULL);
}

static struct step_key step_key(const struct activations *a, uint32_t step)
{
	return *(const struct step_key *)intern_data(a->steps, step, NULL);
}

static const struct chain *chain_of(struct activations *a, uint32_t path)
{
	struct chain *chain = &a->chain[path];
	if (chain->length)
		return chain;
	const struct call_frame *f = call_paths_frame(a->paths, path);
	uint32_t frames = f ? f->depth : 0, callee = CALLS_MPI;
	struct step_key *key = mem_array(frames + (size_t)1, sizeof *key);
	uint64_t *position = mem_array(frames + (size_t)1, sizeof *position);
	chain->regions = f && call_frame_is_region(f);
	chain->place = f ? f->place : STEP_NONE;
	for (uint32_t k = frames; k > 0; k--) {
		const struct call_frame *around = call_paths_frame(a->paths, f->caller);
		key[k] = (struct step_key){f->place, callee, STEP_CALLS};
		if (chain->regions)
			key[k] = (struct step_key){around ? around->place : STEP_NONE, f->function, STEP_CALLS};
		position[k] = f->position;
		callee = f->function;
		f = around;
	}
	chain->length = frames + 1;
	chain->context = mem_array(chain->length, sizeof *chain->context);
	chain->context[0] = CONTEXT_ROOT;
	for (uint32_t k = 1; k <= frames; k++)
		chain->context[k] = context_of(a, chain->context[k - 1], step_of(a, &key[k], position[k]));
	free(key);
	free(position);
	return chain;
}

static uint32_t event_step(struct activations *a, const struct chain *chain, uint32_t shape)
{
	struct step_key key = {chain->place, CALLS_MPI, shape};
	return step_of(a, &key, chain->regions ? 0 : a->kind[shape]); /* in the order in which they were met */
}

/* All that any lane does; which steps are of one function. */
static void find_steps(struct activations *a)
{
	for (uint32_t lane = 0; lane < a->lanes; lane++)
		for (size_t i = 0; i < a->lane[lane].length; i++) {
			const struct call_point *point = &a->lane[lane].point[i];
			const struct chain *chain = chain_of(a, point->path);
			uint32_t inner = chain->context[chain->length - 1];
			context_of(a, inner, event_step(a, chain, a->lane[lane].shape[i]));
			a->levels = chain->length > a->levels ? chain->length : a->levels;
			a->known = a->known || point->entered || point->exact;
		}
	a->function = mem_array(intern_count(a->steps) + (size_t)1, sizeof *a->function);
	union_find_start(a->function, intern_count(a->steps));
	for (uint32_t context = 1; context < intern_count(a->contexts); context++) {
		struct context_key key = context_key(a, context);
		union_find_join(a->function, key.step, a->within[key.around]);
	}
}

uint32_t activations_steps(const struct activations *a)
{
	return intern_count(a->steps);
}

uint32_t activations_contexts(const struct activations *a)
{
	return intern_count(a->contexts);
}

uint32_t activations_function(const struct activations *a, uint32_t step)
{
	return union_find_root(a->function, step);
}

bool activations_calls(const struct activations *a, uint32_t step)
{
	struct step_key key = step_key(a, step);
	return key.shape == STEP_CALLS && key.callee != CALLS_MPI;
}

uint32_t activations_place(const struct activations *a, uint32_t step)
{
	return step_key(a, step).place;
}

int activations_order(const struct activations *a, uint32_t x, uint32_t y)
{
	uint64_t p = a->position[x], q = a->position[y];
	return p != q ? (p < q ? -1 : 1) : (x > y) - (x < y);
}

uint32_t activations_inside(const struct activations *a, uint32_t context, uint32_t step)
{
	struct context_key key = {context, step};
	uint32_t id = intern_find(a->contexts, &key, sizeof key);
	return id == INTERN_NONE ? CONTEXT_NONE : id;
}

uint32_t activations_step_in(const struct activations *a, uint32_t context)
{
	return a->within[context];
}

uint32_t activations_shape(const struct activations *a, uint32_t context)
{
	return step_key(a, context_key(a, context).step).shape;
}

/* ------------------------------------------------------------------ one lane */

struct walking {
	struct activations *a;
	const struct activation_client *client;
	uint32_t open; /* levels */
	uint32_t sure; /* of these, the activations that go on for certain */
};

static bool has_pair(const struct intern *pairs, uint32_t from, uint32_t to)
{
	struct pair pair = {from, to};
	return intern_find(pairs, &pair, sizeof pair) != INTERN_NONE;
}

/* What one activation does, none is ended by. */
static bool is_cut(const struct activations *a, uint32_t from, uint32_t to)
{
	return has_pair(a->cuts, from, to) && !has_pair(a->inside, from, to);
}

static void add_pair(struct intern *pairs, uint32_t from, uint32_t to)
{
	struct pair pair = {from, to};
	intern_id(pairs, &pair, sizeof pair);
}

static void count_followed(struct activations *a, const struct level *l, uint32_t to, bool anew)
{
	if (!a->followed || l->last == STEP_NONE)
		return;
	struct followed f = {{l->last, to}, l->context};
	uint32_t known = intern_count(a->followed), at = intern_id(a->followed, &f, sizeof f);
	a->often = mem_grow(a->often, &a->often_capacity, (size_t)at + 1, sizeof *a->often);
	if (at == known)
		a->often[at] = (struct how_often){0};
	a->often[at].anew += anew;
	a->often[at].perhaps += !anew;
}

/* Where it was called, for an activation is known by that. */
static void keep_run(struct activations *a, struct level *l)
{
	uint32_t around = context_key(a, l->context).step;
	l->run[0] = activations_function(a, l->run[2]);
	l->run[1] = around == STEP_NONE ? STEP_NONE : step_key(a, around).place;
	uint32_t known = intern_count(a->runs), id = intern_id(a->runs, l->run, l->length * sizeof *l->run);
	a->times = mem_grow(a->times, &a->times_capacity, (size_t)id + 1, sizeof *a->times);
	a->times[id] = id == known ? 1 : a->times[id] + 1;
}

static void close_to(struct walking *w, uint32_t levels)
{
	for (; w->open > levels; w->open--)
		if (!w->client)
			keep_run(w->a, &w->a->level[w->open - 1]);
}

static void open_level(struct walking *w, uint32_t context)
{
	struct level *l = &w->a->level[w->open];
	l->context = context;
	l->last = STEP_NONE;
	l->length = 2;
	l->run = mem_grow(l->run, &l->capacity, 2, sizeof *l->run);
	if (w->client)
		w->client->open(w->client->context, w->open);
	w->open++;
}

/* A step of the innermost activation that is open. Where that ends before it, the one around makes
   its step once more. Recursion as deep as calls nest. */
static void take_step(struct walking *w, uint32_t step)
{
	uint32_t at = w->open - 1;
	struct level *l = &w->a->level[at];
	bool goes_on = at < w->sure && l->last != STEP_NONE;
	if (at > 0 && l->last != STEP_NONE && !goes_on && !w->a->followed && is_cut(w->a, l->last, step)) {
		uint32_t context = l->context;
		close_to(w, at);
		take_step(w, context_key(w->a, context).step);
		open_level(w, context);
		take_step(w, step);
		return;
	}
	count_followed(w->a, l, step, false);
	if (w->client)
		w->client->step(w->client->context, at, l->last, step);
	else
		*MEM_PUSH(l->run, l->length, l->capacity) = step;
	if (goes_on && !w->client)
		add_pair(w->a->inside, l->last, step);
	l->last = step;
}

/* Levels that may be open still: the root, and those that were not entered. With lines, level k is
   the call of frame k, within its function: another activation of that makes it another call. */
static uint32_t levels_kept(const struct chain *chain, const struct call_point *point)
{
	uint32_t within = point->entered && !chain->regions;
	return point->entered + within < chain->length ? chain->length - point->entered - within : 1;
}

/* Of these, which surely are: of a call that passes events on it is not known. */
static uint32_t levels_sure(const struct chain *chain, const struct call_point *point, uint32_t kept)
{
	if (!point->exact)
		return 0;
	return kept == chain->length && !chain->regions ? kept - 1 : kept;
}

static void take_event(struct walking *w, const struct call_point *point, uint32_t shape)
{
	struct activations *a = w->a;
	const struct chain *chain = chain_of(a, point->path);
	uint32_t inner = chain->context[chain->length - 1], event = event_step(a, chain, shape), same = 0,
		 kept = levels_kept(chain, point);
	while (same < w->open && same < chain->length && a->level[same].context == chain->context[same])
		same++;
	if (same > kept) {
		uint32_t step = kept + 1 < chain->length ? context_key(a, chain->context[kept + 1]).step : event;
		if (!w->client)
			add_pair(a->cuts, a->level[kept].last, step);
		count_followed(a, &a->level[kept], step, true);
		same = kept;
	}
	close_to(w, same);
	w->sure = levels_sure(chain, point, kept);
	for (uint32_t k = same; k < chain->length; k++) {
		if (k)
			take_step(w, context_key(a, chain->context[k]).step);
		open_level(w, chain->context[k]);
	}
	take_step(w, event);
	if (w->client)
		w->client->event(w->client->context, w->open - 1, activations_inside(a, inner, event));
}

void activations_walk(struct activations *a, uint32_t lane, const struct activation_client *client)
{
	struct walking w = {a, client, 0, 0};
	for (size_t i = 0; i < a->lane[lane].length; i++)
		take_event(&w, &a->lane[lane].point[i], a->lane[lane].shape[i]);
	close_to(&w, 0);
}

/* ------------------------------------------------------------------ where activations end */

size_t activations_runs(const struct activations *a)
{
	return intern_count(a->runs);
}

struct activation_run activations_run(const struct activations *a, size_t i)
{
	size_t size;
	const uint32_t *run = intern_data(a->runs, (uint32_t)i, &size);
	return (struct activation_run){run[0], run + 2, size / sizeof *run - 2};
}

static uint32_t place_of_run(const struct activations *a, size_t i)
{
	return ((const uint32_t *)intern_data(a->runs, (uint32_t)i, NULL))[1];
}

/* What activations of a function look like. */
struct looks {
	size_t *run; /* of the function */
	size_t runs, capacity;
};

/* From a step that is the last of some activation to one that is the first of some, and not behind
   it. */
static void find_ends(const struct activations *a, const struct looks *l, bool *first, bool *last, struct intern *ends)
{
	for (size_t i = 0; i < l->runs; i++) {
		struct activation_run run = activations_run(a, l->run[i]);
		first[run.step[0]] = last[run.step[run.length - 1]] = true;
	}
	for (size_t i = 0; i < l->runs; i++) {
		struct activation_run run = activations_run(a, l->run[i]);
		for (size_t k = 1; k < run.length; k++) {
			struct pair pair = {run.step[k - 1], run.step[k]};
			if (last[pair.from] && first[pair.to] && activations_order(a, pair.to, pair.from) <= 0 &&
				!has_pair(a->inside, pair.from, pair.to))
				intern_id(ends, &pair, sizeof pair);
		}
	}
}

static bool has_end(const struct activation_run *run, const struct intern *ends)
{
	for (size_t k = 1; k < run->length; k++) {
		struct pair pair = {run->step[k - 1], run->step[k]};
		if (intern_find(ends, &pair, sizeof pair) != INTERN_NONE)
			return true;
	}
	return false;
}

/* One step, however often. */
static bool is_one_step(const struct activation_run *run)
{
	size_t k = 1;
	while (k < run->length && run->step[k] == run->step[0])
		k++;
	return k == run->length;
}

/* What a function does where it is called. */
struct habit {
	size_t once, several; /* activations that repeat nothing; others */
};

/*
 * Does it never repeat where it should have, if it did as elsewhere? The same on all lanes is seen
 * once.
 */
static bool has_other_habit(const struct habit *at, const struct habit *repeating, uint32_t lanes)
{
	uint64_t executions = repeating->once + repeating->several;
	return !at->several && (uint64_t)at->once * repeating->several >= ACTIVATION_HABIT * lanes * executions;
}

/*
 * Does the function itself repeat them, and not who calls it? It does where it was never seen doing
 * so once; where it is called from several places, repeats in half of these, and may do so in the
 * others; where it is called from one, and mostly repeats. What does one thing alone wraps it if it
 * does so once anywhere. One call passes on what it never passed on once.
 */
static bool repeats_itself(const struct activations *a, const struct looks *l, const struct intern *ends)
{
	struct intern *places = intern_new_keys(sizeof(uint32_t));
	struct habit *habit = mem_zero((l->runs + 1) * sizeof *habit), all = {0}, there = {0};
	uint32_t repeating = 0;
	bool wraps = true, other = false;
	for (size_t i = 0; i < l->runs; i++) {
		struct activation_run run = activations_run(a, l->run[i]);
		uint32_t place = place_of_run(a, l->run[i]);
		struct habit *at = &habit[intern_id(places, &place, sizeof place)];
		wraps = wraps && is_one_step(&run);
		*(has_end(&run, ends) ? &at->several : &at->once) += a->times[l->run[i]];
	}
	for (uint32_t i = 0; i < intern_count(places); i++) {
		bool repeats = habit[i].several;
		repeating += repeats;
		all.once += habit[i].once;
		all.several += habit[i].several;
		there.once += repeats ? habit[i].once : 0;
		there.several += habit[i].several;
	}
	for (uint32_t i = 0; i < intern_count(places); i++)
		other = other || has_other_habit(&habit[i], &there, a->lanes);
	bool alone = intern_count(places) == 1,
	     call = step_key(a, activations_run(a, l->run[0]).function).shape != STEP_CALLS;
	bool itself = !all.once || (call           ? false
					   : alone ? all.several >= all.once
					   : wraps ? repeating == intern_count(places)
						   : 2 * repeating >= intern_count(places) && !other);
	intern_free(places);
	free(habit);
	return itself;
}

/* Is anything cut otherwise than before? */
static bool cut_again(struct activations *a)
{
	uint32_t steps = intern_count(a->steps);
	struct looks *of = mem_zero((steps + (size_t)1) * sizeof *of);
	bool *first = mem_zero(steps + (size_t)1), *last = mem_zero(steps + (size_t)1);
	uint32_t before = intern_count(a->cuts);
	for (size_t i = 0; i < activations_runs(a); i++) {
		struct looks *l = &of[activations_run(a, i).function];
		*MEM_PUSH(l->run, l->runs, l->capacity) = i;
	}
	for (uint32_t f = 0; f < steps; f++) {
		struct intern *ends = intern_new_keys(sizeof(struct pair));
		find_ends(a, &of[f], first, last, ends);
		bool cuts = intern_count(ends) && !repeats_itself(a, &of[f], ends);
		for (uint32_t i = 0; i < intern_count(ends) && cuts; i++)
			intern_id(a->cuts, intern_data(ends, i, NULL), sizeof(struct pair));
		intern_free(ends);
		free(of[f].run);
	}
	free(of);
	free(first);
	free(last);
	return intern_count(a->cuts) != before;
}

static void find_runs(struct activations *a)
{
	intern_free(a->runs);
	a->runs = intern_new();
	for (uint32_t lane = 0; lane < a->lanes; lane++)
		activations_walk(a, lane, NULL);
}

/*
 * Where registers prove that a function was called anew they do so each time, as the same code runs
 * there: what follows as often without a proof is the function's own, which loops.
 */
static void find_what_goes_on(struct activations *a)
{
	a->followed = intern_new_keys(sizeof(struct followed));
	find_runs(a);
	for (uint32_t i = 0; i < intern_count(a->followed); i++) {
		const struct followed *f = intern_data(a->followed, i, NULL);
		if (a->often[i].anew && a->often[i].perhaps >= a->often[i].anew)
			add_pair(a->inside, f->pair.from, f->pair.to);
	}
	intern_free(a->followed);
	free(a->often);
	a->followed = NULL;
}

/* What is known for certain on any lane first. What is cut stays cut, so that this ends. */
static void find_activations(struct activations *a)
{
	if (a->known)
		find_what_goes_on(a);
	for (int round = 0; round < ACTIVATION_ROUNDS; round++) {
		find_runs(a);
		if (round + 1 == ACTIVATION_ROUNDS || !cut_again(a))
			break;
	}
}

struct activations *activations_new(
	const struct call_paths *paths, const uint32_t *kind, const struct path_events *lane, uint32_t lanes)
{
	struct activations *a = mem_zero(sizeof *a);
	*a = (struct activations){.paths = paths, .kind = kind, .lane = lane, .lanes = lanes};
	a->steps = intern_new_keys(sizeof(struct step_key));
	a->contexts = intern_new_keys(sizeof(struct context_key));
	a->cuts = intern_new_keys(sizeof(struct pair));
	a->inside = intern_new_keys(sizeof(struct pair));
	a->chain = mem_zero(call_paths_count(paths) * sizeof *a->chain);
	context_of(a, CONTEXT_NONE, STEP_NONE);
	find_steps(a);
	a->level = mem_zero((a->levels + 1) * sizeof *a->level);
	find_activations(a);
	return a;
}

void activations_free(struct activations *a)
{
	if (!a)
		return;
	for (uint32_t i = 0; i < call_paths_count(a->paths); i++)
		free(a->chain[i].context);
	for (size_t i = 0; i < a->levels; i++)
		free(a->level[i].run);
	free(a->level);
	free(a->chain);
	free(a->position);
	free(a->within);
	free(a->function);
	free(a->times);
	intern_free(a->steps);
	intern_free(a->contexts);
	intern_free(a->cuts);
	intern_free(a->inside);
	intern_free(a->runs);
	free(a);
}
