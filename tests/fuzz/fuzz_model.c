/*
 * fuzz_model.c -- any bytes as a model text: refused with a message, or a model that prints, reads
 * back as itself, and can be walked.
 */
#include <string.h>

#include "ask/projection.h"
#include "model/model.h"
#include "tests/fuzz/fuzz.h"

#define EVENTS_WALKED 1000
#define RANKS_WALKED 16

static void walk(const struct model *model)
{
	struct program *program = program_of_plain(model);
	struct projection *projection = projection_new(program, NULL);
	for (uint32_t rank = 0; rank < model->processes && rank < RANKS_WALKED; rank++) {
		uint64_t events = projection_events(projection, rank), walked = 0;
		struct walk *walk = walk_new(projection, rank);
		for (struct plain_event event; walked < EVENTS_WALKED && walk_next(walk); walked++)
			walk_event(walk, &event);
		MUST(walked == (events < EVENTS_WALKED ? events : EVENTS_WALKED));
		walk_free(walk);
	}
	projection_free(projection);
	program_free(program);
}

static void print_and_read(const struct model *model)
{
	struct error error = {0};
	struct memory_file file = memory_file("", 0);
	struct output *out = output_open(file.path, &error);
	MUST(out);
	model_print(model, out);
	MUST(output_close(out, &error));
	struct model *again = model_read(file.path, &error);
	MUST(again);
	MUST(model_equal(model, again));
	model_free(again);
	close(file.descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file file = memory_file(data, size);
	struct error error = {0};
	struct model *model = model_read(file.path, &error);
	if (model) {
		walk(model);
		print_and_read(model);
		model_free(model);
	} else {
		MUST(error.kind != ERROR_NONE && *error.message);
	}
	close(file.descriptor);
	return 0;
}
