/*
 * module.h -- a program as one text says it: its header, its statements, procedures, tables and
 * call sites, all of them nodes of one store (model/node.h).
 *
 *	struct module *m = module_read("lu.nest", &error);
 *	module_print(m, &options, output);
 *	module_free(m);
 *
 * Lines of the text that are statements, procedures' heads and `else` are numbered as they stand:
 * the body first, then the procedures. What a line says beside its node (where in the source it is)
 * hangs at this number.
 */
#ifndef TRACENEST_MODEL_MODULE_H
#define TRACENEST_MODEL_MODULE_H

#include "base/error.h"
#include "base/output.h"
#include "model/node.h"
#include "model/notes.h"
#include "model/number.h"
#include "model/sites.h"

/* Where in a text a line of a module stands. */
struct text_place {
	uint64_t line;
	size_t column;
};

struct module {
	struct store *store; /* owned */
	uint32_t processes; /* ranks are 0 to processes - 1; of a parametric text 0 */
	struct grid grid; /* of a parametric text its axes, with sizes 0 */
	bool parametric;
	struct notes notes;
	uint32_t symbols;
	uint32_t symbol[SYMBOLS_LIMIT]; /* words: names of parameters of the problem */
	char *header; /* of a parametric text: all its lines, as they stand; else NULL */
	node_id body; /* a SEQUENCE */
	node_id *procedure, *table; /* in the order of the text; procedures that are never called among them */
	size_t procedures, procedure_capacity, tables, table_capacity;
	struct site_places places; /* call paths, and sets of them */
	uint64_t events; /* of all processes, as it was read; 0: not counted */
	uint32_t *sites; /* by line: where in the source it is, a set of the places; SITES_NONE: not said */
	struct text_place *place; /* by line, while the module is as it was read; else NULL */
	size_t lines;
};

/* Without statements; in a store of its own, or in this one, which it shares. */
struct module *module_new(uint32_t processes, const struct grid *);
struct module *module_in(struct store *, uint32_t processes, const struct grid *);
/* The same in the same store. O(lines) */
struct module *module_copy(const struct module *);
/* Other statements, of which nobody knows where in the source they are. */
void module_set_body(struct module *, node_id body);
void module_free(struct module *); /* NULL is fine */

/*
 * Read a text: a file ("-": standard input; .nestz), or memory. Plain, folded, or parametric. NULL
 * with "file:line:column: ..." in the error. What it accepts can be asked: all numbers come out,
 * peers are ranks of the run, members execute their collectives. O(text + processes of its sets).
 */
struct module *module_read(const char *path, struct error *);
struct module *module_parse(const char *name, const char *bytes, size_t length, struct error *);

/* The same, of programs of one number of processes: a parametric text is refused. */
struct module *module_read_one(const char *path, struct error *);
struct module *module_parse_one(const char *name, const char *bytes, size_t length, struct error *);

/* The environment of a process of a run that the module says (or of a parametric text, with extents
   of the caller's, which are checked): processes, grid and symbols are set, no process is. */
struct environment module_environment(const struct module *);

/* The line behind that of a statement and all lines inside: where the next statement's line is. */
static inline size_t module_line_behind(const struct module *m, size_t line, node_id statement)
{
	return line + node_of(m->store, statement)->lines;
}

/* The reader's cost of the whole text (tests hold it against an independent count): statements with
   all that they say, procedures and tables once, lines of the source beyond the first that a line
   stands for. In COST_UNITs of 0.05. callers: of that, lines that only call the lines at which events
   are; paths have as many of them as the source is deep, whatever the text says. O(lines). */
uint64_t module_cost(const struct module *, uint64_t *callers);

/* By line of its text the statement, or the procedure whose head it is; the caller's. O(lines) */
struct module_line {
	node_id node;
	size_t around; /* the line of the loop or guard that it stands in; LINE_OUTERMOST */
	uint32_t depth, loops; /* loops and guards around it; loops alone */
};
#define LINE_OUTERMOST SIZE_MAX
struct module_line *module_statements(const struct module *);

/* Its tables become those that its statements ask for, each once, as these come. O(text) */
void module_keep_tables(struct module *);
/* The same ones as its text defines them: how many, the caller's. As printing. */
size_t module_tables_in_text(const struct module *, node_id **table);

/* Is there any statement over a set? Without calls, does any depend on an index of a loop? */
bool module_is_folded(const struct module *);
bool module_varies(const struct module *);

/* The names of its sites (model/declared_sites.h), of all that its lines have. The caller frees
   it. */
struct declared_sites;
struct declared_sites *module_declared_sites(const struct module *);

/* Each line has the sites that whoever reads its text takes it to have: a place stands for all its
   callers there. O(lines), and as declared_sites_name. */
void module_sites_as_read(struct module *);

/* The names of attributes that its events have, each once, words of the store, in the order of the
   text: how many, the caller's. Without calls. O(text). */
size_t module_attribute_names(const struct module *, uint32_t **name);

/* Calls replaced by what they call, with arguments in place of parameters: without procedures, and
   comments where they belong. False with *error set where it has more than MODULE_LINES lines, or a
   number of it 64 bits do not hold. */
#define MODULE_LINES (UINT32_C(1) << 24)
bool module_inline(struct module *, struct error *);

/* What else stands behind a line, with its blank, before the comment that the module has. */
struct module_remarks {
	const void *context;
	void (*behind)(const void *context, size_t line, struct text *);
	/* below a loop or guard, on a line of its own; or NULL */
	void (*below)(const void *context, size_t line, struct text *);
	/* above an event, lines of their own; before: the line of the event before it, or SIZE_MAX */
	const void *above_context;
	void (*above)(const void *above_context, size_t line, size_t before, struct text *);
};

/* The text that is read back equal. */
void module_print(const struct module *, const struct module_remarks *, struct output *);
void module_print_text(const struct module *, const struct module_remarks *, struct text *);
/* ... its statements, procedures and tables alone. */
void module_print_statements(const struct module *, struct text *);

/* Parts of it, for messages and for others who write texts, with `depth` loops around: an event, a
   call, a test, a domain or a group, or a number; one that is a place; an event with some of its
   attributes, a bit each; the tag of an event, "tag5@2". */
void node_print(const struct module *, node_id, uint32_t depth, struct text *);
void node_print_place(const struct module *, node_id, uint32_t depth, struct text *);
void node_print_sum(const struct module *, node_id, uint32_t depth, struct text *); /* without braces */
void node_print_event(const struct module *, node_id event, uint32_t depth, uint32_t attributes, struct text *);
void node_print_tag(const struct module *, node_id event, uint32_t depth, struct text *);

/* An event as it happens: "0 send 1 tag5@2 ; bytes=8", with what its numbers come to there.
   attributes: a bit each of those that are asked for. */
#define ATTRIBUTES_ALL UINT32_MAX
struct member_sets;
void event_print_at(struct environment *, struct member_sets *, node_id event, uint32_t attributes, struct text *);

#endif
