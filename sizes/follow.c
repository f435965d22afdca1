/*
 * follow.c -- a parse with open numbers: choices in the order in which they are met, the last one
 * changed where it comes to nothing, and the process read again.
 */
#include "sizes/follow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/event_numbers.h"
#include "base/gcd.h"
#include "base/mem.h"
#include "model/module_address.h"

/* A number that is so much more or less than an extent is tried as such. */
#define NEAR 2

/* ... or so many times one. */
#define TIMES 8

/* After so many iterations in which a process does nothing, nothing inside is for it. */
#define IDLE_ITERATIONS 10000

/* Combinations of the numbers of one slot. */
#define HYPOTHESES_MOST 4096

/* ------------------------------------------------------------------ the guide */

enum parts_of slot_parts(const struct slot *s)
{
	bool free = slot_is_size(s) || s->kind == SLOT_COMMUNICATOR; /* follows from what is seen */
	return s->kind == SLOT_PEER ? PARTS_OF_PLACE : free ? PARTS_OF_FREE_NUMBER : PARTS_OF_NUMBER;
}

const char *const size_names[SIZES] = {"bytes", "disp", "received", "size"};

bool slot_is_size(const struct slot *s)
{
	return s->kind >= SLOT_SIZES && s->kind < SLOT_COUNT;
}

static void add_slot(struct guide *t, size_t line, enum slot_kind kind, node_id number, node_id test)
{
	struct slot *s = MEM_PUSH(t->slot, t->slots, t->slot_capacity);
	*s = (struct slot){.line = line, .kind = kind, .number = number, .test = test};
	number_parts_of(t->module->store, number, slot_parts(s), &s->parts);
}

static const struct ranks *fixed_ranks(const struct guide *t, node_id domain)
{
	const struct node *d = node_of(t->module->store, domain);
	return d->kind == NODE_RANKS ? store_get_ranks(t->module->store, (uint32_t)d->number) : NULL;
}

static size_t set_number(struct guide *t, node_id domain, bool conditions)
{
	const struct node *d = node_of(t->module->store, domain);
	const struct ranks *fixed = fixed_ranks(t, domain);
	bool all = d->kind == NODE_ALL || (fixed && ranks_count(fixed) == t->own.run->processes);
	domain = all ? node_make(t->module->store, NODE_ALL, 0, 0, 0, 0, NULL)
		     : node_make(t->module->store, (enum node_kind)d->kind, 0, 0, d->number, d->kids, d->kid);
	for (size_t i = 0; i < t->sets; i++)
		if (t->set[i].domain == domain)
			return i;
	struct guide_set *s = MEM_PUSH(t->set, t->sets, t->set_capacity);
	struct ranks everybody = {0};
	*s = (struct guide_set){.domain = domain};
	if (all && t->own.run->processes)
		ranks_add_run(&everybody, 0, t->own.run->processes - 1);
	if (conditions)
		s->conditions = conditions_of(&t->own, all ? &everybody : fixed, 1, &s->condition);
	ranks_clear(&everybody);
	return t->sets - 1;
}

void guide_print(const struct guide *t, size_t line, const char *loop, struct text *to)
{
	const struct guide_line *at = &t->line[line];
	if (node_of(t->module->store, at->statement)->kind == NODE_EVENT)
		node_print_event(t->module, at->statement, at->depth, 0, to);
	else
		text_put(to, loop);
}

static bool check_group(const struct guide *t, size_t line, struct error *error)
{
	const struct ranks *fixed = fixed_ranks(t, node_kid(t->module->store, t->line[line].statement, COLUMN_GROUP));
	if (!fixed || ranks_count(fixed) == t->own.run->processes)
		return true;
	struct text text = {0};
	guide_print(t, line, "", &text);
	error_set(error, ERROR_INCONSISTENT,
		"the group of a collective is neither all processes, nor a line of the grid, nor told by its "
		"communicator: %s",
		text.data);
	text_clear(&text);
	return false;
}

static bool add_event(struct guide *t, size_t line, struct error *error)
{
	const struct node *e = node_of(t->module->store, t->line[line].statement);
	node_id peer = e->kid[COLUMN_PEER] ? e->kid[COLUMN_PEER] : e->kid[COLUMN_ROOT];
	if (peer)
		add_slot(t, line, SLOT_PEER, peer, NODE_NONE);
	if (e->kid[COLUMN_TAG])
		add_slot(t, line, SLOT_TAG, e->kid[COLUMN_TAG], NODE_NONE);
	if (e->kid[COLUMN_COMMUNICATOR])
		add_slot(t, line, SLOT_COMMUNICATOR, e->kid[COLUMN_COMMUNICATOR], NODE_NONE);
	for (uint32_t k = COLUMNS; k < e->kids; k++) {
		const struct node *a = node_of(t->module->store, e->kid[k]);
		for (uint32_t which = 0; which < SIZES; which++)
			if (a->word == t->size_name[which] && !a->kid[1])
				add_slot(t, line, (enum slot_kind)(SLOT_SIZES + which), a->kid[0], NODE_NONE);
	}
	return check_group(t, line, error);
}

/* Gives the line behind; SIZE_MAX with *error set. */
static size_t add_body(struct guide *t, node_id body, size_t line, uint32_t depth, bool conditions, struct error *error)
{
	struct store *s = t->module->store;
	const struct node *b = node_of(s, body);
	t->depth = depth > t->depth ? depth : t->depth;
	for (uint32_t k = 0; k < b->kids && line != SIZE_MAX; k++) {
		const struct node *n = node_of(s, b->kid[k]), *who = node_of(s, n->kid[0]);
		bool named = n->kid[0] && who->kind == NODE_NAMED, everybody = named || !n->kid[0];
		t->line[line] = (struct guide_line){
			b->kid[k], depth, t->slots, everybody ? SIZE_MAX : set_number(t, n->kid[0], conditions)};
		if (named)
			add_slot(t, line, SLOT_CONDITION, who->kid[0], NODE_NONE);
		if (n->kind == NODE_EVENT) {
			line = add_event(t, line, error) ? line + 1 : SIZE_MAX;
			continue;
		}
		bool loop = n->kind == NODE_LOOP;
		if (loop)
			add_slot(t, line, SLOT_COUNT, number_add(s, n->kid[1], number_constant(s, 1), 1), NODE_NONE);
		else
			add_slot(t, line, SLOT_CONDITION, node_kid(s, n->kid[1], 0), n->kid[1]);
		line = add_body(t, n->kid[2], line + 1, depth + loop, conditions, error);
	}
	return line;
}

/* A number of which some part would not be looked at must not be taken for one of all sizes. */
static bool looks_at_all(const struct guide *t, struct error *error)
{
	for (size_t i = 0; i < t->slots; i++) {
		if (!t->slot[i].parts.has_more)
			continue;
		struct text address = {0};
		module_address(t->module, t->slot[i].line, &address);
		error_set(error, ERROR_INCONSISTENT, "statement %s: a number is made of more than %d others",
			address.data, PARTS_MOST);
		text_clear(&address);
		return false;
	}
	return true;
}

struct guide *guide_of(const struct module *m, const struct extents *x, bool conditions, struct error *error)
{
	struct guide *t = mem_zero(sizeof *t);
	t->module = m;
	t->own = (struct learned_runs){x, 1, m->store};
	for (size_t i = 0; i < SIZES; i++)
		t->size_name[i] = store_word(m->store, size_names[i], strlen(size_names[i]));
	t->line = mem_zero((m->lines + 1) * sizeof *t->line);
	bool good = add_body(t, m->body, 0, 0, conditions, error) == m->lines;
	t->line[m->lines].first_slot = t->slots;
	if (good && looks_at_all(t, error))
		return t;
	guide_free(t);
	return NULL;
}

void guide_free(struct guide *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->sets; i++)
		free(t->set[i].condition);
	free(t->set);
	free(t->slot);
	free(t->line);
	free(t);
}

node_id slot_put(const struct guide *t, const struct slot *slot, node_id statement, node_id number)
{
	struct store *s = t->module->store;
	const struct node *n = node_of(s, statement);
	node_id *kid = mem_copy(n->kid, n->kids * sizeof *kid);
	uint32_t column = slot->kind == SLOT_TAG            ? COLUMN_TAG
			  : slot->kind == SLOT_COMMUNICATOR ? COLUMN_COMMUNICATOR
			  : kid[COLUMN_PEER]                ? COLUMN_PEER
							    : COLUMN_ROOT;
	if (slot->kind == SLOT_COUNT)
		kid[1] = number_add(s, number, number_constant(s, 1), -1);
	else if (slot->test)
		kid[1] = node_with(s, slot->test, &number);
	else if (slot->kind == SLOT_CONDITION)
		kid[COLUMN_WHO] = node_with(s, kid[COLUMN_WHO], &number);
	else if (slot_is_size(slot))
		for (uint32_t k = COLUMNS; k < n->kids; k++) {
			const struct node *a = node_of(s, kid[k]);
			if (a->word == t->size_name[slot->kind - SLOT_SIZES] && !a->kid[1])
				kid[k] = node_with(s, kid[k], (node_id[]){number, NODE_NONE});
		}
	else
		kid[column] = number;
	node_id made = number ? node_with(s, statement, kid) : NODE_NONE;
	free(kid);
	return made;
}

/* ------------------------------------------------------------------ what a number may be */

#define CANDIDATES 48

struct candidates {
	int64_t value[CANDIDATES];
	size_t length;
};

static void may_be(struct candidates *c, int64_t value)
{
	for (size_t i = 0; i < c->length; i++)
		if (c->value[i] == value)
			return;
	if (c->length < CANDIDATES)
		c->value[c->length++] = value;
}

/* A number that came of an extent there, of which this one is here. */
static void may_be_of(struct candidates *c, int64_t number, int64_t there, int64_t here)
{
	int64_t sign = number < 0 ? -1 : 1, size = number * sign;
	if (there < 2 || !here)
		return;
	for (int64_t times = 1; times <= TIMES; times++)
		for (int64_t near = -NEAR; near <= NEAR; near++) {
			if ((there + near) * times == size)
				may_be(c, sign * (here + near) * times);
			if (times > 1 && size * times == there + near && (here + near) % times == 0)
				may_be(c, sign * (here + near) / times);
		}
}

static void candidates_of(
	struct candidates *c, int64_t number, bool factor, const struct extents *there, const struct extents *here)
{
	c->length = 0;
	may_be(c, number);
	if (number >= -1 && number <= 1 && factor)
		return;
	for (uint32_t i = 0; i < extents_terms(there) && i < extents_terms(here); i++) {
		int64_t from = extents_term(there, i), to = extents_term(here, i);
		may_be_of(c, number, from, to);
		may_be_of(c, number, ceil_log2(from), ceil_log2(to));
		if (!i) {
			may_be_of(c, number, floor_log2(from), floor_log2(to));
			may_be_of(c, number, floor_root(from), floor_root(to));
		}
		for (uint32_t k = 1; k < i; k++) {
			int64_t of = from * extents_term(there, k), is = to * extents_term(here, k);
			may_be_of(c, number, of, is);
			may_be_of(c, number, ceil_log2(of), ceil_log2(is));
		}
	}
}

/* ------------------------------------------------------------------ a run as events */

struct event_of_run {
	struct event_numbers event; /* its word is one of the pattern */
	int64_t size[SIZES];
	bool sized[SIZES];
};

struct following {
	struct guide *guide;
	struct run *run;
	struct extents extents;
	struct member_sets *members;
	struct cursor *cursor;
	uint32_t size_name[SIZES]; /* words of its store */
	struct followed *made;
	bool **alive; /* by slot, of its survivors: by all that was seen of processes before this one, */
	bool **now; /* ... and of this one, on the way that is tried */
	/* of the process at hand: */
	uint32_t process;
	struct environment at; /* of the pattern's numbers, at these extents */
	struct event_of_run *event;
	size_t events, event_capacity, next, furthest, furthest_line;
	int8_t *member; /* by set: 1, it is in there, 0, it is not, -1 is not known */
	size_t *chosen; /* by slot: a survivor; SIZE_MAX: not known */
	size_t *before; /* by slot: points before this process */
	struct choice {
		size_t number, of;
	} * choice;
	size_t choices, choice_capacity, made_choices;
	uint64_t ways;
};

bool number_asks_process(const struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	bool asks = n->kind == NODE_ENTRY && n->uses[FOR_ALL] & USES_PROCESS;
	for (uint32_t k = 0; k < n->kids && n->looks && !asks; k++)
		asks = number_asks_process(s, n->kid[k]);
	return asks;
}

/* (p+1)%9 of fewer processes comes to ranks where nobody goes round. */
static bool ring_is_too_large(const struct store *s, node_id place, uint32_t processes)
{
	int64_t size;
	return place && number_shape(s, place, true) == SHAPE_RING &&
	       number_is_constant(s, node_kid(s, number_single(s, place), 1), &size) && size > processes;
}

static void add_survivor(struct following *f, const struct slot *s, struct survivors *to, const int64_t *value)
{
	struct store *store = f->at.store;
	node_id part[PARTS_MOST];
	for (uint32_t i = 0; i < s->parts.length; i++)
		part[i] = number_constant(store, value[i]);
	node_id number = number_with_parts(store, s->number, slot_parts(s), part);
	if (s->kind == SLOT_PEER && ring_is_too_large(store, number, f->extents.processes))
		return;
	if (number && s->test)
		number = node_with(store, s->test, &number);
	if (!number)
		return;
	memcpy(to->value + to->length * s->parts.length, value, s->parts.length * sizeof *value);
	to->number[to->length++] = number;
}

static void make_hypotheses(struct following *f, size_t number)
{
	const struct slot *s = &f->guide->slot[number];
	struct candidates *c = mem_array(s->parts.length + 1, sizeof *c);
	struct survivors *to = &f->made->slot[number];
	size_t digit[PARTS_MOST] = {0}, all = 1;
	bool any = !number_asks_process(f->at.store, s->number);
	for (uint32_t i = 0; i < s->parts.length && any; i++) {
		int64_t constant;
		number_is_constant(f->at.store, s->parts.part[i], &constant);
		candidates_of(&c[i], constant, s->parts.factor[i], f->guide->own.run, &f->extents);
		if (all * c[i].length > HYPOTHESES_MOST)
			c[i].length = 1;
		all *= c[i].length;
	}
	to->number = mem_array(all, sizeof *to->number);
	to->value = mem_array(all * s->parts.length + 1, sizeof *to->value);
	for (size_t k = 0; k < all && any; k++) {
		int64_t value[PARTS_MOST];
		for (uint32_t i = 0; i < s->parts.length; i++)
			value[i] = c[i].value[digit[i]];
		add_survivor(f, s, to, value);
		for (uint32_t i = 0; i < s->parts.length && ++digit[i] == c[i].length; i++)
			digit[i] = 0;
	}
	f->alive[number] = mem_array(to->length + 1, sizeof **f->alive);
	f->now[number] = mem_array(to->length + 1, sizeof **f->now);
	memset(f->alive[number], true, to->length);
	free(c);
}

/* What a number comes to; of a condition, whether it holds. */
static bool hypothesis_at(struct following *f, size_t slot, node_id number, int64_t *value)
{
	const struct slot *s = &f->guide->slot[slot];
	f->at.failure = FAILURE_NONE;
	*value = s->test ? test_holds(&f->at, number) : number_at(&f->at, number);
	if (s->kind == SLOT_CONDITION && !s->test)
		*value = *value == f->process;
	return !f->at.failure;
}

static void note_point(struct following *f, size_t slot, int64_t value)
{
	struct points *p = &f->made->points[slot];
	uint32_t depth = f->guide->line[f->guide->slot[slot].line].depth;
	p->index = mem_grow(p->index, &p->index_capacity, (p->length + 1) * depth + 1, sizeof *p->index);
	memcpy(p->index + p->length * depth, f->at.index, depth * sizeof *p->index);
	*MEM_PUSH(p->at, p->length, p->capacity) = (struct point){f->process, value};
	f->made->seen[slot] = true;
}

void point_environment(
	const struct guide *t, const struct slot *s, const struct points *p, size_t k, struct environment *at)
{
	environment_set(at, p->at[k].process);
	at->depth = t->line[s->line].depth;
	at->index = p->index + k * at->depth;
}

/* Is there a survivor that says so? keep: only such survive, on this way. */
static bool allows(struct following *f, size_t slot, int64_t value, bool keep)
{
	const struct survivors *s = &f->made->slot[slot];
	bool any = false;
	for (size_t i = 0; i < s->length && (keep || !any); i++) {
		int64_t number;
		bool says = f->now[slot][i] && hypothesis_at(f, slot, s->number[i], &number) && number == value;
		f->now[slot][i] = says || (!keep && f->now[slot][i]);
		any |= says;
	}
	f->made->seen[slot] |= keep;
	return any;
}

/* ------------------------------------------------------------------ choices */

/* The next of so many. */
static size_t choose(struct following *f, size_t of)
{
	if (of < 2)
		return 0;
	if (f->made_choices == f->choices)
		*MEM_PUSH(f->choice, f->choices, f->choice_capacity) = (struct choice){0, of};
	return f->choice[f->made_choices++].number;
}

/* Is there another way? */
static bool choose_again(struct following *f)
{
	f->choices = f->made_choices;
	while (f->choices) {
		struct choice *last = &f->choice[f->choices - 1];
		if (++last->number < last->of)
			return ++f->ways < FOLLOW_WAYS;
		f->choices--;
	}
	return false;
}

/* Does the process execute it? likely: what is to be tried first. */
static bool is_member(struct following *f, size_t line, bool possible)
{
	size_t number = f->guide->line[line].set;
	if (number == SIZE_MAX)
		return true;
	if (f->member[number] >= 0)
		return f->member[number];
	const struct guide_set *s = &f->guide->set[number];
	bool in = false, out = false;
	for (size_t i = 0; i < s->conditions; i++) {
		bool holds = condition_holds(&s->condition[i], &f->at);
		in |= holds;
		out |= !holds;
	}
	bool both = in && out, member = both ? possible && !choose(f, 2) : in;
	f->member[number] = member;
	return member;
}

/* What a loop's count, or a condition, comes to here. False: nothing that is left says. */
static bool decide(struct following *f, size_t slot, int64_t *value)
{
	const struct survivors *s = &f->made->slot[slot];
	int64_t seen[CANDIDATES], number;
	size_t first[CANDIDATES], count = 0;
	if (f->chosen[slot] == SIZE_MAX) {
		for (size_t i = 0; i < s->length && count < CANDIDATES; i++) {
			size_t k = 0;
			if (!f->now[slot][i] || !hypothesis_at(f, slot, s->number[i], &number))
				continue;
			while (k < count && seen[k] != number)
				k++;
			if (k < count)
				continue;
			seen[count] = number;
			first[count++] = i;
		}
		if (!count)
			return false;
		f->chosen[slot] = first[choose(f, count)];
	}
	if (!hypothesis_at(f, slot, s->number[f->chosen[slot]], value))
		return false;
	return allows(f, slot, *value, true);
}

/* ------------------------------------------------------------------ the parse */

/* The processes on the line of the grid through this one. */
static bool line_is(struct following *f, const struct node *line, const struct ranks *group)
{
	struct ranks_walk walk = {0};
	const struct grid *grid = &f->extents.grid;
	int64_t at[GRID_AXES] = {0};
	uint64_t count = 1;
	uint32_t rank;
	bool good = true;
	for (uint32_t a = 0; a < grid->axes; a++) {
		bool along = a >= line->kids || !line->kid[a];
		at[a] = along ? -1 : modulo(number_at(&f->at, line->kid[a]), grid->size[a]);
		count *= along ? grid->size[a] : 1;
	}
	while (good && ranks_next(group, &walk, &rank)) {
		struct spot spot = grid_spot(grid, rank);
		for (uint32_t a = 0; a < grid->axes; a++)
			good = good && (at[a] < 0 || at[a] == spot.axis[a]);
	}
	return good && ranks_count(group) == count;
}

static bool group_fits(struct following *f, const struct node *event, const struct event_numbers *e)
{
	const struct ranks *group = member_set_ranks(f->members, (uint32_t)e->number[COLUMN_GROUP]);
	const struct node *g = node_of(f->at.store, event->kid[COLUMN_GROUP]);
	if (g->kind == NODE_BY_COMMUNICATOR)
		return true; /* seen when all is put together */
	if (g->kind == NODE_SELF)
		return ranks_count(group) == 1 && ranks_has(group, f->process);
	return g->kind == NODE_LINE ? line_is(f, g, group) : ranks_count(group) == f->extents.processes;
}

/* The slots of an event, by kind; SIZE_MAX: it has none. */
static void find_slots(const struct guide *t, size_t line, size_t *slot)
{
	for (int k = SLOT_PEER; k <= SLOT_CONDITION; k++)
		slot[k] = SIZE_MAX;
	for (size_t i = t->line[line].first_slot; i < t->line[line + 1].first_slot; i++)
		slot[t->slot[i].kind] = i;
}

/* Is the next event one of this statement? note: then its numbers are kept. */
static bool event_fits(struct following *f, size_t line, bool note)
{
	if (f->next == f->events)
		return false;
	const struct event_of_run *e = &f->event[f->next];
	const int64_t *number = e->event.number, to = number[kind_gathers(e->event.kind) ? COLUMN_ROOT : COLUMN_PEER];
	const struct node *n = node_of(f->at.store, f->guide->line[line].statement);
	size_t slot[SLOT_CONDITION + 1];
	find_slots(f->guide, line, slot);
	bool rooted = slot[SLOT_PEER] != SIZE_MAX, named = slot[SLOT_COMMUNICATOR] != SIZE_MAX,
	     numbered = slot[SLOT_TAG] != SIZE_MAX;
	if (n->sub != e->event.kind || n->word != e->event.word || numbered != (number[COLUMN_TAG] != EVENT_UNSAID))
		return false;
	for (int k = 0; k < SIZES; k++)
		if ((slot[SLOT_SIZES + k] != SIZE_MAX) != e->sized[k])
			return false;
	if (kind_rows[n->sub].subject != SUBJECT_WORD && named != (number[COLUMN_COMMUNICATOR] != EVENT_UNSAID))
		return false;
	if (kind_gathers(n->sub) && (rooted != (to != EVENT_UNSAID) || !group_fits(f, n, &e->event)))
		return false;
	if ((rooted && !allows(f, slot[SLOT_PEER], to, note)) ||
		(numbered && !allows(f, slot[SLOT_TAG], number[COLUMN_TAG], note)))
		return false;
	if (!note)
		return true;
	if (named)
		note_point(f, slot[SLOT_COMMUNICATOR], number[COLUMN_COMMUNICATOR]);
	for (int k = 0; k < SIZES; k++)
		if (e->sized[k])
			note_point(f, slot[SLOT_SIZES + k], e->size[k]);
	return true;
}

static bool run_body(struct following *f, node_id body, size_t line);

static bool run_loop(struct following *f, const struct node *n, size_t line)
{
	int64_t count = 0, idle = 0;
	bool loop = n->kind == NODE_LOOP;
	if (!is_member(f, line, true))
		return true;
	if (!decide(f, f->guide->line[line].first_slot, &count))
		return false;
	bool good = true;
	size_t depth = f->at.depth;
	f->at.depth += loop;
	for (int64_t k = 0; k < count && good && idle < IDLE_ITERATIONS; k++) {
		size_t before = f->next;
		if (loop)
			f->at.index[depth] = k;
		good = run_body(f, n->kid[2], line + 1);
		idle = f->next == before ? idle + 1 : 0;
	}
	f->at.depth = depth;
	return good;
}

/* 0: it does not take part, whoever is in the set; 1: it may; below 0: nothing that is left says. */
static int takes_part(struct following *f, const struct node *n, size_t line)
{
	int64_t is = 1;
	if (node_of(f->at.store, n->kid[COLUMN_WHO])->kind == NODE_NAMED &&
		!decide(f, f->guide->line[line].first_slot, &is))
		return -1;
	if (is && n->number)
		is = place_is_in(&f->at, n->kid[COLUMN_PEER]);
	return is != 0;
}

static bool run_event(struct following *f, const struct node *n, size_t line)
{
	int part = takes_part(f, n, line);
	if (part < 1 || !is_member(f, line, event_fits(f, line, false)))
		return part >= 0;
	if (f->next >= f->furthest) {
		f->furthest = f->next;
		f->furthest_line = line;
	}
	if (!event_fits(f, line, true))
		return false;
	f->next++;
	return true;
}

static bool run_body(struct following *f, node_id body, size_t line)
{
	const struct node *b = node_of(f->at.store, body);
	bool good = true;
	for (uint32_t k = 0; k < b->kids && good; k++) {
		const struct node *n = node_of(f->at.store, b->kid[k]);
		good = n->kind == NODE_EVENT ? run_event(f, n, line) : run_loop(f, n, line);
		line += n->lines;
	}
	return good;
}

static bool try_way(struct following *f)
{
	struct guide *t = f->guide;
	memset(f->member, -1, t->sets);
	for (size_t i = 0; i < t->slots; i++) {
		f->made->points[i].length = f->before[i];
		f->chosen[i] = SIZE_MAX;
		memcpy(f->now[i], f->alive[i], f->made->slot[i].length * sizeof **f->now);
	}
	environment_set(&f->at, f->process);
	f->next = f->made_choices = 0;
	return run_body(f, t->module->body, 0) && f->next == f->events;
}

/* What it has not executed at all, it is not in, or only for nothing; conditions that disagree with
   what it is in, go. */
static void narrow_sets(struct following *f)
{
	for (size_t i = 0; i < f->guide->sets; i++) {
		struct guide_set *s = &f->guide->set[i];
		size_t kept = 0;
		for (size_t k = 0; k < s->conditions && f->member[i] >= 0; k++)
			if (condition_holds(&s->condition[k], &f->at) == f->member[i])
				s->condition[kept++] = s->condition[k];
		if (f->member[i] >= 0)
			s->conditions = kept;
	}
}

/* What has choices is no size. */
static void read_sizes(const struct following *f, struct cursor *c, struct event_of_run *e)
{
	const struct node *n = node_of(c->at.store, c->event);
	for (uint32_t k = COLUMNS; k < n->kids; k++) {
		const struct node *a = node_of(c->at.store, n->kid[k]);
		for (int which = 0; which < SIZES; which++)
			if (a->word == f->size_name[which] && !a->kid[1]) {
				e->sized[which] = true;
				e->size[which] = number_at(&c->at, a->kid[0]);
			}
	}
}

static bool read_events(struct following *f, struct error *error)
{
	struct cursor *c = f->cursor;
	f->events = 0;
	cursor_restart(c, f->process);
	while (cursor_next(c)) {
		struct event_of_run *e = MEM_PUSH(f->event, f->events, f->event_capacity);
		*e = (struct event_of_run){0};
		event_numbers_at(&c->at, f->members, c->event, &e->event);
		const char *word = store_get_word(c->at.store, e->event.word);
		e->event.word = store_word(f->at.store, word, strlen(word));
		read_sizes(f, c, e);
	}
	return environment_good(&c->at, error);
}

/* Of either text, what is told of where they part: what stands there, and on both sides of it. */
enum { PART_BEFORE = 1, PART_LINES = 3, PART_WIDTH = 52 };

/* By line: of the process's events. */
static void events_around(const struct following *f, struct text *line)
{
	size_t i = 0;
	struct cursor *c = f->cursor;
	cursor_restart(c, f->process);
	for (; i <= f->furthest + PART_LINES - PART_BEFORE - 1 && cursor_next(c); i++)
		if (i + PART_BEFORE >= f->furthest)
			node_print_event(run_module(f->run), c->event, (uint32_t)(c->at.depth - c->at.base), 0,
				&line[i + PART_BEFORE - f->furthest]);
	if (i + PART_BEFORE >= f->furthest && i + PART_BEFORE - f->furthest < PART_LINES)
		text_put(&line[i + PART_BEFORE - f->furthest], "its end");
}

static void statements_around(const struct following *f, struct text *line)
{
	size_t lines = f->guide->module->lines;
	for (size_t k = 0; k < PART_LINES; k++) {
		size_t at = f->furthest_line + k;
		if (at < PART_BEFORE)
			continue;
		at -= PART_BEFORE;
		if (at < lines)
			guide_print(f->guide, at, "a loop", &line[k]);
		else if (at == lines)
			text_put(&line[k], "its end");
	}
}

/* Both texts side by side, where they part. */
static bool say_parted(const struct following *f, struct error *error)
{
	struct text here[PART_LINES] = {{0}}, there[PART_LINES] = {{0}}, told = {0};
	struct text address = {0};
	uint32_t processes = f->guide->own.run->processes;
	if (f->furthest_line < f->guide->module->lines)
		module_address(f->guide->module, f->furthest_line, &address);
	events_around(f, here);
	statements_around(f, there);
	text_format(&told, "\n    of %-*" PRIu32 "  of %" PRIu32, PART_WIDTH - 3, f->extents.processes, processes);
	for (size_t k = 0; k < PART_LINES; k++) {
		const char *left = here[k].length ? here[k].data : "", *right = there[k].length ? there[k].data : "";
		bool parted = k == PART_BEFORE, wide = strlen(left) > PART_WIDTH;
		text_format(&told, "\n  %c %-*.*s%s  %.*s", parted ? '>' : ' ', PART_WIDTH - wide, PART_WIDTH - wide,
			left, wide ? "~" : "", PART_WIDTH, right);
		text_clear(&here[k]);
		text_clear(&there[k]);
	}
	error_set(error, ERROR_INCONSISTENT,
		"the run of %" PRIu32 " processes does something else than that of %" PRIu32 " (process %" PRIu32
		", event %zu, statement %s):%s",
		f->extents.processes, processes, f->process, f->furthest, address.length ? address.data : "-",
		told.data);
	text_clear(&address);
	text_clear(&told);
	return false;
}

static bool follow_process(struct following *f, uint32_t process, struct error *error)
{
	f->process = process;
	f->choices = 0;
	f->ways = 0;
	f->furthest = 0;
	f->furthest_line = f->guide->module->lines;
	if (!read_events(f, error))
		return false;
	for (size_t i = 0; i < f->guide->slots; i++)
		f->before[i] = f->made->points[i].length;
	while (!try_way(f))
		if (!choose_again(f))
			return say_parted(f, error);
	for (size_t i = 0; i < f->guide->slots; i++)
		memcpy(f->alive[i], f->now[i], f->made->slot[i].length * sizeof **f->now);
	narrow_sets(f);
	return true;
}

/* ------------------------------------------------------------------ what is left */

/* Of a slot that does not guide: the constant, its first part, follows from what was seen first. */
static bool fit_free(struct following *f, const struct slot *s, const struct points *p, node_id *number, int64_t *value)
{
	bool good = true;
	for (size_t k = 0; k < p->length && good; k++) {
		point_environment(f->guide, s, p, k, &f->at);
		int64_t is = number_at(&f->at, *number);
		good = !f->at.failure;
		if (good && !k && is != p->at[k].value) {
			*value += p->at[k].value - is;
			*number =
				number_add(f->at.store, *number, number_constant(f->at.store, p->at[k].value - is), 1);
			is = p->at[k].value;
			good = *number != NODE_NONE;
		}
		good = good && is == p->at[k].value;
	}
	return good;
}

static void keep_alive(struct following *f, size_t slot)
{
	const struct slot *of = &f->guide->slot[slot];
	struct survivors *s = &f->made->slot[slot];
	size_t kept = 0, parts = of->parts.length;
	bool guided = slot_parts(of) != PARTS_OF_FREE_NUMBER;
	for (size_t i = 0; i < s->length; i++) {
		bool good = guided ? f->alive[slot][i]
				   : fit_free(f, of, &f->made->points[slot], &s->number[i], &s->value[i * parts]);
		for (size_t k = 0; k < kept && good && !guided; k++)
			good = s->number[k] != s->number[i];
		if (!good)
			continue;
		s->number[kept] = s->number[i];
		memmove(s->value + kept++ * parts, s->value + i * parts, parts * sizeof *s->value);
	}
	s->length = kept;
}

struct followed *follow(
	struct guide *t, struct run *run, const struct extents *x, uint64_t *progress, struct error *error)
{
	struct following f = {.guide = t, .run = run, .extents = *x, .at = extents_environment(x, t->module->store)};
	struct store *store = run_module(run)->store;
	enum failure failure = FAILURE_NONE;
	bool good = run_events(run, &failure) <= FOLLOW_EVENTS ||
		    error_set(error, ERROR_INPUT, "the run has more than %" PRIu64 " events", FOLLOW_EVENTS);
	struct followed *made = f.made = mem_zero(sizeof *made);
	int64_t *index = mem_zero((t->depth + (size_t)1) * sizeof *index);
	f.at.index = index;
	made->slots = t->slots;
	made->slot = mem_zero((t->slots + 1) * sizeof *made->slot);
	made->seen = mem_zero((t->slots + 1) * sizeof *made->seen);
	made->points = mem_zero((t->slots + 1) * sizeof *made->points);
	f.alive = mem_zero((t->slots + 1) * sizeof *f.alive);
	f.now = mem_zero((t->slots + 1) * sizeof *f.now);
	f.member = mem_alloc(t->sets + 1);
	f.chosen = mem_array(t->slots + 1, sizeof *f.chosen);
	f.before = mem_array(t->slots + 1, sizeof *f.before);
	f.members = member_sets_new(run);
	f.cursor = cursor_new(run, 0);
	for (size_t i = 0; i < SIZES; i++)
		f.size_name[i] = store_word(store, size_names[i], strlen(size_names[i]));
	for (size_t i = 0; i < t->slots; i++)
		make_hypotheses(&f, i);
	for (uint32_t p = 0; p < x->processes && good; p++)
		good = follow_process(&f, p, error);
	*progress = (uint64_t)f.process << 32 | f.furthest;
	for (size_t i = 0; i < t->slots && good; i++)
		keep_alive(&f, i);
	for (size_t i = 0; i < t->slots; i++) {
		free(f.alive[i]);
		free(f.now[i]);
	}
	member_sets_free(f.members);
	cursor_free(f.cursor);
	free(index);
	free(f.alive);
	free(f.now);
	free(f.member);
	free(f.chosen);
	free(f.before);
	free(f.event);
	free(f.choice);
	if (good)
		return made;
	followed_free(made);
	return NULL;
}

void followed_free(struct followed *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->slots; i++) {
		free(f->slot[i].number);
		free(f->slot[i].value);
		free(f->points[i].at);
		free(f->points[i].index);
	}
	free(f->slot);
	free(f->seen);
	free(f->points);
	free(f);
}
