/*
 * difference.h -- two runs beside each other: traces or profiles, of as many processes as they
 * like.
 *
 *	struct difference d;
 *	if (difference_read(&d, "before.db", "after/traces.otf2", &options, &error))
 *		difference_print(&d, &text);
 *	difference_clear(&d);
 *
 * Constructs are matched by their names, those of one name in the order of the program. Each has
 * its part of the critical path, so that the differences of all add up to that of the run times.
 */
#ifndef TRACENEST_LIB_DIFFERENCE_H
#define TRACENEST_LIB_DIFFERENCE_H

#include "lib/account.h"

/* A construct of one run; times in seconds. */
struct run_construct {
	char *name, *loop; /* loop: NULL: none */
	uint64_t iterations;
	double path, loss;
	uint64_t calls, messages, bytes;
	char *words; /* what report says of it, where it stands out; or NULL */
	size_t number; /* of those of this name, from 0 */
};

struct run_facts {
	double run;
	uint32_t processes;
	struct run_construct *construct;
	size_t length, capacity;
};

/* One of them, in either run: the index of its construct, or DIFFERENCE_NONE. */
#define DIFFERENCE_NONE SIZE_MAX
struct difference_row {
	size_t in[2];
	double change; /* path in the second - path in the first */
};

struct difference {
	const char *name[2]; /* borrowed */
	struct run_facts run[2];
	struct difference_row *row; /* the largest change first */
	size_t rows;
	bool structure; /* constructs, calls, messages or bytes differ */
};

/* Each is an archive, or a profile that tracenest made. False with *error set: what reading them
   came upon; to be cleared in any case. */
bool difference_read(
	struct difference *, const char *first, const char *second, const struct account_options *, struct error *);
void difference_clear(struct difference *);

/* A page: three lines of the largest change, and a table. */
void difference_print(const struct difference *, struct text *);

#endif
