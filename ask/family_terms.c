/*
 * family_terms.c -- projections of the text on the ends of channels, hash-consed.
 */
#include "ask/family_work.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/saturate.h"

/* Counts beyond are not reckoned with. */
#define COUNT_MOST (UINT64_C(1) << 60)

/* ------------------------------------------------------------------ terms */

const uint32_t *family_items(const struct family_work *w, uint32_t term, size_t *length)
{
	size_t size = 0;
	const uint32_t *items = term == FAMILY_NOTHING ? NULL : intern_data(w->terms, term - 1, &size);
	*length = size / sizeof *items;
	return items;
}

uint64_t family_messages(const struct family_work *w, uint32_t term)
{
	return term == FAMILY_NOTHING ? 0 : w->term_count[term - 1];
}

/* The loop, then times and term by turns. */
const uint64_t *family_runs(const struct family_work *w, uint32_t item, size_t *runs)
{
	size_t size;
	const uint64_t *words = intern_data(w->repetitions, item >> 1, &size);
	*runs = size / sizeof *words / 2;
	return words;
}

uint64_t family_item_messages(const struct family_work *w, uint32_t item)
{
	return family_is_repetition(item) ? w->repetition_count[item >> 1] : 1;
}

size_t family_item_statement(const struct family_work *w, uint32_t item)
{
	size_t runs;
	return family_is_repetition(item) ? (size_t)family_runs(w, item, &runs)[0] : item >> 1;
}

static uint64_t counted(struct family_work *w, uint64_t count)
{
	w->huge = w->huge || count > COUNT_MOST;
	return count;
}

static uint32_t term_of(struct family_work *w, const struct end_item *entry, size_t entries)
{
	uint32_t few[64], *items = entries <= sizeof few / sizeof *few ? few : mem_array(entries, sizeof *items);
	uint64_t count = 0;
	for (size_t i = 0; i < entries; i++) {
		items[i] = entry[i].item;
		count = saturating_add(count, family_item_messages(w, items[i]));
	}
	uint32_t known = intern_count(w->terms), id = intern_id(w->terms, items, entries * sizeof *items);
	if (id == known) {
		w->term_count = mem_grow(w->term_count, &w->term_capacity, (size_t)id + 1, sizeof *w->term_count);
		w->term_count[id] = counted(w, count);
	}
	if (items != few)
		free(items);
	return id + 1;
}

static uint32_t repetition(struct family_work *w, size_t loop, const struct end_item *run, size_t runs)
{
	uint64_t few[65], *words = runs <= 16 ? few : mem_array(4 * runs + 1, sizeof *words), count = 0, past = 0;
	size_t length = 0;
	words[length++] = loop;
	for (size_t i = 0; i < runs; past = run[i].at + run[i].count, i++) {
		if (run[i].at > past) {
			words[length++] = run[i].at - past;
			words[length++] = FAMILY_NOTHING;
		}
		words[length++] = run[i].count;
		words[length++] = run[i].item;
		count = saturating_add(count, saturating_multiply(run[i].count, family_messages(w, run[i].item)));
	}
	uint32_t known = intern_count(w->repetitions), id = intern_id(w->repetitions, words, length * sizeof *words);
	if (id == known) {
		w->repetition_count = mem_grow(
			w->repetition_count, &w->repetition_capacity, (size_t)id + 1, sizeof *w->repetition_count);
		w->repetition_count[id] = counted(w, count);
	}
	if (words != few)
		free(words);
	return id << 1 | 1;
}
/* ------------------------------------------------------------------ projection */

static void add_end_item(struct end_items *p, struct end_item entry)
{
	*MEM_PUSH(p->entry, p->length, p->capacity) = entry;
}

static int by_end(const void *a, const void *b)
{
	const struct end_item *x = a, *y = b;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static size_t same_end(const struct end_item *entry, size_t left)
{
	size_t n = 1;
	while (n < left && entry[n].end == entry->end)
		n++;
	return n;
}

static void sort(struct end_item *entry, size_t entries)
{
	if (entries > 1)
		qsort(entry, entries, sizeof *entry, by_end);
}

/* The items from here on are a body: they become a term for each end. */
void family_close_body(struct family_work *w, size_t from)
{
	struct end_item *entry = w->items.entry;
	size_t to = from;
	sort(entry + from, w->items.length - from);
	for (size_t i = from, n; i < w->items.length; i += n) {
		n = same_end(entry + i, w->items.length - i);
		entry[to++] = (struct end_item){.end = entry[i].end, .item = term_of(w, entry + i, n)};
	}
	w->items.length = to;
}

static uint32_t channel_of(struct family_work *w, const struct plain_event *e)
{
	uint64_t sync = hash_pair(hash_pair(hash_pair(e->word, e->group), (uint64_t)e->communicator), 1),
		 key = e->kind == EVENT_SYNC ? sync : plain_event_channel(e);
	uint32_t known = intern_count(w->channels), id = intern_id(w->channels, &key, sizeof key);
	if (id == known) {
		w->channel = mem_grow(w->channel, &w->channel_capacity, (size_t)id + 1, sizeof *w->channel);
		struct plain_event form = *e;
		form.process = form.peer = 0;
		w->channel[id] = (struct channel_ends){
			.process = e->process, .peer = e->peer, .form = intern_id(w->forms, &form, sizeof form)};
	}
	return id;
}

static void project_event(struct family_work *w, size_t at)
{
	struct plain_statement once, *s = w->event ? w->event[at] : &once;
	struct plain_event e;
	if (!s)
		s = w->event[at] = mem_zero(sizeof *s);
	if (s == &once || s->program != w->program)
		plain_statement_of(w->program, at, s);
	projection_event(w->projection, s, &w->spot, &e);
	if (e.kind == EVENT_LOCAL)
		return;
	uint32_t end = channel_of(w, &e) << 1 | (e.kind == EVENT_RECV);
	add_end_item(&w->items, (struct end_item){.end = end, .item = (uint32_t)at << 1, .at = w->items.length});
}

void family_set_index(struct family_work *w, uint32_t depth, uint64_t index)
{
	if (depth < INDEX_DEPTH)
		w->index[depth] = (int64_t)index;
}

/* Runs of one end with the same term that follow each other become one. */
static void join_runs(struct end_items *runs)
{
	size_t to = 0;
	sort(runs->entry, runs->length);
	for (size_t i = 0; i < runs->length; i++) {
		struct end_item *last = to ? &runs->entry[to - 1] : NULL, *next = &runs->entry[i];
		if (last && last->end == next->end && last->item == next->item && last->at + last->count == next->at)
			last->count += next->count;
		else
			runs->entry[to++] = *next;
	}
	runs->length = to;
}

/* Iterations that differ, one after the other; what is the same in many of them takes no room. */
static bool project_iterations(struct family_work *w, const struct projection_entry *loop, uint64_t count)
{
	struct end_items runs = {0};
	size_t from = w->items.length, enough = 1 << 12;
	bool good = true;
	for (uint64_t i = 0; good && i < count; i++) {
		family_set_index(w, w->depth[loop->statement], i);
		good = family_project(w, loop + 1, loop + loop->size);
		family_close_body(w, from);
		for (size_t k = from; k < w->items.length; k++)
			add_end_item(&runs, (struct end_item){w->items.entry[k].end, w->items.entry[k].item, i, 1});
		w->items.length = from;
		if (runs.length > enough) {
			join_runs(&runs);
			enough = 2 * runs.length > enough ? 2 * runs.length : enough;
		}
	}
	join_runs(&runs);
	for (size_t i = 0, n; i < runs.length; i += n) {
		n = same_end(runs.entry + i, runs.length - i);
		uint32_t item = repetition(w, loop->statement, runs.entry + i, n);
		add_end_item(
			&w->items, (struct end_item){.end = runs.entry[i].end, .item = item, .at = w->items.length});
	}
	family_set_index(w, w->depth[loop->statement], 0);
	free(runs.entry);
	return good;
}

static bool project_loop(struct family_work *w, const struct projection_entry *loop)
{
	size_t at = loop->statement, from = w->items.length;
	uint64_t count = program_count_of(w->program, at, &w->spot);
	if (!count)
		return true;
	if (statement_guard(&w->program->statement[at]) != GUARD_NONE)
		return family_project(w, loop + 1, loop + loop->size);
	if (w->varies[at])
		return project_iterations(w, loop, count);
	bool good = family_project(w, loop + 1, loop + loop->size);
	family_close_body(w, from);
	for (size_t i = from; i < w->items.length; i++) {
		struct end_item *entry = &w->items.entry[i], all = {entry->end, entry->item, 0, count};
		*entry = (struct end_item){.end = entry->end, .item = repetition(w, at, &all, 1), .at = i};
	}
	return good;
}

/* False: the budget is used up. Recursion as deep as loops nest. */
bool family_project(struct family_work *w, const struct projection_entry *from, const struct projection_entry *past)
{
	for (const struct projection_entry *e = from; e < past; e += e->size) {
		if (!w->budget)
			return false;
		w->budget--;
		if (!statement_is_loop(&w->program->statement[e->statement]))
			project_event(w, e->statement);
		else if (!project_loop(w, e))
			return false;
	}
	return true;
}
