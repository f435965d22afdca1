/*
 * representation_show.c -- show MODEL [--procedures=off] [--loop ADDRESS] [--rank RANK]
 * [--addresses] [--plain] [--unfolded], as the product has them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/unfolding.h"
#include "model/module_address.h"
#include "model/module_parts.h"
#include "tests/representation.h"

struct shown {
	struct module *m; /* owned, but for the first one */
	const struct module *given;
	struct inlined_line *origin; /* by line: that of the program without calls; NULL: the same */
	struct module_addresses addresses;
};

static void put_address(const void *context, size_t line, struct text *out)
{
	const struct shown *v = context;
	text_format(out, " // %s", module_addresses_get(&v->addresses, v->origin ? v->origin[line].line : line));
}

static bool step(struct shown *v, struct module *next, struct inlined_line *origin)
{
	if (!next)
		return false;
	for (size_t i = 0; v->origin && i < next->lines; i++)
		origin[i] = v->origin[origin[i].line];
	free(v->origin);
	v->origin = origin;
	if (v->m != v->given)
		module_free(v->m);
	v->m = next;
	return true;
}

static bool select_loop(struct shown *v, const char *address, struct error *error)
{
	uint64_t line;
	struct inlined_line *origin = NULL;
	if (!module_find(v->m, address, &line, error))
		return false;
	struct module *part = module_part(v->m, (size_t)line, &origin);
	return step(v, part, origin);
}

static bool select_rank(struct shown *v, const char *rank, struct error *error)
{
	struct inlined_line *origin = NULL;
	struct module *own = module_of_rank(v->m, (uint32_t)strtoul(rank, NULL, 10), &origin, error);
	return step(v, own, origin);
}

/* bare: without call sites. */
static bool unfold(struct shown *v, bool bare, struct error *error)
{
	struct inlined_line *origin = NULL;
	struct module *plain = module_unfold(v->m, &origin, error);
	if (!step(v, plain, origin))
		return false;
	for (size_t i = 0; bare && i < plain->lines; i++)
		plain->sites[i] = SITES_NONE;
	return true;
}

static const char *value_of_option(const char *name, int options, char **option)
{
	for (int i = 0; i < options; i++)
		if (!strcmp(option[i], name))
			return i + 1 < options && strncmp(option[i + 1], "--", 2) ? option[i + 1] : "";
	return NULL;
}

int representation_show(struct module *m, const char *path, int options, char **option)
{
	struct error error = {0};
	struct shown v = {.m = m, .given = m};
	const char *loop = value_of_option("--loop", options, option),
		   *rank = value_of_option("--rank", options, option);
	bool addresses = value_of_option("--addresses", options, option),
	     bare = value_of_option("--plain", options, option),
	     plain = bare || value_of_option("--unfolded", options, option),
	     flat = loop || rank || addresses || plain || value_of_option("--procedures=off", options, option);
	bool good = !flat || module_inline(m, &error);
	if (good && addresses)
		v.addresses = module_addresses_of(m);
	good = good && (!plain || loop || unfold(&v, bare, &error)) && (!loop || select_loop(&v, loop, &error)) &&
	       (!rank || select_rank(&v, rank, &error)) && (!plain || !loop || unfold(&v, bare, &error));
	struct output *out = good ? output_open("-", &error) : NULL;
	if (out) {
		struct module_remarks remarks = {.context = &v, .behind = put_address};
		module_print(v.m, addresses ? &remarks : NULL, out);
		good = output_close(out, &error);
	}
	if (!good)
		fprintf(stderr, "tracenest: %s: %s\n", path, error.message);
	if (v.m != m)
		module_free(v.m);
	module_addresses_clear(&v.addresses);
	free(v.origin);
	return good ? 0 : 3;
}
