/*
 * run_facts.c -- from an account of a trace, from the tables of a profile, or from a model.
 */
#include "report/run_facts.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "base/packed.h"
#include "lib/carried.h"
#include "model/module_address.h"
#include "profile/database.h"
#include "report/findings.h"

static struct run_construct *add(struct run_facts *r)
{
	r->construct = mem_grow(r->construct, &r->capacity, r->length + 1, sizeof *r->construct);
	r->construct[r->length] = (struct run_construct){.line = RUN_NOWHERE};
	return &r->construct[r->length++];
}

static void add_share(struct run_construct *c, uint32_t rank, double computation, double call)
{
	if (computation > 0 || call > 0)
		*MEM_PUSH(c->share, c->shares, c->share_capacity) = (struct run_share){rank, computation, call};
}

static void construct_clear(struct run_construct *c)
{
	free(c->name);
	free(c->loop);
	free(c->words);
	free(c->share);
	free(c->series);
	free(c->from);
}

void run_facts_clear(struct run_facts *r)
{
	for (size_t i = 0; i < r->length; i++)
		construct_clear(&r->construct[i]);
	free(r->construct);
	communication_free(r->totals);
	overview_clear(&r->lines);
	account_clear(&r->account);
	prepared_free(r->written);
	*r = (struct run_facts){0};
}

void run_facts_print_event(const struct run_facts *r, size_t line, struct text *out)
{
	node_print_event(r->program, r->lines.line[line].node, r->lines.line[line].loops, 0, out);
}

/* Iterations of different outermost loops are more of them. */
static bool in_one_loop(const struct run_construct *a, const struct run_construct *b)
{
	size_t n = a->loop ? strcspn(a->loop, ".") : 0;
	return !a->loop || !b->loop || (strcspn(b->loop, ".") == n && !strncmp(a->loop, b->loop, n));
}

static void take_in(struct run_construct *to, struct run_construct *from)
{
	if (from->path > to->path) {
		struct run_construct larger = *from;
		*from = *to;
		*to = larger;
	}
	to->iterations = !in_one_loop(to, from)              ? to->iterations + from->iterations
			 : from->iterations > to->iterations ? from->iterations
							     : to->iterations;
	for (size_t i = 0; i < RUN_CONSTRUCT_TIMES; i++)
		to->time[i] += from->time[i];
	for (size_t i = 0; i < RUN_CONSTRUCT_COUNTS; i++)
		to->count[i] += from->count[i];
	for (size_t i = 0; i < from->shares; i++)
		add_share(to, from->share[i].rank, from->share[i].computation, from->share[i].call);
	to->bins = 0; /* of which loop they would be is not known */
	construct_clear(from);
}

void run_facts_unite(struct run_facts *r, size_t first, size_t end)
{
	for (size_t i = first + 1; i < end; i++)
		take_in(&r->construct[first], &r->construct[i]);
	memmove(r->construct + first + 1, r->construct + end, (r->length - end) * sizeof *r->construct);
	r->length -= end - first - 1;
	r->construct[first].number = 0;
}

enum run_source run_source_of(const char *path)
{
	static const char begin[] = "// tracenest";
	if (database_is(path))
		return RUN_PROFILE;
	return file_begins(path, begin, sizeof begin - 1) || file_begins(path, PACKED_MARK, PACKED_MARK_LENGTH)
		       ? RUN_MODEL
		       : RUN_TRACE;
}

/* ------------------------------------------------------------------ a trace */

static void take_work(struct run_construct *to, const struct analysis_construct *c, double tick)
{
	const struct analysis_series *s = &c->series[0];
	for (uint32_t i = 0; i < c->shares; i++)
		add_share(to, c->share[i].rank, (double)c->share[i].work * tick, (double)c->share[i].call * tick);
	to->series = mem_array(s->bins + 1, sizeof *to->series);
	to->from = mem_array(s->bins + 1, sizeof *to->from);
	for (to->bins = 0; to->bins < s->bins && c->depth; to->bins++) {
		to->series[to->bins] = (double)(s->path_work[to->bins] + s->path_call[to->bins]) * tick;
		to->from[to->bins] = to->bins * s->width;
	}
}

static void take_construct(struct run_facts *r, const struct analysis *a, const struct analysis_construct *c)
{
	double tick = a->ticks_per_second ? 1 / (double)a->ticks_per_second : 1e-9;
	double part = tick / (a->processes ? a->processes : 1);
	struct run_construct *to = add(r);
	to->name = mem_text(c->name);
	to->loop = c->address ? mem_text(c->address) : NULL;
	to->iterations = c->depth ? c->series[0].iterations : 1;
	to->path = (double)(c->total.path_work + c->total.path_call) * tick;
	to->loss = (double)c->loss * part;
	to->imbalance = (double)c->imbalance * part;
	to->serialization = (double)c->serialization * part;
	to->transfer = (double)c->transfer * part;
	to->work = (double)c->total.work * tick;
	to->calls = c->total.calls;
	to->messages = c->messages;
	to->bytes = c->bytes;
	take_work(to, c, tick);
}

static void take_words(struct run_facts *r, const struct analysis *a)
{
	struct findings findings;
	findings_of(&findings, a);
	for (size_t i = 0; i < findings.length; i++) {
		const struct finding *f = &findings.finding[i];
		struct run_construct *c = &r->construct[f->construct - a->construct];
		struct text words = {0};
		if (c->words || f->share < FINDINGS_LEAST || (f->shared && !finding_accuses(f)))
			continue;
		finding_print(a, f, &words);
		c->words = words.data;
		c->accused = finding_accuses(f);
	}
	findings_clear(&findings);
}

static bool read_trace(
	struct run_facts *r, const char *path, bool times, const struct account_options *options, struct error *error)
{
	if (!times) {
		struct module *m = module_of_trace(path, &options->program, &r->account.facts, error);
		r->account.program = prepared_new(m, error);
		return r->account.program;
	}
	if (!account_read(&r->account, path, NULL, options, error))
		return false;
	const struct analysis *a = r->account.analysis;
	r->timed = true;
	r->processes = a->processes;
	r->run = (double)analysis_run(a) * (a->ticks_per_second ? 1 / (double)a->ticks_per_second : 1e-9);
	for (size_t i = 0; i < a->constructs; i++)
		take_construct(r, a, &a->construct[i]);
	take_words(r, a);
	return true;
}

/* ------------------------------------------------------------------ a model */

static bool read_model(struct run_facts *r, const char *path, struct error *error)
{
	struct module *text = module_read_one(path, error);
	if (text && !module_is_folded(text) && !(r->written = prepared_new(module_copy(text), error))) {
		module_free(text);
		return false;
	}
	r->account.program = prepared_new(module_carried_as_made(text, error), error);
	return r->account.program;
}

/* ------------------------------------------------------------------ a profile */

struct reading {
	sqlite3 *db;
	struct run_facts *run;
	const char *path;
	struct error *error;
};

static char *column_text(sqlite3_stmt *s, int column)
{
	const unsigned char *text = sqlite3_column_text(s, column);
	return text ? mem_text((const char *)text) : NULL;
}

static bool take_run(void *context, sqlite3_stmt *s)
{
	struct reading *x = context;
	int64_t processes = sqlite3_column_int64(s, 1);
	x->run->run = sqlite3_column_double(s, 0);
	if (processes < 0 || processes > sqlite3_column_int64(s, 2))
		return error_set(x->error, ERROR_INPUT,
			"%s: not a profile that can be read: it is of %" PRId64 " processes, and holds %" PRId64,
			x->path, processes, (int64_t)sqlite3_column_int64(s, 2));
	x->run->processes = (uint32_t)processes;
	return true;
}

static bool refuse_learned(void *context, sqlite3_stmt *s)
{
	(void)s;
	struct reading *x = context;
	return error_set(x->error, ERROR_INPUT,
		"%s: a profile that was learned without an archive: it has the times of statements, and not who waited for whom: record without --no-archive",
		x->path);
}

static bool take_row(void *context, sqlite3_stmt *s)
{
	struct reading *x = context;
	struct run_construct *c = add(x->run);
	c->name = mem_text(database_words(s, 0));
	c->loop = column_text(s, 1);
	c->iterations = (uint64_t)sqlite3_column_int64(s, 2);
	c->words = column_text(s, 3);
	c->accused = sqlite3_column_int(s, 4);
	for (int i = 0; i < RUN_CONSTRUCT_TIMES; i++)
		c->time[i] = sqlite3_column_double(s, 5 + i);
	for (int i = 0; i < RUN_CONSTRUCT_COUNTS; i++)
		c->count[i] = (uint64_t)sqlite3_column_int64(s, 5 + RUN_CONSTRUCT_TIMES + i);
	return true;
}

/* The construct of a row: they are numbered from 0. */
static struct run_construct *construct_of(struct reading *x, sqlite3_stmt *s)
{
	int64_t id = sqlite3_column_int64(s, 0);
	return id >= 0 && (uint64_t)id < x->run->length ? &x->run->construct[id] : NULL;
}

static bool take_share(void *context, sqlite3_stmt *s)
{
	struct reading *x = context;
	struct run_construct *c = construct_of(x, s);
	int64_t rank = sqlite3_column_int64(s, 1);
	if (c && rank >= 0 && rank < x->run->processes)
		add_share(c, (uint32_t)rank, sqlite3_column_double(s, 2), sqlite3_column_double(s, 3));
	return true;
}

static bool take_bin(void *context, sqlite3_stmt *s)
{
	struct reading *x = context;
	struct run_construct *c = construct_of(x, s);
	if (!c)
		return true;
	c->series = mem_resize(c->series, c->bins + 1, sizeof *c->series);
	c->from = mem_resize(c->from, c->bins + 1, sizeof *c->from);
	c->from[c->bins] = (uint64_t)sqlite3_column_int64(s, 1);
	c->series[c->bins++] = sqlite3_column_double(s, 2);
	return true;
}

/* The model that the profile holds. */
static bool take_program(void *context, sqlite3_stmt *s)
{
	struct reading *x = context;
	const char *text = (const char *)sqlite3_column_text(s, 0);
	if (!text)
		return true;
	struct module *m = module_parse_one(x->path, text, (size_t)sqlite3_column_bytes(s, 0), x->error);
	x->run->account.program = prepared_new(m, x->error);
	return x->run->account.program;
}

static bool each_row(struct reading *x, const char *sql, bool (*take)(void *context, sqlite3_stmt *))
{
	return database_rows(x->db, x->path, sql, take, x, x->error);
}

#define TEXT_OF(number) #number
#define AS_TEXT(number) TEXT_OF(number)

/* Of findings, those that take_words takes. */
static bool read_tables(struct reading *x)
{
	return each_row(x, "SELECT value FROM run WHERE key = 'learned'", refuse_learned) &&
	       each_row(x,
		       "SELECT (SELECT value FROM run WHERE key = 'run') * tick,"
		       " (SELECT value FROM run WHERE key = 'processes'), (SELECT count(*) FROM process) FROM seconds",
		       take_run) &&
	       each_row(x,
		       "SELECT name, loop, c.iterations, words, accuses, (path_work + path_call) * tick, loss * tick,"
		       " imbalance * tick, serialization * tick, transfer * tick, work * tick, calls, messages, bytes"
		       " FROM seconds, construct c LEFT JOIN finding ON place ="
		       " (SELECT min(place) FROM finding WHERE construct = c.id AND share >= " AS_TEXT(
			       FINDINGS_LEAST) " AND (accuses OR kind <> 'slow iterations')) ORDER BY c.id",
		       take_row) &&
	       each_row(x, "SELECT construct, rank, work * tick, call * tick FROM share, seconds", take_share) &&
	       each_row(x,
		       "SELECT construct, iteration, (s.path_work + s.path_call) * tick FROM series s JOIN construct c ON c.id = construct,"
		       " seconds WHERE s.depth = 0 AND loop IS NOT NULL ORDER BY construct, iteration",
		       take_bin) &&
	       each_row(x, "SELECT value FROM run WHERE key = 'program'", take_program);
}

static bool read_profile(struct run_facts *r, const char *path, struct error *error)
{
	struct reading x = {.db = database_open(path, error), .run = r, .path = path, .error = error};
	if (!x.db)
		return false;
	bool good = read_tables(&x) &&
		    (r->processes || error_set(error, ERROR_INPUT,
					     "%s: a profile of several numbers of processes: it is of no run", path));
	r->timed = true;
	database_close(x.db);
	return good;
}

/* ------------------------------------------------------------------ any of them */

static int by_name(const void *left, const void *right)
{
	const struct run_construct *a = left, *b = right;
	int order = strcmp(a->name, b->name);
	return order ? order : strverscmp(a->loop ? a->loop : "", b->loop ? b->loop : ""); /* "2.10" after "2.9" */
}

static void put_in_order(struct run_facts *r)
{
	if (r->length)
		qsort(r->construct, r->length, sizeof *r->construct, by_name);
	for (size_t i = 1; i < r->length; i++)
		if (!strcmp(r->construct[i].name, r->construct[i - 1].name))
			r->construct[i].number = r->construct[i - 1].number + 1;
}

static void find_loops(struct run_facts *r)
{
	struct error ignored = {0};
	uint64_t line;
	for (size_t i = 0; i < r->length; i++)
		if (r->construct[i].loop && module_find(r->program, r->construct[i].loop, &line, &ignored))
			r->construct[i].line = line;
}

bool run_facts_read(
	struct run_facts *r, const char *path, bool times, const struct account_options *options, struct error *error)
{
	*r = (struct run_facts){.path = path, .source = run_source_of(path)};
	bool good = r->source == RUN_MODEL     ? read_model(r, path, error)
		    : r->source == RUN_PROFILE ? read_profile(r, path, error)
					       : read_trace(r, path, times, options, error);
	if (!good)
		return false;
	put_in_order(r);
	if (!r->account.program)
		return true;
	r->program = r->account.program->module;
	r->processes = r->timed ? r->processes : r->program->processes;
	r->totals = communication_of_lines(r->account.program->run, false, error);
	if (!r->totals)
		return error_at(error, "%s", path);
	overview_of(&r->lines, r->account.program->run);
	find_loops(r);
	return true;
}
