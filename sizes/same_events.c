/*
 * same_events.c -- two walks beside each other; what is compared is the text of events, because
 * words and groups have other ids in each.
 */
#include "sizes/same_events.h"

#include <inttypes.h>
#include <string.h>

#include "ask/projection.h"

static bool same_sizes(struct program *a, const struct walk *x, struct program *b, const struct walk *y)
{
	struct attribute of[ATTRIBUTES_MOST], as[ATTRIBUTES_MOST];
	struct spot here = walk_spot(x), there = walk_spot(y);
	size_t ofs = program_get_attributes(a, a->statement[walk_statement(x)].attributes, of);
	size_t ass = program_get_attributes(b, b->statement[walk_statement(y)].attributes, as);
	for (size_t i = 0; i < ofs; i++)
		for (size_t k = 0; k < ass; k++) {
			const char *name = dictionary_get_word(a->dictionary, of[i].name);
			if (strcmp(name, dictionary_get_word(b->dictionary, as[k].name)) != 0)
				continue;
			struct attribute_value v = attribute_at(a, &of[i], &here), w = attribute_at(b, &as[k], &there);
			if (!attribute_value_equal(&v, &w))
				return false;
		}
	return true;
}

static bool same_process(struct program *a, struct walk *x, struct program *b, struct walk *y, struct text *told)
{
	struct text of = {0}, as = {0};
	bool more, same = true;
	do {
		bool left = walk_next(x), right = walk_next(y);
		text_truncate(&of, 0);
		text_truncate(&as, 0);
		more = left && right;
		same = left == right;
		if (more) {
			struct plain_event e, f;
			walk_event(x, &e);
			walk_event(y, &f);
			plain_event_print(a->dictionary, &e, &of);
			plain_event_print(b->dictionary, &f, &as);
			same = !strcmp(of.data, as.data) && same_sizes(a, x, b, y);
		}
	} while (more && same);
	if (!same && told && more && !strcmp(of.data, as.data))
		text_format(told, "'%s' with other sizes", of.data);
	else if (!same && told)
		text_format(told, "'%s' instead of '%s'", more ? of.data : "more, or less,", more ? as.data : "that");
	text_clear(&of);
	text_clear(&as);
	return same;
}

bool same_events(struct program *of, struct program *as, struct text *told)
{
	bool same = of->processes == as->processes;
	struct projection *x = projection_new(of, NULL), *y = projection_new(as, NULL);
	for (uint32_t p = 0; p < of->processes && same; p++) {
		struct walk *here = walk_new(x, p), *there = walk_new(y, p);
		same = same_process(of, here, as, there, told);
		walk_free(here);
		walk_free(there);
	}
	projection_free(x);
	projection_free(y);
	return same;
}
