/*
 * module_read.c -- a module from its text (doc/tracenest-model.5 has the grammar).
 *
 * All lines are put aside first: procedures stand behind their calls, tables behind all else. Then
 * tables are read, procedures in an order in which each comes behind what it calls, and what stands
 * outside of them; statements of a body become a node when the line that closes it is met. At last
 * the module is checked as a whole (model/module_check.c), for what a number comes to depends on
 * all that is around it.
 *
 * What is wrong is said with its place; a text without anything wrong can be asked everything.
 */
#include "model/module_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/saturate.h"
#include "model/declared_sites.h"
#include "model/run.h"

#define EVENTS_LIMIT (UINT64_C(1) << 63)
#define EVENTS_STEPS (UINT64_C(1) << 27) /* statements that are gone through to count events: seconds */
#define SYMBOL_LETTERS 15 /* of a parameter of the problem */
#define MESSAGE_BYTES 200 /* of names that a message lists */

struct kept_line {
	size_t start, comment; /* in the text; 0: no comment */
	uint64_t number;
	uint32_t body; /* that it stands in */
};

struct call {
	size_t line; /* kept */
	uint32_t name;
	size_t callee;
};

enum followed { NOT_YET, UNDER_WAY, FOLLOWED };

/* The lines of a procedure; the first body is what stands outside of all. */
struct body {
	size_t head, first, end; /* kept lines: that with its name; those behind, up to the end */
	size_t lines, base; /* of the module: how many with the head, the first one */
	struct call *call;
	size_t calls, call_capacity, next; /* next: call to follow */
	uint64_t called; /* lines with those of what it calls */
	size_t inside; /* calls inside each other */
	enum followed followed;
	node_id node;
};

/* A loop or a guard whose lines are being read; the first one is the body. */
enum open_kind { OPEN_BODY, OPEN_LOOP, OPEN_IF, OPEN_ELSE };
struct open {
	enum open_kind kind;
	size_t line, kid; /* kept; its first statement among `kids` */
	node_id who, number; /* of a loop: its last index; of a guard its test */
};

struct text_reader {
	struct reader r;
	struct lines *lines;
	struct module header; /* what is known of the module before it is made */
	bool version_known, processes_known, listing, sites;
	uint64_t grid_line, events, events_line; /* 0: not there */
	struct text header_text, text; /* of kept lines, each behind a NUL, with that of its comment */
	struct kept_line *line;
	size_t kept, line_capacity;
	struct text site; /* lines of the section, each with a NUL */
	struct intern *comments; /* of statements, whose sites they are until the end */
	struct body *body;
	size_t bodies, body_capacity, collecting; /* the body of the line at hand */
	size_t unclosed; /* loops and guards of it */
	struct intern *procedure_names; /* ids are places in body, less one */
	struct intern *called_names;
	size_t tables; /* kept line of the first one; SIZE_MAX: none so far */
	size_t misplaced; /* ... of the first table or procedure inside of something that is not closed; the same */
	struct error in_tables;
	struct open *open;
	size_t opened, open_capacity;
	node_id *kid;
	size_t kids, kid_capacity;
	struct source {
		uint64_t number;
		size_t column;
	} * source; /* by line of the module */
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

/* ------------------------------------------------------------------ the header */

static void keep_header(struct text_reader *t)
{
	text_put(&t->header_text, t->r.line);
	text_char(&t->header_text, '\n');
}

static bool read_version(struct text_reader *t)
{
	struct reader *r = &t->r;
	const char *at = first_word(r);
	uint64_t version;
	bool comment = accept(&at, "//");
	if (!comment || !accept_word(&at, "tracenest"))
		return fail(r, first_word(r),
			"this is not a model: its first line must be '// tracenest 1' (if it is a trace, run "
			"'tracenest model' on it first)");
	at = behind_blanks(at);
	if (!text_read_number(&at, UINT64_MAX, &version) || !at_end(at))
		return fail(r, at, "the version of the format must be a number: '// tracenest 1'");
	if (version != 1)
		return fail(r, at,
			"version %" PRIu64
			" of the model format; this tracenest reads version 1 only: read it with the tracenest "
			"that wrote it, or a newer one",
			version);
	keep_header(t);
	return t->version_known = true;
}

static bool read_processes(struct text_reader *t, const char *at)
{
	struct reader *r = &t->r;
	uint64_t processes;
	const char *start = at = behind_blanks(at);
	if (t->processes_known)
		return fail(r, at, "'// processes' stands twice in the header");
	t->processes_known = true;
	if (t->header.parametric) { /* X * Y */
		for (; *at; at++)
			t->header.grid.axes += *at == '*';
		t->header.grid.axes += t->header.grid.axes > 0;
		return t->header.grid.axes <= GRID_AXES || fail(r, start, "a grid has at most %d sizes", GRID_AXES);
	}
	if (!text_read_number(&at, RANK_LIMIT, &processes) || !at_end(at))
		return fail(
			r, start, "'// processes' needs a number from 0 to %u, not '%.*s'", RANK_LIMIT, SHOWN, start);
	t->header.processes = (uint32_t)processes;
	return true;
}

static bool read_events(struct text_reader *t, const char *at)
{
	struct reader *r = &t->r;
	const char *start = at = behind_blanks(at);
	if (t->events_line)
		return fail(r, at, "'// events' stands twice in the header");
	if (!text_read_number(&at, UINT64_MAX, &t->events) || !at_end(at))
		return fail(r, start, "'// events' needs a number, not '%.*s'", SHOWN, start);
	t->events_line = r->number;
	return true;
}

static bool read_grid(struct text_reader *t, const char *at)
{
	struct reader *r = &t->r;
	struct grid *grid = &t->header.grid;
	if (t->grid_line)
		return fail(r, at, "'// grid' stands twice in the header");
	t->grid_line = r->number;
	for (at = behind_blanks(at); *at; at = behind_blanks(at), grid->axes++) {
		uint64_t size;
		const char *start = at;
		if (grid->axes == GRID_AXES)
			return fail(r, at, "a grid has at most %d sizes", GRID_AXES);
		if (!text_read_number(&at, RANK_LIMIT, &size) || !size || (*at && !is_blank(*at)))
			return fail(r, start, "the sizes of a grid are numbers from 1 to %u, not '%.*s'", RANK_LIMIT,
				SHOWN, start);
		grid->size[grid->axes] = (uint32_t)size;
	}
	return grid->axes >= 2 || fail(r, at, "a grid has at least 2 sizes: '// grid NX NY'");
}

static bool read_omissions(struct text_reader *t, const char *at)
{
	at = behind_blanks(at);
	if (t->header.notes.omissions)
		return fail(&t->r, at, "'// omits' stands twice in the header");
	return notes_read_omissions(&t->header.notes, at) ||
	       fail(&t->r, at,
		       "'// omits' needs calls and how many, as in '// omits 40 MPI_Put, 5 MPI_Get', not '%.*s'", SHOWN,
		       at);
}

/* Of a parametric text; the name is put aside at the start of its line until there is a store. */
static bool read_parameter(struct text_reader *t, const char *at)
{
	at = behind_blanks(at);
	size_t length = 0;
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

/* at: behind the slashes. Comments that say nothing to us are for people. */
static bool read_header_line(struct text_reader *t, const char *at)
{
	bool good = true;
	const char *word = at;
	if (accept_word(&word, "parametric") && at_end(word))
		t->header.parametric = true;
	else if (accept_word(&at, "processes"))
		good = read_processes(t, at);
	else if (t->header.parametric && accept_word(&at, "parameter"))
		good = read_parameter(t, at);
	else if (accept_word(&at, "events"))
		good = read_events(t, at);
	else if (accept_word(&at, "grid"))
		good = t->header.parametric || read_grid(t, at);
	else if (accept_word(&at, "omits"))
		good = read_omissions(t, at);
	else if (accept_word(&at, "note"))
		notes_add(&t->header.notes, at);
	keep_header(t);
	return good;
}

static bool check_grid(struct text_reader *t)
{
	const struct grid *grid = &t->header.grid;
	uint64_t ranks = 1;
	for (uint32_t a = 0; a < grid->axes && ranks <= RANK_LIMIT; a++)
		ranks *= grid->size[a];
	if (!grid->axes || t->header.parametric || ranks == t->header.processes)
		return true;
	t->r.number = t->grid_line;
	return fail(&t->r, NULL, "the sizes of the grid give %" PRIu64 " processes, but the header says %" PRIu32,
		ranks, t->header.processes);
}

static bool begin_listing(struct text_reader *t)
{
	if (t->listing)
		return true;
	if (!t->processes_known && !t->header.parametric)
		return fail(&t->r, first_word(&t->r),
			"the header must give the number of processes before the listing: '// processes 16'");
	t->listing = true;
	return check_grid(t);
}

/* ------------------------------------------------------------------ calls and procedures */

struct called {
	struct word name, argument[PARAMETERS_LIMIT];
	uint32_t arguments;
};

/* mesh::exchange */
static size_t procedure_length(const char *at)
{
	size_t length = is_digit(*at) ? 0 : name_length(at), more;
	while (length && at[length] == ':' && at[length + 1] == ':' && !is_digit(at[length + 2]) &&
		(more = name_length(at + length + 2)) > 0)
		length += 2 + more;
	return length;
}

/* Up to the comma or the parenthesis that ends it: brackets, braces and parentheses may hold
   others. */
static struct word split_argument(const char **at)
{
	const char *start = *at = behind_blanks(*at);
	for (int open = 0; **at && (open || !strchr(",)", **at)); ++*at)
		open += strchr("([{", **at) ? 1 : strchr(")]}", **at) ? -1 : 0;
	const char *end = *at;
	while (end > start && is_blank(end[-1]))
		end--;
	return (struct word){start, (size_t)(end - start)};
}

/* NAME, NAME(ARGUMENT,...) at what stands behind the line's first word. */
static bool read_called(struct reader *r, const char *at, struct called *c)
{
	at = behind_blanks(at);
	*c = (struct called){.name = {at, procedure_length(at)}};
	if (!c->name.length)
		return fail(r, at,
			"a procedure has a name of letters, digits and _: 'call NAME' or 'call NAME(1,i0)', not '%.*s'",
			SHOWN, at);
	at += c->name.length;
	for (bool more = *at == '('; more; more = *at == ',') {
		at++;
		if (c->arguments == PARAMETERS_LIMIT)
			return fail(r, at, "a procedure takes at most %d arguments", PARAMETERS_LIMIT);
		c->argument[c->arguments] = split_argument(&at);
		if (!c->argument[c->arguments++].length)
			return fail(r, at, "an argument is missing: 'call NAME(1,i0)'");
	}
	if (c->arguments && !accept(&at, ")"))
		return fail(r, at, "')' is missing behind the arguments of a procedure");
	at = behind_blanks(at);
	return !*at || fail(r, at, "'%.*s' is too much behind the name of a procedure", SHOWN, at);
}

/* n or $b, but not what is a coordinate elsewhere */
static bool is_parameter(struct word word)
{
	size_t dollar = *word.start == '$';
	return word.length > dollar && !is_digit(word.start[dollar]) &&
	       name_length(word.start + dollar) == word.length - dollar &&
	       !(word.length == 1 && strchr("pxyzw", *word.start));
}

static bool read_parameters(struct reader *r, const struct called *c)
{
	for (r->parameters = 0; r->parameters < c->arguments; r->parameters++) {
		struct word word = c->argument[r->parameters];
		if (!is_parameter(word))
			return fail(r, word.start,
				"'%.*s' is no parameter: these are names, of numbers as n, of tables as $b (p, x, y, z and w are taken)",
				SHOWN_WORD(word));
		for (uint32_t i = 0; i < r->parameters; i++)
			if (r->parameter[i].length == word.length &&
				!memcmp(r->parameter[i].start, word.start, word.length))
				return fail(r, word.start, "parameter %.*s stands twice", SHOWN_WORD(word));
		r->parameter[r->parameters] = word;
	}
	return true;
}

/* ------------------------------------------------------------------ annotations */

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
	if (!at)
		return fail(r, first_word(r), "an annotation starts with its label in quotes: get \"LABEL\"");
	at = behind_blanks(at);
	if (!accept(&at, "{"))
		return fail(r, at,
			"an annotation is 'get \"LABEL\" {RANKS}.ATTRIBUTE ->' (or '<-'): the ranks are missing");
	if (!accept(&at, "*")) {
		bool good = ranks_parse(&ranks, &at, r->error) || reader_place(r, at);
		ranks_clear(&ranks);
		if (!good)
			return false;
	}
	if (!accept(&at, "}"))
		return fail(r, at, "'}' is missing behind an annotation's ranks");
	if (*at != '.' || !is_letter(at[1]))
		return fail(r, at, "an annotation's ranks are followed by '.ATTRIBUTE', as in {0,1}.time");
	at += strcspn(at, " \t");
	if (!accept_word(&at, "->") && !accept_word(&at, "<-"))
		return fail(r, at,
			"an annotation ends with '->' (the start of the next construct) or '<-' (the end of the previous one)");
	return at_end(at) || fail(r, at, "'%.*s' is too much behind an annotation", SHOWN, at);
}

/* ------------------------------------------------------------------ lines put aside */

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
	*MEM_PUSH(t->line, t->kept, t->line_capacity) = (struct kept_line){.start = at,
		.comment = comment ? t->text.length : 0,
		.number = t->r.number,
		.body = (uint32_t)t->collecting};
	if (comment)
		text_add(&t->text, comment, strlen(comment) + 1);
}

static struct body *add_body(struct text_reader *t)
{
	struct body *b = MEM_PUSH(t->body, t->bodies, t->body_capacity);
	*b = (struct body){.head = t->kept, .first = t->kept + (t->bodies > 1), .end = SIZE_MAX};
	return b;
}

/* Most often a line before it is wrong, and says why. */
static void note_misplaced(struct text_reader *t)
{
	if ((t->collecting || t->unclosed) && t->misplaced == SIZE_MAX)
		t->misplaced = t->kept;
	if (t->collecting)
		t->body[t->collecting].end = t->kept;
	t->collecting = t->unclosed = 0;
}

static bool begin_procedure(struct text_reader *t, const char *at)
{
	struct called c;
	struct reader *r = &t->r;
	note_misplaced(t);
	if (!read_called(r, at, &c))
		return false;
	uint32_t known = intern_count(t->procedure_names);
	uint32_t id = intern_id(t->procedure_names, c.name.start, c.name.length);
	if (id < known)
		return fail(r, c.name.start, "procedure %.*s is defined in line %" PRIu64 " already",
			SHOWN_WORD(c.name), t->line[t->body[id + 1].head].number);
	t->collecting = t->bodies;
	add_body(t);
	return true;
}

static bool opens(const char *line)
{
	const char *set = *line == '[' ? strchr(line, ']') : NULL;
	return line_begins(set ? behind_blanks(set + 1) : line, "for") || line_begins(line, "if");
}

static bool collect_call(struct text_reader *t, const char *at)
{
	struct called c;
	struct body *b = &t->body[t->collecting];
	if (!read_called(&t->r, at, &c))
		return false;
	*MEM_PUSH(b->call, b->calls, b->call_capacity) =
		(struct call){.line = t->kept, .name = intern_id(t->called_names, c.name.start, c.name.length)};
	return true;
}

/* A line that is no comment, without its own. */
static bool collect_line(struct text_reader *t, const char *comment)
{
	struct reader *r = &t->r;
	const char *at = first_word(r), *word = at;
	bool call = accept_word(&word, "call"), procedure = !call && accept_word(&word, "procedure");
	bool done = line_begins(at, "done"), table = table_is_begun(at);
	if (t->tables != SIZE_MAX) {
		if (call || procedure)
			return fail(r, at, "procedures and calls stand before tables");
		keep_line(t, NULL);
		return true;
	}
	if (table) {
		note_misplaced(t);
		t->tables = t->kept;
		keep_line(t, NULL);
		return true;
	}
	if ((procedure && !begin_procedure(t, word)) || (call && !collect_call(t, word)))
		return false;
	if (done && !t->unclosed && t->collecting) {
		if (!at_end(at + strlen("done")))
			return fail(r, at, "'done' must stand alone in its line");
		t->body[t->collecting].end = t->kept;
		t->collecting = 0;
		return true;
	}
	t->unclosed += opens(at);
	t->unclosed -= done && t->unclosed;
	t->body[t->collecting].lines += !done;
	keep_line(t, comment);
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
	r->line = line;
	r->line_end = line + strlen(line);
	r->number = lines_number(t->lines);
	if (!*at)
		return true;
	if (!t->version_known)
		return read_version(t);
	if (at[0] == '/' && at[1] == '/' && !t->listing)
		return read_header_line(t, at + 2);
	if (at[0] == '/' && at[1] == '/') {
		collect_site(t, at);
		return true;
	}
	char *label = behind_label(line);
	const char *comment = cut_comment(label ? label : line);
	if (!begin_listing(t))
		return false;
	return line_begins(at, "get") && t->tables == SIZE_MAX ? read_annotation(r, label) : collect_line(t, comment);
}

/* The kept line is the one at hand. */
static void take_line(struct text_reader *t, size_t kept)
{
	t->r.line = t->text.data + t->line[kept].start;
	t->r.line_end = t->r.line + strlen(t->r.line);
	t->r.number = t->line[kept].number;
}

static const char *procedure_name(const struct text_reader *t, size_t body)
{
	return intern_data(t->procedure_names, (uint32_t)(body - 1), NULL);
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
	if (!t->processes_known && !t->header.parametric)
		return fail(r, NULL, "the file ends without '// processes N'");
	if (!t->listing && !check_grid(t))
		return false;
	t->body[0].end = t->tables < t->kept ? t->tables : t->kept;
	if (!t->collecting)
		return true;
	take_line(t, t->body[t->collecting].head);
	return fail(r, first_word(r), "procedure %s is not closed by a 'done'", procedure_name(t, t->collecting));
}

/* ------------------------------------------------------------------ an order of procedures */

static bool resolve(struct text_reader *t)
{
	for (size_t i = 0; i < t->bodies; i++)
		for (size_t k = 0; k < t->body[i].calls; k++) {
			size_t length;
			struct call *c = &t->body[i].call[k];
			const char *name = intern_data(t->called_names, c->name, &length);
			uint32_t id = intern_find(t->procedure_names, name, length);
			c->callee = id + (size_t)1;
			if (id != INTERN_NONE)
				continue;
			take_line(t, c->line);
			return fail(&t->r, first_word(&t->r),
				"there is no procedure %.*s: 'procedure %.*s' and what it does are missing", SHOWN,
				name, SHOWN, name);
		}
	return true;
}

/* All that it calls is known. */
static bool sum_up(struct text_reader *t, struct body *b)
{
	for (size_t i = 0; i < b->calls; i++) {
		const struct body *callee = &t->body[b->call[i].callee];
		take_line(t, b->call[i].line);
		b->called += callee->called;
		b->inside = callee->inside >= b->inside ? callee->inside + 1 : b->inside;
		if (b->called > CALLED_LINES)
			return fail(&t->r, first_word(&t->r), "up to here, calls stand for more than %" PRIu64 " lines",
				CALLED_LINES);
		if (b->inside > CALLS_INSIDE)
			return fail(&t->r, first_word(&t->r), "procedures that call each other are more than %d deep",
				CALLS_INSIDE);
	}
	b->called += b->lines;
	b->followed = FOLLOWED;
	return true;
}

/* path: the bodies whose calls are being followed, each called by the one before. */
static bool fail_cyclic(struct text_reader *t, const size_t *path, size_t length, const struct call *c)
{
	struct text through = {0};
	size_t from = length;
	while (path[--from] != c->callee)
		;
	for (size_t i = from + 1; i < length && through.length < MESSAGE_BYTES; i++)
		text_format(
			&through, "%s%s", i > from + 1 ? ", which calls " : " through ", procedure_name(t, path[i]));
	take_line(t, c->line);
	fail(&t->r, first_word(&t->r), "procedure %s calls itself%s", procedure_name(t, c->callee),
		through.length ? through.data : "");
	text_clear(&through);
	return false;
}

/* Appends the body and all that it calls to the order, each behind what it calls itself. */
static bool follow(struct text_reader *t, size_t body, size_t *path, size_t *order, size_t *ordered)
{
	size_t length = 1;
	path[0] = body;
	while (length) {
		struct body *b = &t->body[path[length - 1]];
		b->followed = UNDER_WAY;
		if (b->next == b->calls) {
			if (!sum_up(t, b))
				return false;
			order[(*ordered)++] = path[--length];
			continue;
		}
		const struct call *c = &b->call[b->next++];
		if (t->body[c->callee].followed == UNDER_WAY)
			return fail_cyclic(t, path, length, c);
		if (t->body[c->callee].followed == NOT_YET)
			path[length++] = c->callee;
	}
	return true;
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
	if (formula && !at_end(at))
		return fail(r, at, "'%.*s' is too much behind a formula", SHOWN, at);
	*table = node_make(r->store, NODE_TABLE, *argument, word, 0, 1, &formula);
	return formula;
}

static bool has_letter(const char *at)
{
	while (*at && !is_letter(*at))
		at++;
	return *at;
}

/* The lines from this one to the next that begins a table. */
static bool read_entries(struct text_reader *t, size_t *kept, struct word name, uint32_t arguments, const char *at)
{
	struct reader *r = &t->r;
	struct text numbers = {0}, spelled = {0};
	size_t head = *kept;
	text_add(&spelled, name.start, name.length);
	struct table *table = table_new(spelled.data, arguments);
	do {
		text_put(&numbers, at);
		text_char(&numbers, ' ');
		at = ++*kept < t->kept ? behind_blanks(t->text.data + t->line[*kept].start) : NULL;
	} while (at && !table_is_begun(at));
	take_line(t, head);
	bool good = table_parse(table, numbers.data, r->error) || reader_place(r, first_word(r));
	if (good)
		r->module->table[r->module->tables - 1] = node_make(r->store, NODE_TABLE, 0,
			store_word(r->store, spelled.data, spelled.length), store_table(r->store, table), 0, NULL);
	else
		table_free(table);
	text_clear(&numbers);
	text_clear(&spelled);
	return good;
}

static bool read_table(struct text_reader *t, size_t *kept)
{
	take_line(t, *kept);
	struct reader *r = &t->r;
	struct module *m = r->module;
	const char *at = first_word(r), *argument;
	struct word name = {at + 1, name_length(at + 1)};
	uint32_t arguments = 1;
	if (!name.length || name.start[name.length] != '[')
		return fail(r, at, "a table is defined as '$NAME[ARGUMENT] = NUMBERS', not '%.*s'", SHOWN, at);
	argument = name.start + name.length + 1;
	for (at = argument; *at != ']'; at++)
		arguments += *at == ',';
	if (arguments > TABLE_ARGUMENTS)
		return fail(r, argument, "a table has at most %d arguments", TABLE_ARGUMENTS);
	uint32_t id = intern_id(r->table_names, name.start, name.length);
	if (id < m->tables)
		return fail(r, name.start, "table $%.*s is defined in line %" PRIu64 " already", SHOWN_WORD(name),
			r->table_line[id]);
	r->table_line = mem_grow(r->table_line, &r->table_line_capacity, id + (size_t)1, sizeof *r->table_line);
	r->table_line[id] = r->number;
	*MEM_PUSH(m->table, m->tables, m->table_capacity) =
		node_make(r->store, NODE_ALL, 0, store_word(r->store, name.start, name.length), 0, 0, NULL);
	at = strchr(at, '=') + 1;
	if (!m->parametric || !has_letter(at))
		return read_entries(t, kept, name, arguments, at);
	++*kept;
	return read_table_formula(t, argument, at, &m->table[id]);
}

/* What is wrong in a table is said when nothing before it is. */
static bool read_tables(struct text_reader *t)
{
	for (size_t kept = t->tables; kept < t->kept;) {
		size_t head = kept;
		if (read_table(t, &kept))
			continue;
		if (t->in_tables.kind == ERROR_NONE)
			t->in_tables = *t->r.error;
		t->r.error->kind = ERROR_NONE;
		for (kept = head + 1; kept < t->kept; kept++)
			if (table_is_begun(behind_blanks(t->text.data + t->line[kept].start)))
				break;
	}
	return true;
}

static bool check_tables(struct text_reader *t)
{
	if (t->in_tables.kind == ERROR_NONE)
		return true;
	*t->r.error = t->in_tables;
	return false;
}

/* ------------------------------------------------------------------ loops and guards */

static struct open *innermost(struct text_reader *t)
{
	return &t->open[t->opened - 1];
}

static void add_statement(struct text_reader *t, node_id statement)
{
	*MEM_PUSH(t->kid, t->kids, t->kid_capacity) = statement;
}

static bool open_statement(struct text_reader *t, size_t line, enum open_kind kind, node_id who, node_id number)
{
	if (t->opened > NESTED_LIMIT)
		return fail(&t->r, first_word(&t->r), "more than %d loops nested", NESTED_LIMIT);
	*MEM_PUSH(t->open, t->opened, t->open_capacity) = (struct open){kind, line, t->kids, who, number};
	return true;
}

static node_id close_sequence(struct text_reader *t, const struct open *o)
{
	node_id body = node_make(
		t->r.store, NODE_SEQUENCE, 0, 0, 0, (uint32_t)(t->kids - o->kid), t->kid ? t->kid + o->kid : NULL);
	t->kids = o->kid;
	return body;
}

static void close_statement(struct text_reader *t)
{
	struct open o = t->open[--t->opened];
	node_id kid[3] = {o.who, o.number, close_sequence(t, &o)};
	bool loop = o.kind == OPEN_LOOP;
	t->r.depth -= loop;
	add_statement(t, node_make(t->r.store, loop ? NODE_LOOP : NODE_GUARD, o.kind == OPEN_ELSE, 0, 0, 3, kid));
}

static bool read_index(const char **at, struct loop_name *index)
{
	*at = behind_blanks(*at);
	size_t length = is_letter(**at) ? name_length(*at) : 0;
	*index = (struct loop_name){*at, length < INDEX_NAME_LIMIT ? length : INDEX_NAME_LIMIT, NODE_NONE};
	*at = behind_blanks(*at + length);
	return length && accept(at, "=");
}

static node_id read_number_bound(struct reader *r, const char **at)
{
	const char *start = *at = behind_blanks(*at);
	bool negative = accept(at, "-");
	uint64_t magnitude;
	if (!is_digit(**at))
		return fail(r, start, "the bounds of a loop must be numbers, not '%.*s'", SHOWN, start);
	if (!text_read_number(at, (uint64_t)INT64_MAX + negative, &magnitude))
		return fail(
			r, start, "the bound '%.*s' is not a number of 64 bits without leading zeros", SHOWN, start);
	return number_constant(r->store, negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude);
}

/* The last index of a loop that is counted from 0. */
static node_id last_index(struct reader *r, const char *at, node_id low, node_id high)
{
	int64_t first, last, length;
	node_id number = number_add(r->store, high, low, -1);
	if (!number_is_constant(r->store, low, &first) || !number_is_constant(r->store, high, &last))
		return number ? number : (node_id)fail(r, at, "the bounds are too far apart");
	if (!number || __builtin_sub_overflow(last, first, &length) || length == INT64_MAX)
		return fail(r, at,
			"the loop from %" PRId64 " to %" PRId64 " has more iterations than 64 bits can count", first,
			last);
	if (length < -1)
		return fail(r, at,
			"the loop from %" PRId64 " to %" PRId64 " runs backwards (%" PRId64 " to %" PRId64
			" would be no iterations)",
			first, last, first, first - 1);
	return number;
}

static bool read_for(struct text_reader *t, size_t line, node_id who, const char *at)
{
	struct reader *r = &t->r;
	struct loop_name index;
	if (!read_index(&at, &index))
		return fail(r, first_word(r), "a loop is 'for INDEX = FIRST to LAST'");
	const char *first = at = behind_blanks(at);
	if (*at == '{' && !r->module->parametric)
		return fail(r, at, "the lower bound of a loop must be a number");
	index.low = *at == '{' ? read_value(r, &at) : read_number_bound(r, &at);
	if (!index.low)
		return false;
	if (!accept_word(&at, "to"))
		return fail(r, at, "'to' is missing: a loop is 'for INDEX = FIRST to LAST'");
	at = behind_blanks(at);
	node_id high = number_begins(at) ? read_value(r, &at) : read_number_bound(r, &at);
	if (!high)
		return false;
	if (!at_end(at))
		return fail(r, at, "'%.*s' is too much behind a loop's bounds", SHOWN, at);
	node_id last = last_index(r, first, index.low, high);
	if (!last || !open_statement(t, line, OPEN_LOOP, who, last))
		return false;
	r->index[r->depth++] = index;
	return true;
}

static bool read_if(struct text_reader *t, size_t line, const char *at)
{
	struct reader *r = &t->r;
	at = behind_blanks(at);
	node_id test = read_test(r, &at);
	if (!test)
		return false;
	if (!at_end(at))
		return fail(r, at, "'%.*s' is too much behind a condition", SHOWN, at);
	return open_statement(t, line, OPEN_IF, NODE_NONE, test);
}

static bool read_else(struct text_reader *t, size_t line, const char *at)
{
	struct open o = *innermost(t);
	if (!at_end(at))
		return fail(&t->r, at, "'else' must stand alone in its line");
	if (o.kind != OPEN_IF)
		return fail(&t->r, first_word(&t->r), "'else' without an 'if' before it");
	close_statement(t);
	return open_statement(t, line, OPEN_ELSE, NODE_NONE, test_opposite(t->r.store, o.number));
}

/* ------------------------------------------------------------------ statements */

/* $b, but not $b[i0]+8 */
static bool names_table(struct word argument)
{
	return *argument.start == '$' && !memchr(argument.start, '[', argument.length);
}

static node_id read_argument(struct reader *r, const struct node *parameter, struct word argument)
{
	const char *name = store_get_word(r->store, parameter->word), *at = argument.start;
	if (parameter->sub)
		return names_table(argument) ? read_table_name(r, argument)
					     : (node_id)fail(r, at, "parameter $%s is a table, '%.*s' is none", name,
						       SHOWN_WORD(argument));
	if (names_table(argument))
		return fail(r, at, "parameter %s is a number, '%.*s' is none", name, SHOWN_WORD(argument));
	node_id number = read_sum(r, &at);
	if (number && at != argument.start + argument.length)
		return fail(r, at, "an argument is a sum, as 8+2*i0 or 16*4^i0, or a table, as $b; not '%.*s'",
			SHOWN_WORD(argument));
	return number;
}

static bool read_call(struct text_reader *t, const char *at)
{
	struct reader *r = &t->r;
	struct called c;
	if (!read_called(r, at, &c))
		return false;
	uint32_t id = intern_find(t->procedure_names, c.name.start, c.name.length);
	node_id kid[1 + PARAMETERS_LIMIT] = {t->body[id + 1].node};
	const struct node *p = node_of(r->store, kid[0]);
	uint32_t parameters = p->kids - 1;
	if (c.arguments != parameters)
		return fail(r, c.name.start, "procedure %.*s has %u parameter%s, not %u", SHOWN_WORD(c.name),
			parameters, text_plural(parameters, "", "s"), c.arguments);
	for (uint32_t i = 0; i < parameters; i++) {
		kid[1 + i] = read_argument(r, node_of(r->store, p->kid[1 + i]), c.argument[i]);
		if (!kid[1 + i])
			return false;
	}
	add_statement(t, node_make(r->store, NODE_CALL, 0, 0, 0, 1 + parameters, kid));
	return true;
}

static bool read_statement(struct text_reader *t, size_t line)
{
	struct reader *r = &t->r;
	const char *at = first_word(r);
	node_id who = NODE_NONE;
	if (accept_word(&at, "call"))
		return read_call(t, at);
	if (accept_word(&at, "if"))
		return read_if(t, line, at);
	if (accept_word(&at, "else"))
		return read_else(t, line, at);
	if (accept(&at, "[")) {
		who = read_domain(r, &at);
		if (!who)
			return false;
	}
	const char *word = at;
	if (accept_word(&word, "for"))
		return node_of(r->store, who)->kind == NODE_NAMED
			       ? fail(r, word, "a loop is executed by a set of ranks, not by a process that is named")
			       : read_for(t, line, who, word);
	node_id event = read_event(r, t->text.data + t->line[line].start + (at - r->line), who);
	if (event)
		add_statement(t, event);
	return event;
}

/* Before a comment, because the same words may mean something else behind a loop. */
enum { OF_EVENT = 'e', OF_LOOP = 'l' };

/* What the comment behind a line says is known when all sites are declared. */
static void note_line(struct text_reader *t, size_t kept, size_t line)
{
	struct module *m = t->r.module;
	const char *at = first_word(&t->r);
	char kind = opens(at) || line_begins(at, "else") ? OF_LOOP : OF_EVENT;
	m->sites[line] = SITES_NONE;
	if (t->line[kept].comment && !line_begins(at, "call") && !line_begins(at, "procedure")) {
		struct text comment = {0};
		text_char(&comment, kind);
		text_put(&comment, t->text.data + t->line[kept].comment);
		m->sites[line] = 1 + intern_id(t->comments, comment.data, comment.length);
		text_clear(&comment);
	}
	t->source[line] = (struct source){t->r.number, (size_t)(first_word(&t->r) - t->r.line) + 1};
}

static bool fail_misplaced(struct text_reader *t)
{
	take_line(t, t->misplaced);
	const char *at = first_word(&t->r);
	return line_begins(at, "procedure") ? fail(&t->r, at, "a procedure stands outside of all loops and procedures")
					    : fail(&t->r, at, "a table is defined at the end, behind all loops");
}

static bool read_lines(struct text_reader *t, size_t body, size_t line)
{
	const struct body *b = &t->body[body];
	for (size_t kept = b->first; kept < b->end; kept++) {
		if (t->line[kept].body != body)
			continue;
		take_line(t, kept);
		const char *at = first_word(&t->r);
		if (accept_word(&at, "done")) {
			if (!at_end(at))
				return fail(&t->r, at, "'done' must stand alone in its line");
			if (t->opened == 1)
				return fail(&t->r, at, "'done' without a 'for' before it");
			close_statement(t);
			continue;
		}
		note_line(t, kept, line++);
		if (!read_statement(t, kept))
			return false;
	}
	if (t->opened == 1)
		return true;
	if (t->misplaced != SIZE_MAX)
		return fail_misplaced(t);
	take_line(t, innermost(t)->line);
	return fail(&t->r, first_word(&t->r), "'for' is not closed by a 'done'");
}

static bool read_body(struct text_reader *t, size_t body)
{
	struct body *b = &t->body[body];
	struct reader *r = &t->r;
	struct called c = {0};
	node_id kid[1 + PARAMETERS_LIMIT];
	size_t line = b->base;
	r->parameters = 0;
	r->depth = t->opened = t->kids = 0;
	if (body) {
		const char *at;
		take_line(t, b->head);
		at = first_word(r) + strlen("procedure");
		if (!read_called(r, at, &c) || !read_parameters(r, &c))
			return false;
		note_line(t, b->head, line++);
	}
	open_statement(t, b->head, OPEN_BODY, NODE_NONE, NODE_NONE);
	if (!read_lines(t, body, line))
		return false;
	kid[0] = close_sequence(t, innermost(t));
	for (uint32_t k = 0; k < r->parameters; k++) {
		struct word name = r->parameter[k];
		bool table = *name.start == '$';
		kid[1 + k] = node_make(r->store, NODE_VARIABLE, table,
			store_word(r->store, name.start + table, name.length - table), VARIABLE_PARAMETER + k, 0, NULL);
	}
	b->node = body ? node_make(r->store, NODE_PROCEDURE, 0, store_word(r->store, c.name.start, c.name.length), 0,
				 1 + r->parameters, kid)
		       : kid[0];
	return true;
}

/* Bodies behind those that they call. */
static bool read_bodies(struct text_reader *t)
{
	struct module *m = t->r.module;
	size_t *path = mem_array(t->bodies, sizeof *path), *order = mem_array(t->bodies, sizeof *order);
	size_t ordered = 0, line = 0;
	bool good = resolve(t);
	for (size_t i = 0; good && i < t->bodies; i++) {
		t->body[i].base = line;
		line += t->body[i].lines;
		good = t->body[i].followed == FOLLOWED || follow(t, i, path, order, &ordered);
	}
	m->lines = line;
	m->sites = mem_zero((line + 1) * sizeof *m->sites);
	t->source = mem_array(line + 1, sizeof *t->source);
	for (size_t i = 0; good && i < ordered; i++)
		good = read_body(t, order[i]);
	for (size_t i = 1; good && i < t->bodies; i++)
		*MEM_PUSH(m->procedure, m->procedures, m->procedure_capacity) = t->body[i].node;
	m->body = t->body[0].node;
	good = good && (t->misplaced == SIZE_MAX || fail_misplaced(t));
	free(path);
	free(order);
	return good;
}

/* ------------------------------------------------------------------ all together */

static bool check_module(struct text_reader *t)
{
	struct reader *r = &t->r;
	struct inlined_line wrong;
	if (module_check(r->module, &wrong, r->error))
		return true;
	const struct source *source = &t->source[wrong.line];
	error_at(r->error, "%s:%" PRIu64 ":%zu", r->name, source->number, source->column);
	if (wrong.call == wrong.line)
		return false;
	size_t length = strlen(r->error->message);
	snprintf(r->error->message + length, sizeof r->error->message - length, " (called in line %" PRIu64 ")",
		t->source[wrong.call].number);
	return false;
}

/* Of a statement of the body, for all processes of a class. */
static uint64_t events_of(struct run *run, struct environment *e, node_id statement, uint32_t class, uint64_t size)
{
	const struct module *m = run_module(run);
	bool alike = !(node_of(m->store, statement)->uses[FOR_COUNT] & USES_PROCESS);
	uint64_t events = 0;
	if (alike) {
		environment_set(e, run_class_first(run, class));
		return saturating_multiply(run_count(run, e, statement, class), size);
	}
	for (uint32_t rank = 0; rank < m->processes && !e->failure; rank++) {
		if (run_class(run, rank) != class)
			continue;
		environment_set(e, rank);
		events = saturating_add(events, run_count(run, e, statement, class));
	}
	return events;
}

static uint64_t events_of_all(struct run *run, struct environment *e)
{
	const struct module *m = run_module(run);
	uint64_t events = 0, *size = mem_zero((run_classes(run) + (size_t)1) * sizeof *size);
	e->index = mem_array(run_depth(run) + 1, sizeof *e->index);
	for (uint32_t rank = 0; rank < m->processes; rank++)
		size[run_class(run, rank)]++;
	for (uint32_t class = 0; class < run_classes(run); class ++) {
		size_t length;
		const struct projected *own = run_projection(run, m->body, class, &length);
		for (size_t i = 0; i < length && !e->failure; i++)
			events = saturating_add(events, events_of(run, e, own[i].statement, class, size[class]));
	}
	free(e->index);
	free(size);
	return events;
}

static bool check_events(struct text_reader *t)
{
	struct reader *r = &t->r;
	if (r->module->parametric)
		return true;
	struct run *run = run_new(r->module, NULL);
	struct environment e = run_environment(run);
	run_allow(run, EVENTS_STEPS);
	uint64_t events = run_failure(run) ? 0 : events_of_all(run, &e);
	enum failure failure = run_failure(run) ? run_failure(run) : e.failure;
	run_free(run);
	r->line = NULL;
	r->number = t->events_line ? t->events_line : 1;
	if (failure == FAILURE_STEPS)
		return fail(r, NULL, "the model stands for too many statements that differ");
	if (failure)
		return fail(r, NULL, "%s", failure_text(failure));
	if (events >= EVENTS_LIMIT)
		return fail(r, NULL, "the model stands for 2^63 events or more");
	if (!t->events_line || t->events == events)
		return true;
	error_set(r->error, ERROR_INCONSISTENT,
		"the header says %" PRIu64 " events, but the listing stands for %" PRIu64, t->events, events);
	return reader_place(r, NULL);
}

static bool name_sites(struct text_reader *t)
{
	struct module *m = t->r.module;
	struct declared_sites *declared = declared_sites_new(&m->places);
	uint32_t comments = intern_count(t->comments), *sites = mem_array(comments + (size_t)1, sizeof *sites);
	for (size_t at = 0; at < t->site.length; at += strlen(t->site.data + at) + 1)
		declared_sites_line(declared, t->site.data + at + 2);
	sites[0] = SITES_NONE;
	for (uint32_t i = 0; i < comments; i++) {
		const char *comment = intern_data(t->comments, i, NULL);
		sites[1 + i] = declared_sites_find(declared, comment + 1, *comment == OF_LOOP);
	}
	for (size_t line = 0; line < m->lines; line++)
		m->sites[line] = sites[m->sites[line]];
	declared_sites_free(declared);
	free(sites);
	return true;
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
	t->tables = t->misplaced = SIZE_MAX;
	t->procedure_names = intern_new();
	t->called_names = intern_new();
	t->comments = intern_new();
	r->name = lines_name(lines);
	r->error = error;
	r->table_names = intern_new();
	r->set_texts = intern_new();
	bool good = collect_all(t) && make_module(t) && read_tables(t) && read_bodies(t) && name_sites(t) &&
		    check_tables(t) && check_module(t) && check_events(t);
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
		free(t->body[i].call);
	intern_free(t->procedure_names);
	intern_free(t->called_names);
	intern_free(t->comments);
	intern_free(r->table_names);
	intern_free(r->set_texts);
	lines_close(lines);
	free(r->table_line);
	free(r->set);
	free(t->line);
	free(t->body);
	free(t->open);
	free(t->kid);
	free(t->source);
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
