/*
 * oracle.c -- runs a model as it stands, event by event, keeping for each the loops and iterations
 * around it.
 *
 * Nothing is shared with merge/ or with the projections of model/: a listing is performed by plain
 * recursion, every event by every process that it names. Slow, and therefore easy to believe.
 */
#include "tests/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

/* One iteration of one loop of the listing. */
struct frame {
	struct frame *outer;
	size_t index; /* of the loop in the body around it */
	unsigned depth;
	uint32_t process; /* who acts in it; */
	bool several; /* others too */
};

struct ends {
	const struct frame **frame;
	size_t length, capacity;
};

struct oracle {
	const struct model *model;
	struct dictionary *dictionary; /* of the run */
	uint32_t *event_of; /* by event of the model: that of the run */
	struct stream *stream;
	struct intern *side;
	struct ends *ends; /* by side */
	size_t sides;
	struct arena *frames;
};

struct side {
	uint32_t kind, from, to, subject, member;
};

static struct side side_of(const struct event *e, uint32_t process)
{
	switch ((enum event_kind)e->kind) {
	case EVENT_SEND:
		return (struct side){EVENT_SEND, process, e->peer, e->subject, 0};
	case EVENT_RECV:
		return (struct side){EVENT_RECV, e->peer, process, e->subject, 0};
	default:
		return (struct side){e->kind, 0, 0, e->subject, process};
	}
}

static void perform(struct oracle *o, uint32_t event, uint32_t process, struct frame *frame)
{
	for (struct frame *f = frame; f; f = f->outer) {
		if (f->process == UINT32_MAX)
			f->process = process;
		else
			f->several |= f->process != process;
	}
	uint32_t own = event_as(o->dictionary, event, process);
	struct stream *s = &o->stream[process];
	s->event = mem_grow(s->event, &s->capacity, s->length + 1, sizeof *s->event);
	s->event[s->length++] = own;
	const struct event *e = dictionary_get_event(o->dictionary, own);
	if (!kind_matches(e->kind))
		return;
	struct side side = side_of(e, process);
	uint32_t id = intern_id(o->side, &side, sizeof side);
	size_t before = o->sides;
	o->ends = mem_grow(o->ends, &o->sides, (size_t)id + 1, sizeof *o->ends);
	if (o->sides > before)
		memset(o->ends + before, 0, (o->sides - before) * sizeof *o->ends);
	struct ends *x = &o->ends[id];
	x->frame = mem_grow(x->frame, &x->capacity, x->length + 1, sizeof *x->frame);
	x->frame[x->length++] = frame;
}

static void perform_body(struct oracle *o, struct body body, struct frame *frame)
{
	for (size_t i = 0; i < body.length; i++) {
		if (!node_is_loop(body.node[i])) {
			struct ranks_run single;
			struct ranks view = event_processes(o->model->dictionary, body.node[i], &single), who = {0};
			ranks_copy(&who, &view);
			struct ranks_walk walk = {0};
			for (uint32_t p; ranks_next(&who, &walk, &p);)
				perform(o, o->event_of[body.node[i]], p, frame);
			ranks_clear(&who);
			continue;
		}
		for (uint64_t k = 0; k < nest_get(o->model->nest, body.node[i])->count; k++) {
			struct frame *inner = arena_alloc(o->frames, sizeof *inner);
			*inner = (struct frame){.outer = frame,
				.index = i,
				.depth = frame ? frame->depth + 1 : 1,
				.process = UINT32_MAX};
			perform_body(o, nest_body(o->model->nest, body.node[i]), inner);
		}
	}
}

/* Are two events in the same iteration of every loop that both are in? own: of one process, which
   may talk to itself across iterations of a loop that nobody shares with it: recognition made that
   loop, not the reduction. */
static bool same_iterations(const struct frame *a, const struct frame *b, bool own)
{
	while (a && (!b || a->depth > b->depth))
		a = a->outer;
	while (b && (!a || b->depth > a->depth))
		b = b->outer;
	if (a == b)
		return true;
	while (a->outer != b->outer) {
		a = a->outer;
		b = b->outer;
	}
	return a->index != b->index || (own && !a->several);
}

static const char *compare_ends(const struct ends *a, const struct ends *b, bool complete, bool own)
{
	if (complete && a->length != b->length)
		return "the oracle counts unmatched messages";
	for (size_t i = 0; i < a->length && i < b->length; i++)
		if (!same_iterations(a->frame[i], b->frame[i], own))
			return "a message (or sync) crosses iterations";
	return NULL;
}

static const char *match_all(struct oracle *o, bool complete)
{
	const char *why = NULL;
	for (uint32_t id = 0; !why && id < intern_count(o->side); id++) {
		struct side other = *(const struct side *)intern_data(o->side, id, NULL);
		if (other.kind == EVENT_SYNC) {
			struct ranks who = dictionary_get_ranks(
				o->dictionary, dictionary_get_sync(o->dictionary, other.subject)->group);
			other.member = who.run[0].first;
		} else {
			other.kind = other.kind == EVENT_SEND ? EVENT_RECV : EVENT_SEND;
		}
		uint32_t partner = intern_find(o->side, &other, sizeof other);
		if (partner != INTERN_NONE)
			why = compare_ends(&o->ends[id], &o->ends[partner], complete,
				other.kind != EVENT_SYNC && other.from == other.to);
		else if (complete)
			why = "the oracle misses one side of a channel";
	}
	return why;
}

static struct oracle start(const struct model *m, struct dictionary *d)
{
	return (struct oracle){.model = m,
		.dictionary = d,
		.event_of = dictionary_import(d, m->dictionary, NULL, false),
		.stream = mem_zero(m->processes * sizeof(struct stream)),
		.side = intern_new(),
		.frames = arena_new()};
}

static void end(struct oracle *o)
{
	for (uint32_t i = 0; i < intern_count(o->side); i++)
		free(o->ends[i].frame);
	free(o->ends);
	free(o->event_of);
	intern_free(o->side);
	arena_free(o->frames);
}

struct stream *oracle_streams(const struct model *m, struct dictionary *d)
{
	struct oracle o = start(m, d);
	perform_body(&o, (struct body){m->nest->root, m->nest->root_length}, NULL);
	end(&o);
	return o.stream;
}

void streams_free(struct stream *s, uint32_t processes)
{
	for (uint32_t p = 0; p < processes; p++)
		free(s[p].event);
	free(s);
}

static bool same_streams(const struct stream *a, const struct stream *b, uint32_t processes)
{
	for (uint32_t p = 0; p < processes; p++)
		if (a[p].length != b[p].length ||
			(a[p].length && memcmp(a[p].event, b[p].event, a[p].length * sizeof *a[p].event)))
			return false;
	return true;
}

const char *oracle_check(const struct model *m, struct dictionary *d, const struct stream *stream, bool complete)
{
	struct oracle o = start(m, d);
	perform_body(&o, (struct body){m->nest->root, m->nest->root_length}, NULL);
	const char *why =
		same_streams(o.stream, stream, m->processes) ? match_all(&o, complete) : "the model is not the trace";
	streams_free(o.stream, m->processes);
	end(&o);
	return why;
}
