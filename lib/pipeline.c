/*
 * pipeline.c -- the steps in their order; each takes what the one before gave.
 */
#include "lib/pipeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "ask/consistency.h"
#include "ask/cost.h"
#include "ask/measures.h"
#include "ask/unfolding.h"
#include "base/mem.h"
#include "lib/local_models.h"
#include "merge/builder.h"
#include "merge/widen.h"
#include "model/generalize.h"
#include "model/module_of_model.h"
#include "model/module_tables.h"
#include "model/program_nodes.h"
#include "model/program_of_module.h"

static struct program_sizes measure(struct run *run)
{
	struct measures s;
	measures_of(run, &s, &(struct error){0});
	struct program_sizes sizes = {
		s.events, s.fewest, s.most, s.constructs, s.loops, s.depth, s.in_several, s.in_all};
	measures_clear(&s);
	return sizes;
}

static struct program_sizes measure_program(const struct program *program)
{
	struct run *run = program_run(program, &(struct error){0});
	return run ? measure(run) : (struct program_sizes){0};
}

static struct program_sizes measure_model(const struct model *model)
{
	struct module *plain = module_of_model(model);
	struct run *run = run_new(plain, NULL);
	struct program_sizes sizes = measure(run);
	run_free(run);
	module_free(plain);
	return sizes;
}

/* Takes the module. NULL with *error set where the older form cannot say it. */
static struct program *program_of_plain(struct module *plain, struct error *error)
{
	struct inlined_line wrong;
	struct program *p = program_of_module(plain, NULL, &wrong, error);
	if (p)
		program_nodes_keep(p, plain);
	else
		module_free(plain);
	return p;
}

/* values: what their events carry, or NULL. */
static struct model *recognize(const char *path, const struct program_options *options, struct program_facts *facts,
	struct value_columns **values, struct error *error)
{
	struct local_models local;
	struct local_options of_local = {options->trace, options->window, options->repetitions, options->values,
		!options->no_sites, options->at_sites, options->jobs, options->online, options->transport,
		options->progress};
	if (options->constant || options->unfolded)
		of_local.trace.distinct = 0;
	else if (!of_local.trace.distinct)
		of_local.trace.distinct = options->local ? 1 : PROGRAM_DISTINCT;
	if (!local_models_read(path, &of_local, &local, error))
		return NULL;
	facts->trace = local.facts;
	facts->communicators_dropped = local.unnamed;
	facts->window_hit = local.window_hit;
	facts->missing = local.missing;
	facts->local = measure_model(local.model);
	*values = local.values;
	if (options->site_names && *values)
		value_columns_name_sites(*values, options->site_names);
	merge_widen(local.model);
	return local.model;
}

/* ---------------------------------------------------- from the processes' models to the program */

struct made {
	struct model *global; /* NULL: not merged */
	struct consistency sound; /* of a program that was judged, */
	const void *judged; /* ... which is this one, or this draft; NULL: none was */
	struct notes apart;
	struct merge_report merge;
	struct program *program;
};

/* Will it be read, and do all messages stay in their iterations, so that `check` will accept it,
   whatever the trace lacks? */
static bool holds(struct made *m, const void *judged)
{
	m->judged = judged;
	return m->sound.meeting && m->sound.loops.kind == ERROR_NONE && m->sound.listing.kind == ERROR_NONE;
}

static bool judge(struct made *m, struct program *program)
{
	consistency_clear(&m->sound);
	consistency_of_program(program, &m->sound);
	return holds(m, program);
}

/* What merging left apart, this program says in its own way: it has the notes of the reading alone.
   */
static void forget_merging(struct made *m, const struct notes *reading)
{
	notes_clear(&m->program->notes);
	notes_add_all(&m->program->notes, reading);
	notes_clear(&m->apart);
}

/* Where in the source the draft's lines are, as those of the program that was made of it. */
static void take_sites(struct program *p, const struct draft *d, struct sites *sites)
{
	size_t line = 0, *said = d->calls.length ? draft_lines_said(d) : NULL;
	sites_finish(sites, said);
	free(said);
	site_places_free(&p->places);
	p->places = site_places_copy(&d->module->places);
	for (size_t i = 0; i < p->length; i++) {
		p->statement[i].sites = d->module->sites[line];
		line += !statement_is_in_line(&p->statement[i]);
	}
}

bool program_attach_values(struct program **program, struct value_columns *values, bool tables, struct error *error)
{
	struct program *from = *program, *to = NULL;
	program_nodes_free(from->nodes); /* tables may have other names */
	from->nodes = NULL;
	struct draft *d = draft_of_program(from, error);
	struct sites *sites = d && value_columns_have_sites(values) ? sites_new(d->module, d->frames) : NULL;
	if (d && value_columns_attach(values, d, tables, sites, error)) {
		module_name_tables(d->module);
		to = program_of_draft(d, error);
	}
	if (to) {
		notes_clear(&to->notes);
		notes_add_all(&to->notes, &from->notes);
	}
	if (to && sites)
		take_sites(to, d, sites);
	else
		sites_free(sites);
	if (to) {
		*program = to;
		program_free(from);
	}
	draft_free(d);
	return to;
}

/* With neither tables nor guards the text is that of before there were any. */
static bool says_once(const struct program_options *o)
{
	return !o->no_procedures && !o->local && !o->unfolded && !o->constant && !(o->no_tables && o->no_guards);
}

struct candidates {
	struct made *made;
	struct value_columns *values;
	const struct program_options *options;
	uint64_t joint; /* events in loops of several processes, of the program that there is */
	struct program *from; /* what is built anew, and its events, if paths are wanted */
	struct call_paths *paths;
};

/* Set-up may leave a loop; what exchanges messages in turn (a master, its workers) is not taken apart:
   so much of the events in loops of several processes stays in such loops, unless the text costs so
   many times less (neighbours that exchange other numbers of messages are pairs of loops then). */
#define JOINT_SHARE 2
#define APART_SAVES 3

/* A text that tells all values goes before any that does not. */
#define LOST_COSTS (UINT64_C(1) << 40)

/* With what its events carry; tables of it that say the same are one. */
static bool carry(
	struct draft *d, struct value_columns *values, const struct program_options *options, struct error *error)
{
	bool good = value_columns_attach(values, d, !options->no_tables, NULL, error);
	if (good)
		module_name_tables(d->module);
	return good;
}

static bool has_attributes(const struct module *m)
{
	uint32_t *name;
	size_t names = module_attribute_names(m, &name);
	free(name);
	return names;
}

/* With what its events carry, within the limits of what is read. What is built has the sizes
   already. */
static struct cost cost_of(void *candidates, struct draft *built)
{
	const struct candidates *c = candidates;
	struct error unfit;
	struct cost cost = {.total = UINT64_MAX};
	bool whole = !c->values || (!c->options->values && !c->options->no_tables && has_attributes(built->module));
	struct draft *full = whole ? built : draft_copy(built);
	bool good = draft_check(built, &unfit) &&
		    (whole || (carry(full, c->values, c->options, &unfit) && draft_check(full, &unfit)));
	if (good) {
		struct module *said = module_of_draft(full, NULL, NULL);
		cost = text_cost(said);
		module_free(said);
	}
	if ((c->options->no_tables && cost.tables) || (c->options->no_guards && cost.guards))
		cost.total = UINT64_MAX;
	if (!whole && value_columns_left_out(c->values) && cost.total != UINT64_MAX)
		cost.total += LOST_COSTS;
	if (cost.total != UINT64_MAX) {
		struct run *run = run_new(full->module, NULL);
		cost.total *= measures_in_several(run) < c->joint / JOINT_SHARE ? APART_SAVES : 1;
		run_free(run);
	}
	if (!whole)
		draft_free(full);
	return cost;
}

static bool accept(void *candidates, struct draft *built)
{
	struct made *m = ((const struct candidates *)candidates)->made;
	struct run *run = run_new(built->module, NULL);
	consistency_clear(&m->sound);
	consistency_of(run, &m->sound);
	run_free(run);
	return holds(m, built);
}

static struct call_point *points_of(void *candidates, uint32_t process, uint64_t events)
{
	struct candidates *c = candidates;
	struct error unreadable;
	const struct program_nodes *n = program_nodes(c->from, &unreadable);
	return n ? value_columns_points(c->values, n->run, process, c->paths, events) : NULL;
}

static uint64_t events_in_several(const struct program *p)
{
	struct error unreadable;
	const struct program_nodes *n = program_nodes(p, &unreadable);
	return n ? measures_in_several(n->run) : 0;
}

static struct draft *build_program(const struct program *from, const struct build_options *how)
{
	const struct program_nodes *n = program_nodes(from, &(struct error){0});
	return n ? build(n->module, how) : NULL;
}

/* As its source says it, where that costs its reader less. */
static void take_built(struct made *m, const struct notes *reading, struct value_columns *values,
	const struct program_options *options)
{
	if (options->local || options->unfolded || options->constant)
		return;
	struct candidates c = {.made = m,
		.values = values,
		.options = options,
		.joint = events_in_several(m->program),
		.from = program_copy(m->program)};
	if (values && value_columns_have_sites(values))
		c.paths = call_paths_new();
	struct build_options how = {.no_tables = options->no_tables,
		.no_guards = options->no_guards,
		.as_it_stands = options->recorded,
		.at_sites = options->at_sites,
		.cost = cost_of,
		.accept = accept,
		.paths = c.paths,
		.points_of = points_of,
		.context = &c};
	struct program *program = NULL;
	struct draft *built = NULL;
	progress_begin(&options->progress, "building");
	/* Without tables sizes are formulas of what is built, if anything. */
	struct error unfit;
	if (options->no_tables || !values || program_attach_values(&c.from, values, true, &unfit))
		built = build_program(c.from, &how);
	if (built) {
		struct error ignored;
		program = program_of_draft(built, &ignored);
		m->judged = program && m->judged == built ? program : NULL;
		draft_free(built);
	}
	if (program) {
		program_free(m->program);
		m->program = program;
		forget_merging(m, reading);
		program_keep_tables(program);
	}
	if (m->judged != m->program)
		m->judged = NULL;
	call_paths_free(c.paths);
	program_free(c.from);
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
	return m;
}

/* What is not sound is not written: what is joined is taken back. */
static void leave_apart(struct made *m, const struct model *local)
{
	if (m->judged == m->program || judge(m, m->program))
		return;
	struct program *plain = program_of_plain(module_of_model(local), &(struct error){0});
	if (!plain)
		return;
	program_free(m->program);
	m->program = plain;
	m->judged = NULL;
}

/* Where messages are missing there is nothing to ask. */
static bool check_schedule(
	struct made *m, const struct program_options *options, struct program_facts *facts, struct error *error)
{
	if (facts->incomplete.kind != ERROR_NONE)
		return true;
	if (m->sound.schedule != SCHEDULE_CYCLE)
		return true;
	error_set(&facts->cyclic, ERROR_INCONSISTENT, "%s%s", CONSISTENCY_CYCLE, m->sound.cycle.data);
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
	return check_schedule(m, options, facts, error);
}

static struct program *make_program(const struct model *local, struct value_columns *values,
	const struct program_options *options, struct program_facts *facts, struct error *error)
{
	struct made m = merge(local, options);
	m.program = program_of_plain(module_of_model(m.global ? m.global : local), error);
	bool good = m.program != NULL;
	if (good)
		take_built(&m, &local->notes, values, options);
	if (m.global) {
		facts->merged = true;
		facts->merge = m.merge;
	}
	facts->apart = m.apart;
	good = good && check(&m, local, options, facts, error);
	if (m.global && m.program)
		facts->global = measure_program(m.program);
	if (m.program)
		facts->roles = program_roles(m.program, &facts->idle);
	if (!good) {
		program_free(m.program);
		m.program = NULL;
	}
	consistency_clear(&m.sound);
	model_free(m.global);
	return m.program;
}

/* Sends alone are left over, and nothing says that their receives are lost. */
static bool is_never_received(uint64_t never, const struct program_facts *facts)
{
	struct text cause = {0};
	missing_records_cause(&facts->missing, true, &cause);
	bool known = never && !facts->trace.gap && !cause.length;
	text_clear(&cause);
	return known;
}

struct program *program_of_trace(
	const char *path, const struct program_options *given, struct program_facts *facts, struct error *error)
{
	static const struct program_options defaults = {PROGRAM_OPTIONS};
	const struct program_options *options = given ? given : &defaults;
	*facts = (struct program_facts){0};
	struct value_columns *values = NULL;
	struct program *program = NULL;
	struct model *local = recognize(path, options, facts, &values, error);
	if (!local)
		return NULL;
	uint64_t never;
	bool whole = merge_complete_but_sends(local, &never, &facts->incomplete),
	     complete = whole || is_never_received(never, facts),
	     recorded = missing_records_none(&facts->missing, &facts->unrecorded);
	if ((complete && recorded) || options->local || options->lenient) {
		program = make_program(local, values, options, facts, error);
	} else {
		*error = complete ? facts->unrecorded : facts->incomplete;
	}
	if (complete && facts->incomplete.kind != ERROR_NONE)
		error_at(&facts->incomplete, "never received");
	if (program && complete && never)
		notes_add_never_received(&program->notes, never); /* for readers: nothing is lost */
	if (program && values) {
		progress_begin(&options->progress, "values");
		if (!program_attach_values(&program, values, !options->no_tables, error)) {
			program_free(program);
			program = NULL;
		}
		if (value_columns_left_out(values))
			facts->left_out = mem_text(value_columns_left_out(values));
	}
	if (!program)
		error_at(error, "%s", path);
	else if (!says_once(options))
		program_calls_clear(&program->calls);
	value_columns_free(values);
	model_free(local);
	return program;
}

void program_facts_clear(struct program_facts *facts)
{
	ranks_clear(&facts->window_hit);
	missing_records_clear(&facts->missing);
	notes_clear(&facts->apart);
	free(facts->left_out);
	*facts = (struct program_facts){0};
}

/* A peer may be a number beyond the last process; as a function of the process it may not. */
static bool any_peer_beyond(const struct module *m, node_id body)
{
	const struct node *b = node_of(m->store, body);
	bool any = false;
	for (uint32_t k = 0; k < b->kids && !any; k++) {
		const struct node *s = node_of(m->store, b->kid[k]);
		node_id peer =
			s->kind == NODE_EVENT ? s->kid[s->kid[COLUMN_PEER] ? COLUMN_PEER : COLUMN_ROOT] : NODE_NONE;
		int64_t rank;
		any = s->kind != NODE_EVENT ? any_peer_beyond(m, s->kid[2])
					    : peer && number_is_constant(m->store, peer, &rank) && rank >= m->processes;
	}
	return any;
}

struct program *program_fold(const struct module *module, struct error *error)
{
	static const struct program_options defaults = {PROGRAM_OPTIONS};
	struct module *plain = module_unfold(module, NULL, error);
	if (plain) /* where it stands in the source says nothing of what is folded */
		module_set_body(plain, plain->body);
	struct made m = {.program = plain ? program_of_plain(plain, error) : NULL};
	if (m.program)
		take_built(&m, &module->notes, NULL, &defaults);
	consistency_clear(&m.sound);
	return m.program;
}

struct program *program_as_made(struct program *program, struct error *error)
{
	if (program_is_folded(program))
		return program;
	const struct program_nodes *n = program_nodes(program, error);
	if (n && any_peer_beyond(n->module, n->module->body))
		return program;
	struct program *folded = n ? program_fold(n->module, error) : NULL;
	program_free(program);
	return folded;
}

bool program_is_of_archive(const char *path)
{
	struct stat s;
	return text_ends_with(path, ".otf2") || (!stat(path, &s) && S_ISDIR(s.st_mode));
}

struct program *program_of_file(const char *path, const char *values, bool lenient, struct error *error)
{
	struct program_options options = {PROGRAM_OPTIONS, .values = values, .lenient = lenient};
	struct program_facts facts;
	if (!program_is_of_archive(path))
		return program_read(path, error);
	struct program *program = program_of_trace(path, &options, &facts, error);
	program_facts_clear(&facts);
	return program;
}

/* ------------------------------------------------------------------ modules */

struct program *program_from(struct module *m, struct error *error)
{
	struct inlined_line wrong;
	struct program *p = m ? program_of_module(m, NULL, &wrong, error) : NULL;
	module_free(m);
	return p;
}

struct module *module_from(struct program *p, struct error *error)
{
	struct module *m = p ? module_of_program(p, error) : NULL;
	program_free(p);
	return m;
}

struct module *module_of_trace(
	const char *path, const struct program_options *options, struct program_facts *facts, struct error *error)
{
	return module_from(program_of_trace(path, options, facts, error), error);
}

struct module *module_fold(const struct module *m, struct error *error)
{
	return module_from(program_fold(m, error), error);
}

struct module *module_of_file(const char *path, const char *values, bool lenient, struct error *error)
{
	if (program_is_of_archive(path))
		return module_from(program_of_file(path, values, lenient, error), error);
	return module_read_one(path, error);
}

struct module *module_as_made(struct module *m, struct error *error)
{
	if (!m || module_is_folded(m) || any_peer_beyond(m, m->body))
		return m;
	struct program *folded = module_inline(m, error) ? program_fold(m, error) : NULL;
	module_free(m);
	return module_from(folded, error);
}
