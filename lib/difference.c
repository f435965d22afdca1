/*
 * difference.c -- facts of two runs, matched by names.
 */
#include "lib/difference.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lib/database.h"
#include "time/findings.h"

/* Of the longer run: run times that differ by less do not stand out. */
#define LEAST 0.02
#define ROWS 12

/* ------------------------------------------------------------------ one run */

static struct run_construct *add(struct run_facts *r)
{
	r->construct = mem_grow(r->construct, &r->capacity, r->length + 1, sizeof *r->construct);
	r->construct[r->length] = (struct run_construct){0};
	return &r->construct[r->length++];
}

static void clear_run(struct run_facts *r)
{
	for (size_t i = 0; i < r->length; i++) {
		free(r->construct[i].name);
		free(r->construct[i].loop);
		free(r->construct[i].words);
	}
	free(r->construct);
}

static void take_construct(struct run_facts *r, const struct analysis *a, const struct analysis_construct *c)
{
	double tick = a->ticks_per_second ? 1 / (double)a->ticks_per_second : 1e-9;
	struct run_construct *to = add(r);
	to->name = mem_text(c->name);
	to->loop = c->address ? mem_text(c->address) : NULL;
	to->iterations = c->depth ? c->series[0].iterations : 1;
	to->path = (double)(c->total.path_work + c->total.path_call) * tick;
	to->loss = (double)c->loss / (a->processes ? a->processes : 1) * tick;
	to->calls = c->total.calls;
	for (size_t i = 0; i < c->links; i++) {
		to->messages += c->link[i].messages;
		to->bytes += c->link[i].bytes;
	}
}

static bool is_model(const char *path)
{
	static const char begin[] = "// tracenest";
	char line[sizeof begin] = "";
	FILE *file = fopen(path, "r");
	bool is = file && fgets(line, sizeof line, file) && !strcmp(line, begin);
	if (file)
		fclose(file);
	return is;
}

static bool read_trace(
	struct run_facts *r, const char *path, const struct account_options *options, struct error *error)
{
	struct account account;
	struct findings findings;
	if (is_model(path))
		return error_set(error, ERROR_INPUT, "%s: a model holds no times: name its trace, or a profile", path);
	if (!account_read(&account, path, NULL, options, error)) {
		account_clear(&account);
		return false;
	}
	const struct analysis *a = account.analysis;
	r->processes = a->processes;
	r->run = (double)analysis_run(a) * (a->ticks_per_second ? 1 / (double)a->ticks_per_second : 1e-9);
	for (size_t i = 0; i < a->constructs; i++)
		take_construct(r, a, &a->construct[i]);
	findings_of(&findings, a);
	for (size_t i = 0; i < findings.length; i++) {
		struct run_construct *c = &r->construct[findings.finding[i].construct - a->construct];
		struct text words = {0};
		if (c->words || !finding_accuses(&findings.finding[i]))
			continue;
		finding_print(a, &findings.finding[i], &words);
		c->words = words.data;
	}
	findings_clear(&findings);
	account_clear(&account);
	return true;
}

static char *column_text(sqlite3_stmt *s, int column)
{
	const unsigned char *text = sqlite3_column_text(s, column);
	return text ? mem_text((const char *)text) : NULL;
}

static bool read_database(struct run_facts *r, const char *path, struct error *error)
{
	static const char run[] = "SELECT (SELECT value FROM run WHERE key = 'run') * tick,"
				  " (SELECT value FROM run WHERE key = 'processes') FROM seconds";
	static const char constructs[] =
		"SELECT name, loop, iterations, (path_work + path_call) * tick, loss * tick, calls, messages, bytes,"
		" (SELECT words FROM finding WHERE construct = c.id AND accuses ORDER BY place LIMIT 1)"
		" FROM construct c, seconds ORDER BY id";
	sqlite3 *db = database_open(path, error);
	sqlite3_stmt *s = NULL;
	if (!db)
		return false;
	bool good = sqlite3_prepare_v2(db, run, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;
	if (good) {
		r->run = sqlite3_column_double(s, 0);
		r->processes = (uint32_t)sqlite3_column_int(s, 1);
	}
	sqlite3_finalize(s);
	s = NULL;
	good = good && sqlite3_prepare_v2(db, constructs, -1, &s, NULL) == SQLITE_OK;
	while (good && sqlite3_step(s) == SQLITE_ROW) {
		struct run_construct *c = add(r);
		char *name = column_text(s, 0);
		c->name = name ? name : mem_text("");
		c->loop = column_text(s, 1);
		c->iterations = (uint64_t)sqlite3_column_int64(s, 2);
		c->path = sqlite3_column_double(s, 3);
		c->loss = sqlite3_column_double(s, 4);
		c->calls = (uint64_t)sqlite3_column_int64(s, 5);
		c->messages = (uint64_t)sqlite3_column_int64(s, 6);
		c->bytes = (uint64_t)sqlite3_column_int64(s, 7);
		c->words = column_text(s, 8);
	}
	if (!good)
		error_set(error, ERROR_INPUT, "%s: not a profile that can be read: %s", path, sqlite3_errmsg(db));
	sqlite3_finalize(s);
	database_close(db);
	return good;
}

/* ------------------------------------------------------------------ matching */

/* "2.10" after "2.9". */
static int compare_addresses(const char *a, const char *b)
{
	while (a && b && *a && *b) {
		char *after_a, *after_b;
		unsigned long x = strtoul(a, &after_a, 10), y = strtoul(b, &after_b, 10);
		if (x != y)
			return x < y ? -1 : 1;
		a = after_a + (*after_a == '.');
		b = after_b + (*after_b == '.');
	}
	return (a && *a) - (b && *b);
}

static int by_name(const void *left, const void *right)
{
	const struct run_construct *a = left, *b = right;
	int order = strcmp(a->name, b->name);
	return order ? order : compare_addresses(a->loop, b->loop);
}

static void put_in_order(struct run_facts *r)
{
	if (r->length)
		qsort(r->construct, r->length, sizeof *r->construct, by_name);
	for (size_t i = 1; i < r->length; i++)
		if (!strcmp(r->construct[i].name, r->construct[i - 1].name))
			r->construct[i].number = r->construct[i - 1].number + 1;
}

static int largest_first(const void *left, const void *right)
{
	const struct difference_row *a = left, *b = right;
	if (fabs(a->change) != fabs(b->change))
		return fabs(a->change) > fabs(b->change) ? -1 : 1;
	if (a->in[0] != b->in[0])
		return a->in[0] < b->in[0] ? -1 : 1;
	return (a->in[1] > b->in[1]) - (a->in[1] < b->in[1]);
}

static int compare(const struct run_construct *a, const struct run_construct *b)
{
	int order = strcmp(a->name, b->name);
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static void match(struct difference *d)
{
	const struct run_facts *a = &d->run[0], *b = &d->run[1];
	d->row = mem_array(a->length + b->length + 1, sizeof *d->row);
	for (size_t i = 0, k = 0; i < a->length || k < b->length;) {
		int order = i == a->length ? 1 : k == b->length ? -1 : compare(&a->construct[i], &b->construct[k]);
		struct difference_row *row = &d->row[d->rows++];
		*row = (struct difference_row){{DIFFERENCE_NONE, DIFFERENCE_NONE}, 0};
		d->structure |= order != 0;
		if (order <= 0) {
			row->change -= a->construct[i].path;
			row->in[0] = i++;
		}
		if (order >= 0) {
			row->change += b->construct[k].path;
			row->in[1] = k++;
		}
		if (order == 0) {
			const struct run_construct *x = &a->construct[i - 1], *y = &b->construct[k - 1];
			d->structure |= x->calls != y->calls || x->messages != y->messages || x->bytes != y->bytes ||
					x->iterations != y->iterations;
		}
	}
	qsort(d->row, d->rows, sizeof *d->row, largest_first);
}

bool difference_read(struct difference *d, const char *first, const char *second, const struct account_options *options,
	struct error *error)
{
	*d = (struct difference){.name = {first, second}};
	for (size_t i = 0; i < 2; i++) {
		bool good = database_is(d->name[i]) ? read_database(&d->run[i], d->name[i], error)
						    : read_trace(&d->run[i], d->name[i], options, error);
		if (!good)
			return false;
		put_in_order(&d->run[i]);
	}
	match(d);
	d->structure |= d->run[0].processes != d->run[1].processes;
	return true;
}

void difference_clear(struct difference *d)
{
	clear_run(&d->run[0]);
	clear_run(&d->run[1]);
	free(d->row);
	*d = (struct difference){0};
}

/* ------------------------------------------------------------------ the page */

static const struct run_construct *construct_of(
	const struct difference *d, const struct difference_row *row, size_t side)
{
	return row->in[side] == DIFFERENCE_NONE ? NULL : &d->run[side].construct[row->in[side]];
}

/* The change that says most of why one takes longer: the largest in that direction. */
static const struct difference_row *leading(const struct difference *d, size_t longer)
{
	for (size_t i = 0; i < d->rows; i++)
		if ((d->row[i].change > 0) == (longer == 1) && d->row[i].change != 0)
			return &d->row[i];
	return NULL;
}

static void put_cause(const struct difference *d, const struct difference_row *row, size_t longer, struct text *out)
{
	const struct run_construct *c = construct_of(d, row, longer);
	const char *place = c->words ? strstr(c->words, " is lost in ") : NULL;
	text_put(out, ": ");
	put_seconds(out, fabs(row->change));
	text_put(out, " of it in ");
	if (place) { /* its place and kind, and two more lines */
		text_put(out, place + strlen(" is lost in "));
		return;
	}
	text_put(out, c->name);
	if (c->loop)
		text_format(out, " (loop %s, %" PRIu64 " iterations)", c->loop, c->iterations);
	text_put(out, "\n  nobody in particular: all that compute in it, or wait\n  iterations: all\n");
}

static void put_lead(const struct difference *d, struct text *out)
{
	double a = d->run[0].run, b = d->run[1].run, longest = a > b ? a : b;
	size_t longer = b >= a;
	const struct difference_row *row = leading(d, longer);
	if (!d->structure && (!row || a == b)) {
		text_put(out, "Nothing differs.\n");
		return;
	}
	if (fabs(b - a) < LEAST * longest || !row) {
		text_put(out, "Nothing stands out: run times ");
		put_seconds(out, a);
		text_put(out, " and ");
		put_seconds(out, b);
		text_format(out, "%s\n", d->structure ? "; the programs differ" : "");
		return;
	}
	text_format(out, "%s takes %.1f %% longer (", d->name[longer], 100 * fabs(b - a) / (longer ? a : b));
	put_seconds(out, longer ? a : b);
	text_put(out, " -> ");
	put_seconds(out, longer ? b : a);
	text_char(out, ')');
	put_cause(d, row, longer, out);
}

static void put_number(uint64_t a, uint64_t b, struct text *out)
{
	if (a == b)
		text_format(out, " %15" PRIu64, b);
	else
		text_format(out, " %7" PRIu64 ">%7" PRIu64, a, b);
}

static void put_row(const struct difference *d, const struct difference_row *row, struct text *out)
{
	static const struct run_construct none = {0};
	const struct run_construct *a = construct_of(d, row, 0), *b = construct_of(d, row, 1), *any = b ? b : a;
	text_format(out, "%+10.3f %10.3f %10.3f %+10.3f", 1e3 * row->change, 1e3 * (a ? a->path : 0),
		1e3 * (b ? b->path : 0), 1e3 * ((b ? b->loss : 0) - (a ? a->loss : 0)));
	put_number((a ? a : &none)->calls, (b ? b : &none)->calls, out);
	text_format(out, "  %-6s %s%s\n", any->loop ? any->loop : "-", any->name,
		!a   ? " (only in the second)"
		: !b ? " (only in the first)"
		     : "");
}

void difference_print(const struct difference *d, struct text *out)
{
	double others = 0;
	put_lead(d, out);
	text_format(out, "%10s %10s %10s %10s %15s  %-6s %s\n", "change, ms", "first", "second", "loss", "calls",
		"loop", "region");
	for (size_t i = 0; i < d->rows; i++)
		if (i < ROWS)
			put_row(d, &d->row[i], out);
		else
			others += d->row[i].change;
	if (d->rows > ROWS)
		text_format(out, "%+10.3f %43s %zu others\n", 1e3 * others, "", d->rows - ROWS);
	text_format(out, "%+10.3f %10.3f %10.3f of the run time; %" PRIu32 " and %" PRIu32 " processes\n",
		1e3 * (d->run[1].run - d->run[0].run), 1e3 * d->run[0].run, 1e3 * d->run[1].run, d->run[0].processes,
		d->run[1].processes);
}
