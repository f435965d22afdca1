/*
 * program_calls.c -- calls in the order of the text, and the names of what they call.
 */
#include "model/program_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

size_t program_calls_begin(struct program_calls *c, uint32_t procedure, size_t at)
{
	*MEM_PUSH(c->call, c->length, c->capacity) = (struct program_call){at, at, procedure};
	return c->length - 1;
}

void program_calls_end(struct program_calls *c, size_t call, size_t at)
{
	c->call[call].end = at;
	if (c->call[call].start == at)
		c->length = call;
}

uint32_t program_calls_name(struct program_calls *c, const char *name)
{
	for (size_t i = 0; i < c->names; i++)
		if (!strcmp(c->name[i], name))
			return (uint32_t)i;
	*MEM_PUSH(c->name, c->names, c->name_capacity) = mem_text(name);
	return (uint32_t)c->names - 1;
}

void program_calls_copy(struct program_calls *c, const struct program_calls *from)
{
	c->call = mem_copy(from->call, from->length * sizeof *from->call);
	c->length = c->capacity = from->length;
	for (size_t i = 0; i < from->names; i++)
		program_calls_name(c, from->name[i]);
}

void program_calls_clear(struct program_calls *c)
{
	for (size_t i = 0; i < c->names; i++)
		free(c->name[i]);
	free(c->name);
	free(c->call);
	*c = (struct program_calls){0};
}
