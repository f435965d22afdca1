/*
 * address.c -- the address of a statement: its path of indices in the text, "2.0.1".
 */
#include "model/program.h"

#include <string.h>

/* The statements of a body: from, and behind the last. */
struct stretch {
	size_t from, to;
};

static size_t count_statements(const struct program *p, struct stretch body)
{
	size_t count = 0;
	for (size_t i = body.from; i < body.to; i += statement_size(&p->statement[i]))
		count++;
	return count;
}

/* start: where the index that is too large stands in the address. */
static bool no_statement(const struct program *p, const char *address, const char *start, uint64_t index, struct stretch body, struct error *error)
{
	size_t statements = count_statements(p, body);
	int before = start > address ? (int)(start - address - 1) : 0;
	const char *where = before ? address : "the model";
	before = before ? before : (int)strlen(where);
	if (!statements)
		return error_set(error, ERROR_INPUT, "no construct at %s: %.*s has no constructs", address, before, where);
	return error_set(error, ERROR_INPUT, "no construct at %s: the constructs of %.*s are numbered 0 to %zu, not %llu", address,
		before, where, statements - 1, (unsigned long long)index);
}

bool program_find(const struct program *p, const char *address, size_t *at, struct error *error)
{
	struct stretch body = {0, p->length};
	for (const char *next = address;; next++) {
		const char *start = next;
		uint64_t index;
		if (!text_read_number(&next, UINT64_MAX, &index) || (*next && *next != '.'))
			return error_set(error, ERROR_INPUT, "'%s' is not an address: numbers separated by dots, as in 2.0.1", address);
		*at = body.from;
		for (uint64_t k = 0; k < index && *at < body.to; k++)
			*at += statement_size(&p->statement[*at]);
		if (*at >= body.to)
			return no_statement(p, address, start, index, body, error);
		if (!*next)
			return true;
		if (!statement_is_loop(&p->statement[*at]))
			return error_set(error, ERROR_INPUT, "no construct at %s: %.*s is an event, not a loop", address,
				(int)(next - address), address);
		body = (struct stretch){*at + 1, *at + p->statement[*at].size};
	}
}

void program_address(const struct program *p, size_t at, struct text *text)
{
	size_t from = 0;
	for (bool inside = false;; inside = true) {
		size_t index = 0;
		for (; from + statement_size(&p->statement[from]) <= at; index++)
			from += statement_size(&p->statement[from]);
		text_format(text, inside ? ".%zu" : "%zu", index);
		if (from == at)
			return;
		from++;
	}
}
