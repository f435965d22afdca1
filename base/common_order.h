/*
 * common_order.h -- an order of items in which each of several lists has them: what is first in all
 * lists that hold it comes next (topological sorting; Kahn 1962).
 *
 * Communicators are made by all of their members together, so that the lists of the processes have
 * such an order. What several items that are next at the same time are, the lists decide: that of
 * the first one comes first, as rows of processes do that one call makes.
 */
#ifndef TRACENEST_BASE_COMMON_ORDER_H
#define TRACENEST_BASE_COMMON_ORDER_H

#include <stddef.h>
#include <stdint.h>

/*
 * item: below `items`; list i has length[i] of them, at from[i]. Each that is in some list goes into `order`
 * once (room for `items`); returns how many. Where lists contradict each other, the first of them
 * is right. Lists in this order give it again. O(n log n).
 */
size_t common_order(
	size_t lists, const size_t *from, const size_t *length, const uint32_t *item, uint32_t items, uint32_t *order);

#endif
