/*
 * helpers.c -- their texts are files of C, replay/run-time, embedded at build time.
 */
#include "replay/helpers.h"

#include <ctype.h>
#include <string.h>

#include "ask/collective_names.h"

const struct helper_row helper_rows[HELPERS] = {
#define ONE(id) HELPER_BIT(HELPER_##id)
#define HELPER(id, ...) {__VA_ARGS__},
#include "replay/helpers.def"
#undef HELPER
#undef ONE
};

static const char *const texts[HELPERS] = {
#include "replay/helpers.inc"
};

_Static_assert(HELPERS <= 128, "a bit for each helper");

enum helper helper_of(const char *name, bool *posted)
{
	const char *operation = collective_operation(name);
	unsigned i = 0;
	while (i < HELPERS && (!helper_rows[i].operation || strcmp(helper_rows[i].operation, operation) != 0))
		i++;
	*posted = strcmp(name, operation) != 0;
	return (enum helper)i;
}

enum helper helper_of_name(const char *function)
{
	unsigned i = 0;
	while (i < HELPERS && strcmp(helper_rows[i].name, function) != 0)
		i++;
	return (enum helper)i;
}

/* The same call, posted and then waited for: ibcast, MPI_Ibcast(..., comm, &request). */
static void put_posted(unsigned helper, struct text *out)
{
	const char *operation = helper_rows[helper].operation, *name = strstr(texts[helper], helper_rows[helper].name);
	const char *body = strstr(name, "{\n") + 2, *call = strstr(body, operation), *end = strstr(call, "comm);");
	text_put(out, "static void i");
	text_add(out, name, (size_t)(body - name));
	text_put(out, "\tMPI_Request request;\n");
	text_add(out, body, (size_t)(call - body));
	text_format(out, "MPI_I%c%s", tolower((unsigned char)operation[4]), operation + 5);
	text_add(out, call + strlen(operation), (size_t)(end - call) - strlen(operation));
	text_put(out, "comm, &request);\n\tMPI_Wait(&request, MPI_STATUS_IGNORE);\n}\n\n");
}

/* In the name, and in the text; what is behind the call goes on at its next argument, or ends. */
static const struct {
	const char *mpi;
	const char *stem, *name, *call, *instead; /* stem: NULL: it is no variant */
	enum helper helper; /* that makes the call; HELPERS: MPI does */
} variants[COMPLETINGS] = {
	[COMPLETING_WAIT] = {.mpi = "MPI_Wait"},
	[COMPLETING_WAITANY] = {"MPI_Waitany", "wait", "waitany", "MPI_Wait(", "waitany(", HELPER_WAITANY},
	[COMPLETING_WAITSOME] = {"MPI_Waitsome", "wait", "waitsome", "MPI_Wait(", "waitsome(", HELPER_WAITSOME},
	[COMPLETING_TEST] = {"MPI_Test", "wait", "test", "MPI_Wait(", "test(", HELPER_TEST},
	[COMPLETING_TESTANY] = {"MPI_Testany", "wait", "testany", "MPI_Wait(", "testany(", HELPER_TESTANY},
	[COMPLETING_TESTSOME] = {"MPI_Testsome", "wait", "testsome", "MPI_Wait(", "testsome(", HELPER_TESTSOME},
	[COMPLETING_WAITALL] = {.mpi = "MPI_Waitall"},
	[COMPLETING_TESTALL] = {"MPI_Testall", "wait", "test", "MPI_Waitall(", "testall(", HELPER_TESTALL},
	[STARTING_ALL] = {"MPI_Startall", "start", "startall", "MPI_Start(", "MPI_Startall(1, ", HELPERS},
};

enum completing completing_of(const char *call)
{
	unsigned i = 0;
	while (i < STARTING_ALL && strcmp(variants[i].mpi, call) != 0)
		i++;
	return i < STARTING_ALL ? (enum completing)i : COMPLETING_WAIT;
}

static void put_name(enum helper helper, enum completing by, struct text *out)
{
	const char *stem = variants[by].stem;
	text_put(out, stem ? variants[by].name : "");
	text_put(out, helper_rows[helper].name + (stem ? strlen(stem) : 0));
}

void helper_call(struct helpers *p, enum helper helper, enum completing by, struct text *out)
{
	p->called[variants[by].stem ? by : COMPLETING_WAIT] |= HELPER_BIT(helper);
	put_name(helper, by, out);
	text_char(out, '(');
}

static void put_variant(unsigned helper, enum completing by, struct text *out)
{
	const char *text = strstr(texts[helper], "static void "), *name = strstr(text, helper_rows[helper].name);
	const char *call = strstr(text, variants[by].call);
	const char *arguments = call + strlen(variants[by].call), *ignored = strstr(call, ", MPI_STATUS_IGNORE");
	text_put(out, "static void ");
	put_name((enum helper)helper, by, out);
	name += strlen(helper_rows[helper].name);
	text_add(out, name, (size_t)(call - name));
	text_put(out, variants[by].instead);
	text_add(out, arguments, (size_t)((ignored ? ignored : arguments) - arguments));
	text_put(out, ignored ? ignored + strlen(", MPI_STATUS_IGNORE") : arguments);
}

/* What a helper calls stands before it. */
void helpers_print(const struct helpers *p, struct text *out)
{
	helper_bits wanted = p->called[COMPLETING_WAIT], any = p->posted;
	for (unsigned v = COMPLETING_WAIT + 1; v < COMPLETINGS; v++) {
		any |= p->called[v];
		wanted |= p->called[v] && variants[v].helper != HELPERS ? HELPER_BIT(variants[v].helper) : 0;
	}
	for (unsigned i = HELPERS; i-- > 0;)
		if ((wanted | any) >> i & 1)
			wanted |= helper_rows[i].calls;
	for (unsigned i = 0; i < HELPERS; i++) {
		if (wanted >> i & 1)
			text_put(out, texts[i]);
		if (p->posted >> i & 1)
			put_posted(i, out);
		for (unsigned v = COMPLETING_WAIT + 1; v < COMPLETINGS; v++)
			if (p->called[v] >> i & 1)
				put_variant(i, (enum completing)v, out);
	}
}
