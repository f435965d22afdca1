/*
 * skeleton.c -- tracenest skeleton: the program behind a model, to be read.
 */
#include "base/output.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "replay/skeleton.h"

static bool run(const struct settings *settings, struct error *error)
{
	struct program *folded = program_read(settings->argument[0], error);
	folded = folded ? program_as_made(folded, error) : NULL;
	struct output *out = folded ? output_open(settings->output, error) : NULL;
	if (out) {
		struct text text = {0};
		(settings->language == LANGUAGE_C ? skeleton_print_c : skeleton_print_text)(folded, &text);
		output_text(out, &text);
		text_clear(&text);
	}
	program_free(folded);
	return out && output_close(out, error);
}

int verb_skeleton(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	return run(settings, &error) ? 0 : report_error(&report, &error, NULL);
}
