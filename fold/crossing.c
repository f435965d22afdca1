/*
 * crossing.c -- match the messages of a body, and see in which iterations their ends are.
 *
 * Every statement has a way: the loops around it and their iterations. Two ends of a message may be
 * in different loops; but where they are in the same loop, and in the same iteration of all loops
 * around that, its iteration must be the same.
 */
#include "fold/crossing.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/search.h"

struct step {
	size_t loop;
	int64_t iteration;
};

/* So many ends of messages at a statement of the body. */
struct piece {
	uint64_t past; /* all ends of this channel so far */
	size_t at;
};

struct ends {
	struct piece *piece;
	size_t pieces, capacity;
};

/* Sends and receives; of a sync, the members that came first. */
struct channel {
	struct ends ends[2];
};

struct matching {
	const struct program *f;
	bool *mark;
	/* Ways: of statement i, way[first[i]] to way[first[i + 1]]. */
	struct step *way;
	size_t ways, way_capacity;
	size_t *first;
	const struct absorb_rules *rules;
	struct absorb_list written;
	struct intern *channels, *members;
	struct channel *channel;
	size_t channel_capacity;
	uint64_t *met; /* by member: syncs so far */
	size_t met_capacity;
	int64_t index[AFFINE_DEPTH];
	size_t loop[AFFINE_DEPTH];
	size_t statements, limit;
};

/* ------------------------------------------------------------------ ways */

static void note_way(struct matching *m, size_t depth)
{
	if (m->statements == m->limit)
		return;
	m->way = mem_grow(m->way, &m->way_capacity, m->ways + depth, sizeof *m->way);
	for (size_t k = 0; k < depth; k++)
		m->way[m->ways++] = (struct step){m->loop[k], m->index[k]};
	m->first[++m->statements] = m->ways;
}

/* One for each statement that the record is written as. */
static void note_record(struct matching *m, const struct affine_node *n, size_t depth)
{
	int64_t number[AFFINE_WIDTH] = {0};
	for (uint32_t k = 0; k < n->width; k++)
		affine_value(n->value + k * (1 + depth), m->index, depth, &number[k]);
	m->written.length = 0;
	m->rules->write(m->rules->context, n->shape, n->width, number, &m->written);
	for (size_t i = 0; i < m->written.length; i++)
		note_way(m, depth);
}

static void note_ways(struct matching *m, const struct affine_node *n, size_t length, size_t depth, size_t id)
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

static void meet(struct matching *m, size_t a, size_t b)
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

static struct channel *channel_at(struct matching *m, uint32_t id)
{
	size_t before = m->channel_capacity;
	if (id >= before) {
		m->channel = mem_grow(m->channel, &m->channel_capacity, id + 1, sizeof *m->channel);
		memset(m->channel + before, 0, (m->channel_capacity - before) * sizeof *m->channel);
	}
	return &m->channel[id];
}

static uint64_t total(const struct ends *e)
{
	return e->pieces ? e->piece[e->pieces - 1].past : 0;
}

static void add_piece(struct ends *e, uint64_t past, size_t at)
{
	e->piece = mem_grow(e->piece, &e->capacity, e->pieces + 1, sizeof *e->piece);
	e->piece[e->pieces++] = (struct piece){past, at};
}

struct wanted_piece {
	const struct ends *ends;
	uint64_t number;
};

static bool piece_holds(const void *context, size_t i)
{
	const struct wanted_piece *w = context;
	return w->ends->piece[i].past > w->number;
}

/* The ends from number `from` to `past` are at this record: meet those of the other side with the
   same numbers. */
static void meet_range(struct matching *m, const struct ends *other, uint64_t from, uint64_t past, size_t at)
{
	size_t i = search_first(0, other->pieces, piece_holds, &(struct wanted_piece){other, from});
	for (; i < other->pieces && (!i || other->piece[i - 1].past < past); i++)
		meet(m, other->piece[i].at, at);
}

static void add_message(struct matching *m, struct channel *c, bool send, uint64_t count, size_t at)
{
	uint64_t from = total(&c->ends[send]);
	meet_range(m, &c->ends[!send], from, from + count, at);
	add_piece(&c->ends[send], from + count, at);
}

static uint64_t *met_of(struct matching *m, uint32_t channel, uint32_t member)
{
	uint32_t key[2] = {channel, member}, id = intern_id(m->members, key, sizeof key);
	size_t before = m->met_capacity;
	if (id >= before) {
		m->met = mem_grow(m->met, &m->met_capacity, id + 1, sizeof *m->met);
		memset(m->met + before, 0, (m->met_capacity - before) * sizeof *m->met);
	}
	return &m->met[id];
}

static void add_sync(struct matching *m, uint32_t channel, uint32_t member, uint64_t count, size_t at)
{
	struct ends *first = &channel_at(m, channel)->ends[0];
	uint64_t *met = met_of(m, channel, member), past = *met + count;
	meet_range(m, first, *met, past, at);
	if (past > total(first))
		add_piece(first, past, at);
	*met = past;
}

static void add_event(struct matching *m, const struct event *e, uint64_t count, size_t at)
{
	uint32_t channel = event_channel(m->channels, e);
	if (e->kind == EVENT_SEND || e->kind == EVENT_RECV) {
		add_message(m, channel_at(m, channel), e->kind == EVENT_SEND, count, at);
	} else if (e->kind == EVENT_SYNC) {
		struct ranks who = dictionary_get_ranks(m->f->dictionary, e->process);
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_next(&who, &walk, &p);)
			add_sync(m, channel, p, count, at);
	}
}

static void add_folded(struct matching *m, const struct statement *s, uint64_t count, size_t at)
{
	struct ranks who = dictionary_get_ranks(m->f->dictionary, s->set);
	struct form form = program_get_form(m->f, s->event);
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(&who, &walk, &p);) {
		struct event e = *dictionary_get_event(m->f->dictionary, program_event(m->f, &form, p));
		add_event(m, &e, count, at);
	}
}

/* Counts of messages may wrap where they go beyond 64 bits: all ends of a channel alike. */
static void add_statements(struct matching *m, size_t from, size_t to, uint64_t count, size_t at)
{
	for (size_t i = from; i < to; i += statement_size(&m->f->statement[i])) {
		const struct statement *s = &m->f->statement[i];
		if (statement_is_loop(s)) {
			add_statements(m, i + 1, i + s->size, count * s->count, at);
		} else if (s->set == STATEMENT_PLAIN) {
			struct event e = *dictionary_get_event(m->f->dictionary, s->event);
			add_event(m, &e, count, at);
		} else {
			add_folded(m, s, count, at);
		}
	}
}

void crossing_mark(const struct program *f, const size_t *statement, size_t statements, const struct affine_nest *n,
	const struct absorb_rules *rules, bool *mark)
{
	struct matching *m = mem_zero(sizeof *m);
	m->f = f;
	m->mark = mark;
	m->rules = rules;
	m->written.arena = arena_new();
	m->limit = statements;
	m->first = mem_zero((statements + 1) * sizeof *m->first);
	m->channels = intern_new();
	m->members = intern_new();
	note_ways(m, n->root, n->length, 0, 0);
	for (size_t i = 0; i < m->statements; i++)
		add_statements(m, statement[i], statement[i] + statement_size(&f->statement[statement[i]]), 1, i);
	for (size_t i = 0; i < m->channel_capacity; i++) {
		free(m->channel[i].ends[0].piece);
		free(m->channel[i].ends[1].piece);
	}
	intern_free(m->channels);
	intern_free(m->members);
	arena_free(m->written.arena);
	free(m->written.node);
	free(m->channel);
	free(m->met);
	free(m->way);
	free(m->first);
	free(m);
}
