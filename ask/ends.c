/*
 * ends.c -- channels, interned.
 */
#include "ask/ends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/union_find.h"

struct ends ends_new(struct run *run)
{
	return (struct ends){.store = run_module(run)->store,
		.channels = intern_new_keys(sizeof(struct channel_key)),
		.members = member_sets_new(run),
		.functions = intern_new()};
}

void ends_clear(struct ends *e)
{
	intern_free(e->channels);
	member_sets_free(e->members);
	intern_free(e->functions);
	*e = (struct ends){0};
}

/* ------------------------------------------------------------------ numbers */

/* A function as bytes: its node, and how often the loops are gone through that it depends on. */
static int64_t function_of(struct ends *e, const struct environment *at, node_id partial)
{
	uint64_t uses = node_of(e->store, partial)->uses[FOR_ALL];
	int64_t words[65] = {partial};
	size_t length = 1;
	for (size_t d = at->depth < 64 ? 0 : at->depth - 64; d < 64 && d < at->depth; d++)
		if (at->open >> d & 1)
			words[length++] = uses & USES_INDEX(at->depth - 1 - d) ? at->trips[d] : 0;
	e->any_function = true;
	return intern_id(e->functions, words, length * sizeof *words);
}

static enum end_number number_of(struct ends *e, struct environment *at, node_id id, int64_t *number)
{
	if (!id)
		return END_NO_NUMBER;
	if (!environment_varies(at, node_of(e->store, id)->uses[FOR_ALL])) {
		*number = number_at(at, id);
		return END_NUMBER;
	}
	node_id partial = number_partial(at, id);
	e->unfit |= !partial;
	if (!partial || number_is_constant(e->store, partial, number))
		return END_NUMBER;
	*number = function_of(e, at, partial);
	return END_FUNCTION;
}

/* ------------------------------------------------------------------ channels */

static uint32_t group_of(struct ends *e, struct environment *at, node_id event)
{
	const struct node *n = node_of(e->store, event), *g = node_of(e->store, n->kid[COLUMN_GROUP]);
	if (g->kind == NODE_BY_COMMUNICATOR)
		g = node_of(e->store, n->kid[COLUMN_COMMUNICATOR]);
	e->unfit |= environment_varies(at, g->uses[FOR_ALL]);
	return member_set_of(e->members, at, event);
}

struct ranks ends_group(const struct ends *e, uint32_t channel)
{
	return *member_set_ranks(e->members, ends_key(e, channel)->to);
}

uint32_t ends_channel(struct ends *e, struct environment *at, node_id event)
{
	const struct node *n = node_of(e->store, event);
	enum event_match match = kind_rows[n->sub].match;
	struct channel_key key = {.from = ENDS_NONE, .word = n->word};
	key.tag_is = (uint16_t)number_of(e, at, n->kid[COLUMN_TAG], &key.tag);
	key.communicator_is = (uint16_t)number_of(e, at, n->kid[COLUMN_COMMUNICATOR], &key.communicator);
	if (match == MATCH_GROUP) {
		key.to = group_of(e, at, event);
	} else {
		uint32_t peer = (uint32_t)number_at(at, n->kid[COLUMN_PEER]), own = (uint32_t)at->p;
		key.from = match == MATCH_OUT ? own : peer;
		key.to = match == MATCH_OUT ? peer : own;
	}
	return intern_id(e->channels, &key, sizeof key);
}

void ends_print(const struct ends *e, uint32_t channel, struct text *out)
{
	const struct channel_key *key = ends_key(e, channel);
	const char *word = store_get_word(e->store, key->word);
	if (key->from == ENDS_NONE)
		text_format(out, "%s on %s", word, member_set_text(e->members, key->to));
	else
		text_format(out, "%" PRIu32 " -> %" PRIu32 " %s", key->from, key->to, word);
	if (key->tag_is != END_NO_NUMBER)
		text_format(out, "%" PRId64, key->tag);
	if (key->communicator_is != END_NO_NUMBER)
		text_format(out, "@%" PRId64, key->communicator);
}

/* ------------------------------------------------------------------ together */

struct together together_new(uint32_t count)
{
	struct together t = {.count = count,
		.parent = mem_array(count, sizeof *t.parent),
		.known = intern_new_keys(2 * sizeof(uint64_t))};
	union_find_start(t.parent, count);
	return t;
}

bool together_come(struct together *t, uint32_t who, uint64_t what, uint64_t id, uint32_t side, uint32_t other)
{
	uint64_t key[] = {what, id};
	uint32_t known = intern_id(t->known, key, sizeof key);
	if (known == t->firsts)
		*MEM_PUSH(t->first, t->firsts, t->first_capacity) = (struct together_first){{ENDS_NONE, ENDS_NONE}};
	uint32_t *first = t->first[known].side, met = first[other];
	first[side] = first[side] == ENDS_NONE ? who : first[side];
	return met != ENDS_NONE && union_find_join(t->parent, met, who);
}

uint32_t together_number(struct together *t, const bool *among, uint32_t *number)
{
	uint32_t groups = 0;
	for (uint32_t k = 0; k < t->count; k++) {
		uint32_t root = union_find_root(t->parent, k);
		number[k] = among && !among[k] ? UINT32_MAX : root == k ? groups++ : number[root];
	}
	intern_free(t->known);
	free(t->parent);
	free(t->first);
	return groups;
}

/* ------------------------------------------------------------------ collectives */

static const struct collective_row {
	const char *name;
	enum collective_wait wait;
} collective_rows[] = {
	{"MPI_Barrier", WAITS_FOR_ALL},
	{"MPI_Allreduce", WAITS_FOR_ALL},
	{"MPI_Allgather", WAITS_FOR_ALL},
	{"MPI_Alltoall", WAITS_FOR_ALL},
	{"MPI_Reduce_scatter_block", WAITS_FOR_ALL},
	{"MPI_Bcast", WAITS_FOR_ROOT},
	{"MPI_Scatter", WAITS_FOR_ROOT},
	{"MPI_Reduce", ROOT_WAITS_FOR_ALL},
	{"MPI_Gather", ROOT_WAITS_FOR_ALL},
};

enum collective_wait collective_wait_of(const struct store *s, node_id event)
{
	const struct node *n = node_of(s, event);
	const char *name = store_get_word(s, n->word);
	for (size_t i = 0; i < sizeof collective_rows / sizeof *collective_rows; i++)
		if (!strcmp(name, collective_rows[i].name)) {
			enum collective_wait wait = collective_rows[i].wait;
			return wait == WAITS_FOR_ALL || n->kid[COLUMN_ROOT] ? wait : WAITS_FOR_NOBODY;
		}
	return WAITS_FOR_NOBODY;
}
