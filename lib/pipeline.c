/*
 * pipeline.c -- the steps in their order; each takes what the one before gave.
 */
#include "lib/pipeline.h"

#include "ask/cost.h"
#include "ask/statistics.h"
#include "fold/chains.h"
#include "fold/elastic.h"
#include "fold/fold.h"
#include "fold/nested.h"
#include "fold/roll.h"
#include "lib/constants.h"
#include "lib/local_models.h"
#include "merge/builder.h"
#include "merge/soundness.h"
#include "merge/widen.h"
#include "model/instances.h"

static struct program_sizes measure(const struct model *model)
{
	struct program *plain = program_of_plain(model);
	struct statistics *s = statistics_new(plain);
	struct program_sizes sizes = {
		s->events, s->fewest, s->most, s->constructs, s->loops, s->depth, s->in_several, s->in_all};
	statistics_free(s);
	program_free(plain);
	return sizes;
}

static void exchange(struct nest **a, struct nest **b)
{
	struct nest *swap = *a;
	*a = *b;
	*b = swap;
}

/* Both nests of the local model. */
static void widen(struct model *local, struct nest **turned)
{
	merge_widen(local);
	if (!*turned)
		return;
	exchange(&local->nest, turned);
	merge_widen(local);
	exchange(&local->nest, turned);
}

/* turned: what the processes' nests are when their loops are turned, or NULL; carried: what their
   events carry, or NULL. */
static struct model *recognize(const char *path, const struct program_options *options, struct program_facts *facts,
	struct nest **turned, struct carried **carried, struct error *error)
{
	struct local_models local;
	struct local_options of_local = {options->trace, options->window, options->repetitions, !options->recorded,
		options->values, !options->no_sites, options->at_sites, options->jobs, options->online,
		options->transport, options->progress};
	if (options->constant || options->local || options->unfolded)
		of_local.trace.distinct = 0;
	else if (!of_local.trace.distinct)
		of_local.trace.distinct = PROGRAM_DISTINCT;
	if (!local_models_read(path, &of_local, &local, error))
		return NULL;
	facts->trace = local.facts;
	facts->communicators_dropped = local.unnamed;
	facts->window_hit = local.window_hit;
	facts->losses = local.losses;
	facts->local = measure(local.model);
	*turned = local.turned;
	*carried = local.carried;
	widen(local.model, turned);
	return local.model;
}

/* ---------------------------------------------------- from the processes' models to the program */

struct made {
	struct model *global; /* NULL: not merged */
	struct soundness sound; /* of a program that was judged, */
	const struct program *judged; /* ... which is this one; NULL: none was */
	struct notes apart;
	struct merge_report merge;
	struct program *program;
	bool left_constant;
};

static void write_program(struct made *m, const struct model *model, const struct program_options *options)
{
	progress_begin(&options->progress, "folding");
	m->program = options->local || options->unfolded ? program_of_plain(model) : fold(model, NULL);
	progress_begin(&options->progress, "rolling");
	m->left_constant = !options->constant && !roll(m->program);
	if (!options->constant && program_is_folded(m->program))
		nested_join(m->program);
}

/* Would it be read back? */
static bool is_readable(const struct program *p)
{
	struct instances_error wrong;
	uint64_t events;
	return instances_check(p, &wrong) && instances_events(p, &events, &wrong);
}

/* Do all messages stay in their iterations, so that `check` will accept it, whatever the trace
   lacks? */
static bool judge(struct made *m, struct program *program)
{
	soundness_clear(&m->sound);
	soundness_of(program, &m->sound);
	m->judged = program;
	return m->sound.loops.kind == ERROR_NONE && m->sound.listing.kind == ERROR_NONE;
}

/* What merging left apart, this program says in its own way. */
static void forget_merging(struct made *m, const struct model *local)
{
	notes_clear(&m->program->notes);
	notes_add_all(&m->program->notes, &local->notes);
	notes_clear(&m->apart);
}

static bool attach(
	struct carried *carried, struct program *program, const struct program_options *options, struct error *error)
{
	return carried_attach(carried, program, !options->no_tables, options->site_names, error);
}

/* With neither tables nor guards the text is that of before there were any. */
static bool says_once(const struct program_options *o)
{
	return !o->no_procedures && !o->local && !o->unfolded && !o->constant && !(o->no_tables && o->no_guards);
}

/* With what its events carry, as it would be printed. False: these do not fit it. */
static bool furnish(struct program *program, const struct carried *carried, const struct program_options *options)
{
	struct carried *own = carried ? carried_copy(carried) : NULL;
	struct error unfit;
	bool good = !own || attach(own, program, options, &unfit);
	carried_free(own);
	program->said_once = says_once(options);
	return good;
}

/* What a program costs its reader with what its events carry; what does not fit costs most. */
static uint64_t furnished_cost(
	const struct program *program, const struct carried *carried, const struct program_options *options)
{
	struct program *full = program_copy(program);
	uint64_t cost = furnish(full, carried, options) ? program_cost(full).total : UINT64_MAX;
	program_free(full);
	return cost;
}

struct carrying {
	const struct carried *carried;
	const struct program_options *options;
	struct made *made;
};

/* For measuring: the values are needed again. */
static bool carry(void *carrying, struct program *program)
{
	const struct carrying *c = carrying;
	struct carried *own = carried_copy(c->carried);
	struct error unfit;
	bool good = attach(own, program, c->options, &unfit);
	carried_free(own);
	return good;
}

static bool accept(void *carrying, struct program *program)
{
	return judge(((struct carrying *)carrying)->made, program);
}

/* Values that take more are not measured: their tables are most of the text, whatever the
   program. */
#define CARRIED_MEASURED ((size_t)1 << 22)

/* Also with its values, where these are measured? */
static bool is_readable_with(struct program *program, struct carrying *carrying)
{
	if (!carrying)
		return is_readable(program);
	struct program *own = program_copy(program);
	bool readable = carry(carrying, own) && is_readable(own);
	program_free(own);
	return readable;
}

/* Each candidate is judged only where the best of them would let messages cross iterations. */
static struct program *make_shorter(struct made *m, const struct program *local, struct elastic_options *how)
{
	struct program *shorter = elastic(m->program, local, how);
	if (!shorter || judge(m, shorter))
		return shorter;
	program_free(shorter);
	how->accept = accept;
	return elastic(m->program, local, how);
}

/* Said over shapes, where that is shorter, and within the limits of what is read. */
static void make_elastic(struct made *m, const struct model *local, const struct carried *carried, bool incomplete,
	const struct program_options *options)
{
	if (options->local || options->unfolded || options->constant || (options->no_tables && options->no_guards))
		return;
	struct carrying carrying = {carried, options, m};
	bool measured = carried && carried_bytes(carried) <= CARRIED_MEASURED;
	progress_begin(&options->progress, "tables");
	struct elastic_options how = {.no_tables = options->no_tables,
		.no_guards = options->no_guards,
		.incomplete = incomplete,
		.carry = measured ? carry : NULL,
		.context = &carrying};
	struct program *own = program_of_plain(local), *shorter = make_shorter(m, own, &how);
	program_free(own);
	if (!shorter || !is_readable_with(shorter, measured ? &carrying : NULL) ||
		furnished_cost(shorter, carried, options) >= furnished_cost(m->program, carried, options)) {
		program_free(shorter);
		m->judged = NULL;
		return;
	}
	program_free(m->program);
	m->program = shorter;
	forget_merging(m, local);
}

struct candidates {
	struct made *made;
	const struct carried *carried;
	const struct program_options *options;
	uint64_t joint; /* events in loops of several processes, of the program that there is */
};

/* Set-up may leave a loop; what exchanges messages in turn (a master, its workers) is not taken apart:
   so much of the events in loops of several processes stays in such loops. */
#define JOINT_SHARE 2

static uint64_t joint_events(const struct program *p)
{
	struct statistics *s = statistics_new(p);
	uint64_t joint = s->in_several;
	statistics_free(s);
	return joint;
}

static bool program_has_attributes(const struct program *p)
{
	bool any = false;
	for (size_t i = 0; i < p->length && !any; i++)
		any = p->statement[i].attributes != ATTRIBUTES_NONE;
	return any;
}

/* With what its events carry, within the limits of what is read; below the limit, if it is sound. What
   is built has the sizes already. */
static uint64_t cost_of(void *candidates, struct program *built, uint64_t below)
{
	const struct candidates *c = candidates;
	bool whole = !c->options->values && program_has_attributes(built);
	struct program *full = whole ? built : program_copy(built);
	bool good = whole || furnish(full, c->carried, c->options);
	full->said_once = says_once(c->options);
	uint64_t cost = good && is_readable(full) ? program_cost(full).total : below;
	if (!whole)
		program_free(full);
	bool joint = cost < below && joint_events(built) >= c->joint / JOINT_SHARE;
	return joint && judge(c->made, built) ? cost : below;
}

/* As its source says it, where that costs its reader less. */
static void take_built(
	struct made *m, const struct model *local, const struct carried *carried, const struct program_options *options)
{
	if (options->local || options->unfolded || options->constant || (options->no_tables && options->no_guards))
		return;
	struct candidates c = {m, carried, options, joint_events(m->program)};
	struct build_options how = {options->no_tables, options->no_guards, !says_once(options), cost_of, &c};
	struct program *from = program_copy(m->program), *built = NULL;
	progress_begin(&options->progress, "building");
	if (furnish(from, carried, options))
		built = build(from, &how);
	if (built) {
		program_free(m->program);
		m->program = built;
		forget_merging(m, local);
	}
	m->judged = NULL;
	program_free(from);
}

static void take_chains_apart(struct model **global)
{
	struct model *apart = chains_apart(*global);
	if (!apart)
		return;
	model_free(*global);
	*global = apart;
}

/* What merging noted is told apart; what was noted of the reading is kept. */
static struct made merge(const struct model *local, const struct program_options *options)
{
	struct made m = {0};
	if (options->local)
		return m;
	progress_begin(&options->progress, "merging");
	struct merge_options of_merge = {.jobs = options->jobs, .growth = options->growth};
	m.global = merge_reduce(local, &of_merge, &m.merge);
	notes_add_all(&m.apart, &m.global->notes);
	notes_add_all(&m.global->notes, &local->notes);
	take_chains_apart(&m.global);
	return m;
}

static void made_clear(struct made *m)
{
	model_free(m->global);
	notes_clear(&m->apart);
}

/* By the peers that are told in a moment: it takes longer to fold a program well. */
static size_t statements(const struct model *m)
{
	struct program *program = fold(m, &(struct fold_options){.offsets_only = true});
	size_t length = program->length;
	program_free(program);
	return length;
}

/*
 * With the loops of the processes turned where that is shorter: neither statements nor constructs
 * are more. This is decided on one form, so that all forms are of one model.
 */
static struct made merge_shortest(
	struct model *local, struct nest **turned, const struct program_options *options, struct program_facts *facts)
{
	struct made recorded = merge(local, options);
	uint64_t size = model_constructs(recorded.global ? recorded.global : local);
	exchange(&local->nest, turned);
	struct made m = merge(local, options);
	uint64_t turned_size = model_constructs(m.global ? m.global : local);
	bool shorter = turned_size < size;
	if (turned_size <= size && m.global) {
		size_t few = statements(m.global), most = statements(recorded.global);
		shorter = few < most || (few == most && shorter);
	}
	if (!shorter) {
		exchange(&local->nest, turned);
		made_clear(&m);
		return recorded;
	}
	facts->local = measure(local);
	facts->recorded_constructs = size;
	made_clear(&recorded);
	return m;
}

static struct made make(
	struct model *local, struct nest **turned, const struct program_options *options, struct program_facts *facts)
{
	struct made m = *turned ? merge_shortest(local, turned, options, facts) : merge(local, options);
	write_program(&m, m.global ? m.global : local, options);
	return m;
}

static bool any_advances(const struct model *m)
{
	bool any = false;
	for (size_t i = 0; i < m->nest->items && !any; i++)
		any = !node_is_loop(m->nest->item[i]) &&
		      dictionary_get_event(m->dictionary, m->nest->item[i])->steps != EVENT_CONSTANT;
	return any;
}

/* Loops that advance and do not fit each other may fit with each number by itself: the program is
   that then, if it is shorter. */
static void take_constants(struct made *m, struct model *local, struct nest **turned,
	const struct program_options *options, struct program_facts *facts)
{
	struct constants constants;
	if (!any_advances(local) ||
		!constants_of(local, options->window, options->repetitions, !options->recorded, &constants))
		return;
	struct program_facts before = *facts;
	exchange(&local->nest, &constants.nest);
	exchange(turned, &constants.turned);
	facts->local = measure(local);
	facts->recorded_constructs = 0;
	struct made other = make(local, turned, options, facts);
	bool shorter = other.program->length < m->program->length;
	if (!shorter) {
		exchange(&local->nest, &constants.nest);
		exchange(turned, &constants.turned);
		*facts = before;
	}
	struct made *worse = shorter ? m : &other;
	made_clear(worse);
	program_free(worse->program);
	if (shorter)
		*m = other;
	constants_clear(&constants);
}

/* What is not sound is not written: first what is folded is taken back, then all that is joined. */
static void leave_apart(struct made *m, const struct model *local)
{
	const struct model *apart[] = {m->global, local};
	for (size_t i = 0; i < 2 && !(m->judged == m->program || judge(m, m->program)); i++) {
		program_free(m->program);
		m->program = program_of_plain(apart[i]);
		m->judged = NULL;
	}
}

/* Where messages are missing there is nothing to ask. */
static bool check_causality(
	struct made *m, const struct program_options *options, struct program_facts *facts, struct error *error)
{
	if (facts->incomplete.kind != ERROR_NONE)
		return true;
	if (m->sound.causality == CAUSALITY_UNKNOWN) {
		struct program *plain = program_of_plain(m->global);
		m->sound.causality = causality_of(plain, CAUSALITY_BUDGET, &m->sound.cycle);
		program_free(plain);
	}
	if (m->sound.causality != CAUSALITY_CYCLE)
		return true;
	error_set(&facts->cyclic, ERROR_INCONSISTENT, "%s%s", CAUSALITY_WRONG, m->sound.cycle.data);
	if (options->lenient)
		return true;
	*error = facts->cyclic;
	return false;
}

/* What the processes do one after the other is as it was recognized. */
static bool check(struct made *m, const struct model *local, const struct program_options *options,
	struct program_facts *facts, struct error *error)
{
	if (!m->global)
		return true;
	progress_begin(&options->progress, "checking");
	leave_apart(m, local);
	return check_causality(m, options, facts, error);
}

/* turned: what recognize found; what of it and of the local model's nest is not taken stands there
   then. */
static struct program *make_program(struct model *local, struct nest **turned, const struct carried *carried,
	const struct program_options *options, struct program_facts *facts, struct error *error)
{
	struct made m = make(local, turned, options, facts);
	if (m.apart.length && !options->constant)
		take_constants(&m, local, turned, options, facts);
	make_elastic(&m, local, carried, facts->incomplete.kind != ERROR_NONE, options);
	take_built(&m, local, carried, options);
	if (m.global) {
		facts->merged = true;
		facts->merge = m.merge;
		facts->global = measure(m.global);
	}
	facts->apart = m.apart;
	facts->left_constant = m.left_constant;
	bool good = check(&m, local, options, facts, error);
	facts->roles = program_roles(m.program, &facts->idle);
	if (!good) {
		program_free(m.program);
		m.program = NULL;
	}
	soundness_clear(&m.sound);
	model_free(m.global);
	return m.program;
}

struct program *program_of_trace(
	const char *path, const struct program_options *given, struct program_facts *facts, struct error *error)
{
	static const struct program_options defaults = {PROGRAM_OPTIONS};
	const struct program_options *options = given ? given : &defaults;
	*facts = (struct program_facts){0};
	struct nest *turned = NULL;
	struct carried *carried = NULL;
	struct program *program = NULL;
	struct model *local = recognize(path, options, facts, &turned, &carried, error);
	if (!local)
		return NULL;
	bool complete = merge_complete(local, &facts->incomplete),
	     recorded = trace_losses_none(&facts->losses, &facts->unrecorded);
	if ((complete && recorded) || options->local || options->lenient) {
		program = make_program(local, &turned, carried, options, facts, error);
	} else {
		*error = complete ? facts->unrecorded : facts->incomplete;
	}
	if (program && carried) {
		progress_begin(&options->progress, "values");
		if (!attach(carried, program, options, error)) {
			program_free(program);
			program = NULL;
		}
	}
	if (program)
		program->said_once = says_once(options);
	else
		error_at(error, "%s", path);
	carried_free(carried);
	model_free(local);
	nest_free(turned);
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
	nested_join(program);
	return program;
}

struct program *program_as_made(struct program *program, struct error *error)
{
	if (program_is_folded(program))
		return program;
	struct model *model = program_to_model(program, error);
	if (!model)
		return NULL;
	program = program_of_model(model);
	model_free(model);
	return program;
}

struct model *program_plain_model(const struct program *program, struct error *error)
{
	return program_to_model(program_copy(program), error);
}
