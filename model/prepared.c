/*
 * prepared.c -- made at once, as whoever has a program asks it.
 */
#include "model/prepared.h"

#include <stdlib.h>

#include "base/mem.h"

struct prepared *prepared_new(struct module *text, struct error *error)
{
	if (!text)
		return NULL;
	struct prepared *p = mem_zero(sizeof *p);
	p->text = text;
	p->module = text->procedures ? module_copy(text) : text;
	if (p->module != text && !module_inline(p->module, error)) {
		prepared_free(p);
		return NULL;
	}
	p->run = run_new(p->module, NULL);
	return p;
}

void prepared_free(struct prepared *p)
{
	if (!p)
		return;
	run_free(p->run);
	if (p->module != p->text)
		module_free(p->module);
	module_free(p->text);
	free(p);
}
