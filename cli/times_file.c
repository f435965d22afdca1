/*
 * times_file.c -- only what a picture needs is read: of each loop its address, its iteration count
 * (which tells another model's times) and its share.
 */
#include "cli/times_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "base/files.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/module_address.h"

/* Bytes: the times of a thousand loops of a thousand processes. */
#define LARGEST ((size_t)1 << 28)

/* ------------------------------------------------------------------ values */

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool is_whole(const cJSON *value, double wanted)
{
	return cJSON_IsNumber(value) && value->valuedouble == wanted;
}

/* ------------------------------------------------------------------ the loops */

static bool other_model(const char *address, const char *why, struct error *error)
{
	return error_set(error, ERROR_INCONSISTENT, "these are the times of another model: loop %s %s", address, why);
}

static bool read_loop(struct times_file *t, const cJSON *loop, const struct module *m, struct error *error)
{
	const cJSON *address = member(loop, "address"), *share = member(loop, "share");
	uint64_t place;
	int64_t last;
	bool placed = cJSON_IsString(address) && !address->valuestring[strspn(address->valuestring, "0123456789.")];
	if (!placed || !cJSON_IsNumber(share) || !(share->valuedouble >= 0 && share->valuedouble <= 1))
		return error_set(error, ERROR_INPUT,
			"loop %zu of the list has no address, or no share of the time from 0 to 1", t->length);
	const struct node *n = module_find(m, address->valuestring, &place, error)
				       ? node_of(m->store, module_at(m, place).statement)
				       : NULL;
	if (!n || n->kind == NODE_EVENT)
		return other_model(address->valuestring, "is not in this one", error);
	if (n->kind == NODE_LOOP && number_is_constant(m->store, n->kid[1], &last) &&
		!is_whole(member(loop, "count"), (double)last + 1))
		return other_model(address->valuestring, "has another number of iterations in this one", error);
	t->time[t->length++] = (struct viz_time){address->valuestring, share->valuedouble};
	return true;
}

static bool read_loops(struct times_file *t, const struct module *m, struct error *error)
{
	const cJSON *loops = member(t->json, "loops"), *processes = member(t->json, "processes"), *loop;
	if (!cJSON_IsArray(loops) || !cJSON_IsNumber(processes))
		return error_set(error, ERROR_INPUT,
			"these are no times of loops: 'tracenest time MODEL TRACE --json' writes them");
	if (!is_whole(processes, m->processes))
		return error_set(error, ERROR_INCONSISTENT,
			"these are the times of another model: of %.0f processes, and this one has %" PRIu32,
			processes->valuedouble, m->processes);
	t->time = mem_array((size_t)cJSON_GetArraySize(loops) + 1, sizeof *t->time);
	cJSON_ArrayForEach(loop, loops) if (!read_loop(t, loop, m, error)) return false;
	return true;
}

/* ------------------------------------------------------------------ the file */

static uint64_t line_of(const char *text, const char *at)
{
	uint64_t line = 1;
	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

static bool parse(struct times_file *t, const struct text *text, struct error *error)
{
	const char *end = text->data;
	if (strlen(text->data) == text->length)
		t->json = cJSON_ParseWithOpts(text->data, &end, true);
	return t->json || error_set(error, ERROR_INPUT,
				  "no JSON from line %" PRIu64 " on: 'tracenest time MODEL TRACE --json' writes it",
				  line_of(text->data, end));
}

bool times_read(struct times_file *t, const char *path, const struct module *m, struct error *error)
{
	struct text text = {0};
	const char *name = strcmp(path, "-") ? path : "standard input";
	if (!file_read(path, LARGEST, &text, error)) {
		text_clear(&text);
		return false;
	}
	bool good = (parse(t, &text, error) && read_loops(t, m, error)) || error_at(error, "%s", name);
	text_clear(&text);
	return good;
}

void times_clear(struct times_file *t)
{
	cJSON_Delete(t->json);
	free(t->time);
	*t = (struct times_file){0};
}
