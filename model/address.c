/*
 * address.c -- the address of a statement: its path of indices in the text, "2.0.1".
 */
#include "model/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/function_address.h"
#include "model/lines.h"

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
static bool no_statement(const struct program *p, const char *address, const char *start, uint64_t index,
	struct stretch body, struct error *error)
{
	size_t statements = count_statements(p, body);
	int before = start > address ? (int)(start - address - 1) : 0;
	const char *where = before ? address : "the model";
	before = before ? before : (int)strlen(where);
	if (!statements)
		return error_set(
			error, ERROR_INPUT, "no construct at %s: %.*s has no constructs", address, before, where);
	return error_set(error, ERROR_INPUT,
		"no construct at %s: the constructs of %.*s are numbered 0 to %zu, not %llu", address, before, where,
		statements - 1, (unsigned long long)index);
}

/* The first statement that has this address. */
static bool find_given(const struct program *p, const char *address, size_t *at, struct error *error)
{
	for (*at = 0; *at < p->length; ++*at)
		if (!strcmp(addresses_get(p->addresses, *at), address))
			return true;
	return error_set(error, ERROR_INPUT, "no construct at %s", address);
}

/* Such a guard stands on the line of its event. */
static size_t behind_names(const struct program *p, size_t at)
{
	return statement_is_in_line(&p->statement[at]) ? at + 1 : at;
}

/* next: where in the address the indices begin. */
static bool find_in(const struct program *p, const char *address, const char *next, struct stretch body, size_t *at,
	struct error *error)
{
	for (;; next++) {
		const char *start = next;
		uint64_t index;
		if (!text_read_number(&next, UINT64_MAX, &index) || (*next && *next != '.'))
			return error_set(error, ERROR_INPUT,
				"'%s' is not an address: numbers separated by dots, as in 2.0.1", address);
		*at = body.from;
		for (uint64_t k = 0; k < index && *at < body.to; k++)
			*at += statement_size(&p->statement[*at]);
		if (*at >= body.to)
			return no_statement(p, address, start, index, body, error);
		if (!*next)
			return true;
		*at = behind_names(p, *at);
		if (!statement_is_loop(&p->statement[*at]))
			return error_set(error, ERROR_INPUT, "no construct at %s: %.*s is an event, not a loop",
				address, (int)(next - address), address);
		body = (struct stretch){*at + 1, *at + p->statement[*at].size};
	}
}

static bool find_in_function(const struct program *p, const char *address, size_t *at, struct error *error)
{
	struct function_body body;
	if (!function_find(p, address, &body, error))
		return false;
	struct stretch statements = {body.from, body.to};
	size_t count = count_statements(p, statements);
	*at = body.from;
	if (!body.inside && count > 1)
		return error_set(error, ERROR_INPUT, "%s has %zu constructs: %s/0 to %s/%zu", address, count, address,
			address, count - 1);
	return !body.inside || find_in(p, address, body.inside, statements, at, error);
}

bool program_find(const struct program *p, const char *address, size_t *at, struct error *error)
{
	if (*address && !is_digit(*address))
		return find_in_function(p, address, at, error);
	if (p->addresses)
		return find_given(p, address, at, error);
	return find_in(p, address, address, (struct stretch){0, p->length}, at, error);
}

void program_address(const struct program *p, size_t at, struct text *text)
{
	size_t from = 0;
	if (p->addresses) {
		text_put(text, addresses_get(p->addresses, at));
		return;
	}
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
	for (size_t i = 0; p->addresses && i < p->length; i++) {
		a.start[i] = a.words.length;
		text_add(&a.words, addresses_get(p->addresses, i), strlen(addresses_get(p->addresses, i)) + 1);
	}
	if (p->addresses)
		return a;
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
