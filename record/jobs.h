/*
 * jobs.h -- the jobs that a command ran: each MPI_COMM_WORLD is one, and gets an archive of its
 * own.
 *
 *	struct jobs jobs;
 *	jobs_find(&jobs, "run.trace", &error);
 *	for (size_t i = 0; i < jobs.length; i++)
 *		record_finish(jobs.job[i].own, jobs.job[i].directory, &options, &facts, &error);
 *	jobs_clear(&jobs);
 *
 * They are numbered from 1 in the order in which they began. Job 1 becomes an archive in the
 * directory itself, so that who runs one job need not know of numbers; the others in job2, job3 in
 * it. Folders have their names before anything is made of them, so that an interruption changes no
 * number.
 */
#ifndef TRACENEST_RECORD_JOBS_H
#define TRACENEST_RECORD_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct job {
	uint32_t number;
	char *own; /* the folder of what its processes left */
	char *directory; /* of its archive */
};

struct jobs {
	struct job *job; /* by number; those of earlier numbers may be archives already */
	size_t length, capacity;
	bool alone; /* there are none: each process was all of its run, for mpirun was another MPI's */
	bool begun; /* a process has called MPI_Init */
	struct text foreign; /* a line about programs of another MPI; empty: there were none */
};

/* Number what is in the directory. False with *error set where folders cannot be named. */
bool jobs_find(struct jobs *, const char *directory, struct error *);

/* When all is read: remove what is left but archives. */
void jobs_tidy(const char *directory, const struct jobs *);

void jobs_remove_archive(const struct job *);

/* Remove what was recorded into the directory before; anything else in it is not ours. */
void jobs_make_room(const char *directory);

/* Where the next recording is made: in the directory, or, where that is not empty, in its `new`,
   which is appended. */
void jobs_place(struct text *directory);

/* Is there an archive? May what was made in this place take the place of what is in the directory?
   It does: what was recorded there before goes. */
bool jobs_have_archive(const char *directory);
bool jobs_may_take(const char *directory, const char *place, bool whole);
bool jobs_take(const char *directory, const char *place, struct error *);

void jobs_clear(struct jobs *);

#endif
