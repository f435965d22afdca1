/*
 * finish.c -- from what the processes left to an archive.
 */
#include <glob.h>

#include "record/record.h"

bool record_finish(
	const char *directory, const struct record_options *options, struct record_facts *facts, struct error *error)
{
	(void)options;
	*facts = (struct record_facts){0};
	struct text pattern = {0};
	text_format(&pattern, "%s/*.side", directory);
	glob_t found = {0};
	bool any = !glob(pattern.data, 0, NULL, &found) && found.gl_pathc;
	globfree(&found);
	text_clear(&pattern);
	if (!any)
		return error_set(error, ERROR_INPUT,
			"%s: nothing was recorded: no process called MPI_Init with the recorder of its MPI loaded",
			directory);
	return true;
}
