/*
 * archive.c -- what a process does in a call is kept until the next one begins: only then it is
 * known what the call was.
 */
#include "replay/formats.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/collective_names.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/text.h"
#include "replay/tags.h"
#include "replay/windows.h"
#include "trace/archive_writer.h"
#include "trace/event_writer.h"
#include "trace/names.h"

/* A communicator of the program; 0 is the world. */
struct communicator {
	int64_t named; /* EVENT_UNSAID: it is not */
	uint32_t *rank, members;
	uint32_t id; /* in the archive */
	bool is_window;
	uint32_t window; /* in the archive */
};

struct record {
	enum event_kind kind;
	uint64_t time;
	struct message_record message;
	struct collective_record collective;
	struct one_sided_record access;
	bool of_window; /* a collective */
	bool posted; /* a collective that does not block */
	const char *name; /* of the collective */
	struct event_attributes attributes;
};

struct process {
	struct event_writer *events;
	struct record *record; /* of the call at hand */
	size_t records, capacity;
	uint64_t enter, leave, requests;
	bool begun; /* MPI_Init is written */
	uint64_t base, last; /* the begin of the run; from there to the last record */
	uint64_t apart; /* what is left of time in such calls */
	uint64_t written; /* records of events, once all are */
};

struct archive {
	uint32_t processes;
	const struct pace *pace;
	const char *directory;
	struct error *error;
	struct process *process;
	struct tags *tags;
	struct overview overview;
	struct intern *sets, *keys, *regions, *strings; /* runs; of communicators: (name, set) */
	struct communicator *communicator;
	size_t communicator_capacity;
	uint32_t bytes, received, type, count, site, op, bytes_by_member; /* names of attributes */
	uint32_t disp, size, unit, lock, group;
	bool windows; /* what is one-sided has its windows */
	bool good;
};

/* ------------------------------------------------------------------ communicators */

struct communicator_key {
	int64_t named;
	uint64_t set;
};

static uint32_t communicator_of(struct archive *a, int64_t named, const struct ranks *who)
{
	struct communicator_key key = {named, intern_id(a->sets, who->run, who->length * sizeof *who->run)};
	uint32_t known = intern_count(a->keys), id = intern_id(a->keys, &key, sizeof key);
	if (id < known)
		return id;
	struct ranks_walk walk = {0};
	struct communicator c = {.named = named, .rank = mem_array(ranks_count(who) + 1, sizeof *c.rank)};
	for (uint32_t rank; ranks_next(who, &walk, &rank);)
		c.rank[c.members++] = rank;
	a->communicator = mem_grow(a->communicator, &a->communicator_capacity, (size_t)id + 1, sizeof *a->communicator);
	a->communicator[id] = c;
	return id;
}

/* Messages do not say who is in their communicator: the collectives on it do. */
static void find_communicators(struct archive *a)
{
	const struct overview *o = &a->overview;
	struct member_sets *sets = member_sets_new(o->run);
	struct environment e = {0};
	communicator_of(a, EVENT_UNSAID, &o->all);
	for (size_t i = 0; i < o->lines; i++) {
		struct ranks_walk walk = {0};
		struct event_numbers n;
		for (uint32_t rank; overview_match(o, i) == MATCH_GROUP && ranks_next(&o->line[i].who, &walk, &rank);) {
			overview_start(o, i, rank, &e);
			event_numbers_at(&e, sets, o->line[i].node, &n);
			communicator_of(a, n.number[COLUMN_COMMUNICATOR],
				member_set_ranks(sets, (uint32_t)n.number[COLUMN_GROUP]));
		}
	}
	free(e.index);
	member_sets_free(sets);
}

static bool is_in(const struct communicator *c, uint32_t rank)
{
	return bsearch(&rank, c->rank, c->members, sizeof rank, compare_u32);
}

/* That of a message between two processes: one of this name whose members they are; else the
   world. */
static uint32_t communicator_of_message(const struct archive *a, const struct event_numbers *e)
{
	int64_t named = e->number[COLUMN_COMMUNICATOR];
	for (uint32_t i = 1; named != EVENT_UNSAID && i < intern_count(a->keys); i++) {
		const struct communicator *c = &a->communicator[i];
		if (c->named == named && is_in(c, (uint32_t)e->number[COLUMN_WHO]) &&
			is_in(c, (uint32_t)e->number[COLUMN_PEER]))
			return i;
	}
	return named == EVENT_UNSAID ? 0 : UINT32_MAX;
}

static uint32_t number_in(const struct communicator *c, uint32_t rank)
{
	const uint32_t *at = bsearch(&rank, c->rank, c->members, sizeof rank, compare_u32);
	return at ? (uint32_t)(at - c->rank) : 0;
}

/* ------------------------------------------------------------------ records */

static uint32_t region(struct archive *a, const char *name)
{
	return intern_id(a->regions, name, strlen(name));
}

static struct event_value value(const struct played *p, uint32_t name)
{
	return event_value_at(&p->cursor->at, NULL, p->cursor->event, name);
}

static uint64_t number(const struct played *p, uint32_t name)
{
	struct event_value v = value(p, name);
	return v.there && !v.word && v.number > 0 ? (uint64_t)v.number : 0;
}

static void take_word(struct archive *a, const struct event_value *v, enum event_attribute attribute,
	struct event_attributes *to, uint32_t *string)
{
	if (!v->there || !v->word)
		return;
	to->have |= 1 << attribute;
	*string = intern_id(a->strings, v->word, strlen(v->word));
}

static void take_attributes(struct archive *a, const struct played *p, struct event_attributes *to)
{
	struct event_value type = value(p, a->type), count = value(p, a->count), site = value(p, a->site),
			   op = value(p, a->op),
			   each = event_value_at(&p->cursor->at, p->sets, p->cursor->event, a->bytes_by_member);
	struct text alone = {0};
	if (each.there && !each.word) { /* of a group of one */
		text_format(&alone, "%" PRId64, each.number);
		each.word = alone.data;
	}
	*to = (struct event_attributes){0};
	take_word(a, &type, ATTRIBUTE_TYPE, to, &to->type);
	take_word(a, &site, ATTRIBUTE_SITE, to, &to->site);
	take_word(a, &op, ATTRIBUTE_OPERATION, to, &to->operation);
	take_word(a, &each, ATTRIBUTE_BYTES_BY_MEMBER, to, &to->bytes_by_member);
	if (count.there && !count.word && count.number >= 0) {
		to->have |= 1 << ATTRIBUTE_COUNT;
		to->count = (uint64_t)count.number;
	}
	text_clear(&alone);
}

/* What it says of a window. */
static void take_window(struct archive *a, const struct played *p, struct event_attributes *to)
{
	struct event_value disp = value(p, a->disp), size = value(p, a->size), unit = value(p, a->unit),
			   lock = value(p, a->lock), group = value(p, a->group);
	struct text alone = {0};
	if (group.there && !group.word) {
		text_format(&alone, "%" PRId64, group.number);
		group.word = alone.data;
	}
	to->displacement = disp.there && !disp.word ? disp.number : 0;
	to->size = size.there && !size.word ? (uint64_t)size.number : 0;
	to->unit = unit.there && !unit.word ? (uint64_t)unit.number : 0;
	to->have |= (uint32_t)disp.there << ATTRIBUTE_DISPLACEMENT | (uint32_t)size.there << ATTRIBUTE_SIZE |
		    (uint32_t)unit.there << ATTRIBUTE_UNIT;
	take_word(a, &lock, ATTRIBUTE_LOCK, to, &to->lock);
	take_word(a, &group, ATTRIBUTE_GROUP, to, &to->group);
	text_clear(&alone);
}

static bool window_operation_of(const char *name, enum collective_operation *operation)
{
	static const struct {
		const char *name;
		enum collective_operation operation;
	} known[] = {{"MPI_Win_create", OPERATION_CREATE_HANDLE}, {"MPI_Win_create_dynamic", OPERATION_CREATE_HANDLE},
		{"MPI_Win_allocate", OPERATION_CREATE_HANDLE_AND_ALLOCATE},
		{"MPI_Win_allocate_shared", OPERATION_CREATE_HANDLE_AND_ALLOCATE}, {"MPI_Win_fence", OPERATION_BARRIER},
		{"MPI_Win_free", OPERATION_DESTROY_HANDLE}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name)) {
			*operation = known[i].operation;
			return true;
		}
	return false;
}

/* "MPI_Ibcast" is posted. False: OTF2 has no such operation. */
static bool operation_of(const char *name, enum collective_operation *operation, bool *posted)
{
	if (strncmp(name, "MPI_", 4) || !name[4])
		return false;
	*posted = name[4] == 'I' && islower((unsigned char)name[5]);
	const char *rest = name + (*posted ? 5 : 4);
	if (collective_scope(name) == SCOPE_NEIGHBOURS)
		rest += strlen("Neighbor_");
	for (uint32_t i = 0; i <= OPERATION_REDUCE_SCATTER_BLOCK; i++) {
		const char *known = name_of_operation(i) + strlen("MPI_");
		*operation = (enum collective_operation)i;
		if (toupper((unsigned char)rest[0]) == known[0] && !strcmp(rest + 1, known + 1))
			return true;
	}
	return false;
}

static bool take_sync(struct archive *a, const struct played *p, struct record *r)
{
	const struct event_numbers *e = p->event;
	int64_t root = e->number[COLUMN_ROOT];
	r->name = store_get_word(a->overview.store, e->word);
	r->of_window = window_operation_of(r->name, &r->collective.operation);
	if (!r->of_window && !operation_of(r->name, &r->collective.operation, &r->posted))
		return error_set(a->error, ERROR_INPUT, "OTF2 has no collective '%s'", r->name);
	uint32_t communicator = communicator_of(
		a, e->number[COLUMN_COMMUNICATOR], member_set_ranks(p->sets, (uint32_t)e->number[COLUMN_GROUP]));
	r->collective.communicator = communicator;
	a->communicator[communicator].is_window |= r->of_window;
	r->collective.root = collective_scope(r->name) == SCOPE_NEIGHBOURS ? COLLECTIVE_ROOT_AMONG_NEIGHBOURS
			     : root == EVENT_UNSAID                        ? COLLECTIVE_NO_ROOT
						    : number_in(&a->communicator[communicator], (uint32_t)root);
	r->collective.sent = number(p, a->bytes);
	r->collective.received = number(p, a->received);
	return true;
}

/* A collective among neighbours keeps its name. */
static uint32_t tag_of(struct archive *a, const struct event_numbers *e)
{
	uint32_t tag;
	bool unnumbered = e->number[COLUMN_TAG] == EVENT_UNSAID;
	if (unnumbered && neighbour_tag_of(store_get_word(a->overview.store, e->word), &tag))
		return tag;
	return tags_number(a->tags, e);
}

static void take_message(struct archive *a, const struct played *p, struct record *r)
{
	uint32_t communicator = communicator_of_message(a, p->event);
	if (communicator == UINT32_MAX)
		communicator = communicator_of(a, p->event->number[COLUMN_COMMUNICATOR], &a->overview.all);
	r->message = (struct message_record){
		.peer = number_in(&a->communicator[communicator], (uint32_t)p->event->number[COLUMN_PEER]),
		.communicator = communicator,
		.tag = tag_of(a, p->event),
		.bytes = number(p, a->bytes)};
}

/* By the number of its window, of which the process is. */
static void take_access(struct archive *a, const struct played *p, struct record *r)
{
	const struct event_numbers *e = p->event;
	uint32_t window = 0;
	while (window + 1 < intern_count(a->keys) &&
		(!a->communicator[window].is_window ||
			a->communicator[window].named != e->number[COLUMN_COMMUNICATOR] ||
			!is_in(&a->communicator[window], p->rank)))
		window++;
	const struct event_attributes *said = &r->attributes;
	const char *lock = said->have & 1 << ATTRIBUTE_LOCK ? intern_data(a->strings, said->lock, NULL) : "shared";
	r->access = (struct one_sided_record){.kind = r->kind,
		.peer = kind_has_peer(r->kind) ? number_in(&a->communicator[window], (uint32_t)e->number[COLUMN_PEER])
					       : ONE_SIDED_NO_PEER,
		.window = window,
		.bytes = number(p, a->bytes),
		.received = number(p, a->received),
		.exclusive = strcmp(lock, "exclusive") == 0};
}

/* ------------------------------------------------------------------ calls */

static const char *name_of(const struct process *p)
{
	const struct record *first = p->record;
	if (kind_gathers(first->kind))
		return first->posted ? "MPI_Wait" : first->name;
	if (p->records == 1 || !kind_matches(first->kind))
		return kind_rows[first->kind].call;
	bool exchange = p->records == 2 && kind_sends(first[0].kind) && kind_receives(first[1].kind);
	return exchange ? "MPI_Sendrecv" : "MPI_Waitall";
}

/* By the clock of the run; times of a process do not go back. */
static uint64_t not_before(struct process *p, uint64_t time)
{
	p->last = time > p->last ? time : p->last;
	return p->base + p->last;
}

static void put_collective(
	struct process *p, const struct record *r, uint64_t time, const struct event_attributes *attributes)
{
	if (r->posted) {
		struct collective_record collective = r->collective;
		collective.request = p->requests++;
		event_writer_collective_request(p->events, time, collective.communicator, collective.request, NULL);
		event_writer_collective_complete(p->events, time, &collective, attributes);
	} else if (r->of_window) {
		event_writer_window_begin(p->events, time, r->collective.communicator);
		event_writer_window_end(p->events, time, &r->collective, attributes);
	} else {
		event_writer_collective_begin(p->events, time, r->collective.communicator, NULL);
		event_writer_collective_end(p->events, time, &r->collective, attributes);
	}
}

static void put_record(struct process *p, const struct record *r)
{
	uint64_t time = not_before(p, r->time);
	const struct event_attributes *attributes = r->attributes.have ? &r->attributes : NULL;
	if (kind_sends(r->kind))
		event_writer_send(p->events, time, &r->message, attributes);
	else if (kind_receives(r->kind))
		event_writer_recv(p->events, time, &r->message, attributes);
	else if (kind_gathers(r->kind))
		put_collective(p, r, time, attributes);
	else if (kind_is_of_window(r->kind))
		event_writer_one_sided(p->events, time, &r->access, attributes);
}

static void put_call(struct archive *a, struct process *p)
{
	if (!p->records)
		return;
	uint32_t id = region(a, name_of(p));
	event_writer_enter(p->events, not_before(p, p->enter), id, NULL);
	for (size_t i = 0; i < p->records; i++)
		put_record(p, &p->record[i]);
	event_writer_leave(p->events, not_before(p, p->leave), id);
	p->records = 0;
}

static void put_region(struct archive *a, struct process *p, const char *name, uint64_t enter, uint64_t leave)
{
	uint32_t id = region(a, name);
	event_writer_enter(p->events, not_before(p, enter), id, NULL);
	event_writer_leave(p->events, not_before(p, leave), id);
}

static struct pace_process times_of(const struct archive *a, uint32_t rank)
{
	return a->pace ? pace_get_process(a->pace, rank) : (struct pace_process){0};
}

/* In MPI_Init up to here. */
static void begin_process(struct archive *a, uint32_t rank, uint64_t here)
{
	struct process *p = &a->process[rank];
	struct pace_process times = times_of(a, rank);
	if (p->begun)
		return;
	here = here > times.first ? here : times.first;
	put_region(a, p, "MPI_Init", times.first, here);
	p->begun = true;
	p->leave = here;
	p->apart = times.apart > here - times.first ? times.apart - (here - times.first) : 0;
}

static bool take(void *context, const struct played *played)
{
	struct archive *a = context;
	struct process *p = &a->process[played->rank];
	struct record r = {.kind = (enum event_kind)played->event->kind};
	if (!kind_matches(r.kind) && !a->windows)
		return true; /* shortfalls_tell_one_sided */
	if (played->own || !kind_matches(r.kind) || (p->records && !kind_matches(p->record[0].kind))) {
		put_call(a, p);
		begin_process(a, played->rank, played->enter - played->other - played->before);
		if (played->other)
			put_region(a, p, "MPI_Test", played->enter - played->other, played->enter);
		p->enter = played->enter;
	}
	p->leave = played->leave;
	r.time = played->time;
	take_attributes(a, played, &r.attributes);
	take_window(a, played, &r.attributes);
	if (!kind_matches(r.kind))
		take_access(a, played, &r);
	else if (!kind_gathers(r.kind))
		take_message(a, played, &r);
	else if (!take_sync(a, played, &r))
		a->good = false;
	*MEM_PUSH(p->record, p->records, p->capacity) = r;
	const char *failure = event_writer_failure(p->events);
	if (failure && a->good)
		a->good = error_set(a->error, ERROR_INPUT, "%s: %s", a->directory, failure);
	return a->good;
}

/* ------------------------------------------------------------------ begin and end of a process */

static void own_path(const struct archive *a, uint32_t rank, const char *rest, struct text *path)
{
	text_truncate(path, 0);
	text_format(path, "%s/%" PRIu32 "%s", a->directory, rank, rest);
}

static bool open_process(struct archive *a, uint32_t rank)
{
	struct process *p = &a->process[rank];
	struct text path = {0};
	p->base = a->pace ? pace_begin(a->pace) : 0;
	own_path(a, rank, "", &path);
	if (mkdir(path.data, 0777))
		error_set(a->error, ERROR_INPUT, "%s: %s", path.data, strerror(errno));
	else
		p->events = event_writer_open(
			&(struct event_writer_options){
				.directory = path.data, .location = rank, .buffer = EVENT_CHUNK_LEAST},
			a->error);
	text_clear(&path);
	return p->events;
}

static void end_process(struct archive *a, uint32_t rank)
{
	struct process *p = &a->process[rank];
	struct pace_process times = times_of(a, rank);
	put_call(a, p);
	begin_process(a, rank, times.first + times.apart);
	if (times.after_call)
		put_region(a, p, "MPI_Test", p->leave, p->leave + times.after_call);
	p->leave += times.after_call + times.after;
	put_region(a, p, "MPI_Finalize", p->leave, p->leave + p->apart);
	p->leave += p->apart;
}

/* The event file of a process goes where the archive has it. */
static bool move_events(struct archive *a, uint32_t rank)
{
	char rest[64];
	struct text from = {0}, to = {0};
	snprintf(rest, sizeof rest, "/traces/%" PRIu32 ".evt", rank);
	own_path(a, rank, rest, &from);
	text_format(&to, "%s/traces/%" PRIu32 ".evt", a->directory, rank);
	bool good =
		rename(from.data, to.data) == 0 || error_set(a->error, ERROR_INPUT, "%s: %s", to.data, strerror(errno));
	own_path(a, rank, "/traces", &from);
	rmdir(from.data);
	own_path(a, rank, "", &from);
	rmdir(from.data);
	text_clear(&from);
	text_clear(&to);
	return good;
}

/* ------------------------------------------------------------------ definitions */

/* Communicators of higher numbers do not keep them. */
#define COMMUNICATORS_NUMBERED 4096

static uint32_t define(struct archive_writer *w, struct communicator *c, const char *name)
{
	return c->id = archive_writer_communicator(
		       w, name, archive_writer_group(w, c->rank, c->members), ARCHIVE_NO_ID);
}

/* The one that is to have this number. */
static struct communicator *numbered(const struct archive *a, int64_t id)
{
	for (uint32_t i = 1; i < intern_count(a->keys); i++)
		if (a->communicator[i].named == id && a->communicator[i].id == ARCHIVE_NO_ID)
			return &a->communicator[i];
	return NULL;
}

static void define_communicators(const struct archive *a, struct archive_writer *w)
{
	uint32_t count = intern_count(a->keys), free_one = 1;
	int64_t most = -1;
	bool world = false;
	for (uint32_t i = 0; i < count; i++) {
		a->communicator[i].id = ARCHIVE_NO_ID;
		if (a->communicator[i].named < COMMUNICATORS_NUMBERED && a->communicator[i].named > most)
			most = a->communicator[i].named;
	}
	for (int64_t id = 0; id <= most; id++) {
		struct communicator *c = numbered(a, id);
		while (free_one < count && (a->communicator[free_one].named != EVENT_UNSAID ||
						   a->communicator[free_one].id != ARCHIVE_NO_ID))
			free_one++;
		if (c)
			define(w, c, NULL);
		else if (!world)
			define(w, &a->communicator[0], "MPI_COMM_WORLD");
		else if (free_one < count)
			define(w, &a->communicator[free_one], NULL);
		else
			archive_writer_self(w);
		world = world || !c;
	}
	for (uint32_t i = 0; i < count; i++)
		if (a->communicator[i].id == ARCHIVE_NO_ID)
			define(w, &a->communicator[i], i ? NULL : "MPI_COMM_WORLD");
}

static void define_processes(const struct archive *a, struct archive_writer *w)
{
	uint32_t machine = archive_writer_node(w, "machine", "machine", ARCHIVE_NO_ID);
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		char name[32];
		snprintf(name, sizeof name, "MPI Rank %" PRIu32, rank);
		archive_writer_process(w, rank, machine, name, a->process[rank].written);
	}
}

static void define_locations(const struct archive *a, struct archive_writer *w)
{
	uint32_t communicators = intern_count(a->keys), strings = intern_count(a->strings),
		 regions = intern_count(a->regions);
	uint32_t *communicator = mem_array(communicators + (size_t)1, sizeof *communicator);
	uint32_t *string = mem_array(strings + (size_t)1, sizeof *string);
	uint32_t *called = mem_array(regions + (size_t)1, sizeof *called);
	uint32_t *window = mem_array(communicators + (size_t)1, sizeof *window);
	bool any = false;
	for (uint32_t i = 0; i < communicators; i++) {
		const struct communicator *c = &a->communicator[i];
		communicator[i] = c->id;
		window[i] = c->is_window ? archive_writer_window(w, c->id) : ARCHIVE_NO_ID;
		any = any || c->is_window;
	}
	for (uint32_t i = 0; i < strings; i++)
		string[i] = archive_writer_string(w, intern_data(a->strings, i, NULL));
	for (uint32_t i = 0; i < regions; i++) {
		const char *name = intern_data(a->regions, i, NULL);
		called[i] = archive_writer_region(w, name, archive_role_of(name));
	}
	for (uint32_t rank = 0; rank < a->processes; rank++)
		archive_writer_local(w, &(struct archive_local){.location = rank,
						.string = string,
						.strings = strings,
						.region = called,
						.regions = regions,
						.communicator = communicator,
						.window = any ? window : NULL,
						.communicators = communicators});
	free(communicator);
	free(window);
	free(string);
	free(called);
}

static bool write_definitions(struct archive *a)
{
	uint32_t processes = a->processes;
	struct archive_clock clock = {.resolution = playback_ticks_per_second(a->pace), .first = UINT64_MAX};
	struct archive_writer *w = archive_writer_open(a->directory, event_chunk_bytes(EVENT_CHUNK_LEAST), a->error);
	if (!w)
		return false;
	define_processes(a, w);
	define_communicators(a, w);
	define_locations(a, w);
	for (uint32_t rank = 0; rank < processes; rank++) {
		uint64_t first = a->pace ? pace_get_process(a->pace, rank).first : 0, last = a->process[rank].leave;
		first += a->process[rank].base;
		last += a->process[rank].base;
		clock.first = first < clock.first ? first : clock.first;
		clock.last = last > clock.last ? last : clock.last;
	}
	for (uint32_t rank = 0; rank < processes; rank++)
		if (!move_events(a, rank)) {
			archive_writer_abandon(w);
			return false;
		}
	return archive_writer_close(w, &clock, a->error);
}

/* ------------------------------------------------------------------ all of it */

static bool close_events(struct archive *a)
{
	bool good = true;
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		struct process *p = &a->process[rank];
		p->written = p->events ? event_writer_records(p->events) : 0;
		if (p->events && !event_writer_close(p->events) && good && a->good)
			good = error_set(a->error, ERROR_INPUT, "%s: events could not be written", a->directory);
	}
	return good;
}

static void archive_clear(struct archive *a)
{
	for (uint32_t i = 0; i < intern_count(a->keys); i++)
		free(a->communicator[i].rank);
	for (uint32_t rank = 0; rank < a->processes; rank++)
		free(a->process[rank].record);
	free(a->communicator);
	free(a->process);
	intern_free(a->sets);
	intern_free(a->keys);
	intern_free(a->regions);
	intern_free(a->strings);
	tags_free(a->tags);
	overview_clear(&a->overview);
}

bool archive_write(struct run *run, const struct pace *pace, const char *directory, struct error *error)
{
	struct store *s = run_module(run)->store;
	uint32_t processes = run_module(run)->processes;
	struct archive a = {.processes = processes,
		.pace = pace,
		.directory = directory,
		.error = error,
		.sets = intern_new(),
		.keys = intern_new(),
		.regions = intern_new(),
		.strings = intern_new(),
		.bytes = store_word(s, "bytes", 5),
		.received = store_word(s, "received", 8),
		.type = store_word(s, "type", 4),
		.count = store_word(s, "count", 5),
		.site = store_word(s, "site", 4),
		.op = store_word(s, "op", 2),
		.bytes_by_member = store_word(s, "bytes[q]", 8),
		.disp = store_word(s, "disp", 4),
		.size = store_word(s, "size", 4),
		.unit = store_word(s, "unit", 4),
		.lock = store_word(s, "lock", 4),
		.group = store_word(s, "group", 5),
		.good = true};
	overview_of(&a.overview, run);
	a.windows = windows_are_made(&a.overview);
	a.process = mem_zero((processes + (size_t)1) * sizeof *a.process);
	a.tags = tags_new(&a.overview, false);
	find_communicators(&a);
	for (uint32_t rank = 0; a.good && rank < processes; rank++)
		a.good = open_process(&a, rank);
	if (a.good && !playback_run(run, pace, NULL, &(struct playback_client){&a, take}))
		a.good = error_set(error, ERROR_INCONSISTENT, "its events cannot all happen");
	for (uint32_t rank = 0; a.good && rank < processes; rank++)
		end_process(&a, rank);
	bool closed = close_events(&a);
	a.good = a.good && closed && write_definitions(&a);
	archive_clear(&a);
	return a.good;
}
