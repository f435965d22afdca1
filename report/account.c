/*
 * account.c -- the program first, then the times.
 */
#include "report/account.h"

#include "model/program_nodes.h"
#include "model/sites.h"
#include "trace/kept.h"

static bool analyse(struct account *a, const char *path, const char *model, const struct account_options *options,
	struct error *error)
{
	struct analysis_options how = {
		.lenient = options->program.lenient, .eager = options->eager, .progress = options->program.progress};
	progress_begin(&how.progress, "times");
	const struct prepared *p = program_prepared(a->apart ? a->apart : a->program, error);
	struct trace *trace = p ? trace_open(path, &options->program.trace, error) : NULL;
	if (trace)
		a->analysis = analysis_read(p, model ? model : path, trace, path, &how, error);
	if (a->analysis && model)
		trace_missing_records(trace, &a->facts.missing);
	trace_close(trace);
	return a->analysis;
}

static bool beside_model(struct account *a, const char *path, const char *model, const struct account_options *options,
	struct error *error)
{
	struct program *program =
		options->of ? options->of : program_of_file(model, NULL, options->program.lenient, error);
	a->program = program ? program_as_made(program, error) : NULL;
	if (!a->program || !analyse(a, path, model, options, error))
		return false;
	if (missing_records_whole(&a->facts.missing, &a->facts.unrecorded) || options->program.lenient)
		return true;
	*error = a->facts.unrecorded;
	return error_at(error, "%s", path);
}

/* Is a statement reached from several callers? Then one of them may be to blame. */
static bool callers_differ(const struct program *p)
{
	for (size_t i = 0; i < p->length; i++) {
		const uint32_t *path;
		size_t count = sites_get(&p->places, p->statement[i].sites, &path);
		for (size_t k = 1; k < count && !statement_is_loop(&p->statement[i]); k++)
			if (call_paths_frame(p->places.paths, path[k])->caller !=
				call_paths_frame(p->places.paths, path[0])->caller)
				return true;
	}
	return false;
}

bool account_read(struct account *a, const char *path, const char *model, const struct account_options *options,
	struct error *error)
{
	*a = (struct account){0};
	if (model)
		return beside_model(a, path, model, options, error);
	struct account_options how = *options;
	struct kept *own = how.program.trace.keep ? NULL : kept_new(KEPT_BYTES);
	if (own)
		how.program.trace.keep = own;
	a->program = program_of_trace(path, &how.program, &a->facts, error);
	bool good = a->program;
	if (good && !how.program.at_sites && callers_differ(a->program)) {
		struct program_facts facts;
		how.program.at_sites = true;
		a->apart = program_of_trace(path, &how.program, &facts, error);
		program_facts_clear(&facts);
		good = a->apart;
	}
	good = good && analyse(a, path, NULL, &how, error);
	if (good && a->apart)
		good = program_prepared(a->program, error);
	if (good && a->apart)
		analysis_show(a->analysis, program_prepared(a->program, error));
	kept_free(own);
	return good;
}

void account_clear(struct account *a)
{
	analysis_free(a->analysis);
	program_free(a->program);
	program_free(a->apart);
	program_facts_clear(&a->facts);
	*a = (struct account){0};
}
