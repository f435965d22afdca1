/*
 * meeting.c -- channels, families of them, and what is said of those that are not complete.
 */
#include "ask/meeting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/inverses.h"
#include "ask/meeting_work.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/saturate.h"

/* ------------------------------------------------------------------ families */

static void add_family(struct meeting *m, uint32_t channel, uint32_t sends, uint32_t receives)
{
	uint32_t key[] = {sends, receives, m->channel[channel].how}, id = intern_id(m->families, key, sizeof key);
	if (!(*MEM_AT(m->family_size, m->size_capacity, id))++)
		*MEM_AT(m->family_channel, m->first_capacity, id) = channel;
}

static void take_process(struct meeting *m, uint32_t rank)
{
	terms_of_process(m, rank);
	m->facts.failure = m->at.failure;
	m->too_much |= m->at.failure != FAILURE_NONE;
	for (size_t i = 0; i < m->items.length; i++) {
		uint32_t id = m->items.item[i].end >> 1, term = m->items.item[i].item;
		struct met_channel *c = &m->channel[id];
		if (!(c->how & OF_SYNC)) {
			c->term[m->items.item[i].end & 1] = term;
		} else if (c->term[1]++) {
			c->differs |= term_messages(m, term) != term_messages(m, c->term[0]);
			add_family(m, id, c->term[0], term);
		} else {
			c->term[0] = term;
		}
	}
}

static void walk_families(struct meeting *m)
{
	struct meeting_facts *f = &m->facts;
	for (uint32_t i = 0; i < intern_count(m->ends.channels); i++)
		if (!ends_is_collective(&m->ends, i))
			add_family(m, i, m->channel[i].term[0], m->channel[i].term[1]);
	m->left = m->budget;
	for (uint32_t i = 0; i < intern_count(m->families) && !m->too_much; i++) {
		uint32_t key[3];
		memcpy(key, intern_data(m->families, i, NULL), sizeof key);
		uint64_t irregular = meeting_walk_family(m, m->family_channel[i], key[0], key[1]);
		f->irregular = saturating_add(f->irregular, saturating_multiply(m->family_size[i], irregular));
	}
}

/* ------------------------------------------------------------------ channels that are not complete
   */

/* How often a member came to a collective. */
struct member {
	uint64_t times;
	uint32_t process;
};

static int by_times(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	return x->times != y->times ? COMPARE(x->times, y->times) : COMPARE(x->process, y->process);
}

static uint64_t times_of_member(struct meeting *m, uint32_t channel, uint32_t rank)
{
	uint64_t times = 0;
	m->left = m->budget;
	terms_of_process(m, rank);
	for (size_t i = 0; i < m->items.length; i++)
		if (m->items.item[i].end == channel << 1)
			times = term_messages(m, m->items.item[i].item);
	return times;
}

/* Those that came equally often, and which time they miss first. */
static void put_missing(const struct member *member, size_t members, struct text *line)
{
	struct ranks who = {0};
	for (size_t i = 0; i < members; i++)
		ranks_add(&who, member[i].process);
	text_put(line, member->times ? "by " : "never by ");
	ranks_print(&who, line);
	if (member->times) {
		text_format(
			line, " only %" PRIu64 " %s (the ", member->times, text_plural(member->times, "time", "times"));
		text_ordinal(line, member->times + 1);
		text_put(line, " is missing)");
	}
	ranks_clear(&who);
}

#define COUNTS_TOLD 3

static void put_members(struct meeting *m, uint32_t channel, struct text *line)
{
	struct ranks group = {0}, borrowed = ends_group(&m->ends, channel);
	struct ranks_walk next = {0};
	ranks_copy(&group, &borrowed);
	struct member *member = mem_array(ranks_count(&group), sizeof *member);
	size_t members = 0, told = 0;
	for (uint32_t p; ranks_next(&group, &next, &p); members++)
		member[members] = (struct member){times_of_member(m, channel, p), p};
	qsort(member, members, sizeof *member, by_times);
	uint64_t most = member[members - 1].times;
	text_format(line, "%" PRIu64 " %s, but ", most, text_plural(most, "time", "times"));
	for (size_t i = 0, past; i < members && member[i].times < most; i = past, told++) {
		for (past = i; past < members && member[past].times == member[i].times;)
			past++;
		text_put(line, !told || told > COUNTS_TOLD ? "" : told == COUNTS_TOLD ? ", ..." : ", ");
		if (told < COUNTS_TOLD)
			put_missing(member + i, past - i, line);
	}
	ranks_clear(&group);
	free(member);
}

struct unmatched {
	uint32_t statement, channel;
	uint64_t sent, received;
};

static void tell_channel(struct meeting *m, const struct unmatched *x)
{
	struct text *out = &m->facts.channels;
	text_put(out, "\n  ");
	ends_print(&m->ends, x->channel, out);
	text_put(out, ": ");
	if (ends_is_collective(&m->ends, x->channel)) {
		put_members(m, x->channel, out);
		return;
	}
	text_format(out, "%" PRIu64 " %s, %" PRIu64 " %s", x->sent, text_plural(x->sent, "send", "sends"), x->received,
		text_plural(x->received, "receive", "receives"));
}

/* In the order of the text, each by processes. */
static int by_first_end(const void *a, const void *b)
{
	const struct unmatched *x = a, *y = b;
	return x->statement != y->statement ? COMPARE(x->statement, y->statement) : COMPARE(x->channel, y->channel);
}

static void count_channels(struct meeting *m)
{
	struct meeting_facts *f = &m->facts;
	struct unmatched *unmatched = NULL;
	size_t capacity = 0;
	uint64_t sends = 0, others = 0;
	for (uint32_t i = 0, channels = intern_count(m->ends.channels); i < channels; i++) {
		const struct met_channel *c = &m->channel[i];
		struct ranks group = {0};
		uint64_t sent = term_messages(m, c->term[0]), received = 0;
		if (ends_is_collective(&m->ends, i)) { /* the other is no term, but how many members came */
			group = ends_group(&m->ends, i);
			if (!c->differs && c->term[1] == ranks_count(&group))
				continue;
		} else if (sent == (received = term_messages(m, c->term[1]))) {
			continue;
		}
		sends += sent > received ? sent - received : 0;
		others += ends_is_collective(&m->ends, i) || sent < received;
		*MEM_PUSH(unmatched, f->unmatched, capacity) = (struct unmatched){c->statement, i, sent, received};
	}
	f->complete = !f->unmatched;
	if (f->unmatched)
		qsort(unmatched, f->unmatched, sizeof *unmatched, by_first_end);
	for (size_t i = 0; i < f->unmatched && i < MEETING_TOLD && !m->ends.any_function; i++)
		tell_channel(m, &unmatched[i]);
	free(unmatched);
	f->never_received = others ? 0 : sends;
}

/* --------------------------------------- what a process tells itself is its own matter */

static bool term_has(const struct meeting *m, uint32_t term, uint32_t loop)
{
	size_t length, runs;
	const uint32_t *item = term_items(m, term, &length);
	for (size_t i = 0; i < length; i++) {
		uint32_t at = item_statement(m, item[i]);
		bool last = i + 1 == length || item_statement(m, item[i + 1]) > loop;
		if (at == loop)
			return true;
		if (at > loop || !last || !item_repeats(item[i]))
			continue;
		const uint64_t *run = item_runs(m, item[i], &runs);
		for (; runs; runs--, run += 2)
			if (term_has(m, (uint32_t)run[1], loop))
				return true;
	}
	return false;
}

static bool is_in(const struct meeting *m, uint32_t channel, uint32_t loop)
{
	const struct met_channel *c = &m->channel[channel];
	return term_has(m, c->term[0], loop) && (c->how & OF_SYNC || term_has(m, c->term[1], loop));
}

/* ... unless the process meets others in that loop. */
static bool meets_others(const struct meeting *m, uint32_t loop, uint32_t *channel)
{
	bool *meets = mem_zero(m->at.processes + (size_t)1), found = false;
	uint32_t channels = intern_count(m->ends.channels);
	for (uint32_t i = 0; i < channels; i++) {
		const struct channel_key *key = ends_key(&m->ends, i);
		if (m->channel[i].how & OF_ONE || !is_in(m, i, loop))
			continue;
		struct ranks none = {0}, group = ends_is_collective(&m->ends, i) ? ends_group(&m->ends, i) : none;
		struct ranks_walk next = {0};
		for (uint32_t p; ranks_count(&group) > 1 && ranks_next(&group, &next, &p);)
			meets[p] = true;
		if (!ends_is_collective(&m->ends, i))
			meets[key->from] = meets[key->to] = true;
	}
	for (uint32_t i = 0; i < channels && !found; i++) {
		*channel = i;
		found = m->channel[i].how & OF_ONE && meets[ends_key(&m->ends, i)->from] && is_in(m, i, loop);
	}
	free(meets);
	return found;
}

static void count_loops(struct meeting *m)
{
	struct meeting_facts *f = &m->facts;
	for (uint32_t i = 0; i < m->statements; i++) {
		const struct stand *s = &m->stand[i];
		uint32_t channel;
		if (s->alone && s->joint && i < f->crossed && meets_others(m, i, &channel)) {
			f->crossed = i;
			m->sent = m->received = 0;
			m->crossed_on = channel;
		}
		f->apart += s->apart;
		f->joint += s->joint && !s->apart;
	}
	if (f->crossed == MEETING_NOWHERE)
		return;
	ends_print(&m->ends, m->crossed_on, &f->channel);
	if (m->sent != m->received)
		text_format(&f->channel,
			ends_is_collective(&m->ends, m->crossed_on)
				? ": one comes to it in iteration %" PRIu64 ", another in %" PRIu64
				: ": what iteration %" PRIu64 " sends is received in iteration %" PRIu64,
			m->sent, m->received);
}

/* ------------------------------------------------------------------ the text */

static void note_text(struct meeting *m)
{
	struct module_line *line = module_statements(run_module(m->run));
	for (uint32_t at = 0; at < m->statements; at++) {
		const struct node *n = node_of(m->store, line[at].node);
		bool loop = n->kind == NODE_LOOP;
		uint32_t around = line[at].around == LINE_OUTERMOST ? SCOPE_ROOT : (uint32_t)line[at].around;
		if (around != SCOPE_ROOT && node_of(m->store, line[around].node)->kind == NODE_GUARD)
			around = m->stand[around].around;
		m->stand[at] = (struct stand){.around = around,
			.divergent = loop && node_of(m->store, n->kid[1])->uses[FOR_ALL] & USES_PROCESS};
	}
	free(line);
}

/* ------------------------------------------------------------------ in public */

static void forget(struct meeting *m)
{
	struct intern *tables[] = {m->terms, m->repetitions, m->families};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		intern_free(tables[i]);
	ends_clear(&m->ends);
	text_clear(&m->facts.channels);
	text_clear(&m->facts.channel);
}

static void start_pass(struct meeting *m, enum purpose purpose)
{
	forget(m);
	m->terms = intern_new();
	m->repetitions = intern_new();
	m->ends = ends_new(m->run);
	m->families = intern_new_keys(3 * sizeof(uint32_t));
	m->size_capacity = 0; /* all are 0 again */
	m->purpose = purpose;
	m->left = m->budget;
	m->too_much = m->unsure = false;
	m->facts = (struct meeting_facts){
		.complete = true, .crossed = MEETING_NOWHERE, .misplaced = MEETING_NOWHERE, .order = ORDER_UNKNOWN};
	m->stand[m->statements] = (struct stand){0};
	note_text(m);
}

/* May two channels be one, as a function comes to the other's number? Then who meets whom is not
   known, nor what crosses iterations. */
static bool any_alias(const struct meeting *m)
{
	struct intern *pairs = intern_new_keys(3 * sizeof(uint32_t));
	uint32_t channels = intern_count(m->ends.channels), first;
	bool *function = mem_zero(channels + (size_t)1), found = false;
	for (uint32_t i = 0; i < channels && !found && m->ends.any_function; i++) {
		const struct channel_key *key = ends_key(&m->ends, i);
		uint32_t pair[] = {key->from, key->to, key->word}, known = intern_count(pairs);
		bool is = key->tag_is == END_FUNCTION || key->communicator_is == END_FUNCTION;
		first = intern_id(pairs, pair, sizeof pair);
		found = first < known && (is || function[first]);
		function[first] |= is;
	}
	intern_free(pairs);
	free(function);
	return found;
}

/* Go through the program for this purpose, and see whether all meets and can happen. True: that is
   the answer; functions alone tell only that everything is well: the same channel may have other
   names. */
static bool examine(struct meeting *m, enum purpose purpose)
{
	struct meeting_facts *f = &m->facts;
	start_pass(m, purpose);
	for (uint32_t p = 0; p < m->at.processes && !m->too_much; p++)
		take_process(m, p);
	if (!m->too_much)
		walk_families(m);
	if (m->too_much)
		return false;
	f->known = true;
	count_channels(m);
	count_loops(m);
	if (f->complete)
		meeting_find_order(m);
	return !m->ends.any_function || (f->complete && !f->irregular && !f->apart && f->crossed == MEETING_NOWHERE &&
						f->order == ORDER_TEXT && !any_alias(m));
}

static bool is_proven_by_inverses(struct meeting *m)
{
	uint64_t loops;
	if (m->facts.failure || !inverses_prove(m->run, &loops))
		return false;
	m->facts = (struct meeting_facts){.known = true,
		.complete = true,
		.joint = loops,
		.crossed = MEETING_NOWHERE,
		.misplaced = MEETING_NOWHERE,
		.order = ORDER_TEXT};
	return true;
}

struct meeting *meeting_new(struct run *run, uint64_t budget)
{
	struct meeting *m = mem_zero(sizeof *m);
	const struct module *module = run_module(run);
	const struct node *body = node_of(module->store, module->body);
	m->run = run;
	m->store = module->store;
	m->budget = budget;
	m->at = run_environment(run);
	m->at.index = mem_array(run_depth(run) + 1, sizeof *m->at.index);
	m->statements = body->statements;
	m->facts.failure = run_failure(run);
	if (m->facts.failure)
		return m;
	m->stand = mem_zero((m->statements + 1) * sizeof *m->stand);
	if (is_proven_by_inverses(m))
		return m;
	if (!examine(m, FOR_PEER) && m->left && !m->facts.failure)
		examine(m, FOR_CHANNEL);
	return m;
}

void meeting_free(struct meeting *m)
{
	if (!m)
		return;
	forget(m);
	void *owned[] = {m->stand, m->at.index, m->items.item, m->term_count, m->repetition_count, m->channel,
		m->family_size, m->family_channel, m};
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
}

const struct meeting_facts *meeting_facts(const struct meeting *m)
{
	return &m->facts;
}
