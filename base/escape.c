/*
 * escape.c -- each target in turn: what means something there is replaced.
 */
#include "base/escape.h"

#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define SHOWN 40

static void put_bytes(struct text *out, const char *at, size_t length)
{
	while (length-- > 0)
		text_format(out, "\\x%02x", (unsigned char)*at++);
}

/* The next character, and where it is one of ASCII that stands in `of`, what `as` has for it. */
static void put_replaced(struct text *out, const char *string, const char *of, const char *const *as)
{
	enum utf8_kind kind;
	for (size_t length; *string; string += length) {
		const char *found = strchr(of, *string);
		length = utf8_next(string, &kind);
		if (found)
			text_put(out, as[found - of]);
		else if (kind == UTF8_PLAIN)
			text_add(out, string, length);
		else if (kind == UTF8_CONTROL)
			put_bytes(out, string, length);
		else
			text_put(out, REPLACEMENT);
	}
}

void text_put_printable(struct text *out, const char *string)
{
	put_replaced(out, string, "", NULL);
}

void text_put_escaped(struct text *out, const char *string)
{
	put_replaced(out, string, "<>&\"", (const char *const[]){"&lt;", "&gt;", "&amp;", "&quot;"});
}

void text_put_label(struct text *out, const char *string)
{
	struct text shown = {0};
	text_put_printable(&shown, string);
	put_replaced(out, shown.data ? shown.data : "", "\\&", (const char *const[]){"\\\\", "&amp;"});
	text_clear(&shown);
}

void text_put_quoted(struct text *out, const char *string)
{
	text_char(out, '\'');
	for (; *string; string++)
		text_put(out, *string == '\'' ? "'\\''" : (char[]){*string, 0});
	text_char(out, '\'');
}

/* Bytes of a character that turns the direction of text; 0: it is none. Readers would see other code than
   compilers do (CVE-2021-42574). */
static size_t turning(const char *at)
{
	static const char *const turns[] = {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d",
		"\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
	for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
		if (text_begins_with(at, turns[i]))
			return strlen(turns[i]);
	return 0;
}

/* Octal, as it ends after three digits; no "??", as in trigraphs. */
void text_put_c_string(struct text *out, const char *string)
{
	enum utf8_kind kind;
	text_char(out, '"');
	for (size_t length; *string; string += length) {
		length = utf8_next(string, &kind);
		if (strchr("\"\\?", *string))
			text_format(out, "\\%c", *string);
		else if (kind == UTF8_PLAIN && (unsigned char)*string >= ' ' && !turning(string))
			text_add(out, string, length);
		else
			for (size_t i = 0; i < length; i++)
				text_format(out, "\\%03o", (unsigned)(unsigned char)string[i]);
	}
	text_char(out, '"');
}

/* Neither its end nor, as compilers warn of it, a beginning. */
void text_put_c_comment(struct text *out, const char *words)
{
	struct text shown = {0};
	put_replaced(&shown, words, "\n", (const char *const[]){"\\x0a"});
	for (const char *at = shown.data ? shown.data : ""; *at; at++) {
		size_t turns = turning(at);
		if (turns) {
			put_bytes(out, at, turns);
			at += turns - 1;
			continue;
		}
		text_char(out, *at);
		if ((at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*'))
			text_char(out, ' ');
	}
	text_clear(&shown);
}

void text_put_csv(struct text *out, const char *word)
{
	bool formula = *word && strchr("=+-@\t\r\n", *word);
	const char *quote = word[strcspn(word, ",\"\r\n")] ? "\"" : "";
	text_put(out, quote);
	text_put(out, formula ? "'" : "");
	put_replaced(out, word, "\"", (const char *const[]){"\"\""});
	text_put(out, quote);
}

void text_put_visible(struct text *out, const char *bytes, size_t length)
{
	const char *end = bytes + length, *from = bytes;
	for (size_t size; bytes < end; bytes += size) {
		char last[4 + 1] = ""; /* a character may be cut off by the end */
		size_t left = (size_t)(end - bytes);
		enum utf8_kind kind;
		if (left < sizeof last)
			memcpy(last, bytes, left);
		const char *at = left < sizeof last ? last : bytes;
		size = utf8_next(at, &kind);
		if (!utf8_is_control(at))
			continue;
		text_add(out, from, (size_t)(bytes - from));
		put_bytes(out, at, size);
		from = bytes + size;
	}
	text_add(out, from, (size_t)(end - from));
}

void text_put_word(struct text *out, const char *word, const char *special)
{
	enum utf8_kind kind;
	const char *start = word;
	text_char(out, '"');
	for (size_t length; *word; word += length) {
		length = utf8_next(word, &kind);
		if (kind != UTF8_PLAIN || strchr("\"\\\t\n", *word) || strchr(special, *word) ||
			(*word == '/' && word > start && word[-1] == '/'))
			put_bytes(out, word, length);
		else
			text_add(out, word, length);
	}
	text_char(out, '"');
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = c ? strchr(digits, c) : NULL;
	return found ? (int)(found - digits) : -1;
}

bool text_read_word(const char **at, struct text *word, struct error *error)
{
	const char *start = *at;
	for (++*at; **at && **at != '"';) {
		if (**at != '\\') {
			text_char(word, *(*at)++);
			continue;
		}
		int high = (*at)[1] == 'x' ? hex_digit((*at)[2]) : -1, low = high < 0 ? -1 : hex_digit((*at)[3]);
		if (low < 0 || high + low == 0)
			return error_set(
				error, ERROR_INPUT, "a backslash in quotes begins a byte, '\\x2f', not '%.*s'", 4, *at);
		text_char(word, (char)(high * 16 + low));
		*at += 4;
	}
	if (**at != '"')
		return error_set(error, ERROR_INPUT, "the quote that begins '%.*s' does not end", SHOWN, start);
	++*at;
	return true;
}
