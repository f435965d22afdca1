/*
 * soundness.c -- counts tell whether messages are complete, the listing or a run whether they can
 * happen, the links of merging or the same run the rest.
 */
#include "merge/soundness.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/coverage.h"
#include "ask/exchanges.h"
#include "ask/groups.h"
#include "ask/iterations.h"
#include "ask/statistics.h"
#include "base/mem.h"

static uint64_t constructs_of(const struct program *program)
{
	struct statistics *statistics = statistics_new(program);
	uint64_t constructs = statistics->constructs;
	statistics_free(statistics);
	return constructs;
}

/* ------------------------------------------------------------------ which loops there are */

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

/* Loops that span several processes, one for each group. Of those whose index decides something,
   and of those that are for some only, nothing is counted: plain programs have their iterations
   (model/instances.h). */
struct census {
	const struct program *program;
	const struct coverage *coverage;
	uint64_t counted, others;
};

static bool any_talks(const struct program *p, size_t loop)
{
	for (size_t i = loop + 1; i < loop + p->statement[loop].size; i++)
		if (!statement_is_loop(&p->statement[i]) && statement_kind(p, &p->statement[i]) != EVENT_LOCAL)
			return true;
	return false;
}

/* Where the index decides who meets whom, that none meet in one iteration says little: it is one
   loop at least. */
static uint64_t loops_at(const struct census *c, size_t at, bool varies)
{
	const struct statement *s = &c->program->statement[at];
	struct ranks who = coverage_of(c->coverage, at);
	if (statement_guard(s) != GUARD_NONE || ranks_count(&who) < 2 || !any_talks(c->program, at))
		return 0;
	struct groups g = groups_of_loop(c->program, at);
	uint64_t loops = g.count > 1 ? groups_of_several(&g, c->program->processes) : g.count;
	groups_clear(&g);
	return varies && !loops ? 1 : loops;
}

/* Returns the indices that are used inside, a bit each. Recursion as deep as loops nest. */
static uint32_t count_loops(struct census *c, size_t from, size_t to, uint32_t depth)
{
	uint32_t all = 0;
	for (size_t i = from; i < to; i += statement_size(&c->program->statement[i])) {
		const struct statement *s = &c->program->statement[i];
		uint32_t used = program_indices(c->program, s);
		if (statement_is_loop(s)) {
			used |= count_loops(c, i + 1, i + s->size, depth + 1);
			bool varies = s->bound != BOUND_NONE || (depth < INDEX_DEPTH && used >> depth & 1);
			*(varies ? &c->others : &c->counted) += loops_at(c, i, varies);
		}
		all |= used;
	}
	return all;
}

static void take_census(const struct program *program, struct census *c)
{
	struct program *even = program_even(program, NULL);
	struct coverage *coverage = coverage_new(even);
	*c = (struct census){.program = even, .coverage = coverage};
	count_loops(c, 0, even->length, 0);
	coverage_free(coverage);
	program_free(even);
}

/* ------------------------------------------------------------------ questions */

static void blame_loop(const struct program *program, size_t loop, struct error *error)
{
	struct text address = {0};
	program_address(program, loop, &address);
	error_at(error, "loop %s", address.data);
	text_clear(&address);
}

static void blame_receive(const struct program *program, size_t receive, struct error *error)
{
	struct text address = {0}, event = {0};
	program_address(program, receive, &address);
	program_print_event(program, &program->statement[receive], &event);
	error_set(error, ERROR_INCONSISTENT, "%s: '%s' stands before the send of the same iteration that it receives",
		address.data, event.data);
	text_clear(&address);
	text_clear(&event);
}

static void blame_crossing(const struct program *program, const struct iterations *found, struct error *error)
{
	error_set(error, ERROR_INCONSISTENT,
		"'%s' in iteration %" PRId64 " belongs to what is done in iteration %" PRId64
		": messages cross from one iteration into another",
		found->event.data, found->here, found->there);
	blame_loop(program, found->loop, error);
}

/* The order in which the events of a loop without sets stand, where the text tells. */
static enum listing_verdict check_listing(const struct program *program, struct soundness *s)
{
	size_t receive;
	enum listing_verdict listing = causality_listed(program, &receive);
	s->listing_by = listing == LISTING_UNKNOWN ? EXAMINED_NOT : EXAMINED_COUNTED;
	if (listing == LISTING_WRONG)
		blame_receive(program, receive, &s->listing);
	return listing;
}

/* All events were run. */
static void note_run(const struct program *program, const struct iterations *found, struct soundness *s)
{
	uint64_t loops = s->loops_by[EXAMINED_NOT];
	s->loops_apart = found->apart < loops ? found->apart : loops;
	s->loops_by[EXAMINED_RUN] += loops - s->loops_apart;
	s->loops_by[EXAMINED_NOT] = 0;
	if (s->listing_by == EXAMINED_NOT) {
		s->listing_by = EXAMINED_RUN;
		if (found->misplaced)
			blame_receive(program, found->receive, &s->listing);
	}
	if (s->causality_by == EXAMINED_NOT) {
		s->causality = CAUSALITY_HOLDS;
		s->causality_by = EXAMINED_RUN;
	}
}

/* Run what was not counted. */
static void run(const struct program *program, struct soundness *s)
{
	struct iterations found;
	enum iterations_answer answer = iterations_run(program, CAUSALITY_BUDGET, &found);
	if (answer == ITERATIONS_CROSSED)
		blame_crossing(program, &found, &s->loops);
	else if (answer == ITERATIONS_KEPT)
		note_run(program, &found, s);
	iterations_clear(&found);
}

/* plain: what the program stands for; its listing may prove what the order of statements over sets
   does not. */
static void find_causality(const struct model *model, struct soundness *s)
{
	struct program *plain = program_of_plain(model);
	bool proven = causality_proven(plain, NULL);
	s->causality = proven ? CAUSALITY_HOLDS : causality_run(plain, CAUSALITY_BUDGET, &s->cycle);
	s->causality_by = proven ? EXAMINED_COUNTED : s->causality == CAUSALITY_UNKNOWN ? EXAMINED_NOT : EXAMINED_RUN;
	program_free(plain);
}

/* ------------------------------------------------------------------ all of them */

/* Nothing is written out where statements over sets say it all. */
static bool is_plain_to_see(const struct program *program, uint64_t constructs, struct soundness *s)
{
	if (constructs <= SOUNDNESS_LISTED || !exchanges_whole(program))
		return false;
	s->messages_by = s->causality_by = EXAMINED_COUNTED;
	s->causality = CAUSALITY_HOLDS;
	return true;
}

static void prove_by_order(const struct program *program, struct soundness *s)
{
	bool complete;
	if (!causality_proven(program, &complete))
		return;
	s->causality = CAUSALITY_HOLDS;
	s->causality_by = EXAMINED_COUNTED;
	s->messages_by = complete ? EXAMINED_COUNTED : EXAMINED_NOT;
}

/* Count on what the program stands for. False: loops are not what they should be. */
static bool count_links(const struct program *program, struct model *model, const size_t *origin, struct soundness *s)
{
	struct merge_links links;
	bool regular = merge_verify(model, &links, &s->loops);
	s->irregular = regular ? links.irregular : 0;
	if (!regular && links.wrong != MERGE_NO_LOOP)
		blame_loop(program, origin[links.wrong], &s->loops);
	return regular;
}

static void examine_model(struct program *program, struct model *model, const size_t *origin, struct soundness *s)
{
	s->messages_by = EXAMINED_COUNTED;
	bool complete = merge_complete(model, &s->messages);
	if (complete && causality_proven(program, NULL)) {
		s->causality = CAUSALITY_HOLDS;
		s->causality_by = EXAMINED_COUNTED;
	}
	if (count_links(program, model, origin, s) &&
		(check_listing(program, s) == LISTING_UNKNOWN || s->loops_by[EXAMINED_NOT]))
		run(program, s);
	if (complete && s->causality_by == EXAMINED_NOT)
		find_causality(model, s);
}

/* NULL: it is too much. origin: the caller's. */
static struct model *write_out(const struct program *program, uint64_t constructs, size_t **origin)
{
	struct error none;
	struct program *plain = constructs <= SOUNDNESS_CONSTRUCTS ? program_unfold(program, origin, &none) : NULL;
	return plain ? program_to_model(plain, &none) : NULL;
}

void soundness_of(struct program *program, struct soundness *s)
{
	uint64_t constructs = constructs_of(program);
	struct census census;
	size_t *origin = NULL;
	*s = (struct soundness){.causality = CAUSALITY_UNKNOWN};
	take_census(program, &census);
	if (is_plain_to_see(program, constructs, s)) {
		s->loops_by[EXAMINED_COUNTED] = census.counted + census.others;
		check_listing(program, s);
		return;
	}
	struct model *model = write_out(program, constructs, &origin);
	if (model) {
		bool whole = census.others && exchanges_whole(program);
		s->loops_by[EXAMINED_COUNTED] = census.counted + (whole ? census.others : 0);
		s->loops_by[EXAMINED_NOT] = whole ? 0 : census.others;
		examine_model(program, model, origin, s);
		model_free(model);
	} else {
		s->loops_by[EXAMINED_NOT] = census.counted + census.others;
		prove_by_order(program, s);
		check_listing(program, s);
		run(program, s);
	}
	free(origin);
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
