/*
 * memory.c -- preloaded into the command: memory runs out at one allocation, wherever in the
 * process it is; or a signal comes there.
 *
 *	FAULT_AT=N	the N-th allocation from the beginning of main fails
 *	FAULT_SIGNAL=S	... or rather: signal S is raised there
 *	FAULT_COUNT=FILE	how many there were is written to this file, if the process ends by itself
 *
 * It stands below the command's own allocator (cli/memory.c), in the place of the C library's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *allocate(size_t), *allocate_cleared(size_t, size_t), *allocate_again(void *, size_t);

static allocate *real_malloc;
static allocate_cleared *real_calloc;
static allocate_again *real_realloc;
static atomic_ulong allocations;
static unsigned long at;
static int signal_there;

static void find_real(void)
{
	real_malloc = (allocate *)dlsym(RTLD_NEXT, "__libc_malloc");
	real_calloc = (allocate_cleared *)dlsym(RTLD_NEXT, "__libc_calloc");
	real_realloc = (allocate_again *)dlsym(RTLD_NEXT, "__libc_realloc");
}

/* Does this one fail? */
static int fails(void)
{
	if (!real_malloc)
		find_real();
	if (atomic_fetch_add(&allocations, 1) + 1 != at)
		return 0;
	if (signal_there)
		raise(signal_there);
	errno = ENOMEM;
	return !signal_there;
}

void *__libc_malloc(size_t size)
{
	return fails() ? NULL : real_malloc(size);
}

void *__libc_calloc(size_t count, size_t size)
{
	return fails() ? NULL : real_calloc(count, size);
}

void *__libc_realloc(void *old, size_t size)
{
	return fails() ? NULL : real_realloc(old, size);
}

static unsigned long number(const char *name)
{
	const char *text = getenv(name);
	return text ? strtoul(text, NULL, 10) : 0;
}

/* The programs that the command starts are none of this. */
__attribute__((constructor)) static void begin(void)
{
	find_real();
	at = number("FAULT_AT");
	signal_there = (int)number("FAULT_SIGNAL");
	unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
	const char *name = getenv("FAULT_COUNT");
	FILE *file = name ? fopen(name, "w") : NULL;
	if (file) {
		fprintf(file, "memory %lu\n", atomic_load(&allocations));
		fclose(file);
	}
}
