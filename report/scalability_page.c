/*
 * scalability_page.c -- POP's table and the constructs, as text, CSV, JSON and a page with curves.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "report/naming.h"
#include "report/report_page.h"
#include "report/scalability.h"

#define ROWS 12 /* of constructs, in text */
#define CURVES 6
/* Of the run time: a part that grows by less does not stand out. */
#define LEAST 0.02

/* ------------------------------------------------------------------ POP's table */

static double factor_of(const struct scalability *s, const struct scalability_run *run, size_t factor)
{
	const struct efficiency *e = &run->efficiency;
	const double values[] = {run->global, e->parallel, e->load_balance, e->communication, e->serialization,
		e->transfer, run->computation, s->run[0].facts.run / run->facts.run};
	return values[factor];
}

static const struct {
	const char *key, *name;
	unsigned inside; /* of so many others */
} factors[] = {
	{"global", "global efficiency", 0},
	{"parallel", "parallel efficiency", 1},
	{"load_balance", "load balance", 2},
	{"communication", "communication efficiency", 2},
	{"serialization", "serialization efficiency", 3},
	{"transfer", "transfer efficiency", 3},
	{"computation", "computation scalability", 1},
	{"speedup", "speedup", 0},
};
#define FACTORS (sizeof factors / sizeof *factors)

/* A factor that is not known is no number. */
static const char *put_factor(const struct scalability *s, size_t run, size_t factor, struct text *out)
{
	double value = factor_of(s, &s->run[run], factor);
	text_truncate(out, 0);
	if (isfinite(value))
		text_format(out, "%.3f", value);
	else
		text_put(out, s->run[run].facts.account.analysis->communicates ? "?" : "-");
	return out->data;
}

/* Time on the critical path, in ms. */
static void put_function(const struct scalability_row *row, struct text *out)
{
	if (row->fitted)
		scaling_print(&row->fit.best, out);
	else
		text_char(out, '-');
}

/* ------------------------------------------------------------------ text */

static void put_lead(const struct scalability *s, struct text *out)
{
	const struct scalability_run *first = &s->run[0], *last = &s->run[s->runs - 1];
	const struct scalability_row *row = s->rows ? &s->row[0] : NULL;
	if (!row || row->growth < LEAST) {
		text_format(out,
			"No construct's part of the run time grows by %.0f %% from %" PRIu32 " to %" PRIu32
			" processes.\n",
			100 * LEAST, first->facts.processes, last->facts.processes);
		return;
	}
	text_format(out,
		"%s grows most: from %.1f %% of the run time on %" PRIu32 " processes to %.1f %% on %" PRIu32 "\n",
		row->name, 100 * scalability_share(s, row, 0), first->facts.processes,
		100 * scalability_share(s, row, s->runs - 1), last->facts.processes);
	if (row->fitted) {
		text_put(out, "  its time on the critical path, in ms: ");
		put_function(row, out);
		text_char(out, '\n');
	}
	const struct run_construct *most = NULL;
	for (const struct run_construct *c = last->facts.construct; c < last->facts.construct + last->facts.length; c++)
		if (c->words && scalability_has(row, c) && (!most || c->loss > most->loss))
			most = c;
	if (most)
		text_format(out, "on %" PRIu32 " processes: %s", last->facts.processes, most->words);
}

static void put_factors(const struct scalability *s, struct text *out)
{
	struct text value = {0};
	text_format(out, "%-30s", "processes");
	for (size_t r = 0; r < s->runs; r++)
		text_format(out, " %10" PRIu32, s->run[r].facts.processes);
	text_format(out, "\n%-30s", "run time, ms");
	for (size_t r = 0; r < s->runs; r++)
		text_format(out, " %10.3f", 1e3 * s->run[r].facts.run);
	text_char(out, '\n');
	for (size_t f = 0; f < FACTORS; f++) {
		text_format(out, "%*s%-*s", 2 * (int)factors[f].inside, "", 30 - 2 * (int)factors[f].inside,
			factors[f].name);
		for (size_t r = 0; r < s->runs; r++)
			text_format(out, " %10s", put_factor(s, r, f, &value));
		text_char(out, '\n');
	}
	text_clear(&value);
	for (size_t r = 0; r < s->runs; r++)
		if (!s->run[r].facts.account.analysis->communicates)
			text_format(out, "no communication on %" PRIu32 " processes\n", s->run[r].facts.processes);
}

static void put_row(const struct scalability *s, const struct scalability_row *row, struct text *out)
{
	struct text function = {0};
	put_function(row, &function);
	text_format(out, "%+7.1f", 100 * row->growth);
	for (size_t r = 0; r < s->runs; r++)
		text_format(out, " %6.1f", 100 * scalability_share(s, row, r));
	text_format(out, "  %-28s %s\n", function.data, row->name);
	text_clear(&function);
}

void scalability_print(const struct scalability *s, struct text *out)
{
	double others = 0, left[2] = {0};
	put_lead(s, out);
	put_factors(s, out);
	text_put(out, "part of the critical path, %, what grows most first; time on it as a function of P, in ms\n");
	text_format(out, "%7s", "growth");
	for (size_t r = 0; r < s->runs; r++)
		text_format(out, " %6" PRIu32, s->run[r].facts.processes);
	text_format(out, "  %-28s %s\n", "ms", "construct");
	for (size_t i = 0; i < s->rows; i++)
		if (i < ROWS)
			put_row(s, &s->row[i], out);
		else {
			others += s->row[i].growth;
			left[0] += scalability_share(s, &s->row[i], 0);
			left[1] += scalability_share(s, &s->row[i], s->runs - 1);
		}
	if (s->rows > ROWS)
		text_format(out, "%+7.1f %zu others: %.1f %% on %" PRIu32 ", %.1f %% on %" PRIu32 " processes\n",
			100 * others, s->rows - ROWS, 100 * left[0], s->run[0].facts.processes, 100 * left[1],
			s->run[s->runs - 1].facts.processes);
}

/* ------------------------------------------------------------------ for machines */

void scalability_print_json(const struct scalability *s, struct json *j)
{
	struct text text = {0};
	json_object(j, NULL, JSON_LINES);
	json_string(j, "scaling", s->weak ? "weak" : "strong");
	put_lead(s, &text);
	json_string(j, "text", text.data);
	text_clear(&text);
	json_array(j, "runs", JSON_LINES);
	for (size_t r = 0; r < s->runs; r++) {
		json_object(j, NULL, JSON_ROW);
		json_string(j, "path", s->run[r].facts.path);
		json_number(j, "processes", s->run[r].facts.processes);
		json_real(j, "run", s->run[r].facts.run, 9);
		for (size_t f = 0; f < FACTORS; f++)
			json_real(j, factors[f].key, factor_of(s, &s->run[r], f), 6);
		json_close(j);
	}
	json_close(j);
	json_array(j, "constructs", JSON_LINES);
	for (size_t i = 0; i < s->rows; i++) {
		const struct scalability_row *row = &s->row[i];
		json_object(j, NULL, JSON_LINES);
		json_string(j, "name", row->name);
		json_real(j, "growth", row->growth, 6);
		if (row->fitted) {
			put_function(row, &text);
			json_string(j, "path_ms", text.data);
			json_real(j, "error", row->fit.best.error, 6);
			text_clear(&text);
		}
		json_array(j, "share", JSON_ROW);
		for (size_t r = 0; r < s->runs; r++)
			json_real(j, NULL, scalability_share(s, row, r), 6);
		json_close(j);
		json_array(j, "path", JSON_ROW);
		for (size_t r = 0; r < s->runs; r++)
			json_real(j, NULL, row->path[r], 9);
		json_close(j);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

/* A row a run and measure. */
void scalability_print_csv(const struct scalability *s, struct text *out)
{
	text_put(out, "processes,construct,measure,value\n");
	for (size_t r = 0; r < s->runs; r++) {
		const struct run_facts *facts = &s->run[r].facts;
		text_format(out, "%" PRIu32 ",,run,%.9f\n", facts->processes, facts->run);
		for (size_t f = 0; f < FACTORS; f++)
			if (isfinite(factor_of(s, &s->run[r], f)))
				text_format(out, "%" PRIu32 ",,%s,%.6f\n", facts->processes, factors[f].key,
					factor_of(s, &s->run[r], f));
		for (size_t i = 0; i < s->rows; i++) {
			text_format(out, "%" PRIu32 ",", facts->processes);
			text_put_csv(out, s->row[i].name);
			text_format(out, ",path,%.9f\n", s->row[i].path[r]);
		}
	}
}

/* ------------------------------------------------------------------ a page */

static double across(const struct scalability *s, double processes)
{
	double from = log2(s->run[0].facts.processes), to = log2(s->run[s->runs - 1].facts.processes);
	return 50 + (to > from ? 540 * (log2(processes) - from) / (to - from) : 0);
}

static void put_curve(
	const struct scalability *s, const struct scalability_row *row, size_t number, double most, struct text *out)
{
	static const char *const colour[CURVES] = {"#b3261e", "#1f5fa8", "#2c7a3f", "#8a5a00", "#6a3d9a", "#5c5c5c"};
	static const char *const dashes[CURVES] = {"none", "8 3", "2 3", "10 3 2 3", "4 4", "1 2"};
	text_format(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"",
		colour[number], dashes[number]);
	for (size_t r = 0; r < s->runs; r++)
		text_format(out, "%.1f,%.1f ", across(s, s->run[r].facts.processes),
			260 - 240 * scalability_share(s, row, r) / most);
	text_format(out,
		"\"/><line x1=\"50\" x2=\"90\" y1=\"%zu\" y2=\"%zu\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>"
		"<text x=\"98\" y=\"%zu\">",
		314 + 18 * number, 314 + 18 * number, colour[number], dashes[number], 318 + 18 * number);
	text_put_escaped(out, row->name);
	text_put(out, "</text>\n");
}

static void put_curves(const struct scalability *s, struct text *out)
{
	double most = 0.01;
	size_t curves = s->rows < CURVES ? s->rows : CURVES;
	for (size_t i = 0; i < curves; i++)
		for (size_t r = 0; r < s->runs; r++)
			most = scalability_share(s, &s->row[i], r) > most ? scalability_share(s, &s->row[i], r) : most;
	text_put(out, "<h2>Part of the critical path over the number of processes</h2>\n" REPORT_PAGE_WIDE("Curves"));
	text_format(out,
		"<svg class=\"curves\" width=\"640\" height=\"%zu\" viewBox=\"0 0 640 %zu\" font-size=\"12\" role=\"img\" "
		"aria-label=\"Part of the critical path of the constructs that grow most; the table below has the numbers\">\n"
		"<path d=\"M50 20V260H590\" fill=\"none\" stroke=\"#888\"/>",
		310 + 18 * curves, 310 + 18 * curves);
	for (unsigned i = 0; i <= 4; i++)
		text_format(
			out, "<text x=\"44\" y=\"%u\" text-anchor=\"end\">%.3g %%</text>", 264 - 60 * i, 25 * i * most);
	for (size_t r = 0; r < s->runs; r++)
		text_format(out, "<text x=\"%.1f\" y=\"278\" text-anchor=\"middle\">%" PRIu32 "</text>",
			across(s, s->run[r].facts.processes), s->run[r].facts.processes);
	text_put(out, "<text x=\"320\" y=\"295\" text-anchor=\"middle\">processes</text>\n");
	for (size_t i = 0; i < curves; i++)
		put_curve(s, &s->row[i], i, most, out);
	text_put(out, "</svg></div>\n");
}

static void put_heads(const struct scalability *s, const char *first, struct text *out)
{
	text_format(out, "<table><tr><th class=\"t\">%s</th>", first);
	for (size_t r = 0; r < s->runs; r++)
		text_format(out, "<th>%" PRIu32 "</th>", s->run[r].facts.processes);
}

void scalability_print_page(const struct scalability *s, struct text *out)
{
	struct text text = {0};
	text_format(&text, "%s scaling on %" PRIu32 " to %" PRIu32 " processes", s->weak ? "Weak" : "Strong",
		s->run[0].facts.processes, s->run[s->runs - 1].facts.processes);
	report_page_begin(text.data, out);
	text_truncate(&text, 0);
	put_lead(s, &text);
	text_put(out, "<pre class=\"first\">");
	text_put_escaped(out, text.data);
	text_clear(&text);
	text_put(out, "</pre>\n<h2>Efficiencies, as POP defines them</h2>\n" REPORT_PAGE_WIDE("Efficiencies"));
	put_heads(s, "processes", out);
	text_put(out, "</tr>\n<tr><td class=\"t\">run time, ms</td>");
	for (size_t r = 0; r < s->runs; r++)
		text_format(out, "<td>%.3f</td>", 1e3 * s->run[r].facts.run);
	text_put(out, "</tr>\n");
	for (size_t f = 0; f < FACTORS; f++) {
		text_format(out, "<tr><td class=\"t\" style=\"padding-left:%uem\">%s</td>", 1 + factors[f].inside,
			factors[f].name);
		for (size_t r = 0; r < s->runs; r++)
			text_format(out, "<td>%s</td>", put_factor(s, r, f, &text));
		text_put(out, "</tr>\n");
	}
	text_put(out, "</table></div>\n");
	text_clear(&text);
	put_curves(s, out);
	text_put(out,
		"<h2>Part of the critical path, in %, what grows most first</h2>\n" REPORT_PAGE_WIDE("Constructs"));
	put_heads(s, "construct", out);
	text_put(out, "<th>growth</th><th class=\"t\">time on it, ms, as a function of P</th></tr>\n");
	for (size_t i = 0; i < s->rows; i++) {
		text_put(out, "<tr><td class=\"t\">");
		text_put_escaped(out, s->row[i].name);
		text_put(out, "</td>");
		for (size_t r = 0; r < s->runs; r++)
			text_format(out, "<td>%.1f</td>", 100 * scalability_share(s, &s->row[i], r));
		text_format(out, "<td>%+.1f</td><td class=\"t\">", 100 * s->row[i].growth);
		put_function(&s->row[i], out);
		text_put(out, "</td></tr>\n");
	}
	text_put(out, "</table></div>\n" REPORT_PAGE_END);
}
