/*
 * instantiate.c -- tracenest instantiate: the model of one number of processes.
 */
#include "ask/consistency.h"
#include "base/output.h"
#include "cli/definitions.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"

/* What formulas agree on may still be nothing that can happen. */
static bool examine(const struct settings *s, struct report *report, const struct prepared *p, struct error *error)
{
	struct consistency c;
	uint32_t processes = p->module->processes;
	consistency_of(p->run, &c);
	bool good = consistency_ends(&c);
	if (!good)
		error_set(error, ERROR_INCONSISTENT, "%s: on %u processes it would not come to its end: %.300s",
			s->argument[0], processes,
			c.messages.kind != ERROR_NONE ? c.messages.message : CONSISTENCY_CYCLE);
	else if (!c.facts->known || c.schedule == SCHEDULE_UNKNOWN)
		report_say(report,
			"warning: whether it comes to its end on %u processes was not examined: too many events that differ",
			processes);
	else
		report_say(report,
			"on %u processes every message of the instance is received, every collective complete, and "
			"nothing received before it is sent (examined); that is no proof that the program would do so",
			processes);
	consistency_clear(&c);
	return good;
}

static bool print(const struct settings *s, const struct module *m, struct error *error)
{
	struct output *out = output_open(s->output, error);
	if (!out)
		return false;
	module_print(m, NULL, out);
	return output_close(out, error);
}

bool verb_instantiate(const struct settings *s, struct report *report, struct error *error)
{
	if (!s->defines.count && !s->grid)
		return error_set(error, ERROR_INPUT, "instantiate: on how many processes? -D P=4096");
	struct prepared *p = prepared_new(definitions_module(s, report, NULL, s->lenient, error), error);
	bool good = p && examine(s, report, p, error) && print(s, p->text, error);
	prepared_free(p);
	return good;
}
