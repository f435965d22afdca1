/*
 * volumes.c -- every send of a phase is asked for its bytes; what comes back in columns is summed up by pair.
 *
 * A label is "PHASE DESTINATION": the source is the process of the record. Phases that share constructs ask for them twice.
 */
#include "cli/volumes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ------------------------------------------------------------------ asking */

struct asking {
	struct scan_requests *requests;
	const struct model *model;
	const char *tag;
	size_t phase;
	struct text address;
};

static void ask_send(struct asking *a, uint32_t event)
{
	struct text label = {0};
	text_format(&label, "%zu %" PRIu32, a->phase, dictionary_get_event(a->model->dictionary, event)->peer);
	scan_requests_add(
		a->requests, &(struct scan_request){.label = label.data, .attribute = (char *)"bytes", .address = a->address.data});
	text_clear(&label);
}

static void ask_node(struct asking *a, node n);

static void ask_body(struct asking *a, struct body body)
{
	size_t length = a->address.length;
	for (size_t i = 0; i < body.length; i++) {
		text_format(&a->address, "%s%zu", length ? "." : "", i);
		ask_node(a, body.node[i]);
		text_truncate(&a->address, length);
	}
}

static void ask_node(struct asking *a, node n)
{
	if (!node_is_loop(n)) {
		if (dictionary_get_event(a->model->dictionary, n)->kind == EVENT_SEND && matrix_counts(a->model, n, a->tag))
			ask_send(a, n);
	} else if (nest_get(a->model->nest, n)->count) {
		ask_body(a, nest_body(a->model->nest, n));
	}
}

static void ask_phase(struct asking *a, const char *address)
{
	const struct nest *n = a->model->nest;
	struct error ignored;
	node found;
	text_truncate(&a->address, 0);
	if (!address) {
		ask_body(a, (struct body){n->root, n->root_length});
	} else if (model_find(a->model, address, &found, &ignored)) {
		text_put(&a->address, address);
		ask_node(a, found);
	}
}

/* ------------------------------------------------------------------ what comes back: columns (tracenest-scan(1)) */

struct columns {
	FILE *file;
	uint64_t indices;
	char **label;
	size_t labels;
};

static bool read_count(FILE *file, const char *word, uint64_t *count)
{
	char line[128];
	size_t length = strlen(word);
	const char *at = line + length + 1;
	if (!fgets(line, sizeof line, file) || strncmp(line, word, length) || line[length] != ' ')
		return false;
	return text_read_number(&at, UINT64_MAX, count) && *at == '\n';
}

static bool skip_lines(FILE *file, uint64_t count, char **keep)
{
	char line[128];
	for (uint64_t i = 0; i < count; i++) {
		if (!fgets(line, sizeof line, file))
			return false;
		line[strcspn(line, "\n")] = 0;
		if (keep)
			keep[i] = mem_text(line);
	}
	return true;
}

static bool read_heading(struct columns *c)
{
	char line[128];
	uint64_t labels, attributes;
	if (!fgets(line, sizeof line, c->file) || strcmp(line, "tracenest columns 1\n") ||
		!read_count(c->file, "indices", &c->indices) || !read_count(c->file, "labels", &labels))
		return false;
	c->label = mem_zero((labels + 1) * sizeof *c->label);
	c->labels = (size_t)labels;
	return skip_lines(c->file, labels, c->label) && read_count(c->file, "attributes", &attributes) &&
	       skip_lines(c->file, attributes, NULL) && fgets(line, sizeof line, c->file) && !strcmp(line, "blocks\n");
}

static void add_volume(const struct columns *c, struct volumes_phase *phases, uint32_t label, uint32_t source, uint64_t bytes)
{
	const char *at = c->label[label];
	uint64_t phase, destination;
	text_read_number(&at, UINT64_MAX, &phase);
	at++;
	text_read_number(&at, UINT32_MAX, &destination);
	struct matrix_cell *cell = matrix_find(phases[phase].matrix, source, (uint32_t)destination);
	if (cell)
		cell->bytes += bytes;
}

/* The columns of a block, in their order: labels, attributes, ranks, depths; indices; positions, values. */
static bool read_block(struct columns *c, struct volumes_phase *phases, bool *more)
{
	uint64_t rows;
	*more = fread(&rows, sizeof rows, 1, c->file) == 1;
	if (!*more)
		return !ferror(c->file);
	size_t bytes = (size_t)rows * (16 + 8 * (size_t)c->indices + 16);
	char *block = mem_alloc(bytes);
	bool good = fread(block, 1, bytes, c->file) == bytes;
	const uint32_t *label = (void *)block, *rank = label + 2 * rows;
	const uint64_t *value = (void *)(block + rows * (16 + 8 * c->indices + 8));
	for (uint64_t i = 0; good && i < rows; i++)
		add_volume(c, phases, label[i], rank[i], value[i]);
	free(block);
	return good;
}

static bool read_columns(FILE *file, struct volumes_phase *phases, struct error *error)
{
	struct columns c = {.file = file};
	rewind(file);
	bool more = true, good = read_heading(&c);
	while (good && more)
		good = read_block(&c, phases, &more);
	for (size_t i = 0; i < c.labels; i++)
		free(c.label[i]);
	free(c.label);
	return good || error_set(error, ERROR_INTERNAL, "the scanner's records cannot be read back");
}

/* ------------------------------------------------------------------ all of it */

static bool run(const struct text *program, const struct settings *s, FILE *file, struct report *report, struct error *error)
{
	int status = 0;
	struct scanner_run r = {.program = program,
		.trace = s->bytes,
		.binary = true,
		.verbose = s->verbose,
		.jobs = s->jobs,
		.descriptor = fileno(file),
		.report = report};
	if (!scanner_run(&r, &status, error))
		return false;
	if (!status)
		return true;
	return error_set(error, status == ERROR_INCONSISTENT ? ERROR_INCONSISTENT : ERROR_INPUT,
		"%s: the volumes could not be fetched", s->bytes);
}

static bool fetch(const struct annotated *asked, const struct settings *s, struct volumes_phase *phases, struct report *report,
	struct error *error)
{
	struct text program = {0};
	FILE *file = tmpfile();
	bool good = file || error_set(error, ERROR_INPUT, "a temporary file cannot be made: %s", strerror(errno));
	good = good && scanner_write(asked, s, &program, error) && run(&program, s, file, report, error) &&
	       read_columns(file, phases, error);
	if (file)
		fclose(file);
	text_clear(&program);
	return good;
}

static void take_mean(struct matrix *x)
{
	for (size_t i = 0; i < x->cells && x->executions; i++)
		x->cell[i].bytes = (x->cell[i].bytes + x->executions / 2) / x->executions;
}

bool volumes_fetch(const struct annotated *a, const struct settings *s, struct volumes_phase *phases, size_t count,
	struct report *report, struct error *error)
{
	struct annotated asked = {.path = a->path, .model = a->model};
	struct asking asking = {.requests = &asked.asked, .model = a->model, .tag = s->tag};
	for (asking.phase = 0; asking.phase < count; asking.phase++)
		ask_phase(&asking, phases[asking.phase].address);
	bool good = !asked.asked.length || fetch(&asked, s, phases, report, error);
	for (size_t i = 0; good && s->per_iteration && i < count; i++)
		take_mean(phases[i].matrix);
	text_clear(&asking.address);
	scan_requests_clear(&asked.asked);
	return good;
}
