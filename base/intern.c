/*
 * intern.c -- open addressing with linear probing over the hashes; the table holds ids and half of
 * each hash, so that a probe looks at a stored string only when it is almost surely the right one.
 * At most half of the slots are taken. Keys of one size stand in one array, by their ids; those of
 * forgotten ones hold the next free id.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

#define ID_LIMIT (UINT32_C(1) << 31)

struct slot {
	uint32_t id; /* INTERN_NONE: free */
	uint32_t hash;
};

struct entry {
	const void *data;
	size_t size;
	uint64_t hash;
};

struct intern {
	size_t key_size; /* 0: strings of any size */
	char *key; /* by id */
	uint32_t free_id, free_ids; /* forgotten: the first of them, and how many */
	struct arena *arena;
	struct entry *entry;
	size_t entries, entry_capacity;
	struct slot *slot;
	size_t slots; /* a power of two */
};

static struct slot *free_slots(size_t count)
{
	struct slot *slots = mem_array(count, sizeof *slots);
	memset(slots, 0xff, count * sizeof *slots);
	return slots;
}

struct intern *intern_new(void)
{
	struct intern *table = mem_zero(sizeof *table);
	table->arena = arena_new();
	table->slots = 16;
	table->slot = free_slots(table->slots);
	return table;
}

struct intern *intern_new_keys(size_t size)
{
	struct intern *table = mem_zero(sizeof *table);
	assert(size >= sizeof table->free_id);
	table->key_size = size;
	table->slots = 16;
	table->slot = free_slots(table->slots);
	return table;
}

void intern_free(struct intern *table)
{
	if (!table)
		return;
	arena_free(table->arena);
	free(table->entry);
	free(table->key);
	free(table->slot);
	free(table);
}

static uint64_t hash_of(const void *data, size_t size)
{
	return hash_bytes(size ? data : "", size);
}

static const void *key_of(const struct intern *table, uint32_t id)
{
	return table->key + id * table->key_size;
}

static bool is(const struct intern *table, uint32_t id, const void *data, size_t size)
{
	if (table->key_size)
		return !memcmp(key_of(table, id), data, size);
	const struct entry *entry = table->entry + id;
	return entry->size == size && (!size || !memcmp(entry->data, data, size));
}

/* The slot of these bytes, or the free one where they belong. */
static struct slot *find_slot(const struct intern *table, const void *data, size_t size, uint64_t hash)
{
	for (size_t i = hash & (table->slots - 1);; i = (i + 1) & (table->slots - 1)) {
		struct slot *slot = table->slot + i;
		if (slot->id == INTERN_NONE)
			return slot;
		if (slot->hash == hash >> 32 && is(table, slot->id, data, size))
			return slot;
	}
}

static uint64_t hash_of_id(const struct intern *table, uint32_t id)
{
	return table->key_size ? hash_of(key_of(table, id), table->key_size) : table->entry[id].hash;
}

static void put_slot(struct intern *table, uint32_t id)
{
	uint64_t hash = hash_of_id(table, id);
	size_t i = hash & (table->slots - 1);
	while (table->slot[i].id != INTERN_NONE)
		i = (i + 1) & (table->slots - 1);
	table->slot[i] = (struct slot){id, (uint32_t)(hash >> 32)};
}

/* In the order of ids, as they lie in memory, where all of them are there. */
static void double_slots(struct intern *table)
{
	struct slot *old = table->slot;
	size_t slots = table->slots;
	table->slots *= 2;
	table->slot = free_slots(table->slots);
	for (uint32_t id = 0; !table->free_ids && id < table->entries; id++)
		put_slot(table, id);
	for (size_t k = 0; table->free_ids && k < slots; k++)
		if (old[k].id != INTERN_NONE)
			put_slot(table, old[k].id);
	free(old);
}

static const void *store(struct arena *arena, const void *data, size_t size)
{
	char *copy = arena_alloc(arena, size + 1);
	if (size)
		memcpy(copy, data, size);
	copy[size] = 0;
	return copy;
}

struct intern *intern_copy(const struct intern *from)
{
	assert(!from->key_size);
	struct intern *table = mem_alloc(sizeof *table);
	*table = (struct intern){
		.arena = arena_new(), .entries = from->entries, .entry_capacity = from->entries, .slots = from->slots};
	table->slot = mem_copy(from->slot, from->slots * sizeof *table->slot);
	table->entry = mem_array(from->entries, sizeof *table->entry);
	for (size_t id = 0; id < from->entries; id++) {
		const struct entry *entry = from->entry + id;
		table->entry[id] =
			(struct entry){store(table->arena, entry->data, entry->size), entry->size, entry->hash};
	}
	return table;
}

static uint32_t add_string(struct intern *table, const void *data, size_t size, uint64_t hash)
{
	table->entry = mem_grow(table->entry, &table->entry_capacity, table->entries + 1, sizeof *table->entry);
	table->entry[table->entries] = (struct entry){store(table->arena, data, size), size, hash};
	return (uint32_t)table->entries++;
}

static uint32_t add_key(struct intern *table, const void *data)
{
	uint32_t id = table->free_id;
	if (table->free_ids) {
		table->free_ids--;
		memcpy(&table->free_id, key_of(table, id), sizeof table->free_id);
	} else {
		table->key = mem_grow(table->key, &table->entry_capacity, table->entries + 1, table->key_size);
		id = (uint32_t)table->entries++;
	}
	memcpy(table->key + id * table->key_size, data, table->key_size);
	return id;
}

uint32_t intern_id(struct intern *table, const void *data, size_t size)
{
	uint64_t hash = hash_of(data, size);
	assert(!table->key_size || size == table->key_size);
	struct slot *slot = find_slot(table, data, size, hash);
	if (slot->id != INTERN_NONE)
		return slot->id;
	if (table->entries == ID_LIMIT) {
		fputs("tracenest: more than 2^31 different things of one kind\n", stderr);
		quick_exit(1);
	}
	uint32_t id = table->key_size ? add_key(table, data) : add_string(table, data, size, hash);
	*slot = (struct slot){id, (uint32_t)(hash >> 32)};
	if (2 * (table->entries - table->free_ids) > table->slots)
		double_slots(table);
	return id;
}

/* Those behind move up, so that they are found without it (Knuth 6.4, algorithm R). */
static void close_gap(struct intern *table, size_t gap)
{
	size_t mask = table->slots - 1;
	for (size_t at = (gap + 1) & mask; table->slot[at].id != INTERN_NONE; at = (at + 1) & mask) {
		size_t home = hash_of_id(table, table->slot[at].id) & mask;
		if (((at - home) & mask) >= ((at - gap) & mask)) {
			table->slot[gap] = table->slot[at];
			gap = at;
		}
	}
	table->slot[gap].id = INTERN_NONE;
}

void intern_forget(struct intern *table, uint32_t id)
{
	assert(table->key_size);
	size_t at = hash_of_id(table, id) & (table->slots - 1);
	while (table->slot[at].id != id)
		at = (at + 1) & (table->slots - 1);
	close_gap(table, at);
	memcpy(table->key + id * table->key_size, &table->free_id, sizeof table->free_id);
	table->free_id = id;
	table->free_ids++;
}

void intern_empty(struct intern *table)
{
	assert(table->key_size && !table->free_ids);
	bool few = table->entries < table->slots / 16;
	for (uint32_t id = 0; few && id < table->entries; id++) {
		size_t at = hash_of_id(table, id) & (table->slots - 1);
		while (table->slot[at].id != id)
			at = (at + 1) & (table->slots - 1);
		table->slot[at].id = INTERN_NONE;
	}
	if (!few)
		memset(table->slot, 0xff, table->slots * sizeof *table->slot);
	table->entries = 0;
}

uint32_t intern_find(const struct intern *table, const void *data, size_t size)
{
	return find_slot(table, data, size, hash_of(data, size))->id;
}

const void *intern_data(const struct intern *table, uint32_t id, size_t *size)
{
	if (size)
		*size = table->key_size ? table->key_size : table->entry[id].size;
	return table->key_size ? key_of(table, id) : table->entry[id].data;
}

uint32_t intern_count(const struct intern *table)
{
	return (uint32_t)table->entries;
}
