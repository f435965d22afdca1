/*
 * packed.c -- the few functions of libzstd that are used, as its manual declares them.
 */
#include "base/packed.h"

#include <dlfcn.h>
#include <string.h>

#include "base/mem.h"

#define LEVEL 19
/* What is longer, tables of millions of numbers, would take minutes. */
#define LONG_TEXT ((size_t)16 << 20)
#define LONG_LEVEL 6
#define QUICK_LEVEL 3

/* Of a block of a frame: no more bytes are unpacked from one, which takes at least so many. */
#define BLOCK_MOST (1 << 17)
#define BLOCK_LEAST 4

#define DAMAGED "the compressed data is damaged, or cut short"

struct library {
	void *handle;
	size_t (*bound)(size_t);
	size_t (*compress)(void *, size_t, const void *, size_t, int);
	size_t (*decompress)(void *, size_t, const void *, size_t);
	unsigned long long (*content_size)(const void *, size_t);
	unsigned (*is_error)(size_t);
};

static bool find(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);
	memcpy(function, &found, sizeof found);
	return found;
}

static bool library_open(struct library *z, struct error *error)
{
	z->handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!z->handle)
		return error_set(error, ERROR_INPUT, "compressed models need the library of zstd: install libzstd1");
	if (find(z->handle, "ZSTD_compressBound", &z->bound) && find(z->handle, "ZSTD_compress", &z->compress) &&
		find(z->handle, "ZSTD_decompress", &z->decompress) &&
		find(z->handle, "ZSTD_getFrameContentSize", &z->content_size) &&
		find(z->handle, "ZSTD_isError", &z->is_error))
		return true;
	dlclose(z->handle);
	return error_set(error, ERROR_INPUT, "the library of zstd is too old");
}

static void make_room(struct text *to, size_t length)
{
	to->length = 0;
	to->data = mem_grow(to->data, &to->capacity, length + 1, 1);
}

static bool make(const char *bytes, size_t length, int level, struct text *to, struct error *error)
{
	struct library z;
	if (!library_open(&z, error))
		return false;
	make_room(to, z.bound(length));
	size_t size = z.compress(to->data, to->capacity, bytes, length, level);
	bool good = !z.is_error(size) || error_set(error, ERROR_INTERNAL, "zstd cannot compress this");
	to->length = good ? size : 0;
	dlclose(z.handle);
	return good;
}

bool packed_make(const char *bytes, size_t length, struct text *to, struct error *error)
{
	return make(bytes, length, length < LONG_TEXT ? LEVEL : LONG_LEVEL, to, error);
}

bool packed_make_quickly(const char *bytes, size_t length, struct text *to, struct error *error)
{
	return make(bytes, length, QUICK_LEVEL, to, error);
}

static bool open_frame(const struct library *z, const char *bytes, size_t length, struct text *to, struct error *error)
{
	unsigned long long size = z->content_size(bytes, length);
	if (size > PACKED_LIMIT)
		return error_set(error, ERROR_INPUT,
			"not a compressed model; what else is packed by zstd must be unpacked first ('unzstd', 'tar --zstd -xf')");
	if (size / BLOCK_MOST > length / BLOCK_LEAST)
		return error_set(error, ERROR_INPUT, DAMAGED);
	make_room(to, (size_t)size);
	size_t got = z->decompress(to->data, (size_t)size, bytes, length);
	if (z->is_error(got) || got != size)
		return error_set(error, ERROR_INPUT, DAMAGED);
	to->length = got;
	to->data[got] = 0;
	return true;
}

bool packed_open(const char *bytes, size_t length, struct text *to, struct error *error)
{
	struct library z;
	if (!library_open(&z, error))
		return false;
	bool good = open_frame(&z, bytes, length, to, error);
	dlclose(z.handle);
	return good;
}
