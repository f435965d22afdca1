/*
 * said_once.c -- names of procedures and of what they take.
 */
#include "model/said_once.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/lines.h"

struct said_once *said_once_new(void)
{
	struct said_once *s = mem_zero(sizeof *s);
	s->names = intern_new();
	return s;
}

void said_once_free(struct said_once *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->name && i < s->blocks.bodies; i++)
		free(s->name[i]);
	for (size_t i = 0; i < BLOCK_PARAMETERS; i++)
		text_clear(&s->parameter[i]);
	blocks_clear(&s->blocks);
	intern_free(s->names);
	free(s->name);
	free(s->called);
	free(s);
}

/* ------------------------------------------------------------------ holes */

/* The parameter that fills a hole in the procedure at hand; NULL: it is what it is. */
static const char *filled(const struct said_once *s, size_t hole)
{
	for (size_t i = 0; s->function && i < s->function->fillings; i++)
		if (s->function->filling[i].hole == hole)
			return s->parameter[s->function->filling[i].parameter].data;
	return NULL;
}

const char *said_hole(struct said_once *s, const char *name, const char *word, const struct value *value)
{
	if (!s)
		return NULL;
	if (!s->looking)
		return filled(s, s->hole++);
	blocks_add_hole(&s->blocks, word, name, value);
	return "\1";
}

/* ------------------------------------------------------------------ what procedures are called */

/* The function of these statements' sites, where it is one: "rhs.f:203 compute_rhs". "": several,
   or none. */
static const char *function_of(const struct program *p, size_t from, size_t to)
{
	const char *function = "";
	for (size_t i = from; i < to; i++) {
		const uint32_t *site;
		size_t sites =
			statement_is_loop(&p->statement[i]) ? 0 : program_get_sites(p, p->statement[i].sites, &site);
		for (size_t k = 0; k < sites; k++) {
			const char *own = site_parts(dictionary_get_word(p->dictionary, site[k])).function;
			if (*function && strcmp(own, function) != 0)
				return "";
			function = own;
		}
	}
	return function;
}

/* As a name: of "mesh::exchange(int)" exchange. */
static void put_name(const char *function, struct text *name)
{
	size_t length = strcspn(function, "(<");
	const char *from = function;
	for (const char *at = function; at < function + length; at++)
		if (*at == ':' || *at == ' ')
			from = at + 1;
	for (const char *at = from; at < function + length; at++)
		if (is_letter(*at) || (at > from && is_digit(*at)))
			text_char(name, *at);
		else
			text_char(name, '_');
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

static const char *name_of(struct said_once *s, size_t body)
{
	if (!s->name)
		s->name = mem_zero(s->blocks.bodies * sizeof *s->name);
	if (s->name[body])
		return s->name[body];
	const struct program *p = s->blocks.program;
	const struct block_body *b = &s->blocks.body[body];
	size_t from = b->unit->statement, to = b->unit[b->units - 1].end;
	struct text name = {0};
	put_name(function_of(p, from, to), &name);
	if (!name.length)
		text_put(&name, kind_of(p, from, to));
	size_t length = name.length;
	for (unsigned i = 2; intern_find(s->names, name.data, name.length) != INTERN_NONE; i++) {
		text_truncate(&name, length);
		text_format(&name, is_digit(name.data[length - 1]) ? "_%u" : "%u", i);
	}
	intern_id(s->names, name.data, name.length);
	s->called = mem_grow(s->called, &s->capacity, s->calls + 1, sizeof *s->called);
	s->called[s->calls++] = body;
	return s->name[body] = name.data;
}

/* ------------------------------------------------------------------ calls and headings */

static void begin_argument(bool *any, struct text *out)
{
	text_char(out, *any ? ',' : '(');
	*any = true;
}

/* Indices are called as they are in the text, in which those of some loops are hidden. */
static void put_indices(uint32_t indices, uint32_t hidden, bool *any, struct text *out)
{
	for (uint32_t d = 0; d < INDEX_DEPTH; d++) {
		if (!(indices >> d & 1))
			continue;
		begin_argument(any, out);
		text_format(out, "i%d", (int)d - __builtin_popcount(hidden & ((UINT32_C(1) << d) - 1)));
	}
}

static void put_argument(struct said_once *s, const struct block_hole *hole, uint32_t hidden, struct text *out)
{
	const char *word = blocks_word(&s->blocks, hole->word);
	const struct value *value = blocks_value(&s->blocks, hole);
	if (value) {
		struct value here = *value;
		value_squeeze(&here, hidden);
		sum_print(&here, out);
	} else {
		text_put(out, *word == BLOCK_FILLED ? s->parameter[atoi(word + 1)].data : word);
	}
}

void said_call(struct said_once *s, const struct unit *unit, uint32_t hidden, struct text *out)
{
	bool any = false;
	text_format(out, "call %s", name_of(s, unit->function));
	put_indices(unit->indices, hidden, &any, out);
	for (uint32_t i = 0; i < unit->holes; i++) {
		begin_argument(&any, out);
		put_argument(s, &s->blocks.hole[s->blocks.holes[unit->hole + i]], hidden, out);
	}
	text_put(out, any ? ")" : "");
}

/* What is an index, or a coordinate, is no name of a parameter. */
static bool is_name(const struct text *name)
{
	bool index = name->data[0] == 'i' && name->data[1 + strspn(name->data + 1, "0123456789")] == 0;
	return !index && (name->length > 1 || !strchr("pxyzw", name->data[0]));
}

static bool is_taken(const struct said_once *s, uint32_t parameters, const char *name)
{
	for (uint32_t i = 0; i < parameters; i++)
		if (!strcmp(s->parameter[i].data, name))
			return true;
	return false;
}

static void name_parameter(struct said_once *s, uint32_t number, const char *wanted)
{
	struct text *name = &s->parameter[number], plain = {0};
	bool table = *wanted == '$';
	put_name(wanted + table, &plain);
	if (!plain.length || !is_name(&plain)) {
		text_truncate(&plain, 0);
		text_char(&plain, 'n');
	}
	for (unsigned i = 1; i == 1 || is_taken(s, number, name->data); i++) {
		text_truncate(name, 0);
		text_format(name, i > 1 ? "%s%s%u" : "%s%s", table ? "$" : "", plain.data, i);
	}
	text_clear(&plain);
}

void said_heading(struct said_once *s, size_t body, struct text *out)
{
	const struct block_body *b = &s->blocks.body[body];
	uint32_t indices = blocks_indices(&s->blocks, b), named = 0;
	bool any = false;
	text_format(out, "procedure %s", name_of(s, body));
	put_indices(indices, block_around(b->depth) & ~indices, &any, out);
	s->function = b;
	for (size_t i = 0; i < b->fillings && named < b->parameters; i++) {
		if (b->filling[i].parameter < named)
			continue;
		name_parameter(s, named, blocks_word(&s->blocks, s->blocks.hole[b->filling[i].hole].name));
		begin_argument(&any, out);
		text_put(out, s->parameter[named++].data);
	}
	text_put(out, any ? ")" : "");
}
