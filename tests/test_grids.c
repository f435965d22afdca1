/*
 * test_grids.c -- the grid that messages and groups tell.
 */
#include <stdlib.h>
#include <string.h>

#include "merge/tag_names.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define MOVES 26

/* Processes on a grid, fastest axis first; each sends along each move that does not lead out, or
   round the axes. */
struct traffic {
	struct grid_pair pair[2048];
	struct ranks group[64];
	size_t pairs, groups;
};

static const struct {
	const char *why;
	uint32_t size[3]; /* of the grid that the program has; 0: no such axis */
	/* x right, y, z up; capital letters: back; x2: of every second; p: round the line of all; b2: to
	   whose number differs in that bit; t: coordinates exchanged; a tag for each word */
	const char *moves;
	bool round, gathers; /* all to 0, too */
	int lines; /* groups along this axis; -1: none */
	uint32_t found[3];
	bool better;
} rows[] = {
	{"an open grid", {4, 3}, "x X y Y", false, false, -1, {4, 3}, true},
	{"the other way round", {3, 4}, "x X y Y", false, false, -1, {3, 4}, true},
	{"a torus", {4, 4}, "x X y Y", true, false, -1, {4, 4}, true},
	{"what is gathered by one of them hides nothing", {3, 4}, "x X y Y", false, true, -1, {3, 4}, true},
	{"three axes", {3, 3, 3}, "x X y Y z Z", false, false, -1, {3, 3, 3}, true},
	{"no longer axes than there are: corners and edges", {2, 3, 3},
		"x X y Y z Z xy xY Xy XY xz xZ Xz XZ yz yZ Yz YZ xyz xyZ xYz xYZ Xyz XyZ XYz XYZ", false, false, -1,
		{2, 3, 3}, true},
	{"a ring beside it hides nothing", {3, 4}, "x X p", false, false, -1, {3, 4}, true},
	{"nor does a butterfly", {2, 4}, "y Y b1,b2,b4", true, false, -1, {2, 4}, true},
	{"which alone has none", {2, 4}, "b1,b2,b4", true, false, -1, {2, 2, 2}, false},
	{"coordinates exchanged", {4, 4}, "t", true, false, -1, {4, 4}, true},
	{"a ring has none", {12, 1}, "x", true, false, -1, {3, 4}, false},
	{"nor has a line", {12, 1}, "x X", false, false, -1, {3, 4}, false},
	{"groups alone tell", {4, 3}, "", false, false, 0, {4, 3}, true},
	{"also those across", {4, 3}, "", false, false, 1, {4, 3}, true},
	{"nor have the levels of a line", {16, 1}, "x,X x2,X2 x4,X4", false, false, -1, {4, 2, 2}, false},
	{"the levels of a grid", {8, 8}, "x X y Y x2 X2 y2 Y2", false, false, -1, {8, 8}, true},
	{"a prime number of processes", {7, 1}, "x", true, false, -1, {0}, false},
};

static bool step(const uint32_t *size, const char *move, bool round, uint32_t from, uint32_t *to)
{
	uint32_t below = 1, given = (uint32_t)strtoul(move + strspn(move, "xyzXYZpbt"), NULL, 10),
		 far = given ? given : 1;
	bool inside = true;
	*to = *move == 'p' ? (from + 1) % (size[0] * size[1]) : *move == 'b' ? from ^ far : 0;
	if (*move == 't')
		*to = from % size[0] * size[0] + from / size[0];
	if (strchr("pbt", *move))
		return *to != from;
	for (int k = 0; k < 3; k++) {
		uint32_t extent = size[k] ? size[k] : 1, at = from / below % extent;
		for (const char *m = move; *m && *m != ' ' && *m != ','; m++) {
			if ((*m | 32) - 'x' != k)
				continue;
			inside = inside && at % far == 0 && (*m & 32 ? at + far < extent : at >= far);
			at = (at + (*m & 32 ? far : extent - far)) % extent;
		}
		*to += at * below;
		below *= extent;
	}
	return inside || round;
}

static void add_lines(struct traffic *t, const uint32_t *size, int axis, uint32_t processes)
{
	uint32_t below = 1;
	for (int k = 0; k < axis; k++)
		below *= size[k];
	for (uint32_t first = 0; first < processes; first++) {
		if (first / below % size[axis])
			continue;
		struct ranks *set = &t->group[t->groups++];
		for (uint32_t i = 0; i < size[axis]; i++)
			ranks_add(set, first + i * below);
	}
}

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		static struct traffic t;
		const uint32_t *size = rows[i].size;
		uint32_t processes = size[0] * size[1] * (size[2] ? size[2] : 1), to;
		struct grid grid;
		memset(&t, 0, sizeof t);
		uint64_t tag = 0;
		for (const char *move = rows[i].moves; *move;
			move += strcspn(move, ", "), tag += *move != ',', move += strspn(move, ", "))
			for (uint32_t from = 0; from < processes; from++)
				if (step(size, move, rows[i].round, from, &to))
					t.pair[t.pairs++] = (struct grid_pair){from, to, tag};
		for (uint32_t from = 1; from < processes && rows[i].gathers; from++)
			t.pair[t.pairs++] = (struct grid_pair){from, 0, tag};
		if (rows[i].lines >= 0)
			add_lines(&t, size, rows[i].lines, processes);
		bool better = grid_of(processes, &(struct grid_traffic){t.pair, t.pairs, t.group, t.groups}, &grid);
		ROW(rows[i].why, better == rows[i].better);
		for (uint32_t k = 0; k < 3; k++)
			ROW(rows[i].why, (k < grid.axes ? grid.size[k] : 0) == rows[i].found[k]);
		for (size_t k = 0; k < t.groups; k++)
			ranks_clear(&t.group[k]);
	}
}

/* Tags of messages between four processes, and whether two of them are told alike. */
static const struct {
	const char *why;
	struct grid_pair pair[12];
	size_t pairs;
	int64_t tag[2];
	bool alike;
} named[] = {
	{"who sends", {{0, 1, 100}, {1, 2, 101}, {2, 3, 102}}, 3, {100, 102}, true},
	{"who receives", {{0, 1, 101}, {1, 2, 102}, {2, 3, 103}}, 3, {101, 103}, true},
	{"round a ring", {{0, 1, 100}, {1, 2, 101}, {2, 3, 102}, {3, 0, 103}}, 4, {100, 103}, true},
	{"both directions apart", {{0, 1, 100}, {1, 2, 101}, {2, 3, 102}, {3, 2, 203}, {2, 1, 202}, {1, 0, 201}}, 6,
		{102, 202}, false},
	{"several from each",
		{{0, 1, 7}, {1, 0, 8}, {2, 3, 9}, {3, 2, 10}, {0, 2, 7}, {1, 3, 8}, {2, 0, 9}, {3, 1, 10}}, 8, {7, 10},
		true},
	{"a tag of all names nobody", {{0, 1, 5}, {1, 2, 5}, {2, 3, 5}, {3, 0, 6}}, 4, {5, 6}, false},
	{"nor do two messages by accident", {{0, 1, 5}, {2, 0, 7}}, 2, {5, 7}, false},
	{"nor tags of those that send to one", {{1, 0, 5}, {2, 0, 6}, {3, 0, 7}}, 3, {5, 6}, false},
};

static void test_named(void)
{
	for (size_t i = 0; i < COUNT(named); i++) {
		struct tag_names *names = tag_names_new(named[i].pair, named[i].pairs);
		uint64_t told[2] = {tag_names_told(names, named[i].tag[0]), tag_names_told(names, named[i].tag[1])};
		ROW(named[i].why, (told[0] == told[1]) == named[i].alike);
		ROW(named[i].why, tag_names_told(names, 1000) == 1000);
		tag_names_free(names);
	}
}

void suite_grids(CU_pSuite suite)
{
	CU_add_test(suite, "the grid of some traffic", test_rows);
	CU_add_test(suite, "tags that name a process", test_named);
}
