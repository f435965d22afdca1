/*
 * event_kinds.h -- the kinds of events, of traces and of programs, with what their rows say
 * (event_kinds.def). Who treats kinds differently asks their rows, so that a new kind is treated
 * as those like it.
 */
#ifndef TRACENEST_MODEL_EVENT_KINDS_H
#define TRACENEST_MODEL_EVENT_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum event_kind {
#define X(name, verb, call, before, behind, subject, match, out, back) EVENT_##name,
#include "model/event_kinds.def"
#undef X
};

enum {
#define X(name, verb, call, before, behind, subject, match, out, back) +1
	EVENT_KINDS =
#include "model/event_kinds.def"
#undef X
};

enum event_subject { SUBJECT_TAG, SUBJECT_SYNC, SUBJECT_WORD };
enum event_match { MATCH_NONE, MATCH_OUT, MATCH_IN, MATCH_GROUP };

extern const struct kind_row {
	const char *verb, *call, *notation;
	enum event_subject subject;
	enum event_match match;
	uint32_t out, back;
} kind_rows[EVENT_KINDS];

/* Does it find others: is it an end of a channel, or one of a group? */
static inline bool kind_matches(uint32_t kind)
{
	return kind_rows[kind].match != MATCH_NONE;
}

static inline bool kind_sends(uint32_t kind)
{
	return kind_rows[kind].match == MATCH_OUT;
}

static inline bool kind_receives(uint32_t kind)
{
	return kind_rows[kind].match == MATCH_IN;
}

static inline bool kind_is_message(uint32_t kind)
{
	return kind_sends(kind) || kind_receives(kind);
}

static inline bool kind_gathers(uint32_t kind)
{
	return kind_rows[kind].match == MATCH_GROUP;
}

/* Is it always an event of the program? What is local is one only where it is asked for. */
static inline bool kind_is_call(uint32_t kind)
{
	return kind != EVENT_LOCAL;
}

/* Has it a tag or a window, which has a number and a communicator? */
static inline bool kind_has_tag(uint32_t kind)
{
	return kind_rows[kind].subject == SUBJECT_TAG;
}

/* So many messages in a matrix, either way. */
static inline uint32_t kind_messages(uint32_t kind)
{
	return kind_rows[kind].out + kind_rows[kind].back;
}

/* Does it move data to or from the peer, which does nothing for it? */
static inline bool kind_is_one_sided(uint32_t kind)
{
	return !kind_matches(kind) && kind_messages(kind) > 0;
}

/* Is its tag a window? One-sided, or of an epoch. */
static inline bool kind_is_of_window(uint32_t kind)
{
	return kind_has_tag(kind) && !kind_matches(kind);
}

/* Is its peer a rank, always? Not the root of a sync. */
static inline bool kind_has_peer(uint32_t kind)
{
	return strchr(kind_rows[kind].notation, 'P') != NULL;
}

/* EVENT_KINDS: none is that function of MPI alone. */
uint32_t kind_of_call(const char *function);

/* EVENT_KINDS: none is called so. */
uint32_t kind_of_verb(const char *verb, size_t length);

/* "send, recv, sync, local, put or another verb of tracenest-model(5)" */
void kind_verbs(struct text *);

#endif
