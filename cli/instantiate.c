/*
 * instantiate.c -- tracenest instantiate: the model of one number of processes.
 */
#include <string.h>

#include "base/files.h"
#include "base/output.h"
#include "cli/definitions.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "merge/soundness.h"
#include "sizes/generalize_runs.h"

/* Longer ones are no program that anybody reads. */
#define TEXT_MOST ((size_t)1 << 30)

static bool read_asked(const struct settings *s, struct extents *asked, struct error *error)
{
	for (size_t i = 0; i < s->defines.count; i++) {
		struct definition d;
		if (!definition_read(s->defines.word[i], "define", &d, error))
			return false;
		if (!strcmp(d.name, "P") && (d.value < 1 || d.value > RANK_LIMIT))
			return error_set(error, ERROR_INPUT, "--define: P is a number from 1 to %u", RANK_LIMIT);
		if (!strcmp(d.name, "P")) {
			asked->processes = (uint32_t)d.value;
			continue;
		}
		if (asked->parameters == EXTENTS_PARAMETERS)
			return error_set(error, ERROR_INPUT, "--define: more than %d parameters", EXTENTS_PARAMETERS);
		struct extents_parameter *p = &asked->parameter[asked->parameters++];
		strcpy(p->name, d.name);
		p->value = d.value;
	}
	if (s->grid && !definition_grid(s->grid, &asked->grid, error))
		return false;
	if (s->grid && !asked->processes)
		asked->processes = (uint32_t)grid_ranks(&asked->grid);
	if (!asked->processes)
		return error_set(error, ERROR_INPUT, "instantiate: on how many processes? -D P=4096");
	return !s->grid || grid_ranks(&asked->grid) == asked->processes ||
	       error_set(error, ERROR_INPUT, "instantiate: --grid %s has not %u processes", s->grid, asked->processes);
}

/* Up to so many processes an instance is examined before it is written; `check` examines any. */
#define EXAMINED_MOST 4096

/* What formulas agree on may still be nothing that can happen. */
static bool examine(const struct settings *s, struct program *p, struct error *error)
{
	struct soundness soundness = {0};
	if (p->processes > EXAMINED_MOST)
		return true;
	soundness_of(p, &soundness);
	bool good = soundness.messages.kind == ERROR_NONE && soundness.causality != CAUSALITY_CYCLE;
	if (!good)
		error_set(error, ERROR_INCONSISTENT, "%s: on %u processes it would not come to its end: %.300s",
			s->argument[0], p->processes,
			soundness.messages.kind != ERROR_NONE ? soundness.messages.message : CAUSALITY_WRONG);
	soundness_clear(&soundness);
	return good;
}

static bool print(const struct settings *s, const struct program *p, struct error *error)
{
	struct output *out = output_open(s->output, error);
	if (!out)
		return false;
	program_print_remarks(p, &(struct program_remarks){.procedures = true}, out);
	return output_close(out, error);
}

bool verb_instantiate(const struct settings *s, struct report *report, struct error *error)
{
	struct extents asked = {0};
	struct text text = {0}, warnings = {0};
	struct program *p = NULL;
	if (read_asked(s, &asked, error) && file_read(s->argument[0], TEXT_MOST, &text, error))
		p = instantiate(
			s->argument[0], text.data ? text.data : "", text.length, &asked, s->lenient, &warnings, error);
	bool good = p && examine(s, p, error) && print(s, p, error);
	for (char *line = warnings.data, *end; line && (end = strchr(line, '\n')); line = end + 1)
		report_say(report, "warning: %.*s", (int)(end - line), line);
	program_free(p);
	text_clear(&text);
	text_clear(&warnings);
	return good;
}
