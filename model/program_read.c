/*
 * program_read.c -- programs of the older form from their texts, which are read as modules.
 */
#include <string.h>

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
