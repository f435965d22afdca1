/*
 * profiling.h -- the profile of a run: its archive read, next to its program, and kept as a
 * database.
 *
 *	struct profiling_options options = {.account = {ACCOUNT_OPTIONS}};
 *	profiling_write("run.db", "run.nest", "run/traces.otf2", &options, &account, &error);
 *	account_clear(&account);
 */
#ifndef TRACENEST_REPORT_PROFILING_H
#define TRACENEST_REPORT_PROFILING_H

#include "profile/database.h"
#include "profile/timestamps.h"
#include "report/account.h"

struct profiling_options {
	struct account_options account;
	bool keep; /* when each event was, */
	struct columns_form form; /* so exactly */
};

/*
 * model: a stored program, or NULL: it is made of the trace. False with *error set: what reading
 * came upon, the trace is not that of the model, the database cannot be written; then there is
 * none. The account is the caller's to clear in any case.
 */
bool profiling_write(const char *path, const char *model, const char *trace, const struct profiling_options *,
	struct account *, struct error *);

/*
 * The same without an archive: model is a stored program, called so (NULL: it goes), files what
 * its processes left of their times (lib/online_times.h). It has the times of statements and
 * processes, and not who waited for whom.
 */
bool profiling_write_learned(
	const char *path, const char *model, const char *called, const char *files, struct error *);

/* What is said of a run, as a database keeps it. */
void profiling_put_findings(const struct analysis *, struct database_writer *);

#endif
