/*
 * posts.h -- by which calls of MPI the messages of a program are passed on: where receives are
 * posted, where sends are completed, what one call completes together.
 *
 *	struct posts posts;
 *	posts_of(&posts, &overview);
 *	... posts.of[statement].how ...
 *	posts_clear(&posts);
 *
 * A model made with --values call says in which call each message is, and how many events
 * of the process are between the two calls of a request. These are looked for in the text: a
 * receive is posted before a statement of a body that it stands in, all its executions at once if
 * there are loops between; a send is completed before such a statement, or at the body's end. Where
 * there is no such place, a receive is posted where it is completed, and a send at the end.
 *
 * Sends that wait may wait for each other, whatever happened when it was recorded (messages
 * were small, perhaps). So it is proven that they do not, with ask/consistency: who posts a receive
 * sends word to the sender, who waits for that where it waits for the send. If this program can
 * happen, the other one ends, whatever the sizes. Else sends wait for nobody (`blocks`).
 */
#ifndef TRACENEST_REPLAY_POSTS_H
#define TRACENEST_REPLAY_POSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "ask/overview.h"
#include "replay/helpers.h"

enum passing {
	PASSING_ANYHOW, /* not known: a send waits for nobody, a receive for its message */
	PASSING_BLOCKING, /* MPI_Send, MPI_Recv */
	PASSING_SYNCHRONOUS, /* MPI_Ssend */
	PASSING_REQUEST, /* MPI_Isend, MPI_Irecv */
	PASSING_STARTED, /* MPI_Start */
	PASSING_EXCHANGE, /* MPI_Sendrecv, of a send and a receive behind it */
};

/* Of a send or a receive. */
struct post {
	enum passing how;
	enum completing by;
	bool whole; /* of what is started: by MPI_Startall; of an exchange: MPI_Sendrecv_replace */
	bool together; /* a call completes it with others */
	/* of a request: before which statement a receive is posted, a send completed; */
	size_t point;
	bool at_end; /* ... or, of a send, at the end of the body of this loop */
	size_t outer; /* the statement next to it that it stands in, or is */
	uint32_t slot; /* which of the requests, where each has a variable of its own */
	size_t with; /* of an exchange: the other one */
};

struct posts {
	const struct overview *overview;
	bool any; /* does the program say anything of calls? */
	bool blocks; /* sends would wait for each other, and wait for nobody instead */
	/* Requests that are under way together: each is completed by itself, in the iteration in
	   which it was posted, and so has a variable. 0: there are others, which are a list. */
	uint32_t slots;
	struct post *of; /* by statement */
	bool *behind; /* by statement: behind it, MPI_Waitall completes what was collected */
};

/* O(statements^2), and what ask/consistency takes; long programs pass on anyhow. */
void posts_of(struct posts *, const struct overview *);
void posts_clear(struct posts *);

/* Is it a request, posted and then completed? */
bool posts_is_request(const struct posts *, size_t at);

/* The other ends of the requests of a kind that stand in the statement `outer`: before this
   statement of the same body, or at the end of the body of this loop. */
struct others {
	size_t outer, point;
	bool at_end;
	enum event_kind kind;
};
bool posts_has(const struct posts *, size_t at, const struct others *); /* is one inside of `at`? */

/* Is anything posted or waited for before a statement? */
bool posts_any_before(const struct posts *, size_t point);

/* Is it a send that is completed there? By which call are they, with others or not? */
bool posts_completes(const struct posts *, size_t send, size_t point, bool at_end);
enum completing posts_completed_by(const struct posts *, size_t point, bool at_end, bool together);

/* What to wait for before a statement, or at the end of a loop's body. */
enum waiting { WAITING_NOT, WAITING_EACH, WAITING_TOGETHER };
enum waiting posts_waits(const struct posts *, size_t point, bool at_end);

#endif
