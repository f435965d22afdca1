/*
 * smpi.c -- an action a line.
 */
#include "replay/formats.h"

#include <inttypes.h>
#include <limits.h>

#include "base/text.h"

struct writing {
	uint32_t processes, rank;
	double speed;
	bool posted; /* are there sends to wait for? */
	uint64_t largest;
	struct text text;
	struct output *out;
};

static void put_number(struct writing *w, uint64_t number)
{
	w->largest = number > w->largest ? number : w->largest;
	text_char(&w->text, ' ');
	text_number(&w->text, number);
}

static uint64_t blocks(const struct action *a, uint32_t from, uint32_t first, uint32_t count)
{
	return a->sizes->blocks(a->sizes->context, from, first, count);
}

/*
 * A line of a collective, a letter for each of its words, in bytes: all blocks of a vector (a); of each
 * member its own block (b), the one that the process has for it (s), and it for the process (g); the
 * sum of these (S, G); the process's own block (o). The root (r); any other character as it stands.
 */
static const struct line {
	const char *name, *words;
} lines[COLLECTIVE_KINDS] = {
	[COLLECTIVE_BARRIER] = {"barrier", ""},
	[COLLECTIVE_BCAST] = {"bcast", "ar6"},
	[COLLECTIVE_REDUCE] = {"reduce", "a0r6"},
	[COLLECTIVE_GATHER] = {"gatherv", "obr66"},
	[COLLECTIVE_SCATTER] = {"scatterv", "bor66"},
	[COLLECTIVE_ALLREDUCE] = {"allreduce", "a06"},
	[COLLECTIVE_ALLGATHER] = {"allgatherv", "ob6"},
	[COLLECTIVE_REDUCE_SCATTER] = {"reducescatter", "b06"},
	[COLLECTIVE_ALLTOALL] = {"alltoallv", "SsGg66"},
	[COLLECTIVE_SCAN] = {"scan", "a06"},
	[COLLECTIVE_EXSCAN] = {"exscan", "a06"},
};

static void put_words(struct writing *w, const struct action *a, char word)
{
	bool sent = word == 's' || word == 'S', got = word == 'g' || word == 'G', sums = word == 'S' || word == 'G';
	uint64_t sum = 0;
	for (uint32_t i = 0; (sent || got || word == 'b') && i < w->processes; i++) {
		uint64_t bytes = blocks(a, sent ? w->rank : i, got ? w->rank : i, 1);
		sum += bytes;
		if (!sums)
			put_number(w, bytes);
	}
	if (sums)
		put_number(w, sum);
	else if (word == 'a')
		put_number(w, blocks(a, 0, 0, w->processes));
	else if (word == 'o')
		put_number(w, blocks(a, w->rank, w->rank, 1));
	else if (word == 'r')
		put_number(w, a->peer == ACTION_NO_ROOT ? 0 : a->peer);
	else if (word == '0' || word == '6')
		text_format(&w->text, " %c", word);
}

static void take(void *context, const struct action *a)
{
	struct writing *w = context;
	if (a->kind == ACTION_QUIET && !w->posted)
		return;
	text_number(&w->text, w->rank);
	switch (a->kind) {
	case ACTION_COMPUTE:
		if (w->speed > 0)
			text_format(&w->text, " compute %.0f", a->seconds * w->speed);
		else
			text_format(&w->text, " sleep %.9f", a->seconds);
		break;
	case ACTION_SEND:
	case ACTION_RECV:
		text_put(&w->text, a->kind == ACTION_RECV ? " recv" : a->bytes < SMPI_DETACHED ? " send" : " isend");
		text_char(&w->text, ' ');
		text_number(&w->text, a->peer);
		text_char(&w->text, ' ');
		text_number(&w->text, a->tag);
		put_number(w, a->bytes);
		text_put(&w->text, " 6"); /* the datatype: bytes */
		w->posted = w->posted || (a->kind == ACTION_SEND && a->bytes >= SMPI_DETACHED);
		break;
	case ACTION_COLLECTIVE:
		text_format(&w->text, " %s", lines[a->collective].name);
		for (const char *word = lines[a->collective].words; *word; word++)
			put_words(w, a, *word);
		break;
	case ACTION_QUIET:
		text_put(&w->text, " waitall");
		w->posted = false;
		break;
	}
	text_char(&w->text, '\n');
	output_text(w->out, &w->text);
}

bool smpi_write(struct actions *actions, uint32_t processes, uint32_t rank, double speed, struct output *out,
	struct error *error)
{
	struct writing w = {.processes = processes, .rank = rank, .speed = speed, .out = out};
	output_format(out, "%" PRIu32 " init\n", rank);
	actions_of(actions, rank, &(struct action_sink){&w, take});
	if (w.posted)
		output_format(out, "%" PRIu32 " waitall\n", rank);
	output_format(out, "%" PRIu32 " finalize\n", rank);
	text_clear(&w.text);
	return w.largest <= INT_MAX ||
	       error_set(error, ERROR_INPUT,
		       "rank %" PRIu32 " passes on %" PRIu64 " bytes at once, and SMPI counts to %d: export as goal",
		       rank, w.largest, INT_MAX);
}
