/*
 * body_names.c -- names from sites, or from kinds of events; each once.
 */
#include "model/body_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/lines.h"

struct body_names body_names_of(const struct generalized *g)
{
	return (struct body_names){.g = g,
		.name = mem_zero((g->bodies + 1) * sizeof(char *)),
		.asked = mem_array(g->bodies + 1, sizeof(size_t)),
		.taken = intern_new()};
}

void body_names_clear(struct body_names *n)
{
	for (size_t i = 0; i < n->length; i++)
		free(n->name[n->asked[i]]);
	free(n->name);
	free(n->asked);
	intern_free(n->taken);
}

/* The function of these statements' sites, where it is one: "rhs.f:203 compute_rhs". "": several,
   or none. */
static const char *function_of(const struct program *p, size_t from, size_t to)
{
	const char *function = "";
	for (size_t i = from; i < to; i++) {
		const uint32_t *site;
		size_t sites =
			statement_is_loop(&p->statement[i]) ? 0 : sites_get(&p->places, p->statement[i].sites, &site);
		for (size_t k = 0; k < sites; k++) {
			const char *own = site_parts(path_site(&p->places, site[k])).function;
			if (*function && strcmp(own, function) != 0)
				return "";
			function = own;
		}
	}
	return function;
}

static bool passes(const struct call_paths *t, uint32_t path, uint32_t function)
{
	const struct call_frame *f = call_paths_frame(t, path);
	while (f && f->function != function)
		f = call_paths_frame(t, f->caller);
	return f != NULL;
}

/* Do events of a statement pass through a function: all of them, any? */
static bool all_pass(const struct program *p, size_t at, uint32_t function, bool any)
{
	const uint32_t *path;
	size_t paths = statement_is_loop(&p->statement[at]) ? 0 : sites_get(&p->places, p->statement[at].sites, &path);
	for (size_t k = 0; k < paths; k++)
		if (passes(p->places.paths, path[k], function) == any)
			return any;
	return !any;
}

static bool is_called(const struct program *p, uint32_t procedure, size_t at)
{
	for (size_t i = 0; i < p->calls.length; i++) {
		const struct program_call *c = &p->calls.call[i];
		if (c->procedure == procedure && c->start <= at && at < c->end)
			return true;
	}
	return false;
}

static bool is_of_others(const struct program *p, uint32_t procedure, uint32_t function)
{
	for (size_t i = 0; i < p->length; i++)
		if (all_pass(p, i, function, true) && !is_called(p, procedure, i))
			return true;
	return false;
}

/* The innermost function that all statements of a call pass through, if those of other procedures
   do not. "": there is none. */
static const char *called_function(const struct program *p, const struct program_call *c)
{
	const uint32_t *path;
	size_t first = c->start;
	while (first < c->end && statement_is_loop(&p->statement[first]))
		first++;
	size_t paths = first < c->end ? sites_get(&p->places, p->statement[first].sites, &path) : 0;
	for (const struct call_frame *f = paths ? call_paths_frame(p->places.paths, path[0]) : NULL; f;
		f = call_paths_frame(p->places.paths, f->caller)) {
		bool all = f->function != CALL_FUNCTION_UNKNOWN;
		for (size_t i = c->start; i < c->end && all; i++)
			all = statement_is_loop(&p->statement[i]) ||
			      (p->statement[i].sites != SITES_NONE && all_pass(p, i, f->function, false));
		if (all)
			return is_of_others(p, c->procedure, f->function) ? "" : f->name;
	}
	return "";
}

/* As a word: of "exchange sum" exchange_sum. */
static void put_word(const char *word, size_t length, struct text *name)
{
	for (size_t i = 0; i < length; i++)
		text_char(name, is_letter(word[i]) || (i && is_digit(word[i])) ? word[i] : '_');
}

/* Without parameters and arguments of templates. */
static void put_bare(const char *function, struct text *bare)
{
	unsigned inside = 0;
	for (const char *at = function; *at && (inside || *at != '('); at++) {
		inside -= inside && *at == '>';
		if (!inside && *at != '>' && *at != '<')
			text_char(bare, *at);
		inside += *at == '<';
	}
}

void body_name_of_function(const char *function, struct text *name)
{
	struct text bare = {0};
	put_bare(function, &bare);
	const char *last = bare.data, *class = NULL, *end = last + bare.length;
	for (const char *at = last; at < end; at++)
		if (*at == ' ') {
			last = at + 1;
			class = NULL;
		} else if (at[0] == ':' && at[1] == ':') {
			class = last;
			last = at + 2;
		}
	if (class && last - class > 2) {
		put_word(class, (size_t)(last - class) - 2, name);
		text_put(name, "::");
	}
	if (last)
		put_word(last, (size_t)(end - last), name);
	text_clear(&bare);
}

/* By what it does. */
static const char *kind_of(const struct program *p, size_t from, size_t to)
{
	bool sends = false, receives = false, syncs = false, loops = false;
	for (size_t i = from; i < to; i++) {
		const struct statement *s = &p->statement[i];
		if (statement_is_loop(s)) {
			loops = loops || statement_guard(s) == GUARD_NONE;
			continue;
		}
		enum event_kind kind = statement_kind(p, s);
		sends = sends || kind == EVENT_SEND;
		receives = receives || kind == EVENT_RECV;
		syncs = syncs || kind == EVENT_SYNC;
	}
	if (!sends && !receives)
		return syncs ? "collectives" : "local";
	if (syncs)
		return "step";
	return loops ? "sweep" : !receives ? "send" : !sends ? "receive" : "exchange";
}

static void put_wanted(const struct generalized *g, const struct program_call *c, struct text *name)
{
	const struct program_calls *calls = &g->program->calls;
	if (c->procedure < calls->names) {
		text_put(name, calls->name[c->procedure]);
		return;
	}
	body_name_of_function(function_of(g->program, c->start, c->end), name);
	if (!name->length)
		body_name_of_function(called_function(g->program, c), name);
	if (!name->length)
		text_put(name, kind_of(g->program, c->start, c->end));
}

void body_name_number(struct text *name, size_t length, unsigned number)
{
	text_truncate(name, length);
	text_format(name, is_digit(name->data[length - 1]) ? "_%u" : "%u", number);
}

const char *body_name(struct body_names *n, size_t body)
{
	struct text name = {0};
	if (n->name[body])
		return n->name[body];
	put_wanted(n->g, &n->g->program->calls.call[n->g->body[body].call], &name);
	size_t length = name.length;
	for (unsigned i = 2; intern_find(n->taken, name.data, name.length) != INTERN_NONE; i++)
		body_name_number(&name, length, i);
	intern_id(n->taken, name.data, name.length);
	n->asked[n->length++] = body;
	return n->name[body] = name.data;
}

/* ------------------------------------------------------------------ parameters */

/* What is an index, or a coordinate, is no name of a parameter. */
static bool is_name(const struct text *name)
{
	bool index = name->data[0] == 'i' && name->data[1 + strspn(name->data + 1, "0123456789")] == 0;
	return !index && (name->length > 1 || !strchr("pxyzw", name->data[0]));
}

static bool is_taken(const struct text *name, uint32_t names, const char *wanted)
{
	for (uint32_t i = 0; i < names; i++)
		if (!strcmp(name[i].data, wanted))
			return true;
	return false;
}

void parameter_names(const struct generalized *g, const struct called_body *b, struct text *name)
{
	struct text plain = {0};
	for (uint32_t k = 0; k < b->parameters; k++) {
		text_truncate(&plain, 0);
		const char *word = generalized_word(g, g->hole[b->parameter[k]].name);
		put_word(word, strlen(word), &plain);
		if (!plain.length || !is_name(&plain)) {
			text_truncate(&plain, 0);
			text_char(&plain, 'n');
		}
		for (unsigned i = 1; i == 1 || is_taken(name, k, name[k].data); i++) {
			text_truncate(&name[k], 0);
			text_format(&name[k], i > 1 ? "%s%u" : "%s", plain.data, i);
		}
	}
	text_clear(&plain);
}
