/*
 * database.c -- made in memory, then written as a file like any other.
 */
#include "profile/database.h"

#include <assert.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/overview.h"
#include "ask/roles.h"
#include "base/buckets.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/packed.h"
#include "model/module_address.h"
#include "profile/stored_numbers.h"

#define APPLICATION 0x746e6573 /* "tnes" */

/* Bins of a series that are kept: more become sums of neighbours. */
#define SERIES_BINS 128

static const char schema[] =
	"CREATE TABLE run (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE statement (id INTEGER PRIMARY KEY, address TEXT NOT NULL, parent INTEGER REFERENCES statement,"
	" depth INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, ranks TEXT NOT NULL);"
	"CREATE TABLE process (rank INTEGER PRIMARY KEY, role INTEGER, first INTEGER NOT NULL, last INTEGER NOT NULL,"
	" work INTEGER NOT NULL, call INTEGER NOT NULL, apart INTEGER NOT NULL, late_sender INTEGER,"
	" late_receiver INTEGER, collective INTEGER, after INTEGER NOT NULL,"
	" after_call INTEGER NOT NULL, events INTEGER NOT NULL);"
	"CREATE TABLE processes (id INTEGER PRIMARY KEY, ranks TEXT NOT NULL, count INTEGER NOT NULL);"
	"CREATE TABLE member (processes INTEGER NOT NULL REFERENCES processes, rank INTEGER NOT NULL,"
	" PRIMARY KEY (processes, rank)) WITHOUT ROWID;"
	"CREATE TABLE timing (id INTEGER PRIMARY KEY, statement INTEGER NOT NULL REFERENCES statement,"
	" processes INTEGER NOT NULL REFERENCES processes, arrival TEXT NOT NULL, what TEXT NOT NULL,"
	" occurrences INTEGER NOT NULL, times INTEGER NOT NULL, total INTEGER NOT NULL, squares REAL NOT NULL,"
	" least INTEGER, least_rank INTEGER, least_iteration INTEGER,"
	" most INTEGER, most_rank INTEGER, most_iteration INTEGER);"
	"CREATE TABLE histogram (timing INTEGER NOT NULL REFERENCES timing, low INTEGER NOT NULL, high INTEGER NOT NULL,"
	" times INTEGER NOT NULL, PRIMARY KEY (timing, low)) WITHOUT ROWID;"
	"CREATE TABLE together (timing INTEGER PRIMARY KEY REFERENCES timing, longest REAL NOT NULL);"
	"CREATE TABLE construct (id INTEGER PRIMARY KEY, name TEXT NOT NULL, loop TEXT, iterations INTEGER NOT NULL,"
	" sort TEXT NOT NULL, ranks TEXT NOT NULL, loss REAL NOT NULL, imbalance REAL NOT NULL,"
	" serialization REAL NOT NULL, transfer REAL NOT NULL, path_work INTEGER NOT NULL, path_call INTEGER NOT NULL,"
	" work INTEGER NOT NULL, call INTEGER NOT NULL, calls INTEGER NOT NULL, events INTEGER NOT NULL,"
	" messages INTEGER NOT NULL, bytes INTEGER NOT NULL);"
	"CREATE TABLE share (construct INTEGER NOT NULL REFERENCES construct, rank INTEGER NOT NULL,"
	" work INTEGER NOT NULL, call INTEGER NOT NULL, late_sender INTEGER NOT NULL, late_receiver INTEGER NOT NULL,"
	" collective INTEGER NOT NULL, caused_late_sender INTEGER NOT NULL, caused_late_receiver INTEGER NOT NULL,"
	" caused_collective INTEGER NOT NULL, path_work INTEGER NOT NULL, path_call INTEGER NOT NULL,"
	" PRIMARY KEY (construct, rank)) WITHOUT ROWID;"
	"CREATE TABLE link (construct INTEGER NOT NULL REFERENCES construct, source INTEGER NOT NULL,"
	" destination INTEGER NOT NULL, messages INTEGER NOT NULL, bytes INTEGER NOT NULL, flight INTEGER NOT NULL,"
	" least_flight INTEGER, late_sender INTEGER NOT NULL,"
	" PRIMARY KEY (construct, source, destination)) WITHOUT ROWID;"
	"CREATE TABLE series (construct INTEGER NOT NULL REFERENCES construct, depth INTEGER NOT NULL,"
	" iteration INTEGER NOT NULL, iterations INTEGER NOT NULL, path_work INTEGER NOT NULL,"
	" path_call INTEGER NOT NULL, work INTEGER NOT NULL, waited INTEGER NOT NULL, bytes INTEGER NOT NULL,"
	" messages INTEGER NOT NULL, PRIMARY KEY (construct, depth, iteration)) WITHOUT ROWID;"
	"CREATE TABLE finding (place INTEGER PRIMARY KEY, construct INTEGER NOT NULL REFERENCES construct,"
	" share REAL NOT NULL, accuses INTEGER NOT NULL, kind TEXT NOT NULL, ranks TEXT NOT NULL,"
	" iterations TEXT NOT NULL, words TEXT NOT NULL);"
	"CREATE TABLE odds (id INTEGER PRIMARY KEY, tables BLOB NOT NULL);"
	"CREATE TABLE stretch (id INTEGER PRIMARY KEY, rank INTEGER NOT NULL, first INTEGER NOT NULL,"
	" events INTEGER NOT NULL, begin INTEGER NOT NULL, odds INTEGER NOT NULL REFERENCES odds,"
	" blocks BLOB NOT NULL, data BLOB NOT NULL);"
	/* ---- the usual questions */
	"CREATE VIEW seconds AS SELECT 1.0 / value AS tick FROM run WHERE key = 'ticks_per_second';"
	"CREATE VIEW hot AS SELECT s.address, s.text, sum(CASE what WHEN 'before' THEN total ELSE 0 END) * tick AS computing,"
	" sum(CASE what WHEN 'call' THEN total ELSE 0 END) * tick AS calling, sum(total) * tick AS total"
	" FROM timing t JOIN statement s ON s.id = t.statement, seconds GROUP BY s.id ORDER BY sum(total) DESC;"
	"CREATE VIEW arrivals AS SELECT s.address, s.text, p.ranks, arrival, what, occurrences, times,"
	" CASE times WHEN 0 THEN NULL ELSE total * tick / times END AS mean,"
	" least * tick AS least, least_rank, least_iteration, most * tick AS most, most_rank, most_iteration"
	" FROM timing t JOIN statement s ON s.id = t.statement JOIN processes p ON p.id = t.processes, seconds"
	" ORDER BY s.id, p.id, arrival, what;"
	"CREATE VIEW distribution AS SELECT s.address, p.ranks, arrival, what, h.low * tick AS low, h.high * tick AS high,"
	" h.times FROM histogram h JOIN timing t ON t.id = h.timing JOIN statement s ON s.id = t.statement"
	" JOIN processes p ON p.id = t.processes, seconds ORDER BY t.id, h.low;"
	"CREATE VIEW losses AS SELECT c.name, c.loop, c.iterations, loss * tick AS loss, imbalance * tick AS imbalance,"
	" serialization * tick AS serialization, transfer * tick AS transfer, (path_work + path_call) * tick AS path,"
	" 100.0 * loss / (SELECT value FROM run WHERE key = 'run') AS percent"
	" FROM construct c, seconds ORDER BY loss DESC;"
	"CREATE VIEW waiting AS SELECT c.name, c.loop, rank, late_sender * tick AS late_sender,"
	" late_receiver * tick AS late_receiver, collective * tick AS collective,"
	" (caused_late_sender + caused_late_receiver + caused_collective) * tick AS caused"
	" FROM share JOIN construct c ON c.id = share.construct, seconds"
	" ORDER BY share.late_sender + share.late_receiver + share.collective DESC;"
	"CREATE VIEW report AS SELECT words FROM finding WHERE accuses ORDER BY place;";

struct writing {
	struct database_writer to;
	const struct database_content *content;
	struct stored_numbers numbers;
	struct intern *sets; /* of processes, by their words */
};

/* ------------------------------------------------------------------ rows */

static void fail(struct database_writer *w)
{
	if (w->good)
		error_set(w->error, ERROR_INTERNAL, "%s: SQLite: %s", w->path, sqlite3_errmsg(w->db));
	w->good = false;
}

void database_execute(struct database_writer *w, const char *sql)
{
	if (w->good && sqlite3_exec(w->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(w);
}

/* What inserts rows of so many columns into a table. */
static sqlite3_stmt *inserter(struct database_writer *w, const char *table, size_t columns)
{
	size_t i = 0;
	while (i < w->tables && strcmp(w->into[i].table, table) != 0)
		i++;
	if (i < w->tables)
		return w->into[i].insert;
	struct text sql = {0};
	text_format(&sql, "INSERT INTO %s VALUES (?", table);
	while (--columns)
		text_put(&sql, ", ?");
	text_char(&sql, ')');
	assert(w->tables < DATABASE_TABLES);
	w->into[w->tables++].table = table;
	if (sqlite3_prepare_v2(w->db, sql.data, -1, &w->into[i].insert, NULL) != SQLITE_OK)
		fail(w);
	text_clear(&sql);
	return w->into[i].insert;
}

void database_put(struct database_writer *w, const char *table, const char *types, ...)
{
	va_list values;
	int column = 1;
	sqlite3_stmt *s = w->good ? inserter(w, table, strlen(types)) : NULL;
	if (!w->good)
		return;
	va_start(values, types);
	for (const char *t = types; *t; t++, column++) {
		if (*t == 'd') {
			sqlite3_bind_double(s, column, va_arg(values, double));
		} else if (*t == 'b') {
			const struct text *bytes = va_arg(values, const struct text *);
			sqlite3_bind_blob64(s, column, bytes->data, bytes->length, SQLITE_STATIC);
		} else if (*t == 't') {
			sqlite3_bind_text(s, column, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
		} else {
			uint64_t number = va_arg(values, uint64_t);
			if (number == DATABASE_NULL)
				sqlite3_bind_null(s, column);
			else
				sqlite3_bind_int64(s, column, (sqlite3_int64)number);
		}
	}
	va_end(values);
	if (sqlite3_step(s) != SQLITE_DONE)
		fail(w);
	sqlite3_reset(s);
}

bool database_begin(struct database_writer *w, const char *path, struct error *error)
{
	*w = (struct database_writer){.path = path, .error = error, .db = database_new(path, error)};
	w->good = w->db;
	database_execute(w, "BEGIN");
	return w->good;
}

bool database_end(struct database_writer *w)
{
	for (size_t i = 0; i < w->tables; i++)
		sqlite3_finalize(w->into[i].insert);
	database_execute(w, "COMMIT");
	w->good = w->good && database_save(w->db, w->path, w->error);
	sqlite3_close(w->db);
	return w->good;
}

static char *ranks_words(const struct ranks *ranks)
{
	struct text words = {0};
	text_put(&words, "");
	ranks_print_short(ranks, &words);
	return words.data ? words.data : mem_text("");
}

/* ------------------------------------------------------------------ the program */

static bool is_unfinished(const struct writing *w)
{
	return w->content->analysis && w->content->ending && w->content->ending->stand;
}

/* The first record of the run, and the last. */
static void extent(const struct writing *w, uint64_t *begin, uint64_t *end)
{
	const struct profile *p = w->content->profile;
	*begin = UINT64_MAX;
	*end = 0;
	for (uint32_t r = 0; r < run_module(w->content->run)->processes; r++)
		if (p->process[r].last) {
			*begin = p->process[r].first < *begin ? p->process[r].first : *begin;
			*end = p->process[r].last > *end ? p->process[r].last : *end;
		}
	*begin = *begin > *end ? *end : *begin;
}

static void write_analysis(struct writing *w)
{
	const struct analysis *a = w->content->analysis;
	database_put(&w->to, "run", "ti", "run", analysis_run(a));
	database_put(&w->to, "run", "ti", "begin", a->begin);
	database_put(&w->to, "run", "ti", "records", a->records);
	database_put(&w->to, "run", "ti", "path_work", a->path_work);
	database_put(&w->to, "run", "ti", "path_call", a->path_call);
	database_put(&w->to, "run", "ti", "hops", a->hops);
	if (a->shared.length) {
		char *shared = ranks_words(&a->shared);
		database_put(&w->to, "run", "tt", "shared_cores", shared);
		database_put(&w->to, "run", "ti", "slice", a->slice);
		free(shared);
	}
	database_put(&w->to, "run", "td", "efficiency", analysis_efficiency(a).parallel);
}

/* Of a run of which the times of statements alone are known. */
static void write_extent(struct writing *w)
{
	uint64_t begin, end;
	extent(w, &begin, &end);
	database_put(&w->to, "run", "ti", "learned", (uint64_t)1);
	database_put(&w->to, "run", "ti", "run", end - begin);
	database_put(&w->to, "run", "ti", "begin", begin);
	database_put(&w->to, "run", "ti", "records", w->content->profile->records);
	database_put(&w->to, "run", "td", "efficiency", NAN);
}

static void write_run(struct writing *w)
{
	struct text text = {0};
	database_put(&w->to, "run", "tt", "made_by", "tracenest " TRACENEST_VERSION);
	database_put(&w->to, "run", "tt", "model", w->content->model);
	database_put(&w->to, "run", "tt", "trace", w->content->trace);
	database_put(&w->to, "run", "ti", "processes", (uint64_t)run_module(w->content->run)->processes);
	database_put(&w->to, "run", "ti", "ticks_per_second", w->content->profile->ticks_per_second);
	if (w->content->analysis)
		write_analysis(w);
	else
		write_extent(w);
	module_print_text(run_module(w->content->run), NULL, &text);
	database_put(&w->to, "run", "tt", "program", text.data);
	text_clear(&text);
	if (is_unfinished(w))
		database_put(&w->to, "run", "tt", "ending", w->content->ending->line.data);
	if (w->content->timestamps)
		database_put(&w->to, "run", "tt", "times", columns_keep_name(w->content->timestamps->form.keep));
	if (w->content->timestamps && w->content->timestamps->form.keep == COLUMNS_WITHIN)
		database_put(&w->to, "run", "td", "within", w->content->timestamps->form.within);
}

static const char *kind_of(const struct node *n)
{
	if (n->kind == NODE_EVENT)
		return kind_rows[n->sub].verb;
	return n->kind == NODE_LOOP ? "loop" : "guard";
}

/* The lines of the module's text that are statements, each without what is around. */
char **database_line_words(const struct module *m)
{
	char **words = mem_zero((m->lines + 1) * sizeof *words);
	struct text text = {0};
	size_t at = 0;
	module_print_text(m, NULL, &text);
	for (char *line = text.data, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		line += strspn(line, " ");
		if (at < m->lines && *line && strncmp(line, "//", 2) && strcmp(line, "done"))
			words[at++] = mem_text(line);
	}
	text_clear(&text);
	return words;
}

/* A condition in the line of its event is around it: without words, at the same address. */
static void write_statements(struct writing *w)
{
	const struct module *m = run_module(w->content->run);
	const struct stored_numbers *n = &w->numbers;
	struct module_addresses addresses = module_addresses_of(m);
	struct overview o;
	char **words = database_line_words(m);
	uint64_t *depth = mem_array(m->lines + 1, sizeof *depth);
	overview_of(&o, w->content->run);
	for (size_t i = 0; i < n->count; i++) {
		size_t line = n->line[i], around = o.line[line].around;
		bool condition = stored_is_condition(n, i), behind = !condition && stored_has_condition(n, line);
		char *ranks = ranks_words(&o.line[line].who);
		depth[line] = around == OVERVIEW_NONE ? 0 : depth[around] + 1;
		uint64_t parent = behind ? i - 1 : around == OVERVIEW_NONE ? DATABASE_NULL : n->of_line[around];
		database_put(&w->to, "statement", "itiittt", (uint64_t)i, module_addresses_get(&addresses, line),
			parent, depth[line] + behind, condition ? "guard" : kind_of(overview_node(&o, line)),
			condition ? "" : words[line], ranks);
		free(ranks);
	}
	for (size_t i = 0; i < m->lines; i++)
		free(words[i]);
	free(words);
	free(depth);
	overview_clear(&o);
	module_addresses_clear(&addresses);
}

static void write_process(struct writing *w, uint32_t r, uint64_t role, uint64_t begin)
{
	const struct profile_process *q = &w->content->profile->process[r];
	if (w->content->analysis) {
		const struct analysis_process *p = &w->content->analysis->process[r];
		database_put(&w->to, "process", "iiiiiiiiiiiii", (uint64_t)r, role, p->first - begin, p->last - begin,
			p->work, p->call, p->apart, p->waited[WAIT_LATE_SENDER], p->waited[WAIT_LATE_RECEIVER],
			wait_in_collectives(p->waited), q->after, q->after_call, q->events);
	} else {
		database_put(&w->to, "process", "iiiiiiiiiiiii", (uint64_t)r, role, q->first ? q->first - begin : 0,
			q->last ? q->last - begin : 0, q->work, q->call, q->apart, DATABASE_NULL, DATABASE_NULL,
			DATABASE_NULL, q->after, q->after_call, q->events);
	}
}

static void write_processes(struct writing *w)
{
	uint64_t begin = w->content->analysis ? w->content->analysis->begin : 0, end;
	uint32_t roles, *role = roles_of(w->content->run, &roles);
	if (!w->content->analysis)
		extent(w, &begin, &end);
	for (uint32_t r = 0; r < run_module(w->content->run)->processes; r++)
		write_process(w, r, role[r] == NO_ROLE ? DATABASE_NULL : (uint64_t)role[r], begin);
	free(role);
}

/* Of a run that ended there is no such table. */
static void write_ending(struct writing *w)
{
	if (!is_unfinished(w))
		return;
	database_execute(&w->to,
		"CREATE TABLE ending (rank INTEGER PRIMARY KEY, call TEXT, place TEXT, since INTEGER NOT NULL)");
	for (uint32_t rank = 0; rank < w->content->ending->processes; rank++) {
		const struct trace_stand *x = &w->content->ending->stand[rank];
		uint64_t begin = w->content->analysis->begin;
		database_put(&w->to, "ending", "itti", (uint64_t)rank, x->call, x->place,
			x->since > begin ? x->since - begin : 0);
	}
}

/* ------------------------------------------------------------------ times of statements */

/* The id of a set of processes, new if need be. */
static uint64_t set_id(struct writing *w, const struct ranks *set)
{
	char *words = ranks_words(set);
	uint32_t known = intern_count(w->sets), id = intern_id(w->sets, words, strlen(words));
	if (id == known) {
		struct ranks_walk walk = {0};
		database_put(&w->to, "processes", "iti", (uint64_t)id, words, ranks_count(set));
		for (uint32_t r; ranks_next(set, &walk, &r);)
			database_put(&w->to, "member", "ii", (uint64_t)id, (uint64_t)r);
	}
	free(words);
	return id;
}

static void write_histogram(struct writing *w, uint64_t *id, const struct profile_row *r, uint64_t set,
	const char *what, const struct histogram *t)
{
	bool any = t->count > 0;
	database_put(&w->to, "timing", "iiittiiidiiiiii", *id, (uint64_t)w->numbers.of_line[r->line], set,
		arrival_name(r->arrival), what, r->occurrences, t->count, t->sum, (double)t->squares,
		any ? t->least.value : DATABASE_NULL, any ? (uint64_t)t->least.rank : DATABASE_NULL,
		any ? t->least.iteration : DATABASE_NULL, any ? t->most.value : DATABASE_NULL,
		any ? (uint64_t)t->most.rank : DATABASE_NULL, any ? t->most.iteration : DATABASE_NULL);
	for (uint32_t b = 0; b < t->buckets; b++)
		if (t->bucket[b])
			database_put(&w->to, "histogram", "iiii", *id, bucket_low(t->first + b, HISTOGRAM_BITS),
				bucket_low(t->first + b + 1, HISTOGRAM_BITS) - 1, t->bucket[b]);
	++*id;
}

static void write_timings(struct writing *w)
{
	const struct profile *p = w->content->profile;
	uint64_t id = 0;
	for (size_t i = 0; i < p->rows && w->to.good; i++) {
		uint64_t set = set_id(w, &p->row[i].ranks);
		if (p->row[i].longest > 0)
			database_put(&w->to, "together", "id", id, p->row[i].longest);
		write_histogram(w, &id, &p->row[i], set, "before", &p->row[i].before);
		write_histogram(w, &id, &p->row[i], set, "call", &p->row[i].call);
	}
}

/* ------------------------------------------------------------------ constructs */

static void write_series(struct writing *w, uint64_t construct, uint32_t depth, const struct analysis_series *x)
{
	size_t together = (x->bins + SERIES_BINS - 1) / SERIES_BINS;
	for (size_t i = 0; i < x->bins; i += together) {
		uint64_t sum[6] = {0}, first = i * x->width, last = (i + together) * x->width;
		for (size_t n = 0; n < 6; n++) /* all but the events */
			for (size_t k = i; k < i + together && k < x->bins; k++)
				sum[n] += x->each[n][k];
		database_put(&w->to, "series", "iiiiiiiiii", construct, (uint64_t)depth, first,
			(last < x->iterations ? last : x->iterations) - first, sum[0], sum[1], sum[2], sum[3], sum[4],
			sum[5]);
	}
}

static void write_share(struct writing *w, uint64_t construct, const struct analysis_share *x)
{
	if (!x->work && !x->call && !x->caused[WAIT_LATE_SENDER] && !x->caused[WAIT_LATE_RECEIVER] &&
		!wait_in_collectives(x->caused))
		return;
	database_put(&w->to, "share", "iiiiiiiiiiii", construct, (uint64_t)x->rank, x->work, x->call,
		x->waited[WAIT_LATE_SENDER], x->waited[WAIT_LATE_RECEIVER], wait_in_collectives(x->waited),
		x->caused[WAIT_LATE_SENDER], x->caused[WAIT_LATE_RECEIVER], wait_in_collectives(x->caused),
		x->path_work, x->path_call);
}

static void write_construct(struct writing *w, uint64_t id, const struct analysis_construct *c)
{
	double n = w->content->analysis->processes;
	char *ranks = ranks_words(&c->ranks);
	database_put(&w->to, "construct", "ittittddddiiiiiiii", id, c->name, c->address,
		c->depth ? c->series[0].iterations : 1, construct_sort_key(c->sort), ranks, (double)c->loss / n,
		(double)c->imbalance / n, (double)c->serialization / n, (double)c->transfer / n, c->total.path_work,
		c->total.path_call, c->total.work, c->total.call, c->total.calls, c->total.events, c->messages,
		c->bytes);
	free(ranks);
}

static void write_constructs(struct writing *w)
{
	const struct analysis *a = w->content->analysis;
	for (size_t i = 0; i < a->constructs && w->to.good; i++) {
		const struct analysis_construct *c = &a->construct[i];
		write_construct(w, i, c);
		for (uint32_t k = 0; k < c->shares; k++)
			write_share(w, i, &c->share[k]);
		for (size_t k = 0; k < c->links; k++)
			database_put(&w->to, "link", "iiiiiiii", (uint64_t)i, (uint64_t)c->link[k].source,
				(uint64_t)c->link[k].destination, c->link[k].messages, c->link[k].bytes,
				c->link[k].flight, c->link[k].least == UINT64_MAX ? 0 : c->link[k].least,
				c->link[k]
					.waited); /* of what is received in another construct no flight is known here */
		for (uint32_t d = 0; d < c->depth && d < ANALYSIS_DEPTH; d++)
			write_series(w, i, d, &c->series[d]);
	}
}

/* ------------------------------------------------------------------ when each event was */

static void write_timestamps(struct writing *w)
{
	if (!w->content->timestamps)
		return;
	const struct columns_kept *x = &w->content->timestamps->kept;
	for (size_t i = 0; i < x->tables_length && w->to.good; i++) {
		struct text packed = {0};
		w->to.good = packed_make(x->tables[i].data, x->tables[i].length, &packed, w->to.error);
		database_put(&w->to, "odds", "ib", (uint64_t)i, &packed);
		text_clear(&packed);
	}
	for (size_t i = 0; i < x->segments; i++) {
		const struct columns_segment *t = &x->segment[i];
		database_put(&w->to, "stretch", "iiiiiibb", (uint64_t)i, (uint64_t)t->rank, t->first, t->events,
			t->begin - w->content->analysis->begin, (uint64_t)t->tables, &t->index, &t->data);
	}
}

/* ------------------------------------------------------------------ the file */

bool database_save(struct sqlite3 *db, const char *path, struct error *error)
{
	sqlite3_int64 size = 0;
	bool good = sqlite3_exec(db, "VACUUM", NULL, NULL, NULL) == SQLITE_OK;
	unsigned char *bytes = good ? sqlite3_serialize(db, "main", &size, 0) : NULL;
	good = bytes ? output_all(path, (const char *)bytes, (size_t)size, error)
		     : error_set(error, ERROR_INTERNAL, "%s: SQLite: %s", path, sqlite3_errmsg(db));
	sqlite3_free(bytes);
	return good;
}

struct sqlite3 *database_new(const char *path, struct error *error)
{
	sqlite3 *db = NULL;
	char header[128];
	snprintf(header, sizeof header, "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION,
		DATABASE_VERSION);
	if (sqlite3_open(":memory:", &db) == SQLITE_OK && sqlite3_exec(db, header, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK)
		return db;
	sqlite3_close(db);
	error_set(error, ERROR_INTERNAL, "%s: SQLite cannot be used", path);
	return NULL;
}

bool database_write(const char *path, const struct database_content *content, struct error *error)
{
	struct writing w = {.content = content};
	if (!database_begin(&w.to, path, error))
		return false;
	w.sets = intern_new();
	w.numbers = stored_numbers_of(run_module(content->run));
	write_run(&w);
	write_statements(&w);
	write_processes(&w);
	write_ending(&w);
	write_timings(&w);
	if (content->analysis)
		write_constructs(&w);
	if (content->analysis && content->findings)
		content->findings(content->analysis, &w.to);
	write_timestamps(&w);
	intern_free(w.sets);
	stored_numbers_clear(&w.numbers);
	return database_end(&w.to);
}

/* ------------------------------------------------------------------ reading */

bool database_is(const char *path)
{
	static const char magic[] = "SQLite format 3";
	return file_begins(path, magic, sizeof magic);
}

static bool pragma(sqlite3 *db, const char *sql, int *value)
{
	sqlite3_stmt *s = NULL;
	bool good = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;
	if (good)
		*value = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	return good;
}

struct sqlite3 *database_open(const char *path, struct error *error)
{
	sqlite3 *db = NULL;
	int application = 0, version = 0;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		error_set(error, ERROR_INPUT, "%s: cannot be opened: %s", path, db ? sqlite3_errmsg(db) : "no memory");
	else if (!pragma(db, "PRAGMA application_id", &application) || !pragma(db, "PRAGMA user_version", &version))
		error_set(error, ERROR_INPUT, "%s: no profile: %s", path, sqlite3_errmsg(db));
	else if (application != APPLICATION)
		error_set(error, ERROR_INPUT, "%s: a database, but no profile that tracenest made", path);
	else if (version > DATABASE_VERSION)
		error_set(error, ERROR_INPUT,
			"%s: a profile of version %d, this is for versions up to %d: use a newer tracenest", path,
			version, DATABASE_VERSION);
	else
		return db;
	sqlite3_close(db);
	return NULL;
}

void database_close(struct sqlite3 *db)
{
	sqlite3_close(db);
}

bool database_rows(struct sqlite3 *db, const char *path, const char *sql,
	bool (*take)(void *context, struct sqlite3_stmt *), void *context, struct error *error)
{
	sqlite3_stmt *s = NULL;
	bool good = true;
	int step = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	if (step == SQLITE_OK)
		while (good && (step = sqlite3_step(s)) == SQLITE_ROW)
			good = take(context, s);
	if (good && step != SQLITE_DONE)
		good = error_set(
			error, ERROR_INPUT, "%s: not a profile that can be read: %s", path, sqlite3_errmsg(db));
	sqlite3_finalize(s);
	return good;
}

const char *database_words(sqlite3_stmt *s, int column)
{
	const unsigned char *text = sqlite3_column_text(s, column);
	return text ? (const char *)text : "";
}

bool database_is_of(
	struct sqlite3 *db, const char *path, const struct module *m, const char *model, struct error *error)
{
	char **line = database_line_words(m);
	struct stored_numbers n = stored_numbers_of(m);
	sqlite3_stmt *s = NULL;
	bool same = true;
	int step = sqlite3_prepare_v2(db, "SELECT text FROM statement ORDER BY id", -1, &s, NULL);
	step = step == SQLITE_OK ? sqlite3_step(s) : step;
	for (size_t i = 0; i < n.count; i++) {
		const char *text = same && step == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
		same = text && !strcmp(text, stored_is_condition(&n, i) ? "" : line[n.line[i]]);
		step = same ? sqlite3_step(s) : step;
	}
	for (size_t i = 0; i < m->lines; i++)
		free(line[i]);
	stored_numbers_clear(&n);
	bool good = step == SQLITE_ROW || step == SQLITE_DONE;
	same = same && step == SQLITE_DONE;
	if (!good)
		error_set(error, ERROR_INPUT, "%s: not a profile that can be read: %s", path, sqlite3_errmsg(db));
	sqlite3_finalize(s);
	free(line);
	if (!good)
		return false;
	return same || error_set(error, ERROR_INCONSISTENT,
			       "%s: the profile is not that of the model %s: it has other statements", path, model);
}
