/*
 * printer_operations.c -- the operations of reductions, MPI_Op in C: what the attribute op of a
 * statement says (tracenest-model.5). One that is not MPI's own is made of a function of that name,
 * which does nothing. Where nothing is said a sum is taken or, of bytes, which have none, the union
 * of their bits.
 */
#include <string.h>

#include "base/mem.h"
#include "model/lines.h"
#include "replay/operations.h"
#include "replay/printer.h"

/* "longest" of "longest,ordered" */
static size_t name_of_word(const char *word)
{
	const char *ordered = strstr(word, OPERATION_ORDERED);
	return ordered && !ordered[strlen(OPERATION_ORDERED)] ? (size_t)(ordered - word) : strlen(word);
}

/* The first of the words with this name. */
static uint32_t first_of_name(const struct printer *x, const char *word)
{
	uint32_t i = 0;
	for (size_t length = name_of_word(word);; i++) {
		const char *known = intern_data(x->operations, i, NULL);
		if (name_of_word(known) == length && !memcmp(known, word, length))
			return i;
	}
}

/* Of the program's own, what its function is called here. */
static const char *name_of(struct printer *x, const char *word)
{
	if (!x->operations)
		x->operations = intern_new();
	uint32_t made = intern_count(x->operations), id = intern_id(x->operations, word, strlen(word));
	uint32_t first = first_of_name(x, word);
	if (id == made && first < id) {
		*MEM_PUSH(x->operation, made, x->operation_capacity) = NULL;
	} else if (id == made) {
		struct text name = {0};
		for (size_t i = 0; i < name_of_word(word); i++)
			text_char(&name, is_letter(word[i]) || (word[i] >= '0' && word[i] <= '9') ? word[i] : '_');
		*MEM_PUSH(x->operation, made, x->operation_capacity) =
			printer_unused_name(x, name.data ? name.data : "operation");
		text_clear(&name);
	}
	return x->operation[first];
}

static void put_one(struct printer *x, const char *word, struct text *out)
{
	if (operation_operands(word) == OPERANDS_ANY && strcmp(word, "MPI_OP_NULL") != 0)
		text_format(out, "op_%s%s()", name_of(x, word), word[name_of_word(word)] ? "_ordered" : "");
	else
		text_put(out, word);
}

void printer_put_operation(struct printer *x, size_t at, bool bytes)
{
	struct operation_choice c = operation_choice_of(x->o, at);
	if (!c.words) {
		text_put(x->out, bytes ? "MPI_BOR" : "MPI_SUM");
		return;
	}
	text_put(x->out, c.number ? "((MPI_Op[]){" : "");
	for (uint32_t i = 0; i < c.words; i++) {
		text_put(x->out, i ? ", " : "");
		put_one(x, c.word[i], x->out);
	}
	if (c.number) {
		text_put(x->out, "})[");
		c_number(&x->c, c.number, x->out);
		text_char(x->out, ']');
	}
}

void printer_put_operations(const struct printer *x, struct text *out)
{
	for (uint32_t i = 0; x->operations && i < intern_count(x->operations); i++) {
		const char *word = intern_data(x->operations, i, NULL), *name = x->operation[first_of_name(x, word)];
		bool ordered = word[name_of_word(word)];
		if (x->operation[i])
			text_format(out,
				"/* It computes nothing: what the program computes is not known. */\n"
				"static void %s(void *from, void *to, int *count, MPI_Datatype *type)\n{\n"
				"\t(void)from, (void)to, (void)count, (void)type;\n}\n\n",
				name);
		text_format(out,
			"static MPI_Op op_%s%s(void)\n{\n\tstatic MPI_Op made;\n\tstatic int known;\n"
			"\tif (!known++)\n\t\tMPI_Op_create(%s, %d, &made);\n\treturn made;\n}\n\n",
			name, ordered ? "_ordered" : "", name, !ordered);
	}
}
