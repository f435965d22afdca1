/*
 * declared_sites.c -- a tree of frames, and what ends in the same frame of it.
 */
#include "model/declared_sites.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/lines.h"
#include "model/sites.h"

/* Of one site and more callers than these, or callers that take more frames to tell, a comment says
   the site alone, which stands for all: it is to be read. */
#define CALLERS_NAMED 4
#define FRAMES_NAMED 3

/* What a comment may mean by the name of a frame: a site, or a function that its caller calls. */
struct meant {
	uint32_t path; /* CALL_PATH_NONE: a function alone, in whose name it is found; */
	uint32_t caller;
};

struct meanings {
	struct meant *meant;
	size_t count, capacity;
};

struct declared_sites {
	struct site_places *places; /* borrowed */
	struct intern *nodes; /* paths */
	uint32_t open[CALL_PATH_FRAMES]; /* of the line before, those around it */
	size_t depth;
	struct intern *place_names;
	uint32_t *place; /* by path: of nodes; */
	uint32_t *function; /* the same without the number of a call in its function, */
	uint32_t *number; /* from 1; 0: it has none, or is the only one */
	uint32_t *calls; /* that its function has */
	struct intern *names; /* 'p' and the place of a site, 'f' and its function */
	struct meanings *of; /* by name; NULL: not yet */
	size_t capacity;
	unsigned char *mark; /* by path: */
	bool *used; /* by set of paths; NULL: none is */
};

enum { MARK_WANTED = 1, MARK_NAMED = 2 };

static uint32_t node_path(const struct declared_sites *d, uint32_t at)
{
	return *(const uint32_t *)intern_data(d->nodes, at, NULL);
}

struct declared_sites *declared_sites_new(struct site_places *places)
{
	struct declared_sites *d = mem_zero(sizeof *d);
	d->places = places;
	d->nodes = intern_new_keys(sizeof(uint32_t));
	return d;
}

void declared_sites_use(struct declared_sites *d, uint32_t id)
{
	const uint32_t *path;
	if (!d->used)
		d->used = mem_zero((intern_count(d->places->sets) + (size_t)1) * sizeof *d->used);
	size_t count = d->used[id] ? 0 : sites_get(d->places, id, &path);
	d->used[id] = true;
	for (size_t k = 0; k < count; k++)
		for (uint32_t at = path[k]; at != CALL_PATH_NONE; at = path_caller(d->places, at))
			intern_id(d->nodes, &at, sizeof at);
}

void declared_sites_free(struct declared_sites *d)
{
	if (!d)
		return;
	for (size_t i = 0; d->names && i < intern_count(d->names); i++)
		free(d->of[i].meant);
	free(d->of);
	free(d->mark);
	free(d->used);
	free(d->place);
	free(d->function);
	free(d->number);
	free(d->calls);
	intern_free(d->place_names);
	intern_free(d->names);
	intern_free(d->nodes);
	free(d);
}

/* ------------------------------------------------------------------ names of frames */

static bool stands_alone(const struct site *s)
{
	return !s->line && !s->file[s->length];
}

static void name_frame(struct declared_sites *d, struct intern *seen, char sort, const char *name, struct meant meant)
{
	struct text key = {0};
	text_format(&key, "%c%s", sort, name);
	uint32_t id = intern_id(d->names, key.data, key.length), known = intern_count(seen);
	text_clear(&key);
	uint32_t once[3] = {id, meant.path, meant.caller};
	struct meanings *of = MEM_AT(d->of, d->capacity, id);
	if (intern_id(seen, once, sizeof once) == known)
		*MEM_PUSH(of->meant, of->count, of->capacity) = meant;
}

/* Where no lines are known, calls go by the name of their function, if that is more than where it
   begins, and are numbered by their offsets. */
static bool is_numbered(const struct site *s)
{
	return s->offset && *s->function && !site_parts(s->function).offset;
}

struct numbered {
	struct site site;
	uint32_t path;
};

static int by_offset(const void *left, const void *right)
{
	const struct site *a = &((const struct numbered *)left)->site, *b = &((const struct numbered *)right)->site;
	int order = strcmp(a->function, b->function);
	order = order ? order : COMPARE(a->offset, b->offset);
	return order ? order : site_compare_files(a, b);
}

static void number_calls(struct declared_sites *d)
{
	size_t count = 0;
	struct numbered *call = mem_array(intern_count(d->nodes) + (size_t)1, sizeof *call);
	for (uint32_t i = 0; i < intern_count(d->nodes); i++) {
		struct site s = site_parts(path_site(d->places, node_path(d, i)));
		if (is_numbered(&s))
			call[count++] = (struct numbered){s, node_path(d, i)};
	}
	qsort(call, count, sizeof *call, by_offset);
	for (size_t i = 0; i < count; i++) {
		bool next = i && !strcmp(call[i].site.function, call[i - 1].site.function);
		d->number[call[i].path] =
			next ? d->number[call[i - 1].path] + (by_offset(&call[i], &call[i - 1]) != 0) : 1;
	}
	for (size_t i = count, calls = 0; i-- > 0;) {
		bool last = i + 1 == count || strcmp(call[i].site.function, call[i + 1].site.function) != 0;
		calls = last ? d->number[call[i].path] : calls;
		d->calls[call[i].path] = (uint32_t)calls;
		d->number[call[i].path] = calls > 1 ? d->number[call[i].path] : 0;
	}
	free(call);
}

/* "CommBrick::borders", of its second call "CommBrick::borders#2". */
static void put_name(const struct site *s, uint32_t number, struct text *out)
{
	if (is_numbered(s))
		text_put(out, s->function);
	else
		site_put_place(s, out);
	if (number)
		text_format(out, "#%" PRIu32, number);
}

static void name_frames(struct declared_sites *d)
{
	struct intern *seen = intern_new_keys(3 * sizeof(uint32_t));
	uint32_t paths = call_paths_count(d->places->paths);
	d->names = intern_new();
	d->place_names = intern_new();
	d->place = mem_array(paths, sizeof *d->place);
	d->function = mem_array(paths, sizeof *d->function);
	d->number = mem_zero(paths * sizeof *d->number);
	d->calls = mem_zero(paths * sizeof *d->calls);
	number_calls(d);
	for (uint32_t i = 0; i < intern_count(d->nodes); i++) {
		uint32_t path = node_path(d, i), caller = path_caller(d->places, path);
		struct site s = site_parts(path_site(d->places, path));
		struct text name = {0};
		put_name(&s, 0, &name);
		d->function[path] = intern_id(d->place_names, name.data, name.length);
		if (is_numbered(&s)) {
			name_frame(d, seen, 'c', name.data, (struct meant){path, caller});
			text_truncate(&name, 0); /* "libsolve.so.1+0x12a4" is understood, too */
			site_put_place(&s, &name);
			name_frame(d, seen, 'p', name.data, (struct meant){path, caller});
		}
		text_truncate(&name, 0);
		put_name(&s, d->number[path], &name);
		d->place[path] = intern_id(d->place_names, name.data, name.length);
		if (!stands_alone(&s))
			name_frame(d, seen, 'p', name.data, (struct meant){path, caller});
		if (stands_alone(&s) || *s.function)
			name_frame(d, seen, 'f', stands_alone(&s) ? s.file : s.function,
				(struct meant){CALL_PATH_NONE, caller});
		text_clear(&name);
	}
	intern_free(seen);
}

static const struct meanings *meanings_of(struct declared_sites *d, char sort, const char *name)
{
	struct text key = {0};
	if (!d->names)
		name_frames(d);
	text_format(&key, "%c%s", sort, name);
	uint32_t id = intern_find(d->names, key.data, key.length);
	text_clear(&key);
	return id == INTERN_NONE ? NULL : &d->of[id];
}

/* ------------------------------------------------------------------ read */

static void declare(struct declared_sites *d, uint32_t path, size_t depth)
{
	d->open[depth] = path;
	intern_id(d->nodes, &path, sizeof path);
}

/* FILE:LINE FUNCTION for each of the lines. */
static void declare_frame(struct declared_sites *d, const char *words, uint32_t caller, size_t depth)
{
	struct site s = site_parts(words);
	if (!s.line) {
		declare(d, call_paths_inside(d->places->paths, caller, words), depth);
		return;
	}
	const char *at = s.file + s.length;
	do {
		struct text site = {0};
		size_t digits = strspn(++at, "0123456789");
		text_add(&site, s.file, s.length);
		text_format(&site, ":%.*s%s%s", (int)digits, at, *s.function ? " " : "", s.function);
		declare(d, call_paths_inside(d->places->paths, caller, site.data), depth);
		text_clear(&site);
		at += digits;
	} while (*at == ',');
}

void declared_sites_line(struct declared_sites *d, const char *line)
{
	size_t blanks = strspn(line, " \t"), depth = blanks ? (blanks - 1) / 2 : 0;
	depth = depth < d->depth ? depth : d->depth;
	if (!line[blanks])
		return;
	while (depth && call_paths_frame(d->places->paths, d->open[depth - 1])->depth >= CALL_PATH_FRAMES)
		depth--;
	uint32_t caller = depth ? d->open[depth - 1] : CALL_PATH_NONE;
	struct text frame = {0};
	for (const char *at = line + blanks, *end; at; at = end ? end + strlen(CALL_PATH_INSIDE) : NULL) {
		end = strstr(at, CALL_PATH_INSIDE);
		text_truncate(&frame, 0);
		text_add(&frame, at, end ? (size_t)(end - at) : strlen(at));
		declare_frame(d, frame.data, caller, depth);
		caller = d->open[depth];
		if (call_paths_frame(d->places->paths, caller)->depth >= CALL_PATH_FRAMES)
			break;
	}
	text_clear(&frame);
	d->depth = depth + 1;
}

/* Who calls the function of a site, by the places of their frames. */
enum called {
	CALLED_ANYHOW,
	CALLED_FROM, /* "X > " */
	CALLED_THROUGH, /* "X > ... > " */
	CALLED_SO, /* "> X > Y > ": by all of these, the innermost first here, and nobody else */
};

/* The number of no call: an event is somewhere in the function. */
#define WHOLE_FUNCTION "0"

#define THROUGH "..." CALL_PATH_INSIDE
#define BEGIN "> "

struct around {
	enum called called;
	size_t frames;
	uint32_t place[CALL_PATH_FRAMES];
};

/* By its own name, or that of its function. */
static bool goes_by(const struct declared_sites *d, uint32_t path, uint32_t name)
{
	return d->place[path] == name || d->function[path] == name;
}

static bool is_called(const struct declared_sites *d, uint32_t caller, const struct around *a)
{
	size_t frames = 0;
	switch (a->called) {
	case CALLED_FROM:
		return caller != CALL_PATH_NONE && goes_by(d, caller, a->place[0]);
	case CALLED_THROUGH:
		while (caller != CALL_PATH_NONE && !goes_by(d, caller, a->place[0]))
			caller = path_caller(d->places, caller);
		return caller != CALL_PATH_NONE;
	case CALLED_SO:
		for (; caller != CALL_PATH_NONE && frames < a->frames && d->place[caller] == a->place[frames]; frames++)
			caller = path_caller(d->places, caller);
		return caller == CALL_PATH_NONE && frames == a->frames;
	default:
		return true;
	}
}

/* "ssor.f:90 > norm.f:7,9" */
struct reference {
	struct declared_sites *declared;
	struct around around;
	bool of_loop;
	uint32_t *path;
	size_t count, capacity;
};

/* Gives what stands behind; NULL: this names no callers. */
static const char *read_around(const struct declared_sites *d, const char *words, struct around *a)
{
	const char *end;
	bool so = !strncmp(words, BEGIN, strlen(BEGIN));
	words += so ? strlen(BEGIN) : 0;
	a->frames = 0;
	for (; (end = strstr(words, CALL_PATH_INSIDE)) && a->frames < CALL_PATH_FRAMES && (so || !a->frames);
		words = end + strlen(CALL_PATH_INSIDE))
		a->place[a->frames++] = intern_find(d->place_names, words, (size_t)(end - words));
	for (size_t i = 0; i < a->frames / 2; i++) {
		uint32_t outer = a->place[i];
		a->place[i] = a->place[a->frames - 1 - i];
		a->place[a->frames - 1 - i] = outer;
	}
	bool through = a->frames && !so && !strncmp(words, THROUGH, strlen(THROUGH));
	a->called = so ? CALLED_SO : through ? CALLED_THROUGH : a->frames ? CALLED_FROM : CALLED_ANYHOW;
	words += through ? strlen(THROUGH) : 0;
	return strstr(words, CALL_PATH_INSIDE) ? NULL : words;
}

static bool refer(struct reference *r, char sort, const char *name)
{
	const struct meanings *of = meanings_of(r->declared, sort, name);
	size_t before = r->count;
	for (size_t i = 0; of && i < of->count; i++) {
		uint32_t path = of->meant[i].path, caller = of->meant[i].caller;
		if (!is_called(r->declared, caller, &r->around))
			continue;
		if (path == CALL_PATH_NONE)
			path = call_paths_inside(r->declared->places->paths, caller, name);
		*MEM_PUSH(r->path, r->count, r->capacity) = path;
	}
	return r->count > before;
}

/* name: with the sign before numbers, between which commas stand. */
static bool refer_to_each(struct reference *r, const char *name, const char *number)
{
	bool good = true;
	for (; *number && good; number += *number == ',') {
		struct text place = {0};
		size_t digits = strspn(number, "0123456789");
		text_format(&place, "%s%.*s", name, (int)digits, number);
		good = refer(r, 'p', place.data);
		text_clear(&place);
		number += digits;
	}
	return good;
}

/* Numbers of calls, those of "CommBrick::borders#1,2"; NULL: there are none. */
static const char *find_numbers(const char *words)
{
	const char *at = strrchr(words, '#');
	return at && at[1] && !at[1 + strspn(at + 1, "0123456789,")] ? at + 1 : NULL;
}

/* "rhs.f:203,210", "compute_rhs", "CommBrick::borders#1,2", "libsolve.so.1+0x12a4" */
static bool refer_to_innermost(struct reference *r, const char *words)
{
	struct site s = site_parts(words);
	bool lines = s.line && !*s.function;
	const char *number = lines ? s.file + s.length + 1 : find_numbers(words);
	if (!number && r->of_loop)
		return refer(r, 'f', words) || refer(r, 'p', words);
	if (!number)
		return refer(r, 'c', words) || refer(r, 'f', words) || refer(r, 'p', words);
	struct text name = {0};
	text_add(&name, words, (size_t)(number - words));
	bool whole = !lines && !strcmp(number, WHOLE_FUNCTION);
	text_truncate(&name, name.length - whole);
	bool good = whole ? refer(r, 'f', name.data) : refer_to_each(r, name.data, number);
	text_clear(&name);
	return good;
}

static bool refer_to_part(struct reference *r, const char *words)
{
	if (!r->declared->names)
		name_frames(r->declared);
	words = read_around(r->declared, words, &r->around);
	return words && refer_to_innermost(r, words);
}

uint32_t declared_sites_find(struct declared_sites *d, const char *comment, bool of_loop)
{
	struct reference r = {.declared = d, .of_loop = of_loop};
	struct text part = {0};
	bool good = true;
	for (const char *at = comment, *next; good && *at; at = next) {
		const char *end = strstr(at, SITES_BETWEEN);
		next = end ? end + strlen(SITES_BETWEEN) : at + strlen(at);
		text_truncate(&part, 0);
		text_add(&part, at, end ? (size_t)(end - at) : strlen(at));
		good = refer_to_part(&r, part.data);
	}
	uint32_t id = good ? sites_know(d->places, r.path, r.count) : SITES_NONE;
	text_clear(&part);
	free(r.path);
	return id;
}

/* ------------------------------------------------------------------ comments */

/* What is meant, as a path of the program; CALL_PATH_NONE: none of its paths. like: a path that ends
   so. */
static uint32_t path_meant(const struct declared_sites *d, const struct meant *m, uint32_t like)
{
	return m->path != CALL_PATH_NONE ? m->path
					 : call_paths_find(d->places->paths, m->caller, path_site(d->places, like));
}

/* Are all that are called so wanted? */
static bool only_wanted(
	const struct declared_sites *d, const struct meanings *of, uint32_t path, const struct around *a)
{
	bool wanted = true;
	for (size_t i = 0; i < of->count && wanted; i++)
		wanted = !is_called(d, of->meant[i].caller, a) || d->mark[path_meant(d, &of->meant[i], path)] != 0;
	return wanted;
}

/* Is of its function known where that begins, and no more? */
static bool is_nameless(const struct declared_sites *d, uint32_t path)
{
	const char *words = path_site(d->places, path);
	struct site s = site_parts(words);
	return site_parts(*s.function ? s.function : words).offset != 0;
}

static void be_called(struct around *a, const struct declared_sites *d, uint32_t path, uint32_t caller)
{
	a->called = caller == path_caller(d->places, path) ? CALLED_FROM : CALLED_THROUGH;
	a->frames = 1;
	a->place[0] = d->function[caller];
}

/* What of its callers tells a path from those that are not wanted: rather one that has a name.
   false: nothing short does. */
static bool choose_around(const struct declared_sites *d, const struct meanings *of, uint32_t path, struct around *a)
{
	uint32_t caller = path_caller(d->places, path);
	*a = (struct around){.called = CALLED_ANYHOW};
	if (only_wanted(d, of, path, a))
		return true;
	for (int nameless = 0; nameless < 2; nameless++)
		for (uint32_t at = caller; at != CALL_PATH_NONE; at = path_caller(d->places, at)) {
			if (is_nameless(d, at) != nameless)
				continue;
			be_called(a, d, path, at);
			if (only_wanted(d, of, path, a))
				return true;
			a->place[0] = d->place[at];
			if (only_wanted(d, of, path, a))
				return true;
		}
	a->called = CALLED_SO;
	for (a->frames = 0; caller != CALL_PATH_NONE && a->frames < FRAMES_NAMED;
		caller = path_caller(d->places, caller))
		a->place[a->frames++] = d->place[caller];
	return caller == CALL_PATH_NONE;
}

/* Who reads "libsolve.so.1+0x12a4" asks where that is: in what the innermost function with a name
   calls that all these paths have. */
static bool choose_named(const struct declared_sites *d, const uint32_t *path, size_t count, struct around *a)
{
	uint32_t at = path_caller(d->places, path[0]);
	while (at != CALL_PATH_NONE && is_nameless(d, at))
		at = path_caller(d->places, at);
	if (!is_nameless(d, path[0]) || at == CALL_PATH_NONE)
		return false;
	be_called(a, d, path[0], at);
	bool all = true;
	for (size_t i = 0; i < count && all; i++)
		all = is_called(d, path_caller(d->places, path[i]), a);
	return all;
}

static const char *name_of(const struct declared_sites *d, uint32_t id)
{
	return intern_data(d->place_names, id, NULL);
}

static const struct meanings *meanings_of_path(struct declared_sites *d, uint32_t path)
{
	struct site s = site_parts(path_site(d->places, path));
	return meanings_of(d, stands_alone(&s) ? 'f' : 'p', name_of(d, d->place[path]));
}

/* Of paths that end in one place: how many parts name them; 0: the place alone stands for all. */
static size_t choose_parts(
	struct declared_sites *d, const uint32_t *path, size_t count, struct around *a, uint32_t *named)
{
	const struct meanings *of = meanings_of_path(d, path[0]);
	size_t parts = 0;
	if (choose_around(d, of, path[0], &a[0]) && a[0].called == CALLED_ANYHOW) {
		named[0] = path[0];
		return choose_named(d, path, count, &a[0]);
	}
	for (size_t i = 0; i < count; i++) {
		if (d->mark[path[i]] & MARK_NAMED)
			continue;
		if (parts == CALLERS_NAMED || !choose_around(d, of, path[i], &a[parts]) ||
			a[parts].called == CALLED_ANYHOW)
			return 0;
		for (size_t k = 0; k < of->count; k++)
			if (is_called(d, of->meant[k].caller, &a[parts]))
				d->mark[path_meant(d, &of->meant[k], path[i])] |= MARK_NAMED;
		named[parts++] = path[i];
	}
	d->mark[CALL_PATH_NONE] = 0;
	return parts;
}

struct naming {
	struct declared_sites *declared;
	bool of_loop;
	struct text *out;
	struct text around, around_before; /* of this part, and of the one before: */
	uint32_t before; /* its path, */
	size_t named; /* where its name ends, */
	uint32_t numbers; /* of calls behind that */
	size_t parts;
};

static void put_around(const struct declared_sites *d, const struct around *a, struct text *out)
{
	text_truncate(out, 0);
	text_put(out, a->called == CALLED_SO ? BEGIN : "");
	for (size_t i = a->frames; i-- > 0;)
		text_format(out, "%s" CALL_PATH_INSIDE, name_of(d, a->place[i]));
	text_put(out, a->called == CALLED_THROUGH ? THROUGH : "");
}

static bool same_text(const struct text *a, const struct text *b)
{
	return a->length == b->length && (!a->length || !memcmp(a->data, b->data, a->length));
}

/* All calls of a function go by its name. */
static void end_numbers(struct naming *n)
{
	if (n->numbers && n->numbers == n->declared->calls[n->before])
		text_truncate(n->out, n->named);
	n->numbers = 0;
}

static void put_part(struct naming *n, uint32_t path, const struct around *a)
{
	struct declared_sites *d = n->declared;
	struct site s = site_parts(path_site(d->places, path)), before = {0};
	put_around(d, a, &n->around);
	if (n->parts)
		before = site_parts(path_site(d->places, n->before));
	bool same = n->parts++ && same_text(&n->around, &n->around_before);
	if (same && s.line && before.line && !site_compare_files(&s, &before)) {
		if (s.line != before.line)
			text_format(n->out, ",%" PRIu64, s.line);
	} else if (same && d->number[path] && d->function[path] == d->function[n->before]) {
		text_format(n->out, ",%" PRIu32, d->number[path]);
		n->numbers++;
	} else {
		end_numbers(n);
		text_put(n->out, n->parts > 1 ? SITES_BETWEEN : "");
		text_add(n->out, n->around.data ? n->around.data : "", n->around.length);
		text_put(n->out, name_of(d, d->function[path]));
		n->named = n->out->length;
		n->numbers = d->number[path] > 0;
		if (d->number[path])
			text_format(n->out, "#%" PRIu32, d->number[path]);
		else if (!n->of_loop && stands_alone(&s) && meanings_of(d, 'c', s.file))
			text_put(n->out, "#" WHOLE_FUNCTION);
	}
	struct text swap = n->around_before;
	n->around_before = n->around;
	n->around = swap;
	n->before = path;
}

void declared_sites_name(struct declared_sites *d, uint32_t id, bool of_loop, struct text *out)
{
	static const struct around anyhow = {.called = CALLED_ANYHOW};
	struct around a[CALLERS_NAMED];
	uint32_t named[CALLERS_NAMED];
	const uint32_t *path;
	size_t count = sites_get(d->places, id, &path);
	if (!d->mark)
		d->mark = mem_zero(call_paths_count(d->places->paths) * sizeof *d->mark);
	struct naming n = {.declared = d, .of_loop = of_loop, .out = out};
	if (!d->names)
		name_frames(d);
	for (size_t i = 0; i < count; i++)
		d->mark[path[i]] = MARK_WANTED;
	for (size_t i = 0, same; i < count; i += same) {
		for (same = 1; i + same < count && d->place[path[i]] == d->place[path[i + same]];)
			same++;
		size_t parts = choose_parts(d, path + i, same, a, named);
		for (size_t k = 0; k < parts; k++)
			put_part(&n, named[k], &a[k]);
		if (!parts)
			put_part(&n, path[i], &anyhow);
	}
	end_numbers(&n);
	for (size_t i = 0; i < count; i++)
		d->mark[path[i]] = 0;
	d->mark[CALL_PATH_NONE] = 0;
	text_clear(&n.around);
	text_clear(&n.around_before);
}

/* ------------------------------------------------------------------ declarations */

struct frame {
	const struct site_places *places;
	uint32_t path;
	bool calls; /* others of the tree */
};

static int by_caller_and_function(const void *left, const void *right)
{
	const struct frame *x = left, *y = right;
	uint32_t around[2] = {path_caller(x->places, x->path), path_caller(y->places, y->path)};
	if (around[0] != around[1])
		return around[0] < around[1] ? -1 : 1;
	struct site a = site_parts(path_site(x->places, x->path)), b = site_parts(path_site(y->places, y->path));
	int order = site_compare_files(&a, &b);
	if (!order)
		order = strcmp(a.function, b.function);
	return order ? order : (a.line > b.line) - (a.line < b.line);
}

struct tree {
	const struct site_places *places;
	struct frame *node; /* those that one frame calls, beside each other */
	size_t nodes;
	struct text *out;
};

static size_t first_called_by(const struct tree *t, uint32_t caller)
{
	size_t first = 0;
	SEARCH_FIRST(first, 0, t->nodes, path_caller(t->places, t->node[first].path) >= caller);
	return first;
}

/* Is the function that stands alone told with a place, too? */
static bool is_told(const struct tree *t, size_t at, size_t from, size_t to)
{
	const char *function = path_site(t->places, t->node[at].path);
	struct site s = site_parts(function);
	bool told = false;
	for (size_t i = from; stands_alone(&s) && !t->node[at].calls && i < to && !told; i++) {
		struct site other = site_parts(path_site(t->places, t->node[i].path));
		told = other.function != other.file && !strcmp(other.function, function);
	}
	return told;
}

static size_t behind_called(const struct tree *t, size_t from)
{
	size_t to = from;
	while (to < t->nodes && path_caller(t->places, t->node[to].path) == path_caller(t->places, t->node[from].path))
		to++;
	return to;
}

/* Behind the place. */
static void put_function(const struct site *s, struct text *out)
{
	if (!stands_alone(s) && *s->function)
		text_format(out, " %s", s->function);
}

/* "main.f:12 main > ssor.f:90 ssor", while there is one call alone; gives the last of them. */
static size_t put_chain(const struct tree *t, size_t at)
{
	for (;;) {
		struct site s = site_parts(path_site(t->places, t->node[at].path));
		site_put_place(&s, t->out);
		if (!t->node[at].calls)
			return at;
		put_function(&s, t->out);
		size_t first = first_called_by(t, t->node[at].path), to = behind_called(t, first), only = first,
		       told = 0;
		for (size_t i = first; i < to; i++)
			if (is_told(t, i, first, to))
				told++;
			else
				only = i;
		if (first + told + 1 < to)
			return at;
		text_put(t->out, CALL_PATH_INSIDE);
		at = only;
	}
}

/* Lines that call nothing more, of one function beside each other; gives the last. */
static size_t put_lines(const struct tree *t, size_t at, size_t to)
{
	struct site s = site_parts(path_site(t->places, t->node[at].path));
	for (; s.line && at + 1 < to && !t->node[at + 1].calls; at++) {
		struct site next = site_parts(path_site(t->places, t->node[at + 1].path));
		if (!next.line || site_compare_files(&s, &next) || strcmp(s.function, next.function) != 0)
			break;
		text_format(t->out, ",%" PRIu64, next.line);
	}
	put_function(&s, t->out);
	return at;
}

static void put_called(const struct tree *t, size_t from, unsigned depth)
{
	size_t to = from < t->nodes ? behind_called(t, from) : from;
	for (size_t i = from; i < to; i++) {
		if (is_told(t, i, from, to))
			continue;
		text_format(t->out, "// %*s", (int)(2 * depth), "");
		size_t last = put_chain(t, i);
		if (last == i && !t->node[i].calls)
			i = put_lines(t, i, to);
		else if (!t->node[last].calls)
			put_lines(t, last, last + 1);
		text_char(t->out, '\n');
		if (t->node[last].calls)
			put_called(t, first_called_by(t, t->node[last].path), depth + 1);
	}
}

void declared_sites_print(const struct declared_sites *d, struct text *out)
{
	struct tree t = {.places = d->places, .nodes = intern_count(d->nodes), .out = out};
	if (!t.nodes)
		return;
	t.node = mem_array(t.nodes, sizeof *t.node);
	for (uint32_t i = 0; i < t.nodes; i++)
		t.node[i] = (struct frame){d->places, node_path(d, i), false};
	qsort(t.node, t.nodes, sizeof *t.node, by_caller_and_function);
	for (size_t i = 0; i < t.nodes; i++) {
		size_t first = first_called_by(&t, t.node[i].path);
		t.node[i].calls = first < t.nodes && path_caller(t.places, t.node[first].path) == t.node[i].path;
	}
	text_put(out, "// sites\n");
	put_called(&t, 0, 0);
	free(t.node);
}
