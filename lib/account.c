/*
 * account.c -- the program first, then the times.
 */
#include "lib/account.h"

#include "trace/kept.h"

bool account_of(struct account *a, struct program *program, const char *model, const char *path,
	const struct account_options *options, struct error *error)
{
	struct analysis_options how = {
		.lenient = options->program.lenient, .eager = options->eager, .progress = options->program.progress};
	a->program = program;
	progress_begin(&how.progress, "times");
	struct trace *trace = trace_open(path, &options->program.trace, error);
	if (trace)
		a->analysis = analysis_read(program, model, trace, path, &how, error);
	trace_close(trace);
	return a->analysis;
}

bool account_read(struct account *a, const char *path, const char *model, const struct account_options *options,
	struct error *error)
{
	*a = (struct account){0};
	if (model) {
		struct program *program = program_read(model, error);
		program = program ? program_as_made(program, error) : NULL;
		return program && account_of(a, program, model, path, options, error);
	}
	struct account_options how = *options;
	struct kept *own = how.program.trace.keep ? NULL : kept_new(KEPT_BYTES);
	if (own)
		how.program.trace.keep = own;
	struct program *program = program_of_trace(path, &how.program, &a->facts, error);
	bool good = program && account_of(a, program, path, path, &how, error);
	kept_free(own);
	return good;
}

void account_clear(struct account *a)
{
	analysis_free(a->analysis);
	program_free(a->program);
	program_facts_clear(&a->facts);
	*a = (struct account){0};
}
