/*
 * anchors.c -- what repeats at once becomes a loop of varying count first: neighbours of one
 * symbol, and the block that stands several times in a row most often. Then anchors are tried.
 * Candidates for a body are compared by their statements alone: formulas are found later, and the
 * text's cost decides whether it is taken.
 */
#include "merge/anchors.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "merge/bounds.h"

bool anchors_pay(uint64_t records, size_t statements)
{
	return records <= ANCHORS_SHORT || records <= ANCHORS_RATIO * statements;
}

struct search {
	struct arena *arena;
	const struct anchoring *of;
	struct intern *keys;
	uint64_t cells; /* of tables of iterations: so many may still be filled */
	unsigned cuts; /* loops that may still be made */
};

/* ------------------------------------------------------------------ pieces */

static void *grown(struct arena *a, void *array, size_t length, size_t *capacity, size_t need, size_t size)
{
	if (need <= *capacity)
		return array;
	*capacity = need > 2 * *capacity ? need : 2 * *capacity;
	void *made = arena_alloc(a, *capacity * size);
	if (length)
		memcpy(made, array, length * size);
	return made;
}

static void add_piece(struct search *s, struct pieces *list, struct piece *p)
{
	list->piece =
		grown(s->arena, list->piece, list->length, &list->capacity, list->length + 1, sizeof *list->piece);
	list->piece[list->length++] = p;
}

static void add_pieces(struct search *s, struct pieces *list, struct piece *const *p, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_piece(s, list, p[i]);
}

static void execute(struct search *s, struct piece *p, uint32_t each)
{
	p->each = grown(s->arena, p->each, p->executions, &p->capacity, p->executions + 1, sizeof *p->each);
	p->each[p->executions++] = each;
}

/* A piece of the same key is executed next. */
static void append(struct search *s, struct piece *to, const struct piece *from)
{
	size_t need = to->executions + from->executions;
	to->each = grown(s->arena, to->each, to->executions, &to->capacity, need, sizeof *to->each);
	if (from->executions)
		memcpy(to->each + to->executions, from->each, from->executions * sizeof *to->each);
	to->executions = need;
	for (size_t i = 0; i < to->body.length; i++)
		append(s, to->body.piece[i], from->body.piece[i]);
}

/* Of these pieces, never executed yet. */
static struct piece *around(struct search *s, enum tree_kind kind, struct piece *const *body, size_t length)
{
	uint32_t *key = mem_array(length + 1, sizeof *key);
	struct piece *p = arena_alloc(s->arena, sizeof *p);
	*p = (struct piece){.kind = kind, .statements = 1};
	key[0] = kind;
	for (size_t i = 0; i < length; i++) {
		key[1 + i] = body[i]->key;
		p->statements += body[i]->statements;
	}
	add_pieces(s, &p->body, body, length);
	p->key = intern_id(s->keys, key, (length + 1) * sizeof *key);
	free(key);
	return p;
}

static struct pieces pieces_of(struct search *s)
{
	size_t n = s->of->length;
	struct pieces list = {arena_alloc(s->arena, (n + 1) * sizeof *list.piece), n, n};
	struct piece *own = arena_alloc(s->arena, (n + 1) * sizeof *own);
	uint32_t *at = arena_alloc(s->arena, (n + 1) * sizeof *at);
	for (size_t i = 0; i < n; i++) {
		at[i] = (uint32_t)i;
		uint32_t key = intern_id(s->keys, (uint32_t[]){TREE_EVENT, s->of->symbol[i]}, 2 * sizeof key);
		own[i] = (struct piece){TREE_EVENT, key, 1, &at[i], 1, 1, {0}};
		list.piece[i] = &own[i];
	}
	return list;
}

static size_t statements_of(const struct pieces *list, size_t from, size_t to)
{
	size_t sum = 0;
	for (size_t i = from; i < to; i++)
		sum += list->piece[i]->statements;
	return sum;
}

/* ------------------------------------------------------------------ copies at once */

static bool has_keys(struct piece *const *p, const uint32_t *key, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (p[i]->key != key[i])
			return false;
	return true;
}

/* Each stretch of copies of these keys, a single one, too, becomes a loop. */
static void collapse(struct search *s, struct pieces *list, const uint32_t *key, size_t length)
{
	struct piece *loop = NULL;
	size_t kept = 0;
	for (size_t i = 0; i < list->length;) {
		if (i + length > list->length || !has_keys(list->piece + i, key, length)) {
			list->piece[kept++] = list->piece[i++];
			loop = NULL;
			continue;
		}
		if (loop) {
			loop->each[0]++;
			for (size_t k = 0; k < length; k++)
				append(s, loop->body.piece[k], list->piece[i + k]);
		} else {
			loop = around(s, TREE_LOOP, list->piece + i, length);
			execute(s, loop, 1);
			list->piece[kept++] = loop;
		}
		i += length;
	}
	list->length = kept;
}

/* Neighbours of one key. */
static void collapse_runs(struct search *s, struct pieces *list)
{
	uint32_t keys = intern_count(s->keys);
	bool *repeats = mem_zero(keys + (size_t)1);
	for (size_t i = 1; i < list->length; i++)
		if (list->piece[i]->key == list->piece[i - 1]->key)
			repeats[list->piece[i]->key] = true;
	for (uint32_t key = 0; key < keys; key++)
		if (repeats[key])
			collapse(s, list, &key, 1);
	free(repeats);
}

struct block {
	uint32_t key[ANCHORS_BLOCK];
	size_t length;
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

/* The blocks that stand twice and more in a row, by what they cover: the best first. */
static size_t find_blocks(const struct pieces *list, struct block best[ANCHORS_BLOCKS])
{
	struct intern *blocks = intern_new();
	size_t *covered = NULL, capacity = 0, found = 0;
	for (size_t length = 2; length <= ANCHORS_BLOCK && 2 * length <= list->length; length++) {
		for (size_t i = 0, same = 0; i + length <= list->length; i++) {
			if (i + length < list->length && list->piece[i]->key == list->piece[i + length]->key) {
				same++;
				continue;
			}
			uint32_t key[ANCHORS_BLOCK];
			for (size_t k = 0; k < length && same >= length; k++)
				key[k] = list->piece[i - same + k]->key;
			if (same >= length && !is_power(key, length)) {
				uint32_t known = intern_count(blocks),
					 id = intern_id(blocks, key, length * sizeof *key);
				covered = mem_grow(covered, &capacity, (size_t)id + 1, sizeof *covered);
				covered[id] = (id == known ? 0 : covered[id]) + same + length;
			}
			same = 0;
		}
	}
	for (; found < ANCHORS_BLOCKS && found < intern_count(blocks); found++) {
		uint32_t most = 0;
		size_t size;
		for (uint32_t id = 1; id < intern_count(blocks); id++)
			most = covered[id] > covered[most] ? id : most;
		const uint32_t *key = intern_data(blocks, most, &size);
		memcpy(best[found].key, key, size);
		best[found].length = size / sizeof *key;
		covered[most] = 0;
	}
	free(covered);
	intern_free(blocks);
	return found;
}

/* ------------------------------------------------------------------ one body */

struct frequent {
	uint32_t key;
	size_t times;
};

static int by_times(const void *a, const void *b)
{
	const struct frequent *x = a, *y = b;
	if (x->times != y->times)
		return x->times < y->times ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

/* Ids below `count`, by how often they are there. */
static struct frequent *by_frequency(const uint32_t *id, size_t length, uint32_t count)
{
	struct frequent *f = mem_array(count + (size_t)1, sizeof *f);
	for (uint32_t i = 0; i < count; i++)
		f[i] = (struct frequent){i, 0};
	for (size_t i = 0; i < length; i++)
		f[id[i]].times++;
	qsort(f, count, sizeof *f, by_times);
	return f;
}

/* A sequence cut into iterations, and the body of all of them. */
struct cut {
	size_t *start; /* of the iterations, and behind the last */
	size_t iterations;
	uint32_t *body; /* keys */
	size_t length;
	bool *present; /* by place of the body and iteration: does it stand there? */
	size_t *first; /* by place: what stands there first */
	size_t cost; /* statements of the whole sequence */
	size_t coherence;
};

static void cut_clear(struct cut *c)
{
	free(c->start);
	free(c->body);
	free(c->present);
	free(c->first);
	*c = (struct cut){0};
}

static bool is_subsequence(const uint32_t *key, size_t keys, const uint32_t *of, size_t length)
{
	size_t k = 0;
	for (size_t i = 0; i < length && k < keys; i++)
		k += of[i] == key[k];
	return k == keys;
}

/* Of two sequences that begin apart, the shortest that has both as subsequences. Gives its length; room
   for both. */
static size_t common_supersequence(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t *to)
{
	size_t width = m + 1, made = 0, i = 0, k = 0;
	uint16_t *common = mem_zero((n + 1) * width * sizeof *common);
	for (size_t x = n; x-- > 0;)
		for (size_t y = m; y-- > 0;) {
			uint16_t right = common[x * width + y + 1], below = common[(x + 1) * width + y];
			common[x * width + y] = a[x] == b[y]    ? (uint16_t)(common[(x + 1) * width + y + 1] + 1)
						: right > below ? right
								: below;
		}
	while (i < n || k < m)
		if (i < n && k < m && a[i] == b[k])
			to[made++] = a[i++], k++;
		else if (k == m || (i < n && common[(i + 1) * width + k] >= common[i * width + k + 1]))
			to[made++] = a[i++];
		else
			to[made++] = b[k++];
	free(common);
	return made;
}

/* The body becomes one that has these keys as a subsequence, too; false: there is no room. */
static bool include(struct search *s, struct cut *c, const uint32_t *key, size_t keys)
{
	size_t n = c->length, same = 0;
	uint64_t cells = (uint64_t)(n + 1) * (keys + 1);
	if (cells > s->cells)
		return false;
	s->cells -= cells;
	if (is_subsequence(key, keys, c->body, n))
		return n <= ANCHORS_BODY;
	uint32_t *to = mem_array(n + keys, sizeof *to);
	while (same < n && same < keys && c->body[same] == key[same])
		to[same] = key[same], same++;
	c->length = same + common_supersequence(c->body + same, n - same, key + same, keys - same, to + same);
	free(c->body);
	c->body = to;
	return c->length <= ANCHORS_BODY;
}

/* The body of all iterations but the last, which ends where it does not fit any more. */
static bool find_body(struct search *s, struct cut *c, const uint32_t *key)
{
	struct intern *kinds = intern_new();
	uint32_t *kind = mem_array(c->iterations, sizeof *kind);
	bool good = true;
	for (size_t i = 0; i + 1 < c->iterations && good; i++) {
		size_t length = c->start[i + 1] - c->start[i];
		good = length <= ANCHORS_BODY && intern_count(kinds) <= ANCHORS_KINDS;
		kind[i] = good ? intern_id(kinds, key + c->start[i], length * sizeof *key) : 0;
	}
	struct frequent *f = good ? by_frequency(kind, c->iterations - 1, intern_count(kinds)) : NULL;
	for (uint32_t i = 0; i < intern_count(kinds) && good; i++) {
		size_t size;
		const uint32_t *own = intern_data(kinds, f[i].key, &size);
		good = include(s, c, own, size / sizeof *own);
	}
	size_t at = c->start[c->iterations - 1], end = c->start[c->iterations];
	for (size_t i = 0; i < c->length && at < end; i++)
		at += c->body[i] == key[at];
	c->start[c->iterations] = at;
	free(f);
	free(kind);
	intern_free(kinds);
	return good;
}

/* Before each occurrence of the anchor. */
static bool cut_at(struct search *s, struct cut *c, const uint32_t *key, size_t keys, uint32_t anchor, size_t times)
{
	*c = (struct cut){.start = mem_array(times + 1, sizeof *c->start)};
	for (size_t i = 0; i < keys; i++)
		if (key[i] == anchor)
			c->start[c->iterations++] = i;
	c->start[c->iterations] = keys;
	return find_body(s, c, key) && (uint64_t)c->length * c->iterations <= ANCHORS_PRESENT;
}

/* How far the first keys from here go with the body, from its place on. */
static size_t reach(const struct cut *c, const uint32_t *key, size_t keys, size_t from)
{
	size_t at = from, place = 0;
	for (; at < keys && place < c->length; at++, place++) {
		while (place < c->length && c->body[place] != key[at])
			place++;
		if (place == c->length)
			break;
	}
	return at;
}

static size_t reach_back(const struct cut *c, const uint32_t *key, size_t end)
{
	size_t at = end, place = c->length;
	for (; at > 0 && place > 0; at--, place--) {
		while (place > 0 && c->body[place - 1] != key[at - 1])
			place--;
		if (!place)
			break;
	}
	return at;
}

/* With iterations before the first and behind the last that lack the anchor, as those of a pipeline
   do that fills and drains. False: there are none. */
static bool extend(const struct cut *c, const uint32_t *key, size_t keys, struct cut *to)
{
	size_t end = c->start[c->iterations], first = c->start[0], many = 0, capacity = 0;
	size_t *before = NULL;
	for (size_t at = first, next; (next = reach_back(c, key, at)) < at; at = next)
		*MEM_PUSH(before, many, capacity) = next;
	size_t room = many + c->iterations + keys - end + 1;
	*to = (struct cut){.length = c->length, .body = mem_copy(c->body, c->length * sizeof *c->body)};
	to->start = mem_array(room, sizeof *to->start);
	for (size_t i = 0; i < many; i++)
		to->start[i] = before[many - 1 - i];
	memcpy(to->start + many, c->start, (c->iterations + 1) * sizeof *c->start);
	to->iterations = many + c->iterations;
	for (size_t at = end, next; (next = reach(c, key, keys, at)) > at; at = next)
		to->start[++to->iterations] = next;
	free(before);
	return to->iterations > c->iterations && (uint64_t)to->length * to->iterations <= ANCHORS_PRESENT;
}

/* Places where nothing ever stands go. */
static void find_presence(struct cut *c, const uint32_t *key)
{
	size_t kept = 0;
	c->present = mem_zero(c->length * c->iterations + 1);
	c->first = mem_array(c->length + 1, sizeof *c->first);
	for (size_t i = 0; i < c->length; i++)
		c->first[i] = SIZE_MAX;
	for (size_t k = 0; k < c->iterations; k++)
		for (size_t i = 0, at = c->start[k]; i < c->length && at < c->start[k + 1]; i++)
			if (c->body[i] == key[at]) {
				c->present[i * c->iterations + k] = true;
				c->first[i] = at < c->first[i] ? at : c->first[i];
				at++;
			}
	for (size_t i = 0; i < c->length; i++) {
		if (c->first[i] == SIZE_MAX)
			continue;
		memmove(c->present + kept * c->iterations, c->present + i * c->iterations, c->iterations);
		c->first[kept] = c->first[i];
		c->body[kept++] = c->body[i];
	}
	c->length = kept;
}

static bool is_always(const struct cut *c, size_t i)
{
	return !memchr(c->present + i * c->iterations, 0, c->iterations);
}

/* The place behind those that stand in the same iterations. */
static size_t alike_from(const struct cut *c, size_t i)
{
	size_t end = i + 1;
	const bool *row = c->present + i * c->iterations;
	while (end < c->length && !memcmp(row, c->present + end * c->iterations, c->iterations))
		end++;
	return end;
}

/* A loop that alone stands in some iterations needs no guard: it counts to 0 in the others. */
static bool needs_guard(const struct cut *c, const struct pieces *list, size_t i, size_t end)
{
	return !is_always(c, i) && !(end == i + 1 && list->piece[c->first[i]]->kind == TREE_LOOP);
}

static void find_cost(struct cut *c, const struct pieces *list)
{
	c->cost = 1 + statements_of(list, 0, c->start[0]) + statements_of(list, c->start[c->iterations], list->length);
	for (size_t i = 0, end; i < c->length; i = end) {
		end = alike_from(c, i);
		c->cost += needs_guard(c, list, i, end);
		for (size_t k = i; k < end; k++)
			c->cost += list->piece[c->first[k]]->statements;
	}
}

/* In how many iterations is whom its first message is exchanged with also whom its last is? */
static void find_coherence(const struct search *s, struct cut *c, const struct pieces *list)
{
	for (size_t k = 0; k < c->iterations; k++) {
		const struct piece *a = list->piece[c->start[k]], *b = list->piece[c->start[k + 1] - 1];
		c->coherence += a != b && a->kind == TREE_EVENT && b->kind == TREE_EVENT &&
				s->of->partner[a->each[0]] == s->of->partner[b->each[0]];
	}
}

/* ------------------------------------------------------------------ loops */

static struct piece *loop_of(struct search *s, const struct cut *c, struct pieces *list)
{
	struct piece **place = mem_zero((c->length + 1) * sizeof(struct piece *));
	struct pieces body = {0};
	for (size_t k = 0; k < c->iterations; k++)
		for (size_t i = 0, at = c->start[k]; i < c->length; i++) {
			if (!c->present[i * c->iterations + k])
				continue;
			if (place[i])
				append(s, place[i], list->piece[at]);
			else
				place[i] = list->piece[at];
			at++;
		}
	for (size_t i = 0, end; i < c->length; i = end) {
		end = alike_from(c, i);
		const bool *row = c->present + i * c->iterations;
		if (needs_guard(c, list, i, end)) {
			struct piece *guard = around(s, TREE_GUARD, place + i, end - i);
			for (size_t k = 0; k < c->iterations; k++)
				execute(s, guard, row[k]);
			add_piece(s, &body, guard);
			continue;
		}
		if (!is_always(c, i)) {
			struct piece counts = *place[i];
			place[i]->executions = place[i]->capacity = 0;
			for (size_t k = 0, next = 0; k < c->iterations; k++)
				execute(s, place[i], row[k] ? counts.each[next++] : 0);
		}
		add_pieces(s, &body, place + i, end - i);
	}
	struct piece *loop = around(s, TREE_LOOP, body.piece, body.length);
	execute(s, loop, (uint32_t)c->iterations);
	free(place);
	return loop;
}

static bool is_better(const struct cut *a, const struct cut *b)
{
	return a->cost != b->cost ? a->cost < b->cost : b->present && a->coherence > b->coherence;
}

/* Takes the cut. Of equals, iterations are better in which a process has to do with one other. */
static void choose(struct search *s, struct cut *best, struct cut *c, const struct pieces *list, const uint32_t *key)
{
	find_presence(c, key);
	find_cost(c, list);
	find_coherence(s, c, list);
	if (is_better(c, best)) {
		struct cut swap = *best;
		*best = *c;
		*c = swap;
	}
	cut_clear(c);
}

/* Each symbol is named anew, so that a short sequence is not slower for the keys of a long one. */
static struct cut best_cut(struct search *s, const struct pieces *list)
{
	struct cut best = {.cost = statements_of(list, 0, list->length)};
	struct intern *names = intern_new_keys(sizeof(uint32_t));
	uint32_t *key = mem_array(list->length + 1, sizeof *key);
	for (size_t i = 0; i < list->length; i++)
		key[i] = intern_id(names, &list->piece[i]->key, sizeof(uint32_t));
	struct frequent *anchor = by_frequency(key, list->length, intern_count(names));
	for (uint32_t i = 0; i < ANCHORS_TRIED && i < intern_count(names) && anchor[i].times >= ANCHORS_LEAST; i++) {
		struct cut c, longer;
		if (cut_at(s, &c, key, list->length, anchor[i].key, anchor[i].times)) {
			if (s->of->partial && extend(&c, key, list->length, &longer))
				choose(s, &best, &longer, list, key);
			else if (s->of->partial)
				cut_clear(&longer);
			choose(s, &best, &c, list, key);
		}
		cut_clear(&c);
	}
	free(anchor);
	free(key);
	intern_free(names);
	return best;
}

/* Loops of iterations, as long as that takes fewer statements. */
static struct pieces cut_all(struct search *s, struct pieces list)
{
	struct cut c = {0};
	if (s->cuts && list.length >= ANCHORS_LEAST)
		c = best_cut(s, &list);
	if (!c.present) {
		cut_clear(&c);
		return list;
	}
	s->cuts--;
	size_t behind = c.start[c.iterations];
	struct pieces first = {0}, last = {0};
	add_pieces(s, &first, list.piece, c.start[0]);
	add_pieces(s, &last, list.piece + behind, list.length - behind);
	struct piece *loop = loop_of(s, &c, &list);
	cut_clear(&c);
	first = cut_all(s, first);
	last = cut_all(s, last);
	add_piece(s, &first, loop);
	add_pieces(s, &first, last.piece, last.length);
	return first;
}

static bool is_irregular(const struct pieces *list)
{
	for (size_t i = 0; i < list->length; i++) {
		const struct piece *p = list->piece[i];
		if (p->kind == TREE_GUARD || is_irregular(&p->body))
			return true;
		for (size_t k = 1; p->kind == TREE_LOOP && k < p->executions; k++)
			if (p->each[k] != p->each[0])
				return true;
	}
	return false;
}

struct pieces anchors_find(struct arena *arena, const struct anchoring *of)
{
	struct search s = {arena, of, intern_new(), ANCHORS_CELLS, ANCHORS_LOOPS};
	struct block block[ANCHORS_BLOCKS];
	struct pieces first = pieces_of(&s), best = {0};
	if (of->runs)
		collapse_runs(&s, &first);
	size_t blocks = find_blocks(&first, block), least = SIZE_MAX;
	for (size_t i = 0; i <= blocks; i++) {
		struct pieces list = pieces_of(&s);
		if (of->runs)
			collapse_runs(&s, &list);
		if (i)
			collapse(&s, &list, block[i - 1].key, block[i - 1].length);
		if (i && of->runs)
			collapse_runs(&s, &list);
		list = cut_all(&s, list);
		size_t statements = statements_of(&list, 0, list.length);
		best = statements < least ? list : best;
		least = statements < least ? statements : least;
	}
	intern_free(s.keys);
	return is_irregular(&best) || of->runs ? best : (struct pieces){0};
}
