/*
 * address.c -- the address of a statement: its path of indices in the text, "2.0.1".
 */
#include "model/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/module_address.h"
#include "model/program_nodes.h"

/* The statements of a body: from, and behind the last. */
struct stretch {
	size_t from, to;
};

bool program_find(const struct program *p, const char *address, size_t *at, struct error *error)
{
	const struct program_nodes *n = program_nodes(p, error);
	uint64_t line;
	if (!n || !module_find(n->module, address, &line, error))
		return false;
	*at = n->statement[line];
	*at -= *at && statement_is_in_line(&p->statement[*at - 1]);
	return true;
}

void program_address(const struct program *p, size_t at, struct text *text)
{
	size_t from = 0;
	for (bool inside = false;; inside = true) {
		size_t index = 0;
		for (; from + statement_size(&p->statement[from]) <= at; index++)
			from += statement_size(&p->statement[from]);
		text_format(text, inside ? ".%zu" : "%zu", index);
		if (from == at || (from + 1 == at && statement_is_in_line(&p->statement[from])))
			return;
		from++;
	}
}

/* around: that of the body, without the dot. */
static void add_addresses(const struct program *p, struct stretch body, const char *around, struct addresses *a)
{
	size_t index = 0;
	for (size_t i = body.from; i < body.to; i += statement_size(&p->statement[i]), index++) {
		struct text address = {0};
		text_format(&address, "%s%s%zu", around, *around ? "." : "", index);
		a->start[i] = a->words.length;
		text_add(&a->words, address.data, address.length + 1);
		if (statement_is_in_line(&p->statement[i])) {
			a->start[i + 1] = a->words.length;
			text_add(&a->words, address.data, address.length + 1);
		} else if (statement_is_loop(&p->statement[i]))
			add_addresses(p, (struct stretch){i + 1, i + p->statement[i].size}, address.data, a);
		text_clear(&address);
	}
}

struct addresses addresses_of(const struct program *p)
{
	struct addresses a = {.start = mem_array(p->length + 1, sizeof *a.start)};
	add_addresses(p, (struct stretch){0, p->length}, "", &a);
	return a;
}

const char *addresses_get(const struct addresses *a, size_t at)
{
	return a->words.data + a->start[at];
}

void addresses_clear(struct addresses *a)
{
	text_clear(&a->words);
	free(a->start);
	*a = (struct addresses){0};
}
