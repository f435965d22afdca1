/*
 * archive.c -- small OTF2 archives for tests, written from a text: once over it for the events,
 * once for the definitions.
 */
#include "tests/archive.h"

#include <dirent.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/archive_writer.h"
#include "trace/pending.h"

#define MOST 64 /* numbers in a line */

struct line {
	char word[32], name[128]; /* the first word, and what follows the first number */
	uint64_t id, number[MOST];
	size_t numbers;
};

struct writing {
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *definitions;
	uint32_t strings;
	uint64_t time;
	uint64_t location[MOST], events[MOST];
	size_t locations;
	struct text pending;
};

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "archive of a test: %s\n", what);
	abort();
}

static uint64_t number_of(const char *word)
{
	return strcmp(word, "none") ? strtoull(word, NULL, 10) : UINT32_MAX;
}

/* Words that are no numbers count as 0. */
static void parse(const char *text, struct line *line)
{
	char copy[512], *rest = copy, *word;
	snprintf(copy, sizeof copy, "%s", text);
	*line = (struct line){0};
	word = strsep(&rest, " ");
	snprintf(line->word, sizeof line->word, "%s", word);
	if (!rest)
		return;
	word = strsep(&rest, " ");
	line->id = number_of(word);
	snprintf(line->name, sizeof line->name, "%s", rest ? rest : "");
	while (rest && line->numbers < MOST)
		line->number[line->numbers++] = number_of(strsep(&rest, " "));
}

static uint32_t string(struct writing *w, const char *text)
{
	OTF2_GlobalDefWriter_WriteString(w->definitions, w->strings, text);
	return w->strings++;
}

/* ------------------------------------------------------------------ definitions */

static void group(struct writing *w, const struct line *l, OTF2_GroupType type)
{
	bool global = !strncmp(l->name, "global", 6), other = !strncmp(l->name, "other", 5);
	OTF2_GlobalDefWriter_WriteGroup(w->definitions, (uint32_t)l->id, string(w, ""), type,
		other ? OTF2_PARADIGM_MEASUREMENT_SYSTEM : OTF2_PARADIGM_MPI,
		global ? OTF2_GROUP_FLAG_GLOBAL_MEMBERS : OTF2_GROUP_FLAG_NONE,
		l->numbers ? (uint32_t)l->numbers - 1 : 0, l->number + 1);
}

static void communicator(struct writing *w, const struct line *l)
{
	const char *name = strchr(l->name, ' ');
	OTF2_GlobalDefWriter_WriteComm(w->definitions, (uint32_t)l->id, string(w, name ? name + 1 : ""),
		(uint32_t)l->number[0], OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

static void region(struct writing *w, const struct line *l)
{
	uint32_t name = string(w, l->name);
	OTF2_Paradigm paradigm = strcmp(l->word, "region") ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER;
	OTF2_GlobalDefWriter_WriteRegion(w->definitions, (uint32_t)l->id, name, name, name, OTF2_REGION_ROLE_FUNCTION,
		paradigm, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
}

static uint64_t events_of(const struct writing *w, uint64_t location)
{
	for (size_t i = 0; i < w->locations; i++)
		if (w->location[i] == location)
			return w->events[i];
	return 0;
}

static void define(struct writing *w, const struct line *l)
{
	if (!strcmp(l->word, "creator"))
		OTF2_Archive_SetCreator(w->archive, l->name);
	else if (!strcmp(l->word, "between"))
		OTF2_Archive_SetProperty(w->archive, ARCHIVE_BETWEEN, l->name, true);
	else if (!strcmp(l->word, "pending"))
		text_format(&w->pending, "%s\n", l->name);
	else if (!strcmp(l->word, "process"))
		OTF2_GlobalDefWriter_WriteLocationGroup(w->definitions, (uint32_t)l->id, string(w, "process"),
			OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
	else if (!strcmp(l->word, "location"))
		OTF2_GlobalDefWriter_WriteLocation(w->definitions, l->id, string(w, "location"),
			strstr(l->name, "gpu") ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM : OTF2_LOCATION_TYPE_CPU_THREAD,
			events_of(w, l->id), (uint32_t)l->number[0]);
	else if (!strcmp(l->word, "list"))
		group(w, l, OTF2_GROUP_TYPE_COMM_LOCATIONS);
	else if (!strcmp(l->word, "group"))
		group(w, l, OTF2_GROUP_TYPE_COMM_GROUP);
	else if (!strcmp(l->word, "self"))
		group(w, l, OTF2_GROUP_TYPE_COMM_SELF);
	else if (!strcmp(l->word, "comm"))
		communicator(w, l);
	else if (!strcmp(l->word, "inter"))
		OTF2_GlobalDefWriter_WriteInterComm(w->definitions, (uint32_t)l->id, string(w, ""),
			(uint32_t)l->number[0], (uint32_t)l->number[1], OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	else if (!strcmp(l->word, "window"))
		OTF2_GlobalDefWriter_WriteRmaWin(
			w->definitions, (uint32_t)l->id, string(w, ""), (uint32_t)l->number[0], OTF2_RMA_WIN_FLAG_NONE);
	else if (!strcmp(l->word, "region") || !strcmp(l->word, "mpiregion"))
		region(w, l);
	else if (!strcmp(l->word, "place"))
		OTF2_GlobalDefWriter_WriteSourceCodeLocation(
			w->definitions, (uint32_t)l->id, string(w, strchr(l->name, ' ') + 1), (uint32_t)l->number[0]);
	else if (!strcmp(l->word, "context"))
		OTF2_GlobalDefWriter_WriteCallingContext(w->definitions, (uint32_t)l->id, (uint32_t)l->number[0],
			(uint32_t)l->number[1], (uint32_t)l->number[2]);
	else if (!strcmp(l->word, "parameter"))
		OTF2_GlobalDefWriter_WriteParameter(
			w->definitions, (uint32_t)l->id, string(w, l->name), OTF2_PARAMETER_TYPE_INT64);
	else
		must(!strcmp(l->word, "map") || !strcmp(l->word, "time") || l->word[0] == '@', "not a definition");
}

/* ------------------------------------------------------------------ events */

static OTF2_ErrorCode record(OTF2_EvtWriter *e, uint64_t time, const char *kind, const uint64_t *n)
{
	uint32_t a = (uint32_t)n[0], b = (uint32_t)n[1], c = (uint32_t)n[2];
	if (!strcmp(kind, "send"))
		return OTF2_EvtWriter_MpiSend(e, NULL, time, a, b, c, 100 + time);
	if (!strcmp(kind, "recv"))
		return OTF2_EvtWriter_MpiRecv(e, NULL, time, a, b, c, 100 + time);
	if (!strcmp(kind, "isend"))
		return OTF2_EvtWriter_MpiIsend(e, NULL, time, a, b, c, 100 + time, n[3]);
	if (!strcmp(kind, "irecv"))
		return OTF2_EvtWriter_MpiIrecv(e, NULL, time, a, b, c, 100 + time, n[3]);
	if (!strcmp(kind, "post"))
		return OTF2_EvtWriter_MpiIrecvRequest(e, NULL, time, n[0]);
	if (!strcmp(kind, "sent"))
		return OTF2_EvtWriter_MpiIsendComplete(e, NULL, time, n[0]);
	if (!strcmp(kind, "cancel"))
		return OTF2_EvtWriter_MpiRequestCancelled(e, NULL, time, n[0]);
	if (!strcmp(kind, "collective"))
		return OTF2_EvtWriter_MpiCollectiveEnd(e, NULL, time, (OTF2_CollectiveOp)a, b, c, 0, 0);
	if (!strcmp(kind, "complete"))
		return OTF2_EvtWriter_NonBlockingCollectiveComplete(
			e, NULL, time, (OTF2_CollectiveOp)a, 0, 0, 0, 0, n[1]);
	if (!strcmp(kind, "request"))
		return OTF2_EvtWriter_NonBlockingCollectiveRequest(e, NULL, time, n[0]);
	if (!strcmp(kind, "put"))
		return OTF2_EvtWriter_RmaPut(e, NULL, time, b, a, 100 + time, 0);
	if (!strcmp(kind, "get"))
		return OTF2_EvtWriter_RmaGet(e, NULL, time, b, a, 100 + time, 0);
	if (!strcmp(kind, "atomic"))
		return OTF2_EvtWriter_RmaAtomic(e, NULL, time, b, a, (OTF2_RmaAtomicType)c, 100 + time, 8, 0);
	if (!strcmp(kind, "lock"))
		return OTF2_EvtWriter_RmaAcquireLock(e, NULL, time, b, a, 0, OTF2_LOCK_SHARED);
	if (!strcmp(kind, "unlock"))
		return OTF2_EvtWriter_RmaReleaseLock(e, NULL, time, b, a, 0);
	if (!strcmp(kind, "epoch"))
		return OTF2_EvtWriter_RmaSync(e, NULL, time, b, a, OTF2_RMA_SYNC_TYPE_MEMORY);
	if (!strcmp(kind, "together"))
		return OTF2_EvtWriter_RmaCollectiveEnd(
			e, NULL, time, (OTF2_CollectiveOp)a, OTF2_RMA_SYNC_LEVEL_PROCESS, b, UINT32_MAX, 0, 0);
	if (!strcmp(kind, "enter"))
		return OTF2_EvtWriter_Enter(e, NULL, time, a);
	if (!strcmp(kind, "leave"))
		return OTF2_EvtWriter_Leave(e, NULL, time, a);
	if (!strcmp(kind, "in"))
		return OTF2_EvtWriter_CallingContextEnter(e, NULL, time, a, b);
	if (!strcmp(kind, "out"))
		return OTF2_EvtWriter_CallingContextLeave(e, NULL, time, a);
	if (!strcmp(kind, "sample"))
		return OTF2_EvtWriter_CallingContextSample(e, NULL, time, a, b, 0);
	if (!strcmp(kind, "fork"))
		return OTF2_EvtWriter_ThreadFork(e, NULL, time, OTF2_PARADIGM_OPENMP, a);
	if (!strcmp(kind, "join"))
		return OTF2_EvtWriter_ThreadJoin(e, NULL, time, OTF2_PARADIGM_OPENMP);
	if (!strcmp(kind, "parameter"))
		return OTF2_EvtWriter_ParameterInt(e, NULL, time, a, -(int64_t)n[1]);
	if (!strcmp(kind, "text"))
		return OTF2_EvtWriter_ParameterString(e, NULL, time, a, b);
	if (!strcmp(kind, "on") || !strcmp(kind, "off"))
		return OTF2_EvtWriter_MeasurementOnOff(
			e, NULL, time, strcmp(kind, "on") ? OTF2_MEASUREMENT_OFF : OTF2_MEASUREMENT_ON);
	return OTF2_ERROR_INVALID;
}

/* "@LOCATION RECORD NUMBER...": the record's name stands where other lines have their id. */
static void write_record(struct writing *w, const char *text, const struct line *l)
{
	char kind[32] = "";
	sscanf(text, "%*s %31s", kind);
	OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(w->archive, strtoull(l->word + 1, NULL, 10));
	w->time += 10;
	must(events && record(events, w->time, kind, l->number) == OTF2_SUCCESS, "not a record");
}

static void write_events(struct writing *w, const char *text, const struct line *l)
{
	if (l->word[0] == '@') {
		write_record(w, text, l);
	} else if (!strcmp(l->word, "time")) {
		w->time = l->id;
	} else if (!strcmp(l->word, "location") && !strstr(l->name, "gpu")) {
		must(OTF2_Archive_GetEvtWriter(w->archive, l->id) != NULL, "no writer of events");
		must(w->locations < MOST, "too many locations");
		w->location[w->locations++] = l->id;
	}
}

static void close_events(struct writing *w)
{
	for (size_t i = 0; i < w->locations; i++) {
		OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(w->archive, w->location[i]);
		OTF2_EvtWriter_GetNumberOfEvents(events, &w->events[i]);
		OTF2_Archive_CloseEvtWriter(w->archive, events);
	}
}

static void write_mapping(struct writing *w, const char *text, const struct line *l)
{
	(void)text;
	if (strcmp(l->word, "map"))
		return;
	OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(w->archive, l->id);
	OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, 1);
	OTF2_IdMap_AddIdPair(map, l->number[0], l->number[1]);
	must(OTF2_DefWriter_WriteMappingTable(definitions, OTF2_MAPPING_COMM, map) == OTF2_SUCCESS, "no map");
	OTF2_IdMap_Free(map);
}

static void write_definitions(struct writing *w, const char *text, const struct line *l)
{
	(void)text;
	define(w, l);
}

/* ------------------------------------------------------------------ all of it */

static void each_line(
	struct writing *w, const char *text, void (*work)(struct writing *, const char *, const struct line *))
{
	char *copy = mem_text(text), *rest = copy;
	for (char *at; (at = strsep(&rest, "\n"));) {
		struct line line;
		if (!*at)
			continue;
		parse(at, &line);
		work(w, at, &line);
	}
	free(copy);
}

static OTF2_FlushType before_flush(
	void *context, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool last)
{
	(void)context, (void)type, (void)location, (void)caller, (void)last;
	return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *context, OTF2_FileType type, OTF2_LocationRef location)
{
	(void)context, (void)type, (void)location;
	return 1;
}

static void close_local_definitions(struct writing *w)
{
	OTF2_Archive_OpenDefFiles(w->archive);
	for (size_t i = 0; i < w->locations; i++)
		OTF2_Archive_GetDefWriter(w->archive, w->location[i]);
}

static void write_all(struct writing *w, const char *text)
{
	static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
	OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(w->archive);
	OTF2_Archive_OpenEvtFiles(w->archive);
	each_line(w, text, write_events);
	close_events(w);
	OTF2_Archive_CloseEvtFiles(w->archive);
	close_local_definitions(w);
	each_line(w, text, write_mapping);
	for (size_t i = 0; i < w->locations; i++)
		OTF2_Archive_CloseDefWriter(w->archive, OTF2_Archive_GetDefWriter(w->archive, w->location[i]));
	OTF2_Archive_CloseDefFiles(w->archive);
	w->definitions = OTF2_Archive_GetGlobalDefWriter(w->archive);
	OTF2_GlobalDefWriter_WriteClockProperties(w->definitions, 1000, 0, w->time + 10, 0);
	each_line(w, text, write_definitions);
}

char *archive_write(const char *text)
{
	struct writing w = {0};
	char *directory = scratch_new();
	w.archive = OTF2_Archive_Open(
		directory, "run", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 18, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	must(w.archive != NULL, "cannot be opened");
	write_all(&w, text);
	if (w.pending.length)
		OTF2_Archive_SetProperty(w.archive, ARCHIVE_PENDING, w.pending.data, true);
	text_clear(&w.pending);
	must(OTF2_Archive_Close(w.archive) == OTF2_SUCCESS, "cannot be closed");
	struct text anchor = {0};
	text_format(&anchor, "%s/run.otf2", directory);
	free(directory);
	return anchor.data;
}

void archive_remove(char *anchor)
{
	anchor[strlen(anchor) - strlen("/run.otf2")] = 0;
	scratch_remove(anchor);
}

char *scratch_new(void)
{
	const char *base = getenv("TMPDIR");
	struct text directory = {0};
	text_format(&directory, "%s/tracenest-test-XXXXXX", base ? base : "/tmp");
	must(mkdtemp(directory.data) != NULL, "no scratch directory");
	return directory.data;
}

static void remove_files(const char *directory)
{
	DIR *open = opendir(directory);
	for (struct dirent *entry; open && (entry = readdir(open));) {
		struct text path = {0};
		struct stat status;
		text_format(&path, "%s/%s", directory, entry->d_name);
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && !lstat(path.data, &status)) {
			if (S_ISDIR(status.st_mode))
				remove_files(path.data);
			else
				unlink(path.data);
		}
		text_clear(&path);
	}
	if (open)
		closedir(open);
	rmdir(directory);
}

void scratch_remove(char *directory)
{
	remove_files(directory);
	free(directory);
}
