/*
 * hypotheses.h -- few functions of the process for many observations.
 *
 *	struct hypotheses *h = hypotheses_new(&family, &topology, &population);
 *	while (hypotheses_round(h, propose, NULL) && another round pays)
 *		;
 *	hypotheses_rest(h, say_it_as_it_is);
 *	hypotheses_take(h, &explanation);		-- h is gone
 *
 * Some observations propose all functions that would explain them; the functions proposed most
 * often are evaluated for all, and a set cover chooses among those of all rounds so far.
 */
#ifndef TRACENEST_FOLD_HYPOTHESES_H
#define TRACENEST_FOLD_HYPOTHESES_H

#include "fold/population.h"

/* Functions of one type. */
struct family {
	size_t size; /* of a function */
	size_t packed; /* size of what stands for one in proposals, whose bytes are its identity */
	void (*unpack)(const void *packed, void *function);
	int64_t (*at)(const void *function, const struct topology *, const struct spot *); /* negative: none */
	size_t sample; /* observations that propose in a round, about */
	uint32_t candidates; /* of a round */
	/* a candidate has at least this part of the proposals that it would have if each process's
	   numbers were shared out evenly; 0: any */
	uint32_t rarest;
	bool by_turns; /* functions that explain numbers of one turn are preferred */
};

struct explanation {
	void *function; /* an array */
	uint32_t count;
	uint32_t *of; /* by observation: which function explains it */
};

struct hypotheses;

/* Borrows all of them. */
struct hypotheses *hypotheses_new(const struct family *, const struct topology *, const struct population *);
void hypotheses_free(struct hypotheses *);

/* Proposes the functions that explain an observation, each by a call of hypotheses_propose. */
typedef void proposing(struct hypotheses *, const struct observation *, const void *context);
/* Of functions that explain as much, the one of lower cost is preferred. */
void hypotheses_propose(struct hypotheses *, const void *packed, uint32_t cost);

/* A round among the observations that are not explained yet; all: among all. Returns how many are
   left then. */
size_t hypotheses_round(struct hypotheses *, bool all, proposing *, const void *context);

/* Functions chosen so far. */
uint32_t hypotheses_chosen(const struct hypotheses *);
size_t hypotheses_left(const struct hypotheses *);

/* What is left is explained by a function of its own, the same for equal ones. */
void hypotheses_rest(struct hypotheses *, void (*own)(void *packed, const struct observation *));

/* Gives the explanation of all, when nothing is left. */
void hypotheses_take(struct hypotheses *, struct explanation *to);

void explanation_clear(struct explanation *);

#endif
