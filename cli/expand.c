/*
 * expand.c -- tracenest expand: run a program and print the events of every process, rank after
 * rank.
 */
#include "base/output.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/expand.h"
#include "lib/pipeline.h"

static bool print(const struct settings *s, struct run *run, const struct expand_options *options, struct error *error)
{
	struct ranks ranks = {0};
	struct output *out = output_open(s->output, error);
	if (!out)
		return false;
	selection_ranks(s, run_module(run)->processes, &ranks);
	bool good = expand_write(run, &ranks, options, out, error);
	ranks_clear(&ranks);
	return output_finish(out, good, error);
}

bool verb_expand(const struct settings *s, struct report *report, struct error *error)
{
	struct expand_options options = {.values = s->values};
	if (s->when && !s->profile)
		return error_set(
			error, ERROR_INPUT, "expand: --times needs the profile that keeps them: --profile RUN.db");
	if (!s->when && s->profile)
		return error_set(error, ERROR_INPUT, "expand: %s is read for --times alone", s->profile);
	struct module *m = definitions_module(s, report, NULL, false, error);
	struct prepared *p = prepared_new(s->when ? module_as_made(m, error) : m, error);
	bool good = p && selection_exists(s, p->module->processes, error);
	if (good && s->when) {
		options.series = time_series_open(s->profile, p->run, s->argument[0], error);
		good = options.series;
	}
	good = good && print(s, p->run, &options, error);
	if (good)
		idle_values(report, s, p->text);
	time_series_close(options.series);
	prepared_free(p);
	return good;
}
