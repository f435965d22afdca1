/*
 * instance.c -- the program of one number of processes, where all that explains the runs agrees.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/lines.h"
#include "sizes/follow.h"
#include "sizes/generalize_runs.h"
#include "sizes/laws_of_coordinates.h"
#include "sizes/parametric.h"
#include "sizes/rules.h"
#include "sizes/shown.h"

/* Numbers of processes that are looked at for one that would decide. */
#define DECIDING_MOST 4096

/* The same where each process is looked at. */
#define DECIDING_SETS_MOST 257

struct parametric {
	const char *name;
	struct extents run[RUNS_MOST];
	struct learned_runs runs;
	struct rule rule[RULES_MOST];
	size_t rules;
	bool proven[RUNS_MOST]; /* by run: the others foretell it */
	const char *bytes;
	size_t length;
	/* the text at the extents of each run; made when the first instance is asked for */
	struct program *program[RUNS_MOST];
	struct guide *guide[RUNS_MOST];
	struct intern *numbers; /* by run: what numbers were; */
	struct explained {
		struct formula *formula, *rival;
		size_t length, rivals;
	} * explained; /* ... what explains them */
	size_t explained_capacity;
	struct intern *tables; /* slots, and which of their tables; */
	struct lawful {
		struct coordinate_law *law;
		size_t length;
	} * lawful; /* ... the same of these */
	size_t lawful_capacity;
	struct intern *sets; /* by run: who executes; */
	struct conditioned {
		struct condition_of_ranks *condition;
		size_t length;
	} * conditioned; /* ... the same of these */
	size_t conditioned_capacity;
};

/* ------------------------------------------------------------------ the header */

static bool accept(const char **at, const char *word)
{
	size_t length = strlen(word);
	*at = behind_blanks(*at);
	if (strncmp(*at, word, length) != 0)
		return false;
	*at += length;
	return true;
}

/* 12 = 4 * 3, N = 64 */
static bool read_run(const char *at, struct extents *x)
{
	uint64_t number;
	*x = (struct extents){0};
	at = behind_blanks(at);
	if (!text_read_number(&at, RANK_LIMIT, &number))
		return false;
	x->processes = (uint32_t)number;
	if (accept(&at, "="))
		do {
			at = behind_blanks(at);
			if (x->grid.axes == GRID_AXES || !text_read_number(&at, RANK_LIMIT, &number) || !number)
				return false;
			x->grid.size[x->grid.axes++] = (uint32_t)number;
		} while (accept(&at, "*"));
	while (accept(&at, ",")) {
		at = behind_blanks(at);
		size_t length = strcspn(at, " =");
		if (x->parameters == EXTENTS_PARAMETERS || !length || length > EXTENTS_NAME)
			return false;
		struct extents_parameter *p = &x->parameter[x->parameters++];
		memcpy(p->name, at, length);
		at += length;
		if (!accept(&at, "="))
			return false;
		at = behind_blanks(at);
		if (!text_read_number(&at, INT64_MAX, &number))
			return false;
		p->value = (int64_t)number;
	}
	return !*behind_blanks(at) && x->processes &&
	       (!x->grid.axes || (x->grid.axes >= 2 && grid_ranks(&x->grid) == x->processes));
}

static bool alike(const struct extents *a, const struct extents *b)
{
	bool same = a->grid.axes == b->grid.axes && a->parameters == b->parameters;
	for (uint32_t i = 0; i < a->parameters && same; i++)
		same = !strcmp(a->parameter[i].name, b->parameter[i].name);
	return same;
}

bool text_is_parametric(const char *bytes, size_t length)
{
	struct error error;
	struct lines *lines = lines_of("", bytes, length);
	bool found = false;
	for (char *line; !found && (line = lines_next(lines, &error)) && line[0] == '/';)
		found = !strcmp(line, "// parametric");
	lines_close(lines);
	return found;
}

uint64_t text_digest(const char *text)
{
	struct digest all = digest_empty;
	for (; *text; text++) {
		struct digest one = digest_of((unsigned char)*text);
		all = digest_join(&all, &one);
	}
	return all.value[0];
}

/* What it says of its runs holds of the text that was made of them. */
static bool check_digest(const char *name, const char *bytes, struct error *error)
{
	const char *line = strstr(bytes, "\n" DIGEST_LINE), *end = line ? strchr(line + 1, '\n') : NULL;
	char digest[17];
	if (end)
		snprintf(digest, sizeof digest, "%016" PRIx64, text_digest(end + 1));
	if (end && end - line - 1 == (ptrdiff_t)(strlen(DIGEST_LINE) + 16) && !memcmp(end - 16, digest, 16))
		return true;
	return error_set(error, ERROR_INCONSISTENT,
		"%s: the text is not the one that generalize has made of its runs: edit an instance, or generalize again",
		name);
}

static bool read_header(struct parametric *l, const char *bytes, size_t length, struct error *error)
{
	struct lines *lines = lines_of(l->name, bytes, length);
	bool good = true;
	for (char *line; good && (line = lines_next(lines, error)) && line[0] == '/';) {
		struct extents proven;
		if (!strncmp(line, "// proven ", 10) && read_run(line + 10, &proven))
			for (size_t r = 0; r < l->runs.length; r++)
				l->proven[r] |= extents_same(&proven, &l->run[r]);
		if (strncmp(line, "// learned ", 11) != 0)
			continue;
		if (l->runs.length == RUNS_MOST) {
			good = error_set(error, ERROR_INPUT, "%s:%" PRIu64 ": more than %d runs", l->name,
				lines_number(lines), RUNS_MOST);
			break;
		}
		struct extents *x = &l->run[l->runs.length++];
		good = (read_run(line + 11, x) && alike(x, l->run)) ||
		       error_set(error, ERROR_INPUT,
			       "%s:%" PRIu64
			       ": a run is told as '// learned 12 = 4 * 3, N = 64', all alike, not '%.*s'",
			       l->name, lines_number(lines), SHOWN, line);
	}
	lines_close(lines);
	l->runs.run = l->run;
	if (!good)
		return false;
	if (!text_is_parametric(bytes, length) || !l->runs.length)
		return error_set(error, ERROR_INPUT,
			"%s: not a program for every number of processes: 'tracenest generalize' makes one", l->name);
	l->rules = rules_of(&l->runs, l->rule);
	return check_digest(l->name, bytes, error);
}

/* ------------------------------------------------------------------ extents */

static bool settle_parameters(
	const struct parametric *l, const struct extents *asked, struct extents *x, struct error *error)
{
	*x = l->run[0];
	x->processes = asked->processes;
	for (uint32_t k = 0; k < asked->parameters; k++) {
		uint32_t i = 0;
		while (i < x->parameters && strcmp(x->parameter[i].name, asked->parameter[k].name) != 0)
			i++;
		if (i == x->parameters)
			return error_set(
				error, ERROR_INPUT, "%s has no parameter %s", l->name, asked->parameter[k].name);
		x->parameter[i].value = asked->parameter[k].value;
	}
	for (uint32_t i = 0; i < x->parameters; i++) {
		bool given = false, same = true;
		for (uint32_t k = 0; k < asked->parameters; k++)
			given |= !strcmp(x->parameter[i].name, asked->parameter[k].name);
		for (size_t r = 0; r < l->runs.length; r++)
			same &= l->run[r].parameter[i].value == x->parameter[i].value;
		if (!given && !same)
			return error_set(error, ERROR_INPUT, "%s: which %s? give it, as in -D %s=%" PRId64, l->name,
				x->parameter[i].name, x->parameter[i].name, x->parameter[i].value);
	}
	return true;
}

/* The grid that all rules make. */
static bool settle_grid(const struct parametric *l, const struct extents *asked, struct extents *x, struct error *error)
{
	uint32_t axes = l->run[0].grid.axes;
	struct grid first = {0};
	struct text told = {0};
	bool good = true;
	if (asked->grid.axes && asked->grid.axes != axes)
		return error_set(error, ERROR_INPUT, "%s has %s grid of %" PRIu32 " extents", l->name,
			axes ? "a" : "no", asked->grid.axes);
	x->grid = asked->grid;
	if (!axes || asked->grid.axes)
		return true;
	if (!l->rules)
		return error_set(error, ERROR_INCONSISTENT,
			"%s: no rule says how the processes of its runs are arranged: give the grid, as in --grid 8x4",
			l->name);
	for (size_t i = 0; i < l->rules && good; i++) {
		struct grid grid;
		text_truncate(&told, 0);
		rule_print(&l->rule[i], axes, &told);
		if (!rule_apply(&l->rule[i], axes, x->processes, &grid))
			good = error_set(error, ERROR_INCONSISTENT,
				"%s: %" PRIu32 " processes have no grid by the rule %s: give one, as in --grid 8x4",
				l->name, x->processes, told.data);
		else if (i && memcmp(&grid, &first, sizeof grid) != 0)
			good = error_set(error, ERROR_INCONSISTENT,
				"%s: rules that explain the runs make different grids of %" PRIu32
				" processes (%s is another one): give it, as in --grid %" PRIu32 "x%" PRIu32 "%s",
				l->name, x->processes, told.data, first.size[0], first.size[1], axes > 2 ? "x..." : "");
		first = i ? first : grid;
	}
	text_clear(&told);
	x->grid = first;
	return good;
}

/* A term, or the product of two; b is 0: of one. */
static int64_t product_of(const struct extents *x, uint32_t a, uint32_t b)
{
	return extents_term(x, a) * (b ? extents_term(x, b) : 1);
}

/* What was the same in all runs has said nothing; of a parameter that is no number of processes. */
static bool check_product(const struct parametric *l, const struct extents *x, uint32_t a, uint32_t b,
	struct text *warnings, struct error *error)
{
	int64_t least = INT64_MAX, most = 0, here = product_of(x, a, b);
	for (size_t r = 0; r < l->runs.length; r++) {
		int64_t value = product_of(&l->run[r], a, b);
		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	bool other = least == most && here != least, good = true;
	struct text name = {0};
	extents_print_term(x, a, &name);
	if (b) {
		text_char(&name, '*');
		extents_print_term(x, b, &name);
	}
	if (other && a > x->grid.axes)
		good = error_set(error, ERROR_INCONSISTENT,
			"%s: %s was %" PRId64 " in all its runs, and would be %" PRId64
			": generalize with a run in which it is something else",
			l->name, name.data, least, here);
	else if (other)
		text_format(warnings,
			"%s was %" PRId64 " in all runs, and is %" PRId64
			": what depends on it is not known; a run in which it is something else would tell\n",
			name.data, least, here);
	else if (here < least && !b)
		text_format(warnings,
			"%s is %" PRId64 ", less than in any run (%" PRId64
			"): what small numbers of processes do otherwise is not known\n",
			name.data, here, least);
	text_clear(&name);
	return good;
}

/* Of three extents and more numbers may be functions of products. */
static bool check_varied(
	const struct parametric *l, const struct extents *x, struct text *warnings, struct error *error)
{
	uint32_t axes = x->grid.axes;
	bool good = true;
	for (uint32_t a = 0; a < extents_terms(x) && good; a++) {
		good = check_product(l, x, a, 0, warnings, error);
		for (uint32_t b = a + 1; axes > 2 && a && b <= axes; b++)
			check_product(l, x, a, b, warnings, error);
	}
	return good;
}

/* ------------------------------------------------------------------ what is decided */

struct deciding {
	struct parametric *learned;
	struct program *program[RUNS_MOST + 1]; /* by run, and then the instance */
	struct guide *guide[RUNS_MOST + 1]; /* the same */
	const struct extents *there;
	bool lenient;
	size_t left_out; /* sizes that are not decided */
	struct doubts *doubts;
	struct set_checked {
		uint32_t *id; /* by run */
	} * set;
	size_t sets, set_capacity;
	struct error *error;
};

static bool undecided(struct deciding *d, size_t statement, const char *what, const char *details)
{
	struct text line = {0};
	size_t last = d->learned->runs.length;
	struct addresses addresses = addresses_of(d->program[last]);
	program_print_event(d->program[last], &d->program[last]->statement[statement], &line);
	error_set(d->error, ERROR_INCONSISTENT,
		"%s: %s of statement %s is not decided for %" PRIu32 " processes: %s%s\n  %.300s", d->learned->name,
		what, addresses_get(&addresses, statement), d->there->processes, details,
		details[0] ? "" : "more than one formula explains the runs; one more run would tell",
		statement_is_loop(&d->program[last]->statement[statement]) ? "(a loop)" : line.data);
	addresses_clear(&addresses);
	text_clear(&line);
	return false;
}

static const struct slot *slot_at(const struct deciding *d, size_t program, size_t slot)
{
	return &d->guide[program]->slot[slot];
}

/* The next number of processes from the smallest run on, and its extents by the rule. */
static bool next_to_decide(const struct parametric *l, uint32_t most, struct extents *x)
{
	while (++x->processes < most)
		if (!x->grid.axes || (l->rules && rule_apply(&l->rule[0], x->grid.axes, x->processes, &x->grid)))
			return true;
	return false;
}

static struct extents before_all(const struct parametric *l, const struct extents *there)
{
	struct extents x = *there;
	for (size_t r = 0; r < l->runs.length; r++)
		x.processes = l->run[r].processes < x.processes ? l->run[r].processes : x.processes;
	x.processes--;
	return x;
}

/* The smallest number of processes, of those of the smallest run and more, on which formulas differ;
   0: none is known. */
static uint32_t deciding_run(
	const struct parametric *l, const struct formula *f, size_t count, const struct extents *there)
{
	for (struct extents x = before_all(l, there); next_to_decide(l, DECIDING_MOST, &x);) {
		int64_t first = 0, least, most;
		for (size_t i = 0; i < count; i++) {
			if (!formula_range(&f[i], &x, &least, &most))
				continue;
			if (least != most || (i && least != first))
				return x.processes;
			first = i ? first : least;
		}
	}
	return 0;
}

static const struct explained *explain(struct parametric *l, const int64_t *value)
{
	uint32_t known = intern_count(l->numbers), id = intern_id(l->numbers, value, l->runs.length * sizeof *value);
	if (id == known) {
		l->explained = mem_grow(l->explained, &l->explained_capacity, known + (size_t)1, sizeof *l->explained);
		struct explained *e = &l->explained[id];
		e->length = formulas_of(&l->runs, value, &e->formula);
		e->rivals = rivals_of(&l->runs, value, &e->rival);
	}
	return &l->explained[id];
}

/* value: by run, and then of the instance. What explains the runs as well, and is not this here? */
static void doubt_number(struct deciding *d, size_t statement, const int64_t *value, bool of_set)
{
	size_t runs = d->learned->runs.length;
	const struct explained *e = explain(d->learned, value);
	struct doubts *to = d->doubts;
	int64_t least, most;
	size_t k = 0;
	while (k < e->rivals && (!formula_range(&e->rival[k], d->there, &least, &most) || least == value[runs]))
		k++;
	if (k == e->rivals || to->rivals++)
		return;
	struct addresses addresses = addresses_of(d->program[runs]);
	text_put(&to->rival.place, addresses_get(&addresses, statement));
	addresses_clear(&addresses);
	if (e->length)
		formula_print(e->formula, d->there, &to->rival.rule);
	formula_print(&e->rival[k], d->there, &to->rival.other);
	to->rival.value = value[runs];
	to->rival.instead = least;
	to->rival.of_set = of_set;
}

/* The same of conditions. */
static uint32_t deciding_run_of_set(
	const struct parametric *l, const struct condition_of_ranks *c, size_t count, const struct extents *there)
{
	uint32_t tells = 0;
	for (struct extents x = before_all(l, there); !tells && next_to_decide(l, DECIDING_SETS_MOST, &x);)
		for (uint32_t p = 0; p < x.processes && !tells; p++) {
			struct spot spot = grid_spot(&x.grid, p);
			for (size_t i = 1; i < count && !tells; i++)
				if (condition_holds(&c[i], &x, &spot) != condition_holds(&c[0], &x, &spot))
					tells = x.processes;
		}
	return tells;
}

static bool number_decided(struct deciding *d, size_t slot, uint16_t word)
{
	size_t runs = d->learned->runs.length;
	int64_t value[RUNS_MOST + 1];
	for (size_t r = 0; r <= runs; r++)
		value[r] = *slot_word((struct place *)&slot_at(d, r, slot)->number, word);
	const struct explained *e = explain(d->learned, value);
	const struct formula *f = e->formula;
	size_t count = e->length;
	struct text told = {0};
	if (formulas_agree(f, count, d->there, value[runs])) {
		doubt_number(d, slot_at(d, runs, slot)->statement, value, false);
		return true;
	}
	for (size_t i = 0; i < count && i < 4; i++) {
		text_put(&told, i ? ", " : "");
		formula_print(&f[i], d->there, &told);
	}
	if (count > 4)
		text_format(&told, " and %zu more", count - 4);
	text_put(&told, count ? " explain the runs" : "no formula explains the runs");
	uint32_t tells = deciding_run(d->learned, f, count, d->there);
	if (tells)
		text_format(&told, "; a run of %" PRIu32 " processes would tell", tells);
	undecided(d, slot_at(d, runs, slot)->statement, "a number", told.data);
	text_clear(&told);
	return false;
}

/* The axis by which a table is asked; GRID_AXES: by p; more: by something else. An index modulo the
   entries counts along x. */
static uint32_t axis_of(const struct lookup *l)
{
	struct affine a = l->argument[0].inside;
	if (affine_is_uniform(&a) && (uint64_t)l->argument[0].modulus == table_entries(l->table))
		return 0;
	for (uint32_t i = 0; i <= GRID_AXES; i++) {
		struct affine alone = {.p = i == GRID_AXES};
		if (i < GRID_AXES)
			alone.axis[i] = 1;
		if (!memcmp(&a, &alone, sizeof a) && table_arguments(l->table) == 1 && !l->argument[0].modulus)
			return i;
	}
	return GRID_AXES + 1;
}

static struct column_of_coordinate entries_of(const struct table *t)
{
	struct column_of_coordinate c = column_new((uint32_t)table_entries(t));
	for (uint32_t i = 0; i < c.length; i++) {
		c.value[i] = table_entry(t, i);
		c.known[i] = true;
	}
	return c;
}

/* The table of a slot in a run, or in the instance. */
static const struct table *table_at(const struct deciding *d, size_t program, size_t slot, int which)
{
	return value_lookup(&slot_at(d, program, slot)->number.value, which)->table;
}

static const struct lawful *laws_for(struct deciding *d, size_t slot, int which, uint32_t axis)
{
	struct parametric *l = d->learned;
	uint64_t key[2] = {slot, (uint64_t)which};
	uint32_t known = intern_count(l->tables), id = intern_id(l->tables, key, sizeof key);
	struct column_of_coordinate seen[RUNS_MOST];
	if (id < known)
		return &l->lawful[id];
	l->lawful = mem_grow(l->lawful, &l->lawful_capacity, known + (size_t)1, sizeof *l->lawful);
	for (size_t r = 0; r < l->runs.length; r++)
		seen[r] = entries_of(table_at(d, r, slot, which));
	l->lawful[id].length = coordinate_laws_of(&l->runs, axis, seen, &l->lawful[id].law);
	for (size_t r = 0; r < l->runs.length; r++)
		column_clear(&seen[r]);
	return &l->lawful[id];
}

/* Of the first process, of the last one, of those between. */
static void doubt_entries(struct deciding *d, size_t slot, int which)
{
	size_t runs = d->learned->runs.length;
	int64_t value[RUNS_MOST + 1];
	for (int at = 0; at < 3; at++) {
		for (size_t r = 0; r <= runs; r++) {
			const struct table *t = table_at(d, r, slot, which);
			value[r] = table_entry(t, (table_entries(t) - 1) * at / 2);
		}
		doubt_number(d, slot_at(d, runs, slot)->statement, value, false);
	}
}

static bool table_decided(struct deciding *d, size_t slot, int which)
{
	size_t runs = d->learned->runs.length;
	const struct table *there = table_at(d, runs, slot, which);
	bool same = true, good = false;
	for (size_t r = 0; r < runs; r++)
		same &= table_same(table_at(d, r, slot, which), there);
	if (same)
		return true;
	uint32_t axis = axis_of(value_lookup(&slot_at(d, runs, slot)->number.value, which));
	if (axis == GRID_AXES || axis < d->there->grid.axes) {
		const struct lawful *l = laws_for(d, slot, which, axis);
		struct column_of_coordinate entries = entries_of(there);
		good = coordinate_laws_agree(l->law, l->length, axis, d->there, &entries);
		if (good && !l->law->share && !l->law->faces.are)
			doubt_entries(d, slot, which);
		column_clear(&entries);
	}
	return good || undecided(d, slot_at(d, runs, slot)->statement, "what depends on the process", "");
}

static bool slot_decided(struct deciding *d, size_t slot)
{
	size_t runs = d->learned->runs.length;
	bool done[sizeof(struct place) / sizeof(int64_t)] = {false}; /* by word: it is not 0 in several runs */
	for (size_t r = 0; r <= runs; r++) {
		const struct slot *s = slot_at(d, r, slot);
		for (uint32_t i = 0; i < s->words; i++) {
			if (!done[s->word[i]] && !number_decided(d, slot, s->word[i]))
				return false;
			done[s->word[i]] = true;
		}
	}
	const struct slot *s = slot_at(d, runs, slot);
	for (int k = 0; s->number.kind != PLACE_GRID && value_lookup(&s->number.value, k); k++)
		if (!table_decided(d, slot, k))
			return false;
	return true;
}

static uint32_t set_id(const struct deciding *d, size_t program, size_t statement)
{
	return d->guide[program]->set[d->guide[program]->set_of[statement]].id;
}

/* id: of the set in the dictionary of each run. */
static const struct conditioned *conditions_for(struct parametric *l, const uint32_t *id, const struct ranks *set)
{
	uint32_t known = intern_count(l->sets), at = intern_id(l->sets, id, l->runs.length * sizeof *id);
	if (at == known) {
		l->conditioned =
			mem_grow(l->conditioned, &l->conditioned_capacity, known + (size_t)1, sizeof *l->conditioned);
		l->conditioned[at].length = conditions_of(&l->runs, set, 0, &l->conditioned[at].condition);
	}
	return &l->conditioned[at];
}

/* Ranks that follow each other in all runs: the first, and the one behind the last, are numbers. An
   empty set ends at 0; where all others end at P, it begins there. */
static void doubt_set(struct deciding *d, size_t statement, const struct ranks *set)
{
	size_t runs = d->learned->runs.length;
	int64_t first[RUNS_MOST + 1], end[RUNS_MOST + 1];
	bool from_first = true, to_last = true, empty = false;
	for (size_t r = 0; r <= runs; r++) {
		uint32_t of = d->program[r]->processes;
		if (set[r].length > 1)
			return;
		first[r] = set[r].length ? set[r].run->first : 0;
		end[r] = set[r].length ? set[r].run->last + INT64_C(1) : 0;
		empty |= !set[r].length;
		from_first &= !first[r];
		to_last &= !set[r].length || end[r] == of;
	}
	for (size_t r = 0; r <= runs && empty && to_last; r++)
		first[r] = end[r] ? first[r] : d->program[r]->processes;
	if (!from_first && (!empty || to_last))
		doubt_number(d, statement, first, true);
	if (!to_last && (!empty || from_first))
		doubt_number(d, statement, end, true);
}

static bool set_decided(struct deciding *d, size_t statement)
{
	size_t runs = d->learned->runs.length;
	struct ranks set[RUNS_MOST + 1];
	if (d->guide[0]->set_of[statement] == SIZE_MAX)
		return true;
	uint32_t *id = mem_array(runs + 1, sizeof *id);
	for (size_t r = 0; r <= runs; r++) {
		id[r] = set_id(d, r, statement);
		set[r] = dictionary_get_ranks(d->program[r]->dictionary, id[r]);
	}
	for (size_t i = 0; i < d->sets; i++)
		if (!memcmp(d->set[i].id, id, (runs + 1) * sizeof *id)) {
			free(id);
			return true;
		}
	*MEM_PUSH(d->set, d->sets, d->set_capacity) = (struct set_checked){id};
	const struct conditioned *c = conditions_for(d->learned, id, set);
	if (conditions_agree(&d->learned->runs, c->condition, c->length, d->there, &set[runs])) {
		doubt_set(d, statement, set);
		return true;
	}
	uint32_t tells = deciding_run_of_set(d->learned, c->condition, c->length, d->there);
	struct text told = {0};
	text_put(&told, "more than one condition explains the runs");
	if (tells)
		text_format(&told, "; a run of %" PRIu32 " processes would tell", tells);
	undecided(d, statement, "who executes it", told.data);
	text_clear(&told);
	return false;
}

/* Without the size of a statement of the instance, if that may be. */
static bool leave_out(struct deciding *d, size_t slot)
{
	size_t runs = d->learned->runs.length, kept = 0;
	const struct slot *s = slot_at(d, runs, slot);
	if (!d->lenient || (s->kind != SLOT_BYTES && s->kind != SLOT_RECEIVED))
		return false;
	struct attribute attribute[ATTRIBUTES_MOST];
	struct program *p = d->program[runs];
	struct statement *st = &p->statement[s->statement];
	size_t count = program_get_attributes(p, st->attributes, attribute);
	for (size_t i = 0; i < count; i++)
		if (attribute[i].name != d->guide[runs]->size_name[s->kind == SLOT_RECEIVED])
			attribute[kept++] = attribute[i];
	st->attributes = kept ? program_attributes(p, attribute, kept) : ATTRIBUTES_NONE;
	d->left_out++;
	return true;
}

static bool all_decided(struct deciding *d)
{
	size_t runs = d->learned->runs.length;
	bool good = true;
	for (size_t r = 0; r <= runs && good; r++)
		good = (d->program[r]->length == d->program[runs]->length &&
			       d->guide[r]->slots == d->guide[0]->slots) ||
		       error_set(d->error, ERROR_INTERNAL, "%s: statements differ in number", d->learned->name);
	for (size_t i = 0; i < d->program[runs]->length && good; i++)
		good = set_decided(d, i);
	for (size_t i = 0; good && i < d->guide[runs]->slots; i++)
		good = slot_decided(d, i) || leave_out(d, i);
	for (size_t i = 0; i < d->sets; i++)
		free(d->set[i].id);
	free(d->set);
	return good;
}

/* Sizes that are not known. */
static size_t holes_in(const char *text)
{
	size_t holes = 0;
	for (const char *at = text; (at = strstr(at, "=?(")); at++)
		holes++;
	return holes;
}

static bool read_at(const struct parametric *l, const struct extents *x, struct program **program, struct guide **guide,
	struct error *error)
{
	*program = program_parse_at(l->name, l->bytes, l->length, x, error);
	*guide = *program ? guide_of(*program, x, false, error) : NULL;
	if (!*guide) {
		program_free(*program);
		*program = NULL;
	}
	return *guide;
}

static struct program *make(
	struct parametric *l, const struct extents *x, bool lenient, struct doubts *doubts, struct error *error)
{
	size_t holes = holes_in(l->bytes);
	size_t runs = l->runs.length;
	struct deciding d = {.learned = l, .there = x, .lenient = lenient, .doubts = doubts, .error = error};
	bool good = true;
	for (size_t r = 0; r < runs && good; r++) {
		good = l->guide[r] || read_at(l, &l->run[r], &l->program[r], &l->guide[r], error);
		d.program[r] = l->program[r];
		d.guide[r] = l->guide[r];
	}
	good = good && read_at(l, x, &d.program[runs], &d.guide[runs], error) && all_decided(&d);
	if (good)
		tell_what_is_not_shown(d.guide, runs, &doubts->not_shown);
	struct program *made = d.program[runs];
	guide_free(d.guide[runs]);
	if (!good) {
		program_free(made);
		return NULL;
	}
	program_drop_idle(made, NULL);
	if (d.left_out)
		text_format(&doubts->not_shown, "%zu sizes are not decided, and are left out\n", d.left_out);
	if (holes)
		text_format(&doubts->not_shown,
			"%zu sizes follow the data, not the number of processes, and are left out: 'check "
			"--values none' proves the rest\n",
			holes);
	return made;
}

/* ------------------------------------------------------------------ in public */

struct parametric *parametric_read(const char *name, const char *bytes, size_t length, struct error *error)
{
	struct parametric *l = mem_zero(sizeof *l);
	l->name = name;
	l->bytes = bytes;
	l->length = length;
	l->numbers = intern_new();
	l->tables = intern_new();
	l->sets = intern_new();
	if (read_header(l, bytes, length, error))
		return l;
	parametric_free(l);
	return NULL;
}

void parametric_free(struct parametric *l)
{
	if (!l)
		return;
	for (size_t r = 0; r < l->runs.length; r++) {
		guide_free(l->guide[r]);
		program_free(l->program[r]);
	}
	for (uint32_t i = 0; i < intern_count(l->numbers); i++) {
		free(l->explained[i].formula);
		free(l->explained[i].rival);
	}
	for (uint32_t i = 0; i < intern_count(l->tables); i++)
		free(l->lawful[i].law);
	for (uint32_t i = 0; i < intern_count(l->sets); i++)
		free(l->conditioned[i].condition);
	intern_free(l->numbers);
	intern_free(l->tables);
	intern_free(l->sets);
	free(l->conditioned);
	free(l->lawful);
	free(l->explained);
	free(l);
}

const struct learned_runs *parametric_runs(const struct parametric *l)
{
	return &l->runs;
}

bool parametric_extents(const struct parametric *l, const struct extents *asked, struct extents *x, struct error *error)
{
	return settle_parameters(l, asked, x, error) && settle_grid(l, asked, x, error);
}

struct program *parametric_instance(
	struct parametric *l, const struct extents *asked, bool lenient, struct doubts *doubts, struct error *error)
{
	struct extents x;
	if (!parametric_extents(l, asked, &x, error) || !check_varied(l, &x, &doubts->not_shown, error))
		return NULL;
	bool learned = false; /* then it was made of the text and compared */
	for (size_t r = 0; r < l->runs.length; r++)
		learned |= extents_same(&x, &l->run[r]) && !memcmp(&x.grid, &l->run[r].grid, sizeof x.grid);
	if (!learned)
		doubts_about(doubts, &l->runs, x.processes);
	for (size_t r = 0; r < l->runs.length && !learned; r++)
		if (!l->proven[r])
			ranks_add(&doubts->unproven, l->run[r].processes);
	return make(l, &x, lenient, doubts, error);
}

/* Along each axis of a sample: a border on both sides, and two between. */
#define SAMPLE_EXTENT 4
#define SAMPLE_PROCESSES 8

struct program *parametric_sample(struct parametric *l, struct doubts *doubts, struct error *error)
{
	struct extents x = l->run[0];
	size_t largest = 0;
	for (uint32_t i = 0; i < x.grid.axes; i++) {
		bool same = true;
		for (size_t r = 1; r < l->runs.length; r++)
			same &= l->run[r].grid.size[i] == x.grid.size[i];
		x.grid.size[i] = same ? x.grid.size[i] : SAMPLE_EXTENT;
	}
	x.processes = x.grid.axes ? (uint32_t)grid_ranks(&x.grid) : SAMPLE_PROCESSES;
	struct program *p = parametric_instance(l, &x, true, doubts, error);
	for (size_t r = 1; r < l->runs.length; r++)
		largest = l->run[r].processes > l->run[largest].processes ? r : largest;
	if (!p) {
		doubts_clear(doubts);
		p = parametric_instance(l, &l->run[largest], true, doubts, error);
	}
	return p;
}

struct program *parametric_at(const struct parametric *l, const struct extents *x, size_t **origin, struct error *error)
{
	struct program *p = program_parse_at(l->name, l->bytes, l->length, x, error);
	if (p)
		program_drop_idle(p, origin);
	return p;
}

bool instantiable(const char *name, const char *bytes, size_t length, struct error *error)
{
	struct parametric *l = parametric_read(name, bytes, length, error);
	bool good = l;
	for (size_t r = 0; l && r < l->runs.length && good; r++)
		good = read_at(l, &l->run[r], &l->program[r], &l->guide[r], error);
	parametric_free(l);
	return good;
}

struct program *instantiate(const char *name, const char *bytes, size_t length, const struct extents *asked,
	bool lenient, struct doubts *doubts, struct error *error)
{
	struct parametric *l = parametric_read(name, bytes, length, error);
	struct program *made = l ? parametric_instance(l, asked, lenient, doubts, error) : NULL;
	parametric_free(l);
	return made;
}
