/*
 * program.c -- the statements of a folded program, counted and compared.
 */
#include "model/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/program_nodes.h"

struct program *program_new(void)
{
	struct program *f = mem_zero(sizeof *f);
	f->dictionary = dictionary_new();
	f->forms = intern_new();
	f->bounds = intern_new();
	f->attributes = intern_new();
	f->choices = intern_new();
	f->places = site_places_new();
	return f;
}

struct program *program_copy(const struct program *from)
{
	struct program *f = mem_zero(sizeof *f);
	f->dictionary = dictionary_copy(from->dictionary);
	f->processes = from->processes;
	notes_add_all(&f->notes, &from->notes);
	f->grid = from->grid;
	f->forms = intern_copy(from->forms);
	f->bounds = intern_copy(from->bounds);
	f->attributes = intern_copy(from->attributes);
	f->choices = intern_copy(from->choices);
	f->places = site_places_copy(&from->places);
	f->statement = mem_copy(from->statement, from->length * sizeof *from->statement);
	f->length = f->capacity = from->length;
	program_calls_copy(&f->calls, &from->calls);
	return f;
}

void program_empty(struct program *f)
{
	f->length = 0;
	program_calls_clear(&f->calls);
}

void program_free(struct program *f)
{
	if (!f)
		return;
	dictionary_free(f->dictionary);
	notes_clear(&f->notes);
	intern_free(f->forms);
	intern_free(f->bounds);
	intern_free(f->attributes);
	intern_free(f->choices);
	site_places_free(&f->places);
	free(f->statement);
	program_calls_clear(&f->calls);
	program_nodes_free(f->nodes);
	free(f);
}

void program_put(struct program *f, const struct statement *s)
{
	*MEM_PUSH(f->statement, f->length, f->capacity) = *s;
}

void program_add(struct program *f, uint32_t set, uint32_t event)
{
	program_put(f, &(struct statement){.set = set, .event = event, .bound = BOUND_NONE});
}

void program_add_alone(struct program *f, uint32_t set, uint32_t form)
{
	program_put(f, &(struct statement){.set = set, .event = form, .bound = BOUND_NONE, .alone = true});
}

static size_t program_open(struct program *f, uint32_t set, uint64_t count)
{
	program_put(f, &(struct statement){.set = set, .bound = BOUND_NONE, .count = count, .size = 1});
	return f->length - 1;
}

size_t program_open_by(struct program *f, uint32_t set, const struct value *count)
{
	size_t loop = program_open(f, set, 0);
	program_set_count(f, &f->statement[loop], count);
	return loop;
}

size_t program_open_guard(struct program *f, enum guard kind, const struct value *condition)
{
	size_t guard = program_open_by(f, STATEMENT_PLAIN, condition);
	f->statement[guard].event = kind;
	return guard;
}

bool program_inside(struct program *f, const struct place *place, struct value *condition)
{
	uint64_t entries, most = f->processes ? TABLE_LIMIT / f->processes : 0;
	const struct affine *at = place_stencil(place, &entries);
	if (!at || entries >= most)
		return false;
	struct table *inside = table_new("inside", 2);
	for (uint32_t p = 0; p < f->processes; p++) {
		for (uint64_t k = 0; k < entries; k++)
			table_add(inside, place_is_inside(place, &f->grid, f->processes, p, (int64_t)k));
		table_end(inside, 1);
	}
	table_finish(inside);
	*condition =
		value_looked_up(dictionary_adopt(f->dictionary, inside, "inside"), (struct affine[]){{.p = 1}, *at});
	table_free(inside);
	return true;
}

void program_set_count(struct program *f, struct statement *loop, const struct value *count)
{
	bool constant = value_is_constant(count);
	loop->bound = constant ? BOUND_NONE : intern_id(f->bounds, count, sizeof *count);
	loop->count = constant && count->plain.constant > 0 ? (uint64_t)count->plain.constant : 0;
}

void program_close(struct program *f, size_t loop)
{
	f->statement[loop].size = f->length - loop;
}

struct value program_bound(const struct program *f, const struct statement *loop)
{
	if (loop->bound == BOUND_NONE)
		return value_of((int64_t)loop->count);
	return *(const struct value *)intern_data(f->bounds, loop->bound, NULL);
}

/* ------------------------------------------------------------------ forms */

/*
 * A form is wide and mostly zero, and where nothing repeats there are millions: kept are the words
 * that are not zero, behind the numbers of their places.
 */
#define FORM_WORDS (sizeof(struct form) / sizeof(uint64_t))

static size_t pack(const uint64_t *form, uint64_t *packed)
{
	size_t words = 0;
	uint16_t place[FORM_WORDS];
	uint64_t word[FORM_WORDS];
	for (size_t i = 0; i < FORM_WORDS; i++) {
		if (!form[i])
			continue;
		place[words] = (uint16_t)i;
		word[words++] = form[i];
	}
	size_t places = (words + 3) / 4;
	memset(packed, 0, places * sizeof *packed);
	memcpy(packed, place, words * sizeof *place);
	memcpy(packed + places, word, words * sizeof *word);
	return places + words;
}

uint32_t program_form(struct program *f, const struct form *form)
{
	uint64_t words[FORM_WORDS], packed[2 * FORM_WORDS];
	static_assert(
		sizeof(struct form) % sizeof(uint64_t) == 0 && FORM_WORDS < UINT16_MAX, "forms are made of words");
	memcpy(words, form, sizeof words);
	return intern_id(f->forms, packed, pack(words, packed) * sizeof *packed);
}

struct form program_get_form(const struct program *f, uint32_t id)
{
	size_t size;
	const uint64_t *packed = intern_data(f->forms, id, &size);
	size_t all = size / sizeof *packed, words = all * 4 / 5; /* and (words + 3) / 4 words of places */
	const uint64_t *word = packed + (all - words);
	uint16_t place[FORM_WORDS + 4];
	struct form form;
	memset(&form, 0, sizeof form);
	memcpy(place, packed, (all - words) * sizeof *packed);
	for (size_t i = 0; i < words; i++)
		memcpy((char *)&form + place[i] * sizeof *word, &word[i], sizeof *word);
	return form;
}

/* In the first word, if that is kept: some 50 times cheaper than the form. */
static enum event_kind kind_of_form(const struct program *f, uint32_t id)
{
	static_assert(offsetof(struct form, kind) == 0, "the kind is in the first word");
	size_t size;
	const uint64_t *packed = intern_data(f->forms, id, &size);
	size_t all = size / sizeof *packed, words = all * 4 / 5;
	uint16_t first = 0;
	uint32_t kind = 0;
	if (words)
		memcpy(&first, packed, sizeof first);
	if (words && !first)
		memcpy(&kind, packed + (all - words), sizeof kind);
	return kind;
}

/* A plain event as a form, the event of each of its processes. */
static struct form form_of_event(const struct dictionary *d, uint32_t event)
{
	const struct event *e = dictionary_get_event(d, event);
	struct form form = {.kind = e->kind, .word = e->subject, .communicator = value_of(NO_COMMUNICATOR)};
	if (e->kind == EVENT_SYNC) {
		const struct sync *sync = dictionary_get_sync(d, e->subject);
		form.word = sync->name;
		form.group = sync->group;
		form.communicator = value_of(sync->communicator);
		if (e->peer != NO_ROOT)
			form.peer = place_of(PLACE_NUMBER, e->peer);
	} else if (e->kind != EVENT_LOCAL) {
		const struct tag *tag = dictionary_get_tag(d, e->subject);
		form.word = tag->stem;
		form.numbered = tag->numbered;
		form.number = tag->number;
		form.communicator = value_of(tag->communicator);
		form.peer = place_of(PLACE_NUMBER, e->peer);
	}
	return form;
}

struct form statement_form(const struct program *f, const struct statement *s)
{
	return s->set == STATEMENT_PLAIN ? form_of_event(f->dictionary, s->event) : program_get_form(f, s->event);
}

enum event_kind statement_kind(const struct program *f, const struct statement *s)
{
	if (s->set == STATEMENT_PLAIN)
		return dictionary_get_event(f->dictionary, s->event)->kind;
	return kind_of_form(f, s->event);
}

uint32_t form_indices(const struct form *form)
{
	return value_indices(&form->value) | place_indices(&form->peer) | value_indices(&form->communicator);
}

static uint32_t program_indices(const struct program *f, const struct statement *s)
{
	if (statement_is_loop(s)) {
		struct value bound = program_bound(f, s);
		return value_indices(&bound);
	}
	if (s->set == STATEMENT_PLAIN)
		return 0;
	struct form form = program_get_form(f, s->event);
	return form_indices(&form);
}

bool program_varies(const struct program *f)
{
	for (size_t i = 0; i < f->length; i++)
		if (program_indices(f, &f->statement[i]))
			return true;
	return false;
}

/* Put numbers in for the indices of all loops around. False where 64 bits do not suffice. */
static bool put_indices(struct form *form, const struct grid *g, const int64_t *index)
{
	bool moves = value_indices(&form->value);
	bool good = value_put(&form->value, index, INDEX_DEPTH);
	good = place_put(&form->peer, g, index, INDEX_DEPTH) && good;
	good = value_put(&form->communicator, index, INDEX_DEPTH) && good;
	if (moves && value_is_constant(&form->value)) {
		form->varies = 0;
		form->number = (uint64_t)form->value.plain.constant;
		form->value = value_of(0);
	}
	return good;
}

struct ranks program_processes(const struct program *f, const struct statement *s, struct ranks_run *single)
{
	if (s->set != STATEMENT_PLAIN)
		return dictionary_get_ranks(f->dictionary, s->set);
	assert(!statement_is_loop(s));
	return event_processes(f->dictionary, s->event, single);
}

bool program_is_folded(const struct program *f)
{
	for (size_t i = 0; i < f->length; i++)
		if (!statement_is_plain(&f->statement[i]))
			return true;
	return false;
}

/* ------------------------------------------------------------------ one process's event */

static uint32_t message_tag(const struct program *f, const struct form *form, const struct spot *spot)
{
	struct tag tag = {.stem = form->word,
		.numbered = form->numbered,
		.number = form->varies ? (uint64_t)value_at(&form->value, spot) : form->number,
		.communicator = value_at(&form->communicator, spot)};
	return dictionary_tag(f->dictionary, &tag);
}

static int64_t communicator_of(const struct program *f, const struct form *form, uint32_t rank)
{
	struct spot spot = grid_spot(&f->grid, rank);
	return value_at(&form->communicator, &spot);
}

static void find_members(const struct program *f, const struct form *form, const struct spot *spot, struct ranks *to)
{
	if (form->area.kind == AREA_ON_GRID) {
		area_at(&form->area, &f->grid, spot, to);
		return;
	}
	struct ranks among = dictionary_get_ranks(f->dictionary, (uint32_t)form->group);
	if (form->area.kind == AREA_FIXED) {
		ranks_copy(to, &among);
		return;
	}
	int64_t own = communicator_of(f, form, (uint32_t)spot->p);
	struct ranks_walk walk = {0};
	to->length = 0;
	for (uint32_t p; ranks_next(&among, &walk, &p);)
		if (communicator_of(f, form, p) == own)
			ranks_add(to, p);
}

static uint32_t group_of(const struct program *f, const struct form *form, const struct spot *spot)
{
	if (!form->area.kind)
		return (uint32_t)form->group;
	struct ranks group = {0};
	find_members(f, form, spot, &group);
	uint32_t id = dictionary_ranks(f->dictionary, &group);
	ranks_clear(&group);
	return id;
}

static uint32_t sync_channel(const struct program *f, const struct form *form, const struct spot *spot)
{
	struct sync sync = {.name = form->word,
		.group = group_of(f, form, spot),
		.communicator = value_at(&form->communicator, spot)};
	return dictionary_sync(f->dictionary, &sync);
}

/* A rank that is computed must be one of the run; a rank given as a number may be any, as in plain
   models. */
static uint32_t rank_limit(const struct program *f, const struct place *place)
{
	return place->kind == PLACE_NUMBER && value_is_uniform(&place->value) ? RANK_LIMIT : f->processes;
}

static bool place_rank(const struct program *f, const struct place *place, const struct spot *spot, const char *what,
	uint32_t *rank, struct error *error)
{
	if (place->kind == PLACE_RING && place->modulus > f->processes)
		return error_set(error, ERROR_INPUT, "%s is on a ring of %lld ranks, but the header says %u processes",
			what, (long long)place->modulus, f->processes);
	int64_t at = place_at(place, &f->grid, spot);
	if (at < 0 || at >= rank_limit(f, place))
		return error_set(error, ERROR_INPUT,
			"%s of process %lld would be %lld, but the header says %u processes", what, (long long)spot->p,
			(long long)at, f->processes);
	*rank = (uint32_t)at;
	return true;
}

static bool check_numbers(const struct form *form, const struct spot *spot, struct error *error)
{
	int64_t communicator = value_at(&form->communicator, spot);
	if (form->varies && value_at(&form->value, spot) < 0)
		return error_set(error, ERROR_INPUT, "the tag of process %lld would be negative", (long long)spot->p);
	if (communicator < 0 && !value_is_constant(&form->communicator))
		return error_set(
			error, ERROR_INPUT, "the communicator of process %lld would be negative", (long long)spot->p);
	return true;
}

static bool check_member(const struct program *f, const struct form *form, const struct spot *spot, struct error *error)
{
	bool member;
	if (form->area.kind == AREA_ON_GRID) {
		member = area_has(&form->area, &f->grid, spot);
	} else {
		struct ranks group = dictionary_get_ranks(f->dictionary, (uint32_t)form->group);
		member = ranks_has(&group, (uint32_t)spot->p);
	}
	return member ||
	       error_set(error, ERROR_INPUT, "process %lld is not in the group of its sync", (long long)spot->p);
}

/* Is the form an event on this process? Its peer or root. */
static bool check_form(
	const struct program *f, const struct form *form, const struct spot *spot, uint32_t *peer, struct error *error)
{
	*peer = 0;
	if (form->kind == EVENT_LOCAL)
		return true;
	if (!check_numbers(form, spot, error))
		return false;
	if (form->kind != EVENT_SYNC)
		return place_rank(f, &form->peer, spot, "the peer", peer, error);
	*peer = NO_ROOT;
	return check_member(f, form, spot, error) &&
	       (form->peer.kind == PLACE_NONE || place_rank(f, &form->peer, spot, "the root", peer, error));
}

/* If the first and the last of some processes can execute it, can all between them? */
static bool is_monotone(const struct form *form)
{
	return (form->kind == EVENT_SEND || form->kind == EVENT_RECV) && value_is_uniform(&form->value) &&
	       value_is_uniform(&form->communicator) &&
	       (form->peer.kind == PLACE_OFFSET || form->peer.kind == PLACE_RING) &&
	       value_is_quasi_affine(&form->peer.value);
}

bool program_check(const struct program *f, const struct form *form, const struct ranks *who, struct error *error)
{
	struct ranks_walk walk = {0};
	if (who->length && is_monotone(form)) {
		uint32_t end[] = {who->run[0].first, who->run[who->length - 1].last}, peer;
		struct spot first = grid_spot(&f->grid, end[0]), last = grid_spot(&f->grid, end[1]);
		struct error none;
		if (check_form(f, form, &first, &peer, &none) && check_form(f, form, &last, &peer, &none))
			return true;
	}
	for (uint32_t p, peer; ranks_next(who, &walk, &p);) {
		struct spot spot = grid_spot(&f->grid, p);
		if (!check_form(f, form, &spot, &peer, error))
			return false;
	}
	return true;
}

/* who: a set of several only of a sync. */
static uint32_t event_of_form(const struct program *f, const struct form *form, uint32_t rank, uint32_t who)
{
	struct dictionary *d = f->dictionary;
	struct event e = {.kind = form->kind, .process = rank, .subject = form->word};
	struct spot spot = grid_spot(&f->grid, rank);
	struct error error;
	bool good = check_form(f, form, &spot, &e.peer, &error);
	assert(good);
	(void)good;
	if (form->kind == EVENT_SYNC) {
		e.process = who;
		e.subject = sync_channel(f, form, &spot);
	} else if (form->kind != EVENT_LOCAL) {
		e.subject = message_tag(f, form, &spot);
	}
	return dictionary_event(d, &e);
}

uint32_t program_event_of(struct program *f, uint32_t set, const struct form *form)
{
	return event_of_form(f, form, dictionary_get_ranks(f->dictionary, set).run->first, set);
}

/* ------------------------------------------------------------------ at indices */

uint64_t program_count_of(const struct program *f, size_t at, const struct spot *spot)
{
	const struct statement *s = &f->statement[at];
	if (s->bound == BOUND_NONE)
		return s->count;
	int64_t count = value_at(intern_data(f->bounds, s->bound, NULL), spot);
	return count < 0 ? 0 : (uint64_t)count;
}

uint32_t program_event_at(struct program *f, size_t at, uint32_t rank, const int64_t *index)
{
	const struct statement *s = &f->statement[at];
	if (s->set == STATEMENT_PLAIN)
		return event_as(f->dictionary, s->event, rank);
	struct form form = program_get_form(f, s->event);
	bool good = put_indices(&form, &f->grid, index);
	assert(good);
	(void)good;
	return event_of_form(f, &form, rank, form.kind == EVENT_SYNC ? dictionary_rank(f->dictionary, rank) : 0);
}
