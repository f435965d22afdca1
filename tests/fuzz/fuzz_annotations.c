/*
 * fuzz_annotations.c -- any bytes as a model with annotations: refused with a message, or a scanner
 * in C.
 */
#include "model/program_nodes.h"
#include "scangen/scangen.h"
#include "tests/fuzz/fuzz.h"

static void write_scanner(const struct program *program, const struct scan_requests *asked)
{
	struct text scanner = {0};
	struct error error = {0};
	struct scangen_options options = {.model = "input", .version = "0"};
	const struct program_nodes *nodes = program_nodes(program, &error);
	if (nodes && scangen_write(nodes->run, asked, &options, &scanner, &error))
		MUST(scanner.length > 0);
	else
		MUST(error.kind != ERROR_NONE && *error.message);
	text_clear(&scanner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = {0};
	struct scan_requests asked = {0};
	struct program *program = program_parse("input", (const char *)data, size, &error);
	if (program && scan_requests_read(&asked, "input", (const char *)data, size, &error))
		write_scanner(program, &asked);
	else
		MUST(error.kind != ERROR_NONE && *error.message);
	program_free(program);
	scan_requests_clear(&asked);
	return 0;
}
