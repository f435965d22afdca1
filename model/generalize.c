/*
 * generalize.c -- calls are compared from the inside out: a call inside of others is a statement of
 * these, whose numbers are its arguments.
 *
 * The statements of a call are made anew with a gap in place of each number that may be a
 * parameter. Calls of one procedure that are then the same node are of one kind: their numbers
 * stand in the same order. What differs is a parameter, and the statements of the first call, made
 * anew with parameters in the gaps, are the body.
 */
#include "model/generalize.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/body_names.h"

#define BODY_NONE SIZE_MAX
#define CALL_NONE SIZE_MAX
#define PARAMETER_NONE UINT32_MAX

/* What stands in a gap; no parameter has this number. */
#define VARIABLE_GAP (VARIABLE_PARAMETER + PARAMETERS_LIMIT)

/* Larger numbers are no arguments. */
#define NUMBER_FILLED (INT64_C(1) << 60)

/* Deeper ones are not told apart (USES_INDEX). */
#define BODY_DEPTH 31

struct gap {
	node_id number;
	uint32_t name; /* what it may be called; a word of the store */
	uint32_t depth; /* loops of the call around it */
};

/* A call, by its number among all. */
struct placed_call {
	size_t body; /* BODY_NONE: its lines stand where they are */
	size_t parent; /* the call that it stands in; CALL_NONE */
	bool sound; /* whole statements of one list */
	uint32_t height; /* calls inside of each other in it */
	size_t gap; /* the first of its lines */
	node_id same; /* its lines with gaps */
	node_id call; /* as it is called */
};

struct called_body {
	size_t call; /* the first one */
	node_id procedure; /* number: its own, from 1; parameters have names that they may have */
	uint32_t indices; /* parameters that are indices: the first ones */
	uint32_t name; /* 0: not yet named */
	node_id named; /* NODE_NONE: not yet made */
};

struct generalizing {
	const struct module *m;
	struct store *s;
	const struct program_calls *calls;
	const uint32_t *mark;
	bool anywhere; /* lines are the same wherever in the source they are */
	struct module_line *line;
	struct placed_call *call;
	struct called_body *body;
	size_t bodies, body_capacity;
	struct gap *gap;
	size_t gaps, gap_capacity;
	size_t next; /* call that has not been met so far */
	size_t innermost; /* that is open; CALL_NONE */
	struct kind {
		size_t first, last, calls;
	} * kind;
	size_t kind_capacity;
	size_t *behind; /* by call: the next one of its kind */
	/* statements are made anew: numbers stay, are noted and become gaps, or are filled in */
	enum { STAY, NOTE, FILL } making;
	const uint32_t *parameter; /* of each gap, in their order; PARAMETER_NONE: its number stays */
	uint32_t plus; /* parameters before these */
};

/* ------------------------------------------------------------------ where calls stand */

static size_t lines_of(const struct generalizing *z, size_t line)
{
	return node_of(z->s, z->line[line].node)->lines;
}

static bool ends_a_statement(const struct generalizing *z, size_t from, size_t to, size_t end)
{
	while (from < end && from < to)
		from += lines_of(z, from);
	return from == end && end <= to;
}

/* to: where the list ends that it begins in. */
static void open_call(struct generalizing *z, size_t number, size_t to)
{
	const struct program_call *c = &z->calls->call[number];
	struct placed_call *at = &z->call[number];
	bool inside = z->innermost == CALL_NONE || c->end <= z->calls->call[z->innermost].end;
	at->parent = z->innermost;
	at->sound = c->end > c->start && inside && ends_a_statement(z, c->start, to, c->end);
	z->innermost = at->sound ? number : at->parent;
}

/* The statements of one list. As deep as loops nest. */
static void place_calls(struct generalizing *z, size_t from, size_t to)
{
	for (size_t at = from; at < to; at += lines_of(z, at)) {
		while (z->innermost != CALL_NONE && z->calls->call[z->innermost].end <= at)
			z->innermost = z->call[z->innermost].parent;
		for (; z->next < z->calls->length && z->calls->call[z->next].start <= at; z->next++)
			if (z->calls->call[z->next].start == at)
				open_call(z, z->next, to);
		place_calls(z, at + 1, at + lines_of(z, at));
	}
}

/* Those inside come behind. Gives the greatest. */
static uint32_t set_heights(struct generalizing *z)
{
	uint32_t most = 0;
	for (size_t i = z->calls->length; i-- > 0;) {
		size_t parent = z->call[i].parent;
		if (!z->call[i].sound)
			continue;
		if (parent != CALL_NONE && z->call[parent].height <= z->call[i].height)
			z->call[parent].height = z->call[i].height + 1;
		most = z->call[i].height > most ? z->call[i].height : most;
	}
	return most;
}

/* The next call of a body that stands at this line, among those from *next on, which moves behind
   it; CALL_NONE: none does. */
static size_t call_at(const struct generalizing *z, size_t line, size_t *next)
{
	for (; *next < z->calls->length && z->calls->call[*next].start <= line; ++*next)
		if (z->calls->call[*next].start == line && z->call[*next].body != BODY_NONE)
			return (*next)++;
	return CALL_NONE;
}

/* The lines of a text, or of a call, one after the other: own ones, or calls inside. */
struct walk {
	const struct generalizing *z;
	size_t at, end, next;
	size_t line, call; /* at hand: one of these; the other one is SIZE_MAX */
};

static struct walk walk_of(const struct generalizing *z, size_t call)
{
	const struct program_call *c = &z->calls->call[call];
	return (struct walk){.z = z, .at = c->start, .end = c->end, .next = call + 1};
}

static bool walk_next(struct walk *w)
{
	if (w->at >= w->end)
		return false;
	w->call = call_at(w->z, w->at, &w->next);
	w->line = w->call == CALL_NONE ? w->at : SIZE_MAX;
	w->at = w->call == CALL_NONE ? w->at + 1 : w->z->calls->call[w->call].end;
	return true;
}

/* ------------------------------------------------------------------ statements made anew */

static uint32_t word(struct generalizing *z, const char *name)
{
	return store_word(z->s, name, strlen(name));
}

/* A number that may be a parameter of this name. */
static node_id number_anew(struct generalizing *z, node_id number, uint32_t name, uint32_t depth)
{
	int64_t constant = node_of(z->s, number)->number;
	if (!number || z->making == STAY || constant > NUMBER_FILLED || constant < -NUMBER_FILLED)
		return number;
	if (z->making == NOTE) {
		*MEM_PUSH(z->gap, z->gaps, z->gap_capacity) = (struct gap){number, name, depth};
		return number_variable(z->s, VARIABLE_GAP);
	}
	uint32_t parameter = *z->parameter++;
	return parameter == PARAMETER_NONE ? number : number_variable(z->s, VARIABLE_PARAMETER + z->plus + parameter);
}

/* {40 at 0}: the process stays. */
static node_id size_anew(struct generalizing *z, node_id number, uint32_t name, uint32_t depth)
{
	struct number_there there;
	if (!number || !number_is_at_process(z->s, number, &there))
		return number_anew(z, number, name, depth);
	node_id value = number_anew(z, number_there_value(z->s, &there), name, depth);
	return number_at_process(z->s, value, there.process, there.there);
}

/* What is added to p has no look-up. */
static node_id offset_anew(struct generalizing *z, node_id place, uint32_t depth)
{
	node_id p = number_variable(z->s, VARIABLE_P);
	if (node_of(z->s, place)->looks)
		return place;
	return number_add(z->s, p, number_anew(z, number_add(z->s, place, p, -1), word(z, "d"), depth), 1);
}

static node_id place_anew(struct generalizing *z, node_id place, uint32_t depth)
{
	const struct node *f = node_of(z->s, number_single(z->s, place));
	switch (number_shape(z->s, place, true)) {
	case SHAPE_NUMBER:
	case SHAPE_ENTRY:
	case SHAPE_BRACES:
		return number_anew(z, place, word(z, "rank"), depth);
	case SHAPE_OFFSET:
		return offset_anew(z, place, depth);
	case SHAPE_RING:
		return number_remainder(z->s, offset_anew(z, f->kid[0], depth), f->kid[1]);
	case SHAPE_XOR:
		return f->looks ? place : number_xor(z->s, number_anew(z, f->kid[0], word(z, "d"), depth));
	case SHAPE_GRID:
		break;
	}
	return place;
}

/* A line of a plain model: it says whom it is of, and is what it is. */
static bool is_plain(const struct generalizing *z, const struct node *event)
{
	return node_of(z->s, event->kid[COLUMN_WHO])->sub && !(event->uses[FOR_CHANNEL] & USES_INDICES);
}

static node_id event_anew(struct generalizing *z, node_id event, uint32_t depth)
{
	const struct node *n = node_of(z->s, event), *who = node_of(z->s, n->kid[COLUMN_WHO]);
	node_id *kid = mem_copy(n->kid, n->kids * sizeof *kid);
	if (who->kind == NODE_NAMED)
		kid[COLUMN_WHO] = node_with(
			z->s, kid[COLUMN_WHO], (node_id[]){number_anew(z, who->kid[0], word(z, "rank"), depth)});
	if (!is_plain(z, n)) {
		kid[COLUMN_PEER] = place_anew(z, kid[COLUMN_PEER], depth);
		kid[COLUMN_TAG] = number_anew(z, kid[COLUMN_TAG], word(z, "tag"), depth);
		kid[COLUMN_COMMUNICATOR] = number_anew(z, kid[COLUMN_COMMUNICATOR], word(z, "comm"), depth);
		kid[COLUMN_ROOT] = place_anew(z, kid[COLUMN_ROOT], depth);
	}
	for (uint32_t k = COLUMNS; k < n->kids; k++) {
		const struct node *a = node_of(z->s, kid[k]);
		node_id number = a->kid[1] ? a->kid[0] : size_anew(z, a->kid[0], a->word, depth);
		kid[k] = node_with(z->s, kid[k], (node_id[]){number, a->kid[1]});
	}
	node_id made = node_with(z->s, event, kid);
	free(kid);
	return made;
}

static node_id call_anew(struct generalizing *z, size_t call, uint32_t depth)
{
	const struct node *n = node_of(z->s, z->call[call].call), *procedure = node_of(z->s, n->kid[0]);
	node_id kid[1 + PARAMETERS_LIMIT];
	memcpy(kid, n->kid, n->kids * sizeof *kid);
	for (uint32_t k = 1 + z->body[z->call[call].body].indices; k < n->kids; k++)
		kid[k] = number_anew(z, kid[k], node_of(z->s, procedure->kid[k])->word, depth);
	return node_with(z->s, z->call[call].call, kid);
}

static node_id list_anew(struct generalizing *, size_t from, size_t to, uint32_t depth);

/* A loop or a guard. An `else` behind anything but its `if` is a guard of its own. */
static node_id construct_anew(struct generalizing *z, size_t line, node_id before, uint32_t depth)
{
	const struct node *n = node_of(z->s, z->line[line].node);
	bool loop = n->kind == NODE_LOOP, otherwise = n->sub && node_of(z->s, before)->kind == NODE_GUARD;
	node_id kid[] = {n->kid[0], loop ? number_anew(z, n->kid[1], word(z, "n"), depth) : n->kid[1], NODE_NONE};
	kid[2] = list_anew(z, line + 1, line + n->lines, depth + loop);
	return node_make(z->s, (enum node_kind)n->kind, loop ? n->sub : otherwise, n->word, n->number, 3, kid);
}

/* As deep as loops nest. */
static node_id list_anew(struct generalizing *z, size_t from, size_t to, uint32_t depth)
{
	node_id *kid = NULL, before = NODE_NONE;
	size_t kids = 0, capacity = 0;
	while (from < to) {
		size_t call = call_at(z, from, &z->next);
		if (call != CALL_NONE)
			before = call_anew(z, call, depth);
		else if (node_of(z->s, z->line[from].node)->kind == NODE_EVENT)
			before = event_anew(z, z->line[from].node, depth);
		else
			before = construct_anew(z, from, before, depth);
		*MEM_PUSH(kid, kids, capacity) = before;
		from = call == CALL_NONE ? from + lines_of(z, from) : z->calls->call[call].end;
	}
	node_id list = node_make(z->s, NODE_SEQUENCE, 0, 0, 0, (uint32_t)kids, kid);
	free(kid);
	return list;
}

static node_id call_lines_anew(struct generalizing *z, size_t call)
{
	z->next = call + 1;
	return list_anew(z, z->calls->call[call].start, z->calls->call[call].end, 0);
}

/* ------------------------------------------------------------------ kinds of calls */

/* Of one kind are calls of a procedure that are the same but for what stands in their gaps. */
static void find_kind(struct generalizing *z, struct intern *kinds, size_t call)
{
	uint32_t *key = NULL;
	size_t words = 2, capacity = 0;
	z->making = NOTE;
	z->call[call].gap = z->gaps;
	z->call[call].same = call_lines_anew(z, call);
	key = mem_grow(key, &capacity, words, sizeof *key);
	key[0] = z->calls->call[call].procedure;
	key[1] = z->call[call].same;
	for (struct walk w = walk_of(z, call); walk_next(&w);) {
		if (w.call != CALL_NONE)
			continue;
		if (!z->anywhere)
			*MEM_PUSH(key, words, capacity) = z->m->sites[w.line];
		if (z->mark)
			*MEM_PUSH(key, words, capacity) = z->mark[w.line];
	}
	uint32_t known = intern_count(kinds), kind = intern_id(kinds, key, words * sizeof *key);
	z->kind = mem_grow(z->kind, &z->kind_capacity, (size_t)kind + 1, sizeof *z->kind);
	if (kind == known)
		z->kind[kind] = (struct kind){call, call, 0};
	else
		z->behind[z->kind[kind].last] = call;
	z->kind[kind].last = call;
	z->kind[kind].calls++;
	z->behind[call] = CALL_NONE;
	free(key);
}

/* ------------------------------------------------------------------ parameters */

/* The calls of a kind. */
struct instances {
	struct generalizing *z;
	size_t *call, calls, gaps;
	uint32_t *parameter; /* by gap; PARAMETER_NONE */
	size_t first[PARAMETERS_LIMIT]; /* by parameter: the first gap that it fills */
	uint32_t parameters;
};

static const struct gap *gap_at(const struct instances *n, size_t call, size_t gap)
{
	return &n->z->gap[n->z->call[n->call[call]].gap + gap];
}

/* As seen from the call. */
static node_id outside(const struct instances *n, const struct gap *gap)
{
	return number_put(&(struct substitution){.store = n->z->s, .deeper = -(int64_t)gap->depth}, gap->number);
}

/* What each call would hand over. */
static uint32_t vector_of(const struct instances *n, struct intern *vectors, size_t gap)
{
	node_id *number = mem_array(n->calls, sizeof *number);
	for (size_t i = 0; i < n->calls; i++)
		number[i] = outside(n, gap_at(n, i, gap));
	uint32_t vector = intern_id(vectors, number, n->calls * sizeof *number);
	free(number);
	return vector;
}

/* What a gap asks for in any of the calls, and whether it is the same in all. */
struct wanted {
	bool varies, outside, inside; /* indices of loops around the calls, of others */
};

static struct wanted wanted_of(const struct instances *n, size_t gap)
{
	struct wanted w = {0};
	for (size_t i = 0; i < n->calls; i++) {
		const struct gap *here = gap_at(n, i, gap);
		uint64_t uses = node_of(n->z->s, here->number)->uses[FOR_ALL] & USES_INDICES;
		w.varies = w.varies || here->number != gap_at(n, 0, gap)->number;
		w.outside = w.outside || (uses & ~uses_inside(here->depth));
		w.inside = w.inside || (uses & uses_inside(here->depth));
	}
	return w;
}

/* False: there are too many, or what differs is not known where the calls stand. */
static bool find_parameters(struct instances *n)
{
	struct intern *vectors = intern_new();
	bool good = true;
	for (size_t i = 0; i < n->gaps && good; i++) {
		struct wanted w = wanted_of(n, i);
		n->parameter[i] = PARAMETER_NONE;
		if (!w.varies && (!w.outside || w.inside))
			continue;
		uint32_t parameter = w.inside ? PARAMETERS_LIMIT : vector_of(n, vectors, i);
		good = parameter < PARAMETERS_LIMIT;
		if (good && parameter == n->parameters)
			n->first[n->parameters++] = i;
		n->parameter[i] = parameter;
	}
	intern_free(vectors);
	return good;
}

/* The lines of the first call, with parameters from this one on. */
static node_id filled(const struct instances *n, uint32_t plus)
{
	struct generalizing *z = n->z;
	z->making = FILL;
	z->parameter = n->parameter;
	z->plus = plus;
	return call_lines_anew(z, n->call[0]);
}

/* The indices of loops around that a body asks for, a bit each. */
static uint32_t indices_of(const struct instances *n, node_id body)
{
	return (uint32_t)(node_of(n->z->s, body)->uses[FOR_ALL] & USES_INDICES);
}

/* One call alone passes on indices instead of what they make, where these are fewer. */
static void prefer_indices(struct instances *n)
{
	uint32_t *parameter = n->parameter, *none = mem_array(n->gaps, sizeof *none);
	int arguments = (int)n->parameters + __builtin_popcount(indices_of(n, filled(n, 0)));
	for (size_t i = 0; i < n->gaps; i++)
		none[i] = PARAMETER_NONE;
	n->parameter = none;
	bool fewer = __builtin_popcount(indices_of(n, filled(n, 0))) < arguments;
	n->parameter = fewer ? none : parameter;
	n->parameters = fewer ? 0 : n->parameters;
	free(fewer ? parameter : none);
}

/* Indices come first, the outermost before the others. variable: what they are inside of the body,
   by index; call: as they are handed over. */
static uint32_t put_indices(struct store *s, uint32_t indices, node_id *variable, node_id *call)
{
	uint32_t count = 0;
	for (uint32_t k = BODY_DEPTH; k-- > 0;)
		if (indices >> k & 1) {
			call[count] = number_variable(s, VARIABLE_INDEX + (int64_t)k);
			variable[k] = number_variable(s, VARIABLE_PARAMETER + count++);
		}
	return count;
}

static node_id procedure_of(const struct instances *n, size_t body, node_id list, uint32_t indices)
{
	struct store *s = n->z->s;
	node_id kid[1 + PARAMETERS_LIMIT] = {list};
	uint32_t parameters = indices + n->parameters;
	for (uint32_t k = 0; k < parameters; k++)
		kid[1 + k] = node_make(s, NODE_VARIABLE, 0, k < indices ? 0 : gap_at(n, 0, n->first[k - indices])->name,
			VARIABLE_PARAMETER + k, 0, NULL);
	return node_make(s, NODE_PROCEDURE, 0, 0, (int64_t)body + 1, 1 + parameters, kid);
}

/* Not of too many parameters. */
static void make_body(struct instances *n)
{
	struct generalizing *z = n->z;
	node_id variable[BODY_DEPTH] = {NODE_NONE}, handed[1 + BODY_DEPTH + PARAMETERS_LIMIT];
	node_id list = filled(n, 0);
	uint32_t uses = indices_of(n, list), indices = put_indices(z->s, uses, variable, handed + 1);
	if (indices + n->parameters > PARAMETERS_LIMIT || uses >> BODY_DEPTH ||
		node_of(z->s, list)->depth >= BODY_DEPTH)
		return;
	bool good = true;
	list = node_put(&(struct substitution){.store = z->s, .outer = variable}, filled(n, indices), &good);
	if (!good)
		return;
	size_t body = z->bodies;
	*MEM_PUSH(z->body, z->bodies, z->body_capacity) = (struct called_body){
		.call = n->call[0], .procedure = procedure_of(n, body, list, indices), .indices = indices};
	handed[0] = z->body[body].procedure;
	for (size_t i = 0; i < n->calls; i++) {
		for (uint32_t k = 0; k < n->parameters; k++)
			handed[1 + indices + k] = outside(n, gap_at(n, i, n->first[k]));
		struct placed_call *call = &z->call[n->call[i]];
		call->body = body;
		call->call = node_make(z->s, NODE_CALL, 0, 0, 0, 1 + indices + n->parameters, handed);
	}
}

/* One call alone is a procedure where somebody has named it so. */
static void try_kind(struct generalizing *z, const struct kind *kind, size_t gaps)
{
	if (kind->calls < 2 && z->calls->call[kind->first].procedure >= z->calls->names)
		return;
	struct instances n = {.z = z,
		.call = mem_array(kind->calls, sizeof *n.call),
		.gaps = gaps,
		.parameter = mem_array(gaps, sizeof *n.parameter)};
	for (size_t call = kind->first; call != CALL_NONE; call = z->behind[call])
		n.call[n.calls++] = call;
	if (find_parameters(&n)) {
		if (n.calls == 1)
			prefer_indices(&n);
		make_body(&n);
	}
	free(n.call);
	free(n.parameter);
}

static void compare_calls(struct generalizing *z, uint32_t height)
{
	struct intern *kinds = intern_new();
	size_t *gaps = mem_array(z->calls->length, sizeof *gaps);
	for (size_t i = 0; i < z->calls->length; i++)
		if (z->call[i].sound && z->call[i].height == height) {
			find_kind(z, kinds, i);
			gaps[i] = z->gaps - z->call[i].gap;
		}
	for (uint32_t i = 0; i < intern_count(kinds); i++)
		try_kind(z, &z->kind[i], gaps[z->kind[i].first]);
	free(gaps);
	intern_free(kinds);
}

static struct generalizing generalize(const struct draft *d, const uint32_t *mark, bool anywhere)
{
	const struct module *m = d->module;
	const struct program_calls *calls = &d->calls;
	struct generalizing z = {.m = m,
		.s = m->store,
		.calls = calls,
		.mark = mark,
		.anywhere = anywhere,
		.line = module_statements(m),
		.call = mem_zero((calls->length + 1) * sizeof *z.call),
		.innermost = CALL_NONE,
		.behind = mem_array(calls->length + 1, sizeof *z.behind)};
	for (size_t i = 0; i < calls->length; i++)
		z.call[i].body = BODY_NONE;
	place_calls(&z, 0, m->lines);
	uint32_t heights = calls->length ? 1 + set_heights(&z) : 0;
	for (uint32_t height = 0; height < heights; height++)
		compare_calls(&z, height);
	return z;
}

static void generalizing_clear(struct generalizing *z)
{
	free(z->line);
	free(z->call);
	free(z->body);
	free(z->gap);
	free(z->kind);
	free(z->behind);
}

/* ------------------------------------------------------------- names, in the order of the text */

struct naming {
	struct generalizing *z;
	struct intern *taken;
	size_t *asked, count; /* bodies, in the order in which they are called first */
};

static void name_body(struct naming *w, struct called_body *b)
{
	struct generalizing *z = w->z;
	struct text name = {0};
	body_name(&(struct called_lines){z->m, z->line, z->calls}, b->call, &name);
	size_t length = name.length;
	for (unsigned i = 2; intern_find(w->taken, name.data, name.length) != INTERN_NONE; i++)
		body_name_number(&name, length, i);
	intern_id(w->taken, name.data, name.length);
	b->name = store_word(z->s, name.data, name.length);
	text_clear(&name);
}

static struct called_body *body_of(const struct generalizing *z, const struct node *call)
{
	return &z->body[node_of(z->s, call->kid[0])->number - 1];
}

static void name_calls(struct naming *w, node_id list)
{
	const struct node *l = node_of(w->z->s, list);
	for (uint32_t k = 0; k < l->kids; k++) {
		const struct node *n = node_of(w->z->s, l->kid[k]);
		if (n->kind == NODE_LOOP || n->kind == NODE_GUARD)
			name_calls(w, n->kid[2]);
		if (n->kind != NODE_CALL || body_of(w->z, n)->name)
			continue;
		name_body(w, body_of(w->z, n));
		w->asked[w->count++] = (size_t)(body_of(w->z, n) - w->z->body);
	}
}

static node_id with_names(struct generalizing *, node_id);

static node_id named_procedure(struct generalizing *z, struct called_body *b)
{
	const struct node *n = node_of(z->s, b->procedure);
	node_id kid[1 + PARAMETERS_LIMIT];
	uint32_t name[1 + PARAMETERS_LIMIT];
	if (b->named)
		return b->named;
	for (uint32_t k = 1; k < n->kids; k++)
		name[k] = node_of(z->s, n->kid[k])->word;
	parameter_names(z->s, name + 1, n->kids - 1);
	for (uint32_t k = 1; k < n->kids; k++)
		kid[k] = node_make(z->s, NODE_VARIABLE, 0, name[k], node_of(z->s, n->kid[k])->number, 0, NULL);
	kid[0] = with_names(z, n->kid[0]);
	return b->named = node_make(z->s, NODE_PROCEDURE, 0, b->name, 0, n->kids, kid);
}

/* A list or a statement. */
static node_id with_names(struct generalizing *z, node_id id)
{
	const struct node *n = node_of(z->s, id);
	uint32_t last = n->kind == NODE_CALL ? 1 : n->kids, first = n->kind == NODE_SEQUENCE || last < 2 ? 0 : 2;
	if (n->kind == NODE_EVENT)
		return id;
	node_id *kid = mem_copy(n->kid, n->kids * sizeof *kid);
	for (uint32_t k = first; k < last; k++)
		kid[k] = n->kind == NODE_CALL ? named_procedure(z, body_of(z, n)) : with_names(z, kid[k]);
	id = node_with(z->s, id, kid);
	free(kid);
	return id;
}

/* ------------------------------------------------------------------ the module */

struct origins {
	struct inlined_line *line;
	size_t lines, capacity;
};

static void put_origin(struct origins *o, size_t line)
{
	*MEM_PUSH(o->line, o->lines, o->capacity) = (struct inlined_line){(uint32_t)line, (uint32_t)line};
}

static void put_origins(struct origins *o, struct walk w)
{
	while (walk_next(&w))
		put_origin(o, w.call == CALL_NONE ? w.line : LINE_NONE);
}

/* All bodies that are asked for, and their lines behind those of the text. */
static struct module *make_module(struct generalizing *z, struct naming *names, struct inlined_line **origin)
{
	struct origins o = {0};
	z->making = STAY;
	z->next = 0;
	node_id body = list_anew(z, 0, z->m->lines, 0), *procedure = mem_array(z->bodies, sizeof *procedure);
	name_calls(names, body);
	put_origins(&o, (struct walk){.z = z, .end = z->m->lines});
	for (size_t i = 0; i < names->count; i++) {
		const struct called_body *b = &z->body[names->asked[i]];
		name_calls(names, node_kid(z->s, b->procedure, 0));
		put_origin(&o, LINE_NONE);
		put_origins(&o, walk_of(z, b->call));
	}
	for (size_t i = 0; i < names->count; i++)
		procedure[i] = named_procedure(z, &z->body[names->asked[i]]);
	struct module *m = module_with_procedures(z->m, with_names(z, body), procedure, names->count, o.line, origin);
	free(procedure);
	return m;
}

struct module *module_of_draft(const struct draft *d, const uint32_t *mark, struct inlined_line **origin)
{
	struct generalizing z = generalize(d, mark, false);
	struct naming names = {&z, intern_new(), mem_array(z.bodies + 1, sizeof *names.asked), 0};
	struct module *m = make_module(&z, &names, origin);
	notes_add_all(&m->notes, &d->module->notes);
	m->events = d->module->events;
	module_keep_tables(m);
	free(names.asked);
	intern_free(names.taken);
	generalizing_clear(&z);
	return m;
}

/* Lines of two calls of one body, one after the other. */
static void pair_lines(const struct generalizing *z, size_t first, size_t call, size_t *line)
{
	struct walk a = walk_of(z, first), b = walk_of(z, call);
	while (walk_next(&a) && walk_next(&b))
		if (b.call == CALL_NONE)
			line[b.line] = a.line;
}

size_t *draft_lines_said(const struct draft *d)
{
	const struct module *m = d->module;
	struct store_mark mark = store_mark(m->store);
	struct generalizing z = generalize(d, NULL, true);
	size_t *line = mem_array(m->lines + 1, sizeof *line);
	for (size_t i = 0; i < m->lines; i++)
		line[i] = i;
	for (size_t i = 0; i < d->calls.length; i++)
		if (z.call[i].body != BODY_NONE)
			pair_lines(&z, z.body[z.call[i].body].call, i, line);
	generalizing_clear(&z);
	store_release(m->store, mark, NULL, 0);
	return line;
}
