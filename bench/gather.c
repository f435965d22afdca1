/*
 * gather.c -- what the root of a reduction over very many processes holds: `gather SIDE FILE` makes
 * the models of SIDE x SIDE processes of a stencil, as `record --model` does while they run, brings
 * them together in the order of the tree, and makes the program. Prints the longest message, what
 * the program takes, and what that came to in memory; the program goes to FILE.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "lib/online.h"
#include "lib/pipeline.h"

enum { STEPS = 50 };

static const char *const regions[] = {"MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce"};

/* Neighbours of a process; returns how many. */
static unsigned neighbours(uint32_t rank, uint32_t side, uint32_t *to)
{
	uint32_t x = rank % side, y = rank / side;
	unsigned n = 0;
	if (y > 0)
		to[n++] = rank - side;
	if (x > 0)
		to[n++] = rank - 1;
	if (x + 1 < side)
		to[n++] = rank + 1;
	if (y + 1 < side)
		to[n++] = rank + side;
	return n;
}

static void take(struct online *o, struct event_record record)
{
	online_take(o, &record, NULL);
}

static void take_message(struct online *o, enum event_record_kind kind, uint32_t peer, uint64_t request)
{
	take(o, (struct event_record){
			.kind = (uint16_t)kind, .request = request, .bytes = 800, .id = peer, .number = 7});
}

static struct online *run(uint32_t rank, uint32_t side)
{
	struct online *o =
		online_new(rank, side * side, regions, sizeof regions / sizeof *regions, &(struct online_options){0});
	uint32_t to[4];
	unsigned n = neighbours(rank, side, to);
	uint64_t request = 0;
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t first = request;
		for (unsigned i = 0; i < n; i++)
			take(o, (struct event_record){.kind = RECORD_IRECV_REQUEST, .request = request++});
		for (unsigned i = 0; i < n; i++)
			take_message(o, RECORD_ISEND, to[i], request++);
		take(o, (struct event_record){.kind = RECORD_ENTER, .id = 2});
		for (unsigned i = 0; i < n; i++)
			take_message(o, RECORD_IRECV, to[i], first + i);
		take(o, (struct event_record){.kind = RECORD_LEAVE, .id = 2});
		take(o, (struct event_record){.kind = RECORD_COLLECTIVE_END,
				.id = UINT32_MAX,
				.number = OPERATION_ALLREDUCE,
				.bytes = 8,
				.received = 8});
	}
	online_finish(o, NULL);
	return o;
}

/* Processes one after the other, the last one first: what a process receives was sent before. */
struct letters {
	uint32_t rank;
	struct text *box; /* by sender */
	size_t *taken, longest;
};

static void put_letter(void *context, uint32_t to, const void *bytes, size_t size)
{
	struct letters *l = context;
	(void)to;
	text_add(&l->box[l->rank], bytes, size);
	if (l->box[l->rank].length > l->longest)
		l->longest = l->box[l->rank].length;
}

static void take_letter(void *context, uint32_t from, void *bytes, size_t size)
{
	struct letters *l = context;
	memcpy(bytes, l->box[from].data + l->taken[from], size);
	l->taken[from] += size;
	if (l->taken[from] == l->box[from].length)
		text_clear(&l->box[from]);
}

static size_t gather(uint32_t side, const char *path)
{
	uint32_t size = side * side;
	struct letters l = {.box = mem_zero(size * sizeof *l.box), .taken = mem_zero(size * sizeof *l.taken)};
	for (uint32_t rank = size; rank-- > 0;) {
		struct online *o = run(rank, side);
		struct error error = {0};
		l.rank = rank;
		online_gather(o, &(struct transport){rank, size, &l, put_letter, take_letter});
		if (!rank && !online_write(o, path, &error))
			printf("%s\n", error.message);
		online_free(o);
	}
	free(l.box);
	free(l.taken);
	return l.longest;
}

static void make(const char *path, const char *result)
{
	struct program_options options = {PROGRAM_OPTIONS, .online = true};
	struct program_facts facts;
	struct error error = {0};
	struct text text = {0};
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	long before = usage.ru_maxrss;
	struct module *m = module_of_trace(path, &options, &facts, &error);
	if (!m) {
		printf("%s\n", error.message);
		exit(1);
	}
	getrusage(RUSAGE_SELF, &usage);
	module_print_text(m, NULL, &text);
	struct output *out = output_open(result, &error);
	if (out) {
		output_text(out, &text);
		output_close(out, &error);
	}
	printf("program made in %.2f s of processor time with %.1f MB\n",
		(double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6,
		(double)(usage.ru_maxrss - before) / 1024);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--make")) {
		make(argv[2], argv[3]);
		return 0;
	}
	if (argc != 3) {
		fprintf(stderr, "usage: gather SIDE FILE\n");
		return 2;
	}
	uint32_t side = (uint32_t)atoi(argv[1]);
	struct text path = {0};
	text_format(&path, "%s.online", argv[2]);
	struct stat file = {0};
	size_t longest = gather(side, path.data);
	stat(path.data, &file);
	printf("%" PRIu32 " processes: longest message %zu bytes, the root holds %zu; ", side * side, longest,
		(size_t)file.st_size);
	fflush(stdout);
	pid_t child = fork(); /* with memory of its own */
	if (!child) {
		execl("/proc/self/exe", argv[0], "--make", path.data, argv[2], (char *)NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	unlink(path.data);
	text_clear(&path);
	return 0;
}
