/*
 * python.h -- the frames of Python that the calling thread runs, in place of its interpreter's.
 *
 *	struct python *p = python_new(find);		-- NULL: no CPython that is known here
 *	python_check(p, true);				-- where the thread holds the interpreter's lock
 *	if (python_walk(p, &s))
 *		for (int i = s.count; i-- > 0;)		-- the outermost first
 *			python_put_words(p, python_frame(&s, i), &text);
 *	free(p);
 *
 * mpi4py lets the interpreter's lock go around each call of MPI, and to wait for it here could stop
 * a program for ever: another thread may hold it in MPI, until our thread has sent. So frames are
 * read without it, which a thread may do with its own: while it is in our call, nobody else links,
 * runs or frees them, and they hold their code objects, of which nothing that is read here changes
 * once they are made. What the interpreter exports to do so (PyThreadState_GetFrame) wants the
 * lock, because it makes objects and counts references.
 *
 * Where fields lie is a table by version of CPython, 3.9 to 3.14. It is not trusted until once,
 * with the lock held, all frames have been found to be those that the interpreter itself tells of,
 * with their names and lines; until then, or if they are not, there are no frames of Python. That
 * first time nothing is read that the kernel has not said to be readable. Interpreters without a
 * lock have other objects, and are left alone.
 *
 * A thread that the interpreter ends while it is in MPI (a daemon's, at the end of the program)
 * loses its frames: none are read as soon as Python has begun to end.
 */
#ifndef TRACENEST_RECORD_PRELOAD_PYTHON_H
#define TRACENEST_RECORD_PRELOAD_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Of deeper stacks as many frames from both ends: no path has more (RECORD_STACK_MOST). */
#define PYTHON_HALF 64

struct python_frame {
	uintptr_t instruction; /* its address: no other code has it while the code is there */
	uintptr_t code; /* the code object */
	uintptr_t place; /* on the thread's stack, in the interpreter's own frame; 0: not known */
};

struct python_stack {
	int count;
	struct python_frame frame[2 * PYTHON_HALF]; /* of the outer half, one after the other in a ring */
};

struct python;

/* find: a function that the interpreter exports, by its name; NULL: there is none. Release with
   free. */
struct python *python_new(void *(*find)(const char *name));

/* Find out whether frames can be read: at once where the calling thread holds the interpreter's
   lock and may run Python (objects that are made may let others go), else as soon as the main
   thread runs Python again. Once that is known, this does nothing. */
void python_check(struct python *, bool may_run);

/* The calling thread's frames; false: it runs none, or they cannot be read. O(frames). */
bool python_walk(const struct python *, struct python_stack *);

/* Frame i, from the innermost one; NULL: left out. */
const struct python_frame *python_frame(const struct python_stack *, int i);

/* Frames, from the outermost one on, that both have; 0 where some are left out. */
int python_stands(const struct python_stack *, const struct python_stack *);

/* Append "heat.py:31 Solver.step"; false: it is a frame of the interpreter's own libraries, which are
   frozen into it (importlib, runpy). */
bool python_put_words(const struct python *, const struct python_frame *, struct text *);

/*
 * The code object stays for good, so that its addresses are no other's. One reference more, counted
 * atomically: a thread that has the lock and counts at this very moment may undo that, never what
 * it counts itself.
 */
void python_keep(const struct python_frame *);

/* An address in the interpreter's code. */
uintptr_t python_code(const struct python *);

#endif
