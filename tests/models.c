/*
 * models.c -- models as text, for tests.
 */
#include "tests/models.h"

#include <stdlib.h>
#include <string.h>

#include "ask/unfolding.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "merge/merge.h"
#include "model/module_of_model.h"
#include "tests/executed.h"

/* ------------------------------------------------------------------ modules as models */

struct taking {
	const struct module *from;
	struct model *to;
	bool plain;
};

static int64_t constant_of(struct taking *t, node_id number, int64_t otherwise)
{
	int64_t constant = otherwise;
	t->plain = t->plain && (!number || number_is_constant(t->from->store, number, &constant));
	return constant;
}

static uint32_t ranks_of(const struct taking *t, node_id ranks)
{
	return dictionary_ranks(
		t->to->dictionary, store_get_ranks(t->from->store, (uint32_t)node_of(t->from->store, ranks)->number));
}

static node event_of(struct taking *t, const struct node *n)
{
	struct dictionary *d = t->to->dictionary;
	const struct node *who = node_of(t->from->store, n->kid[COLUMN_WHO]);
	const char *name = store_get_word(t->from->store, n->word);
	uint32_t word = dictionary_word(d, name, strlen(name));
	struct event e = {.kind = n->sub, .subject = word};
	int64_t communicator = constant_of(t, n->kid[COLUMN_COMMUNICATOR], NO_COMMUNICATOR),
		tag = constant_of(t, n->kid[COLUMN_TAG], 0),
		peer = constant_of(t, n->kid[COLUMN_PEER] ? n->kid[COLUMN_PEER] : n->kid[COLUMN_ROOT], NO_ROOT);
	t->plain = t->plain && who->kind == NODE_RANKS && who->sub;
	if (!t->plain)
		return 0;
	e.process = ranks_of(t, n->kid[COLUMN_WHO]);
	e.peer = e.kind == EVENT_LOCAL ? 0 : (uint32_t)peer;
	if (e.kind == EVENT_SYNC)
		e.subject = dictionary_sync(d, &(struct sync){word, ranks_of(t, n->kid[COLUMN_GROUP]), communicator});
	else
		e.process = dictionary_get_ranks(d, e.process).run->first;
	if (e.kind == EVENT_SEND || e.kind == EVENT_RECV)
		e.subject = dictionary_tag(
			d, &(struct tag){word, n->kid[COLUMN_TAG] != NODE_NONE, (uint64_t)tag, communicator});
	return dictionary_event(d, &e);
}

static node *nodes_of_body(struct taking *, node_id body, size_t *length);

/* Recursion as deep as loops nest. */
static node node_of_statement(struct taking *t, node_id statement)
{
	const struct node *n = node_of(t->from->store, statement);
	if (n->kind == NODE_EVENT)
		return event_of(t, n);
	t->plain = t->plain && n->kind == NODE_LOOP && !n->kid[0];
	uint64_t count = t->plain ? (uint64_t)constant_of(t, n->kid[1], 0) + 1 : 0;
	if (!t->plain)
		return 0;
	size_t length;
	node *body = nodes_of_body(t, n->kid[2], &length), loop = nest_loop(t->to->nest, count, body, length);
	free(body);
	return loop;
}

static node *nodes_of_body(struct taking *t, node_id body, size_t *length)
{
	const struct node *b = node_of(t->from->store, body);
	node *made = mem_array(b->kids, sizeof *made);
	*length = b->kids;
	for (uint32_t k = 0; k < b->kids && t->plain; k++)
		made[k] = node_of_statement(t, b->kid[k]);
	return made;
}

struct model *model_of_plain(const struct module *m)
{
	struct taking t = {m, model_new(), true};
	size_t length;
	node *root = nodes_of_body(&t, m->body, &length);
	t.to->processes = m->processes;
	notes_add_all(&t.to->notes, &m->notes);
	for (size_t i = 0; i < length && t.plain; i++)
		nest_append(t.to->nest, root[i]);
	free(root);
	if (t.plain)
		return t.to;
	model_free(t.to);
	return NULL;
}

struct model *model_of_module(const struct module *m, struct error *error)
{
	struct model *model = model_of_plain(m);
	if (model)
		return model;
	struct module *plain = module_unfold(m, NULL, error);
	model = plain ? model_of_plain(plain) : NULL;
	module_free(plain);
	return model;
}

struct model *model_parse(const char *name, const char *bytes, size_t length, struct error *error)
{
	struct module *m = module_parse(name, bytes, length, error);
	struct model *model = m && module_inline(m, error) ? model_of_module(m, error) : NULL;
	module_free(m);
	return model;
}

/* ------------------------------------------------------------------ models as text */

void model_print_text(const struct model *m, struct text *out)
{
	struct module *module = module_of_model(m);
	module_print_text(module, NULL, out);
	module_free(module);
}

bool model_equal(const struct model *a, const struct model *b)
{
	struct text x = {0}, y = {0};
	model_print_text(a, &x);
	model_print_text(b, &y);
	bool equal = !strcmp(x.data, y.data);
	text_clear(&x);
	text_clear(&y);
	return equal;
}

uint64_t model_events(const struct model *m)
{
	struct executed e = executed_of_model(m);
	enum failure failure;
	uint64_t events = run_events(e.run, &failure);
	executed_clear(&e);
	return events;
}

uint64_t nest_total(const struct nest *n)
{
	uint64_t total = 0;
	for (size_t i = 0; i < n->root_length; i++)
		total = saturating_add(total, nest_events(n, n->root[i]));
	return total;
}

bool model_complete(const struct model *m, struct error *error)
{
	uint64_t never;
	return merge_complete_but_sends(m, &never, error);
}

struct prepared *prepared_parse(const char *name, const char *bytes, size_t length, struct error *error)
{
	return prepared_new(module_parse_one(name, bytes, length, error), error);
}

struct prepared *prepared_of_trace(
	const char *path, const struct program_options *options, struct program_facts *facts, struct error *error)
{
	return prepared_new(module_of_trace(path, options, facts, error), error);
}

void header_put(struct text *to, uint32_t processes, const struct grid *grid)
{
	text_format(to, "// tracenest 1\n// processes %u\n", processes);
	for (uint32_t i = 0; i < grid->axes; i++)
		text_format(to, "%s%u", i ? " " : "// grid ", grid->size[i]);
	text_put(to, grid->axes ? "\n" : "");
}

void header_put_parametric(struct text *to, uint32_t axes)
{
	text_put(to, "// tracenest 1\n// parametric\n// processes ");
	text_put(to, axes ? "X" : "P");
	for (uint32_t i = 1; i < axes; i++)
		text_format(to, " * %c", "XYZW"[i]);
	text_char(to, '\n');
}
