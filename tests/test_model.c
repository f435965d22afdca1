/*
 * test_model.c -- models: their text, their parts, and what each process executes of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "merge/merge.h"
#include "model/lines.h"
#include "model/model.h"
#include "model/module_of_model.h"
#include "model/module_parts.h"
#include "tests/executed.h"
#include "tests/models.h"
#include "tests/nest_coverage.h"
#include "tests/rows.h"
#include "tests/unit.h"

static struct model *parse(const char *text, struct error *error)
{
	*error = (struct error){0};
	return model_parse("m", text, strlen(text), error);
}

static void check_printed(const char *why, const struct model *m, const char *want)
{
	struct text out = {0};
	model_print_text(m, &out);
	row_same(why, out.data, want);
	text_clear(&out);
}

/* ------------------------------------------------------------------ what is read */

#define HEAD "// tracenest 1\n// processes 4\n"

static const struct {
	const char *why, *text, *printed; /* behind the header that HEAD and the number of events give */
} readable[] = {
	{"no listing", HEAD, "// events 0\n"},
	{"an event", HEAD "0 send 1 tag1\n", "// events 1\n0 send 1 tag1\n"},
	{"a last line without its end", HEAD "0 send 1 tag1", "// events 1\n0 send 1 tag1\n"},
	{"lines as another system ends them", "// tracenest 1\r\n// processes 4\r\n0 send 1 tag1\r\n",
		"// events 1\n0 send 1 tag1\n"},
	{"blank lines and indentation", "\n \n// tracenest 1\n\n\t// processes 4\n\n   0 send 1 tag1\n\n",
		"// events 1\n0 send 1 tag1\n"},
	{"slashes without a blank", "//tracenest 1\n//processes 4\n", "// events 0\n"},
	{"a loop", HEAD "for i0 = 0 to 9\n0 send 1 tag1\ndone\n",
		"// events 10\nfor i0 = 0 to 9\n  0 send 1 tag1\ndone\n"},
	{"a nest", HEAD "for a=0 to 1\nfor b = 0 to 2\n0 send 1 tag1\ndone\ndone\n",
		"// events 6\nfor i0 = 0 to 1\n  for i1 = 0 to 2\n    0 send 1 tag1\n  done\ndone\n"},
	{"loops side by side", HEAD "for a = 0 to 1\n0 send 1 a\ndone\nfor a = 0 to 1\n1 send 0 a\ndone\n",
		"// events 4\nfor i0 = 0 to 1\n  0 send 1 a\ndone\nfor i0 = 0 to 1\n  1 send 0 a\ndone\n"},
	{"another lower bound", HEAD "for i = 1 to 10\n0 send 1 tag1\ndone\n",
		"// events 10\nfor i0 = 0 to 9\n  0 send 1 tag1\ndone\n"},
	{"negative bounds", HEAD "for i = -5 to -1\n0 send 1 tag1\ndone\n",
		"// events 5\nfor i0 = 0 to 4\n  0 send 1 tag1\ndone\n"},
	{"no iterations", HEAD "for i = 0 to -1\n0 send 1 tag1\ndone\n",
		"// events 0\nfor i0 = 0 to -1\n  0 send 1 tag1\ndone\n"},
	{"no iterations elsewhere", HEAD "for i = 7 to 6\n0 send 1 tag1\ndone\n",
		"// events 0\nfor i0 = 0 to -1\n  0 send 1 tag1\ndone\n"},
	{"an empty body", HEAD "for i = 0 to 3\ndone\n", "// events 0\nfor i0 = 0 to 3\ndone\n"},
	{"any index and blanks", HEAD " for\tsome_Index2=0  to\t1 \n0 send 1 t\n done \n",
		"// events 2\nfor i0 = 0 to 1\n  0 send 1 t\ndone\n"},
	{"the most iterations", HEAD "for i = 1 to 9223372036854775807\n0 send 1 t\ndone\n",
		"// events 9223372036854775807\nfor i0 = 0 to 9223372036854775806\n  0 send 1 t\ndone\n"},
	{"the lowest bound", HEAD "for i = -9223372036854775807 to -9223372036854775807\n0 send 1 t\ndone\n",
		"// events 1\nfor i0 = 0 to 0\n  0 send 1 t\ndone\n"},
	{"too many events, never executed",
		HEAD
		"for i = 1 to 0\nfor j = 1 to 9223372036854775807\n0 send 1 t\n0 send 1 t\n0 send 1 t\ndone\ndone\n",
		"// events 0\nfor i0 = 0 to -1\n  for i1 = 0 to 9223372036854775806\n    0 send 1 t\n    0 send 1 t\n    0 send 1 "
		"t\n"
		"  done\ndone\n"},
	{"comments behind statements",
		HEAD "for i0 = 0 to 1 // #{0=1}\n0 send 1 tag1 // @{0=671}\ndone\t// end\n// more\n",
		"// events 2\nfor i0 = 0 to 1\n  0 send 1 tag1\ndone\n"},
	{"a joint sync is an event of each", HEAD "0-3 sync MPI_Barrier 0-3\n",
		"// events 4\n0-3 sync MPI_Barrier 0-3\n"},
	{"a sync of some, with everything", HEAD "0,2 sync MPI_Bcast 0-3@7 root=1 // x\n",
		"// events 2\n0,2 sync MPI_Bcast 0-3@7 root=1\n"},
	{"local events", HEAD "3 local call  MPI_Wait\n", "// events 1\n3 local call MPI_Wait\n"},
	{"a right number of events", HEAD "// events 4\n0-3 sync MPI_Barrier 0-3\n",
		"// events 4\n0-3 sync MPI_Barrier 0-3\n"},
	{"other comments in the header", HEAD "// made by hand\n//\n// processesx\n", "// events 0\n"},
	{"notes are kept in order", HEAD "// note b  c \n// note\n// note a\n",
		"// events 0\n// note b  c\n// note\n// note a\n"},
	{"calls that are no part of it are kept, the most frequent first",
		HEAD "// note b\n// omits 3 MPI_Get,40 MPI_Put , 3 MPI_Accumulate\n",
		"// events 0\n// omits 40 MPI_Put, 3 MPI_Accumulate, 3 MPI_Get\n// note b\n"},
	{"comments in the listing are no notes", HEAD "0 send 1 t\n// note x\n// events 7\n// processes x\n",
		"// events 1\n0 send 1 t\n"},
	{"a peer that is no process of the run", HEAD "0 send 9 t\n", "// events 1\n0 send 9 t\n"},
	{"annotations are skipped",
		HEAD "get \"before\" {0,1,2}.time ->\n0 send 1 t\n get  \"after // x\" {*}.bytes  <- // y\n",
		"// events 1\n0 send 1 t\n"},
};

static void test_readable(void)
{
	for (size_t i = 0; i < COUNT(readable); i++) {
		struct model *m = model_of(readable[i].text);
		struct text want = {0}, have = {0};
		text_put(&want, HEAD);
		text_put(&want, readable[i].printed);
		model_print_text(m, &have);
		row_same(readable[i].why, have.data, want.data);
		struct model *again = model_of(have.data);
		CU_ASSERT(model_equal(m, again));
		model_free(again);
		model_free(m);
		text_clear(&want);
		text_clear(&have);
	}
}

/* ------------------------------------------------------------------ what is not */

static const struct {
	const char *why, *text, *message;
} unreadable[] = {
	{"nothing", "", "m: the file is empty: a model starts with '// tracenest 1'"},
	{"blank lines only", "\n \n", "m: the file is empty"},
	{"no header", "0 send 1 tag1\n", "m:1:1: this is not a model: its first line must be '// tracenest 1'"},
	{"another comment first", "\n// hello\n// tracenest 1\n", "m:2:1: this is not a model"},
	{"a version to come", "// tracenest 2\n",
		"m:1:14: version '2' of the model format; this tracenest reads version 1 only"},
	{"no version", "// tracenest\n", "m:1:13: version '' of the model format; this tracenest reads version 1 only"},
	{"a version with a tail", "// tracenest 1.5\n",
		"m:1:14: version '1.5' of the model format; this tracenest reads version 1 only"},
	{"no processes", "// tracenest 1\n",
		"m:1:1: the header must give the number of processes before the listing: '// processes 16'"},
	{"processes too late", "// tracenest 1\n// x\n0 send 1 t\n// processes 2\n",
		"m:3:1: the header must give the number of processes before the listing"},
	{"processes that are no number", "// tracenest 1\n// processes many\n",
		"m:2:14: this line of the header needs a number from 0 to 4194304, not 'many'"},
	{"negative processes", "// tracenest 1\n// processes -1\n",
		"m:2:14: this line of the header needs a number from 0 to 4194304, not '-1'"},
	{"too many processes", "// tracenest 1\n// processes 4194305\n",
		"m:2:14: this line of the header needs a number from 0 to 4194304, not '4194305'"},
	{"omits nothing", HEAD "// omits\n", "m:3:9: '// omits' needs calls and how many"},
	{"omits none", HEAD "// omits 0 MPI_Put\n", "m:3:10: '// omits' needs calls and how many"},
	{"omits without a number", HEAD "// omits MPI_Put\n", "m:3:10: '// omits' needs calls and how many"},
	{"omits without a name", HEAD "// omits 3\n", "m:3:10: '// omits' needs calls and how many"},
	{"omits what is no name", HEAD "// omits 3 */\n", "m:3:10: '// omits' needs calls and how many"},
	{"omits what does not end", HEAD "// omits 3 MPI_Put,\n", "m:3:10: '// omits' needs calls and how many"},
	{"omits twice", HEAD "// omits 3 MPI_Put\n// omits 3 MPI_Put\n", "m:4:10: '// omits' stands twice"},
	{"processes twice", HEAD "// processes 4\n", "m:3:14: '// processes' stands twice"},
	{"events twice", HEAD "// events 0\n// events 0\n", "m:4:11: '// events' stands twice"},
	{"events that are no number", HEAD "// events 1e6\n",
		"m:3:11: this line of the header needs a number from 0 to 18446744073709551615, not '1e6'"},
	{"a wrong number of events", HEAD "// events 5\n0-3 sync MPI_Barrier 0-3\n",
		"m:3:1: the header says 5 events, but the listing stands for 4"},
	{"an event of a rank beyond", HEAD "0 send 1 t\n4 send 0 t\n",
		"m:4:1: an event of rank 4, but the header says 4 processes"},
	{"a sync that reaches beyond", HEAD "0-4 sync MPI_Barrier 0-4\n", "m:3:1: an event of rank 4"},
	{"any event of no processes", "// tracenest 1\n// processes 0\n0 send 1 t\n",
		"m:3:1: an event of rank 0, but the header says 0 processes"},
	{"no event", HEAD "\n0 sned 1 t\n", "m:4:1: 'sned' is not an event"},
	{"an event of a word", HEAD "donee\n", "m:3:1: 'donee' is not an event"},
	{"a folded loop", HEAD "[0-1] for i0 = 0 to 3\n", "m:3:1: 'for' is not closed"},
	{"for alone", HEAD "for\n", "m:3:1: a loop is 'for INDEX = FIRST to LAST'"},
	{"an index that is a number", HEAD "for 1 = 0 to 3\n", "m:3:1: a loop is 'for INDEX"},
	{"no equal sign", HEAD "for i 0 to 3\n", "m:3:1: a loop is 'for INDEX"},
	{"no lower bound", HEAD "for i = to 3\n", "m:3:9: 'to' is no index of a loop around this line"},
	{"no upper bound", HEAD "for i = 0 to\n",
		"m:3:13: a number, without leading zeros, or a name is expected, not ''"},
	{"no to", HEAD "for i = 0 3\n", "m:3:10: 'to' is missing"},
	{"a bound that is no number", HEAD "for i = 0 to n\n", "m:3:14: 'n' is no index of a loop around this line"},
	{"a step", HEAD "for i = 0 to 8 step 2\n", "m:3:15: 'step 2' is too much behind a loop's bounds"},
	{"a bound beyond 64 bits", HEAD "for i = 0 to 9223372036854775808\n",
		"m:3:14: a number, without leading zeros, or a name is expected, not '9223372036854775808'"},
	{"a lower bound beyond 64 bits", HEAD "for i = -9223372036854775809 to 0\n",
		"m:3:10: a number, without leading zeros, or a name is expected, not '9223372036854775809 to 0'"},
	{"leading zeros", HEAD "for i = 0 to 010\n",
		"m:3:14: a number, without leading zeros, or a name is expected, not '010'"},
	{"too many iterations", HEAD "for i = 0 to 9223372036854775807\n0 send 1 t\ndone\n",
		"m:3:1: a number is beyond 64 bits"},
	{"far too many", HEAD "for i = -9223372036854775807 to 9223372036854775807\n",
		"m:3:9: the bounds are too far apart"},
	{"bounds backwards", HEAD "for i = 5 to 3\n0 send 1 t\ndone\n",
		"m:3:1: the loop from 0 to -2 runs backwards (0 to -1 would be no iterations)"},
	{"a loop not closed", HEAD "for i = 0 to 3\nfor j = 0 to 3\n0 send 1 t\ndone\n\n",
		"m:3:1: 'for' is not closed by a 'done'"},
	{"the inner loop not closed", HEAD "for i = 0 to 3\n\nfor j = 0 to 3\n",
		"m:5:1: 'for' is not closed by a 'done'"},
	{"a stray done", HEAD "for i = 0 to 3\ndone\n0 send 1 t\ndone\n", "m:6:1: 'done' without a 'for' before it"},
	{"done with company", HEAD "for i = 0 to 3\ndone done\n", "m:4:5: 'done' is too much behind 'done'"},
	{"too many events", HEAD "0 send 1 t\nfor i = 0 to 4611686018427387903\n0 send 1 t\n0 send 1 t\ndone\n",
		"m:1:1: the model stands for 2^63 events or more"},
	{"too many events of all together", HEAD "for i = 1 to 9223372036854775807\n0 send 1 t\ndone\n0 send 1 t\n",
		"m:1:1: the model stands for 2^63 events or more"},
	{"too many events in a nest",
		HEAD "for i = 1 to 9223372036854775807\nfor i = 1 to 9223372036854775807\n0 send 1 t\ndone\ndone\n",
		"m:1:1: the model stands for 2^63 events or more"},
	{"an annotation without label", HEAD "get {0}.time ->\n", "m:3:1: an annotation is 'get"},
	{"a label without end", HEAD "get \"x {0}.time ->\n", "m:3:1: an annotation is 'get"},
	{"an annotation without ranks", HEAD "get \"x\" time ->\n", "m:3:9: an annotation is 'get"},
	{"an annotation of no ranks", HEAD "get \"x\" {}.time ->\n", "m:3:10: a rank is missing"},
	{"an annotation of ranks backwards", HEAD "get \"x\" {3-1}.time ->\n", "m:3:10: the range 3-1 runs backwards"},
	{"ranks without end", HEAD "get \"x\" {1 .time ->\n", "m:3:11: an annotation is 'get"},
	{"an annotation without attribute", HEAD "get \"x\" {1} ->\n", "m:3:11: an annotation is 'get"},
	{"an annotation without arrow", HEAD "get \"x\" {1}.time\n", "m:3:17: an annotation is 'get"},
	{"an annotation with a tail", HEAD "get \"x\" {1}.time -> now\n",
		"m:3:20: 'now' is too much behind an annotation"},
	{"control characters", HEAD "0 send 1 t\x1b[0m\n", "m:3: control character 0x1b: this is not a text"},
	{"control characters in a comment", HEAD "// \x07\n", "m:3: control character 0x07"},
	{"binary junk", "\x1f\x8b\x08\x01\x02", "m:1: control character 0x1f: this is not a text"},
};

static void test_unreadable(void)
{
	for (size_t i = 0; i < COUNT(unreadable); i++) {
		struct error error;
		struct model *m = parse(unreadable[i].text, &error);
		row_contains(unreadable[i].why, m ? "was read" : error.message, unreadable[i].message);
		CU_ASSERT_EQUAL(error.kind,
			strstr(unreadable[i].message, "header says 5 events") ? ERROR_INCONSISTENT : ERROR_INPUT);
		model_free(m);
	}
}

/* Every text cut short at any byte, and every text with a byte changed, is read or refused; nothing
   worse. */
static void test_damaged(void)
{
	static const char text[] = HEAD
		"// events 52\n// note x\nget \"a\" {0-3}.time ->\nfor i0 = 0 to 11\n  0 send 1 tag3@2\n  for i1 = -1 to 0\n"
		"    0-3 sync MPI_Bcast 0-3@2 root=0 // x\n  done\ndone\n3 local call f\n";
	for (size_t length = 0; length < sizeof text; length++) {
		struct error error = {0};
		model_free(model_parse("m", text, length, &error));
	}
	unsigned seed = 3;
	for (unsigned i = 0; i < rounds(3000); i++) {
		char damaged[sizeof text];
		memcpy(damaged, text, sizeof text);
		for (int k = rand_r(&seed) % 3; k >= 0; k--)
			damaged[(size_t)rand_r(&seed) % (sizeof text - 1)] = (char)rand_r(&seed);
		struct error error = {0};
		struct model *m = model_parse("m", damaged, sizeof text - 1, &error);
		CU_ASSERT((m != NULL) == (error.kind == ERROR_NONE));
		model_free(m);
	}
}

/* ------------------------------------------------------------------ files */

static char *temporary_file(const char *bytes, size_t length)
{
	char *path = mem_text("/tmp/tracenest-test-XXXXXX");
	int file = mkstemp(path);
	CU_ASSERT_FATAL(file >= 0 && write(file, bytes, length) == (ssize_t)length);
	close(file);
	return path;
}

static void check_refused(const char *path, const char *message)
{
	struct error error = {0};
	struct module *m = module_read(path, &error);
	CU_ASSERT_PTR_NULL(m);
	CU_ASSERT_EQUAL(error.kind, ERROR_INPUT);
	if (!strstr(error.message, message) || strncmp(error.message, path, strlen(path))) {
		printf("\nhave: %s\nwant: %s: %s\n", error.message, path, message);
		CU_FAIL("message differs");
	}
	module_free(m);
}

static void test_files(void)
{
	check_refused("/nonexistent/model", "No such file");
	check_refused("/tmp", "is a directory");
	char *empty = temporary_file("", 0);
	check_refused(empty, "the file is empty");
	unlink(empty);
	free(empty);

	struct model *m = model_of(HEAD "// note x\nfor i = 0 to 2\n0-3 sync MPI_Barrier 0-3\ndone\n");
	struct module *printed = module_of_model(m);
	char *path = temporary_file("", 0);
	struct error error = {0};
	struct output *output = output_open(path, &error);
	module_print(printed, NULL, output);
	CU_ASSERT(output_close(output, &error));
	struct module *read = module_read(path, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(read);
	struct model *again = model_of_module(read, &error);
	CU_ASSERT(again && model_equal(m, again));
	unlink(path);
	free(path);
	model_free(again);
	module_free(read);
	module_free(printed);
	model_free(m);
}

static void test_long_lines(void)
{
	for (int over = 0; over <= 1; over++) {
		struct text text = {0};
		text_put(&text, HEAD "// ");
		size_t start = text.length - 3;
		while (text.length - start < LINE_LIMIT + (size_t)over)
			text_char(&text, 'x');
		text_put(&text, "\n0 send 1 t\n");
		char *path = temporary_file(text.data, text.length);
		struct error error = {0};
		if (over) {
			check_refused(path, ":3: a line of more than 1048576 bytes");
		} else {
			struct module *m = module_read(path, &error);
			CU_ASSERT(m && m->events == 1);
			module_free(m);
		}
		unlink(path);
		free(path);
		text_clear(&text);
	}
	check_refused("/dev/zero", ":1: a line of more than 1048576 bytes");
}

static struct text nested(unsigned depth)
{
	struct text text = {0};
	text_put(&text, HEAD);
	for (unsigned i = 0; i < depth; i++)
		text_put(&text, "for i = 0 to 0\n");
	text_put(&text, "0 send 1 t\n");
	for (unsigned i = 0; i < depth; i++)
		text_put(&text, "done\n");
	return text;
}

static void test_deep(void)
{
	struct error error;
	struct text deepest = nested(NEST_DEPTH_LIMIT), deeper = nested(NEST_DEPTH_LIMIT + 1), hostile = nested(10000);
	struct model *m = parse(deepest.data, &error);
	CU_ASSERT(m && model_events(m) == 1 && nest_get(m->nest, m->nest->root[0])->depth == NEST_DEPTH_LIMIT);
	struct text printed = {0};
	model_print_text(m, &printed);
	struct model *again = model_of(printed.data);
	CU_ASSERT(model_equal(m, again));
	struct executed e = executed_of_model(m);
	text_truncate(&printed, 0);
	CU_ASSERT_EQUAL(executed_put(e.run, 0, UINT64_MAX, &printed), 1);
	executed_clear(&e);
	model_free(again);
	model_free(m);
	CU_ASSERT_PTR_NULL(parse(deeper.data, &error));
	CU_ASSERT_STRING_EQUAL(error.message, "m:1003:1: more than 1000 loops nested");
	CU_ASSERT_PTR_NULL(parse(hostile.data, &error));
	CU_ASSERT_STRING_EQUAL(error.message, "m:1003:1: more than 1000 loops nested");
	text_clear(&deepest);
	text_clear(&deeper);
	text_clear(&hostile);
	text_clear(&printed);
}

/* Iterations cost nothing: not those executed, and not those in which a process has no part. */
static void test_many_iterations(void)
{
	struct model *m = model_of(HEAD
		"for i = 1 to 1000000000000000000\n0 send 1 a\nfor j = 1 to 2\n0 send 1 b\ndone\ndone\n"
		"for i = 1 to 1000000000000000000\nfor i = 1 to 0\n1 send 2 t\ndone\nfor i = 1 to 1000000000\ndone\ndone\n"
		"1 send 2 t\n");
	CU_ASSERT_EQUAL(model_events(m), UINT64_C(3000000000000000001));
	struct executed e = executed_of_model(m);
	CU_ASSERT_EQUAL(executed_count(e.run, 0), UINT64_C(3000000000000000000));
	CU_ASSERT_EQUAL(executed_count(e.run, 1), 1);
	CU_ASSERT_EQUAL(executed_count(e.run, 2), 0);
	struct cursor *c = cursor_new(e.run, 0);
	for (unsigned i = 0; i < 30; i++) {
		CU_ASSERT(cursor_next(c));
		CU_ASSERT_EQUAL(c->line == 1, i % 3 == 0);
	}
	cursor_restart(c, 1);
	CU_ASSERT(cursor_next(c) && !cursor_next(c) && !cursor_next(c));
	cursor_free(c);
	executed_clear(&e);
	model_free(m);
}

/* --------------------------------------------------------- random models against plain readings */

#define RANKS 6u

static unsigned below(unsigned *seed, unsigned limit)
{
	return (unsigned)rand_r(seed) % limit;
}

static uint32_t random_event(struct model *m, unsigned *seed)
{
	char line[64];
	unsigned a = below(seed, RANKS), b = below(seed, RANKS), tag = below(seed, 2);
	unsigned low = a < b ? a : b, high = a < b ? b : a;
	switch (below(seed, 6)) {
	case 0:
		snprintf(line, sizeof line, "%u-%u sync MPI_Bcast 0-%u@%u root=0", 0, RANKS - 1, RANKS - 1, tag);
		break;
	case 1:
		snprintf(line, sizeof line, "%u-%u sync MPI_Barrier 0-%u", low, high, RANKS - 1);
		break;
	case 2:
		snprintf(line, sizeof line, "%u local call f%u", a, tag);
		break;
	case 3:
		snprintf(line, sizeof line, "%u recv %u tag%u", a, b, tag);
		break;
	default:
		snprintf(line, sizeof line, "%u send %u tag%u", a, b, tag);
	}
	uint32_t event = 0;
	struct error error = {0};
	if (!event_parse(m->dictionary, line, true, &event, &error))
		CU_FAIL_FATAL("a random event does not parse");
	return event;
}

/* Loops made so far are used again, so that nests share them. */
static node random_node(struct model *m, unsigned *seed, unsigned depth)
{
	if (!depth || below(seed, 3))
		return random_event(m, seed);
	if (m->nest->loops && !below(seed, 4)) {
		node old = below(seed, (unsigned)m->nest->loops) | NEST_LOOP;
		if (nest_get(m->nest, old)->depth <= depth)
			return old;
	}
	node body[5];
	size_t length = below(seed, 5);
	for (size_t i = 0; i < length; i++)
		body[i] = random_node(m, seed, depth - 1);
	return nest_loop(m->nest, below(seed, 4), body, length);
}

static struct model *random_model(unsigned *seed)
{
	struct model *m = model_new();
	m->processes = RANKS;
	if (!below(seed, 3))
		notes_add(&m->notes, " made\nat random ");
	for (unsigned n = below(seed, 8); n; n--)
		nest_append(m->nest, random_node(m, seed, 4));
	return m;
}

struct stream {
	uint32_t *event;
	size_t length, capacity;
};

static void expand(const struct model *m, uint32_t rank, struct body body, struct stream *out)
{
	for (size_t i = 0; i < body.length; i++) {
		node n = body.node[i];
		if (node_is_loop(n)) {
			for (uint64_t k = 0; k < nest_get(m->nest, n)->count; k++)
				expand(m, rank, nest_body(m->nest, n), out);
			continue;
		}
		struct ranks_run single;
		struct ranks processes = event_processes(m->dictionary, n, &single);
		if (!ranks_has(&processes, rank))
			continue;
		out->event = mem_grow(out->event, &out->capacity, out->length + 1, sizeof *out->event);
		out->event[out->length++] = n;
	}
}

static struct stream expand_all(const struct model *m, uint32_t rank)
{
	struct stream s = {0};
	expand(m, rank, (struct body){m->nest->root, m->nest->root_length}, &s);
	return s;
}

static void put_stream(const struct model *m, uint32_t rank, const struct stream *s, struct text *out)
{
	text_add(out, "", 0);
	for (size_t i = 0; i < s->length; i++) {
		event_print_as(m->dictionary, s->event[i], rank, out);
		text_char(out, '\n');
	}
}

/* What one process executes, as a program: the same events, each its own. */
static void check_program_of_rank(
	const struct module *module, uint32_t rank, const struct stream *want, const char *lines)
{
	struct error error = {0};
	struct text have = {0};
	struct module *part = module_of_rank(module, rank, NULL, &error);
	struct model *own = model_of_module(part, &error);
	CU_ASSERT_EQUAL(own->processes, module->processes);
	CU_ASSERT_EQUAL(model_events(own), want->length);
	struct stream executed = expand_all(own, rank);
	put_stream(own, rank, &executed, &have);
	row_same("the events of one process", have.data, lines);
	text_clear(&have);
	free(executed.event);
	model_free(own);
	module_free(part);
}

static void check_executed(struct model *m)
{
	struct executed e = executed_of_model(m);
	uint64_t total = 0;
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct stream stream = expand_all(m, rank);
		struct text want = {0}, have = {0};
		put_stream(m, rank, &stream, &want);
		CU_ASSERT_EQUAL(executed_put(e.run, rank, UINT64_MAX, &have), stream.length);
		row_same("what a process executes", have.data, want.data);
		check_program_of_rank(e.module, rank, &stream, want.data);
		total += stream.length;
		text_clear(&want);
		text_clear(&have);
		free(stream.event);
	}
	CU_ASSERT_EQUAL(model_events(m), total);
	executed_clear(&e);
}

static void check_coverage(const struct model *m)
{
	struct nest_coverage *c = nest_coverage_new(m);
	for (size_t i = 0; i < m->nest->loops; i++) {
		node loop = (node)i | NEST_LOOP;
		struct ranks who = nest_coverage_of(c, loop);
		for (uint32_t rank = 0; rank < RANKS; rank++) {
			struct stream s = {0};
			expand(m, rank, (struct body){&loop, 1}, &s);
			CU_ASSERT_EQUAL(ranks_has(&who, rank), s.length > 0);
			free(s.event);
		}
	}
	nest_coverage_free(c);
}

static void check_text_and_back(const struct model *m)
{
	struct text text = {0};
	model_print_text(m, &text);
	struct model *again = model_of(text.data);
	CU_ASSERT(model_equal(m, again));
	CU_ASSERT_EQUAL(nest_total(m->nest), nest_total(again->nest));
	check_printed("printed again", again, text.data);
	model_free(again);
	text_clear(&text);
}

static void test_random(void)
{
	for (unsigned n = 0; n < rounds(1500); n++) {
		unsigned seed = n;
		struct model *m = random_model(&seed);
		check_text_and_back(m);
		check_coverage(m);
		check_executed(m);
		model_free(m);
	}
}

/* ------------------------------------------------------------------ equality, addresses, parts */

static const struct {
	const char *why, *a, *b;
	bool equal;
} pairs[] = {
	{"the same", HEAD "0 send 1 a\n1 send 0 b\n", HEAD "0 send 1 a\n1 send 0 b\n", true},
	{"another order", HEAD "0 send 1 a\n1 send 0 b\n", HEAD "1 send 0 b\n0 send 1 a\n", false},
	{"shorter", HEAD "0 send 1 a\n1 send 0 b\n", HEAD "0 send 1 a\n", false},
	{"another tag", HEAD "0 send 1 a\n", HEAD "0 send 1 b\n", false},
	{"another count", HEAD "for i = 0 to 1\n0 send 1 a\ndone\n", HEAD "for i = 0 to 2\n0 send 1 a\ndone\n", false},
	{"unrolled is another program", HEAD "for i = 0 to 1\n0 send 1 a\ndone\n", HEAD "0 send 1 a\n0 send 1 a\n",
		false},
	{"words met in another order", HEAD "0 send 1 x\nfor i = 0 to 1\n0 send 1 a\ndone\n",
		HEAD "0 send 1 x\nfor k = 1 to 2\n0 send 1 a\ndone\n", true},
	{"other processes", HEAD, "// tracenest 1\n// processes 5\n", false},
	{"other notes", HEAD "// note a\n", HEAD "// note b\n", false},
	{"more notes", HEAD "// note a\n", HEAD, false},
};

static void test_equal(void)
{
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct model *a = model_of(pairs[i].a), *b = model_of(pairs[i].b);
		ROW(pairs[i].why, model_equal(a, b) == pairs[i].equal && model_equal(b, a) == pairs[i].equal);
		model_free(a);
		model_free(b);
	}
}

/* Joint syncs of millions of processes cost a run nothing; the coverage of a deep nest is
   stored once. */
static void test_many_processes(void)
{
	struct text text = {0};
	text_put(&text, "// tracenest 1\n// processes 4194304\n");
	for (unsigned i = 0; i < 500; i++)
		text_put(&text, "for i = 0 to 1\n0-4194303 sync MPI_Barrier 0-4194303\n");
	text_put(&text, "4194302 send 4194303 t\n");
	for (unsigned i = 0; i < 500; i++)
		text_put(&text, "4194302 recv 4194303 t\ndone\n");
	struct error error;
	struct model *m = parse(text.data, &error);
	/* 2^k joint syncs in the k-th loop and 2^500 sends are too many events */
	CU_ASSERT_PTR_NULL(m);
	CU_ASSERT_STRING_EQUAL(error.message, "m:1:1: the model stands for 2^63 events or more");
	for (char *at = text.data; (at = strstr(at, "0 to 1")); at++)
		at[5] = '0';
	m = model_of(text.data);
	struct executed e = executed_of_model(m);
	CU_ASSERT_EQUAL(executed_count(e.run, 17), 500);
	CU_ASSERT_EQUAL(executed_count(e.run, 4194302), 501);
	CU_ASSERT_EQUAL(executed_count(e.run, 4194303), 1000);
	executed_clear(&e);
	struct nest_coverage *c = nest_coverage_new(m);
	CU_ASSERT(nest_coverage_sets(c) <= 4);
	nest_coverage_free(c);
	model_free(m);
	text_clear(&text);
}

/* ------------------------------------------------------------------ the manual's examples */

static char *read_whole(const char *path)
{
	FILE *file = fopen(path, "r");
	if (!file) {
		printf("\n%s is not here: tests run in the project's directory\n", path);
		CU_FAIL_FATAL("a manual page is missing");
	}
	struct text text = {0};
	char buffer[4096];
	for (size_t got; (got = fread(buffer, 1, sizeof buffer, file));)
		text_add(&text, buffer, got);
	fclose(file);
	return text.data;
}

/* A page's text as its reader sees it: "\-" is a minus sign. */
static void add_shown(struct text *to, const char *from, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (from[i] != '\\')
			text_char(to, from[i]);
}

/* The first events of a process are these lines. */
static void check_start(const struct model *m, uint32_t rank, const char *lines)
{
	struct executed e = executed_of_model(m);
	struct text text = {0};
	uint64_t most = 0;
	for (const char *at = lines; *at; at++)
		most += *at == '\n';
	executed_put(e.run, rank, most, &text);
	row_same("the manual's events", text.data, lines);
	text_clear(&text);
	executed_clear(&e);
}

static void check_events(char *lines)
{
	struct dictionary *d = dictionary_new();
	for (char *save, *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct error error = {0};
		uint32_t event;
		line[strcspn(line, ";#")] = 0;
		if (*line && !event_parse(d, line, false, &event, &error))
			row_same("the manual's event", error.message, line);
	}
	dictionary_free(d);
}

static void check_folded(const char *text)
{
	struct error error = {0};
	struct prepared *folded = prepared_parse("m", text, strlen(text), &error);
	struct text printed = {0};
	if (folded)
		module_print_text(folded->module, NULL, &printed);
	row_same("the manual's folded model", folded ? printed.data : error.message, text);
	text_clear(&printed);
	prepared_free(folded);
	struct model *m = model_of(text);
	if (!model_complete(m, &error))
		row_same("the manual's folded model, every message received", error.message, "");
	model_free(m);
}

static void check_example(struct model **model, const char *kind, char *text)
{
	if (!strncmp(kind, "model", 5)) {
		model_free(*model);
		*model = model_of(text);
	} else if (!strncmp(kind, "written", 7)) {
		check_printed("the manual's model", *model, text);
	} else if (!strncmp(kind, "folded", 6)) {
		check_folded(text);
	} else if (!strncmp(kind, "start ", 6)) {
		check_start(*model, (uint32_t)atoi(kind + 6), text);
	} else if (!strncmp(kind, "events", 6)) {
		check_events(text);
	} else {
		CU_FAIL("an example of unknown kind");
	}
}

/* Examples follow a line `.\" test: KIND` and stand between .EX and .EE. */
static unsigned check_examples(const char *path)
{
	static const char mark[] = ".\\\" test: ";
	char *page = read_whole(path);
	struct model *model = NULL;
	unsigned examples = 0;
	for (char *at = page; (at = strstr(at, mark)); examples++) {
		const char *kind = at + strlen(mark);
		char *start = strstr(at, ".EX\n") + 4, *end = strstr(start, ".EE\n");
		struct text text = {0};
		add_shown(&text, start, (size_t)(end - start));
		check_example(&model, kind, text.data);
		text_clear(&text);
		at = end;
	}
	model_free(model);
	free(page);
	return examples;
}

static void test_manual(void)
{
	CU_ASSERT(check_examples("doc/tracenest-model.5") >= 4);
	CU_ASSERT(check_examples("doc/tracenest-trace.5") >= 2);
}

void suite_model(CU_pSuite suite)
{
	CU_add_test(suite, "every form that is read, and how it is written", test_readable);
	CU_add_test(suite, "what is wrong is refused, with its line", test_unreadable);
	CU_add_test(suite, "damaged texts", test_damaged);
	CU_add_test(suite, "files", test_files);
	CU_add_test(suite, "lines of a megabyte and more", test_long_lines);
	CU_add_test(suite, "10,000 nested loops", test_deep);
	CU_add_test(suite, "10^18 iterations", test_many_iterations);
	CU_add_test(suite, "random models against plain readings", test_random);
	CU_add_test(suite, "equal models", test_equal);
	CU_add_test(suite, "four million processes", test_many_processes);
	CU_add_test(suite, "the manual's examples", test_manual);
}
