/*
 * jobs.c -- folders of jobs, as processes have named them, get numbers.
 */
#include "record/jobs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/folder.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "record/record.h"

#define JOB "job" /* what a number follows */
#define FOREIGN_LIMIT 4096 /* bytes of the line: a name of a program, and ours */

/* A folder that processes have named. */
struct run {
	char *name;
	uint64_t start; /* ns since 1970 when its first process had begun; UINT64_MAX: nobody says */
	uint64_t launched; /* the rank that a launcher of another MPI gave to it, who is all of its world; UINT64_MAX */
};

struct runs {
	struct run *run;
	size_t length, capacity;
};

static char *path_of(const char *directory, const char *name)
{
	struct text path = {0};
	text_format(&path, "%s/%s", directory, name);
	return path.data;
}

static bool has(const char *directory, const char *name)
{
	char *path = path_of(directory, name);
	bool there = !access(path, F_OK);
	free(path);
	return there;
}

/* ------------------------------------------------------------------ what is there */

/* Entries of a directory, one after the other, as numbers behind a prefix. */
static bool next_number(DIR *directory, const char *prefix, uint64_t *number)
{
	for (struct dirent *entry; (entry = readdir(directory));)
		if (text_begins_with(entry->d_name, prefix) &&
			text_is_number(entry->d_name + strlen(prefix), UINT32_MAX, number))
			return true;
	return false;
}

/* The first lines of a side file, which say when a process began. */
static void read_head(struct run *run, const char *path)
{
	FILE *side = fopen(path, "re");
	char line[512];
	uint64_t first, second;
	for (bool begun = false; side && !begun && fgets(line, sizeof line, side);) {
		begun = sscanf(line, "start %" SCNu64 " %" SCNu64, &first, &second) == 2;
		if (begun && second < run->start)
			run->start = second;
		if (sscanf(line, "launcher %" SCNu64, &first) == 1)
			run->launched = first;
	}
	if (side)
		fclose(side);
}

static void add_run(struct runs *runs, const char *directory, const char *name)
{
	char *path = path_of(directory, name);
	DIR *all = opendir(path);
	struct run run = {mem_text(name), UINT64_MAX, UINT64_MAX};
	for (uint64_t rank; all && next_number(all, "", &rank);) {
		struct text side = {0};
		text_format(&side, "%s/%" PRIu64 "/side", path, rank);
		read_head(&run, side.data);
		text_clear(&side);
	}
	if (all)
		closedir(all);
	free(path);
	*MEM_PUSH(runs->run, runs->length, runs->capacity) = run;
}

static int by_start(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	return x->start != y->start ? (x->start > y->start ? 1 : -1) : strcmp(x->name, y->name);
}

static struct runs find_runs(const char *directory)
{
	struct runs runs = {0};
	DIR *all = opendir(directory);
	for (struct dirent *entry; all && (entry = readdir(all));)
		if (text_begins_with(entry->d_name, RECORD_RUN))
			add_run(&runs, directory, entry->d_name);
	if (all)
		closedir(all);
	if (runs.length)
		qsort(runs.run, runs.length, sizeof *runs.run, by_start);
	return runs;
}

/* mpirun is of another MPI than the program: it started processes, and each became a run. */
static bool are_alone(const struct runs *runs)
{
	struct ranks launched = {0};
	bool alone = runs->length > 1;
	for (size_t i = 0; i < runs->length && alone; i++) {
		alone = runs->run[i].launched < RANK_LIMIT && !ranks_has(&launched, (uint32_t)runs->run[i].launched);
		if (alone)
			ranks_add(&launched, (uint32_t)runs->run[i].launched);
	}
	ranks_clear(&launched);
	return alone;
}

/* ------------------------------------------------------------------ numbers */

/* Is anything left of its processes? */
static bool is_unfinished(const char *own)
{
	uint64_t rank;
	char *mark = path_of(own, RECORD_FINISHED);
	DIR *all = opendir(own);
	bool is = access(mark, F_OK) == 0 || (all && next_number(all, "", &rank));
	if (all)
		closedir(all);
	free(mark);
	return is;
}

static void add_job(struct jobs *jobs, const char *directory, uint32_t number)
{
	struct text own = {0};
	text_format(&own, "%s/" JOB "%" PRIu32, directory, number);
	if (!is_unfinished(own.data)) {
		rmdir(own.data); /* of the first one nothing is left there; others hold their archive */
		text_clear(&own);
		return;
	}
	*MEM_PUSH(jobs->job, jobs->length, jobs->capacity) =
		(struct job){number, own.data, mem_text(number == 1 ? directory : own.data)};
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = ((const struct job *)a)->number, y = ((const struct job *)b)->number;
	return (x > y) - (x < y);
}

/* Those that have numbers; gives the largest. */
static uint32_t find_numbered(struct jobs *jobs, const char *directory)
{
	char *anchor = path_of(directory, "traces.otf2");
	uint64_t number, largest = access(anchor, F_OK) == 0; /* the first one became that */
	DIR *all = opendir(directory);
	while (all && next_number(all, JOB, &number)) {
		add_job(jobs, directory, (uint32_t)number);
		if (number > largest)
			largest = number;
	}
	if (all)
		closedir(all);
	free(anchor);
	return (uint32_t)largest;
}

static bool give_number(
	struct jobs *jobs, const char *directory, const char *name, uint32_t number, struct error *error)
{
	struct text to = {0};
	char *from = path_of(directory, name);
	text_format(&to, "%s/" JOB "%" PRIu32, directory, number);
	bool good = rename(from, to.data) == 0 || error_set(error, ERROR_INPUT, "%s: %s", from, strerror(errno));
	if (good)
		add_job(jobs, directory, number);
	text_clear(&to);
	free(from);
	return good;
}

static void find_foreign(struct jobs *jobs, const char *directory)
{
	struct error ignored = {0};
	char *path = path_of(directory, RECORD_FOREIGN);
	if (file_read(path, FOREIGN_LIMIT, &jobs->foreign, &ignored) && jobs->foreign.length)
		text_truncate(&jobs->foreign, strcspn(jobs->foreign.data, "\n"));
	free(path);
}

bool jobs_find(struct jobs *jobs, const char *directory, struct error *error)
{
	*jobs = (struct jobs){0};
	struct runs runs = find_runs(directory);
	bool good = true;
	find_foreign(jobs, directory);
	jobs->begun = has(directory, RECORD_BEGUN);
	jobs->alone = are_alone(&runs);
	if (!jobs->alone) {
		uint32_t number = find_numbered(jobs, directory);
		for (size_t i = 0; i < runs.length && good; i++)
			good = give_number(jobs, directory, runs.run[i].name, ++number, error);
	}
	if (jobs->length)
		qsort(jobs->job, jobs->length, sizeof *jobs->job, by_number);
	for (size_t i = 0; i < runs.length; i++)
		free(runs.run[i].name);
	free(runs.run);
	return good;
}

/* ------------------------------------------------------------------ what goes */

#define OF_ARCHIVE(in) in "traces.otf2", in "traces.def", in "traces/*.evt", in "traces/*.def", in "traces/"
#define OF_PROCESSES(in)                                                                                               \
	in "[0-9]*/traces/*.evt", in "[0-9]*/traces/", in "[0-9]*/side", in "[0-9]*/memory", in "[0-9]*/",             \
		in RECORD_ONLINE, in RECORD_MIXED, in RECORD_FINISHED
#define RUNS RECORD_RUN "*/"
#define JOBS JOB "[0-9]*/"

void jobs_make_room(const char *directory)
{
	static const char *const files[] = {OF_ARCHIVE(""), OF_PROCESSES(RUNS), RUNS, OF_PROCESSES(JOBS),
		OF_ARCHIVE(JOBS), JOBS, RECORD_FOREIGN, RECORD_BEGUN, RECORD_PARTIAL, "ended",
		/* of earlier versions */
		OF_PROCESSES(""), "alone", "*.side", "*.events", NULL};
	files_remove(directory, files);
}

void jobs_remove_archive(const struct job *job)
{
	static const char *const files[] = {OF_ARCHIVE(""), NULL};
	files_remove(job->directory, files);
}

void jobs_tidy(const char *directory, const struct jobs *jobs)
{
	static const char *const usual[] = {RECORD_FOREIGN, RECORD_BEGUN, JOBS, NULL}, *const of_runs[] = {
											       OF_PROCESSES(RUNS), RUNS,
											       NULL};
	files_remove(directory, usual);
	if (jobs->alone)
		files_remove(directory, of_runs);
}

/* ------------------------------------------------------------------ what comes instead */

static bool is_empty(const char *directory)
{
	DIR *all = opendir(directory);
	size_t entries = 0;
	while (all && entries < 3 && readdir(all))
		entries++;
	if (all)
		closedir(all);
	return entries < 3; /* itself, and the one that it is in */
}

void jobs_place(struct text *directory)
{
	if (is_empty(directory->data))
		return;
	text_put(directory, "/" RECORD_NEW);
	mkdir(directory->data, 0777);
	jobs_make_room(directory->data);
}

bool jobs_have_archive(const char *directory)
{
	return has(directory, "traces.otf2");
}

bool jobs_may_take(const char *directory, const char *place, bool whole)
{
	return strcmp(directory, place) && (whole || !jobs_have_archive(directory) || has(directory, RECORD_PARTIAL));
}

bool jobs_take(const char *directory, const char *place, struct error *error)
{
	jobs_make_room(directory);
	bool good = folder_move(place, directory, error);
	rmdir(place);
	return good;
}

void jobs_clear(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->length; i++) {
		free(jobs->job[i].own);
		free(jobs->job[i].directory);
	}
	free(jobs->job);
	text_clear(&jobs->foreign);
	*jobs = (struct jobs){0};
}
