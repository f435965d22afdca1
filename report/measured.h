/*
 * measured.h -- runs that were measured, in the formats of tools for performance.
 *
 *	measured_write_talp(&run, out);
 *	struct measured_facts facts = measured_write_extrap(runs, 5, out);
 *
 * Regions are the constructs of a run by name; of several of a name those behind the first are
 * "NAME#2" and so on.
 */
#ifndef TRACENEST_REPORT_MEASURED_H
#define TRACENEST_REPORT_MEASURED_H

#include "base/output.h"
#include "report/run_facts.h"

/*
 * A run as DLB's TALP writes it, in version 3.5 of its JSON, which TALP-Pages collects: region
 * "Global" is the run. Times outside of MPI calls are useful; efficiencies are those of POP for
 * MPI alone, all ranks on one node; cycles and instructions are not known (0). The time stamp is when
 * the run's file was written. (https://github.com/bsc-pm/dlb, src/talp/talp_output.c)
 */
void measured_write_talp(const struct run_facts *, struct output *);

/* Numbers of processes from which Extra-P makes models. */
#define MEASURED_POINTS 5

struct measured_facts {
	size_t points; /* numbers of processes */
	size_t left_out; /* regions that are not in every run */
};

/*
 * Runs of one program as Extra-P's text format: one parameter, the processes; runs of as many are
 * repetitions. By region the time on the critical path, which adds up to the run's, computation of
 * the mean process, and messages and bytes of all.
 * (https://github.com/extra-p/extrap, docs/file-formats.md)
 */
struct measured_facts measured_write_extrap(const struct run_facts *, size_t runs, struct output *);

#endif
