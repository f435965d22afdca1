/*
 * test_columns.c -- times kept as columns: each is read again as it was or within its bound, from
 * the beginning and from any place.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/prepared.h"
#include "profile/columns.h"
#include "profile/odds.h"
#include "tests/rows.h"

/* ------------------------------------------------------------------ odds */

static const struct {
	const char *why;
	uint32_t symbols, count[6];
} odds_rows[] = {
	{"one symbol takes no room", 1, {7}},
	{"two as likely", 2, {1, 1}},
	{"one that is rare", 2, {1000000, 1}},
	{"many rare ones", 6, {4000000, 1, 1, 1, 1, 1}},
	{"all kinds", 6, {1, 10, 100, 1000, 10000, 100000}},
};

#define PUT 3000

static void test_odds(void)
{
	static const uint16_t symbol[] = {0, 3, 4, 1000, 4096, 65535};
	for (size_t i = 0; i < COUNT(odds_rows); i++) {
		struct odds odds = {0}, again = {0};
		struct odds_writer writer = {0};
		struct text bytes = {0}, packed = {0};
		odds_of(&odds, odds_rows[i].symbols, symbol, odds_rows[i].count);
		odds_pack(&odds, &packed);
		struct unpack from = unpack_start(packed.data, packed.length);
		ROW(odds_rows[i].why, odds_unpack(&again, &from) && unpack_ended(&from));
		for (uint64_t k = 0; k < PUT; k++) {
			odds_put(&writer, &odds, symbol[hash_mix(k) % odds_rows[i].symbols]);
			if (k % 100 == 0)
				odds_put_bits(
					&writer, hash_mix(k) >> (64 - k / 100 % 60 - 1), (unsigned)(k / 100 % 60) + 1);
		}
		odds_finish(&writer, &bytes);
		struct odds_reader reader = odds_start(bytes.data, bytes.length);
		bool same = true;
		for (uint64_t k = 0; k < PUT && same; k++) {
			uint16_t got;
			uint64_t value;
			same = odds_get(&reader, &again, &got) && got == symbol[hash_mix(k) % odds_rows[i].symbols];
			if (k % 100 == 0)
				same = same && odds_get_bits(&reader, (unsigned)(k / 100 % 60) + 1, &value) &&
				       value == hash_mix(k) >> (64 - k / 100 % 60 - 1);
		}
		ROW(odds_rows[i].why, same && odds_ended(&reader));
		reader = odds_start(bytes.data, bytes.length / 2);
		for (uint64_t k = 0; k < PUT && same; k++) {
			uint16_t got;
			uint64_t value;
			same = odds_get(&reader, &again, &got) &&
			       (k % 100 || odds_get_bits(&reader, (unsigned)(k / 100 % 60) + 1, &value));
		}
		ROW(odds_rows[i].why, !same); /* half of them end too soon */
		odds_clear(&odds);
		odds_clear(&again);
		odds_writer_clear(&writer);
		text_clear(&bytes);
		text_clear(&packed);
	}
}

/* Symbols that are as likely as their table says take what they are worth: 2 bits each here. */
static void test_worth(void)
{
	static const uint16_t symbol[] = {10, 11, 12, 13};
	static const uint32_t count[] = {5, 5, 5, 5};
	struct odds odds = {0};
	struct odds_writer writer = {0};
	struct text bytes = {0};
	odds_of(&odds, 4, symbol, count);
	for (uint64_t k = 0; k < 4000; k++)
		odds_put(&writer, &odds, symbol[hash_mix(k) % 4]);
	odds_finish(&writer, &bytes);
	CU_ASSERT(bytes.length >= 1000 && bytes.length <= 1005);
	odds_clear(&odds);
	odds_writer_clear(&writer);
	text_clear(&bytes);
}

/* ------------------------------------------------------------------ times */

#define RANKS 3
#define EVENTS_MOST 20000

/* Programs with all that decides where an event is. */
static const struct {
	const char *why, *text;
} programs[] = {
	{"a loop", "0-2 sync MPI_Barrier 0-2\nfor i0 = 0 to 1999\n  0-2 sync MPI_Allreduce 0-2\n  0 send 1 tag1\n"
		   "  0 recv 1 tag1\ndone\n"},
	{"loops in loops, and counts that advance",
		"[0-2] for i0 = 0 to 39\n  [0-2] for i1 = 0 to {i0+p}\n    [0-2] p send p tag1\n    [0-2] p recv p tag1\n"
		"  done\n  [0-2] p sync MPI_Barrier 0-2\ndone\n"},
	{"guards and tables",
		"[0-2] for i0 = 0 to 299\n  if {i0%7} = 6\n    [0-2] for i1 = 0 to {$d[p]-1}\n      [0-2] p send p tag1\n"
		"      [0-2] p recv p tag1\n    done\n  else\n    [0-2] p sync MPI_Barrier 0-2\n  done\ndone\n"
		"// tables\n$d[p] = 3 0 5\n"},
	{"nothing for one of them", "for i0 = 0 to 9\n  0 send 2 tag1\n  0 recv 2 tag1\ndone\n"},
};

static struct prepared *program_of_body(const char *body)
{
	struct text text = {0};
	text_format(&text, "// tracenest 1\n// processes %d\n%s", RANKS, body);
	struct prepared *p = program_of(text.data);
	text_clear(&text);
	return p;
}

/* How long things take: round numbers, what follows no rule, nothing, hours. */
static uint64_t draw(uint64_t *seed, unsigned sort)
{
	uint64_t n = hash_mix(++*seed);
	switch (sort) {
	case 0:
		return 1000 * (n % 3);
	case 1:
		return n % 100 ? n >> 8 & 0x3ff : n >> 8 & 0xffffffff;
	default:
		return n >> (n % 64 > 20 ? n % 64 : 20) & ~UINT64_C(1);
	}
}

static uint64_t events_of(const struct prepared *n, uint32_t rank)
{
	struct environment e = {0};
	run_start(n->run, rank, &e);
	uint64_t events = run_count(n->run, &e, n->module->body);
	free(e.index);
	return events;
}

/* Of all events of a rank, in ticks from 0 on. */
static void make_times(const struct prepared *nodes, uint32_t rank, unsigned sort, struct event_time *to)
{
	uint64_t seed = hash_pair(rank, sort), end = UINT64_C(1) << 40;
	struct cursor *c = cursor_new(nodes->run, rank);
	for (size_t i = 0; cursor_next(c); i++) {
		struct event_time *t = &to[i];
		t->shares = i && hash_mix(++seed) % 4 == 0;
		if (t->shares) {
			*t = to[i - 1];
			t->shares = true;
		} else {
			t->other = hash_mix(++seed) % 5 ? 0 : draw(&seed, sort);
			t->enter = end + draw(&seed, sort) + t->other;
			t->leave = t->enter + draw(&seed, sort);
			end = t->leave;
		}
		uint64_t whole = t->leave - t->enter;
		t->time = t->enter + (whole ? hash_mix(++seed) % (whole + 1) : 0);
	}
	cursor_free(c);
}

static struct columns_kept keep_times(
	const struct prepared *nodes, const struct columns_form *form, struct event_time times[RANKS][EVENTS_MOST])
{
	struct columns_kept kept = {0};
	struct stored_numbers numbers = stored_numbers_of(nodes->module);
	struct columns *c = columns_new(&numbers, form, &kept);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct cursor *at = cursor_new(nodes->run, rank);
		columns_begin(c, rank, UINT64_C(1) << 39);
		for (size_t i = 0; cursor_next(at); i++)
			columns_add(c, at, &times[rank][i]);
		cursor_free(at);
	}
	columns_finish(c);
	columns_free(c);
	stored_numbers_clear(&numbers);
	return kept;
}

static bool is_within(uint64_t told, uint64_t true_one, double factor)
{
	return (double)told <= (double)true_one * factor && (double)told * factor >= (double)true_one;
}

/* What was told of an event, beside how it was; most: the longest time so far. */
static bool agrees(const struct columns_form *form, const struct event_time *told, const struct event_time *is,
	uint64_t told_end, uint64_t end, uint64_t *most)
{
	if (form->keep == COLUMNS_TIMESTAMPS)
		return told->time == is->time;
	if (form->keep == COLUMNS_CALLS)
		return told->time == is->time && told->enter == is->enter && told->leave == is->leave &&
		       told->shares == is->shares && told->other == is->other;
	uint64_t whole = is->leave - is->enter, told_whole = told->leave - told->enter;
	*most = whole > *most ? whole : *most;
	bool good = told->shares == is->shares && is_within(told_whole, whole, form->within) &&
		    told->time >= told->enter && told->time <= told->leave;
	double part = whole ? (double)(is->time - is->enter) / (double)whole : 0;
	double told_part = told_whole ? (double)(told->time - told->enter) / (double)told_whole : part;
	good = good && (!told_whole || fabs(part - told_part) <= form->within - 1.0 + 1.0 / (double)told_whole);
	if (!is->shares) {
		uint64_t gap = is->enter - end - is->other;
		*most = gap > *most ? gap : *most;
		*most = is->other > *most ? is->other : *most;
		good = good && is_within(told->other, is->other, form->within) &&
		       is_within(told->enter - told_end - told->other, gap, form->within);
	}
	/* no drift */
	double error = told->leave > is->leave ? (double)(told->leave - is->leave) : (double)(is->leave - told->leave);
	return good && error <= (form->within - 1) * (double)*most;
}

/* All blocks, each from its own beginning, the last one first. */
static void read_times(const char *why, const struct prepared *nodes, const struct columns_form *form,
	const struct columns_kept *kept, struct event_time times[RANKS][EVENTS_MOST])
{
	struct columns_cursor *cursor = columns_cursor_new(form);
	struct stored_numbers numbers = stored_numbers_of(nodes->module);
	uint64_t events = 0, wanted = 0;
	for (uint32_t rank = 0; rank < RANKS; rank++)
		wanted += events_of(nodes, rank);
	for (size_t s = kept->segments; s-- > 0;) {
		const struct columns_segment *x = &kept->segment[s];
		const struct text *text = &kept->tables[x->tables];
		struct columns_tables *tables = columns_tables_new(text->data, text->length);
		struct columns_index index;
		CU_ASSERT_PTR_NOT_NULL_FATAL(tables);
		CU_ASSERT_TRUE_FATAL(columns_index_read(&index, x->index.data, x->index.length, x->first, x->begin));
		for (size_t b = index.blocks; b-- > 0;) {
			const struct columns_block *block = &index.block[b];
			struct cursor *at = cursor_new(nodes->run, x->rank);
			bool good = columns_block_find(block, &numbers, at);
			uint64_t told_end = block->base, most = 0;
			const struct event_time *is = &times[x->rank][block->first];
			uint64_t end = block->first ? is[-1].leave : UINT64_C(1) << 39;
			for (uint64_t i = 0; form->keep == COLUMNS_WITHIN && i < block->first; i++) {
				const struct event_time *t = &times[x->rank][i];
				uint64_t before = i ? t[-1].leave : UINT64_C(1) << 39;
				most = t->leave - before > most ? t->leave - before : most;
			}
			columns_cursor_start(cursor, tables, x->rank, block, x->data.data + block->offset);
			for (uint64_t i = 0; i < block->events && good; i++, is++, events++) {
				struct event_time told;
				good = (!i || cursor_next(at)) &&
				       columns_cursor_next(cursor, numbers.of_line[at->line], &told) &&
				       agrees(form, &told, is, told_end, end, &most);
				told_end = told.leave;
				end = is->leave;
			}
			ROW(why, good);
			cursor_free(at);
		}
		columns_index_clear(&index);
		columns_tables_free(tables);
	}
	ROW(why, events == wanted);
	stored_numbers_clear(&numbers);
	columns_cursor_free(cursor);
}

static const struct columns_form forms[] = {{COLUMNS_TIMESTAMPS, 0}, {COLUMNS_CALLS, 0}, {COLUMNS_WITHIN, 1.2},
	{COLUMNS_WITHIN, 1.01}, {COLUMNS_WITHIN, 3}};

static void test_times(void)
{
	struct event_time(*times)[EVENTS_MOST] = mem_zero(RANKS * sizeof *times);
	for (size_t i = 0; i < COUNT(programs); i++) {
		struct prepared *program = program_of_body(programs[i].text);
		const struct prepared *nodes = program;
		for (unsigned sort = 0; sort < (watched() ? 1 : 3); sort++) {
			for (uint32_t rank = 0; rank < RANKS; rank++) {
				CU_ASSERT_FATAL(events_of(nodes, rank) <= EVENTS_MOST);
				make_times(nodes, rank, sort, times[rank]);
			}
			for (size_t f = 0; f < COUNT(forms); f++) {
				struct columns_kept kept = keep_times(nodes, &forms[f], times);
				read_times(programs[i].why, nodes, &forms[f], &kept, times);
				columns_kept_clear(&kept);
			}
		}
		prepared_free(program);
	}
	free(times);
}

/* Damaged bytes are told, or make other times; they never do harm. */
static void test_damage(void)
{
	struct event_time(*times)[EVENTS_MOST] = mem_zero(RANKS * sizeof *times);
	struct prepared *program = program_of_body(programs[1].text);
	const struct prepared *nodes = program;
	for (uint32_t rank = 0; rank < RANKS; rank++)
		make_times(nodes, rank, 1, times[rank]);
	for (size_t f = 0; f < 3; f++) {
		struct columns_kept kept = keep_times(nodes, &forms[f], times);
		struct columns_cursor *cursor = columns_cursor_new(&forms[f]);
		struct columns_segment *x = &kept.segment[0];
		for (uint64_t round = 0; round < 300; round++) {
			struct text *hurt[] = {&kept.tables[0], &x->index, &x->data};
			struct text *t = hurt[round % 3];
			size_t at = hash_mix(round) % t->length;
			char was = t->data[at];
			t->data[at] = (char)(was ^ (1 << round / 3 % 8));
			struct columns_tables *tables = columns_tables_new(kept.tables[0].data, kept.tables[0].length);
			struct columns_index index;
			if (columns_index_read(&index, x->index.data, x->index.length, x->first, x->begin)) {
				for (size_t b = 0; tables && b < index.blocks; b++) {
					const struct columns_block *block = &index.block[b];
					struct event_time told;
					if (block->offset + block->size > x->data.length)
						continue;
					columns_cursor_start(
						cursor, tables, x->rank, block, x->data.data + block->offset);
					for (uint64_t i = 0; i < block->events &&
							     columns_cursor_next(cursor, block->statement, &told);)
						i++;
				}
				columns_index_clear(&index);
			}
			columns_tables_free(tables);
			t->data[at] = was;
		}
		columns_cursor_free(cursor);
		columns_kept_clear(&kept);
	}
	prepared_free(program);
	free(times);
}

void suite_columns(CU_pSuite suite)
{
	CU_ADD_TEST(suite, test_odds);
	CU_ADD_TEST(suite, test_worth);
	CU_ADD_TEST(suite, test_times);
	CU_ADD_TEST(suite, test_damage);
}
