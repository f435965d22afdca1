/*
 * module_print.c -- a module as text: the header, statements, two spaces a level, and what stands
 * behind them: procedures, call sites, the tables that are asked for, in the order in which they
 * are. An event is printed by the notation of its kind (event_kinds.def).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/attributes.h"
#include "model/declared_sites.h"
#include "model/print_number.h"
#include "model/run.h"

#define PIECE ((size_t)1 << 16) /* of text that is held before it goes out */

struct printer {
	struct printing number;
	const struct module *m;
	const struct store *s;
	const struct module_remarks *remarks;
	struct text *text;
	struct output *output; /* takes the text in pieces; NULL: the text is all */
	size_t line, event_before;
	unsigned level;
	struct declared_sites *declared; /* by the module */
};

static void flush(void *context)
{
	struct printer *p = context;
	if (p->output)
		output_text(p->output, p->text);
}

static void end_line(struct printer *p)
{
	text_char(p->text, '\n');
	if (p->text->length >= PIECE)
		flush(p);
}

/* ------------------------------------------------------------------ events */

/* As it is written; of an event that happens, what it comes to. */
static void print_value(struct printing *p, node_id id, bool place)
{
	if (p->at)
		text_integer(p->out, number_at(p->at, id));
	else if (place)
		print_place(p, id);
	else
		print_number(p, id);
}

static void print_communicator(struct printing *p, node_id id)
{
	if (!id)
		return;
	text_char(p->out, '@');
	print_value(p, id, false);
}

/* A plain statement says all ranks as it says others, 0-15. */
static void print_members(struct printing *p, node_id domain, bool plain)
{
	const struct node *d = node_of(p->s, domain);
	const struct ranks *set = d->kind == NODE_RANKS ? store_get_ranks(p->s, (uint32_t)d->number) : NULL;
	bool all = d->kind == NODE_ALL || (set && p->m->processes && ranks_count(set) == p->m->processes);
	if (all && plain && p->m->processes)
		text_format(p->out, p->m->processes > 1 ? "0-%" PRIu32 : "0", p->m->processes - 1);
	else if (all)
		text_char(p->out, '*');
	else if (set)
		ranks_print(set, p->out);
	else
		print_domain(p, domain);
}

static void print_own(struct printing *p, const struct node *e)
{
	if (p->at)
		text_number(p->out, (uint64_t)p->at->p);
	else if (node_of(p->s, e->kid[COLUMN_WHO])->sub)
		print_members(p, e->kid[COLUMN_WHO], true);
	else
		text_char(p->out, 'p');
}

static void print_group(struct printing *p, node_id event)
{
	const struct node *e = node_of(p->s, event);
	if (p->at)
		text_put(p->out, member_set_text(p->members, member_set_of(p->members, p->at, event)));
	else
		print_members(p, e->kid[COLUMN_GROUP], node_of(p->s, e->kid[COLUMN_WHO])->sub);
	print_communicator(p, e->kid[COLUMN_COMMUNICATOR]);
}

static void print_tag(struct printing *p, const struct node *e)
{
	text_put(p->out, store_get_word(p->s, e->word));
	if (e->kid[COLUMN_TAG])
		print_value(p, e->kid[COLUMN_TAG], false);
	print_communicator(p, e->kid[COLUMN_COMMUNICATOR]);
}

/* A word, words to choose from, or a number; chooses: what does. */
static void print_said(struct printing *p, node_id id, node_id chooses)
{
	const struct node *n = node_of(p->s, id);
	if (n->kind == NODE_WORD)
		text_put(p->out, store_get_word(p->s, n->word));
	else if (n->kind != NODE_WORDS && id)
		print_value(p, id, false);
	for (uint32_t k = 0; n->kind == NODE_WORDS && k < n->kids; k++) {
		text_char(p->out, k ? '|' : '(');
		print_said(p, n->kid[k], NODE_NONE);
	}
	if (n->kind != NODE_WORDS)
		return;
	text_char(p->out, ')');
	print_braced(p, chooses);
}

/* False, and nothing is printed: where the event happens it has none. */
static bool print_attribute(struct printing *p, node_id event, const struct node *a, const char *before)
{
	const struct node *words = node_of(p->s, a->kid[1]);
	const char *name = store_get_word(p->s, a->word);
	node_id said = a->kid[1] ? a->kid[1] : a->kid[0];
	if (p->at && words->kind == NODE_WORDS) {
		int64_t chosen = number_at(p->at, a->kid[0]);
		said = chosen >= 0 && chosen < words->kids ? words->kid[chosen] : NODE_NONE;
	}
	if (!said)
		return false;
	text_put(p->out, before);
	text_put(p->out, name);
	text_char(p->out, '=');
	if (p->at && p->members && !a->kid[1] && attribute_is_by_member(name)) {
		text_put(p->out, member_list_at(p->members, p->at, event, said));
		return true;
	}
	p->counter = attribute_is_by_member(name) ? MEMBER_NAME : 0;
	print_said(p, said, a->kid[0]);
	p->counter = 0;
	return true;
}

static void print_set(struct printing *p, node_id domain)
{
	if (!domain || node_of(p->s, domain)->sub)
		return;
	text_char(p->out, '[');
	print_domain(p, domain);
	text_put(p->out, "] ");
}

/* attributes: a bit each. */
static void print_event(struct printing *p, node_id id, uint32_t attributes)
{
	const struct node *e = node_of(p->s, id);
	const char *before = " ; ";
	if (!p->at)
		print_set(p, e->kid[COLUMN_WHO]);
	for (const char *n = kind_rows[e->sub].notation; *n; n++)
		switch (*n) {
		case 'S':
			print_own(p, e);
			break;
		case 'P':
			print_value(p, e->kid[COLUMN_PEER], true);
			break;
		case 'T':
			print_tag(p, e);
			break;
		case 'N':
		case 'W':
			text_put(p->out, store_get_word(p->s, e->word));
			break;
		case 'G':
			print_group(p, id);
			break;
		case 'R':
			if (!e->kid[COLUMN_ROOT])
				break;
			text_put(p->out, " root=");
			print_value(p, e->kid[COLUMN_ROOT], true);
			break;
		default:
			text_char(p->out, *n);
		}
	text_put(p->out, e->number && !p->at ? " where inside" : "");
	for (uint32_t k = COLUMNS; k < e->kids; k++)
		if (attributes >> (k - COLUMNS) & 1 && print_attribute(p, id, node_of(p->s, e->kid[k]), before))
			before = " ";
}

void event_print_at(
	struct environment *at, struct member_sets *members, node_id event, uint32_t attributes, struct text *to)
{
	struct printing p = {.s = at->store, .out = to, .at = at, .members = members};
	print_event(&p, event, attributes);
}

static void print_call(struct printing *p, const struct node *call)
{
	text_format(p->out, "call %s", store_get_word(p->s, node_of(p->s, call->kid[0])->word));
	for (uint32_t k = 1; k < call->kids; k++) {
		const struct node *a = node_of(p->s, call->kid[k]);
		text_char(p->out, k > 1 ? ',' : '(');
		if (a->kind == NODE_TABLE || a->kind == NODE_VARIABLE)
			print_table_name(p, call->kid[k]);
		else
			print_sum(p, call->kid[k]);
	}
	text_put(p->out, call->kids > 1 ? ")" : "");
}

void node_print(const struct module *m, node_id id, uint32_t depth, struct text *to)
{
	struct printing p = printing_at(m, NODE_NONE, depth, to);
	const struct node *n = node_of(m->store, id);
	if (n->kind == NODE_EVENT)
		print_event(&p, id, ATTRIBUTES_ALL);
	else if (n->kind == NODE_CALL)
		print_call(&p, n);
	else if (n->kind == NODE_TEST)
		print_test(&p, id);
	else if (n->kind == NODE_ATTRIBUTE)
		print_attribute(&p, NODE_NONE, n, "");
	else if (n->kind >= NODE_ALL && n->kind <= NODE_BY_COMMUNICATOR)
		print_domain(&p, id);
	else
		print_number(&p, id);
}

void node_print_event(const struct module *m, node_id event, uint32_t depth, uint32_t attributes, struct text *to)
{
	struct printing p = printing_at(m, NODE_NONE, depth, to);
	print_event(&p, event, attributes);
}

void node_print_tag(const struct module *m, node_id event, uint32_t depth, struct text *to)
{
	struct printing p = printing_at(m, NODE_NONE, depth, to);
	print_tag(&p, node_of(m->store, event));
}

void node_print_sum(const struct module *m, node_id id, uint32_t depth, struct text *to)
{
	struct printing p = printing_at(m, NODE_NONE, depth, to);
	print_sum(&p, id);
}

void node_print_place(const struct module *m, node_id id, uint32_t depth, struct text *to)
{
	struct printing p = printing_at(m, NODE_NONE, depth, to);
	print_place(&p, id);
}

/* ------------------------------------------------------------------ statements */

static void print_behind(struct printer *p, bool of_loop)
{
	uint32_t sites = p->line < p->m->lines ? p->m->sites[p->line] : SITES_NONE;
	if (p->remarks && p->remarks->behind)
		p->remarks->behind(p->remarks->context, p->line, p->text);
	if (sites != SITES_NONE) {
		text_put(p->text, " // ");
		declared_sites_name(p->declared, sites, of_loop, p->text);
	}
	p->line++;
	end_line(p);
}

static void indent(struct printer *p)
{
	for (unsigned level = 0; level < p->level; level++)
		text_add(p->text, "  ", 2);
}

/* Each line of these as a comment. */
static void print_above(struct printer *p)
{
	struct text lines = {0};
	if (p->remarks && p->remarks->above)
		p->remarks->above(p->remarks->above_context, p->line, p->event_before, &lines);
	for (const char *line = lines.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		indent(p);
		text_put(p->text, "// ");
		text_add(p->text, line, (size_t)(end - line));
		end_line(p);
	}
	text_clear(&lines);
	p->event_before = p->line;
}

static void print_body(struct printer *, node_id);

/* With the remark below the line before, which stands alone there. */
static void print_inside(struct printer *p, node_id body, bool done)
{
	struct text remark = {0};
	p->level++;
	if (p->remarks && p->remarks->below)
		p->remarks->below(p->remarks->context, p->line - 1, &remark);
	if (remark.length) {
		indent(p);
		text_add(p->text, remark.data, remark.length);
		end_line(p);
	}
	text_clear(&remark);
	print_body(p, body);
	p->level--;
	if (done) {
		indent(p);
		text_put(p->text, "done");
		end_line(p);
	}
}

static bool is_guard(const struct printer *p, const struct node *body, uint32_t k, bool otherwise)
{
	const struct node *n = node_of(p->s, k < body->kids ? body->kid[k] : NODE_NONE);
	return n->kind == NODE_GUARD && n->sub == otherwise;
}

/* A loop, or a guard, which may be the opposite of the one before it. */
static void print_construct(struct printer *p, const struct node *body, uint32_t k)
{
	const struct node *n = node_of(p->s, body->kid[k]);
	bool loop = n->kind == NODE_LOOP;
	if (n->sub && k && is_guard(p, body, k - 1, false)) {
		text_put(p->text, "else");
	} else {
		print_set(&p->number, n->kid[0]);
		text_put(p->text, loop ? "" : "if ");
		if (loop) {
			text_format(p->text, "for i%" PRIu32 " = 0 to ", p->number.index);
			print_number(&p->number, n->kid[1]);
		} else {
			print_test(&p->number, n->kid[1]);
		}
	}
	print_behind(p, true);
	p->number.index += loop;
	print_inside(p, n->kid[2], !(is_guard(p, body, k, false) && is_guard(p, body, k + 1, true)));
	p->number.index -= loop;
}

/* As deep as loops nest. */
static void print_body(struct printer *p, node_id id)
{
	const struct node *body = node_of(p->s, id);
	for (uint32_t k = 0; k < body->kids && !(p->output && output_failed(p->output)); k++) {
		const struct node *n = node_of(p->s, body->kid[k]);
		if (n->kind == NODE_EVENT)
			print_above(p);
		indent(p);
		if (n->kind == NODE_LOOP || n->kind == NODE_GUARD) {
			print_construct(p, body, k);
			continue;
		}
		if (n->kind == NODE_CALL)
			print_call(&p->number, n);
		else
			print_event(&p->number, body->kid[k], ATTRIBUTES_ALL);
		print_behind(p, false);
	}
}

static void print_procedure(struct printer *p, node_id id)
{
	const struct node *n = node_of(p->s, id);
	struct tables_used *used = p->number.used;
	p->number = printing_at(p->m, id, 0, p->text);
	p->number.used = used;
	text_format(p->text, "procedure %s", store_get_word(p->s, n->word));
	for (uint32_t k = 1; k < n->kids; k++) {
		const struct node *parameter = node_of(p->s, n->kid[k]);
		text_format(p->text, "%s%s%s", k > 1 ? "," : "(", parameter->sub ? "$" : "",
			store_get_word(p->s, parameter->word));
	}
	text_put(p->text, n->kids > 1 ? ")" : "");
	print_behind(p, false);
	print_inside(p, n->kid[0], true);
}

/* ------------------------------------------------------------------ the whole */

static void print_header(struct printer *p)
{
	const struct module *m = p->m;
	if (m->header) {
		text_put(p->text, m->header);
		return;
	}
	struct run *r = m->events ? NULL : run_new(m, NULL);
	enum failure failure;
	text_format(p->text, "// tracenest 1\n// processes %" PRIu32 "\n// events %" PRIu64 "\n", m->processes,
		r ? run_events(r, &failure) : m->events);
	run_free(r);
	text_put(p->text, m->grid.axes ? "// grid" : "");
	for (uint32_t a = 0; a < m->grid.axes; a++)
		text_format(p->text, " %" PRIu32, m->grid.size[a]);
	text_put(p->text, m->grid.axes ? "\n" : "");
	if (m->notes.omissions) {
		text_put(p->text, "// omits ");
		notes_print_omissions(&m->notes, p->text);
		end_line(p);
	}
	for (size_t i = 0; i < m->notes.length; i++) {
		text_format(p->text, "// note%s%s", *m->notes.line[i] ? " " : "", m->notes.line[i]);
		end_line(p);
	}
}

/* $w[i0]; of a table that is an argument of calls alone, how many arguments it has is all that
   counts. */
static void print_head(struct printer *p, const struct node *table, const struct text *head)
{
	static const char *const some[TABLE_ARGUMENTS] = {"p", "p,i0", "p,i0,i1"};
	if (head->length && !table->kids) {
		text_add(p->text, head->data, head->length);
		return;
	}
	text_format(p->text, "$%s[", store_get_word(p->s, table->word));
	if (table->kids)
		text_char(p->text, (char)table->sub);
	else
		text_put(p->text, some[table_arguments(store_get_table(p->s, (uint32_t)table->number)) - 1]);
	text_char(p->text, ']');
}

static void print_table(struct printer *p, node_id id, const struct text *head)
{
	const struct node *table = node_of(p->s, id);
	print_head(p, table, head);
	text_put(p->text, " =");
	if (table->kids) {
		struct printing formula = printing_at(p->m, NODE_NONE, 0, p->text);
		text_char(p->text, ' ');
		print_sum(&formula, table->kid[0]);
	} else {
		table_print(store_get_table(p->s, (uint32_t)table->number), p->text, flush, p);
	}
	end_line(p);
}

static void print_tables(struct printer *p)
{
	struct tables_used *used = p->number.used;
	p->number.used = NULL;
	for (uint32_t i = 0; i < intern_count(used->id); i++) {
		node_id id;
		memcpy(&id, intern_data(used->id, i, NULL), sizeof id);
		text_put(p->text, i ? "" : "// tables\n");
		print_table(p, id, &used->head[i]);
		text_clear(&used->head[i]);
	}
}

static void print_statements(struct printer *p, struct tables_used *used)
{
	p->number = printing_at(p->m, NODE_NONE, 0, p->text);
	p->number.used = used;
	p->event_before = SIZE_MAX;
	p->declared = module_declared_sites(p->m);
	print_body(p, p->m->body);
	for (size_t i = 0; i < p->m->procedures; i++) {
		text_put(p->text, i ? "" : "// procedures\n");
		print_procedure(p, p->m->procedure[i]);
	}
}

size_t module_tables_in_text(const struct module *m, node_id **table)
{
	struct text text = {0};
	struct printer p = {.m = m, .s = m->store, .text = &text};
	struct tables_used used = {.id = intern_new_keys(sizeof(node_id))};
	print_statements(&p, &used);
	size_t tables = intern_count(used.id);
	*table = mem_array(tables + 1, sizeof **table);
	for (uint32_t i = 0; i < tables; i++) {
		memcpy(&(*table)[i], intern_data(used.id, i, NULL), sizeof **table);
		text_clear(&used.head[i]);
	}
	declared_sites_free(p.declared);
	free(used.head);
	intern_free(used.id);
	text_clear(&text);
	return tables;
}

/* whole: with its header and call sites. */
static void print_module(struct printer *p, bool whole)
{
	struct tables_used used = {.id = intern_new_keys(sizeof(node_id))};
	if (whole)
		print_header(p);
	print_statements(p, &used);
	if (whole)
		declared_sites_print(p->declared, p->text);
	declared_sites_free(p->declared);
	print_tables(p);
	free(used.head);
	intern_free(used.id);
}

void module_print_text(const struct module *m, const struct module_remarks *remarks, struct text *text)
{
	struct printer p = {.m = m, .s = m->store, .remarks = remarks, .text = text};
	print_module(&p, true);
}

void module_print_statements(const struct module *m, struct text *text)
{
	struct printer p = {.m = m, .s = m->store, .text = text};
	text_add(text, "", 0);
	print_module(&p, false);
}

void module_print(const struct module *m, const struct module_remarks *remarks, struct output *output)
{
	struct text text = {0};
	struct printer p = {.m = m, .s = m->store, .remarks = remarks, .text = &text, .output = output};
	print_module(&p, true);
	output_text(output, &text);
	text_clear(&text);
}
