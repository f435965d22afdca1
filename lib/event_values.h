/*
 * event_values.h -- what the events of a run carry (sizes, datatypes, call sites), kept while
 * streams are read and made functions of the finished program.
 *
 *	struct event_values *c = event_values_new("bytes,type", true, false);
 *	event_values_room(c, processes);				-- before several threads push
 *	event_values_push(c, rank, dictionary, &event);		-- each event of each process, in order
 *	event_values_finish(c, jobs);
 *	if (!event_values_attach(c, program, true, &error))	-- statements get their attributes and sites
 *		...
 *	event_values_free(c);
 *
 * Recognition, merging and folding know nothing of values, so that these never break a loop. The
 * k-th event of a kind (what it is, to whom, its tag, its communicator) of a process in the stream
 * is the k-th one in the program, wherever its statements stand by then: so values are kept by
 * process and kind, as series (base/series.h), in the memory of what does not repeat. Where the
 * program has to drop communicators, so have the kinds, in the order of the stream.
 */
#ifndef TRACENEST_LIB_EVENT_VALUES_H
#define TRACENEST_LIB_EVENT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pack.h"
#include "nlr/affine_events.h"
#include "ask/projection.h"
#include "model/call_paths.h"
#include "model/dictionary.h"
#include "model/program.h"
#include "model/site_paths.h"
#include "trace/trace.h"

/* Names of attributes: "bytes,type"; "all"; "none"; NULL: bytes and received, where any is not
   0. */
bool event_values_is_asked(const char *names, const char *name, size_t length);
bool event_values_asks_more(const char *names); /* than sizes, which every event has a field for */
bool event_values_asks_calls(const char *names); /* "call" and what goes with it (trace/postings.h) */
bool event_values_asks_none(const char *names);

/* What an event of a trace carries under a name. digits: room for a number too large for one. */
#define EVENT_VALUES_DIGITS 32
struct attribute_value event_values_value(
	const struct trace_event *, const char *name, size_t length, char digits[EVENT_VALUES_DIGITS]);

/* Behind an event's line, " ; bytes=800 type=MPI_INT": those of these names, bytes and received
   first; timed: before them its time, where it has one. Nothing where it carries none. */
void event_values_print(const struct trace_event *, const char *names, bool timed, struct text *);

struct event_values;

/* Borrows the names. sites: where events are, too. common: all processes speak of one dictionary,
   as those of text traces do. */
struct event_values *event_values_new(const char *names, bool sites, bool common);
struct event_values *event_values_copy(const struct event_values *); /* of a finished one */
void event_values_free(struct event_values *);

void event_values_room(struct event_values *, size_t processes);

/* Different processes may push at once. Amortized O(attributes). */
void event_values_push(struct event_values *, uint32_t rank, const struct dictionary *, const struct trace_event *);

/*
 * The same where the event carries what the last one of its kind did, bytes alone, as most do:
 * true, and it is pushed. Else nothing is done. The lane of a process, which knows its kinds, is
 * for this alone; it stays where it is until event_values_room makes room.
 */
struct event_values_run {
	uint64_t bytes; /* the last event carried these, and nothing else, if it is plain */
	uint64_t times; /* that many events more did the same, which are not counted yet */
	bool plain;
};

struct event_values_lane {
	struct event_values_run *run; /* by kind */
	uint32_t *kind_of; /* by event: 0: not known, else plus one */
	size_t events, events_capacity;
};

struct event_values_lane *event_values_lane(struct event_values *, uint32_t rank);

static inline bool event_values_extend_run(struct event_values_lane *l, const struct trace_event *e)
{
	if (e->event >= l->events || e->shape || !l->kind_of[e->event])
		return false;
	struct event_values_run *a = &l->run[l->kind_of[e->event] - 1];
	if (a->bytes != e->bytes || !a->plain || !e->sized || e->exchanged || e->site || e->attribute_count)
		return false;
	a->times++;
	return true;
}

/* No more events. */
void event_values_finish(struct event_values *, unsigned jobs);
void event_values_finish_process(struct event_values *, uint32_t rank);

/* What a process has carried is told elsewhere. */
void event_values_forget(struct event_values *, uint32_t rank);

/* What a process carried, which has finished, for another process that makes the program; and taken
   in there. Peers are told relative to the rank, so that processes that do the same are told
   alike. communicator: as dictionary_unpack has it. */
void event_values_pack(const struct event_values *, uint32_t rank, struct text *);
void event_values_unpack(struct event_values *, uint32_t rank, const int64_t *communicator, struct unpack *);

/* A process carried, relative to itself, what another one did that was taken in. Nothing of its own
   is kept, but where something varies. */
void event_values_like(struct event_values *, uint32_t rank, uint32_t other);

/* Communicators are not named in the program: kinds that nothing else tells apart become one, which
   carries what they carried in the order of the process's events, of its nest or (nest NULL) of what
   advances. O(kinds); where any become one, O(events). Different processes at once. */
void event_values_drop_communicators(struct event_values *, uint32_t rank, const struct dictionary *,
	const struct nest *, const struct affine_events *);

/* Where each event of a process happened, in the order of its stream, which the projection is of:
   the caller's. NULL: the streams had other events. O(events). */
struct call_point *event_values_points(const struct event_values *, struct program *, struct projection *,
	uint32_t rank, struct call_paths *, uint64_t events);

/* Is of any event known where it is? */
bool event_values_has_sites(const struct event_values *);

/* What paths mean that were known before their names: gives a name each, which the caller frees. */
struct site_names {
	void *context;
	void (*name)(void *context, const char *const *path, size_t count, char **name);
};

/* Once all is there: paths have these names from now on. */
void event_values_name_sites(struct event_values *, const struct site_names *);

/* The program must be that of the streams: false if a process executes more or fewer events of a
   kind than have carried something. O(statements x processes); where what a kind of event carries
   varies, O(events). tables: for what follows no formula; else no statement has it. */
bool event_values_attach(struct event_values *, struct program *, bool tables, struct error *);

/* The names that no statement has for that reason, "bytes, type"; NULL: none. */
const char *event_values_left_out(const struct event_values *);

#endif
