/*
 * representation.h -- verbs of the development command build/representation VERB MODEL [OPTIONS]:
 * what the new representation says of a model, to be compared with what the product says. A verb is
 * a line of representation.def and a file tests/representation_VERB.c.
 */
#ifndef TRACENEST_TESTS_REPRESENTATION_H
#define TRACENEST_TESTS_REPRESENTATION_H

#include "model/module.h"

/* Gives the exit status. option: those behind the model. */
#define VERB(name) int representation_##name(struct module *, const char *path, int options, char **option);
#include "tests/representation.def"
#undef VERB

#endif
