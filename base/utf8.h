/*
 * utf8.h -- names from outside may be any bytes; what goes into a picture or into JSON must be
 * UTF-8.
 */
#ifndef TRACENEST_BASE_UTF8_H
#define TRACENEST_BASE_UTF8_H

#include "base/text.h"

/* Bytes that are no UTF-8 become U+FFFD. */
void text_put_utf8(struct text *, const char *bytes);

#endif
