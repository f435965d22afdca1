/*
 * mem.c -- allocation that cannot fail.
 *
 * A process without memory is in no state to do anything but end: quick_exit runs no destructor and
 * flushes no stream, only what base/output.c registered to remove unfinished outputs.
 *
 * With -DTRACENEST_HOSTILE arrays start with room for one element, always move when they grow, and
 * grow by one until that would take quadratic time; every arena allocation stands alone. Pointers
 * kept too long then meet the address sanitizer.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

#ifdef TRACENEST_HOSTILE
enum { hostile = true };
#else
enum { hostile = false };
#endif

_Noreturn void mem_exhausted(void)
{
	static const char message[] = "tracenest: out of memory\n";
	ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
	(void)ignored;
	quick_exit(1);
}

static size_t product(size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
		mem_exhausted();
	return bytes ? bytes : 1;
}

static void *checked(void *memory)
{
	if (!memory)
		mem_exhausted();
	return memory;
}

/*
 * Arrays of this size ask for large pages: with small ones, the system takes longer to give them
 * than many a pass over an array takes. It is asked for all pages of the array, so that the C
 * library can still move it by moving them.
 */
#define LARGE ((size_t)2 << 20)

static void *large(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
	if (size >= LARGE) {
		uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)memory / page * page;
		size_t pages = ((uintptr_t)memory + size - from + page - 1) / page;
		madvise((void *)from, pages * page, MADV_HUGEPAGE); /* a hint: nobody minds where it fails */
	}
#endif
	return memory;
}

void *mem_alloc(size_t size)
{
	return checked(malloc(product(size, 1)));
}

void *mem_zero(size_t size)
{
	return large(checked(calloc(1, product(size, 1))), size);
}

void *mem_array(size_t count, size_t size)
{
	return checked(malloc(product(count, size)));
}

void *mem_resize(void *old, size_t count, size_t size)
{
	return large(checked(realloc(old, product(count, size))), count * size);
}

void *mem_copy(const void *from, size_t size)
{
	void *copy = mem_alloc(size);
	if (size)
		memcpy(copy, from, size);
	return copy;
}

char *mem_text(const char *text)
{
	return mem_copy(text, strlen(text) + 1);
}

static size_t next_capacity(size_t capacity, size_t size)
{
	if (hostile)
		return capacity + 1 + capacity / 16;
	size_t first = size < 64 ? 256 / size : 4;
	return capacity < first ? first : capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * capacity;
}

static void *move(void *old, size_t old_bytes, size_t bytes)
{
	void *moved = mem_alloc(bytes);
	if (old_bytes)
		memcpy(moved, old, old_bytes);
	free(old);
	return moved;
}

void mem_shift(void *array, size_t *first, size_t *length, size_t capacity, size_t size)
{
	if (*length < capacity || *first <= *length / 2)
		return;
	memmove(array, (char *)array + *first * size, (*length - *first) * size);
	*length -= *first;
	*first = 0;
}

void *mem_grow(void *old, size_t *capacity, size_t need, size_t size)
{
	if (need <= *capacity && old)
		return old;
	size_t next = next_capacity(*capacity, size);
	if (next < need)
		next = need;
	size_t bytes = product(next, size);
	void *grown = hostile ? move(old, *capacity * size, bytes) : large(checked(realloc(old, bytes)), bytes);
	*capacity = next;
	return grown;
}

void *mem_grow_zero(void *old, size_t *capacity, size_t need, size_t size)
{
	size_t before = *capacity;
	char *grown = mem_grow(old, capacity, need, size);
	if (*capacity > before)
		memset(grown + before * size, 0, (*capacity - before) * size);
	return grown;
}

/* More than a thread's stack, which is what libraries want in one piece. */
#define SHORT ((size_t)16 << 20)

void mem_end_if_short(void)
{
	void *piece = mmap(NULL, SHORT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (piece == MAP_FAILED)
		mem_exhausted();
	munmap(piece, SHORT);
}

/* ------------------------------------------------------------------ arenas */

#define ALIGNMENT _Alignof(max_align_t)
#define FIRST_BLOCK ((size_t)512)
#define LAST_BLOCK ((size_t)1 << 20)

struct block {
	struct block *previous;
	max_align_t data[];
};

struct arena {
	struct block *last;
	unsigned char *free, *end;
	size_t block;
};

struct arena *arena_new(void)
{
	struct arena *arena = mem_zero(sizeof *arena);
	arena->block = FIRST_BLOCK;
	return arena;
}

static void add_block(struct arena *arena, size_t size)
{
	struct block *block = mem_alloc(sizeof *block + size);
	block->previous = arena->last;
	arena->last = block;
	arena->free = (unsigned char *)block->data;
	arena->end = arena->free + size;
}

static void *alloc_alone(struct arena *arena, size_t size)
{
	unsigned char *free = arena->free, *end = arena->end;
	add_block(arena, size);
	void *memory = arena->free;
	arena->free = free;
	arena->end = end;
	return memory;
}

/* Many arenas are small, few are large. */
static void grow_blocks(struct arena *arena)
{
	if (arena->block < LAST_BLOCK)
		arena->block *= 2;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	if (size > PTRDIFF_MAX - ALIGNMENT - sizeof(struct block))
		mem_exhausted();
	if (!size)
		size = 1;
	if (hostile || size > arena->block / 4) {
		grow_blocks(arena);
		return alloc_alone(arena, size);
	}
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (size > (size_t)(arena->end - arena->free)) {
		add_block(arena, arena->block);
		grow_blocks(arena);
	}
	void *memory = arena->free;
	arena->free += size;
	return memory;
}

void *arena_copy(struct arena *arena, const void *from, size_t size)
{
	void *copy = arena_alloc(arena, size);
	if (size)
		memcpy(copy, from, size);
	return copy;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	for (struct block *block = arena->last, *previous; block; block = previous) {
		previous = block->previous;
		free(block);
	}
	free(arena);
}
