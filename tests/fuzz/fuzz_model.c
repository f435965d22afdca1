/*
 * fuzz_model.c -- any bytes as a model text: refused with a message, or a model that prints, reads
 * back as itself, and can be walked.
 */
#include <string.h>

#include "ask/projection.h"
#include "ask/unfolding.h"
#include "model/program.h"
#include "tests/fuzz/fuzz.h"

#define EVENTS_WALKED 1000
#define RANKS_WALKED 16

static void walk(struct program *program)
{
	struct projection *projection = projection_new(program, NULL);
	for (uint32_t rank = 0; rank < program->processes && rank < RANKS_WALKED; rank++) {
		uint64_t events = projection_events(projection, rank), walked = 0;
		struct walk *walk = walk_new(projection, rank);
		for (struct plain_event event; walked < EVENTS_WALKED && walk_next(walk); walked++)
			walk_event(walk, &event);
		MUST(walked == (events < EVENTS_WALKED ? events : EVENTS_WALKED));
		walk_free(walk);
	}
	projection_free(projection);
}

/* once: what repeats is said once */
static void print_and_read(const struct program *program, bool once)
{
	struct error error = {0};
	struct text text = {0}, said = {0}, again = {0};
	program_print_text(program, &text);
	program_print_remarks_text(program, &(struct program_remarks){.procedures = once}, &said);
	struct program *read = program_parse("printed", said.data, said.length, &error);
	MUST(read);
	program_print_text(read, &again);
	MUST(text.length == again.length && !memcmp(text.data, again.data, text.length));
	program_free(read);
	text_clear(&again);
	text_clear(&said);
	text_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file file = memory_file(data, size);
	struct error error = {0};
	struct program *program = program_read(file.path, &error);
	if (program) {
		program_free(program_unfold(program, NULL, &error));
		walk(program);
		print_and_read(program, false);
		print_and_read(program, true);
		program_free(program);
	} else {
		MUST(error.kind != ERROR_NONE && *error.message);
	}
	close(file.descriptor);
	return 0;
}
