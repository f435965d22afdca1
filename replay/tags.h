/*
 * tags.h -- the tags of a program as plain numbers.
 *
 * Tags that differ in their words or communicators would meet where only a number is kept. The
 * numbers of the first kind of tag stay what they are, all of them if there is no other kind;
 * whatever else there is gets numbers of its own, from TAG_OTHER on.
 */
#ifndef TRACENEST_REPLAY_TAGS_H
#define TRACENEST_REPLAY_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "ask/event_numbers.h"
#include "ask/overview.h"

#define TAG_OTHER (UINT32_C(1) << 29)
#define TAG_LIMIT (UINT32_C(1) << 30) /* messages that collectives are made of have the tags from here on */
#define TAG_END (UINT32_C(1) << 31) /* all are below */

struct tags;

/* by_communicator: is a tag on another communicator another one? */
struct tags *tags_new(const struct overview *, bool by_communicator);
void tags_free(struct tags *);

/* Of the messages that the collectives of a group, by its number, are made of: no other
   message's. */
uint32_t tags_of_group(const struct tags *, uint32_t group);

/* Of a send or a receive. Memory of tags that do not stay what they are. */
uint32_t tags_number(struct tags *, const struct event_numbers *);

#endif
