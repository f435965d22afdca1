/*
 * record.c -- tracenest record: run a command with the recorder in its processes, and make an
 * archive of what they left.
 */
#include <unistd.h>

#include "cli/idle.h"
#include "cli/recording.h"
#include "cli/verbs.h"

/* The exit status is that of the program, but where it is well and should have been recorded. */
static void finish(const struct settings *settings, const struct recording *recording, struct report *report)
{
	int made = recording_finish(report, settings, recording->name.data);
	if (settings->require && !report->status)
		report->status = made;
}

bool verb_record(const struct settings *settings, struct report *report, struct error *error)
{
	struct recording recording = {0};
	if (!settings->profile)
		idle_say(report, settings, OPTIONS(OPTION_EXACT, OPTION_CALLS, OPTION_WITHIN),
			"they say what --profile keeps");
	if (settings->finish) {
		idle_say(report, settings,
			OPTIONS(OPTION_MPI, OPTION_BUFFER, OPTION_STACK, OPTION_REQUIRE, OPTION_DIRECTORY),
			"--finish runs nothing");
		report->status = recording_finish(report, settings, settings->finish);
		return true;
	}
	if (!recording_wanted(settings, error))
		return false;
	recording_prepare(&recording, settings, report);
	if (recording.on)
		recording_make_room(&recording, report);
	if (recording.refused)
		report->status = report_error(report, &recording.why, NULL);
	else if (!launch_run(recording.on ? recording.launch.words : settings->command, &report->status, error))
		report->status = report_error(report, error, NULL);
	else if (recording.on)
		finish(settings, &recording, report);
	else
		recording_missing(report, &recording);
	rmdir(recording.name.data); /* if nothing came to be in it */
	recording_clear(&recording);
	return true;
}
