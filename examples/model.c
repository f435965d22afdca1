/*
 * model.c -- the program behind a trace, and what was found on the way: `model TRACE`.
 *
 * The shortest way into the library: one call, a program, its text. All that `tracenest model` says
 * on standard error stands in the facts.
 */
#include <inttypes.h>
#include <stdio.h>

#include <tracenest.h>

int main(int words, char **word)
{
	tracenest_error error;
	tracenest_facts facts;
	if (words != 2)
		return fprintf(stderr, "usage: model TRACE\n"), 2;
	tracenest_program *program = tracenest_program_of_trace(word[1], NULL, &facts, &error);
	if (!program)
		return fprintf(stderr, "model: %s\n", error.message), (int)error.kind;
	char *text = tracenest_program_text(program, NULL);
	fputs(text, stdout);
	tracenest_statistics statistics;
	tracenest_program_statistics(program, &statistics);
	fprintf(stderr, "%" PRIu32 " processes, %" PRIu64 " events: %" PRIu64 " statements, %" PRIu32 " roles\n",
		facts.processes, statistics.events, statistics.statements, statistics.roles);
	tracenest_free(text);
	tracenest_program_free(program);
	return 0;
}
