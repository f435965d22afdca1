/*
 * options.c -- the reader of the option table, options.def.
 *
 * A row of the table is all that is known of an option: its spelling, where its value goes, what
 * values it takes and what the help says. A verb names the rows it takes; a row it does not take is
 * unknown to it. Names are exact (no abbreviations, so that a new option can never change what a
 * script means; but for underscores, which are hyphens), values follow as "--name VALUE", "--name=VALUE", "-o VALUE" or "-oVALUE", options
 * and files may come in any order, and "--" ends the options.
 */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "merge/merge.h"
#include "nlr/nlr.h"
#include "profile/columns.h"

enum kind {
	KIND_FLAG,
	KIND_CHOICE,
	KIND_NUMBER,
	KIND_FACTOR,
	KIND_TIME,
	KIND_WORD,
	KIND_MAYBE,
	KIND_WORDS,
	KIND_RANKS
};

enum group {
#define GROUP(id, heading) GROUP_##id,
#define OPTION(...)
#define VARIANT(...)
#include "cli/options.def"
	OPTION_GROUPS
};

static const char *const headings[OPTION_GROUPS] = {
#define GROUP(id, heading) [GROUP_##id] = heading,
#define OPTION(...)
#define VARIANT(...)
#include "cli/options.def"
};

static const struct option {
	enum group group;
	const char *name;
	char letter; /* '\0': none */
	const char *help;
	size_t at; /* in struct settings */
	enum kind kind;
	const char *value; /* as the help shows it; choices: "a|b|c" */
	double initial;
	uint64_t least, most;
	const char *standard; /* what the help says of the default, where not the initial number */
} options[OPTION_IDS] = {
#define GROUP(id, heading)
#define OPTION(id, group, member, letter, name, kind, help)                                                            \
	[OPTION_##id] = {GROUP_##group, name, letter, help, offsetof(struct settings, member), kind},
#define VARIANT(id, group, member, letter, name, kind, help)                                                           \
	[OPTION_##id] = {GROUP_##group, name, letter, help, offsetof(struct settings, member), kind},
#define FLAG KIND_FLAG, NULL, 0, 0, 0, NULL
#define CHOICE(choices) KIND_CHOICE, choices, 0, 0, 0, NULL
#define NUMBER(value, initial, least, most, standard) KIND_NUMBER, value, initial, least, most, standard
#define FACTOR(value, initial, least, most) KIND_FACTOR, value, initial, least, most, NULL
#define TIME_OF_RUN(value, standard) KIND_TIME, value, 0, 0, 0, standard
#define WORD(value, standard) KIND_WORD, value, 0, 0, 0, standard
#define MAYBE(value, standard) KIND_MAYBE, value, 0, 0, 0, standard
#define WORDS(value) KIND_WORDS, value, 0, 0, 0, NULL
#define RANKS(value, standard) KIND_RANKS, value, 0, 0, 0, standard
#include "cli/options.def"
};

bool verb_takes(const struct verb *verb, enum option_id id)
{
	const enum option_id *taken = verb->options;
	while (*taken != OPTION_IDS && *taken != id)
		taken++;
	return *taken == id;
}

/* ------------------------------------------------------------------ did you mean */

/* Letters to insert, delete or replace to get from one word to the other (Levenshtein), for short
   words; else many. */
static size_t mistakes(const char *a, size_t a_length, const char *b)
{
	enum { LONGEST = 31 };
	size_t b_length = strlen(b), row[LONGEST + 1];
	if (a_length > LONGEST || b_length > LONGEST)
		return SIZE_MAX;
	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
			size_t moved = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
			diagonal = row[j];
			row[j] = moved < replaced ? moved : replaced;
		}
	}
	return row[b_length];
}

const char *nearest_name(const char *word, size_t length, const char *(*name)(size_t i), size_t count)
{
	const char *best = NULL;
	size_t fewest = 3;
	for (size_t i = 0; i < count; i++) {
		size_t wrong = mistakes(word, length, name(i));
		if (wrong < fewest && wrong < strlen(name(i))) {
			fewest = wrong;
			best = name(i);
		}
	}
	return best;
}

static const char *option_name(size_t i)
{
	return options[i].name;
}

/* ------------------------------------------------------------------ values */

/* The index of a word among "a|b|c", or -1. */
static int choice_index(const char *choices, const char *word)
{
	size_t length = strlen(word);
	for (int i = 0; *choices; i++) {
		size_t span = strcspn(choices, "|");
		if (span == length && memcmp(choices, word, span) == 0)
			return i;
		choices += span + (choices[span] == '|');
	}
	return -1;
}

static bool read_ranks(const struct option *o, const char *value, struct ranks *to, struct error *error)
{
	const char *at = value;
	if (!ranks_parse(to, &at, error))
		return error_at(error, "--%s %s: not a set of ranks such as 3 or 0-3,8", o->name, value);
	if (*at != '\0')
		return error_set(error, ERROR_INPUT, "--%s %s: not a set of ranks such as 3 or 0-3,8", o->name, value);
	return true;
}

/* Digits, and perhaps a point and more digits. */
static bool read_factor(const struct option *o, const char *value, double *to, struct error *error)
{
	size_t whole = strspn(value, "0123456789"), length = whole;
	if (value[whole] == '.')
		length += 1 + strspn(value + whole + 1, "0123456789");
	double factor = strtod(value, NULL);
	if (whole == 0 || value[length] != '\0' || value[length - 1] == '.' || factor < (double)o->least ||
		factor > (double)o->most)
		return error_set(error, ERROR_INPUT, "--%s %s: not a number from %" PRIu64 " to %" PRIu64, o->name,
			value, o->least, o->most);
	*to = factor;
	return true;
}

bool time_parse(const char *word, double *seconds)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
	char *end;
	errno = 0;
	double value = strtod(word, &end);
	if (errno || word[0] < '0' || word[0] > '9')
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].name)) {
			*seconds = value * units[i].seconds;
			return true;
		}
	return false;
}

static bool store(const struct option *o, const char *value, struct settings *s, struct error *error)
{
	void *to = (char *)s + o->at;
	if ((o->kind == KIND_WORD || o->kind == KIND_WORDS) && !*value)
		return error_set(error, ERROR_INPUT, "--%s: an empty %s", o->name, o->value);
	if (o->kind == KIND_FLAG) {
		*(bool *)to = true;
		return true;
	}
	if (o->kind == KIND_RANKS)
		return read_ranks(o, value, to, error);
	if (o->kind == KIND_FACTOR)
		return read_factor(o, value, to, error);
	if (o->kind == KIND_TIME)
		return time_parse(value, to) ||
		       error_set(error, ERROR_INPUT, "--%s %s: no time, as in " TIME_EXAMPLES, o->name, value);
	if (o->kind == KIND_WORDS) {
		struct words *words = to;
		if (words->count == WORDS_LIMIT)
			return error_set(error, ERROR_INPUT, "--%s stands more than %d times", o->name, WORDS_LIMIT);
		words->word[words->count++] = value;
		return true;
	}
	if (o->kind == KIND_WORD || o->kind == KIND_MAYBE) {
		*(const char **)to = value;
		return true;
	}
	if (o->kind == KIND_CHOICE) {
		int index = choice_index(o->value, value);
		if (index < 0)
			return error_set(error, ERROR_INPUT, "--%s %s: not one of %s", o->name, value, o->value);
		*(uint64_t *)to = (uint64_t)index;
		return true;
	}
	uint64_t number;
	if (!text_is_number(value, o->most, &number) || number < o->least)
		return error_set(error, ERROR_INPUT, "--%s %s: not a number from %" PRIu64 " to %" PRIu64, o->name,
			value, o->least, o->most);
	*(uint64_t *)to = number;
	return true;
}

/* ------------------------------------------------------------------ reading */

/* An underscore is as good as a hyphen. */
static bool is_name(const char *name, const char *word, size_t length)
{
	size_t i = 0;
	while (i < length && name[i] && (name[i] == word[i] || (name[i] == '-' && word[i] == '_')))
		i++;
	return i == length && !name[i];
}

/* What options were called once: scripts of then go on running. */
static const struct {
	const char *former, *name;
} renamed[] = {{"folded", "roles"}, {"unfold", "unfolded"}, {"ranks", "rank"}};

static int find_long(const struct verb *verb, const char *name, size_t length)
{
	for (int i = 0; i < OPTION_IDS; i++)
		if (verb_takes(verb, (enum option_id)i) && is_name(options[i].name, name, length))
			return i;
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
		if (is_name(renamed[i].former, name, length))
			return find_long(verb, renamed[i].name, strlen(renamed[i].name));
	return -1;
}

static int find_letter(const struct verb *verb, char letter)
{
	for (int i = 0; i < OPTION_IDS; i++)
		if (verb_takes(verb, (enum option_id)i) && options[i].letter == letter)
			return i;
	return -1;
}

static bool unknown_option(const struct verb *verb, const char *word, struct error *error)
{
	size_t length = strcspn(word, "=");
	const char *meant = length > 2 ? nearest_name(word + 2, length - 2, option_name, OPTION_IDS) : NULL;
	if (meant && find_long(verb, meant, strlen(meant)) < 0)
		return error_set(error, ERROR_INPUT,
			"%s takes no option %.*s ('tracenest %s --help' lists its options)", verb->name, (int)length,
			word, verb->name);
	if (meant)
		return error_set(
			error, ERROR_INPUT, "unknown option %.*s: did you mean --%s?", (int)length, word, meant);
	return error_set(error, ERROR_INPUT, "unknown option %.*s ('tracenest %s --help' lists the options)",
		(int)length, word, verb->name);
}

/* Where the words are being read. */
struct reading {
	const struct verb *verb;
	char **word;
	int words, at;
	const char *
		*maybe; /* the value that the last option that may have none took from the next word; NULL: none did */
};

/* Split the option at r->at into its row and its value; r->at moves behind both. */
static bool read_option(struct reading *r, struct settings *s, int *id, const char **value, struct error *error)
{
	const char *word = r->word[r->at++];
	const char *attached = NULL;
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");
		*id = find_long(r->verb, word + 2, length);
		attached = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
	} else {
		*id = find_letter(r->verb, word[1]);
		attached = word[2] != '\0' ? word + 2 : NULL;
	}
	if (*id < 0)
		return unknown_option(r->verb, word, error);
	const struct option *o = &options[*id];
	if (o->kind == KIND_FLAG && attached)
		return error_set(error, ERROR_INPUT, "--%s takes no value ('%s')", o->name, word);
	if (o->kind == KIND_MAYBE && !attached) {
		*value = r->at < r->words && r->word[r->at][0] != '-' ? r->word[r->at++] : "";
		r->maybe = **value ? (const char **)((char *)s + o->at) : NULL;
		return true;
	}
	if (o->kind != KIND_FLAG && !attached) {
		if (r->at == r->words)
			return error_set(error, ERROR_INPUT, "--%s needs a value: %s", o->name, o->value);
		attached = r->word[r->at++];
	}
	*value = attached;
	return true;
}

static bool take_argument(
	const struct verb *verb, const char *word, unsigned *count, struct settings *s, struct error *error)
{
	if (*count == (verb->most == VERB_FILES_OR_COMMAND ? VERB_FILES_MOST : verb->most))
		return error_set(error, ERROR_INPUT, "%s takes %s: what is '%s'?", verb->name, verb->arguments, word);
	if (*word == '\0')
		return error_set(error, ERROR_INPUT, "%s: an empty file name", verb->name);
	s->argument[(*count)++] = word;
	return true;
}

static void settings_start(struct settings *s)
{
	*s = (struct settings){0};
	for (enum option_id id = 0; id < OPTION_IDS; id++) {
		void *to = (char *)s + options[id].at;
		if (options[id].kind == KIND_NUMBER)
			*(uint64_t *)to = (uint64_t)options[id].initial;
		else if (options[id].kind == KIND_FACTOR)
			*(double *)to = options[id].initial;
	}
}

bool options_read(const struct verb *verb, int words, char **word, struct settings *s, struct error *error)
{
	settings_start(s);
	struct reading r = {verb, word, words, 0, NULL};
	unsigned arguments = 0;
	bool options_ended = false;
	while (r.at < words) {
		const char *w = word[r.at];
		bool argument = options_ended || w[0] != '-' || w[1] == '\0';
		if (argument && verb->most == VERB_COMMAND) {
			s->command = word + r.at;
			arguments = (unsigned)(words - r.at);
			break;
		}
		if (argument) {
			if (!take_argument(verb, w, &arguments, s, error))
				return false;
			r.at++;
			continue;
		}
		if (strcmp(w, "--") == 0) {
			options_ended = true;
			r.at++;
			if (verb->most != VERB_FILES_OR_COMMAND)
				continue;
			s->command = word + r.at;
			break;
		}
		int id;
		const char *value = NULL;
		if (!read_option(&r, s, &id, &value, error) || !store(&options[id], value, s, error))
			return false;
		s->given[id] = true;
	}
	if (arguments < verb->least && r.maybe) { /* a word behind an option that may have no value is an argument */
		s->argument[arguments++] = *r.maybe;
		*r.maybe = "";
	}
	if (s->csv && s->json)
		return error_set(error, ERROR_INPUT, "--json and --csv exclude each other");
	return s->help || arguments >= verb->least ||
	       error_set(error, ERROR_INPUT, "%s needs %s ('tracenest %s --help' tells more)", verb->name,
		       verb->arguments, verb->name);
}

const char *option_spelling(enum option_id id)
{
	return options[id].name;
}

size_t settings_arguments(const struct settings *s)
{
	size_t count = 0;
	while (s->argument[count])
		count++;
	return count;
}

void settings_clear(struct settings *s)
{
	ranks_clear(&s->ranks);
}

bool settings_trace(const struct settings *s, const struct notes *notes, struct trace_options *to, struct error *error)
{
	*to = (struct trace_options){0};
	if (notes && !trace_options_of_notes(to, notes, error))
		return error_at(error, "%s", s->argument[0]);
	const struct {
		enum option_id id;
		uint64_t choice;
	} asked[TRACE_OPTIONS] = {
		[TRACE_OPTION_EVENTS] = {OPTION_EVENTS, s->events},
		[TRACE_OPTION_ORDER] = {OPTION_ORDER, s->order},
		[TRACE_OPTION_COLLECTIVES] = {OPTION_COLLECTIVES, s->collectives},
	};
	for (enum trace_option i = 0; i < TRACE_OPTIONS; i++)
		if (s->given[asked[i].id]) /* the user knows better */
			trace_option_set(to, i, (unsigned)asked[i].choice);
	to->lenient = s->lenient;
	return true;
}

/* ------------------------------------------------------------------ the ranks asked for */

bool selection_exists(const struct settings *s, uint32_t processes, struct error *error)
{
	if (s->ranks.length == 0)
		return true;
	uint32_t last = s->ranks.run[s->ranks.length - 1].last;
	if (last < processes)
		return true;
	if (processes == 0)
		return error_set(error, ERROR_INPUT, "%s: there are no processes to choose from", s->argument[0]);
	return error_set(error, ERROR_INPUT, "%s: there is no rank %" PRIu32 ", the ranks are 0 to %" PRIu32,
		s->argument[0], last, processes - 1);
}

void selection_ranks(const struct settings *s, uint32_t processes, struct ranks *to)
{
	if (s->ranks.length)
		ranks_copy(to, &s->ranks);
	else if (processes > 0)
		ranks_add_run(to, 0, processes - 1);
}

/* ------------------------------------------------------------------ help */

static void put_default(enum option_id id, struct text *out)
{
	const struct option *o = &options[id];
	if (id == OPTION_JOBS)
		text_format(out, " (default: %s, here %u)", o->standard, parallel_cores());
	else if (o->standard)
		text_format(out, " (default: %s)", o->standard);
	else if (o->kind == KIND_NUMBER || o->kind == KIND_FACTOR)
		text_format(out, " (default: %.15g)", o->initial);
	else if (o->kind == KIND_CHOICE)
		text_format(out, " (default: %.*s)", (int)strcspn(o->value, "|"), o->value);
}

static void put_option(enum option_id id, struct text *out)
{
	const struct option *o = &options[id];
	size_t start = out->length;
	if (o->letter)
		text_format(out, "  -%c, --%s", o->letter, o->name);
	else
		text_format(out, "      --%s", o->name);
	if (o->kind == KIND_MAYBE)
		text_format(out, " [%s]", o->value);
	else if (o->value)
		text_format(out, " %s", o->value);
	size_t width = out->length - start;
	text_format(out, "%*s", width < 34 ? (int)(34 - width) : 2, "");
	text_put(out, o->help);
	put_default(id, out);
	text_char(out, '\n');
}

void options_help(const struct verb *verb, struct text *out)
{
	text_format(out, "Usage: tracenest %s [OPTION]... %s\n\n%s\n", verb->name, verb->arguments, verb->details);
	for (enum group group = 0; group < OPTION_GROUPS; group++) {
		bool headed = false;
		for (enum option_id id = 0; id < OPTION_IDS; id++) {
			if (options[id].group != group || !verb_takes(verb, id))
				continue;
			if (!headed)
				text_format(out, "\n%s:\n", headings[group]);
			headed = true;
			put_option(id, out);
		}
	}
	text_format(out, "\nThe manual: man tracenest-%s\n", verb->name);
}
