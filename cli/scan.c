/*
 * scan.c -- tracenest scan: write, or run at once, the program that fetches what a model's
 * annotations ask for.
 */
#include <inttypes.h>
#include <string.h>

#include "base/output.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"
#include "model/module_address.h"
#include "scangen/scanner.h"

/* ------------------------------------------------------------------ --at */

static void ask(struct scan_requests *asked, const struct settings *s, const char *address, const char *suffix,
	enum position_end end)
{
	struct words attributes = s->get;
	if (!attributes.count)
		attributes.word[attributes.count++] = "time";
	for (size_t i = 0; i < attributes.count; i++) {
		struct text label = {0};
		text_put(&label, address);
		text_put(&label, suffix);
		if (attributes.count > 1)
			text_format(&label, " %s", attributes.word[i]);
		scan_requests_add(asked, &(struct scan_request){.label = label.data,
						 .attribute = (char *)attributes.word[i],
						 .address = (char *)address,
						 .end = end,
						 .ranks = s->ranks});
		text_clear(&label);
	}
}

static void ask_ends(struct scan_requests *asked, const struct settings *s, const char *address)
{
	bool start = s->start || s->both || !s->end, end = s->end || s->both;
	if (start)
		ask(asked, s, address, end ? " start" : "", s->per_iteration ? POSITION_ITERATION : POSITION_START);
	if (end)
		ask(asked, s, address, start ? " end" : "", s->per_iteration ? POSITION_ITERATION_END : POSITION_END);
}

/* Only of those processes that take part in the event: which of them is settled by what was asked
   for. */
static bool ask_event(struct annotated *a, const struct settings *s, node_id who, const char *address)
{
	const struct ranks *all = run_ranks(a->program->run, who);
	struct ranks some = {0};
	struct settings of_event = *s;
	if (!all)
		selection_ranks(s, a->program->module->processes, &some);
	else if (s->ranks.length)
		ranks_intersect(&some, &s->ranks, all);
	else
		ranks_copy(&some, all);
	of_event.ranks = some;
	bool any = some.length;
	if (any)
		ask_ends(&a->asked, &of_event, address);
	ranks_clear(&some);
	return any;
}

static bool ask_inside(struct annotated *a, const struct settings *s, node_id statement, struct text *address)
{
	const struct store *store = a->program->module->store;
	const struct node *n = node_of(store, statement);
	bool any = false;
	int64_t last;
	if (n->kind == NODE_EVENT)
		return ask_event(a, s, n->kid[COLUMN_WHO], address->data);
	if (n->kind == NODE_LOOP && number_is_constant(store, n->kid[1], &last) && last < 0)
		return false;
	const struct node *body = node_of(store, n->kid[2]);
	for (uint32_t k = 0; k < body->kids; k++) {
		size_t length = address->length;
		text_format(address, ".%" PRIu32, k);
		any |= ask_inside(a, s, body->kid[k], address);
		text_truncate(address, length);
	}
	return any;
}

static bool ask_at(struct annotated *a, const struct settings *s, const char *address, struct error *error)
{
	const struct module *m = a->program->module;
	uint64_t found;
	if (!module_find(m, address, &found, error))
		return error_at(error, "%s", s->argument[0]);
	if (!s->inside) {
		ask_ends(&a->asked, s, address);
		return true;
	}
	struct text text = {0};
	module_address(m, found, &text);
	bool any = ask_inside(a, s, module_at(m, found).statement, &text);
	text_clear(&text);
	return any || error_set(error, ERROR_INPUT, "%s: no event inside %s is of the processes asked for",
			      s->argument[0], address);
}

static bool ask_all(struct annotated *a, const struct settings *s, struct error *error)
{
	bool where = s->ranks.length || s->start || s->end || s->both || s->inside || s->per_iteration || s->get.count;
	if (!s->at.count && where)
		return error_set(error, ERROR_INPUT,
			"--get, --rank, --start, --end, --both, --inside and --per-iteration go with --at ADDRESS");
	if (s->inside && s->per_iteration)
		return error_set(error, ERROR_INPUT, "--inside and --per-iteration exclude each other");
	for (size_t i = 0; i < s->get.count; i++)
		if (s->get.word[i][strcspn(s->get.word[i], " \t\"\\=;")] || s->get.word[i][0] == '-')
			return error_set(error, ERROR_INPUT, "--get %s: not the name of an attribute", s->get.word[i]);
	if (!selection_exists(s, a->program->module->processes, error))
		return false;
	for (size_t i = 0; i < s->at.count; i++)
		if (!ask_at(a, s, s->at.word[i], error))
			return false;
	return true;
}

/* ------------------------------------------------------------------ the verb */

static bool check_usage(const struct settings *s, struct error *error)
{
	if (!s->run && (s->program || s->binary))
		return error_set(error, ERROR_INPUT, "--%s goes with --run TRACE", s->program ? "program" : "binary");
	if (s->run && !strcmp(s->run, "-") && !strcmp(s->argument[0], "-"))
		return error_set(error, ERROR_INPUT, "scan: only one of the two can be standard input");
	return true;
}

static void say(void *report, const char *command)
{
	report_say(report, "%s", command);
}

/* The model of an archive has no annotations. */
static bool read_model(struct annotated *a, const char *path, struct error *error)
{
	if (!program_is_of_archive(path))
		return annotated_read(a, path, error);
	*a = (struct annotated){.path = path, .program = prepared_new(module_of_file(path, NULL, false, error), error)};
	return a->program;
}

bool verb_scan(const struct settings *s, struct report *report, struct error *error)
{
	struct annotated a = {0};
	struct text program = {0};
	if (!s->run)
		idle_say(report, s, OPTIONS(OPTION_JOBS, OPTION_VERBOSE), "without --run nothing is compiled and run");
	bool good = check_usage(s, error) && read_model(&a, s->argument[0], error) && ask_all(&a, s, error) &&
		    scanner_write(&a, &program, error);
	if (good && s->run)
		good = scanner_run(&(struct scanner_run){.program = &program,
					   .keep = s->program,
					   .trace = s->run,
					   .binary = s->binary,
					   .jobs = (unsigned)s->jobs,
					   .output = s->output,
					   .tell = s->verbose ? say : NULL,
					   .context = report},
			&report->status, error);
	else if (good)
		good = output_all_text(s->output, &program, error);
	text_clear(&program);
	annotated_clear(&a);
	return good;
}
