/*
 * sites.c -- names of call sites: the module and the offset in it.
 */
#include "record/sites.h"

#include <string.h>

#include "base/text.h"

void sites_name(const struct site_address *address, size_t count, char **name)
{
	for (size_t i = 0; i < count; i++) {
		const char *slash = strrchr(address[i].module, '/');
		struct text text = {0};
		text_format(&text, "%s+0x%llx", slash ? slash + 1 : address[i].module,
			(unsigned long long)address[i].offset);
		name[i] = text.data;
	}
}
