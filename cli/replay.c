/*
 * replay.c -- tracenest replay: a model played back, and its times beside those recorded.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/roles.h"
#include "base/escape.h"
#include "base/json.h"
#include "cli/cautions.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/profiles.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "model/module_address.h"
#include "replay/miniapp.h"
#include "replay/replay.h"
#include "replay/windows.h"

/* The options that the mini-app has, too, as its words. */
static void put_words(const struct settings *s, struct text *words)
{
	const struct {
		const char *name, *value;
	} option[] = {{"--iterations", s->app_iterations}, {"--bytes", s->app_bytes}, {"--scale-bytes", s->scale_bytes},
		{"--scale-compute", s->scale_compute}, {"--role", s->app_role}, {"--rank", s->app_rank},
		{"--compute", s->compute}, {"--seed", s->seed}};
	text_put(words, "");
	for (size_t i = 0; i < sizeof option / sizeof *option; i++)
		if (option[i].value) {
			text_format(words, " %s ", option[i].name);
			text_put_quoted(words, option[i].value);
		}
}

/* Of the processes of a role: NO_ROLE: of all. */
static double mean(const struct replay *r, const double *seconds, uint32_t role)
{
	double sum = 0, count = 0;
	for (uint32_t p = 0; p < r->processes; p++)
		if (role == NO_ROLE || r->role[p] == role) {
			sum += seconds[p];
			count++;
		}
	return count > 0 ? sum / count : 0;
}

static void put_times(const struct replay *r, double recorded, double replayed, struct output *out)
{
	if (!r->known)
		output_format(out, "%12s %12.6f %8s", "-", replayed, "-");
	else if (recorded > 0)
		output_format(out, "%12.6f %12.6f %+7.1f%%", recorded, replayed, (replayed / recorded - 1) * 100);
	else
		output_format(out, "%12.6f %12.6f %8s", recorded, replayed, "-");
}

static void print_phase(
	const struct replay *r, const struct module *m, const struct replay_phase *phase, struct output *out)
{
	struct text address = {0};
	module_address(m, phase->first, &address);
	put_times(r, mean(r, phase->recorded, NO_ROLE), mean(r, phase->replayed, NO_ROLE), out);
	output_format(out, "  %-6s %s\n", address.data, phase->name);
	for (uint32_t role = 0; role < r->roles && r->roles > 1; role++) {
		struct ranks who = {0};
		struct text words = {0};
		for (uint32_t p = 0; p < r->processes; p++)
			if (r->role[p] == role)
				ranks_add(&who, p);
		ranks_print_short(&who, &words);
		put_times(r, mean(r, phase->recorded, role), mean(r, phase->replayed, role), out);
		output_format(out, "         role %" PRIu32 ": %s\n", role, words.data);
		ranks_clear(&who);
		text_clear(&words);
	}
	text_clear(&address);
}

static bool print(const struct settings *s, const struct replay *r, const struct module *m, struct error *error)
{
	struct output *out = output_open(s->output, error);
	if (!out)
		return false;
	output_format(out, "%12s %12s %8s  seconds of a process, by phase%s\n", "recorded",
		r->estimate ? "estimated" : "replayed", "differ", r->roles > 1 ? " and role" : "");
	for (size_t i = 0; i < r->phases; i++)
		print_phase(r, m, &r->phase[i], out);
	put_times(r, r->recorded, r->replayed, out);
	output_format(out, "  all phases, of the process that took longest\n");
	if (r->estimate && r->most > 0)
		output_format(out,
			"%12s %12.6f to %.6f: an estimate; computing is fitted over numbers of processes (95 %%)\n", "",
			r->least, r->most);
	return output_close(out, error);
}

/* The loops of the text's outermost level, with their phases' shares, as `time --json` has
   loops. */
static bool write_times(const char *path, const struct replay *r, const struct module *m, struct error *error)
{
	struct output *out = output_open(path, error);
	struct json j = {.out = out};
	const struct node *b = node_of(m->store, m->body);
	double all = 0;
	if (!out)
		return false;
	for (size_t i = 0; i < r->phases; i++)
		all += mean(r, r->phase[i].replayed, NO_ROLE);
	json_object(&j, NULL, JSON_LINES);
	json_number(&j, "processes", r->processes);
	json_array(&j, "loops", JSON_LINES);
	size_t line = 0;
	for (size_t i = 0, k = 0; i < r->phases; i++) {
		const struct replay_phase *phase = &r->phase[i];
		size_t first = k, loops = 0;
		for (size_t at = line; k < b->kids && at < phase->last; at = module_line_behind(m, at, b->kid[k++]))
			loops += node_of(m->store, b->kid[k])->kind != NODE_EVENT;
		for (size_t n = first; n < k; line = module_line_behind(m, line, b->kid[n++])) {
			const struct node *statement = node_of(m->store, b->kid[n]);
			struct text address = {0};
			int64_t last;
			if (statement->kind == NODE_EVENT)
				continue;
			module_address(m, line, &address);
			json_object(&j, NULL, JSON_ROW);
			json_string(&j, "address", address.data);
			if (statement->kind == NODE_LOOP && number_is_constant(m->store, statement->kid[1], &last))
				json_integer(&j, "count", last < 0 ? 0 : last + 1);
			json_short(
				&j, "share", all > 0 ? mean(r, phase->replayed, NO_ROLE) / all / (double)loops : 0, 9);
			json_close(&j);
			text_clear(&address);
		}
	}
	json_close(&j);
	json_close(&j);
	json_finish(&j);
	return output_close(out, error);
}

#define LOGGOPS "loggops"

/* Its parameters; NULL: it was not asked for. */
static const char *loggops(const struct settings *s)
{
	if (!s->network || strncmp(s->network, LOGGOPS, strlen(LOGGOPS)))
		return NULL;
	const char *behind = s->network + strlen(LOGGOPS);
	return *behind == ':' ? behind + 1 : *behind ? NULL : behind;
}

static bool read_change(const struct settings *s, struct replay_change *change, struct error *error)
{
	const struct {
		const char *name, *value;
		double *number, otherwise;
	} option[] = {{"message-bytes", s->app_bytes, &change->bytes, -1},
		{"scale-bytes", s->scale_bytes, &change->scale_bytes, 1},
		{"scale-compute", s->scale_compute, &change->scale_compute, 1},
		{"role", s->app_role, &change->role, -1}, {"on", s->app_rank, &change->rank, -1}};
	for (size_t i = 0; i < sizeof option / sizeof *option; i++) {
		char *end = NULL;
		*option[i].number = option[i].value ? strtod(option[i].value, &end) : option[i].otherwise;
		if (end && (*end || !(*option[i].number >= 0 && *option[i].number <= 1e12)))
			return error_set(error, ERROR_INPUT, "--%s %s: not a number from 0 to 1e12", option[i].name,
				option[i].value);
	}
	return true;
}

static void tell(struct report *report, const struct settings *s, struct run *run, const struct replay *r)
{
	char number[32];
	if (!loggops(s)) {
		uint64_t unsized = actions_facts(run).unsized;
		if (unsized && !s->app_bytes)
			report_say(report,
				"%s statements do not say how many bytes they pass on: one byte is taken (--message-bytes)",
				grouped(unsized, number));
		return;
	}
	if (r->facts.unknown)
		report_say(report, "MPI has no collective '%s': it is taken for a barrier", r->facts.unknown);
	if (r->facts.unsized && !s->app_bytes)
		report_say(report,
			"%s statements do not say how many bytes they pass on: none are taken (--message-bytes)",
			grouped(r->facts.unsized, number));
}

static bool replay(const struct settings *s, const struct prepared *program, struct report *report, struct error *error)
{
	struct text words = {0};
	struct replay r = {0};
	put_words(s, &words);
	struct replay_options options = {.with = s->with,
		.simulate = s->simulate,
		.hosts = s->hosts,
		.profile = s->profile,
		.words = words.data,
		.loggops = loggops(s),
		.algorithms = algorithms_usual(),
		.lenient = s->lenient};
	bool good = !options.loggops ||
		    (read_change(s, &options.change, error) &&
			    (!s->messages || algorithms_choose(&options.algorithms, s->messages, error)));
	good = good && replay_run(&r, program, s->argument[0], &options, error) &&
	       print(s, &r, program->module, error) && (!s->times || write_times(s->times, &r, program->module, error));
	if (good)
		tell(report, s, program->run, &r);
	replay_clear(&r);
	text_clear(&words);
	return good;
}

static void say_idle(struct report *report, const struct settings *s, const struct prepared *program)
{
	if (!program_is_of_archive(s->argument[0]))
		idle_lenient_on(report, s, program->run, &(struct error){.kind = ERROR_NONE});
	if (s->with)
		idle_say(report, s, OPTIONS(OPTION_HOSTS),
			"where processes run is a matter of the command that runs them");
	if (!loggops(s))
		idle_say(report, s, OPTIONS(OPTION_DECOMPOSED), "only LogGOPS decomposes collectives");
	else
		idle_say(report, s, OPTIONS(OPTION_HOSTS, OPTION_COMPUTE, OPTION_SEED),
			"LogGOPS has each process on a host of its own, and computing as it was, or in the mean");
	if (!s->profile)
		idle_say(report, s,
			OPTIONS(OPTION_SCALE_COMPUTE, OPTION_APP_ROLE, OPTION_APP_RANK, OPTION_COMPUTE, OPTION_SEED),
			"without --profile nothing is computed");
	else if (!s->scale_compute)
		idle_say(report, s, OPTIONS(OPTION_APP_ROLE, OPTION_APP_RANK),
			"they say whose computing --scale-compute scales");
	if (s->app_bytes)
		idle_say(report, s, OPTIONS(OPTION_SCALE_BYTES), "--message-bytes says how large messages are");
	else if (!idle_carries(program->module, "bytes", strlen("bytes")))
		idle_say(report, s, OPTIONS(OPTION_SCALE_BYTES), "the model does not say how large messages are");
}

bool verb_replay(const struct settings *s, struct report *report, struct error *error)
{
	if (!s->with == !s->simulate)
		return error_set(error, ERROR_INPUT,
			"replay: say how: --with \"mpirun -n N\", or --simulate PLATFORM.xml or cluster:NODES,LATENCY,BANDWIDTH");
	if (s->network && !loggops(s) && strcmp(s->network, "simgrid"))
		return error_set(error, ERROR_INPUT,
			"--model %s: simgrid, loggops or loggops:o=1us,g=2us,O=0.1ns,S=64KiB", s->network);
	if (s->network && !s->simulate)
		return error_set(error, ERROR_INPUT, "--model: of --simulate alone");
	if (loggops(s) && s->app_iterations)
		return error_set(error, ERROR_INPUT,
			"--iterations: of the mini-app alone; --model loggops plays back the whole model");
	struct prepared *program = definitions_folded(s, report, MINIAPP_VALUES, s->lenient, error);
	if (program) {
		cautions_say(report, s, program->run);
		if (loggops(s) || !windows_are_made_in(program->run))
			cautions_say_one_sided(report, s, program->run, "replay");
		say_idle(report, s, program);
		profile_say_estimate(report, s);
	}
	bool good = program && replay(s, program, report, error);
	prepared_free(program);
	return good;
}
