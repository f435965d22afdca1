/*
 * fuzz_nest.c -- any bytes as the text of an affine nest: refused with a message, or a nest that
 * prints, reads back as itself, and can be walked.
 */
#include "model/affine_text.h"
#include "tests/affine_equal.h"
#include "tests/fuzz/fuzz.h"

#define RECORDS_WALKED 1000

static void walk(const struct affine_nest *nest, const struct affine_shapes *shapes)
{
	struct affine_walk *w = affine_walk_new(nest);
	struct text text = {0};
	uint32_t shape;
	const int64_t *number;
	for (unsigned i = 0; i < RECORDS_WALKED && affine_walk_next(w, &shape, &number); i++)
		affine_shapes_print(shapes, shape, number, &text);
	text_clear(&text);
	affine_walk_free(w);
}

static void print_and_read(const struct affine_nest *nest, struct affine_shapes *shapes, bool positions)
{
	struct text text = {0};
	struct error error = {0};
	uint64_t records;
	text_put(&text, "// tracenest nest 1\n");
	affine_print_text(nest, shapes, positions, &text);
	struct affine_nest *again = affine_parse("again", text.data, text.length, shapes, &records, &error);
	MUST(again);
	MUST(affine_equal(nest, again));
	affine_nest_free(again);
	text_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct affine_shapes *shapes = affine_shapes_new(true);
	struct error error = {0};
	uint64_t records;
	struct affine_nest *nest = affine_parse("input", (const char *)data, size, shapes, &records, &error);
	if (nest) {
		walk(nest, shapes);
		print_and_read(nest, shapes, size % 2);
		affine_nest_free(nest);
	} else {
		MUST(error.kind != ERROR_NONE && *error.message);
	}
	affine_shapes_free(shapes);
	return 0;
}
