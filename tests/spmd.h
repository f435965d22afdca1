/*
 * spmd.h -- random SPMD programs, made as programs, and their runs.
 *
 *	struct spmd *program = spmd_new(seed, SPMD_ANY);
 *	struct spmd_run *run = spmd_run(program);	-- one stream of events per process
 *
 * A run is consistent by construction: communications happen one after the other, each complete,
 * and every process logs what it has part in. The same seed makes the same program, and the same
 * program the same run.
 */
#ifndef TRACENEST_TESTS_SPMD_H
#define TRACENEST_TESTS_SPMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/dictionary.h"
#include "model/model.h"
#include "tests/oracle.h"

enum spmd_style {
	/* no two statements share a channel, every loop connects its processes: its global model is
	   known */
	SPMD_ALIGNED,
	SPMD_ANY, /* channels shared, iterations peeled, loops rotated, messages delayed, receives in any order */
	SPMD_STYLES
};

struct spmd;

struct spmd *spmd_new(uint64_t seed, enum spmd_style);
void spmd_free(struct spmd *);

uint32_t spmd_processes(const struct spmd *);

/* Statements can be switched off, and loops shortened, to find the smallest program that shows a
   failure. */
size_t spmd_statements(const struct spmd *);
bool spmd_off(struct spmd *, size_t statement, bool off); /* returns how it was */
/* of a loop: returns the old one; 0: it is no loop */
uint64_t spmd_count(struct spmd *, size_t statement, uint64_t count);

/* The program for people. */
void spmd_print(const struct spmd *, struct text *);

/* Its loops as the global model of an aligned program must have them: nested, each as
   COUNTxRANKS(...), sorted. */
void spmd_print_loops(const struct spmd *, struct text *);

struct spmd_run {
	struct dictionary *dictionary;
	struct stream *stream; /* by process */
	uint32_t processes;
	uint64_t events;
};

struct spmd_run *spmd_run(const struct spmd *);
void spmd_run_free(struct spmd_run *);

/* Its global model, as the library makes it; the caller's. */
struct model *spmd_model(const struct spmd_run *);

/* Random numbers below a limit, the same everywhere. */
uint64_t spmd_draw(uint64_t *seed, uint64_t below);

#endif
