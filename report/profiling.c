/*
 * profiling.c -- the archive is read for each question by itself: where time went, how long
 * statements took, when events were; what was read once is kept, unless it is large.
 */
#include "report/profiling.h"

#include <stdlib.h>

#include "base/mem.h"
#include "report/findings.h"
#include "trace/kept.h"

/* Means of processes of one role that differ by less than this part of them are told together. */
#define AGREE 0.25

struct making {
	const char *path, *model, *trace;
	const struct profiling_options *options;
	const struct account *account; /* borrowed */
	struct profile *profile;
	struct trace_ending ending;
	struct timestamps timestamps;
};

static bool read_times(struct making *m, struct error *error)
{
	const struct program_options *how = &m->options->account.program;
	progress_begin(&how->progress, "statements");
	struct trace *trace = trace_open(m->trace, &how->trace, error);
	if (trace)
		m->profile = profile_read(m->account->program->run, m->model, trace, NULL, &how->progress, error);
	if (m->profile)
		trace_ending(trace, &m->ending);
	trace_close(trace);
	if (m->profile)
		profile_fold(m->profile, AGREE);
	return m->profile;
}

static bool read_stamps(struct making *m, struct error *error)
{
	const struct program_options *how = &m->options->account.program;
	struct timestamps_options options = {.trace = how->trace, .form = m->options->form, .progress = how->progress};
	if (m->options->keep)
		progress_begin(&how->progress, "stamps");
	return !m->options->keep ||
	       timestamps_read(&m->timestamps, m->account->program->run, m->model, m->trace, &options, error);
}

struct database_finding *profiling_findings(const struct analysis *a, size_t *length)
{
	struct findings all;
	findings_of(&all, a);
	struct database_finding *row = mem_zero((all.length + 1) * sizeof *row);
	for (size_t i = 0; i < all.length; i++) {
		const struct finding *f = &all.finding[i];
		row[i].construct = (size_t)(f->construct - a->construct);
		row[i].share = f->share;
		row[i].accuses = finding_accuses(f);
		row[i].kind = finding_kind(f);
		finding_print_ranks(a, f, &row[i].ranks);
		finding_print_iterations(a, f, &row[i].iterations);
		finding_print(a, f, &row[i].words);
	}
	*length = all.length;
	findings_clear(&all);
	return row;
}

void profiling_findings_free(struct database_finding *row, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		text_clear(&row[i].ranks);
		text_clear(&row[i].iterations);
		text_clear(&row[i].words);
	}
	free(row);
}

static bool keep(const struct making *m, struct error *error)
{
	size_t findings;
	struct database_finding *finding = profiling_findings(m->account->analysis, &findings);
	struct database_content content = {.run = m->account->program->run,
		.analysis = m->account->analysis,
		.finding = finding,
		.findings = findings,
		.profile = m->profile,
		.timestamps = m->options->keep ? &m->timestamps : NULL,
		.ending = &m->ending,
		.model = m->model,
		.trace = m->trace};
	progress_begin(&m->options->account.program.progress, "writing");
	bool good = database_write(m->path, &content, error);
	profiling_findings_free(finding, findings);
	return good;
}

bool profiling_write(const char *path, const char *model, const char *trace, const struct profiling_options *options,
	struct account *account, struct error *error)
{
	struct kept *kept = kept_new(KEPT_BYTES);
	struct profiling_options how = *options;
	how.account.program.trace.keep = kept;
	struct making m = {
		.path = path, .model = model ? model : trace, .trace = trace, .options = &how, .account = account};
	bool good = account_read(account, trace, model, &how.account, error) && read_times(&m, error) &&
		    read_stamps(&m, error) && keep(&m, error);
	kept_free(kept);
	profile_free(m.profile);
	trace_ending_clear(&m.ending);
	timestamps_clear(&m.timestamps);
	return good;
}
