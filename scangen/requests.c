/*
 * requests.c -- annotations and the constructs that they speak of.
 *
 * Only lines matter here: the model's own reader has seen to the rest. Each open body counts its
 * constructs; an annotation with an arrow forward waits for the construct that follows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/lines.h"
#include "model/nest.h"
#include "model/procedures.h"
#include "model/table.h"
#include "scangen/scangen.h"

void scan_requests_add(struct scan_requests *s, const struct scan_request *r)
{
	s->item = mem_grow(s->item, &s->capacity, s->length + 1, sizeof *s->item);
	struct scan_request *copy = &s->item[s->length++];
	*copy = (struct scan_request){
		.label = mem_text(r->label), .attribute = mem_text(r->attribute), .end = r->end, .line = r->line};
	copy->address = r->address ? mem_text(r->address) : NULL;
	ranks_copy(&copy->ranks, &r->ranks);
}

void scan_requests_clear(struct scan_requests *s)
{
	for (size_t i = 0; i < s->length; i++) {
		free(s->item[i].label);
		free(s->item[i].attribute);
		free(s->item[i].address);
		ranks_clear(&s->item[i].ranks);
	}
	free(s->item);
	*s = (struct scan_requests){0};
}

/* ------------------------------------------------------------------ reading annotations */

struct reading {
	struct scan_requests *requests;
	struct lines *lines;
	uint64_t line;
	struct procedures *procedures; /* NULL: there are none so far */
	struct error *error;
	uint64_t constructs[NEST_DEPTH_LIMIT + 1]; /* so far, of each open body */
	size_t depth;
	size_t waiting; /* requests from here on wait for what follows */
};

#define fail(r, ...)                                                                                                   \
	(error_set((r)->error, ERROR_INPUT, __VA_ARGS__),                                                              \
		error_at((r)->error, "%s:%" PRIu64, lines_name((r)->lines), (r)->line))

/* The address of construct `last` in the body at some depth. */
static char *address_of(const struct reading *r, size_t depth, uint64_t last)
{
	struct text text = {0};
	for (size_t d = 0; d < depth; d++)
		text_format(&text, "%" PRIu64 ".", r->constructs[d] - 1);
	text_format(&text, "%" PRIu64, last);
	return text.data;
}

/* The loop around. */
static char *loop_address(const struct reading *r)
{
	return address_of(r, r->depth - 1, r->constructs[r->depth - 1] - 1);
}

static void resolve_waiting(struct reading *r, char *address, enum position_end end)
{
	for (; r->waiting < r->requests->length; r->waiting++) {
		r->requests->item[r->waiting].address = mem_text(address);
		r->requests->item[r->waiting].end = end;
	}
	free(address);
}

static bool point_back(struct reading *r, struct scan_request *request)
{
	if (r->constructs[r->depth]) {
		request->address = address_of(r, r->depth, r->constructs[r->depth] - 1);
		request->end = POSITION_END;
	} else if (r->depth) {
		request->address = loop_address(r);
		request->end = POSITION_ITERATION;
	} else {
		return fail(r, "'<-' speaks of the construct before it, and there is none");
	}
	return true;
}

/* at: behind "get". The model's reader has checked the form. */
static bool read_annotation(struct reading *r, const char *at)
{
	struct scan_request request = {.line = r->line};
	const char *label = strchr(at, '"') + 1, *label_end = strchr(label, '"');
	const char *ranks = strchr(label_end, '{') + 1;
	if (*ranks == '*')
		ranks++;
	else if (!ranks_parse(&request.ranks, &ranks, r->error))
		return error_at(r->error, "%s:%" PRIu64, lines_name(r->lines), request.line);
	const char *attribute = strchr(ranks, '.') + 1, *rest = attribute + strcspn(attribute, " \t");
	bool forward = !strncmp(rest + strspn(rest, " \t"), "->", 2);
	request.label = mem_copy(label, (size_t)(label_end - label) + 1);
	request.label[label_end - label] = 0;
	request.attribute = mem_copy(attribute, (size_t)(rest - attribute) + 1);
	request.attribute[rest - attribute] = 0;
	bool good = forward || point_back(r, &request);
	if (good && !forward && r->waiting < r->requests->length)
		good = fail(r,
			"'<-' may not stand behind '->': write it first, right behind the construct that it speaks of");
	if (good)
		scan_requests_add(r->requests, &request);
	if (!forward)
		r->waiting = r->requests->length;
	free(request.label);
	free(request.attribute);
	free(request.address);
	ranks_clear(&request.ranks);
	return good;
}

/* "[0-3] for ..." is a loop as well. */
static const char *behind_set(const char *line)
{
	const char *end = *line == '[' ? strchr(line, ']') : NULL;
	return end ? end + 1 + strspn(end + 1, " \t") : line;
}

static bool read_line(struct reading *r, const char *line);

/* What a body asks for, it asks for at each call. */
static bool read_body(struct reading *r, const struct procedure *p)
{
	uint64_t line = r->line;
	bool good = true;
	for (size_t i = 0; i < p->lines && good; i++) {
		r->line = p->kept[i].number;
		good = read_line(r, p->text.data + p->kept[i].start);
	}
	r->line = line;
	return good;
}

static bool read_procedures(struct reading *r, const char *line)
{
	char *behind; /* tables, which ask for nothing */
	struct called called;
	if (r->procedures)
		return procedure_called(line, &called, r->error) &&
		       read_body(r, procedures_find(r->procedures, called.name));
	r->procedures = procedures_collect(r->lines, line, r->depth, &behind, r->error);
	return r->procedures && read_body(r, procedures_main(r->procedures));
}

static bool read_line(struct reading *r, const char *line)
{
	line += strspn(line, " \t");
	if (!*line || !strncmp(line, "//", 2))
		return true;
	if (procedure_calls(line) || procedure_defines(line))
		return read_procedures(r, line);
	if (line_begins(line, "get"))
		return read_annotation(r, line);
	line = behind_set(line);
	bool otherwise = line_begins(line, "else");
	if (line_begins(line, "done") || otherwise) {
		if (r->waiting < r->requests->length)
			resolve_waiting(r, loop_address(r), POSITION_ITERATION_END);
		r->depth--;
	}
	if (line_begins(line, "done"))
		return true;
	resolve_waiting(r, address_of(r, r->depth, r->constructs[r->depth]), POSITION_START);
	r->constructs[r->depth]++;
	if (line_begins(line, "for") || line_begins(line, "if") || otherwise)
		r->constructs[++r->depth] = 0;
	return true;
}

bool scan_requests_read(
	struct scan_requests *requests, const char *name, const char *text, size_t length, struct error *error)
{
	struct reading r = {.requests = requests,
		.lines = lines_of(name, text, length),
		.error = error,
		.waiting = requests->length};
	bool good = true;
	for (char *line; good && !r.procedures && (line = lines_next(r.lines, error)) && !table_is_begun(line);) {
		r.line = lines_number(r.lines);
		good = read_line(&r, line);
	}
	if (good && r.waiting < requests->length)
		good = error_set(error, ERROR_INPUT,
			"%s:%" PRIu64 ": '->' speaks of the construct behind it, and there is none", name,
			requests->item[r.waiting].line);
	procedures_free(r.procedures);
	lines_close(r.lines);
	return good;
}
