/*
 * windows.c -- a window goes by the number of a communicator of its own, as recorders have it.
 */
#include "replay/windows.h"

#include <string.h>

static bool makes_window(const char *name)
{
	return !strcmp(name, "MPI_Win_create") || !strcmp(name, "MPI_Win_allocate") ||
	       !strcmp(name, "MPI_Win_allocate_shared");
}

bool windows_are_made(const struct overview *o)
{
	bool made = false, used = false, good = true;
	for (size_t i = 0; i < o->lines && good; i++) {
		const struct node *n = overview_node(o, i);
		bool sync = overview_match(o, i) == MATCH_GROUP;
		if (n->kind == NODE_EVENT && kind_is_of_window(n->sub)) {
			used = true;
			good = n->kid[COLUMN_COMMUNICATOR] && !n->kid[COLUMN_TAG];
		} else if (sync && makes_window(overview_word(o, i))) {
			made = true;
			good = n->kid[COLUMN_COMMUNICATOR] && overview_attribute(o, i, "size");
		} else if (sync) { /* displacements of these are addresses */
			good = strcmp(overview_word(o, i), "MPI_Win_create_dynamic") != 0;
		}
	}
	return good && (made || !used);
}

bool windows_are_made_in(struct run *run)
{
	struct overview o;
	overview_of(&o, run);
	bool made = windows_are_made(&o);
	overview_clear(&o);
	return made;
}
