/*
 * memory.c -- memory that libraries ask for, too, is there or ends the command.
 *
 * What base/mem.c promises of our own allocations, nobody promises of those inside of the standard
 * library, OTF2, SQLite or Graphviz: some of these take NULL for an error of the file, some crash.
 * So the command has an allocator of its own, which all of them use: that of the C library, and
 * where this has nothing left, the same end as ours. The library (lib/) leaves its users theirs.
 *
 * Builds with sanitizers, which have allocators of their own, are made without this file.
 */
#include <features.h>
#include <stddef.h>

#include "base/mem.h"

#ifdef __GLIBC__

#define PUBLIC __attribute__((visibility("default")))

/* The C library's own, under the names that stay free (glibc, "Replacing malloc"). */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

PUBLIC void *malloc(size_t size);
PUBLIC void *calloc(size_t count, size_t size);
PUBLIC void *realloc(void *old, size_t size);

/* What a library asks for in so large a piece may come from a damaged file: then that is told. */
#define LARGE ((size_t)16 << 20)

static void *checked(void *memory, size_t size)
{
	if (!memory && size < LARGE)
		mem_exhausted();
	if (!memory)
		mem_end_if_short();
	return memory;
}

void *malloc(size_t size)
{
	return checked(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
	return checked(__libc_calloc(count, size), size && count > LARGE / size ? LARGE : count * size);
}

/* No room is no failure where none was asked for. */
void *realloc(void *old, size_t size)
{
	void *moved = __libc_realloc(old, size);
	return size ? checked(moved, size) : moved;
}

#endif
