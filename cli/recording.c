/*
 * recording.c -- options of the recorder, its directory, and the words about what came of it.
 */
#include "cli/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/loop_groups.h"
#include "ask/shortfalls.h"
#include "base/output.h"
#include "cli/profiles.h"
#include "lib/pipeline.h"
#include "record/jobs.h"
#include "record/record.h"
#include "record/symbolize.h"
#include "trace/event_values.h"

/* ------------------------------------------------------------------ the directory */

static bool directory_error(const char *directory, struct error *error)
{
	return error_set(error, ERROR_INPUT, "%s: %s", directory, strerror(errno));
}

/* With those that it is in. */
static bool make_directories(const char *directory)
{
	struct text path = {0};
	bool good = true;
	for (size_t at = 0; directory[at] != '\0' && good; at++) {
		text_char(&path, directory[at]);
		if (directory[at + 1] == '\0' || (directory[at + 1] == '/' && directory[at] != '/'))
			good = mkdir(path.data, 0777) == 0 || errno == EEXIST || access(path.data, F_OK) == 0;
	}
	text_clear(&path);
	return good;
}

/* Make the directory, and where in it `another` recording is made; and say where that is from anywhere. */
static bool make_directory(
	const char *directory, bool another, struct text *place, struct text *absolute, struct error *error)
{
	if (!make_directories(directory))
		return directory_error(directory, error);
	text_put(place, directory);
	if (another)
		jobs_place(place);
	directory = place->data;
	char *real = realpath(directory, NULL);
	if (!real)
		return directory_error(directory, error);
	text_put(absolute, real);
	free(real);
	struct stat s;
	if (stat(directory, &s) != 0 || access(directory, W_OK | X_OK) != 0)
		return directory_error(directory, error);
	errno = ENOTDIR;
	return S_ISDIR(s.st_mode) || directory_error(directory, error);
}

/* ------------------------------------------------------------------ options */

static bool read_size(const char *word, uint64_t *size, struct error *error)
{
	const char *at = word, *units = "KMG";
	uint64_t number = 0;
	bool good = text_read_number(&at, UINT64_C(1) << 40, &number);
	const char *unit = *at ? strchr(units, *at) : NULL;
	good = good && (!*at || (unit && !at[1]));
	*size = number << (unit ? 10 * (unit - units + 1) : 0);
	if (!good || *size < RECORD_BUFFER_LEAST || *size > UINT64_C(1) << 40)
		return error_set(error, ERROR_INPUT, "--buffer %s: not a size from 256K to 1024G, as in 8M", word);
	return true;
}

/* Are times learned in the processes, so that no archive is needed for the profile? */
static bool learns_times(const struct settings *settings)
{
	return settings->profile && settings->no_archive && !settings->exact && !settings->given[OPTION_WITHIN];
}

/* Is no archive made, not even for a while? */
static bool makes_no_archive(const struct settings *settings)
{
	return settings->no_archive && (!settings->profile || learns_times(settings));
}

static bool set_variables(
	struct launch *launch, const struct settings *settings, const char *directory, struct error *error)
{
	uint64_t buffer = RECORD_BUFFER_DEFAULT;
	if (settings->buffer && !read_size(settings->buffer, &buffer, error))
		return false;
	launch_set(launch, RECORD_DIRECTORY, "%s", directory);
	launch_set(launch, RECORD_BUFFER, "%" PRIu64, buffer);
	launch_set(launch, RECORD_STACK, "%" PRIu64, settings->stack);
	if (settings->quiet)
		launch_set(launch, RECORD_QUIET, "1");
	if (settings->online || learns_times(settings))
		launch_set(launch, RECORD_MODEL, "1");
	if (learns_times(settings))
		launch_set(launch, RECORD_TIMES, "1");
	if (settings->by_site)
		launch_set(launch, RECORD_SITES, "1");
	if (settings->values)
		launch_set(launch, RECORD_VALUES, "%s", settings->values);
	if (makes_no_archive(settings))
		launch_set(launch, RECORD_NO_ARCHIVE, "1");
	return true;
}

bool recording_wanted(const struct settings *settings, struct error *error)
{
	uint64_t size;
	if (!settings->command)
		return error_set(
			error, ERROR_INPUT, "record needs a command, as in 'tracenest record -- mpirun -n 4 ./app'");
	if (!launch_finds(settings->command[0], error))
		return false;
	if (settings->no_archive && !settings->online && !settings->profile)
		return error_set(
			error, ERROR_INPUT, "--no-archive without --model or --profile: nothing would be recorded");
	if (settings->by_site && !settings->online)
		return error_set(error, ERROR_INPUT,
			"--by-site goes with --model: whose loops are to be told apart by the lines of their calls");
	if (settings->values && !settings->online)
		return error_set(error, ERROR_INPUT, "--values goes with --model: what its events are to carry");
	if (event_values_is_asked(settings->values, "site", strlen("site")))
		return error_set(error, ERROR_INPUT,
			"--values %s: sites have their names when the run has ended: name others, or make the model of the archive",
			settings->values);
	struct profiling_options options;
	if (!profile_options(settings, &(struct report){0}, &options, error))
		return false;
	return !settings->buffer || read_size(settings->buffer, &size, error);
}

void recording_prepare(
	struct recording *recording, const struct settings *settings, bool another, struct report *report)
{
	struct error *why = &recording->why;
	if (settings->output)
		text_put(&recording->name, settings->output);
	else
		text_format(&recording->name, "%s.trace", launch_program(settings->command));
	recording->on = make_directory(recording->name.data, another, &recording->place, &recording->directory, why) &&
			set_variables(&recording->launch, settings, recording->directory.data, why) &&
			launch_prepare(&recording->launch, settings->command, (enum launch_mpi)settings->mpi, why);
	recording->refused = !recording->on && (settings->require || recording->launch.no_recorder);
	if (!recording->on && !recording->refused)
		recording_failed(report, why);
}

void recording_failed(struct report *report, const struct error *error)
{
	report_error(report, error, NULL);
	report_say(report, "the program runs, but is not recorded");
}

void recording_clear(struct recording *recording)
{
	text_clear(&recording->name);
	text_clear(&recording->place);
	text_clear(&recording->directory);
	launch_clear(&recording->launch);
}

/* ------------------------------------------------------------------ what was recorded */

static void say_facts(struct report *report, const struct job *job, const char *archive,
	const struct settings *settings, const struct record_facts *facts)
{
	char events[32], messages[32], collectives[32], accesses[32], bytes[32];
	struct text said = {0};
	report_say_lines(report, "", facts->notes.data);
	text_format(&said, "%" PRIu32 " %s", facts->ranks, text_plural(facts->ranks, "process", "processes"));
	if (settings->no_archive && facts->partial && !facts->records)
		text_put(&said, ", of which no events are left");
	else
		text_format(&said, "%s, %s events", facts->partial ? " (not all that they did)" : "",
			grouped(facts->records, events));
	if (facts->sends || facts->collectives || !facts->partial)
		text_format(&said, " (%s messages, %s collectives%s%s)", grouped(facts->sends, messages),
			grouped(facts->collectives, collectives), facts->one_sided ? ", one-sided: " : "",
			facts->one_sided ? grouped(facts->one_sided, accesses) : "");
	if (!settings->no_archive)
		report_say(report, "%s/traces.otf2: %s, %s bytes", archive, said.data, grouped(facts->bytes, bytes));
	else if (job->number > 1)
		report_say(report, "job %" PRIu32 ": %s", job->number, said.data);
	else
		report_say(report, "%s", said.data);
	text_clear(&said);
	struct text omitted = {0};
	if (facts->partial && facts->omitted.omissions)
		text_put(&omitted, "at least ");
	shortfalls_tell_notes(&facts->omitted, &omitted);
	if (facts->omitted.omissions)
		report_say(report, "%s", omitted.data);
	text_clear(&omitted);
	if (facts->sharing)
		report_say(report, "%" PRIu32 " of %" PRIu32 " ranks shared a core: they waited for cores, too",
			facts->sharing, facts->processes);
	if (facts->overhead > 0)
		report_say(report, "recording took %.0f ns per call of MPI", facts->overhead);
}

/* The file of a job: of the first one as it was called, of others with their number before the end
   of its name, app.job2.nest. */
static bool file_of_job(const char *file, const struct job *job, struct text *path, struct error *error)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *point = strrchr(name, '.');
	size_t stem = point && point > name ? (size_t)(point - file) : strlen(file);
	if (job->number > 1 && !strcmp(file, "-"))
		return error_set(error, ERROR_INPUT,
			"job %" PRIu32 ": its model is not written: on standard output is that of the first job",
			job->number);
	text_add(path, file, job->number > 1 ? stem : strlen(file));
	if (job->number > 1)
		text_format(path, ".job%" PRIu32 "%s", job->number, file + stem);
	return true;
}

/* Those that the processes did not put into it themselves. */
static void add_omissions(struct notes *to, const struct notes *all)
{
	for (size_t i = 0; i < all->omissions; i++) {
		bool known = false;
		for (size_t k = 0; k < to->omissions && !known; k++)
			known = !strcmp(to->omission[k].call, all->omission[i].call);
		if (!known)
			notes_omit(to, all->omission[i].call, all->omission[i].calls);
	}
}

/* What the processes left of the model: printed as `model` prints it, and removed. called: what it
   is for, in messages. */
static bool write_model(struct report *report, const struct settings *settings, const struct job *job,
	const struct record_facts *recorded, const char *path, const char *called, struct error *error)
{
	static const struct site_names names = {NULL, sites_name_paths};
	struct program_options options = {PROGRAM_OPTIONS, .online = true, .at_sites = settings->by_site,
		.no_sites = !settings->by_site && event_values_asks_none(settings->values), .values = settings->values,
		.site_names = &names};
	struct program_facts facts = {0};
	struct text left = {0}, archive = {0};
	if (recorded->threads && makes_no_archive(settings))
		return error_set(error, ERROR_INCONSISTENT,
			"%s: no model: several threads of a process called MPI, and their order is found in the archive: record without --no-archive",
			called);
	text_format(&left, "%s/%s", job->own, RECORD_ONLINE);
	if (access(left.data, R_OK) != 0) {
		text_clear(&left);
		return error_set(
			error, ERROR_INPUT, "%s: no model: the processes did not all come to MPI_Finalize", called);
	}
	text_format(&archive, "%s/traces.otf2", job->directory);
	options.online = !recorded->threads;
	struct output *out = output_open(path, error);
	struct module *m =
		out ? module_of_trace(recorded->threads ? archive.data : left.data, &options, &facts, error) : NULL;
	bool good = m;
	if (m && options.online)
		add_omissions(&m->notes, &recorded->omitted);
	if (m) {
		loop_remarks_print(m, out);
		char events[32];
		report_say(report, "%s: %s events, %" PRIu32 " statements", path, grouped(facts.trace.events, events),
			node_of(m->store, m->body)->statements);
	}
	good = output_finish(out, good, error);
	if (good)
		unlink(left.data);
	text_clear(&archive);
	text_clear(&left);
	program_facts_clear(&facts);
	module_free(m);
	return good;
}

/* Of the archive and the model that was recognized with it, or is made of it. Where no archive is
   wanted, it goes. */
static bool write_profile(struct report *report, const struct settings *settings, const struct job *job,
	const char *model, const char *path, struct error *error)
{
	struct profiling_options options;
	struct text archive = {0};
	struct account account = {0};
	text_format(&archive, "%s/traces.otf2", job->directory);
	bool good = profile_options(settings, report, &options, error) &&
		    profiling_write(path, model, archive.data, &options, &account, error);
	account_clear(&account);
	text_clear(&archive);
	if (good)
		report_say(report, "%s: the profile", path);
	if (good && settings->no_archive)
		jobs_remove_archive(job);
	return good;
}

static void remove_learned(const struct job *job, uint32_t processes)
{
	for (uint32_t rank = 0; rank < processes; rank++) {
		struct text path = {0};
		text_format(&path, "%s/" RECORD_ONLINE_TIMES "%" PRIu32, job->own, rank);
		unlink(path.data);
		text_clear(&path);
	}
}

/* Of what the processes learned. model: NULL, or as it was called. */
static bool write_learned(struct report *report, const struct settings *settings, const struct job *job,
	const struct record_facts *recorded, const char *model, const char *path, struct error *error)
{
	struct text own = {0}, files = {0};
	text_format(&own, "%s/program.nest", job->own);
	text_format(&files, "%s/" RECORD_ONLINE_TIMES, job->own);
	struct report silent = *report;
	silent.quiet = true;
	bool good = (model || write_model(&silent, settings, job, recorded, own.data, path, error)) &&
		    profiling_write_learned(path, model ? model : own.data, model, files.data, error);
	if (good)
		report_say(report,
			"%s: the profile: how long statements took; who waits for whom is told by that of an archive",
			path);
	unlink(own.data);
	text_clear(&own);
	text_clear(&files);
	return good;
}

/* Whoever opens it, is told (main.c). */
static void say_unfinished(const struct job *job)
{
	struct error ignored = {0};
	struct text path = {0};
	text_format(&path, "%s/traces.otf2", job->directory);
	trace_close(trace_open(path.data, NULL, &ignored));
	text_clear(&path);
}

/* *whole: this job and those before have all that there was. */
static bool finish_job(struct report *report, const struct settings *settings, const struct job *job,
	const char *directory, const char *place, bool *whole, struct error *error)
{
	struct record_options options = {.told = !settings->finish, .no_archive = makes_no_archive(settings)};
	struct record_facts facts = {0};
	struct text model = {0}, profile = {0}, archive = {0};
	bool good = record_finish(job->own, job->directory, &options, &facts, error);
	*whole &= good && !facts.partial;
	text_format(&archive, "%s%s", jobs_may_take(directory, place, *whole) ? directory : place,
		job->directory + strlen(place));
	if (good)
		say_facts(report, job, archive.data, settings, &facts);
	if (good && (!options.no_archive || facts.partial))
		say_unfinished(job);
	if (good && options.no_archive && facts.partial)
		jobs_remove_archive(job);
	text_clear(&archive);
	text_clear(&facts.notes);
	if (good && settings->online)
		good = file_of_job(settings->online, job, &model, error) &&
		       write_model(report, settings, job, &facts, model.data, model.data, error);
	if (good && settings->profile)
		good = file_of_job(settings->profile, job, &profile, error) &&
		       (learns_times(settings)
				       ? write_learned(report, settings, job, &facts, model.data, profile.data, error)
				       : write_profile(report, settings, job, model.data, profile.data, error));
	if (learns_times(settings))
		remove_learned(job, facts.processes);
	notes_clear(&facts.omitted);
	text_clear(&model);
	text_clear(&profile);
	return good;
}

/* There is no job. */
static bool nothing_recorded(const struct jobs *jobs, const struct settings *settings, const char *directory,
	int status, struct error *error)
{
	if (jobs->alone)
		return error_set(error, ERROR_INPUT,
			"%s: each process was alone: mpirun is of another MPI than the program is linked with, so take the one of its own (mpirun.openmpi, mpirun.mpich)",
			directory);
	if (jobs->foreign.length)
		return error_set(error, ERROR_INPUT, "%s: nothing was recorded: %s", directory, jobs->foreign.data);
	if (!settings->command)
		return record_nothing(directory, error);
	struct text why = {0};
	launch_tell_nothing(settings->command, status, jobs->begun, &why);
	error_set(error, ERROR_INPUT, "%s: nothing was recorded: %s", directory, why.data);
	text_clear(&why);
	return false;
}

void recording_keep(struct report *report, const char *directory, const char *place)
{
	rmdir(place);
	if (strcmp(directory, place) && jobs_have_archive(directory))
		report_say(report, "%s: the recording that was there before is kept%s%s", directory,
			jobs_have_archive(place) ? ": this one is not whole, and is in " : "",
			jobs_have_archive(place) ? place : "");
}

/* Where the recording belongs. */
static bool take_place(struct report *report, const char *directory, const char *place, bool whole, struct error *error)
{
	struct text mark = {0};
	text_format(&mark, "%s/" RECORD_PARTIAL, place);
	bool before = jobs_have_archive(directory), take = jobs_have_archive(place),
	     good = !take || whole || output_all(mark.data, "", 0, error);
	text_clear(&mark);
	if (!take || !jobs_may_take(directory, place, whole)) {
		recording_keep(report, directory, place);
		return good;
	}
	if (before)
		report_say(report, "%s: the recording that was there before is replaced", directory);
	return good && jobs_take(directory, place, error);
}

int recording_finish(
	struct report *report, const struct settings *settings, const char *directory, const char *place, int ended)
{
	struct jobs jobs;
	struct error error = {0};
	int status = 0;
	bool whole = true, found = jobs_find(&jobs, place, &error);
	if (!found || !jobs.length) {
		if (found)
			nothing_recorded(&jobs, settings, directory, ended, &error);
		status = report_error(report, &error, NULL);
	} else if (jobs.foreign.length) {
		report_say(report, "%s", jobs.foreign.data);
	}
	for (size_t i = 0; i < jobs.length; i++) {
		struct error failure = {0};
		if (!finish_job(report, settings, &jobs.job[i], directory, place, &whole, &failure))
			status = report_error(report, &failure, NULL);
	}
	jobs_tidy(place, &jobs);
	if (!take_place(report, directory, place, whole, &error))
		status = report_error(report, &error, NULL);
	jobs_clear(&jobs);
	return status;
}
