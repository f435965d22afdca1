/*
 * pipeline.c -- the steps in their order; each takes what the one before gave.
 */
#include "lib/pipeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "ask/consistency.h"
#include "ask/cost.h"
#include "ask/loop_groups.h"
#include "ask/roles.h"
#include "ask/unfolding.h"
#include "base/mem.h"
#include "lib/local_models.h"
#include "merge/builder.h"
#include "merge/widen.h"
#include "model/generalize.h"
#include "model/module_of_model.h"
#include "model/module_tables.h"

/* values: what their events carry, or NULL. */
static struct model *recognize(const char *path, const struct program_options *options, struct program_facts *facts,
	struct value_columns **values, struct error *error)
{
	struct program_options distinct = *options;
	if (options->constant || options->unfolded)
		distinct.trace.distinct = 0;
	else if (!distinct.trace.distinct)
		distinct.trace.distinct = options->local ? 1 : PROGRAM_DISTINCT;
	struct model *local = local_models_read(path, &distinct, facts, values, error);
	if (!local)
		return NULL;
	struct module *plain = module_of_model(local);
	struct run *run = run_new(plain, NULL);
	measures_of(run, &facts->local, &(struct error){0});
	run_free(run);
	module_free(plain);
	if (options->site_names && *values)
		value_columns_name_sites(*values, options->site_names);
	merge_widen(local);
	return local;
}

/* ---------------------------------------------------- from the processes' models to the program */

struct made {
	struct model *global; /* NULL: not merged */
	struct draft *draft;
	struct consistency sound; /* of a draft that was judged, */
	const struct draft *judged; /* ... which is this one; NULL: none was */
	struct notes apart;
	struct merge_report merge;
};

/* Will it be read, and do all messages stay in their iterations, so that `check` will accept it,
   whatever the trace lacks? */
static bool judge(struct made *m, struct draft *d)
{
	struct error unreadable;
	consistency_clear(&m->sound);
	m->sound = (struct consistency){.schedule = SCHEDULE_UNKNOWN};
	m->judged = d;
	if (!draft_check(d, &unreadable))
		return false;
	struct run *run = run_new(d->module, NULL);
	consistency_of(run, &m->sound);
	run_free(run);
	return m->sound.loops.kind == ERROR_NONE && m->sound.listing.kind == ERROR_NONE;
}

/* Tables that say the same are one. with_sites: lines get their call paths, too. */
static bool attach(struct draft *d, struct value_columns *values, bool tables, bool with_sites, struct error *error)
{
	struct sites *sites = with_sites && value_columns_have_sites(values) ? sites_new(d->module, d->frames) : NULL;
	bool good = value_columns_attach(values, d, tables, sites, error);
	if (good)
		module_name_tables(d->module);
	size_t *said = good && sites && d->calls.length ? draft_lines_said(d) : NULL;
	if (good && sites)
		sites_finish(sites, said);
	else
		sites_free(sites);
	free(said);
	return good;
}

/* As its reader has it: calls whose lines are not told the same are not the same. */
static struct module *module_said(struct draft *d)
{
	struct module *m = d->module;
	struct loop_remarks *told = d->calls.length ? loop_remarks_new(m) : NULL;
	struct intern *said = intern_new();
	uint32_t *mark = told ? mem_array(m->lines + 1, sizeof *mark) : NULL;
	struct text remark = {0};
	for (size_t i = 0; told && i < m->lines; i++) {
		struct module_remarks behind = loop_remarks(told);
		text_truncate(&remark, 0);
		behind.behind(behind.context, i, &remark);
		mark[i] = intern_id(said, remark.data, remark.length);
	}
	loop_remarks_free(told);
	if (!m->events) {
		struct run *run = run_new(m, NULL);
		m->events = run_events(run, &(enum failure){FAILURE_NONE});
		run_free(run);
	}
	struct module *to = module_of_draft(d, mark, NULL);
	text_clear(&remark);
	intern_free(said);
	free(mark);
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
	uint64_t joint; /* events in loops of several processes, of the draft that there is */
	struct run *from; /* what is built anew, and its events, if paths are wanted */
	struct call_paths *paths;
};

/* Set-up may leave a loop; what exchanges messages in turn (a master, its workers) is not taken apart:
   so much of the events in loops of several processes stays in such loops, unless the text costs so
   many times less (neighbours that exchange other numbers of messages are pairs of loops then). */
#define JOINT_SHARE 2
#define APART_SAVES 3

/* A text that tells all values goes before any that does not. */
#define LOST_COSTS (UINT64_C(1) << 40)

static bool has_attributes(const struct module *m)
{
	uint32_t *name;
	size_t names = module_attribute_names(m, &name);
	free(name);
	return names;
}

/* With what its events carry, within the limits of what is read: a statement pays for each further
   line of the source that it stands for. What is built has the sizes already. */
static struct cost cost_of(void *candidates, struct draft *built)
{
	const struct candidates *c = candidates;
	struct error unfit;
	struct cost cost = {.total = UINT64_MAX};
	bool sites = c->values && !c->options->no_sites && value_columns_have_sites(c->values);
	bool whole = !c->values ||
		     (!sites && !c->options->values && !c->options->no_tables && has_attributes(built->module));
	struct draft *full = whole ? built : draft_copy(built);
	bool good = draft_check(built, &unfit) &&
		    (whole || (attach(full, c->values, !c->options->no_tables, sites, &unfit) &&
				      draft_check(full, &unfit)));
	if (good) {
		struct module *said = module_of_draft(full, NULL, NULL);
		cost = text_cost(said);
		cost.total -= cost.callers;
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
	return judge(((const struct candidates *)candidates)->made, built);
}

static struct call_point *points_of(void *candidates, uint32_t process, uint64_t events)
{
	struct candidates *c = candidates;
	return value_columns_points(c->values, c->from, process, c->paths, events);
}

/* Numbers of tables follow the text. */
static void number_tables(struct draft *d)
{
	struct module *m = module_of_draft(d, NULL, NULL);
	node_id *table = NULL;
	size_t tables = module_tables_in_text(m, &table);
	module_number_tables(d->module, table, tables);
	free(table);
	module_free(m);
}

/* As its source says it, where that costs its reader less. What merging left apart, that
   says in its own way: it has the notes of the reading alone. */
static void take_built(struct made *m, const struct notes *reading, struct value_columns *values,
	const struct program_options *options)
{
	if (options->local || options->unfolded || options->constant)
		return;
	struct candidates c = {.made = m, .values = values, .options = options};
	struct draft *from = draft_copy(m->draft), *built = NULL;
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
	progress_begin(&options->progress, "building");
	/* Without tables sizes are formulas of what is built, if anything. */
	struct error unfit;
	if ((options->no_tables || !values || attach(from, values, true, true, &unfit)) && draft_check(from, &unfit)) {
		if (options->at_sites && c.paths)
			module_sites_as_read(from->module);
		c.from = run_new(from->module, NULL);
		c.joint = measures_in_several(c.from);
		built = build(from->module, &how);
		run_free(c.from);
	}
	draft_free(from);
	if (built) {
		draft_free(m->draft);
		m->draft = built;
		number_tables(built);
		notes_clear(&built->module->notes);
		notes_add_all(&built->module->notes, reading);
		notes_clear(&m->apart);
	}
	if (m->judged != m->draft)
		m->judged = NULL;
	call_paths_free(c.paths);
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
	if (m->judged == m->draft || judge(m, m->draft))
		return;
	draft_free(m->draft);
	m->draft = draft_of(module_of_model(local));
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

static void tell_facts(const struct made *m, struct program_facts *facts)
{
	struct run *run = run_new(m->draft->module, NULL);
	if (m->global) {
		facts->merged = true;
		facts->merge = m->merge;
		measures_of(run, &facts->global, &(struct error){0});
	}
	facts->apart = m->apart;
	facts->roles = roles_count(run, &facts->idle);
	run_free(run);
}

static struct draft *make_draft(const struct model *local, struct value_columns *values,
	const struct program_options *options, struct program_facts *facts, struct error *error)
{
	struct made m = merge(local, options);
	m.draft = draft_of(module_of_model(m.global ? m.global : local));
	take_built(&m, &local->notes, values, options);
	bool good = check(&m, local, options, facts, error);
	tell_facts(&m, facts);
	if (!good) {
		draft_free(m.draft);
		m.draft = NULL;
	}
	consistency_clear(&m.sound);
	model_free(m.global);
	return m.draft;
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

struct module *module_of_trace(
	const char *path, const struct program_options *given, struct program_facts *facts, struct error *error)
{
	static const struct program_options defaults = {PROGRAM_OPTIONS};
	const struct program_options *options = given ? given : &defaults;
	*facts = (struct program_facts){0};
	struct value_columns *values = NULL;
	struct draft *draft = NULL;
	struct module *module = NULL;
	struct model *local = recognize(path, options, facts, &values, error);
	if (!local)
		return NULL;
	uint64_t never;
	bool whole = merge_complete_but_sends(local, &never, &facts->incomplete),
	     complete = whole || is_never_received(never, facts),
	     recorded = missing_records_none(&facts->missing, &facts->unrecorded);
	if ((complete && recorded) || options->local || options->lenient)
		draft = make_draft(local, values, options, facts, error);
	else
		*error = complete ? facts->unrecorded : facts->incomplete;
	if (complete && facts->incomplete.kind != ERROR_NONE)
		error_at(&facts->incomplete, "never received");
	if (draft && complete && never)
		notes_add_never_received(&draft->module->notes, never); /* for readers: nothing is lost */
	bool good = draft;
	if (draft && values) {
		progress_begin(&options->progress, "values");
		good = attach(draft, values, !options->no_tables, true, error);
		if (value_columns_left_out(values))
			facts->left_out = mem_text(value_columns_left_out(values));
	}
	if (good && !says_once(options))
		program_calls_clear(&draft->calls);
	if (good)
		module = module_said(draft);
	else
		error_at(error, "%s", path);
	draft_free(draft);
	value_columns_free(values);
	model_free(local);
	return module;
}

void program_facts_clear(struct program_facts *facts)
{
	ranks_clear(&facts->window_hit);
	missing_records_clear(&facts->missing);
	measures_clear(&facts->local);
	measures_clear(&facts->global);
	notes_clear(&facts->apart);
	free(facts->left_out);
	*facts = (struct program_facts){0};
}

/* A peer may be a number beyond the last process; as a function of the process it may not. */
static bool any_peer_beyond(const struct module *m)
{
	struct module_line *line = module_statements(m);
	bool any = false;
	for (size_t i = 0; i < m->lines && !any; i++) {
		const struct node *n = node_of(m->store, line[i].node);
		node_id peer =
			n->kind == NODE_EVENT ? n->kid[n->kid[COLUMN_PEER] ? COLUMN_PEER : COLUMN_ROOT] : NODE_NONE;
		int64_t rank;
		any = peer && number_is_constant(m->store, peer, &rank) && rank >= m->processes;
	}
	free(line);
	return any;
}

struct module *module_fold(const struct module *module, struct error *error)
{
	static const struct program_options defaults = {PROGRAM_OPTIONS};
	struct module *plain = module_unfold(module, NULL, error);
	if (!plain)
		return NULL;
	/* where it stands in the source says nothing of what is folded */
	module_set_body(plain, plain->body);
	struct made m = {.draft = draft_of(plain)};
	take_built(&m, &module->notes, NULL, &defaults);
	consistency_clear(&m.sound);
	struct module *folded = module_said(m.draft);
	draft_free(m.draft);
	return folded;
}

struct module *module_as_made(struct module *m, struct error *error)
{
	if (!m || module_is_folded(m) || any_peer_beyond(m))
		return m;
	struct module *folded = module_inline(m, error) ? module_fold(m, error) : NULL;
	module_free(m);
	return folded;
}

struct module *module_with_values(struct module *m, struct value_columns *values, struct error *error)
{
	struct draft *d = draft_of_module(m, error);
	struct module *to = d && attach(d, values, true, false, error) ? module_said(d) : NULL;
	draft_free(d);
	module_free(m);
	return to;
}

bool program_is_of_archive(const char *path)
{
	struct stat s;
	return text_ends_with(path, ".otf2") || (!stat(path, &s) && S_ISDIR(s.st_mode));
}

struct module *module_of_file(const char *path, const char *values, bool lenient, struct error *error)
{
	struct program_options options = {PROGRAM_OPTIONS, .values = values, .lenient = lenient};
	struct program_facts facts;
	if (!program_is_of_archive(path))
		return module_read_one(path, error);
	struct module *m = module_of_trace(path, &options, &facts, error);
	program_facts_clear(&facts);
	return m;
}
