/*
 * generalize.c -- calls are compared from the inside out: a call inside of others is one line of
 * these, whose holes are its arguments.
 */
#include "model/generalize.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/node.h"

struct generalizing {
	struct generalized *g;
	const struct program_calls *calls;
	generalize_line *line;
	void *context;
	struct intern *keys;
	size_t next; /* call that has not been met so far */
	size_t innermost; /* that is open; SIZE_MAX: none */
	struct text text; /* room for a line */
	struct kind {
		size_t first, last, calls;
	} * kind;
	size_t kind_capacity;
	size_t *behind; /* by call: the next one of its kind */
};

uint32_t indices_around(uint32_t depth)
{
	return (UINT32_C(1) << (depth < INDEX_DEPTH ? depth : INDEX_DEPTH)) - 1;
}

const char *generalized_word(const struct generalized *g, uint32_t word)
{
	return intern_data(g->words, word, NULL);
}

struct value generalized_value(const struct generalized *g, const struct hole *hole)
{
	struct value value;
	memcpy(&value, intern_data(g->values, hole->value, NULL), sizeof value);
	return value;
}

static void add_hole(struct generalized *g, struct hole hole)
{
	*MEM_PUSH(g->hole, g->holes, g->hole_capacity) = hole;
}

void generalize_hole(struct generalized *g, const char *word, const char *name, const struct value *value)
{
	add_hole(g, (struct hole){intern_id(g->words, word, strlen(word)), intern_id(g->words, name, strlen(name)),
			    intern_id(g->values, value, sizeof *value), PARAMETER_NONE});
}

static uint32_t hole_indices(const struct generalized *g, size_t hole)
{
	struct value value = generalized_value(g, &g->hole[hole]);
	return value_indices(&value) & ~INDEX_TABLE;
}

/* ------------------------------------------------------------------ where calls stand */

static bool ends_a_statement(const struct program *p, size_t from, size_t to, size_t end)
{
	while (from < end && from < to)
		from += statement_size(&p->statement[from]);
	return from == end && end <= to;
}

/* to: where the list ends that it begins in. */
static void open_call(struct generalizing *z, size_t number, size_t to, uint32_t depth, uint32_t guards)
{
	const struct program_call *c = &z->calls->call[number];
	struct placed_call *at = &z->g->call[number];
	size_t parent = z->innermost;
	bool inside = parent == SIZE_MAX || c->end <= z->calls->call[parent].end;
	at->parent = parent;
	at->depth = depth;
	at->guards = guards;
	at->sound = c->end > c->start && inside && ends_a_statement(z->g->program, c->start, to, c->end);
	z->innermost = at->sound ? number : parent;
}

static void put_line(struct generalizing *z, size_t at, uint32_t depth, uint32_t guards)
{
	struct call_line line = {.depth = depth, .hole = z->g->holes};
	text_truncate(&z->text, 0);
	line.indices = z->line(z->context, z->g, at, depth, guards, &z->text);
	line.key = intern_id(z->keys, z->text.data, z->text.length);
	line.holes = (uint32_t)(z->g->holes - line.hole);
	z->g->line[at] = line;
}

/* The statements of one list. As deep as loops nest. */
static void place_calls(struct generalizing *z, size_t from, size_t to, uint32_t depth, uint32_t guards)
{
	const struct program *p = z->g->program;
	const struct program_calls *calls = z->calls;
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		while (z->innermost != SIZE_MAX && calls->call[z->innermost].end <= i)
			z->innermost = z->g->call[z->innermost].parent;
		for (; z->next < calls->length && calls->call[z->next].start <= i; z->next++)
			if (calls->call[z->next].start == i)
				open_call(z, z->next, to, depth, guards);
		if (z->innermost != SIZE_MAX)
			put_line(z, i, depth, guards);
		uint32_t own = statement_guard(s) != GUARD_NONE && depth < INDEX_DEPTH ? UINT32_C(1) << depth : 0;
		if (statement_is_loop(s))
			place_calls(z, i + 1, i + s->size, depth + 1, guards | own);
	}
}

/* Those inside come behind. Gives the greatest. */
static uint32_t set_heights(struct generalized *g, size_t calls)
{
	uint32_t most = 0;
	for (size_t i = calls; i-- > 0;) {
		size_t parent = g->call[i].parent;
		if (!g->call[i].sound)
			continue;
		if (parent != SIZE_MAX && g->call[parent].height <= g->call[i].height)
			g->call[parent].height = g->call[i].height + 1;
		most = g->call[i].height > most ? g->call[i].height : most;
	}
	return most;
}

/* ------------------------------------------------------------------ what a call consists of */

size_t generalized_call_at(const struct generalized *g, size_t statement, size_t *next)
{
	const struct program_calls *calls = &g->program->calls;
	for (; *next < calls->length && calls->call[*next].start <= statement; ++*next)
		if (calls->call[*next].start == statement && g->call[*next].body != BODY_NONE)
			return (*next)++;
	return SIZE_MAX;
}

/* The lines of a call, one after the other: statements, or calls inside. */
struct walk {
	const struct generalized *g;
	size_t at, end, next;
	size_t statement, call; /* of the line at hand: one of these; the other one is SIZE_MAX */
};

static struct walk walk_of(const struct generalized *g, size_t call)
{
	const struct program_call *c = &g->program->calls.call[call];
	return (struct walk){.g = g, .at = c->start, .end = c->end, .next = call + 1};
}

static bool walk_next(struct walk *w)
{
	if (w->at >= w->end)
		return false;
	w->call = generalized_call_at(w->g, w->at, &w->next);
	w->statement = w->call == SIZE_MAX ? w->at : SIZE_MAX;
	w->at = w->call == SIZE_MAX ? w->at + 1 : w->g->program->calls.call[w->call].end;
	return true;
}

/* The holes of the line at hand. */
static size_t walk_holes(const struct walk *w, size_t *first)
{
	if (w->call == SIZE_MAX) {
		*first = w->g->line[w->statement].hole;
		return w->g->line[w->statement].holes;
	}
	*first = w->g->call[w->call].argument;
	return w->g->body[w->g->call[w->call].body].parameters;
}

/* Calls of one kind have the same lines but for what stands in their holes. */
static void find_kind(struct generalizing *z, struct intern *kinds, size_t call)
{
	const struct generalized *g = z->g;
	uint32_t *word = NULL;
	size_t words = 0, capacity = 0;
	word = mem_grow(word, &capacity, 1, sizeof *word);
	word[words++] = z->calls->call[call].procedure;
	for (struct walk w = walk_of(g, call); walk_next(&w);) {
		bool line = w.call == SIZE_MAX;
		word = mem_grow(word, &capacity, words + 3, sizeof *word);
		word[words++] = (line ? g->line[w.statement].depth : g->call[w.call].depth) - g->call[call].depth;
		word[words++] = line;
		word[words++] = line ? g->line[w.statement].key : (uint32_t)g->call[w.call].body;
	}
	uint32_t known = intern_count(kinds), kind = intern_id(kinds, word, words * sizeof *word);
	z->kind = mem_grow(z->kind, &z->kind_capacity, (size_t)kind + 1, sizeof *z->kind);
	if (kind == known)
		z->kind[kind] = (struct kind){call, call, 0};
	else
		z->behind[z->kind[kind].last] = call;
	z->kind[kind].last = call;
	z->kind[kind].calls++;
	z->behind[call] = SIZE_MAX;
	free(word);
}

/* ------------------------------------------------------------------ parameters */

/* The calls of a kind, and their holes, in the same order in each. */
struct instances {
	struct generalizing *z;
	size_t *call, calls;
	size_t *hole; /* by call and hole */
	size_t holes;
	uint32_t *parameter; /* by hole; PARAMETER_NONE */
	size_t first[PARAMETERS_LIMIT]; /* by parameter: the first hole that it fills */
	uint32_t parameters;
};

static size_t hole_at(const struct instances *n, size_t call, size_t hole)
{
	return n->hole[call * n->holes + hole];
}

static struct instances instances_of(struct generalizing *z, const struct kind *kind)
{
	struct instances n = {.z = z, .call = mem_array(kind->calls, sizeof *n.call)};
	size_t capacity = 0, holes = 0, first;
	for (size_t call = kind->first; call != SIZE_MAX; call = z->behind[call]) {
		n.call[n.calls++] = call;
		for (struct walk w = walk_of(z->g, call); walk_next(&w);) {
			size_t count = walk_holes(&w, &first);
			n.hole = mem_grow(n.hole, &capacity, holes + count, sizeof *n.hole);
			for (size_t i = 0; i < count; i++)
				n.hole[holes++] = first + i;
		}
	}
	n.holes = holes / n.calls;
	n.parameter = mem_array(n.holes, sizeof *n.parameter);
	return n;
}

static void instances_clear(struct instances *n)
{
	free(n->call);
	free(n->hole);
	free(n->parameter);
}

/* What each call would say there. */
static uint32_t vector_of(const struct instances *n, struct intern *vectors, size_t hole)
{
	const struct generalized *g = n->z->g;
	struct text text = {0};
	for (size_t i = 0; i < n->calls; i++) {
		struct value value = generalized_value(g, &g->hole[hole_at(n, i, hole)]);
		value_squeeze(&value, g->call[n->call[i]].guards);
		sum_print(&value, &text);
		text_char(&text, 0);
	}
	uint32_t vector = intern_id(vectors, text.data, text.length);
	text_clear(&text);
	return vector;
}

/* What a hole asks for in any of the calls, and whether it is the same in all. */
struct wanted {
	bool varies, outside, inside; /* indices of loops around the calls, of others */
};

static struct wanted wanted_of(const struct instances *n, size_t hole)
{
	const struct generalized *g = n->z->g;
	struct wanted w = {0};
	for (size_t i = 0; i < n->calls; i++) {
		size_t here = hole_at(n, i, hole);
		uint32_t around = indices_around(g->call[n->call[i]].depth), indices = hole_indices(g, here);
		w.varies = w.varies || g->hole[here].word != g->hole[hole_at(n, 0, hole)].word;
		w.outside = w.outside || (indices & around);
		w.inside = w.inside || (indices & ~around);
	}
	return w;
}

/* False: there are too many, or what differs is not known where the calls stand. */
static bool find_parameters(struct instances *n)
{
	struct intern *vectors = intern_new();
	bool good = true;
	for (size_t i = 0; i < n->holes && good; i++) {
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

/* The indices of loops around a call that its body asks for where no parameter says it. */
static uint32_t indices_of(const struct instances *n, size_t number)
{
	const struct generalized *g = n->z->g;
	uint32_t indices = 0;
	size_t at = 0, first;
	for (struct walk w = walk_of(g, n->call[number]); walk_next(&w);) {
		indices |= w.call == SIZE_MAX ? g->line[w.statement].indices : g->call[w.call].indices;
		for (size_t holes = walk_holes(&w, &first); holes > 0; holes--, at++)
			indices |= n->parameter[at] == PARAMETER_NONE ? hole_indices(g, hole_at(n, number, at)) : 0;
	}
	return indices & indices_around(g->call[n->call[number]].depth);
}

/* One call alone passes on indices instead of what they make, where these are fewer. */
static void prefer_indices(struct instances *n)
{
	struct instances bare = *n;
	if (n->calls > 1)
		return;
	bare.parameters = 0;
	bare.parameter = mem_array(n->holes, sizeof *bare.parameter);
	for (size_t i = 0; i < n->holes; i++)
		bare.parameter[i] = PARAMETER_NONE;
	int arguments = (int)n->parameters + __builtin_popcount(indices_of(n, 0));
	if (__builtin_popcount(indices_of(&bare, 0)) < arguments) {
		memcpy(n->parameter, bare.parameter, n->holes * sizeof *n->parameter);
		n->parameters = 0;
	}
	free(bare.parameter);
}

/* Do all calls pass on as many indices, and not too many? */
static bool find_indices(struct instances *n)
{
	struct placed_call *call = n->z->g->call;
	for (size_t i = 0; i < n->calls; i++)
		call[n->call[i]].indices = indices_of(n, i);
	int indices = __builtin_popcount(call[n->call[0]].indices);
	bool same = true;
	for (size_t i = 0; i < n->calls; i++)
		same = same && __builtin_popcount(call[n->call[i]].indices) == indices;
	return same && n->parameters + (uint32_t)indices <= PARAMETERS_LIMIT;
}

/* As seen from a call. */
static struct hole argument_of(struct generalized *g, size_t call, struct hole hole)
{
	const struct placed_call *at = &g->call[call];
	struct value value = generalized_value(g, &hole);
	struct text word = {0};
	value_squeeze(&value, at->guards);
	value_reverse_indices(&value, at->depth - (uint32_t)__builtin_popcount(at->guards));
	sum_print(&value, &word);
	hole.word = intern_id(g->words, word.data, word.length);
	hole.parameter = PARAMETER_NONE;
	text_clear(&word);
	return hole;
}

static void make_body(struct instances *n)
{
	struct generalized *g = n->z->g;
	size_t body = g->bodies++;
	g->body = mem_grow(g->body, &g->body_capacity, g->bodies, sizeof *g->body);
	g->body[body] = (struct called_body){
		n->call[0], n->calls, n->parameters, mem_array(n->parameters, sizeof *g->body->parameter)};
	for (uint32_t k = 0; k < n->parameters; k++)
		g->body[body].parameter[k] = hole_at(n, 0, n->first[k]);
	for (size_t i = 0; i < n->holes; i++)
		g->hole[hole_at(n, 0, i)].parameter = n->parameter[i];
	for (size_t i = 0; i < n->calls; i++) {
		struct placed_call *call = &g->call[n->call[i]];
		call->body = body;
		call->argument = g->holes;
		for (uint32_t k = 0; k < n->parameters; k++)
			add_hole(g, argument_of(g, n->call[i], g->hole[hole_at(n, i, n->first[k])]));
	}
}

/* One call alone is a procedure where somebody has named it so. */
static void try_kind(struct generalizing *z, const struct kind *kind)
{
	if (kind->calls < 2 && z->calls->call[kind->first].procedure >= z->calls->names)
		return;
	struct instances n = instances_of(z, kind);
	if (find_parameters(&n)) {
		prefer_indices(&n);
		if (find_indices(&n))
			make_body(&n);
	}
	instances_clear(&n);
}

static void compare_calls(struct generalizing *z, uint32_t height)
{
	struct intern *kinds = intern_new();
	for (size_t i = 0; i < z->calls->length; i++)
		if (z->g->call[i].sound && z->g->call[i].height == height)
			find_kind(z, kinds, i);
	for (uint32_t i = 0; i < intern_count(kinds); i++)
		try_kind(z, &z->kind[i]);
	intern_free(kinds);
}

void generalize(struct generalized *g, const struct program *program, generalize_line *line, void *context)
{
	size_t calls = program->calls.length;
	*g = (struct generalized){.program = program,
		.line = mem_zero((program->length + 1) * sizeof *g->line),
		.call = mem_zero((calls + 1) * sizeof *g->call),
		.words = intern_new(),
		.values = intern_new()};
	struct generalizing z = {.g = g,
		.calls = &program->calls,
		.line = line,
		.context = context,
		.keys = intern_new(),
		.innermost = SIZE_MAX,
		.behind = mem_array(calls + 1, sizeof *z.behind)};
	for (size_t i = 0; i < calls; i++)
		g->call[i].body = BODY_NONE;
	place_calls(&z, 0, program->length, 0, 0);
	uint32_t heights = calls ? 1 + set_heights(g, calls) : 0;
	for (uint32_t height = 0; height < heights; height++)
		compare_calls(&z, height);
	free(z.behind);
	free(z.kind);
	text_clear(&z.text);
	intern_free(z.keys);
}

void generalized_clear(struct generalized *g)
{
	for (size_t i = 0; i < g->bodies; i++)
		free(g->body[i].parameter);
	free(g->body);
	free(g->line);
	free(g->call);
	free(g->hole);
	intern_free(g->words);
	intern_free(g->values);
	*g = (struct generalized){0};
}
