/*
 * requests.c -- annotations and the constructs that they speak of.
 *
 * Only lines matter here: the model's own reader has seen to the rest. Lines are put aside by the
 * procedure that they stand in, and read at each call. Each open body counts its constructs; an
 * annotation with an arrow forward waits for the construct that follows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/lines.h"
#include "model/nest.h"
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

/* Lines one after the other, each with its end. */
struct body_lines {
	uint64_t before; /* number of the line before the first */
	struct text text;
};

struct reading {
	struct scan_requests *requests;
	const char *name; /* of the file */
	uint64_t line;
	struct intern *names; /* of procedures: ids are places in body; "": what stands outside */
	struct body_lines *body;
	size_t bodies, body_capacity;
	struct error *error;
	uint64_t constructs[NEST_DEPTH_LIMIT + 1]; /* so far, of each open body */
	size_t depth;
	size_t waiting; /* requests from here on wait for what follows */
};

#define fail(r, ...)                                                                                                   \
	(error_set((r)->error, ERROR_INPUT, __VA_ARGS__), error_at((r)->error, "%s:%" PRIu64, (r)->name, (r)->line))

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
		return error_at(r->error, "%s:%" PRIu64, r->name, request.line);
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

static bool opens(const char *line)
{
	return line_begins(line, "for") || line_begins(line, "if");
}

static bool read_line(struct reading *r, const char *line);

/* Of the procedure whose name stands here. */
static struct body_lines *body_of(struct reading *r, const char *name)
{
	uint32_t id = intern_id(r->names, name, strcspn(name, " \t("));
	if (id == r->bodies)
		*MEM_PUSH(r->body, r->bodies, r->body_capacity) = (struct body_lines){.before = r->line};
	return &r->body[id];
}

static void put_line(struct body_lines *body, const char *line)
{
	text_add(&body->text, line, strlen(line) + 1);
}

/* What a body asks for, it asks for at each call. */
static bool read_body(struct reading *r, const char *name)
{
	const struct body_lines body = *body_of(r, name);
	uint64_t line = r->line;
	bool good = true;
	r->line = body.before;
	for (size_t at = 0; at < body.text.length && good; at += strlen(body.text.data + at) + 1) {
		r->line++;
		good = read_line(r, body.text.data + at);
	}
	r->line = line;
	return good;
}

static bool read_line(struct reading *r, const char *line)
{
	line += strspn(line, " \t");
	if (!*line || !strncmp(line, "//", 2))
		return true;
	if (line_begins(line, "call"))
		return read_body(r, behind_blanks(line + strlen("call")));
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
	if (opens(line) || otherwise)
		r->constructs[++r->depth] = 0;
	return true;
}

/* Up to the tables, which ask for nothing. Outside of procedures their lines are blank. */
static bool collect_lines(struct reading *r, struct lines *lines)
{
	uint32_t inside = 0; /* this body */
	size_t open = 0;
	r->error->kind = ERROR_NONE;
	body_of(r, "");
	for (char *line; (line = lines_next(lines, r->error)) && (inside || open || !table_is_begun(line));) {
		const char *at = behind_blanks(line);
		bool begins = line_begins(at, "procedure"), ends = line_begins(at, "done");
		r->line = lines_number(lines);
		if (begins)
			inside = (uint32_t)(body_of(r, behind_blanks(at + strlen("procedure"))) - r->body);
		else if (inside && (!ends || open))
			put_line(&r->body[inside], line);
		put_line(&r->body[0], begins || inside ? "" : line);
		if (ends && !open)
			inside = 0;
		open += opens(behind_set(at));
		open -= open && ends;
	}
	return r->error->kind == ERROR_NONE;
}

bool scan_requests_read(
	struct scan_requests *requests, const char *name, const char *text, size_t length, struct error *error)
{
	struct reading r = {
		.requests = requests, .name = name, .names = intern_new(), .error = error, .waiting = requests->length};
	struct lines *lines = lines_of(name, text, length);
	bool good = collect_lines(&r, lines) && read_body(&r, "");
	if (good && r.waiting < requests->length)
		good = error_set(error, ERROR_INPUT,
			"%s:%" PRIu64 ": '->' speaks of the construct behind it, and there is none", name,
			requests->item[r.waiting].line);
	for (size_t i = 0; i < r.bodies; i++)
		text_clear(&r.body[i].text);
	free(r.body);
	intern_free(r.names);
	lines_close(lines);
	return good;
}
