/*
 * fuzz_module.c -- any bytes as a text: refused with a message, or a module that prints, reads back
 * as itself, and has its calls replaced.
 */
#include <string.h>

#include "model/module.h"
#include "tests/fuzz/fuzz.h"

static void must_read_back(const struct module *m)
{
	struct error error = {0};
	struct text text = {0}, again = {0};
	module_print_text(m, NULL, &text);
	struct module *read = module_parse("printed", text.data, text.length, &error);
	MUST(read);
	module_print_text(read, NULL, &again);
	MUST(text.length == again.length && !memcmp(text.data, again.data, text.length));
	module_free(read);
	text_clear(&text);
	text_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = {0};
	struct module *m = module_parse("text", (const char *)data, size, &error);
	if (!m) {
		MUST(error.kind != ERROR_NONE && *error.message);
		return 0;
	}
	must_read_back(m);
	if (module_inline(m, &error))
		must_read_back(m);
	module_free(m);
	return 0;
}
