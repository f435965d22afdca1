/*
 * export.c -- tracenest export: a run for simulators and viewers; runs that were measured for
 * performance tools.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/cautions.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/profiles.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "replay/export.h"
#include "replay/platform.h"
#include "replay/windows.h"
#include "report/measured.h"

#define DECOMPOSED "decomposed"

/* Behind enum export_format, of runs that are played back: of runs that were measured. */
enum { FORMAT_TALP = EXPORT_PERFETTO + 1, FORMAT_EXTRAP };

/* How collectives are to be told. */
static bool read_collectives(const char *words, struct actions_options *actions, struct error *error)
{
	size_t length = strlen(DECOMPOSED);
	actions->algorithms = algorithms_usual();
	actions->native = !words || !strcmp(words, "native");
	if (actions->native || !strcmp(words, DECOMPOSED))
		return true;
	if (!strncmp(words, DECOMPOSED ":", length + 1))
		return algorithms_choose(&actions->algorithms, words + length + 1, error);
	return error_set(
		error, ERROR_INPUT, "--collectives %s: native, decomposed, or decomposed:ring and the like", words);
}

/* "3", "3-5" */
static bool read_iterations(const char *words, struct perfetto_window *window, struct error *error)
{
	const char *at = words;
	bool good = text_read_number(&at, UINT64_MAX - 1, &window->first);
	window->last = window->first;
	if (good && *at == '-') {
		at++;
		good = text_read_number(&at, UINT64_MAX - 1, &window->last) && window->last >= window->first;
	}
	return (good && !*at) ||
	       error_set(error, ERROR_INPUT, "--iterations %s: not a number from 0, nor two as in 3-5", words);
}

static bool read_window(const struct settings *s, struct export_options *options, struct error *error)
{
	struct perfetto_window *w = &options->window;
	*w = (struct perfetto_window){.from = s->from, .until = s->until, .last = UINT64_MAX};
	w->ranks = s->given[OPTION_RANK] ? &s->ranks : NULL;
	options->loop = s->loop;
	if (options->format != EXPORT_PERFETTO && (s->from > 0 || s->until > 0 || w->ranks || s->loop || s->iterations))
		return error_set(error, ERROR_INPUT,
			"--from, --until, --rank, --loop, --iterations: only of --to perfetto; other formats are of whole runs");
	if (s->until > 0 && s->until < s->from)
		return error_set(error, ERROR_INPUT, "--until is before --from");
	if (s->iterations && !s->loop)
		return error_set(error, ERROR_INPUT, "--iterations: say with --loop of which loop");
	return !s->iterations || read_iterations(s->iterations, w, error);
}

/* What some formats do not have is said, not passed over. */
static bool read_options(const struct settings *s, struct export_options *options, struct error *error)
{
	if (s->argument[1])
		return error_set(error, ERROR_INPUT, "export: several runs are for --to extra-p alone: what is '%s'?",
			s->argument[1]);
	options->format = (enum export_format)s->format;
	options->profile = s->profile;
	options->actions.size = s->size;
	bool of_messages = options->format == EXPORT_SMPI || options->format == EXPORT_GOAL;
	if (s->speed && options->format != EXPORT_SMPI)
		return error_set(error, ERROR_INPUT, "--speed: only of --to smpi; the other formats tell time");
	if (s->speed && !platform_parse_speed(s->speed, &options->speed))
		return error_set(error, ERROR_INPUT, "--speed %s: not a speed, as in 2Gf or 2e9", s->speed);
	if (!of_messages && (s->messages || s->given[OPTION_SIZE]))
		return error_set(error, ERROR_INPUT, "--collectives, --size: only of --to smpi and goal");
	if (options->format == EXPORT_GOAL && s->messages && !strcmp(s->messages, "native"))
		return error_set(error, ERROR_INPUT, "--collectives native: GOAL has messages alone");
	return read_collectives(s->messages, &options->actions, error) && read_window(s, options, error);
}

static void say_idle(
	struct report *report, const struct settings *s, const struct module *module, const struct export_facts *facts)
{
	idle_lenient_cautions(report, s);
	if (!facts->actions.unsized)
		idle_say(report, s, OPTIONS(OPTION_SIZE), "the model says how large each message is");
	if (!s->profile)
		idle_say(report, s, OPTIONS(OPTION_SPEED), "without --profile nothing is computed");
	if (!idle_has(module, EVENT_SYNC))
		idle_say(report, s, OPTIONS(OPTION_MESSAGES), "the model has no collective");
}

static void tell(struct report *report, const struct export_facts *facts, uint64_t size)
{
	char number[32], other[32];
	if (facts->actions.unknown)
		report_say(report, "MPI has no collective '%s': it is taken for a barrier", facts->actions.unknown);
	if (facts->actions.unsized)
		report_say(report,
			"%s statements do not say how many bytes they pass on: %" PRIu64 " are taken (--size)",
			grouped(facts->actions.unsized, number), size);
	if (facts->perfetto.calls)
		report_say(report, "%s calls, %s arrows", grouped(facts->perfetto.calls, number),
			grouped(facts->perfetto.arrows, other));
}

/* ------------------------------------------------------------------ runs that were measured */

static bool read_runs(
	const struct settings *s, struct report *report, struct run_facts *run, size_t runs, struct error *error)
{
	struct account_options options = settings_account(s, report);
	for (size_t i = 0; i < runs; i++) {
		if (run_source_of(s->argument[i]) == RUN_MODEL)
			return error_set(error, ERROR_INPUT,
				"%s: a model does not say how long anything took: name a profile, or an archive",
				s->argument[i]);
		if (!run_facts_read(&run[i], s->argument[i], true, &options, error))
			return false;
	}
	return true;
}

static bool write_runs(
	const struct settings *s, struct report *report, const struct run_facts *run, size_t runs, struct error *error)
{
	struct measured_facts facts = {0};
	struct output *out = output_open(s->output, error);
	if (!out)
		return false;
	if (s->format == FORMAT_TALP)
		measured_write_talp(run, out);
	else
		facts = measured_write_extrap(run, runs, out);
	if (!output_close(out, error))
		return false;
	if (facts.left_out)
		report_say(report, "%zu constructs are not in every run, and left out", facts.left_out);
	if (s->format == FORMAT_EXTRAP && facts.points < MEASURED_POINTS)
		report_say(report, "Extra-P makes models from %d numbers of processes on; here it is %zu",
			MEASURED_POINTS, facts.points);
	return true;
}

static bool export_runs(const struct settings *s, struct report *report, struct error *error)
{
	size_t runs = settings_arguments(s);
	if (s->format == FORMAT_TALP && runs > 1)
		return error_set(error, ERROR_INPUT, "export: --to talp is of one run, a file each: what is '%s'?",
			s->argument[1]);
	struct run_facts *run = mem_zero(runs * sizeof *run);
	bool good = read_runs(s, report, run, runs, error) && write_runs(s, report, run, runs, error);
	for (size_t i = 0; i < runs; i++)
		run_facts_clear(&run[i]);
	free(run);
	return good;
}

/* ------------------------------------------------------------------ the verb */

bool verb_export(const struct settings *s, struct report *report, struct error *error)
{
	if (!s->given[OPTION_FORMAT])
		return error_set(error, ERROR_INPUT, "export: say with --to which format is wanted");
	if (s->format >= FORMAT_TALP) {
		for (enum option_id id = 0; id < OPTION_IDS; id++)
			if (s->given[id] && id != OPTION_FORMAT && id != OPTION_OUTPUT && id != OPTION_QUIET)
				return error_set(
					error, ERROR_INPUT, "--%s: not of --to talp and extra-p", option_spelling(id));
		return export_runs(s, report, error);
	}
	struct export_options options = {0};
	struct export_facts facts = {0};
	if (!read_options(s, &options, error))
		return false;
	/* of what is plain, the members of a collective stand in one statement once it is folded; addresses
	   are those of the text */
	struct prepared *program =
		s->loop ? definitions_sized(s, report, error) : definitions_folded(s, report, NULL, s->lenient, error);
	bool good = program && selection_exists(s, program->module->processes, error);
	if (good)
		cautions_say(report, s, program->run);
	bool says_all = options.format == EXPORT_PERFETTO ||
			(options.format == EXPORT_OTF2 && good && windows_are_made_in(program->run));
	if (good && !says_all)
		cautions_say_one_sided(report, s, program->run, "export");
	good = good && export_write(program->run, s->argument[0], s->output, &options, &facts, error);
	if (good) {
		tell(report, &facts, options.actions.size);
		profile_say_estimate(report, s);
		say_idle(report, s, program->module, &facts);
	}
	prepared_free(program);
	return good;
}
