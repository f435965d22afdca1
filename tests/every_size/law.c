/*
 * law.c -- no wrong instance without a warning: of the models of one program, every pair
 * and every triple teaches, and some sets of five and of seven, and every other one is asked for.
 *
 *	build/every_size/law [-v] [-s K/N] cg.4.nest cg.8.nest cg.16.nest ...
 *
 * -s: of all sets the K-th of N parts. The last line says how many instances were right, or right
 * with a warning that was not needed: of more processes than any run that was learned, and of less;
 * were right but for sizes that follow the data, were refused, or were wrong and warned of; the
 * status is 1 where one was wrong and not warned of. -v: a line for each instance.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/consistency.h"
#include "base/mem.h"
#include "lib/pipeline.h"
#include "sizes/generalize_runs.h"

enum { RIGHT, DOUBTED_ABOVE, DOUBTED, RIGHT_BUT_SIZES, REFUSED, WARNED, WRONG, OUTCOMES };

/* Of sets of more than three runs one of so many teaches. */
#define SETS_APART 16

static const char *const outcome_name[] = {"right", "right and warned of above all runs",
	"right and warned of among them", "right but for sizes", "refused", "wrong and warned of", "wrong"};

#define RUNS_TAUGHT 7

struct law {
	struct run_of_program *run;
	size_t runs, taught, refused; /* sets of runs */
	size_t outcome[OUTCOMES];
	bool verbose;
};

/* As the verb does before it writes one. */
static bool comes_to_its_end(struct run *run)
{
	struct consistency c;
	consistency_of(run, &c);
	bool good = consistency_ends(&c);
	consistency_clear(&c);
	return good;
}

static void ask(struct law *l, const struct text *app, const char *taught, size_t r)
{
	struct doubts doubts = {0};
	struct text told = {0};
	struct error error = {0};
	struct extents asked = l->run[r].extents;
	struct draft *made = instantiate("app", app->data, app->length, &asked, false, &doubts, &error);
	struct run *run = made ? run_new(made->module, NULL) : NULL, *truth = run_new(l->run[r].module, NULL);
	int outcome = REFUSED;
	if (made && same_events(run, truth, &told))
		outcome = strstr(app->data, "=?(") ? RIGHT_BUT_SIZES
			  : !doubts_any(&doubts)   ? RIGHT
			  : doubts.largest         ? DOUBTED_ABOVE
						   : DOUBTED;
	else if (made && comes_to_its_end(run))
		outcome = doubts_any(&doubts) ? WARNED : WRONG;
	l->outcome[outcome]++;
	if (l->verbose || outcome == WRONG)
		printf("%s -> %u: %s%s%s%s%s %.300s\n", taught, asked.processes, outcome_name[outcome],
			doubts.unproven.length ? " (unproven)" : "", doubts.traits ? " (residue)" : "",
			doubts.rivals ? " (rival)" : "", doubts.not_shown.length ? " (not shown)" : "",
			made ? told.data ? told.data : "" : error.message);
	run_free(truth);
	run_free(run);
	draft_free(made);
	doubts_clear(&doubts);
	text_clear(&told);
}

static void teach(struct law *l, const size_t *which, size_t count)
{
	struct run_of_program run[RUNS_TAUGHT];
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
	size_t part = 1, parts = 1, number[2] = {0, 0};
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
		run->module = module_of_file(argument[i], NULL, true, &error);
		if (!run->module) {
			fprintf(stderr, "%s\n", error.message);
			return 2;
		}
		run->extents.processes = run->module->processes;
	}
	for (const char *at = l.run[0].name; *at; at++) /* other sets of each program */
		number[0] = number[1] = 31 * number[0] + (unsigned char)*at;
	for (unsigned set = 0; set < 1U << l.runs; set++) {
		size_t which[RUNS_TAUGHT], length = 0;
		unsigned runs = (unsigned)__builtin_popcount(set);
		if (runs != 2 && runs != 3 && runs != 5 && runs != RUNS_TAUGHT)
			continue;
		for (size_t r = 0; r < l.runs; r++)
			if (set >> r & 1)
				which[length++] = r;
		size_t *of = &number[runs > 3];
		if ((*of)++ % (parts * (runs > 3 ? SETS_APART : 1)) + 1 == part)
			teach(&l, which, length);
	}
	printf("%zu sets of runs, %zu refused; instances:", l.taught, l.refused);
	for (int i = 0; i < OUTCOMES; i++)
		printf("%s %zu %s", i ? "," : "", l.outcome[i], outcome_name[i]);
	printf("\n");
	for (size_t r = 0; r < l.runs; r++)
		module_free((struct module *)l.run[r].module);
	free(l.run);
	return l.outcome[WRONG] > 0;
}
