/*
 * launch.c -- words and variables for launchers; programs are looked into by the table of libraries
 * that they carry (ELF's DT_NEEDED), nothing is run to find out.
 */
#include "record/launch.h"

#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/mem.h"

extern char **environ;

#define NO_BINARY "is neither a program of this machine nor a script that begins with '#!', as in '#!/bin/sh'"
#define TOO_FEW_SLOTS                                                                                                  \
	"started nothing: more processes than the slots of Open MPI, which are the cores: --oversubscribe lets processes share them"
#define NO_MPI "is not linked with MPI, and no process that it started called MPI_Init: name the program that does"
#define NO_INIT                                                                                                        \
	"is linked with MPI, but no process called MPI_Init with the recorder: it uses sessions alone, or what starts it drops LD_PRELOAD: put 'tracenest record-exec -o DIR' right before it"

static const struct {
	const char *name, *library;
} mpis[LAUNCH_MPIS] = {
	[LAUNCH_AUTO] = {"MPI", NULL},
	[LAUNCH_OPENMPI] = {"Open MPI", "libtracenest-record-openmpi.so"},
	[LAUNCH_MPICH] = {"MPICH", "libtracenest-record-mpich.so"},
};

const char *launch_mpi_name(enum launch_mpi mpi)
{
	return mpis[mpi].name;
}

/* ------------------------------------------------------------------ programs */

/* Libraries by what they are called: MPICH and all of its ABI are version 12. */
static enum launch_mpi mpi_of_library(const char *name)
{
	if (text_begins_with(name, "libmpich") || text_begins_with(name, "libmpi.so.12") ||
		text_begins_with(name, "libmpifort.so.12"))
		return LAUNCH_MPICH;
	if (text_begins_with(name, "libmpi.so") || text_begins_with(name, "libmpi_"))
		return LAUNCH_OPENMPI;
	return LAUNCH_AUTO;
}

/* A file in memory. */
struct image {
	const char *bytes;
	size_t size;
};

static const void *image_at(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

/* The place in the file of an address of the program. */
static bool file_offset(const struct image *image, const ElfW(Ehdr) * header, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const ElfW(Phdr) *segment = image_at(image, header->e_phoff + i * sizeof *segment, sizeof *segment);
		if (segment && segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
			address - segment->p_vaddr < segment->p_filesz) {
			*offset = segment->p_offset + (address - segment->p_vaddr);
			return true;
		}
	}
	return false;
}

/* The MPI among the libraries that a dynamic section asks for; `count` entries. */
static enum launch_mpi mpi_of_section(
	const struct image *image, const ElfW(Ehdr) * header, const ElfW(Dyn) * entry, size_t count)
{
	uint64_t names = 0, offset = 0;
	for (size_t i = 0; i < count; i++)
		if (entry[i].d_tag == DT_STRTAB)
			names = entry[i].d_un.d_ptr;
	if (!file_offset(image, header, names, &offset))
		return LAUNCH_AUTO;
	for (size_t i = 0; i < count && entry[i].d_tag != DT_NULL; i++) {
		char name[64] = "";
		const char *at = entry[i].d_tag == DT_NEEDED ? image_at(image, offset + entry[i].d_un.d_val, 1) : NULL;
		size_t most = at ? image->size - (size_t)(at - image->bytes) : 0;
		if (at)
			snprintf(name, sizeof name, "%.*s", (int)(most < sizeof name ? most : sizeof name), at);
		if (mpi_of_library(name) != LAUNCH_AUTO)
			return mpi_of_library(name);
	}
	return LAUNCH_AUTO;
}

static const ElfW(Ehdr) * header_of(const struct image *image)
{
	const ElfW(Ehdr) *header = image_at(image, 0, sizeof *header);
	return header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
			       header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
		       ? header
		       : NULL;
}

/* No program that finds its libraries when it starts. */
static bool is_static(const struct image *image)
{
	const ElfW(Ehdr) *header = header_of(image);
	for (unsigned i = 0; header && i < header->e_phnum; i++) {
		const ElfW(Phdr) *segment = image_at(image, header->e_phoff + i * sizeof *segment, sizeof *segment);
		if (!segment || segment->p_type == PT_INTERP)
			return false;
	}
	return header;
}

static enum launch_mpi mpi_of_image(const struct image *image)
{
	const ElfW(Ehdr) *header = header_of(image);
	if (!header)
		return LAUNCH_AUTO;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const ElfW(Phdr) *segment = image_at(image, header->e_phoff + i * sizeof *segment, sizeof *segment);
		if (!segment || segment->p_type != PT_DYNAMIC)
			continue;
		const ElfW(Dyn) *entry = image_at(image, segment->p_offset, segment->p_filesz);
		return entry ? mpi_of_section(image, header, entry, segment->p_filesz / sizeof *entry) : LAUNCH_AUTO;
	}
	return LAUNCH_AUTO;
}

/* What a program says of itself. */
struct linkage {
	enum launch_mpi mpi;
	bool alone; /* it is linked statically */
};

static struct linkage linkage_of(const char *path)
{
	struct linkage linkage = {.mpi = LAUNCH_AUTO};
	struct stat s;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return linkage;
	if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0) {
		struct image image = {
			mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0), (size_t)s.st_size};
		if (image.bytes != MAP_FAILED) {
			linkage = (struct linkage){mpi_of_image(&image), is_static(&image)};
			munmap((void *)image.bytes, image.size);
		}
	}
	close(file);
	return linkage;
}

static bool is_program(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* The file that a word of a command would run; false: none. */
static bool find_program(const char *word, struct text *path)
{
	text_truncate(path, 0);
	if (strchr(word, '/')) {
		text_put(path, word);
		return is_program(path->data);
	}
	const char *at = getenv("PATH");
	for (at = at && *word ? at : ""; *at != '\0';) {
		size_t length = strcspn(at, ":");
		text_truncate(path, 0);
		text_add(path, length ? at : ".", length ? length : 1);
		text_format(path, "/%s", word);
		if (is_program(path->data))
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}

/* Why a word that stands where a program is expected is none. */
static const char *why_no_program(const char *word)
{
	struct stat s;
	if (stat(word, &s) != 0)
		return "there is no such program";
	if (S_ISDIR(s.st_mode))
		return "is no program, but a directory";
	return "is no program: it cannot be executed ('chmod +x' allows it)";
}

bool launch_finds(const char *word, struct error *error)
{
	struct text path = {0};
	bool found = find_program(word, &path);
	text_clear(&path);
	return found || error_set(error, ERROR_INPUT, "%s: %s", word, why_no_program(word));
}

/* ------------------------------------------------------------------ launchers */

enum launcher { LAUNCHER_NONE, LAUNCHER_OPENMPI, LAUNCHER_HYDRA, LAUNCHER_SLURM };

static enum launcher launcher_of(const char *path)
{
	char real[PATH_MAX];
	const char *slash = realpath(path, real) ? strrchr(real, '/') : NULL;
	const char *name = slash ? slash + 1 : "";
	if (strcmp(name, "orterun") == 0 || strcmp(name, "prterun") == 0)
		return LAUNCHER_OPENMPI;
	if (strcmp(name, "mpiexec.hydra") == 0)
		return LAUNCHER_HYDRA;
	if (strcmp(name, "srun") == 0)
		return LAUNCHER_SLURM;
	return LAUNCHER_NONE;
}

/* What the words of a command are. */
struct sight {
	size_t launcher_at, program_at; /* words of the command */
	enum launcher launcher;
	enum launch_mpi mpi;
	bool found, alone; /* is there a program, is it linked statically? */
};

static struct sight look_at(char *const *command)
{
	struct sight sight = {0};
	struct text path = {0};
	bool program = false;
	for (size_t i = 0; command[i] && sight.mpi == LAUNCH_AUTO; i++) {
		if (!find_program(command[i], &path))
			continue;
		enum launcher launcher = sight.launcher == LAUNCHER_NONE ? launcher_of(path.data) : LAUNCHER_NONE;
		if (launcher != LAUNCHER_NONE) {
			sight.launcher = launcher;
			sight.launcher_at = i;
			program = false;
			continue;
		}
		struct linkage linkage = linkage_of(path.data);
		sight.mpi = linkage.mpi;
		if (!program || sight.mpi != LAUNCH_AUTO) {
			sight.program_at = i;
			sight.alone = linkage.alone;
		}
		program = true;
	}
	sight.found = program;
	text_clear(&path);
	return sight;
}

const char *launch_program(char *const *command)
{
	const char *word = command[look_at(command).program_at], *slash = strrchr(word, '/');
	return slash && slash[1] != '\0' ? slash + 1 : word;
}

/* ------------------------------------------------------------------ what was not recorded */

/* The word behind a launcher that was to be a program, as far as can be seen; NULL. */
static const char *word_missing(char *const *command, size_t launcher)
{
	const char *missing = NULL;
	for (size_t i = launcher + 1; command[i]; i++)
		if (strchr(command[i], '/') && *command[i] != '-' && (!missing || access(missing, F_OK) == 0))
			missing = command[i];
	return missing;
}

/* Is one of the words this one, or does it contain it? */
static bool has_word(char *const *command, const char *part)
{
	while (*command && !strstr(*command, part))
		command++;
	return *command;
}

/* Open MPI has a slot for each core. */
static bool asks_for_more(char *const *command)
{
	uint64_t asked = 0;
	for (; command[0] && command[1]; command++)
		if (!strcmp(command[0], "-n") || !strcmp(command[0], "-np") || !strcmp(command[0], "-c"))
			text_is_number(command[1], UINT32_MAX, &asked);
	return asked > (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}

/* What starts programs without the environment that it has; NULL. */
static const char *word_without_environment(char *const *command)
{
	static const char names[] = " sudo su ssh singularity apptainer docker podman ";
	for (; *command; command++) {
		const char *at = **command ? strstr(names, *command) : NULL;
		if (at && at > names && at[-1] == ' ' && at[strlen(*command)] == ' ')
			return *command;
		if (!strcmp(*command, "env") && command[1] && !strcmp(command[1], "-i"))
			return "env -i";
	}
	return NULL;
}

/* It runs as somebody else: the system preloads nothing into it. */
static bool is_somebody_else(const char *path)
{
	struct stat s;
	return !stat(path, &s) &&
	       ((s.st_mode & S_ISUID && s.st_uid != getuid()) || (s.st_mode & S_ISGID && s.st_gid != getgid()));
}

void launch_tell_nothing(char *const *command, int status, bool begun, struct text *why)
{
	struct sight sight = look_at(command);
	struct text path = {0};
	find_program(command[sight.program_at], &path);
	const char *program = command[sight.program_at], *launcher = command[sight.launcher_at], *file = path.data,
		   *missing = word_missing(command, sight.launcher_at), *bare = word_without_environment(command);
	bool none = sight.launcher != LAUNCHER_NONE && !sight.found && status,
	     openmpi = sight.launcher == LAUNCHER_OPENMPI && status == 1,
	     as_root = !getuid() && !getenv("OMPI_ALLOW_RUN_AS_ROOT") && !has_word(command, "run-as-root"),
	     shares = getenv("OMPI_MCA_rmaps_base_oversubscribe") || has_word(command, "oversubscribe"),
	     binary = !status || file_begins(file, ELFMAG, SELFMAG) || file_begins(file, "#!", 2),
	     signal = status > 128 && status <= 128 + SIGRTMAX;
	const struct {
		bool is;
		const char *subject, *predicate;
	} reasons[] = {
		{begun, program, "called MPI_Init, which failed for the reason that MPI gives above"},
		{none && missing, missing, missing ? why_no_program(missing) : ""},
		{none, launcher, "started nothing: none of the words behind it is a program that is here"},
		{openmpi && as_root, launcher, "runs nothing as root: be another user, or say --allow-run-as-root"},
		{openmpi && !shares && asks_for_more(command), launcher, TOO_FEW_SLOTS},
		{sight.found && !binary, program, NO_BINARY},
		{is_somebody_else(file), program, "is setuid or setgid, so that nothing is preloaded: record a copy"},
		{bare, bare, "hands LD_PRELOAD on to no program: put 'tracenest record-exec -o DIR' before yours"},
		{signal, signal ? strsignal(status - 128) : "", "ended the program before it came to MPI_Init"},
		{status == 127, command[0], "did not find a command that it was to run"},
		{status == 126, command[0], "could not execute a command that it was to run"},
		{status, command[0], "ended before any process came to MPI_Init: what it says above is why"},
		{sight.mpi == LAUNCH_AUTO, program, NO_MPI},
		{true, program, NO_INIT},
	};
	size_t i = 0;
	while (!reasons[i].is)
		i++;
	text_put(why, reasons[i].subject);
	if (status)
		text_format(why, " (status %d)", status);
	text_format(why, ": %s", reasons[i].predicate);
	text_clear(&path);
}

/* ------------------------------------------------------------------ the recorder's library */

bool launch_find(const char *library, struct text *path)
{
	static const char *const places[] = {"", "../lib/tracenest/"};
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
	own[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(own, '/');
	if (slash)
		slash[1] = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		text_truncate(path, 0);
		text_format(path, "%s%s%s", own, places[i], library);
		char *real = realpath(path->data, NULL);
		if (real) {
			text_truncate(path, 0);
			text_put(path, real);
			free(real);
			return true;
		}
	}
	return false;
}

/* mpi: LAUNCH_AUTO: there is none for any. */
static bool no_recorder(struct launch *launch, enum launch_mpi mpi, struct error *error)
{
	launch->no_recorder = true;
	return error_set(error, ERROR_INPUT,
		"%s: no recorder for %s stands beside this command or in ../lib/tracenest: 'make' builds it where the compiler of that MPI is installed ('make deps')",
		mpi == LAUNCH_AUTO ? "libtracenest-record-*.so" : mpis[mpi].library, mpis[mpi].name);
}

/* MPIs that there is a recorder for, and the last one of them. */
static unsigned count_recorders(enum launch_mpi *last)
{
	unsigned count = 0;
	struct text path = {0};
	*last = LAUNCH_AUTO;
	for (enum launch_mpi mpi = LAUNCH_AUTO + 1; mpi < LAUNCH_MPIS; mpi++)
		if (launch_find(mpis[mpi].library, &path)) {
			*last = mpi;
			count++;
		}
	text_clear(&path);
	return count;
}

static enum launch_mpi mpi_of_command(const struct sight *sight)
{
	if (sight->mpi != LAUNCH_AUTO)
		return sight->mpi;
	if (sight->launcher == LAUNCHER_OPENMPI)
		return LAUNCH_OPENMPI;
	if (sight->launcher == LAUNCHER_HYDRA)
		return LAUNCH_MPICH;
	enum launch_mpi only;
	return count_recorders(&only) == 1 ? only : LAUNCH_AUTO;
}

/* ------------------------------------------------------------------ the command */

void launch_set(struct launch *launch, const char *name, const char *format, ...)
{
	assert(launch->variables < LAUNCH_VARIABLES);
	struct launch_variable *variable = &launch->variable[launch->variables++];
	char value[2 * PATH_MAX];
	va_list rest;
	va_start(rest, format);
	vsnprintf(value, sizeof value, format, rest);
	va_end(rest);
	variable->name = name;
	text_put(&variable->value, value);
}

static void add_word(struct launch *launch, char *word)
{
	*MEM_PUSH(launch->words, launch->length, launch->capacity) = word;
}

static void add_variable(struct launch *launch, enum launcher launcher, const struct launch_variable *variable)
{
	struct text word = {0};
	if (launcher == LAUNCHER_OPENMPI) {
		add_word(launch, mem_text("-x"));
		text_format(&word, "%s=%s", variable->name, variable->value.data);
		add_word(launch, word.data);
	} else {
		add_word(launch, mem_text("-genv"));
		add_word(launch, mem_text(variable->name));
		add_word(launch, mem_text(variable->value.data));
	}
}

/* Where srun is told which variables go with its program, all that it has do, and ours. */
static void add_slurm(struct launch *launch)
{
	struct text word = {0};
	text_put(&word, "--export=ALL");
	for (size_t i = 0; i < launch->variables; i++)
		text_format(&word, ",%s=%s", launch->variable[i].name, launch->variable[i].value.data);
	add_word(launch, word.data);
}

/* Behind the launcher; Open MPI's wants to be told again for each of the programs that a colon
   divides. */
static bool takes_variables(const struct sight *sight, char *const *command, size_t at)
{
	if (sight->launcher == LAUNCHER_NONE || at < sight->launcher_at)
		return false;
	return at == sight->launcher_at || (sight->launcher == LAUNCHER_OPENMPI && strcmp(command[at], ":") == 0);
}

bool launch_prepare(struct launch *launch, char *const *command, enum launch_mpi asked, struct error *error)
{
	struct sight sight = look_at(command);
	const char *program = command[sight.program_at];
	launch->mpi = asked != LAUNCH_AUTO ? asked : mpi_of_command(&sight);
	if (asked != LAUNCH_AUTO && sight.mpi != LAUNCH_AUTO && asked != sight.mpi)
		return error_set(error, ERROR_INPUT, "%s: linked with %s, and not with %s: leave --mpi away", program,
			mpis[sight.mpi].name, mpis[asked].name);
	if (asked == LAUNCH_AUTO && sight.mpi == LAUNCH_AUTO && sight.alone)
		return error_set(error, ERROR_INPUT,
			"%s: linked statically, so that no recorder can be put before its MPI: link it with shared libraries (or name the MPI, --mpi, of what it starts)",
			program);
	if (launch->mpi == LAUNCH_AUTO && count_recorders(&(enum launch_mpi){LAUNCH_AUTO}) == 0)
		return no_recorder(launch, LAUNCH_AUTO, error);
	if (launch->mpi == LAUNCH_AUTO)
		return error_set(error, ERROR_INPUT,
			"%s: linked with neither Open MPI nor MPICH: if it starts a program that is, say with which (--mpi)",
			program);
	struct text preload = {0};
	bool found = launch_find(mpis[launch->mpi].library, &preload) || no_recorder(launch, launch->mpi, error);
	const char *before = getenv("LD_PRELOAD");
	if (found && before && *before)
		text_format(&preload, ":%s", before);
	if (found)
		launch_set(launch, "LD_PRELOAD", "%s", preload.data);
	text_clear(&preload);
	if (!found)
		return false;
	for (size_t i = 0; command[i]; i++) {
		add_word(launch, mem_text(command[i]));
		if (!takes_variables(&sight, command, i))
			continue;
		for (size_t k = 0; k < launch->variables && sight.launcher != LAUNCHER_SLURM; k++)
			add_variable(launch, sight.launcher, &launch->variable[k]);
		if (sight.launcher == LAUNCHER_SLURM)
			add_slurm(launch);
	}
	add_word(launch, NULL);
	if (sight.launcher == LAUNCHER_NONE)
		launch_export(launch);
	return true;
}

void launch_export(const struct launch *launch)
{
	for (size_t i = 0; i < launch->variables; i++)
		setenv(launch->variable[i].name, launch->variable[i].value.data, 1);
}

void launch_clear(struct launch *launch)
{
	for (size_t i = 0; i < launch->length; i++)
		free(launch->words[i]);
	free(launch->words);
	for (size_t i = 0; i < launch->variables; i++)
		text_clear(&launch->variable[i].value);
	*launch = (struct launch){0};
}

/* ------------------------------------------------------------------ running */

void launch_become(char *const *words, struct error *error)
{
	signal(SIGPIPE, SIG_DFL); /* as in start, below */
	execvp(words[0], words);
	error_set(error, ERROR_INPUT, "%s cannot be run: %s", words[0], strerror(errno));
}

static int start(char *const *words, const sigset_t *mask, pid_t *child)
{
	posix_spawnattr_t attributes;
	sigset_t standard;
	sigemptyset(&standard);
	sigaddset(&standard, SIGPIPE); /* ignored by us, not by what we run */
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, mask);
	posix_spawnattr_setsigdefault(&attributes, &standard);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int trouble = posix_spawnp(child, words[0], NULL, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	return trouble;
}

/* Signals are waited for, like the child, so that none of them can end us in between. */
static int await(pid_t child, const sigset_t *signals)
{
	for (;;) {
		siginfo_t signal;
		int raw;
		if (sigwaitinfo(signals, &signal) < 0)
			continue;
		if (signal.si_signo != SIGCHLD) {
			if (signal.si_code <= 0) /* sent by a process; the terminal sends to all by itself */
				kill(child, signal.si_signo);
		} else if (waitpid(child, &raw, WNOHANG) == child) {
			return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
		}
	}
}

bool launch_run(char *const *words, int *status, struct error *error)
{
	static const int awaited[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
	sigset_t signals, before;
	pid_t child;
	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof awaited / sizeof *awaited; i++)
		sigaddset(&signals, awaited[i]);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, &before);
	int trouble = start(words, &before, &child);
	if (!trouble)
		*status = await(child, &signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return !trouble || error_set(error, ERROR_INPUT, "%s cannot be run: %s", words[0],
				   trouble == ENOEXEC ? NO_BINARY : strerror(trouble));
}
