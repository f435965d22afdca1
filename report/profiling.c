/*
 * profiling.c -- the archive is read for each question by itself: where time went, how long
 * statements took, when events were; what was read once is kept, unless it is large.
 */
#include "report/profiling.h"

#include <stdlib.h>

#include "base/mem.h"
#include "lib/online_times.h"
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

void profiling_put_findings(const struct analysis *a, struct database_writer *to)
{
	struct findings all;
	findings_of(&all, a);
	for (size_t i = 0; i < all.length; i++) {
		const struct finding *f = &all.finding[i];
		struct text ranks = {0}, iterations = {0}, words = {0};
		finding_print_ranks(a, f, &ranks);
		finding_print_iterations(a, f, &iterations);
		finding_print(a, f, &words);
		database_put(to, "finding", "iiditttt", (uint64_t)i, (uint64_t)(f->construct - a->construct), f->share,
			(uint64_t)finding_accuses(f), finding_kind(f), ranks.data, iterations.data, words.data);
		text_clear(&ranks);
		text_clear(&iterations);
		text_clear(&words);
	}
	findings_clear(&all);
}

static bool keep(const struct making *m, struct error *error)
{
	struct database_content content = {.run = m->account->program->run,
		.analysis = m->account->analysis,
		.findings = profiling_put_findings,
		.profile = m->profile,
		.timestamps = m->options->keep ? &m->timestamps : NULL,
		.ending = &m->ending,
		.model = m->model,
		.trace = m->trace};
	progress_begin(&m->options->account.program.progress, "writing");
	return database_write(m->path, &content, error);
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

bool profiling_write_learned(
	const char *path, const char *model, const char *called, const char *files, struct error *error)
{
	struct module *m = module_as_made(module_of_file(model, NULL, false, error), error);
	struct prepared *program = m ? prepared_new(m, error) : NULL;
	struct profile *profile = program ? online_times_profile(program->run, files, error) : NULL;
	bool good = profile;
	if (good) {
		profile_fold(profile, AGREE);
		good = database_write(path,
			&(struct database_content){.run = program->run, .profile = profile, .model = called}, error);
	}
	profile_free(profile);
	prepared_free(program);
	return good;
}
