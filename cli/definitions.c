/*
 * definitions.c -- NAME=NUMBER, and NxM; the program that is asked for with them.
 */
#include "cli/definitions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/cautions.h"
#include "lib/carried.h"
#include "lib/pipeline.h"
#include "model/generalize.h"
#include "model/lines.h"
#include "sizes/generalize_runs.h"

bool definition_read(const char *text, const char *option, struct definition *d, struct error *error)
{
	size_t length = strcspn(text, "=");
	const char *at = text + length;
	uint64_t value = 0;
	bool good = length && length <= EXTENTS_NAME && *at == '=' && is_letter(*text);
	for (size_t i = 0; i < length && good; i++) {
		good = is_letter(text[i]) || is_digit(text[i]);
		d->name[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]);
	}
	at++;
	good = good && text_read_number(&at, INT64_MAX, &value) && !*at;
	if (!good)
		return error_set(error, ERROR_INPUT, "--%s: '%.*s' is no NAME=NUMBER", option, SHOWN, text);
	d->name[length] = 0;
	d->value = (int64_t)value;
	return length != 1 || !strchr("XYZW", *d->name) ||
	       error_set(error, ERROR_INPUT, "--%s: %c is an extent of the grid: --grid gives it", option, *d->name);
}

bool definition_grid(const char *text, struct grid *grid, struct error *error)
{
	const char *at = text;
	bool good = true;
	uint64_t processes = 1;
	for (*grid = (struct grid){0}; good; at++) {
		uint64_t size;
		good = grid->axes < GRID_AXES && text_read_number(&at, RANK_LIMIT, &size) && size;
		if (good) {
			grid->size[grid->axes++] = (uint32_t)size;
			processes *= size;
		}
		good = good && processes <= RANK_LIMIT;
		if (*at != 'x')
			break;
	}
	return (good && !*at && grid->axes > 1) ||
	       error_set(error, ERROR_INPUT, "--grid: '%.*s' is no grid, as 8x4 is", SHOWN, text);
}

bool definitions_asked(const struct settings *s, struct extents *asked, struct error *error)
{
	*asked = (struct extents){0};
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
	return !s->grid || grid_ranks(&asked->grid) == asked->processes ||
	       error_set(error, ERROR_INPUT, "--grid %s has not %u processes", s->grid, asked->processes);
}

bool definitions_parametric(const struct settings *s, const char *path, struct text *text)
{
	struct error none;
	struct extents asked;
	bool is = definitions_asked(s, &asked, &none) && !asked.processes && strcmp(path, "-") != 0 &&
		  file_begins(path, "//", 2) && file_read(path, DEFINITIONS_TEXT_MOST, text, &none) && text->data &&
		  text_is_parametric(text->data, text->length);
	if (!is)
		text_clear(text);
	return is;
}

static void say_rival(struct report *report, const struct doubts *d)
{
	const struct rival *r = &d->rival;
	report_say(report,
		"warning: %s statement %s is %" PRId64 " on %" PRIu32 " processes by %s, and %" PRId64
		" by %s, which explains the runs as well (numbers of the kind: %zu)",
		r->of_set ? "an end of the ranks that execute" : "a number of", r->place.data, r->value, d->processes,
		r->rule.length ? r->rule.data : "its condition", r->instead, r->other.data, d->rivals);
}

/* By enum trait. */
static const char *const trait_name[] = {"being odd or even", "the remainder by 3", "the remainder by 4",
	"the number of factors 2", "the number of factors 3", "being a power of two or not", "being a square or not",
	"the prime powers that divide them"};

void definitions_say_doubts(struct report *report, const struct doubts *d)
{
	struct text list = {0};
	ranks_print_short(&d->unproven, &list);
	if (d->unproven.length && d->runs < 3)
		report_say(report, "warning: it was learned from %zu runs, and no third one proves it", d->runs);
	else if (d->unproven.length)
		report_say(report,
			"warning: the runs on %s processes are not foretold by the others: nothing proves what holds on %" PRIu32,
			list.data, d->processes);
	if (d->largest)
		report_say(report,
			"warning: %" PRIu32 " processes are more than any run has (%" PRIu32
			"): a program may change its way above, or do more steps",
			d->processes, d->largest);
	text_truncate(&list, 0);
	for (enum trait t = 0; t < TRAITS; t++)
		if (d->traits >> t & 1)
			text_format(&list, "%s%s", list.length ? ", " : "", trait_name[t]);
	if (d->traits)
		report_say(report,
			"warning: no run is as %" PRIu32 " processes are in %s: what depends on it is not known",
			d->processes, list.data);
	if (d->rivals)
		say_rival(report, d);
	report_say_lines(report, "warning: ", d->not_shown.data);
	text_clear(&list);
}

struct module *definitions_module(
	const struct settings *s, struct report *report, const char *values, bool lenient, struct error *error)
{
	struct extents asked;
	struct text text = {0};
	struct doubts doubts = {0};
	struct draft *made = NULL;
	if (!s->defines.count && !s->grid)
		return module_of_file(s->argument[0], values, lenient, error);
	if (!definitions_asked(s, &asked, error))
		return NULL;
	if (!asked.processes)
		error_set(error, ERROR_INPUT, "on how many processes? -D P=4096");
	else if (file_read(s->argument[0], DEFINITIONS_TEXT_MOST, &text, error))
		made = instantiate(
			s->argument[0], text.data ? text.data : "", text.length, &asked, lenient, &doubts, error);
	definitions_say_doubts(report, &doubts);
	if (made && s->strict && doubts_any(&doubts)) {
		error_set(error, ERROR_INCONSISTENT,
			"%s: --strict: its runs do not prove what it is on %" PRIu32
			" processes (the warnings say why)",
			s->argument[0], asked.processes);
		draft_free(made);
		made = NULL;
	}
	text_clear(&text);
	doubts_clear(&doubts);
	struct module *m = made ? module_of_draft(made, NULL, NULL) : NULL;
	draft_free(made);
	return m;
}

struct prepared *definitions_prepared(const struct settings *s, struct report *report, struct error *error)
{
	return prepared_new(definitions_module(s, report, NULL, false, error), error);
}

/* Takes the module. */
static struct module *as_made(const struct settings *s, struct report *report, struct module *m, struct error *error)
{
	char number[32], most[32], line[256] = "";
	if (module_carries_too_much(m))
		snprintf(line, sizeof line,
			"%s events are more than the %s whose sizes are kept when statements are folded: they are left out "
			"(the model that tracenest folds itself has them: no --unfolded, no --local)",
			grouped(m->events, number), grouped(CARRIED_MOST, most));
	m = module_carried_as_made(m, error);
	if (m && *line)
		caution(report, s, line);
	return m;
}

struct prepared *definitions_folded(
	const struct settings *s, struct report *report, const char *values, bool lenient, struct error *error)
{
	struct module *m = definitions_module(s, report, values, lenient, error);
	if (m && !program_is_of_archive(s->argument[0]))
		m = as_made(s, report, m, error);
	return prepared_new(module_carried_complete(m, error), error);
}

struct prepared *definitions_sized(const struct settings *s, struct report *report, struct error *error)
{
	return prepared_new(
		module_carried_complete(definitions_module(s, report, NULL, s->lenient, error), error), error);
}
