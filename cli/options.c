/*
 * options.c -- the option table and its reader.
 *
 * A row of the table is all that is known of an option: its spelling, where its value goes, what values it takes and what the
 * help says. A verb names the rows it takes; a row it does not take is unknown to it. Names are exact (no abbreviations, so
 * that a new option can never change what a script means), values follow as "--name VALUE", "--name=VALUE", "-o VALUE" or
 * "-oVALUE", options and files may come in any order, and "--" ends the options.
 */
#include "cli/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "merge/merge.h"
#include "nlr/nlr.h"

enum kind { FLAG, WORD, WORDS, NUMBER, FACTOR, CHOICE, RANKS };

struct option {
	const char *heading; /* of the help */
	const char *name;
	char letter; /* '\0': none */
	const char *value;
	enum kind kind;
	size_t at; /* in struct settings */
	uint64_t low, high;
	const char *help;
};

#define AT(member) offsetof(struct settings, member)

static const struct option options[OPTION_IDS] = {
	[OPTION_EVENTS] = {"Reading the trace", "events", '\0', "comm|mpi|all", CHOICE, AT(events), 0, 0,
		"what becomes an event: communication; and where MPI calls begin and end; and any other region"},
	[OPTION_ORDER] = {"Reading the trace", "order", '\0', "posted|recorded", CHOICE, AT(order), 0, 0,
		"the order of receives that one wait call completed: as they were posted, or as they were recorded"},
	[OPTION_COLLECTIVES] = {"Reading the trace", "collectives", '\0', "recorded|regions", CHOICE, AT(collectives), 0, 0,
		"where no collective is recorded: nothing, or take a region named as one for a sync of all processes"},
	[OPTION_LOCAL] = {"Building the model", "local", '\0', NULL, FLAG, AT(local), 0, 0,
		"the processes one after the other, not merged"},
	[OPTION_UNFOLDED] = {"Building the model", "unfolded", '\0', NULL, FLAG, AT(unfolded), 0, 0,
		"a line for every event of every process, not one for what many processes do alike"},
	[OPTION_UNFOLD] = {"Output", "unfold", '\0', NULL, FLAG, AT(unfolded), 0, 0,
		"a line for every event of every process, not one for what many processes do alike"},
	[OPTION_LANGUAGE] = {"Output", "lang", '\0', "c|text", CHOICE, AT(language), 0, 0,
		"C with MPI calls, or the statements of the model in columns"},
	[OPTION_GROWTH] = {"Building the model", "growth", '\0', "FACTOR", FACTOR, AT(growth), 1, 1000,
		"merging may take so many times the constructs of what it merges"},
	[OPTION_WINDOW] = {"Building the model", "window", '\0', "N", NUMBER, AT(window), 1, 1000000,
		"longest loop body searched for, in terms"},
	[OPTION_REPETITIONS] = {"Building the model", "repetitions", '\0', "N", NUMBER, AT(repetitions), 2, NLR_REPETITIONS_MOST,
		"adjacent copies that become a loop"},
	[OPTION_AFFINE] = {"Building the model", "affine", '\0', "on|off", CHOICE, AT(affine), 0, 0,
		"look for numbers that advance from one iteration to the next, or only for what stays the same"},
	[OPTION_EXPAND] = {"What to do", "expand", '\0', NULL, FLAG, AT(expand), 0, 0, "read a nest and print the trace that it stands for"},
	[OPTION_PREDICT] = {"What to do", "predict", '\0', "N", NUMBER, AT(predict), 1, 1 << 20,
		"tell how many records were foretold rightly 1, 2, 4, ... N places ahead"},
	[OPTION_LENIENT] = {"Consistency", "lenient", '\0', NULL, FLAG, AT(lenient), 0, 0,
		"go on where messages, or members of collectives, are missing"},
	[OPTION_RANK] = {"Selection", "rank", 'r', "RANKS", RANKS, AT(ranks), 0, 0, "only these processes: \"3\", \"0-3,8\""},
	[OPTION_ONE_RANK] = {"Selection", "rank", 'r', "RANK", RANKS, AT(ranks), 0, 0, "only this process"},
	[OPTION_LOOP] = {"Selection", "loop", '\0', "ADDRESS", WORD, AT(loop), 0, 0,
		"only this construct: its path of indices from 0, as in \"2.0.1\""},
	[OPTION_POSITIONS] = {"Output", "positions", '\0', NULL, FLAG, AT(positions), 0, 0,
		"with comments: where each construct stands in its processes, and the events of one iteration"},
	[OPTION_NEST_POSITIONS] = {"Output", "positions", '\0', NULL, FLAG, AT(positions), 0, 0,
		"with comments: how many records come before each construct, and how many one iteration has"},
	[OPTION_ADDRESSES] = {"Output", "addresses", '\0', NULL, FLAG, AT(addresses), 0, 0,
		"unfolded, with the address of each construct as a comment: what --loop takes"},
	[OPTION_LOOPS] = {"Selection", "loop", '\0', "ADDRESS", WORDS, AT(loops), 0, 0,
		"only this construct, as in \"2.0.1\"; several times: each of them apart"},
	[OPTION_PER_ITERATION] = {"Selection", "per-iteration", '\0', NULL, FLAG, AT(per_iteration), 0, 0,
		"of a loop: of one iteration, not of all"},
	[OPTION_TAG] = {"Selection", "tag", '\0', "TAG", WORD, AT(tag), 0, 0, "only messages of this tag: \"tag3000\", \"3000\"; on one communicator: \"tag3000@2\""},
	[OPTION_BYTES] = {"Output", "bytes", '\0', "TRACE", WORD, AT(bytes), 0, 0, "volumes too, fetched from this trace by a generated scanner"},
	[OPTION_AT] = {"What to fetch", "at", '\0', "ADDRESS", WORDS, AT(at), 0, 0,
		"besides the model's annotations: at this construct, as in \"2.0.1\"; several times: at each"},
	[OPTION_GET] = {"What to fetch", "get", '\0', "ATTRIBUTE", WORDS, AT(get), 0, 0,
		"time, bytes, or a key of the trace's attributes; several times: each (default: time)"},
	[OPTION_RANKS] = {"What to fetch", "ranks", 'r', "RANKS", RANKS, AT(ranks), 0, 0, "on these processes: \"3\", \"0-3,8\""},
	[OPTION_OPENED] = {"Selection", "ranks", 'r', "RANKS", RANKS, AT(ranks), 0, 0,
		"where processes share lines (64 processes and more, or --folded): a line of its own for each of these"},
	[OPTION_OPEN_DEPTH] = {"Selection", "depth", '\0', "N", NUMBER, AT(open_depth), 1, 1000, "open loops to this depth, not deeper"},
	[OPTION_SKIP_SHORT] = {"Selection", "skip-short", '\0', NULL, FLAG, AT(skip_short), 0, 0,
		"leave out what comes before and after the loops that matter, with a mark"},
	[OPTION_ROLES] = {"Output", "folded", '\0', NULL, FLAG, AT(folded), 0, 0,
		"the folded program: a line per role (processes that do the same), messages as functions of the process p"},
	[OPTION_LABELS] = {"Output", "labels", '\0', "names|tags|none", CHOICE, AT(labels), 0, 0,
		"what is written in the picture: iteration counts and collectives; also the tag of every message"},
	[OPTION_WIDTH] = {"Output", "width", '\0', "MM", NUMBER, AT(width), 20, 10000, "width of the picture in millimetres"},
	[OPTION_TIMES] = {"Output", "times", '\0', "FILE", WORD, AT(times), 0, 0,
		"colour the loops by their share of the run time, from the JSON that 'tracenest time' writes"},
	[OPTION_START] = {"What to fetch", "start", '\0', NULL, FLAG, AT(start), 0, 0, "at the start of the construct (the default)"},
	[OPTION_END] = {"What to fetch", "end", '\0', NULL, FLAG, AT(end), 0, 0, "at its end, the event that follows it"},
	[OPTION_BOTH] = {"What to fetch", "both", '\0', NULL, FLAG, AT(both), 0, 0, "at both"},
	[OPTION_INSIDE] = {"What to fetch", "inside", '\0', NULL, FLAG, AT(inside), 0, 0, "at every event inside the construct"},
	[OPTION_RUN] = {"Running", "run", '\0', "TRACE", WORD, AT(run), 0, 0, "compile the scanner and run it on this trace: the output is its records"},
	[OPTION_PROGRAM] = {"Running", "program", '\0', "FILE.c", WORD, AT(program), 0, 0, "with --run: keep the C program here"},
	[OPTION_BINARY] = {"Output", "binary", '\0', NULL, FLAG, AT(binary), 0, 0, "records in binary columns, not as CSV"},
	[OPTION_DEPTH] = {"Selection", "depth", '\0', "N", NUMBER, AT(depth), 1, 1000, "loops inside at most so many others"},
	[OPTION_CSV] = {"Output", "csv", '\0', NULL, FLAG, AT(csv), 0, 0, "as CSV"},
	[OPTION_VERBOSE] = {"Running", "verbose", '\0', NULL, FLAG, AT(verbose), 0, 0, "show the commands that are run"},
	[OPTION_JSON] = {"Output", "json", '\0', NULL, FLAG, AT(json), 0, 0, "as JSON"},
	[OPTION_OUTPUT] = {"Output", "output", 'o', "FILE", WORD, AT(output), 0, 0, "write to FILE, whole or not at all"},
	[OPTION_PICTURE] = {"Output", "output", 'o', "FILE", WORD, AT(output), 0, 0, "write to FILE, whole or not at all; must be given"},
	[OPTION_JOBS] = {"Running", "jobs", 'j', "N", NUMBER, AT(jobs), 1, 4096, "threads; the result does not depend on it"},
	[OPTION_QUIET] = {"Running", "quiet", 'q', NULL, FLAG, AT(quiet), 0, 0, "no summary, no progress: errors only"},
	[OPTION_HELP] = {"Running", "help", 'h', NULL, FLAG, AT(help), 0, 0, "this help"},
};

static const struct settings defaults = {
	.growth = MERGE_GROWTH,
	.window = NLR_WINDOW,
	.repetitions = NLR_REPETITIONS,
	.depth = 3,
};

static bool verb_takes(const struct verb *verb, enum option_id id)
{
	return id == OPTION_HELP || (verb->options & BIT(id));
}

/* ------------------------------------------------------------------ did you mean */

static size_t smallest(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;
	return m < c ? m : c;
}

/* Letters to insert, delete or replace to get from one word to the other (Levenshtein), for short words; else many. */
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
			diagonal = row[j];
			row[j] = smallest(row[j] + 1, row[j - 1] + 1, replaced);
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

static void choice_put(const char *choices, uint64_t index, struct text *out)
{
	while (index--)
		choices += strcspn(choices, "|") + 1;
	text_add(out, choices, strcspn(choices, "|"));
}

static bool read_ranks(const struct option *o, const char *value, struct ranks *to, struct error *error)
{
	const char *at = value;
	if (!ranks_parse(to, &at, error))
		return error_at(error, "--%s %s", o->name, value);
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
	if (whole == 0 || value[length] != '\0' || value[length - 1] == '.' || factor < (double)o->low || factor > (double)o->high)
		return error_set(
			error, ERROR_INPUT, "--%s %s: not a number from %" PRIu64 " to %" PRIu64, o->name, value, o->low, o->high);
	*to = factor;
	return true;
}

static bool store_word(const struct option *o, const char *value, struct words *to, struct error *error)
{
	if (*value == '\0')
		return error_set(error, ERROR_INPUT, "--%s: an empty %s", o->name, o->value);
	if (to->count == WORDS_LIMIT)
		return error_set(error, ERROR_INPUT, "--%s stands more than %d times", o->name, WORDS_LIMIT);
	to->word[to->count++] = value;
	return true;
}

static bool store(const struct option *o, const char *value, struct settings *s, struct error *error)
{
	void *to = (char *)s + o->at;
	if (o->kind == FLAG) {
		*(bool *)to = true;
		return true;
	}
	if (o->kind == RANKS)
		return read_ranks(o, value, to, error);
	if (o->kind == FACTOR)
		return read_factor(o, value, to, error);
	if (o->kind == WORDS)
		return store_word(o, value, to, error);
	if (o->kind == WORD) {
		if (*value == '\0')
			return error_set(error, ERROR_INPUT, "--%s: an empty %s", o->name, o->value);
		*(const char **)to = value;
		return true;
	}
	if (o->kind == CHOICE) {
		int index = choice_index(o->value, value);
		if (index < 0)
			return error_set(error, ERROR_INPUT, "--%s %s: not one of %s", o->name, value, o->value);
		*(uint64_t *)to = (uint64_t)index;
		return true;
	}
	uint64_t number;
	if (!text_is_number(value, o->high, &number) || number < o->low)
		return error_set(
			error, ERROR_INPUT, "--%s %s: not a number from %" PRIu64 " to %" PRIu64, o->name, value, o->low, o->high);
	*(uint64_t *)to = number;
	return true;
}

/* ------------------------------------------------------------------ reading */

static int find_long(const struct verb *verb, const char *name, size_t length)
{
	for (int i = 0; i < OPTION_IDS; i++)
		if (verb_takes(verb, (enum option_id)i) && strlen(options[i].name) == length &&
			memcmp(options[i].name, name, length) == 0)
			return i;
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
		return error_set(error, ERROR_INPUT, "%s takes no option %.*s ('tracenest %s --help' lists its options)",
			verb->name, (int)length, word, verb->name);
	if (meant)
		return error_set(error, ERROR_INPUT, "unknown option %.*s: did you mean --%s?", (int)length, word, meant);
	return error_set(
		error, ERROR_INPUT, "unknown option %.*s ('tracenest %s --help' lists the options)", (int)length, word, verb->name);
}

/* Where the words are being read. */
struct reading {
	const struct verb *verb;
	char **word;
	int words, at;
};

/* Split the option at r->at into its row and its value; r->at moves behind both. */
static bool read_option(struct reading *r, int *id, const char **value, struct error *error)
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
	if (o->kind == FLAG && attached)
		return error_set(error, ERROR_INPUT, "--%s takes no value ('%s')", o->name, word);
	if (o->kind != FLAG && !attached) {
		if (r->at == r->words)
			return error_set(error, ERROR_INPUT, "--%s needs a value: %s", o->name, o->value);
		attached = r->word[r->at++];
	}
	*value = attached;
	return true;
}

static bool check_arguments(const struct verb *verb, unsigned count, struct error *error)
{
	if (count < verb->least)
		return error_set(error, ERROR_INPUT, "%s needs %s ('tracenest %s --help' tells more)", verb->name, verb->arguments,
			verb->name);
	return true;
}

static bool take_argument(const struct verb *verb, const char *word, unsigned *count, struct settings *s, struct error *error)
{
	if (*count == verb->most)
		return error_set(error, ERROR_INPUT, "%s takes %s: what is '%s'?", verb->name, verb->arguments, word);
	if (*word == '\0')
		return error_set(error, ERROR_INPUT, "%s: an empty file name", verb->name);
	s->argument[(*count)++] = word;
	return true;
}

bool options_read(const struct verb *verb, int words, char **word, struct settings *s, struct error *error)
{
	*s = defaults;
	struct reading r = {verb, word, words, 0};
	unsigned arguments = 0;
	bool options_ended = false;
	while (r.at < words) {
		const char *w = word[r.at];
		if (options_ended || w[0] != '-' || w[1] == '\0') {
			if (!take_argument(verb, w, &arguments, s, error))
				return false;
			r.at++;
			continue;
		}
		if (strcmp(w, "--") == 0) {
			options_ended = true;
			r.at++;
			continue;
		}
		int id;
		const char *value = NULL;
		if (!read_option(&r, &id, &value, error) || !store(&options[id], value, s, error))
			return false;
		s->given |= BIT(id);
	}
	return s->help || check_arguments(verb, arguments, error);
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
		if (s->given & BIT(asked[i].id)) /* the user knows better */
			trace_option_set(to, i, (unsigned)asked[i].choice);
	return true;
}

/* ------------------------------------------------------------------ help */

static uint64_t choice_of(const struct settings *s, enum option_id id)
{
	return *(const uint64_t *)((const char *)s + options[id].at);
}

static void put_default(enum option_id id, struct text *out)
{
	const struct option *o = &options[id];
	if (id == OPTION_OUTPUT)
		text_put(out, " (default: standard output)");
	else if (id == OPTION_JOBS)
		text_format(out, " (default: all cores, here %u)", parallel_cores());
	else if (id == OPTION_OPENED || id == OPTION_PREDICT)
		text_put(out, " (default: none)");
	else if (id == OPTION_OPEN_DEPTH || id == OPTION_WIDTH)
		text_put(out, " (default: what fits)");
	else if (o->kind == NUMBER)
		text_format(out, " (default: %" PRIu64 ")", choice_of(&defaults, id));
	else if (o->kind == FACTOR)
		text_format(out, " (default: %g)", *(const double *)((const char *)&defaults + o->at));
	else if (o->kind == RANKS)
		text_put(out, " (default: all)");
	else if (o->kind == CHOICE) {
		text_put(out, " (default: ");
		choice_put(o->value, choice_of(&defaults, id), out);
		text_char(out, ')');
	}
}

static void put_option(enum option_id id, struct text *out)
{
	const struct option *o = &options[id];
	size_t start = out->length;
	if (o->letter)
		text_format(out, "  -%c, --%s", o->letter, o->name);
	else
		text_format(out, "      --%s", o->name);
	if (o->value)
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
	const char *heading = "";
	for (enum option_id id = 0; id < OPTION_IDS; id++) {
		if (!verb_takes(verb, id))
			continue;
		if (strcmp(heading, options[id].heading) != 0)
			text_format(out, "\n%s:\n", heading = options[id].heading);
		put_option(id, out);
	}
	text_format(out, "\nThe manual: man tracenest-%s\n", verb->name);
}
