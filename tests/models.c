/*
 * models.c -- models as text, for tests.
 */
#include "tests/models.h"

#include "ask/unfolding.h"
#include "base/saturate.h"
#include "merge/merge.h"
#include "model/module_parts.h"
#include "model/program_nodes.h"

#include <string.h>

struct model *model_parse(const char *name, const char *bytes, size_t length, struct error *error)
{
	struct program *p = program_parse(name, bytes, length, error);
	return p ? program_to_model(p, error) : NULL;
}

void model_print_text(const struct model *m, struct text *out)
{
	struct program *p = program_of_plain(m);
	program_print_text(p, out);
	program_free(p);
}

bool program_equal(const struct program *a, const struct program *b)
{
	struct text x = {0}, y = {0};
	program_print_text(a, &x);
	program_print_text(b, &y);
	bool equal = !strcmp(x.data, y.data);
	text_clear(&x);
	text_clear(&y);
	return equal;
}

bool model_equal(const struct model *a, const struct model *b)
{
	struct program *p = program_of_plain(a), *q = program_of_plain(b);
	bool equal = program_equal(p, q);
	program_free(p);
	program_free(q);
	return equal;
}

uint64_t model_events(const struct model *m)
{
	struct program *p = program_of_plain(m);
	uint64_t events = program_events(p);
	program_free(p);
	return events;
}

uint64_t nest_total(const struct nest *n)
{
	uint64_t total = 0;
	for (size_t i = 0; i < n->root_length; i++)
		total = saturating_add(total, nest_events(n, n->root[i]));
	return total;
}

bool model_complete(const struct model *m, struct error *error)
{
	uint64_t never;
	return merge_complete_but_sends(m, &never, error);
}

struct program *program_of_process(const struct program *p, uint32_t rank)
{
	struct error error = {0};
	struct text text = {0};
	struct module *own = module_of_rank(program_nodes(p, &error)->module, rank, NULL, &error);
	module_print_text(own, NULL, &text);
	struct program *read = program_parse("one process", text.data, text.length, &error);
	text_clear(&text);
	module_free(own);
	return read;
}

void header_put(struct text *to, uint32_t processes, const struct grid *grid)
{
	text_format(to, "// tracenest 1\n// processes %u\n", processes);
	for (uint32_t i = 0; i < grid->axes; i++)
		text_format(to, "%s%u", i ? " " : "// grid ", grid->size[i]);
	text_put(to, grid->axes ? "\n" : "");
}

void header_put_parametric(struct text *to, uint32_t axes)
{
	text_put(to, "// tracenest 1\n// parametric\n// processes ");
	text_put(to, axes ? "X" : "P");
	for (uint32_t i = 1; i < axes; i++)
		text_format(to, " * %c", "XYZW"[i]);
	text_char(to, '\n');
}
