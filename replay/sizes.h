/*
 * sizes.h -- how much the calls of a program pass on: counts and datatypes.
 *
 *	struct sizes sizes;
 *	sizes_of(&sizes, &overview);
 *	sizes_put_block(&sizes, &x, statement, "MPI_Allreduce", members, &text);	-- 5, MPI_DOUBLE
 *
 * What a collective passes on is told in several ways (replay/payload.h), so that a block of it is
 * what is told, or one part of as many as there are members.
 */
#ifndef TRACENEST_REPLAY_SIZES_H
#define TRACENEST_REPLAY_SIZES_H

#include "base/text.h"
#include "replay/payload.h"
#include "scangen/c_text.h"

struct sizes {
	const struct overview *overview;
	struct payloads told; /* in which way recorders tell what collectives pass on */
};

void sizes_of(struct sizes *, const struct overview *);

/* Bytes of a message, or of a collective as a process tells it: no execution has more. */
uint64_t sizes_most(const struct sizes *, size_t statement);

/* May a collective pass on a block like that for each member? */
bool sizes_are_blocks(const struct sizes *, size_t statement);

/* May any process compute the size of a message, whether it has one there or not? */
bool sizes_are_defined(const struct sizes *, size_t statement);

/* The count and the type of a message: "600, MPI_BYTE". False: it is not known, and one byte. */
bool sizes_put_message(const struct sizes *, struct c_text *, size_t statement, struct text *);

/* The same of what is put or got; back: of what comes back where others go there. And the type of
   one element that is fetched and changed. */
bool sizes_put_access(const struct sizes *, struct c_text *, size_t statement, bool back, struct text *);
void sizes_put_element(const struct sizes *, size_t statement, struct text *);

/*
 * Of a collective: what each process puts in (of MPI_Bcast, MPI_Scatter and MPI_Reduce_scatter what
 * it gets), for each of the others where there is a block for each.
 */
bool sizes_put_block(const struct sizes *, struct c_text *, size_t statement, const char *operation, uint64_t members,
	struct text *);

/* Does the statement say what each member has for each other one? That in bytes: for the process
   that the expressions call the counter. O(processes). */
bool sizes_know_each(const struct sizes *, size_t statement);
void sizes_put_to_each(const struct sizes *, struct c_text *, size_t statement, struct text *);

/* In bytes, what it puts in, and what it gets, where blocks differ. Of another process than p, if
   the expressions say so. */
enum total { TOTAL_SENT, TOTAL_RECEIVED };
bool sizes_know_received(const struct sizes *, size_t statement);
bool sizes_put_total(
	const struct sizes *, struct c_text *, size_t statement, enum total, uint64_t divisor, struct text *);

#endif
