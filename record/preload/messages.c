/*
 * messages.c -- what blocking calls send and receive. Peers are ranks of the communicator, as OTF2
 * wants them.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "record/preload/recorder.h"

static struct event_attributes attributes_of(const struct call *c, MPI_Count count, MPI_Datatype type)
{
	struct event_attributes a = call_attributes(c);
	call_happens(c, &a);
	a.have |= 1 << ATTRIBUTE_TYPE | 1 << ATTRIBUTE_COUNT;
	a.type = datatype_of(type)->name;
	a.count = (uint64_t)count;
	return a;
}

void message_sent(struct call *c, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	struct communicator *k = communicator_of(comm);
	if (!recorder.on || !k || to < 0 || to >= k->others || count < 0)
		return; /* to nobody, or MPI will say what is wrong */
	struct event_attributes a = attributes_of(c, count, type);
	struct message_record m = {.peer = k->their_first + (uint32_t)to,
		.communicator = communicator_id(k),
		.tag = (uint32_t)tag,
		.bytes = bytes_of(count, type)};
	event_writer_send(recorder.events, c->time, &m, &a);
	pending_call(c, (struct pending){.kind = PENDING_SEND,
				.peer = m.peer,
				.tag = m.tag,
				.communicator = m.communicator,
				.type = a.type,
				.sent = m.bytes});
	recorder.sends++;
}

void message_awaited(struct call *c, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm)
{
	struct communicator *k = communicator_of(comm);
	c->bounded = count >= 0;
	c->most = c->bounded ? bytes_of(count, type) : 0;
	if (!recorder.on || !k || (from < 0 && from != MPI_ANY_SOURCE) || from >= k->others)
		return;
	pending_call(c, (struct pending){.kind = PENDING_RECEIVE,
				.peer = from == MPI_ANY_SOURCE ? PENDING_ANY : k->their_first + (uint32_t)from,
				.tag = tag == MPI_ANY_TAG ? PENDING_ANY : (uint32_t)tag,
				.communicator = k->id,
				.received = count < 0 ? UINT64_MAX : bytes_of(count, type)});
}

/* number: of its request; 0: it has none. */
static void record_receive(struct call *c, MPI_Datatype type, int from, int tag, struct communicator *k,
	const MPI_Status *status, uint64_t number)
{
	MPI_Count bytes = 0;
	if (status->MPI_SOURCE < 0)
		return; /* from nobody */
	recorder.mpi.Get_elements_x(status, recorder.mpi.byte, &bytes);
	if (c->bounded && (uint64_t)bytes > c->most) /* it was cut off, and MPI tells how long it was */
		bytes = (MPI_Count)c->most;
	uint64_t size = datatype_of(type)->size;
	struct event_attributes a = attributes_of(c, size ? bytes / (MPI_Count)size : 0, type);
	a.have |= (from == MPI_ANY_SOURCE) << ATTRIBUTE_POSTED_SOURCE | (tag == MPI_ANY_TAG) << ATTRIBUTE_POSTED_TAG;
	struct message_record m = {.peer = k->their_first + (uint32_t)status->MPI_SOURCE,
		.communicator = communicator_id(k),
		.tag = (uint32_t)status->MPI_TAG,
		.bytes = (uint64_t)bytes,
		.request = number};
	(number ? event_writer_irecv : event_writer_recv)(recorder.events, c->time, &m, &a);
	recorder.receives++;
}

/* A message that was cut off came, too. */
static bool came(int result)
{
	if (result == MPI_SUCCESS)
		return true;
	int class = result;
	recorder.mpi.Error_class(result, &class);
	return class == MPI_ERR_TRUNCATE;
}

void message_received(
	struct call *c, int result, MPI_Datatype type, int from, int tag, MPI_Comm comm, const MPI_Status *status)
{
	struct communicator *k = communicator_of(comm);
	if (recorder.on && k && from != MPI_PROC_NULL && came(result))
		record_receive(c, type, from, tag, k, status, 0);
}

/* ------------------------------------------------------------- messages that were matched first */

/* It is taken from its channel here, whatever is received before it is. */
void message_matched(struct call *c, int result, int from, int tag, MPI_Comm comm, const MPI_Message *message)
{
	struct communicator *k = communicator_of(comm);
	if (result != MPI_SUCCESS || !k || *message == recorder.mpi.no_process)
		return;
	struct matched *m = mem_alloc(sizeof *m);
	*m = (struct matched){.known = true, .communicator = *k, .from = from, .tag = tag};
	if (recorder.on) {
		struct event_attributes a = call_attributes(c);
		a.have |= 1 << ATTRIBUTE_REQUEST;
		a.request = m->number = ++recorder.posted;
		event_writer_irecv_request(recorder.events, c->time, m->number, &a);
	}
	handles_add(&recorder.messages, &m->entry, HANDLE_KEY(*message));
}

struct matched message_take(MPI_Message message)
{
	struct matched *found = (struct matched *)handles_find(&recorder.messages, HANDLE_KEY(message));
	struct matched m = {.known = false};
	if (found) {
		m = *found;
		handles_remove(&recorder.messages, &found->entry);
		free(found);
	}
	return m;
}

void message_received_matched(
	struct call *c, int result, MPI_Datatype type, struct matched *m, const MPI_Status *status)
{
	if (recorder.on && m->known && came(result))
		record_receive(c, type, m->from, m->tag, &m->communicator, status, m->number);
}
