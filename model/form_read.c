/*
 * form_read.c -- what stands behind the set in a statement.
 *
 * Where a word is no formula, it is the same as in a plain event, and is read as part of one: so both accept and refuse the same.
 */
#include "model/form_read.h"

#include <string.h>

#include "model/lines.h"

static bool at_word_end(struct word word, const char *at, const char *what, struct error *error)
{
	if (at == word.start + word.length)
		return true;
	return error_set(error, ERROR_INPUT, "'%.*s' is not %s", SHOWN_WORD(word), what);
}

/* Read a plain event made of a prefix, a word and a suffix. */
static bool read_plain(
	struct folded *f, const char *before, struct word word, const char *behind, struct event *e, struct error *error)
{
	struct text line = {0};
	uint32_t event;
	text_put(&line, before);
	text_add(&line, word.start, word.length);
	text_put(&line, behind);
	bool good = event_parse(f->head->dictionary, line.data, true, &event, error);
	text_clear(&line);
	if (good)
		*e = *dictionary_get_event(f->head->dictionary, event);
	return good;
}

/* ------------------------------------------------------------------ parts */

static bool read_place(struct folded *f, struct word word, struct place *place, struct error *error)
{
	const char *at = word.start;
	return place_parse(place, &f->grid, &at, error) &&
	       at_word_end(word, at, "a rank: a number, p, p+1, p-1, p^1 or @(x+1,y)", error);
}

/* @3 or @{3+y} at *at, or nothing. */
static bool read_communicator(struct folded *f, const char **at, struct value *communicator, struct error *error)
{
	*communicator = value_of(NO_COMMUNICATOR);
	if (**at != '@')
		return true;
	++*at;
	if (**at == '{')
		return value_parse(communicator, &f->grid, at, error);
	uint64_t number;
	if (!text_read_number(at, INT64_MAX, &number))
		return error_set(error, ERROR_INPUT, "a communicator is '@3' or '@{3+y}'");
	*communicator = value_of((int64_t)number);
	return true;
}

static bool read_fixed_tag(struct folded *f, struct word word, struct form *form, struct error *error)
{
	struct event e;
	if (!read_plain(f, "0 send 0 ", word, "", &e, error))
		return false;
	const struct tag *tag = dictionary_get_tag(f->head->dictionary, e.subject);
	form->word = tag->stem;
	form->numbered = tag->numbered;
	form->number = tag->number;
	return true;
}

/* STEM{...} */
static bool read_varying_tag(struct folded *f, struct word stem, const char **at, struct form *form, struct error *error)
{
	struct event e;
	if (stem.length && stem.start[stem.length - 1] >= '0' && stem.start[stem.length - 1] <= '9')
		return error_set(
			error, ERROR_INPUT, "'%.*s{': a digit before the number of a tag would be part of it", SHOWN_WORD(stem));
	if (!read_plain(f, "0 send 0 ", stem, "0", &e, error))
		return false;
	form->word = dictionary_get_tag(f->head->dictionary, e.subject)->stem;
	form->numbered = form->varies = 1;
	return value_parse(&form->value, &f->grid, at, error);
}

static bool read_tag(struct folded *f, struct word word, struct form *form, struct error *error)
{
	const char *end = word.start + word.length, *at = word.start;
	while (at < end && *at != '{' && *at != '@')
		at++;
	struct word before = {word.start, (size_t)(at - word.start)};
	if (at < end && *at == '{') {
		if (!read_varying_tag(f, before, &at, form, error))
			return false;
	} else if (at == word.start && *at) {
		return error_set(error, ERROR_INPUT, "'%.*s' is a communicator without a tag before it", SHOWN_WORD(word));
	} else if (!read_fixed_tag(f, before, form, error)) {
		return false;
	}
	return read_communicator(f, &at, &form->communicator, error) && at_word_end(word, at, "a tag", error);
}

static bool read_group(struct folded *f, struct word word, struct form *form, struct error *error)
{
	const char *at = word.start;
	if (*at == '@') {
		if (!area_parse(&form->area, &f->grid, &at, error))
			return false;
	} else {
		struct ranks group = {0};
		bool good = ranks_parse(&group, &at, error);
		form->group = good ? dictionary_ranks(f->head->dictionary, &group) : 0;
		ranks_clear(&group);
		if (!good)
			return false;
	}
	return read_communicator(f, &at, &form->communicator, error) && at_word_end(word, at, "a group", error);
}

/* ------------------------------------------------------------------ events */

static bool read_end(const char *at, const char *form, struct error *error)
{
	struct word extra = word_next(&at);
	return !extra.length || error_set(error, ERROR_INPUT, "'%.*s' is one word too many: %s", SHOWN_WORD(extra), form);
}

static bool read_message(struct folded *f, struct word first, bool send, const char *at, struct form *form, struct error *error)
{
	const char *rule = send ? "a send of a set of ranks is '[RANKS] p send DESTINATION TAG'"
				: "a receive of a set of ranks is '[RANKS] SOURCE recv p TAG'";
	struct word second = word_next(&at), tag = word_next(&at);
	struct word own = send ? first : second, peer = send ? second : first;
	if (!tag.length)
		return error_set(error, ERROR_INPUT, "a word is missing: %s", rule);
	if (!word_is(own, "p"))
		return error_set(
			error, ERROR_INPUT, "'%.*s' must be p, the process that executes the statement: %s", SHOWN_WORD(own), rule);
	form->kind = send ? EVENT_SEND : EVENT_RECV;
	return read_place(f, peer, &form->peer, error) && read_tag(f, tag, form, error) && read_end(at, rule, error);
}

static bool read_root(struct folded *f, const char **at, struct form *form, struct error *error)
{
	const char *behind = *at;
	struct word word = word_next(&behind);
	if (word.length < 5 || memcmp(word.start, "root=", 5))
		return true;
	*at = behind;
	return read_place(f, (struct word){word.start + 5, word.length - 5}, &form->peer, error);
}

static bool read_sync(struct folded *f, const char *at, struct form *form, struct error *error)
{
	const char *rule = "a sync of a set of ranks is '[RANKS] p sync NAME GROUP [root=RANK]'";
	struct word name = word_next(&at), group = word_next(&at);
	struct event e;
	if (!group.length)
		return error_set(error, ERROR_INPUT, "a word is missing: %s", rule);
	if (!read_plain(f, "0 sync ", name, " 0", &e, error))
		return false;
	form->kind = EVENT_SYNC;
	form->word = dictionary_get_sync(f->head->dictionary, e.subject)->name;
	return read_group(f, group, form, error) && read_root(f, &at, form, error) && read_end(at, rule, error);
}

static bool read_local(struct folded *f, const char *at, struct form *form, struct error *error)
{
	struct event e;
	if (!read_plain(f, "0 local ", (struct word){at, strlen(at)}, "", &e, error))
		return false;
	form->kind = EVENT_LOCAL;
	form->word = e.subject;
	return true;
}

bool form_parse(struct folded *f, const char *line, struct form *form, struct error *error)
{
	memset(form, 0, sizeof *form);
	form->communicator = value_of(NO_COMMUNICATOR);
	const char *at = line;
	struct word first = word_next(&at), verb = word_next(&at);
	if (word_is(verb, "send") || word_is(verb, "recv"))
		return read_message(f, first, word_is(verb, "send"), at, form, error);
	if (!word_is(verb, "sync") && !word_is(verb, "local"))
		return error_set(error, ERROR_INPUT, "'%.*s' is not an event: send, recv, sync or local is expected, or 'for'",
			SHOWN_WORD(verb.length ? verb : first));
	if (!word_is(first, "p"))
		return error_set(error, ERROR_INPUT, "'%.*s' must be p, the process that executes the statement", SHOWN_WORD(first));
	return word_is(verb, "sync") ? read_sync(f, at, form, error) : read_local(f, at, form, error);
}
