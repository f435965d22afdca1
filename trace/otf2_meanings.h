/*
 * otf2_meanings.h -- from the raw fields of records to the ids of events. Private to the reader of
 * OTF2 archives.
 *
 * What a record means is worked out once for each distinct one: a table leads from its raw fields
 * to the id of its event, so that the usual record costs one look into it (and what is seldom
 * needed is kept out of line: the callbacks run in some 3 ns).
 */
#ifndef TRACENEST_TRACE_OTF2_MEANINGS_H
#define TRACENEST_TRACE_OTF2_MEANINGS_H

#include "trace/otf2.h"

#define EVENT_TO_NOBODY (UINT32_MAX - 1) /* in place of an event: a message to or from MPI_PROC_NULL */
#define EVENT_UNKNOWN UINT32_MAX

enum raw_kind {
	RAW_SEND,
	RAW_RECV,
	RAW_SYNC,
	RAW_CALL,
	RAW_RETURN,
	RAW_REGION_SYNC,
	RAW_SEND_SHAPE,
	RAW_RECV_SHAPE,
	RAW_ONE_SIDED,
	RAW_EPOCH,
	RAW_WINDOW_SYNC
};

struct raw_key {
	uint64_t low, high;
};

struct meaning {
	struct raw_key raw;
	uint32_t event; /* EVENT_UNKNOWN: an empty slot */
};

/* Messages that differ in peer and number alone. */
struct message_shape {
	uint32_t event; /* that of them to or from 0, with the number 0 */
	uint32_t distinct; /* how many have ids */
};

/* Of one process. */
struct meanings {
	/* the table, of open addressing */
	struct meaning *slot;
	size_t size, count;
	/* what it takes to fill it */
	const struct definitions *definitions;
	struct dictionary *dictionary;
	uint32_t rank;
	uint32_t tag_stem, self; /* in the dictionary */
	uint32_t distinct; /* messages of a shape that get ids; 0: all */
	struct message_shape *shape;
	size_t shapes, shape_capacity;
	struct error *error;
};

/* error: set where a record cannot be understood; borrowed, as the archive is. */
void meanings_start(struct meanings *, struct archive *, uint32_t rank, struct error *);
void meanings_clear(struct meanings *);

static inline struct raw_key raw_of(enum raw_kind kind, uint32_t peer, uint32_t communicator, uint32_t number)
{
	return (struct raw_key){(uint64_t)communicator << 32 | peer, (uint64_t)kind << 32 | number};
}

static inline size_t meanings_home(const struct meanings *m, struct raw_key raw)
{
	uint64_t h = (raw.low ^ raw.high * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(h >> 32) & (m->size - 1);
}

static inline struct meaning *meanings_slot(const struct meanings *m, struct raw_key raw)
{
	for (size_t at = meanings_home(m, raw);; at = (at + 1) & (m->size - 1)) {
		struct meaning *slot = &m->slot[at];
		if ((slot->raw.low == raw.low && slot->raw.high == raw.high) || slot->event == EVENT_UNKNOWN)
			return slot;
	}
}

/* The event of a record: EVENT_UNKNOWN if none was like it. */
static inline uint32_t meanings_event(const struct meanings *m, struct raw_key raw)
{
	return meanings_slot(m, raw)->event;
}

/* Of an operation: posted by one call, completed by another; MPI does not match it with a blocking
   one, so it has a name of its own, MPI_Ibcast. */
#define OPERATION_POSTED (UINT32_C(1) << 31)

/* The same for the first one of its kind: false where the archive is damaged, with the error
   set. */
bool meanings_understand_message(
	struct meanings *, enum raw_kind, uint32_t peer, uint32_t communicator, uint32_t number, struct trace_event *);
bool meanings_understand_sync(
	struct meanings *, uint32_t operation, uint32_t communicator, uint32_t root, uint32_t *event);

bool meanings_understand_one_sided(
	struct meanings *, uint32_t kind, uint32_t peer, uint32_t window, uint32_t region, uint32_t *event);
bool meanings_understand_window_sync(
	struct meanings *, uint32_t operation, uint32_t window, uint32_t region, uint32_t *event);

/* What record this is: false as above. A message beyond the first `distinct` of its shape has no
   id, but that shape, its peer and its number. */
static inline bool meanings_message(struct meanings *m, enum raw_kind kind, uint32_t peer, uint32_t communicator,
	uint32_t tag, struct trace_event *event)
{
	event->event = meanings_event(m, raw_of(kind, peer, communicator, tag));
	return event->event != EVENT_UNKNOWN || meanings_understand_message(m, kind, peer, communicator, tag, event);
}

static inline bool meanings_sync(
	struct meanings *m, uint32_t operation, uint32_t communicator, uint32_t root, uint32_t *event)
{
	*event = meanings_event(m, raw_of(RAW_SYNC, root, communicator, operation));
	return *event != EVENT_UNKNOWN || meanings_understand_sync(m, operation, communicator, root, event);
}

/* kind: EVENT_KINDS: the region that it is in tells. */
static inline bool meanings_one_sided(
	struct meanings *m, uint32_t kind, uint32_t peer, uint32_t window, uint32_t region, uint32_t *event)
{
	enum raw_kind raw = kind == EVENT_KINDS ? RAW_EPOCH : RAW_ONE_SIDED;
	*event = meanings_event(m, raw_of(raw, peer, window, kind == EVENT_KINDS ? region : kind));
	return *event != EVENT_UNKNOWN || meanings_understand_one_sided(m, kind, peer, window, region, event);
}

/* region: the call that it is in, which has its name. */
static inline bool meanings_window_sync(
	struct meanings *m, uint32_t operation, uint32_t window, uint32_t region, uint32_t *event)
{
	*event = meanings_event(m, raw_of(RAW_WINDOW_SYNC, region, window, operation));
	return *event != EVENT_UNKNOWN || meanings_understand_window_sync(m, operation, window, region, event);
}

/* The call or return of a region, or the collective that its name tells of (RAW_REGION_SYNC). */
uint32_t meanings_region(struct meanings *, enum raw_kind, uint32_t region);

/* A local event described by these words, of which the last is a name from outside (or NULL). */
uint32_t meanings_local(struct meanings *, const char *words, const char *name);

#endif
