/*
 * inputs.c -- files are compared by device and inode, so that names do not matter.
 */
#include "cli/inputs.h"

#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

static bool same_file(const char *path, const struct stat *file)
{
	struct stat s;
	return stat(path, &s) == 0 && s.st_dev == file->st_dev && s.st_ino == file->st_ino;
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

static bool kept(const char *output, const char *input, struct error *error)
{
	struct stat file;
	if (!input || !strcmp(input, "-") || stat(output, &file) || !S_ISREG(file.st_mode))
		return true;
	if (!same_file(input, &file) && !stands_in(output, input) && !is_of_archive(output, &file, input))
		return true;
	return error_set(error, ERROR_INPUT,
		"%s: the output would take the place of what is read from %s: choose another file", output, input);
}

bool inputs_kept(const struct settings *s, struct error *error)
{
	const char *inputs[] = {s->argument[0], s->argument[1], s->run, s->bytes, s->times, s->profile, s->time_list};
	const char *outputs[] = {s->output, s->program};
	for (size_t o = 0; o < sizeof outputs / sizeof *outputs; o++)
		for (size_t i = 0; outputs[o] && strcmp(outputs[o], "-") && i < sizeof inputs / sizeof *inputs; i++)
			if (!kept(outputs[o], inputs[i], error))
				return false;
	return true;
}
