/*
 * fuzz.h -- what the fuzz targets share. A target is a file fuzz_NAME.c with libFuzzer's entry
 * point; `make fuzz` links it with libFuzzer, `make test` with replay.c, which feeds it a fixed
 * number of inputs.
 */
#ifndef TRACENEST_TESTS_FUZZ_H
#define TRACENEST_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs that replay.c makes for a target, where they take long: a target may define it. */
extern const size_t fuzz_variations __attribute__((weak));

/* Unlike assert, also there with NDEBUG. */
#define MUST(condition)                                                                                                \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                        \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

/* A file in memory with these bytes, for readers that take paths. */
struct memory_file {
	int descriptor;
	char path[32];
};

static inline struct memory_file memory_file(const void *data, size_t size)
{
	struct memory_file file = {.descriptor = memfd_create("fuzz", MFD_CLOEXEC)};
	MUST(file.descriptor >= 0);
	MUST(write(file.descriptor, data, size) == (ssize_t)size);
	snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
	return file;
}

#endif
