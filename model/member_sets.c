/*
 * member_sets.c -- a group is found again by its domain and the number that tells it apart there:
 * the communicator; the lowest process on a line; the process itself; 0 of one that is the same for
 * all. Sets that are equal are one by their runs.
 */
#include "model/member_sets.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/attributes.h"

struct key {
	node_id group, who, communicator, spare;
	int64_t number;
};

struct member_sets {
	struct run *run;
	struct intern *keys, *sets; /* sets: runs */
	struct intern *lists; /* NULL: there was none */
	uint32_t *set; /* by key */
	size_t known, key_capacity;
	struct worded {
		struct ranks ranks;
		struct text words;
	} * worded; /* by set */
	size_t count, capacity;
};

struct member_sets *member_sets_new(struct run *run)
{
	struct member_sets *m = mem_zero(sizeof *m);
	m->run = run;
	m->keys = intern_new_keys(sizeof(struct key));
	m->sets = intern_new();
	return m;
}

void member_sets_free(struct member_sets *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++) {
		ranks_clear(&m->worded[i].ranks);
		text_clear(&m->worded[i].words);
	}
	intern_free(m->keys);
	intern_free(m->sets);
	intern_free(m->lists);
	free(m->set);
	free(m->worded);
	free(m);
}

/* ------------------------------------------------------------------ who is in them */

static int64_t rank_on(const struct grid *grid, const int64_t *at)
{
	int64_t rank = 0;
	for (uint32_t a = grid->axes; a-- > 0;)
		rank = rank * grid->size[a] + at[a];
	return rank;
}

/* Its ends: all coordinates of an axis where it goes along it, else the one that it says. Gives its
   lowest process. */
static int64_t line_of(struct environment *e, const struct node *line, int64_t *least, int64_t *most)
{
	for (uint32_t a = 0; a < e->grid.axes; a++) {
		int64_t size = e->grid.size[a];
		bool along = a >= line->kids || !line->kid[a];
		least[a] = along ? 0 : number_at(e, line->kid[a]) % size;
		least[a] += least[a] < 0 ? size : 0;
		most[a] = along ? size - 1 : least[a];
	}
	return rank_on(&e->grid, least);
}

static void add_line(struct environment *e, const struct node *line, struct ranks *to)
{
	int64_t least[GRID_AXES], most[GRID_AXES], at[GRID_AXES];
	uint32_t axis = 0;
	line_of(e, line, least, most);
	for (uint32_t a = 0; a < e->grid.axes; a++)
		at[a] = least[a];
	while (axis < e->grid.axes && !e->failure) {
		int64_t rank = rank_on(&e->grid, at);
		if (rank < e->processes)
			ranks_add(to, (uint32_t)rank);
		for (axis = 0; axis < e->grid.axes && at[axis]++ == most[axis]; axis++)
			at[axis] = least[axis];
	}
}

/* Who executes the event there, and has the same communicator. */
static void add_by_communicator(struct run *r, struct environment *e, node_id event, struct ranks *to)
{
	const struct node *n = node_of(e->store, event);
	int64_t own = number_at(e, n->kid[COLUMN_COMMUNICATOR]);
	struct environment other = *e;
	for (uint32_t rank = 0; rank < e->processes && !other.failure; rank++) {
		if (!run_has(r, n->kid[COLUMN_WHO], rank))
			continue;
		environment_move(&other, rank);
		if (event_happens(&other, event) && number_at(&other, n->kid[COLUMN_COMMUNICATOR]) == own)
			ranks_add(to, rank);
	}
	e->failure = other.failure;
	e->failed = other.failed;
}

static void add_members(struct run *r, struct environment *e, node_id event, struct ranks *to)
{
	const struct node *n = node_of(e->store, event), *g = node_of(e->store, n->kid[COLUMN_GROUP]);
	if (g->kind == NODE_SELF)
		ranks_add(to, (uint32_t)e->p);
	else if (g->kind == NODE_LINE)
		add_line(e, g, to);
	else if (g->kind == NODE_BY_COMMUNICATOR)
		add_by_communicator(r, e, event, to);
	else
		ranks_copy(to, run_processes(r, n->kid[COLUMN_GROUP]));
}

/* ------------------------------------------------------------------ each once */

uint32_t member_set_of_ranks(struct member_sets *m, const struct ranks *ranks)
{
	struct worded found = {0};
	uint32_t id = intern_id(m->sets, ranks->run, ranks->length * sizeof *ranks->run);
	if (id < m->count)
		return id;
	ranks_copy(&found.ranks, ranks);
	text_add(&found.words, "", 0);
	ranks_print(&found.ranks, &found.words);
	*MEM_PUSH(m->worded, m->count, m->capacity) = found;
	return id;
}

static uint32_t find(struct member_sets *m, struct environment *e, node_id event)
{
	struct ranks members = {0};
	add_members(m->run, e, event, &members);
	uint32_t id = member_set_of_ranks(m, &members);
	ranks_clear(&members);
	return id;
}

uint32_t member_set_of(struct member_sets *m, struct environment *e, node_id event)
{
	const struct node *n = node_of(e->store, event), *g = node_of(e->store, n->kid[COLUMN_GROUP]);
	struct key key = {.group = n->kid[COLUMN_GROUP]};
	int64_t least[GRID_AXES], most[GRID_AXES];
	if (g->kind == NODE_BY_COMMUNICATOR) {
		key.who = n->kid[COLUMN_WHO];
		key.communicator = n->kid[COLUMN_COMMUNICATOR];
		key.number = number_at(e, key.communicator);
		if (node_of(e->store, key.communicator)->uses[FOR_ALL] & (USES_INDICES | USES_PARAMETERS))
			return find(m, e, event);
	} else if (g->kind == NODE_LINE) {
		key.number = line_of(e, g, least, most);
	} else if (g->kind == NODE_SELF) {
		key.number = e->p;
	}
	uint32_t known = intern_find(m->keys, &key, sizeof key);
	if (known != INTERN_NONE)
		return m->set[known];
	uint32_t group = find(m, e, event);
	intern_id(m->keys, &key, sizeof key);
	return *MEM_PUSH(m->set, m->known, m->key_capacity) = group;
}

const struct ranks *member_set_ranks(const struct member_sets *m, uint32_t group)
{
	return &m->worded[group].ranks;
}

const char *member_set_text(const struct member_sets *m, uint32_t group)
{
	return m->worded[group].words.data;
}

/* ------------------------------------------------------------------ a number for each member */

const char *member_list_at(struct member_sets *m, struct environment *e, node_id event, node_id number)
{
	uint32_t group = member_set_of(m, e, event), member;
	const struct ranks *members = member_set_ranks(m, group);
	struct ranks_walk walk = {0};
	struct text list = {0};
	int64_t run = 0;
	uint64_t times = 0;
	while (ranks_next(members, &walk, &member)) {
		int64_t here = number_of_member(e, number, member);
		if (times && here != run)
			member_list_add(&list, run, times);
		times = times && here == run ? times + 1 : 1;
		run = here;
	}
	if (times)
		member_list_add(&list, run, times);
	if (!m->lists)
		m->lists = intern_new();
	uint32_t id = intern_id(m->lists, list.length ? list.data : "", list.length + (list.length == 0));
	text_clear(&list);
	return intern_data(m->lists, id, NULL);
}
