/*
 * smpi.c -- an action a line.
 */
#include "replay/smpi.h"

#include <inttypes.h>
#include <limits.h>

#include "base/text.h"

#define PIECE (size_t)(1 << 16) /* bytes gathered before they are written */
#define BYTES " 6" /* the datatype */

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

static uint64_t block(const struct action *a, uint32_t from, uint32_t number)
{
	return a->sizes->blocks(a->sizes->context, from, number, 1);
}

/* Of what belongs to each member. */
static void put_blocks(struct writing *w, const struct action *a)
{
	for (uint32_t i = 0; i < w->processes; i++)
		put_number(w, block(a, i, i));
}

static uint64_t all_blocks(const struct writing *w, const struct action *a, uint32_t from)
{
	return a->sizes->blocks(a->sizes->context, from, 0, w->processes);
}

static void put_alltoall(struct writing *w, const struct action *a)
{
	uint64_t sent = all_blocks(w, a, w->rank), received = 0;
	for (uint32_t i = 0; i < w->processes; i++)
		received += block(a, i, w->rank);
	text_put(&w->text, " alltoallv");
	put_number(w, sent);
	for (uint32_t i = 0; i < w->processes; i++)
		put_number(w, block(a, w->rank, i));
	put_number(w, received);
	for (uint32_t i = 0; i < w->processes; i++)
		put_number(w, block(a, i, w->rank));
	text_put(&w->text, BYTES BYTES);
}

static void put_vector(struct writing *w, const struct action *a, const char *name, bool reduces, bool rooted)
{
	text_char(&w->text, ' ');
	text_put(&w->text, name);
	put_number(w, all_blocks(w, a, 0));
	if (reduces)
		text_put(&w->text, " 0");
	if (rooted)
		put_number(w, a->peer == ACTION_NO_ROOT ? 0 : a->peer);
	text_put(&w->text, BYTES);
}

static void put_collective(struct writing *w, const struct action *a)
{
	uint32_t root = a->peer == ACTION_NO_ROOT ? 0 : a->peer;
	switch (a->collective) {
	case COLLECTIVE_BARRIER:
		text_put(&w->text, " barrier");
		return;
	case COLLECTIVE_BCAST:
		put_vector(w, a, "bcast", false, true);
		return;
	case COLLECTIVE_REDUCE:
		put_vector(w, a, "reduce", true, true);
		return;
	case COLLECTIVE_ALLREDUCE:
		put_vector(w, a, "allreduce", true, false);
		return;
	case COLLECTIVE_SCAN:
		put_vector(w, a, "scan", true, false);
		return;
	case COLLECTIVE_EXSCAN:
		put_vector(w, a, "exscan", true, false);
		return;
	case COLLECTIVE_GATHER:
		text_put(&w->text, " gatherv");
		put_number(w, block(a, w->rank, w->rank));
		put_blocks(w, a);
		put_number(w, root);
		text_put(&w->text, BYTES BYTES);
		return;
	case COLLECTIVE_SCATTER:
		text_put(&w->text, " scatterv");
		put_blocks(w, a);
		put_number(w, block(a, w->rank, w->rank));
		put_number(w, root);
		text_put(&w->text, BYTES BYTES);
		return;
	case COLLECTIVE_ALLGATHER:
		text_put(&w->text, " allgatherv");
		put_number(w, block(a, w->rank, w->rank));
		put_blocks(w, a);
		text_put(&w->text, BYTES);
		return;
	case COLLECTIVE_REDUCE_SCATTER:
		text_put(&w->text, " reducescatter");
		put_blocks(w, a);
		text_put(&w->text, " 0" BYTES);
		return;
	default:
		put_alltoall(w, a);
		return;
	}
}

static void begin(struct writing *w)
{
	text_number(&w->text, w->rank);
}

static void take(void *context, const struct action *a)
{
	struct writing *w = context;
	if (a->kind == ACTION_QUIET && !w->posted)
		return;
	begin(w);
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
		text_put(&w->text, BYTES);
		w->posted = w->posted || (a->kind == ACTION_SEND && a->bytes >= SMPI_DETACHED);
		break;
	case ACTION_COLLECTIVE:
		put_collective(w, a);
		break;
	case ACTION_QUIET:
		text_put(&w->text, " waitall");
		w->posted = false;
		break;
	}
	text_char(&w->text, '\n');
	if (w->text.length >= PIECE)
		output_text(w->out, &w->text);
}

bool smpi_write(struct actions *actions, uint32_t processes, uint32_t rank, double speed, struct output *out,
	struct error *error)
{
	struct writing w = {.processes = processes, .rank = rank, .speed = speed, .out = out};
	text_format(&w.text, "%" PRIu32 " init\n", rank);
	actions_of(actions, rank, &(struct action_sink){&w, take});
	if (w.posted)
		text_format(&w.text, "%" PRIu32 " waitall\n", rank);
	text_format(&w.text, "%" PRIu32 " finalize\n", rank);
	output_text(out, &w.text);
	text_clear(&w.text);
	return w.largest <= INT_MAX ||
	       error_set(error, ERROR_INPUT,
		       "rank %" PRIu32 " passes on %" PRIu64 " bytes at once, and SMPI counts to %d: export as goal",
		       rank, w.largest, INT_MAX);
}
