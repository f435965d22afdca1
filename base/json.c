/*
 * json.c -- every value begins at put_name, which knows what separates it from the one before.
 */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/utf8.h"

#define PIECE (size_t)(1 << 16) /* bytes gathered before they are written */

/* It may stand in a script element of a page. */
static void put_quoted(struct text *out, const char *string)
{
	enum utf8_kind kind;
	text_char(out, '"');
	for (size_t length; *string; string += length) {
		unsigned char c = (unsigned char)*string;
		length = utf8_next(string, &kind);
		if (c == '"' || c == '\\')
			text_format(out, "\\%c", c);
		else if (c == '\n')
			text_put(out, "\\n");
		else if (c == '\t')
			text_put(out, "\\t");
		else if (kind == UTF8_BROKEN)
			text_put(out, "\xef\xbf\xbd");
		else if (kind == UTF8_CONTROL || c == '<' || c == '&')
			text_format(out, "\\u%04x", (unsigned char)string[length - 1]);
		else
			text_add(out, string, length);
	}
	text_char(out, '"');
}

static void new_line(struct json *j)
{
	text_format(&j->text, "\n%*s", 2 * (int)j->depth, "");
}

static void put_name(struct json *j, const char *name)
{
	enum json_layout layout = j->depth ? j->level[j->depth - 1].layout : JSON_ROW;
	if (j->depth) {
		assert(!name == (j->level[j->depth - 1].end == ']'));
		if (j->level[j->depth - 1].any)
			text_put(&j->text, layout == JSON_ROW ? ", " : ",");
		j->level[j->depth - 1].any = true;
		if (layout == JSON_LINES)
			new_line(j);
	}
	if (name) {
		put_quoted(&j->text, name);
		text_put(&j->text, layout == JSON_TIGHT ? ":" : ": ");
	}
	if (j->out && j->text.length >= PIECE)
		output_text(j->out, &j->text);
}

static void open(struct json *j, const char *name, enum json_layout layout, char begin, char end)
{
	assert(j->depth < JSON_DEPTH);
	put_name(j, name);
	text_char(&j->text, begin);
	j->level[j->depth].layout = layout;
	j->level[j->depth].end = end;
	j->level[j->depth++].any = false;
}

void json_object(struct json *j, const char *name, enum json_layout layout)
{
	open(j, name, layout, '{', '}');
}

void json_array(struct json *j, const char *name, enum json_layout layout)
{
	open(j, name, layout, '[', ']');
}

void json_close(struct json *j)
{
	assert(j->depth > 0);
	j->depth--;
	if (j->level[j->depth].any && j->level[j->depth].layout == JSON_LINES)
		new_line(j);
	text_char(&j->text, j->level[j->depth].end);
}

void json_string(struct json *j, const char *name, const char *string)
{
	put_name(j, name);
	put_quoted(&j->text, string);
}

void json_number(struct json *j, const char *name, uint64_t number)
{
	put_name(j, name);
	text_number(&j->text, number);
}

void json_count(struct json *j, const char *name, uint64_t number)
{
	bool rounded = number > UINT64_C(1) << 53;
	put_name(j, name);
	text_format(&j->text, rounded ? "\"%" PRIu64 "\"" : "%" PRIu64, number);
}

void json_integer(struct json *j, const char *name, int64_t number)
{
	put_name(j, name);
	text_format(&j->text, "%" PRId64, number);
}

void json_real(struct json *j, const char *name, double number, int decimals)
{
	put_name(j, name);
	if (isfinite(number))
		text_format(&j->text, "%.*f", decimals, number);
	else
		text_put(&j->text, "null");
}

void json_short(struct json *j, const char *name, double number, int decimals)
{
	json_real(j, name, number, decimals);
	while (decimals-- > 0 && j->text.data[j->text.length - 1] == '0')
		text_truncate(&j->text, j->text.length - 1);
	if (j->text.data[j->text.length - 1] == '.')
		text_truncate(&j->text, j->text.length - 1);
}

void json_truth(struct json *j, const char *name, bool truth)
{
	put_name(j, name);
	text_put(&j->text, truth ? "true" : "false");
}

void json_finish(struct json *j)
{
	assert(j->depth == 0);
	text_char(&j->text, '\n');
	if (j->out) {
		output_text(j->out, &j->text);
		text_clear(&j->text);
	}
}
