/*
 * folder.h -- results that are several files in a directory, written whole or not at all.
 *
 *	struct folder *f = folder_open("run.trace", patterns, &error);
 *	... write files into folder_path(f)
 *	folder_close(f, &error);
 *
 * The files are made in a hidden directory beside the destination, and moved when all are there.
 * Where there is a directory of that name already, earlier results in it, which the patterns name,
 * make room; other files stay. A run that fails or is ended by a signal leaves nothing behind.
 */
#ifndef TRACENEST_BASE_FOLDER_H
#define TRACENEST_BASE_FOLDER_H

#include "base/error.h"

struct folder;

/* patterns: as of files_remove (files.h), borrowed. NULL with *error set: it is a file, or cannot
   be written to. */
struct folder *folder_open(const char *path, const char *const *patterns, struct error *);
const char *folder_path(const struct folder *); /* where files are to be made */
bool folder_close(struct folder *, struct error *); /* takes the folder */

/* Move all files of a directory into another one that is there. */
bool folder_move(const char *from, const char *to, struct error *);

/* All files of a directory that the folder has not, as other names of the same files; but those in
   the folder itself, and where it goes. False with *error set: they are elsewhere, or cannot be
   named twice. O(files). */
bool folder_link(struct folder *, const char *from, struct error *);

/* The directory that is there becomes the new one at once; its path is without links and dots.
   False with *error set: it stays what it was. Takes the folder. */
bool folder_exchange(struct folder *, struct error *);
void folder_abandon(struct folder *); /* NULL is fine */

#endif
