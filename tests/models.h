/*
 * models.h -- models as text, for tests: through modules, which have the one reader and the one
 * printer.
 */
#ifndef TRACENEST_TESTS_MODELS_H
#define TRACENEST_TESTS_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/module_parts.h"
#include "lib/pipeline.h"
#include "model/prepared.h"

/* NULL: it is no plain listing, there are sets in it, guards, or functions. */
struct model *model_of_plain(const struct module *);

/* What a module without calls stands for: as it is if it is plain, else unfolded (ask/unfolding.h).
   NULL with *error set where that is too much. What events carry, and call sites, are left out. */
struct model *model_of_module(const struct module *, struct error *);

/* A text; NULL, with file:line in the error, where it is wrong. */
struct model *model_parse(const char *name, const char *bytes, size_t length, struct error *);

void model_print_text(const struct model *, struct text *);

/* Do they print alike? */
bool model_equal(const struct model *, const struct model *);

/* A text of one number of processes, ready to be asked; what is made of a trace (lib/pipeline.h). NULL with *error set. */
struct prepared *prepared_parse(const char *name, const char *bytes, size_t length, struct error *);
struct prepared *prepared_of_trace(
	const char *path, const struct program_options *, struct program_facts *, struct error *);

/* A header: of so many processes, on a grid where that has axes; of any number of them. */
void header_put(struct text *, uint32_t processes, const struct grid *);
void header_put_parametric(struct text *, uint32_t axes);

/* Events of all processes together. */
uint64_t model_events(const struct model *);

/* Symbols of the whole root, saturating. */
uint64_t nest_total(const struct nest *);

/* merge_complete_but_sends, of sends that nothing receives also. */
bool model_complete(const struct model *, struct error *);

#endif
