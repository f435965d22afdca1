/*
 * skeleton.c -- tracenest skeleton: the program behind a model, to be read.
 */
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "lib/soundness.h"
#include "replay/skeleton.h"

/* The first two of several lines, as one. */
static void say_messages(const char *model, struct error *error)
{
	char first[sizeof error->message], second[sizeof error->message] = "";
	snprintf(first, sizeof first, "%.*s", (int)strcspn(error->message, "\n"), error->message);
	const char *behind = strchr(error->message, '\n');
	if (behind)
		snprintf(second, sizeof second, " %.*s", (int)strcspn(behind + 3, "\n"), behind + 3);
	error_set(error, error->kind,
		"%s: %s%s: what nobody receives would be waited for (--lenient: it is received at the end)", model,
		first, second);
}

/* What is not received, or not complete, would be waited for. */
static bool is_sound(struct program *program, const char *model, struct error *error)
{
	struct soundness s;
	if (!soundness_of(program, &s, error))
		return false;
	bool good = true;
	if (s.messages_known && s.messages.kind != ERROR_NONE) {
		*error = s.messages;
		say_messages(model, error);
		good = false;
	} else if (s.causality == CAUSALITY_CYCLE) {
		good = error_set(error, ERROR_INCONSISTENT, "%s: %s%s", model, CAUSALITY_WRONG, s.cycle.data);
	}
	soundness_clear(&s);
	return good;
}

static bool run(const struct settings *settings, struct error *error)
{
	struct program *folded = program_read(settings->argument[0], error);
	folded = folded ? program_as_made(folded, error) : NULL;
	struct skeleton_options options = {.model = settings->argument[0], .lenient = settings->lenient};
	struct text text = {0};
	bool c = settings->language == LANGUAGE_C;
	bool good = folded && (!c || settings->lenient || is_sound(folded, settings->argument[0], error));
	if (good && settings->language == LANGUAGE_TEXT)
		skeleton_print_text(folded, &text);
	else if (good)
		good = skeleton_print_c(folded, &options, &text, error);
	struct output *out = good ? output_open(settings->output, error) : NULL;
	if (out)
		output_text(out, &text);
	text_clear(&text);
	program_free(folded);
	return out && output_close(out, error);
}

int verb_skeleton(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	return run(settings, &error) ? 0 : report_error(&report, &error, NULL);
}
