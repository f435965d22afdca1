/*
 * otf2_archive.c -- an OTF2 archive: opened once for its definitions, then location by location.
 *
 * The result does not depend on the number of threads, and neither does the error: processes are
 * handed out lowest rank first, and when one fails only those of higher rank give up. So the lowest
 * rank that fails is always read up to its failure.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "trace/kept.h"
#include "trace/archive_writer.h"
#include "trace/event_writer.h"
#include "trace/otf2.h"
#include "trace/otf2_threads.h"
#include "trace/ending.h"
#include "base/text.h"

/* ------------------------------------------------------------------ opening */

static bool refuse(const struct archive *a, struct error *error)
{
	return error_set(error, ERROR_INPUT, "not an OTF2 archive, or damaged: %s", library_words()) ||
	       error_at(error, "%s", a->files.anchor);
}

static bool find_files(struct archive *a, OTF2_Reader *reader, struct error *error)
{
	OTF2_FileSubstrate substrate;
	OTF2_Compression compression;
	if (OTF2_Reader_GetChunkSize(reader, &a->files.chunk_bytes, &a->files.definitions_chunk_bytes) !=
			OTF2_SUCCESS ||
		OTF2_Reader_GetFileSubstrate(reader, &substrate) != OTF2_SUCCESS ||
		OTF2_Reader_GetCompression(reader, &compression) != OTF2_SUCCESS)
		return refuse(a, error);
	const char *suffix = strrchr(a->files.anchor, '.');
	a->files.compressed = compression != OTF2_COMPRESSION_NONE;
	if (substrate == OTF2_SUBSTRATE_POSIX && suffix && !strcmp(suffix, ".otf2") && a->files.chunk_bytes &&
		a->files.definitions_chunk_bytes) {
		a->files.stem = mem_text(a->files.anchor);
		a->files.stem[suffix - a->files.anchor] = 0;
	}
	return true;
}

static bool choose(void *context, uint64_t location, bool *communicates, struct error *error)
{
	return location_communicates(context, location, LOOK_FOR_MESSAGES, communicates, error);
}

static bool read_definitions(struct archive *a, OTF2_Reader *reader, struct error *error)
{
	uint64_t records;
	if (!files_check_global(&a->files, &records, error) ||
		!definitions_read(&a->definitions, reader, records, choose, a, error))
		return error_at(error, "%s", a->files.anchor);
	for (uint32_t i = 0; i < a->definitions.processes && !a->files.local_definitions; i++)
		a->files.local_definitions = files_have(&a->files, a->definitions.location[i], "def");
	return true;
}

static bool is_ours(OTF2_Reader *reader)
{
	char *creator = NULL;
	bool ours = OTF2_Reader_GetCreator(reader, &creator) == OTF2_SUCCESS && creator &&
		    !strncmp(creator, ARCHIVE_CREATOR, strlen(ARCHIVE_CREATOR));
	free(creator);
	return ours;
}

#define DIGITS 8 /* binary ones */

uint64_t archive_preempted(const struct archive *a, const struct event_record *r)
{
	const struct record_attribute *preempted =
		a->ours ? record_attribute(r, ATTRIBUTE_PREEMPTED, OTF2_TYPE_UINT64) : NULL;
	uint64_t ns = preempted ? preempted->value : 0;
	unsigned coarse = ns >> DIGITS ? 64 - DIGITS - (unsigned)__builtin_clzll(ns) : 0;
	return ns >> coarse << coarse;
}

static char *property_of(OTF2_Reader *reader, const char *name)
{
	char *value = NULL;
	return OTF2_Reader_GetProperty(reader, name, &value) == OTF2_SUCCESS ? value : NULL;
}

static void read_between(struct definitions *d, const char *list)
{
	char *end = NULL;
	for (const char *at = list; at && *at; at = end + (*end == ' ')) {
		unsigned long id = strtoul(at, &end, 10);
		if (end == at)
			return;
		for (size_t i = 0; i < d->communicators; i++)
			d->communicator[i].between |= d->communicator[i].id == id;
	}
}

/* A list that cannot be read is none: calls are counted as they are entered, then. */
static void read_properties(struct archive *a, OTF2_Reader *reader)
{
	char *threads = property_of(reader, ARCHIVE_THREADS), *list = property_of(reader, ARCHIVE_OMITTED);
	char *cores = property_of(reader, ARCHIVE_CORES), *cpu = property_of(reader, ARCHIVE_CPU);
	a->threads_noted = threads;
	cores_read(&a->cores, cores, cpu, a->definitions.processes);
	char *between = property_of(reader, ARCHIVE_BETWEEN);
	read_between(&a->definitions, between);
	free(between);
	char *pending = property_of(reader, ARCHIVE_PENDING);
	a->pending = pending_read(pending, a->definitions.processes, &a->pendings);
	free(pending);
	free(threads);
	free(cores);
	free(cpu);
	if (!list || !notes_read_omissions(&a->omitted, list))
		notes_clear(&a->omitted);
	free(list);
}

static bool open_reader(struct archive *a, struct error *error)
{
	struct library_call call = {.path = a->files.anchor};
	library_enter(&call);
	OTF2_Reader *reader = OTF2_Reader_Open(a->files.anchor);
	a->locations = reader ? locations_new(reader) : NULL;
	bool good = reader && locations_start(a->locations) ? find_files(a, reader, error) : refuse(a, error);
	good = good && read_definitions(a, reader, error);
	a->ours = good && is_ours(reader);
	if (a->ours)
		read_properties(a, reader);
	library_leave();
	return good;
}

/* May regions stand for collectives? Only where no collective was recorded in any process. */
static bool look_for_collectives(struct archive *a, struct error *error)
{
	bool recorded = false;
	for (uint32_t i = 0; i < a->definitions.processes && !recorded; i++)
		if (!location_communicates(a, a->definitions.location[i], LOOK_FOR_COLLECTIVES, &recorded, error))
			return false;
	a->collectives_from_regions = !recorded;
	return true;
}

static bool read_threads(struct archive *a, struct error *error)
{
	a->dictionary = mem_zero(a->definitions.processes * sizeof *a->dictionary);
	return threads_open(a, &a->locations_without, error);
}

static void (*listener)(void *context, const char *path, const char *line);
static void *listening;
static bool listener_may_be_lenient;

void trace_listen(void (*tell)(void *context, const char *path, const char *line), void *context, bool lenient)
{
	listener = tell;
	listening = context;
	listener_may_be_lenient = lenient;
}

bool trace_may_be_lenient(void)
{
	return listener_may_be_lenient;
}

const char *archive_advice(void)
{
	return listener_may_be_lenient ? " (--lenient reads the others)" : "";
}

/* A line of each location that cannot be read. */
static bool tell_gaps(const struct archive *a)
{
	const struct definitions *d = &a->definitions;
	bool any = false;
	for (uint32_t i = 0; i < d->threads; i++) {
		struct event_file file;
		struct error gap = {0};
		if (location_check(a, d->thread[i].location, &file, &gap))
			continue;
		any = true;
		error_at(&gap, "no events of rank %u", d->thread[i].rank);
		if (listener)
			listener(listening, a->files.anchor, gap.message);
	}
	return any;
}

static void close_archive(void *archive)
{
	((struct archive *)archive)->options.keep = NULL;
	archive_close(archive);
}

static struct archive *open_anew(const char *path, const struct trace_options *options, struct error *error)
{
	struct archive *a = mem_zero(sizeof *a);
	a->files.anchor = mem_text(path);
	a->options = *options;
	a->counts = call_counts_new();
	a->own_kept = options->keep ? NULL : kept_new(KEPT_ONCE_BYTES);
	a->kept = options->keep ? options->keep : a->own_kept;
	library_listen();
	if (!files_check_anchor(path, error) || !open_reader(a, error) ||
		(options->collective_regions && !look_for_collectives(a, error)) || !read_threads(a, error)) {
		close_archive(a);
		return NULL;
	}
	a->gap = options->lenient && tell_gaps(a);
	if (listener) {
		struct trace_ending ending;
		ending_find(a, &ending);
		if (ending.line.length)
			listener(listening, path, ending.line.data);
		trace_ending_clear(&ending);
	}
	return a;
}

/* NULL: none is open, or it was opened to be read otherwise. */
static struct archive *open_already(const char *path, const struct trace_options *options)
{
	struct archive *a = options->keep ? kept_fetch(options->keep) : NULL;
	if (!a || (!strcmp(a->files.anchor, path) && a->options.lenient == options->lenient &&
			  a->options.collective_regions == options->collective_regions))
		return a;
	close_archive(a);
	return NULL;
}

struct archive *archive_open(
	const char *path, const struct trace_options *options, struct trace_facts *facts, struct error *error)
{
	struct archive *a = open_already(path, options);
	if (!a && !(a = open_anew(path, options, error)))
		return NULL;
	a->options = *options;
	facts->archive = true;
	facts->gap = a->gap;
	facts->processes = a->definitions.processes;
	facts->locations_without = a->locations_without;
	facts->cores = &a->cores;
	facts->ticks_per_second = a->definitions.ticks_per_second;
	facts->clock_begin = a->definitions.clock_begin;
	return a;
}

void archive_close(struct archive *a)
{
	if (!a)
		return;
	struct library_call call = {.path = a->files.anchor};
	for (uint32_t i = 0; a->dictionary && i < a->definitions.processes; i++) {
		dictionary_free(a->dictionary[i]);
		a->dictionary[i] = NULL;
	}
	if (a->options.keep && kept_leave(a->options.keep, a, close_archive))
		return;
	library_enter(&call);
	locations_free(a->locations);
	library_leave();
	kept_free(a->own_kept);
	free(a->dictionary);
	threads_close(a);
	call_counts_free(a->counts);
	notes_clear(&a->omitted);
	cores_clear(&a->cores);
	pending_free(a->pending, a->pendings);
	definitions_clear(&a->definitions);
	free(a->files.anchor);
	free(a->files.stem);
	free(a);
}

/* ------------------------------------------------------------------ reading */

struct reading {
	struct archive *archive;
	uint32_t *rank; /* the wanted ones */
	size_t ranks;
	const struct trace_sink *sink;
	pthread_mutex_t lock; /* around what follows */
	struct trace_facts *facts;
	struct error *error;
	double done; /* in processes */
	atomic_uint failed; /* the lowest rank that failed; NO_RANK: none */
};

struct watched {
	struct reading *reading;
	uint32_t rank;
	double share;
};

static bool lower_failed(void *context)
{
	const struct watched *w = context;
	return atomic_load(&w->reading->failed) < w->rank;
}

static void tell_share(void *context, double share)
{
	struct watched *w = context;
	struct reading *r = w->reading;
	pthread_mutex_lock(&r->lock);
	r->done += share - w->share;
	w->share = share;
	progress_tell(r->sink->progress, r->done / (double)r->ranks);
	pthread_mutex_unlock(&r->lock);
}

static void note_failure(struct reading *r, uint32_t rank, const struct error *error)
{
	pthread_mutex_lock(&r->lock);
	if (rank < atomic_load(&r->failed)) {
		atomic_store(&r->failed, rank);
		*r->error = *error;
	}
	pthread_mutex_unlock(&r->lock);
}

void archive_add_facts(struct archive *a, struct trace_facts *to, uint32_t rank, const struct stream_facts *facts)
{
	call_counts_add(a->counts, rank, facts);
	to->records += facts->records;
	to->events += facts->events;
	to->to_nobody += facts->to_nobody;
	to->collectives_recorded |= facts->collectives_recorded;
	to->collective_regions_seen |= facts->collective_regions_seen;
	to->disordered |= facts->disordered;
}

static void add_facts(struct reading *r, uint32_t rank, const struct stream_facts *facts)
{
	pthread_mutex_lock(&r->lock);
	archive_add_facts(r->archive, r->facts, rank, facts);
	pthread_mutex_unlock(&r->lock);
}

static void read_one(void *context, size_t i)
{
	struct reading *r = context;
	struct watched watched = {.reading = r, .rank = r->rank[i]};
	struct stream_watch watch = {&watched, lower_failed, tell_share};
	struct stream_facts facts = {0};
	struct error error = {0};
	if (lower_failed(&watched))
		return;
	bool good = stream_read(r->archive, watched.rank, r->sink, &watch, &facts, &error);
	add_facts(r, watched.rank, &facts);
	if (good && r->sink->ended)
		r->sink->ended(r->sink->context, watched.rank);
	if (good)
		tell_share(&watched, 1);
	else if (!lower_failed(&watched))
		note_failure(r, watched.rank, &error);
}

static void list_wanted(struct reading *r, const struct ranks *wanted)
{
	uint32_t processes = r->archive->definitions.processes;
	r->rank = mem_array(processes, sizeof *r->rank);
	for (uint32_t rank = 0; rank < processes; rank++)
		if (!wanted || ranks_has(wanted, rank))
			r->rank[r->ranks++] = rank;
}

bool archive_read(struct archive *a, unsigned jobs, const struct ranks *wanted, const struct trace_sink *sink,
	struct trace_facts *facts, struct error *error)
{
	struct reading r = {.archive = a, .sink = sink, .facts = facts, .error = error, .failed = NO_RANK};
	list_wanted(&r, wanted);
	call_counts_reset(a->counts);
	pthread_mutex_init(&r.lock, NULL);
	parallel_for(jobs, r.ranks, read_one, &r);
	pthread_mutex_destroy(&r.lock);
	free(r.rank);
	return atomic_load(&r.failed) == NO_RANK;
}
