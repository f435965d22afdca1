/*
 * folder.c -- a directory that is renamed, or whose entries are.
 */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/mem.h"
#include "base/unfinished.h"

struct folder {
	char *path, *temporary;
	const char *const *patterns;
};

static bool refuse(const char *path, int trouble, struct error *error)
{
	return error_set(error, ERROR_INPUT, "%s: cannot write: %s", path, strerror(trouble));
}

/* A name that ends with slashes means what it means without them. */
static char *clean(const char *path)
{
	size_t length = strlen(path);
	char *name = mem_text(path);
	while (length > 1 && name[length - 1] == '/')
		name[--length] = 0;
	return name;
}

static void release(struct folder *f)
{
	free(f->path);
	free(f);
}

struct folder *folder_open(const char *path, const char *const *patterns, struct error *error)
{
	struct folder *f = mem_zero(sizeof *f);
	struct stat s;
	f->path = clean(path);
	f->patterns = patterns;
	bool there = stat(f->path, &s) == 0;
	if (there && !S_ISDIR(s.st_mode))
		refuse(path, ENOTDIR, error);
	else if (there && access(f->path, W_OK | X_OK))
		refuse(path, errno, error);
	else
		f->temporary = unfinished_folder_beside(f->path, error);
	if (f->temporary)
		return f;
	release(f);
	return NULL;
}

const char *folder_path(const struct folder *f)
{
	return f->temporary;
}

static void join(struct text *path, const char *directory, const char *name)
{
	text_truncate(path, 0);
	text_format(path, "%s/%s", directory, name);
}

/* Everything in one directory goes to another; what is a directory in both, its entries. */
static int move_inside(const char *from, const char *to)
{
	DIR *directory = opendir(from);
	struct text source = {0}, destination = {0};
	int trouble = directory ? 0 : errno;
	for (struct dirent *entry; !trouble && (entry = readdir(directory));) {
		struct stat s;
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		join(&source, from, entry->d_name);
		join(&destination, to, entry->d_name);
		if (stat(destination.data, &s) == 0 && S_ISDIR(s.st_mode))
			trouble = move_inside(source.data, destination.data);
		else if (rename(source.data, destination.data))
			trouble = errno;
	}
	if (directory)
		closedir(directory);
	text_clear(&source);
	text_clear(&destination);
	return trouble;
}

/* mkdtemp makes what only its owner can read. */
static void give_usual_mode(const char *path)
{
	mode_t mask = umask(0);
	umask(mask);
	chmod(path, 0777 & ~mask);
}

bool folder_close(struct folder *f, struct error *error)
{
	int trouble = 0;
	bool renamed = false;
	struct stat s;
	if (stat(f->path, &s) == 0) {
		files_remove(f->path, f->patterns);
		trouble = move_inside(f->temporary, f->path);
	} else {
		give_usual_mode(f->temporary);
		renamed = rename(f->temporary, f->path) == 0;
		trouble = renamed ? 0 : errno;
	}
	if (!renamed)
		unfinished_remove(f->temporary);
	else if (unfinished_leave(UNFINISHED_FOLDER, f->temporary))
		free(f->temporary);
	bool good = !trouble || refuse(f->path, trouble, error);
	release(f);
	return good;
}

/* Whatever is in one directory and not in the other is there, too, as another name of the same
   file. */
static int link_inside(const char *from, const char *to)
{
	DIR *directory = opendir(from);
	struct text source = {0}, destination = {0};
	int trouble = directory ? 0 : errno;
	for (struct dirent *entry; !trouble && (entry = readdir(directory));) {
		struct stat s;
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		join(&source, from, entry->d_name);
		join(&destination, to, entry->d_name);
		if (lstat(source.data, &s))
			trouble = errno;
		else if (S_ISDIR(s.st_mode))
			trouble = !mkdir(destination.data, s.st_mode & 07777) || errno == EEXIST
					  ? link_inside(source.data, destination.data)
					  : errno;
		else if (link(source.data, destination.data) && errno != EEXIST)
			trouble = errno;
	}
	if (directory)
		closedir(directory);
	text_clear(&source);
	text_clear(&destination);
	return trouble;
}

bool folder_link(struct folder *f, const char *from, struct error *error)
{
	int trouble = link_inside(from, f->temporary);
	return !trouble || refuse(f->path, trouble, error);
}

bool folder_exchange(struct folder *f, struct error *error)
{
	struct stat s;
	int trouble = stat(f->path, &s) || chmod(f->temporary, s.st_mode & 07777) ? errno : 0;
	if (!trouble && renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->path, RENAME_EXCHANGE))
		trouble = errno;
	bool good = !trouble || refuse(f->path, trouble, error);
	folder_abandon(f); /* what it has now is what was there */
	return good;
}

void folder_abandon(struct folder *f)
{
	if (!f)
		return;
	unfinished_remove(f->temporary);
	release(f);
}
