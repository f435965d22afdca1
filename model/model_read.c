/*
 * model_read.c -- a plain model from the text of a model, folded or not.
 */
#include "model/folded.h"

static struct model *unfold(struct folded *f)
{
	return f ? folded_unfold(f) : NULL;
}

struct model *model_read(const char *path, struct error *error)
{
	return unfold(folded_read(path, error));
}

struct model *model_parse(const char *name, const char *bytes, size_t length, struct error *error)
{
	return unfold(folded_parse(name, bytes, length, error));
}
