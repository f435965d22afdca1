/*
 * joined_paths.c -- differences of what lanes do, shape by shape.
 */
#include "merge/joined_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "merge/bounds.h"

#define NOT_THERE SIZE_MAX

enum paths_kind { NO_PATHS, REGIONS, CALL_SITES };

/* Of its first path: a recorder knows all of one kind. */
static enum paths_kind kind_of(const struct call_paths *t, const struct path_events *l)
{
	size_t i = 0;
	while (i < l->length && l->point[i].path == CALL_PATH_NONE)
		i++;
	if (i == l->length)
		return NO_PATHS;
	return call_frame_is_region(call_paths_frame(t, l->point[i].path)) ? REGIONS : CALL_SITES;
}

/* ------------------------------------------------------------------ differences */

struct difference {
	const uint32_t *a, *b;
	int32_t n, m;
	int32_t **reached; /* by edits, by diagonal: how far in a */
};

/* By one edit more; from the diagonal below it is an event that a has alone. */
static bool is_from_below(const int32_t *before, int32_t edits, int32_t k)
{
	return k == edits || (k != -edits && before[k - 1] >= before[k + 1]);
}

/* The end, reached with these edits? */
static bool reach(struct difference *d, int32_t edits)
{
	int32_t *before = edits ? d->reached[edits - 1] + edits - 1 : NULL,
		*now = d->reached[edits] = mem_array(2 * (size_t)edits + 1, sizeof *now);
	now += edits;
	for (int32_t k = -edits; k <= edits; k += 2) {
		int32_t x = !edits ? 0 : is_from_below(before, edits, k) ? before[k - 1] + 1 : before[k + 1];
		for (; x < d->n && x - k < d->m && x >= 0 && d->a[x] == d->b[x - k];)
			x++;
		now[k] = x;
		if (x >= d->n && x - k >= d->m)
			return true;
	}
	return false;
}

static void trace_back(const struct difference *d, int32_t edits, size_t *place)
{
	int32_t x = d->n, y = d->m;
	for (; edits >= 0; edits--) {
		int32_t k = x - y, start = 0, from = 0, from_y = 0;
		if (edits) {
			const int32_t *before = d->reached[edits - 1] + edits - 1;
			bool below = is_from_below(before, edits, k);
			from = below ? before[k - 1] : before[k + 1];
			from_y = from - (below ? k - 1 : k + 1);
			start = from + below;
		}
		for (; x > start; x--)
			place[x - 1] = (size_t)(x - 1 - k);
		x = from;
		y = from_y;
	}
}

/* Which events of b those of a are: their places, or NOT_THERE. */
static bool compare(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t *place)
{
	int32_t *reached[JOINED_PATHS_EDITS + 1];
	struct difference d = {a, b, (int32_t)n, (int32_t)m, reached};
	int32_t edits = 0;
	bool good = false;
	for (size_t i = 0; i < n; i++)
		place[i] = NOT_THERE;
	for (; !good && edits <= JOINED_PATHS_EDITS; edits++)
		good = reach(&d, edits);
	if (good)
		trace_back(&d, edits - 1, place);
	while (edits-- > 0)
		free(reached[edits]);
	return good;
}

/* ------------------------------------------------------------------ lanes */

/* A path on which an event of a shape happens somewhere. */
struct known_path {
	uint32_t path, event;
};

struct known_paths {
	struct known_path *of; /* different ones; no more than JOINED_PATHS_OF_SHAPE */
	size_t length, capacity;
};

struct joining {
	const struct call_paths *paths;
	struct path_events *lane;
	const uint32_t *const *event;
	uint32_t lanes;
	bool *has; /* by lane: the kind that all get */
	struct known_paths *of_shape;
	uint32_t shapes;
	struct intern *sequences; /* of shapes */
	uint32_t *sequence_of; /* by lane */
	uint32_t *known, *like; /* by sequence: a lane that has, the nearest one; plus one */
	struct intern *pairs; /* of shapes that follow each other in the lane at hand */
	int64_t *times; /* by these */
};

static uint64_t count_pairs(const struct joining *j, const struct path_events *l, int64_t by, bool add)
{
	uint64_t others = 0;
	for (size_t i = 1; i < l->length; i++) {
		uint32_t id = add ? intern_id(j->pairs, &l->shape[i - 1], 2 * sizeof *l->shape)
				  : intern_find(j->pairs, &l->shape[i - 1], 2 * sizeof *l->shape);
		if (id == INTERN_NONE)
			others++;
		else
			j->times[id] += by;
	}
	return others;
}

/* The lane that has them in which other shapes follow each other least often, of JOINED_PATHS_LIKE
   different ones. */
static uint32_t nearest(struct joining *j, const struct path_events *l)
{
	uint32_t best = 0;
	uint64_t least = UINT64_MAX;
	j->pairs = intern_new_keys(2 * sizeof *l->shape);
	j->times = mem_zero((l->length + 1) * sizeof *j->times);
	count_pairs(j, l, 1, true);
	for (uint32_t i = 0, tried = 0; i < intern_count(j->sequences) && tried < JOINED_PATHS_LIKE; i++) {
		if (!j->known[i])
			continue;
		tried++;
		const struct path_events *other = &j->lane[j->known[i] - 1];
		uint64_t apart = count_pairs(j, other, -1, false);
		for (uint32_t k = 0; k < intern_count(j->pairs); k++)
			apart += (uint64_t)llabs(j->times[k]);
		if (apart < least) {
			best = j->known[i] - 1;
			least = apart;
		}
		count_pairs(j, other, 1, false);
	}
	intern_free(j->pairs);
	free(j->times);
	return best;
}

/* So many of the outermost frames are those of both. */
static uint32_t common_depth(const struct call_paths *t, uint32_t a, uint32_t b)
{
	const struct call_frame *x = call_paths_frame(t, a), *y = call_paths_frame(t, b);
	uint32_t depth = !x || !y ? 0 : x->depth < y->depth ? x->depth : y->depth;
	a = call_paths_outer(t, a, depth);
	b = call_paths_outer(t, b, depth);
	for (; a != b; depth--) {
		a = call_paths_frame(t, a)->caller;
		b = call_paths_frame(t, b)->caller;
	}
	return depth;
}

/* So many of the innermost frames are in the same functions. */
static uint32_t common_functions(const struct call_paths *t, uint32_t a, uint32_t b)
{
	const struct call_frame *x, *y;
	uint32_t count = 0;
	for (; (x = call_paths_frame(t, a)) && (y = call_paths_frame(t, b)) && x->function == y->function; count++) {
		a = x->caller;
		b = y->caller;
	}
	return count;
}

/* Of the paths on which events of a shape happen: the one in most of the functions that are known
   themselves, then with most in common with the path of what is done in its place, then of the
   same event. */
static uint32_t path_beside(const struct joining *j, uint32_t shape, uint32_t event, uint32_t own, uint32_t beside)
{
	const struct known_paths *known = &j->of_shape[shape];
	uint32_t best = beside, most = 0;
	for (size_t i = 0; i < known->length; i++) {
		uint32_t path = known->of[i].path, functions = common_functions(j->paths, path, own),
			 depth = common_depth(j->paths, path, beside),
			 worth = 1 + (known->of[i].event == event) + 2 * (depth + 2 * CALL_PATH_FRAMES * functions);
		if (worth > most) {
			best = path;
			most = worth;
		}
	}
	return best;
}

static void join_lane(struct joining *j, uint32_t lane, uint32_t other, const size_t *place)
{
	struct path_events *l = &j->lane[lane];
	const struct path_events *like = &j->lane[other];
	size_t next = 0; /* in the other lane, behind what was the same last */
	for (size_t i = 0; i < l->length; i++) {
		struct call_point own = l->point[i], *to = &l->point[i];
		bool there = place[i] != NOT_THERE, behind = i && place[i - 1] != NOT_THERE,
		     follows = there && (i ? behind && place[i - 1] + 1 == place[i] : !place[i]);
		size_t at = there ? place[i] : next < like->length ? next : like->length - 1;
		*to = follows ? like->point[at] : (struct call_point){.path = like->point[at].path};
		if (!there && i && !j->of_shape[l->shape[i]].length)
			to->path = l->point[i - 1].path;
		else if (!there || j->event[lane][i] != j->event[other][at])
			to->path = path_beside(j, l->shape[i], j->event[lane][i], own.path, to->path);
		if (own.exact && common_functions(j->paths, own.path, to->path) > own.entered) {
			to->entered = own.entered;
			to->exact = true;
		}
		next = at + 1;
	}
}

/* What lanes are compared by: shapes, in their functions where both know these. */
static uint32_t *keys_of(struct joining *j, uint32_t lane, bool functions, struct intern *known)
{
	const struct path_events *l = &j->lane[lane];
	uint32_t *key = mem_array(l->length + 1, sizeof *key);
	for (size_t i = 0; i < l->length; i++) {
		const struct call_frame *f = call_paths_frame(j->paths, l->point[i].path);
		uint32_t own[] = {l->shape[i], functions && f ? f->function : CALL_FUNCTION_UNKNOWN};
		key[i] = intern_id(known, own, sizeof own);
	}
	return key;
}

static bool join(struct joining *j, uint32_t lane)
{
	const struct path_events *l = &j->lane[lane];
	uint32_t sequence = j->sequence_of[lane], *like = j->known[sequence] ? &j->known[sequence] : &j->like[sequence];
	*like = *like ? *like : 1 + nearest(j, l);
	uint32_t other = *like - 1;
	bool functions = kind_of(j->paths, l) == REGIONS;
	struct intern *known = intern_new_keys(2 * sizeof(uint32_t));
	uint32_t *a = keys_of(j, lane, functions, known), *b = keys_of(j, other, functions, known);
	size_t *place = mem_array(l->length + 1, sizeof *place);
	bool good = compare(a, l->length, b, j->lane[other].length, place);
	if (good)
		join_lane(j, lane, other, place);
	intern_free(known);
	free(a);
	free(b);
	free(place);
	return good;
}

static void note_lane(struct joining *j, uint32_t lane)
{
	const struct path_events *l = &j->lane[lane];
	j->known[j->sequence_of[lane]] = lane + 1;
	for (size_t k = 0; k < l->length; k++) {
		struct known_paths *known = &j->of_shape[l->shape[k]];
		struct known_path own = {l->point[k].path, j->event[lane][k]};
		size_t i = 0;
		while (i < known->length && (known->of[i].path != own.path || known->of[i].event != own.event))
			i++;
		if (i == known->length && i < JOINED_PATHS_OF_SHAPE)
			*MEM_PUSH(known->of, known->length, known->capacity) = own;
	}
}

/* That all get. */
static enum paths_kind best_kind(const struct call_paths *paths, const struct path_events *lane, uint32_t lanes)
{
	enum paths_kind kind = NO_PATHS;
	for (uint32_t i = 0; i < lanes; i++) {
		enum paths_kind own = kind_of(paths, &lane[i]);
		kind = own > kind ? own : kind;
	}
	return kind;
}

bool joined_paths_differ(const struct call_paths *paths, const struct path_events *lane, uint32_t lanes)
{
	enum paths_kind kind = best_kind(paths, lane, lanes);
	bool differ = false;
	for (uint32_t i = 0; i < lanes && !differ; i++)
		differ = lane[i].length && kind_of(paths, &lane[i]) != kind;
	return differ;
}

bool joined_paths(
	const struct call_paths *paths, struct path_events *lane, const uint32_t *const *event, uint32_t lanes)
{
	struct joining j = {paths, lane, event, lanes, .has = mem_zero(lanes + (size_t)1)};
	enum paths_kind kind = best_kind(paths, lane, lanes);
	bool good = true;
	for (uint32_t i = 0; i < lanes; i++)
		for (size_t k = 0; k < lane[i].length; k++)
			j.shapes = lane[i].shape[k] >= j.shapes ? lane[i].shape[k] + 1 : j.shapes;
	j.sequences = intern_new();
	j.sequence_of = mem_array(lanes + (size_t)1, sizeof *j.sequence_of);
	j.known = mem_zero((lanes + (size_t)1) * sizeof *j.known);
	j.like = mem_zero((lanes + (size_t)1) * sizeof *j.like);
	j.of_shape = mem_zero((j.shapes + (size_t)1) * sizeof *j.of_shape);
	for (uint32_t i = 0; i < lanes; i++) {
		j.sequence_of[i] = intern_id(j.sequences, lane[i].shape, lane[i].length * sizeof *lane[i].shape);
		j.has[i] = lane[i].length && kind_of(paths, &lane[i]) == kind;
		if (j.has[i])
			note_lane(&j, i);
	}
	for (uint32_t i = 0; i < lanes && good; i++)
		good = j.has[i] || !lane[i].length || join(&j, i);
	for (uint32_t i = 0; i < j.shapes; i++)
		free(j.of_shape[i].of);
	free(j.of_shape);
	intern_free(j.sequences);
	free(j.sequence_of);
	free(j.known);
	free(j.like);
	free(j.has);
	return good;
}
