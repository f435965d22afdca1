/*
 * handles.c -- a table of chains, in each of which what came first stands first.
 */
#include "record/preload/handles.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

static struct handle **bucket_of(const struct handles *h, uint64_t key)
{
	return &h->bucket[hash_mix(key) & (h->size - 1)];
}

static void append(struct handles *h, struct handle *entry)
{
	struct handle **at = bucket_of(h, entry->key);
	while (*at)
		at = &(*at)->next;
	entry->next = NULL;
	*at = entry;
}

static void grow(struct handles *h)
{
	struct handles old = *h;
	h->size = old.size ? 2 * old.size : 64;
	h->bucket = mem_zero(h->size * sizeof *h->bucket);
	for (size_t i = 0; i < old.size; i++)
		for (struct handle *entry = old.bucket[i], *next; entry; entry = next) {
			next = entry->next;
			append(h, entry);
		}
	free(old.bucket);
}

void handles_add(struct handles *h, struct handle *entry, uint64_t key)
{
	if (h->count++ >= h->size)
		grow(h);
	entry->key = key;
	append(h, entry);
}

static struct handle *with_key(struct handle *entry, uint64_t key)
{
	while (entry && entry->key != key)
		entry = entry->next;
	return entry;
}

struct handle *handles_find(const struct handles *h, uint64_t key)
{
	return h->size ? with_key(*bucket_of(h, key), key) : NULL;
}

struct handle *handles_next(const struct handle *entry)
{
	return with_key(entry->next, entry->key);
}

void handles_remove(struct handles *h, struct handle *entry)
{
	struct handle **at = bucket_of(h, entry->key);
	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	h->count--;
}
