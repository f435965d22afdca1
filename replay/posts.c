/*
 * posts.c -- requests find the places of their other ends by counting events.
 */
#include "replay/posts.h"

#include <stdlib.h>
#include <string.h>

#include "ask/consistency.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/module_parts.h"

/* Programs of more statements, and what is looked at of one: processes, executions, events
   counted. */
#define STATEMENTS_MOST 3000
#define PROCESSES_MOST 16
#define EXECUTIONS_MOST 256
#define COUNTED_MOST 65536

/* Requests under way, with a variable each. */
#define SLOTS_MOST 32

#define NOWHERE OVERVIEW_NONE

/* ------------------------------------------------------------------ what statements say */

static const struct overview_line *line_of(const struct posts *p, size_t at)
{
	return &p->overview->line[at];
}

/* Does it depend on an index of the loops above so many? uses: as seen from the statement. */
static bool asks_above(const struct posts *p, size_t at, uint64_t uses, uint32_t depth)
{
	uint32_t inside = line_of(p, at)->loops - depth;
	return uses & USES_INDICES & ~(USES_INDEX(inside) - 1);
}

/* A number that depends on no index of loops above so many. */
static node_id number_of(const struct posts *p, size_t at, const char *name, uint32_t depth)
{
	node_id number = overview_attribute(p->overview, at, name);
	bool asks = number && asks_above(p, at, node_of(p->overview->store, number)->uses[FOR_ALL], depth);
	return asks ? NODE_NONE : number;
}

static bool is_request(const struct post *p)
{
	return p->how == PASSING_REQUEST || p->how == PASSING_STARTED;
}

static enum passing how_sent(const char *call)
{
	if (!strcmp(call, "MPI_Send") || !strcmp(call, "MPI_Rsend"))
		return PASSING_BLOCKING;
	if (!strcmp(call, "MPI_Ssend"))
		return PASSING_SYNCHRONOUS;
	if (!strcmp(call, "MPI_Isend") || !strcmp(call, "MPI_Issend") || !strcmp(call, "MPI_Irsend"))
		return PASSING_REQUEST;
	return !strcmp(call, "MPI_Start") || !strcmp(call, "MPI_Startall") ? PASSING_STARTED : PASSING_ANYHOW;
}

static enum passing how_received(const char *call, const char *other)
{
	if (!strcmp(call, "MPI_Recv") || !strcmp(call, "MPI_Mrecv"))
		return PASSING_BLOCKING;
	if (!strcmp(other, "MPI_Start") || !strcmp(other, "MPI_Startall"))
		return PASSING_STARTED;
	return !strncmp(call, "MPI_Wait", 8) || !strncmp(call, "MPI_Test", 8) ? PASSING_REQUEST : PASSING_ANYHOW;
}

static bool is_exchange(const struct posts *p, size_t at, enum event_kind kind)
{
	return overview_is_kind(p->overview, at, kind) && !overview_is_guarded(p->overview, at) &&
	       !strncmp(overview_attribute_word(p->overview, at, "call"), "MPI_Sendrecv", 12);
}

static bool processes_meet(const struct posts *p, size_t a, size_t b)
{
	return ranks_meet(&p->overview->line[a].who, &p->overview->line[b].who);
}

static bool is_beside(const struct posts *p, size_t at, size_t other)
{
	return other < p->overview->lines && p->overview->line[other].around == p->overview->line[at].around;
}

/* MPI_Sendrecv is a send with the receive behind it, of any processes each: what is between is
   others'. */
static size_t find_received(const struct posts *p, size_t at)
{
	size_t next = at + 1;
	while (is_beside(p, at, next) && overview_is_event(p->overview, next) &&
		!overview_is_guarded(p->overview, next) && !processes_meet(p, at, next))
		next++;
	if (!is_beside(p, at, next) || !is_exchange(p, next, EVENT_RECV) ||
		overview_node(p->overview, at)->kid[COLUMN_COMMUNICATOR] !=
			overview_node(p->overview, next)->kid[COLUMN_COMMUNICATOR] ||
		p->of[next].how == PASSING_EXCHANGE)
		return NOWHERE;
	for (size_t i = at + 1; i < next; i++)
		if (processes_meet(p, i, next))
			return NOWHERE;
	return next;
}

static void classify(struct posts *p)
{
	struct post *of = p->of;
	for (size_t i = 0; i < p->overview->lines; i++) {
		const char *call = overview_attribute_word(p->overview, i, "call"),
			   *other = overview_attribute_word(p->overview, i, "other");
		of[i] = (struct post){.point = i, .outer = i};
		p->any |= *call != 0;
		if (overview_match(p->overview, i) == MATCH_OUT) {
			of[i].how = how_sent(call);
			of[i].by = completing_of(other);
			of[i].whole = !strcmp(call, "MPI_Startall");
		} else if (overview_match(p->overview, i) == MATCH_IN) {
			of[i].how = how_received(call, other);
			of[i].by = completing_of(call);
			of[i].whole = !strcmp(other, "MPI_Startall");
		}
		of[i].together = of[i].by >= COMPLETING_WAITALL;
	}
	for (size_t i = 0; i < p->overview->lines; i++) {
		size_t received = is_exchange(p, i, EVENT_SEND) ? find_received(p, i) : NOWHERE;
		if (received == NOWHERE)
			continue;
		of[i].how = of[received].how = PASSING_EXCHANGE;
		of[i].whole = !strcmp(overview_attribute_word(p->overview, i, "call"), "MPI_Sendrecv_replace") &&
			      !strcmp(overview_attribute_word(p->overview, received, "call"), "MPI_Sendrecv_replace");
		of[i].with = received;
		of[received].with = of[received].point = i;
	}
}

/* ------------------------------------------------------------------ the other end */

/* The executions of a request inside of a statement, all with their other end in one place, of one
   process; loops from this depth on have known indices. */
struct search {
	const struct posts *posts;
	uint32_t known;
	struct environment e;
	size_t request;
	bool send;
	node_id apart, place; /* place: NODE_NONE: it has none */
	uint64_t executions;
	int64_t target; /* events of the body before it; */
	bool found, failed; /* ... known; not the same for all */
};

static bool knows(const struct search *s, size_t at, uint64_t uses)
{
	return !asks_above(s->posts, at, uses, s->known);
}

/* Events of the process in a statement; false: not known. */
static bool count_events(struct search *s, size_t at, uint64_t *events)
{
	const struct overview_line *line = line_of(s->posts, at);
	*events = 0;
	if (!ranks_has(&line->who, (uint32_t)s->e.p))
		return true;
	if (!knows(s, at, node_of(s->e.store, line->node)->uses[FOR_COUNT]))
		return false;
	s->e.depth = line->loops;
	*events = run_count(s->posts->overview->run, &s->e, line->node);
	s->e.depth = line->loops;
	return !s->e.failure;
}

static void meet_execution(struct search *s, uint64_t before)
{
	int64_t apart = number_at(&s->e, s->apart);
	int64_t place = s->place ? number_at(&s->e, s->place) : 0;
	int64_t target = s->send ? (int64_t)before + 1 + apart : (int64_t)before - place - apart;
	s->failed |= (s->found && s->target != target) || s->e.failure;
	s->found = true;
	s->target = target;
	s->executions++;
}

static void meet(struct search *s, size_t at, uint64_t *before);

static void meet_inside(struct search *s, size_t loop, uint64_t *before)
{
	const struct overview_line *line = s->posts->overview->line;
	const struct node *n = overview_node(s->posts->overview, loop);
	uint32_t depth = line[loop].loops;
	s->failed |= !knows(s, loop, node_of(s->e.store, n->kid[1])->uses[FOR_ALL]);
	s->e.depth = depth;
	int64_t times = s->failed              ? 0
			: n->kind == NODE_LOOP ? loop_trips(&s->e, line[loop].node)
					       : test_holds(&s->e, n->kid[1]);
	s->failed |= s->e.failure != FAILURE_NONE;
	for (int64_t i = 0; i < times && !s->failed && s->executions < EXECUTIONS_MOST; i++) {
		if (n->kind == NODE_LOOP)
			s->e.index[depth] = i;
		for (size_t k = loop + 1; k < line[loop].end; k = line[k].end)
			meet(s, k, before);
	}
	if (n->kind == NODE_LOOP)
		s->e.index[depth] = 0;
}

static void meet(struct search *s, size_t at, uint64_t *before)
{
	const struct overview_line *line = line_of(s->posts, at);
	uint64_t events;
	if (s->failed || s->executions >= EXECUTIONS_MOST)
		return;
	if (s->request > at && s->request < line->end) {
		meet_inside(s, at, before);
		return;
	}
	s->failed |= !count_events(s, at, &events);
	if (at == s->request && events)
		meet_execution(s, *before);
	*before += events;
}

/* The statements of a body. */
struct surroundings {
	size_t from, to, loop; /* NOWHERE: the text's */
};

static struct surroundings body_around(const struct posts *p, size_t at)
{
	size_t loop = line_of(p, at)->around;
	if (loop == NOWHERE)
		return (struct surroundings){0, p->overview->lines, NOWHERE};
	return (struct surroundings){loop + 1, line_of(p, loop)->end, loop};
}

/* Statements before which the other end may be, of one process; `to` may be the body's end. */
static bool places_of(struct search *s, const struct surroundings *body, size_t outer, size_t *first, size_t *last)
{
	const struct overview_line *line = s->posts->overview->line;
	uint64_t before = 0, events;
	s->found = false;
	s->executions = 0;
	for (size_t i = body->from; i < outer; i = line[i].end) {
		s->failed |= !count_events(s, i, &events);
		before += events;
	}
	if (!s->failed)
		meet(s, outer, &before);
	if (!s->found || s->failed || s->target < 0)
		return false;
	*first = *last = NOWHERE;
	before = 0;
	for (size_t i = body->from; i <= body->to && before <= (uint64_t)s->target;) {
		if (before == (uint64_t)s->target) {
			*first = *first == NOWHERE ? i : *first;
			*last = i;
		}
		if (i == body->to || !count_events(s, i, &events))
			break;
		before += events;
		i = line[i].end;
	}
	return *first != NOWHERE;
}

/* Where it may be for all processes. */
static bool places_in(
	const struct posts *p, size_t at, const struct surroundings *body, size_t outer, size_t *first, size_t *last)
{
	const struct ranks *who = &p->overview->line[at].who;
	struct ranks_walk walk = {0};
	uint64_t all = ranks_count(who), step = 1 + (all - 1) / PROCESSES_MOST, number = 0;
	uint32_t depth = p->overview->line[outer].loops;
	struct search s = {
		.posts = p, .known = depth, .request = at, .send = overview_match(p->overview, at) == MATCH_OUT};
	s.apart = number_of(p, at, "apart", depth);
	s.place = s.send ? NODE_NONE : number_of(p, at, "place", depth);
	if (!s.apart || (!s.send && !s.place && overview_attribute(p->overview, at, "place")))
		return false;
	*first = body->from;
	*last = body->to;
	for (uint32_t rank; ranks_next(who, &walk, &rank) && *first <= *last;) {
		size_t from, to = 0;
		if (number++ % step)
			continue;
		overview_start(p->overview, outer, rank, &s.e);
		run_allow(p->overview->run, COUNTED_MOST);
		if (!places_of(&s, body, outer, &from, &to))
			from = NOWHERE;
		*first = from > *first ? from : *first;
		*last = to < *last ? to : *last;
	}
	run_allow(p->overview->run, RUN_STEPS);
	free(s.e.index);
	return *first <= *last;
}

/* ------------------------------------------------------------------ what is completed together */

static bool is_collected(const struct posts *p, size_t at)
{
	return is_request(&p->of[at]) && p->of[at].together && overview_match(p->overview, at) == MATCH_IN;
}

static bool starts_call(const struct posts *p, size_t at)
{
	int64_t before;
	node_id place = number_of(p, at, "place", 0);
	return !place || (number_is_constant(p->overview->store, place, &before) && !before);
}

/* Is all that is in it received by a call that began before it, or goes on through its
   iterations? */
static bool is_part_of_call(const struct posts *p, size_t at)
{
	size_t end = p->overview->line[at].end;
	if (overview_is_event(p->overview, at))
		return is_collected(p, at);
	for (size_t i = at + 1; i < end; i++)
		if (overview_is_event(p->overview, i) && (!is_collected(p, i) || (end - at == 2 && starts_call(p, i))))
			return false;
	return true;
}

static bool begins_call(const struct posts *p, size_t at)
{
	while (!overview_is_event(p->overview, at))
		at++;
	return starts_call(p, at);
}

/* Do processes that are in what was collected begin another call here? */
static bool meets(const struct posts *p, size_t at, const struct ranks *collected)
{
	bool any = false;
	for (size_t i = at; i < p->overview->line[at].end && !any; i++)
		any = overview_is_event(p->overview, i) && ranks_meet(&p->overview->line[i].who, collected);
	return any;
}

static void collect(const struct posts *p, size_t at, struct ranks *collected)
{
	for (size_t i = at; i < p->overview->line[at].end; i++)
		if (overview_is_event(p->overview, i))
			ranks_join(collected, &p->overview->line[i].who);
}

static void find_calls(struct posts *p, size_t from, size_t to)
{
	struct ranks collected = {0};
	for (size_t i = from, next; i < to; i = next) {
		next = p->overview->line[i].end;
		if (!is_part_of_call(p, i)) {
			find_calls(p, i + 1, next);
			continue;
		}
		collect(p, i, &collected);
		p->behind[i] =
			next >= to || !is_part_of_call(p, next) || (begins_call(p, next) && meets(p, next, &collected));
		if (p->behind[i])
			ranks_clear(&collected);
	}
	ranks_clear(&collected);
}

/* The statement with which the call goes on to this one, in the same body. */
static bool is_first_of_call(const struct posts *p, const struct surroundings *body, size_t at)
{
	size_t before = NOWHERE;
	if (at >= body->to || !is_part_of_call(p, at))
		return false;
	for (size_t i = body->from; i < at; i = p->overview->line[i].end)
		before = i;
	return before == NOWHERE || !is_part_of_call(p, before) || p->behind[before];
}

/* ------------------------------------------------------------------ places */

/* As early as may be: then receives that are posted together have one place, though they are of
   different processes. A send before a call that completes receives, too, if that is one of the
   places; without any, it is completed anyhow. */
static void place(struct posts *p, size_t at)
{
	struct post *post = &p->of[at];
	bool send = overview_match(p->overview, at) == MATCH_OUT;
	for (size_t outer = at; outer != NOWHERE; outer = p->overview->line[outer].around) {
		struct surroundings body = body_around(p, outer);
		size_t first, last;
		if (!places_in(p, at, &body, outer, &first, &last) || (first > outer) != send)
			continue;
		size_t point = first;
		for (size_t i = first; send && post->together && i <= last && i < body.to; i = p->overview->line[i].end)
			if (is_first_of_call(p, &body, i)) {
				point = i;
				break;
			}
		if (point == body.to && body.loop == NOWHERE)
			break;
		post->at_end = point == body.to;
		post->point = post->at_end ? body.loop : point;
		post->outer = outer;
		return;
	}
	if (send)
		post->how = PASSING_ANYHOW;
}

/* Messages that may be of one channel are received in the order in which they are posted. */
static bool may_share(const struct node *a, const struct node *b)
{
	return a->word == b->word && a->kid[COLUMN_PEER] == b->kid[COLUMN_PEER] &&
	       a->kid[COLUMN_TAG] == b->kid[COLUMN_TAG] && a->kid[COLUMN_COMMUNICATOR] == b->kid[COLUMN_COMMUNICATOR];
}

static void keep_order(struct posts *p)
{
	struct post *of = p->of;
	for (size_t i = 0; i < p->overview->lines; i++)
		for (size_t k = i + 1; overview_match(p->overview, i) == MATCH_IN && k < p->overview->lines; k++) {
			if (overview_match(p->overview, k) != MATCH_IN || of[k].point > i ||
				of[k].point >= of[i].point ||
				!may_share(overview_node(p->overview, i), overview_node(p->overview, k)))
				continue;
			of[k].point = of[k].outer = k;
			of[i].point = of[i].outer = i;
		}
}

static bool is_sent(const struct posts *p, size_t at)
{
	return is_request(&p->of[at]) && overview_match(p->overview, at) == MATCH_OUT;
}

/* Whoever waits for sends waits for all that are under way: none of them may have its own place
   later. */
static void drop_crossing(struct posts *p)
{
	struct post *of = p->of;
	for (size_t i = 0; i < p->overview->lines; i++) {
		bool crossing = false;
		if (!is_sent(p, i))
			continue;
		size_t end = of[i].at_end ? p->overview->line[of[i].point].end : of[i].point;
		for (size_t k = of[i].outer; k < end && !crossing; k++)
			crossing = is_collected(p, k);
		for (size_t k = 0; k < p->overview->lines && !crossing; k++)
			crossing = is_sent(p, k) && of[k].point > of[i].outer &&
				   (of[k].point < of[i].point || (of[i].at_end && of[k].point < end));
		if (crossing)
			of[i].how = PASSING_ANYHOW;
	}
}

static bool is_of(const struct posts *p, size_t at, const struct others *o)
{
	return p->of[at].point == o->point && p->of[at].outer == o->outer && p->of[at].at_end == o->at_end &&
	       overview_is_kind(p->overview, at, o->kind);
}

bool posts_has(const struct posts *p, size_t at, const struct others *o)
{
	bool any = false;
	for (size_t i = at; i < line_of(p, at)->end && !any; i++)
		any = is_request(&p->of[i]) && is_of(p, i, o);
	return any;
}

bool posts_any_before(const struct posts *p, size_t point)
{
	bool any = posts_waits(p, point, false) != WAITING_NOT;
	for (size_t i = point; p->any && i < p->overview->lines && !any; i = line_of(p, i)->end)
		any = posts_has(p, i, &(struct others){i, point, false, EVENT_RECV});
	return any;
}

bool posts_is_request(const struct posts *p, size_t at)
{
	return is_request(&p->of[at]);
}

/* Where receives are collected, too, one call completes both. */
static bool completes_both(const struct posts *p, size_t point)
{
	while (point < p->overview->lines && !overview_is_event(p->overview, point))
		point++;
	return point < p->overview->lines && is_collected(p, point);
}

bool posts_completes(const struct posts *p, size_t send, size_t point, bool at_end)
{
	return is_request(&p->of[send]) && p->of[send].point == point && p->of[send].at_end == at_end &&
	       overview_match(p->overview, send) == MATCH_OUT;
}

enum completing posts_completed_by(const struct posts *p, size_t point, bool at_end, bool together)
{
	size_t i = 0;
	while (i < p->overview->lines && (!posts_completes(p, i, point, at_end) || p->of[i].together != together))
		i++;
	return i < p->overview->lines ? p->of[i].by : together ? COMPLETING_WAITALL : COMPLETING_WAIT;
}

enum waiting posts_waits(const struct posts *p, size_t point, bool at_end)
{
	enum waiting waiting = WAITING_NOT;
	for (size_t i = 0; p->any && i < p->overview->lines; i++)
		if (posts_completes(p, i, point, at_end))
			waiting = p->of[i].together ? WAITING_TOGETHER : waiting ? waiting : WAITING_EACH;
	return waiting == WAITING_TOGETHER && !at_end && completes_both(p, point) ? WAITING_NOT : waiting;
}

/* ------------------------------------------------------------------ can it deadlock? */

/* The program in which receivers say that they are ready, and senders wait for that. */
struct rehearsal {
	const struct posts *posts;
	const struct overview *from;
	const bool *waits; /* by statement: does any send with such a tag wait? */
};

/* The statements of a body. */
struct rehearsed {
	node_id *kid;
	size_t kids, capacity;
};

static void add(struct rehearsed *to, node_id statement)
{
	*MEM_PUSH(to->kid, to->kids, to->capacity) = statement;
}

static node_id take_body(const struct rehearsal *r, struct rehearsed *body)
{
	node_id sequence =
		node_make(r->from->store, NODE_SEQUENCE, 0, 0, 0, (uint32_t)body->kids, body->kids ? body->kid : NULL);
	free(body->kid);
	return sequence;
}

/* The same loop, or guard, around other statements. */
static void add_around(const struct rehearsal *r, size_t at, struct rehearsed *body, struct rehearsed *to)
{
	const struct node *n = overview_node(r->from, at);
	node_id kid[] = {n->kid[0], n->kid[1], take_body(r, body)};
	add(to, node_make(r->from->store, (enum node_kind)n->kind, 0, n->word, n->number, 3, kid));
}

/* The word that goes the other way. */
static void say_ready(const struct rehearsal *r, size_t at, struct rehearsed *to)
{
	const struct node *n = overview_node(r->from, at);
	enum event_kind kind = kind_sends(n->sub) ? EVENT_RECV : EVENT_SEND;
	struct text word = {0};
	text_format(&word, "ready %s", overview_word(r->from, at));
	uint32_t ready = store_word(r->from->store, word.data, word.length);
	text_clear(&word);
	add(to, node_make(r->from->store, NODE_EVENT, (int)kind, ready, n->number, COLUMNS, n->kid));
}

/* Who receives is ready at the latest where he does. */
static bool is_of_others(const struct rehearsal *r, size_t at, const struct others *o)
{
	return r->waits[at] && is_of(r->posts, at, o) && (kind_receives(o->kind) || is_request(&r->posts->of[at]));
}

static void rehearse_inside(const struct rehearsal *r, size_t at, const struct others *o, struct rehearsed *to)
{
	const struct overview_line *line = r->from->line;
	struct rehearsed body = {0};
	bool any = false;
	for (size_t i = at; i < line[at].end && !any; i++)
		any = is_of_others(r, i, o);
	if (!any)
		return;
	if (overview_is_event(r->from, at)) {
		say_ready(r, at, to);
		return;
	}
	for (size_t i = at + 1; i < line[at].end; i = line[i].end)
		rehearse_inside(r, i, o, &body);
	add_around(r, at, &body, to);
}

static void rehearse_others(const struct rehearsal *r, size_t from, size_t end, size_t point, bool at_end,
	enum event_kind kind, struct rehearsed *to)
{
	for (size_t i = from; i < end; i = r->from->line[i].end)
		rehearse_inside(r, i, &(struct others){i, point, at_end, kind}, to);
}

static node_id rehearse(const struct rehearsal *r, size_t from, size_t end, size_t loop);

static void rehearse_one(const struct rehearsal *r, size_t at, struct rehearsed *to)
{
	const struct overview_line *line = &r->from->line[at];
	if (!overview_is_event(r->from, at)) {
		const struct node *n = overview_node(r->from, at);
		node_id kid[] = {n->kid[0], n->kid[1], rehearse(r, at + 1, line->end, at)};
		add(to, node_with(r->from->store, line->node, kid));
		return;
	}
	add(to, line->node);
	if (overview_match(r->from, at) == MATCH_OUT && !is_request(&r->posts->of[at]) && r->waits[at])
		say_ready(r, at, to);
}

static node_id rehearse(const struct rehearsal *r, size_t from, size_t end, size_t loop)
{
	struct rehearsed to = {0};
	for (size_t i = from; i < end; i = r->from->line[i].end) {
		rehearse_others(r, i, end, i, false, EVENT_RECV, &to);
		rehearse_others(r, from, i, i, false, EVENT_SEND, &to);
		rehearse_one(r, i, &to);
	}
	if (loop != NOWHERE)
		rehearse_others(r, from, end, loop, true, EVENT_SEND, &to);
	return take_body(r, &to);
}

/* The tags of a message in all loops around it. */
struct posted_tags {
	uint32_t word;
	struct range number;
};

static struct posted_tags tags_of(const struct posts *p, size_t at)
{
	const struct node *n = overview_node(p->overview, at);
	struct posted_tags tags = {.word = n->word};
	if (n->kid[COLUMN_TAG] && !overview_range(p->overview, at, n->kid[COLUMN_TAG], &tags.number))
		tags.number = (struct range){INT64_MIN, INT64_MAX};
	return tags;
}

static bool tags_meet(const struct posted_tags *a, const struct posted_tags *b)
{
	return a->word == b->word && a->number.high >= b->number.low && b->number.high >= a->number.low;
}

/* Do sends wait with which each message may have to do, by statement? mixed: they do where others
   with such tags do not. False: none waits at all. */
static bool find_waits(const struct posts *p, bool *waits, bool *mixed)
{
	size_t lines = p->overview->lines;
	struct posted_tags *tags = mem_zero((lines + 1) * sizeof *tags);
	bool any = false, more = true, *message = mem_zero((lines + 1) * sizeof *message);
	for (size_t i = 0; i < lines; i++) {
		bool send = overview_match(p->overview, i) == MATCH_OUT;
		waits[i] = send && p->of[i].how != PASSING_ANYHOW;
		mixed[i] = false;
		any |= waits[i];
		message[i] = send || overview_match(p->overview, i) == MATCH_IN;
		if (message[i])
			tags[i] = tags_of(p, i);
	}
	while (any && more) {
		more = false;
		for (size_t i = 0; i < lines; i++)
			for (size_t k = 0; waits[i] && k < lines; k++)
				if (!waits[k] && message[k] && tags_meet(&tags[i], &tags[k]))
					waits[k] = more = true;
	}
	for (size_t i = 0; i < lines; i++) {
		bool waiting = waits[i] && overview_match(p->overview, i) == MATCH_OUT;
		for (size_t k = 0; waiting && k < lines && !mixed[i]; k++)
			mixed[i] = overview_match(p->overview, k) == MATCH_OUT && p->of[k].how == PASSING_ANYHOW &&
				   tags_meet(&tags[i], &tags[k]);
	}
	free(tags);
	free(message);
	return any;
}

static bool can_end(const struct posts *p, const bool *waits)
{
	struct rehearsal r = {p, p->overview, waits};
	struct consistency c;
	struct text cycle = {0};
	node_id body = rehearse(&r, 0, p->overview->lines, NOWHERE);
	size_t lines = node_of(p->overview->store, body)->lines;
	struct module *m =
		module_with(p->overview->module, body, mem_zero((lines + 1) * sizeof(struct inlined_line)), NULL);
	struct run *run = run_new(m, NULL);
	consistency_of(run, &c);
	bool ends = c.schedule == SCHEDULE_THERE ||
		    (!c.run && schedule_find(run, SENDS_BUFFERED, SCHEDULE_BUDGET, &cycle) == SCHEDULE_THERE);
	consistency_clear(&c);
	text_clear(&cycle);
	run_free(run);
	module_free(m);
	return ends;
}

/* which: by statement; NULL: all. */
static void let_nobody_wait(struct posts *p, const bool *which)
{
	for (size_t i = 0; i < p->overview->lines; i++) {
		struct post *post = &p->of[i];
		bool ours = !which || which[post->how == PASSING_EXCHANGE && post->with < i ? post->with : i];
		if (ours && (overview_match(p->overview, i) == MATCH_OUT || post->how == PASSING_EXCHANGE))
			*post = (struct post){.how = PASSING_ANYHOW, .point = i, .outer = i};
	}
}

/* Sends whose calls are not known count as if they waited, where others do. If that is too much,
   these are given up first. */
static void prove(struct posts *p)
{
	size_t lines = p->overview->lines;
	bool *waits = mem_zero((lines + 1) * sizeof *waits), *mixed = mem_zero((lines + 1) * sizeof *mixed);
	bool any = find_waits(p, waits, mixed);
	if (any && !can_end(p, waits)) {
		let_nobody_wait(p, mixed);
		if (find_waits(p, waits, mixed) && !can_end(p, waits)) {
			let_nobody_wait(p, NULL);
			p->blocks = true;
		}
	}
	free(waits);
	free(mixed);
}

/* ------------------------------------------------------------------ variables */

/* Where a request is under way. */
static void find_extent(const struct posts *p, size_t at, size_t *from, size_t *to)
{
	const struct post *post = &p->of[at];
	bool send = overview_match(p->overview, at) == MATCH_OUT;
	*from = send ? at : post->point;
	*to = !send ? at : post->at_end ? line_of(p, post->point)->end : post->point;
}

/* Is one of those before it in a variable, while it is under way? */
static bool is_in_use(const struct posts *p, uint32_t slot, size_t at)
{
	size_t from, to, other_from, other_to;
	bool meets = false;
	find_extent(p, at, &from, &to);
	for (size_t i = 0; i < at && !meets; i++) {
		if (!is_request(&p->of[i]) || p->of[i].slot != slot)
			continue;
		find_extent(p, i, &other_from, &other_to);
		meets = other_from <= to && from <= other_to;
	}
	return meets;
}

static void find_slots(struct posts *p)
{
	for (size_t i = 0; i < p->overview->lines; i++)
		if (is_request(&p->of[i]) &&
			(p->of[i].how == PASSING_STARTED || p->of[i].together || p->of[i].outer != i))
			return;
	for (size_t i = 0; i < p->overview->lines; i++) {
		if (!is_request(&p->of[i]))
			continue;
		while (p->of[i].slot < SLOTS_MOST && is_in_use(p, p->of[i].slot, i))
			p->of[i].slot++;
		if (p->of[i].slot == SLOTS_MOST) {
			p->slots = 0;
			return;
		}
		p->slots = p->of[i].slot >= p->slots ? p->of[i].slot + 1 : p->slots;
	}
}

/* ------------------------------------------------------------------ all of it */

void posts_of(struct posts *p, const struct overview *o)
{
	*p = (struct posts){.overview = o,
		.of = mem_zero((o->lines + 1) * sizeof *p->of),
		.behind = mem_zero((o->lines + 1) * sizeof *p->behind)};
	if (o->lines <= STATEMENTS_MOST)
		classify(p);
	if (!p->any)
		return;
	find_calls(p, 0, o->lines);
	for (size_t i = 0; i < o->lines; i++)
		if (is_request(&p->of[i]))
			place(p, i);
	keep_order(p);
	drop_crossing(p);
	prove(p);
	find_slots(p);
}

void posts_clear(struct posts *p)
{
	free(p->of);
	free(p->behind);
}
