/*
 * test_draft.c -- programs while they are built: changed statement by statement, and across to the
 * older form and back.
 */
#include "model/draft.h"
#include "model/generalize.h"
#include "model/prepared.h"
#include "tests/models.h"
#include "tests/rows.h"

#define HEADER "// tracenest 1\n// processes 4\n"

static struct draft *draft_of_row(const char *row)
{
	struct error error = {0};
	struct text text = lines_of_row(HEADER, row);
	struct module *m = module_parse("row", text.data, text.length, &error);
	text_clear(&text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	return draft_of(m);
}

static void expect_draft(const char *why, const struct draft *d, const char *expected)
{
	struct text whole = {0};
	module_print_text(d->module, NULL, &whole);
	struct text row = row_of_lines(whole.data, false);
	row_same(why, row.data, expected);
	text_clear(&row);
	text_clear(&whole);
}

struct lines_changed {
	struct store *s;
	size_t refused; /* a line */
	struct text seen;
};

/* Another tag for each line. */
static node_id number_tag(void *context, size_t line, node_id statement)
{
	struct lines_changed *c = context;
	const struct node *n = node_of(c->s, statement);
	node_id kid[COLUMNS];
	text_format(&c->seen, "%zu ", line);
	if (line == c->refused)
		return NODE_NONE;
	if (n->kind != NODE_EVENT)
		return statement;
	for (uint32_t k = 0; k < COLUMNS; k++)
		kid[k] = n->kid[k];
	kid[COLUMN_TAG] = number_constant(c->s, (int64_t)line);
	return node_with(c->s, statement, kid);
}

static void changes(void)
{
	const char *text = "[*] for i0 = 0 to 9 / if {i0%2} / [*] p send p^1 t / else / [*] p^1 recv p t / done / "
			   "[*] p send p^1 t / done / 0 send 1 t",
		   *changed = "[*] for i0 = 0 to 9 / if {i0%2} / [*] p send p^1 t2 / else / [*] p^1 recv p t4 / "
			      "done / [*] p send p^1 t5 / done / 0 send 1 t6";
	struct draft *d = draft_of_row(text), *other = draft_copy(d);
	struct lines_changed c = {.s = d->module->store, .refused = SIZE_MAX};
	CU_ASSERT_TRUE(draft_map(d, number_tag, &c));
	row_same("what is inside comes first", c.seen.data, "2 1 4 3 5 0 6 ");
	expect_draft("each line", d, changed);
	expect_draft("the copy stays", other, text);
	c.refused = 6;
	CU_ASSERT_FALSE(draft_map(other, number_tag, &c));
	expect_draft("what can't be had changes nothing", other, text);
	text_clear(&c.seen);
	draft_free(other);
	draft_free(d);
}

static void crossings(void)
{
	static const struct {
		const char *why, *text;
	} cases[] = {
		{"guards in the line of their event",
			"for i0 = 0 to 1 / [$w[i0]] p send {3-$w[i0]} t / done / $w[i0] = 0 3"},
		{"calls inside of loops and calls",
			"call outer / for i0 = 0 to 3 / call outer / call inner(2) / done / "
			"procedure outer / call inner(1) / 0 local c / done / "
			"procedure inner(tag) / for i0 = 0 to 1 / 0 send 1 t{tag} / done / 1 local b / done"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error error = {0};
		struct text text = lines_of_row(HEADER, cases[i].text), whole = {0}, again = {0};
		struct module *m = module_parse_one("row", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		struct draft *d = draft_of_module(m, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(d);
		struct module *back = module_of_draft(d, NULL, NULL);
		CU_ASSERT(module_inline(m, &error) && module_inline(back, &error));
		module_print_text(m, NULL, &whole);
		module_print_text(back, NULL, &again);
		row_same(cases[i].why, again.data, whole.data);
		text_clear(&text);
		text_clear(&whole);
		text_clear(&again);
		module_free(back);
		draft_free(d);
		module_free(m);
	}
}

void suite_draft(CU_pSuite suite)
{
	CU_add_test(suite, "drafts changed line by line", changes);
	CU_add_test(suite, "drafts of modules and back", crossings);
}
