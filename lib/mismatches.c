/*
 * mismatches.c -- who comes to a collective first leaves what it said there, the others compare;
 * likewise at the two ends of a message. What all have come to is forgotten.
 */
#include "lib/mismatches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"
#include "base/mem.h"
#include "lib/event_places.h"
#include "model/dictionary.h"
#include "model/sites.h"
#include "trace/merged.h"
#include "trace/pending.h"

/* What of the sizes of a collective is the same for all. */
enum way {
	WAY_NONE, /* not told */
	WAY_MOST, /* of those sent and received, the larger */
	WAY_SENT,
	WAY_RECEIVED,
	WAY_TO_ROOT, /* what each sends, and a part of what the root receives */
	WAY_FROM_ROOT,
	WAY_TO_ALL, /* what each sends, and a part of what it receives */
	WAY_PARTS, /* a part of either */
	WAY_SUM /* nothing: but all that is sent is received */
};

/* What a call says. */
struct said {
	const char *name; /* MPI_Bcast: as it was called; NULL: a message */
	enum way way;
	const char *site, *type, *operation; /* NULL: not known */
	uint32_t root;
	bool sized, pending;
	uint64_t sent, received, count;
	uint64_t each, other; /* what must be the same for all, in two ways of counting; of messages: bytes */
};

/* Those who said the same. */
struct version {
	struct said said;
	struct ranks ranks;
};

struct meeting {
	struct version *version;
	size_t versions, capacity;
	uint32_t came;
	uint64_t sent, received; /* of all */
	bool unsized;
};

/* The collectives of a room. */
struct room {
	uint32_t processes;
	bool between; /* it is of an intercommunicator */
	uint64_t *next; /* by rank; NULL: none came yet */
	uint64_t first; /* the number of the first meeting that is kept */
	struct meeting *meeting; /* a queue */
	size_t front, length, capacity;
	struct mismatches found;
};

/* Of the end that came first. */
struct channel {
	struct said *end; /* a queue */
	size_t front, length, capacity;
	bool receives;
};

struct matching_calls {
	struct trace *trace;
	bool ours;
	struct event_places *places;
	struct room *room; /* by their numbers */
	struct channel *channel;
	size_t room_capacity, channel_capacity;
	const char *last; /* name, and how it is measured */
	enum way last_way;
	struct mismatches *found;
};

/* ------------------------------------------------------------------ types */

enum type_sort { TYPE_UNKNOWN, TYPE_WHOLE, TYPE_REAL, TYPE_COMPLEX, TYPE_PAIR };

/* Of MPI's own numbers: bytes, characters and what programs make are like anything. */
static enum type_sort sort_of(const char *type)
{
	static const struct {
		const char *part;
		enum type_sort sort;
	} parts[] = {{"BYTE", TYPE_UNKNOWN}, {"PACKED", TYPE_UNKNOWN}, {"CHAR", TYPE_UNKNOWN}, {"MPI_2", TYPE_PAIR},
		{"DOUBLE_INT", TYPE_PAIR}, {"FLOAT_INT", TYPE_PAIR}, {"LONG_INT", TYPE_PAIR}, {"SHORT_INT", TYPE_PAIR},
		{"COMPLEX", TYPE_COMPLEX}, {"DOUBLE", TYPE_REAL}, {"FLOAT", TYPE_REAL}, {"REAL", TYPE_REAL},
		{"INT", TYPE_WHOLE}, {"LONG", TYPE_WHOLE}, {"SHORT", TYPE_WHOLE}, {"UNSIGNED", TYPE_WHOLE}};
	if (!type || strncmp(type, "MPI_", 4) != 0)
		return TYPE_UNKNOWN;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strstr(type, parts[i].part))
			return parts[i].sort;
	return TYPE_UNKNOWN;
}

/* Does MPI take elements of the two for one type, as far as that is known? */
static bool types_agree(const struct said *a, const struct said *b)
{
	enum type_sort left = sort_of(a->type), right = sort_of(b->type);
	return !left || !right || !strcmp(a->type, b->type) || left == right;
}

/* ------------------------------------------------------------------ words */

static void put_site(struct text *out, const char *site)
{
	size_t length = site ? strcspn(site, " ") : 0;
	if (length && memchr(site, ':', length))
		text_format(out, " (%.*s)", (int)length, site);
}

/* Takes the text. */
static void find(struct mismatches *found, struct text *text)
{
	for (size_t i = 0; i < found->lines; i++)
		if (!strcmp(found->line[i].text, text->data)) {
			found->line[i].times++;
			text_clear(text);
			return;
		}
	*MEM_PUSH(found->line, found->lines, found->capacity) = (struct mismatch){text->data, 1};
}

static void take_over(struct mismatches *to, struct mismatches *from)
{
	for (size_t i = 0; i < from->lines; i++)
		*MEM_PUSH(to->line, to->lines, to->capacity) = from->line[i];
	free(from->line);
	*from = (struct mismatches){0};
}

void mismatches_clear(struct mismatches *found)
{
	for (size_t i = 0; i < found->lines; i++)
		free(found->line[i].text);
	free(found->line);
	*found = (struct mismatches){0};
}

/* ------------------------------------------------------------------ collectives */

enum difference { SAME, OTHER_NAME, OTHER_ROOT, OTHER_OPERATION, OTHER_SIZE, OTHER_TYPE };

static bool words_differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static enum difference difference_of(const struct room *r, const struct said *a, const struct said *b)
{
	if (strcmp(a->name, b->name) != 0)
		return OTHER_NAME;
	if (r->between ||
		collective_scope(a->name) != SCOPE_GROUP) /* each says what it means for its neighbours, or its side */
		return SAME;
	if (a->root != b->root)
		return OTHER_ROOT;
	if (words_differ(a->operation, b->operation))
		return OTHER_OPERATION;
	if (a->sized && b->sized && (a->each != b->each || a->other != b->other))
		return OTHER_SIZE;
	return types_agree(a, b) ? SAME : OTHER_TYPE;
}

static enum way way_of(const char *name)
{
	static const struct {
		const char *operation;
		enum way way;
	} of[] = {{"MPI_Bcast", WAY_MOST}, {"MPI_Reduce", WAY_MOST}, {"MPI_Allreduce", WAY_MOST},
		{"MPI_Scan", WAY_MOST}, {"MPI_Exscan", WAY_MOST}, {"MPI_Reduce_scatter_block", WAY_RECEIVED},
		{"MPI_Reduce_scatter", WAY_SENT}, {"MPI_Gather", WAY_TO_ROOT}, {"MPI_Scatter", WAY_FROM_ROOT},
		{"MPI_Allgather", WAY_TO_ALL}, {"MPI_Alltoall", WAY_PARTS}, {"MPI_Allgatherv", WAY_RECEIVED},
		{"MPI_Gatherv", WAY_SUM}, {"MPI_Scatterv", WAY_SUM}, {"MPI_Alltoallv", WAY_SUM},
		{"MPI_Alltoallw", WAY_SUM}};
	const char *operation = collective_operation(name);
	for (size_t i = 0; i < sizeof of / sizeof *of && collective_scope(name) == SCOPE_GROUP; i++)
		if (!strcmp(of[i].operation, operation))
			return of[i].way;
	return WAY_NONE;
}

static void measure(struct said *s, uint32_t rank, uint32_t processes)
{
	bool root = s->root == rank;
	switch (s->way) {
	case WAY_MOST:
		s->each = s->sent > s->received ? s->sent : s->received;
		break;
	case WAY_SENT:
		s->each = s->sent;
		break;
	case WAY_RECEIVED:
		s->each = s->received;
		break;
	case WAY_TO_ROOT:
		s->each = s->sent;
		s->other = root ? s->received / processes : s->sent;
		break;
	case WAY_FROM_ROOT:
		s->each = root ? s->sent / processes : s->received;
		s->other = s->received;
		break;
	case WAY_TO_ALL:
		s->each = s->sent;
		s->other = s->received / processes;
		break;
	case WAY_PARTS:
		s->each = s->sent / processes;
		s->other = s->received / processes;
		break;
	case WAY_NONE:
	case WAY_SUM:
		break;
	}
}

static void put_version(struct text *out, const struct version *v, enum difference what, bool first)
{
	const struct said *s = &v->said;
	bool many = ranks_count(&v->ranks) > 1;
	text_put(out, first ? "" : " where ");
	ranks_print_short(&v->ranks, out);
	if (first || what == OTHER_NAME)
		text_format(out, many ? " call %s" : " calls %s", s->name);
	else
		text_put(out, many ? " have" : " has");
	text_put(out, first && what != OTHER_NAME ? " with" : "");
	if (what == OTHER_ROOT && s->root != NO_ROOT)
		text_format(out, " root %" PRIu32, s->root);
	else if (what == OTHER_ROOT)
		text_put(out, " no root");
	else if (what == OTHER_OPERATION)
		text_format(out, " %s", s->operation);
	else if (what == OTHER_SIZE && s->other != s->each && s->way >= WAY_TO_ROOT)
		text_format(out, " %" PRIu64 " bytes to send and %" PRIu64 " to receive", s->each, s->other);
	else if (what == OTHER_SIZE)
		text_format(out, " %" PRIu64 " bytes", s->each);
	else if (what == OTHER_TYPE)
		text_format(out, " %s", s->type);
	put_site(out, s->site);
}

/* Of two versions, the one that fewer have is more often the wrong one. */
static void compare_versions(struct room *r, const struct meeting *m)
{
	const struct version *most = &m->version[0];
	for (size_t i = 1; i < m->versions; i++)
		if (ranks_count(&m->version[i].ranks) > ranks_count(&most->ranks))
			most = &m->version[i];
	for (size_t i = 0; i < m->versions; i++) {
		const struct version *v = &m->version[i];
		enum difference what = difference_of(r, &v->said, &most->said);
		struct text text = {0};
		if (v == most || what == SAME || (v->said.pending && most->said.pending))
			continue;
		put_version(&text, v, what, true);
		put_version(&text, most, what, false);
		find(&r->found, &text);
	}
}

/* Where each member says how much it passes on to each other: in all, as much must come. */
static void compare_sums(struct room *r, const struct meeting *m)
{
	const struct said *s = &m->version[0].said;
	struct text text = {0};
	if (r->between || s->way != WAY_SUM || m->unsized || m->sent == m->received)
		return;
	text_format(&text, "%s", s->name);
	put_site(&text, s->site);
	text_format(&text, ": its processes send %" PRIu64 " bytes and receive %" PRIu64, m->sent, m->received);
	find(&r->found, &text);
}

static void close_meeting(struct matching_calls *c, struct room *r, struct meeting *m, bool whole)
{
	if (m->versions > 1)
		compare_versions(r, m);
	if (m->versions && whole && c->ours)
		compare_sums(r, m);
	for (size_t i = 0; i < m->versions; i++)
		ranks_clear(&m->version[i].ranks);
	free(m->version);
	*m = (struct meeting){0};
}

/* The site is part of a version only in words. */
static void come(struct matching_calls *c, struct room *r, uint32_t rank, const struct said *said)
{
	uint64_t number = r->next[rank]++ - r->first;
	while (r->length - r->front <= number) {
		struct meeting *next = MEM_QUEUE(r->meeting, r->front, r->length, r->capacity);
		*next = (struct meeting){0};
	}
	struct meeting *m = &r->meeting[r->front + number];
	size_t i = 0;
	while (i < m->versions && (difference_of(r, &m->version[i].said, said) != SAME ||
					  words_differ(m->version[i].said.type, said->type)))
		i++;
	if (i == m->versions)
		*MEM_PUSH(m->version, m->versions, m->capacity) = (struct version){.said = *said};
	ranks_add(&m->version[i].ranks, rank);
	m->version[i].said.pending &= said->pending;
	m->sent += said->sent;
	m->received += said->received;
	m->unsized |= !said->sized;
	m->came++;
	while (r->front < r->length && r->meeting[r->front].came == r->processes) {
		close_meeting(c, r, &r->meeting[r->front], true);
		r->front++;
		r->first++;
	}
}

static struct room *room_at(struct matching_calls *c, uint32_t number)
{
	struct room *r = MEM_AT(c->room, c->room_capacity, number);
	const struct place_room *place = event_places_get_room(c->places, number);
	if (!r->next) {
		r->processes = place->processes;
		r->between = place->between;
		r->next = mem_zero((trace_facts(c->trace)->processes + (size_t)1) * sizeof *r->next);
	}
	return r;
}

/* ------------------------------------------------------------------ messages */

static void put_end(struct text *out, const struct said *s, const char *verb)
{
	text_format(out, " %s %s", verb, s->type ? s->type : "?");
	put_site(out, s->site);
}

static void compare_message(
	struct matching_calls *c, const struct place_channel *key, const struct said *sent, const struct said *received)
{
	struct text text = {0};
	if (received->each < sent->each) {
		text_format(&text, "%" PRIu32 " receives %" PRIu64 " bytes", key->destination, received->each);
		put_site(&text, received->site);
		text_format(&text, " of a message of %" PRIu64 " bytes from %" PRIu32, sent->each, key->source);
		put_site(&text, sent->site);
	} else if (sent->each && !types_agree(sent, received)) {
		text_format(&text, "%" PRIu32, key->source);
		put_end(&text, sent, "sends");
		text_format(&text, " where %" PRIu32, key->destination);
		put_end(&text, received, "receives");
	}
	if (text.length)
		find(c->found, &text);
}

static void meet(struct matching_calls *c, uint32_t at, bool sends, const struct said *said)
{
	struct channel *of = MEM_AT(c->channel, c->channel_capacity, at);
	if (of->front == of->length)
		of->receives = !sends;
	if (of->receives == !sends) {
		struct said *end = MEM_QUEUE(of->end, of->front, of->length, of->capacity);
		*end = *said;
		return;
	}
	const struct said *other = &of->end[of->front++];
	compare_message(c, event_places_get_channel(c->places, at), sends ? said : other, sends ? other : said);
}

/* ------------------------------------------------------------------ events */

/* The same call comes again and again. */
static enum way known_way(struct matching_calls *c, const char *name)
{
	if (name != c->last) {
		c->last = name;
		c->last_way = way_of(name);
	}
	return c->last_way;
}

static const struct trace_attribute *attribute(const struct trace_event *e, const char *name)
{
	for (uint32_t i = 0; i < e->attribute_count; i++)
		if (e->attribute[i].length == strlen(name) && !memcmp(e->attribute[i].name, name, strlen(name)))
			return &e->attribute[i];
	return NULL;
}

static const char *word_of(const struct trace_event *e, const char *name)
{
	const struct trace_attribute *a = attribute(e, name);
	return a ? a->word : NULL;
}

static void take(struct matching_calls *c, uint32_t rank, const struct trace_event *e)
{
	if (e->local)
		return;
	const struct event_place *k = event_place_of(c->places, rank, e->event);
	if (k->kind == PLACE_NONE || (k->kind == PLACE_CHANNEL && !c->ours))
		return;
	const struct trace_attribute *count = attribute(e, "count");
	struct said said = {.name = k->name, .site = e->site, .root = NO_ROOT};
	said.way = k->name ? known_way(c, k->name) : WAY_NONE;
	if (c->ours) {
		said.root = k->root;
		said.type = word_of(e, "type");
		said.operation = word_of(e, "op");
		said.count = count ? (uint64_t)count->number : 0;
		said.sized = e->exchanged;
		said.sent = e->bytes;
		said.received = e->received;
	}
	if (k->name) {
		struct room *r = room_at(c, k->number);
		measure(&said, rank, r->processes);
		come(c, r, rank, &said);
	} else {
		said.each = e->bytes;
		meet(c, k->number, k->sends, &said);
	}
}

/* Collectives that processes stand in: they have begun, as those that are complete elsewhere. */
static void take_pending(struct matching_calls *c)
{
	size_t lines;
	const struct pending_line *line = trace_pending(c->trace, &lines);
	for (size_t i = 0; i < lines; i++) {
		const struct pending *p = &line[i].pending;
		int64_t name;
		const struct ranks *members =
			p->where == PENDING_CALL && p->kind == PENDING_COLLECTIVE && collective_is_known(line[i].call)
				? trace_communicator(c->trace, p->communicator, &name)
				: NULL;
		if (!members || !ranks_has(members, line[i].rank))
			continue;
		struct room *r = room_at(c, event_places_room(c->places, members, name, line[i].call));
		struct said said = {.name = line[i].call,
			.way = way_of(line[i].call),
			.site = line[i].site,
			.root = p->peer == PENDING_NONE ? NO_ROOT : p->peer,
			.sized = p->sent || p->received,
			.sent = p->sent,
			.received = p->received,
			.pending = true};
		measure(&said, line[i].rank, r->processes);
		come(c, r, line[i].rank, &said);
	}
}

static bool is_even(const struct room *r, const struct ranks *members)
{
	struct ranks_walk walk = {0};
	uint32_t rank, first;
	bool even = ranks_next(members, &walk, &first);
	while (even && ranks_next(members, &walk, &rank))
		even = r->next[rank] == r->next[first];
	return even;
}

/* whole: all was read. */
static void finish(struct matching_calls *c, bool whole, bool ended)
{
	for (uint32_t i = 0; i < event_places_rooms(c->places); i++) {
		struct room *r = room_at(c, i);
		for (; r->front < r->length; r->front++)
			close_meeting(c, r, &r->meeting[r->front], false);
		/* where some left no record, all that follows would be taken for others */
		if (whole && (is_even(r, &event_places_get_room(c->places, i)->members) || (c->ours && !ended)))
			take_over(c->found, &r->found);
		mismatches_clear(&r->found);
		free(r->meeting);
		free(r->next);
	}
	for (size_t i = 0; i < c->channel_capacity; i++)
		free(c->channel[i].end);
	event_places_free(c->places);
	free(c->room);
	free(c->channel);
}

bool mismatches_find(const char *path, const struct trace_options *options, bool ended, struct mismatches *found,
	struct error *error)
{
	struct trace_options own = *options;
	own.sites = own.attributes = true;
	struct trace *trace = trace_open(path, &own, error);
	if (!trace)
		return false;
	if (!trace_facts(trace)->archive) { /* text says nothing of calls */
		trace_close(trace);
		return true;
	}
	struct matching_calls c = {
		.trace = trace, .ours = trace_is_recording(trace), .places = event_places_new(trace), .found = found};
	struct merged *m = merged_open(trace, error);
	const struct trace_event *e;
	uint32_t rank;
	while (m && (e = merged_next(m, &rank)))
		take(&c, rank, e);
	bool good = m && merged_close(m, error);
	if (good)
		take_pending(&c);
	finish(&c, good, ended);
	trace_close(trace);
	return good;
}
