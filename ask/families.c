/*
 * families.c -- the walk over both ends of a channel, once for each family.
 */
#include "ask/families.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/execution.h"
#include "ask/family_work.h"
#include "base/mem.h"
#include "base/saturate.h"

/* ------------------------------------------------------------------ families */

static void add_family(struct family_work *w, uint32_t channel, uint32_t sends, uint32_t receives, uint32_t how)
{
	uint32_t key[] = {sends, receives, how}, known = intern_count(w->families),
		 id = intern_id(w->families, key, sizeof key);
	if (id == known) {
		w->family_size = mem_grow(w->family_size, &w->size_capacity, (size_t)id + 1, sizeof *w->family_size);
		w->family_channel =
			mem_grow(w->family_channel, &w->first_capacity, (size_t)id + 1, sizeof *w->family_channel);
		w->family_size[id] = 0;
		w->family_channel[id] = channel;
	}
	w->family_size[id]++;
}

/* An event that was met on a channel. */
static struct plain_event family_event(const struct family_work *w, const struct channel_ends *c)
{
	struct plain_event e;
	memcpy(&e, intern_data(w->forms, c->form, NULL), sizeof e);
	e.process = c->process;
	e.peer = c->peer;
	return e;
}

uint32_t family_how(const struct family_work *w, const struct channel_ends *c)
{
	struct plain_event e = family_event(w, c);
	return OF_SYNC | (execution_waits(w->program->dictionary, &e) ? 0 : OF_FREE);
}

static bool project_process(struct family_work *w, uint32_t rank)
{
	size_t length;
	const struct projection_entry *entry = projection_list(w->projection, rank, &length);
	w->spot = grid_spot(&w->program->grid, rank);
	w->spot.index = w->index;
	w->items.length = 0;
	bool good = family_project(w, entry, entry + length);
	family_close_body(w, 0);
	for (size_t i = 0; i < w->items.length; i++) {
		uint32_t id = w->items.entry[i].end >> 1, term = w->items.entry[i].item;
		struct channel_ends *c = &w->channel[id];
		if (!family_is_sync(w, c))
			c->term[w->items.entry[i].end & 1] = term;
		else if (c->term[1]++)
			add_family(w, id, c->term[0], term, family_how(w, c));
		else
			c->term[0] = term;
	}
	return good && !w->huge;
}

/* ------------------------------------------------------------------ the walk over both ends */

/* What loops inside pass on may be what is received, which no listing can help. */
static bool has_repetition(const uint32_t *item, size_t length)
{
	bool any = false;
	for (size_t i = 0; i < length && !any; i++)
		any = family_is_repetition(item[i]);
	return any;
}

static void mark_early(struct family_work *w, size_t at, uint32_t how, bool among_loops)
{
	if (how & OF_FREE)
		return;
	w->early[at] = true;
	w->unsure = w->unsure || how & UNSURE;
	if (!(how & (OF_SYNC | OF_ONE | UNSURE)) && !among_loops && w->around[at] != FAMILY_ROOT &&
		at < w->found->misplaced)
		w->found->misplaced = at;
}

static uint64_t walk(struct family_work *w, uint32_t sends, uint32_t receives, int64_t under, uint32_t how);

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

static void enter_run(const struct family_work *w, struct runs_walk *r)
{
	r->each = r->runs ? family_messages(w, (uint32_t)r->run[1]) : 0;
}

static struct runs_walk runs_of(const struct family_work *w, uint32_t item)
{
	struct runs_walk r = {0};
	r.run = family_runs(w, item, &r.runs) + 1;
	enter_run(w, &r);
	return r;
}

static void next_run(const struct family_work *w, struct runs_walk *r)
{
	r->message += run_messages(r);
	r->iteration += r->run[0];
	r->run += 2;
	r->runs--;
	enter_run(w, r);
}

/* A message that is sent in one iteration of a loop, and received in another. */
struct crossing {
	bool is;
	uint64_t sent, received;
};

/* Of stretches that begin with the same message, and end behind `past`. */
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
static bool do_meet(
	const struct family_work *w, uint32_t sends, uint32_t receives, int64_t under, struct crossing *crossed)
{
	struct runs_walk s = runs_of(w, sends), r = runs_of(w, receives);
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
		next_run(w, s_past <= r_past ? &s : &r);
	}
	return meet;
}

static void mark_crossed(struct family_work *w, size_t loop, const struct crossing *c, uint32_t how)
{
	if (w->divergent[loop]) {
		w->apart[loop] = true;
	} else if (how & OF_ONE) {
		w->alone[loop] = true;
	} else if (loop < w->found->crossed) {
		w->found->crossed = loop;
		w->found->sent = c->sent;
		w->found->received = c->received;
		w->crossed_on = w->family_channel[w->family];
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
	struct family_work *w, uint64_t times, uint32_t sends, uint32_t receives, int64_t *under, uint32_t how)
{
	int64_t sent = (int64_t)family_messages(w, sends), received = (int64_t)family_messages(w, receives);
	uint64_t irregular = 0;
	if (sent == received)
		return sent ? walk(w, sends, receives, *under, how) : 0;
	how |= times > 1 ? UNSURE : 0;
	for (uint64_t left = times, pass; left; left -= pass, *under += (int64_t)pass * (sent - received)) {
		irregular += walk(w, sends, receives, *under, how);
		pass = left > 1 ? iterations_to_pass(*under, sent, received, left - 1) : 1;
		w->huge = w->huge || !w->budget;
		if (w->huge)
			break;
		w->budget--;
	}
	return irregular;
}

/* Both ends are in the loop. */
static uint64_t walk_loop(struct family_work *w, uint32_t sends, uint32_t receives, int64_t *under, uint32_t how)
{
	size_t runs[2], loop = family_item_statement(w, sends);
	const uint64_t *run[] = {family_runs(w, sends, &runs[0]) + 1, family_runs(w, receives, &runs[1]) + 1};
	uint64_t left[] = {run[0][0], run[1][0]}, irregular = 0;
	struct crossing crossed = {0};
	if (do_meet(w, sends, receives, *under, &crossed) && !(how & OF_ONE))
		w->joint[loop] = true;
	if (crossed.is)
		mark_crossed(w, loop, &crossed, how);
	while (runs[0] || runs[1]) {
		bool both = runs[0] && runs[1];
		uint64_t times = runs[0] && (!both || left[0] <= left[1]) ? left[0] : left[1];
		irregular += walk_iterations(w, times, runs[0] ? (uint32_t)run[0][1] : FAMILY_NOTHING,
			runs[1] ? (uint32_t)run[1][1] : FAMILY_NOTHING, under, how);
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
static uint64_t irregular_links(const struct family_work *w, uint32_t sends, uint32_t receives)
{
	size_t length[2], at[2] = {0, 0};
	const uint32_t *item[] = {family_items(w, sends, &length[0]), family_items(w, receives, &length[1])};
	uint64_t first[2] = {0, 0}, past[2], irregular = 0;
	while (at[0] < length[0] && at[1] < length[1]) {
		for (int i = 0; i < 2; i++)
			past[i] = first[i] + family_item_messages(w, item[i][at[i]]);
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
static uint64_t walk(struct family_work *w, uint32_t sends, uint32_t receives, int64_t under, uint32_t how)
{
	bool sync = how & OF_SYNC;
	if (under < 0 || (sync && under))
		how |= UNSURE;
	uint64_t key[] = {(uint64_t)sends << 32 | receives, (uint64_t)under, how};
	uint32_t known = intern_count(w->walked), id = intern_id(w->walked, key, sizeof key);
	if (id < known)
		return w->irregular[id];
	size_t length[2], i = 0, k = 0;
	const uint32_t *s = family_items(w, sends, &length[0]), *r = family_items(w, receives, &length[1]);
	uint64_t irregular = irregular_links(w, sends, receives);
	while (i < length[0] || k < length[1]) {
		size_t sent = i < length[0] ? family_item_statement(w, s[i]) : SIZE_MAX,
		       received = k < length[1] ? family_item_statement(w, r[k]) : SIZE_MAX;
		if (sent == received && family_is_repetition(s[i])) {
			irregular += walk_loop(w, s[i], r[k], &under, how);
		} else {
			under += sent <= received ? (int64_t)family_item_messages(w, s[i]) : 0;
			under -= received <= sent ? (int64_t)family_item_messages(w, r[k]) : 0;
			if (under < 0 || (sync && under))
				mark_early(w, sent < received ? sent : received, how,
					has_repetition(s, length[0]) || has_repetition(r, length[1]));
		}
		bool sends_here = sent <= received, receives_here = received <= sent;
		i += sends_here;
		k += receives_here;
	}
	w->irregular = mem_grow(w->irregular, &w->irregular_capacity, (size_t)id + 1, sizeof *w->irregular);
	return w->irregular[id] = irregular;
}

static void put_channel(const struct family_work *w, uint32_t channel, struct text *out)
{
	struct plain_event event = family_event(w, &w->channel[channel]), *e = &event;
	const struct dictionary *d = w->program->dictionary;
	if (e->kind == EVENT_SYNC) {
		struct ranks group = dictionary_get_ranks(d, e->group);
		text_format(out, "%s on ", dictionary_get_word(d, e->word));
		ranks_print(&group, out);
		if (e->communicator != NO_COMMUNICATOR)
			text_format(out, "@%" PRId64, e->communicator);
		return;
	}
	bool sends = e->kind == EVENT_SEND;
	struct tag tag = {e->word, e->numbered, e->number, e->communicator};
	text_format(out, "%" PRIu32 " -> %" PRIu32 " ", sends ? e->process : e->peer, sends ? e->peer : e->process);
	tag_print(d, &tag, out);
}

static void note_unbalanced(struct family_work *w, uint32_t channel, uint64_t sent, uint64_t received)
{
	w->found->complete = false;
	if (w->found->unbalanced.length)
		return;
	put_channel(w, channel, &w->found->unbalanced);
	text_format(&w->found->unbalanced, ": %" PRIu64 " and %" PRIu64, sent, received);
}

static void make_families(struct family_work *w)
{
	for (uint32_t i = 0; i < intern_count(w->channels); i++) {
		const struct channel_ends *c = &w->channel[i];
		if (!family_is_sync(w, c)) {
			add_family(w, i, c->term[0], c->term[1], c->process == c->peer ? OF_ONE : 0);
			continue;
		}
		struct ranks group = dictionary_get_ranks(w->program->dictionary, family_event(w, c).group);
		if (c->term[1] != ranks_count(&group))
			note_unbalanced(w, i, c->term[1], ranks_count(&group));
	}
}

static void walk_families(struct family_work *w)
{
	struct families *f = w->found;
	f->count = intern_count(w->families);
	for (w->family = 0; w->family < f->count; w->family++) {
		uint32_t key[3];
		memcpy(key, intern_data(w->families, w->family, NULL), sizeof key);
		f->irregular = saturating_add(f->irregular,
			saturating_multiply(w->family_size[w->family], walk(w, key[0], key[1], 0, key[2])));
		if (family_messages(w, key[0]) != family_messages(w, key[1]))
			note_unbalanced(w, w->family_channel[w->family], family_messages(w, key[0]),
				family_messages(w, key[1]));
	}
}

/* --------------------------------------- what a process tells itself is its own matter */

static bool term_has(const struct family_work *w, uint32_t term, size_t loop)
{
	size_t length, runs;
	const uint32_t *item = family_items(w, term, &length);
	for (size_t i = 0; i < length; i++) {
		size_t at = family_item_statement(w, item[i]);
		if (at == loop)
			return true;
		if (at > loop || at + statement_size(&w->program->statement[at]) <= loop)
			continue;
		const uint64_t *run = family_runs(w, item[i], &runs) + 1;
		for (; runs; runs--, run += 2)
			if (term_has(w, (uint32_t)run[1], loop))
				return true;
	}
	return false;
}

/* ... unless the process meets others in that loop. */
static bool meets_others(const struct family_work *w, size_t loop, uint32_t *channel)
{
	struct ranks others = {0};
	bool found = false;
	for (uint32_t i = 0; i < intern_count(w->channels); i++) {
		const struct channel_ends *c = &w->channel[i];
		bool sync = family_is_sync(w, c);
		if (!term_has(w, c->term[0], loop) || (!sync && !term_has(w, c->term[1], loop)))
			continue;
		struct ranks group = {0};
		if (sync)
			group = dictionary_get_ranks(w->program->dictionary, family_event(w, c).group);
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_count(&group) > 1 && ranks_next(&group, &walk, &p);)
			ranks_add(&others, p);
		if (!sync && c->process != c->peer) {
			ranks_add(&others, c->process);
			ranks_add(&others, c->peer);
		}
	}
	for (uint32_t i = 0; !found && i < intern_count(w->channels); i++) {
		const struct channel_ends *c = &w->channel[i];
		*channel = i;
		found = !family_is_sync(w, c) && c->process == c->peer && term_has(w, c->term[0], loop) &&
			term_has(w, c->term[1], loop) && ranks_has(&others, c->process);
	}
	ranks_clear(&others);
	return found;
}

/* ------------------------------------------------------------------ in public */

/* Returns the indices that are used inside, a bit each. Recursion as deep as loops nest. */
static uint32_t note_loops(struct family_work *w, size_t from, size_t to, size_t around, uint32_t depth)
{
	const struct statement *s = w->program->statement;
	uint32_t all = 0;
	for (size_t i = from; i < to; i += statement_size(&s[i])) {
		uint32_t used = program_indices(w->program, &s[i]);
		w->around[i] = around;
		w->depth[i] = depth;
		if (statement_is_loop(&s[i])) {
			bool guard = statement_guard(&s[i]) != GUARD_NONE;
			struct value count = program_bound(w->program, &s[i]);
			uint32_t inside = note_loops(w, i + 1, i + s[i].size, guard ? around : i, depth + 1);
			w->varies[i] = depth < INDEX_DEPTH && inside >> depth & 1;
			w->divergent[i] = !guard && !value_is_uniform(&count);
			used |= inside;
		}
		all |= used;
	}
	return all;
}

/* At the least, by the counts of the first process in the first iterations. */
static uint64_t events_to_project(const struct family_work *w, size_t from, size_t to)
{
	uint64_t sum = 0;
	for (size_t i = from; i < to; i += statement_size(&w->program->statement[i])) {
		const struct statement *s = &w->program->statement[i];
		struct ranks_run single;
		if (!statement_is_loop(s)) {
			struct ranks who = program_processes(w->program, s, &single);
			sum = saturating_add(sum, ranks_count(&who));
			continue;
		}
		uint64_t inside = events_to_project(w, i + 1, i + s->size);
		sum = saturating_add(sum,
			w->varies[i] ? saturating_multiply(inside, program_count(w->program, i, w->index)) : inside);
	}
	return sum;
}

static struct family_work work_new(struct program *program, uint64_t budget, struct families *found)
{
	size_t length = program->length;
	struct family_work w = {.program = program, .budget = budget, .found = found};
	w.projection = projection_new(program, NULL);
	w.event = length <= FAMILY_STATEMENTS ? mem_zero(length * sizeof *w.event) : NULL;
	w.around = mem_array(length, sizeof *w.around);
	w.depth = mem_array(length, sizeof *w.depth);
	bool **flags[] = {&w.varies, &w.divergent, &w.joint, &w.apart, &w.alone, &w.early};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		*flags[i] = mem_zero(length * sizeof **flags[i]);
	w.terms = intern_new();
	w.repetitions = intern_new();
	w.channels = intern_new_keys(sizeof(uint64_t));
	w.forms = intern_new_keys(sizeof(struct plain_event));
	w.families = intern_new_keys(3 * sizeof(uint32_t));
	w.walked = intern_new_keys(3 * sizeof(uint64_t));
	note_loops(&w, 0, length, FAMILY_ROOT, 0);
	return w;
}

static void work_clear(struct family_work *w)
{
	for (size_t i = 0; w->event && i < w->program->length; i++)
		free(w->event[i]);
	void *owned[] = {w->event, w->around, w->depth, w->varies, w->divergent, w->joint, w->apart, w->alone, w->early,
		w->items.entry, w->term_count, w->repetition_count, w->channel, w->family_size, w->family_channel,
		w->irregular};
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
	struct intern *tables[] = {w->terms, w->repetitions, w->channels, w->forms, w->families, w->walked};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		intern_free(tables[i]);
	projection_free(w->projection);
}

static void count_loops(struct family_work *w)
{
	struct families *f = w->found;
	for (size_t i = 0; i < w->program->length; i++) {
		uint32_t channel;
		if (w->alone[i] && w->joint[i] && i < f->crossed && meets_others(w, i, &channel)) {
			f->crossed = i;
			f->sent = f->received = 0;
			w->crossed_on = channel;
		}
		f->apart += w->apart[i];
		f->joint += w->joint[i] && !w->apart[i];
	}
	if (f->crossed == FAMILIES_NONE)
		return;
	put_channel(w, w->crossed_on, &f->channel);
	bool sync = family_is_sync(w, &w->channel[w->crossed_on]);
	if (f->sent != f->received)
		text_format(&f->channel,
			sync ? ": one comes to it in iteration %" PRIu64 ", another in %" PRIu64
			     : ": what iteration %" PRIu64 " sends is received in iteration %" PRIu64,
			f->sent, f->received);
}

bool families_of(struct program *program, uint64_t budget, struct families *f)
{
	*f = (struct families){.complete = true, .crossed = FAMILIES_NONE, .misplaced = FAMILIES_NONE};
	struct family_work w = work_new(program, budget, f);
	bool good = events_to_project(&w, 0, program->length) <= budget;
	for (uint32_t p = 0; good && p < program->processes; p++)
		good = project_process(&w, p);
	if (good) {
		make_families(&w);
		walk_families(&w);
		good = !w.huge;
	}
	if (good) {
		count_loops(&w);
		w.budget = budget;
		family_find_order(&w);
	}
	work_clear(&w);
	return good;
}

void families_clear(struct families *f)
{
	text_clear(&f->unbalanced);
	text_clear(&f->channel);
	*f = (struct families){0};
}
