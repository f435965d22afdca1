/*
 * scan.c -- the run-time of generated scanners.
 *
 * An archive: first every stream asked about is counted, unless an index tells (index.h), so that a trace of another run is refused before anything is
 * printed. Then one thread per process runs the program's loops; each value asked for is read at once, through a cursor that goes forward
 * only (trace/cursor.h). Records are queued in blocks. One more thread hands them to the program's output in the order of the ranks, while
 * reading goes on; who has read far ahead of it waits:
 *
 *	rank 0	done		[][][][]  --> output	the first rank that is not through is `current`: it waits where it has AHEAD_BLOCKS
 *	rank 1	reading ...	[][][]			the others wait where there are QUEUED_BLOCKS, of all ranks together
 *
 * The output waits for the current rank only, and that one never for another: so there is always one that can go on.
 *
 * A text trace holds the processes mixed, and may be a pipe: the loops are run first, noting the positions, which one reading then fills in. Memory follows
 * what is asked for, never the trace.
 */
#include "scangen/run-time/tracenest-scan.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "scangen/run-time/index.h"
#include "scangen/run-time/output.h"
#include "trace/cursor.h"
#include "trace/options.h"

/* ------------------------------------------------------------------ records on their way */

#ifndef TRACENEST_HOSTILE
#define BLOCK_BYTES ((size_t)1 << 16)
#define WAKE_BLOCKS 8 /* the output is not woken for less, while the process is not through */
#define AHEAD_BLOCKS 64
#define QUEUED_BLOCKS 512
#else
#define BLOCK_BYTES ((size_t)1)
#define WAKE_BLOCKS 1
#define AHEAD_BLOCKS 1
#define QUEUED_BLOCKS 1
#endif

struct stored {
	const char *label, *attribute;
	uint64_t position, number;
	const char *text; /* NULL: a number */
	uint32_t depth;
	bool there; /* the value was found */
	int64_t index[];
};

struct block {
	struct block *next;
	size_t records;
	char bytes[];
};

struct queue {
	struct block *first, **last;
	size_t length;
};

/* One process being scanned. */
struct work {
	struct scan scan; /* first: what the program sees */
	struct run *run;
	size_t turn; /* which of the wanted ranks */
	uint64_t events;
	struct trace_cursor *cursor;
	const struct trace_event *event; /* the last one read */
	uint64_t position; /* of it */
	bool got; /* there is one */
	bool stopped; /* nothing more to be had of this stream */
	struct block *block; /* being filled */
	struct queue queue;
	bool done; /* all that there will be is queued */
	bool cut;
	uint64_t seen; /* text: events that came */
	struct stored **asked; /* text: by position */
	size_t asked_length, asked_next;
	struct arena *arena; /* values that are text */
};

struct run {
	const struct scan_program *program;
	struct trace *trace;
	bool archive;
	const char *path;
	struct scan_output *output;
	struct index_file index;
	bool *cut; /* per rank: its stream breaks off */
	struct error *why; /* per rank, where it does */
	struct work *work;
	size_t works;
	size_t stride; /* of a stored record */
	size_t block_records;
	unsigned jobs;
	pthread_mutex_t lock; /* around what follows, queues and who is done */
	pthread_cond_t filled, emptied; /* for the output; for who reads */
	size_t current; /* whose records are written now */
	size_t queued; /* blocks, with those being written */
	struct block *spare;
	struct error error; /* the first failure that is no end of a stream */
	bool partial; /* with it: a stream ends too early, and the records up to there are to be kept */
	bool lacking; /* text: an event carries no such attribute */
	atomic_bool over; /* reading on is of no use: there is an error, or nobody takes the output */
};

static struct stored *stored_at(const struct run *r, struct block *b, size_t i)
{
	return (struct stored *)(void *)(b->bytes + i * r->stride);
}

static struct block *take_block(struct run *r)
{
	pthread_mutex_lock(&r->lock);
	struct block *b = r->spare;
	if (b)
		r->spare = b->next;
	pthread_mutex_unlock(&r->lock);
	if (!b)
		b = mem_alloc(sizeof *b + r->block_records * r->stride);
	b->next = NULL;
	b->records = 0;
	return b;
}

static void free_blocks(struct block *b)
{
	for (struct block *next; b; b = next) {
		next = b->next;
		free(b);
	}
}

static void queue_block(struct work *w)
{
	struct queue *q = &w->queue;
	*(q->first ? q->last : &q->first) = w->block;
	q->last = &w->block->next;
	q->length++;
	w->block = NULL;
}

/* ------------------------------------------------------------------ who writes */

static void write_block(struct run *r, const struct work *w, struct block *b)
{
	for (size_t i = 0; i < b->records; i++) {
		const struct stored *s = stored_at(r, b, i);
		if (!s->there)
			continue;
		struct scan_record record = {
			s->label, w->scan.rank, s->depth, s->index, s->attribute, s->position, !s->text, s->number, s->text};
		r->program->output(r->output, &record);
	}
}

static bool worth_waking(const struct work *w)
{
	return w->done || w->queue.length >= WAKE_BLOCKS;
}

/* All that the current process has queued. The lock is held, but not while the program's output runs. */
static void write_queue(struct run *r, struct work *w)
{
	struct queue q = w->queue;
	w->queue = (struct queue){0};
	pthread_cond_broadcast(&r->emptied);
	pthread_mutex_unlock(&r->lock);
	for (struct block *b = q.first; b && !scan_output_failed(r->output); b = b->next)
		write_block(r, w, b);
	if (scan_output_failed(r->output))
		atomic_store(&r->over, true);
	pthread_mutex_lock(&r->lock);
	*q.last = r->spare;
	r->spare = q.first;
	r->queued -= q.length;
	pthread_cond_broadcast(&r->emptied);
}

static void *write_in_order(void *context)
{
	struct run *r = context;
	pthread_mutex_lock(&r->lock);
	while (r->current < r->works) {
		struct work *w = &r->work[r->current];
		if (!worth_waking(w)) {
			pthread_cond_wait(&r->filled, &r->lock);
		} else if (w->queue.first) {
			write_queue(r, w);
		} else {
			r->current++;
			pthread_cond_broadcast(&r->emptied);
		}
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* ------------------------------------------------------------------ who reads */

static bool is_far_ahead(const struct work *w)
{
	const struct run *r = w->run;
	return r->current == w->turn ? w->queue.length >= AHEAD_BLOCKS : r->queued >= QUEUED_BLOCKS;
}

/* A block is full, or the process is through. */
static void pass_on(struct work *w, bool done)
{
	struct run *r = w->run;
	pthread_mutex_lock(&r->lock);
	r->queued += w->block != NULL;
	if (w->block)
		queue_block(w);
	w->done = done;
	if (r->current == w->turn && worth_waking(w))
		pthread_cond_signal(&r->filled);
	while (is_far_ahead(w))
		pthread_cond_wait(&r->emptied, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

static bool is_full(const struct work *w)
{
	return w->block && w->block->records == w->run->block_records;
}

/* There must be room for it. */
static struct stored *new_record(struct work *w, uint64_t position, const char *attribute)
{
	struct run *r = w->run;
	if (!w->block)
		w->block = take_block(r);
	struct stored *s = stored_at(r, w->block, w->block->records++);
	*s = (struct stored){.label = w->scan.label, .attribute = attribute, .position = position, .depth = w->scan.depth};
	for (uint32_t i = 0; i < s->depth; i++)
		s->index[i] = w->scan.index[i];
	return s;
}

/* ------------------------------------------------------------------ what goes wrong */

static void fail(struct run *r, const struct error *error)
{
	pthread_mutex_lock(&r->lock);
	if (r->error.kind == ERROR_NONE) {
		r->error = *error;
		r->partial = error->kind == ERROR_INCONSISTENT;
	}
	pthread_mutex_unlock(&r->lock);
	atomic_store(&r->over, true);
}

/* Stop scanning this process, for this reason. */
static void stop(struct work *w, const struct error *error)
{
	w->stopped = true;
	fail(w->run, error);
}

/* ------------------------------------------------------------------ fetching from an archive */

/* Marks of another trace: this stream is read from its beginning, and whatever index there is will be made anew. */
static void forget_marks(struct work *w)
{
	trace_marks_clear(&w->run->index.of[w->scan.rank]);
	trace_cursor_close(w->cursor);
	w->cursor = NULL;
}

static bool open_cursor(struct work *w)
{
	struct error error = {0};
	const struct trace_marks *marks = &w->run->index.of[w->scan.rank];
	w->cursor = trace_cursor_open(w->run->trace, w->scan.rank, marks->length ? marks : NULL, &error);
	w->got = false;
	if (!w->cursor)
		stop(w, &error);
	return w->cursor;
}

/* Leave w->event at the position, or stop. */
static void go_to(struct work *w, uint64_t position)
{
	struct error error; /* set only where something is wrong: clearing it would cost more than reading an event */
	if (w->got && position < w->position) { /* back: from the beginning */
		trace_cursor_close(w->cursor);
		w->cursor = NULL;
	}
	if (!w->cursor && !open_cursor(w))
		return;
	enum trace_got got = trace_cursor_get(w->cursor, position, &w->event, &error);
	if (got == TRACE_STALE) {
		forget_marks(w);
		go_to(w, position);
		return;
	}
	w->got = got == TRACE_FOUND;
	w->position = position;
	if (w->got)
		return;
	w->stopped = true;
	w->cut = got == TRACE_CUT;
	if (!w->cut) {
		error_set(&error, ERROR_INCONSISTENT, "rank %" PRIu32 ": position %" PRIu64 " is beyond the stream", w->scan.rank,
			position);
		stop(w, &error);
	} else {
		w->run->why[w->scan.rank] = error;
	}
}

void scan_fetch(struct scan *s, int64_t position, const char *attribute)
{
	struct work *w = (struct work *)(void *)s;
	if (w->stopped || atomic_load_explicit(&w->run->over, memory_order_relaxed))
		return;
	assert(s->depth <= w->run->program->depth);
	if (position < 0 || (uint64_t)position > w->events || !w->events) {
		struct error error;
		error_set(&error, ERROR_INPUT,
			"rank %" PRIu32 ": position %" PRId64 " is beyond the stream, which has %" PRIu64 " events", s->rank,
			position, w->events);
		stop(w, &error);
		return;
	}
	uint64_t at = (uint64_t)position == w->events ? w->events - 1 : (uint64_t)position;
	if (!w->run->archive) {
		if (is_full(w))
			queue_block(w);
		new_record(w, at, attribute);
		return;
	}
	if (!w->got || w->position != at)
		go_to(w, at);
	if (w->stopped)
		return;
	if (is_full(w))
		pass_on(w, false);
	struct stored *record = new_record(w, at, attribute);
	record->there = true;
	record->number = *attribute == 't' ? w->event->time : w->event->bytes;
}

bool scan_among(uint32_t rank, const uint32_t (*runs)[2], size_t count)
{
	while (count) {
		size_t middle = count / 2;
		if (rank < runs[middle][0]) {
			count = middle;
		} else if (rank > runs[middle][1]) {
			runs += middle + 1;
			count -= middle + 1;
		} else {
			return true;
		}
	}
	return false;
}

static void scan_one(void *context, size_t i)
{
	struct run *r = context;
	struct work *w = &r->work[i];
	r->program->scan(&w->scan);
	trace_cursor_close(w->cursor);
	w->cursor = NULL;
	if (r->archive)
		pass_on(w, true);
	else if (w->block)
		queue_block(w);
}

/* ------------------------------------------------------------------ counting an archive's streams */

static void count_one(void *context, size_t i)
{
	struct run *r = context;
	uint32_t rank = r->work[i].scan.rank;
	struct trace_marks *marks = &r->index.of[rank];
	struct error error = {0};
	if (marks->records)
		return;
	struct trace_cursor *c = trace_cursor_open(r->trace, rank, NULL, &error);
	if (!c) {
		fail(r, &error);
		return;
	}
	r->cut[rank] = trace_cursor_count(c, marks, &error) == TRACE_CUT;
	r->why[rank] = error;
	trace_cursor_close(c);
	if (r->cut[rank])
		trace_marks_clear(marks);
}

/* One stream more that is not as the model has it; of many, the first few are told. */
static void tell_difference(const struct work *w, uint64_t events, size_t before, struct text *told)
{
	if (before < 10)
		text_format(told, "\n  rank %" PRIu32 ": %" PRIu64 " events in the trace, %" PRIu64 " in the model", w->scan.rank,
			events, w->events);
}

static bool refuse_differences(struct run *r, size_t differences, struct text *told)
{
	if (differences > 10)
		text_format(told, "\n  and %zu more ranks", differences - 10);
	if (differences)
		error_set(&r->error, ERROR_INCONSISTENT, "%s: the trace is not that of the model %s:%s", r->path, r->program->model,
			told->data);
	text_clear(told);
	return !differences;
}

static bool check_counts(struct run *r)
{
	struct text told = {0};
	size_t differences = 0;
	for (size_t i = 0; i < r->works; i++) {
		const struct work *w = &r->work[i];
		uint64_t events = r->archive ? r->index.of[w->scan.rank].events : w->seen;
		if (!(r->archive && r->cut[w->scan.rank]) && events != w->events)
			tell_difference(w, events, differences++, &told);
	}
	return refuse_differences(r, differences, &told);
}

/* A text trace does not say how many there are: those of highest rank may have no events. */
static bool check_processes(struct run *r, uint32_t processes)
{
	if (processes == r->program->processes || (!r->archive && processes < r->program->processes))
		return true;
	return error_set(&r->error, ERROR_INCONSISTENT,
		"%s: the trace is not that of the model %s: it has %" PRIu32 " processes, the model %" PRIu32, r->path,
		r->program->model, processes, r->program->processes);
}

static bool check_attributes(struct run *r)
{
	for (const char *const *a = r->program->attributes; *a; a++)
		if (strcmp(*a, SCAN_TIME) && strcmp(*a, SCAN_BYTES))
			return error_set(&r->error, ERROR_INPUT,
				"%s: the trace carries no attribute '%s': an OTF2 archive has time and bytes", r->path, *a);
	return true;
}

static bool counted(const struct run *r)
{
	for (size_t i = 0; i < r->works; i++)
		if (!r->index.of[r->work[i].scan.rank].records)
			return false;
	return true;
}

static bool scan_streams(struct run *r)
{
	pthread_t writer;
	int refused = pthread_create(&writer, NULL, write_in_order, r);
	if (refused)
		return error_set(&r->error, ERROR_INTERNAL, "cannot start a thread: %s", strerror(refused));
	parallel_for(r->jobs, r->works, scan_one, r);
	pthread_join(writer, NULL);
	return r->error.kind == ERROR_NONE;
}

static bool scan_archive(struct run *r, const char *index_path)
{
	if (!check_attributes(r) || !check_processes(r, trace_facts(r->trace)->processes))
		return false;
	if (index_path)
		index_load(&r->index, index_path, r->program->reading, r->trace);
	bool known = counted(r);
	parallel_for(r->jobs, r->works, count_one, r);
	if (atomic_load(&r->over) || !check_counts(r))
		return false;
	if (!known && index_path)
		index_store(&r->index, index_path, r->program->reading);
	return scan_streams(r);
}

/* ------------------------------------------------------------------ text traces */

static int by_position(const void *left, const void *right)
{
	const struct stored *a = *(struct stored *const *)left, *b = *(struct stored *const *)right;
	return (a->position > b->position) - (a->position < b->position);
}

/* What was asked for, by position. */
static void line_up(const struct run *r, struct work *w)
{
	size_t capacity = 0;
	bool ascending = true;
	for (struct block *b = w->queue.first; b; b = b->next) {
		w->asked = mem_grow(w->asked, &capacity, w->asked_length + b->records, sizeof *w->asked);
		for (size_t i = 0; i < b->records; i++) {
			struct stored *s = stored_at(r, b, i);
			ascending &= !w->asked_length || w->asked[w->asked_length - 1]->position <= s->position;
			w->asked[w->asked_length++] = s;
		}
	}
	if (!ascending)
		qsort(w->asked, w->asked_length, sizeof *w->asked, by_position);
}

/* The value of KEY in "KEY=VALUE KEY=VALUE"; NULL if it is not there. */
static const char *find_attribute(const char *attributes, const char *key, size_t *length)
{
	size_t size = strlen(key);
	for (const char *at = attributes; at && *at; at += strspn(at, " \t")) {
		size_t word = strcspn(at, " \t");
		if (word > size && at[size] == '=' && !memcmp(at, key, size)) {
			*length = word - size - 1;
			return at + size + 1;
		}
		at += word;
	}
	return NULL;
}

static bool fill_in(struct work *w, struct stored *s, const struct trace_event *e, struct error *error)
{
	size_t length;
	const char *value = find_attribute(e->attributes, s->attribute, &length);
	w->run->lacking |= !value;
	if (!value)
		return error_set(error, ERROR_INPUT,
			"%s: the event at position %" PRIu64 " of rank %" PRIu32 " carries no attribute '%s'", w->run->path,
			s->position, w->scan.rank, s->attribute);
	if (!w->arena)
		w->arena = arena_new();
	char *copy = arena_alloc(w->arena, length + 1);
	memcpy(copy, value, length);
	copy[length] = 0;
	s->text = text_is_number(copy, UINT64_MAX, &s->number) ? NULL : copy;
	s->there = true;
	return true;
}

static struct work *work_of(struct run *r, uint32_t rank)
{
	size_t low = 0, high = r->works;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (r->work[middle].scan.rank == rank)
			return &r->work[middle];
		if (r->work[middle].scan.rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static bool text_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	struct run *r = context;
	struct work *w = work_of(r, rank);
	if (!w)
		return true;
	for (; w->asked_next < w->asked_length && w->asked[w->asked_next]->position == w->seen; w->asked_next++)
		if (!fill_in(w, w->asked[w->asked_next], e, error))
			return false;
	w->seen++;
	return true;
}

static void write_found(struct run *r)
{
	for (size_t i = 0; i < r->works; i++)
		for (struct block *b = r->work[i].queue.first; b; b = b->next)
			write_block(r, &r->work[i], b);
}

static bool scan_text(struct run *r)
{
	struct trace_sink sink = {.context = r, .event = text_event};
	for (size_t i = 0; i < r->works; i++) {
		scan_one(r, i);
		line_up(r, &r->work[i]);
	}
	if (atomic_load(&r->over))
		return false;
	if (!trace_read(r->trace, 1, NULL, &sink, &r->error)) {
		if (!r->lacking) {
			write_found(r);
			r->error.kind = ERROR_INCONSISTENT;
			r->partial = true;
		}
		return false;
	}
	if (!check_processes(r, trace_facts(r->trace)->processes) || !check_counts(r))
		return false;
	write_found(r);
	return true;
}

/* ------------------------------------------------------------------ the program */

struct arguments {
	const char *trace, *output, *index;
	bool binary, help;
	unsigned jobs;
};

static uint64_t events_of(const struct scan_program *p, uint32_t rank)
{
	for (size_t i = 0; i < p->events_length; i++)
		if (p->events[i].first <= rank && rank <= p->events[i].last)
			return p->events[i].events;
	return 0;
}

static void list_works(struct run *r)
{
	const struct scan_program *p = r->program;
	for (size_t i = 0; i < p->ranks_length; i++)
		r->works += p->ranks[i][1] - p->ranks[i][0] + (size_t)1;
	r->work = mem_zero((r->works + 1) * sizeof *r->work);
	size_t turn = 0;
	for (size_t i = 0; i < p->ranks_length; i++) {
		for (uint32_t rank = p->ranks[i][0]; rank <= p->ranks[i][1]; rank++, turn++) {
			r->work[turn].scan.rank = rank;
			r->work[turn].run = r;
			r->work[turn].turn = turn;
			r->work[turn].events = events_of(p, rank);
		}
	}
}

static void run_clear(struct run *r)
{
	for (size_t i = 0; i < r->works; i++) {
		free_blocks(r->work[i].queue.first);
		free(r->work[i].asked);
		arena_free(r->work[i].arena);
	}
	free_blocks(r->spare);
	free(r->work);
	free(r->cut);
	free(r->why);
	index_clear(&r->index);
	trace_close(r->trace);
}

/* The streams that break off: what could be read of them is out. */
static bool tell_cuts(struct run *r)
{
	struct text told = {0};
	for (size_t i = 0; i < r->works; i++)
		if (r->work[i].cut || (r->cut && r->cut[r->work[i].scan.rank]))
			text_format(&told, "%s%s", told.length ? "\n" : "", r->why[r->work[i].scan.rank].message);
	if (!told.length)
		return true;
	r->partial = true;
	error_set(&r->error, ERROR_INCONSISTENT, "%s\n(the records up to there are complete)", told.data);
	text_clear(&told);
	return false;
}

static bool scan_all(struct run *r, const struct arguments *a)
{
	uint32_t processes = r->program->processes;
	r->archive = trace_has_cursors(r->trace);
	r->stride = sizeof(struct stored) + r->program->depth * sizeof(int64_t);
	r->block_records = BLOCK_BYTES > r->stride ? BLOCK_BYTES / r->stride : 1;
	r->cut = mem_zero((processes + (size_t)1) * sizeof *r->cut);
	r->why = mem_zero((processes + (size_t)1) * sizeof *r->why);
	index_begin(&r->index, processes);
	list_works(r);
	return (r->archive ? scan_archive(r, a->index) : scan_text(r)) && tell_cuts(r);
}

/* What there is of records is to be kept where the trace breaks off. */
static bool write_output(struct run *r, struct output *out)
{
	bool keep = r->error.kind == ERROR_NONE || r->partial;
	struct error error = {0};
	if (keep && r->program->finish)
		r->program->finish(r->output);
	if (!keep) {
		output_abandon(out);
		return false;
	}
	bool written = scan_output_finish(r->output, &error);
	if (!written)
		output_abandon(out);
	else
		written = output_close(out, &error);
	if (!written && r->error.kind == ERROR_NONE)
		r->error = error;
	return written;
}

static int scan_trace(const struct scan_program *program, const struct arguments *a)
{
	struct run r = {.program = program, .path = a->trace, .jobs = a->jobs};
	struct trace_options options = {0};
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.filled, NULL);
	pthread_cond_init(&r.emptied, NULL);
	bool readable = trace_options_read(&options, program->reading, &r.error);
	struct output *out = readable ? output_open(a->output, &r.error) : NULL;
	if (out) {
		output_do_not_wait(out);
		r.output = scan_output_new(program, out, a->binary);
		r.trace = trace_open(a->trace, &options, &r.error);
		if (r.trace)
			scan_all(&r, a);
		write_output(&r, out);
	}
	scan_output_free(r.output);
	run_clear(&r);
	if (r.error.kind != ERROR_NONE)
		fprintf(stderr, "tracenest: %s\n", r.error.message);
	return (int)r.error.kind;
}

static const char *value_of(int argc, char **argv, int *at, const char *letter, const char *name)
{
	const char *word = argv[*at];
	size_t length = strlen(name);
	if (!strncmp(word, name, length) && word[length] == '=')
		return word + length + 1;
	if ((strcmp(word, name) && (!letter || strcmp(word, letter))) || *at + 1 >= argc)
		return NULL;
	return argv[++*at];
}

static bool read_arguments(int argc, char **argv, struct arguments *a)
{
	for (int i = 1; i < argc; i++) {
		const char *value;
		uint64_t jobs;
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			a->help = true;
		else if (!strcmp(argv[i], "--binary"))
			a->binary = true;
		else if ((value = value_of(argc, argv, &i, "-o", "--output")))
			a->output = value;
		else if ((value = value_of(argc, argv, &i, NULL, "--index")))
			a->index = *value ? value : NULL;
		else if ((value = value_of(argc, argv, &i, "-j", "--jobs")) && text_is_number(value, 4096, &jobs) && jobs)
			a->jobs = (unsigned)jobs;
		else if (!a->trace && (argv[i][0] != '-' || !argv[i][1]))
			a->trace = argv[i];
		else
			return false;
	}
	return a->help || a->trace;
}

int scan_main(const struct scan_program *program, int argc, char **argv)
{
	struct arguments a = {.index = program->index};
	bool good = read_arguments(argc, argv, &a);
	trace_guard();
	if (good && !a.help)
		return scan_trace(program, &a);
	fprintf(a.help ? stdout : stderr,
		"Usage: %s TRACE [-o FILE] [--binary] [--jobs N] [--index FILE]\n\n"
		"Fetches from the trace what was asked of the model %s: a line of CSV per record, or binary columns.\n"
		"TRACE is an OTF2 archive's anchor file, a text trace, a directory of text traces, or - for standard input.\n"
		"Places where reading may begin are kept in the index file%s%s; --index= keeps none.\n",
		argc ? argv[0] : "scan", program->model, program->index ? ", by default " : "",
		program->index ? program->index : "");
	return a.help ? 0 : (int)ERROR_INPUT;
}
