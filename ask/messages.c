/*
 * messages.c -- most statements differ between their processes in the peer alone.
 */
#include "ask/messages.h"

#include "ask/plain_event.h"

struct telling {
	const struct program *program;
	struct dictionary *tags;
	void (*take)(void *context, const struct channel *, bool sends);
	void *context;
};

static uint32_t tag_id(const struct telling *t, uint32_t stem, bool numbered, uint64_t number, int64_t communicator)
{
	struct tag tag = {.stem = stem, .numbered = numbered, .number = number, .communicator = communicator};
	return dictionary_tag(t->tags, &tag);
}

static void tell(const struct telling *t, enum event_kind kind, uint32_t process, uint32_t peer, uint32_t tag)
{
	bool sends = kind == EVENT_SEND;
	t->take(t->context, &(struct channel){sends ? process : peer, sends ? peer : process, tag}, sends);
}

static void tell_plain(const struct telling *t, const struct event *e)
{
	struct tag tag = *dictionary_get_tag(t->program->dictionary, e->subject);
	tell(t, (enum event_kind)e->kind, e->process, e->peer, dictionary_tag(t->tags, &tag));
}

/* A form with one tag, whose peer depends on no index. */
static void tell_alike(const struct telling *t, const struct form *form, const struct ranks *who)
{
	const struct grid *grid = &t->program->grid;
	uint32_t tag = tag_id(t, form->word, form->numbered, form->number, form->communicator.plain.constant);
	bool on_grid = form->peer.kind == PLACE_GRID;
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(who, &walk, &rank);) {
		struct spot spot = on_grid ? grid_spot(grid, rank) : (struct spot){.p = rank};
		tell(t, (enum event_kind)form->kind, rank, (uint32_t)place_at(&form->peer, grid, &spot), tag);
	}
}

static void tell_each(const struct telling *t, size_t at, const struct ranks *who, const int64_t *index)
{
	struct plain_statement s;
	struct plain_event e;
	struct ranks_walk walk = {0};
	plain_statement_of(t->program, at, &s);
	for (uint32_t rank; ranks_next(who, &walk, &rank);) {
		struct spot spot = grid_spot(&t->program->grid, rank);
		plain_statement_event(&s, &spot, index, &e);
		tell(t, (enum event_kind)e.kind, rank, e.peer, tag_id(t, e.word, e.numbered, e.number, e.communicator));
	}
}

void messages_each(const struct program *p, struct dictionary *tags, size_t at, const int64_t *index,
	void (*take)(void *context, const struct channel *, bool sends), void *context)
{
	const struct statement *s = &p->statement[at];
	struct telling t = {p, tags, take, context};
	enum event_kind kind = statement_kind(p, s);
	if (kind != EVENT_SEND && kind != EVENT_RECV)
		return;
	if (s->set == STATEMENT_PLAIN) {
		tell_plain(&t, dictionary_get_event(p->dictionary, s->event));
		return;
	}
	struct form form = program_get_form(p, s->event);
	struct ranks who = dictionary_get_ranks(p->dictionary, s->set);
	if (!form.varies && value_is_constant(&form.communicator) && !place_indices(&form.peer))
		tell_alike(&t, &form, &who);
	else
		tell_each(&t, at, &who, index);
}
