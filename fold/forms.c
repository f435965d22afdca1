/*
 * forms.c -- events grouped by what they have in common, and each group explained by few functions.
 *
 * Messages of one tag are a population (places.h) whose peers are explained together, sends and receives on their own. Where processes use tags of
 * one stem with numbers of their own, so that there are many more numbers than any process uses, peers are explained regardless of the
 * number, and then the numbers (values.h), if that takes fewer forms. Groups of collectives of one name are lines of the grid or stand as they are.
 */
#include "fold/forms.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold/infer.h"
#include "fold/values.h"

#define NONE UINT32_MAX
#define HOPELESS SIZE_MAX

/* Numbers beyond are not computed with. */
#define NUMBER_LIMIT (UINT64_C(1) << 50)

/* Clusters of so many forms are not searched for events that have several. */
#define ALIASED 128

struct message {
	uint32_t event, kind, stem, numbered;
	uint64_t number;
	uint32_t communicator; /* a value's id */
	uint32_t p, q;
	uint32_t place, value; /* what explains them: ids; value NONE: the number itself */
};

/* Event and form: the form is another one that the event has. */
struct alias {
	uint32_t event, form;
};

struct chooser {
	const struct model *model;
	struct program *to;
	const struct fold_options *options;
	uint32_t *form_of;
	struct message *message;
	size_t messages, message_capacity;
	uint32_t *sync; /* events */
	size_t syncs, sync_capacity;
	struct intern *values, *places;
	struct intern *keys; /* of forms of messages, whose ids are in `form` */
	uint32_t *form;
	size_t form_capacity;
	struct pair *all; /* different pairs of all messages */
	size_t alls;
	struct alias *alias;
	size_t aliases, alias_capacity;
	bool offsets;
};

/* ------------------------------------------------------------------ the events that there are */

static uint32_t word_of(struct chooser *c, uint32_t word)
{
	const char *text = dictionary_get_word(c->model->dictionary, word);
	return dictionary_word(c->to->dictionary, text, strlen(text));
}

static uint32_t value_id(struct chooser *c, struct value v)
{
	return intern_id(c->values, &v, sizeof v);
}

static void take_message(struct chooser *c, uint32_t event, const struct event *e)
{
	const struct tag *tag = dictionary_get_tag(c->model->dictionary, e->subject);
	c->message = mem_grow(c->message, &c->message_capacity, c->messages + 1, sizeof *c->message);
	c->message[c->messages++] = (struct message){.event = event,
		.kind = e->kind,
		.stem = tag->stem,
		.numbered = tag->numbered,
		.number = tag->numbered ? tag->number : 0,
		.communicator = value_id(c, value_of(tag->communicator)),
		.p = e->process,
		.q = e->peer,
		.value = NONE};
}

static void take_local(struct chooser *c, uint32_t event, const struct event *e)
{
	struct form form;
	memset(&form, 0, sizeof form);
	form.kind = EVENT_LOCAL;
	form.communicator = value_of(NO_COMMUNICATOR);
	form.word = word_of(c, e->subject);
	c->form_of[event] = program_form(c->to, &form);
}

static void take_event(struct chooser *c, uint32_t event, bool *taken)
{
	if (node_is_loop(event) || taken[event])
		return;
	taken[event] = true;
	const struct event *e = dictionary_get_event(c->model->dictionary, event);
	if (e->kind == EVENT_LOCAL) {
		take_local(c, event, e);
	} else if (e->kind == EVENT_SYNC) {
		c->sync = mem_grow(c->sync, &c->sync_capacity, c->syncs + 1, sizeof *c->sync);
		c->sync[c->syncs++] = event;
	} else {
		take_message(c, event, e);
	}
}

static void take_events(struct chooser *c)
{
	const struct nest *nest = c->model->nest;
	bool *taken = mem_zero(dictionary_events(c->model->dictionary));
	for (size_t i = 0; i < nest->items; i++)
		take_event(c, nest->item[i], taken);
	for (size_t i = 0; i < nest->root_length; i++)
		take_event(c, nest->root[i], taken);
	free(taken);
}

/* ------------------------------------------------------------------ messages in order */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_stem(const struct message *x, const struct message *y)
{
	int order = compare(x->kind, y->kind);
	order = order ? order : compare(x->stem, y->stem);
	return order ? order : compare(x->numbered, y->numbered);
}

static int by_pair(const struct message *x, const struct message *y)
{
	int order = compare(x->p, y->p);
	return order ? order : compare(x->q, y->q);
}

static int by_tag(const void *a, const void *b)
{
	const struct message *x = a, *y = b;
	int order = by_stem(x, y);
	order = order ? order : compare(x->number, y->number);
	order = order ? order : by_pair(x, y);
	return order ? order : compare(x->communicator, y->communicator);
}

static int by_communicator(const void *a, const void *b)
{
	const struct message *x = a, *y = b;
	int order = by_stem(x, y);
	order = order ? order : compare(x->communicator, y->communicator);
	order = order ? order : compare(x->number, y->number);
	return order ? order : by_pair(x, y);
}

static int by_pair_and_number(const void *a, const void *b)
{
	const struct message *x = a, *y = b;
	int order = by_pair(x, y);
	return order ? order : compare(x->number, y->number);
}

static void sort_messages(struct message *m, size_t count, int (*order)(const void *, const void *))
{
	if (count)
		qsort(m, count, sizeof *m, order);
}

static bool same_tag(const struct message *x, const struct message *y)
{
	return !by_stem(x, y) && x->number == y->number;
}

/* The end of the run of messages of one tag that starts at `from`. */
static size_t tag_end(const struct message *m, size_t from, size_t count)
{
	size_t to = from;
	while (to < count && same_tag(&m[from], &m[to]))
		to++;
	return to;
}

/* Different pairs of messages sorted by pair; the caller frees them. */
static struct pair *pairs_of(const struct message *m, size_t count, size_t *pairs)
{
	struct pair *pair = mem_array(count, sizeof *pair);
	*pairs = 0;
	for (size_t i = 0; i < count; i++)
		if (!i || m[i].p != m[i - 1].p || m[i].q != m[i - 1].q)
			pair[(*pairs)++] = (struct pair){m[i].p, m[i].q};
	return pair;
}

/* ------------------------------------------------------------------ the grid */

static struct ranks group_of(const struct chooser *c, uint32_t sync)
{
	const struct event *e = dictionary_get_event(c->model->dictionary, sync);
	return dictionary_get_ranks(c->model->dictionary, dictionary_get_sync(c->model->dictionary, e->subject)->group);
}

static const struct sync *channel_of(const struct chooser *c, uint32_t sync)
{
	return dictionary_get_sync(c->model->dictionary, dictionary_get_event(c->model->dictionary, sync)->subject);
}

struct named_group {
	uint32_t name, group;
};

static int by_name_and_group(const void *a, const void *b)
{
	const struct named_group *x = a, *y = b;
	int order = compare(x->name, y->name);
	return order ? order : compare(x->group, y->group);
}

static int by_group(const void *a, const void *b)
{
	const struct named_group *x = a, *y = b;
	return compare(x->group, y->group);
}

/* Different groups, where a name has several. */
static struct ranks *several_groups(const struct chooser *c, size_t *count)
{
	struct named_group *named = mem_array(c->syncs, sizeof *named);
	size_t kept = 0;
	for (size_t i = 0; i < c->syncs; i++)
		named[i] = (struct named_group){channel_of(c, c->sync[i])->name, channel_of(c, c->sync[i])->group};
	if (c->syncs)
		qsort(named, c->syncs, sizeof *named, by_name_and_group);
	for (size_t from = 0, to; from < c->syncs; from = to) {
		for (to = from; to < c->syncs && named[to].name == named[from].name;)
			to++;
		if (named[from].group == named[to - 1].group)
			continue;
		for (size_t i = from; i < to; i++)
			named[kept++] = named[i];
	}
	if (kept)
		qsort(named, kept, sizeof *named, by_group);
	struct ranks *group = mem_array(kept, sizeof *group);
	*count = 0;
	for (size_t i = 0; i < kept; i++)
		if (!i || named[i].group != named[i - 1].group)
			group[(*count)++] = dictionary_get_ranks(c->model->dictionary, named[i].group);
	free(named);
	return group;
}

static int by_ranks(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int order = compare(x->p, y->p);
	return order ? order : compare(x->q, y->q);
}

static void gather_pairs(struct chooser *c)
{
	c->all = mem_array(c->messages, sizeof *c->all);
	for (size_t i = 0; i < c->messages; i++)
		c->all[i] = (struct pair){c->message[i].p, c->message[i].q};
	if (c->messages)
		qsort(c->all, c->messages, sizeof *c->all, by_ranks);
	for (size_t i = 0; i < c->messages; i++)
		if (!c->alls || by_ranks(&c->all[c->alls - 1], &c->all[i]))
			c->all[c->alls++] = c->all[i];
}

static void find_grid(struct chooser *c)
{
	size_t populations = 0, capacity = 0, groups;
	struct population *population = NULL;
	struct ranks *group = several_groups(c, &groups);
	for (size_t from = 0, to; from < c->messages; from = to) {
		to = tag_end(c->message, from, c->messages);
		population = mem_grow(population, &capacity, populations + 1, sizeof *population);
		struct population *p = &population[populations++];
		p->pair = pairs_of(c->message + from, to - from, &p->pairs);
	}
	c->to->grid = infer_grid(c->model->processes, population, populations, group, groups);
	for (size_t i = 0; i < populations; i++)
		free((struct pair *)population[i].pair);
	free(population);
	free(group);
}

/* ------------------------------------------------------------------ communicators */

static int64_t constant_of(const struct chooser *c, uint32_t value)
{
	const struct value *v = intern_data(c->values, value, NULL);
	return v->plain.constant;
}

static int by_figure(const void *a, const void *b)
{
	const struct figure *x = a, *y = b;
	int order = compare(x->p, y->p);
	return order ? order : compare(x->number, y->number);
}

/* Distinct and in order: returns how many. */
static size_t sort_figures(struct figure *f, size_t count)
{
	size_t kept = 0;
	if (count)
		qsort(f, count, sizeof *f, by_figure);
	for (size_t i = 0; i < count; i++)
		if (!kept || by_figure(&f[kept - 1], &f[i]))
			f[kept++] = f[i];
	return kept;
}

/* At least three different numbers that one function explains. */
static bool fit(const struct chooser *c, struct figure *f, size_t count, struct value *v)
{
	uint64_t other[2];
	size_t different = 0;
	count = sort_figures(f, count);
	for (size_t i = 0; i < count; i++) {
		bool known = different > 0 && f[i].number == other[0];
		known |= different > 1 && f[i].number == other[1];
		if (!known && different < 2)
			other[different] = f[i].number;
		different += !known && different < 3;
		if (f[i].number >= NUMBER_LIMIT || (i && f[i].p == f[i - 1].p))
			return false;
	}
	return different >= 3 && values_fit(f, count, &c->to->grid, v);
}

/* Where messages of one tag use different communicators: one function for all? */
static void explain_communicators(struct chooser *c)
{
	for (size_t from = 0, to; from < c->messages; from = to) {
		struct message *m = c->message + from;
		to = tag_end(c->message, from, c->messages);
		bool several = false;
		for (size_t i = 0; i < to - from; i++)
			several |= m[i].communicator != m->communicator;
		if (!several)
			continue;
		struct figure *f = mem_array(to - from, sizeof *f);
		for (size_t i = 0; i < to - from; i++)
			f[i] = (struct figure){m[i].p, 0, (uint64_t)constant_of(c, m[i].communicator)};
		struct value v;
		if (fit(c, f, to - from, &v))
			for (size_t i = 0; i < to - from; i++)
				m[i].communicator = value_id(c, v);
		free(f);
	}
}

/* ------------------------------------------------------------------ peers and numbers */

static enum place_choice choice_of(const struct chooser *c)
{
	return c->options->offsets_only ? CHOOSE_OFFSETS : CHOOSE_ALL;
}

static uint32_t place_id(struct chooser *c, const struct place *p)
{
	return intern_id(c->places, p, sizeof *p);
}

/* Messages of one tag and communicator: how many functions? */
static size_t explain_tag(struct chooser *c, struct message *m, size_t count)
{
	size_t pairs;
	struct pair *pair = pairs_of(m, count, &pairs);
	struct places places;
	places_choose(&places, pair, pairs, &c->to->grid, choice_of(c), c->all, c->alls);
	uint32_t *id = mem_array(places.count, sizeof *id);
	for (uint32_t k = 0; k < places.count; k++)
		id[k] = place_id(c, &places.place[k]);
	for (size_t i = 0, k = 0; i < count; i++) {
		k += i && by_pair(&m[i], &m[i - 1]);
		m[i].place = id[places.of[k]];
		m[i].value = NONE;
	}
	free(id);
	size_t functions = places.count;
	places_clear(&places);
	free(pair);
	return functions;
}

static size_t explain_tags(struct chooser *c, struct message *m, size_t count)
{
	size_t functions = 0;
	for (size_t from = 0, to; from < count; from = to) {
		to = tag_end(m, from, count);
		functions += explain_tag(c, m + from, to - from);
	}
	return functions;
}

static int by_turn(const void *a, const void *b)
{
	const struct figure *x = a, *y = b;
	int order = compare(x->p, y->p);
	return order ? order : compare(x->turn, y->turn);
}

/* Events are numbered as they come: the turn of a number is its place among those of its process. */
static void take_turns(struct figure *f, size_t figures)
{
	if (figures)
		qsort(f, figures, sizeof *f, by_turn);
	for (size_t i = 0, first = 0; i < figures; i++) {
		first = f[i].p == f[first].p ? first : i;
		f[i].turn = (uint32_t)(i - first);
	}
}

/* Finds functions for numbers, or gives up. */
typedef bool choosing(struct values *, const struct figure *, size_t figures, const struct grid *);

static bool choose_any(struct values *to, const struct figure *figure, size_t figures, const struct grid *g)
{
	values_choose(to, figure, figures, g);
	return true;
}

/* The numbers of messages whose peers have this place. How many functions; HOPELESS: there are none of that kind. */
static size_t explain_numbers(struct chooser *c, struct message *m, size_t count, uint32_t place, choosing *choose)
{
	struct figure *f = mem_array(count, sizeof *f);
	size_t figures = 0;
	for (size_t i = 0; i < count; i++)
		if (m[i].place == place)
			f[figures++] = (struct figure){m[i].p, m[i].event, m[i].number};
	take_turns(f, figures);
	figures = sort_figures(f, figures);
	struct values values;
	if (!choose(&values, f, figures, &c->to->grid)) {
		free(f);
		return HOPELESS;
	}
	for (size_t i = 0; i < count; i++) {
		if (m[i].place != place)
			continue;
		struct figure own = {m[i].p, 0, m[i].number};
		const struct figure *found = bsearch(&own, f, figures, sizeof *f, by_figure);
		const struct value *v = &values.value[values.of[found - f]];
		m[i].value = value_is_constant(v) ? NONE : value_id(c, *v);
	}
	size_t functions = values.count;
	values_clear(&values);
	free(f);
	return functions;
}

/* Peers first, whatever the numbers; then the numbers. */
static size_t explain_varying(struct chooser *c, struct message *m, size_t count, choosing *choose)
{
	sort_messages(m, count, by_pair_and_number);
	explain_tag(c, m, count);
	uint32_t highest = intern_count(c->places);
	bool *seen = mem_zero(highest);
	size_t functions = 0;
	for (size_t i = 0; i < count && functions != HOPELESS; i++) {
		if (seen[m[i].place])
			continue;
		seen[m[i].place] = true;
		size_t own = explain_numbers(c, m, count, m[i].place, choose);
		functions = own == HOPELESS ? own : functions + own;
	}
	free(seen);
	return functions;
}

/* Are there many more numbers than any process uses? m: sorted by number. */
static bool varies(const struct chooser *c, const struct message *m, size_t count)
{
	size_t numbers = 0, most = 0;
	uint32_t *used = mem_zero(c->model->processes * sizeof *used), *last = mem_zero(c->model->processes * sizeof *last);
	for (size_t from = 0, to; from < count; from = to) {
		to = tag_end(m, from, count);
		numbers++;
		for (size_t i = from; i < to; i++) {
			uint32_t p = m[i].p;
			used[p] += last[p] != numbers;
			last[p] = (uint32_t)numbers;
			most = used[p] > most ? used[p] : most;
		}
	}
	free(used);
	free(last);
	return numbers >= 4 && numbers >= 2 * most;
}

static bool may_vary(const struct chooser *c, const struct message *m, size_t count)
{
	return !c->options->offsets_only && m->numbered && m[count - 1].number < NUMBER_LIMIT && varies(c, m, count);
}

/* Messages of a stem and communicator whose numbers lie close together. How many functions. */
static size_t explain_cluster(struct chooser *c, struct message *m, size_t count)
{
	size_t fixed = explain_tags(c, m, count);
	if (!may_vary(c, m, count))
		return fixed;
	struct message *other = mem_copy(m, count * sizeof *m);
	size_t varying = explain_varying(c, other, count, choose_any);
	if (varying < fixed)
		memcpy(m, other, count * sizeof *m);
	free(other);
	return varying < fixed ? varying : fixed;
}

/* ------------------------------------------------------------------ forms */

static uint32_t new_form(struct chooser *c, const struct message *m)
{
	struct form form;
	memset(&form, 0, sizeof form);
	form.kind = m->kind;
	form.word = word_of(c, m->stem);
	form.numbered = m->numbered;
	form.varies = m->value != NONE;
	if (form.varies)
		form.value = *(const struct value *)intern_data(c->values, m->value, NULL);
	else
		form.number = m->number;
	form.peer = *(const struct place *)intern_data(c->places, m->place, NULL);
	form.communicator = *(const struct value *)intern_data(c->values, m->communicator, NULL);
	c->offsets &= form.peer.kind == PLACE_OFFSET && !form.varies;
	return program_form(c->to, &form);
}

/* Forms are large, their keys small. */
static uint32_t message_form(struct chooser *c, const struct message *m)
{
	uint64_t number = m->value == NONE ? m->number : 0;
	uint32_t key[8] = {
		m->kind, m->stem, m->numbered, m->communicator, m->place, m->value, (uint32_t)number, (uint32_t)(number >> 32)};
	uint32_t known = intern_count(c->keys), id = intern_id(c->keys, key, sizeof key);
	if (id == known) {
		c->form = mem_grow(c->form, &c->form_capacity, id + 1, sizeof *c->form);
		c->form[id] = new_form(c, m);
	}
	return c->form[id];
}

/* Is the message what this form, of its cluster, says? */
static bool has_form(const struct chooser *c, const struct message *m, const struct spot *spot, const struct form *form)
{
	uint64_t number = form->varies ? (uint64_t)value_at(&form->value, spot) : form->number;
	return number == m->number && place_at(&form->peer, &c->to->grid, spot) == m->q;
}

/* Of two functions of one kind only one explains a pair. */
static bool exclude_each_other(const struct chooser *c, const uint32_t *form, size_t forms)
{
	const struct form *first = program_get_form(c->to, form[0]);
	for (size_t i = 0; i < forms; i++) {
		const struct form *f = program_get_form(c->to, form[i]);
		if (f->varies || f->peer.kind != first->peer.kind || f->peer.kind == PLACE_GRID)
			return false;
	}
	return true;
}

/* Different forms of a cluster, at most `limit`. */
static size_t forms_of(const struct chooser *c, const struct message *m, size_t count, uint32_t *form, size_t limit)
{
	size_t forms = 0;
	for (size_t i = 0; i < count && forms < limit; i++) {
		bool known = false;
		for (size_t k = forms; k-- && !known;)
			known = form[k] == c->form_of[m[i].event];
		if (!known)
			form[forms++] = c->form_of[m[i].event];
	}
	return forms;
}

static void put_cluster(struct chooser *c, const struct message *m, size_t count)
{
	uint32_t form[ALIASED];
	for (size_t i = 0; i < count; i++)
		c->form_of[m[i].event] = message_form(c, &m[i]);
	size_t forms = forms_of(c, m, count, form, ALIASED);
	if (forms < 2 || forms == ALIASED || exclude_each_other(c, form, forms))
		return;
	for (size_t i = 0; i < count; i++) {
		struct spot spot = grid_spot(&c->to->grid, m[i].p);
		for (size_t k = 0; k < forms; k++)
			if (form[k] != c->form_of[m[i].event] && has_form(c, &m[i], &spot, program_get_form(c->to, form[k]))) {
				c->alias = mem_grow(c->alias, &c->alias_capacity, c->aliases + 1, sizeof *c->alias);
				c->alias[c->aliases++] = (struct alias){m[i].event, form[k]};
			}
	}
}

/* The end of the messages from here on whose numbers lie close together. */
static size_t close_end(const struct chooser *c, const struct message *m, size_t from, size_t count)
{
	size_t to = from + 1;
	while (to < count && m[to].number - m[to - 1].number <= c->model->processes)
		to++;
	return to;
}

/* Numbers further away belong to them as long as other processes use them. user: by process, the cluster it was last seen in. */
static size_t cluster_end(const struct chooser *c, const struct message *m, size_t from, size_t count, const struct message **user)
{
	size_t to = from, end = close_end(c, m, from, count);
	bool others = true;
	while (others) {
		for (; to < end; to++)
			user[m[to].p] = m + from;
		if (to == count)
			break;
		end = close_end(c, m, to, count);
		for (size_t i = to; i < end && others; i++)
			others = user[m[i].p] != m + from;
	}
	return to;
}

/* Those of a stem and communicator, if one affine function tells all that the processes do in a turn, however far apart: 1000*p+7. */
static bool explain_turns(struct chooser *c, struct message *m, size_t count, size_t limit)
{
	return explain_varying(c, m, count, values_choose_by_turn) < limit;
}

/* Messages of a stem and communicator. */
static void explain_stem(struct chooser *c, struct message *m, size_t count, const struct message **user)
{
	bool whole = may_vary(c, m, count);
	struct message *other = whole ? mem_copy(m, count * sizeof *m) : NULL;
	size_t *end = mem_array(count, sizeof *end), clusters = 0, functions = 0;
	for (size_t from = 0; from < count; from = end[clusters++]) {
		end[clusters] = cluster_end(c, m, from, count, user);
		functions += explain_cluster(c, m + from, end[clusters] - from);
	}
	if (whole && clusters > 1 && explain_turns(c, other, count, functions))
		put_cluster(c, other, count);
	else
		for (size_t k = 0, from = 0; k < clusters; from = end[k++])
			put_cluster(c, m + from, end[k] - from);
	free(end);
	free(other);
}

static void explain_messages(struct chooser *c)
{
	const struct message **user = mem_zero(c->model->processes * sizeof *user);
	sort_messages(c->message, c->messages, by_communicator);
	for (size_t from = 0, to; from < c->messages; from = to) {
		const struct message *m = c->message;
		for (to = from + 1; to < c->messages && !by_stem(&m[to], &m[from]) && m[to].communicator == m[from].communicator;)
			to++;
		explain_stem(c, c->message + from, to - from, user);
	}
	free(user);
}

/* ------------------------------------------------------------------ syncs */

/* Syncs of one name on lines of the grid in the same axes; or of no line. */
struct sync_class {
	uint32_t event, name, mask;
	struct area area;
};

static int by_class(const void *a, const void *b)
{
	const struct sync_class *x = a, *y = b;
	int order = compare(x->name, y->name);
	order = order ? order : compare(x->mask, y->mask);
	return order ? order : compare(x->event, y->event);
}

static struct sync_class class_of(struct chooser *c, uint32_t event)
{
	struct ranks group = group_of(c, event);
	struct sync_class class = {.event = event, .name = channel_of(c, event)->name};
	if (!c->options->offsets_only && infer_area(&c->to->grid, &group, &class.area))
		for (uint32_t i = 0; i < c->to->grid.axes; i++)
			class.mask |= (uint32_t) class.area.all[i] << i;
	return class;
}

static void put_sync(struct chooser *c, const struct sync_class *class, bool on_grid, struct value communicator)
{
	const struct event *e = dictionary_get_event(c->model->dictionary, class->event);
	struct ranks group = group_of(c, class->event);
	struct form form;
	memset(&form, 0, sizeof form);
	form.kind = EVENT_SYNC;
	form.word = word_of(c, class->name);
	form.communicator = communicator;
	if (on_grid)
		form.area = class->area;
	else
		form.group = dictionary_ranks(c->to->dictionary, &group);
	if (e->peer != NO_ROOT)
		form.peer = (struct place){.kind = PLACE_NUMBER, .number = e->peer};
	if (e->peer != NO_ROOT && on_grid && ranks_has(&group, e->peer)) {
		struct spot root = grid_spot(&c->to->grid, e->peer);
		form.peer = (struct place){.kind = PLACE_GRID};
		for (uint32_t i = 0; i < c->to->grid.axes; i++)
			form.peer.axis[i] = class->area.all[i] ? (struct affine){.constant = root.axis[i]} : class->area.axis[i];
	}
	c->form_of[class->event] = program_form(c->to, &form);
}

/* The communicators of a class as one function, if there is one and it serves several groups. */
static bool explain_class(struct chooser *c, const struct sync_class *class, size_t count, struct value *communicator)
{
	bool one_group = true, one_communicator = true;
	size_t figures = 0, capacity = 0;
	struct figure *f = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct sync *channel = channel_of(c, class[i].event), *first = channel_of(c, class->event);
		one_group &= channel->group == first->group;
		one_communicator &= channel->communicator == first->communicator;
		struct ranks group = group_of(c, class[i].event);
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_next(&group, &walk, &p); figures++) {
			f = mem_grow(f, &capacity, figures + 1, sizeof *f);
			f[figures] = (struct figure){p, 0, (uint64_t)channel->communicator};
		}
	}
	*communicator = value_of(channel_of(c, class->event)->communicator);
	bool good = !one_group && (one_communicator || fit(c, f, figures, communicator));
	free(f);
	return good;
}

static void explain_syncs(struct chooser *c)
{
	struct sync_class *class = mem_array(c->syncs, sizeof *class);
	for (size_t i = 0; i < c->syncs; i++)
		class[i] = class_of(c, c->sync[i]);
	if (c->syncs)
		qsort(class, c->syncs, sizeof *class, by_class);
	for (size_t from = 0, to; from < c->syncs; from = to) {
		for (to = from; to < c->syncs && class[to].name == class[from].name && class[to].mask == class[from].mask;)
			to++;
		struct value communicator;
		bool on_grid = class[from].mask && explain_class(c, class + from, to - from, &communicator);
		for (size_t i = from; i < to; i++)
			put_sync(c, &class[i], on_grid,
				on_grid ? communicator : value_of(channel_of(c, class[i].event)->communicator));
	}
	free(class);
}

static int by_event(const void *a, const void *b)
{
	const struct alias *x = a, *y = b;
	int order = compare(x->event, y->event);
	return order ? order : compare(x->form, y->form);
}

static void put_aliases(struct chooser *c, struct forms *to)
{
	uint32_t events = dictionary_events(c->model->dictionary);
	to->first_other = mem_zero((events + 1) * sizeof *to->first_other);
	to->other = mem_array(c->aliases, sizeof *to->other);
	if (c->aliases)
		qsort(c->alias, c->aliases, sizeof *c->alias, by_event);
	for (size_t i = 0; i < c->aliases; i++) {
		to->first_other[c->alias[i].event + 1]++;
		to->other[i] = c->alias[i].form;
	}
	for (uint32_t e = 0; e < events; e++)
		to->first_other[e + 1] += to->first_other[e];
}

void forms_choose(struct forms *to, const struct model *m, struct program *folded, const struct fold_options *options)
{
	uint32_t events = dictionary_events(m->dictionary);
	struct chooser c = {.model = m,
		.to = folded,
		.options = options,
		.form_of = mem_array(events, sizeof(uint32_t)),
		.values = intern_new(),
		.places = intern_new(),
		.keys = intern_new(),
		.offsets = true};
	memset(c.form_of, 0xff, events * sizeof *c.form_of);
	take_events(&c);
	sort_messages(c.message, c.messages, by_tag);
	if (!options->offsets_only) {
		gather_pairs(&c);
		find_grid(&c);
		explain_communicators(&c);
	}
	explain_syncs(&c);
	explain_messages(&c);
	put_aliases(&c, to);
	to->of = c.form_of;
	to->offsets = c.offsets;
	free(c.message);
	free(c.all);
	free(c.sync);
	free(c.alias);
	intern_free(c.values);
	intern_free(c.places);
	intern_free(c.keys);
	free(c.form);
}

void forms_clear(struct forms *f)
{
	free(f->of);
	free(f->first_other);
	free(f->other);
	*f = (struct forms){0};
}
