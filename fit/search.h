/*
 * search.h -- which functions are right for a column of numbers, and what each costs its reader.
 */
#ifndef TRACENEST_FIT_SEARCH_H
#define TRACENEST_FIT_SEARCH_H

#include "ask/cost.h"
#include "fit/domain.h"
#include "fit/tabulate.h"

/* The best so far. */
struct found {
	node_id number; /* NODE_NONE: there is none; of a condition a TEST, or 1 or 0 */
	uint32_t price; /* without tables */
	uint64_t total; /* with them, and with what breaks ties: the less the better */
};

struct search {
	const struct domain *domain;
	struct store *store;
	struct tables *tables;
	const char *name; /* of tables */
	uint32_t sources; /* of formulas: bits; tables may ask for any */
	bool unproven; /* affine functions need no evidence */
	bool digits; /* numbers that are codes, or shares, of coordinates: not sizes */
	struct variable *variable; /* what tables may be asked for; made when asked for first */
	uint32_t simple, variables;
};

/* What breaks ties: of equal prices the text that is read more easily. A table by a coordinate
   serves other sets of processes, too; that is worth two entries. */
enum { TIE_TERM = 1, TIE_ARGUMENT = 2, TIE_RANK = 2 * COST_ENTRY + 3, TIE_LONG = COST_TABLE };

void search_begin(struct search *, const struct domain *, struct tables *, const char *name);
void search_end(struct search *);

/* Of a sum or a test, look-ups included; of the k-th table that it looks up, and that table; NODE_NONE:
   there is none. */
uint32_t number_price(const struct store *, struct tables *, node_id);
uint64_t table_price(const struct store *, struct tables *, node_id table);
node_id number_table(const struct store *, node_id, uint32_t k);

/* If it is better, and right for each number. */
void found_consider(struct found *, const struct search *, const int64_t *number, node_id, uint32_t more);

/* A constant, or affine. */
void search_affine(const struct search *, const int64_t *number, struct found *);
/* Affine modulo a size: the number is what is next to 0. */
void search_around(const struct search *, const int64_t *number, uint32_t size, struct found *);
/* One more, or one less, with each step of one source; two numbers suffice: tags, communicators and
   bits are numbered so. */
void search_count(const struct search *, const int64_t *number, struct found *);
/* An affine one, and all that has no table. */
void search_formula(const struct search *, const int64_t *number, struct found *);
/* The shortest table, products of two, and what is a table and a formula. tabled: sources of the
   table. */
void search_table(struct search *, const int64_t *number, uint32_t tabled, struct found *);

/* The first source that contributes something on its own is taken off, and the rest, of the sources
   that are left, searched for so. */
typedef void search_rest(struct search *, const int64_t *number, uint32_t sources, struct found *);
void search_without(struct search *, const int64_t *number, uint32_t sources, search_rest *, struct found *);

/* Make what tables may be asked for. */
void search_variables(struct search *);
node_id variable_node(const struct search *, const struct variable *);

/* Numbers are 0 and 1: the shortest condition. */
void search_condition(struct search *, const int64_t *number, struct found *);

#endif
