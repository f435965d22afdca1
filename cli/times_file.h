/*
 * times_file.h -- the shares of the run time that `tracenest time --json` told, for pictures.
 *
 *	struct times_file t = {0};
 *	if (times_read(&t, path, program, &error))
 *		... t.time, t.length: of struct viz_options
 *	times_clear(&t);
 */
#ifndef TRACENEST_CLI_TIMES_FILE_H
#define TRACENEST_CLI_TIMES_FILE_H

#include "base/error.h"
#include "model/module.h"
#include "viz/viz.h"

/* Starts as {0}. */
struct times_file {
	struct viz_time *time;
	size_t length;
	void *json; /* what the addresses are borrowed from */
};

/* False with *error set where the file is no such JSON, or where it tells of loops that the model
   does not have. path "-": standard input. */
bool times_read(struct times_file *, const char *path, const struct module *, struct error *);
void times_clear(struct times_file *);

#endif
