/*
 * representation_positions.c -- what `tracenest show -q --positions MODEL` prints.
 */
#include <stdio.h>

#include "ask/offsets.h"
#include "tests/representation.h"

int representation_positions(struct module *m, const char *path, int options, char **option)
{
	struct error error = {0};
	struct text text = {0};
	(void)options;
	(void)option;
	if (!module_inline(m, &error)) {
		fprintf(stderr, "tracenest: %s: %s\n", path, error.message);
		return (int)error.kind;
	}
	struct run *run = run_new(m, NULL);
	struct offsets *o = offsets_new(run);
	struct module_remarks remarks = offsets_remarks(o);
	module_print_text(m, &remarks, &text);
	fwrite(text.data, 1, text.length, stdout);
	text_clear(&text);
	offsets_free(o);
	run_free(run);
	return 0;
}
