/*
 * schedule.c -- messages under way are counted by channel, members that have come by collective;
 * what nobody waits for and nothing is left of is forgotten.
 */
#include "ask/schedule.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/collective_names.h"
#include "ask/ends.h"
#include "ask/event_texts.h"
#include "base/mem.h"
#include "base/saturate.h"

#define NOBODY UINT32_MAX
#define TURN 1024 /* events of a process before it is the next one's turn */

/* What is counted of a channel. */
enum counted {
	PARTS, /* under way, of messages that it is made of, from one rank to another (`of`) */
	MEETINGS, /* that a member, `of`, has come to */
	MEMBERS /* who have come to the meeting that is the `of`-th */
};

struct count_key {
	uint64_t of;
	uint32_t channel, counted;
};

/* The mark of a message under way; those of a channel are a list, the first one sent first. */
struct mark {
	uint64_t mark;
	uint32_t next;
};

struct count {
	uint64_t count;
	uint32_t waiting; /* the first process that waits here, others behind it (process.next) */
	bool root; /* of members: has the root come? */
	uint64_t latest; /* ...: the largest mark of those who have come, and are waited for */
	uint32_t first_mark, last_mark; /* of messages, where there is a client */
};

struct process {
	struct cursor *cursor;
	uint32_t channel; /* of the event that it stands at */
	uint64_t position, ordinal; /* events before it; of a collective, the how manieth it is */
	uint32_t next; /* in a list of those that wait, or of those that can go on */
	bool waits, ended, begun, met; /* ...; is the event begun and not done; has it come to the collective? */
	bool inside; /* the event is a collective that is made of messages; at hand is */
	struct schedule_part part;
	uint32_t *to; /* where sends wait: who is to receive what it has sent; */
	size_t open, open_capacity;
	bool settles, received; /* it waits for them; it has received since it has sent */
	uint64_t mark, heard; /* of the event; of what it has waited for */
};

struct execution {
	struct run *run;
	struct ends ends;
	struct intern *keys;
	struct count *count, *under_way; /* by id of the keys; of a channel of messages */
	size_t capacity, channels, channel_capacity;
	struct process *process;
	uint32_t processes, first, last; /* those that can go on */
	enum sending sending;
	const struct schedule_client *client; /* or NULL */
	bool enough; /* for the client */
	struct mark *mark;
	size_t mark_capacity;
	uint32_t marks, free_mark;
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
	x->count[id] = (struct count){.waiting = NOBODY, .first_mark = NOBODY};
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
	x->process[p].waits = x->process[p].settles = false;
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
		x->process[p].heard = c->latest;
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

/* ------------------------------------------------------------------ messages */

static bool sends_wait(const struct execution *x)
{
	return x->sending == SENDS_EXCHANGED || x->sending == SENDS_SYNCHRONOUS;
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

static void put_mark(struct execution *x, struct count *c, uint64_t mark)
{
	uint32_t at = x->free_mark;
	if (at != NOBODY) {
		x->free_mark = x->mark[at].next;
	} else {
		at = x->marks++;
		x->mark = mem_grow(x->mark, &x->mark_capacity, x->marks, sizeof *x->mark);
	}
	x->mark[at] = (struct mark){mark, NOBODY};
	if (c->first_mark == NOBODY)
		c->first_mark = at;
	else
		x->mark[c->last_mark].next = at;
	c->last_mark = at;
}

static uint64_t take_mark(struct execution *x, struct count *c)
{
	uint32_t at = c->first_mark;
	c->first_mark = x->mark[at].next;
	x->mark[at].next = x->free_mark;
	x->free_mark = at;
	return x->mark[at].mark;
}

static enum event_match match_of(const struct process *process)
{
	if (process->inside)
		return process->part.sends ? MATCH_OUT : MATCH_IN;
	return kind_rows[node_of(process->cursor->at.store, process->cursor->event)->sub].match;
}

static uint32_t peer_of(struct process *process)
{
	struct cursor *c = process->cursor;
	return process->inside ? process->part.peer
			       : (uint32_t)number_at(&c->at, node_kid(c->at.store, c->event, COLUMN_PEER));
}

/* A channel is known as long as messages of it are under way, or waited for. */
static struct count *under_way(struct execution *x, struct process *process, uint32_t from, uint32_t to)
{
	if (process->inside)
		return count_of(x, process->channel, PARTS, (uint64_t)from << 32 | to);
	uint32_t channel = ends_channel(&x->ends, &process->cursor->at, process->cursor->event);
	process->channel = channel;
	x->under_way = mem_grow(x->under_way, &x->channel_capacity, (size_t)channel + 1, sizeof *x->under_way);
	for (; x->channels <= channel; x->channels++)
		x->under_way[x->channels] = (struct count){.waiting = NOBODY, .first_mark = NOBODY};
	return &x->under_way[channel];
}

static bool receive(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	struct count *c = under_way(x, process, process->part.peer, p);
	if (!c->count)
		return wait_at(x, c, p);
	uint32_t from = process->inside ? process->part.peer : ends_key(&x->ends, process->channel)->from;
	if (x->client)
		process->heard = take_mark(x, c);
	if (!--c->count && process->inside)
		forget(x, c);
	else if (!c->count)
		intern_forget(x->ends.channels, process->channel);
	process->received = true;
	if (sends_wait(x))
		settle_one(x, from, p);
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
	struct count *c = under_way(x, process, p, process->part.peer);
	if (sends_wait(x))
		*MEM_PUSH(process->to, process->open, process->open_capacity) = peer_of(process);
	c->count++;
	if (x->client)
		put_mark(x, c, process->mark);
	wake(x, c);
	return x->sending != SENDS_SYNCHRONOUS || settle(x, p);
}

/* ------------------------------------------------------------------ collectives */

static enum collective_wait wait_of(const struct execution *x, const struct process *process)
{
	const struct store *s = process->cursor->at.store;
	if (x->sending == SENDS_BUFFERED)
		return collective_wait_of(s, process->cursor->event);
	const char *name = store_get_word(s, node_of(s, process->cursor->event)->word);
	return sends_wait(x) || collective_scope(name) == SCOPE_GROUP ? WAITS_FOR_ALL : WAITS_FOR_NOBODY;
}

static int64_t root_of(struct process *process)
{
	node_id root = node_kid(process->cursor->at.store, process->cursor->event, COLUMN_ROOT);
	return root ? number_at(&process->cursor->at, root) : -1;
}

/* What those who go on from here have waited for. */
static void note_coming(struct count *c, const struct process *process, enum collective_wait wait, bool root)
{
	bool counts = wait == WAITS_FOR_ALL || (wait == WAITS_FOR_ROOT && root) || wait == ROOT_WAITS_FOR_ALL;
	if (counts && process->mark > c->latest)
		c->latest = process->mark;
}

static bool meet(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	enum collective_wait wait = wait_of(x, process);
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
	if (!again)
		note_coming(c, process, wait, root);
	struct ranks group = ends_group(&x->ends, process->channel);
	bool all = c->count == ranks_count(&group);
	if (!again && (all || (root && wait == WAITS_FOR_ROOT)))
		wake(x, c);
	bool nobody = wait == ROOT_WAITS_FOR_ALL && !root,
	     free_to_go = all || (wait == WAITS_FOR_ROOT && c->root) || nobody;
	if (free_to_go && !nobody)
		process->heard = c->latest;
	if (all)
		forget(x, c);
	return free_to_go || wait_at(x, c, p);
}

/* ------------------------------------------------------------------ events */

/* False: the process waits in this event. */
static bool execute(struct execution *x, uint32_t p, bool again)
{
	switch (match_of(&x->process[p])) {
	case MATCH_NONE:
		return true;
	case MATCH_OUT:
		return send(x, p, again);
	case MATCH_IN:
		return receive(x, p);
	case MATCH_GROUP:
		return settle(x, p) && meet(x, p);
	}
	return true;
}

static const struct schedule_part *part_of(const struct process *process)
{
	return process->inside ? &process->part : NULL;
}

static void be_done(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	const struct schedule_client *client = x->client;
	process->begun = false;
	process->position += !process->inside;
	if (client && !client->done(client->context, p, process->cursor, part_of(process), process->heard))
		x->enough = true;
}

static void come(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	process->begun = true;
	process->met = false;
	process->heard = 0;
	if (x->client)
		process->mark = x->client->comes(x->client->context, p, process->cursor, part_of(process));
}

/* To the next message of a collective; where there is none, it is done. */
static bool come_to_part(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	if (x->client->part(x->client->context, p, process->cursor, &process->part)) {
		come(x, p);
		return true;
	}
	process->inside = false;
	be_done(x, p);
	return false;
}

/* False: there is none, or nothing more is wanted. */
static bool come_to_next(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	while (!process->inside || !come_to_part(x, p)) {
		if (x->enough || !cursor_next(process->cursor)) {
			process->ended = !process->cursor->at.failure;
			return false;
		}
		come(x, p);
		if (match_of(process) != MATCH_GROUP)
			return true;
		process->channel = ends_channel(&x->ends, &process->cursor->at, process->cursor->event);
		process->inside = x->client && x->client->part;
		if (!process->inside)
			return true;
	}
	return true;
}

/* As far as it comes, or a turn. */
static void take_turn(struct execution *x, uint32_t p)
{
	bool again = x->process[p].begun;
	for (unsigned left = TURN; left && !x->enough; left--, again = false) {
		if (!again && !come_to_next(x, p))
			return;
		if (!execute(x, p, again))
			return;
		be_done(x, p);
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
	if (wait_of(x, process) == WAITS_FOR_ROOT)
		return (uint32_t)root_of(process);
	for (uint32_t member; ranks_next(&group, &next, &member);)
		if (count_of(x, process->channel, MEETINGS, member)->count < process->ordinal)
			return member;
	return NOBODY;
}

/* Of those who wait themselves. */
static uint32_t waits_for(struct execution *x, uint32_t p)
{
	struct process *process = &x->process[p];
	if (!process->waits)
		return NOBODY;
	uint32_t other = process->settles                ? process->to[0]
			 : match_of(process) == MATCH_IN ? peer_of(process)
							 : absent(x, p);
	return other < x->processes && x->process[other].waits ? other : NOBODY;
}

static void tell_wait(struct process *process, uint32_t other, struct text *cycle)
{
	enum event_match match = match_of(process);
	if (process->settles && !(match == MATCH_OUT && peer_of(process) == other))
		text_format(cycle, "', before which rank %" PRIu32 " is to receive what it was sent", other);
	else if (match == MATCH_GROUP)
		text_format(cycle, "', to which rank %" PRIu32 " comes later", other);
	else
		text_format(
			cycle, "', which rank %" PRIu32 " %s later", other, match == MATCH_OUT ? "receives" : "sends");
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
			tell_wait(process, other, cycle);
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

static void begin(struct execution *x)
{
	x->processes = run_environment(x->run).processes;
	x->first = x->free_mark = NOBODY;
	x->ends = ends_new(x->run);
	x->keys = intern_new_keys(sizeof(struct count_key));
	x->process = mem_zero((x->processes + (size_t)1) * sizeof *x->process);
	for (uint32_t p = 0; p < x->processes; p++) {
		x->process[p].cursor = cursor_new(x->run, p);
		go_on(x, p);
	}
}

static void execute_all(struct execution *x)
{
	while (x->first != NOBODY && !x->enough) {
		uint32_t p = x->first;
		x->first = x->process[p].next;
		take_turn(x, p);
	}
}

static void end(struct execution *x)
{
	for (uint32_t p = 0; p < x->processes; p++) {
		cursor_free(x->process[p].cursor);
		free(x->process[p].to);
	}
	free(x->process);
	free(x->count);
	free(x->under_way);
	free(x->mark);
	intern_free(x->keys);
	ends_clear(&x->ends);
}

enum schedule schedule_find(struct run *run, enum sending sending, uint64_t budget, struct text *cycle)
{
	struct execution x = {.run = run, .sending = sending};
	if (is_too_much(run, run_environment(run).processes, budget))
		return SCHEDULE_UNKNOWN;
	begin(&x);
	execute_all(&x);
	enum schedule result = find_cycle(&x, cycle);
	end(&x);
	return result;
}

bool schedule_run(struct run *run, const struct schedule_client *client)
{
	struct execution x = {.run = run, .client = client};
	begin(&x);
	execute_all(&x);
	bool all = true;
	for (uint32_t p = 0; p < x.processes; p++)
		all = all && x.process[p].ended;
	all = all || x.enough;
	end(&x);
	return all;
}
