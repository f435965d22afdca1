/*
 * elastic.c -- from streams to trees, from the joint tree to statements.
 */
#include "fold/elastic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ask/projection.h"
#include "ask/sameness.h"
#include "base/deflated.h"
#include "base/gcd.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "fold/copies.h"
#include "fold/elastic_fit.h"
#include "fold/elastic_join.h"
#include "fold/elastic_streams.h"
#include "merge/masters.h"

/* Programs this short are what they should be. */
#define SHORT 4

/* Events of one process, and of all, that are looked at one by one; and so many, or so many for
   each statement: to look at more of them would not pay. */
#define OWN_LIMIT (UINT64_C(1) << 18)
#define EVENTS_LIMIT (UINT64_C(1) << 22)
#define STREAM_RATIO 64
#define STREAM_SHORT 4096

/* Events of all processes whose loops are looked at: the result is compared event by event. */
#define LOOPS_LIMIT (UINT64_C(1) << 27)

/* Of a text: its lines, and its bytes but for what it repeats. */
struct measure {
	size_t lines, bytes;
};

struct elastic {
	struct program *from;
	struct elastic_streams *streams;
	const struct elastic_trees *trees; /* being written */
	const struct elastic_options *options;
	enum joined_how how; /* trees are joined */
	uint64_t alike; /* hash of what JOINED_ALIKE made of these trees */
	size_t room; /* bytes that the program has; SIZE_MAX: not counted yet */
	size_t carrying; /* the same with what its events carry */
	struct measure best; /* of the best result so far */
	struct text header; /* that all of them have */
	struct intern *tried; /* hashes of results */
};

/* ------------------------------------------------------------------ one measure */

static size_t statements_of(const struct program *p)
{
	size_t sum = 0;
	for (size_t i = 0; i < p->length; i++)
		sum += statement_guard(&p->statement[i]) != GUARD_WHO;
	return sum;
}

/* Before a table that is this long it is asked whether the text is too long already. */
#define TABLE_LONG 256

/* A copy that the end of the text cuts short may take so many bytes more than the whole one. */
#define CUT_COPY 4

/* Conditions that repeat after more iterations are those of a loop inside another; they are taken
   where they save three statements of four. */
#define FLAT_PERIOD 16
#define FLAT_GAIN 4

struct measuring {
	const struct program *program;
	struct intern *tried;
	size_t room;
	bool asked; /* whether it was tried */
};

/* Ways differ in trees, and yet come to the same: the statements tell, and the tables as they
   are. */
static bool is_tried(const struct measuring *m, const struct text *statements)
{
	const struct dictionary *d = m->program->dictionary;
	uint64_t hash = hash_bytes(statements->data, statements->length);
	for (size_t i = 0; i < dictionary_tables(d); i++)
		hash = hash_pair(hash, table_hash(dictionary_get_table(d, i)));
	uint32_t tried = intern_count(m->tried);
	return intern_id(m->tried, &hash, sizeof hash) < tried;
}

static bool is_enough(void *measuring, const struct text *text, const struct table *next)
{
	struct measuring *m = measuring;
	bool known = !m->asked && is_tried(m, text);
	m->asked = true;
	return known || (table_entries(next) >= TABLE_LONG && deflated_size(text->data, text->length) > m->room);
}

static size_t lines_of(const struct text *text)
{
	size_t lines = 0;
	for (size_t i = 0; i < text->length; i++)
		lines += text->data[i] == '\n';
	return lines;
}

/* SIZE_MAX bytes: more than there is room for, or tried before. */
static struct measure measure_within(struct elastic *e, const struct program *p, size_t room)
{
	struct text text = {0};
	struct measuring m = {p, e->tried, room < SIZE_MAX - CUT_COPY ? room + CUT_COPY : room, p == e->from};
	struct measure measure = {SIZE_MAX, SIZE_MAX};
	if (!e->header.length)
		program_print_header_text(e->from, &e->header);
	text_put(&text, e->header.data);
	if (program_print_statements_text(p, &(struct program_enough){&m, is_enough}, &text))
		measure = (struct measure){lines_of(&text), deflated_size(text.data, text.length)};
	text_clear(&text);
	if (measure.bytes > room)
		measure.bytes = SIZE_MAX;
	return measure;
}

/* Bytes that a result may have more: a statement less is worth one. */
static size_t bytes_for(const struct elastic *e, size_t statements)
{
	return statements_of(e->from) - statements;
}

/* Bytes that a result of so many statements may have. */
static size_t room_of(struct elastic *e, size_t statements)
{
	if (e->room == SIZE_MAX)
		e->room = measure_within(e, e->from, SIZE_MAX).bytes;
	return e->room + bytes_for(e, statements);
}

/* With what its events carry; false: that does not fit. */
static bool print_carrying(const struct elastic_options *o, const struct program *p, struct text *to)
{
	struct program *carrying = program_copy(p);
	bool fits = !o->carry || o->carry(o->context, carrying);
	program_print_statements_text(carrying, NULL, to);
	program_free(carrying);
	return fits;
}

static struct measure measure_carrying(const struct elastic *e, const struct program *p)
{
	struct text text = {0};
	text_put(&text, e->header.data);
	bool fits = print_carrying(e->options, p, &text);
	struct measure measure = {lines_of(&text), fits ? deflated_size(text.data, text.length) : SIZE_MAX};
	text_clear(&text);
	return measure;
}

/* Has the result no more bytes than it may, and no more lines than so many, also with what its
   events carry, which adds lines at most? Then these are measured. */
static bool is_within(struct elastic *e, const struct program *p, size_t lines, struct measure *own)
{
	size_t statements = statements_of(p);
	*own = measure_within(e, p, room_of(e, statements));
	if (own->bytes == SIZE_MAX || own->lines > lines || !e->options->carry)
		return own->bytes < SIZE_MAX && own->lines <= lines;
	if (e->carrying == SIZE_MAX)
		e->carrying = measure_carrying(e, e->from).bytes;
	*own = measure_carrying(e, p);
	return own->bytes <= e->carrying + bytes_for(e, statements);
}

/* ------------------------------------------------------------------ statements */

/*
 * When the places of a body are executed, by tree. What is around repeats in the inner loops first:
 * after so many executions the indices of the loops from one depth on are the same again.
 */
struct frame {
	uint32_t tree;
	const struct numbers *count[INDEX_DEPTH]; /* of the loops around, by depth */
	size_t executions[INDEX_DEPTH + 1]; /* of their bodies, by the depth of these */
	size_t again[INDEX_DEPTH + 1]; /* from which depth on: after so many executions */
	int64_t *index[INDEX_DEPTH]; /* of the first so many executions, by depth */
	size_t listed;
};

struct frames {
	struct frame *frame;
	size_t length;
};

struct writing {
	struct elastic *elastic;
	struct program *to;
	size_t room; /* for tables */
	uint32_t depth, guards;
};

static void frames_clear(struct frames *f)
{
	for (size_t i = 0; i < f->length; i++)
		for (uint32_t d = 0; d < INDEX_DEPTH; d++)
			free(f->frame[i].index[d]);
	free(f->frame);
	*f = (struct frames){0};
}

static struct frame *frame_of(const struct frames *f, uint32_t tree)
{
	size_t low = 0, high = f->length;
	while (low + 1 < high) {
		size_t middle = (low + high) / 2;
		if (f->frame[middle].tree <= tree)
			low = middle;
		else
			high = middle;
	}
	assert(f->frame[low].tree == tree);
	return &f->frame[low];
}

/* The sum of the first counts. */
static size_t sum_of(const struct numbers *count, size_t executions)
{
	size_t all = 0, rest = 0;
	for (size_t k = 0; k < count->rows; k++) {
		all += (size_t)count->number[k];
		rest += k < executions % count->rows ? (size_t)count->number[k] : 0;
	}
	return executions / count->rows * all + rest;
}

/* Those inside a loop, or a guard, of these counts. */
static struct frames frames_inside(const struct writing *w, const struct frames *around, const struct joined *loop)
{
	struct frames inside = {mem_zero(loop->members * sizeof *inside.frame), loop->members};
	for (size_t i = 0; i < loop->members; i++) {
		const struct numbers *count = &loop->member[i].node->slot[SLOT_COUNT];
		const struct frame *f = frame_of(around, loop->member[i].tree);
		struct frame *to = &inside.frame[i];
		size_t executions = f->executions[w->depth];
		*to = *f;
		memset(to->index, 0, sizeof to->index);
		to->listed = 0;
		to->count[w->depth] = count;
		to->executions[w->depth + 1] = executions ? sum_of(count, executions) : 0;
		for (uint32_t d = 0; d <= w->depth && executions; d++) {
			uint64_t again = common_multiple(f->again[d], count->rows, executions);
			to->again[d] = sum_of(count, again ? again : executions);
		}
		to->again[w->depth + 1] = 1;
	}
	return inside;
}

/* The indices of the first so many executions. */
static void list_indices(struct frame *f, uint32_t depth, size_t executions)
{
	size_t at[INDEX_DEPTH] = {0}; /* executions of the bodies, the innermost last */
	int64_t index[INDEX_DEPTH];
	if (f->listed >= executions)
		return;
	for (uint32_t d = 0; d < depth; d++) {
		f->index[d] = mem_resize(f->index[d], executions, sizeof *f->index[d]);
		index[d] = -1; /* the next iteration is the first */
	}
	uint32_t level = 0;
	for (size_t k = 0; k < executions;) {
		if (level == depth) {
			for (uint32_t d = 0; d < depth; d++)
				f->index[d][k] = index[d];
			k++;
			level--;
			continue;
		}
		if (++index[level] < number_at(f->count[level], at[level], 0)) {
			level++;
			continue;
		}
		at[level]++;
		index[level] = -1;
		level -= level > 0;
	}
	f->listed = executions;
}

/* Do the numbers come again with the loops from this depth on, whose counts stay the same? */
static bool comes_again(const struct frame *f, uint32_t from, uint32_t depth, const struct numbers *n)
{
	size_t inside = 1;
	for (uint32_t d = from; d < depth && inside <= f->again[from]; d++)
		inside *= f->count[d]->rows == 1 ? (size_t)*f->count[d]->number : SIZE_MAX;
	return !n->rows || (inside == f->again[from] && inside % n->rows == 0);
}

/* The first loop whose indices must be looked at: those further out decide nothing. */
static uint32_t telling(const struct frames *frames, uint32_t depth, const struct joined *place, int slot)
{
	for (uint32_t d = depth; d-- > 1;) {
		bool again = true;
		for (size_t i = 0; i < place->members && again; i++)
			again = comes_again(
				frame_of(frames, place->member[i].tree), d, depth, &place->member[i].node->slot[slot]);
		if (again)
			return d;
	}
	return 0;
}

static const struct elastic_tree *tree_of(const struct writing *w, const struct joined_member *m)
{
	return &w->elastic->trees->tree[m->tree];
}

static uint32_t set_of(const struct writing *w, const struct joined *place)
{
	struct ranks set = {0};
	for (size_t i = 0; i < place->members; i++)
		for (uint32_t lane = 0; lane < tree_of(w, &place->member[i])->processes; lane++)
			ranks_add(&set, tree_of(w, &place->member[i])->process[lane]);
	uint32_t id = dictionary_ranks(w->to->dictionary, &set);
	ranks_clear(&set);
	return id;
}

static int by_process(const void *a, const void *b)
{
	const struct fit_times *x = a, *y = b;
	return (x->process > y->process) - (x->process < y->process);
}

static bool any_varies(const struct joined *place, int slot)
{
	bool varies = false;
	for (size_t i = 0; i < place->members; i++)
		varies = varies || place->member[i].node->slot[slot].rows > 1;
	return varies;
}

/* The numbers of a slot, by process; the times are the caller's. */
static struct fitting fitting_of(
	const struct writing *w, const struct frames *frames, const struct joined *place, int slot, const char *name)
{
	struct fitting f = {.program = w->to, .guards = w->guards, .name = name, .room = w->room};
	struct fit_times *times = NULL;
	size_t capacity = 0;
	f.depth = any_varies(place, slot) ? w->depth : 0;
	uint32_t from = f.depth ? telling(frames, w->depth, place, slot) : 0;
	for (size_t i = 0; i < place->members; i++) {
		const struct elastic_tree *tree = tree_of(w, &place->member[i]);
		const struct numbers *n = &place->member[i].node->slot[slot];
		struct frame *frame = frame_of(frames, place->member[i].tree);
		size_t executions = !f.depth ? n->rows : from ? frame->again[from] : frame->executions[w->depth];
		assert(n->executions == frame->executions[w->depth]);
		if (f.depth)
			list_indices(frame, w->depth, executions);
		times = mem_grow(times, &capacity, f.processes + tree->processes, sizeof *times);
		for (uint32_t lane = 0; lane < tree->processes; lane++)
			times[f.processes++] = (struct fit_times){
				tree->process[lane], n->lanes > 1 ? lane : 0, executions, frame->index, n};
	}
	qsort(times, f.processes, sizeof *times, by_process);
	f.times = times;
	return f;
}

static bool fitted(struct writing *w, struct fitting *f, bool good)
{
	free((struct fit_times *)f->times);
	w->room = f->room;
	return good;
}

static bool write_event(struct writing *w, const struct frames *frames, const struct joined *place)
{
	struct elastic_shape shape = *elastic_shape_of(w->elastic->streams, place->shape);
	struct form form;
	memset(&form, 0, sizeof form);
	form.kind = shape.kind;
	form.word = shape.word;
	form.group = shape.group;
	form.numbered = shape.numbered;
	form.number = shape.number;
	form.communicator = value_of(shape.kind == EVENT_LOCAL ? NO_COMMUNICATOR : shape.communicator);
	bool message = shape.kind == EVENT_SEND || shape.kind == EVENT_RECV, good = true;
	if (message || shape.rooted) {
		struct fitting f = fitting_of(w, frames, place, SLOT_PEER, shape.rooted ? "root" : "peer");
		good = fitted(w, &f, fit_place(&f, &form.peer));
	}
	if (shape.counted && good) {
		struct fitting f = fitting_of(w, frames, place, SLOT_TAG, "tag");
		good = fitted(w, &f, fit_value(&f, &form.value));
		form.varies = !value_is_constant(&form.value);
		if (!form.varies) {
			form.number = (uint64_t)form.value.plain.constant;
			form.value = value_of(0);
		}
	}
	if (good)
		program_add(w->to, set_of(w, place), program_form(w->to, &form));
	return good;
}

static bool write_list(struct writing *w, const struct frames *frames, const struct joined_list *list);

static bool write_inside(struct writing *w, const struct frames *frames, const struct joined *place, bool guard)
{
	if (w->depth == INDEX_DEPTH)
		return false;
	struct frames inside = frames_inside(w, frames, place);
	uint32_t guards = w->guards;
	w->guards |= guard ? UINT32_C(1) << w->depth : 0;
	w->depth++;
	bool good = write_list(w, &inside, &place->body);
	frames_clear(&inside);
	w->depth--;
	w->guards = guards;
	return good;
}

static bool is_once(const struct joined *place)
{
	for (size_t i = 0; i < place->members; i++)
		for (size_t k = 0; k < place->member[i].node->slot[SLOT_COUNT].rows; k++)
			if (place->member[i].node->slot[SLOT_COUNT].number[k] != 1)
				return false;
	return true;
}

static bool write_loop(struct writing *w, const struct frames *frames, const struct joined *place)
{
	if (is_once(place))
		return write_list(w, frames, &place->body);
	struct fitting f = fitting_of(w, frames, place, SLOT_COUNT, "n");
	struct value count;
	if (!fitted(w, &f, fit_value(&f, &count)))
		return false;
	size_t loop = program_open_by(w->to, set_of(w, place), &count);
	bool good = write_inside(w, frames, place, false);
	program_close(w->to, loop);
	return good;
}

/* Does each process execute exactly one of the two, each time? */
static bool is_opposite(const struct joined *a, const struct joined *b)
{
	bool opposite = a->kind == ELASTIC_GUARD && a->members == b->members;
	for (size_t i = 0; i < b->members && opposite; i++) {
		const struct numbers *x = &a->member[i].node->slot[SLOT_COUNT],
				     *y = &b->member[i].node->slot[SLOT_COUNT];
		opposite = a->member[i].tree == b->member[i].tree && x->executions == y->executions;
		for (size_t k = 0; k < x->executions && opposite; k++)
			opposite = number_at(x, k, 0) != number_at(y, k, 0);
	}
	return opposite;
}

/* before: the guard that has just been written; its statement. */
static bool write_guard(struct writing *w, const struct frames *frames, const struct joined *place,
	const struct joined *before, size_t written)
{
	if (is_once(place))
		return write_list(w, frames, &place->body);
	if (w->elastic->options->no_guards)
		return false;
	struct value condition;
	bool opposite = before && statement_guard(&w->to->statement[written]) == GUARD_IF && is_opposite(before, place);
	if (opposite) {
		struct value first = program_bound(w->to, &w->to->statement[written]);
		condition = value_negated(&first);
	} else {
		struct fitting f = fitting_of(w, frames, place, SLOT_COUNT, "g");
		if (!fitted(w, &f, fit_condition(&f, &condition)))
			return false;
	}
	size_t guard = program_open_guard(w->to, opposite ? GUARD_ELSE : GUARD_IF, &condition);
	bool good = write_inside(w, frames, place, true);
	program_close(w->to, guard);
	return good;
}

/* Recursion as deep as loops nest. */
static bool write_list(struct writing *w, const struct frames *frames, const struct joined_list *list)
{
	const struct joined *before = NULL;
	size_t written = 0;
	for (size_t i = 0; i < list->length; i++) {
		const struct joined *place = &list->place[i];
		size_t at = w->to->length;
		bool good = place->kind == ELASTIC_EVENT  ? write_event(w, frames, place)
			    : place->kind == ELASTIC_LOOP ? write_loop(w, frames, place)
							  : write_guard(w, frames, place, before, written);
		if (!good)
			return false;
		before = place->kind == ELASTIC_GUARD && statement_guard(&w->to->statement[at]) == GUARD_IF ? place
													    : NULL;
		written = at;
	}
	return true;
}

/* As many as write_list would write. */
static size_t statements_to_write(const struct joined_list *list)
{
	size_t sum = 0;
	for (size_t i = 0; i < list->length; i++) {
		const struct joined *place = &list->place[i];
		sum += place->kind == ELASTIC_EVENT || !is_once(place);
		if (place->kind != ELASTIC_EVENT)
			sum += statements_to_write(&place->body);
	}
	return sum;
}

/* ------------------------------------------------------------------ all together */

static bool has_tables(const struct program *p)
{
	for (size_t i = 0; i < p->length; i++) {
		const struct statement *s = &p->statement[i];
		if (statement_is_loop(s)) {
			struct value bound = program_bound(p, s);
			if (!value_is_quasi_affine(&bound))
				return true;
		} else if (program_indices(p, s) & INDEX_TABLE) {
			return true;
		}
	}
	return false;
}

/* May a program of so many statements be better than all that there are? */
static bool is_few(const struct elastic *e, const struct program *best, size_t statements)
{
	return statements < statements_of(e->from) && (!best || statements <= e->best.lines);
}

/* Does one process do what no other does, with others in turn? */
static bool has_master(const struct elastic *e, const struct elastic_trees *t)
{
	bool alone = false;
	for (size_t i = 0; i < t->length; i++)
		alone = alone || t->tree[i].processes == 1;
	return alone && t->length > 1 && !e->options->no_tables && !e->options->no_guards;
}

/* Joined equally, are the trees joined as they were alike? */
static bool is_as_alike(struct elastic *e, const struct joined_list *joined)
{
	uint64_t hash = joined_hash(joined);
	if (e->how == JOINED_ALIKE)
		e->alike = hash;
	return e->how == JOINED_EQUAL && hash == e->alike;
}

/* A program that says what the trees do; NULL: it has too many statements, of which no master takes
   any away, cannot be said, there is no room for its tables, or it was made before. */
static struct program *written(struct elastic *e, const struct elastic_trees *t, const struct program *best)
{
	struct joined_own *own = mem_array(t->length, sizeof *own);
	struct frames frames = {mem_zero(t->length * sizeof *frames.frame), t->length};
	for (size_t i = 0; i < t->length; i++) {
		own[i] = (struct joined_own){(uint32_t)i, &t->tree[i].list};
		frames.frame[i] = (struct frame){.tree = (uint32_t)i, .executions = {1}, .again = {1}};
	}
	struct joined_list joined;
	struct program *to = NULL;
	e->trees = t;
	if (joined_make(own, t->length, e->how, &joined) && !is_as_alike(e, &joined) &&
		(has_master(e, t) || is_few(e, best, statements_to_write(&joined)))) {
		to = program_copy(e->from);
		to->length = 0;
		struct writing w = {.elastic = e, .to = to, .room = room_of(e, 0)};
		if (!write_list(&w, &frames, &joined) || (e->options->no_tables && has_tables(to))) {
			program_free(to);
			to = NULL;
		}
	}
	joined_clear(&joined);
	free(own);
	frames_clear(&frames);
	return to;
}

/* What is neither guarded, nor looked up, nor different from process to process is said best as it
   was. */
static bool needs_to_be(const struct program *p)
{
	bool guards = false;
	for (size_t i = 0; i < p->length; i++)
		guards = guards || statement_guard(&p->statement[i]) != GUARD_NONE;
	return guards || has_tables(p) || program_is_uneven(p);
}

/* Does a table tell where in a longer turn of loops an iteration stands? What repeats is program,
   so that is rather said by loops inside each other, if these are not many times as long. */
static bool is_flat(const struct elastic *e, const struct program *p)
{
	bool flat = false;
	for (size_t i = 0; i < p->length && !flat; i++) {
		if (!statement_is_loop(&p->statement[i]))
			continue;
		struct value bound = program_bound(p, &p->statement[i]);
		for (size_t k = 0; k < TABLE_ARGUMENTS && bound.lookup.table; k++)
			flat = flat || bound.lookup.argument[k].modulus > FLAT_PERIOD;
	}
	return flat && statements_of(p) * FLAT_GAIN > statements_of(e->from);
}

static bool is_accepted(const struct elastic *e, struct program *p)
{
	return !e->options->accept || e->options->accept(e->options->context, p);
}

/* Has it fewer statements than the program, and so few bytes more that these pay? Of several, that
   of the fewest lines: those of tables are to be read, too, and grow with the processes where
   numbers follow no formula. Takes both. */
static struct program *shortest(struct elastic *e, struct program *best, struct program *other)
{
	size_t statements = other ? statements_of(other) : SIZE_MAX;
	bool better = other && is_few(e, best, statements) && (e->how == JOINED_LOOSELY || needs_to_be(other)) &&
		      !is_flat(e, other);
	struct measure own;
	better = better && is_within(e, other, best ? e->best.lines : SIZE_MAX, &own) &&
		 (!best || own.lines < e->best.lines || (own.lines == e->best.lines && own.bytes < e->best.bytes)) &&
		 is_accepted(e, other);
	e->best = better ? own : e->best;
	program_free(better ? best : other);
	return better ? other : best;
}

/* Also with loops where its statements stand several times in a row. Takes both. */
static struct program *shortest_rolled(struct elastic *e, struct program *best, struct program *other)
{
	struct program *rolled = other ? program_copy(other) : NULL;
	if (rolled && copies_roll(rolled))
		best = shortest(e, best, rolled);
	else
		program_free(rolled);
	return shortest(e, best, other);
}

static struct program *try_joined(
	struct elastic *e, const struct elastic_trees *t, enum joined_how how, struct program *best)
{
	e->how = how;
	struct program *other = written(e, t, best);
	bool masters = other && has_master(e, t) && masters_join(other);
	if (how == JOINED_EQUAL && !masters) {
		program_free(other);
		return best;
	}
	return shortest_rolled(e, best, other);
}

static struct program *try_trees(struct elastic *e, const struct elastic_trees *t, struct program *best)
{
	best = try_joined(e, t, JOINED_ALIKE, best);
	if (e->options->incomplete)
		best = try_joined(e, t, JOINED_LOOSELY, best);
	if (has_master(e, t))
		best = try_joined(e, t, JOINED_EQUAL, best);
	return best;
}

/* Partial iterations are tried where they take fewer statements, of events one by one: loops that
   were recognized have none at their ends. */
static struct program *try_way(
	struct elastic *e, enum elastic_way way, enum elastic_sameness same, struct program *best)
{
	bool more = true;
	for (int partial = 0; partial < 2 && more; partial++) {
		struct elastic_trees t;
		more = elastic_trees_make(e->streams, way, same, partial, &t);
		if (more)
			best = try_trees(e, &t, best);
		if (more && same != ELASTIC_GIVEN && elastic_trees_loop_alike(e->streams, &t))
			best = try_trees(e, &t, best);
		more = more && t.would && way != ELASTIC_LOOPS && same != ELASTIC_GIVEN;
		elastic_trees_clear(&t);
	}
	return best;
}

/* Which streams are so short that their events are looked at one by one? */
static bool is_worth_trying(struct elastic *e, enum elastic_way way)
{
	uint64_t all = 0, most = 0;
	for (uint32_t rank = 0; rank < e->from->processes; rank++) {
		uint64_t own = projection_events(elastic_projection(e->streams), rank);
		most = own > most ? own : most;
		if (__builtin_add_overflow(all, own, &all))
			return false;
	}
	bool loops = elastic_has_loops(e->streams) && all <= LOOPS_LIMIT,
	     events = most <= OWN_LIMIT && all <= EVENTS_LIMIT &&
		      (most / e->from->length <= STREAM_RATIO || most <= STREAM_SHORT);
	return way == ELASTIC_EVENTS ? events : loops && (way == ELASTIC_LOOPS || !events);
}

/* The program with loops where its statements stand several times in a row, if that pays; the
   caller's, or NULL. */
static struct program *rolled_copies(struct elastic *e)
{
	struct program *rolled = program_copy(e->from);
	struct measure own;
	if (copies_roll(rolled) && statements_of(rolled) < statements_of(e->from) &&
		is_within(e, rolled, SIZE_MAX, &own) && is_accepted(e, rolled)) {
		e->best = own;
		return rolled;
	}
	program_free(rolled);
	return NULL;
}

struct program *elastic(struct program *from, const struct program *local, const struct elastic_options *options)
{
	static const struct elastic_options all;
	if (from->length <= SHORT)
		return NULL;
	struct elastic e = {.from = from, .options = options ? options : &all, .room = SIZE_MAX, .carrying = SIZE_MAX};
	struct program *best = rolled_copies(&e);
	e.streams = elastic_streams_new(from, local);
	e.tried = intern_new_keys(sizeof(uint64_t));
	for (int way = ELASTIC_LOOPS; way <= ELASTIC_EVENTS; way++)
		for (int same = 0; same < ELASTIC_SAMENESSES && is_worth_trying(&e, way); same++)
			best = try_way(&e, way, same, best);
	if (best && !streams_same(elastic_projection(e.streams), best)) {
		program_free(best);
		best = NULL;
	}
	elastic_streams_free(e.streams);
	intern_free(e.tried);
	text_clear(&e.header);
	return best;
}
