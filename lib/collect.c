/*
 * collect.c -- processes as bytes, from where they were recognized to where they are put together.
 *
 * The communicators of a process that is being recorded have numbers of its own, and keys that they
 * share with the other members. They get the numbers that the archive of the run has: of those that
 * records name, in the order in which they were made (record/finish.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/common_order.h"
#include "base/mem.h"
#include "lib/reading.h"
#include "model/process_pack.h"

#define FIRST_KEY 2 /* the world, and the process by itself, have none */

static void pack_process(const struct reading *r, uint32_t rank, struct text *to)
{
	const struct process *p = &r->process[rank];
	uint32_t processes = (uint32_t)r->processes;
	pack_number(to, p->keys);
	for (size_t i = 0; i < p->keys; i++)
		pack_number(to, p->key[i]);
	pack_number(to, p->window_hit);
	pack_number(to, p->affine != NULL);
	bool *happens = mem_zero(dictionary_events(p->dictionary) + 1);
	if (p->affine)
		affine_events_happens(p->affine, happens);
	else
		nest_mark(p->nest, happens);
	dictionary_pack(p->dictionary, happens, rank, processes, to);
	free(happens);
	if (p->affine)
		affine_events_pack(p->affine, to);
	else
		nest_pack(p->nest, to);
	if (r->values)
		value_columns_pack(r->values, rank, to);
}

/* What the communicators of a process are here, by its own numbers; NULL: the same. To be freed. */
static int64_t *unpack_keys(struct reading *r, struct unpack *from)
{
	size_t keys = unpack_count(from);
	if (!keys)
		return NULL;
	int64_t *number = mem_array(FIRST_KEY + keys + 1, sizeof *number);
	for (int64_t i = 0; i < FIRST_KEY; i++)
		number[i] = i;
	for (size_t i = 0; i < keys; i++) {
		uint64_t key = unpack_number(from);
		number[FIRST_KEY + i] = key ? FIRST_KEY + intern_id(r->keys, &key, sizeof key) : 0;
	}
	number[FIRST_KEY + keys] = NO_COMMUNICATOR;
	return number;
}

struct head {
	int64_t *communicator; /* to be freed, as unpack_keys has it */
	bool window_hit, advances;
	struct dictionary *dictionary;
};

/* What comes first. */
static struct head unpack_head(struct reading *r, uint32_t rank, struct unpack *from)
{
	struct head h = {.communicator = unpack_keys(r, from)};
	h.window_hit = unpack_below(from, 2);
	h.advances = unpack_below(from, 2);
	h.dictionary = dictionary_unpack(from, rank, (uint32_t)r->processes, h.communicator);
	return h;
}

static bool unpack_process(struct reading *r, uint32_t rank, const void *bytes, size_t size)
{
	struct process *p = &r->process[rank];
	struct unpack from = unpack_start(bytes, size);
	struct head h = unpack_head(r, rank, &from);
	p->received = true;
	p->window_hit = h.window_hit;
	p->dictionary = h.dictionary;
	if (h.advances)
		p->affine = affine_events_unpack(&from, rank, r->options.window, r->options.repetitions, p->dictionary);
	else
		p->nest = nest_unpack(&from, dictionary_events(p->dictionary));
	if (r->values)
		value_columns_unpack(r->values, rank, h.communicator, &from);
	free(h.communicator);
	return unpack_ended(&from);
}

/* One that is like another, which has been unpacked. What advances has its own. */
static bool unpack_like(struct reading *r, uint32_t rank, uint32_t other, const void *bytes, size_t size)
{
	struct process *p = &r->process[rank];
	const struct process *like = &r->process[other];
	if (!like->nest)
		return unpack_process(r, rank, bytes, size);
	p->like = other + 1;
	p->bytes = unpack_start(bytes, size);
	p->received = true;
	p->window_hit = like->window_hit;
	if (r->values)
		value_columns_like(r->values, rank, other);
	return true;
}

const struct dictionary *reading_dictionary(struct reading *r, uint32_t rank)
{
	const struct process *p = &r->process[rank];
	struct unpack from = p->bytes;
	if (p->like) {
		struct head h = unpack_head(r, rank, &from);
		free(h.communicator);
		return h.dictionary;
	}
	return p->nest || p->affine ? p->dictionary : NULL;
}

void reading_dictionary_free(struct reading *r, uint32_t rank, const struct dictionary *d)
{
	if (r->process[rank].like)
		dictionary_free((struct dictionary *)d);
}

/* An error alone; or how the reading went, and what was read. */
void collecting_pack(void *context, struct text *to)
{
	struct collecting *c = context;
	pack_number(to, c->error->kind);
	if (c->error->kind != ERROR_NONE) {
		pack_bytes(to, c->error->message, strlen(c->error->message));
		return;
	}
	trace_pack_reading(c->reading->trace, to);
	behaviours_pack(c->behaviours, to);
}

void collecting_add(void *context, const struct text *bytes)
{
	struct collecting *c = context;
	if (c->error->kind != ERROR_NONE)
		return;
	struct unpack from = unpack_start(bytes->data, bytes->length);
	enum error_kind kind = (enum error_kind)unpack_below(&from, ERROR_INCONSISTENT + 1);
	if (kind != ERROR_NONE) {
		size_t length;
		const char *message = unpack_bytes(&from, &length);
		error_set(c->error, kind, "%.*s", (int)length, message ? message : "");
		return;
	}
	trace_add_reading(c->reading->trace, &from);
	behaviours_unpack(c->behaviours, &from);
	if (!unpack_ended(&from))
		error_set(c->error, ERROR_INTERNAL, "what another process has read arrives damaged");
}

/* The keys of all processes, one process behind the other, as numbers of these. */
struct key_lists {
	struct intern *keys;
	uint32_t *key;
	size_t listed, capacity;
	size_t *from, *length; /* by rank */
};

static void list_keys(struct key_lists *l, size_t rank, const void *bytes, size_t size)
{
	struct unpack from = unpack_start(bytes, size);
	l->from[rank] = l->listed;
	for (size_t keys = unpack_count(&from); keys > 0; keys--) {
		uint64_t key = unpack_number(&from);
		if (key)
			*MEM_PUSH(l->key, l->listed, l->capacity) = intern_id(l->keys, &key, sizeof key);
	}
	l->length[rank] = l->listed - l->from[rank];
}

/* Shares come in any order. */
static void number_keys(struct collecting *c)
{
	struct reading *r = c->reading;
	struct key_lists l = {.keys = intern_new(),
		.from = mem_zero(r->processes * sizeof *l.from),
		.length = mem_zero(r->processes * sizeof *l.length)};
	for (uint32_t i = 0; i < behaviours_count(c->behaviours); i++) {
		const struct ranks *who;
		size_t size;
		const void *bytes = behaviours_get(c->behaviours, i, &who, &size);
		struct ranks_walk walk = {0};
		for (uint32_t rank; ranks_next(who, &walk, &rank);)
			if (rank < r->processes)
				list_keys(&l, rank, bytes, size);
	}
	uint32_t keys = intern_count(l.keys), *order = mem_array(keys, sizeof *order);
	size_t ordered = common_order(r->processes, l.from, l.length, l.key, keys, order);
	if (keys && !r->keys)
		r->keys = intern_new();
	for (size_t i = 0; i < ordered; i++)
		intern_id(r->keys, intern_data(l.keys, order[i], NULL), sizeof(uint64_t));
	intern_free(l.keys);
	free(order);
	free(l.key);
	free(l.from);
	free(l.length);
}

/* The first of them, and those that are like it. */
static bool unpack_share(struct reading *r, const struct ranks *who, const void *bytes, size_t size)
{
	struct ranks_walk walk = {0};
	uint32_t first, rank;
	if (!ranks_next(who, &walk, &first))
		return true;
	if (first >= r->processes || !unpack_process(r, first, bytes, size))
		return false;
	while (ranks_next(who, &walk, &rank))
		if (rank >= r->processes || !unpack_like(r, rank, first, bytes, size))
			return false;
	return true;
}

void collecting_unpack(struct collecting *c)
{
	number_keys(c);
	for (uint32_t i = 0; i < behaviours_count(c->behaviours); i++) {
		const struct ranks *who;
		size_t size;
		const void *bytes = behaviours_get(c->behaviours, i, &who, &size);
		if (!unpack_share(c->reading, who, bytes, size)) {
			error_set(c->error, ERROR_INTERNAL, "what another process has read arrives damaged");
			return;
		}
	}
	c->reading->behaviours = c->behaviours;
	c->behaviours = NULL;
}

static void process_clear(struct reading *r, struct process *p, uint32_t rank)
{
	nest_free(p->nest);
	affine_events_free(p->affine);
	intern_free(p->own);
	*p = (struct process){0};
	trace_forget(r->trace, rank);
	if (r->values)
		value_columns_forget(r->values, rank);
}

void reading_share(void *reading, uint32_t rank)
{
	struct reading *r = reading;
	struct process *p = &r->process[rank];
	struct text bytes = {0};
	reading_finish_process(r, rank);
	if (r->values)
		value_columns_finish_process(r->values, rank);
	p->dictionary = trace_dictionary(r->trace, rank);
	if (p->nest || p->affine)
		pack_process(r, rank, &bytes);
	process_clear(r, p, rank);
	pthread_mutex_lock(r->sharing);
	if (bytes.length)
		behaviours_add(r->behaviours, rank, bytes.data, bytes.length);
	pthread_mutex_unlock(r->sharing);
	text_clear(&bytes);
}

void collecting_take(struct collecting *c, uint32_t rank)
{
	const struct process *p = &c->reading->process[rank];
	if (!p->nest && !p->affine)
		return;
	struct text bytes = {0};
	pack_process(c->reading, rank, &bytes);
	behaviours_add(c->behaviours, rank, bytes.data, bytes.length);
	text_clear(&bytes);
}

bool reading_collect(struct reading *r, const struct transport *t, struct error *error)
{
	struct collecting c = {r, r->behaviours ? r->behaviours : behaviours_new(), error};
	bool first = !t || t->rank == 0;
	r->behaviours = NULL;
	for (uint32_t rank = 0; !first && rank < r->processes; rank++)
		collecting_take(&c, rank);
	if (t)
		transport_gather(t, &(struct gathering){&c, collecting_add, collecting_pack});
	if (first && error->kind == ERROR_NONE)
		collecting_unpack(&c);
	behaviours_free(c.behaviours);
	if (!first) /* the first tells it */
		*error = (struct error){0};
	return first && error->kind == ERROR_NONE;
}
