/*
 * expand.c -- tracenest expand: run a model and print the events of every process, rank after rank.
 */
#include "base/output.h"
#include "cli/event_lines.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "cli/verbs.h"
#include "model/model.h"

#define PIECE (size_t)(1 << 16) /* bytes gathered before they are written */

static void print_stream(
	const struct projection *projection, uint32_t rank, struct event_lines *lines, struct text *text, struct output *out)
{
	struct walk *walk = walk_new(projection, rank);
	for (uint32_t event; !output_failed(out) && walk_next(walk, &event);) {
		event_lines_put(lines, event, rank, text);
		if (text->length >= PIECE)
			output_text(out, text);
	}
	walk_free(walk);
}

static void print_streams(const struct model *model, const struct ranks *ranks, struct output *out)
{
	struct projection *projection = projection_new(model, ranks);
	struct event_lines *lines = event_lines_new(model->dictionary);
	struct text text = {0};
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(ranks, &walk, &rank);)
		print_stream(projection, rank, lines, &text, out);
	output_text(out, &text);
	text_clear(&text);
	event_lines_free(lines);
	projection_free(projection);
}

static bool run(const struct settings *settings, struct error *error)
{
	struct model *model = model_read(settings->argument[0], error);
	struct output *out = NULL;
	bool good = model && selection_exists(settings, model->processes, error) && (out = output_open(settings->output, error));
	if (good) {
		struct ranks ranks = {0};
		selection_ranks(settings, model->processes, &ranks);
		print_streams(model, &ranks, out);
		ranks_clear(&ranks);
		good = output_close(out, error);
	}
	model_free(model);
	return good;
}

int verb_expand(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	return run(settings, &error) ? 0 : report_error(&report, &error, NULL);
}
