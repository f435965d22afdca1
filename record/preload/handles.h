/*
 * handles.h -- tables from handles of MPI to what is known of them.
 *
 * A handle may be there several times (MPI gives one and the same to requests that are complete at
 * once): the oldest is found first. Entries are part of what they lead to, and belong to the
 * caller.
 */
#ifndef TRACENEST_RECORD_PRELOAD_HANDLES_H
#define TRACENEST_RECORD_PRELOAD_HANDLES_H

#include <stddef.h>
#include <stdint.h>

struct handle {
	uint64_t key;
	struct handle *next, **at; /* at: what leads to it */
};

/* An empty table is {0}. */
struct handles {
	struct handles_chain *chain;
	size_t size, count;
};

void handles_add(struct handles *, struct handle *, uint64_t key); /* as the youngest; O(1) */
void handles_put_back(struct handles *, struct handle *); /* as the oldest with its key; O(1) */
struct handle *handles_find(const struct handles *, uint64_t key); /* or NULL */
struct handle *handles_next(const struct handle *); /* the next one with the same key, or NULL */
struct handle *handles_youngest(const struct handles *, uint64_t key); /* NULL: there is none, or it is not known */
void handles_remove(struct handles *, struct handle *); /* O(1) */

/* Handles are pointers or integers. */
#define HANDLE_KEY(handle) ((uint64_t)(uintptr_t)(handle))

#endif
