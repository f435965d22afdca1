/*
 * goal.c -- a chain of labels per process.
 */
#include "replay/formats.h"

#include <assert.h>
#include <inttypes.h>

struct writing {
	uint64_t label; /* of the last one; 0: there is none */
	bool sent; /* it is a send */
	double rest; /* of a nanosecond, of the computing so far */
	struct text text;
	struct output *out;
};

static void put_message(struct writing *w, const struct action *a)
{
	text_put(&w->text, a->kind == ACTION_SEND ? "send " : "recv ");
	text_number(&w->text, a->bytes);
	text_put(&w->text, a->kind == ACTION_SEND ? "b to " : "b from ");
	text_number(&w->text, a->peer);
	text_put(&w->text, " tag ");
	text_number(&w->text, a->tag);
}

static void put_label(struct writing *w, const char *behind)
{
	text_char(&w->text, 'l');
	text_number(&w->text, w->label);
	text_put(&w->text, behind);
}

static void take(void *context, const struct action *a)
{
	struct writing *w = context;
	uint64_t ns = 0;
	if (a->kind == ACTION_QUIET || w->label > GOAL_OPERATIONS)
		return;
	assert(a->kind != ACTION_COLLECTIVE);
	if (a->kind == ACTION_COMPUTE) {
		w->rest += a->seconds * 1e9;
		ns = (uint64_t)(w->rest + 1e-6);
		w->rest = w->rest > (double)ns ? w->rest - (double)ns : 0;
		if (!ns)
			return;
	}
	w->label++;
	put_label(w, ": ");
	if (a->kind == ACTION_COMPUTE)
		text_format(&w->text, "calc %" PRIu64, ns);
	else
		put_message(w, a);
	text_char(&w->text, '\n');
	if (w->label > 1) {
		put_label(w, w->sent ? " irequires l" : " requires l");
		text_number(&w->text, w->label - 1);
		text_char(&w->text, '\n');
	}
	output_text(w->out, &w->text);
	w->sent = a->kind == ACTION_SEND;
}

bool goal_write(struct actions *actions, uint32_t processes, struct output *out)
{
	bool good = true;
	output_format(out, "num_ranks %" PRIu32 "\n", processes);
	for (uint32_t rank = 0; good && rank < processes && !output_failed(out); rank++) {
		struct writing w = {.out = out};
		output_format(out, "\nrank %" PRIu32 " {\n", rank);
		actions_of(actions, rank, &(struct action_sink){&w, take});
		if (!w.label)
			output_format(out, "l1: calc 0\n");
		output_format(out, "}\n");
		text_clear(&w.text);
		good = w.label <= GOAL_OPERATIONS;
	}
	return good;
}
