/*
 * kept.h -- an archive that is open, and what its records say, kept in memory as they are read for
 * the first time, so that who reads it again (the program first, then the times) need neither look
 * at it nor have it decoded again.
 *
 *	struct kept *k = kept_new(64 << 20);
 *	options.keep = k;			-- of all who open that archive, one after the other
 *	...
 *	kept_free(k);
 *
 * A record takes four bytes mostly: what it is, as a number among those that its process has met,
 * and the time since the one before. Where they would take more than was granted, all are
 * forgotten, and the archive is read again.
 */
#ifndef TRACENEST_TRACE_KEPT_H
#define TRACENEST_TRACE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept;
struct kept_lane; /* of one process */

/* As the library tells it. */
struct kept_what {
	uint32_t kind; /* enum timeline_kind */
	uint32_t peer; /* or root, or region */
	uint32_t communicator;
	uint32_t number; /* tag, or operation */
	uint64_t bytes;
};

struct kept *kept_new(uint64_t bytes);
#define KEPT_BYTES (UINT64_C(64) << 20) /* as much as is usually granted: 15 million records */
void kept_free(struct kept *); /* NULL is fine */

/* Whoever closes the archive leaves it open here; false: another one is. Fetched again, it is who
   fetches it that has it; NULL: none is here. kept_free closes it. */
bool kept_leave(struct kept *, void *archive, void (*close)(void *archive));
void *kept_fetch(struct kept *);

/* The archive has so many processes: before anything else, from one thread, as often as it is
   opened. */
void kept_open(struct kept *, uint32_t processes);

/* Where the records of a process go, from one thread; NULL: they are kept, or shall not be. */
struct kept_lane *kept_begin(struct kept *, uint32_t rank);
void kept_add(struct kept_lane *, const struct kept_what *, uint64_t time, uint64_t request);
void kept_end(struct kept_lane *, uint64_t records); /* so many there were, others among them */

/* Is all there, of all processes? */
bool kept_whole(const struct kept *);

/* Reading them. Starts as {0}. */
struct kept_place {
	size_t at;
	uint64_t time; /* of the record before */
};

/* The next record: the number of what it is; false: there are no more. */
bool kept_next(const struct kept_lane *, struct kept_place *, uint32_t *what, uint64_t *time, uint64_t *request);
const struct kept_lane *kept_lane(const struct kept *, uint32_t rank);
const struct kept_what *kept_what(const struct kept_lane *, uint32_t what);
uint32_t kept_whats(const struct kept_lane *);
uint64_t kept_records(const struct kept_lane *);

#endif
