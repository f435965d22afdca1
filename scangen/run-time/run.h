/*
 * run.h -- one run of a scanner, for the run-time only: the processes that are scanned, and their
 * records on the way to the output.
 */
#ifndef TRACENEST_SCANGEN_RUN_H
#define TRACENEST_SCANGEN_RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "scangen/run-time/index.h"
#include "scangen/run-time/scan_output.h"
#include "scangen/run-time/tracenest-scan.h"
#include "trace/cursor.h"

struct stored {
	const char *label, *attribute;
	uint64_t position, number;
	const char *text; /* NULL: a number */
	uint32_t depth;
	bool there; /* the value was found */
	int64_t index[];
};

struct block {
	struct block *next;
	size_t records;
	char bytes[];
};

struct queue {
	struct block *first, **last;
	size_t length;
};

/* One process being scanned. */
struct work {
	struct scan scan; /* first: what the program sees */
	struct scan_job *run;
	size_t turn; /* which of the wanted ranks */
	uint64_t events;
	struct trace_cursor *cursor;
	const struct trace_event *event; /* the last one read */
	uint64_t position; /* of it */
	bool got; /* there is one */
	bool stopped; /* nothing more to be had of this stream */
	struct block *block; /* being filled */
	struct queue queue;
	bool done; /* all that there will be is queued */
	bool cut;
	uint64_t seen; /* text: events that came */
	struct stored **asked; /* text: by position */
	size_t asked_length, asked_next;
	struct arena *arena; /* values that are text */
	struct intern *sites; /* those of an archive */
};

struct scan_job {
	const struct scan_program *program;
	struct trace *trace;
	bool archive;
	const char *path;
	struct scan_output *output;
	struct index_file index;
	bool learned; /* the index holds more than its file */
	bool *cut; /* per rank: its stream breaks off */
	struct error *why; /* per rank, where it does */
	struct work *work;
	size_t works;
	size_t stride; /* of a stored record */
	size_t block_records;
	unsigned jobs;
	pthread_mutex_t lock; /* around what follows, queues and who is done */
	pthread_cond_t filled, emptied; /* for the output; for who reads */
	size_t current; /* whose records are written now */
	size_t queued; /* blocks, with those being written */
	struct block *spare;
	struct error error; /* the first failure that is no end of a stream */
	bool partial; /* with it: a stream ends too early, and the records up to there are to be kept */
	bool lacking; /* text: an event carries no such attribute */
	atomic_bool over; /* reading on is of no use: there is an error, or nobody takes the output */
};

/* -------------------------------------------------------------- records on their way: records.c */

/* How much fits into a block; before any is made. */
void records_begin(struct scan_job *);

/* A record of a process, to be filled in; there must be room for it. */
struct stored *records_new(struct work *, uint64_t position, const char *attribute);
bool records_are_full(const struct work *);

/* Put the block being filled into the queue: of text, where the whole queue stays; of an archive,
   to be written (waits where that is far behind). */
void records_queue(struct work *);
void records_pass_on(struct work *, bool done);

/* The thread that hands what is passed on to the program's output, in the order of the ranks. */
void *records_write_in_order(void *run);

struct stored *records_at(const struct scan_job *, struct block *, size_t i);
void records_write(struct scan_job *, const struct work *, struct block *);
void records_free(struct block *);

/* --------------------------------------- where they come from: scan_archive.c, scan_text.c */

/* Fetch a value at once, or stop. */
void archive_fetch(struct work *, uint64_t position, const char *attribute);

/* Scan all processes. False with run->error set. index_path: NULL for none. */
bool archive_scan(struct scan_job *, const char *index_path);
bool text_scan(struct scan_job *);

/* ------------------------------------------------------------------ the run: scan.c */

/* Run the program's loops for one process. For parallel_for. */
void run_scan_one(void *run, size_t i);

/* Nothing more is of use, for this reason: all; this process. */
void run_fail(struct scan_job *, const struct error *);
void work_stop(struct work *, const struct error *);

/* Is the trace that of the model, by the numbers of its events; of its processes? False with
   run->error set. */
bool run_check_counts(struct scan_job *);
bool run_check_processes(struct scan_job *, uint32_t processes);

#endif
