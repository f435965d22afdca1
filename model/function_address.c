/*
 * function_address.c -- where in the text a function is executed.
 *
 * An execution is statements beside each other all of whose call paths go through the function,
 * called from the same place.
 */
#include "model/function_address.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/module_address.h"

#define FUNCTIONS_MOST 16 /* that an address names: callers, and the function */
#define CANDIDATES_SHOWN 6

struct execution {
	const node_id *statement;
	uint32_t count;
	size_t line, last; /* of the first and the last of these */
	uint32_t frame; /* of a call inside of it */
};

struct search {
	const struct module *m;
	const char *function[FUNCTIONS_MOST];
	size_t functions;
	struct execution *execution;
	size_t count, capacity;
};

/* Names may be told without their parameters: "Verlet::run" of "Verlet::run(int)". */
static bool is_function(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);
	return !strncmp(name, wanted, length) && (!name[length] || name[length] == '(' || name[length] == '<');
}

/* The outermost frame of the function that is called by the others, from this one on; CALL_PATH_NONE:
   none. */
static uint32_t frame_inside(const struct search *s, uint32_t path, size_t found)
{
	const struct call_paths *paths = s->m->places.paths;
	uint32_t frame[CALL_PATH_FRAMES];
	size_t count = 0;
	for (; path != CALL_PATH_NONE && count < CALL_PATH_FRAMES; path = path_caller(&s->m->places, path))
		frame[count++] = path;
	while (count-- > 0)
		if (is_function(call_paths_frame(paths, frame[count])->name, s->function[found]) &&
			++found == s->functions)
			return frame[count];
	return CALL_PATH_NONE;
}

/* The same of a statement all of whose events are in the function: what calls it there is known of
   some of them alone where the text has its calls in one procedure. */
static uint32_t frame_of(const struct search *s, size_t line)
{
	const uint32_t *path;
	size_t count = sites_get(&s->m->places, s->m->sites[line], &path);
	uint32_t frame = CALL_PATH_NONE;
	for (size_t i = count; i-- > 0;) {
		uint32_t own = frame_inside(s, path[i], 0);
		if (frame_inside(s, path[i], s->functions - 1) == CALL_PATH_NONE)
			return CALL_PATH_NONE;
		frame = own != CALL_PATH_NONE ? own : frame;
	}
	return frame;
}

static void search_body(struct search *s, node_id body, size_t line)
{
	const struct node *b = node_of(s->m->store, body);
	uint32_t before = CALL_PATH_NONE;
	for (uint32_t k = 0; k < b->kids; line = module_line_behind(s->m, line, b->kid[k++])) {
		uint32_t frame = frame_of(s, line);
		const struct node *n = node_of(s->m->store, b->kid[k]);
		struct execution *last = s->count ? &s->execution[s->count - 1] : NULL;
		if (frame == CALL_PATH_NONE && n->kind != NODE_EVENT) {
			search_body(s, n->kid[2], line + 1);
		} else if (frame != CALL_PATH_NONE && before != CALL_PATH_NONE &&
			   path_caller(&s->m->places, frame) == path_caller(&s->m->places, before)) {
			last->count++;
			last->last = line;
		} else if (frame != CALL_PATH_NONE) {
			*MEM_PUSH(s->execution, s->count, s->capacity) =
				(struct execution){&b->kid[k], 1, line, line, frame};
		}
		before = frame;
	}
}

/* "solve from main at main.c:12: 2.0 to 2.4" */
static void put_candidate(const struct search *s, const struct execution *e, struct text *out)
{
	const uint32_t caller = path_caller(&s->m->places, e->frame);
	text_put(out, "\n  ");
	module_address(s->m, e->line, out);
	if (e->last > e->line) {
		text_put(out, " to ");
		module_address(s->m, e->last, out);
	}
	if (caller != CALL_PATH_NONE) {
		text_put(out, ", called by ");
		paths_print(&s->m->places, &caller, 1, PATH_SHORT, out);
	}
}

static bool refuse(const struct search *s, const char *address, const char *last, struct error *error)
{
	struct text list = {0};
	for (size_t i = 0; i < s->count && i < CANDIDATES_SHOWN; i++)
		put_candidate(s, &s->execution[i], &list);
	if (s->count > CANDIDATES_SHOWN)
		text_format(&list, "\n  and %zu more", s->count - CANDIDATES_SHOWN);
	if (s->count)
		error_set(error, ERROR_INPUT,
			"%s: %s is executed in %zu places: say who calls it, as in CALLER/%s/0, or a number:%s",
			address, last, s->count, last, list.data);
	else if (!intern_count(s->m->places.sets))
		error_set(error, ERROR_INPUT,
			"'%s' is not an address: numbers separated by dots, as in 2.0.1; functions the model does not know",
			address);
	else
		error_set(error, ERROR_INPUT,
			"'%s' is not an address: numbers separated by dots, as in 2.0.1, or a function of the model's sites and a number inside, as in solve/0.1; nothing is in %s",
			address, last);
	text_clear(&list);
	return false;
}

/* "main/solve/0.1": NULL: no number is said. */
static const char *inside_of(const char *address)
{
	const char *slash = strrchr(address, '/');
	return slash && slash[1] && !slash[1 + strspn(slash + 1, "0123456789.")] ? slash + 1 : NULL;
}

bool function_find(const struct module *m, const char *address, struct function_body *body, struct error *error)
{
	struct search s = {.m = m};
	struct text names = {0};
	body->inside = inside_of(address);
	text_add(&names, address, body->inside ? (size_t)(body->inside - address - 1) : strlen(address));
	for (char *at = names.data, *end; at && s.functions < FUNCTIONS_MOST; at = end ? end + 1 : NULL) {
		end = strchr(at, '/');
		if (end)
			*end = 0;
		s.function[s.functions++] = at;
	}
	search_body(&s, m->body, 0);
	bool found = s.count == 1;
	if (found) {
		body->line = s.execution->line;
		body->body = node_make(m->store, NODE_SEQUENCE, 0, 0, 0, s.execution->count, s.execution->statement);
	} else {
		refuse(&s, address, s.function[s.functions - 1], error);
	}
	free(s.execution);
	text_clear(&names);
	return found;
}
