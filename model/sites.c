/*
 * sites.c -- sets of sites, ordered; as comments, and read from them.
 */
#include "model/sites.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/lines.h"
#include "model/program.h"

#define BETWEEN " | "

/* ------------------------------------------------------------------ one site */

/* The numbers of lines behind a colon, "203,210": their end; NULL where none stand there alone. */
static const char *behind_lines(const char *at)
{
	while (is_digit(*at)) {
		at += strspn(at, "0123456789");
		if (*at != ',')
			return !*at || *at == ' ' ? at : NULL;
		at++;
	}
	return NULL;
}

/* The colon before the lines; NULL: there are none. */
static const char *find_lines(const char *words, const char **end)
{
	for (const char *at = words; (at = strchr(at, ':')); at++)
		if (at > words && (*end = behind_lines(at + 1)))
			return at;
	return NULL;
}

/* The end of "MODULE+0xOFFSET"; NULL: it is none. */
static const char *behind_offset(const char *words)
{
	for (const char *at = words; (at = strstr(at, "+0x"));) {
		at += strlen("+0x");
		size_t digits = strspn(at, "0123456789abcdef");
		if (digits && (!at[digits] || at[digits] == ' '))
			return at + digits;
	}
	return NULL;
}

struct site site_parts(const char *words)
{
	const char *end, *colon = find_lines(words, &end);
	if (!colon) {
		end = behind_offset(words);
		return end ? (struct site){words, (size_t)(end - words), 0, *end ? end + 1 : ""}
			   : (struct site){words, strlen(words), 0, words};
	}
	return (struct site){words, (size_t)(colon - words), strtoull(colon + 1, NULL, 10), *end ? end + 1 : ""};
}

static int compare_files(const struct site *a, const struct site *b)
{
	size_t least = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->file, b->file, least);
	if (!a->line != !b->line)
		return a->line ? -1 : 1;
	return order ? order : (a->length > b->length) - (a->length < b->length);
}

int site_compare(const char *left, const char *right)
{
	struct site a = site_parts(left), b = site_parts(right);
	int order = compare_files(&a, &b);
	if (!order)
		order = (a.line > b.line) - (a.line < b.line);
	return order ? order : strcmp(a.function, b.function);
}

/* ------------------------------------------------------------------ sets */

static int by_site(const void *left, const void *right)
{
	return site_compare(*(const char *const *)left, *(const char *const *)right);
}

uint32_t program_sites(struct program *p, const char *const *site, size_t count)
{
	if (!count)
		return SITES_NONE;
	const char **sorted = mem_copy(site, count * sizeof *sorted);
	uint32_t *word = mem_array(count, sizeof *word), different = 0;
	qsort(sorted, count, sizeof *sorted, by_site);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(sorted[i], sorted[i - 1]))
			word[different++] = dictionary_word(p->dictionary, sorted[i], strlen(sorted[i]));
	uint32_t id = 1 + intern_id(p->sites, word, different * sizeof *word);
	free(word);
	free(sorted);
	return id;
}

size_t program_get_sites(const struct program *p, uint32_t id, const uint32_t **site)
{
	size_t size = 0;
	*site = id == SITES_NONE ? NULL : intern_data(p->sites, id - 1, &size);
	return size / sizeof **site;
}

void program_copy_sites(struct program *to, const struct program *from, const size_t *origin)
{
	const char **site = NULL;
	size_t capacity = 0;
	for (size_t i = 0; i < to->length; i++) {
		const uint32_t *word;
		size_t count = program_get_sites(from, from->statement[origin[i]].sites, &word);
		site = mem_grow(site, &capacity, count + 1, sizeof *site);
		for (size_t k = 0; k < count; k++)
			site[k] = dictionary_get_word(from->dictionary, word[k]);
		to->statement[i].sites = program_sites(to, site, count);
	}
	free(site);
}

/* ------------------------------------------------------------------ printed */

void sites_print(const char **site, size_t count, struct text *out)
{
	if (count)
		qsort(site, count, sizeof *site, by_site);
	struct site before = {0};
	for (size_t i = 0; i < count; i++) {
		if (i && !strcmp(site[i], site[i - 1]))
			continue;
		struct site s = site_parts(site[i]);
		bool same = i && s.line && !compare_files(&s, &before);
		if (same && s.line == before.line)
			continue;
		if (!same) {
			text_put(out, i ? BETWEEN : "");
			text_add(out, s.file, s.length);
		}
		if (s.line)
			text_format(out, "%c%" PRIu64, same ? ',' : ':', s.line);
		before = s;
	}
}

void program_print_sites(const struct program *p, uint32_t id, struct text *out)
{
	const uint32_t *word;
	size_t count = program_get_sites(p, id, &word);
	const char **site = mem_array(count, sizeof *site);
	for (size_t i = 0; i < count; i++)
		site[i] = dictionary_get_word(p->dictionary, word[i]);
	sites_print(site, count, out);
	free(site);
}

void program_print_whole_sites(const struct program *p, uint32_t id, struct text *out)
{
	const uint32_t *word;
	size_t count = program_get_sites(p, id, &word);
	for (size_t i = 0; i < count; i++) {
		text_put(out, i ? BETWEEN : "");
		text_put(out, dictionary_get_word(p->dictionary, word[i]));
	}
}

static int by_function(const void *left, const void *right)
{
	struct site a = site_parts(*(const char *const *)left), b = site_parts(*(const char *const *)right);
	int order = compare_files(&a, &b);
	if (!order)
		order = strcmp(a.function, b.function);
	return order ? order : (a.line > b.line) - (a.line < b.line);
}

/* Each site that a statement has, once. */
static const char **used_sites(const struct program *p, size_t *count)
{
	const char **used = NULL;
	size_t capacity = 0;
	bool *seen = mem_zero((intern_count(p->sites) + (size_t)1) * sizeof *seen);
	struct intern *words = intern_new();
	*count = 0;
	for (size_t i = 0; i < p->length; i++) {
		uint32_t id = p->statement[i].sites;
		const uint32_t *word;
		size_t sites = seen[id] ? 0 : program_get_sites(p, id, &word);
		seen[id] = true;
		for (size_t k = 0; k < sites; k++) {
			if (intern_id(words, &word[k], sizeof word[k]) < *count)
				continue;
			used = mem_grow(used, &capacity, *count + 1, sizeof *used);
			used[(*count)++] = dictionary_get_word(p->dictionary, word[k]);
		}
	}
	free(seen);
	intern_free(words);
	return used;
}

/* Is the function that stands alone told with a place, too? */
static bool is_told(const char *function, const char *const *site, size_t count)
{
	bool told = false;
	for (size_t i = 0; i < count && !told; i++) {
		struct site s = site_parts(site[i]);
		told = s.function != s.file && !strcmp(s.function, function);
	}
	return told;
}

static bool go_on_line(const struct site *s, const struct site *before)
{
	return s->line && before->line && !compare_files(s, before) && !strcmp(s->function, before->function);
}

static void end_declaration(const char *function, struct text *out)
{
	text_put(out, *function ? " " : "");
	text_put(out, function);
}

void program_print_declared_sites(const struct program *p, struct text *out)
{
	size_t count;
	const char **site = used_sites(p, &count);
	struct site before = {0};
	const char *function = "";
	bool open = false;
	if (count)
		qsort(site, count, sizeof *site, by_function);
	text_put(out, count ? "// sites" : "");
	for (size_t i = 0; i < count; i++) {
		struct site s = site_parts(site[i]);
		if (!s.line && !s.file[s.length] && is_told(site[i], site, count))
			continue;
		if (i && go_on_line(&s, &before)) {
			text_format(out, ",%" PRIu64, s.line);
			continue;
		}
		if (open)
			end_declaration(function, out);
		text_put(out, "\n// ");
		text_add(out, s.file, s.length);
		if (s.line)
			text_format(out, ":%" PRIu64, s.line);
		open = s.function != s.file;
		function = s.function;
		before = s;
	}
	if (open)
		end_declaration(function, out);
	text_put(out, count ? "\n" : "");
	free(site);
}

/* ------------------------------------------------------------------ read */

/* FILE:LINE FUNCTION for each of the lines. */
void sites_declare(struct intern *declared, const char *line)
{
	const char *end, *start = line + strspn(line, " \t"), *colon = find_lines(start, &end);
	if (!colon) {
		if (*start)
			intern_id(declared, start, strlen(start));
		return;
	}
	struct text words = {0};
	for (const char *at = colon + 1; at < end; at += *at == ',') {
		size_t digits = strspn(at, "0123456789");
		text_truncate(&words, 0);
		text_add(&words, start, (size_t)(colon + 1 - start));
		text_add(&words, at, digits);
		text_put(&words, end);
		intern_id(declared, words.data, words.length);
		at += digits;
	}
	text_clear(&words);
}

struct named_sites {
	const char **site;
	size_t count, capacity;
};

static void name_site(struct named_sites *n, const char *site)
{
	n->site = mem_grow(n->site, &n->capacity, n->count + 1, sizeof *n->site);
	n->site[n->count++] = site;
}

/* A function, or what has no lines. Gives what is declared of it. */
static const char *find_function(const struct intern *declared, const char *name, size_t length)
{
	for (uint32_t i = 0; i < intern_count(declared); i++) {
		struct site s = site_parts(intern_data(declared, i, NULL));
		if (!s.line && s.length == length && !memcmp(s.file, name, length))
			return s.file;
		if (strlen(s.function) == length && !memcmp(s.function, name, length))
			return s.function;
	}
	return NULL;
}

static bool find_line(const struct intern *declared, const struct site *wanted, struct named_sites *n)
{
	size_t before = n->count;
	for (uint32_t i = 0; i < intern_count(declared); i++) {
		struct site s = site_parts(intern_data(declared, i, NULL));
		if (s.line == wanted->line && !compare_files(&s, wanted))
			name_site(n, s.file);
	}
	return n->count > before;
}

/* "rhs.f:203,210", "compute_rhs" */
static bool find_sites(const struct intern *declared, const char *part, struct named_sites *n)
{
	const char *end, *colon = find_lines(part, &end);
	if (!colon || *end) {
		const char *function = find_function(declared, part, strlen(part));
		if (function)
			name_site(n, function);
		return function;
	}
	bool good = true;
	for (const char *at = colon + 1; *at && good; at += *at == ',') {
		struct site wanted = {part, (size_t)(colon - part), strtoull(at, NULL, 10), ""};
		good = find_line(declared, &wanted, n);
		at += strspn(at, "0123456789");
	}
	return good;
}

uint32_t program_read_sites(struct program *p, const struct intern *declared, const char *comment)
{
	struct named_sites named = {0};
	struct text part = {0};
	bool good = true;
	for (const char *at = comment, *next; good && *at; at = next) {
		const char *end = strstr(at, BETWEEN);
		next = end ? end + strlen(BETWEEN) : at + strlen(at);
		text_truncate(&part, 0);
		text_add(&part, at, end ? (size_t)(end - at) : strlen(at));
		good = find_sites(declared, part.data, &named);
	}
	uint32_t id = good ? program_sites(p, named.site, named.count) : SITES_NONE;
	text_clear(&part);
	free(named.site);
	return id;
}
