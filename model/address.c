/*
 * address.c -- the address of a statement: its path of indices in the text, "2.0.1".
 */
#include "model/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/module_address.h"
#include "model/program_nodes.h"

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
