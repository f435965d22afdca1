/*
 * difference.h -- two runs beside each other: traces, profiles or models, of as many processes as
 * they like.
 *
 *	struct difference d;
 *	if (difference_read(&d, "before.db", "after/traces.otf2", &options, &error))
 *		difference_print(&d, &text);
 *	difference_clear(&d);
 *
 * Programs are aligned statement by statement (ask/counterparts.h: by call site, form, loops
 * around). Constructs of the same region in loops that belong together are one, then those of one
 * region in the order of the program; a region whose work moved between its loops is one in each
 * run. Each has its part of the critical path, so that the differences of all add up to that of the
 * run times. Where numbers of processes differ, the first counts with what scaling promises: time x
 * P1 / P2. A model has no times: beside one, programs alone are compared.
 */
#ifndef TRACENEST_REPORT_DIFFERENCE_H
#define TRACENEST_REPORT_DIFFERENCE_H

#include "ask/sameness.h"
#include "base/json.h"
#include "report/run_facts.h"

/* Of streams that only differ behind so many events it is not known; a minute of walking. */
#define DIFFERENCE_EVENTS_MOST (UINT64_C(1) << 30)

/* One of them, in either run: the index of its construct, or its line; or DIFFERENCE_NONE. */
#define DIFFERENCE_NONE SIZE_MAX

struct difference_row {
	size_t in[2];
	double change; /* path in the second - path in the first x ideal */
};

/* What statements and programs are compared by, in the order in which it tells of them. */
enum volume { VOLUME_BYTES, VOLUME_MESSAGES, VOLUME_EVENTS, VOLUMES };

/* An event, in either program. */
struct difference_statement {
	size_t in[2];
	bool differs;
	int64_t change[VOLUMES]; /* in the second - in the first; bytes where they are known */
};

struct difference {
	struct run_facts run[2];
	bool timed; /* times of both are known */
	double ideal; /* times of the first x this: what as many processes as the second promise */
	struct difference_row *row; /* where they are: the largest change first */
	size_t rows;
	bool aligned; /* both programs are known */
	struct difference_statement *statement; /* where they are: the largest change first */
	size_t statements, differing, only[2];
	size_t *counterpart; /* by line of the first */
	bool sized; /* of all messages sent, the size is known */
	enum sameness streams; /* of aligned programs: by process, event by event */
	struct first_difference first; /* where they are different */
	bool structure; /* the programs differ, or nobody knows that they do not */
	bool retold; /* they do not, but their texts fold the same streams differently */
};

/* Each is an archive, a profile or a model. False with *error set: what reading them came upon; to
   be cleared in any case. */
bool difference_read(
	struct difference *, const char *first, const char *second, const struct account_options *, struct error *);
void difference_clear(struct difference *);

/* A page: three lines of the largest change, and a table; the same for machines, times in
   seconds. */
void difference_print(const struct difference *, struct text *);
void difference_print_json(const struct difference *, struct json *);

#endif
