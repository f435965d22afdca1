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

/* What happens to an entry, there and here. Gives an errno, or 0. */
typedef int entry_action(const struct folder *, const char *from, const char *to);

static int each_inside(const struct folder *f, const char *from, const char *to, entry_action *act)
{
	DIR *directory = opendir(from);
	struct text source = {0}, destination = {0};
	int trouble = directory ? 0 : errno;
	for (struct dirent *entry; !trouble && (entry = readdir(directory));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		join(&source, from, entry->d_name);
		join(&destination, to, entry->d_name);
		trouble = act(f, source.data, destination.data);
	}
	if (directory)
		closedir(directory);
	text_clear(&source);
	text_clear(&destination);
	return trouble;
}

/* What is a directory in both: its entries. */
static int move(const struct folder *f, const char *from, const char *to)
{
	struct stat s;
	if (stat(to, &s) == 0 && S_ISDIR(s.st_mode))
		return each_inside(f, from, to, move);
	return rename(from, to) ? errno : 0;
}

bool folder_move(const char *from, const char *to, struct error *error)
{
	int trouble = each_inside(NULL, from, to, move);
	return !trouble || refuse(to, trouble, error);
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
		trouble = each_inside(f, f->temporary, f->path, move);
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

static bool is_same(const char *path, const struct stat *s)
{
	struct stat own;
	return stat(path, &own) == 0 && own.st_dev == s->st_dev && own.st_ino == s->st_ino;
}

/* What is not there yet is another name of the same file. The folder may be inside of what is
   linked into it. */
static int link_entry(const struct folder *f, const char *from, const char *to)
{
	struct stat s;
	if (lstat(from, &s))
		return errno;
	if (!S_ISDIR(s.st_mode))
		return link(from, to) && errno != EEXIST ? errno : 0;
	if (is_same(f->temporary, &s) || is_same(f->path, &s))
		return 0;
	return mkdir(to, s.st_mode & 07777) && errno != EEXIST ? errno : each_inside(f, from, to, link_entry);
}

bool folder_link(struct folder *f, const char *from, struct error *error)
{
	int trouble = each_inside(f, from, f->temporary, link_entry);
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
