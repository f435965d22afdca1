/*
 * fuzz_model.c -- any bytes as a model text: refused with a message, or a model that prints, reads
 * back as itself, and can be walked.
 */
#include <stdlib.h>
#include <string.h>

#include "ask/event_numbers.h"
#include "ask/unfolding.h"
#include "model/prepared.h"
#include "tests/fuzz/fuzz.h"

#define EVENTS_WALKED 1000
#define RANKS_WALKED 16

static void walk(struct run *run)
{
	const struct module *m = run_module(run);
	struct member_sets *members = member_sets_new(run);
	struct environment at = {0};
	for (uint32_t rank = 0; rank < m->processes && rank < RANKS_WALKED; rank++) {
		run_start(run, rank, &at);
		uint64_t events = run_count(run, &at, m->body), walked = 0;
		struct cursor *cursor = cursor_new(run, rank);
		for (struct event_numbers event; walked < EVENTS_WALKED && cursor_next(cursor); walked++)
			event_numbers_at(&cursor->at, members, cursor->event, &event);
		MUST(!at.failure && !cursor->at.failure);
		MUST(walked == (events < EVENTS_WALKED ? events : EVENTS_WALKED));
		cursor_free(cursor);
	}
	free(at.index);
	member_sets_free(members);
}

static void print_and_read(const struct module *m)
{
	struct error error = {0};
	struct text text = {0}, again = {0};
	module_print_text(m, NULL, &text);
	struct module *read = module_parse_one("printed", text.data, text.length, &error);
	MUST(read);
	module_print_text(read, NULL, &again);
	MUST(text.length == again.length && !memcmp(text.data, again.data, text.length));
	module_free(read);
	text_clear(&again);
	text_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file file = memory_file(data, size);
	struct error error = {0};
	struct prepared *program = prepared_new(module_read_one(file.path, &error), &error);
	if (program) {
		module_free(module_unfold(program->module, NULL, &error));
		walk(program->run);
		print_and_read(program->module);
		print_and_read(program->text);
		prepared_free(program);
	} else {
		MUST(error.kind != ERROR_NONE && *error.message);
	}
	close(file.descriptor);
	return 0;
}
