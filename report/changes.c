/*
 * changes.c -- call sites become units, one for what is the same place in both programs. Units are
 * compared by what each rank does there; where all of them agree, by the order of each rank.
 */
#include "report/changes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/sameness.h"
#include "base/compare.h"
#include "base/mem.h"
#include "report/changes_work.h"

/* Events: of longer streams, that they are the same is seen by call site alone. */
#define SAME_MOST (UINT64_C(1) << 28)

/* ------------------------------------------------------------------ loops that are loose */

/* "main:120", "solve.c:120". */
static bool is_place(const char *place, const char *site)
{
	struct site s = site_parts(site);
	const char *colon = strrchr(place, ':');
	size_t length = colon ? (size_t)(colon - place) : 0;
	size_t function = strcspn(s.function, " ");
	uint64_t line;
	return colon && s.line && text_is_number(colon + 1, UINT64_MAX, &line) && line == s.line &&
	       ((length == s.length && !memcmp(place, s.file, length)) ||
		       (length == function && !memcmp(place, s.function, length)));
}

static bool is_at(const struct comparing *c, uint32_t side, size_t line, const char *place)
{
	const uint32_t *path;
	bool here = false;
	size_t count = sites_of_event(c, side, line, &path);
	for (size_t i = 0; i < count && !here; i++)
		here = is_place(place, path_site(&c->program[side]->places, path[i]));
	return here;
}

static void loosen_line(struct comparing *c, uint32_t side, size_t line)
{
	const uint32_t *path;
	size_t count = sites_of_event(c, side, line, &path);
	for (size_t i = 0; i < count; i++)
		for (uint32_t site = 0; site < c->calls[side]->sites; site++)
			if (!strcmp(c->calls[side]->site[site].words, path_site(&c->program[side]->places, path[i])))
				c->unit[c->unit_of[side][site]].counts_vary = true;
}

/* The innermost loop around each event there. */
static bool loosen(struct comparing *c, uint32_t side, const char *place)
{
	bool any = false;
	for (size_t line = 0; line < c->program[side]->lines; line++) {
		if (!is_at(c, side, line, place))
			continue;
		size_t loop = overview_loop_around(&c->lines[side], line), first = loop == OVERVIEW_NONE ? line : loop;
		for (size_t k = first; k < c->lines[side].line[first].end; k++)
			loosen_line(c, side, k);
		any = true;
	}
	return any;
}

static bool loosen_all(struct comparing *c, struct error *error)
{
	for (size_t i = 0; i < c->options->loose_count; i++) {
		const char *place = c->options->loose[i];
		bool golden = loosen(c, GOLDEN, place), run = loosen(c, RUN, place);
		if (!golden && !run)
			return error_set(error, ERROR_INPUT,
				"--loose %s: neither program calls MPI there: name a line that does, as in main:120 or solve.c:120",
				place);
	}
	return true;
}

/* ------------------------------------------------------------------ all of it */

static int by_place(const void *left, const void *right)
{
	const struct change *a = left, *b = right;
	int order = strcmp(a->file, b->file);
	if (order)
		return order;
	return a->line != b->line ? COMPARE(a->line, b->line) : COMPARE(a->kind, b->kind);
}

static void compare_units(struct comparing *c, bool *all_same)
{
	for (uint32_t i = 0; i < c->units; i++) {
		const struct site_unit *u = &c->unit[i];
		bool there[SIDES] = {false, false};
		for (size_t k = u->first; k < u->end; k++)
			there[c->item[k].side] = true;
		if (!there[GOLDEN] && !there[RUN])
			continue;
		if (changes_unit_same(c, u, false, false) || changes_unit_same(c, u, true, false)) {
			*all_same &= !changes_say_wildcards(c, u);
			continue;
		}
		*all_same = false;
		if (there[GOLDEN] && there[RUN])
			changes_say_unit(c, u);
		else
			changes_say_there(c, u, there[RUN] ? RUN : GOLDEN);
	}
}

static void compare(struct comparing *c)
{
	uint32_t processes = c->program[GOLDEN]->processes;
	struct parting *parting = mem_array(processes + (size_t)1, sizeof *parting);
	bool same = true, any_unforeseen = false;
	for (uint32_t r = 0; r < processes; r++) {
		parting[r] = changes_part(c, r);
		c->differs[r] = parting[r].parted;
	}
	changes_foresee(c, parting);
	for (uint32_t r = 0; r < processes; r++)
		any_unforeseen |= c->unforeseen[r];
	compare_units(c, &same);
	if (same && !c->options->ignore_order) {
		changes_say_orders(c, parting);
		for (uint32_t i = 0; i < c->units && !c->out->length && c->told[CHANGE_CALL] && !any_unforeseen; i++)
			if (!c->unit[i].tested && !changes_unit_same(c, &c->unit[i], false, true))
				changes_say_overlap(c, &c->unit[i]);
	}
	free(parting);
}

static void comparing_clear(struct comparing *c)
{
	for (uint32_t side = 0; side < SIDES; side++) {
		call_sites_free(c->calls[side]);
		free(c->unit_of[side]);
		overview_clear(&c->lines[side]);
	}
	intern_free(c->words);
	free(c->unit);
	free(c->item);
	free(c->differs);
	free(c->unforeseen);
	free(c->excused);
}

bool changes_of(struct run *golden, struct run *run, const struct changes_options *options, struct changes *changes,
	struct error *error)
{
	*changes = (struct changes){0};
	const struct module *of = run_module(golden), *as = run_module(run);
	bool calls = !options->ignore_calls && call_sites_carry(of, "call") && call_sites_carry(as, "call");
	bool bytes = !options->ignore_bytes && call_sites_carry(of, "bytes") && call_sites_carry(as, "bytes");
	bool located = call_sites_are_located(of) && call_sites_are_located(as);
	struct comparing c = {.options = options,
		.program = {of, as},
		.words = intern_new(),
		.told = {[CHANGE_CALL] = calls, [CHANGE_BYTES] = bytes},
		.differs = mem_zero(of->processes + (size_t)1),
		.unforeseen = mem_zero(of->processes + (size_t)1),
		.excused = mem_zero(of->processes + (size_t)1),
		.out = changes};
	for (uint32_t side = 0; side < SIDES; side++) {
		overview_of(&c.lines[side], side == GOLDEN ? golden : run);
		c.calls[side] = call_sites_of(side == GOLDEN ? golden : run, c.words, located);
	}
	changes_find_units(&c);
	changes_gather(&c);
	bool good = loosen_all(&c, error);
	/* where the source has them in another order, for other ranks, nothing has changed */
	if (good && runs_sameness(golden, run, VALUES_ALL, SAME_MOST, NULL) != SAMENESS_SAME)
		compare(&c);
	if (changes->length)
		qsort(changes->change, changes->length, sizeof *changes->change, by_place);
	comparing_clear(&c);
	return good;
}

void changes_clear(struct changes *c)
{
	for (size_t i = 0; i < c->length; i++) {
		free(c->change[i].file);
		free(c->change[i].function);
		free(c->change[i].words);
	}
	free(c->change);
	*c = (struct changes){0};
}
