/*
 * fuzz_records.c -- any bytes as a trace of records: the nest found stands for them, with and
 * without fingerprints and cursor, and the predictor finds the same. The first byte chooses the
 * options.
 */
#include <string.h>

#include "model/affine_text.h"
#include "model/lines.h"
#include "nlr/affine_nlr.h"
#include "nlr/predict.h"
#include "tests/affine_equal.h"
#include "tests/fuzz/fuzz.h"

#define RECORDS 300

struct record {
	uint32_t shape, width;
	int64_t number[AFFINE_WIDTH];
};

static size_t read_records(const uint8_t *data, size_t size, struct affine_shapes *shapes, struct record *record)
{
	struct error error = {0};
	struct lines *lines = lines_of("input", (const char *)data, size);
	size_t length = 0;
	for (char *line; length < RECORDS && (line = lines_next(lines, &error)); length++)
		record[length].shape =
			affine_shapes_line(shapes, line, strlen(line), &record[length].width, record[length].number);
	lines_close(lines);
	return length;
}

static struct affine_nest *recognize(
	const struct record *record, size_t length, const struct affine_nlr_options *options)
{
	struct affine_nlr *r = affine_nlr_new(options);
	for (size_t i = 0; i < length; i++)
		affine_nlr_push(r, record[i].shape, record[i].width, record[i].number);
	return affine_nlr_finish(r);
}

static struct affine_nest *foretell(
	const struct record *record, size_t length, const struct affine_nlr_options *options)
{
	struct predictor *p = predictor_new(options, 4);
	struct record next;
	for (size_t i = 0; i < length; i++) {
		predictor_push(p, record[i].shape, record[i].width, record[i].number);
		predictor_ahead(p, (unsigned)i % 4, &next.shape, &next.width, next.number);
	}
	return predictor_finish(p);
}

static void stands_for(const struct affine_nest *nest, const struct record *record, size_t length)
{
	struct affine_walk *w = affine_walk_new(nest);
	uint32_t shape;
	const int64_t *number;
	size_t i = 0;
	for (; affine_walk_next(w, &shape, &number); i++) {
		MUST(i < length && shape == record[i].shape);
		MUST(!record[i].width || !memcmp(number, record[i].number, record[i].width * sizeof *number));
	}
	MUST(i == length);
	affine_walk_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct record record[RECORDS];
	struct affine_shapes *shapes = affine_shapes_new(true);
	uint8_t choice = size ? data[0] : 0;
	struct affine_nlr_options options = {
		.window = choice & 1 ? 1 + (choice >> 4) : AFFINE_NLR_WINDOW, .repetitions = 3 + (choice >> 1) % 3};
	size_t length = read_records(data, size, shapes, record);
	struct affine_nest *fast = recognize(record, length, &options), *foretold = foretell(record, length, &options);
	options.slow = true;
	struct affine_nest *slow = recognize(record, length, &options);
	stands_for(fast, record, length);
	MUST(affine_equal(fast, slow));
	MUST(affine_equal(fast, foretold));
	affine_nest_free(fast);
	affine_nest_free(slow);
	affine_nest_free(foretold);
	affine_shapes_free(shapes);
	return 0;
}
