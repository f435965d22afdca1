/*
 * generate.c -- a plan as C.
 *
 * Two forms of the same. Few values stand as in the paper's Figure 8: start, a value per process,
 * end. Where there are many, a switch over the process that is scanned now (or, where sets of
 * processes are patterns, conditions) brings it to its own records, so that a scan of one process
 * costs what is asked of it and not what is asked of all:
 *
 *	switch (p) {
 *	case 0:
 *		scan_record(s, "sent", 991 + 644 * i0, SCAN_BYTES, 1, i0);
 *		...
 *
 * Records of one process stay in the order of the listing; those of different processes have none.
 * For the same reason a loop in which only some processes are asked about stands under a condition.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/mem.h"
#include "scangen/formulas.h"
#include "scangen/plan.h"

/* Values in a stretch that are written one by one, with whose they are. */
#define FEW 8
/* Runs of ranks in a case of a switch; of more, a condition may be shorter. */
#define RUNS_IN_CASE 4
/* Sets of processes told apart one after the other; more are cases of a switch. */
#define CHOICES 16
/* A longer condition becomes a table. */
#define CONDITION_LENGTH 100

struct writer {
	const struct plan *plan;
	const struct scangen_options *options;
	struct run *run;
	const struct offsets *offsets;
	struct text *out;
	struct formulas formulas;
	struct text tables; /* stands before the functions */
	size_t tables_written;
	bool asks_rank; /* somewhere */
	uint64_t *signature; /* per rank: what it does in the stretch at hand; 0: nothing */
	uint32_t *sorted;
};

/* Braces around a line, and loops around it: guards have no index. */
struct nesting {
	size_t level, depth;
};

static void indent(struct writer *w, size_t level)
{
	for (size_t i = 0; i <= level; i++)
		text_char(w->out, '\t');
}

static void put_attribute(struct text *out, const char *attribute)
{
	if (!strcmp(attribute, "time"))
		text_put(out, "SCAN_TIME");
	else if (!strcmp(attribute, "bytes"))
		text_put(out, "SCAN_BYTES");
	else
		text_put_c_string(out, attribute);
}

/* "2, i0, i1" */
static void put_indices(struct text *out, size_t depth)
{
	text_format(out, "%zu", depth);
	for (size_t d = 0; d < depth; d++)
		text_format(out, ", i%zu", d);
}

static void put_position(struct writer *w, const struct position_place *place)
{
	w->asks_rank |= formulas_ask_process(&w->formulas, &place->position);
	formulas_put(&w->formulas, &place->position, w->out);
}

static const char *where_text(enum position_end end)
{
	switch (end) {
	case POSITION_START:
		return "the start of";
	case POSITION_END:
		return "behind";
	case POSITION_ITERATION:
		return "each iteration of";
	default:
		return "behind each iteration of";
	}
}

static size_t values_of(const struct plan_get *g)
{
	size_t values = 0;
	for (size_t i = 0; i < g->places.length; i++)
		values += (size_t)ranks_count(&g->places.place[i].ranks);
	return values;
}

/* ------------------------------------------------------------------ few values: Figure 8 */

static const struct position_place *place_for(const struct plan_get *g, uint32_t rank)
{
	for (size_t i = 0; i < g->places.length; i++)
		if (ranks_has(&g->places.place[i].ranks, rank))
			return &g->places.place[i];
	return NULL;
}

static void put_value(struct writer *w, const struct plan_get *g, uint32_t rank, size_t level)
{
	indent(w, level);
	text_format(w->out, "scan_value(s, %" PRIu32 ", ", rank);
	put_position(w, place_for(g, rank));
	text_put(w->out, ", ");
	put_attribute(w->out, g->request->attribute);
	text_put(w->out, ");\n");
}

static void put_few(struct writer *w, const struct plan_get *g, size_t level, size_t depth)
{
	struct ranks all = {0};
	for (size_t i = 0; i < g->places.length; i++)
		for (size_t k = 0; k < g->places.place[i].ranks.length; k++)
			ranks_add_run(
				&all, g->places.place[i].ranks.run[k].first, g->places.place[i].ranks.run[k].last);
	indent(w, level);
	text_put(w->out, "scan_start(s, ");
	text_put_c_string(w->out, g->request->label);
	text_put(w->out, ", ");
	put_indices(w->out, depth);
	text_format(w->out, "); /* %s %s */\n", where_text(g->request->end), g->request->address);
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(&all, &walk, &rank);)
		put_value(w, g, rank, level);
	indent(w, level);
	text_put(w->out, "scan_end(s);\n");
	ranks_clear(&all);
}

/* ------------------------------------------------------------------ many values: a switch */

static void put_record(
	struct writer *w, const struct plan_get *g, const struct position_place *place, size_t level, size_t depth)
{
	indent(w, level);
	text_put(w->out, "scan_record(s, ");
	text_put_c_string(w->out, g->request->label);
	text_put(w->out, ", ");
	put_position(w, place);
	text_put(w->out, ", ");
	put_attribute(w->out, g->request->attribute);
	text_put(w->out, ", ");
	put_indices(w->out, depth);
	text_put(w->out, ");\n");
}

/* What each process does in this stretch, as a number; the processes that do something go to
   w->sorted. */
static size_t sign(struct writer *w, const struct plan_item *item, size_t items)
{
	size_t count = 0;
	for (size_t i = 0; i < items; i++) {
		const struct plan_get *g = &w->plan->get[item[i].get];
		for (size_t k = 0; k < g->places.length; k++) {
			struct ranks_walk walk = {0};
			for (uint32_t rank; ranks_next(&g->places.place[k].ranks, &walk, &rank);) {
				if (!w->signature[rank])
					w->sorted[count++] = rank;
				w->signature[rank] = hash_pair(w->signature[rank] + 1, i << 20 ^ k) | 1;
			}
		}
	}
	return count;
}

struct of_rank {
	uint64_t signature;
	uint32_t rank;
};

static int by_signature(const void *left, const void *right)
{
	const struct of_rank *a = left, *b = right;
	return a->signature != b->signature ? COMPARE(a->signature, b->signature) : COMPARE(a->rank, b->rank);
}

static int by_first_rank(const void *left, const void *right)
{
	return COMPARE(((const struct ranks *)left)->run[0].first, ((const struct ranks *)right)->run[0].first);
}

/* Sets of processes that do the same, by their first rank. */
static struct ranks *group(struct writer *w, size_t count, size_t *groups)
{
	struct of_rank *of = mem_array(count, sizeof *of);
	for (size_t i = 0; i < count; i++) {
		of[i] = (struct of_rank){w->signature[w->sorted[i]], w->sorted[i]};
		w->signature[w->sorted[i]] = 0;
	}
	qsort(of, count, sizeof *of, by_signature);
	struct ranks *set = mem_zero((count + 1) * sizeof *set);
	*groups = 0;
	for (size_t i = 0; i < count; i++) {
		if (i && of[i].signature != of[i - 1].signature)
			++*groups;
		ranks_add(&set[*groups], of[i].rank);
	}
	*groups += count > 0;
	qsort(set, *groups, sizeof *set, by_first_rank);
	free(of);
	return set;
}

static void put_cases(struct writer *w, const struct ranks *set, size_t level)
{
	for (size_t i = 0; i < set->length; i++) {
		indent(w, level);
		if (set->run[i].first == set->run[i].last)
			text_format(w->out, "case %" PRIu32 ":\n", set->run[i].first);
		else
			text_format(w->out, "case %" PRIu32 " ... %" PRIu32 ":\n", set->run[i].first, set->run[i].last);
	}
}

static void put_records(struct writer *w, const struct plan_item *item, size_t items, uint32_t rank,
	const struct nesting *at, size_t deeper)
{
	for (size_t i = 0; i < items; i++) {
		const struct plan_get *g = &w->plan->get[item[i].get];
		const struct position_place *place = place_for(g, rank);
		if (!place)
			continue;
		for (size_t k = 0; k < deeper; k++)
			text_char(w->out, '\t');
		put_record(w, g, place, at->level, at->depth);
	}
}

/* Of the process p. */
static void put_condition(struct writer *w, const struct ranks *set)
{
	size_t before = w->out->length;
	w->asks_rank = true;
	ranks_print_condition(set, run_module(w->run)->processes, "p", w->out);
	if (w->out->length - before <= CONDITION_LENGTH)
		return;
	text_truncate(w->out, before);
	text_format(&w->tables, "static const uint32_t some_%zu[][2] = {", ++w->tables_written);
	for (size_t i = 0; i < set->length; i++)
		text_format(
			&w->tables, "%s{%" PRIu32 ", %" PRIu32 "}", i ? ", " : "", set->run[i].first, set->run[i].last);
	text_put(&w->tables, "};\n");
	text_format(w->out, "scan_among(p, some_%zu, %zu)", w->tables_written, set->length);
}

static void put_switch(struct writer *w, const struct plan_item *item, size_t items, const struct ranks *set,
	size_t sets, const struct nesting *at)
{
	size_t level = at->level;
	indent(w, level);
	text_put(w->out, "switch (p) {\n");
	w->asks_rank = true;
	for (size_t i = 0; i < sets; i++) {
		put_cases(w, &set[i], level);
		put_records(w, item, items, set[i].run[0].first, at, 1);
		indent(w, level + 1);
		text_put(w->out, "break;\n");
	}
	indent(w, level);
	text_put(w->out, "}\n");
}

static void put_choice(struct writer *w, const struct plan_item *item, size_t items, const struct ranks *set,
	size_t sets, const struct nesting *at)
{
	size_t level = at->level;
	indent(w, level);
	for (size_t i = 0; i < sets; i++) {
		text_put(w->out, i ? " else if (" : "if (");
		put_condition(w, &set[i]);
		text_put(w->out, ") {\n");
		put_records(w, item, items, set[i].run[0].first, at, 1);
		indent(w, level);
		text_char(w->out, '}');
	}
	text_char(w->out, '\n');
}

/* What each process does, where they do different things. */
static void put_sets(struct writer *w, const struct plan_item *item, size_t items, const struct ranks *around,
	const struct nesting *at)
{
	size_t sets, most = 0, count = sign(w, item, items);
	struct ranks *set = group(w, count, &sets);
	for (size_t i = 0; i < sets; i++)
		most = set[i].length > most ? set[i].length : most;
	if (sets == 1 && ranks_equal(&set[0], around))
		put_records(w, item, items, set[0].run[0].first, at, 0);
	else if (most <= RUNS_IN_CASE || sets > CHOICES)
		put_switch(w, item, items, set, sets, at);
	else
		put_choice(w, item, items, set, sets, at);
	for (size_t i = 0; i < sets; i++)
		ranks_clear(&set[i]);
	free(set);
}

/* ------------------------------------------------------------------ bodies */

/* Requests in a row, up to a loop or the end. */
static size_t put_stretch(struct writer *w, const struct plan_body *body, size_t first, const struct ranks *around,
	const struct nesting *at)
{
	size_t end = first, values = 0;
	bool unknowns = false;
	for (; end < body->items && !body->item[end].is_loop; end++) {
		const struct plan_get *g = &w->plan->get[body->item[end].get];
		values += values_of(g);
		for (size_t i = 0; i < g->places.length; i++)
			unknowns = unknowns || formulas_has_unknowns(&g->places.place[i].position);
	}
	if (values > FEW || unknowns) /* unknowns are asked for by the process that is scanned alone */
		put_sets(w, body->item + first, end - first, around, at);
	else
		for (size_t i = first; i < end; i++)
			put_few(w, &w->plan->get[body->item[i].get], at->level, at->depth);
	return end;
}

static void put_body(
	struct writer *w, const struct plan_body *body, const struct ranks *around, const struct nesting *at);

/* The head of a loop, or of what happens only if something holds. */
static void put_head(struct writer *w, const struct plan_item *item, const struct nesting *at)
{
	struct polynomial count = {0}, of_class = {0};
	offsets_count(w->offsets, item->loop, run_class(w->run, item->body->ranks.run[0].first), &of_class);
	polynomial_copy(&count, &of_class);
	w->asks_rank |= formulas_ask_process(&w->formulas, &count);
	indent(w, at->level);
	if (item->indexed) {
		polynomial_add(&count, -1, NULL, 0);
		text_format(w->out, "for (int64_t i%zu = 0; i%zu <= ", at->depth, at->depth);
		formulas_put(&w->formulas, &count, w->out);
		text_format(w->out, "; i%zu++) {\n", at->depth);
	} else {
		text_put(w->out, "if (");
		formulas_put(&w->formulas, &count, w->out);
		text_put(w->out, ") {\n");
	}
	polynomial_clear(&count);
}

static void put_loop(
	struct writer *w, const struct plan_item *item, const struct ranks *around, const struct nesting *at)
{
	if (!ranks_equal(&item->body->ranks, around)) {
		indent(w, at->level);
		text_put(w->out, "if (");
		put_condition(w, &item->body->ranks);
		text_put(w->out, ")\n\t");
	}
	put_head(w, item, at);
	put_body(w, item->body, &item->body->ranks, &(struct nesting){at->level + 1, at->depth + item->indexed});
	if (!ranks_equal(&item->body->ranks, around))
		text_char(w->out, '\t');
	indent(w, at->level);
	text_put(w->out, "}\n");
}

static void put_body(
	struct writer *w, const struct plan_body *body, const struct ranks *around, const struct nesting *at)
{
	for (size_t i = 0; i < body->items;) {
		if (body->item[i].is_loop)
			put_loop(w, &body->item[i++], around, at);
		else
			i = put_stretch(w, body, i, around, at);
	}
}

/* ------------------------------------------------------------------ the whole */

static void put_heading(struct writer *w, const struct scan_requests *asked)
{
	text_put(w->out, "/*\n * A scanner: fetches from a trace what was asked of the model\n *\n *\t");
	text_put_c_comment(w->out, w->options->model);
	text_format(w->out, "\n *\n * Generated by tracenest %s.\n *\n", w->options->version);
	text_put(w->out, " *	cc -O2 -o scan THIS.c $(pkg-config --cflags --libs tracenest-scan)\n"
			 " *	./scan TRACE >records.csv\n *\n"
			 " * A position is the number of events that a process has had before; it is a polynomial in "
			 "the indices "
			 "of the loops around.\n");
	text_format(w->out,
		" * Values asked for: %zu. Change output() to make something else of the records.\n */\n#include "
		"<tracenest-scan.h>\n\n",
		asked->length);
}

static void put_output(struct writer *w)
{
	text_put(w->out, "/* Called for each record, by one thread at a time, in the order of the ranks and, of one "
			 "rank, of the "
			 "positions. */\n"
			 "static void output(struct scan_output *out, const struct scan_record *r)\n{\n\tscan_put(out, "
			 "r);\n}\n\n");
}

static void put_events_of(struct writer *w, uint32_t first, uint32_t last, uint64_t events)
{
	text_format(w->out, "\t{%" PRIu32 ", %" PRIu32 ", %" PRIu64 "},\n", first, last, events);
}

static void put_events(struct writer *w)
{
	text_put(w->out, "/* Events of each process in the model: the trace must have as many. */\nstatic const struct "
			 "scan_events "
			 "events[] = {\n");
	const struct module *m = run_module(w->run);
	struct environment at = {0};
	uint64_t before = 0;
	uint32_t first = 0;
	for (uint32_t rank = 0; rank < m->processes; rank++) {
		run_start(w->run, rank, &at);
		uint64_t events = run_count(w->run, &at, m->body);
		if (before && events != before)
			put_events_of(w, first, rank - 1, before);
		if (events != before)
			first = rank;
		before = events;
	}
	if (before)
		put_events_of(w, first, m->processes - 1, before);
	text_put(w->out, "};\n\n");
	free(at.index);
}

static void put_ranks(struct writer *w)
{
	const struct ranks *set = &w->plan->root.ranks;
	text_put(w->out, "/* The processes asked about. */\nstatic const uint32_t ranks[][2] = {");
	for (size_t i = 0; i < set->length; i++)
		text_format(w->out, "%s{%" PRIu32 ", %" PRIu32 "}", i ? ", " : "", set->run[i].first, set->run[i].last);
	text_put(w->out, "};\n\n");
}

static bool stood_before(const struct scan_requests *asked, size_t at, bool labels)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(labels ? asked->item[i].label : asked->item[i].attribute,
			    labels ? asked->item[at].label : asked->item[at].attribute))
			return true;
	return false;
}

static void put_list(struct writer *w, const struct scan_requests *asked, bool labels)
{
	text_format(w->out, "static const char *const %s[] = {", labels ? "labels" : "attributes");
	for (size_t i = 0; i < asked->length; i++) {
		if (stood_before(asked, i, labels))
			continue;
		if (labels)
			text_put_c_string(w->out, asked->item[i].label);
		else
			put_attribute(w->out, asked->item[i].attribute);
		text_put(w->out, ", ");
	}
	text_put(w->out, "NULL};\n");
}

static void put_main(struct writer *w)
{
	text_put(w->out,
		"\nint main(int argc, char **argv)\n{\n\tstatic const struct scan_program program = {\n\t\t.model = ");
	text_put_c_string(w->out, w->options->model);
	text_put(w->out, ",\n\t\t.index = ");
	if (w->options->index)
		text_put_c_string(w->out, w->options->index);
	else
		text_put(w->out, "NULL");
	text_format(w->out, ",\n\t\t.processes = %" PRIu32 ",\n", run_module(w->run)->processes);
	text_put(w->out, "\t\t.events = events,\n\t\t.events_length = sizeof events / sizeof *events,\n"
			 "\t\t.ranks = ranks,\n\t\t.ranks_length = sizeof ranks / sizeof *ranks,\n"
			 "\t\t.attributes = attributes,\n\t\t.labels = labels,\n");
	text_format(w->out, "\t\t.depth = %zu,\n\t\t.reading = ", w->plan->depth);
	text_put_c_string(w->out, w->options->reading ? w->options->reading : "");
	text_put(w->out,
		",\n\t\t.scan = scan,\n\t\t.output = output,\n\t};\n\treturn scan_main(&program, argc, argv);\n}\n");
}

static void put_scan(struct writer *w)
{
	struct text *out = w->out, body = {0};
	w->out = &body;
	put_body(w, &w->plan->root, &w->plan->root.ranks, &(struct nesting){0, 0});
	w->out = out;
	text_add(out, w->tables.data ? w->tables.data : "", w->tables.length);
	text_put(out, w->tables.length ? "\n" : "");
	formulas_definitions(&w->formulas, out);
	text_put(out, "static void scan(struct scan *s)\n{\n");
	text_put(out, w->asks_rank ? "\tconst uint32_t p = scan_rank(s);\n\n" : "");
	text_add(out, body.data ? body.data : "", body.length);
	text_put(out, "}\n\n");
	text_clear(&body);
}

static void write_program(struct writer *w, const struct scan_requests *asked)
{
	size_t processes = run_module(w->run)->processes;
	w->signature = mem_zero((processes + 1) * sizeof *w->signature);
	w->sorted = mem_array(processes + 1, sizeof *w->sorted);
	put_heading(w, asked);
	put_scan(w);
	put_output(w);
	put_events(w);
	put_ranks(w);
	put_list(w, asked, false);
	put_list(w, asked, true);
	put_main(w);
	text_clear(&w->tables);
	formulas_clear(&w->formulas);
	free(w->signature);
	free(w->sorted);
}

static bool check_requests(const struct scan_requests *asked, struct error *error)
{
	if (!asked->length)
		return error_set(error, ERROR_INPUT,
			"nothing is asked for: annotate the model (get \"LABEL\" {RANKS}.time ->), or name a construct "
			"with --at "
			"ADDRESS");
	return true;
}

bool scangen_write(struct run *run, const struct scan_requests *asked, const struct scangen_options *options,
	struct text *out, struct error *error)
{
	if (!check_requests(asked, error))
		return false;
	struct offsets *offsets = offsets_new(run);
	struct plan plan = {0};
	bool good = plan_make(&plan, run, offsets, asked, options->model, error);
	if (good && plan.depth > 32)
		good = error_set(error, ERROR_INPUT, "%s: more than 32 loops around what is asked for", options->model);
	if (good)
		write_program(&(struct writer){.plan = &plan,
				      .options = options,
				      .run = run,
				      .offsets = offsets,
				      .formulas = formulas_with(run_module(run), offsets_unknowns(offsets)),
				      .out = out},
			asked);
	plan_clear(&plan);
	offsets_free(offsets);
	return good;
}
