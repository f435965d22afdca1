/*
 * program_nodes.c -- the program's text, without calls, read.
 */
#include "model/program_nodes.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

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

static struct module *module_of(const struct program *p, bool procedures, struct error *error)
{
	struct text text = {0};
	program_print_remarks_text(p, &(struct program_remarks){.procedures = procedures, .uncounted = true}, &text);
	struct module *module = module_parse("the program", text.data, text.length, error);
	text_clear(&text);
	return module;
}

struct module *module_of_program(const struct program *p, struct error *error)
{
	return module_of(p, true, error);
}

const struct program_nodes *program_nodes(const struct program *p, struct error *error)
{
	uint64_t known = known_statements(p);
	if (p->nodes && p->nodes->known == known)
		return p->nodes;
	program_nodes_free(p->nodes);
	((struct program *)p)->nodes = NULL;
	struct module *module = module_of(p, false, error);
	if (!module)
		return NULL;
	struct program_nodes *n = mem_zero(sizeof *n);
	n->module = module;
	n->run = run_new(module, NULL);
	n->known = known;
	number_lines(p, n);
	((struct program *)p)->nodes = n;
	return n;
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
	run_free(n->run);
	module_free(n->module);
	free(n->line);
	free(n->statement);
	free(n);
}
