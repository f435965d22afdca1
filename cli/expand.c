/*
 * expand.c -- tracenest expand: run a program and print the events of every process, rank after
 * rank.
 */
#include "base/output.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/selection.h"
#include "cli/verbs.h"
#include "lib/expand.h"

static bool run(const struct settings *settings, struct error *error)
{
	struct program *program = program_read(settings->argument[0], error);
	struct output *out = NULL;
	bool good = program && selection_exists(settings, program->processes, error) &&
		    (out = output_open(settings->output, error));
	if (good) {
		struct ranks ranks = {0};
		selection_ranks(settings, program->processes, &ranks);
		program_expand(program, &ranks, settings->values, out);
		ranks_clear(&ranks);
		good = output_close(out, error);
	}
	program_free(program);
	return good;
}

int verb_expand(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	return run(settings, &error) ? 0 : report_error(&report, &error, NULL);
}
