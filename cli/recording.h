/*
 * recording.h -- what the verbs record and record-exec share.
 *
 * What is watched comes first: where recording fails, the program runs all the same, and its exit
 * status is ours; but where there is no recorder for its MPI it is not started.
 */
#ifndef TRACENEST_CLI_RECORDING_H
#define TRACENEST_CLI_RECORDING_H

#include "cli/options.h"
#include "cli/talk.h"
#include "record/launch.h"

/* Starts as {0}. */
struct recording {
	bool on; /* else the program runs without the recorder; */
	bool refused; /* or, with --require or without any recorder, not at all; */
	struct error why; /* ... and this is why */
	struct text name; /* of the directory, as people call it, */
	struct text place, directory; /* and where in it this recording is made, also from anywhere */
	struct launch launch;
};

/* Is there a command, and do the options make sense? */
bool recording_wanted(const struct settings *, struct error *);

/* Make the directory, find the recorder; where that fails, and the program runs all the same, say
   so. another: where there is a recording already, this one shall take its place. */
void recording_prepare(struct recording *, const struct settings *, bool another, struct report *);

/* Say that the recording that was there before stays. */
void recording_keep(struct report *, const char *directory, const char *place);

/* Say what failed, and that this does not end the program. */
void recording_failed(struct report *, const struct error *);

void recording_clear(struct recording *);

/* Make the archive of what the processes left, say what is in it, and put it in the place of the
   one before, if it is whole. ended: the status of the command. Gives an exit status. */
int recording_finish(struct report *, const struct settings *, const char *directory, const char *place, int ended);

#endif
