/*
 * kept.h -- an archive that stays open, and the records of its locations in memory: who reads it
 * again (the program first, then the times) neither opens a file nor has it decoded again.
 *
 *	struct kept *k = kept_new(KEPT_BYTES);
 *	options.keep = k;			-- of all who open that archive, one after the other
 *	...
 *	kept_free(k);
 *
 * A record takes four bytes mostly: what it is, as a number among those that its location has met,
 * and the time since the one before. A location that would take more than is left of the grant is
 * read from its file each time.
 */
#ifndef TRACENEST_TRACE_KEPT_H
#define TRACENEST_TRACE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event_record.h"

struct kept;
struct kept_lane; /* of one location */

/* A grant of so many bytes. */
struct kept *kept_new(uint64_t bytes);
#define KEPT_BYTES (UINT64_C(64) << 20) /* where it will be read again: 15 million records */
#define KEPT_ONCE_BYTES (UINT64_C(8) << 20) /* where nobody asked for it: opening it may read it, too */
void kept_free(struct kept *); /* NULL is fine */

/* Whoever closes the archive leaves it open here; false: another one is. Fetched again, it is who
   fetches it that has it; NULL: none is here. kept_free closes it. */
bool kept_leave(struct kept *, void *archive, void (*close)(void *archive));
void *kept_fetch(struct kept *);

/* May so many records be kept, too? Different lanes may be filled from different threads. */
bool kept_affords(const struct kept *, uint64_t records);
struct kept_lane *kept_lane_new(struct kept *);
void kept_lane_free(struct kept_lane *); /* NULL is fine; before the grant */
bool kept_add(struct kept_lane *, const struct event_record *); /* false: more than is granted */
void kept_end(struct kept_lane *); /* there are no more */

/* Reading them. Starts as {0}. */
#define KEPT_ATTRIBUTES 16
struct kept_place {
	size_t at;
	uint64_t time; /* of the record before */
	struct record_attribute attribute[KEPT_ATTRIBUTES]; /* of the record at hand, where they differ */
};

/* The next record, whose attributes are borrowed until the next call; false: there are no more. */
bool kept_next(const struct kept_lane *, struct kept_place *, struct event_record *);

#endif
