/*
 * deflated.h -- how long a text is when what it repeats is not counted.
 */
#ifndef TRACENEST_BASE_DEFLATED_H
#define TRACENEST_BASE_DEFLATED_H

#include <stddef.h>

/*
 * About the bytes of the text as gzip would store it, without its header: repetitions within 32 kB
 * are references, and all is coded by how often it occurs. The same everywhere, whatever library of
 * compression there is. O(length).
 */
size_t deflated_size(const char *text, size_t length);

#endif
