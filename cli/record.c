/*
 * record.c -- tracenest record: run a command with the recorder in its processes, and make an
 * archive of what they left.
 */
#include <unistd.h>

#include "cli/idle.h"
#include "cli/recording.h"
#include "cli/verbs.h"

int verb_record(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct recording recording = {0};
	struct error error = {0};
	int status;
	if (!settings->profile)
		idle_say(&report, settings, OPTIONS(OPTION_EXACT, OPTION_CALLS, OPTION_WITHIN),
			"they say what --profile keeps");
	if (settings->finish) {
		idle_say(&report, settings,
			OPTIONS(OPTION_MPI, OPTION_BUFFER, OPTION_STACK, OPTION_REQUIRE, OPTION_DIRECTORY),
			"--finish runs nothing");
		return recording_finish(&report, settings, settings->finish);
	}
	if (!recording_wanted(settings, &error))
		return report_error(&report, &error, NULL);
	recording_prepare(&recording, settings, &report);
	if (recording.on)
		recording_make_room(&recording);
	if (!recording.on && settings->require)
		status = report_error(&report, &recording.why, NULL);
	else if (!launch_run(recording.on ? recording.launch.words : settings->command, &status, &error))
		status = report_error(&report, &error, NULL);
	else if (recording.on)
		recording_finish(&report, settings, recording.name.data);
	else
		recording_missing(&report, &recording);
	rmdir(recording.name.data); /* if nothing came to be in it */
	recording_clear(&recording);
	return status;
}
