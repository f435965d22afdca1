/*
 * columns_form.h -- numbers as symbols: what the writer and the reader of columns share.
 */
#ifndef TRACENEST_PROFILE_COLUMNS_FORM_H
#define TRACENEST_PROFILE_COLUMNS_FORM_H

#include "profile/columns.h"
#include "profile/odds.h"

/*
 * The columns. Exactly, of a call: the gap before it, of which so much in other calls, from its
 * beginning to the event, from there to its end; of an event that shares its call, SHARES, and the
 * time since the event before. Within a bound: gap and other likewise; how long the call took; in
 * which part of it the event is. Stamps: the time since the event before alone.
 */
enum time_column { TIME_GAP, TIME_OTHER, TIME_INSIDE, TIME_AFTER, TIME_COLUMNS };

/* And the lowest bits of numbers that have more bits than their symbols tell: clocks may tick in
   twos. */
#define COLUMNS_ALL (2 * TIME_COLUMNS)
#define LOW_OF(column) (TIME_COLUMNS + (column))

/* A symbol tells so many bits behind the first of a number. */
#define MAGNITUDE_BITS 5
#define SYMBOL_NEGATIVE 2048 /* and the magnitude */
#define SYMBOL_SHARES 4096
#define SYMBOLS 4097
#define SYMBOL_NONE 0xffff /* the one before the first of a block */

struct magnitude {
	uint16_t symbol;
	unsigned bits; /* that it does not tell, */
	uint64_t rest; /* these */
};

struct magnitude magnitude_of(int64_t);
unsigned magnitude_bits(uint16_t symbol);
int64_t magnitude_value(uint16_t symbol, uint64_t rest);

/* Limits of bins: 0, 1, ... each at most a factor from the one before; and in how many parts of a
   call an event can be, at part/parts of it. Of exact forms {0}. */
struct bins {
	uint64_t *limit;
	uint32_t limits, parts;
};
struct bins bins_new(const struct columns_form *);
uint32_t bins_below(const struct bins *, uint64_t value); /* the last limit that is not above */

uint32_t part_of(uint64_t after, uint64_t whole, uint32_t parts);
uint64_t part_time(uint64_t whole, uint32_t part, uint32_t parts);

/* ------------------------------------------------------------------ odds by context */

/* What decides the odds of a symbol. */
struct context {
	uint32_t column, statement, rank;
	uint16_t last; /* the symbol before of the column */
};

/* A node of the tree: a table, or one node for each key met. */
struct context_node {
	enum tree_kind { TREE_NONE, TREE_ODDS, TREE_KEYS, TREE_CLASSES } kind;
	uint32_t length;
	uint32_t *key; /* of TREE_CLASSES: where the next class begins, one less than nodes */
	struct context_node *node;
	struct odds odds;
};

struct columns_tables {
	struct context_node column[COLUMNS_ALL];
	int64_t unit; /* all differences are multiples of */
};

/* NULL: there are none, the tables are damaged. */
const struct odds *columns_odds(const struct columns_tables *, const struct context *);

/* The same in two steps: all but the symbol before decides, which may be asked of often. */
const struct context_node *columns_node(const struct columns_tables *, const struct context *);
const struct odds *columns_odds_behind(const struct context_node *, uint16_t last);

#endif
