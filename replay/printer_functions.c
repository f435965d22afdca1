/*
 * printer_functions.c -- what becomes a function of C, and what it is called.
 *
 * The procedures of the text are functions (blocks.h), and so is each top-level loop; these and what
 * stands between two of them are the phases, which run() runs and times. A phase is called as the
 * source calls it, where call sites are known, and else by what its statements do.
 */
#include "replay/printer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/helpers.h"

/* ------------------------------------------------------------------ what stands in units */

int64_t printer_move(const struct printer *x, size_t at)
{
	struct store *s = x->o->store;
	node_id peer = overview_node(x->o, at)->kid[COLUMN_PEER];
	struct environment e = {0};
	struct ranks_walk walk = {0};
	int64_t move = 0;
	bool same = true, first = true;
	if (number_is_constant(s, number_add(s, peer, number_variable(s, VARIABLE_P), -1), &move))
		return move;
	if (node_of(s, number_single(s, peer))->kind != NODE_GRID || node_of(s, peer)->uses[FOR_ALL] & USES_INDICES)
		return 0;
	for (uint32_t p; same && ranks_next(&x->o->line[at].who, &walk, &p); first = false) {
		overview_start(x->o, at, p, &e);
		int64_t own = number_at(&e, peer) - p;
		same = first || own == move;
		move = own;
	}
	free(e.index);
	return same ? move : 0;
}

/* What is said of the statements inside, counted. */
struct content {
	uint64_t sends, receives, syncs, loops;
	uint64_t late; /* receives behind a send of the same body */
	int64_t from; /* of receives: from p+c, the sum of c's signs */
	uint32_t sync; /* the name, */
	bool several; /* or several names */
};

static void look_at(const struct printer *x, size_t at, struct content *c)
{
	const struct node *n = overview_node(x->o, at);
	if (kind_sends(n->sub)) {
		c->sends++;
	} else if (kind_receives(n->sub)) {
		int64_t from = printer_move(x, at);
		c->receives++;
		c->late += c->sends > 0;
		c->from += (from > 0) - (from < 0);
	} else if (kind_gathers(n->sub)) {
		c->several |= c->syncs++ && c->sync != n->word;
		c->sync = n->word;
	}
}

static void look_into(const struct printer *x, const struct unit *unit, size_t units, struct content *c)
{
	for (size_t i = 0; i < units; i++) {
		if (unit[i].function != BLOCKS_NONE) {
			const struct function *f = &x->function[x->function_of[unit[i].function]];
			look_into(x, f->unit, f->units, c);
		} else if (!overview_is_event(x->o, unit[i].statement)) {
			const struct block_body *body = &x->blocks.body[x->blocks.body_of[unit[i].statement]];
			c->loops += overview_is_loop(x->o, unit[i].statement);
			look_into(x, body->unit, body->units, c);
		} else {
			look_at(x, unit[i].statement, c);
		}
	}
}

int64_t printer_wavefront(const struct printer *x, const struct unit *unit)
{
	struct content c = {0};
	if (unit->function != BLOCKS_NONE || !overview_is_loop(x->o, unit->statement))
		return 0;
	look_into(x, unit, 1, &c);
	return c.loops == 1 && c.sends && c.receives && !c.late && !c.syncs ? c.from : 0;
}

/* ------------------------------------------------------------------ what functions are called */

/* The first statement with a call site tells the function: "main.c:7 exchange". */
static bool put_source(const struct printer *x, const struct unit *unit, size_t units, struct text *name)
{
	for (size_t i = 0; i < units; i++) {
		if (unit[i].function != BLOCKS_NONE)
			continue;
		if (!overview_is_event(x->o, unit[i].statement)) {
			const struct block_body *body = &x->blocks.body[x->blocks.body_of[unit[i].statement]];
			if (put_source(x, body->unit, body->units, name))
				return true;
			continue;
		}
		const char *blank = strchr(overview_attribute_word(x->o, unit[i].statement, "site"), ' ');
		if (!blank || !strncmp(blank + 1, "main", 4))
			continue;
		for (const char *at = blank + 1; isalnum((unsigned char)*at) || *at == '_'; at++)
			text_char(name, *at);
		if (name->length)
			return true;
	}
	return false;
}

/* MPI_Bcast: bcast */
static void put_operation(const char *operation, struct text *name)
{
	for (const char *at = strncmp(operation, "MPI_", 4) ? operation : operation + 4; *at; at++)
		text_char(name, isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_');
}

static bool are_wavefronts(const struct printer *x, const struct unit *unit, size_t units)
{
	size_t i = 0;
	while (i < units && printer_wavefront(x, &unit[i]))
		i++;
	return i == units;
}

static void put_kind(const struct printer *x, const struct unit *unit, size_t units, struct text *name)
{
	struct content c = {0};
	look_into(x, unit, units, &c);
	if (units == 1 && unit->statement == x->main_loop && c.loops > 1)
		text_put(name, "main_loop");
	else if (!c.sends && !c.receives && c.syncs && !c.several)
		put_operation(store_get_word(x->o->store, c.sync), name);
	else if (!c.sends && !c.receives)
		text_put(name, c.syncs ? "collectives" : "local");
	else if (are_wavefronts(x, unit, units))
		text_put(name, units > 1                        ? "wavefronts"
			       : printer_wavefront(x, unit) < 0 ? "wavefront_forward"
								: "wavefront_backward");
	else if (!c.loops && !c.syncs)
		text_put(name, !c.receives ? "send" : !c.sends ? "receive" : "exchange");
	else
		text_put(name, c.loops ? "loop" : "step");
}

/* Names of C, and of what else stands in the program. */
static bool is_taken(const char *name)
{
	static const char *const taken[] = {"main", "comm", "row", "column", "option", "sending", "in", "out", "room",
		"scaled", "fail", "send_to", "receive_from", "split", "at", "wrap", "most", "among", "iterations",
		"phases", "operation", "size_of", "for", "if", "do", "int", "long", "while", "return", "static", "char",
		"double", "float", "short", "signed", "unsigned", "void", "const", "struct", "union", "enum", "switch",
		"case", "default", "break", "continue", "else", "goto", "sizeof", "register", "volatile", "auto",
		"extern", "typedef", "inline", "restrict", "p", "x", "y", "z", "w", "send", "recv", "printf", "exit",
		"abort", "time", "sleep", "read", "write", "role_of", "compute", "request", "requests", "under_way",
		"most_requests", "forget_done", "run", "phase", "leave", "find_place", "print_times", "read_options",
		"draw", "arrive", "is_ours", "rank_in", "translate", "world_rank", "iteration", "make_communicators",
		"receive_residual", "spend", "malloc", "calloc", "realloc", "free", "atof", "atoi", "abs", "labs",
		"div", "qsort", "random", "select", "system", "index", "remove", "rename", "puts", "gets", "scanf",
		"getline", "perror", "linux", "unix", "NULL", "EOF", "fopen", "fclose", "fprintf", "snprintf", "exp",
		"log", "memcpy", "memset", "strcmp", "strlen", "clock", "nanosleep"};
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (!strcmp(taken[i], name))
			return true;
	bool posted = *name == 'i' && helper_of_name(name + 1) != HELPERS; /* ibarrier posts a barrier */
	return posted || helper_of_name(name) != HELPERS || text_begins_with(name, "MPI") ||
	       text_begins_with(name, "PMPI");
}

char *printer_unused_name(struct printer *x, const char *procedure)
{
	struct text name = {0};
	text_format(&name, isdigit((unsigned char)*procedure) ? "_%s" : "%s", procedure);
	char *wanted = mem_text(name.data);
	for (char *colon; (colon = strstr(wanted, "::")); memmove(colon, colon + 1, strlen(colon)))
		colon[1] = '_';
	for (uint32_t i = is_taken(wanted) ? 1 : 0;; i++) {
		text_truncate(&name, 0);
		text_format(&name, i ? "%s_%u" : "%s", wanted, is_taken(wanted) ? i : i + 1);
		if (intern_find(x->names, name.data, name.length) == INTERN_NONE)
			break;
	}
	intern_id(x->names, name.data, name.length);
	free(wanted);
	return name.data;
}

static char *wanted_name(const struct printer *x, const struct unit *unit, size_t units)
{
	struct text name = {0};
	if (!put_source(x, unit, units, &name))
		put_kind(x, unit, units, &name);
	return name.data;
}

static char *name_of(struct printer *x, const struct unit *unit, size_t units)
{
	char *wanted = wanted_name(x, unit, units), *unused = printer_unused_name(x, wanted);
	free(wanted);
	return unused;
}

/* A function has a name; what has none needs none of its own. */
static char *name_of_phase(struct printer *x, const struct phase *phase)
{
	size_t called = phase->unit->function == BLOCKS_NONE ? phase->function : x->function_of[phase->unit->function];
	return called != BLOCKS_NONE ? mem_text(x->function[called].name) : wanted_name(x, phase->unit, phase->units);
}

void printer_name_conditions(struct printer *x)
{
	int64_t far = 0; /* the row next to theirs */
	for (uint32_t i = 0; i < intern_count(x->sets); i++) {
		const struct condition *c = &x->condition[i];
		int64_t distance = c->mixed ? 0 : llabs(c->move);
		far = distance > 1 && (!far || distance < far) ? distance : far;
	}
	for (uint32_t i = 0; i < intern_count(x->sets); i++) {
		struct condition *c = &x->condition[i];
		struct text text = {0};
		ranks_print_condition(&c->who, x->o->module->processes, "p", &text);
		bool worth = c->asked > 2 && text.length > 8;
		text_clear(&text);
		c->neighbour = c->asked > 1 && !c->mixed && c->move;
		if (c->neighbour)
			c->name = printer_unused_name(x, c->move == -1     ? "left"
							 : c->move == 1    ? "right"
							 : c->move == -far ? "above"
							 : c->move == far  ? "below"
							 : c->move < 0     ? "before"
									   : "behind");
		else if (worth)
			c->name = printer_unused_name(x, "is_member");
	}
}

/* ------------------------------------------------------------------ functions */

static size_t add_function(struct printer *x, const struct unit *unit, size_t units, uint32_t depth, const char *wanted)
{
	x->function = mem_grow(x->function, &x->function_capacity, x->functions + 1, sizeof *x->function);
	x->function[x->functions] = (struct function){
		.unit = unit, .units = units, .depth = depth, .wanted = wanted, .told = wanted && x->is_timed};
	return x->functions++;
}

/* Does a unit belong to what the one before it, which is no loop, is a part of? */
static bool is_of_phase(const struct printer *x, const struct unit *before, const struct unit *unit)
{
	if (before->function != BLOCKS_NONE || unit->function != BLOCKS_NONE)
		return before->function == unit->function;
	return overview_is_event(x->o, unit->statement);
}

/* Loops of fewer lines need no function. */
#define PHASE_LINES 5

void printer_find_functions(struct printer *x)
{
	const struct block_body *top = &x->blocks.body[BLOCKS_TOP];
	x->function_of = mem_array(x->blocks.bodies, sizeof *x->function_of);
	for (size_t i = 0; i < x->blocks.bodies; i++) {
		const struct block_body *body = &x->blocks.body[i];
		if (i != BLOCKS_TOP && body->loop == BLOCKS_NONE)
			x->function_of[i] = add_function(x, body->unit, body->units, body->depth, body->name);
	}
	for (size_t i = 0, next; i < top->units; i = next) {
		const struct unit *unit = &top->unit[i];
		bool call = unit->function != BLOCKS_NONE, loop = !call && !overview_is_event(x->o, unit->statement);
		next = i + 1;
		while (next < top->units && !loop && is_of_phase(x, unit, &top->unit[next]))
			next++;
		*MEM_PUSH(x->phase, x->phases, x->phase_capacity) = (struct phase){unit, next - i,
			loop && unit->lines > PHASE_LINES ? add_function(x, unit, 1, 0, NULL) : BLOCKS_NONE, NULL};
	}
}

static void do_function(struct printer *x, size_t function);

/* Those that are called come first. */
static void do_called(struct printer *x, const struct unit *unit, size_t units)
{
	for (size_t i = 0; i < units; i++) {
		if (unit[i].function != BLOCKS_NONE) {
			do_function(x, x->function_of[unit[i].function]);
		} else if (!overview_is_event(x->o, unit[i].statement)) {
			const struct block_body *body = &x->blocks.body[x->blocks.body_of[unit[i].statement]];
			do_called(x, body->unit, body->units);
		}
	}
}

static void put_function(const struct function *f, const struct text *body, struct text *out)
{
	unsigned some = f->told;
	text_format(out, "static void %s(%s", f->name, f->told ? "int event" : "");
	for (unsigned d = 0; d < f->depth; d++)
		if (f->indices >> d & 1)
			text_format(out, "%slong i%u", some++ ? ", " : "", d);
	text_put(out, some ? ")\n{\n" : "void)\n{\n");
	text_add(out, body->data, body->length);
	text_put(out, "}\n\n");
}

static void do_function(struct printer *x, size_t function)
{
	struct text body = {0};
	struct function *f = &x->function[function];
	uint32_t around = x->c.indices;
	if (f->done)
		return;
	f->done = true;
	do_called(x, f->unit, f->units);
	if (!f->name)
		f->name = f->wanted ? printer_unused_name(x, f->wanted) : name_of(x, f->unit, f->units);
	x->c.indices = 0;
	x->out = &body;
	x->indent = 1;
	x->base = f->told ? x->timed.number[f->unit->statement] : UINT32_MAX;
	printer_put_units(x, f->unit, f->units);
	f->indices = x->c.indices & ((UINT32_C(1) << f->depth) - 1);
	x->c.indices = around;
	put_function(f, &body, x->functions_text);
	text_clear(&body);
}

void printer_put_run(struct printer *x)
{
	struct text run = {0};
	for (size_t i = 0; i < x->phases; i++) {
		struct phase *phase = &x->phase[i];
		struct function *f = phase->function == BLOCKS_NONE ? NULL : &x->function[phase->function];
		if (f)
			do_function(x, phase->function);
		else
			do_called(x, phase->unit, phase->units);
		x->out = &run;
		x->indent = 1;
		x->base = UINT32_MAX;
		if (!phase->name)
			phase->name = name_of_phase(x, phase);
		text_format(&run, "\tphase(\"%s %s\");\n", module_addresses_get(&x->addresses, phase->unit->statement),
			phase->name);
		if (f)
			text_format(&run, "\t%s();\n", f->name);
		else
			printer_put_units(x, phase->unit, phase->units);
	}
	text_put(x->functions_text, "/* The phases, each with its place in the model. */\nstatic void run(void)\n{\n");
	text_add(x->functions_text, run.data ? run.data : "", run.length);
	text_put(x->functions_text, "\tphase(\"all phases\"); /* how long they took together */\n");
	text_put(x->functions_text, x->is_timed ? "\tspend(rest[p] * scale_of_ours());\n}\n\n" : "}\n\n");
	text_clear(&run);
}
