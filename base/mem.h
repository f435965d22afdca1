/*
 * mem.h -- memory: allocation that cannot fail, growable arrays, arenas.
 *
 * Running out of memory is handled in one place: a message on standard error, then exit status 1.
 * No caller checks for NULL.
 */
#ifndef TRACENEST_BASE_MEM_H
#define TRACENEST_BASE_MEM_H

#include <stddef.h>

/* size bytes, not cleared (mem_zero: cleared); to be released with free(). A size of 0 gives a
   valid pointer. */
void *mem_alloc(size_t size);
void *mem_zero(size_t size);

/* An array of count elements of size bytes, checked for overflow, not cleared. */
void *mem_array(size_t count, size_t size);
void *mem_resize(void *old, size_t count, size_t size);

/* A copy of size bytes. */
void *mem_copy(const void *from, size_t size);
char *mem_text(const char *text);

/*
 * Make room for `need` elements in a growable array: returns the array (moved, perhaps) and raises
 * *capacity, at least doubling it, so that n appends cost O(n).
 *
 *	list->item = mem_grow(list->item, &list->capacity, list->length + 1, sizeof *list->item);
 */
void *mem_grow(void *old, size_t *capacity, size_t need, size_t size);

/* An element of a growable array that has no length: zero where nobody wrote yet. */
#define MEM_AT(array, capacity, at)                                                                                    \
	((array) = mem_grow_zero(array, &(capacity), (size_t)(at) + 1, sizeof *(array)), &(array)[at])
void *mem_grow_zero(void *old, size_t *capacity, size_t need, size_t size);

/* Where one more element of a growable array goes, which is counted already:
   *MEM_PUSH(list->item, list->length, list->capacity) = item; */
#define MEM_PUSH(array, length, capacity)                                                                              \
	((array) = mem_grow(array, &(capacity), (size_t)(length) + 1, sizeof *(array)), &(array)[(length)++])

/* The same of a queue, whose elements stand from `first` on: what has left it makes room once it is
   half of it, so that each element is moved O(1) times. */
#define MEM_QUEUE(array, first, length, capacity)                                                                      \
	(mem_shift(array, &(first), &(length), capacity, sizeof *(array)), MEM_PUSH(array, length, capacity))
void mem_shift(void *array, size_t *first, size_t *length, size_t capacity, size_t size);

/* The end of a process that has no memory left: unfinished outputs are removed. */
_Noreturn void mem_exhausted(void);

/*
 * End as running out of memory does, if there is hardly any left: for those whose libraries fail or
 * crash where they get none. May be called by a signal handler.
 */
void mem_end_if_short(void);

/* Things that live and die together. */
struct arena;
struct arena *arena_new(void);
void *arena_alloc(struct arena *, size_t size); /* aligned for any type, not cleared */
void *arena_copy(struct arena *, const void *from, size_t size);
void arena_free(struct arena *); /* everything at once; NULL is fine */

#endif
