/*
 * show.c -- tracenest show: print a model, or a part of it, folded or not.
 */
#include "ask/positions.h"
#include "base/output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "cli/verbs.h"
#include "fold/fold.h"
#include "fold/roll.h"

/* Takes the model, gives the part (or the model itself, if all is wanted). NULL with *error set. */
static struct model *select_loop(struct model *whole, const struct settings *settings, struct error *error)
{
	if (!whole || !settings->loop)
		return whole;
	node found;
	struct model *part = model_find(whole, settings->loop, &found, error) ? model_part(whole, found) : NULL;
	model_free(whole);
	return part;
}

static struct model *select_rank(struct model *whole, const struct settings *settings, struct error *error)
{
	if (!whole || settings->ranks.length == 0)
		return whole;
	struct model *part = NULL;
	if (ranks_count(&settings->ranks) > 1)
		error_set(error, ERROR_INPUT, "show --rank takes one rank");
	else if (selection_exists(settings, whole->processes, error))
		part = model_of_rank(whole, settings->ranks.run[0].first);
	model_free(whole);
	return part;
}

static void print_program(const struct program *program, const struct settings *settings, struct output *out)
{
	struct positions *positions = settings->positions ? positions_new(program) : NULL;
	struct program_remarks remarks = {0};
	if (positions)
		remarks = positions_remarks(positions);
	program_print_remarks(program, &remarks, out);
	positions_free(positions);
}

/* advances: numbers shall advance with the indices of loops, as in what was read. */
static void print_part(const struct model *model, bool plain, bool advances, const struct settings *settings, struct output *out)
{
	if (settings->addresses) {
		model_print_addresses(model, settings->loop, out);
		return;
	}
	struct program *folded = plain ? program_of_plain(model) : fold(model, NULL);
	if (advances)
		roll(folded);
	print_program(folded, settings, out);
	program_free(folded);
}

/* Takes the program. As it is stored, folded or plain, where it is to be shown whole. */
static bool show(struct program *folded, const struct settings *settings, struct output *out, struct error *error)
{
	bool advances = program_varies(folded) && !settings->unfolded;
	bool plain = settings->unfolded || settings->ranks.length || !program_is_folded(folded);
	bool whole = !settings->loop && !settings->ranks.length && !settings->unfolded && !settings->addresses;
	if (whole) {
		print_program(folded, settings, out);
		program_free(folded);
		return true;
	}
	struct model *model = select_rank(select_loop(program_to_model(folded, error), settings, error), settings, error);
	bool good = model;
	if (good)
		print_part(model, plain, advances, settings, out);
	model_free(model);
	return good;
}

static bool run(const struct settings *settings, struct error *error)
{
	if (settings->addresses && (settings->ranks.length || settings->positions))
		return error_set(error, ERROR_INPUT, "show --addresses goes with neither --rank, whose constructs have no addresses, nor --positions");
	struct program *folded = program_read(settings->argument[0], error);
	struct output *out = folded ? output_open(settings->output, error) : NULL;
	if (!out) {
		program_free(folded);
		return false;
	}
	if (show(folded, settings, out, error))
		return output_close(out, error);
	output_abandon(out);
	return false;
}

int verb_show(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	return run(settings, &error) ? 0 : report_error(&report, &error, NULL);
}
