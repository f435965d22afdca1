/*
 * event_text.c -- events as lines of text, and back.
 *
 *	SRC send DST TAG
 *	SRC recv DST TAG		the source first, as in send; the event is the destination's
 *	PROCS sync NAME GROUP [root=R]
 *	PROC local WORD...
 *	ORIGIN put TARGET WINDOW	get, accumulate, ... (event_kinds.def)
 *
 * What event_print writes event_parse reads back as the same event, in traces and in models: words
 * hold none of the characters that mean something there (see forbidden). A tag is split at its last
 * run of digits so that tags can be compared as numbers.
 */
#include <string.h>

#include "base/ranks.h"
#include "base/utf8.h"
#include "model/dictionary.h"
#include "model/lines.h"

/* ------------------------------------------------------------------ printing */

static void print_communicator(int64_t communicator, struct text *out)
{
	if (communicator == NO_COMMUNICATOR)
		return;
	text_char(out, '@');
	text_number(out, (uint64_t)communicator);
}

void tag_print(const struct dictionary *d, const struct tag *tag, struct text *out)
{
	text_put(out, dictionary_get_word(d, tag->stem));
	if (tag->numbered)
		text_number(out, tag->number);
	print_communicator(tag->communicator, out);
}

/* By the notation of its kind. */
static void print_event(
	const struct dictionary *d, const struct event *e, const struct ranks *processes, struct text *out)
{
	enum event_subject subject = kind_rows[e->kind].subject;
	const struct sync *sync = subject == SUBJECT_SYNC ? dictionary_get_sync(d, e->subject) : NULL;
	struct ranks group;
	for (const char *n = kind_rows[e->kind].notation; *n; n++)
		switch (*n) {
		case 'S':
			if (sync)
				ranks_print(processes, out);
			else
				text_number(out, e->process);
			break;
		case 'P':
			text_number(out, e->peer);
			break;
		case 'T':
			tag_print(d, dictionary_get_tag(d, e->subject), out);
			break;
		case 'N':
		case 'W':
			text_put(out, dictionary_get_word(d, sync ? sync->name : e->subject));
			break;
		case 'G':
			group = dictionary_get_ranks(d, sync->group);
			ranks_print(&group, out);
			print_communicator(sync->communicator, out);
			break;
		case 'R':
			if (e->peer == NO_ROOT)
				break;
			text_put(out, " root=");
			text_number(out, e->peer);
			break;
		default:
			text_char(out, *n);
		}
}

void event_print(const struct dictionary *d, uint32_t event, struct text *out)
{
	struct ranks_run single;
	struct ranks processes = event_processes(d, event, &single);
	print_event(d, dictionary_get_event(d, event), &processes, out);
}

void event_print_as(const struct dictionary *d, uint32_t event, uint32_t rank, struct text *out)
{
	struct ranks_run single = {rank, rank};
	struct ranks processes = {.run = &single, .length = 1};
	print_event(d, dictionary_get_event(d, event), &processes, out);
}

/* ------------------------------------------------------------------ characters */

/* Does the text from here mean something else than itself in a trace or a model? Says what. */
static const char *forbidden(const char *at)
{
	switch (*at) {
	case '#':
		return "it starts a comment in traces; in a name write %23";
	case ';':
		return "it starts the attributes in traces; in a name write %3B";
	case '{':
	case '}':
		return "braces are for numbers of models that advance, in tags, peers and roots; in a name write %7B and %7D";
	case '/':
		return at[1] == '/' ? "'//' starts a comment in models; in a name write /%2F" : NULL;
	default:
		return NULL;
	}
}

static bool check_characters(const char *line, struct error *error)
{
	for (const char *at = line; *at; at++) {
		if (is_control(*at))
			return error_set(
				error, ERROR_INPUT, "control character 0x%02x in an event", (unsigned char)*at);
		const char *why = forbidden(at);
		if (why)
			return error_set(error, ERROR_INPUT, "'%c' can not stand in an event: %s", *at, why);
	}
	return true;
}

/* ------------------------------------------------------------------ reading */

static bool read_rank(struct word word, const char *what, uint32_t *rank, struct error *error)
{
	const char *at = word.start;
	uint64_t value;
	if (!word.length || !text_read_number(&at, RANK_LIMIT - 1, &value) || at != word.start + word.length)
		return error_set(error, ERROR_INPUT, "%s must be a rank, a number from 0 to %u, not '%.*s'", what,
			RANK_LIMIT - 1, SHOWN_WORD(word));
	*rank = (uint32_t)value;
	return true;
}

static bool read_ranks(struct word word, const char *what, struct ranks *set, struct error *error)
{
	const char *at = word.start;
	if (!ranks_parse(set, &at, error))
		return error_at(error, "%s '%.*s'", what, SHOWN_WORD(word));
	if (at != word.start + word.length)
		return error_set(
			error, ERROR_INPUT, "%s must be ranks, as in 0,4,8-11, not '%.*s'", what, SHOWN_WORD(word));
	return true;
}

/* Take "@2" off the end of a word. */
static bool split_communicator(struct word *word, int64_t *communicator, struct error *error)
{
	*communicator = NO_COMMUNICATOR;
	const char *sign = memchr(word->start, '@', word->length);
	if (!sign)
		return true;
	const char *at = sign + 1;
	uint64_t value;
	if (!text_read_number(&at, INT64_MAX, &value) || at != word->start + word->length)
		return error_set(error, ERROR_INPUT, "a communicator is a number behind '@', as in @2, not '%.*s'",
			SHOWN_WORD(*word));
	*communicator = (int64_t)value;
	word->length = (size_t)(sign - word->start);
	return true;
}

static bool read_tag(struct dictionary *d, struct word word, struct tag *tag, struct error *error)
{
	struct word whole = word;
	*tag = (struct tag){0};
	if (!split_communicator(&word, &tag->communicator, error))
		return false;
	if (!word.length)
		return error_set(
			error, ERROR_INPUT, "'%.*s' is a communicator without a tag before it", SHOWN_WORD(whole));
	const char *digits = word_number(word, &tag->number);
	tag->numbered = digits < word.start + word.length;
	tag->stem = dictionary_word(d, word.start, (size_t)(digits - word.start));
	return true;
}

/* What has a tag, or a window: as in "SOURCE send DESTINATION TAG". */
static bool read_message(struct dictionary *d, struct word first, const char *at, struct event *event, struct tag *tag,
	struct error *error)
{
	static const struct {
		const char *ends[2], *form;
	} said[] = {[MATCH_OUT] = {{"the source", "the destination"}, "a send is 'SOURCE send DESTINATION TAG'"},
		[MATCH_IN] = {{"the source", "the destination"}, "a receive is 'SOURCE recv DESTINATION TAG'"},
		[MATCH_NONE] = {{"the origin", "the target"}, NULL}};
	struct text form = {0};
	bool peered = kind_has_peer(event->kind);
	struct word second = peered ? word_next(&at) : first, tag_word = word_next(&at);
	enum event_match match = kind_rows[event->kind].match;
	uint32_t from, to = 0;
	if (said[match].form)
		text_put(&form, said[match].form);
	else
		text_format(&form, "one-sided communication is 'ORIGIN %s%s WINDOW'", kind_rows[event->kind].verb,
			peered ? " TARGET" : "");
	bool good = tag_word.length || error_set(error, ERROR_INPUT, "a word is missing: %s", form.data);
	good = good && read_rank(first, said[match].ends[0], &from, error) &&
	       (!peered || read_rank(second, said[match].ends[1], &to, error)) && read_tag(d, tag_word, tag, error) &&
	       words_end(at, form.data, error);
	text_clear(&form);
	if (!good)
		return false;
	event->process = match == MATCH_IN ? to : from;
	event->peer = match == MATCH_IN ? from : to;
	return true;
}

static bool read_root(const char **at, uint32_t *root, struct error *error)
{
	const char *behind = *at;
	struct word word = word_next(&behind);
	*root = NO_ROOT;
	if (word.length < 5 || memcmp(word.start, "root=", 5))
		return true;
	*at = behind;
	return read_rank((struct word){word.start + 5, word.length - 5}, "the root", root, error);
}

static bool check_members(const struct ranks *processes, const struct ranks *group, bool several, struct error *error)
{
	if (!several && ranks_count(processes) > 1)
		return error_set(error, ERROR_INPUT, "an event of a trace is one process's, not several processes'");
	if (ranks_within(processes, group))
		return true;
	struct text names = {0};
	ranks_print(group, &names);
	error_set(error, ERROR_INPUT, "a sync of processes that are not in its group, %.80s", names.data);
	text_clear(&names);
	return false;
}

static bool read_sync_sets(struct dictionary *d, struct word first, struct word group_word, bool several,
	struct sync *sync, struct event *event, struct ranks *processes, struct ranks *group, struct error *error)
{
	if (!split_communicator(&group_word, &sync->communicator, error) ||
		!read_ranks(first, "the processes", processes, error) ||
		!read_ranks(group_word, "the group", group, error) || !check_members(processes, group, several, error))
		return false;
	sync->group = dictionary_ranks(d, group);
	event->process = dictionary_ranks(d, processes);
	return true;
}

static bool read_sync(
	struct dictionary *d, struct word first, bool several, const char *at, struct event *event, struct error *error)
{
	const char *form = "a sync is 'PROCESS sync NAME GROUP [root=RANK]'";
	struct word name = word_next(&at), group_word = word_next(&at);
	if (!group_word.length)
		return error_set(error, ERROR_INPUT, "a word is missing: %s", form);
	struct ranks processes = {0}, group = {0};
	struct sync sync = {0};
	bool good = read_sync_sets(d, first, group_word, several, &sync, event, &processes, &group, error);
	ranks_clear(&processes);
	ranks_clear(&group);
	if (!good || !read_root(&at, &event->peer, error) || !words_end(at, form, error))
		return false;
	sync.name = dictionary_word(d, name.start, name.length);
	event->subject = dictionary_sync(d, &sync);
	return true;
}

/* "a local event is 'PROCESS local WORD...'" */
static void put_form(uint32_t kind, struct text *out)
{
	text_format(out, "a %s event is '", kind_rows[kind].verb);
	for (const char *n = kind_rows[kind].notation; *n; n++)
		if (*n == 'S' || *n == 'P')
			text_put(out, *n == 'S' ? "PROCESS" : "RANK");
		else if (*n == 'N' || *n == 'W')
			text_put(out, *n == 'N' ? "NAME" : "WORD...");
		else
			text_char(out, *n);
	text_char(out, '\'');
}

/* A name, or the words to the end of the line; and the peer before it. */
static bool read_described(
	struct dictionary *d, struct word first, const char *at, struct event *event, struct error *error)
{
	bool peered = kind_has_peer(event->kind), one = strchr(kind_rows[event->kind].notation, 'N') != NULL;
	struct word peer = peered ? word_next(&at) : first, word = word_next(&at);
	struct text form = {0}, words = {0};
	put_form(event->kind, &form);
	bool good = word.length || error_set(error, ERROR_INPUT, "a word is missing: %s", form.data);
	good = good && read_rank(first, "the process", &event->process, error) &&
	       (!peered || read_rank(peer, "the peer", &event->peer, error)) &&
	       (!one || words_end(at, form.data, error));
	for (; good && word.length; word = word_next(&at)) {
		if (words.length)
			text_char(&words, ' ');
		text_add(&words, word.start, word.length);
	}
	if (good)
		event->subject = dictionary_word(d, words.data, words.length);
	text_clear(&form);
	text_clear(&words);
	return good;
}

static bool read_nothing(struct word first, struct word verb, struct error *error)
{
	struct text verbs = {0};
	kind_verbs(&verbs);
	if (!verb.length)
		error_set(error, ERROR_INPUT, "'%.*s' is not an event: a rank and %s are expected", SHOWN_WORD(first),
			verbs.data);
	else
		error_set(error, ERROR_INPUT, "'%.*s' is not an event: %s is expected", SHOWN_WORD(verb), verbs.data);
	text_clear(&verbs);
	return false;
}

bool event_scan(
	struct dictionary *d, const char *line, bool several, struct event *e, struct tag *tag, struct error *error)
{
	*e = (struct event){0};
	const char *at = line;
	struct word first = word_next(&at), verb = word_next(&at);
	if (*first.start == '[')
		return error_set(error, ERROR_INPUT,
			"statements over a set of ranks, '[...]', stand in models only: this is no event");
	if (!check_characters(line, error))
		return false;

	e->kind = kind_of_verb(verb.start, verb.length);
	if (e->kind == EVENT_KINDS)
		return read_nothing(first, verb, error);
	switch (kind_rows[e->kind].subject) {
	case SUBJECT_TAG:
		return read_message(d, first, at, e, tag, error);
	case SUBJECT_SYNC:
		return read_sync(d, first, several, at, e, error);
	case SUBJECT_WORD:
		return read_described(d, first, at, e, error);
	}
	return false;
}

bool event_parse(struct dictionary *d, const char *line, bool several, uint32_t *event, struct error *error)
{
	struct event e;
	struct tag tag;
	if (!event_scan(d, line, several, &e, &tag, error))
		return false;
	if (kind_rows[e.kind].subject == SUBJECT_TAG)
		e.subject = dictionary_tag(d, &tag);
	*event = dictionary_event(d, &e);
	return true;
}

/* ------------------------------------------------------------------ names from outside */

/* The length of the blanks at `at`. */
static size_t blanks(const char *at)
{
	return strspn(at, " \t");
}

void name_clean(const char *name, bool one_word, struct text *out)
{
	size_t start = out->length;
	const char *at = name + blanks(name);
	while (*at) {
		size_t gap = blanks(at);
		at += gap;
		if (!*at)
			break;
		if (gap)
			text_char(out, one_word ? '_' : ' ');
		enum utf8_kind kind;
		size_t length = utf8_next(at, &kind);
		bool stays = kind == UTF8_PLAIN && !strchr("#;{}\n", *at) &&
			     (*at != '/' || out->length == start || out->data[out->length - 1] != '/');
		for (; length > 0; length--, at++)
			text_format(out, stays ? "%c" : "%%%02X", (unsigned char)*at);
	}
	if (out->length == start)
		text_char(out, '?');
}
