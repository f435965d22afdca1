/*
 * record.c -- tracenest record: run a command with the recorder in its processes, and make an
 * archive of what they left.
 */
#include <unistd.h>

#include "cli/idle.h"
#include "cli/recording.h"
#include "cli/verbs.h"
#include "record/record.h"

bool verb_record(const struct settings *settings, struct report *report, struct error *error)
{
	struct recording recording = {0};
	bool finished = false;
	if (!settings->profile)
		idle_say(report, settings, OPTIONS(OPTION_EXACT, OPTION_CALLS, OPTION_WITHIN),
			"they say what --profile keeps");
	if (settings->finish) {
		idle_say(report, settings,
			OPTIONS(OPTION_MPI, OPTION_BUFFER, OPTION_STACK, OPTION_REQUIRE, OPTION_DIRECTORY),
			"--finish runs nothing");
		struct text place = {0};
		text_format(&place, "%s/" RECORD_NEW, settings->finish);
		report->status = recording_finish(report, settings, settings->finish,
			access(place.data, F_OK) ? settings->finish : place.data, 0);
		text_clear(&place);
		return true;
	}
	if (!recording_wanted(settings, error))
		return false;
	recording_prepare(&recording, settings, true, report);
	if (recording.refused)
		report->status = report_error(report, &recording.why, NULL);
	else if (!launch_run(recording.on ? recording.launch.words : settings->command, &report->status, error))
		report->status = report_error(report, error, NULL);
	else if (!(finished = recording.on))
		report_say(report, "nothing was recorded: %s", recording.why.message); /* said at the beginning, too */
	if (finished) { /* the exit status is that of the program, but where it is well and should have been recorded */
		int made =
			recording_finish(report, settings, recording.name.data, recording.place.data, report->status);
		if (settings->require && !report->status)
			report->status = made;
	}
	if (!finished && recording.place.length)
		recording_keep(report, recording.name.data, recording.place.data);
	rmdir(recording.name.data); /* if nothing came to be in it */
	recording_clear(&recording);
	return true;
}
