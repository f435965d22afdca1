/*
 * database.h -- what was learned of a run's time, kept as an SQLite database, and read again.
 *
 *	struct database_content content = {.run = run, .analysis = analysis, .profile = profile, .model = "run.nest"};
 *	if (database_write("run.db", &content, &error)) ...
 *
 * The schema is that of tracenest-profile(5); its version is in the database (user_version), and
 * one that is newer than ours is refused. (https://www.sqlite.org/fileformat2.html)
 */
#ifndef TRACENEST_PROFILE_DATABASE_H
#define TRACENEST_PROFILE_DATABASE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "model/run.h"
#include "profile/pace.h"
#include "profile/profile.h"
#include "profile/timestamps.h"
#include "time/analysis.h"

#define DATABASE_VERSION 2

struct database_writer;
struct database_content {
	struct run *run; /* of a module without calls */
	const struct analysis *analysis; /* NULL: the times of statements alone are known */
	/* NULL, or puts what is said of its constructs, in the order in which they are reported */
	void (*findings)(const struct analysis *, struct database_writer *);
	const struct profile *profile;
	const struct timestamps *timestamps; /* NULL: they are not kept */
	const struct trace_ending *ending; /* NULL: the run ended */
	const char *model, *trace; /* what they are called */
};

/* Whole, or not at all. Ticks become nanoseconds where the clock's are known. */
bool database_write(const char *path, const struct database_content *, struct error *);

/*
 * Two profiles of the same program as one of all their runs. In any order and grouping it is the
 * same, but for the last digits of losses and squares. What is said of one run alone, findings and
 * times of events, is not in it. False with *error set: they do not belong together, or cannot be
 * read or written.
 */
bool database_merge(const char *path, const char *first, const char *second, struct error *);

/* For those who make one in another way: empty, in memory; and then as a file. */
struct sqlite3;
struct sqlite3 *database_new(const char *path, struct error *);
bool database_save(struct sqlite3 *, const char *path, struct error *);

/*
 * Both, and what is written in between: in *error once it fails, and then nothing more is. put: a
 * row, by column i an uint64_t (DATABASE_NULL: none), d a double, t words (NULL: none), b the bytes
 * of a struct text. table: a literal. end: false if not all is written; nothing is open any more.
 */
#define DATABASE_TABLES 20
#define DATABASE_NULL UINT64_MAX
struct database_writer {
	struct sqlite3 *db;
	const char *path;
	struct error *error;
	bool good;
	struct {
		const char *table;
		struct sqlite3_stmt *insert;
	} into[DATABASE_TABLES];
	size_t tables;
};
bool database_begin(struct database_writer *, const char *path, struct error *);
void database_execute(struct database_writer *, const char *sql);
void database_put(struct database_writer *, const char *table, const char *types, ...);
bool database_end(struct database_writer *);

/* Is the file an SQLite database, by its first bytes? False of what cannot be read, too. */
bool database_is(const char *path);

/* One that is open to be read: a handle of SQLite. NULL with *error set: it is no profile, or of a
   newer version. */
struct sqlite3 *database_open(const char *path, struct error *);
void database_close(struct sqlite3 *);

/* Every row of a query, until one is not taken. False: that, or with *error set it cannot be read
   to its end (a failure must not be taken for the end). path: for messages. */
struct sqlite3_stmt;
bool database_rows(struct sqlite3 *, const char *path, const char *sql,
	bool (*take)(void *context, struct sqlite3_stmt *), void *context, struct error *);

/* The words of a column; "": it has none. Borrowed until the next row. */
const char *database_words(struct sqlite3_stmt *, int column);

/* The lines of a module's text as the database has them. The caller's. */
char **database_line_words(const struct module *);

/* How long the statements of this program took, whose module has no calls. NULL with *error set: it
   is no profile, or not of this program. */
struct pace *database_pace(const char *path, const struct module *, const char *model, struct error *);

/*
 * Does it keep the times of all events? Then the pace has these, too, until it is freed. What
 * cannot be read later is told in *error, which must live as long. False with *error set.
 */
bool database_keeps_times(const char *path, bool *keeps, struct error *);
bool database_pace_times(struct pace *, const char *path, struct run *, const char *model, struct error *);

/* Is it of this program? False with *error set. O(statements). */
bool database_is_of(struct sqlite3 *, const char *path, const struct module *, const char *model, struct error *);

#endif
