/*
 * mpi_random.c -- random correct MPI programs that know their own traffic: `mpi_random SEED
 * [COUNT]` runs the programs of COUNT seeds, one after the other; `mpi_random SEED COUNT all` also
 * with what some MPI cannot do for long.
 *
 * All processes draw the same numbers, and so know the whole schedule: who sends what to whom, by
 * which calls, on which communicator, and who takes part in which collective. Each carries out its
 * own part, and counts what a recorder has to find. With TALLY set, rank R writes to "$TALLY.R":
 *
 *	send		SOURCE	DESTINATION	TAG	BYTES	COMMUNICATOR	HOW OFTEN
 *	recv		SOURCE	DESTINATION	TAG	BYTES	COMMUNICATOR	HOW OFTEN
 *	sized		PROCESS	OPERATION	ROOT	SENT	RECEIVED	COMMUNICATOR	HOW OFTEN
 *	incomplete	PROCESS	HOW OFTEN: at most so many sends, those that it lets go
 *
 * What makes a schedule correct: in each step receives that do not block are posted first; sends
 * that may block go to these alone, so that nobody waits for a process that waits itself; receives
 * that block are for sends that do not. A receive with a wildcard is one that only one message can
 * be meant for.
 */
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16, MESSAGES = 10, COMMUNICATORS = 24, SLOT = 160000, SLOTS = 48, REQUESTS = 64 };

/*
 * What crashes or hangs MPICH 4.0.2 (over UCX), with and without a recorder, when many of them
 * follow each other: requests let go while they are under way, MPI_Comm_disconnect, MPI_Isendrecv,
 * persistent collectives.
 */
#ifdef MPICH_VERSION
static bool fragile = true;
#else
static bool fragile = false;
#endif

static int me, processes;

/* ------------------------------------------------------------------ numbers that all draw alike */

static uint64_t state;

static unsigned draw(unsigned below)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (unsigned)((z ^ (z >> 31)) >> 33) % below;
}

static bool chance(unsigned percent)
{
	return draw(100) < percent;
}

/* ------------------------------------------------------------------ what is expected */

static struct line {
	char text[160];
	long count;
} * lines;
static size_t length, capacity;

static void expect(const char *format, ...)
{
	char text[sizeof lines->text];
	va_list rest;
	va_start(rest, format);
	vsnprintf(text, sizeof text, format, rest);
	va_end(rest);
	for (size_t i = length; i-- > 0;)
		if (strcmp(lines[i].text, text) == 0) {
			lines[i].count++;
			return;
		}
	if (length == capacity) {
		capacity = capacity ? 2 * capacity : 256;
		lines = realloc(lines, capacity * sizeof *lines);
	}
	strcpy(lines[length].text, text);
	lines[length++].count = 1;
}

static void write_expected(void)
{
	char path[4096];
	if (!getenv("TALLY"))
		return;
	snprintf(path, sizeof path, "%s.%d", getenv("TALLY"), me);
	FILE *out = fopen(path, "w");
	for (size_t i = 0; out && i < length; i++)
		fprintf(out, "%s\t%ld\n", lines[i].text, lines[i].count);
	if (!out || fclose(out) != 0)
		perror(path);
}

/* ------------------------------------------------------------------ communicators */

/* One of the schedule: all know its members, some hold it. An inter-communicator has two sides. */
struct communicator {
	MPI_Comm handle; /* MPI_COMM_NULL: this process is not in it */
	char name[48];
	bool inter;
	bool grid, graph; /* its topology */
	int count[2], member[2][MOST]; /* in the world */
	int side, rank; /* of this process */
	int sources, destinations; /* neighbours of this process */
};

static struct communicator communicator[COMMUNICATORS];
static int communicators, serial;

static struct communicator *add_communicator(const char *name)
{
	struct communicator *c = &communicator[communicators++];
	*c = (struct communicator){.handle = MPI_COMM_NULL, .side = -1, .rank = -1};
	snprintf(c->name, sizeof c->name, "%s", name);
	return c;
}

static void add_member(struct communicator *c, int side, int process)
{
	if (process == me) {
		c->side = side;
		c->rank = c->count[side];
	}
	c->member[side][c->count[side]++] = process;
}

static void name_communicator(struct communicator *c)
{
	if (c->handle != MPI_COMM_NULL)
		MPI_Comm_set_name(c->handle, c->name);
}

/* Drawn from the pool; NULL: there is none of this kind. */
static struct communicator *pick(bool intra_only)
{
	for (int tries = 0; tries < 20; tries++) {
		struct communicator *c = &communicator[draw((unsigned)communicators)];
		if (!c->inter || !intra_only)
			return c;
	}
	return &communicator[0];
}

static void forget(int which)
{
	if (communicator[which].handle != MPI_COMM_NULL) {
		if (serial % 5 == 0 && !fragile)
			MPI_Comm_disconnect(&communicator[which].handle);
		else
			MPI_Comm_free(&communicator[which].handle);
	}
	communicator[which] = communicator[--communicators];
}

static void copy_members(struct communicator *to, const struct communicator *from)
{
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < from->count[side]; i++)
			add_member(to, side, from->member[side][i]);
	to->inter = from->inter;
}

static void expect_collective(
	const char *operation, const char *root, long sent, long received, const struct communicator *c)
{
	expect("sized\t%d\t%s\t%s\t%ld\t%ld\t%s", me, operation, root, sent, received, c->name);
}

static void barrier(struct communicator *c)
{
	if (c->rank < 0)
		return;
	MPI_Barrier(c->handle);
	expect_collective("MPI_Barrier", "-", 0, 0, c);
}

/* The parts that a split makes: one communicator for each color that is there, members by key. */
static void make_split(struct communicator *from, const char *name, int kind)
{
	int color[MOST], key[MOST], size = from->count[0], colors = 1 + (int)draw(3);
	MPI_Comm made = MPI_COMM_NULL;
	for (int i = 0; i < size; i++) {
		color[i] = kind == 1 ? 0 : (int)draw((unsigned)colors + 1) - (colors > 1); /* -1: in none */
		key[i] = (int)draw(4);
	}
	if (from->rank >= 0 && kind == 1)
		MPI_Comm_split_type(from->handle, MPI_COMM_TYPE_SHARED, key[from->rank], MPI_INFO_NULL, &made);
	else if (from->rank >= 0)
		MPI_Comm_split(from->handle, color[from->rank] < 0 ? MPI_UNDEFINED : color[from->rank], key[from->rank],
			&made);
	for (int k = 0; k <= colors; k++) {
		char full[48];
		snprintf(full, sizeof full, "%s.%d", name, k);
		struct communicator *c = add_communicator(full);
		for (int at = 0; at < 4; at++)
			for (int i = 0; i < size; i++)
				if (color[i] == k && key[i] == at)
					add_member(c, 0, from->member[0][i]);
		if (c->count[0] == 0) {
			communicators--;
			continue;
		}
		if (c->rank >= 0)
			c->handle = made;
		name_communicator(c);
	}
}

/* A part of the members, by MPI_Comm_create or, without the others, by MPI_Comm_create_group. */
static void make_part(struct communicator *from, const char *name, bool alone)
{
	int chosen[MOST], count = 0;
	struct communicator *c = add_communicator(name);
	for (int i = 0; i < from->count[0]; i++)
		if (chance(60) || (i == from->count[0] - 1 && count == 0)) {
			chosen[count++] = i;
			add_member(c, 0, from->member[0][i]);
		}
	if (from->rank >= 0 && (!alone || c->rank >= 0)) {
		MPI_Group all, part;
		MPI_Comm_group(from->handle, &all);
		MPI_Group_incl(all, count, chosen, &part);
		if (alone)
			MPI_Comm_create_group(from->handle, part, 7, &c->handle);
		else
			MPI_Comm_create(from->handle, part, &c->handle);
		MPI_Group_free(&part);
		MPI_Group_free(&all);
	}
	name_communicator(c);
}

static void make_grid(struct communicator *from, const char *name)
{
	int dims[2] = {1 + (int)draw(3), 1 + (int)draw(2)}, periodic[2] = {(int)draw(2), (int)draw(2)};
	while (dims[0] * dims[1] > from->count[0])
		dims[dims[1] > 1]--;
	struct communicator *c = add_communicator(name);
	for (int i = 0; i < dims[0] * dims[1]; i++)
		add_member(c, 0, from->member[0][i]);
	c->grid = true;
	c->sources = c->destinations = 4;
	if (from->rank >= 0)
		MPI_Cart_create(from->handle, 2, dims, periodic, 0, &c->handle);
	name_communicator(c);
	if (!chance(40))
		return;
	MPI_Comm line = MPI_COMM_NULL; /* its rows */
	if (c->rank >= 0)
		MPI_Cart_sub(c->handle, (int[]){0, 1}, &line);
	for (int row = 0; row < dims[0]; row++) {
		char full[48];
		snprintf(full, sizeof full, "%s row %d", name, row);
		struct communicator *r = add_communicator(full);
		for (int i = 0; i < dims[1]; i++)
			add_member(r, 0, from->member[0][row * dims[1] + i]);
		r->grid = true;
		r->sources = r->destinations = 2;
		if (r->rank >= 0)
			r->handle = line;
		name_communicator(r);
	}
}

/* Who writes to whom: any edges, each at most once; for MPI_Graph_create the same in both
   directions. */
static void make_graph(struct communicator *from, const char *name, int kind)
{
	bool edge[MOST][MOST] = {0};
	int size = from->count[0], index[MOST], edges[MOST * MOST], ones[MOST * MOST], in[MOST], out[MOST], count = 0;
	struct communicator *c = add_communicator(name);
	copy_members(c, from);
	c->graph = true;
	for (int i = 0; i < size; i++)
		for (int j = 0; j < size; j++)
			if (i != j && chance(40))
				edge[i][j] = true;
	for (int i = 0; kind == 0 && i < size; i++)
		for (int j = 0; j < size; j++)
			edge[i][j] = edge[i][j] || (i > j && edge[j][i]);
	for (int i = 0; kind == 0 && i < size; i++)
		for (int j = i + 1; j < size; j++)
			edge[i][j] = edge[j][i];
	for (int i = 0; i < size; i++) {
		for (int j = 0; j < size; j++)
			if (edge[i][j])
				edges[count++] = j;
		index[i] = count;
	}
	if (from->rank < 0)
		return;
	for (int j = 0; j < size; j++) {
		if (edge[j][from->rank])
			in[c->sources++] = j;
		if (edge[from->rank][j])
			out[c->destinations++] = j;
	}
	for (int i = 0; i < MOST * MOST; i++)
		ones[i] = 1;
	if (kind == 0)
		MPI_Graph_create(from->handle, size, index, edges, 0, &c->handle);
	else if (kind == 1)
		MPI_Dist_graph_create_adjacent(
			from->handle, c->sources, in, ones, c->destinations, out, ones, MPI_INFO_NULL, 0, &c->handle);
	else
		MPI_Dist_graph_create(
			from->handle, 1, &from->rank, &c->destinations, out, ones, MPI_INFO_NULL, 0, &c->handle);
	name_communicator(c);
}

/* The members fall into two sides. */
static void make_inter(struct communicator *from, const char *name)
{
	int side[MOST], leader[2] = {-1, -1};
	for (int i = 0; i < from->count[0]; i++) {
		side[i] = i == 0 ? 0 : i == 1 ? 1 : (int)draw(2);
		if (leader[side[i]] < 0)
			leader[side[i]] = i;
	}
	if (leader[1] < 0)
		return;
	struct communicator *c = add_communicator(name);
	for (int i = 0; i < from->count[0]; i++)
		add_member(c, side[i], from->member[0][i]);
	c->inter = true;
	if (from->rank < 0)
		return;
	MPI_Comm half;
	MPI_Comm_split(from->handle, side[from->rank], 0, &half);
	MPI_Intercomm_create(half, 0, from->handle, leader[1 - side[from->rank]], 5, &c->handle);
	MPI_Comm_free(&half);
	name_communicator(c);
}

static void make_merged(struct communicator *from, const char *name)
{
	struct communicator *c = add_communicator(name);
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < from->count[side]; i++)
			add_member(c, 0, from->member[side][i]);
	if (from->rank >= 0)
		MPI_Intercomm_merge(from->handle, from->side == 1, &c->handle);
	name_communicator(c);
}

static void make_copy(struct communicator *from, const char *name)
{
	int kind = (int)draw(3);
	MPI_Request request;
	struct communicator *c = add_communicator(name);
	copy_members(c, from);
	if (from->rank < 0)
		return;
	if (kind == 0 || from->inter) {
		MPI_Comm_dup(from->handle, &c->handle);
	} else if (kind == 1) {
		MPI_Comm_dup_with_info(from->handle, MPI_INFO_NULL, &c->handle);
	} else {
		MPI_Comm_idup(from->handle, &c->handle, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	name_communicator(c);
}

static void make_communicator(void)
{
	char name[24];
	while (communicators > 1 && (communicators + 4 > COMMUNICATORS || chance(25)))
		forget(1 + (int)draw((unsigned)communicators - 1));
	snprintf(name, sizeof name, "c%d", ++serial);
	int kind = (int)draw(11);
	struct communicator *from = pick(kind != 0 && kind != 10);
	switch (kind) {
	case 0:
		make_copy(from, name);
		break;
	case 1:
	case 2:
		make_split(from, name, 0);
		break;
	case 3:
		make_split(from, name, 1);
		break;
	case 4:
		make_part(from, name, false);
		break;
	case 5:
		make_part(from, name, true);
		break;
	case 6:
		make_grid(from, name);
		break;
	case 7:
	case 8:
		make_graph(from, name, (int)draw(3));
		break;
	case 9:
		make_inter(from, name);
		break;
	default:
		if (from->inter)
			make_merged(from, name);
	}
}

/* ------------------------------------------------------------------ what is sent */

static struct {
	MPI_Datatype type;
	int size, extent;
} types[7];

/* Each program has its own, of another size, in handles that were used before. */
static void make_types(uint64_t seed)
{
	MPI_Datatype triple, sparse;
	int several = 1 + (int)(seed % 3);
	MPI_Type_contiguous(several, MPI_INT, &triple);
	MPI_Type_vector(2, 1, 3, MPI_INT, &sparse);
	MPI_Type_commit(&triple);
	MPI_Type_commit(&sparse);
	MPI_Datatype all[] = {MPI_INT, MPI_DOUBLE, MPI_BYTE, MPI_CHAR, triple, sparse, MPI_LONG};
	for (int i = 0; i < 7; i++) {
		types[i].type = all[i];
		types[i].size = (int[]){4, 8, 1, 1, 4 * several, 8, 8}[i];
		types[i].extent = (int[]){4, 8, 1, 1, 4 * several, 16, 8}[i];
	}
}

static char slots[SLOTS][SLOT], out[SLOT], kept[4][SLOT];
static int slot;

static void *next_slot(void)
{
	return slots[slot++ % SLOTS];
}

/* Has it come? Not to ask a million times, on machines with fewer processors than processes. */
static bool come(int flag)
{
	if (!flag)
		usleep(50);
	return flag;
}

/* Requests under way, persistent or not, and the calls that complete them. */
static MPI_Request request[REQUESTS];
static int requests;

static void complete_all(void)
{
	MPI_Status status[REQUESTS];
	int which[REQUESTS], done = 0, flag = 0, one, ways = (int)draw(11);
	bool ignored = chance(30);
	MPI_Status *statuses = ignored ? MPI_STATUSES_IGNORE : status, *first = ignored ? MPI_STATUS_IGNORE : status;
	if (requests == 0)
		return;
	switch (ways) {
	case 0:
		for (int i = 0; i < requests; i++)
			MPI_Wait(&request[i], first);
		break;
	case 1:
		for (int i = requests; i-- > 0;)
			MPI_Wait(&request[i], first);
		break;
	case 2:
		MPI_Waitall(requests, request, statuses);
		break;
	case 3:
		do
			MPI_Waitany(requests, request, &one, first);
		while (one != MPI_UNDEFINED);
		break;
	case 4:
		do
			MPI_Waitsome(requests, request, &done, which, statuses);
		while (done != MPI_UNDEFINED);
		break;
	case 5:
		for (int i = 0; i < requests; i++)
			do
				MPI_Test(&request[i], &flag, first);
			while (!come(flag));
		break;
	case 6:
		do
			MPI_Testall(requests, request, &flag, statuses);
		while (!come(flag));
		break;
	case 7:
		do
			MPI_Testany(requests, request, &one, &flag, first);
		while (!come(flag) || one != MPI_UNDEFINED);
		break;
	case 8:
		do
			MPI_Testsome(requests, request, &done, which, statuses);
		while (!come(done) || done != MPI_UNDEFINED);
		break;
	case 9:
		MPI_Waitany(requests, request, &one, first);
		MPI_Testsome(requests, request, &done, which, statuses);
		MPI_Waitall(requests, request, statuses);
		break;
	default:
		for (int i = 0; i < requests; i++) {
			MPI_Request_get_status(request[i], &flag, MPI_STATUS_IGNORE);
			MPI_Wait(&request[i], first);
		}
	}
	requests = 0;
}

enum send_call {
	ISEND,
	ISSEND,
	IBSEND,
	BSEND,
	ISEND_FREED,
	SEND,
	SSEND,
	RSEND,
	IRSEND,
	SEND_CALLS,
	SENDS_FOR_BLOCKING = SEND
};
enum recv_call {
	IRECV,
	IRECV_FREED,
	IRECV_CALLS,
	RECV = IRECV_CALLS,
	PROBED,
	IPROBED,
	MPROBED,
	IMPROBED,
	MPROBED_LATER,
	RECV_CALLS
};

struct message {
	int side, from, to, tag, count, type;
	int send, recv;
	bool any_source, any_tag, nowhere;
	int freed; /* a buffer that is not used again */
};

static int fresh_tag(void)
{
	return 100 + serial++ % 20000;
}

static struct message draw_message(const struct communicator *c, int *freed)
{
	struct message m = {.side = c->inter ? (int)draw(2) : 0, .type = (int)draw(7)};
	m.from = (int)draw((unsigned)c->count[m.side]);
	m.to = (int)draw((unsigned)c->count[c->inter ? 1 - m.side : 0]);
	m.count = chance(5) ? 9000 : (int)draw(40);
	bool blocking = chance(50);
	m.recv = blocking ? IRECV_CALLS + (int)draw(RECV_CALLS - IRECV_CALLS) : chance(90) ? IRECV : IRECV_FREED;
	m.send = (int)draw(blocking ? SENDS_FOR_BLOCKING : SEND_CALLS);
	if (m.count > 1000 && (m.send == BSEND || m.send == IBSEND))
		m.count = 1000;
	m.tag = 2 * (int)draw(4) + blocking;
	m.nowhere = chance(5);
	m.any_source = !m.nowhere && chance(20);
	if (m.any_source)
		m.tag = fresh_tag();
	if (m.send == ISEND_FREED && fragile)
		m.send = ISEND;
	if (m.recv == IRECV_FREED && *freed < 4 && !fragile)
		m.freed = (*freed)++;
	else if (m.recv == IRECV_FREED)
		m.recv = IRECV;
	return m;
}

static void expect_message(const char *kind, const struct communicator *c, const struct message *m)
{
	if (!m->nowhere)
		expect("%s\t%d\t%d\t%d\t%ld\t%s", kind, c->member[m->side][m->from],
			c->member[c->inter ? 1 - m->side : 0][m->to], m->tag, (long)m->count * types[m->type].size,
			c->name);
}

static bool sends(const struct communicator *c, const struct message *m)
{
	return c->side == m->side && c->rank == m->from;
}

static bool receives(const struct communicator *c, const struct message *m)
{
	return c->side == (c->inter ? 1 - m->side : 0) && c->rank == m->to;
}

static int source_of(const struct message *m)
{
	return m->nowhere ? MPI_PROC_NULL : m->any_source ? MPI_ANY_SOURCE : m->from;
}

static void post(struct communicator *c, const struct message *m)
{
	MPI_Request own;
	bool let_go = m->recv == IRECV_FREED;
	MPI_Irecv(let_go ? kept[m->freed] : next_slot(), m->count, types[m->type].type, source_of(m),
		m->any_tag ? MPI_ANY_TAG : m->tag, c->handle, let_go ? &own : &request[requests++]);
	if (let_go)
		MPI_Request_free(&own);
	expect_message("recv", c, m);
}

static void put(struct communicator *c, const struct message *m)
{
	MPI_Datatype type = types[m->type].type;
	int to = m->nowhere ? MPI_PROC_NULL : m->to;
	MPI_Request *r = &request[requests], own;
	switch (m->send) {
	case ISEND:
		MPI_Isend(out, m->count, type, to, m->tag, c->handle, r);
		break;
	case ISSEND:
		MPI_Issend(out, m->count, type, to, m->tag, c->handle, r);
		break;
	case IBSEND:
		MPI_Ibsend(out, m->count, type, to, m->tag, c->handle, r);
		break;
	case IRSEND:
		MPI_Irsend(out, m->count, type, to, m->tag, c->handle, r);
		break;
	case BSEND:
		MPI_Bsend(out, m->count, type, to, m->tag, c->handle);
		break;
	case SEND:
		MPI_Send(out, m->count, type, to, m->tag, c->handle);
		break;
	case SSEND:
		MPI_Ssend(out, m->count, type, to, m->tag, c->handle);
		break;
	case RSEND:
		MPI_Rsend(out, m->count, type, to, m->tag, c->handle);
		break;
	default:
		MPI_Isend(out, m->count, type, to, m->tag, c->handle, &own);
		MPI_Request_free(&own);
		expect("incomplete\t%d", me);
	}
	requests += m->send == ISEND || m->send == ISSEND || m->send == IBSEND || m->send == IRSEND;
	expect_message("send", c, m);
}

static void get(struct communicator *c, const struct message *m)
{
	MPI_Datatype type = types[m->type].type;
	MPI_Status status, *answer = chance(30) ? MPI_STATUS_IGNORE : &status;
	MPI_Message message;
	int source = source_of(m), tag = m->any_tag ? MPI_ANY_TAG : m->tag, there = 0;
	void *in = next_slot();
	switch (m->recv) {
	case PROBED:
		MPI_Probe(source, tag, c->handle, answer);
		MPI_Recv(in, m->count, type, source, tag, c->handle, answer);
		break;
	case IPROBED:
		do
			MPI_Iprobe(source, tag, c->handle, &there, answer);
		while (!come(there));
		MPI_Recv(in, m->count, type, source, tag, c->handle, answer);
		break;
	case MPROBED:
		MPI_Mprobe(source, tag, c->handle, &message, answer);
		MPI_Mrecv(in, m->count, type, &message, answer);
		break;
	case IMPROBED:
		do
			MPI_Improbe(source, tag, c->handle, &there, &message, answer);
		while (!come(there));
		MPI_Mrecv(in, m->count, type, &message, answer);
		break;
	case MPROBED_LATER:
		MPI_Mprobe(source, tag, c->handle, &message, answer);
		MPI_Imrecv(in, m->count, type, &message, &request[requests++]);
		break;
	default:
		MPI_Recv(in, m->count, type, source, tag, c->handle, answer);
	}
	expect_message("recv", c, m);
}

/* Where a process gets one message only, any tag will do; in a batch that ends with a barrier, from
   anybody. */
static void loosen(const struct communicator *c, struct message *m, int count, bool fenced)
{
	for (int i = 0; i < count; i++) {
		int from_one = 0, from_all = 0;
		for (int k = 0; k < count; k++) {
			bool same = m[k].to == m[i].to && (m[k].side == m[i].side || !c->inter);
			from_all += same;
			from_one += same && m[k].from == m[i].from;
		}
		if (!m[i].nowhere && !m[i].any_source && from_one == 1 && from_all == 1 && chance(40))
			m[i].any_tag = true;
		if (m[i].any_tag && fenced)
			m[i].any_source = true;
	}
}

static int freed; /* receives let go, whose buffers are in use until the end */

static void step_messages(void)
{
	struct communicator *c = pick(false);
	struct message m[MESSAGES];
	int count = 1 + (int)draw(MESSAGES);
	bool ready = false, fenced = chance(20);
	for (int i = 0; i < count; i++) {
		m[i] = draw_message(c, &freed);
		ready = ready || m[i].send == RSEND || m[i].send == IRSEND;
	}
	loosen(c, m, count, fenced);
	for (int i = 0; i < count && c->rank >= 0; i++)
		if (m[i].recv < IRECV_CALLS && receives(c, &m[i]))
			post(c, &m[i]);
	if (ready)
		barrier(c);
	uint64_t here = state; /* what follows is drawn by some alone */
	for (int i = 0; i < count && c->rank >= 0; i++)
		if (sends(c, &m[i]))
			put(c, &m[i]);
	for (int i = 0; i < count && c->rank >= 0; i++)
		if (m[i].recv >= IRECV_CALLS && receives(c, &m[i]))
			get(c, &m[i]);
	state += (uint64_t)me;
	complete_all();
	state = here;
	draw(2);
	if (fenced)
		barrier(c);
}

/* Requests that are started several times. */
static void step_persistent(void)
{
	struct communicator *c = pick(false);
	struct message m[MESSAGES];
	int count = 1 + (int)draw(MESSAGES), rounds = 1 + (int)draw(3), receiving = 0, made = 0;
	MPI_Request persistent[2 * MESSAGES];
	struct message *of[2 * MESSAGES];
	bool all = chance(50), ready = false;
	for (int i = 0; i < count; i++) {
		m[i] = draw_message(c, &(int){4});
		m[i].recv = IRECV;
		m[i].send = (int)draw(4);
		if (m[i].count > 1000)
			m[i].count = 1000;
		ready = ready || m[i].send == 3;
	}
	for (int i = 0; i < count && c->rank >= 0; i++)
		if (receives(c, &m[i])) {
			of[made] = &m[i];
			MPI_Recv_init(next_slot(), m[i].count, types[m[i].type].type, source_of(&m[i]), m[i].tag,
				c->handle, &persistent[made++]);
		}
	receiving = made;
	for (int i = 0; i < count && c->rank >= 0; i++)
		if (sends(c, &m[i])) {
			int (*const init[])(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {
				MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
			of[made] = &m[i];
			init[m[i].send](out, m[i].count, types[m[i].type].type, m[i].nowhere ? MPI_PROC_NULL : m[i].to,
				m[i].tag, c->handle, &persistent[made++]);
		}
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < made; i++)
			expect_message(i < receiving ? "recv" : "send", c, of[i]);
		if (all)
			MPI_Startall(receiving, persistent);
		for (int i = 0; i < receiving && !all; i++)
			MPI_Start(&persistent[i]);
		if (ready)
			barrier(c);
		if (all)
			MPI_Startall(made - receiving, persistent + receiving);
		for (int i = receiving; i < made && !all; i++)
			MPI_Start(&persistent[i]);
		uint64_t here = state;
		memcpy(request, persistent, sizeof persistent);
		requests = made;
		state += (uint64_t)me;
		complete_all();
		state = here;
		draw(2);
	}
	for (int i = 0; i < made; i++)
		MPI_Request_free(&persistent[i]);
}

/* Everybody sends to one and receives from one, in a ring over the members in any order, or in a
   chain. */
static void step_exchange(void)
{
	struct communicator *c = pick(true);
	int size = c->count[0], order[MOST], at = 0, call = (int)draw(MPI_VERSION >= 4 && !fragile ? 4 : 2),
	    tag = fresh_tag(), type = (int)draw(7);
	bool chain = chance(30), wild = chance(30);
	for (int i = 0; i < size; i++)
		order[i] = i;
	for (int i = size - 1; i > 0; i--) {
		int k = (int)draw((unsigned)i + 1), other = order[k];
		order[k] = order[i];
		order[i] = other;
	}
	int count = (int)draw(40);
	if (c->rank < 0)
		return;
	while (order[at] != c->rank)
		at++;
	int to = order[(at + 1) % size], from = order[(at + size - 1) % size];
	if (chain && at == size - 1)
		to = MPI_PROC_NULL;
	if (chain && at == 0)
		from = MPI_PROC_NULL;
	struct message sent = {
		.from = c->rank, .to = to, .tag = tag, .count = count, .type = type, .nowhere = to == MPI_PROC_NULL};
	struct message received = {.from = from,
		.to = c->rank,
		.tag = tag,
		.count = count,
		.type = type,
		.nowhere = from == MPI_PROC_NULL};
#ifdef MPICH_VERSION
	wild = wild && call < 2; /* who it was, MPICH 4.0 does not tell */
#endif
	int source = wild && from != MPI_PROC_NULL ? MPI_ANY_SOURCE : from;
	MPI_Datatype t = types[type].type;
	if (call == 0)
		MPI_Sendrecv(out, count, t, to, tag, next_slot(), count, t, source, tag, c->handle, MPI_STATUS_IGNORE);
	else if (call == 1)
		MPI_Sendrecv_replace(next_slot(), count, t, to, tag, source, tag, c->handle, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
	else if (call == 2)
		MPI_Isendrecv(
			out, count, t, to, tag, next_slot(), count, t, source, tag, c->handle, &request[requests++]);
	else
		MPI_Isendrecv_replace(next_slot(), count, t, to, tag, source, tag, c->handle, &request[requests++]);
	if (call >= 2)
		MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
	requests = 0;
#endif
	expect_message("send", c, &sent);
	expect_message("recv", c, &received);
}

/* A receive that no message is meant for. */
static void step_cancelled(void)
{
	struct communicator *c = pick(false);
	int tag = fresh_tag();
	bool waits = chance(50), wild = chance(50);
	if (c->rank < 0)
		return;
	MPI_Request r;
	int done = 0;
	MPI_Irecv(next_slot(), 10, MPI_INT, wild ? MPI_ANY_SOURCE : 0, tag, c->handle, &r);
	MPI_Cancel(&r);
	if (waits)
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	while (!waits && !done)
		MPI_Test(&r, &done, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
static void step_partitioned(void)
{
	struct communicator *c = pick(true);
	int size = c->count[0], partitions = 1 + (int)draw(4), count = (int)draw(20), rounds = 1 + (int)draw(2),
	    tag = fresh_tag();
	int from = (int)draw((unsigned)size), to = (int)draw((unsigned)size);
	struct message m = {.from = from, .to = to, .tag = tag, .count = partitions * count, .type = 0};
	if (from == to || (c->rank != from && c->rank != to))
		return;
	MPI_Request r;
	if (c->rank == from)
		MPI_Psend_init(out, partitions, count, MPI_INT, to, tag, c->handle, MPI_INFO_NULL, &r);
	else
		MPI_Precv_init(next_slot(), partitions, count, MPI_INT, from, tag, c->handle, MPI_INFO_NULL, &r);
	for (int round = 0; round < rounds; round++) {
		MPI_Start(&r);
		for (int i = partitions; i-- > 0 && c->rank == from;)
			MPI_Pready(i, r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		expect_message(c->rank == from ? "send" : "recv", c, &m);
	}
	MPI_Request_free(&r);
}
#endif

/* ------------------------------------------------------------------ collectives */

enum mode { BLOCKING, NONBLOCKING, PERSISTENT };

#if MPI_VERSION >= 4
#define CALL_PERSISTENT(name, ...)                                                                                     \
	(MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &persistent), MPI_Start(&persistent),                           \
		MPI_Wait(&persistent, MPI_STATUS_IGNORE), MPI_Start(&persistent),                                      \
		MPI_Wait(&persistent, MPI_STATUS_IGNORE), MPI_Request_free(&persistent), again = true)
#else
#define CALL_PERSISTENT(name, ...) MPI_##name(__VA_ARGS__)
#endif
#define CALL(name, lower, ...)                                                                                         \
	do {                                                                                                           \
		operation = "MPI_" #name;                                                                              \
		if (mode == BLOCKING)                                                                                  \
			MPI_##name(__VA_ARGS__);                                                                       \
		else if (mode == NONBLOCKING)                                                                          \
			MPI_I##lower(__VA_ARGS__, &request[requests++]);                                               \
		else                                                                                                   \
			CALL_PERSISTENT(name, __VA_ARGS__);                                                            \
	} while (0)

/* Arguments must live until requests are complete. */
static struct counts {
	int sent[MOST], received[MOST], offset[MOST];
	MPI_Aint place[MOST];
	MPI_Datatype type[MOST];
} pool[8];
static int pooled;

static void step_neighbours(struct communicator *c, enum mode mode)
{
	const char *operation = NULL;
	bool again = false;
	struct counts *v = &pool[pooled++ % 8];
	int each = 1 + (int)draw(5), kind = (int)draw(5), base = (int)draw(4);
	MPI_Request persistent;
	if (c->rank < 0)
		return;
	(void)persistent;
	long sent = 0, received = 0;
	void *in = next_slot();
	for (int i = 0; i < MOST; i++) { /* between two members a number that both know: the same for all */
		v->sent[i] = v->received[i] = base;
		v->offset[i] = i * 8;
		v->place[i] = i * 64;
		v->type[i] = MPI_INT;
	}
	switch (kind) {
	case 0:
		CALL(Neighbor_allgather, neighbor_allgather, out, each, MPI_INT, in, each, MPI_INT, c->handle);
		operation = "MPI_Allgather";
		sent = each;
		received = (long)each * c->sources;
		break;
	case 1:
		CALL(Neighbor_allgatherv, neighbor_allgatherv, out, base, MPI_INT, in, v->received, v->offset, MPI_INT,
			c->handle);
		operation = "MPI_Allgatherv";
		sent = base;
		received = (long)base * c->sources;
		break;
	case 2:
		CALL(Neighbor_alltoall, neighbor_alltoall, out, each, MPI_INT, in, each, MPI_INT, c->handle);
		operation = "MPI_Alltoall";
		sent = (long)each * c->destinations;
		received = (long)each * c->sources;
		break;
	case 3:
		CALL(Neighbor_alltoallv, neighbor_alltoallv, out, v->sent, v->offset, MPI_INT, in, v->received,
			v->offset, MPI_INT, c->handle);
		operation = "MPI_Alltoallv";
		sent = (long)base * c->destinations;
		received = (long)base * c->sources;
		break;
	default:
		CALL(Neighbor_alltoallw, neighbor_alltoallw, out, v->sent, v->place, v->type, in, v->received, v->place,
			v->type, c->handle);
		operation = "MPI_Alltoallw";
		sent = (long)base * c->destinations;
		received = (long)base * c->sources;
	}
	expect_collective(operation, "-", 4 * sent, 4 * received, c);
	if (again)
		expect_collective(operation, "-", 4 * sent, 4 * received, c);
}

enum operation {
	BARRIER,
	BCAST,
	GATHER,
	GATHERV,
	SCATTER,
	SCATTERV,
	ALLGATHER,
	ALLGATHERV,
	ALLTOALL,
	ALLTOALLV,
	ALLTOALLW,
	ALLREDUCE,
	REDUCE,
	REDUCE_SCATTER_BLOCK,
	REDUCE_SCATTER,
	INTRA_ONLY,
	SCAN = INTRA_ONLY,
	EXSCAN,
	OPERATIONS
};

static void step_collective(struct communicator *c, enum mode mode)
{
	enum operation kind = (enum operation)draw(c->inter ? INTRA_ONLY : OPERATIONS);
	const char *operation = NULL;
	bool again = false, placed = !c->inter && chance(25);
	struct counts *v = &pool[pooled++ % 8];
	int root_side = c->inter ? (int)draw(2) : 0, root_rank = (int)draw((unsigned)c->count[root_side]);
	int each = 1 + (int)draw(6), weight[MOST], table[MOST][MOST], total = 0;
	MPI_Request persistent;
	for (int i = 0; i < MOST; i++)
		for (int k = 0; k < MOST; k++)
			table[i][k] = (int)draw(5);
	for (int i = 0; i < MOST; i++)
		weight[i] = (int)draw(6);
	if (c->rank < 0)
		return;
	(void)persistent;
	int side = c->side, far = c->inter ? 1 - side : 0, peers = c->count[far], mine = c->rank;
	bool is_root = c->rank == root_rank && side == root_side, is_leaf = c->inter ? side != root_side : !is_root;
	bool takes_part = c->inter ? is_leaf : true; /* with a buffer of a member that is not the root alone */
	int root = !c->inter || side != root_side ? root_rank : is_root ? MPI_ROOT : MPI_PROC_NULL;
	void *in = next_slot(), *from = placed ? MPI_IN_PLACE : (void *)out;
	long sent = 0, received = 0;
	bool rooted = false;

	/* Vectors: to and from the k-th of the other side. On one side numbers are table[a][b], on
	   the other table[b][a]. */
	int sent_to = 0, got_from = 0;
	for (int k = 0; k < MOST; k++) {
		v->sent[k] = k < peers ? (side == 0 || !c->inter ? table[mine][k] : table[k][mine] + 1) : 0;
		v->received[k] = k < peers ? (!c->inter          ? table[k][mine]
						     : side == 0 ? table[mine][k] + 1
								 : table[k][mine])
					   : 0;
		if (placed)
			v->sent[k] = v->received[k] = k < peers ? (table[mine][k] + table[k][mine]) : 0;
		sent_to += v->sent[k];
		got_from += v->received[k];
		v->offset[k] = k * 40;
		v->type[k] = MPI_INT;
	}
	for (int i = 0; i < c->count[0]; i++)
		total += weight[i];
	switch (kind) {
	case BARRIER:
		CALL(Barrier, barrier, c->handle);
		break;
	case BCAST:
		CALL(Bcast, bcast, in, each, MPI_INT, root, c->handle);
		rooted = true;
		sent = is_root ? each : 0;
		received = is_leaf ? each : 0;
		break;
	case GATHER:
		CALL(Gather, gather, placed && is_root ? MPI_IN_PLACE : (void *)out, each, MPI_INT, in, each, MPI_INT,
			root, c->handle);
		rooted = true;
		sent = takes_part ? each : 0;
		received = is_root ? (long)peers * each : 0;
		break;
	case SCATTER:
		CALL(Scatter, scatter, out, each, MPI_INT, placed && is_root ? MPI_IN_PLACE : in, each, MPI_INT, root,
			c->handle);
		rooted = true;
		sent = is_root ? (long)peers * each : 0;
		received = takes_part ? each : 0;
		break;
	case GATHERV:
	case SCATTERV:
		for (int k = 0; k < MOST; k++)
			v->received[k] = weight[k];
		got_from = 0;
		for (int k = 0; k < peers; k++)
			got_from += weight[k];
		rooted = true;
		if (kind == GATHERV) {
			CALL(Gatherv, gatherv, placed && is_root ? MPI_IN_PLACE : (void *)out, weight[mine], MPI_INT,
				in, v->received, v->offset, MPI_INT, root, c->handle);
			sent = takes_part ? weight[mine] : 0;
			received = is_root ? got_from : 0;
		} else {
			CALL(Scatterv, scatterv, out, v->received, v->offset, MPI_INT,
				placed && is_root ? MPI_IN_PLACE : in, weight[mine], MPI_INT, root, c->handle);
			sent = is_root ? got_from : 0;
			received = takes_part ? weight[mine] : 0;
		}
		break;
	case ALLGATHER:
		CALL(Allgather, allgather, from, each, MPI_INT, in, each, MPI_INT, c->handle);
		sent = each;
		received = (long)peers * each;
		break;
	case ALLGATHERV:
		for (int k = 0; k < MOST; k++)
			v->received[k] = weight[k];
		CALL(Allgatherv, allgatherv, from, weight[mine], MPI_INT, in, v->received, v->offset, MPI_INT,
			c->handle);
		sent = weight[mine];
		for (int k = 0; k < peers; k++)
			received += weight[k];
		break;
	case ALLTOALL:
		CALL(Alltoall, alltoall, from, each, MPI_INT, in, each, MPI_INT, c->handle);
		sent = received = (long)peers * each;
		break;
	case ALLTOALLV:
		CALL(Alltoallv, alltoallv, from, v->sent, v->offset, MPI_INT, in, v->received, v->offset, MPI_INT,
			c->handle);
		sent = sent_to;
		received = got_from;
		break;
	case ALLTOALLW:
		for (int k = 0; k < MOST; k++)
			v->offset[k] *= 4; /* in bytes */
		CALL(Alltoallw, alltoallw, from, v->sent, v->offset, v->type, in, v->received, v->offset, v->type,
			c->handle);
		sent = sent_to;
		received = got_from;
		break;
	case ALLREDUCE:
		CALL(Allreduce, allreduce, from, in, each, MPI_INT, MPI_SUM, c->handle);
		sent = received = each;
		break;
	case REDUCE:
		CALL(Reduce, reduce, placed && is_root ? MPI_IN_PLACE : (void *)out, in, each, MPI_INT, MPI_SUM, root,
			c->handle);
		rooted = true;
		sent = takes_part ? each : 0;
		received = is_root ? each : 0;
		break;
	case REDUCE_SCATTER_BLOCK:
		if (c->inter) { /* both sides reduce as much */
			each = c->count[far];
			peers = c->count[side];
		}
		CALL(Reduce_scatter_block, reduce_scatter_block, from, in, each, MPI_INT, MPI_SUM, c->handle);
		sent = (long)peers * each;
		received = each;
		break;
	case REDUCE_SCATTER:
		if (c->inter) {
			for (int k = 0; k < c->count[side]; k++)
				v->received[k] = c->count[far];
			total = c->count[0] * c->count[1];
			received = c->count[far];
		} else {
			for (int k = 0; k < MOST; k++)
				v->received[k] = weight[k];
			received = weight[mine];
		}
		CALL(Reduce_scatter, reduce_scatter, from, in, v->received, MPI_INT, MPI_SUM, c->handle);
		sent = total;
		break;
	case SCAN:
		CALL(Scan, scan, from, in, each, MPI_INT, MPI_SUM, c->handle);
		sent = received = each;
		break;
	default:
		CALL(Exscan, exscan, from, in, each, MPI_INT, MPI_SUM, c->handle);
		sent = each;
		received = mine ? each : 0;
	}
	char where[16] = "-";
	if (rooted && root == MPI_PROC_NULL)
		strcpy(where, "group");
	else if (rooted)
		snprintf(where, sizeof where, "%d", c->member[root_side][root_rank]);
	for (int i = 0; i <= again; i++)
		expect_collective(operation, where, 4 * sent, 4 * received, c);
}

/* Some at a time, on any communicators: those that do not block are complete when all are under
   way. */
static void step_collectives(void)
{
	int count = 1 + (int)draw(4);
	for (int i = 0; i < count; i++) {
		struct communicator *c = pick(false);
		enum mode mode = (enum mode)draw(3);
		if (c->inter)
			mode = BLOCKING;
		if (mode == PERSISTENT && (MPI_VERSION < 4 || fragile))
			mode = NONBLOCKING;
		if ((c->grid || c->graph) && chance(50))
			step_neighbours(c, mode);
		else
			step_collective(c, mode);
	}
	uint64_t here = state;
	state += (uint64_t)me;
	complete_all();
	state = here;
	draw(2);
}

/* ------------------------------------------------------------------ programs */

static void run_program(uint64_t seed)
{
	state = seed * 0x2545f4914f6cdd1d + 1;
	make_types(seed);
	int steps = 5 + (int)draw(30);
	for (int i = 0; i < steps; i++) {
		unsigned kind = draw(100);
		if (kind < 35)
			step_messages();
		else if (kind < 50)
			step_persistent();
		else if (kind < 60)
			step_exchange();
		else if (kind < 63)
			step_cancelled();
#if MPI_VERSION >= 4
		else if (kind < 66)
			step_partitioned();
#endif
		else if (kind < 82)
			step_collectives();
		else
			make_communicator();
	}
	while (communicators > 1)
		forget(communicators - 1);
	for (int i = 4; i < 6; i++)
		MPI_Type_free(&types[i].type);
}

int main(int argc, char **argv)
{
	static char buffer[1 << 24];
	void *attached = buffer;
	int size = sizeof buffer;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &processes);
	if (processes > MOST || argc < 2) {
		fprintf(stderr, "usage: mpi_random SEED [COUNT [all]], on at most %d processes\n", MOST);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	if (argc > 3)
		fragile = false;
	MPI_Buffer_attach(attached, size);
	struct communicator *world = add_communicator("MPI_COMM_WORLD");
	for (int i = 0; i < processes; i++)
		add_member(world, 0, i);
	world->handle = MPI_COMM_WORLD;
	int count = argc > 2 ? atoi(argv[2]) : 1;
	for (int i = 0; i < count; i++)
		run_program(strtoull(argv[1], NULL, 10) + (uint64_t)i);
	MPI_Buffer_detach(&attached, &size);
	write_expected();
	MPI_Finalize();
	return 0;
}
