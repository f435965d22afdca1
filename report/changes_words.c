/*
 * changes_words.c -- places and values in words.
 */
#include "report/changes_work.h"

#include <inttypes.h>

#include "base/mem.h"

/* Where a call that is gone would be now: as far below the one before it as it was. */
static uint64_t line_now(const struct comparing *c, const struct site_unit *gone)
{
	const struct site *at = parts_of(c, gone, GOLDEN);
	uint64_t nearest = 0, line = at->line;
	for (uint32_t i = 0; i < c->units; i++) {
		const struct site_unit *u = &c->unit[i];
		if (u->site[GOLDEN] == NONE || u->site[RUN] == NONE)
			continue;
		const struct site *was = parts_of(c, u, GOLDEN), *is = parts_of(c, u, RUN);
		if (!is_same_file(was, at) || was->line > at->line || was->line <= nearest)
			continue;
		nearest = was->line;
		line = at->line - was->line + is->line;
	}
	return line;
}

/* Takes the words. */
void changes_add_change(
	struct comparing *c, enum change_kind kind, const struct site_unit *u, uint32_t site, struct text *words)
{
	const struct site *at = site == NONE ? parts_of(c, u, GOLDEN) : &c->calls[RUN]->site[site].parts;
	struct text file = {0};
	text_add(&file, "", 0);
	if (at->line)
		text_add(&file, at->file, at->length);
	*MEM_PUSH(c->out->change, c->out->length, c->out->capacity) = (struct change){.kind = kind,
		.file = file.data,
		.line = site == NONE ? line_now(c, u) : at->line,
		.function = mem_text(at->function),
		.words = words->data};
}

static const char *word_in(const struct comparing *c, uint32_t word)
{
	return intern_data(c->words, word, NULL);
}

const char *changes_name_of(const struct comparing *c, const struct site_unit *u, uint32_t side)
{
	for (size_t i = u->first; i < u->end; i++)
		if (c->item[i].side == side) {
			struct site_call call = c->item[i].call;
			uint32_t word = *beginning(&call);
			if (kind_gathers(call.kind))
				return word_in(c, call.word);
			const char *name = word == INTERN_NONE ? "" : word_in(c, word);
			if (!kind_matches(call.kind))
				return *name ? name : kind_rows[call.kind].call;
			const char *side_of = kind_sends(call.kind) ? "send" : "receive";
			if (!text_begins_with(name, "MPI_Sendrecv") && !text_begins_with(name, "MPI_Start"))
				return *name ? name : side_of;
			struct text words = {0};
			text_format(&words, "%s of %s", side_of, name);
			word = intern_id(c->words, words.data, words.length + 1);
			text_clear(&words);
			return word_in(c, word);
		}
	return "call";
}

void changes_put_ranks(const struct comparing *c, const struct ranks *who, struct text *to)
{
	if (ranks_count(who) == c->program[GOLDEN]->processes)
		text_put(to, "all ranks");
	else {
		text_put(to, ranks_count(who) == 1 ? "rank " : "ranks ");
		ranks_print_short(who, to);
	}
}

void changes_put_value(const struct comparing *c, const struct site_unit *u, enum change_kind field,
	const struct site_call *call, struct text *to)
{
	struct site_call copy = *call;
	struct ranks group;
	switch (field) {
	case CHANGE_NAME:
		text_put(to, word_in(c, call->word));
		break;
	case CHANGE_CALL:
		if (*beginning(&copy) != INTERN_NONE)
			text_put(to, word_in(c, *beginning(&copy)));
		if (*completing(&copy) != INTERN_NONE && !u->tested)
			text_format(to, " completed by %s", word_in(c, *completing(&copy)));
		break;
	case CHANGE_PEER:
	case CHANGE_ROOT:
		if (call->peer == ANYBODY)
			text_put(to, "any");
		else if (call->peer != NO_ROOT)
			text_format(to, "%" PRIu32, call->peer);
		else
			text_put(to, "none");
		break;
	case CHANGE_TAG:
		text_put(to, word_in(c, call->word));
		if (call->numbered)
			text_format(to, "%" PRIu64, call->number);
		break;
	case CHANGE_COMMUNICATOR:
		if (call->communicator != NO_COMMUNICATOR)
			text_format(to, "@%" PRId64, call->communicator);
		else
			text_put(to, "MPI_COMM_WORLD");
		break;
	case CHANGE_GROUP:
		group = call_sites_group(c->words, call);
		ranks_print_short(&group, to);
		break;
	case CHANGE_BYTES:
		if (call->bytes != CALL_UNTOLD)
			text_format(to, "%" PRId64, call->bytes);
		if (call->received != CALL_UNTOLD && call->received != call->bytes)
			text_format(to, "%s%" PRId64, call->bytes != CALL_UNTOLD ? "/" : "received ", call->received);
		break;
	default:
		break;
	}
	text_add(to, "", 0);
}

bool changes_has_field(const struct comparing *c, const struct site_call *call, enum change_kind field)
{
	bool sync = kind_gathers(call->kind);
	return field == CHANGE_CALL || field == CHANGE_BYTES ? c->told[field]
	       : field == CHANGE_PEER || field == CHANGE_TAG ? !sync
	       : field == CHANGE_COMMUNICATOR                ? true
							     : sync;
}

/* A tag says that it is one. */
const char *changes_field_prefix(enum change_kind field)
{
	static const char *const prefixes[CHANGE_KINDS] = {
		[CHANGE_BYTES] = "bytes ", [CHANGE_ROOT] = "root ", [CHANGE_PEER] = "rank ", [CHANGE_GROUP] = "ranks "};
	return prefixes[field] ? prefixes[field] : "";
}
