/*
 * value_kinds.h -- the kinds of events of a process, and the columns of each: what the files of
 * value_columns.h share.
 */
#ifndef TRACENEST_FIT_VALUE_KINDS_H
#define TRACENEST_FIT_VALUE_KINDS_H

#include "base/intern.h"
#include "base/series.h"
#include "fit/value_columns.h"
#include "model/member_sets.h"

/* What stands in a column for no value, and for words (by their ids, from here on). */
#define ABSENT INT64_MIN
#define WORDS (INT64_C(1) << 61)

/* By name, but the first ones. Sites, and which calls there are new, are no attributes: no
   attribute can have their names. */
enum { SLOT_BYTES, SLOT_RECEIVED, SLOT_SITES, SLOT_ENTERED, SLOTS_KNOWN };

/* Numbers of ENTERED: twice as many frames, and whether the others were not. */
#define ENTERED_EXACT 1
#define ENTERED_FRAME 2

/* All bytes are fields. */
struct value_kind {
	uint32_t kind; /* enum event_kind */
	uint32_t shape; /* all that differ in peer and number, but those that have a kind of their own */
	uint32_t peer; /* or a collective's root */
	uint32_t word, group; /* ids of the process's words and groups */
	uint32_t numbered;
	uint64_t number;
	int64_t communicator; /* of a local event: 0 */
};

/* What the events of one kind carried. */
struct value_source {
	uint64_t events;
	/* by slot, as long as there are events: what came last, so many times, is not in the column
	   yet */
	struct pending {
		int64_t number;
		uint64_t times;
		uint64_t length; /* of the column, and these */
	} * pending;
	struct series **column; /* by slot; NULL: none carried it */
	uint32_t slots;
};

struct value_process {
	/* 1 + the process that carried the same, whose kinds have peers relative to it; 0: it has
	   what follows itself */
	uint32_t like;
	struct intern *words, *groups, *kinds, *names; /* names by slot; kinds NULL: no events */
	bool *asked; /* by slot */
	size_t asked_capacity;
	struct value_source *source; /* by kind */
	size_t source_capacity, run_capacity;
	struct value_lane lane;
	struct intern *own; /* where all processes speak of one dictionary: numbers of this one's events */
	struct site_seen *seen; /* NULL: none */
	bool unfit; /* communicators were dropped of other events than those that carried something */
};

struct value_columns {
	const char *asked;
	bool sites; /* where events are is wanted */
	bool common; /* all processes speak of one dictionary */
	struct value_process *process;
	size_t processes, capacity;
	struct intern *unnamed; /* paths; NULL: paths are what they mean */
	char **name; /* of these */
	struct text left_out;
};

/* The process that what another one carried stands at. */
static inline uint32_t value_owner(const struct value_columns *c, uint32_t rank)
{
	return c->process[rank].like ? c->process[rank].like - 1 : rank;
}

static inline struct series *value_column(const struct value_source *s, uint32_t slot)
{
	return slot < s->slots ? s->column[slot] : NULL;
}

uint32_t value_source_of_kind(struct value_process *, const struct value_kind *); /* new, if need be */

/* That of an event which is not local, by its own tag, which the dictionary need not have; of any. */
struct value_kind value_kind_of_message(
	struct value_process *, const struct dictionary *, const struct event *, const struct tag *, bool shape);
struct value_kind value_kind_of(struct value_process *, const struct dictionary *, const struct event *, bool shape);

/* A value of the event at hand, which is not counted yet. */
void value_source_put(struct value_source *, uint32_t slot, int64_t number);
void value_source_clear(struct value_source *);
void value_process_finish(struct value_process *);

/* ------------------------------------------------------------------ of lines: fit/deal_values.c */

/* Where a process is in a run, and what carried its events. */
struct value_places {
	const struct value_columns *columns;
	struct run *run;
	struct member_sets *members;
	struct environment at; /* before the first statement */
	const struct value_process *process; /* the owner */
	uint32_t owner;
};
struct value_places value_places_new(const struct value_columns *, struct run *);
void value_places_clear(struct value_places *);
/* False: the process has carried nothing. */
bool value_places_start(struct value_places *, uint32_t rank);

/* The kind of an event, of the owner's; INTERN_NONE: it had no such event. */
uint32_t value_places_kind(struct value_places *, struct environment *, node_id event);
/* The indices that decide which kind it is (USES_INDEX). */
uint64_t value_places_indices(const struct store *, node_id event);

/* What a process's executions of a line carry. */
struct line_values {
	uint32_t rank;
	const struct value_process *process; /* whose words and names these are */
	struct series *const *column; /* by slot */
	uint32_t slots;
};

struct dealt_values;

/* NULL with *error set: the program is not that of the streams. O(lines x processes); of what
   several lines share and varies, O(events). */
struct dealt_values *deal_values(const struct value_columns *, struct run *, struct error *);
void dealt_values_free(struct dealt_values *);

/* By process that executes the line. Borrowed until the next line is asked for. */
const struct line_values *dealt_values_of(struct dealt_values *, size_t line, size_t *count);

/* The call paths of each line: fit/value_sites.c. */
void locate_values(const struct value_columns *, struct dealt_values *, const struct module *, struct sites *);

/* Sets the error, and gives false. */
bool values_unfit(struct error *, uint32_t rank);

#endif
