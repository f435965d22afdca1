/*
 * measured.c -- figures of constructs, summed up by process (TALP) or put beside each other
 * (Extra-P).
 */
#include "report/measured.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/compare.h"
#include "base/json.h"
#include "base/mem.h"

static void put_name(const struct run_construct *c, struct text *out)
{
	text_put(out, c->name);
	if (c->number)
		text_format(out, "#%zu", c->number + 1);
}

/* ------------------------------------------------------------------ TALP */

#define WHOLE_RUN "Global" /* the region of all, as TALP calls it */

/* Seconds: sums over the ranks, and the most of one. */
struct usage {
	double useful, mpi, most_useful, elapsed;
};

static struct usage usage_of(const struct run_share *share, size_t shares)
{
	struct usage u = {0};
	for (size_t i = 0; i < shares; i++) {
		double useful = share[i].computation, both = useful + share[i].call;
		u.useful += useful;
		u.mpi += share[i].call;
		u.most_useful = useful > u.most_useful ? useful : u.most_useful;
		u.elapsed = both > u.elapsed ? both : u.elapsed;
	}
	return u;
}

/* All constructs of each rank. */
static struct run_share *sum_ranks(const struct run_facts *r)
{
	struct run_share *sum = mem_zero((r->processes + 1) * sizeof *sum);
	for (size_t i = 0; i < r->length; i++)
		for (size_t k = 0; k < r->construct[i].shares; k++) {
			const struct run_share *s = &r->construct[i].share[k];
			sum[s->rank].computation += s->computation;
			sum[s->rank].call += s->call;
		}
	return sum;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void put_time(struct json *j, const char *name, double seconds)
{
	json_real(j, name, seconds * 1e9, 0);
}

static void put_region(
	struct json *j, const char *name, uint32_t ranks, const struct usage *u, uint64_t times, uint64_t calls)
{
	double balance = ratio(u->useful, u->most_useful * ranks);
	json_object(j, name, JSON_LINES);
	json_number(j, "numCpus", ranks);
	json_number(j, "numMpiRanks", ranks);
	json_number(j, "numNodes", 1);
	json_real(j, "avgCpus", ranks, 1);
	json_number(j, "cycles", 0);
	json_number(j, "instructions", 0);
	json_number(j, "numMeasurements", times);
	json_number(j, "numMpiCalls", calls);
	json_number(j, "numOmpParallels", 0);
	json_number(j, "numOmpTasks", 0);
	put_time(j, "elapsedTime", u->elapsed);
	put_time(j, "usefulTime", u->useful);
	put_time(j, "mpiTime", u->mpi);
	json_number(j, "ompLoadImbalanceTime", 0);
	json_number(j, "ompSchedulingTime", 0);
	json_number(j, "ompSerializationTime", 0);
	put_time(j, "usefulNormdApp", u->useful / ranks);
	put_time(j, "mpiNormdApp", u->mpi / ranks);
	put_time(j, "maxUsefulNormdProc", u->most_useful);
	put_time(j, "maxUsefulNormdNode", u->useful / ranks);
	put_time(j, "mpiNormdOfMaxUseful", u->elapsed - u->most_useful);
	json_real(j, "parallelEfficiency", ratio(u->useful, u->elapsed * ranks), 4);
	json_real(j, "mpiParallelEfficiency", ratio(u->useful, u->elapsed * ranks), 4);
	json_real(j, "mpiCommunicationEfficiency", ratio(u->most_useful, u->elapsed), 4);
	json_real(j, "mpiLoadBalance", balance, 4);
	json_real(j, "mpiLoadBalanceIn", balance, 4);
	json_real(j, "mpiLoadBalanceOut", 1, 4);
	json_real(j, "ompParallelEfficiency", 1, 4);
	json_real(j, "ompLoadBalance", 1, 4);
	json_real(j, "ompSchedulingEfficiency", 1, 4);
	json_real(j, "ompSerializationEfficiency", 1, 4);
	json_close(j);
}

static void put_written(struct json *j, const char *path)
{
	struct stat file;
	struct tm when;
	char stamp[32];
	if (stat(path, &file) == 0 && gmtime_r(&file.st_mtime, &when) &&
		strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S+00:00", &when))
		json_string(j, "timestamp", stamp);
}

void measured_write_talp(const struct run_facts *r, struct output *out)
{
	struct json j = {.out = out};
	struct text name = {0};
	uint32_t ranks = r->processes ? r->processes : 1;
	struct run_share *sum = sum_ranks(r);
	struct usage u = usage_of(sum, r->processes);
	uint64_t calls = 0;
	for (size_t i = 0; i < r->length; i++)
		calls += r->construct[i].calls;
	json_object(&j, NULL, JSON_LINES);
	json_string(&j, "dlbVersion", "3.5.0");
	put_written(&j, r->path);
	json_object(&j, "resources", JSON_LINES);
	json_number(&j, "numCpus", ranks);
	json_number(&j, "numNodes", 1);
	json_number(&j, "numMpiRanks", ranks);
	json_close(&j);
	json_object(&j, "Application", JSON_LINES);
	put_region(&j, WHOLE_RUN, ranks, &u, 1, calls);
	for (size_t i = 0; i < r->length; i++) {
		const struct run_construct *c = &r->construct[i];
		u = usage_of(c->share, c->shares);
		text_truncate(&name, 0);
		put_name(c, &name);
		if (u.elapsed > 0 && strcmp(name.data, WHOLE_RUN))
			put_region(&j, name.data, ranks, &u, c->iterations, c->calls);
	}
	json_close(&j);
	json_close(&j);
	json_finish(&j);
	text_clear(&name);
	free(sum);
}

/* ------------------------------------------------------------------ Extra-P */

enum metric { METRIC_TIME, METRIC_COMPUTATION, METRIC_MESSAGES, METRIC_BYTES, METRICS };

static const struct {
	const char *name;
	int decimals;
} metrics[METRICS] = {{"time", 9}, {"computation", 9}, {"messages", 0}, {"bytes", 0}};

/* Of a construct; of NULL: the whole run. */
static double value_of(const struct run_facts *r, const struct run_construct *only, enum metric metric)
{
	double sum = 0;
	for (const struct run_construct *c = r->construct; c < r->construct + r->length; c++) {
		const double values[METRICS] = {c->path, c->work, (double)c->messages, (double)c->bytes};
		sum += !only || c == only ? values[metric] : 0;
	}
	if (metric == METRIC_TIME && !only)
		return r->run;
	return metric == METRIC_COMPUTATION ? sum / (r->processes ? r->processes : 1) : sum;
}

static const struct run_construct *find(const struct run_facts *r, const struct run_construct *like)
{
	for (size_t i = 0; i < r->length; i++)
		if (r->construct[i].number == like->number && !strcmp(r->construct[i].name, like->name))
			return &r->construct[i];
	return NULL;
}

static int by_processes(const void *a, const void *b)
{
	return COMPARE(
		(*(const struct run_facts *const *)a)->processes, (*(const struct run_facts *const *)b)->processes);
}

static bool is_everywhere(const struct run_facts *const *run, size_t runs, const struct run_construct *c)
{
	for (size_t i = 0; i < runs; i++)
		if (!find(run[i], c))
			return false;
	return true;
}

/* Those that are not in every run, each once. */
static size_t left_out(const struct run_facts *const *run, size_t runs)
{
	size_t count = 0;
	for (size_t i = 0; i < runs; i++)
		for (size_t k = 0; k < run[i]->length; k++)
			if (!is_everywhere(run, runs, &run[i]->construct[k])) {
				size_t first = 0;
				while (!find(run[first], &run[i]->construct[k]))
					first++;
				count += first == i;
			}
	return count;
}

static void put_data(const struct run_facts *const *run, size_t runs, enum metric metric,
	const struct run_construct *like, struct output *out)
{
	for (size_t i = 0; i < runs; i++) {
		bool next = i == 0 || run[i]->processes != run[i - 1]->processes;
		output_format(out, "%s %.*f", next ? i ? "\nDATA" : "DATA" : "", metrics[metric].decimals,
			value_of(run[i], like ? find(run[i], like) : NULL, metric));
	}
	output_format(out, "\n");
}

/* Blanks are put for what ends a line, or would be a path of calls. */
static void put_callpath(const struct run_construct *c, struct output *out)
{
	struct text name = {0};
	put_name(c, &name);
	for (char *at = name.data; *at; at++)
		if (*at == '\n' || *at == '\r' || !strncmp(at, "->", 2))
			*at = ' ';
	output_format(out, "REGION run->%s\n", name.data);
	text_clear(&name);
}

struct measured_facts measured_write_extrap(const struct run_facts *given, size_t runs, struct output *out)
{
	struct measured_facts facts = {0};
	const struct run_facts **run = mem_array(runs, sizeof *run);
	for (size_t i = 0; i < runs; i++)
		run[i] = &given[i];
	qsort(run, runs, sizeof *run, by_processes);
	output_format(out, "PARAMETER p\nPOINTS");
	for (size_t i = 0; i < runs; i++)
		if (i == 0 || run[i]->processes != run[i - 1]->processes) {
			output_format(out, " %u", run[i]->processes);
			facts.points++;
		}
	output_format(out, "\n");
	for (enum metric m = 0; m < METRICS; m++) {
		output_format(out, "METRIC %s\nREGION run\n", metrics[m].name);
		put_data(run, runs, m, NULL, out);
		for (size_t i = 0; i < run[0]->length; i++) {
			const struct run_construct *c = &run[0]->construct[i];
			if (is_everywhere(run, runs, c)) {
				put_callpath(c, out);
				put_data(run, runs, m, c, out);
			}
		}
	}
	facts.left_out = left_out(run, runs);
	free(run);
	return facts;
}
