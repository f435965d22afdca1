/*
 * recognize.c -- runs of a period, from the outside in.
 *
 * Which periods a sequence may have is told by the distances between equal blocks of 1, 2, 4, ...
 * records, whose names are found by doubling (R. Karp, R. Miller, A. Rosenberg 1972). What is found
 * is a skeleton: loops over positions in the sequence. The numbers of all lanes of a class are then
 * read along the skeleton.
 */
#include "merge/recognize.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/hash.h"
#include "merge/anchors.h"
#include "merge/bounds.h"

/* Fewer iterations are copies, which become loops where that is cheaper. */
#define LOOP_LEAST 4

/* Fewer iterations may be two copies on processes that do something between them. */
#define LOOP_LONG (2 * LOOP_LEAST)

/* ------------------------------------------------------------------ records */

struct lane_records {
	uint32_t *record;
	size_t length, capacity;
	struct records_cut *cut; /* ascending */
	size_t cuts, cut_capacity;
};

struct records {
	struct intern *known;
	struct lane_records *lane;
	uint32_t lanes;
	bool whole; /* no copies are left out */
};

struct records *records_new(uint32_t lanes)
{
	struct records *r = mem_zero(sizeof *r);
	r->known = intern_new();
	r->lane = mem_zero((lanes + (size_t)1) * sizeof *r->lane);
	r->lanes = lanes;
	return r;
}

void records_free(struct records *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->lanes; i++) {
		free(r->lane[i].record);
		free(r->lane[i].cut);
	}
	free(r->lane);
	intern_free(r->known);
	free(r);
}

void records_keep_all(struct records *r)
{
	r->whole = true;
}

void records_take_ids(struct records *r, const struct records *from)
{
	intern_free(r->known);
	r->known = intern_copy(from->known);
}

uint32_t records_id(struct records *r, const struct record *record)
{
	return intern_id(r->known, record, sizeof *record);
}

void records_push(struct records *r, uint32_t lane, uint32_t record)
{
	struct lane_records *l = &r->lane[lane];
	*MEM_PUSH(l->record, l->length, l->capacity) = record;
}

static void add_cut(struct lane_records *l, struct records_cut cut)
{
	*MEM_PUSH(l->cut, l->cuts, l->cut_capacity) = cut;
}

/* The first cut at this place or behind it. */
static size_t cut_from(const struct lane_records *l, size_t at)
{
	size_t first;
	SEARCH_FIRST(first, 0, l->cuts, l->cut[first].at >= at);
	return first;
}

static void repeat_once(struct lane_records *l, size_t from, size_t length, size_t first_cut, size_t cuts)
{
	size_t ahead = l->length - from;
	l->record = mem_grow(l->record, &l->capacity, l->length + length, sizeof *l->record);
	memcpy(l->record + l->length, l->record + from, length * sizeof *l->record);
	l->length += length;
	for (size_t i = first_cut; i < first_cut + cuts; i++) {
		struct records_cut cut = l->cut[i];
		cut.at += ahead;
		add_cut(l, cut);
	}
}

void records_repeat(struct records *r, uint32_t lane, size_t from, uint64_t times)
{
	struct lane_records *l = &r->lane[lane];
	size_t length = l->length - from, first_cut = cut_from(l, from), cuts = l->cuts - first_cut;
	uint64_t copies = r->whole || times < 2 * RECORDS_COPIES ? times : RECORDS_COPIES;
	for (uint64_t k = 0; k < copies; k++) {
		if (k == copies / 2 && copies < times)
			add_cut(l, (struct records_cut){l->length, length, times - copies});
		repeat_once(l, from, length, first_cut, cuts);
	}
}

size_t records_length(const struct records *r, uint32_t lane)
{
	return r->lane[lane].length;
}

const uint32_t *records_of(const struct records *r, uint32_t lane, size_t *length)
{
	*length = r->lane[lane].length;
	return r->lane[lane].record;
}

size_t records_cuts(const struct records *r, uint32_t lane)
{
	return r->lane[lane].cuts;
}

size_t records_cut_from(const struct records *r, uint32_t lane, size_t at)
{
	return cut_from(&r->lane[lane], at);
}

struct records_cut records_cut(const struct records *r, uint32_t lane, size_t k)
{
	return r->lane[lane].cut[k];
}

uint32_t records_count(const struct records *r)
{
	return intern_count(r->known);
}

const struct record *records_get(const struct records *r, uint32_t record)
{
	return intern_data(r->known, record, NULL);
}

/* ------------------------------------------------------------------ sequences */

/* What a class does: by position the masked record, as the class numbers it, and what tells where a
   loop begins (shape and tag). */
struct sequence {
	uint32_t *symbol, *place;
	size_t length;
};

struct skeleton;
struct skeleton_list {
	struct skeleton *item; /* owned */
	size_t length, capacity;
};

/* A record at a position, or a loop: its body is told by its first iteration, or, where iterations
   differ, each execution of the record by its position, of the loop by its count. */
struct skeleton {
	enum tree_kind kind;
	size_t at;
	uint64_t count;
	size_t period;
	const uint32_t *each; /* NULL: iterations are alike */
	size_t executions, next; /* of each; the one that is next */
	struct skeleton_list body;
};

static struct skeleton *skeleton_add(struct skeleton_list *l)
{
	struct skeleton *s = MEM_PUSH(l->item, l->length, l->capacity);
	*s = (struct skeleton){0};
	return s;
}

static void skeleton_clear(struct skeleton_list *l)
{
	for (size_t i = 0; i < l->length; i++)
		skeleton_clear(&l->item[i].body);
	free(l->item);
	*l = (struct skeleton_list){0};
}

/* ------------------------------------------------------------------ periods */

/* Ascending, each once. */
struct periods {
	size_t *period;
	size_t length, capacity;
};

/* Names of blocks of one length: the same for equal ones. last: by name, where it stood last. */
struct naming {
	uint32_t *name, *next, *order, *start;
	size_t *last;
	uint32_t *seen; /* by distance: how many equal neighbours are so far apart */
	size_t names;
};

/* Distances between a block and the one before that is equal, counted; those that come often enough
   to be a period. The counts are 0 again. */
static void note_distances(struct naming *n, size_t blocks, size_t block, size_t most, struct periods *p)
{
	size_t least = (block + 1) / 2;
	memset(n->last, 0xff, n->names * sizeof *n->last);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < blocks; i++) {
			size_t *last = &n->last[n->name[i]], distance = i - *last;
			if (*last != SIZE_MAX && distance <= most && distance >= least) {
				if (pass == 0) {
					n->seen[distance]++;
				} else {
					if (n->seen[distance] >= distance) {
						p->period = mem_grow(
							p->period, &p->capacity, p->length + 1, sizeof *p->period);
						p->period[p->length++] = distance;
					}
					n->seen[distance] = 0;
				}
			}
			*last = i;
		}
		memset(n->last, 0xff, n->names * sizeof *n->last);
	}
}

/* Stable: `order` by key[order[i] + ahead]. */
static void sort_by_name(const uint32_t *order, const uint32_t *key, size_t blocks, size_t ahead, uint32_t *start,
	size_t names, uint32_t *to)
{
	memset(start, 0, (names + 1) * sizeof *start);
	for (size_t i = 0; i < blocks; i++)
		start[key[i + ahead] + 1]++;
	for (size_t i = 1; i < names; i++)
		start[i] += start[i - 1];
	for (size_t i = 0; i < blocks; i++)
		to[start[key[order[i] + ahead]]++] = order[i];
}

/* The names of blocks twice as long: of pairs of blocks, in their order. */
static void name_pairs(struct naming *n, size_t blocks, size_t block)
{
	for (size_t i = 0; i < blocks; i++)
		n->next[i] = (uint32_t)i;
	sort_by_name(n->next, n->name, blocks, block, n->start, n->names, n->order);
	sort_by_name(n->order, n->name, blocks, 0, n->start, n->names, n->next);
	memcpy(n->order, n->next, blocks * sizeof *n->order);
	size_t names = 0;
	for (size_t i = 0; i < blocks; i++) {
		uint32_t at = n->order[i], before = i ? n->order[i - 1] : 0;
		names += i && (n->name[at] != n->name[before] || n->name[at + block] != n->name[before + block]);
		n->next[at] = (uint32_t)names;
	}
	uint32_t *swap = n->name;
	n->name = n->next;
	n->next = swap;
	n->names = names + 1;
}

static void periods_of(const uint32_t *symbol, size_t length, size_t most, struct periods *p)
{
	struct intern *symbols = intern_new_keys(sizeof *symbol);
	struct naming n = {mem_array(length, sizeof *n.name), mem_array(length, sizeof *n.next),
		mem_array(length, sizeof *n.order), mem_array(length + 1, sizeof *n.start),
		mem_array(length, sizeof *n.last), mem_zero((most + 1) * sizeof *n.seen), 0};
	for (size_t i = 0; i < length; i++)
		n.name[i] = intern_id(symbols, &symbol[i], sizeof *symbol);
	n.names = intern_count(symbols);
	intern_free(symbols);
	size_t blocks = length;
	for (size_t block = 1;; block *= 2) {
		note_distances(&n, blocks, block, most, p);
		if (n.names == blocks || block > most || blocks <= block)
			break;
		blocks -= block;
		name_pairs(&n, blocks, block);
	}
	free(n.name);
	free(n.next);
	free(n.order);
	free(n.start);
	free(n.last);
	free(n.seen);
	if (p->length)
		qsort(p->period, p->length, sizeof *p->period, compare_u64);
	size_t kept = 0;
	for (size_t i = 0; i < p->length; i++)
		if (!kept || p->period[kept - 1] != p->period[i])
			p->period[kept++] = p->period[i];
	p->length = kept;
}

/* ------------------------------------------------------------------ loops, from the outside in */

struct recognizing {
	const struct sequence *sequence;
	/* Rotations of bodies, by hash: how many lanes would have a loop begin so. Equal hashes
	   would only move a beginning. */
	struct intern *rotations;
	uint64_t *votes;
	size_t votes_capacity;
	uint64_t voters; /* lanes that vote now; 0: the votes are counted */
};

struct run {
	size_t at, length, period;
};

/* Records that its loop saves; 0: it is none. */
static uint64_t saved_by(const struct run *r)
{
	size_t copies = r->length / r->period;
	return copies >= LOOP_LEAST ? (uint64_t)(copies - 1) * r->period : 0;
}

struct runs {
	struct run *run;
	size_t length, capacity;
};

static void add_run(struct runs *r, struct run run)
{
	if (!saved_by(&run))
		return;
	*MEM_PUSH(r->run, r->length, r->capacity) = run;
}

/* All maximal runs, whose periods may overlap. */
static void find_runs(const uint32_t *symbol, size_t from, size_t length, struct runs *runs)
{
	struct periods p = {0};
	periods_of(symbol + from, length, length / LOOP_LEAST, &p);
	for (size_t k = 0; k < p.length; k++) {
		size_t w = p.period[k], end = from + length;
		for (size_t i = from; i + w < end; i++) {
			if (symbol[i] != symbol[i + w])
				continue;
			size_t first = i;
			while (i + w < end && symbol[i] == symbol[i + w])
				i++;
			add_run(runs, (struct run){first, i - first + w, w});
		}
	}
	free(p.period);
}

/* That which saves most, of those the shortest period, the earliest. */
static bool is_better(const struct run *a, const struct run *b)
{
	uint64_t x = saved_by(a), y = saved_by(b);
	return x != y ? x > y : a->period != b->period ? a->period < b->period : a->at < b->at;
}

static const struct run *best_of(const struct runs *runs)
{
	const struct run *best = NULL;
	for (size_t i = 0; i < runs->length; i++)
		if (!best || is_better(&runs->run[i], best))
			best = &runs->run[i];
	return best;
}

/* What is left of runs in a part of the sequence. */
static struct runs within(const struct runs *runs, size_t from, size_t end)
{
	struct runs left = {0};
	for (size_t i = 0; i < runs->length; i++) {
		struct run r = runs->run[i];
		size_t first = r.at > from ? r.at : from, last = r.at + r.length < end ? r.at + r.length : end;
		if (first < last)
			add_run(&left, (struct run){first, last - first, r.period});
	}
	return left;
}

static void nest(struct recognizing *, size_t from, size_t length, struct skeleton_list *);

/* Where in the second of three periods something begins that is not in an inner loop. */
static void beginnings(struct recognizing *r, const struct run *run, size_t phases, bool *begins)
{
	struct skeleton_list three = {0};
	uint64_t voters = r->voters;
	r->voters = 0;
	nest(r, run->at, 3 * run->period, &three);
	r->voters = voters;
	bool any = false;
	for (size_t i = 0; i < three.length; i++) {
		size_t at = three.item[i].at - run->at;
		if (at >= run->period && at < run->period + phases)
			any = begins[at - run->period] = true;
	}
	if (!any)
		memset(begins, 1, phases * sizeof *begins);
	skeleton_clear(&three);
}

/* The hash of each rotation of the body: the places from there on. */
static void hash_rotations(const uint32_t *place, size_t period, size_t phases, uint64_t *hash)
{
	const uint64_t base = UINT64_C(0x9e3779b97f4a7c15) | 1;
	uint64_t power = 1, h = 0;
	for (size_t i = 0; i < period; i++) {
		h = h * base + hash_mix(place[i] + UINT64_C(1));
		power *= base;
	}
	for (size_t i = 0; i < phases; i++) {
		hash[i] = hash_pair(h, period);
		h = h * base + hash_mix(place[i + period] + UINT64_C(1)) - power * hash_mix(place[i] + UINT64_C(1));
	}
}

static uint64_t *votes_for(struct recognizing *r, uint64_t rotation)
{
	uint32_t known = intern_count(r->rotations), id = intern_id(r->rotations, &rotation, sizeof rotation);
	r->votes = mem_grow(r->votes, &r->votes_capacity, (size_t)id + 1, sizeof *r->votes);
	if (id == known)
		r->votes[id] = 0;
	return &r->votes[id];
}

/* Move the beginning of the run to where its loop begins. */
static void choose_phase(struct recognizing *r, struct run *run)
{
	size_t w = run->period, phases = run->length % w + 1;
	if (w == 1)
		return;
	bool *begins = mem_zero(phases * sizeof *begins);
	uint64_t *hash = mem_array(phases, sizeof *hash);
	begins[0] = true;
	if (phases > 1 || w > 3)
		begins[0] = false, beginnings(r, run, phases, begins);
	hash_rotations(r->sequence->place + run->at, w, phases, hash);
	size_t best = SIZE_MAX;
	uint64_t most = 0;
	for (size_t i = 0; i < phases; i++) {
		if (!begins[i])
			continue;
		uint64_t *votes = votes_for(r, hash[i]);
		*votes += r->voters;
		if (best == SIZE_MAX || *votes > most) {
			best = i;
			most = *votes;
		}
	}
	run->at += best;
	run->length -= best;
	free(begins);
	free(hash);
}

static void nest_runs(
	struct recognizing *r, const struct runs *runs, size_t from, size_t end, struct skeleton_list *out);

/* Of runs that overlap, from the first to the end of the last: the best one, and what is left
   beside it. Recursion as deep as halves of them, mostly. */
static void nest_overlapping(
	struct recognizing *r, const struct runs *runs, size_t from, size_t end, struct skeleton_list *out)
{
	struct run run = *best_of(runs);
	choose_phase(r, &run);
	size_t behind = run.at + run.length / run.period * run.period;
	struct runs before = within(runs, from, run.at), after = within(runs, behind, end);
	nest_runs(r, &before, from, run.at, out);
	struct skeleton_list body = {0};
	nest(r, run.at, run.period, &body);
	struct skeleton *loop = skeleton_add(out);
	loop->kind = TREE_LOOP;
	loop->at = run.at;
	loop->count = run.length / run.period;
	loop->period = run.period;
	loop->body = body;
	nest_runs(r, &after, behind, end, out);
	free(before.run);
	free(after.run);
}

static void add_events(struct skeleton_list *out, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		*skeleton_add(out) = (struct skeleton){.kind = TREE_EVENT, .at = i};
}

/* The loops of a part of which all runs are known, by where they begin. */
static void nest_runs(
	struct recognizing *r, const struct runs *runs, size_t from, size_t end, struct skeleton_list *out)
{
	for (size_t i = 0, next; i < runs->length; i = next) {
		size_t first = runs->run[i].at, last = first;
		for (next = i; next < runs->length && (next == i || runs->run[next].at < last); next++)
			if (runs->run[next].at + runs->run[next].length > last)
				last = runs->run[next].at + runs->run[next].length;
		add_events(out, from, first);
		nest_overlapping(r, &(struct runs){.run = runs->run + i, .length = next - i}, first, last, out);
		from = last;
	}
	add_events(out, from, end);
}

static int by_beginning(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

static void nest(struct recognizing *r, size_t from, size_t length, struct skeleton_list *out)
{
	struct runs runs = {0};
	if (length >= LOOP_LEAST)
		find_runs(r->sequence->symbol, from, length, &runs);
	if (runs.length)
		qsort(runs.run, runs.length, sizeof *runs.run, by_beginning);
	nest_runs(r, &runs, from, from + length, out);
	free(runs.run);
}

/* ------------------------------------------------------------------ classes */

struct lanes_class {
	struct lane_class of;
	struct sequence sequence;
	struct skeleton_list alike;
	struct skeleton_list unlike; /* where iterations differ, or are copies; empty: as in `alike` */
};

static struct skeleton_list *skeleton_of(struct lanes_class *c)
{
	return c->unlike.length ? &c->unlike : &c->alike;
}

/* Numbers of tags of one kind and word that are listed one by one: more are counted. */
#define TAGS_LISTED 6

static uint32_t tag_slot(const struct tree_shape *shape)
{
	return shape->slots >> SLOT_IS_PEER & 1;
}

/* By shape: has it more tags than are listed? */
static bool *find_counted(const struct tree_builder *b, const struct records *r)
{
	struct intern *stems = intern_new(), *tags = intern_new();
	uint32_t shapes = intern_count(b->shapes), count = intern_count(r->known);
	uint32_t *stem = mem_array(shapes + (size_t)1, sizeof *stem),
		 *numbers = mem_zero((shapes + (size_t)1) * sizeof *numbers);
	bool *counted = mem_zero(shapes + (size_t)1);
	for (uint32_t i = 0; i < shapes; i++) {
		const struct tree_shape *shape = intern_data(b->shapes, i, NULL);
		stem[i] = intern_id(stems, (uint32_t[]){shape->kind, shape->word}, 2 * sizeof *stem);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct record *record = records_get(r, i);
		const struct tree_shape *shape = intern_data(b->shapes, record->shape, NULL);
		if (!(shape->slots & 1 << SLOT_IS_TAG))
			continue;
		int64_t tag[] = {stem[record->shape], record->number[tag_slot(shape)]};
		uint32_t known = intern_count(tags);
		numbers[stem[record->shape]] += intern_id(tags, tag, sizeof tag) == known;
	}
	for (uint32_t i = 0; i < shapes; i++)
		counted[i] = numbers[stem[i]] > TAGS_LISTED;
	intern_free(stems);
	intern_free(tags);
	free(stem);
	free(numbers);
	return counted;
}

static void masked(const struct tree_builder *b, const struct record *record, enum recognize_mask mask,
	const bool *counted, struct record *to)
{
	const struct tree_shape *shape = intern_data(b->shapes, record->shape, NULL);
	*to = *record;
	uint32_t slots = shape->slots;
	for (uint32_t k = 0; slots; k++, slots &= slots - 1) {
		enum tree_slot slot = (enum tree_slot)__builtin_ctz(slots);
		if ((mask != RECOGNIZE_ALL && SLOT_IS_SIZE(slot)) ||
			(mask >= RECOGNIZE_NO_PEERS && slot == SLOT_IS_PEER) ||
			(mask == RECOGNIZE_NO_TAGS && slot == SLOT_IS_TAG && counted[record->shape]))
			to->number[k] = 0;
	}
}

/* By record: what is equal under the mask, and where loops begin alike (shape and tag). */
struct masking {
	uint32_t *symbol, *place, *shape;
};

static struct masking masking_of(const struct tree_builder *b, const struct records *r, enum recognize_mask mask)
{
	uint32_t count = intern_count(r->known);
	struct masking m = {mem_array(count + (size_t)1, sizeof *m.symbol),
		mem_array(count + (size_t)1, sizeof *m.place), mem_array(count + (size_t)1, sizeof *m.shape)};
	struct intern *symbols = intern_new();
	bool *counted = mask == RECOGNIZE_NO_TAGS ? find_counted(b, r) : NULL;
	for (uint32_t i = 0; i < count; i++) {
		const struct record *record = records_get(r, i);
		const struct tree_shape *shape = intern_data(b->shapes, record->shape, NULL);
		struct record other, place = {.shape = record->shape};
		masked(b, record, mask, counted, &other);
		m.symbol[i] = intern_id(symbols, &other, sizeof other);
		if (shape->slots & 1 << SLOT_IS_TAG)
			place.number[0] = record->number[tag_slot(shape)];
		place.unused = 1;
		m.place[i] = intern_id(symbols, &place, sizeof place);
		m.shape[i] = record->shape;
	}
	intern_free(symbols);
	free(counted);
	return m;
}

static void masking_clear(struct masking *m)
{
	free(m->symbol);
	free(m->place);
	free(m->shape);
}

/* As the lane numbers its symbols, in the order of first sight, so that lanes that differ in
   numbers alone have the same; for each position what the class is told by. */
static void own_sequence(
	const struct masking *m, const uint32_t *record, size_t length, struct sequence *s, uint32_t *key)
{
	struct intern *own = intern_new_keys(sizeof(uint32_t));
	s->length = length;
	for (size_t i = 0; i < length; i++) {
		s->symbol[i] = intern_id(own, &m->symbol[record[i]], sizeof(uint32_t));
		s->place[i] = m->place[record[i]];
		key[2 * i] = s->symbol[i];
		key[2 * i + 1] = m->shape[record[i]];
	}
	intern_free(own);
}

struct classes {
	struct lanes_class *class_of;
	size_t length, capacity;
};

static void classify(const struct records *r, const struct masking *m, struct classes *c)
{
	struct intern *known = intern_new();
	for (uint32_t lane = 0; lane < r->lanes; lane++) {
		size_t length;
		const uint32_t *record = records_of(r, lane, &length);
		if (!length)
			continue;
		struct sequence s = {mem_array(length, sizeof *s.symbol), mem_array(length, sizeof *s.place), length};
		uint32_t *key = mem_array(2 * length, sizeof *key);
		own_sequence(m, record, length, &s, key);
		uint32_t id = intern_id(known, key, 2 * length * sizeof *key);
		free(key);
		if (id == c->length) {
			*MEM_PUSH(c->class_of, c->length, c->capacity) = (struct lanes_class){.sequence = s};
		} else {
			free(s.symbol);
			free(s.place);
		}
		lane_class_add(&c->class_of[id].of, lane);
	}
	intern_free(known);
}

/* First all lanes vote, then the votes are counted. */
static void find_skeletons(struct classes *c)
{
	struct recognizing r = {.rotations = intern_new_keys(sizeof(uint64_t))};
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < c->length; i++) {
			struct lanes_class *of = &c->class_of[i];
			skeleton_clear(&of->alike);
			r.sequence = &of->sequence;
			r.voters = pass == 0 ? of->of.lanes : 0;
			nest(&r, 0, of->sequence.length, &of->alike);
		}
	intern_free(r.rotations);
	free(r.votes);
}

/* ------------------------------------------------------------------ short loops as copies */

static void add_moved(const struct skeleton_list *from, size_t by, struct skeleton_list *to)
{
	for (size_t i = 0; i < from->length; i++) {
		struct skeleton *s = skeleton_add(to);
		*s = from->item[i];
		s->at += by;
		s->body = (struct skeleton_list){0};
		add_moved(&from->item[i].body, by, &s->body);
	}
}

static bool is_short(const struct skeleton *s)
{
	bool innermost = s->kind == TREE_LOOP && s->count < LOOP_LONG;
	for (size_t i = 0; i < s->body.length && innermost; i++)
		innermost = s->body.item[i].kind == TREE_EVENT;
	return innermost;
}

/* The list with its short loops written out, innermost ones alone. False: there is none. */
static bool add_copied(const struct skeleton_list *from, struct skeleton_list *to)
{
	bool any = false;
	for (size_t i = 0; i < from->length; i++) {
		const struct skeleton *s = &from->item[i];
		if (is_short(s)) {
			for (uint64_t k = 0; k < s->count; k++)
				add_moved(&s->body, k * s->period, to);
			any = true;
			continue;
		}
		struct skeleton *own = skeleton_add(to);
		*own = *s;
		own->body = (struct skeleton_list){0};
		any = add_copied(&s->body, &own->body) || any;
	}
	return any;
}

/* ------------------------------------------------------------------ iterations that differ */

static void skeleton_of_pieces(const struct pieces *from, struct skeleton_list *to)
{
	for (size_t i = 0; i < from->length; i++) {
		const struct piece *p = from->piece[i];
		struct skeleton *s = skeleton_add(to);
		*s = (struct skeleton){.kind = p->kind, .at = p->each[0], .each = p->each, .executions = p->executions};
		skeleton_of_pieces(&p->body, &s->body);
	}
}

static size_t skeleton_statements(const struct skeleton_list *l)
{
	size_t sum = l->length;
	for (size_t i = 0; i < l->length; i++)
		sum += skeleton_statements(&l->item[i].body);
	return sum;
}

static void find_anchored(
	struct arena *arena, const struct records *r, enum recognize_iterations how, struct lanes_class *c)
{
	size_t length;
	const uint32_t *record = records_of(r, c->of.lane[0], &length);
	int64_t *partner = mem_array(length + 1, sizeof *partner);
	for (size_t i = 0; i < length; i++)
		partner[i] = records_get(r, record[i])->number[0];
	struct pieces found = anchors_find(arena, &(struct anchoring){c->sequence.symbol, partner, length,
							  how >= RECOGNIZE_RUNS, how == RECOGNIZE_PARTIAL});
	free(partner);
	skeleton_of_pieces(&found, &c->unlike);
}

static bool is_looped_record(const struct skeleton *s)
{
	return s->kind == TREE_LOOP && s->body.length == 1 && s->body.item[0].kind == TREE_EVENT;
}

static uint32_t shape_at(const struct records *r, const struct lanes_class *c, const struct skeleton *s)
{
	size_t length;
	return records_get(r, records_of(r, c->of.lane[0], &length)[s->at])->shape;
}

static void mark_looped(
	const struct records *r, const struct lanes_class *c, const struct skeleton_list *l, bool *looped)
{
	for (size_t i = 0; i < l->length; i++) {
		if (is_looped_record(&l->item[i]))
			looped[shape_at(r, c, &l->item[i].body.item[0])] = true;
		mark_looped(r, c, &l->item[i].body, looped);
	}
}

/* A record that stands alone here and is repeated elsewhere is a loop of one iteration. False:
   there is none. */
static bool loop_marked(struct arena *arena, const struct records *r, const struct lanes_class *c,
	struct skeleton_list *l, const bool *looped)
{
	bool any = false;
	for (size_t i = 0; i < l->length; i++) {
		struct skeleton record = l->item[i], *s = &l->item[i];
		if (record.kind != TREE_EVENT && !is_looped_record(s)) {
			any = loop_marked(arena, r, c, &s->body, looped) || any;
		} else if (record.kind == TREE_EVENT && record.each && looped[shape_at(r, c, s)]) {
			uint32_t *once = arena_alloc(arena, record.executions * sizeof *once);
			for (size_t k = 0; k < record.executions; k++)
				once[k] = 1;
			*s = (struct skeleton){
				.kind = TREE_LOOP, .at = record.at, .each = once, .executions = record.executions};
			*skeleton_add(&s->body) = record;
			any = true;
		}
	}
	return any;
}

static bool loop_alike(struct tree_builder *b, struct arena *arena, const struct records *r, struct classes *c)
{
	bool *looped = mem_zero(intern_count(b->shapes) + (size_t)1), any = false;
	for (size_t i = 0; i < c->length; i++)
		mark_looped(r, &c->class_of[i], skeleton_of(&c->class_of[i]), looped);
	for (size_t i = 0; i < c->length; i++)
		any = loop_marked(arena, r, &c->class_of[i], skeleton_of(&c->class_of[i]), looped) || any;
	free(looped);
	return any;
}

/* ------------------------------------------------------------------ numbers along a skeleton */

struct filling {
	struct tree_builder *builder;
	const struct records *records;
	const indexed *number; /* by record, EVENT_SLOTS of each */
	const struct lane_records *lane;
	size_t cuts; /* those that became iterations of a loop */
};

/* Of an event its numbers; of a loop its count, then what is inside. */
static size_t columns_of(const struct skeleton_list *l)
{
	size_t columns = 0;
	for (size_t i = 0; i < l->length; i++)
		columns += l->item[i].kind == TREE_EVENT ? EVENT_SLOTS : 1 + columns_of(&l->item[i].body);
	return columns;
}

static void rewind_executions(struct skeleton_list *l)
{
	for (size_t i = 0; i < l->length; i++) {
		l->item[i].next = 0;
		rewind_executions(&l->item[i].body);
	}
}

/* Is this iteration what the one before it is? Cuts between iterations are the loop's. */
static bool is_again(const struct lane_records *l, size_t at, size_t period)
{
	if (memcmp(l->record + at, l->record + at - period, period * sizeof *l->record) != 0)
		return false;
	size_t before = cut_from(l, at - period + 1), before_past = cut_from(l, at), here = cut_from(l, at + 1),
	       past = cut_from(l, at + period);
	bool same = before_past - before == past - here;
	for (size_t i = 0; i < past - here && same; i++) {
		const struct records_cut *a = &l->cut[here + i], *b = &l->cut[before + i];
		same = a->at == b->at + period && a->period == b->period && a->copies == b->copies;
	}
	return same;
}

static void fill(struct filling *, struct skeleton_list *, size_t ahead, indexed *to);

/* A column by iteration, with the copies that were left out behind these iterations. */
static indexed column_of(
	struct filling *f, const indexed *row, size_t columns, const uint64_t *more, uint64_t count, uint64_t all)
{
	indexed *column = mem_array(all, sizeof *column);
	uint64_t length = 0;
	for (uint64_t k = 0; k < count; k++)
		for (uint64_t i = 0; i <= more[k]; i++)
			column[length++] = row[k * columns];
	indexed made = indexed_each(f->builder->store, column, all);
	free(column);
	return made;
}

/* Which columns are not the same in all iterations? To be freed. */
static bool *varying(const indexed *row, size_t columns, uint64_t count)
{
	bool *varies = mem_zero(columns + 1);
	for (uint64_t k = 1; k < count; k++)
		for (size_t c = 0; c < columns; c++)
			varies[c] |= row[k * columns + c] != row[c];
	return varies;
}

static void fill_loop(struct filling *f, struct skeleton *s, size_t ahead, indexed *to)
{
	const struct lane_records *l = f->lane;
	uint64_t count = s->each ? s->each[s->next++] : s->count, all = count,
		 *more = mem_zero((count + 1) * sizeof *more);
	size_t columns = columns_of(&s->body), at = s->at + ahead, inside = 0;
	indexed *row = mem_array(count * columns + 1, sizeof *row);
	for (size_t i = cut_from(l, at + 1); !s->each && i < l->cuts && l->cut[i].at < at + count * s->period; i++)
		if (l->cut[i].period == s->period) {
			more[(l->cut[i].at - 1 - at) / s->period] += l->cut[i].copies;
			all += l->cut[i].copies;
			f->cuts++;
		}
	for (uint64_t k = 0; k < count; k++) {
		size_t here = at + k * s->period, before = f->cuts;
		if (k && !s->each && is_again(l, here, s->period)) {
			memcpy(row + k * columns, row + (k - 1) * columns, columns * sizeof *row);
			f->cuts += inside;
		} else {
			fill(f, &s->body, ahead + k * s->period, row + k * columns);
			inside = f->cuts - before;
		}
	}
	to[0] = indexed_number(f->builder->store, (int64_t)all);
	bool *varies = varying(row, columns, count);
	for (size_t c = 0; c < columns; c++)
		to[1 + c] = !count      ? INDEXED_NONE
			    : varies[c] ? column_of(f, row + c, columns, more, count, all)
					: indexed_same(f->builder->store, row[c]);
	free(varies);
	free(row);
	free(more);
}

/* The numbers of all records in the list, whose first iteration stands `ahead` of this one. */
static void fill(struct filling *f, struct skeleton_list *l, size_t ahead, indexed *to)
{
	for (size_t i = 0; i < l->length; i++) {
		struct skeleton *s = &l->item[i];
		if (s->kind != TREE_EVENT) {
			fill_loop(f, s, ahead, to);
			to += 1 + columns_of(&s->body);
			continue;
		}
		size_t at = s->each ? s->each[s->next++] : s->at + ahead;
		memcpy(to, f->number + (size_t)f->lane->record[at] * EVENT_SLOTS, EVENT_SLOTS * sizeof *to);
		to += EVENT_SLOTS;
	}
}

/* What stands in a column for each lane, in the arena. */
static indexed *lanes_of(struct tree_builder *b, const struct lanes_class *c, indexed *const *column, size_t at)
{
	indexed *by_lane = arena_alloc(b->arena, c->of.lanes * sizeof *by_lane);
	for (size_t k = 0; k < c->of.lanes; k++)
		by_lane[k] = column[k][at];
	return by_lane;
}

/* column: by lane, then as fill has them; *at moves on. */
static struct tree_list tree_of(const struct filling *f, const struct lanes_class *c, uint32_t set,
	const struct skeleton_list *l, indexed *const *column, size_t *at)
{
	struct tree_builder *b = f->builder;
	struct tree_node **node = arena_alloc(b->arena, (l->length + 1) * sizeof *node);
	for (size_t i = 0; i < l->length; i++) {
		const struct skeleton *s = &l->item[i];
		uint32_t shape = s->kind == TREE_EVENT ? records_get(f->records, f->lane->record[s->at])->shape : 0,
			 slots = 1;
		if (s->kind == TREE_EVENT)
			slots = (uint32_t)__builtin_popcount(
				((const struct tree_shape *)intern_data(b->shapes, shape, NULL))->slots);
		indexed **slot = arena_alloc(b->arena, (slots + (size_t)1) * sizeof *slot);
		for (uint32_t k = 0; k < slots; k++)
			slot[k] = lanes_of(b, c, column, *at + k);
		*at += s->kind == TREE_EVENT ? EVENT_SLOTS : 1;
		node[i] = s->kind == TREE_EVENT
				  ? tree_event(b, shape, set, slot, 0)
				  : tree_loop(b, s->kind, set, slot[0], tree_of(f, c, set, &s->body, column, at));
	}
	return (struct tree_list){node, l->length};
}

/* False: copies that were left out are in no loop. */
static bool class_tree(struct filling *f, struct lanes_class *c, struct tree_list *list)
{
	struct tree_builder *b = f->builder;
	struct skeleton_list *skeleton = skeleton_of(c);
	size_t at = 0, columns = columns_of(skeleton);
	indexed **column = mem_array(c->of.lanes, sizeof *column);
	bool good = true;
	for (size_t i = 0; i < c->of.lanes; i++) {
		f->lane = &f->records->lane[c->of.lane[i]];
		f->cuts = 0;
		column[i] = mem_array(columns, sizeof **column);
		rewind_executions(skeleton);
		fill(f, skeleton, 0, column[i]);
		good = good && f->cuts == f->lane->cuts;
	}
	*list = tree_of(f, c, tree_lane_set(b, c->of.lane, c->of.lanes), skeleton, column, &at);
	for (size_t i = 0; i < c->of.lanes; i++)
		free(column[i]);
	free(column);
	return good;
}

/* ------------------------------------------------------------------ in public */

struct recognition {
	struct tree_builder *builder;
	const struct records *records;
	struct classes classes;
	uint64_t digest;
	indexed *number; /* by record, EVENT_SLOTS of each */
	bool nested; /* are there skeletons? */
	enum recognize_iterations how; /* classes are recognized so now */
	struct arena *arena; /* of positions where iterations differ */
};

static indexed *numbers_of(struct tree_builder *b, const struct records *r)
{
	uint32_t count = records_count(r);
	indexed *number = mem_array((size_t)count * EVENT_SLOTS + 1, sizeof *number);
	for (uint32_t i = 0; i < count; i++) {
		const struct record *record = records_get(r, i);
		const struct tree_shape *shape = intern_data(b->shapes, record->shape, NULL);
		uint32_t slots = (uint32_t)__builtin_popcount(shape->slots);
		for (uint32_t k = 0; k < EVENT_SLOTS; k++)
			number[(size_t)i * EVENT_SLOTS + k] =
				k < slots ? indexed_number(b->store, record->number[k]) : INDEXED_NONE;
	}
	return number;
}

static uint64_t classes_digest(const struct classes *c)
{
	uint64_t digest = c->length;
	for (size_t i = 0; i < c->length; i++) {
		const struct lane_class *of = &c->class_of[i].of;
		const struct sequence *s = &c->class_of[i].sequence;
		digest = hash_pair(digest, hash_bytes(of->lane, of->lanes * sizeof *of->lane));
		digest = hash_pair(digest, hash_bytes(s->symbol, s->length * sizeof *s->symbol));
	}
	return digest;
}

struct recognition *recognition_new(struct tree_builder *b, const struct records *r, enum recognize_mask mask)
{
	struct recognition *own = mem_alloc(sizeof *own);
	struct masking m = masking_of(b, r, mask);
	*own = (struct recognition){.builder = b, .records = r, .number = numbers_of(b, r), .arena = arena_new()};
	classify(r, &m, &own->classes);
	own->digest = classes_digest(&own->classes);
	masking_clear(&m);
	return own;
}

void recognition_free(struct recognition *r)
{
	for (size_t i = 0; i < r->classes.length; i++) {
		struct lanes_class *c = &r->classes.class_of[i];
		skeleton_clear(&c->alike);
		skeleton_clear(&c->unlike);
		free(c->sequence.symbol);
		free(c->sequence.place);
		free(c->of.lane);
	}
	free(r->classes.class_of);
	free(r->number);
	arena_free(r->arena);
	free(r);
}

uint64_t recognition_digest(const struct recognition *r)
{
	return r->digest;
}

static void find_alike(struct recognition *r)
{
	struct classes *c = &r->classes;
	if (r->nested || !c->length)
		return;
	find_skeletons(c);
	qsort(c->class_of, c->length, sizeof *c->class_of, lane_class_compare);
	r->nested = true;
}

/* False: there is nothing that was not there before. */
static bool recognize_as(struct recognition *r, enum recognize_iterations how)
{
	struct classes *c = &r->classes;
	bool same = how == r->how || (how == RECOGNIZE_RUNS_OF_ALL && r->how == RECOGNIZE_RUNS), any = same;
	for (size_t i = 0; i < c->length && !same; i++)
		skeleton_clear(&c->class_of[i].unlike);
	if (!same) {
		arena_free(r->arena);
		r->arena = arena_new();
	}
	for (size_t i = 0; i < c->length && how == RECOGNIZE_COPIES && c->length > 1; i++)
		any = add_copied(&c->class_of[i].alike, &c->class_of[i].unlike) || any;
	for (size_t i = 0; i < c->length && !same && how >= RECOGNIZE_UNLIKE && c->length <= ANCHORS_CLASSES; i++) {
		struct lanes_class *of = &c->class_of[i];
		if (anchors_pay(of->sequence.length, skeleton_statements(&of->alike)))
			find_anchored(r->arena, r->records, how, of);
		any = any || of->unlike.length;
	}
	if (how == RECOGNIZE_RUNS_OF_ALL && !loop_alike(r->builder, r->arena, r->records, c) && same)
		any = false;
	r->how = how;
	return any || how == RECOGNIZE_ALIKE;
}

size_t recognize(struct recognition *r, enum recognize_iterations how, struct tree_list **class_of)
{
	struct filling f = {.builder = r->builder, .records = r->records, .number = r->number};
	*class_of = NULL;
	find_alike(r);
	if (!recognize_as(r, how))
		return 0;
	size_t classes = r->classes.length;
	bool good = true;
	*class_of = mem_array(classes, sizeof **class_of);
	for (size_t i = 0; i < classes; i++)
		good = class_tree(&f, &r->classes.class_of[i], &(*class_of)[i]) && good;
	return good ? classes : 0;
}
