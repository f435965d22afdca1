/*
 * scalability.h -- runs of one program on several numbers of processes: POP's factors of each, and
 * the constructs whose part of the run time grows.
 *
 *	struct scalability s;
 *	if (scalability_read(&s, path, 4, false, &options, &error))
 *		scalability_print(&s, &text);
 *	scalability_clear(&s);
 *
 * Constructs are matched by name: that of their region, of the functions that call, or of what they
 * do. Computation scalability is the computation of all processes of the first run by
 * that of each (weak: per process); global efficiency = parallel efficiency x this.
 * (POP: F. Wagner et al., Parallel Tools Workshop 2017.)
 */
#ifndef TRACENEST_REPORT_SCALABILITY_H
#define TRACENEST_REPORT_SCALABILITY_H

#include "base/json.h"
#include "fit/scaling.h"
#include "report/run_facts.h"

/* The constructs of a name; where several outermost loops have some, and all runs do, those in loops
   of as many iterations. */
struct scalability_row {
	char *name; /* "MPI_Allreduce", "MPI_Allreduce (40 iterations)" */
	const char *construct; /* the name of these, borrowed of a run */
	uint64_t iterations; /* 0: whatever they are */
	double *path; /* by run: on the critical path, in seconds */
	double growth; /* of their share of the run time, from the fewest processes to the most */
	bool fitted;
	struct scaling fit; /* of the time on the path, in ms */
};

struct scalability_run {
	struct run_facts facts;
	struct efficiency efficiency;
	double computation, global; /* scalability, efficiency */
};

struct scalability {
	struct scalability_run *run; /* by processes */
	size_t runs;
	bool weak;
	struct scalability_row *row; /* what grows most first */
	size_t rows;
};

/* Each of `paths` is an archive; weak: each process has as much to do, however many there are.
   False with *error set: what reading them came upon, or two are of as many processes; to be cleared
   in any case. */
bool scalability_read(struct scalability *, const char *const *path, size_t paths, bool weak,
	const struct account_options *, struct error *);
void scalability_clear(struct scalability *);

/* Is it one of the row? */
bool scalability_has(const struct scalability_row *, const struct run_construct *);

/* Of the run time, on the critical path. */
double scalability_share(const struct scalability *, const struct scalability_row *, size_t run);

/* POP's table, a column a run, and the constructs below; the same for machines, and with curves. */
void scalability_print(const struct scalability *, struct text *);
void scalability_print_json(const struct scalability *, struct json *);
void scalability_print_csv(const struct scalability *, struct text *);
void scalability_print_page(const struct scalability *, struct text *);

#endif
