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
#include "model/run.h"
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

/* What stands somewhere, in an environment of three loops. */
typedef bool number_there(const void *context, struct environment *, int64_t *number);

/* The points of a region at which there is a number, as seen from three loops. */
static void see_all(struct seen *to, struct store *store, const struct region *r, number_there *at, const void *context)
{
	int64_t index[LOOPS] = {0};
	struct environment e = {
		.store = store, .processes = r->processes, .grid = r->grid, .index = index, .depth = LOOPS};
	*to = (struct seen){0};
	while (to->lives < LOOPS && r->extent[to->lives])
		to->lives++;
	for (uint32_t k = 0; k < to->lives; k++)
		to->live[k] = LOOPS - 1 - k;
	to->points.live = to->live;
	to->points.lives = to->lives;
	uint32_t last = r->last ? r->last : r->processes - 1;
	for (uint32_t p = r->first; p <= last; p++)
		for (bool more = true; more;) {
			int64_t number;
			environment_move(&e, p);
			e.failure = FAILURE_NONE;
			if ((!r->triangle || index[1] <= index[0]) && at(context, &e, &number))
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

/* depth: loops that it is seen from. */
static bool is_right(struct store *s, node_id number, uint32_t depth, const struct region *r, const struct seen *seen)
{
	int64_t index[LOOPS] = {0};
	struct environment e = {.store = s, .processes = r->processes, .grid = r->grid, .index = index, .depth = depth};
	bool test = node_of(s, number)->kind == NODE_TEST, good = number;
	for (size_t i = 0; i < seen->points.count && good; i++) {
		environment_move(&e, seen->process[i]);
		memcpy(index, seen->index + i * seen->lives, seen->lives * sizeof *index);
		good = (test ? test_holds(&e, number) : number_at(&e, number)) == seen->number[i] && !e.failure;
	}
	return good;
}

static const struct table *table_of(const struct store *s, node_id id)
{
	return store_get_table(s, (uint32_t)node_of(s, id)->number);
}

/* ------------------------------------------------------------------ executions of a statement */

static struct module *module_of_text(const char *text)
{
	struct error error;
	struct module *m = module_parse("test", text, strlen(text), &error);
	if (!m)
		printf("\n%s\n", error.message);
	CU_ASSERT_FATAL(m != NULL);
	return m;
}

/* The region as a program: the event is behind the lines of the loops. */
static struct module *module_around(const struct region *r, const struct seen *seen)
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
	struct module *m = module_of_text(text.data);
	text_clear(&text);
	text_clear(&who);
	return m;
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

/* As seen from the loops that there are, in the store of the module. */
static node_id fit_as_statement(const struct module *m, const struct seen *seen, enum fit_what what, const char *name)
{
	struct fit_series member[PROCESSES_MOST];
	struct series *series[PROCESSES_MOST];
	struct run *run = run_new(m, NULL);
	struct fit *fit = fit_new(m->store, m->processes, &m->grid);
	size_t count = series_of(seen, member, series);
	node_id found = fit_statement(fit, what, run, seen->lives, member, count, name);
	for (size_t i = 0; i < count; i++)
		series_free(series[i]);
	fit_free(fit);
	run_free(run);
	return found;
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
	{"one number", FIT_NUMBER, {LINE(4), .extent = {5}}, "= 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7", "7"},
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
	{"at the root", FIT_SIZE, {LINE(4)}, "{40 at 0}", NULL},
	{"... and everywhere else", FIT_SIZE, {LINE(4)}, "{40 not at 2}", NULL},
	{"... as much as an index tells", FIT_SIZE, {LINE(4), .extent = {5}}, "{8*4^i0 at 3}", NULL},
	{"... at roots that take turns", FIT_SIZE, {LINE(4), .extent = {8}}, "{40 at i0%4}", NULL},
	{"... by a table", FIT_SIZE, {LINE(4), .extent = {4}}, "= 3 1 4 9 0 0 0 0 0 0 0 0 0 0 0 0",
		"{$b[i0] at 0} : 3 1 4 9"},
	{"... of two", FIT_SIZE, {LINE(2), .extent = {5}}, "{40 at 0}", NULL},
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
	{"always", FIT_CONDITION, {LINE(1), .extent = {3}}, "= 1 1 1", "1"},
	{"what goes with events that are there needs none", FIT_DATA, {LINE(2)}, "= 8 40", "{8+32*p}"},
	{"of words it is which one", FIT_DATA, {LINE(2), .extent = {2}}, "= 0 1 0 1", "{i0}"},
	{"of more a table", FIT_DATA, {LINE(5)}, "= 0 0 1 0 2", "$t[p] : 0 0 1 0 2"},
	{"without a table two numbers are a law", FIT_FORMULA, {LINE(2)}, "= 8 40", "{8+32*p}"},
};

static bool number_of(const void *context, struct environment *e, int64_t *number)
{
	const node_id *said = context;
	bool test = node_of(e->store, *said)->kind == NODE_TEST;
	*number = test ? test_holds(e, *said) : number_at(e, *said);
	return true;
}

static bool number_in_list(const void *context, struct environment *e, int64_t *number)
{
	const char **at = (const char **)context;
	char *end;
	(void)e;
	*at += strspn(*at, " ");
	bool none = **at == '-' && ((*at)[1] == ' ' || !(*at)[1]);
	*number = none ? 0 : strtoll(*at, &end, 10);
	*at = none ? *at + 1 : end;
	return !none;
}

/* A statement in three loops, of any number of processes: nobody has checked what it comes to. */
static struct module *module_saying(uint32_t axes, const char *format, const char *said)
{
	struct text text = {0};
	struct error error = {0};
	header_put_parametric(&text, axes);
	text_put(&text, "for i0 = 0 to 0\nfor i1 = 0 to 0\nfor i2 = 0 to 0\n");
	text_format(&text, format, said);
	text_put(&text, "\ndone\ndone\ndone\n");
	struct module *m = module_parse("said", text.data, text.length, &error);
	if (!m)
		printf("\n%s: %s\n", said, error.message);
	text_clear(&text);
	return m;
}

/* Its number. */
static node_id number_said(const struct module *m, enum fit_what what)
{
	const struct node *n = node_of(m->store, node_kid(m->store, m->body, 0));
	while (n->kind == NODE_LOOP)
		n = node_of(m->store, node_kid(m->store, n->kid[2], 0));
	return what == FIT_CONDITION ? n->kid[1]
	       : is_place(what)      ? n->kid[COLUMN_PEER]
				     : node_kid(m->store, n->kid[COLUMNS], 0);
}

static bool see_row(struct seen *to, const struct region *r, enum fit_what what, const char *numbers)
{
	if (*numbers == '=') {
		const char *at = numbers + 1;
		see_all(to, NULL, r, number_in_list, &at);
		return true;
	}
	struct module *m = module_saying(r->grid.axes,
		is_place(what)          ? "[p>=P] p send %s t"
		: what == FIT_CONDITION ? "if %s\n[p>=0] p local a\ndone"
					: "[p>=0] p local a ; v=%s",
		numbers);
	if (!m)
		return false;
	node_id said = number_said(m, what);
	see_all(to, m->store, r, number_of, &said);
	module_free(m);
	return true;
}

/* With the tables that it looks up. */
static void print_found(const struct module *m, node_id number, enum fit_what what, uint32_t depth, struct text *out)
{
	if (is_place(what))
		node_print_place(m, number, depth, out);
	else
		node_print(m, number, depth, out);
	for (uint32_t k = 0; number_table(m->store, number, k); k++) {
		node_id table = number_table(m->store, number, k);
		if (k && table == number_table(m->store, number, k - 1))
			continue;
		text_put(out, " :");
		table_print(table_of(m->store, table), out, NULL, NULL);
	}
}

static void same_as_statement(const char *why, const struct module *m, const struct region *r, const struct seen *seen,
	enum fit_what what, node_id of_points, const char *want)
{
	struct text out = {0};
	node_id table = number_table(m->store, of_points, 0);
	const char *name = table ? store_get_word(m->store, node_of(m->store, table)->word) : "";
	struct module *around = module_around(r, seen);
	node_id found = fit_as_statement(around, seen, what, name);
	ROW(why, found);
	print_found(around, found, what, seen->lives, &out);
	row_same(why, out.data, want);
	module_free(around);
	text_clear(&out);
}

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct region *r = &rows[i].region;
		enum fit_what what = rows[i].what;
		struct seen seen;
		struct text out = {0};
		struct module *m = module_new(r->processes, &r->grid);
		struct fit *fit = fit_new(m->store, r->processes, &r->grid);
		bool good = see_row(&seen, r, what, rows[i].numbers);
		ROW(rows[i].why, good);
		if (good) {
			const struct fitted *f = fit_points(fit, what, &seen.points);
			print_found(m, f->number, what, LOOPS, &out);
			ROW(rows[i].why, is_right(m->store, f->number, LOOPS, r, &seen));
			row_same(rows[i].why, out.data, rows[i].found ? rows[i].found : rows[i].numbers);
			bool one = !f->table[1].table;
			if (!is_place(what) && what != FIT_CONDITION && one && is_whole(r, &seen))
				same_as_statement(rows[i].why, m, r, &seen, what, f->number, out.data);
			seen_clear(&seen);
		}
		fit_free(fit);
		module_free(m);
		text_clear(&out);
	}
}

/* ------------------------------------------------------------------ more than a table has */

/* One loop goes far, all others twice. */
static bool one_goes_far(const void *context, struct environment *e, int64_t *number)
{
	const int64_t *i = e->index;
	(void)context;
	*number = (int64_t)(hash_mix((uint64_t)(e->p + 3 * (i[0] + 5 * (i[1] + 20 * i[2])))) % 97);
	return i[2] < 2 || (!e->p && !i[0] && !i[1]);
}

static void test_joined(void)
{
	struct region r = {.processes = 3, .extent = {5, 20, 3000}};
	struct seen seen;
	struct store *s = store_new(r.processes, &r.grid);
	see_all(&seen, s, &r, one_goes_far, NULL);
	struct fit *fit = fit_new(s, r.processes, &r.grid);
	node_id found = fit_points(fit, FIT_NUMBER, &seen.points)->number;
	const struct node *entry = node_of(s, number_single(s, found));
	CU_ASSERT(is_right(s, found, LOOPS, &r, &seen));
	CU_ASSERT_FATAL(entry->kind == NODE_ENTRY && entry->kids == 1 + TABLE_ARGUMENTS);
	CU_ASSERT_EQUAL(entry->kid[3], number_variable(s, VARIABLE_INDEX)); /* the one that goes far */
	CU_ASSERT(!(node_of(s, entry->kid[2])->uses[FOR_ALL] & USES_INDEX(0)));
	fit_free(fit);
	store_free(s);
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
static node_id source_at_random(struct store *s, uint64_t *odds, const struct region *r, uint32_t *size)
{
	int64_t which = up_to(odds, 3);
	bool index = (which & 1) && r->extent[0];
	int64_t d = r->extent[1] ? up_to(odds, 1) : 0, k = up_to(odds, 1);
	*size = index ? (uint32_t)r->extent[d] : r->grid.axes ? r->grid.size[k] : r->processes;
	return number_variable(s, index ? VARIABLE_INDEX + LOOPS - 1 - d : r->grid.axes ? VARIABLE_X + k : VARIABLE_P);
}

static node_id entry_at_random(struct store *s, uint64_t *odds, const struct region *r, uint32_t arguments)
{
	node_id argument[2];
	uint32_t size[2] = {1, 1};
	struct table *t = table_new("t", arguments);
	for (uint32_t k = 0; k < arguments; k++)
		argument[k] = source_at_random(s, odds, r, &size[k]);
	for (uint32_t a = 0; a < size[0]; a++) {
		for (uint32_t b = 0; b < size[1]; b++)
			table_add(t, 1 + up_to(odds, 50));
		if (arguments > 1)
			table_end(t, 1);
	}
	table_finish(t);
	node_id table = node_make(s, NODE_TABLE, 0, store_word(s, "t", 1), store_table(s, t), 0, NULL);
	return number_entry(s, table, argument, arguments);
}

static node_id number_at_random(struct store *s, uint64_t *odds, const struct region *r, enum kind kind)
{
	bool table = kind == TABLE || kind == TABLE_OF_TWO || kind == PRODUCT;
	int64_t constant = up_to(odds, 3000);
	node_id sum = number_constant(s, table ? 0 : constant);
	uint32_t size;
	if (kind == AFFINE || kind == TABLE_BESIDE || (kind == REMAINDER && up_to(odds, 1)))
		for (int64_t n = up_to(odds, 2); n >= 0; n--) {
			node_id source = source_at_random(s, odds, r, &size);
			sum = number_add(s, sum, source, up_to(odds, 40) - 20);
		}
	if (kind == REMAINDER) {
		node_id inside = source_at_random(s, odds, r, &size);
		int64_t modulus = 2 + up_to(odds, 4), factor = 1 + up_to(odds, 9);
		inside = number_add(s, inside, number_constant(s, up_to(odds, modulus - 1)), 1);
		return number_add(s, sum, number_remainder(s, inside, number_constant(s, modulus)), factor);
	}
	if (kind == POWER) {
		node_id exponent = source_at_random(s, odds, r, &size);
		node_id base = number_constant(s, 2 + 2 * up_to(odds, 1));
		return number_add(s, sum, number_power(s, base, exponent), 1 + up_to(odds, 9));
	}
	if (kind == DIGITS) {
		node_id a = source_at_random(s, odds, r, &size), b = source_at_random(s, odds, r, &size);
		node_id modulus = number_constant(s, r->grid.axes ? r->grid.size[0] : r->processes);
		return number_add(s, sum, number_remainder(s, number_add(s, a, b, 1), modulus), 1);
	}
	if (kind == PRODUCT) {
		node_id left = entry_at_random(s, odds, r, 1);
		return number_multiply(s, left, entry_at_random(s, odds, r, 1));
	}
	return table || kind == TABLE_BESIDE
		       ? number_add(s, sum, entry_at_random(s, odds, r, kind == TABLE_OF_TWO ? 2 : 1), 1)
		       : sum;
}

struct holed {
	node_id number;
	uint64_t seed; /* of the holes; 0: none */
};

static bool value_here(const void *context, struct environment *e, int64_t *number)
{
	const struct holed *h = context;
	uint64_t hole = h->seed + (uint64_t)e->p * 10007 + (uint64_t)e->index[0] * 101 + (uint64_t)e->index[1];
	if (h->seed && hash_mix(hole) % 8 == 0)
		return false;
	*number = number_at(e, h->number);
	return !e->failure;
}

static uint32_t price_with_tables(const struct store *s, struct tables *t, node_id number)
{
	node_id table = number_table(s, number, 0), other = number_table(s, number, 1);
	return number_price(s, t, number) + (uint32_t)(table_price(s, t, table) + table_price(s, t, other));
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
	struct store *store = store_new(r.processes, &r.grid);
	node_id number = number_at_random(store, &odds, &r, kind);
	struct holed h = {number, up_to(&odds, 2) ? 0 : odds};
	struct seen seen;
	see_all(&seen, store, &r, value_here, &h);
	struct fit *fit = fit_new(store, r.processes, &r.grid);
	struct tables *tables = tables_new(store);
	uint32_t made = price_with_tables(store, tables, number);
	const struct fitted *f = fit_points(fit, FIT_NUMBER, &seen.points);
	uint32_t price = f->price + f->table[0].price + f->table[1].price;
	struct outcome *o = &outcomes[kind];
	char why[64];
	snprintf(why, sizeof why, "seed %" PRIu64 ", %s", seed, kind_name[kind]);
	ROW(why, is_right(store, f->number, LOOPS, &r, &seen));
	ROW(why, price <= made + SLACK);
	o->cheaper += price < made;
	o->same += price == made;
	o->dearer += price > made;
	o->worst = price > made && price - made > o->worst ? price - made : o->worst;
	for (int formula = 0; formula < 2 && seen.points.count && is_whole(&r, &seen); formula++) {
		struct module *around = module_around(&r, &seen);
		node_id found = fit_as_statement(around, &seen, formula ? FIT_FORMULA : FIT_NUMBER, "t");
		ROW(why, found || (formula && kind > AFFINE));
		ROW(why, !found || is_right(around->store, found, seen.lives, &r, &seen));
		ROW(why, !found || !formula || !number_table(around->store, found, 0));
		module_free(around);
	}
	tables_free(tables);
	fit_free(fit);
	store_free(store);
	seen_clear(&seen);
}

/* ------------------------------------------------------------------ peers and conditions at
   random */

struct where {
	const struct region *region;
	node_id place;
};

static bool rank_here(const void *context, struct environment *e, int64_t *number)
{
	const struct where *w = context;
	*number = number_at(e, w->place);
	return !e->failure && *number >= 0 && *number < w->region->processes;
}

static node_id grid_at_random(struct store *s, uint64_t *odds, const struct region *r)
{
	int64_t turned = r->grid.size[0] == r->grid.size[1] && up_to(odds, 1);
	node_id axis[2];
	for (int64_t k = 0; k < 2; k++) {
		axis[k] = number_variable(s, VARIABLE_X + (turned ? 1 - k : k));
		axis[k] = number_add(s, axis[k], number_constant(s, up_to(odds, 4) - 2), 1);
		if (r->extent[0])
			axis[k] = number_add(
				s, axis[k], number_variable(s, VARIABLE_INDEX + LOOPS - 1), up_to(odds, 2) - 1);
	}
	return number_grid(s, axis, 2);
}

static node_id place_at_random(struct store *s, uint64_t *odds, const struct region *r)
{
	int64_t kind = up_to(odds, r->grid.axes ? 5 : 3);
	node_id own = number_variable(s, VARIABLE_P), number = number_constant(s, up_to(odds, r->processes - 1));
	if (kind > 3)
		return grid_at_random(s, odds, r);
	if (r->extent[0])
		number = number_add(s, number, number_variable(s, VARIABLE_INDEX + LOOPS - 1), up_to(odds, 2) - 1);
	if (kind == 0)
		return number;
	if (kind == 2)
		return number_xor(s, number);
	number = number_add(s, own, number, 1);
	return kind == 1 ? number : number_remainder(s, number, number_constant(s, r->processes));
}

struct told {
	int64_t period, at;
	bool every; /* once in a period, or once at all; by the rank */
	int64_t of_p;
};

static bool told_here(const void *context, struct environment *e, int64_t *number)
{
	const struct told *c = context;
	int64_t sum = e->index[0] + c->of_p * e->p;
	*number = (c->every ? sum % c->period : sum) == c->at;
	return true;
}

static bool is_cheap(const struct fitted *f, uint32_t price)
{
	return f->price + f->table->price <= price;
}

/* Is a formula written as the reader of texts takes it, who makes the same of it? */
static bool reads_back(const struct module *m, node_id place)
{
	struct text text = {0}, again = {0};
	bool good = node_of(m->store, place)->looks;
	node_print_place(m, place, LOOPS, &text);
	struct module *read = good ? NULL : module_saying(m->grid.axes, "[p>=P] p send %s t", text.data);
	if (read) {
		node_print_place(read, number_said(read, FIT_PEER), LOOPS, &again);
		good = !strcmp(text.data, again.data);
	}
	module_free(read);
	text_clear(&text);
	text_clear(&again);
	return good;
}

static void try_peer_and_condition(uint64_t seed)
{
	uint64_t odds = seed * 104729 + 3;
	struct region r = region_at_random(&odds);
	struct module *m = module_new(r.processes, &r.grid);
	struct where w = {&r, place_at_random(m->store, &odds, &r)};
	struct told told = {2 + up_to(&odds, 6), 0, up_to(&odds, 1), up_to(&odds, 1)};
	told.at = up_to(&odds, told.period - 1);
	struct fit *fit = fit_new(m->store, r.processes, &r.grid);
	struct seen seen;
	char why[64];
	snprintf(why, sizeof why, "seed %" PRIu64, seed);
	see_all(&seen, m->store, &r, rank_here, &w);
	const struct fitted *f = fit_points(fit, FIT_PEER, &seen.points);
	ROW(why, is_right(m->store, f->number, LOOPS, &r, &seen));
	ROW(why, is_cheap(f, SLACK));
	ROW(why, reads_back(m, f->number));
	seen_clear(&seen);
	see_all(&seen, m->store, &r, told_here, &told);
	f = fit_points(fit, FIT_CONDITION, &seen.points);
	ROW(why, is_right(m->store, f->number, LOOPS, &r, &seen));
	ROW(why, is_cheap(f, SLACK));
	seen_clear(&seen);
	fit_free(fit);
	module_free(m);
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

/* Push the numbers; NULL: count those that the found number is not. */
static unsigned go_through(size_t row, uint32_t p, struct series *series, const struct module *m, node_id found)
{
	int64_t index[2] = {0};
	struct environment e = module_environment(m);
	unsigned wrong = 0;
	environment_set(&e, p);
	e.index = index;
	e.depth = statements[row].inner == NO_INNER ? 1 : 2;
	for (; index[0] < statements[row].outer; index[0] += statements[row].step)
		for (index[1] = 0; index[1] < length_of_inner(statements[row].inner, p, index[0]); index[1]++) {
			int64_t number = statements[row].number(p, index);
			if (series)
				series_push(series, number);
			else
				wrong += number_at(&e, found) != number || e.failure;
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
		struct module *m = module_of_text(text.data);
		struct run *run = run_new(m, NULL);
		struct fit *fit = fit_new(m->store, 2, &m->grid);
		struct series *series[] = {series_new(), series_new()};
		struct fit_series member[] = {{0, series[0]}, {1, series[1]}};
		for (uint32_t rank = 0; rank < 2; rank++) {
			go_through(i, rank, series[rank], m, NODE_NONE);
			series_finish(series[rank]);
		}
		node_id found = fit_statement(fit, FIT_SIZE, run, loops, member, 2, "b");
		ROW(statements[i].why, found);
		node_print(m, found, statements[i].inner == NO_INNER ? 1 : 2, &out);
		row_same(statements[i].why, out.data, statements[i].value);
		for (uint32_t rank = 0; rank < 2; rank++) {
			ROW(statements[i].why, !go_through(i, rank, NULL, m, found));
			series_free(series[rank]);
		}
		fit_free(fit);
		run_free(run);
		module_free(m);
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
		struct module *m = module_new(PROCESSES, &(struct grid){0});
		struct fit *fit = fit_new(m->store, PROCESSES, &(struct grid){0});
		for (uint32_t k = 0; k < POINTS; k++) {
			process[k] = k / ITERATIONS;
			index[k] = k % ITERATIONS;
			number[k] = process[k] + 3 * index[k] + (k == POINTS / 3 ? many[i].wrong : 0);
		}
		struct fit_points points = {process, index, number, POINTS, &live, 1, NULL};
		node_id found = fit_points(fit, FIT_SIZE, &points)->number;
		struct environment e = module_environment(m);
		unsigned wrong = 0;
		e.depth = 1;
		for (uint32_t k = 0; k < POINTS; k++) {
			environment_move(&e, process[k]);
			e.index = &index[k];
			wrong += number_at(&e, found) != number[k] || e.failure;
		}
		ROW(many[i].why, found && !wrong);
		node_print(m, found, 1, &out);
		if (many[i].value)
			row_same(many[i].why, out.data, many[i].value);
		text_clear(&out);
		fit_free(fit);
		module_free(m);
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
