/*
 * record.c -- tracenest record: run a command with the recorder in its processes, and make an
 * archive of what they left.
 */
#include <unistd.h>

#include "cli/idle.h"
#include "cli/recording.h"
#include "cli/verbs.h"

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
		recording_make_room(&recording);
	if (recording.refused)
		report->status = report_error(report, &recording.why, NULL);
	else if (!launch_run(recording.on ? recording.launch.words : settings->command, &report->status, error))
		report->status = report_error(report, error, NULL);
	else if (recording.on)
		recording_finish(report, settings, recording.name.data);
	else
		recording_missing(report, &recording);
	rmdir(recording.name.data); /* if nothing came to be in it */
	recording_clear(&recording);
	return true;
}
