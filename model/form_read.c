/*
 * form_read.c -- what stands behind the set in a statement.
 *
 * Where a word is no formula, it is the same as in a plain event, and is read as part of one: so
 * both accept and refuse the same.
 */
#include "model/form_read.h"

#include <string.h>

#include "model/lines.h"
#include "model/sets.h"

/* What is being read, and what of it has been found. */
struct reading {
	struct program *folded;
	const struct scope *scope;
	struct form *form;
	struct error *error;
	uint32_t set; /* who executes it; STATEMENT_PLAIN: not known */
};

static bool at_word_end(struct word word, const char *at, const char *what, struct error *error)
{
	if (at == word.start + word.length)
		return true;
	return error_set(error, ERROR_INPUT, "'%.*s' is not %s", SHOWN_WORD(word), what);
}

/* Read a plain event made of a prefix, a word and a suffix. */
static bool read_plain(struct program *f, const char *before, struct word word, const char *behind, struct event *e,
	struct error *error)
{
	struct text line = {0};
	uint32_t event;
	text_put(&line, before);
	text_add(&line, word.start, word.length);
	text_put(&line, behind);
	bool good = event_parse(f->dictionary, line.data, true, &event, error);
	text_clear(&line);
	if (good)
		*e = *dictionary_get_event(f->dictionary, event);
	return good;
}

/* ------------------------------------------------------------------ parts */

static bool read_peer(struct reading *r, struct word word)
{
	const char *at = word.start;
	return place_parse(&r->form->peer, r->scope, &at, r->error) &&
	       at_word_end(word, at, "a rank: a number, p, p+1, p-1, p^1, (p+1)%16 or @(x+1,y)", r->error);
}

/* @3 or @{3+y} at *at, or nothing. */
static bool read_communicator(struct reading *r, const char **at)
{
	struct value *communicator = &r->form->communicator;
	*communicator = value_of(NO_COMMUNICATOR);
	if (**at != '@')
		return true;
	++*at;
	if (value_begins(*at))
		return value_parse(communicator, r->scope, at, r->error);
	uint64_t number;
	if (!text_read_number(at, INT64_MAX, &number))
		return error_set(r->error, ERROR_INPUT, "a communicator is '@3' or '@{3+y}'");
	*communicator = value_of((int64_t)number);
	return true;
}

static bool read_fixed_tag(struct reading *r, struct word word)
{
	struct event e;
	if (!read_plain(r->folded, "0 send 0 ", word, "", &e, r->error))
		return false;
	const struct tag *tag = dictionary_get_tag(r->folded->dictionary, e.subject);
	r->form->word = tag->stem;
	r->form->numbered = tag->numbered;
	r->form->number = tag->number;
	return true;
}

/* STEM{...} */
static bool read_varying_tag(struct reading *r, struct word stem, const char **at)
{
	struct event e;
	if (stem.length && is_digit(stem.start[stem.length - 1]))
		return error_set(r->error, ERROR_INPUT,
			"'%.*s{': a digit before the number of a tag would be part of it", SHOWN_WORD(stem));
	if (!read_plain(r->folded, "0 send 0 ", stem, "0", &e, r->error))
		return false;
	r->form->word = dictionary_get_tag(r->folded->dictionary, e.subject)->stem;
	r->form->numbered = r->form->varies = 1;
	if (!value_parse(&r->form->value, r->scope, at, r->error))
		return false;
	if (!value_is_constant(&r->form->value) || r->form->value.plain.constant < 0)
		return true;
	r->form->varies = 0;
	r->form->number = (uint64_t)r->form->value.plain.constant;
	r->form->value = value_of(0);
	return true;
}

static bool read_tag(struct reading *r, struct word word)
{
	const char *end = word.start + word.length, *at = word.start;
	while (at < end && !value_begins(at) && *at != '@')
		at++;
	struct word before = {word.start, (size_t)(at - word.start)};
	if (at < end && value_begins(at)) {
		if (!read_varying_tag(r, before, &at))
			return false;
	} else if (at == word.start && *at) {
		return error_set(
			r->error, ERROR_INPUT, "'%.*s' is a communicator without a tag before it", SHOWN_WORD(word));
	} else if (!read_fixed_tag(r, before)) {
		return false;
	}
	return read_communicator(r, &at) && at_word_end(word, at, "a tag", r->error);
}

static bool read_group(struct reading *r, struct word word)
{
	const char *at = word.start;
	if (*at == '@' && value_begins(at + 1) && r->set != STATEMENT_PLAIN) {
		r->form->area.kind = AREA_BY_COMMUNICATOR;
		r->form->group = r->set;
		return read_communicator(r, &at) && at_word_end(word, at, "a communicator", r->error) &&
		       (program_tells_groups(&r->form->communicator) ||
			       error_set(r->error, ERROR_INPUT, "'%.*s' tells groups that depend on indices",
				       SHOWN_WORD(word)));
	} else if (*at == '@' || *at == 'p') {
		if (!area_parse(&r->form->area, r->scope, &at, r->error))
			return false;
	} else {
		struct ranks group = {0};
		bool good = *at == '*' ? set_parse(&group, r->scope->grid, r->folded->processes, &at, r->error)
				       : ranks_parse(&group, &at, r->error);
		r->form->group = good ? dictionary_ranks(r->folded->dictionary, &group) : 0;
		ranks_clear(&group);
		if (!good)
			return false;
	}
	return read_communicator(r, &at) && at_word_end(word, at, "a group", r->error);
}

/* ------------------------------------------------------------------ events */

static bool read_message(struct reading *r, struct word first, bool send, const char *at)
{
	const char *rule = send ? "a send of a set of ranks is '[RANKS] p send DESTINATION TAG'"
				: "a receive of a set of ranks is '[RANKS] SOURCE recv p TAG'";
	struct word second = word_next(&at), tag = word_next(&at);
	struct word own = send ? first : second, peer = send ? second : first;
	if (!tag.length)
		return error_set(r->error, ERROR_INPUT, "a word is missing: %s", rule);
	if (!word_is(own, "p"))
		return error_set(r->error, ERROR_INPUT, "'%.*s' must be p, the process that executes the statement: %s",
			SHOWN_WORD(own), rule);
	r->form->kind = send ? EVENT_SEND : EVENT_RECV;
	return read_peer(r, peer) && read_tag(r, tag) && words_end(at, rule, r->error);
}

static bool read_root(struct reading *r, const char **at)
{
	const char *behind = *at;
	struct word word = word_next(&behind);
	if (word.length < 5 || memcmp(word.start, "root=", 5))
		return true;
	*at = behind;
	return read_peer(r, (struct word){word.start + 5, word.length - 5});
}

static bool read_sync(struct reading *r, const char *at)
{
	const char *rule = "a sync of a set of ranks is '[RANKS] p sync NAME GROUP [root=RANK]'";
	struct word name = word_next(&at), group = word_next(&at);
	struct event e;
	if (!group.length)
		return error_set(r->error, ERROR_INPUT, "a word is missing: %s", rule);
	if (!read_plain(r->folded, "0 sync ", name, " 0", &e, r->error))
		return false;
	r->form->kind = EVENT_SYNC;
	r->form->word = dictionary_get_sync(r->folded->dictionary, e.subject)->name;
	return read_group(r, group) && read_root(r, &at) && words_end(at, rule, r->error);
}

static bool read_local(struct reading *r, const char *at)
{
	struct event e;
	if (!read_plain(r->folded, "0 local ", (struct word){at, strlen(at)}, "", &e, r->error))
		return false;
	r->form->kind = EVENT_LOCAL;
	r->form->word = e.subject;
	return true;
}

bool form_parse(struct program *f, const struct scope *scope, uint32_t set, const char *line, struct form *form,
	struct error *error)
{
	struct reading r = {f, scope, form, error, set};
	memset(form, 0, sizeof *form);
	form->communicator = value_of(NO_COMMUNICATOR);
	const char *at = line;
	struct word first = word_next(&at), verb = word_next(&at);
	if (word_is(verb, "send") || word_is(verb, "recv"))
		return read_message(&r, first, word_is(verb, "send"), at);
	if (!word_is(verb, "sync") && !word_is(verb, "local"))
		return error_set(error, ERROR_INPUT,
			"'%.*s' is not an event: send, recv, sync or local is expected, or 'for'",
			SHOWN_WORD(verb.length ? verb : first));
	if (!word_is(first, "p"))
		return error_set(error, ERROR_INPUT, "'%.*s' must be p, the process that executes the statement",
			SHOWN_WORD(first));
	return word_is(verb, "sync") ? read_sync(&r, at) : read_local(&r, at);
}

/* ------------------------------------------------------------------ plain events */

/* What may be in braces: the peer, the first word of "recv" and the third of "send"; their tag, the
   fourth; a sync's root. */
enum role { ROLE_NONE, ROLE_PEER, ROLE_TAG };

static enum role role_of(struct word verb, size_t number, struct word word)
{
	bool send = word_is(verb, "send"), recv = word_is(verb, "recv");
	if (number == 3 && (send || recv))
		return ROLE_TAG;
	if ((number == 2 && send) || (number == 0 && recv))
		return ROLE_PEER;
	return word_is(verb, "sync") && word.length > 5 && !memcmp(word.start, "root=", 5) ? ROLE_PEER : ROLE_NONE;
}

/* What stands in braces in a plain event. */
struct braces {
	struct value peer, tag;
	bool peer_moves, tag_moves; /* with the indices; what does not is as good as written without braces */
};

static bool read_braces(const struct scope *scope, struct word word, const char **brace, struct value *value,
	bool *moves, struct error *error)
{
	if (*brace > word.start && is_digit((*brace)[-1]))
		return error_set(error, ERROR_INPUT, "'%.*s': a digit before the number of a tag would be part of it",
			SHOWN_WORD(word));
	if (*brace > word.start && (*brace)[-1] == '@')
		return error_set(error, ERROR_INPUT,
			"'%.*s': the communicator of a statement without a set is a number", SHOWN_WORD(word));
	if (!value_parse(value, scope, brace, error))
		return false;
	*moves = !value_is_constant(value);
	if (!value_is_uniform(value))
		return error_set(error, ERROR_INPUT,
			"'%.*s': in a statement without a set, only indices may stand in braces", SHOWN_WORD(word));
	return *moves || value->plain.constant >= 0 ||
	       error_set(error, ERROR_INPUT, "'%.*s' would be negative", SHOWN_WORD(word));
}

/* Where a value begins in a word; NULL: nowhere. Names of tables are words of their own
   elsewhere. */
static const char *brace_in(struct word word, bool tables)
{
	for (const char *at = word.start; at < word.start + word.length; at++)
		if (*at == '{' || (tables && value_begins(at)))
			return at;
	return NULL;
}

/* Copy the line with a 0 for what moves. */
static bool replace_braces(
	const struct scope *scope, const char *line, struct text *plain, struct braces *braces, struct error *error)
{
	const char *behind = line;
	word_next(&behind);
	struct word verb = word_next(&behind);
	for (size_t number = 0; *line; number++) {
		const char *start = line;
		struct word here = word_next(&line);
		const char *brace = brace_in(here, role_of(verb, number, here) != ROLE_NONE);
		if (!brace) {
			text_add(plain, start, (size_t)(line - start));
			continue;
		}
		enum role role = role_of(verb, number, here);
		bool peer = role == ROLE_PEER, *moves = peer ? &braces->peer_moves : &braces->tag_moves;
		struct value *value = peer ? &braces->peer : &braces->tag;
		if (role == ROLE_NONE)
			return error_set(error, ERROR_INPUT, "'%.*s': braces may stand in tags, peers and roots",
				SHOWN_WORD(here));
		text_add(plain, start, (size_t)(brace - start));
		if (!read_braces(scope, here, &brace, value, moves, error))
			return false;
		const char *rule = peer ? "a rank: nothing follows what is in braces"
					: "a tag: behind what is in braces only @ and a communicator may follow";
		if ((peer || *brace != '@') && !at_word_end(here, brace, rule, error))
			return false;
		text_format(plain, "%lld", *moves ? 0LL : (long long)value->plain.constant);
		text_add(plain, brace, (size_t)(line - brace));
	}
	return true;
}

static struct form form_with(const struct program *f, uint32_t event, const struct braces *braces)
{
	struct form form = form_of_event(f->dictionary, event);
	if (braces->peer_moves)
		form.peer.value = braces->peer;
	if (braces->tag_moves) {
		form.varies = true;
		form.number = 0;
		form.value = braces->tag;
	}
	return form;
}

bool plain_event_parse(struct program *f, const struct scope *scope, const char *line, uint32_t *event,
	struct form *form, struct error *error)
{
	struct text plain = {0};
	struct braces braces = {0};
	text_add(&plain, "", 0);
	bool good = replace_braces(scope, line, &plain, &braces, error) &&
		    event_parse(f->dictionary, plain.data, true, event, error);
	text_clear(&plain);
	if (good)
		*form = form_with(f, *event, &braces);
	return good;
}
