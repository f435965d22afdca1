/*
 * draw.c -- tracenest draw: a picture of a model, or a page to walk in it.
 */
#include <string.h>

#include "base/mem.h"
#include "base/output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/times.h"
#include "cli/verbs.h"
#include "fold/fold.h"
#include "model/model.h"
#include "viz/viz.h"

/* What a model is called: its file, without the directories and the suffix. */
static void name_model(const char *path, struct text *out)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	text_add(out, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* The program of what is drawn, with constant numbers: of the model, or of a construct. NULL with *error set. */
static struct program *fold_drawn(const struct model *model, const char *loop, struct error *error)
{
	if (!loop)
		return fold(model, NULL);
	node found;
	if (!model_find(model, loop, &found, error))
		return NULL;
	struct model *part = model_part(model, found);
	struct program *folded = fold(part, NULL);
	model_free(part);
	return folded;
}

static bool run(const struct settings *settings, struct error *error)
{
	enum viz_format format;
	if (!settings->output)
		return error_set(error, ERROR_INPUT, "draw needs -o FILE, whose name ends with .svg, .pdf, .png, .dot or .html");
	if (!viz_format_of(settings->output, &format, error))
		return false;
	if (settings->times && !strcmp(settings->times, "-") && !strcmp(settings->argument[0], "-"))
		return error_set(error, ERROR_INPUT, "draw: only one of the two can be standard input");
	struct times_file times = {0};
	struct model *model = model_read(settings->argument[0], error);
	bool timed = model && (!settings->times || times_read(&times, settings->times, model, error));
	struct program *folded = timed && settings->folded ? fold_drawn(model, settings->loop, error) : NULL;
	bool ready = timed && (folded || !settings->folded);
	struct output *out = ready ? output_open(settings->output, error) : NULL;
	bool good = false;
	if (out) {
		struct text title = {0};
		if (strcmp(settings->argument[0], "-") != 0)
			name_model(settings->argument[0], &title);
		struct viz_options options = {
			.title = title.data,
			.loop = settings->loop,
			.ranks = settings->ranks,
			.depth = (uint32_t)settings->open_depth,
			.labels = (enum viz_labels)settings->labels,
			.folded = folded,
			.skip_short = settings->skip_short,
			.width = (uint32_t)settings->width,
			.time = times.time,
			.times = times.length,
		};
		good = viz_draw(model, &options, format, out, error);
		text_clear(&title);
		if (good)
			good = output_close(out, error);
		else
			output_abandon(out);
	}
	times_clear(&times);
	program_free(folded);
	model_free(model);
	return good;
}

int verb_draw(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	return run(settings, &error) ? 0 : report_error(&report, &error, NULL);
}
