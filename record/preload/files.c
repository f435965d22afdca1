/*
 * files.c -- fopen, as the OTF2 library sees it in here.
 *
 * The library writes chunks through stdio, which holds back what is less than a block of the file
 * system (4 MB on some): that would be lost with the process. So its files are not buffered. The
 * name is hidden: the program's own fopen is the C library's.
 */
#include <stdio.h>
#include <string.h>

__attribute__((visibility("hidden"))) FILE *fopen(const char *restrict path, const char *restrict mode)
{
	FILE *file = fopen64(path, mode);
	if (file && strchr(mode, 'w'))
		setvbuf(file, NULL, _IONBF, 0);
	return file;
}
