/*
 * elastic_tree.c -- loops in a sequence of trees that differ in numbers.
 *
 * A sequence is cut before each occurrence of one key, the anchor: what lies between are the
 * iterations of a loop. They need not be alike. Their shortest common supersequence, put together
 * from the different ones in the order of how many there are, is the body; what stands in some
 * iterations alone goes into guards. What costs the fewest statements over all anchors is taken,
 * and the search begins anew in what is left before and behind.
 *
 * Before that, what repeats at once becomes loops of varying counts: neighbours of one key, and
 * copies of a sequence that often stands several times in a row.
 */
#include "fold/elastic_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void make_room(struct numbers *n, size_t rows)
{
	size_t need = rows * n->lanes;
	if (n->number)
		n->number = mem_grow(n->number, &n->capacity, need, sizeof *n->number);
	else
		n->number = mem_array(n->capacity = need, sizeof *n->number);
}

/* Rows once more, so many times in all. */
static void copy_rows(struct numbers *n, size_t times)
{
	size_t length = n->rows * n->lanes;
	make_room(n, n->rows * times);
	for (size_t k = 1; k < times; k++)
		memcpy(n->number + k * length, n->number, length * sizeof *n->number);
	n->rows *= times;
}

static void numbers_clear(struct numbers *n)
{
	free(n->number);
	*n = (struct numbers){0};
}

static bool same_rows(const struct numbers *a, const struct numbers *b)
{
	return a->rows == b->rows && !memcmp(a->number, b->number, a->rows * a->lanes * sizeof *a->number);
}

/* What follows goes on in the same way, or all rows are needed. */
static void numbers_append(struct numbers *to, const struct numbers *from)
{
	if (!from->executions)
		return;
	size_t row = from->lanes * sizeof *from->number;
	if (!to->executions) {
		to->lanes = from->lanes;
		make_room(to, from->rows);
		memcpy(to->number, from->number, from->rows * row);
		to->rows = from->rows;
	} else if (!same_rows(to, from)) {
		copy_rows(to, to->executions / to->rows);
		make_room(to, to->executions + from->executions);
		for (size_t k = 0; k < from->executions; k += from->rows)
			memcpy(to->number + (to->executions + k) * to->lanes, from->number, from->rows * row);
		to->rows += from->executions;
	}
	to->executions += from->executions;
}

void numbers_add(struct numbers *to, int64_t number)
{
	numbers_append(to, &(struct numbers){&number, 1, 1, 1, 1});
}

static void numbers_repeat(struct numbers *n, uint64_t times)
{
	n->executions *= times;
	if (!times)
		numbers_clear(n);
}

/* ------------------------------------------------------------------ trees */

uint32_t elastic_event_key(struct intern *keys, uint32_t shape)
{
	return intern_id(keys, (uint32_t[]){ELASTIC_EVENT, shape}, 2 * sizeof(uint32_t));
}

uint32_t elastic_given_key(struct intern *keys, uint32_t shape, uint32_t peer)
{
	return intern_id(keys, (uint32_t[]){ELASTIC_EVENT, shape, peer}, 3 * sizeof(uint32_t));
}

struct elastic_node *elastic_event(uint32_t key, uint32_t shape, uint32_t lanes, bool counted)
{
	struct elastic_node *n = mem_zero(sizeof *n);
	n->kind = ELASTIC_EVENT;
	n->shape = shape;
	n->key = key;
	for (int slot = SLOT_PEER; slot <= (counted ? SLOT_TAG : SLOT_PEER); slot++) {
		n->slot[slot].lanes = lanes;
		n->slot[slot].executions = n->slot[slot].rows = 1;
		make_room(&n->slot[slot], 1);
	}
	return n;
}

struct elastic_node *elastic_loop(struct intern *keys, enum elastic_kind kind, struct elastic_list *body)
{
	struct elastic_node *n = mem_zero(sizeof *n);
	uint32_t *key = mem_array(body->length + 1, sizeof *key);
	key[0] = kind;
	for (size_t i = 0; i < body->length; i++)
		key[1 + i] = body->node[i]->key;
	n->kind = kind;
	n->key = intern_id(keys, key, (body->length + 1) * sizeof *key);
	n->body = *body;
	*body = (struct elastic_list){0};
	free(key);
	return n;
}

bool elastic_has_runs(const struct elastic_list *list)
{
	for (size_t i = 1; i < list->length; i++)
		if (list->node[i]->key == list->node[i - 1]->key)
			return true;
	return false;
}

void elastic_add(struct elastic_list *list, struct elastic_node *n)
{
	list->node = mem_grow(list->node, &list->capacity, list->length + 1, sizeof *list->node);
	list->node[list->length++] = n;
}

void elastic_clear(struct elastic_list *list)
{
	for (size_t i = 0; i < list->length; i++)
		elastic_free(list->node[i]);
	free(list->node);
	*list = (struct elastic_list){0};
}

void elastic_free(struct elastic_node *n)
{
	if (!n)
		return;
	elastic_clear(&n->body);
	for (int i = 0; i < SLOTS; i++)
		numbers_clear(&n->slot[i]);
	free(n);
}

static struct elastic_list outline_of(const struct elastic_list *from);

/* Without its numbers, by which nothing is decided. Recursion as deep as loops nest. */
static struct elastic_node *outline_of_node(const struct elastic_node *from)
{
	struct elastic_node *n = mem_zero(sizeof *n);
	n->kind = from->kind;
	n->key = from->key;
	n->body = outline_of(&from->body);
	return n;
}

static struct elastic_list outline_of(const struct elastic_list *from)
{
	struct elastic_list list = {from->length ? mem_array(from->length, sizeof *list.node) : NULL, 0, from->length};
	while (list.length < from->length) {
		list.node[list.length] = outline_of_node(from->node[list.length]);
		list.length++;
	}
	return list;
}

/* What the same tree does behind it. Recursion as deep as loops nest. */
static void append_numbers(struct elastic_node *to, const struct elastic_node *from)
{
	for (int i = 0; i < SLOTS; i++)
		numbers_append(&to->slot[i], &from->slot[i]);
	for (size_t i = 0; i < to->body.length; i++)
		append_numbers(to->body.node[i], from->body.node[i]);
}

void elastic_repeat(struct elastic_node *n, uint64_t times)
{
	for (int i = 0; i < SLOTS; i++)
		numbers_repeat(&n->slot[i], times);
	for (size_t i = 0; i < n->body.length; i++)
		elastic_repeat(n->body.node[i], times);
}

size_t elastic_statements(const struct elastic_list *list)
{
	size_t sum = list->length;
	for (size_t i = 0; i < list->length; i++)
		sum += elastic_statements(&list->node[i]->body);
	return sum;
}

/* ------------------------------------------------------------------ loops of one event */

static bool is_looped_event(const struct elastic_node *n)
{
	return n->kind == ELASTIC_LOOP && n->body.length == 1 && n->body.node[0]->kind == ELASTIC_EVENT;
}

void elastic_mark_looped(const struct elastic_list *list, bool *looped)
{
	for (size_t i = 0; i < list->length; i++) {
		if (is_looped_event(list->node[i]))
			looped[list->node[i]->body.node[0]->shape] = true;
		elastic_mark_looped(&list->node[i]->body, looped);
	}
}

bool elastic_loop_marked(struct elastic_list *list, struct intern *keys, const bool *looped)
{
	bool any = false;
	for (size_t i = 0; i < list->length; i++) {
		struct elastic_node *n = list->node[i];
		if (n->kind == ELASTIC_EVENT && looped[n->shape]) {
			struct elastic_list inside = {0};
			size_t executions = n->slot[SLOT_PEER].executions;
			elastic_add(&inside, n);
			list->node[i] = elastic_loop(keys, ELASTIC_LOOP, &inside);
			numbers_add(&list->node[i]->slot[SLOT_COUNT], 1);
			numbers_repeat(&list->node[i]->slot[SLOT_COUNT], executions);
			any = true;
		} else if (!is_looped_event(n)) {
			any = elastic_loop_marked(&n->body, keys, looped) || any;
		}
	}
	return any;
}

/* ------------------------------------------------------------------ copies at once */

/* Append what follows to a loop as one more iteration, and free it. */
static void add_iteration(struct elastic_node *loop, struct elastic_node *const *body)
{
	loop->slot[SLOT_COUNT].number[0]++;
	for (size_t i = 0; i < loop->body.length; i++) {
		append_numbers(loop->body.node[i], body[i]);
		elastic_free(body[i]);
	}
}

static struct elastic_node *loop_of(struct intern *keys, struct elastic_node *const *body, size_t length)
{
	struct elastic_list list = {0};
	for (size_t i = 0; i < length; i++)
		elastic_add(&list, body[i]);
	struct elastic_node *loop = elastic_loop(keys, ELASTIC_LOOP, &list);
	numbers_add(&loop->slot[SLOT_COUNT], 1);
	return loop;
}

/* So many neighbours are a loop. */
#define ADVANCING 4

static bool advances(struct elastic_node *const *n)
{
	const struct numbers *a = &n[0]->slot[SLOT_PEER], *b = &n[1]->slot[SLOT_PEER], *c = &n[2]->slot[SLOT_PEER];
	for (uint32_t lane = 0; lane < a->lanes; lane++) {
		int64_t step = number_at(b, 0, lane) - number_at(a, 0, lane);
		if (!step || number_at(c, 0, lane) - number_at(b, 0, lane) != step)
			return false;
	}
	return true;
}

static size_t advancing_from(const struct elastic_list *list, size_t from)
{
	size_t i = from + 1;
	while (i < list->length && list->node[i]->kind == ELASTIC_EVENT &&
		list->node[i]->shape == list->node[from]->shape && (i < from + 2 || advances(list->node + i - 2)))
		i++;
	return list->node[from]->kind == ELASTIC_EVENT ? i - from : 1;
}

void elastic_loop_advancing(struct elastic_list *list, struct intern *keys)
{
	struct elastic_list to = {0};
	for (size_t i = 0, length; i < list->length; i += length) {
		length = advancing_from(list, i);
		if (length < ADVANCING) {
			length = 1;
			elastic_add(&to, list->node[i]);
			continue;
		}
		uint32_t *key = mem_array(length + 1, sizeof *key);
		key[0] = ELASTIC_KINDS;
		for (size_t k = 0; k < length; k++)
			key[1 + k] = list->node[i + k]->key;
		list->node[i]->key = intern_id(keys, key, (length + 1) * sizeof *key);
		free(key);
		struct elastic_node *loop = loop_of(keys, list->node + i, 1);
		for (size_t k = 1; k < length; k++)
			add_iteration(loop, list->node + i + k);
		elastic_add(&to, loop);
	}
	free(list->node);
	*list = to;
}

static bool same_keys(struct elastic_node *const *a, const uint32_t *key, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (a[i]->key != key[i])
			return false;
	return true;
}

/* Every stretch of copies of these keys, also a single one, becomes a loop. */
static void collapse(struct elastic_list *list, struct intern *keys, const uint32_t *body, size_t length)
{
	struct elastic_list to = {0};
	struct elastic_node *loop = NULL;
	for (size_t i = 0; i < list->length;) {
		if (i + length > list->length || !same_keys(list->node + i, body, length)) {
			elastic_add(&to, list->node[i++]);
			loop = NULL;
			continue;
		}
		if (loop)
			add_iteration(loop, list->node + i);
		else
			elastic_add(&to, loop = loop_of(keys, list->node + i, length));
		i += length;
	}
	free(list->node);
	*list = to;
}

/* Neighbours of one key. */
static void collapse_runs(struct elastic_list *list, struct intern *keys)
{
	uint32_t kinds = intern_count(keys);
	bool *repeats = mem_zero(kinds + (size_t)1);
	for (size_t i = 1; i < list->length; i++)
		if (list->node[i]->key == list->node[i - 1]->key)
			repeats[list->node[i]->key] = true;
	for (uint32_t key = 0; key < kinds; key++)
		if (repeats[key])
			collapse(list, keys, &key, 1);
	free(repeats);
}

/* Bodies that are looked for are no longer. */
#define BODY_LIMIT 48

struct repeated {
	uint32_t key[BODY_LIMIT];
	size_t length, covered;
};

static bool is_power(const uint32_t *key, size_t length)
{
	for (size_t part = 1; part < length; part++) {
		bool same = length % part == 0;
		for (size_t i = part; i < length && same; i++)
			same = key[i] == key[i - part];
		if (same)
			return true;
	}
	return false;
}

/* The sequences that stand twice and more in a row, by what they cover: the best first, as many as
   there is room for. */
static size_t find_repeated(const struct elastic_list *list, struct repeated *best, size_t room)
{
	struct intern *bodies = intern_new();
	size_t *covered = NULL, capacity = 0, found = 0;
	for (size_t length = 2; length <= BODY_LIMIT && 2 * length <= list->length; length++) {
		size_t same = 0;
		for (size_t i = 0; i + length <= list->length; i++) {
			bool equal = i + length < list->length && list->node[i]->key == list->node[i + length]->key;
			if (equal) {
				same++;
				continue;
			}
			if (same >= length) {
				uint32_t key[BODY_LIMIT];
				for (size_t k = 0; k < length; k++)
					key[k] = list->node[i - same + k]->key;
				if (!is_power(key, length)) {
					uint32_t known = intern_count(bodies),
						 id = intern_id(bodies, key, length * sizeof *key);
					covered = mem_grow(covered, &capacity, (size_t)id + 1, sizeof *covered);
					covered[id] = (id == known ? 0 : covered[id]) + same + length;
				}
			}
			same = 0;
		}
	}
	for (; found < room; found++) {
		uint32_t most = INTERN_NONE;
		size_t size;
		for (uint32_t id = 0; id < intern_count(bodies); id++)
			if (covered[id] && (most == INTERN_NONE || covered[id] > covered[most]))
				most = id;
		if (most == INTERN_NONE)
			break;
		const uint32_t *key = intern_data(bodies, most, &size);
		memcpy(best[found].key, key, size);
		best[found].length = size / sizeof *best->key;
		best[found].covered = covered[most];
		covered[most] = 0;
	}
	free(covered);
	intern_free(bodies);
	return found;
}

/* ---------------------------------------------------------------- iterations that are not alike */

/* Longest iterations, and bodies. */
#define ITERATION_LIMIT 1000

/* Different iterations that are looked at. */
#define DIFFERENT_LIMIT 400

/* Places of a body by iterations. */
#define PRESENCE_LIMIT ((size_t)1 << 26)

struct cut {
	size_t *start; /* of the iterations, and behind the last */
	size_t iterations;
	uint32_t *kind; /* by iteration: of its keys */
	struct intern *kinds;
	uint32_t *body; /* keys */
	size_t length;
};

static void cut_clear(struct cut *c)
{
	free(c->start);
	free(c->kind);
	free(c->body);
	intern_free(c->kinds);
}

/* A body that has both as subsequences, in a's place. */
static bool unite(uint32_t **a, size_t *length, const uint32_t *b, size_t more)
{
	size_t n = *length, width = more + 1;
	if ((n + 1) * width > 4000000)
		return false;
	uint16_t *common = mem_zero((n + 1) * width * sizeof *common);
	for (size_t i = n; i-- > 0;)
		for (size_t k = more; k-- > 0;) {
			uint16_t right = common[i * width + k + 1], below = common[(i + 1) * width + k];
			common[i * width + k] = (*a)[i] == b[k] ? (uint16_t)(common[(i + 1) * width + k + 1] + 1)
						: right > below ? right
								: below;
		}
	size_t united = 0, i = 0, k = 0;
	uint32_t *to = mem_array(n + more, sizeof *to);
	while (i < n || k < more) {
		if (i < n && k < more && (*a)[i] == b[k]) {
			to[united++] = b[k];
			i++, k++;
		} else if (k == more || (i < n && common[(i + 1) * width + k] >= common[i * width + k + 1])) {
			to[united++] = (*a)[i++];
		} else {
			to[united++] = b[k++];
		}
	}
	free(common);
	free(*a);
	*a = to;
	*length = united;
	return united <= ITERATION_LIMIT;
}

/* How much of the keys stands in the body, in this order. */
static size_t fits(const uint32_t *body, size_t length, const uint32_t *key, size_t keys)
{
	size_t fit = 0;
	for (size_t i = 0; i < length && fit < keys; i++)
		fit += body[i] == key[fit];
	return fit;
}

static uint32_t *keys_of(const struct elastic_list *list)
{
	uint32_t *key = mem_array(list->length, sizeof *key);
	for (size_t i = 0; i < list->length; i++)
		key[i] = list->node[i]->key;
	return key;
}

struct frequent {
	uint32_t kind;
	size_t times;
};

static int by_times(const void *a, const void *b)
{
	const struct frequent *x = a, *y = b;
	if (x->times != y->times)
		return x->times < y->times ? 1 : -1;
	return x->kind < y->kind ? -1 : 1;
}

/* The body of all iterations but the last, which ends where it does not fit any more. keys: of the
   sequence. */
static bool find_body(struct cut *c, const uint32_t *keys)
{
	uint32_t kinds = intern_count(c->kinds);
	struct frequent *frequent = mem_array(kinds, sizeof *frequent);
	for (uint32_t i = 0; i < kinds; i++)
		frequent[i] = (struct frequent){i, 0};
	for (size_t i = 0; i + 1 < c->iterations; i++)
		frequent[c->kind[i]].times++;
	qsort(frequent, kinds, sizeof *frequent, by_times);
	bool good = true;
	for (uint32_t i = 0; i < kinds && frequent[i].times && good; i++) {
		size_t size;
		const uint32_t *key = intern_data(c->kinds, frequent[i].kind, &size);
		good = unite(&c->body, &c->length, key, size / sizeof *key);
	}
	free(frequent);
	size_t last = c->start[c->iterations - 1], end = c->start[c->iterations];
	c->start[c->iterations] = last + fits(c->body, c->length, keys + last, end - last);
	return good;
}

/* Before each occurrence of the anchor. */
static bool cut_at(struct cut *c, const uint32_t *key, size_t keys, uint32_t anchor)
{
	size_t capacity = 0, kind_capacity = 0;
	*c = (struct cut){.kinds = intern_new()};
	for (size_t i = 0; i <= keys; i++) {
		if (i < keys && key[i] != anchor)
			continue;
		c->start = mem_grow(c->start, &capacity, c->iterations + 1, sizeof *c->start);
		c->start[c->iterations] = i;
		c->iterations += i < keys;
	}
	bool good = c->iterations >= 3;
	for (size_t i = 0; i < c->iterations && good; i++) {
		size_t length = c->start[i + 1] - c->start[i];
		bool last = i + 1 == c->iterations;
		good = last || length <= ITERATION_LIMIT;
		c->kind = mem_grow(c->kind, &kind_capacity, i + 1, sizeof *c->kind);
		c->kind[i] = last ? 0 : intern_id(c->kinds, key + c->start[i], length * sizeof *key);
		good = good && intern_count(c->kinds) <= DIFFERENT_LIMIT;
	}
	return good && find_body(c, key) && c->length * c->iterations <= PRESENCE_LIMIT;
}

/* Keys before the first iteration, and behind the last, that may be of some that lack the
   anchor. */
#define PARTIAL_LIMIT 4096

/* The place of a key in the body, below this one; the length: there is none. */
static size_t place_below(const struct cut *c, uint32_t key, size_t below)
{
	while (below-- > 0)
		if (c->body[below] == key)
			return below;
	return c->length;
}

static size_t place_from(const struct cut *c, uint32_t key, size_t from)
{
	while (from < c->length && c->body[from] != key)
		from++;
	return from;
}

/* The iteration of which so many keys are the end begins there, at the end where there is none. */
static size_t iteration_before(const struct cut *c, const uint32_t *key, size_t end)
{
	size_t at = end, place = c->length;
	while (at > 0 && (place = place_below(c, key[at - 1], place)) < c->length)
		at--;
	return at;
}

static size_t iteration_behind(const struct cut *c, const uint32_t *key, size_t keys, size_t from)
{
	size_t at = from, place = 0;
	while (at < keys && (place = place_from(c, key[at], place)) < c->length)
		at++, place++;
	return at;
}

/* With iterations before the first and behind the last that lack the anchor, as those of a pipeline
   do that fills and drains. False: there are none. */
static bool extend(const struct cut *c, const uint32_t *key, size_t keys, struct cut *to)
{
	size_t before[PARTIAL_LIMIT], many = 0, capacity = 0, end = c->start[c->iterations];
	for (size_t at = c->start[0], next; many < PARTIAL_LIMIT && (next = iteration_before(c, key, at)) < at;)
		before[many++] = at = next;
	size_t limit = keys - end < PARTIAL_LIMIT ? keys : end + PARTIAL_LIMIT;
	if (!many && iteration_behind(c, key, limit, end) == end)
		return false;
	*to = (struct cut){.length = c->length, .body = mem_copy(c->body, c->length * sizeof *c->body)};
	to->iterations = many + c->iterations;
	to->start = mem_grow(NULL, &capacity, to->iterations + 1, sizeof *to->start);
	for (size_t i = 0; i < many; i++)
		to->start[i] = before[many - 1 - i];
	memcpy(to->start + many, c->start, (c->iterations + 1) * sizeof *c->start);
	for (size_t at = end, next; (next = iteration_behind(c, key, limit, at)) > at; at = next) {
		to->start = mem_grow(to->start, &capacity, to->iterations + 2, sizeof *to->start);
		to->start[++to->iterations] = next;
	}
	return to->length * to->iterations <= PRESENCE_LIMIT;
}

/* By place of the body and iteration: does it stand there? Places where nothing ever stands go. */
static bool *find_presence(struct cut *c, const uint32_t *key)
{
	bool *present = mem_zero(c->length * c->iterations);
	for (size_t k = 0; k < c->iterations; k++) {
		size_t at = c->start[k];
		for (size_t i = 0; i < c->length && at < c->start[k + 1]; i++) {
			if (c->body[i] != key[at])
				continue;
			present[i * c->iterations + k] = true;
			at++;
		}
	}
	size_t kept = 0;
	for (size_t i = 0; i < c->length; i++) {
		if (!memchr(present + i * c->iterations, 1, c->iterations))
			continue;
		if (kept < i)
			memcpy(present + kept * c->iterations, present + i * c->iterations, c->iterations);
		c->body[kept++] = c->body[i];
	}
	c->length = kept;
	return present;
}

static bool same_presence(const bool *present, size_t iterations, size_t a, size_t b)
{
	return !memcmp(present + a * iterations, present + b * iterations, iterations);
}

static bool is_always(const bool *present, size_t iterations, size_t i)
{
	return !memchr(present + i * iterations, 0, iterations);
}

/* Statements of the loop, and of the guards in it. The statements of each place come from the first
   node that stands there. */
static size_t cost_of(const struct cut *c, const struct elastic_list *list, const bool *present)
{
	size_t cost = 1;
	for (size_t i = 0; i < c->length; i++) {
		const bool *row = present + i * c->iterations, *first = memchr(row, 1, c->iterations);
		size_t k = (size_t)(first - row), at = c->start[k];
		for (size_t b = 0; b < i; b++)
			at += present[b * c->iterations + k];
		const struct elastic_node *n = list->node[at];
		bool always = is_always(present, c->iterations, i),
		     with_previous = i && same_presence(present, c->iterations, i - 1, i);
		bool alone = !(i && same_presence(present, c->iterations, i - 1, i)) &&
			     !(i + 1 < c->length && same_presence(present, c->iterations, i, i + 1));
		cost += 1 + elastic_statements(&n->body);
		cost += !always && !with_previous && !(alone && n->kind == ELASTIC_LOOP);
	}
	return cost;
}

/* A loop in a guard of its own counts to 0 instead. */
static void loosen_loop(struct elastic_node *loop, const bool *present, size_t iterations)
{
	struct numbers counts = loop->slot[SLOT_COUNT];
	size_t next = 0;
	if (!counts.executions)
		return; /* an outline */
	loop->slot[SLOT_COUNT] = (struct numbers){0};
	for (size_t k = 0; k < iterations; k++)
		numbers_add(&loop->slot[SLOT_COUNT], present[k] ? number_at(&counts, next++, 0) : 0);
	numbers_clear(&counts);
}

static struct elastic_node *guard_of(
	struct intern *keys, struct elastic_list *inside, const bool *present, size_t iterations)
{
	struct elastic_node *guard = elastic_loop(keys, ELASTIC_GUARD, inside);
	for (size_t k = 0; k < iterations; k++)
		numbers_add(&guard->slot[SLOT_COUNT], present[k]);
	return guard;
}

/* Takes the nodes of the iterations. */
static struct elastic_node *make_loop(
	const struct cut *c, struct intern *keys, struct elastic_list *list, const bool *present)
{
	struct elastic_node **place = mem_zero(c->length * sizeof *place);
	for (size_t k = 0; k < c->iterations; k++) {
		size_t at = c->start[k];
		for (size_t i = 0; i < c->length; i++) {
			if (!present[i * c->iterations + k])
				continue;
			if (!place[i]) {
				place[i] = list->node[at++];
				continue;
			}
			append_numbers(place[i], list->node[at]);
			elastic_free(list->node[at++]);
		}
	}
	struct elastic_list body = {0};
	for (size_t i = 0; i < c->length;) {
		size_t behind = i + 1;
		const bool *row = present + i * c->iterations;
		while (behind < c->length && same_presence(present, c->iterations, i, behind))
			behind++;
		if (is_always(present, c->iterations, i)) {
			for (; i < behind; i++)
				elastic_add(&body, place[i]);
		} else if (behind == i + 1 && place[i]->kind == ELASTIC_LOOP) {
			loosen_loop(place[i], row, c->iterations);
			elastic_add(&body, place[i]);
		} else {
			struct elastic_list inside = {0};
			for (size_t k = i; k < behind; k++)
				elastic_add(&inside, place[k]);
			elastic_add(&body, guard_of(keys, &inside, row, c->iterations));
		}
		i = behind;
	}
	free(place);
	struct elastic_node *loop = elastic_loop(keys, ELASTIC_LOOP, &body);
	numbers_add(&loop->slot[SLOT_COUNT], (int64_t)c->iterations);
	return loop;
}

/* Anchors that are tried in one sequence: those that occur most often. */
#define ANCHORS 8

static size_t find_anchors(const struct elastic_list *list, uint32_t *anchor)
{
	struct intern *met = intern_new();
	struct frequent *frequent = NULL;
	size_t capacity = 0, found = 0;
	for (size_t i = 0; i < list->length; i++) {
		uint32_t known = intern_count(met), id = intern_id(met, &list->node[i]->key, sizeof(uint32_t));
		frequent = mem_grow(frequent, &capacity, (size_t)id + 1, sizeof *frequent);
		if (id == known)
			frequent[id] = (struct frequent){id, 0};
		frequent[id].times++;
	}
	size_t kinds = intern_count(met);
	if (kinds)
		qsort(frequent, kinds, sizeof *frequent, by_times);
	for (size_t i = 0; i < kinds && found < ANCHORS && frequent[i].times >= 3; i++)
		anchor[found++] = *(const uint32_t *)intern_data(met, frequent[i].kind, NULL);
	free(frequent);
	intern_free(met);
	return found;
}

/* Longest sequence for which all this is tried. */
#define SEQUENCE_LIMIT ((size_t)1 << 21)

/* Loops that are looked for in one sequence: what has more of them is not said by loops. */
#define CUTS 256

/* The best cut so far. */
struct choice {
	struct cut cut;
	bool *present; /* NULL: it is not to be cut */
	size_t cost, coherence;
};

/* In how many iterations is whom its first message is exchanged with also whom its last is? */
static size_t coherence_of(const struct cut *c, const struct elastic_list *list)
{
	size_t coherent = 0;
	for (size_t k = 0; k < c->iterations; k++) {
		if (c->start[k + 1] - c->start[k] < 2)
			continue;
		const struct elastic_node *a = list->node[c->start[k]], *b = list->node[c->start[k + 1] - 1];
		coherent += a->kind == ELASTIC_EVENT && b->kind == ELASTIC_EVENT && a->slot[SLOT_PEER].rows &&
			    b->slot[SLOT_PEER].rows && *a->slot[SLOT_PEER].number == *b->slot[SLOT_PEER].number;
	}
	return coherent;
}

/* Of the whole sequence. */
static size_t cost_of_all(const struct cut *c, const struct elastic_list *list, const bool *present)
{
	size_t cost = cost_of(c, list, present);
	for (size_t k = 0; k < c->start[0]; k++)
		cost += 1 + elastic_statements(&list->node[k]->body);
	for (size_t k = c->start[c->iterations]; k < list->length; k++)
		cost += 1 + elastic_statements(&list->node[k]->body);
	return cost;
}

static bool would_be_better(
	const struct choice *best, struct cut *c, const struct elastic_list *list, const uint32_t *key)
{
	bool *present = find_presence(c, key);
	size_t cost = cost_of_all(c, list, present);
	free(present);
	return cost < best->cost;
}

/* Is this one better? Then it is taken, and nothing left of it. Of equals, iterations are better in
   which each process has to do with one other. */
static void choose(struct choice *best, struct cut *c, const struct elastic_list *list, const uint32_t *key)
{
	bool *present = find_presence(c, key);
	size_t cost = cost_of_all(c, list, present);
	size_t coherence = cost <= best->cost ? coherence_of(c, list) : 0;
	if (cost > best->cost || (cost == best->cost && (!best->present || coherence <= best->coherence))) {
		free(present);
		return;
	}
	cut_clear(&best->cut);
	free(best->present);
	*best = (struct choice){*c, present, cost, coherence};
	*c = (struct cut){0};
}

/* One loop of iterations, where that is shorter; false: it is not. */
static bool cut_best(struct elastic_list *list, struct elastic_reducing *r, unsigned *cuts)
{
	uint32_t anchor[ANCHORS];
	if (!*cuts)
		return false;
	--*cuts;
	size_t anchors = list->length < SEQUENCE_LIMIT ? find_anchors(list, anchor) : 0;
	struct choice best = {.cost = elastic_statements(list)};
	uint32_t *key = anchors ? keys_of(list) : NULL;
	for (size_t i = 0; i < anchors; i++) {
		struct cut c, longer = {0};
		if (cut_at(&c, key, list->length, anchor[i])) {
			bool more = (r->partial || !r->would) && extend(&c, key, list->length, &longer);
			choose(&best, &c, list, key);
			if (more && r->partial)
				choose(&best, &longer, list, key);
			else if (more)
				r->would = would_be_better(&best, &longer, list, key);
		}
		cut_clear(&longer);
		cut_clear(&c);
	}
	free(key);
	if (!best.present)
		return false;
	struct elastic_list before = {0}, behind = {0};
	for (size_t i = 0; i < best.cut.start[0]; i++)
		elastic_add(&before, list->node[i]);
	for (size_t i = best.cut.start[best.cut.iterations]; i < list->length; i++)
		elastic_add(&behind, list->node[i]);
	struct elastic_node *loop = make_loop(&best.cut, r->keys, list, best.present);
	cut_clear(&best.cut);
	free(best.present);
	free(list->node);
	while (cut_best(&before, r, cuts))
		;
	while (cut_best(&behind, r, cuts))
		;
	elastic_add(&before, loop);
	for (size_t i = 0; i < behind.length; i++)
		elastic_add(&before, behind.node[i]);
	free(behind.node);
	*list = before;
	return true;
}

/* ------------------------------------------------------------------ what is shortest */

#define BODIES 3

/* One way. body: what becomes loops wherever it stands; NULL: nothing. */
static void reduce_by(struct elastic_list *list, struct elastic_reducing *r, const struct repeated *body)
{
	if (body)
		collapse(list, r->keys, body->key, body->length);
	if (body && r->runs)
		collapse_runs(list, r->keys);
	unsigned cuts = CUTS;
	cut_best(list, r, &cuts);
}

void elastic_reduce(struct elastic_list *list, struct elastic_reducing *r)
{
	struct repeated body[BODIES], *best = NULL;
	size_t least = SIZE_MAX;
	if (r->runs)
		collapse_runs(list, r->keys);
	size_t bodies = list->length < SEQUENCE_LIMIT ? find_repeated(list, body, BODIES) : 0;
	for (size_t i = 0; i <= bodies && bodies; i++) {
		struct elastic_list outline = outline_of(list);
		struct repeated *own = i ? &body[i - 1] : NULL;
		reduce_by(&outline, r, own);
		size_t statements = elastic_statements(&outline);
		best = statements < least ? own : best;
		least = statements < least ? statements : least;
		elastic_clear(&outline);
	}
	reduce_by(list, r, best);
}
