/*
 * text_trace.c -- text traces: one event per line, of any process, in any order of processes
 * (tracenest-trace(5)).
 *
 * A line is cut in three: the event, attributes behind ';', a comment behind '#' at the start of
 * the line or after white space. Names that a line carries hold neither (name_clean sees to it), so
 * that the first of each is the one. A line is an event whatever trace_options say: what a text
 * trace holds was chosen by whoever wrote it.
 */
#include "trace/text_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/attributes.h"
#include "model/lines.h"
#include "trace/ti_trace.h"
#include "trace/event_values.h"

struct text_source {
	char *path;
	uint64_t bytes;
	bool ti; /* a trace of SimGrid's (ti_trace.h) */
};

struct text_trace {
	struct text_source *source;
	size_t sources, capacity;
	struct dictionary *dictionary;
	uint32_t distinct; /* see trace_options */
	bool attributes;
	struct intern *sites; /* NULL: nobody asks for them */
	struct ranks seen; /* ranks that have had events */
};

struct text_trace *text_trace_new(const struct trace_options *options)
{
	struct text_trace *t = mem_zero(sizeof *t);
	t->distinct = options->distinct;
	t->attributes = options->attributes;
	t->sites = options->sites ? intern_new() : NULL;
	t->dictionary = dictionary_new();
	return t;
}

void text_trace_free(struct text_trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->sources; i++)
		free(t->source[i].path);
	free(t->source);
	dictionary_free(t->dictionary);
	intern_free(t->sites);
	ranks_clear(&t->seen);
	free(t);
}

static bool add_source(struct text_trace *t, const char *path, bool ti, struct error *error)
{
	struct stat status;
	bool standard = !strcmp(path, "-");
	if (standard ? fstat(STDIN_FILENO, &status) : (stat(path, &status) || access(path, R_OK)))
		return error_set(error, ERROR_INPUT, "%s: %s", standard ? "standard input" : path, strerror(errno));
	*MEM_PUSH(t->source, t->sources, t->capacity) =
		(struct text_source){mem_text(path), (uint64_t)status.st_size, ti};
	return true;
}

/* How a file begins: its first line; empty for what is no file. */
static void first_line(const char *path, char line[FILE_SIGNATURE_LENGTH])
{
	struct stat status;
	FILE *file = strcmp(path, "-") && !stat(path, &status) && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
	line[0] = 0;
	if (file && !fgets(line, FILE_SIGNATURE_LENGTH, file))
		line[0] = 0;
	if (file)
		fclose(file);
	line[strcspn(line, "\r\n")] = 0;
}

static bool is_ti(const char *path)
{
	char line[FILE_SIGNATURE_LENGTH];
	uint32_t rank;
	first_line(path, line);
	return ti_trace_begins(line, &rank);
}

/* A file that is named in a list: from where we are, as SimGrid has it, or beside the list. */
static void find_listed(const char *list, const char *name, struct text *path)
{
	const char *slash = strrchr(list, '/');
	text_truncate(path, 0);
	if (slash && *name != '/' && access(name, F_OK))
		text_add(path, list, (size_t)(slash + 1 - list));
	text_put(path, name);
}

/* Does it list the traces of processes: is its first line the name of one? */
static bool is_ti_list(const char *path)
{
	char line[FILE_SIGNATURE_LENGTH];
	struct text first = {0};
	first_line(path, line);
	find_listed(path, line, &first);
	bool is = *line && is_ti(first.data);
	text_clear(&first);
	return is;
}

static bool add_listed(struct text_trace *t, const char *list, struct error *error)
{
	struct lines *lines = lines_open(list, TEXT_TRACE, error);
	struct text path = {0};
	bool good = lines;
	for (char *line; good && (line = lines_next(lines, error));) {
		if (!*line)
			continue;
		find_listed(list, line, &path);
		good = add_source(t, path.data, true, error) ||
		       error_at(error, "%s:%llu", lines_name(lines), (unsigned long long)lines_number(lines));
	}
	lines_close(lines);
	text_clear(&path);
	return good && error->kind == ERROR_NONE;
}

bool text_trace_add(struct text_trace *t, const char *path, struct error *error)
{
	*error = (struct error){0};
	return is_ti_list(path) ? add_listed(t, path, error) : add_source(t, path, is_ti(path), error);
}

struct dictionary *text_trace_dictionary(const struct text_trace *t, uint32_t rank)
{
	return ranks_has(&t->seen, rank) ? t->dictionary : NULL;
}

/* ------------------------------------------------------------------ a line */

static void cut_comment(char *line)
{
	for (char *at = line; (at = strchr(at, '#')); at++)
		if (at == line || is_blank(at[-1])) {
			*at = 0;
			return;
		}
}

/* What stands behind the first ';', which ends the event; NULL if there is none. */
static char *cut_attributes(char *line)
{
	char *semicolon = strchr(line, ';');
	if (!semicolon)
		return NULL;
	*semicolon = 0;
	char *start = semicolon + 1 + strspn(semicolon + 1, " \t"), *end = start + strlen(start);
	while (end > start && is_blank(end[-1]))
		end--;
	*end = 0;
	return start;
}

/* What the attributes of the line at hand are. */
struct text_values {
	bool wanted; /* also those that no event has a field for */
	struct intern *sites; /* NULL: nobody asks for them */
	struct trace_attribute attribute[ATTRIBUTES_MOST];
	struct text word[ATTRIBUTES_MOST];
};

static bool read_attribute_number(
	const struct attribute_value *v, const char *what, uint64_t *number, struct error *error)
{
	*number = (uint64_t)v->number;
	if (v->word ? text_is_number(v->word, UINT64_MAX, number) : v->number >= 0)
		return true;
	struct text shown = {0};
	attribute_value_print(v, &shown);
	error_set(error, ERROR_INPUT, "the attribute '%s' is a whole number, not '%.60s'", what, shown.data);
	text_clear(&shown);
	return false;
}

static bool is_name(const char *name, size_t length, const char *what)
{
	return length == strlen(what) && !memcmp(name, what, length);
}

static const char *kept_site(struct intern *sites, const char *word)
{
	return intern_data(sites, intern_id(sites, word, strlen(word)), NULL);
}

/* Where the next word goes: one that the event may keep has a place of its own. */
static struct text *place_of_word(struct text_values *c, const struct trace_event *event, struct text *unkept)
{
	return event->attribute_count < ATTRIBUTES_MOST ? &c->word[event->attribute_count] : unkept;
}

static bool is_wanted(const struct text_values *c, const char *name, size_t length)
{
	return c->wanted || event_values_is_asked(NULL, name, length);
}

static bool read_attributes(struct text_values *c, struct trace_event *event, struct error *error)
{
	struct text unkept = {0};
	struct attribute_value v;
	const char *at = event->attributes ? event->attributes : "", *name;
	size_t length;
	bool good = true;
	event->attribute = c->attribute;
	while (good && attribute_scan(&at, &name, &length, place_of_word(c, event, &unkept), &v, error)) {
		if (c->sites && v.word && is_name(name, length, "site"))
			event->site = kept_site(c->sites, v.word);
		if (is_name(name, length, "time")) {
			event->timed = true;
			good = read_attribute_number(&v, "time", &event->time, error);
		} else if (is_name(name, length, "bytes")) {
			event->sized = true;
			good = read_attribute_number(&v, "bytes", &event->bytes, error);
		} else if (is_name(name, length, "received")) {
			event->exchanged = true;
			good = read_attribute_number(&v, "received", &event->received, error);
		} else if (event->attribute_count < ATTRIBUTES_MOST && is_wanted(c, name, length)) {
			c->attribute[event->attribute_count++] =
				(struct trace_attribute){name, length, v.word, v.number};
		}
	}
	text_clear(&unkept);
	return good && error->kind == ERROR_NONE;
}

/* ------------------------------------------------------------------ ranks that are named */

static void raise_highest(uint32_t *processes, struct ranks set)
{
	if (set.length && set.run[set.length - 1].last >= *processes)
		*processes = set.run[set.length - 1].last + 1;
}

/* 1 + the highest rank that an event names. */
static uint32_t processes_of(const struct dictionary *d, const struct event *e)
{
	uint32_t processes = 0;
	bool sync = kind_gathers(e->kind);
	raise_highest(&processes, sync ? dictionary_get_ranks(d, e->process)
				       : (struct ranks){&(struct ranks_run){e->process, e->process}, 1, 0});
	if (sync)
		raise_highest(&processes, dictionary_get_ranks(d, dictionary_get_sync(d, e->subject)->group));
	bool peer_is_rank = kind_has_peer(e->kind) || (sync && e->peer != NO_ROOT);
	if (peer_is_rank && e->peer >= processes)
		processes = e->peer + 1;
	return processes;
}

/* ------------------------------------------------------------------ reading */

/* Messages of one process that differ in peer and number alone. */
struct message_shape {
	uint32_t event; /* that of them to or from 0, with the number 0 */
	uint32_t distinct; /* how many have ids */
};

struct text_reading {
	struct text_trace *trace;
	const struct ranks *wanted;
	const struct trace_sink *sink;
	struct trace_facts *facts;
	uint64_t bytes, bytes_read;
	uint64_t found; /* events, wanted or not */
	bool refused; /* by the receiver of the events, and the error is the receiver's */
	struct ti_trace *ti; /* NULL: it is none of SimGrid's */
	struct text_values carried;
	struct intern *shapes;
	struct message_shape *shape;
	size_t shape_capacity;
};

/* An event of this shape that has no id yet. */
static struct message_shape *shape_of(struct text_reading *r, const struct event *message, const struct tag *tag)
{
	struct event e = *message;
	struct tag unnumbered = *tag;
	e.peer = 0;
	unnumbered.number = 0;
	uint64_t key[4] = {(uint64_t)e.kind << 32 | e.process, tag->stem, tag->numbered, (uint64_t)tag->communicator};
	uint32_t known = intern_count(r->shapes), id = intern_id(r->shapes, key, sizeof key);
	if (id == known) {
		r->shape = mem_grow(r->shape, &r->shape_capacity, (size_t)id + 1, sizeof *r->shape);
		e.subject = dictionary_tag(r->trace->dictionary, &unnumbered);
		r->shape[id] = (struct message_shape){dictionary_event(r->trace->dictionary, &e), 0};
	}
	return &r->shape[id];
}

/* The id of a message; or its shape, if too many of that have ids. */
static void know_message(struct text_reading *r, struct event *e, const struct tag *tag, struct trace_event *event)
{
	struct dictionary *d = r->trace->dictionary;
	if (r->trace->distinct && tag->number < TAG_NUMBER_LIMIT) {
		e->subject = dictionary_find_tag(d, tag);
		event->event = e->subject == INTERN_NONE ? INTERN_NONE : dictionary_find_event(d, e);
		if (event->event != INTERN_NONE)
			return;
		struct message_shape *shape = shape_of(r, e, tag);
		if (shape->distinct >= r->trace->distinct) {
			event->shape = true;
			event->event = shape->event;
			event->peer = e->peer;
			event->number = tag->number;
			return;
		}
		shape->distinct++;
	}
	e->subject = dictionary_tag(d, tag);
	event->event = dictionary_event(d, e);
}

static bool hand_over(
	struct text_reading *r, const struct event *e, const struct trace_event *event, struct error *error)
{
	struct text_trace *t = r->trace;
	uint32_t rank =
		kind_gathers(e->kind) ? dictionary_get_ranks(t->dictionary, e->process).run[0].first : e->process;
	uint32_t processes = processes_of(t->dictionary, e);
	if (processes > r->facts->processes)
		r->facts->processes = processes;
	r->found++;
	if (!ranks_has(&t->seen, rank))
		ranks_add(&t->seen, rank);
	if (r->wanted && !ranks_has(r->wanted, rank))
		return true;
	r->facts->events++;
	r->facts->collectives_recorded |= kind_gathers(e->kind);
	r->refused = !r->sink->event(r->sink->context, rank, event, error);
	return !r->refused;
}

static bool read_line(struct text_reading *r, char *line, struct error *error)
{
	struct trace_event event = {0};
	struct event e;
	struct tag tag;
	cut_comment(line);
	event.attributes = cut_attributes(line);
	if (!event.attributes && !line[strspn(line, " \t")])
		return true;
	if (!event_scan(r->trace->dictionary, line, false, &e, &tag, error))
		return false;
	if (kind_has_tag(e.kind))
		know_message(r, &e, &tag, &event);
	else
		event.event = dictionary_event(r->trace->dictionary, &e);
	return (!event.attributes || read_attributes(&r->carried, &event, error)) && hand_over(r, &e, &event, error);
}

/* The same of a trace of SimGrid's. */
static bool take_action(
	void *context, struct event *e, const struct tag *tag, struct trace_event *event, struct error *error)
{
	struct text_reading *r = context;
	if (kind_is_message(e->kind))
		know_message(r, e, tag, event);
	else
		event->event = dictionary_event(r->trace->dictionary, e);
	event->site = r->carried.sites && event->site ? kept_site(r->carried.sites, event->site) : NULL;
	return hand_over(r, e, event, error);
}

static void tell_share(const struct text_reading *r)
{
	if (r->bytes)
		progress_tell(
			r->sink->progress, r->bytes_read < r->bytes ? (double)r->bytes_read / (double)r->bytes : 1);
}

static bool read_lines(struct text_reading *r, struct lines *lines, struct error *error)
{
	char *line;
	*error = (struct error){0};
	const struct ti_sink actions = {r, take_action};
	while ((line = lines_next(lines, error))) {
		r->bytes_read += strlen(line) + 1;
		if (!(r->ti ? ti_trace_line(r->ti, line, &actions, error) : read_line(r, line, error)))
			return r->refused ? false
					  : error_at(error, "%s:%llu", lines_name(lines),
						    (unsigned long long)lines_number(lines));
		if (!(++r->facts->records & 0xffff))
			tell_share(r);
	}
	return error->kind == ERROR_NONE;
}

static bool read_source(struct text_reading *r, const struct text_source *source, struct error *error)
{
	struct lines *lines = lines_open(source->path, TEXT_TRACE, error);
	bool good = lines && read_lines(r, lines, error);
	lines_close(lines);
	return good;
}

/* Whose actions one file has. */
static bool count_processes(const struct text_source *source, uint32_t *processes, struct error *error)
{
	struct lines *lines = lines_open(source->path, TEXT_TRACE, error);
	struct ranks seen = {0};
	uint32_t rank;
	*error = (struct error){0};
	for (char *line; lines && (line = lines_next(lines, error));)
		if (ti_trace_rank(line, &rank) && !ranks_has(&seen, rank))
			ranks_add(&seen, rank);
	lines_close(lines);
	*processes = seen.length ? seen.run[0].last + 1 : 0;
	bool whole = seen.length == 1 && !seen.run[0].first;
	ranks_clear(&seen);
	if (error->kind == ERROR_NONE && !whole)
		error_set(error, ERROR_INPUT,
			"%s: holds actions of some processes: name the file that lists those of all, or their directory",
			source->path);
	return error->kind == ERROR_NONE;
}

/* SimGrid has a file for each process, or one of all. */
static bool begin_ti(struct text_reading *r, struct error *error)
{
	const struct text_trace *t = r->trace;
	uint32_t processes = t->sources < RANK_LIMIT ? (uint32_t)t->sources : RANK_LIMIT;
	size_t tis = 0;
	for (size_t i = 0; i < t->sources; i++)
		tis += t->source[i].ti;
	if (!tis)
		return true;
	for (size_t i = 0; i < t->sources; i++)
		if (tis < t->sources && !t->source[i].ti)
			return error_set(error, ERROR_INPUT,
				"%s: among time-independent traces of SimGrid, and none of these", t->source[i].path);
	if (tis == 1 && !count_processes(&t->source[0], &processes, error))
		return false;
	r->ti = ti_trace_new(t->dictionary, processes, t->attributes);
	return true;
}

bool text_trace_read(struct text_trace *t, const char *name, const struct ranks *wanted, const struct trace_sink *sink,
	struct trace_facts *facts, struct error *error)
{
	struct text_reading r = {.trace = t, .wanted = wanted, .sink = sink, .facts = facts};
	for (size_t i = 0; i < t->sources; i++)
		r.bytes += t->source[i].bytes;
	r.shapes = intern_new();
	r.carried.wanted = t->attributes;
	r.carried.sites = t->sites;
	bool good = begin_ti(&r, error);
	for (size_t i = 0; i < t->sources && good; i++)
		good = read_source(&r, &t->source[i], error);
	good = good && (!r.ti || ti_trace_end(r.ti, &(struct ti_sink){&r, take_action}, error));
	ti_trace_free(r.ti);
	intern_free(r.shapes);
	free(r.shape);
	for (size_t i = 0; i < ATTRIBUTES_MOST; i++)
		text_clear(&r.carried.word[i]);
	if (!good)
		return false;
	if (!r.found)
		return error_set(error, ERROR_INPUT, "%s: no events", strcmp(name, "-") ? name : "standard input");
	return true;
}
