/*
 * operations.c -- names of reduction operations. MPI has no function that tells them: its own are
 * known by their handles, those of the program by the function that they were made of.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/preload/recorder.h"

/* As the libraries call them: in Open MPI they are addresses of variables. */
#define OPERATIONS(_)                                                                                                  \
	_(MAX, max)                                                                                                    \
	_(MIN, min)                                                                                                    \
	_(SUM, sum)                                                                                                    \
	_(PROD, prod)                                                                                                  \
	_(LAND, land)                                                                                                  \
	_(BAND, band)                                                                                                  \
	_(LOR, lor)                                                                                                    \
	_(BOR, bor)                                                                                                    \
	_(LXOR, lxor)                                                                                                  \
	_(BXOR, bxor)                                                                                                  \
	_(MAXLOC, maxloc)                                                                                              \
	_(MINLOC, minloc)                                                                                              \
	_(REPLACE, replace)                                                                                            \
	_(NO_OP, no_op)

struct operation {
	struct handle entry;
	const char *kind; /* of string, */
	char *words; /* ... and what it is; NULL: told already */
	uint32_t name; /* string */
	bool none; /* MPI_NO_OP */
};

static void learn(MPI_Op op, const char *kind, const char *words)
{
	struct operation *o = mem_zero(sizeof *o);
	o->kind = kind;
	o->words = mem_text(words);
	o->none = !strcmp(words, "MPI_NO_OP");
	handles_add(&recorder.operations, &o->entry, HANDLE_KEY(op));
}

void operations_start(void *caller)
{
#ifdef OPEN_MPI
#define LEARN(name, symbol) learn(find_variable("ompi_mpi_op_" #symbol, caller), "string", "MPI_" #name);
#else
	(void)caller;
#define LEARN(name, symbol) learn(MPI_##name, "string", "MPI_" #name);
#endif
	OPERATIONS(LEARN)
#undef LEARN
}

uint32_t operation_name(MPI_Op op)
{
	struct operation *o = (struct operation *)handles_find(&recorder.operations, HANDLE_KEY(op));
	if (!o)
		return recorder_string("string", "?");
	if (o->words)
		o->name = recorder_string(o->kind, o->words);
	free(o->words);
	o->words = NULL;
	return o->name;
}

/* Where the function is, as sites are told; what becomes of it is its name. */
void operation_made(int result, void *function, int commutes, MPI_Op op)
{
	struct text words = {0};
	if (result != MPI_SUCCESS)
		return;
	operation_forgotten(op);
	text_put(&words, commutes ? "" : "ordered ");
	site_words((void *)((uintptr_t)function + 1), &words); /* as if a call in it returned there */
	learn(op, "operation", words.data);
	text_clear(&words);
}

void operation_forgotten(MPI_Op op)
{
	struct operation *o = (struct operation *)handles_find(&recorder.operations, HANDLE_KEY(op));
	if (!o)
		return;
	handles_remove(&recorder.operations, &o->entry);
	free(o->words);
	free(o);
}

bool operation_is_none(MPI_Op op)
{
	const struct operation *o = (const struct operation *)handles_find(&recorder.operations, HANDLE_KEY(op));
	return o && o->none;
}
