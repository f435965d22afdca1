/*
 * call_sites.c -- goes through all processes. What no iteration changes is looked up once for each
 * process.
 */
#include "ask/call_sites.h"

#include <stdlib.h>
#include <string.h>

#include "ask/event_numbers.h"
#include "base/escape.h"
#include "base/mem.h"
#include "model/call_paths.h"

enum carried {
	CARRIED_SITE,
	CARRIED_CALL,
	CARRIED_OTHER,
	CARRIED_BYTES,
	CARRIED_RECEIVED,
	CARRIED_APART,
	CARRIED_SOURCE,
	CARRIED_TAG,
	CARRIED
};
_Static_assert(CARRIED == CALL_CARRIED, "names");

static const char *const names[CARRIED] = {
	"site", "call", "other", "bytes", "received", "apart", "posted_source", "posted_tag"};

bool call_sites_carry(const struct module *m, const char *name)
{
	uint32_t *own, word = store_word(m->store, name, strlen(name));
	size_t count = module_attribute_names(m, &own);
	bool any = false;
	for (size_t i = 0; i < count && !any; i++)
		any = own[i] == word;
	free(own);
	return any;
}

bool call_sites_are_located(const struct module *m)
{
	struct module_line *line = module_statements(m);
	bool any = call_sites_carry(m, names[CARRIED_SITE]);
	for (size_t i = 0; i < m->lines && !any; i++)
		any = node_of(m->store, line[i].node)->kind == NODE_EVENT && m->sites[i] != SITES_NONE;
	free(line);
	return any;
}

/* ------------------------------------------------------------------ sites */

/* words: of a path the callers are left out. */
static uint32_t site_of(struct call_sites *c, const char *words, uint32_t kind, uint32_t word)
{
	const char *callers = strstr(words, CALL_PATH_OUTSIDE);
	size_t length = callers ? (size_t)(callers - words) : strlen(words);
	uint32_t key[3] = {intern_id(c->names, words, length), kind, kind_gathers(kind) ? word : 0};
	uint32_t id = intern_id(c->keys, key, sizeof key);
	if (id == c->sites) {
		c->site = mem_resize(c->site, c->sites + (size_t)1, sizeof *c->site);
		c->site[c->sites++] = (struct call_site){.words = intern_data(c->names, key[0], NULL),
			.parts = site_parts(intern_data(c->names, key[0], NULL)),
			.kind = kind,
			.word = key[2],
			.first = id};
	}
	return id;
}

/* Sites of one line cannot be told apart: the first of them has all its events. */
static uint32_t site_of_line(struct call_sites *c, size_t line, uint32_t kind, uint32_t word)
{
	const uint32_t *place;
	const struct site_places *places = &c->module->places;
	size_t count = c->located ? sites_get(places, c->module->sites[line], &place) : 0;
	uint32_t first = site_of(c, count ? path_site(places, place[0]) : "", kind, word);
	for (size_t i = 1; i < count; i++) {
		uint32_t next = site_of(c, path_site(places, place[i]), kind, word);
		uint32_t a = call_sites_first(c, first), b = call_sites_first(c, next);
		c->site[a < b ? b : a].first = a < b ? a : b;
	}
	return first;
}

uint32_t call_sites_first(const struct call_sites *c, uint32_t site)
{
	while (c->site[site].first != site)
		site = c->site[site].first;
	return site;
}

/* ------------------------------------------------------------------ events */

static struct event_value carried_value(const struct call_sites *c, struct cursor *at, enum carried what)
{
	return event_value_at(&at->at, NULL, at->event, c->carried[what]);
}

static int64_t number_of(const struct call_sites *c, struct cursor *at, enum carried what)
{
	struct event_value v = carried_value(c, at, what);
	return v.there && !v.word ? v.number : CALL_UNTOLD;
}

/* A word without its quotes. */
static void put_bare(const char *written, struct text *to)
{
	struct error error;
	text_truncate(to, 0);
	if (*written != '"' || !text_read_word(&written, to, &error))
		text_put(to, written);
}

static uint32_t word_carried(const struct call_sites *c, struct cursor *at, enum carried what)
{
	struct event_value v = carried_value(c, at, what);
	struct text word = {0};
	if (!v.there || !v.word)
		return INTERN_NONE;
	put_bare(v.word, &word);
	uint32_t id = intern_id(c->words, word.data, word.length);
	text_clear(&word);
	return id;
}

/* Of several requests, the one that is complete first; or none yet. */
static bool takes_what_comes(const char *name)
{
	return !strcmp(name, "MPI_Waitany") || !strcmp(name, "MPI_Waitsome") || !strncmp(name, "MPI_Test", 8);
}

static bool is_loose(const struct call_sites *c, struct cursor *at, const struct site_call *call)
{
	const char *by = call->call == INTERN_NONE ? "" : intern_data(c->words, call->call, NULL);
	return kind_receives(call->kind) &&
	       (takes_what_comes(by) || number_of(c, at, CARRIED_SOURCE) == -1 || number_of(c, at, CARRIED_TAG) == -1);
}

static uint32_t group_of(const struct call_sites *c, int64_t set)
{
	const struct ranks *group = member_set_ranks(c->members, (uint32_t)set);
	return intern_id(c->words, group->run, group->length * sizeof *group->run);
}

struct ranks call_sites_group(const struct intern *words, const struct site_call *call)
{
	size_t size;
	const struct ranks_run *run = intern_data(words, call->group, &size);
	return (struct ranks){.run = (struct ranks_run *)run, .length = size / sizeof *run};
}

static uint32_t site_carried(struct call_sites *c, struct cursor *at, const struct site_call *call)
{
	uint32_t *known = &c->site_of[at->line];
	struct event_value v = carried_value(c, at, CARRIED_SITE);
	struct text site = {0};
	if (!v.there || !v.word || !c->located) {
		if (*known == INTERN_NONE)
			*known = site_of_line(c, at->line, call->kind, call->word);
		return *known;
	}
	put_bare(v.word, &site);
	uint32_t id = site_of(c, site.data, call->kind, call->word);
	text_clear(&site);
	return id;
}

void call_sites_at(struct call_sites *c, struct cursor *at, struct site_call *call)
{
	struct event_numbers e;
	event_numbers_at(&at->at, c->members, at->event, &e);
	const char *word = store_get_word(at->at.store, e.word);
	int64_t *number = e.number, peer = number[kind_gathers(e.kind) ? COLUMN_ROOT : COLUMN_PEER];
	*call = (struct site_call){.rank = (uint32_t)at->at.p,
		.kind = e.kind,
		.word = intern_id(c->words, word, strlen(word)),
		.peer = peer == EVENT_UNSAID ? NO_ROOT : (uint32_t)peer,
		.group = kind_gathers(e.kind) ? group_of(c, number[COLUMN_GROUP]) : 0,
		.numbered = number[COLUMN_TAG] != EVENT_UNSAID,
		.number = number[COLUMN_TAG] != EVENT_UNSAID ? (uint64_t)number[COLUMN_TAG] : 0,
		.communicator =
			number[COLUMN_COMMUNICATOR] == EVENT_UNSAID ? NO_COMMUNICATOR : number[COLUMN_COMMUNICATOR],
		.call = word_carried(c, at, CARRIED_CALL),
		.other = word_carried(c, at, CARRIED_OTHER),
		.bytes = number_of(c, at, CARRIED_BYTES),
		.received = number_of(c, at, CARRIED_RECEIVED),
		.apart = number_of(c, at, CARRIED_APART)};
	call->loose = is_loose(c, at, call);
	call->site = site_carried(c, at, call);
}

/* last: by line the call that it was, if neither the process nor an iteration is another. */
static void count_rank(struct call_sites *c, struct cursor *at, uint32_t *last)
{
	while (cursor_next(at)) {
		const struct node *n = node_of(at->at.store, at->event);
		uint32_t *same = &last[at->line];
		struct site_call call;
		if (!kind_is_call(n->sub))
			continue;
		if (n->uses[FOR_ALL] & USES_INDICES || *same == INTERN_NONE) {
			call_sites_at(c, at, &call);
			*same = intern_id(c->calls, &call, sizeof call);
		}
		(*MEM_AT(c->count, c->capacity, *same))++;
	}
}

struct call_sites *call_sites_of(struct run *run, struct intern *words, bool located)
{
	struct call_sites *c = mem_zero(sizeof *c);
	const struct module *m = run_module(run);
	size_t room = (m->lines + 1) * sizeof(uint32_t);
	*c = (struct call_sites){.run = run,
		.module = m,
		.members = member_sets_new(run),
		.words = words,
		.located = located,
		.keys = intern_new_keys(3 * sizeof(uint32_t)),
		.names = intern_new(),
		.calls = intern_new_keys(sizeof(struct site_call)),
		.site_of = mem_alloc(room)};
	for (enum carried k = 0; k < CARRIED; k++)
		c->carried[k] = store_word(m->store, names[k], strlen(names[k]));
	memset(c->site_of, 0xff, room);
	uint32_t *last = mem_alloc(room); /* by line */
	struct cursor *at = m->processes ? cursor_new(run, 0) : NULL;
	for (uint32_t rank = 0; rank < m->processes; rank++) {
		memset(last, 0xff, room);
		cursor_restart(at, rank);
		count_rank(c, at, last);
	}
	cursor_free(at);
	free(last);
	return c;
}

const struct site_call *call_sites_get(const struct call_sites *c, uint32_t id)
{
	return intern_data(c->calls, id, NULL);
}

void call_sites_free(struct call_sites *c)
{
	if (!c)
		return;
	member_sets_free(c->members);
	intern_free(c->keys);
	intern_free(c->names);
	intern_free(c->calls);
	free(c->site);
	free(c->count);
	free(c->site_of);
	free(c);
}
