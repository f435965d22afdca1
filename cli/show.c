/*
 * show.c -- tracenest show: print a program, or a part of it, as it stands or written out.
 */
#include <stdlib.h>
#include <string.h>

#include "ask/groups.h"
#include "ask/positions.h"
#include "base/output.h"
#include "cli/colour.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/selection.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "model/function_calls.h"
#include "model/program.h"
#include "model/lines.h"
#include "model/source.h"
#include "sizes/generalize_runs.h"

/* What is to be shown. */
struct view {
	struct program *program; /* owned */
	struct program *addressed; /* the program whose addresses these are, owned; NULL: that above */
	size_t *origin; /* by statement: that of the addressed one; NULL: the same */
	struct addresses addresses; /* of that program, where they are asked for */
	bool unfolded; /* addresses are those of an unfolded program: "u2.0.1" */
};

/* Go on with another program, made of that of the view. origin: by statement of the new one. NULL:
   it could not be made, and all stays. */
static bool step(struct view *v, struct program *next, size_t *origin)
{
	if (!next)
		return false;
	for (size_t i = 0; v->origin && i < next->length; i++)
		origin[i] = v->origin[origin[i]];
	free(v->origin);
	v->origin = origin;
	if (v->addressed)
		program_free(v->program);
	else
		v->addressed = v->program;
	v->program = next;
	return true;
}

/* bare: without sites, too */
static bool unfold(struct view *v, bool bare, struct error *error)
{
	size_t *origin = NULL;
	struct program *plain = program_unfold(v->program, &origin, error);
	if (plain && !bare)
		program_copy_sites(plain, v->program, origin);
	return step(v, plain, origin);
}

/* From here on, addresses are those of the program at hand. */
static void restart(struct view *v)
{
	program_free(v->addressed);
	free(v->origin);
	v->addressed = NULL;
	v->origin = NULL;
	v->unfolded = true;
}

static bool select_loop(struct view *v, const char *address, struct error *error)
{
	size_t at, *origin = NULL;
	if (!program_find(v->program, address, &at, error))
		return false;
	struct program *part = program_part(v->program, at, &origin);
	return step(v, part, origin);
}

static bool select_rank(struct view *v, const struct settings *settings, struct error *error)
{
	size_t *origin = NULL;
	if (ranks_count(&settings->ranks) > 1)
		return error_set(error, ERROR_INPUT, "show --rank takes one rank");
	if (!selection_exists(settings, v->program->processes, error))
		return false;
	struct program *own = program_of_rank(v->program, settings->ranks.run[0].first, &origin);
	return step(v, own, origin);
}

static void add_functions(struct view *v, const struct settings *settings, struct report *report)
{
	if (!function_calls_add(v->program, FUNCTION_STATEMENTS))
		idle_say(report, settings, OPTIONS(OPTION_SHOW_PROCEDURES),
			"call paths tell of no function with several statements that is none so far");
}

/* An address that starts with u and a digit is one of the unfolded program; others are of the text as it is
   stored, whose part may then be unfolded. */
static bool choose(struct view *v, const struct settings *settings, struct report *report, struct error *error)
{
	bool unfolded = settings->unfolded || settings->plain;
	const char *loop = settings->loop;
	bool of_unfolded = loop && *loop == 'u' && is_digit(loop[1]);
	if (!program_is_folded(v->program) && !program_varies(v->program))
		idle_say(report, settings, OPTIONS(OPTION_UNFOLD), "the model is written out as it stands");
	if (of_unfolded && !unfolded)
		return error_set(
			error, ERROR_INPUT, "'%s' is an address of the unfolded program: with --unfolded", loop);
	if (unfolded && (of_unfolded || !loop)) {
		if (!unfold(v, settings->plain, error))
			return false;
		restart(v);
	}
	if (loop && !select_loop(v, loop + of_unfolded, error))
		return false;
	if (settings->ranks.length && !select_rank(v, settings, error))
		return false;
	if (settings->procedures == WANTED_FUNCTIONS)
		add_functions(v, settings, report);
	return !unfolded || of_unfolded || !loop || unfold(v, settings->plain, error);
}

/* ------------------------------------------------------------------ remarks */

static void put_address(const void *context, size_t statement, struct text *out)
{
	const struct view *v = context;
	text_put(out, v->unfolded ? "u" : "");
	text_put(out, addresses_get(&v->addresses, v->origin ? v->origin[statement] : statement));
}

/* source: NULL: not asked for */
static void print_view(
	const struct view *v, const struct settings *settings, const struct source *source, struct output *out)
{
	struct positions *positions = settings->positions ? positions_new(v->program) : NULL;
	struct program_remarks remarks = groups_remarks(v->program);
	if (settings->given[OPTION_SHOW_PROCEDURES])
		remarks.procedures = settings->procedures != UNWANTED;
	if (positions)
		remarks = positions_remarks(positions);
	if (settings->addresses)
		remarks = (struct program_remarks){.context = v, .behind = put_address};
	if (source)
		source_remarks(source, &remarks);
	remarks.procedures = remarks.procedures && !source;
	program_print_remarks(v->program, &remarks, out);
	positions_free(positions);
}

/* ------------------------------------------------------------------ the verb */

static bool show(struct view *v, const struct settings *settings, const struct source *source, struct error *error)
{
	struct output *out = output_open(settings->output, error);
	if (!out)
		return false;
	colour_program(out);
	if (settings->addresses)
		v->addresses = addresses_of(v->addressed ? v->addressed : v->program);
	print_view(v, settings, source, out);
	return output_close(out, error);
}

static void say_missing(struct report *report, const struct source *source)
{
	struct text missing = {0};
	source_missing(source, &missing);
	if (missing.length)
		report_say(report, "not there: %s", missing.data);
	text_clear(&missing);
}

static bool show_source(struct view *v, const struct settings *settings, struct report *report, struct error *error)
{
	if (settings->plain)
		return error_set(error, ERROR_INPUT, "--source does not go with --plain");
	struct source *source = source_open(*settings->source ? settings->source : ".", v->program, error);
	if (!source)
		return false;
	bool good = show(v, settings, source, error);
	if (good)
		say_missing(report, source);
	source_close(source);
	return good;
}

/* A program of every size is its text; so it is shown, if nothing else is asked of it. */
static bool is_of_every_size(const struct settings *settings, struct text *text)
{
	bool plain = !settings->loop && !settings->ranks.length && !settings->unfolded && !settings->plain &&
		     !settings->positions && !settings->source && !settings->addresses && !settings->defines.count;
	return plain && definitions_parametric(settings, settings->argument[0], text);
}

static bool show_of_every_size(const struct settings *settings, const struct text *text, struct error *error)
{
	return instantiable(settings->argument[0], text->data, text->length, error) &&
	       output_all_text(settings->output, text, error);
}

bool verb_show(const struct settings *settings, struct report *report, struct error *error)
{
	if (settings->addresses && (settings->ranks.length || settings->positions))
		return error_set(error, ERROR_INPUT,
			"show --addresses goes with neither --rank, whose constructs have no addresses, nor --positions");
	struct text text = {0};
	if (is_of_every_size(settings, &text)) {
		bool shown = show_of_every_size(settings, &text, error);
		text_clear(&text);
		return shown;
	}
	struct view v = {.program = definitions_program(settings, report, NULL, false, error)};
	bool good = v.program && choose(&v, settings, report, error) &&
		    (settings->source ? show_source(&v, settings, report, error) : show(&v, settings, NULL, error));
	addresses_clear(&v.addresses);
	program_free(v.program);
	program_free(v.addressed);
	free(v.origin);
	return good;
}
