/*
 * unwind_probe.h -- a walk of the recorder's beside backtrace()'s, from where it is called; for
 * tests/test_unwind.c, and for the program that it runs on another processor.
 *
 * Programs that are compiled with -finstrument-functions tell when a function is called: what a
 * walk says was called since the one before it must have been.
 */
#ifndef TRACENEST_TESTS_UNWIND_PROBE_H
#define TRACENEST_TESTS_UNWIND_PROBE_H

#include <execinfo.h>
#include <stdbool.h>
#include <string.h>

#include "record/preload/unwind.h"

static struct {
	struct unwind *unwind;
	unsigned long probes, borrowed, wrong, frames;
	unsigned long anew, proven, disproven; /* frames whose callers were the same on the walk before */
} seen;

/* Calls that are under way, the outermost first. */
static struct {
	struct {
		uintptr_t sp; /* in its frame */
		unsigned long number;
	} call[16 * UNWIND_LIMIT];
	int calls;
	unsigned long last, probed; /* numbers: of the last call, of the last one at the last probe */
	struct unwind_frame frame[UNWIND_LIMIT]; /* at the last probe */
	int frames;
} truth;

void __cyg_profile_func_enter(void *, void *);
void __cyg_profile_func_exit(void *, void *);

/* Whatever left those further in: a return, an exception, a jump. */
static void leave_calls(uintptr_t sp)
{
	while (truth.calls && truth.call[truth.calls - 1].sp < sp)
		truth.calls--;
}

__attribute__((visibility("default"), used)) void __cyg_profile_func_enter(void *function, void *site)
{
	(void)function, (void)site;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *);
	leave_calls(sp);
	if (truth.calls < 16 * UNWIND_LIMIT) {
		truth.call[truth.calls].sp = sp;
		truth.call[truth.calls++].number = ++truth.last;
	}
}

__attribute__((visibility("default"), used)) void __cyg_profile_func_exit(void *function, void *site)
{
	(void)function, (void)site;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *);
	leave_calls(sp);
	truth.calls -= truth.calls && truth.call[truth.calls - 1].sp == sp;
}

/* Frame i's function is that of the outermost call in it. */
static void check_proofs(const struct unwind_stack *s, int innermost)
{
	int k = 0;
	bool same = true;
	leave_calls(s->frame[innermost].sp);
	for (int i = 1; i <= innermost && !s->borrowed && !s->gap; i++) {
		uintptr_t end = s->frame[i - 1].sp;
		same = same && i < truth.frames && truth.frame[i - 1].sp == end &&
		       truth.frame[i - 1].pc == s->frame[i - 1].pc;
		while (k < truth.calls && truth.call[k].sp >= end)
			k++;
		if (k == truth.calls || truth.call[k].sp < s->frame[i].sp)
			continue;
		bool anew = truth.call[k].number > truth.probed, proven = s->kept >= 0 && i >= s->kept;
		seen.anew += anew && same;
		seen.proven += anew && same && proven;
		seen.disproven += proven && !anew;
	}
	truth.frames = innermost + 1;
	memcpy(truth.frame, s->frame, (size_t)truth.frames * sizeof *s->frame);
	truth.probed = truth.last;
}

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
	if (mine > 0)
		check_proofs(s, mine);
}

#endif
