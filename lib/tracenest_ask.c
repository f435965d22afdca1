/*
 * tracenest_ask.c -- what can be asked of a program behind its handle.
 */
#include <stdlib.h>
#include <string.h>

#include "ask/communication.h"
#include "ask/consistency.h"
#include "ask/event_numbers.h"
#include "ask/measures.h"
#include "base/mem.h"
#include "base/output.h"
#include "lib/comparison.h"
#include "lib/expand.h"
#include "lib/handles.h"
#include "lib/pipeline.h"
#include "lib/volumes.h"
#include "model/module_address.h"
#include "scangen/scanner.h"
#include "time/timing.h"
#include "trace/trace_options.h"
#include "viz/viz.h"

/* ------------------------------------------------------------------ the events of a process */

struct tracenest_walk {
	const tracenest_program *program;
	uint32_t bytes; /* this word */
	struct member_sets *members;
	struct cursor *cursor;
	struct kept_series *kept; /* NULL: not known */
	struct time_series_reader *times; /* of these; likewise */
	bool calls; /* ... when calls were, too */
	uint64_t begin; /* of the run */
	struct text line;
};

_Static_assert((int)TRACENEST_SEND == (int)EVENT_SEND && (int)TRACENEST_RECV == (int)EVENT_RECV &&
		       (int)TRACENEST_SYNC == (int)EVENT_SYNC && (int)TRACENEST_LOCAL == (int)EVENT_LOCAL &&
		       (int)TRACENEST_PUT == (int)EVENT_PUT && EVENT_KINDS == (int)TRACENEST_WIN_WAIT + 1 &&
		       TRACENEST_NONE == NO_ROOT && TRACENEST_WORLD == NO_COMMUNICATOR,
	"kinds of events");

tracenest_walk *tracenest_walk_new(tracenest_program *p, uint32_t rank, tracenest_error *error)
{
	struct error why = {0};
	struct run *run = p->program->run;
	uint32_t processes = p->program->module->processes;
	if (rank >= processes) {
		tell(error_set(&why, ERROR_INPUT, "there is no rank %u, the program has %u processes", rank, processes),
			&why, error);
		return NULL;
	}
	tracenest_walk *w = mem_zero(sizeof *w);
	w->program = p;
	w->bytes = store_word(p->program->module->store, "bytes", strlen("bytes"));
	w->members = member_sets_new(run);
	w->cursor = cursor_new(run, rank);
	if (p->times) {
		w->kept = p->times;
		w->kept->users++;
		w->times = time_series_read(p->times->series, rank);
		w->begin = time_series_begin(p->times->series);
		w->calls = time_series_form(p->times->series)->keep != COLUMNS_TIMESTAMPS;
	}
	tell(true, NULL, error);
	return w;
}

void kept_series_leave(struct kept_series *k)
{
	if (!k || --k->users)
		return;
	time_series_close(k->series);
	free(k);
}

void tracenest_walk_free(tracenest_walk *w)
{
	if (!w)
		return;
	time_series_end(w->times);
	kept_series_leave(w->kept);
	cursor_free(w->cursor);
	member_sets_free(w->members);
	text_clear(&w->line);
	free(w);
}

/* A column that is a rank. */
static uint32_t rank_of(const struct event_numbers *e, enum event_column column)
{
	return e->number[column] == EVENT_UNSAID ? TRACENEST_NONE : (uint32_t)e->number[column];
}

static bool next_event(tracenest_walk *w, tracenest_event *event, struct error *error)
{
	struct event_time t = {0};
	struct event_numbers e;
	struct cursor *c = w->cursor;
	if (!cursor_next(c))
		return environment_good(&c->at, error), false;
	if (w->times && !time_series_next(w->times, w->cursor->line, &t, error))
		return false;
	event_numbers_at(&c->at, w->members, c->event, &e);
	struct event_value bytes = event_value_at(&c->at, NULL, c->event, w->bytes);
	bool group = e.number[COLUMN_GROUP] != EVENT_UNSAID, tagged = e.number[COLUMN_TAG] != EVENT_UNSAID;
	*event = (tracenest_event){
		.kind = (tracenest_event_kind)e.kind,
		.process = (uint32_t)c->at.p,
		.peer = rank_of(&e, group ? COLUMN_ROOT : COLUMN_PEER),
		.word = store_get_word(c->at.store, e.word),
		.numbered = tagged,
		.number = tagged ? (uint64_t)e.number[COLUMN_TAG] : 0,
		.group = group ? member_set_text(w->members, (uint32_t)e.number[COLUMN_GROUP]) : NULL,
		.communicator =
			e.number[COLUMN_COMMUNICATOR] == EVENT_UNSAID ? TRACENEST_WORLD : e.number[COLUMN_COMMUNICATOR],
		.statement = w->program->statement[c->line],
		.bytes = bytes.there && !bytes.word ? (uint64_t)bytes.number : TRACENEST_UNKNOWN,
		.time = w->times ? t.time - w->begin : TRACENEST_UNKNOWN,
		.enter = w->calls ? t.enter - w->begin : TRACENEST_UNKNOWN,
		.leave = w->calls ? t.leave - w->begin : TRACENEST_UNKNOWN,
	};
	return true;
}

bool tracenest_walk_next(tracenest_walk *w, tracenest_event *event)
{
	struct error unused = {0};
	return next_event(w, event, &unused);
}

size_t tracenest_walk_read(tracenest_walk *w, tracenest_event *event, size_t most, tracenest_error *error)
{
	struct error why = {0};
	size_t length = 0;
	while (length < most && next_event(w, &event[length], &why))
		length++;
	return tell(why.kind == ERROR_NONE, &why, error) ? length : 0;
}

bool tracenest_program_times(
	tracenest_program *p, const char *profile, uint64_t *ticks_per_second, tracenest_error *error)
{
	struct error why = {0};
	struct time_series *series = time_series_open(profile, p->program->run, "the program", &why);
	if (series) {
		kept_series_leave(p->times);
		p->times = mem_zero(sizeof *p->times);
		*p->times = (struct kept_series){series, 1};
		if (ticks_per_second)
			*ticks_per_second = time_series_ticks_per_second(series);
	}
	return tell(series, &why, error);
}

const char *tracenest_walk_line(tracenest_walk *w)
{
	text_truncate(&w->line, 0);
	event_print_at(&w->cursor->at, w->members, w->cursor->event, 0, &w->line);
	return w->line.data;
}

bool tracenest_expand(tracenest_program *p, const char *path, tracenest_error *error)
{
	struct error why = {0};
	struct output *out = output_open(path, &why);
	if (!out)
		return tell(false, &why, error);
	struct ranks all = {0};
	if (p->program->module->processes)
		ranks_add_run(&all, 0, p->program->module->processes - 1);
	expand_write(p->program->run, &all, &(struct expand_options){0}, out, &why);
	ranks_clear(&all);
	return tell(output_close(out, &why), &why, error);
}

/* ------------------------------------------------------------------ checks */

bool tracenest_check(tracenest_program *p, tracenest_error *error)
{
	struct error why = {0};
	struct consistency c;
	consistency_of(p->program->run, &c);
	bool good = consistency_holds(&c, &why);
	consistency_clear(&c);
	return tell(good, &why, error);
}

bool tracenest_check_trace(tracenest_program *p, const char *trace, unsigned jobs, tracenest_error *error)
{
	struct error why = {0};
	struct streams_options options = {.jobs = jobs};
	struct comparison_facts facts = {0};
	bool good = trace_options_of_notes(&options.trace, &p->program->text->notes, &why) &&
		    comparison_run(p->program->run, trace, true, &options, &facts, &why);
	if (!good && facts.told.length) {
		struct error place = why;
		error_set(&why, place.kind, "%s: %s%s", trace, place.message, facts.told.data);
	}
	comparison_facts_clear(&facts);
	return tell(good, &why, error);
}

/* ------------------------------------------------------------------ figures */

void tracenest_program_statistics(const tracenest_program *p, tracenest_statistics *to)
{
	struct measures s = {0};
	measures_of(p->program->run, &s, &(struct error){0});
	*to = (tracenest_statistics){
		.events = s.events,
		.fewest = s.fewest,
		.most = s.most,
		.statements = s.statements,
		.loops = s.loops,
		.depth = s.depth,
		.roles = s.roles,
		.constructs = s.constructs,
		.in_loops = s.in_loops,
		.in_several = s.in_several,
		.in_all = s.in_all,
	};
	measures_clear(&s);
}

struct tracenest_matrix {
	struct communication *matrix;
	char *address, *tag; /* NULL: the whole run; all tags */
	bool per_iteration;
	tracenest_cell *cell;
};

static void copy_cells(tracenest_matrix *m)
{
	const struct communication *x = m->matrix;
	for (size_t i = 0; i < x->cells; i++)
		m->cell[i] = (tracenest_cell){
			x->cell[i].source, x->cell[i].destination, x->cell[i].messages, x->cell[i].bytes};
}

tracenest_matrix *tracenest_matrix_new(
	const tracenest_program *p, const char *address, bool per_iteration, const char *tag, tracenest_error *error)
{
	struct error why = {0};
	uint64_t line = 0;
	bool good = !address || module_find(p->program->module, address, &line, &why);
	struct communication_part part = {.whole = !address,
		.line = (size_t)line,
		.address = address,
		.per_iteration = address && per_iteration,
		.tag = tag,
		.sizes = true};
	struct communication *x = good ? communication_new(p->program->run, &part, &why) : NULL;
	if (!tell(x, &why, error))
		return NULL;
	tracenest_matrix *m = mem_zero(sizeof *m);
	m->matrix = x;
	m->address = address ? mem_text(address) : NULL;
	m->tag = tag ? mem_text(tag) : NULL;
	m->per_iteration = part.per_iteration;
	m->cell = mem_array(x->cells, sizeof *m->cell);
	copy_cells(m);
	return m;
}

bool tracenest_matrix_read_bytes(
	tracenest_matrix *m, tracenest_program *p, const char *trace, unsigned jobs, tracenest_error *error)
{
	struct error why = {0};
	struct volumes_options options = {.tag = m->tag, .per_iteration = m->per_iteration, .jobs = jobs};
	struct volumes_phase phase = {m->address, m->matrix};
	bool good = trace_options_of_notes(&options.trace, &p->program->text->notes, &why) &&
		    volumes_read(p->program->run, "given", trace, &options, &phase, 1, NULL, &why);
	copy_cells(m);
	return tell(good, &why, error);
}

void tracenest_matrix_free(tracenest_matrix *m)
{
	if (!m)
		return;
	communication_free(m->matrix);
	free(m->address);
	free(m->tag);
	free(m->cell);
	free(m);
}

const tracenest_cell *tracenest_matrix_cells(const tracenest_matrix *matrix, size_t *cells)
{
	*cells = matrix->matrix->cells;
	return matrix->cell;
}

/* ------------------------------------------------------------------ times */

struct tracenest_times {
	tracenest_loop_time *loop;
	size_t loops;
	uint64_t ticks;
};

static tracenest_times *times_of(const struct timing *t, const tracenest_program *p)
{
	tracenest_times *times = mem_zero(sizeof *times);
	times->loops = durations_loops(t->durations);
	times->loop = mem_array(times->loops, sizeof *times->loop);
	times->ticks = t->ticks_per_second;
	for (size_t i = 0; i < times->loops; i++) {
		const struct loop_time *l = &t->loop[i];
		size_t statement = p->statement[durations_loop(t->durations, l->loop)->line];
		times->loop[i] = (tracenest_loop_time){statement, l->processes, l->iterations, l->total, l->most,
			(uint32_t)l->slowest, l->share, l->imbalance};
	}
	return times;
}

tracenest_times *tracenest_times_new(
	const tracenest_program *p, const char *trace, uint32_t depth, unsigned jobs, tracenest_error *error)
{
	struct error why = {0};
	struct timing timing = {0};
	struct timing_options options = {.depth = depth, .jobs = jobs};
	bool good = trace_options_of_notes(&options.trace, &p->program->text->notes, &why) &&
		    timing_read(&timing, p->program->run, "given", trace, &options, &why);
	tracenest_times *times = good ? times_of(&timing, p) : NULL;
	timing_clear(&timing);
	tell(good, &why, error);
	return times;
}

void tracenest_times_free(tracenest_times *times)
{
	if (!times)
		return;
	free(times->loop);
	free(times);
}

const tracenest_loop_time *tracenest_times_loops(const tracenest_times *times, size_t *loops)
{
	*loops = times->loops;
	return times->loop;
}

uint64_t tracenest_times_ticks(const tracenest_times *times)
{
	return times->ticks;
}

/* ------------------------------------------------------------------ pictures */

bool tracenest_draw(tracenest_program *p, const tracenest_picture *given, const char *path, tracenest_error *error)
{
	tracenest_picture picture = given ? *given : (tracenest_picture){0};
	struct error why = {0};
	enum viz_format format;
	struct output *out = viz_format_of(path, &format, &why) ? output_open(path, &why) : NULL;
	if (!out)
		return tell(false, &why, error);
	struct viz_options options = {
		.title = picture.title,
		.loop = picture.loop,
		.depth = picture.depth,
		.labels = picture.tags ? VIZ_LABELS_TAGS : VIZ_LABELS_NAMES,
		.roles = picture.roles,
		.skip_short = picture.skip_short,
		.width = picture.width,
	};
	/* statements written out process by process say nothing of roles */
	const struct prepared *own = p->program;
	bool fold = picture.roles && !module_is_folded(own->module);
	struct module *folded = fold ? module_fold(own->module, &why) : NULL;
	bool good = (folded || !fold) && viz_draw(fold ? folded : own->text, &options, format, out, &why);
	module_free(folded);
	return tell(output_finish(out, good, &why), &why, error);
}

/* ------------------------------------------------------------------ scanners */

char *tracenest_scanner(const char *path, size_t *length, tracenest_error *error)
{
	struct error why = {0};
	struct annotated a;
	struct text source = {0};
	bool good = annotated_read(&a, path, &why) && scanner_write(&a, &source, &why);
	annotated_clear(&a);
	tell(good, &why, error);
	if (good)
		return give(&source, length);
	text_clear(&source);
	return NULL;
}
