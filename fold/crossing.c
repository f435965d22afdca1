/*
 * crossing.c -- match the messages of a body, and see in which iterations their ends are.
 *
 * Every statement has a way: the loops around it and their iterations. Two ends of a message may be
 * in different loops; but where they are in the same loop, and in the same iteration of all loops
 * around that, its iteration must be the same.
 */
#include "fold/crossing.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/matching.h"
#include "model/sides.h"

struct step {
	size_t loop;
	int64_t iteration;
};

/* How much has passed on a side; where it stands in the matching. */
struct at_side {
	uint64_t passed;
	uint32_t stand;
};

struct crossing {
	const struct program *f;
	bool *mark;
	/* Ways: of statement i, way[first[i]] to way[first[i + 1]]. */
	struct step *way;
	size_t ways, way_capacity;
	size_t *first;
	const struct absorb_rules *rules;
	struct absorb_list written;
	struct sides sides;
	struct matching matching; /* of statements of the body */
	uint32_t *channel; /* its pieces */
	struct at_side *at; /* by side */
	size_t channel_capacity, at_capacity;
	int64_t index[AFFINE_DEPTH];
	size_t loop[AFFINE_DEPTH];
	size_t statements, limit;
};

/* ------------------------------------------------------------------ ways */

static void note_way(struct crossing *m, size_t depth)
{
	if (m->statements == m->limit)
		return;
	m->way = mem_grow(m->way, &m->way_capacity, m->ways + depth, sizeof *m->way);
	for (size_t k = 0; k < depth; k++)
		m->way[m->ways++] = (struct step){m->loop[k], m->index[k]};
	m->first[++m->statements] = m->ways;
}

/* One for each statement that the record is written as. */
static void note_record(struct crossing *m, const struct affine_node *n, size_t depth)
{
	int64_t number[AFFINE_WIDTH] = {0};
	for (uint32_t k = 0; k < n->width; k++)
		affine_value(n->value + k * (1 + depth), m->index, depth, &number[k]);
	m->written.length = 0;
	m->rules->write(m->rules->context, n->shape, n->width, number, &m->written);
	for (size_t i = 0; i < m->written.length; i++)
		note_way(m, depth);
}

static void note_ways(struct crossing *m, const struct affine_node *n, size_t length, size_t depth, size_t id)
{
	for (size_t i = 0; i < length; i++) {
		int64_t count;
		if (!affine_is_loop(&n[i])) {
			note_record(m, &n[i], depth);
			continue;
		}
		if (!affine_value(n[i].value, m->index, depth, &count))
			count = 0;
		m->loop[depth] = id;
		for (int64_t k = 0; k < count; k++) {
			m->index[depth] = k;
			note_ways(m, n[i].body, n[i].length, depth + 1, id + 1);
			m->loop[depth] = id;
		}
		id += 1 + affine_loops(n[i].body, n[i].length);
	}
}

static void meet(struct crossing *m, size_t a, size_t b)
{
	const struct step *x = m->way + m->first[a], *y = m->way + m->first[b];
	size_t past_x = m->first[a + 1] - m->first[a], past_y = m->first[b + 1] - m->first[b];
	for (size_t k = 0; k < past_x && k < past_y && x[k].loop == y[k].loop; k++)
		if (x[k].iteration != y[k].iteration) {
			m->mark[x[k].loop] = true;
			return;
		}
}

/* ------------------------------------------------------------------ channels */

static void make_room(struct crossing *m)
{
	size_t channels = m->channel_capacity, sides = m->at_capacity;
	m->channel = mem_grow(m->channel, &m->channel_capacity, sides_channels(&m->sides), sizeof *m->channel);
	for (size_t k = channels; k < m->channel_capacity; k++)
		m->channel[k] = MATCHING_NONE;
	m->at = mem_grow(m->at, &m->at_capacity, sides_count(&m->sides), sizeof *m->at);
	for (size_t side = sides; side < m->at_capacity; side++)
		m->at[side] = (struct at_side){0, MATCHING_NONE};
}

static void add_end(struct crossing *m, uint32_t event, uint32_t process, uint64_t count, size_t at)
{
	uint32_t side = sides_of(&m->sides, event, process);
	if (side == NO_SIDE)
		return;
	make_room(m);
	struct at_side *here = &m->at[side];
	struct match_end end = {here->passed, here->passed + count, (uint32_t)at, 0};
	struct match match;
	while (matching_next(&m->matching, &m->channel[m->sides.channel_of[side]], &here->stand, &end, &match))
		meet(m, match.owner, at);
	here->passed += count;
}

static void add_event(struct crossing *m, uint32_t event, uint64_t count, size_t at)
{
	struct ranks_run single;
	struct ranks who = event_processes(m->f->dictionary, event, &single);
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(&who, &walk, &p);)
		add_end(m, event, p, count, at);
}

static void add_folded(struct crossing *m, const struct statement *s, uint64_t count, size_t at)
{
	struct ranks who = dictionary_get_ranks(m->f->dictionary, s->set);
	struct form form = program_get_form(m->f, s->event);
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(&who, &walk, &p);) {
		add_event(m, program_event(m->f, &form, p), count, at);
	}
}

/* Counts of messages may wrap where they go beyond 64 bits: all ends of a channel alike. */
static void add_statements(struct crossing *m, size_t from, size_t to, uint64_t count, size_t at)
{
	for (size_t i = from; i < to; i += statement_size(&m->f->statement[i])) {
		const struct statement *s = &m->f->statement[i];
		if (statement_is_loop(s)) {
			add_statements(m, i + 1, i + s->size, count * s->count, at);
		} else if (s->set == STATEMENT_PLAIN) {
			add_event(m, s->event, count, at);
		} else {
			add_folded(m, s, count, at);
		}
	}
}

void crossing_mark(const struct program *f, const size_t *statement, size_t statements, const struct affine_nest *n,
	const struct absorb_rules *rules, bool *mark)
{
	struct crossing *m = mem_zero(sizeof *m);
	m->f = f;
	m->mark = mark;
	m->rules = rules;
	m->written.arena = arena_new();
	m->limit = statements;
	m->first = mem_zero((statements + 1) * sizeof *m->first);
	sides_start(&m->sides, f->dictionary);
	note_ways(m, n->root, n->length, 0, 0);
	for (size_t i = 0; i < m->statements; i++)
		add_statements(m, statement[i], statement[i] + statement_size(&f->statement[statement[i]]), 1, i);
	sides_end(&m->sides);
	matching_clear(&m->matching);
	arena_free(m->written.arena);
	free(m->written.node);
	free(m->channel);
	free(m->at);
	free(m->way);
	free(m->first);
	free(m);
}
