/*
 * otf2_meanings.c -- what records of one process mean: numbers of members become ranks of the
 * world, ids become names.
 */
#include "trace/event_writer.h"
#include "trace/otf2_meanings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void resize(struct meanings *m, size_t size)
{
	struct meaning *old = m->slot;
	size_t old_size = m->size;
	m->slot = mem_array(size, sizeof *m->slot);
	m->size = size;
	for (size_t i = 0; i < size; i++)
		m->slot[i] = (struct meaning){{0, 0}, EVENT_UNKNOWN};
	for (size_t i = 0; i < old_size; i++)
		if (old[i].event != EVENT_UNKNOWN)
			*meanings_slot(m, old[i].raw) = old[i];
	free(old);
}

static void add(struct meanings *m, struct raw_key raw, uint32_t event)
{
	if (2 * ++m->count > m->size)
		resize(m, 2 * m->size);
	*meanings_slot(m, raw) = (struct meaning){raw, event};
}

void meanings_start(struct meanings *m, struct archive *a, uint32_t rank, struct error *error)
{
	if (!a->dictionary[rank])
		a->dictionary[rank] = dictionary_new();
	*m = (struct meanings){.definitions = &a->definitions,
		.dictionary = a->dictionary[rank],
		.rank = rank,
		.distinct = a->options.distinct,
		.error = error};
	m->tag_stem = dictionary_word(m->dictionary, "tag", 3);
	m->self = dictionary_rank(m->dictionary, rank);
	resize(m, 256);
}

void meanings_clear(struct meanings *m)
{
	free(m->slot);
	free(m->shape);
}

/* ------------------------------------------------------------------ messages and collectives */

/* The number of a member in a record, as a rank of the world: false, with the error set, if there
   is no such rank. */
static bool world_rank(struct meanings *m, const struct otf2_group *group, const char *what, uint32_t id,
	uint32_t number, uint32_t *rank)
{
	uint64_t members = group->identity ? m->definitions->processes : group->length;
	*rank = NO_RANK;
	if (group->self)
		*rank = m->rank;
	else if (number < members)
		*rank = group->identity ? number : group->member[number];
	if (*rank != NO_RANK)
		return true;
	return error_set(m->error, ERROR_INPUT, "damaged: process %u of %s %u is named, which has %llu processes",
		number, what, id, (unsigned long long)members);
}

/* The group whose members a record of this process numbers: on an intercommunicator the other
   one. */
static const struct otf2_group *peers(const struct meanings *m, const struct otf2_communicator *c)
{
	if (!c)
		return &m->definitions->everybody;
	return c->remote && ranks_has(&c->local->set, m->rank) ? c->remote : c->local;
}

static int64_t name_of_communicator(const struct otf2_communicator *c, uint32_t id)
{
	return c ? c->name : (int64_t)id;
}

static uint32_t message_event(
	struct meanings *m, enum event_kind kind, uint32_t peer, int64_t communicator, uint32_t number)
{
	struct tag tag = {.stem = m->tag_stem, .numbered = true, .number = number, .communicator = communicator};
	const char *operation = m->definitions->knows_neighbours ? neighbour_tag(number) : NULL;
	if (operation)
		tag = (struct tag){.stem = dictionary_word(m->dictionary, operation, strlen(operation)),
			.communicator = communicator};
	struct event e = {
		.kind = kind, .process = m->rank, .peer = peer, .subject = dictionary_tag(m->dictionary, &tag)};
	return dictionary_event(m->dictionary, &e);
}

/* The shape of the messages of a kind and communicator. */
static struct message_shape *shape_of(struct meanings *m, enum raw_kind raw_kind, uint32_t communicator, int64_t name)
{
	struct raw_key raw = raw_of(raw_kind == RAW_SEND ? RAW_SEND_SHAPE : RAW_RECV_SHAPE, 0, communicator, 0);
	uint32_t known = meanings_event(m, raw);
	if (known != EVENT_UNKNOWN)
		return &m->shape[known];
	add(m, raw, (uint32_t)m->shapes);
	m->shape = mem_grow(m->shape, &m->shape_capacity, m->shapes + 1, sizeof *m->shape);
	m->shape[m->shapes] =
		(struct message_shape){message_event(m, raw_kind == RAW_SEND ? EVENT_SEND : EVENT_RECV, 0, name, 0), 0};
	return &m->shape[m->shapes++];
}

bool meanings_understand_message(struct meanings *m, enum raw_kind raw_kind, uint32_t peer, uint32_t communicator,
	uint32_t number, struct trace_event *event)
{
	event->event = EVENT_TO_NOBODY;
	if (peer < UINT32_C(1) << 31) { /* else it is MPI_PROC_NULL */
		const struct otf2_communicator *c = definitions_communicator(m->definitions, communicator);
		int64_t name = name_of_communicator(c, communicator);
		if (!world_rank(m, peers(m, c), "communicator", communicator, peer, &event->peer))
			return false;
		uint32_t distinct = m->definitions->knows_neighbours && neighbour_tag(number) ? 0 : m->distinct;
		struct message_shape *shape = distinct ? shape_of(m, raw_kind, communicator, name) : NULL;
		if (shape && shape->distinct++ >= distinct) {
			shape->distinct = distinct;
			event->shape = true;
			event->event = shape->event;
			event->number = number;
			return true;
		}
		event->event =
			message_event(m, raw_kind == RAW_SEND ? EVENT_SEND : EVENT_RECV, event->peer, name, number);
	}
	add(m, raw_of(raw_kind, peer, communicator, number), event->event);
	return true;
}

static bool understand_root(
	struct meanings *m, const struct otf2_communicator *c, uint32_t communicator, uint32_t root, uint32_t *rank)
{
	*rank = NO_ROOT;
	if (root == OTF2_COLLECTIVE_ROOT_SELF)
		*rank = m->rank;
	if (root == OTF2_COLLECTIVE_ROOT_NONE || root == OTF2_COLLECTIVE_ROOT_SELF ||
		root == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
		return true;
	return world_rank(m, peers(m, c), "communicator", communicator, root, rank);
}

/* Of operations without a root, ours are recorded so where they are those of neighbours. */
static bool is_among_neighbours(uint32_t operation, uint32_t root)
{
	uint32_t plain = operation & ~OPERATION_POSTED;
	return root == OTF2_COLLECTIVE_ROOT_SELF && plain >= OTF2_COLLECTIVE_OP_ALLGATHER &&
	       plain <= OTF2_COLLECTIVE_OP_ALLTOALLW;
}

/* scope: "Neighbor_", "Inter_" (ask/collective_names.h), or nothing. */
static uint32_t word_of_operation(struct meanings *m, uint32_t operation, const char *scope)
{
	const char *known = name_of_operation(operation & ~OPERATION_POSTED);
	struct text name = {0};
	if (known)
		text_format(&name, "%s%s", scope, known + strlen("MPI_"));
	else
		text_format(&name, "Collective_%u", operation & ~OPERATION_POSTED);
	if (*scope && known)
		name.data[strlen(scope)] |= 0x20;
	bool posted = known && operation & OPERATION_POSTED;
	if (posted)
		name.data[0] |= 0x20;
	struct text whole = {0};
	text_format(&whole, "MPI_%s%s", posted ? "I" : "", name.data);
	uint32_t word = dictionary_word(m->dictionary, whole.data, whole.length);
	text_clear(&name);
	text_clear(&whole);
	return word;
}

/* The processes of a collective; NULL: this one alone. */
static const struct ranks *members_of(const struct meanings *m, const struct otf2_communicator *c)
{
	if (!c)
		return &m->definitions->everybody.set;
	if (c->remote)
		return &c->both;
	return c->local->self ? NULL : &c->local->set;
}

static bool check_members(struct meanings *m, const struct otf2_communicator *c, const char *what, uint32_t id,
	const struct ranks *members)
{
	if (c && (c->local->damaged || (c->remote && c->remote->damaged)))
		return error_set(m->error, ERROR_INPUT, "damaged: %s %u has members that are no processes", what, id);
	return !members || ranks_has(members, m->rank) ||
	       error_set(m->error, ERROR_INPUT, "damaged: a collective on %s %u, of which process %u is no member",
		       what, id, m->rank);
}

static uint32_t sync_event(
	struct meanings *m, const struct otf2_communicator *c, int64_t communicator, uint32_t word, uint32_t root)
{
	const struct ranks *members = members_of(m, c);
	struct sync sync = {.name = word,
		.group = members ? dictionary_ranks(m->dictionary, members) : m->self,
		.communicator = communicator};
	struct event e = {
		.kind = EVENT_SYNC, .process = m->self, .peer = root, .subject = dictionary_sync(m->dictionary, &sync)};
	return dictionary_event(m->dictionary, &e);
}

bool meanings_understand_sync(
	struct meanings *m, uint32_t operation, uint32_t communicator, uint32_t root, uint32_t *event)
{
	const struct otf2_communicator *c = definitions_communicator(m->definitions, communicator);
	bool neighbours = is_among_neighbours(operation, root);
	uint32_t rank = NO_ROOT;
	if (!check_members(m, c, "communicator", communicator, members_of(m, c)) ||
		(!neighbours && !understand_root(m, c, communicator, root, &rank)))
		return false;
	uint32_t word = word_of_operation(m, operation, neighbours ? "Neighbor_" : c && c->remote ? "Inter_" : "");
	*event = sync_event(m, c, name_of_communicator(c, communicator), word, rank);
	add(m, raw_of(RAW_SYNC, root, communicator, operation), *event);
	return true;
}

/* ------------------------------------------------------------------ windows */

bool meanings_understand_one_sided(
	struct meanings *m, uint32_t kind, uint32_t peer, uint32_t window, uint32_t region, uint32_t *event)
{
	const struct otf2_communicator *c = definitions_window(m->definitions, window);
	bool told = kind != EVENT_KINDS;
	struct raw_key raw = raw_of(told ? RAW_ONE_SIDED : RAW_EPOCH, peer, window, told ? kind : region);
	uint32_t of = told ? kind : kind_of_call(definitions_region_name(m->definitions, region));
	bool known = of < EVENT_KINDS && kind_is_of_window(of), peered = known && kind_has_peer(of);
	struct tag tag = {
		.stem = dictionary_word(m->dictionary, "win", 3), .communicator = name_of_communicator(c, window)};
	struct event e = {.kind = of, .process = m->rank, .subject = dictionary_tag(m->dictionary, &tag)};
	*event = EVENT_TO_NOBODY;
	if (known && (!peered || peer < UINT32_C(1) << 31)) {
		if (peered && !world_rank(m, peers(m, c), "window", window, peer, &e.peer))
			return false;
		*event = dictionary_event(m->dictionary, &e);
	}
	add(m, raw, *event);
	return true;
}

static const char *word_of_window_operation(uint32_t operation)
{
	switch (operation) {
	case OTF2_COLLECTIVE_OP_BARRIER:
		return "MPI_Win_fence";
	case OTF2_COLLECTIVE_OP_CREATE_HANDLE:
		return "MPI_Win_create";
	case OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE:
		return "MPI_Win_allocate";
	case OTF2_COLLECTIVE_OP_DESTROY_HANDLE:
	case OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE:
		return "MPI_Win_free";
	default:
		return name_of_operation(operation) ? name_of_operation(operation) : "MPI_Win_sync_all";
	}
}

bool meanings_understand_window_sync(
	struct meanings *m, uint32_t operation, uint32_t window, uint32_t region, uint32_t *event)
{
	const struct otf2_communicator *c = definitions_window(m->definitions, window);
	const char *name = definitions_region_name(m->definitions, region);
	if (!check_members(m, c, "window", window, members_of(m, c)))
		return false;
	if (strncmp(name, "MPI_Win_", strlen("MPI_Win_")) != 0)
		name = word_of_window_operation(operation);
	*event = sync_event(
		m, c, name_of_communicator(c, window), dictionary_word(m->dictionary, name, strlen(name)), NO_ROOT);
	add(m, raw_of(RAW_WINDOW_SYNC, region, window, operation), *event);
	return true;
}

/* ------------------------------------------------------------------ regions and local events */

static uint32_t region_sync(struct meanings *m, uint32_t region)
{
	const char *name = name_of_collective_region(definitions_region_name(m->definitions, region));
	struct sync sync = {.name = dictionary_word(m->dictionary, name, strlen(name)),
		.group = dictionary_ranks(m->dictionary, &m->definitions->everybody.set),
		.communicator = NO_COMMUNICATOR};
	struct event e = {.kind = EVENT_SYNC,
		.process = m->self,
		.peer = NO_ROOT,
		.subject = dictionary_sync(m->dictionary, &sync)};
	return dictionary_event(m->dictionary, &e);
}

uint32_t meanings_local(struct meanings *m, const char *words, const char *name)
{
	struct text text = {0};
	text_put(&text, words);
	if (name)
		name_clean(name, false, &text);
	struct event e = {.kind = EVENT_LOCAL,
		.process = m->rank,
		.subject = dictionary_word(m->dictionary, text.data, text.length)};
	text_clear(&text);
	return dictionary_event(m->dictionary, &e);
}

uint32_t meanings_region(struct meanings *m, enum raw_kind kind, uint32_t id)
{
	struct raw_key raw = {id, (uint64_t)kind << 32};
	uint32_t event = meanings_event(m, raw);
	if (event != EVENT_UNKNOWN)
		return event;
	if (kind == RAW_REGION_SYNC)
		event = region_sync(m, id);
	else
		event = meanings_local(
			m, kind == RAW_CALL ? "call " : "return ", definitions_region_name(m->definitions, id));
	add(m, raw, event);
	return event;
}
