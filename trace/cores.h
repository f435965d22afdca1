/*
 * cores.h -- which processes had to share cores, by what the recorder wrote of each.
 *
 *	struct cores cores;
 *	cores_read(&cores, "0-7 0-1 node1\n", "812 790 805 799 801 777 820 806", 8);
 *	... ranks_count(&cores.shared) is 8, cores.each 4: processes on a core
 *	cores_clear(&cores);
 *
 * Processes share where more of them than cores may run on a set of cores only. Whoever shares
 * waits for a core, too, and others for him: no fault of the program.
 */
#ifndef TRACENEST_TRACE_CORES_H
#define TRACENEST_TRACE_CORES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ranks.h"

/* Properties of archives: the cores that processes may run on, a line a set, "RANKS CORES HOST"; and
   their CPU time from MPI_Init to MPI_Finalize, ns by rank, 0 where it is not known. */
#define ARCHIVE_CORES "TRACENEST::CORES"
#define ARCHIVE_CPU "TRACENEST::CPU_TIME"

struct cores {
	struct ranks shared; /* processes */
	double each; /* processes on a core, at most */
	uint64_t *cpu; /* ns, by rank; NULL: not known */
};

/* Of properties; NULL: there is none. What cannot be read is not known. O(lines^2). */
void cores_read(struct cores *, const char *cores, const char *cpu, uint32_t processes);
void cores_clear(struct cores *);

#endif
