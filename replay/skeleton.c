/*
 * skeleton.c -- statements as C.
 *
 * A first pass finds what the program needs: a buffer, the place on the grid, communicators for
 * groups that are not the world. Neighbouring statements over one set share one condition; a set
 * that everybody around has needs none.
 */
#include "replay/skeleton.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/c_text.h"

/* How a collective is called, up to its communicator; %r: the root. */
static const struct collective {
	const char *name, *arguments;
} collectives[] = {
	{"MPI_Barrier", ""},
	{"MPI_Bcast", "in, SIZE, MPI_BYTE, %r, "},
	{"MPI_Reduce", "out, in, SIZE, MPI_BYTE, MPI_BOR, %r, "},
	{"MPI_Allreduce", "out, in, SIZE, MPI_BYTE, MPI_BOR, "},
	{"MPI_Scan", "out, in, SIZE, MPI_BYTE, MPI_BOR, "},
	{"MPI_Exscan", "out, in, SIZE, MPI_BYTE, MPI_BOR, "},
	{"MPI_Reduce_scatter_block", "out, in, SIZE, MPI_BYTE, MPI_BOR, "},
	{"MPI_Reduce_scatter", "out, in, counts, MPI_BYTE, MPI_BOR, "},
	{"MPI_Gather", "out, SIZE, MPI_BYTE, in, SIZE, MPI_BYTE, %r, "},
	{"MPI_Gatherv", "out, SIZE, MPI_BYTE, in, counts, starts, MPI_BYTE, %r, "},
	{"MPI_Scatter", "out, SIZE, MPI_BYTE, in, SIZE, MPI_BYTE, %r, "},
	{"MPI_Scatterv", "out, counts, starts, MPI_BYTE, in, SIZE, MPI_BYTE, %r, "},
	{"MPI_Allgather", "out, SIZE, MPI_BYTE, in, SIZE, MPI_BYTE, "},
	{"MPI_Allgatherv", "out, SIZE, MPI_BYTE, in, counts, starts, MPI_BYTE, "},
	{"MPI_Alltoall", "out, SIZE, MPI_BYTE, in, SIZE, MPI_BYTE, "},
	{"MPI_Alltoallv", "out, counts, starts, MPI_BYTE, in, counts, starts, MPI_BYTE, "},
};

struct printer {
	const struct program *f;
	struct text *out;
	struct intern *groups; /* communicators: sets of ranks, or areas, as bytes */
	bool out_used, in_used, counts_used, at_used, rank_in_used;
	struct c_text numbers; /* with what they use */
	uint64_t largest; /* message of which the size is known; 0: none is */
	bool guessed; /* of some the size is not */
	uint32_t indent;
};

static void indent(struct printer *x)
{
	for (uint32_t i = 0; i < x->indent; i++)
		text_char(x->out, '\t');
}

#define line(x, ...) (indent(x), text_format((x)->out, __VA_ARGS__), text_char((x)->out, '\n'))

/* ------------------------------------------------------------------ formulas */

static const char axis_name[GRID_AXES] = {'x', 'y', 'z', 'w'};

static void put_place(struct printer *x, const struct place *f, struct text *out)
{
	struct affine relative = f->value.plain; /* to p */
	relative.p++;
	switch ((enum place_kind)f->kind) {
	case PLACE_NUMBER:
		c_value(&x->numbers, &f->value, out);
		break;
	case PLACE_OFFSET:
		c_affine(&x->numbers, &relative, out);
		break;
	case PLACE_XOR:
		x->numbers.rank = true;
		text_format(out, "(p ^ %lld)", (long long)f->value.plain.constant);
		break;
	case PLACE_RING:
		text_put(out, "wrap(");
		c_affine(&x->numbers, &relative, out);
		text_format(out, ", %lld)", (long long)f->modulus);
		x->numbers.wrap = true;
		break;
	case PLACE_GRID:
		for (uint32_t i = 0; i < x->f->grid.axes; i++) {
			text_put(out, i ? ", " : "at(");
			c_affine(&x->numbers, &f->axis[i], out);
		}
		text_char(out, ')');
		x->at_used = x->numbers.wrap = true;
		break;
	case PLACE_NONE:
		text_char(out, '0');
		break;
	}
}

/* Tags of C are ints. */
static void put_tag(struct printer *x, const struct form *form, struct text *out)
{
	if (form->varies)
		c_value(&x->numbers, &form->value, out);
	else
		text_format(out, "%u", (unsigned)(form->numbered ? form->number % INT_MAX : 0));
}

/* ------------------------------------------------------------------ communicators */

static bool is_world(const struct printer *x, const struct form *form)
{
	if (form->area.on_grid)
		return false;
	struct ranks group = dictionary_get_ranks(x->f->dictionary, (uint32_t)form->group);
	return ranks_count(&group) == x->f->processes;
}

/* The name of the communicator of a sync; a number for each different group. */
static void put_communicator(struct printer *x, const struct form *form, struct text *out)
{
	if (is_world(x, form)) {
		text_put(out, "MPI_COMM_WORLD");
		return;
	}
	struct area key;
	memset(&key, 0, sizeof key);
	if (form->area.on_grid)
		key = form->area;
	else
		key.all[0] = (int64_t)form->group;
	text_format(out, "group_%u", intern_id(x->groups, &key, sizeof key));
}

static void put_split(struct printer *x, uint32_t number)
{
	const struct area *key = intern_data(x->groups, number, NULL);
	struct text colour = {0};
	if (!key->on_grid) {
		struct ranks group = dictionary_get_ranks(x->f->dictionary, (uint32_t)key->all[0]);
		ranks_print_condition(&group, x->f->processes, "p", &colour);
		text_put(&colour, " ? 0 : MPI_UNDEFINED");
	} else {
		bool first = true;
		uint32_t scale = 1;
		if (!x->f->grid.axes)
			text_char(&colour, 'p');
		for (uint32_t i = 0; i < x->f->grid.axes; i++) {
			if (key->all[i])
				continue;
			text_put(&colour, first ? "" : " + ");
			if (scale > 1)
				text_format(&colour, "%u * ", scale);
			text_char(&colour, axis_name[i]);
			x->numbers.axis[i] = true;
			scale *= x->f->grid.size[i];
			first = false;
		}
		if (!colour.length) /* all processes */
			text_char(&colour, '0');
	}
	x->numbers.rank = true;
	indent(x);
	text_format(x->out, "MPI_Comm_split(MPI_COMM_WORLD, %s, p, &group_%u);\n", colour.data, number);
	text_clear(&colour);
}

/* The root's number inside its group. */
static void put_root(struct printer *x, const struct form *form, const char *communicator, struct text *out)
{
	if (place_indices(&form->peer) && !is_world(x, form)) {
		text_format(out, "rank_in(%s, ", communicator);
		put_place(x, &form->peer, out);
		text_char(out, ')');
		x->rank_in_used = true;
		return;
	}
	if (form->area.on_grid && form->peer.kind == PLACE_GRID) {
		bool first = true;
		uint32_t scale = 1;
		for (uint32_t i = 0; i < x->f->grid.axes; i++) {
			if (!form->area.all[i])
				continue;
			text_put(out, first ? "" : " + ");
			if (scale > 1)
				text_format(out, "%u * ", scale);
			text_char(out, '(');
			c_affine(&x->numbers, &form->peer.axis[i], out);
			text_char(out, ')');
			scale *= x->f->grid.size[i];
			first = false;
		}
		if (first) /* the process alone */
			text_char(out, '0');
		return;
	}
	if (form->area.on_grid || form->peer.kind != PLACE_NUMBER || place_indices(&form->peer)) {
		put_place(x, &form->peer, out);
		return;
	}
	struct ranks group = dictionary_get_ranks(x->f->dictionary, (uint32_t)form->group);
	uint32_t before = 0;
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(&group, &walk, &p) && p < form->peer.value.plain.constant;)
		before++;
	text_number(out, before);
}

/* ------------------------------------------------------------------ sizes */

static int64_t coordinate_top(const struct program *f, int axis)
{
	return (axis < 0 ? f->processes : (uint32_t)axis < f->grid.axes ? f->grid.size[axis] : 1) - INT64_C(1);
}

static __int128 above(__int128 number)
{
	return number > 0 ? number : 0;
}

/* No execution has more. */
static uint64_t at_most(const struct program *f, const struct value *v, const int64_t *top)
{
	__int128 sum = v->plain.constant + above((__int128)v->plain.p * coordinate_top(f, -1));
	for (int i = 0; i < GRID_AXES; i++)
		sum += above((__int128)v->plain.axis[i] * coordinate_top(f, i));
	for (int d = 0; d < INDEX_DEPTH; d++)
		sum += above((__int128)v->plain.index[d] * top[d]);
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++)
		sum += above((__int128)v->remainder[i].factor * (v->remainder[i].modulus - 1));
	if (v->lookup.table) {
		__int128 least = (__int128)table_least(v->lookup.table) * v->lookup.factor,
			 most = (__int128)table_most(v->lookup.table) * v->lookup.factor;
		sum += least > most ? least : most;
	}
	return sum <= 0 ? 0 : sum > INT_MAX ? INT_MAX : (uint64_t)sum;
}

/* The loops around a statement go up to these indices. */
static void find_tops(const struct program *f, size_t at, int64_t *top)
{
	int depth = 0;
	memset(top, 0, INDEX_DEPTH * sizeof *top);
	for (size_t i = 0; i < at;) {
		const struct statement *s = &f->statement[i];
		bool around = i + statement_size(s) > at;
		if (around && depth < INDEX_DEPTH) {
			struct value bound = program_bound(f, s);
			uint64_t most = at_most(f, &bound, top);
			top[depth++] = most ? (int64_t)most - 1 : 0;
		}
		i += around ? 1 : statement_size(s);
	}
}

/* The number of bytes of a message: as the program has it, where C can say it; else the most that there are; of
   one that does not say, SIZE. */
static void put_size(struct printer *x, size_t at, struct text *out)
{
	struct attribute a;
	int64_t top[INDEX_DEPTH];
	uint32_t bytes = dictionary_word(x->f->dictionary, "bytes", 5);
	if (!program_attribute(x->f, at, bytes, &a) || a.choices != CHOICES_NONE) {
		text_put(out, "SIZE");
		x->guessed = true;
		return;
	}
	find_tops(x->f, at, top);
	uint64_t most = at_most(x->f, &a.value, top);
	x->largest = most > x->largest ? most : x->largest;
	if (value_is_constant(&a.value) || a.value.lookup.table) {
		text_number(out, most);
		return;
	}
	text_put(out, value_indices(&a.value) ? "(int)(" : "");
	c_value(&x->numbers, &a.value, out);
	text_put(out, value_indices(&a.value) ? ")" : "");
}

/* ------------------------------------------------------------------ events */

static void put_message(struct printer *x, size_t at, const struct form *form)
{
	struct text peer = {0}, tag = {0}, remark = {0}, size = {0};
	bool send = form->kind == EVENT_SEND;
	put_place(x, &form->peer, &peer);
	put_tag(x, form, &tag);
	put_size(x, at, &size);
	text_add(&remark, "", 0);
	if (!value_is_constant(&form->communicator) || form->communicator.plain.constant != NO_COMMUNICATOR) {
		text_put(&remark, " /* communicator ");
		c_value(&x->numbers, &form->communicator, &remark);
		text_put(&remark, " */");
	}
	if (send)
		line(x, "MPI_Send(out, %s, MPI_BYTE, %s, %s, MPI_COMM_WORLD);%s", size.data, peer.data, tag.data,
			remark.data);
	else
		line(x, "MPI_Recv(in, %s, MPI_BYTE, %s, %s, MPI_COMM_WORLD, MPI_STATUS_IGNORE);%s", size.data,
			peer.data, tag.data, remark.data);
	x->out_used |= send;
	x->in_used |= !send;
	text_clear(&peer);
	text_clear(&tag);
	text_clear(&remark);
	text_clear(&size);
}

static const struct collective *find_collective(const char *name)
{
	for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
		if (!strcmp(collectives[i].name, name))
			return &collectives[i];
	return NULL;
}

static void put_sync(struct printer *x, const struct form *form)
{
	const char *name = dictionary_get_word(x->f->dictionary, form->word);
	const struct collective *c = find_collective(name);
	struct text root = {0}, group = {0}, arguments = {0};
	put_communicator(x, form, &group);
	put_root(x, form, group.data, &root);
	const char *given = c ? c->arguments : "";
	const char *at = strstr(given, "%r");
	text_add(&arguments, given, at ? (size_t)(at - given) : strlen(given));
	if (at) {
		text_put(&arguments, root.data);
		text_put(&arguments, at + 2);
	}
	x->out_used |= strstr(given, "out") != NULL;
	x->in_used |= strstr(given, "in,") != NULL;
	x->counts_used |= strstr(given, "counts") != NULL;
	if (c) {
		line(x, "%s(%s%s);", name, arguments.data, group.data);
	} else {
		indent(x);
		text_put(x->out, "/* ");
		text_put(x->out, name);
		text_format(x->out, " */ MPI_Barrier(%s);\n", group.data);
	}
	text_clear(&root);
	text_clear(&group);
	text_clear(&arguments);
}

/* Comments must not end early. */
static void put_local(struct printer *x, const struct form *form)
{
	indent(x);
	text_put(x->out, "/* ");
	for (const char *at = dictionary_get_word(x->f->dictionary, form->word); *at; at++) {
		text_char(x->out, *at);
		if ((at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*'))
			text_char(x->out, ' ');
	}
	text_put(x->out, " */\n");
}

static void put_form(struct printer *x, size_t at, const struct form *form)
{
	if (form->kind == EVENT_LOCAL)
		put_local(x, form);
	else if (form->kind == EVENT_SYNC)
		put_sync(x, form);
	else
		put_message(x, at, form);
}

/* ------------------------------------------------------------------ statements */

static void open_condition(struct printer *x, const struct ranks *who)
{
	struct text condition = {0};
	ranks_print_condition(who, x->f->processes, "p", &condition);
	indent(x);
	text_put(x->out, "if (");
	/* Parentheses around all of it are those of the if. */
	text_put(x->out, condition.data);
	text_put(x->out, ") {\n");
	x->indent++;
	x->numbers.rank = true;
	text_clear(&condition);
}

static void close_brace(struct printer *x)
{
	x->indent--;
	line(x, "}");
}

static void put_body(struct printer *x, size_t from, size_t to, const struct ranks *around, unsigned depth);

/* < 200L, < i0, <= 3 + i0 */
static void put_bound(struct printer *x, const struct statement *s, struct text *out)
{
	if (s->bound == BOUND_NONE) {
		text_format(out, "< %lluL", (unsigned long long)(s->count < INT64_MAX ? s->count : INT64_MAX));
		return;
	}
	struct value count = program_bound(x->f, s);
	text_put(out, count.plain.constant ? "<= " : "< ");
	count.plain.constant -= count.plain.constant != 0;
	c_value(&x->numbers, &count, out);
}

static void put_guard(struct printer *x, size_t at, const struct ranks *around, unsigned depth)
{
	const struct statement *s = &x->f->statement[at];
	struct value condition = program_bound(x->f, s);
	struct text test = {0};
	c_condition(&x->numbers, &condition, &test);
	line(x, "if (%s) {", test.data);
	text_clear(&test);
	x->indent++;
	put_body(x, at + 1, at + s->size, around, depth + 1);
	close_brace(x);
}

static void put_loop(struct printer *x, size_t at, const struct ranks *around, unsigned depth)
{
	const struct statement *s = &x->f->statement[at];
	struct text bound = {0};
	if (statement_guard(s) != GUARD_NONE) {
		put_guard(x, at, around, depth);
		return;
	}
	put_bound(x, s, &bound);
	line(x, "for (long i%u = 0; i%u %s; i%u++) {", depth, depth, bound.data, depth);
	text_clear(&bound);
	x->indent++;
	put_body(x, at + 1, at + s->size, around, depth + 1);
	close_brace(x);
}

/* A loop without a set concerns whoever may be here. */
static struct ranks processes_of(
	const struct printer *x, const struct statement *s, const struct ranks *around, struct ranks_run *single)
{
	return statement_is_loop(s) && s->set == STATEMENT_PLAIN ? *around : program_processes(x->f, s, single);
}

static void put_statement(struct printer *x, size_t at, const struct ranks *around, unsigned depth)
{
	const struct statement *s = &x->f->statement[at];
	if (statement_is_loop(s)) {
		put_loop(x, at, around, depth);
		return;
	}
	struct form form = s->set == STATEMENT_PLAIN ? form_of_event(x->f->dictionary, s->event)
						     : program_get_form(x->f, s->event);
	put_form(x, at, &form);
}

static void put_body(struct printer *x, size_t from, size_t to, const struct ranks *around, unsigned depth)
{
	struct ranks open = {0};
	for (size_t i = from; i < to; i += statement_size(&x->f->statement[i])) {
		struct ranks_run single;
		struct ranks who = processes_of(x, &x->f->statement[i], around, &single);
		bool everybody = ranks_within(around, &who); /* no condition */
		if (open.length && (everybody || !ranks_equal(&open, &who))) {
			close_brace(x);
			ranks_clear(&open);
		}
		if (!everybody && !open.length) {
			open_condition(x, &who);
			ranks_copy(&open, &who);
		}
		put_statement(x, i, everybody ? around : &who, depth);
	}
	if (open.length)
		close_brace(x);
	ranks_clear(&open);
}

/* ------------------------------------------------------------------ the program around them */

static void put_at(struct printer *x)
{
	const struct grid *g = &x->f->grid;
	text_put(x->out, "/* The rank at a place of the grid, which goes around. */\nstatic int at(");
	for (uint32_t i = 0; i < g->axes; i++)
		text_format(x->out, "%sint %c", i ? ", " : "", axis_name[i]);
	text_put(x->out, ")\n{\n\treturn ");
	for (uint32_t i = 0; i < g->axes; i++)
		text_format(x->out, i + 1 < g->axes ? "wrap(%c, %u) + %u * (" : "wrap(%c, %u)", axis_name[i],
			g->size[i], g->size[i]);
	for (uint32_t i = 1; i < g->axes; i++)
		text_char(x->out, ')');
	text_put(x->out, ";\n}\n\n");
}

static const char rank_in[] = "/* The number that a process of the world has in a group. */\n"
			      "static int rank_in(MPI_Comm comm, int p)\n{\n"
			      "\tMPI_Group world, group;\n\tint number;\n"
			      "\tMPI_Comm_group(MPI_COMM_WORLD, &world);\n"
			      "\tMPI_Comm_group(comm, &group);\n"
			      "\tMPI_Group_translate_ranks(world, 1, &p, group, &number);\n"
			      "\tMPI_Group_free(&world);\n\tMPI_Group_free(&group);\n"
			      "\treturn number;\n}\n\n";

/* As long as the largest message, and what collectives take. */
static void put_buffer(struct printer *x, const char *name)
{
	if (x->largest <= x->f->processes)
		text_format(x->out, "static char %s[SIZE * PROCESSES];\n", name);
	else
		text_format(x->out, "static char %s[%llu];\n", name, (unsigned long long)x->largest);
}

static void put_head(struct printer *x)
{
	uint32_t processes = x->f->processes;
	text_format(x->out,
		"/*\n * What %u processes did, as tracenest folded it. For reading: %s, and blocking calls "
		"may wait for each other.\n */\n",
		processes,
		!x->largest  ? "messages carry one byte"
		: x->guessed ? "collectives, and messages whose sizes are not known, carry one byte"
			     : "collectives carry one byte");
	text_put(x->out, "#include <mpi.h>\n\n");
	if (x->out_used || x->in_used || x->counts_used)
		text_format(x->out, "enum { PROCESSES = %u, SIZE = 1 };\n\n", processes);
	if (x->out_used)
		put_buffer(x, "out");
	if (x->in_used)
		put_buffer(x, "in");
	if (x->counts_used)
		text_put(x->out, "static int counts[PROCESSES], starts[PROCESSES];\n");
	if (x->out_used || x->in_used || x->counts_used)
		text_put(x->out, "\n");
	c_text_definitions(&x->numbers, x->out);
	if (x->at_used)
		put_at(x);
	if (x->rank_in_used)
		text_put(x->out, rank_in);
}

static void put_coordinates(struct printer *x)
{
	const struct grid *g = &x->f->grid;
	for (uint32_t i = 0; i < g->axes; i++) {
		if (!x->numbers.axis[i])
			continue;
		indent(x);
		text_format(x->out, "int %c = ", axis_name[i]);
		c_coordinate(g, i, x->out);
		text_put(x->out, ";\n");
	}
}

void skeleton_print_c(const struct program *f, struct text *out)
{
	struct text body = {0}, splits = {0};
	struct printer x = {.f = f, .out = &body, .groups = intern_new(), .indent = 1};
	struct ranks all = {0};
	if (f->processes)
		ranks_add_run(&all, 0, f->processes - 1);
	text_add(&body, "", 0);
	text_add(&splits, "", 0);
	put_body(&x, 0, f->length, &all, 0);
	x.out = &splits;
	uint32_t groups = intern_count(x.groups);
	for (uint32_t i = 0; i < groups; i++)
		put_split(&x, i);
	x.out = out;
	put_head(&x);
	text_put(out, "int main(int argc, char **argv)\n{\n\tMPI_Init(&argc, &argv);\n");
	bool placed = x.numbers.rank;
	for (int i = 0; i < GRID_AXES; i++)
		placed |= x.numbers.axis[i];
	if (placed)
		text_put(out, "\tint p;\n\tMPI_Comm_rank(MPI_COMM_WORLD, &p);\n");
	put_coordinates(&x);
	for (uint32_t i = 0; i < groups; i++)
		line(&x, "MPI_Comm group_%u;", i);
	text_put(out, splits.data);
	text_put(out, "\n");
	text_put(out, body.data);
	text_put(out, "\n\tMPI_Finalize();\n\treturn 0;\n}\n");
	ranks_clear(&all);
	intern_free(x.groups);
	c_text_clear(&x.numbers);
	text_clear(&body);
	text_clear(&splits);
}

/* ------------------------------------------------------------------ in columns */

/* The listing has one line per statement or done, and its header lines start with slashes. */
static size_t set_width(const char *at)
{
	at += strspn(at, " ");
	return *at == '[' ? strcspn(at, " ") : 0;
}

static size_t depth_of(const char *at)
{
	return strspn(at, " ");
}

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');
	return end ? end + 1 : at + strlen(at);
}

/* Events that follow each other on one level are a block: how wide are their sets? */
static size_t block_width(const char *at, const char **past)
{
	size_t depth = depth_of(at), width = 0;
	while (*at && depth_of(at) == depth && set_width(at) && strncmp(at + depth + set_width(at), " for ", 5)) {
		width = set_width(at) > width ? set_width(at) : width;
		at = next_line(at);
	}
	*past = at;
	return width;
}

void skeleton_print_text(const struct program *f, struct text *out)
{
	struct text listing = {0};
	program_print_text(f, &listing);
	for (const char *at = listing.data; *at;) {
		const char *past, *end;
		size_t width = block_width(at, &past);
		past = past == at ? next_line(at) : past;
		for (; at < past; at = end) {
			size_t set = depth_of(at) + set_width(at);
			end = next_line(at);
			text_add(out, at, width ? set : 0);
			for (size_t i = set_width(at); i < width; i++)
				text_char(out, ' ');
			text_add(out, at + (width ? set : 0), (size_t)(end - at) - (width ? set : 0));
		}
	}
	text_clear(&listing);
}
