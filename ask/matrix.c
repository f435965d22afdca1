/*
 * matrix.c -- each statement alone, below the loops around it: those whose indices decide whom it
 * is for, or how often the next one inside runs, are gone through iteration by iteration; the
 * others multiply.
 *
 * Numbers stay below 2^63, as programs do (MODEL_EVENTS_LIMIT).
 */
#include "ask/matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/executions.h"
#include "ask/plain_event.h"
#include "base/compare.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/iteration.h"

struct counting {
	struct program *program;
	const char *tag;
	size_t *loop; /* around the statement at hand, from the outermost one that counts */
	uint32_t first, depth; /* loops[first] to loops[depth - 1] are run; those before are not */
	int64_t *index; /* of the loops around: where they are gone through; else in the first iteration, */
	int64_t *last; /* ... and in the last */
	uint32_t bytes; /* the word, or INTERN_NONE */
	struct value size; /* of the messages of the statement at hand, if it is known */
	bool sized;
	struct matrix *matrix;
	size_t cell_capacity, collective_capacity, joined; /* cells that were left by the last joining */
	uint32_t fixed; /* indices of loops that stand still, a bit each: nothing may depend on them */
	bool differs; /* something does; */
	bool sizes_differ; /* a size does */
	struct intern *tags; /* not NULL: nothing is counted, tags are looked for */
	bool totals; /* no cells are wanted */
	bool found; /* the one that is asked for */
	const bool *at; /* by sites: only statements there; NULL: all */
};

/* ------------------------------------------------------------------ tags */

/* In its words or its number alone, with its communicator or whatever that is. */
static bool tag_is(const struct dictionary *d, const struct tag *tag, const char *wanted)
{
	size_t stem = strlen(dictionary_get_word(d, tag->stem));
	bool same = false;
	for (int communicator = 0; communicator < 2 && !same; communicator++) {
		struct text words = {0};
		struct tag shown = *tag;
		if (!communicator)
			shown.communicator = NO_COMMUNICATOR;
		tag_print(d, &shown, &words);
		text_char(&words, '\0');
		same = !strcmp(words.data, wanted) || !strcmp(words.data + stem, wanted);
		text_clear(&words);
	}
	return same;
}

bool matrix_counts(const struct dictionary *d, uint32_t event, const char *tag)
{
	const struct event *e = dictionary_get_event(d, event);
	bool message = e->kind == EVENT_SEND || e->kind == EVENT_RECV;
	return message && (!tag || tag_is(d, dictionary_get_tag(d, e->subject), tag));
}

static bool has_tag(const struct program *p, const struct plain_event *e, const char *wanted)
{
	struct tag tag = {
		.stem = e->word, .numbered = e->numbered, .number = e->number, .communicator = e->communicator};
	return !wanted || tag_is(p->dictionary, &tag, wanted);
}

/* ------------------------------------------------------------------ cells */

static int by_pair(const void *left, const void *right)
{
	const struct matrix_cell *a = left, *b = right;
	return a->source != b->source ? COMPARE(a->source, b->source) : COMPARE(a->destination, b->destination);
}

static int by_sync(const void *left, const void *right)
{
	return COMPARE(((const struct matrix_collective *)left)->sync, ((const struct matrix_collective *)right)->sync);
}

static void join_cells(struct matrix *x)
{
	size_t kept = 0;
	if (x->cells)
		qsort(x->cell, x->cells, sizeof *x->cell, by_pair);
	for (size_t i = 0; i < x->cells; i++) {
		if (kept && !by_pair(&x->cell[kept - 1], &x->cell[i])) {
			x->cell[kept - 1].messages += x->cell[i].messages;
			x->cell[kept - 1].bytes += x->cell[i].bytes;
		} else {
			x->cell[kept++] = x->cell[i];
		}
	}
	x->cells = kept;
}

static void join_collectives(struct matrix *x)
{
	size_t kept = 0;
	if (x->collectives)
		qsort(x->collective, x->collectives, sizeof *x->collective, by_sync);
	for (size_t i = 0; i < x->collectives; i++) {
		if (kept && x->collective[kept - 1].sync == x->collective[i].sync)
			x->collective[kept - 1].calls += x->collective[i].calls;
		else
			x->collective[kept++] = x->collective[i];
	}
	x->collectives = kept;
}

#define JOIN_AT (1 << 16)

static void add_cell(struct counting *c, uint32_t source, uint32_t destination, uint64_t messages, uint64_t bytes)
{
	struct matrix *x = c->matrix;
	if (x->cells >= JOIN_AT && x->cells >= 4 * c->joined) {
		join_cells(x);
		c->joined = x->cells;
	}
	*MEM_PUSH(x->cell, x->cells, c->cell_capacity) = (struct matrix_cell){source, destination, messages, bytes};
}

static void add_calls(struct counting *c, const struct plain_event *e, uint64_t calls)
{
	struct matrix *x = c->matrix;
	struct sync sync = {.name = e->word, .group = e->group, .communicator = e->communicator};
	uint32_t id = dictionary_sync(c->program->dictionary, &sync);
	if (x->collectives && x->collective[x->collectives - 1].sync == id) {
		x->collective[x->collectives - 1].calls += calls;
		return;
	}
	*MEM_PUSH(x->collective, x->collectives, c->collective_capacity) = (struct matrix_collective){id, calls};
}

/* ------------------------------------------------------------------ one statement */

static void look_at_tag(struct counting *c, const struct plain_event *e)
{
	struct tag tag;
	memset(&tag, 0, sizeof tag);
	tag.stem = e->word;
	tag.numbered = e->numbered;
	tag.number = e->number;
	tag.communicator = e->communicator;
	uint32_t known = intern_count(c->tags);
	if (intern_id(c->tags, &tag, sizeof tag) == known)
		c->found = c->found || tag_is(c->program->dictionary, &tag, c->tag);
}

/*
 * The bytes of so many messages. Where the size is affine, the mean over the iterations that are
 * not gone through is that of the first and the last.
 */
static uint64_t bytes_of(struct counting *c, const struct spot *at, uint64_t times)
{
	struct spot spot = *at;
	if (!c->sized)
		return 0;
	spot.index = c->index;
	__int128 ends = value_at(&c->size, &spot);
	spot.index = c->last;
	ends += value_at(&c->size, &spot);
	c->matrix->sized += times;
	return ends > 0 ? (uint64_t)((unsigned __int128)ends * times / 2) : 0;
}

static void add_event(struct counting *c, const struct plain_statement *s, uint32_t rank, uint64_t times)
{
	struct spot spot = grid_spot(&c->program->grid, rank);
	struct plain_event e;
	plain_statement_event(s, &spot, c->index, &e);
	if (c->tags) {
		look_at_tag(c, &e);
	} else if (e.kind == EVENT_SYNC) {
		if (e.group == PLAIN_GROUP_OF_AREA)
			e.group = plain_event_group(c->program, s->at, &spot);
		add_calls(c, &e, times);
	} else if (e.kind == EVENT_SEND && has_tag(c->program, &e, c->tag)) {
		uint64_t bytes = bytes_of(c, &spot, times);
		if (!c->totals)
			add_cell(c, rank, e.peer, times, bytes);
		c->matrix->sent += times;
		c->matrix->bytes += bytes;
	} else if (e.kind == EVENT_RECV && has_tag(c->program, &e, c->tag)) {
		c->matrix->received += times;
	} else if (e.kind == EVENT_LOCAL) {
		c->matrix->locals += times;
	}
}

static void add_all(struct counting *c, size_t at, uint64_t times)
{
	struct ranks_run single;
	struct ranks who = program_processes(c->program, &c->program->statement[at], &single);
	struct ranks_walk walk = {0};
	struct plain_statement s;
	plain_statement_of(c->program, at, &s);
	for (uint32_t rank; !c->found && ranks_next(&who, &walk, &rank);)
		add_event(c, &s, rank, times);
}

/* level: of the loop at hand; indices: those that are gone through, a bit each. */
static void run_loops(struct counting *c, size_t at, uint32_t level, uint32_t indices, uint64_t times)
{
	if (level == c->depth) {
		add_all(c, at, times);
		return;
	}
	uint64_t count = program_count(c->program, c->loop[level], c->index);
	if (level >= INDEX_DEPTH || !(indices >> level & 1)) {
		c->last[level] = (int64_t)count - 1;
		if (count)
			run_loops(c, at, level + 1, indices, times * count);
		c->last[level] = 0;
		return;
	}
	struct iteration k = iteration_start(&c->index[level], count, 0);
	while (iteration_step(&k) && !c->found) {
		c->last[level] = c->index[level];
		run_loops(c, at, level + 1, indices, times);
	}
	c->index[level] = c->last[level] = 0;
}

/* In which indices is it a function whom a statement is for, and how often it is executed? */
static uint32_t indices_of(const struct counting *c, size_t at)
{
	const struct statement *s = &c->program->statement[at];
	uint32_t indices = 0;
	if (program_indices(c->program, s)) {
		struct form form = program_get_form(c->program, s->event);
		indices |= form.kind == EVENT_SYNC || form.kind == EVENT_LOCAL || c->tags || c->totals
				   ? 0
				   : place_indices(&form.peer);
		if (form.kind == EVENT_SYNC || c->tag)
			indices |= value_indices(&form.communicator);
		if (form.kind != EVENT_SYNC && c->tag)
			indices |= value_indices(&form.value);
	}
	for (uint32_t level = c->first; level < c->depth; level++)
		indices |= program_indices(c->program, &c->program->statement[c->loop[level]]);
	return indices;
}

/* The size of a statement's messages: gives the indices that must be gone through for it. */
static uint32_t find_size(struct counting *c, size_t at)
{
	struct attribute a;
	c->sized = !c->tags && c->bytes != INTERN_NONE &&
		   statement_kind(c->program, &c->program->statement[at]) == EVENT_SEND &&
		   program_attribute(c->program, at, c->bytes, &a) && a.choices == CHOICES_NONE;
	if (!c->sized)
		return 0;
	struct value affine = {.plain = a.value.plain};
	c->size = a.value;
	uint32_t indices = value_indices(&a.value);
	c->sizes_differ = c->sizes_differ || indices & c->fixed;
	return memcmp(&affine, &a.value, sizeof affine) ? indices : 0;
}

static bool is_asked(const struct counting *c, const struct statement *s)
{
	if (c->at && !c->at[s->sites])
		return false;
	enum event_kind kind = statement_kind(c->program, s);
	return !c->tags || kind == EVENT_SEND || kind == EVENT_RECV;
}

/* Recursion as deep as loops nest. */
static void count_body(struct counting *c, size_t from, size_t to)
{
	for (size_t i = from; i < to; i += statement_size(&c->program->statement[i])) {
		const struct statement *s = &c->program->statement[i];
		if (statement_is_loop(s)) {
			c->loop[c->depth++] = i;
			count_body(c, i + 1, i + s->size);
			c->depth--;
		} else if (is_asked(c, s)) {
			uint32_t indices = indices_of(c, i);
			c->differs = c->differs || indices & c->fixed;
			indices |= find_size(c, i);
			run_loops(c, i, c->first, indices, 1);
		}
	}
}

/* ------------------------------------------------------------------ parts */

static bool count_at(struct counting *c, const struct matrix_part *part, size_t at, struct error *error)
{
	const struct program *p = c->program;
	c->first = 0;
	if (part->per_iteration && !statement_is_loop(&p->statement[at]))
		return error_set(error, ERROR_INPUT, "%s is an event: only loops have iterations", part->address);
	struct executions executions = executions_of(p);
	uint64_t times = (part->per_iteration ? executions.iterations : executions.times)[at];
	c->matrix->executions = times > c->matrix->executions ? times : c->matrix->executions;
	executions_clear(&executions);
	c->depth = program_loops_around(p, at, c->loop);
	if (!part->per_iteration) {
		count_body(c, at, at + statement_size(&p->statement[at]));
		return true;
	}
	c->loop[c->depth++] = at;
	c->first = c->depth;
	c->fixed = c->depth < 32 ? (UINT32_C(1) << c->depth) - 1 : UINT32_MAX;
	count_body(c, at + 1, at + p->statement[at].size);
	return !c->differs ||
	       error_set(error, ERROR_INPUT,
		       "the iterations of %s differ: ask for all of them, without --per-iteration", part->address);
}

/* Statements that one was taken apart into share its address. */
static bool count_part(struct counting *c, const struct matrix_part *part, struct error *error)
{
	const struct program *p = c->program;
	size_t at;
	c->matrix->executions = 0;
	if (!program_find(p, part->address, &at, error))
		return p->addresses; /* nothing was left of it */
	bool good = count_at(c, part, at, error);
	for (size_t i = at + 1; p->addresses && i < p->length && good; i++)
		if (!strcmp(addresses_get(p->addresses, i), addresses_get(p->addresses, at)))
			good = count_at(c, part, i, error);
	return good;
}

/* The first few tags, in the order of the program, and how many more there are. */
static void put_tags(const struct program *p, const struct intern *tags, struct text *out)
{
	enum { TOLD = 6 };
	for (uint32_t i = 0; i < intern_count(tags) && i < TOLD; i++) {
		text_put(out, i ? ", " : "");
		tag_print(p->dictionary, intern_data(tags, i, NULL), out);
	}
	if (intern_count(tags) > TOLD)
		text_format(out, " and %" PRIu32 " more", intern_count(tags) - TOLD);
}

static bool uniform_has_tag(struct program *program, const char *tag, struct error *error)
{
	uint32_t levels = program_depth(program) + INDEX_DEPTH;
	struct counting c = {.program = program,
		.tag = tag,
		.loop = mem_array(levels, sizeof *c.loop),
		.index = mem_zero(levels * sizeof *c.index),
		.last = mem_zero(levels * sizeof *c.last),
		.bytes = INTERN_NONE,
		.tags = intern_new()};
	count_body(&c, 0, program->length);
	if (!c.found) {
		struct text tags = {0};
		put_tags(program, c.tags, &tags);
		if (tags.length)
			error_set(error, ERROR_INPUT, "no message has the tag %s: there are %s", tag, tags.data);
		else
			error_set(error, ERROR_INPUT, "no message has the tag %s: there are no messages", tag);
		text_clear(&tags);
	}
	intern_free(c.tags);
	free(c.loop);
	free(c.index);
	free(c.last);
	return c.found;
}

bool matrix_has_tag(struct program *program, const char *tag, struct error *error)
{
	if (!program_is_divergent(program))
		return uniform_has_tag(program, tag, error);
	struct program *uniform = program_uniform(program, NULL);
	bool good = uniform_has_tag(uniform, tag, error);
	program_free(uniform);
	return good;
}

static struct matrix *count_uniform(struct program *program, const struct matrix_part *part, struct error *error);

/* Sizes that differ from one iteration to the next: those of the mean one. */
static bool take_means(struct matrix *x, struct program *program, const struct matrix_part *part, struct error *error)
{
	struct matrix_part all = *part;
	all.per_iteration = false;
	struct matrix *whole = count_uniform(program, &all, error);
	if (!whole)
		return false;
	x->bytes = 0;
	for (size_t i = 0; i < x->cells; i++) {
		const struct matrix_cell *of = matrix_find(whole, x->cell[i].source, x->cell[i].destination);
		x->cell[i].bytes = of && x->executions ? (of->bytes + x->executions / 2) / x->executions : 0;
		x->bytes += x->cell[i].bytes;
	}
	matrix_free(whole);
	return true;
}

static struct matrix *count_uniform(struct program *program, const struct matrix_part *part, struct error *error)
{
	uint32_t levels = program_depth(program) + INDEX_DEPTH;
	struct counting c = {.program = program,
		.tag = part->tag,
		.loop = mem_array(levels, sizeof *c.loop),
		.index = mem_zero(levels * sizeof *c.index),
		.last = mem_zero(levels * sizeof *c.last),
		.bytes = dictionary_word(program->dictionary, "bytes", 5),
		.totals = part->totals,
		.at = part->at,
		.matrix = mem_zero(sizeof *c.matrix)};
	c.matrix->processes = program->processes;
	c.matrix->executions = 1;
	bool good = true;
	if (part->whole)
		count_body(&c, 0, program->length);
	else
		good = count_part(&c, part, error);
	join_cells(c.matrix);
	join_collectives(c.matrix);
	free(c.loop);
	free(c.index);
	free(c.last);
	if (good && part->per_iteration && c.sizes_differ)
		good = take_means(c.matrix, program, part, error);
	if (good)
		return c.matrix;
	matrix_free(c.matrix);
	return NULL;
}

/* Collectives are told in the words of the program that was asked. */
static void tell_collectives(struct matrix *x, const struct dictionary *of, struct dictionary *to)
{
	for (size_t i = 0; i < x->collectives; i++) {
		struct sync sync = *dictionary_get_sync(of, x->collective[i].sync);
		struct ranks group = dictionary_get_ranks(of, sync.group);
		sync.group = dictionary_ranks(to, &group);
		x->collective[i].sync = dictionary_sync(to, &sync);
	}
	if (x->collectives)
		qsort(x->collective, x->collectives, sizeof *x->collective, by_sync);
}

struct matrix *matrix_new(struct program *program, const struct matrix_part *part, struct error *error)
{
	if (!program_is_divergent(program))
		return count_uniform(program, part, error);
	size_t at;
	if (!part->whole && !program_find(program, part->address, &at, error))
		return NULL;
	struct program *uniform = program_uniform(program, NULL);
	struct matrix *x = count_uniform(uniform, part, error);
	if (x)
		tell_collectives(x, uniform->dictionary, program->dictionary);
	program_free(uniform);
	return x;
}

static void each_statement(const struct program *program, bool totals,
	void (*take)(void *context, size_t statement, const struct matrix *), void *context)
{
	size_t *origin = NULL;
	struct program *uniform = program_uniform(program, &origin);
	uint32_t levels = program_depth(uniform) + INDEX_DEPTH;
	struct matrix matrix = {.processes = program->processes};
	struct counting c = {.program = uniform,
		.loop = mem_array(levels, sizeof *c.loop),
		.index = mem_zero(levels * sizeof *c.index),
		.last = mem_zero(levels * sizeof *c.last),
		.bytes = dictionary_word(uniform->dictionary, "bytes", 5),
		.totals = totals,
		.matrix = &matrix};
	size_t *end = mem_array(levels, sizeof *end); /* of the loops around */
	for (size_t i = 0; i < uniform->length; i++) {
		const struct statement *s = &uniform->statement[i];
		while (c.depth && i >= end[c.depth - 1])
			c.depth--;
		if (statement_is_loop(s)) {
			end[c.depth] = i + s->size;
			c.loop[c.depth++] = i;
			continue;
		}
		count_body(&c, i, i + 1);
		join_cells(&matrix);
		take(context, origin[i], &matrix);
		free(matrix.cell);
		free(matrix.collective);
		matrix = (struct matrix){.processes = program->processes};
		c.cell_capacity = c.collective_capacity = c.joined = 0;
	}
	free(end);
	free(c.loop);
	free(c.index);
	free(c.last);
	free(origin);
	program_free(uniform);
}

void matrix_each(const struct program *program, void (*take)(void *context, size_t statement, const struct matrix *),
	void *context)
{
	each_statement(program, false, take, context);
}

/* Statements that one was taken apart into add up. */
static void take_totals(void *context, size_t statement, const struct matrix *x)
{
	struct matrix_totals *to = (struct matrix_totals *)context + statement;
	uint64_t calls = 0;
	for (size_t i = 0; i < x->collectives; i++)
		calls += x->collective[i].calls;
	to->events += x->sent + x->received + x->locals + calls;
	to->sent += x->sent;
	to->received += x->received;
	to->sized += x->sized;
	to->bytes += x->bytes;
}

struct matrix_totals *matrix_statements(const struct program *program)
{
	struct matrix_totals *totals = mem_zero((program->length + 1) * sizeof *totals);
	each_statement(program, true, take_totals, totals);
	return totals;
}

void matrix_free(struct matrix *x)
{
	if (!x)
		return;
	free(x->cell);
	free(x->collective);
	free(x);
}

struct matrix_cell *matrix_find(const struct matrix *x, uint32_t source, uint32_t destination)
{
	struct matrix_cell wanted = {.source = source, .destination = destination};
	return x->cells ? bsearch(&wanted, x->cell, x->cells, sizeof *x->cell, by_pair) : NULL;
}
