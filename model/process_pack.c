/*
 * process_pack.c -- each word, tag, set and sync channel is told where the first event uses it; each loop
 * behind those inside it.
 */
#include "model/process_pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { WORDS, TAGS, SETS, SYNCS, KINDS };

/* ------------------------------------------------------------------ packing */

struct packing {
	const struct dictionary *dictionary;
	struct text *to;
	struct intern *told[KINDS]; /* ids of the dictionary, by the number that was told */
};

/* Is it told what this is? Then, and now, it has a number. */
static bool is_told(struct packing *p, unsigned kind, uint32_t id)
{
	uint32_t before = intern_count(p->told[kind]), number = intern_id(p->told[kind], &id, sizeof id);
	pack_number(p->to, number);
	return number < before;
}

static void put_word(struct packing *p, uint32_t id)
{
	const char *word = dictionary_get_word(p->dictionary, id);
	if (!is_told(p, WORDS, id))
		pack_bytes(p->to, word, strlen(word));
}

static void put_tag(struct packing *p, uint32_t id)
{
	if (is_told(p, TAGS, id))
		return;
	const struct tag *tag = dictionary_get_tag(p->dictionary, id);
	put_word(p, tag->stem);
	pack_number(p->to, tag->numbered);
	if (tag->numbered)
		pack_number(p->to, tag->number);
	pack_signed(p->to, tag->communicator);
}

static void put_sync(struct packing *p, uint32_t id)
{
	if (is_told(p, SYNCS, id))
		return;
	const struct sync *sync = dictionary_get_sync(p->dictionary, id);
	put_word(p, sync->name);
	if (!is_told(p, SETS, sync->group)) {
		struct ranks group = dictionary_get_ranks(p->dictionary, sync->group);
		pack_ranks(p->to, &group);
	}
	pack_signed(p->to, sync->communicator);
}

void dictionary_pack(
	const struct dictionary *d, const bool *happens, uint32_t rank, uint32_t processes, struct text *to)
{
	struct packing p = {.dictionary = d, .to = to};
	for (unsigned kind = 0; kind < KINDS; kind++)
		p.told[kind] = intern_new();
	pack_number(to, dictionary_events(d));
	for (uint32_t id = 0; id < dictionary_events(d); id++) {
		const struct event *e = dictionary_get_event(d, id);
		uint32_t from = happens[id] ? rank : 0;
		pack_number(to, e->kind << 1 | happens[id]);
		if (kind_has_peer(e->kind))
			pack_number(to, ((uint64_t)e->peer + processes - from) % processes);
		switch (kind_rows[e->kind].subject) {
		case SUBJECT_TAG:
			put_tag(&p, e->subject);
			break;
		case SUBJECT_SYNC:
			pack_number(to, e->peer == NO_ROOT ? 0 : (uint64_t)e->peer + 1);
			put_sync(&p, e->subject);
			break;
		case SUBJECT_WORD:
			put_word(&p, e->subject);
			break;
		}
	}
	for (unsigned kind = 0; kind < KINDS; kind++)
		intern_free(p.told[kind]);
}

/* ------------------------------------------------------------------ unpacking */

struct list {
	uint32_t *id;
	size_t length, capacity;
};

struct unpacking {
	struct dictionary *dictionary;
	struct unpack *from;
	const int64_t *communicator;
	size_t communicators;
	struct list told[KINDS]; /* ids by their numbers */
};

static int64_t get_communicator(struct unpacking *u)
{
	int64_t c = unpack_signed(u->from);
	if (!u->communicator || c == NO_COMMUNICATOR)
		return c;
	if (c >= 0 && (uint64_t)c < u->communicators)
		return u->communicator[c];
	u->from->bad = true;
	return NO_COMMUNICATOR;
}

/* Has it been told what has the number that follows? */
static bool get_told(struct unpacking *u, unsigned kind, uint32_t *id)
{
	struct list *told = &u->told[kind];
	uint64_t number = unpack_below(u->from, told->length + 1);
	if (number < told->length)
		*id = told->id[number];
	return number < told->length;
}

static uint32_t now_told(struct unpacking *u, unsigned kind, uint32_t id)
{
	struct list *told = &u->told[kind];
	*MEM_PUSH(told->id, told->length, told->capacity) = id;
	return id;
}

static uint32_t get_word(struct unpacking *u)
{
	uint32_t id;
	if (get_told(u, WORDS, &id))
		return id;
	size_t length;
	const char *word = unpack_bytes(u->from, &length);
	return now_told(u, WORDS, dictionary_word(u->dictionary, word ? word : "", length));
}

static uint32_t get_tag(struct unpacking *u)
{
	uint32_t id;
	if (get_told(u, TAGS, &id))
		return id;
	struct tag tag;
	memset(&tag, 0, sizeof tag);
	tag.stem = get_word(u);
	tag.numbered = unpack_below(u->from, 2);
	tag.number = tag.numbered ? unpack_number(u->from) : 0;
	tag.communicator = get_communicator(u);
	return now_told(u, TAGS, dictionary_tag(u->dictionary, &tag));
}

static uint32_t get_set(struct unpacking *u)
{
	uint32_t id;
	if (get_told(u, SETS, &id))
		return id;
	struct ranks set = {0};
	unpack_ranks(u->from, &set);
	id = now_told(u, SETS, dictionary_ranks(u->dictionary, &set));
	ranks_clear(&set);
	return id;
}

static uint32_t get_sync(struct unpacking *u)
{
	uint32_t id;
	if (get_told(u, SYNCS, &id))
		return id;
	struct sync sync;
	memset(&sync, 0, sizeof sync);
	sync.name = get_word(u);
	sync.group = get_set(u);
	sync.communicator = get_communicator(u);
	return now_told(u, SYNCS, dictionary_sync(u->dictionary, &sync));
}

static void get_event(struct unpacking *u, uint32_t rank, uint32_t processes)
{
	struct event e;
	memset(&e, 0, sizeof e);
	uint32_t kind = (uint32_t)unpack_below(u->from, EVENT_KINDS << 1), from = kind & 1 ? rank : 0;
	e.kind = kind >> 1;
	e.process = rank;
	if (kind_has_peer(e.kind))
		e.peer = (uint32_t)((unpack_below(u->from, processes) + from) % processes);
	switch (kind_rows[e.kind].subject) {
	case SUBJECT_TAG:
		e.subject = get_tag(u);
		break;
	case SUBJECT_SYNC: {
		uint64_t root = unpack_below(u->from, (uint64_t)processes + 1);
		e.peer = root ? (uint32_t)(root - 1) : NO_ROOT;
		e.subject = get_sync(u);
		e.process = dictionary_rank(u->dictionary, rank);
		break;
	}
	case SUBJECT_WORD:
		e.subject = get_word(u);
		break;
	}
	if (!u->from->bad)
		dictionary_event(u->dictionary, &e);
}

struct dictionary *dictionary_unpack(
	struct unpack *from, uint32_t rank, uint32_t processes, const int64_t *communicator)
{
	struct unpacking u = {.dictionary = dictionary_new(), .from = from, .communicator = communicator};
	while (communicator && communicator[u.communicators] != NO_COMMUNICATOR)
		u.communicators++;
	for (size_t events = unpack_count(from); events > 0 && !from->bad; events--)
		get_event(&u, rank, processes);
	for (unsigned kind = 0; kind < KINDS; kind++)
		free(u.told[kind].id);
	return u.dictionary;
}

/* ------------------------------------------------------------------ loops */

static void put_nodes(const node *nodes, size_t length, struct text *to)
{
	pack_number(to, length);
	for (size_t i = 0; i < length; i++)
		pack_number(to, (uint64_t)(nodes[i] & ~NEST_LOOP) << 1 | node_is_loop(nodes[i]));
}

void nest_pack(const struct nest *n, struct text *to)
{
	pack_number(to, n->loops);
	for (size_t i = 0; i < n->loops; i++) {
		struct body body = nest_body(n, (node)i | NEST_LOOP);
		pack_number(to, n->loop[i].count);
		put_nodes(body.node, body.length, to);
	}
	put_nodes(n->root, n->root_length, to);
}

struct nodes {
	node *node;
	size_t length, capacity;
};

static void get_nodes(struct unpack *from, uint32_t symbols, const struct nest *n, struct nodes *to)
{
	to->length = 0;
	for (size_t length = unpack_count(from); length > 0 && !from->bad; length--) {
		uint64_t code = unpack_below(from, UINT64_C(1) << 32);
		if (code >> 1 >= (code & 1 ? n->loops : symbols)) {
			from->bad = true;
			break;
		}
		*MEM_PUSH(to->node, to->length, to->capacity) = (node)(code >> 1) | (code & 1 ? NEST_LOOP : 0);
	}
}

struct nest *nest_unpack(struct unpack *from, uint32_t symbols)
{
	struct nest *n = nest_new();
	struct nodes nodes = {0};
	for (size_t loops = unpack_count(from); loops > 0 && !from->bad; loops--) {
		uint64_t count = unpack_number(from);
		get_nodes(from, symbols, n, &nodes);
		if (!from->bad)
			nest_loop(n, count, nodes.node, nodes.length);
	}
	get_nodes(from, symbols, n, &nodes);
	for (size_t i = 0; i < nodes.length && !from->bad; i++)
		nest_append(n, nodes.node[i]);
	free(nodes.node);
	return n;
}
