/*
 * event_numbers.c -- columns are sums, but for who executes the event, and the group.
 */
#include "ask/event_numbers.h"

#include <inttypes.h>

#include "model/attributes.h"

void event_numbers_at(struct environment *e, struct member_sets *members, node_id event, struct event_numbers *to)
{
	const struct node *n = node_of(e->store, event);
	*to = (struct event_numbers){.kind = n->sub, .word = n->word};
	for (uint32_t k = 0; k < COLUMNS; k++)
		if (k == COLUMN_WHO)
			to->number[k] = e->p;
		else if (k == COLUMN_GROUP && kind_rows[n->sub].match == MATCH_GROUP)
			to->number[k] = member_set_of(members, e, event);
		else
			to->number[k] = n->kid[k] ? number_at(e, n->kid[k]) : EVENT_UNSAID;
}

static struct event_value list_at(struct environment *e, struct member_sets *members, node_id event, node_id number)
{
	struct event_value v = {.there = members};
	if (members)
		v.word = member_list_at(members, e, event, number);
	if (members && attribute_is_number(v.word, &v.number))
		v.word = NULL;
	return v;
}

struct event_value event_value_at(struct environment *e, struct member_sets *members, node_id event, uint32_t name)
{
	node_id attribute = event_attribute(e->store, node_of(e->store, event), name);
	if (!attribute)
		return (struct event_value){0};
	const struct node *a = node_of(e->store, attribute), *word = node_of(e->store, a->kid[1]);
	if (!a->kid[1] && attribute_is_by_member(store_get_word(e->store, a->word)))
		return list_at(e, members, event, a->kid[0]);
	if (!a->kid[1])
		return (struct event_value){true, number_at(e, a->kid[0]), NULL};
	if (word->kind == NODE_WORDS) {
		int64_t chosen = number_at(e, a->kid[0]);
		node_id said = chosen >= 0 && chosen < word->kids ? word->kid[chosen] : NODE_NONE;
		word = node_of(e->store, said);
		if (!said)
			return (struct event_value){0};
		if (word->kind != NODE_WORD)
			return (struct event_value){true, number_at(e, said), NULL};
	}
	return (struct event_value){true, 0, store_get_word(e->store, word->word)};
}

bool event_member_value(
	struct environment *e, node_id event, uint32_t name, uint32_t rank, uint32_t member, int64_t *number)
{
	node_id attribute = event_attribute(e->store, node_of(e->store, event), name);
	if (!attribute)
		return false;
	const struct node *a = node_of(e->store, attribute);
	if (!a->kid[1]) {
		*number = number_of_member(e, a->kid[0], rank);
		return true;
	}
	struct event_value v = event_value_at(e, NULL, event, name);
	const char *at = v.word ? v.word : "";
	*number = v.number;
	for (uint64_t times, passed = 0; member_list_next(&at, number, &times) && passed + times <= member;)
		passed += times;
	return v.there;
}

void event_value_put(const char *name, const struct event_value *v, struct text *out)
{
	if (!v->there)
		return;
	text_put(out, out->length ? " " : " ; ");
	text_put(out, name);
	text_char(out, '=');
	if (v->word)
		text_put(out, v->word);
	else
		text_format(out, "%" PRId64, v->number);
}
