/*
 * causality_run.c -- the events of a program, run: each process goes on until it must wait. When
 * all wait, some of them wait for each other.
 *
 * Messages under way are counted by channel, members that have come by collective; what nobody
 * waits for and nothing is left of is forgotten.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/causality.h"
#include "ask/projection.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

#define NOBODY UINT32_MAX
#define TURN 1024 /* events that a process does before it is the next one's turn: few messages are under way */

/* A table of what is under way. */
struct entry {
	uint64_t count; /* messages; members that have come; or collectives that a member has come to */
	uint32_t waiting; /* the first process that waits here, the others behind it (execution.next) */
	bool root; /* of a collective: has the root come? */
};

struct table {
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
};

struct execution {
	struct program *program;
	struct projection *projection;
	struct process *process;
	struct table table;
	uint32_t first, last; /* processes that can go on */
	enum waits *waits; /* by word, WAITS_UNKNOWN where not asked yet */
	size_t words, word_capacity;
};

#define WAITS_UNKNOWN ((enum waits) - 1)

/* ------------------------------------------------------------------ the table */

/* NULL: it is not there. */
static struct entry *find(const struct table *t, uint64_t key)
{
	uint32_t id = intern_find(t->keys, &key, sizeof key);
	return id == INTERN_NONE ? NULL : &t->entry[id];
}

static struct entry *enter(struct table *t, uint64_t key)
{
	struct entry *known = find(t, key);
	if (known)
		return known;
	uint32_t id = intern_id(t->keys, &key, sizeof key);
	t->entry = mem_grow(t->entry, &t->capacity, (size_t)id + 1, sizeof *t->entry);
	t->entry[id] = (struct entry){.waiting = NOBODY};
	return &t->entry[id];
}

static void forget(struct table *t, struct entry *e)
{
	intern_forget(t->keys, (uint32_t)(e - t->entry));
}

/* ------------------------------------------------------------------ waiting */

static void go_on(struct execution *x, uint32_t p)
{
	x->process[p].next = NOBODY;
	x->process[p].waits = false;
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

static enum waits waits_of(struct execution *x, const struct plain_event *e)
{
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

static bool receive(struct execution *x, uint32_t p)
{
	struct entry *e = enter(&x->table, channel_of(&x->process[p].event));
	if (!e->count)
		return wait_at(x, e, p);
	e->count--;
	leave(x, e);
	return true;
}

static void send(struct execution *x, uint32_t p)
{
	struct entry *e = enter(&x->table, channel_of(&x->process[p].event));
	e->count++;
	wake(x, e);
}

/* Has the process come before? Then it waited, and is here again. */
static bool meet(struct execution *x, uint32_t p, bool again)
{
	struct process *process = &x->process[p];
	const struct plain_event *event = &process->event;
	enum waits waits = waits_of(x, event);
	if (waits == FOR_NOBODY)
		return true;
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
	}
	bool all = e->count == members;
	if (!again && (all || (root && waits == FOR_ROOT)))
		wake(x, e);
	bool free_to_go = all || (waits == FOR_ROOT && (root || e->root)) || (waits == ROOT_FOR_ALL && !root);
	if (all)
		forget(&x->table, e);
	return free_to_go || wait_at(x, e, p);
}

/* False: the process waits in this event. */
static bool execute(struct execution *x, uint32_t p, bool again)
{
	switch ((enum event_kind)x->process[p].event.kind) {
	case EVENT_SEND:
		send(x, p);
		return true;
	case EVENT_RECV:
		return receive(x, p);
	case EVENT_SYNC:
		return meet(x, p, again);
	case EVENT_LOCAL:
		return true;
	}
	return true;
}

/* As far as it comes, or a turn; *events: those that were executed. */
static void run(struct execution *x, uint32_t p, bool again, uint64_t *events)
{
	struct process *process = &x->process[p];
	for (unsigned left = TURN; left; left--) {
		if (!again && !walk_next(process->walk)) {
			process->ended = true;
			return;
		}
		if (!again)
			walk_event(process->walk, &process->event);
		if (!execute(x, p, again))
			return;
		again = false;
		process->position++;
		++*events;
	}
	go_on(x, p);
}

/* ------------------------------------------------------------------ cycles */

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

static uint32_t waits_for(struct execution *x, uint32_t p)
{
	const struct process *process = &x->process[p];
	uint32_t other = process->event.kind == EVENT_RECV ? process->event.peer : absent(x, process);
	return other < x->program->processes && x->process[other].waits ? other : NOBODY;
}

#define TOLD 10

static void tell(struct execution *x, uint32_t first, struct text *cycle)
{
	uint32_t p = first, told = 0, more = 0;
	do {
		const struct process *process = &x->process[p];
		uint32_t other = waits_for(x, p);
		if (told < TOLD) {
			text_format(cycle, "\n  rank %" PRIu32 ", position %" PRIu64 ": '", p, process->position);
			plain_event_print(x->program->dictionary, &process->event, cycle);
			if (process->event.kind == EVENT_RECV)
				text_format(cycle, "', which rank %" PRIu32 " sends later", other);
			else
				text_format(cycle, "', to which rank %" PRIu32 " comes later", other);
			told++;
		} else {
			more++;
		}
		p = other;
	} while (p != first);
	if (more)
		text_format(cycle, "\n  and %" PRIu32 " more", more);
}

/* Nobody can go on. */
static enum causality find_cycle(struct execution *x, struct text *cycle)
{
	uint32_t processes = x->program->processes, *seen = mem_zero(processes * sizeof *seen), p = 0, number = 0;
	enum causality result = CAUSALITY_HOLDS;
	for (uint32_t start = 0; start < processes && result != CAUSALITY_CYCLE; start++) {
		if (x->process[start].ended)
			continue;
		result = CAUSALITY_UNKNOWN;
		number++;
		for (p = start; p != NOBODY && !seen[p]; p = waits_for(x, p))
			seen[p] = number;
		if (p != NOBODY && seen[p] == number)
			result = CAUSALITY_CYCLE;
	}
	if (result == CAUSALITY_CYCLE)
		tell(x, p, cycle);
	free(seen);
	return result;
}

/* ------------------------------------------------------------------ in public */

enum causality causality_run(struct program *program, uint64_t budget, struct text *cycle)
{
	struct execution x = {.program = program, .first = NOBODY};
	uint64_t events = program_events(program);
	if (events > budget)
		return CAUSALITY_UNKNOWN;
	x.projection = projection_new(program, NULL);
	x.process = mem_zero(program->processes * sizeof *x.process);
	x.table.keys = intern_new_keys(sizeof(uint64_t));
	for (uint32_t p = 0; p < program->processes; p++) {
		x.process[p].walk = walk_new(x.projection, p);
		go_on(&x, p);
	}
	bool *begun = mem_zero(program->processes); /* is there an event that was not done with? */
	for (events = 0; x.first != NOBODY;) {
		uint32_t p = x.first;
		x.first = x.process[p].next;
		run(&x, p, begun[p], &events);
		begun[p] = x.process[p].waits;
	}
	enum causality result = find_cycle(&x, cycle);
	for (uint32_t p = 0; p < program->processes; p++)
		walk_free(x.process[p].walk);
	free(begun);
	free(x.process);
	intern_free(x.table.keys);
	free(x.table.entry);
	free(x.waits);
	projection_free(x.projection);
	return result;
}
