/*
 * handles.c -- a table of chains, in each of which what came first stands first.
 */
#include "record/preload/handles.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

struct handles_chain {
	struct handle *first, **end; /* where the next one is put */
};

static struct handles_chain *chain_of(const struct handles *h, uint64_t key)
{
	return &h->chain[hash_mix(key) & (h->size - 1)];
}

static void append(struct handles_chain *chain, struct handle *entry)
{
	entry->next = NULL;
	entry->at = chain->end;
	*chain->end = entry;
	chain->end = &entry->next;
}

static void grow(struct handles *h)
{
	struct handles old = *h;
	h->size = old.size ? 2 * old.size : 64;
	h->chain = mem_array(h->size, sizeof *h->chain);
	for (size_t i = 0; i < h->size; i++)
		h->chain[i] = (struct handles_chain){NULL, &h->chain[i].first};
	for (size_t i = 0; i < old.size; i++)
		for (struct handle *entry = old.chain[i].first, *next; entry; entry = next) {
			next = entry->next;
			append(chain_of(h, entry->key), entry);
		}
	free(old.chain);
}

void handles_add(struct handles *h, struct handle *entry, uint64_t key)
{
	if (h->count++ >= h->size)
		grow(h);
	entry->key = key;
	append(chain_of(h, key), entry);
}

void handles_put_back(struct handles *h, struct handle *entry)
{
	struct handles_chain *chain = chain_of(h, entry->key);
	h->count++;
	entry->next = chain->first;
	entry->at = &chain->first;
	if (!chain->first)
		chain->end = &entry->next;
	else
		chain->first->at = &entry->next;
	chain->first = entry;
}

static struct handle *with_key(struct handle *entry, uint64_t key)
{
	while (entry && entry->key != key)
		entry = entry->next;
	return entry;
}

struct handle *handles_find(const struct handles *h, uint64_t key)
{
	return h->size ? with_key(chain_of(h, key)->first, key) : NULL;
}

struct handle *handles_youngest(const struct handles *h, uint64_t key)
{
	const struct handles_chain *chain = h->size ? chain_of(h, key) : NULL;
	if (!chain || !chain->first)
		return NULL;
	struct handle *last = (struct handle *)((char *)chain->end - offsetof(struct handle, next));
	return last->key == key ? last : NULL;
}

struct handle *handles_next(const struct handle *entry)
{
	return with_key(entry->next, entry->key);
}

void handles_remove(struct handles *h, struct handle *entry)
{
	struct handles_chain *chain = chain_of(h, entry->key);
	*entry->at = entry->next;
	if (entry->next)
		entry->next->at = entry->at;
	else
		chain->end = entry->at;
	h->count--;
}
