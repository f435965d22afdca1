/*
 * check.c -- tracenest check: is a model sound, and is it the model of a trace?
 *
 * The model alone: what ask/consistency.h asks. With a trace: that it is the same, event by event
 * (lib/comparison.h).
 */
#include <inttypes.h>
#include <string.h>

#include "ask/consistency.h"
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/comparison.h"
#include "lib/leftovers.h"
#include "lib/mismatches.h"
#include "lib/pipeline.h"
#include "lib/synchronous.h"
#include "sizes/every_instance.h"

/* Each of the questions is answered, whatever the answer to the one before; the exit status is that
   of the first that failed. */
struct verdict {
	struct report *report;
	struct output *out;
	bool quiet; /* what holds is not said */
};

static void failed(struct verdict *v, const struct error *error, const struct text *details)
{
	int status = report_error(v->report, error, details);
	if (v->report->status == 0)
		v->report->status = status;
}

static void failed_at(struct verdict *v, const char *path, struct error error, const struct text *details)
{
	error_at(&error, "%s", path);
	failed(v, &error, details);
}

static void tell_messages(struct verdict *v, const struct consistency *c, const struct settings *settings)
{
	const char *path = settings->argument[0];
	if (c->messages.kind == ERROR_NONE && !c->facts->known)
		report_say(v->report, "whether every message is received was not examined: the program stands for too "
				      "many events that differ");
	else if (c->messages.kind == ERROR_NONE && !v->quiet)
		output_format(v->out, "every message is received, every collective is complete (counted)\n");
	else if (c->excused)
		report_say(v->report, "%s: never received: %s", path, c->messages.message);
	else if (c->messages.kind != ERROR_NONE && settings->lenient)
		report_say(v->report, "%s: %s", path, c->messages.message);
	else if (c->messages.kind != ERROR_NONE)
		failed_at(v, path, c->messages, NULL);
}

static void tell_schedule(struct verdict *v, const struct consistency *c, const struct settings *settings)
{
	struct error error = {0};
	if (c->messages.kind != ERROR_NONE)
		return; /* nothing was asked */
	if (c->schedule == SCHEDULE_CYCLE) {
		error_set(&error, ERROR_INCONSISTENT, "%s: %s", settings->argument[0], CONSISTENCY_CYCLE);
		failed(v, &error, &c->cycle);
	} else if (c->schedule == SCHEDULE_UNKNOWN) {
		report_say(v->report,
			"whether messages are sent before they are received was not examined: too many events");
	} else if (!v->quiet) {
		output_format(v->out, "no message is received before it can have been sent (%s",
			c->run ? "all events were run" : "the order of the text proves it");
		if (!c->run && c->facts->order == ORDER_GRAPHS)
			output_format(v->out, ", and the graph of one iteration of %" PRIu64 " %s", c->facts->graphs,
				text_plural(c->facts->graphs, "body", "bodies"));
		output_format(v->out, ")\n");
	}
}

static void tell_loops(struct verdict *v, const struct consistency *c, const struct settings *settings)
{
	const struct meeting_facts *f = c->facts;
	char joint[32], number[32];
	if (c->loops.kind != ERROR_NONE)
		failed_at(v, settings->argument[0], c->loops, NULL);
	else if (!f->known)
		report_say(v->report, "whether messages cross the iterations of loops was not examined: there are too "
				      "many that differ");
	else if (!v->quiet && f->joint)
		output_format(v->out,
			"no message crosses the iterations of the %s %s of the text that several processes communicate in "
			"(counted); irregular links: %s\n",
			grouped(f->joint, joint), text_plural(f->joint, "loop", "loops"),
			grouped(f->irregular, number));
	else if (!v->quiet)
		output_format(v->out, "no loop spans several processes; irregular links: %s\n",
			grouped(f->irregular, number));
	if (f->apart && !v->quiet)
		output_format(v->out,
			"%s %s that several processes execute, each as often as its own count says: messages "
			"cross the iterations, so %s\n",
			grouped(f->apart, number), f->apart == 1 ? "loop" : "loops",
			f->apart == 1 ? "it is a loop of each" : "they are loops of each");
	if (c->listing.kind != ERROR_NONE)
		failed_at(v, settings->argument[0], c->listing, NULL);
}

static bool compare(struct run *run, const struct settings *settings, struct report *report,
	struct comparison_facts *facts, struct error *error)
{
	struct streams_options options = {.jobs = (unsigned)settings->jobs, .progress = report_listens(report)};
	if (!settings_trace(settings, &run_module(run)->notes, &options.trace, error))
		return false;
	if (settings->values && strcmp(settings->values, "none") != 0)
		return error_set(error, ERROR_INPUT, "check: --values is none, or not given");
	bool good = comparison_run(run, settings->argument[1], !settings->values, &options, facts, error);
	report_clear(report);
	/* Who reads names the file. */
	return good || (error->kind == ERROR_INCONSISTENT && error_at(error, "%s", settings->argument[1]));
}

/* *lost: what the trace does not hold. */
static void check_streams(struct verdict *v, struct run *run, const struct consistency *c,
	const struct settings *settings, struct error *lost)
{
	struct error error = {0};
	struct comparison_facts facts = {0};
	char events[32];
	if (!compare(run, settings, v->report, &facts, &error))
		failed(v, &error, &facts.told);
	else if (!missing_records_none(&facts.missing, lost) && !settings->lenient)
		failed_at(v, settings->argument[1], *lost, NULL);
	else if (!settings->quiet)
		output_format(v->out, "%" PRIu32 " %s, %s events: the same as in the trace, in the same order\n",
			run_module(run)->processes, text_plural(run_module(run)->processes, "process", "processes"),
			grouped(run_module(run)->events, events));
	idle_reading(v->report, settings, &facts.trace);
	if (c->messages.kind != ERROR_NONE)
		missing_records_say_cause(v->report, &facts.missing, true);
	comparison_facts_clear(&facts);
}

/* ------------------------------------------------------------------ a run itself */

#define MISMATCHES_TOLD 10

static void tell_mismatches(struct verdict *v, const struct settings *settings, const struct mismatches *found)
{
	const char *path = settings->argument[0];
	for (size_t i = 0; i < found->lines && i < MISMATCHES_TOLD; i++) {
		struct text text = {0};
		struct error error = {0};
		text_put(&text, found->line[i].text);
		if (found->line[i].times > 1)
			text_format(&text, ", %" PRIu64 " times", found->line[i].times);
		error_set(&error, ERROR_INCONSISTENT, "%s", text.data);
		if (settings->lenient)
			report_say(v->report, "%s: %s", path, text.data);
		else
			failed_at(v, path, error, NULL);
		text_clear(&text);
	}
	v->quiet = found->lines; /* every collective is complete, but not sound */
	if (found->lines > MISMATCHES_TOLD)
		report_say(v->report, "%s: and %zu more of that kind", path, found->lines - MISMATCHES_TOLD);
}

/* What calls say that MPI matches; false with *error set where the archive cannot be read. */
static bool judge_run(struct verdict *v, const struct settings *settings, struct error *error)
{
	struct mismatches found = {0};
	struct text left = {0};
	struct trace_options options = {.lenient = settings->lenient};
	/* whoever opens it first is told that it did not end */
	struct trace *trace = trace_open(settings->argument[0], &options, error);
	bool good = trace;
	if (good && !v->report->unfinished)
		leftovers_tell(trace, &left);
	trace_close(trace);
	report_say_lines(v->report, "caution: neither completed nor freed: ", left.data);
	text_clear(&left);
	good = good && mismatches_find(settings->argument[0], &options, !v->report->unfinished, &found, error);
	if (good)
		tell_mismatches(v, settings, &found);
	mismatches_clear(&found);
	return good;
}

/* A run that ended with buffers that MPI does not promise. */
static bool caution_sends(struct verdict *v, const struct settings *settings, struct error *error)
{
	struct trace_options options = {.lenient = settings->lenient};
	struct text cycle = {0};
	enum synchronous result;
	bool good = synchronous_replay(settings->argument[0], &options, &result, &cycle, error);
	if (good && result == SYNCHRONOUS_STOPS)
		report_say(v->report,
			"caution: %s: it would wait for ever if sends waited for their receives, as they may where messages are large: %s",
			settings->argument[0], cycle.data);
	text_clear(&cycle);
	return good;
}

/* ------------------------------------------------------------------ every number of processes */

static const char *const with_sends[] = {
	[SENDS_BUFFERED] = "sends that wait for nobody",
	[SENDS_EXCHANGED] = "exchanges (who has sent waits before it sends behind a receive, or meets others)",
	[SENDS_SYNCHRONOUS] = "sends that each wait for their receive (MPI_Ssend)",
};

static void put_processes(struct text *to, const char *before, const struct ranks *processes, const char *behind)
{
	if (!processes->length)
		return;
	text_put(to, before);
	ranks_print_short(processes, to);
	text_put(to, behind);
}

static void tell_instances(struct verdict *v, const struct every_instance *e, const struct settings *settings)
{
	struct text line = {0};
	put_processes(&line, "instances on ", &e->with[SENDS_BUFFERED].ending, " processes were examined\n");
	put_processes(&line, "  that the runs do not prove (instantiate says why): ", &e->unproven, "\n");
	put_processes(&line, "  with too many events to run them with sends that wait: ", &e->unrun, "\n");
	put_processes(&line, "  none, because the rules make no grid, or several: ", &e->outside, "\n");
	put_processes(
		&line, "  none, because the text cannot be told there (the first one says why): ", &e->undecided, "");
	if (e->undecided.length)
		text_format(&line, "\n    %.*s\n", (int)strcspn(e->why.data, "\n"), e->why.data);
	for (enum sending s = SENDS_BUFFERED; s <= SENDS_SYNCHRONOUS; s++) {
		const struct instances_with *w = &e->with[s];
		text_format(&line, "%s: ", with_sends[s]);
		if (!w->ending.length && !w->stopping.length)
			text_put(&line, "nothing was run\n");
		put_processes(&line, "end on ", &w->ending, w->stopping.length ? "; " : "\n");
		put_processes(&line, "wait for ever on ", &w->stopping, "");
		if (w->stopping.length && s > e->asked)
			text_format(&line, ", as the learned run on %" PRIu32 " would, which had buffers or requests%s",
				e->learned, w->told.data);
		text_put(&line, w->stopping.length ? "\n" : "");
	}
	if (!settings->quiet)
		output_text(v->out, &line);
	text_clear(&line);
}

static void judge_instances(struct verdict *v, const struct every_instance *e, const struct settings *settings)
{
	const struct instances_with *w = &e->with[e->asked];
	struct ranks_walk walk = {0};
	struct error error = {0};
	uint32_t first;
	if (!ranks_next(&w->stopping, &walk, &first))
		return;
	error_set(&error, ERROR_INCONSISTENT,
		"%s: on %" PRIu32 " processes it would not come to its end, with %s:", settings->argument[0], first,
		with_sends[e->asked]);
	failed(v, &error, &w->told);
}

static bool check_every_instance(
	const struct settings *settings, struct report *report, const struct text *text, struct error *error)
{
	struct every_instance e = {0};
	struct extents asked;
	struct verdict v = {.report = report};
	struct progress progress = report_listens(report);
	struct parametric *app = parametric_read(settings->argument[0], text->data, text->length, error);
	bool good = app && definitions_asked(settings, &asked, error) &&
		    every_instance_examine(app, &asked, (uint32_t)settings->up_to, &progress, &e, error);
	report_clear(report);
	good = good && (v.out = output_open(settings->output, error));
	if (good) {
		idle_no_trace(report, settings);
		idle_say(report, settings, OPTIONS(OPTION_LENIENT),
			"sizes that are not decided are left out in any case");
		tell_instances(&v, &e, settings);
		judge_instances(&v, &e, settings);
	}
	every_instance_clear(&e);
	parametric_free(app);
	return good && output_close(v.out, error);
}

/* ------------------------------------------------------------------ the verb */

static struct module *read_module(const struct settings *settings, struct report *report, struct error *error)
{
	const char *trace = settings->argument[1];
	if (trace && strcmp(trace, "-") == 0 && strcmp(settings->argument[0], "-") == 0) {
		error_set(error, ERROR_INPUT, "check: only one of the two can be standard input");
		return NULL;
	}
	struct module *m = definitions_module(settings, report, NULL, false, error);
	if (!m || module_inline(m, error))
		return m;
	module_free(m);
	return NULL;
}

bool verb_check(const struct settings *settings, struct report *report, struct error *error)
{
	struct text text = {0};
	if (!settings->argument[1] && definitions_parametric(settings, settings->argument[0], &text)) {
		bool good = check_every_instance(settings, report, &text, error);
		text_clear(&text);
		return good;
	}
	idle_say(report, settings, OPTIONS(OPTION_UP_TO), "only a parametric program has other numbers of processes");
	struct verdict v = {.report = report};
	if (program_is_of_archive(settings->argument[0]) && !judge_run(&v, settings, error))
		return false;
	struct module *module = read_module(settings, report, error);
	struct run *run = module ? run_new(module, NULL) : NULL;
	struct consistency c = {0};
	v.out = run ? output_open(settings->output, error) : NULL;
	if (v.out) {
		consistency_of(run, &c);
		/* of a run that did not end, what holds so far is no merit */
		v.quiet |= settings->quiet || (report->unfinished && program_is_of_archive(settings->argument[0]));
		tell_messages(&v, &c, settings);
		tell_schedule(&v, &c, settings);
		tell_loops(&v, &c, settings);
		struct error unread = {0};
		bool whole = !report->unfinished && c.messages.kind == ERROR_NONE && c.schedule != SCHEDULE_CYCLE;
		if (whole && program_is_of_archive(settings->argument[0]) && !caution_sends(&v, settings, &unread))
			failed(&v, &unread, NULL);
		if (settings->defines.count || settings->grid)
			report_say(report, "this holds of the instance: that is no proof that the program would do so");
		struct error lost = {0};
		if (settings->argument[1])
			check_streams(&v, run, &c, settings, &lost);
		else
			idle_no_trace(report, settings);
		if (c.facts->known)
			idle_lenient(report, settings, &c.messages, &lost);
		omissions_say(report, run);
		report_close_long(report, module->events);
	}
	consistency_clear(&c);
	run_free(run);
	module_free(module);
	return v.out && output_close(v.out, error);
}
