/*
 * body_names.c -- names from sites, or from kinds of events.
 */
#include "model/body_names.h"

#include <stdio.h>
#include <string.h>

#include "model/lines.h"

/* The paths of an event's sites. Others: 0. */
static size_t paths_of(const struct called_lines *l, size_t line, const uint32_t **path)
{
	bool event = node_of(l->m->store, l->line[line].node)->kind == NODE_EVENT;
	return event ? sites_get(&l->m->places, l->m->sites[line], path) : 0;
}

/* The function of these lines' sites, where it is one: "rhs.f:203 compute_rhs". "": several, or
   none. */
static const char *function_of(const struct called_lines *l, size_t from, size_t to)
{
	const char *function = "";
	for (size_t i = from; i < to; i++) {
		const uint32_t *site;
		size_t sites = paths_of(l, i, &site);
		for (size_t k = 0; k < sites; k++) {
			const char *own = site_parts(path_site(&l->m->places, site[k])).function;
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

/* Do events of a line pass through a function: all of them, any? */
static bool all_pass(const struct called_lines *l, size_t line, uint32_t function, bool any)
{
	const uint32_t *path;
	size_t paths = paths_of(l, line, &path);
	for (size_t k = 0; k < paths; k++)
		if (passes(l->m->places.paths, path[k], function) == any)
			return any;
	return !any;
}

static bool is_called(const struct called_lines *l, uint32_t procedure, size_t line)
{
	for (size_t i = 0; i < l->calls->length; i++) {
		const struct program_call *c = &l->calls->call[i];
		if (c->procedure == procedure && c->start <= line && line < c->end)
			return true;
	}
	return false;
}

static bool is_of_others(const struct called_lines *l, uint32_t procedure, uint32_t function)
{
	for (size_t i = 0; i < l->m->lines; i++)
		if (all_pass(l, i, function, true) && !is_called(l, procedure, i))
			return true;
	return false;
}

/* The innermost function that all lines of a call pass through, if those of other procedures do
   not. "": there is none. */
static const char *called_function(const struct called_lines *l, const struct program_call *c)
{
	const struct call_paths *t = l->m->places.paths;
	const uint32_t *path;
	size_t first = c->start;
	while (first < c->end && node_of(l->m->store, l->line[first].node)->kind != NODE_EVENT)
		first++;
	size_t paths = first < c->end ? paths_of(l, first, &path) : 0;
	for (const struct call_frame *f = paths ? call_paths_frame(t, path[0]) : NULL; f;
		f = call_paths_frame(t, f->caller)) {
		bool all = f->function != CALL_FUNCTION_UNKNOWN;
		for (size_t i = c->start; i < c->end && all; i++)
			all = node_of(l->m->store, l->line[i].node)->kind != NODE_EVENT ||
			      (paths_of(l, i, &path) && all_pass(l, i, f->function, false));
		if (all)
			return is_of_others(l, c->procedure, f->function) ? "" : f->name;
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
static const char *kind_of(const struct called_lines *l, size_t from, size_t to)
{
	bool does[MATCH_GROUP + 1] = {false}, loops = false;
	for (size_t i = from; i < to; i++) {
		const struct node *n = node_of(l->m->store, l->line[i].node);
		if (n->kind == NODE_EVENT)
			does[kind_rows[n->sub].match] = true;
		loops = loops || n->kind == NODE_LOOP;
	}
	if (!does[MATCH_OUT] && !does[MATCH_IN])
		return does[MATCH_GROUP] ? "collectives" : "local";
	if (does[MATCH_GROUP])
		return "step";
	return loops ? "sweep" : !does[MATCH_IN] ? "send" : !does[MATCH_OUT] ? "receive" : "exchange";
}

void body_name(const struct called_lines *l, size_t call, struct text *name)
{
	const struct program_call *c = &l->calls->call[call];
	if (c->procedure < l->calls->names) {
		text_put(name, l->calls->name[c->procedure]);
		return;
	}
	body_name_of_function(function_of(l, c->start, c->end), name);
	if (!name->length)
		body_name_of_function(called_function(l, c), name);
	if (!name->length)
		text_put(name, kind_of(l, c->start, c->end));
}

void body_name_number(struct text *name, size_t length, unsigned number)
{
	text_truncate(name, length);
	text_format(name, is_digit(name->data[length - 1]) ? "_%u" : "%u", number);
}

/* ------------------------------------------------------------------ parameters */

/* What is an index, or a coordinate, is no name of a parameter. */
static bool is_name(const struct text *name)
{
	bool index = name->data[0] == 'i' && name->data[1 + strspn(name->data + 1, "0123456789")] == 0;
	return !index && (name->length > 1 || !strchr("pxyzw", name->data[0]));
}

static bool is_taken(const uint32_t *name, size_t names, uint32_t wanted)
{
	for (size_t i = 0; i < names; i++)
		if (name[i] == wanted)
			return true;
	return false;
}

/* Numbered where one of the first k names is the same. */
static uint32_t parameter_name(struct store *s, const uint32_t *name, size_t k)
{
	struct text plain = {0};
	const char *word = store_get_word(s, name[k]);
	put_word(word, strlen(word), &plain);
	if (!plain.length || !is_name(&plain)) {
		text_truncate(&plain, 0);
		text_char(&plain, 'n');
	}
	size_t length = plain.length;
	uint32_t own = store_word(s, plain.data, plain.length);
	for (unsigned i = 2; is_taken(name, k, own); i++) {
		text_truncate(&plain, length);
		text_format(&plain, "%u", i);
		own = store_word(s, plain.data, plain.length);
	}
	text_clear(&plain);
	return own;
}

void parameter_names(struct store *s, uint32_t *name, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		char index[16];
		int length = snprintf(index, sizeof index, "i%zu", k);
		name[k] =
			*store_get_word(s, name[k]) ? parameter_name(s, name, k) : store_word(s, index, (size_t)length);
	}
}
