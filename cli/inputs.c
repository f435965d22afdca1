/*
 * inputs.c -- files are compared by device and inode, so that names do not matter.
 */
#include "cli/inputs.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static bool same_file(const char *path, const struct stat *file)
{
	struct stat s;
	bool there = strcmp(path, "-") ? stat(path, &s) == 0 : fstat(STDIN_FILENO, &s) == 0;
	return there && s.st_dev == file->st_dev && s.st_ino == file->st_ino;
}

/* Does the file stand in this directory? */
static bool stands_in(const char *output, const char *directory)
{
	struct stat s;
	struct text parent = {0};
	const char *slash = strrchr(output, '/');
	if (slash)
		text_add(&parent, output, (size_t)(slash - output) + 1);
	else
		text_put(&parent, ".");
	bool inside = stat(parent.data, &s) == 0 && S_ISDIR(s.st_mode) && same_file(directory, &s);
	text_clear(&parent);
	return inside;
}

/* The other files of an archive: STEM.def, and all in the directory STEM. */
static bool is_of_archive(const char *output, const struct stat *file, const char *anchor)
{
	static const char suffix[] = ".otf2";
	size_t length = strlen(anchor);
	if (length < sizeof suffix || strcmp(anchor + length - strlen(suffix), suffix))
		return false;
	struct text name = {0};
	text_add(&name, anchor, length - strlen(suffix));
	bool found = stands_in(output, name.data);
	text_put(&name, ".def");
	found = found || same_file(name.data, file);
	text_clear(&name);
	return found;
}

/* Is the output this file, or of the archive or the directory of traces that it may be? */
static bool replaces(const char *output, const struct stat *file, const char *input, bool trace)
{
	return same_file(input, file) ||
	       (trace && output && (stands_in(output, input) || is_of_archive(output, file, input)));
}

/* output: NULL: standard output, where that is a file. */
static bool kept(const char *output, const char *const *input, size_t inputs, bool traces, struct error *error)
{
	struct stat file;
	bool there = output ? stat(output, &file) == 0 : fstat(STDOUT_FILENO, &file) == 0;
	for (size_t i = 0; there && S_ISREG(file.st_mode) && i < inputs; i++)
		if (input[i] && replaces(output, &file, input[i], traces))
			return error_set(error, ERROR_INPUT,
				"%s: the output would take the place of what is read from %s: choose another file",
				output ? output : "standard output", input[i]);
	return true;
}

/* Two results in one file: only the one written last would be left. */
static bool apart(const char *const *output, size_t outputs, struct error *error)
{
	for (size_t o = 1; o < outputs; o++)
		for (size_t before = 0; before < o; before++) {
			const char *a = output[before], *b = output[o];
			struct stat file;
			if (a && b &&
				(!strcmp(a, b) ||
					(stat(b, &file) == 0 && S_ISREG(file.st_mode) && same_file(a, &file))))
				return error_set(error, ERROR_INPUT,
					"%s: two results in one file: choose another file for one", b);
		}
	return true;
}

bool inputs_kept(const struct settings *s, struct error *error)
{
	/* An option of the same name may be an output of one verb and an input of another. */
	bool times_written = s->given[OPTION_TIMES_TO], profile_written = s->given[OPTION_RECORDED_PROFILE];
	const char *inputs[] = {s->run, s->bytes, s->time_list, s->simulate, times_written ? NULL : s->times,
		profile_written ? NULL : s->profile};
	const char *outputs[] = {s->output, s->program, s->online, s->junit, s->sarif, times_written ? s->times : NULL,
		profile_written ? s->profile : NULL};
	size_t words = 0;
	while (s->command && s->command[words])
		words++;
	if (!apart(outputs, sizeof outputs / sizeof *outputs, error))
		return false;
	for (size_t o = 0; o < sizeof outputs / sizeof *outputs; o++) {
		const char *output = outputs[o] && strcmp(outputs[o], "-") ? outputs[o] : NULL;
		bool standard = o == 0 && !output && !s->command; /* what a command prints is its own affair */
		if ((output || standard) &&
			(!kept(output, s->argument, ARGUMENTS_MOST, true, error) ||
				!kept(output, inputs, sizeof inputs / sizeof *inputs, true, error) ||
				!kept(output, (const char *const *)s->command, words, false, error)))
			return false;
	}
	return true;
}
