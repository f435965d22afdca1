/*
 * matrix.c -- tracenest matrix: messages between each pair of processes, of the whole run or of
 * phases of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/communication.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/volumes.h"
#include "model/module_address.h"
#include "viz/heat.h"

#define SITES_ALL UINT32_MAX

/* Values of --by. */
enum { BY_NOTHING, BY_SITE, BY_CALLER };

/* Wider tables are listed pair by pair. */
#define TABLE_WIDTH 180

struct phase {
	char *title;
	const char *address; /* of the construct; NULL: the whole run */
	uint32_t sites; /* by site or caller: these */
	struct communication *matrix; /* of the results */
};

struct phases {
	struct phase *phase;
	size_t count, capacity;
	struct communication **result; /* by construct */
	size_t results, result_capacity;
	struct prepared *program;
	const struct settings *settings;
	struct intern *sites; /* what events are told under, in the order of the text; */
	size_t *group; /* ... by line, its number */
	bool picture; /* is asked for, by the name of the output */
};

/* With --by, "exchange.c:3 exchange", or of callers "main (a.c:4) > solve (a.c:9)". */
static struct text words_of(const struct phases *p, uint32_t sites, enum path_length length)
{
	struct text words = {0};
	text_add(&words, "", 0);
	if (p->settings->by == BY_CALLER)
		sites_print_paths(&p->program->module->places, sites, length, &words);
	else if (p->settings->by)
		sites_print_whole(&p->program->module->places, sites, &words);
	return words;
}

/* What the numbers of a cell are: volumes where they were asked for. */
static uint64_t cell_value(const struct settings *s, const struct communication_cell *c)
{
	return s->bytes ? c->bytes : c->messages;
}

static const char *unit_of(const struct settings *s)
{
	return s->bytes ? "bytes" : "messages";
}

/* ------------------------------------------------------------------ as text */

static size_t digits_of(uint64_t number)
{
	char digits[32];
	return (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number);
}

static size_t column_width(const struct phases *p, const struct communication *x)
{
	size_t width = digits_of(x->processes ? x->processes - 1 : 0);
	uint64_t row = 0;
	for (size_t i = 0; i < x->cells; i++) {
		bool same = i && x->cell[i].source == x->cell[i - 1].source;
		row = cell_value(p->settings, &x->cell[i]) + (same ? row : 0);
		if (digits_of(row) > width)
			width = digits_of(row);
	}
	return width < 5 ? 5 : width; /* "total" */
}

static void put_row(const struct phases *p, const struct communication *x, size_t *at, uint32_t source, int width,
	struct output *out)
{
	uint64_t sum = 0;
	output_format(out, "%*" PRIu32 " ", width, source);
	for (uint32_t destination = 0; destination < x->processes; destination++) {
		bool there = *at < x->cells && x->cell[*at].source == source && x->cell[*at].destination == destination;
		if (there) {
			uint64_t value = cell_value(p->settings, &x->cell[(*at)++]);
			output_format(out, " %*" PRIu64, width, value);
			sum += value;
		} else {
			output_format(out, " %*s", width, ".");
		}
	}
	for (; *at < x->cells && x->cell[*at].source == source; ++*at) /* to who is no process of the run */
		sum += cell_value(p->settings, &x->cell[*at]);
	output_format(out, "  %*" PRIu64 "\n", width, sum);
}

static void put_column_sums(const struct phases *p, const struct communication *x, int width, struct output *out)
{
	uint64_t *sum = mem_zero((x->processes + (size_t)1) * sizeof *sum), all = 0;
	for (size_t i = 0; i < x->cells; i++) {
		if (x->cell[i].destination < x->processes)
			sum[x->cell[i].destination] += cell_value(p->settings, &x->cell[i]);
		all += cell_value(p->settings, &x->cell[i]);
	}
	output_format(out, "%*s ", width, "total");
	for (uint32_t i = 0; i < x->processes; i++)
		output_format(out, " %*" PRIu64, width, sum[i]);
	output_format(out, "  %*" PRIu64 "\n", width, all);
	free(sum);
}

static void put_table(const struct phases *p, const struct communication *x, int width, struct output *out)
{
	size_t at = 0;
	output_format(out, "%*s ", width, "from");
	for (uint32_t i = 0; i < x->processes; i++)
		output_format(out, " %*" PRIu32, width, i);
	output_format(out, "  %*s\n", width, "total");
	for (uint32_t source = 0; source < x->processes; source++)
		put_row(p, x, &at, source, width, out);
	put_column_sums(p, x, width, out);
}

static void put_pairs(const struct phases *p, const struct communication *x, struct output *out)
{
	output_format(
		out, "%10s %10s %20s%s\n", "from", "to", "messages", p->settings->bytes ? "                bytes" : "");
	for (size_t i = 0; i < x->cells; i++) {
		const struct communication_cell *c = &x->cell[i];
		output_format(out, "%10" PRIu32 " %10" PRIu32 " %20" PRIu64, c->source, c->destination, c->messages);
		if (p->settings->bytes)
			output_format(out, " %20" PRIu64, c->bytes);
		output_format(out, "\n");
	}
}

/* A site without messages has collectives. */
static void put_messages(const struct phases *p, const struct communication *x, struct output *out)
{
	size_t width = column_width(p, x);
	if (p->settings->by && !x->sent)
		return;
	if ((x->processes + 2) * (width + 1) <= TABLE_WIDTH)
		put_table(p, x, (int)width, out);
	else
		put_pairs(p, x, out);
}

static void print_text(const struct phases *p, struct output *out)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct communication *x = p->phase[i].matrix;
		char sent[32];
		output_format(out, "%s%s: %s messages", i ? "\n" : "", p->phase[i].title, grouped(x->sent, sent));
		if (x->one_sided)
			output_format(out, ", %s of them one-sided", grouped(x->one_sided, sent));
		if (x->sent - x->one_sided != x->received && !p->settings->by)
			output_format(out, " sent, %s received", grouped(x->received, sent));
		output_format(out, p->settings->bytes ? "; the table holds bytes" : "");
		output_format(out, " (rows send, columns receive)\n");
		put_messages(p, x, out);
		output_format(out, x->collectives ? "collectives\n" : "");
		communication_print_collectives(p->program->run, x, out);
	}
}

/* ------------------------------------------------------------------ CSV and JSON */

static const char *by_name(const struct settings *s)
{
	static const char *const names[] = {[BY_NOTHING] = "", [BY_SITE] = "site", [BY_CALLER] = "caller"};
	return names[s->by];
}

static void print_csv(const struct phases *p, struct output *out)
{
	const struct settings *s = p->settings;
	output_format(out, "%s%s%sfrom,to,messages%s\n", s->loops.count ? "phase," : "", by_name(s), s->by ? "," : "",
		s->bytes ? ",bytes" : "");
	for (size_t i = 0; i < p->count; i++) {
		const struct communication *x = p->phase[i].matrix;
		struct text site = words_of(p, p->phase[i].sites, PATH_WHOLE);
		for (size_t k = 0; k < x->cells; k++) {
			if (s->loops.count) {
				output_csv(out, p->phase[i].address);
				output_write(out, ",", 1);
			}
			if (s->by) {
				output_csv(out, site.data);
				output_write(out, ",", 1);
			}
			output_format(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64, x->cell[k].source,
				x->cell[k].destination, x->cell[k].messages);
			if (s->bytes)
				output_format(out, ",%" PRIu64, x->cell[k].bytes);
			output_format(out, "\n");
		}
		text_clear(&site);
	}
}

static void put_pairs_json(const struct phases *p, const struct communication *x, struct json *j)
{
	json_array(j, "pairs", JSON_LINES);
	for (size_t k = 0; k < x->cells; k++) {
		json_object(j, NULL, JSON_ROW);
		json_number(j, "from", x->cell[k].source);
		json_number(j, "to", x->cell[k].destination);
		json_number(j, "messages", x->cell[k].messages);
		if (p->settings->bytes)
			json_number(j, "bytes", x->cell[k].bytes);
		json_close(j);
	}
	json_close(j);
}

static void put_collectives_json(const struct phases *p, const struct communication *x, struct json *j)
{
	struct text group = {0};
	json_array(j, "collectives", JSON_LINES);
	for (size_t i = 0; i < x->collectives; i++) {
		const struct communication_collective *c = &x->collective[i];
		text_truncate(&group, 0);
		communication_print_group(x, c, &group);
		json_object(j, NULL, JSON_ROW);
		json_string(j, "name", store_get_word(p->program->module->store, c->key.name));
		json_string(j, "group", group.data);
		json_number(j, "calls", c->calls);
		json_close(j);
	}
	json_close(j);
	text_clear(&group);
}

static void print_json(const struct phases *p, struct output *out)
{
	struct json j = {.out = out};
	json_object(&j, NULL, JSON_LINES);
	json_number(&j, "processes", p->program->module->processes);
	json_array(&j, "phases", JSON_LINES);
	for (size_t i = 0; i < p->count; i++) {
		const struct communication *x = p->phase[i].matrix;
		json_object(&j, NULL, JSON_LINES);
		json_string(&j, "address", p->phase[i].address ? p->phase[i].address : "");
		struct text site = words_of(p, p->phase[i].sites, PATH_WHOLE);
		if (p->settings->by)
			json_string(&j, by_name(p->settings), site.data);
		text_clear(&site);
		json_number(&j, "executions", x->executions);
		json_truth(&j, "per_iteration", p->settings->per_iteration);
		json_number(&j, "sent", x->sent);
		json_number(&j, "received", x->received);
		json_number(&j, "one_sided", x->one_sided);
		put_pairs_json(p, x, &j);
		put_collectives_json(p, x, &j);
		json_close(&j);
	}
	json_close(&j);
	json_close(&j);
	json_finish(&j);
}

/* ------------------------------------------------------------------ the picture */

static bool draw(const struct phases *p, const char *path, struct error *error)
{
	struct text title = {0};
	text_format(&title, "%s: %s between processes%s%s", p->settings->argument[0], unit_of(p->settings),
		p->settings->tag ? ", " : "", p->settings->tag ? p->settings->tag : "");
	struct heat *heat = heat_new(title.data, unit_of(p->settings));
	for (size_t i = 0; i < p->count; i++) {
		const struct communication *x = p->phase[i].matrix;
		if (p->settings->by && !x->sent)
			continue;
		struct heat_panel *panel = heat_panel(heat, p->phase[i].title, x->processes, x->processes);
		panel->row_axis = "sender";
		panel->column_axis = "receiver";
		for (size_t k = 0; k < x->cells; k++)
			heat_set(panel, x->cell[k].source, x->cell[k].destination,
				(double)cell_value(p->settings, &x->cell[k]));
	}
	text_clear(&title);
	return heat_write(heat, path, error);
}

/* ------------------------------------------------------------------ counting */

/* sites: SITES_ALL: wherever it is. */
static char *title_of(const struct phases *p, const char *address, uint32_t sites)
{
	struct text title = {0};
	if (address)
		text_format(&title, p->settings->per_iteration ? "one iteration of %s" : "construct %s", address);
	else if (sites == SITES_ALL)
		text_put(&title, "whole run");
	if (sites != SITES_ALL && title.length)
		text_put(&title, ", ");
	if (sites == SITES_NONE)
		text_format(&title, "no known %s", p->settings->by == BY_CALLER ? "caller" : "line");
	struct text words = words_of(p, sites, PATH_SHORT);
	text_put(&title, words.data);
	text_clear(&words);
	if (p->settings->tag)
		text_format(&title, ", %s", p->settings->tag);
	return title.data;
}

/* By site, phases without anything are left out. */
static bool count_phases_of(struct phases *p, const char *address, struct error *error)
{
	uint64_t line = 0;
	if (address && !module_find(p->program->module, address, &line, error))
		return error_at(error, "%s", p->settings->argument[0]);
	struct communication_part part = {.whole = !address,
		.line = line,
		.address = address,
		.per_iteration = address && p->settings->per_iteration,
		.group = p->group,
		.groups = p->sites ? intern_count(p->sites) : 0,
		.tag = p->settings->tag,
		.sizes = p->settings->bytes,
		.collectives = true};
	struct communication *x = communication_new(p->program->run, &part, error);
	if (!x)
		return error_at(error, "%s", p->settings->argument[0]);
	*MEM_PUSH(p->result, p->results, p->result_capacity) = x;
	for (uint32_t i = 0; i < x->groups; i++) {
		uint32_t sites = p->sites ? *(const uint32_t *)intern_data(p->sites, i, NULL) : SITES_ALL;
		if (!p->sites || x[i].sent || x[i].collectives)
			*MEM_PUSH(p->phase, p->count, p->capacity) =
				(struct phase){title_of(p, address, sites), address, sites, &x[i]};
	}
	return true;
}

/* Those who call the functions that sites are in. */
static uint32_t callers_of(struct site_places *places, uint32_t sites)
{
	const uint32_t *path;
	size_t count = sites_get(places, sites, &path), callers = 0;
	uint32_t *caller = mem_array(count, sizeof *caller);
	for (size_t i = 0; i < count; i++)
		if ((caller[callers] = call_paths_frame(places->paths, path[i])->caller) != CALL_PATH_NONE)
			callers++;
	uint32_t id = sites_know(places, caller, callers);
	free(caller);
	return id;
}

static void group_by_sites(struct phases *p)
{
	struct module *m = p->program->module;
	struct module_line *line = module_statements(m);
	p->sites = intern_new_keys(sizeof(uint32_t));
	p->group = mem_zero((m->lines + 1) * sizeof *p->group);
	for (size_t i = 0; i < m->lines; i++) {
		if (node_of(m->store, line[i].node)->kind != NODE_EVENT)
			continue;
		uint32_t sites = p->settings->by == BY_CALLER ? callers_of(&m->places, m->sites[i]) : m->sites[i];
		p->group[i] = intern_id(p->sites, &sites, sizeof sites);
	}
	free(line);
}

static bool count_phases(struct phases *p, struct error *error)
{
	const struct words *loops = &p->settings->loops;
	bool good = true;
	if (p->settings->by)
		group_by_sites(p);
	for (size_t i = 0; good && i < (loops->count ? loops->count : 1); i++)
		good = count_phases_of(p, loops->count ? loops->word[i] : NULL, error);
	return good;
}

static bool knows_callers(const struct site_places *places)
{
	bool known = false;
	for (uint32_t path = 1; path < call_paths_count(places->paths) && !known; path++)
		known = call_paths_frame(places->paths, path)->caller != CALL_PATH_NONE;
	return known;
}

static bool check_sites(const struct phases *p, struct error *error)
{
	if (!p->settings->by || intern_count(p->program->module->places.sets))
		return p->settings->by != BY_CALLER || knows_callers(&p->program->module->places) ||
		       error_set(error, ERROR_INPUT,
			       "%s: no call site has a caller: record with 'tracenest record --stack', or take --by site",
			       p->settings->argument[0]);
	return error_set(error, ERROR_INPUT, "%s: " SITES_MISSING, p->settings->argument[0]);
}

/* The model must say how large every message is. */
static bool check_sizes(const struct phases *p, struct error *error)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct communication *x = p->phase[i].matrix;
		if (x->sized < x->sent)
			return error_set(error, ERROR_INPUT,
				"%s: the model does not say how large %" PRIu64 " of the %" PRIu64
				" messages are: read it from the trace, --bytes=TRACE",
				p->settings->argument[0], x->sent - x->sized, x->sent);
	}
	return true;
}

static bool fetch_volumes(struct phases *p, struct report *report, struct error *error)
{
	if (!*p->settings->bytes)
		return check_sizes(p, error);
	struct volumes_phase *phases = mem_array(p->count, sizeof *phases);
	for (size_t i = 0; i < p->count; i++)
		phases[i] = (struct volumes_phase){p->phase[i].address, p->phase[i].matrix};
	const struct settings *s = p->settings;
	struct volumes_options options = {.tag = s->tag,
		.per_iteration = s->per_iteration,
		.jobs = (unsigned)s->jobs,
		.progress = report_listens(report)};
	struct missing_records missing = {0};
	bool good =
		settings_trace(s, &p->program->text->notes, &options.trace, error) &&
		volumes_read(p->program->run, s->argument[0], s->bytes, &options, phases, p->count, &missing, error);
	report_clear(report);
	missing_records_say(report, &missing);
	missing_records_clear(&missing);
	free(phases);
	return good;
}

static bool print(const struct phases *p, struct error *error)
{
	if (p->picture)
		return draw(p, p->settings->output, error);
	struct output *out = output_open(p->settings->output, error);
	if (!out)
		return false;
	(p->settings->json ? print_json : p->settings->csv ? print_csv : print_text)(p, out);
	return output_close(out, error);
}

static bool check_usage(const struct settings *s, struct error *error)
{
	if (s->per_iteration && !s->loops.count)
		return error_set(error, ERROR_INPUT, "--per-iteration goes with --loop ADDRESS");
	if (s->by && s->bytes && *s->bytes)
		return error_set(error, ERROR_INPUT,
			"--by goes with the volumes that the model says, --bytes, not with those of a trace");
	return true;
}

static void say_idle(struct report *report, const struct settings *s, bool picture)
{
	idle_lenient_cautions(report, s);
	if (!s->bytes || !*s->bytes)
		idle_say(report, s, OPTIONS(OPTION_JOBS), "no trace is read");
	if (picture)
		idle_say(report, s, OPTIONS(OPTION_CSV, OPTION_JSON), "the output is a picture");
}

bool verb_matrix(const struct settings *s, struct report *report, struct error *error)
{
	struct phases p = {.settings = s};
	bool good = check_usage(s, error) && picture_asked(s->output, &p.picture, error) &&
		    (p.program = definitions_sized(s, report, error));
	if (good)
		cautions_say(report, s, p.program->run);
	good = good && check_sites(&p, error);
	good = good && count_phases(&p, error) && (!s->bytes || fetch_volumes(&p, report, error)) && print(&p, error);
	if (good)
		say_idle(report, s, p.picture);
	for (size_t i = 0; i < p.count; i++)
		free(p.phase[i].title);
	for (size_t i = 0; i < p.results; i++)
		communication_free(p.result[i]);
	free(p.phase);
	free(p.result);
	intern_free(p.sites);
	free(p.group);
	prepared_free(p.program);
	return good;
}
