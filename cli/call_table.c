/*
 * call_table.c -- the columns of a row, and those that --values adds.
 */
#include "cli/call_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/parquet.h"
#include "cli/cautions.h"
#include "cli/idle.h"
#include "trace/call_rows.h"
#include "trace/event_values.h"

#define PIECE (size_t)(1 << 16) /* bytes gathered before they are written */

enum { RANK, THREAD, FUNCTION, PEER, TAG, COMMUNICATOR, BYTES, BEGIN, END, SITE, PATH, EVENT, OWN_COLUMNS };

static const struct parquet_column own[OWN_COLUMNS] = {[RANK] = {"rank", PARQUET_INTEGER},
	[THREAD] = {"thread", PARQUET_INTEGER},
	[FUNCTION] = {"function", PARQUET_WORD},
	[PEER] = {"peer", PARQUET_INTEGER},
	[TAG] = {"tag", PARQUET_INTEGER},
	[COMMUNICATOR] = {"communicator", PARQUET_WORD},
	[BYTES] = {"bytes", PARQUET_INTEGER},
	[BEGIN] = {"begin", PARQUET_FIGURE},
	[END] = {"end", PARQUET_FIGURE},
	[SITE] = {"site", PARQUET_WORD},
	[PATH] = {"path", PARQUET_WORD},
	[EVENT] = {"event", PARQUET_WORD}};

struct table {
	struct trace *trace;
	struct output *out;
	struct parquet_column *column; /* the own ones, and: */
	size_t columns, capacity;
	char *names; /* of the others */
	struct parquet *parquet; /* NULL: CSV */
	struct text line;
	uint64_t rows;
};

/* ------------------------------------------------------------------ the columns */

static bool add_column(struct table *t, const char *name, struct error *error)
{
	for (size_t i = 0; i < t->columns; i++)
		if (!strcmp(t->column[i].name, name))
			return error_set(error, ERROR_INPUT, "--values: '%s' is a column already", name);
	*MEM_PUSH(t->column, t->columns, t->capacity) =
		(struct parquet_column){name, strcmp(name, "received") ? PARQUET_WORD : PARQUET_INTEGER};
	return true;
}

static bool list_columns(struct table *t, const char *values, struct error *error)
{
	for (size_t i = 0; i < OWN_COLUMNS; i++)
		*MEM_PUSH(t->column, t->columns, t->capacity) = own[i];
	if (!values || event_values_asks_none(values))
		return true;
	if (!strcmp(values, "all"))
		return error_set(error, ERROR_INPUT,
			"--values all: a table needs the names of its columns, as in --values received,type,count");
	t->names = mem_text(values);
	for (char *rest, *name = strtok_r(t->names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		if (!add_column(t, name, error))
			return false;
	return true;
}

/* ------------------------------------------------------------------ a row */

static void put_time(const struct table *t, uint64_t ticks, struct text *out)
{
	call_rows_put_seconds(trace_facts(t->trace), ticks, out);
}

/* "7"; of text traces, whose tags may be words: "halo7". */
static bool put_tag(const struct call_row *r, struct text *out)
{
	bool plain = r->numbered && (!*r->tag || !strcmp(r->tag, "tag"));
	text_put_csv(out, plain ? "" : r->tag);
	if (r->numbered)
		text_number(out, r->number);
	return plain;
}

static void put_communicator(const struct call_row *r, struct text *out)
{
	if (r->communicator == NO_COMMUNICATOR)
		text_put(out, "world");
	else
		text_integer(out, r->communicator);
}

static void put_value(const struct call_row *r, const char *name, struct text *out)
{
	char digits[EVENT_VALUES_DIGITS];
	const struct trace_event carried = {.exchanged = r->exchanged,
		.received = r->received,
		.attribute = r->attribute,
		.attribute_count = r->attributes};
	struct attribute_value v = event_values_value(&carried, name, strlen(name), digits);
	if (v.there && v.word)
		text_put(out, v.word);
	else if (v.there)
		text_integer(out, v.number);
}

static void put_csv_row(struct table *t, const struct call_row *r)
{
	struct text *out = &t->line, word = {0};
	text_format(out, "%" PRIu32 ",%" PRIu32 ",", r->rank, r->thread);
	text_put_csv(out, r->function ? r->function : "");
	text_char(out, ',');
	if (r->peer != CALL_ROW_NOBODY)
		text_number(out, r->peer);
	text_char(out, ',');
	if (r->tag)
		put_tag(r, out);
	text_char(out, ',');
	if (r->passes)
		put_communicator(r, out);
	text_char(out, ',');
	if (r->sized)
		text_number(out, r->bytes);
	text_char(out, ',');
	if (r->begun)
		put_time(t, r->begin, out);
	text_char(out, ',');
	if (r->ended)
		put_time(t, r->end, out);
	text_char(out, ',');
	text_put_csv(out, r->site ? r->site : "");
	text_char(out, ',');
	text_put_csv(out, r->path ? r->path : "");
	text_char(out, ',');
	text_put_csv(out, r->event ? r->event : "");
	for (size_t i = OWN_COLUMNS; i < t->columns; i++) {
		text_truncate(&word, 0);
		put_value(r, t->column[i].name, &word);
		text_char(out, ',');
		text_put_csv(out, word.length ? word.data : "");
	}
	text_clear(&word);
	text_char(out, '\n');
}

static bool put_parquet_tag(struct table *t, const struct call_row *r, struct error *error)
{
	struct text word = {0};
	bool plain = put_tag(r, &word);
	if (plain)
		parquet_integer(t->parquet, TAG, (int64_t)r->number);
	else
		error_set(error, ERROR_INPUT,
			"the tag '%s' is a word, and the column of Parquet is one of numbers: --csv has both",
			word.data);
	text_clear(&word);
	return plain;
}

static void put_parquet_value(struct table *t, const struct call_row *r, size_t column)
{
	struct text word = {0};
	if (t->column[column].type == PARQUET_INTEGER) {
		if (r->exchanged)
			parquet_integer(t->parquet, column, (int64_t)r->received);
		return;
	}
	put_value(r, t->column[column].name, &word);
	if (word.length)
		parquet_word(t->parquet, column, word.data);
	text_clear(&word);
}

static bool put_parquet_row(struct table *t, const struct call_row *r, struct error *error)
{
	const struct trace_facts *facts = trace_facts(t->trace);
	struct parquet *p = t->parquet;
	struct text word = {0};
	parquet_integer(p, RANK, r->rank);
	parquet_integer(p, THREAD, r->thread);
	if (r->function)
		parquet_word(p, FUNCTION, r->function);
	if (r->peer != CALL_ROW_NOBODY)
		parquet_integer(p, PEER, r->peer);
	if (r->tag && !put_parquet_tag(t, r, error))
		return false;
	if (r->passes) {
		put_communicator(r, &word);
		parquet_word(p, COMMUNICATOR, word.data);
		text_clear(&word);
	}
	if (r->sized)
		parquet_integer(p, BYTES, (int64_t)r->bytes);
	if (r->begun)
		parquet_figure(p, BEGIN, call_rows_seconds(facts, r->begin));
	if (r->ended)
		parquet_figure(p, END, call_rows_seconds(facts, r->end));
	if (r->site)
		parquet_word(p, SITE, r->site);
	if (r->path)
		parquet_word(p, PATH, r->path);
	if (r->event)
		parquet_word(p, EVENT, r->event);
	for (size_t i = OWN_COLUMNS; i < t->columns; i++)
		put_parquet_value(t, r, i);
	parquet_end_row(p);
	return true;
}

static bool put_row(void *context, const struct call_row *r, struct error *error)
{
	struct table *t = context;
	t->rows++;
	if (t->parquet && !put_parquet_row(t, r, error))
		return false;
	if (!t->parquet)
		put_csv_row(t, r);
	if (t->line.length >= PIECE)
		output_text(t->out, &t->line);
	if (!output_failed(t->out))
		return true;
	error->kind = ERROR_NONE; /* why it failed is output_close's to say */
	return false;
}

/* ------------------------------------------------------------------ the table */

static void begin_table(struct table *t, bool parquet)
{
	if (parquet) {
		output_raw(t->out);
		t->parquet = parquet_new(t->column, t->columns, t->out);
		return;
	}
	for (size_t i = 0; i < t->columns; i++) {
		text_put(&t->line, i ? "," : "");
		text_put_csv(&t->line, t->column[i].name);
	}
	text_char(&t->line, '\n');
}

static bool print_rows(struct table *t, const struct settings *settings, struct report *report, struct error *error)
{
	const struct ranks *wanted = settings->ranks.length ? &settings->ranks : NULL;
	const struct trace_facts *facts = trace_facts(t->trace);
	struct progress progress = {0};
	struct call_rows_sink sink = {t, put_row, &progress};
	if (settings->output || !isatty(STDOUT_FILENO)) /* printed while they are read */
		progress = report_listens(report);
	if (facts->archive && !selection_exists(settings, facts->processes, error))
		return false;
	struct call_rows *rows = call_rows_new(t->trace);
	progress_begin(&progress, "reading");
	bool good = call_rows_read(rows, wanted, &sink, error) || output_failed(t->out);
	output_text(t->out, &t->line);
	call_rows_free(rows);
	return good && (facts->archive || output_failed(t->out) || selection_exists(settings, facts->processes, error));
}

bool call_table_print(const struct settings *settings, struct report *report, struct error *error)
{
	struct table t = {0};
	struct trace_options options = {0};
	struct missing_records missing = {0};
	if (settings->parquet && settings->csv)
		return error_set(error, ERROR_INPUT, "--csv and --parquet exclude each other");
	if (settings->parquet && (!settings->output || !strcmp(settings->output, "-")))
		return error_set(error, ERROR_INPUT, "--parquet: name the file with -o, as in -o calls.parquet");
	bool good = settings_trace(settings, NULL, &options, error) && list_columns(&t, settings->values, error);
	call_rows_options(&options);
	t.trace = good ? trace_open(settings->argument[0], &options, error) : NULL;
	t.out = t.trace ? output_open(settings->output, error) : NULL;
	if (t.out) {
		begin_table(&t, settings->parquet);
		good = print_rows(&t, settings, report, error);
		if (t.parquet)
			parquet_finish(t.parquet);
		good = output_finish(t.out, good, error);
	}
	good = good && t.out;
	if (good) {
		trace_missing_records(t.trace, &missing);
		missing_records_say(report, &missing);
		missing_records_clear(&missing);
		idle_say(report, settings, OPTIONS(OPTION_EVENTS, OPTION_ORDER),
			"a table has the calls of MPI, and what each completed as recorded");
		idle_say(report, settings, OPTIONS(OPTION_WHEN), "a table has the times of all calls");
		report_close_long(report, t.rows);
	}
	trace_close(t.trace);
	text_clear(&t.line);
	free(t.column);
	free(t.names);
	return good;
}
