/*
 * forms.h -- what is written at the items of a picture of the folded program: statements, as functions of the process p.
 *
 * Such a picture has a lane per role (bands.h), so that every item on a lane is one statement of the program, for all the processes of the role.
 */
#ifndef TRACENEST_VIZ_FORMS_H
#define TRACENEST_VIZ_FORMS_H

#include "viz/scene.h"

/*
 * Finds the statement of every item that is an event, and says it: form, statement, tag. Messages with the same ends become one link; those
 * from a role to itself that would lead back make their ends loose. scene->folded must be the program of what the scene shows.
 * O(statements times lanes, links).
 */
void forms_add(struct scene *, enum viz_labels);

/* What the forms mean, for the legend; nothing where none is written. */
void forms_explain(const struct scene *, struct text *out);

#endif
