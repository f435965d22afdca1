/*
 * skeleton.h -- a folded program for people: as C with MPI calls, or as text in columns.
 *
 *	struct skeleton_options options = {.model = "lu.nest"};
 *	struct text text = {0};
 *	if (skeleton_print_c(program, &options, &text, &error)) ...
 */
#ifndef TRACENEST_REPLAY_SKELETON_H
#define TRACENEST_REPLAY_SKELETON_H

#include "base/error.h"
#include "base/text.h"
#include "model/prepared.h"
#include "replay/timed.h"

/* The phases of a mini-app: each begins with this line and ends before the next. The array and the
   names are the caller's. */
struct skeleton_phases {
	struct skeleton_phase {
		size_t first;
		char *name;
	} * phase;
	size_t length;
};

struct skeleton_options {
	const char *model; /* what it is called */
	const struct pace *pace; /* how long it computes between its events; NULL: not at all */
	const struct exact *exact; /* ... each time; NULL: as the pace has it */
	/* NULL; or it is told what the phases are, and the program prints "phase NUMBER RANK SECONDS"
	   for each of them and each process */
	struct skeleton_phases *phases;
	bool without_posted; /* collectives that are posted would wait forever where they are posted */
	bool lenient; /* messages may be missing: what nobody receives is received at the end */
};

/*
 * A C program that compiles against mpi.h without warnings, and passes on what the program does, in
 * its order: the same messages and collectives, of the same sizes where these are known. Sends do
 * not wait, so that it comes to its end, whatever the sizes, if all that is received is sent first.
 * False with *error set where C cannot say it.
 */
bool skeleton_print_c(const struct prepared *, const struct skeleton_options *, struct text *, struct error *);

/* The statements with their sets in one column and what they do in the next. */
void skeleton_print_text(const struct module *, struct text *);

#endif
