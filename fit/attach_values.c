/*
 * attach_values.c -- columns become attributes of events, name by name; equal columns of events that
 * are executed alike are fitted once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fit/fit_statement.h"
#include "fit/value_kinds.h"
#include "model/lines.h"
#include "model/module_read.h"

struct attaching {
	struct value_columns *columns;
	struct store *store;
	struct run *run;
	struct dealt_values *dealt;
	bool tables; /* may be made */
	size_t names;
	const char *name[ATTRIBUTES_MOST]; /* in order, */
	uint32_t word[ATTRIBUTES_MOST]; /* words of the store */
	bool lost[ATTRIBUTES_MOST]; /* what an event carries cannot be told */
	struct fit *fit, *by_rank; /* the latter knows no grid: what is for a rank seldom does */
	struct member_sets *sets;
	node_id event; /* at hand */
	struct fit_series *member; /* of the event at hand */
	size_t member_capacity;
};

/* ------------------------------------------------------------------ names in order */

static bool any_value(const struct value_columns *c, const char *name)
{
	for (size_t rank = 0; rank < c->processes; rank++) {
		const struct value_process *p = &c->process[rank];
		uint32_t slot = p->names ? intern_find(p->names, name, strlen(name)) : INTERN_NONE;
		for (uint32_t i = 0; slot != INTERN_NONE && i < intern_count(p->kinds); i++) {
			int64_t number;
			const struct series *column = value_column(&p->source[i], slot);
			if (column && (c->asked || !series_constant(column, &number) || number))
				return true;
		}
	}
	return false;
}

static int by_name(const void *left, const void *right)
{
	const char *a = *(const char *const *)left, *b = *(const char *const *)right;
	bool first = !strcmp(a, "bytes"), second = !strcmp(b, "bytes");
	return first != second ? (first ? -1 : 1) : strcmp(a, b);
}

/* Bytes first, then by the alphabet. Those that nobody carries are left out. */
static void find_names(struct attaching *a)
{
	const struct value_columns *c = a->columns;
	struct intern *names = intern_new();
	size_t count = 0;
	for (size_t rank = 0; rank < c->processes; rank++)
		for (uint32_t slot = 0; c->process[rank].names && slot < intern_count(c->process[rank].names); slot++) {
			const char *name = intern_data(c->process[rank].names, slot, NULL);
			if (slot != SLOT_SITES && slot != SLOT_ENTERED)
				intern_id(names, name, strlen(name));
		}
	const char **name = mem_array(intern_count(names), sizeof *name);
	for (uint32_t i = 0; i < intern_count(names); i++)
		if (any_value(c, intern_data(names, i, NULL)))
			name[count++] = intern_data(names, i, NULL);
	qsort(name, count, sizeof *name, by_name);
	a->names = count < ATTRIBUTES_MOST ? count : ATTRIBUTES_MOST;
	for (size_t k = 0; k < a->names; k++) {
		a->word[k] = store_word(a->store, name[k], strlen(name[k]));
		a->name[k] = store_get_word(a->store, a->word[k]);
	}
	free(name);
	intern_free(names);
}

/* ------------------------------------------------------------------ numbers and words */

/* Also of the last number of a run, that goes around where it does not fit: then it comes by others
   that are none. */
static bool is_plain_number(__int128 number)
{
	return number > ABSENT && number < WORDS;
}

static bool is_of_numbers(const struct series *column)
{
	int64_t number, stride;
	if (series_constant(column, &number))
		return is_plain_number(number);
	struct series_cursor *c = series_read(column);
	bool good = true;
	for (uint64_t run; good && (run = series_run(c, &number, &stride)) > 0;) {
		good = is_plain_number(number) && is_plain_number(number + (__int128)(run - 1) * stride);
		series_skip(c, run);
	}
	series_cursor_free(c);
	return good;
}

static node_id choice_of(struct store *s, const struct value_process *p, int64_t number)
{
	if (number == ABSENT)
		return NODE_NONE;
	return number < WORDS ? number_constant(s, number)
			      : attribute_word(s, intern_data(p->words, (uint32_t)(number - WORDS), NULL));
}

/* What is carried, as the places of choices. */
static struct series *in_choices(
	struct store *s, const struct value_process *p, const struct series *column, struct intern *choices)
{
	struct series *to = series_new();
	int64_t number = ABSENT, before = ABSENT;
	node_id choice = NODE_NONE;
	struct series_cursor *c = column ? series_read(column) : NULL;
	for (bool any = !c; any || (c && series_next(c, &number)); any = false) {
		if (number != before)
			choice = choice_of(s, p, number);
		before = number;
		series_push(to, intern_id(choices, &choice, sizeof choice));
	}
	series_cursor_free(c);
	series_finish(to);
	return to;
}

static node_id node_of_choices(struct store *s, const struct intern *choices)
{
	uint32_t count = intern_count(choices);
	node_id *choice = mem_array(count, sizeof *choice);
	for (uint32_t i = 0; i < count; i++)
		choice[i] = *(const node_id *)intern_data(choices, i, NULL);
	node_id words = node_make(s, NODE_WORDS, 0, 0, 0, count, choice);
	free(choice);
	return words;
}

/* ------------------------------------------------------------------ attributes */

#define TABLE_NAME_LETTERS 31

/* Tables are named by what is in them; sizes, which are most, by their first letters. */
static const char *table_name_of(const char *name)
{
	if (!strcmp(name, "bytes"))
		return "b";
	if (!strcmp(name, "received"))
		return "r";
	size_t letters = name_length(name);
	return is_letter(*name) && !name[letters] && letters <= TABLE_NAME_LETTERS ? name : "t";
}

static node_id fit_numbers(struct attaching *a, size_t line, const char *name, size_t count)
{
	return fit_statement(
		a->fit, a->tables ? FIT_DATA : FIT_FORMULA, a->run, line, a->member, count, table_name_of(name));
}

static node_id fit_words(struct attaching *a, size_t line, const char *name, const struct line_values *values,
	size_t count, node_id *choices)
{
	struct intern *words = intern_new_keys(sizeof(node_id));
	struct series **translated = mem_array(count, sizeof *translated);
	for (size_t i = 0; i < count; i++)
		a->member[i].series = translated[i] =
			in_choices(a->store, values[i].process, a->member[i].series, words);
	node_id number = fit_numbers(a, line, name, count);
	if (number)
		*choices = node_of_choices(a->store, words);
	for (size_t i = 0; i < count; i++)
		series_free(translated[i]);
	free(translated);
	intern_free(words);
	return number;
}

/* The numbers of lists, one behind the other; NULL: something else is carried, too. once: all lists are
   one, which is told once. */
static struct series *in_lists(const struct value_process *p, const struct series *column, bool once)
{
	struct series *to = series_new();
	struct series_cursor *c = series_read(column);
	bool good = true;
	for (int64_t number, one; good && series_next(c, &number);) {
		uint64_t times = 1;
		const char *at = is_plain_number(number) || number == ABSENT
					 ? ""
					 : intern_data(p->words, (uint32_t)(number - WORDS), NULL);
		good = *at || is_plain_number(number);
		if (is_plain_number(number))
			series_push(to, number);
		while (*at && good) {
			good = member_list_next(&at, &one, &times);
			if (good)
				series_push_times(to, one, times);
		}
		if (once)
			break;
	}
	series_cursor_free(c);
	series_finish(to);
	if (good)
		return to;
	series_free(to);
	return NULL;
}

/* How many there are in a group that is the same for all processes; 0: it is not. */
static uint64_t members_of(const struct attaching *a)
{
	const struct node *g = node_of(a->store, node_kid(a->store, a->event, COLUMN_GROUP));
	return g->kind == NODE_ALL     ? run_module(a->run)->processes
	       : g->kind == NODE_RANKS ? ranks_count(store_get_ranks(a->store, (uint32_t)g->number))
				       : 0;
}

/* The one number that all have for each member, always: most MPI_Alltoallv are MPI_Alltoall, and
   what all have for all is not gone through. NODE_NONE: it is not so. */
static node_id fit_even(struct attaching *a, const struct line_values *values, size_t count)
{
	uint64_t members = members_of(a), times = 0;
	int64_t word, number = 0, first = 0;
	bool good = members > 0;
	for (size_t i = 0; i < count && good; i++) {
		const struct series *column = a->member[i].series;
		good = column && series_constant(column, &word) && word >= WORDS;
		const char *at = good ? intern_data(values[i].process->words, (uint32_t)(word - WORDS), NULL) : "";
		good = good && member_list_next(&at, &number, &times) && !*at && times == members &&
		       (!i || number == first);
		first = number;
	}
	return good ? number_constant(a->store, number) : NODE_NONE;
}

static uint64_t entries_of(const struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	uint64_t entries = n->kind == NODE_TABLE ? table_entries(store_get_table(s, (uint32_t)n->number)) : 0;
	for (uint32_t k = 0; k < n->kids && n->looks; k++)
		entries += entries_of(s, n->kid[k]);
	return entries;
}

/* NODE_NONE: it is no function, or there are no lists. */
static node_id fit_lists(struct attaching *a, size_t line, const struct line_values *values, size_t count)
{
	node_id even = fit_even(a, values, count);
	if (even)
		return even;
	struct fit_series *lists = mem_zero((count + 1) * sizeof *lists);
	bool good = true, once = members_of(a) > 0;
	int64_t word;
	for (size_t i = 0; i < count && once; i++)
		once = a->member[i].series && series_constant(a->member[i].series, &word);
	for (size_t i = 0; i < count && good; i++) {
		const struct series *column = a->member[i].series;
		lists[i] =
			(struct fit_series){values[i].rank, column ? in_lists(values[i].process, column, once) : NULL};
		good = lists[i].series;
	}
	node_id number = NODE_NONE;
	for (int k = 0; good && k < 2; k++) {
		node_id found = fit_by_member(k ? a->by_rank : a->fit, a->tables ? FIT_DATA : FIT_FORMULA, a->run,
			a->sets, once, line, lists, count, "b");
		if (!number || (found && entries_of(a->store, found) < entries_of(a->store, number)))
			number = found;
	}
	for (size_t i = 0; i < count; i++)
		series_free((struct series *)(uintptr_t)lists[i].series);
	free(lists);
	return number;
}

static bool carries_any(const struct series *column)
{
	int64_t number;
	return column && !(series_constant(column, &number) && number == ABSENT);
}

/* The attribute of the k-th name; NODE_NONE: no execution carries it, or it is lost. */
static node_id fit_attribute(struct attaching *a, size_t line, size_t k, const struct line_values *values, size_t count)
{
	bool any = false, numbers = true;
	node_id choices = NODE_NONE;
	a->member = mem_grow(a->member, &a->member_capacity, count, sizeof *a->member);
	for (size_t i = 0; i < count; i++) {
		uint32_t slot = intern_find(values[i].process->names, a->name[k], strlen(a->name[k]));
		const struct series *column = slot < values[i].slots ? values[i].column[slot] : NULL;
		a->member[i] = (struct fit_series){values[i].rank, column};
		any = any || carries_any(column);
		numbers = numbers && column && is_of_numbers(column);
	}
	if (!any)
		return NODE_NONE;
	node_id number = attribute_is_by_member(a->name[k]) ? fit_lists(a, line, values, count) : NODE_NONE;
	if (!number)
		number = numbers ? fit_numbers(a, line, a->name[k], count)
				 : fit_words(a, line, a->name[k], values, count, &choices);
	a->lost[k] |= !number;
	return number ? attribute_of(a->store, a->word[k], number, choices) : NODE_NONE;
}

static node_id event_with(struct store *s, const struct node *event, const node_id *attribute, uint32_t count)
{
	node_id kid[COLUMNS + ATTRIBUTES_MOST];
	memcpy(kid, event->kid, COLUMNS * sizeof *kid);
	memcpy(kid + COLUMNS, attribute, count * sizeof *kid);
	return node_make(s, NODE_EVENT, event->sub, event->word, event->number, COLUMNS + count, kid);
}

/* What an event has already is a function of the same numbers (merge/builder.h). */
static node_id attach(void *attaching, size_t line, node_id statement)
{
	struct attaching *a = attaching;
	const struct node *n = node_of(a->store, statement);
	node_id attribute[ATTRIBUTES_MOST];
	uint32_t kept = 0;
	size_t count = 0;
	const struct line_values *values = NULL;
	if (n->kind != NODE_EVENT)
		return statement;
	a->event = statement;
	for (size_t k = 0; k < a->names; k++) {
		node_id own = event_attribute(a->store, n, a->word[k]);
		if (!own && !values)
			values = dealt_values_of(a->dealt, line, &count);
		if (!own)
			own = fit_attribute(a, line, k, values, count);
		if (own)
			attribute[kept++] = own;
	}
	return event_with(a->store, node_of(a->store, statement), attribute, kept);
}

/* A value that some event carries and does not tell would be taken for none: then no event tells
   it. */
static node_id leave_out(void *attaching, size_t line, node_id statement)
{
	const struct attaching *a = attaching;
	const struct node *n = node_of(a->store, statement);
	node_id attribute[ATTRIBUTES_MOST];
	uint32_t kept = 0;
	(void)line;
	if (n->kind != NODE_EVENT)
		return statement;
	for (size_t k = 0; k < a->names; k++) {
		node_id own = event_attribute(a->store, n, a->word[k]);
		if (own && !a->lost[k])
			attribute[kept++] = own;
	}
	return event_with(a->store, n, attribute, kept);
}

static void map_all(struct attaching *a, struct draft *d)
{
	struct text *out = &a->columns->left_out;
	text_truncate(out, 0);
	draft_map(d, attach, a);
	for (size_t k = 0; k < a->names; k++)
		if (a->lost[k])
			text_format(out, "%s%s", out->length ? ", " : "", a->name[k]);
	if (out->length)
		draft_map(d, leave_out, a);
}

bool values_unfit(struct error *error, uint32_t rank)
{
	return error_set(error, ERROR_INTERNAL,
		"what the events of process %" PRIu32 " carry does not fit the program: --values none makes it without",
		rank);
}

bool value_columns_attach(
	struct value_columns *c, struct draft *d, bool tables, struct sites *sites, struct error *error)
{
	struct attaching a = {.columns = c, .store = d->module->store, .tables = tables};
	bool sited = sites && value_columns_have_sites(c);
	for (uint32_t rank = 0; rank < c->processes; rank++)
		if (c->process[rank].unfit)
			return values_unfit(error, rank);
	find_names(&a);
	if (!a.names && !sited)
		return true;
	a.run = run_new(d->module, NULL);
	a.dealt = deal_values(c, a.run, error);
	if (a.dealt && a.names) {
		a.sets = member_sets_new(a.run);
		a.fit = fit_new(a.store, d->module->processes, &d->module->grid);
		a.by_rank = fit_new(a.store, d->module->processes, &(struct grid){0});
		map_all(&a, d);
		fit_free(a.fit);
		fit_free(a.by_rank);
	}
	if (a.dealt && sited)
		locate_values(c, a.dealt, d->module, sites);
	dealt_values_free(a.dealt);
	member_sets_free(a.sets);
	run_free(a.run);
	free(a.member);
	return a.dealt;
}

const char *value_columns_left_out(const struct value_columns *c)
{
	return c->left_out.length ? c->left_out.data : NULL;
}
