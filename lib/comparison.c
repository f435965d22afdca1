/*
 * comparison.c -- events of the trace are put into the words and groups of the program once.
 */
#include "lib/comparison.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ask/event_numbers.h"
#include "base/mem.h"
#include "trace/event_values.h"

enum outcome { SAME, DIFFERENT, TRACE_LONGER, MODEL_LONGER };

/* Pairs of each process that are known to be the same event, by node. */
#define KNOWN 32

/* One process: where it is in the model, and where it first left the trace. */
struct side {
	struct known {
		node_id node; /* depends on no index */
		uint32_t event; /* of the streams */
	} known[KNOWN];
	struct cursor *cursor; /* NULL: the model does not know the process */
	uint64_t position; /* events in which the two agree */
	enum outcome outcome;
	uint32_t in_trace; /* the events at that position */
	struct text trace_carries, model_carries; /* where they differ */
};

struct comparison {
	struct run *run;
	uint32_t processes; /* of the run */
	struct streams *streams;
	unsigned jobs;
	uint32_t *name; /* that anything of the program is carried under: words of its store */
	size_t names;
	pthread_mutex_t lock; /* around members, */
	struct member_sets *members;
	struct event_numbers *trace_event; /* by event of the streams */
	size_t trace_events, trace_capacity;
	struct side *side; /* by rank */
	size_t sides, side_capacity;
};

static const struct store *store_of(const struct comparison *c)
{
	return run_module(c->run)->store;
}

static uint32_t word_in_program(const struct comparison *c, const char *word)
{
	return store_word(run_module(c->run)->store, word, strlen(word));
}

static void put_message(const struct comparison *c, const struct dictionary *d, uint32_t id, struct event_numbers *to)
{
	const struct tag *tag = dictionary_get_tag(d, id);
	to->word = word_in_program(c, dictionary_get_word(d, tag->stem));
	if (tag->numbered)
		to->number[COLUMN_TAG] = (int64_t)tag->number;
	if (tag->communicator != NO_COMMUNICATOR)
		to->number[COLUMN_COMMUNICATOR] = tag->communicator;
}

static void put_sync(const struct comparison *c, const struct dictionary *d, uint32_t id, struct event_numbers *to)
{
	const struct sync *sync = dictionary_get_sync(d, id);
	struct ranks group = dictionary_get_ranks(d, sync->group);
	to->word = word_in_program(c, dictionary_get_word(d, sync->name));
	to->number[COLUMN_GROUP] = member_set_of_ranks(c->members, &group);
	if (sync->communicator != NO_COMMUNICATOR)
		to->number[COLUMN_COMMUNICATOR] = sync->communicator;
}

static struct event_numbers numbers_of(const struct comparison *c, const struct dictionary *d, uint32_t id)
{
	const struct event *event = dictionary_get_event(d, id);
	struct ranks_run single;
	struct ranks who = event_processes(d, id, &single);
	struct event_numbers e = {.kind = event->kind};
	for (uint32_t k = 0; k < COLUMNS; k++)
		e.number[k] = EVENT_UNSAID;
	e.number[COLUMN_WHO] = who.run->first;
	if (kind_has_peer(event->kind))
		e.number[COLUMN_PEER] = event->peer;
	switch (kind_rows[event->kind].subject) {
	case SUBJECT_TAG:
		put_message(c, d, event->subject, &e);
		break;
	case SUBJECT_SYNC:
		if (event->peer != NO_ROOT)
			e.number[COLUMN_ROOT] = event->peer;
		put_sync(c, d, event->subject, &e);
		break;
	case SUBJECT_WORD:
		e.word = word_in_program(c, dictionary_get_word(d, event->subject));
		break;
	}
	return e;
}

/* Bring the trace's events up to date. Those of an archive are all there before threads start
   reading. */
static void know_trace(struct comparison *c, const struct dictionary *d)
{
	uint32_t events = dictionary_events(d);
	c->trace_event = mem_grow(c->trace_event, &c->trace_capacity, events, sizeof *c->trace_event);
	for (; c->trace_events < events; c->trace_events++)
		c->trace_event[c->trace_events] = numbers_of(c, d, (uint32_t)c->trace_events);
}

/* ------------------------------------------------------------------ side by side */

static void make_room(struct comparison *c, size_t sides)
{
	if (sides <= c->sides)
		return;
	c->side = mem_grow(c->side, &c->side_capacity, sides, sizeof *c->side);
	for (; c->sides < sides; c->sides++) {
		uint32_t rank = (uint32_t)c->sides;
		c->side[rank] = (struct side){.cursor = rank < c->processes ? cursor_new(c->run, rank) : NULL};
	}
}

static struct event_value value_in_trace(
	const struct comparison *c, const struct trace_event *e, size_t name, char digits[EVENT_VALUES_DIGITS])
{
	const char *word = store_get_word(store_of(c), c->name[name]);
	struct attribute_value v = event_values_value(e, word, strlen(word), digits);
	return (struct event_value){v.there, v.number, v.word};
}

/* Words of programs are as they are written, those of traces are not. */
static bool is_word(const char *written, const char *word)
{
	struct text text = {0};
	if (*written != '"')
		return !strcmp(written, word);
	attribute_word_print(word, &text);
	bool is = !strcmp(written, text.data);
	text_clear(&text);
	return is;
}

static bool is_value(const struct event_value *in_model, const struct event_value *in_trace)
{
	if (!in_model->there || !in_trace->there)
		return in_model->there == in_trace->there;
	if (in_model->word && in_trace->word)
		return is_word(in_model->word, in_trace->word);
	return in_model->word == in_trace->word && in_model->number == in_trace->number;
}

static void put_in_trace(const char *name, const struct event_value *v, struct text *out)
{
	struct text word = {0};
	struct event_value written = *v;
	if (v->there && v->word) {
		attribute_word_print(v->word, &word);
		written.word = word.data;
	}
	event_value_put(name, &written, out);
	text_clear(&word);
}

static struct event_value value_in_model(struct comparison *c, const struct side *s, size_t k)
{
	if (!attribute_is_by_member(store_get_word(store_of(c), c->name[k])))
		return event_value_at(&s->cursor->at, NULL, s->cursor->event, c->name[k]);
	pthread_mutex_lock(&c->lock);
	struct event_value v = event_value_at(&s->cursor->at, c->members, s->cursor->event, c->name[k]);
	pthread_mutex_unlock(&c->lock);
	return v;
}

/* Does the event carry what the program says? Under the names that occur in the program. */
static bool carries_the_same(struct comparison *c, struct side *s, const struct trace_event *carried)
{
	char digits[EVENT_VALUES_DIGITS];
	bool same = true;
	for (size_t k = 0; k < c->names && same; k++) {
		struct event_value a = value_in_model(c, s, k), b = value_in_trace(c, carried, k, digits);
		same = is_value(&a, &b);
	}
	for (size_t k = 0; k < c->names && !same; k++) {
		const char *name = store_get_word(store_of(c), c->name[k]);
		struct event_value a = value_in_model(c, s, k), b = value_in_trace(c, carried, k, digits);
		event_value_put(name, &a, &s->model_carries);
		put_in_trace(name, &b, &s->trace_carries);
	}
	return same;
}

/* Does the model stand at this event of the trace? */
static bool is_event(struct comparison *c, struct side *s, uint32_t event)
{
	struct event_numbers here;
	const struct event_numbers *wanted = &c->trace_event[event];
	struct cursor *cursor = s->cursor;
	const struct node *n = node_of(cursor->at.store, cursor->event);
	struct known *known = &s->known[cursor->event % KNOWN];
	bool group = kind_gathers(wanted->kind), steady = !(n->uses[FOR_CHANNEL] & (USES_INDICES | USES_PARAMETERS));
	if (n->sub != wanted->kind)
		return false;
	if (known->node == cursor->event && known->event == event)
		return true;
	if (group)
		pthread_mutex_lock(&c->lock);
	event_numbers_at(&cursor->at, c->members, cursor->event, &here);
	if (group)
		pthread_mutex_unlock(&c->lock);
	if (memcmp(&here, wanted, sizeof here) != 0)
		return false;
	if (steady)
		*known = (struct known){cursor->event, event};
	return true;
}

static bool compare_event(
	void *context, uint32_t rank, uint32_t event, const struct trace_event *carried, struct error *error)
{
	(void)error;
	struct comparison *c = context;
	make_room(c, (size_t)rank + 1);
	if (event >= c->trace_events)
		know_trace(c, streams_dictionary(c->streams, rank));
	struct side *s = &c->side[rank];
	if (s->outcome != SAME)
		return true;
	bool more = s->cursor && cursor_next(s->cursor);
	if (more && is_event(c, s, event) && carries_the_same(c, s, carried)) {
		s->position++;
		return true;
	}
	s->outcome = more ? DIFFERENT : TRACE_LONGER;
	s->in_trace = event;
	return true;
}

static void put_difference(struct comparison *c, uint32_t rank, struct text *out)
{
	const struct side *s = &c->side[rank];
	text_format(out, "\n  rank %" PRIu32 ", position %" PRIu64 ": the trace ", rank, s->position);
	if (s->outcome == MODEL_LONGER) {
		text_put(out, "ends");
	} else {
		text_put(out, "has '");
		event_print(streams_dictionary(c->streams, rank), s->in_trace, out);
		text_add(out, s->trace_carries.data, s->trace_carries.length);
		text_char(out, '\'');
	}
	text_put(out, ", the model ");
	if (s->outcome == TRACE_LONGER) {
		text_put(out, s->cursor ? "ends" : "does not have this rank");
	} else {
		text_put(out, "has '");
		event_print_at(&s->cursor->at, c->members, s->cursor->event, 0, out);
		text_add(out, s->model_carries.data, s->model_carries.length);
		text_char(out, '\'');
	}
}

/* The error only says that there are differences: it has no room for ten of them. */
static bool find_differences(struct comparison *c, struct comparison_facts *facts, struct error *error)
{
	for (uint32_t rank = 0; rank < c->sides; rank++) {
		struct side *s = &c->side[rank];
		if (s->outcome == SAME && s->cursor && cursor_next(s->cursor))
			s->outcome = MODEL_LONGER;
		if (s->cursor && !environment_good(&s->cursor->at, error))
			return false;
		if (s->outcome != SAME && facts->different++ < COMPARISON_TOLD)
			put_difference(c, rank, &facts->told);
	}
	if (facts->different > COMPARISON_TOLD)
		text_format(&facts->told, "\n  and %" PRIu64 " more ranks", facts->different - COMPARISON_TOLD);
	if (facts->different == 0)
		return true;
	return error_set(error, ERROR_INCONSISTENT,
		"the model is not that of the trace, on %" PRIu64 " of %zu ranks:", facts->different, c->sides);
}

static bool compare(struct comparison *c, struct comparison_facts *facts, struct error *error)
{
	make_room(c, c->processes);
	if (streams_facts(c->streams)->archive) {
		make_room(c, streams_facts(c->streams)->processes);
		for (uint32_t rank = 0; rank < c->sides; rank++)
			if (streams_dictionary(c->streams, rank))
				know_trace(c, streams_dictionary(c->streams, rank));
	}
	struct streams_sink sink = {c, compare_event};
	if (!streams_read(c->streams, NULL, c->jobs, &sink, error))
		return false;
	facts->trace = *streams_facts(c->streams);
	streams_missing_records(c->streams, &facts->missing);
	if (!find_differences(c, facts, error))
		return false;
	uint32_t processes = streams_facts(c->streams)->processes;
	if (processes != c->processes)
		return error_set(error, ERROR_INCONSISTENT, "the model has %" PRIu32 " processes, the trace %" PRIu32,
			c->processes, processes);
	return true;
}

static void comparison_clear(struct comparison *c)
{
	for (size_t i = 0; i < c->sides; i++) {
		cursor_free(c->side[i].cursor);
		text_clear(&c->side[i].trace_carries);
		text_clear(&c->side[i].model_carries);
	}
	pthread_mutex_destroy(&c->lock);
	member_sets_free(c->members);
	free(c->name);
	free(c->side);
	free(c->trace_event);
	streams_close(c->streams);
}

bool comparison_run(struct run *run, const char *path, bool carried, const struct streams_options *options,
	struct comparison_facts *facts, struct error *error)
{
	*facts = (struct comparison_facts){0};
	struct comparison c = {.run = run,
		.processes = run_environment(run).processes,
		.jobs = options->jobs,
		.members = member_sets_new(run)};
	struct streams_options asked = *options;
	pthread_mutex_init(&c.lock, NULL);
	if (carried)
		c.names = module_attribute_names(run_module(run), &c.name);
	asked.trace.attributes = c.names > 0;
	for (size_t k = 0; k < c.names; k++)
		asked.trace.calls |= event_values_asks_calls(store_get_word(store_of(&c), c.name[k]));
	c.streams = streams_open(path, &asked, error);
	bool good = c.streams && compare(&c, facts, error);
	comparison_clear(&c);
	return good;
}

void comparison_facts_clear(struct comparison_facts *facts)
{
	text_clear(&facts->told);
	missing_records_clear(&facts->missing);
	*facts = (struct comparison_facts){0};
}
