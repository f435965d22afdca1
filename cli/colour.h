/*
 * colour.h -- colour where somebody looks: on a terminal, unless NO_COLOR is set (no-color.org) or
 * the terminal is dumb. What goes into files and pipes is the same bytes as ever.
 */
#ifndef TRACENEST_CLI_COLOUR_H
#define TRACENEST_CLI_COLOUR_H

#include <stdbool.h>

#include "base/output.h"

#define COLOUR_PLAIN "\033[0m"
#define COLOUR_ERROR "\033[1;31m"

/* Does this descriptor want any? */
bool colour_on(int descriptor);

/* Colour what is printed from now on, if the output wants any: lines of a program (keywords, sets,
   tags; what is remarked is faint); a page of report, diff or time (what is lost). */
void colour_program(struct output *);
void colour_page(struct output *);

#endif
