/*
 * fuzz_run.c -- any bytes as a model text, read into nodes: what is accepted can be walked, counted
 * and measured, or says why not; the ways of counting agree.
 */
#include <stdlib.h>
#include <string.h>

#include "ask/communication.h"
#include "ask/event_texts.h"
#include "ask/measures.h"
#include "base/saturate.h"
#include "tests/fuzz/fuzz.h"

#define EVENTS_WALKED 1000
#define RANKS_WALKED 16
#define STEPS 200000
#define RANKS_COUNTED 4096
#define LINES_INLINED 100000

static bool all(const void *context, const char *name)
{
	return !context && name;
}

static void add_times(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	(void)e, (void)event, (void)line;
	*(uint64_t *)context = saturating_add(*(uint64_t *)context, times);
}

static void walk(struct run *r, uint32_t rank)
{
	struct environment e = {0};
	struct text text = {0};
	uint64_t walked = 0, each = 0, events;
	run_start(r, rank, &e);
	events = run_count(r, &e, run_module(r)->body);
	bool counted = !e.failure;
	struct cursor *c = cursor_new(r, rank);
	struct event_texts *l = event_texts_new(r, all, NULL);
	for (; walked < EVENTS_WALKED && (!counted || walked < events) && cursor_next(c); walked++)
		event_texts_put(l, &c->at, c->event, NULL, &text);
	if (counted && !c->at.failure)
		MUST(walked == (events < EVENTS_WALKED ? events : EVENTS_WALKED));
	for (int purpose = 0; purpose < PURPOSES; purpose++, each = 0) {
		run_start(r, rank, &e);
		if (run_each(r, &e, (enum purpose)purpose, NULL, add_times, &each) && counted)
			MUST(each == events);
	}
	free(e.index);
	event_texts_free(l);
	cursor_free(c);
	text_clear(&text);
}

static void count(struct run *r, struct communication_part part)
{
	struct error error = {0};
	run_allow(r, STEPS);
	struct communication *x = communication_new(r, &part, &error);
	MUST(x || *error.message);
	communication_free(x);
}

static void measure(struct module *m)
{
	struct error error = {0};
	struct measures s;
	if (node_of(m->store, m->body)->statements > LINES_INLINED || !module_inline(m, &error))
		return;
	struct run *r = run_new(m, NULL);
	size_t lines = node_of(m->store, m->body)->lines;
	count(r, (struct communication_part){.whole = true, .sizes = true, .collectives = true});
	count(r, (struct communication_part){.whole = true, .totals = true, .sizes = true, .tag = "0"});
	for (size_t line = 0; line < lines && line < 8; line++)
		for (int once = 0; once < 2; once++)
			count(r, (struct communication_part){
					 .line = line, .per_iteration = once, .address = "it", .sizes = true});
	run_allow(r, STEPS);
	MUST(measures_of(r, &s, &error) || *error.message);
	measures_clear(&s);
	run_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = {0};
	struct module *m = module_parse("fuzzed", (const char *)data, size, &error);
	if (m && !m->parametric && m->processes <= RANKS_COUNTED) {
		struct run *r = run_new(m, NULL);
		run_allow(r, STEPS);
		for (uint32_t rank = 0; rank < m->processes && rank < RANKS_WALKED; rank++)
			walk(r, rank);
		count(r, (struct communication_part){.whole = true});
		run_free(r);
		measure(m);
	}
	MUST(m || (error.kind != ERROR_NONE && *error.message));
	module_free(m);
	return 0;
}
