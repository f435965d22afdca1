/*
 * program_read.c -- a folded program, or a plain model, from its text, one line at a time
 * (doc/tracenest-model.5 has the grammar).
 *
 * Every line becomes a statement at once, so memory is that of the program, whatever the loops'
 * counts, and what is wrong is found at its line. To that end every statement over a set is tried
 * on each of its ranks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/declared_sites.h"
#include "model/extents.h"
#include "model/form_read.h"
#include "model/lines.h"
#include "model/procedures.h"
#include "model/program.h"
#include "model/sets.h"
#include "model/instances.h"

struct open_loop {
	uint64_t line;
	uint64_t count;
	size_t statement;
	uint32_t set; /* of it, or of the nearest loop around it that has one; else STATEMENT_PLAIN */
	char name[INDEX_NAME + 1]; /* of the index; cut if it is long */
	uint64_t events; /* of the body so far, of all processes; saturates */
	enum guard guard; /* it is one: then its condition */
	struct value condition;
};

struct place_of_index {
	size_t statement;
	uint64_t line;
};

/* A table that is used, or defined. */
struct named_table {
	struct table *table; /* the dictionary's */
	uint64_t used, defined; /* lines; 0: not yet */
};

/* A procedure whose lines are being read. */
struct frame {
	const struct frame *caller; /* NULL: it is what stands outside of procedures */
	size_t depth; /* loops around the call */
	struct parameter parameter[PARAMETERS_MOST];
	struct value *value; /* of each parameter */
	size_t parameters;
	struct word table[PARAMETERS_MOST], means[PARAMETERS_MOST]; /* names of tables, without the dollar */
	size_t tables;
};

struct reader {
	struct lines *lines;
	uint64_t line; /* the number of the one at hand */
	struct error *error;
	struct program *folded;
	const struct extents *extents; /* of a parametric text; NULL: it is none */
	bool version_known, processes_known, listing; /* what has been met */
	uint64_t grid_line;
	uint64_t events, events_line; /* the header's "events"; line 0: none */
	struct place_of_index *varying; /* statements that depend on indices, in their order */
	size_t varyings, varying_capacity;
	struct named_table *table;
	size_t tables, table_capacity;
	size_t defining; /* 1 + the table whose text is being read; 0: none */
	struct text numbers; /* its text */
	struct named_guard {
		struct place_of_index place;
		uint32_t around; /* the set of the loop around it, or STATEMENT_PLAIN */
	} * named; /* guards that name a process, in their order */
	size_t names, name_capacity;
	struct place_of_index *inside; /* guards of neighbours that there are */
	size_t insides, inside_capacity;
	struct intern *set_texts; /* sets as they are written */
	uint32_t *set; /* which these are */
	size_t sets, set_capacity;
	const char *comment; /* the last one of the line; NULL: none */
	struct intern *comments; /* of statements, whose `sites` they are until the end */
	struct declared_sites *sites;
	bool declaring;
	struct index_name index[NEST_DEPTH_LIMIT]; /* of the loops that are open */
	struct open_loop loop[NEST_DEPTH_LIMIT + 1]; /* loop[0] is the root */
	size_t depth; /* loops open */
	struct procedures *procedures; /* NULL: the text has had none so far */
	const struct frame *frame; /* NULL: the text has had no calls so far */
};

static bool fail_at(const struct reader *r, uint64_t line)
{
	return error_at(r->error, "%s:%" PRIu64, lines_name(r->lines), line);
}

/* Set the error, with the place of the current line, and return false. */
#define fail(r, ...) (error_set((r)->error, ERROR_INPUT, __VA_ARGS__), fail_at(r, (r)->line), false)

/* ------------------------------------------------------------------ characters and words */

static void skip_blanks(const char **at)
{
	while (is_blank(**at))
		++*at;
}

/* A comment starts at the start of a line or behind white space. */
static bool is_comment(const char *line, const char *at)
{
	return at[0] == '/' && at[1] == '/' && (at == line || is_blank(at[-1]));
}

/* Gives the last comment of the line, or NULL. */
static const char *cut_comment(char *line)
{
	char *first = NULL, *last = NULL;
	for (char *at = line; (at = strchr(at, '/')); at++) {
		if (!is_comment(line, at))
			continue;
		first = first ? first : at;
		last = at;
	}
	if (!first)
		return NULL;
	*first = 0;
	last += 2;
	return last + is_blank(*last);
}

/* Is this the next word? Then step over it. */
static bool accept_word(const char **at, const char *word)
{
	skip_blanks(at);
	if (!line_begins(*at, word))
		return false;
	*at += strlen(word);
	return true;
}

static bool at_end(const char *at)
{
	skip_blanks(&at);
	return !*at;
}

/* ------------------------------------------------------------------ the header */

static bool read_version(struct reader *r, const char *line)
{
	uint64_t version;
	skip_blanks(&line);
	bool comment = line[0] == '/' && line[1] == '/';
	line += comment ? 2 : 0;
	if (!comment || !accept_word(&line, "tracenest"))
		return fail(r, "this is not a model: its first line must be '// tracenest 1' (if it is a trace, run "
			       "'tracenest model' on it first)");
	skip_blanks(&line);
	if (!text_read_number(&line, UINT64_MAX, &version) || !at_end(line))
		return fail(r, "the version of the format must be a number: '// tracenest 1'");
	if (version != 1)
		return fail(r,
			"version %" PRIu64
			" of the model format; this tracenest reads version 1 only: read it with the tracenest "
			"that wrote it, or a newer one",
			version);
	r->version_known = true;
	return true;
}

static bool read_processes(struct reader *r, const char *at)
{
	uint64_t processes;
	skip_blanks(&at);
	const char *shown = at;
	if (r->processes_known)
		return fail(r, "'// processes' stands twice in the header");
	if (!text_read_number(&at, RANK_LIMIT, &processes) || !at_end(at))
		return fail(r, "'// processes' needs a number from 0 to %u, not '%.*s'", RANK_LIMIT, SHOWN, shown);
	r->folded->processes = (uint32_t)processes;
	r->processes_known = true;
	return true;
}

static bool read_events(struct reader *r, const char *at)
{
	skip_blanks(&at);
	const char *shown = at;
	if (r->events_line)
		return fail(r, "'// events' stands twice in the header");
	if (!text_read_number(&at, UINT64_MAX, &r->events) || !at_end(at))
		return fail(r, "'// events' needs a number, not '%.*s'", SHOWN, shown);
	r->events_line = r->line;
	return true;
}

static bool read_grid(struct reader *r, const char *at)
{
	struct grid *grid = &r->folded->grid;
	if (r->grid_line)
		return fail(r, "'// grid' stands twice in the header");
	r->grid_line = r->line;
	for (; !at_end(at); grid->axes++) {
		uint64_t size;
		skip_blanks(&at);
		const char *shown = at;
		if (grid->axes == GRID_AXES)
			return fail(r, "a grid has at most %d sizes", GRID_AXES);
		if (!text_read_number(&at, RANK_LIMIT, &size) || !size || (*at && !is_blank(*at)))
			return fail(r, "the sizes of a grid are numbers from 1 to %u, not '%.*s'", RANK_LIMIT, SHOWN,
				shown);
		grid->size[grid->axes] = (uint32_t)size;
	}
	return grid->axes >= 2 || fail(r, "a grid has at least 2 sizes: '// grid NX NY'");
}

static bool read_omissions(struct reader *r, const char *at)
{
	if (r->folded->notes.omissions)
		return fail(r, "'// omits' stands twice in the header");
	skip_blanks(&at);
	return notes_read_omissions(&r->folded->notes, at) ||
	       fail(r, "'// omits' needs calls and how many, as in '// omits 40 MPI_Put, 5 MPI_Get', not '%.*s'", SHOWN,
		       at);
}

/* at: behind the slashes. Comments that say nothing to us are for people. */
static bool read_header_line(struct reader *r, const char *at)
{
	const char *word = at;
	if (accept_word(&word, "parametric") && at_end(word))
		return r->extents ||
		       fail(r, "this is a program for every number of processes: make the model of one, as in "
			       "'tracenest instantiate APP -D P=64'");
	if (r->extents && (accept_word(&word, "processes") || accept_word(&word, "grid")))
		return true;
	if (accept_word(&at, "processes"))
		return read_processes(r, at);
	if (accept_word(&at, "events"))
		return read_events(r, at);
	if (accept_word(&at, "grid"))
		return read_grid(r, at);
	if (accept_word(&at, "omits"))
		return read_omissions(r, at);
	if (accept_word(&at, "note"))
		notes_add(&r->folded->notes, at);
	return true;
}

/* ------------------------------------------------------------------ the listing */

/* Count events of a construct that starts at `line` to the open body. */
static bool add_events(struct reader *r, uint64_t events, uint64_t line)
{
	uint64_t *sum = &r->loop[r->depth].events;
	if (__builtin_add_overflow(*sum, events, sum))
		*sum = UINT64_MAX;
	if (r->depth || *sum < MODEL_EVENTS_LIMIT || r->varyings)
		return true;
	error_set(r->error, ERROR_INPUT, "the model stands for 2^63 events or more");
	return fail_at(r, line);
}

/* May the loops around execute this? */
static bool check_covered(struct reader *r, const struct ranks *who)
{
	uint32_t set = r->loop[r->depth].set;
	if (set == STATEMENT_PLAIN)
		return true;
	struct ranks around = dictionary_get_ranks(r->folded->dictionary, set);
	if (ranks_within(who, &around))
		return true;
	struct ranks beyond = {0};
	ranks_subtract(&beyond, who, &around);
	uint32_t first = beyond.run->first;
	ranks_clear(&beyond);
	return fail(r, "process %" PRIu32 " executes this statement, but not the loop around it", first);
}

static bool check_last(struct reader *r, const struct ranks *who, const char *what)
{
	uint32_t last = who->length ? who->run[who->length - 1].last : 0;
	if (last < r->folded->processes || !who->length)
		return true;
	return fail(r, "%s of rank %" PRIu32 ", but the header says %" PRIu32 " processes", what, last,
		r->folded->processes);
}

/* ------------------------------------------------------------------ tables */

static struct named_table *find_table(struct reader *r, const char *name, size_t length)
{
	for (size_t i = 0; i < r->tables; i++)
		if (strlen(table_name(r->table[i].table)) == length &&
			!memcmp(table_name(r->table[i].table), name, length))
			return &r->table[i];
	return NULL;
}

/* Tables are used before they are defined. */
static struct named_table *know_table(
	struct reader *r, const char *name, size_t length, uint32_t arguments, struct error *error)
{
	struct named_table *known = find_table(r, name, length);
	if (known && table_arguments(known->table) != arguments) {
		error_set(error, ERROR_INPUT,
			"table $%s has %" PRIu32 " argument%s here, but %" PRIu32 " in line %" PRIu64,
			table_name(known->table), arguments, arguments == 1 ? "" : "s", table_arguments(known->table),
			known->used ? known->used : known->defined);
		return NULL;
	}
	if (known)
		return known;
	struct text words = {0};
	text_add(&words, name, length);
	r->table = mem_grow(r->table, &r->table_capacity, r->tables + 1, sizeof *r->table);
	r->table[r->tables] = (struct named_table){.table = table_new(words.data, arguments)};
	dictionary_add_table(r->folded->dictionary, r->table[r->tables].table);
	text_clear(&words);
	return &r->table[r->tables++];
}

/* A table that is a parameter is that of the call. */
static struct word table_meant(const struct frame *f, struct word name)
{
	for (size_t i = 0; f && i < f->tables; i++)
		if (f->table[i].length == name.length && !memcmp(f->table[i].start, name.start, name.length))
			return f->means[i];
	return name;
}

static const struct table *used_table(
	void *context, const char *name, size_t length, uint32_t arguments, struct error *error)
{
	struct reader *r = context;
	struct word meant = table_meant(r->frame, (struct word){name, length});
	struct named_table *t = know_table(r, meant.start, meant.length, arguments, error);
	if (!t)
		return NULL;
	t->used = t->used ? t->used : r->line;
	return t->table;
}

static bool end_definition(struct reader *r)
{
	if (!r->defining)
		return true;
	struct named_table *t = &r->table[r->defining - 1];
	r->defining = 0;
	text_add(&r->numbers, "", 0);
	if (table_parse(t->table, r->numbers.data, r->error))
		return true;
	return fail_at(r, t->defined);
}

static void add_numbers(struct reader *r, const char *at)
{
	text_put(&r->numbers, at);
	text_char(&r->numbers, ' ');
}

static bool begin_definition(struct reader *r, const char *at)
{
	const char *name = at + 1, *end = name;
	uint32_t arguments = 1;
	while (is_letter(*end) || is_digit(*end))
		end++;
	if (end == name || *end != '[')
		return fail(r, "a table is defined as '$NAME[ARGUMENT] = NUMBERS', not '%.*s'", SHOWN, at);
	for (at = end; *at != ']'; at++)
		arguments += *at == ',';
	if (arguments > TABLE_ARGUMENTS)
		return fail(r, "a table has at most %d arguments", TABLE_ARGUMENTS);
	if (!end_definition(r))
		return false;
	struct named_table *t = know_table(r, name, (size_t)(end - name), arguments, r->error);
	if (!t)
		return fail_at(r, r->line);
	if (t->defined)
		return fail(r, "table $%s is defined in line %" PRIu64 " already", table_name(t->table), t->defined);
	t->defined = r->line;
	r->defining = 1 + (size_t)(t - r->table);
	text_truncate(&r->numbers, 0);
	const char *definition = strchr(at, '=') + 1;
	if (r->extents && extents_is_formula(definition))
		return extents_table(r->extents, end + 1, definition, &r->numbers, r->error) || fail_at(r, r->line);
	add_numbers(r, definition);
	return true;
}

/* All that are used must be defined; those that are not used are nobody's. */
static bool check_tables(struct reader *r)
{
	if (!end_definition(r))
		return false;
	for (size_t i = 0; i < r->tables; i++) {
		if (r->table[i].defined)
			continue;
		error_set(r->error, ERROR_INPUT, "there is no table $%s: '$%s[...] = ...' is missing at the end",
			table_name(r->table[i].table), table_name(r->table[i].table));
		return fail_at(r, r->table[i].used);
	}
	return true;
}

/* Conditions that are entries of tables, when these are known. */
static void settle_flags(struct program *p)
{
	for (size_t i = 0; i < p->length; i++) {
		if (statement_guard(&p->statement[i]) != GUARD_IF)
			continue;
		struct value condition = program_bound(p, &p->statement[i]);
		if (!value_is_flag(&condition))
			continue;
		condition.test = TEST_NONE;
		program_set_count(p, &p->statement[i], &condition);
	}
}

/* ------------------------------------------------------------------ statements */

static struct scope scope_of(struct reader *r)
{
	const struct frame *f = r->frame;
	return (struct scope){.grid = &r->folded->grid,
		.index = r->index,
		.depth = r->depth,
		.hidden = f ? f->depth : 0,
		.parameter = f ? f->parameter : NULL,
		.parameters = f ? f->parameters : 0,
		.table = used_table,
		.context = r};
}

/* What the statement added last stands for is checked when all is read. */
static void note_varying(struct reader *r)
{
	size_t statement = r->folded->length - 1;
	*MEM_PUSH(r->varying, r->varyings, r->varying_capacity) = (struct place_of_index){statement, r->line};
}

/* The statement added last may depend on indices; what it stands for is checked when all is
   read. */
static void note_indices(struct reader *r)
{
	size_t statement = r->folded->length - 1;
	const struct statement *s = &r->folded->statement[statement];
	if (program_indices(r->folded, s) || (statement_is_loop(s) && s->bound != BOUND_NONE))
		note_varying(r);
}

static bool read_plain_event(struct reader *r, const char *line)
{
	uint32_t event;
	struct form form = {0};
	struct scope scope = scope_of(r);
	bool braces = strchr(line, '{') || strchr(line, '$');
	if (!(braces ? plain_event_parse(r->folded, &scope, line, &event, &form, r->error)
		     : event_parse(r->folded->dictionary, line, true, &event, r->error)))
		return fail_at(r, r->line);
	struct ranks_run single;
	struct ranks processes = event_processes(r->folded->dictionary, event, &single);
	if (!check_last(r, &processes, "an event") || !check_covered(r, &processes))
		return false;
	if (form_indices(&form))
		program_add_alone(
			r->folded, dictionary_ranks(r->folded->dictionary, &processes), program_form(r->folded, &form));
	else
		program_add(r->folded, STATEMENT_PLAIN, event);
	note_indices(r);
	return add_events(r, ranks_count(&processes), r->line);
}

/* What is the same for all indices; 0 stands for the rest, which is checked when all loops are
   known. */
static void without_indices(struct form *form)
{
	if (value_indices(&form->value))
		form->value = value_of(0);
	if (value_indices(&form->communicator))
		form->communicator = value_of(0);
	uint32_t peer = place_indices(&form->peer);
	bool around = (form->peer.kind == PLACE_GRID || form->peer.kind == PLACE_RING) && !(peer & INDEX_TABLE);
	if (peer && !around)
		form->peer = place_of(PLACE_NUMBER, 0);
}

static bool read_folded_event(struct reader *r, uint32_t set, const char *line)
{
	struct form form;
	struct scope scope = scope_of(r);
	if (!form_parse(r->folded, &scope, set, line, &form, r->error))
		return fail_at(r, r->line);
	struct ranks who = dictionary_get_ranks(r->folded->dictionary, set);
	program_add(r->folded, set, program_form(r->folded, &form));
	note_indices(r);
	without_indices(&form);
	if (!program_check(r->folded, &form, &who, r->error))
		return fail_at(r, r->line);
	return add_events(r, ranks_count(&who), r->line);
}

/* {i0-1}, {$deg[p]-1} */
static bool read_affine_bound(struct reader *r, const char **at, struct value *bound)
{
	struct scope scope = scope_of(r);
	return value_parse(bound, &scope, at, r->error) || fail_at(r, r->line);
}

static bool read_number_bound(struct reader *r, const char **at, int64_t *bound)
{
	skip_blanks(at);
	if (**at == '{')
		return fail(r, "the lower bound of a loop must be a number");
	const char *start = *at;
	bool negative = *start == '-';
	*at += negative;
	uint64_t magnitude;
	if (!is_digit(**at))
		return fail(r, "the bounds of a loop must be numbers, not '%.*s'", SHOWN, start);
	if (!text_read_number(at, (uint64_t)INT64_MAX + negative, &magnitude))
		return fail(r, "the bound '%.*s' is not a number of 64 bits without leading zeros", SHOWN, start);
	*bound = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return true;
}

static bool read_bound(struct reader *r, const char **at, struct value *bound)
{
	*bound = value_of(0);
	skip_blanks(at);
	return value_begins(*at) ? read_affine_bound(r, at, bound) : read_number_bound(r, at, &bound->plain.constant);
}

static bool count_iterations(struct reader *r, int64_t low, int64_t high, uint64_t *count)
{
	int64_t length;
	if (__builtin_sub_overflow(high, low, &length) || __builtin_add_overflow(length, 1, &length))
		return fail(r, "the loop from %" PRId64 " to %" PRId64 " has more iterations than 64 bits can count",
			low, high);
	if (length < 0)
		return fail(r,
			"the loop from %" PRId64 " to %" PRId64 " runs backwards (%" PRId64 " to %" PRId64
			" would be no iterations)",
			low, high, low, low - 1);
	*count = (uint64_t)length;
	return true;
}

static bool read_index(const char **at, char *name)
{
	size_t length = 0;
	skip_blanks(at);
	if (!is_letter(**at))
		return false;
	for (; is_letter(**at) || is_digit(**at); ++*at)
		if (length < INDEX_NAME)
			name[length++] = **at;
	name[length] = 0;
	skip_blanks(at);
	bool assigned = **at == '=';
	*at += assigned;
	return assigned;
}

/* The count of a loop that starts at `low`. */
static bool read_bounds(struct reader *r, const char *at, int64_t *low, struct value *count)
{
	if (!read_number_bound(r, &at, low))
		return false;
	if (!accept_word(&at, "to"))
		return fail(r, "'to' is missing: a loop is 'for INDEX = FIRST to LAST'");
	if (!read_bound(r, &at, count))
		return false;
	if (!at_end(at))
		return fail(r, "'%.*s' is too much behind a loop's bounds", SHOWN, at);
	int64_t *constant = &count->plain.constant;
	if (!value_indices(count) && value_is_uniform(count)) {
		uint64_t iterations;
		int64_t high = value_at(count, &(struct spot){0});
		bool good = count_iterations(r, *low, high, &iterations);
		*count = value_of(good ? (int64_t)iterations : 0);
		return good;
	}
	return !__builtin_sub_overflow(*constant, *low, constant) && !__builtin_add_overflow(*constant, 1, constant)
		       ? true
		       : fail(r, "the bounds are too far apart");
}

/* ------------------------------------------------------------------ sites */

/* Before a comment, because the same words may mean something else behind a loop. */
enum { OF_EVENT = 'e', OF_LOOP = 'l' };

/* What the comment behind a statement says is known when all sites are declared. Positions say
   nothing of them. */
static void note_comment(struct reader *r, size_t statement)
{
	if (!r->comment || strchr("@#", *r->comment))
		return;
	size_t length = strlen(r->comment);
	while (length && is_blank(r->comment[length - 1]))
		length--;
	struct text comment = {0};
	text_char(&comment, statement_is_loop(&r->folded->statement[statement]) ? OF_LOOP : OF_EVENT);
	text_add(&comment, r->comment, length);
	r->folded->statement[statement].sites = 1 + intern_id(r->comments, comment.data, comment.length);
	text_clear(&comment);
}

/* at: behind the slashes of a line that is a comment, behind the first statement. */
static void read_declared(struct reader *r, const char *at)
{
	const char *word = at;
	if (accept_word(&word, "sites") && at_end(word))
		r->declaring = true;
	else if (accept_word(&word, "tables") && at_end(word))
		r->declaring = false;
	else if (r->declaring)
		declared_sites_line(r->sites, at);
}

static void name_sites(struct reader *r)
{
	struct program *p = r->folded;
	uint32_t comments = intern_count(r->comments);
	uint32_t *sites = mem_array(comments + 1, sizeof *sites);
	sites[0] = SITES_NONE;
	for (uint32_t i = 0; i < comments; i++) {
		const char *comment = intern_data(r->comments, i, NULL);
		sites[i + 1] = declared_sites_find(r->sites, comment + 1, *comment == OF_LOOP);
	}
	for (size_t i = 0; i < p->length; i++)
		p->statement[i].sites = sites[p->statement[i].sites];
	free(sites);
}

/* ------------------------------------------------------------------ loops */

static void open_loop(struct reader *r, uint32_t set, const char *name, int64_t low, const struct value *count)
{
	uint32_t around = r->loop[r->depth].set;
	struct open_loop *loop = &r->loop[++r->depth];
	size_t statement = program_open_by(r->folded, set, count);
	*loop = (struct open_loop){.line = r->line,
		.count = r->folded->statement[statement].count,
		.statement = statement,
		.set = set == STATEMENT_PLAIN ? around : set};
	strcpy(loop->name, name);
	note_comment(r, statement);
	r->index[r->depth - 1] = (struct index_name){loop->name, strlen(name), low};
}

static bool read_for(struct reader *r, uint32_t set, const char *at)
{
	char name[INDEX_NAME + 1];
	int64_t low;
	struct value count;
	if (!read_index(&at, name))
		return fail(r, "a loop is 'for INDEX = FIRST to LAST'");
	if (!read_bounds(r, at, &low, &count))
		return false;
	if (r->depth == NEST_DEPTH_LIMIT)
		return fail(r, "more than %d loops nested", NEST_DEPTH_LIMIT);
	open_loop(r, set, name, low, &count);
	note_indices(r);
	return true;
}

static void open_guard(struct reader *r, enum guard kind, const struct value *condition)
{
	uint32_t around = r->loop[r->depth].set;
	struct open_loop *loop = &r->loop[++r->depth];
	size_t statement = program_open_guard(r->folded, kind, condition);
	*loop = (struct open_loop){.line = r->line,
		.count = r->folded->statement[statement].count,
		.statement = statement,
		.set = around,
		.guard = kind,
		.condition = *condition};
	r->index[r->depth - 1] = (struct index_name){"", 0, 0};
	note_comment(r, statement);
	note_indices(r);
}

/* Sets are kept by the dictionary. */
static void keep_set(struct reader *r, struct value *condition)
{
	if (condition->test == TEST_AMONG || condition->test == TEST_NOT_AMONG)
		condition->among = dictionary_table(r->folded->dictionary, (struct table *)condition->among);
}

static bool read_if(struct reader *r, const char *at)
{
	struct scope scope = scope_of(r);
	struct value condition;
	skip_blanks(&at);
	if (!condition_parse(&condition, &scope, &at, r->error))
		return fail_at(r, r->line);
	keep_set(r, &condition);
	if (!at_end(at))
		return fail(r, "'%.*s' is too much behind a condition", SHOWN, at);
	if (r->depth == NEST_DEPTH_LIMIT)
		return fail(r, "more than %d loops nested", NEST_DEPTH_LIMIT);
	open_guard(r, GUARD_IF, &condition);
	return true;
}

static bool close_loop(struct reader *r);

/* Loops around the body at hand. */
static size_t base_of(const struct reader *r)
{
	return r->frame ? r->frame->depth : 0;
}

static bool read_else(struct reader *r, const char *at)
{
	struct open_loop loop = r->loop[r->depth];
	if (!at_end(at))
		return fail(r, "'else' must stand alone in its line");
	if (r->depth == base_of(r) || loop.guard != GUARD_IF)
		return fail(r, "'else' without an 'if' before it");
	struct value opposite = value_negated(&loop.condition);
	if (!close_loop(r))
		return false;
	open_guard(r, GUARD_ELSE, &opposite);
	return true;
}

static bool read_done(struct reader *r, const char *at)
{
	if (!at_end(at))
		return fail(r, "'done' must stand alone in its line");
	if (r->depth == base_of(r))
		return fail(r, "'done' without a 'for' before it");
	return close_loop(r);
}

static bool close_loop(struct reader *r)
{
	struct open_loop loop = r->loop[r->depth--];
	program_close(r->folded, loop.statement);
	uint64_t events;
	if (__builtin_mul_overflow(loop.events, loop.count, &events))
		events = UINT64_MAX;
	return add_events(r, events, loop.line);
}

/* -------------------------------------------- annotations: checked for their form, then skipped */

/* The label is the one place where '//' is no comment: no NULL means that it ends here. */
static const char *behind_label(const char *at)
{
	skip_blanks(&at);
	if (*at != '"')
		return NULL;
	at = strchr(at + 1, '"');
	return at ? at + 1 : NULL;
}

/* {0,4,8-11} or {*} */
static bool read_annotated_ranks(struct reader *r, const char **at)
{
	skip_blanks(at);
	if (**at != '{')
		return fail(
			r, "an annotation is 'get \"LABEL\" {RANKS}.ATTRIBUTE ->' (or '<-'): the ranks are missing");
	++*at;
	if (**at == '*') {
		++*at;
	} else {
		struct ranks ranks = {0};
		bool good = ranks_parse(&ranks, at, r->error);
		ranks_clear(&ranks);
		if (!good)
			return fail_at(r, r->line);
	}
	if (**at != '}')
		return fail(r, "'}' is missing behind an annotation's ranks");
	++*at;
	return true;
}

static bool read_attribute_and_arrow(struct reader *r, const char *at)
{
	if (*at != '.' || !is_letter(at[1]))
		return fail(r, "an annotation's ranks are followed by '.ATTRIBUTE', as in {0,1}.time");
	while (*at && !is_blank(*at))
		at++;
	if (!accept_word(&at, "->") && !accept_word(&at, "<-"))
		return fail(r,
			"an annotation ends with '->' (the start of the next construct) or '<-' (the end of the previous one)");
	return at_end(at) || fail(r, "'%.*s' is too much behind an annotation", SHOWN, at);
}

static bool read_get(struct reader *r, const char *at)
{
	at = behind_label(at);
	if (!at)
		return fail(r, "an annotation starts with its label in quotes: get \"LABEL\"");
	return read_annotated_ranks(r, &at) && read_attribute_and_arrow(r, at);
}

/* Cut the comments off a line that may be an annotation. Gives the last of them, or NULL. */
static const char *cut_statement(char *line)
{
	const char *at = line;
	if (accept_word(&at, "get") && behind_label(at))
		return cut_comment(line + (behind_label(at) - line));
	return cut_comment(line);
}

/* ------------------------------------------------------------------ lines */

/* A set as it has not been written so far. */
static bool read_new_set(struct reader *r, const char *at)
{
	struct ranks ranks = {0};
	const char *text = at;
	if (!set_parse(&ranks, &r->folded->grid, r->folded->processes, &at, r->error))
		return fail_at(r, r->line);
	if (!ranks.length && !r->extents)
		return fail(r, "'%.*s' holds of no process", (int)(at - text), text);
	*MEM_PUSH(r->set, r->sets, r->set_capacity) = dictionary_ranks(r->folded->dictionary, &ranks);
	ranks_clear(&ranks);
	return *at == ']' || fail(r, "']' is missing behind a set of ranks, before '%.*s'", SHOWN, at);
}

/* [RANKS] at *at */
static bool read_set(struct reader *r, const char **at, uint32_t *set)
{
	skip_blanks(at);
	++*at;
	size_t length = strcspn(*at, "]");
	uint32_t text = intern_id(r->set_texts, *at, length);
	if (text == r->sets && !read_new_set(r, *at))
		return false;
	*at += length;
	*set = r->set[text];
	struct ranks ranks = dictionary_get_ranks(r->folded->dictionary, *set);
	if (!check_last(r, &ranks, "a statement") || !check_covered(r, &ranks))
		return false;
	++*at;
	return is_blank(**at) || fail(r, "a set of ranks must be followed by a blank and what they execute");
}

/* What stands behind ';' in the line of an event is cut off, and read when the event is. */
static char *cut_attributes(char *line)
{
	char *semicolon = strchr(line, ';');
	if (semicolon)
		*semicolon++ = 0;
	return semicolon;
}

static bool read_attributes(struct reader *r, const char *at)
{
	struct scope scope = scope_of(r);
	struct statement *s = &r->folded->statement[r->folded->length - 1];
	note_comment(r, r->folded->length - 1);
	if (!at)
		return true;
	if (!attributes_parse(r->folded, &scope, at, &s->attributes, r->error))
		return fail_at(r, r->line);
	if (program_attributes_indices(r->folded, s->attributes) & INDEX_TABLE)
		note_varying(r);
	return true;
}

/* Behind a message, not in the words of a local event: cut off. False: it is not there. */
static bool cut_inside(char *line)
{
	static const char *const words[] = {"inside", "where"};
	const char *at = line;
	word_next(&at);
	struct word verb = word_next(&at);
	if (!word_is(verb, "send") && !word_is(verb, "recv"))
		return false;
	char *end = line + strlen(line);
	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(words[i]);
		while (end > line && is_blank(end[-1]))
			end--;
		if ((size_t)(end - line) <= length || memcmp(end - length, words[i], length) != 0 ||
			!is_blank(end[-(ptrdiff_t)length - 1]))
			return false;
		end -= length;
	}
	*end = 0;
	return true;
}

/* Who has such a neighbour is known when the tables are. */
static bool read_inside(struct reader *r, uint32_t set, char *line, const char *attributes)
{
	if (r->depth == NEST_DEPTH_LIMIT)
		return fail(r, "more than %d loops nested", NEST_DEPTH_LIMIT);
	struct value unknown = value_of(0);
	open_guard(r, GUARD_INSIDE, &unknown);
	note_varying(r);
	*MEM_PUSH(r->inside, r->insides, r->inside_capacity) = (struct place_of_index){r->folded->length - 1, r->line};
	if (!read_folded_event(r, set, line))
		return false;
	struct form form = statement_form(r->folded, &r->folded->statement[r->folded->length - 1]);
	uint64_t entries;
	if (!place_stencil(&form.peer, &entries))
		return fail(
			r, "'where inside' asks for a peer by a table of offsets, p+$d[i0] or @(x+$dx[i0],y+$dy[i0])");
	return read_attributes(r, attributes) && close_loop(r);
}

static bool read_event(struct reader *r, uint32_t set, char *line)
{
	const char *attributes = cut_attributes(line);
	if (set != STATEMENT_PLAIN && cut_inside(line))
		return read_inside(r, set, line, attributes);
	return (set == STATEMENT_PLAIN ? read_plain_event(r, line) : read_folded_event(r, set, line)) &&
	       read_attributes(r, attributes);
}

/* [$w[i0]] at *at */
static bool read_name(struct reader *r, const char **at, struct value *name)
{
	struct scope scope = scope_of(r);
	++*at;
	if (!value_parse(name, &scope, at, r->error))
		return fail_at(r, r->line);
	if (!value_is_uniform(name))
		return fail(r, "who executes a statement is a function of indices alone: [$w[i0]]");
	if (**at != ']' || !is_blank((*at)[1]))
		return fail(r, "']' and a blank are expected behind the process that executes a statement");
	++*at;
	return true;
}

/* Who may be named is known when the tables are: until then nobody executes it. */
static bool read_named_event(struct reader *r, char *line)
{
	struct value name;
	const char *attributes = cut_attributes(line), *at = line;
	skip_blanks(&at);
	if (!read_name(r, &at, &name))
		return false;
	const char *word = at;
	if (accept_word(&word, "for"))
		return fail(r, "a loop is executed by a set of ranks, not by a process that is named");
	if (r->depth == NEST_DEPTH_LIMIT)
		return fail(r, "more than %d loops nested", NEST_DEPTH_LIMIT);
	struct value condition = value_naming(&name);
	open_guard(r, GUARD_WHO, &condition);
	r->named = mem_grow(r->named, &r->name_capacity, r->names + 1, sizeof *r->named);
	r->named[r->names++] = (struct named_guard){{r->folded->length - 1, r->line}, r->loop[r->depth].set};
	struct form form;
	struct scope scope = scope_of(r);
	if (!form_parse(r->folded, &scope, STATEMENT_PLAIN, at, &form, r->error))
		return fail_at(r, r->line);
	program_add(
		r->folded, dictionary_ranks(r->folded->dictionary, &(struct ranks){0}), program_form(r->folded, &form));
	note_indices(r);
	return read_attributes(r, attributes) && close_loop(r);
}

static bool read_folded_statement(struct reader *r, char *line)
{
	uint32_t set = STATEMENT_PLAIN;
	const char *at = line, *name = line;
	skip_blanks(&name);
	if (value_begins(name + 1))
		return read_named_event(r, line);
	if (!read_set(r, &at, &set))
		return false;
	return accept_word(&at, "for") ? read_for(r, set, at) : read_event(r, set, line + (at - line));
}

static bool check_grid(struct reader *r)
{
	const struct grid *grid = &r->folded->grid;
	if (!grid->axes || grid_ranks(grid) == r->folded->processes)
		return true;
	error_set(r->error, ERROR_INPUT,
		"the sizes of the grid give %" PRIu64 " processes, but the header says %" PRIu32, grid_ranks(grid),
		r->folded->processes);
	return fail_at(r, r->grid_line);
}

/* ------------------------------------------------------------------ procedures */

static bool read_line(struct reader *r, char *line);

/* The lines of a procedure, or of what is outside of all. */
static bool read_body(struct reader *r, const struct procedure *p)
{
	struct text line = {0};
	bool good = true;
	for (size_t i = 0; i < p->lines && good; i++) {
		text_truncate(&line, 0);
		text_put(&line, p->text.data + p->kept[i].start);
		r->line = p->kept[i].number;
		good = read_line(r, line.data);
	}
	text_clear(&line);
	return good;
}

/* $b, but not $b[i0]+8 */
static bool names_table(struct word argument)
{
	return *argument.start == '$' && !memchr(argument.start, '[', argument.length);
}

static bool read_table_argument(struct reader *r, struct frame *f, struct word parameter, struct word argument)
{
	if (!names_table(argument))
		return fail(
			r, "parameter %.*s is a table, '%.*s' is none", SHOWN_WORD(parameter), SHOWN_WORD(argument));
	f->table[f->tables] = (struct word){parameter.start + 1, parameter.length - 1};
	f->means[f->tables++] = table_meant(r->frame, (struct word){argument.start + 1, argument.length - 1});
	return true;
}

static bool read_argument(struct reader *r, struct frame *f, struct word parameter, struct word argument)
{
	if (*parameter.start == '$')
		return read_table_argument(r, f, parameter, argument);
	if (names_table(argument))
		return fail(
			r, "parameter %.*s is a number, '%.*s' is none", SHOWN_WORD(parameter), SHOWN_WORD(argument));
	struct scope scope = scope_of(r);
	struct value *value = &f->value[f->parameters];
	const char *at = argument.start;
	f->parameter[f->parameters++] =
		(struct parameter){.name = parameter.start, .length = parameter.length, .value = value};
	if (!sum_parse(value, &scope, &at, r->error))
		return fail_at(r, r->line);
	return at == argument.start + argument.length ||
	       fail(r, "an argument is a sum, as 8+2*i0 or 16*4^i0, or a table, as $b; not '%.*s'",
		       SHOWN_WORD(argument));
}

/* What is wrong in a line is wrong at some call of it. */
static void say_called(struct reader *r, uint64_t line)
{
	size_t length = strlen(r->error->message);
	snprintf(r->error->message + length, sizeof r->error->message - length, " (called in line %" PRIu64 ")", line);
}

static bool read_call(struct reader *r, const char *line)
{
	struct called c;
	uint64_t number = r->line;
	struct frame frame = {.caller = r->frame, .depth = r->depth};
	if (!procedure_called(line, &c, r->error))
		return fail_at(r, r->line);
	const struct procedure *p = procedures_find(r->procedures, c.name);
	if (c.arguments != p->parameters)
		return fail(r, "procedure %s has %zu parameter%s, not %zu", p->name, p->parameters,
			p->parameters == 1 ? "" : "s", c.arguments);
	bool inner = frame.caller->caller, good = true;
	frame.value = mem_array(p->parameters, sizeof *frame.value);
	for (size_t i = 0; i < p->parameters && good; i++)
		good = read_argument(r, &frame, p->parameter[i], c.argument[i]);
	if (!good) {
		free(frame.value);
		return false;
	}
	r->frame = &frame;
	size_t call = program_calls_begin(
		&r->folded->calls, program_calls_name(&r->folded->calls, p->name), r->folded->length);
	good = read_body(r, p);
	program_calls_end(&r->folded->calls, call, r->folded->length);
	r->frame = frame.caller;
	free(frame.value);
	if (!good && !inner)
		say_called(r, number);
	r->line = number;
	return good;
}

/* The first line that calls or defines a procedure: from here on they are put aside, up to the
   tables. */
static bool read_procedures(struct reader *r, const char *line)
{
	char *behind;
	struct frame outside = {0};
	r->procedures = procedures_collect(r->lines, line, r->depth, &behind, r->error);
	r->frame = &outside;
	bool good = r->procedures && read_body(r, procedures_main(r->procedures));
	r->frame = NULL;
	r->line = lines_number(r->lines);
	return good && (!behind || read_line(r, behind));
}

static bool read_statement(struct reader *r, char *line)
{
	if (!r->processes_known)
		return fail(r, "the header must give the number of processes before the listing: '// processes 16'");
	if (!r->listing && !check_grid(r))
		return false;
	r->listing = true;
	const char *at = line;
	skip_blanks(&at);
	if (procedure_calls(at) || procedure_defines(at)) {
		if (r->frame)
			return read_call(r, at);
		return r->procedures || r->defining ? fail(r, "procedures and calls stand before tables")
						    : read_procedures(r, at);
	}
	if (table_is_begun(at))
		return r->depth ? fail(r, "a table is defined at the end, behind all loops") : begin_definition(r, at);
	if (r->defining) {
		add_numbers(r, at);
		return true;
	}
	if (accept_word(&at, "if"))
		return read_if(r, at);
	if (accept_word(&at, "else"))
		return read_else(r, at);
	if (accept_word(&at, "for"))
		return read_for(r, STATEMENT_PLAIN, at);
	if (accept_word(&at, "done"))
		return read_done(r, at);
	if (accept_word(&at, "get"))
		return read_get(r, at);
	skip_blanks(&at);
	return *at == '[' ? read_folded_statement(r, line + (at - line)) : read_event(r, STATEMENT_PLAIN, line);
}

static bool read_line(struct reader *r, char *line)
{
	const char *start = line;
	skip_blanks(&start);
	if (!*start)
		return true;
	if (!r->version_known)
		return read_version(r, line);
	if (start[0] == '/' && start[1] == '/') {
		if (!r->listing)
			return read_header_line(r, start + 2);
		read_declared(r, start + 2);
		return true;
	}
	r->comment = cut_statement(line);
	if (!r->extents)
		return read_statement(r, line);
	struct text numbered = {0};
	extents_drop_holes(line);
	bool good = extents_fold(r->extents, line, &numbered, r->error);
	good = good ? read_statement(r, numbered.data) : fail_at(r, r->line);
	while (good && r->folded->lines < r->folded->length) /* what is called has those of the procedure */
		*MEM_PUSH(r->folded->line, r->folded->lines, r->folded->line_capacity) = mem_text(line);
	text_clear(&numbered);
	return good;
}

static uint64_t line_of_statement(const struct reader *r, size_t statement)
{
	size_t i = 0;
	while (i + 1 < r->varyings && r->varying[i + 1].statement <= statement)
		i++;
	return r->varying[i].line;
}

static bool is_around(struct reader *r, const struct ranks *around, const struct ranks *who)
{
	return !around || ranks_within(who, around) ||
	       error_set(r->error, ERROR_INPUT, "a process that does not execute the loop around is named here");
}

/* Guards of neighbours that there are, when offsets are known. */
static bool settle_insides(struct reader *r)
{
	struct program *p = r->folded;
	for (size_t i = 0; i < r->insides; i++) {
		struct statement *guard = &p->statement[r->inside[i].statement];
		struct form form = statement_form(p, guard + 1);
		struct value condition;
		if (!program_inside(p, &form.peer, &condition)) {
			error_set(r->error, ERROR_INPUT, "processes and offsets together are more than %llu",
				(unsigned long long)TABLE_LIMIT);
			return fail_at(r, r->inside[i].line);
		}
		program_set_count(p, guard, &condition);
	}
	return true;
}

/* Those whom the names may mean: all that the table has. */
static bool name_processes(struct reader *r)
{
	for (size_t i = 0; i < r->names; i++) {
		size_t guard = r->named[i].place.statement;
		struct ranks who = {0}, set = {0}, *around = NULL;
		if (r->named[i].around != STATEMENT_PLAIN) {
			set = dictionary_get_ranks(r->folded->dictionary, r->named[i].around);
			around = &set;
		}
		bool good = program_namable(r->folded, guard, around, &who, r->error);
		struct statement *event = &r->folded->statement[guard + 1];
		event->set = dictionary_ranks(r->folded->dictionary, &who);
		struct form form = program_get_form(r->folded, event->event);
		without_indices(&form);
		good = good && program_check(r->folded, &form, &who, r->error) && is_around(r, around, &who);
		ranks_clear(&who);
		if (!good)
			return fail_at(r, r->named[i].place.line);
	}
	return true;
}

/* Where statements advance, events are counted and events are checked when all loops are known. */
static bool check_instances(struct reader *r)
{
	struct instances_error wrong;
	if (!r->varyings)
		return true;
	if (!instances_check(r->folded, &wrong) || !instances_events(r->folded, &r->loop->events, &wrong)) {
		error_set(r->error, ERROR_INPUT, "%s", wrong.what);
		return fail_at(r, line_of_statement(r, wrong.statement));
	}
	if (r->loop->events < MODEL_EVENTS_LIMIT)
		return true;
	error_set(r->error, ERROR_INPUT, "the model stands for 2^63 events or more");
	return fail_at(r, r->varying->line);
}

static bool check_end(struct reader *r)
{
	if (!r->version_known)
		return error_set(r->error, ERROR_INPUT, "%s: the file is empty: a model starts with '// tracenest 1'",
			lines_name(r->lines));
	if (!r->processes_known)
		return fail(r, "the file ends without '// processes N'");
	if (!r->listing && !check_grid(r))
		return false;
	if (r->depth) {
		error_set(r->error, ERROR_INPUT, "'for' is not closed by a 'done'");
		return fail_at(r, r->loop[r->depth].line);
	}
	if (!check_tables(r))
		return false;
	settle_flags(r->folded);
	if (!settle_insides(r) || !name_processes(r) || !check_instances(r))
		return false;
	name_sites(r);
	if (r->events_line && r->events != r->loop->events) {
		error_set(r->error, ERROR_INCONSISTENT,
			"the header says %" PRIu64 " events, but the listing stands for %" PRIu64, r->events,
			r->loop->events);
		return fail_at(r, r->events_line);
	}
	return true;
}

static bool read_all(struct reader *r)
{
	for (char *line; (line = lines_next(r->lines, r->error));) {
		r->line = lines_number(r->lines);
		if (!read_line(r, line))
			return false;
	}
	return r->error->kind == ERROR_NONE && check_end(r);
}

/* Takes the lines. */
static struct program *read_folded(struct lines *lines, const struct extents *extents, struct error *error)
{
	struct reader *r = mem_zero(sizeof *r);
	r->lines = lines;
	r->error = error;
	r->extents = extents;
	struct program *folded = r->folded = program_new();
	if (extents) {
		folded->processes = extents->processes;
		folded->grid = extents->grid;
		r->processes_known = true;
	}
	r->loop->set = STATEMENT_PLAIN;
	r->set_texts = intern_new();
	r->comments = intern_new();
	r->sites = declared_sites_new(&folded->places);
	if (!read_all(r)) {
		program_free(folded);
		folded = NULL;
	}
	lines_close(lines);
	free(r->varying);
	free(r->table);
	free(r->named);
	free(r->inside);
	free(r->set);
	intern_free(r->set_texts);
	intern_free(r->comments);
	declared_sites_free(r->sites);
	procedures_free(r->procedures);
	text_clear(&r->numbers);
	free(r);
	return folded;
}

struct program *program_read(const char *path, struct error *error)
{
	struct lines *lines = lines_open(path, TEXT_MODEL, error);
	return lines ? read_folded(lines, NULL, error) : NULL;
}

struct program *program_parse(const char *name, const char *bytes, size_t length, struct error *error)
{
	return read_folded(lines_of(name, bytes, length), NULL, error);
}

struct program *program_parse_at(
	const char *name, const char *bytes, size_t length, const struct extents *extents, struct error *error)
{
	return read_folded(lines_of(name, bytes, length), extents, error);
}
