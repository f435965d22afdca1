/*
 * shown_loops.c -- a cursor in each program, side by side; where an iteration of a loop begins, the
 * other text stands in another iteration of the loop that shows it, and of no loop around that.
 */
#include "ask/shown_loops.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/program_nodes.h"

/* The loops around an event, the outermost first. */
struct standing {
	uint32_t statement[INDEX_DEPTH];
	int64_t index[INDEX_DEPTH];
	size_t loops;
};

struct walked {
	const struct program *program;
	uint32_t *around; /* by statement: the loop or condition around; UINT32_MAX: none */
	const struct program_nodes *nodes;
	struct cursor *cursor;
	struct standing now, before;
};

static struct walked walked_new(struct program *p)
{
	struct walked w = {.program = p, .around = mem_array(p->length + 1, sizeof *w.around)};
	memset(w.around, 0xff, p->length * sizeof *w.around);
	for (size_t i = 0; i < p->length; i++)
		for (size_t k = i + 1; statement_is_loop(&p->statement[i]) && k < i + p->statement[i].size;
			k += statement_size(&p->statement[k]))
			w.around[k] = (uint32_t)i;
	struct error unread;
	w.nodes = program_nodes(p, &unread);
	w.cursor = w.nodes && p->processes ? cursor_new(w.nodes->run, 0) : NULL;
	return w;
}

static void walked_clear(struct walked *w)
{
	cursor_free(w->cursor);
	free(w->around);
}

static bool next_event(struct walked *w)
{
	const struct environment *at = &w->cursor->at;
	w->before = w->now;
	w->now.loops = 0;
	if (!cursor_next(w->cursor))
		return false;
	uint32_t around = w->around[w->nodes->statement[w->cursor->line]];
	for (size_t k = at->depth; k-- > 0; around = w->around[around]) {
		while (statement_guard(&w->program->statement[around]) != GUARD_NONE)
			around = w->around[around];
		w->now.statement[k] = around;
		w->now.index[k] = at->index[k];
	}
	w->now.loops = at->depth;
	return true;
}

/* A loop of the source that is being executed: where the text stood when its iteration began, and
   which loop of those around went on whenever it did; INDEX_DEPTH: it did not so far. */
struct going {
	struct standing begun;
	size_t loop;
};

static bool goes_on(struct going *g, const struct standing *now, int64_t iterations)
{
	const struct standing *begun = &g->begun;
	size_t k = 0, both = now->loops < begun->loops ? now->loops : begun->loops;
	while (k < both && now->statement[k] == begun->statement[k] && now->index[k] == begun->index[k])
		k++;
	bool same = k < both && now->statement[k] == begun->statement[k] &&
		    now->index[k] - begun->index[k] == iterations && (g->loop == INDEX_DEPTH || g->loop == k);
	*g = (struct going){*now, k};
	return same;
}

/* going: by loop around. */
static bool is_shown(const struct walked *of, const struct walked *text, struct going *going)
{
	bool same = true; /* the same execution */
	for (size_t k = 0; k < of->now.loops; k++) {
		same = same && k < of->before.loops && of->now.statement[k] == of->before.statement[k];
		int64_t iterations = same ? of->now.index[k] - of->before.index[k] : 0;
		if (!same)
			going[k] = (struct going){text->now, INDEX_DEPTH};
		else if (iterations && !goes_on(&going[k], &text->now, iterations))
			return false;
		same = same && !iterations;
	}
	return true;
}

bool loops_shown(struct program *p, struct program *of, uint64_t events)
{
	struct walked text = walked_new(p), source = walked_new(of);
	struct going going[INDEX_DEPTH];
	bool shown = true;
	for (uint32_t rank = 0; text.cursor && source.cursor && rank < p->processes && shown && events; rank++) {
		cursor_restart(text.cursor, rank);
		cursor_restart(source.cursor, rank);
		source.now.loops = 0;
		while (shown && events && next_event(&source) && next_event(&text)) {
			shown = is_shown(&source, &text, going);
			events--;
		}
	}
	walked_clear(&source);
	walked_clear(&text);
	return shown;
}
