/*
 * test_fit_number.c -- columns of numbers and the functions that are found for them: by rows, and
 * for random functions on random domains, whose numbers must come out again, from no dearer a text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/cost.h"
#include "base/hash.h"
#include "base/mem.h"
#include "fit/fit_statement.h"
#include "fit/search.h"
#include "model/program_nodes.h"
#include "model/program_of_module.h"
#include "tests/models.h"
#include "tests/rows.h"

/* ------------------------------------------------------------------ points */

#define LOOPS 3
#define PROCESSES_MOST 25

/* Ranks and iterations; each loop goes to its extent, 0: there is none. */
struct region {
	uint32_t processes;
	struct grid grid;
	uint32_t first, last; /* ranks that are there; 0, 0: all */
	int64_t extent[LOOPS];
	bool triangle; /* the second loop goes as far as the first is */
};

struct seen {
	struct fit_points points;
	uint32_t *process, live[LOOPS], lives;
	int64_t *index, *number;
	size_t capacity[3];
};

static void see(struct seen *to, uint32_t process, const int64_t *index, int64_t number)
{
	size_t at = to->points.count++;
	to->process = mem_grow(to->process, &to->capacity[0], at + 1, sizeof *to->process);
	to->number = mem_grow(to->number, &to->capacity[1], at + 1, sizeof *to->number);
	to->index = mem_grow(to->index, &to->capacity[2], (at + 1) * LOOPS, sizeof *to->index);
	to->process[at] = process;
	to->number[at] = number;
	memcpy(to->index + at * to->lives, index, to->lives * sizeof *index);
	to->points.process = to->process;
	to->points.number = to->number;
	to->points.index = to->index;
}

typedef bool number_there(const void *context, const struct spot *, int64_t *number);

/* The points of a region at which there is a number. */
static void see_all(struct seen *to, const struct region *r, number_there *at, const void *context)
{
	int64_t index[INDEX_DEPTH] = {0};
	*to = (struct seen){0};
	while (to->lives < LOOPS && r->extent[to->lives])
		to->lives++;
	for (uint32_t k = 0; k < to->lives; k++)
		to->live[k] = to->lives - 1 - k;
	to->points.live = to->live;
	to->points.lives = to->lives;
	uint32_t last = r->last ? r->last : r->processes - 1;
	for (uint32_t p = r->first; p <= last; p++)
		for (bool more = true; more;) {
			struct spot spot = grid_spot(&r->grid, p);
			int64_t number;
			spot.index = index;
			if ((!r->triangle || index[1] <= index[0]) && at(context, &spot, &number))
				see(to, p, index, number);
			uint32_t d = to->lives;
			while (d > 0 && ++index[d - 1] == r->extent[d - 1])
				index[--d] = 0;
			more = d > 0;
		}
}

static void seen_clear(struct seen *s)
{
	free(s->process);
	free(s->index);
	free(s->number);
}

static bool is_place(enum fit_what what)
{
	return what == FIT_PEER || what == FIT_NEIGHBOUR;
}

/* What was found as the older form has it. */
struct said {
	struct value value;
	struct place place;
	uint32_t price;
	struct {
		const struct table *table;
		uint32_t price;
	} table[GRID_AXES];
	bool said;
};

static struct said said_of(struct store *s, const struct fitted *f, enum fit_what what, uint32_t lives)
{
	static const uint32_t depth[LOOPS] = {0, 1, 2};
	struct said said = {.price = f->price, .said = f->number};
	if (f->number && is_place(what))
		said.said = place_of_node(s, f->number, depth, lives, &said.place);
	else if (f->number)
		said.said = value_of_node(s, f->number, depth, lives, &said.value);
	for (int k = 0; k < GRID_AXES && f->table[k].table; k++) {
		said.table[k].table = store_get_table(s, (uint32_t)node_of(s, f->table[k].table)->number);
		said.table[k].price = f->table[k].price;
	}
	return said;
}

static bool is_right(const struct said *f, enum fit_what what, const struct grid *g, const struct seen *seen)
{
	for (size_t i = 0; i < seen->points.count; i++) {
		struct spot spot = grid_spot(g, seen->process[i]);
		int64_t index[INDEX_DEPTH] = {0};
		memcpy(index, seen->index + i * seen->lives, seen->lives * sizeof *index);
		spot.index = index;
		int64_t number = is_place(what) ? place_at(&f->place, g, &spot) : value_at(&f->value, &spot);
		if (!f->said || number != seen->number[i])
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------ executions of a statement */

/* The statement of the program that has no more of what is around it than loops and guards. */
static size_t innermost(const struct program *p)
{
	size_t at = 0;
	while (statement_is_loop(&p->statement[at]))
		at++;
	return at;
}

/* The region as a program, NULL: its loops cannot be written so. */
static struct program *program_around(const struct region *r, const struct seen *seen)
{
	struct text text = {0}, who = {0};
	text_format(&who, "[%u-%u]", r->first, r->last ? r->last : r->processes - 1);
	text_format(&text, "// tracenest 1\n// processes %u\n", r->processes);
	if (r->grid.axes)
		text_format(&text, "// grid %u %u\n", r->grid.size[0], r->grid.size[1]);
	for (uint32_t d = 0; d < seen->lives; d++)
		if (d == 1 && r->triangle)
			text_format(&text, "%s for i1 = 0 to {i0}\n", who.data);
		else
			text_format(&text, "%s for i%u = 0 to %d\n", who.data, d, (int)r->extent[d] - 1);
	text_format(&text, "%s p local x\n", who.data);
	for (uint32_t d = 0; d < seen->lives; d++)
		text_put(&text, "done\n");
	struct program *p = program_of(text.data);
	text_clear(&text);
	text_clear(&who);
	return p;
}

/* By process, which stand one behind the other. */
static size_t series_of(const struct seen *seen, struct fit_series *member, struct series **series)
{
	size_t count = 0;
	for (size_t i = 0; i < seen->points.count; i++) {
		if (!i || seen->process[i] != seen->process[i - 1]) {
			series[count] = series_new();
			member[count] = (struct fit_series){seen->process[i], series[count]};
			count++;
		}
		series_push(series[count - 1], seen->number[i]);
	}
	for (size_t i = 0; i < count; i++)
		series_finish(series[i]);
	return count;
}

static bool fit_as_statement(
	const struct region *r, const struct seen *seen, enum fit_what what, const char *name, struct said *found)
{
	struct program *p = program_around(r, seen);
	struct fit_series member[PROCESSES_MOST];
	struct series *series[PROCESSES_MOST];
	const struct program_nodes *n = program_nodes(p, &(struct error){0});
	struct store *store = n->module->store;
	struct fit *fit = fit_new(store, r->processes, &r->grid);
	size_t count = series_of(seen, member, series);
	struct fitted of_node = {
		.number = fit_statement(fit, what, n->run, n->line[innermost(p)], member, count, name)};
	*found = said_of(store, &of_node, what, seen->lives);
	for (size_t i = 0; i < count; i++)
		series_free(series[i]);
	struct lookup *lookup[] = {&found->value.lookup, &found->value.by};
	for (int k = 0; k < 2; k++)
		if (lookup[k]->table && (!k || lookup[1]->table != lookup[0]->table)) {
			found->table[k].table = table_share(lookup[k]->table);
			table_rename((struct table *)lookup[k]->table, name);
		}
	fit_free(fit);
	program_free(p);
	return found->said;
}

static void said_clear(struct said *f)
{
	for (size_t k = 0; k < COUNT(f->table) && f->table[k].table; k++)
		table_free((struct table *)f->table[k].table);
}

/* Are executions of a program the same points, but for none? */
static bool is_whole(const struct region *r, const struct seen *seen)
{
	size_t points = (r->last ? r->last : r->processes - 1) - r->first + 1;
	for (uint32_t d = 0; d < seen->lives && !r->triangle; d++)
		points *= (size_t)r->extent[d];
	if (r->triangle)
		points *= (size_t)(r->extent[0] * (r->extent[0] + 1) / 2 * (r->extent[2] ? r->extent[2] : 1));
	return points == seen->points.count && (!r->triangle || r->extent[1] >= r->extent[0]);
}

/* ------------------------------------------------------------------ rows */

#define GRID_2_2 .processes = 4, .grid = {2, {2, 2}}
#define GRID_4_4 .processes = 16, .grid = {2, {4, 4}}
#define GRID_2_2 .processes = 4, .grid = {2, {2, 2}}
#define GRID_3_3 .processes = 9, .grid = {2, {3, 3}}
#define GRID_4_2 .processes = 8, .grid = {2, {4, 2}}
#define LINE(n) .processes = (n)

static const struct {
	const char *why;
	enum fit_what what;
	struct region region;
	const char *numbers; /* a formula, or "=" and the numbers point by point, "-" where there is none */
	const char *found; /* NULL: the formula */
} rows[] = {
	{"one number", FIT_NUMBER, {LINE(4), .extent = {5}}, "= 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7", "{7}"},
	{"affine in an index", FIT_SIZE, {LINE(1), .extent = {5}}, "{8+32*i0}", NULL},
	{"two numbers are no law", FIT_SIZE, {LINE(1), .extent = {2}}, "= 8 40", "$b[i0] : 8 40"},
	{"on many processes neither", FIT_SIZE, {LINE(4), .extent = {2}}, "= 8 40 8 40 8 40 8 40", "$b[i0] : 8 40"},
	{"of two processes neither", FIT_SIZE, {LINE(2)}, "= 8 40", "$b[p] : 8 40"},
	{"beside a table two are enough", FIT_SIZE, {LINE(4), .extent = {2}}, "= 9 19 2 12 7 17 8 18",
		"{$b[p]+10*i0} : 9 2 7 8"},
	{"affine in the rank", FIT_NUMBER, {LINE(8), .extent = {3}}, "{5+3*p+100*i0}", NULL},
	{"affine in coordinates", FIT_NUMBER, {GRID_4_4, .extent = {2}}, "{5+3*x-7*y}", NULL},
	{"a remainder of an index", FIT_NUMBER, {LINE(1), .extent = {12}}, "{1+i0%4*2}", NULL},
	{"one that begins later", FIT_NUMBER, {LINE(1), .extent = {12}}, "{1+(1+i0)%4*2}", NULL},
	{"beside what is affine", FIT_NUMBER, {LINE(3), .extent = {12}}, "{1+50*p+3*i0+i0%4*2}", NULL},
	{"on one period it is no law", FIT_NUMBER, {LINE(1), .extent = {4}}, "= 1 2 0 1", "$t[i0] : 1 2 0 1"},
	{"two tags, numbered one after the other", FIT_TAG, {LINE(4), .first = 1, .last = 1, .extent = {2}}, "{117+i0}",
		NULL},
	{"two communicators, one for each row", FIT_NUMBER, {GRID_2_2}, "{3+y}", NULL},
	{"codes of cells", FIT_TAG, {GRID_4_4}, "{3000+(x+y)%4}", NULL},
	{"codes of two digits", FIT_TAG, {GRID_4_4}, "{3000+(x+y)%4+(-x)%4*4}", NULL},
	{"and the sizes of 3 by 3", FIT_TAG, {GRID_3_3}, "{3000+(x+y)%3+(-x)%3*3}", NULL},
	{"... of 2 by 2, where only both together are told", FIT_TAG, {GRID_2_2}, "{3000+2*x+(x+y)%2}", NULL},
	{"... which three points are too few for", FIT_TAG, {GRID_2_2, .last = 2}, "= 3 5 4", "$tag[p] : 3 5 4"},
	{"one digit is not", FIT_TAG, {LINE(2)}, "= 3001 3000", "$tag[p] : 3001 3000"},
	{"of coordinates and an index", FIT_TAG, {GRID_3_3, .extent = {3}}, "{2000+3*y+(x+i0)%3}", NULL},
	{"a coordinate, though of two values, before a remainder", FIT_TAG, {GRID_2_2}, "{4+x}", NULL},
	{"around all processes", FIT_TAG, {LINE(8)}, "{100+(p+3)%8}", NULL},
	{"levels", FIT_SIZE, {LINE(2), .extent = {4}}, "{16*4^i0}", NULL},
	{"three of them on many processes", FIT_SIZE, {LINE(4), .extent = {3}}, "{16*4^i0}", NULL},
	{"levels on the way down", FIT_SIZE, {LINE(1), .extent = {4}}, "{2*4^(3-i0)}", NULL},
	{"with a rim", FIT_SIZE, {LINE(1), .extent = {4}}, "{8+16*2^i0}", NULL},
	{"squares with a rim", FIT_SIZE, {LINE(1), .extent = {6}}, "{4+4^i0+4*2^i0}", NULL},
	{"of squares with a rim four are too few", FIT_SIZE, {LINE(1), .extent = {4}}, "= 9 16 36 100",
		"$b[i0] : 9 16 36 100"},
	{"of powers with a rim three", FIT_SIZE, {LINE(1), .extent = {3}}, "= 9 10 12", "$b[i0] : 9 10 12"},
	{"powers beside what is affine", FIT_SIZE, {LINE(4), .extent = {4, 3}}, "{100*p+7*i1+3^i0}", NULL},
	{"powers here and there", FIT_SIZE, {LINE(1), .extent = {7}}, "= 3 - 12 - - 96 192", "{3*2^i0}"},
	{"a short table", FIT_SIZE, {LINE(4), .extent = {4}}, "= 3 1 4 9 3 1 4 9 3 1 4 9 3 1 4 9", "$b[i0] : 3 1 4 9"},
	{"by a coordinate, not by the rank", FIT_SIZE, {GRID_4_2}, "= 3 1 4 9 3 1 4 9", "$b[x] : 3 1 4 9"},
	{"... if that is a little longer: it serves other sets, too", FIT_SIZE, {GRID_3_3}, "= 9 9 9 8 8 8 8 8 8",
		"$b[y] : 9 8 8"},
	{"that comes again", FIT_SIZE, {LINE(1), .extent = {12}}, "= 3 1 9 3 1 9 3 1 9 3 1 9", "$b[i0%3] : 3 1 9"},
	{"by the rank's remainder", FIT_SIZE, {LINE(8)}, "= 3 1 9 4 3 1 9 4", "$b[p%4] : 3 1 9 4"},
	{"holes cost nothing", FIT_SIZE, {LINE(3), .extent = {4}}, "= 5 1 9 2 5 - 9 2 5 1 - 2", "$b[i0] : 5 1 9 2"},
	{"rows that differ", FIT_SIZE, {LINE(2), .extent = {3}}, "= 5 1 9 4 4 7", "$b[p,i0] : 5 1 9 | 4 4 7"},
	{"a product of a row and a column", FIT_SIZE, {GRID_4_4}, "= 15 21 9 6 35 49 21 14 55 77 33 22 10 14 6 4",
		"$b[y]*$b[x] : 3 7 11 2 : 5 7 3 2"},
	{"cells of blocks that go around share a row", FIT_SIZE, {GRID_4_4, .extent = {3}},
		"= 11264 12672 14256 12672 11264 12672 14256 12672 11264 12672 14256 12672 12672 12672 12672"
		" 12672 12672 12672 12672 12672 12672 12672 12672 12672 12672 14256 12672 11264 12672 14256"
		" 12672 11264 12672 14256 12672 11264 11264 14256 14256 11264 11264 14256 14256 11264 11264"
		" 14256 14256 11264",
		"{176*$b[(x-i0)%4]*$b[(x+y+1-i0)%4]} : 8 8 9 9"},
	{"faces by direction: a product for each", FIT_SIZE, {GRID_4_4, .extent = {2}},
		"= 33 46 55 58 77 62 22 74 39 207 65 261 91 279 26 333 51 92 85 116 119 124 34 148 57 23 95 29 133 31 "
		"38 37",
		"$b[y,i0]*$b[x,i0] : 11 2 | 13 9 | 17 4 | 19 1 : 3 23 | 5 29 | 7 31 | 2 37"},
	{"the peer beyond", FIT_PEER, {LINE(8), .first = 0, .last = 5}, "p+2", NULL},
	{"one peer for all", FIT_PEER, {LINE(8)}, "3", NULL},
	{"one peer of one", FIT_PEER, {LINE(8), .first = 5, .last = 5}, "3", NULL},
	{"workers in turn", FIT_PEER, {LINE(8), .first = 0, .last = 0, .extent = {7}}, "{1+i0}", NULL},
	{"pairs", FIT_PEER, {LINE(8)}, "p^1", NULL},
	{"a ring", FIT_PEER, {LINE(8)}, "(p+3)%8", NULL},
	{"a ring by iterations", FIT_PEER, {LINE(8), .extent = {8}}, "(p+i0)%8", NULL},
	{"a dissemination", FIT_PEER, {LINE(16), .extent = {4}}, "(p+2^i0)%16", NULL},
	{"and back", FIT_PEER, {LINE(8), .extent = {3}}, "(p-2^i0)%8", NULL},
	{"a hypercube", FIT_PEER, {LINE(16), .extent = {4}}, "p^{2^i0}", NULL},
	{"a hypercube of four, from the last bit on", FIT_PEER, {LINE(4), .extent = {2}}, "p^{2^(1-i0)}", NULL},
	{"two of its bits", FIT_PEER, {LINE(32), .extent = {2}}, "p^{2^(2+i0)}", NULL},
	{"in rounds", FIT_PEER, {LINE(8), .extent = {7}}, "p^{1+i0}", NULL},
	{"around the grid", FIT_PEER, {GRID_4_4}, "@(x+1,y)", NULL},
	{"corners", FIT_PEER, {GRID_4_4}, "@(x+1,y-1)", NULL},
	{"moves of those in one row, which a row of processes would say as well", FIT_PEER,
		{GRID_4_4, .first = 4, .last = 7}, "@(x,y+1)", NULL},
	{"both sides, by two iterations", FIT_PEER, {LINE(8), .first = 1, .last = 6, .extent = {2}}, "p-1+2*i0", NULL},
	{"nobody else", FIT_PEER, {GRID_4_4}, "p", NULL},
	{"transposed", FIT_PEER, {GRID_4_4}, "@(y,x)", NULL},
	{"transposed, where each coordinate has two values", FIT_PEER, {GRID_2_2}, "@(y,x)", NULL},
	{"along an axis by iterations", FIT_PEER, {GRID_4_4, .extent = {3}}, "@(x+1+i0,y)", NULL},
	{"backwards", FIT_PEER, {LINE(8)}, "{7-p}", "p^7"},
	{"of an odd number backwards", FIT_PEER, {LINE(7)}, "{6-p}", NULL},
	{"neighbours of a graph", FIT_PEER, {LINE(4), .extent = {2}}, "= 3 1 2 3 3 1 0 2",
		"$peer[p,i0] : 3 1 | 2 3 | 3 1 | 0 2"},
	{"offsets are shorter", FIT_PEER, {LINE(9), .first = 2, .last = 6, .extent = {3}},
		"= 1 4 3 2 5 4 3 6 5 4 7 6 5 8 7", "p+$peer[i0] : -1 2 1"},
	{"by iterations to other places of a grid that goes around", FIT_PEER, {GRID_4_4, .extent = {3}},
		"= 5 11 12 6 8 13 7 9 14 4 10 15 9 15 0 10 12 1 11 13 2 8 14 3 13 3 4 14 0 5 15 1 6 12 2 7 1 7 8 2 4 9 "
		"3 5 10 0 6 11",
		"@(x+$dx[i0],y+$dy[i0]) : 1 -1 0 : 1 2 -1"},
	{"on an open one, who is inside", FIT_NEIGHBOUR, {GRID_4_4, .extent = {4}},
		"= - - 4 2 - - 5 3 - - 6 - - - 7 - - 1 8 6 0 2 9 7 1 3 10 - 2 - 11 - - 5 12 10 4 6 13 11 5 7 14 - 6 - "
		"15 - - 9 - 14 8 10 - 15 9 11 - - 10 - - -",
		"@(x+$dx[i0],y+$dy[i0]) : -1 1 0 2 : -1 -1 1 0"},
	{"on a line", FIT_NEIGHBOUR, {LINE(8), .extent = {4}},
		"= - - 1 2 - 0 2 3 0 1 3 4 1 2 4 5 2 3 5 6 3 4 6 7 4 5 7 - 5 6 - -", "p+$d[i0] : -2 -1 1 2"},
	{"in one iteration", FIT_CONDITION, {LINE(4), .extent = {6}}, "{i0} = 3", NULL},
	{"in all but one", FIT_CONDITION, {LINE(4), .extent = {6}}, "{i0} != 5", NULL},
	{"every so often", FIT_CONDITION, {LINE(4), .extent = {100}}, "{i0%20} = 0", NULL},
	{"not that often", FIT_CONDITION, {LINE(2), .extent = {21}}, "{i0%7} != 6", NULL},
	{"in some", FIT_CONDITION, {LINE(2), .extent = {50}}, "{i0} in {3,17,40}", NULL},
	{"until then", FIT_CONDITION, {LINE(2), .extent = {50}}, "{i0} in {0..4}", NULL},
	{"on the diagonal", FIT_CONDITION, {LINE(6), .extent = {6}}, "{p-i0} = 0", NULL},
	{"as it came", FIT_CONDITION, {LINE(1), .extent = {12}}, "= 1 0 1 1 0 0 1 0 1 1 1 0",
		"{i0} not in {1,4,5,7,11}"},
	{"as it came to each", FIT_CONDITION, {LINE(3), .extent = {4}}, "= 1 0 1 1 0 0 1 0 1 1 0 0",
		"$g[p,i0] : 1 0 1 1 | 0 0 1 0 | 1 1 0 0"},
	{"always", FIT_CONDITION, {LINE(1), .extent = {3}}, "= 1 1 1", "{1}"},
	{"what goes with events that are there needs none", FIT_DATA, {LINE(2)}, "= 8 40", "{8+32*p}"},
	{"of words it is which one", FIT_DATA, {LINE(2), .extent = {2}}, "= 0 1 0 1", "{i0}"},
	{"of more a table", FIT_DATA, {LINE(5)}, "= 0 0 1 0 2", "$t[p] : 0 0 1 0 2"},
	{"without a table two numbers are a law", FIT_FORMULA, {LINE(2)}, "= 8 40", "{8+32*p}"},
};

struct formula {
	const struct grid *grid;
	bool place;
	struct value value;
	struct place at;
	const char *list;
};

static bool number_of(const void *context, const struct spot *s, int64_t *number)
{
	const struct formula *f = context;
	*number = f->place ? place_at(&f->at, f->grid, s) : value_at(&f->value, s);
	return true;
}

static bool number_in_list(const void *context, const struct spot *s, int64_t *number)
{
	const char **at = (const char **)context;
	char *end;
	(void)s;
	*at += strspn(*at, " ");
	bool none = **at == '-' && ((*at)[1] == ' ' || !(*at)[1]);
	*number = none ? 0 : strtoll(*at, &end, 10);
	*at = none ? *at + 1 : end;
	return !none;
}

/* What a statement in three loops says, of processes on this grid; nobody has checked what it comes to. */
static struct program *program_saying(const struct grid *grid, uint32_t processes, const char *format, const char *said)
{
	struct text text = {0};
	struct error error = {0};
	struct inlined_line wrong;
	header_put_parametric(&text, grid->axes);
	text_put(&text, "for i0 = 0 to 0\nfor i1 = 0 to 0\nfor i2 = 0 to 0\n");
	text_format(&text, format, said);
	text_put(&text, "\ndone\ndone\ndone\n");
	struct module *m = module_parse("said", text.data, text.length, &error);
	struct program *p = NULL;
	if (m) {
		struct environment at = module_environment(m);
		at.processes = processes;
		at.grid = *grid;
		p = program_of_module(m, &at, &wrong, &error);
	}
	if (!p)
		printf("\n%s: %s\n", said, error.message);
	module_free(m);
	text_clear(&text);
	return p;
}

static bool see_row(struct seen *to, const struct region *r, enum fit_what what, const char *numbers)
{
	struct formula f = {.grid = &r->grid, .place = what == FIT_PEER};
	if (*numbers == '=') {
		const char *at = numbers + 1;
		see_all(to, r, number_in_list, &at);
		return true;
	}
	const char *format = f.place                 ? "[p>=P] p send %s t"
			     : what == FIT_CONDITION ? "if %s\n[p>=0] p local a\ndone"
						     : "[p>=0] p local a ; v=%s";
	struct program *p = program_saying(&r->grid, r->processes, format, numbers);
	struct attribute attribute[ATTRIBUTES_MOST];
	if (!p)
		return false;
	const struct statement *said = &p->statement[3];
	if (f.place)
		f.at = statement_form(p, said).peer;
	else if (what == FIT_CONDITION)
		f.value = program_bound(p, said);
	else if (program_get_attributes(p, said->attributes, attribute))
		f.value = attribute->value;
	see_all(to, r, number_of, &f);
	program_free(p);
	return true;
}

static void print_said(const struct said *f, enum fit_what what, const struct grid *g, struct text *out)
{
	if (is_place(what))
		place_print(&f->place, g, out);
	else if (what == FIT_CONDITION)
		condition_print(&f->value, out);
	else
		value_print(&f->value, out);
	for (size_t k = 0; k < COUNT(f->table) && f->table[k].table; k++) {
		text_put(out, " :");
		table_print(f->table[k].table, out, NULL, NULL);
	}
}

static void same_as_statement(const char *why, const struct region *r, const struct seen *seen, enum fit_what what,
	const struct said *of_points, const char *want)
{
	struct said f;
	struct text out = {0};
	ROW(why, fit_as_statement(
			 r, seen, what, of_points->table->table ? table_name(of_points->table->table) : "", &f));
	print_said(&f, what, &r->grid, &out);
	row_same(why, out.data, want);
	text_clear(&out);
	said_clear(&f);
}

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct region *r = &rows[i].region;
		struct seen seen;
		struct text out = {0};
		struct store *store = store_new(r->processes, &r->grid);
		struct fit *fit = fit_new(store, r->processes, &r->grid);
		bool good = see_row(&seen, r, rows[i].what, rows[i].numbers);
		ROW(rows[i].why, good);
		if (good) {
			struct said found =
				said_of(store, fit_points(fit, rows[i].what, &seen.points), rows[i].what, seen.lives);
			const struct said *f = &found;
			print_said(f, rows[i].what, &r->grid, &out);
			ROW(rows[i].why, is_right(f, rows[i].what, &r->grid, &seen));
			row_same(rows[i].why, out.data, rows[i].found ? rows[i].found : rows[i].numbers);
			bool number = !is_place(rows[i].what) && rows[i].what != FIT_CONDITION,
			     one = !f->table[1].table;
			if (number && one && is_whole(r, &seen))
				same_as_statement(rows[i].why, r, &seen, rows[i].what, f, out.data);
			seen_clear(&seen);
		}
		fit_free(fit);
		store_free(store);
		text_clear(&out);
	}
}

/* ------------------------------------------------------------------ more than a table has */

/* One loop goes far, all others twice. */
static bool one_goes_far(const void *context, const struct spot *s, int64_t *number)
{
	const int64_t *i = s->index;
	(void)context;
	*number = (int64_t)(hash_mix((uint64_t)(s->p + 3 * (i[0] + 5 * (i[1] + 20 * i[2])))) % 97);
	return i[2] < 2 || (!s->p && !i[0] && !i[1]);
}

static void test_joined(void)
{
	struct region r = {.processes = 3, .extent = {5, 20, 3000}};
	struct seen seen;
	see_all(&seen, &r, one_goes_far, NULL);
	struct store *store = store_new(r.processes, &r.grid);
	struct fit *fit = fit_new(store, r.processes, &r.grid);
	struct said f = said_of(store, fit_points(fit, FIT_NUMBER, &seen.points), FIT_NUMBER, seen.lives);
	const struct argument *argument = f.value.lookup.argument;
	CU_ASSERT(f.said && is_right(&f, FIT_NUMBER, &r.grid, &seen));
	CU_ASSERT(argument[2].inside.index[2] == 1 && !argument[2].inside.index[1] && !argument[1].inside.index[2]);
	fit_free(fit);
	store_free(store);
	seen_clear(&seen);
}

/* ------------------------------------------------------------------ at random */

enum kind { CONSTANT, AFFINE, REMAINDER, POWER, DIGITS, TABLE, TABLE_OF_TWO, PRODUCT, TABLE_BESIDE, KINDS };
static const char *const kind_name[KINDS] = {
	"constant", "affine", "remainder", "power", "digits", "table", "table of two", "product", "table and formula"};

static int64_t up_to(uint64_t *odds, int64_t most)
{
	return (int64_t)(hash_mix(*odds += UINT64_C(0x9e3779b97f4a7c15)) % ((uint64_t)most + 1));
}

static struct region region_at_random(uint64_t *odds)
{
	struct region r = {.processes = (uint32_t)(1 + up_to(odds, 15))};
	if (up_to(odds, 1)) {
		r.grid = (struct grid){2, {(uint32_t)(2 + up_to(odds, 3)), (uint32_t)(2 + up_to(odds, 3))}};
		r.processes = r.grid.size[0] * r.grid.size[1];
	}
	for (int64_t d = 0, loops = up_to(odds, 2); d < loops; d++)
		r.extent[d] = 1 + up_to(odds, 11);
	r.triangle = r.extent[1] && !up_to(odds, 3);
	return r;
}

/* p, a coordinate, or an index */
static struct affine source_at_random(uint64_t *odds, const struct region *r, uint32_t *size)
{
	struct affine a = {0};
	int64_t which = up_to(odds, 3);
	bool index = (which & 1) && r->extent[0];
	int64_t d = r->extent[1] ? up_to(odds, 1) : 0, k = up_to(odds, 1);
	*size = index ? (uint32_t)r->extent[d] : r->grid.axes ? r->grid.size[k] : r->processes;
	if (index)
		a.index[d] = 1;
	else if (r->grid.axes)
		a.axis[k] = 1;
	else
		a.p = 1;
	return a;
}

static void add_affine(uint64_t *odds, const struct region *r, struct value *v)
{
	uint32_t size;
	for (int64_t n = up_to(odds, 2); n >= 0; n--) {
		struct affine a = source_at_random(odds, r, &size);
		int64_t factor = up_to(odds, 40) - 20;
		v->plain.p += a.p * factor;
		for (int k = 0; k < 2; k++) {
			v->plain.axis[k] += a.axis[k] * factor;
			v->plain.index[k] += a.index[k] * factor;
		}
	}
}

static struct lookup lookup_at_random(uint64_t *odds, const struct region *r, uint32_t arguments)
{
	struct lookup l = {.factor = 1};
	uint32_t size[2] = {1, 1};
	struct table *t = table_new("t", arguments);
	for (uint32_t k = 0; k < arguments; k++)
		l.argument[k].inside = source_at_random(odds, r, &size[k]);
	for (uint32_t a = 0; a < size[0]; a++) {
		for (uint32_t b = 0; b < size[1]; b++)
			table_add(t, 1 + up_to(odds, 50));
		if (arguments > 1)
			table_end(t, 1);
	}
	table_finish(t);
	l.table = t;
	return l;
}

static struct value value_at_random(uint64_t *odds, const struct region *r, enum kind kind)
{
	struct value v = value_of(up_to(odds, 3000));
	uint32_t size, other;
	if (kind == AFFINE || kind == TABLE_BESIDE || (kind == REMAINDER && up_to(odds, 1)))
		add_affine(odds, r, &v);
	if (kind == REMAINDER) {
		v.remainder[0] =
			(struct remainder){source_at_random(odds, r, &size), 2 + up_to(odds, 4), 1 + up_to(odds, 9)};
		v.remainder[0].inside.constant = up_to(odds, v.remainder[0].modulus - 1);
	} else if (kind == POWER) {
		v.power[0] =
			(struct power){source_at_random(odds, r, &size), 2 + 2 * up_to(odds, 1), 1 + up_to(odds, 9)};
	} else if (kind == DIGITS) {
		struct affine a = source_at_random(odds, r, &size), b = source_at_random(odds, r, &other);
		a.p += b.p;
		for (int k = 0; k < 2; k++) {
			a.axis[k] += b.axis[k];
			a.index[k] += b.index[k];
		}
		v.remainder[0] = (struct remainder){a, r->grid.axes ? r->grid.size[0] : r->processes, 1};
	} else if (kind == TABLE || kind == TABLE_OF_TWO || kind == TABLE_BESIDE || kind == PRODUCT) {
		v.plain.constant = kind == TABLE_BESIDE ? v.plain.constant : 0;
		v.lookup = lookup_at_random(odds, r, kind == TABLE_OF_TWO ? 2 : 1);
		if (kind == PRODUCT)
			v.by = lookup_at_random(odds, r, 1);
	}
	return v;
}

struct holed {
	struct value value;
	uint64_t seed; /* of the holes; 0: none */
};

static bool value_here(const void *context, const struct spot *s, int64_t *number)
{
	const struct holed *h = context;
	uint64_t hole = h->seed + (uint64_t)s->p * 10007 + (uint64_t)s->index[0] * 101 + (uint64_t)s->index[1];
	if (h->seed && hash_mix(hole) % 8 == 0)
		return false;
	return value_fits(&h->value, s, number);
}

static uint32_t price_of_tables(struct tables *t, const struct value *v)
{
	return (uint32_t)(table_price(t, v->lookup.table) + table_price(t, v->by.table));
}

/* Dearer than what it was made of by at most so much: a short column is a table, as evidence
   lacks. */
#define SHORT_COLUMN 12
#define SLACK (COST_TABLE + COST_LOOKUP + SHORT_COLUMN * COST_ENTRY)

struct outcome {
	unsigned cheaper, same, dearer, worst;
};

static void try_at_random(uint64_t seed, struct outcome *outcomes)
{
	uint64_t odds = seed * 7919 + 1;
	enum kind kind = (enum kind)(seed % KINDS);
	struct region r = region_at_random(&odds);
	struct holed h = {value_at_random(&odds, &r, kind), up_to(&odds, 2) ? 0 : odds};
	struct seen seen;
	see_all(&seen, &r, value_here, &h);
	struct store *store = store_new(r.processes, &r.grid);
	struct fit *fit = fit_new(store, r.processes, &r.grid);
	struct tables *tables = tables_new();
	uint32_t made = value_price(tables, &h.value) + price_of_tables(tables, &h.value);
	struct said f = said_of(store, fit_points(fit, FIT_NUMBER, &seen.points), FIT_NUMBER, seen.lives);
	uint32_t price = f.price + f.table[0].price + f.table[1].price;
	struct outcome *o = &outcomes[kind];
	char why[64];
	snprintf(why, sizeof why, "seed %" PRIu64 ", %s", seed, kind_name[kind]);
	ROW(why, is_right(&f, FIT_NUMBER, &r.grid, &seen));
	ROW(why, price <= made + SLACK);
	o->cheaper += price < made;
	o->same += price == made;
	o->dearer += price > made;
	o->worst = price > made && price - made > o->worst ? price - made : o->worst;
	for (int formula = 0; formula < 2 && seen.points.count && is_whole(&r, &seen); formula++) {
		struct said found;
		bool said = fit_as_statement(&r, &seen, formula ? FIT_FORMULA : FIT_NUMBER, "t", &found);
		ROW(why, said || (formula && kind > AFFINE));
		ROW(why, !said || is_right(&found, FIT_NUMBER, &r.grid, &seen));
		ROW(why, !said || !formula || !found.table->table);
		said_clear(&found);
	}
	tables_free(tables);
	fit_free(fit);
	store_free(store);
	table_free((struct table *)h.value.lookup.table);
	table_free((struct table *)h.value.by.table);
	seen_clear(&seen);
}

/* ------------------------------------------------------------------ peers and conditions at
   random */

struct where {
	const struct region *region;
	struct place place;
};

static bool rank_here(const void *context, const struct spot *s, int64_t *number)
{
	const struct where *w = context;
	*number = place_at(&w->place, &w->region->grid, s);
	return *number >= 0 && *number < w->region->processes;
}

static struct place place_at_random(uint64_t *odds, const struct region *r)
{
	static const enum place_kind kinds[] = {
		PLACE_NUMBER, PLACE_OFFSET, PLACE_XOR, PLACE_RING, PLACE_GRID, PLACE_GRID};
	struct place place = place_of(kinds[up_to(odds, r->grid.axes ? 5 : 3)], up_to(odds, r->processes - 1));
	place.modulus = place.kind == PLACE_RING ? r->processes : 0;
	if (place.kind == PLACE_GRID) {
		int64_t turned = r->grid.size[0] == r->grid.size[1] && up_to(odds, 1);
		place = (struct place){.kind = PLACE_GRID};
		for (int k = 0; k < 2; k++) {
			place.axis[k].axis[turned ? 1 - k : k] = 1;
			place.axis[k].constant = up_to(odds, 4) - 2;
			place.axis[k].index[0] = r->extent[0] ? up_to(odds, 2) - 1 : 0;
		}
	} else if (r->extent[0]) {
		place.value.plain.index[0] = up_to(odds, 2) - 1;
	}
	return place;
}

struct told {
	int64_t period, at;
	bool every; /* once in a period, or once at all; by the rank */
	int64_t of_p;
};

static bool told_here(const void *context, const struct spot *s, int64_t *number)
{
	const struct told *c = context;
	int64_t sum = s->index[0] + c->of_p * s->p;
	*number = (c->every ? sum % c->period : sum) == c->at;
	return true;
}

static bool is_cheap(const struct said *f, uint32_t price)
{
	return f->price + f->table->price <= price;
}

/* Is a formula written as the reader of texts takes it? */
static bool reads_back(const struct place *place, const struct region *r)
{
	struct text text = {0};
	if (place_asks_table(place))
		return true;
	place_print(place, &r->grid, &text);
	struct program *p = program_saying(&r->grid, r->processes, "[p>=P] p send %s t", text.data);
	program_free(p);
	text_clear(&text);
	return p;
}

static void try_peer_and_condition(uint64_t seed)
{
	uint64_t odds = seed * 104729 + 3;
	struct region r = region_at_random(&odds);
	struct where w = {&r, place_at_random(&odds, &r)};
	struct told told = {2 + up_to(&odds, 6), 0, up_to(&odds, 1), up_to(&odds, 1)};
	told.at = up_to(&odds, told.period - 1);
	struct store *store = store_new(r.processes, &r.grid);
	struct fit *fit = fit_new(store, r.processes, &r.grid);
	struct seen seen;
	char why[64];
	snprintf(why, sizeof why, "seed %" PRIu64, seed);
	see_all(&seen, &r, rank_here, &w);
	struct said f = said_of(store, fit_points(fit, FIT_PEER, &seen.points), FIT_PEER, seen.lives);
	ROW(why, is_right(&f, FIT_PEER, &r.grid, &seen));
	ROW(why, is_cheap(&f, SLACK));
	ROW(why, reads_back(&f.place, &r));
	seen_clear(&seen);
	see_all(&seen, &r, told_here, &told);
	f = said_of(store, fit_points(fit, FIT_CONDITION, &seen.points), FIT_CONDITION, seen.lives);
	ROW(why, is_right(&f, FIT_CONDITION, &r.grid, &seen));
	ROW(why, is_cheap(&f, SLACK));
	seen_clear(&seen);
	fit_free(fit);
	store_free(store);
}

static void test_peers_at_random(void)
{
	for (uint64_t seed = 1; seed <= rounds(2000); seed++)
		try_peer_and_condition(seed);
}

static void test_at_random(void)
{
	struct outcome outcomes[KINDS] = {0};
	for (uint64_t seed = 1; seed <= rounds(2000); seed++)
		try_at_random(seed, outcomes);
	for (int k = 0; k < KINDS && soak_factor() > 1; k++)
		printf("%18s: %6u cheaper, %6u as dear, %6u dearer (%u hundredths at most)\n", kind_name[k],
			outcomes[k].cheaper, outcomes[k].same, outcomes[k].dearer, outcomes[k].worst);
}

/* ------------------------------------------------------------------ statements */

static int64_t late(int64_t p, const int64_t *index)
{
	return 8 + (index[0] >= 50000) + 0 * p;
}

static int64_t wave(int64_t p, const int64_t *index)
{
	return 100 * p + index[0] % 3 + 4 * index[1];
}

static int64_t noise(int64_t p, const int64_t *index)
{
	return (int64_t)(hash_mix((uint64_t)(p * 1000003 + index[0] * 1009 + index[1])) % 1000);
}

static int64_t noise_of_all(int64_t p, const int64_t *index)
{
	return noise(0 * p, index);
}

static int64_t inner_noise(int64_t p, const int64_t *index)
{
	return noise(0 * p, (const int64_t[]){0, index[1]});
}

/* Loops and guards as text; what each process executes: i1 ends where `inner` says. */
enum inner { NO_INNER, TEN, AS_OUTER, AS_RANK };

static const struct {
	const char *why, *program;
	int64_t outer, step; /* i0 goes so far; every so often */
	enum inner inner;
	int64_t (*number)(int64_t p, const int64_t *index);
	const char *value;
} statements[] = {
	{"what comes late is looked at, too", "for i0 = 0 to 99999", 100000, 1, NO_INNER, late, "$b[i0]"},
	{"some tell what all follow", "for i0 = 0 to 99999", 100000, 1, NO_INNER, wave, "{100*p+i0%3}"},
	{"a loop as long as the one around", "for i0 = 0 to 199 / [0-1] for i1 = 0 to {i0}", 200, 1, AS_OUTER, wave,
		"{100*p+4*i1+i0%3}"},
	{"a loop as long as the rank, none of one", "for i0 = 0 to 199 / [0-1] for i1 = 0 to {-1+p}", 200, 1, AS_RANK,
		wave, "{100+i0%3}"},
	{"under a guard", "for i0 = 0 to 199 / if {i0%5} = 0", 200, 5, NO_INNER, wave, "{100*p+i0%3}"},
	{"noise in the inner loop", "for i0 = 0 to 999 / [0-1] for i1 = 0 to 9", 1000, 1, TEN, inner_noise, "$b[i1]"},
	{"noise, the same of all", "for i0 = 0 to 9999", 10000, 1, NO_INNER, noise_of_all, "$b[i0]"},
	{"noise of each", "for i0 = 0 to 999 / [0-1] for i1 = 0 to 9", 1000, 1, TEN, noise, "$b[p,i0,i1]"},
	{"more of it than is looked at", "for i0 = 0 to 59999 / [0-1] for i1 = 0 to 9", 60000, 1, TEN, noise,
		"$b[p,10*i0+i1]"},
	{"in rows that end early", "for i0 = 0 to 1199 / [0-1] for i1 = 0 to {i0}", 1200, 1, AS_OUTER, noise,
		"$b[p,1200*i0+i1]"},
};

static int64_t length_of_inner(enum inner inner, int64_t p, int64_t outer)
{
	return inner == NO_INNER ? 1 : inner == TEN ? 10 : inner == AS_OUTER ? outer + 1 : p;
}

/* Push the numbers; NULL: count those that the value is not. */
static unsigned go_through(size_t row, int64_t p, struct series *series, const struct grid *g, const struct value *v)
{
	int64_t index[INDEX_DEPTH] = {0};
	unsigned wrong = 0;
	for (; index[0] < statements[row].outer; index[0] += statements[row].step)
		for (index[1] = 0; index[1] < length_of_inner(statements[row].inner, p, index[0]); index[1]++) {
			int64_t number = statements[row].number(p, index);
			struct spot spot = grid_spot(g, (uint32_t)p);
			spot.index = index;
			if (series)
				series_push(series, number);
			else
				wrong += value_at(v, &spot) != number;
		}
	return wrong;
}

static void test_statements(void)
{
	for (size_t i = 0; i < COUNT(statements); i++) {
		struct text row = {0}, out = {0};
		size_t loops = 1;
		for (const char *at = statements[i].program; (at = strchr(at, '/')); at++)
			loops++;
		text_format(&row, "[0-1] %s / [0-1] p local x", statements[i].program);
		for (size_t k = 0; k < loops; k++)
			text_put(&row, " / done");
		struct text text = lines_of_row("// tracenest 1\n// processes 2\n", row.data);
		struct program *p = program_of(text.data);
		const struct program_nodes *n = program_nodes(p, &(struct error){0});
		struct store *store = n->module->store;
		struct fit *fit = fit_new(store, 2, &p->grid);
		struct series *series[] = {series_new(), series_new()};
		struct fit_series member[] = {{0, series[0]}, {1, series[1]}};
		struct value v;
		for (uint32_t rank = 0; rank < 2; rank++) {
			go_through(i, rank, series[rank], &p->grid, NULL);
			series_finish(series[rank]);
		}
		size_t around[NEST_DEPTH_LIMIT];
		uint32_t loop[LOOPS], level = 0, depth = program_loops_around(p, innermost(p), around);
		for (uint32_t d = 0; d < depth; d++)
			if (statement_guard(&p->statement[around[d]]) == GUARD_NONE)
				loop[level++] = d;
		node_id number = fit_statement(fit, FIT_SIZE, n->run, n->line[innermost(p)], member, 2, "b");
		ROW(statements[i].why, number && value_of_node(store, number, loop, level, &v));
		value_print(&v, &out);
		row_same(statements[i].why, out.data, statements[i].value);
		for (uint32_t rank = 0; rank < 2; rank++) {
			ROW(statements[i].why, !go_through(i, rank, NULL, &p->grid, &v));
			series_free(series[rank]);
		}
		fit_free(fit);
		program_free(p);
		text_clear(&row);
		text_clear(&text);
		text_clear(&out);
	}
}

/* More points than are looked at first: one that contradicts the few counts. */
static void test_many_points(void)
{
	enum { PROCESSES = 256, ITERATIONS = 200, POINTS = PROCESSES * ITERATIONS };
	static const struct {
		const char *why, *value;
		int64_t wrong;
	} many[] = {{"what few tell is right for all", "{p+3*i0}", 0}, {"one point contradicts it", NULL, 1}};
	static uint32_t process[POINTS];
	static int64_t index[POINTS], number[POINTS];
	const uint32_t live = 0;
	for (size_t i = 0; i < COUNT(many); i++) {
		struct text out = {0};
		struct store *store = store_new(PROCESSES, &(struct grid){0});
		struct fit *fit = fit_new(store, PROCESSES, &(struct grid){0});
		for (uint32_t k = 0; k < POINTS; k++) {
			process[k] = k / ITERATIONS;
			index[k] = k % ITERATIONS;
			number[k] = process[k] + 3 * index[k] + (k == POINTS / 3 ? many[i].wrong : 0);
		}
		struct said f = said_of(store,
			fit_points(fit, FIT_SIZE, &(struct fit_points){process, index, number, POINTS, &live, 1, NULL}),
			FIT_SIZE, 1);
		unsigned wrong = 0;
		for (uint32_t k = 0; k < POINTS; k++) {
			struct spot spot = {.p = process[k], .index = &index[k]};
			wrong += value_at(&f.value, &spot) != number[k];
		}
		ROW(many[i].why, f.said && !wrong);
		value_print(&f.value, &out);
		if (many[i].value)
			row_same(many[i].why, out.data, many[i].value);
		text_clear(&out);
		fit_free(fit);
		store_free(store);
	}
}

void suite_fit_number(CU_pSuite suite)
{
	CU_add_test(suite, "columns of numbers", test_rows);
	CU_add_test(suite, "arguments joined", test_joined);
	CU_add_test(suite, "random functions on random domains", test_at_random);
	CU_add_test(suite, "random peers and conditions", test_peers_at_random);
	CU_add_test(suite, "executions of a statement", test_statements);
	CU_add_test(suite, "many points", test_many_points);
}
