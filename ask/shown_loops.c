/*
 * shown_loops.c -- a cursor in each program, side by side; where an iteration of a loop begins, the
 * other text stands in another iteration of the loop that shows it, and of no loop around that.
 */
#include "ask/shown_loops.h"

#include "ask/arrival.h"

struct walked {
	struct cursor *cursor;
	struct control now, before;
};

static bool next_event(struct walked *w)
{
	w->before = w->now;
	if (!cursor_next(w->cursor))
		return false;
	w->now = control_at(w->cursor);
	return true;
}

/* A loop of the source that is being executed: where the text stood when its iteration began, and
   which loop of those around went on whenever it did; INDEX_DEPTH: it did not so far. */
struct going {
	struct control begun;
	size_t level;
};

static bool goes_on(struct going *g, const struct control *now, int64_t iterations)
{
	const struct control *begun = &g->begun;
	size_t k = 0, both = now->loops < begun->loops ? now->loops : begun->loops;
	while (k < both && now->loop[k] == begun->loop[k] && now->index[k] == begun->index[k])
		k++;
	bool same = k < both && now->loop[k] == begun->loop[k] && now->index[k] - begun->index[k] == iterations &&
		    (g->level == INDEX_DEPTH || g->level == k);
	*g = (struct going){*now, k};
	return same;
}

/* going: by loop around. */
static bool is_shown(const struct walked *of, const struct walked *text, struct going *going)
{
	bool same = true; /* the same execution */
	for (size_t k = 0; k < of->now.loops; k++) {
		same = same && k < of->before.loops && of->now.loop[k] == of->before.loop[k];
		int64_t iterations = same ? of->now.index[k] - of->before.index[k] : 0;
		if (!same)
			going[k] = (struct going){text->now, INDEX_DEPTH};
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
	struct going going[INDEX_DEPTH];
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
