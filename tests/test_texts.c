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

#include "ask/projection.h"
#include "base/mem.h"
#include "model/program.h"
#include "tests/unit.h"

#define DEPTH 3
#define LINES_MOST 20000

/* ------------------------------------------------------------------ trees */

/* constant + p*P + axis[0]*x + axis[1]*y + by[0]*i0 + ... + (inside mod modulus) * factor, where
   inside is constant + p*P + by[0]*i0 + ... */
struct sum {
	int64_t constant, p, axis[2], by[DEPTH];
};

struct number {
	struct sum plain, inside;
	int64_t modulus, factor; /* modulus 0: no remainder */
};

enum kind { LOOP, SEND, RECV, SYNC, LOCAL };
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
	struct partner place; /* the other end, or the root */
	bool rooted;
	const char *words; /* stem of the tag, name of the sync, description */
	bool numbered, named; /* has it a number; a communicator? */
	struct number tag, communicator;
	bool row; /* SYNC: of the row of the grid; else of `group` */
	uint32_t group;
	struct tree *body;
	size_t length;
};

struct maker {
	unsigned seed;
	uint32_t processes, width; /* width 0: no grid */
	unsigned statements; /* that may still be made */
};

static unsigned below(struct maker *m, unsigned limit)
{
	return (unsigned)rand_r(&m->seed) % limit;
}

static bool chance(struct maker *m, unsigned in)
{
	return !below(m, in);
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
	f.modulus = 1 + below(m, m->processes);
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
	make_body(m, t, t->set, depth + 1);
}

static void make_statement(struct maker *m, struct tree *t, uint32_t around, unsigned depth)
{
	t->plain = chance(m, 3);
	unsigned kind = below(m, depth < DEPTH ? 10 : 7);
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
}

static void make_body(struct maker *m, struct tree *t, uint32_t around, unsigned depth)
{
	size_t length = depth ? below(m, 4) : 2 + below(m, 5);
	t->body = mem_zero((length + 1) * sizeof *t->body);
	for (; t->length < length && m->statements; t->length++) {
		m->statements--;
		make_statement(m, &t->body[t->length], around, depth);
	}
}

static void clear_tree(struct tree *t)
{
	for (size_t i = 0; i < t->length; i++)
		clear_tree(&t->body[i]);
	free(t->body);
}

/* ------------------------------------------------------------------ written */

struct names {
	const char *name[DEPTH];
	unsigned depth;
};

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
	if (s->constant < 0 || (s->constant && any))
		text_format(out, "%+" PRId64, s->constant);
	else if (s->constant)
		text_number(out, (uint64_t)s->constant);
	any = any || s->constant;
	for (unsigned d = scope->depth; d-- > 0;)
		write_term(s->by[d], scope->name[d], d == 1, &any, out);
	write_term(s->axis[1], "y", true, &any, out);
	write_term(s->axis[0], "x", false, &any, out);
	write_term(s->p, "p", false, &any, out);
	return any;
}

static void write_number(const struct number *n, const struct names *scope, struct text *out)
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
	} else if (!any) {
		text_char(out, '0');
	}
	text_char(out, '}');
}

static bool moves(const struct sum *s)
{
	return s->by[0] || s->by[1] || s->by[2];
}

static void write_place(const struct partner *f, const struct names *scope, struct text *out)
{
	switch (f->where) {
	case NUMBER:
		if (moves(&f->number.plain))
			write_number(&f->number, scope, out);
		else
			text_number(out, (uint64_t)f->number.plain.constant);
		break;
	case OFFSET:
		text_char(out, 'p');
		write_sum(&f->number.plain, scope, true, out);
		break;
	case XOR:
		text_format(out, "p^%" PRId64, f->number.plain.constant);
		break;
	case RING:
		text_put(out, "(p");
		write_sum(&f->number.plain, scope, true, out);
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
	else
		write_set(t->group, out);
	write_communicator(t, scope, out);
	if (!t->rooted)
		return;
	text_put(out, " root=");
	write_place(&t->place, scope, out);
}

static void write_body(const struct tree *body, struct names scope, struct text *out)
{
	for (size_t i = 0; i < body->length; i++) {
		const struct tree *t = &body->body[i];
		if (!t->plain) {
			text_char(out, '[');
			write_set(t->set, out);
			text_put(out, "] ");
		}
		switch (t->kind) {
		case LOOP:
			text_format(out, "for %s = %" PRId64 " to ", t->index, t->low);
			if (moves(&t->last.plain))
				write_number(&t->last, &scope, out);
			else
				text_format(out, "%" PRId64, t->last.plain.constant);
			text_char(out, '\n');
			struct names inside = scope;
			inside.name[inside.depth++] = t->index;
			write_body(t, inside, out);
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
}

/* Indices that have the name of one inside them. */
static void hide_sum(struct sum *s, const struct names *scope)
{
	for (unsigned d = 0; d < scope->depth; d++)
		for (unsigned e = d + 1; e < scope->depth; e++)
			if (!strcmp(scope->name[d], scope->name[e]))
				s->by[d] = 0;
}

static void hide_indices(struct tree *t, struct names scope)
{
	struct sum *all[] = {&t->last.plain, &t->place.number.plain, &t->place.axis[0], &t->place.axis[1],
		&t->tag.plain, &t->tag.inside, &t->communicator.plain, &t->communicator.inside};
	for (size_t i = 0; i < COUNT(all); i++)
		hide_sum(all[i], &scope);
	if (t->kind == LOOP && !moves(&t->last.plain) && t->last.plain.constant < t->low - 1)
		t->last.plain.constant = t->low - 1;
	if (t->index)
		scope.name[scope.depth++] = t->index;
	for (size_t i = 0; i < t->length; i++)
		hide_indices(&t->body[i], scope);
}

/* ------------------------------------------------------------------ executed */

struct run {
	const struct maker *m;
	int64_t p;
	int64_t index[DEPTH]; /* as written */
	struct text *out; /* NULL: count only */
	size_t lines;
	bool wrong;
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

static int64_t number_of(const struct run *r, const struct number *n)
{
	return sum_of(r, &n->plain) + (n->modulus ? modulo(sum_of(r, &n->inside), n->modulus) * n->factor : 0);
}

static int64_t rank_of(struct run *r, const struct partner *f)
{
	int64_t number = sum_of(r, &f->number.plain), rank = 0, width = r->m->width,
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
	int64_t communicator = number_of(r, &t->communicator);
	if (!t->named)
		return;
	text_format(line, "@%" PRId64, communicator);
	r->wrong = r->wrong || communicator < 0;
}

static void say_message(struct run *r, const struct tree *t, struct text *line)
{
	int64_t other = rank_of(r, &t->place), number = number_of(r, &t->tag);
	text_format(line, "%" PRId64 " %s %" PRId64 " %s", t->kind == SEND ? r->p : other,
		t->kind == SEND ? "send" : "recv", t->kind == SEND ? other : r->p, t->words);
	if (t->numbered) {
		text_format(line, "%" PRId64, number);
		r->wrong = r->wrong || number < 0;
	}
	say_communicator(r, t, line);
}

static void say_sync(struct run *r, const struct tree *t, struct text *line)
{
	text_format(line, "%" PRId64 " sync %s ", r->p, t->words);
	uint32_t row = t->row ? ((UINT32_C(1) << r->m->width) - 1) << (r->p / r->m->width * r->m->width) : 0;
	write_set(t->row ? row : t->group, line);
	say_communicator(r, t, line);
	if (t->rooted)
		text_format(line, " root=%" PRId64, rank_of(r, &t->place));
}

static void run_body(struct run *r, const struct tree *body, unsigned depth);

static void run_statement(struct run *r, const struct tree *t, unsigned depth)
{
	struct text line = {0};
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
	for (size_t i = 0; i < body->length; i++)
		if (body->body[i].set >> r->p & 1)
			run_statement(r, &body->body[i], depth);
}

/* ------------------------------------------------------------------ compared */

static void executed(struct program *p, struct text *out)
{
	struct projection *projection = projection_new(p, NULL);
	for (uint32_t rank = 0; rank < p->processes; rank++) {
		struct walk *w = walk_new(projection, rank);
		while (walk_next(w)) {
			struct plain_event e;
			walk_event(w, &e);
			plain_event_print(p->dictionary, &e, out);
			text_char(out, '\n');
		}
		walk_free(w);
	}
	projection_free(projection);
}

/* What differs, or NULL. */
static const char *compare(struct program *p, const struct text *events, size_t lines)
{
	struct text have = {0};
	text_add(&have, "", 0);
	executed(p, &have);
	const char *why = strcmp(have.data, events->data) ? "other events"
			  : program_events(p) != lines    ? "another number of events"
							  : NULL;
	text_clear(&have);
	return why;
}

static const char *check_program(struct program *p, const struct text *events, size_t lines)
{
	const char *why = compare(p, events, lines);
	if (why)
		return why;
	struct text once = {0}, twice = {0};
	struct error error = {0};
	program_print_text(p, &once);
	struct program *again = program_parse("again", once.data, once.length, &error);
	if (!again)
		why = "what is printed is refused";
	if (again)
		program_print_text(again, &twice);
	if (again && strcmp(once.data, twice.data) != 0)
		why = "printed otherwise when read again";
	if (again && !why)
		why = compare(again, events, lines);
	text_clear(&once);
	text_clear(&twice);
	program_free(again);
	return why;
}

static const char *check_unfolded(const struct program *p, const struct text *events, size_t lines)
{
	struct error error = {0};
	struct program *plain = program_unfold(p, NULL, &error);
	if (!plain)
		return "it is not unfolded";
	const char *why = program_is_folded(plain) || program_varies(plain) ? "unfolded, it is not plain"
									    : check_program(plain, events, lines);
	program_free(plain);
	return why ? "unfolded, it is another program" : NULL;
}

/* Program by program, what each process executes is what all do. */
static const char *check_ranks(const struct program *p, const struct text *events)
{
	struct text have = {0};
	text_add(&have, "", 0);
	for (uint32_t rank = 0; rank < p->processes; rank++) {
		struct program *own = program_of_rank(p, rank, NULL);
		executed(own, &have);
		program_free(own);
	}
	const char *why = strcmp(have.data, events->data) ? "a process alone executes something else" : NULL;
	text_clear(&have);
	return why;
}

static const char *check_text(const struct text *text, const struct text *events, size_t lines, bool wrong)
{
	struct error error = {0};
	struct program *p = program_parse("random", text->data, text->length, &error);
	if (wrong) {
		program_free(p);
		return p ? "it is read" : NULL;
	}
	if (!p) {
		printf("\n%s", error.message);
		return "it is refused";
	}
	const char *why = check_program(p, events, lines);
	why = why ? why : check_unfolded(p, events, lines);
	why = why ? why : check_ranks(p, events);
	program_free(p);
	return why;
}

static bool check_seed(unsigned seed, unsigned *refused)
{
	struct maker m = {.seed = seed, .statements = 24};
	m.width = chance(&m, 2) ? 0 : 1 + below(&m, 4);
	m.processes = m.width ? m.width * (1 + below(&m, 3)) : 1 + below(&m, 8);
	struct tree root = {.kind = LOOP};
	uint32_t everybody = (UINT32_C(1) << m.processes) - 1;
	make_body(&m, &root, everybody, 0);
	hide_indices(&root, (struct names){0});

	struct text text = {0}, events = {0};
	text_format(&text, "// tracenest 1\n// processes %" PRIu32 "\n", m.processes);
	if (m.width)
		text_format(&text, "// grid %" PRIu32 " %" PRIu32 "\n", m.width, m.processes / m.width);
	write_body(&root, (struct names){0}, &text);
	text_add(&events, "", 0);
	struct run r = {.m = &m, .out = &events};
	for (r.p = 0; r.p < m.processes; r.p++)
		run_body(&r, &root, 0);
	*refused += r.wrong;
	const char *why = r.lines < LINES_MOST ? check_text(&text, &events, r.lines, r.wrong) : NULL;
	if (why)
		printf("\nseed %u: %s:\n%s\n", seed, why, text.data);
	text_clear(&text);
	text_clear(&events);
	clear_tree(&root);
	return !why;
}

static void random_texts(void)
{
	unsigned refused = 0, tried = rounds(6000), failed = 0;
	for (unsigned seed = 1; seed <= tried && failed < 3; seed++)
		failed += !check_seed(seed, &refused);
	CU_ASSERT_EQUAL(failed, 0);
	CU_ASSERT(refused > tried / 50 && refused < tried / 2);
}

void suite_texts(CU_pSuite suite)
{
	CU_add_test(suite, "random texts, read and executed by the letter", random_texts);
}
