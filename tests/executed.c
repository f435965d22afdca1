/*
 * executed.c -- a cursor, and what it stands at in words.
 */
#include "tests/executed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/member_sets.h"
#include "model/module_of_model.h"
#include "tests/unit.h"

uint64_t executed_count(struct run *r, uint32_t rank)
{
	struct environment at = {0};
	run_start(r, rank, &at);
	uint64_t events = run_count(r, &at, run_module(r)->body);
	CU_ASSERT_EQUAL(at.failure, FAILURE_NONE);
	free(at.index);
	return events;
}

uint64_t executed_put(struct run *r, uint32_t rank, uint64_t most, struct text *out)
{
	struct cursor *c = cursor_new(r, rank);
	struct member_sets *members = member_sets_new(r);
	uint64_t events = 0;
	text_add(out, "", 0);
	for (; events < most && cursor_next(c); events++) {
		event_print_at(&c->at, members, c->event, 0, out);
		text_char(out, '\n');
	}
	CU_ASSERT_EQUAL(c->at.failure, FAILURE_NONE);
	CU_ASSERT(events == most || events == executed_count(r, rank));
	member_sets_free(members);
	cursor_free(c);
	return events;
}

uint64_t executed_put_all(struct run *r, struct text *out)
{
	uint64_t events = 0;
	text_add(out, "", 0);
	for (uint32_t rank = 0; rank < run_module(r)->processes; rank++)
		events += executed_put(r, rank, UINT64_MAX, out);
	return events;
}

struct executed executed_of(struct module *m)
{
	return (struct executed){m, run_new(m, NULL)};
}

struct executed executed_of_model(const struct model *m)
{
	return executed_of(module_of_model(m));
}

struct executed executed_of_text(const char *text)
{
	struct error error = {0};
	struct module *m = module_parse("row", text, strlen(text), &error);
	if (!m || !module_inline(m, &error))
		printf("\n%s\n%s\n", text, error.message);
	CU_ASSERT_FATAL(m && error.kind == ERROR_NONE);
	return executed_of(m);
}

void executed_clear(struct executed *e)
{
	run_free(e->run);
	module_free(e->module);
	*e = (struct executed){0};
}
