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

struct orders {
	size_t *event; /* statements that are events, in the order of the text */
	size_t events, words;
	uint64_t **before; /* by event, a bit by event: it is executed before */
	uint64_t *executes; /* a bit by event, of the process at hand */
};

static bool bit_of(const uint64_t *bits, size_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

/* What a process executes, and in which sets it is. False: one before is in the same ones. */
static bool role_of(struct orders *o, const struct guide *t, struct intern *roles, uint8_t *in, uint32_t process)
{
	for (size_t k = 0; k < t->sets; k++) {
		struct ranks set = dictionary_get_ranks(t->program->dictionary, t->set[k].id);
		in[k] = ranks_has(&set, process);
	}
	uint32_t known = intern_count(roles);
	if (intern_id(roles, in, t->sets) < known)
		return false;
	memset(o->executes, 0, o->words * sizeof *o->executes);
	for (size_t i = 0; i < o->events; i++)
		if (in[t->set_of[o->event[i]]])
			o->executes[i / 64] |= UINT64_C(1) << i % 64;
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

static void tell_orders(struct guide *const *t, size_t runs, struct orders *o, struct text *warnings)
{
	const struct program *p = t[runs]->program;
	size_t first, second;
	bool told = false;
	o->words = (o->events + 63) / 64;
	o->executes = mem_zero((o->words + 1) * sizeof *o->executes);
	o->before = mem_array(o->events + 1, sizeof *o->before);
	for (size_t i = 0; i < o->events; i++)
		o->before[i] = mem_zero(o->words * sizeof **o->before);
	for (size_t r = 0; r <= runs && !told; r++) {
		struct intern *roles = intern_new();
		uint8_t *in = mem_zero(t[r]->sets + 1);
		for (uint32_t process = 0; process < t[r]->program->processes && !told; process++) {
			if (!role_of(o, t[r], roles, in, process))
				continue;
			if (r < runs) {
				note_orders(o);
			} else if (is_new_order(o, &first, &second)) {
				struct addresses addresses = addresses_of(p);
				text_format(warnings,
					"process %" PRIu32
					" executes statement %s before statement %s: no run shows their order\n",
					process, addresses_get(&addresses, o->event[first]),
					addresses_get(&addresses, o->event[second]));
				addresses_clear(&addresses);
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

static bool anybody(const struct guide *t, size_t statement)
{
	struct ranks set = dictionary_get_ranks(t->program->dictionary, t->set[t->set_of[statement]].id);
	return set.length;
}

static void tell_single_runs(struct guide *const *t, size_t runs, const struct orders *o, struct text *warnings)
{
	for (size_t i = 0; i < o->events; i++) {
		size_t seen = 0;
		for (size_t r = 0; r < runs; r++)
			seen += anybody(t[r], o->event[i]);
		if (seen > 1 || !anybody(t[runs], o->event[i]))
			continue;
		struct addresses addresses = addresses_of(t[runs]->program);
		text_format(warnings, "only one run executes statement %s: its numbers may be other ones here\n",
			addresses_get(&addresses, o->event[i]));
		addresses_clear(&addresses);
		return;
	}
}

/* Entries of its table that a statement looks up by an index, or a remainder of one; 0: it does not. */
static uint64_t entries_by_index(const struct program *p, size_t statement, const struct value *v)
{
	const struct argument *a = &v->lookup.argument[0];
	size_t loop[INDEX_DEPTH];
	struct affine alone = {0};
	if (!v->lookup.table || table_arguments(v->lookup.table) != 1 || program_depth(p) > INDEX_DEPTH)
		return 0;
	uint32_t depth = program_loops_around(p, statement, loop);
	for (uint32_t d = 0; d < depth; d++) {
		alone.index[d] = 1;
		if (!memcmp(&alone, &a->inside, sizeof alone))
			return a->modulus ? (uint64_t)a->modulus : p->statement[loop[d]].count;
		alone.index[d] = 0;
	}
	return 0;
}

/* The last entries of a table that one run alone looks up may be of its number of processes. */
static void tell_entries(struct guide *const *t, size_t runs, const struct orders *o, struct text *warnings)
{
	for (size_t i = 0; i < o->events; i++) {
		uint64_t most = 0, second = 0;
		for (size_t r = 0; r <= runs; r++) {
			const struct program *p = t[r]->program;
			struct form form = statement_form(p, &p->statement[o->event[i]]);
			const struct value *v = form.peer.kind == PLACE_GRID ? &form.value : &form.peer.value;
			uint64_t entries = entries_by_index(p, o->event[i], v->lookup.table ? v : &form.value);
			if (r == runs && entries > second) {
				struct addresses addresses = addresses_of(p);
				text_format(warnings,
					"statement %s looks up what one run alone does: that may be other numbers here\n",
					addresses_get(&addresses, o->event[i]));
				addresses_clear(&addresses);
				return;
			}
			second = entries > most ? most : entries > second ? entries : second;
			most = entries > most ? entries : most;
		}
	}
}

void tell_what_is_not_shown(struct guide *const *t, size_t runs, struct text *warnings)
{
	const struct program *p = t[runs]->program;
	struct orders o = {.event = mem_array(p->length + 1, sizeof *o.event)};
	for (size_t i = 0; i < p->length; i++)
		if (!statement_is_loop(&p->statement[i]))
			o.event[o.events++] = i;
	tell_single_runs(t, runs, &o, warnings);
	tell_entries(t, runs, &o, warnings);
	if (o.events <= SHOWN_STATEMENTS)
		tell_orders(t, runs, &o, warnings);
	free(o.event);
}
