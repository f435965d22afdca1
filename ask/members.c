/*
 * members.c -- a group is found again by its domain and the number that tells it apart there; sets
 * that are equal are one by their runs.
 */
#include "ask/members.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

/* What a group depends on: events with the same of it share groups. */
struct key {
	node_id group, who, communicator, spare;
	int64_t number;
};

struct members {
	struct run *run;
	struct intern *keys, *sets; /* sets: runs */
	uint32_t *set; /* by key */
	size_t known, key_capacity;
	struct worded {
		struct ranks ranks;
		struct text words;
	} * worded; /* by set */
	size_t count, capacity;
};

struct members *members_new(struct run *run)
{
	struct members *m = mem_zero(sizeof *m);
	m->run = run;
	m->keys = intern_new_keys(sizeof(struct key));
	m->sets = intern_new();
	return m;
}

void members_free(struct members *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++) {
		ranks_clear(&m->worded[i].ranks);
		text_clear(&m->worded[i].words);
	}
	intern_free(m->keys);
	intern_free(m->sets);
	free(m->set);
	free(m->worded);
	free(m);
}

static uint32_t find(struct members *m, struct environment *e, node_id event)
{
	struct worded found = {0};
	event_members(m->run, e, event, &found.ranks);
	uint32_t id = intern_id(m->sets, found.ranks.run, found.ranks.length * sizeof *found.ranks.run);
	if (id < m->count) {
		ranks_clear(&found.ranks);
		return id;
	}
	text_add(&found.words, "", 0);
	ranks_print(&found.ranks, &found.words);
	*MEM_PUSH(m->worded, m->count, m->capacity) = found;
	return id;
}

uint32_t members_of(struct members *m, struct environment *e, node_id event)
{
	const struct node *n = node_of(e->store, event);
	struct key key = {.group = n->kid[COLUMN_GROUP]};
	if (node_of(e->store, key.group)->kind == NODE_BY_COMMUNICATOR) {
		key.who = n->kid[COLUMN_WHO];
		key.communicator = n->kid[COLUMN_COMMUNICATOR];
		if (node_of(e->store, key.communicator)->uses[FOR_ALL] & (USES_INDICES | USES_PARAMETERS))
			return find(m, e, event);
	}
	key.number = event_group_number(e, event);
	uint32_t known = intern_find(m->keys, &key, sizeof key);
	if (known != INTERN_NONE)
		return m->set[known];
	uint32_t group = find(m, e, event);
	intern_id(m->keys, &key, sizeof key);
	return *MEM_PUSH(m->set, m->known, m->key_capacity) = group;
}

const struct ranks *members_get(const struct members *m, uint32_t group)
{
	return &m->worded[group].ranks;
}

const char *members_text(const struct members *m, uint32_t group)
{
	return m->worded[group].words.data;
}
