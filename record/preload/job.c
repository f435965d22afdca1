/*
 * job.c -- where a process records: one command may run several jobs, at once or one after the
 * other, and those of one must meet in one folder without asking each other.
 *
 * So the folder is called after what launchers give all processes of a job, and no other job: an id
 * in the environment, or (Hydra has none) the port at which mpiexec listens, which stands among
 * the words of the proxies that it starts. Who is all of a job needs no launcher, and may have
 * inherited the words of one: it is known by host and process id.
 *
 * Ids may come again (ports do). Where a process of this rank has been, and has ended, this is
 * another job. Where it has not ended, and only the number of processes names the job, nobody can
 * tell two jobs apart: a mark says so, and nothing is made of that folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "record/preload/recorder.h"
#include "record/record.h"

/* Words that are a part of a file's name. */
static void put_name(struct text *to, const char *words)
{
	for (; *words; words++) {
		bool plain = (*words >= '0' && *words <= '9') || (*words >= 'A' && *words <= 'Z') ||
			     (*words >= 'a' && *words <= 'z') || *words == '.' || *words == '-';
		text_char(to, plain ? *words : '_');
	}
}

/* ------------------------------------------------------------------ what names a job */

/* The process that has started this one; 0: not known. */
static long parent_of(long process)
{
	char path[64];
	struct text stat = {0};
	struct error ignored = {0};
	long parent = 0;
	snprintf(path, sizeof path, "/proc/%ld/stat", process);
	if (file_read(path, SIZE_MAX, &stat, &ignored) && strrchr(stat.data, ')'))
		sscanf(strrchr(stat.data, ')'), ") %*c %ld", &parent);
	text_clear(&stat);
	return parent;
}

/* The word behind this one in the command of a process. */
static bool put_option(struct text *to, long process, const char *option)
{
	char path[64];
	struct text words = {0};
	struct error ignored = {0};
	bool found = false;
	snprintf(path, sizeof path, "/proc/%ld/cmdline", process);
	if (file_read(path, SIZE_MAX, &words, &ignored))
		for (size_t at = 0; at < words.length && !found; at += strlen(words.data + at) + 1) {
			size_t next = at + strlen(words.data + at) + 1;
			found = strcmp(words.data + at, option) == 0 && next < words.length;
			if (found)
				put_name(to, words.data + next);
		}
	text_clear(&words);
	return found;
}

/* Of the nearest of our ancestors that is a proxy of Hydra. */
static bool put_hydra(struct text *to)
{
	if (!getenv("PMI_SIZE"))
		return false;
	for (long process = getpid(); process > 1; process = parent_of(process))
		if (put_option(to, process, "--control-port"))
			return true;
	return false;
}

static bool put_variable(struct text *to, const char *variable)
{
	const char *value = getenv(variable);
	if (value)
		put_name(to, value);
	return value && *value;
}

static bool put_pmix(struct text *to)
{
	return put_variable(to, "PMIX_NAMESPACE");
}

static bool put_slurm(struct text *to)
{
	if (!getenv("SLURM_JOB_ID") || !put_variable(to, "SLURM_STEP_ID"))
		return false;
	text_char(to, '.');
	return put_variable(to, "SLURM_JOB_ID");
}

static bool put_pals(struct text *to)
{
	return put_variable(to, "PALS_APID");
}

/* The launchers of our MPI first: a process has the variables of all that stand around it. */
static bool (*const launchers[])(struct text *) = {
#ifdef OPEN_MPI
	put_pmix,
	put_slurm,
	put_pals,
	put_hydra,
#else
	put_hydra,
	put_slurm,
	put_pals,
	put_pmix,
#endif
};

/* False: by the number of its processes alone. */
static bool put_job(struct text *to)
{
	char host[256] = "";
	if (recorder.processes > 1) {
		for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
			if (launchers[i](to))
				return true;
		text_format(to, "of-%d", recorder.processes);
		return false;
	}
	gethostname(host, sizeof host - 1);
	put_name(to, host);
	text_format(to, "-%ld", (long)getpid());
	return true;
}

/* ------------------------------------------------------------------ folders */

static bool has_ended(const char *folder)
{
	struct text path = {0}, side = {0};
	struct error ignored = {0};
	text_format(&path, "%s/%d/side", folder, recorder.rank);
	bool ended = file_read(path.data, SIZE_MAX, &side, &ignored) && side.length && strstr(side.data, "\nend ");
	text_clear(&path);
	text_clear(&side);
	return ended;
}

static void mark_mixed(const char *folder)
{
	struct text path = {0};
	text_format(&path, "%s/" RECORD_MIXED, folder);
	int file = open(path.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (file >= 0)
		close(file);
	text_clear(&path);
}

bool job_folder(const char *directory, struct text *folder, struct text *own, struct error *error)
{
	struct text job = {0};
	bool made = false, known = put_job(&job);
	for (unsigned time = 1; !made; time++) {
		text_truncate(folder, 0);
		text_truncate(own, 0);
		text_format(folder, "%s/" RECORD_RUN "%s", directory, job.data);
		if (time > 1)
			text_format(folder, "+%u", time);
		text_format(own, "%s/%d", folder->data, recorder.rank);
		made = (!mkdir(folder->data, 0777) || errno == EEXIST) && !mkdir(own->data, 0777);
		int why = made ? 0 : errno;
		if (made || (why == EEXIST && has_ended(folder->data)))
			continue;
		error_set(error, ERROR_INPUT, "%s: %s", own->data, strerror(why));
		if (why == EEXIST && !known)
			mark_mixed(folder->data);
		break;
	}
	text_clear(&job);
	return made;
}

/* ------------------------------------------------------------------ others */

/* Of the launchers of the other MPI, who may have started us by mistake. */
void job_tell_launcher(void)
{
#ifdef OPEN_MPI
	static const char *const variables[] = {"PMI_RANK", "PMI_SIZE"};
#else
	static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"};
#endif
	const char *rank = getenv(variables[0]), *size = getenv(variables[1]);
	uint64_t number, count;
	if (recorder.processes == 1 && rank && size && text_is_number(rank, INT32_MAX, &number) &&
		text_is_number(size, INT32_MAX, &count) && count > 1)
		side_line(&recorder.side, "launcher %llu %llu", (unsigned long long)number, (unsigned long long)count);
}

#ifdef OPEN_MPI
#define OURS "Open MPI"
#define OTHER "MPICH"
#define OPTION "--mpi mpich"
#else
#define OURS "MPICH"
#define OTHER "Open MPI"
#define OPTION "--mpi openmpi"
#endif

/* The first one leaves the line that the command will say. */
void job_is_foreign(const char *directory)
{
	struct text path = {0};
	text_format(&path, "%s/" RECORD_FOREIGN, directory);
	int file = open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	text_clear(&path);
	if (file < 0)
		return;
	struct text line = {0};
	text_format(&line,
		"%s is a program of " OTHER ": it ran unrecorded, since the recorder was that of " OURS " (" OPTION
		" takes the other one)\n",
		program_invocation_short_name);
	ssize_t written = write(file, line.data, line.length);
	(void)written;
	close(file);
	text_clear(&line);
}
