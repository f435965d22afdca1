/*
 * representation_bridge.c -- what `tracenest show -q MODEL` prints of the older form that a module
 * becomes; with `back`, of the module that this becomes.
 */
#include <stdio.h>
#include <string.h>

#include "ask/loop_groups.h"
#include "model/program_nodes.h"
#include "model/program_of_module.h"
#include "tests/representation.h"

int representation_bridge(struct module *m, const char *path, int options, char **option)
{
	struct error error = {0};
	struct text text = {0};
	struct inlined_line wrong;
	struct program *p = program_of_module(m, NULL, &wrong, &error);
	if (!p) {
		fprintf(stderr, "tracenest: %s: %s\n", path, error.message);
		return 3;
	}
	if (options > 0 && !strcmp(option[0], "back")) {
		const struct program_nodes *n = program_nodes(p, &error);
		if (!n) {
			fprintf(stderr, "tracenest: %s: %s\n", path, error.message);
			return 3;
		}
		module_print_text(n->module, NULL, &text);
		for (size_t i = 0; i < p->length; i++)
			if (n->line[i] >= n->module->lines || n->statement[n->line[i]] < i)
				fprintf(stderr, "statement %zu has no line\n", i);
		fwrite(text.data, 1, text.length, stdout);
		text_clear(&text);
		program_free(p);
		return 0;
	}
	struct program_remarks remarks = loop_groups_remarks(p);
	program_print_remarks_text(p, &remarks, &text);
	fwrite(text.data, 1, text.length, stdout);
	text_clear(&text);
	program_free(p);
	return 0;
}
