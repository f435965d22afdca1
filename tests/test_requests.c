/*
 * test_requests.c -- annotations in folded text: the places that they come to mean in the plain model are those that a naive walk of the folded
 * program passes, process by process.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold/fold.h"
#include "model/program.h"
#include "scangen/scangen.h"
#include "tests/spmd.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ walks */

/* One process on its way; each place asked about becomes a line "LABEL PROCESS POSITION". */
struct walk {
	const struct scan_requests *asked;
	uint32_t process;
	uint64_t position;
	struct text address;
	char **line;
	size_t lines, capacity;
};

static void pass(struct walk *w, enum nest_position_end end)
{
	for (size_t i = 0; i < w->asked->length; i++) {
		const struct scan_request *r = &w->asked->item[i];
		if (r->end != end || strcmp(r->address, w->address.data) || (r->ranks.length && !ranks_has(&r->ranks, w->process)))
			continue;
		struct text line = {0};
		text_format(&line, "%s %" PRIu32 " %" PRIu64, r->label, w->process, w->position);
		w->line = mem_grow(w->line, &w->capacity, w->lines + 1, sizeof *w->line);
		w->line[w->lines++] = line.data;
	}
}

static size_t enter(struct walk *w, size_t index)
{
	size_t length = w->address.length;
	text_format(&w->address, "%s%zu", length ? "." : "", index);
	return length;
}

static bool has_part(const struct program *f, size_t at, uint32_t process)
{
	const struct statement *s = &f->statement[at];
	struct ranks_run single;
	if (!statement_is_loop(s)) {
		struct ranks who = program_processes(f, s, &single);
		return ranks_has(&who, process);
	}
	for (size_t i = at + 1; s->count && i < at + s->size; i += statement_size(&f->statement[i]))
		if (has_part(f, i, process))
			return true;
	return false;
}

static void walk_folded(struct walk *w, const struct program *f, size_t from, size_t to)
{
	for (size_t i = from, index = 0; i < to; i += statement_size(&f->statement[i]), index++) {
		const struct statement *s = &f->statement[i];
		if (!has_part(f, i, w->process))
			continue;
		size_t length = enter(w, index);
		pass(w, NEST_POSITION_START);
		for (uint64_t k = 0; statement_is_loop(s) && k < s->count; k++) {
			pass(w, NEST_POSITION_ITERATION);
			walk_folded(w, f, i + 1, i + s->size);
			pass(w, NEST_POSITION_ITERATION_END);
		}
		w->position += !statement_is_loop(s);
		pass(w, NEST_POSITION_END);
		text_truncate(&w->address, length);
	}
}

static void walk_plain(struct walk *w, const struct model *m, const struct nest_coverage *c, struct body body)
{
	for (size_t i = 0; i < body.length; i++) {
		node n = body.node[i];
		struct ranks_run single;
		struct ranks who = node_is_loop(n) ? *nest_coverage_loop(c, n) : event_processes(m->dictionary, n, &single);
		if (!ranks_has(&who, w->process))
			continue;
		size_t length = enter(w, i);
		pass(w, NEST_POSITION_START);
		for (uint64_t k = 0; node_is_loop(n) && k < nest_get(m->nest, n)->count; k++) {
			pass(w, NEST_POSITION_ITERATION);
			walk_plain(w, m, c, nest_body(m->nest, n));
			pass(w, NEST_POSITION_ITERATION_END);
		}
		w->position += !node_is_loop(n);
		pass(w, NEST_POSITION_END);
		text_truncate(&w->address, length);
	}
}

static int by_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines in the order of their words; the walk is cleared. */
static void finish(struct walk *w, struct text *out)
{
	if (w->lines)
		qsort(w->line, w->lines, sizeof *w->line, by_words);
	for (size_t i = 0; i < w->lines; i++) {
		text_format(out, "%s\n", w->line[i]);
		free(w->line[i]);
	}
	text_clear(&w->address);
	free(w->line);
}

/* ------------------------------------------------------------------ random programs */

static const char *random_ranks(uint64_t *seed, uint32_t processes, char buffer[32])
{
	snprintf(buffer, 32, "%" PRIu64, spmd_draw(seed, processes));
	return spmd_draw(seed, 4) ? "*" : buffer;
}

/* With an annotation here and there. Behind one with '->' no '<-' may stand, so a place has one of them. */
static void annotate(const char *text, uint32_t processes, uint64_t *seed, struct text *out)
{
	char ranks[32];
	unsigned number = 0;
	bool first = true;
	while (*text) {
		size_t length = strcspn(text, "\n") + 1;
		bool header = !strncmp(text, "//", 2);
		if (!header && spmd_draw(seed, 5) == 0) {
			bool forward = first || spmd_draw(seed, 2);
			text_format(out, "get \"%u\" {%s}.time %s\n", number++, random_ranks(seed, processes, ranks), forward ? "->" : "<-");
		}
		first &= header;
		text_add(out, text, length);
		text += length;
	}
}

/* The requests as they stand in the text, and as the constructs that they mean. */
struct meaning {
	struct program *folded;
	struct model *plain;
	struct scan_requests written, meant;
};

static bool read_meaning(struct meaning *m, const struct text *text, struct error *error)
{
	m->folded = program_parse("test", text->data, text->length, error);
	m->plain = m->folded ? model_parse("test", text->data, text->length, error) : NULL;
	return m->plain && scan_requests_read(&m->written, "test", text->data, text->length, error) &&
	       scan_requests_read(&m->meant, "test", text->data, text->length, error) &&
	       scan_requests_unfold(&m->meant, "test", m->folded, m->plain, error);
}

static void meaning_clear(struct meaning *m)
{
	scan_requests_clear(&m->written);
	scan_requests_clear(&m->meant);
	program_free(m->folded);
	model_free(m->plain);
}

static bool same_places(const struct meaning *m, size_t *places)
{
	struct nest_coverage *c = nest_coverage_new(m->plain, NULL);
	struct text wanted = {0}, got = {0};
	for (uint32_t p = 0; p < m->plain->processes; p++) {
		struct walk folded = {.asked = &m->written, .process = p}, plain = {.asked = &m->meant, .process = p};
		walk_folded(&folded, m->folded, 0, m->folded->length);
		walk_plain(&plain, m->plain, c, (struct body){m->plain->nest->root, m->plain->nest->root_length});
		*places += folded.lines;
		finish(&folded, &wanted);
		finish(&plain, &got);
	}
	bool same = wanted.length == got.length && (!wanted.length || !strcmp(wanted.data, got.data));
	text_clear(&wanted);
	text_clear(&got);
	nest_coverage_free(c);
	return same;
}

/* Where a rank was drawn that a statement does not cover, it must be said. */
static bool check_program(uint64_t seed, size_t *places, size_t *refused)
{
	struct spmd *program = spmd_new(seed, (enum spmd_style)(seed % SPMD_STYLES));
	struct spmd_run *run = spmd_run(program);
	struct model *m = spmd_model(run);
	struct program *folded = fold(m, NULL);
	struct text plain = {0}, text = {0};
	struct meaning meaning = {0};
	struct error error = {0};
	program_print_text(folded, &plain);
	annotate(plain.data, run->processes, &seed, &text);
	bool advances = program_varies(folded), good = read_meaning(&meaning, &text, &error);
	bool told = !good && strstr(error.message, advances ? "advance" : "the statement covers the processes");
	bool right = told || (good && same_places(&meaning, places));
	*refused += told;
	if (!right)
		printf("%s\n%s\n", error.message, text.data);
	meaning_clear(&meaning);
	text_clear(&plain);
	text_clear(&text);
	program_free(folded);
	model_free(m);
	spmd_run_free(run);
	spmd_free(program);
	return right;
}

static void test_random(void)
{
	size_t places = 0, refused = 0, programs = 150 * soak_factor();
	for (uint64_t seed = 1; seed <= programs; seed++)
		CU_ASSERT_FATAL(check_program(seed, &places, &refused));
	fprintf(stderr, "(%zu places of %zu programs, %zu refused) ", places, programs - refused, refused);
	CU_ASSERT(refused < programs * 2 / 3);
}

/* ------------------------------------------------------------------ by hand */

static const struct {
	const char *why, *text, *meant; /* "LABEL ADDRESS RANKS", or what is said instead */
} cases[] = {
	{"a statement is as many constructs as it has processes", "[0-1] p send p+2 t\nget \"a\" {*}.time ->\n[2-3] p-2 recv p t\n",
		"a 1 2, a 3 3"},
	{"those asked about", "[0-1] p send p+2 t\nget \"a\" {3}.time ->\n[2-3] p-2 recv p t\n", "a 3 3"},
	{"behind a statement", "[0-3] p send p^1 t\nget \"a\" {0,2-3}.time <-\n[0-3] p^1 recv p t\n", "a 0 0, a 3 2, a 4 3"},
	{"a collective is one", "get \"a\" {*}.time ->\n[0-3] p sync MPI_Barrier 0-3\n", "a 0 0-3"},
	{"a loop is one for each group that communicates", "get \"a\" {*}.time ->\n[0-3] for i = 0 to 9\n[0-3] p send p^1 t\n"
		"[0-3] p^1 recv p t\ndone\n", "a 0 0-1, a 1 2-3"},
	{"each iteration of them", "[0-3] for i = 0 to 9\nget \"a\" {*}.time <-\n[0-3] p send p^1 t\n[0-3] p^1 recv p t\ndone\n",
		"a 0 0-1, a 1 2-3"},
	{"inside of them", "[0-3] for i = 0 to 9\n[0-3] p send p^1 t\nget \"a\" {1-2}.time ->\n[0-3] p^1 recv p t\ndone\n",
		"a 0.3 1, a 1.2 2"},
	{"plain statements among them", "0 send 3 t\n[0-2] p send p+1 u\n[1-3] p-1 recv p u\nget \"a\" {3}.time ->\n0 recv 3 t\n", "a 7 3"},
	{"a process that has no part", "get \"a\" {0,3}.time ->\n[0-1] p send p+2 t\n[2-3] p-2 recv p t\n",
		"test:3: get \"a\": the statement covers the processes 0-1, not 3"},
	{"a loop that nobody runs", "get \"a\" {*}.time ->\n[0-1] for i = 0 to -1\n[0-1] p send p+2 t\n[2-3] p-2 recv p t\ndone\n", "test:"},
};

static void print_meant(const struct scan_requests *r, struct text *out)
{
	for (size_t i = 0; i < r->length; i++) {
		text_format(out, "%s%s %s ", i ? ", " : "", r->item[i].label, r->item[i].address);
		ranks_print(&r->item[i].ranks, out);
	}
}

static void test_cases(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text text = {0}, meant = {0};
		struct meaning m = {0};
		struct error error = {0};
		text_format(&text, "// tracenest 1\n// processes 4\n%s", cases[i].text);
		if (read_meaning(&m, &text, &error))
			print_meant(&m.meant, &meant);
		else
			text_put(&meant, error.message);
		bool good = meant.data && !strncmp(meant.data, cases[i].meant, strlen(cases[i].meant));
		if (!good)
			printf("%s: %s\n", cases[i].why, meant.data ? meant.data : "");
		CU_ASSERT(good);
		meaning_clear(&m);
		text_clear(&text);
		text_clear(&meant);
	}
}

void suite_requests(CU_pSuite suite)
{
	CU_add_test(suite, "statements over sets, by hand", test_cases);
	CU_add_test(suite, "annotated statements of random programs against a naive walk", test_random);
}
