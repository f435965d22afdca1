/*
 * representation.c -- build/representation VERB MODEL [OPTIONS].
 */
#include "tests/representation.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int (*run)(struct module *, const char *path, int options, char **option);
} verbs[] = {
#define VERB(name) {#name, representation_##name},
#include "tests/representation.def"
#undef VERB
};

int main(int arguments, char **argument)
{
	struct error error = {0};
	size_t verb = 0, known = sizeof verbs / sizeof *verbs;
	while (arguments > 2 && verb < known && strcmp(argument[1], verbs[verb].name))
		verb++;
	if (arguments < 3 || verb == known) {
		fputs("representation VERB MODEL [OPTIONS]\n", stderr);
		return 2;
	}
	struct module *module = module_read(argument[2], &error);
	if (!module) {
		fprintf(stderr, "tracenest: %s\n", error.message);
		return 3;
	}
	int status = verbs[verb].run(module, argument[2], arguments - 3, argument + 3);
	module_free(module);
	return status;
}
