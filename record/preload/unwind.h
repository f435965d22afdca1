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
 * form, what is saved in the frames is compared, return addresses and registers in one pass; rules
 * are looked up only of frames that go on elsewhere. Any number of threads may walk, each with its
 * own struct unwind.
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

/* Registers that functions leave as they were, beside the frame pointer. */
#if defined __x86_64__
#define UNWIND_HELD 5 /* rbx, r12 to r15 */
#elif defined __aarch64__
#define UNWIND_HELD 10 /* x19 to x28 */
#else
#define UNWIND_HELD 1
#endif

/* What the rule of an address says of the frame there; unwind.c tells what of. */
struct unwind_shape {
      uint64_t slots : 48, words : 4, base : 4, saved : 4;
	uint64_t whole : 1; /* the return address is among the words */
	int32_t cfa;
	int16_t ra; /* words from the caller's frame; 0: not saved */
	int16_t first; /* words from where registers are relative to */
};

struct unwind_frame {
	uintptr_t pc; /* the address at which it goes on */
	uintptr_t sp, fp; /* stack and frame pointer when it does */
	const uintptr_t *ra; /* where its return address is saved */
	const uintptr_t *saved; /* and its caller's frame pointer; NULL: nowhere, it has not been changed */
	const uintptr_t *base; /* where its caller's frame begins, if that is saved */
	const uintptr_t *first; /* its caller's registers are saved from there on */
	struct unwind_shape shape;
	bool inside; /* in its frame */
	bool leads; /* these tell the caller */
	bool fp_matters; /* its rule or that of a caller reads it */
	bool again; /* its caller is not told by what is saved alone: the rule is needed each time */
	/* The user's: 0 until set, kept while this frame and all further out are the same. */
	void *mark;
	uintptr_t code; /* of a frame that the user put there: the code object that its interpreter runs */
};

struct unwind_stack {
	int count;
	int kept; /* so many outermost frames may be those of the previous walk; the others are of functions
		     that were called since, if all leave the registers of the ABI as they were (code of
		     OCaml 4, and clang's preserve_none, do not). -1: nothing is known */
	int gap; /* frames are left out before this one; 0: none */
	bool borrowed; /* backtrace() walked: frames have no more than their pc */
	struct unwind_frame frame[UNWIND_LIMIT]; /* the outermost first */
};

struct unwind_registers {
	uintptr_t pc, sp, fp;
	uintptr_t ra; /* 0: it is saved on the stack */
	uintptr_t held[UNWIND_HELD];
	bool holds; /* that is known */
};

/* Those of the function that this stands in. */
#if defined __x86_64__
#define UNWIND_HERE(r)                                                                                                 \
	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2\n\tmov %%rbx, %3\n\tmov %%r12, %4\n\t"    \
			 "mov %%r13, %5\n\tmov %%r14, %6\n\tmov %%r15, %7\n\tmovb $1, %8"                              \
			 : "=&r"((r).pc), "=m"((r).sp), "=m"((r).fp), "=m"((r).held[0]), "=m"((r).held[1]),            \
			 "=m"((r).held[2]), "=m"((r).held[3]), "=m"((r).held[4]), "=m"((r).holds))
#elif defined __aarch64__
#define UNWIND_HERE(r)                                                                                                 \
	__asm__ volatile("adr %0, .+4\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30\n\tstp x19, x20, [%4]\n\t"           \
			 "stp x21, x22, [%4, 16]\n\tstp x23, x24, [%4, 32]\n\tstp x25, x26, [%4, 48]\n\t"              \
			 "stp x27, x28, [%4, 64]"                                                                      \
			 : "=&r"((r).pc), "=&r"((r).sp), "=&r"((r).fp), "=&r"((r).ra)                                  \
			 : "r"((r).held)                                                                               \
			 : "memory");                                                                                  \
	(r).holds = true
#else
#define UNWIND_HERE(r) (void)(r)
#endif

struct unwind;

/* For the calling thread; looks up its stack's bounds: not for a signal's handler. */
struct unwind *unwind_new(void);

/* For the stack from low to high. */
struct unwind *unwind_new_within(uintptr_t low, uintptr_t high);

/* A module has been unloaded: rules may be of code that is not there any more. Of all threads. */
void unwind_unloaded(void);
unsigned unwind_unloads(void); /* how often */

/* Are there 8 bytes? A call of the kernel. */
bool unwind_is_readable(uintptr_t address);

/* Where the function begins that goes on at pc, by its unwind information; 0: there is none. */
uintptr_t unwind_function(uintptr_t pc);

/* The stack as it is, valid until the next call. NULL: a walk of the same thread is interrupted. */
struct unwind_stack *unwind(struct unwind *);

/* From a function further out on, with the registers that it goes on with. Where backtrace() walks,
   it is the whole stack. */
struct unwind_stack *unwind_out(struct unwind *, const struct unwind_registers *);

/* The stack of these registers; never backtrace()'s: where no rule of ours leads on, it ends. */
struct unwind_stack *unwind_from(struct unwind *, const struct unwind_registers *);

#endif
