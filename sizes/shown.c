/*
 * shown.c -- an order of statements is known where a process executes both; what follows of orders
 * that are known is known, too.
 */
#include "sizes/shown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/module_address.h"

struct orders {
	const struct guide *guide;
	const struct learned_runs *runs;
	const struct ranks *const *who; /* by run, and then of the instance */
	struct environment *there;
	struct text *warnings;
	size_t *event; /* lines that are events, in the order of the text */
	size_t events, words;
	uint64_t **before; /* by event, a bit by event: it is executed before */
	uint64_t *executes; /* a bit by event, of the process at hand */
};

static bool bit_of(const uint64_t *bits, size_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static const struct ranks *who_executes(const struct orders *o, size_t run, size_t event)
{
	size_t set = o->guide->line[o->event[event]].set;
	return set == SIZE_MAX ? NULL : &o->who[run][set];
}

static void tell(const struct orders *o, const char *before, size_t event, const char *behind)
{
	text_put(o->warnings, before);
	module_address(o->guide->module, o->event[event], o->warnings);
	text_put(o->warnings, behind);
}

/* What a process executes, and in which sets it is. False: one before is in the same ones. */
static bool role_of(struct orders *o, size_t run, struct intern *roles, uint8_t *in, uint32_t process)
{
	for (size_t k = 0; k < o->guide->sets; k++)
		in[k] = ranks_has(&o->who[run][k], process);
	uint32_t known = intern_count(roles);
	if (intern_id(roles, in, o->guide->sets) < known)
		return false;
	memset(o->executes, 0, o->words * sizeof *o->executes);
	for (size_t i = 0; i < o->events; i++) {
		const struct ranks *who = who_executes(o, run, i);
		if (!who || ranks_has(who, process))
			o->executes[i / 64] |= UINT64_C(1) << i % 64;
	}
	return true;
}

static void note_orders(struct orders *o)
{
	for (size_t i = 0; i < o->events; i++)
		for (size_t w = i / 64; bit_of(o->executes, i) && w < o->words; w++)
			o->before[i][w] |= o->executes[w] & ~(w == i / 64 ? (UINT64_C(2) << i % 64) - 1 : 0);
}

static void close_orders(struct orders *o)
{
	for (size_t i = o->events; i-- > 0;)
		for (size_t k = i + 1; k < o->events; k++)
			for (size_t w = 0; bit_of(o->before[i], k) && w < o->words; w++)
				o->before[i][w] |= o->before[k][w];
}

/* Two that follow each other in the instance, and in no run. */
static bool is_new_order(const struct orders *o, size_t *first, size_t *second)
{
	size_t last = SIZE_MAX;
	for (size_t i = 0; i < o->events; i++) {
		if (!bit_of(o->executes, i))
			continue;
		if (last != SIZE_MAX && !bit_of(o->before[last], i)) {
			*first = last;
			*second = i;
			return true;
		}
		last = i;
	}
	return false;
}

static void tell_orders(struct orders *o)
{
	size_t runs = o->runs->length, first, second;
	bool told = false;
	o->words = (o->events + 63) / 64;
	o->executes = mem_zero((o->words + 1) * sizeof *o->executes);
	o->before = mem_array(o->events + 1, sizeof *o->before);
	for (size_t i = 0; i < o->events; i++)
		o->before[i] = mem_zero(o->words * sizeof **o->before);
	for (size_t r = 0; r <= runs && !told; r++) {
		struct intern *roles = intern_new();
		uint8_t *in = mem_zero(o->guide->sets + 1);
		uint32_t processes = r < runs ? o->runs->run[r].processes : o->there->processes;
		for (uint32_t process = 0; process < processes && !told; process++) {
			if (!role_of(o, r, roles, in, process))
				continue;
			if (r < runs) {
				note_orders(o);
			} else if (is_new_order(o, &first, &second)) {
				text_format(o->warnings, "process %" PRIu32 " executes statement ", process);
				tell(o, "", first, " before statement ");
				tell(o, "", second, ": no run shows their order\n");
				told = true;
			}
		}
		free(in);
		intern_free(roles);
		if (r + 1 == runs)
			close_orders(o);
	}
	for (size_t i = 0; i < o->events; i++)
		free(o->before[i]);
	free(o->before);
	free(o->executes);
}

static bool anybody(const struct orders *o, size_t run, size_t event)
{
	const struct ranks *who = who_executes(o, run, event);
	return !who || who->length;
}

static void tell_single_runs(const struct orders *o)
{
	for (size_t i = 0; i < o->events; i++) {
		size_t seen = 0;
		for (size_t r = 0; r < o->runs->length; r++)
			seen += anybody(o, r, i);
		if (seen > 1 || !anybody(o, o->runs->length, i))
			continue;
		tell(o, "only one run executes statement ", i, ": its numbers may be other ones here\n");
		return;
	}
}

/* What a number looks up by an index alone, or a remainder of one: the index, and by what. */
static node_id index_of_entry(const struct store *s, node_id number, node_id *by)
{
	const struct node *n = node_of(s, number);
	if (n->kind == NODE_ENTRY && n->kids == 2) {
		const struct node *f = node_of(s, number_single(s, n->kid[1]));
		*by = f->kind == NODE_REMAINDER ? f->kid[1] : NODE_NONE;
		node_id index = *by ? number_single(s, f->kid[0]) : number_single(s, n->kid[1]);
		const struct node *v = node_of(s, index);
		return index && v->kind == NODE_VARIABLE && v->number >= VARIABLE_INDEX ? index : NODE_NONE;
	}
	for (uint32_t k = 0; k < n->kids && n->looks && n->kind != NODE_GRID; k++) {
		node_id index = index_of_entry(s, n->kid[k], by);
		if (index)
			return index;
	}
	return NODE_NONE;
}

/* Iterations of the loop so many further out. */
static node_id count_around(const struct guide *t, size_t line, int64_t outwards)
{
	int64_t depth = (int64_t)t->line[line].depth - 1 - outwards;
	while (line > 0 && depth >= 0) {
		const struct guide_line *at = &t->line[--line];
		if (at->depth == depth && node_of(t->module->store, at->statement)->kind == NODE_LOOP)
			return t->slot[at->first_slot].number;
	}
	return NODE_NONE;
}

/* Entries of its table that a statement looks up by an index; 0: it does not. */
static int64_t entries_by_index(const struct orders *o, size_t event, struct environment *at)
{
	const struct guide *t = o->guide;
	size_t line = o->event[event];
	for (size_t i = t->line[line].first_slot; i < t->line[line + 1].first_slot; i++) {
		node_id by = NODE_NONE, index = NODE_NONE;
		if (t->slot[i].kind <= SLOT_TAG)
			index = index_of_entry(at->store, t->slot[i].number, &by);
		if (index && !by)
			by = count_around(t, line, node_of(at->store, index)->number - VARIABLE_INDEX);
		if (index)
			return by && number_is_common(at->store, by) ? number_at(at, by) : 0;
	}
	return 0;
}

/* The last entries of a table that one run alone looks up may be of its number of processes. */
static void tell_entries(const struct orders *o)
{
	for (size_t i = 0; i < o->events; i++) {
		int64_t most = 0, second = 0;
		for (size_t r = 0; r < o->runs->length; r++) {
			struct environment at = extents_environment(&o->runs->run[r], o->runs->store);
			int64_t entries = entries_by_index(o, i, &at);
			second = entries > most ? most : entries > second ? entries : second;
			most = entries > most ? entries : most;
		}
		if (entries_by_index(o, i, o->there) > second) {
			tell(o, "statement ", i, " looks up what one run alone does: that may be other numbers here\n");
			return;
		}
	}
}

void tell_what_is_not_shown(const struct guide *t, const struct learned_runs *runs, const struct ranks *const *who,
	struct environment *there, struct text *warnings)
{
	struct orders o = {t, runs, who, there, warnings, .event = mem_array(t->module->lines + 1, sizeof *o.event)};
	for (size_t i = 0; i < t->module->lines; i++)
		if (node_of(t->module->store, t->line[i].statement)->kind == NODE_EVENT)
			o.event[o.events++] = i;
	tell_single_runs(&o);
	tell_entries(&o);
	if (o.events <= SHOWN_STATEMENTS)
		tell_orders(&o);
	free(o.event);
}
