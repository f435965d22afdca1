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
#include "model/program_nodes.h"

/* A number that is so much more or less than an extent is tried as such. */
#define NEAR 2

/* ... or so many times one. */
#define TIMES 8

/* After so many iterations in which a process does nothing, nothing inside is for it. */
#define IDLE_ITERATIONS 10000

/* Combinations of the numbers of one slot. */
#define HYPOTHESES_MOST 4096

#define WORD_OF(type, member) (uint16_t)(offsetof(type, member) / sizeof(int64_t))
#define VALUE_AT WORD_OF(struct place, value)

int64_t *slot_word(struct place *f, uint16_t word)
{
	return (int64_t *)f + word;
}

/* ------------------------------------------------------------------ the guide */

static bool guides(enum slot_kind kind)
{
	return kind != SLOT_BYTES && kind != SLOT_RECEIVED && kind != SLOT_COMMUNICATOR;
}

static void note_word(struct slot *s, size_t word)
{
	bool noted = s->words && s->word[0] == word;
	if (noted || !*slot_word(&s->number, (uint16_t)word))
		return;
	s->has_more = s->words == SLOT_WORDS;
	if (!s->has_more)
		s->word[s->words++] = (uint16_t)word;
}

static void note_affine(struct slot *s, size_t at)
{
	for (size_t i = 0; i < sizeof(struct affine) / sizeof(int64_t); i++)
		note_word(s, at + i);
}

static void note_value(struct slot *s)
{
	const struct value *v = &s->number.value;
	note_affine(s, VALUE_AT);
	for (size_t i = 0; i < REMAINDERS; i++)
		if (v->remainder[i].modulus) {
			note_affine(s, VALUE_AT + WORD_OF(struct value, remainder[i].inside));
			note_word(s, VALUE_AT + WORD_OF(struct value, remainder[i].modulus));
			note_word(s, VALUE_AT + WORD_OF(struct value, remainder[i].factor));
		}
	for (size_t i = 0; i < POWERS; i++)
		if (v->power[i].base) {
			note_affine(s, VALUE_AT + WORD_OF(struct value, power[i].exponent));
			note_word(s, VALUE_AT + WORD_OF(struct value, power[i].base));
			note_word(s, VALUE_AT + WORD_OF(struct value, power[i].factor));
		}
	if (v->lookup.table)
		note_word(s, VALUE_AT + WORD_OF(struct value, lookup.factor));
	for (size_t i = 0; v->lookup.table && i < TABLE_ARGUMENTS; i++) {
		note_affine(s, VALUE_AT + WORD_OF(struct value, lookup.argument[i].inside));
		note_word(s, VALUE_AT + WORD_OF(struct value, lookup.argument[i].modulus));
	}
	if (v->test != TEST_NONE)
		note_word(s, VALUE_AT + WORD_OF(struct value, number));
}

static void note_place(struct slot *s)
{
	if (s->number.kind == PLACE_RING)
		note_word(s, WORD_OF(struct place, modulus));
	if (s->number.kind != PLACE_GRID) {
		note_value(s);
		return;
	}
	for (size_t i = 0; i < GRID_AXES; i++)
		note_affine(s, WORD_OF(struct place, axis[i]));
	note_affine(s, WORD_OF(struct place, at));
}

static void add_slot(struct guide *t, size_t statement, enum slot_kind kind, const struct place *number)
{
	struct slot *s = MEM_PUSH(t->slot, t->slots, t->slot_capacity);
	*s = (struct slot){.statement = statement, .kind = kind, .number = *number};
	if (!guides(kind)) /* which follows from what is seen */
		s->word[s->words++] = VALUE_AT;
	if (kind == SLOT_PEER)
		note_place(s);
	else
		note_value(s);
}

static void add_value(struct guide *t, size_t statement, enum slot_kind kind, const struct value *v)
{
	struct place number = {.kind = PLACE_NUMBER};
	number.value = *v;
	add_slot(t, statement, kind, &number);
}

static size_t set_number(struct guide *t, uint32_t id, bool conditions)
{
	for (size_t i = 0; i < t->sets; i++)
		if (t->set[i].id == id)
			return i;
	struct guide_set *s = MEM_PUSH(t->set, t->sets, t->set_capacity);
	struct ranks ranks = dictionary_get_ranks(t->program->dictionary, id);
	*s = (struct guide_set){.id = id};
	if (conditions)
		s->conditions = conditions_of(&(struct learned_runs){&t->extents, 1}, &ranks, 1, &s->condition);
	return t->sets - 1;
}

static bool add_event(struct guide *t, size_t at, struct error *error)
{
	const struct statement *s = &t->program->statement[at];
	struct form form = statement_form(t->program, s);
	struct attribute attribute[ATTRIBUTES_MOST];
	size_t count = program_get_attributes(t->program, s->attributes, attribute);
	if (form.peer.kind != PLACE_NONE)
		add_slot(t, at, SLOT_PEER, &form.peer);
	struct value number = form.varies ? form.value : value_of((int64_t)form.number);
	if (form.numbered)
		add_value(t, at, SLOT_TAG, &number);
	if (form.communicator.plain.constant != NO_COMMUNICATOR)
		add_value(t, at, SLOT_COMMUNICATOR, &form.communicator);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < 2; k++)
			if (attribute[i].name == t->size_name[k] && attribute[i].choices == CHOICES_NONE)
				add_value(t, at, k ? SLOT_RECEIVED : SLOT_BYTES, &attribute[i].value);
	if (form.kind == EVENT_SYNC && form.area.kind == AREA_FIXED) {
		struct ranks group = dictionary_get_ranks(t->program->dictionary, (uint32_t)form.group);
		if (ranks_count(&group) != t->program->processes) {
			struct text line = {0};
			program_print_event(t->program, s, &line);
			error_set(error, ERROR_INCONSISTENT,
				"the group of a collective is neither all processes, nor a line of the grid, nor told by its "
				"communicator: %s",
				line.data);
			text_clear(&line);
			return false;
		}
	}
	return true;
}

/* A number of which some part would not be looked at must not be taken for one of all sizes. */
static bool looks_at_all(const struct guide *t, struct error *error)
{
	for (size_t i = 0; i < t->slots; i++) {
		const struct slot *s = &t->slot[i];
		if (!s->has_more)
			continue;
		struct text address = {0};
		program_address(t->program, s->statement, &address);
		error_set(error, ERROR_INCONSISTENT, "statement %s: a number is made of more than %d others",
			address.data, SLOT_WORDS);
		text_clear(&address);
		return false;
	}
	return true;
}

struct guide *guide_of(struct program *p, const struct extents *x, bool conditions, struct error *error)
{
	struct guide *t = mem_zero(sizeof *t);
	bool good = true;
	t->program = p;
	t->extents = *x;
	t->size_name[0] = dictionary_word(p->dictionary, "bytes", 5);
	t->size_name[1] = dictionary_word(p->dictionary, "received", 8);
	t->first_slot = mem_array(p->length + 1, sizeof *t->first_slot);
	t->set_of = mem_array(p->length + 1, sizeof *t->set_of);
	for (size_t i = 0; i < p->length && good; i++) {
		const struct statement *s = &p->statement[i];
		t->first_slot[i] = t->slots;
		t->set_of[i] = SIZE_MAX;
		if (statement_is_loop(s)) {
			struct value bound = program_bound(p, s);
			if (statement_guard(s) != GUARD_INSIDE)
				add_value(t, i, statement_guard(s) == GUARD_NONE ? SLOT_COUNT : SLOT_CONDITION, &bound);
			if (s->set != STATEMENT_PLAIN)
				t->set_of[i] = set_number(t, s->set, conditions);
			continue;
		}
		struct ranks_run single;
		struct ranks who = program_processes(p, s, &single);
		t->set_of[i] = set_number(t, dictionary_ranks(p->dictionary, &who), conditions);
		good = add_event(t, i, error);
	}
	t->first_slot[p->length] = t->slots;
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
	free(t->first_slot);
	free(t->set_of);
	free(t);
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
	int64_t from[1 + GRID_AXES + EXTENTS_PARAMETERS], to[1 + GRID_AXES + EXTENTS_PARAMETERS];
	size_t terms = 0;
	c->length = 0;
	may_be(c, number);
	if (number >= -1 && number <= 1 && factor)
		return;
	from[terms] = there->processes;
	to[terms++] = here->processes;
	for (uint32_t i = 0; i < there->grid.axes; i++) {
		from[terms] = there->grid.size[i];
		to[terms++] = here->grid.size[i];
	}
	for (uint32_t i = 0; i < there->parameters; i++) {
		from[terms] = there->parameter[i].value;
		to[terms++] = here->parameter[i].value;
	}
	for (size_t i = 0; i < terms; i++) {
		may_be_of(c, number, from[i], to[i]);
		may_be_of(c, number, ceil_log2(from[i]), ceil_log2(to[i]));
		if (!i) {
			may_be_of(c, number, floor_log2(from[i]), floor_log2(to[i]));
			may_be_of(c, number, floor_root(from[i]), floor_root(to[i]));
		}
		for (size_t k = 1; k < i; k++) {
			may_be_of(c, number, from[i] * from[k], to[i] * to[k]);
			may_be_of(c, number, ceil_log2(from[i] * from[k]), ceil_log2(to[i] * to[k]));
		}
	}
}

/* Is a 1 there a name with nothing before it, not a number of its own? */
static bool is_factor(const struct slot *s, uint16_t word)
{
	if (s->kind == SLOT_PEER && s->number.kind == PLACE_GRID)
		return true;
	uint16_t at = (uint16_t)(word - VALUE_AT);
	bool exponent =
		at == WORD_OF(struct value, power[0].exponent) || at == WORD_OF(struct value, power[1].exponent);
	return at && !exponent;
}

/* ------------------------------------------------------------------ a run as events */

struct event_of_run {
	struct event_numbers event; /* its word is one of the pattern */
	int64_t size[2];
	bool sized[2];
};

struct following {
	struct guide *guide;
	struct program *run;
	struct extents extents;
	const struct program_nodes *nodes; /* of the run */
	struct member_sets *members;
	struct cursor *cursor;
	uint32_t size_name[2]; /* words of its store */
	struct followed *made;
	bool **alive; /* by slot, of its survivors: by all that was seen of processes before this one, */
	bool **now; /* ... and of this one, on the way that is tried */
	/* of the process at hand: */
	uint32_t process;
	struct spot spot;
	int64_t index[INDEX_DEPTH + 1];
	uint32_t depth;
	struct event_of_run *event;
	size_t events, event_capacity, at, furthest, furthest_statement;
	int8_t *member; /* by set: 1, it is in there, 0, it is not, -1 is not known */
	size_t *chosen; /* by slot: a survivor; SIZE_MAX: not known */
	size_t *before; /* by slot: points before this process */
	struct points *points; /* by slot */
	struct choice {
		size_t number, of;
	} * choice;
	size_t choices, choice_capacity, made_choices;
	uint64_t ways;
};

/* Does it look up what each process has? A table says nothing of others. */
static bool asks_process(const struct place *p)
{
	for (int k = 0; p->kind != PLACE_GRID && value_lookup(&p->value, k); k++) {
		struct value alone = {.lookup = *value_lookup(&p->value, k)};
		if (!value_is_uniform(&alone))
			return true;
	}
	return false;
}

/* No remainder modulo nothing, no power of nothing. */
static bool is_sensible(const struct place *p)
{
	bool good = p->kind != PLACE_RING || p->modulus > 0;
	const struct value *v = &p->value;
	for (size_t i = 0; i < REMAINDERS && p->kind != PLACE_GRID; i++)
		good = good && v->remainder[i].modulus >= 0;
	for (size_t i = 0; i < POWERS && p->kind != PLACE_GRID; i++)
		good = good && (!v->power[i].factor || v->power[i].base > 1);
	for (size_t i = 0; i < TABLE_ARGUMENTS && p->kind != PLACE_GRID; i++)
		good = good && v->lookup.argument[i].modulus >= 0 && v->by.argument[i].modulus >= 0;
	return good;
}

static void make_hypotheses(struct following *f, size_t number)
{
	const struct slot *s = &f->guide->slot[number];
	struct candidates *c = mem_array(s->words + 1, sizeof *c);
	struct survivors *to = &f->made->slot[number];
	size_t digit[SLOT_WORDS] = {0}, all = 1;
	for (uint32_t i = 0; i < s->words && !asks_process(&s->number); i++) {
		candidates_of(&c[i], *slot_word((struct place *)&s->number, s->word[i]), is_factor(s, s->word[i]),
			&f->guide->extents, &f->extents);
		if (all * c[i].length > HYPOTHESES_MOST)
			c[i].length = 1;
		all *= c[i].length;
	}
	to->number = mem_array(all, sizeof *to->number);
	f->alive[number] = mem_array(all, sizeof **f->alive);
	f->now[number] = mem_array(all, sizeof **f->now);
	for (size_t k = 0; k < all && !asks_process(&s->number); k++) {
		struct place *p = &to->number[to->length];
		*p = s->number;
		for (uint32_t i = 0; i < s->words; i++)
			*slot_word(p, s->word[i]) = c[i].value[digit[i]];
		if (is_sensible(p))
			f->alive[number][to->length++] = true;
		for (uint32_t i = 0; i < s->words && ++digit[i] == c[i].length; i++)
			digit[i] = 0;
	}
	free(c);
}

static bool hypothesis_at(
	const struct following *f, size_t slot, const struct place *p, const struct spot *spot, int64_t *value)
{
	if (f->guide->slot[slot].kind != SLOT_PEER)
		return value_fits(&p->value, spot, value);
	if (!place_is_number(p, spot))
		return false;
	*value = place_at(p, &f->extents.grid, spot);
	return true;
}

static void note_point(struct following *f, size_t slot, int64_t value)
{
	struct points *p = &f->points[slot];
	p->process = mem_grow(p->process, &p->capacity, p->length + 1, sizeof *p->process);
	p->value = mem_grow(p->value, &p->value_capacity, p->length + 1, sizeof *p->value);
	p->index = mem_grow(p->index, &p->index_capacity, (p->length + 1) * INDEX_DEPTH, sizeof *p->index);
	p->process[p->length] = f->process;
	p->value[p->length] = value;
	memcpy(p->index + p->length * INDEX_DEPTH, f->index, INDEX_DEPTH * sizeof *p->index);
	p->length++;
	f->made->seen[slot] = true;
}

/* Is there a survivor that says so? keep: only such survive, on this way. */
static bool allows(struct following *f, size_t slot, int64_t value, bool keep)
{
	const struct survivors *s = &f->made->slot[slot];
	bool any = false;
	for (size_t i = 0; i < s->length && (keep || !any); i++) {
		int64_t number;
		bool says =
			f->now[slot][i] && hypothesis_at(f, slot, &s->number[i], &f->spot, &number) && number == value;
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
static bool is_member(struct following *f, size_t statement, bool possible)
{
	size_t number = f->guide->set_of[statement];
	if (number == SIZE_MAX)
		return true;
	if (f->member[number] >= 0)
		return f->member[number];
	const struct guide_set *s = &f->guide->set[number];
	bool in = false, out = false;
	for (size_t i = 0; i < s->conditions; i++) {
		bool holds = condition_holds(&s->condition[i], &f->extents, &f->spot);
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
			if (!f->now[slot][i] || !hypothesis_at(f, slot, &s->number[i], &f->spot, &number))
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
	if (!hypothesis_at(f, slot, &s->number[f->chosen[slot]], &f->spot, value))
		return false;
	return allows(f, slot, *value, true);
}

/* ------------------------------------------------------------------ the parse */

static bool group_fits(struct following *f, const struct form *form, const struct event_numbers *e)
{
	const struct ranks *group = member_set_ranks(f->members, (uint32_t)e->number[COLUMN_GROUP]);
	if (form->area.kind == AREA_BY_COMMUNICATOR)
		return true; /* seen when all is put together */
	if (form->area.kind == AREA_FIXED)
		return ranks_count(group) == f->extents.processes;
	struct ranks area = {0};
	area_at(&form->area, &f->extents.grid, &f->spot, &area);
	bool equal = ranks_equal(&area, group);
	ranks_clear(&area);
	return equal;
}

static const struct slot *slot_of(const struct guide *t, size_t statement, enum slot_kind kind, size_t *number)
{
	for (*number = t->first_slot[statement]; *number < t->first_slot[statement + 1]; ++*number)
		if (t->slot[*number].kind == kind)
			return &t->slot[*number];
	return NULL;
}

/* Is the next event one of this statement? note: then its numbers are kept. */
static bool event_fits(struct following *f, size_t at, bool note)
{
	if (f->at == f->events)
		return false;
	const struct event_of_run *e = &f->event[f->at];
	const int64_t *number = e->event.number, to = number[e->event.kind == KIND_SYNC ? COLUMN_ROOT : COLUMN_PEER];
	struct form form = statement_form(f->guide->program, &f->guide->program->statement[at]);
	size_t peer, tag, communicator, size[2];
	bool rooted = slot_of(f->guide, at, SLOT_PEER, &peer),
	     named = slot_of(f->guide, at, SLOT_COMMUNICATOR, &communicator);
	bool numbered = slot_of(f->guide, at, SLOT_TAG, &tag);
	bool sized[2] = {slot_of(f->guide, at, SLOT_BYTES, &size[0]), slot_of(f->guide, at, SLOT_RECEIVED, &size[1])};
	if ((uint32_t)form.kind != e->event.kind || form.word != e->event.word ||
		form.numbered != (number[COLUMN_TAG] != EVENT_UNSAID) || sized[0] != e->sized[0] ||
		sized[1] != e->sized[1])
		return false;
	if (form.kind != EVENT_LOCAL && named != (number[COLUMN_COMMUNICATOR] != EVENT_UNSAID))
		return false;
	if (form.kind == EVENT_SYNC && (rooted != (to != EVENT_UNSAID) || !group_fits(f, &form, &e->event)))
		return false;
	if ((rooted && !allows(f, peer, to, note)) || (numbered && !allows(f, tag, number[COLUMN_TAG], note)))
		return false;
	if (!note)
		return true;
	if (named)
		note_point(f, communicator, number[COLUMN_COMMUNICATOR]);
	for (int k = 0; k < 2; k++)
		if (sized[k])
			note_point(f, size[k], e->size[k]);
	return true;
}

static bool run_body(struct following *f, size_t from, size_t to);

static bool run_loop(struct following *f, size_t at)
{
	const struct statement *s = &f->guide->program->statement[at];
	int64_t count = 0;
	size_t slot = f->guide->first_slot[at];
	if (!is_member(f, at, true))
		return true;
	if (statement_guard(s) == GUARD_INSIDE) {
		struct form form = statement_form(f->guide->program, s + 1);
		uint64_t entries;
		const struct affine *entry = place_stencil(&form.peer, &entries);
		struct value number = {.plain = *entry};
		count = place_is_inside(
			&form.peer, &f->extents.grid, f->extents.processes, f->process, value_at(&number, &f->spot));
	} else if (!decide(f, slot, &count)) {
		return false;
	}
	bool good = true;
	uint32_t depth = f->depth++;
	if (depth >= INDEX_DEPTH)
		count = 0;
	int64_t idle = 0;
	for (int64_t k = 0; k < count && good && idle < IDLE_ITERATIONS; k++) {
		size_t before = f->at;
		f->index[depth] = k;
		good = run_body(f, at + 1, at + s->size);
		idle = f->at == before ? idle + 1 : 0;
	}
	f->depth = depth;
	if (depth < INDEX_DEPTH)
		f->index[depth] = 0;
	return good;
}

static bool run_body(struct following *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i += statement_size(&f->guide->program->statement[i])) {
		if (statement_is_loop(&f->guide->program->statement[i])) {
			if (!run_loop(f, i))
				return false;
			continue;
		}
		if (!is_member(f, i, event_fits(f, i, false)))
			continue;
		if (f->at >= f->furthest) {
			f->furthest = f->at;
			f->furthest_statement = i;
		}
		if (!event_fits(f, i, true))
			return false;
		f->at++;
	}
	return true;
}

static bool try_way(struct following *f)
{
	struct guide *t = f->guide;
	memset(f->member, -1, t->sets);
	for (size_t i = 0; i < t->slots; i++) {
		f->points[i].length = f->before[i];
		f->chosen[i] = SIZE_MAX;
		memcpy(f->now[i], f->alive[i], f->made->slot[i].length * sizeof **f->now);
	}
	memset(f->index, 0, sizeof f->index);
	f->at = f->depth = 0;
	f->made_choices = 0;
	return run_body(f, 0, t->program->length) && f->at == f->events;
}

/* What it has not executed at all, it is not in, or only for nothing; conditions that disagree with
   what it is in, go. */
static void narrow_sets(struct following *f)
{
	for (size_t i = 0; i < f->guide->sets; i++) {
		struct guide_set *s = &f->guide->set[i];
		size_t kept = 0;
		for (size_t k = 0; k < s->conditions && f->member[i] >= 0; k++)
			if (condition_holds(&s->condition[k], &f->extents, &f->spot) == f->member[i])
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
		for (int which = 0; which < 2; which++)
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
		e->event.word = dictionary_word(f->guide->program->dictionary, word, strlen(word));
		read_sizes(f, c, e);
	}
	return environment_good(&c->at, error);
}

/* Of either text, what is told of where they part: what stands there, and on both sides of it. */
enum { PART_BEFORE = 1, PART_LINES = 3, PART_WIDTH = 52 };

static void put_parting(const struct program *p, size_t statement, struct text *to)
{
	if (statement_is_loop(&p->statement[statement]))
		text_put(to, "a loop");
	else
		program_print_event(p, &p->statement[statement], to);
}

/* By line: of the process's events. */
static void events_around(const struct following *f, struct text *line)
{
	size_t i = 0;
	cursor_restart(f->cursor, f->process);
	for (; i <= f->furthest + PART_LINES - PART_BEFORE - 1 && cursor_next(f->cursor); i++)
		if (i + PART_BEFORE >= f->furthest)
			put_parting(f->run, f->nodes->statement[f->cursor->line], &line[i + PART_BEFORE - f->furthest]);
	if (i + PART_BEFORE >= f->furthest && i + PART_BEFORE - f->furthest < PART_LINES)
		text_put(&line[i + PART_BEFORE - f->furthest], "its end");
}

static void statements_around(const struct following *f, struct text *line)
{
	const struct program *p = f->guide->program;
	for (size_t k = 0; k < PART_LINES; k++) {
		size_t at = f->furthest_statement < p->length ? f->furthest_statement + k : p->length + k;
		if (at < PART_BEFORE)
			continue;
		at -= PART_BEFORE;
		if (at < p->length)
			put_parting(p, at, &line[k]);
		else if (at == p->length)
			text_put(&line[k], "its end");
	}
}

/* Both texts side by side, where they part. */
static bool say_parted(const struct following *f, struct error *error)
{
	struct text here[PART_LINES] = {{0}}, there[PART_LINES] = {{0}}, told = {0};
	struct addresses addresses = addresses_of(f->guide->program);
	events_around(f, here);
	statements_around(f, there);
	text_format(&told, "\n    of %-*" PRIu32 "  of %" PRIu32, PART_WIDTH - 3, f->extents.processes,
		f->guide->extents.processes);
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
		f->extents.processes, f->guide->extents.processes, f->process, f->furthest,
		f->furthest_statement < f->guide->program->length ? addresses_get(&addresses, f->furthest_statement)
								  : "-",
		told.data);
	addresses_clear(&addresses);
	text_clear(&told);
	return false;
}

static bool follow_process(struct following *f, uint32_t process, struct error *error)
{
	f->process = process;
	f->spot = grid_spot(&f->extents.grid, process);
	f->spot.index = f->index;
	f->choices = 0;
	f->ways = 0;
	f->furthest = 0;
	f->furthest_statement = f->guide->program->length;
	if (!read_events(f, error))
		return false;
	for (size_t i = 0; i < f->guide->slots; i++)
		f->before[i] = f->points[i].length;
	while (!try_way(f))
		if (!choose_again(f))
			return say_parted(f, error);
	for (size_t i = 0; i < f->guide->slots; i++)
		memcpy(f->alive[i], f->now[i], f->made->slot[i].length * sizeof **f->now);
	narrow_sets(f);
	return true;
}

/* ------------------------------------------------------------------ what is left */

/* Of a slot that does not guide: the constant follows from what was seen first. */
static void fit_free(struct following *f, size_t slot)
{
	struct survivors *s = &f->made->slot[slot];
	const struct points *p = &f->points[slot];
	size_t kept = 0;
	for (size_t i = 0; i < s->length; i++) {
		struct place n = s->number[i];
		bool good = true;
		for (size_t k = 0; k < p->length && good; k++) {
			struct spot spot = grid_spot(&f->extents.grid, p->process[k]);
			int64_t number;
			spot.index = p->index + k * INDEX_DEPTH;
			good = value_fits(&n.value, &spot, &number);
			if (good && !k) {
				n.value.plain.constant += p->value[k] - number;
				number = p->value[k];
			}
			good = good && number == p->value[k];
		}
		for (size_t k = 0; k < kept && good; k++)
			good = memcmp(&s->number[k], &n, sizeof n) != 0;
		if (good)
			s->number[kept++] = n;
	}
	s->length = kept;
}

static void keep_alive(struct following *f, size_t slot)
{
	struct survivors *s = &f->made->slot[slot];
	size_t kept = 0;
	if (!guides(f->guide->slot[slot].kind)) {
		fit_free(f, slot);
		return;
	}
	for (size_t i = 0; i < s->length; i++)
		if (f->alive[slot][i])
			s->number[kept++] = s->number[i];
	s->length = kept;
}

struct followed *follow(
	struct guide *t, struct program *run, const struct extents *x, uint64_t *progress, struct error *error)
{
	struct following f = {.guide = t, .run = run, .extents = *x, .nodes = program_nodes(run, error)};
	if (!f.nodes)
		return NULL;
	struct store *store = f.nodes->module->store;
	bool good = f.nodes->module->events <= FOLLOW_EVENTS ||
		    error_set(error, ERROR_INPUT, "the run has more than %" PRIu64 " events", FOLLOW_EVENTS);
	struct followed *made = f.made = mem_zero(sizeof *made);
	made->slots = t->slots;
	made->slot = mem_zero((t->slots + 1) * sizeof *made->slot);
	made->seen = mem_zero((t->slots + 1) * sizeof *made->seen);
	made->points = f.points = mem_zero((t->slots + 1) * sizeof *made->points);
	f.alive = mem_zero((t->slots + 1) * sizeof *f.alive);
	f.now = mem_zero((t->slots + 1) * sizeof *f.now);
	f.member = mem_alloc(t->sets + 1);
	f.chosen = mem_array(t->slots + 1, sizeof *f.chosen);
	f.before = mem_array(t->slots + 1, sizeof *f.before);
	f.members = member_sets_new(f.nodes->run);
	f.cursor = cursor_new(f.nodes->run, 0);
	f.size_name[0] = store_word(store, "bytes", 5);
	f.size_name[1] = store_word(store, "received", 8);
	for (size_t i = 0; i < t->slots; i++)
		make_hypotheses(&f, i);
	for (uint32_t p = 0; p < run->processes && good; p++)
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
		free(f->points[i].process);
		free(f->points[i].value);
		free(f->points[i].index);
	}
	free(f->slot);
	free(f->seen);
	free(f->points);
	free(f);
}
