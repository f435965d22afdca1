/*
 * unwind.h -- the stack of the calling thread, frame by frame, from the rules of .eh_frame.
 *
 *	struct unwind *u = unwind_new();		-- a thread's own; free() releases it
 *	struct unwind_stack *s = unwind(u);
 *	for (int i = s->count - 1; i >= 0; i--)		-- from unwind itself outwards
 *		s->frame[i].pc ...
 *
 * A return address tells where the caller's frame begins (its CFA), and where the caller's frame
 * pointer and return address were saved. The rule is derived once per return address and kept. The
 * stack of the previous call is kept as well: from the first frame on that has the same place and
 * address, only what is saved in the frames is compared, no rule is looked up. Any number of
 * threads may walk, each with its own struct unwind.
 *
 * A walk allocates nothing and reads nothing but the rules and the stack from its own frame to the
 * stack's end, whatever stands there: it may be interrupted, and interrupt. Where a rule is an
 * expression (signal frames) or the stack is not the thread's own (coroutines), backtrace() walks.
 */
#ifndef TRACENEST_RECORD_PRELOAD_UNWIND_H
#define TRACENEST_RECORD_PRELOAD_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/* Of deeper stacks as many frames from both ends. */
#define UNWIND_LIMIT 256

struct unwind_frame {
	uintptr_t pc; /* the address at which it goes on */
	uintptr_t sp, fp; /* stack and frame pointer when it does */
	const uintptr_t *ra; /* where its return address is saved */
	const uintptr_t *saved; /* and its caller's frame pointer; NULL: nowhere, it has not been changed */
	bool reads_fp; /* its rule */
	bool fp_matters; /* its rule or that of a caller reads it */
	bool again; /* its caller is not told by what is saved alone: the rule is needed each time */
	void *mark; /* the user's: NULL until set, kept while this frame and all further out are the same */
};

struct unwind_stack {
	int count;
	int gap; /* frames are left out before this one; 0: none */
	bool borrowed; /* backtrace() walked: frames have no more than their pc */
	struct unwind_frame frame[UNWIND_LIMIT]; /* the outermost first */
};

struct unwind_registers {
	uintptr_t pc, sp, fp;
	uintptr_t ra; /* 0: it is saved on the stack */
};

struct unwind;

/* For the calling thread; looks up its stack's bounds: not for a signal's handler. */
struct unwind *unwind_new(void);

/* For the stack from low to high. */
struct unwind *unwind_new_within(uintptr_t low, uintptr_t high);

/* A module has been unloaded: rules may be of code that is not there any more. Of all threads. */
void unwind_unloaded(void);
unsigned unwind_unloads(void); /* how often */

/* Where the function begins that goes on at pc, by its unwind information; 0: there is none. */
uintptr_t unwind_function(uintptr_t pc);

/* The stack as it is, valid until the next call. NULL: a walk of the same thread is interrupted. */
struct unwind_stack *unwind(struct unwind *);

/* From a function further out on, with the registers that it goes on with. Where backtrace() walks,
   it is the whole stack. */
struct unwind_stack *unwind_out(struct unwind *, struct unwind_registers);

/* The stack of these registers; never backtrace()'s: where no rule of ours leads on, it ends. */
struct unwind_stack *unwind_from(struct unwind *, struct unwind_registers);

#endif
