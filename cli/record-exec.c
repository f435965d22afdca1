/*
 * record-exec.c -- tracenest record-exec: one process of a program with the recorder in it. Under
 * `tracenest record`, which makes the archive when all is over, it becomes its program; else the
 * process that ends last makes it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/recording.h"
#include "cli/verbs.h"
#include "record/jobs.h"
#include "record/record.h"

/* How many processes the launcher has started; 0: it does not say. */
static uint64_t processes_started(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};
	uint64_t count = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names && count == 0; i++) {
		const char *value = getenv(names[i]);
		if (value && !text_is_number(value, UINT32_MAX, &count))
			count = 0;
	}
	return count;
}

/* Each process leaves a byte when it has ended. Was this the last one? */
static bool is_last(const char *directory)
{
	struct text path = {0};
	text_format(&path, "%s/ended", directory);
	int file = open(path.data, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	struct stat s = {0};
	bool last = file >= 0 && flock(file, LOCK_EX) == 0 && write(file, ".", 1) == 1 && fstat(file, &s) == 0 &&
		    (uint64_t)s.st_size >= (processes_started() ? processes_started() : 1);
	if (last)
		unlink(path.data);
	if (file >= 0)
		close(file);
	text_clear(&path);
	return last;
}

/* Under `tracenest record`, all is said already but which MPI it is; the process becomes its
   program. */
static bool become(const struct settings *settings, struct report *report, struct error *error)
{
	struct launch launch = {0};
	if (!launch_prepare(&launch, settings->command, (enum launch_mpi)settings->mpi, error))
		recording_failed(report, error);
	launch_export(&launch);
	launch_become(settings->command, error);
	launch_clear(&launch);
	return false;
}

bool verb_record_exec(const struct settings *settings, struct report *report, struct error *error)
{
	struct recording recording = {0};
	if (!recording_wanted(settings, error))
		return false;
	if (getenv(RECORD_DIRECTORY))
		return become(settings, report, error);
	recording_prepare(&recording, settings, false, report);
	if (recording.refused) {
		*error = recording.why;
		recording_clear(&recording);
		return false;
	}
	/* the archive of an earlier run stays: no process knows whether it may remove it */
	if (recording.on && jobs_have_archive(recording.name.data)) {
		error_set(error, ERROR_INPUT,
			"%s: there is a recording already: remove it, or choose another place with -o",
			recording.name.data);
		recording_failed(report, error);
		recording.on = false;
	}
	if (recording.on)
		launch_export(&recording.launch);
	if (!launch_run(settings->command, &report->status, error))
		report->status = report_error(report, error, NULL);
	if (recording.on && is_last(recording.directory.data))
		recording_finish(report, settings, recording.name.data, recording.name.data, report->status);
	recording_clear(&recording);
	return true;
}
