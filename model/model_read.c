/*
 * model_read.c -- a plain model from the text of a model, folded or not.
 */
#include "model/program.h"

static struct model *unfold(struct program *f, struct error *error)
{
	return f ? program_unfold(f, error) : NULL;
}

struct model *model_read(const char *path, struct error *error)
{
	return unfold(program_read(path, error), error);
}

struct model *model_parse(const char *name, const char *bytes, size_t length, struct error *error)
{
	return unfold(program_parse(name, bytes, length, error), error);
}
