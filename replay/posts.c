/*
 * posts.c -- requests find the places of their other ends by counting events.
 */
#include "replay/posts.h"

#include <stdlib.h>
#include <string.h>

#include "ask/causality.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/iteration.h"

/* Programs of more statements, and what is looked at of one: processes, executions, events
   counted. */
#define STATEMENTS_MOST 3000
#define PROCESSES_MOST 16
#define EXECUTIONS_MOST 256
#define COUNTED_MOST 65536

/* Requests under way, with a variable each. */
#define SLOTS_MOST 32

#define NOWHERE SIZE_MAX

struct post_search {
	struct posts *posts;
	struct program *f;
	uint32_t call, other, apart, place; /* names of attributes */
};

/* ------------------------------------------------------------------ what statements say */

/* A number that depends on no index of loops above so many. */
static bool number_of(const struct post_search *x, size_t at, uint32_t name, uint32_t depth, struct value *value)
{
	struct attribute a;
	if (!program_attribute(x->f, at, name, &a) || a.choices != CHOICES_NONE)
		return false;
	*value = a.value;
	return !(value_indices(value) & ((UINT32_C(1) << depth) - 1));
}

static bool is_message(const struct post_search *x, size_t at, enum event_kind kind)
{
	const struct statement *s = &x->f->statement[at];
	return !statement_is_loop(s) && statement_kind(x->f, s) == kind;
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

/* Other calls complete as MPI_Wait does. */
static enum completing completed_by(const char *call)
{
	static const char *const calls[COMPLETINGS] = {"MPI_Wait", "MPI_Waitany", "MPI_Waitsome", "MPI_Test",
		"MPI_Testany", "MPI_Testsome", "MPI_Waitall", "MPI_Testall"};
	unsigned i = 0;
	while (i < COMPLETINGS && strcmp(calls[i], call) != 0)
		i++;
	return i < COMPLETINGS ? (enum completing)i : COMPLETING_WAIT;
}

static enum passing how_received(const char *call, const char *other)
{
	if (!strcmp(call, "MPI_Recv") || !strcmp(call, "MPI_Mrecv"))
		return PASSING_BLOCKING;
	if (!strcmp(other, "MPI_Start") || !strcmp(other, "MPI_Startall"))
		return PASSING_STARTED;
	return !strncmp(call, "MPI_Wait", 8) || !strncmp(call, "MPI_Test", 8) ? PASSING_REQUEST : PASSING_ANYHOW;
}

static bool is_exchange(const struct post_search *x, size_t at, enum event_kind kind)
{
	return is_message(x, at, kind) && !strncmp(program_attribute_word(x->f, at, x->call), "MPI_Sendrecv", 12);
}

static bool same_communicator(const struct post_search *x, size_t a, size_t b)
{
	struct form first = statement_form(x->f, &x->f->statement[a]);
	struct form second = statement_form(x->f, &x->f->statement[b]);
	return !memcmp(&first.communicator, &second.communicator, sizeof first.communicator);
}

static bool processes_meet(const struct post_search *x, size_t a, size_t b)
{
	struct ranks_run first_run, second_run;
	struct ranks first = program_processes(x->f, &x->f->statement[a], &first_run);
	struct ranks second = program_processes(x->f, &x->f->statement[b], &second_run);
	return ranks_meet(&first, &second);
}

/* MPI_Sendrecv is a send with the receive behind it, of any processes each: what is between is
   others'. */
static size_t find_received(const struct post_search *x, size_t at)
{
	size_t next = at + 1;
	while (next < x->f->length && x->posts->around[next] == x->posts->around[at] &&
		!statement_is_loop(&x->f->statement[next]) && !processes_meet(x, at, next))
		next++;
	if (next >= x->f->length || x->posts->around[next] != x->posts->around[at] ||
		!is_exchange(x, next, EVENT_RECV) || !same_communicator(x, at, next) ||
		x->posts->of[next].how == PASSING_EXCHANGE)
		return NOWHERE;
	for (size_t i = at + 1; i < next; i++)
		if (processes_meet(x, i, next))
			return NOWHERE;
	return next;
}

static void classify(struct post_search *x)
{
	struct post *of = x->posts->of;
	for (size_t i = 0; i < x->f->length; i++) {
		const char *call = program_attribute_word(x->f, i, x->call),
			   *other = program_attribute_word(x->f, i, x->other);
		of[i] = (struct post){.point = i, .outer = i};
		x->posts->any |= *call != 0;
		if (is_message(x, i, EVENT_SEND)) {
			of[i].how = how_sent(call);
			of[i].by = completed_by(other);
			of[i].whole = !strcmp(call, "MPI_Startall");
		} else if (is_message(x, i, EVENT_RECV)) {
			of[i].how = how_received(call, other);
			of[i].by = completed_by(call);
			of[i].whole = !strcmp(other, "MPI_Startall");
		}
		of[i].together = of[i].by >= COMPLETING_WAITALL;
	}
	for (size_t i = 0; i < x->f->length; i++) {
		size_t received = is_exchange(x, i, EVENT_SEND) ? find_received(x, i) : NOWHERE;
		if (received == NOWHERE)
			continue;
		of[i].how = of[received].how = PASSING_EXCHANGE;
		of[i].whole = !strcmp(program_attribute_word(x->f, i, x->call), "MPI_Sendrecv_replace") &&
			      !strcmp(program_attribute_word(x->f, received, x->call), "MPI_Sendrecv_replace");
		of[i].with = received;
		of[received].with = of[received].point = i;
	}
}

/* ------------------------------------------------------------------ counting events */

/* One process; loops from this depth on have known indices. */
struct counting {
	const struct post_search *x;
	uint32_t rank, known;
	struct spot spot;
	int64_t index[INDEX_DEPTH];
	uint64_t left; /* of what may be counted */
};

static bool executes(const struct program *f, size_t at, uint32_t rank)
{
	struct ranks_run single;
	struct ranks who = program_processes(f, &f->statement[at], &single);
	return ranks_has(&who, rank);
}

static bool iterations(struct counting *c, size_t at, uint64_t *count)
{
	const struct program *f = c->x->f;
	struct value bound = program_bound(f, &f->statement[at]);
	*count = 0;
	if (value_indices(&bound) & ((UINT32_C(1) << c->known) - 1))
		return false;
	*count = program_count_of(f, at, &c->spot);
	return true;
}

/* Does the count of anything inside depend on the index? */
static bool is_uneven(const struct program *f, size_t loop, uint32_t depth)
{
	bool uneven = false;
	for (size_t i = loop + 1; i < loop + f->statement[loop].size && !uneven; i++)
		if (f->statement[i].bound != BOUND_NONE) {
			struct value bound = program_bound(f, &f->statement[i]);
			uneven = value_indices(&bound) >> depth & 1;
		}
	return uneven;
}

/* Events of the process in a statement; false: not known. */
static bool count_events(struct counting *c, size_t at, uint64_t *events)
{
	const struct program *f = c->x->f;
	const struct statement *s = &f->statement[at];
	uint32_t depth = c->x->posts->depth[at];
	uint64_t times;
	*events = 0;
	if (!c->left || !c->left--)
		return false;
	if (!statement_is_loop(s)) {
		*events = statement_kind(f, s) != EVENT_LOCAL && executes(f, at, c->rank);
		return true;
	}
	if (depth >= INDEX_DEPTH || !iterations(c, at, &times))
		return false;
	bool uneven = is_uneven(f, at, depth), good = true;
	struct iteration i = iteration_start(&c->index[depth], times, !uneven);
	while (iteration_step(&i) && good)
		for (size_t k = at + 1; k < at + s->size && good; k += statement_size(&f->statement[k])) {
			uint64_t more;
			good = count_events(c, k, &more);
			*events += more * i.times;
		}
	c->index[depth] = 0;
	return good;
}

/* ------------------------------------------------------------------ the other end */

/* The executions of a request inside of a statement, all with their other end in one place. */
struct search {
	struct counting counting;
	size_t request;
	bool send;
	struct value apart, place;
	bool placed;
	uint64_t executions;
	int64_t target; /* events of the body before it; */
	bool found, failed; /* ... known; not the same for all */
};

static void meet_execution(struct search *s, uint64_t before)
{
	int64_t apart = value_at(&s->apart, &s->counting.spot);
	int64_t place = s->placed ? value_at(&s->place, &s->counting.spot) : 0;
	int64_t target = s->send ? (int64_t)before + 1 + apart : (int64_t)before - place - apart;
	s->failed |= s->found && s->target != target;
	s->found = true;
	s->target = target;
	s->executions++;
}

static void meet(struct search *s, size_t at, uint64_t *before)
{
	struct counting *c = &s->counting;
	const struct program *f = c->x->f;
	const struct statement *statement = &f->statement[at];
	uint32_t depth = c->x->posts->depth[at];
	uint64_t events, times;
	if (s->failed || s->executions >= EXECUTIONS_MOST)
		return;
	if (at == s->request) {
		if (executes(f, at, c->rank))
			meet_execution(s, (*before)++);
	} else if (s->request < at || s->request >= at + statement_size(statement)) {
		s->failed |= !count_events(c, at, &events);
		*before += events;
	} else if (depth >= INDEX_DEPTH || !iterations(c, at, &times)) {
		s->failed = true;
	} else {
		struct iteration i = iteration_start(&c->index[depth], times, 0);
		while (iteration_step(&i) && !s->failed && s->executions < EXECUTIONS_MOST)
			for (size_t k = at + 1; k < at + statement->size; k += statement_size(&f->statement[k]))
				meet(s, k, before);
		c->index[depth] = 0;
	}
}

/* The statements of a body. */
struct surroundings {
	size_t from, to, loop; /* NOWHERE: the text's */
};

static struct surroundings body_around(const struct posts *p, size_t at)
{
	size_t loop = p->around[at];
	if (loop == NOWHERE)
		return (struct surroundings){0, p->program->length, NOWHERE};
	return (struct surroundings){loop + 1, loop + p->program->statement[loop].size, loop};
}

/* Statements before which the other end may be, of one process; `to` may be the body's end. */
static bool places_of(struct search *s, const struct surroundings *body, size_t outer, size_t *first, size_t *last)
{
	const struct program *f = s->counting.x->f;
	uint64_t before = 0, events;
	s->found = false;
	s->executions = 0;
	for (size_t i = body->from; i < outer; i += statement_size(&f->statement[i])) {
		s->failed |= !count_events(&s->counting, i, &events);
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
		if (i == body->to || !count_events(&s->counting, i, &events))
			break;
		before += events;
		i += statement_size(&f->statement[i]);
	}
	return *first != NOWHERE;
}

/* Where it may be for all processes. */
static bool places_in(const struct post_search *x, size_t at, const struct surroundings *body, size_t outer,
	size_t *first, size_t *last)
{
	struct ranks_run single;
	struct ranks who = program_processes(x->f, &x->f->statement[at], &single);
	struct ranks_walk walk = {0};
	uint64_t all = ranks_count(&who), step = 1 + (all - 1) / PROCESSES_MOST, number = 0;
	uint32_t depth = x->posts->depth[outer];
	struct search s = {.request = at, .send = is_message(x, at, EVENT_SEND)};
	if (!number_of(x, at, x->apart, depth, &s.apart))
		return false;
	struct attribute a;
	s.placed = !s.send && program_attribute(x->f, at, x->place, &a);
	if (s.placed && !number_of(x, at, x->place, depth, &s.place))
		return false;
	*first = body->from;
	*last = body->to;
	for (uint32_t rank; ranks_next(&who, &walk, &rank);) {
		if (number++ % step)
			continue;
		size_t from, to;
		s.counting = (struct counting){.x = x,
			.rank = rank,
			.known = depth,
			.spot = grid_spot(&x->f->grid, rank),
			.left = COUNTED_MOST};
		s.counting.spot.index = s.counting.index;
		if (!places_of(&s, body, outer, &from, &to))
			return false;
		*first = from > *first ? from : *first;
		*last = to < *last ? to : *last;
	}
	return *first <= *last;
}

/* ------------------------------------------------------------------ what is completed together */

static bool is_collected(const struct posts *p, size_t at)
{
	return is_request(&p->of[at]) && p->of[at].together &&
	       statement_kind(p->program, &p->program->statement[at]) == EVENT_RECV;
}

static bool starts_call(const struct post_search *x, size_t at)
{
	struct value place;
	return !number_of(x, at, x->place, 0, &place) || (value_is_constant(&place) && !place.plain.constant);
}

/* Is all that is in it received by a call that began before it, or goes on through its
   iterations? */
static bool is_part_of_call(const struct post_search *x, size_t at)
{
	const struct statement *s = &x->f->statement[at];
	if (!statement_is_loop(s))
		return is_collected(x->posts, at);
	for (size_t i = at + 1; i < at + s->size; i++)
		if (!statement_is_loop(&x->f->statement[i]) &&
			(!is_collected(x->posts, i) || (s->size == 2 && starts_call(x, i))))
			return false;
	return true;
}

static bool begins_call(const struct post_search *x, size_t at)
{
	while (statement_is_loop(&x->f->statement[at]))
		at++;
	return starts_call(x, at);
}

/* Do processes that are in what was collected begin another call here? */
static bool meets(const struct post_search *x, size_t at, const struct ranks *collected)
{
	bool any = false;
	for (size_t i = at; i < at + statement_size(&x->f->statement[at]) && !any; i++) {
		struct ranks_run single;
		struct ranks who = {0};
		if (statement_is_loop(&x->f->statement[i]))
			continue;
		who = program_processes(x->f, &x->f->statement[i], &single);
		any = ranks_meet(&who, collected);
	}
	return any;
}

static void collect(const struct post_search *x, size_t at, struct ranks *collected)
{
	for (size_t i = at; i < at + statement_size(&x->f->statement[at]); i++) {
		struct ranks_run single;
		struct ranks all = {0}, who = {0};
		if (statement_is_loop(&x->f->statement[i]))
			continue;
		who = program_processes(x->f, &x->f->statement[i], &single);
		ranks_unite(&all, collected, &who);
		ranks_clear(collected);
		*collected = all;
	}
}

static void find_calls(struct post_search *x, size_t from, size_t to)
{
	struct ranks collected = {0};
	for (size_t i = from, next; i < to; i = next) {
		next = i + statement_size(&x->f->statement[i]);
		if (!is_part_of_call(x, i)) {
			if (statement_is_loop(&x->f->statement[i]))
				find_calls(x, i + 1, next);
			continue;
		}
		collect(x, i, &collected);
		x->posts->behind[i] =
			next >= to || !is_part_of_call(x, next) || (begins_call(x, next) && meets(x, next, &collected));
		if (x->posts->behind[i])
			ranks_clear(&collected);
	}
	ranks_clear(&collected);
}

/* The statement with which the call goes on to this one, in the same body. */
static bool is_first_of_call(const struct post_search *x, const struct surroundings *body, size_t at)
{
	size_t before = NOWHERE;
	if (at >= body->to || !is_part_of_call(x, at))
		return false;
	for (size_t i = body->from; i < at; i += statement_size(&x->f->statement[i]))
		before = i;
	return before == NOWHERE || !is_part_of_call(x, before) || x->posts->behind[before];
}

/* ------------------------------------------------------------------ places */

/* As early as may be: then those that are posted together have one place, though they are of
   different processes. */
static void place_receive(struct post_search *x, size_t at)
{
	struct post *p = &x->posts->of[at];
	for (size_t outer = at; outer != NOWHERE; outer = x->posts->around[outer]) {
		struct surroundings body = body_around(x->posts, outer);
		size_t first, last;
		if (places_in(x, at, &body, outer, &first, &last) && first <= outer) {
			p->point = first;
			p->outer = outer;
			return;
		}
	}
}

/* Before a call that completes receives, too, if that is one of the places. */
static void place_send(struct post_search *x, size_t at)
{
	struct post *p = &x->posts->of[at];
	for (size_t outer = at; outer != NOWHERE; outer = x->posts->around[outer]) {
		struct surroundings body = body_around(x->posts, outer);
		size_t first, last;
		if (!places_in(x, at, &body, outer, &first, &last) || first <= outer)
			continue;
		size_t point = first;
		for (size_t i = first; p->together && i <= last && i < body.to;
			i += statement_size(&x->f->statement[i]))
			if (is_first_of_call(x, &body, i)) {
				point = i;
				break;
			}
		if (point == body.to && body.loop == NOWHERE)
			break;
		p->at_end = point == body.to;
		p->point = p->at_end ? body.loop : point;
		p->outer = outer;
		return;
	}
	p->how = PASSING_ANYHOW;
}

/* Messages that may be of one channel are received in the order in which they are posted. */
static bool may_share(const struct form *a, const struct form *b)
{
	return !memcmp(&a->peer, &b->peer, sizeof a->peer) && a->word == b->word && a->numbered == b->numbered &&
	       a->varies == b->varies && a->number == b->number && !memcmp(&a->value, &b->value, sizeof a->value) &&
	       !memcmp(&a->communicator, &b->communicator, sizeof a->communicator);
}

static void keep_order(struct post_search *x)
{
	struct post *of = x->posts->of;
	for (size_t i = 0; i < x->f->length; i++) {
		struct form first;
		if (!is_message(x, i, EVENT_RECV))
			continue;
		first = statement_form(x->f, &x->f->statement[i]);
		for (size_t k = i + 1; k < x->f->length; k++) {
			struct form second;
			if (!is_message(x, k, EVENT_RECV) || of[k].point > i || of[k].point > of[i].point)
				continue;
			second = statement_form(x->f, &x->f->statement[k]);
			if (may_share(&first, &second) && of[k].point < of[i].point) {
				of[k].point = of[k].outer = k;
				of[i].point = of[i].outer = i;
			}
		}
	}
}

/* Whoever waits for sends waits for all that are under way: none of them may have its own place
   later. */
static void drop_crossing(struct post_search *x)
{
	struct post *of = x->posts->of;
	for (size_t i = 0; i < x->f->length; i++) {
		bool crossing = false;
		if (!is_message(x, i, EVENT_SEND) || !is_request(&of[i]))
			continue;
		size_t end = of[i].at_end ? of[i].point + x->f->statement[of[i].point].size : of[i].point;
		for (size_t k = of[i].outer; k < end && !crossing; k++)
			crossing = !statement_is_loop(&x->f->statement[k]) && is_collected(x->posts, k);
		for (size_t k = 0; k < x->f->length && !crossing; k++)
			if (is_message(x, k, EVENT_SEND) && is_request(&of[k]))
				crossing = of[k].point > of[i].outer &&
					   (of[k].point < of[i].point || (of[i].at_end && of[k].point < end));
		if (crossing)
			of[i].how = PASSING_ANYHOW;
	}
}

bool posts_has(const struct posts *p, size_t at, const struct others *o)
{
	bool any = false;
	for (size_t i = at; i < at + statement_size(&p->program->statement[at]) && !any; i++)
		any = p->of[i].point == o->point && p->of[i].outer == o->outer && p->of[i].at_end == o->at_end &&
		      is_request(&p->of[i]) && statement_kind(p->program, &p->program->statement[i]) == o->kind;
	return any;
}

bool posts_any_before(const struct posts *p, size_t point)
{
	const struct program *f = p->program;
	bool any = posts_waits(p, point, false) != WAITING_NOT;
	for (size_t i = point; p->any && i < f->length && !any; i += statement_size(&f->statement[i]))
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
	while (point < p->program->length && statement_is_loop(&p->program->statement[point]))
		point++;
	return point < p->program->length && is_collected(p, point);
}

bool posts_completes(const struct posts *p, size_t send, size_t point, bool at_end)
{
	return is_request(&p->of[send]) && p->of[send].point == point && p->of[send].at_end == at_end &&
	       statement_kind(p->program, &p->program->statement[send]) == EVENT_SEND;
}

enum completing posts_completed_by(const struct posts *p, size_t point, bool at_end, bool together)
{
	size_t i = 0;
	while (i < p->program->length && (!posts_completes(p, i, point, at_end) || p->of[i].together != together))
		i++;
	return i < p->program->length ? p->of[i].by : together ? COMPLETING_WAITALL : COMPLETING_WAIT;
}

enum waiting posts_waits(const struct posts *p, size_t point, bool at_end)
{
	enum waiting waiting = WAITING_NOT;
	for (size_t i = 0; p->any && i < p->program->length; i++)
		if (posts_completes(p, i, point, at_end))
			waiting = p->of[i].together ? WAITING_TOGETHER : waiting ? waiting : WAITING_EACH;
	return waiting == WAITING_TOGETHER && !at_end && completes_both(p, point) ? WAITING_NOT : waiting;
}

/* ------------------------------------------------------------------ can it deadlock? */

/* The program in which receivers say that they are ready, and senders wait for that. */
struct rehearsal {
	const struct posts *posts;
	struct program *from, *to;
	const bool *waits; /* by statement: does any send with such a tag wait? */
};

/* Of the processes of a statement; a plain one has no set. */
static void add_event(struct rehearsal *r, size_t at, const struct form *form)
{
	struct ranks_run single;
	struct ranks who = program_processes(r->from, &r->from->statement[at], &single);
	program_add(r->to, dictionary_ranks(r->to->dictionary, &who), program_form(r->to, form));
}

/* The word that goes the other way. */
static void say_ready(struct rehearsal *r, size_t at)
{
	struct form form = statement_form(r->from, &r->from->statement[at]);
	struct text word = {0};
	text_format(&word, "ready %s", dictionary_get_word(r->from->dictionary, form.word));
	form.word = dictionary_word(r->to->dictionary, word.data, word.length);
	form.kind = form.kind == EVENT_SEND ? EVENT_RECV : EVENT_SEND;
	text_clear(&word);
	add_event(r, at, &form);
}

static size_t open_loop(struct rehearsal *r, size_t at)
{
	const struct statement *s = &r->from->statement[at];
	struct value bound = program_bound(r->from, s);
	if (statement_guard(s) == GUARD_NONE)
		return program_open_by(r->to, s->set, &bound);
	size_t loop = program_open_guard(r->to, statement_guard(s), &bound);
	r->to->statement[loop].set = s->set;
	return loop;
}

/* Who receives is ready at the latest where he does. */
static bool is_of_others(const struct rehearsal *r, size_t at, const struct others *o)
{
	const struct post *p = &r->posts->of[at];
	return !statement_is_loop(&r->from->statement[at]) && r->waits[at] && p->point == o->point &&
	       p->outer == o->outer && p->at_end == o->at_end &&
	       statement_kind(r->from, &r->from->statement[at]) == o->kind && (o->kind == EVENT_RECV || is_request(p));
}

static void rehearse_inside(struct rehearsal *r, size_t at, const struct others *o)
{
	const struct statement *s = &r->from->statement[at];
	bool any = false;
	for (size_t i = at; i < at + statement_size(s) && !any; i++)
		any = is_of_others(r, i, o);
	if (!any)
		return;
	if (!statement_is_loop(s)) {
		say_ready(r, at);
		return;
	}
	size_t loop = open_loop(r, at);
	for (size_t i = at + 1; i < at + s->size; i += statement_size(&r->from->statement[i]))
		rehearse_inside(r, i, o);
	program_close(r->to, loop);
}

static void rehearse_others(
	struct rehearsal *r, size_t from, size_t to, size_t point, bool at_end, enum event_kind kind)
{
	for (size_t i = from; i < to; i += statement_size(&r->from->statement[i]))
		rehearse_inside(r, i, &(struct others){i, point, at_end, kind});
}

static void rehearse(struct rehearsal *r, size_t from, size_t to, size_t loop);

static void rehearse_one(struct rehearsal *r, size_t at)
{
	const struct statement *s = &r->from->statement[at];
	if (statement_is_loop(s)) {
		size_t loop = open_loop(r, at);
		rehearse(r, at + 1, at + s->size, at);
		program_close(r->to, loop);
		return;
	}
	struct form form = statement_form(r->from, s);
	add_event(r, at, &form);
	if (form.kind == EVENT_SEND && !is_request(&r->posts->of[at]) && r->waits[at])
		say_ready(r, at);
}

static void rehearse(struct rehearsal *r, size_t from, size_t to, size_t loop)
{
	for (size_t i = from; i < to; i += statement_size(&r->from->statement[i])) {
		rehearse_others(r, i, to, i, false, EVENT_RECV);
		rehearse_others(r, from, i, i, false, EVENT_SEND);
		rehearse_one(r, i);
	}
	if (loop != NOWHERE)
		rehearse_others(r, from, to, loop, true, EVENT_SEND);
}

/* The tags of a message in all loops around it. */
struct posted_tags {
	uint32_t word;
	int64_t from, to;
};

static struct posted_tags tags_of(const struct post_search *x, size_t at)
{
	struct form form = statement_form(x->f, &x->f->statement[at]);
	struct posted_tags tags = {form.word, (int64_t)form.number, (int64_t)form.number};
	struct posted_tags any = {form.word, INT64_MIN, INT64_MAX};
	const struct affine *plain = &form.value.plain;
	if (!form.varies)
		return form.numbered && form.number > INT64_MAX ? any : tags;
	struct value bare = {.plain = *plain};
	if (memcmp(&bare, &form.value, sizeof bare) != 0 || !affine_is_uniform(plain))
		return any;
	tags.from = tags.to = plain->constant;
	for (size_t loop = x->posts->around[at]; loop != NOWHERE; loop = x->posts->around[loop]) {
		const struct statement *s = &x->f->statement[loop];
		int64_t step = plain->index[x->posts->depth[loop]], more;
		if (step && s->bound != BOUND_NONE)
			return any;
		if (!step || !s->count)
			continue;
		if (s->count > INT64_MAX || __builtin_mul_overflow(step, (int64_t)s->count - 1, &more) ||
			__builtin_add_overflow(step < 0 ? tags.from : tags.to, more, step < 0 ? &tags.from : &tags.to))
			return any;
	}
	return tags;
}

/* Do sends wait with which each message may have to do, by statement? mixed: they do where others
   with such tags do not. False: none waits at all. */
static bool find_waits(const struct post_search *x, bool *waits, bool *mixed)
{
	struct posted_tags *tags = mem_zero((x->f->length + 1) * sizeof *tags);
	bool any = false, more = true;
	for (size_t i = 0; i < x->f->length; i++) {
		bool send = is_message(x, i, EVENT_SEND);
		waits[i] = send && x->posts->of[i].how != PASSING_ANYHOW;
		mixed[i] = false;
		any |= waits[i];
		if (send || is_message(x, i, EVENT_RECV))
			tags[i] = tags_of(x, i);
	}
	while (any && more) {
		more = false;
		for (size_t i = 0; i < x->f->length; i++)
			for (size_t k = 0; waits[i] && k < x->f->length; k++) {
				if (waits[k] || (!is_message(x, k, EVENT_SEND) && !is_message(x, k, EVENT_RECV)) ||
					tags[i].word != tags[k].word || tags[i].to < tags[k].from ||
					tags[k].to < tags[i].from)
					continue;
				waits[k] = more = true;
			}
	}
	for (size_t i = 0; i < x->f->length; i++)
		for (size_t k = 0; is_message(x, i, EVENT_SEND) && waits[i] && k < x->f->length && !mixed[i]; k++)
			mixed[i] = is_message(x, k, EVENT_SEND) && x->posts->of[k].how == PASSING_ANYHOW &&
				   tags[i].word == tags[k].word && tags[i].to >= tags[k].from &&
				   tags[k].to >= tags[i].from;
	free(tags);
	return any;
}

static bool can_end(const struct post_search *x, const bool *waits)
{
	struct rehearsal r = {x->posts, x->f, program_copy(x->f), waits};
	struct text cycle = {0};
	program_empty(r.to);
	rehearse(&r, 0, x->f->length, NOWHERE);
	enum causality found = causality_of(r.to, CAUSALITY_BUDGET, &cycle);
	text_clear(&cycle);
	program_free(r.to);
	return found == CAUSALITY_HOLDS;
}

/* which: by statement; NULL: all. */
static void let_nobody_wait(struct post_search *x, const bool *which)
{
	for (size_t i = 0; i < x->f->length; i++) {
		struct post *p = &x->posts->of[i];
		bool ours = !which || which[p->how == PASSING_EXCHANGE && p->with < i ? p->with : i];
		if (ours && (is_message(x, i, EVENT_SEND) || p->how == PASSING_EXCHANGE))
			*p = (struct post){.how = PASSING_ANYHOW, .point = i, .outer = i};
	}
}

/* Sends whose calls are not known count as if they waited, where others do. If that is too much,
   these are given up first. */
static void prove(struct post_search *x)
{
	bool *waits = mem_zero((x->f->length + 1) * sizeof *waits),
	     *mixed = mem_zero((x->f->length + 1) * sizeof *mixed);
	bool any = find_waits(x, waits, mixed);
	if (any && !can_end(x, waits)) {
		let_nobody_wait(x, mixed);
		if (find_waits(x, waits, mixed) && !can_end(x, waits)) {
			let_nobody_wait(x, NULL);
			x->posts->blocks = true;
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
	bool send = statement_kind(p->program, &p->program->statement[at]) == EVENT_SEND;
	*from = send ? at : post->point;
	*to = !send ? at : post->at_end ? post->point + p->program->statement[post->point].size : post->point;
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
	for (size_t i = 0; i < p->program->length; i++)
		if (is_request(&p->of[i]) &&
			(p->of[i].how == PASSING_STARTED || p->of[i].together || p->of[i].outer != i))
			return;
	for (size_t i = 0; i < p->program->length; i++) {
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

static void find_around(struct posts *p, size_t from, size_t to, size_t loop, uint32_t depth)
{
	for (size_t i = from; i < to; i += statement_size(&p->program->statement[i])) {
		p->around[i] = loop;
		p->depth[i] = depth;
		find_around(p, i + 1, i + statement_size(&p->program->statement[i]), i, depth + 1);
	}
}

void posts_of(struct posts *p, struct program *f)
{
	struct post_search x = {p, f, dictionary_word(f->dictionary, "call", 4),
		dictionary_word(f->dictionary, "other", 5), dictionary_word(f->dictionary, "apart", 5),
		dictionary_word(f->dictionary, "place", 5)};
	*p = (struct posts){.program = f,
		.of = mem_zero((f->length + 1) * sizeof *p->of),
		.behind = mem_zero((f->length + 1) * sizeof *p->behind),
		.depth = mem_zero((f->length + 1) * sizeof *p->depth),
		.around = mem_zero((f->length + 1) * sizeof *p->around)};
	find_around(p, 0, f->length, NOWHERE, 0);
	if (f->length <= STATEMENTS_MOST)
		classify(&x);
	if (!p->any)
		return;
	find_calls(&x, 0, f->length);
	for (size_t i = 0; i < f->length; i++) {
		if (is_message(&x, i, EVENT_RECV) && is_request(&p->of[i]))
			place_receive(&x, i);
		else if (is_message(&x, i, EVENT_SEND) && is_request(&p->of[i]))
			place_send(&x, i);
	}
	keep_order(&x);
	drop_crossing(&x);
	prove(&x);
	find_slots(p);
}

void posts_clear(struct posts *p)
{
	free(p->of);
	free(p->behind);
	free(p->depth);
	free(p->around);
}
