/*
 * law.c -- no wrong instance without a warning: of the models of one program, every pair
 * and every triple teaches, and every other one is asked for.
 *
 *	build/every_size/law [-v] [-s K/N] cg.4.nest cg.8.nest cg.16.nest ...
 *
 * -s: of all pairs and triples the K-th of N parts. The last line says how many instances were
 * right, were right but for sizes that follow the data, were refused, or were wrong and warned of;
 * the status is 1 where one was wrong and not warned of. -v: a line for each instance.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lib/pipeline.h"
#include "merge/soundness.h"
#include "sizes/generalize_runs.h"
#include "sizes/same_events.h"

enum { RIGHT, RIGHT_BUT_SIZES, REFUSED, WARNED, WRONG, OUTCOMES };

static const char *const outcome_name[] = {"right", "right but for sizes", "refused", "wrong and warned of", "wrong"};

struct law {
	struct run_of_program *run;
	size_t runs, taught, refused; /* sets of runs */
	size_t outcome[OUTCOMES];
	bool verbose;
};

/* As the verb does before it writes one. */
static bool comes_to_its_end(struct program *p)
{
	struct soundness s = {0};
	soundness_of(p, &s);
	bool good = soundness_ends(&s);
	soundness_clear(&s);
	return good;
}

static void ask(struct law *l, const struct text *app, const char *taught, size_t r)
{
	struct text warnings = {0}, told = {0};
	struct error error = {0};
	struct extents asked = l->run[r].extents;
	struct program *made = instantiate("app", app->data, app->length, &asked, false, &warnings, &error);
	int outcome = REFUSED;
	if (made && same_events(made, l->run[r].program, &told))
		outcome = strstr(app->data, "=?(") ? RIGHT_BUT_SIZES : RIGHT;
	else if (made && comes_to_its_end(made))
		outcome = warnings.length ? WARNED : WRONG;
	l->outcome[outcome]++;
	if (l->verbose || outcome == WRONG)
		printf("%s -> %u: %s %.300s\n", taught, asked.processes, outcome_name[outcome],
			made ? told.data ? told.data : "" : error.message);
	program_free(made);
	text_clear(&warnings);
	text_clear(&told);
}

static void teach(struct law *l, const size_t *which, size_t count)
{
	struct run_of_program run[3];
	struct generalize_facts facts;
	struct error error = {0};
	struct text app = {0}, taught = {0};
	for (size_t i = 0; i < count; i++) {
		run[i] = l->run[which[i]];
		text_format(&taught, "%s%s", i ? " " : "", run[i].name);
	}
	l->taught++;
	if (!generalize_runs(run, count, &app, &facts, &error)) {
		l->refused++;
		if (l->verbose)
			printf("%s: %s\n", taught.data, error.message);
	} else {
		for (size_t r = 0; r < l->runs; r++) {
			bool known = false;
			for (size_t i = 0; i < count; i++)
				known |= which[i] == r;
			if (!known)
				ask(l, &app, taught.data, r);
		}
	}
	text_clear(&facts.told);
	text_clear(&app);
	text_clear(&taught);
}

int main(int count, char **argument)
{
	struct law l = {0};
	size_t part = 1, parts = 1, number = 0;
	l.run = mem_zero((size_t)count * sizeof *l.run);
	for (int i = 1; i < count; i++) {
		struct error error;
		if (!strcmp(argument[i], "-v")) {
			l.verbose = true;
			continue;
		}
		if (!strcmp(argument[i], "-s") && i + 1 < count && sscanf(argument[++i], "%zu/%zu", &part, &parts) == 2)
			continue;
		struct run_of_program *run = &l.run[l.runs++];
		run->name = strrchr(argument[i], '/') ? strrchr(argument[i], '/') + 1 : argument[i];
		run->program = program_of_file(argument[i], NULL, true, &error);
		if (!run->program) {
			fprintf(stderr, "%s\n", error.message);
			return 2;
		}
		run->extents.processes = run->program->processes;
	}
	for (size_t a = 0; a < l.runs; a++)
		for (size_t b = a + 1; b < l.runs; b++)
			for (size_t c = b + 1; c <= l.runs; c++)
				if (number++ % parts + 1 == part)
					teach(&l, (size_t[]){a, b, c}, c < l.runs ? 3 : 2);
	printf("%zu sets of runs, %zu refused; instances:", l.taught, l.refused);
	for (int i = 0; i < OUTCOMES; i++)
		printf("%s %zu %s", i ? "," : "", l.outcome[i], outcome_name[i]);
	printf("\n");
	for (size_t r = 0; r < l.runs; r++)
		program_free(l.run[r].program);
	free(l.run);
	return l.outcome[WRONG] > 0;
}
