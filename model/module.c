/*
 * module.c -- modules made, released, priced.
 */
#include "model/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/declared_sites.h"

struct module *module_in(struct store *s, uint32_t processes, const struct grid *grid)
{
	struct module *m = mem_zero(sizeof *m);
	m->store = store_share(s);
	m->processes = processes;
	m->grid = *grid;
	m->places = site_places_new();
	m->body = node_make(s, NODE_SEQUENCE, 0, 0, 0, 0, NULL);
	return m;
}

struct module *module_new(uint32_t processes, const struct grid *grid)
{
	struct store *s = store_new(processes, grid);
	struct module *m = module_in(s, processes, grid);
	store_free(s); /* it is the module's alone */
	return m;
}

struct module *module_copy(const struct module *from)
{
	struct module *m = mem_copy(from, sizeof *from);
	store_share(m->store);
	m->notes = (struct notes){0};
	notes_add_all(&m->notes, &from->notes);
	m->header = from->header ? mem_text(from->header) : NULL;
	m->procedure = mem_copy(from->procedure, from->procedures * sizeof *from->procedure);
	m->table = mem_copy(from->table, from->tables * sizeof *from->table);
	m->procedure_capacity = m->procedures;
	m->table_capacity = m->tables;
	m->places = site_places_copy(&from->places);
	m->sites = mem_copy(from->sites, from->lines * sizeof *from->sites);
	m->place = from->place ? mem_copy(from->place, from->lines * sizeof *from->place) : NULL;
	return m;
}

void module_set_body(struct module *m, node_id body)
{
	m->body = body;
	m->lines = node_of(m->store, body)->lines;
	free(m->sites);
	m->sites = mem_zero((m->lines + 1) * sizeof *m->sites);
}

void module_free(struct module *m)
{
	if (!m)
		return;
	store_free(m->store);
	notes_clear(&m->notes);
	free(m->header);
	free(m->procedure);
	free(m->table);
	free(m->sites);
	free(m->place);
	site_places_free(&m->places);
	free(m);
}

struct environment module_environment(const struct module *m)
{
	struct environment e = {.store = m->store, .processes = m->processes, .grid = m->grid};
	return e;
}

/* Takes the module, which may be NULL. */
static struct module *of_one(struct module *m, const char *name, struct error *error)
{
	if (!m || !m->parametric)
		return m;
	error_set(error, ERROR_INPUT,
		"%s: this is a program for every number of processes: make the model of one, as in "
		"'tracenest instantiate APP -D P=64'",
		name);
	module_free(m);
	return NULL;
}

struct module *module_read_one(const char *path, struct error *error)
{
	return of_one(module_read(path, error), strcmp(path, "-") ? path : "standard input", error);
}

struct module *module_parse_one(const char *name, const char *bytes, size_t length, struct error *error)
{
	return of_one(module_parse(name, bytes, length, error), name, error);
}

/* ------------------------------------------------------------------ its lines */

static bool is_construct(const struct node *n)
{
	return n->kind == NODE_LOOP || n->kind == NODE_GUARD;
}

/* around: of all of the body. */
static void note_body(
	const struct module *m, node_id body, size_t at, const struct module_line *around, struct module_line *line)
{
	const struct node *b = node_of(m->store, body);
	for (uint32_t k = 0; k < b->kids; at = module_line_behind(m, at, b->kid[k++])) {
		const struct node *n = node_of(m->store, b->kid[k]);
		struct module_line inside = {
			.around = at, .depth = around->depth + 1, .loops = around->loops + (n->kind == NODE_LOOP)};
		line[at] = *around;
		line[at].node = b->kid[k];
		if (is_construct(n))
			note_body(m, n->kid[2], at + 1, &inside, line);
	}
}

struct module_line *module_statements(const struct module *m)
{
	static const struct module_line outermost = {.around = LINE_OUTERMOST};
	size_t lines = node_of(m->store, m->body)->lines, at = lines;
	for (size_t i = 0; i < m->procedures; i++)
		lines = module_line_behind(m, lines, m->procedure[i]);
	struct module_line *line = mem_array(lines + 1, sizeof *line);
	note_body(m, m->body, 0, &outermost, line);
	for (size_t i = 0; i < m->procedures; at = module_line_behind(m, at, m->procedure[i++])) {
		line[at] = outermost;
		line[at].node = m->procedure[i];
		note_body(m, node_kid(m->store, m->procedure[i], 0), at + 1, &outermost, line);
	}
	return line;
}

bool module_is_folded(const struct module *m)
{
	struct module_line *line = module_statements(m);
	bool folded = false;
	for (size_t i = 0; i < m->lines && !folded; i++) {
		const struct node *n = node_of(m->store, line[i].node);
		folded = n->kind == NODE_EVENT ? !node_of(m->store, n->kid[COLUMN_WHO])->sub
					       : is_construct(n) && n->kid[0];
	}
	free(line);
	return folded;
}

bool module_varies(const struct module *m)
{
	struct module_line *line = module_statements(m);
	bool any = false;
	for (size_t i = 0; i < m->lines && !any; i++) {
		const struct node *n = node_of(m->store, line[i].node);
		uint64_t uses = n->kind == NODE_EVENT ? n->uses[FOR_CHANNEL]
				: is_construct(n)     ? node_of(m->store, n->kid[1])->uses[FOR_ALL]
						      : 0;
		any = uses & USES_INDICES;
	}
	free(line);
	return any;
}

/* ------------------------------------------------------------------ what it costs its reader */

/* Lines of the source that a word names: "x.c:44,46" is two, "compute" none. */
static uint64_t places_in(const char *word, size_t length)
{
	uint64_t places = 1;
	size_t colon = length;
	for (size_t i = length - 1; i-- > 1 && colon == length;)
		if (word[i] == ':' && word[i + 1] >= '0' && word[i + 1] <= '9')
			colon = i;
	if (colon == length)
		return 0;
	size_t end = colon + 1 + strspn(word + colon + 1, "0123456789");
	while (end + 1 < length && word[end] == ',' && word[end + 1] >= '0' && word[end + 1] <= '9')
		end += 1 + strspn(word + end + 1, "0123456789");
	for (size_t i = 0; i < end && i < length; i++)
		places += word[i] == ',';
	return places;
}

/* Lines of events, beyond the first that each stands for: that comments name; and as if each path
   were the line that calls last, "x.c:44 > y.c:9 | x.c:46 > y.c:9" is one. */
struct joined {
	uint64_t places, paths;
};

static struct joined joined_of(const char *comment)
{
	struct joined j = {0};
	uint64_t most = 0;
	for (size_t length; *(comment += strspn(comment, " \t")); comment += length) {
		length = strcspn(comment, " \t");
		uint64_t own = length > 2 ? places_in(comment, length) : 0;
		j.places += own;
		most = own > most ? own : most;
		if (length == 1 && *comment == '|') {
			j.paths += most;
			most = 0;
		}
	}
	j.paths += most;
	return (struct joined){j.places - (j.places > 0), j.paths - (j.paths > 0)};
}

struct joining {
	const struct module *m;
	struct declared_sites *declared;
	struct known_sites {
		struct joined joined;
		bool known;
	} * by_sites;
	struct joined all;
};

static struct joined joined_by(struct joining *j, uint32_t sites)
{
	struct known_sites *k = &j->by_sites[sites];
	struct text name = {0};
	if (!k->known && sites != SITES_NONE)
		declared_sites_name(j->declared, sites, false, &name);
	if (name.length)
		k->joined = joined_of(name.data);
	k->known = true;
	text_clear(&name);
	return k->joined;
}

static void add_joined(struct joining *j)
{
	const struct module *m = j->m;
	struct module_line *line = module_statements(m);
	for (size_t i = 0; i < m->lines; i++) {
		const struct node *n = node_of(m->store, line[i].node);
		if (n->kind != NODE_EVENT || !kind_is_call(n->sub))
			continue;
		struct joined own = joined_by(j, m->sites[i]);
		j->all.places += own.places;
		j->all.paths += own.paths;
	}
	free(line);
}

struct declared_sites *module_declared_sites(const struct module *m)
{
	struct declared_sites *declared = declared_sites_new((struct site_places *)&m->places);
	for (size_t line = 0; line < m->lines; line++)
		declared_sites_use(declared, m->sites[line]);
	return declared;
}

void module_sites_as_read(struct module *m)
{
	struct declared_sites *declared = module_declared_sites(m);
	struct module_line *line = module_statements(m);
	struct intern *comments = intern_new(); /* behind 'l' of a loop, 'e' of an event */
	uint32_t *comment = mem_array(m->lines + 1, sizeof *comment);
	struct text word = {0};
	for (size_t i = 0; i < m->lines; i++) {
		bool of_loop = node_of(m->store, line[i].node)->kind != NODE_EVENT;
		text_truncate(&word, 0);
		text_char(&word, of_loop ? 'l' : 'e');
		declared_sites_name(declared, m->sites[i], of_loop, &word);
		comment[i] = intern_id(comments, word.data, word.length + 1);
	}
	/* only now: this adds sets of paths */
	uint32_t *sites = mem_array(intern_count(comments) + (size_t)1, sizeof *sites);
	for (uint32_t k = 0; k < intern_count(comments); k++) {
		const char *said = intern_data(comments, k, NULL);
		sites[k] = said[1] ? declared_sites_find(declared, said + 1, said[0] == 'l') : SITES_NONE;
	}
	for (size_t i = 0; i < m->lines; i++)
		m->sites[i] = sites[comment[i]];
	text_clear(&word);
	free(sites);
	free(comment);
	free(line);
	intern_free(comments);
	declared_sites_free(declared);
}

uint64_t module_cost(const struct module *m, uint64_t *callers)
{
	struct joining j = {.m = m,
		.declared = module_declared_sites(m),
		.by_sites = mem_zero((intern_count(m->places.sets) + (size_t)1) * sizeof *j.by_sites)};
	uint64_t cost = node_of(m->store, m->body)->cost;
	add_joined(&j);
	for (size_t i = 0; i < m->procedures; i++)
		cost += node_of(m->store, m->procedure[i])->cost;
	for (size_t i = 0; i < m->tables; i++)
		cost += node_of(m->store, m->table[i])->cost;
	declared_sites_free(j.declared);
	free(j.by_sites);
	*callers = COST_UNIT * (j.all.places - j.all.paths);
	return cost + COST_UNIT * j.all.places;
}

/* ------------------------------------------------------------------ what it has */

static void keep_table(struct module *m, struct intern *kept, node_id table)
{
	if (intern_id(kept, &table, sizeof table) == m->tables)
		*MEM_PUSH(m->table, m->tables, m->table_capacity) = table;
}

static void keep_tables_of(struct module *m, struct intern *kept, node_id id)
{
	const struct node *n = node_of(m->store, id);
	bool number = n->kind < NODE_TABLE;
	if (n->kind == NODE_TABLE)
		keep_table(m, kept, id);
	if (n->kind == NODE_TABLE || n->kind == NODE_PROCEDURE || (number && !n->looks))
		return;
	for (uint32_t k = 0; k < n->kids; k++)
		keep_tables_of(m, kept, n->kid[k]);
}

void module_keep_tables(struct module *m)
{
	struct intern *kept = intern_new_keys(sizeof(node_id));
	m->tables = 0;
	keep_tables_of(m, kept, m->body);
	for (size_t i = 0; i < m->procedures; i++)
		keep_tables_of(m, kept, node_kid(m->store, m->procedure[i], 0));
	intern_free(kept);
}

static void add_name(uint32_t **name, size_t *names, size_t *capacity, uint32_t word)
{
	for (size_t i = 0; i < *names; i++)
		if ((*name)[i] == word)
			return;
	*MEM_PUSH(*name, *names, *capacity) = word;
}

size_t module_attribute_names(const struct module *m, uint32_t **name)
{
	struct module_line *line = module_statements(m);
	size_t names = 0, capacity = 0;
	*name = NULL;
	for (size_t i = 0; i < m->lines; i++) {
		const struct node *n = node_of(m->store, line[i].node);
		for (uint32_t k = COLUMNS; k < n->kids && n->kind == NODE_EVENT; k++)
			add_name(name, &names, &capacity, node_of(m->store, n->kid[k])->word);
	}
	free(line);
	return names;
}
