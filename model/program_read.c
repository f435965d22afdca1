/*
 * program_read.c -- programs of the older form from their texts, which are read as modules.
 */
#include <string.h>

#include "model/extents.h"
#include "model/module_read.h"
#include "model/program_nodes.h"
#include "model/program_of_module.h"

/* Takes the module, which was read from what is called so. NULL: it was not. */
static struct program *program_of(struct module *m, const char *name, struct error *error)
{
	struct inlined_line wrong;
	if (!m)
		return NULL;
	struct program *p = NULL;
	if (m->parametric)
		error_set(error, ERROR_INPUT,
			"%s: this is a program for every number of processes: make the model of one, as in "
			"'tracenest instantiate APP -D P=64'",
			name);
	else if (!(p = program_of_module(m, NULL, &wrong, error)))
		module_error_at(m, name, wrong, error);
	if (p)
		program_nodes_keep(p, m);
	else
		module_free(m);
	return p;
}

struct program *program_read(const char *path, struct error *error)
{
	return program_of(module_read(path, error), strcmp(path, "-") ? path : "standard input", error);
}

struct program *program_parse(const char *name, const char *bytes, size_t length, struct error *error)
{
	return program_of(module_parse(name, bytes, length, error), name, error);
}

static struct environment environment_of(const struct module *m, const struct extents *x)
{
	struct environment e = module_environment(m);
	e.processes = x->processes;
	e.grid = x->grid;
	for (uint32_t i = 0; i < m->symbols; i++)
		for (uint32_t k = 0; k < x->parameters; k++)
			if (!strcmp(store_get_word(m->store, m->symbol[i]), x->parameter[k].name))
				e.symbol[i] = x->parameter[k].value;
	return e;
}

struct program *program_parse_at(
	const char *name, const char *bytes, size_t length, const struct extents *x, struct error *error)
{
	struct module *m = module_parse(name, bytes, length, error);
	struct inlined_line wrong;
	uint64_t events;
	if (!m)
		return NULL;
	struct environment at = environment_of(m, x);
	bool good = module_check(m, &at, &events, &wrong, error);
	struct program *p = good ? program_of_module(m, &at, &wrong, error) : NULL;
	if (!p)
		module_error_at(m, name, wrong, error);
	module_free(m);
	return p;
}
