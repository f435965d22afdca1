/*
 * flows.c -- one pass over the loops, which stand in a nest after all that they hold.
 *
 * A channel with as many sends as receives in an iteration is closed: its messages stay inside the iteration (what the reduction
 * guarantees). On any other, all messages count as going out, since which of them meet inside cannot be said of every iteration.
 */
#include "viz/flows.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"

uint32_t flows_channel(struct flows *f, const struct event *e)
{
	struct channel c = {e->process, e->peer, e->subject};
	if (e->kind == EVENT_RECV)
		c = (struct channel){e->peer, e->process, e->subject};
	return intern_id(f->channels, &c, sizeof c);
}

/* Counters by channel, and which of them are in use. */
struct tally {
	struct flow *flow;
	uint32_t *touched;
	size_t capacity, touched_capacity, length;
};

static struct flow *tally_at(struct tally *t, uint32_t channel)
{
	if (channel >= t->capacity) {
		size_t old = t->capacity;
		t->flow = mem_grow(t->flow, &t->capacity, channel + 1, sizeof *t->flow);
		for (size_t i = old; i < t->capacity; i++)
			t->flow[i] = (struct flow){0};
	}
	struct flow *flow = &t->flow[channel];
	if (!flow->sends && !flow->receives) {
		t->touched = mem_grow(t->touched, &t->touched_capacity, t->length + 1, sizeof *t->touched);
		t->touched[t->length++] = channel;
	}
	return flow;
}

static void count_loop(struct flows *f, struct tally *t, uint32_t loop)
{
	const struct nest *nest = f->model->nest;
	node self = loop | NODE_LOOP;
	uint64_t count = nest_get(nest, self)->count, events = 0, messages = 0;
	struct body body = nest_body(nest, self);
	t->length = 0;
	for (size_t i = 0; i < body.length; i++) {
		node n = body.node[i];
		if (node_is_loop(n)) {
			uint32_t inner = n & ~NODE_LOOP;
			events = saturating_add(events, f->events[inner]);
			messages = saturating_add(messages, f->messages[inner]);
			for (size_t k = 0; k < f->opens[inner]; k++) {
				struct flow *flow = tally_at(t, f->open[inner][k].channel);
				flow->sends = saturating_add(flow->sends, f->open[inner][k].sends);
				flow->receives = saturating_add(flow->receives, f->open[inner][k].receives);
			}
			continue;
		}
		const struct event *e = dictionary_get_event(f->model->dictionary, n);
		struct ranks_run single;
		struct ranks processes = event_processes(f->model->dictionary, n, &single);
		events = saturating_add(events, ranks_count(&processes));
		messages = saturating_add(messages, e->kind == EVENT_SEND);
		if (e->kind == EVENT_SEND)
			tally_at(t, flows_channel(f, e))->sends++;
		else if (e->kind == EVENT_RECV)
			tally_at(t, flows_channel(f, e))->receives++;
	}
	f->events[loop] = saturating_multiply(events, count);
	f->messages[loop] = saturating_multiply(messages, count);
	size_t opens = 0;
	for (size_t i = 0; i < t->length; i++)
		opens += t->flow[t->touched[i]].sends != t->flow[t->touched[i]].receives;
	f->open[loop] = mem_array(opens, sizeof **f->open);
	for (size_t i = 0; i < t->length; i++) {
		struct flow *flow = &t->flow[t->touched[i]];
		if (flow->sends != flow->receives && count)
			f->open[loop][f->opens[loop]++] = (struct flow){
				t->touched[i], saturating_multiply(flow->sends, count), saturating_multiply(flow->receives, count)};
		*flow = (struct flow){0};
	}
}

struct flows *flows_new(const struct model *m)
{
	struct flows *f = mem_zero(sizeof *f);
	size_t loops = m->nest->loops;
	f->model = m;
	f->channels = intern_new();
	f->events = mem_zero((loops + 1) * sizeof *f->events);
	f->messages = mem_zero((loops + 1) * sizeof *f->messages);
	f->open = mem_zero((loops + 1) * sizeof(struct flow *));
	f->opens = mem_zero((loops + 1) * sizeof *f->opens);
	struct tally t = {0};
	for (uint32_t i = 0; i < loops; i++)
		count_loop(f, &t, i);
	free(t.flow);
	free(t.touched);
	return f;
}

void flows_free(struct flows *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->model->nest->loops; i++)
		free(f->open[i]);
	free(f->open);
	free(f->opens);
	free(f->events);
	free(f->messages);
	intern_free(f->channels);
	free(f);
}
