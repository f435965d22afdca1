/*
 * communicators.c -- each process makes numbered ones in the order of their numbers, those that
 * have no process in common in one call: a recorder that numbers them as they are made gives them
 * these again.
 */
#include "replay/communicators.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/temporaries.h"

/* They are elements of an array. */
#define NUMBERS (INT64_C(1) << 16)

/* What recorders define first is MPI_COMM_WORLD, and MPI_COMM_SELF behind it. */
#define SELF_NUMBER 1

static bool is_everybody(const struct communicators *c, const struct ranks *who)
{
	return ranks_count(who) == c->overview->module->processes;
}

/* NODE_NONE: it has none. */
static node_id number_of(const struct communicators *c, size_t at)
{
	return overview_node(c->overview, at)->kid[COLUMN_COMMUNICATOR];
}

static bool is_collective(const struct communicators *c, size_t at)
{
	return kind_rows[overview_node(c->overview, at)->sub].match == MATCH_GROUP;
}

/* ------------------------------------------------------------------ who is in them */

/* members: NULL of a message, which does not tell them. */
static bool meet_number(struct communicators *c, int64_t number, const struct ranks *members, struct error *error)
{
	if (number < 0 || number >= NUMBERS)
		return error_set(error, ERROR_INPUT,
			"a communicator has the number %" PRId64 ": %" PRId64 " at most can be made in C", number,
			NUMBERS - 1);
	while (c->numbers <= (size_t)number) {
		c->member = mem_grow(c->member, &c->capacity, c->numbers + 1, sizeof *c->member);
		c->sort = mem_resize(c->sort, c->capacity, sizeof *c->sort);
		c->member[c->numbers] = (struct ranks){0};
		c->sort[c->numbers++] = COMMUNICATOR_UNTOLD;
	}
	struct ranks *known = &c->member[number];
	enum communicator_sort *sort = &c->sort[number];
	if (!members) {
		if (!known->length)
			ranks_copy(known, &c->overview->all);
	} else if (*sort == COMMUNICATOR_UNTOLD) {
		*sort = number == SELF_NUMBER && ranks_count(members) == 1 ? COMMUNICATOR_SELF
			: is_everybody(c, members)                         ? COMMUNICATOR_WORLD
									   : COMMUNICATOR_PART;
		ranks_copy(known, members);
	} else if (!ranks_equal(known, members)) {
		if (ranks_count(known) != 1 || ranks_count(members) != 1)
			return error_set(error, ERROR_INPUT,
				"communicator %" PRId64 " is of different processes in different collectives", number);
		*sort = COMMUNICATOR_SELF;
	}
	return true;
}

/* Whoever has no such number has none there. */
static bool meet(struct communicators *c, struct environment *e, size_t at, struct error *error)
{
	int64_t number = number_at(e, number_of(c, at));
	if (e->failure)
		return true;
	if (!is_collective(c, at))
		return meet_number(c, number, NULL, error);
	uint32_t group = member_set_of(c->members, e, c->overview->line[at].node);
	return meet_number(c, number, member_set_ranks(c->members, group), error);
}

static bool is_changing(const struct communicators *c, size_t at)
{
	return node_of(c->overview->store, number_of(c, at))->uses[FOR_ALL] & USES_INDICES;
}

/* Numbers that change from one execution to the next. */
static bool meet_changing(struct communicators *c, struct error *error)
{
	struct cursor *k = cursor_new(c->overview->run, 0);
	bool good = true;
	for (uint32_t rank = 0; rank < c->overview->module->processes && good; rank++)
		for (cursor_restart(k, rank); good && cursor_next(k);)
			if (number_of(c, k->line) && is_changing(c, k->line))
				good = meet(c, &k->at, k->line, error);
	cursor_free(k);
	return good;
}

bool communicators_of(struct communicators *c, const struct overview *o, struct error *error)
{
	struct environment e = {0};
	bool good = true, changing = false;
	*c = (struct communicators){.overview = o, .members = member_sets_new(o->run), .groups = intern_new()};
	for (size_t i = 0; i < o->lines && good; i++) {
		if (!overview_is_event(o, i) || !number_of(c, i))
			continue;
		if (is_changing(c, i)) {
			changing = true;
			continue;
		}
		struct ranks_walk walk = {0};
		for (uint32_t rank; good && ranks_next(&o->line[i].who, &walk, &rank);) {
			overview_start(o, i, rank, &e);
			good = meet(c, &e, i, error);
		}
	}
	free(e.index);
	return good && (!changing || meet_changing(c, error));
}

void communicators_clear(struct communicators *c)
{
	for (size_t i = 0; i < c->numbers; i++)
		ranks_clear(&c->member[i]);
	free(c->member);
	free(c->sort);
	member_sets_free(c->members);
	intern_free(c->groups);
}

/* ------------------------------------------------------------------ what they are called */

static const struct ranks *group_of(const struct communicators *c, size_t at, uint32_t rank)
{
	struct environment e = {0};
	overview_start(c->overview, at, rank, &e);
	uint32_t group = member_set_of(c->members, &e, c->overview->line[at].node);
	free(e.index);
	return member_set_ranks(c->members, group);
}

uint64_t communicators_size(const struct communicators *c, size_t at, uint32_t rank)
{
	return ranks_count(group_of(c, at, rank));
}

/* Of a collective without a number: the whole world? */
static bool is_world(const struct communicators *c, size_t at)
{
	return !is_collective(c, at) || is_everybody(c, group_of(c, at, overview_first(c->overview, at)));
}

void communicators_part(const struct communicators *c, size_t at, const struct ranks *who, struct ranks *to)
{
	struct ranks left = {0};
	uint64_t size = communicators_size(c, at, who->run->first);
	ranks_clear(to);
	for (ranks_copy(&left, who); left.length;) {
		const struct ranks *group = group_of(c, at, left.run->first);
		if (ranks_count(group) == size)
			ranks_join(to, group);
		ranks_remove(&left, group);
	}
	ranks_clear(&left);
}

/* What tells groups without numbers apart: the node; of a set the same however it is written. Without
   padding: its bytes are its identity. */
struct group_key {
	int64_t kind, number;
};

static struct group_key key_of(const struct communicators *c, size_t at)
{
	node_id group = overview_node(c->overview, at)->kid[COLUMN_GROUP];
	const struct node *n = node_of(c->overview->store, group);
	return (struct group_key){n->kind, n->kind == NODE_RANKS ? n->number : group};
}

static const struct node *line_of_grid(const struct communicators *c, const struct group_key *key)
{
	return key->kind == NODE_LINE ? node_of(c->overview->store, (node_id)key->number) : NULL;
}

static void put_group_name(const struct communicators *c, uint32_t number, struct text *out)
{
	const struct node *line = line_of_grid(c, intern_data(c->groups, number, NULL));
	if (line && line->kids == 2 && !line->kid[0] != !line->kid[1])
		text_put(out, line->kid[0] ? "column" : "row");
	else
		text_format(out, "group_%u", number);
}

void communicators_put(struct communicators *c, struct c_text *x, size_t at, struct text *out)
{
	if (number_of(c, at)) {
		text_put(out, "comm[");
		c_number(x, number_of(c, at), out);
		text_char(out, ']');
	} else if (is_world(c, at)) {
		text_put(out, "MPI_COMM_WORLD");
	} else {
		struct group_key key = key_of(c, at);
		put_group_name(c, intern_id(c->groups, &key, sizeof key), out);
	}
}

/* Are its ranks those of the world? */
static bool is_like_world(const struct communicators *c, size_t at)
{
	int64_t number;
	if (!number_of(c, at))
		return is_world(c, at);
	if (!number_is_constant(c->overview->store, number_of(c, at), &number))
		return false;
	return number < 0 || (size_t)number >= c->numbers || c->sort[number] <= COMMUNICATOR_WORLD;
}

void communicators_put_rank(
	struct communicators *c, struct c_text *x, size_t at, bool from, const char *rank, struct text *out)
{
	if (is_like_world(c, at)) {
		text_put(out, rank);
		return;
	}
	text_put(out, from ? "world_rank(" : "rank_in(");
	communicators_put(c, x, at, out);
	text_format(out, ", %s)", rank);
	*(from ? &c->world_rank : &c->rank_in) = true;
}

/* ------------------------------------------------------------------ the calls that make them */

static void put_colour(const struct communicators *c, struct c_text *x, const struct node *line, struct text *out)
{
	const char *before = "";
	uint64_t scale = 1;
	for (uint32_t i = 0; i < line->kids; i++) {
		if (!line->kid[i])
			continue;
		bool one = number_single(c->overview->store, line->kid[i]);
		text_put(out, before);
		if (scale > 1)
			text_format(out, "%llu * ", (unsigned long long)scale);
		text_put(out, one ? "" : "(");
		c_number(x, line->kid[i], out);
		text_put(out, one ? "" : ")");
		scale *= c->overview->module->grid.size[i];
		before = " + ";
	}
	text_put(out, *before ? "" : "0");
}

static void put_split(const struct communicators *c, struct c_text *x, uint32_t number, struct text *out)
{
	const struct group_key *key = intern_data(c->groups, number, NULL);
	text_put(out, "\tMPI_Comm_split(MPI_COMM_WORLD, ");
	if (line_of_grid(c, key)) {
		put_colour(c, x, line_of_grid(c, key), out);
	} else if (key->kind == NODE_SELF) {
		text_char(out, 'p');
	} else {
		const struct ranks *group = key->kind == NODE_RANKS
						    ? store_get_ranks(c->overview->store, (uint32_t)key->number)
						    : run_ranks(c->overview->run, (node_id)key->number);
		ranks_print_condition(group, c->overview->module->processes, "p", out);
		text_put(out, " ? 0 : MPI_UNDEFINED");
	}
	text_put(out, ", p, &");
	put_group_name(c, number, out);
	text_put(out, ");\n");
}

/* All that have no process in common with those before them, in one call, so that each process
   makes its own in their order: the colour is the number. */
static void put_numbered_splits(const struct communicators *c, bool *made, size_t from, struct text *out)
{
	struct ranks taken = {0};
	text_put(out, "\tsplit(");
	for (size_t i = from; i < c->numbers; i++) {
		if (made[i] || !c->member[i].length)
			continue;
		if (c->sort[i] != COMMUNICATOR_PART)
			break;
		bool meet = ranks_meet(&taken, &c->member[i]);
		ranks_join(&taken, &c->member[i]);
		if (meet)
			continue;
		ranks_print_condition(&c->member[i], c->overview->module->processes, "p", out);
		text_format(out, " ? %zu : ", i);
		made[i] = true;
	}
	text_put(out, "MPI_UNDEFINED);\n");
	ranks_clear(&taken);
}

static void put_numbered(const struct communicators *c, const struct temporaries *t, struct text *out)
{
	bool *made = mem_zero((c->numbers + 1) * sizeof *made), self = false;
	if (t->is) {
		memcpy(made, t->is, c->numbers * sizeof *made);
		text_format(out, "\tfor (int i = 0; i < %zu; i++)\n\t\tcomm[i] = MPI_COMM_NULL;\n", c->numbers);
	}
	for (size_t i = 0; i < c->numbers; i++) {
		if (made[i] || !c->member[i].length)
			continue;
		if (c->sort[i] == COMMUNICATOR_PART)
			put_numbered_splits(c, made, i, out);
		else if (c->sort[i] == COMMUNICATOR_SELF && !self)
			text_format(out, "\tcomm[%zu] = MPI_COMM_SELF;\n", i);
		else
			text_format(out, "\tMPI_Comm_dup(MPI_COMM_%s, &comm[%zu]);\n",
				c->sort[i] == COMMUNICATOR_SELF ? "SELF" : "WORLD", i);
		self |= c->sort[i] == COMMUNICATOR_SELF;
	}
	free(made);
}

static bool any_split(const struct communicators *c, const struct temporaries *t)
{
	for (size_t i = 0; i < c->numbers; i++)
		if (c->sort[i] == COMMUNICATOR_PART && c->member[i].length && !(t->is && t->is[i]))
			return true;
	return false;
}

static const char split[] = "/* The processes of one colour get the communicator of that number. */\n"
			    "static void split(int colour)\n{\n\tMPI_Comm ours;\n"
			    "\tMPI_Comm_split(MPI_COMM_WORLD, colour, p, &ours);\n"
			    "\tif (colour != MPI_UNDEFINED)\n\t\tcomm[colour] = ours;\n}\n\n";

static const char translate[] = "static int translate(MPI_Comm from, int rank, MPI_Comm to)\n{\n"
				"\tMPI_Group its, other;\n\tint number;\n"
				"\tMPI_Comm_group(from, &its);\n\tMPI_Comm_group(to, &other);\n"
				"\tMPI_Group_translate_ranks(its, 1, &rank, other, &number);\n"
				"\tMPI_Group_free(&its);\n\tMPI_Group_free(&other);\n\treturn number;\n}\n\n";

static const char rank_in[] = "/* The number that a process has in a communicator. */\n"
			      "static int rank_in(MPI_Comm in, int rank)\n{\n"
			      "\treturn translate(MPI_COMM_WORLD, rank, in);\n}\n\n";

static const char world_rank[] = "/* The process that has this number in a communicator. */\n"
				 "static int world_rank(MPI_Comm in, int number)\n{\n"
				 "\treturn translate(in, number, MPI_COMM_WORLD);\n}\n\n";

bool communicators_print(const struct communicators *c, const struct temporaries *t, struct c_text *x, struct text *out)
{
	uint32_t groups = intern_count(c->groups);
	if (!groups && !c->numbers)
		return false;
	if (c->numbers)
		text_format(out, "static MPI_Comm comm[%zu];\n", c->numbers);
	for (uint32_t i = 0; i < groups; i++) {
		text_put(out, "static MPI_Comm ");
		put_group_name(c, i, out);
		text_put(out, ";\n");
	}
	text_char(out, '\n');
	if (any_split(c, t))
		text_put(out, split);
	text_put(out, "static void make_communicators(void)\n{\n");
	put_numbered(c, t, out);
	for (uint32_t i = 0; i < groups; i++)
		put_split(c, x, i, out);
	text_put(out, "}\n\n");
	if (t->is)
		temporaries_print(t, c, out);
	if (c->rank_in || c->world_rank)
		text_put(out, translate);
	if (c->rank_in)
		text_put(out, rank_in);
	if (c->world_rank)
		text_put(out, world_rank);
	return true;
}
