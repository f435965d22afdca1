/*
 * soundness.c -- counts tell whether messages are complete, the listing or a run whether they can
 * happen, the links of merging the rest.
 */
#include "lib/soundness.h"

#include <stdlib.h>

#include "ask/coverage.h"
#include "ask/exchanges.h"
#include "ask/groups.h"
#include "ask/statistics.h"
#include "base/mem.h"
#include "lib/pipeline.h"

/* model: what the program stands for; its listing may prove what the order of statements over sets
   does not. */
static enum causality find_causality(const struct program *program, const struct model *model, struct text *cycle)
{
	if (causality_proven(program, NULL))
		return CAUSALITY_HOLDS;
	struct program *plain = program_of_plain(model);
	enum causality causality = causality_of(plain, CAUSALITY_BUDGET, cycle);
	program_free(plain);
	return causality;
}

/* The order in which the events of a loop without sets stand is said to be one in which they can
   happen. */
static void check_listing(const struct program *program, struct error *error)
{
	size_t receive;
	struct text address = {0}, event = {0};
	if (causality_listed(program, &receive))
		return;
	program_address(program, receive, &address);
	program_print_event(program, &program->statement[receive], &event);
	error_set(error, ERROR_INCONSISTENT, "%s: '%s' stands before the send of the same iteration that it receives",
		address.data, event.data);
	text_clear(&address);
	text_clear(&event);
}

static uint64_t constructs_of(const struct program *program)
{
	struct statistics *statistics = statistics_new(program);
	uint64_t constructs = statistics->constructs;
	statistics_free(statistics);
	return constructs;
}

static uint64_t groups_of_several(const struct groups *g, uint32_t processes)
{
	uint64_t several = 0;
	uint32_t *members = mem_zero(g->count * sizeof *members);
	for (uint32_t p = 0; p < processes; p++)
		if (g->of[p] != NO_GROUP)
			several += ++members[g->of[p]] == 2;
	free(members);
	return several;
}

/* A loop over a set for each group of processes that communicate in it. */
static uint64_t loops_of_several(const struct program *program)
{
	uint64_t loops = 0;
	struct coverage *coverage = coverage_new(program);
	for (size_t i = 0; i < program->length; i++) {
		struct ranks who = coverage_of(coverage, i);
		if (!statement_is_loop(&program->statement[i]) || ranks_count(&who) < 2)
			continue;
		struct groups g = groups_of_loop(program, i);
		loops += g.count > 1 ? groups_of_several(&g, program->processes) : 1;
		groups_clear(&g);
	}
	coverage_free(coverage);
	return loops;
}

/* Nothing is written out where statements over sets say it all. */
static bool is_plain_to_see(const struct program *program, uint64_t constructs, struct soundness *s)
{
	if (constructs <= SOUNDNESS_LISTED || !exchanges_whole(program))
		return false;
	s->messages_known = s->written_out = true;
	s->causality = CAUSALITY_HOLDS;
	s->links.inside = loops_of_several(program);
	return true;
}

bool soundness_of(struct program *program, struct soundness *s, struct error *error)
{
	uint64_t constructs = constructs_of(program);
	*s = (struct soundness){.causality = CAUSALITY_UNKNOWN, .written_out = constructs <= SOUNDNESS_CONSTRUCTS};
	if (is_plain_to_see(program, constructs, s)) {
		check_listing(program, &s->listing);
		return true;
	}
	if (!s->written_out) {
		s->causality = causality_proven(program, &s->messages_known) ? CAUSALITY_HOLDS : CAUSALITY_UNKNOWN;
		check_listing(program, &s->listing);
		return true;
	}
	s->messages_known = true;
	struct model *model = program_plain_model(program, error);
	if (!model)
		return false;
	if (merge_complete(model, &s->messages))
		s->causality = find_causality(program, model, &s->cycle);
	if (merge_verify(model, &s->links, &s->loops))
		check_listing(program, &s->listing);
	model_free(model);
	return true;
}

bool soundness_holds(const struct soundness *s, struct error *error)
{
	if (s->messages.kind != ERROR_NONE)
		*error = s->messages;
	else if (s->causality == CAUSALITY_CYCLE)
		error_set(error, ERROR_INCONSISTENT, "%s%s", CAUSALITY_WRONG, s->cycle.data);
	else if (s->loops.kind != ERROR_NONE)
		*error = s->loops;
	else if (s->listing.kind != ERROR_NONE)
		*error = s->listing;
	else
		return true;
	return false;
}

void soundness_clear(struct soundness *s)
{
	text_clear(&s->cycle);
	*s = (struct soundness){0};
}
