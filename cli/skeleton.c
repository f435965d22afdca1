/*
 * skeleton.c -- tracenest skeleton: the program behind a model, to be read and run.
 */
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/profiles.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "replay/actions.h"
#include "replay/miniapp.h"
#include "replay/skeleton.h"
#include "replay/windows.h"

static bool print(const struct settings *s, const struct prepared *program, struct text *text, bool *left_out,
	struct error *error)
{
	struct miniapp_options options = {.profile = s->profile, .lenient = s->lenient, .left_out = left_out};
	if (s->language == LANGUAGE_C)
		return miniapp_print(program, s->argument[0], &options, text, error);
	skeleton_print_text(program->module, text);
	return true;
}

static void tell(struct report *report, struct run *run)
{
	char number[32];
	uint64_t unsized = actions_facts(run).unsized;
	if (unsized)
		report_say(report,
			"%s statements do not say how many bytes they pass on: one byte is taken (--bytes of the program)",
			grouped(unsized, number));
}

bool verb_skeleton(const struct settings *settings, struct report *report, struct error *error)
{
	if (settings->language != LANGUAGE_C)
		idle_say(report, settings, OPTIONS(OPTION_PROFILE, OPTION_LENIENT), "only C computes and waits");
	struct prepared *folded = definitions_folded(settings, report, MINIAPP_VALUES, settings->lenient, error);
	if (folded && settings->language == LANGUAGE_C)
		cautions_say(report, settings, folded->run);
	if (folded && settings->language == LANGUAGE_C && !windows_are_made_in(folded->run))
		cautions_say_one_sided(report, settings, folded->run, "mini-app");
	struct text text = {0};
	bool left_out = false, good = folded && print(settings, folded, &text, &left_out, error);
	if (folded && settings->language == LANGUAGE_C && !left_out && !program_is_of_archive(settings->argument[0]))
		idle_lenient_on(report, settings, folded->run, &(struct error){.kind = ERROR_NONE});
	good = good && output_all_text(settings->output, &text, error);
	text_clear(&text);
	if (good && settings->language == LANGUAGE_C)
		tell(report, folded->run);
	if (good)
		profile_say_estimate(report, settings);
	prepared_free(folded);
	return good;
}
