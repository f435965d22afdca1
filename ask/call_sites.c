/*
 * call_sites.c -- walks over all processes. What no iteration changes is looked up once for each
 * process.
 */
#include "ask/call_sites.h"

#include <stdlib.h>
#include <string.h>

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

static const char *const names[CARRIED] = {
	"site", "call", "other", "bytes", "received", "apart", "posted_source", "posted_tag"};

struct call_sites_statement {
	bool there[CARRIED], steady;
	struct attribute attribute[CARRIED];
	uint32_t site; /* where all its events are; INTERN_NONE: events carry theirs */
};

static uint32_t word_in(const struct program *p, const char *name)
{
	return dictionary_word(p->dictionary, name, strlen(name));
}

bool call_sites_carry(const struct program *p, const char *name)
{
	struct attribute ignored;
	uint32_t word = word_in(p, name);
	bool any = false;
	for (size_t i = 0; i < p->length && !any; i++)
		any = program_attribute(p, i, word, &ignored);
	return any;
}

bool call_sites_are_located(const struct program *p)
{
	bool any = call_sites_carry(p, names[CARRIED_SITE]);
	for (size_t i = 0; i < p->length && !any; i++)
		any = !statement_is_loop(&p->statement[i]) && p->statement[i].sites != SITES_NONE;
	return any;
}

/* ------------------------------------------------------------------ sites */

/* words: of a path the callers are left out. */
static uint32_t site_of(struct call_sites *c, const char *words, uint32_t kind, uint32_t word)
{
	const char *callers = strstr(words, CALL_PATH_OUTSIDE);
	size_t length = callers ? (size_t)(callers - words) : strlen(words);
	uint32_t key[3] = {intern_id(c->names, words, length), kind, kind == EVENT_SYNC ? word : 0};
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

/* Sites of one statement cannot be told apart: the first of them has all its events. */
static uint32_t site_of_statement(struct call_sites *c, size_t at, uint32_t kind, uint32_t word)
{
	const uint32_t *place;
	const struct statement *s = &c->program->statement[at];
	size_t count = c->located ? sites_get(&c->program->places, s->sites, &place) : 0;
	uint32_t first = site_of(c, count ? path_site(&c->program->places, place[0]) : "", kind, word);
	for (size_t i = 1; i < count; i++) {
		uint32_t next = site_of(c, path_site(&c->program->places, place[i]), kind, word);
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

static struct attribute_value carried_value(
	const struct call_sites *c, const struct call_sites_statement *s, enum carried what, const struct spot *spot)
{
	return s->there[what] ? attribute_at(c->program, &s->attribute[what], spot) : (struct attribute_value){0};
}

static int64_t number_of(
	const struct call_sites *c, const struct call_sites_statement *s, enum carried what, const struct spot *spot)
{
	struct attribute_value v = carried_value(c, s, what, spot);
	return v.there && !v.word ? v.number : CALL_UNTOLD;
}

static uint32_t word_carried(
	const struct call_sites *c, const struct call_sites_statement *s, enum carried what, const struct spot *spot)
{
	struct attribute_value v = carried_value(c, s, what, spot);
	return v.there && v.word ? intern_id(c->words, v.word, strlen(v.word)) : INTERN_NONE;
}

/* Of several requests, the one that is complete first; or none yet. */
static bool takes_what_comes(const char *name)
{
	return !strcmp(name, "MPI_Waitany") || !strcmp(name, "MPI_Waitsome") || !strncmp(name, "MPI_Test", 8);
}

static bool is_loose(const struct call_sites *c, const struct call_sites_statement *s, const struct site_call *call,
	const struct spot *spot)
{
	const char *by = call->call == INTERN_NONE ? "" : intern_data(c->words, call->call, NULL);
	return call->kind == EVENT_RECV && (takes_what_comes(by) || number_of(c, s, CARRIED_SOURCE, spot) == -1 ||
						   number_of(c, s, CARRIED_TAG, spot) == -1);
}

void call_sites_at(struct call_sites *c, const struct walk *walk, struct site_call *call)
{
	size_t at = walk_statement(walk);
	struct call_sites_statement *s = &c->statement[at];
	struct spot spot = walk_spot(walk);
	struct plain_event e;
	walk_event(walk, &e);
	if (c->vocabulary)
		vocabulary_translate(c->vocabulary, &e);
	*call = (struct site_call){.rank = e.process,
		.kind = e.kind,
		.word = e.word,
		.peer = e.peer,
		.group = e.group,
		.numbered = e.numbered,
		.number = e.number,
		.communicator = e.communicator,
		.call = word_carried(c, s, CARRIED_CALL, &spot),
		.other = word_carried(c, s, CARRIED_OTHER, &spot),
		.bytes = number_of(c, s, CARRIED_BYTES, &spot),
		.received = number_of(c, s, CARRIED_RECEIVED, &spot),
		.apart = number_of(c, s, CARRIED_APART, &spot)};
	call->loose = is_loose(c, s, call, &spot);
	struct attribute_value site = carried_value(c, s, CARRIED_SITE, &spot);
	if (site.there && site.word && c->located)
		call->site = site_of(c, site.word, e.kind, e.word);
	else if (s->site == INTERN_NONE)
		call->site = s->site = site_of_statement(c, at, e.kind, e.word);
	else
		call->site = s->site;
}

/* last: by statement the call that it was, if neither the process nor an iteration is another. */
static void count_rank(struct call_sites *c, uint32_t rank, uint32_t *last)
{
	struct walk *w = walk_new(c->projection, rank);
	while (walk_next(w)) {
		size_t at = walk_statement(w);
		struct site_call call;
		if (statement_kind(c->program, &c->program->statement[at]) == EVENT_LOCAL)
			continue;
		if (!c->statement[at].steady || last[at] == INTERN_NONE) {
			call_sites_at(c, w, &call);
			last[at] = intern_id(c->calls, &call, sizeof call);
			c->count = mem_grow(c->count, &c->capacity, intern_count(c->calls), sizeof *c->count);
			for (; c->counted < intern_count(c->calls); c->counted++)
				c->count[c->counted] = 0;
		}
		c->count[last[at]]++;
	}
	walk_free(w);
}

static void know_statements(struct call_sites *c)
{
	const struct program *p = c->program;
	c->statement = mem_zero((p->length + 1) * sizeof *c->statement);
	for (size_t i = 0; i < p->length; i++) {
		struct call_sites_statement *s = &c->statement[i];
		s->site = INTERN_NONE;
		if (statement_is_loop(&p->statement[i]))
			continue;
		s->steady = !program_indices(p, &p->statement[i]) &&
			    !program_attributes_indices(p, p->statement[i].attributes);
		for (enum carried k = 0; k < CARRIED; k++)
			s->there[k] = program_attribute(p, i, word_in(c->program, names[k]), &s->attribute[k]);
	}
}

struct call_sites *call_sites_of(
	struct program *program, struct vocabulary *vocabulary, struct intern *words, bool located)
{
	struct call_sites *c = mem_zero(sizeof *c);
	*c = (struct call_sites){.program = program,
		.vocabulary = vocabulary,
		.words = words,
		.located = located,
		.projection = projection_new(program, NULL),
		.keys = intern_new_keys(3 * sizeof(uint32_t)),
		.names = intern_new(),
		.calls = intern_new_keys(sizeof(struct site_call))};
	know_statements(c);
	uint32_t *last = mem_array(program->length + 1, sizeof *last);
	for (uint32_t rank = 0; rank < program->processes; rank++) {
		memset(last, 0xff, (program->length + 1) * sizeof *last);
		count_rank(c, rank, last);
	}
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
	projection_free(c->projection);
	intern_free(c->keys);
	intern_free(c->names);
	intern_free(c->calls);
	free(c->site);
	free(c->count);
	free(c->statement);
	free(c);
}
