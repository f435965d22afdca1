/*
 * elastic_join.h -- different trees as one: what they have in common stands once, for the processes
 * of several of them.
 */
#ifndef TRACENEST_FOLD_ELASTIC_JOIN_H
#define TRACENEST_FOLD_ELASTIC_JOIN_H

#include "base/ranks.h"
#include "fold/elastic_tree.h"

/* A place of the joint tree, and where it is in each of the others. */
struct joined {
	enum elastic_kind kind;
	uint32_t shape; /* of an event */
	struct joined_member {
		uint32_t tree;
		const struct elastic_node *node; /* borrowed */
	} * member; /* ascending */
	size_t members, capacity;
	struct joined_list {
		struct joined *place; /* owned */
		size_t length;
	} body;
};

struct joined_own {
	uint32_t tree;
	const struct elastic_list *list;
};

/*
 * Which loops are one?
 *
 *	JOINED_ALIKE	those that have most in common
 *	JOINED_LOOSELY	those of as many iterations, too, where no collective tells, if they have
 *			shapes in common, or with a third
 *	JOINED_EQUAL	of those without collectives, those alone that differ in nothing but numbers
 */
enum joined_how { JOINED_ALIKE, JOINED_LOOSELY, JOINED_EQUAL };

/* own: of ascending trees. False: they are too long, too many, and too different. The lists must
   outlive the result. */
bool joined_make(const struct joined_own *own, size_t count, enum joined_how, struct joined_list *);
void joined_clear(struct joined_list *);

/* Of what is in it, and of whom: the same where the same trees were joined in the same way. */
uint64_t joined_hash(const struct joined_list *);

#endif
