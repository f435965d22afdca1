/*
 * instantiate.c -- tracenest instantiate: the model of one number of processes.
 */
#include "ask/consistency.h"
#include "base/output.h"
#include "cli/definitions.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "model/generalize.h"

/* What formulas agree on may still be nothing that can happen. */
static bool examine(const struct settings *s, struct report *report, const struct module *m, struct error *error)
{
	struct consistency c;
	struct run *run = run_new(m, NULL);
	consistency_of(run, &c);
	bool good = consistency_ends(&c);
	if (!good)
		error_set(error, ERROR_INCONSISTENT, "%s: on %u processes it would not come to its end: %.300s",
			s->argument[0], m->processes,
			c.messages.kind != ERROR_NONE ? c.messages.message : CONSISTENCY_CYCLE);
	else if (!c.facts->known || c.schedule == SCHEDULE_UNKNOWN)
		report_say(report,
			"warning: whether it comes to its end on %u processes was not examined: too many events that differ",
			m->processes);
	else
		report_say(report,
			"on %u processes every message of the instance is received, every collective complete, and "
			"nothing received before it is sent (examined); that is no proof that the program would do so",
			m->processes);
	consistency_clear(&c);
	run_free(run);
	return good;
}

static bool print(const struct settings *s, const struct draft *made, struct error *error)
{
	struct output *out = output_open(s->output, error);
	struct module *m = module_of_draft(made, NULL, NULL);
	if (out)
		module_print(m, NULL, out);
	module_free(m);
	return out && output_close(out, error);
}

bool verb_instantiate(const struct settings *s, struct report *report, struct error *error)
{
	if (!s->defines.count && !s->grid)
		return error_set(error, ERROR_INPUT, "instantiate: on how many processes? -D P=4096");
	struct draft *made = definitions_instance(s, report, s->lenient, error);
	bool good = made && examine(s, report, made->module, error) && print(s, made, error);
	draft_free(made);
	return good;
}
