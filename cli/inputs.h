/*
 * inputs.h -- no result may take the place of what it was made from.
 */
#ifndef TRACENEST_CLI_INPUTS_H
#define TRACENEST_CLI_INPUTS_H

#include "cli/options.h"

/*
 * Is none of the files to be written one of those to be read: an argument or what an option names,
 * a file of the archive whose anchor that is, one in a directory of traces, a word of the command;
 * also through links, and as standard input or output? Is no file written twice? Else *error says
 * which.
 */
bool inputs_kept(const struct settings *, struct error *);

#endif
