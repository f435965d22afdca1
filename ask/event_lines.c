/*
 * event_lines.c -- the notation of the kinds (model/event_kinds.def) is gone through; lines that
 * depend on no index are kept until the next process comes.
 */
#include "ask/event_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/member_sets.h"
#include "base/mem.h"

#define PIECE (size_t)(1 << 16) /* bytes gathered before they are written */
#define KEPT_MOST (size_t)(1 << 26) /* bytes of lines kept for one process; others are worded each time */

/* The line of an event. */
struct line {
	size_t start, length; /* among those kept, */
	uint64_t turn; /* ... in this turn of a process; 0: not yet */
	bool varies;
	uint32_t attributes; /* that are asked for, */
	uint32_t *attribute; /* ... by their columns */
};

struct event_lines {
	struct run *run;
	struct member_sets *members;
	event_lines_asked *asked;
	const void *context;
	uint32_t *number; /* by event: its line, from 1; 0: not yet */
	size_t numbers;
	struct line *line;
	uint32_t count;
	size_t capacity;
	struct text kept; /* of the process at hand */
	int64_t process;
	uint64_t turn; /* how many processes there have been, with this one */
};

struct event_lines *event_lines_new(struct run *run, event_lines_asked *asked, const void *context)
{
	struct event_lines *l = mem_zero(sizeof *l);
	l->run = run;
	l->members = member_sets_new(run);
	l->asked = asked;
	l->context = context;
	l->process = -1;
	return l;
}

void event_lines_free(struct event_lines *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->count; i++)
		free(l->line[i].attribute);
	member_sets_free(l->members);
	free(l->number);
	text_clear(&l->kept);
	free(l->line);
	free(l);
}

/* ------------------------------------------------------------------ one event */

static void put_number(int64_t number, struct text *out)
{
	if (number < 0)
		text_char(out, '-');
	text_number(out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

static void put_word(const struct environment *e, uint32_t word, struct text *out)
{
	text_put(out, store_get_word(e->store, word));
}

static void put_communicator(struct environment *e, const struct node *n, struct text *out)
{
	if (!n->kid[COLUMN_COMMUNICATOR])
		return;
	text_char(out, '@');
	put_number(number_at(e, n->kid[COLUMN_COMMUNICATOR]), out);
}

static void put_field(struct event_lines *l, struct environment *e, node_id event, char field, struct text *out)
{
	const struct node *n = node_of(e->store, event);
	switch (field) {
	case 'S':
		put_number(e->p, out);
		break;
	case 'P':
		put_number(number_at(e, n->kid[COLUMN_PEER]), out);
		break;
	case 'N':
	case 'W':
		put_word(e, n->word, out);
		break;
	case 'T':
		put_word(e, n->word, out);
		if (n->kid[COLUMN_TAG])
			put_number(number_at(e, n->kid[COLUMN_TAG]), out);
		put_communicator(e, n, out);
		break;
	case 'G':
		text_put(out, member_set_text(l->members, member_set_of(l->members, e, event)));
		put_communicator(e, n, out);
		break;
	case 'R':
		if (!n->kid[COLUMN_ROOT])
			break;
		text_put(out, " root=");
		put_number(number_at(e, n->kid[COLUMN_ROOT]), out);
		break;
	default:
		text_char(out, field);
	}
}

/* What an attribute is at present: a WORD, a number, or NODE_NONE: it is not there. */
static node_id attribute_at(struct environment *e, const struct node *attribute)
{
	const struct node *words = node_of(e->store, attribute->kid[1]);
	if (words->kind != NODE_WORDS)
		return attribute->kid[1] ? attribute->kid[1] : attribute->kid[0];
	int64_t chosen = number_at(e, attribute->kid[0]);
	return chosen >= 0 && chosen < words->kids ? words->kid[chosen] : NODE_NONE;
}

/* False, and nothing is put: it is not there. */
static bool put_attribute(struct environment *e, const struct node *a, const char *before, struct text *out)
{
	node_id value = attribute_at(e, a);
	if (!value)
		return false;
	text_put(out, before);
	put_word(e, a->word, out);
	text_char(out, '=');
	if (node_of(e->store, value)->kind == NODE_WORD)
		put_word(e, node_of(e->store, value)->word, out);
	else
		put_number(number_at(e, value), out);
	return true;
}

static void put_event(
	struct event_lines *l, const struct line *line, struct environment *e, node_id event, struct text *out)
{
	const struct node *n = node_of(e->store, event);
	const char *before = " ; ";
	for (const char *field = kind_rows[n->sub].notation; *field; field++)
		put_field(l, e, event, *field, out);
	for (uint32_t i = 0; i < line->attributes; i++)
		if (put_attribute(e, node_of(e->store, n->kid[line->attribute[i]]), before, out))
			before = " ";
	text_char(out, '\n');
}

/* ------------------------------------------------------------------ lines */

static struct line line_of(const struct event_lines *l, const struct environment *e, const struct node *n)
{
	struct line line = {0};
	uint64_t uses = n->uses[FOR_CHANNEL];
	size_t capacity = 0;
	for (uint32_t k = COLUMNS; l->asked && k < n->kids; k++) {
		const struct node *a = node_of(e->store, n->kid[k]);
		if (!l->asked(l->context, store_get_word(e->store, a->word)))
			continue;
		*MEM_PUSH(line.attribute, line.attributes, capacity) = k;
		uses |= a->uses[FOR_ALL];
	}
	line.varies = uses & (USES_INDICES | USES_PARAMETERS);
	return line;
}

static struct line *find_line(struct event_lines *l, const struct environment *e, node_id event)
{
	if (event >= l->numbers) {
		size_t before = l->numbers;
		l->number = mem_grow(l->number, &l->numbers, (size_t)event + 1, sizeof *l->number);
		memset(l->number + before, 0, (l->numbers - before) * sizeof *l->number);
	}
	if (!l->number[event]) {
		*MEM_PUSH(l->line, l->count, l->capacity) = line_of(l, e, node_of(e->store, event));
		l->number[event] = l->count;
	}
	return &l->line[l->number[event] - 1];
}

void event_lines_put(struct event_lines *l, struct environment *e, node_id event, struct text *out)
{
	struct line *line = find_line(l, e, event);
	if (l->process != e->p) {
		text_truncate(&l->kept, 0);
		l->process = e->p;
		l->turn++;
	}
	if (line->turn == l->turn) {
		text_add(out, l->kept.data + line->start, line->length);
		return;
	}
	size_t start = out->length;
	put_event(l, line, e, event, out);
	if (line->varies || l->kept.length > KEPT_MOST)
		return;
	line->start = l->kept.length;
	line->length = out->length - start;
	line->turn = l->turn;
	text_add(&l->kept, out->data + start, line->length);
}

/* ------------------------------------------------------------------ all of them */

static bool expand_process(struct event_lines *l, struct cursor *c, struct output *out, struct error *error)
{
	struct text text = {0};
	while (!output_failed(out) && cursor_next(c)) {
		event_lines_put(l, &c->at, c->event, &text);
		if (text.length >= PIECE)
			output_text(out, &text);
	}
	output_text(out, &text);
	text_clear(&text);
	return !c->at.failure ||
	       error_set(error, ERROR_INCONSISTENT, "process %" PRId64 ": %s", c->at.p, failure_text(c->at.failure));
}

bool run_expand(struct run *r, const struct ranks *ranks, event_lines_asked *asked, const void *context,
	struct output *out, struct error *error)
{
	struct event_lines *l = event_lines_new(r, asked, context);
	struct cursor *c = NULL;
	struct ranks_walk walk = {0};
	bool good = true;
	for (uint32_t rank; good && !output_failed(out) && ranks_next(ranks, &walk, &rank);) {
		if (!c)
			c = cursor_new(r, rank);
		else
			cursor_restart(c, rank);
		good = expand_process(l, c, out, error);
	}
	cursor_free(c);
	event_lines_free(l);
	return good;
}
