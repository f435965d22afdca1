/*
 * otf2_neighbours.c -- collectives among neighbours are messages: a process waits for its
 * neighbours alone, and they need not be the neighbours of all who are awaited.
 *
 * Records have them as collectives, with attributes (event_writer.h): of what begins, to whom; of
 * what ends, from whom. They are passed on as a send to each where it begins, or is posted, and a
 * receive from each where it ends, whose tag is the operation.
 */
#include <otf2/otf2.h>
#include <string.h>

#include "base/text.h"
#include "trace/event_writer.h"
#include "trace/otf2.h"

static const char *const neighbour_tags[] = {"MPI_Neighbor_allgather", "MPI_Neighbor_allgatherv",
	"MPI_Neighbor_alltoall", "MPI_Neighbor_alltoallv", "MPI_Neighbor_alltoallw"};
#define NEIGHBOUR_TAGS (sizeof neighbour_tags / sizeof *neighbour_tags)
#define NEIGHBOUR_TAG UINT32_C(0xffffff00) /* no tag of MPI is as large */

const char *neighbour_tag(uint32_t number)
{
	return number >= NEIGHBOUR_TAG && number - NEIGHBOUR_TAG < NEIGHBOUR_TAGS
		       ? neighbour_tags[number - NEIGHBOUR_TAG]
		       : NULL;
}

static bool find_tag(const char *name, size_t length, uint32_t *number)
{
	bool found = false;
	for (uint32_t k = 0; k < NEIGHBOUR_TAGS && !found; k++) {
		found = !strncmp(name, neighbour_tags[k], length) && !neighbour_tags[k][length];
		*number = NEIGHBOUR_TAG + k;
	}
	return found;
}

bool neighbour_tag_of(const char *name, uint32_t *number)
{
	return find_tag(name, strlen(name), number);
}

/* "MPI_Neighbor_alltoall 1:800 3:800", a message for each; what is damaged is none. */
static bool give_messages(const struct event_record *of, enum event_record_kind kind, uint32_t communicator,
	const char *told, record_sink take, void *context)
{
	const char *at = told + strcspn(told, " ");
	struct event_record r = {.kind = (uint16_t)kind,
		.time = of->time,
		.communicator = communicator,
		.attributes = of->attributes,
		.attribute = of->attribute};
	bool good = true, known = find_tag(told, (size_t)(at - told), &r.number);
	for (uint64_t peer; good && known && *at++ == ' ' && text_read_number(&at, UINT32_MAX, &peer) && *at++ == ':' &&
			    text_read_number(&at, UINT64_MAX, &r.bytes);) {
		r.id = (uint32_t)peer;
		good = take(context, &r);
	}
	return good;
}

static const char *told_in(const struct definitions *d, const struct event_record *r, uint32_t attribute)
{
	const struct record_attribute *a = record_attribute(r, attribute, OTF2_TYPE_STRING);
	return a ? definitions_string(d, (uint32_t)a->value) : NULL;
}

bool neighbours_pass_on(const struct definitions *d, const struct event_record *r, record_sink take, void *context)
{
	bool begins = r->kind == RECORD_COLLECTIVE_BEGIN || r->kind == RECORD_COLLECTIVE_REQUEST,
	     ends = r->kind == RECORD_COLLECTIVE_END || r->kind == RECORD_COLLECTIVE_COMPLETE;
	if (!d->knows_neighbours || (!begins && !ends))
		return take(context, r);
	const char *told = told_in(d, r, begins ? d->to : d->from);
	const struct record_attribute *on =
		begins ? record_attribute(r, d->communicator_attribute, OTF2_TYPE_COMM) : NULL;
	if (!told || (begins && !on))
		return take(context, r);
	if (r->kind == RECORD_COLLECTIVE_BEGIN && !take(context, r))
		return false;
	return give_messages(r, begins ? RECORD_SEND : RECORD_RECV, begins ? (uint32_t)on->value : r->communicator,
		told, take, context);
}
