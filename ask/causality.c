/*
 * causality.c -- the order of the text as a schedule.
 *
 * Statement after statement, a loop iteration after iteration, each statement by all its processes
 * at once: this respects the order of every process. So for each channel what counts is how many
 * messages more are sent than received (net), and every collective is one statement.
 *
 * Where all processes of a ring send equally far, and that distance advances, what they send is one
 * channel: all of it must be under way before any of it is received.
 *
 * A channel is named by its ends, its tag, and how the tag advances: what advances alike, inside
 * the same iteration, meets there. In the next iteration it is another channel.
 */
#include "ask/causality.h"

#include <stdlib.h>
#include <string.h>

#include "ask/plain_event.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

/* What one body passes on over one channel. */
struct flow {
	uint64_t channel; /* a hash of 64 bits, taken for what was hashed */
	int64_t net;
	uint32_t indices; /* in which its tag is a function, a bit each */
};

/* The flows of a body, by channel. */
struct flows {
	struct intern *channels;
	struct flow *flow;
	size_t capacity;
	size_t open; /* those with messages under way, or received too often */
};

struct proof {
	const struct program *program;
	struct flows *level; /* by loops around */
	uint32_t levels;
	size_t *loop; /* the statements that are the loops around, the outermost first */
	int64_t index[INDEX_DEPTH]; /* all 0 */
};

#define COUNT_LIMIT (INT64_MAX / 4) /* counts beyond are not reckoned with */

/* Then comes what has this net. False where it goes beyond what is reckoned with. */
static bool add(struct flows *f, const struct flow *then)
{
	uint32_t known = intern_count(f->channels), id = intern_id(f->channels, &then->channel, sizeof then->channel);
	if (id == known) {
		f->flow = mem_grow(f->flow, &f->capacity, (size_t)id + 1, sizeof *f->flow);
		f->flow[id] = *then;
		f->open += then->net != 0;
		return true;
	}
	struct flow *here = &f->flow[id];
	f->open -= here->net != 0;
	f->open += here->net + then->net != 0;
	here->net += then->net;
	return here->net < COUNT_LIMIT && here->net > -COUNT_LIMIT;
}

static void empty(struct flows *f)
{
	intern_empty(f->channels);
	f->open = 0;
}

/* ------------------------------------------------------------------ events */

static uint64_t hash_indices(const struct proof *p, const struct affine *a)
{
	uint64_t h = 0;
	for (unsigned d = 0; d < INDEX_DEPTH; d++)
		if (a->index[d])
			h = hash_pair(hash_pair(h, p->loop[d]), (uint64_t)a->index[d]);
	return h;
}

/* How a number depends on indices, and on those of which loops: equal for equal functions. */
static uint64_t hash_function(const struct proof *p, const struct value *v, const struct spot *spot)
{
	uint64_t h = hash_indices(p, &v->plain);
	for (unsigned i = 0; i < REMAINDERS; i++) {
		const struct remainder *r = &v->remainder[i];
		if (!r->modulus || !affine_indices(&r->inside))
			continue;
		struct value inside = {.plain = r->inside};
		uint64_t start = (uint64_t)((value_at(&inside, spot) % r->modulus + r->modulus) % r->modulus);
		h = hash_pair(hash_pair(h, hash_pair((uint64_t)r->modulus, (uint64_t)r->factor)),
			hash_pair(start, hash_indices(p, &r->inside)));
	}
	return h;
}

/* A coefficient or a constant of what goes around a ring; of receives against their direction. */
static uint64_t hash_around(int64_t move, const struct form *form)
{
	int64_t ring = form->peer.modulus, way = form->kind == EVENT_SEND ? move : -move;
	return (uint64_t)((way % ring + ring) % ring);
}

/*
 * How messages move that all processes of a ring send at once, each equally far: the same for those
 * who receive them all at once. 0: they do not do so.
 */
static uint64_t hash_ring(const struct proof *p, const struct form *form, const struct ranks *who)
{
	const struct affine *move = &form->peer.value.plain;
	struct value plain = {.plain = *move};
	bool all = who->length == 1 && who->run->first == 0 && who->run->last == form->peer.modulus - 1;
	if (form->peer.kind != PLACE_RING || !all || memcmp(&plain, &form->peer.value, sizeof plain) ||
		!value_is_uniform(&form->value) || !value_is_uniform(&form->communicator))
		return 0;
	uint64_t h = hash_pair((uint64_t)form->peer.modulus, hash_around(move->constant, form));
	for (unsigned d = 0; d < INDEX_DEPTH; d++)
		if (move->index[d])
			h = hash_pair(hash_pair(h, p->loop[d]), hash_around(move->index[d], form));
	return h | 1;
}

static bool add_ring(
	struct proof *p, struct flows *f, const struct form *form, const struct ranks *who, uint32_t indices)
{
	struct spot spot = grid_spot(&p->program->grid, 0);
	uint64_t ring = hash_ring(p, form, who),
		 number = form->varies ? (uint64_t)value_at(&form->value, &spot) : form->number;
	uint64_t tag = hash_pair(hash_pair((uint64_t)form->word << 1 | form->numbered, number),
		(uint64_t)value_at(&form->communicator, &spot));
	uint64_t function =
		hash_pair(hash_function(p, &form->value, &spot), hash_function(p, &form->communicator, &spot));
	int64_t messages = form->peer.modulus;
	bool sends = form->kind == EVENT_SEND;
	struct flow flow = {.channel = hash_pair(hash_pair(ring, tag), function) | 1,
		.net = sends ? messages : -messages,
		.indices = indices};
	return ring && add(f, &flow);
}

/* False: the peer depends on indices, in another way than all around a ring. */
static bool add_messages(struct proof *p, struct flows *f, size_t at, const struct ranks *who)
{
	const struct statement *s = &p->program->statement[at];
	uint32_t indices = program_indices(p->program, s);
	struct form form = {0};
	if (indices)
		form = program_get_form(p->program, s->event);
	if (!value_is_quasi_affine(&form.value) || !value_is_quasi_affine(&form.communicator))
		return false;
	if (indices && place_indices(&form.peer))
		return add_ring(p, f, &form, who, indices);
	struct ranks_walk walk = {0};
	struct plain_statement statement;
	plain_statement_of(p->program, at, &statement);
	for (uint32_t rank; ranks_next(who, &walk, &rank);) {
		struct spot spot = grid_spot(&p->program->grid, rank);
		struct plain_event e;
		plain_statement_event(&statement, &spot, p->index, &e);
		bool sends = e.kind == EVENT_SEND;
		uint64_t function = indices ? hash_pair(hash_function(p, &form.value, &spot),
						      hash_function(p, &form.communicator, &spot))
					    : 0;
		struct flow flow = {.channel = hash_pair(plain_event_channel(&e), function) | 1,
			.net = sends ? 1 : -1,
			.indices = indices};
		if (!add(f, &flow))
			return false;
	}
	return true;
}

/* Are all members of a collective in this statement? Then it is no obstacle. */
static bool is_whole_sync(const struct program *p, const struct statement *s, const struct ranks *who)
{
	if (s->set == STATEMENT_PLAIN) {
		struct ranks group = dictionary_get_ranks(p->dictionary,
			dictionary_get_sync(p->dictionary, dictionary_get_event(p->dictionary, s->event)->subject)
				->group);
		return ranks_equal(who, &group);
	}
	struct form form = program_get_form(p, s->event);
	struct ranks_walk walk = {0};
	if (form.area.kind != AREA_ON_GRID) {
		struct ranks group = dictionary_get_ranks(p->dictionary, (uint32_t)form.group);
		return (form.area.kind || value_is_uniform(&form.communicator)) && ranks_equal(who, &group);
	}
	bool whole = true;
	for (uint32_t rank; whole && ranks_next(who, &walk, &rank);) {
		struct ranks group = {0};
		struct spot spot = grid_spot(&p->grid, rank);
		area_at(&form.area, &p->grid, &spot, &group);
		whole = ranks_within(&group, who);
		ranks_clear(&group);
	}
	return whole;
}

static bool add_event(struct proof *p, struct flows *f, size_t at)
{
	const struct statement *s = &p->program->statement[at];
	struct ranks_run single;
	struct ranks who = program_processes(p->program, s, &single);
	enum event_kind kind = statement_kind(p->program, s);
	if (kind == EVENT_LOCAL)
		return true;
	return kind == EVENT_SYNC ? is_whole_sync(p->program, s, &who) : add_messages(p, f, at, &who);
}

/* ------------------------------------------------------------------ loops */

/* One iteration becomes all of them. False: its flow is not known. */
static bool repeat(struct flow *f, const struct statement *loop, uint32_t depth)
{
	int64_t count = loop->count < (uint64_t)COUNT_LIMIT ? (int64_t)loop->count : COUNT_LIMIT;
	bool advances = depth < INDEX_DEPTH && f->indices >> depth & 1;
	return !advances && !__builtin_mul_overflow(count, f->net, &f->net) && f->net < COUNT_LIMIT &&
	       f->net > -COUNT_LIMIT;
}

/* Do its processes go through a loop together? */
static bool goes_together(const struct program *p, const struct statement *loop)
{
	if (loop->bound == BOUND_NONE)
		return true;
	struct value count = program_bound(p, loop);
	return value_is_uniform(&count);
}

static bool enter_loop(struct proof *p, size_t at, uint32_t depth)
{
	if (!goes_together(p->program, &p->program->statement[at]))
		return false;
	empty(&p->level[depth + 1]);
	p->loop[depth] = at;
	return true;
}

static struct proof proof_new(const struct program *program)
{
	struct proof p = {.program = program, .levels = program_depth(program) + 1};
	p.level = mem_zero(p.levels * sizeof *p.level);
	p.loop = mem_zero((p.levels + INDEX_DEPTH) * sizeof *p.loop);
	for (uint32_t i = 0; i < p.levels; i++)
		p.level[i].channels = intern_new_keys(sizeof(uint64_t));
	return p;
}

static void proof_clear(struct proof *p)
{
	for (uint32_t i = 0; i < p->levels; i++) {
		intern_free(p->level[i].channels);
		free(p->level[i].flow);
	}
	free(p->level);
	free(p->loop);
}

/* ------------------------------------------------------------------ where nothing is under way */

static bool mark_body(struct proof *p, size_t from, size_t to, uint32_t depth, bool before, bool *quiet);

static bool mark_loop(struct proof *p, size_t at, uint32_t depth, bool before, bool *quiet)
{
	const struct statement *s = &p->program->statement[at];
	struct flows *inside = &p->level[depth + 1];
	if (statement_never_runs(s))
		return true;
	if (!enter_loop(p, at, depth))
		return false;
	bool good = mark_body(p, at + 1, at + s->size, depth + 1, before, quiet);
	if (good && !inside->open)
		return true; /* however often */
	memset(quiet + at + 1, 0, (s->size - 1) * sizeof *quiet);
	if (!good || s->bound != BOUND_NONE)
		return false;
	for (uint32_t i = 0; i < intern_count(inside->channels); i++)
		if (inside->flow[i].net &&
			(!repeat(&inside->flow[i], s, depth) || !add(&p->level[depth], &inside->flow[i])))
			return false;
	return true;
}

/* before: is nothing under way where the body begins? False: from here on it is not known. */
static bool mark_body(struct proof *p, size_t from, size_t to, uint32_t depth, bool before, bool *quiet)
{
	const struct flows *here = &p->level[depth];
	for (size_t i = from; i < to; i += statement_size(&p->program->statement[i])) {
		bool loop = statement_is_loop(&p->program->statement[i]);
		if (!(loop ? mark_loop(p, i, depth, before && !here->open, quiet) : add_event(p, &p->level[depth], i)))
			return false;
		quiet[i] = before && !here->open;
	}
	return true;
}

bool *causality_quiet(const struct program *program)
{
	bool *quiet = mem_zero((program->length + 1) * sizeof *quiet);
	struct proof p = proof_new(program);
	mark_body(&p, 0, program->length, 0, true, quiet);
	proof_clear(&p);
	return quiet;
}

/* The last statement of a loop's body. */
static size_t last_inside(const struct program *p, size_t loop)
{
	size_t at = loop + 1, end = loop + p->statement[loop].size;
	while (at + statement_size(&p->statement[at]) < end)
		at += statement_size(&p->statement[at]);
	return at;
}

void causality_shorten(struct program *program)
{
	bool *quiet = causality_quiet(program);
	for (size_t i = 0; i < program->length; i++) {
		struct statement *s = &program->statement[i];
		if (statement_is_loop(s) && s->size > 1 && s->bound == BOUND_NONE && s->count > 1 && quiet[i] &&
			quiet[last_inside(program, i)] && !program_index_used(program, i))
			s->count = 1;
	}
	free(quiet);
}
