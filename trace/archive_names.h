/*
 * archive_names.h -- an archive that `record` wrote, with other names of frames.
 *
 *	struct archive_names names = {context, name};
 *	archive_names_write("run/traces.otf2", "new", &names, &error);	-- new/traces.otf2, .def
 *
 * The files of events belong to both, and definitions of locations are written with the new ids.
 */
#ifndef TRACENEST_TRACE_ARCHIVE_NAMES_H
#define TRACENEST_TRACE_ARCHIVE_NAMES_H

#include <stdbool.h>

#include "base/error.h"

struct archive_names {
	void *context;
	/* Of a frame without a line, "libx.so+0x12a4 solve": its words, behind them those of frames
	   that it was inlined in; to be freed. NULL: it stays. */
	char *(*name)(void *context, const char *words);
};

/* The property of archives that has the modules of their frames, a line each: "BUILD-ID NAME". */
#define ARCHIVE_MODULES "TRACENEST::MODULES"

/* Gives them, to be freed; NULL: none are told. False: the archive cannot be read, or is of
   another recorder. */
bool archive_modules(const char *anchor, char **modules, struct error *);

/* O(definitions). False with *error set where it cannot be read or written. */
bool archive_names_write(const char *anchor, const char *directory, const struct archive_names *, struct error *);

#endif
