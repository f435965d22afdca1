/*
 * utf8.c -- the table of well-formed sequences (Unicode, table 3-7), one lead byte at a time.
 */
#include "base/utf8.h"

/* Bytes of the well-formed character at c, or 0. */
static size_t character(const unsigned char *c)
{
	if (c[0] < 0x80)
		return 1;
	unsigned char low = 0x80, high = 0xbf;
	size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
	if (c[0] < 0xc2 || c[0] > 0xf4)
		return 0;
	if (c[0] == 0xe0)
		low = 0xa0;
	else if (c[0] == 0xed)
		high = 0x9f;
	else if (c[0] == 0xf0)
		low = 0x90;
	else if (c[0] == 0xf4)
		high = 0x8f;
	for (size_t i = 1; i < length; i++, low = 0x80, high = 0xbf)
		if (c[i] < low || c[i] > high)
			return 0;
	return length;
}

size_t utf8_next(const char *at, enum utf8_kind *kind)
{
	const unsigned char *c = (const unsigned char *)at;
	size_t length = character(c);
	bool control = length == 1 ? (*c < ' ' && *c != '\t' && *c != '\n') || *c == 0x7f
				   : length == 2 && c[0] == 0xc2 && c[1] < 0xa0;
	*kind = control ? UTF8_CONTROL : length ? UTF8_PLAIN : UTF8_BROKEN;
	return length ? length : 1;
}

bool utf8_is_control(const char *at)
{
	enum utf8_kind kind;
	utf8_next(at, &kind);
	return kind == UTF8_CONTROL || (kind == UTF8_BROKEN && (unsigned char)*at < 0xa0);
}
