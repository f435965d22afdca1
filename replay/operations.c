/*
 * operations.c -- from the attribute op of a statement, a word or words of which a number chooses.
 */
#include "replay/operations.h"

#include <string.h>

/* MPI's own, by what they reduce. */
static const struct {
	const char *name;
	enum operands of;
} known[] = {{"MPI_BAND", OPERANDS_BITS}, {"MPI_BOR", OPERANDS_BITS}, {"MPI_BXOR", OPERANDS_BITS},
	{"MPI_REPLACE", OPERANDS_BITS}, {"MPI_NO_OP", OPERANDS_BITS}, {"MPI_MAX", OPERANDS_NUMBERS},
	{"MPI_MIN", OPERANDS_NUMBERS}, {"MPI_SUM", OPERANDS_NUMBERS}, {"MPI_PROD", OPERANDS_NUMBERS},
	{"MPI_LAND", OPERANDS_NUMBERS}, {"MPI_LOR", OPERANDS_NUMBERS}, {"MPI_LXOR", OPERANDS_NUMBERS},
	{"MPI_MAXLOC", OPERANDS_PAIRS}, {"MPI_MINLOC", OPERANDS_PAIRS}};

enum operands operation_operands(const char *word)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, word))
			return known[i].of;
	return OPERANDS_ANY;
}

struct operation_choice operation_choice_of(const struct overview *o, size_t at)
{
	struct operation_choice c = {0};
	node_id op = event_attribute(o->store, overview_node(o, at), store_word(o->store, "op", 2));
	const struct node *a = node_of(o->store, op), *word = op && a->kid[1] ? node_of(o->store, a->kid[1]) : NULL;
	if (word && word->kind == NODE_WORD) {
		c.word[c.words++] = store_get_word(o->store, word->word);
	} else if (word && word->kids <= OPERATIONS_MOST) {
		c.number = a->kid[0];
		for (uint32_t k = 0; k < word->kids; k++) {
			const struct node *one = node_of(o->store, word->kid[k]);
			bool said = word->kid[k] && one->kind == NODE_WORD;
			c.word[c.words++] = said ? store_get_word(o->store, one->word) : "MPI_OP_NULL";
		}
	}
	return c;
}

enum operands operations_operands(const struct overview *o, size_t at)
{
	struct operation_choice c = operation_choice_of(o, at);
	enum operands found = OPERANDS_ANY;
	for (uint32_t i = 0; i < c.words; i++) {
		enum operands of = operation_operands(c.word[i]);
		found = of > found ? of : found;
	}
	return found;
}
