/*
 * every_instance.c -- what learned runs could do is asked of every instance.
 */
#include "sizes/every_instance.h"

#include <inttypes.h>

#include "ask/causality.h"
#include "ask/consistency.h"

static void note_stop(struct instances_with *w, uint32_t processes, const char *told)
{
	if (!w->stopping.length)
		text_put(&w->told, told);
	ranks_add(&w->stopping, processes);
}

/* Where sends wait; what stops with less waiting stops with more. */
static void run_waiting(struct every_instance *e, struct run *all)
{
	struct text cycle = {0};
	struct module *once = causality_shortened(all);
	uint32_t processes = run_environment(all).processes;
	struct run *run = once ? run_new(once, NULL) : NULL;
	enum schedule found = run ? SCHEDULE_THERE : SCHEDULE_UNKNOWN;
	for (enum sending s = SENDS_BUFFERED + 1; s <= SENDS_SYNCHRONOUS; s++) {
		if (found == SCHEDULE_THERE)
			found = schedule_find(run, s, EVERY_INSTANCE_EVENTS, &cycle);
		if (found == SCHEDULE_THERE)
			ranks_add(&e->with[s].ending, processes);
		else if (found == SCHEDULE_CYCLE)
			note_stop(&e->with[s], processes, cycle.data);
	}
	if (found == SCHEDULE_UNKNOWN)
		ranks_add(&e->unrun, processes);
	run_free(run);
	module_free(once);
	text_clear(&cycle);
}

static void examine(struct every_instance *e, struct run *r)
{
	struct consistency c;
	struct text told = {0};
	uint32_t processes = run_environment(r).processes;
	consistency_of(r, &c);
	bool complete = c.messages.kind == ERROR_NONE, ends = consistency_ends(&c);
	if (complete)
		text_format(&told, "\n  " CONSISTENCY_CYCLE "%s", c.cycle.data ? c.cycle.data : "");
	else
		text_format(&told, "\n  %s", c.messages.message);
	if (ends)
		ranks_add(&e->with[SENDS_BUFFERED].ending, processes);
	for (enum sending with = SENDS_BUFFERED; with <= SENDS_SYNCHRONOUS && !ends; with++)
		note_stop(&e->with[with], processes, told.data);
	if (ends)
		run_waiting(e, r);
	consistency_clear(&c);
	text_clear(&told);
}

/* A learned number of processes is asked for with the grid that it has. */
static void examine_one(struct parametric *app, struct extents asked, struct every_instance *e)
{
	const struct learned_runs *runs = parametric_runs(app);
	struct extents x;
	struct error error = {0};
	struct doubts doubts = {0};
	for (size_t r = 0; r < runs->length && !asked.grid.axes; r++)
		if (runs->run[r].processes == asked.processes)
			asked.grid = runs->run[r].grid;
	if (!parametric_extents(app, &asked, &x, &error)) {
		ranks_add(&e->outside, asked.processes);
		return;
	}
	struct draft *made = parametric_instance(app, &asked, true, &doubts, NULL, &error);
	if (made) {
		struct run *run = run_new(made->module, NULL);
		examine(e, run);
		run_free(run);
		if (doubts_any(&doubts))
			ranks_add(&e->unproven, asked.processes);
	} else {
		if (!e->undecided.length)
			text_put(&e->why, error.message);
		ranks_add(&e->undecided, asked.processes);
	}
	draft_free(made);
	doubts_clear(&doubts);
}

/* The most waiting with which no learned run stops. */
static void choose(struct every_instance *e, const struct learned_runs *runs)
{
	for (e->asked = SENDS_SYNCHRONOUS; e->asked > SENDS_BUFFERED; e->asked--) {
		size_t r = 0;
		while (r < runs->length && !ranks_has(&e->with[e->asked].stopping, runs->run[r].processes))
			r++;
		if (r == runs->length)
			break;
		e->learned = runs->run[r].processes;
	}
}

bool every_instance_examine(struct parametric *app, const struct extents *asked, uint32_t most,
	const struct progress *progress, struct every_instance *e, struct error *error)
{
	const struct learned_runs *runs = parametric_runs(app);
	struct extents x = *asked, settled;
	*e = (struct every_instance){0};
	uint32_t least = UINT32_MAX;
	for (size_t r = 0; r < runs->length; r++)
		least = runs->run[r].processes < least ? runs->run[r].processes : least;
	if (least > most)
		return error_set(error, ERROR_INPUT,
			"it was learned from %" PRIu32 " processes on: there is nothing to examine up to %" PRIu32,
			least, most);
	x.grid = runs->run[0].grid; /* only parameters are asked about here */
	x.processes = runs->run[0].processes;
	if (!parametric_extents(app, &x, &settled, error))
		return false;
	progress_begin(progress, "examining");
	x.grid = (struct grid){0};
	for (x.processes = least; x.processes <= most; x.processes++) {
		examine_one(app, x, e);
		progress_tell(progress, x.processes / (double)most);
	}
	choose(e, runs);
	return true;
}

void every_instance_clear(struct every_instance *e)
{
	for (enum sending s = SENDS_BUFFERED; s <= SENDS_SYNCHRONOUS; s++) {
		ranks_clear(&e->with[s].ending);
		ranks_clear(&e->with[s].stopping);
		text_clear(&e->with[s].told);
	}
	ranks_clear(&e->unrun);
	ranks_clear(&e->unproven);
	ranks_clear(&e->undecided);
	ranks_clear(&e->outside);
	text_clear(&e->why);
}
