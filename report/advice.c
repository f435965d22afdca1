/*
 * advice.c -- one proof for each kind, construct by construct.
 */
#include "report/advice.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/event_numbers.h"
#include "ask/overview.h"
#include "report/naming.h"

#define GAIN_LEAST 0.005 /* of the run time */
#define SMALL_BYTES 1024 /* beyond, sending takes longer than beginning to */
#define IN_A_ROW 8 /* messages, at least */
#define ALL_TO_ALL_LEAST 4 /* ranks: fewer are neighbours */
#define NOTHING 2e-6 /* s between two messages in which nothing is computed */

static const char *const keys[] = {
	[ADVICE_ALLTOALL] = "alltoall", [ADVICE_SMALL_MESSAGES] = "small-messages", [ADVICE_LINE] = "line"};

const char *advice_key(enum advice_kind kind)
{
	return keys[kind];
}

void advice_clear(struct advice *a)
{
	for (size_t i = 0; i < a->length; i++)
		text_clear(&a->line[i].text);
	*a = (struct advice){0};
}

static bool is_enough(const struct analysis *a, double gain)
{
	return gain >= GAIN_LEAST * (double)analysis_run(a);
}

/* Takes the text. */
static void add(struct advice *to, const struct analysis *a, struct advice_line line)
{
	size_t at = to->length;
	if (!is_enough(a, line.gain)) {
		text_clear(&line.text);
		return;
	}
	while (at > 0 && to->line[at - 1].gain < line.gain)
		at--;
	if (at == ADVICE_MOST) {
		text_clear(&line.text);
		return;
	}
	if (to->length == ADVICE_MOST)
		text_clear(&to->line[--to->length].text);
	for (size_t i = to->length++; i > at; i--)
		to->line[i] = to->line[i - 1];
	to->line[at] = line;
}

static void put_place(const struct analysis_construct *c, struct text *out)
{
	if (c->address)
		text_format(out, "loop %s, ", c->address);
	text_format(out, "%s: ", c->name);
}

static void put_times(const struct analysis *a, double now, double then, struct text *out)
{
	text_format(out, "%s of the critical path", seconds_of(now * analysis_tick(a)).words);
	if (then > 0)
		text_format(
			out, ", at the pace of the quickest messages %s", seconds_of(then * analysis_tick(a)).words);
}

/* ------------------------------------------------------------------ messages */

struct exchange {
	uint32_t ranks; /* that send or receive */
	uint64_t messages, bytes; /* of each link; bytes: of a message */
	double least; /* the mean of the quickest of each link */
};

/* False: links differ. */
static bool even_links(const struct analysis_construct *c, struct exchange *x)
{
	struct ranks ends = {0};
	*x = (struct exchange){0};
	for (size_t i = 0; i < c->links; i++) {
		const struct analysis_link *l = &c->link[i];
		if (l->messages != c->link[0].messages || l->bytes != c->link[0].bytes)
			break;
		ranks_add(&ends, l->source);
		ranks_add(&ends, l->destination);
		x->least += (double)l->least / (double)c->links;
		x->ranks = i + 1 == c->links ? (uint32_t)ranks_count(&ends) : 0;
	}
	ranks_clear(&ends);
	if (!x->ranks || !c->link[0].messages || c->link[0].bytes % c->link[0].messages)
		return false;
	x->messages = c->link[0].messages;
	x->bytes = c->link[0].bytes / x->messages;
	return true;
}

/* How often a process goes through the innermost loop, and how often it begins it. */
static uint64_t iterations_of(const struct analysis *a, const struct analysis_construct *c, uint32_t depth)
{
	uint64_t product = 1;
	for (uint32_t d = 0; d < depth; d++)
		product *= a->iterations[c->around[d]];
	return product;
}

/* Is nothing computed between the iterations of the innermost loop? What stands before the first is
   told as of that. */
static bool computes_nothing(const struct analysis *a, const struct analysis_construct *c)
{
	const struct analysis_series *s = &c->series[c->depth - 1];
	double work = 0, times = (double)iterations_of(a, c, c->depth - 1) * a->processes;
	if (s->width != 1 || s->bins < 2)
		return false;
	for (size_t i = 1; i < s->bins; i++)
		work += (double)s->work[i];
	return work * analysis_tick(a) < NOTHING * times * (double)(s->bins - 1);
}

static void advise_alltoall(struct advice *to, const struct analysis *a, const struct analysis_construct *c)
{
	struct exchange x;
	if (!even_links(c, &x) || x.ranks < ALL_TO_ALL_LEAST || c->links != (size_t)x.ranks * (x.ranks - 1))
		return;
	/* All in one iteration, or one partner after the other. */
	bool at_once = x.messages == iterations_of(a, c, c->depth),
	     in_turn = c->depth && x.messages == iterations_of(a, c, c->depth - 1) &&
		       a->iterations[c->around[c->depth - 1]] + 1 >= x.ranks && computes_nothing(a, c);
	if (!at_once && !in_turn)
		return;
	double now = (double)c->total.path_call, then = (double)x.messages * (x.ranks - 1) * x.least;
	struct advice_line line = {.kind = ADVICE_ALLTOALL, .construct = c, .gain = now - then};
	put_place(c, &line.text);
	text_format(&line.text,
		"each of %" PRIu32 " ranks sends each other one a message of %" PRIu64 " bytes, %" PRIu64
		" times: MPI_Alltoall would do; ",
		x.ranks, x.bytes, x.messages);
	put_times(a, now, then, &line.text);
	add(to, a, line);
}

static void advise_small(struct advice *to, const struct analysis *a, const struct analysis_construct *c)
{
	struct exchange x;
	if (!c->depth || !even_links(c, &x) || x.bytes > SMALL_BYTES)
		return;
	uint64_t times = iterations_of(a, c, c->depth - 1), row = a->iterations[c->around[c->depth - 1]];
	if (row < IN_A_ROW || row <= a->processes || x.messages != times * row || !computes_nothing(a, c))
		return;
	double now = (double)c->total.path_call, then = (double)times * x.least;
	struct advice_line line = {.kind = ADVICE_SMALL_MESSAGES, .construct = c, .gain = now - then};
	put_place(c, &line.text);
	text_format(&line.text,
		"%" PRIu64 " messages of %" PRIu64
		" bytes in a row to the same neighbour, and nothing computed in between: one of %" PRIu64
		" bytes would do; ",
		row, x.bytes, row * x.bytes);
	put_times(a, now, then, &line.text);
	add(to, a, line);
}

/* ------------------------------------------------------------------ collectives */

/* Only some have a part in it: others send nothing and receive nothing, whatever the iteration. */
static void advise_line(struct advice *to, const struct analysis *a, const struct overview *o, size_t at)
{
	const struct analysis_construct *c = &a->construct[a->construct_of[at]];
	const struct ranks *all = &o->line[at].who;
	uint32_t bytes = store_word(o->store, "bytes", 5), received = store_word(o->store, "received", 8);
	uint64_t uses = 0;
	for (uint32_t k = COLUMNS; k < overview_node(o, at)->kids; k++)
		uses |= node_of(o->store, overview_node(o, at)->kid[k])->uses[FOR_ALL];
	if (!is_enough(a, (double)c->total.path_call) || !overview_has(o, at, "bytes") ||
		!overview_has(o, at, "received") || uses & USES_INDICES)
		return;
	struct ranks some = {0};
	struct ranks_walk walk = {0};
	struct environment e = {0};
	bool known = true;
	for (uint32_t rank; known && ranks_next(all, &walk, &rank);) {
		overview_start(o, at, rank, &e);
		struct event_value in = event_value_at(&e, NULL, o->line[at].node, received),
				   out = event_value_at(&e, NULL, o->line[at].node, bytes);
		known = in.there && out.there;
		if (in.word || in.number || out.word || out.number)
			ranks_add(&some, rank);
	}
	free(e.index);
	if (known && ranks_count(&some) && 2 * ranks_count(&some) <= ranks_count(all)) {
		struct advice_line line = {.kind = ADVICE_LINE, .construct = c, .gain = (double)c->total.path_call};
		put_place(c, &line.text);
		text_put(&line.text, "only ");
		put_ranks(&line.text, &some, o->module->processes, &o->module->grid);
		text_format(&line.text, " of %" PRIu64 " pass anything on in %s: a communicator of these would do; ",
			ranks_count(all), overview_word(o, at));
		put_times(a, line.gain, 0, &line.text);
		add(to, a, line);
	}
	ranks_clear(&some);
}

void advice_of(struct advice *to, const struct analysis *a)
{
	struct overview o;
	*to = (struct advice){0};
	if (a->clocks_disagree)
		return;
	for (const struct analysis_construct *c = a->construct; c < a->construct + a->constructs; c++) {
		if (c->sort != CONSTRUCT_PROGRAM || !c->links || c->depth > ANALYSIS_DEPTH)
			continue;
		advise_alltoall(to, a, c);
		advise_small(to, a, c);
	}
	overview_of(&o, a->program->run);
	for (size_t i = 0; i < o.lines; i++)
		if (overview_match(&o, i) == MATCH_GROUP && a->construct_of[i] != ANALYSIS_NO_CONSTRUCT)
			advise_line(to, a, &o, i);
	overview_clear(&o);
}
