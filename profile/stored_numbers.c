/*
 * stored_numbers.c -- one way through the lines.
 */
#include "profile/stored_numbers.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/run.h"

struct stored_numbers stored_numbers_of(const struct module *m)
{
	struct stored_numbers n = {.of_line = mem_array(m->lines + 1, sizeof *n.of_line),
		.line = mem_array(2 * m->lines + 1, sizeof *n.line)};
	struct module_line *line = module_statements(m);
	for (size_t i = 0; i < m->lines; i++) {
		node_id statement = line[i].node;
		if (node_of(m->store, statement)->kind == NODE_EVENT && !event_always_happens(m->store, statement))
			n.line[n.count++] = i;
		n.of_line[i] = n.count;
		n.line[n.count++] = i;
	}
	free(line);
	return n;
}

void stored_numbers_clear(struct stored_numbers *n)
{
	free(n->of_line);
	free(n->line);
	*n = (struct stored_numbers){0};
}
