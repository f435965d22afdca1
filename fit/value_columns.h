/*
 * value_columns.h -- what the events of a run carry (sizes, datatypes, call sites), kept in columns
 * while streams are read, and made functions of the finished program.
 *
 *	struct value_columns *c = value_columns_new("bytes,type", true, false);
 *	value_columns_room(c, processes);			-- before several threads push
 *	value_columns_push(c, rank, dictionary, &event);	-- each event of each process, in order
 *	value_columns_finish(c, jobs);
 *	if (!value_columns_attach(c, draft, true, &error))	-- events get their attributes
 *		...
 *	value_columns_free(c);
 *
 * Recognition, merging and folding know nothing of values, so that these never break a loop. The
 * k-th event of a kind (what it is, to whom, its tag, its communicator) of a process in the stream
 * is the k-th one in the program, whatever its lines are by then: so there is a column
 * (base/series.h) for each process, kind and name, in the memory of what does not repeat. Where the
 * program has to drop communicators, so have the kinds, in the order of the stream.
 */
#ifndef TRACENEST_FIT_VALUE_COLUMNS_H
#define TRACENEST_FIT_VALUE_COLUMNS_H

#include "base/pack.h"
#include "model/call_paths.h"
#include "model/dictionary.h"
#include "model/draft.h"
#include "model/run.h"
#include "model/site_paths.h"
#include "trace/trace.h"

struct value_columns;

/* Names as trace/event_values.h has them, borrowed. sites: where events are, too. common: all
   processes speak of one dictionary, as those of text traces do. */
struct value_columns *value_columns_new(const char *names, bool sites, bool common);
void value_columns_free(struct value_columns *);

void value_columns_room(struct value_columns *, size_t processes);

/* Different processes may push at once. Amortized O(attributes). */
void value_columns_push(struct value_columns *, uint32_t rank, const struct dictionary *, const struct trace_event *);

/*
 * The same where the event carries what the last one of its kind did, bytes alone, as most do:
 * true, and it is pushed. Else nothing is done. The lane of a process, which knows its kinds, is
 * for this alone; it stays where it is until value_columns_room makes room.
 */
struct value_run {
	uint64_t bytes; /* the last event carried these, and nothing else, if it is plain */
	uint64_t times; /* that many events more did the same, which are not counted yet */
	bool plain;
};

struct value_lane {
	struct value_run *run; /* by kind */
	uint32_t *kind_of; /* by event, twice, and by whether it is a shape: 0: not known, else plus one */
	size_t length, capacity;
};

struct value_lane *value_columns_lane(struct value_columns *, uint32_t rank);

static inline bool value_lane_extend(struct value_lane *l, const struct trace_event *e)
{
	size_t at = 2 * (size_t)e->event;
	if (at >= l->length || e->shape || !l->kind_of[at])
		return false;
	struct value_run *a = &l->run[l->kind_of[at] - 1];
	if (a->bytes != e->bytes || !a->plain || !e->sized || e->exchanged || e->site || e->attribute_count)
		return false;
	a->times++;
	return true;
}

/* No more events. */
void value_columns_finish(struct value_columns *, unsigned jobs);
void value_columns_finish_process(struct value_columns *, uint32_t rank);

/* What a process has carried is told elsewhere. */
void value_columns_forget(struct value_columns *, uint32_t rank);

/* What a process carried, which has finished, for another process that makes the program; and taken
   in there. Peers are told relative to the rank, so that processes that do the same are told
   alike. communicator: as dictionary_unpack has it. */
void value_columns_pack(const struct value_columns *, uint32_t rank, struct text *);
void value_columns_unpack(struct value_columns *, uint32_t rank, const int64_t *communicator, struct unpack *);

/* A process carried, relative to itself, what another one did that was taken in. */
void value_columns_like(struct value_columns *, uint32_t rank, uint32_t other);

/*
 * Communicators are not named in the program: kinds that nothing else tells apart become one, which
 * carries what they carried in the order of the process's events. These are told one by one,
 * between the two, by their ids or as events that advance; NULL: no kinds become one. Different
 * processes at once. O(kinds); where any become one, O(events).
 */
struct value_dropping;
struct value_dropping *value_columns_drop_communicators(
	struct value_columns *, uint32_t rank, const struct dictionary *);
void value_dropping_event(void *dropping, uint32_t event);
void value_dropping_advancing(void *dropping, const struct event *, const struct tag *);
void value_dropping_finish(struct value_dropping *); /* NULL is fine */

/* Is of any event known where it is? */
bool value_columns_have_sites(const struct value_columns *);

/* What paths mean that were known before their names: gives a name each, which the caller frees. */
struct site_names {
	void *context;
	void (*name)(void *context, const char *const *path, size_t count, char **name);
};

/* Once all is there: paths have these names from now on. */
void value_columns_name_sites(struct value_columns *, const struct site_names *);

/*
 * Where each event of a process happened, in the order of its stream, which the run is of: the
 * caller's. NULL: the streams had other events. O(events).
 */
struct call_point *value_columns_points(
	const struct value_columns *, struct run *, uint32_t rank, struct call_paths *, uint64_t events);

/*
 * Events of the draft get their attributes; those that they have already stay. sites: NULL, or of
 * the draft: lines get their call paths. False with *error set if a process executes more or fewer
 * events of a kind than have carried something. tables: for what follows no formula; else no event
 * has it. O(lines x processes); where what a kind of event carries varies, O(events).
 */
bool value_columns_attach(struct value_columns *, struct draft *, bool tables, struct sites *sites, struct error *);

/* The names that no event has for that reason, "bytes, type"; NULL: none. Until values are attached
   to another draft. */
const char *value_columns_left_out(const struct value_columns *);

#endif
