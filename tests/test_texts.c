/*
 * test_texts.c -- random texts of programs against a naive reading of what they stand for.
 *
 * A random tree is written down in one way of the many that readers accept, and executed by the
 * letter: for each process, with the loops' indices in hand. The program that is read from the text
 * must execute the same, as it stands, printed and read again, and unfolded; where the tree
 * computes a rank that is none or a tag below 0, the text must be refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/unfolding.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/prepared.h"
#include "tests/executed.h"
#include "tests/models.h"
#include "tests/unit.h"

#define DEPTH 3
#define LINES_MOST 20000

/* ------------------------------------------------------------------ trees */

/* constant + p*P + axis[0]*x + axis[1]*y + by[0]*i0 + ... + (inside mod modulus) * factor + what
   stands in a table, or in two, multiplied, * factor + base^exponent * scale, where inside is
   constant + p*P + by[0]*i0 + ... */
struct sum {
	int64_t constant, p, axis[2], by[DEPTH];
};

#define ARGUMENTS 3

struct entry {
	unsigned table, arguments; /* table: 1: the first; 0: none */
	int64_t factor;
	struct sum argument[ARGUMENTS];
	int64_t modulus[ARGUMENTS]; /* 0: as it is */
};

struct number {
	struct sum plain, inside;
	int64_t modulus, factor; /* modulus 0: no remainder */
	struct entry look, by; /* by: only beside the other, factor 1 */
	struct sum exponent;
	int64_t base, scale; /* base 0: no power */
};

/* Blocks of rows of numbers, which differ in length; a table of one argument has one row. */
#define ROWS 3
#define COLUMNS 6

struct table {
	unsigned arguments, blocks, rows, columns; /* columns: of the shortest row */
	unsigned length[ROWS][ROWS];
	int64_t entry[ROWS][ROWS][COLUMNS];
};

enum kind { LOOP, GUARD, SEND, RECV, SYNC, LOCAL };
enum relation { NOT_ZERO, EQUAL, OTHER_THAN, AMONG, NOT_AMONG };
enum where { NUMBER, OFFSET, XOR, RING, GRID };

struct partner {
	enum where where;
	struct number number;
	struct sum axis[2];
	int64_t modulus;
};

struct tree {
	enum kind kind;
	bool plain; /* without a set */
	uint32_t set; /* bits: who executes it; of a plain loop: who may */
	const char *index; /* LOOP */
	int64_t low;
	struct number last;
	struct number condition; /* GUARD: in this relation to the numbers (bits), one or some */
	enum relation relation;
	uint32_t numbers;
	struct tree *other; /* GUARD: what is done else; NULL: nothing */
	struct entry who; /* of an event: it is executed by this process alone */
	struct partner place; /* the other end, or the root */
	bool rooted;
	const char *words; /* stem of the tag, name of the sync, description */
	bool numbered, named; /* has it a number; a communicator? */
	struct number tag, communicator;
	bool row, told; /* SYNC: of the row of the grid; of those with the same communicator; else of `group` */
	uint32_t group;
	struct tree *body;
	size_t length;
};

struct maker {
	unsigned seed;
	uint32_t processes, width; /* width 0: no grid */
	unsigned statements; /* that may still be made */
	struct table table[2];
	unsigned lookups, guards; /* that were made */
	unsigned inside; /* guards, and loops of different counts, that are being made: whom a
			    statement names must pass them */
};

static unsigned below(struct maker *m, unsigned limit)
{
	return (unsigned)rand_r(&m->seed) % limit;
}

static bool chance(struct maker *m, unsigned in)
{
	return !below(m, in);
}

static uint32_t everybody(const struct maker *m)
{
	return (UINT32_C(1) << m->processes) - 1;
}

/* Some of these processes, at least one. */
static uint32_t some_of(struct maker *m, uint32_t set)
{
	uint32_t some = chance(m, 3) ? set : set & (uint32_t)rand_r(&m->seed);
	return some ? some : set;
}

static uint32_t one_of(struct maker *m, uint32_t set)
{
	for (;;) {
		uint32_t one = UINT32_C(1) << below(m, m->processes);
		if (set & one)
			return one;
	}
}

static int64_t sign(struct maker *m)
{
	return chance(m, 3) ? -1 : 1;
}

static void add_indices(struct maker *m, struct sum *sum, unsigned depth)
{
	for (unsigned d = 0; d < depth; d++)
		sum->by[d] = chance(m, 3) ? sign(m) * (1 + below(m, 2)) : 0;
}

static void make_tables(struct maker *m)
{
	for (size_t i = 0; i < COUNT(m->table); i++) {
		struct table *t = &m->table[i];
		t->arguments = 1 + below(m, ARGUMENTS);
		t->blocks = t->arguments == 3 ? 1 + below(m, ROWS) : 1;
		t->rows = t->arguments > 1 ? 1 + below(m, ROWS) : 1;
		t->columns = 1 + below(m, COLUMNS - 1);
		for (unsigned b = 0; b < t->blocks; b++)
			for (unsigned r = 0; r < t->rows; r++) {
				t->length[b][r] = t->columns + (b == 0 && r == 0 ? 0 : below(m, 2));
				for (unsigned c = 0; c < t->length[b][r]; c++)
					t->entry[b][r][c] = below(m, m->processes < 4 ? m->processes : 4);
			}
	}
}

static bool has_indices(const struct sum *s)
{
	return s->by[0] || s->by[1] || s->by[2];
}

/* What is looked up is there, mostly; always where no index tells how often it is looked up. A
   lookup has a variable. */
static void make_lookup(struct maker *m, struct entry *look, unsigned depth, bool uniform)
{
	unsigned which = below(m, COUNT(m->table));
	const struct table *t = &m->table[which];
	const int64_t size[] = {t->columns, t->rows, t->blocks};
	bool varies = false;
	*look = (struct entry){.arguments = t->arguments, .factor = 1 + !below(m, 4)};
	for (unsigned i = 0; i < t->arguments; i++) {
		struct sum *a = &look->argument[i];
		a->constant = below(m, 3);
		a->p = uniform ? 0 : below(m, 2);
		add_indices(m, a, depth);
		varies = varies || a->p || has_indices(a);
		look->modulus[i] = size[t->arguments - 1 - i];
		if (has_indices(a) && chance(m, 16))
			look->modulus[i] = 0;
	}
	look->table = varies ? which + 1 : 0;
	m->lookups += varies;
}

/* Hardly ever negative, or so large that 64 bits do not suffice. */
static void make_power(struct maker *m, struct number *n, unsigned depth, bool uniform)
{
	n->base = 2 + below(m, 3);
	n->scale = 1 + below(m, 3);
	n->exponent = (struct sum){.constant = below(m, 9)};
	n->exponent.p = uniform ? 0 : below(m, 2);
	add_indices(m, &n->exponent, depth);
}

/* Without indices it is not negative, as such are refused even where they are never executed. */
static struct number make_number(struct maker *m, unsigned depth, bool uniform)
{
	struct number n = {.plain.constant = below(m, 9)};
	if (!uniform) {
		n.plain.p = below(m, 3);
		n.plain.axis[0] = m->width ? below(m, 3) : 0;
		n.plain.axis[1] = m->width ? below(m, 3) : 0;
	}
	add_indices(m, &n.plain, depth);
	if (chance(m, 3)) {
		n.modulus = 1 + below(m, 5);
		n.factor = 1 + below(m, 3);
		n.inside.constant = below(m, 7);
		n.inside.p = uniform ? 0 : sign(m) * below(m, 3);
		add_indices(m, &n.inside, depth);
	}
	if (chance(m, 4))
		make_lookup(m, &n.look, depth, uniform);
	if (n.look.table && chance(m, 3))
		make_lookup(m, &n.by, depth, uniform);
	n.by.factor = 1;
	if (chance(m, 6))
		make_power(m, &n, depth, uniform);
	return n;
}

static bool reaches(const struct maker *m, uint32_t set, enum where where, int64_t number)
{
	bool good = true;
	for (uint32_t p = 0; p < m->processes; p++) {
		int64_t q = where == XOR ? p ^ number : p + number;
		good = good && (!(set >> p & 1) || (q >= 0 && q < m->processes));
	}
	return good;
}

static struct partner make_place(struct maker *m, uint32_t set, unsigned depth, bool plain)
{
	struct partner f = {.where = plain ? NUMBER : (enum where)below(m, m->width ? 5 : 4)};
	int64_t move = below(m, m->processes);
	move *= f.where == XOR ? 1 : sign(m);
	if ((f.where == OFFSET || f.where == XOR) && !reaches(m, set, f.where, move))
		move = 0;
	if (f.where == NUMBER)
		move = below(m, m->processes);
	f.number.plain.constant = move;
	if (f.where != XOR && chance(m, 2))
		add_indices(m, &f.number.plain, depth);
	if (f.where == NUMBER && chance(m, 4))
		make_lookup(m, &f.number.look, depth, plain);
	if (f.number.look.table) { /* what stands in the table is a rank */
		f.number.plain = (struct sum){0};
		f.number.look.factor = 1;
	}
	f.modulus = 1 + below(m, m->processes);
	if (f.where == RING && chance(m, 3))
		make_power(m, &f.number, depth, true);
	if (f.where == XOR && chance(m, 2) && !(m->processes & (m->processes - 1))) {
		f.number = (struct number){.modulus = m->processes, .factor = 1};
		f.number.inside.constant = move;
		add_indices(m, &f.number.inside, depth);
	}
	for (unsigned i = 0; i < 2; i++) {
		f.axis[i] = (struct sum){.constant = (int64_t)below(m, 4) - 1};
		f.axis[i].axis[below(m, 2)] = sign(m);
		if (chance(m, 3))
			add_indices(m, &f.axis[i], depth);
	}
	return f;
}

static const char *const stems[] = {"tag", "t", "tag00", "007", "0", "x\\", "\"q\"", "t.5e", "%7B", "a-b", "[0]", "p",
	"for", "done", "\xc3\xa9", "a/b"};
static const char *const varying_stems[] = {"tag", "t", "x\\", "", "a-b", "p", "for", "\xc3\xa9", "t.5e"};

static void make_message(struct maker *m, struct tree *t, uint32_t around, unsigned depth)
{
	t->kind = chance(m, 2) ? SEND : RECV;
	t->set = t->plain ? one_of(m, around) : some_of(m, around);
	t->place = make_place(m, t->set, depth, t->plain);
	t->numbered = chance(m, 2);
	t->words = t->numbered ? varying_stems[below(m, COUNT(varying_stems))] : stems[below(m, COUNT(stems))];
	t->tag = make_number(m, depth, t->plain);
	t->named = chance(m, 4);
	t->communicator = t->plain ? (struct number){.plain.constant = below(m, 4)} : make_number(m, depth, false);
}

static void make_sync(struct maker *m, struct tree *t, uint32_t around, unsigned depth)
{
	t->kind = SYNC;
	t->set = some_of(m, around);
	t->words = chance(m, 2) ? "MPI_Barrier" : "S";
	t->row = !t->plain && m->width && chance(m, 2);
	t->group = t->set | (uint32_t)rand_r(&m->seed) % (UINT32_C(1) << m->processes);
	t->rooted = chance(m, 2);
	t->place = make_place(m, t->set, depth, t->plain);
	t->named = chance(m, 4);
	t->communicator = t->plain ? (struct number){.plain.constant = below(m, 4)} : make_number(m, depth, false);
	t->told = !t->plain && !t->row && chance(m, 3);
	if (t->told) {
		t->named = true;
		t->communicator = (struct number){.plain.constant = below(m, 4),
			.inside.p = 1,
			.modulus = 2 + below(m, 2),
			.factor = 1 + below(m, 2)};
		add_indices(m, &t->communicator.plain, depth);
	}
}

static void make_body(struct maker *m, struct tree *t, uint32_t around, unsigned depth);

static void make_loop(struct maker *m, struct tree *t, uint32_t around, unsigned depth)
{
	static const char *const names[] = {"i0", "i", "step", "x1", "i1", "_k"};
	t->kind = LOOP;
	t->set = t->plain ? around : some_of(m, around);
	t->index = names[below(m, COUNT(names))];
	t->low = chance(m, 2) ? 0 : (int64_t)below(m, 7) - 3;
	t->last.plain.constant = t->low - 1 + below(m, 5);
	if (chance(m, 3))
		add_indices(m, &t->last.plain, depth);
	if (chance(m, 4))
		make_lookup(m, &t->last.look, depth, t->plain);
	const struct sum *argument = t->last.look.argument;
	bool uneven = t->last.look.table && (argument[0].p || argument[1].p || argument[2].p);
	m->inside += uneven;
	make_body(m, t, t->set, depth + 1);
	m->inside -= uneven;
}

static bool varies(const struct number *n)
{
	return n->look.table || n->plain.p || n->plain.axis[0] || n->plain.axis[1] || has_indices(&n->plain) ||
	       (n->base && (n->exponent.p || has_indices(&n->exponent))) ||
	       (n->modulus && (n->inside.p || has_indices(&n->inside)));
}

/* Its condition may depend on the process, though it has no set. */
static bool make_guard(struct maker *m, struct tree *t, uint32_t around, unsigned depth)
{
	t->plain = true;
	t->set = around;
	t->condition = make_number(m, depth, false);
	t->relation = (enum relation)below(m, NOT_AMONG + 1);
	t->numbers = UINT32_C(1) << below(m, 9);
	if (t->relation >= AMONG)
		t->numbers |= (uint32_t)rand_r(&m->seed) & 0x1fff;
	if (!varies(&t->condition))
		return false;
	m->guards++;
	m->inside++;
	t->kind = GUARD;
	make_body(m, t, t->set, depth);
	if (chance(m, 2)) {
		t->other = mem_zero(sizeof *t->other);
		make_body(m, t->other, t->set, depth);
	}
	m->inside--;
	return true;
}

static void make_statement(struct maker *m, struct tree *t, uint32_t around, unsigned depth)
{
	t->plain = chance(m, 3);
	unsigned kind = below(m, depth < DEPTH ? 10 : 7);
	if (chance(m, 8) && make_guard(m, t, around, depth))
		return;
	if (kind >= 7) {
		make_loop(m, t, around, depth);
	} else if (kind >= 3) {
		make_message(m, t, around, depth);
	} else if (kind >= 1) {
		make_sync(m, t, around, depth);
	} else {
		t->kind = LOCAL;
		t->set = t->plain ? one_of(m, around) : some_of(m, around);
		t->words = chance(m, 2) ? "call MPI_Wait" : "a b c";
	}
	/* a peer next to p may be none for who is named, which is refused also where nothing is
	   executed */
	bool beside = depth && (t->place.where == XOR || t->place.where == OFFSET);
	if (!t->plain && t->kind != LOOP && around == everybody(m) && !m->inside && !beside && chance(m, 8))
		make_lookup(m, &t->who, depth, true);
	if (t->who.table) { /* whoever it is, may execute it */
		t->set = t->group = around;
		t->row = t->told = false;
	}
	t->who.factor = 1;
}

/* The same once more. */
static void copy_tree(struct tree *to, const struct tree *from)
{
	*to = *from;
	if (from->body)
		to->body = mem_zero((from->length + 1) * sizeof *to->body);
	for (size_t i = 0; i < from->length; i++)
		copy_tree(&to->body[i], &from->body[i]);
	if (!from->other)
		return;
	to->other = mem_zero(sizeof *to->other);
	copy_tree(to->other, from->other);
}

static void make_body(struct maker *m, struct tree *t, uint32_t around, unsigned depth)
{
	size_t length = depth ? below(m, 4) : 2 + below(m, 5);
	t->body = mem_zero((length + 1) * sizeof *t->body);
	for (; t->length < length && m->statements; t->length++) {
		m->statements--;
		if (t->length && chance(m, 6))
			copy_tree(&t->body[t->length], &t->body[below(m, (unsigned)t->length)]);
		else
			make_statement(m, &t->body[t->length], around, depth);
	}
	if (t->length < 3 || !chance(m, 4))
		return;
	size_t once = t->length, copies = (2 + below(m, 3)) * once; /* all of it again */
	t->body = mem_resize(t->body, once + copies, sizeof *t->body);
	for (size_t i = 0; i < copies; i++) {
		struct tree *copy = &t->body[once + i];
		copy_tree(copy, &t->body[i % once]);
		copy->tag.plain.constant += copy->numbered && chance(m, 6);
	}
	t->length += copies;
}

static void clear_tree(struct tree *t)
{
	for (size_t i = 0; i < t->length; i++)
		clear_tree(&t->body[i]);
	if (t->other)
		clear_tree(t->other);
	free(t->other);
	free(t->body);
}

/* ------------------------------------------------------------------ written */

struct names {
	const char *name[DEPTH];
	unsigned depth;
	const char *table[2];
	unsigned calls; /* around */
	bool shifted; /* constants are written as that of the call, and what is missing */
	int64_t shift;
};

static const struct names outermost = {.table = {"t", "nbr_2"}};

static bool has_variables(const struct sum *s)
{
	return s->p || s->axis[0] || s->axis[1] || has_indices(s);
}

/* Is it more than a number? */
static bool advances(const struct number *n)
{
	return n->look.table || has_indices(&n->plain);
}

static void write_term(int64_t factor, const char *name, bool swapped, bool *any, struct text *out)
{
	if (!factor)
		return;
	text_put(out, factor < 0 ? "-" : *any ? "+" : "");
	int64_t size = factor < 0 ? -factor : factor;
	if (size == 1)
		text_put(out, name);
	else if (swapped)
		text_format(out, "%s*%" PRId64, name, size);
	else
		text_format(out, "%" PRId64 "*%s", size, name);
	*any = true;
}

/* An index whose name an inner loop has, too, cannot be written: its factors must be 0
   (hide_indices). */
static bool write_sum(const struct sum *s, const struct names *scope, bool any, struct text *out)
{
	int64_t constant = s->constant;
	if (scope->shifted && constant % 2) {
		constant -= scope->shift;
		write_term(1, "shift", false, &any, out);
	}
	if (constant < 0 || (constant && any))
		text_format(out, "%+" PRId64, constant);
	else if (constant)
		text_number(out, (uint64_t)constant);
	any = any || constant;
	for (unsigned d = scope->depth; d-- > 0;)
		write_term(s->by[d], scope->name[d], d == 1, &any, out);
	write_term(s->axis[1], "y", true, &any, out);
	write_term(s->axis[0], "x", false, &any, out);
	write_term(s->p, "p", false, &any, out);
	return any;
}

static void write_lookup(const struct entry *look, const struct names *scope, const char *before, struct text *out)
{
	if (!look->table)
		return;
	text_put(out, before);
	if (look->factor != 1)
		text_format(out, "%" PRId64 "*", look->factor);
	text_format(out, "$%s[", scope->table[look->table - 1]);
	for (unsigned i = 0; i < look->arguments; i++) {
		text_put(out, i ? "," : "");
		text_put(out, look->modulus[i] ? "(" : "");
		if (!write_sum(&look->argument[i], scope, false, out))
			text_char(out, '0');
		if (look->modulus[i])
			text_format(out, ")%%%" PRId64, look->modulus[i]);
	}
	text_char(out, ']');
}

static void write_power(const struct number *n, const struct names *scope, bool any, struct text *out)
{
	if (!n->base)
		return;
	text_put(out, any ? "+" : "");
	if (n->scale != 1)
		text_format(out, "%" PRId64 "*", n->scale);
	text_format(out, "%" PRId64 "^(", n->base);
	if (!write_sum(&n->exponent, scope, false, out))
		text_char(out, '0');
	text_char(out, ')');
}

static void write_braces(const struct number *n, const struct names *scope, struct text *out)
{
	text_char(out, '{');
	bool any = write_sum(&n->plain, scope, false, out);
	if (n->modulus) {
		text_put(out, any ? "+(" : "(");
		if (!write_sum(&n->inside, scope, false, out))
			text_char(out, '0');
		text_format(out, ")%%%" PRId64, n->modulus);
		if (n->factor != 1)
			text_format(out, "*%" PRId64, n->factor);
	} else if (!any && !n->look.table && !n->base) {
		text_char(out, '0');
	}
	any = any || n->modulus;
	write_lookup(&n->look, scope, any ? "+" : "", out);
	if (n->look.table)
		write_lookup(&n->by, scope, "*", out);
	write_power(n, scope, any || n->look.table, out);
	text_char(out, '}');
}

static void write_number(const struct number *n, const struct names *scope, struct text *out)
{
	static const struct sum none;
	bool product = n->look.table && n->by.table && n->look.factor == 1 && !n->modulus && !n->base;
	if (!product || memcmp(&n->plain, &none, sizeof none)) {
		write_braces(n, scope, out);
		return;
	}
	write_lookup(&n->look, scope, "", out);
	write_lookup(&n->by, scope, "*", out);
}

static void write_place(const struct partner *f, const struct names *scope, struct text *out)
{
	switch (f->where) {
	case NUMBER:
		if (advances(&f->number))
			write_number(&f->number, scope, out);
		else
			text_number(out, (uint64_t)f->number.plain.constant);
		break;
	case OFFSET:
		text_char(out, 'p');
		write_sum(&f->number.plain, scope, true, out);
		break;
	case XOR:
		text_put(out, "p^");
		if (f->number.modulus)
			write_number(&f->number, scope, out);
		else
			text_format(out, "%" PRId64, f->number.plain.constant);
		break;
	case RING:
		text_put(out, "(p");
		write_sum(&f->number.plain, scope, true, out);
		write_power(&f->number, scope, true, out);
		text_format(out, ")%%%" PRId64, f->modulus);
		break;
	case GRID:
		for (unsigned i = 0; i < 2; i++) {
			text_put(out, i ? "," : "@(");
			if (!write_sum(&f->axis[i], scope, false, out))
				text_char(out, '0');
		}
		text_char(out, ')');
		break;
	}
}

static void write_set(uint32_t set, struct text *out)
{
	struct ranks ranks = {0};
	for (uint32_t p = 0; p < 32; p++)
		if (set >> p & 1)
			ranks_add(&ranks, p);
	ranks_print(&ranks, out);
	ranks_clear(&ranks);
}

static void write_communicator(const struct tree *t, const struct names *scope, struct text *out)
{
	if (!t->named)
		return;
	text_char(out, '@');
	if (t->plain)
		text_number(out, (uint64_t)t->communicator.plain.constant);
	else
		write_number(&t->communicator, scope, out);
}

static void write_own(const struct tree *t, struct text *out)
{
	if (t->plain)
		write_set(t->set, out);
	else
		text_char(out, 'p');
}

static void write_message(const struct tree *t, const struct names *scope, struct text *out)
{
	if (t->kind == SEND) {
		write_own(t, out);
		text_put(out, " send ");
		write_place(&t->place, scope, out);
	} else {
		write_place(&t->place, scope, out);
		text_put(out, " recv ");
		write_own(t, out);
	}
	text_format(out, " %s", t->words);
	if (t->numbered)
		write_number(&t->tag, scope, out);
	write_communicator(t, scope, out);
}

static void write_sync(const struct tree *t, const struct names *scope, struct text *out)
{
	write_own(t, out);
	text_format(out, " sync %s ", t->words);
	if (t->row)
		text_put(out, "@(*,y)");
	else if (!t->told)
		write_set(t->group, out);
	write_communicator(t, scope, out);
	if (!t->rooted)
		return;
	text_put(out, " root=");
	write_place(&t->place, scope, out);
}

static void write_numbers(uint32_t numbers, struct text *out)
{
	bool first = true;
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t last = i;
		if (!(numbers >> i & 1))
			continue;
		while (last < 31 && numbers >> (last + 1) & 1)
			last++;
		text_put(out, first ? "" : ",");
		text_number(out, i);
		if (last > i)
			text_format(out, "..%" PRIu32, last);
		first = false;
		i = last;
	}
}

static void write_condition(const struct tree *t, const struct names *scope, struct text *out)
{
	text_put(out, "if ");
	write_number(&t->condition, scope, out);
	if (t->relation == EQUAL || t->relation == OTHER_THAN)
		text_format(out, " %s %d", t->relation == EQUAL ? "=" : "!=", __builtin_ctz(t->numbers));
	if (t->relation == AMONG || t->relation == NOT_AMONG) {
		text_put(out, t->relation == AMONG ? " in {" : " not in {");
		write_numbers(t->numbers, out);
		text_char(out, '}');
	}
	text_char(out, '\n');
}

/* What a program's text says of itself. */
struct written {
	struct maker *m;
	struct text *out; /* statements so far */
	struct text *procedures; /* their definitions so far */
	struct intern *bodies; /* what these are behind their names */
};

static void write_body(struct written *w, const struct tree *body, struct names scope);

static void write_statement(struct written *w, const struct tree *t, struct names scope)
{
	struct text *out = w->out;
	if (!t->plain) {
		text_char(out, '[');
		if (t->who.table)
			write_lookup(&t->who, &scope, "", out);
		else
			write_set(t->set, out);
		text_put(out, "] ");
	}
	switch (t->kind) {
	case LOOP:
		text_format(out, "for %s = %" PRId64 " to ", t->index, t->low);
		if (advances(&t->last))
			write_number(&t->last, &scope, out);
		else
			text_format(out, "%" PRId64, t->last.plain.constant);
		text_char(out, '\n');
		struct names inside = scope;
		inside.name[inside.depth++] = t->index;
		write_body(w, t, inside);
		text_put(out, "done");
		break;
	case GUARD:
		write_condition(t, &scope, out);
		write_body(w, t, scope);
		if (t->other) {
			text_put(out, "else\n");
			write_body(w, t->other, scope);
		}
		text_put(out, "done");
		break;
	case SYNC:
		write_sync(t, &scope, out);
		break;
	case LOCAL:
		write_own(t, out);
		text_format(out, " local %s", t->words);
		break;
	default:
		write_message(t, &scope, out);
	}
	text_char(out, '\n');
}

/* Statements as a call of a procedure, to which all that is not its own comes as an argument. */
static void write_call(struct written *w, const struct tree *from, size_t length, struct names scope)
{
	static const char *const parameters[] = {"n", "m_1", "i9"};
	struct names inside = scope;
	struct text body = {0}, arguments = {0}, *out = w->out;
	inside.calls++;
	inside.shift = 3;
	inside.shifted = true;
	text_put(&body, "(");
	for (unsigned d = 0; d < scope.depth; d++) {
		inside.name[d] = parameters[d];
		text_format(&arguments, "%s,", scope.name[d]);
		text_format(&body, "%s,", parameters[d]);
	}
	for (size_t i = 0; i < COUNT(scope.table); i++) {
		inside.table[i] = outermost.table[!i];
		text_format(&arguments, "$%s,", scope.table[i]);
		text_format(&body, "$%s,", inside.table[i]);
	}
	write_sum(&(struct sum){.constant = 3}, &scope, false, &arguments);
	text_put(&body, "shift)\n");
	w->out = &body;
	write_body(w, &(struct tree){.body = (struct tree *)from, .length = length}, inside);
	w->out = out;
	text_put(&body, "done\n");
	uint32_t known = intern_count(w->bodies), id = intern_id(w->bodies, body.data, body.length);
	if (id == known)
		text_format(w->procedures, "procedure f%" PRIu32 "%s", id, body.data);
	text_format(out, "call f%" PRIu32 "(%s)\n", id, arguments.data);
	text_clear(&body);
	text_clear(&arguments);
}

/* An index that loops of one name hide is no argument. */
static bool hides(const struct names *scope)
{
	for (unsigned d = 0; d < scope->depth; d++)
		for (unsigned e = d + 1; e < scope->depth; e++)
			if (!strcmp(scope->name[d], scope->name[e]))
				return true;
	return false;
}

static void write_body(struct written *w, const struct tree *body, struct names scope)
{
	for (size_t i = 0; i < body->length;) {
		size_t length = 1 + below(w->m, 2);
		length = length < body->length - i ? length : body->length - i;
		if (w->procedures && scope.calls < 2 && !hides(&scope) && chance(w->m, 3)) {
			write_call(w, &body->body[i], length, scope);
			i += length;
		} else {
			write_statement(w, &body->body[i++], scope);
		}
	}
}

/* A row in one of the ways that there are. */
static void write_row(const int64_t *entry, unsigned length, unsigned way, struct text *out)
{
	unsigned i = 0;
	if (way == 1) { /* digits */
		text_put(out, " 1'");
		for (; i < length; i++)
			text_format(out, "%" PRId64, entry[i]);
		text_char(out, '\'');
		return;
	}
	while (i < length) {
		unsigned same = 1, up = 1;
		while (i + same < length && entry[i + same] == entry[i])
			same++;
		while (i + up < length && entry[i + up] == entry[i] + up)
			up++;
		if (way == 2 && same > 1)
			text_format(out, " (%" PRId64 ")*%u", entry[i], same);
		else if (way == 2 && up > 1)
			text_format(out, " %" PRId64 "..%" PRId64, entry[i], entry[i + up - 1]);
		else
			text_format(out, " %" PRId64, entry[i]);
		i += way != 2 ? 1 : same > 1 ? same : up;
	}
}

static void write_tables(struct maker *m, struct text *out)
{
	static const char *const brackets[] = {"i0", "p,i1", "a,b,c"};
	if (chance(m, 2))
		text_put(out, "// tables\n");
	for (size_t i = 0; i < COUNT(m->table); i++) {
		const struct table *t = &m->table[i];
		text_format(out, "$%s[%s] =", outermost.table[i], brackets[t->arguments - 1]);
		for (unsigned b = 0; b < t->blocks; b++) {
			text_put(out, b ? " ||" : "");
			for (unsigned r = 0; r < t->rows; r++) {
				text_put(out, r ? " |" : "");
				write_row(t->entry[b][r], t->length[b][r], below(m, 3), out);
			}
		}
		text_char(out, '\n');
	}
}

/* Indices that have the name of one inside them. */
static void hide_sum(struct sum *s, const struct names *scope)
{
	for (unsigned d = 0; d < scope->depth; d++)
		for (unsigned e = d + 1; e < scope->depth; e++)
			if (!strcmp(scope->name[d], scope->name[e]))
				s->by[d] = 0;
}

static void hide_lookup(struct entry *look, const struct names *scope)
{
	for (unsigned i = 0; i < ARGUMENTS; i++)
		hide_sum(&look->argument[i], scope);
	bool any = false;
	for (unsigned i = 0; i < ARGUMENTS; i++)
		any = any || has_variables(&look->argument[i]);
	if (!any)
		look->table = 0;
}

static void hide_indices(struct tree *t, struct names scope)
{
	struct sum *all[] = {&t->last.plain, &t->place.number.plain, &t->place.axis[0], &t->place.axis[1],
		&t->tag.plain, &t->tag.inside, &t->communicator.plain, &t->communicator.inside, &t->condition.plain,
		&t->condition.inside, &t->place.number.inside, &t->place.number.exponent, &t->tag.exponent,
		&t->communicator.exponent, &t->condition.exponent};
	for (size_t i = 0; i < COUNT(all); i++)
		hide_sum(all[i], &scope);
	struct entry *looks[] = {&t->last.look, &t->place.number.look, &t->tag.look, &t->communicator.look,
		&t->condition.look, &t->who, &t->tag.by, &t->communicator.by, &t->condition.by};
	for (size_t i = 0; i < COUNT(looks); i++)
		hide_lookup(looks[i], &scope);
	if (t->kind == LOOP && !has_indices(&t->last.plain) && t->last.plain.constant < t->low - 1)
		t->last.plain.constant = t->low - 1;
	if (t->index)
		scope.name[scope.depth++] = t->index;
	for (size_t i = 0; i < t->length; i++)
		hide_indices(&t->body[i], scope);
	if (t->other)
		hide_indices(t->other, scope);
}

/* ------------------------------------------------------------------ executed */

struct run {
	const struct maker *m;
	int64_t p;
	int64_t index[DEPTH]; /* as written */
	struct text *out; /* NULL: count only */
	size_t lines;
	bool wrong;
	bool either; /* where it does not matter */
};

static int64_t modulo(int64_t a, int64_t modulus)
{
	return (a % modulus + modulus) % modulus;
}

static int64_t sum_of(const struct run *r, const struct sum *s)
{
	int64_t x = r->m->width ? r->p % r->m->width : 0, y = r->m->width ? r->p / r->m->width : 0;
	int64_t sum = s->constant + s->p * r->p + s->axis[0] * x + s->axis[1] * y;
	for (unsigned d = 0; d < DEPTH; d++)
		sum += s->by[d] * r->index[d];
	return sum;
}

static int64_t looked_up(struct run *r, const struct entry *look)
{
	if (!look->table)
		return 0;
	const struct table *t = &r->m->table[look->table - 1];
	int64_t at[ARGUMENTS] = {0};
	for (unsigned i = 0; i < t->arguments; i++) {
		int64_t a = sum_of(r, &look->argument[i]);
		at[ARGUMENTS - t->arguments + i] = look->modulus[i] ? modulo(a, look->modulus[i]) : a;
	}
	bool there = at[0] >= 0 && at[0] < t->blocks && at[1] >= 0 && at[1] < t->rows && at[2] >= 0 &&
		     at[2] < t->length[at[0]][at[1]];
	r->wrong = r->wrong || !there;
	return there ? t->entry[at[0]][at[1]][at[2]] * look->factor : 0;
}

static __int128 power_of(struct run *r, const struct number *n)
{
	if (!n->base)
		return 0;
	int64_t exponent = sum_of(r, &n->exponent);
	__int128 power = n->scale;
	for (int64_t i = 0; i < exponent && power <= INT64_MAX; i++)
		power *= n->base;
	bool good = exponent >= 0 && power <= INT64_MAX;
	r->wrong = r->wrong || !good;
	return good ? power : 0;
}

static __int128 wide_of(struct run *r, const struct number *n)
{
	int64_t entry = looked_up(r, &n->look);
	if (n->look.table && n->by.table)
		entry *= looked_up(r, &n->by);
	return sum_of(r, &n->plain) + (n->modulus ? modulo(sum_of(r, &n->inside), n->modulus) * n->factor : 0) + entry +
	       power_of(r, n);
}

static int64_t number_of(struct run *r, const struct number *n)
{
	__int128 number = wide_of(r, n);
	bool fits = number == (int64_t)number;
	r->wrong = r->wrong || !fits;
	return fits ? (int64_t)number : 0;
}

static int64_t rank_of(struct run *r, const struct partner *f)
{
	__int128 wide = wide_of(r, &f->number);
	int64_t number = (int64_t)(f->where == RING ? wide % f->modulus : wide), rank = 0, width = r->m->width,
		height = width ? r->m->processes / width : 0;
	switch (f->where) {
	case NUMBER:
		rank = number;
		break;
	case OFFSET:
		rank = r->p + number;
		break;
	case XOR:
		rank = r->p ^ number;
		break;
	case RING:
		rank = modulo(r->p + number, f->modulus);
		break;
	case GRID:
		rank = modulo(sum_of(r, &f->axis[0]), width) + width * modulo(sum_of(r, &f->axis[1]), height);
		break;
	}
	r->wrong = r->wrong || rank < 0 || (f->where != NUMBER && rank >= r->m->processes);
	return rank;
}

static void say_communicator(struct run *r, const struct tree *t, struct text *line)
{
	if (!t->named)
		return;
	int64_t communicator = number_of(r, &t->communicator);
	text_format(line, "@%" PRId64, communicator);
	r->wrong = r->wrong || communicator < 0;
}

static void say_message(struct run *r, const struct tree *t, struct text *line)
{
	int64_t other = rank_of(r, &t->place), number = t->numbered ? number_of(r, &t->tag) : 0;
	text_format(line, "%" PRId64 " %s %" PRId64 " %s", t->kind == SEND ? r->p : other,
		t->kind == SEND ? "send" : "recv", t->kind == SEND ? other : r->p, t->words);
	if (t->numbered) {
		text_format(line, "%" PRId64, number);
		r->wrong = r->wrong || number < 0;
	}
	say_communicator(r, t, line);
}

/* Those who execute it, and compute the same communicator. */
static uint32_t members_told(struct run *r, const struct tree *t)
{
	int64_t own = r->p, number = number_of(r, &t->communicator);
	uint32_t members = 0;
	for (r->p = 0; r->p < (int64_t)r->m->processes; r->p++)
		if (t->set >> r->p & 1 && number_of(r, &t->communicator) == number)
			members |= UINT32_C(1) << r->p;
	r->p = own;
	return members;
}

static void say_sync(struct run *r, const struct tree *t, struct text *line)
{
	text_format(line, "%" PRId64 " sync %s ", r->p, t->words);
	uint32_t row = t->row ? ((UINT32_C(1) << r->m->width) - 1) << (r->p / r->m->width * r->m->width) : 0;
	write_set(t->row ? row : t->told ? members_told(r, t) : t->group, line);
	say_communicator(r, t, line);
	if (t->rooted)
		text_format(line, " root=%" PRId64, rank_of(r, &t->place));
}

static void run_body(struct run *r, const struct tree *body, unsigned depth);

static bool holds(struct run *r, const struct tree *t)
{
	int64_t number = number_of(r, &t->condition);
	bool among = number >= 0 && number < 32 && t->numbers >> number & 1;
	return t->relation == NOT_ZERO ? number != 0 : (t->relation == EQUAL || t->relation == AMONG) == among;
}

static bool is_empty(const struct tree *t, int64_t p)
{
	bool never = t->kind == LOOP && !varies(&t->last) && !t->last.modulus && !t->last.base &&
		     t->last.plain.constant < t->low;
	bool empty = t->kind == LOOP || t->kind == GUARD || !(t->set >> p & 1);
	if (never)
		return true;
	for (size_t i = 0; i < t->length && empty && t->set >> p & 1; i++)
		empty = is_empty(&t->body[i], p);
	for (size_t i = 0; t->other && i < t->other->length && empty && t->set >> p & 1; i++)
		empty = is_empty(&t->other->body[i], p);
	return empty;
}

static void run_construct(struct run *r, const struct tree *t, unsigned depth);

/* How often what holds no event of a process is repeated, a reader may ask or not. */
static void run_statement(struct run *r, const struct tree *t, unsigned depth)
{
	bool wrong = r->wrong;
	run_construct(r, t, depth);
	if (r->wrong && !wrong && is_empty(t, r->p)) {
		r->wrong = false;
		r->either = true;
	}
}

static void run_construct(struct run *r, const struct tree *t, unsigned depth)
{
	struct text line = {0};
	if (t->kind == GUARD) {
		if (holds(r, t))
			run_body(r, t, depth);
		else if (t->other)
			run_body(r, t->other, depth);
		return;
	}
	if (t->kind == LOOP) {
		int64_t last = number_of(r, &t->last);
		for (int64_t i = t->low; i <= last && r->lines < LINES_MOST; i++) {
			r->index[depth] = i;
			run_body(r, t, depth + 1);
		}
		r->index[depth] = 0;
		return;
	}
	r->lines++;
	if (t->kind == SYNC)
		say_sync(r, t, &line);
	else if (t->kind == LOCAL)
		text_format(&line, "%" PRId64 " local %s", r->p, t->words);
	else
		say_message(r, t, &line);
	text_put(r->out, line.data);
	text_char(r->out, '\n');
	text_clear(&line);
}

static void run_body(struct run *r, const struct tree *body, unsigned depth)
{
	for (size_t i = 0; i < body->length; i++) {
		const struct tree *t = &body->body[i];
		if (t->set >> r->p & 1 && (!t->who.table || looked_up(r, &t->who) == r->p))
			run_statement(r, t, depth);
	}
}

/* ------------------------------------------------------------------ compared */

/* What differs, or NULL. The module has no calls. */
static const char *compare(const struct module *m, const struct text *events, size_t lines)
{
	struct text have = {0};
	struct run *run = run_new(m, NULL);
	enum failure failure;
	uint64_t count = executed_put_all(run, &have);
	const char *why = strcmp(have.data, events->data)                        ? "other events"
			  : count != lines || run_events(run, &failure) != lines ? "another number of events"
										 : NULL;
	run_free(run);
	text_clear(&have);
	return why;
}

static struct text text_of(const struct module *m)
{
	struct text text = {0};
	module_print_text(m, NULL, &text);
	return text;
}

static struct module *read_again(const struct text *text, bool inlined)
{
	struct error error = {0};
	struct module *m = module_parse("again", text->data, text->length, &error);
	if (m && (!inlined || module_inline(m, &error)))
		return m;
	printf("\n%s\n%s", error.message, text->data);
	module_free(m);
	return NULL;
}

/* With its calls, and read again; once: without. */
static const char *check_said(const struct module *called, const struct text *once, unsigned *with_calls)
{
	struct text said = text_of(called), again = {0}, twice = {0};
	struct module *read = read_again(&said, false), *inlined = read_again(&said, true);
	*with_calls += strstr(said.data, "\n// procedures\n") != NULL;
	if (read)
		module_print_text(read, NULL, &twice);
	if (inlined)
		module_print_text(inlined, NULL, &again);
	const char *why = !read || !inlined                     ? "what is written with calls is refused"
			  : strcmp(again.data, once->data) != 0 ? "with calls, it is another program"
			  : strcmp(twice.data, said.data) != 0  ? "with calls, it is written otherwise when read again"
								: NULL;
	text_clear(&said);
	text_clear(&again);
	text_clear(&twice);
	module_free(read);
	module_free(inlined);
	return why;
}

/* called: the same with calls, or NULL. */
static const char *check_module(const struct module *m, const struct module *called, const struct text *events,
	size_t lines, unsigned *with_calls)
{
	const char *why = compare(m, events, lines);
	if (why)
		return why;
	struct text once = text_of(m), twice = {0};
	struct module *again = read_again(&once, true);
	if (!again)
		why = "what is printed is refused";
	if (again)
		twice = text_of(again);
	if (again && strcmp(once.data, twice.data) != 0)
		why = "printed otherwise when read again";
	if (again && !why)
		why = compare(again, events, lines);
	if (!why && called)
		why = check_said(called, &once, with_calls);
	text_clear(&once);
	text_clear(&twice);
	module_free(again);
	return why;
}

static const char *check_unfolded(const struct module *m, const struct text *events, size_t lines)
{
	struct error error = {0};
	struct module *unfolded = module_unfold(m, NULL, &error);
	if (!unfolded)
		return "it is not unfolded";
	struct model *plain = model_of_plain(unfolded);
	const char *why = !plain                                              ? "unfolded, it is not plain"
			  : check_module(unfolded, NULL, events, lines, NULL) ? "unfolded, it is another program"
									      : NULL;
	model_free(plain);
	module_free(unfolded);
	return why;
}

/* Program by program, what each process executes is what all do. */
static const char *check_ranks(const struct module *m, const struct text *events)
{
	struct text have = {0};
	text_add(&have, "", 0);
	for (uint32_t rank = 0; rank < m->processes; rank++) {
		struct error error = {0};
		struct executed own = executed_of(module_of_rank(m, rank, NULL, &error));
		executed_put(own.run, rank, UINT64_MAX, &have);
		executed_clear(&own);
	}
	const char *why = strcmp(have.data, events->data) ? "a process alone executes something else" : NULL;
	text_clear(&have);
	return why;
}

static const char *check_text(
	const struct text *text, const struct text *events, size_t lines, bool wrong, unsigned *with_calls)
{
	struct error error = {0};
	struct module *called = module_parse("random", text->data, text->length, &error),
		      *m = called ? module_copy(called) : NULL;
	const char *why = wrong && m ? "it is read" : NULL;
	if (!m && !wrong) {
		printf("\n%s", error.message);
		why = "it is refused";
	}
	if (m && !wrong) {
		if (!module_inline(m, &error))
			why = "its calls cannot be replaced";
		why = why ? why : check_module(m, called, events, lines, with_calls);
		why = why ? why : check_unfolded(m, events, lines);
		why = why ? why : check_ranks(m, events);
	}
	module_free(m);
	module_free(called);
	return why;
}

/* Texts that are wrong; have tables and guards; calls; are written with calls. */
struct tried {
	unsigned refused, varied, called, with_calls;
};

static bool check_seed(unsigned seed, struct tried *tried)
{
	struct maker m = {.seed = seed, .statements = 24};
	m.width = chance(&m, 2) ? 0 : 1 + below(&m, 4);
	m.processes = m.width ? m.width * (1 + below(&m, 3)) : 1 + below(&m, 8);
	struct tree root = {.kind = LOOP};
	make_tables(&m);
	make_body(&m, &root, everybody(&m), 0);
	hide_indices(&root, outermost);

	struct text text = {0}, events = {0};
	text_format(&text, "// tracenest 1\n// processes %" PRIu32 "\n", m.processes);
	if (m.width)
		text_format(&text, "// grid %" PRIu32 " %" PRIu32 "\n", m.width, m.processes / m.width);
	struct text procedures = {0};
	struct written w = {&m, &text, chance(&m, 2) ? &procedures : NULL, intern_new()};
	write_body(&w, &root, outermost);
	if (procedures.length)
		text_put(&text, procedures.data);
	tried->called += procedures.length > 0;
	intern_free(w.bodies);
	text_clear(&procedures);
	write_tables(&m, &text);
	text_add(&events, "", 0);
	struct run r = {.m = &m, .out = &events};
	for (r.p = 0; r.p < m.processes; r.p++)
		run_body(&r, &root, 0);
	tried->refused += r.wrong;
	tried->varied += m.lookups && m.guards;
	const char *why = r.lines < LINES_MOST && (r.wrong || !r.either)
				  ? check_text(&text, &events, r.lines, r.wrong, &tried->with_calls)
				  : NULL;
	if (why)
		printf("\nseed %u: %s:\n%s\n", seed, why, text.data);
	text_clear(&text);
	text_clear(&events);
	clear_tree(&root);
	return !why;
}

static void random_texts(void)
{
	struct tried tried = {0};
	unsigned texts = rounds(3000), failed = 0;
	for (unsigned seed = 1; seed <= texts && failed < 3; seed++)
		failed += !check_seed(seed, &tried);
	CU_ASSERT_EQUAL(failed, 0);
	CU_ASSERT(tried.refused > texts / 50 && tried.refused < texts / 2);
	CU_ASSERT(tried.varied > texts / 4);
	CU_ASSERT(tried.called > texts / 4);
	CU_ASSERT(tried.with_calls > texts / 8);
}

void suite_texts(CU_pSuite suite)
{
	CU_add_test(suite, "random texts, read and executed by the letter", random_texts);
}
