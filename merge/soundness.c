/*
 * soundness.c -- counting tells whether messages are complete and stay in their iterations; the order of
 * the text, graphs or a run whether they can happen.
 */
#include "merge/soundness.h"

#include "ask/exchanges.h"
#include "ask/families.h"
#include "ask/statistics.h"

/* ------------------------------------------------------------------ questions */

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

static void blame_loop(const struct program *program, const struct families *f, struct error *error)
{
	struct text address = {0};
	program_address(program, f->crossed, &address);
	error_set(error, ERROR_INCONSISTENT, "loop %s: %s: messages cross from one iteration into another",
		address.data, f->channel.data);
	text_clear(&address);
}

/* Which channels are not complete is told of the program written out, where that is not too
   long. */
static void blame_messages(
	const struct program *program, const struct families *f, uint64_t *never_received, struct error *error)
{
	struct error none;
	struct program *plain =
		statistics_constructs(program) <= SOUNDNESS_CONSTRUCTS ? program_unfold(program, NULL, &none) : NULL;
	struct model *model = plain ? program_to_model(plain, &none) : NULL;
	if (!model || merge_complete_but_sends(model, never_received, error))
		error_set(error, ERROR_INCONSISTENT, "unmatched messages or syncs: %s", f->unbalanced.data);
	model_free(model);
}

static void find_causality(struct program *program, const struct families *f, struct soundness *s)
{
	s->causality = CAUSALITY_HOLDS;
	s->causality_by = f->order == ORDER_OF_TEXT ? EXAMINED_COUNTED : EXAMINED_GRAPH;
	s->graphs = f->graphs;
	if (f->order != ORDER_OPEN)
		return;
	s->causality = causality_run(program, SENDS_BUFFERED, CAUSALITY_BUDGET, &s->cycle);
	s->causality_by = s->causality == CAUSALITY_UNKNOWN ? EXAMINED_NOT : EXAMINED_RUN;
}

static bool any_talks(const struct program *p, size_t loop)
{
	for (size_t i = loop + 1; i < loop + p->statement[loop].size; i++)
		if (!statement_is_loop(&p->statement[i]) && statement_kind(p, &p->statement[i]) != EVENT_LOCAL)
			return true;
	return false;
}

/* Each send over a set is followed by its receive: that says all. */
static bool examine_exchanges(const struct program *program, struct soundness *s)
{
	if (!exchanges_whole(program))
		return false;
	for (size_t i = 0; i < program->length; i++)
		s->loops_joint += statement_is_loop(&program->statement[i]) &&
				  statement_guard(&program->statement[i]) == GUARD_NONE && any_talks(program, i);
	s->loops_by = s->listing_by = s->messages_by = s->causality_by = EXAMINED_COUNTED;
	s->causality = CAUSALITY_HOLDS;
	return true;
}

/* There are too many iterations that differ. */
static void examine_forms(struct program *program, struct soundness *s)
{
	bool complete, proven = causality_proven(program, &complete);
	s->messages_by = proven && complete ? EXAMINED_COUNTED : EXAMINED_NOT;
	s->causality = proven ? CAUSALITY_HOLDS : causality_run(program, SENDS_BUFFERED, CAUSALITY_BUDGET, &s->cycle);
	s->causality_by = proven ? EXAMINED_COUNTED : s->causality == CAUSALITY_UNKNOWN ? EXAMINED_NOT : EXAMINED_RUN;
}

/* All processes of all events in the text, each once. */
static uint64_t ends_of(const struct program *program)
{
	uint64_t ends = 0;
	for (size_t i = 0; i < program->length; i++) {
		struct ranks_run single;
		if (statement_is_loop(&program->statement[i]))
			continue;
		struct ranks who = program_processes(program, &program->statement[i], &single);
		ends += ranks_count(&who);
	}
	return ends;
}

void soundness_of(struct program *program, struct soundness *s)
{
	struct families f;
	*s = (struct soundness){.causality = CAUSALITY_UNKNOWN};
	if (ends_of(program) > SOUNDNESS_ENDS && examine_exchanges(program, s))
		return;
	if (!families_of(program, FAMILIES_BUDGET, &f)) {
		families_clear(&f);
		if (!examine_exchanges(program, s))
			examine_forms(program, s);
		return;
	}
	s->messages_by = s->loops_by = s->listing_by = EXAMINED_COUNTED;
	s->loops_joint = f.joint;
	s->loops_apart = f.apart;
	s->irregular = f.irregular;
	if (!f.complete)
		blame_messages(program, &f, &s->never_received, &s->messages);
	s->excused = s->never_received && s->never_received == program->notes.never_received;
	if (f.crossed != FAMILIES_NONE)
		blame_loop(program, &f, &s->loops);
	else if (f.misplaced != FAMILIES_NONE && !program_is_folded(program))
		blame_receive(program, f.misplaced, &s->listing);
	if (f.complete)
		find_causality(program, &f, s);
	families_clear(&f);
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

bool soundness_ends(const struct soundness *s)
{
	return s->messages.kind == ERROR_NONE && s->causality != CAUSALITY_CYCLE;
}

void soundness_clear(struct soundness *s)
{
	text_clear(&s->cycle);
	*s = (struct soundness){0};
}
