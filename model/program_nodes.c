/*
 * program_nodes.c -- the module that the program was made of, or its text, read; without calls.
 */
#include "model/program_nodes.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/generalize.h"

static uint64_t known_statements(const struct program *p)
{
	uint64_t known = hash_pair(p->processes, p->length);
	for (size_t i = 0; i < p->length; i++) {
		const struct statement *s = &p->statement[i];
		known = hash_pair(known, hash_pair((uint64_t)s->set << 32 | s->event, s->count));
		known = hash_pair(known, hash_pair((uint64_t)s->bound << 32 | s->attributes, s->size << 1 | s->alone));
		known = hash_pair(known, s->sites);
	}
	return known;
}

static void number_lines(const struct program *p, struct program_nodes *n)
{
	n->line = mem_array(p->length + 1, sizeof *n->line);
	n->statement = mem_array(p->length + 1, sizeof *n->statement);
	size_t line = 0;
	for (size_t i = 0; i < p->length; i++) {
		n->line[i] = line;
		n->statement[line] = i;
		line += !statement_is_in_line(&p->statement[i]);
	}
}

void program_nodes_keep(struct program *p, struct module *m)
{
	struct program_nodes *n = p->nodes = mem_zero(sizeof *n);
	n->module = m;
	n->known = known_statements(p);
}

static struct module *plain_module_of(const struct program *p, struct error *error)
{
	struct text text = {0};
	program_print_remarks_text(p, &(struct program_remarks){.uncounted = true}, &text);
	struct module *module = module_parse("the program", text.data, text.length, error);
	text_clear(&text);
	return module;
}

struct module *module_of_program(const struct program *p, struct error *error)
{
	struct draft *d = draft_of_program(p, error);
	struct module *m = d ? module_of_draft(d, NULL, NULL) : NULL;
	draft_free(d);
	return m;
}

const struct program_nodes *program_nodes(const struct program *program, struct error *error)
{
	struct program *p = (struct program *)program;
	if (p->nodes && p->nodes->known != known_statements(p)) {
		program_nodes_free(p->nodes);
		p->nodes = NULL;
	}
	if (!p->nodes) {
		struct module *m = plain_module_of(p, error);
		if (!m)
			return NULL;
		program_nodes_keep(p, m);
	}
	struct program_nodes *n = p->nodes;
	if (n->run)
		return n;
	if (!module_inline(n->module, error))
		return NULL;
	n->run = run_new(n->module, NULL);
	if (!n->module->events)
		n->module->events = run_events(n->run, &(enum failure){FAILURE_NONE});
	number_lines(p, n);
	return n;
}

struct run *program_run(const struct program *p, struct error *error)
{
	const struct program_nodes *n = program_nodes(p, error);
	return n ? n->run : NULL;
}

const struct prepared *program_prepared(const struct program *p, struct error *error)
{
	struct program_nodes *n = (struct program_nodes *)program_nodes(p, error);
	if (n && !n->prepared)
		n->prepared = prepared_new(module_of_program(p, error), error);
	return n ? n->prepared : NULL;
}

uint64_t program_events(const struct program *p)
{
	struct error ignored;
	const struct program_nodes *n = program_nodes(p, &ignored);
	return n ? n->module->events : UINT64_MAX;
}

void program_nodes_free(struct program_nodes *n)
{
	if (!n)
		return;
	prepared_free(n->prepared);
	run_free(n->run);
	module_free(n->module);
	free(n->line);
	free(n->statement);
	free(n);
}
