/*
 * fuzz_options.c -- any bytes as a command line: its first byte is the verb, then words of it, each
 * on a line; refused with a message, or settings that can be used and cleared.
 */
#include <string.h>

#include "cli/options.h"
#include "cli/verbs.h"
#include "tests/fuzz/fuzz.h"

static const struct verb verbs[] = {
#define VERB_AS(id, name, group, arguments, least, most, options, summary, details)                                    \
	{name, group, arguments, least, most, options, summary, details, NULL},
#define VERB(name, ...) VERB_AS(name, #name, __VA_ARGS__)
#include "cli/verbs.def"
#undef VERB
#undef VERB_AS
};

#define WORDS_LEAD 64

/* The words are cut out of the bytes. */
static int words_of(char *bytes, char **word)
{
	int words = 0;
	for (char *at = bytes; at && words < WORDS_LEAD;) {
		char *line = strchr(at, '\n');
		if (line)
			*line++ = '\0';
		word[words++] = at;
		at = line;
	}
	word[words] = NULL;
	return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	const struct verb *verb = &verbs[data[0] % (sizeof verbs / sizeof *verbs)];
	char *bytes = malloc(size), *word[WORDS_LEAD + 1];
	MUST(bytes);
	memcpy(bytes, data + 1, size - 1);
	bytes[size - 1] = '\0';
	int words = words_of(bytes, word);
	struct settings settings = {0};
	struct error error = {0};
	struct trace_options of_trace;
	if (options_read(verb, words, word, &settings, &error))
		MUST(settings_trace(&settings, NULL, &of_trace, &error) || *error.message);
	else
		MUST(error.kind != ERROR_NONE && *error.message);
	settings_clear(&settings);
	free(bytes);
	return 0;
}
