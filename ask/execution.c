/*
 * execution.c -- messages under way are kept by channel, members that have come by collective; what
 * nobody waits for and nothing is left of is forgotten.
 */
#include "ask/execution.h"

#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

#define NOBODY EXECUTION_NOBODY
#define TURN 1024 /* events that a process does before it is the next one's turn: few messages are under way */

/* The mark of a message under way; those of a channel are a list, the first one sent first. */
struct mark {
	uint64_t mark;
	uint32_t next;
};

/* A table of what is under way. */
struct entry {
	uint64_t count; /* messages; members that have come; or collectives that a member has come to */
	uint32_t waiting; /* the first process that waits here, the others behind it (execution.next) */
	bool root; /* of a collective: has the root come? */
	uint64_t latest; /* of a collective: the largest mark of those who have come, and are waited for */
	uint32_t first_mark, last_mark; /* of messages, where there is a client */
};
struct evaluated_table {
	struct intern *keys; /* hashes of 64 bits, taken for what was hashed */
	struct entry *entry;
	size_t capacity;
};

/* Whom the members of a collective wait for. */
enum waits { FOR_NOBODY, FOR_ALL, FOR_ROOT, ROOT_FOR_ALL };

struct process {
	struct walk *walk;
	struct plain_event event; /* that it waits in */
	uint64_t ordinal; /* ... of a sync: its number on its channel */
	uint64_t position; /* events before it */
	uint32_t next; /* in a list of those that wait, or of those that can go on */
	bool waits, ended;
	bool begun; /* it has come to an event that is not done */
	bool inside; /* the event is made of others, and these are executed */
	bool met_before; /* has it come to the collective at hand? */
	bool received; /* since it has sent */
	uint32_t *to; /* where sends wait: who is to receive what it has sent */
	size_t open, open_capacity;
	bool settles; /* it waits for them */
	uint64_t mark, met; /* of that event; of what it waited for */
};

struct execution {
	struct program *program;
	const struct execution_client *client;
	enum sending sending;
	bool enough;
	struct mark *marks;
	size_t mark_capacity;
	uint32_t used_marks, free_mark;
	struct projection *projection;
	struct process *process;
	struct evaluated_table table;
	uint32_t first, last; /* processes that can go on */
	enum waits *waits; /* by word, WAITS_UNKNOWN where not asked yet */
	size_t words, word_capacity;
};

#define WAITS_UNKNOWN ((enum waits) - 1)

/* ------------------------------------------------------------------ the table */

/* NULL: it is not there. */
static struct entry *find(const struct evaluated_table *t, uint64_t key)
{
	uint32_t id = intern_find(t->keys, &key, sizeof key);
	return id == INTERN_NONE ? NULL : &t->entry[id];
}

static struct entry *enter(struct evaluated_table *t, uint64_t key)
{
	struct entry *known = find(t, key);
	if (known)
		return known;
	uint32_t id = intern_id(t->keys, &key, sizeof key);
	t->entry = mem_grow(t->entry, &t->capacity, (size_t)id + 1, sizeof *t->entry);
	t->entry[id] = (struct entry){.waiting = NOBODY, .first_mark = NOBODY};
	return &t->entry[id];
}

static void forget(struct evaluated_table *t, struct entry *e)
{
	intern_forget(t->keys, (uint32_t)(e - t->entry));
}

/* ------------------------------------------------------------------ waiting */

static void go_on(struct execution *x, uint32_t p)
{
	x->process[p].next = NOBODY;
	x->process[p].waits = x->process[p].settles = false;
	if (x->first == NOBODY)
		x->first = p;
	else
		x->process[x->last].next = p;
	x->last = p;
}

static void wake(struct execution *x, struct entry *e)
{
	uint32_t p = e->waiting;
	e->waiting = NOBODY;
	while (p != NOBODY) {
		uint32_t next = x->process[p].next;
		x->process[p].met = e->latest;
		go_on(x, p);
		p = next;
	}
}

static bool wait_at(struct execution *x, struct entry *e, uint32_t p)
{
	x->process[p].waits = true;
	x->process[p].next = e->waiting;
	e->waiting = p;
	return false;
}

static uint64_t channel_of(const struct plain_event *e)
{
	return hash_pair(plain_event_channel(e), 1);
}

static uint64_t sync_channel_of(const struct plain_event *e)
{
	return hash_pair(hash_pair(e->word, e->group), (uint64_t)e->communicator);
}

static uint64_t meeting_of(const struct plain_event *e, uint64_t ordinal)
{
	return hash_pair(hash_pair(sync_channel_of(e), ordinal), 2);
}

static uint64_t member_of(const struct plain_event *e, uint32_t process)
{
	return hash_pair(hash_pair(sync_channel_of(e), process), 3);
}

static enum waits waits_by_name(const char *name)
{
	static const struct {
		const char *name;
		enum waits waits;
	} known[] = {
		{"MPI_Barrier", FOR_ALL},
		{"MPI_Allreduce", FOR_ALL},
		{"MPI_Allgather", FOR_ALL},
		{"MPI_Alltoall", FOR_ALL},
		{"MPI_Reduce_scatter_block", FOR_ALL},
		{"MPI_Bcast", FOR_ROOT},
		{"MPI_Scatter", FOR_ROOT},
		{"MPI_Reduce", ROOT_FOR_ALL},
		{"MPI_Gather", ROOT_FOR_ALL},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(name, known[i].name))
			return known[i].waits;
	return FOR_NOBODY;
}

static bool sends_wait(const struct execution *x)
{
	return x->sending != SENDS_BUFFERED && x->sending != SENDS_BUFFERED_MEETING;
}

static enum waits waits_of(struct execution *x, const struct plain_event *e)
{
	if (x->sending == SENDS_BUFFERED_MEETING)
		return collective_scope(dictionary_get_word(x->program->dictionary, e->word)) == SCOPE_GROUP
			       ? FOR_ALL
			       : FOR_NOBODY;
	if (sends_wait(x))
		return FOR_ALL;
	if (e->word >= x->words) {
		x->waits = mem_grow(x->waits, &x->word_capacity, (size_t)e->word + 1, sizeof *x->waits);
		for (; x->words <= e->word; x->words++)
			x->waits[x->words] = WAITS_UNKNOWN;
	}
	if (x->waits[e->word] == WAITS_UNKNOWN)
		x->waits[e->word] = waits_by_name(dictionary_get_word(x->program->dictionary, e->word));
	enum waits waits = x->waits[e->word];
	return e->peer == NO_ROOT && waits != FOR_ALL ? FOR_NOBODY : waits;
}

/* ------------------------------------------------------------------ events */

/* The entry stays where messages are under way or somebody waits. */
static void leave(struct execution *x, struct entry *e)
{
	if (!e->count && e->waiting == NOBODY)
		forget(&x->table, e);
}

static void put_mark(struct execution *x, struct entry *e, uint64_t mark)
{
	uint32_t at = x->free_mark;
	if (at != NOBODY) {
		x->free_mark = x->marks[at].next;
	} else {
		at = x->used_marks++;
		x->marks = mem_grow(x->marks, &x->mark_capacity, x->used_marks, sizeof *x->marks);
	}
	x->marks[at] = (struct mark){mark, NOBODY};
	if (e->first_mark == NOBODY)
		e->first_mark = at;
	else
		x->marks[e->last_mark].next = at;
	e->last_mark = at;
}

static uint64_t take_mark(struct execution *x, struct entry *e)
{
	uint32_t at = e->first_mark;
	e->first_mark = x->marks[at].next;
	x->marks[at].next = x->free_mark;
	x->free_mark = at;
	return x->marks[at].mark;
}

/* Until all that it has sent is received. */
static bool settle(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	process->waits = process->settles = process->open > 0;
	return !process->open;
}

/* A message of the sender is received by p. */
static void settle_one(struct execution *x, uint32_t sender, uint32_t p)
{
	struct process *process = &x->process[sender];
	size_t i = 0;
	while (process->to[i] != p)
		i++;
	process->to[i] = process->to[--process->open];
	if (process->settles && !process->open)
		go_on(x, sender);
}

static bool receive(struct execution *x, uint32_t p)
{
	struct entry *e = enter(&x->table, channel_of(&x->process[p].event));
	if (!e->count)
		return wait_at(x, e, p);
	e->count--;
	if (x->client)
		x->process[p].met = take_mark(x, e);
	leave(x, e);
	x->process[p].received = true;
	if (sends_wait(x))
		settle_one(x, x->process[p].event.peer, p);
	return true;
}

static bool send(struct execution *x, uint32_t p, bool again)
{
	struct process *process = &x->process[p];
	if (again && x->sending == SENDS_SYNCHRONOUS)
		return true;
	if (x->sending == SENDS_EXCHANGED && process->received && !settle(x, p))
		return false;
	process->received = false;
	if (sends_wait(x))
		*MEM_PUSH(process->to, process->open, process->open_capacity) = process->event.peer;
	struct entry *e = enter(&x->table, channel_of(&process->event));
	e->count++;
	if (x->client)
		put_mark(x, e, process->mark);
	wake(x, e);
	return x->sending != SENDS_SYNCHRONOUS || settle(x, p);
}

/* What those who go on from here have waited for. */
static void note_coming(struct entry *e, const struct process *process, enum waits waits, bool root)
{
	bool counts = waits == FOR_ALL || (waits == FOR_ROOT && root) || waits == ROOT_FOR_ALL;
	if (counts && process->mark > e->latest)
		e->latest = process->mark;
}

static bool meet(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	const struct plain_event *event = &process->event;
	enum waits waits = waits_of(x, event);
	bool again = process->met_before; /* it waited, and is here again */
	if (waits == FOR_NOBODY)
		return true;
	process->met_before = true;
	struct ranks group = dictionary_get_ranks(x->program->dictionary, event->group);
	uint64_t members = ranks_count(&group);
	if (!again)
		process->ordinal = ++enter(&x->table, member_of(event, p))->count;
	if (again && !find(&x->table, meeting_of(event, process->ordinal)))
		return true; /* all have come, and it is forgotten */
	struct entry *e = enter(&x->table, meeting_of(event, process->ordinal));
	bool root = event->peer == p;
	if (!again) {
		e->count++;
		e->root = e->root || root;
		note_coming(e, process, waits, root);
	}
	bool all = e->count == members;
	if (!again && (all || (root && waits == FOR_ROOT)))
		wake(x, e);
	bool free_to_go = all || (waits == FOR_ROOT && (root || e->root)) || (waits == ROOT_FOR_ALL && !root);
	if (free_to_go && !(waits == ROOT_FOR_ALL && !root))
		process->met = e->latest;
	if (all)
		forget(&x->table, e);
	return free_to_go || wait_at(x, e, p);
}

/* False: the process waits in this event. */
static bool execute(struct execution *x, uint32_t p, bool again)
{
	switch ((enum event_kind)x->process[p].event.kind) {
	case EVENT_SEND:
		return send(x, p, again);
	case EVENT_RECV:
		return receive(x, p);
	case EVENT_SYNC:
		return settle(x, p) && meet(x, p);
	case EVENT_LOCAL:
		return true;
	}
	return true;
}

static void be_done(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	process->begun = false;
	process->position += !process->inside;
	if (x->client && !x->client->done(x->client->context, p, process->walk, &process->event, process->met))
		x->enough = true;
}

static void come(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	process->begun = true;
	process->met_before = false;
	process->met = 0;
	if (x->client)
		process->mark = x->client->comes(x->client->context, p, process->walk, &process->event);
}

/* To the next message of a collective; where there is none, it is done. */
static bool come_to_part(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	if (x->client->part(x->client->context, p, process->walk, &process->event)) {
		come(x, p);
		return true;
	}
	process->inside = false;
	walk_event(process->walk, &process->event);
	be_done(x, p);
	return false;
}

/* To the next event. False: there is none, or nothing more is wanted. */
static bool come_to_next(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	while (!process->inside || !come_to_part(x, p)) {
		if (x->enough || !walk_next(process->walk)) {
			process->ended = true;
			return false;
		}
		walk_event(process->walk, &process->event);
		come(x, p);
		process->inside = x->client && x->client->part && process->event.kind == EVENT_SYNC;
		if (!process->inside)
			return true;
	}
	return true;
}

/* As far as it comes, or a turn. */
static void run(struct execution *x, uint32_t p)
{
	bool again = x->process[p].begun;
	for (unsigned left = TURN; left && !x->enough; left--) {
		if (!again && !come_to_next(x, p))
			return;
		if (!execute(x, p, again))
			return;
		again = false;
		be_done(x, p);
	}
	go_on(x, p);
}

/* ------------------------------------------------------------------ in public */

/* Somebody who has not come to the collective that the process waits in. */
static uint32_t absent(struct execution *x, const struct process *process)
{
	const struct plain_event *e = &process->event;
	struct ranks group = dictionary_get_ranks(x->program->dictionary, e->group);
	struct ranks_walk walk = {0};
	if (waits_of(x, e) == FOR_ROOT)
		return e->peer;
	for (uint32_t p; ranks_next(&group, &walk, &p);) {
		const struct entry *member = find(&x->table, member_of(e, p));
		if (!member || member->count < process->ordinal)
			return p;
	}
	return NOBODY;
}

struct execution *execution_new(struct program *program, enum sending sending, const struct execution_client *client)
{
	struct execution *x = mem_zero(sizeof *x);
	x->program = program;
	x->sending = sending;
	x->client = client;
	x->first = x->free_mark = NOBODY;
	x->projection = projection_new(program, NULL);
	x->process = mem_zero((program->processes + (size_t)1) * sizeof *x->process);
	x->table.keys = intern_new_keys(sizeof(uint64_t));
	for (uint32_t p = 0; p < program->processes; p++) {
		x->process[p].walk = walk_new(x->projection, p);
		go_on(x, p);
	}
	return x;
}

void execution_free(struct execution *x)
{
	if (!x)
		return;
	for (uint32_t p = 0; p < x->program->processes; p++) {
		walk_free(x->process[p].walk);
		free(x->process[p].to);
	}
	free(x->process);
	intern_free(x->table.keys);
	free(x->table.entry);
	free(x->waits);
	free(x->marks);
	projection_free(x->projection);
	free(x);
}

bool execution_run(struct execution *x)
{
	while (x->first != NOBODY && !x->enough) {
		uint32_t p = x->first;
		x->first = x->process[p].next;
		run(x, p);
	}
	bool all = true;
	for (uint32_t p = 0; p < x->program->processes; p++)
		all = all && x->process[p].ended;
	return all || x->enough;
}

bool execution_ended(const struct execution *x, uint32_t rank)
{
	return x->process[rank].ended;
}

uint32_t execution_waits_for(struct execution *x, uint32_t rank)
{
	const struct process *process = &x->process[rank];
	if (!process->waits)
		return NOBODY;
	uint32_t other = process->settles                    ? process->to[0]
			 : process->event.kind == EVENT_RECV ? process->event.peer
							     : absent(x, process);
	return other < x->program->processes && x->process[other].waits ? other : NOBODY;
}

const struct plain_event *execution_waits_in(const struct execution *x, uint32_t rank, uint64_t *position)
{
	*position = x->process[rank].position;
	return &x->process[rank].event;
}

bool execution_settles(const struct execution *x, uint32_t rank)
{
	return x->process[rank].settles;
}
