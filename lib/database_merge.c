/*
 * database_merge.c -- two profiles of the same program as one, by SQL: what has the same key is
 * added up, so that order and grouping do not matter.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/ranks.h"
#include "lib/database.h"

struct merging {
	sqlite3 *db; /* the new one; the two are attached as a and b */
	const char *path[2];
	struct error *error;
};

/* ------------------------------------------------------------------ sets of processes in SQL */

static void ranks_step(sqlite3_context *context, int count, sqlite3_value **value)
{
	struct ranks *all = sqlite3_aggregate_context(context, sizeof *all), one = {0};
	const char *words = (const char *)sqlite3_value_text(value[0]);
	struct error error = {0};
	(void)count;
	if (words && *words && ranks_parse(&one, &words, &error))
		for (size_t i = 0; i < one.length; i++)
			ranks_add_run(all, one.run[i].first, one.run[i].last);
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
	       none(m, "SELECT 1 WHERE " VALUE("a", "ticks_per_second") " <> " VALUE("b", "ticks_per_second"),
		       "their clocks tick differently (ticks_per_second)");
}

/* ------------------------------------------------------------------ all that is added up */

/* Rows of both. */
#define BOTH(columns, rest) "SELECT " columns " FROM a." rest " UNION ALL SELECT " columns " FROM b." rest

/* Of the least or the most of a timing, the first of those that have it. */
#define EXTREME(column, of, order)                                                                                     \
	"(SELECT " column                                                                                              \
	" FROM times x WHERE x.statement = t.statement AND x.ranks = t.ranks AND x.arrival = t.arrival"                \
	" AND x.what = t.what AND x." of " IS NOT NULL ORDER BY x." of order ", x." of "_rank, x." of                  \
	"_iteration LIMIT 1)"

static const char merge
	[] = "INSERT INTO run SELECT * FROM a.run WHERE key IN ('made_by', 'processes', 'ticks_per_second', 'program');"
	     "INSERT INTO run SELECT key, min(value) FROM (" BOTH("*", "run") ") WHERE key IN ('model', 'trace', 'begin')"
									      " GROUP BY key;"
									      "INSERT INTO run SELECT key, sum(value) FROM (" BOTH("*", "run") ") WHERE key IN"
																	       " ('run', 'records', 'path_work', 'path_call', 'hops') GROUP BY key;"
																	       "INSERT INTO run VALUES ('runs', coalesce(" VALUE("a", "runs") ", 1) + coalesce(" VALUE("b", "runs") ", 1));"
																														    "INSERT INTO statement SELECT * FROM a.statement;"
																														    "INSERT INTO process SELECT rank, min(role), sum(first), sum(last), sum(work), sum(call), sum(apart),"
																														    " sum(late_sender), sum(late_receiver), sum(collective), sum(after), sum(after_call), sum(events)"
																														    " FROM (" BOTH(
																															    "*", "process") ") GROUP BY rank;"
																																	    "INSERT INTO run SELECT 'efficiency', CASE WHEN r.value > 0 THEN sum(work) * 1.0 / r.value / count(*) ELSE 1 END"
																																	    " FROM process, run r WHERE r.key = 'run';"
																																	    /* sets */
																																	    "INSERT INTO processes SELECT row_number() OVER (ORDER BY ranks) - 1, ranks, count"
																																	    " FROM (SELECT ranks, count FROM a.processes UNION SELECT ranks, count FROM b.processes);"
																																	    "INSERT OR IGNORE INTO member SELECT n.id, m.rank FROM a.member m JOIN a.processes o ON o.id = m.processes"
																																	    " JOIN processes n ON n.ranks = o.ranks;"
																																	    "INSERT OR IGNORE INTO member SELECT n.id, m.rank FROM b.member m JOIN b.processes o ON o.id = m.processes"
																																	    " JOIN processes n ON n.ranks = o.ranks;"
																																	    /* times of statements */
																																	    "CREATE TEMP TABLE times AS " BOTH("p.ranks AS ranks, t.*", "timing t JOIN processes p ON p.id = t.processes") ";"
																																															   "CREATE INDEX temp.times_key ON times (statement, ranks, arrival, what);"
																																															   "INSERT INTO timing SELECT row_number() OVER (ORDER BY statement, p.id, arrival, what) - 1, statement, p.id, arrival,"
																																															   " what, occurrences, times, total, squares, " EXTREME(
																																																   "least",
																																																   "least",
																																																   "") ", " EXTREME("least_rank", "least",
																																																   "") ", " EXTREME("least_iteration",
																																																   "least", "") ", " EXTREME("most", "most", " DESC") ", " EXTREME("most_rank", "most", " DESC") ", " EXTREME("most_iteration", "most", " DESC") " FROM (SELECT statement, ranks, arrival, what, sum(occurrences) AS occurrences, sum(times) AS times,"
																																																																		 " sum(total) AS total, sum(squares) AS squares FROM times GROUP BY statement, ranks, arrival, what) t"
																																																																		 " JOIN processes p ON p.ranks = t.ranks;"
																																																																		 "CREATE TEMP TABLE key AS SELECT t.id AS id, statement, ranks, arrival, what FROM timing t"
																																																																		 " JOIN processes p ON p.id = t.processes;"
																																																																		 "CREATE INDEX temp.key_key ON key (statement, ranks, arrival, what);"
																																																																		 "INSERT INTO histogram SELECT id, low, high, sum(times) FROM (" BOTH(
																																																																			 "k.id AS id, h.low AS low, h.high AS high, h.times AS times", "histogram h JOIN timing t ON t.id = h.timing JOIN processes p ON p.id = t.processes"
																																																																										       " JOIN key k ON k.statement = t.statement AND k.ranks = p.ranks AND k.arrival = t.arrival AND k.what = t.what") ") GROUP BY id, low;"
																																																																																								       /* constructs */
																																																																																								       "INSERT INTO construct SELECT row_number() OVER (ORDER BY sort = 'outside', sum(loss) DESC, name, loop) - 1, name, loop,"
																																																																																								       " max(iterations), sort, ranks_union(ranks), sum(loss), sum(imbalance), sum(serialization), sum(transfer),"
																																																																																								       " sum(path_work), sum(path_call), sum(work), sum(call), sum(calls), sum(events), sum(messages), sum(bytes)"
																																																																																								       " FROM (" BOTH("*", "construct") ") GROUP BY name, loop, sort;"
																																																																																													"CREATE TEMP TABLE renamed AS"
																																																																																													" SELECT 'a' AS source, o.id AS was, n.id AS id FROM a.construct o JOIN construct n ON n.name = o.name"
																																																																																													" AND n.loop IS o.loop AND n.sort = o.sort UNION ALL"
																																																																																													" SELECT 'b', o.id, n.id FROM b.construct o JOIN construct n ON n.name = o.name"
																																																																																													" AND n.loop IS o.loop AND n.sort = o.sort;"
																																																																																													"CREATE INDEX temp.renamed_key ON renamed (source, was);"
																																																																																													"INSERT INTO share SELECT id, rank, sum(work), sum(call), sum(late_sender), sum(late_receiver), sum(collective),"
																																																																																													" sum(caused_late_sender), sum(caused_late_receiver), sum(caused_collective), sum(path_work), sum(path_call)"
																																																																																													" FROM (SELECT r.id, s.* FROM a.share s JOIN renamed r ON r.source = 'a' AND r.was = s.construct UNION ALL"
																																																																																													" SELECT r.id, s.* FROM b.share s JOIN renamed r ON r.source = 'b' AND r.was = s.construct) GROUP BY id, rank;"
																																																																																													"INSERT INTO link SELECT id, source, destination, sum(messages), sum(bytes), sum(flight), min(least_flight),"
																																																																																													" sum(late_sender) FROM (SELECT r.id, s.* FROM a.link s JOIN renamed r ON r.source = 'a' AND r.was = s.construct"
																																																																																													" UNION ALL SELECT r.id, s.* FROM b.link s JOIN renamed r ON r.source = 'b' AND r.was = s.construct)"
																																																																																													" GROUP BY id, source, destination;"
																																																																																													"INSERT INTO series SELECT id, depth, iteration, max(iterations), sum(path_work), sum(path_call), sum(work),"
																																																																																													" sum(waited), sum(bytes), sum(messages) FROM"
																																																																																													" (SELECT r.id, s.* FROM a.series s JOIN renamed r ON r.source = 'a' AND r.was = s.construct UNION ALL"
																																																																																													" SELECT r.id, s.* FROM b.series s JOIN renamed r ON r.source = 'b' AND r.was = s.construct)"
																																																																																													" GROUP BY id, depth, iteration;"
																																																																																													"DROP TABLE temp.times; DROP TABLE temp.key; DROP TABLE temp.renamed; DETACH a; DETACH b;";

bool database_merge(const char *path, const char *first, const char *second, struct error *error)
{
	struct merging m = {.path = {first, second}, .error = error, .db = database_new(path, error)};
	if (!m.db)
		return false;
	sqlite3_create_function(
		m.db, "ranks_union", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, NULL, ranks_step, ranks_final);
	bool good = attach(&m, 0) && attach(&m, 1) && check(&m) &&
		    (sqlite3_exec(m.db, merge, NULL, NULL, NULL) == SQLITE_OK || failed(&m)) &&
		    database_save(m.db, path, error);
	sqlite3_close(m.db);
	return good;
}
