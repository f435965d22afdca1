/*
 * launch.h -- run a command with the recorder in its processes.
 *
 *	struct launch launch = {0};
 *	launch_prepare(&launch, command, LAUNCH_AUTO, "/home/me/run.trace", NULL, 0, &error);
 *	launch_run(launch.words, &status, &error);
 *	launch_clear(&launch);
 *
 * A process is recorded where the recorder of its MPI is preloaded, which it must be told by its
 * environment. How that gets there is another matter for each launcher: mpirun of Open MPI wants
 * -x, Hydra -genv, srun --export; what is none of these gets it from us. Which MPI it is say the
 * libraries that the program is linked with; where that cannot be seen (an interpreter, a script),
 * the launcher, or the one MPI that there is a recorder for.
 */
#ifndef TRACENEST_RECORD_LAUNCH_H
#define TRACENEST_RECORD_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

enum launch_mpi { LAUNCH_AUTO, LAUNCH_OPENMPI, LAUNCH_MPICH, LAUNCH_MPIS };

/* Names of MPIs for people: "Open MPI". */
const char *launch_mpi_name(enum launch_mpi);

/* A variable of the recorder's environment. */
struct launch_variable {
	const char *name;
	struct text value;
};

#define LAUNCH_VARIABLES 16

struct launch {
	char **words; /* the command, with what its launcher needs; NULL behind the last */
	size_t length, capacity;
	enum launch_mpi mpi;
	bool no_recorder; /* the library of this MPI was not found */
	struct launch_variable variable[LAUNCH_VARIABLES]; /* LD_PRELOAD is the first */
	size_t variables;
};

/* The name that a recording of this command gets: that of the program in it, without
   directories. */
const char *launch_program(char *const *command);

/* Is there a program of this name: a file, or one in PATH? *error: what there is instead. */
bool launch_finds(const char *word, struct error *);

/* A library of ours, beside our own program or where `make install` puts it. */
bool launch_find(const char *library, struct text *path);

/* Set a variable for the program. */
void launch_set(struct launch *, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The words to run, with variables set so far; of our own environment, too, where there is no
   launcher to tell them. False with *error set where no recorder can be found. */
bool launch_prepare(struct launch *, char *const *command, enum launch_mpi, struct error *);

/* Put the variables into our own environment, for a program that takes our place. */
void launch_export(const struct launch *);

void launch_clear(struct launch *);

/* Become this program. Returns only with *error set. */
void launch_become(char *const *words, struct error *);

/*
 * Run the command and wait for it, however many signals come: those sent to us are passed on to it.
 * *status: its exit status, 128 + N where signal N ended it. False with *error set if it cannot be
 * run.
 */
bool launch_run(char *const *words, int *status, struct error *);

/* Why nothing was recorded of a command that was run, as far as its words and its status tell.
   begun: a process called MPI_Init. */
void launch_tell_nothing(char *const *command, int status, bool begun, struct text *why);

#endif
