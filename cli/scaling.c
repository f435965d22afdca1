/*
 * scaling.c -- tracenest scaling: runs on several numbers of processes.
 */
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/colour.h"
#include "cli/options.h"
#include "cli/profiles.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "report/scalability.h"

static bool print(const struct settings *s, struct report *report, const struct scalability *x, struct error *error)
{
	struct output *out = output_open(s->output, error);
	struct text page = {0};
	if (!out)
		return false;
	colour_page(out);
	report_clear(report);
	if (s->json) {
		struct json json = {.out = out};
		scalability_print_json(x, &json);
		json_finish(&json);
	} else {
		bool html = s->output && text_ends_with(s->output, ".html");
		(s->csv ? scalability_print_csv : html ? scalability_print_page : scalability_print)(x, &page);
		output_text(out, &page);
		text_clear(&page);
	}
	return output_close(out, error);
}

bool verb_scaling(const struct settings *s, struct report *report, struct error *error)
{
	struct scalability x = {0};
	struct account_options options = settings_account(s, report);
	bool good = settings_trace(s, NULL, &options.program.trace, error) &&
		    scalability_read(
			    &x, (const char *const *)s->argument, settings_arguments(s), s->weak, &options, error) &&
		    print(s, report, &x, error);
	for (size_t i = 0; i < x.runs && good; i++)
		missing_records_say(report, &x.run[i].facts.account.facts.missing);
	scalability_clear(&x);
	return good;
}
