/*
 * test_every_size.c -- one program of runs on several numbers of processes. The runs are instances
 * of parametric texts, so that what is learned of some of them is known for all others.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "lib/pipeline.h"
#include "lib/scaled_profile.h"
#include "model/extents.h"
#include "model/module_read.h"
#include "model/generalize.h"
#include "model/prepared.h"
#include "replay/replay.h"
#include "report/difference.h"
#include "report/parametric_difference.h"
#include "report/profiling.h"
#include "sizes/at_extents.h"
#include "sizes/every_instance.h"
#include "sizes/generalize_runs.h"
#include "sizes/rules.h"
#include "tests/archive.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/simulated.h"

/* "12", "4 3", "4 3 N=64" */
static struct extents read_extents(const char *at)
{
	struct extents x = {.processes = 1};
	for (uint64_t size; *at; at += *at == ' ') {
		if (*at == 'N') {
			at += 2;
			CU_ASSERT_FATAL(text_read_number(&at, INT64_MAX, &size));
			x.parameter[x.parameters++] = (struct extents_parameter){"N", (int64_t)size};
			continue;
		}
		CU_ASSERT_FATAL(text_read_number(&at, RANK_LIMIT, &size));
		x.grid.size[x.grid.axes++] = (uint32_t)size;
		x.processes *= (uint32_t)size;
	}
	if (x.grid.axes == 1)
		x.grid = (struct grid){0};
	return x;
}

/* ------------------------------------------------------------------ lines */

static struct module *read_instance(const char *text, const struct extents *, struct error *);

#define FIVE(text) text text text text text

static const struct {
	const char *why, *extents, *line, *same; /* NULL: it is none, and */
	const char *message;
} lines[] = {
	{"names are numbers", "4 3", "[*] p send {p%X} tag{3*x+Y}", "[*] p send {p%4} tag{3+3*x}", NULL},
	{"products of them are one", "4 3", "[*] p send p tag{2*X*Y+x}", "[*] p send p tag{24+x}", NULL},
	{"a remainder has one factor", "4 3", "[*] p send p tag{(x+y)%X*X+y*Y}", "[*] p send p tag{(x+y)%4*4+3*y}",
		NULL},
	{"parentheses around names go", "8 1", "[*] p send (p+1)%(P-1) t", "[*] p send (p+1)%7 t", NULL},
	{"those around coordinates stay", "8 1", "[*] p local a ; v={(p+1)%P}", "[*] p local a ; v={(p+1)%8}", NULL},
	{"logarithms", "8 1", "for i0 = 0 to {log2(P)-1} / 0 local a / done", "for i0 = 0 to 2 / 0 local a / done",
		NULL},
	{"... rounded up", "9 1", "0 local a ; v={log2up(P)-1}", "0 local a ; v=3", NULL},
	{"... rounded down, roots, divisors, and the least of two", "12 1",
		"0 local a ; v={log2down(P)+isqrt(P)*gcd(P,8)-min(P,5)}", "0 local a ; v=10", NULL},
	{"remainders in parentheses", "12 1", "0 local a ; bytes={8*(1000%P)+(P%5==2)}", "0 local a ; bytes=33", NULL},
	{"powers", "8 1", "0 local a ; v={2^log2(P)}", "0 local a ; v=8", NULL},
	{"a coordinate ends a product", "4 3", "[*] p local a ; v={2*X*x}", "[*] p local a ; v={8*x}", NULL},
	{"parameters", "4 3 N=65", "0 local a ; bytes={8*ceil(N,X)}", "0 local a ; bytes=136", NULL},
	{"blocks", "4 3 N=65", "0 local a ; bytes={share(N,X,0)+share(N,X,1)}", "0 local a ; bytes=33", NULL},
	{"words are no names", "4 3", "[*] p sync MPI_X2 *", "[*] p sync MPI_X2 *", NULL},
	{"a coordinate", "4 3", "[*] p local a ; v=$b[y] / $b[y] = 8*share(10,Y,y)",
		"[*] p local a ; v=$b[y] / $b[y] = 32 24 24", NULL},
	{"a process has all coordinates", "4 3", "[*] p local a ; v=$b[p] / $b[p] = (x==y)",
		"[*] p local a ; v=$b[p] / $b[p] = 1 0 0 0 0 1 0 0 0 0 1 0", NULL},
	{"sums", "4 3", "[*] p local a ; v=$b[y] / $b[y] = sum(c,X,(c>y)*c)", "[*] p local a ; v=$b[y] / $b[y] = 6 5 3",
		NULL},
	{"what is not whole", "4 3", "0 local a ; v={9/X}", NULL, "row:4:1: a quotient is no number (of process 0)"},
	{"no power of two", "3 4", "0 local a ; v={log2(X)}", NULL, "row:4:1: a quotient is no number (of process 0)"},
	{"a division by nothing", "1 4", "0 local a ; v={4/(X-1)}", NULL,
		"row:4:1: a quotient is no number (of process 0)"},
	{"what is below 0 behind a sign", "4 3", "0 local a ; v={(-(3*X-2))}", "0 local a ; v=-10", NULL},
	{"beyond 64 bits", "4 3", "0 local a ; v={X*4611686018427387904}", NULL,
		"row:4:1: a number is beyond 64 bits (of process 0)"},
	{"... when its sign changes", "8 1", "0 local a ; v={(-(0-9223372036854775807-X/X))}", NULL,
		"row:4:1: a number is beyond 64 bits (of process 0)"},
	{"the share of a block that is none", "8 1", "0 local a ; v={share(9223372036854775807,1,0-P)}", NULL,
		"row:4:1: a number is beyond 64 bits (of process 0)"},
	{"remainders of the least number", "8 1", "0 local a ; v={((0-9223372036854775807-X/X)%(P-5))}",
		"0 local a ; v=1", NULL},
	{"functions inside each other have an end", "8 1",
		"0 local a ; v={" FIVE(FIVE(FIVE("log2("))) "P" FIVE(FIVE(FIVE(")"))) "}", NULL,
		"row:4:336: more than 64 parentheses inside each other"},
	{"a condition that is no number", "4 3", "0 local a / [x<9/X] p local a", NULL,
		"row:5:1: a quotient is no number"},
	{"a loop that runs backwards", "1 4", "for i0 = 0 to {X-3} / 0 local a / done", NULL,
		"row:4:1: the loop from 0 to -2 runs backwards (0 to -1 would be no iterations)"},
	{"a sum of a sum", "4 3", "0 local a ; v=$b[y] / $b[y] = sum(c,Y,sum(d,X,1))", NULL,
		"row:5:21: a sum() inside of a sum()"},
	{"a sum of nothing", "4 3", "[*] p local a ; v=$b[y] / $b[y] = sum(c,X-4,1)", NULL,
		"row:4:1: a quotient is no number (of process 0)"},
	{"a sum that is cut off", "4 3", "0 local a ; v=$b[y] / $b[y] = sum(c,X,c", NULL,
		"row:5:18: sum() has 2 arguments"},
	{"a sum that counts with nothing", "4 3", "0 local a ; v=$b[y] / $b[y] = sum(,X,1)", NULL,
		"row:5:13: sum(c,X,...) counts with a letter, not ',X,1)'"},
	{"a peer that is none there", "4 3", "0 local a / [0] p send p+X+9 t", NULL,
		"row:5:1: the peer of process 0 would be 13, but the header says 12 processes"},
};

static void folding(void)
{
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct extents x = read_extents(lines[i].extents);
		struct text have = {0}, want = {0}, header = {0};
		struct error error = {0};
		struct module *m = read_instance(lines[i].line, &x, &error), *same = NULL;
		if (lines[i].same) {
			header_put(&header, x.processes, &x.grid);
			struct text plain = lines_of_row(header.data, lines[i].same);
			same = module_parse("row", plain.data, plain.length, &error);
			text_clear(&plain);
		}
		if (m)
			module_print_text(m, NULL, &have);
		if (same)
			module_print_text(same, NULL, &want);
		row_same(lines[i].why, m ? have.data : error.message, same ? want.data : lines[i].message);
		module_free(m);
		module_free(same);
		text_clear(&have);
		text_clear(&want);
		text_clear(&header);
	}
}

/* ------------------------------------------------------------------ what explains numbers */

/* run: extents, a comma between runs. Gives how many. */
static size_t read_runs(const char *text, struct extents *run)
{
	size_t runs = 0;
	char part[64];
	for (size_t length; *text; text += length + (text[length] == ','), runs++) {
		length = strcspn(text, ",");
		snprintf(part, sizeof part, "%.*s", (int)length, text);
		run[runs] = read_extents(part);
	}
	return runs;
}

static const struct {
	const char *why, *runs;
	int64_t number[4];
	const char *formula, *there;
	int64_t decided; /* there; 0: it is not */
} numbers[] = {
	{"the same", "3 3,4 3,5 4", {7, 7, 7}, "7", "9 9", 7},
	{"an extent less one", "3 3,4 4,5 5", {2, 3, 4}, "X-1", "9 9", 8},
	{"of two that were the same there is one", "3 3,4 4,5 5", {2, 3, 4}, "X-1", "9 8", 0},
	{"the other extent", "3 4,4 4,5 6", {4, 4, 6}, "Y", "9 8", 8},
	{"a product", "3 4,4 4,5 6", {26, 34, 62}, "2*P+2", "9 8", 146},
	{"steps of a tree", "4,8,16", {2, 3, 4}, "log2(P)", "64", 6},
	{"... on any number of processes", "5,8,12", {3, 3, 4}, "log2up(P)", "40", 6},
	{"... where a line explains the same", "4,8,12", {2, 3, 4}, "log2up(P)", "16", 0},
	{"a logarithm is none of others", "4,8,16", {2, 3, 4}, "log2(P)", "48", 0},
	{"... rounded down", "6,9,16,20", {2, 3, 4, 4}, "log2down(P)", "40", 5},
	{"the side of a square", "8,9,16", {20, 30, 40}, "10*isqrt(P)", "26", 50},
	{"processes above a power of two", "5,9,14", {8, 8, 48}, "8*(P-2^log2down(P))", "19", 24},
	{"by parity", "5,9,14", {8, 8, 0}, "8*(P%2)", "19", 8},
	{"a divisor, of which there are several", "12,14,15,20", {96, 16, 24, 32}, "8*gcd(P,12)", "36", 96},
	{"the least of two", "6,9,12,20", {48, 72, 80, 80}, "8*min(P,10)", "40", 80},
	{"the rest of a number", "7,12,30,11", {48, 32, 80, 80}, "8*(1000%P)", "16", 64},
	{"a part of the whole", "4,8,16", {4096, 2048, 1024}, "16384/P", "32", 512},
	{"... as far as it can be divided", "4,8,16", {4096, 2048, 1024}, "16384/P", "24", 0},
	{"rounded up", "3,4,6", {34, 25, 17}, "ceil(100,P)", "5", 20},
	{"... where that is known", "3,4,6", {34, 26, 17}, "ceil(102,P)", "7", 0},
	{"two runs explain anything", "9,16", {10, 31}, "3*P-17", "25", 0},
	{"faces of blocks with remainders", "3 3,4 4,5 5", {2000, 980, 720}, "20*ceil(28,X)*ceil(28,X)", "7 7", 320},
	{"a parameter", "4 N=64,8 N=96,9 N=120", {64, 96, 120}, "N", "25 N=40", 40},
	{"none", "3,4,6", {5, 19, 6}, "", "8", 0},
};

static void explaining(void)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		struct extents run[8], there = read_extents(numbers[i].there);
		struct learned_runs runs = {run, read_runs(numbers[i].runs, run), store_new(0, &(struct grid){0})};
		struct formula *f;
		struct text text = {0};
		size_t count = formulas_of(&runs, numbers[i].number, &f);
		text_add(&text, "", 0);
		if (count)
			formula_print(&runs, &f[0], &text);
		row_same(numbers[i].why, text.data, numbers[i].formula);
		int64_t least = 0, most = 0;
		bool is = count && formula_range(&runs, &f[0], &there, &least, &most);
		bool decided = is && formulas_agree(&runs, f, count, &there, least);
		ROW(numbers[i].why, decided ? least == numbers[i].decided : !numbers[i].decided);
		store_free(runs.store);
		free(f);
		text_clear(&text);
	}
}

static const struct {
	const char *why, *runs, *rule;
	uint32_t processes;
	const char *grid; /* of the shortest rule; "": the rules differ, or make none */
} rules[] = {
	{"balanced", "3 2,4 2,4 3", "X, Y = dims(P)", 20, "5 4"},
	{"... the other way", "2 3,2 4,3 4", "Y, X = dims(P)", 20, "4 5"},
	{"squares", "3 3,4 4,5 5", "X, Y = equal(P)", 36, "6 6"},
	{"squares are no rule for others", "3 3,4 4,5 5", "X, Y = equal(P)", 20, ""},
	{"what MPI makes of 72 is not known from small ones", "3 2,4 2,4 3", "X, Y = dims(P)", 72, ""},
	{"cubes", "2 2 2,3 3 3", "X, Y, Z = equal(P)", 64, "4 4 4"},
	{"one extent is fixed", "2 3,2 4,2 5", "Y, X = dims(P)", 14, "2 7"},
	{"none", "8 1,3 4,7 2", "", 16, ""},
};

static void arranging(void)
{
	for (size_t i = 0; i < COUNT(rules); i++) {
		struct extents run[8];
		struct rule rule[RULES_MOST];
		struct learned_runs runs = {run, read_runs(rules[i].runs, run), NULL};
		struct text text = {0}, made = {0};
		struct grid first, grid = {0};
		size_t count = rules_of(&runs, rule);
		bool good = count > 0;
		text_add(&text, "", 0);
		text_add(&made, "", 0);
		if (count)
			rule_print(&rule[0], run->grid.axes, &text);
		for (size_t k = 0; k < count && good; k++) {
			good = rule_apply(&rule[k], run->grid.axes, rules[i].processes, &grid);
			first = k ? first : grid;
			good = good && !memcmp(&first, &grid, sizeof grid);
		}
		for (uint32_t k = 0; good && k < grid.axes; k++)
			text_format(&made, "%s%u", k ? " " : "", grid.size[k]);
		row_same(rules[i].why, text.data, rules[i].rule);
		row_same(rules[i].why, made.data, rules[i].grid);
		text_clear(&text);
		text_clear(&made);
	}
}

/* ------------------------------------------------------------------ programs */

#define STENCIL                                                                                                        \
	"[*] for i0 = 0 to 9 / [x>0] p send @(x-1,y) tag1 / [x<X-1] @(x+1,y) recv p tag1 / "                           \
	"[y<Y-1] p send @(x,y+1) tag2 / [y>0] @(x,y-1) recv p tag2 / [*] p sync MPI_Allreduce * / done"

static const struct {
	const char *why, *program, *runs;
	const char *contains; /* of the text, or of what is said where there is none */
	const char *there;
	const char *says; /* of the instance: NULL, it is right; else what is said instead, or is warned of */
} programs[] = {
	{"a stencil", STENCIL, "3 3,4 3,5 4", "[x<X-1] @(x+1,y) recv p tag1", "7 6", NULL},
	{"a thousand times larger", STENCIL, "3 3,4 3,5 4", "// rule X, Y = dims(P)", "64 48", NULL},
	{"one less in each direction", STENCIL, "3 3,4 3,5 4", "for i0 = 0 to 9", "2 1", NULL},
	{"a ring", "[*] p send (p+1)%P tag1 / [*] (p+(P-1))%P recv p tag1", "4,6,9", "(p+1)%P", "33", NULL},
	{"all to all by hand",
		"[*] for i0 = 0 to {P-2} / [*] p send (p+1+i0)%P tag1 / [*] (p+(P-1)-i0)%P recv p tag1 / done", "4,6,9",
		"for i0 = 0 to {P-2}", "17", NULL},
	{"stages of a multi-partition",
		"[*] for i0 = 0 to {X-2} / [*] p send @(x+1,y) tag{100+(x-i0)%X*X} / "
		"[*] @(x-1,y) recv p tag{100+(x-1-i0)%X*X} / done",
		"3 3,4 4,5 5", "tag{100+(x-i0)%X*X}", "8 8", NULL},
	{"... on two in a row as well",
		"[*] for i0 = 0 to {X-2} / [*] p send @(x+1,y) tag{100+(x+y-1-i0)%X+(-x+1+i0)%X*X} / "
		"[*] @(x-1,y) recv p tag{100+(x+y-2-i0)%X+(-x+2+i0)%X*X} / done",
		"2 2,3 3,4 4", "tag{100+(x+y-1-i0)%X+(-x+1+i0)%X*X}", "8 8", NULL},
	{"steps of powers of two",
		"[*] for i0 = 0 to {log2(P)-1} / [*] p send p^{2^i0} tag{i0} / [*] p^{2^i0} recv p tag{i0} / done",
		"8,16,32", "for i0 = 0 to {log2(P)-1}", "256", NULL},
	{"dissemination",
		"[*] for i0 = 0 to {log2up(P)-1} / [*] p send (p+2^i0)%P tag3 / [*] (p-2^i0)%P recv p tag3 / done",
		"5,8,12", "for i0 = 0 to {log2up(P)-1}", "33", NULL},
	{"blocks with remainders",
		"[x<X-1] p send @(x+1,y) tag1 ; bytes={8*$n[y]} / [x>0] @(x-1,y) recv p tag1 ; bytes={8*$n[y]} / "
		"// tables / $n[y] = share(250,Y,y)",
		"3 3,3 4,4 5", "share(250,Y,y)", "6 7", NULL},
	{"blocks of one line",
		"[x<X-1] p send @(x+1,y) tag1 / [x>0] @(x-1,y) recv p tag1 / "
		"[*] p sync MPI_Gather * root=0 ; bytes=$n[x]*$b[y] / "
		"// tables / $n[x] = 8*share(250,X,x) / $b[y] = (y==0)",
		"3 3,4 3,5 4", "[x] = 8*share(250,X,x)", "7 6", NULL},
	{"blocks of all, at one of them",
		"[p>0] p send 0 tag1 ; bytes=$n[x] / [0] for i0 = 0 to {P-2} / {1+i0} recv 0 tag1 ; bytes=$n[(1+i0)%X] / done / "
		"// tables / $n[x] = share(250,X,x)",
		"3 3,4 3,5 4", "[(1+i0)%X]", "7 6", NULL},
	{"faces of cells",
		"[*] p send @(x+1,y) tag1 ; bytes=$b[p] / [*] @(x-1,y) recv p tag1 / // tables / "
		"$b[p] = 80*sum(c,X,((x+c)%X!=X-1)*share(23,X,(y-c)%X)*share(23,X,c))",
		"3 3,4 4,5 5", "80*sum(c,X,((x+c)%X!=X-1)*share(23,X,(y-c)%X)*share(23,X,c))", "7 7", NULL},
	{"the root's size", "[*] p sync MPI_Bcast * root=0 ; bytes=$b[p] / // tables / $b[p] = 40*(p==0)", "4,6,9",
		"[p] = 40*(p==0)", "21", NULL},
	{"the root is the last one", "[*] p sync MPI_Bcast * root={P-1}", "4,6,9", "root={P-1}", "12", NULL},
	{"a line of the grid",
		"[*] p sync MPI_Bcast @(*,y)@{3+y} root=@(0,y) / [*] p sync MPI_Reduce @(x,*)@{3+Y+x} root=@(x,0)",
		"3 3,4 3,5 4", "@(*,y)", "7 6", NULL},
	{"red and black", "[p%2==0&&p<P-1] p send p+1 tag1 / [p%2==1] p-1 recv p tag1", "7,8,12", "p<P-1&&p%2==0", "21",
		NULL},
	{"a parameter is told", "[*] p sync MPI_Bcast * root=0 ; bytes={8*N}", "4 N=10,6 N=20,9 N=50", "bytes={8*N}",
		"11 N=7", NULL},
	{"those behind the second", "[p>1] p send 0 tag1 / [0] for i0 = 0 to {P-3} / {2+i0} recv 0 tag1 / done",
		"6,8,11", "[p>1]", "23", NULL},
	{"two runs decide little", "[*] p sync MPI_Bcast * root=0 ; bytes={3*P-17}", "9,16", "bytes=", "25",
		"a number of statement 0 is not decided"},
	{"an extent that never changed", STENCIL, "3 4,3 5,3 6", "", "4 4", "X was 3 in all runs, and is 4"},
	{"a grid that no rule makes", STENCIL, "3 3,8 1,2 6", "", "20 1", NULL},
	{"sizes that follow the data",
		"[*] p sync MPI_Bcast * root=0 ; bytes=$b[p] / // tables / $b[p] = 8*((7*p+3)%11)", "4,6,9",
		"// hole 0 bytes on 9 processes: 8..80; rank 0 24, 1 80, 2 48, 3 16, 4 72, 5 40, 6 8, 7 64, 8 32\n",
		"7", NULL},
	{"halves or all but one", "[x>=floor(X,2)] p local a", "2 3,3 3,2 5", "p local a", "5 4",
		"who executes it of statement 0 is not decided for 20 processes: more than one condition explains the "
		"runs; a run of 7 processes would tell"},
	{"an order that no process shows", "[0] p local a / [p==P-1] p local b", "2,3,4", "p local a", "1",
		"process 0 executes statement 0 before statement 1: no run shows their order"},
	{"steps of a tree, one by one",
		"[p==0] p send 1 tag3 / [p==1] 0 recv p tag3 / [p<2&&p<P-2] p send p+2 tag3 / "
		"[p>1&&p<4] p-2 recv p tag3 / [p<4&&p<P-4] p send p+4 tag3 / [p>3&&p<8] p-4 recv p tag3",
		"8,5,6", "p-4 recv p", "7", NULL},
	{"... of which there would be more",
		"[p==0] p send 1 tag3 / [p==1] 0 recv p tag3 / [p<2&&p<P-2] p send p+2 tag3 / "
		"[p>1&&p<4] p-2 recv p tag3 / [p<4&&p<P-4] p send p+4 tag3 / [p>3&&p<8] p-4 recv p tag3",
		"8,5,6", "p-4 recv p", "12", "above 8"},
	{"what one run alone shows", "[p>3] p local a / [*] p local b", "2,3,5", "p local a", "8",
		"only one run executes statement 0"},
};

static struct module *module_of_instance(struct draft *made)
{
	struct module *m = made ? module_copy(made->module) : NULL;
	draft_free(made);
	return m;
}

static struct module *read_instance(const char *text, const struct extents *x, struct error *error)
{
	struct text header = {0};
	struct inlined_line wrong;
	struct draft *draft = NULL, *made = NULL;
	uint64_t events;
	header_put_parametric(&header, x->grid.axes);
	for (uint32_t i = 0; i < x->parameters; i++)
		text_format(&header, "// parameter %s\n", x->parameter[i].name);
	struct text whole = lines_of_row(header.data, text);
	struct module *m = module_parse("row", whole.data, whole.length, error);
	struct environment at = m ? extents_environment(x, m->store) : (struct environment){0};
	if (m && (module_check(m, &at, &events, &wrong, error) || module_error_at(m, "row", wrong, error)))
		draft = draft_of_module(m, error);
	if (draft)
		made = draft_at(draft, x, NULL, error);
	draft_free(draft);
	module_free(m);
	text_clear(&header);
	text_clear(&whole);
	return module_of_instance(made);
}

static struct module *instance_of(const char *text, const struct extents *x)
{
	struct error error = {0};
	struct module *m = read_instance(text, x, &error);
	if (!m)
		fprintf(stderr, "\n  %s\n", error.message);
	CU_ASSERT_FATAL(m != NULL);
	return m;
}

static bool same_modules(const struct module *a, const struct module *b)
{
	struct run *of = run_new(a, NULL), *as = run_new(b, NULL);
	struct text told = {0};
	bool same = same_events(of, as, &told);
	text_clear(&told);
	run_free(of);
	run_free(as);
	return same;
}

static void put_doubts(const struct doubts *d, struct text *to)
{
	text_put(to, d->unproven.length ? "unproven " : "");
	ranks_print_short(&d->unproven, to);
	if (d->largest)
		text_format(to, " above %u", d->largest);
	for (enum trait t = 0; t < TRAITS; t++)
		if (d->traits >> t & 1)
			text_format(to, " trait %d", (int)t);
	if (d->rivals)
		text_format(to, " rival of %s: %s is %d, %s is %d", d->rival.place.data,
			d->rival.rule.length ? d->rival.rule.data : "", (int)d->rival.value, d->rival.other.data,
			(int)d->rival.instead);
	text_put(to, d->not_shown.length ? " not shown: " : "");
	text_add(to, d->not_shown.data, d->not_shown.length);
}

static void check_instance(const char *why, const struct text *app, const char *says, const struct extents *there,
	const struct module *truth)
{
	struct doubts doubts = {0};
	struct text text = {0};
	struct error error = {0};
	struct draft *made = instantiate("app", app->data, app->length, there, false, &doubts, &error);
	put_doubts(&doubts, &text);
	if (says)
		row_contains(why, made ? text.data : error.message, says);
	else
		row_same(why, made ? "" : error.message, "");
	if (made && !says)
		ROW(why, same_modules(made->module, truth));
	draft_free(made);
	doubts_clear(&doubts);
	text_clear(&text);
}

static void check_program(size_t i)
{
	struct extents x[8], there = read_extents(programs[i].there);
	struct run_of_program run[16] = {0};
	size_t runs = read_runs(programs[i].runs, x);
	struct module *truth = instance_of(programs[i].program, &there);
	struct generalize_facts facts;
	struct error error = {0};
	struct text app = {0};
	for (size_t r = 0; r < runs; r++) {
		run[r] = (struct run_of_program){"run", instance_of(programs[i].program, &x[r]), x[r]};
		run[r].extents.grid = (struct grid){0};
	}
	bool good = generalize_runs(run, runs, &app, &facts, &error);
	row_contains(programs[i].why, good ? app.data : error.message, programs[i].contains);
	if (!good)
		row_same(programs[i].why, error.message, "");
	if (good)
		check_instance(programs[i].why, &app, programs[i].says, &there, truth);
	for (size_t r = 0; r < runs; r++)
		module_free((struct module *)run[r].module);
	module_free(truth);
	text_clear(&facts.told);
	text_clear(&app);
}

static void learning(void)
{
	for (size_t i = 0; i < COUNT(programs); i++)
		check_program(i);
}

/* ------------------------------------------------------------------ two texts */

static const struct {
	const char *why, *first, *second, *told;
} compared[] = {
	{"the same", STENCIL, STENCIL " // main",
		"6 lines are the same, 0 differ, 0 only in the first, 0 only in the second\n"},
	{"who", "[x>0] p send p-1 tag1", "[x>1] p send p-1 tag1",
		"who differs: lines 3 and 3\n  < [x>0] p send p-1 tag1\n  > [x>1] p send p-1 tag1\n"},
	{"how often", "[*] for i0 = 0 to {X-2} / [*] p local a / done",
		"[*] for i0 = 0 to {X-1} / [*] p local a / done",
		"1 lines are the same, 1 differ, 0 only in the first, 0 only in the second\nhow often differs"},
	{"names of tables are chance", "[*] p send p tag1 ; bytes=$n[x] / // tables / $n[x] = share(9,X,x)",
		"[*] p send p tag1 ; bytes=$b[x] / // tables / $b[x] = share(9,X,x)", "1 lines are the same, 0 differ"},
	{"their formulas are not", "[*] p send p tag1 ; bytes=$n[x] / // tables / $n[x] = share(9,X,x)",
		"[*] p send p tag1 ; bytes=$n[x] / // tables / $n[x] = share(8,X,x)",
		"how much differs: lines 3 and 3\n  < [*] p send p tag1 ; bytes=(share(9,X,x))\n  > [*] p send p tag1 ; bytes=(share(8,X,x))"},
	{"a statement more", "[*] p local a / [*] p local c", "[*] p local a / [*] p local b / [*] p local c",
		"only in the second: line 4\n  > [*] p local b\n"},
	{"in another place", "[*] p sync MPI_Barrier * / [*] p local a", "[*] p local a / [*] p sync MPI_Barrier *",
		"1 lines are the same, 0 differ, 1 only in the first, 1 only in the second"},
};

static void comparing(void)
{
	for (size_t i = 0; i < COUNT(compared); i++) {
		struct text first = lines_of_row("// tracenest 1\n// parametric\n", compared[i].first), told = {0},
			    second = lines_of_row("// tracenest 1\n// parametric\n", compared[i].second);
		struct parametric_difference d;
		parametric_difference_of(&d, first.data, first.length, second.data, second.length);
		parametric_difference_print(&d, "a", "b", &told);
		row_contains(compared[i].why, told.data, compared[i].told);
		parametric_difference_clear(&d);
		text_clear(&first);
		text_clear(&second);
		text_clear(&told);
	}
}

/* ------------------------------------------------------------------ every number of processes */

/* Evens send to both sides first. */
#define PARITY                                                                                                         \
	"[p%2==0] p send (p+1)%P tag1 / [p%2==0] p send (p+(P-1))%P tag2 / [p%2==1] p-1 recv p tag1 / "                \
	"[p%2==1] (p+1)%P recv p tag2 / [p%2==1] p send (p+1)%P tag1 / [p%2==1] p send p-1 tag2 / "                    \
	"[p%2==0] (p+(P-1))%P recv p tag1 / [p%2==0] (p+1)%P recv p tag2"

static const struct {
	const char *why, *program, *runs;
	enum sending asked; /* no learned run stops */
	const char *ending, *stopping; /* with it; up to 48 processes */
	const char *more; /* that stop with the next one */
	const char *told; /* of these, or of those, if there are any */
} examined[] = {
	{"a stencil from one side to the other", STENCIL, "3 3,4 3,5 4", SENDS_SYNCHRONOUS, "9-48", "", "", ""},
	{"a ring that shifts", "[*] p send (p+1)%P tag1 / [*] (p+(P-1))%P recv p tag1", "4,6,9", SENDS_EXCHANGED,
		"4-48", "", "4-48", "rank 0, position 0: '0 send 1 tag1', which rank 1 receives later"},
	{"an order by parity", PARITY, "6,8,9", SENDS_EXCHANGED, "6-48", "", "7-47:2",
		"rank 6, position 0: '6 send 0 tag1', which rank 0 receives later"},
	{"... learned from even numbers", PARITY, "6,8,12", SENDS_SYNCHRONOUS, "6-48:2", "7-47:2", "",
		"rank 6, position 0: '6 send 0 tag1', which rank 0 receives later"},
};

static struct text learned_from(const char *program, const char *runs_text)
{
	struct extents x[16];
	struct run_of_program run[16] = {0};
	struct generalize_facts facts;
	struct error error = {0};
	struct text app = {0};
	size_t runs = read_runs(runs_text, x);
	for (size_t r = 0; r < runs; r++)
		run[r] = (struct run_of_program){"run", instance_of(program, &x[r]), x[r]};
	if (!generalize_runs(run, runs, &app, &facts, &error))
		fprintf(stderr, "\n  %s\n", error.message);
	for (size_t r = 0; r < runs; r++)
		module_free((struct module *)run[r].module);
	text_clear(&facts.told);
	return app;
}

/* ------------------------------------------------------------------ what the runs do not prove */

#define RING_OF(number)                                                                                                \
	"[*] p send (p+1)%P tag1 ; bytes={" number "} / [*] (p+(P-1))%P recv p tag1 ; bytes={" number "}"

static const struct {
	const char *why, *program, *runs, *there, *doubts;
} doubted[] = {
	{"nothing", RING_OF("8"), "6,8,9,12,13,18", "12", ""},
	{"nothing between runs", RING_OF("8"), "6,8,9,10,12,13,16,24,25,36", "18", ""},
	{"two runs prove nothing", RING_OF("8"), "6,12", "6", ""},
	{"... elsewhere", RING_OF("8*P"), "6,12,18,30", "24", " trait 3"},
	{"more than any run has", RING_OF("8"), "8,12,16", "32", " above 16 trait 3"},
	{"odd and even", RING_OF("8"), "8,12,16", "9", " trait 0 trait 2 trait 3 trait 4"},
	{"a power of two", RING_OF("8"), "6,10,12,20,24", "8", " trait 5"},
	{"a square", RING_OF("8"), "8,10,12,15,18,27,48", "36", " trait 6"},
	{"a prime factor that all runs have", RING_OF("8"), "10,20,30", "12", " trait 7"},
	{"another prime factor", RING_OF("8"), "6,8,12,16", "10", " trait 7"},
	{"steps, rounded up or down", RING_OF("8*log2up(P)-8"), "9,12,20", "16",
		"unproven 9,20 trait 1 trait 3 trait 5 trait 7 rival of 0: 8*log2down(P) is 32, 8*log2up(P)-8 is 24"},
	{"who follows no run", "[p<P-8] p local a / [*] p sync MPI_Barrier *", "8,12,16", "10",
		"rival of 0: P-8 is 2, 4*isqrt(P)-8 is 4"},
	{"a number that all share", "[*] p local a ; bytes=$b[p] / // tables / $b[p] = 8*(p==0)+(8*P-16)*(p!=0)",
		"8,12,16", "10", "rival of 0: 8*P-16 is 64, "},
};

static struct text learned_from(const char *program, const char *runs_text);

static void doubting(void)
{
	for (size_t i = 0; i < COUNT(doubted); i++) {
		struct text app = learned_from(doubted[i].program, doubted[i].runs), text = {0};
		struct extents there = read_extents(doubted[i].there);
		struct doubts doubts = {0};
		struct error error = {0};
		struct draft *made = instantiate("app", app.data, app.length, &there, false, &doubts, &error);
		ROW(doubted[i].why, made);
		text_put(&text, "");
		put_doubts(&doubts, &text);
		if (*doubted[i].doubts)
			row_contains(doubted[i].why, text.data, doubted[i].doubts);
		else
			row_same(doubted[i].why, text.data, "");
		draft_free(made);
		doubts_clear(&doubts);
		text_clear(&text);
		text_clear(&app);
	}
}

static void row_same_ranks(const char *why, const struct ranks *ranks, const char *expected)
{
	struct text text = {0};
	text_put(&text, "");
	ranks_print_short(ranks, &text);
	row_same(why, text.data, expected);
	text_clear(&text);
}

static void examining(void)
{
	for (size_t i = 0; i < COUNT(examined); i++) {
		struct text app = learned_from(examined[i].program, examined[i].runs);
		struct error error = {0};
		struct every_instance e = {0};
		struct progress none = {0};
		const char *why = examined[i].why;
		struct parametric *p = parametric_read("app", app.data, app.length, &error);
		CU_ASSERT_FATAL(p != NULL);
		ROW(why, every_instance_examine(p, &(struct extents){0}, 48, &none, &e, &error));
		ROW(why, e.asked == examined[i].asked);
		row_same_ranks(why, &e.with[e.asked].ending, examined[i].ending);
		row_same_ranks(why, &e.with[e.asked].stopping, examined[i].stopping);
		const struct instances_with *more = &e.with[e.asked + (e.asked < SENDS_SYNCHRONOUS)];
		row_same_ranks(
			why, &more->stopping, more == &e.with[e.asked] ? examined[i].stopping : examined[i].more);
		if (more->stopping.length)
			row_contains(why, more->told.data, examined[i].told);
		every_instance_clear(&e);
		parametric_free(p);
		text_clear(&app);
	}
}

/* ------------------------------------------------------------------ texts of one run */

static const struct {
	const char *why, *program[3], *runs, *contains;
} restated[] = {
	{"a table of processes is as many statements",
		{"[p%2==1] p send p tag0 / [p%2==1] p recv p tag0",
			"[1,3,5,7-8] p send p tag$t[p] / [1,3,5,7-8] p recv p tag$t[p] / // tables / "
			"$t[p] = (0)*8 1",
			"[p%2==1] p send p tag0 / [p%2==1] p recv p tag0"},
		"6,9,8", "[p==P-1&&p%2==0] p send p tag1"},
	{"a transposition on half of the squares",
		{"[*] p send @(y,x) tag1 / [*] @(y,x) recv p tag1",
			"[*] p send p+$d[y] tag1 / [*] p+$d[y] recv p tag1 / // tables / $d[y] = 0 2 -2 0",
			"[*] p send @(y,x) tag1 / [*] @(y,x) recv p tag1"},
		"2 2,2 4,4 4", "[*] p send @(x,z,y) tag1"},
};

static void restating(void)
{
	for (size_t i = 0; i < COUNT(restated); i++) {
		struct extents x[16];
		struct run_of_program run[3] = {0};
		struct generalize_facts facts = {0};
		struct error error = {0};
		struct text app = {0};
		size_t runs = read_runs(restated[i].runs, x);
		for (size_t r = 0; r < runs; r++) {
			run[r] = (struct run_of_program){"run", instance_of(restated[i].program[r], &x[r]), x[r]};
			run[r].extents.grid = (struct grid){0};
		}
		bool good = generalize_runs(run, runs, &app, &facts, &error);
		row_contains(restated[i].why, good ? app.data : error.message, restated[i].contains);
		for (size_t r = 0; r < runs; r++)
			module_free((struct module *)run[r].module);
		text_clear(&facts.told);
		text_clear(&app);
	}
}

/* ------------------------------------------------------------------ times */

/* Neighbours on a line; what each computes is known. */
static double computed(uint32_t processes)
{
	return 0.064 / processes + 2e-4;
}

static struct simulated *run_line(uint32_t processes)
{
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, processes, processes, 0.005);
	for (uint32_t rank = 0; rank < processes; rank++)
		for (unsigned step = 0; step < 12; step++) {
			if (step) /* nothing is known of the time before the first record */
				do_compute(s, rank, computed(processes));
			if (rank > 0)
				do_irecv(s, rank, rank - 1, 1);
			if (rank < processes - 1)
				do_irecv(s, rank, rank + 1, 2);
			if (rank < processes - 1)
				do_isend(s, rank, rank + 1, 1, 4096);
			if (rank > 0)
				do_isend(s, rank, rank - 1, 2, 4096);
			do_waitall(s, rank);
			do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
		}
	simulated_run(s);
	return s;
}

static void put_file(const char *path, const struct text *text)
{
	struct error error;
	CU_ASSERT_FATAL(output_all(path, text->data, text->length, &error));
}

/* Learned and profiled on five numbers of processes, played back on a sixth. */
static void timing(void)
{
	static const uint32_t on[] = {4, 6, 8, 12, 16};
	char *folder = scratch_new(), *anchor[COUNT(on)], path[COUNT(on)][256], app_path[256], model_path[256];
	const char *profile[COUNT(on)];
	struct run_of_program run[COUNT(on)];
	struct generalize_facts generalized;
	struct scaled_profile_facts facts;
	struct error error = {0};
	struct text app = {0};
	struct doubts doubts = {0};
	for (size_t i = 0; i < COUNT(on); i++) {
		struct simulated *s = run_line(on[i]);
		anchor[i] = simulated_write(s, SIMULATED_BARE);
		simulated_free(s);
		run[i] = (struct run_of_program){
			"line", module_of_file(anchor[i], NULL, false, &error), {.processes = on[i]}};
		CU_ASSERT_FATAL(run[i].module != NULL);
	}
	CU_ASSERT_FATAL(generalize_runs(run, COUNT(on), &app, &generalized, &error));
	for (size_t i = 0; i < COUNT(on); i++) {
		struct profiling_options options = {.account = {ACCOUNT_OPTIONS}};
		struct account account;
		struct text text = {0};
		struct draft *made = instantiate("app", app.data, app.length, &run[i].extents, false, &doubts, &error);
		CU_ASSERT_FATAL(made != NULL);
		module_print_text(made->module, NULL, &text);
		snprintf(model_path, sizeof model_path, "%s/%u.nest", folder, on[i]);
		snprintf(path[i], sizeof path[i], "%s/%u.db", folder, on[i]);
		put_file(model_path, &text);
		CU_ASSERT_FATAL(profiling_write(path[i], model_path, anchor[i], &options, &account, &error));
		profile[i] = path[i];
		account_clear(&account);
		text_clear(&text);
		draft_free(made);
		module_free((struct module *)run[i].module);
		archive_remove(anchor[i]);
	}
	snprintf(app_path, sizeof app_path, "%s/app.db", folder);
	CU_ASSERT_TRUE(!scaled_profile_write(app_path, "app", &app, profile, 4, &facts, &error));
	row_contains("too few runs", error.message, "from 5 runs on, and there are 4");
	CU_ASSERT_FATAL(scaled_profile_write(app_path, "app", &app, profile, COUNT(on), &facts, &error));
	ROW("all roles have a function", facts.fitted == facts.measured && facts.least == 4 && facts.most == 16);
	ROW("what it is", scaled_profile_is(app_path) && !scaled_profile_is(path[0]));
	struct difference d = {0};
	struct account_options account_options = {ACCOUNT_OPTIONS};
	CU_ASSERT_TRUE(!difference_read(&d, app_path, path[0], &account_options, &error));
	row_contains("... is no run", error.message, "it is of no run");
	difference_clear(&d);

	struct simulated *truth = run_line(32);
	double took = (double)simulated_run_time(truth) * 1e-9;
	struct draft *made =
		instantiate("app", app.data, app.length, &(struct extents){.processes = 32}, false, &doubts, &error);
	struct prepared *p = prepared_new(made ? module_of_draft(made, NULL, NULL) : NULL, &error);
	draft_free(made);
	struct replay replay;
	struct replay_options options = {.simulate = "cluster:32,2us,10GBps",
		.profile = app_path,
		.loggops = "",
		.algorithms = algorithms_usual(),
		.change = {.bytes = -1, .scale_bytes = 1, .scale_compute = 1, .role = -1, .rank = -1}};
	bool good = p && replay_run(&replay, p, "app", &options, &error);
	CU_ASSERT_FATAL(good);
	ROW("it is an estimate", replay.estimate && !replay.known);
	ROW("near to the truth", fabs(replay.replayed / took - 1) < .05);
	ROW("which is between the ends", replay.least <= took && took <= replay.most);
	printf("(%.4f s, estimated %.4f, %.4f to %.4f) ", took, replay.replayed, replay.least, replay.most);
	replay_clear(&replay);
	prepared_free(p);
	simulated_free(truth);
	text_clear(&generalized.told);
	text_clear(&app);
	doubts_clear(&doubts);
	scratch_remove(folder);
}

/* ------------------------------------------------------------------ runs of several programs */

static const struct {
	const char *why, *program[3], *says;
} refused[] = {
	{"other messages", {"[*] p send (p+1)%P tag1 / [*] (p+(P-1))%P recv p tag1", NULL, "[*] p sync MPI_Barrier *"},
		"does something else than that of"},
	{"one rank is special in one run", {"[*] p local a", "[*] p local a", "[*] p local a / [3] p local b"},
		"does something else than that of"},
	{"an algorithm that changes",
		{"[*] p sync MPI_Bcast * root=0", "[*] p sync MPI_Bcast * root=0", "[*] p sync MPI_Reduce * root=0"},
		"statement 0):\n    of 5                                                  of 13\n"},
	{"a set that no condition means", {"[*] p local a", "[0,2,3,7] p local a", "[0,2,3,7] p local a"},
		"no condition on coordinates says in all runs who executes what processes 0,2-3,7 of 13 do"},
	{"a tag that follows nothing",
		{"[*] p send p tag17 / [*] p recv p tag17", "[*] p send p tag90 / [*] p recv p tag90",
			"[*] p send p tag35 / [*] p recv p tag35"},
		"does something else than that of"},
};

static void refusing(void)
{
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct run_of_program run[3] = {0};
		struct generalize_facts facts;
		struct error error = {0};
		struct text app = {0};
		for (uint32_t r = 0; r < 3; r++) {
			run[r] = (struct run_of_program){.name = "run", .extents.processes = 5 + 4 * r};
			const char *text = refused[i].program[r] ? refused[i].program[r] : refused[i].program[0];
			run[r].module = instance_of(text, &run[r].extents);
		}
		ROW(refused[i].why, !generalize_runs(run, 3, &app, &facts, &error));
		row_contains(refused[i].why, error.message, refused[i].says);
		for (uint32_t r = 0; r < 3; r++)
			module_free((struct module *)run[r].module);
		text_clear(&facts.told);
		text_clear(&app);
	}
}

/* ------------------------------------------------------------------ texts made otherwise */

static const struct {
	const char *why, *text, *says;
} forged[] = {
	{"what an index asks for is decided where all processes are",
		"[0] for i0 = 0 to {P-1} / [0] p local a ; bytes=$b[i0%P] / done / // tables / $b[p] = 8*share(23,P,p)",
		NULL},
	{"a group of some processes", "[0-1] p sync MPI_Barrier 0-1", "the group of a collective is neither"},
	{"a number of more parts than are looked at",
		"[*] for i0 = 0 to 1 / [*] for i1 = 0 to 1 / [*] for i2 = 0 to 1 / [*] p local a ; "
		"bytes={9+2*p+2*i0+2*i1+2*i2+(2+2*p+2*i0+2*i1+2*i2)%3+(2+2*p+2*i0+2*i1+2*i2)%5+"
		"(3+2*p+2*i0+2*i1+2*i2)%7+(4+2*p+2*i0+2*i1+2*i2)%11} / done / done / done",
		"statement 0.0.0.0: a number is made of more than 24 others"},
};

static void forging(void)
{
	for (size_t i = 0; i < COUNT(forged); i++) {
		struct error error = {0};
		struct text body = lines_of_row("// learned 4\n// learned 5\n// learned 8\n", forged[i].text),
			    whole = {0};
		struct doubts doubts = {0};
		text_format(&whole, "// tracenest 1\n// parametric\n" DIGEST_LINE "%016" PRIx64 "\n%s",
			text_digest(body.data), body.data);
		struct parametric *app = parametric_read("app", whole.data, whole.length, &error);
		for (int again = 0; again < 2; again++) {
			struct extents six = {.processes = 6};
			struct draft *p = app ? parametric_instance(app, &six, false, &doubts, NULL, &error) : NULL;
			ROW(forged[i].why, !p == (forged[i].says != NULL));
			row_contains(forged[i].why, error.message, forged[i].says ? forged[i].says : "");
			draft_free(p);
		}
		doubts_clear(&doubts);
		parametric_free(app);
		text_clear(&body);
		text_clear(&whole);
	}
}

void suite_every_size(CU_pSuite suite)
{
	CU_add_test(suite, "names become numbers, tables what formulas say", folding);
	CU_add_test(suite, "numbers are what all formulas agree on", explaining);
	CU_add_test(suite, "grids are what all rules agree on", arranging);
	CU_add_test(suite, "what is learned of instances is the program", learning);
	CU_add_test(suite, "texts differ by what they say", comparing);
	CU_add_test(suite, "every instance is examined with sends that wait", examining);
	CU_add_test(suite, "what the runs do not prove is a doubt", doubting);
	CU_add_test(suite, "texts of a run are said otherwise", restating);
	CU_add_test(suite, "times of five runs tell those of a sixth", timing);
	CU_add_test(suite, "runs of no one program are refused", refusing);
	CU_add_test(suite, "texts that no runs have made are refused", forging);
}
