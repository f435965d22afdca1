/*
 * procedures.c -- lines are put aside by the procedure that they stand in; then the calls are
 * followed once, depth first: that tells cycles, and what each body comes to, before anything is
 * read.
 */
#include "model/procedures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/table.h"

struct call {
	size_t callee;
	uint64_t line;
	struct text name; /* until it is known who that is */
};

enum followed { NOT_YET, UNDER_WAY, DONE };

struct body {
	struct procedure procedure;
	struct call *call;
	size_t calls, call_capacity;
	size_t next; /* call to follow */
	uint64_t lines; /* with those of what it calls */
	size_t depth; /* of calls inside each other */
	enum followed followed;
};

struct procedures {
	struct body **body; /* the first one is what stands outside */
	size_t length, capacity;
	struct intern *names; /* ids are places in body, less one */
};

/* Bytes of names that a message lists. */
#define LINE_SHOWN 200

#define fail_at(lines, line, error, ...)                                                                               \
	(error_set((error), ERROR_INPUT, __VA_ARGS__), error_at((error), "%s:%" PRIu64, lines_name(lines), (line)))

/* ------------------------------------------------------------------ lines */

bool procedure_calls(const char *line)
{
	return line_begins(line, "call");
}

bool procedure_defines(const char *line)
{
	return line_begins(line, "procedure");
}

static bool opens(const char *line)
{
	const char *set = *line == '[' ? strchr(line, ']') : NULL;
	return line_begins(set ? behind_blanks(set + 1) : line, "for") || line_begins(line, "if");
}

static size_t name_length(const char *at)
{
	size_t length = 0;
	while (is_letter(at[length]) || (length && is_digit(at[length])))
		length++;
	return length;
}

/* Of a procedure: "mesh::exchange". */
static size_t procedure_length(const char *at)
{
	size_t length = name_length(at), more;
	while (length && at[length] == ':' && at[length + 1] == ':' && (more = name_length(at + length + 2)) > 0)
		length += 2 + more;
	return length;
}

/* Up to the comma or the parenthesis that ends it: brackets, braces and parentheses may hold
   others. */
static struct word read_argument(const char **at)
{
	const char *start = *at = behind_blanks(*at);
	for (int open = 0; **at && (open || !strchr(",)", **at)); ++*at)
		open += strchr("([{", **at) ? 1 : strchr(")]}", **at) ? -1 : 0;
	const char *end = *at;
	while (end > start && is_blank(end[-1]))
		end--;
	return (struct word){start, (size_t)(end - start)};
}

static bool read_arguments(const char **at, struct called *c, struct error *error)
{
	do {
		++*at;
		if (c->arguments == PARAMETERS_MOST)
			return error_set(error, ERROR_INPUT, "a procedure takes at most %d arguments", PARAMETERS_MOST);
		struct word argument = read_argument(at);
		if (!argument.length)
			return error_set(error, ERROR_INPUT, "an argument is missing: 'call NAME(1,i0)'");
		c->argument[c->arguments++] = argument;
	} while (**at == ',');
	if (**at != ')')
		return error_set(error, ERROR_INPUT, "')' is missing behind the arguments of a procedure");
	++*at;
	return true;
}

/* NAME, NAME(ARGUMENT,...) at what stands behind the line's first word. */
static bool read_called(const char *at, struct called *c, struct error *error)
{
	at = behind_blanks(at);
	*c = (struct called){.name = {at, procedure_length(at)}};
	if (!c->name.length)
		return error_set(error, ERROR_INPUT,
			"a procedure has a name of letters, digits and _: 'call NAME' or 'call NAME(1,i0)', not '%.*s'",
			SHOWN, at);
	at += c->name.length;
	if (*at == '(' && !read_arguments(&at, c, error))
		return false;
	const char *rest = behind_blanks(at);
	if (*rest && (rest == at || rest[0] != '/' || rest[1] != '/'))
		return error_set(error, ERROR_INPUT, "'%.*s' is too much behind the name of a procedure", SHOWN, rest);
	return true;
}

bool procedure_called(const char *line, struct called *c, struct error *error)
{
	return read_called(line + strlen("call"), c, error);
}

/* ------------------------------------------------------------------ bodies */

static struct body *add_body(struct procedures *p, uint64_t line)
{
	struct body *b = mem_zero(sizeof *b);
	b->procedure.line = line;
	p->body = mem_grow(p->body, &p->capacity, p->length + 1, sizeof *p->body);
	return p->body[p->length++] = b;
}

static void keep_line(struct body *b, const char *line, uint64_t number)
{
	struct procedure *p = &b->procedure;
	*MEM_PUSH(p->kept, p->lines, p->capacity) = (struct kept_line){p->text.length, number};
	text_put(&p->text, line);
	text_char(&p->text, 0);
}

static void keep_call(struct body *b, struct word name, uint64_t line)
{
	b->call = mem_grow(b->call, &b->call_capacity, b->calls + 1, sizeof *b->call);
	b->call[b->calls] = (struct call){.line = line};
	text_add(&b->call[b->calls++].name, name.start, name.length);
}

/* n or $b, but not what is a coordinate elsewhere */
static bool is_parameter(struct word word)
{
	size_t dollar = *word.start == '$';
	return word.length > dollar && name_length(word.start + dollar) == word.length - dollar &&
	       !(word.length == 1 && strchr("pxyzw", *word.start));
}

static bool is_same_word(struct word a, struct word b)
{
	return a.length == b.length && !memcmp(a.start, b.start, a.length);
}

static bool read_parameters(struct procedure *p, const struct called *c, struct error *error)
{
	for (; p->parameters < c->arguments; p->parameters++) {
		struct word word = c->argument[p->parameters];
		if (!is_parameter(word))
			return error_set(error, ERROR_INPUT,
				"'%.*s' is no parameter: these are names, of numbers as n, of tables as $b (p, x, y, z and w are taken)",
				SHOWN_WORD(word));
		for (size_t i = 0; i < p->parameters; i++)
			if (is_same_word(p->parameter[i], word))
				return error_set(error, ERROR_INPUT, "parameter %.*s stands twice", SHOWN_WORD(word));
		p->parameter[p->parameters] = word;
	}
	return true;
}

static bool define(struct procedures *all, const char *line, uint64_t number, struct error *error)
{
	struct called c;
	struct procedure *p = &add_body(all, number)->procedure;
	p->heading = mem_text(line + strlen("procedure"));
	if (!read_called(p->heading, &c, error))
		return false;
	uint32_t known = intern_count(all->names), id = intern_id(all->names, c.name.start, c.name.length);
	p->name = intern_data(all->names, id, NULL);
	if (id < known)
		return error_set(error, ERROR_INPUT, "procedure %s is defined in line %" PRIu64 " already", p->name,
			all->body[id + 1]->procedure.line);
	return read_parameters(p, &c, error);
}

struct collecting {
	struct procedures *all;
	struct body *body; /* the line stands in */
	size_t open; /* loops and guards of it */
};

static bool collect_line(struct collecting *c, const char *line, uint64_t number, struct error *error)
{
	const char *at = behind_blanks(line);
	bool inside = c->body != c->all->body[0];
	if (procedure_defines(at)) {
		if (inside || c->open)
			return error_set(error, ERROR_INPUT, "a procedure stands outside of all loops and procedures");
		if (!define(c->all, at, number, error))
			return false;
		c->body = c->all->body[c->all->length - 1];
		return true;
	}
	if (line_begins(at, "done") && !c->open && inside) {
		c->body = c->all->body[0];
		return true;
	}
	if (procedure_calls(at)) {
		struct called called;
		if (!procedure_called(at, &called, error))
			return false;
		keep_call(c->body, called.name, number);
	}
	c->open += opens(at);
	c->open -= c->open && line_begins(at, "done");
	keep_line(c->body, line, number);
	return true;
}

static bool collect(struct collecting *c, struct lines *lines, const char *line, char **behind, struct error *error)
{
	error->kind = ERROR_NONE;
	do {
		if (!collect_line(c, line, lines_number(lines), error))
			return error_at(error, "%s:%" PRIu64, lines_name(lines), lines_number(lines));
		line = *behind = lines_next(lines, error);
	} while (line && (c->body != c->all->body[0] || c->open || !table_is_begun(behind_blanks(line))));
	if (error->kind != ERROR_NONE)
		return false;
	return c->body == c->all->body[0] || fail_at(lines, c->body->procedure.line, error,
						     "procedure %s is not closed by a 'done'", c->body->procedure.name);
}

/* ------------------------------------------------------------------ calls */

/* path: the bodies whose calls are being followed, each called by the one before. */
static bool fail_cyclic(const struct lines *lines, struct body *const *path, size_t length, const struct body *callee,
	uint64_t line, struct error *error)
{
	struct text through = {0};
	size_t from = length;
	while (path[--from] != callee)
		;
	for (size_t i = from + 1; i < length && through.length < LINE_SHOWN; i++)
		text_format(&through, "%s%s", i > from + 1 ? ", which calls " : " through ", path[i]->procedure.name);
	fail_at(lines, line, error, "procedure %s calls itself%s", callee->procedure.name,
		through.length ? through.data : "");
	text_clear(&through);
	return false;
}

static bool resolve(struct procedures *p, const struct lines *lines, struct error *error)
{
	for (size_t i = 0; i < p->length; i++)
		for (size_t k = 0; k < p->body[i]->calls; k++) {
			struct call *c = &p->body[i]->call[k];
			uint32_t id = intern_find(p->names, c->name.data, c->name.length);
			if (id == INTERN_NONE)
				return fail_at(lines, c->line, error,
					"there is no procedure %.*s: 'procedure %.*s' and what it does are missing",
					SHOWN, c->name.data, SHOWN, c->name.data);
			c->callee = id + (size_t)1;
		}
	return true;
}

/* All that it calls is known. */
static bool sum_up(struct procedures *p, struct body *b, const struct lines *lines, struct error *error)
{
	for (size_t i = 0; i < b->calls; i++) {
		const struct body *callee = p->body[b->call[i].callee];
		b->lines += callee->lines;
		if (b->lines > CALLED_LIMIT)
			return fail_at(lines, b->call[i].line, error,
				"up to here, calls stand for more than %" PRIu64 " lines", CALLED_LIMIT);
		b->depth = callee->depth >= b->depth ? callee->depth + 1 : b->depth;
		if (b->depth > CALL_DEPTH)
			return fail_at(lines, b->call[i].line, error,
				"procedures that call each other are more than %d deep", CALL_DEPTH);
	}
	b->lines += b->procedure.lines;
	b->followed = DONE;
	return true;
}

static bool follow(
	struct procedures *p, struct body **path, size_t first, const struct lines *lines, struct error *error)
{
	size_t length = 1;
	for (path[0] = p->body[first]; length;) {
		struct body *b = path[length - 1];
		b->followed = UNDER_WAY;
		if (b->next == b->calls) {
			length--;
			if (!sum_up(p, b, lines, error))
				return false;
			continue;
		}
		const struct call *c = &b->call[b->next++];
		struct body *callee = p->body[c->callee];
		if (callee->followed == UNDER_WAY)
			return fail_cyclic(lines, path, length, callee, c->line, error);
		if (callee->followed == NOT_YET)
			path[length++] = callee;
	}
	return true;
}

static bool check_calls(struct procedures *p, const struct lines *lines, struct error *error)
{
	struct body **path = mem_array(p->length, sizeof *path);
	bool good = resolve(p, lines, error);
	for (size_t i = 0; i < p->length && good; i++)
		good = p->body[i]->followed == DONE || follow(p, path, i, lines, error);
	free(path);
	return good;
}

/* ------------------------------------------------------------------ all together */

struct procedures *procedures_collect(
	struct lines *lines, const char *line, size_t open, char **behind, struct error *error)
{
	struct procedures *p = mem_zero(sizeof *p);
	p->names = intern_new();
	struct collecting c = {p, add_body(p, 0), open};
	if (collect(&c, lines, line, behind, error) && check_calls(p, lines, error))
		return p;
	procedures_free(p);
	return NULL;
}

void procedures_free(struct procedures *p)
{
	for (size_t i = 0; p && i < p->length; i++) {
		struct body *b = p->body[i];
		for (size_t k = 0; k < b->calls; k++)
			text_clear(&b->call[k].name);
		free(b->call);
		free(b->procedure.heading);
		free(b->procedure.kept);
		text_clear(&b->procedure.text);
		free(b);
	}
	if (!p)
		return;
	intern_free(p->names);
	free(p->body);
	free(p);
}

const struct procedure *procedures_main(const struct procedures *p)
{
	return &p->body[0]->procedure;
}

const struct procedure *procedures_find(const struct procedures *p, struct word name)
{
	uint32_t id = intern_find(p->names, name.start, name.length);
	return id == INTERN_NONE ? NULL : &p->body[id + 1]->procedure;
}
