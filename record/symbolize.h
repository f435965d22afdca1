/*
 * symbolize.h -- call sites: where in the source an address in a module is.
 */
#ifndef TRACENEST_RECORD_SYMBOLIZE_H
#define TRACENEST_RECORD_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A return address, as a module (path of its file) and the offset in it, from where it begins in
   memory. */
struct site_address {
	const char *module;
	uint64_t offset;
};

/*
 * name[i] = "file:line function" of address[i], the call that returns there; or "module+0xoffset"
 * where that is not known (both without directories): the module is not there any more, has no
 * debug information (DWARF, its own or what the system keeps in /usr/lib/debug), or we were built
 * without elfutils. Where the call was inlined, it is the innermost line, and the function that
 * this line is of. The names are to be freed. Each module is read once.
 */
void sites_name(const struct site_address *address, size_t count, char **name);

/*
 * The same of addresses as the recorder writes them, "OFFSET MODULE", the offset in hexadecimal; of
 * several lines, a stack, the innermost call first: their names, with " < " between them. Has the
 * type of struct site_names' function (model/site_paths.h).
 */
void sites_name_paths(void *unused, const char *const *path, size_t count, char **name);

/* Were we built with elfutils? */
bool sites_have_names(void);

#endif
