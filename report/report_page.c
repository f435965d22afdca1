/*
 * report_page.c -- tables as HTML, pictures as SVG inside of it.
 */
#include "report/report_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "ask/shortfalls.h"
#include "base/escape.h"
#include "base/mem.h"
#include "model/module_address.h"
#include "model/source.h"
#include "report/advice.h"
#include "viz/heat.h"
#include "viz/viz.h"

/* Constructs with strips and histograms; bars of a histogram. */
#define STRIPS 8
#define BARS 40

/* In the light and in the dark. */
static const char style[] =
	":root{color-scheme:light dark}body{font:14px/1.45 sans-serif;margin:2em auto;max-width:76em;color:#222;background:#fff;padding:0 1em}"
	"pre.first{background:#f4f4f0;border-left:4px solid #b30;padding:1em;font-size:15px;white-space:pre-wrap}"
	"table{border-collapse:collapse;margin:.5em 0}td,th{padding:.15em .7em;text-align:right;border-bottom:1px solid #ddd}"
	"td.t,th.t{text-align:left}h1{font-size:1.5em;overflow-wrap:anywhere}h2{margin-top:2em;font-size:1.2em}div.wide{overflow-x:auto}svg{max-width:none}"
	"pre.source{tab-size:32}a{color:#0a58a8}:target{outline:2px solid #b30;outline-offset:3px}svg.curves text{fill:currentColor}dt{font-weight:bold}"
	"figure{display:inline-block;margin:.5em 1.5em .5em 0}figcaption{font-size:13px;color:#555}"
	"@media(prefers-color-scheme:dark){body{color:#ddd;background:#1c1c1c}pre.first{background:#2a2a26}td,th{border-color:#444}figcaption{color:#aaa}a{color:#8ab8ef}"
	"svg:not(.curves){background:#fff}svg.curves polyline,svg.curves line{filter:brightness(1.6)}}";

void report_page_begin(const char *title, struct text *out)
{
	text_put(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>");
	text_put_escaped(out, title);
	text_format(out, "</title><style>%s</style></head><body><main>\n<h1>", style);
	text_put_escaped(out, title);
	text_put(out, "</h1>\n");
}

/* ------------------------------------------------------------------ the first lines */

static void put_first(const struct analysis *a, const struct findings *f, struct text *out)
{
	struct text lines = {0};
	findings_print(a, f, &lines);
	size_t before = lines.length;
	shortfalls_tell_of(a->program->run, &lines);
	text_put(&lines, lines.length > before ? "\n" : "");
	text_put(out, "<pre class=\"first\">");
	text_put_escaped(out, lines.data);
	text_clear(&lines);
	if (a->contradictions)
		text_format(out, "clocks contradict %" PRIu64 " of %" PRIu64 " messages and collectives, by up to %s",
			a->contradictions, a->meetings, seconds_of((double)a->contradiction * analysis_tick(a)).words);
	text_put(out, "</pre>\n");
}

/* ------------------------------------------------------------------ the source */

/* The lines of a path that are at hand, from the outermost call on; those of `told` were told. */
static void put_lines(
	const struct site_places *p, uint32_t path, uint32_t told, const struct source *source, struct text *out)
{
	struct text line = {0};
	const struct call_frame *frame = call_paths_frame(p->paths, path);
	if (!frame || path == told)
		return;
	put_lines(p, frame->caller, told, source, out);
	if (source_line(source, frame->words, &line)) {
		text_put_escaped(out, frame->words);
		text_put(out, "\t");
		text_put_escaped(out, line.data);
		text_char(out, '\n');
	}
	text_clear(&line);
}

/* What the first lines speak of. */
static void put_source(
	const struct analysis *a, const struct findings *f, const struct source *source, struct text *out)
{
	for (size_t i = 0; i < f->told && source; i++) {
		const struct analysis_construct *c = f->finding[f->first[i]].place;
		if (!c->paths)
			continue;
		text_format(out, "<h2 id=\"source-%zu\">The source of ", i);
		text_put_escaped(out, c->name);
		text_put(out, "</h2>\n" REPORT_PAGE_WIDE("Source") "<pre class=\"source\">");
		uint32_t before = CALL_PATH_NONE;
		for (size_t k = 0; k < c->paths; k++) {
			put_lines(&a->program->module->places, c->path[k], before, source, out);
			before = call_paths_frame(a->program->module->places.paths, c->path[k])->caller;
		}
		text_put(out, "</pre></div>\n");
	}
}

/* ------------------------------------------------------------------ the program */

/* What each loop loses, with what is inside of it. */
struct page_shares {
	struct viz_time *time;
	size_t length;
	struct module_addresses addresses;
};

static const struct prepared *shown_of(const struct analysis *a)
{
	return a->shown ? a->shown : a->program;
}

static void add_share(
	const struct analysis *a, const struct analysis_construct *c, size_t loop, double *share, bool *known)
{
	share[loop] += analysis_percent(a, (double)c->loss) / 100;
	known[loop] = true;
}

static struct page_shares shares_of(const struct analysis *a)
{
	size_t n = shown_of(a)->module->lines;
	double *share = mem_zero((n + 1) * sizeof *share);
	bool *known = mem_zero(n + 1);
	struct page_shares s = {
		.time = mem_array(n + 1, sizeof *s.time), .addresses = module_addresses_of(shown_of(a)->module)};
	for (const struct analysis_construct *c = a->construct; c < a->construct + a->constructs; c++) {
		for (size_t loop = a->shown && c->depth ? c->shown : ANALYSIS_NO_LOOP; loop != ANALYSIS_NO_LOOP;
			loop = a->shown_around[loop])
			add_share(a, c, loop, share, known);
		for (uint32_t d = 0; !a->shown && d < c->depth && d < ANALYSIS_DEPTH; d++)
			add_share(a, c, c->around[d], share, known);
	}
	for (size_t i = 0; i < n; i++)
		if (known[i])
			s.time[s.length++] =
				(struct viz_time){module_addresses_get(&s.addresses, i), share[i] < 0   ? 0
											 : share[i] > 1 ? 1
													: share[i]};
	free(share);
	free(known);
	return s;
}

static bool put_program(const struct analysis *a, struct output *out, struct error *error)
{
	struct page_shares s = shares_of(a);
	struct viz_options options = {.roles = true, .inner = true, .time = s.time, .times = s.length};
	output_format(out,
		"<h2 id=\"program\">The program, its loops coloured by what they lose of the run time</h2>\n" REPORT_PAGE_WIDE(
			"The program"));
	bool good = viz_draw(shown_of(a)->text, &options, VIZ_SVG, out, error);
	output_format(out, "</div>\n");
	module_addresses_clear(&s.addresses);
	free(s.time);
	return good;
}

/* ------------------------------------------------------------------ strips and histograms */

static void put_name(const struct analysis_construct *c, struct text *out)
{
	text_put(out, c->name);
	if (c->address)
		text_format(out, " (loop %s)", c->address);
}

/* Findings whose constructs have strips, the first few; gives how many. */
static size_t strips_of(const struct findings *f, size_t strip[STRIPS])
{
	size_t strips = 0;
	for (size_t i = 0; i < f->length && strips < STRIPS; i++) {
		const struct analysis_construct *c = f->finding[i].construct;
		if (!f->finding[i].shared && c->sort == CONSTRUCT_PROGRAM && c->depth && c->rank_bins > 1 &&
			c->total.work)
			strip[strips++] = i;
	}
	return strips;
}

/* From what leads to where the page shows more of it. */
static void put_links(const struct findings *f, const struct source *source, struct text *out)
{
	size_t strip[STRIPS], strips = strips_of(f, strip);
	if (f->told)
		text_put(out, "<nav aria-label=\"What leads\">");
	for (size_t i = 0; i < f->told; i++) {
		const struct finding *x = &f->finding[f->first[i]];
		text_put(out, "<p>");
		text_put_escaped(out, x->place->name);
		text_put(out, ": ");
		if (!x->shared)
			text_format(out, "<a href=\"#row-%zu\">what it loses</a>", f->first[i]);
		for (size_t k = 0; k < strips; k++)
			if (strip[k] == f->first[i])
				text_put(out, ", <a href=\"#iterations\">map of its iterations</a>");
		if (x->place->depth)
			text_format(out, "%s<a href=\"#program\">the program</a>", x->shared ? "" : ", ");
		if (source && x->place->paths)
			text_format(out, ", <a href=\"#source-%zu\">its source</a>", i);
		text_put(out, "</p>\n");
	}
	if (f->told)
		text_put(out, "</nav>\n");
}

/* Work of each process in each iteration, as multiples of the mean. */
static void add_strip(const struct analysis *a, const struct analysis_construct *c, struct heat *heat)
{
	struct text title = {0};
	double mean = (double)c->total.work / (double)c->rank_bins / a->processes;
	put_name(c, &title);
	text_format(&title, ": %.1f %% lost", analysis_percent(a, (double)c->loss));
	struct heat_panel *panel = heat_panel(heat, title.data, a->processes, c->rank_bins);
	panel->row_axis = "rank";
	panel->column_axis = "iteration";
	panel->span = c->series[0].iterations;
	panel->strip = true;
	for (size_t i = 0; i < c->rank_bins; i++)
		for (uint32_t rank = 0, k = 0; rank < a->processes; rank++) {
			bool here = k < c->shares && c->share[k].rank == rank;
			heat_set(panel, rank, i, here ? (double)c->bin_work[i * c->shares + k] / mean : 0);
			k += here;
		}
	text_clear(&title);
}

static void put_strips(const struct analysis *a, const struct findings *f, struct output *out)
{
	struct text svg = {0};
	struct heat *heat = heat_new("", "times the construct's mean");
	size_t strip[STRIPS], strips = strips_of(f, strip);
	for (size_t i = 0; i < strips; i++)
		add_strip(a, f->finding[strip[i]].construct, heat);
	if (strips) {
		heat_svg(heat, &svg);
		output_format(out,
			"<h2 id=\"iterations\">Computation of each process over the iterations of the outermost loop</h2>\n" REPORT_PAGE_WIDE(
				"Computation over the iterations"));
		output_text(out, &svg);
		output_format(out, "</div>\n");
	}
	text_clear(&svg);
	heat_free(heat);
}

struct bars {
	uint64_t count[BARS], most;
	double from, to; /* of logarithms */
};

static struct bars bars_of(const struct analysis_construct *c)
{
	struct bars b = {.from = INFINITY, .to = -INFINITY};
	size_t n = c->rank_bins * c->shares;
	for (size_t i = 0; i < n; i++)
		if (c->bin_work[i]) {
			b.from = fmin(b.from, log((double)c->bin_work[i] / (double)c->rank_width));
			b.to = fmax(b.to, log((double)c->bin_work[i] / (double)c->rank_width));
		}
	for (size_t i = 0; i < n; i++) {
		if (!c->bin_work[i])
			continue;
		double at = log((double)c->bin_work[i] / (double)c->rank_width) - b.from, width = b.to - b.from;
		size_t bar = width > 0 ? (size_t)(at / width * BARS) : 0;
		uint64_t *count = &b.count[bar < BARS ? bar : BARS - 1];
		b.most = ++*count > b.most ? *count : b.most;
	}
	return b;
}

static void put_histogram(const struct analysis *a, const struct analysis_construct *c, struct text *out)
{
	struct bars b = bars_of(c);
	struct text name = {0};
	put_name(c, &name);
	text_put(out, "<figure><svg width=\"320\" height=\"110\" viewBox=\"0 0 320 110\" aria-hidden=\"true\">");
	for (size_t i = 0; i < BARS; i++) {
		double height = b.most ? 100 * (double)b.count[i] / (double)b.most : 0;
		if (b.count[i])
			text_format(out,
				"<rect x=\"%zu\" y=\"%.1f\" width=\"7\" height=\"%.1f\" fill=\"#3b6ea5\"><title>%" PRIu64
				"</title></rect>",
				8 * i, 105 - height, height < 1 ? 1 : height, b.count[i]);
	}
	text_put(out, "</svg><figcaption>");
	text_put_escaped(out, name.data);
	text_format(out, ": %s to %s</figcaption></figure>\n", seconds_of(exp(b.from) * analysis_tick(a)).words,
		seconds_of(exp(b.to) * analysis_tick(a)).words);
	text_clear(&name);
}

/* ------------------------------------------------------------------ tables */

/* In the unit of its table. */
static void put_time(struct text *out, const struct analysis *a, const struct time_unit *unit, uint64_t ticks)
{
	text_format(out, "<td>%.3f</td>", (double)ticks * analysis_tick(a) / unit->seconds);
}

static void put_finding(const struct analysis *a, const struct findings *all, size_t i, struct text *out)
{
	const struct finding *f = &all->finding[i];
	const struct analysis_construct *c = f->construct;
	const struct delay *delay = &all->delay[c - a->construct];
	struct text ranks = {0}, iterations = {0};
	finding_print_ranks(a, f, &ranks);
	if (c->depth && fault_accuses(&f->fault))
		finding_print_iterations(a, f, &iterations);
	text_format(out,
		"<tr id=\"row-%zu\"><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td class=\"t\">%s</td><td class=\"t\">",
		i, analysis_percent(a, (double)c->loss),
		analysis_percent(a, (double)(c->total.path_work + c->total.path_call) * a->processes),
		analysis_percent(a, (double)c->imbalance), analysis_percent(a, (double)c->serialization),
		analysis_percent(a, (double)c->transfer), analysis_percent(a, (double)c->overhead * a->processes),
		analysis_percent(a, delay->direct), analysis_percent(a, delay->late), c->address ? c->address : "");
	text_put_escaped(out, c->name);
	text_put(out, "</td><td class=\"t\">");
	text_put_escaped(out, finding_kind(f));
	text_put(out, "</td><td class=\"t\">");
	text_put_escaped(out, ranks.data ? ranks.data : "");
	text_put(out, "</td><td class=\"t\">");
	text_put_escaped(out, iterations.data ? iterations.data : "");
	text_put(out, "</td></tr>\n");
	text_clear(&ranks);
	text_clear(&iterations);
}

static const char legend[] =
	"<details><summary>What the words mean</summary><dl>"
	"<dt>path</dt><dd>the critical path: where the run ends, back through a process until a call that waited, then on in the process that was waited for; as long as the run</dd>"
	"<dt>lost</dt><dd>time of the path that is not the mean computation of the processes: imbalance + serialization + transfer</dd>"
	"<dt>imbalance</dt><dd>the longest computation of a process beyond the mean, in each iteration of the outermost loop</dd>"
	"<dt>serialization</dt><dd>computation on the path beyond the longest of a process</dd>"
	"<dt>transfer</dt><dd>MPI calls on the path; of it MPI: calls that nobody else has a part in</dd>"
	"<dt>delays</dt><dd>what all processes wait because some compute longer here: direct where processes meet next, long-term in what follows</dd>"
	"<dt>parallel efficiency</dt><dd>POP's: mean computation of a process / run time = load balance x communication efficiency</dd>"
	"<dt>load balance</dt><dd>POP's: mean / largest computation of a process, of the whole run</dd>"
	"<dt>communication efficiency</dt><dd>POP's: largest computation of a process / run time = serialization efficiency (this / the run on an ideal network) x transfer efficiency (that / the run)</dd>"
	"<dt>balance of each iteration</dt><dd>mean / largest computation, construct by construct and iteration by iteration</dd>"
	"<dt>Late Sender, Late Receiver</dt><dd>a receive waits for its send; a send that is not buffered for its receive</dd>"
	"<dt>Wait at N x N, Wait at Barrier</dt><dd>in a collective of all, before the last came</dd>"
	"<dt>Late Broadcast, Early Reduce</dt><dd>before the root came; the root, before the last came</dd>"
	"</dl></details>\n";

static void put_findings(const struct analysis *a, const struct findings *f, struct text *out)
{
	text_put(out,
		"<h2>What is lost, in % of the run time</h2>\n" REPORT_PAGE_WIDE(
			"What is lost") "<table><tr><th>lost</th><th>path</th><th>imbalance</th>"
					"<th>serialization</th><th>transfer</th><th>of it MPI</th><th>delays, direct</th><th>long-term</th><th class=\"t\">loop</th><th class=\"t\">region</th>"
					"<th class=\"t\">kind</th><th class=\"t\">ranks</th><th class=\"t\">iterations</th></tr>\n");
	double all = analysis_lost(a), left = round(10 * all) / 10;
	for (size_t i = 0; i < f->length; i++) {
		if (f->finding[i].shared)
			continue;
		put_finding(a, f, i, out);
		left -= round(10 * analysis_percent(a, (double)f->finding[i].construct->loss)) / 10;
	}
	if (fabs(left) > 0.05)
		text_format(out,
			"<tr><td>%.1f</td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td class=\"t\" colspan=\"4\">rounding</td></tr>\n",
			left);
	text_format(out,
		"<tr><th>%.1f</th><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><th class=\"t\" colspan=\"4\">all: run time x (1 - parallel efficiency)</th></tr>\n"
		"</table></div>\n%s",
		all, legend);
}

/* What the critical path did in a process, and the construct in which it was longest. */
struct passed {
	uint64_t work, call, hops, most;
	const struct analysis_construct *in;
};

/* Where the critical path is, and how often it came there from another process. */
static void put_path(const struct analysis *a, const struct time_unit *unit, struct text *out)
{
	text_format(out,
		"<h2>The critical path: %" PRIu64 " hops between processes; it ends on rank %" PRIu32
		"</h2>\n" REPORT_PAGE_WIDE(
			"The critical path") "<table><tr><th>rank</th><th>computation, %s</th><th>calls, %s</th><th>hops to it</th><th class=\"t\">mostly in</th></tr>\n",
		a->hops, a->path_end, unit->name, unit->name);
	struct passed *passed = mem_zero((a->processes + (size_t)1) * sizeof *passed);
	for (const struct analysis_construct *c = a->construct; c < a->construct + a->constructs; c++)
		for (const struct analysis_share *s = c->share; s < c->share + c->shares; s++) {
			struct passed *p = &passed[s->rank];
			p->work += s->path_work;
			p->call += s->path_call;
			p->hops += s->hops;
			if (s->path_work + s->path_call > p->most) {
				p->most = s->path_work + s->path_call;
				p->in = c;
			}
		}
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		const struct passed *p = &passed[rank];
		if (!p->in)
			continue;
		struct text name = {0};
		put_name(p->in, &name);
		text_format(out, "<tr><td>%" PRIu32 "</td>", rank);
		put_time(out, a, unit, p->work);
		put_time(out, a, unit, p->call);
		text_format(out, "<td>%" PRIu64 "</td><td class=\"t\">", p->hops);
		text_put_escaped(out, name.data);
		text_put(out, "</td></tr>\n");
		text_clear(&name);
	}
	free(passed);
	text_put(out, "</table></div>\n");
}

static void put_processes(const struct analysis *a, const struct time_unit *unit, struct text *out)
{
	text_put(out, "<h2>Processes</h2>\n" REPORT_PAGE_WIDE(
			      "Processes") "<table><tr><th>rank</th><th>computation</th><th>calls</th>");
	for (enum wait_kind k = 0; k < WAIT_KINDS; k++)
		text_format(out, "<th>%s</th>", wait_name(k));
	text_put(out, "<th>MPI_Init, MPI_Finalize, I/O</th></tr>\n");
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		const struct analysis_process *p = &a->process[rank];
		text_format(out, "<tr><td>%" PRIu32 "</td>", rank);
		put_time(out, a, unit, p->work);
		put_time(out, a, unit, p->call);
		for (size_t k = 0; k < WAIT_KINDS; k++)
			put_time(out, a, unit, p->waited[k]);
		put_time(out, a, unit, p->apart);
		text_put(out, "</tr>\n");
	}
	text_put(out, "</table></div>\n");
}

static void put_advice(const struct analysis *a, struct text *out)
{
	struct advice advice;
	advice_of(&advice, a);
	for (size_t i = 0; i < advice.length; i++) {
		text_put(out, i ? "<li>" : "<h2>What would take less</h2>\n<ul><li>");
		text_put_escaped(out, advice.line[i].text.data);
		text_put(out, "</li>\n");
	}
	text_put(out, advice.length ? "</ul>\n" : "");
	advice_clear(&advice);
}

/* ------------------------------------------------------------------ the whole */

bool report_page_write(const struct analysis *a, const struct findings *f, const char *title, enum units units,
	const struct source *source, struct output *out, struct error *error)
{
	struct text text = {0};
	size_t strip[STRIPS], strips = strips_of(f, strip);
	report_page_begin(title, &text);
	put_first(a, f, &text);
	put_links(f, source, &text);
	put_source(a, f, source, &text);
	put_findings(a, f, &text);
	output_text(out, &text);
	put_strips(a, f, out);
	bool good = put_program(a, out, error);
	struct time_unit unit = time_unit_of((double)analysis_run(a) * analysis_tick(a), units);
	put_path(a, &unit, &text);
	text_put(&text, "<h2>Computation of a process in an iteration: how often how long (logarithmic)</h2>\n");
	for (size_t i = 0; i < strips; i++)
		put_histogram(a, f->finding[strip[i]].construct, &text);
	put_processes(a, &unit, &text);
	put_advice(a, &text);
	text_put(&text, REPORT_PAGE_END);
	output_text(out, &text);
	text_clear(&text);
	return good;
}
