/*
 * event_kinds.c -- the rows, and their verbs.
 */
#include "model/event_kinds.h"

#define X(name, verb, call, before, behind, subject, match, out, back)                                                 \
	{#verb, call, before " " #verb " " behind, SUBJECT_##subject, MATCH_##match, out, back},
const struct kind_row kind_rows[EVENT_KINDS] = {
#include "model/event_kinds.def"
};
#undef X

uint32_t kind_of_call(const char *function)
{
	uint32_t kind = 0;
	while (kind < EVENT_KINDS && (!*kind_rows[kind].call || strcmp(kind_rows[kind].call, function) != 0))
		kind++;
	return kind;
}

uint32_t kind_of_verb(const char *verb, size_t length)
{
	uint32_t kind = 0;
	while (kind < EVENT_KINDS &&
		(strlen(kind_rows[kind].verb) != length || memcmp(kind_rows[kind].verb, verb, length) != 0))
		kind++;
	return kind;
}

void kind_verbs(struct text *to)
{
	for (uint32_t kind = 0; kind <= EVENT_LOCAL; kind++)
		text_format(to, "%s, ", kind_rows[kind].verb);
	text_put(to, "put or another verb of tracenest-model(5)");
}
