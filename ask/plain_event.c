/*
 * plain_event.c -- forms and what advances in them, evaluated.
 */
#include "ask/plain_event.h"

#include <inttypes.h>
#include <string.h>

static void put_event(const struct program *p, const struct statement *s, struct plain_event *e)
{
	const struct dictionary *d = p->dictionary;
	const struct event *event = dictionary_get_event(d, s->event);
	e->kind = event->kind;
	e->peer = event->peer;
	e->word = event->subject;
	if (e->kind == EVENT_SYNC) {
		const struct sync *sync = dictionary_get_sync(d, event->subject);
		e->word = sync->name;
		e->group = sync->group;
		e->communicator = sync->communicator;
	} else if (e->kind != EVENT_LOCAL) {
		const struct tag *tag = dictionary_get_tag(d, event->subject);
		e->word = tag->stem;
		e->numbered = tag->numbered;
		e->number = tag->number;
		e->communicator = tag->communicator;
	}
}

/* The reader has seen to it that all numbers are in range. */
static struct spot spot_at(const struct spot *spot, const int64_t *index)
{
	struct spot at = *spot;
	at.index = index;
	return at;
}

static void put_form(const struct program *p, const struct form *form, const struct spot *spot, struct plain_event *e)
{
	e->kind = form->kind;
	e->word = form->word;
	if (e->kind == EVENT_LOCAL)
		return;
	e->communicator = value_at(&form->communicator, spot);
	e->peer = form->peer.kind == PLACE_NONE ? NO_ROOT : (uint32_t)place_at(&form->peer, &p->grid, spot);
	if (e->kind == EVENT_SYNC) {
		e->group = form->area.kind ? PLAIN_GROUP_OF_AREA : (uint32_t)form->group;
		return;
	}
	e->numbered = form->numbered;
	e->number = form->varies ? (uint64_t)value_at(&form->value, spot) : form->number;
}

void plain_statement_of(const struct program *p, size_t at, struct plain_statement *s)
{
	s->program = p;
	s->at = at;
	if (p->statement[at].set != STATEMENT_PLAIN)
		s->form = program_get_form(p, p->statement[at].event);
}

void plain_statement_event(
	const struct plain_statement *x, const struct spot *spot, const int64_t *index, struct plain_event *e)
{
	const struct statement *s = &x->program->statement[x->at];
	*e = (struct plain_event){.process = (uint32_t)spot->p};
	struct spot here = spot_at(spot, index);
	if (s->set == STATEMENT_PLAIN)
		put_event(x->program, s, e);
	else
		put_form(x->program, &x->form, &here, e);
}

uint32_t plain_event_group(struct program *p, size_t at, const struct spot *spot)
{
	const struct statement *s = &p->statement[at];
	if (s->set == STATEMENT_PLAIN)
		return dictionary_get_sync(p->dictionary, dictionary_get_event(p->dictionary, s->event)->subject)
			->group;
	struct form form = program_get_form(p, s->event);
	if (!form.area.kind)
		return (uint32_t)form.group;
	struct ranks group = {0};
	program_members(p, &form, spot, &group);
	uint32_t id = dictionary_ranks(p->dictionary, &group);
	ranks_clear(&group);
	return id;
}

/* ------------------------------------------------------------------ text */

static void print_sync(const struct dictionary *d, const struct plain_event *e, struct text *out)
{
	struct ranks group = dictionary_get_ranks(d, e->group);
	text_format(out, "%" PRIu32 " sync %s ", e->process, dictionary_get_word(d, e->word));
	ranks_print(&group, out);
	if (e->communicator != NO_COMMUNICATOR)
		text_format(out, "@%" PRId64, e->communicator);
	if (e->peer != NO_ROOT)
		text_format(out, " root=%" PRIu32, e->peer);
}

static void print_message(const struct dictionary *d, const struct plain_event *e, struct text *out)
{
	bool sends = e->kind == EVENT_SEND;
	struct tag tag = {
		.stem = e->word, .numbered = e->numbered, .number = e->number, .communicator = e->communicator};
	text_number(out, sends ? e->process : e->peer);
	text_put(out, sends ? " send " : " recv ");
	text_number(out, sends ? e->peer : e->process);
	text_char(out, ' ');
	tag_print(d, &tag, out);
}

void plain_event_print(const struct dictionary *d, const struct plain_event *e, struct text *out)
{
	if (e->kind == EVENT_SYNC)
		print_sync(d, e, out);
	else if (e->kind == EVENT_LOCAL)
		text_format(out, "%" PRIu32 " local %s", e->process, dictionary_get_word(d, e->word));
	else
		print_message(d, e, out);
}
