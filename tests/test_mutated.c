/*
 * test_mutated.c -- random programs beside themselves with one line swapped, dropped, doubled, or
 * with another number: `diff` and `test` say that nothing differs exactly where all events of all
 * processes, as `expand` prints them, are the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "base/output.h"
#include "lib/expand.h"
#include "model/prepared.h"
#include "report/changes.h"
#include "report/difference.h"
#include "tests/archive.h"
#include "tests/models.h"
#include "tests/random_program.h"
#include "tests/rows.h"
#include "tests/spmd.h"

#define LINES_MOST 4096
#define EVENTS_MOST 20000 /* of a program: more say no more */

struct lines {
	char *line[LINES_MOST];
	size_t length;
};

static struct lines lines_of(const char *text)
{
	struct lines l = {.length = 0};
	for (const char *end; *text && l.length < LINES_MOST; text = end + 1) {
		end = strchr(text, '\n');
		l.line[l.length] = mem_copy(text, (size_t)(end - text) + 1);
		l.line[l.length++][end - text] = '\0';
	}
	return l;
}

static struct text text_of(struct lines *l)
{
	struct text text = {0};
	for (size_t i = 0; i < l->length; i++) {
		text_format(&text, "%s\n", l->line[i]);
		free(l->line[i]);
	}
	return text;
}

/* A random program whose messages and collectives have sizes, roots, communicators. */
static struct text random_text(uint64_t *seed)
{
	struct random_program *p =
		random_program_new((unsigned)spmd_draw(seed, 1U << 30), (unsigned)spmd_draw(seed, 8));
	struct text bare = {0}, text = {0};
	random_program_print(p, false, &bare);
	struct lines l = lines_of(bare.data);
	for (size_t i = 0; i < l.length; i++) {
		bool sync = strstr(l.line[i], " sync "), message = strstr(l.line[i], " tag");
		text_put(&text, l.line[i]);
		if (sync && spmd_draw(seed, 2))
			text_format(&text, "%s root=%u", spmd_draw(seed, 2) ? "@3" : "", (unsigned)spmd_draw(seed, 6));
		if ((sync || message) && spmd_draw(seed, 3))
			text_put(&text, spmd_draw(seed, 2) ? " ; bytes={8+8*p}" : " ; bytes=64");
		text_char(&text, '\n');
		free(l.line[i]);
	}
	text_clear(&bare);
	random_program_free(p);
	return text;
}

static void swap(char **a, char **b)
{
	char *kept = *a;
	*a = *b;
	*b = kept;
}

/* Each event has its place in the source: its line. */
static struct text with_sites(const struct text *from)
{
	struct lines l = lines_of(from->data);
	struct text text = {0};
	for (size_t i = 0; i < l.length; i++) {
		bool sync = strstr(l.line[i], " sync "), message = strstr(l.line[i], " tag");
		text_put(&text, l.line[i]);
		if (sync || message)
			text_format(&text, "%s site=\"a.c:%zu main\"", strstr(l.line[i], " ; ") ? "" : " ;", 10 * i);
		text_char(&text, '\n');
		free(l.line[i]);
	}
	return text;
}

/* One of the numbers of a line is another one. */
static void change_number(char **line, uint64_t *seed)
{
	size_t numbers = 0;
	const char *site = strstr(*line, "site=");
	for (const char *at = *line; *(at += strcspn(at, "0123456789")); at += strspn(at, "0123456789"))
		numbers += !site || at < site;
	if (!numbers)
		return;
	char *at = *line + strcspn(*line, "0123456789"), *end;
	for (size_t chosen = spmd_draw(seed, numbers); chosen; chosen--) {
		at += strspn(at, "0123456789");
		at += strcspn(at, "0123456789");
	}
	unsigned long number = strtoul(at, &end, 10);
	struct text changed = {0};
	text_add(&changed, *line, (size_t)(at - *line));
	text_format(&changed, "%lu%s", number && spmd_draw(seed, 2) ? number - 1 : number + 1, end);
	free(*line);
	*line = changed.data;
}

static struct text mutated(const char *from, uint64_t *seed)
{
	struct lines l = lines_of(from);
	size_t at = 1 + spmd_draw(seed, l.length - 1); /* not the first, which says what the file is */
	switch (spmd_draw(seed, 6)) {
	case 0:
		swap(&l.line[at], &l.line[1 + spmd_draw(seed, l.length - 1)]);
		break;
	case 1:
		swap(&l.line[at], &l.line[at + 1 < l.length ? at + 1 : at]);
		break;
	case 2:
		free(l.line[at]);
		memmove(&l.line[at], &l.line[at + 1], (--l.length - at) * sizeof *l.line);
		break;
	case 3:
		memmove(&l.line[at + 1], &l.line[at], (l.length++ - at) * sizeof *l.line);
		l.line[at] = mem_text(l.line[at + 1]);
		break;
	default:
		change_number(&l.line[at], seed);
		break;
	}
	return text_of(&l);
}

/* ------------------------------------------------------------------ the oracle, and who asks */

static struct text expanded(struct prepared *p, const char *directory)
{
	struct text path = {0}, all = {0};
	struct error error = {0};
	struct ranks ranks = {0};
	text_format(&path, "%s/all.trace", directory);
	struct output *out = output_open(path.data, &error);
	ranks_add_run(&ranks, 0, p->module->processes - 1);
	output_do_not_wait(out);
	CU_ASSERT_TRUE(expand_write(p->run, &ranks, &(struct expand_options){.values = "bytes"}, out, &error));
	CU_ASSERT_TRUE(output_close(out, &error) && file_read(path.data, (size_t)1 << 30, &all, &error));
	text_add(&all, "", 0);
	ranks_clear(&ranks);
	text_clear(&path);
	return all;
}

/* What is no communication is left out. */
static void keep_communication(struct text *events)
{
	char *to = events->data;
	for (char *at = events->data, *end; *at; at = end) {
		end = at + strcspn(at, "\n") + 1;
		if (!memmem(at, (size_t)(end - at), " local ", 7))
			to = (char *)memmove(to, at, (size_t)(end - at)) + (end - at);
	}
	*to = '\0';
}

static struct prepared *parsed(const struct text *text)
{
	struct error error = {0};
	struct prepared *p = prepared_parse("mutated", text->data, text->length, &error);
	if (!p || p->module->events <= EVENTS_MOST)
		return p;
	prepared_free(p);
	return NULL;
}

/* Does diff say so, in figures and in words? */
static bool diff_differs(const char *const *path)
{
	struct account_options options = {ACCOUNT_OPTIONS};
	struct difference d;
	struct error error = {0};
	struct text page = {0};
	options.program.jobs = 1;
	CU_ASSERT_TRUE_FATAL(difference_read(&d, path[0], path[1], &options, &error));
	difference_print(&d, &page);
	bool differs = d.structure;
	CU_ASSERT_EQUAL(!differs, !strncmp(page.data, "Nothing differs", 15));
	if (differs && !d.differing && d.run[0].processes == d.run[1].processes)
		row_contains("what no row shows is told", page.data, "The streams differ first on rank ");
	text_clear(&page);
	difference_clear(&d);
	return differs;
}

static bool test_differs(struct prepared *golden, struct prepared *run)
{
	struct changes changes = {0};
	struct error error = {0};
	struct run *of = golden->run, *as = run->run;
	CU_ASSERT_TRUE(changes_of(of, as, &(struct changes_options){0}, &changes, &error));
	bool differs = changes.length;
	changes_clear(&changes);
	return differs;
}

static void compare(
	const struct text *first, const struct text *second, const char *directory, unsigned *all, unsigned *same)
{
	const struct text text[2] = {*first, *second};
	struct prepared *p[2] = {parsed(&text[0]), parsed(&text[1])};
	struct text path[2] = {{0}}, events[2] = {{0}};
	struct error error = {0};
	for (size_t i = 0; i < 2 && p[0] && p[1]; i++) {
		text_format(&path[i], "%s/%zu.nest", directory, i);
		CU_ASSERT_TRUE(output_all(path[i].data, text[i].data, text[i].length, &error));
		events[i] = expanded(p[i], directory);
	}
	if (p[0] && p[1]) {
		bool differ =
			p[0]->module->processes != p[1]->module->processes || strcmp(events[0].data, events[1].data);
		bool told = diff_differs((const char *const[]){path[0].data, path[1].data});
		if (told != differ)
			printf("\ndiff of '%s' and '%s'\n", text[0].data, text[1].data);
		CU_ASSERT_EQUAL(told, differ);
		keep_communication(&events[0]);
		keep_communication(&events[1]);
		differ = p[0]->module->processes != p[1]->module->processes || strcmp(events[0].data, events[1].data);
		told = p[0]->module->processes != p[1]->module->processes || test_differs(p[0], p[1]);
		if (told != differ)
			printf("\ntest of '%s' and '%s'\n", text[0].data, text[1].data);
		CU_ASSERT_EQUAL(told, differ);
		++*all;
		*same += !differ;
	}
	for (size_t i = 0; i < 2; i++) {
		prepared_free(p[i]);
		text_clear(&path[i]);
		text_clear(&events[i]);
	}
}

#define MUTATIONS 100
#define OF_EACH 4

static void test_mutated(void)
{
	char *directory = scratch_new();
	uint64_t seed = 41;
	unsigned all = 0, same = 0;
	for (unsigned n = rounds(MUTATIONS); all < n && CU_get_number_of_failures() < 5;) {
		struct text bare = random_text(&seed), sited = with_sites(&bare);
		for (int k = 0; k < OF_EACH; k++) {
			struct text changed = mutated((k % 3 ? bare : sited).data, &seed);
			struct text moved = with_sites(k % 3 == 1 ? &changed : &bare);
			compare(k % 3 == 0   ? &sited
				: k % 3 == 1 ? &sited
					     : &bare,
				k % 3 == 1 ? &moved : &changed, directory, &all, &same);
			text_clear(&changed);
			text_clear(&moved);
		}
		text_clear(&bare);
		text_clear(&sited);
	}
	CU_ASSERT_TRUE(same > 0 && same < all);
	scratch_remove(directory);
}

void suite_mutated(CU_pSuite suite)
{
	CU_add_test(suite, "diff and test see what differs in the streams, and nothing else", test_mutated);
}
