/*
 * export.h -- a run, from its model and its profile, in the formats of simulators and viewers.
 *
 *	struct export_options options = {.format = EXPORT_GOAL, .profile = "run.db",
 *		.actions.algorithms = algorithms_usual()};
 *	struct export_facts facts;
 *	if (export_write(run, "run.nest", "run.goal", &options, &facts, &error)) ...
 *
 * Memory follows the program, not its events; the result is there whole or not at all.
 */
#ifndef TRACENEST_REPLAY_EXPORT_H
#define TRACENEST_REPLAY_EXPORT_H

#include "base/error.h"
#include "replay/actions.h"
#include "replay/perfetto.h"

enum export_format { EXPORT_SMPI, EXPORT_GOAL, EXPORT_OTF2, EXPORT_PERFETTO };

struct export_options {
	enum export_format format;
	const char *profile; /* a database (database.h); NULL: computing takes no time */
	struct actions_options actions; /* but for the pace */
	double speed; /* SMPI: computing in flops of hosts of so many per second; 0: in seconds */
	struct perfetto_window window; /* PERFETTO: but for the statement, */
	const char *loop; /* ... whose address this is, or NULL */
};

struct export_facts {
	struct actions_facts actions; /* SMPI, GOAL */
	struct perfetto_facts perfetto;
};

/*
 * The run's module has no calls. model: what to call it in messages. path: a file; of SMPI a list of files, one for each
 * process in the directory PATH_files; of OTF2 a directory. False with *error set: messages are
 * missing, or cannot be sent before they are received; the profile is of another program; what
 * cannot be written.
 */
bool export_write(struct run *, const char *model, const char *path, const struct export_options *,
	struct export_facts *, struct error *);

#endif
