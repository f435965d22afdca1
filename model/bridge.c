/*
 * bridge.c -- a program printed and read.
 */
#include "model/bridge.h"

#include "base/mem.h"

struct module *module_of_program(const struct program *p, const char *name, struct error *error)
{
	struct text text = {0};
	program_print_text(p, &text);
	struct module *m = module_parse(name, text.data, text.length, error);
	text_clear(&text);
	return m;
}

size_t *bridge_lines(const struct program *p)
{
	size_t *line = mem_array(p->length, sizeof *line), lines = 0;
	for (size_t i = 0; i < p->length; i++) {
		line[i] = lines;
		lines += !statement_is_in_line(&p->statement[i]);
	}
	return line;
}
