/*
 * draw.c -- tracenest draw: a picture of a model, or a page to walk in it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/times_file.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "sizes/parametric.h"
#include "viz/drawn.h"
#include "viz/viz.h"

/* By place what the text of every number of processes says of the statement. The caller's. */
static const char **texts_of(struct parametric *app, const size_t *origin, size_t lines)
{
	const char *const *line, **formula = mem_array(lines + 1, sizeof *formula);
	parametric_lines(app, &line);
	for (size_t i = 0; i < lines; i++)
		formula[i] = line[origin[i]];
	return formula;
}

static bool draw(const struct settings *settings, struct report *report, const struct module *module,
	const char *const *formula, const struct times_file *times, enum viz_format format, bool *skipped,
	struct error *error)
{
	struct output *out = output_open(settings->output, error);
	if (!out)
		return false;
	struct text title = {0};
	bool left_out = false;
	if (strcmp(settings->argument[0], "-") != 0)
		file_title(settings->argument[0], &title);
	struct viz_options options = {
		.title = title.data,
		.loop = settings->loop,
		.formula = formula,
		.ranks = settings->ranks,
		.depth = (uint32_t)settings->open_depth,
		.labels = (enum viz_labels)settings->labels,
		.roles = settings->folded,
		.skip_short = settings->skip_short,
		.skipped = skipped,
		.width = (uint32_t)settings->width,
		.time = times->time,
		.times = times->length,
		.left_out = settings->width ? NULL : &left_out,
	};
	bool good = viz_draw(module, &options, format, out, error);
	text_clear(&title);
	if (left_out)
		report_say(report,
			"all of it would be more than %d mm wide: a part is left out (--width draws all, so does a page, -o FILE.html)",
			(int)(VIZ_WIDE / 72.0 * 25.4));
	return output_finish(out, good, error);
}

/* Of every number of processes: what is the same of all, drawn on a few. */
static bool draw_parametric(const struct settings *settings, struct report *report, const struct text *text,
	enum viz_format format, struct error *error)
{
	struct settings drawn = *settings;
	struct times_file none = {0};
	struct doubts doubts = {0};
	bool skipped = false;
	if (format == VIZ_HTML || settings->times)
		return error_set(error, ERROR_INPUT,
			"%s: a page, and times, are of one number of processes: say which, as in -D P=64",
			settings->argument[0]);
	struct parametric *app = parametric_read(settings->argument[0], text->data, text->length, error);
	size_t *origin = NULL;
	struct draft *made = app ? parametric_sample(app, &doubts, &origin, error) : NULL;
	const char **formula = made ? texts_of(app, origin, made->module->lines) : NULL;
	drawn.folded = true;
	bool good = made && draw(&drawn, report, made->module, formula, &none, format, &skipped, error);
	if (good) {
		report_say(report,
			"drawn on %" PRIu32
			" processes, which stand for every number: sets, counts and peers are those of the text",
			made->module->processes);
		definitions_say_doubts(report, &doubts);
		idle_say(report, settings, OPTIONS(OPTION_ROLES), "every number of processes is drawn by roles");
	}
	doubts_clear(&doubts);
	free(formula);
	free(origin);
	draft_free(made);
	parametric_free(app);
	return good;
}

static void say_idle(struct report *report, const struct settings *s, const struct module *module,
	enum viz_format format, bool skipped)
{
	bool irregular = drawn_is_irregular(module);
	if (irregular)
		idle_say(report, s, OPTIONS(OPTION_ROLES), "tables and conditions are drawn by roles in any case");
	if (!irregular && !s->folded && module->processes < VIZ_BANDS_FROM)
		idle_say(report, s, OPTIONS(OPTION_OPENED), "each process has a line of its own");
	if (s->open_depth >= node_of(module->store, module->body)->depth)
		idle_say(report, s, OPTIONS(OPTION_OPEN_DEPTH), "no loop is inside so many others");
	if (s->loop)
		idle_say(report, s, OPTIONS(OPTION_SKIP_SHORT), "of a part, all is drawn");
	else if (!skipped)
		idle_say(report, s, OPTIONS(OPTION_SKIP_SHORT), "nothing is short beside the loops that matter");
	if (format == VIZ_HTML)
		idle_say(report, s, OPTIONS(OPTION_WIDTH, OPTION_LABELS), "a page can be zoomed");
	else if (s->labels == VIZ_LABELS_TAGS && !idle_has(module, EVENT_SEND) && !idle_has(module, EVENT_RECV))
		idle_say(report, s, OPTIONS(OPTION_LABELS), "there is no message that has a tag");
}

bool verb_draw(const struct settings *settings, struct report *report, struct error *error)
{
	enum viz_format format;
	if (!settings->output)
		return error_set(
			error, ERROR_INPUT, "draw needs -o FILE, whose name ends with .svg, .pdf, .png, .dot or .html");
	if (!viz_format_of(settings->output, &format, error))
		return false;
	if (settings->times && !strcmp(settings->times, "-") && !strcmp(settings->argument[0], "-"))
		return error_set(error, ERROR_INPUT, "draw: only one of the two can be standard input");
	struct text text = {0};
	if (definitions_parametric(settings, settings->argument[0], &text)) {
		bool drawn = draw_parametric(settings, report, &text, format, error);
		text_clear(&text);
		return drawn;
	}
	struct times_file times = {0};
	struct module *module = definitions_module(settings, report, NULL, false, error);
	if (settings->folded) /* roles are those of the model that would be made of a plain text */
		module = module_as_made(module, error);
	bool skipped = false;
	bool good = module && (!settings->times || times_read(&times, settings->times, module, error)) &&
		    draw(settings, report, module, NULL, &times, format, &skipped, error);
	if (good)
		say_idle(report, settings, module, format, skipped);
	times_clear(&times);
	module_free(module);
	return good;
}
