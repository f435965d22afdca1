/*
 * scaled_profile.c -- what was measured is kept, not what it is fitted by: functions are found when
 * they are asked for (50 us each).
 */
#include "lib/scaled_profile.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "ask/overview.h"
#include "ask/roles.h"
#include "base/intern.h"
#include "base/mem.h"
#include "fit/scaling.h"
#include "profile/database.h"
#include "sizes/parametric.h"

#define NANOSECONDS 1e9

/* In the place of what a profile has of one run. */
static const char schema[] =
	"CREATE TABLE measured (statement INTEGER NOT NULL, role TEXT NOT NULL, arrival TEXT NOT NULL,"
	" processes INTEGER NOT NULL, median REAL NOT NULL, occurrences INTEGER NOT NULL, calls INTEGER NOT NULL,"
	" PRIMARY KEY (statement, role, arrival, processes)) WITHOUT ROWID;";

/* ------------------------------------------------------------------ roles */

/* Processes that execute the same statements. */
struct text_roles {
	uint32_t *of; /* by process */
	uint32_t roles;
	struct text_role {
		struct ranks who, lines; /* of the instance */
		struct text name; /* its statements of the parametric text: the same at any number of processes */
	} * role;
};

static struct text_roles text_roles_of(struct run *run, const size_t *origin)
{
	struct text_roles r = {.of = roles_of(run, &r.roles)};
	const struct module *m = run_module(run);
	struct overview o;
	overview_of(&o, run);
	r.role = mem_zero((r.roles + (size_t)1) * sizeof *r.role);
	for (uint32_t rank = 0; rank < m->processes; rank++)
		if (r.of[rank] != NO_ROLE)
			ranks_add(&r.role[r.of[rank]].who, rank);
	for (struct text_role *role = r.role; role < r.role + r.roles; role++) {
		struct ranks statements = {0};
		for (uint32_t line = 0; line < m->lines; line++) {
			if (!ranks_has(&o.line[line].who, role->who.run->first))
				continue;
			ranks_add(&role->lines, line);
			ranks_add(&statements, (uint32_t)origin[line]);
		}
		ranks_print_short(&statements, &role->name);
		ranks_clear(&statements);
	}
	overview_clear(&o);
	return r;
}

static void roles_clear(struct text_roles *r)
{
	for (uint32_t i = 0; i < r->roles; i++) {
		ranks_clear(&r->role[i].who);
		ranks_clear(&r->role[i].lines);
		text_clear(&r->role[i].name);
	}
	free(r->role);
	free(r->of);
}

/* ------------------------------------------------------------------ measuring */

/* All that a profile has of a statement, a role and an arrival. */
struct measured {
	size_t statement; /* of the text */
	uint32_t role;
	enum arrival arrival;
	uint64_t occurrences, calls, before;
	struct pace_bin *bin;
	size_t bins, capacity;
};

struct measuring {
	struct intern *keys;
	struct measured *of;
	size_t capacity;
};

static void add_row(struct measuring *m, const struct pace_row *row, size_t statement, uint32_t role)
{
	uint64_t key[3] = {statement, role, row->arrival};
	uint32_t id = intern_id(m->keys, key, sizeof key);
	struct measured *x = MEM_AT(m->of, m->capacity, id);
	x->statement = statement;
	x->role = role;
	x->arrival = row->arrival;
	x->occurrences += row->times->occurrences;
	x->calls += row->times->calls;
	x->before += row->times->before;
	for (size_t i = 0; i < row->bins; i++)
		*MEM_PUSH(x->bin, x->bins, x->capacity) = row->bin[i];
}

static int by_low(const void *left, const void *right)
{
	const struct pace_bin *a = left, *b = right;
	return (a->low > b->low) - (a->low < b->low);
}

/* In ticks. Bins are wide (histogram.h): what is nearest to the mean in the one that has the median
   and half of it on either side; exact where all are alike, and not led away by a few that are not. */
static double median_of(struct measured *x)
{
	double mean = x->calls ? (double)x->before / (double)x->calls : 0;
	uint64_t all = 0, below = 0;
	size_t at = 0;
	if (!x->bins)
		return mean;
	qsort(x->bin, x->bins, sizeof *x->bin, by_low);
	for (size_t i = 0; i < x->bins; i++)
		all += x->bin[i].times;
	while (at + 1 < x->bins && 2 * (below + x->bin[at].times) < all)
		below += x->bin[at++].times;
	double low = (double)x->bin[at].low, high = (double)x->bin[at].high, half = (high - low) / 2;
	mean = mean < low - half ? low - half : mean;
	return mean > high + half ? high + half : mean;
}

/* ------------------------------------------------------------------ writing */

struct writing_scaled {
	struct database_writer to;
	struct parametric *app;
	struct scaled_profile_facts *facts;
	struct error *error;
};

static void put_measured(
	struct writing_scaled *w, struct measured *x, const char *role, uint32_t processes, double tick)
{
	database_put(&w->to, "measured", "ittidii", (uint64_t)x->statement, role, arrival_name(x->arrival),
		(uint64_t)processes, median_of(x) * tick, x->occurrences, x->calls);
}

static void put_all(struct writing_scaled *w, const struct pace *pace, struct run *run, const size_t *origin)
{
	uint32_t processes = run_module(run)->processes;
	struct text_roles roles = text_roles_of(run, origin);
	struct measuring m = {.keys = intern_new()};
	for (size_t i = 0; i < pace_rows(pace); i++) {
		struct pace_row row = pace_get_row(pace, i);
		struct ranks_walk walk = {0};
		uint32_t rank;
		if (ranks_next(row.ranks, &walk, &rank) && rank < processes && roles.of[rank] != NO_ROLE)
			add_row(&m, &row, origin[row.line], roles.of[rank]);
	}
	for (uint32_t i = 0; i < intern_count(m.keys); i++) {
		put_measured(w, &m.of[i], roles.role[m.of[i].role].name.data, processes,
			1 / (double)pace_ticks_per_second(pace));
		free(m.of[i].bin);
	}
	free(m.of);
	intern_free(m.keys);
	roles_clear(&roles);
}

static bool take_number(void *context, sqlite3_stmt *s)
{
	*(sqlite3_int64 *)context = sqlite3_column_int64(s, 0);
	return true;
}

static bool processes_of(const char *path, uint32_t *processes, struct error *error)
{
	sqlite3_int64 number = 0;
	sqlite3 *db = database_open(path, error);
	bool good = db && database_rows(db, path, "SELECT value FROM run WHERE key = 'processes'", take_number, &number,
				  error);
	database_close(db);
	*processes = number > 0 && number <= RANK_LIMIT ? (uint32_t)number : 0;
	return good && (*processes || error_set(error, ERROR_INPUT, "%s: a profile of no run", path));
}

static bool add_run(struct writing_scaled *w, const char *path)
{
	struct extents asked = {0}, x;
	struct doubts doubts = {0}, *told = doubts_any(&w->facts->doubts) ? &doubts : &w->facts->doubts;
	size_t *origin = NULL;
	struct draft *made = NULL, *plain = NULL;
	struct run *run = NULL;
	struct pace *pace = NULL;
	bool good = processes_of(path, &asked.processes, w->error) &&
		    parametric_extents(w->app, &asked, &x, w->error) &&
		    (made = parametric_instance(w->app, &asked, true, told, NULL, w->error)) &&
		    (plain = parametric_at(w->app, &x, &origin, w->error)) && (run = run_new(plain->module, NULL)) &&
		    (pace = database_pace(path, made->module, "of the instance on as many processes", w->error));
	if (good)
		put_all(w, pace, run, origin);
	w->facts->least = !w->facts->least || asked.processes < w->facts->least ? asked.processes : w->facts->least;
	w->facts->most = asked.processes > w->facts->most ? asked.processes : w->facts->most;
	pace_free(pace);
	run_free(run);
	draft_free(plain);
	draft_free(made);
	free(origin);
	doubts_clear(&doubts);
	return good;
}

/* Two of one number of processes would be put under one key. */
static bool all_differ(const char *const *run, size_t runs, struct error *error)
{
	struct ranks met = {0};
	bool good = true;
	for (size_t i = 0; i < runs && good; i++) {
		uint32_t processes;
		good = processes_of(run[i], &processes, error) &&
		       (!ranks_has(&met, processes) ||
			       error_set(error, ERROR_INPUT,
				       "%s: a second run on %" PRIu32 " processes: one of each is taken", run[i],
				       processes));
		ranks_add(&met, good ? processes : 0);
	}
	ranks_clear(&met);
	return good;
}

static bool count(struct writing_scaled *w)
{
	sqlite3_int64 measured = 0, fitted = 0;
	struct text fit = {0};
	text_format(&fit,
		"SELECT count(*) FROM (SELECT 1 FROM measured GROUP BY statement, role, arrival HAVING count(*) >= %d)",
		SCALING_FEWEST);
	bool good = database_rows(w->to.db, w->to.path,
			    "SELECT count(*) FROM (SELECT DISTINCT statement, role, arrival FROM measured)",
			    take_number, &measured, w->error) &&
		    database_rows(w->to.db, w->to.path, fit.data, take_number, &fitted, w->error);
	text_clear(&fit);
	w->facts->measured = (size_t)measured;
	w->facts->fitted = (size_t)fitted;
	return good;
}

bool scaled_profile_write(const char *path, const char *name, const struct text *app, const char *const *run,
	size_t runs, struct scaled_profile_facts *facts, struct error *error)
{
	struct writing_scaled w = {.facts = facts, .error = error};
	*facts = (struct scaled_profile_facts){0};
	if (runs < SCALING_FEWEST)
		return error_set(error, ERROR_INPUT,
			"%s: times become functions of the number of processes from %d runs on, and there are %zu",
			name, SCALING_FEWEST, runs);
	w.app = parametric_read(name, app->data, app->length, error);
	bool good = w.app && all_differ(run, runs, error);
	if (good && parametric_runs(w.app)->run[0].parameters)
		good = error_set(error, ERROR_INPUT, "%s: times of a program with parameters are not fitted", name);
	good = good && database_begin(&w.to, path, error);
	if (good) {
		database_execute(&w.to, schema);
		database_put(&w.to, "run", "tt", "parametric", app->data);
		for (size_t i = 0; i < runs && w.to.good; i++)
			w.to.good = add_run(&w, run[i]) && w.to.good;
		w.to.good = w.to.good && count(&w);
		good = database_end(&w.to);
	}
	parametric_free(w.app);
	return good;
}

/* ------------------------------------------------------------------ estimating */

/* What was measured of a statement, a role and an arrival, by run. */
struct points {
	double *processes, *median;
	size_t length, capacity, median_capacity;
	uint64_t occurrences, calls;
};

struct estimating {
	struct intern *keys; /* statement, arrival, role; and without the role: all of them */
	struct points *of;
	size_t capacity;
	struct text app;
	uint32_t processes;
	struct pace *pace;
	struct error *error;
};

static void key_of(size_t statement, const char *arrival, const char *role, struct text *key)
{
	text_truncate(key, 0);
	text_format(key, "%zu %s %s", statement, arrival, role);
}

static void add_point(struct estimating *e, const struct text *key, sqlite3_stmt *s)
{
	uint32_t id = intern_id(e->keys, key->data, key->length);
	struct points *p = MEM_AT(e->of, e->capacity, id);
	size_t median = p->length;
	*MEM_PUSH(p->processes, p->length, p->capacity) = sqlite3_column_double(s, 3);
	*MEM_PUSH(p->median, median, p->median_capacity) = sqlite3_column_double(s, 4);
	p->occurrences += (uint64_t)sqlite3_column_int64(s, 5);
	p->calls += (uint64_t)sqlite3_column_int64(s, 6);
}

static bool take_measured(void *context, sqlite3_stmt *s)
{
	struct estimating *e = context;
	struct text key = {0};
	const char *role = (const char *)sqlite3_column_text(s, 1), *arrival = (const char *)sqlite3_column_text(s, 2);
	key_of((size_t)sqlite3_column_int64(s, 0), arrival ? arrival : "", role ? role : "", &key);
	add_point(e, &key, s);
	key_of((size_t)sqlite3_column_int64(s, 0), arrival ? arrival : "", "", &key);
	add_point(e, &key, s);
	text_clear(&key);
	return true;
}

static bool take_text(void *context, sqlite3_stmt *s)
{
	const char *text = (const char *)sqlite3_column_text(s, 0);
	text_put(context, text ? text : "");
	return true;
}

/* Of the role, or of all. */
static bool estimate(struct estimating *e, size_t statement, const char *arrival, const char *role, struct scaling *fit,
	const struct points **of)
{
	struct text key = {0};
	bool found = false;
	for (int all = 0; all < 2 && !found; all++) {
		key_of(statement, arrival, all ? "" : role, &key);
		uint32_t id = intern_find(e->keys, key.data, key.length);
		*of = id == INTERN_NONE ? NULL : &e->of[id];
		found = *of && scaling_fit((*of)->processes, (*of)->median, (*of)->length, fit);
	}
	text_clear(&key);
	return found;
}

static uint64_t ticks(double seconds, uint64_t calls)
{
	double all = seconds * NANOSECONDS * (double)calls;
	return all < 1e18 ? (uint64_t)(all + 0.5) : (uint64_t)1e18;
}

/* A row for each arrival at a statement that was measured. */
static void add_estimates(struct estimating *e, size_t statement, size_t line, const struct text_role *role)
{
	for (enum arrival a = 0; a < ARRIVALS; a++) {
		struct scaling fit;
		const struct points *points;
		if (!estimate(e, statement, arrival_name(a), role->name.data, &fit, &points))
			continue;
		struct scaling_range range = scaling_at(&fit, e->processes);
		struct pace_times times = {.occurrences = points->occurrences, .calls = points->calls};
		times.before = ticks(range.value, times.calls);
		pace_add(e->pace, line, a, &role->who, &times);
		pace_set_range(
			e->pace, pace_rows(e->pace) - 1, ticks(range.low, times.calls), ticks(range.high, times.calls));
	}
}

static void add_all(struct estimating *e, struct run *run, const size_t *origin)
{
	struct text_roles roles = text_roles_of(run, origin);
	const struct module *m = run_module(run);
	struct module_line *line_of = module_statements(m);
	for (uint32_t line = 0; line < m->lines; line++)
		for (uint32_t i = 0; i < roles.roles && node_of(m->store, line_of[line].node)->kind == NODE_EVENT; i++)
			if (ranks_has(&roles.role[i].lines, line))
				add_estimates(e, origin[line], line, &roles.role[i]);
	free(line_of);
	roles_clear(&roles);
}

/* Do as many statements stand there, executed by the same processes? */
static bool same_shape(struct run *x, struct run *y)
{
	struct overview a, b;
	overview_of(&a, x);
	overview_of(&b, y);
	bool same = a.lines == b.lines && a.module->processes == b.module->processes;
	for (size_t i = 0; i < a.lines && same; i++) {
		bool event = overview_is_event(&a, i);
		same = event == overview_is_event(&b, i) && a.line[i].end == b.line[i].end;
		if (same && event)
			same = overview_node(&a, i)->sub == overview_node(&b, i)->sub &&
			       ranks_equal(&a.line[i].who, &b.line[i].who);
	}
	overview_clear(&a);
	overview_clear(&b);
	return same;
}

static void estimate_all(struct estimating *e, struct run *run, const char *path, const char *model)
{
	const struct module *m = run_module(run);
	struct parametric *app = parametric_read(path, e->app.data, e->app.length, e->error);
	struct extents x = {.processes = m->processes, .grid = m->grid};
	size_t *origin = NULL;
	struct draft *made = app ? parametric_at(app, &x, &origin, e->error) : NULL;
	struct run *instance = made ? run_new(made->module, NULL) : NULL;
	if (instance && !same_shape(instance, run))
		error_set(e->error, ERROR_INCONSISTENT, "%s: %s is no instance of the program that was profiled", path,
			model);
	else if (instance) {
		e->processes = m->processes;
		e->pace = pace_new(m->processes, (uint64_t)NANOSECONDS);
		add_all(e, instance, origin);
	}
	free(origin);
	run_free(instance);
	draft_free(made);
	parametric_free(app);
}

/* An open one, and of what program it is. NULL: it is none. */
static sqlite3 *open_scaled(const char *path, struct text *app)
{
	struct error none = {0};
	sqlite3 *db = database_is(path) ? database_open(path, &none) : NULL;
	if (db && database_rows(db, path, "SELECT value FROM run WHERE key = 'parametric'", take_text, app, &none) &&
		app->length)
		return db;
	database_close(db);
	return NULL;
}

bool scaled_profile_is(const char *path)
{
	struct text app = {0};
	sqlite3 *db = open_scaled(path, &app);
	bool is = db;
	database_close(db);
	text_clear(&app);
	return is;
}

struct pace *scaled_profile_pace(const char *path, struct run *run, const char *model, struct error *error)
{
	struct estimating e = {.error = error};
	sqlite3 *db = open_scaled(path, &e.app);
	if (!db) {
		text_clear(&e.app);
		return database_pace(path, run_module(run), model, error);
	}
	e.keys = intern_new();
	if (database_rows(db, path,
		    "SELECT statement, role, arrival, processes, median, occurrences, calls FROM measured ORDER BY"
		    " statement, role, arrival, processes",
		    take_measured, &e, error))
		estimate_all(&e, run, path, model);
	database_close(db);
	for (uint32_t i = 0; i < intern_count(e.keys); i++) {
		free(e.of[i].processes);
		free(e.of[i].median);
	}
	free(e.of);
	intern_free(e.keys);
	text_clear(&e.app);
	return e.pace;
}
