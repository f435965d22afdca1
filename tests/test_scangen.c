/*
 * test_scangen.c -- annotations, and scanners: generated, compiled, run, and held against a plain
 * reading.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "model/prepared.h"
#include "scangen/scangen.h"
#include "tests/archive.h"
#include "tests/models.h"
#include "tests/random_program.h"
#include "tests/rows.h"
#include "tests/unit.h"
#include "trace/trace.h"

/* ------------------------------------------------------------------ a plain reading */

struct values {
	uint64_t *time, *bytes;
	size_t length, time_capacity, bytes_capacity;
};

static bool keep_values(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	(void)error;
	struct values *v = &((struct values *)context)[rank];
	v->time = mem_grow(v->time, &v->time_capacity, v->length + 1, sizeof *v->time);
	v->bytes = mem_grow(v->bytes, &v->bytes_capacity, v->length + 1, sizeof *v->bytes);
	v->time[v->length] = e->time;
	v->bytes[v->length++] = e->bytes;
	return true;
}

static struct values *read_plainly(const char *path, uint32_t processes)
{
	struct error error = {0};
	struct values *values = mem_zero(processes * sizeof *values);
	struct trace *t = trace_open(path, NULL, &error);
	if (!t || !trace_read(t, 1, NULL, &(struct trace_sink){values, keep_values, NULL, NULL}, &error))
		CU_FAIL("the trace of a test cannot be read");
	trace_close(t);
	return values;
}

static void values_free(struct values *values, uint32_t processes)
{
	for (uint32_t i = 0; i < processes; i++) {
		free(values[i].time);
		free(values[i].bytes);
	}
	free(values);
}

/* ------------------------------------------------------------------ running a scanner */

struct scratch {
	char *directory;
	struct text source, program, records, index;
};

static struct scratch scratch_begin(void)
{
	struct scratch s = {.directory = scratch_new()};
	text_format(&s.source, "%s/scan.c", s.directory);
	text_format(&s.program, "%s/scan", s.directory);
	text_format(&s.records, "%s/records.csv", s.directory);
	text_format(&s.index, "%s/model.index", s.directory);
	return s;
}

static void scratch_end(struct scratch *s)
{
	text_clear(&s->source);
	text_clear(&s->program);
	text_clear(&s->records);
	text_clear(&s->index);
	scratch_remove(s->directory);
}

static void write_file(const char *path, const struct text *text)
{
	struct error error = {0};
	struct output *out = output_open(path, &error);
	if (!out)
		CU_FAIL_FATAL("a file cannot be written");
	output_write(out, text->data ? text->data : "", text->length);
	CU_ASSERT(output_close(out, &error));
}

static void read_file(const char *path, struct text *text)
{
	char buffer[1 << 14];
	FILE *file = fopen(path, "r");
	text_truncate(text, 0);
	text_add(text, "", 0);
	for (size_t got; file && (got = fread(buffer, 1, sizeof buffer, file));)
		text_add(text, buffer, got);
	if (file)
		fclose(file);
}

/* False if nothing is asked for. */
static bool make_scanner(const struct text *annotated, const struct scratch *s)
{
	struct error error = {0};
	struct scan_requests asked = {0};
	struct text program = {0};
	struct prepared *m = prepared_parse("test", annotated->data, annotated->length, &error);
	bool some = m && scan_requests_read(&asked, "test", annotated->data, annotated->length, &error) && asked.length;
	struct scangen_options options = {.model = "model", .index = s->index.data, .version = "test"};
	if (some && !scangen_write(m->run, &asked, &options, &program, &error))
		CU_FAIL("a scanner cannot be generated");
	if (some) {
		write_file(s->source.data, &program);
		if (!scangen_compile(s->source.data, s->program.data, NULL, &error))
			CU_FAIL("a scanner cannot be compiled");
	}
	if (error.kind != ERROR_NONE)
		printf("%s\n%s", error.message, annotated->data);
	text_clear(&program);
	scan_requests_clear(&asked);
	prepared_free(m);
	return some;
}

static int run_scanner(const struct scratch *s, const char *trace, const char *jobs, struct text *records)
{
	struct error error = {0};
	int status = -1;
	char *words[] = {s->program.data, (char *)trace, (char *)"-o", s->records.data, (char *)jobs, NULL};
	unlink(s->records.data);
	if (!scangen_run(s->program.data, words, -1, &status, &error))
		CU_FAIL("a scanner cannot be run");
	read_file(s->records.data, records);
	return status;
}

/* ------------------------------------------------------------------ random programs */

struct expecting {
	const struct values *values;
	struct text *out;
	uint32_t depth; /* indices in a line */
	uint32_t records;
};

static void expect_records(void *context, const struct random_program_visit *v)
{
	struct expecting *e = context;
	const struct values *values = &e->values[v->rank];
	size_t at = v->position < values->length ? (size_t)v->position : values->length - 1;
	for (size_t k = 0; k < v->annotations && values->length; k++) {
		text_format(e->out, strchr(v->label[k], ',') ? "\"%s\"," : "%s,", v->label[k]);
		uint32_t indices = 0;
		for (uint32_t d = 0; d < v->depth; d++)
			if (!(v->guards >> d & 1)) {
				text_format(e->out, "%" PRId64 ",", v->index[d]);
				indices++;
			}
		for (; indices < e->depth; indices++)
			text_char(e->out, ',');
		text_format(e->out, "%" PRIu32 ",%" PRIu64 "\n", v->rank,
			*v->attribute[k] == 't' ? values->time[at] : values->bytes[at]);
		e->records++;
	}
}

static void expect_all(const struct random_program *p, const struct values *values, struct text *out)
{
	struct expecting e = {.values = values, .out = out, .depth = (uint32_t)random_program_depth(p)};
	text_put(out, "label,");
	for (uint32_t d = 0; d < e.depth; d++)
		text_format(out, "i%" PRIu32 ",", d);
	text_put(out, "rank,value\n");
	for (uint32_t rank = 0; rank < PROGRAM_RANKS; rank++)
		random_program_run(p, rank, expect_records, &e);
}

static void put_text_event(void *context, const struct random_program_visit *v)
{
	if (v->event)
		text_format(context, "%s ; time=%" PRIu64 " bytes=%" PRIu64 "\n", v->event,
			v->rank * 1000003u + v->position * 10, v->position * 37 % 501);
}

/* Receives in a row are posted in their order, and completed in another, in one call. */
struct archiving {
	struct text *out;
	unsigned seed;
	uint32_t rank;
	unsigned peer[4], tag[4], waiting;
	uint64_t request;
};

static void complete_receives(struct archiving *a)
{
	unsigned order[4] = {0, 1, 2, 3};
	if (!a->waiting)
		return;
	for (unsigned i = a->waiting - 1; i; i--) {
		unsigned k = (unsigned)rand_r(&a->seed) % (i + 1), old = order[i];
		order[i] = order[k];
		order[k] = old;
	}
	for (unsigned i = 0; i < a->waiting; i++)
		text_format(a->out, "@%" PRIu32 " post %" PRIu64 "\n", a->rank, a->request + i);
	text_format(a->out, "@%" PRIu32 " enter 1\n", a->rank);
	for (unsigned i = 0; i < a->waiting; i++)
		text_format(a->out, "@%" PRIu32 " irecv %u 0 %u %" PRIu64 "\n", a->rank, a->peer[order[i]],
			a->tag[order[i]], a->request + order[i]);
	text_format(a->out, "@%" PRIu32 " leave 1\n", a->rank);
	a->request += a->waiting;
	a->waiting = 0;
}

static void put_archive_event(void *context, const struct random_program_visit *v)
{
	struct archiving *a = context;
	unsigned from, to, tag;
	if (!v->event)
		return;
	if (sscanf(v->event, "%u recv %u tag%u", &from, &to, &tag) == 3) {
		a->peer[a->waiting] = from;
		a->tag[a->waiting++] = tag;
		if (a->waiting == 4 || !(rand_r(&a->seed) % 3))
			complete_receives(a);
		return;
	}
	complete_receives(a);
	if (!(rand_r(&a->seed) % 4))
		text_format(a->out, "@%" PRIu32 " enter 2\n@%" PRIu32 " leave 2\n", v->rank, v->rank);
	if (sscanf(v->event, "%u send %u tag%u", &from, &to, &tag) == 3)
		text_format(a->out, "@%" PRIu32 " send %u 0 %u\n", v->rank, to, tag);
	else
		text_format(a->out, "@%" PRIu32 " collective 0 0 none\n", v->rank);
}

static void put_definitions(struct text *out, unsigned ranks)
{
	struct text members = {0};
	for (unsigned r = 0; r < ranks; r++) {
		text_format(out, "process %u\nlocation %u %u\n", r, r, r);
		text_format(&members, " %u", r);
	}
	text_format(out,
		"list 0 mpi%s\ngroup 1 mpi%s\ncomm 0 1 MPI_COMM_WORLD\nmpiregion 1 MPI_Waitall\nregion 2 work\n",
		members.data, members.data);
	for (unsigned r = 0; r < ranks; r++)
		text_format(out, "@%u enter 2\n@%u leave 2\n", r, r);
	text_clear(&members);
}

static char *write_archive(const struct random_program *p, unsigned seed)
{
	struct text text = {0};
	struct archiving a = {.out = &text, .seed = seed, .request = 1000};
	put_definitions(&text, PROGRAM_RANKS);
	for (a.rank = 0; a.rank < PROGRAM_RANKS; a.rank++) {
		random_program_run(p, a.rank, put_archive_event, &a);
		complete_receives(&a);
	}
	char *anchor = archive_write(text.data);
	text_clear(&text);
	return anchor;
}

static char *write_text_trace(const struct random_program *p, const struct scratch *s)
{
	struct text text = {0}, path = {0};
	text_format(&path, "%s/trace.ev", s->directory);
	/* The trace names every rank, as the model's header does. */
	for (uint32_t rank = PROGRAM_RANKS; rank-- > 0;)
		random_program_run(p, rank, put_text_event, &text);
	write_file(path.data, &text);
	text_clear(&text);
	return path.data;
}

static void count_event(void *context, const struct random_program_visit *v)
{
	*(uint64_t *)context += v->event != NULL;
}

/* A text trace without any is refused. */
static bool has_events(const struct random_program *p)
{
	uint64_t events = 0;
	for (uint32_t rank = 0; rank < PROGRAM_RANKS; rank++)
		random_program_run(p, rank, count_event, &events);
	return events;
}

/* Gives the number of records, 0 if the program was of no use. */
static size_t compare(unsigned seed, bool as_archive, size_t *failures)
{
	struct random_program *p =
		random_program_new(seed, (as_archive ? 0 : PROGRAM_LOCALS) | (seed / 2 % 4 ? PROGRAM_SETS : 0) |
						 (seed % 5 < 2 ? PROGRAM_IRREGULAR : 0));
	if (!has_events(p)) {
		random_program_free(p);
		return 0;
	}
	struct scratch s = scratch_begin();
	struct text annotated = {0}, wanted = {0}, have = {0};
	char *trace = as_archive ? write_archive(p, seed) : write_text_trace(p, &s);
	struct values *values = read_plainly(trace, PROGRAM_RANKS);
	size_t records = 0;
	random_program_print(p, true, &annotated);
	if (make_scanner(&annotated, &s)) {
		expect_all(p, values, &wanted);
		for (int again = 0; again < 2; again++) { /* the second time with the index of the first */
			int status = run_scanner(&s, trace, again ? "--jobs=1" : "--jobs=3", &have);
			bool bad = status || strcmp(have.data, wanted.data);
			*failures += bad;
			if (bad)
				printf("seed %u, status %d\n%s\nwanted\n%s\nhave\n%s\n", seed, status, annotated.data,
					wanted.data, have.data);
			CU_ASSERT_EQUAL(status, 0);
			CU_ASSERT_STRING_EQUAL(have.data, wanted.data);
		}
		for (const char *at = wanted.data; *at; at++)
			records += *at == '\n';
	}
	values_free(values, PROGRAM_RANKS);
	if (as_archive)
		archive_remove(trace);
	else
		free(trace);
	text_clear(&annotated);
	text_clear(&wanted);
	text_clear(&have);
	scratch_end(&s);
	random_program_free(p);
	return records;
}

static void test_random(void)
{
	size_t useful = 0, records = 0, failures = 0;
	for (unsigned seed = 0; useful < rounds(50); seed++) {
		size_t found = compare(seed, seed % 2, &failures);
		useful += found > 1;
		records += found;
		if (failures)
			break;
	}
	CU_ASSERT(records > 50);
}

/* ---------------------------------------------------------------- long streams: marks and leaps */

#define LONG_RANKS 3u
#define LONG_ITERATIONS 30000

/* In each iteration a rank posts two receives, sends two messages and completes the receives in
   turned order; one receive is open all the time. */
static char *write_long_archive(void)
{
	struct text text = {0};
	put_definitions(&text, LONG_RANKS);
	for (unsigned r = 0; r < LONG_RANKS; r++) {
		unsigned next = (r + 1) % LONG_RANKS, before = (r + LONG_RANKS - 1) % LONG_RANKS;
		text_format(&text, "@%u post 7\n", r);
		for (unsigned i = 0; i < LONG_ITERATIONS; i++)
			text_format(&text,
				"@%u post 100\n@%u post 101\n@%u send %u 0 1\n@%u send %u 0 2\n@%u enter 1\n@%u irecv %u 0 2 "
				"101\n@%u irecv %u 0 1 100\n@%u leave 1\n",
				r, r, r, next, r, next, r, r, before, r, before, r);
		text_format(&text, "@%u post 8\n@%u enter 1\n@%u irecv %u 0 8 8\n@%u irecv %u 0 7 7\n@%u leave 1\n", r,
			r, r, before, r, before, r);
	}
	char *anchor = archive_write(text.data);
	text_clear(&text);
	return anchor;
}

/* What is asked for, from the end of the stream and from 1/3 of it. */
static void expect_long(const struct values *v, struct text *out)
{
	text_put(out, "label,rank,value\n");
	for (uint32_t rank = 0; rank < LONG_RANKS; rank++) {
		text_format(out, "early,%" PRIu32 ",%" PRIu64 "\n", rank, v[rank].time[40001]);
		text_format(out, "back,%" PRIu32 ",%" PRIu64 "\n", rank, v[rank].bytes[77]);
		text_format(out, "late,%" PRIu32 ",%" PRIu64 "\n", rank, v[rank].time[119999]);
		text_format(out, "last,%" PRIu32 ",%" PRIu64 "\n", rank, v[rank].time[120001]);
	}
}

/* A program of a user's own: positions that no model gave, one of them behind another. */
static const char own_program[] =
	"#include <tracenest-scan.h>\n"
	"static void scan(struct scan *s)\n{\n"
	"\tscan_record(s, \"early\", 40001, SCAN_TIME, 0);\n\tscan_record(s, \"back\", 77, SCAN_BYTES, 0);\n"
	"\tscan_record(s, \"late\", 119999, SCAN_TIME, 0);\n\tscan_record(s, \"last\", 120002, SCAN_TIME, 0);\n}\n"
	"static void output(struct scan_output *out, const struct scan_record *r)\n{\n\tscan_put(out, r);\n}\n"
	"static const struct scan_events events[] = {{0, 2, %s}};\nstatic const uint32_t ranks[][2] = {{0, 2}};\n"
	"static const char *const attributes[] = {SCAN_TIME, SCAN_BYTES, NULL}, *const labels[] = {\"early\", NULL};\n"
	"int main(int argc, char **argv)\n{\n\tstatic const struct scan_program program = {.model = \"own\", .index = \"%s\", "
	".processes = 3,\n"
	"\t\t.events = events, .events_length = 1, .ranks = ranks, .ranks_length = 1, .attributes = attributes,\n"
	"\t\t.labels = labels, .reading = \"\", .scan = scan, .output = output};\n\treturn scan_main(&program, argc, argv);\n}\n";

static void make_own(const struct scratch *s, const char *events)
{
	struct error error = {0};
	struct text program = {0};
	text_format(&program, own_program, events, s->index.data);
	write_file(s->source.data, &program);
	if (!scangen_compile(s->source.data, s->program.data, NULL, &error))
		CU_FAIL_FATAL("a program of one's own cannot be compiled");
	text_clear(&program);
}

/* Times of marks that are not the stream's: they must not be believed. */
static void spoil_index(const struct scratch *s)
{
	struct text index = {0};
	read_file(s->index.data, &index);
	for (char *line = index.data; (line = strchr(line, '\n')) && line[1];) {
		line++;
		char *third = *line == 'r' ? NULL : strchr(strchr(line, ' ') + 1, ' ');
		if (third)
			third[1] = third[1] == '9' ? '8' : '9';
	}
	write_file(s->index.data, &index);
	text_clear(&index);
}

static void test_long(void)
{
	struct scratch s = scratch_begin();
	struct text wanted = {0}, have = {0}, junk = {0};
	char *trace = write_long_archive();
	struct values *values = read_plainly(trace, LONG_RANKS);
	CU_ASSERT_EQUAL_FATAL(values[0].length, 120002);
	expect_long(values, &wanted);
	make_own(&s, "120002");
	for (int round = 0; round < 4; round++) {
		if (round == 2)
			spoil_index(&s);
		if (round == 3) {
			text_put(&junk, "// tracenest index 1\n// reading \nrank 0 records 7");
			write_file(s.index.data, &junk);
		}
		CU_ASSERT_EQUAL(run_scanner(&s, trace, "--jobs=2", &have), 0);
		CU_ASSERT_STRING_EQUAL(have.data, wanted.data);
		CU_ASSERT(!access(s.index.data, R_OK));
	}
	make_own(&s, "120000"); /* another model's */
	CU_ASSERT_EQUAL(run_scanner(&s, trace, "--jobs=2", &have), 3);
	CU_ASSERT_EQUAL(have.length, 0);
	values_free(values, LONG_RANKS);
	archive_remove(trace);
	text_clear(&wanted);
	text_clear(&have);
	text_clear(&junk);
	scratch_end(&s);
}

/* ------------------------------------------------------------------ refusals */

#define HEAD "// tracenest 1\n// processes 3\n"

static const struct {
	const char *why, *text, *message;
} refusals[] = {
	{"nothing is asked for", HEAD "0 local a\n", "nothing is asked for"},
	{"a process without part in it", HEAD "get \"x\" {0,2}.time ->\n0 send 1 tag1\n",
		"test:3: get \"x\": statement 0 covers the processes 0, not 2"},
	{"nothing follows", HEAD "0 local a\nget \"x\" {0}.time ->\n",
		"test:4: '->' speaks of the construct behind it"},
	{"nothing before", HEAD "get \"x\" {0}.time <-\n0 local a\n", "test:3: '<-' speaks of the construct before it"},
	{"arrows crossed", HEAD "0 local a\nget \"x\" {0}.time ->\nget \"y\" {0}.time <-\n0 local a\n",
		"test:5: '<-' may not stand behind '->'"},
	{"never executed", HEAD "for a = 0 to -1\nget \"x\" {*}.time ->\n0 local a\ndone\n",
		"test:4: get \"x\": statement 0.0 is never executed"},
};

static void test_refusals(void)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		struct error error = {0};
		struct scan_requests asked = {0};
		struct text program = {0};
		const char *text = refusals[i].text;
		struct prepared *m = prepared_parse("test", text, strlen(text), &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		bool good = scan_requests_read(&asked, "test", text, strlen(text), &error) &&
			    scangen_write(m->run, &asked, &(struct scangen_options){.model = "test", .version = "test"},
				    &program, &error);
		row_contains(refusals[i].why, good ? "not refused" : error.message, refusals[i].message);
		text_clear(&program);
		scan_requests_clear(&asked);
		prepared_free(m);
	}
}

/* The shape of the paper's Figure 8. */
static void test_figure_8(void)
{
	static const char text[] = HEAD
		"0-2 sync MPI_Barrier 0-2\nfor i0 = 0 to 248\n  for i1 = 0 to 159\n    0-1 sync MPI_Barrier 0-2\n  done\n"
		"  get \"before\" {0,1}.time ->\n  for i1 = 0 to 159\n    0-2 sync MPI_Barrier 0-2\n  done\n"
		"  get \"after\" {0,1,2}.time <-\n  0-2 sync MPI_Barrier 0-2\ndone\n";
	static const char *const wanted[] = {"\tfor (int64_t i0 = 0; i0 <= 248; i0++) {\n"
					     "\t\tscan_start(s, \"before\", 1, i0); /* the start of 1.1 */\n"
					     "\t\tscan_value(s, 0, 161 + 321 * i0, SCAN_TIME);\n"
					     "\t\tscan_value(s, 1, 161 + 321 * i0, SCAN_TIME);\n"
					     "\t\tscan_end(s);\n"
					     "\t\tscan_start(s, \"after\", 1, i0); /* behind 1.1 */\n"
					     "\t\tscan_value(s, 0, 321 + 321 * i0, SCAN_TIME);\n"
					     "\t\tscan_value(s, 1, 321 + 321 * i0, SCAN_TIME);\n"
					     "\t\tscan_value(s, 2, 161 + 161 * i0, SCAN_TIME);\n"
					     "\t\tscan_end(s);\n\t}\n"};
	struct error error = {0};
	struct scan_requests asked = {0};
	struct text program = {0};
	struct prepared *m = prepared_parse("test", text, strlen(text), &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_FATAL(scan_requests_read(&asked, "test", text, strlen(text), &error));
	CU_ASSERT_FATAL(scangen_write(
		m->run, &asked, &(struct scangen_options){.model = "test", .version = "test"}, &program, &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(program.data, wanted[0]));
	text_clear(&program);
	scan_requests_clear(&asked);
	prepared_free(m);
}

void suite_scangen(CU_pSuite suite)
{
	CU_add_test(suite, "the program of Figure 8", test_figure_8);
	CU_add_test(suite, "annotations that speak of nothing", test_refusals);
	CU_add_test(suite, "a long stream: marks, leaps, ways back, spoiled indices", test_long);
	CU_add_test(suite, "random programs and annotations against a plain reading", test_random);
}
