/*
 * generalize.c -- tracenest generalize: runs on several numbers of processes as one program.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/output.h"
#include "cli/definitions.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "sizes/generalize_runs.h"

/* Every so many-th --param is of the same run. */
static bool give_parameters(const struct settings *s, struct run_of_program *run, size_t runs, struct error *error)
{
	if (s->parameters.count % runs)
		return error_set(error, ERROR_INPUT,
			"generalize: --param is given %zu times for %zu runs: once for each, in their order",
			s->parameters.count, runs);
	for (size_t i = 0; i < s->parameters.count; i++) {
		struct definition d;
		struct extents *x = &run[i % runs].extents;
		if (!definition_read(s->parameters.word[i], "param", &d, error))
			return false;
		if (!strcmp(d.name, "P"))
			return error_set(error, ERROR_INPUT,
				"generalize: --param: P is the number of processes, which a run has");
		if (x->parameters == EXTENTS_PARAMETERS)
			return error_set(error, ERROR_INPUT, "generalize: more than %d parameters", EXTENTS_PARAMETERS);
		struct extents_parameter *p = &x->parameter[x->parameters++];
		strcpy(p->name, d.name);
		p->value = d.value;
		if (strcmp(p->name, run[0].extents.parameter[x->parameters - 1].name) != 0)
			return error_set(error, ERROR_INPUT,
				"generalize: --param %s stands where %s of another run is expected",
				s->parameters.word[i], run[0].extents.parameter[x->parameters - 1].name);
	}
	return true;
}

static bool give_grids(const struct settings *s, struct run_of_program *run, size_t runs, struct error *error)
{
	if (s->grids.count && s->grids.count != runs)
		return error_set(error, ERROR_INPUT,
			"generalize: --grid is given %zu times for %zu runs: once for each, in their order",
			s->grids.count, runs);
	for (size_t i = 0; i < s->grids.count; i++) {
		struct grid *grid = &run[i].extents.grid;
		if (!definition_grid(s->grids.word[i], grid, error))
			return false;
		if (grid_ranks(grid) != run[i].extents.processes || grid->axes != run->extents.grid.axes)
			return error_set(error, ERROR_INPUT,
				"generalize: --grid %s is no grid for the %u processes of %s, or has another number of "
				"extents than that of %s",
				s->grids.word[i], run[i].extents.processes, run[i].name, run->name);
	}
	return true;
}

static bool generalize(
	const struct settings *s, struct report *report, struct run_of_program *run, size_t runs, struct error *error)
{
	struct generalize_facts facts = {0};
	struct text text = {0};
	bool good = give_parameters(s, run, runs, error);
	for (size_t i = 0; i < runs && good; i++) {
		run[i].name = s->argument[i];
		run[i].module = module_of_file(run[i].name, NULL, false, error);
		good = run[i].module;
		if (good)
			run[i].extents.processes = run[i].module->processes;
	}
	good = good && give_grids(s, run, runs, error);
	good = good && generalize_runs(run, runs, &text, &facts, error);
	good = good && output_all_text(s->output, &text, error);
	if (good)
		report_say(report, "%zu runs, %zu statements, %zu numbers that follow no formula", runs,
			facts.statements, facts.holes);
	if (good)
		report_say_lines(report, "", facts.told.data);
	text_clear(&facts.told);
	text_clear(&text);
	return good;
}

bool verb_generalize(const struct settings *s, struct report *report, struct error *error)
{
	size_t runs = settings_arguments(s);
	struct run_of_program *run = mem_zero(runs * sizeof *run);
	bool good = generalize(s, report, run, runs, error);
	for (size_t i = 0; i < runs; i++)
		module_free((struct module *)run[i].module);
	free(run);
	return good;
}
