/*
 * otf2_cursor.c -- events of one process on demand: what lies between them is passed over by marks,
 * where there are some.
 */
#include <stdlib.h>

#include "base/binary_search.h"
#include "trace/otf2_stream.h"

/* Records read between two looks at whether the wanted event has come; and, counting, between two
   marks. */
#ifndef TRACENEST_HOSTILE
#define STEP UINT64_C(256)
#define STRIDE UINT64_C(4096)

/* Going to a record costs as much as reading so many. */
#define LEAP UINT64_C(12288)
#else
#define STEP UINT64_C(1)
#define STRIDE UINT64_C(3)
#define LEAP UINT64_C(0)
#endif

struct trace_cursor {
	struct stream stream;
	struct stream_facts facts;
	struct trace_sink sink;
	struct location_reader location;
	struct process_reader *process; /* of several threads; NULL: of one */
	const struct trace_marks *marks;
	uint64_t wanted; /* events before this one are passed over */
	uint64_t next; /* position of the next event that comes */
	uint64_t record; /* number of the last record read */
	struct trace_event *ready; /* what came at `wanted` and behind */
	size_t readys, capacity;
	uint64_t first_ready; /* position of ready[0] */
	const struct trace_mark *landed; /* where we leapt to, until the time of its event was compared */
	struct trace_mark *unfinished; /* a mark that waits for the time of its event */
	bool ended, cut, stale;
	uint64_t sound; /* of a stream that is cut: records that are there for certain */
	struct error why; /* it was cut */
};

static bool take_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	(void)rank, (void)error;
	struct trace_cursor *c = context;
	uint64_t position = c->next++;
	if (c->landed) {
		c->stale |= c->landed->time != e->time;
		c->landed = NULL;
	}
	if (c->unfinished) {
		c->unfinished->time = e->time;
		c->unfinished = NULL;
	}
	if (position < c->wanted)
		return true;
	if (!c->readys)
		c->first_ready = position;
	if (c->readys == c->capacity)
		c->ready = mem_grow(c->ready, &c->capacity, c->readys + 1, sizeof *c->ready);
	c->ready[c->readys++] = *e;
	return true;
}

/* An event file that is cut off is read as far as it is sound, for the library reads on in whatever
   its buffer holds: what is wrong is said when that end is reached. */
static bool open_damaged(struct trace_cursor *c, struct error *error)
{
	struct location_reader *l = &c->location;
	if (l->archive || l->file.definitions == UINT64_MAX) /* it is not the event file */
		return false;
	c->sound = files_whole_records(&c->stream.archive->files, c->stream.location);
	c->why = *error;
	c->cut = true;
	*error = (struct error){0};
	return location_open_unchecked(l, c->stream.archive, c->stream.location, stream_take, &c->stream, error);
}

struct trace_cursor *stream_cursor_open(
	struct archive *a, uint32_t rank, const struct trace_marks *marks, struct error *error)
{
	struct trace_cursor *c = mem_zero(sizeof *c);
	c->stream = (struct stream){.archive = a, .rank = rank, .error = &c->why, .facts = &c->facts, .sink = &c->sink};
	c->sink = (struct trace_sink){.context = c, .event = take_event};
	c->stream.anonymous = true;
	if (threads_several(a, rank)) { /* the order is told from the beginning on */
		c->process = process_open(a, rank, true, &c->facts, error);
		if (c->process)
			return c;
		free(c);
		return NULL;
	}
	c->marks = marks;
	stream_begin(&c->stream);
	c->location.once = true;
	library_enter(&c->stream.call);
	*error = (struct error){0};
	bool good = location_open(&c->location, a, c->stream.location, stream_take, &c->stream, error) ||
		    open_damaged(c, error);
	library_leave();
	if (good)
		return c;
	error_at(error, "%s: location %llu", a->files.anchor, (unsigned long long)c->stream.location);
	trace_cursor_close(c);
	return NULL;
}

void trace_cursor_close(struct trace_cursor *c)
{
	if (!c)
		return;
	if (c->process)
		process_close(c->process, &(struct error){0});
	library_enter(&c->stream.call);
	location_close(&c->location);
	library_leave();
	stream_clear(&c->stream);
	free(c->ready);
	free(c);
}

static void break_off(struct trace_cursor *c, const char *why)
{
	if (c->why.kind == ERROR_NONE)
		error_set(&c->why, ERROR_INCONSISTENT, "breaks off behind record %llu: %s",
			(unsigned long long)c->record, why);
	c->why.kind = ERROR_INCONSISTENT;
	c->cut = c->ended = true;
}

static void read_threads(struct trace_cursor *c, uint64_t events)
{
	const struct trace_event *e = NULL;
	while (events-- && (e = process_next(c->process)))
		take_event(c, c->stream.rank, e, &c->why);
	c->record = c->facts.records;
	if (e)
		return;
	c->ended = true;
	c->cut = !process_close(c->process, &c->why);
	c->process = NULL;
}

/* Some more records; at the end, what the ordering still holds. */
static void read_some(struct trace_cursor *c, uint64_t records)
{
	if (c->process) {
		read_threads(c, records);
		return;
	}
	uint64_t read = 0;
	bool last = c->cut && c->sound - c->record <= records;
	if (last)
		records = c->sound - c->record;
	library_enter(&c->stream.call);
	OTF2_ErrorCode code = location_read(&c->location, records, &read);
	c->record += read;
	bool whole = c->location.file.records == UINT64_MAX || c->record >= c->location.file.records;
	if (code != OTF2_SUCCESS || c->stream.failed)
		break_off(c, library_words());
	else if (c->record > c->location.file.limit)
		break_off(c, "more records than its file can hold");
	else if (read < records || last) {
		stream_end(&c->stream);
		c->ended = true;
		if (c->cut || !whole)
			break_off(c, "its file holds no more");
	}
	library_leave();
}

/* The last mark that is not behind the position, if going there saves something. */
static const struct trace_mark *mark_before(const struct trace_cursor *c, uint64_t position)
{
	size_t behind;
	SEARCH_FIRST(behind, 0, c->marks ? c->marks->length : 0, c->marks->mark[behind].event > position);
	const struct trace_mark *mark = behind ? &c->marks->mark[behind - 1] : NULL;
	return mark && mark->event >= c->next && mark->record > c->record + LEAP ? mark : NULL;
}

static void leap(struct trace_cursor *c, const struct trace_mark *mark)
{
	library_enter(&c->stream.call);
	bool there = location_seek(&c->location, mark->record);
	library_leave();
	if (!there) {
		c->stale = true;
		return;
	}
	stream_order(&c->stream);
	for (uint32_t i = 0; i < mark->requests; i++)
		receive_order_post(&c->stream.order, mark->request[i], 0, TRACE_NO_CALL);
	c->stream.seen |= mark->regions;
	c->record = mark->record - 1;
	c->next = mark->event;
	c->readys = 0;
	c->landed = mark;
}

enum trace_got trace_cursor_get(
	struct trace_cursor *c, uint64_t position, const struct trace_event **event, struct error *error)
{
	if (!c->readys || position >= c->first_ready + c->readys) {
		c->readys = 0;
		c->wanted = position;
		const struct trace_mark *mark = mark_before(c, position);
		if (mark)
			leap(c, mark);
		while (!c->stale && !c->ended && (!c->readys || position >= c->first_ready + c->readys))
			read_some(c, STEP);
	}
	if (c->stale)
		return TRACE_STALE;
	if (c->readys && position >= c->first_ready && position < c->first_ready + c->readys) {
		*event = &c->ready[position - c->first_ready];
		return TRACE_FOUND;
	}
	if (c->cut) {
		*error = c->why;
		error_at(error, "%s: location %llu", c->stream.archive->files.anchor,
			(unsigned long long)c->stream.location);
	}
	return c->cut ? TRACE_CUT : TRACE_ENDED;
}

/* May reading begin here? Then note the place. */
static void note_mark(struct trace_cursor *c, struct trace_marks *marks)
{
	if (!receive_order_idle(&c->stream.order) || !postings_idle(&c->stream.postings) || c->unfinished)
		return;
	struct trace_mark mark = {.event = c->next, .record = c->record + 1, .regions = c->stream.seen};
	size_t open = receive_order_open_requests(&c->stream.order, mark.request, TRACE_MARK_REQUESTS);
	if (open == SIZE_MAX)
		return;
	mark.requests = (uint32_t)open;
	marks->mark = mem_grow(marks->mark, &marks->capacity, marks->length + 1, sizeof *marks->mark);
	marks->mark[marks->length] = mark;
	c->unfinished = &marks->mark[marks->length++];
}

enum trace_got trace_cursor_count(struct trace_cursor *c, struct trace_marks *marks, struct error *error)
{
	marks->length = 0;
	c->wanted = UINT64_MAX;
	while (!c->ended) {
		read_some(c, STRIDE);
		if (!c->ended && !c->process)
			note_mark(c, marks);
	}
	if (c->unfinished) /* no event came behind it */
		marks->length--;
	marks->events = c->next;
	marks->records = c->record;
	if (!c->cut)
		return TRACE_ENDED;
	*error = c->why;
	error_at(error, "%s: location %llu", c->stream.archive->files.anchor, (unsigned long long)c->stream.location);
	return TRACE_CUT;
}

void trace_marks_clear(struct trace_marks *marks)
{
	free(marks->mark);
	*marks = (struct trace_marks){0};
}
