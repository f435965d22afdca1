/*
 * forms.h -- events as functions of the processes that execute them.
 */
#ifndef TRACENEST_FOLD_FORMS_H
#define TRACENEST_FOLD_FORMS_H

#include "fold/fold.h"

struct forms {
	/* by event of the model: its form in the folded program; UINT32_MAX for events that the
	   model does not use */
	uint32_t *of;
	size_t *first_other; /* by event, and one more: other forms that are this event on its process, in `other` */
	uint32_t *other;
	bool offsets; /* no peer is anything but p+c */
};

/* Choose the forms, and the grid of `to`. */
void forms_choose(struct forms *, const struct model *, struct program *to, const struct fold_options *);
void forms_clear(struct forms *);

#endif
