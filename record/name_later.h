/*
 * name_later.h -- names of frames that were not known where the program ran: of hosts without
 * debug information, of stripped programs.
 */
#ifndef TRACENEST_RECORD_NAME_LATER_H
#define TRACENEST_RECORD_NAME_LATER_H

#include <stddef.h>

#include "base/error.h"

struct naming_facts {
	size_t modules; /* of the archive's frames */
	size_t found; /* whose debug information is there */
	size_t frames; /* that got a line, or a name */
};

/*
 * Name the frames of the archive in `directory`, which record left, by what is in another
 * directory, debug: of each module DEBUG/.build-id/xx/yyyy.debug, DEBUG/MODULE.debug or
 * DEBUG/MODULE, the first one of the same build. The archive with the names is in `to`, and shares
 * the files of events; NULL: the directory is exchanged for it at once. ERROR_INPUT: a file of
 * another build alone has a module's name, none is there, or the archive tells no builds.
 */
bool name_later(const char *directory, const char *debug, const char *to, struct naming_facts *, struct error *);

#endif
