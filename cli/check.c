/*
 * check.c -- tracenest check: is a model sound, and is it the model of a trace?
 *
 * The model alone: every message sent is received and every collective is complete, which counts tell without running it; and
 * what merge.h promises of loops. With a trace: that it is the same, event by event (lib/comparison.h).
 */
#include <inttypes.h>
#include <string.h>

#include "ask/causality.h"
#include "base/output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/verbs.h"
#include "lib/comparison.h"
#include "lib/pipeline.h"
#include "merge/merge.h"
#include "model/model.h"

/* Each of the questions is answered, whatever the answer to the one before; the exit status is that of the first that failed. */
struct verdict {
	struct report *report;
	struct output *out;
	int status;
};

static void failed(struct verdict *v, const struct error *error, const struct text *details)
{
	int status = report_error(v->report, error, details);
	if (v->status == 0)
		v->status = status;
}

static bool check_messages(struct verdict *v, const struct model *model, const struct settings *settings)
{
	struct error error = {0};
	if (merge_complete(model, &error)) {
		if (!settings->quiet)
			output_format(v->out, "every message is received, every collective is complete\n");
		return true;
	}
	error_at(&error, "%s", settings->argument[0]);
	if (settings->lenient)
		report_say(v->report, "%s", error.message);
	else
		failed(v, &error, NULL);
	return false;
}

/* model: what the program stands for; its listing may prove what the order of statements over sets does not. */
static void check_causality(struct verdict *v, const struct program *program, const struct model *model, const struct settings *settings)
{
	struct error error = {0};
	struct text cycle = {0};
	enum causality causality = CAUSALITY_HOLDS;
	if (!causality_proven(program)) {
		struct program *plain = program_of_plain(model);
		causality = causality_of(plain, CAUSALITY_BUDGET, &cycle);
		program_free(plain);
	}
	if (causality == CAUSALITY_CYCLE) {
		error_set(&error, ERROR_INCONSISTENT, "%s: %s", settings->argument[0], CAUSALITY_WRONG);
		failed(v, &error, &cycle);
	} else if (causality == CAUSALITY_UNKNOWN) {
		report_say(v->report, "whether messages are sent before they are received was not examined: too many events");
	} else if (!settings->quiet) {
		output_format(v->out, "no message is received before it can have been sent\n");
	}
	text_clear(&cycle);
}

/* The order in which the events of a loop without sets stand is said to be one in which they can happen. */
static void check_listing(struct verdict *v, const struct program *program, const struct settings *settings)
{
	size_t receive;
	struct error error = {0};
	struct text address = {0}, event = {0};
	if (causality_listed(program, &receive))
		return;
	program_address(program, receive, &address);
	program_print_event(program, &program->statement[receive], &event);
	error_set(&error, ERROR_INCONSISTENT, "%s: %s: '%s' stands before the send of the same iteration that it receives", settings->argument[0],
		address.data, event.data);
	failed(v, &error, NULL);
	text_clear(&address);
	text_clear(&event);
}

static bool check_loops(struct verdict *v, const struct model *model, const struct settings *settings)
{
	struct error error = {0};
	struct merge_links links;
	char inside[32], apart[32];
	if (!merge_verify(model, &links, &error)) {
		error_at(&error, "%s", settings->argument[0]);
		failed(v, &error, NULL);
		return false;
	}
	if (!settings->quiet)
		output_format(v->out,
			"no message crosses the iterations of the loops that span several processes (%s); irregular links: %s\n",
			grouped(links.inside, inside), grouped(links.irregular, apart));
	return true;
}

static bool compare(struct program *program, const struct settings *settings, struct report *report, struct comparison_facts *facts,
	struct error *error)
{
	struct streams_options options = {.jobs = (unsigned)settings->jobs, .progress = report_listens(report)};
	if (!settings_trace(settings, &program->notes, &options.trace, error))
		return false;
	bool good = comparison_run(program, settings->argument[1], &options, facts, error);
	report_clear(report);
	return good || error_at(error, "%s", settings->argument[1]);
}

static void told_missing(struct verdict *v, struct error *error, const struct settings *settings)
{
	error_at(error, "%s", settings->argument[1]);
	failed(v, error, NULL);
}

static void check_streams(struct verdict *v, struct program *program, const struct settings *settings)
{
	struct error error = {0};
	struct comparison_facts facts = {0};
	char events[32];
	if (!compare(program, settings, v->report, &facts, &error))
		failed(v, &error, &facts.told);
	else if (!trace_losses_none(&facts.losses, &error) && !settings->lenient)
		told_missing(v, &error, settings);
	else if (!settings->quiet)
		output_format(v->out, "%" PRIu32 " processes, %s events: the same as in the trace, in the same order\n",
			program->processes, grouped(program_events(program), events));
	comparison_facts_clear(&facts);
}

static struct program *read_program(const struct settings *settings, struct error *error)
{
	const char *trace = settings->argument[1];
	if (trace && strcmp(trace, "-") == 0 && strcmp(settings->argument[0], "-") == 0) {
		error_set(error, ERROR_INPUT, "check: only one of the two can be standard input");
		return NULL;
	}
	return program_read(settings->argument[0], error);
}

int verb_check(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	struct program *program = read_program(settings, &error);
	struct model *model = program ? program_plain_model(program, &error) : NULL;
	struct verdict v = {.report = &report, .out = model ? output_open(NULL, &error) : NULL};
	if (v.out) {
		if (check_messages(&v, model, settings))
			check_causality(&v, program, model, settings);
		if (check_loops(&v, model, settings))
			check_listing(&v, program, settings);
		if (settings->argument[1])
			check_streams(&v, program, settings);
		report_close_long(&report, program_events(program));
	}
	model_free(model);
	program_free(program);
	if (!v.out || !output_close(v.out, &error))
		return report_error(&report, &error, NULL);
	return v.status;
}
