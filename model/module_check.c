/*
 * module_check.c -- what numbers come to, wherever they are asked for.
 */
#include "model/module_read.h"

bool module_check(struct module *m, struct inlined_line *line, struct error *error)
{
	(void)m, (void)line, (void)error;
	return true;
}
