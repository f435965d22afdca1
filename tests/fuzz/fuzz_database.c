/*
 * fuzz_database.c -- a profile with other bytes, or other values in its tables: refused with a
 * message, or compared with what it was.
 *
 * An input is a list of 4 bytes each. The first byte's lowest bit says what they are: changes of
 * bytes (where, in two bytes, and what to xor with), or of a column (which table, which column,
 * which value).
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/difference.h"
#include "report/profiling.h"
#include "tests/archive.h"
#include "tests/fuzz/fuzz.h"

#define MOST_CHANGES 16

const size_t fuzz_variations = 100;

static struct text content; /* of the profile as it was made */
static char *directory, *path, *changed;

static char *in_directory(const char *name)
{
	struct text joined = {0};
	text_format(&joined, "%s/%s", directory, name);
	return joined.data;
}

static void clean_up(void)
{
	scratch_remove(directory);
	free(path);
	free(changed);
	text_clear(&content);
}

static void read_content(void)
{
	FILE *file = fopen(path, "r");
	int byte;
	MUST(file);
	while ((byte = fgetc(file)) != EOF)
		text_char(&content, (char)byte);
	fclose(file);
}

/* Of a run of two processes. */
static void make_profile(void)
{
	struct account_options options = {ACCOUNT_OPTIONS};
	struct account account;
	struct error error = {0};
	struct text text = {0};
	text_put(&text, "process 0\nprocess 1\nlocation 0 0\nlocation 1 1\nlist 0 mpi 0 1\ngroup 1 mpi 0 1\n"
			"comm 0 1 WORLD\nregion 0 solve\nmpiregion 1 MPI_Send\nmpiregion 2 MPI_Recv\n");
	for (int rank = 0; rank < 2; rank++) {
		text_put(&text, "time 0\n");
		for (int i = 0; i < 5; i++)
			text_format(&text, "@%d enter 0\n@%d enter %d\n@%d %s %d 0 7\n@%d leave %d\n@%d leave 0\n",
				rank, rank, 1 + rank, rank, rank ? "recv" : "send", !rank, rank, 1 + rank, rank);
	}
	char *anchor = archive_write(text.data);
	options.program.jobs = 1;
	MUST(account_read(&account, anchor, NULL, &options, &error));
	struct trace *trace = trace_open(anchor, &options.program.trace, &error);
	MUST(trace);
	struct run *run = account.program->run;
	struct profile *profile = profile_read(run, "model", trace, NULL, NULL, &error);
	MUST(profile);
	struct database_content all = {.run = run,
		.analysis = account.analysis,
		.findings = profiling_put_findings,
		.profile = profile,
		.model = "model",
		.trace = "trace"};
	MUST(database_write(path, &all, &error));
	profile_free(profile);
	trace_close(trace);
	account_clear(&account);
	archive_remove(anchor);
	text_clear(&text);
}

static void begin(void)
{
	directory = scratch_new();
	path = in_directory("run.db");
	changed = in_directory("changed.db");
	make_profile();
	read_content();
	atexit(clean_up);
}

static void write_content(const uint8_t *data, size_t size)
{
	FILE *file = fopen(changed, "w");
	char *bytes = mem_copy(content.data, content.length);
	for (size_t n = 0; n < MOST_CHANGES && size >= 4; n++, data += 4, size -= 4) {
		size_t at = (data[1] << 8 | data[2]) % content.length;
		if (!(data[0] & 1))
			bytes[at] = (char)(bytes[at] ^ data[3]);
	}
	MUST(file && fwrite(bytes, 1, content.length, file) == content.length && !fclose(file));
	free(bytes);
}

static void set_column(sqlite3 *db, unsigned table, unsigned column, unsigned value)
{
	static const char *const tables[] = {
		"run", "statement", "process", "construct", "share", "link", "series", "finding", "timing"};
	static const char *const values[] = {"NULL", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e300",
		"''", "'text'", "x'00ff'", "'// tracenest 1'", "'0.0.0'", "4294967296", "1"};
	sqlite3_stmt *s = NULL;
	struct text sql = {0};
	text_format(&sql, "SELECT * FROM %s", tables[table % 9]);
	if (sqlite3_prepare_v2(db, sql.data, -1, &s, NULL) == SQLITE_OK && sqlite3_column_count(s)) {
		const char *name = sqlite3_column_name(s, (int)(column % (unsigned)sqlite3_column_count(s)));
		struct text update = {0};
		text_format(&update, "UPDATE OR IGNORE %s SET %s = %s", tables[table % 9], name, values[value % 13]);
		sqlite3_exec(db, update.data, NULL, NULL, NULL);
		text_clear(&update);
	}
	sqlite3_finalize(s);
	text_clear(&sql);
}

static void change_tables(const uint8_t *data, size_t size)
{
	sqlite3 *db = NULL;
	if (sqlite3_open_v2(changed, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
		sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL, NULL);
		for (size_t n = 0; n < MOST_CHANGES && size >= 4; n++, data += 4, size -= 4)
			if (data[0] & 1)
				set_column(db, data[1], data[2], data[3]);
	}
	sqlite3_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct account_options options = {ACCOUNT_OPTIONS};
	struct difference d;
	struct error error = {0};
	struct text page = {0};
	struct json json = {0};
	if (!directory)
		begin();
	write_content(data, size);
	change_tables(data, size);
	bool good = difference_read(&d, path, changed, &options, &error);
	MUST(good || (error.kind != ERROR_NONE && *error.message));
	if (good) {
		difference_print(&d, &page);
		difference_print_json(&d, &json);
	}
	difference_clear(&d);
	text_clear(&json.text);
	text_clear(&page);
	return 0;
}
