/*
 * representation_check.c -- what `tracenest check MODEL` says.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ask/consistency.h"
#include "tests/representation.h"

static void fail(const char *path, const struct error *error, int *status)
{
	if (path)
		fprintf(stderr, "tracenest: %s: %s\n", path, error->message);
	else
		fprintf(stderr, "tracenest: %s\n", error->message);
	*status = *status ? *status : (int)error->kind;
}

static void tell_messages(const struct consistency *c, const char *path, bool lenient, bool quiet, int *status)
{
	if (!c->facts->known && !quiet)
		fprintf(stderr, "tracenest: whether every message is received was not examined: the program stands for "
				"too many events that differ\n");
	else if (c->facts->known && c->messages.kind == ERROR_NONE && !quiet)
		printf("every message is received, every collective is complete (counted)\n");
	else if (c->messages.kind != ERROR_NONE && (c->excused || lenient)) {
		if (!quiet)
			fprintf(stderr, "tracenest: %s: %s%s\n", path, c->excused ? "never received: " : "",
				c->messages.message);
	} else if (c->messages.kind != ERROR_NONE)
		fail(path, &c->messages, status);
}

static void tell_order(const struct consistency *c, const char *path, bool quiet, int *status)
{
	struct error error = {0};
	uint64_t graphs = c->facts->graphs;
	if (c->messages.kind != ERROR_NONE)
		return;
	if (c->schedule == SCHEDULE_CYCLE) {
		error.kind = ERROR_INCONSISTENT;
		fprintf(stderr, "tracenest: %s: %s%s\n", path, CONSISTENCY_CYCLE, c->cycle.data);
		*status = *status ? *status : (int)error.kind;
	} else if (quiet) {
		return;
	} else if (c->schedule == SCHEDULE_UNKNOWN) {
		fprintf(stderr, "tracenest: whether messages are sent before they are received was not examined: too "
				"many events\n");
	} else if (c->run) {
		printf("no message is received before it can have been sent (all events were run)\n");
	} else if (c->facts->order == ORDER_GRAPHS) {
		printf("no message is received before it can have been sent (the order of the text proves it, and the "
		       "graph of one iteration of %" PRIu64 " %s)\n",
			graphs, text_plural(graphs, "body", "bodies"));
	} else {
		printf("no message is received before it can have been sent (the order of the text proves it)\n");
	}
}

static void tell_loops(const struct consistency *c, const char *path, bool quiet, int *status)
{
	const struct meeting_facts *f = c->facts;
	if (c->loops.kind != ERROR_NONE)
		fail(path, &c->loops, status);
	else if (!quiet && !f->known)
		fprintf(stderr, "tracenest: whether messages cross the iterations of loops was not examined: there are "
				"too many that differ\n");
	else if (!quiet && f->joint)
		printf("no message crosses the iterations of the %" PRIu64
		       " %s of the text that several processes communicate in (counted); irregular links: %" PRIu64
		       "\n",
			f->joint, text_plural(f->joint, "loop", "loops"), f->irregular);
	else if (!quiet)
		printf("no loop spans several processes; irregular links: %" PRIu64 "\n", f->irregular);
	if (f->apart && !quiet)
		printf("%" PRIu64 " %s that several processes execute, each as often as its own count says: messages "
		       "cross the iterations, so %s\n",
			f->apart, f->apart == 1 ? "loop" : "loops",
			f->apart == 1 ? "it is a loop of each" : "they are loops of each");
	if (c->listing.kind != ERROR_NONE)
		fail(path, &c->listing, status);
}

int representation_check(struct module *m, const char *path, int options, char **option)
{
	bool quiet = false, lenient = false;
	int status = 0;
	for (int i = 0; i < options; i++) {
		quiet |= !strcmp(option[i], "-q");
		lenient |= !strcmp(option[i], "--lenient");
	}
	struct error error = {0};
	if (!module_inline(m, &error)) {
		fail(path, &error, &status);
		return status;
	}
	struct run *run = run_new(m, NULL);
	struct consistency c;
	consistency_of(run, &c);
	tell_messages(&c, path, lenient, quiet, &status);
	tell_order(&c, path, quiet, &status);
	tell_loops(&c, path, quiet, &status);
	consistency_clear(&c);
	run_free(run);
	return status;
}
