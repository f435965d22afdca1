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

void text_put_utf8(struct text *out, const char *bytes)
{
	while (*bytes) {
		size_t length = character((const unsigned char *)bytes);
		if (length)
			text_add(out, bytes, length);
		else
			text_put(out, "\xef\xbf\xbd");
		bytes += length ? length : 1;
	}
}
