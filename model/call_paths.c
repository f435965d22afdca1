/*
 * call_paths.c -- frames interned by (caller, words).
 */
#include "model/call_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/sites.h"

struct frame_key {
	uint32_t caller, place;
};

struct call_paths {
	struct intern *known; /* words of whole paths */
	uint32_t *path; /* by these */
	size_t path_capacity;
	struct intern *places, *functions;
	struct intern *keys; /* struct frame_key */
	struct call_frame *frame; /* by key */
	size_t frame_capacity;
};

struct call_paths *call_paths_new(void)
{
	struct call_paths *t = mem_zero(sizeof *t);
	t->known = intern_new();
	t->places = intern_new();
	t->functions = intern_new();
	t->keys = intern_new_keys(sizeof(struct frame_key));
	return t;
}

void call_paths_free(struct call_paths *t)
{
	if (!t)
		return;
	intern_free(t->known);
	intern_free(t->places);
	intern_free(t->functions);
	intern_free(t->keys);
	free(t->path);
	free(t->frame);
	free(t);
}

struct call_paths *call_paths_copy(const struct call_paths *from)
{
	struct call_paths *t = call_paths_new();
	for (uint32_t id = 0; id < intern_count(from->functions); id++) {
		size_t length;
		const char *function = intern_data(from->functions, id, &length);
		intern_id(t->functions, function, length);
	}
	for (uint32_t path = 1; path < call_paths_count(from); path++) {
		const struct call_frame *f = call_paths_frame(from, path);
		uint32_t copy = call_paths_inside(t, f->caller, f->words);
		t->frame[copy - 1].function = f->function;
	}
	return t;
}

const struct call_frame *call_paths_frame(const struct call_paths *t, uint32_t path)
{
	return path == CALL_PATH_NONE ? NULL : &t->frame[path - 1];
}

uint32_t call_paths_count(const struct call_paths *t)
{
	return intern_count(t->keys) + 1;
}

/* Code that was made at run time lies elsewhere in each process: its addresses tell nothing. */
#define NO_MODULE "?"

/* Without blanks before ">", "f<A<int> >", so that " > " is between frames alone. */
static uint32_t place_of(struct call_paths *t, const char *words)
{
	struct text place = {0};
	if (text_begins_with(words, NO_MODULE "+0x"))
		words = NO_MODULE;
	if (!strstr(words, " >"))
		return intern_id(t->places, words, strlen(words));
	for (const char *at = words; *at; at++)
		if (*at != ' ' || at[1] != '>')
			text_char(&place, *at);
	uint32_t id = intern_id(t->places, place.data, place.length);
	text_clear(&place);
	return id;
}

uint32_t call_paths_find(const struct call_paths *t, uint32_t caller, const char *words)
{
	struct frame_key key = {caller, intern_find(t->places, words, strlen(words))};
	uint32_t id = key.place == INTERN_NONE ? INTERN_NONE : intern_find(t->keys, &key, sizeof key);
	return id == INTERN_NONE ? CALL_PATH_NONE : id + 1;
}

uint32_t call_paths_inside(struct call_paths *t, uint32_t caller, const char *words)
{
	struct frame_key key = {caller, place_of(t, words)};
	uint32_t known = intern_count(t->keys), id = intern_id(t->keys, &key, sizeof key);
	if (id < known)
		return id + 1;
	const char *kept = intern_data(t->places, key.place, NULL);
	struct site site = site_parts(kept);
	t->frame = mem_grow(t->frame, &t->frame_capacity, (size_t)id + 1, sizeof *t->frame);
	t->frame[id] = (struct call_frame){
		.caller = caller,
		.depth = caller == CALL_PATH_NONE ? 1 : t->frame[caller - 1].depth + 1,
		.place = key.place,
		.function = *site.function ? intern_id(t->functions, site.function, strlen(site.function))
					   : CALL_FUNCTION_UNKNOWN,
		.words = kept,
		.name = site.function,
		.position = site.line ? site.line : site.offset,
	};
	return id + 1;
}

/* Does the frame call main? */
static bool is_outside(const char *words)
{
	static const char *const starts[] = {"__libc_start", "_start", ".TAU application"};
	const char *function = site_parts(words).function;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(function, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* From the outside in: the last frame of the words first. */
static uint32_t path_of(struct call_paths *t, const char *words)
{
	struct text copy = {0};
	text_format(&copy, "%s", words);
	char *frame[CALL_PATH_FRAMES];
	size_t frames = 0;
	bool from_main = false;
	for (char *at = copy.data; at && frames < CALL_PATH_FRAMES;) {
		char *end = strstr(at, CALL_PATH_OUTSIDE);
		if (end)
			*end = 0;
		from_main = frames && is_outside(at);
		if (from_main)
			break;
		frame[frames++] = at;
		at = end ? end + strlen(CALL_PATH_OUTSIDE) : NULL;
	}
	uint32_t path = CALL_PATH_NONE;
	while (frames-- > 0) {
		struct text quoted = {0};
		site_put_quoted(frame[frames], &quoted);
		path = call_paths_inside(t, path, quoted.data);
		text_clear(&quoted);
		if (from_main && t->frame[path - 1].function == CALL_FUNCTION_UNKNOWN)
			t->frame[path - 1].function = intern_id(t->functions, "main", strlen("main"));
		from_main = false;
	}
	text_clear(&copy);
	return path;
}

uint32_t call_paths_know(struct call_paths *t, const char *words)
{
	if (!words)
		return CALL_PATH_NONE;
	uint32_t known = intern_count(t->known), id = intern_id(t->known, words, strlen(words));
	if (id < known)
		return t->path[id];
	t->path = mem_grow(t->path, &t->path_capacity, (size_t)id + 1, sizeof *t->path);
	return t->path[id] = path_of(t, words);
}

bool call_frame_is_in_no_module(const struct call_frame *f)
{
	return !strcmp(f->words, NO_MODULE);
}

bool call_frame_is_region(const struct call_frame *f)
{
	return !f->position && f->function != CALL_FUNCTION_UNKNOWN;
}

uint32_t call_paths_outer(const struct call_paths *t, uint32_t path, uint32_t depth)
{
	while (path != CALL_PATH_NONE && t->frame[path - 1].depth > depth)
		path = t->frame[path - 1].caller;
	return path;
}
