/*
 * replay.c -- feeds a fuzz target without a fuzzer: the files of the directories named as
 * arguments, and a fixed number of random variations of each (more with TRACENEST_SOAK), the same
 * in every run. If the target dies, the input is left beside it, in NAME.crash.
 */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/fuzz/fuzz.h"

#define VARIATIONS (&fuzz_variations ? fuzz_variations : 1000) /* shared among the files */
#define LARGEST 65536

static uint64_t state = 1;
static char crash_path[4096];

static size_t random_below(size_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return limit ? (size_t)(state % limit) : 0;
}

static void feed(const struct text *input)
{
	FILE *crash = fopen(crash_path, "w");
	if (crash) {
		fwrite(input->data, 1, input->length, crash);
		fclose(crash);
	}
	/* A copy of its own, so that reading past its end is seen. */
	uint8_t *copy = mem_copy(input->data, input->length);
	LLVMFuzzerTestOneInput(copy, input->length);
	free(copy);
}

static void vary(struct text *input)
{
	static const char *const words[] = {"0", "-1", "99999999999999999999", "for i0 = 0 to ", "\ndone\n", "\n", " ",
		"0-3", ",", "@", ";", "#", "\xff", "{", "4294967295", "9223372036854775807"};
	size_t at = random_below(input->length), span = random_below(1 + random_below(64));
	if (span > input->length - at)
		span = input->length - at;
	switch (random_below(5)) {
	case 0:
		if (input->length)
			input->data[at] = (char)(input->data[at] ^ 1 << random_below(8));
		break;
	case 1:
		memmove(input->data + at, input->data + at + span, input->length - at - span);
		text_truncate(input, input->length - span);
		break;
	case 2: { /* move a piece to the end */
		char *piece = mem_copy(input->data + at, span);
		text_add(input, piece, span);
		free(piece);
		break;
	}
	case 3: {
		struct text tail = {0};
		text_add(&tail, input->data + at, input->length - at);
		text_truncate(input, at);
		text_put(input, words[random_below(sizeof words / sizeof *words)]);
		text_add(input, tail.data, tail.length);
		text_clear(&tail);
		break;
	}
	default:
		text_truncate(input, at);
	}
}

struct seeds {
	struct text *seed;
	size_t length, capacity;
};

static void add_seed(struct seeds *seeds, const char *path)
{
	struct stat status;
	FILE *file =
		stat(path, &status) || !S_ISREG(status.st_mode) || status.st_size > LARGEST ? NULL : fopen(path, "r");
	if (!file)
		return;
	char *bytes = mem_alloc(LARGEST);
	size_t length = fread(bytes, 1, LARGEST, file);
	struct text seed = {0};
	text_add(&seed, bytes, length);
	free(bytes);
	fclose(file);
	seeds->seed = mem_grow(seeds->seed, &seeds->capacity, seeds->length + 1, sizeof *seeds->seed);
	seeds->seed[seeds->length++] = seed;
}

static void add_directory(struct seeds *seeds, const char *directory)
{
	struct dirent **entry;
	int entries = scandir(directory, &entry, NULL, alphasort);
	for (int i = 0; i < entries; i++) {
		struct text path = {0};
		text_format(&path, "%s/%s", directory, entry[i]->d_name);
		add_seed(seeds, path.data);
		text_clear(&path);
		free(entry[i]);
	}
	if (entries >= 0)
		free(entry);
}

int main(int words, char **word)
{
	struct seeds seeds = {0};
	snprintf(crash_path, sizeof crash_path, "%s.crash", word[0]);
	for (int i = 1; i < words; i++)
		add_directory(&seeds, word[i]);
	const char *soak = getenv("TRACENEST_SOAK");
	size_t factor = soak && atoi(soak) > 0 ? (size_t)atoi(soak) : 1;
	size_t each = seeds.length ? VARIATIONS * factor / seeds.length + 1 : 0;
	for (size_t i = 0; i < seeds.length; i++) {
		feed(&seeds.seed[i]);
		for (size_t n = 0; n < each; n++) {
			struct text input = {0};
			text_add(&input, seeds.seed[i].data, seeds.seed[i].length);
			for (size_t changes = 1 + random_below(6); changes; changes--)
				vary(&input);
			feed(&input);
			text_clear(&input);
		}
		text_clear(&seeds.seed[i]);
	}
	printf("%zu inputs, %zu variations of each\n", seeds.length, each);
	free(seeds.seed);
	remove(crash_path);
	return seeds.length ? 0 : 1;
}
