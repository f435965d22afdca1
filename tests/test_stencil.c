/*
 * test_stencil.c -- exchanges with neighbours, on open grids and on those that go around: from a
 * trace to a loop over a table of offsets, or to a statement for each direction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/consistency.h"
#include "lib/comparison.h"
#include "lib/pipeline.h"
#include "model/prepared.h"
#include "tests/executed.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define AXES 3
#define STEPS 6

/* Neighbours up to a distance: all of the box, or those along one axis (a star). */
struct halo {
	int size[AXES], radius; /* 1: the axis is not there */
	bool box, around;
};

#define SENT_TO(peer, last, where)                                                                                     \
	"[*] for i0 = 0 to 5 / [*] for i1 = 0 to " #last " / [*] p send " peer " tag{i1}" where " / done / "
#define LOOPS(peer, last, where)                                                                                       \
	SENT_TO(peer, last, where)                                                                                     \
	"[*] for i1 = 0 to " #last " / [*] " peer " recv p tag{" #last "-i1}" where " / done / [*] p sync S * / done / "
#define OF_27                                                                                                          \
	"$dx[i1] = (-1)*9 (0)*8 (1)*9 / $dy[i1] = -1 -1 -1 0 (0 0 1 1 1 -1 -1 -1)*2 0 0 0 1 1 1 / "                    \
	"$dz[i1] = (-1..1)*4 -1 (1 -1 0)*4 1"
#define INSIDE " where inside"

static const struct {
	const char *why;
	struct halo halo;
	const char *program;
} cases[] = {
	{"nine points", {{4, 5, 1}, 1, true, false},
		LOOPS("@(x+$dx[i1],y+$dy[i1])", 7, INSIDE) "$dx[i1] = -1 -1 -1 0 0 1 1 1 / $dy[i1] = -1..1 -1 1 -1..1"},
	{"27 points", {{2, 2, 3}, 1, true, false}, LOOPS("@(x+$dx[i1],y+$dy[i1],z+$dz[i1])", 25, INSIDE) OF_27},
	{"... the same on more processes", {{3, 3, 3}, 1, true, false},
		LOOPS("@(x+$dx[i1],y+$dy[i1],z+$dz[i1])", 25, INSIDE) OF_27},
	{"... where everybody has a third of all as neighbours", {{3, 3, 4}, 1, true, false},
		LOOPS("@(x+$dx[i1],y+$dy[i1],z+$dz[i1])", 25, INSIDE) OF_27},
	{"a star of radius 2", {{5, 5, 5}, 2, false, false},
		LOOPS("@(x+$dx[i1],y+$dy[i1],z+$dz[i1])", 11,
			INSIDE) "$dx[i1] = -2..0 (0)*7 1 2 / $dy[i1] = 0 0 -2..0 0 0 0..2 0 0 / $dz[i1] = (0)*4 -2 -1 1 2 (0)*4"},
	{"on a line", {{12, 1, 1}, 2, false, false}, LOOPS("p+$d[i1]", 3, INSIDE) "$d[i1] = -2 -1 1 2"},
	{"who goes around is never outside", {{3, 3, 3}, 1, true, true},
		LOOPS("@(x+$dx[i1],y+$dy[i1],z+$dz[i1])", 25, "") OF_27},
	{"five points are read faster as they are", {{4, 5, 1}, 1, false, false},
		"[*] for i0 = 0 to 5 / [x>0] p send @(x-1,y) tag0 / [y>0] p send @(x,y-1) tag1 / [y<Y-1] p send @(x,y+1) tag2 / "
		"[x<X-1] p send @(x+1,y) tag3 / [x>0] @(x-1,y) recv p tag3 / [y>0] @(x,y-1) recv p tag2 / "
		"[y<Y-1] @(x,y+1) recv p tag1 / [x<X-1] @(x+1,y) recv p tag0 / [*] p sync S * / done"},
};

/* The k-th of all offsets, in lexicographic order; false: there are no more. */
static bool offset_of(const struct halo *h, int k, int *offset)
{
	int width = 2 * h->radius + 1;
	for (int n = 0;; n++) {
		int axes = 0;
		bool there = true;
		for (int a = AXES, rest = n; a-- > 0; rest /= width) {
			offset[a] = rest % width - h->radius;
			axes += offset[a] != 0;
			there = there && (h->size[a] > 1 || !offset[a]);
		}
		if (n >= width * width * width)
			return false;
		if (there && axes && (h->box || axes == 1) && k-- == 0)
			return true;
	}
}

/* The rank there, or -1. */
static int rank_there(const struct halo *h, int rank, const int *offset)
{
	int there = 0;
	for (int a = 0, scale = 1; a < AXES; scale *= h->size[a], rank /= h->size[a++]) {
		int at = rank % h->size[a] + offset[a];
		if (!h->around && (at < 0 || at >= h->size[a]))
			return -1;
		there += (at + h->size[a]) % h->size[a] * scale;
	}
	return there;
}

static struct text trace_of(const struct halo *h)
{
	struct text trace = {0};
	int processes = h->size[0] * h->size[1] * h->size[2], offset[AXES], all = 0;
	while (offset_of(h, all, offset))
		all++;
	for (int p = 0; p < processes; p++)
		for (int step = 0; step < STEPS; step++) {
			for (int k = 0; k < 2 * all; k++) {
				offset_of(h, k % all, offset);
				int there = rank_there(h, p, offset);
				if (there >= 0 && k < all)
					text_format(&trace, "%d send %d tag%d\n", p, there, k);
				else if (there >= 0)
					text_format(&trace, "%d recv %d tag%d\n", there, p, 2 * all - 1 - k);
			}
			text_format(&trace, "%d sync S 0-%d\n", p, processes - 1);
		}
	return trace;
}

/* Receives of other directions are noticed. */
static void test_turned(const char *why, const struct prepared *p)
{
	struct text text = {0};
	struct error error = {0};
	struct consistency c;
	module_print_text(p->module, NULL, &text);
	char *last = strstr(text.data, "recv");
	last = last ? strstr(last, "-i1}") : NULL;
	CU_ASSERT_PTR_NOT_NULL_FATAL(last);
	while (last[-1] >= '0' && last[-1] <= '9')
		last--;
	last[0]++; /* a tag more */
	struct executed turned = executed_of_text(text.data);
	consistency_of(turned.run, &c);
	ROW(why, !consistency_holds(&c, &error));
	consistency_clear(&c);
	executed_clear(&turned);
	text_clear(&text);
}

static void test_cases(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		char path[] = "/tmp/tracenest-unit-XXXXXX";
		struct text trace = trace_of(&cases[i].halo), text = {0};
		struct program_facts facts;
		struct error error = {0};
		struct program_options options = {PROGRAM_OPTIONS};
		struct comparison_facts compared;
		int fd = mkstemp(path);
		CU_ASSERT_FATAL(fd >= 0 && write(fd, trace.data, trace.length) == (ssize_t)trace.length);
		close(fd);
		struct prepared *p = prepared_of_trace(path, &options, &facts, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		module_print_text(p->module, NULL, &text);
		struct text row = row_of_lines(text.data, false);
		row_same(cases[i].why, row.data, cases[i].program);
		ROW(cases[i].why, comparison_run(p->run, path, true, &(struct streams_options){0}, &compared, &error));
		comparison_facts_clear(&compared);
		if (strstr(text.data, "for i1"))
			test_turned(cases[i].why, p);
		unlink(path);
		program_facts_clear(&facts);
		prepared_free(p);
		text_clear(&trace);
		text_clear(&text);
		text_clear(&row);
	}
}

void suite_stencil(CU_pSuite suite)
{
	CU_add_test(suite, "exchanges with neighbours", test_cases);
}
