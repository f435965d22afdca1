/*
 * draw.c -- tracenest draw: a picture of a model, or a page to walk in it.
 */
#include <string.h>

#include "base/mem.h"
#include "base/output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/verbs.h"
#include "model/model.h"
#include "viz/viz.h"

/* What a model is called: its file, without the directories and the suffix. */
static void name_model(const char *path, struct text *out)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	text_add(out, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static bool run(const struct settings *settings, struct error *error)
{
	enum viz_format format;
	if (!settings->output)
		return error_set(error, ERROR_INPUT, "draw needs -o FILE, whose name ends with .svg, .pdf, .png, .dot or .html");
	if (!viz_format_of(settings->output, &format, error))
		return false;
	struct model *model = model_read(settings->argument[0], error);
	struct output *out = model ? output_open(settings->output, error) : NULL;
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
			.skip_short = settings->skip_short,
			.width = (uint32_t)settings->width,
		};
		good = viz_draw(model, &options, format, out, error);
		text_clear(&title);
		if (good)
			good = output_close(out, error);
		else
			output_abandon(out);
	}
	model_free(model);
	return good;
}

int verb_draw(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	return run(settings, &error) ? 0 : report_error(&report, &error, NULL);
}
