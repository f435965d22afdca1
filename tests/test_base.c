/*
 * test_base.c -- memory, interning, texts, errors, outputs, threads.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/binary_search.h"
#include "base/common_order.h"
#include "base/components.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/gcd.h"
#include "base/heap.h"
#include "base/intern.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/union_find.h"
#include "tests/rows.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ memory */

static void growing_zeroed(void)
{
	uint32_t *number = NULL, sum = 0;
	size_t capacity = 0;
	for (uint32_t i = 0; i < 5000; i += 7)
		*MEM_AT(number, capacity, i) += i + 1;
	for (uint32_t i = 0; i < capacity; i++)
		sum += number[i] != (i < 5000 && i % 7 == 0 ? i + 1 : 0);
	CU_ASSERT_EQUAL(sum, 0);
	CU_ASSERT(capacity > 4998);
	capacity = 0; /* forgets */
	CU_ASSERT_EQUAL(*MEM_AT(number, capacity, 14), 0);
	free(number);
}

static void growing(void)
{
	size_t capacity = 0;
	unsigned *number = NULL;
	for (unsigned i = 0; i < 10000; i++) {
		number = mem_grow(number, &capacity, i + 1, sizeof *number);
		CU_ASSERT_FATAL(capacity > i);
		number[i] = i;
	}
	for (unsigned i = 0; i < 10000; i++)
		CU_ASSERT_FATAL(number[i] == i);
	free(number);
	free(mem_alloc(0));
	free(mem_copy(NULL, 0));
}

static void arenas(void)
{
	static const size_t sizes[] = {0, 1, 7, 16, 1000, 4096, 5000, 3000000, 3, 1};
	struct arena *arena = arena_new();
	unsigned char *piece[1000];
	for (size_t i = 0; i < 1000; i++) {
		size_t size = sizes[i % 7];
		piece[i] = arena_alloc(arena, size);
		CU_ASSERT_FATAL((uintptr_t)piece[i] % _Alignof(max_align_t) == 0);
		memset(piece[i], (int)(i & 255), size);
	}
	CU_ASSERT(*(unsigned char *)arena_copy(arena, "x", 1) == 'x');
	for (size_t i = 0; i < 1000; i++)
		for (size_t at = 0; at < sizes[i % 7]; at++)
			CU_ASSERT_FATAL(piece[i][at] == (i & 255));
	CU_ASSERT(memset(arena_alloc(arena, sizes[7]), 1, sizes[7]) != NULL);
	arena_free(arena);
	arena_free(NULL);
}

/* What a forked child does with its status: the message of a dying process is not for our
   terminal. */
static int status_of(void (*work)(void))
{
	fflush(NULL);
	pid_t child = fork();
	CU_ASSERT_FATAL(child >= 0);
	if (!child) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		work();
		_exit(99);
	}
	int status = 0;
	waitpid(child, &status, 0);
	return status;
}

static void ask_for_too_much(void)
{
	volatile size_t half = (size_t)1 << 63;
	free(mem_array(half, 4));
}

static void overflow(void)
{
	int status = status_of(ask_for_too_much);
	CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

/* ------------------------------------------------------------------ interning */

static void interning(void)
{
	static const struct {
		const char *why, *data;
		size_t size;
		uint32_t id;
	} cases[] = {
		{"the first", "a", 1, 0},
		{"another", "b", 1, 1},
		{"the first again", "a", 1, 0},
		{"nothing", "", 0, 2},
		{"nothing again", NULL, 0, 2},
		{"with a NUL", "a\0b", 3, 3},
		{"up to the NUL is another", "a", 1, 0},
		{"a NUL", "\0", 1, 4},
		{"more than a word", "MPI_Allreduce", 13, 5},
	};
	struct intern *table = intern_new();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (intern_id(table, cases[i].data, cases[i].size) != cases[i].id)
			CU_FAIL_FATAL(cases[i].why);
	size_t size = 0;
	const char *data = intern_data(table, 3, &size);
	CU_ASSERT(size == 3 && !memcmp(data, "a\0b", 4));
	CU_ASSERT(intern_find(table, "MPI_Allreduce", 13) == 5);
	CU_ASSERT(intern_find(table, "MPI_Allreduc", 12) == INTERN_NONE);
	CU_ASSERT(intern_count(table) == 6);
	intern_free(table);
	intern_free(NULL);
}

static void interning_many(void)
{
	struct intern *table = intern_new();
	const uint32_t n = 50000;
	const void *first = NULL;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = (uint64_t)i << 40;
		CU_ASSERT_FATAL(intern_id(table, &key, sizeof key) == i);
		if (!i)
			first = intern_data(table, 0, NULL);
	}
	CU_ASSERT(intern_data(table, 0, NULL) == first);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = (uint64_t)i << 40;
		CU_ASSERT_FATAL(intern_find(table, &key, sizeof key) == i);
	}
	intern_free(table);
}

/* Keys of one size come and go; an id is that of its key as long as it is there. */
static void interning_keys(void)
{
	enum { KEYS = 300, STEPS = 20000 };
	struct intern *table = intern_new_keys(sizeof(uint64_t));
	uint32_t id[KEYS], there = 0, most = 0;
	uint64_t seed = 3;
	memset(id, 0xff, sizeof id);
	for (unsigned step = 0; step < STEPS; step++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint64_t key = (seed >> 40) % KEYS << 20;
		uint32_t *known = &id[key >> 20];
		CU_ASSERT_FATAL(intern_find(table, &key, sizeof key) == *known);
		if (*known != INTERN_NONE && seed >> 39 & 1) {
			intern_forget(table, *known);
			*known = INTERN_NONE;
			there--;
			continue;
		}
		uint32_t got = intern_id(table, &key, sizeof key);
		CU_ASSERT(*known == INTERN_NONE || got == *known);
		CU_ASSERT(!memcmp(intern_data(table, got, NULL), &key, sizeof key));
		there += *known == INTERN_NONE;
		most = there > most ? there : most;
		*known = got;
	}
	CU_ASSERT(intern_count(table) == most);
	intern_free(table);
}

static void interning_empty(void)
{
	struct intern *table = intern_new_keys(sizeof(uint32_t));
	for (uint32_t round = 0; round < 20; round++) {
		uint32_t keys = round % 2 ? 5 : 5000; /* few in a large table, and many */
		for (uint32_t i = 0; i < keys; i++) {
			uint32_t key = i * 7 + round;
			CU_ASSERT_FATAL(intern_id(table, &key, sizeof key) == i);
		}
		intern_empty(table);
		for (uint32_t i = 0; i < keys; i++) {
			uint32_t key = i * 7 + round;
			CU_ASSERT_FATAL(intern_find(table, &key, sizeof key) == INTERN_NONE);
		}
	}
	CU_ASSERT(!intern_count(table));
	intern_free(table);
}

/* ------------------------------------------------------------------ texts and errors */

static void texts(void)
{
	struct text text = {0};
	text_put(&text, "tag");
	text_number(&text, 0);
	text_char(&text, ' ');
	text_number(&text, UINT64_MAX);
	text_format(&text, " %s%05d", "x", 42);
	CU_ASSERT_STRING_EQUAL(text.data, "tag0 18446744073709551615 x00042");
	CU_ASSERT(text.length == strlen(text.data));
	text_truncate(&text, 3);
	CU_ASSERT_STRING_EQUAL(text.data, "tag");
	for (uint64_t i = 0; i < 25; i++)
		text_ordinal(&text, i * i);
	CU_ASSERT_STRING_EQUAL(text.data,
		"tag0th1st4th9th16th25th36th49th64th81st100th121st144th169th196th225th256th289th"
		"324th361st400th441st484th529th576th");
	text_truncate(&text, 3);
	text_ordinal(&text, 2);
	text_ordinal(&text, 12);
	text_ordinal(&text, 113);
	text_ordinal(&text, 1022);
	CU_ASSERT_STRING_EQUAL(text.data, "tag2nd12th113th1022nd");
	text_clear(&text);
	text_truncate(&text, 0);
	CU_ASSERT(!text.data && !text.length);
}

/* ------------------------------------------------------------------ strings from outside */

static void put_visible(struct text *out, const char *string)
{
	text_put_visible(out, string, strlen(string));
}

static void put_word(struct text *out, const char *string)
{
	text_put_word(out, string, ";#");
}

static void escapes(void)
{
	static const struct {
		const char *why;
		void (*put)(struct text *, const char *);
		const char *string, *escaped;
	} rows[] = {
		{"XML", text_put_escaped, "a<b> & \"c\"", "a&lt;b&gt; &amp; &quot;c&quot;"},
		{"XML: what it cannot hold", text_put_escaped, "a\x1b[m\n\xc2\x9b\xff",
			"a\\x1b[m\n\\xc2\\x9b\xef\xbf\xbd"},
		{"Graphviz", text_put_label, "a\\N&amp;", "a\\\\N&amp;amp;"},
		{"a shell", text_put_quoted, "it's $HOME", "'it'\\''s $HOME'"},
		{"a string of C", text_put_c_string, "a\"\\?\?/\n1\x7f\xc3\xa9\xe9",
			"\"a\\\"\\\\\\?\\?/\\0121\\177\xc3\xa9\\351\""},
		{"a comment of C", text_put_c_comment, "*/x/*/\\\n", "* /x/ * /\\\\x0a"},
		{"a field of CSV", text_put_csv, "MPI_Send", "MPI_Send"},
		{"... in quotes", text_put_csv, "a,\"b\"", "\"a,\"\"b\"\"\""},
		{"... a formula", text_put_csv, "=1+1", "'=1+1"},
		{"... of a sign", text_put_csv, "-1+1", "'-1+1"},
		{"... another", text_put_csv, "@SUM(A1,B1)", "\"'@SUM(A1,B1)\""},
		{"... behind a tab", text_put_csv, "\t=1", "'\t=1"},
		{"... a line", text_put_csv, "a\r=1", "\"a\\x0d=1\""},
		{"a terminal", put_visible, "a\x1b]0;t\x07\n\tb\x7f", "a\\x1b]0;t\\x07\n\tb\\x7f"},
		{"... C1 in UTF-8, and as a byte", put_visible,
			"\xc2\x9b"
			"2J\x9b"
			"2J",
			"\\xc2\\x9b2J\\x9b2J"},
		{"... characters with bytes of C1, and others", put_visible, "\xe2\x80\x93\xe9", "\xe2\x80\x93\xe9"},
		{"... a character that is cut off", put_visible, "a\xe2\x80", "a\xe2\\x80"},
		{"a word", put_word, " a \"\\;#///\n\xc2\x9b\xff\xc3\xa9",
			"\" a \\x22\\x5c\\x3b\\x23/\\x2f\\x2f\\x0a\\xc2\\x9b\\xff\xc3\xa9\""},
		{"no word", put_word, "", "\"\""},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text text = {0}, word = {0};
		struct error error = {0};
		rows[i].put(&text, rows[i].string);
		bool same = row_same(rows[i].why, text.data, rows[i].escaped);
		const char *at = text.data;
		if (same && rows[i].put == put_word) {
			ROW(rows[i].why, text_read_word(&at, &word, &error) && !*at);
			text_add(&word, "", 0);
			row_same(rows[i].why, word.data, rows[i].string);
		}
		text_clear(&text);
		text_clear(&word);
	}
}

static void numbers(void)
{
	static const struct {
		const char *why, *text;
		uint64_t limit;
		bool read;
		uint64_t value;
		const char *rest;
	} cases[] = {
		{"zero", "0", 9, true, 0, ""},
		{"what follows is left", "12ab", 99, true, 12, "ab"},
		{"the limit is inside", "99", 99, true, 99, ""},
		{"above the limit", "100", 99, false, 0, NULL},
		{"a limit of zero", "0", 0, true, 0, ""},
		{"above a limit of zero", "1", 0, false, 0, NULL},
		{"a digit above a small limit", "8", 5, false, 0, NULL},
		{"2^64 - 1", "18446744073709551615", UINT64_MAX, true, UINT64_MAX, ""},
		{"2^64", "18446744073709551616", UINT64_MAX, false, 0, NULL},
		{"far beyond", "99999999999999999999999", UINT64_MAX, false, 0, NULL},
		{"a sign", "-1", 99, false, 0, NULL},
		{"a plus", "+1", 99, false, 0, NULL},
		{"a blank before", " 1", 99, false, 0, NULL},
		{"a leading zero", "01", 99, false, 0, NULL},
		{"nothing", "", 99, false, 0, NULL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *at = cases[i].text;
		uint64_t value = 0;
		bool read = text_read_number(&at, cases[i].limit, &value);
		bool good = read == cases[i].read &&
			    (read ? value == cases[i].value && !strcmp(at, cases[i].rest) : at == cases[i].text);
		good &= text_is_number(cases[i].text, cases[i].limit, &value) == (cases[i].read && !*cases[i].rest);
		if (!good)
			CU_FAIL_FATAL(cases[i].why);
	}
}

static void errors(void)
{
	struct error error = {0};
	CU_ASSERT(!error_set(&error, ERROR_INPUT, "line %d is empty", 7));
	CU_ASSERT(!error_at(&error, "%s:%d", "file", 7));
	CU_ASSERT_STRING_EQUAL(error.message, "file:7: line 7 is empty");
	CU_ASSERT(error.kind == ERROR_INPUT);
	error_set(&error, ERROR_INCONSISTENT, "%s!", error.message);
	CU_ASSERT_STRING_EQUAL(error.message, "file:7: line 7 is empty!");
	error_set(&error, ERROR_INPUT, "%2000d", 1);
	CU_ASSERT(strlen(error.message) == sizeof error.message - 1);
	CU_ASSERT(!strcmp(error.message + sizeof error.message - 5, " ..."));
}

/* ------------------------------------------------------------------ outputs */

static char directory[] = "/tmp/tracenest-unit-XXXXXX";

static const char *in_directory(const char *name)
{
	static char path[sizeof directory + 300];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	return path;
}

static unsigned files_there(void)
{
	DIR *listing = opendir(directory);
	CU_ASSERT_FATAL(listing != NULL);
	unsigned files = 0;
	while (readdir(listing))
		files++;
	closedir(listing);
	return files - 2;
}

static bool holds(const char *name, const char *expected)
{
	char bytes[256];
	FILE *file = fopen(in_directory(name), "r");
	if (!file)
		return false;
	size_t length = fread(bytes, 1, sizeof bytes - 1, file);
	fclose(file);
	bytes[length] = 0;
	return !strcmp(bytes, expected);
}

static bool write_file(const char *name, const char *content, struct error *error)
{
	struct output *out = output_open(in_directory(name), error);
	if (!out)
		return false;
	output_write(out, content, strlen(content));
	return output_close(out, error);
}

static void outputs_whole_or_not(void)
{
	struct error error = {0};
	CU_ASSERT_FATAL(write_file("a", "first", &error));
	CU_ASSERT(holds("a", "first"));
	struct output *out = output_open(in_directory("a"), &error);
	CU_ASSERT_FATAL(out != NULL);
	struct text text = {0};
	text_put(&text, "second");
	output_text(out, &text);
	CU_ASSERT(text.length == 0);
	output_format(out, " %s %0600d", "and", 0);
	CU_ASSERT(holds("a", "first")); /* not before it is whole */
	CU_ASSERT(files_there() == 2);
	output_abandon(out);
	CU_ASSERT(holds("a", "first"));
	CU_ASSERT(files_there() == 1);
	output_abandon(NULL);
	unlink(in_directory("a"));
	text_clear(&text);
}

static void outputs_large(void)
{
	struct error error = {0};
	struct output *out = output_open(in_directory("large"), &error);
	CU_ASSERT_FATAL(out != NULL);
	char *block = mem_alloc(300000);
	memset(block, 'x', 300000);
	for (size_t length = 1; length <= 300000; length *= 3)
		output_write(out, block, length);
	CU_ASSERT(!output_failed(out));
	CU_ASSERT(output_close(out, &error));
	struct stat status;
	CU_ASSERT(!stat(in_directory("large"), &status) && status.st_size == 265720);
	free(block);
	unlink(in_directory("large"));
}

static void outputs_keep_modes_and_links(void)
{
	struct error error = {0};
	struct stat status;
	CU_ASSERT_FATAL(write_file("a", "x", &error));
	mode_t mask = umask(0);
	umask(mask);
	CU_ASSERT(!stat(in_directory("a"), &status) && (status.st_mode & 0777) == (0666 & ~mask));
	chmod(in_directory("a"), 0640);
	CU_ASSERT(!symlink("a", in_directory("link")));
	CU_ASSERT(write_file("link", "y", &error));
	CU_ASSERT(holds("a", "y"));
	CU_ASSERT(!lstat(in_directory("link"), &status) && S_ISLNK(status.st_mode));
	CU_ASSERT(!stat(in_directory("a"), &status) && (status.st_mode & 0777) == 0640);
	unlink(in_directory("link"));
	unlink(in_directory("a"));
}

static void outputs_refused(void)
{
	static const struct {
		const char *why, *path, *message;
	} cases[] = {
		{"a full disk", "/dev/full", "/dev/full: cannot write: No space left on device"},
		{"no such directory", "/nowhere/at/all", "/nowhere/at/all: cannot write: No such file or directory"},
		{"a directory", "/tmp", "/tmp: cannot write: Is a directory"},
		{"an empty name", "", ": cannot write: No such file or directory"},
		{"below a file", "/dev/null/x", "/dev/null/x: cannot write: Not a directory"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error error = {0};
		struct output *out = output_open(cases[i].path, &error);
		bool good = !out;
		if (out) {
			output_write(out, "x", 1);
			good = !output_close(out, &error);
		}
		if (!good || error.kind != ERROR_INPUT || strcmp(error.message, cases[i].message))
			CU_FAIL_FATAL(cases[i].why);
	}
	struct error error = {0};
	struct output *out = output_open("/dev/null", &error);
	CU_ASSERT_FATAL(out != NULL);
	output_write(out, "x", 1);
	CU_ASSERT(output_close(out, &error));
}

static void into_a_closed_pipe(void)
{
	signal(SIGPIPE, SIG_IGN);
	int ends[2];
	if (pipe(ends))
		_exit(1);
	close(ends[0]);
	dup2(ends[1], STDOUT_FILENO);
	struct error error = {0};
	struct output *out = output_open("-", &error);
	for (int i = 0; i < 100000; i++)
		output_write(out, "0123456789", 10);
	bool failed = output_failed(out);
	_exit(failed && output_close(out, &error) ? 0 : 2);
}

static void interrupted(int signal)
{
	struct error error = {0};
	struct output *out = output_open(in_directory("never"), &error);
	output_write(out, "x", 1);
	raise(signal);
	output_abandon(out);
}

static void by_interrupt(void)
{
	interrupted(SIGINT);
}

static void by_terminate(void)
{
	interrupted(SIGTERM);
}

static void by_file_limit(void)
{
	interrupted(SIGXFSZ);
}

static void by_hangup(void)
{
	interrupted(SIGHUP);
}

static void ignoring_hangup(void)
{
	signal(SIGHUP, SIG_IGN);
	interrupted(SIGHUP);
}

static void by_exit(void)
{
	struct error error = {0};
	output_write(output_open(in_directory("never"), &error), "x", 1);
	quick_exit(3);
}

static void without_memory(void)
{
	struct error error = {0};
	output_write(output_open(in_directory("never"), &error), "x", 1);
	ask_for_too_much();
}

static void outputs_cut_short(void)
{
	int status = status_of(into_a_closed_pipe);
	CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CU_ASSERT(WTERMSIG(status_of(by_interrupt)) == SIGINT && files_there() == 0);
	CU_ASSERT(WTERMSIG(status_of(by_terminate)) == SIGTERM && files_there() == 0);
	CU_ASSERT(WTERMSIG(status_of(by_file_limit)) == SIGXFSZ && files_there() == 0);
	CU_ASSERT(WTERMSIG(status_of(by_hangup)) == SIGHUP && files_there() == 0);
	CU_ASSERT(WEXITSTATUS(status_of(by_exit)) == 3 && files_there() == 0);
	CU_ASSERT(WEXITSTATUS(status_of(without_memory)) == 1 && files_there() == 0);
	status = status_of(ignoring_hangup);
	CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 99);
}

/* ------------------------------------------------------------------ threads */

static void mark(void *context, size_t i)
{
	atomic_uint *seen = context;
	atomic_fetch_add(&seen[i], 1);
}

static void use_stack(void *context, size_t i)
{
	volatile char deep[40 << 20];
	deep[0] = (char)i;
	deep[sizeof deep - 1] = deep[0];
	mark(context, i);
}

struct order {
	size_t next;
	bool kept;
};

static void in_order(void *context, size_t i)
{
	struct order *order = context;
	order->kept &= i == order->next++;
}

static void threads(void)
{
	static const unsigned jobs[] = {0, 1, 2, 3, 16};
	static const size_t counts[] = {0, 1, 2, 1000};
	for (size_t j = 0; j < 5; j++)
		for (size_t c = 0; c < 4; c++) {
			atomic_uint *seen = mem_zero(1000 * sizeof *seen);
			parallel_for(jobs[j], counts[c], mark, seen);
			for (size_t i = 0; i < 1000; i++)
				CU_ASSERT_FATAL(seen[i] == (i < counts[c]));
			free(seen);
		}
	struct order order = {0, true};
	parallel_for(1, 100, in_order, &order);
	CU_ASSERT(order.kept && order.next == 100);
	CU_ASSERT(parallel_cores() >= 1);
	atomic_uint deep[2] = {0};
	parallel_for(2, 2, use_stack, deep);
	CU_ASSERT(deep[0] == 1 && deep[1] == 1);
}

/* ------------------------------------------------------------------ graphs */

#define NODES 12u

struct small_graph {
	uint32_t nodes;
	struct edge edge[2 * NODES];
	size_t edges;
	bool reaches[NODES][NODES]; /* every node itself, too */
};

static void make_graph(struct small_graph *g)
{
	*g = (struct small_graph){.nodes = (uint32_t)rand() % (NODES + 1)};
	g->edges = g->nodes ? (size_t)rand() % (2 * g->nodes) : 0;
	for (size_t i = 0; i < g->edges; i++) {
		g->edge[i] = (struct edge){(uint32_t)rand() % g->nodes, (uint32_t)rand() % g->nodes};
		g->reaches[g->edge[i].from][g->edge[i].to] = true;
	}
	for (uint32_t v = 0; v < g->nodes; v++)
		g->reaches[v][v] = true;
	for (uint32_t via = 0; via < g->nodes; via++)
		for (uint32_t from = 0; from < g->nodes; from++)
			for (uint32_t to = 0; to < g->nodes; to++)
				g->reaches[from][to] |= g->reaches[from][via] && g->reaches[via][to];
}

static void components(void)
{
	srand(1);
	for (unsigned round = 0; round < rounds(2000); round++) {
		struct small_graph g;
		uint32_t component[NODES], most = 0;
		make_graph(&g);
		uint32_t count = components_find(g.nodes, g.edge, g.edges, component);
		for (uint32_t v = 0; v < g.nodes; v++) {
			most = component[v] + 1 > most ? component[v] + 1 : most;
			for (uint32_t w = 0; w < g.nodes; w++)
				CU_ASSERT_FATAL((component[v] == component[w]) == (g.reaches[v][w] && g.reaches[w][v]));
		}
		for (size_t i = 0; i < g.edges; i++)
			CU_ASSERT_FATAL(component[g.edge[i].from] >= component[g.edge[i].to]);
		CU_ASSERT_FATAL(count == most);
	}
}

static void components_far(void)
{
	enum { LONG = 1000000 };
	struct edge *edge = mem_array(LONG, sizeof *edge);
	uint32_t *component = mem_array(LONG, sizeof *component);
	for (uint32_t i = 0; i < LONG; i++)
		edge[i] = (struct edge){i, (i + 1) % LONG};
	CU_ASSERT(components_find(LONG, edge, LONG - 1, component) == LONG && component[LONG - 1] == 0);
	CU_ASSERT(components_find(LONG, edge, LONG, component) == 1 && component[LONG - 1] == 0);
	free(edge);
	free(component);
}

static void union_find(void)
{
	srand(2);
	for (unsigned round = 0; round < rounds(2000); round++) {
		uint32_t parent[NODES], lowest[NODES];
		union_find_start(parent, NODES);
		for (uint32_t x = 0; x < NODES; x++)
			lowest[x] = x;
		for (int joins = rand() % 12; joins; joins--) {
			uint32_t a = (uint32_t)rand() % NODES, b = (uint32_t)rand() % NODES;
			uint32_t low = lowest[a] < lowest[b] ? lowest[a] : lowest[b],
				 high = lowest[a] ^ lowest[b] ^ low;
			union_find_join(parent, a, b);
			for (uint32_t x = 0; x < NODES; x++)
				lowest[x] = lowest[x] == high ? low : lowest[x];
		}
		for (uint32_t x = 0; x < NODES; x++) {
			CU_ASSERT_FATAL((parent[x] == x) == (lowest[x] == x));
			CU_ASSERT_FATAL(union_find_root(parent, x) == lowest[x]);
		}
	}
}

static void heaps(void)
{
	srand(3);
	for (unsigned round = 0; round < 500; round++) {
		struct heap h = {0};
		struct heap_entry last = {0};
		size_t pushed = 0, popped = 0;
		for (int steps = rand() % 60; steps || h.length; steps -= steps > 0) {
			if (steps && rand() % 3) {
				struct heap_entry e = {(uint64_t)rand() % 5, (uint64_t)rand() % 3, (uint32_t)pushed++};
				if (popped && (e.key < last.key || (e.key == last.key && e.tie < last.tie)))
					/* as in a simulation: never before what has come */
					e.key = last.key, e.tie = last.tie;
				heap_push(&h, e);
			} else if (h.length) {
				struct heap_entry e = heap_pop(&h);
				if (rand() % 2) /* out and in again, perhaps with another one in its place */
					e = heap_exchange(&h, e);
				if (popped++)
					CU_ASSERT_FATAL(last.key < e.key || (last.key == e.key && last.tie <= e.tie));
				last = e;
			}
		}
		CU_ASSERT_FATAL(pushed == popped);
		heap_clear(&h);
	}
	struct heap h = {0};
	for (uint32_t id = 5; id-- > 0;)
		heap_push(&h, (struct heap_entry){7, 7, id});
	for (uint32_t id = 0; id < 5; id++)
		CU_ASSERT(heap_pop(&h).id == id);
	CU_ASSERT(heap_exchange(&h, (struct heap_entry){3, 0, 9}).id == 9); /* of none, that one */
	for (uint32_t id = 5; id-- > 0;)
		heap_push(&h, (struct heap_entry){10 * id, 0, id});
	CU_ASSERT(heap_exchange(&h, (struct heap_entry){25, 0, 8}).id == 0);
	CU_ASSERT(heap_exchange(&h, (struct heap_entry){5, 0, 7}).id == 7);
	static const uint32_t left[] = {1, 2, 8, 3, 4};
	for (size_t i = 0; i < 5; i++)
		CU_ASSERT(heap_pop(&h).id == left[i]);
	heap_clear(&h);
}

static void searching(void)
{
	static const int numbers[] = {1, 3, 7, 7, 9};
	static const size_t cases[][3] = {{0, 5, 2}, {3, 5, 3}, {0, 2, 2}, {0, 0, 0}}; /* low, high, found */
	for (size_t i = 0; i < 4; i++) {
		size_t at;
		SEARCH_FIRST(at, cases[i][0], cases[i][1], numbers[at] >= 7);
		CU_ASSERT_EQUAL(at, cases[i][2]);
	}
	CU_ASSERT(gcd(12, 18) == 6 && gcd(0, 5) == 5 && gcd(5, 0) == 5 && gcd(7, 9) == 1);
	CU_ASSERT(common_multiple(4, 6, 12) == 12 && common_multiple(4, 6, 11) == 0);
	CU_ASSERT(common_multiple(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX) == 0);
}

/* ------------------------------------------------------------------ JSON */

static void json_strings(void)
{
	static const struct {
		const char *why, *string, *quoted;
	} rows[] = {
		{"nothing", "", "\"\""},
		{"words", "MPI_Send, 12", "\"MPI_Send, 12\""},
		{"quotes and backslashes", "a\"b\\c\\", "\"a\\\"b\\\\c\\\\\""},
		{"control characters", "a\nb\tc\rd\x01\x1f\x7f", "\"a\\nb\\tc\\u000dd\\u0001\\u001f\\u007f\""},
		{"what would end a script", "</script>&", "\"\\u003c/script>\\u0026\""},
		{"UTF-8", "\xc3\xa9\xf0\x9f\x98\x80", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
		{"Latin 1", "\xe9t\xe9", "\"\xef\xbf\xbdt\xef\xbf\xbd\""},
		{"a character cut off", "a\xe2\x82", "\"a\xef\xbf\xbd\xef\xbf\xbd\""},
		{"an overlong slash", "\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct json j = {0};
		json_string(&j, NULL, rows[i].string);
		row_same(rows[i].why, j.text.data, rows[i].quoted);
		text_clear(&j.text);
	}
}

static void put_sample(struct json *j)
{
	json_object(j, NULL, JSON_LINES);
	json_string(j, "a \"name\"", "x");
	json_number(j, "most", UINT64_MAX);
	json_array(j, "nothing", JSON_LINES);
	json_close(j);
	json_array(j, "rows", JSON_LINES);
	for (int i = 0; i < 2; i++) {
		json_object(j, NULL, JSON_ROW);
		json_real(j, "half", 0.5, 3);
		json_truth(j, "last", i);
		json_close(j);
	}
	json_close(j);
	json_array(j, "numbers", JSON_ROW);
	json_number(j, NULL, 4);
	json_real(j, NULL, 0.0 / 0.0, 3);
	json_close(j);
	json_object(j, "tight", JSON_TIGHT);
	json_integer(j, "none", -1);
	json_array(j, "short", JSON_TIGHT);
	json_short(j, NULL, 10.25, 3);
	json_short(j, NULL, 100, 1);
	json_short(j, NULL, 100, 0);
	json_close(j);
	json_close(j);
	json_close(j);
	json_finish(j);
}

static void json_layout(void)
{
	struct json j = {0};
	put_sample(&j);
	CU_ASSERT_STRING_EQUAL(j.text.data,
		"{\n  \"a \\\"name\\\"\": \"x\",\n  \"most\": 18446744073709551615,\n  \"nothing\": [],\n  \"rows\": [\n"
		"    {\"half\": 0.500, \"last\": false},\n    {\"half\": 0.500, \"last\": true}\n  ],\n  \"numbers\": [4, null],\n  \"tight\": {\"none\":-1,\"short\":[10.25,100,100]}\n}\n");
	text_clear(&j.text);
}

static void no_files_left(void)
{
	CU_ASSERT(files_there() == 0);
	CU_ASSERT(!rmdir(directory));
}

static void titles(void)
{
	static const char *const cases[][2] = {
		{"lu.nest", "lu"},
		{"a.b/lu.A.16.nest", "lu.A.16"},
		{"lu", "lu"},
		{"a/.hidden", ".hidden"},
		{"a/app.trace/traces.otf2", "app"},
		{"lu.S.4.ez/eztrace_log.otf2", "lu.S.4"},
		{"traces.otf2", "traces"},
		{"/traces.otf2", "traces"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text title = {0};
		file_title(cases[i][0], &title);
		CU_ASSERT_STRING_EQUAL(title.data, cases[i][1]);
		text_clear(&title);
	}
}

static void orders_in_common(void)
{
	static const struct {
		const char *why, *lists, *order;
	} cases[] = {
		{"none", "", ""},
		{"nothing in some", "  a ", "a"},
		{"as each has them", "abc bc abc", "abc"},
		{"those of one round in the order of the lists", "rx sx ry sy", "rsxy"},
		{"rows, then columns, though some columns are next sooner", "ac ad bc bd", "abcd"},
		{"one alone has more", "aspb ab atb", "astpb"},
		{"what one does not hold", "ab bc ca", "abc"},
		{"the first is right", "ab ba", "ab"},
		{"twice in one", "aba", "ab"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t from[8] = {0}, length[8] = {0}, lists = 0, items = strlen(cases[i].lists);
		uint32_t item[32], order[26];
		char words[27] = "";
		for (size_t k = 0; k < items; k++) {
			item[k] = (uint32_t)(cases[i].lists[k] - 'a') % 26;
			if (cases[i].lists[k] == ' ')
				from[++lists] = k + 1;
			else
				length[lists]++;
		}
		size_t ordered = common_order(lists + 1, from, length, item, 26, order);
		for (size_t k = 0; k < ordered; k++)
			words[k] = (char)('a' + order[k]);
		if (strcmp(words, cases[i].order) != 0)
			printf("%s: %s instead of %s\n", cases[i].why, words, cases[i].order);
		CU_ASSERT(!strcmp(words, cases[i].order));
	}
}

void suite_base(CU_pSuite suite)
{
	if (!mkdtemp(directory))
		exit(1);
	signal(SIGINT, SIG_DFL); /* which who started the tests may ignore: nohup, a shell's background */
	signal(SIGHUP, SIG_DFL);
	CU_add_test(suite, "growable arrays", growing);
	CU_add_test(suite, "growable arrays that begin at zero", growing_zeroed);
	CU_add_test(suite, "arenas", arenas);
	CU_add_test(suite, "impossible sizes end the process", overflow);
	CU_add_test(suite, "interning", interning);
	CU_add_test(suite, "interning many", interning_many);
	CU_add_test(suite, "interning keys", interning_keys);
	CU_add_test(suite, "interning, and forgetting all", interning_empty);
	CU_add_test(suite, "texts", texts);
	CU_add_test(suite, "strings from outside, escaped for each target", escapes);
	CU_add_test(suite, "numbers", numbers);
	CU_add_test(suite, "errors", errors);
	CU_add_test(suite, "outputs appear whole or not at all", outputs_whole_or_not);
	CU_add_test(suite, "large outputs", outputs_large);
	CU_add_test(suite, "outputs keep modes and links", outputs_keep_modes_and_links);
	CU_add_test(suite, "outputs that cannot be", outputs_refused);
	CU_add_test(suite, "outputs cut short", outputs_cut_short);
	CU_add_test(suite, "threads", threads);
	CU_add_test(suite, "components: who reaches whom", components);
	CU_add_test(suite, "components of a long way, without recursion", components_far);
	CU_add_test(suite, "union-find: the lowest is the root", union_find);
	CU_add_test(suite, "heaps: the least first", heaps);
	CU_add_test(suite, "binary search, greatest common divisor", searching);
	CU_add_test(suite, "what people call a file", titles);
	CU_add_test(suite, "orders that lists have in common", orders_in_common);
	CU_add_test(suite, "JSON: strings", json_strings);
	CU_add_test(suite, "JSON: commas and lines", json_layout);
	CU_add_test(suite, "no files left", no_files_left);
}
