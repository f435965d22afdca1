/*
 * main.c -- the tracenest command: find the verb, read its options, run it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "trace/trace.h"

static const struct verb verbs[] = {
#define VERB_AS(id, name, group, arguments, least, most, options, summary, details)                                    \
	{name, group, arguments, least, most, options, summary, details, verb_##id},
#define VERB(name, ...) VERB_AS(name, #name, __VA_ARGS__)
#include "cli/verbs.def"
#undef VERB
#undef VERB_AS
};

#define VERBS (sizeof verbs / sizeof verbs[0])

static const char *const group_title[VERB_GROUPS] = {
	[GROUP_RUNS] = "From a program that uses MPI",
	[GROUP_TRACES] =
		"From a trace (an OTF2 archive's anchor file, a text trace, a directory of text traces, or - for standard input)",
	[GROUP_MODELS] = "From a model (a file, or - for standard input)",
	[GROUP_RECORDS] = "From any trace of numbers or words, one record a line (a file, or - for standard input)",
};

static const char *name_of_verb(size_t i)
{
	return verbs[i].name;
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

static void general_help(struct text *out)
{
	text_put(out,
		"Usage: tracenest VERB [OPTION]... FILE...\n\n"
		"Turns the event traces of an MPI program into one short, lossless SPMD program, and answers questions about it.\n");
	for (int group = 0; group < VERB_GROUPS; group++) {
		text_format(out, "\n%s:\n", group_title[group]);
		for (size_t i = 0; i < VERBS; i++)
			if (verbs[i].group == (enum verb_group)group)
				text_format(
					out, "  %-11s %-20s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].summary);
	}
	text_put(out,
		"\nOptions and defaults of a verb: tracenest help VERB. Its manual: man tracenest-VERB.\n"
		"Version: tracenest version.\n"
		"Exit status: 0 done, 1 internal failure, 2 bad usage or unreadable input, 3 the trace or the model is "
		"inconsistent; of test: 1 something has changed.\n");
}

/* Results on standard output, like any verb's: the final flush is checked. */
static int print(struct text *text)
{
	struct report report = report_start(&(struct settings){0});
	struct error error = {0};
	bool good = output_all_text(NULL, text, &error);
	text_clear(text);
	return good ? 0 : report_error(&report, &error, NULL);
}

static int print_help(const struct verb *verb)
{
	struct text text = {0};
	if (verb)
		options_help(verb, &text);
	else
		general_help(&text);
	return print(&text);
}

static int print_version(void)
{
	struct text text = {0};
	text_put(&text, "tracenest " TRACENEST_VERSION "\n");
	return print(&text);
}

static int bad_usage(const struct error *error)
{
	struct report report = report_start(&(struct settings){0});
	return report_error(&report, error, NULL);
}

static int unknown_verb(const char *word)
{
	struct error error;
	const char *meant = nearest_name(word, strlen(word), name_of_verb, VERBS);
	if (meant)
		error_set(&error, ERROR_INPUT, "there is no verb '%s': did you mean %s?", word, meant);
	else
		error_set(&error, ERROR_INPUT, "there is no verb '%s' ('tracenest --help' lists them)", word);
	return bad_usage(&error);
}

static int help_of(const char *name)
{
	const struct verb *verb = find_verb(name);
	bool general = !strcmp(name, "help") || !strcmp(name, "version");
	return verb || general ? print_help(verb) : unknown_verb(name);
}

/* Text under the name of a picture or a page would be opened as one. */
static bool name_fits(const struct verb *verb, const struct settings *s, struct error *error)
{
	static const struct {
		const char *ending, *verbs;
	} written[] = {{".svg", " draw matrix time "}, {".pdf", " draw matrix time "}, {".png", " draw matrix time "},
		{".dot", " draw "}, {".html", " draw report scaling "}};
	for (size_t i = 0; s->output && i < sizeof written / sizeof *written; i++) {
		struct text word = {0};
		text_format(&word, " %s ", verb->name);
		bool known = strstr(written[i].verbs, word.data);
		text_clear(&word);
		if (!known && text_ends_with(s->output, written[i].ending))
			return error_set(error, ERROR_INPUT, "%s: %s writes no %s: choose a name that says what it is",
				s->output, verb->name, written[i].ending + 1);
	}
	return true;
}

/* Of each archive once. */
struct listening {
	struct report *report;
	const struct settings *settings;
	bool records; /* the verb runs the program: its status is the program's */
	struct text told;
};

static void tell_unfinished(void *context, const char *path, const char *line)
{
	struct listening *l = context;
	if (l->told.length && strstr(l->told.data, line))
		return;
	text_format(&l->told, "%s\n", line);
	l->report->unfinished = true;
	struct text words = {0};
	text_format(&words, "%s: %s", path, line);
	if (l->records)
		report_say(l->report, "%s", line);
	else
		caution(l->report, l->settings, words.data);
	text_clear(&words);
}

static int run(const struct verb *verb, int words, char **word)
{
	struct settings settings;
	struct error error = {0};
	int status;
	if (!options_read(verb, words, word, &settings, &error))
		status = bad_usage(&error);
	else if (settings.help)
		status = print_help(verb);
	else if (!name_fits(verb, &settings, &error) || !inputs_kept(&settings, &error))
		status = bad_usage(&error);
	else {
		struct report report = report_start(&settings);
		struct listening l = {&report, &settings, !strcmp(verb->name, "record"), {0}};
		trace_listen(tell_unfinished, &l, verb_takes(verb, OPTION_LENIENT));
		status = verb->run(&settings, &report, &error) ? report.status : report_error(&report, &error, NULL);
		text_clear(&l.told);
	}
	settings_clear(&settings);
	return status;
}

/*
 * Where a standard descriptor is closed, the next file opened would take its number and be mistaken
 * for it. A closed one becomes /dev/null, opened so that using it fails: output must not seem to
 * have been written.
 */
static void occupy_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			_exit(ERROR_INTERNAL);
}

/* GLib, below Graphviz, ends so where it is denied a thread; it has said why. */
static void on_trap(int signal)
{
	static const char message[] = "tracenest: a library gave up\n";
	(void)signal;
	mem_end_if_short();
	ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
	(void)ignored;
	quick_exit(ERROR_INTERNAL);
}

int main(int words, char **word)
{
	occupy_standard_descriptors();
	trace_guard();
	signal(SIGTRAP, on_trap);
	signal(SIGPIPE, SIG_IGN); /* a reader that goes away is a failed write, which output.h knows about */
	if (words < 2) {
		struct error error;
		error_set(&error, ERROR_INPUT, "which verb? ('tracenest --help' lists them)");
		return bad_usage(&error);
	}
	const char *first = word[1];
	if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0 || strcmp(first, "version") == 0)
		return print_version();
	if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
		return print_help(NULL);
	if (strcmp(first, "help") == 0)
		return words > 2 ? help_of(word[2]) : print_help(NULL);
	const struct verb *verb = find_verb(first);
	return verb ? run(verb, words - 2, word + 2) : unknown_verb(first);
}
