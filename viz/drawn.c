/*
 * drawn.c -- modules made of the one that is given, and what their statements amount to.
 */
#include "viz/drawn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/executions.h"
#include "ask/unfolding.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/module_parts.h"

/* ------------------------------------------------------------------ statements */

/* Is it no affine function with remainders? */
static bool looks_up(const struct store *s, node_id number)
{
	const struct node *n = node_of(s, number);
	bool looks = n->kind == NODE_ENTRY || n->kind == NODE_POWER;
	for (uint32_t k = 0; k < n->kids && !looks; k++)
		looks = looks_up(s, n->kid[k]);
	return looks;
}

bool node_is_irregular(const struct store *s, node_id statement)
{
	const struct node *n = node_of(s, statement), *body = NULL;
	bool irregular = n->kind == NODE_GUARD;
	if (n->kind == NODE_EVENT) {
		irregular = !event_always_happens(s, statement);
		for (int k = COLUMN_PEER; k < COLUMNS; k++)
			irregular = irregular || looks_up(s, n->kid[k]);
	} else if (n->kind == NODE_LOOP) {
		irregular = looks_up(s, n->kid[1]);
		body = node_of(s, n->kid[2]);
	}
	for (uint32_t k = 0; body && k < body->kids && !irregular; k++)
		irregular = node_is_irregular(s, body->kid[k]);
	return irregular;
}

bool drawn_is_irregular(const struct module *m)
{
	bool irregular = false;
	for (size_t i = 0; i <= m->procedures && !irregular; i++) {
		const struct node *body = node_of(m->store, i ? node_kid(m->store, m->procedure[i - 1], 0) : m->body);
		for (uint32_t k = 0; k < body->kids && !irregular; k++)
			irregular = node_is_irregular(m->store, body->kid[k]);
	}
	return irregular;
}

/* ------------------------------------------------------- where control comes to a statement */

/* Statements that are tried. */
#define TRIED (UINT64_C(1) << 20)

struct instance {
	int64_t *index;
	bool found;
};

static void take_first(void *context, struct environment *e, node_id statement, size_t line, uint64_t times)
{
	(void)line, (void)times;
	struct instance *i = context;
	bool event = node_of(e->store, statement)->kind == NODE_EVENT;
	if (i->found || (event && !event_happens(e, statement)))
		return;
	memcpy(i->index, e->index, e->depth * sizeof *e->index);
	i->found = true;
	e->failure = FAILURE_STEPS; /* no more */
}

static bool find_instance(struct run *r, size_t line, int64_t *index)
{
	bool alike = run_counts_by_class(r);
	uint32_t processes = run_module(r)->processes, count = alike ? run_classes(r) : processes;
	struct instance i = {index, false};
	struct environment e = {0};
	run_allow(r, TRIED);
	for (uint32_t k = 0; k < count && !i.found && processes; k++) {
		run_start(r, alike ? run_class_first(r, k) : k, &e);
		run_each(r, &e, FOR_COUNT, &line, take_first, &i);
	}
	run_allow(r, RUN_STEPS);
	free(e.index);
	return i.found;
}

bool drawn_instance(struct drawn *d, size_t at, int64_t *index)
{
	memset(index, 0, run_depth(d->run) * sizeof *index);
	return find_instance(d->run, at, index);
}

static void set_place(struct drawn *d, size_t at, uint32_t process, const int64_t *index)
{
	environment_set(&d->at, process);
	d->at.index = (int64_t *)index;
	d->at.depth = d->line[at].loops;
}

uint64_t drawn_count_of(struct drawn *d, size_t at, uint32_t process, const int64_t *index)
{
	const struct node *n = drawn_node(d, at);
	set_place(d, at, process, index);
	return n->kind == NODE_LOOP ? (uint64_t)loop_trips(&d->at, d->line[at].node) : test_holds(&d->at, n->kid[1]);
}

uint64_t drawn_count(struct drawn *d, size_t at, const int64_t *index)
{
	if (!drawn_is_divergent(d, at))
		return drawn_count_of(d, at, 0, index);
	uint64_t most = 0;
	struct ranks who = drawn_who(d, at);
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(&who, &walk, &rank);) {
		uint64_t count = drawn_count_of(d, at, rank, index);
		most = count > most ? count : most;
	}
	return most;
}

/* ------------------------------------------------------------------ events */

uint32_t drawn_tag_of(struct drawn *d, uint32_t channel)
{
	struct channel_key key = *ends_key(&d->ends, channel);
	key.from = key.to = 0;
	return intern_id(d->tags, &key, sizeof key);
}

uint32_t drawn_tag_named(struct drawn *d, const char *words, size_t length)
{
	struct channel_key key = {.word = store_word(d->module->store, words, length)};
	return intern_id(d->tags, &key, sizeof key);
}

struct drawn_event drawn_event_at(struct drawn *d, size_t at, uint32_t process, const int64_t *index)
{
	const struct node *n = drawn_node(d, at);
	struct drawn_event e = {.process = process, .peer = ENDS_NONE, .channel = ENDS_NONE};
	enum event_match match = drawn_match(d, at);
	node_id peer = n->kid[match == MATCH_GROUP ? COLUMN_ROOT : COLUMN_PEER];
	set_place(d, at, process, index);
	e.happens = event_happens(&d->at, d->line[at].node);
	if (peer)
		e.peer = (uint32_t)number_at(&d->at, peer);
	if (match != MATCH_NONE)
		e.channel = ends_channel(&d->ends, &d->at, d->line[at].node);
	return e;
}

void drawn_access(const struct drawn *d, size_t at, const struct drawn_event *e, bool whole, struct text *to)
{
	text_put(to, kind_rows[drawn_node(d, at)->sub].verb);
	if (e->peer != ENDS_NONE)
		text_format(to, " %" PRIu32, e->peer);
	if (whole)
		text_format(to, " %s", drawn_word(d, at));
}

/* ------------------------------------------------------------------ what is drawn */

/* Lines of the source from lines of a module that was made of it. */
static void follow(struct drawn *d, struct inlined_line *line)
{
	size_t *origin = mem_array(d->module->lines + 1, sizeof *origin);
	const char **call = mem_zero((d->module->lines + 1) * sizeof *call);
	for (size_t i = 0; i < d->module->lines; i++) {
		origin[i] = d->origin[line[i].line];
		call[i] = d->call[line[i].line];
	}
	free(d->origin);
	free(d->call);
	free(line);
	d->origin = origin;
	d->call = call;
}

/* What the module becomes, if anything. */
static bool become(struct drawn *d, struct module *made, struct inlined_line *const *line)
{
	if (!made)
		return false;
	module_free(d->module);
	d->module = made;
	follow(d, *line);
	return true;
}

/* Calls are boxes, which have no line in the source. */
static bool start(struct drawn *d, const struct module *text, struct error *error)
{
	struct inlined_line *line, wrong;
	node_id *call = NULL, body = module_inlined(text, &line, &wrong, error);
	if (!body) {
		free(line);
		return false;
	}
	d->source = module_with(text, body, line, NULL);
	d->source_run = run_new(d->source, NULL);
	d->written = module_statements(d->source);
	d->module = module_boxed(text, &line, &call, error);
	if (!d->module)
		return false;
	size_t *said = mem_array(d->module->lines + 1, sizeof *said);
	d->origin = mem_array(d->module->lines + 1, sizeof *d->origin);
	d->call = mem_zero((d->module->lines + 1) * sizeof *d->call);
	for (size_t i = 0, place = 0; i < d->module->lines; i++) {
		d->origin[i] = place;
		said[i] = d->calls.length;
		place += !call[i];
		if (!call[i])
			continue;
		node_print(d->source, call[i], d->written[place].loops, &d->calls);
		text_char(&d->calls, '\0');
	}
	for (size_t i = 0; i < d->module->lines; i++)
		d->call[i] = call[i] ? d->calls.data + said[i] : NULL;
	free(said);
	free(call);
	free(line);
	return true;
}

/* The statement, with the boxes that are around it alone; of a loop, one in which it runs. */
static bool take_part(struct drawn *d, const char *address, struct error *error)
{
	struct inlined_line *line;
	uint64_t place;
	size_t at = 0;
	if (!module_find(d->source, address, &place, error))
		return false;
	size_t past = module_line_behind(d->source, place, d->written[place].node);
	d->place = place;
	while (d->origin[at] != place)
		at++;
	d->line = module_statements(d->module);
	while (d->call[at]) {
		size_t end = drawn_behind(d, at);
		if ((end < d->module->lines ? d->origin[end] : d->source->lines) <= past)
			break;
		at++;
	}
	d->run = run_new(d->module, NULL);
	struct environment around = run_environment(d->run);
	around.index = mem_zero((run_depth(d->run) + 1) * sizeof *around.index);
	around.depth = d->line[at].loops;
	bool inside = drawn_node(d, at)->lines > 1 && find_instance(d->run, at + 1, around.index);
	if (!inside)
		find_instance(d->run, at, around.index);
	struct module *part = module_settled(d->module, at, &around, &line, error);
	run_free(d->run);
	free(d->line);
	free(around.index);
	d->run = NULL;
	d->line = NULL;
	return become(d, part, &line);
}

/* ------------------------------------------------------------------ figures */

/* Who executes the statements of a body; a loop without a set, those who execute something inside. Gives
   who executes anything. */
static uint32_t cover(struct drawn *d, size_t from, size_t past)
{
	const struct store *s = d->module->store;
	struct ranks_run run = {0, d->module->processes - 1};
	struct ranks all = {&run, d->module->processes > 0, 0};
	for (size_t i = from; i < past; i = drawn_behind(d, i)) {
		const struct node *n = drawn_node(d, i);
		uint32_t inside = n->kind == NODE_EVENT ? RANK_SETS_NOBODY : cover(d, i + 1, drawn_behind(d, i));
		const struct ranks *set = run_ranks(d->run, n->kid[0]);
		int64_t last;
		bool never = n->kind == NODE_LOOP && number_is_constant(s, n->kid[1], &last) && last < 0;
		d->who[i] = n->kid[0] ? rank_sets_id(d->sets, set ? set : &all, NULL)
			    : never   ? RANK_SETS_NOBODY
				      : inside;
	}
	rank_sets_start(d->sets);
	for (size_t i = from; i < past; i = drawn_behind(d, i))
		rank_sets_join(d->sets, d->who[i]);
	return rank_sets_union(d->sets);
}

static uint64_t mean(uint64_t all, uint64_t executions)
{
	return all == UINT64_MAX || !executions ? all : all / executions;
}

/* Sums over all executions, then means. */
static void count(struct drawn *d)
{
	size_t lines = d->module->lines;
	struct executions e;
	run_executions(d->run, &e);
	d->events = e.events;
	d->messages = mem_zero((lines + 1) * sizeof *d->messages);
	for (size_t i = lines; i-- > 0;) { /* loops after what is inside */
		if (!drawn_is_loop(d, i))
			d->messages[i] = saturating_multiply(d->events[i], kind_messages(drawn_node(d, i)->sub));
		for (size_t k = i + 1; k < drawn_behind(d, i); k = drawn_behind(d, k)) {
			d->events[i] = saturating_add(d->events[i], d->events[k]);
			d->messages[i] = saturating_add(d->messages[i], d->messages[k]);
		}
	}
	for (size_t i = 0; i < lines; i++) {
		d->events[i] = mean(d->events[i], e.times[i]);
		d->messages[i] = mean(d->messages[i], e.times[i]);
	}
	d->times = e.times;
	free(e.iterations);
}

struct drawn *drawn_new(const struct module *text, const char *address, bool unfolded, struct error *error)
{
	struct drawn *d = mem_zero(sizeof *d);
	struct inlined_line *line;
	bool good = start(d, text, error) && (!address || take_part(d, address, error));
	if (good && unfolded)
		good = become(d, module_unfold(d->module, &line, error), &line);
	if (!good) {
		drawn_free(d);
		return NULL;
	}
	d->line = module_statements(d->module);
	d->run = run_new(d->module, NULL);
	d->at = run_environment(d->run);
	d->first = mem_zero((run_depth(d->run) + 1) * sizeof *d->first);
	d->ends = ends_new(d->run);
	d->tags = intern_new_keys(sizeof(struct channel_key));
	d->sets = rank_sets_new();
	d->who = mem_array(d->module->lines + 1, sizeof *d->who);
	d->all = cover(d, 0, d->module->lines);
	d->address = module_addresses_of(d->source);
	count(d);
	return d;
}

void drawn_free(struct drawn *d)
{
	if (!d)
		return;
	if (d->tags) {
		ends_clear(&d->ends);
		intern_free(d->tags);
		rank_sets_free(d->sets);
	}
	run_free(d->run);
	run_free(d->source_run);
	module_free(d->module);
	module_free(d->source);
	module_addresses_clear(&d->address);
	text_clear(&d->calls);
	void *owned[] = {
		d->written, d->line, d->origin, d->call, d->who, d->first, d->times, d->events, d->messages, d};
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
}

void drawn_address(const struct drawn *d, size_t at, struct text *out)
{
	text_put(out, module_addresses_get(&d->address, d->origin[at]));
}
