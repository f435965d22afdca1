/*
 * unwind_probe.h -- a walk of the recorder's beside backtrace()'s, from where it is called; for
 * tests/test_unwind.c, and for the program that it runs on another processor.
 */
#ifndef TRACENEST_TESTS_UNWIND_PROBE_H
#define TRACENEST_TESTS_UNWIND_PROBE_H

#include <execinfo.h>
#include <stdbool.h>

#include "record/preload/unwind.h"

static struct {
	struct unwind *unwind;
	unsigned long probes, borrowed, wrong, frames;
} seen;

__attribute__((noinline)) static void probe(void)
{
	void *found[4 * UNWIND_LIMIT];
	const struct unwind_stack *s = unwind(seen.unwind);
	int count = backtrace(found, sizeof found / sizeof *found), first = 0, mine = s->count - 1;
	void *caller = __builtin_return_address(0);
	while (first < count && found[first] != caller)
		first++;
	while (mine >= 0 && s->frame[mine].pc != (uintptr_t)caller)
		mine--;
	bool same = first < count && (s->gap ? mine + 1 < count - first : mine + 1 == count - first);
	for (int i = 0; same && i <= mine; i++)
		same = s->frame[i].pc == (uintptr_t)(i < s->gap ? found[count - 1 - i] : found[first + mine - i]);
	seen.probes++;
	seen.frames += (unsigned long)count;
	seen.wrong += !same;
	seen.borrowed += s->borrowed;
}

#endif
