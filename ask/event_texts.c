/*
 * event_texts.c -- lines that depend on no index are kept until the next process comes.
 */
#include "ask/event_texts.h"

#include <stdlib.h>
#include <string.h>

#include "model/member_sets.h"
#include "base/mem.h"

#define KEPT_MOST (size_t)(1 << 26) /* bytes of lines kept for one process; others are worded each time */

/* The line of an event. */
struct line {
	size_t start, length; /* among those kept, */
	uint64_t turn; /* ... in this turn of a process; 0: not yet */
	bool varies;
	uint32_t attributes; /* that are asked for, a bit each */
};

struct event_texts {
	struct run *run;
	struct member_sets *members;
	event_texts_asked *asked;
	const void *context;
	uint32_t *number; /* by event: its line, from 1; 0: not yet */
	size_t numbers;
	struct line *line;
	uint32_t count;
	size_t capacity;
	struct text kept; /* of the process at hand */
	struct text rest; /* of the line at hand */
	int64_t process;
	uint64_t turn; /* how many processes there have been, with this one */
};

struct event_texts *event_texts_new(struct run *run, event_texts_asked *asked, const void *context)
{
	struct event_texts *l = mem_zero(sizeof *l);
	l->run = run;
	l->members = member_sets_new(run);
	l->asked = asked;
	l->context = context;
	l->process = -1;
	return l;
}

void event_texts_free(struct event_texts *l)
{
	if (!l)
		return;
	member_sets_free(l->members);
	free(l->number);
	text_clear(&l->kept);
	text_clear(&l->rest);
	free(l->line);
	free(l);
}

/* ------------------------------------------------------------------ lines */

static struct line line_of(const struct event_texts *l, const struct environment *e, const struct node *n)
{
	struct line line = {0};
	uint64_t uses = n->uses[FOR_CHANNEL];
	for (uint32_t k = COLUMNS; l->asked && k < n->kids; k++) {
		const struct node *a = node_of(e->store, n->kid[k]);
		const struct node *word = node_of(e->store, a->kid[1]);
		bool unknown = a->kid[1] && word->kind == NODE_WORD && word->sub; /* bytes=?(8..640) */
		if (unknown || !l->asked(l->context, store_get_word(e->store, a->word)))
			continue;
		line.attributes |= UINT32_C(1) << (k - COLUMNS);
		uses |= a->uses[FOR_ALL];
	}
	line.varies = uses & (USES_INDICES | USES_PARAMETERS);
	return line;
}

static struct line *find_line(struct event_texts *l, const struct environment *e, node_id event)
{
	uint32_t *number = MEM_AT(l->number, l->numbers, event);
	if (!*number) {
		*MEM_PUSH(l->line, l->count, l->capacity) = line_of(l, e, node_of(e->store, event));
		*number = l->count;
	}
	return &l->line[*number - 1];
}

static void put_line(struct event_texts *l, struct environment *e, node_id event, struct text *out)
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
	event_print_at(e, l->members, event, line->attributes, out);
	text_char(out, '\n');
	if (line->varies || l->kept.length > KEPT_MOST)
		return;
	line->start = l->kept.length;
	line->length = out->length - start;
	line->turn = l->turn;
	text_add(&l->kept, out->data + start, line->length);
}

/* Between the event and what it carries. */
static void insert(struct event_texts *l, const char *said, struct text *out, size_t line)
{
	const char *carried = strstr(out->data + line, " ; ");
	size_t at = carried ? (size_t)(carried - out->data) : out->length - 1;
	text_truncate(&l->rest, 0);
	if (carried)
		text_char(&l->rest, ' ');
	text_put(&l->rest, out->data + at + (carried ? strlen(" ; ") : 0));
	text_truncate(out, at);
	text_put(out, " ; ");
	text_put(out, said);
	text_add(out, l->rest.data, l->rest.length);
}

void event_texts_put(struct event_texts *l, struct environment *e, node_id event, const char *said, struct text *out)
{
	size_t line = out->length;
	put_line(l, e, event, out);
	if (said)
		insert(l, said, out, line);
}
