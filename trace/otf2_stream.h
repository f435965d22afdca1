/*
 * otf2_stream.h -- the records of one location become the events of one process. Private to the
 * reader of OTF2 archives.
 */
#ifndef TRACENEST_TRACE_OTF2_STREAM_H
#define TRACENEST_TRACE_OTF2_STREAM_H

#include "base/intern.h"
#include "trace/call_path.h"
#include "trace/postings.h"
#include "trace/event_writer.h"
#include "trace/receive_order.h"
#include "trace/otf2.h"
#include "trace/otf2_meanings.h"
#include "trace/otf2_threads.h"

/* Of one record; what is beyond is not told. */
#define STREAM_ATTRIBUTES EVENT_ATTRIBUTES

/* Where sites come from: an attribute of records, or the regions around where there is none;
   whoever gives the records. */
enum stream_sites { SITES_UNWANTED, SITES_RECORDED, SITES_TOLD };

struct stream {
	struct archive *archive;
	const struct definitions *definitions;
	uint32_t rank;
	uint64_t location;
	const struct trace_sink *sink;
	struct error *error;
	struct meanings meanings;
	struct receive_order order;
	bool merged; /* it is one of several, whose events go by this number, not by rank: */
	uint32_t feed;
	struct thread_sense sense;
	bool anonymous; /* what events are is of no interest, only that they are */
	unsigned wanted; /* flags of regions whose calls and returns are events */
	unsigned interesting; /* flags of regions that must be looked at more closely */
	unsigned seen; /* flags of the regions seen so far */
	const struct region *region; /* the last one entered, which most often is left next; NULL: none was */
	uint32_t entered; /* its id */
	unsigned inside; /* the last call entered; TRACE_NO_CALL: it has been left */
	bool failed; /* a callback wants no more */
	bool refused; /* it was the receiver of the events, and the error is the receiver's */
	/* what records carry besides sizes is asked for; or what tells calls apart alone */
	enum stream_carrying { CARRYING_NOTHING, CARRYING_USUAL, CARRYING_ALL } carrying;
	struct trace_attribute attribute[STREAM_ATTRIBUTES]; /* of the record at hand */
	struct intern *figures; /* words for numbers with a point */
	enum stream_sites siting;
	uint32_t site_string, site_path; /* of the last site that was recorded, */
	const char *site; /* which is this; or of the record at hand, where it is told */
	uint32_t kept_path, newly; /* of that site: what was kept of it last, and how many calls are further in */
	const char *kept_site;
	struct call_path path;
	uint32_t context; /* where calling contexts are entered: the one at hand, ... */
	uint32_t context_kept; /* ... and how many of its frames go on since the event before; */
	bool context_vague; /* ... which is not known */
	struct postings postings;
	uint64_t events;
	struct stream_facts *facts;
	struct library_call call;
};

/* Begin at the first record: archive, rank, sink, error, facts and anonymous are set, all else is
   0. */
void stream_begin(struct stream *);
void stream_clear(struct stream *);

/* No more records: what is held back is delivered. */
bool stream_end(struct stream *);

/* The ordering of receives begins anew, with nothing under way. */
void stream_order(struct stream *);

/* What a record carries goes into the event: otf2_attributes.c. */
void stream_attributes(struct stream *, const struct event_record *, struct trace_event *);

/* Where in the program the record is, and which calls there are new. */
void stream_site(struct stream *, const struct event_record *, struct trace_event *);

/* The next record: false as soon as one cannot be understood, or the receiver wants no more. Of the
   type of a record_sink. */
bool stream_take(void *stream, const struct event_record *);

#endif
