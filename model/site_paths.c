/*
 * site_paths.c -- paths of calls, joined from the events outwards.
 *
 * Recorded paths may be cut off outside, so two of them are laid over each other where they fit:
 * at the innermost function of the one that the other goes through, too, such that all that is
 * known of what is around it is the same. Two calls in different lines of one function that is
 * called from two places have the function around these in common, not their own.
 */
#include "model/site_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

#define OUTSIDE " < "
#define FRAMES_MOST 128
#define PATH_NONE UINT32_MAX /* nothing in common; */
#define PATH_ANY (UINT32_MAX - 1) /* no event */

struct of_statement {
	uint32_t *path;
	size_t count;
};

struct sites {
	struct program *program;
	struct intern *paths;
	struct intern *pairs; /* of paths that were joined: */
	uint32_t *joined; /* by pair */
	size_t joined_capacity;
	struct of_statement *of; /* by statement */
};

struct sites *sites_new(struct program *p)
{
	struct sites *s = mem_zero(sizeof *s);
	s->program = p;
	s->paths = intern_new();
	s->pairs = intern_new();
	s->of = mem_zero((p->length + 1) * sizeof *s->of);
	return s;
}

uint32_t sites_know(struct sites *s, const char *path)
{
	return intern_id(s->paths, path, strlen(path));
}

void sites_of_statement(struct sites *s, size_t statement, const uint32_t *path, size_t count)
{
	free(s->of[statement].path);
	s->of[statement] = (struct of_statement){mem_copy(path, count * sizeof *path), count};
}

/* ------------------------------------------------------------------ two paths */

struct frame {
	const char *start;
	size_t length;
	const char *function;
	size_t function_length;
};

struct frames {
	struct text words; /* cut into the frames */
	struct frame frame[FRAMES_MOST];
	size_t count;
};

static void take_frame(struct frames *f, const char *words)
{
	struct site site = site_parts(words);
	f->frame[f->count++] = (struct frame){words, strlen(words), site.function, strlen(site.function)};
}

static void frames_of(const char *path, struct frames *f)
{
	f->words = (struct text){0};
	f->count = 0;
	text_put(&f->words, path);
	for (char *at = f->words.data; at && f->count < FRAMES_MOST;) {
		char *end = strstr(at, OUTSIDE);
		if (end)
			*end = 0;
		take_frame(f, at);
		at = end ? end + strlen(OUTSIDE) : NULL;
	}
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->length == b->length && !memcmp(a->start, b->start, a->length);
}

static bool same_function(const struct frame *a, const struct frame *b)
{
	return a->function_length && a->function_length == b->function_length &&
	       !memcmp(a->function, b->function, a->function_length);
}

/* Is all that is known around these two frames the same? */
static bool fits(const struct frames *a, size_t i, const struct frames *b, size_t k)
{
	bool same = same_frame(&a->frame[i], &b->frame[k]) || same_function(&a->frame[i], &b->frame[k]);
	while (same && ++i < a->count && ++k < b->count)
		same = same_frame(&a->frame[i], &b->frame[k]);
	return same;
}

/* What is in common: the frame, or its function alone, and what is known around it. */
static uint32_t common(struct sites *s, const struct frames *a, size_t i, const struct frames *b, size_t k)
{
	struct text words = {0};
	bool whole = same_frame(&a->frame[i], &b->frame[k]);
	const struct frames *longer = a->count - i < b->count - k ? b : a;
	if (!whole &&
		!*site_parts(a->frame[i].function).function) /* it is MODULE+0xSTART: a place, if it stands alone */
		text_format(&words, "%s ", a->frame[i].function);
	text_put(&words, whole ? a->frame[i].start : a->frame[i].function);
	for (size_t n = (longer == a ? i : k) + 1; n < longer->count; n++)
		text_format(&words, OUTSIDE "%s", longer->frame[n].start);
	uint32_t id = intern_id(s->paths, words.data, words.length);
	text_clear(&words);
	return id;
}

static uint32_t lay_over(struct sites *s, uint32_t left, uint32_t right)
{
	struct frames a, b;
	frames_of(intern_data(s->paths, left, NULL), &a);
	frames_of(intern_data(s->paths, right, NULL), &b);
	uint32_t id = PATH_NONE;
	for (size_t i = 0; i < a.count && id == PATH_NONE; i++)
		for (size_t k = 0; k < b.count && id == PATH_NONE; k++)
			if (fits(&a, i, &b, k))
				id = common(s, &a, i, &b, k);
	text_clear(&a.words);
	text_clear(&b.words);
	return id;
}

static uint32_t join(struct sites *s, uint32_t left, uint32_t right)
{
	if (left == right || right == PATH_ANY)
		return left;
	if (left == PATH_ANY || right == PATH_NONE)
		return right;
	if (left == PATH_NONE)
		return left;
	uint32_t key[2] = {left, right}, known = intern_count(s->pairs), pair = intern_id(s->pairs, key, sizeof key);
	if (pair == known) {
		uint32_t id = lay_over(s, left, right);
		s->joined = mem_grow(s->joined, &s->joined_capacity, (size_t)pair + 1, sizeof *s->joined);
		s->joined[pair] = id;
	}
	return s->joined[pair];
}

/* ------------------------------------------------------------------ statements */

/* "compute_rhs" of its innermost frame; SITES_NONE: there is none, or it is not known. */
static uint32_t function_of(struct sites *s, uint32_t path)
{
	if (path == PATH_NONE || path == PATH_ANY)
		return SITES_NONE;
	struct frames f;
	frames_of(intern_data(s->paths, path, NULL), &f);
	const char *function = f.frame[0].function;
	uint32_t id = *function ? program_sites(s->program, &function, 1) : SITES_NONE;
	text_clear(&f.words);
	return id;
}

/* Of an event: the lines, where these are few. */
static uint32_t sites_of_event(struct sites *s, const struct of_statement *of, uint32_t common)
{
	if (!of->count)
		return SITES_NONE;
	char **site = mem_array(of->count, sizeof *site);
	for (size_t i = 0; i < of->count; i++) {
		const char *path = intern_data(s->paths, of->path[i], NULL), *end = strstr(path, OUTSIDE);
		struct text words = {0};
		text_add(&words, path, end ? (size_t)(end - path) : strlen(path));
		site[i] = words.data;
	}
	uint32_t id = program_sites(s->program, (const char *const *)site, of->count);
	const uint32_t *word;
	for (size_t i = 0; i < of->count; i++)
		free(site[i]);
	free(site);
	return program_get_sites(s->program, id, &word) <= SITES_LISTED ? id : function_of(s, common);
}

static uint32_t path_of_event(struct sites *s, const struct of_statement *of)
{
	uint32_t path = PATH_ANY;
	for (size_t i = 0; i < of->count; i++)
		path = join(s, path, of->path[i]);
	return path;
}

static uint32_t path_of_loop(struct sites *s, size_t at, const uint32_t *path)
{
	const struct program *p = s->program;
	uint32_t all = PATH_ANY;
	for (size_t i = at + 1; i < at + p->statement[at].size; i += statement_size(&p->statement[i]))
		all = join(s, all, path[i]);
	return all;
}

/* From the inside out. A guard that names the process of its event stands in the same line. */
static void give_sites(struct sites *s)
{
	struct program *p = s->program;
	uint32_t *path = mem_array(p->length + 1, sizeof *path);
	for (size_t i = p->length; i-- > 0;) {
		struct statement *at = &p->statement[i];
		bool loop = statement_is_loop(at);
		path[i] = loop ? path_of_loop(s, i, path) : path_of_event(s, &s->of[i]);
		if (loop)
			at->sites = statement_is_in_line(at) ? at[1].sites : function_of(s, path[i]);
		else
			at->sites = sites_of_event(s, &s->of[i], path[i]);
	}
	free(path);
}

static void name_paths(struct sites *s, const struct site_names *names)
{
	uint32_t count = intern_count(s->paths);
	const char **path = mem_array(count, sizeof *path);
	char **name = mem_zero((count + (size_t)1) * sizeof *name);
	struct intern *named = intern_new();
	for (uint32_t i = 0; i < count; i++)
		path[i] = intern_data(s->paths, i, NULL);
	names->name(names->context, path, count, name);
	for (size_t i = 0; i < s->program->length; i++)
		for (size_t k = 0; k < s->of[i].count; k++) {
			const char *words = name[s->of[i].path[k]];
			s->of[i].path[k] = intern_id(named, words, strlen(words));
		}
	for (uint32_t i = 0; i < count; i++)
		free(name[i]);
	free(name);
	free(path);
	intern_free(s->paths);
	s->paths = named;
}

/* A line of a procedure is one line for all its calls. */
static void unite_calls(struct sites *s)
{
	const struct program *p = s->program;
	size_t *line = program_line_of(p);
	struct intern **paths = mem_zero((p->length + 1) * sizeof *paths);
	for (size_t i = 0; i < p->length; i++) {
		struct intern **of = &paths[line[i]];
		for (size_t k = 0; k < s->of[i].count; k++) {
			*of = *of ? *of : intern_new_keys(sizeof(uint32_t));
			intern_id(*of, &s->of[i].path[k], sizeof *s->of[i].path);
		}
	}
	for (size_t i = 0; i < p->length; i++) {
		struct intern *of = paths[line[i]];
		size_t count = of ? intern_count(of) : 0;
		uint32_t *path = mem_array(count, sizeof *path);
		for (size_t k = 0; k < count; k++)
			memcpy(&path[k], intern_data(of, (uint32_t)k, NULL), sizeof *path);
		sites_of_statement(s, i, path, count);
		free(path);
	}
	for (size_t i = 0; i < p->length; i++)
		intern_free(paths[i]);
	free(paths);
	free(line);
}

void sites_finish(struct sites *s, const struct site_names *names)
{
	if (names)
		name_paths(s, names);
	if (s->program->calls.length)
		unite_calls(s);
	give_sites(s);
	for (size_t i = 0; i < s->program->length; i++)
		free(s->of[i].path);
	free(s->of);
	free(s->joined);
	intern_free(s->pairs);
	intern_free(s->paths);
	free(s);
}
