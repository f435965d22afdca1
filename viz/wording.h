/*
 * wording.h -- what is written in a picture by roles: statements, as functions of the process p and
 * of the indices of loops.
 *
 * Such a picture has a lane per role (bands.h), so that every item on a lane is one statement of
 * the program, for all the processes of the role. A tag that is a formula is made a tag of its own,
 * so that colours and the legend tell formulas: "tag{3000+…}".
 */
#ifndef TRACENEST_VIZ_WORDING_H
#define TRACENEST_VIZ_WORDING_H

#include "viz/scene.h"

/*
 * Words, line and tag of an item that is an event; words of a loop whose count advances. O(the
 * text).
 */
void wording_add(struct scene *, struct scene_item *, enum viz_labels);

/* Of where a call begins, in any picture: its name without "MPI_". And whether it does, or ends. */
void wording_add_call(struct scene *, struct scene_item *, enum viz_labels);

/* On which side of its line each item has its words: where fewer arrows are. O(items and links). */
void wording_choose_sides(struct scene *);

/* What the words mean, for the legend; nothing where none are written. */
void wording_explain(const struct scene *, struct text *out);

#endif
