/*
 * otf2.h -- the parts of the reader of OTF2 archives, for each other and for trace.c only.
 */
#ifndef TRACENEST_TRACE_OTF2_H
#define TRACENEST_TRACE_OTF2_H

#include <otf2/otf2.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/series.h"
#include "model/dictionary.h"
#include "trace/cores.h"
#include "trace/cursor.h"
#include "trace/event_values.h"
#include "trace/kept.h"
#include "trace/names.h"
#include "trace/pending.h"
#include "trace/trace.h"

/* ---------------------------------------------------- the library and its moods: otf2_library.c */

/* What a thread is doing inside the OTF2 library, for messages about what goes wrong there. */
struct library_call {
	const char *path;
	struct library_call *outer;
	volatile bool ours; /* just now in the receiver of the events, which the library called */
};

/* From now on errors of the library are kept for library_words, not printed. */
void library_listen(void);

/* From here to library_leave the thread is inside the library on behalf of this call. */
void library_enter(struct library_call *);
void library_leave(void);

/* The first error that the library told of since library_enter, in its words; never NULL. For use
   before library_leave. */
const char *library_words(void);

/* Has it reported an error since library_enter? Some, as of files that cannot be written, it
   reports in no other way. */
bool library_complained(void);

/* DIRECTORY/traces.otf2, to be written by one process: chunks of events and of definitions in
   bytes. NULL: library_words say why. */
OTF2_Archive *library_archive(const char *directory, uint64_t events, uint64_t definitions);

/* -------------------------------------------------------- the files of an archive: otf2_files.c */

struct archive_files {
	char *anchor; /* as named by the user */
	char *stem; /* the anchor without ".otf2"; NULL: files are not laid out one by one */
	uint64_t chunk_bytes; /* of event files */
	uint64_t definitions_chunk_bytes;
	bool compressed;
	bool local_definitions; /* some location has a file of its own definitions, so all must have */
};

/* What the files of a location say of themselves. */
struct event_file {
	uint64_t records; /* UINT64_MAX: not known */
	uint64_t limit; /* no more records than this can be inside */
	uint64_t definitions; /* of its own; UINT64_MAX: not known, or their file is damaged */
};

bool files_check_anchor(const char *path, struct error *);
bool files_check_global(const struct archive_files *, uint64_t *records, struct error *);
/* Where the event file is damaged, *result still holds the limit. */
bool files_check_location(const struct archive_files *, uint64_t location, struct event_file *, struct error *);

/* Of a file that is cut off: the records that are there for certain, at its beginning. What the
   library reads behind them may be anything. */
uint64_t files_whole_records(const struct archive_files *, uint64_t location);
bool files_have(const struct archive_files *, uint64_t location, const char *suffix); /* "evt", "def" */

/* -------------------------------------------------------------- definitions: otf2_definitions.c */

#define NO_RANK UINT32_MAX

struct otf2_group {
	bool self; /* every process by itself */
	bool identity; /* numbers of members in records are world ranks already */
	const uint32_t *member; /* world ranks in order; NO_RANK where the archive names none of its processes */
	size_t length;
	struct ranks set;
	bool damaged; /* some member is NO_RANK */
	struct otf2_group *next; /* of all groups of the archive */
};

struct otf2_communicator {
	uint32_t id;
	int64_t name; /* NO_COMMUNICATOR for the world */
	struct otf2_group *local; /* of an intercommunicator: one of its two groups, the other being `remote` */
	struct otf2_group *remote;
	bool between; /* of our own archives: two groups, `local` has both */
	struct ranks both;
};

enum region_flags {
	REGION_ANY = 1, /* also of undefined regions */
	REGION_DEFINED = 2,
	REGION_MPI = 4,
	REGION_COMPLETES_SEVERAL = 8,
	REGION_COLLECTIVE = 16, /* its name is that of a blocking collective */
	REGION_INTERNAL = 32, /* the measurement system's own, or inside of MPI */
	REGION_PROGRAM = 64, /* of the program itself */
	REGION_COMPLETES_SOME = 128, /* of its requests, whichever are complete: MPI_Waitany */
};

/* What ENTER and LEAVE must know of a region, in the table itself: they are most of the records of
   most archives. */
struct region {
	uint32_t id;
	uint32_t flags : 8;
	uint32_t name : 24; /* index */
	uint32_t call; /* names.h */
};

#define REGION_LIMIT (UINT32_C(1) << 24)

struct named {
	uint32_t id;
	const char *name;
};

#define USUAL_ATTRIBUTES EVENT_VALUES_SAID_COUNT

struct calling_context {
	uint32_t id, region;
	uint32_t caller; /* its id; OTF2_UNDEFINED_CALLING_CONTEXT */
	uint32_t depth; /* frames, this one included */
	const char *words; /* the innermost call first */
};

struct otf2_thread {
	uint64_t location;
	uint32_t rank; /* NO_RANK: it belongs to none */
	bool other; /* than the one that is named for the rank */
	bool vacant; /* it may have no file */
};

struct definitions {
	struct arena *arena;
	uint64_t *location; /* of each rank: the one that is named for it, else the first that communicates */
	uint32_t processes;
	struct otf2_thread *thread; /* all locations that communicate, by rank, the one above first; */
	uint32_t *first_thread, threads; /* ... of each rank, and of the one behind the last */
	struct otf2_group everybody;
	struct otf2_group *group; /* the first of the others */
	struct otf2_communicator *communicator; /* by id */
	size_t communicators;
	struct otf2_communicator *window; /* by id: what it is a window of, by a name of its own */
	size_t windows;
	struct region *region; /* open addressing, by id */
	size_t region_slots;
	const char **region_name;
	struct named *string, *parameter, *attribute; /* by id */
	struct calling_context *context; /* by id */
	size_t strings, parameters, attributes, contexts;
	/* attributes that are told by default, each the id of its name; so many */
	uint32_t to, from; /* the attributes of collectives among neighbours, */
	bool knows_neighbours; /* which there are */
	uint32_t usual_attribute[USUAL_ATTRIBUTES];
	size_t usual;
	uint64_t ticks_per_second; /* 0: not said */
	/* where in the program calls are: an attribute says it; else the calling context that was
	   entered; else its regions do, where there are any but main */
	uint64_t clock_begin; /* ticks */
	uint32_t site, path, kept, which_thread, communicator_attribute; /* the attributes; */
	bool sited, pathed, knows_kept, knows_thread; /* have an attribute "site", "path", "kept", "thread", */
	bool knows_communicator; /* ... "communicator" */
	bool in_contexts, regions_named;
};

/*
 * Processes of an archive that does not list them: the candidates are CPU threads' locations,
 * grouped by process in order of their ids; choose says whether a location has communication.
 */
typedef bool (*definitions_choose)(void *context, uint64_t location, bool *communicates, struct error *);

/* records: definitions there are, UINT64_MAX if not known. */
bool definitions_read(
	struct definitions *, OTF2_Reader *, uint64_t records, definitions_choose, void *context, struct error *);
void definitions_clear(struct definitions *);

/* Instead of reading them (live.h): regions by id; the world is communicator 0, each process by
   itself communicator 1. Then more communicators, whose ids ascend. */
void definitions_begin(struct definitions *, uint32_t processes, const char *const *region, uint32_t regions);
/* ids ascend. */
void definitions_add_string(struct definitions *, uint32_t id, const char *text);
void definitions_add_communicator(struct definitions *, uint32_t id, const uint32_t *member, size_t members);

const struct otf2_communicator *definitions_communicator(const struct definitions *, uint32_t id); /* NULL: undefined */
/* NULL: undefined. In an archive in the making it is its communicator. */
const struct otf2_communicator *definitions_window(const struct definitions *, uint32_t id);
const char *definitions_parameter(const struct definitions *, uint32_t id);
const char *definitions_string(const struct definitions *, uint32_t id);
const struct calling_context *definitions_context(const struct definitions *, uint32_t id); /* NULL: undefined */
const char *definitions_attribute(const struct definitions *, uint32_t id);

static inline bool definitions_attribute_is_usual(const struct definitions *d, uint32_t id)
{
	bool is = false;
	for (size_t i = 0; i < d->usual; i++)
		is = is || d->usual_attribute[i] == id;
	return is;
}

const char *definitions_region_name(const struct definitions *, uint32_t id);

/* The region of this id, or an empty slot: no region at all. */
static inline struct region *definitions_region(const struct definitions *d, uint32_t id)
{
	size_t mask = d->region_slots - 1, at = (id * UINT32_C(0x9e3779b1)) >> 7 & mask;
	while (d->region[at].id != id && d->region[at].flags & REGION_DEFINED)
		at = (at + 1) & mask;
	return &d->region[at];
}

/* ------------------------------------------------------------------ events: otf2_events.c */

/* Of one stream. */
struct stream_facts {
	uint64_t records, events, to_nobody;
	bool collectives_recorded, collective_regions_seen, disordered;
	uint64_t entered[TRACE_CALLS]; /* by call */
	bool told[TRACE_CALLS]; /* was there a record of what it passes on, or completes? */
	uint64_t posted, completed; /* receives; those cancelled are completed, too */
	uint64_t sends, receives; /* recorded, to and from somebody */
};

/* -------------------------------------- what was not recorded: missing_records.c */

/* Of all streams together. */
struct call_counts {
	struct trace_call call[TRACE_CALLS];
	bool told[TRACE_CALLS];
	bool collectives;
	uint64_t uncompleted;
	struct ranks uncompleted_ranks;
	uint64_t streams, sends, receives;
};

struct call_counts *call_counts_new(void);
void call_counts_free(struct call_counts *);
void call_counts_reset(struct call_counts *);
void call_counts_add(struct call_counts *, uint32_t rank, const struct stream_facts *);
void call_counts_pack(const struct call_counts *, struct text *to);
void call_counts_unpack(struct call_counts *, struct unpack *); /* added */
void call_counts_tell(const struct call_counts *, uint32_t processes, struct missing_records *);

/* The calls that moved data, and left no record. */
void call_counts_omit(const struct call_counts *, struct notes *);

/* Everything about one archive that the streams of its processes share while they are read. */
struct archive {
	struct archive_files files;
	struct definitions definitions;
	struct trace_options options; /* of who has it open */
	struct locations *locations; /* NULL: it is in the making */
	struct kept *kept, *own_kept; /* where its records are: with whoever has it open, or its own */
	uint32_t locations_without; /* as of trace_facts */
	bool gap;
	bool collectives_from_regions;
	struct dictionary **dictionary; /* per rank, NULL before its first event */
	struct call_counts *counts; /* of the last reading */
	bool ours; /* we recorded it: what left no record in it went to nobody */
	bool threads_noted,
		shares_locations; /* threads have numbers; ... which their records do, not their locations */
	struct series **order; /* of the threads of each rank; NULL where there is one */
	struct cores cores; /* that its processes had; {0} where it is not known */
	struct notes omitted; /* calls that moved data, where its recorder has counted them */
	struct pending_line *pending; /* what was never completed, where its recorder kept it; by rank */
	size_t pendings;
};

/* What one stream was found to hold, added to the counts of calls and to these facts. */
void archive_add_facts(struct archive *, struct trace_facts *, uint32_t rank, const struct stream_facts *);

/* An archive that is in the making, as a trace; takes it. And the same facts, of that trace:
   trace.c. */
struct trace *trace_of_archive(struct archive *);
void trace_add_stream(struct trace *, uint32_t rank, const struct stream_facts *);

/* Read the events of one process. stop says whether to give up (NULL: never); share is told how
   much is done, 0 to 1. */
struct stream_watch {
	void *context;
	bool (*stop)(void *context);
	void (*share)(void *context, double);
};
bool stream_read(struct archive *, uint32_t rank, const struct trace_sink *, const struct stream_watch *,
	struct stream_facts *, struct error *);

/* Events on demand (trace/cursor.h): otf2_cursor.c. */
struct trace_cursor *stream_cursor_open(struct archive *, uint32_t rank, const struct trace_marks *, struct error *);

/* All at once (trace/merged.h): otf2_merged.c. */
struct merged *archive_merged(struct archive *, struct error *);

/* What they did and when (trace/timeline.h): otf2_timeline.c. */
struct timeline *archive_timeline(struct archive *, struct error *);

/* ------------------------------------------------------------------ a location: otf2_location.c */

/* All of an archive: one reader of the library, which different threads may use for different
   locations, and what is known of each. */
struct locations;
struct locations *locations_new(OTF2_Reader *); /* takes it */
bool locations_start(struct locations *); /* false: library_words say why */
void locations_free(struct locations *); /* NULL is fine */

/* Whoever gets the records of a location: false to stop. */
typedef bool (*record_sink)(void *context, const struct event_record *);

/* One location of an archive that is being read. Starts as {.once = ...}. */
struct location_reader {
	bool raw; /* records are wanted as they stand there, not as what they mean (below) */
	bool once; /* its records are not to be kept: they are left before the end, or sought */
	bool gap; /* its files are damaged, and whoever asks is lenient: it holds nothing */
	struct event_file file;
	const struct archive *archive;
	record_sink take;
	void *context;
	OTF2_EvtReader *events; /* NULL: they come from where they are kept: */
	const struct location *from;
	struct kept_place place;
	uint64_t read; /* of these, others among them */
	struct record_attribute *attribute; /* of the record at hand */
	size_t capacity;
};

/* A record, or, of a collective among neighbours, its messages instead. */
bool neighbours_pass_on(const struct definitions *, const struct event_record *, record_sink, void *context);

/* Records read between two looks at what else matters. */
#define LOCATION_SLICE (UINT64_C(1) << 17)

/*
 * Open it at its first record: false, with the error set, where its files are damaged;
 * location_close closes what was opened then, too. Until then it may not move. Where its records
 * may be kept (kept.h), they are read now, and come from there whenever it is opened. While it is
 * open otherwise, the library holds a chunk of the archive, however little of it the location
 * fills: a writer may have chosen 16 MB.
 */
bool location_open(struct location_reader *, const struct archive *, uint64_t location, record_sink, void *context,
	struct error *);

/* The same without a look at its event file, which is known to be damaged. */
bool location_open_unchecked(struct location_reader *, const struct archive *, uint64_t location, record_sink,
	void *context, struct error *);
void location_close(struct location_reader *);

/* *read < records: there are no more. */
OTF2_ErrorCode location_read(struct location_reader *, uint64_t records, uint64_t *read);
bool location_seek(struct location_reader *, uint64_t record); /* the next one to be read, from 1 */

/* Does it have any message or collective; any collective; any of these, or a call of MPI? Stops at
   the first. */
enum location_look { LOOK_FOR_MESSAGES, LOOK_FOR_COLLECTIVES, LOOK_FOR_CALLS };
bool location_communicates(const struct archive *, uint64_t location, enum location_look, bool *result, struct error *);

/* What its files say, as files_check_location has it, looked at once; until the threads are known, each
   time: a location without definitions is sound until others have theirs. */
bool location_check(const struct archive *, uint64_t location, struct event_file *, struct error *);

/* Records that the event file of a process says it holds; 0: not known. */
uint64_t location_records(const struct archive *, uint32_t rank);

/* ------------------------------------------------------------------ the archive: otf2_archive.c */

/* What to do where an event file is damaged: " (--lenient reads the others)"; "": nothing. */
const char *archive_advice(void);

/* ns that the process had no core before it entered a region, as our recorder says; 0: it had. Of
   eight binary digits, so that few values are different. */
uint64_t archive_preempted(const struct archive *, const struct event_record *);

struct archive *archive_open(const char *path, const struct trace_options *, struct trace_facts *, struct error *);
void archive_close(struct archive *);
bool archive_read(struct archive *, unsigned jobs, const struct ranks *wanted, const struct trace_sink *,
	struct trace_facts *, struct error *);

#endif
