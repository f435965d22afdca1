/*
 * unfinished.h -- what must not outlive this process: files and folders that are not done yet, and
 * the programs that it started.
 *
 *	unfinished_enter(UNFINISHED_FILE, name);
 *	... create it, write it, rename it ...
 *	if (unfinished_leave(UNFINISHED_FILE, name))
 *		free(name);
 *
 * When the process exits, or is ended by a signal that can be caught, what is entered is ended or
 * removed: programs first, then files, then folders with all that is in them. Whoever takes a name
 * out of its slot owns it, so that a signal handler and the owner never use or remove the same
 * name. The registry is the one piece of process-wide state in this library: a signal handler can
 * be given nothing else. For any number of threads.
 */
#ifndef TRACENEST_BASE_UNFINISHED_H
#define TRACENEST_BASE_UNFINISHED_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define UNFINISHED_SLOTS 64

enum unfinished { UNFINISHED_FILE, UNFINISHED_FOLDER, UNFINISHED_KINDS };

/* The name is used until unfinished_leave. False: there are UNFINISHED_SLOTS of this kind. */
bool unfinished_enter(enum unfinished, char *name);

/* Is the name still the caller's to use and free? */
bool unfinished_leave(enum unfinished, char *name);

/* End and remove all that is entered, as where the process ends: of a signal handler that goes on
   to end it. */
void unfinished_end(void);

/* From here to unfinished_release no signal ends this process: around what is short, and is to be
   done together or not at all. Gives what unfinished_release takes. */
sigset_t unfinished_hold(void);
void unfinished_release(sigset_t before);

/* Make a folder for temporary files, "PREFIX-" and something, where the environment wants them
   (TMPDIR); entered. The name is the caller's; NULL with *error set. */
char *unfinished_folder(const char *prefix, struct error *);

/* The same, hidden, in the directory of this path, so that what is in it can be renamed to
   there. */
char *unfinished_folder_beside(const char *path, struct error *);

/* Remove such a folder with all that is in it. Takes the name. */
void unfinished_remove(char *name);

/*
 * Run a program, looked for in PATH, with these words (ending with NULL), its standard output to
 * this descriptor (-1: ours), and wait for it. *status: its exit status, 128 + N where signal N
 * ended it. with_all: it starts others, which are to end with it; it may not read a terminal then.
 * False with *error set if it cannot be run.
 */
bool unfinished_run(const char *program, char *const *words, int output, bool with_all, int *status, struct error *);

#endif
