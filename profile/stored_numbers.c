/*
 * stored_numbers.c -- one way through the lines.
 */
#include "profile/stored_numbers.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/run.h"

static void number(struct stored_numbers *n, const struct store *s, node_id body, size_t *line)
{
	const struct node *b = node_of(s, body);
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *statement = node_of(s, b->kid[k]);
		if (statement->kind == NODE_EVENT && !event_always_happens(s, b->kid[k]))
			n->line[n->count++] = *line;
		n->of_line[*line] = n->count;
		n->line[n->count++] = (*line)++;
		if (statement->kind != NODE_EVENT)
			number(n, s, statement->kid[2], line);
	}
}

struct stored_numbers stored_numbers_of(const struct module *m)
{
	struct stored_numbers n = {.of_line = mem_array(m->lines + 1, sizeof *n.of_line),
		.line = mem_array(2 * m->lines + 1, sizeof *n.line)};
	size_t line = 0;
	number(&n, m->store, m->body, &line);
	return n;
}

void stored_numbers_clear(struct stored_numbers *n)
{
	free(n->of_line);
	free(n->line);
	*n = (struct stored_numbers){0};
}
