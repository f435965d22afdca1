/*
 * show.c -- tracenest show: print a model in its stored form, or a part of it.
 */
#include "base/output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "cli/verbs.h"
#include "model/model.h"
#include "model/positions.h"

/* Takes the model, gives the part (or the model itself, if all is wanted). NULL with *error set. */
static struct model *select_loop(struct model *whole, const struct settings *settings, struct error *error)
{
	if (!whole || !settings->loop)
		return whole;
	node found;
	struct model *part = model_find(whole, settings->loop, &found, error) ? model_part(whole, found) : NULL;
	model_free(whole);
	return part;
}

static struct model *select_rank(struct model *whole, const struct settings *settings, struct error *error)
{
	if (!whole || settings->ranks.length == 0)
		return whole;
	struct model *part = NULL;
	if (ranks_count(&settings->ranks) > 1)
		error_set(error, ERROR_INPUT, "show --rank takes one rank");
	else if (selection_exists(settings, whole->processes, error))
		part = model_of_rank(whole, settings->ranks.run[0].first);
	model_free(whole);
	return part;
}

static bool print(const struct model *model, const struct settings *settings, struct output *out, struct error *error)
{
	if (!settings->positions) {
		model_print(model, out);
		return true;
	}
	struct positions *positions = positions_new(model, error);
	if (positions)
		model_print_positions(model, positions, out);
	positions_free(positions);
	return positions;
}

static bool run(const struct settings *settings, struct error *error)
{
	struct model *model = model_read(settings->argument[0], error);
	model = select_loop(model, settings, error);
	model = select_rank(model, settings, error);
	struct output *out = model ? output_open(settings->output, error) : NULL;
	bool good = out && print(model, settings, out, error);
	model_free(model);
	if (out && !good)
		output_abandon(out);
	return good && output_close(out, error);
}

int verb_show(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	return run(settings, &error) ? 0 : report_error(&report, &error, NULL);
}
