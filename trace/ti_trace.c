/*
 * ti_trace.c -- an action a line, as SimGrid's replay reads them: "RANK ACTION WORD...". Sizes
 * become what our recorder says of such a call: what the process gave, and what it got.
 */
#include "trace/ti_trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/attributes.h"

/* By number: SimGrid's own numbers of the types that actions name. */
static const struct datatype {
	const char *name;
	unsigned size;
} datatypes[] = {
	{"MPI_DOUBLE", 8},
	{"MPI_INT", 4},
	{"MPI_CHAR", 1},
	{"MPI_SHORT", 2},
	{"MPI_LONG", 8},
	{"MPI_FLOAT", 4},
	{"MPI_BYTE", 1},
	{"MPI_LONG_LONG", 8},
	{"MPI_SIGNED_CHAR", 1},
	{"MPI_UNSIGNED_CHAR", 1},
	{"MPI_UNSIGNED_SHORT", 2},
	{"MPI_UNSIGNED", 4},
	{"MPI_UNSIGNED_LONG", 8},
	{"MPI_UNSIGNED_LONG_LONG", 8},
	{"MPI_LONG_DOUBLE", 16},
	{"MPI_WCHAR", 4},
	{"MPI_C_BOOL", 1},
	{"MPI_INT8_T", 1},
	{"MPI_INT16_T", 2},
	{"MPI_INT32_T", 4},
	{"MPI_INT64_T", 8},
	{"MPI_UINT8_T", 1},
	{"MPI_UINT16_T", 2},
	{"MPI_UINT32_T", 4},
	{"MPI_UINT64_T", 8},
};
#define DATATYPES (sizeof datatypes / sizeof *datatypes)
enum { TYPE_DOUBLE = 0, TYPE_BYTE = 6 };

enum operation {
	BARRIER,
	BCAST,
	REDUCE,
	ALLREDUCE,
	SCAN,
	EXSCAN,
	GATHER,
	SCATTER,
	ALLGATHER,
	REDUCE_SCATTER,
	ALLTOALL,
};

/*
 * The words of a collective, a letter each: the elements of a vector (v); those that the process
 * gives (s) and gets (g), of or for each member where nobody lists them; a number for each member
 * of what is given (S) or got (G); computing (c) and buffers (b), which are nothing here. Behind
 * the bar they may be missing: the root (r, else 0), the type of what is given (t) and got (u); (w)
 * of both.
 */
static const struct collective {
	const char *action, *name, *words;
	enum operation operation;
} collectives[] = {
	{"barrier", "MPI_Barrier", "|", BARRIER},
	{"bcast", "MPI_Bcast", "v|rt", BCAST},
	{"reduce", "MPI_Reduce", "vc|rt", REDUCE},
	{"allreduce", "MPI_Allreduce", "vc|t", ALLREDUCE},
	{"scan", "MPI_Scan", "vc|t", SCAN},
	{"exscan", "MPI_Exscan", "vc|t", EXSCAN},
	{"gather", "MPI_Gather", "sg|rtu", GATHER},
	{"gatherv", "MPI_Gatherv", "sG|rtu", GATHER},
	{"scatter", "MPI_Scatter", "sg|rtu", SCATTER},
	{"scatterv", "MPI_Scatterv", "Sg|rtu", SCATTER},
	{"allgather", "MPI_Allgather", "sg|tu", ALLGATHER},
	{"allgatherv", "MPI_Allgatherv", "sG|w", ALLGATHER},
	{"reducescatter", "MPI_Reduce_scatter", "Gc|w", REDUCE_SCATTER},
	{"alltoall", "MPI_Alltoall", "sg|tu", ALLTOALL},
	{"alltoallv", "MPI_Alltoallv", "bSbG|tu", ALLTOALL},
};

/* A receive, or a collective, that is under way. */
struct posted {
	struct event event;
	struct tag tag; /* of a receive */
	struct trace_event carried;
	size_t type;
	char *list; /* bytes for each member; NULL */
};

struct process {
	struct posted *posted;
	size_t length, capacity;
	size_t type; /* of actions that name none */
	struct text site;
};

struct ti_trace {
	struct dictionary *dictionary;
	struct process *process;
	uint32_t processes;
	bool attributes;
	uint32_t stem, world;
	char **word; /* of the line at hand: those behind the action, and NULL */
	size_t words, capacity;
	uint64_t *given, *got; /* of each member, in elements */
};

struct ti_trace *ti_trace_new(struct dictionary *d, uint32_t processes, bool attributes)
{
	struct ti_trace *t = mem_zero(sizeof *t);
	struct ranks all = {0};
	all.run = &(struct ranks_run){0, processes - 1};
	all.length = 1;
	t->dictionary = d;
	t->processes = processes;
	t->attributes = attributes;
	t->process = mem_zero(processes * sizeof *t->process);
	t->stem = dictionary_word(d, "tag", strlen("tag"));
	t->world = dictionary_ranks(d, &all);
	t->given = mem_array(processes, sizeof *t->given);
	t->got = mem_array(processes, sizeof *t->got);
	for (uint32_t i = 0; i < processes; i++)
		t->process[i].type = TYPE_BYTE;
	return t;
}

void ti_trace_free(struct ti_trace *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->processes; i++) {
		for (size_t k = 0; k < t->process[i].length; k++)
			free(t->process[i].posted[k].list);
		free(t->process[i].posted);
		text_clear(&t->process[i].site);
	}
	free(t->process);
	free(t->word);
	free(t->given);
	free(t->got);
	free(t);
}

/* ------------------------------------------------------------------ words */

bool ti_trace_rank(const char *line, uint32_t *rank)
{
	uint64_t number;
	line += strspn(line, " \t");
	if (!text_read_number(&line, RANK_LIMIT - 1, &number) || !strchr(" \t", *line))
		return false;
	*rank = (uint32_t)number;
	return true;
}

bool ti_trace_begins(const char *line, uint32_t *rank)
{
	if (!ti_trace_rank(line, rank))
		return false;
	line += strspn(line, " \t");
	line += strspn(line, "0123456789");
	line += strspn(line, " \t");
	return !strncmp(line, "init", 4) && strchr(" \t\r\n", line[4]);
}

/* SimGrid writes counts as it has them, some as "1e+06". Below 0: not known. */
static bool read_count(const char *word, uint64_t *count, bool *known)
{
	char *end;
	double number;
	*known = true;
	if (text_is_number(word, UINT64_C(1) << 60, count))
		return true;
	number = isspace((unsigned char)*word) ? 0 : strtod(word, &end);
	if (!*word || *end || !(number < 0x1p60) || !(number > -0x1p60))
		return false;
	*known = number >= 0;
	*count = *known ? (uint64_t)number : 0;
	return true;
}

static bool refuse_wildcard(const char *word, struct error *error)
{
	return error_set(error, ERROR_INPUT,
		"'%.60s' stands for any process or tag, and a time-independent trace does not say which it was", word);
}

static bool refuse_short(struct error *error)
{
	return error_set(error, ERROR_INPUT, "words are missing, which SimGrid writes since 3.26");
}

static bool count_at(const struct ti_trace *t, size_t at, uint64_t *count, struct error *error)
{
	bool known;
	if (at >= t->words)
		return refuse_short(error);
	if (!read_count(t->word[at], count, &known) || !known)
		return error_set(error, ERROR_INPUT, "'%.60s' is no number of elements", t->word[at]);
	return true;
}

static bool rank_at(const struct ti_trace *t, size_t at, uint32_t *rank, struct error *error)
{
	uint64_t number;
	if (at >= t->words)
		return refuse_short(error);
	if (*t->word[at] == '-')
		return refuse_wildcard(t->word[at], error);
	if (!text_is_number(t->word[at], t->processes - 1, &number))
		return error_set(
			error, ERROR_INPUT, "'%.60s' is none of the %" PRIu32 " processes", t->word[at], t->processes);
	*rank = (uint32_t)number;
	return true;
}

static bool tag_at(const struct ti_trace *t, size_t at, uint64_t *tag, struct error *error)
{
	if (at < t->words && text_is_number(t->word[at], INT32_MAX, tag))
		return true;
	if (at < t->words && *t->word[at] == '-')
		return refuse_wildcard(t->word[at], error);
	return at < t->words ? error_set(error, ERROR_INPUT, "'%.60s' is no tag", t->word[at]) : refuse_short(error);
}

/* The type at this place, if anything is there. */
static bool type_at(const struct ti_trace *t, size_t at, size_t *type, struct error *error)
{
	uint64_t number;
	if (at >= t->words)
		return true;
	if (!text_is_number(t->word[at], DATATYPES - 1, &number))
		return error_set(error, ERROR_INPUT, "'%.60s' is the number of no datatype that is known", t->word[at]);
	*type = (size_t)number;
	return true;
}

/* ------------------------------------------------------------------ events */

static bool pass_on(
	struct ti_trace *t, uint32_t rank, struct posted *p, const struct ti_sink *sink, struct error *error)
{
	struct trace_attribute attribute[2];
	const struct text *site = &t->process[rank].site;
	p->carried.attribute = attribute;
	p->carried.site = site->length ? site->data : NULL;
	if (p->list)
		attribute[p->carried.attribute_count++] =
			(struct trace_attribute){"bytes[q]", strlen("bytes[q]"), p->list, 0};
	if (t->attributes && p->carried.sized)
		attribute[p->carried.attribute_count++] =
			(struct trace_attribute){"type", strlen("type"), datatypes[p->type].name, 0};
	bool good = sink->event(
		sink->context, &p->event, kind_is_message(p->event.kind) ? &p->tag : NULL, &p->carried, error);
	free(p->list);
	return good;
}

/* Now, or when it is waited for. Takes the list. */
static bool pass_or_post(
	struct ti_trace *t, uint32_t rank, struct posted *p, bool post, const struct ti_sink *sink, struct error *error)
{
	struct process *own = &t->process[rank];
	if (!post)
		return pass_on(t, rank, p, sink, error);
	*MEM_PUSH(own->posted, own->length, own->capacity) = *p;
	return true;
}

static struct posted message(
	const struct ti_trace *t, enum event_kind kind, uint32_t rank, uint32_t peer, uint64_t tag, size_t type)
{
	return (struct posted){.event = {.kind = kind, .process = rank, .peer = peer},
		.tag = {.stem = t->stem, .numbered = true, .number = tag, .communicator = NO_COMMUNICATOR},
		.type = type};
}

/* SimGrid calls processes so that are none: MPI_PROC_NULL, and any. */
static bool is_nobody(const struct ti_trace *t, size_t at)
{
	return at < t->words && *t->word[at] == '-';
}

static bool take_size(const struct ti_trace *t, size_t at, struct posted *p, struct error *error)
{
	if (at >= t->words || !read_count(t->word[at], &p->carried.bytes, &p->carried.sized))
		return error_set(error, ERROR_INPUT, "a message has a process, a tag and a size");
	return true;
}

/* "DST TAG COUNT [TYPE]" */
static bool take_message(
	struct ti_trace *t, uint32_t rank, const char *action, const struct ti_sink *sink, struct error *error)
{
	bool receives = strstr(action, "recv");
	struct posted p = message(t, receives ? EVENT_RECV : EVENT_SEND, rank, 0, 0, t->process[rank].type);
	if (!receives && is_nobody(t, 0))
		return true;
	if (!rank_at(t, 0, &p.event.peer, error) || !tag_at(t, 1, &p.tag.number, error) ||
		!take_size(t, 2, &p, error) || !type_at(t, 3, &p.type, error))
		return false;
	p.carried.sized = p.carried.sized && (!receives || p.carried.bytes); /* SimGrid asks what comes */
	p.carried.bytes *= datatypes[p.type].size;
	return pass_or_post(t, rank, &p, !strcmp(action, "irecv"), sink, error);
}

/* "COUNT DST COUNT SRC [TYPE TYPE]": the tags are not told. */
static bool take_exchange(struct ti_trace *t, uint32_t rank, const struct ti_sink *sink, struct error *error)
{
	bool good = true;
	for (size_t i = 0; good && i < 2; i++) {
		struct posted p = message(t, i ? EVENT_RECV : EVENT_SEND, rank, 0, 0, t->process[rank].type);
		good = take_size(t, 2 * i, &p, error);
		if (good && is_nobody(t, 2 * i + 1))
			continue;
		good = good && rank_at(t, 2 * i + 1, &p.event.peer, error) && type_at(t, 4 + i, &p.type, error);
		p.carried.bytes *= datatypes[p.type].size;
		good = good && pass_on(t, rank, &p, sink, error);
	}
	return good;
}

static bool complete(struct ti_trace *t, uint32_t rank, size_t at, const struct ti_sink *sink, struct error *error)
{
	struct process *own = &t->process[rank];
	struct posted p = own->posted[at];
	own->length--;
	memmove(own->posted + at, own->posted + at + 1, (own->length - at) * sizeof *own->posted);
	return pass_on(t, rank, &p, sink, error);
}

/* "SRC DST TAG": of a receive the first that is like it; sends are over. Where there is no such
   SRC or TAG it is of a collective: the first. */
static bool take_wait(struct ti_trace *t, uint32_t rank, const struct ti_sink *sink, struct error *error)
{
	struct process *own = &t->process[rank];
	bool collective = is_nobody(t, 0) || is_nobody(t, 2);
	uint32_t source = 0, destination = rank;
	uint64_t tag = 0;
	if (!collective &&
		(!rank_at(t, 0, &source, error) || !rank_at(t, 1, &destination, error) || !tag_at(t, 2, &tag, error)))
		return false;
	for (size_t i = 0; destination == rank && i < own->length; i++) {
		const struct posted *p = &own->posted[i];
		bool gathers = kind_gathers(p->event.kind);
		if (collective ? gathers : !gathers && p->event.peer == source && p->tag.number == tag)
			return complete(t, rank, i, sink, error);
	}
	return true;
}

static bool take_waitall(struct ti_trace *t, uint32_t rank, const struct ti_sink *sink, struct error *error)
{
	bool good = true;
	while (good && t->process[rank].length)
		good = complete(t, rank, 0, sink, error);
	return good;
}

/* ------------------------------------------------------------------ collectives */

struct amounts {
	uint64_t vector;
	uint32_t root;
	size_t given_type, got_type;
	bool rooted, listed; /* what is given */
};

static bool read_list(struct ti_trace *t, size_t *at, uint64_t *list, struct error *error)
{
	for (uint32_t i = 0; i < t->processes; i++)
		if (!count_at(t, (*at)++, &list[i], error))
			return false;
	return true;
}

/* One number stands for each member. */
static bool read_each(struct ti_trace *t, size_t *at, uint64_t *list, struct error *error)
{
	if (!count_at(t, (*at)++, &list[0], error))
		return false;
	for (uint32_t i = 1; i < t->processes; i++)
		list[i] = list[0];
	return true;
}

static bool read_word(struct ti_trace *t, char word, size_t *at, struct amounts *a, struct error *error)
{
	uint64_t nothing;
	switch (word) {
	case 'v':
		return count_at(t, (*at)++, &a->vector, error);
	case 's':
		return read_each(t, at, t->given, error);
	case 'g':
		return read_each(t, at, t->got, error);
	case 'S':
		a->listed = true;
		return read_list(t, at, t->given, error);
	case 'G':
		return read_list(t, at, t->got, error);
	case 'r':
		a->rooted = true;
		return *at >= t->words || rank_at(t, (*at)++, &a->root, error);
	case 't':
		return type_at(t, (*at)++, &a->given_type, error);
	case 'u':
		return type_at(t, (*at)++, &a->got_type, error);
	case 'w': {
		bool good = type_at(t, (*at)++, &a->given_type, error);
		a->got_type = a->given_type;
		return good;
	}
	default:
		return word == '|' || count_at(t, (*at)++, &nothing, error);
	}
}

static uint64_t sum(const struct ti_trace *t, const uint64_t *list)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < t->processes; i++)
		all += list[i];
	return all;
}

/* What our recorder says of such a call (record/mpi.def). */
static void put_sizes(const struct ti_trace *t, uint32_t rank, enum operation operation, const struct amounts *a,
	struct trace_event *e)
{
	bool at_root = a->rooted && rank == a->root;
	uint64_t vector = a->vector * datatypes[a->given_type].size;
	uint64_t gives = t->given[rank] * datatypes[a->given_type].size,
		 gets = t->got[rank] * datatypes[a->got_type].size;
	uint64_t all_given = sum(t, t->given) * datatypes[a->given_type].size;
	uint64_t all_got = sum(t, t->got) * datatypes[a->got_type].size;
	e->sized = e->exchanged = operation != BARRIER;
	switch (operation) {
	case BARRIER:
		break;
	case BCAST:
		e->bytes = at_root ? vector : 0;
		e->received = at_root ? 0 : vector;
		break;
	case REDUCE:
		e->bytes = vector;
		e->received = at_root ? vector : 0;
		break;
	case ALLREDUCE:
	case SCAN:
		e->bytes = e->received = vector;
		break;
	case EXSCAN:
		e->bytes = vector;
		e->received = rank ? vector : 0;
		break;
	case GATHER:
		e->bytes = gives;
		e->received = at_root ? all_got : 0;
		break;
	case SCATTER:
		e->bytes = at_root ? all_given : 0;
		e->received = gets;
		break;
	case ALLGATHER:
		e->bytes = gives;
		e->received = all_got;
		break;
	case REDUCE_SCATTER:
		e->bytes = all_got;
		e->received = gets;
		break;
	case ALLTOALL:
		e->bytes = all_given;
		e->received = all_got;
		break;
	}
}

static char *list_given(const struct ti_trace *t, const struct amounts *a)
{
	struct text list = {0};
	for (uint32_t i = 0, next; i < t->processes; i = next) {
		for (next = i + 1; next < t->processes && t->given[next] == t->given[i]; next++)
			;
		member_list_add(&list, (int64_t)(t->given[i] * datatypes[a->given_type].size), next - i);
	}
	return list.data;
}

/* Of MPI_Reduce_scatter_block SimGrid writes no sizes. */
static bool has_no_sizes(const struct ti_trace *t, const struct collective *c)
{
	return c->operation == REDUCE_SCATTER && t->words <= t->processes;
}

/* Posted ones are called so. */
static uint32_t name_of(const struct ti_trace *t, const struct collective *c, bool posted)
{
	struct text name = {0};
	text_format(&name, posted ? "MPI_I%c%s" : "MPI_%c%s", posted ? tolower((unsigned char)c->name[4]) : c->name[4],
		c->name + 5);
	uint32_t word = dictionary_word(t->dictionary, name.data, name.length);
	text_clear(&name);
	return word;
}

static bool take_collective(struct ti_trace *t, uint32_t rank, const struct collective *c, bool posted,
	const struct ti_sink *sink, struct error *error)
{
	struct amounts a = {.given_type = t->process[rank].type, .got_type = t->process[rank].type};
	bool unsized = has_no_sizes(t, c);
	size_t at = 0;
	memset(t->given, 0, t->processes * sizeof *t->given);
	memset(t->got, 0, t->processes * sizeof *t->got);
	for (const char *word = c->words; *word && !unsized; word++)
		if (!read_word(t, *word, &at, &a, error))
			return false;
	struct sync sync = {.name = name_of(t, c, posted), .group = t->world, .communicator = NO_COMMUNICATOR};
	struct posted p = {.event = {.kind = EVENT_SYNC,
				   .process = dictionary_rank(t->dictionary, rank),
				   .peer = a.rooted ? a.root : NO_ROOT,
				   .subject = dictionary_sync(t->dictionary, &sync)},
		.type = a.given_type};
	unsized = unsized || (c->operation == REDUCE_SCATTER && !sum(t, t->got)); /* likewise, of two */
	if (!unsized)
		put_sizes(t, rank, c->operation, &a, &p.carried);
	if (c->operation == ALLTOALL && a.listed)
		p.list = list_given(t, &a);
	return pass_or_post(t, rank, &p, posted, sink, error);
}

/* ------------------------------------------------------------------ actions */

static bool is_one_of(const char *action, const char *const *actions)
{
	while (*actions && strcmp(*actions, action) != 0)
		actions++;
	return *actions;
}

static void take_location(struct ti_trace *t, uint32_t rank)
{
	struct text *site = &t->process[rank].site;
	text_truncate(site, 0);
	if (t->words >= 2)
		text_format(site, "%s:%s", t->word[0], t->word[1]);
}

static const struct collective *collective_of(const char *action)
{
	for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
		if (!strcmp(collectives[i].action, action))
			return &collectives[i];
	return NULL;
}

/* "N" requests: where one is all that is under way, it is that one. */
static bool take_waitany(struct ti_trace *t, uint32_t rank, const struct ti_sink *sink, struct error *error)
{
	bool one = t->words && !strcmp(t->word[0], "1") && t->process[rank].length == 1;
	return !one || complete(t, rank, 0, sink, error);
}

/* In lower case: SimGrid writes "sendRecv", "Ssend" and "waitAny". */
static bool take_action(
	struct ti_trace *t, uint32_t rank, const char *action, const struct ti_sink *sink, struct error *error)
{
	static const char *const messages[] = {
		"send", "isend", "ssend", "issend", "bsend", "ibsend", "rsend", "irsend", "recv", "irecv", NULL};
	static const char *const nothing[] = {"compute", "sleep", "comm_size", "comm_split", "comm_dup", "test",
		"testall", "testany", "testsome", "probe", "iprobe", "finalize", NULL};
	const struct collective *c = collective_of(action);
	if (is_one_of(action, messages))
		return take_message(t, rank, action, sink, error);
	if (is_one_of(action, nothing))
		return true;
	if (c)
		return take_collective(t, rank, c, false, sink, error);
	if (*action == 'i' && (c = collective_of(action + 1)))
		return take_collective(t, rank, c, true, sink, error);
	if (!strcmp(action, "init"))
		t->process[rank].type = t->words ? TYPE_DOUBLE : TYPE_BYTE;
	else if (!strcmp(action, "location"))
		take_location(t, rank);
	else if (!strcmp(action, "sendrecv"))
		return take_exchange(t, rank, sink, error);
	else if (!strcmp(action, "wait"))
		return take_wait(t, rank, sink, error);
	else if (!strcmp(action, "waitall"))
		return take_waitall(t, rank, sink, error);
	else if (!strcmp(action, "waitany") || !strcmp(action, "waitsome"))
		return take_waitany(t, rank, sink, error);
	else
		return error_set(error, ERROR_INPUT,
			"'%.60s' is no action of a time-independent trace of SimGrid that is known", action);
	return true;
}

bool ti_trace_line(struct ti_trace *t, char *line, const struct ti_sink *sink, struct error *error)
{
	uint32_t rank;
	char *rest;
	char *word = strtok_r(line, " \t", &rest);
	if (!word || *word == '#')
		return true;
	uint64_t number;
	if (!text_is_number(word, t->processes - 1, &number))
		return error_set(
			error, ERROR_INPUT, "'%.60s' is none of the %" PRIu32 " processes", word, t->processes);
	rank = (uint32_t)number;
	char *action = strtok_r(NULL, " \t", &rest);
	for (char *at = action; at && *at; at++)
		*at = (char)tolower((unsigned char)*at);
	t->words = 0;
	while ((word = strtok_r(NULL, " \t", &rest)))
		*MEM_PUSH(t->word, t->words, t->capacity) = word;
	if (!action)
		return error_set(error, ERROR_INPUT, "process %" PRIu32 " does nothing: no action", rank);
	return take_action(t, rank, action, sink, error);
}

bool ti_trace_end(struct ti_trace *t, const struct ti_sink *sink, struct error *error)
{
	bool good = true;
	for (uint32_t rank = 0; good && rank < t->processes; rank++)
		good = take_waitall(t, rank, sink, error);
	return good;
}
