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
#include "model/module_address.h"
#include "model/module_read.h"
#include "sizes/at_extents.h"
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

/* What explains the runs, found once. */
struct memo {
	struct intern *keys;
	struct found {
		union {
			struct formula *formula;
			struct coordinate_law *law;
			struct condition_of_ranks *condition;
		};
		struct formula *rival;
		size_t length, rivals;
	} * found;
	size_t capacity;
};

struct parametric {
	const char *name;
	struct extents run[RUNS_MOST];
	struct learned_runs runs;
	struct rule rule[RULES_MOST];
	size_t rules;
	bool proven[RUNS_MOST]; /* by run: the others foretell it */
	const char *bytes;
	size_t length;
	struct module *text; /* as it is read; */
	struct draft *draft; /* ... without calls */
	struct guide *guide; /* of that */
	struct text lines; /* of that, once they were asked for, each behind a NUL */
	const char **line;
	struct environment at[RUNS_MOST]; /* by run */
	struct ranks *who[RUNS_MOST]; /* by run: of each set of the guide; made when the first instance is asked for */
	struct memo numbers, tables, sets; /* by what numbers, or ranks, were by run; by node */
};

/* ------------------------------------------------------------------ the header */

static bool accept_word(const char **at, const char *word)
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
	if (accept_word(&at, "="))
		do {
			at = behind_blanks(at);
			if (x->grid.axes == GRID_AXES || !text_read_number(&at, RANK_LIMIT, &number) || !number)
				return false;
			x->grid.size[x->grid.axes++] = (uint32_t)number;
		} while (accept_word(&at, "*"));
	while (accept_word(&at, ",")) {
		at = behind_blanks(at);
		size_t length = strcspn(at, " =");
		if (x->parameters == EXTENTS_PARAMETERS || !length || length > EXTENTS_NAME)
			return false;
		struct extents_parameter *p = &x->parameter[x->parameters++];
		memcpy(p->name, at, length);
		at += length;
		if (!accept_word(&at, "="))
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

static bool read_text(struct parametric *l, struct error *error)
{
	l->text = module_parse(l->name, l->bytes, l->length, error);
	l->draft = l->text ? draft_of_module(l->text, error) : NULL;
	l->guide = l->draft ? guide_of(l->draft->module, l->run, false, error) : NULL;
	for (size_t r = 0; r < l->runs.length && l->guide; r++)
		l->at[r] = extents_environment(&l->run[r], l->text->store);
	l->runs.store = l->guide ? l->text->store : NULL;
	return l->guide;
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
	const struct extents *there;
	struct environment at;
	struct ranks *who; /* there: of each set */
	struct intern *sets; /* ranks of those that were looked at, in all runs and there */
	bool lenient;
	bool *left_out; /* by slot: a size that is not decided */
	struct doubts *doubts;
	struct error *error;
};

static bool undecided(struct deciding *d, size_t line, const char *what, const char *details)
{
	const struct parametric *l = d->learned;
	struct text text = {0}, address = {0};
	guide_print(l->guide, line, "(a loop)", &text);
	module_address(l->draft->module, line, &address);
	error_set(d->error, ERROR_INCONSISTENT,
		"%s: %s of statement %s is not decided for %" PRIu32 " processes: %s%s\n  %.300s", l->name, what,
		address.data, d->there->processes, details,
		details[0] ? "" : "more than one formula explains the runs; one more run would tell", text.data);
	text_clear(&address);
	text_clear(&text);
	return false;
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
			if (!formula_range(&l->runs, &f[i], &x, &least, &most))
				continue;
			if (least != most || (i && least != first))
				return x.processes;
			first = i ? first : least;
		}
	}
	return 0;
}

/* Borrowed until others are asked for; is_new: nothing is there yet. */
static struct found *found_by(struct memo *m, const void *key, size_t size, bool *is_new)
{
	uint32_t known = intern_count(m->keys), id = intern_id(m->keys, key, size);
	*is_new = id == known;
	m->found = mem_grow(m->found, &m->capacity, id + (size_t)1, sizeof *m->found);
	if (*is_new)
		m->found[id] = (struct found){0};
	return &m->found[id];
}

static void memo_clear(struct memo *m)
{
	for (uint32_t i = 0; i < intern_count(m->keys); i++) {
		free(m->found[i].formula);
		free(m->found[i].rival);
	}
	intern_free(m->keys);
	free(m->found);
}

static const struct found *explain(struct parametric *l, const int64_t *value)
{
	bool is_new;
	struct found *e = found_by(&l->numbers, value, l->runs.length * sizeof *value, &is_new);
	if (is_new) {
		e->length = formulas_of(&l->runs, value, &e->formula);
		e->rivals = rivals_of(&l->runs, value, &e->rival);
	}
	return e;
}

/* value: by run, and then of the instance. What explains the runs as well, and is not this here? */
static void doubt_number(struct deciding *d, size_t line, const int64_t *value, bool of_set)
{
	const struct learned_runs *runs = &d->learned->runs;
	const struct found *e = explain(d->learned, value);
	struct doubts *to = d->doubts;
	int64_t least, most, here = value[runs->length];
	size_t k = 0;
	while (k < e->rivals && (!formula_range(runs, &e->rival[k], d->there, &least, &most) || least == here))
		k++;
	if (k == e->rivals || to->rivals++)
		return;
	module_address(d->learned->draft->module, line, &to->rival.place);
	if (e->length)
		formula_print(runs, e->formula, &to->rival.rule);
	formula_print(runs, &e->rival[k], &to->rival.other);
	to->rival.value = here;
	to->rival.instead = least;
	to->rival.of_set = of_set;
}

/* The same of conditions. */
static uint32_t deciding_run_of_set(
	const struct parametric *l, const struct condition_of_ranks *c, size_t count, const struct extents *there)
{
	uint32_t tells = 0;
	for (struct extents x = before_all(l, there); !tells && next_to_decide(l, DECIDING_SETS_MOST, &x);) {
		struct environment at = extents_environment(&x, l->runs.store);
		for (uint32_t p = 0; p < x.processes && !tells; p++) {
			environment_set(&at, p);
			for (size_t i = 1; i < count && !tells; i++)
				if (condition_holds(&c[i], &at) != condition_holds(&c[0], &at))
					tells = x.processes;
		}
	}
	return tells;
}

/* Of a run; behind all of them, of the instance. */
static struct environment *environment_of(struct deciding *d, size_t run)
{
	return run < d->learned->runs.length ? &d->learned->at[run] : &d->at;
}

static bool number_decided(struct deciding *d, size_t line, node_id number)
{
	const struct learned_runs *runs = &d->learned->runs;
	int64_t value[RUNS_MOST + 1];
	for (size_t r = 0; r <= runs->length; r++)
		value[r] = number_at(environment_of(d, r), number);
	const struct found *e = explain(d->learned, value);
	const struct formula *f = e->formula;
	size_t count = e->length;
	struct text told = {0};
	if (formulas_agree(runs, f, count, d->there, value[runs->length])) {
		doubt_number(d, line, value, false);
		return true;
	}
	for (size_t i = 0; i < count && i < 4; i++) {
		text_put(&told, i ? ", " : "");
		formula_print(runs, &f[i], &told);
	}
	if (count > 4)
		text_format(&told, " and %zu more", count - 4);
	text_put(&told, count ? " explain the runs" : "no formula explains the runs");
	uint32_t tells = deciding_run(d->learned, f, count, d->there);
	if (tells)
		text_format(&told, "; a run of %" PRIu32 " processes would tell", tells);
	undecided(d, line, "a number", told.data);
	text_clear(&told);
	return false;
}

static struct column_of_coordinate entries_of(struct environment *at, node_id table, uint32_t length)
{
	struct column_of_coordinate c = column_new(length);
	for (uint32_t i = 0; i < length; i++)
		c.known[i] = entry_at(at, table, &(int64_t){i}, 1, &c.value[i]);
	return c;
}

/* Of the first process, of the last one, of those between. */
static void doubt_entries(struct deciding *d, size_t line, const struct column_of_coordinate *entries)
{
	int64_t value[RUNS_MOST + 1];
	for (uint32_t at = 0; at < 3; at++) {
		for (size_t r = 0; r <= d->learned->runs.length; r++)
			value[r] = entries[r].value[(uint64_t)(entries[r].length - 1) * at / 2];
		doubt_number(d, line, value, false);
	}
}

static bool table_decided(struct deciding *d, size_t line, node_id table)
{
	const struct learned_runs *runs = &d->learned->runs;
	struct column_of_coordinate entries[RUNS_MOST + 1], *there = &entries[runs->length];
	uint32_t axis = axis_of_table(node_of(runs->store, table));
	bool same = true;
	for (size_t r = 0; r <= runs->length; r++)
		entries[r] = entries_of(
			environment_of(d, r), table, extent_along(r < runs->length ? &runs->run[r] : d->there, axis));
	for (size_t r = 0; r < runs->length; r++)
		same &= entries[r].length == there->length &&
			!memcmp(entries[r].value, there->value, there->length * sizeof *there->value);
	if (!same) {
		bool is_new;
		struct found *l = found_by(&d->learned->tables, &table, sizeof table, &is_new);
		if (is_new)
			l->length = coordinate_laws_of(runs, axis, entries, &l->law);
		same = coordinate_laws_agree(runs, l->law, l->length, axis, d->there, there);
		if (same && l->law->kind == LAW_OF_ONE)
			doubt_entries(d, line, entries);
	}
	for (size_t r = 0; r <= runs->length; r++)
		column_clear(&entries[r]);
	return same || undecided(d, line, "what depends on the process", "");
}

/* All that it looks up and a formula defines. */
static bool tables_decided(struct deciding *d, size_t line, node_id number)
{
	const struct node *n = node_of(d->at.store, number);
	bool good = true;
	if (n->kind == NODE_ENTRY && node_of(d->at.store, n->kid[0])->kids)
		return table_decided(d, line, n->kid[0]);
	for (uint32_t k = 0; k < n->kids && n->looks && good; k++)
		good = tables_decided(d, line, n->kid[k]);
	return good;
}

static bool slot_decided(struct deciding *d, const struct slot *s)
{
	bool good = true;
	for (uint32_t i = 0; i < s->parts.length && good; i++)
		good = !(node_of(d->at.store, s->parts.part[i])->uses[FOR_ALL] & USES_EXTENTS) ||
		       number_decided(d, s->line, s->parts.part[i]);
	return good && tables_decided(d, s->line, s->number);
}

/* Ranks that follow each other in all runs: the first, and the one behind the last, are numbers. An
   empty set ends at 0; where all others end at P, it begins there. */
static void doubt_set(struct deciding *d, size_t line, const struct ranks *set)
{
	size_t runs = d->learned->runs.length;
	int64_t first[RUNS_MOST + 1], end[RUNS_MOST + 1];
	bool from_first = true, to_last = true, empty = false;
	for (size_t r = 0; r <= runs; r++) {
		uint32_t of = environment_of(d, r)->processes;
		if (set[r].length > 1)
			return;
		first[r] = set[r].length ? set[r].run->first : 0;
		end[r] = set[r].length ? set[r].run->last + INT64_C(1) : 0;
		empty |= !set[r].length;
		from_first &= !first[r];
		to_last &= !set[r].length || end[r] == of;
	}
	for (size_t r = 0; r <= runs && empty && to_last; r++)
		first[r] = end[r] ? first[r] : environment_of(d, r)->processes;
	if (!from_first && (!empty || to_last))
		doubt_number(d, line, first, true);
	if (!to_last && (!empty || from_first))
		doubt_number(d, line, end, true);
}

static void add_to_key(const struct ranks *set, struct text *key)
{
	text_add(key, (const char *)&set->length, sizeof set->length);
	text_add(key, (const char *)set->run, set->length * sizeof *set->run);
}

static bool set_decided(struct deciding *d, size_t line)
{
	struct parametric *l = d->learned;
	size_t runs = l->runs.length, number = l->guide->line[line].set;
	struct ranks set[RUNS_MOST + 1];
	struct text key = {0}, told = {0};
	if (number == SIZE_MAX)
		return true;
	for (size_t r = 0; r < runs; r++) {
		set[r] = l->who[r][number];
		add_to_key(&set[r], &key);
	}
	set[runs] = d->who[number];
	bool is_new;
	struct found *c = found_by(&l->sets, key.data, key.length, &is_new);
	if (is_new)
		c->length = conditions_of(&l->runs, set, 0, &c->condition);
	add_to_key(&set[runs], &key);
	uint32_t known = intern_count(d->sets);
	bool seen = intern_id(d->sets, key.data, key.length) < known;
	text_clear(&key);
	if (seen)
		return true;
	if (conditions_agree(&l->runs, c->condition, c->length, d->there, &set[runs])) {
		doubt_set(d, line, set);
		return true;
	}
	uint32_t tells = deciding_run_of_set(l, c->condition, c->length, d->there);
	text_put(&told, "more than one condition explains the runs");
	if (tells)
		text_format(&told, "; a run of %" PRIu32 " processes would tell", tells);
	undecided(d, line, "who executes it", told.data);
	text_clear(&told);
	return false;
}

static bool all_decided(struct deciding *d)
{
	const struct guide *t = d->learned->guide;
	bool good = true;
	for (size_t i = 0; i < t->module->lines && good; i++)
		good = set_decided(d, i);
	for (size_t i = 0; i < t->slots && good; i++) {
		good = slot_decided(d, &t->slot[i]);
		d->left_out[i] = !good && d->lenient && slot_is_size(&t->slot[i]);
		good |= d->left_out[i];
	}
	return good;
}

/* Do all numbers come out at these extents? Then who is in each set. */
static struct ranks *read_at(const struct parametric *l, const struct environment *at, struct error *error)
{
	struct inlined_line wrong;
	uint64_t events;
	if (!module_check(l->text, at, &events, &wrong, error)) {
		module_error_at(l->text, l->name, wrong, error);
		return NULL;
	}
	struct ranks *who = mem_zero((l->guide->sets + 1) * sizeof *who);
	struct environment here = *at;
	for (size_t i = 0; i < l->guide->sets; i++)
		domain_holds(&here, l->guide->set[i].domain, &who[i]);
	return who;
}

static void ranks_free(struct ranks *who, size_t sets)
{
	for (size_t i = 0; who && i < sets; i++)
		ranks_clear(&who[i]);
	free(who);
}

static bool read_runs(struct parametric *l, struct error *error)
{
	bool good = true;
	for (size_t r = 0; r < l->runs.length && good; r++)
		good = l->who[r] || (l->who[r] = read_at(l, &l->at[r], error));
	return good;
}

struct leaving_out {
	const struct guide *guide;
	const bool *slot; /* sizes that are not decided */
};

static node_id leave_out(void *context, size_t line, node_id statement)
{
	const struct leaving_out *x = context;
	struct store *s = x->guide->module->store;
	for (size_t i = x->guide->line[line].first_slot; i < x->guide->line[line + 1].first_slot; i++) {
		const struct node *n = node_of(s, statement);
		if (!x->slot[i])
			continue;
		uint32_t name = x->guide->size_name[x->guide->slot[i].kind - SLOT_SIZES], kids = 0;
		node_id *kid = mem_array(n->kids, sizeof *kid);
		for (uint32_t k = 0; k < n->kids; k++)
			if (k < COLUMNS || node_of(s, n->kid[k])->word != name)
				kid[kids++] = n->kid[k];
		statement = node_make(s, (enum node_kind)n->kind, n->sub, n->word, n->number, kids, kid);
		free(kid);
	}
	return statement;
}

/* Is all of it decided there? left_out: by slot, what is not and may be left out. */
static bool decide(struct parametric *l, const struct extents *x, bool lenient, bool *left_out, struct doubts *doubts,
	struct error *error)
{
	struct deciding d = {.learned = l,
		.there = x,
		.at = extents_environment(x, l->runs.store),
		.sets = intern_new(),
		.lenient = lenient,
		.left_out = left_out,
		.doubts = doubts,
		.error = error};
	bool good = read_runs(l, error) && (d.who = read_at(l, &d.at, error)) && all_decided(&d);
	if (good) {
		const struct ranks *who[RUNS_MOST + 1];
		for (size_t r = 0; r < l->runs.length; r++)
			who[r] = l->who[r];
		who[l->runs.length] = d.who;
		tell_what_is_not_shown(l->guide, &l->runs, who, &d.at, &doubts->not_shown);
	}
	ranks_free(d.who, l->guide->sets);
	intern_free(d.sets);
	return good;
}

static struct draft *make(struct parametric *l, const struct extents *x, bool lenient, struct doubts *doubts,
	size_t **origin, struct error *error)
{
	size_t holes = 0, missing = 0;
	bool *left_out = mem_zero(l->guide->slots + 1);
	struct draft *text = decide(l, x, lenient, left_out, doubts, error) ? draft_copy(l->draft) : NULL, *made = NULL;
	for (const char *at = l->bytes; (at = strstr(at, "=?(")); at++)
		holes++; /* sizes that are not known */
	for (size_t i = 0; i < l->guide->slots && text; i++)
		missing += left_out[i];
	if (text && draft_map(text, leave_out, &(struct leaving_out){l->guide, left_out}))
		made = draft_at(text, x, origin, error);
	draft_free(text);
	free(left_out);
	if (missing && made)
		text_format(&doubts->not_shown, "%zu sizes are not decided, and are left out\n", missing);
	if (holes && made)
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
	l->numbers.keys = intern_new();
	l->tables.keys = intern_new();
	l->sets.keys = intern_new();
	if (read_header(l, bytes, length, error) && read_text(l, error))
		return l;
	parametric_free(l);
	return NULL;
}

void parametric_free(struct parametric *l)
{
	if (!l)
		return;
	for (size_t r = 0; r < l->runs.length; r++)
		ranks_free(l->who[r], l->guide ? l->guide->sets : 0);
	guide_free(l->guide);
	draft_free(l->draft);
	module_free(l->text);
	text_clear(&l->lines);
	free(l->line);
	memo_clear(&l->numbers);
	memo_clear(&l->tables);
	memo_clear(&l->sets);
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

/* The extents that are asked for; what is to be doubted of them. */
static bool settle(const struct parametric *l, const struct extents *asked, struct extents *x, struct doubts *doubts,
	struct error *error)
{
	if (!parametric_extents(l, asked, x, error) || !check_varied(l, x, &doubts->not_shown, error))
		return false;
	bool learned = false; /* then it was made of the text and compared */
	for (size_t r = 0; r < l->runs.length; r++)
		learned |= extents_same(x, &l->run[r]) && !memcmp(&x->grid, &l->run[r].grid, sizeof x->grid);
	if (!learned)
		doubts_about(doubts, &l->runs, x->processes);
	for (size_t r = 0; r < l->runs.length && !learned; r++)
		if (!l->proven[r])
			ranks_add(&doubts->unproven, l->run[r].processes);
	return true;
}

struct draft *parametric_instance(struct parametric *l, const struct extents *asked, bool lenient,
	struct doubts *doubts, size_t **origin, struct error *error)
{
	struct extents x;
	return settle(l, asked, &x, doubts, error) ? make(l, &x, lenient, doubts, origin, error) : NULL;
}

struct run *parametric_run(
	struct parametric *l, const struct extents *asked, struct doubts *doubts, struct error *error)
{
	struct extents x;
	bool *left_out = mem_zero(l->guide->slots + 1);
	bool good = settle(l, asked, &x, doubts, error) && decide(l, &x, false, left_out, doubts, error);
	struct environment at = extents_environment(&x, l->runs.store);
	free(left_out);
	return good ? run_new(l->draft->module, &at) : NULL;
}

/* Along each axis of a sample: a border on both sides, and two between. */
#define SAMPLE_EXTENT 4
#define SAMPLE_PROCESSES 8

struct draft *parametric_sample(struct parametric *l, struct doubts *doubts, size_t **origin, struct error *error)
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
	struct draft *d = parametric_instance(l, &x, true, doubts, origin, error);
	for (size_t r = 1; r < l->runs.length; r++)
		largest = l->run[r].processes > l->run[largest].processes ? r : largest;
	if (!d) {
		doubts_clear(doubts);
		d = parametric_instance(l, &l->run[largest], true, doubts, origin, error);
	}
	return d;
}

struct draft *parametric_at(const struct parametric *l, const struct extents *x, size_t **origin, struct error *error)
{
	struct environment at = extents_environment(x, l->runs.store);
	struct ranks *who = read_at(l, &at, error);
	ranks_free(who, l->guide->sets);
	return who ? draft_at(l->draft, x, origin, error) : NULL;
}

size_t parametric_lines(struct parametric *l, const char *const **line)
{
	const struct module *m = l->draft->module;
	size_t lines = 0;
	*line = l->line;
	if (l->line)
		return m->lines;
	l->line = mem_array(m->lines + 1, sizeof *l->line);
	*line = l->line;
	module_print_text(m, NULL, &l->lines);
	for (char *at = l->lines.data, *end; *at && lines < m->lines; at = end + 1) {
		end = at + strcspn(at, "\n");
		*end = 0;
		const char *words = behind_blanks(at);
		char *comment = strstr(words, " //");
		if (comment)
			*comment = 0;
		if (strncmp(words, "//", 2) != 0 && strcmp(words, "done") != 0)
			l->line[lines++] = words;
	}
	return lines;
}

bool instantiable(const char *name, const char *bytes, size_t length, struct error *error)
{
	struct parametric *l = parametric_read(name, bytes, length, error);
	bool good = l && read_runs(l, error);
	parametric_free(l);
	return good;
}

struct draft *instantiate(const char *name, const char *bytes, size_t length, const struct extents *asked, bool lenient,
	struct doubts *doubts, struct error *error)
{
	struct parametric *l = parametric_read(name, bytes, length, error);
	struct draft *made = l ? parametric_instance(l, asked, lenient, doubts, NULL, error) : NULL;
	parametric_free(l);
	return made;
}
