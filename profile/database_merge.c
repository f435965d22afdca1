/*
 * database_merge.c -- two profiles of the same program as one, by SQL: what has the same key is
 * added up, so that order and grouping do not matter.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ranks.h"
#include "profile/database.h"

struct merging {
	sqlite3 *db; /* the new one; the two are attached as a and b */
	const char *path[2];
	int64_t ticks[2]; /* in a second, of either */
	struct error *error;
};

/* Where clocks tick differently (some are measured anew in each run), times become nanoseconds. */
#define COMMON_TICKS 1000000000

static bool clocks_differ(const struct merging *m)
{
	return m->ticks[0] != m->ticks[1];
}

/* ------------------------------------------------------------------ sets of processes in SQL */

static void ranks_step(sqlite3_context *context, int count, sqlite3_value **value)
{
	struct ranks *all = sqlite3_aggregate_context(context, sizeof *all), one = {0};
	const char *words = (const char *)sqlite3_value_text(value[0]);
	struct error error = {0};
	(void)count;
	if (words && *words && ranks_parse(&one, &words, &error))
		ranks_join(all, &one);
	ranks_clear(&one);
}

static void ranks_final(sqlite3_context *context)
{
	struct ranks *all = sqlite3_aggregate_context(context, sizeof *all);
	struct text words = {0};
	ranks_print_short(all, &words);
	sqlite3_result_text(context, words.data ? words.data : "", -1, SQLITE_TRANSIENT);
	text_clear(&words);
	ranks_clear(all);
}

/* ------------------------------------------------------------------ do they belong together? */

static bool failed(struct merging *m)
{
	return error_set(m->error, ERROR_INPUT, "%s, %s: they cannot be merged: %s", m->path[0], m->path[1],
		sqlite3_errmsg(m->db));
}

static bool attach(struct merging *m, unsigned which)
{
	static const char *const sql[] = {"ATTACH ? AS a", "ATTACH ? AS b"};
	sqlite3 *db = database_open(m->path[which], m->error);
	sqlite3_stmt *s = NULL;
	if (!db)
		return false;
	database_close(db);
	bool good = sqlite3_prepare_v2(m->db, sql[which], -1, &s, NULL) == SQLITE_OK &&
		    sqlite3_bind_text(s, 1, m->path[which], -1, SQLITE_STATIC) == SQLITE_OK &&
		    sqlite3_step(s) == SQLITE_DONE;
	sqlite3_finalize(s);
	return good || failed(m);
}

/* Is it empty, what should not be? */
static bool none(struct merging *m, const char *sql, const char *what)
{
	sqlite3_stmt *s = NULL;
	int step = sqlite3_prepare_v2(m->db, sql, -1, &s, NULL) == SQLITE_OK ? sqlite3_step(s) : SQLITE_ERROR;
	sqlite3_finalize(s);
	if (step == SQLITE_DONE)
		return true;
	if (step != SQLITE_ROW)
		return failed(m);
	return error_set(
		m->error, ERROR_INCONSISTENT, "%s, %s: they cannot be merged: %s", m->path[0], m->path[1], what);
}

#define VALUE(of, key) "(SELECT value FROM " of ".run WHERE key = '" key "')"

static bool check(struct merging *m)
{
	return none(m, "SELECT 1 WHERE " VALUE("a", "processes") " <> " VALUE("b", "processes"),
		       "they are of other numbers of processes") &&
	       none(m,
		       "SELECT id, text FROM a.statement EXCEPT SELECT id, text FROM b.statement"
		       " UNION ALL SELECT * FROM (SELECT id, text FROM b.statement EXCEPT SELECT id, text FROM a.statement)",
		       "they are of other programs") &&
	       none(m, "SELECT 1 WHERE " VALUE("a", "learned") " IS NOT " VALUE("b", "learned"),
		       "one was learned without an archive, and does not know who waited for whom") &&
	       none(m,
		       "SELECT 1 WHERE " VALUE("a", "ticks_per_second") " <> " VALUE(
			       "b", "ticks_per_second") " AND 0 IN (" VALUE("a", "ticks_per_second") ", " VALUE("b",
			       "ticks_per_second") ")",
		       "how long the ticks of one are is not known (ticks_per_second)");
}

static bool read_ticks(struct merging *m)
{
	sqlite3_stmt *s = NULL;
	bool good =
		sqlite3_prepare_v2(m->db, "SELECT " VALUE("a", "ticks_per_second") ", " VALUE("b", "ticks_per_second"),
			-1, &s, NULL) == SQLITE_OK &&
		sqlite3_step(s) == SQLITE_ROW;
	for (int i = 0; i < 2 && good; i++)
		m->ticks[i] = sqlite3_column_int64(s, i);
	sqlite3_finalize(s);
	return good || failed(m);
}

/* ------------------------------------------------------------------ all that is added up */

/* The tables whose rows are added up, as one: both_run, ... with the part that a row is of; and
   those of their columns that are times in ticks. */
static const struct {
	const char *name, *times;
} tables[] = {
	{"run", ""}, /* some of its values are */
	{"process", " first last work call apart late_sender late_receiver collective after after_call "},
	{"processes", ""},
	{"member", ""},
	{"timing", " total squares least most "},
	{"histogram", " low high "},
	{"construct", " loss imbalance serialization transfer path_work path_call work call "},
	{"share", " work call late_sender late_receiver collective caused_late_sender caused_late_receiver"
		  " caused_collective path_work path_call "},
	{"link", " flight least_flight late_sender "},
	{"series", " path_work path_call work waited "},
};

/* In this order. A name that no part stands before is the new database's. */
static const char *const steps[] = {
	"INSERT INTO run SELECT * FROM a.run WHERE key IN ('made_by', 'processes', 'ticks_per_second', 'program', 'learned')",
	"INSERT INTO run SELECT key, min(value) FROM both_run WHERE key IN ('model', 'trace', 'begin') GROUP BY key",
	"INSERT INTO run SELECT key, sum(value) FROM both_run"
	" WHERE key IN ('run', 'records', 'path_work', 'path_call', 'hops') GROUP BY key",
	"INSERT INTO run SELECT 'runs', 2 + coalesce(sum(value - 1), 0) FROM both_run WHERE key = 'runs'",
	"INSERT INTO statement SELECT * FROM a.statement",
	"INSERT INTO process SELECT rank, min(role), sum(first), sum(last), sum(work), sum(call), sum(apart),"
	" sum(late_sender), sum(late_receiver), sum(collective), sum(after), sum(after_call), sum(events)"
	" FROM both_process GROUP BY rank",
	"INSERT INTO run SELECT 'efficiency', CASE WHEN (SELECT count(value) FROM both_run WHERE key = 'efficiency') = 0"
	" THEN NULL WHEN r.value > 0 THEN sum(work) * 1.0 / r.value / count(*) ELSE 1 END"
	" FROM process, run r WHERE r.key = 'run'",
	"INSERT INTO processes SELECT row_number() OVER (ORDER BY ranks) - 1, ranks, count"
	" FROM (SELECT DISTINCT ranks, count FROM both_processes)",
	"CREATE TEMP TABLE sets AS SELECT o.part, o.id AS was, n.id FROM both_processes o JOIN processes n USING (ranks)",
	"CREATE INDEX temp.sets_key ON sets (part, was)",
	"INSERT INTO member SELECT DISTINCT x.id, m.rank FROM both_member m"
	" JOIN sets x ON x.part = m.part AND x.was = m.processes",
	/* times of statements: of extremes the first of those that have it */
	"CREATE TEMP TABLE times AS SELECT x.id AS of, t.* FROM both_timing t"
	" JOIN sets x ON x.part = t.part AND x.was = t.processes",
	"CREATE TEMP TABLE ordered AS SELECT *,"
	" row_number() OVER (PARTITION BY statement, of, arrival, what"
	" ORDER BY least IS NULL, least, least_rank, least_iteration) AS low,"
	" row_number() OVER (PARTITION BY statement, of, arrival, what"
	" ORDER BY most IS NULL, most DESC, most_rank, most_iteration) AS high FROM times",
	"INSERT INTO timing SELECT row_number() OVER (ORDER BY statement, of, arrival, what) - 1, statement, of, arrival,"
	" what, sum(occurrences), sum(times), sum(total), sum(squares),"
	" max(CASE low WHEN 1 THEN least END), max(CASE low WHEN 1 THEN least_rank END),"
	" max(CASE low WHEN 1 THEN least_iteration END), max(CASE high WHEN 1 THEN most END),"
	" max(CASE high WHEN 1 THEN most_rank END), max(CASE high WHEN 1 THEN most_iteration END)"
	" FROM ordered GROUP BY statement, of, arrival, what",
	"CREATE TEMP TABLE rows AS SELECT t.part, t.id AS was, n.id FROM times t JOIN timing n ON n.statement = t.statement"
	" AND n.processes = t.of AND n.arrival = t.arrival AND n.what = t.what",
	"CREATE INDEX temp.rows_key ON rows (part, was)",
	"INSERT INTO histogram SELECT r.id, low, max(high), sum(times) FROM both_histogram h"
	" JOIN rows r ON r.part = h.part AND r.was = h.timing GROUP BY r.id, low",
	/* constructs */
	"INSERT INTO construct SELECT row_number() OVER (ORDER BY sort = 'outside', sum(loss) DESC, name, loop) - 1,"
	" name, loop, max(iterations), sort, ranks_union(ranks), sum(loss), sum(imbalance), sum(serialization),"
	" sum(transfer), sum(path_work), sum(path_call), sum(work), sum(call), sum(calls), sum(events), sum(messages),"
	" sum(bytes) FROM both_construct GROUP BY name, loop, sort",
	"CREATE TEMP TABLE renamed AS SELECT o.part, o.id AS was, n.id FROM both_construct o"
	" JOIN construct n ON n.name = o.name AND n.loop IS o.loop AND n.sort = o.sort",
	"CREATE INDEX temp.renamed_key ON renamed (part, was)",
	"INSERT INTO share SELECT r.id, rank, sum(work), sum(call), sum(late_sender), sum(late_receiver), sum(collective),"
	" sum(caused_late_sender), sum(caused_late_receiver), sum(caused_collective), sum(path_work), sum(path_call)"
	" FROM both_share s JOIN renamed r ON r.part = s.part AND r.was = s.construct GROUP BY r.id, rank",
	"INSERT INTO link SELECT r.id, source, destination, sum(messages), sum(bytes), sum(flight), min(least_flight),"
	" sum(late_sender)"
	" FROM both_link l JOIN renamed r ON r.part = l.part AND r.was = l.construct GROUP BY r.id, source, destination",
	"INSERT INTO series SELECT r.id, depth, iteration, max(iterations), sum(path_work), sum(path_call), sum(work),"
	" sum(waited), sum(bytes), sum(messages)"
	" FROM both_series s JOIN renamed r ON r.part = s.part AND r.was = s.construct GROUP BY r.id, depth, iteration",
};

static bool execute(struct merging *m, const char *sql)
{
	return sqlite3_exec(m->db, sql, NULL, NULL, NULL) == SQLITE_OK || failed(m);
}

#define TEXT_OF_IT(x) #x
#define TEXT_OF(x) TEXT_OF_IT(x)

/* A column of a part, in common ticks where it is of times. What is whole stays whole. */
static void put_column(
	const struct merging *m, int part, const char *column, const char *type, bool time, struct text *to)
{
	double factor = (double)COMMON_TICKS / (double)m->ticks[part];
	bool squares = !strcmp(column, "squares"), value = !strcmp(column, "value"), real = !strcmp(type, "REAL");
	text_put(to, ", ");
	if (!clocks_differ(m) || !(time || value))
		text_put(to, column);
	else if (value)
		text_format(to,
			"CASE WHEN key IN ('run', 'begin', 'path_work', 'path_call') THEN CAST(round(value * %.17g) AS"
			" INTEGER) ELSE value END",
			factor);
	else if (real)
		text_format(to, "%s * %.17g", column, squares ? factor * factor : factor);
	else
		text_format(to, "CAST(round(%s * %.17g) AS INTEGER)", column, factor);
	text_format(to, " AS %s", column);
}

static bool view_both(struct merging *m, size_t table)
{
	struct text part[2] = {0}, view = {0};
	sqlite3_stmt *s = NULL;
	bool good =
		sqlite3_prepare_v2(m->db, "SELECT name, type FROM pragma_table_info(?)", -1, &s, NULL) == SQLITE_OK &&
		sqlite3_bind_text(s, 1, tables[table].name, -1, SQLITE_STATIC) == SQLITE_OK;
	int step = SQLITE_DONE;
	while (good && (step = sqlite3_step(s)) == SQLITE_ROW) {
		const char *column = (const char *)sqlite3_column_text(s, 0),
			   *type = (const char *)sqlite3_column_text(s, 1);
		struct text word = {0};
		text_format(&word, " %s ", column);
		bool time = strstr(tables[table].times, word.data);
		for (int i = 0; i < 2; i++)
			put_column(m, i, column, type, time, &part[i]);
		text_clear(&word);
	}
	good = good && step == SQLITE_DONE;
	sqlite3_finalize(s);
	text_format(&view,
		"CREATE TEMP VIEW both_%s AS SELECT 'a' AS part%s FROM a.%s UNION ALL SELECT 'b'%s FROM b.%s",
		tables[table].name, good ? part[0].data : "", tables[table].name, good ? part[1].data : "",
		tables[table].name);
	good = good ? execute(m, view.data) : failed(m);
	text_clear(&part[0]);
	text_clear(&part[1]);
	text_clear(&view);
	return good;
}

static bool add_up(struct merging *m)
{
	bool good = true;
	for (size_t i = 0; i < sizeof tables / sizeof *tables && good; i++)
		good = view_both(m, i);
	for (size_t i = 0; i < sizeof steps / sizeof *steps && good; i++)
		good = execute(m, steps[i]);
	return good && (!clocks_differ(m) || execute(m, "UPDATE run SET value = " TEXT_OF(
								COMMON_TICKS) " WHERE key = 'ticks_per_second'"));
}

bool database_merge(const char *path, const char *first, const char *second, struct error *error)
{
	struct merging m = {.path = {first, second}, .error = error, .db = database_new(path, error)};
	if (!m.db)
		return false;
	sqlite3_create_function(
		m.db, "ranks_union", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, NULL, ranks_step, ranks_final);
	bool good = attach(&m, 0) && attach(&m, 1) && check(&m) && read_ticks(&m) && add_up(&m) &&
		    database_save(m.db, path, error);
	sqlite3_close(m.db);
	return good;
}
