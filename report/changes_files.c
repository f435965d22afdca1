/*
 * changes_files.c -- what changed, in lines, as JUnit XML and as SARIF.
 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "model/lines.h"
#include "model/source.h"
#include "report/changes.h"

#define SARIF_SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* An id for machines; what it means. */
static const struct {
	const char *id, *meaning;
} rules[CHANGE_KINDS] = {
	[CHANGE_NEW] = {"new-call", "A call that the golden program does not have"},
	[CHANGE_GONE] = {"missing-call", "A call of the golden program that is not made any more"},
	[CHANGE_NAME] = {"collective", "Another collective operation"},
	[CHANGE_CALL] = {"function", "Another MPI function, or completed by another one"},
	[CHANGE_COUNT] = {"count", "Called more, or less, often, or by other ranks"},
	[CHANGE_PEER] = {"peer", "Messages to, or from, other ranks"},
	[CHANGE_ROOT] = {"root", "Another root"},
	[CHANGE_TAG] = {"tag", "Another tag"},
	[CHANGE_COMMUNICATOR] = {"communicator", "Another communicator"},
	[CHANGE_GROUP] = {"group", "A collective of other ranks"},
	[CHANGE_BYTES] = {"bytes", "Another size"},
	[CHANGE_ORDER] = {"order", "Another order of the calls of a rank"},
	[CHANGE_OVERLAP] = {"overlap", "Another number of calls between the begin and the end of a request"},
};

static void put_location(const struct change *c, struct text *text)
{
	if (c->line)
		text_format(text, "%s:%" PRIu64 " ", c->file, c->line);
	text_put(text, c->function);
	text_add(text, "", 0);
}

void changes_print(const struct changes *c, struct text *text)
{
	for (const struct change *x = c->change; x < c->change + c->length; x++) {
		put_location(x, text);
		text_format(text, "%s%s\n", *x->function ? ": " : "", x->words);
	}
}

/* A test case each; a single one that passes where there is none. */
void changes_print_junit(const struct changes *c, const char *name, double seconds, struct text *text)
{
	size_t cases = c->length ? c->length : 1;
	text_put(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	text_format(text,
		"  <testsuite name=\"tracenest\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"%.3f\">\n", cases,
		c->length, seconds);
	for (size_t i = 0; i < cases; i++) {
		const struct change *x = c->length ? &c->change[i] : NULL;
		struct text place = {0};
		if (x)
			put_location(x, &place);
		text_put(text, "    <testcase classname=\"");
		text_put_escaped(text, name);
		text_put(text, "\" name=\"");
		text_put_escaped(text, x ? place.data : "communication");
		text_format(text, "%s%s\" time=\"%.3f\"", x ? ": " : "", x ? rules[x->kind].id : "", i ? 0.0 : seconds);
		if (x) {
			text_format(text, ">\n      <failure type=\"%s\" message=\"", rules[x->kind].id);
			text_put_escaped(text, x->words);
			text_put(text, "\">");
			text_put_escaped(text, place.data);
			text_put(text, ": ");
			text_put_escaped(text, x->words);
			text_put(text, "</failure>\n    </testcase>\n");
		} else {
			text_put(text, "/>\n");
		}
		text_clear(&place);
	}
	text_put(text, "  </testsuite>\n</testsuites>\n");
}

static void put_message(struct json *j, const char *name, const char *words)
{
	json_object(j, name, JSON_ROW);
	json_string(j, "text", words);
	json_close(j);
}

static void put_rules(struct json *j)
{
	json_array(j, "rules", JSON_LINES);
	for (enum change_kind kind = 0; kind < CHANGE_KINDS; kind++) {
		json_object(j, NULL, JSON_LINES);
		json_string(j, "id", rules[kind].id);
		put_message(j, "shortDescription", rules[kind].meaning);
		json_close(j);
	}
	json_close(j);
}

/* RFC 3986. */
static void put_uri(struct json *j, const char *path)
{
	struct text uri = {0};
	for (; *path; path++) {
		bool plain = is_letter(*path) || is_digit(*path) || strchr("-._~/", *path);
		text_format(&uri, plain ? "%c" : "%%%02X", (unsigned char)*path);
	}
	json_string(j, "uri", uri.data ? uri.data : "");
	text_clear(&uri);
}

/* Code scanning wants a place for each result: of one without, the golden program's. */
static void put_result(struct json *j, const struct change *c, const char *golden, const struct source *source)
{
	const char *path = !c->line ? golden : source ? source_path(source, c->file) : NULL;
	struct text words = {0};
	text_format(&words, "%s%s%s", c->function, *c->function ? ": " : "", c->words);
	json_object(j, NULL, JSON_LINES);
	json_string(j, "ruleId", rules[c->kind].id);
	json_number(j, "ruleIndex", c->kind);
	json_string(j, "level", "error");
	put_message(j, "message", words.data);
	json_array(j, "locations", JSON_LINES);
	json_object(j, NULL, JSON_LINES);
	json_object(j, "physicalLocation", JSON_LINES);
	json_object(j, "artifactLocation", JSON_ROW);
	put_uri(j, path ? path : c->file);
	json_close(j);
	json_object(j, "region", JSON_ROW);
	json_number(j, "startLine", c->line ? c->line : 1);
	json_close(j);
	json_close(j);
	json_close(j);
	json_close(j);
	json_close(j);
	text_clear(&words);
}

void changes_print_sarif(const struct changes *c, const char *golden, const struct source *source, struct json *j)
{
	json_object(j, NULL, JSON_LINES);
	json_string(j, "$schema", SARIF_SCHEMA);
	json_string(j, "version", "2.1.0");
	json_array(j, "runs", JSON_LINES);
	json_object(j, NULL, JSON_LINES);
	json_object(j, "tool", JSON_LINES);
	json_object(j, "driver", JSON_LINES);
	json_string(j, "name", "tracenest");
	json_string(j, "version", TRACENEST_VERSION);
	put_rules(j);
	json_close(j);
	json_close(j);
	json_array(j, "results", JSON_LINES);
	for (size_t i = 0; i < c->length; i++)
		put_result(j, &c->change[i], golden, source);
	json_close(j);
	json_close(j);
	json_close(j);
	json_close(j);
}
