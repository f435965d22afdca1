/*
 * affine_equal.h -- the same nests, word for word?
 */
#ifndef TRACENEST_TESTS_AFFINE_EQUAL_H
#define TRACENEST_TESTS_AFFINE_EQUAL_H

#include <string.h>

#include "model/affine.h"

static inline bool equal_nodes(const struct affine_node *a, const struct affine_node *b, size_t length, size_t depth)
{
	for (size_t i = 0; i < length; i++) {
		size_t values = affine_is_loop(&a[i]) ? 1 : a[i].width;
		if (a[i].shape != b[i].shape || a[i].width != b[i].width || a[i].length != b[i].length)
			return false;
		if (values && memcmp(a[i].value, b[i].value, values * (1 + depth) * sizeof *a[i].value) != 0)
			return false;
		if (!equal_nodes(a[i].body, b[i].body, a[i].length, depth + 1))
			return false;
	}
	return true;
}

static inline bool affine_equal(const struct affine_nest *a, const struct affine_nest *b)
{
	return a->length == b->length && equal_nodes(a->root, b->root, a->length, 0);
}

#endif
