/*
 * trace_options.c -- the options of reading a trace as words, "--events mpi --order recorded": on a
 * command line, in a model's notes, in a scanner.
 */
#include "trace/trace_options.h"

#include <string.h>

static const struct {
	const char *name, *word[4];
} options[TRACE_OPTIONS] = {
	[TRACE_OPTION_EVENTS] = {"events", {[TRACE_COMM] = "comm", [TRACE_MPI] = "mpi", [TRACE_ALL] = "all"}},
	[TRACE_OPTION_ORDER] = {"order", {"posted", "recorded"}},
	[TRACE_OPTION_COLLECTIVES] = {"collectives", {"recorded", "regions"}},
};

static unsigned trace_option_get(const struct trace_options *o, enum trace_option option)
{
	switch (option) {
	case TRACE_OPTION_EVENTS:
		return o->events;
	case TRACE_OPTION_ORDER:
		return o->recorded_order;
	default:
		return o->collective_regions;
	}
}

void trace_option_set(struct trace_options *o, enum trace_option option, unsigned choice)
{
	if (option == TRACE_OPTION_EVENTS)
		o->events = (enum trace_events)choice;
	else if (option == TRACE_OPTION_ORDER)
		o->recorded_order = choice;
	else
		o->collective_regions = choice;
}

void trace_options_print(const struct trace_options *o, struct text *out)
{
	for (enum trace_option i = 0; i < TRACE_OPTIONS; i++)
		if (trace_option_get(o, i))
			text_format(out, "%s--%s %s", out->length ? " " : "", options[i].name,
				options[i].word[trace_option_get(o, i)]);
}

/* The next word, of those that blanks separate; false at the end. */
static bool next_word(const char **at, const char **word, size_t *length)
{
	*at += strspn(*at, " ");
	*word = *at;
	*length = strcspn(*at, " ");
	*at += *length;
	return *length;
}

static bool is_word(const char *name, const char *word, size_t length)
{
	return name && strlen(name) == length && !memcmp(name, word, length);
}

static bool read_choice(
	struct trace_options *o, enum trace_option option, const char *word, size_t length, struct error *error)
{
	for (unsigned choice = 0; options[option].word[choice]; choice++)
		if (is_word(options[option].word[choice], word, length)) {
			trace_option_set(o, option, choice);
			return true;
		}
	return error_set(error, ERROR_INPUT, "--%s %.*s is not how a trace can be read", options[option].name,
		(int)length, word);
}

bool trace_options_read(struct trace_options *o, const char *words, struct error *error)
{
	const char *word;
	size_t length;
	while (next_word(&words, &word, &length)) {
		enum trace_option i = 0;
		while (i < TRACE_OPTIONS &&
			!(length > 2 && !memcmp(word, "--", 2) && is_word(options[i].name, word + 2, length - 2)))
			i++;
		if (i == TRACE_OPTIONS)
			return error_set(
				error, ERROR_INPUT, "'%.*s' does not say how to read a trace", (int)length, word);
		next_word(&words, &word, &length);
		if (!read_choice(o, i, word, length, error))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------ in a model's notes */

static const char mark[] = "options ";

bool trace_options_of_notes(struct trace_options *o, const struct notes *notes, struct error *error)
{
	for (size_t i = 0; i < notes->length; i++)
		if (!strncmp(notes->line[i], mark, sizeof mark - 1) &&
			!trace_options_read(o, notes->line[i] + sizeof mark - 1, error))
			return error_at(error, "the model's note on options");
	return true;
}

void trace_options_note(const struct trace_options *o, struct notes *notes)
{
	struct text words = {0}, note = {0};
	trace_options_print(o, &words);
	if (words.length) {
		text_format(&note, "%s%s", mark, words.data);
		notes_add(notes, note.data);
	}
	text_clear(&words);
	text_clear(&note);
}
