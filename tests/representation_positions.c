/*
 * representation_positions.c -- what `tracenest show -q --positions MODEL` prints.
 */
#include <stdio.h>
#include <string.h>

#include "ask/offsets.h"
#include "tests/representation.h"

/* What the product says of a loop itself, and so not of one that was read. */
static void drop_side_by_side(struct module *m)
{
	for (size_t i = 0; i < m->lines; i++) {
		const char *comment = store_get_word(m->store, m->comment[i]);
		comment += strspn(comment, "0123456789");
		if (!strncmp(comment, " side by side: ", strlen(" side by side: ")))
			m->comment[i] = 0;
	}
}

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
	drop_side_by_side(m);
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
