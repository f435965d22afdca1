/*
 * uniform.c -- index-set splitting over processes: a program whose counts depend on the process as
 * one in which they do not; and whom a statement names.
 *
 * A loop is written once for each function of the indices that its count is on some of its
 * processes, with what these execute of its body. So the order of every process stays as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/program.h"

struct splitting {
	const struct program *from;
	struct program *to; /* has all but the statements */
	size_t *origin, capacity;
};

static void note_origin(struct splitting *e, size_t at)
{
	e->origin = mem_grow(e->origin, &e->capacity, e->to->length, sizeof *e->origin);
	e->origin[e->to->length - 1] = at;
}

/* Append a copy of a statement, of these processes alone. */
static void put_statement(struct splitting *e, size_t at, uint32_t set)
{
	program_add(e->to, 0, 0);
	struct statement *s = &e->to->statement[e->to->length - 1];
	*s = e->from->statement[at];
	s->set = set;
	note_origin(e, at);
}

/* Those of a set who are among them; who NULL: all. */
static uint32_t common_set(struct splitting *e, const struct ranks *set, const struct ranks *who)
{
	struct ranks common = {0};
	if (who)
		ranks_intersect(&common, set, who);
	uint32_t id = dictionary_ranks(e->to->dictionary, who ? &common : set);
	ranks_clear(&common);
	return id;
}

static bool is_empty(const struct splitting *e, uint32_t set)
{
	return !dictionary_get_ranks(e->to->dictionary, set).length;
}

static void put_event(struct splitting *e, size_t at, const struct ranks *who)
{
	const struct statement *s = &e->from->statement[at];
	struct ranks_run single;
	struct ranks all = program_processes(e->from, s, &single);
	uint32_t set = common_set(e, &all, who);
	if (is_empty(e, set))
		return;
	put_statement(e, at, s->set == STATEMENT_PLAIN ? STATEMENT_PLAIN : set);
	if (s->set != STATEMENT_PLAIN)
		return;
	struct event event = *dictionary_get_event(e->to->dictionary, s->event);
	if (event.kind == EVENT_SYNC)
		event.process = set;
	e->to->statement[e->to->length - 1].event = dictionary_event(e->to->dictionary, &event);
}

static void put_body(struct splitting *e, size_t from, size_t to, const struct ranks *who);

/* Nothing is left of a loop in which nothing is executed. */
static void put_loop(struct splitting *e, size_t at, enum guard guard, const struct value *count, uint32_t set,
	const struct ranks *who)
{
	size_t loop = e->to->length;
	put_statement(e, at, set);
	e->to->statement[loop].event = guard;
	program_set_count(e->to, &e->to->statement[loop], count);
	put_body(e, at + 1, at + e->from->statement[at].size, who);
	if (e->to->length == loop + 1)
		e->to->length = loop;
	else
		program_close(e->to, loop);
}

struct class
{
	struct value count;
	struct ranks processes;
};

/* What tells a process's function from those of others: its count, and instead of the row of a
   table that this asks for what stands there. */
static void function_key(const struct value *own, struct text *key)
{
	struct value bare = *own;
	const struct lookup *l = &own->lookup;
	const struct affine *row = &l->argument[0].inside;
	struct affine constant = {.constant = row->constant};
	uint64_t first, length = 0;
	bool known = l->table && table_arguments(l->table) == 2 && !memcmp(&constant, row, sizeof constant) &&
		     table_row(l->table, &row->constant, &first, &length);
	bare.lookup.argument[0].inside.constant *= !known;
	text_truncate(key, 0);
	text_add(key, (const char *)&bare, sizeof bare);
	for (uint64_t i = 0; i < length && known; i++) {
		int64_t entry = table_entry(l->table, first + i);
		text_add(key, (const char *)&entry, sizeof entry);
	}
}

/* The processes by their functions, in the order of the lowest. */
static struct class *find_classes(
	const struct program *p, const struct value *count, const struct ranks *who, uint32_t *classes)
{
	struct intern *functions = intern_new();
	struct class *class = NULL;
	size_t capacity = 0;
	struct ranks_walk walk = {0};
	struct text key = {0};
	*classes = 0;
	for (uint32_t rank; ranks_next(who, &walk, &rank);) {
		struct spot spot = grid_spot(&p->grid, rank);
		struct value own = *count;
		value_put_process(&own, &spot);
		function_key(&own, &key);
		uint32_t id = intern_id(functions, key.data, key.length);
		if (id == *classes) {
			class = mem_grow(class, &capacity, id + 1, sizeof *class);
			class[(*classes)++] = (struct class){.count = own};
		}
		ranks_add(&class[id].processes, rank);
	}
	text_clear(&key);
	intern_free(functions);
	return class;
}

static void put_classes(struct splitting *e, size_t at, const struct value *count, const struct ranks *who)
{
	const struct statement *s = &e->from->statement[at];
	struct ranks all = {0}, here = {0};
	if (s->set != STATEMENT_PLAIN) {
		all = dictionary_get_ranks(e->from->dictionary, s->set);
		ranks_intersect(&here, &all, who ? who : &all);
	} else if (who) {
		ranks_unite(&here, &all, who);
	} else if (e->from->processes) {
		ranks_add_run(&here, 0, e->from->processes - 1);
	}
	uint32_t classes;
	struct class *class = find_classes(e->from, count, &here, &classes);
	for (uint32_t i = 0; i < classes; i++) {
		uint32_t set = s->set == STATEMENT_PLAIN ? STATEMENT_PLAIN
							 : dictionary_ranks(e->to->dictionary, &class[i].processes);
		enum guard guard = statement_guard(s);
		put_loop(e, at, guard == GUARD_NONE || guard == GUARD_INSIDE ? guard : GUARD_IF, &class[i].count, set,
			&class[i].processes);
		ranks_clear(&class[i].processes);
	}
	free(class);
	ranks_clear(&here);
}

/* Recursion as deep as loops nest. */
static void put_body(struct splitting *e, size_t from, size_t to, const struct ranks *who)
{
	for (size_t i = from; i < to; i += statement_size(&e->from->statement[i])) {
		const struct statement *s = &e->from->statement[i];
		if (!statement_is_loop(s)) {
			put_event(e, i, who);
			continue;
		}
		struct value count = program_bound(e->from, s);
		if (statement_guard(s) != GUARD_WHO && !value_is_uniform(&count)) {
			put_classes(e, i, &count, who);
			continue;
		}
		uint32_t set = s->set;
		if (set != STATEMENT_PLAIN) {
			struct ranks all = dictionary_get_ranks(e->from->dictionary, set);
			set = common_set(e, &all, who);
			if (is_empty(e, set))
				continue;
		}
		put_loop(e, i, statement_guard(s), &count, set, who);
	}
}

static void keep_addresses(struct splitting *e)
{
	struct addresses of = addresses_of(e->from), *kept = mem_zero(sizeof *kept);
	kept->start = mem_array(e->to->length + 1, sizeof *kept->start);
	for (size_t i = 0; i < e->to->length; i++) {
		const char *address = addresses_get(&of, e->origin[i]);
		kept->start[i] = kept->words.length;
		text_add(&kept->words, address, strlen(address) + 1);
	}
	addresses_clear(&of);
	e->to->addresses = kept;
}

struct program *program_uniform(const struct program *from, size_t **origin)
{
	struct splitting e = {.from = from, .to = program_copy(from)};
	program_empty(e.to);
	put_body(&e, 0, from->length, NULL);
	keep_addresses(&e);
	if (origin)
		*origin = e.origin;
	else
		free(e.origin);
	return e.to;
}

/* ------------------------------------------------------------------ whom a statement names */

bool program_namable(
	const struct program *p, size_t at, const struct ranks *around, struct ranks *to, struct error *error)
{
	struct value name = program_bound(p, &p->statement[at]);
	name.test = TEST_NONE;
	name.plain.p = 0;
	value_oppose(&name);
	to->length = 0;
	if (!value_is_entry(&name)) {
		if (around)
			ranks_copy(to, around);
		else if (p->processes)
			ranks_add_run(to, 0, p->processes - 1);
		return to->length || error_set(error, ERROR_INPUT, "there is no process that could execute this");
	}
	const struct table *t = name.lookup.table;
	bool *met = mem_zero(p->processes + (size_t)1), good = true;
	for (uint64_t i = 0; i < table_entries(t) && good; i++) {
		int64_t rank = table_entry(t, i) + name.plain.constant;
		good = rank >= 0 && rank < p->processes;
		if (good)
			met[rank] = true;
		else
			error_set(error, ERROR_INPUT, "$%s names process %lld, but the header says %u processes",
				table_name(t), (long long)rank, p->processes);
	}
	for (uint32_t rank = 0; rank < p->processes && good; rank++)
		if (met[rank])
			ranks_add(to, rank);
	free(met);
	return good && (to->length || error_set(error, ERROR_INPUT, "table $%s names no process", table_name(t)));
}
