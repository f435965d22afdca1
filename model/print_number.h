/*
 * print_number.h -- numbers, places and domains as a program's text writes them. Private to the
 * printer (model/module_print.c); others call node_print (model/module.h).
 */
#ifndef TRACENEST_MODEL_PRINT_NUMBER_H
#define TRACENEST_MODEL_PRINT_NUMBER_H

#include "base/intern.h"
#include "model/member_sets.h"

/* Tables in the order in which they are first asked for, and how: "$b[p,i1%7]". */
struct tables_used {
	struct intern *id; /* of nodes */
	struct text *head; /* by id */
	size_t capacity;
};

struct printing {
	const struct module *m;
	const struct store *s;
	struct text *out;
	uint32_t index; /* of the next loop: its index is called so */
	node_id procedure; /* whose parameters have names; NODE_NONE */
	struct tables_used *used; /* NULL: nobody wants to know */
	char counter; /* what counts is called so */
	struct environment *at; /* of an event that happens: what numbers come to is printed, */
	struct member_sets *members; /* ... and who is in groups; NULL: as it is written */
};

/* depth: loops around, in the procedure or in none. */
struct printing printing_at(const struct module *, node_id procedure, uint32_t depth, struct text *);

void print_sum(struct printing *, node_id); /* 8+2*i0, as an argument stands */
void print_braced(struct printing *, node_id); /* in braces, or an entry of a table alone */
void print_number(struct printing *, node_id); /* ... or a constant */
void print_place(struct printing *, node_id);
void print_domain(struct printing *, node_id); /* without brackets */
void print_test(struct printing *, node_id);
/* $w, of a parameter that is one, too. Gives its number among those used; INTERN_NONE: of a
   parameter, or nobody wants to know. */
uint32_t print_table_name(struct printing *, node_id table);

#endif
