/*
 * report_json.c -- where the time of a run went, for programs: in ticks of the trace's clock.
 */
#include "ask/shortfalls.h"
#include "base/json.h"
#include "report/advice.h"
#include "report/report_text.h"

static void put_ranks_as(struct json *j, const char *name, const struct ranks *set)
{
	struct text ranks = {0};
	ranks_print(set, &ranks);
	json_string(j, name, ranks.data ? ranks.data : "");
	text_clear(&ranks);
}

static void put_share(struct json *j, const struct analysis_share *s)
{
	json_number(j, "work", s->work);
	json_number(j, "call", s->call);
	for (enum wait_kind k = 0; k < WAIT_KINDS; k++)
		json_number(j, wait_key(k), s->waited[k]);
	json_number(j, "collective", wait_in_collectives(s->waited));
	json_number(j, "wrong_order", s->wrong_order);
	if (s->away)
		json_number(j, "without_core", s->away);
	json_number(j, "caused_late_sender", s->caused[WAIT_LATE_SENDER]);
	json_number(j, "caused_late_receiver", s->caused[WAIT_LATE_RECEIVER]);
	json_number(j, "caused_collective", wait_in_collectives(s->caused));
	json_number(j, "path_work", s->path_work);
	json_number(j, "path_call", s->path_call);
	json_number(j, "hops", s->hops);
}

static void put_construct(
	const struct analysis *a, const struct analysis_construct *c, const struct delay *delay, struct json *j)
{
	json_object(j, NULL, JSON_LINES);
	json_string(j, "loop", c->address ? c->address : "");
	json_string(j, "name", c->name);
	if (c->sites)
		json_string(j, "site", c->sites);
	if (c->callers)
		json_string(j, "callers", c->callers);
	json_string(j, "sort", construct_sort_key(c->sort));
	put_ranks_as(j, "ranks", &c->ranks);
	json_integer(j, "loss", c->loss);
	json_integer(j, "imbalance", c->imbalance);
	json_integer(j, "serialization", c->serialization);
	json_integer(j, "transfer", c->transfer);
	json_number(j, "overhead", c->overhead);
	json_object(j, "delay", JSON_ROW);
	json_number(j, "direct", (uint64_t)delay->direct);
	json_number(j, "long_term", (uint64_t)delay->late);
	json_string(j, "payer", delay->payer ? delay->payer->name : "");
	json_close(j);
	json_object(j, "total", JSON_ROW);
	put_share(j, &c->total);
	json_close(j);
	json_array(j, "processes", JSON_LINES);
	const struct analysis_share *share = c->share, *end = c->share + c->shares;
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		bool here = share < end && share->rank == rank;
		json_object(j, NULL, JSON_ROW);
		put_share(j, here ? share : &(struct analysis_share){0});
		json_close(j);
		share += here;
	}
	json_close(j);
	json_close(j);
}

static void put_finding(const struct analysis *a, const struct finding *f, struct json *j)
{
	const struct analysis_construct *c = f->construct;
	struct text lines = {0}, iterations = {0};
	json_object(j, NULL, JSON_LINES);
	json_string(j, "loop", c->address ? c->address : "");
	json_string(j, "name", c->name);
	json_string(j, "kind", finding_key(f));
	json_truth(j, "accused", finding_accuses(f));
	json_real(j, "share", f->share, 6);
	put_ranks_as(j, "ranks", &f->fault.ranks);
	if (c->depth && (f->shared || fault_accuses(&f->fault)))
		finding_print_iterations(a, f, &iterations);
	json_string(j, "iterations", iterations.data ? iterations.data : "");
	finding_print(a, f, &lines);
	json_string(j, "text", lines.data);
	json_close(j);
	text_clear(&lines);
	text_clear(&iterations);
}

/* Those that the page begins with first. */
static void put_findings(const struct analysis *a, const struct findings *f, struct json *j)
{
	json_truth(j, "stands_out", f->told && finding_accuses(&f->finding[f->first[0]]));
	json_array(j, "findings", JSON_LINES);
	for (size_t i = 0; i < f->told; i++)
		put_finding(a, &f->finding[f->first[i]], j);
	for (size_t i = 0; i < f->length; i++)
		if (!f->finding[i].told && f->finding[i].share >= 0.001)
			put_finding(a, &f->finding[i], j);
	json_close(j);
}

static void put_advice_lines(const struct analysis *a, struct json *j)
{
	struct advice advice;
	advice_of(&advice, a);
	json_array(j, "advice", JSON_LINES);
	for (size_t i = 0; i < advice.length; i++) {
		const struct advice_line *line = &advice.line[i];
		json_object(j, NULL, JSON_LINES);
		json_string(j, "kind", advice_key(line->kind));
		json_string(j, "loop", line->construct->address ? line->construct->address : "");
		json_string(j, "name", line->construct->name);
		json_number(j, "gain", (uint64_t)line->gain);
		json_string(j, "text", line->text.data);
		json_close(j);
	}
	json_close(j);
	advice_clear(&advice);
}

static void put_omissions(const struct analysis *a, struct json *j)
{
	struct shortfalls s;
	shortfalls_of(a->program->run, &s);
	if (!shortfalls_none(&s)) {
		json_array(j, "omitted", JSON_LINES);
		for (enum shortfall what = 0; what < SHORTFALLS; what++)
			for (size_t i = 0; i < s.of[what].omissions; i++) {
				json_object(j, NULL, JSON_ROW);
				json_string(j, "call", s.of[what].omission[i].call);
				json_number(j, "calls", s.of[what].omission[i].calls);
				if (*shortfall_name(what))
					json_string(j, "of", shortfall_name(what));
				json_close(j);
			}
		json_close(j);
	}
	shortfalls_clear(&s);
}

/* POP's factors; those that clocks hide are left out, all are null where nobody communicates. */
static void put_factors(const struct analysis *a, struct json *j)
{
	struct efficiency e = analysis_efficiency(a);
	json_object(j, "efficiency", JSON_ROW);
	json_real(j, "parallel", e.parallel, 6);
	json_real(j, "load_balance", e.load_balance, 6);
	json_real(j, "communication", e.communication, 6);
	if (!a->clocks_disagree) {
		json_real(j, "serialization", e.serialization, 6);
		json_real(j, "transfer", e.transfer, 6);
	}
	json_real(j, "iteration_balance", e.iteration_balance, 6);
	json_real(j, "parallel_without_init_and_finalize", e.inner_parallel, 6);
	json_close(j);
}

void report_json(const struct analysis *a, const struct findings *f, struct output *out)
{
	struct json j = {.out = out};
	json_object(&j, NULL, JSON_LINES);
	json_number(&j, "processes", a->processes);
	json_number(&j, "ticks_per_second", a->ticks_per_second);
	json_truth(&j, "unfinished", a->unfinished);
	if (!a->unfinished)
		json_number(&j, "run", analysis_run(a));
	json_number(&j, "work", analysis_work(a));
	json_number(&j, "path_work", a->path_work);
	json_number(&j, "path_call", a->path_call);
	json_number(&j, "hops", a->hops);
	if (!a->unfinished)
		put_factors(a, &j);
	json_number(&j, "eager", a->eager);
	json_number(&j, "meetings", a->meetings);
	json_number(&j, "contradictions", a->contradictions);
	json_number(&j, "contradiction", a->contradiction);
	json_truth(&j, "clocks_disagree", a->clocks_disagree);
	json_number(&j, "unmatched", a->unmatched);
	if (a->shared.length) {
		put_ranks_as(&j, "shared_cores", &a->shared);
		json_number(&j, "slice", a->slice);
	}
	put_omissions(a, &j);
	json_array(&j, "process", JSON_LINES);
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		const struct analysis_process *p = &a->process[rank];
		json_object(&j, NULL, JSON_ROW);
		json_number(&j, "first", p->first - a->begin);
		json_number(&j, "last", p->last - a->begin);
		json_number(&j, "work", p->work);
		json_number(&j, "call", p->call);
		json_number(&j, "apart", p->apart);
		if (p->cpu)
			json_number(&j, "cpu_ns", p->cpu);
		json_close(&j);
	}
	json_close(&j);
	put_findings(a, f, &j);
	put_advice_lines(a, &j);
	json_array(&j, "constructs", JSON_LINES);
	for (size_t i = 0; i < a->constructs; i++)
		put_construct(a, &a->construct[i], &f->delay[i], &j);
	json_close(&j);
	json_close(&j);
	json_finish(&j);
}
