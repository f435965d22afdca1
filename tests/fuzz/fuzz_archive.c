/*
 * fuzz_archive.c -- archives whose records are well formed and whose runs may be anything: calls
 * that do not end, messages without partners, clocks that contradict them. Where the time of such
 * a run is told, it adds up; beside itself it differs in nothing.
 *
 * An input is a list of 3 bytes each: what happens, on which processes, and how long it takes.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/difference.h"
#include "report/findings.h"
#include "tests/archive.h"
#include "tests/fuzz/fuzz.h"

#define PROCESSES 4
#define MOST 300 /* of what happens, repetitions and all */

const size_t fuzz_variations = 60;

enum region { SOLVE, WORK, SEND, RECV, ISEND, IRECV, WAITALL, ALLREDUCE, BCAST, INIT, MAIN, REGIONS };

static const char *const region_names[REGIONS] = {[SOLVE] = "region 0 solve",
	[WORK] = "region 1 work",
	[SEND] = "mpiregion 2 MPI_Send",
	[RECV] = "mpiregion 3 MPI_Recv",
	[ISEND] = "mpiregion 4 MPI_Isend",
	[IRECV] = "mpiregion 5 MPI_Irecv",
	[WAITALL] = "mpiregion 6 MPI_Waitall",
	[ALLREDUCE] = "mpiregion 7 MPI_Allreduce",
	[BCAST] = "mpiregion 8 MPI_Bcast",
	[INIT] = "mpiregion 9 MPI_Init",
	[MAIN] = "region 10 main"};

struct run {
	struct text record[PROCESSES];
	uint64_t time[PROCESSES];
	uint64_t requests;
	uint32_t processes;
};

static void put(struct run *r, uint32_t rank, const char *record)
{
	text_format(&r->record[rank], "time %" PRIu64 "\n@%u %s\n", r->time[rank], (unsigned)rank, record);
	r->time[rank] += 10;
}

static void call(struct run *r, uint32_t rank, enum region region, const char *record, uint64_t takes)
{
	char line[64];
	snprintf(line, sizeof line, "enter %u", (unsigned)region);
	put(r, rank, line);
	r->time[rank] += takes;
	if (*record)
		put(r, rank, record);
	snprintf(line, sizeof line, "leave %u", (unsigned)region);
	put(r, rank, line);
}

static void message(struct run *r, uint32_t a, uint32_t b, bool sends, bool receives, uint64_t takes)
{
	char line[64];
	snprintf(line, sizeof line, "send %u 0 %u", (unsigned)b, (unsigned)(takes % 3));
	if (sends)
		call(r, a, SEND, line, takes);
	snprintf(line, sizeof line, "recv %u 0 %u", (unsigned)a, (unsigned)(takes % 3));
	if (receives)
		call(r, b, RECV, line, takes);
}

/* Requests; done: they are waited for. */
static void exchange(struct run *r, uint32_t a, uint32_t b, bool done, uint64_t takes)
{
	char line[64];
	uint64_t request = ++r->requests;
	snprintf(line, sizeof line, "post %" PRIu64, request);
	call(r, b, IRECV, line, 0);
	snprintf(line, sizeof line, "isend %u 0 7 %" PRIu64, (unsigned)b, request);
	call(r, a, ISEND, line, 0);
	if (!done)
		return;
	snprintf(line, sizeof line, "irecv %u 0 7 %" PRIu64, (unsigned)a, request);
	call(r, b, WAITALL, line, takes);
	snprintf(line, sizeof line, "sent %" PRIu64, request);
	call(r, a, WAITALL, line, takes);
}

static void happen(struct run *r, unsigned what, unsigned who, uint64_t takes)
{
	uint32_t a = who % r->processes, b = who / r->processes % r->processes;
	switch (what % 16) {
	case 0:
	case 1:
		put(r, a, what % 16 ? "enter 1" : "enter 0");
		break;
	case 2:
	case 3:
		put(r, a, what % 16 == 3 ? "leave 1" : "leave 0");
		break;
	case 4:
		r->time[a] += takes * takes;
		break;
	case 5:
	case 6:
		message(r, a, b, what % 16 == 5, what % 16 == 6, takes);
		break;
	case 7:
	case 8:
		message(r, a, b, true, true, takes);
		break;
	case 9:
	case 10:
		exchange(r, a, b, what % 16 == 9, takes);
		break;
	case 11:
	case 12:
		for (uint32_t rank = 0; rank < r->processes; rank++)
			if (what % 16 == 11)
				call(r, rank, ALLREDUCE, "collective 4 0 none", takes);
			else
				call(r, rank, BCAST, "collective 1 0 0", rank * takes);
		break;
	case 13:
		call(r, a, INIT, "", takes);
		break;
	case 14:
		put(r, a, who & 64 ? "enter 2" : "leave 3");
		break;
	default:
		put(r, a, who & 64 ? "cancel 1" : "recv 0 0 0");
	}
}

static char *write_run(const uint8_t *data, size_t size)
{
	struct run r = {.processes = 2 + (size ? data[0] % (PROCESSES - 1) : 0)};
	struct text text = {0};
	size_t done = 0;
	for (size_t i = 1; i + 3 <= size && done < MOST; i += 3) {
		size_t back = 1 + data[i + 1] % 8, times = data[i] < 240 ? 1 : data[i + 2] % 8;
		if (data[i] < 240)
			back = 0;
		for (; times > 0; times--) /* what was last happens again */
			for (size_t k = back; k <= back && done < MOST; k--, done++) {
				const uint8_t *at = data + i - 3 * k;
				if (k <= (i - 1) / 3 && (at[0] < 240 || !back))
					happen(&r, at[0], at[1], at[2]);
				if (!k)
					break;
			}
	}
	for (uint32_t rank = 0; rank < r.processes; rank++)
		text_format(&text, "process %u\nlocation %u %u\n", (unsigned)rank, (unsigned)rank, (unsigned)rank);
	text_put(&text, r.processes == 2   ? "list 0 mpi 0 1\ngroup 1 mpi 0 1\n"
			: r.processes == 3 ? "list 0 mpi 0 1 2\ngroup 1 mpi 0 1 2\n"
					   : "list 0 mpi 0 1 2 3\ngroup 1 mpi 0 1 2 3\n");
	text_put(&text, "comm 0 1 MPI_COMM_WORLD\n");
	for (size_t i = 0; i < REGIONS; i++)
		text_format(&text, "%s\n", region_names[i]);
	for (uint32_t rank = 0; rank < r.processes; rank++) {
		text_put(&text, r.record[rank].data ? r.record[rank].data : "");
		text_clear(&r.record[rank]);
	}
	char *anchor = archive_write(text.data);
	text_clear(&text);
	return anchor;
}

static void check_sums(const struct analysis *a)
{
	int64_t loss = 0;
	for (size_t i = 0; i < a->constructs; i++) {
		const struct analysis_construct *c = &a->construct[i];
		MUST(c->loss == c->imbalance + c->serialization + c->transfer);
		loss += c->loss;
	}
	MUST(loss == (int64_t)(analysis_run(a) * a->processes) - (int64_t)analysis_work(a));
	MUST(a->path_work + a->path_call == analysis_run(a));
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		const struct analysis_process *p = &a->process[rank];
		MUST(p->last - p->first == p->work + p->call + p->apart);
	}
}

static void print(const struct analysis *a)
{
	struct findings findings;
	struct text text = {0};
	findings_of(&findings, a);
	for (size_t i = 0; i < findings.length; i++)
		finding_print(a, &findings.finding[i], &text);
	findings_clear(&findings);
	text_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct account_options options = {ACCOUNT_OPTIONS};
	struct account account;
	struct error error = {0};
	struct difference d;
	char *anchor = write_run(data, size);
	options.program.jobs = 1;
	options.program.lenient = size && data[0] & 128;
	bool good = account_read(&account, anchor, NULL, &options, &error);
	MUST(good || (error.kind != ERROR_NONE && *error.message));
	if (good) {
		check_sums(account.analysis);
		print(account.analysis);
	}
	account_clear(&account);
	error = (struct error){0};
	MUST(difference_read(&d, anchor, anchor, &options, &error) == good);
	if (good) {
		struct text page = {0};
		difference_print(&d, &page);
		MUST(!strncmp(page.data, "Nothing differs.\n", 17));
		text_clear(&page);
	}
	difference_clear(&d);
	archive_remove(anchor);
	return 0;
}
