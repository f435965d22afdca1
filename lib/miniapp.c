/*
 * miniapp.c -- what would wait forever is refused.
 */
#include "lib/miniapp.h"

#include <stdio.h>
#include <string.h>

#include "lib/database.h"
#include "lib/soundness.h"
#include "replay/skeleton.h"

/* The first two of several lines, as one. */
static void say_messages(const char *model, struct error *error)
{
	char first[sizeof error->message], second[sizeof error->message] = "";
	snprintf(first, sizeof first, "%.*s", (int)strcspn(error->message, "\n"), error->message);
	const char *behind = strchr(error->message, '\n');
	if (behind)
		snprintf(second, sizeof second, " %.*s", (int)strcspn(behind + 3, "\n"), behind + 3);
	error_set(error, error->kind,
		"%s: %s%s: what nobody receives would be waited for (--lenient: it is received at the end)", model,
		first, second);
}

/* What is not received, or not complete, would be waited for. */
static bool is_sound(struct program *program, const char *model, struct error *error)
{
	struct soundness s;
	if (!soundness_of(program, &s, error))
		return false;
	bool good = true;
	if (s.messages_known && s.messages.kind != ERROR_NONE) {
		*error = s.messages;
		say_messages(model, error);
		good = false;
	} else if (s.causality == CAUSALITY_CYCLE) {
		good = error_set(error, ERROR_INCONSISTENT, "%s: %s%s", model, CAUSALITY_WRONG, s.cycle.data);
	}
	soundness_clear(&s);
	return good;
}

bool miniapp_print(struct program *program, const char *model, const struct miniapp_options *options, struct text *c,
	struct error *error)
{
	struct skeleton_options skeleton = {.model = model, .lenient = options->lenient};
	struct pace *pace = NULL;
	bool good = options->lenient || is_sound(program, model, error);
	if (good && options->profile) {
		pace = database_pace(options->profile, program, model, error);
		good = pace != NULL;
	}
	skeleton.pace = pace;
	good = good && skeleton_print_c(program, &skeleton, c, error);
	pace_free(pace);
	return good;
}
