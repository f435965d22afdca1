/*
 * skeleton.c -- a program that passes on what the model does: the functions of its statements
 * (printer.h), and around them the processes' places, options, buffers, times, and main().
 *
 * All is printed twice, as only then it is known which conditions are asked for more than once:
 * these get a name.
 */
#include "replay/skeleton.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/roles.h"
#include "ask/shortfalls.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/function_calls.h"
#include "model/generalize.h"
#include "replay/helpers.h"
#include "replay/printer.h"

/* ------------------------------------------------------------------ the program around them */

static void put_place(struct printer *x, struct text *out)
{
	text_put(out, "/* Our rank");
	text_put(out, x->c.axis[0] || x->c.axis[1] || x->c.axis[2] || x->c.axis[3] ? ", our place on the grid" : "");
	bool any = false;
	for (uint32_t i = 0; i < intern_count(x->sets); i++)
		any |= x->condition[i].name != NULL;
	text_put(out, any ? ", and which neighbours we have. */\n" : ". */\n");
	text_put(out, "static int p");
	for (uint32_t i = 0; i < GRID_AXES; i++)
		if (x->c.axis[i])
			text_format(out, ", %c", c_axis(i));
	for (uint32_t i = 0; i < intern_count(x->sets); i++)
		if (x->condition[i].name)
			text_format(out, ", %s", x->condition[i].name);
	text_put(out, ";\n\nstatic void find_place(void)\n{\n\tMPI_Comm_rank(MPI_COMM_WORLD, &p);\n");
	for (uint32_t i = 0; i < GRID_AXES; i++)
		if (x->c.axis[i]) {
			text_format(out, "\t%c = ", c_axis(i));
			c_coordinate(&x->o->module->grid, i, out);
			text_put(out, ";\n");
		}
	for (uint32_t i = 0; i < intern_count(x->sets); i++)
		if (x->condition[i].name) {
			int64_t move = x->condition[i].move;
			text_format(out, "\t%s = ", x->condition[i].name);
			ranks_print_condition(&x->condition[i].who, x->o->module->processes, "p", out);
			if (x->condition[i].neighbour)
				text_format(out, " ? p %c %" PRId64 " : MPI_PROC_NULL", move < 0 ? '-' : '+',
					move < 0 ? -move : move);
			text_put(out, "; /* ");
			ranks_print_short(&x->condition[i].who, out);
			text_put(out, " */\n");
		}
	text_put(out, "}\n\n");
}

static uint64_t main_iterations(const struct printer *x)
{
	uint64_t trips = 0;
	if (x->main_loop != BLOCKS_NONE)
		overview_trips(x->o, x->main_loop, &trips);
	return trips;
}

static void put_reading_options(const struct printer *x, struct text *out)
{
	text_put(out,
		"static void read_options(int words, char **word)\n{\n"
		"\tstatic const char *const names[] = {\"--iterations\", \"--bytes\", \"--scale-bytes\", \"--scale-compute\", \"--role\"");
	text_put(out, x->is_timed ? ",\n\t\t\"--rank\", \"--seed\", \"--compute\"};\n" : "};\n");
	text_put(out, "\tfor (int i = 1, k = 0; i < words; i += 2, k = 0) {\n"
		      "\t\twhile (k < OPTIONS && strcmp(word[i], names[k]))\n"
		      "\t\t\tk++;\n"
		      "\t\tif (k == OPTIONS || i + 1 == words)\n"
		      "\t\t\tleave(\"options: --iterations N, --bytes N, --scale-bytes F, --scale-compute F, --role R");
	text_put(out, x->is_timed ? ", --rank P, --seed N, --compute sleep|spin|none" : "");
	text_put(out, "\");\n\t\toption[k] = atof(word[i + 1]);\n");
	if (x->is_timed)
		text_put(out,
			"\t\tif (k == COMPUTE)\n"
			"\t\t\toption[k] = !strcmp(word[i + 1], \"spin\") ? SPIN : !strcmp(word[i + 1], \"none\") ? NOTHING : SLEEP;\n");
	text_put(out, "\t}\n");
	if (x->main_counts)
		text_format(out,
			"\tif (option[ITERATIONS] > %" PRIu64 ")\n"
			"\t\tleave(\"what more iterations would do is not known\");\n",
			main_iterations(x));
	text_put(out, "}\n\n");
}

static const char timing_phases[] =
	"/* When each phase began, and how long processes took: told behind the back of tools, as this is no part of it. */\n"
	"static const char *phase_name[PHASES + 1];\nstatic double phase_start[PHASES + 1];\n\n"
	"static void phase(const char *name)\n{\n"
	"\tstatic int begun;\n"
	"\tphase_name[begun] = name;\n"
	"\tphase_start[begun++] = MPI_Wtime();\n}\n\n";

static const char printing_means[] =
	"static void print_times(void)\n{\n"
	"\tdouble own[PHASES + 1], sum[PHASES + 1], most[PHASES + 1];\n"
	"\tfor (int i = 0; i < PHASES; i++)\n"
	"\t\town[i] = phase_start[i + 1] - phase_start[i];\n"
	"\town[PHASES] = phase_start[PHASES] - phase_start[0];\n"
	"#ifndef SMPI_H\n"
	"\tMPI_Pcontrol(0);\n"
	"#endif\n"
	"\tPMPI_Reduce(own, sum, PHASES + 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);\n"
	"\tPMPI_Reduce(own, most, PHASES + 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);\n"
	"\tfor (int i = 0; p == 0 && i <= PHASES; i++)\n"
	"\t\tprintf(\"%10.6f s, at most %10.6f s: %s\\n\", sum[i] / PROCESSES, most[i], phase_name[i]);\n}\n\n";

static const char printing_each[] =
	"static void print_times(void)\n{\n"
	"\tdouble own[PHASES], *all = malloc(sizeof own * PROCESSES);\n"
	"\tfor (int i = 0; i < PHASES; i++)\n"
	"\t\town[i] = phase_start[i + 1] - phase_start[i];\n"
	"#ifndef SMPI_H\n"
	"\tMPI_Pcontrol(0);\n"
	"#endif\n"
	"\tPMPI_Gather(own, PHASES, MPI_DOUBLE, all, PHASES, MPI_DOUBLE, 0, MPI_COMM_WORLD);\n"
	"\tfor (int i = 0; p == 0 && all && i < PHASES * PROCESSES; i++)\n"
	"\t\tprintf(\"phase %d %d %.9f\\n\", i % PHASES, i / PHASES, all[i]);\n"
	"\tfree(all);\n}\n\n";

static void put_main(const struct printer *x, bool communicators, struct text *out)
{
	text_put(out,
		"int main(int argc, char **argv)\n{\n\tint processes;\n\tMPI_Init(&argc, &argv);\n"
		"\tfind_place();\n"
		"\tMPI_Comm_size(MPI_COMM_WORLD, &processes);\n"
		"\tif (processes != PROCESSES)\n\t\tleave(\"this program is one of another number of processes\");\n"
		"\tread_options(argc, argv);\n");
	if (x->largest)
		text_format(out,
			"\tdouble largest = option[BYTES] < 0 ? LARGEST * option[SCALE_BYTES] : PROCESSES * option[BYTES];\n"
			"\troom = 64 * ((size_t)largest / 64 + PROCESSES);\n"
			"\tif (largest > 2e9 || !(in = calloc(%" PRIu32 ", room)))\n"
			"\t\tleave(\"so much cannot be passed on at once\");\n"
			"\tout = in + room;\n",
			2 + x->posts.slots);
	if (x->posts.slots)
		text_format(out, "\tfor (int i = 0; i < %" PRIu32 "; i++)\n\t\trequest[i] = MPI_REQUEST_NULL;\n",
			x->posts.slots);
	if (communicators)
		text_put(out, "\tmake_communicators();\n");
	text_put(out, x->unmatched_sends.items ? "\trun();\n\treceive_residual();\n" : "\trun();\n");
	if (x->helpers.called[COMPLETING_WAIT] >> HELPER_SEND & 1)
		text_put(out, "\tfor (int i = 0; i < sends; i++)\n\t\tMPI_Wait(&sending[i], MPI_STATUS_IGNORE);\n");
	text_put(out, "\tprint_times();\n\tMPI_Finalize();\n\treturn 0;\n}\n");
}

static void put_head(struct printer *x, struct text *out)
{
	struct text title = {0};
	file_title(x->options->model, &title);
	text_put(out, "/* ");
	text_put_c_comment(out, title.data ? title.data : "");
	text_clear(&title);
	text_format(out,
		": the communication of %u processes, in order. Written by tracenest skeleton, to be read and changed.%s\n",
		x->o->module->processes, x->guessed ? "\n * Where sizes are not known, it is one byte." : "");
	if (x->posts.blocks)
		text_put(
			out, " * Sends would wait for each other if messages were large: here they wait for nobody.\n");
	struct text missing = {0};
	shortfalls_tell_of(x->o->run, &missing);
	if (missing.length) {
		text_put(out, " * ");
		text_put_c_comment(out, missing.data);
		text_put(out, ".\n");
	}
	text_clear(&missing);
	text_format(out, " *\tmpicc -O2 -o app app.c && mpirun -n %u ./app */\n", x->o->module->processes);
	text_put(out, x->is_timed ? "#define _POSIX_C_SOURCE 200809L\n" : "");
	text_put(out, "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
	text_put(out, x->is_timed ? "#include <time.h>\n\n" : "\n");
	text_format(out, "enum { PROCESSES = %u, PHASES = %zu, LARGEST = %" PRIu64 " };\n\n", x->o->module->processes,
		x->phases, x->largest);
	text_format(out,
		"/* What the command line says. */\n"
		"enum { ITERATIONS, BYTES, SCALE_BYTES, SCALE_COMPUTE, ROLE,%s OPTIONS };\n",
		x->is_timed ? " RANK, DRAW, COMPUTE," : "");
	if (x->is_timed)
		text_put(out, "enum { SLEEP, SPIN, NOTHING };\n");
	text_format(out, "static double option[OPTIONS] = {%" PRIu64 ", -1, 1, 1, -1%s};\n\n", main_iterations(x),
		x->is_timed ? ", -1, 0, SLEEP" : "");
	if (x->largest)
		text_put(out, "/* What is passed on, without content, in as much room each time. */\n"
			      "static char *in, *out;\nstatic size_t room;\n\n");
	if (x->posts.slots)
		text_format(out,
			"/* Requests under way; what they receive has a place each behind `out`. */\n"
			"static MPI_Request request[%" PRIu32 "];\n\n",
			x->posts.slots);
}

static const char leaving[] = "static _Noreturn void leave(const char *why)\n{\n"
			      "\tif (p == 0)\n\t\tfprintf(stderr, \"%s\\n\", why);\n"
			      "\tMPI_Finalize();\n\texit(2);\n}\n\n";

/* ------------------------------------------------------------------ all of it */

/* Of the loops of the text whose count is constant, the one with most events. */
static size_t find_main_loop(const struct overview *o)
{
	struct environment e = {0};
	uint64_t most = 0, trips;
	size_t found = BLOCKS_NONE;
	for (size_t i = 0; i < o->lines; i = o->line[i].end) {
		uint64_t events = 0;
		struct ranks_walk walk = {0};
		if (!overview_is_loop(o, i) || !overview_trips(o, i, &trips))
			continue;
		for (uint32_t rank; ranks_next(&o->line[i].who, &walk, &rank);) {
			overview_start(o, i, rank, &e);
			events = saturating_add(events, run_count(o->run, &e, o->line[i].node));
		}
		found = events > most ? i : found;
		most = events > most ? events : most;
	}
	free(e.index);
	return found;
}

static bool is_without_data(enum helper helper)
{
	return helper == HELPER_BARRIER || (helper != HELPERS && helper_rows[helper].takes & TAKES_WINDOW);
}

/* What buffers have to hold. */
static uint64_t find_largest(const struct printer *x)
{
	uint64_t largest = 0;
	for (size_t i = 0; i < x->o->lines; i++) {
		const struct node *n = overview_node(x->o, i);
		bool posted, sync = overview_match(x->o, i) == MATCH_GROUP;
		if (!overview_is_call(x->o, i) || (sync && is_without_data(helper_of(overview_word(x->o, i), &posted))))
			continue;
		uint64_t most = sizes_most(&x->sizes, i);
		if (sync && sizes_are_blocks(&x->sizes, i))
			most *= node_of(x->o->store, n->kid[COLUMN_GROUP])->kind == NODE_BY_COMMUNICATOR
					? x->o->module->processes
					: communicators_size(&x->communicators, i, overview_first(x->o, i));
		largest = most > largest ? most : largest;
	}
	return largest;
}

static void print_functions(struct printer *x)
{
	x->helpers = (struct helpers){0};
	if (x->unmatched_sends.items)
		x->helpers.called[COMPLETING_WAIT] = HELPER_BIT(HELPER_RECEIVE);
	for (size_t i = 0; i < x->unmatched_sends.items; i++)
		x->communicators.rank_in |= x->unmatched_sends.item[i].communicator >= 0;
	x->guessed = false;
	c_text_clear(&x->c);
	x->functions_text->length = 0;
	for (size_t i = 0; i < x->functions; i++)
		x->function[i].done = false;
	for (uint32_t i = 0; i < intern_count(x->sets); i++)
		x->condition[i].asked = 0;
	printer_put_run(x);
}

/* Which processes --scale-compute is for. */
static void put_roles(const struct printer *x, struct text *out)
{
	uint32_t roles, *role = roles_of(x->o->run, &roles);
	text_put(out, "/* Processes of one role execute the same statements. */\nstatic int role(void)\n{\n");
	for (uint32_t i = 1; i < roles; i++) {
		struct ranks who = {0};
		for (uint32_t k = 0; k < x->o->module->processes; k++)
			if (role[k] == i)
				ranks_add(&who, k);
		text_put(out, "\tif (");
		printer_put_ranks_condition(x, &who, out);
		text_format(out, ")\n\t\treturn %" PRIu32 ";\n", i);
		ranks_clear(&who);
	}
	text_put(out,
		"\treturn 0;\n}\n\nstatic double scale_of_ours(void)\n{\n"
		"\tint ours = (option[ROLE] < 0 || role() == option[ROLE]) && (option[RANK] < 0 || p == option[RANK]);\n"
		"\treturn ours ? option[SCALE_COMPUTE] : 1;\n}\n\n");
	free(role);
}

/* With fewer iterations there may be less: then what has not come when all sends are complete never
   will. */
static const char receiving_residual[] =
	"\tMPI_Request barrier = MPI_REQUEST_NULL;\n"
	"\tint there, left = 0, told = 0;\n"
	"\twhile (!left) {\n"
	"\t\tPMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE); /* simulated time goes on */\n"
	"\t\tfor (size_t i = 0; i < RESIDUALS; i++)\n"
	"\t\t\tfor (there = 1; residual[i].to == p && residual[i].count > 0 && there; residual[i].count -= there) {\n"
	"\t\t\t\tPMPI_Iprobe(RESIDUAL_FROM, residual[i].tag, RESIDUAL_COMM, &there, MPI_STATUS_IGNORE);\n"
	"\t\t\t\tif (there)\n"
	"\t\t\t\t\treceive_from(LARGEST, MPI_BYTE, RESIDUAL_FROM, residual[i].tag, RESIDUAL_COMM);\n"
	"\t\t\t}\n"
	"\t\tif (told)\n"
	"\t\t\tPMPI_Test(&barrier, &left, MPI_STATUS_IGNORE);\n"
	"\t\tfor (there = 1; sends && there; sends -= there)\n"
	"\t\t\tMPI_Test(&sending[sends - 1], &there, MPI_STATUS_IGNORE);\n"
	"\t\tif (!sends && !told++)\n"
	"\t\t\tPMPI_Ibarrier(MPI_COMM_WORLD, &barrier);\n"
	"\t}\n";

static const char receiving_the_rest[] =
	"\tfor (size_t i = 0; i < RESIDUALS; i++)\n"
	"\t\tfor (; residual[i].to == p && residual[i].count > 0; residual[i].count--)\n"
	"\t\t\treceive_from(LARGEST, MPI_BYTE, RESIDUAL_FROM, residual[i].tag, RESIDUAL_COMM);\n";

static void put_residual(const struct printer *x, struct text *out)
{
	bool parts = false;
	text_put(out, "/* What was sent, and nobody received: it is received at the end. */\n"
		      "static struct { int from, to, tag, comm; long count; } residual[] = {\n");
	for (size_t i = 0; i < x->unmatched_sends.items; i++) {
		const struct unmatched_send *l = &x->unmatched_sends.item[i];
		text_format(out, "\t{%" PRIu32 ", %" PRIu32 ", %" PRIu64 ", %" PRId64 ", %" PRIu64 "},\n", l->from,
			l->to, printer_tag(x, l->word, l->numbered, l->number), l->communicator, l->count);
		parts |= l->communicator >= 0;
	}
	text_put(out, "};\n#define RESIDUALS (sizeof residual / sizeof *residual)\n");
	text_put(out,
		parts ? "#define RESIDUAL_FROM (residual[i].comm < 0 ? residual[i].from : rank_in(comm[residual[i].comm], residual[i].from))\n"
			"#define RESIDUAL_COMM (residual[i].comm < 0 ? MPI_COMM_WORLD : comm[residual[i].comm])\n\n"
		      : "#define RESIDUAL_FROM residual[i].from\n#define RESIDUAL_COMM MPI_COMM_WORLD\n\n");
	text_put(out, "static void receive_residual(void)\n{\n");
	text_put(out, receiving_residual);
	if (x->main_loop != BLOCKS_NONE)
		text_format(out, "\tif (option[ITERATIONS] < %" PRIu64 ")\n\t\treturn;\n", main_iterations(x));
	text_put(out, receiving_the_rest);
	text_put(out, "}\n\n");
}

static void print_program(struct printer *x, struct text *out)
{
	struct text communicators = {0};
	bool any = communicators_print(&x->communicators, &x->temporaries, &x->c, &communicators);
	put_head(x, out);
	put_place(x, out);
	text_put(out, leaving);
	text_add(out, communicators.data ? communicators.data : "", communicators.length);
	c_text_definitions(&x->c, out);
	if (x->is_timed) {
		put_roles(x, out);
		timed_print(&x->timed, out);
	}
	helpers_print(&x->helpers, out);
	printer_put_operations(x, out);
	text_put(out, timing_phases);
	text_put(out, x->options->phases ? printing_each : printing_means);
	text_add(out, x->functions_text->data, x->functions_text->length);
	if (x->unmatched_sends.items)
		put_residual(x, out);
	put_reading_options(x, out);
	put_main(x, any, out);
	text_clear(&communicators);
}

static void tell_phases(const struct printer *x, struct skeleton_phases *p)
{
	*p = (struct skeleton_phases){mem_array(x->phases + 1, sizeof *p->phase), x->phases};
	for (size_t i = 0; i < x->phases; i++)
		p->phase[i] = (struct skeleton_phase){x->phase[i].unit->statement, mem_text(x->phase[i].name)};
}

/* What nobody received is received at the end, on communicators that are there until then. */
static void find_temporaries(struct printer *x)
{
	bool *requests = mem_zero((x->o->lines + 1) * sizeof *requests);
	bool *conditional = mem_zero((x->o->lines + 1) * sizeof *conditional);
	for (size_t i = 0; i < x->o->lines; i++) {
		requests[i] = posts_is_request(&x->posts, i);
		conditional[i] = x->condition_of[i] != BLOCKS_NONE;
	}
	if (!x->unmatched_sends.items)
		temporaries_of(&x->temporaries, &x->communicators, requests, conditional);
	free(requests);
	free(conditional);
}

static void clear_printer(struct printer *x)
{
	for (uint32_t i = 0; i < intern_count(x->sets); i++) {
		ranks_clear(&x->condition[i].who);
		free(x->condition[i].name);
	}
	for (size_t i = 0; i < x->functions; i++)
		free(x->function[i].name);
	for (size_t i = 0; i < x->phases; i++)
		free(x->phase[i].name);
	for (uint32_t i = 0; x->operations && i < intern_count(x->operations); i++)
		free(x->operation[i]);
	free(x->operation);
	intern_free(x->operations);
	free(x->condition);
	free(x->condition_of);
	free(x->condition_inside);
	posts_clear(&x->posts);
	free(x->function);
	free(x->function_of);
	free(x->phase);
	intern_free(x->tags);
	intern_free(x->sets);
	intern_free(x->names);
	c_text_clear(&x->c);
	communicators_clear(&x->communicators);
	temporaries_clear(&x->temporaries);
	unmatched_sends_clear(&x->unmatched_sends);
	if (x->is_timed)
		timed_clear(&x->timed);
	blocks_clear(&x->blocks);
}

static void print_all(struct printer *x, const struct module *called, struct text *out)
{
	x->main_loop = find_main_loop(x->o);
	printer_find_tags(x);
	sizes_of(&x->sizes, x->o);
	x->windows = windows_are_made(x->o);
	x->largest = find_largest(x);
	x->condition_of = mem_array(x->o->lines + 1, sizeof *x->condition_of);
	printer_find_conditions(x, 0, x->o->lines, &x->o->all);
	posts_of(&x->posts, x->o);
	find_temporaries(x);
	printer_join_exchanges(x);
	blocks_of(&x->blocks, x->o, called, printer_put_key, x);
	printer_find_functions(x);
	print_functions(x);
	printer_name_conditions(x);
	print_functions(x);
	print_program(x, out);
}

bool skeleton_print_c(
	const struct prepared *p, const struct skeleton_options *options, struct text *out, struct error *error)
{
	struct draft *draft = draft_of_module(p->text, error);
	struct text bodies = {0};
	struct overview overview;
	if (!draft)
		return false;
	function_calls_add(draft, FUNCTION_STATEMENTS);
	struct module *called = module_of_draft(draft, NULL, NULL);
	struct run *run = run_new(draft->module, NULL);
	overview_of(&overview, run);
	struct printer x = {.o = &overview,
		.addresses = module_addresses_of(draft->module),
		.options = options,
		.c = {.store = overview.store, .grid = &overview.module->grid, .processes = overview.module->processes},
		.tags = intern_new(),
		.sets = intern_new(),
		.names = intern_new(),
		.functions_text = &bodies};
	if (options->pace) {
		x.is_timed = true;
		timed_of(&x.timed, x.o, options->pace, options->exact);
	}
	bool good = communicators_of(&x.communicators, x.o, error) &&
		    (!options->lenient || unmatched_sends_of(&x.unmatched_sends, run, error));
	if (good)
		print_all(&x, called, out);
	if (good && options->phases)
		tell_phases(&x, options->phases);
	clear_printer(&x);
	module_addresses_clear(&x.addresses);
	text_clear(&bodies);
	overview_clear(&overview);
	run_free(run);
	module_free(called);
	draft_free(draft);
	return good;
}

/* ------------------------------------------------------------------ in columns */

/* The listing has one line per statement or done, and its header lines start with slashes. */
static size_t set_width(const char *at)
{
	at += strspn(at, " ");
	return *at == '[' ? strcspn(at, " ") : 0;
}

static size_t depth_of(const char *at)
{
	return strspn(at, " ");
}

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');
	return end ? end + 1 : at + strlen(at);
}

/* Events that follow each other on one level are a block: how wide are their sets? */
static size_t block_width(const char *at, const char **past)
{
	size_t depth = depth_of(at), width = 0;
	while (*at && depth_of(at) == depth && set_width(at) && strncmp(at + depth + set_width(at), " for ", 5)) {
		width = set_width(at) > width ? set_width(at) : width;
		at = next_line(at);
	}
	*past = at;
	return width;
}

void skeleton_print_text(const struct module *m, struct text *out)
{
	struct text listing = {0};
	module_print_text(m, NULL, &listing);
	for (const char *at = listing.data; *at;) {
		const char *past, *end;
		size_t width = block_width(at, &past);
		past = past == at ? next_line(at) : past;
		for (; at < past; at = end) {
			size_t set = depth_of(at) + set_width(at);
			end = next_line(at);
			text_add(out, at, width ? set : 0);
			for (size_t i = set_width(at); i < width; i++)
				text_char(out, ' ');
			text_add(out, at + (width ? set : 0), (size_t)(end - at) - (width ? set : 0));
		}
	}
	text_clear(&listing);
}
