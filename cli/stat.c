/*
 * stat.c -- tracenest stat: the figures of a model, for people or as JSON (its keys:
 * tracenest-stat(1)).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ask/communication.h"
#include "ask/cost.h"
#include "ask/loop_groups.h"
#include "ask/measures.h"
#include "ask/overview.h"
#include "ask/roles.h"
#include "base/intern.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/definitions.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/pipeline.h"

/* What folding over the processes tells. */
struct folding {
	uint64_t statements, bytes;
	uint32_t roles, idle;
	struct grid grid;
	struct cost cost;
};

static struct folding folding_of(const struct prepared *p)
{
	struct folding result = {.grid = p->module->grid, .cost = text_cost(p->text), .statements = p->module->lines};
	struct loop_remarks *loops = loop_remarks_new(p->text);
	struct module_remarks remarks = loop_remarks(loops);
	struct text text = {0};
	result.roles = roles_count(p->run, &result.idle);
	module_print_text(p->text, &remarks, &text);
	result.bytes = text.length;
	text_clear(&text);
	loop_remarks_free(loops);
	return result;
}

/* ------------------------------------------------------------------ by site */

/* As they stand in a row for programs; of collectives the calls, a process each. */
enum { STATEMENTS, EVENTS, SENT, RECEIVED, COLLECTIVES, SIZED, BYTES, COUNTS };
static const char *const count_names[COUNTS] = {
	"statements", "events", "sent", "received", "collectives", "messages_sized", "bytes_sent"};

/* What is done at a set of lines of the source. */
struct sited {
	uint32_t sites;
	struct ranks ranks;
	uint64_t count[COUNTS];
};

struct sited_all {
	struct sited *sited; /* in the order in which they occur */
	size_t length, capacity;
	size_t *number; /* by sites: one more than its place; 0: not met */
};

static struct sited *sited_at(struct sited_all *p, uint32_t sites)
{
	if (p->number[sites])
		return &p->sited[p->number[sites] - 1];
	p->sited = mem_grow(p->sited, &p->capacity, p->length + 1, sizeof *p->sited);
	p->sited[p->length] = (struct sited){.sites = sites};
	p->number[sites] = ++p->length;
	return &p->sited[p->length - 1];
}

static struct sited_all sited_of(const struct prepared *program)
{
	const struct module *m = program->module;
	struct sited_all all = {.number = mem_zero((intern_count(m->places.sets) + (size_t)1) * sizeof *all.number)};
	struct communication *totals = communication_of_lines(program->run, false, &(struct error){0});
	struct overview o;
	overview_of(&o, program->run);
	for (size_t i = 0; i < o.lines; i++) {
		const struct ranks *who = &o.line[i].who;
		if (!overview_is_call(&o, i))
			continue;
		struct sited *p = sited_at(&all, m->sites[i]);
		ranks_join(&p->ranks, who);
		const struct communication *t = &totals[i];
		const uint64_t own[COUNTS] = {1, t->events, t->sent, t->received,
			overview_match(&o, i) == MATCH_GROUP ? t->events : 0, t->sized, t->bytes};
		for (int k = 0; k < COUNTS; k++)
			p->count[k] += own[k];
	}
	overview_clear(&o);
	communication_free(totals);
	return all;
}

/* In a way of its own each, a row for every set of lines; words: what this is. */
typedef void put_sited(const struct sited *, const char *words, const char *ranks, void *to);

static void put_each_site(const struct prepared *program, const char *unknown, put_sited *put, void *to)
{
	struct sited_all all = sited_of(program);
	struct text words = {0}, ranks = {0};
	for (size_t i = 0; i < all.length; i++) {
		struct sited *p = &all.sited[i];
		text_truncate(&words, 0);
		text_truncate(&ranks, 0);
		text_put(&words, p->sites == SITES_NONE ? unknown : "");
		sites_print_whole(&program->module->places, p->sites, &words);
		ranks_print(&p->ranks, &ranks);
		put(p, words.data, ranks.data, to);
		ranks_clear(&p->ranks);
	}
	text_clear(&words);
	text_clear(&ranks);
	free(all.sited);
	free(all.number);
}

static void put_site(const struct sited *p, const char *words, const char *ranks, void *to)
{
	char events[32], sent[32], received[32], calls[32], bytes[32];
	const uint64_t *n = p->count;
	(void)ranks;
	output_format(to, "%10" PRIu64 " %9" PRIu64 " %15s %15s %15s %15s %19s  %s\n", n[STATEMENTS],
		ranks_count(&p->ranks), grouped(n[EVENTS], events), grouped(n[SENT], sent),
		grouped(n[RECEIVED], received), grouped(n[COLLECTIVES], calls),
		n[SIZED] == n[SENT] ? grouped(n[BYTES], bytes) : "?", words);
}

static void put_site_csv(const struct sited *p, const char *words, const char *ranks, void *to)
{
	output_csv(to, words);
	output_format(to, ",%" PRIu64 ",", p->count[STATEMENTS]);
	output_csv(to, ranks);
	for (int k = EVENTS; k < COUNTS; k++)
		output_format(to, ",%" PRIu64, p->count[k]);
	output_format(to, "\n");
}

static void put_site_json(const struct sited *p, const char *words, const char *ranks, void *to)
{
	json_object(to, NULL, JSON_ROW);
	json_string(to, "site", words);
	for (int k = 0; k < COUNTS; k++) {
		json_number(to, count_names[k], p->count[k]);
		if (k == STATEMENTS)
			json_string(to, "ranks", ranks);
	}
	json_close(to);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* ------------------------------------------------------------------ for people */

static void put_number(struct output *out, const char *name, uint64_t number)
{
	char digits[32];
	output_format(out, "%-22s %20s", name, grouped(number, digits));
}

static void put_share(struct output *out, const char *name, uint64_t part, uint64_t whole)
{
	put_number(out, name, part);
	output_format(out, "   %.2f %%\n", 100 * share(part, whole));
}

static void put_loops(struct output *out, const struct measures *s)
{
	put_number(out, "loops", s->loops);
	if (s->depth == 1)
		output_format(out, "   none inside another");
	for (uint32_t i = 0; s->depth > 1 && i < s->depth; i++)
		output_format(
			out, "%s%" PRIu64, i ? ", " : "   from the outermost level to the innermost: ", s->loops_at[i]);
	output_format(out, "\n");
}

/* ", 12 guards" */
static void put_part(struct output *out, uint64_t number, const char *what)
{
	char digits[32];
	if (number)
		output_format(out, ", %s %s%s", grouped(number, digits), what, number == 1 ? "" : "s");
}

static void put_cost(const struct cost *c, struct output *out)
{
	char total[40], digits[32];
	snprintf(total, sizeof total, "%s.%02" PRIu64, grouped(c->total / 100, digits), c->total % 100);
	output_format(out, "%-22s %20s   %s line%s", "reader's cost", total, grouped(c->lines, digits),
		c->lines == 1 ? "" : "s");
	put_part(out, c->guards, "guard");
	put_part(out, c->arguments, "argument");
	put_part(out, c->tables, "table");
	if (c->tables)
		output_format(out, " of %s", grouped(c->entries, digits));
	put_part(out, c->lookups, "look-up");
	output_format(out, "\n");
}

static void put_folding(const struct folding *f, struct output *out)
{
	put_number(out, "statements", f->statements);
	output_format(out, "   folded over the processes\n");
	put_number(out, "roles", f->roles);
	output_format(out, "   sets of processes that do the same\n");
	if (f->grid.axes) {
		struct text grid = {0};
		for (uint32_t i = 0; i < f->grid.axes; i++)
			text_format(&grid, i ? " x %" PRIu32 : "%" PRIu32, f->grid.size[i]);
		output_format(out, "%-22s %20s\n", "grid", grid.data);
		text_clear(&grid);
	}
	put_number(out, "bytes of text", f->bytes);
	output_format(out, "\n");
	put_cost(&f->cost, out);
}

static void put_traffic(const struct measures *t, struct output *out)
{
	char messages[32];
	if (!t->sized)
		return;
	put_number(out, "bytes sent", t->bytes);
	output_format(out, "   in %s messages", grouped(t->sized, messages));
	if (t->sized < t->sent)
		output_format(out, "; of %s more the size is not known", grouped(t->sent - t->sized, messages));
	output_format(out, "\n");
}

static void print_people(const struct prepared *program, const struct measures *s, const struct folding *f, bool sites,
	struct output *out)
{
	char fewest[32], most[32];
	put_number(out, "processes", s->processes);
	output_format(out, "\n");
	put_number(out, "events", s->events);
	if (s->fewest == s->most)
		output_format(out, "   %s per process\n", grouped(s->most, most));
	else
		output_format(out, "   %s to %s per process\n", grouped(s->fewest, fewest), grouped(s->most, most));
	put_number(out, "constructs", s->constructs);
	output_format(out, "   one for %.2f events\n", share(s->events, s->constructs));
	put_loops(out, s);
	put_number(out, "depth", s->depth);
	output_format(out, "\n");
	put_share(out, "events in loops", s->in_loops, s->events);
	put_share(out, "  of several processes", s->in_several, s->events);
	put_share(out, "  of all processes", s->in_all, s->events);
	put_traffic(s, out);
	put_folding(f, out);
	for (size_t i = 0; i < program->text->notes.length; i++)
		output_format(out, "note: %s\n", program->text->notes.line[i]);
	if (!sites)
		return;
	output_format(out, "\n%10s %9s %15s %15s %15s %15s %19s  %s\n", "statements", "processes", "events", "sends",
		"receives", "collectives", "bytes sent", "site");
	put_each_site(program, "no known line", put_site, out);
}

/* ------------------------------------------------------------------ as CSV */

/* A row of figures; with sites, a row for each of these. */
static void print_csv(const struct prepared *program, const struct measures *s, const struct folding *f, bool sites,
	struct output *out)
{
	if (sites) {
		output_format(
			out, "site,statements,ranks,events,sent,received,collectives,messages_sized,bytes_sent\n");
		put_each_site(program, "", put_site_csv, out);
		return;
	}
	output_format(out,
		"processes,events,constructs,loops,depth,events_in_loops,events_of_several,events_of_all,messages,"
		"messages_sized,bytes_sent,statements,roles,bytes,cost\n");
	output_format(out,
		"%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%.2f\n",
		s->processes, s->events, s->constructs, s->loops, s->depth, s->in_loops, s->in_several, s->in_all,
		s->sent, s->sized, s->bytes, f->statements, f->roles, f->bytes, (double)f->cost.total / 100);
}

/* ------------------------------------------------------------------ as JSON */

static void print_json(const struct prepared *program, const struct measures *s, const struct folding *f, bool sites,
	struct output *out)
{
	struct json j = {.out = out};
	json_object(&j, NULL, JSON_LINES);
	json_number(&j, "processes", s->processes);
	json_number(&j, "events", s->events);
	json_object(&j, "events_per_process", JSON_ROW);
	json_number(&j, "min", s->fewest);
	json_number(&j, "max", s->most);
	json_close(&j);
	json_number(&j, "constructs", s->constructs);
	json_number(&j, "loops", s->loops);
	json_array(&j, "loops_by_depth", JSON_ROW);
	for (uint32_t i = 0; i < s->depth; i++)
		json_number(&j, NULL, s->loops_at[i]);
	json_close(&j);
	json_number(&j, "depth", s->depth);
	json_object(&j, "coverage", JSON_ROW);
	json_real(&j, "loops", share(s->in_loops, s->events), 6);
	json_real(&j, "several", share(s->in_several, s->events), 6);
	json_real(&j, "all", share(s->in_all, s->events), 6);
	json_close(&j);
	json_real(&j, "compression", share(s->events, s->constructs), 3);
	if (s->sized) {
		json_number(&j, "messages_sized", s->sized);
		json_number(&j, "bytes_sent", s->bytes);
	}
	json_number(&j, "statements", f->statements);
	json_number(&j, "roles", f->roles);
	json_array(&j, "grid", JSON_ROW);
	for (uint32_t i = 0; i < f->grid.axes; i++)
		json_number(&j, NULL, f->grid.size[i]);
	json_close(&j);
	json_number(&j, "bytes", f->bytes);
	json_real(&j, "cost", (double)f->cost.total / 100, 2);
	json_object(&j, "cost_of", JSON_ROW);
	json_number(&j, "lines", f->cost.lines);
	json_number(&j, "guards", f->cost.guards);
	json_number(&j, "arguments", f->cost.arguments);
	json_number(&j, "tables", f->cost.tables);
	json_number(&j, "entries", f->cost.entries);
	json_number(&j, "lookups", f->cost.lookups);
	json_number(&j, "longest_table", f->cost.longest);
	json_number(&j, "remainders", f->cost.remainders);
	json_number(&j, "affine", f->cost.affine);
	json_close(&j);
	json_array(&j, "notes", JSON_ROW);
	for (size_t i = 0; i < program->text->notes.length; i++)
		json_string(&j, NULL, program->text->notes.line[i]);
	json_close(&j);
	if (sites) {
		json_array(&j, "sites", JSON_LINES);
		put_each_site(program, "", put_site_json, &j);
		json_close(&j);
	}
	json_close(&j);
	json_finish(&j);
}

/*
 * A text of few lines may stand for so many more that folding these tells nothing worth the time.
 */
#define CONSTRUCTS_FOLDED (UINT64_C(1) << 17)

/* What folding tells: of a plain program, of what would have been made of it. */
static bool folding_known(
	struct prepared *program, const struct measures *s, struct folding *folding, struct error *error)
{
	const struct module *m = program->module;
	if (module_is_folded(m) || (module_varies(m) && s->constructs > CONSTRUCTS_FOLDED)) {
		*folding = folding_of(program);
		return true;
	}
	run_free(program->run); /* what it has found takes room that folding needs */
	program->run = run_new(program->module, NULL);
	struct prepared *made = prepared_new(module_as_made(module_copy(program->text), error), error);
	if (!made)
		return false;
	*folding = folding_of(made);
	prepared_free(made);
	return true;
}

bool verb_stat(const struct settings *settings, struct report *report, struct error *error)
{
	struct folding folding;
	struct measures measures = {0};
	struct prepared *program = definitions_prepared(settings, report, error);
	bool good = program;
	if (good && settings->by && !intern_count(program->module->places.sets))
		good = error_set(error, ERROR_INPUT, "%s: " SITES_MISSING, settings->argument[0]);
	good = good && measures_of(program->run, &measures, error) &&
	       folding_known(program, &measures, &folding, error);
	struct output *out = good ? output_open(settings->output, error) : NULL;
	if (out)
		(settings->json         ? print_json
			: settings->csv ? print_csv
					: print_people)(program, &measures, &folding, settings->by, out);
	if (out)
		omissions_say(report, program->run);
	measures_clear(&measures);
	prepared_free(program);
	return out && output_close(out, error);
}
