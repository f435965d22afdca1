/*
 * communicators.c -- each process makes numbered ones in the order of their numbers, those that
 * have no process in common in one call: a recorder that numbers them as they are made gives them
 * these again.
 */
#include "replay/communicators.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/coverage.h"
#include "ask/projection.h"
#include "base/mem.h"
#include "replay/temporaries.h"

/* They are elements of an array. */
#define NUMBERS (INT64_C(1) << 16)

/* What recorders define first is MPI_COMM_WORLD, and MPI_COMM_SELF behind it. */
#define SELF_NUMBER 1

static bool is_everybody(const struct communicators *c, const struct ranks *who)
{
	return ranks_count(who) == c->program->processes;
}

static bool is_numbered(const struct form *form)
{
	return !value_is_constant(&form->communicator) || form->communicator.plain.constant != NO_COMMUNICATOR;
}

/* ------------------------------------------------------------------ who is in them */

/* members: NULL of a message, which does not tell them. */
static bool meet_number(struct communicators *c, int64_t number, const struct ranks *members, struct error *error)
{
	if (number == NO_COMMUNICATOR)
		return true;
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
			ranks_add_run(known, 0, c->program->processes - 1);
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

static bool numbers_as_world(enum communicator_sort sort)
{
	return sort == COMMUNICATOR_UNTOLD || sort == COMMUNICATOR_WORLD;
}

static bool meet(struct communicators *c, const struct form *form, const struct spot *spot, struct error *error)
{
	struct ranks members = {0};
	if (form->kind == EVENT_SYNC)
		program_members(c->program, form, spot, &members);
	bool good =
		meet_number(c, value_at(&form->communicator, spot), form->kind == EVENT_SYNC ? &members : NULL, error);
	ranks_clear(&members);
	return good;
}

/* Numbers that change from one execution to the next. */
static bool meet_changing(struct communicators *c, struct program *program, struct error *error)
{
	struct projection *projection = projection_new(program, NULL);
	bool good = true;
	for (uint32_t rank = 0; rank < program->processes && good; rank++) {
		struct walk *w = walk_new(projection, rank);
		while (good && walk_next(w)) {
			struct form form = statement_form(program, &program->statement[walk_statement(w)]);
			struct spot spot = walk_spot(w);
			if (form.kind != EVENT_LOCAL && value_indices(&form.communicator))
				good = meet(c, &form, &spot, error);
		}
		walk_free(w);
	}
	projection_free(projection);
	return good;
}

bool communicators_of(struct communicators *c, struct program *program, struct error *error)
{
	struct coverage *coverage = coverage_new(program);
	bool good = true, changing = false;
	*c = (struct communicators){.program = program, .groups = intern_new()};
	for (size_t i = 0; i < program->length && good; i++) {
		if (statement_is_loop(&program->statement[i]))
			continue;
		struct form form = statement_form(program, &program->statement[i]);
		if (form.kind == EVENT_LOCAL || !is_numbered(&form))
			continue;
		if (value_indices(&form.communicator)) {
			changing = true;
			continue;
		}
		struct ranks who = coverage_of(coverage, i);
		struct ranks_walk walk = {0};
		for (uint32_t rank; good && ranks_next(&who, &walk, &rank);) {
			struct spot spot = grid_spot(&program->grid, rank);
			good = meet(c, &form, &spot, error);
		}
	}
	coverage_free(coverage);
	return good && (!changing || meet_changing(c, program, error));
}

void communicators_clear(struct communicators *c)
{
	for (size_t i = 0; i < c->numbers; i++)
		ranks_clear(&c->member[i]);
	free(c->member);
	free(c->sort);
	intern_free(c->groups);
}

/* ------------------------------------------------------------------ what they are called */

/* Of a collective without a number: the whole world? */
static bool is_world(const struct communicators *c, const struct form *form)
{
	return form->kind != EVENT_SYNC || communicators_size(c, form) == c->program->processes;
}

uint64_t communicators_size(const struct communicators *c, const struct form *form)
{
	struct ranks all = dictionary_get_ranks(c->program->dictionary, (uint32_t)form->group), group = {0};
	struct spot spot = grid_spot(&c->program->grid, form->area.kind == AREA_ON_GRID ? 0 : all.run->first);
	program_members(c->program, form, &spot, &group);
	uint64_t size = ranks_count(&group);
	ranks_clear(&group);
	return size;
}

struct form communicators_of_one_size(
	const struct communicators *c, const struct form *form, const struct ranks *who, struct ranks *others)
{
	struct dictionary *d = c->program->dictionary;
	struct form own = *form;
	struct ranks same = {0}, left = {0};
	uint64_t size = 0;
	ranks_copy(&left, who);
	others->length = 0;
	while (left.length) {
		struct spot spot = grid_spot(&c->program->grid, left.run->first);
		struct ranks group = {0}, rest = {0};
		program_members(c->program, form, &spot, &group);
		size = size ? size : ranks_count(&group);
		struct ranks *to = ranks_count(&group) == size ? &same : others, both = {0};
		ranks_unite(&both, to, &group);
		ranks_subtract(&rest, &left, &group);
		ranks_clear(to);
		ranks_clear(&left);
		ranks_clear(&group);
		*to = both;
		left = rest;
	}
	own.group = dictionary_ranks(d, &same);
	ranks_clear(&same);
	return own;
}

static struct area key_of(const struct form *form)
{
	struct area key;
	memset(&key, 0, sizeof key);
	key.kind = form->area.kind;
	if (form->area.kind)
		memcpy(key.all, form->area.all, sizeof key.all);
	else
		key.all[0] = (int64_t)form->group;
	return key;
}

static void put_group_name(const struct communicators *c, uint32_t number, struct text *out)
{
	const struct area *key = intern_data(c->groups, number, NULL);
	bool flat = key->kind && c->program->grid.axes == 2;
	if (flat && key->all[0] && !key->all[1])
		text_put(out, "row");
	else if (flat && key->all[1] && !key->all[0])
		text_put(out, "column");
	else
		text_format(out, "group_%u", number);
}

void communicators_put(struct communicators *c, struct c_text *x, const struct form *form, struct text *out)
{
	if (is_numbered(form)) {
		text_put(out, "comm[");
		c_value(x, &form->communicator, out);
		text_char(out, ']');
	} else if (is_world(c, form)) {
		text_put(out, "MPI_COMM_WORLD");
	} else {
		struct area key = key_of(form);
		put_group_name(c, intern_id(c->groups, &key, sizeof key), out);
	}
}

/* Are its ranks those of the world? */
static bool is_like_world(const struct communicators *c, const struct form *form)
{
	if (!is_numbered(form))
		return is_world(c, form);
	if (!value_is_constant(&form->communicator))
		return false;
	int64_t number = form->communicator.plain.constant;
	return number < 0 || (size_t)number >= c->numbers || numbers_as_world(c->sort[number]);
}

/* The number itself where the communicator numbers as the world does, else what the function makes
   of it. */
static void put_translated(struct communicators *c, struct c_text *x, const struct form *form, const char *function,
	bool *called, const char *number, struct text *out)
{
	if (is_like_world(c, form)) {
		text_put(out, number);
		return;
	}
	text_format(out, "%s(", function);
	communicators_put(c, x, form, out);
	text_format(out, ", %s)", number);
	*called = true;
}

void communicators_put_rank(
	struct communicators *c, struct c_text *x, const struct form *form, const char *rank, struct text *out)
{
	put_translated(c, x, form, "rank_in", &c->rank_in, rank, out);
}

void communicators_put_world_rank(
	struct communicators *c, struct c_text *x, const struct form *form, const char *number, struct text *out)
{
	put_translated(c, x, form, "world_rank", &c->world_rank, number, out);
}

/* ------------------------------------------------------------------ the calls that make them */

static void put_area_colour(struct c_text *x, const struct grid *g, const struct area *key, struct text *out)
{
	bool first = true;
	uint64_t scale = 1;
	for (uint32_t i = 0; i < g->axes; i++) {
		if (key->all[i])
			continue;
		text_put(out, first ? "" : " + ");
		if (scale > 1)
			text_format(out, "%llu * ", (unsigned long long)scale);
		text_char(out, c_axis(i));
		x->axis[i] = true;
		scale *= g->size[i];
		first = false;
	}
	if (first)
		text_char(out, g->axes ? '0' : 'p');
}

static void put_split(const struct communicators *c, struct c_text *x, uint32_t number, struct text *out)
{
	const struct area *key = intern_data(c->groups, number, NULL);
	text_put(out, "\tMPI_Comm_split(MPI_COMM_WORLD, ");
	if (key->kind) {
		put_area_colour(x, &c->program->grid, key, out);
	} else {
		struct ranks group = dictionary_get_ranks(c->program->dictionary, (uint32_t)key->all[0]);
		ranks_print_condition(&group, c->program->processes, "p", out);
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
		struct ranks both = {0};
		bool meet = ranks_meet(&taken, &c->member[i]);
		ranks_unite(&both, &taken, &c->member[i]);
		ranks_clear(&taken);
		taken = both;
		if (meet)
			continue;
		ranks_print_condition(&c->member[i], c->program->processes, "p", out);
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
