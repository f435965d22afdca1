/*
 * derive.c -- what a node knows of itself: what it depends on, for each purpose, and what it costs
 * its reader. A kind of node is a case here, and nowhere else.
 *
 * The cost is that of the text: a statement 1; a set, a number and a table what is said below.
 * Tables and procedures are paid once a program (model/module.h), where a statement stands for
 * several lines of the source the module adds them.
 */
#include <ctype.h>

#include "model/node.h"
#include "model/number.h"

enum { /* in COST_UNITs of 0.05 */
	COST_ITEM = 6, /* each further item of a set, value of a list, entry of a table; an argument */
	COST_MARK = 6, /* a remainder, a division, a power */
	COST_TERM = 2, /* a further term in braces */
	COST_LOOK_UP = 5,
	COST_CARRIED_LOOK_UP = 2 /* behind the semicolon */
};

static uint32_t plus(uint32_t a, uint32_t b)
{
	return a + b < a ? UINT32_MAX : a + b;
}

static void raise(uint8_t *to, uint32_t by)
{
	*to = (uint8_t)(*to + by > UINT8_MAX ? UINT8_MAX : *to + by);
}

/* Of a word as it is read: %, / and ^ and $names of it are not told from those of numbers. */
static void add_word(const struct store *s, uint32_t word, struct node *to)
{
	for (const char *c = store_get_word(s, word); *c; c++) {
		raise(&to->marks, *c == '%' || *c == '/' || *c == '^');
		raise(&to->looks, *c == '$' && (isalnum((unsigned char)c[1]) || c[1] == '_'));
	}
}

static uint32_t number_cost(const struct store *s, node_id id, bool place, bool carried)
{
	const struct node *n = node_of(s, id);
	uint32_t terms = number_is_braced(s, id, place) && n->signs > 1 ? n->signs - 1u : 0;
	return COST_MARK * n->marks + (carried ? COST_CARRIED_LOOK_UP : COST_LOOK_UP) * n->looks + COST_TERM * terms;
}

/* Items beyond the first of a set as it is written; what a bracket or a stride adds is one. */
static uint32_t set_cost(const char *words)
{
	uint32_t items = 0;
	for (const char *c = words; *c; c++)
		items += *c == ',' || *c == ':' || (*c == '&' && c[1] == '&') ||
			 (*c == ')' && (c[1] == '+' || c[1] == '*'));
	return COST_ITEM * items;
}

static uint32_t domain_cost(const struct store *s, node_id id)
{
	const struct node *d = node_of(s, id);
	switch (d->kind) {
	case NODE_WHERE:
		return d->kids ? COST_ITEM * (d->kids - 1) : 0;
	case NODE_RANKS:
		return d->sub ? 0 : set_cost(store_ranks_text(s, (uint32_t)d->number));
	case NODE_NAMED:
		return number_is_braced(s, d->kid[0], false) ? COST_ITEM * d->commas : COST_LOOK_UP;
	default:
		return 0;
	}
}

/* Values and runs of {3,17,20..30} beyond the first. */
static uint32_t list_cost(const struct store *s, const struct node *test)
{
	struct text list = {0};
	if (test->sub < NODE_TEST_AMONG)
		return 0;
	table_print_set(store_get_table(s, (uint32_t)test->number), &list);
	uint32_t items = set_cost(list.data);
	text_clear(&list);
	return items;
}

static void take_kids(const struct store *s, struct node *n)
{
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *kid = node_of(s, n->kid[k]);
		if (kid->kind == NODE_TABLE && n->kind != NODE_TABLE)
			continue;
		for (int u = 0; u < PURPOSES; u++)
			n->uses[u] |= kid->uses[u];
		n->cost = plus(n->cost, kid->cost);
		raise(&n->marks, kid->marks);
		raise(&n->signs, kid->signs);
		raise(&n->looks, kid->looks);
		raise(&n->commas, kid->commas);
		n->lines = plus(n->lines, kid->lines);
		n->statements = plus(n->statements, kid->statements);
		n->loops = plus(n->loops, kid->loops);
		n->depth = kid->depth > n->depth ? kid->depth : n->depth;
		n->height = kid->height > n->height ? kid->height : n->height;
	}
}

static void use(struct node *n, uint64_t what)
{
	for (int u = 0; u < PURPOSES; u++)
		n->uses[u] |= what;
}

static uint64_t variable_uses(int64_t variable)
{
	if (variable >= VARIABLE_INDEX)
		return USES_INDEX(variable - VARIABLE_INDEX);
	if (variable >= VARIABLE_PARAMETER)
		return USES_PARAMETER(variable - VARIABLE_PARAMETER);
	return variable == VARIABLE_COUNTER ? USES_COUNTER : variable <= VARIABLE_W ? USES_PROCESS : USES_EXTENTS;
}

/* The counter is its own: nobody around knows it. */
static void counts(struct node *n)
{
	for (int u = 0; u < PURPOSES; u++)
		n->uses[u] &= ~USES_COUNTER;
}

static void derive_sum(struct node *n)
{
	uint32_t terms = n->kids + (n->number != 0);
	raise(&n->signs, terms > 1 ? terms - 1 : 0);
}

static void derive_entry(const struct store *s, struct node *n)
{
	const struct node *table = node_of(s, n->kid[0]);
	raise(&n->commas, n->kids - 2);
	n->marks = n->signs = 0; /* between the brackets they are not counted */
	raise(&n->looks, 1);
	use(n, table->uses[FOR_ALL] & ~USES_PROCESS);
}

static uint64_t uses_of(const struct store *s, node_id id)
{
	return node_of(s, id)->uses[FOR_ALL];
}

static void derive_event(const struct store *s, struct node *n)
{
	const node_id *kid = n->kid;
	uint64_t *u = n->uses, all = n->uses[FOR_ALL];
	const struct node *who = node_of(s, kid[COLUMN_WHO]);
	u[FOR_COUNT] = (who->kind == NODE_NAMED ? uses_of(s, kid[COLUMN_WHO]) : 0) |
		       (n->number ? uses_of(s, kid[COLUMN_PEER]) | USES_PROCESS : 0);
	u[FOR_PEER] = u[FOR_COUNT] | uses_of(s, kid[COLUMN_PEER]);
	u[FOR_CHANNEL] = u[FOR_PEER] | uses_of(s, kid[COLUMN_TAG]) | uses_of(s, kid[COLUMN_COMMUNICATOR]) |
			 uses_of(s, kid[COLUMN_GROUP]) | uses_of(s, kid[COLUMN_ROOT]);
	u[FOR_ALL] = u[FOR_CHANNEL] | all;
	n->marks = n->looks = 0;
	add_word(s, n->word, n);
	n->cost = COST_UNIT + domain_cost(s, kid[COLUMN_WHO]) + COST_MARK * n->marks + COST_LOOK_UP * n->looks;
	for (uint32_t k = COLUMN_PEER; k < n->kids; k++) {
		const struct node *column = node_of(s, kid[k]);
		if (k >= COLUMNS)
			n->cost = plus(n->cost, column->cost);
		else if (k == COLUMN_GROUP)
			n->cost = plus(n->cost, column->kind == NODE_LINE ? COST_MARK * column->marks : 0);
		else if (kid[k])
			n->cost = plus(n->cost, number_cost(s, kid[k], k == COLUMN_PEER || k == COLUMN_ROOT, false));
	}
	n->lines = n->statements = 1;
}

static void derive_attribute(const struct store *s, struct node *n)
{
	counts(n);
	const struct node *words = node_of(s, n->kid[1]);
	n->cost = (n->kid[0] ? number_cost(s, n->kid[0], false, true) : 0) +
		  (words->kind == NODE_WORD && words->sub
				  ? 0
				  : COST_MARK * words->marks + COST_CARRIED_LOOK_UP * words->looks);
}

/* Indices count outwards: inside of a loop the one of the loop comes first. */
static uint64_t outwards(uint64_t uses)
{
	uint64_t index = uses & USES_INDICES;
	return (uses & ~USES_INDICES) | index >> 1 | (index & USES_INDEX(31));
}

static void derive_loop(const struct store *s, struct node *n)
{
	const struct node *body = node_of(s, n->kid[2]);
	for (int u = 0; u < PURPOSES; u++)
		n->uses[u] = uses_of(s, n->kid[1]) | outwards(body->uses[u]);
	n->cost = plus(COST_UNIT + domain_cost(s, n->kid[0]) + number_cost(s, n->kid[1], false, false), body->cost);
	n->lines = plus(n->lines, 1);
	n->statements = plus(n->statements, 1);
	n->loops = plus(n->loops, 1);
	n->depth = (uint16_t)(n->depth + (n->depth < UINT16_MAX));
}

static void derive_guard(const struct store *s, struct node *n)
{
	const struct node *test = node_of(s, n->kid[1]), *body = node_of(s, n->kid[2]);
	for (int u = 0; u < PURPOSES; u++)
		n->uses[u] = test->uses[FOR_ALL] | body->uses[u];
	n->cost = body->cost;
	if (!n->sub)
		n->cost = plus(n->cost, COST_UNIT + domain_cost(s, n->kid[0]) + test->cost);
	n->lines = plus(n->lines, 1);
	n->statements = plus(n->statements, 1);
}

static void derive_call(const struct store *s, struct node *n)
{
	const struct node *body = node_of(s, node_kid(s, n->kid[0], 0));
	n->cost = COST_UNIT;
	for (int u = 0; u < PURPOSES; u++)
		n->uses[u] = body->uses[u] & ~(USES_PARAMETERS | USES_INDICES);
	for (uint32_t k = 1; k < n->kids; k++) {
		const struct node *a = node_of(s, n->kid[k]);
		bool table = a->kind == NODE_TABLE || a->kind == NODE_VARIABLE;
		for (int u = 0; u < PURPOSES; u++)
			n->uses[u] |= body->uses[u] & USES_PARAMETER(k - 1) ? a->uses[FOR_ALL] : 0;
		n->cost =
			plus(n->cost, COST_ITEM * (1u + (table ? 0 : a->commas)) +
					      (table ? COST_LOOK_UP : COST_MARK * a->marks + COST_LOOK_UP * a->looks));
	}
	n->lines = 1;
	n->statements = body->statements;
	n->loops = body->loops;
	n->depth = body->depth;
}

static void derive_procedure(const struct store *s, struct node *n)
{
	const struct node *body = node_of(s, n->kid[0]);
	n->cost = plus(body->cost, COST_UNIT);
	for (uint32_t k = 1; k < n->kids; k++)
		n->cost = plus(n->cost, node_of(s, n->kid[k])->sub ? COST_LOOK_UP : 0);
	n->lines = plus(body->lines, 1);
}

static void derive_table(const struct store *s, struct node *n)
{
	if (n->kids)
		n->cost = COST_UNIT + COST_ITEM;
	else
		n->cost = (uint32_t)(COST_UNIT +
				     COST_ITEM * table_printed_entries(store_get_table(s, (uint32_t)n->number)));
}

void node_derive(const struct store *s, struct node *n)
{
	struct number_there there;
	take_kids(s, n);
	n->height = plus(n->height, n->kind >= NODE_EVENT && n->kind <= NODE_CALL);
	switch ((enum node_kind)n->kind) {
	case NODE_SUM:
		derive_sum(n);
		break;
	case NODE_TERM:
		raise(&n->signs, n->number != 1 && n->number != -1);
		break;
	case NODE_VARIABLE:
		use(n, variable_uses(n->number));
		break;
	case NODE_PRODUCT:
		raise(&n->signs, !number_is_process_test(s, n->kid[0], &there) &&
					 !number_is_process_test(s, n->kid[1], &there)); /* {8*4^i0 at 0} */
		break;
	case NODE_REMAINDER:
	case NODE_POWER:
		raise(&n->marks, 1);
		break;
	case NODE_FUNCTION:
		raise(&n->marks, n->sub == FUNCTION_DIVIDED);
		if (n->sub == FUNCTION_SUM)
			counts(n);
		break;
	case NODE_XOR:
		raise(&n->marks, 1);
		use(n, USES_PROCESS);
		break;
	case NODE_GRID:
		use(n, USES_EXTENTS);
		break;
	case NODE_ENTRY:
		derive_entry(s, n);
		break;
	case NODE_TABLE:
		derive_table(s, n);
		break;
	case NODE_TEST:
		n->cost = number_cost(s, n->kid[0], false, false) + list_cost(s, n);
		break;
	case NODE_RANKS:
	case NODE_WHERE:
	case NODE_NAMED:
	case NODE_LINE:
	case NODE_SELF:
	case NODE_BY_COMMUNICATOR:
		use(n, USES_PROCESS);
		break;
	case NODE_WORD:
		add_word(s, n->word, n);
		break;
	case NODE_ATTRIBUTE:
		derive_attribute(s, n);
		break;
	case NODE_EVENT:
		derive_event(s, n);
		break;
	case NODE_LOOP:
		derive_loop(s, n);
		break;
	case NODE_GUARD:
		derive_guard(s, n);
		break;
	case NODE_CALL:
		derive_call(s, n);
		break;
	case NODE_PROCEDURE:
		derive_procedure(s, n);
		break;
	case NODE_COMPARISON:
	case NODE_ALL:
	case NODE_WORDS:
	case NODE_SEQUENCE:
	case NODE_KINDS:
		break;
	}
}
