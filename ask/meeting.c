/*
 * meeting.c -- the walk over both ends of a channel, once for each family.
 */
#include "ask/meeting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/inverses.h"
#include "ask/meeting_work.h"
#include "base/mem.h"
#include "base/saturate.h"

/* ------------------------------------------------------------------ families */

static void add_family(struct meeting *m, uint32_t channel, uint32_t sends, uint32_t receives)
{
	uint32_t key[] = {sends, receives, m->channel[channel].how}, known = intern_count(m->families),
		 id = intern_id(m->families, key, sizeof key);
	if (id == known) {
		m->family_size = mem_grow(m->family_size, &m->size_capacity, (size_t)id + 1, sizeof *m->family_size);
		m->family_channel =
			mem_grow(m->family_channel, &m->first_capacity, (size_t)id + 1, sizeof *m->family_channel);
		m->family_size[id] = 0;
		m->family_channel[id] = channel;
	}
	m->family_size[id]++;
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

/* ------------------------------------------------------------------ the walk over both ends */

/* What loops inside pass on may be what is received, which no listing can help. */
static bool has_repetition(const uint32_t *item, size_t length)
{
	bool any = false;
	for (size_t i = 0; i < length && !any; i++)
		any = item_repeats(item[i]);
	return any;
}

static void mark_early(struct meeting *m, uint32_t at, uint32_t how, bool among_loops)
{
	if (how & OF_FREE)
		return;
	m->stand[at].early = true;
	m->unsure |= (how & UNSURE) != 0;
	if (!(how & (OF_SYNC | OF_ONE | UNSURE)) && !among_loops && m->stand[at].around != SCOPE_ROOT &&
		at < m->facts.misplaced)
		m->facts.misplaced = at;
}

static uint64_t walk(struct meeting *m, uint32_t sends, uint32_t receives, int64_t under, uint32_t how);

/* Runs of a repetition, one after the other: iterations that pass on `each` messages, from this
   one of the loop on. */
struct runs_walk {
	const uint64_t *run;
	size_t runs;
	uint64_t iteration, message, each;
};

static uint64_t run_messages(const struct runs_walk *r)
{
	return r->run[0] * r->each;
}

static void enter_run(const struct meeting *m, struct runs_walk *r)
{
	r->each = r->runs ? term_messages(m, (uint32_t)r->run[1]) : 0;
}

static struct runs_walk runs_of(const struct meeting *m, uint32_t item)
{
	struct runs_walk r = {0};
	r.run = item_runs(m, item, &r.runs);
	enter_run(m, &r);
	return r;
}

static void next_run(const struct meeting *m, struct runs_walk *r)
{
	r->message += run_messages(r);
	r->iteration += r->run[0];
	r->run += 2;
	r->runs--;
	enter_run(m, r);
}

/* A message that is sent in one iteration of a loop, and received in another. */
struct crossing {
	bool is;
	uint64_t sent, received;
};

/* Of messages at to past - 1, which both runs pass on. */
static struct crossing first_crossing(const struct runs_walk *s, const struct runs_walk *r, uint64_t at, uint64_t past)
{
	uint64_t sent = at - s->message, received = at - r->message;
	struct crossing c = {false, s->iteration + sent / s->each, r->iteration + received / r->each};
	if (c.sent == c.received && (s->each != r->each || sent % s->each != received % r->each)) {
		uint64_t s_left = s->each - sent % s->each, r_left = r->each - received % r->each,
			 left = s_left < r_left ? s_left : r_left;
		if (left >= past - at)
			return c;
		c.sent += s_left == left;
		c.received += r_left == left;
	}
	c.is = c.sent != c.received;
	return c;
}

/* Does a loop receive messages that it sends; any of them in another iteration? */
static bool do_meet(const struct meeting *m, uint32_t sends, uint32_t receives, int64_t under, struct crossing *crossed)
{
	struct runs_walk s = runs_of(m, sends), r = runs_of(m, receives);
	bool meet = false;
	s.message = under > 0 ? (uint64_t)under : 0;
	r.message = under < 0 ? (uint64_t)-under : 0;
	while (s.runs && r.runs) {
		uint64_t s_past = s.message + run_messages(&s), r_past = r.message + run_messages(&r),
			 first = s.message > r.message ? s.message : r.message,
			 past = s_past < r_past ? s_past : r_past;
		if (first < past) {
			meet = true;
			if (!crossed->is)
				*crossed = first_crossing(&s, &r, first, past);
		}
		next_run(m, s_past <= r_past ? &s : &r);
	}
	return meet;
}

static void mark_crossed(struct meeting *m, uint32_t loop, const struct crossing *c, uint32_t how)
{
	if (m->stand[loop].divergent) {
		m->stand[loop].apart = true;
	} else if (how & OF_ONE) {
		m->stand[loop].alone = true;
	} else if (loop < m->facts.crossed) {
		m->facts.crossed = loop;
		m->sent = c->sent;
		m->received = c->received;
		m->crossed_on = m->family_channel[m->family];
	}
}

/* Iterations until one that may receive what it sends, or to the last. */
static uint64_t iterations_to_pass(int64_t under, int64_t sent, int64_t received, uint64_t left)
{
	int64_t net = sent - received, pass = INT64_MAX;
	if (-sent < under && under < received)
		pass = 1;
	else if (under >= received && net < 0)
		pass = (under - received) / -net + 1;
	else if (under <= -sent && net > 0)
		pass = (-sent - under) / net + 1;
	return (uint64_t)pass < left ? (uint64_t)pass : left;
}

/* A stretch of iterations in which each end does the same. */
static uint64_t walk_iterations(
	struct meeting *m, uint64_t times, uint32_t sends, uint32_t receives, int64_t *under, uint32_t how)
{
	int64_t sent = (int64_t)term_messages(m, sends), received = (int64_t)term_messages(m, receives);
	uint64_t irregular = 0;
	if (sent == received)
		return sent ? walk(m, sends, receives, *under, how) : 0;
	how |= times > 1 ? UNSURE : 0;
	for (uint64_t left = times, pass; left && !m->too_much;
		left -= pass, *under += (int64_t)pass * (sent - received)) {
		irregular += walk(m, sends, receives, *under, how);
		pass = left > 1 ? iterations_to_pass(*under, sent, received, left - 1) : 1;
		m->too_much |= !m->left;
		m->left -= m->left > 0;
	}
	return irregular;
}

/* Both ends are in the loop. */
static uint64_t walk_loop(struct meeting *m, uint32_t sends, uint32_t receives, int64_t *under, uint32_t how)
{
	size_t runs[2];
	uint32_t loop = item_statement(m, sends);
	const uint64_t *run[] = {item_runs(m, sends, &runs[0]), item_runs(m, receives, &runs[1])};
	uint64_t left[] = {run[0][0], run[1][0]}, irregular = 0;
	struct crossing crossed = {0};
	if (do_meet(m, sends, receives, *under, &crossed) && !(how & OF_ONE))
		m->stand[loop].joint = true;
	if (crossed.is)
		mark_crossed(m, loop, &crossed, how);
	while (runs[0] || runs[1]) {
		bool both = runs[0] && runs[1];
		uint64_t times = runs[0] && (!both || left[0] <= left[1]) ? left[0] : left[1];
		irregular += walk_iterations(m, times, runs[0] ? (uint32_t)run[0][1] : TERM_NOTHING,
			runs[1] ? (uint32_t)run[1][1] : TERM_NOTHING, under, how);
		for (int i = 0; i < 2; i++) {
			if (!runs[i] || (left[i] -= times))
				continue;
			run[i] += 2;
			left[i] = --runs[i] ? run[i][0] : 0;
		}
	}
	return irregular;
}

/* Constructs of one body that carry parts of each other's messages. */
static uint64_t irregular_links(const struct meeting *m, uint32_t sends, uint32_t receives)
{
	size_t length[2], at[2] = {0, 0};
	const uint32_t *item[] = {term_items(m, sends, &length[0]), term_items(m, receives, &length[1])};
	uint64_t first[2] = {0, 0}, past[2], irregular = 0;
	while (at[0] < length[0] && at[1] < length[1]) {
		for (int i = 0; i < 2; i++)
			past[i] = first[i] + item_messages(m, item[i][at[i]]);
		bool meet = first[0] < past[1] && first[1] < past[0];
		irregular += meet && (first[0] != first[1] || past[0] != past[1]);
		int next = past[0] <= past[1] ? 0 : 1;
		first[next] = past[next];
		at[next]++;
	}
	return irregular;
}

/* under: messages sent and not received where the bodies begin. Gives the links that are
   irregular; what was walked before is not walked again. */
static uint64_t walk(struct meeting *m, uint32_t sends, uint32_t receives, int64_t under, uint32_t how)
{
	bool sync = how & OF_SYNC;
	if (under < 0 || (sync && under))
		how |= UNSURE;
	uint64_t key[] = {(uint64_t)sends << 32 | receives, (uint64_t)under, how};
	uint32_t known = intern_count(m->walked), id = intern_id(m->walked, key, sizeof key);
	if (id < known)
		return m->irregular[id];
	size_t length[2], i = 0, k = 0;
	const uint32_t *s = term_items(m, sends, &length[0]), *r = term_items(m, receives, &length[1]);
	uint64_t irregular = irregular_links(m, sends, receives);
	while (i < length[0] || k < length[1]) {
		uint32_t sent = i < length[0] ? item_statement(m, s[i]) : UINT32_MAX,
			 received = k < length[1] ? item_statement(m, r[k]) : UINT32_MAX;
		if (sent == received && item_repeats(s[i])) {
			irregular += walk_loop(m, s[i], r[k], &under, how);
		} else {
			under += sent <= received ? (int64_t)item_messages(m, s[i]) : 0;
			under -= received <= sent ? (int64_t)item_messages(m, r[k]) : 0;
			if (under < 0 || (sync && under))
				mark_early(m, sent < received ? sent : received, how,
					has_repetition(s, length[0]) || has_repetition(r, length[1]));
		}
		bool sends_here = sent <= received, receives_here = received <= sent;
		i += sends_here;
		k += receives_here;
	}
	m->irregular = mem_grow(m->irregular, &m->irregular_capacity, (size_t)id + 1, sizeof *m->irregular);
	return m->irregular[id] = irregular;
}

static void walk_families(struct meeting *m)
{
	struct meeting_facts *f = &m->facts;
	for (uint32_t i = 0; i < intern_count(m->ends.channels); i++)
		if (!ends_is_collective(&m->ends, i))
			add_family(m, i, m->channel[i].term[0], m->channel[i].term[1]);
	f->families = intern_count(m->families);
	for (m->family = 0; m->family < f->families && !m->too_much; m->family++) {
		uint32_t key[3];
		memcpy(key, intern_data(m->families, m->family, NULL), sizeof key);
		f->irregular = saturating_add(f->irregular,
			saturating_multiply(m->family_size[m->family], walk(m, key[0], key[1], 0, key[2])));
	}
}

/* ------------------------------------------------------------------ channels that are not complete */

static void put_plural(struct text *out, uint64_t n, const char *noun)
{
	text_format(out, "%" PRIu64 " %s%s", n, noun, n == 1 ? "" : "s");
}

static void put_ordinal(struct text *out, uint64_t n)
{
	static const char *const suffix[] = {"th", "st", "nd", "rd"};
	bool teen = n / 10 % 10 == 1;
	text_format(out, "%" PRIu64 "%s", n, suffix[!teen && n % 10 < 4 ? n % 10 : 0]);
}

/* How often a member came to a collective. */
struct member {
	uint64_t times;
	uint32_t process;
};

static int by_times(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	if (x->times != y->times)
		return x->times < y->times ? -1 : 1;
	return x->process < y->process ? -1 : x->process > y->process;
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
		text_put(line, " only ");
		put_plural(line, member->times, "time");
		text_put(line, " (the ");
		put_ordinal(line, member->times + 1);
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
	put_plural(line, most, "time");
	text_put(line, ", but ");
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
	put_plural(out, x->sent, "send");
	text_put(out, ", ");
	put_plural(out, x->received, "receive");
}

/* In the order of the text, each by processes. */
static int by_first_end(const void *a, const void *b)
{
	const struct unmatched *x = a, *y = b;
	if (x->statement != y->statement)
		return x->statement < y->statement ? -1 : 1;
	return x->channel < y->channel ? -1 : x->channel > y->channel;
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
		uint64_t sent = term_messages(m, c->term[0]), received = term_messages(m, c->term[1]);
		if (ends_is_collective(&m->ends, i)) {
			group = ends_group(&m->ends, i);
			if (!c->differs && c->term[1] == ranks_count(&group))
				continue;
		} else if (sent == received) {
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

/* ... unless the process meets others in that loop. */
static bool meets_others(const struct meeting *m, uint32_t loop, uint32_t *channel)
{
	struct ranks others = {0};
	uint32_t channels = intern_count(m->ends.channels);
	bool found = false;
	for (uint32_t i = 0; i < channels; i++) {
		const struct met_channel *c = &m->channel[i];
		const struct channel_key *key = ends_key(&m->ends, i);
		struct ranks group = {0};
		struct ranks_walk next = {0};
		if (!term_has(m, c->term[0], loop) || (!(c->how & OF_SYNC) && !term_has(m, c->term[1], loop)))
			continue;
		if (c->how & OF_SYNC)
			group = ends_group(&m->ends, i);
		for (uint32_t p; ranks_count(&group) > 1 && ranks_next(&group, &next, &p);)
			ranks_add(&others, p);
		if (!(c->how & (OF_SYNC | OF_ONE))) {
			ranks_add(&others, key->from);
			ranks_add(&others, key->to);
		}
	}
	for (uint32_t i = 0; !found && i < channels; i++) {
		const struct met_channel *c = &m->channel[i];
		*channel = i;
		found = c->how & OF_ONE && term_has(m, c->term[0], loop) && term_has(m, c->term[1], loop) &&
			ranks_has(&others, ends_key(&m->ends, i)->from);
	}
	ranks_clear(&others);
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

/* Recursion as deep as statements nest. */
static void note_body(struct meeting *m, node_id body, uint32_t at, uint32_t around)
{
	const struct node *b = node_of(m->store, body);
	for (uint32_t i = 0; i < b->kids; at += node_of(m->store, b->kid[i++])->statements) {
		const struct node *n = node_of(m->store, b->kid[i]);
		bool loop = n->kind == NODE_LOOP;
		m->stand[at] = (struct stand){.node = b->kid[i],
			.around = around,
			.divergent = loop && node_of(m->store, n->kid[1])->uses[FOR_ALL] & USES_PROCESS};
		if (n->kind != NODE_EVENT)
			note_body(m, n->kid[2], at + 1, loop ? at : around);
	}
}

/* ------------------------------------------------------------------ in public */

static void forget(struct meeting *m)
{
	struct intern *tables[] = {m->terms, m->repetitions, m->families, m->walked};
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
	m->walked = intern_new_keys(3 * sizeof(uint64_t));
	m->purpose = purpose;
	m->left = m->budget;
	m->too_much = m->unsure = false;
	m->facts = (struct meeting_facts){
		.complete = true, .crossed = MEETING_NOWHERE, .misplaced = MEETING_NOWHERE, .order = ORDER_UNKNOWN};
	m->stand[m->statements] = (struct stand){0};
	note_body(m, run_module(m->run)->body, 0, SCOPE_ROOT);
}

bool meeting_examine(struct meeting *m, enum purpose purpose)
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
	return !m->ends.any_function ||
	       (f->complete && !f->irregular && !f->apart && f->crossed == MEETING_NOWHERE && f->order == ORDER_TEXT);
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
	if (!meeting_examine(m, FOR_PEER) && m->left && !m->facts.failure)
		meeting_examine(m, FOR_CHANNEL);
	return m;
}

void meeting_free(struct meeting *m)
{
	if (!m)
		return;
	forget(m);
	void *owned[] = {m->stand, m->at.index, m->items.item, m->term_count, m->repetition_count, m->channel,
		m->family_size, m->family_channel, m->irregular, m};
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
}

const struct meeting_facts *meeting_facts(const struct meeting *m)
{
	return &m->facts;
}
