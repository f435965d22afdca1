/*
 * replay.h -- a model played back: its mini-app, compiled and run, on MPI or in SimGrid, or its
 * events by LogGOPS (network.h), and how long its phases took beside what was recorded.
 *
 *	struct replay_options options = {.with = "mpirun -n 16", .profile = "run.db"};
 *	struct replay r;
 *	if (replay_run(&r, program, "run.nest", &options, &error)) ...
 *	replay_clear(&r);
 */
#ifndef TRACENEST_REPLAY_REPLAY_H
#define TRACENEST_REPLAY_REPLAY_H

#include "base/error.h"
#include "model/prepared.h"
#include "replay/actions.h"

struct replay_options {
	/* One of them: a command that runs programs of MPI; a platform of SimGrid, a file, or
	   "cluster:..." (replay/platform.h). */
	const char *with, *simulate;
	const char *hosts; /* of a simulation: a file with the host of each process; NULL: in their order */
	const char *profile; /* a database; NULL: computing takes no time, and nothing is known of the recorded run */
	const char *words; /* for the command line of the mini-app, or NULL */
	/* With simulate, a cluster: not in SimGrid, but by LogGOPS, with these parameters ("" will
	   do, network.h), and what if: */
	const char *loggops;
	struct algorithms algorithms; /* of collectives */
	struct replay_change {
		double bytes, scale_bytes; /* of all messages; below 0: as they are, times so many */
		double scale_compute, role, rank; /* of this role, this process; below 0: any */
	} change;
	bool lenient; /* messages may be missing (skeleton.h) */
};

struct replay_phase {
	char *name;
	size_t first, last; /* lines; last: behind it */
	double *recorded, *replayed; /* seconds, by process */
};

struct replay {
	uint32_t processes, roles;
	uint32_t *role; /* by process; NO_ROLE */
	struct replay_phase *phase;
	size_t phases;
	bool known; /* are the recorded times? */
	double recorded, replayed; /* of the process that took longest: all phases */
	bool estimate; /* computing is one (scaled_profile.h): replayed with the ends of its intervals, */
	double least, most;
	struct actions_facts facts; /* by LogGOPS: what was taken for something else */
};

/* model: what to call the program. False with *error set: as miniapp_print, there is no compiler,
   it failed, the platform has too few hosts. To be cleared in any case. */
bool replay_run(
	struct replay *, const struct prepared *, const char *model, const struct replay_options *, struct error *);
void replay_clear(struct replay *);

#endif
