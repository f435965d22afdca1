/*
 * counted.c -- what a verb does, counted instead of timed: the same on any machine, whatever else
 * it does.
 *
 * The command is built with -fsanitize-coverage=trace-pc (make COUNTED=1), so that each basic block
 * of the rooms calls __sanitizer_cov_trace_pc: that is a step, and so are 64 bytes moved or set.
 * Memory is what is held at once. The linker (--wrap) leads what the rooms ask of the C library
 * here; libraries are not counted. The file that TRACENEST_COUNTS names gets a line at the end:
 * steps, bytes. Of one thread: bench/growth gives the command one core.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOVED_AT_ONCE 64

static uint64_t steps;
static int64_t held, most;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

static void moves(size_t size)
{
	steps += size / MOVED_AT_ONCE;
}

static void holds(int64_t bytes)
{
	held += bytes;
	most = held > most ? held : most;
}

#define WRAPPED(type, name, ...)                                                                                       \
	type __real_##name(__VA_ARGS__);                                                                               \
	type __wrap_##name(__VA_ARGS__);                                                                               \
	type __wrap_##name(__VA_ARGS__)

static void *held_now(void *memory)
{
	holds((int64_t)malloc_usable_size(memory));
	return memory;
}

WRAPPED(void *, malloc, size_t size)
{
	return held_now(__real_malloc(size));
}

WRAPPED(void *, calloc, size_t count, size_t size)
{
	return held_now(__real_calloc(count, size));
}

WRAPPED(void *, realloc, void *old, size_t size)
{
	holds(-(int64_t)malloc_usable_size(old));
	return held_now(__real_realloc(old, size));
}

WRAPPED(void, free, void *memory)
{
	holds(-(int64_t)malloc_usable_size(memory));
	__real_free(memory);
}

WRAPPED(void *, memcpy, void *to, const void *from, size_t size)
{
	moves(size);
	return __real_memcpy(to, from, size);
}

WRAPPED(void *, memmove, void *to, const void *from, size_t size)
{
	moves(size);
	return __real_memmove(to, from, size);
}

WRAPPED(void *, memset, void *to, int byte, size_t size)
{
	moves(size);
	return __real_memset(to, byte, size);
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("TRACENEST_COUNTS");
	FILE *out = path ? fopen(path, "w") : NULL;
	if (!out)
		return;
	fprintf(out, "%ju %jd\n", (uintmax_t)steps, (intmax_t)most);
	fclose(out);
}
