/*
 * test_requests.c -- annotations in a program's text: the statements and the processes that they
 * speak of.
 */
#include <stdio.h>
#include <string.h>

#include "model/prepared.h"
#include "scangen/scangen.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define FOLDED_LOOP "[0-3] for i = 0 to 9\n[0-3] p send p^1 t\n"

static const struct {
	const char *why, *text, *asked; /* "LABEL END ADDRESS RANKS", or what is said instead */
} cases[] = {
	{"the statement that follows", "[0-1] p send p+2 t\nget \"a\" {*}.time ->\n[2-3] p-2 recv p t\n",
		"a start of 1 2-3"},
	{"those asked about", "[0-1] p send p+2 t\nget \"a\" {3}.time ->\n[2-3] p-2 recv p t\n", "a start of 1 3"},
	{"the statement before", "[0-3] p send p^1 t\nget \"a\" {0,2-3}.time <-\n[0-3] p^1 recv p t\n",
		"a end of 0 0,2-3"},
	{"a loop", "get \"a\" {*}.time ->\n" FOLDED_LOOP "[0-3] p^1 recv p t\ndone\n", "a start of 0 0-3"},
	{"each iteration of it",
		"[0-3] for i = 0 to 9\nget \"a\" {*}.time <-\n[0-3] p send p^1 t\n[0-3] p^1 recv p t\ndone\n",
		"a iteration of 0 0-3"},
	{"the end of each", FOLDED_LOOP "[0-3] p^1 recv p t\nget \"a\" {*}.time ->\ndone\n",
		"a iteration end of 0 0-3"},
	{"inside of it", FOLDED_LOOP "get \"a\" {1-2}.time ->\n[0-3] p^1 recv p t\ndone\n", "a start of 0.1 1-2"},
	{"between numbers that advance",
		"for i0 = 0 to 3\n[0] p send 1 t{i0}\nget \"a\" {*}.time <-\nfor i1 = 0 to {i0}\n0 send 1 u\n"
		"get \"b\" {0}.time <-\ndone\ndone\n",
		"a end of 0.0 0, b end of 0.1.0 0"},
	{"plain statements beside others",
		"0 send 3 t\n[0-2] p send p+1 u\n[1-3] p-1 recv p u\nget \"a\" {3}.time ->\n0 recv 3 t\n",
		"a start of 3 3"},
	{"a process that has no part", "get \"a\" {0,3}.time ->\n[0-1] p send p+2 t\n[2-3] p-2 recv p t\n",
		"test:3: get \"a\": statement 0 covers the processes 0-1, not 3"},
	{"a loop that nobody runs", "get \"a\" {*}.time ->\n[0-1] for i = 0 to -1\n[0-1] p send p+2 t\ndone\n",
		"test:3: get \"a\": statement 0 is never executed"},
	{"behind a loop that does nothing at first",
		"for i0 = 0 to 3\nfor i1 = 0 to {i0-3}\n0 send 1 t\ndone\nget \"a\" {*}.time ->\n0 send 1 u\ndone\n",
		"a start of 0.1 0"},
	{"inside of guards",
		"for i0 = 0 to 3\nif {i0} = 2\nget \"a\" {*}.time ->\n0 send 1 t\nelse\nget \"b\" {0}.time <-\n"
		"0 send 1 u\ndone\nget \"c\" {1}.time ->\n1 send 0 v\ndone\n",
		"a start of 0.0.0 0, b iteration of 0.1 0, c start of 0.2 1"},
	{"one who is named, before a table",
		"[0-1] for i0 = 0 to 1\n[$w[i0]] p send 2 t\nget \"a\" {*}.time <-\ndone\n$w[i0] = 1 0\n",
		"a end of 0.0 0-1"},
	{"in a procedure, at each call, and around calls",
		"for i0 = 0 to 3\nget \"a\" {*}.time ->\ncall f(i0)\ndone\nget \"b\" {0}.time ->\ncall f(1)\nget \"c\" {1}.time <-\n"
		"procedure f(n)\n0 send 1 t{n}\nfor i0 = 0 to 1\nget \"d\" {*}.time ->\n0 send 2 u\ndone\n"
		"1 send 2 v{$w[n]}\ndone\n$w[i0] = 1 0 1 0\n",
		"a start of 0.0 0, d start of 0.1.0 0, b start of 1 0, d start of 2.0 0, c end of 3 1"},
	{"before a table", "0 send 1 t{$w[0]}\nget \"a\" {*}.time ->\n$w[i0] = 1 0\n",
		"test:4: '->' speaks of the construct behind it, and there is none"},
};

static void print_asked(const struct prepared *f, const struct scan_requests *r, struct text *out)
{
	static const char *const ends[] = {"start", "end", "iteration", "iteration end"};
	for (size_t i = 0; i < r->length; i++) {
		struct ranks all = {0};
		struct error error = {0};
		size_t at;
		CU_ASSERT_FATAL(module_find(f->module, r->item[i].address, &at, &error));
		struct offsets *o = offsets_new(f->run);
		offsets_ranks(o, at, &all);
		text_format(out, "%s%s %s of %s ", i ? ", " : "", r->item[i].label, ends[r->item[i].end],
			r->item[i].address);
		ranks_print(r->item[i].ranks.length ? &r->item[i].ranks : &all, out);
		ranks_clear(&all);
		offsets_free(o);
	}
}

static void test_cases(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text text = {0}, asked = {0}, source = {0};
		struct scan_requests requests = {0};
		struct error error = {0};
		text_format(&text, "// tracenest 1\n// processes 4\n%s", cases[i].text);
		struct prepared *f = prepared_parse("test", text.data, text.length, &error);
		bool good = f && scan_requests_read(&requests, "test", text.data, text.length, &error) &&
			    scangen_write(f->run, &requests,
				    &(struct scangen_options){.model = "test", .version = "test"}, &source, &error);
		if (good)
			print_asked(f, &requests, &asked);
		else
			text_put(&asked, error.message);
		good = !strncmp(asked.data, cases[i].asked, strlen(cases[i].asked));
		if (!good)
			printf("%s: %s\n", cases[i].why, asked.data);
		ROW(cases[i].why, good);
		scan_requests_clear(&requests);
		prepared_free(f);
		text_clear(&text);
		text_clear(&asked);
		text_clear(&source);
	}
}

void suite_requests(CU_pSuite suite)
{
	CU_add_test(suite, "what annotations speak of", test_cases);
}
