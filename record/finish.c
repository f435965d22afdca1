/*
 * finish.c -- from what the processes left to an archive.
 *
 * The side files are read first, all of them: a process numbers its communicators and strings as
 * they come, and what these are to the others is known only from the keys of the former and the
 * words of the latter. Then events that were still in memory are added to the event files, the
 * definitions are written, and the event files moved in. What is missing of a process (it was
 * killed early, its disk was full) leaves gaps, which are told; the archive is one in any case.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/common_order.h"
#include "base/files.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "model/call_paths.h"
#include "model/sites.h"
#include "record/record.h"
#include "record/symbolize.h"
#include "trace/archive_names.h"
#include "trace/archive_writer.h"
#include "trace/cores.h"
#include "trace/event_writer.h"
#include "trace/pending.h"

#define SIDE_LIMIT ((size_t)1 << 30)
#define LOCAL_LIMIT (UINT32_C(1) << 24) /* ids that a process gives */

static const char *const region_names[] = {
#include "record/regions.inc"
};
#define REGIONS (sizeof region_names / sizeof *region_names)

/* Of all processes together. */
struct communicator {
	uint32_t id; /* in the archive */
	uint32_t *member; /* ranks; NULL: not told yet */
	uint32_t members;
	char *name;
	bool defined, is_window;
	uint32_t window; /* in the archive */
	bool between; /* two groups */
};

/* The function at a site is an operation, which commutes, or does not. */
enum string_kind { STRING_NONE, STRING_TEXT, STRING_SITE, STRING_MODULE, STRING_OPERATION, STRING_ORDERED };

/* What a process calls a string. */
struct local_string {
	enum string_kind kind;
	uint32_t index; /* of texts, sites */
};

#define NOTHING UINT32_MAX

/* What it calls a path: a call at a site. */
struct local_path {
	uint32_t outer; /* path; NOTHING */
	uint32_t site; /* string; NOTHING: frames were left out */
	uint64_t start; /* of the function, in its module; UINT64_MAX: not known */
};

struct process {
	uint64_t *moved; /* by region; NULL: no call moved data which are no event */
	bool told, ended;
	uint64_t records; /* as it says itself */
	bool failed; /* it said why */
	char *host, *boot, *cores;
	uint64_t cpu;
	uint64_t start, realtime, last;
	uint64_t calls;
	double overhead; /* ns per call */
	struct archive_clock_offset clock[2];
	size_t clocks;
	uint32_t *communicator; /* indices */
	bool *communicator_used; /* does a record name it? */
	size_t communicators, communicator_capacity, used_capacity;
	struct local_string *string;
	size_t strings, string_capacity;
	struct local_path *path;
	size_t paths, path_capacity;
	struct event_file_facts events;
	struct text pending; /* entries, as the process left them */
};

struct recording {
	const char *own, *directory; /* of what processes left, of the archive */
	const struct record_options *options;
	struct record_facts *facts;
	struct error *error;
	struct process *process;
	uint32_t processes;
	struct text cores, cpu; /* properties of the archive */
	uint64_t chunk;
	struct intern *keys, *texts, *sites, *modules; /* a site is "OFFSET PATH", a module "BUILD PATH" */
	struct communicator *communicator;
	size_t communicator_capacity;
	char **site_name;
	bool region_used[REGIONS];
	uint32_t region[REGIONS]; /* in the archive */
	struct archive_writer *archive;
};

/* OWN/RANK, and a file in it. */
static char *path_of(const struct recording *r, uint32_t rank, const char *file)
{
	struct text path = {0};
	text_format(&path, "%s/%u%s", r->own, rank, file);
	return path.data;
}

/* The event file of a process where the archive has it. */
static char *final_path(const struct recording *r, uint32_t rank)
{
	struct text path = {0};
	text_format(&path, "%s/traces/%u.evt", r->directory, rank);
	return path.data;
}

static char *own_path(const struct recording *r, uint32_t rank)
{
	struct text path = {0};
	text_format(&path, "%s/%u/traces/%u.evt", r->own, rank, rank);
	return path.data;
}

static void note(struct recording *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct recording *r, const char *format, ...)
{
	char line[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	r->facts->partial = true;
	text_put(&r->facts->notes, line);
	text_char(&r->facts->notes, '\n');
}

/* ------------------------------------------------------------------ lines of side files */

/* In place: what the recorder made of newlines and backslashes. */
static char *plain(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++, to++) {
		*to = *from;
		if (from[0] == '\\' && from[1])
			*to = *++from == 'n' ? '\n' : *from;
	}
	*to = 0;
	return text;
}

static const char *next_word(char **rest)
{
	const char *word = strsep(rest, " ");
	return word ? word : "";
}

static uint64_t next_number(char **rest)
{
	return strtoull(next_word(rest), NULL, 10);
}

/* "0-3,8,7": NULL for "-". */
static uint32_t *members_of(const char *text, uint32_t limit, uint32_t *count)
{
	uint32_t *member = NULL;
	size_t capacity = 0;
	*count = 0;
	while (*text >= '0' && *text <= '9') {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long rank = first; rank <= last && rank < limit; rank++) {
			member = mem_grow(member, &capacity, *count + 1, sizeof *member);
			member[(*count)++] = (uint32_t)rank;
		}
		text = *end == ',' ? end + 1 : end;
	}
	return member;
}

/* Of a number that the process has given to a communicator of which nothing is told. */
#define UNTOLD UINT32_MAX

static void map_communicator(struct process *p, uint32_t id, uint32_t index)
{
	while (p->communicators <= id) {
		p->communicator = mem_grow(
			p->communicator, &p->communicator_capacity, p->communicators + 1, sizeof *p->communicator);
		p->communicator_used =
			mem_grow(p->communicator_used, &p->used_capacity, p->communicators + 1, sizeof(bool));
		p->communicator_used[p->communicators] = false;
		p->communicator[p->communicators++] = UNTOLD;
	}
	p->communicator[id] = index;
}

static void read_communicator(struct recording *r, struct process *p, char *rest)
{
	uint64_t id = next_number(&rest);
	const char *key = next_word(&rest);
	bool first = next_number(&rest) == 0;
	uint32_t known = intern_count(r->keys), index = intern_id(r->keys, key, strlen(key)), count;
	if (id >= LOCAL_LIMIT)
		return;
	r->communicator = mem_grow(r->communicator, &r->communicator_capacity, index + 1, sizeof *r->communicator);
	if (index == known)
		r->communicator[index] = (struct communicator){0};
	map_communicator(p, (uint32_t)id, index);
	uint32_t *member = members_of(next_word(&rest), r->processes, &count);
	if (first && !r->communicator[index].member) {
		r->communicator[index].member = member;
		r->communicator[index].members = count;
	} else
		free(member);
}

static void read_window(struct recording *r, struct process *p, char *rest)
{
	uint64_t id = next_number(&rest);
	if (id < p->communicators && p->communicator[id] != UNTOLD)
		r->communicator[p->communicator[id]].is_window = true;
}

static void read_used(struct process *p, char *rest)
{
	uint64_t id = next_number(&rest);
	if (id < p->communicators)
		p->communicator_used[id] = true;
}

static void read_between(struct recording *r, struct process *p, char *rest)
{
	uint64_t id = next_number(&rest);
	if (id < p->communicators && p->communicator[id] != UNTOLD)
		r->communicator[p->communicator[id]].between = true;
}

static struct local_string *string_of(struct process *p, uint32_t id)
{
	while (p->strings <= id) {
		*MEM_PUSH(p->string, p->strings, p->string_capacity) = (struct local_string){0};
	}
	return &p->string[id];
}

#define ORDERED "ordered "

static void read_string(struct recording *r, struct process *p, char *rest, enum string_kind kind)
{
	uint64_t id = next_number(&rest);
	if (!rest || id >= LOCAL_LIMIT)
		return;
	struct local_string *s = string_of(p, (uint32_t)id);
	s->kind = kind;
	plain(rest);
	if (kind == STRING_OPERATION && !strncmp(rest, ORDERED, strlen(ORDERED))) {
		s->kind = STRING_ORDERED;
		rest += strlen(ORDERED);
	}
	s->index = intern_id(kind == STRING_TEXT     ? r->texts
			     : kind == STRING_MODULE ? r->modules
						     : r->sites,
		rest, strlen(rest));
}

/* "-": otherwise. */
static uint64_t next_number_or(char **rest, int base, uint64_t otherwise)
{
	const char *word = next_word(rest);
	return *word && *word != '-' ? strtoull(word, NULL, base) : otherwise;
}

/* Paths come in the order of their numbers, callers before those whom they call. */
static void read_path(struct process *p, char *rest)
{
	uint64_t id = next_number(&rest), outer = next_number_or(&rest, 10, NOTHING),
		 site = next_number_or(&rest, 10, NOTHING);
	if (id != p->paths || id >= LOCAL_LIMIT || (outer >= id && outer != NOTHING) ||
		(site != NOTHING && (site >= p->strings || p->string[site].kind != STRING_SITE)))
		return;
	*MEM_PUSH(p->path, p->paths, p->path_capacity) =
		(struct local_path){(uint32_t)outer, (uint32_t)site, next_number_or(&rest, 16, UINT64_MAX)};
}

static void read_name(struct recording *r, struct process *p, char *rest)
{
	uint64_t id = next_number(&rest);
	if (!rest || id >= p->communicators || p->communicator[id] == UNTOLD)
		return;
	struct communicator *k = &r->communicator[p->communicator[id]];
	free(k->name); /* the last name is the one that stays */
	k->name = mem_text(plain(rest));
}

static void read_clock(struct process *p, char *rest)
{
	uint64_t time = next_number(&rest);
	int64_t offset = strtoll(next_word(&rest), NULL, 10);
	if (p->clocks == 2)
		p->clocks = 1; /* cannot be, but in a file that somebody wrote */
	p->clock[p->clocks++] = (struct archive_clock_offset){time, offset, (double)next_number(&rest)};
}

static void read_end(struct recording *r, struct process *p, char *rest)
{
	p->records = next_number(&rest);
	r->facts->sends += next_number(&rest);
	r->facts->receives += next_number(&rest);
	r->facts->collectives += next_number(&rest);
	p->last = next_number(&rest);
	p->calls = next_number(&rest);
	p->overhead = strtod(next_word(&rest), NULL);
	p->ended = true;
}

static void read_moved(struct process *p, char *rest)
{
	uint64_t region = next_number(&rest);
	if (region >= REGIONS)
		return;
	if (!p->moved)
		p->moved = mem_zero(REGIONS * sizeof *p->moved);
	p->moved[region] = next_number(&rest);
}

static void read_line(struct recording *r, struct process *p, uint32_t rank, char *line)
{
	char *rest = line;
	const char *word = next_word(&rest);
	if (!strcmp(word, "host")) {
		p->boot = mem_text(next_word(&rest));
		p->host = mem_text(rest ? rest : "");
	} else if (!strcmp(word, "cores"))
		p->cores = mem_text(rest ? rest : "");
	else if (!strcmp(word, "accesses"))
		r->facts->one_sided += next_number(&rest);
	else if (!strcmp(word, "cpu"))
		p->cpu = next_number(&rest);
	else if (!strcmp(word, "chunk"))
		r->chunk = next_number(&rest);
	else if (!strcmp(word, "start")) {
		p->start = next_number(&rest);
		p->realtime = next_number(&rest);
		p->told = true;
	} else if (!strcmp(word, "clock"))
		read_clock(p, rest);
	else if (!strcmp(word, "region")) {
		uint64_t region = next_number(&rest);
		if (region < REGIONS)
			r->region_used[region] = true;
	} else if (!strcmp(word, "moved"))
		read_moved(p, rest);
	else if (!strcmp(word, "thread"))
		r->facts->threads = true;
	else if (!strcmp(word, "string"))
		read_string(r, p, rest, STRING_TEXT);
	else if (!strcmp(word, "site"))
		read_string(r, p, rest, STRING_SITE);
	else if (!strcmp(word, "operation"))
		read_string(r, p, rest, STRING_OPERATION);
	else if (!strcmp(word, "module"))
		read_string(r, p, rest, STRING_MODULE);
	else if (!strcmp(word, "path"))
		read_path(p, rest);
	else if (!strcmp(word, "communicator"))
		read_communicator(r, p, rest);
	else if (!strcmp(word, "between"))
		read_between(r, p, rest);
	else if (!strcmp(word, "used"))
		read_used(p, rest);
	else if (!strcmp(word, "window"))
		read_window(r, p, rest);
	else if (!strcmp(word, "name"))
		read_name(r, p, rest);
	else if (!strcmp(word, "partial")) {
		p->failed = r->facts->partial = true;
		if (!(r->options && r->options->told))
			note(r, "rank %u: %s", rank, rest ? rest : "");
	} else if (!strcmp(word, "end"))
		read_end(r, p, rest);
}

/* A process that did not come as far as MPI_Init left none. */
static bool read_side(struct recording *r, uint32_t rank)
{
	struct text text = {0};
	struct process *p = &r->process[rank];
	char *path = path_of(r, rank, "/side");
	map_communicator(p, 0, 0);
	map_communicator(p, 1, 1);
	bool there = !access(path, F_OK) || errno != ENOENT;
	bool good = !there || file_read(path, SIDE_LIMIT, &text, r->error);
	if (good) {
		char *rest = text.data;
		for (char *end; rest && (end = strchr(rest, '\n'));
			rest = end + 1) { /* a line that was cut off is none */
			*end = 0;
			read_line(r, p, rank, rest);
		}
	}
	free(path);
	path = path_of(r, rank, "/pending");
	struct error ignored; /* it tells nothing that the archive could not do without */
	if (access(path, F_OK) || !file_read(path, SIDE_LIMIT, &p->pending, &ignored))
		text_clear(&p->pending);
	free(path);
	text_clear(&text);
	return good;
}

static bool read_sides(struct recording *r)
{
	for (uint32_t rank = 0; rank < r->processes; rank++)
		if (!read_side(r, rank))
			return false;
	return true;
}

static void sum_moved(struct recording *r)
{
	for (uint32_t rank = 0; rank < r->processes; rank++)
		for (size_t i = 0; r->process[rank].moved && i < REGIONS; i++)
			if (r->process[rank].moved[i])
				notes_omit(&r->facts->omitted, region_names[i], r->process[rank].moved[i]);
}

/* ------------------------------------------------------------------ what there is */

/* How many processes there were says each of them; 0: nobody. */
static uint32_t count_processes(const char *directory)
{
	DIR *all = opendir(directory);
	uint32_t processes = 0;
	for (struct dirent *entry; all && !processes && (entry = readdir(all));) {
		uint64_t rank;
		struct text path = {0}, text = {0};
		struct error ignored = {0};
		text_format(&path, "%s/%s/side", directory, entry->d_name);
		const char *line = NULL;
		if (text_is_number(entry->d_name, RANK_LIMIT, &rank) &&
			file_read(path.data, SIDE_LIMIT, &text, &ignored))
			line = text.data ? strstr(text.data, "\nprocess ") : NULL;
		if (line)
			processes = (uint32_t)strtoul(strchr(line + 9, ' ') ? strchr(line + 9, ' ') : "0", NULL, 10);
		text_clear(&path);
		text_clear(&text);
	}
	if (all)
		closedir(all);
	return processes < RANK_LIMIT ? processes : 0;
}

/* Those that every process has. */
static void make_world(struct recording *r)
{
	intern_id(r->keys, "world", 5);
	intern_id(r->keys, "self", 4);
	r->communicator = mem_grow(r->communicator, &r->communicator_capacity, 2, sizeof *r->communicator);
	r->communicator[0] = (struct communicator){.name = mem_text("MPI_COMM_WORLD"), .members = r->processes};
	r->communicator[0].member = mem_array(r->processes, sizeof(uint32_t));
	for (uint32_t i = 0; i < r->processes; i++)
		r->communicator[0].member[i] = i;
	r->communicator[1] = (struct communicator){.name = mem_text("MPI_COMM_SELF")};
}

/* ------------------------------------------------------------------ clocks */

/* The process of the same host whose clock was compared with rank 0's; NULL where none was. */
static const struct process *timekeeper_of(const struct recording *r, const struct process *p)
{
	for (uint32_t i = 0; p->boot && i < r->processes; i++)
		if (r->process[i].clocks && r->process[i].boot && !strcmp(r->process[i].boot, p->boot))
			return &r->process[i];
	return NULL;
}

static bool any_clock(const struct recording *r)
{
	for (uint32_t i = 0; i < r->processes; i++)
		if (r->process[i].clocks)
			return true;
	return false;
}

/* Where clocks were compared, each location has offsets: rank 0's are 0. */
static size_t clock_offsets(const struct recording *r, const struct process *p, struct archive_clock_offset *offset)
{
	static const struct archive_clock_offset none = {0, 0, 0};
	const struct process *keeper = timekeeper_of(r, p);
	if (!any_clock(r))
		return 0;
	offset[0] = none;
	offset[0].time = p->start;
	if (!keeper)
		return 1;
	memcpy(offset, keeper->clock, keeper->clocks * sizeof *offset);
	return keeper->clocks;
}

static uint64_t corrected(const struct recording *r, const struct process *p, uint64_t time)
{
	struct archive_clock_offset offset[2];
	return clock_offsets(r, p, offset) ? time + (uint64_t)offset[0].offset : time;
}

/* Drift moves times by less than that. */
#define CLOCK_MARGIN 1000000

static struct archive_clock clock_of(struct recording *r)
{
	struct archive_clock clock = {.resolution = 1000000000, .first = UINT64_MAX};
	for (uint32_t i = 0; i < r->processes; i++) {
		const struct process *p = &r->process[i];
		if (!p->told)
			continue;
		uint64_t first = corrected(r, p, p->start), last = corrected(r, p, p->last);
		if (first < clock.first) {
			clock.first = first;
			clock.realtime = p->realtime;
		}
		if (last > clock.last)
			clock.last = last;
		for (size_t k = 0; k < p->clocks; k++)
			if (p->clock[k].deviation > r->facts->residual)
				r->facts->residual = p->clock[k].deviation;
	}
	if (clock.first == UINT64_MAX)
		clock.first = 0;
	if (any_clock(r)) {
		clock.first -= clock.first < CLOCK_MARGIN ? clock.first : CLOCK_MARGIN;
		clock.last += CLOCK_MARGIN;
	}
	return clock;
}

/* ------------------------------------------------------------------ definitions */

static void define_processes(struct recording *r)
{
	struct intern *hosts = intern_new();
	uint32_t *node = NULL, machine = archive_writer_node(r->archive, "machine", "machine", ARCHIVE_NO_ID);
	size_t capacity = 0;
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		const struct process *p = &r->process[rank];
		const char *host = p->host ? p->host : "unknown";
		uint32_t known = intern_count(hosts), index = intern_id(hosts, host, strlen(host));
		node = mem_grow(node, &capacity, index + 1, sizeof *node);
		if (index == known)
			node[index] = archive_writer_node(r->archive, host, "node", machine);
		char name[32];
		snprintf(name, sizeof name, "MPI Rank %u", rank);
		archive_writer_process(r->archive, rank, node[index], name, p->events.records);
	}
	free(node);
	intern_free(hosts);
}

static void define_regions(struct recording *r)
{
	for (uint32_t i = 0; i < REGIONS; i++)
		r->region[i] = r->region_used[i] ? archive_writer_region(r->archive, region_names[i],
							   archive_role_of(region_names[i]))
						 : ARCHIVE_NO_ID;
}

static void define_omissions(struct recording *r)
{
	struct text list = {0};
	notes_print_omissions(&r->facts->omitted, &list);
	if (list.length)
		archive_writer_property(r->archive, ARCHIVE_OMITTED, list.data);
	text_clear(&list);
}

/* Under the names that frames have. */
static void define_modules(struct recording *r)
{
	struct text list = {0};
	for (uint32_t i = 0; i < intern_count(r->modules); i++) {
		const char *module = intern_data(r->modules, i, NULL), *path = strchr(module, ' ');
		const char *slash = strrchr(module, '/');
		if (path)
			text_format(&list, "%.*s %s\n", (int)(path - module), module, slash ? slash + 1 : path + 1);
	}
	if (list.length)
		archive_writer_property(r->archive, ARCHIVE_MODULES, list.data);
	text_clear(&list);
}

static void define_communicator(struct recording *r, uint32_t index)
{
	struct communicator *k = &r->communicator[index];
	if (k->defined)
		return;
	k->defined = true;
	if (index == 1)
		k->id = archive_writer_self(r->archive);
	else if (!k->member) {
		note(r, "the members of a communicator are not known: the process that was to tell them is missing");
		k->id = archive_writer_communicator(
			r->archive, k->name, archive_writer_group(r->archive, NULL, 0), ARCHIVE_NO_ID);
	} else {
		uint32_t group = archive_writer_group(r->archive, k->member, k->members);
		k->id = archive_writer_communicator(
			r->archive, k->name, group, index ? r->communicator[0].id : ARCHIVE_NO_ID);
	}
	if (k->is_window)
		k->window = archive_writer_window(r->archive, k->id);
}

/*
 * First those that records name, so that a program that makes nothing but these has the same
 * numbers: lib/collect.c gives these, too.
 */
static void define_communicators(struct recording *r)
{
	size_t all = 0, end;
	size_t *from = mem_array(r->processes, sizeof *from), *length = mem_array(r->processes, sizeof *length);
	for (uint32_t rank = 0; rank < r->processes; rank++)
		all += r->process[rank].communicators;
	uint32_t known = intern_count(r->keys);
	uint32_t *item = mem_array(all, sizeof *item), *order = mem_array(known, sizeof *order);
	define_communicator(r, 0);
	define_communicator(r, 1);
	for (int used = 1; used >= 0; used--) {
		end = 0;
		for (uint32_t rank = 0; rank < r->processes; rank++) {
			const struct process *p = &r->process[rank];
			from[rank] = end;
			for (size_t id = 0; id < p->communicators; id++)
				if (p->communicator[id] != UNTOLD && p->communicator_used[id] == used)
					item[end++] = p->communicator[id];
			length[rank] = end - from[rank];
		}
		size_t ordered = common_order(r->processes, from, length, item, known, order);
		for (size_t i = 0; i < ordered; i++)
			define_communicator(r, order[i]);
	}
	free(item);
	free(order);
	free(from);
	free(length);
}

/* OTF2's own definition of them is more than some readers know. */
static void define_between(struct recording *r)
{
	struct text list = {0};
	for (uint32_t i = 0; i < intern_count(r->keys); i++)
		if (r->communicator[i].between && r->communicator[i].defined)
			text_format(&list, list.length ? " %u" : "%u", r->communicator[i].id);
	if (list.length)
		archive_writer_property(r->archive, ARCHIVE_BETWEEN, list.data);
	text_clear(&list);
}

/* ------------------------------------------------------------------ strings and sites */

static void name_sites(struct recording *r)
{
	uint32_t count = intern_count(r->sites);
	const char **site = mem_array(count, sizeof *site);
	r->site_name = mem_zero((count + (size_t)1) * sizeof *r->site_name);
	for (uint32_t i = 0; i < count; i++)
		site[i] = intern_data(r->sites, i, NULL);
	sites_name_paths(NULL, site, count, r->site_name);
	free(site);
}

/* A call of one function, or, where others were inlined in it, several: as sites have it. */
static uint32_t define_call(struct recording *r, uint32_t caller, char *words)
{
	char *inner = strstr(words, CALL_PATH_OUTSIDE);
	if (inner) {
		*inner = 0;
		caller = define_call(r, caller, inner + strlen(CALL_PATH_OUTSIDE));
	}
	struct site site = site_parts(words);
	char *function = mem_text(site.function), *file = site.function == words ? NULL : words;
	if (file)
		file[site.length] = 0;
	uint32_t id = archive_writer_path(r->archive, caller, function, file, (uint32_t)site.line);
	free(function);
	return id;
}

/* Where nothing is known of its module any more, the function is where the process said. */
static uint32_t define_path(
	struct recording *r, const struct process *p, const struct local_path *path, uint32_t caller)
{
	struct text words = {0};
	const char *site = path->site == NOTHING ? "..." : r->site_name[p->string[path->site].index];
	text_put(&words, site);
	struct site parts = site_parts(site);
	size_t module = path->start == UINT64_MAX || *parts.function ? 0 : parts.length;
	while (module && site[module] != '+')
		module--;
	if (module)
		text_format(&words, " %.*s+0x%llx", (int)module, site, (unsigned long long)path->start);
	uint32_t id = define_call(r, caller, words.data);
	text_clear(&words);
	return id;
}

static uint32_t *global_paths(struct recording *r, const struct process *p)
{
	uint32_t *global = mem_array(p->paths, sizeof *global);
	for (size_t i = 0; i < p->paths; i++) {
		const struct local_path *path = &p->path[i];
		global[i] = define_path(r, p, path, path->outer == NOTHING ? ARCHIVE_NO_ID : global[path->outer]);
	}
	return global;
}

static const char *string_text(const struct recording *r, const struct local_string *s, struct text *own)
{
	switch (s->kind) {
	case STRING_TEXT:
		return intern_data(r->texts, s->index, NULL);
	case STRING_SITE:
		return r->site_name[s->index];
	case STRING_OPERATION:
	case STRING_ORDERED:
		text_truncate(own, 0);
		text_put(own, site_parts(r->site_name[s->index]).function);
		text_put(own, s->kind == STRING_ORDERED ? ",ordered" : "");
		return own->data;
	case STRING_NONE:
	case STRING_MODULE:
		break;
	}
	return "";
}

static uint32_t *global_strings(struct recording *r, const struct process *p)
{
	uint32_t *global = mem_array(p->strings, sizeof *global);
	struct text own = {0};
	for (size_t i = 0; i < p->strings; i++)
		global[i] = archive_writer_string(r->archive, string_text(r, &p->string[i], &own));
	text_clear(&own);
	return global;
}

static void define_location(struct recording *r, uint32_t rank)
{
	const struct process *p = &r->process[rank];
	struct archive_clock_offset offset[2];
	uint32_t *strings = global_strings(r, p), *paths = global_paths(r, p),
		 *communicators = mem_array(p->communicators, sizeof *communicators);
	uint32_t *windows = mem_array(p->communicators, sizeof *windows);
	bool any = false;
	for (size_t i = 0; i < p->communicators; i++) {
		const struct communicator *k = &r->communicator[p->communicator[i] == UNTOLD ? 0 : p->communicator[i]];
		communicators[i] = k->id;
		windows[i] = k->is_window ? k->window : ARCHIVE_NO_ID;
		any = any || k->is_window;
	}
	struct archive_local local = {.location = rank,
		.string = strings,
		.strings = (uint32_t)p->strings,
		.path = paths,
		.paths = (uint32_t)p->paths,
		.region = r->region,
		.regions = REGIONS,
		.communicator = communicators,
		.window = any ? windows : NULL,
		.communicators = (uint32_t)p->communicators,
		.offset = offset,
		.offsets = clock_offsets(r, p, offset)};
	archive_writer_local(r->archive, &local);
	free(strings);
	free(paths);
	free(communicators);
	free(windows);
}

/* ------------------------------------------------------------------ what is pending */

/* In the archive's numbers; sites and calls are as they were. */
static bool translate(const struct recording *r, uint32_t rank, struct pending *p)
{
	const struct process *of = &r->process[rank];
	bool known = p->kind < PENDING_KINDS && p->where < PENDING_WHERES && p->communicator < of->communicators &&
		     of->communicator[p->communicator] != UNTOLD;
	if (!known || p->kind == PENDING_NOTHING)
		return false;
	const struct communicator *k = &r->communicator[of->communicator[p->communicator]];
	p->communicator = k->id;
	if (p->peer < k->members && k->member)
		p->peer = k->member[p->peer];
	else if (p->peer < PENDING_NONE)
		p->peer = k->member ? PENDING_NONE : rank; /* of the communicator of itself */
	return (p->kind != PENDING_SEND && p->kind != PENDING_RECEIVE) || p->peer != PENDING_NONE;
}

static bool is_wanted(const struct process *of, const struct pending *p, const bool *met)
{
	if (p->kind == PENDING_TURNS)
		return met[p->communicator];
	return !of->ended || p->where == PENDING_POSTED;
}

static void print_pending(
	const struct recording *r, uint32_t rank, const struct intern *all, const uint64_t *times, struct text *list)
{
	const struct process *of = &r->process[rank];
	for (uint32_t i = 0; i < intern_count(all); i++) {
		struct pending_line line = {
			.rank = rank, .pending = *(const struct pending *)intern_data(all, i, NULL)};
		struct pending *p = &line.pending;
		bool sited =
			p->kind != PENDING_TURNS && p->site < of->strings && of->string[p->site].kind == STRING_SITE;
		line.site = sited ? r->site_name[of->string[p->site].index] : NULL;
		line.call = p->kind != PENDING_TURNS && p->call < REGIONS ? mem_text(region_names[p->call]) : NULL;
		p->times = times[i];
		pending_print(&line, list);
		free(line.call);
	}
}

static struct pending entry_of(const struct process *of, size_t i)
{
	struct pending p;
	memcpy(&p, of->pending.data + i * sizeof p, sizeof p);
	p.times = 0;
	return p;
}

/* Those of a run that did not end stand in a call; of any, requests that were never completed are left. */
static void define_pending(struct recording *r)
{
	struct text list = {0};
	bool *met = mem_zero(intern_count(r->keys) + (size_t)1);
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		const struct process *of = &r->process[rank];
		for (size_t i = 0; i < of->pending.length / sizeof(struct pending); i++) {
			struct pending p = entry_of(of, i);
			if (p.kind == PENDING_COLLECTIVE && translate(r, rank, &p))
				met[p.communicator] |= !of->ended || p.where == PENDING_POSTED;
		}
	}
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		const struct process *of = &r->process[rank];
		struct intern *all = intern_new();
		uint64_t *times = NULL;
		size_t capacity = 0;
		for (size_t i = 0; i < of->pending.length / sizeof(struct pending); i++) {
			struct pending p = entry_of(of, i);
			if (translate(r, rank, &p) && is_wanted(of, &p, met))
				++*MEM_AT(times, capacity, intern_id(all, &p, sizeof p));
		}
		print_pending(r, rank, all, times, &list);
		intern_free(all);
		free(times);
	}
	if (list.length)
		archive_writer_property(r->archive, ARCHIVE_PENDING, list.data);
	free(met);
	text_clear(&list);
}

/* ------------------------------------------------------------------ events */

/* Its own event file, if it has one. */
/* What the machine denies is no fault of the process: then the archive is to be made another
   time. */
static bool complete_process(struct recording *r, uint32_t rank)
{
	struct process *p = &r->process[rank];
	struct error error = {0};
	char *events = own_path(r, rank), *memory = path_of(r, rank, "/memory");
	if (p->told && !event_file_complete(events, memory, r->chunk, &p->events, &error)) {
		note(r, "rank %u: its events are not there", rank);
		p->failed = true;
		p->told = false;
	}
	if (p->last < p->events.last)
		p->last = p->events.last;
	free(events);
	free(memory);
	if (error.kind == ERROR_INTERNAL)
		*r->error = error;
	return error.kind != ERROR_INTERNAL;
}

static bool complete_events(struct recording *r)
{
	struct text killed = {0};
	struct ranks early = {0};
	bool good = true;
	for (uint32_t rank = 0; good && rank < r->processes; rank++) {
		const struct process *p = &r->process[rank];
		good = complete_process(r, rank);
		if (!p->ended && !p->failed)
			ranks_add(&early, rank);
		r->facts->ranks += p->told;
		r->facts->records += p->events.records;
		r->facts->bytes += p->events.bytes;
	}
	if (early.length) {
		ranks_print(&early, &killed);
		note(r, "rank%s %s ended before MPI_Finalize: what was recorded until then is there",
			ranks_count(&early) > 1 ? "s" : "", killed.data);
	}
	text_clear(&killed);
	ranks_clear(&early);
	return good;
}

/* Where no events were written: each process says at MPI_Finalize how many there were. False if one
   did not. */
static bool count_records(struct recording *r)
{
	struct text lost = {0};
	struct ranks early = {0};
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		const struct process *p = &r->process[rank];
		r->facts->ranks += p->told;
		r->facts->records += p->records;
		if (!p->ended && !p->failed)
			ranks_add(&early, rank);
	}
	if (early.length) {
		ranks_print(&early, &lost);
		note(r, "rank%s %s ended before MPI_Finalize: what was recorded until then is lost (an archive keeps it)",
			ranks_count(&early) > 1 ? "s" : "", lost.data);
	}
	bool whole = !early.length;
	text_clear(&lost);
	ranks_clear(&early);
	return whole;
}

static bool move_events(struct recording *r)
{
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		struct event_file_facts facts;
		char *from = own_path(r, rank), *to = final_path(r, rank);
		bool good = r->process[rank].told ? !rename(from, to)
						  : event_file_complete(to, NULL, r->chunk, &facts, r->error);
		if (!good && r->process[rank].told)
			error_set(r->error, ERROR_INPUT, "%s: %s", to, strerror(errno));
		free(from);
		free(to);
		if (!good)
			return false;
	}
	return true;
}

/* Whatever came of the archive when this was interrupted: each process gets its events back. */
static void begin_again(const struct recording *r)
{
	static const char *const files_of_archive[] = {
		"traces.otf2", "traces.def", "traces/*.def", "traces/*.evt", "traces/", NULL};
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		char *own = own_path(r, rank), *final = final_path(r, rank);
		if (access(own, F_OK))
			rename(final, own);
		free(own);
		free(final);
	}
	files_remove(r->directory, files_of_archive);
}

/* When the archive is whole, a mark says so until all that it was made of is gone: what is left of
   that makes no archive. */
static const char *const files_of_processes[] = {"[0-9]*/side", "[0-9]*/memory", "[0-9]*/pending", "[0-9]*/traces/",
	"[0-9]*/", NULL},
			 *const files_of_finishing[] = {RECORD_FINISHED, NULL};

static bool mark_finished(const struct recording *r)
{
	struct text path = {0};
	text_format(&path, "%s/" RECORD_FINISHED, r->own);
	int file = open(path.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	bool good = file >= 0 || error_set(r->error, ERROR_INPUT, "%s: %s", path.data, strerror(errno));
	if (file >= 0)
		close(file);
	text_clear(&path);
	return good;
}

/* There is a file of this name. */
static bool is_marked(const char *own, const char *mark)
{
	struct text path = {0};
	text_format(&path, "%s/%s", own, mark);
	bool is = !access(path.data, F_OK);
	text_clear(&path);
	return is;
}

static void remove_own(const char *own)
{
	files_remove(own, files_of_processes);
	if (!count_processes(own))
		files_remove(own, files_of_finishing);
}

/* ------------------------------------------------------------------ all of it */

bool record_nothing(const char *directory, struct error *error)
{
	return error_set(error, ERROR_INPUT,
		"%s: nothing was recorded: no process called MPI_Init with the recorder of its MPI loaded (which programs do not load that are linked statically or setuid; those that use sessions alone do not call it)",
		directory);
}

static void measure_overhead(struct recording *r)
{
	double time = 0, calls = 0;
	for (uint32_t i = 0; i < r->processes; i++) {
		time += (double)r->process[i].calls * r->process[i].overhead;
		calls += (double)r->process[i].calls;
	}
	r->facts->overhead = calls > 0 ? time / calls : 0;
}

/* Who may run where, and what each used, in the words of the archive's properties. */
static void gather_cores(struct recording *r)
{
	struct intern *sets = intern_new();
	struct ranks *who = mem_zero((r->processes + (size_t)1) * sizeof *who);
	struct cores cores;
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		const struct process *p = &r->process[rank];
		struct text set = {0};
		text_format(&r->cpu, rank ? " %llu" : "%llu", (unsigned long long)p->cpu);
		if (!p->cores || !p->host)
			continue;
		text_format(&set, "%s %s", p->cores, p->host);
		ranks_add(&who[intern_id(sets, set.data, set.length + 1)], rank);
		text_clear(&set);
	}
	for (uint32_t i = 0; i < intern_count(sets); i++) {
		ranks_print(&who[i], &r->cores);
		text_format(&r->cores, " %s\n", (const char *)intern_data(sets, i, NULL));
		ranks_clear(&who[i]);
	}
	cores_read(&cores, r->cores.data, NULL, r->processes);
	r->facts->sharing = (uint32_t)ranks_count(&cores.shared);
	cores_clear(&cores);
	intern_free(sets);
	free(who);
}

static bool write_archive(struct recording *r)
{
	r->archive = archive_writer_open(r->directory, r->chunk, r->error);
	if (!r->archive)
		return false;
	name_sites(r);
	define_omissions(r);
	if (r->facts->threads)
		archive_writer_property(r->archive, ARCHIVE_THREADS, "numbered");
	define_modules(r);
	archive_writer_property(r->archive, ARCHIVE_CORES, r->cores.data ? r->cores.data : "");
	archive_writer_property(r->archive, ARCHIVE_CPU, r->cpu.data ? r->cpu.data : "");
	define_processes(r);
	define_regions(r);
	define_communicators(r);
	define_between(r);
	define_pending(r);
	for (uint32_t rank = 0; rank < r->processes; rank++)
		define_location(r, rank);
	if (!move_events(r)) {
		archive_writer_abandon(r->archive);
		return false;
	}
	struct archive_clock clock = clock_of(r);
	return archive_writer_close(r->archive, &clock, r->error);
}

/* Of runs that did not end the archive has the last call of each process: where it stands. */
static bool write_stands(struct recording *r)
{
	bool good = true;
	begin_again(r);
	for (uint32_t rank = 0; good && rank < r->processes; rank++) {
		char *own = path_of(r, rank, ""), *memory = path_of(r, rank, "/memory");
		struct event_writer_options options = {.directory = own, .location = rank, .buffer = r->chunk};
		good = !r->process[rank].told ||
		       (event_file_of_stand(memory, &options, r->error) && complete_process(r, rank));
		free(own);
		free(memory);
	}
	return good && write_archive(r);
}

static void clear(struct recording *r)
{
	text_clear(&r->cores);
	text_clear(&r->cpu);
	for (uint32_t i = 0; i < r->processes; i++) {
		struct process *p = &r->process[i];
		text_clear(&p->pending);
		free(p->string);
		free(p->path);
		free(p->moved);
		free(p->communicator);
		free(p->communicator_used);
		free(p->host);
		free(p->boot);
		free(p->cores);
	}
	for (uint32_t i = 0; i < intern_count(r->keys); i++) {
		free(r->communicator[i].member);
		free(r->communicator[i].name);
	}
	for (uint32_t i = 0; r->site_name && i < intern_count(r->sites); i++)
		free(r->site_name[i]);
	free(r->site_name);
	free(r->communicator);
	free(r->process);
	intern_free(r->keys);
	intern_free(r->texts);
	intern_free(r->sites);
	intern_free(r->modules);
}

bool record_finish(const char *own, const char *directory, const struct record_options *options,
	struct record_facts *facts, struct error *error)
{
	struct recording r = {.own = own, .directory = directory, .options = options, .facts = facts, .error = error};
	*facts = (struct record_facts){0};
	if (is_marked(own, RECORD_FINISHED)) {
		note(&r, "it was an archive already");
		remove_own(own);
		return true;
	}
	r.processes = facts->processes = count_processes(own);
	if (!r.processes)
		return record_nothing(directory, error);
	if (is_marked(own, RECORD_MIXED))
		return error_set(error, ERROR_INPUT,
			"%s: several jobs of %u processes ran at once, and their launcher does not tell which process is of which: record each with a command of its own",
			directory, r.processes);
	r.process = mem_zero(r.processes * sizeof *r.process);
	r.keys = intern_new();
	r.texts = intern_new();
	r.sites = intern_new();
	r.modules = intern_new();
	r.chunk = EVENT_CHUNK_USUAL;
	make_world(&r);
	bool written = !(options && options->no_archive);
	if (written)
		begin_again(&r);
	bool good = read_sides(&r);
	sum_moved(&r);
	gather_cores(&r);
	if (good && !written)
		good = count_records(&r) || write_stands(&r);
	else
		good = good && complete_events(&r) && write_archive(&r);
	if (good && !(options && options->keep))
		good = mark_finished(&r);
	if (good && !(options && options->keep))
		remove_own(own);
	measure_overhead(&r);
	clear(&r);
	return good;
}
