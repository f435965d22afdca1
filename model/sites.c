/*
 * sites.c -- paths of calls, and ordered sets of them.
 */
#include "model/sites.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "model/lines.h"

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

/* The end of "MODULE+0xOFFSET", and the offset; NULL: it is none. */
static const char *behind_offset(const char *words, uint64_t *offset)
{
	for (const char *at = words; (at = strstr(at, "+0x"));) {
		at += strlen("+0x");
		size_t digits = strspn(at, "0123456789abcdef");
		if (digits && (!at[digits] || at[digits] == ' ')) {
			*offset = strtoull(at, NULL, 16);
			return at + digits;
		}
	}
	return NULL;
}

struct site site_parts(const char *words)
{
	const char *end, *past = find_lines(words, &end); /* the file, or the place in its module */
	uint64_t line = past ? strtoull(past + 1, NULL, 10) : 0, offset = 0;
	if (!past)
		past = end = behind_offset(words, &offset);
	if (!past)
		return (struct site){.file = words, .length = strlen(words), .function = words};
	return (struct site){words, (size_t)(past - words), line, offset, *end ? end + 1 : ""};
}

/* Between blanks. */
static bool has_word(const char *words, const char *word, bool beginning)
{
	size_t length = strlen(word);
	for (const char *at = words; (at = strstr(at, word)); at++)
		if ((at == words || is_blank(at[-1])) && (beginning || !at[length] || is_blank(at[length])))
			return true;
	return false;
}

/* Would a part of a site be read as anything else than itself: as what stands between parts, a
   heading, the number of a call, a comment? */
static bool means_more(const char *part, size_t length)
{
	const char *digits = part + length;
	while (digits > part && (is_digit(digits[-1]) || digits[-1] == ','))
		digits--;
	bool numbered = digits < part + length && digits > part && digits[-1] == '#';
	bool more = !length || is_blank(*part) || is_blank(part[length - 1]) || strchr("\"@#", *part) || numbered ||
		    !strcmp(part, "sites") || !strcmp(part, "tables") || !strcmp(part, "...") || strstr(part, " >") ||
		    has_word(part, ">", false) || has_word(part, "|", false) || has_word(part, "//", true);
	enum utf8_kind kind;
	for (size_t i = 0, bytes; i < length && !more; i += bytes) {
		bytes = utf8_next(part + i, &kind);
		more = kind != UTF8_PLAIN || strchr("\t\n", part[i]);
	}
	return more;
}

static void put_part(const char *from, size_t length, bool quoted, struct text *out)
{
	struct text part = {0};
	text_add(&part, from, length);
	if (quoted || means_more(part.data, length))
		text_put_word(out, part.data, ":#|>+");
	else
		text_add(out, from, length);
	text_clear(&part);
}

/* As site_parts gives them: "x.c:07 f" and "x.c:7 " are no places. */
static bool is_place(const struct site *s, const char *words)
{
	struct text same = {0};
	site_put_place(s, &same);
	if (*s->function)
		text_format(&same, " %s", s->function);
	bool place = (s->line || s->offset) && s->length && !strcmp(same.data, words);
	text_clear(&same);
	return place;
}

void site_put_quoted(const char *words, struct text *out)
{
	struct text frame = {0};
	for (const char *at = words; *at; at++) /* "f<A<int> >": compilers differ */
		if (at == words || at[-1] != '>' || at[0] != ' ' || at[1] != '>')
			text_char(&frame, *at);
	const char *whole = frame.data ? frame.data : "";
	struct site s = site_parts(whole);
	if (is_place(&s, whole)) {
		size_t file = s.length;
		while (s.offset && whole[file] != '+')
			file--;
		put_part(whole, file, false, out);
		text_add(out, whole + file, s.length - file);
		if (s.line)
			text_format(out, ":%" PRIu64, s.line);
		if (*s.function) {
			text_char(out, ' ');
			put_part(s.function, strlen(s.function), false, out);
		}
	} else {
		put_part(whole, frame.length, s.length < frame.length, out);
	}
	text_clear(&frame);
}

void site_put_place(const struct site *s, struct text *out)
{
	text_add(out, s->file, s->length);
	if (s->line)
		text_format(out, ":%" PRIu64, s->line);
}

int site_compare_files(const struct site *a, const struct site *b)
{
	size_t least = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->file, b->file, least);
	if (!a->line != !b->line)
		return a->line ? -1 : 1;
	return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* By file, line, function. */
static int compare_sites(const char *left, const char *right)
{
	struct site a = site_parts(left), b = site_parts(right);
	int order = site_compare_files(&a, &b);
	if (!order)
		order = (a.line > b.line) - (a.line < b.line);
	return order ? order : strcmp(a.function, b.function);
}

/* ------------------------------------------------------------------ paths */

struct site_places site_places_new(void)
{
	return (struct site_places){call_paths_new(), intern_new()};
}

struct site_places site_places_copy(const struct site_places *p)
{
	return (struct site_places){call_paths_copy(p->paths), intern_copy(p->sets)};
}

void site_places_free(struct site_places *p)
{
	call_paths_free(p->paths);
	intern_free(p->sets);
}

const char *path_site(const struct site_places *p, uint32_t path)
{
	return call_paths_frame(p->paths, path)->words;
}

uint32_t path_caller(const struct site_places *p, uint32_t path)
{
	return call_paths_frame(p->paths, path)->caller;
}

/* By site, then by the sites of callers. */
static int path_compare(const struct site_places *p, uint32_t left, uint32_t right)
{
	int order = 0;
	while (!order && left != right) {
		if (left == CALL_PATH_NONE || right == CALL_PATH_NONE)
			return left == CALL_PATH_NONE ? -1 : 1;
		order = compare_sites(path_site(p, left), path_site(p, right));
		left = path_caller(p, left);
		right = path_caller(p, right);
	}
	return order;
}

/* ------------------------------------------------------------------ sets */

struct ordered {
	const struct site_places *places;
	uint32_t path;
};

static int by_path(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;
	return path_compare(a->places, a->path, b->path);
}

uint32_t sites_know(struct site_places *p, const uint32_t *path, size_t count)
{
	if (!count)
		return SITES_NONE;
	struct ordered *sorted = mem_array(count, sizeof *sorted);
	uint32_t *own = mem_array(count, sizeof *own), different = 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct ordered){p, path[i]};
	qsort(sorted, count, sizeof *sorted, by_path);
	for (size_t i = 0; i < count; i++)
		if (!i || sorted[i].path != sorted[i - 1].path)
			own[different++] = sorted[i].path;
	uint32_t id = 1 + intern_id(p->sets, own, different * sizeof *own);
	free(own);
	free(sorted);
	return id;
}

size_t sites_get(const struct site_places *p, uint32_t id, const uint32_t **path)
{
	size_t size = 0;
	*path = id == SITES_NONE ? NULL : intern_data(p->sets, id - 1, &size);
	return size / sizeof **path;
}

/* ------------------------------------------------------------------ printed */

static int by_site(const void *left, const void *right)
{
	return compare_sites(*(const char *const *)left, *(const char *const *)right);
}

void sites_print(const char **site, size_t count, struct text *out)
{
	if (count)
		qsort(site, count, sizeof *site, by_site);
	struct site before = {0};
	for (size_t i = 0; i < count; i++) {
		if (i && !strcmp(site[i], site[i - 1]))
			continue;
		struct site s = site_parts(site[i]);
		bool same = i && s.line && !site_compare_files(&s, &before);
		if (same && s.line == before.line)
			continue;
		if (!same) {
			text_put(out, i ? SITES_BETWEEN : "");
			text_add(out, s.file, s.length);
		}
		if (s.line)
			text_format(out, "%c%" PRIu64, same ? ',' : ':', s.line);
		before = s;
	}
}

void sites_print_whole(const struct site_places *p, uint32_t id, struct text *out)
{
	const uint32_t *path;
	size_t count = sites_get(p, id, &path);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(path_site(p, path[i]), path_site(p, path[i - 1])) != 0)
			text_format(out, "%s%s", i ? SITES_BETWEEN : "", path_site(p, path[i]));
}

/* "exchange (heat.c:12", or "heat.c:12"; of a function without lines it, where offsets in modules
   are left out. Is it still open? */
static bool put_frame(const char *words, enum path_length length, struct text *out)
{
	struct site s = site_parts(words);
	bool named = *s.function && s.function != s.file, placed = s.line || !named || length == PATH_WHOLE;
	if (named)
		text_format(out, placed ? "%s (" : "%s", s.function);
	if (placed)
		site_put_place(&s, out);
	return named && placed;
}

static void put_callers(const struct site_places *p, uint32_t caller, enum path_length length, struct text *out)
{
	uint32_t frame[CALL_PATH_FRAMES];
	size_t count = 0, most = length == PATH_SHORT ? PATH_FRAMES_SHOWN - 1 : CALL_PATH_FRAMES;
	for (; caller != CALL_PATH_NONE && count < most; caller = path_caller(p, caller))
		frame[count++] = caller;
	text_put(out, caller == CALL_PATH_NONE ? "" : "..." CALL_PATH_INSIDE);
	while (count-- > 0)
		text_put(out,
			put_frame(path_site(p, frame[count]), length, out) ? ")" CALL_PATH_INSIDE : CALL_PATH_INSIDE);
}

static bool in_line(const struct site_places *p, uint32_t left, uint32_t right)
{
	struct site a = site_parts(path_site(p, left)), b = site_parts(path_site(p, right));
	return a.line && b.line && path_caller(p, left) == path_caller(p, right) && !site_compare_files(&a, &b) &&
	       !strcmp(a.function, b.function);
}

/* The path, and those behind it that differ by the line alone. */
static void put_path(const struct site_places *p, const uint32_t *path, size_t count, enum path_length length,
	bool *printed, struct text *out)
{
	put_callers(p, path_caller(p, path[0]), length, out);
	bool open = put_frame(path_site(p, path[0]), length, out);
	for (size_t k = 1; k < count; k++) {
		if (printed[k] || !in_line(p, path[0], path[k]))
			continue;
		printed[k] = true;
		text_format(out, ",%" PRIu64, site_parts(path_site(p, path[k])).line);
	}
	text_put(out, open ? ")" : "");
}

/* What reads the same, because offsets are left out, is printed once. */
void paths_print(
	const struct site_places *p, const uint32_t *path, size_t count, enum path_length length, struct text *out)
{
	bool *printed = mem_zero((count + 1) * sizeof *printed);
	struct intern *words = intern_new();
	struct text one = {0};
	size_t left = 0;
	for (size_t i = 0; i < count; i++) {
		if (printed[i])
			continue;
		text_clear(&one);
		put_path(p, path + i, count - i, length, printed + i, &one);
		uint32_t groups = intern_count(words);
		if (intern_id(words, one.data, one.length) < groups)
			continue;
		if (length == PATH_WHOLE || groups < PATHS_SHOWN)
			text_format(out, "%s%s", groups ? SITES_BETWEEN : "", one.data);
		else
			left++;
	}
	if (left)
		text_format(out, SITES_BETWEEN "%zu more", left);
	text_clear(&one);
	intern_free(words);
	free(printed);
}

void sites_print_paths(const struct site_places *p, uint32_t sites, enum path_length length, struct text *out)
{
	const uint32_t *path;
	size_t count = sites_get(p, sites, &path);
	paths_print(p, path, count, length, out);
}
