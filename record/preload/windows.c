/*
 * windows.c -- windows of memory that others put into and get from.
 *
 * A window has a communicator of its own in MPI, too: here it is one, with a key that is made as
 * those of communicators are. So what unites communicators of different processes unites windows.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "record/preload/recorder.h"

#define KEY_OF_WINDOWS 3 /* beside those of the world and of a process by itself */

struct communicator *window_of(MPI_Win win)
{
	struct communicator *k = (struct communicator *)handles_find(&recorder.windows, HANDLE_KEY(win));
	return k && !k->foreign ? k : NULL;
}

/* ------------------------------------------------------------------ collectives */

void window_begins(struct call *c, MPI_Comm comm)
{
	struct communicator *k = communicator_of(comm);
	if (recorder.on && k)
		event_writer_window_begin(recorder.events, c->time, k->id); /* no event is on it */
}

void window_syncs(struct call *c, struct communicator *k)
{
	if (recorder.on && k)
		event_writer_window_begin(recorder.events, c->time, communicator_id(k));
}

static void record(
	struct call *c, enum collective_operation operation, struct communicator *k, struct event_attributes *a)
{
	struct collective_record r = {
		.operation = operation, .communicator = communicator_id(k), .root = COLLECTIVE_NO_ROOT};
	call_happens(c, a);
	event_writer_window_end(recorder.events, c->time, &r, a);
	recorder.collectives++;
}

void window_synced(struct call *c, enum collective_operation operation, struct communicator *k)
{
	struct event_attributes a = call_attributes(c);
	if (recorder.on && k)
		record(c, operation, k, &a);
}

static struct communicator *make(int result, MPI_Comm comm, MPI_Win win)
{
	struct communicator *old = (struct communicator *)handles_find(&recorder.windows, HANDLE_KEY(win));
	if (result != MPI_SUCCESS)
		return NULL;
	if (old) {
		handles_remove(&recorder.windows, &old->entry);
		free(old);
	}
	struct communicator *k = communicator_copy(comm, KEY_OF_WINDOWS);
	if (!k)
		return NULL;
	handles_add(&recorder.windows, &k->entry, HANDLE_KEY(win));
	side_line(&recorder.side, "window %u", k->id);
	return k;
}

void window_made(struct call *c, int result, enum collective_operation operation, MPI_Aint size, MPI_Aint unit,
	MPI_Comm comm, MPI_Win win)
{
	struct communicator *k = make(result, comm, win);
	struct event_attributes a = call_attributes(c);
	a.have |= 1 << ATTRIBUTE_SIZE | 1 << ATTRIBUTE_UNIT;
	a.size = (uint64_t)size;
	a.unit = (uint64_t)unit;
	if (recorder.on && k)
		record(c, operation, k, &a);
}

void window_made_dynamic(struct call *c, int result, MPI_Comm comm, MPI_Win win)
{
	struct communicator *k = make(result, comm, win);
	if (k)
		k->dynamic = true;
	window_synced(c, OPERATION_CREATE_HANDLE, k);
}

void window_freed(struct call *c, struct communicator *k, MPI_Win win)
{
	window_synced(c, OPERATION_DESTROY_HANDLE, k);
	struct handle *known = handles_find(&recorder.windows, HANDLE_KEY(win));
	if (!known)
		return;
	handles_remove(&recorder.windows, known);
	free(known);
}

/* ------------------------------------------------------------------ puts, gets, updates */

void one_sided(struct call *c, const struct access *access, int target, MPI_Aint displacement, MPI_Win win)
{
	struct communicator *k = window_of(win);
	if (!k)
		call_moved(c);
	if (!recorder.on || !k || target < 0 || target >= k->others || access->count < 0)
		return; /* to nobody, or MPI will say what is wrong */
	struct event_attributes a = call_attributes(c);
	call_happens(c, &a);
	a.have |= 1 << ATTRIBUTE_TYPE | 1 << ATTRIBUTE_COUNT | (!k->dynamic) << ATTRIBUTE_DISPLACEMENT |
		  access->has_op << ATTRIBUTE_OPERATION;
	a.type = datatype_of(access->type)->name;
	a.count = (uint64_t)access->count;
	a.displacement = displacement;
	a.operation = access->has_op ? operation_name(access->op) : 0;
	struct one_sided_record r = {.kind = access->kind,
		.peer = (uint32_t)target,
		.window = communicator_id(k),
		.bytes = access->bytes,
		.received = access->received};
	event_writer_one_sided(recorder.events, c->time, &r, &a);
	recorder.one_sided++;
}

/* ------------------------------------------------------------------ epochs */

static void record_epoch(struct call *c, enum event_kind kind, int target, const struct communicator *k,
	struct event_attributes *a, bool exclusive)
{
	call_happens(c, a);
	struct one_sided_record r = {.kind = kind,
		.peer = target < 0 ? ONE_SIDED_NO_PEER : (uint32_t)target,
		.window = k->id,
		.exclusive = exclusive};
	event_writer_one_sided(recorder.events, c->time, &r, a);
	recorder.one_sided++;
}

/* Its window, if it is to be recorded. */
static struct communicator *epoch_of(int result, MPI_Win win)
{
	struct communicator *k = result == MPI_SUCCESS && recorder.on ? window_of(win) : NULL;
	if (k)
		communicator_id(k);
	return k;
}

/* target: MPI_PROC_NULL: of nobody; NO_TARGET: of no one alone. */
void window_epoch(struct call *c, int result, enum event_kind kind, int target, MPI_Win win)
{
	struct communicator *k = epoch_of(result, win);
	struct event_attributes a = call_attributes(c);
	if (k && (target >= 0 || target == NO_TARGET))
		record_epoch(c, kind, target, k, &a, false);
}

void window_locked(struct call *c, int result, int type, int target, MPI_Win win)
{
	struct communicator *k = epoch_of(result, win);
	struct event_attributes a = call_attributes(c);
	bool exclusive = type == MPI_LOCK_EXCLUSIVE;
	if (!k || target < 0)
		return;
	a.have |= 1 << ATTRIBUTE_LOCK;
	a.lock = recorder_string("string", exclusive ? "exclusive" : "shared");
	record_epoch(c, EVENT_LOCK, target, k, &a, exclusive);
}

void window_group(struct call *c, int result, enum event_kind kind, MPI_Group group, MPI_Win win)
{
	struct communicator *k = epoch_of(result, win);
	struct event_attributes a = call_attributes(c);
	if (!k)
		return;
	struct text words = {0};
	group_words(group, &words);
	a.have |= 1 << ATTRIBUTE_GROUP;
	a.group = recorder_string("string", words.data ? words.data : "-");
	text_clear(&words);
	record_epoch(c, kind, NO_TARGET, k, &a, false);
}
