/*
 * program.c -- the statements of a folded program, counted and compared.
 */
#include "model/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/instances.h"

struct program *program_new(void)
{
	struct program *f = mem_zero(sizeof *f);
	f->dictionary = dictionary_new();
	f->forms = intern_new();
	f->steps = intern_new();
	static const struct steps none;
	intern_id(f->steps, &none, sizeof none);
	return f;
}

void program_free(struct program *f)
{
	if (!f)
		return;
	dictionary_free(f->dictionary);
	notes_clear(&f->notes);
	intern_free(f->forms);
	intern_free(f->steps);
	free(f->statement);
	free(f);
}

static void append(struct program *f, struct statement s)
{
	f->statement = mem_grow(f->statement, &f->capacity, f->length + 1, sizeof *f->statement);
	f->statement[f->length++] = s;
}

void program_add(struct program *f, uint32_t set, uint32_t event)
{
	append(f, (struct statement){.set = set, .event = event});
}

size_t program_open(struct program *f, uint32_t set, uint64_t count)
{
	append(f, (struct statement){.set = set, .count = count, .size = 1});
	return f->length - 1;
}

void program_close(struct program *f, size_t loop)
{
	f->statement[loop].size = f->length - loop;
}

void program_advance(struct program *f, size_t at, const struct steps *steps)
{
	f->statement[at].steps = intern_id(f->steps, steps, sizeof *steps);
}

const struct steps *program_steps(const struct program *f, const struct statement *s)
{
	return intern_data(f->steps, s->steps, NULL);
}

bool program_varies(const struct program *f)
{
	for (size_t i = 0; i < f->length; i++)
		if (f->statement[i].steps != STEPS_NONE)
			return true;
	return false;
}

uint32_t program_form(struct program *f, const struct form *form)
{
	return intern_id(f->forms, form, sizeof *form);
}

const struct form *program_get_form(const struct program *f, uint32_t id)
{
	return intern_data(f->forms, id, NULL);
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
		if (f->statement[i].set != STATEMENT_PLAIN)
			return true;
	return false;
}

bool program_equal(const struct program *a, const struct program *b)
{
	struct text x = {0}, y = {0};
	program_print_text(a, &x);
	program_print_text(b, &y);
	bool equal = !strcmp(x.data, y.data);
	text_clear(&x);
	text_clear(&y);
	return equal;
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

static uint32_t group_of(const struct program *f, const struct form *form, const struct spot *spot)
{
	if (!form->area.on_grid)
		return (uint32_t)form->group;
	struct ranks group = {0};
	area_at(&form->area, &f->grid, spot, &group);
	uint32_t id = dictionary_ranks(f->dictionary, &group);
	ranks_clear(&group);
	return id;
}

static uint32_t sync_channel(const struct program *f, const struct form *form, const struct spot *spot)
{
	struct sync sync = {
		.name = form->word, .group = group_of(f, form, spot), .communicator = value_at(&form->communicator, spot)};
	return dictionary_sync(f->dictionary, &sync);
}

/* A rank that is computed must be one of the run; a rank given as a number may be any, as in plain models. */
static bool place_rank(const struct program *f, const struct place *place, const struct spot *spot, const char *what, uint32_t *rank,
	struct error *error)
{
	if (place->kind == PLACE_RING && place->modulus > f->processes)
		return error_set(error, ERROR_INPUT, "%s is on a ring of %lld ranks, but the header says %u processes", what,
			(long long)place->modulus, f->processes);
	int64_t at = place_at(place, &f->grid, spot);
	uint32_t limit = place->kind == PLACE_NUMBER ? RANK_LIMIT : f->processes;
	if (at < 0 || at >= limit)
		return error_set(error, ERROR_INPUT, "%s of process %lld would be %lld, but the header says %u processes", what,
			(long long)spot->p, (long long)at, f->processes);
	*rank = (uint32_t)at;
	return true;
}

static bool check_numbers(const struct form *form, const struct spot *spot, struct error *error)
{
	int64_t communicator = value_at(&form->communicator, spot);
	if (form->varies && value_at(&form->value, spot) < 0)
		return error_set(error, ERROR_INPUT, "the tag of process %lld would be negative", (long long)spot->p);
	if (communicator < 0 && !value_is_constant(&form->communicator))
		return error_set(error, ERROR_INPUT, "the communicator of process %lld would be negative", (long long)spot->p);
	return true;
}

static bool check_member(const struct program *f, const struct form *form, const struct spot *spot, struct error *error)
{
	bool member;
	if (form->area.on_grid) {
		member = area_has(&form->area, &f->grid, spot);
	} else {
		struct ranks group = dictionary_get_ranks(f->dictionary, (uint32_t)form->group);
		member = ranks_has(&group, (uint32_t)spot->p);
	}
	return member || error_set(error, ERROR_INPUT, "process %lld is not in the group of its sync", (long long)spot->p);
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

bool program_check(const struct program *f, const struct form *form, const struct ranks *who, struct error *error)
{
	struct ranks_walk walk = {0};
	for (uint32_t p, peer; ranks_next(who, &walk, &p);) {
		struct spot spot = grid_spot(&f->grid, p);
		if (!check_form(f, form, &spot, &peer, error))
			return false;
	}
	return true;
}

uint32_t program_event(const struct program *f, const struct form *form, uint32_t rank)
{
	struct dictionary *d = f->dictionary;
	struct event e = {.kind = form->kind, .process = rank, .subject = form->word};
	struct spot spot = grid_spot(&f->grid, rank);
	struct error error;
	bool good = check_form(f, form, &spot, &e.peer, &error);
	assert(good);
	(void)good;
	if (form->kind == EVENT_SYNC) {
		e.process = dictionary_rank(d, rank);
		e.subject = sync_channel(f, form, &spot);
	} else if (form->kind != EVENT_LOCAL) {
		e.subject = message_tag(f, form, &spot);
	}
	return dictionary_event(d, &e);
}

/* ------------------------------------------------------------------ figures */

uint64_t program_events(const struct program *f)
{
	struct instances_error wrong;
	uint64_t events;
	return instances_count(f, NULL, &events, &wrong) ? events : UINT64_MAX;
}

/* Every process sums up random numbers, one for each statement it executes: equal sums, equal roles. Summed up over the ends of runs first. */
static uint64_t *role_sums(const struct program *f)
{
	uint64_t *sum = mem_zero(((size_t)f->processes + 1) * sizeof *sum);
	for (size_t i = 0; i < f->length; i++) {
		const struct statement *s = &f->statement[i];
		if (statement_is_loop(s))
			continue;
		struct ranks_run single;
		struct ranks who = program_processes(f, s, &single);
		for (size_t k = 0; k < who.length; k++) {
			sum[who.run[k].first] += hash_mix(i + 1);
			sum[who.run[k].last + 1] -= hash_mix(i + 1);
		}
	}
	for (uint32_t p = 1; p < f->processes; p++)
		sum[p] += sum[p - 1];
	return sum;
}

uint32_t *program_role_of(const struct program *f, uint32_t *roles)
{
	uint32_t processes = f->processes, *role = mem_array(processes, sizeof *role);
	uint64_t *sum = role_sums(f);
	struct intern *known = intern_new();
	for (uint32_t p = 0; p < processes; p++)
		role[p] = sum[p] ? intern_id(known, &sum[p], sizeof sum[p]) : NO_ROLE;
	*roles = intern_count(known);
	intern_free(known);
	free(sum);
	return role;
}

uint32_t program_roles(const struct program *f, uint32_t *idle)
{
	uint32_t roles, *role = program_role_of(f, &roles);
	*idle = 0;
	for (uint32_t p = 0; p < f->processes; p++)
		*idle += role[p] == NO_ROLE;
	free(role);
	return roles;
}

static uint32_t depth_of(const struct program *f, size_t from, size_t to)
{
	uint32_t deepest = 0;
	for (size_t i = from; i < to; i += statement_size(&f->statement[i])) {
		if (!statement_is_loop(&f->statement[i]))
			continue;
		uint32_t depth = 1 + depth_of(f, i + 1, i + f->statement[i].size);
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

uint32_t program_depth(const struct program *f)
{
	return depth_of(f, 0, f->length);
}
