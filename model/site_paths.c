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
#include "model/call_paths.h"

#define PATH_NONE CALL_PATH_NONE /* nothing in common; */
#define PATH_ANY UINT32_MAX /* no event */

struct of_line {
	uint32_t *path;
	size_t count;
	size_t behind; /* the line behind all that is inside; */
	bool loop; /* ... there may be lines inside */
};

struct sites {
	struct module *module;
	const uint32_t *frames; /* by line; or NULL */
	struct call_paths *paths; /* of the module */
	struct intern *pairs; /* of paths that were joined: */
	uint32_t *joined; /* by pair */
	size_t joined_capacity;
	struct of_line *of; /* by line */
};

struct sites *sites_new(struct module *m, const uint32_t *frames)
{
	struct sites *s = mem_zero(sizeof *s);
	struct module_line *line_of = module_statements(m);
	s->module = m;
	s->frames = frames;
	s->paths = m->places.paths;
	s->pairs = intern_new();
	s->of = mem_zero((m->lines + 1) * sizeof *s->of);
	for (size_t line = 0; line < m->lines; line++) {
		s->of[line].behind = module_line_behind(m, line, line_of[line].node);
		s->of[line].loop = node_of(m->store, line_of[line].node)->kind != NODE_EVENT;
	}
	free(line_of);
	return s;
}

void sites_of_line(struct sites *s, size_t line, const uint32_t *path, size_t count)
{
	free(s->of[line].path);
	s->of[line].path = mem_copy(path, count * sizeof *path);
	s->of[line].count = count;
}

/* ------------------------------------------------------------------ two paths */

/* Frames of a path by their numbers, the innermost first. */
struct frames {
	uint32_t path[CALL_PATH_FRAMES];
	size_t count;
};

static void frames_of(const struct sites *s, uint32_t path, struct frames *f)
{
	f->count = 0;
	for (; path != CALL_PATH_NONE; path = call_paths_frame(s->paths, path)->caller)
		f->path[f->count++] = path;
}

static const struct call_frame *frame_at(const struct sites *s, const struct frames *f, size_t i)
{
	return call_paths_frame(s->paths, f->path[i]);
}

static bool same_frame(const struct call_frame *a, const struct call_frame *b)
{
	return a->place == b->place;
}

static bool same_function(const struct call_frame *a, const struct call_frame *b)
{
	return a->function != CALL_FUNCTION_UNKNOWN && a->function == b->function;
}

static bool is_known(const struct call_frame *f)
{
	return !call_frame_is_in_no_module(f);
}

/* Is all that is known around these two frames the same? */
static bool fits(const struct sites *s, const struct frames *a, size_t i, const struct frames *b, size_t k)
{
	const struct call_frame *x = frame_at(s, a, i), *y = frame_at(s, b, k);
	bool same = same_frame(x, y) || same_function(x, y);
	while (same && ++i < a->count && ++k < b->count && is_known(frame_at(s, a, i)) && is_known(frame_at(s, b, k)))
		same = same_frame(frame_at(s, a, i), frame_at(s, b, k));
	return same;
}

/* What is in common: the frame, or its function alone, and what is known around it. */
static uint32_t common(struct sites *s, const struct frames *a, size_t i, const struct frames *b, size_t k)
{
	const struct call_frame *frame = frame_at(s, a, i), *other = frame_at(s, b, k);
	const struct call_frame *longer = frame->depth < other->depth ? other : frame;
	if (same_frame(frame, other))
		return longer == frame ? a->path[i] : b->path[k];
	struct text words = {0};
	if (!*site_parts(frame->name).function) /* it is MODULE+0xSTART: a place, if it stands alone */
		text_format(&words, "%s ", frame->name);
	text_put(&words, frame->name);
	uint32_t id = call_paths_inside(s->paths, longer->caller, words.data);
	text_clear(&words);
	return id;
}

static uint32_t lay_over(struct sites *s, uint32_t left, uint32_t right)
{
	struct frames a, b;
	frames_of(s, left, &a);
	frames_of(s, right, &b);
	for (size_t i = 0; i < a.count; i++)
		for (size_t k = 0; k < b.count; k++)
			if (fits(s, &a, i, &b, k))
				return common(s, &a, i, &b, k);
	return PATH_NONE;
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

/* ------------------------------------------------------------------ lines */

/* Its innermost function, called as it is; PATH_NONE: there is none, or it is not known. */
static uint32_t function_of(struct sites *s, uint32_t path)
{
	if (path == PATH_NONE || path == PATH_ANY)
		return PATH_NONE;
	const struct call_frame *frame = call_paths_frame(s->paths, path);
	return *frame->name ? call_paths_inside(s->paths, frame->caller, frame->name) : PATH_NONE;
}

static uint32_t sites_of_path(struct sites *s, uint32_t path)
{
	return sites_know(&s->module->places, &path, path != PATH_NONE);
}

static size_t lines_of(const struct module *m, uint32_t sites)
{
	const uint32_t *path;
	size_t count = sites_get(&m->places, sites, &path), lines = 0;
	for (size_t i = 0; i < count; i++)
		lines += !i || strcmp(path_site(&m->places, path[i]), path_site(&m->places, path[i - 1])) != 0;
	return lines;
}

static uint32_t path_of_event(struct sites *s, const struct of_line *of)
{
	uint32_t path = PATH_ANY;
	for (size_t i = 0; i < of->count; i++)
		path = join(s, path, of->path[i]);
	return path;
}

/* Of an event: the lines, where these are few. */
static uint32_t sites_of_event(struct sites *s, const struct of_line *of)
{
	uint32_t id = sites_know(&s->module->places, of->path, of->count);
	return lines_of(s->module, id) <= SITES_LISTED ? id : sites_of_path(s, function_of(s, path_of_event(s, of)));
}

/* Of a loop its function; in a procedure this is called on the paths of all its calls. */
static uint32_t sites_of_loop(struct sites *s, const struct of_line *loops)
{
	uint32_t *path = mem_array(loops->count, sizeof *path);
	bool same = true;
	for (size_t i = 0; i < loops->count && same; i++) {
		path[i] = function_of(s, loops->path[i]);
		same = path[i] != PATH_NONE &&
		       !strcmp(path_site(&s->module->places, path[i]), path_site(&s->module->places, path[0]));
	}
	uint32_t id = same ? sites_know(&s->module->places, path, loops->count)
			   : sites_of_path(s, function_of(s, path_of_event(s, loops)));
	free(path);
	return id;
}

/* What all events of a loop have in common, from the inside out. */
static void give_loops_paths(struct sites *s)
{
	uint32_t *path = mem_array(s->module->lines + 1, sizeof *path);
	for (size_t i = s->module->lines; i-- > 0;) {
		path[i] = path_of_event(s, &s->of[i]);
		if (!s->of[i].loop)
			continue;
		for (size_t k = i + 1; k < s->of[i].behind; k = s->of[k].behind)
			path[i] = join(s, path[i], path[k]);
		uint32_t frames = s->frames ? s->frames[i] : 0, own = path[i];
		if (frames && own != PATH_NONE && own != PATH_ANY)
			own = call_paths_outer(s->paths, own, frames);
		sites_of_line(s, i, &own, 1);
	}
	free(path);
}

/* A line of a procedure is one line for all its calls. */
static void unite_calls(struct sites *s, const size_t *said_at)
{
	size_t lines = s->module->lines;
	struct intern **paths = mem_zero((lines + 1) * sizeof *paths);
	for (size_t i = 0; i < lines; i++) {
		struct intern **of = &paths[said_at[i]];
		for (size_t k = 0; k < s->of[i].count; k++) {
			*of = *of ? *of : intern_new_keys(sizeof(uint32_t));
			intern_id(*of, &s->of[i].path[k], sizeof *s->of[i].path);
		}
	}
	for (size_t i = 0; i < lines; i++) {
		struct intern *of = paths[said_at[i]];
		size_t count = of ? intern_count(of) : 0;
		uint32_t *path = mem_array(count, sizeof *path);
		for (size_t k = 0; k < count; k++)
			memcpy(&path[k], intern_data(of, (uint32_t)k, NULL), sizeof *path);
		sites_of_line(s, i, path, count);
		free(path);
	}
	for (size_t i = 0; i < lines; i++)
		intern_free(paths[i]);
	free(paths);
}

void sites_finish(struct sites *s, const size_t *said_at)
{
	give_loops_paths(s);
	if (said_at)
		unite_calls(s, said_at);
	for (size_t i = s->module->lines; i-- > 0;)
		s->module->sites[i] = s->of[i].loop ? sites_of_loop(s, &s->of[i]) : sites_of_event(s, &s->of[i]);
	sites_free(s);
}

void sites_free(struct sites *s)
{
	for (size_t i = 0; s && i < s->module->lines; i++)
		free(s->of[i].path);
	if (!s)
		return;
	free(s->of);
	free(s->joined);
	intern_free(s->pairs);
	free(s);
}
