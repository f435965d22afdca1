/*
 * dictionary.h -- what events are made of: words, tags, sets of ranks, sync channels, and the
 * events themselves, each interned.
 *
 * An event is stored once; everywhere else (records of the recognizer, leaves of a model) it is one
 * integer. A dictionary is used by one thread at a time; streams read in parallel have one each,
 * brought together by dictionary_import.
 */
#ifndef TRACENEST_MODEL_DICTIONARY_H
#define TRACENEST_MODEL_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/ranks.h"
#include "base/text.h"
#include "model/event_kinds.h"

#define NO_COMMUNICATOR INT64_C(-1) /* not named: the world */
#define NO_ROOT UINT32_MAX

/* "tag3000@2": stem "tag", number 3000, communicator 2. A tag without a number, or whose number has
   leading zeros, is all stem. */
struct tag {
	uint32_t stem; /* a word that ends with no digit if a number follows; may be the empty one ("3000") */
	bool numbered;
	uint64_t number;
	int64_t communicator;
};

/* The k-th sync of every member on one sync channel belongs together. */
struct sync {
	uint32_t name; /* a word: "MPI_Allreduce" */
	uint32_t group; /* a set of ranks */
	int64_t communicator;
};

/* Numbers of tags from this on are words: none advances. */
#define TAG_NUMBER_LIMIT (UINT64_C(1) << 60)

/*
 * An event that stands for another one in each iteration of loops around, on its way from the
 * recognizer to the program: what is added to the number of its tag and to its peer for each index
 * of these loops, the innermost first. All bytes are the identity; set it to zero first.
 */
#define EVENT_LOOPS 12
struct event_steps {
	int64_t number[EVENT_LOOPS], peer[EVENT_LOOPS];
	uint32_t ring; /* peers are taken modulo this; 0: as they are */
	uint32_t channel; /* the wide channel that a message is on (merge/widen.h); 0: that of its own tag and peer */
};

#define EVENT_CONSTANT 0

/* All 20 bytes are the identity of the event. */
struct event {
	uint32_t kind; /* enum event_kind */
	/* whose it is: a rank; of a sync: the id of a *set* of ranks, one or (in a model) several
	   members at once */
	uint32_t process;
	uint32_t peer; /* send: the destination; recv: the source; sync: the root's rank or NO_ROOT; none: 0 */
	/* send, recv: a tag's id; sync: a sync channel's id; local: a word's id (its description,
	   words one space apart) */
	uint32_t subject;
	uint32_t steps; /* EVENT_CONSTANT; or an id of steps, and all above is that of the first iterations */
};

struct dictionary;

struct dictionary *dictionary_new(void);
struct dictionary *dictionary_copy(const struct dictionary *); /* the same things with the same ids */
void dictionary_free(struct dictionary *);

/* Ids of things; equal things, equal ids. dictionary_event's ids are below 2^31. */
uint32_t dictionary_word(struct dictionary *, const char *word, size_t length);
uint32_t dictionary_tag(struct dictionary *, const struct tag *);
uint32_t dictionary_ranks(struct dictionary *, const struct ranks *);
uint32_t dictionary_rank(struct dictionary *, uint32_t rank); /* the set {rank} */
uint32_t dictionary_sync(struct dictionary *, const struct sync *);
uint32_t dictionary_steps(struct dictionary *, const struct event_steps *); /* EVENT_CONSTANT if all are zero */
uint32_t dictionary_event(struct dictionary *, const struct event *);

/* Ids of those that are known already; INTERN_NONE. */
uint32_t dictionary_find_tag(const struct dictionary *, const struct tag *);
uint32_t dictionary_find_event(const struct dictionary *, const struct event *);

/* Things of ids, borrowed. Events, tags and sync channels stay valid only until the next of their
   kind is added. */
const char *dictionary_get_word(const struct dictionary *, uint32_t id);
const struct tag *dictionary_get_tag(const struct dictionary *, uint32_t id);
struct ranks dictionary_get_ranks(const struct dictionary *, uint32_t id); /* a view: do not change or clear */
const struct sync *dictionary_get_sync(const struct dictionary *, uint32_t id);
const struct event_steps *dictionary_get_steps(const struct dictionary *, uint32_t id); /* of EVENT_CONSTANT: zeros */
bool event_advances_on_ring(const struct event_steps *); /* has its peer any step? */
const struct event *dictionary_get_event(const struct dictionary *, uint32_t id);
uint32_t dictionary_events(const struct dictionary *); /* how many: ids are 0 to n-1 */

/* The processes an event belongs to: one, or all of a sync's. A view into *single or the
   dictionary. */
struct ranks event_processes(const struct dictionary *, uint32_t event, struct ranks_run *single);

/*
 * Add the events of `from` that are wanted (by id; NULL: all) to `to`: result[i] is the id in `to`
 * of event i of `from`, INTERN_NONE where it was not wanted; the caller frees it. With
 * drop_communicators, tags and sync channels lose their communicator (so different events may get
 * one id).
 */
uint32_t *dictionary_import(
	struct dictionary *to, const struct dictionary *from, const bool *wanted, bool drop_communicators);

/* "tag3000@2" */
void tag_print(const struct dictionary *, const struct tag *, struct text *out);

/* One event as a line, without the newline: "0 send 1 tag3000", "0-3 sync MPI_Bcast 0-3 root=0", "0
   local call MPI_Wait". */
void event_print(const struct dictionary *, uint32_t event, struct text *out);

/*
 * A sync of several processes seen by one of them, its event alone: "0-3 sync MPI_Bcast 0-3" is "2
 * sync MPI_Bcast 0-3" to rank 2. Any other event is itself. As a line; as an id.
 */
void event_print_as(const struct dictionary *, uint32_t event, uint32_t rank, struct text *out);
uint32_t event_as(struct dictionary *, uint32_t event, uint32_t rank);

/*
 * Read such a line (NUL-terminated, no newline, comments already cut off; surrounding white space
 * is fine) into *event. Checks the words, their number and ranges, and that a sync's processes are
 * members of its group; refuses what name_clean would have replaced. several: may a sync line name
 * several processes (a model's may, a trace's not)?
 */
bool event_parse(struct dictionary *, const char *line, bool several, uint32_t *event, struct error *);

/* The same, but that the event is not interned, nor the tag of a message, whose subject is not
   set. */
bool event_scan(struct dictionary *, const char *line, bool several, struct event *, struct tag *, struct error *);

/*
 * A name from outside as words that the text forms can carry: blanks and tabs collapse to one
 * space, control characters and '#', ';', '{', '}', and the second of two '/' become %XX; an empty
 * name becomes "?". With one_word, spaces become '_'.
 */
void name_clean(const char *name, bool one_word, struct text *out);

#endif
