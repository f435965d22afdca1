/*
 * recut.c -- loops of a row are opened, and what they did is cut anew before or behind a
 * statement that recurs; the pieces are aligned: one body of which each is an iteration, where a
 * statement that not all of them have stands under a condition, and a number that differs is a
 * function of the index.
 *
 * So a step that does something in its first, its last, or every k-th iteration comes back from
 * what exact repetition makes of it: a loop before and one behind, or a loop of loops.
 * Statements in a row are a string of nodes, equal where they do the same, and their cost is
 * known of the nodes alone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/gcd.h"
#include "base/hash.h"
#include "merge/statement_row.h"

/* Budgets: what is beyond is not looked for. Ways in which pieces of one cut differ (a bit
   each); times that an iteration does the same. */
#define RECUT_CLASSES 32
#define RECUT_STRIDE 3

/* How elements are told apart: by all of them, or without constants. */
enum keys { KEYS_EXACT, KEYS_LIKE, KEYS };

/* ------------------------------------------------------------------ pieces */

struct piece {
	uint32_t start, end; /* of the open row */
	uint32_t class;
};

struct cutting {
	struct rewriting *r;
	const struct statement_row *row; /* as it stands, */
	uint32_t *first; /* ... by statement its first element in the open row; where that ends, too */
	struct statement_row open;
	uint32_t *key; /* by element, */
	uint32_t *before; /* ... and where that was last; UINT32_MAX: nowhere */
	uint64_t *sum; /* by element: what all before it cost, */
	uint64_t *rows; /* ... and by statement of the row */
	uint64_t best; /* what the row costs so far */
	struct statement_row better; /* the row that costs so much; empty: the one that there is */
	struct piece *piece;
	uint32_t pieces;
};

static uint64_t cost_of(const struct rewriting *r, node_id id)
{
	return get(r, id)->cost;
}

/* The loop with fewer iterations, the first or the last ones, where these do the same
   whichever they are. */
static node_id part_of_loop(struct rewriting *r, node_id loop, uint32_t times, bool last)
{
	const struct node *n = get(r, loop);
	if (last && get(r, n->kid[2])->uses[FOR_ALL] & USES_INDEX(0))
		return NODE_NONE;
	return node_with(r->s, loop, (node_id[]){n->kid[0], number_constant(r->s, times - 1), n->kid[2]});
}

static void add_range(const struct cutting *c, uint32_t start, uint32_t end, struct statement_row *to)
{
	for (uint32_t i = start; i < end; i++)
		row_add(to, c->open.at[i]);
}

/* Everything before, or behind, an element of the open row, with loops as they were where they
   are whole. */
static void add_before(const struct cutting *c, uint32_t end, struct statement_row *to)
{
	uint32_t kid = 0;
	for (; kid < c->row->length && c->first[kid + 1] <= end; kid++)
		row_add(to, c->row->at[kid]);
	if (kid == c->row->length || c->first[kid] == end)
		return;
	uint32_t start = c->first[kid], turn = c->open.at[end].turn, whole = start;
	while (c->open.at[whole].turn < turn)
		whole++;
	node_id loop = turn > 1 ? part_of_loop(c->r, c->row->at[kid].node, turn, false) : NODE_NONE;
	if (loop) {
		struct element e = c->row->at[kid];
		e.node = loop;
		row_add(to, e);
		start = whole;
	}
	add_range(c, start, end, to);
}

static void add_behind(const struct cutting *c, uint32_t start, struct statement_row *to)
{
	uint32_t kid = 0;
	while (kid < c->row->length && c->first[kid] < start)
		kid++;
	if (c->first[kid] > start) {
		uint32_t end = c->first[kid], turn = c->open.at[start].turn, whole = start;
		if (c->open.at[start - 1].kid == c->open.at[start].kid && c->open.at[start - 1].turn == turn)
			while (whole < end && c->open.at[whole].turn == turn)
				whole++;
		uint32_t turns = whole < end ? c->open.at[end - 1].turn - c->open.at[whole].turn + 1 : 0;
		node_id loop = turns > 1 ? part_of_loop(c->r, c->row->at[kid - 1].node, turns, true) : NODE_NONE;
		add_range(c, start, loop ? whole : end, to);
		if (loop) {
			struct element e = c->row->at[kid - 1];
			e.node = loop;
			row_add(to, e);
		}
	}
	for (; kid < c->row->length; kid++)
		row_add(to, c->row->at[kid]);
}

/* What add_before and add_behind add costs. O(log) but for turns in part. */
static uint32_t kid_before(const struct cutting *c, uint32_t end)
{
	return end < c->open.length ? c->open.at[end].kid : (uint32_t)c->row->length;
}

static uint64_t cost_before(const struct cutting *c, uint32_t end)
{
	uint32_t kid = kid_before(c, end), start = c->first[kid];
	uint64_t cost = c->rows[kid];
	if (start == end)
		return cost;
	uint32_t turn = c->open.at[end].turn, whole = end;
	if (turn > 1) {
		while (c->open.at[whole - 1].turn == turn)
			whole--;
		return cost + cost_of(c->r, c->row->at[kid].node) + c->sum[end] - c->sum[whole];
	}
	return cost + c->sum[end] - c->sum[start];
}

static uint64_t cost_behind(const struct cutting *c, uint32_t start)
{
	uint32_t kid = kid_before(c, start), kids = (uint32_t)c->row->length;
	if (c->first[kid] == start)
		return c->rows[kids] - c->rows[kid];
	uint32_t end = c->first[kid + 1], turn = c->open.at[start].turn, whole = start;
	uint64_t cost = c->rows[kids] - c->rows[kid + 1];
	if (c->open.at[start - 1].turn == turn)
		while (whole < end && c->open.at[whole].turn == turn)
			whole++;
	node_id loop = c->row->at[kid].node;
	bool same = !(get(c->r, node_kid(c->r->s, loop, 2))->uses[FOR_ALL] & USES_INDEX(0));
	uint32_t turns = whole < end ? c->open.at[end - 1].turn - c->open.at[whole].turn + 1 : 0;
	return turns > 1 && same ? cost + c->sum[whole] - c->sum[start] + cost_of(c->r, loop)
				 : cost + c->sum[end] - c->sum[start];
}

/* ------------------------------------------------------------------ alignment */

/* An item of the one body: where a piece of each class has it. */
struct slot {
	uint32_t key, has; /* classes, a bit each */
	uint32_t at[RECUT_CLASSES]; /* elements from the start of the piece */
};

struct template
{
	struct slot *slot;
	size_t length, capacity;
};

/* What it costs to begin a stretch that not all have: its condition. */
#define GAP COST_UNIT

/* The template with one more class: what both have in one order is one. O(both lengths). */
static void merge_class(const struct cutting *c, struct template *t, const struct piece *p)
{
	size_t n = t->length, m = p->end - p->start, width = m + 1;
	const uint32_t *key = c->key + p->start;
	/* the least cost of aligning what is behind: after a match, within a gap */
	uint32_t *after = mem_zero((n + 1) * width * sizeof *after),
		 *within = mem_zero((n + 1) * width * sizeof *within);
	for (size_t i = n + 1; i-- > 0;)
		for (size_t j = m + 1; j-- > 0;) {
			if (i == n && j == m)
				continue;
			uint32_t match = UINT32_MAX, gap = UINT32_MAX;
			if (i < n && j < m && t->slot[i].key == key[j])
				match = after[(i + 1) * width + j + 1];
			if (i < n)
				gap = within[(i + 1) * width + j];
			if (j < m) {
				uint32_t own = (uint32_t)cost_of(c->r, c->open.at[p->start + j].node) +
					       within[i * width + j + 1];
				gap = own < gap ? own : gap;
			}
			within[i * width + j] = match <= gap ? match : gap;
			after[i * width + j] = match <= (uint64_t)gap + GAP ? match : gap + GAP;
		}
	struct template to = {0};
	bool in_gap = false;
	for (size_t i = 0, j = 0; i < n || j < m;) {
		uint32_t least = in_gap ? within[i * width + j] : after[i * width + j];
		bool match = i < n && j < m && t->slot[i].key == key[j] && after[(i + 1) * width + j + 1] == least;
		uint32_t rest = in_gap ? least : least - GAP;
		struct slot *s = MEM_PUSH(to.slot, to.length, to.capacity);
		if (match || (i < n && within[(i + 1) * width + j] == rest))
			*s = t->slot[i];
		else
			*s = (struct slot){.key = key[j]};
		bool own = match || !(i < n && within[(i + 1) * width + j] == rest);
		if (own) {
			s->has |= UINT32_C(1) << p->class;
			s->at[p->class] = (uint32_t)j++;
		}
		i += match || !own;
		in_gap = !match;
	}
	free(t->slot);
	*t = to;
	free(after);
	free(within);
}

struct class
{
	uint32_t piece; /* the first */
	uint32_t count, length;
};

static int by_weight(const void *a, const void *b)
{
	const struct class *x = a, *y = b;
	uint64_t of_x = (uint64_t)x->length * x->count, of_y = (uint64_t)y->length * y->count;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return x->piece < y->piece ? -1 : x->piece > y->piece;
}

/* How many; 0: too many. */
static uint32_t find_classes(struct cutting *c, struct class *class)
{
	struct intern *known = intern_new();
	uint32_t classes = 0;
	for (uint32_t i = 0; i < c->pieces && classes <= RECUT_CLASSES; i++) {
		struct piece *p = &c->piece[i];
		p->class = intern_id(known, c->key + p->start, (p->end - p->start) * sizeof *c->key);
		if (p->class == classes && classes++ < RECUT_CLASSES)
			class[p->class] = (struct class){i, 0, p->end - p->start};
		if (p->class < RECUT_CLASSES)
			class[p->class].count++;
	}
	intern_free(known);
	return classes <= RECUT_CLASSES ? classes : 0;
}

/* ------------------------------------------------------------------ the loop of all pieces */

/* Of a number by piece: those that have one. NODE_NONE: only a table
   says them. */
static node_id function_of(const struct cutting *c, enum fit_what what, uint32_t has, const int64_t *number)
{
	int64_t *index = mem_array(c->pieces, sizeof *index), *own = mem_array(c->pieces, sizeof *own);
	uint32_t *process = mem_zero((c->pieces + (size_t)1) * sizeof *process), live = 0;
	size_t count = 0;
	for (uint32_t i = 0; i < c->pieces; i++)
		if (has >> c->piece[i].class & 1) {
			index[count] = i;
			own[count++] = number[i];
		}
	const struct fitted *f = fit_points(what == FIT_CONDITION ? c->r->tests : c->r->formulas, what,
		&(struct fit_points){process, index, own, count, &live, 1, NULL});
	free(index);
	free(own);
	free(process);
	return f->number && !get(c->r, f->number)->looks ? f->number : NODE_NONE;
}

/* How many have not what all others have from one on, or until one; 0: others have. */
static uint32_t before_or_behind(const struct cutting *c, uint32_t has)
{
	uint32_t held = 0, changes = 0;
	for (uint32_t i = 0; i < c->pieces; i++) {
		held += has >> c->piece[i].class & 1;
		changes += i && (has >> c->piece[i].class & 1) != (has >> c->piece[i - 1].class & 1);
	}
	return changes == 1 ? c->pieces - held : 0;
}

/* What most iterations do, but not all, tells that some are none: what was before the loop, or
   behind it. Unless they take turns, or do it in a row. */
static bool is_for_most(const struct cutting *c, node_id test, uint32_t has, uint32_t held)
{
	return 2 * held > c->pieces && !get(c->r, node_kid(c->r->s, test, 0))->marks && !before_or_behind(c, has);
}

/* When an item stands there: a TEST; NODE_NONE: that can't be said. Asked for again and again
   of the same pieces. */
static node_id condition_of(const struct cutting *c, uint32_t has)
{
	struct rewriting *r = c->r;
	uint8_t *holds = mem_array(c->pieces, sizeof *holds);
	uint32_t held = 0;
	for (uint32_t i = 0; i < c->pieces; i++)
		held += holds[i] = has >> c->piece[i].class & 1;
	uint32_t known = intern_count(r->conditions), id = intern_id(r->conditions, holds, c->pieces);
	r->condition = mem_grow(r->condition, &r->condition_capacity, (size_t)id + 1, sizeof *r->condition);
	if (id == known) {
		int64_t *number = mem_array(c->pieces, sizeof *number);
		for (uint32_t i = 0; i < c->pieces; i++)
			number[i] = holds[i];
		node_id test = function_of(c, FIT_CONDITION, UINT32_MAX, number);
		bool said = test && get(r, test)->kind == NODE_TEST && !get(r, node_kid(r->s, test, 0))->looks &&
			    !is_for_most(c, test, has, held);
		r->condition[id] = said ? test : NODE_NONE;
		free(number);
	}
	free(holds);
	return r->condition[id];
}

static const struct element *element_of(const struct cutting *c, const struct slot *s, uint32_t piece)
{
	return &c->open.at[c->piece[piece].start + s->at[c->piece[piece].class]];
}

/* Does another coordinate of the place differ, too? Steps in several directions are no loop to who
   reads them. */
static bool turns(const struct like_number *number, const bool *differs, size_t at)
{
	bool turns = false;
	for (size_t k = 0; k < at; k++)
		turns = turns || (differs[k] && number[k].place == number[at].place);
	return turns;
}

/* What stands in a slot, as the body of the loop has it. False: a number of it follows no
   function. */
static bool item_of(const struct cutting *c, const struct slot *s, struct element *to)
{
	struct rewriting *r = c->r;
	uint32_t first = 0;
	while (!(s->has >> c->piece[first].class & 1))
		first++;
	*to = *element_of(c, s, first);
	node_id one = to->node;
	struct like_number *own, *other = NULL;
	size_t numbers = like_numbers(r, one, &own);
	int64_t *column = mem_array(numbers * c->pieces, sizeof *column);
	bool *differs = mem_zero((numbers + 1) * sizeof *differs), good = true, any = false;
	for (uint32_t i = 0; i < c->pieces; i++) {
		if (!(s->has >> c->piece[i].class & 1))
			continue;
		node_id node = element_of(c, s, i)->node;
		if (node != one)
			like_numbers(r, node, &other);
		for (size_t k = 0; k < numbers; k++) {
			int64_t number = node == one ? own[k].number : other[k].number;
			column[k * c->pieces + i] = number;
			differs[k] = differs[k] || number != own[k].number;
			any = any || differs[k];
		}
		free(other);
		other = NULL;
	}
	node_id *number = mem_zero((numbers + 1) * sizeof *number);
	for (size_t k = 0; k < numbers && good; k++) {
		good = !(k && differs[k] && own[k].place && turns(own, differs, k));
		number[k] = differs[k] && good ? function_of(c, FIT_NUMBER, s->has, column + k * c->pieces) : NODE_NONE;
		good = good && (!differs[k] || number[k]);
	}
	/* the loops around are one further out */
	if (good)
		to->node = node_put(&(struct substitution){.store = r->s, .deeper = 1}, to->node, &good);
	if (good && any)
		to->node = like_with(r, to->node, number);
	free(number);
	free(differs);
	free(column);
	free(own);
	return good && to->node;
}

/* All that execute one of these statements; NODE_NONE: that is not known beforehand. */
static node_id domain_of_all(struct rewriting *r, const struct element *e, size_t count)
{
	const struct ranks *all = run_processes(r->run, NODE_NONE);
	struct ranks who = {0};
	bool known = true, same = true;
	node_id first = get(r, e->node)->kid[0];
	for (size_t i = 0; i < count && known && !ranks_equal(&who, all); i++) {
		node_id own = get(r, e[i].node)->kid[0];
		enum node_kind kind = (enum node_kind)get(r, own)->kind;
		known = own && (kind == NODE_RANKS || kind == NODE_WHERE || kind == NODE_ALL);
		same = same && own == first;
		if (known && !(same && i))
			ranks_join(&who, run_processes(r->run, own));
	}
	node_id domain = !known                   ? NODE_NONE
			 : same                   ? first
			 : ranks_equal(&who, all) ? node_make(r->s, NODE_ALL, 0, 0, 0, 0, NULL)
						  : node_make(r->s, NODE_RANKS, 0, 0, store_ranks(r->s, &who), 0, NULL);
	ranks_clear(&who);
	return domain;
}

/* Whose loop it is: that of those that were opened. UINT32_MAX: they are of different ones. */
static node_id domain_of(const struct cutting *c)
{
	node_id domain = UINT32_MAX;
	bool closed = false, same = true;
	uint32_t start = c->piece[0].start, end = c->piece[c->pieces - 1].end;
	for (uint32_t k = start; k < end; k++) {
		const struct element *e = &c->open.at[k];
		closed = closed || e->domain == UINT32_MAX;
		same = same && (e->domain == UINT32_MAX || domain == UINT32_MAX || domain == e->domain);
		domain = e->domain == UINT32_MAX ? domain : e->domain;
	}
	if (domain == UINT32_MAX)
		return domain_of_all(c->r, c->open.at + start, end - start);
	return same && (!closed || is_for_all(c->r, domain)) ? domain : UINT32_MAX;
}

/* What costs more than all it decides on is a table, whatever it is called: no condition. */
static bool is_table(const struct rewriting *r, node_id test, node_id body)
{
	return get(r, test)->cost > get(r, body)->cost;
}

static bool add_guard(struct cutting *c, node_id test, struct statement_row *inside, struct statement_row *to)
{
	struct rewriting *r = c->r;
	if (!inside->length)
		return true;
	struct row_body body = row_as_body(r, inside);
	node_id guard = node_make(r->s, NODE_GUARD, 0, 0, 0, 3, (node_id[]){NODE_NONE, test, body.node});
	row_add(to, element_around(r, guard, LINE_NONE, &body));
	inside->length = 0;
	return !is_table(r, test, body.node);
}

/* The body that all pieces are iterations of; false: there is none. */
static bool loop_body(struct cutting *c, const struct template *t, uint32_t all, struct statement_row *to)
{
	struct statement_row inside = {0};
	node_id test = NODE_NONE;
	bool good = true;
	for (size_t i = 0; i < t->length && good; i++) {
		const struct slot *s = &t->slot[i];
		struct element item;
		if (i == 0 || s->has != t->slot[i - 1].has) {
			good = add_guard(c, test, &inside, to);
			test = s->has == all ? NODE_NONE : condition_of(c, s->has);
			good = good && (s->has == all || test);
		}
		good = good && item_of(c, s, &item);
		if (good)
			row_add(s->has == all ? to : &inside, item);
	}
	good = good && add_guard(c, test, &inside, to);
	free(inside.at);
	return good;
}

/* What stands in a slot, in whatever piece has it first. */
static uint64_t cost_of_slot(const struct cutting *c, const struct slot *s)
{
	uint32_t piece = 0;
	while (!(s->has >> c->piece[piece].class & 1))
		piece++;
	return cost_of(c->r, element_of(c, s, piece)->node);
}

/* The first piece, or the last one, that does less than half of what all others do is no iteration:
   it stands before the loop, or behind it. */
static bool are_iterations(const struct cutting *c, const struct template *t, uint32_t all)
{
	uint64_t common = 0, lacks[RECUT_CLASSES] = {0};
	bool one = false, good = true;
	for (size_t i = 0; i < t->length; i++) {
		uint32_t has = t->slot[i].has;
		uint64_t cost = cost_of_slot(c, &t->slot[i]);
		if (has == all)
			common += cost;
		else if (i == 0 || has != t->slot[i - 1].has)
			one = before_or_behind(c, has) == 1;
		for (uint32_t k = 0; has != all && one && k < RECUT_CLASSES; k++)
			lacks[k] += has >> k & 1 ? 0 : cost;
	}
	for (uint32_t k = 0; k < RECUT_CLASSES; k++)
		good = good && lacks[k] <= common;
	return good;
}

/* What it costs at least, whatever its conditions and functions say. */
static uint64_t least_cost(const struct cutting *c, const struct template *t, uint32_t all)
{
	uint64_t cost = COST_UNIT;
	for (size_t i = 0; i < t->length; i++) {
		bool begins = t->slot[i].has != all && (i == 0 || t->slot[i].has != t->slot[i - 1].has);
		cost += cost_of_slot(c, &t->slot[i]) + (begins ? COST_UNIT : 0);
	}
	return cost;
}

/* What the dearest of the pieces costs is in the loop at any rate. */
static uint64_t dearest(const struct cutting *c)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < c->pieces; i++) {
		uint64_t own = c->sum[c->piece[i].end] - c->sum[c->piece[i].start];
		most = own > most ? own : most;
	}
	return most;
}

/* Whatever is in them is in the loop once. Looks no further than so much. */
static uint64_t cost_once(const struct cutting *c, uint32_t start, uint32_t end, uint64_t most)
{
	uint64_t cost = 0;
	for (uint32_t i = start; i < end && cost < most; i++)
		cost += c->before[i] == UINT32_MAX || c->before[i] < start ? c->sum[i + 1] - c->sum[i] : 0;
	return cost;
}

/* The row with this loop in place of the pieces. */
static void take_loop(struct cutting *c, node_id loop, const struct row_body *body)
{
	struct statement_row row = {0};
	add_before(c, c->piece[0].start, &row);
	row_add(&row, element_around(c->r, loop, LINE_NONE, body));
	add_behind(c, c->piece[c->pieces - 1].end, &row);
	free(c->better.at);
	c->better = row;
}

/* The pieces as iterations of one loop, if the row costs less so. */
static void try_pieces(struct cutting *c)
{
	struct rewriting *r = c->r;
	struct class class[RECUT_CLASSES];
	uint32_t start = c->piece[0].start, end = c->piece[c->pieces - 1].end;
	uint64_t beside = cost_before(c, start) + cost_behind(c, end) + COST_UNIT;
	if (c->pieces < 2 || beside + dearest(c) >= c->best)
		return;
	rewriting_spend(r, end - start);
	if (beside + cost_once(c, start, end, c->best - beside) >= c->best)
		return;
	uint32_t classes = find_classes(c, class);
	node_id domain = classes ? domain_of(c) : UINT32_MAX;
	if (domain == UINT32_MAX)
		return;
	struct template t = {0};
	struct statement_row inside = {0};
	uint32_t all = classes == RECUT_CLASSES ? UINT32_MAX : (UINT32_C(1) << classes) - 1;
	qsort(class, classes, sizeof *class, by_weight);
	for (uint32_t i = 0; i < classes && r->steps; i++) {
		rewriting_spend(r, (t.length + 1) * (class[i].length + UINT64_C(1)));
		if (r->steps)
			merge_class(c, &t, &c->piece[class[i].piece]);
	}
	if (r->steps && beside - COST_UNIT + least_cost(c, &t, all) < c->best && are_iterations(c, &t, all) &&
		loop_body(c, &t, all, &inside)) {
		struct row_body body = row_as_body(r, &inside);
		node_id loop = node_make(r->s, NODE_LOOP, 0, 0, 0, 3,
			(node_id[]){domain, number_constant(r->s, c->pieces - 1), body.node});
		uint64_t cost = beside - COST_UNIT + cost_of(r, loop);
		if (cost < c->best) {
			c->best = cost;
			take_loop(c, loop, &body);
		}
	}
	free(t.slot);
	free(inside.at);
}

/* ------------------------------------------------------------------ where to cut */

/* Elements from the left, or from the right: then a cut is behind its delimiter. */
struct view {
	const struct cutting *c;
	bool turned;
};

static uint32_t key_at(const struct view *v, uint32_t i)
{
	const struct cutting *c = v->c;
	return c->key[v->turned ? c->open.length - 1 - i : i];
}

static uint32_t common_length(const struct view *v, uint32_t a, uint32_t a_end, uint32_t b, uint32_t b_end)
{
	uint32_t n = 0;
	while (a + n < a_end && b + n < b_end && key_at(v, a + n) == key_at(v, b + n))
		n++;
	return n;
}

/* How far one reads until all of the piece has come by; 0: it does not. */
static uint32_t length_with(const struct view *v, uint32_t piece, uint32_t piece_end, uint32_t from, uint32_t end)
{
	uint32_t i = from;
	for (; i < end && piece < piece_end; i++)
		piece += key_at(v, i) == key_at(v, piece);
	return piece == piece_end ? i - from : 0;
}

/* Pieces that begin at cuts, the last one so long. */
static void try_cuts(struct cutting *c, const struct view *v, const uint32_t *cut, uint32_t cuts, uint32_t last)
{
	uint32_t length = (uint32_t)c->open.length;
	c->pieces = 0;
	rewriting_spend(c->r, cuts);
	for (uint32_t i = 0; i < cuts; i++) {
		uint32_t end = i + 1 < cuts ? cut[i + 1] : cut[i] + last;
		if (end > cut[i])
			c->piece[c->pieces++] = (struct piece){cut[i], end, 0};
	}
	for (uint32_t i = 0; i < c->pieces && v->turned; i++)
		c->piece[i] = (struct piece){length - c->piece[i].end, length - c->piece[i].start, 0};
	for (uint32_t i = 0; 2 * i + 1 < c->pieces && v->turned; i++) {
		struct piece other = c->piece[i];
		c->piece[i] = c->piece[c->pieces - 1 - i];
		c->piece[c->pieces - 1 - i] = other;
	}
	if (c->pieces)
		try_pieces(c);
}

/* Where the last piece ends, and whether the first one is one, is tried. */
static void try_stretch(struct cutting *c, const struct view *v, const uint32_t *cut, uint32_t cuts)
{
	uint32_t from = cut[cuts - 1], end = (uint32_t)c->open.length, ends[6], n = 0;
	ends[n++] = 0;
	for (uint32_t other = 0; other < 2 && cuts > 1; other++) {
		uint32_t at = other ? cuts - 2 : 0;
		ends[n++] = common_length(v, cut[at], cut[at + 1], from, end);
		ends[n++] = length_with(v, cut[at], cut[at + 1], from, end);
	}
	uint32_t longest = 0;
	for (uint32_t i = 0; i + 1 < cuts; i++)
		longest = cut[i + 1] - cut[i] > longest ? cut[i + 1] - cut[i] : longest;
	ends[n++] = end - from <= longest ? end - from : 0;
	for (uint32_t i = 0; i < n; i++) {
		bool known = i && !ends[i];
		for (uint32_t k = 0; k < i; k++)
			known = known || ends[k] == ends[i];
		for (uint32_t lead = 0; lead < 2 && !known && cuts > lead + 1; lead++)
			try_cuts(c, v, cut + lead, cuts - lead, ends[i]);
	}
}

/* Each of them, or every second or third one, is the first of an iteration. */
static void try_strides(struct cutting *c, const struct view *v, const uint32_t *cut, uint32_t cuts)
{
	uint32_t *some = mem_array(cuts, sizeof *some);
	try_stretch(c, v, cut, cuts);
	for (uint32_t stride = 2; stride <= RECUT_STRIDE; stride++)
		for (uint32_t first = 0; first < stride && 2 * stride <= cuts; first++) {
			uint32_t n = 0;
			for (uint32_t i = first; i < cuts; i += stride)
				some[n++] = cut[i];
			try_stretch(c, v, some, n);
		}
	free(some);
}

static int by_number(const void *a, const void *b)
{
	return COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Do two pieces have so little in common that they are of different loops? */
static bool are_unlike(const struct view *v, uint32_t a, uint32_t b, uint32_t end)
{
	size_t n = b - a, m = end - b, both = 0;
	if (n == m && common_length(v, a, b, b, end) == n)
		return false;
	uint32_t *x = mem_array(n, sizeof *x), *y = mem_array(m, sizeof *y);
	for (size_t i = 0; i < n; i++)
		x[i] = key_at(v, a + (uint32_t)i);
	for (size_t i = 0; i < m; i++)
		y[i] = key_at(v, b + (uint32_t)i);
	qsort(x, n, sizeof *x, by_number);
	qsort(y, m, sizeof *y, by_number);
	for (size_t i = 0, k = 0; i < n && k < m;) {
		both += x[i] == y[k];
		bool less = x[i] <= y[k], more = y[k] <= x[i];
		i += less;
		k += more;
	}
	free(x);
	free(y);
	return 2 * both < (n < m ? n : m);
}

static void try_delimiter(struct cutting *c, const struct view *v, const uint32_t *cut, uint32_t cuts)
{
	uint32_t first = 0;
	for (uint32_t i = 1; i <= cuts && c->r->steps; i++) {
		bool parted = i == cuts || (i + 1 < cuts && are_unlike(v, cut[i - 1], cut[i], cut[i + 1]));
		if (!parted)
			continue;
		try_strides(c, v, cut + first, i + (i < cuts) - first);
		first = i;
	}
}

/* Where items that are equal stand: chains. */
struct chains {
	struct intern *keys;
	uint32_t *head, *last; /* by key */
	uint32_t *next; /* by element */
};

/* before: by element where that was last. */
static void chains_find(struct chains *x, const uint32_t *key, size_t length, uint32_t *before)
{
	x->keys = intern_new_keys(sizeof *key);
	x->head = mem_array(length, sizeof *x->head);
	x->last = mem_array(length, sizeof *x->last);
	x->next = mem_array(length, sizeof *x->next);
	for (size_t i = 0; i < length; i++) {
		uint32_t known = intern_count(x->keys), id = intern_id(x->keys, &key[i], sizeof *key);
		before[i] = id == known ? UINT32_MAX : x->last[id];
		if (id == known)
			x->head[id] = (uint32_t)i;
		else
			x->next[before[i]] = (uint32_t)i;
		x->last[id] = (uint32_t)i;
	}
}

static void chains_clear(struct chains *x)
{
	intern_free(x->keys);
	free(x->head);
	free(x->last);
	free(x->next);
}

/* How many; place: where. */
static uint32_t chain_places(const struct chains *x, uint32_t id, uint32_t *place)
{
	uint32_t places = 0;
	for (uint32_t i = x->head[id];; i = x->next[i]) {
		place[places++] = i;
		if (i == x->last[id])
			return places;
	}
}

/* Before each item that recurs, and behind it, pieces begin. Of items that go together, always
   as far apart, one begins before the first and behind the last. */
static void try_row(struct cutting *c)
{
	size_t length = c->open.length;
	uint32_t *place = mem_array(length + 1, sizeof *place), *gap = mem_array(length + 1, sizeof *gap);
	struct chains x;
	chains_find(&x, c->key, length, c->before);
	uint32_t ids = intern_count(x.keys), *group = mem_array(ids, sizeof *group),
		 *last = mem_array(ids, sizeof *last);
	struct intern *groups = intern_new();
	for (uint32_t id = 0; id < ids; id++) {
		uint32_t places = chain_places(&x, id, place);
		for (uint32_t i = 1; i < places; i++)
			gap[i - 1] = place[i] - place[i - 1];
		group[id] = intern_id(groups, gap, (places - 1) * sizeof *gap);
		last[group[id]] = id; /* keys come in the order of the row */
	}
	rewriting_spend(c->r, length);
	for (uint32_t id = 0, known = 0; id < ids && c->r->steps; id++) {
		bool first = group[id] == known;
		known += first;
		uint32_t cuts = chain_places(&x, id, place);
		if (cuts > 1 && first)
			try_delimiter(c, &(struct view){c, false}, place, cuts);
		if (cuts < 2 || last[group[id]] != id)
			continue;
		for (uint32_t i = 0; i < cuts; i++)
			gap[cuts - 1 - i] = (uint32_t)length - 1 - place[i];
		try_delimiter(c, &(struct view){c, true}, gap, cuts);
	}
	intern_free(groups);
	chains_clear(&x);
	free(group);
	free(last);
	free(place);
	free(gap);
}

/* ------------------------------------------------------------------ which loops are open */

/* Are the same elements equal? */
static bool same_pattern(const uint32_t *a, const uint32_t *b, size_t length)
{
	struct intern *of_a = intern_new_keys(sizeof *a), *of_b = intern_new_keys(sizeof *b);
	bool same = true;
	for (size_t i = 0; i < length && same; i++)
		same = intern_id(of_a, &a[i], sizeof *a) == intern_id(of_b, &b[i], sizeof *b);
	intern_free(of_a);
	intern_free(of_b);
	return same;
}

/* The row with whatever stands open in it. */
static void try_opened(struct cutting *c)
{
	struct rewriting *r = c->r;
	const struct statement_row *row = c->row;
	size_t length = c->open.length;
	c->first = mem_array(row->length + 1, sizeof *c->first);
	c->key = mem_array(length, sizeof *c->key);
	c->before = mem_array(length, sizeof *c->before);
	c->piece = mem_array(length, sizeof *c->piece);
	c->sum = mem_array(length + 1, sizeof *c->sum);
	c->rows = mem_array(row->length + 1, sizeof *c->rows);
	for (size_t kid = 0, i = 0; kid <= row->length; kid++) {
		while (i < length && c->open.at[i].kid < kid)
			i++;
		c->first[kid] = (uint32_t)i;
		c->rows[kid] = kid ? c->rows[kid - 1] + cost_of(r, row->at[kid - 1].node) : 0;
	}
	for (size_t i = 0; i <= length; i++)
		c->sum[i] = i ? c->sum[i - 1] + cost_of(r, c->open.at[i - 1].node) : 0;
	for (int how = 0; how < KEYS && r->steps; how++) {
		bool new = how == KEYS_EXACT;
		uint32_t *key = mem_array(length, sizeof *key);
		for (size_t i = 0; i < length; i++)
			key[i] = how == KEYS_LIKE ? likeness(r, c->open.at[i].node) : c->open.at[i].node;
		new = new || !same_pattern(key, c->key, length);
		free(c->key);
		c->key = key;
		if (new)
			try_row(c);
	}
	free(c->first);
	free(c->before);
	free(c->key);
	free(c->piece);
	free(c->sum);
	free(c->rows);
}

/* Was it looked at? */
static bool is_known(struct intern *known, const struct statement_row *row)
{
	node_id *id = mem_array(row->length, sizeof *id);
	uint32_t before = intern_count(known);
	for (size_t i = 0; i < row->length; i++)
		id[i] = row->at[i].node;
	bool is = intern_id(known, id, row->length * sizeof *id) < before;
	free(id);
	return is;
}

/* ------------------------------------------------------------------ runs as loops */

/* Elements of a body, and different bodies, that are looked for. */
#define RUN_WIDTH 16
#define RUN_BODIES 8

static bool are_equal(const struct statement_row *row, size_t a, size_t b, size_t width)
{
	bool same = a + width <= row->length && b + width <= row->length;
	for (size_t i = 0; i < width && same; i++)
		same = row->at[a + i].node == row->at[b + i].node;
	return same;
}

/* A body so often. */
static bool loop_of(struct rewriting *r, const struct element *body, size_t width, size_t times, struct element *to)
{
	struct statement_row inside = {0};
	bool good = true;
	for (size_t i = 0; i < width && good; i++) {
		struct element e = body[i];
		e.node = node_put(&(struct substitution){.store = r->s, .deeper = 1}, e.node, &good);
		row_add(&inside, e);
	}
	if (good) {
		struct row_body own = row_as_body(r, &inside);
		node_id domain = domain_of_all(r, body, width), last = number_constant(r->s, (int64_t)times - 1);
		*to = element_around(r, node_make(r->s, NODE_LOOP, 0, 0, 0, 3, (node_id[]){domain, last, own.node}),
			LINE_NONE, &own);
	}
	free(inside.at);
	return good;
}

/* How often the body stands here. */
static size_t times_of(const struct statement_row *row, size_t body, size_t width, size_t at)
{
	size_t times = 0;
	while (are_equal(row, body, at + times * width, width))
		times++;
	return times;
}

/* The shortest run of it, if all longer ones are so many of that: what several loops did in a row
   was taken for one. 0: they are not. */
static size_t shortest_run(const struct statement_row *row, size_t body, size_t width)
{
	size_t least = SIZE_MAX, most = 0, common = 0;
	for (size_t i = 0; i < row->length;) {
		size_t times = times_of(row, body, width, i);
		if (times > 1) {
			least = times < least ? times : least;
			most = times > most ? times : most;
			common = (size_t)gcd(common, times);
		}
		i += times ? times * width : 1;
	}
	return common == least && most > least ? least : 0;
}

/* Wherever the body stands, once or more often, there is a loop of it. most: of no more
   iterations; 0: of all of them. */
static bool roll(struct rewriting *r, const struct statement_row *row, size_t body, size_t width, size_t most,
	struct statement_row *to)
{
	bool good = true;
	for (size_t i = 0; i < row->length && good;) {
		size_t times = times_of(row, body, width, i);
		struct element e = row->at[i];
		times = most && times > most ? most : times;
		if (times)
			good = loop_of(r, &row->at[i], width, times, &e);
		e.kid = (uint32_t)to->length;
		e.turn = 0;
		e.domain = UINT32_MAX;
		row_add(to, e);
		i += times ? times * width : 1;
	}
	return good;
}

static void try_rolled_body(struct cutting *c, const struct statement_row *open, size_t body, size_t width, size_t most,
	struct intern *known)
{
	struct statement_row rolled = {0};
	if (roll(c->r, open, body, width, most, &rolled) && !is_known(known, &rolled)) {
		c->row = &rolled;
		c->open = rolled;
		try_opened(c);
	}
	free(rolled.at);
}

/* Loops whose counts differ are alike; copies of what they do are not. */
static void try_rolled(struct cutting *c, struct intern *known)
{
	const struct statement_row *row = c->row;
	struct statement_row open = c->open;
	struct intern *bodies = intern_new();
	for (size_t i = 0; i < open.length && c->r->steps && intern_count(bodies) < RUN_BODIES; i++)
		for (size_t width = 1; width <= RUN_WIDTH; width++) {
			node_id id[RUN_WIDTH];
			if (!are_equal(&open, i, i + width, width))
				continue;
			for (size_t k = 0; k < width; k++)
				id[k] = open.at[i + k].node;
			uint32_t before = intern_count(bodies);
			if (intern_id(bodies, id, width * sizeof *id) == before) {
				size_t most = shortest_run(&open, i, width);
				try_rolled_body(c, &open, i, width, 0, known);
				if (most)
					try_rolled_body(c, &open, i, width, most, known);
			}
			break;
		}
	intern_free(bodies);
	c->row = row;
	c->open = open;
}

/* Statements in loops of a body that can be opened, at any depth, each once. */
static void find_targets(const struct rewriting *r, node_id body, bool inside, struct intern *to)
{
	const struct node *b = get(r, body);
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *n = get(r, b->kid[k]);
		if (has_body(n))
			find_targets(r, n->kid[2], inside || loop_iterations(r, b->kid[k]), to);
		if (inside)
			intern_id(to, &b->kid[k], sizeof *b->kid);
	}
}

/* A digest of the loops that are open then, so many levels of them, in the order of the text. */
static uint64_t open_loops(struct rewriting *r, node_id body, node_id target, uint32_t levels, uint64_t digest)
{
	const struct node *b = get(r, body);
	rewriting_spend(r, b->kids);
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *n = get(r, b->kid[k]);
		bool opens = levels && loop_iterations(r, b->kid[k]) && body_has(r, n->kid[2], target);
		digest = opens ? hash_pair(digest, k + 1) : digest;
		if (opens || n->kind == NODE_GUARD)
			digest = hash_pair(open_loops(r, n->kid[2], target, levels - opens, digest), UINT32_MAX);
	}
	return digest;
}

static void try_open(struct cutting *c, node_id target, uint32_t levels, struct intern *known)
{
	c->open = (struct statement_row){0};
	if (row_open(c->r, c->row, target, levels, &c->open) && !is_known(known, &c->open)) {
		try_opened(c);
		try_rolled(c, known);
	}
	free(c->open.at);
}

bool recut_row(struct rewriting *r, const struct statement_row *row, struct statement_row *cheaper)
{
	static const uint32_t levels[] = {1, 2, UINT32_MAX};
	struct cutting c = {.r = r, .row = row, .best = row_cost(r, row)};
	struct intern *known = intern_new(), *opened = intern_new_keys(sizeof(uint64_t)),
		      *targets = intern_new_keys(sizeof(node_id));
	struct row_body body = row_as_body(r, row);
	uint32_t depth = get(r, body.node)->depth;
	find_targets(r, body.node, false, targets);
	try_open(&c, NODE_NONE, 0, known);
	for (uint32_t t = 0; t < intern_count(targets) && r->steps; t++)
		for (uint32_t k = 0; k < sizeof levels / sizeof *levels && k < depth && r->steps; k++) {
			node_id target;
			memcpy(&target, intern_data(targets, t, NULL), sizeof target);
			uint64_t digest = open_loops(r, body.node, target, levels[k], 1);
			uint32_t before = intern_count(opened);
			if (intern_id(opened, &digest, sizeof digest) == before)
				try_open(&c, target, levels[k], known);
		}
	intern_free(known);
	intern_free(opened);
	intern_free(targets);
	*cheaper = c.better;
	return c.better.length;
}
