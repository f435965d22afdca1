/*
 * chooser.h -- what the files that choose forms share: forms.c takes the events apart, messages.c
 * and syncs.c explain them.
 */
#ifndef TRACENEST_FOLD_CHOOSER_H
#define TRACENEST_FOLD_CHOOSER_H

#include "base/intern.h"
#include "fold/fold.h"
#include "fold/population.h"

struct message {
	uint32_t event, kind, stem, numbered;
	uint32_t turn; /* messages are performed in this order */
	uint64_t number;
	uint32_t communicator; /* a value's id */
	uint32_t p, q;
	uint32_t place, value; /* what explains them: ids; value UINT32_MAX: the number itself */
};

/* Event and form: the form is another one that the event has. */
struct alias {
	uint32_t event, form;
};

struct chooser {
	const struct model *model;
	struct program *to;
	bool offsets_only;
	struct topology topology;
	uint32_t *form_of; /* by event */
	struct message *message;
	size_t messages, message_capacity;
	uint32_t *sync; /* events */
	size_t syncs, sync_capacity;
	struct intern *values, *places;
	struct alias *alias;
	size_t aliases, alias_capacity;
	bool offsets; /* no peer is anything but p+c */
};

/* Interned: ids of struct value and struct place. */
uint32_t chooser_value(struct chooser *, struct value);
uint32_t chooser_place(struct chooser *, const struct place *);
/* A word of the model, in the program. */
uint32_t chooser_word(struct chooser *, uint32_t word);

#endif
