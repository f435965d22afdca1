/*
 * call_sites.h -- what the call sites of a program do: its events by site and rank, counted.
 *
 *	struct call_sites *c = call_sites_of(run, words, true);
 *	for (uint32_t i = 0; i < intern_count(c->calls); i++)
 *		... call_sites_get(c, i)->rank, c->count[i]
 *	call_sites_free(c);
 *
 * Which lines a program has depends on how it was folded; this does not. Words of events and of
 * what they carry, and groups, are ids of `words`, so that calls of two programs can be compared.
 */
#ifndef TRACENEST_ASK_CALL_SITES_H
#define TRACENEST_ASK_CALL_SITES_H

#include "base/intern.h"
#include "model/dictionary.h"
#include "model/member_sets.h"

/* What is not told. */
#define CALL_UNTOLD INT64_MIN

/* Names of what is looked at. */
#define CALL_CARRIED 8

/* Executions of one rank that are alike. All bytes are fields. */
struct site_call {
	uint32_t site; /* of the program */
	uint32_t rank, kind, word; /* kind: enum event_kind */
	uint32_t peer; /* of a collective its root, or NO_ROOT */
	uint32_t group; /* of a collective (call_sites_group); else 0 */
	uint32_t numbered;
	uint32_t call, other; /* MPI_Isend, MPI_Waitall (trace/postings.h): words; INTERN_NONE */
	uint32_t loose; /* a wildcard, or completed by a call that takes what comes first */
	uint64_t number;
	int64_t communicator, bytes, received, apart;
};

/* A line of the source, or several that one statement stands for, and what is called there. */
struct call_site {
	const char *words; /* "rhs.f:203 compute_rhs"; "": not known */
	struct site parts;
	uint32_t kind, word; /* word: the name of a collective; else 0 */
	uint32_t first; /* itself, or another one that it cannot be told apart from (call_sites_first) */
};

struct call_sites {
	struct run *run;
	const struct module *module; /* without calls */
	struct member_sets *members;
	struct call_site *site;
	uint32_t sites;
	struct intern *keys, *names, *calls; /* of sites; their words; of struct site_call */
	uint64_t *count; /* by call */
	size_t capacity;
	bool located;
	struct intern *words;
	/* by line: where all its events are; INTERN_NONE: not known yet, or events carry theirs */
	uint32_t *site_of;
	uint32_t carried[CALL_CARRIED]; /* names of what events carry: words of the store */
};

/* Borrows all. located: by call sites; else as if the program told none. O(events). */
struct call_sites *call_sites_of(struct run *, struct intern *words, bool located);
void call_sites_free(struct call_sites *);

uint32_t call_sites_first(const struct call_sites *, uint32_t site);
const struct site_call *call_sites_get(const struct call_sites *, uint32_t id);

/* Does the program tell where any event is? Do its events carry anything by this name? */
bool call_sites_are_located(const struct module *);
bool call_sites_carry(const struct module *, const char *name);

/* The event that a cursor of the program stands at. */
void call_sites_at(struct call_sites *, struct cursor *, struct site_call *);

/* The group of a call; borrowed from the words. */
struct ranks call_sites_group(const struct intern *words, const struct site_call *);

#endif
