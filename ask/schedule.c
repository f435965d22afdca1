/*
 * schedule.c -- messages under way are counted by channel, members that have come by collective;
 * what nobody waits for and nothing is left of is forgotten.
 */
#include "ask/schedule.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/ends.h"
#include "ask/event_texts.h"
#include "base/mem.h"
#include "base/saturate.h"

#define NOBODY UINT32_MAX
#define TURN 1024 /* events of a process before it is the next one's turn */

/* What is counted of a channel. */
enum counted {
	MESSAGES, /* under way */
	MEETINGS, /* that a member, `of`, has come to */
	MEMBERS /* who have come to the meeting that is the `of`-th */
};

struct count_key {
	uint64_t of;
	uint32_t channel, counted;
};

struct count {
	uint64_t count;
	uint32_t waiting; /* the first process that waits here, others behind it (process.next) */
	bool root; /* of members: has the root come? */
};

struct process {
	struct cursor *cursor;
	uint32_t channel; /* of the event that it stands at */
	uint64_t position, ordinal; /* events before it; of a collective, the how manieth it is */
	uint32_t next; /* in a list of those that wait, or of those that can go on */
	bool waits, ended, begun, met; /* ...; is the event begun and not done; has it come to the collective? */
};

struct execution {
	struct run *run;
	struct ends ends;
	struct intern *keys;
	struct count *count;
	size_t capacity;
	struct process *process;
	uint32_t processes, first, last; /* those that can go on */
};

/* ------------------------------------------------------------------ counts */

static struct count *count_of(struct execution *x, uint32_t channel, enum counted counted, uint64_t of)
{
	struct count_key key = {of, channel, (uint32_t)counted};
	uint32_t known = intern_find(x->keys, &key, sizeof key);
	if (known != INTERN_NONE)
		return &x->count[known];
	uint32_t id = intern_id(x->keys, &key, sizeof key);
	x->count = mem_grow(x->count, &x->capacity, (size_t)id + 1, sizeof *x->count);
	x->count[id] = (struct count){.waiting = NOBODY};
	return &x->count[id];
}

static bool is_counted(const struct execution *x, uint32_t channel, enum counted counted, uint64_t of)
{
	struct count_key key = {of, channel, (uint32_t)counted};
	return intern_find(x->keys, &key, sizeof key) != INTERN_NONE;
}

static void forget(struct execution *x, const struct count *c)
{
	intern_forget(x->keys, (uint32_t)(c - x->count));
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

static void wake(struct execution *x, struct count *c)
{
	uint32_t p = c->waiting;
	c->waiting = NOBODY;
	while (p != NOBODY) {
		uint32_t next = x->process[p].next;
		go_on(x, p);
		p = next;
	}
}

static bool wait_at(struct execution *x, struct count *c, uint32_t p)
{
	x->process[p].waits = true;
	x->process[p].next = c->waiting;
	c->waiting = p;
	return false;
}

/* ------------------------------------------------------------------ events */

static enum event_match match_of(const struct process *process)
{
	return kind_rows[node_of(process->cursor->at.store, process->cursor->event)->sub].match;
}

static bool receive(struct execution *x, uint32_t p)
{
	uint32_t channel = x->process[p].channel;
	struct count *c = count_of(x, channel, MESSAGES, 0);
	if (!c->count)
		return wait_at(x, c, p);
	if (!--c->count && c->waiting == NOBODY) {
		forget(x, c);
		intern_forget(x->ends.channels, channel);
	}
	return true;
}

static bool send(struct execution *x, uint32_t p)
{
	struct count *c = count_of(x, x->process[p].channel, MESSAGES, 0);
	c->count++;
	wake(x, c);
	return true;
}

static int64_t root_of(struct process *process)
{
	node_id root = node_kid(process->cursor->at.store, process->cursor->event, COLUMN_ROOT);
	return root ? number_at(&process->cursor->at, root) : -1;
}

static bool meet(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	enum collective_wait wait = collective_wait_of(process->cursor->at.store, process->cursor->event);
	bool again = process->met, root = root_of(process) == p; /* again: it waited */
	if (wait == WAITS_FOR_NOBODY)
		return true;
	process->met = true;
	if (!again)
		process->ordinal = ++count_of(x, process->channel, MEETINGS, p)->count;
	if (again && !is_counted(x, process->channel, MEMBERS, process->ordinal))
		return true; /* all have come, and it is forgotten */
	struct count *c = count_of(x, process->channel, MEMBERS, process->ordinal);
	c->count += !again;
	c->root |= root;
	struct ranks group = ends_group(&x->ends, process->channel);
	bool all = c->count == ranks_count(&group);
	if (!again && (all || (root && wait == WAITS_FOR_ROOT)))
		wake(x, c);
	bool free_to_go = all || (wait == WAITS_FOR_ROOT && c->root) || (wait == ROOT_WAITS_FOR_ALL && !root);
	if (all)
		forget(x, c);
	return free_to_go || wait_at(x, c, p);
}

/* False: the process waits in this event. */
static bool execute(struct execution *x, uint32_t p)
{
	enum event_match match = match_of(&x->process[p]);
	if (match == MATCH_NONE)
		return true;
	return match == MATCH_OUT ? send(x, p) : match == MATCH_IN ? receive(x, p) : meet(x, p);
}

static bool come_to_next(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	process->begun = cursor_next(process->cursor);
	process->ended = !process->begun && !process->cursor->at.failure;
	process->met = false;
	if (process->begun && match_of(process) != MATCH_NONE)
		process->channel = ends_channel(&x->ends, &process->cursor->at, process->cursor->event);
	return process->begun;
}

/* As far as it comes, or a turn. */
static void take_turn(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	for (unsigned left = TURN; left; left--) {
		if (!process->begun && !come_to_next(x, p))
			return;
		if (!execute(x, p))
			return;
		process->begun = false;
		process->position++;
	}
	go_on(x, p);
}

/* ------------------------------------------------------------------ cycles */

/* Who has not come to the collective that the process waits in. */
static uint32_t absent(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	struct ranks group = ends_group(&x->ends, process->channel);
	struct ranks_walk next = {0};
	if (collective_wait_of(process->cursor->at.store, process->cursor->event) == WAITS_FOR_ROOT)
		return (uint32_t)root_of(process);
	for (uint32_t member; ranks_next(&group, &next, &member);)
		if (count_of(x, process->channel, MEETINGS, member)->count < process->ordinal)
			return member;
	return NOBODY;
}

/* Of those who wait themselves. */
static uint32_t waits_for(struct execution *x, uint32_t p)
{
	if (!x->process[p].waits)
		return NOBODY;
	bool receives = match_of(&x->process[p]) == MATCH_IN;
	uint32_t other = receives ? ends_key(&x->ends, x->process[p].channel)->from : absent(x, p);
	return other < x->processes && x->process[other].waits ? other : NOBODY;
}

static void tell(struct execution *x, uint32_t first, struct text *cycle)
{
	struct event_texts *lines = event_texts_new(x->run, NULL, NULL);
	uint32_t p = first, told = 0;
	do {
		struct process *process = &x->process[p];
		uint32_t other = waits_for(x, p);
		if (told++ < SCHEDULE_TOLD) {
			text_format(cycle, "\n  rank %" PRIu32 ", position %" PRIu64 ": '", p, process->position);
			event_texts_put(lines, &process->cursor->at, process->cursor->event, NULL, cycle);
			text_truncate(cycle, cycle->length - 1);
			text_format(cycle,
				match_of(process) == MATCH_IN ? "', which rank %" PRIu32 " sends later"
							      : "', to which rank %" PRIu32 " comes later",
				other);
		}
		p = other;
	} while (p != first);
	if (told > SCHEDULE_TOLD)
		text_format(cycle, "\n  and %" PRIu32 " more", told - SCHEDULE_TOLD);
	event_texts_free(lines);
}

/* Nobody can go on. */
static enum schedule find_cycle(struct execution *x, struct text *cycle)
{
	uint32_t *seen = mem_zero(x->processes * sizeof *seen), p = NOBODY;
	enum schedule result = SCHEDULE_THERE;
	for (uint32_t start = 0; start < x->processes && result != SCHEDULE_CYCLE; start++) {
		if (x->process[start].ended)
			continue;
		for (p = start; p != NOBODY && !seen[p]; p = waits_for(x, p))
			seen[p] = start + 1;
		result = p != NOBODY && seen[p] == start + 1 ? SCHEDULE_CYCLE : SCHEDULE_UNKNOWN;
	}
	if (result == SCHEDULE_CYCLE)
		tell(x, p, cycle);
	free(seen);
	return result;
}

/* ------------------------------------------------------------------ in public */

static bool is_too_much(struct run *run, uint32_t processes, uint64_t budget)
{
	uint64_t events = 0;
	struct environment at = {0};
	for (uint32_t p = 0; p < processes && events <= budget && !at.failure; p++) {
		run_start(run, p, &at);
		events = saturating_add(events, run_count(run, &at, run_module(run)->body));
	}
	free(at.index);
	return events > budget || at.failure;
}

enum schedule schedule_find(struct run *run, uint64_t budget, struct text *cycle)
{
	struct execution x = {.run = run, .processes = run_environment(run).processes, .first = NOBODY};
	if (is_too_much(run, x.processes, budget))
		return SCHEDULE_UNKNOWN;
	x.ends = ends_new(run);
	x.keys = intern_new_keys(sizeof(struct count_key));
	x.process = mem_zero((x.processes + (size_t)1) * sizeof *x.process);
	for (uint32_t p = 0; p < x.processes; p++) {
		x.process[p].cursor = cursor_new(run, p);
		go_on(&x, p);
	}
	while (x.first != NOBODY) {
		uint32_t p = x.first;
		x.first = x.process[p].next;
		take_turn(&x, p);
	}
	enum schedule result = find_cycle(&x, cycle);
	for (uint32_t p = 0; p < x.processes; p++)
		cursor_free(x.process[p].cursor);
	free(x.process);
	free(x.count);
	intern_free(x.keys);
	ends_clear(&x.ends);
	return result;
}
