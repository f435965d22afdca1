/*
 * sites.h -- call sites: where in the source an address in a module is.
 */
#ifndef TRACENEST_RECORD_SITES_H
#define TRACENEST_RECORD_SITES_H

#include <stddef.h>
#include <stdint.h>

/* A return address, as a module (path of its file) and the offset in it. */
struct site_address {
	const char *module;
	uint64_t offset;
};

/* name[i] = "file:line function" of address[i], or "module+0xoffset" (of the module without its
   directories) where that is not known; to be freed. */
void sites_name(const struct site_address *address, size_t count, char **name);

#endif
