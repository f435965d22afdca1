/*
 * test_align.c -- loops of one group brought in line: prologues, rates, counts, and why not.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "merge/align.h"
#include "model/sides.h"
#include "tests/rows.h"

#define PROCESSES 3

/*
 * A process after the other, between bars: "s1a" sends to 1 with tag a, "r0a" receives from 0, "x"
 * is local; "5(...)" is a loop. What comes out: the common iterations, and for each member what
 * takes the place of its loop, "*" before its part of the joint one; or the reason.
 */
static const struct {
	const char *why, *system;
	int64_t budget;
	const char *aligned;
} rows[] = {
	{"alike", "5(s1a)|5(r0a)", 0, "5: *5(s1a)|*5(r0a)"},
	{"three", "5(s1a)|5(r0a s2b)|5(r1b)", 0, "5: *5(s1a)|*5(r0a s2b)|*5(r1b)"},
	{"nobody to be in line with", "5(s1a)|r0a", 0, "no group"},
	{"one sends twice while the other receives once", "6(s1a)|3(r0a r0a)", 0, "3: *3(2(s1a))|*3(r0a r0a)"},
	{"rates over two hops", "12(s1a)|6(r0a r0a s2b)|2(r1b r1b r1b)", 0,
		"2: *2(6(s1a))|*2(3(r0a r0a s2b))|*2(r1b r1b r1b)"},
	{"rates that differ by channel", "5(s1a s1b s1b)|5(r0a r0b)", 99,
		"exchange messages at rates that do not agree"},
	{"whole iterations in front are split off", "10(s1a)|r0a r0a 8(r0a)", 9, "8: 2(s1a) *8(s1a)|*8(r0a)"},
	{"what is left behind, too", "10(s1a)|8(r0a) r0a r0a", 9, "8: *8(s1a) 2(s1a)|*8(r0a)"},
	{"a part of an iteration shifts", "6(s1a s1b)|r0a 5(r0b r0a) r0b", 9, "5: s1a *5(s1b s1a) s1b|*5(r0b r0a)"},
	{"... and keeps the count where a copy of it follows", "5(s1a s1b) s1a|r0a 5(r0b r0a)", 0,
		"5: s1a *5(s1b s1a)|*5(r0b r0a)"},
	{"... on either side", "s1b 5(s1a s1b)|5(r0b r0a) r0b", 0, "5: *5(s1a s1b)|r0b *5(r0a r0b)"},
	{"... or else turns back over what stands before", "s1b 5(s1a s1b)|5(r0b r0a) x r0b", 0,
		"5: *5(s1b s1a) s1b|*5(r0b r0a)"},
	{"a prologue inside a loop inside", "4(3(s1a) x)|r0a 3(3(r0a)) r0a r0a", 99,
		"3: s1a *3(2(s1a) x s1a) 2(s1a) x|*3(3(r0a))"},
	{"more than the budget", "10(s1a)|r0a r0a 8(r0a)", 0, "would take more constructs than the budget allows"},
	{"no common divisor", "3(s1a s1a)|2(r0a r0a r0a)", 99, "1: s1a s1a s1a s1a s1a s1a|r0a r0a r0a r0a r0a r0a"},
	{"... and no budget", "3(s1a s1a)|2(r0a r0a r0a)", 0, "have iteration counts without a common divisor"},
	{"two of one process", "5(s1a) 5(s1b)|5(r0a r0b)", 99,
		"communicate with several loops of one process, which stay in order"},
	{"hardly anything in common", "9(s1a)|r0a r0a r0a r0a r0a r0a r0a r0a x 9(r0a)", 99,
		"have hardly any iterations in common"},
	{"with itself", "5(s0a r0a)", 0, "no group"},
	{"with itself, an iteration later", "s0a 5(s0a r0a) r0a", 9, "receive in one iteration what another one sent"},
};

/* What the rows are made into. */
struct making {
	struct reduction r;
	struct sides sides;
	struct dictionary *dictionary;
	uint32_t *side_of;
	size_t capacity;
};

static struct item event_of(struct making *m, const char **at, uint32_t process)
{
	struct event e = {.kind = EVENT_LOCAL, .process = process, .subject = dictionary_word(m->dictionary, "x", 1)};
	if (**at != 'x') {
		e.kind = **at == 's' ? EVENT_SEND : EVENT_RECV;
		e.peer = (uint32_t)((*at)[1] - '0');
		e.subject = dictionary_tag(m->dictionary,
			&(struct tag){dictionary_word(m->dictionary, *at + 2, 1), false, 0, NO_COMMUNICATOR});
		*at += 2;
	}
	++*at;
	uint32_t event = dictionary_event(m->dictionary, &e);
	m->side_of = mem_grow(m->side_of, &m->capacity, (size_t)event + 1, sizeof *m->side_of);
	m->side_of[event] = sides_of(&m->sides, event, process);
	m->r.loops.side_of = m->side_of;
	return (struct item){.event = event};
}

static void read_items(struct making *m, const char **at, struct strand *s)
{
	while (**at && **at != ')' && **at != '|') {
		if (isdigit((unsigned char)**at)) {
			char *end;
			uint64_t count = strtoull(*at, &end, 10);
			struct strand body = {.process = s->process};
			*at = end + 1;
			read_items(m, at, &body);
			++*at;
			strand_add(
				s, (struct item){.loop = strand_loop_new(&m->r.loops, count, body.item, body.length)});
			free(body.item);
		} else {
			strand_add(s, event_of(m, at, s->process));
		}
		*at += **at == ' ';
	}
}

static void put_items(const struct making *m, const struct item *item, size_t length, size_t joint, struct text *out)
{
	for (size_t i = 0; i < length; i++) {
		text_put(out, i ? " " : "");
		text_put(out, i == joint ? "*" : "");
		if (item[i].loop) {
			text_format(out, "%llu(", (unsigned long long)item[i].loop->count);
			put_items(m, item[i].loop->body, item[i].loop->length, SIZE_MAX, out);
			text_put(out, ")");
			continue;
		}
		const struct event *e = dictionary_get_event(m->dictionary, item[i].event);
		if (e->kind == EVENT_LOCAL)
			text_put(out, "x");
		else
			text_format(out, "%c%u%s", e->kind == EVENT_SEND ? 's' : 'r', e->peer,
				dictionary_get_word(
					m->dictionary, dictionary_get_tag(m->dictionary, e->subject)->stem));
	}
}

static void align_first(struct making *m, const struct system *s, int64_t budget, struct text *out)
{
	struct links links;
	struct alignment a;
	char *claimed[PROCESSES];
	for (size_t i = 0; i < s->strands; i++)
		claimed[i] = mem_zero(s->strand[i].length);
	links_find(&m->r, s, &links);
	if (!links.groups) {
		text_put(out, "no group");
	} else if (!align(&m->r, s, &links, &links.group[0], claimed, budget, &a)) {
		text_put(out, merge_reason_text(a.reason));
		alignment_clear(&a);
	} else {
		text_format(out, "%llu: ", (unsigned long long)a.count);
		for (uint32_t i = 0; i < a.members; i++) {
			const struct replacement *x = &a.replacement[i];
			text_put(out, i ? "|" : "");
			put_items(m, x->with.item, x->with.length, x->loop ? x->at : SIZE_MAX, out);
		}
		alignment_clear(&a);
	}
	links_clear(&links);
	for (size_t i = 0; i < s->strands; i++)
		free(claimed[i]);
}

static void aligned_row(const char *row, int64_t budget, struct text *out)
{
	struct making m = {.dictionary = dictionary_new()};
	struct strand strand[PROCESSES] = {0};
	struct system s = {.strand = strand};
	reduction_start(&m.r);
	sides_start(&m.sides, m.dictionary);
	for (const char *at = row; *at; at += *at == '|') {
		strand[s.strands].process = (uint32_t)s.strands;
		read_items(&m, &at, &strand[s.strands++]);
	}
	m.r.dictionary = m.dictionary;
	m.r.sides = sides_count(&m.sides);
	m.r.channels = sides_channels(&m.sides);
	m.r.channel_of = m.sides.channel_of;
	align_first(&m, &s, budget, out);
	for (size_t i = 0; i < s.strands; i++)
		free(strand[i].item);
	reduction_end(&m.r);
	sides_end(&m.sides);
	dictionary_free(m.dictionary);
	free(m.side_of);
}

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text got = {0};
		aligned_row(rows[i].system, rows[i].budget, &got);
		row_same(rows[i].why, got.data, rows[i].aligned);
		text_clear(&got);
	}
}

void suite_align(CU_pSuite suite)
{
	CU_add_test(suite, "rows", test_rows);
}
