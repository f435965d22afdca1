/*
 * messages.c -- messages grouped by what they have in common, and each group explained by few
 * functions.
 *
 * Messages of one tag are a population (places.h) whose peers are explained together, sends and
 * receives on their own. Where processes use tags of one stem with numbers of their own, so that
 * there are many more numbers than any process uses, peers are explained regardless of the number,
 * and then the numbers (values.h), if that takes fewer forms.
 */
#include "fold/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold/places.h"
#include "fold/values.h"

#define NONE UINT32_MAX
#define HOPELESS SIZE_MAX

/* Clusters of so many forms are not searched for events that have several. */
#define ALIASED 128

/* What is known of all messages, and of the cluster at hand. */
struct explainer {
	struct chooser *c;
	struct familiar *familiar; /* with offsets alone: NULL */
	struct intern *keys; /* of forms of messages, whose ids are in `form` */
	uint32_t *form;
	size_t form_capacity;
	struct usage *usage; /* by process */
	uint64_t stamp; /* never the same twice */
};

/* Of tags in the messages that `from` counts. */
struct usage {
	uint64_t from, last; /* stamps: of these messages, of the number seen last */
	size_t numbers;
};

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

static int by_place(const void *a, const void *b)
{
	const struct message *x = a, *y = b;
	int order = compare(x->place, y->place);
	order = order ? order : compare(x->p, y->p);
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

static struct observation *peers_of(const struct message *m, size_t count, size_t *peers)
{
	struct observation *seen = mem_array(count, sizeof *seen);
	for (size_t i = 0; i < count; i++)
		seen[i] = (struct observation){m[i].p, m[i].turn, m[i].q};
	*peers = observations_sort(seen, count);
	return seen;
}

struct population *messages_populations(struct chooser *c, size_t *count)
{
	struct population *population = NULL;
	size_t capacity = 0;
	*count = 0;
	sort_messages(c->message, c->messages, by_tag);
	for (size_t from = 0, to; from < c->messages; from = to) {
		size_t peers;
		to = tag_end(c->message, from, c->messages);
		struct observation *seen = peers_of(c->message + from, to - from, &peers);
		population = mem_grow(population, &capacity, *count + 1, sizeof *population);
		population[(*count)++] = population_of(seen, peers);
	}
	return population;
}

void messages_free_populations(struct population *population, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free((struct observation *)population[i].seen);
		population_clear(&population[i]);
	}
	free(population);
}

/* ------------------------------------------------------------------ communicators */

/* Where messages of one tag use different communicators: one function for all? m: sorted by tag. */
static void explain_communicators(struct chooser *c)
{
	sort_messages(c->message, c->messages, by_tag);
	for (size_t from = 0, to; from < c->messages; from = to) {
		struct message *m = c->message + from;
		to = tag_end(c->message, from, c->messages);
		bool several = false;
		for (size_t i = 0; i < to - from; i++)
			several |= m[i].communicator != m->communicator;
		if (!several)
			continue;
		struct observation *seen = mem_array(to - from, sizeof *seen);
		for (size_t i = 0; i < to - from; i++) {
			const struct value *v = intern_data(c->values, m[i].communicator, NULL);
			seen[i] = (struct observation){m[i].p, 0, (uint64_t)v->plain.constant};
		}
		struct value v;
		if (values_fit_several(seen, to - from, &c->topology.grid, &v))
			for (size_t i = 0; i < to - from; i++)
				m[i].communicator = chooser_value(c, v);
		free(seen);
	}
}

/* ------------------------------------------------------------------ peers and numbers */

/* Messages sorted by pair, of one communicator: how many functions? */
static size_t explain_peers(struct explainer *x, struct message *m, size_t count)
{
	size_t peers;
	struct chooser *c = x->c;
	struct observation *seen = peers_of(m, count, &peers);
	struct population population = population_of(seen, peers);
	struct explanation places;
	places_choose(&places, &population, &c->topology, c->offsets_only ? CHOOSE_OFFSETS : CHOOSE_ALL, x->familiar);
	const struct place *place = places.function;
	uint32_t *id = mem_array(places.count, sizeof *id);
	for (uint32_t k = 0; k < places.count; k++)
		id[k] = chooser_place(c, &place[k]);
	for (size_t i = 0, k = 0; i < count; i++) {
		k += i && by_pair(&m[i], &m[i - 1]);
		m[i].place = id[places.of[k]];
		m[i].value = NONE;
	}
	size_t functions = places.count;
	free(id);
	explanation_clear(&places);
	population_clear(&population);
	free(seen);
	return functions;
}

static size_t explain_tags(struct explainer *x, struct message *m, size_t count)
{
	size_t functions = 0;
	for (size_t from = 0, to; from < count; from = to) {
		to = tag_end(m, from, count);
		functions += explain_peers(x, m + from, to - from);
	}
	return functions;
}

/* Finds functions for numbers, or gives up. */
typedef bool choosing(struct explanation *, const struct population *, const struct topology *);

static bool choose_any(struct explanation *to, const struct population *p, const struct topology *t)
{
	values_choose(to, p, t);
	return true;
}

/* The numbers of messages of one place, sorted by process and number. How many functions; HOPELESS:
   there are none of that kind. */
static size_t explain_numbers(struct chooser *c, struct message *m, size_t count, choosing *choose)
{
	struct observation *seen = mem_array(count, sizeof *seen);
	for (size_t i = 0; i < count; i++)
		seen[i] = (struct observation){m[i].p, m[i].turn, m[i].number};
	size_t numbers = observations_sort(seen, count), functions = HOPELESS;
	struct population population = population_of(seen, numbers);
	struct explanation values;
	if (choose(&values, &population, &c->topology)) {
		const struct value *value = values.function;
		for (size_t i = 0, k = 0; i < count; i++) {
			k += i && (m[i].p != m[i - 1].p || m[i].number != m[i - 1].number);
			const struct value *v = &value[values.of[k]];
			m[i].value = value_is_constant(v) ? NONE : chooser_value(c, *v);
		}
		functions = values.count;
		explanation_clear(&values);
	}
	population_clear(&population);
	free(seen);
	return functions;
}

/* Peers first, whatever the numbers; then the numbers. */
static size_t explain_varying(struct explainer *x, struct message *m, size_t count, choosing *choose)
{
	size_t functions = 0;
	sort_messages(m, count, by_pair_and_number);
	explain_peers(x, m, count);
	sort_messages(m, count, by_place);
	for (size_t from = 0, to; from < count && functions != HOPELESS; from = to) {
		for (to = from; to < count && m[to].place == m[from].place;)
			to++;
		size_t own = explain_numbers(x->c, m + from, to - from, choose);
		functions = own == HOPELESS ? own : functions + own;
	}
	return functions;
}

/* Are there many more numbers than any process uses? m: sorted by number. */
static bool varies(struct explainer *x, const struct message *m, size_t count)
{
	size_t numbers = 0, most = 0;
	uint64_t start = ++x->stamp;
	for (size_t from = 0, to; from < count; from = to) {
		to = tag_end(m, from, count);
		numbers++;
		x->stamp++;
		for (size_t i = from; i < to; i++) {
			struct usage *u = &x->usage[m[i].p];
			if (u->from != start)
				*u = (struct usage){.from = start};
			u->numbers += u->last != x->stamp;
			u->last = x->stamp;
			most = u->numbers > most ? u->numbers : most;
		}
	}
	return numbers >= 4 && numbers >= 2 * most;
}

static bool may_vary(struct explainer *x, const struct message *m, size_t count)
{
	return !x->c->offsets_only && m->numbered && m[count - 1].number < VALUES_LIMIT && varies(x, m, count);
}

/* How many statements the messages are as they are explained. */
static size_t statements_of(const struct message *m, size_t count)
{
	struct observation *seen = mem_array(count, sizeof *seen);
	uint32_t *of = mem_array(count, sizeof *of);
	struct intern *functions = intern_new();
	for (size_t i = 0; i < count; i++)
		seen[i] = (struct observation){m[i].p, m[i].turn, i};
	observations_sort(seen, count);
	for (size_t i = 0; i < count; i++) {
		const struct message *own = &m[seen[i].number];
		uint64_t key[3] = {own->place, own->value, own->value == NONE ? own->number : 0};
		of[i] = intern_id(functions, key, sizeof key);
	}
	struct population population = population_of(seen, count);
	size_t statements = population_statements(&population, of, intern_count(functions));
	population_clear(&population);
	intern_free(functions);
	free(of);
	free(seen);
	return statements;
}

/* Messages of a stem and communicator whose numbers lie close together. How many functions. */
static size_t explain_cluster(struct explainer *x, struct message *m, size_t count)
{
	size_t fixed = explain_tags(x, m, count);
	if (!may_vary(x, m, count))
		return fixed;
	struct message *other = mem_copy(m, count * sizeof *m);
	size_t varying = explain_varying(x, other, count, choose_any);
	bool better = varying < fixed && statements_of(other, count) < statements_of(m, count);
	if (better)
		memcpy(m, other, count * sizeof *m);
	free(other);
	return better ? varying : fixed;
}

/* ------------------------------------------------------------------ forms */

static uint32_t new_form(struct chooser *c, const struct message *m)
{
	struct form form;
	memset(&form, 0, sizeof form);
	form.kind = m->kind;
	form.word = chooser_word(c, m->stem);
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
static uint32_t message_form(struct explainer *x, const struct message *m)
{
	uint64_t number = m->value == NONE ? m->number : 0;
	uint32_t key[8] = {m->kind, m->stem, m->numbered, m->communicator, m->place, m->value, (uint32_t)number,
		(uint32_t)(number >> 32)};
	uint32_t known = intern_count(x->keys), id = intern_id(x->keys, key, sizeof key);
	if (id == known) {
		x->form = mem_grow(x->form, &x->form_capacity, id + 1, sizeof *x->form);
		x->form[id] = new_form(x->c, m);
	}
	return x->form[id];
}

/* Is the message what this form, of its cluster, says? */
static bool has_form(const struct chooser *c, const struct message *m, const struct spot *spot, const struct form *form)
{
	uint64_t number = form->varies ? (uint64_t)value_at(&form->value, spot) : form->number;
	return number == m->number && place_at(&form->peer, &c->topology.grid, spot) == m->q;
}

/* Of two functions of one kind only one explains a pair. */
static bool exclude_each_other(const struct chooser *c, const uint32_t *form, size_t forms)
{
	int64_t kind = program_get_form(c->to, form[0]).peer.kind;
	for (size_t i = 0; i < forms; i++) {
		struct form f = program_get_form(c->to, form[i]);
		if (f.varies || f.peer.kind != kind || f.peer.kind == PLACE_GRID)
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

static void put_cluster(struct explainer *x, const struct message *m, size_t count)
{
	struct chooser *c = x->c;
	uint32_t form[ALIASED];
	for (size_t i = 0; i < count; i++)
		c->form_of[m[i].event] = message_form(x, &m[i]);
	size_t forms = forms_of(c, m, count, form, ALIASED);
	if (forms < 2 || forms == ALIASED || exclude_each_other(c, form, forms))
		return;
	struct form wide[ALIASED];
	for (size_t k = 0; k < forms; k++)
		wide[k] = program_get_form(c->to, form[k]);
	for (size_t i = 0; i < count; i++) {
		struct spot spot = grid_spot(&c->topology.grid, m[i].p);
		for (size_t k = 0; k < forms; k++)
			if (form[k] != c->form_of[m[i].event] && has_form(c, &m[i], &spot, &wide[k])) {
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

/* Numbers further away belong to them as long as other processes use them. */
static size_t cluster_end(struct explainer *x, const struct message *m, size_t from, size_t count)
{
	size_t to = from, end = close_end(x->c, m, from, count);
	uint64_t cluster = ++x->stamp;
	bool others = true;
	while (others) {
		for (; to < end; to++)
			x->usage[m[to].p].from = cluster;
		if (to == count)
			break;
		end = close_end(x->c, m, to, count);
		for (size_t i = to; i < end && others; i++)
			others = x->usage[m[i].p].from != cluster;
	}
	return to;
}

/* Those of a stem and communicator, if one affine function tells all that the processes do in a
   turn, however far apart: 1000*p+7. */
static bool explain_turns(struct explainer *x, struct message *m, size_t count, size_t limit)
{
	return explain_varying(x, m, count, values_choose_by_turn) < limit;
}

/* Messages of a stem and communicator. */
static void explain_stem(struct explainer *x, struct message *m, size_t count)
{
	bool whole = may_vary(x, m, count);
	struct message *other = whole ? mem_copy(m, count * sizeof *m) : NULL;
	size_t *end = mem_array(count, sizeof *end), clusters = 0, functions = 0;
	for (size_t from = 0; from < count; from = end[clusters++]) {
		end[clusters] = cluster_end(x, m, from, count);
		functions += explain_cluster(x, m + from, end[clusters] - from);
	}
	if (whole && clusters > 1 && explain_turns(x, other, count, functions))
		put_cluster(x, other, count);
	else
		for (size_t k = 0, from = 0; k < clusters; from = end[k++])
			put_cluster(x, m + from, end[k] - from);
	free(end);
	free(other);
}

void messages_explain(struct chooser *c)
{
	struct explainer x = {.c = c, .keys = intern_new(), .usage = mem_zero(c->model->processes * sizeof *x.usage)};
	if (!c->offsets_only) {
		size_t pairs;
		struct observation *all = peers_of(c->message, c->messages, &pairs);
		x.familiar = familiar_new(all, pairs, &c->topology);
		free(all);
		explain_communicators(c);
	}
	sort_messages(c->message, c->messages, by_communicator);
	for (size_t from = 0, to; from < c->messages; from = to) {
		const struct message *m = c->message;
		for (to = from + 1;
			to < c->messages && !by_stem(&m[to], &m[from]) && m[to].communicator == m[from].communicator;)
			to++;
		explain_stem(&x, c->message + from, to - from);
	}
	if (x.familiar)
		familiar_free(x.familiar);
	free(x.usage);
	free(x.form);
	intern_free(x.keys);
}
