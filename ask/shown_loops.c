/*
 * shown_loops.c -- both programs are walked side by side; where an iteration of a loop begins, the
 * other text stands in another iteration of the loop that shows it, and of no loop around that.
 */
#include "ask/shown_loops.h"

#include <stdlib.h>
#include <string.h>

#include "ask/projection.h"
#include "base/mem.h"

/* The loops around an event, the outermost first. */
struct standing {
	uint32_t statement[INDEX_DEPTH];
	int64_t index[INDEX_DEPTH];
	size_t loops;
};

struct walked {
	const struct program *program;
	uint32_t *around; /* by statement: the loop or condition around; UINT32_MAX: none */
	struct projection *projection;
	struct walk *walk;
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
	w.projection = projection_new(p, NULL);
	return w;
}

static void walked_clear(struct walked *w)
{
	projection_free(w->projection);
	free(w->around);
}

static bool next_event(struct walked *w)
{
	w->before = w->now;
	w->now.loops = 0;
	if (!walk_next(w->walk))
		return false;
	size_t depth, loops = 0;
	const int64_t *index = walk_indices(w->walk, &depth);
	uint32_t around = w->around[walk_statement(w->walk)];
	for (size_t k = depth; k-- > 0; around = w->around[around])
		if (statement_guard(&w->program->statement[around]) == GUARD_NONE) {
			w->now.statement[loops] = around;
			w->now.index[loops++] = index[k];
		}
	w->now.loops = loops;
	for (size_t i = 0; i < loops / 2; i++) {
		uint32_t statement = w->now.statement[i];
		int64_t number = w->now.index[i];
		w->now.statement[i] = w->now.statement[loops - 1 - i];
		w->now.index[i] = w->now.index[loops - 1 - i];
		w->now.statement[loops - 1 - i] = statement;
		w->now.index[loops - 1 - i] = number;
	}
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
	for (uint32_t rank = 0; rank < p->processes && shown && events; rank++) {
		text.walk = walk_new(text.projection, rank);
		source.walk = walk_new(source.projection, rank);
		source.now.loops = 0;
		while (shown && events && next_event(&source) && next_event(&text)) {
			shown = is_shown(&source, &text, going);
			events--;
		}
		walk_free(text.walk);
		walk_free(source.walk);
	}
	walked_clear(&source);
	walked_clear(&text);
	return shown;
}
