/*
 * alike.h -- which of several forms of an event is its statement?
 *
 * Where two functions explain a message (p+1 and p^1, say), processes that do alike but for peers
 * and numbers take, in each place of a body, the form that most of them have, so that what they do
 * is one statement.
 */
#ifndef TRACENEST_FOLD_ALIKE_H
#define TRACENEST_FOLD_ALIKE_H

#include "fold/forms.h"
#include "fold/schedule.h"

/* The constructs of the schedule are those of the body, one by one. form: of each that is an event,
   its form; replaced where others do better. */
void alike_choose(const struct model *, const struct forms *, struct body, const struct schedule *, uint32_t *form);

#endif
