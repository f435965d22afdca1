/*
 * event_record.h -- a record of an event file, as who writes it tells of it, and as it is read:
 * from the file, or from where the records of a location are kept (kept.h).
 */
#ifndef TRACENEST_TRACE_EVENT_RECORD_H
#define TRACENEST_TRACE_EVENT_RECORD_H

#include <stddef.h>
#include <stdint.h>

enum event_record_kind {
	RECORD_ENTER,
	RECORD_LEAVE,
	RECORD_MEASUREMENT,
	RECORD_SEND,
	RECORD_ISEND,
	RECORD_ISEND_COMPLETE,
	RECORD_RECV,
	RECORD_IRECV_REQUEST,
	RECORD_IRECV,
	RECORD_CANCELLED,
	RECORD_COLLECTIVE_BEGIN,
	RECORD_COLLECTIVE_END,
	RECORD_COLLECTIVE_REQUEST,
	RECORD_COLLECTIVE_COMPLETE,
	RECORD_ONE_SIDED, /* the communicator is a window; number: enum event_kind */
	RECORD_WINDOW_SYNC, /* a collective of a window, as RECORD_COLLECTIVE_END */
	/* of other recorders */
	RECORD_SAMPLE, /* of a calling context */
	RECORD_PARAMETER_STRING,
	RECORD_PARAMETER_INT,
	RECORD_PARAMETER_UNSIGNED,
	RECORD_FORK,
	RECORD_JOIN,
};

struct record_attribute {
	uint32_t id, type; /* as OTF2 has them */
	uint64_t value; /* the bytes of the library's union; those beyond the type are 0 */
};

/* All numbers are those of the archive. Without padding, for kept.c compares bytes. */
struct event_record {
	uint64_t time, request;
	uint64_t bytes; /* of a message; sent in a collective; the value of a parameter */
	uint64_t received; /* in a collective */
	uint32_t id; /* a region, a peer, a root, a parameter; so many threads; of a measurement: its mode */
	uint32_t communicator;
	uint32_t number; /* a tag, or an operation */
	uint32_t context; /* one more than the calling context that is entered, left, or sampled; 0: none is */
	uint32_t distance; /* so many of its innermost frames, but one, were entered since the one before; 0: none */
	uint16_t kind; /* enum event_record_kind */
	uint16_t attributes;
	const struct record_attribute *attribute; /* borrowed */
};

/* NULL: it has none of this name and type. */
static inline const struct record_attribute *record_attribute(const struct event_record *r, uint32_t id, uint32_t type)
{
	for (uint32_t i = 0; r && i < r->attributes; i++)
		if (r->attribute[i].id == id)
			return r->attribute[i].type == type ? &r->attribute[i] : NULL;
	return NULL;
}

#endif
