/*
 * pipeline.c -- the steps in their order; each takes what the one before gave.
 */
#include "lib/pipeline.h"

#include "ask/statistics.h"
#include "fold/fold.h"
#include "fold/roll.h"
#include "lib/local_models.h"

static struct program_sizes measure(const struct model *model)
{
	struct program *plain = program_of_plain(model);
	struct statistics *s = statistics_new(plain);
	struct program_sizes sizes = {s->events, s->fewest, s->most, s->constructs, s->loops, s->depth, s->in_several, s->in_all};
	statistics_free(s);
	program_free(plain);
	return sizes;
}

static struct model *recognize(const char *path, const struct program_options *options, struct program_facts *facts, struct error *error)
{
	struct local_models local;
	struct local_options of_local = {options->trace, options->window, options->repetitions, options->jobs, options->progress};
	if (!local_models_read(path, &of_local, &local, error))
		return NULL;
	facts->trace = local.facts;
	facts->communicators_dropped = local.unnamed;
	facts->window_hit = local.window_hit;
	facts->losses = local.losses;
	facts->local = measure(local.model);
	return local.model;
}

/* Takes the model. What merging noted is told apart; what was noted of the reading is kept. */
static struct model *merge(struct model *local, const struct program_options *options, struct program_facts *facts)
{
	struct merge_options of_merge = {.jobs = options->jobs, .growth = options->growth};
	struct model *global = merge_reduce(local, &of_merge, &facts->merge);
	facts->merged = true;
	facts->global = measure(global);
	notes_add_all(&facts->apart, &global->notes);
	notes_add_all(&global->notes, &local->notes);
	model_free(local);
	return global;
}

struct program *program_of_trace(const char *path, const struct program_options *given, struct program_facts *facts, struct error *error)
{
	static const struct program_options defaults = {PROGRAM_OPTIONS};
	const struct program_options *options = given ? given : &defaults;
	*facts = (struct program_facts){0};
	struct model *model = recognize(path, options, facts, error);
	if (!model)
		return NULL;
	bool complete = merge_complete(model, &facts->incomplete), recorded = trace_losses_none(&facts->losses, &facts->unrecorded);
	if ((!complete || !recorded) && !options->local && !options->lenient) {
		*error = complete ? facts->unrecorded : facts->incomplete;
		error_at(error, "%s", path);
		model_free(model);
		return NULL;
	}
	if (!options->local)
		model = merge(model, options, facts);
	struct program *program = options->local || options->unfolded ? program_of_plain(model) : fold(model, NULL);
	model_free(model);
	facts->left_constant = !options->constant && !roll(program);
	facts->roles = program_roles(program, &facts->idle);
	return program;
}

void program_facts_clear(struct program_facts *facts)
{
	ranks_clear(&facts->window_hit);
	trace_losses_clear(&facts->losses);
	notes_clear(&facts->apart);
	*facts = (struct program_facts){0};
}

struct program *program_of_model(const struct model *model)
{
	struct program *program = fold(model, NULL);
	roll(program);
	return program;
}

struct program *program_as_made(struct program *program)
{
	if (program_is_folded(program))
		return program;
	struct model *model = program_unfold(program);
	program = program_of_model(model);
	model_free(model);
	return program;
}
