/*
 * shown_loops.c -- a cursor in each program, side by side; where an iteration of a loop begins, the
 * other text stands in another iteration of the loop that shows it, and of no loop around that.
 */
#include "ask/shown_loops.h"

/* Loops inside each other that are looked at: the outer ones. */
#define SHOWN_DEPTH 16

/* The loops around an event, the outermost first. */
struct standing {
	size_t line[SHOWN_DEPTH]; /* of the body */
	int64_t index[SHOWN_DEPTH];
	size_t loops;
};

struct walked {
	struct cursor *cursor;
	struct standing now, before;
};

static bool next_event(struct walked *w)
{
	const struct cursor *c = w->cursor;
	w->before = w->now;
	w->now.loops = 0;
	if (!cursor_next(w->cursor))
		return false;
	for (size_t k = 0; k < c->frames && w->now.loops < SHOWN_DEPTH; k++)
		if (c->frame[k].loop) {
			w->now.line[w->now.loops] = c->frame[k].line;
			w->now.index[w->now.loops] = c->at.index[w->now.loops];
			w->now.loops++;
		}
	return true;
}

/* A loop of the source that is being executed: where the text stood when its iteration began, and
   which loop of those around went on whenever it did; SHOWN_DEPTH: it did not so far. */
struct going {
	struct standing begun;
	size_t loop;
};

static bool goes_on(struct going *g, const struct standing *now, int64_t iterations)
{
	const struct standing *begun = &g->begun;
	size_t k = 0, both = now->loops < begun->loops ? now->loops : begun->loops;
	while (k < both && now->line[k] == begun->line[k] && now->index[k] == begun->index[k])
		k++;
	bool same = k < both && now->line[k] == begun->line[k] && now->index[k] - begun->index[k] == iterations &&
		    (g->loop == SHOWN_DEPTH || g->loop == k);
	*g = (struct going){*now, k};
	return same;
}

/* going: by loop around. */
static bool is_shown(const struct walked *of, const struct walked *text, struct going *going)
{
	bool same = true; /* the same execution */
	for (size_t k = 0; k < of->now.loops; k++) {
		same = same && k < of->before.loops && of->now.line[k] == of->before.line[k];
		int64_t iterations = same ? of->now.index[k] - of->before.index[k] : 0;
		if (!same)
			going[k] = (struct going){text->now, SHOWN_DEPTH};
		else if (iterations && !goes_on(&going[k], &text->now, iterations))
			return false;
		same = same && !iterations;
	}
	return true;
}

bool loops_shown(struct run *run, struct run *of, uint64_t events)
{
	uint32_t processes = run_environment(run).processes;
	struct walked text = {.cursor = processes ? cursor_new(run, 0) : NULL},
		      source = {.cursor = processes ? cursor_new(of, 0) : NULL};
	struct going going[SHOWN_DEPTH];
	bool shown = true;
	for (uint32_t rank = 0; rank < processes && shown && events; rank++) {
		cursor_restart(text.cursor, rank);
		cursor_restart(source.cursor, rank);
		source.now.loops = 0;
		while (shown && events && next_event(&source) && next_event(&text)) {
			shown = is_shown(&source, &text, going);
			events--;
		}
	}
	cursor_free(source.cursor);
	cursor_free(text.cursor);
	return shown;
}
