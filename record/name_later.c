/*
 * name_later.c -- modules by their build ids, frames by their offsets.
 */
#include "record/name_later.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/sites.h"
#include "record/symbolize.h"
#include "trace/archive_names.h"

struct debugged {
	char *name, *build;
	char *path; /* of its debug information; NULL: not there */
	bool ambiguous; /* there is another build of this name: frames do not tell which they are of */
};

struct naming {
	struct debugged *module;
	size_t modules, capacity;
	struct site_namer *namer;
	struct naming_facts *facts;
};

static void add_module(struct naming *n, const char *name, const char *build)
{
	bool ambiguous = false;
	for (size_t i = 0; i < n->modules; i++) {
		if (strcmp(n->module[i].name, name) != 0)
			continue;
		if (!strcmp(n->module[i].build, build))
			return;
		n->module[i].ambiguous = ambiguous = true;
	}
	*MEM_PUSH(n->module, n->modules, n->capacity) =
		(struct debugged){mem_text(name), mem_text(build), NULL, ambiguous};
}

/* The property, "BUILD NAME" a line. */
static void read_modules(struct naming *n, char *list)
{
	char *rest = NULL;
	for (char *line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *name = strchr(line, ' ');
		if (!name || name - line < 3)
			continue;
		*name++ = 0;
		add_module(n, name, line);
	}
}

/* Is the file there, and of this build? *other: there is one of another build. */
static bool is_of_build(const char *path, const struct debugged *m, struct text *other)
{
	struct text build = {0};
	bool there = !access(path, R_OK) && sites_build_id(path, &build), same = there && !strcmp(build.data, m->build);
	if (there && !same && !other->length)
		text_format(other, "%s: is not of the build of %s that ran: %s is its id, that of the recording %s",
			path, m->name, build.data, m->build);
	text_clear(&build);
	return same;
}

static void find_module(struct debugged *m, const char *debug, struct text *other)
{
	struct text path[3] = {0};
	text_format(&path[0], "%s/.build-id/%.2s/%s.debug", debug, m->build, m->build + 2);
	text_format(&path[1], "%s/%s.debug", debug, m->name);
	text_format(&path[2], "%s/%s", debug, m->name);
	for (size_t i = 0; i < 3; i++) {
		if (!m->path && is_of_build(path[i].data, m, other))
			m->path = mem_text(path[i].data);
		text_clear(&path[i]);
	}
}

static bool find_modules(struct naming *n, const char *debug, struct error *error)
{
	bool good = true;
	for (size_t i = 0; i < n->modules && good; i++) {
		struct text other = {0};
		if (n->module[i].ambiguous)
			continue;
		find_module(&n->module[i], debug, &other);
		n->facts->found += n->module[i].path != NULL;
		if (!n->module[i].path && other.length)
			good = error_set(error, ERROR_INPUT, "%s", other.data);
		text_clear(&other);
	}
	if (good && !n->facts->found)
		good = error_set(error, ERROR_INPUT,
			"%s: has no debug information of %s%s: looked for .build-id/%.2s/%s.debug, %s.debug and %s",
			debug, n->module[0].name, n->modules > 1 ? ", nor of any other module of the recording" : "",
			n->module[0].build, n->module[0].build + 2, n->module[0].name, n->module[0].name);
	return good;
}

/* "libx.so+0x12a4 solve": what the debug information says; what it leaves open stays. */
static char *name_frame(void *naming, const char *words)
{
	struct naming *n = naming;
	struct site site = site_parts(words);
	const struct debugged *m = NULL;
	for (size_t i = 0; i < n->modules && site.offset; i++) {
		size_t length = strlen(n->module[i].name);
		if (!strncmp(words, n->module[i].name, length) && !strncmp(words + length, "+0x", 3))
			m = &n->module[i];
	}
	if (!m || !m->path)
		return NULL;
	char *name = site_namer_name(n->namer, &(struct site_address){m->path, site.offset});
	struct site found = site_parts(name);
	if (found.line) {
		n->facts->frames++;
		return name;
	}
	struct text with = {0};
	if (*found.function && !strstr(found.function, "+0x") && strcmp(found.function, site.function)) {
		text_format(&with, "%.*s %s", (int)site.length, words, found.function);
		n->facts->frames++;
	}
	free(name);
	return with.data;
}

bool name_later(
	const char *directory, const char *debug, const char *to, struct naming_facts *facts, struct error *error)
{
	static const char *const archive[] = {
		"traces.otf2", "traces.def", "traces/*.def", "traces/*.evt", "traces/", NULL};
	struct naming n = {.namer = site_namer_new(), .facts = facts};
	struct archive_names names = {&n, name_frame};
	struct text anchor = {0};
	char *list;
	*facts = (struct naming_facts){0};
	text_format(&anchor, "%s/traces.otf2", directory);
	bool good = archive_modules(anchor.data, &list, error);
	if (good && list)
		read_modules(&n, list);
	facts->modules = n.modules;
	if (good && !n.modules)
		good = error_set(error, ERROR_INPUT,
			"%s: does not tell of which builds its modules are: it was recorded before 'name' was there",
			anchor.data);
	good = good && find_modules(&n, debug, error);
	char *place = to ? NULL : realpath(directory, NULL); /* "." and links cannot be exchanged */
	struct folder *folder = good ? folder_open(to ? to : place ? place : directory, archive, error) : NULL;
	good = folder && archive_names_write(anchor.data, folder_path(folder), &names, error) &&
	       folder_link(folder, directory, error);
	if (good)
		good = to ? folder_close(folder, error) : folder_exchange(folder, error);
	else
		folder_abandon(folder);
	site_namer_free(n.namer);
	for (size_t i = 0; i < n.modules; i++) {
		free(n.module[i].name);
		free(n.module[i].build);
		free(n.module[i].path);
	}
	free(n.module);
	free(place);
	free(list);
	text_clear(&anchor);
	return good;
}
