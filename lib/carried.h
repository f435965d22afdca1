/*
 * carried.h -- what the events of a run carry (sizes, datatypes, call sites), kept while streams
 * are read and made functions of the finished program.
 *
 *	struct carried *c = carried_new("bytes,type", true, false);
 *	carried_room(c, processes);				-- before several threads push
 *	carried_push(c, rank, dictionary, &event);		-- each event of each process, in order
 *	carried_finish(c, jobs);
 *	if (!carried_attach(c, program, true, NULL, &error))	-- statements get their attributes and sites
 *		...
 *	carried_free(c);
 *
 * Recognition, merging and folding know nothing of values, so that these never break a loop. The
 * k-th event of a kind (what it is, to whom, its tag, its communicator) of a process in the stream
 * is the k-th one in the program, wherever its statements stand by then: so values are kept by
 * process and kind, as series (base/series.h), in the memory of what does not repeat. Where the
 * program has to drop communicators, so have the kinds, in the order of the stream.
 */
#ifndef TRACENEST_LIB_CARRIED_H
#define TRACENEST_LIB_CARRIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pack.h"
#include "lib/advancing.h"
#include "model/dictionary.h"
#include "model/program.h"
#include "model/site_paths.h"
#include "trace/trace.h"

/* Names of attributes: "bytes,type"; "all"; "none"; NULL: bytes and received, where any is not
   0. */
bool carried_is_asked(const char *names, const char *name, size_t length);
bool carried_asks_more(const char *names); /* than sizes, which every event has a field for */
bool carried_asks_calls(const char *names); /* "call" and what goes with it (trace/postings.h) */
bool carried_asks_none(const char *names);

/* What an event of a trace carries under a name. digits: room for a number too large for one. */
#define CARRIED_DIGITS 32
struct attribute_value carried_value(
	const struct trace_event *, const char *name, size_t length, char digits[CARRIED_DIGITS]);

/* Behind an event's line, " ; bytes=800 type=MPI_INT": those of these names, bytes and received
   first; timed: before them its time, where it has one. Nothing where it carries none. */
void carried_print(const struct trace_event *, const char *names, bool timed, struct text *);

struct carried;

/* Borrows the names. sites: where events are, too. common: all processes speak of one dictionary,
   as those of text traces do. */
struct carried *carried_new(const char *names, bool sites, bool common);
struct carried *carried_copy(const struct carried *); /* of a finished one */
void carried_free(struct carried *);

void carried_room(struct carried *, size_t processes);

/* Different processes may push at once. Amortized O(attributes). */
void carried_push(struct carried *, uint32_t rank, const struct dictionary *, const struct trace_event *);

/*
 * The same where the event carries what the last one of its kind did, bytes alone, as most do:
 * true, and it is pushed. Else nothing is done. The lane of a process, which knows its kinds, is
 * for this alone; it stays where it is until carried_room makes room.
 */
struct carried_alike {
	uint64_t bytes; /* the last event carried these, and nothing else, if it is plain */
	uint64_t times; /* that many events more did the same, which are not counted yet */
	bool plain;
};

struct carried_lane {
	struct carried_alike *alike; /* by kind */
	uint32_t *kind_of; /* by event: 0: not known, else plus one */
	size_t events, events_capacity;
};

struct carried_lane *carried_lane(struct carried *, uint32_t rank);

static inline bool carried_push_alike(struct carried_lane *l, const struct trace_event *e)
{
	if (e->event >= l->events || e->shape || !l->kind_of[e->event])
		return false;
	struct carried_alike *a = &l->alike[l->kind_of[e->event] - 1];
	if (a->bytes != e->bytes || !a->plain || !e->sized || e->exchanged || e->site || e->attribute_count)
		return false;
	a->times++;
	return true;
}

/* No more events. */
void carried_finish(struct carried *, unsigned jobs);
void carried_finish_process(struct carried *, uint32_t rank);

/* What a process has carried is told elsewhere. */
void carried_forget(struct carried *, uint32_t rank);

/* What a process carried, which has finished, for another process that makes the program; and taken
   in there. Peers are told relative to the rank, so that processes that do the same are told
   alike. communicator: as dictionary_unpack has it. */
void carried_pack(const struct carried *, uint32_t rank, struct text *);
void carried_unpack(struct carried *, uint32_t rank, const int64_t *communicator, struct unpack *);

/* A process carried, relative to itself, what another one did that was taken in. Nothing of its own
   is kept, but where something varies. */
void carried_like(struct carried *, uint32_t rank, uint32_t other);

/* Communicators are not named in the program: kinds that nothing else tells apart become one, which
   carries what they carried in the order of the process's events, of its nest or (nest NULL) of what
   advances. O(kinds); where any become one, O(events). Different processes at once. */
void carried_drop_communicators(
	struct carried *, uint32_t rank, const struct dictionary *, const struct nest *, const struct advancing *);

/* The program must be that of the streams: false if a process executes more or fewer events of a
   kind than have carried something. O(statements x processes); where what a kind of event carries
   varies, O(events). tables: for what follows no formula; else statements go without it. names: of
   sites that were known before these (sites.h); or NULL. */
bool carried_attach(struct carried *, struct program *, bool tables, const struct site_names *names, struct error *);

#endif
