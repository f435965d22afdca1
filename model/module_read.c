/*
 * module_read.c -- a module from its text (doc/tracenest-model.5 has the grammar).
 *
 * All lines are put aside first: procedures stand behind their calls, tables behind all else. Then
 * tables are read, and what stands outside of procedures; a procedure is read when it is first
 * called, or met. Statements become a node when the line that closes their body is met. At last the
 * module is checked as a whole (model/module_check.c), for what a number comes to depends on all
 * that is around it.
 *
 * What is wrong is said with its place; a text without anything wrong can be asked everything.
 */
#include "model/module_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/declared_sites.h"

#define SYMBOL_LETTERS 15 /* of a parameter of the problem */

struct kept_line {
	size_t start, comment; /* in the text; 0: no comment */
	uint64_t number;
	bool opens; /* a loop or a guard */
};

/* What stands outside of all procedures, or a procedure. */
struct body {
	enum { NOT_YET, UNDER_WAY, READ } state;
	size_t head, end; /* kept lines: its first one; that behind its last one */
	size_t *line; /* of the module: which is kept as what */
	size_t lines, line_capacity;
	uint64_t called; /* lines with those of what it calls */
	size_t inside; /* calls inside each other */
	node_id node;
};

/* A body, a loop or a guard whose lines are being read. */
enum open_kind { OPEN_BODY, OPEN_LOOP, OPEN_IF, OPEN_ELSE };
struct open {
	enum open_kind kind;
	size_t line, kid; /* kept; its first statement among `kids` */
	node_id who, number; /* of a loop: its last index; of a guard its test */
};

enum header_word { PARAMETRIC, PROCESSES, PARAMETER, EVENTS, GRID, OMITS, NOTE, HEADER_WORDS };

struct text_reader {
	struct reader r;
	struct lines *lines;
	struct module header; /* what is known of the module before it is made */
	bool version_known, listing, sites;
	uint64_t said[HEADER_WORDS], events; /* said: in which line; 0: not there */
	struct text header_text, text; /* of kept lines, each behind a NUL, with that of its comment */
	struct kept_line *line;
	size_t kept, line_capacity, at; /* at: the kept line at hand */
	struct text site; /* lines of the section, each with a NUL */
	struct body *body;
	size_t bodies, body_capacity, current, met; /* met: procedures by the body that is no procedure */
	size_t calling; /* bodies under way */
	struct intern *procedure_names; /* ids are places in body, less one */
	size_t tables; /* kept line of the first one, or behind all */
	struct error in_tables;
	struct open *open;
	size_t opened, floor, open_capacity; /* floor: of the body at hand */
	node_id *kid;
	size_t kids, kid_capacity;
};

bool reader_place(const struct reader *r, const char *at)
{
	size_t column = r->line && at >= r->line && at <= r->line_end ? (size_t)(at - r->line) + 1 : 1;
	return error_at(r->error, "%s:%" PRIu64 ":%zu", r->name, r->number, column);
}

static const char *first_word(const struct reader *r)
{
	return behind_blanks(r->line);
}

/* Is this the next word? Then step over it. */
static bool accept_word(const char **at, const char *word)
{
	const char *start = behind_blanks(*at);
	if (!line_begins(start, word))
		return false;
	*at = start + strlen(word);
	return true;
}

static bool at_end(const char *at)
{
	return !*behind_blanks(at);
}

static bool ends(struct reader *r, const char *at, const char *what)
{
	return at_end(at) || fail(r, at, "'%.*s' is too much behind %s", SHOWN, behind_blanks(at), what);
}

/* ------------------------------------------------------------------ the header */

static void keep_header(struct text_reader *t)
{
	text_put(&t->header_text, t->r.line);
	text_char(&t->header_text, '\n');
}

static bool read_version(struct text_reader *t)
{
	struct reader *r = &t->r;
	const char *at = first_word(r), *start = at;
	uint64_t version = 0;
	if (!accept(&at, "//") || !accept_word(&at, "tracenest"))
		return fail(r, start,
			"this is not a model: its first line must be '// tracenest 1' (if it is a trace, run "
			"'tracenest model' on it first)");
	start = at = behind_blanks(at);
	if (!text_read_number(&at, UINT64_MAX, &version) || !at_end(at) || version != 1)
		return fail(r, start,
			"version '%.*s' of the model format; this tracenest reads version 1 only: read it with the "
			"tracenest that wrote it, or a newer one",
			SHOWN, start);
	keep_header(t);
	return t->version_known = true;
}

/* A number, and nothing behind it. */
static bool read_alone(struct text_reader *t, const char *at, uint64_t limit, uint64_t *number)
{
	const char *start = at;
	return (text_read_number(&at, limit, number) && at_end(at)) ||
	       fail(&t->r, start, "this line of the header needs a number from 0 to %" PRIu64 ", not '%.*s'", limit,
		       SHOWN, start);
}

static bool read_parametric(struct text_reader *t, const char *at)
{
	t->header.parametric = t->header.parametric || at_end(at);
	return true;
}

/* 16; of a parametric text X * Y */
static bool read_processes(struct text_reader *t, const char *at)
{
	struct grid *grid = &t->header.grid;
	uint64_t processes = 0;
	const char *start = at;
	if (!t->header.parametric && !read_alone(t, at, RANK_LIMIT, &processes))
		return false;
	t->header.processes = (uint32_t)processes;
	for (; t->header.parametric && *at; at++)
		grid->axes += *at == '*' ? grid->axes ? 1 : 2 : 0;
	return grid->axes <= GRID_AXES || fail(&t->r, start, "a grid has at most %d sizes", GRID_AXES);
}

static bool read_events(struct text_reader *t, const char *at)
{
	return read_alone(t, at, UINT64_MAX, &t->events);
}

static bool read_grid(struct text_reader *t, const char *at)
{
	struct grid *grid = &t->header.grid;
	for (; *at && !t->header.parametric; at = behind_blanks(at), grid->axes++) {
		uint64_t size;
		const char *start = at;
		if (grid->axes == GRID_AXES || !text_read_number(&at, RANK_LIMIT, &size) || !size ||
			(*at && !is_blank(*at)))
			return fail(&t->r, start, "a grid has 2 to %d sizes, numbers from 1 to %u: '// grid NX NY'",
				GRID_AXES, RANK_LIMIT);
		grid->size[grid->axes] = (uint32_t)size;
	}
	return t->header.parametric || grid->axes >= 2 ||
	       fail(&t->r, at, "a grid has at least 2 sizes: '// grid NX NY'");
}

static bool read_omissions(struct text_reader *t, const char *at)
{
	return notes_read_omissions(&t->header.notes, at) ||
	       fail(&t->r, at,
		       "'// omits' needs calls and how many, as in '// omits 40 MPI_Put, 5 MPI_Get', not '%.*s'", SHOWN,
		       at);
}

/* Of a parametric text; the name is put aside at the start of its line until there is a store. */
static bool read_parameter(struct text_reader *t, const char *at)
{
	size_t length = 0;
	if (!t->header.parametric)
		return true;
	while ((at[length] >= 'A' && at[length] <= 'Z') || (length && is_digit(at[length])))
		length++;
	if (!length || length > SYMBOL_LETTERS || !at_end(at + length))
		return fail(&t->r, at, "a parameter has a name of up to %d capital letters and digits, not '%.*s'",
			SYMBOL_LETTERS, SHOWN, at);
	if (t->header.symbols == SYMBOLS_LIMIT)
		return fail(&t->r, at, "more than %d parameters", SYMBOLS_LIMIT);
	t->header.symbol[t->header.symbols++] = (uint32_t)(t->header_text.length + (size_t)(at - t->r.line));
	return true;
}

static bool read_note(struct text_reader *t, const char *at)
{
	notes_add(&t->header.notes, at);
	return true;
}

static const struct {
	const char *word;
	bool once;
	bool (*read)(struct text_reader *, const char *at);
} header_words[HEADER_WORDS] = {
	[PARAMETRIC] = {"parametric", false, read_parametric},
	[PROCESSES] = {"processes", true, read_processes},
	[PARAMETER] = {"parameter", false, read_parameter},
	[EVENTS] = {"events", true, read_events},
	[GRID] = {"grid", true, read_grid},
	[OMITS] = {"omits", true, read_omissions},
	[NOTE] = {"note", false, read_note},
};

/* at: behind the slashes. Comments that say nothing to us are for people. */
static bool read_header_line(struct text_reader *t, const char *at)
{
	bool good = true;
	for (enum header_word w = 0; w < HEADER_WORDS; w++) {
		if (!accept_word(&at, header_words[w].word))
			continue;
		if (header_words[w].once && t->said[w])
			return fail(
				&t->r, behind_blanks(at), "'// %s' stands twice in the header", header_words[w].word);
		t->said[w] = t->r.number;
		good = header_words[w].read(t, w == NOTE ? at : behind_blanks(at));
		break;
	}
	keep_header(t);
	return good;
}

static bool check_header(struct text_reader *t)
{
	const struct grid *grid = &t->header.grid;
	uint64_t ranks = 1;
	t->listing = true;
	if (!t->said[PROCESSES] && !t->header.parametric)
		return fail(&t->r, t->r.line ? first_word(&t->r) : NULL,
			"the header must give the number of processes before the listing: '// processes 16'");
	for (uint32_t a = 0; a < grid->axes && ranks <= RANK_LIMIT; a++)
		ranks *= grid->size[a];
	if (!grid->axes || t->header.parametric || ranks == t->header.processes)
		return true;
	t->r.number = t->said[GRID];
	return fail(&t->r, NULL, "the sizes of the grid give %" PRIu64 " processes, but the header says %" PRIu32,
		ranks, t->header.processes);
}

/* ------------------------------------------------------------------ lines put aside */

/* mesh::exchange */
static size_t procedure_length(const char *at)
{
	size_t length = is_digit(*at) ? 0 : name_length(at), more;
	while (length && at[length] == ':' && at[length + 1] == ':' && !is_digit(at[length + 2]) &&
		(more = name_length(at + length + 2)) > 0)
		length += 2 + more;
	return length;
}

/* The label is the one place where '//' is no comment: no NULL means that it ends here. */
static char *behind_label(char *line)
{
	const char *at = line;
	if (!accept_word(&at, "get") || *(at = behind_blanks(at)) != '"')
		return NULL;
	char *end = line + (at - line);
	end = strchr(end + 1, '"');
	return end ? end + 1 : NULL;
}

/* Checked for its form, and skipped: get "LABEL" {0,4,8-11}.time -> */
static bool read_annotation(struct reader *r, const char *at)
{
	struct ranks ranks = {0};
	at = at ? behind_blanks(at) : first_word(r);
	bool good = accept(&at, "{") && (accept(&at, "*") || ranks_parse(&ranks, &at, r->error)) && accept(&at, "}.") &&
		    is_letter(*at);
	ranks_clear(&ranks);
	at += good ? strcspn(at, " \t") : 0;
	good = good && (accept_word(&at, "->") || accept_word(&at, "<-"));
	if (r->error->kind != ERROR_NONE)
		return reader_place(r, at);
	if (!good)
		return fail(r, at,
			"an annotation is 'get \"LABEL\" {RANKS}.ATTRIBUTE ->' (the start of the next construct) or '<-' (the end of the previous one)");
	return ends(r, at, "an annotation");
}

/* A comment starts at the start of a line or behind white space. Cut off, gives the last one, or
   NULL. Positions say nothing of where in the source a statement is. */
static char *cut_comment(char *line)
{
	char *first = NULL, *last = NULL;
	for (char *at = line; (at = strchr(at, '/')); at++)
		if (at[1] == '/' && (at == line || is_blank(at[-1]))) {
			first = first ? first : at;
			last = at;
		}
	if (!first)
		return NULL;
	*first = 0;
	last += 2 + is_blank(last[2]);
	size_t length = strlen(last);
	while (length && is_blank(last[length - 1]))
		last[--length] = 0;
	return strchr("@#", *last) ? NULL : last;
}

static void keep_line(struct text_reader *t, const char *comment)
{
	size_t at = t->text.length;
	text_add(&t->text, t->r.line, strlen(t->r.line) + 1);
	*MEM_PUSH(t->line, t->kept, t->line_capacity) =
		(struct kept_line){.start = at, .comment = comment ? t->text.length : 0, .number = t->r.number};
	if (comment)
		text_add(&t->text, comment, strlen(comment) + 1);
}

static void add_body(struct text_reader *t)
{
	*MEM_PUSH(t->body, t->bodies, t->body_capacity) = (struct body){.head = t->kept};
}

/* The name of a procedure behind the line's first word. */
static bool read_called(struct reader *r, const char **at, struct word *name)
{
	*at = behind_blanks(*at);
	*name = (struct word){*at, procedure_length(*at)};
	*at += name->length;
	return name->length ||
	       fail(r, *at,
		       "a procedure has a name of letters, digits and _: 'call NAME' or 'call NAME(1,i0)', not '%.*s'",
		       SHOWN, *at);
}

/* A line that is no comment, without its own. */
static bool collect_line(struct text_reader *t, const char *comment)
{
	struct reader *r = &t->r;
	const char *at = first_word(r);
	struct word name;
	if (t->tables == SIZE_MAX && table_is_begun(at))
		t->tables = t->kept;
	if (t->tables == SIZE_MAX && accept_word(&at, "procedure")) {
		if (!read_called(r, &at, &name))
			return false;
		uint32_t id = intern_id(t->procedure_names, name.start, name.length);
		if (id + (size_t)1 < t->bodies)
			return fail(r, name.start, "procedure %.*s is defined in line %" PRIu64 " already",
				SHOWN_WORD(name), t->line[t->body[id + 1].head].number);
		add_body(t);
	}
	keep_line(t, t->tables == SIZE_MAX ? comment : NULL);
	return true;
}

static void collect_site(struct text_reader *t, const char *at)
{
	const char *word = at + 2;
	bool sites = accept_word(&word, "sites") && at_end(word);
	if (sites || (accept_word(&word, "tables") && at_end(word)))
		t->sites = sites;
	else if (t->sites)
		text_add(&t->site, at, strlen(at) + 1);
}

static bool collect(struct text_reader *t, char *line)
{
	struct reader *r = &t->r;
	const char *at = behind_blanks(line);
	bool comment = at[0] == '/' && at[1] == '/';
	r->line = line;
	r->line_end = line + strlen(line);
	r->number = lines_number(t->lines);
	if (!*at)
		return true;
	if (!t->version_known)
		return read_version(t);
	if (comment && !t->listing)
		return read_header_line(t, at + 2);
	if (comment) {
		collect_site(t, at);
		return true;
	}
	char *label = behind_label(line);
	const char *behind = cut_comment(label ? label : line);
	if (!t->listing && !check_header(t))
		return false;
	return line_begins(at, "get") && t->tables == SIZE_MAX ? read_annotation(r, label) : collect_line(t, behind);
}

static bool collect_all(struct text_reader *t)
{
	struct reader *r = &t->r;
	add_body(t);
	for (char *line; (line = lines_next(t->lines, r->error));)
		if (!collect(t, line))
			return false;
	r->line = NULL;
	r->number = lines_number(t->lines);
	if (r->error->kind != ERROR_NONE)
		return false;
	if (!t->version_known)
		return error_set(
			r->error, ERROR_INPUT, "%s: the file is empty: a model starts with '// tracenest 1'", r->name);
	t->tables = t->tables < t->kept ? t->tables : t->kept;
	return t->listing || check_header(t);
}

/* The kept line is the one at hand. */
static void take_line(struct text_reader *t, size_t kept)
{
	struct reader *r = &t->r;
	t->at = kept;
	r->line = t->text.data + t->line[kept].start;
	r->line_end = r->line + strlen(r->line);
	r->number = t->line[kept].number;
	r->inside = 0;
	r->counter = 0;
}

/* ------------------------------------------------------------------ tables */

/* All names of a formula are one coordinate, or the process. */
static bool read_table_formula(struct text_reader *t, const char *argument, const char *at, node_id *table)
{
	struct reader *r = &t->r;
	uint32_t word = node_of(r->store, *table)->word;
	bool known = *argument == 'p' || (memchr("xyzw", *argument, r->module->grid.axes) && *argument);
	if (!known || argument[1] != ']')
		return fail(r, argument, "a table that is given by a formula has one argument, p or a coordinate");
	at = behind_blanks(at);
	node_id formula = read_sum(r, &at);
	if (!formula || !ends(r, at, "a formula"))
		return false;
	*table = node_make(r->store, NODE_TABLE, *argument, word, 0, 1, &formula);
	return true;
}

/* What stands behind the equal sign, and in the lines up to the end. */
static bool read_entries(
	struct text_reader *t, size_t end, struct word name, uint32_t arguments, const char *at, node_id *table)
{
	struct reader *r = &t->r;
	struct text numbers = {0};
	struct table *entries = table_new(store_get_word(r->store, node_of(r->store, *table)->word), arguments);
	for (size_t kept = t->at; kept < end; kept++) {
		text_put(&numbers, kept == t->at ? at : t->text.data + t->line[kept].start);
		text_char(&numbers, ' ');
	}
	bool good = table_parse(entries, numbers.data, r->error) || reader_place(r, name.start - 1);
	if (good)
		*table = node_make(r->store, NODE_TABLE, 0, node_of(r->store, *table)->word,
			store_table(r->store, entries), 0, NULL);
	else
		table_free(entries);
	text_clear(&numbers);
	return good;
}

static bool read_table(struct text_reader *t, size_t end)
{
	struct reader *r = &t->r;
	struct module *m = r->module;
	const char *at = first_word(r);
	struct word name = {at + 1, name_length(at + 1)};
	const char *argument = name.start + name.length + 1;
	uint32_t arguments = 1;
	if (!table_is_begun(at) || !name.length || argument[-1] != '[')
		return fail(r, at, "a table is defined as '$NAME[ARGUMENT] = NUMBERS', not '%.*s'", SHOWN, at);
	for (at = argument; *at != ']'; at++)
		arguments += *at == ',';
	if (arguments > TABLE_ARGUMENTS)
		return fail(r, argument, "a table has at most %d arguments", TABLE_ARGUMENTS);
	uint32_t id = intern_id(r->table_names, name.start, name.length);
	if (id < m->tables)
		return fail(r, name.start, "table $%.*s is defined in line %" PRIu64 " already", SHOWN_WORD(name),
			r->table_line[id]);
	*MEM_PUSH(r->table_line, m->tables, r->table_line_capacity) = r->number;
	m->table = mem_grow(m->table, &m->table_capacity, m->tables, sizeof *m->table);
	m->table[id] = node_make(r->store, NODE_ALL, 0, store_word(r->store, name.start, name.length), 0, 0, NULL);
	at = strchr(at, '=') + 1;
	return m->parametric && has_letter(at) ? read_table_formula(t, argument, at, &m->table[id])
					       : read_entries(t, end, name, arguments, at, &m->table[id]);
}

/* What is wrong in a table is said when nothing before it is. */
static bool read_tables(struct text_reader *t)
{
	for (size_t head = t->tables, end; head < t->kept; head = end) {
		for (end = head + 1; end < t->kept; end++)
			if (table_is_begun(behind_blanks(t->text.data + t->line[end].start)))
				break;
		take_line(t, head);
		if (!read_table(t, end) && t->in_tables.kind == ERROR_NONE)
			t->in_tables = *t->r.error;
		t->r.error->kind = ERROR_NONE;
	}
	return true;
}

static bool check_tables(struct text_reader *t)
{
	if (t->in_tables.kind != ERROR_NONE)
		*t->r.error = t->in_tables;
	return t->in_tables.kind == ERROR_NONE;
}

/* ------------------------------------------------------------------ loops and guards */

static struct open *innermost(struct text_reader *t)
{
	return &t->open[t->opened - 1];
}

static bool add_statement(struct text_reader *t, node_id statement)
{
	*MEM_PUSH(t->kid, t->kids, t->kid_capacity) = statement;
	return true;
}

static bool open_statement(struct text_reader *t, enum open_kind kind, node_id who, node_id number)
{
	if (t->opened - t->floor > NESTED_LIMIT)
		return fail(&t->r, first_word(&t->r), "more than %d loops nested", NESTED_LIMIT);
	if (kind != OPEN_BODY)
		t->line[t->at].opens = true;
	*MEM_PUSH(t->open, t->opened, t->open_capacity) = (struct open){kind, t->at, t->kids, who, number};
	return true;
}

static node_id close_sequence(struct text_reader *t, const struct open *o)
{
	node_id body = node_make(
		t->r.store, NODE_SEQUENCE, 0, 0, 0, (uint32_t)(t->kids - o->kid), t->kid ? t->kid + o->kid : NULL);
	t->kids = o->kid;
	return body;
}

static bool close_statement(struct text_reader *t)
{
	struct open o = t->open[--t->opened];
	node_id kid[3] = {o.who, o.number, close_sequence(t, &o)};
	bool loop = o.kind == OPEN_LOOP;
	t->r.depth -= loop;
	return add_statement(
		t, node_make(t->r.store, loop ? NODE_LOOP : NODE_GUARD, o.kind == OPEN_ELSE, 0, 0, 3, kid));
}

static bool read_for(struct text_reader *t, node_id who, const char *at)
{
	struct reader *r = &t->r;
	at = behind_blanks(at);
	struct loop_name index = {.name = {at, is_letter(*at) ? name_length(at) : 0}};
	at = behind_blanks(at + index.name.length);
	if (!index.name.length || !accept(&at, "="))
		return fail(r, first_word(r), "a loop is 'for INDEX = FIRST to LAST'");
	const char *first = at = behind_blanks(at);
	if (!(index.low = read_value(r, &at)))
		return false;
	if (node_of(r->store, index.low)->uses[FOR_ALL] & USES_INDICES)
		return fail(r, first, "the lower bound of a loop may not depend on indices");
	if (!accept_word(&at, "to"))
		return fail(r, at, "'to' is missing: a loop is 'for INDEX = FIRST to LAST'");
	at = behind_blanks(at);
	node_id high = read_value(r, &at);
	if (!high || !ends(r, at, "a loop's bounds"))
		return false;
	node_id last = number_add(r->store, high, index.low, -1);
	if (!last)
		return fail(r, first, "the bounds are too far apart");
	if (!open_statement(t, OPEN_LOOP, who, last))
		return false;
	*MEM_PUSH(r->index, r->depth, r->index_capacity) = index;
	return true;
}

static bool read_if(struct text_reader *t, const char *at)
{
	at = behind_blanks(at);
	node_id test = read_test(&t->r, &at);
	return test && ends(&t->r, at, "a condition") && open_statement(t, OPEN_IF, NODE_NONE, test);
}

static bool read_else(struct text_reader *t, const char *at)
{
	struct open o = *innermost(t);
	if (!ends(&t->r, at, "'else'"))
		return false;
	if (o.kind != OPEN_IF)
		return fail(&t->r, first_word(&t->r), "'else' without an 'if' before it");
	close_statement(t);
	return open_statement(t, OPEN_ELSE, NODE_NONE, test_opposite(t->r.store, o.number));
}

/* ------------------------------------------------------------------ calls and procedures */

static bool read_procedure(struct text_reader *, size_t body);

/* $b, but not $b[i0]+8, is a table; all else is a number. */
static node_id read_argument(struct reader *r, const char **at)
{
	struct word name = {*at, **at == '$' ? 1 + name_length(*at + 1) : 0};
	if (!name.length || name.start[name.length] == '[')
		return read_sum(r, at);
	*at += name.length;
	return read_table_name(r, name);
}

/* (8,2*i0,$b): how many. */
static bool read_arguments(struct reader *r, const char **at, node_id *argument, uint32_t *arguments)
{
	for (*arguments = 0; **at == (*arguments ? ',' : '('); ++*arguments) {
		if (*arguments == PARAMETERS_LIMIT)
			return fail(r, *at, "a procedure takes at most %d arguments", PARAMETERS_LIMIT);
		*at = behind_blanks(*at + 1);
		if (!(argument[*arguments] = read_argument(r, at)))
			return false;
		*at = behind_blanks(*at);
	}
	return !*arguments || accept(at, ")") || fail(r, *at, "')' is missing behind the arguments of a procedure");
}

/* The body at hand calls a procedure, which has been read. */
static bool add_call(struct text_reader *t, const struct body *callee)
{
	struct body *b = &t->body[t->current];
	const char *at = first_word(&t->r);
	b->called += callee->called;
	b->inside = callee->inside >= b->inside ? callee->inside + 1 : b->inside;
	if (b->called > CALLED_LINES)
		return fail(&t->r, at, "up to here, calls stand for more than %" PRIu64 " lines", CALLED_LINES);
	return b->inside <= CALLS_INSIDE ||
	       fail(&t->r, at, "procedures that call each other are more than %d deep", CALLS_INSIDE);
}

static bool read_call(struct text_reader *t, const char *at)
{
	struct reader *r = &t->r;
	struct word name;
	node_id kid[1 + PARAMETERS_LIMIT];
	uint32_t arguments;
	t->line[t->at].comment = 0;
	if (!read_called(r, &at, &name))
		return false;
	uint32_t id = intern_find(t->procedure_names, name.start, name.length);
	if (id == INTERN_NONE)
		return fail(r, first_word(r),
			"there is no procedure %.*s: 'procedure %.*s' and what it does are missing", SHOWN_WORD(name),
			SHOWN_WORD(name));
	if (!read_procedure(t, id + (size_t)1) || !add_call(t, &t->body[id + 1]) ||
		!read_arguments(r, &at, kid + 1, &arguments) || !ends(r, at, "the name of a procedure"))
		return false;
	kid[0] = t->body[id + 1].node;
	const struct node *p = node_of(r->store, kid[0]);
	if (arguments != p->kids - 1)
		return fail(r, name.start, "procedure %.*s has %u parameter%s, not %u", SHOWN_WORD(name), p->kids - 1,
			text_plural(p->kids - 1, "", "s"), arguments);
	for (uint32_t k = 1; k < p->kids; k++) {
		const struct node *parameter = node_of(r->store, p->kid[k]);
		bool table = node_of(r->store, kid[k])->kind != NODE_SUM;
		if (table != parameter->sub)
			return fail(r, name.start, "parameter %s is a %s, the argument is none",
				store_get_word(r->store, parameter->word), table ? "number" : "table");
	}
	return add_statement(t, node_make(r->store, NODE_CALL, 0, 0, 0, 1 + arguments, kid));
}

/* (n,$b): n or $b, but not what is a coordinate elsewhere. parameter: a VARIABLE each. */
static bool read_parameters(struct reader *r, const char **at, node_id *parameter)
{
	for (r->parameters = 0; **at == (r->parameters ? ',' : '('); r->parameters++) {
		struct word word = {.start = *at = behind_blanks(*at + 1)};
		size_t dollar = *word.start == '$', length = name_length(word.start + dollar);
		if (r->parameters == PARAMETERS_LIMIT)
			return fail(r, *at, "a procedure takes at most %d arguments", PARAMETERS_LIMIT);
		if (!length || is_digit(word.start[dollar]) || (!dollar && length == 1 && strchr("pxyzw", *word.start)))
			return fail(r, word.start,
				"'%.*s' is no parameter: these are names, of numbers as n, of tables as $b (p, x, y, z and w are taken)",
				SHOWN, word.start);
		word.length = dollar + length;
		for (uint32_t i = 0; i < r->parameters; i++)
			if (r->parameter[i].length == word.length &&
				!memcmp(r->parameter[i].start, word.start, word.length))
				return fail(r, word.start, "parameter %.*s stands twice", SHOWN_WORD(word));
		r->parameter[r->parameters] = word;
		parameter[r->parameters] = node_make(r->store, NODE_VARIABLE, (int)dollar,
			store_word(r->store, word.start + dollar, length), VARIABLE_PARAMETER + r->parameters, 0, NULL);
		*at = behind_blanks(word.start + word.length);
	}
	return (!r->parameters || accept(at, ")") ||
		       fail(r, *at, "')' is missing behind the parameters of a procedure")) &&
	       ends(r, *at, "the parameters of a procedure");
}

/* ------------------------------------------------------------------ statements */

static bool read_statement(struct text_reader *t)
{
	struct reader *r = &t->r;
	const char *at = first_word(r);
	node_id who = NODE_NONE;
	if (accept_word(&at, "call"))
		return read_call(t, at);
	if (accept_word(&at, "if"))
		return read_if(t, at);
	if (accept_word(&at, "else"))
		return read_else(t, at);
	if (accept(&at, "[") && !(who = read_domain(r, &at)))
		return false;
	const char *word = at;
	if (accept_word(&word, "for"))
		return node_of(r->store, who)->kind == NODE_NAMED
			       ? fail(r, word, "a loop is executed by a set of ranks, not by a process that is named")
			       : read_for(t, who, word);
	node_id event = read_event(r, t->text.data + t->line[t->at].start + (at - r->line), who);
	return event && add_statement(t, event);
}

/* No line is left, but something is open. */
static bool fail_open(struct text_reader *t)
{
	struct reader *r = &t->r;
	enum open_kind kind = innermost(t)->kind;
	take_line(t, t->tables < t->kept ? t->tables : innermost(t)->line);
	if (t->tables < t->kept)
		return fail(r, first_word(r), "a table is defined at the end, behind all loops");
	return fail(r, first_word(r), "'%s' is not closed by a 'done'",
		kind == OPEN_BODY   ? "procedure"
		: kind == OPEN_LOOP ? "for"
				    : "if");
}

/* The one at hand closes the procedure: false, without an error. */
static bool read_done(struct text_reader *t, const char *at)
{
	if (!ends(&t->r, at, "'done'"))
		return false;
	if (t->opened > t->floor + 1)
		return close_statement(t);
	t->body[t->current].end = t->at + 1;
	return !t->current && fail(&t->r, first_word(&t->r), "'done' without a 'for' before it");
}

/* A procedure between the lines of the body. */
static bool pass_procedure(struct text_reader *t)
{
	if (t->current || t->opened > t->floor + 1)
		return fail(&t->r, first_word(&t->r), "a procedure stands outside of all loops and procedures");
	if (!read_procedure(t, ++t->met))
		return false;
	t->at = t->body[t->met].end - 1;
	return true;
}

static bool read_lines(struct text_reader *t, size_t first)
{
	struct reader *r = &t->r;
	bool good = true;
	for (size_t kept = first; kept < t->tables && good; kept = t->at + 1) {
		take_line(t, kept);
		const char *at = first_word(r);
		struct body *b = &t->body[t->current];
		if (accept_word(&at, "done")) {
			good = read_done(t, at);
		} else if (accept_word(&at, "procedure")) {
			good = pass_procedure(t);
		} else {
			*MEM_PUSH(b->line, b->lines, b->line_capacity) = kept;
			good = read_statement(t);
		}
	}
	if (r->error->kind != ERROR_NONE)
		return false;
	return !good || (!t->current && t->opened == t->floor + 1) || fail_open(t);
}

/* What stands in the body at hand, as a SEQUENCE. */
static node_id read_body(struct text_reader *t, size_t body, size_t first)
{
	size_t current = t->current, floor = t->floor, base = t->r.base;
	t->current = body;
	t->floor = t->opened;
	t->r.base = t->r.depth;
	t->body[body].state = UNDER_WAY;
	open_statement(t, OPEN_BODY, NODE_NONE, NODE_NONE);
	if (!read_lines(t, first))
		return NODE_NONE;
	node_id sequence = close_sequence(t, innermost(t));
	t->opened--;
	t->body[body].called += t->body[body].lines;
	t->body[body].state = READ;
	t->current = current;
	t->floor = floor;
	t->r.base = base;
	return sequence;
}

static bool read_procedure(struct text_reader *t, size_t body)
{
	struct reader *r = &t->r;
	struct body *b = &t->body[body];
	struct word outer[PARAMETERS_LIMIT], name;
	uint32_t outers = r->parameters;
	size_t kept = t->at;
	node_id kid[1 + PARAMETERS_LIMIT];
	if (b->state == READ)
		return true;
	if (b->state == UNDER_WAY) {
		const char *callee = intern_data(t->procedure_names, (uint32_t)(body - 1), NULL),
			   *caller = intern_data(t->procedure_names, (uint32_t)(t->current - 1), NULL);
		return fail(r, first_word(r), "procedure %s calls itself%s%s", callee,
			body == t->current ? "" : " through ", body == t->current ? "" : caller);
	}
	if (t->calling > CALLS_INSIDE)
		return fail(r, first_word(r), "procedures that call each other are more than %d deep", CALLS_INSIDE);
	memcpy(outer, r->parameter, sizeof outer);
	take_line(t, b->head);
	const char *at = first_word(r) + strlen("procedure");
	if (!read_called(r, &at, &name) || !read_parameters(r, &at, kid + 1))
		return false;
	*MEM_PUSH(b->line, b->lines, b->line_capacity) = b->head;
	t->line[b->head].comment = 0;
	t->calling++;
	kid[0] = read_body(t, body, b->head + 1);
	t->calling--;
	if (!kid[0])
		return false;
	b->node = node_make(
		r->store, NODE_PROCEDURE, 0, store_word(r->store, name.start, name.length), 0, 1 + r->parameters, kid);
	memcpy(r->parameter, outer, sizeof outer);
	r->parameters = outers;
	take_line(t, kept);
	return true;
}

struct noting {
	struct declared_sites *declared;
	struct intern *comments; /* with a letter before each: the same words mean something else behind a loop */
	uint32_t *sites; /* ... and what they are */
	size_t capacity;
};

/* What stands behind a line, which is this one of the module. */
static void note_line(struct text_reader *t, struct noting *n, const struct kept_line *kept, size_t line)
{
	const char *start = t->text.data + kept->start;
	struct text comment = {0};
	t->r.module->place[line] = (struct text_place){kept->number, (size_t)(behind_blanks(start) - start) + 1};
	t->r.module->sites[line] = SITES_NONE;
	if (!kept->comment)
		return;
	text_format(&comment, "%c%s", kept->opens ? 'l' : 'e', t->text.data + kept->comment);
	uint32_t known = intern_count(n->comments), id = intern_id(n->comments, comment.data, comment.length);
	n->sites = mem_grow(n->sites, &n->capacity, id + (size_t)1, sizeof *n->sites);
	if (id == known)
		n->sites[id] = declared_sites_find(n->declared, comment.data + 1, kept->opens);
	t->r.module->sites[line] = n->sites[id];
	text_clear(&comment);
}

/* Lines of the module: the body first, then procedures. */
static void note_lines(struct text_reader *t)
{
	struct module *m = t->r.module;
	struct noting n = {declared_sites_new(&m->places), intern_new(), NULL, 0};
	size_t line = 0;
	for (size_t at = 0; at < t->site.length; at += strlen(t->site.data + at) + 1)
		declared_sites_line(n.declared, t->site.data + at + 2);
	for (size_t i = 0; i < t->bodies; i++)
		m->lines += t->body[i].lines;
	m->sites = mem_zero((m->lines + 1) * sizeof *m->sites);
	m->place = mem_array(m->lines + 1, sizeof *m->place);
	for (size_t i = 0; i < t->bodies; i++)
		for (size_t k = 0; k < t->body[i].lines; k++)
			note_line(t, &n, &t->line[t->body[i].line[k]], line++);
	declared_sites_free(n.declared);
	intern_free(n.comments);
	free(n.sites);
}

/* Procedures that are not called stand behind the body's lines, or between them. */
static bool read_bodies(struct text_reader *t)
{
	struct module *m = t->r.module;
	if (!(m->body = read_body(t, 0, 0)))
		return false;
	for (size_t i = 1; i < t->bodies; i++)
		*MEM_PUSH(m->procedure, m->procedures, m->procedure_capacity) = t->body[i].node;
	note_lines(t);
	return true;
}

/* ------------------------------------------------------------------ all together */

bool module_error_at(const struct module *m, const char *name, struct inlined_line wrong, struct error *error)
{
	if (wrong.line >= m->lines)
		return error_at(error, "%s", name);
	error_at(error, "%s:%" PRIu64 ":%zu", name, m->place[wrong.line].line, m->place[wrong.line].column);
	size_t length = strlen(error->message);
	if (wrong.call != wrong.line)
		snprintf(error->message + length, sizeof error->message - length, " (called in line %" PRIu64 ")",
			m->place[wrong.call].line);
	return false;
}

static bool check_module(struct text_reader *t)
{
	struct reader *r = &t->r;
	struct inlined_line wrong;
	uint64_t events;
	if (r->module->parametric)
		return true;
	struct environment own = module_environment(r->module);
	bool good = module_check(r->module, &own, &events, &wrong, r->error);
	if (!good && wrong.line < r->module->lines)
		return module_error_at(r->module, r->name, wrong, r->error);
	r->line = NULL;
	r->number = t->said[EVENTS] ? t->said[EVENTS] : 1;
	if (!good)
		return reader_place(r, NULL);
	if (events >= EVENTS_LIMIT)
		return fail(r, NULL, "the model stands for 2^63 events or more");
	r->module->events = events;
	if (!t->said[EVENTS] || t->events == events)
		return true;
	error_set(r->error, ERROR_INCONSISTENT,
		"the header says %" PRIu64 " events, but the listing stands for %" PRIu64, t->events, events);
	return reader_place(r, NULL);
}

static bool make_module(struct text_reader *t)
{
	struct module *m = t->r.module = module_new(t->header.processes, &t->header.grid);
	t->r.store = m->store;
	m->parametric = t->header.parametric;
	m->notes = t->header.notes;
	t->header.notes = (struct notes){0};
	m->symbols = t->header.symbols;
	for (uint32_t i = 0; i < m->symbols; i++) {
		const char *name = t->header_text.data + t->header.symbol[i];
		m->symbol[i] = store_word(m->store, name, name_length(name));
	}
	if (m->parametric)
		m->header = mem_text(t->header_text.data);
	return true;
}

/* Takes the lines. */
static struct module *read_text(struct lines *lines, struct error *error)
{
	struct text_reader *t = mem_zero(sizeof *t);
	struct reader *r = &t->r;
	*error = (struct error){0};
	t->lines = lines;
	t->tables = SIZE_MAX;
	t->procedure_names = intern_new();
	r->name = lines_name(lines);
	r->error = error;
	r->table_names = intern_new();
	r->set_texts = intern_new();
	bool good = collect_all(t) && make_module(t) && read_tables(t) && read_bodies(t) && check_tables(t) &&
		    check_module(t);
	struct module *m = r->module;
	if (!good) {
		module_free(m);
		m = NULL;
	}
	notes_clear(&t->header.notes);
	text_clear(&t->header_text);
	text_clear(&t->text);
	text_clear(&t->site);
	for (size_t i = 0; i < t->bodies; i++)
		free(t->body[i].line);
	intern_free(t->procedure_names);
	intern_free(r->table_names);
	intern_free(r->set_texts);
	lines_close(lines);
	free(r->index);
	free(r->table_line);
	free(r->set);
	free(t->line);
	free(t->body);
	free(t->open);
	free(t->kid);
	free(t);
	return m;
}

struct module *module_read(const char *path, struct error *error)
{
	struct lines *lines = lines_open(path, TEXT_MODEL, error);
	return lines ? read_text(lines, error) : NULL;
}

struct module *module_parse(const char *name, const char *bytes, size_t length, struct error *error)
{
	return read_text(lines_of(name, bytes, length), error);
}
