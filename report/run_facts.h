/*
 * run_facts.h -- what is known of a run, from its archive, its profile or its model: to be put
 * beside that of another run.
 *
 *	struct run_facts run;
 *	if (run_facts_read(&run, "before.db", RUN_TIMES, &options, &error))
 *		... run.construct[0].path, run.program
 *	run_facts_clear(&run);
 */
#ifndef TRACENEST_REPORT_RUN_FACTS_H
#define TRACENEST_REPORT_RUN_FACTS_H

#include "ask/communication.h"
#include "ask/overview.h"
#include "report/account.h"

enum run_source { RUN_MODEL, RUN_PROFILE, RUN_TRACE };

struct run_share {
	uint32_t rank;
	double computation, call; /* outside of MPI calls, and in them */
};

#define RUN_CONSTRUCT_TIMES 6
#define RUN_CONSTRUCT_COUNTS 3

/* A construct of a run; times in seconds. */
struct run_construct {
	char *name, *loop; /* loop: its address; NULL: none */
	size_t line; /* this loop in the program; RUN_NOWHERE */
	uint64_t iterations; /* of the outermost loop around */
	union {
		struct {
			double path; /* its part of the critical path; all add up to the run time */
			double loss, imbalance, serialization, transfer;
			double work; /* computing, all processes */
		};
		double time[RUN_CONSTRUCT_TIMES];
	};
	union {
		struct {
			uint64_t calls, messages, bytes;
		};
		uint64_t count[RUN_CONSTRUCT_COUNTS];
	};
	struct run_share *share; /* of those that compute */
	size_t shares, share_capacity;
	double *series; /* path, over the iterations of the outermost loop */
	uint64_t *from; /* by bin of this: its first iteration */
	size_t bins;
	char *words; /* what report says of it, where it loses much; or NULL */
	bool accused; /* ... and it stands out */
	size_t number; /* of those of this name, from 0 */
};
#define RUN_NOWHERE SIZE_MAX

struct run_facts {
	const char *path; /* borrowed */
	enum run_source source;
	uint32_t processes;
	bool timed; /* constructs are known, and: */
	double run; /* time, in seconds */
	struct run_construct *construct; /* by name, those of a name in the order of the program */
	size_t length, capacity;
	const struct module *program; /* without calls. NULL: a profile that does not hold it */
	struct prepared *written; /* of a plain model: its text as it stands, with what folding loses; else NULL */
	struct overview lines; /* of its program; */
	struct communication *totals; /* ... by line */
	struct account account; /* what these are borrowed from */
};

/* The event at a line, without what it carries. */
void run_facts_print_event(const struct run_facts *, size_t line, struct text *);

/* By the first bytes of a file: what it is, if it is neither a profile nor a model, a trace. */
enum run_source run_source_of(const char *path);

/* times: of a trace; else its program alone. False with *error set: what reading came upon; to be
   cleared in any case. */
bool run_facts_read(struct run_facts *, const char *path, bool times, const struct account_options *, struct error *);
void run_facts_clear(struct run_facts *);

/* The constructs from `first` to before `end`, of one name, become one, at `first`: in the loop in
   which most of it is. */
void run_facts_unite(struct run_facts *, size_t first, size_t end);

#endif
