/*
 * store.c -- nodes by id, found by their contents: an array of pointers into chunks, and a table
 * with open addressing. Chunks and the array are stacks, so a mark is two numbers; what was put
 * into the table last is taken out first, so the places that it leaves break no chain.
 */
#include "model/node.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/sets.h"

#define X(name, text, arguments) {text, arguments},
const struct function_row function_rows[FUNCTIONS] = {
#include "model/functions.def"
};
#undef X

#define CHUNK_BYTES (UINT32_C(1) << 16)

struct chunk {
	char *room;
	size_t start, size; /* bytes of the chunks before it; of its own */
};

struct store {
	struct store_nodes nodes; /* the first */
	size_t node_capacity;
	uint32_t *slot, slots; /* a power of two, more than twice the nodes */
	struct chunk *chunk;
	size_t chunks, chunk_capacity;
	uint32_t users; /* who will free it, but for one */
	struct grid grid; /* of the ranks, and how many: sets are written by them */
	uint32_t processes;
	size_t bytes; /* of nodes: where the next one goes, over all chunks */
	struct intern *words, *tables, *ranks; /* tables by name and hash */
	struct table **table;
	size_t table_count, table_capacity;
	struct set {
		struct ranks ranks;
		char *words; /* as it is written */
	} * *set;
	size_t sets, set_capacity;
};

static struct chunk *chunk_for(struct store *s, size_t size)
{
	struct chunk *last = s->chunks ? &s->chunk[s->chunks - 1] : NULL;
	if (last && s->bytes + size <= last->start + last->size)
		return last;
	if (last)
		s->bytes = last->start + last->size;
	size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	last = MEM_PUSH(s->chunk, s->chunks, s->chunk_capacity);
	*last = (struct chunk){mem_alloc(room), s->bytes, room};
	return last;
}

static void *room_for(struct store *s, size_t size)
{
	size = (size + 7) & ~(size_t)7;
	struct chunk *c = chunk_for(s, size);
	void *room = c->room + (s->bytes - c->start);
	s->bytes += size;
	return room;
}

struct store *store_new(uint32_t processes, const struct grid *grid)
{
	struct store *s = mem_zero(sizeof *s);
	s->processes = processes;
	s->grid = *grid;
	s->slots = 256;
	s->slot = mem_zero(s->slots * sizeof *s->slot);
	s->words = intern_new();
	s->tables = intern_new();
	s->ranks = intern_new();
	intern_id(s->words, "", 0);
	s->nodes.node = mem_grow(NULL, &s->node_capacity, 1, sizeof *s->nodes.node);
	s->nodes.node[s->nodes.count++] = memset(room_for(s, sizeof(struct node)), 0, sizeof(struct node));
	return s;
}

static void set_free(struct set *set)
{
	ranks_clear(&set->ranks);
	free(set->words);
	free(set);
}

struct store *store_share(struct store *s)
{
	s->users++;
	return s;
}

void store_free(struct store *s)
{
	if (!s || s->users--)
		return;
	for (size_t i = 0; i < s->chunks; i++)
		free(s->chunk[i].room);
	for (size_t i = 0; i < s->table_count; i++)
		table_free(s->table[i]);
	for (size_t i = 0; i < s->sets; i++)
		set_free(s->set[i]);
	intern_free(s->words);
	intern_free(s->tables);
	intern_free(s->ranks);
	free(s->chunk);
	free(s->table);
	free(s->set);
	free(s->nodes.node);
	free(s->slot);
	free(s);
}

void store_sizes(const struct store *s, size_t *nodes, size_t *bytes)
{
	*nodes = s->nodes.count - 1;
	*bytes = s->bytes + s->slots * sizeof *s->slot + s->node_capacity * sizeof *s->nodes.node;
}

/* ------------------------------------------------------------------ nodes */

static uint32_t hash_of(const struct node *n)
{
	uint64_t fields[3] = {
		(uint64_t)n->kind | (uint64_t)n->sub << 8 | (uint64_t)n->word << 32, (uint64_t)n->number, n->kids};
	return (uint32_t)hash_pair(hash_bytes(fields, sizeof fields), hash_bytes(n->kid, n->kids * sizeof *n->kid));
}

static bool same(const struct node *a, const struct node *b)
{
	return a->hash == b->hash && a->kind == b->kind && a->sub == b->sub && a->kids == b->kids &&
	       a->word == b->word && a->number == b->number &&
	       (!a->kids || !memcmp(a->kid, b->kid, a->kids * sizeof *a->kid));
}

/* The slot of an equal node, or the free one where it would stand. */
static uint32_t *slot_of(const struct store *s, const struct node *n)
{
	uint32_t at = n->hash & (s->slots - 1);
	while (s->slot[at] && !same(s->nodes.node[s->slot[at]], n))
		at = (at + 1) & (s->slots - 1);
	return &s->slot[at];
}

static void more_slots(struct store *s)
{
	free(s->slot);
	s->slots *= 2;
	s->slot = mem_zero(s->slots * sizeof *s->slot);
	for (uint32_t i = 1; i < s->nodes.count; i++)
		*slot_of(s, s->nodes.node[i]) = i;
}

struct store_mark store_mark(const struct store *s)
{
	return (struct store_mark){s->nodes.count, s->bytes};
}

static void forget(struct store *s, struct store_mark to)
{
	while (s->nodes.count > to.nodes)
		*slot_of(s, s->nodes.node[--s->nodes.count]) = 0;
	while (s->chunks > 1 && s->chunk[s->chunks - 1].start >= to.bytes)
		free(s->chunk[--s->chunks].room);
	s->bytes = to.bytes;
}

node_id node_make(
	struct store *s, enum node_kind kind, int sub, uint32_t word, int64_t number, uint32_t kids, const node_id *kid)
{
	struct store_mark before = store_mark(s);
	size_t size = sizeof(struct node) + kids * sizeof *kid;
	struct node *n = memset(room_for(s, size), 0, sizeof *n);
	n->kind = (uint8_t)kind;
	n->sub = (uint8_t)sub;
	n->word = word;
	n->number = number;
	n->kids = kids;
	if (kids)
		memcpy(n->kid, kid, kids * sizeof *kid);
	n->hash = hash_of(n);
	uint32_t *slot = slot_of(s, n);
	if (*slot) {
		node_id known = *slot;
		forget(s, before);
		return known;
	}
	node_derive(s, n);
	node_id id = *slot = s->nodes.count++;
	s->nodes.node = mem_grow(s->nodes.node, &s->node_capacity, s->nodes.count, sizeof *s->nodes.node);
	s->nodes.node[id] = n;
	if ((uint64_t)s->nodes.count * 2 > s->slots)
		more_slots(s);
	return id;
}

node_id node_with(struct store *s, node_id id, const node_id *kid)
{
	const struct node *n = node_of(s, id);
	return node_make(s, (enum node_kind)n->kind, n->sub, n->word, n->number, n->kids, kid);
}

/* ------------------------------------------------------------------ words, tables, sets */

uint32_t store_word(struct store *s, const char *bytes, size_t length)
{
	return intern_id(s->words, bytes, length);
}

const char *store_get_word(const struct store *s, uint32_t word)
{
	return intern_data(s->words, word, NULL);
}

uint32_t store_table(struct store *s, struct table *t)
{
	struct text key = {0};
	uint64_t hash = table_hash(t);
	text_put(&key, table_name(t));
	text_add(&key, (const char *)&hash, sizeof hash);
	uint32_t id = intern_id(s->tables, key.data, key.length);
	for (; id < s->table_count && !table_equal(s->table[id], t);
		id = intern_id(s->tables, key.data, key.length)) /* of equal hashes, by one more byte each */
		text_char(&key, '+');
	text_clear(&key);
	if (id < s->table_count) {
		table_free(t);
		return id;
	}
	*MEM_PUSH(s->table, s->table_count, s->table_capacity) = t;
	return id;
}

const struct table *store_get_table(const struct store *s, uint32_t table)
{
	assert(table < s->table_count);
	return s->table[table];
}

static struct set *set_of(const struct store *s, const struct ranks *ranks)
{
	struct set *set = mem_zero(sizeof *set);
	struct text words = {0};
	ranks_copy(&set->ranks, ranks);
	if (ranks->length && ranks->run[ranks->length - 1].last < s->processes)
		set_print(ranks, &s->grid, s->processes, &words);
	else
		ranks_print_short(ranks, &words);
	set->words = words.data ? words.data : mem_text("");
	return set;
}

uint32_t store_ranks(struct store *s, const struct ranks *ranks)
{
	uint32_t id = intern_id(s->ranks, ranks->run, ranks->length * sizeof *ranks->run);
	if (id == s->sets)
		*MEM_PUSH(s->set, s->sets, s->set_capacity) = set_of(s, ranks);
	return id;
}

const struct ranks *store_get_ranks(const struct store *s, uint32_t ranks)
{
	assert(ranks < s->sets);
	return &s->set[ranks]->ranks;
}

const char *store_ranks_text(const struct store *s, uint32_t ranks)
{
	assert(ranks < s->sets);
	return s->set[ranks]->words;
}

/* ------------------------------------------------------------------ marks */

/* A node that is kept, with kids that are kept by their numbers among these. */
struct kept {
	node_id was, *kid;
	struct node node;
};

static void keep_node(const struct store *s, struct store_mark to, node_id id, bool *seen, struct kept **list,
	size_t *n, size_t *capacity)
{
	if (id < to.nodes || seen[id - to.nodes])
		return;
	const struct node *node = node_of(s, id);
	seen[id - to.nodes] = true;
	for (uint32_t k = 0; k < node->kids; k++)
		keep_node(s, to, node->kid[k], seen, list, n, capacity);
	*list = mem_grow(*list, capacity, *n + 1, sizeof **list);
	struct kept *kept = &(*list)[(*n)++];
	kept->was = id;
	kept->kid = mem_array(node->kids, sizeof *kept->kid);
	memcpy(kept->kid, node->kid, node->kids * sizeof *kept->kid);
	memcpy(&kept->node, node, sizeof kept->node);
}

void store_release(struct store *s, struct store_mark to, node_id *node, size_t keep)
{
	size_t n = 0, capacity = 0, made = s->nodes.count - to.nodes;
	struct kept *list = NULL;
	bool *seen = mem_zero(made + 1);
	node_id *now = mem_zero((made + 1) * sizeof *now);
	for (size_t i = 0; i < keep; i++)
		keep_node(s, to, node[i], seen, &list, &n, &capacity);
	forget(s, to);
	for (size_t i = 0; i < n; i++) {
		struct kept *k = &list[i];
		for (uint32_t j = 0; j < k->node.kids; j++)
			k->kid[j] = k->kid[j] < to.nodes ? k->kid[j] : now[k->kid[j] - to.nodes];
		now[k->was - to.nodes] = node_make(s, (enum node_kind)k->node.kind, k->node.sub, k->node.word,
			k->node.number, k->node.kids, k->kid);
		free(k->kid);
	}
	for (size_t i = 0; i < keep; i++)
		node[i] = node[i] < to.nodes ? node[i] : now[node[i] - to.nodes];
	free(list);
	free(seen);
	free(now);
}
