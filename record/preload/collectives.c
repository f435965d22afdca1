/*
 * collectives.c -- what collective calls say of themselves.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "record/preload/recorder.h"

struct collective collective_on(enum collective_operation operation, MPI_Comm comm)
{
	struct collective d = {.k = communicator_of(comm), .handle = comm};
	if (!d.k)
		return d;
	d.record = (struct collective_record){
		.operation = operation, .communicator = communicator_id(d.k), .root = COLLECTIVE_NO_ROOT};
	d.peers = (uint64_t)d.k->others;
	return d;
}

void collective_root(struct collective *d, int root)
{
	if (!d->k->inter) {
		d->record.root = (uint32_t)root;
		d->is_root = d->in_group = root == d->k->rank;
		d->is_leaf = !d->is_root;
	} else if (root == MPI_ROOT) {
		d->record.root = d->k->our_first + (uint32_t)d->k->rank;
		d->is_root = true;
	} else if (root == MPI_PROC_NULL) {
		d->record.root = COLLECTIVE_ROOT_IN_MY_GROUP;
		d->idle = true;
	} else {
		d->record.root = d->k->their_first + (uint32_t)root;
		d->is_leaf = true;
	}
}

void collective_type(struct collective *d, MPI_Count count, MPI_Datatype type)
{
	if (d->idle || count < 0)
		return;
	d->typed = true;
	d->type = datatype_of(type)->name;
	d->count = (uint64_t)count;
}

void collective_reduces(struct collective *d, MPI_Op op)
{
	d->reduces = true;
	d->operation = operation_name(op);
}

/* "0,800,0*5,400", as model/attributes.h reads it. */
static void add_run(struct text *list, uint64_t bytes, uint64_t times)
{
	text_put(list, list->length ? "," : "");
	text_number(list, bytes);
	if (times > 1) {
		text_char(list, '*');
		text_number(list, times);
	}
}

#define TO_EACH(name, type_of_count)                                                                                   \
	void name(struct collective *d, const type_of_count *counts, const MPI_Datatype *types, bool one)              \
	{                                                                                                              \
		struct text list = {0};                                                                                \
		uint64_t run = 0, times = 0;                                                                           \
		for (uint64_t i = 0; i < d->peers && !d->k->inter; i++) {                                              \
			uint64_t bytes = bytes_of(counts[i], types[one ? 0 : i]);                                      \
			if (times && bytes != run) {                                                                   \
				add_run(&list, run, times);                                                            \
				times = 0;                                                                             \
			}                                                                                              \
			run = bytes;                                                                                   \
			times++;                                                                                       \
		}                                                                                                      \
		if (times)                                                                                             \
			add_run(&list, run, times);                                                                    \
		d->to_each = times;                                                                                    \
		d->bytes_to_each = times ? recorder_string("string", list.data) : 0;                                   \
		text_clear(&list);                                                                                     \
	}
TO_EACH(collective_to_each_int, int)
TO_EACH(collective_to_each_count, MPI_Count)

static int *room_for(bool to, int ranks)
{
	size_t room = ranks > 0 ? (size_t)ranks : 0;
	recorder.neighbours[to].rank = mem_grow(recorder.neighbours[to].rank, &recorder.neighbours[to].capacity,
		room + 1, sizeof *recorder.neighbours[to].rank);
	return recorder.neighbours[to].rank;
}

/* Of a grid two along each axis. */
static int grid_neighbours(MPI_Comm comm)
{
	int dimensions = 0;
	recorder.mpi.Cartdim_get(comm, &dimensions);
	int *before = room_for(false, 2 * dimensions), *behind = room_for(true, 2 * dimensions);
	for (int d = 0; d < dimensions; d++) {
		recorder.mpi.Cart_shift(comm, d, 1, &before[2 * d], &before[2 * d + 1]);
		behind[2 * d] = before[2 * d];
		behind[2 * d + 1] = before[2 * d + 1];
	}
	return 2 * dimensions;
}

void collective_neighbours(struct collective *d, const char *operation)
{
	int kind = MPI_UNDEFINED, sources = 0, destinations = 0, weighted;
	recorder.mpi.Topo_test(d->handle, &kind);
	if (kind == MPI_CART) {
		sources = destinations = grid_neighbours(d->handle);
	} else if (kind == MPI_GRAPH) {
		recorder.mpi.Graph_neighbors_count(d->handle, d->k->rank, &sources);
		destinations = sources;
		recorder.mpi.Graph_neighbors(d->handle, d->k->rank, sources, room_for(false, sources));
		recorder.mpi.Graph_neighbors(d->handle, d->k->rank, sources, room_for(true, sources));
	} else if (kind == MPI_DIST_GRAPH) {
		recorder.mpi.Dist_graph_neighbors_count(d->handle, &sources, &destinations, &weighted);
		int *weights = mem_array((size_t)(sources + destinations) + 1, sizeof *weights);
		recorder.mpi.Dist_graph_neighbors(d->handle, sources, room_for(false, sources), weights, destinations,
			room_for(true, destinations), weights + sources);
		free(weights);
	}
	for (int to = 0; to < 2; to++) {
		text_truncate(&recorder.neighbours[to].told, 0);
		text_put(&recorder.neighbours[to].told, operation);
	}
	d->record.root = COLLECTIVE_ROOT_AMONG_NEIGHBOURS;
	d->among_neighbours = true;
	d->sources = (uint64_t)sources;
	d->destinations = (uint64_t)destinations;
}

void collective_neighbour(struct collective *d, bool to, uint64_t k, uint64_t bytes)
{
	struct text *told = &recorder.neighbours[to].told;
	int rank = recorder.neighbours[to].rank[k];
	*(to ? &d->sent : &d->received) += bytes;
	if (rank < 0)
		return;
	text_char(told, ' ');
	text_number(told, (uint64_t)rank);
	text_char(told, ':');
	text_number(told, bytes);
}

void collective_neighbours_tell(struct collective *d)
{
	d->to = recorder_string("string", recorder.neighbours[true].told.data);
	d->from = recorder_string("string", recorder.neighbours[false].told.data);
}

/* What the record of its beginning has: of one among neighbours, who is to get what. */
const struct event_attributes *collective_begins(
	const struct call *c, const struct collective *d, struct event_attributes *attributes)
{
	if (!d->among_neighbours)
		return NULL;
	*attributes = call_attributes(c);
	attributes->have |= 1 << ATTRIBUTE_TO;
	attributes->to = d->to;
	if (d->typed) {
		attributes->have |= 1 << ATTRIBUTE_TYPE | 1 << ATTRIBUTE_COUNT;
		attributes->type = d->type;
		attributes->count = d->count;
	}
	return attributes;
}

void collective_describe(const struct call *c, const struct collective *d, struct collective_record *record,
	struct event_attributes *attributes)
{
	*record = d->record;
	record->sent = d->sent;
	record->received = d->received;
	*attributes = call_attributes(c);
	if (d->typed) {
		attributes->have |= 1 << ATTRIBUTE_TYPE | 1 << ATTRIBUTE_COUNT;
		attributes->type = d->type;
		attributes->count = d->count;
	}
	if (d->among_neighbours) {
		attributes->have |= 1 << ATTRIBUTE_FROM;
		attributes->from = d->from;
		attributes->to = d->to; /* told where it begins */
	}
	if (d->to_each) {
		attributes->have |= 1 << ATTRIBUTE_BYTES_BY_MEMBER;
		attributes->bytes_by_member = d->bytes_to_each;
	}
	if (d->reduces && !d->idle) {
		attributes->have |= 1 << ATTRIBUTE_OPERATION;
		attributes->operation = d->operation;
	}
}

void collective_begin(struct call *c, struct collective *d)
{
	uint64_t turn = d->k ? pending_turn(d->k) : 0;
	struct event_attributes attributes;
	if (recorder.on && d->k) {
		struct collective_record record = d->record;
		record.sent = d->sent;
		record.received = d->received;
		pending_call(c, pending_collective((struct pending){.type = d->type}, &record, turn));
		event_writer_collective_begin(
			recorder.events, c->time, communicator_id(d->k), collective_begins(c, d, &attributes));
	} else
		d->k = NULL;
}

void collective_end(struct call *c, int result, struct collective *d)
{
	struct collective_record record;
	struct event_attributes attributes;
	if (!d->k || !recorder.on)
		return;
	(void)result; /* whoever fails in a collective has taken part in it */
	collective_describe(c, d, &record, &attributes);
	call_happens(c, &attributes);
	event_writer_collective_end(recorder.events, c->time, &record, &attributes);
	recorder.collectives++;
}

/* ------------------------------------------------------------------ posted ones */

struct posted_collective *collective_posted(
	const struct collective_record *record, const struct event_attributes *attributes)
{
	struct posted_collective *p = mem_alloc(sizeof *p);
	*p = (struct posted_collective){.record = *record, .attributes = *attributes};
	if (!recorder.first_posted)
		recorder.last_posted = &recorder.first_posted;
	*recorder.last_posted = p;
	recorder.last_posted = &p->next;
	return p;
}

/* Is an older one on the same communicator still under way? */
static bool must_wait(const struct posted_collective *p)
{
	for (const struct posted_collective *older = recorder.first_posted; older != p; older = older->next)
		if (older->record.communicator == p->record.communicator)
			return true;
	return false;
}

void collectives_complete(struct call *c)
{
	for (struct posted_collective **at = &recorder.first_posted; *at;) {
		struct posted_collective *p = *at;
		if (!p->complete || must_wait(p)) {
			at = &p->next;
			continue;
		}
		event_writer_collective_complete(recorder.events, c->time, &p->record, &p->attributes);
		recorder.collectives++;
		*at = p->next;
		if (recorder.last_posted == &p->next)
			recorder.last_posted = at;
		free(p);
	}
}
