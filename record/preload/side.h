/*
 * side.h -- the side file of a process: what its events mean, line by line, as it comes to be.
 *
 *	tracenest recording 1
 *	process RANK PROCESSES
 *	host BOOT NAME			BOOT: tells running kernels apart
 *	launcher RANK PROCESSES		of one that is all of its world: a launcher of another MPI says so
 *	cores CORES			that it may run on, with runs: "0-3,8"
 *	chunk BYTES			of the event file
 *	start TIME REALTIME		ns of the clock of this process, and since 1970
 *	clock TIME OFFSET DEVIATION	OFFSET is to be added at TIME to get rank 0's time
 *	region NUMBER			is used (its name: line NUMBER of the table, from 0)
 *	moved NUMBER CALLS		so many calls of that name have moved data by now
 *	string ID TEXT			a name
 *	site ID OFFSET PATH		string ID is this call site: OFFSET (hexadecimal) in a module
 *	site ID = FILE:LINE FUNCTION	it is in a program of Python
 *	operation ID OFFSET PATH	string ID is a reduction of the program: its function is there; before OFFSET
 *					stands "ordered" where it does not commute
 *	module ID BUILD PATH		string ID is this module; BUILD: as its linker has it (hexadecimal)
 *	path ID OUTER SITE START	path ID is a call at this site (string ID; "-": frames are left out) on the
 *					path OUTER ("-": none); its function begins at offset START
 *					(hexadecimal; "-": not known)
 *	communicator ID KEY NUMBER MEMBERS
 *	between ID			it is an intercommunicator
 *	used ID				records name this communicator
 *	window ID			this communicator is that of a window
 *	name ID TEXT			of a communicator
 *	accesses NUMBER			puts, gets and the like
 *	cpu TIME			ns of all its threads from MPI_Init to MPI_Finalize
 *	partial WHY
 *	end RECORDS SENDS RECEIVES COLLECTIVES TIME CALLS OVERHEAD
 *
 * KEY is 16 hexadecimal digits, the same on all members; NUMBER is this one's. MEMBERS are ranks of
 * the world in the order of their numbers, with runs: "0-3,8,7"; "-" where the member of number 0
 * has told. In TEXT, "\n" is a newline and "\\" a backslash. OVERHEAD: ns per call. Each line is
 * written at once, so the file ends early only where the process did.
 */
#ifndef TRACENEST_RECORD_PRELOAD_SIDE_H
#define TRACENEST_RECORD_PRELOAD_SIDE_H

#include <stdbool.h>

#include "base/text.h"

struct side {
	int file; /* -1: none */
	struct text line;
};

bool side_open(struct side *, const char *path);

/* A line, without its newline. */
void side_line(struct side *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text as the end of a line that begins with these words. */
void side_named(struct side *, const char *text, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A line that is long. */
void side_text(struct side *, const struct text *);
void side_close(struct side *);

#endif
