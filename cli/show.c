/*
 * show.c -- tracenest show: print a program, or a part of it, as it stands or written out.
 */
#include <stdlib.h>
#include <string.h>

#include "ask/loop_groups.h"
#include "ask/offsets.h"
#include "ask/unfolding.h"
#include "base/output.h"
#include "cli/colour.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "model/function_calls.h"
#include "model/generalize.h"
#include "model/lines.h"
#include "model/module_address.h"
#include "model/source.h"
#include "sizes/generalize_runs.h"

/* What is to be shown. */
struct view {
	struct module *module; /* owned */
	struct inlined_line *origin; /* by line: that of the module whose addresses these are; NULL: the same */
	struct module_addresses addresses; /* of that module, where they are asked for */
	bool unfolded; /* addresses are those of an unfolded program: "u2.0.1" */
};

/* Go on with another module, made of that of the view. origin: by line of the new one. NULL: it
   could not be made, and all stays. */
static bool step(struct view *v, struct module *next, struct inlined_line *origin)
{
	if (!next)
		return false;
	for (size_t i = 0; v->origin && i < next->lines; i++)
		origin[i] = v->origin[origin[i].line];
	free(v->origin);
	v->origin = origin;
	module_free(v->module);
	v->module = next;
	return true;
}

/* Plain, without sites, too. */
static bool unfold(struct view *v, const struct settings *settings, struct report *report, struct error *error)
{
	struct inlined_line *origin = NULL;
	struct module *plain = module_unfold(v->module, &origin, error);
	for (size_t i = 0; plain && settings->plain && i < plain->lines; i++)
		plain->sites[i] = SITES_NONE;
	if (plain && plain->body == v->module->body)
		idle_say(report, settings, OPTIONS(OPTION_UNFOLD), "the model is written out as it stands");
	return step(v, plain, origin);
}

static bool select_loop(struct view *v, const char *address, struct error *error)
{
	uint64_t line;
	struct inlined_line *origin = NULL;
	if (!module_find(v->module, address, &line, error))
		return false;
	struct module *part = module_part(v->module, (size_t)line, &origin);
	return step(v, part, origin);
}

static bool select_rank(struct view *v, const struct settings *settings, struct error *error)
{
	struct inlined_line *origin = NULL;
	if (ranks_count(&settings->ranks) > 1)
		return error_set(error, ERROR_INPUT, "show --rank takes one rank");
	if (!selection_exists(settings, v->module->processes, error))
		return false;
	struct module *own = module_of_rank(v->module, settings->ranks.run[0].first, &origin, error);
	return step(v, own, origin);
}

/* Lines stay what they are once calls are replaced. */
static bool add_functions(struct view *v, const struct settings *settings, struct report *report, struct error *error)
{
	struct draft *d = draft_of_module(v->module, error);
	if (!d)
		return false;
	if (!function_calls_add(d, FUNCTION_STATEMENTS))
		idle_say(report, settings, OPTIONS(OPTION_SHOW_PROCEDURES),
			"call paths tell of no function with several statements that is none so far");
	struct module *called = module_of_draft(d, NULL, NULL);
	draft_free(d);
	module_free(v->module);
	v->module = called;
	return true;
}

/* Does it need the text without calls? What is made of that has none. */
static bool asks_for_lines(const struct settings *s)
{
	bool kept = !s->given[OPTION_SHOW_PROCEDURES] || s->procedures != UNWANTED;
	return !kept || s->loop || s->ranks.length || s->unfolded || s->plain || s->addresses || s->positions ||
	       s->source;
}

/* An address that starts with u and a digit is one of the unfolded program; others are of the text as it is
   stored, whose part may then be unfolded. */
static bool choose(struct view *v, const struct settings *settings, struct report *report, struct error *error)
{
	bool unfolded = settings->unfolded || settings->plain;
	const char *loop = settings->loop;
	bool of_unfolded = loop && *loop == 'u' && is_digit(loop[1]);
	if (of_unfolded && !unfolded)
		return error_set(
			error, ERROR_INPUT, "'%s' is an address of the unfolded program: with --unfolded", loop);
	if (asks_for_lines(settings) && !module_inline(v->module, error))
		return false;
	if (unfolded && (of_unfolded || !loop)) {
		if (!unfold(v, settings, report, error))
			return false;
		free(v->origin); /* from here on, addresses are those of the module at hand */
		v->origin = NULL;
		v->unfolded = true;
	}
	if (settings->addresses)
		v->addresses = module_addresses_of(v->module);
	if (loop && !select_loop(v, loop + of_unfolded, error))
		return false;
	if (settings->ranks.length && !select_rank(v, settings, error))
		return false;
	if (settings->procedures == WANTED_FUNCTIONS && !add_functions(v, settings, report, error))
		return false;
	return !unfolded || of_unfolded || !loop || unfold(v, settings, report, error);
}

/* ------------------------------------------------------------------ remarks */

static void put_address(const void *context, size_t line, struct text *out)
{
	const struct view *v = context;
	text_format(out, " // %s%s", v->unfolded ? "u" : "",
		module_addresses_get(&v->addresses, v->origin ? v->origin[line].line : line));
}

/* source: NULL: not asked for */
static void print_view(const struct view *v, const struct settings *settings, struct source *source, struct output *out)
{
	struct run *run = settings->positions ? run_new(v->module, NULL) : NULL;
	struct offsets *offsets = run ? offsets_new(run) : NULL;
	struct loop_remarks *groups = run || settings->addresses ? NULL : loop_remarks_new(v->module);
	struct module_remarks remarks = offsets ? offsets_remarks(offsets) : loop_remarks(groups);
	if (settings->addresses)
		remarks = (struct module_remarks){.context = v, .behind = put_address};
	if (source)
		source_remarks(source, v->module, &remarks);
	module_print(v->module, &remarks, out);
	loop_remarks_free(groups);
	offsets_free(offsets);
	run_free(run);
}

/* ------------------------------------------------------------------ the verb */

static bool show(struct view *v, const struct settings *settings, struct source *source, struct error *error)
{
	struct output *out = output_open(settings->output, error);
	if (!out)
		return false;
	colour_program(out);
	print_view(v, settings, source, out);
	return output_close(out, error);
}

static bool show_source(struct view *v, const struct settings *settings, struct report *report, struct error *error)
{
	if (settings->plain)
		return error_set(error, ERROR_INPUT, "--source does not go with --plain");
	struct source *source = source_open(*settings->source ? settings->source : ".", &v->module->places, error);
	bool good = source && show(v, settings, source, error);
	if (good)
		say_missing_source(report, source);
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

bool verb_show(const struct settings *settings, struct report *report, struct error *error)
{
	if (settings->addresses && (settings->ranks.length || settings->positions))
		return error_set(error, ERROR_INPUT,
			"show --addresses goes with neither --rank, whose constructs have no addresses, nor --positions");
	struct text text = {0};
	if (is_of_every_size(settings, &text)) {
		bool shown = instantiable(settings->argument[0], text.data, text.length, error) &&
			     output_all_text(settings->output, &text, error);
		text_clear(&text);
		return shown;
	}
	struct view v = {.module = definitions_module(settings, report, NULL, false, error)};
	bool good = v.module && choose(&v, settings, report, error) &&
		    (settings->source ? show_source(&v, settings, report, error) : show(&v, settings, NULL, error));
	module_addresses_clear(&v.addresses);
	module_free(v.module);
	free(v.origin);
	return good;
}
