/*
 * intern.c -- open addressing with linear probing over the hashes; the table holds ids and half of
 * each hash, so that a probe looks at a stored string only when it is almost surely the right one.
 * At most half of the slots are taken.
 */
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

void intern_free(struct intern *table)
{
	if (!table)
		return;
	arena_free(table->arena);
	free(table->entry);
	free(table->slot);
	free(table);
}

static uint64_t hash_of(const void *data, size_t size)
{
	return hash_bytes(size ? data : "", size);
}

static bool is(const struct entry *entry, const void *data, size_t size)
{
	return entry->size == size && (!size || !memcmp(entry->data, data, size));
}

/* The slot of these bytes, or the free one where they belong. */
static struct slot *find_slot(const struct intern *table, const void *data, size_t size, uint64_t hash)
{
	for (size_t i = hash & (table->slots - 1);; i = (i + 1) & (table->slots - 1)) {
		struct slot *slot = table->slot + i;
		if (slot->id == INTERN_NONE)
			return slot;
		if (slot->hash == hash >> 32 && is(table->entry + slot->id, data, size))
			return slot;
	}
}

static void double_slots(struct intern *table)
{
	free(table->slot);
	table->slots *= 2;
	table->slot = free_slots(table->slots);
	for (size_t id = 0; id < table->entries; id++) {
		uint64_t hash = table->entry[id].hash;
		size_t i = hash & (table->slots - 1);
		while (table->slot[i].id != INTERN_NONE)
			i = (i + 1) & (table->slots - 1);
		table->slot[i] = (struct slot){(uint32_t)id, (uint32_t)(hash >> 32)};
	}
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

uint32_t intern_id(struct intern *table, const void *data, size_t size)
{
	uint64_t hash = hash_of(data, size);
	struct slot *slot = find_slot(table, data, size, hash);
	if (slot->id != INTERN_NONE)
		return slot->id;
	if (table->entries == ID_LIMIT) {
		fputs("tracenest: more than 2^31 different things of one kind\n", stderr);
		quick_exit(1);
	}
	uint32_t id = (uint32_t)table->entries;
	table->entry = mem_grow(table->entry, &table->entry_capacity, table->entries + 1, sizeof *table->entry);
	table->entry[table->entries++] = (struct entry){store(table->arena, data, size), size, hash};
	*slot = (struct slot){id, (uint32_t)(hash >> 32)};
	if (2 * table->entries > table->slots)
		double_slots(table);
	return id;
}

uint32_t intern_find(const struct intern *table, const void *data, size_t size)
{
	return find_slot(table, data, size, hash_of(data, size))->id;
}

const void *intern_data(const struct intern *table, uint32_t id, size_t *size)
{
	const struct entry *entry = table->entry + id;
	if (size)
		*size = entry->size;
	return entry->data;
}

uint32_t intern_count(const struct intern *table)
{
	return (uint32_t)table->entries;
}
