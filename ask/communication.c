/*
 * communication.c -- one process after the other: its row is counted in an array, through the
 * events whose executions differ in their peer (run_each). Where more than that is asked of an
 * event, the open loops that it depends on are gone through for it alone (run_each_open).
 */
#include "ask/communication.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/module_address.h"

struct counted_key {
	struct collective_key key;
	size_t group;
};

struct counted_cell {
	struct destination {
		size_t group;
		uint32_t peer, back; /* back: from the peer */
	} to;
	uint64_t messages, bytes;
};

struct counting {
	struct run *run;
	const struct communication_part *part;
	struct communication *result; /* by group */
	struct intern *destinations; /* of the process at hand, by group: its cells */
	bool fetched; /* some are of what others did not send themselves */
	struct counted_cell *row;
	size_t cells, row_capacity;
	uint32_t bytes, received; /* the words */
	size_t fixed; /* outermost loops that stand still: nothing may depend on them; */
	bool differs, sizes_differ; /* something does; a size does */
	bool passed; /* the one iteration of this process has been */
	uint64_t executions; /* of this process */
	struct intern *collectives, *tags; /* collectives: with their groups, tags: words; */
	size_t *place, places; /* of collectives in their results */
	size_t *tag_line, tag_capacity; /* ... and where they occur first, as long as */
	bool tagged; /* ... none is the one that is asked for */
};

static uint64_t uses_of(const struct environment *e, node_id number)
{
	return node_of(e->store, number)->uses[FOR_ALL];
}

/* Does it depend on one of the outermost `loops`? */
static bool uses_outermost(const struct environment *e, uint64_t uses, size_t loops)
{
	for (size_t depth = 0; depth < loops; depth++)
		if (uses & USES_INDEX(e->depth - 1 - depth))
			return true;
	return false;
}

/* ------------------------------------------------------------------ sizes */

/* The attribute, if it is a number; NODE_NONE: how large messages are is not known. What comes back for
   what is sent has its own. */
static node_id size_of(const struct counting *c, const struct environment *e, const struct node *event, bool back)
{
	node_id a = event_attribute(e->store, event, back && kind_rows[event->sub].out ? c->received : c->bytes);
	return a && !node_kid(e->store, a, 1) ? node_kid(e->store, a, 0) : NODE_NONE;
}

/* Indices of open loops in which a sum is not affine. */
static uint64_t not_affine(const struct environment *e, node_id sum)
{
	const struct node *n = node_of(e->store, sum);
	uint64_t uses = 0;
	for (uint32_t i = 0; i < n->kids; i++) {
		node_id factor = node_kid(e->store, n->kid[i], 0);
		if (node_of(e->store, factor)->kind != NODE_VARIABLE)
			uses |= uses_of(e, factor) & USES_INDICES;
	}
	return uses;
}

/* Of an affine function over all iterations of the open loops: the mean is that of the first and
   the last. What is below 0 is 0. */
static uint64_t sum_affine(const struct environment *e, node_id sum, uint64_t times)
{
	const struct node *n = node_of(e->store, sum);
	__int128 ends = (__int128)n->number * 2;
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(e->store, n->kid[i]), *index = node_of(e->store, t->kid[0]);
		size_t depth = e->depth - 1 - (size_t)(index->number - VARIABLE_INDEX);
		ends += (__int128)t->number * (e->trips[depth] - 1);
	}
	if (ends <= 0 || !times)
		return 0;
	if (times == UINT64_MAX || (unsigned __int128)ends / 2 > UINT64_MAX)
		return UINT64_MAX;
	unsigned __int128 whole = (unsigned __int128)ends * times / 2;
	return whole > UINT64_MAX ? UINT64_MAX : (uint64_t)whole;
}

struct sum {
	node_id number;
	uint64_t sum;
};

static void add_sum(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	(void)event, (void)line;
	struct sum *s = context;
	node_id partial = number_partial(e, s->number);
	if (partial)
		s->sum = saturating_add(s->sum, sum_affine(e, partial, times));
	else if (!e->failure)
		e->failure = FAILURE_OVERFLOW;
}

static uint64_t bytes_of(
	const struct counting *c, struct environment *e, node_id event, size_t line, node_id size, uint64_t times)
{
	struct sum s = {.number = size};
	if (!(uses_of(e, size) & USES_INDICES)) {
		int64_t each = number_at(e, size);
		return each > 0 ? saturating_multiply((uint64_t)each, times) : 0;
	}
	node_id partial = number_partial(e, size);
	uint64_t uses = partial ? not_affine(e, partial) : uses_of(e, size) & USES_INDICES;
	run_each_open(c->run, e, event, line, uses, times, add_sum, &s);
	return s.sum;
}

/* ------------------------------------------------------------------ tags */

/* What decides which tag it is. */
static uint64_t tag_uses(const struct environment *e, const struct node *event)
{
	return uses_of(e, event->kid[COLUMN_TAG]) | uses_of(e, event->kid[COLUMN_COMMUNICATOR]);
}

bool communication_is_tag(const struct text *words, size_t stem, const char *asked)
{
	const char *number = words->data + stem, *communicator = strchr(number, '@');
	size_t length = communicator ? (size_t)(communicator - words->data) : words->length;
	return !strcmp(words->data, asked) || !strcmp(number, asked) ||
	       (strlen(asked) == length && !memcmp(words->data, asked, length)) ||
	       (strlen(asked) == length - stem && !memcmp(number, asked, length - stem));
}

/* Others are noted until one is. */
static bool has_tag(struct counting *c, struct environment *e, const struct node *event, size_t line)
{
	struct text words = {0};
	size_t stem = strlen(store_get_word(e->store, event->word));
	text_add(&words, store_get_word(e->store, event->word), stem);
	if (event->kid[COLUMN_TAG])
		text_format(&words, "%" PRId64, number_at(e, event->kid[COLUMN_TAG]));
	if (event->kid[COLUMN_COMMUNICATOR])
		text_format(&words, "@%" PRId64, number_at(e, event->kid[COLUMN_COMMUNICATOR]));
	bool has = communication_is_tag(&words, stem, c->part->tag);
	c->tagged |= has;
	if (!c->tagged) {
		uint32_t known = intern_count(c->tags), id = intern_id(c->tags, words.data, words.length);
		c->tag_line = mem_grow(c->tag_line, &c->tag_capacity, (size_t)id + 1, sizeof *c->tag_line);
		c->tag_line[id] = id == known || line < c->tag_line[id] ? line : c->tag_line[id];
	}
	text_clear(&words);
	return has;
}

/* The first few, in the order of the text, and how many more there are. */
static bool fail_of_tag(struct counting *c, struct error *error)
{
	enum { TOLD = 6 };
	struct text out = {0};
	uint32_t count = intern_count(c->tags);
	for (uint32_t told = 0; told < count && told < TOLD; told++) {
		uint32_t first = 0;
		for (uint32_t i = 1; i < count; i++)
			first = c->tag_line[i] < c->tag_line[first] ? i : first;
		text_format(&out, told ? ", %s" : "%s", (const char *)intern_data(c->tags, first, NULL));
		c->tag_line[first] = SIZE_MAX;
	}
	if (count > TOLD)
		text_format(&out, " and %" PRIu32 " more", count - TOLD);
	error_set(error, ERROR_INPUT, "no message has the tag %s: there are %s", c->part->tag,
		count ? out.data : "no messages");
	text_clear(&out);
	return false;
}

/* ------------------------------------------------------------------ events */

static size_t group_of(const struct counting *c, size_t line)
{
	return c->part->group ? c->part->group[line] : 0;
}

static void add_to_cell(struct counting *c, struct destination to, uint64_t messages, uint64_t bytes)
{
	uint32_t id = intern_id(c->destinations, &to, sizeof to);
	if (id == c->cells)
		*MEM_PUSH(c->row, c->cells, c->row_capacity) = (struct counted_cell){to, 0, 0};
	c->row[id].messages = saturating_add(c->row[id].messages, messages);
	c->row[id].bytes = saturating_add(c->row[id].bytes, bytes);
}

/* One way. A peer that is given as a number need not be a process of the run. */
static void add_moved(
	struct counting *c, struct environment *e, node_id event, size_t line, uint64_t messages, bool back)
{
	struct communication *x = &c->result[group_of(c, line)];
	const struct node *n = node_of(e->store, event);
	node_id size = c->part->sizes ? size_of(c, e, n, back) : NODE_NONE;
	uint64_t bytes = 0;
	if (size) {
		c->sizes_differ |= uses_outermost(e, uses_of(e, size), c->fixed);
		bytes = bytes_of(c, e, event, line, size, messages);
		x->sized = saturating_add(x->sized, messages);
		x->bytes = saturating_add(x->bytes, bytes);
	}
	x->sent = saturating_add(x->sent, messages);
	x->one_sided = saturating_add(x->one_sided, kind_is_one_sided(n->sub) ? messages : 0);
	if (c->part->totals || !messages)
		return;
	int64_t peer = number_at(e, n->kid[COLUMN_PEER]);
	if (peer >= 0 && peer < RANK_LIMIT)
		add_to_cell(c, (struct destination){group_of(c, line), (uint32_t)peer, back}, messages, bytes);
	else
		e->failure = e->failure ? e->failure : FAILURE_PEER;
}

static void add_message(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	struct counting *c = context;
	struct communication *x = &c->result[group_of(c, line)];
	const struct node *n = node_of(e->store, event);
	const struct kind_row *row = &kind_rows[n->sub];
	if (c->part->tag && !has_tag(c, e, n, line))
		return;
	x->events = saturating_add(x->events, times);
	if (row->match == MATCH_IN)
		x->received = saturating_add(x->received, times);
	if (row->match == MATCH_IN)
		return;
	if (row->out || !row->back)
		add_moved(c, e, event, line, saturating_multiply(times, row->out), false);
	if (row->back)
		add_moved(c, e, event, line, saturating_multiply(times, row->back), true);
}

static void add_calls(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	struct counting *c = context;
	struct communication *x = &c->result[group_of(c, line)];
	const struct node *n = node_of(e->store, event);
	struct counted_key of = {
		.key = {.name = n->word, .group = member_set_of(x->members, e, event)}, .group = group_of(c, line)};
	of.key.named = n->kid[COLUMN_COMMUNICATOR] != NODE_NONE;
	of.key.communicator = of.key.named ? number_at(e, n->kid[COLUMN_COMMUNICATOR]) : 0;
	uint32_t known_before = intern_count(c->collectives), id = intern_id(c->collectives, &of, sizeof of);
	c->place = mem_grow(c->place, &c->places, (size_t)id + 1, sizeof *c->place);
	if (id == known_before) {
		c->place[id] = x->collectives;
		*MEM_PUSH(x->collective, x->collectives, x->collective_capacity) =
			(struct communication_collective){of.key, 0, line};
	}
	struct communication_collective *known = &x->collective[c->place[id]];
	known->calls = saturating_add(known->calls, times);
	known->line = line < known->line ? line : known->line;
}

/* Where more is asked than with whom, other indices may decide. */
static void add_event(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	struct counting *c = context;
	struct communication *x = &c->result[group_of(c, line)];
	const struct node *n = node_of(e->store, event);
	enum event_match match = kind_rows[n->sub].match;
	bool group = match == MATCH_GROUP, quiet = match == MATCH_NONE && !kind_is_one_sided(n->sub);
	uint64_t uses = group          ? uses_of(e, n->kid[COLUMN_COMMUNICATOR]) | uses_of(e, n->kid[COLUMN_GROUP])
			: c->part->tag ? tag_uses(e, n)
				       : 0;
	if (quiet || group)
		x->events = saturating_add(x->events, times);
	if (group)
		x->calls = saturating_add(x->calls, times);
	if (quiet || (group && !c->part->collectives))
		return;
	c->differs |= uses_outermost(e, uses, c->fixed);
	run_each_open(c->run, e, event, line, uses, times, group ? add_calls : add_message, c);
}

/* ------------------------------------------------------------------ parts */

static enum purpose purpose_of(const struct counting *c)
{
	return c->part->totals ? FOR_COUNT : FOR_PEER;
}

/* All executions of a statement; or, of its iterations, the first that the process comes to, with
   all loops around standing still. */
static void add_statement(void *context, struct environment *e, node_id statement, size_t line, uint64_t times)
{
	struct counting *c = context;
	const struct node *n = node_of(e->store, statement);
	bool loop = n->kind == NODE_LOOP, passed = c->passed;
	if (c->part->per_iteration)
		times = saturating_multiply(
			times, loop ? (uint64_t)loop_trips(e, statement) : test_holds(e, n->kid[1]));
	c->executions = saturating_add(c->executions, times);
	c->passed = true;
	if (!c->part->per_iteration)
		run_each_of(c->run, e, statement, line, purpose_of(c), times, add_event, c);
	if (!c->part->per_iteration || passed)
		return;
	if (loop)
		e->index[e->depth++] = 0;
	c->fixed = e->depth;
	c->differs |= (node_of(e->store, n->kid[2])->uses[purpose_of(c)] & USES_INDICES) != 0;
	run_each_of(c->run, e, n->kid[2], line + 1, purpose_of(c), 1, add_event, c);
	e->depth -= loop;
}

/* ------------------------------------------------------------------ processes */

static bool count_process(struct counting *c, uint32_t rank, struct environment *e)
{
	const struct communication_part *part = c->part;
	run_start(c->run, rank, e);
	if (part->whole)
		return run_each(c->run, e, purpose_of(c), NULL, add_event, c);
	c->passed = false;
	c->executions = 0;
	bool good = run_each(c->run, e, part->per_iteration ? FOR_COUNT : FOR_PEER, &part->line, add_statement, c);
	for (size_t i = 0; i < c->result->groups; i++)
		if (c->result[i].executions < c->executions)
			c->result[i].executions = c->executions;
	return good;
}

static int by_destination(const void *left, const void *right)
{
	const struct counted_cell *a = left, *b = right;
	return a->to.group != b->to.group ? COMPARE(a->to.group, b->to.group) : COMPARE(a->to.peer, b->to.peer);
}

static int by_pair(const void *left, const void *right)
{
	const struct communication_cell *a = left, *b = right;
	return a->source != b->source ? COMPARE(a->source, b->source) : COMPARE(a->destination, b->destination);
}

static void end_row(struct counting *c, uint32_t rank)
{
	if (!c->cells)
		return;
	qsort(c->row, c->cells, sizeof *c->row, by_destination);
	for (size_t i = 0; i < c->cells; i++) {
		const struct destination *to = &c->row[i].to;
		struct communication *x = &c->result[to->group];
		*MEM_PUSH(x->cell, x->cells, x->cell_capacity) = (struct communication_cell){
			to->back ? to->peer : rank, to->back ? rank : to->peer, c->row[i].messages, c->row[i].bytes};
		c->fetched |= to->back;
	}
	c->cells = 0;
	intern_empty(c->destinations);
}

/* What both of a pair did from one to the other becomes one cell. */
static void unite_cells(struct communication *x)
{
	size_t kept = 0;
	if (x->cells)
		qsort(x->cell, x->cells, sizeof *x->cell, by_pair);
	for (size_t i = 0; i < x->cells; i++) {
		struct communication_cell *before = &x->cell[kept - (kept > 0)];
		if (!kept || by_pair(before, &x->cell[i])) {
			x->cell[kept++] = x->cell[i];
			continue;
		}
		before->messages = saturating_add(before->messages, x->cell[i].messages);
		before->bytes = saturating_add(before->bytes, x->cell[i].bytes);
	}
	x->cells = kept;
}

/* Functions of indices that are made on the way are forgotten with each process. */
static bool count_all(struct counting *c, struct error *error)
{
	struct environment e = run_environment(c->run);
	struct store_mark mark = store_mark(e.store);
	bool good = true;
	for (uint32_t rank = 0; rank < e.processes && good && !c->differs; rank++) {
		good = count_process(c, rank, &e);
		end_row(c, rank);
		store_release(e.store, mark, NULL, 0);
	}
	free(e.index);
	for (size_t i = 0; c->fetched && i < c->result->groups; i++)
		unite_cells(&c->result[i]);
	if (good && c->differs)
		return error_set(error, ERROR_INPUT,
			"the iterations of %s differ: ask for all of them, without --per-iteration", c->part->address);
	return environment_good(&e, error);
}

static int by_line(const void *left, const void *right)
{
	const struct communication_collective *a = left, *b = right;
	if (a->line != b->line)
		return COMPARE(a->line, b->line);
	return a->key.group != b->key.group ? COMPARE(a->key.group, b->key.group)
					    : COMPARE(a->key.communicator, b->key.communicator);
}

static struct communication *results_new(struct run *r, const struct communication_part *part)
{
	size_t groups = part->group ? part->groups : 1;
	struct communication *x = mem_zero((groups + 1) * sizeof *x);
	struct member_sets *members = member_sets_new(r);
	for (size_t i = 0; i < groups || !i; i++)
		x[i] = (struct communication){.groups = groups,
			.processes = run_environment(r).processes,
			.executions = part->whole,
			.members = members};
	return x;
}

static struct communication *count(
	struct run *r, const struct communication_part *part, bool *sizes_differ, struct error *error)
{
	struct communication *x = results_new(r, part);
	struct counting c = {.run = r,
		.part = part,
		.result = x,
		.destinations = intern_new_keys(sizeof(struct destination)),
		.bytes = store_word(run_module(r)->store, "bytes", 5),
		.received = store_word(run_module(r)->store, "received", 8),
		.collectives = intern_new_keys(sizeof(struct counted_key)),
		.tags = intern_new()};
	bool good = count_all(&c, error);
	if (good && part->tag && !c.tagged) {
		struct communication_part all = {.whole = true, .totals = true, .tag = part->tag};
		struct communication *any = part->whole ? NULL : count(r, &all, sizes_differ, error);
		good = part->whole ? fail_of_tag(&c, error) : any != NULL;
		communication_free(any);
	}
	for (size_t i = 0; i < x->groups; i++)
		if (x[i].collectives)
			qsort(x[i].collective, x[i].collectives, sizeof *x->collective, by_line);
	intern_free(c.collectives);
	intern_free(c.destinations);
	intern_free(c.tags);
	free(c.place);
	free(c.tag_line);
	free(c.row);
	*sizes_differ = c.sizes_differ;
	if (good)
		return x;
	communication_free(x);
	return NULL;
}

struct communication_cell *communication_find(const struct communication *x, uint32_t source, uint32_t destination)
{
	struct communication_cell wanted = {.source = source, .destination = destination};
	return x->cells ? bsearch(&wanted, x->cell, x->cells, sizeof *x->cell, by_pair) : NULL;
}

static void take_means_of(struct communication *x, const struct communication *whole)
{
	x->bytes = 0;
	for (size_t i = 0; i < x->cells; i++) {
		const struct communication_cell *of =
			communication_find(whole, x->cell[i].source, x->cell[i].destination);
		x->cell[i].bytes = of && x->executions ? (of->bytes + x->executions / 2) / x->executions : 0;
		x->bytes = saturating_add(x->bytes, x->cell[i].bytes);
	}
}

/* Sizes that differ from one iteration to the next: those of the mean one. */
static bool take_means(
	struct communication *x, struct run *r, const struct communication_part *part, struct error *error)
{
	struct communication_part all = *part;
	bool differ;
	all.per_iteration = false;
	struct communication *whole = count(r, &all, &differ, error);
	for (size_t i = 0; whole && i < x->groups; i++)
		take_means_of(&x[i], &whole[i]);
	communication_free(whole);
	return whole;
}

struct communication *communication_new(struct run *r, const struct communication_part *part, struct error *error)
{
	bool sizes_differ;
	const struct module *m = run_module(r);
	node_id statement = part->whole ? NODE_NONE : module_at(m, part->line).statement;
	if (part->per_iteration && node_of(m->store, statement)->kind == NODE_EVENT) {
		error_set(error, ERROR_INPUT, "%s is an event: only loops have iterations", part->address);
		return NULL;
	}
	struct communication *x = count(r, part, &sizes_differ, error);
	if (!x || !part->per_iteration || !sizes_differ || take_means(x, r, part, error))
		return x;
	communication_free(x);
	return NULL;
}

struct communication *communication_of_lines(struct run *r, bool cells, struct error *error)
{
	size_t lines = run_module(r)->lines, *line = mem_array(lines + 1, sizeof *line);
	for (size_t i = 0; i < lines; i++)
		line[i] = i;
	struct communication *x = communication_new(r,
		&(struct communication_part){
			.whole = true, .totals = !cells, .sizes = true, .group = line, .groups = lines},
		error);
	free(line);
	return x;
}

void communication_free(struct communication *x)
{
	if (!x)
		return;
	member_sets_free(x->members);
	for (size_t i = 0; i < x->groups; i++) {
		free(x[i].cell);
		free(x[i].collective);
	}
	free(x);
}

/* ------------------------------------------------------------------ as text */

void communication_print_group(
	const struct communication *x, const struct communication_collective *c, struct text *out)
{
	text_put(out, member_set_text(x->members, c->key.group));
	if (c->key.named)
		text_format(out, "@%" PRId64, c->key.communicator);
}

void communication_print_collectives(const struct run *r, const struct communication *x, struct output *out)
{
	struct text group = {0};
	for (size_t i = 0; i < x->collectives; i++) {
		const struct communication_collective *c = &x->collective[i];
		uint64_t members = ranks_count(member_set_ranks(x->members, c->key.group)),
			 times = members ? c->calls / members : 0, more = members ? c->calls % members : c->calls;
		text_truncate(&group, 0);
		communication_print_group(x, c, &group);
		output_format(out, "%s of %s: %" PRIu64 " %s", store_get_word(run_module(r)->store, c->key.name),
			group.data, times, text_plural(times, "time", "times"));
		if (more)
			output_format(out, " and %" PRIu64 " %s more", more, text_plural(more, "call", "calls"));
		output_format(out, "\n");
	}
	text_clear(&group);
}
