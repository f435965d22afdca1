/*
 * meeting_terms.c -- what processes execute of the text at the ends of channels, hash-consed.
 */
#include <stdlib.h>

#include "ask/meeting_work.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/saturate.h"

/* Counts beyond are not reckoned with. */
#define COUNT_MOST (UINT64_C(1) << 60)

/* ------------------------------------------------------------------ terms */

const uint32_t *term_items(const struct meeting *m, uint32_t term, size_t *length)
{
	size_t size = 0;
	const uint32_t *items = term == TERM_NOTHING ? NULL : intern_data(m->terms, term - 1, &size);
	*length = size / sizeof *items;
	return items;
}

uint64_t term_messages(const struct meeting *m, uint32_t term)
{
	return term == TERM_NOTHING ? 0 : m->term_count[term - 1];
}

/* The loop, then times and term by turns. */
static const uint64_t *repetition_words(const struct meeting *m, uint32_t item, size_t *runs)
{
	size_t size;
	const uint64_t *words = intern_data(m->repetitions, item >> 1, &size);
	*runs = size / sizeof *words / 2;
	return words;
}

const uint64_t *item_runs(const struct meeting *m, uint32_t item, size_t *runs)
{
	return repetition_words(m, item, runs) + 1;
}

uint64_t item_messages(const struct meeting *m, uint32_t item)
{
	return item_repeats(item) ? m->repetition_count[item >> 1] : 1;
}

uint32_t item_statement(const struct meeting *m, uint32_t item)
{
	size_t runs;
	return item_repeats(item) ? (uint32_t)repetition_words(m, item, &runs)[0] : item >> 1;
}

static uint32_t term_of(struct meeting *m, const struct term_entry *entry, size_t entries)
{
	uint32_t few[64], *items = entries <= sizeof few / sizeof *few ? few : mem_array(entries, sizeof *items);
	uint64_t count = 0;
	for (size_t i = 0; i < entries; i++) {
		items[i] = entry[i].item;
		count = saturating_add(count, item_messages(m, items[i]));
	}
	uint32_t id = intern_id(m->terms, items, entries * sizeof *items);
	*MEM_AT(m->term_count, m->term_capacity, id) = count;
	m->too_much |= count > COUNT_MOST;
	if (items != few)
		free(items);
	return id + 1;
}

static uint32_t repetition(struct meeting *m, uint32_t loop, const struct term_entry *run, size_t runs)
{
	uint64_t few[65], *words = runs <= 16 ? few : mem_array(4 * runs + 1, sizeof *words), count = 0, past = 0;
	size_t length = 0;
	words[length++] = loop;
	for (size_t i = 0; i < runs; past = run[i].from + run[i].count, i++) {
		if (run[i].from > past) {
			words[length++] = run[i].from - past;
			words[length++] = TERM_NOTHING;
		}
		words[length++] = run[i].count;
		words[length++] = run[i].item;
		count = saturating_add(count, saturating_multiply(run[i].count, term_messages(m, run[i].item)));
	}
	uint32_t id = intern_id(m->repetitions, words, length * sizeof *words);
	*MEM_AT(m->repetition_count, m->repetition_capacity, id) = count;
	m->too_much |= count > COUNT_MOST;
	if (words != few)
		free(words);
	return id << 1 | 1;
}

static int by_end(const void *a, const void *b)
{
	const struct term_entry *x = a, *y = b;
	return x->end != y->end ? COMPARE(x->end, y->end) : COMPARE(x->from, y->from);
}

static size_t same_end(const struct term_entry *item, size_t left)
{
	size_t n = 1;
	while (n < left && item[n].end == item->end)
		n++;
	return n;
}

static void sort(struct term_entry *item, size_t items)
{
	if (items > 1)
		qsort(item, items, sizeof *item, by_end);
}

static void close_body(struct meeting *m, size_t from)
{
	struct term_entry *item = m->items.item;
	size_t to = from;
	sort(item + from, m->items.length - from);
	for (size_t i = from, n; i < m->items.length; i += n) {
		n = same_end(item + i, m->items.length - i);
		item[to++] = (struct term_entry){.end = item[i].end, .item = term_of(m, item + i, n)};
	}
	m->items.length = to;
}

/* ------------------------------------------------------------------ channels */

/* What its end is: 2 * channel, + 1 of receives. */
static uint32_t end_of(struct meeting *m, node_id event, enum event_match match)
{
	uint32_t known = intern_count(m->ends.channels), id = ends_channel(&m->ends, &m->at, event);
	m->too_much |= m->ends.unfit;
	if (id == known) {
		const struct channel_key *key = ends_key(&m->ends, id);
		m->channel = mem_grow(m->channel, &m->channel_capacity, (size_t)id + 1, sizeof *m->channel);
		m->channel[id] =
			(struct met_channel){.how = key->from == key->to ? OF_ONE : 0, .statement = UINT32_MAX};
		if (match == MATCH_GROUP)
			m->channel[id].how =
				OF_SYNC | (collective_wait_of(m->store, event) == WAITS_FOR_NOBODY ? OF_FREE : 0);
	}
	return id << 1 | (match == MATCH_IN);
}

/* ------------------------------------------------------------------ statements */

static void add_item(struct term_entries *items, struct term_entry item)
{
	*MEM_PUSH(items->item, items->length, items->capacity) = item;
}

static void add_event(struct meeting *m, node_id event, uint32_t at)
{
	enum event_match match = kind_rows[node_of(m->store, event)->sub].match;
	if (match == MATCH_NONE || !event_happens(&m->at, event))
		return;
	uint32_t end = end_of(m, event, match);
	struct met_channel *c = &m->channel[end >> 1];
	c->statement = at < c->statement ? at : c->statement;
	add_item(&m->items, (struct term_entry){.end = end, .item = at << 1, .from = m->items.length});
}

/* Runs of one end with the same term that follow each other become one. */
static void join_runs(struct term_entries *runs)
{
	size_t to = 0;
	sort(runs->item, runs->length);
	for (size_t i = 0; i < runs->length; i++) {
		struct term_entry *last = to ? &runs->item[to - 1] : NULL, *next = &runs->item[i];
		if (last && last->end == next->end && last->item == next->item &&
			last->from + last->count == next->from)
			last->count += next->count;
		else
			runs->item[to++] = *next;
	}
	runs->length = to;
}

static void add_body(struct meeting *m, node_id body, uint32_t at);

/* One iteration of a loop, or the whole: a term for each end. */
static void add_iteration(struct meeting *m, node_id body, uint32_t loop, uint32_t at)
{
	size_t from = m->items.length;
	add_body(m, body, at);
	if (m->graphs && m->stand[loop].graph)
		graphs_add_iteration(m, loop, from);
	close_body(m, from);
}

/* Iterations that differ, one after the other; what is the same in many of them takes no room. */
static void add_iterations(struct meeting *m, node_id body, uint32_t at, int64_t trips)
{
	struct term_entries runs = {0};
	size_t from = m->items.length, enough = 1 << 12;
	int64_t *index = &m->at.index[m->at.depth - 1];
	for (*index = 0; !m->too_much && *index < trips; ++*index) {
		add_iteration(m, body, at, at + 1);
		for (size_t k = from; k < m->items.length; k++)
			add_item(&runs,
				(struct term_entry){m->items.item[k].end, m->items.item[k].item, (uint64_t)*index, 1});
		m->items.length = from;
		if (runs.length > enough) {
			join_runs(&runs);
			enough = 2 * runs.length > enough ? 2 * runs.length : enough;
		}
	}
	join_runs(&runs);
	for (size_t i = 0, n; i < runs.length; i += n) {
		n = same_end(runs.item + i, runs.length - i);
		uint32_t item = repetition(m, at, runs.item + i, n);
		add_item(
			&m->items, (struct term_entry){.end = runs.item[i].end, .item = item, .from = m->items.length});
	}
	free(runs.item);
}

static void add_open_loop(struct meeting *m, node_id body, uint32_t at, int64_t trips)
{
	size_t from = m->items.length;
	uint64_t bit = UINT64_C(1) << (m->at.depth - 1);
	m->at.open |= bit;
	m->at.trips[m->at.depth - 1] = trips;
	add_iteration(m, body, at, at + 1);
	m->at.open &= ~bit;
	for (size_t i = from; i < m->items.length; i++) {
		struct term_entry *item = &m->items.item[i], all = {item->end, item->item, 0, (uint64_t)trips};
		*item = (struct term_entry){.end = item->end, .item = repetition(m, at, &all, 1), .from = i};
	}
}

/* Iterations that some have and others have not are no longer alike for who looks at one of them.
   */
static void add_loop(struct meeting *m, node_id loop, uint32_t at)
{
	int64_t trips = loop_trips(&m->at, loop);
	node_id body = node_kid(m->store, loop, 2);
	if (trips <= 0)
		return;
	m->at.index[m->at.depth++] = 0;
	bool each = m->graphs && m->stand[at].divergent && m->stand[at].inspected;
	if (each || node_of(m->store, body)->uses[m->purpose] & USES_INDEX(0) || m->at.depth > 64)
		add_iterations(m, body, at, trips);
	else
		add_open_loop(m, body, at, trips);
	m->at.depth--;
}

static void add_statement(struct meeting *m, node_id statement, uint32_t at)
{
	const struct node *n = node_of(m->store, statement);
	if (!m->left || m->at.failure) {
		m->too_much = true;
		return;
	}
	m->left--;
	if (n->kind == NODE_EVENT)
		add_event(m, statement, at);
	else if (n->kind == NODE_LOOP)
		add_loop(m, statement, at);
	else if (test_holds(&m->at, n->kid[1]))
		add_body(m, n->kid[2], at + 1);
}

/* Recursion as deep as statements nest. */
static void add_body(struct meeting *m, node_id body, uint32_t at)
{
	size_t length;
	const struct projected *p = run_projection(m->run, body, m->class, &length);
	for (size_t i = 0; i < length && !m->too_much; i++)
		add_statement(m, p[i].statement, at + p[i].place);
}

void terms_of_process(struct meeting *m, uint32_t rank)
{
	environment_set(&m->at, rank);
	m->class = run_class(m->run, rank);
	m->items.length = 0;
	add_iteration(m, run_module(m->run)->body, m->statements, 0);
}
