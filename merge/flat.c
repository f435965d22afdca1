/*
 * flat.c -- lanes are strings of keys; the string of one class after the other is laid beside
 * what is there already.
 */
#include "merge/flat.h"

#include <stdlib.h>
#include <string.h>

#include "model/event_kinds.h"

/* Cells of a table of alignment; items of the list, as many as are rewritten (statement_row.h);
   places of items in the strings of classes, 64 MB. */
#define FLAT_CELLS (UINT64_C(1) << 20)
#define FLAT_ITEMS (1 << 13)
#define FLAT_PLACES (UINT64_C(1) << 24)

/* How a peer, or a tag, is told: as it is, or relative to the process or to the peer. */
enum view { VIEW_ABSOLUTE, VIEW_OWN, VIEW_PEER, VIEWS };

struct flat {
	struct tree_builder *b;
	const struct grid *grid;
	uint32_t processes;
	const struct records *records;
	struct intern *keys;
	struct intern *sharing; /* struct told, */
	uint32_t *lanes; /* ... by how many lanes each is shared */
	uint32_t *last; /* ... and the last of them */
	size_t sharings, capacity;
};

/* No padding: its bytes are its identity. */
struct told {
	uint64_t tag, peer; /* numbers, or moves */
	uint32_t shape, what; /* what: how each of them is told */
};

static const struct record *record_of(const struct flat *f, uint32_t id)
{
	return records_get(f->records, id);
}

/* ------------------------------------------------------------------ keys */

static uint64_t move_between(const struct flat *f, uint32_t from, int64_t to)
{
	uint64_t move = 0;
	uint32_t a = from, b = (uint32_t)to;
	for (uint32_t k = 0; k < f->grid->axes; k++) {
		uint32_t size = f->grid->size[k];
		move = move * size + (b % size + size - a % size) % size;
		a /= size;
		b /= size;
	}
	return f->grid->axes ? move : (b + f->processes - a % f->processes) % f->processes;
}

static int64_t slot_of(const struct flat *f, const struct record *r, enum tree_slot slot)
{
	const struct tree_shape *s = intern_data(f->b->shapes, r->shape, NULL);
	uint32_t bit = UINT32_C(1) << slot;
	return s->slots & bit ? r->number[__builtin_popcount(s->slots & (bit - 1))] : -1;
}

static struct told told_of(const struct flat *f, uint32_t lane, const struct record *r, enum view tag, enum view peer)
{
	const struct tree_shape *s = intern_data(f->b->shapes, r->shape, NULL);
	int64_t to = slot_of(f, r, SLOT_IS_PEER), number = slot_of(f, r, SLOT_IS_TAG);
	uint32_t own = f->b->process[lane];
	struct told t = {.shape = r->shape, .what = (uint32_t)tag * (VIEWS + 1) + (uint32_t)peer};
	if (s->slots & 1u << SLOT_IS_TAG)
		t.tag = (uint64_t)(tag == VIEW_OWN ? number - own : tag == VIEW_PEER ? number - to : number);
	if (s->slots & 1u << SLOT_IS_PEER && peer < VIEWS)
		t.peer = peer == VIEW_OWN ? move_between(f, own, to) : (uint64_t)to;
	return t;
}

static uint32_t sharing_of(struct flat *f, const struct told *t)
{
	return intern_id(f->sharing, t, sizeof *t);
}

/* VIEWS as a view of the peer: it is not asked for. */
static void note_sharing(struct flat *f, uint32_t lane, const struct told *t)
{
	uint32_t id = sharing_of(f, t);
	if (id >= f->sharings) {
		size_t before = f->capacity, need = (size_t)id + 1;
		f->lanes = mem_grow(f->lanes, &f->capacity, need, sizeof *f->lanes);
		size_t other = before;
		f->last = mem_grow(f->last, &other, f->capacity, sizeof *f->last);
		f->sharings = need;
		f->lanes[id] = 0;
		f->last[id] = UINT32_MAX;
	}
	f->lanes[id] += f->last[id] != lane;
	f->last[id] = lane;
}

static enum view best_view(struct flat *f, uint32_t lane, const struct record *r, enum view tag, bool peer)
{
	enum view best = peer ? VIEW_OWN : VIEW_ABSOLUTE;
	uint32_t most = 0;
	for (int k = 0; k < (peer ? VIEW_PEER : VIEWS); k++) {
		enum view v = peer ? (k ? VIEW_ABSOLUTE : VIEW_OWN) : (enum view)k;
		struct told t = told_of(f, lane, r, peer ? tag : v, peer ? v : VIEWS);
		uint32_t lanes = f->lanes[sharing_of(f, &t)];
		if (lanes > most) {
			most = lanes;
			best = v;
		}
	}
	return best;
}

/* By record of a lane, what tells it from others of the lane. */
static uint32_t key_of(struct flat *f, uint32_t lane, const struct record *r)
{
	enum view tag = best_view(f, lane, r, VIEW_ABSOLUTE, false), peer = best_view(f, lane, r, tag, true);
	struct {
		struct told told;
		int64_t communicator;
	} key = {told_of(f, lane, r, tag, peer), slot_of(f, r, SLOT_IS_COMMUNICATOR)};
	const struct tree_shape *s = intern_data(f->b->shapes, r->shape, NULL);
	if (s->grouped != GROUP_IS_SET)
		key.communicator = 0; /* lines and groups of a partition have their own */
	return intern_id(f->keys, &key, sizeof key);
}

struct lane_keys {
	uint32_t *key, *time, *meeting; /* by event; time: Lamport's clock */
	const uint32_t *record;
	size_t length;
	bool waits; /* in a collective that it has come to */
};

/* Each record of a lane once. */
static void note_lane(struct flat *f, uint32_t lane, bool peers, const uint32_t *record, size_t records)
{
	for (size_t i = 0; i < records; i++) {
		const struct record *r = record_of(f, record[i]);
		for (int v = 0; v < VIEWS && !peers; v++) {
			struct told t = told_of(f, lane, r, (enum view)v, VIEWS);
			note_sharing(f, lane, &t);
		}
		enum view tag = peers ? best_view(f, lane, r, VIEW_ABSOLUTE, false) : VIEW_ABSOLUTE;
		for (int v = 0; v < VIEW_PEER && peers; v++) {
			struct told t = told_of(f, lane, r, tag, (enum view)v);
			note_sharing(f, lane, &t);
		}
	}
}

/* What a lane does. */
struct lane_records {
	uint32_t *record; /* of the lane, each once */
	size_t records;
	uint32_t *number; /* by event: which of them */
};

static void lane_records_find(struct lane_records *x, const uint32_t *record, size_t length)
{
	struct intern *known = intern_new_keys(sizeof *record);
	x->record = mem_array(length, sizeof *record);
	x->number = mem_array(length, sizeof *record);
	x->records = 0;
	for (size_t i = 0; i < length; i++) {
		x->number[i] = intern_id(known, &record[i], sizeof *record);
		if (x->number[i] == x->records)
			x->record[x->records++] = record[i];
	}
	intern_free(known);
}

/* ------------------------------------------------------------------ clocks */

/* Where lanes meet: the k-th message of a channel, the k-th call of a collective. */
struct meeting {
	uint32_t members, arrived, time; /* members: senders, or all of a collective */
	uint32_t received; /* 1 + when; 0: not yet */
	uint32_t before; /* the one before it in its channel; UINT32_MAX: there is none */
};

struct clocks {
	struct intern *channels, *sides, *numbers; /* side: an end of a channel; number: the k-th of it */
	uint32_t *count; /* by side */
	struct meeting *meeting; /* by number */
	size_t count_capacity, meeting_capacity;
};

static uint32_t meeting_of(struct clocks *c, const struct flat *f, uint32_t lane, const struct record *r)
{
	const struct tree_shape *s = intern_data(f->b->shapes, r->shape, NULL);
	bool message = kind_is_message(s->kind), receives = kind_receives(s->kind);
	int64_t peer = slot_of(f, r, SLOT_IS_PEER), own = f->b->process[lane];
	int64_t key[] = {message ? s->word : -1 - (int64_t)r->shape, message ? slot_of(f, r, SLOT_IS_TAG) : 0,
		slot_of(f, r, SLOT_IS_COMMUNICATOR), message ? receives ? peer : own : 0,
		message ? receives ? own : peer : 0};
	uint32_t side[] = {intern_id(c->channels, key, sizeof key), message ? receives : 2 + lane};
	uint32_t sides = intern_count(c->sides), of = intern_id(c->sides, side, sizeof side);
	c->count = mem_grow(c->count, &c->count_capacity, (size_t)of + 1, sizeof *c->count);
	c->count[of] = of == sides ? 0 : c->count[of] + 1;
	uint32_t number[] = {side[0], c->count[of]}, numbers = intern_count(c->numbers),
		 id = intern_id(c->numbers, number, sizeof number);
	c->meeting = mem_grow(c->meeting, &c->meeting_capacity, (size_t)id + 1, sizeof *c->meeting);
	if (id == numbers) {
		number[1]--;
		c->meeting[id] = (struct meeting){.before = intern_find(c->numbers, number, sizeof number)};
	}
	c->meeting[id].members += !receives;
	return id;
}

/* A channel holds one message: who sends does not run ahead of who receives. */
static bool is_full(const struct clocks *c, const struct meeting *m)
{
	return m->before != UINT32_MAX && !c->meeting[m->before].received;
}

/* Goes on until it waits. forced: one event at any rate. */
static bool advance(struct clocks *c, const struct flat *f, struct lane_keys *k, size_t *at, bool forced)
{
	size_t before = *at;
	for (; *at < k->length; ++*at, forced = false) {
		const struct tree_shape *s = intern_data(f->b->shapes, record_of(f, k->record[*at])->shape, NULL);
		bool sends = kind_sends(s->kind), receives = kind_receives(s->kind);
		struct meeting *m = &c->meeting[k->meeting[*at]];
		uint32_t time = *at ? k->time[*at - 1] + 1 : 0;
		if (sends && m->before != UINT32_MAX && c->meeting[m->before].received > time)
			time = c->meeting[m->before].received;
		if (!receives && !k->waits && !(sends && is_full(c, m) && !forced)) {
			m->arrived++;
			m->time = time > m->time ? time : m->time;
		}
		k->waits = kind_gathers(s->kind) && m->arrived < m->members;
		bool waits = k->waits || (receives && m->arrived < m->members) || (sends && is_full(c, m));
		if (waits && !forced)
			break;
		k->waits = false;
		k->time[*at] = sends || m->time < time ? time : m->time + receives;
		if (receives)
			m->received = 1 + k->time[*at];
	}
	return *at > before;
}

/* As if each event took one step: of Lamport, Communications of the ACM 21(7), 1978. What
   waits for what never comes goes on. */
static void set_clocks(struct flat *f, struct lane_keys *keys)
{
	struct clocks c = {intern_new_keys(5 * sizeof(int64_t)), intern_new_keys(2 * sizeof(uint32_t)),
		intern_new_keys(2 * sizeof(uint32_t)), NULL, NULL, 0, 0};
	uint32_t lanes = f->b->lanes, done = 0;
	size_t *at = mem_zero((lanes + (size_t)1) * sizeof *at);
	for (uint32_t lane = 0; lane < lanes; lane++) {
		struct lane_keys *k = &keys[lane];
		k->time = mem_array(k->length, sizeof *k->time);
		k->meeting = mem_array(k->length, sizeof *k->meeting);
		for (size_t i = 0; i < k->length; i++)
			k->meeting[i] = meeting_of(&c, f, lane, record_of(f, k->record[i]));
	}
	for (bool forced = false; done < lanes;) {
		bool any = false;
		done = 0;
		for (uint32_t lane = 0; lane < lanes; lane++) {
			bool own = advance(&c, f, &keys[lane], &at[lane], forced && !any);
			any = any || own;
			done += at[lane] == keys[lane].length;
		}
		forced = !any;
	}
	free(at);
	free(c.count);
	free(c.meeting);
	intern_free(c.channels);
	intern_free(c.sides);
	intern_free(c.numbers);
}

/* ------------------------------------------------------------------ alignment */

/* One after the other; by class where it is in its string, or UINT32_MAX. */
struct string {
	uint32_t *key, *time;
	uint32_t *at; /* by item, by class */
	size_t length;
};

struct aligning {
	const uint32_t *a, *b; /* keys */
	uint32_t *with; /* by item of b: the one of a; UINT32_MAX: none */
};

/* The longest common order of two stretches. */
static void align_cells(struct aligning *x, size_t a, size_t a_end, size_t b, size_t b_end)
{
	while (a < a_end && b < b_end && x->a[a] == x->b[b])
		x->with[b++] = (uint32_t)a++;
	while (a < a_end && b < b_end && x->a[a_end - 1] == x->b[b_end - 1])
		x->with[--b_end] = (uint32_t)--a_end;
	size_t n = a_end - a, m = b_end - b, width = m + 1;
	if (!n || !m || (uint64_t)n * m > FLAT_CELLS)
		return;
	uint16_t *best = mem_zero((n + 1) * width * sizeof *best);
	for (size_t i = n; i-- > 0;)
		for (size_t k = m; k-- > 0;) {
			uint16_t one = best[(i + 1) * width + k], other = best[i * width + k + 1];
			best[i * width + k] = x->a[a + i] == x->b[b + k] ? (uint16_t)(best[(i + 1) * width + k + 1] + 1)
					      : one > other              ? one
									 : other;
		}
	for (size_t i = 0, k = 0; i < n && k < m;) {
		if (x->a[a + i] == x->b[b + k])
			x->with[b + k++] = (uint32_t)(a + i++);
		else if (best[(i + 1) * width + k] >= best[i * width + k + 1])
			i++;
		else
			k++;
	}
	free(best);
}

/* The k-th of a key that both have equally often, if their orders agree: a longest ascending
   row of those (Fredman, Discrete Mathematics 11, 1975). Between them, the common order. */
static void align(struct aligning *x, size_t n, size_t m, size_t keys)
{
	uint32_t *often = mem_zero((2 * keys + 1) * sizeof *often), *first = mem_array(keys + 1, sizeof *first),
		 *place = mem_array(n, sizeof *place), *seen = mem_zero((keys + 1) * sizeof *seen),
		 *tail = mem_array(m + 1, sizeof *tail), *before = mem_array(m, sizeof *before), length = 0;
	for (size_t i = 0; i < n; i++)
		often[2 * x->a[i]]++;
	for (size_t i = 0; i < m; i++)
		often[2 * x->b[i] + 1]++;
	for (size_t k = 0, at = 0; k < keys; at += often[2 * k++])
		first[k] = (uint32_t)at;
	for (size_t i = 0; i < n; i++)
		place[first[x->a[i]] + seen[x->a[i]]++] = (uint32_t)i;
	memset(seen, 0, (keys + 1) * sizeof *seen);
	for (size_t k = 0; k < m; k++) {
		uint32_t key = x->b[k], number = seen[key]++;
		x->with[k] = often[2 * key] == often[2 * key + 1] ? place[first[key] + number] : UINT32_MAX;
		if (x->with[k] == UINT32_MAX)
			continue;
		uint32_t low = 0, high = length;
		while (low < high) {
			uint32_t middle = (low + high) / 2;
			if (x->with[tail[middle]] < x->with[k])
				low = middle + 1;
			else
				high = middle;
		}
		before[k] = low ? tail[low - 1] : UINT32_MAX;
		tail[low] = (uint32_t)k;
		length = low == length ? length + 1 : length;
	}
	bool *kept = mem_zero(m + 1);
	for (uint32_t k = length ? tail[length - 1] : UINT32_MAX; k != UINT32_MAX; k = before[k])
		kept[k] = true;
	size_t a = 0, b = 0;
	for (size_t k = 0; k <= m; k++) {
		if (k < m && !kept[k]) {
			x->with[k] = UINT32_MAX;
			continue;
		}
		align_cells(x, a, k < m ? x->with[k] : n, b, k);
		a = k < m ? x->with[k] + (size_t)1 : n;
		b = k + 1;
	}
	free(kept);
	free(often);
	free(first);
	free(place);
	free(seen);
	free(tail);
	free(before);
}

static void add_class(struct string *s, const struct lane_keys *own, size_t class, size_t classes, size_t keys)
{
	size_t n = s->length, m = own->length, length = 0;
	uint32_t *with = mem_array(m, sizeof *with);
	struct aligning x = {s->key, own->key, with};
	align(&x, n, m, keys);
	uint32_t *key = mem_array(n + m, sizeof *key), *time = mem_array(n + m, sizeof *time),
		 *at = mem_array((n + m) * classes, sizeof *at);
	bool *matched = mem_zero(n + 1);
	for (size_t k = 0; k < m; k++)
		if (with[k] != UINT32_MAX)
			matched[with[k]] = true;
	for (size_t i = 0, k = 0; i < n || k < m; length++) {
		bool free_a = i < n && !matched[i], free_b = k < m && with[k] == UINT32_MAX;
		bool both = !free_a && !free_b, ours = free_a && (!free_b || s->time[i] <= own->time[k]);
		time[length] = both || ours ? s->time[i] : own->time[k];
		uint32_t *to = at + length * classes;
		if (both || ours) {
			memcpy(to, s->at + i * classes, classes * sizeof *to);
			key[length] = s->key[i++];
		} else {
			memset(to, 0xff, classes * sizeof *to);
			key[length] = own->key[k];
		}
		if (!ours)
			to[class] = (uint32_t)k++;
	}
	free(with);
	free(s->key);
	free(s->at);
	free(s->time);
	free(matched);
	*s = (struct string){key, time, at, length};
}

/* ------------------------------------------------------------------ the list */

static struct tree_node *event_of(struct flat *f, const uint32_t *lane, const uint32_t *record, size_t lanes)
{
	uint32_t shape = record_of(f, record[0])->shape, set = tree_lane_set(f->b, lane, lanes);
	const struct tree_shape *s = intern_data(f->b->shapes, shape, NULL);
	uint32_t slots = (uint32_t)__builtin_popcount(s->slots);
	indexed **slot = tree_slots(f->b, slots, set);
	for (size_t k = 0; k < lanes; k++)
		for (uint32_t q = 0; q < slots; q++)
			slot[q][k] = indexed_number(f->b->store, record_of(f, record[k])->number[q]);
	return tree_event(f->b, shape, set, slot, 0);
}

static struct tree_list list_of(
	struct flat *f, const struct string *s, const struct lane_keys *keys, const size_t *class_of, size_t classes)
{
	uint32_t lanes = f->b->lanes;
	struct intern *known = intern_new();
	struct tree_node **made = NULL, **node = mem_array(s->length, sizeof *node);
	uint32_t *lane = mem_array(lanes, sizeof *lane), *own = mem_array(2 * (size_t)lanes, sizeof *own);
	size_t capacity = 0;
	for (size_t i = 0; i < s->length; i++) {
		size_t n = 0;
		for (uint32_t k = 0; k < lanes; k++) {
			uint32_t at = s->at[i * classes + class_of[k]];
			if (at == UINT32_MAX)
				continue;
			lane[n] = k;
			own[n++] = keys[k].record[at];
		}
		memcpy(own + n, lane, n * sizeof *lane);
		uint32_t before = intern_count(known), id = intern_id(known, own, 2 * n * sizeof *own);
		if (id == before) {
			made = mem_grow(made, &capacity, (size_t)id + 1, sizeof *made);
			made[id] = event_of(f, lane, own, n);
		}
		node[i] = made[id];
	}
	struct tree_list list = tree_list_of(f->b, node, s->length);
	intern_free(known);
	free(made);
	free(node);
	free(lane);
	free(own);
	return list;
}

struct keyed_class {
	struct lane_class lanes;
	size_t length;
};

/* The longest first: it has most of what others have. */
static int by_length(const void *a, const void *b)
{
	const struct keyed_class *x = a, *y = b;
	if (x->length != y->length)
		return x->length > y->length ? -1 : 1;
	return lane_class_compare(a, b);
}

bool flat_list(struct tree_builder *b, uint32_t processes, const struct grid *grid, const struct records *r,
	size_t most, struct tree_list *list)
{
	struct flat f = {.b = b,
		.grid = grid,
		.processes = processes,
		.records = r,
		.keys = intern_new(),
		.sharing = intern_new()};
	struct lane_keys *keys = mem_zero((b->lanes + (size_t)1) * sizeof *keys);
	size_t *class_of = mem_array(b->lanes, sizeof *class_of), classes = 0, capacity = 0;
	struct intern *strings = intern_new();
	struct keyed_class *class = NULL;
	bool good = true;
	for (uint32_t lane = 0; lane < b->lanes && good; lane++) {
		keys[lane].record = records_of(r, lane, &keys[lane].length);
		good = keys[lane].length <= most && !records_cuts(r, lane);
	}
	struct lane_records *own = mem_zero((b->lanes + (size_t)1) * sizeof *own);
	for (uint32_t lane = 0; lane < b->lanes && good; lane++)
		lane_records_find(&own[lane], keys[lane].record, keys[lane].length);
	for (int peers = 0; peers < 2 && good; peers++)
		for (uint32_t lane = 0; lane < b->lanes; lane++)
			note_lane(&f, lane, peers, own[lane].record, own[lane].records);
	for (uint32_t lane = 0; lane < b->lanes && good; lane++) {
		struct lane_keys *k = &keys[lane];
		k->key = mem_array(k->length, sizeof *k->key);
		uint32_t *key = own[lane].record;
		for (size_t i = 0; i < own[lane].records; i++)
			key[i] = key_of(&f, lane, record_of(&f, key[i]));
		for (size_t i = 0; i < k->length; i++)
			k->key[i] = key[own[lane].number[i]];
		uint32_t id = intern_id(strings, k->key, k->length * sizeof *k->key);
		if (id == classes)
			*MEM_PUSH(class, classes, capacity) = (struct keyed_class){{0}, k->length};
		lane_class_add(&class[id].lanes, lane);
	}
	if (classes)
		qsort(class, classes, sizeof *class, by_length);
	uint64_t items = 0;
	for (size_t i = 0; i < classes; i++)
		items += class[i].length;
	good = good && items * classes <= FLAT_PLACES;
	if (good)
		set_clocks(&f, keys);
	struct string s = {0};
	for (size_t i = 0; i < classes; i++) {
		for (size_t k = 0; k < class[i].lanes.lanes && good; k++)
			class_of[class[i].lanes.lane[k]] = i;
		if (good)
			add_class(&s, &keys[class[i].lanes.lane[0]], i, classes, intern_count(f.keys));
		good = good && s.length <= FLAT_ITEMS;
		free(class[i].lanes.lane);
	}
	if (good)
		*list = list_of(&f, &s, keys, class_of, classes);
	for (uint32_t lane = 0; lane < b->lanes; lane++) {
		free(own[lane].record);
		free(own[lane].number);
		free(keys[lane].key);
		free(keys[lane].time);
		free(keys[lane].meeting);
	}
	free(own);
	free(keys);
	free(class_of);
	free(class);
	free(s.key);
	free(s.time);
	free(s.at);
	free(f.lanes);
	free(f.last);
	intern_free(f.keys);
	intern_free(f.sharing);
	intern_free(strings);
	return good;
}
