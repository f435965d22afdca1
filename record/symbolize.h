/*
 * symbolize.h -- call sites: where in the source an address in a module is.
 */
#ifndef TRACENEST_RECORD_SYMBOLIZE_H
#define TRACENEST_RECORD_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* A return address, as a module (path of its file) and the offset in it, from where it begins in
   memory. */
struct site_address {
	const char *module;
	uint64_t offset;
};

/*
 * name[i] = "file:line function" of address[i], the call that returns there, and, where it was
 * inlined, " < file:line function" for each call around it. Without lines it is "module+0xoffset
 * function", of the symbol that holds the call, or "module+0xoffset module+0xstart" where the
 * function has no symbol; "module+0xoffset" where nothing is known: the module is not there any
 * more, or we were built without elfutils. All are without directories, functions as in
 * record/demangle.h. Debug information and symbols are the module's own (.gnu_debugdata, too), or
 * what is found by debuglink or build id in /usr/lib/debug or debuginfod's cache. The names are to
 * be freed. Each module is read once, and each unit of it. O(addresses * (log(symbols + functions)
 * + units)).
 */
void sites_name(const struct site_address *address, size_t count, char **name);

/* The same one by one. Paths of modules are borrowed until it is freed. */
struct site_namer;
struct site_namer *site_namer_new(void);
char *site_namer_name(struct site_namer *, const struct site_address *);
void site_namer_free(struct site_namer *);

/*
 * The same of addresses as the recorder writes them, "OFFSET MODULE", the offset in hexadecimal; of
 * several lines, a path, the innermost call first: their names, with " < " between them. "= NAME"
 * has its name, of a frame that is no module's (Python's); "..." stands for itself. Has the type of
 * struct site_names' function (fit/value_columns.h).
 */
void sites_name_paths(void *unused, const char *const *path, size_t count, char **name);

/* Append the build id of a file, in hexadecimal. False: it has none, or cannot be read. */
bool sites_build_id(const char *path, struct text *);

#endif
