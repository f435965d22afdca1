/*
 * account.c -- the program first, then the times.
 */
#include "report/account.h"

#include <stdlib.h>

#include "model/generalize.h"
#include "trace/kept.h"

static bool analyse(struct account *a, const char *path, const char *model, const struct account_options *options,
	struct error *error)
{
	struct analysis_options how = {
		.lenient = options->program.lenient, .eager = options->eager, .progress = options->program.progress};
	progress_begin(&how.progress, "times");
	struct trace *trace = trace_open(path, &options->program.trace, error);
	if (trace)
		a->analysis = analysis_read(a->apart ? a->apart : a->program, model ? model : path, trace, &how, error);
	if (a->analysis && model)
		trace_missing_records(trace, &a->facts.missing);
	trace_close(trace);
	return a->analysis;
}

static bool beside_model(struct account *a, const char *path, const char *model, const struct account_options *options,
	struct error *error)
{
	struct module *of = options->of ? options->of : module_of_file(model, NULL, options->program.lenient, error);
	a->program = prepared_new(module_as_made(of, error), error);
	if (!a->program || !analyse(a, path, model, options, error))
		return false;
	if (missing_records_whole(&a->facts.missing, &a->facts.unrecorded) || options->program.lenient)
		return true;
	*error = a->facts.unrecorded;
	return error_at(error, "%s", path);
}

/* Is a statement reached from several callers? Then one of them may be to blame. */
static bool callers_differ(const struct module *m)
{
	struct module_line *line = module_statements(m);
	bool differ = false;
	for (size_t i = 0; i < m->lines && !differ; i++) {
		const uint32_t *path;
		size_t count = sites_get(&m->places, m->sites[i], &path);
		for (size_t k = 1; k < count && node_of(m->store, line[i].node)->kind == NODE_EVENT; k++)
			differ |= call_paths_frame(m->places.paths, path[k])->caller !=
				  call_paths_frame(m->places.paths, path[0])->caller;
	}
	free(line);
	return differ;
}

/* As whoever reads its text has it, in which a place stands for all its callers, and a body that is
   called for all its calls: what is said of a run is the same beside its model. Takes the module,
   and gives whether callers differed. */
static struct prepared *as_its_text(struct module *m, bool *differ, struct error *error)
{
	struct draft *d = m ? draft_of_module(m, error) : NULL;
	module_free(m);
	if (!d)
		return NULL;
	*differ = callers_differ(d->module);
	module_sites_as_read(d->module);
	struct prepared *p = prepared_new(module_of_draft(d, NULL, NULL), error);
	draft_free(d);
	return p;
}

bool account_read(struct account *a, const char *path, const char *model, const struct account_options *options,
	struct error *error)
{
	*a = (struct account){0};
	if (model)
		return beside_model(a, path, model, options, error);
	struct account_options how = *options;
	bool differ = false;
	struct kept *own = how.program.trace.keep ? NULL : kept_new(KEPT_BYTES);
	if (own)
		how.program.trace.keep = own;
	a->program = as_its_text(module_of_trace(path, &how.program, &a->facts, error), &differ, error);
	bool good = a->program;
	if (good && !how.program.at_sites && differ) {
		struct program_facts facts;
		how.program.at_sites = true;
		a->apart = as_its_text(module_of_trace(path, &how.program, &facts, error), &differ, error);
		program_facts_clear(&facts);
		good = a->apart;
	}
	good = good && analyse(a, path, NULL, &how, error);
	if (good && a->apart)
		analysis_show(a->analysis, a->program);
	kept_free(own);
	return good;
}

void account_clear(struct account *a)
{
	analysis_free(a->analysis);
	prepared_free(a->program);
	prepared_free(a->apart);
	program_facts_clear(&a->facts);
	*a = (struct account){0};
}
