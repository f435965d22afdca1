/*
 * replay.c -- the mini-app tells its times by phase and process; the profile's rows tell the same
 * of the recorded run.
 */
#include "replay/replay.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/roles.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/unfinished.h"
#include "profile/database.h"
#include "profile/pace.h"
#include "replay/miniapp.h"
#include "replay/platform.h"
#include "replay/playback.h"

/* What the mini-app may print, and a platform be. */
#define LARGEST ((size_t)1 << 28)

struct running {
	struct replay *replay;
	const struct prepared *program;
	uint32_t processes;
	const char *model;
	const struct replay_options *options;
	char *folder;
	struct text command; /* that runs the mini-app */
	struct error *error;
};

/* ------------------------------------------------------------------ commands */

static void put_file(struct text *out, const struct running *r, const char *name)
{
	struct text path = {0};
	text_format(&path, "%s/%s", r->folder, name);
	text_put_quoted(out, path.data);
	text_clear(&path);
}

static bool shell(const struct running *r, const char *command, int output, int *status)
{
	char *words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
	return unfinished_run("/bin/sh", words, output, true, status, r->error);
}

static bool write_file(const struct running *r, const char *name, const struct text *text)
{
	struct text path = {0};
	text_format(&path, "%s/%s", r->folder, name);
	bool good = output_all(path.data, text->data, text->length, r->error);
	text_clear(&path);
	return good;
}

/* mpirun.mpich: mpicc.mpich; /opt/mpi/bin/mpiexec: the mpicc beside it; what the environment says
   (MPICC) before. */
static void put_compiler(const struct running *r, struct text *out)
{
	const char *said = getenv("MPICC"), *with = r->options->with;
	if (!with) {
		text_put(out, "smpicc");
	} else if (said && *said) {
		text_put(out, said);
	} else {
		size_t length = strcspn(with, " \t");
		char *first = mem_text(with), *name;
		first[length] = 0;
		name = strrchr(first, '/') ? strrchr(first, '/') + 1 : first;
		bool known = !strncmp(name, "mpirun", 6) || !strncmp(name, "mpiexec", 7);
		const char *behind = known ? name + (name[3] == 'r' ? 6 : 7) : "";
		if (known)
			text_add(out, first, (size_t)(name - first));
		text_format(out, "mpicc%s", behind);
		free(first);
	}
}

static bool compile(const struct running *r)
{
	struct text compiler = {0}, command = {0};
	int status = 1;
	put_compiler(r, &compiler);
	text_format(&command, "command -v %s >/dev/null 2>&1", compiler.data);
	bool good = shell(r, command.data, -1, &status);
	if (good && status)
		good = error_set(r->error, ERROR_INPUT, "no compiler: '%s' is not here (%s)", compiler.data,
			r->options->with ? "set MPICC to the one that goes with the command" : "install SimGrid");
	text_truncate(&command, 0);
	text_put(&command, "TMPDIR=");
	text_put_quoted(&command, r->folder);
	text_format(&command, " %s -O1 -o ", compiler.data);
	put_file(&command, r, "app");
	text_char(&command, ' ');
	put_file(&command, r, "app.c");
	good = good && shell(r, command.data, STDERR_FILENO, &status);
	if (good && status)
		good = error_set(
			r->error, ERROR_INTERNAL, "%s failed on the mini-app (status %d)", compiler.data, status);
	text_clear(&compiler);
	text_clear(&command);
	return good;
}

/* ------------------------------------------------------------------ platforms */

/* The value of an attribute from here to the end of its element. */
static bool find_value(const char *at, const char *name, const char **value, size_t *length)
{
	const char *end = strchr(at, '>'), *found = strstr(at, name);
	size_t size = strlen(name);
	if (!found || !end || found > end || found[size] != '=' || (found[size + 1] != '"' && found[size + 1] != '\''))
		return false;
	*value = found + size + 2;
	*length = strcspn(*value, "\"'");
	return true;
}

/* radical="0-15,20": how many. */
static uint64_t count_radical(const char *at, const char *end)
{
	uint64_t count = 0, first, last;
	while (at < end && text_read_number(&at, UINT32_MAX, &first)) {
		last = first;
		if (*at == '-' && at++ && !text_read_number(&at, UINT32_MAX, &last))
			break;
		count += last >= first ? last - first + 1 : 0;
		at += *at == ',';
	}
	return count;
}

/* The hosts that a file names; 0: it makes them otherwise. speed: of the first, as it is
   written. */
static uint64_t count_hosts(const char *xml, struct text *speed)
{
	uint64_t hosts = 0;
	const char *value;
	size_t length;
	for (const char *at = strchr(xml, '<'); at; at = strchr(at + 1, '<')) {
		bool host = !strncmp(at, "<host", 5) && isspace((unsigned char)at[5]),
		     cluster = !strncmp(at, "<cluster", 8) && isspace((unsigned char)at[8]);
		if ((host || cluster) && !speed->length && find_value(at, "speed", &value, &length))
			text_add(speed, value, strcspn(value, ",\"'") < length ? strcspn(value, ",\"'") : length);
		hosts += host;
		if (cluster && find_value(at, "radical", &value, &length))
			hosts += count_radical(value, value + length);
	}
	return hosts;
}

/* A line for each process. What hosts there are, SimGrid knows. */
static bool use_hosts(struct running *r)
{
	struct text hosts = {0};
	uint64_t lines = 0;
	bool good = file_read(r->options->hosts, LARGEST, &hosts, r->error);
	for (const char *at = good ? hosts.data : ""; *at; at += strcspn(at, "\n"), at += *at != 0)
		lines += *at != '\n';
	if (good && lines < r->processes)
		good = error_set(r->error, ERROR_INPUT,
			"%s: hosts for %" PRIu64 " processes, and the model has %" PRIu32, r->options->hosts, lines,
			r->processes);
	text_put(&r->command, " -hostfile ");
	text_put_quoted(&r->command, r->options->hosts);
	text_clear(&hosts);
	return good;
}

static bool use_file(struct running *r)
{
	struct text xml = {0}, speed = {0};
	bool good = file_read(r->options->simulate, LARGEST, &xml, r->error);
	uint64_t hosts = good ? count_hosts(xml.data, &speed) : 0;
	if (good && !strstr(xml.data, "<platform"))
		good = error_set(r->error, ERROR_INPUT, "%s: no platform of SimGrid", r->options->simulate);
	else if (good && hosts && hosts < r->processes && !r->options->hosts)
		good = error_set(r->error, ERROR_INPUT,
			"%s: the platform has %" PRIu64 " hosts, and the model %" PRIu32 " processes",
			r->options->simulate, hosts, r->processes);
	text_put(&r->command, " -platform ");
	text_put_quoted(&r->command, r->options->simulate);
	text_put(&r->command, " --cfg=smpi/host-speed:");
	text_put_quoted(&r->command, speed.length ? speed.data : "1Gf");
	text_clear(&xml);
	text_clear(&speed);
	return good;
}

static bool use_cluster(struct running *r)
{
	struct platform p;
	struct text xml = {0}, hosts = {0};
	bool good = platform_parse(r->options->simulate, &p, r->error) &&
		    (r->options->hosts || platform_print_hosts(&p, r->processes, &hosts, r->error));
	if (good) {
		platform_print(&p, &xml);
		good = write_file(r, "platform.xml", &xml) && (r->options->hosts || write_file(r, "hosts", &hosts));
		text_put(&r->command, " -platform ");
		put_file(&r->command, r, "platform.xml");
		if (!r->options->hosts) {
			text_put(&r->command, " -hostfile ");
			put_file(&r->command, r, "hosts");
		}
		text_format(&r->command, " --cfg=smpi/host-speed:%.0ff", p.speed);
	}
	text_clear(&xml);
	text_clear(&hosts);
	return good;
}

static bool choose_command(struct running *r)
{
	const struct replay_options *o = r->options;
	bool good = true;
	if (o->with) {
		text_put(&r->command, o->with);
	} else {
		text_format(&r->command, "smpirun -np %" PRIu32, r->processes);
		good = strncmp(o->simulate, PLATFORM_PREFIX, strlen(PLATFORM_PREFIX)) ? use_file(r) : use_cluster(r);
		good = good && (!o->hosts || use_hosts(r));
		text_put(
			&r->command, " --cfg=smpi/simulate-computation:no --cfg=smpi/test:1e-7 --log=root.thres:error");
	}
	text_char(&r->command, ' ');
	put_file(&r->command, r, "app");
	if (o->words)
		text_format(&r->command, " %s", o->words);
	return good;
}

/* ------------------------------------------------------------------ times */

static void take_phases(struct replay *replay, struct skeleton_phases *phases, size_t lines)
{
	replay->phase = mem_zero((phases->length + 1) * sizeof *replay->phase);
	replay->phases = phases->length;
	for (size_t i = 0; i < phases->length; i++)
		replay->phase[i] = (struct replay_phase){phases->phase[i].name, phases->phase[i].first,
			i + 1 < phases->length ? phases->phase[i + 1].first : lines,
			mem_zero((replay->processes + (size_t)1) * sizeof(double)),
			mem_zero((replay->processes + (size_t)1) * sizeof(double))};
}

static void take_recorded(struct replay *replay, const struct pace *pace)
{
	double tick = 1 / (double)pace_ticks_per_second(pace);
	replay->known = true;
	for (size_t i = 0; i < pace_rows(pace); i++) {
		struct pace_row row = pace_get_row(pace, i);
		struct ranks_walk walk = {0};
		size_t at = 0;
		while (at + 1 < replay->phases && row.line >= replay->phase[at].last)
			at++;
		double each = (double)(row.times->before + row.times->call) * tick / (double)ranks_count(row.ranks);
		for (uint32_t p; replay->phases && ranks_next(row.ranks, &walk, &p);)
			replay->phase[at].recorded[p] += each;
	}
}

static double longest(const struct replay *r, bool recorded)
{
	double most = 0;
	for (uint32_t p = 0; p < r->processes; p++) {
		double sum = 0;
		for (size_t i = 0; i < r->phases; i++)
			sum += (recorded ? r->phase[i].recorded : r->phase[i].replayed)[p];
		most = sum > most ? sum : most;
	}
	return most;
}

/* Other lines are the talk of those who run it. */
static bool take_replayed(const struct running *r, const char *printed)
{
	struct replay *replay = r->replay;
	size_t told = 0;
	for (const char *at = printed; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		uint32_t p;
		size_t i;
		double seconds;
		if (sscanf(at, "phase %zu %" SCNu32 " %lf", &i, &p, &seconds) != 3 || i >= replay->phases ||
			p >= replay->processes)
			continue;
		replay->phase[i].replayed[p] = seconds;
		told++;
	}
	if (told != replay->phases * replay->processes)
		return error_set(r->error, ERROR_INPUT,
			"the mini-app did not come to its end: is the command one that runs %" PRIu32 " processes?",
			replay->processes);
	replay->replayed = longest(replay, false);
	return true;
}

static bool run_app(const struct running *r)
{
	struct text path = {0}, printed = {0};
	int status = 1;
	text_format(&path, "%s/printed", r->folder);
	int output = open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good = output >= 0 || error_set(r->error, ERROR_INTERNAL, "%s: cannot be written", path.data);
	good = good && shell(r, r->command.data, output, &status);
	if (output >= 0)
		close(output);
	if (good && status)
		good = error_set(r->error, ERROR_INPUT,
			"'%s' failed on the mini-app of %" PRIu32 " processes (status %d)",
			r->options->with ? r->options->with : "smpirun", r->processes, status);
	good = good && file_read(path.data, LARGEST, &printed, r->error) && take_replayed(r, printed.data);
	text_clear(&path);
	text_clear(&printed);
	return good;
}

/* ------------------------------------------------------------------ by LogGOPS */

struct simulating {
	struct replay *replay;
	uint32_t *phase; /* by line */
	double *left; /* by process: when it was done with the event before, ticks */
};

static bool take_played(void *context, const struct played *p)
{
	struct simulating *s = context;
	struct replay_phase *phase = &s->replay->phase[s->phase[p->cursor->line]];
	phase->replayed[p->rank] += ((double)p->leave - s->left[p->rank]) / (double)playback_ticks_per_second(NULL);
	s->left[p->rank] = (double)p->leave;
	return true;
}

static double *scales_of_computing(const struct replay *r, const struct replay_change *c)
{
	double *scale = mem_array(r->processes + (size_t)1, sizeof *scale);
	for (uint32_t p = 0; p < r->processes; p++) {
		bool ours = (c->role < 0 || r->role[p] == c->role) && (c->rank < 0 || p == c->rank);
		scale[p] = ours ? c->scale_compute : 1;
	}
	return scale;
}

static bool simulate(const struct running *r, const struct network *network, const struct pace *pace)
{
	const struct replay_change *change = &r->options->change;
	struct actions_options options = {.algorithms = r->options->algorithms};
	struct replay *replay = r->replay;
	struct actions *actions = actions_new(r->program->run, &options);
	double *scale = scales_of_computing(replay, change);
	struct playback_network n = {*network, actions, scale, change->bytes, change->scale_bytes};
	struct simulating s = {replay, mem_array(r->program->module->lines + 1, sizeof *s.phase),
		mem_zero((replay->processes + (size_t)1) * sizeof *s.left)};
	for (size_t i = 0; i < replay->phases; i++)
		for (size_t k = replay->phase[i].first; k < replay->phase[i].last; k++)
			s.phase[k] = (uint32_t)i;
	bool good = playback_run(r->program->run, pace, &n, &(struct playback_client){&s, take_played});
	if (!good)
		error_set(r->error, ERROR_INCONSISTENT, "%s: its events cannot all happen", r->model);
	replay->replayed = longest(replay, false);
	replay->facts = actions_facts(r->program->run);
	actions_free(actions);
	free(scale);
	free(s.phase);
	free(s.left);
	return good && r->error->kind == ERROR_NONE;
}

/* ------------------------------------------------------------------ all of it */

/* The mini-app; how its phases were recorded. */
static bool make_app(struct running *r, struct text *c, struct pace **pace)
{
	struct skeleton_phases phases = {0};
	struct miniapp_options options = {
		.profile = r->options->profile, .phases = &phases, .pace = pace, .lenient = r->options->lenient};
	bool good = miniapp_print(r->program, r->model, &options, c, r->error);
	if (good) {
		take_phases(r->replay, &phases, r->program->module->lines);
		r->replay->estimate = pace_is_estimate(*pace);
		if (*pace && !r->replay->estimate)
			take_recorded(r->replay, *pace);
		r->replay->recorded = longest(r->replay, true);
	}
	free(phases.phase);
	return good;
}

/* With the end of the intervals that is given. */
static bool simulate_end(
	const struct running *r, const struct network *network, struct pace *pace, enum pace_end end, double *took)
{
	struct replay *replay = r->replay;
	pace_choose(pace, end);
	bool good = simulate(r, network, pace);
	*took = replay->replayed;
	for (size_t i = 0; i < replay->phases && end != PACE_ESTIMATE; i++)
		memset(replay->phase[i].replayed, 0, replay->processes * sizeof *replay->phase[i].replayed);
	return good;
}

static bool run_loggops(const struct running *r, const struct network *network, struct pace *pace)
{
	bool keeps = false;
	if (r->replay->estimate)
		return simulate_end(r, network, pace, PACE_LEAST, &r->replay->least) &&
		       simulate_end(r, network, pace, PACE_MOST, &r->replay->most) &&
		       simulate_end(r, network, pace, PACE_ESTIMATE, &r->replay->replayed);
	return (!pace || database_keeps_times(r->options->profile, &keeps, r->error)) &&
	       (!keeps || database_pace_times(pace, r->options->profile, r->program->run, r->model, r->error)) &&
	       simulate(r, network, pace);
}

bool replay_run(struct replay *replay, const struct prepared *program, const char *model,
	const struct replay_options *options, struct error *error)
{
	uint32_t processes = program->module->processes;
	struct running r = {replay, program, processes, model, options, .error = error};
	struct text c = {0};
	struct pace *pace = NULL;
	struct network network;
	bool good;
	*replay = (struct replay){.processes = processes};
	replay->role = roles_of(program->run, &replay->roles);
	if (options->loggops) {
		good = network_parse(options->simulate, options->loggops, processes, &network, error) &&
		       make_app(&r, &c, &pace) && run_loggops(&r, &network, pace);
	} else {
		r.folder = unfinished_folder("tracenest-replay", error);
		good = r.folder && choose_command(&r) && make_app(&r, &c, &pace) && write_file(&r, "app.c", &c) &&
		       compile(&r) && run_app(&r);
		if (r.folder)
			unfinished_remove(r.folder);
		text_clear(&r.command);
	}
	pace_free(pace);
	text_clear(&c);
	return good;
}

void replay_clear(struct replay *r)
{
	for (size_t i = 0; i < r->phases; i++) {
		free(r->phase[i].name);
		free(r->phase[i].recorded);
		free(r->phase[i].replayed);
	}
	free(r->phase);
	free(r->role);
	*r = (struct replay){0};
}
