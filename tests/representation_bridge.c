/*
 * representation_bridge.c -- what `tracenest show -q MODEL` prints of the older form that a module
 * becomes.
 */
#include <stdio.h>

#include "ask/groups.h"
#include "model/program_of_module.h"
#include "tests/representation.h"

int representation_bridge(struct module *m, const char *path, int options, char **option)
{
	struct error error = {0};
	struct text text = {0};
	(void)options;
	(void)option;
	struct program *p = program_of_module(m, NULL, &error);
	if (!p) {
		fprintf(stderr, "tracenest: %s: %s\n", path, error.message);
		return 3;
	}
	struct program_remarks remarks = groups_remarks(p);
	program_print_remarks_text(p, &remarks, &text);
	fwrite(text.data, 1, text.length, stdout);
	text_clear(&text);
	program_free(p);
	return 0;
}
