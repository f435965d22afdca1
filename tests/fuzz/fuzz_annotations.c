/*
 * fuzz_annotations.c -- any bytes as a model with annotations: refused with a message, or a scanner
 * in C.
 */
#include "model/prepared.h"
#include "scangen/scangen.h"
#include "tests/fuzz/fuzz.h"

static void write_scanner(const struct prepared *program, const struct scan_requests *asked)
{
	struct text scanner = {0};
	struct error error = {0};
	struct scangen_options options = {.model = "input", .version = "0"};
	if (scangen_write(program->run, asked, &options, &scanner, &error))
		MUST(scanner.length > 0);
	else
		MUST(error.kind != ERROR_NONE && *error.message);
	text_clear(&scanner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = {0};
	struct scan_requests asked = {0};
	struct prepared *program = prepared_new(module_parse_one("input", (const char *)data, size, &error), &error);
	if (program && scan_requests_read(&asked, "input", (const char *)data, size, &error))
		write_scanner(program, &asked);
	else
		MUST(error.kind != ERROR_NONE && *error.message);
	prepared_free(program);
	scan_requests_clear(&asked);
	return 0;
}
