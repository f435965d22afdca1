/*
 * unwind.c -- what a walk of the stack costs: the recorder's, backtrace()'s, and libunwind's where
 * it is installed, in turn in one run; processor time, the best of five.
 *
 *	bench/unwind
 *
 * Seventeen functions call each other, every third one twice: most of the stack stands from one
 * walk to the next.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "record/preload/unwind.h"

#define FRAMES 80

static struct unwind *own;
static int (*libunwind)(void **, int);
static void *frame[FRAMES];
static volatile long sink;

static int no_walk(void)
{
	return 0;
}

static int own_walk(void)
{
	return unwind(own)->count;
}

static int glibc_walk(void)
{
	return backtrace(frame, FRAMES);
}

static int libunwind_walk(void)
{
	return libunwind(frame, FRAMES);
}

static struct {
	int (*walk)(void);
	long calls, frames;
} now;

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static long f0(long x)
{
	volatile char local[32] = {0};
	for (int i = 0; i < 2; i++) {
		now.frames += now.walk();
		now.calls++;
	}
	return x + local[3];
}

#define F(n, callee)                                                                                                   \
	__attribute__((noinline)) static long f##n(long x)                                                             \
	{                                                                                                              \
		long sum = x * n;                                                                                      \
		for (int i = 0; i < (n % 3 ? 1 : 2); i++)                                                              \
			sink += sum += f##callee(sum + i);                                                             \
		return sum;                                                                                            \
	}
F(1, 0)
F(2, 1)
F(3, 2)
F(4, 3)
F(5, 4)
F(6, 5)
F(7, 6)
F(8, 7)
F(9, 8)
F(10, 9)
F(11, 10)
F(12, 11)
F(13, 12)
F(14, 13)
F(15, 14)
F(16, 15)

int main(void)
{
	static const struct {
		const char *name;
		int (*walk)(void);
		int times;
	} ways[] = {{"no walk", no_walk, 3000}, {"own", own_walk, 3000}, {"backtrace()", glibc_walk, 100},
		{"libunwind", libunwind_walk, 100}};
	double best[4] = {0}, frames[4] = {0};
	void *library = dlopen("libunwind.so.8", RTLD_NOW);
	if (library)
		*(void **)&libunwind = dlsym(library, "unw_backtrace");
	own = unwind_new();
	for (int round = 0; round < 5; round++)
		for (int way = 0; way < 4; way++) {
			if (ways[way].walk == libunwind_walk && !libunwind)
				continue;
			now.walk = ways[way].walk;
			now.calls = now.frames = 0;
			double begin = seconds();
			for (int i = 0; i < ways[way].times; i++)
				f16(i);
			double ns = (seconds() - begin) * 1e9 / (double)now.calls;
			best[way] = round && best[way] < ns ? best[way] : ns;
			frames[way] = (double)now.frames / (double)now.calls;
		}
	printf("%-12s %10s %8s %10s %10s\n", "walk", "ns a call", "frames", "ns a frame", "to own");
	for (int way = 1; way < 4; way++)
		if (frames[way] > 0)
			printf("%-12s %10.1f %8.1f %10.2f %10.1f\n", ways[way].name, best[way] - best[0], frames[way],
				(best[way] - best[0]) / frames[way], (best[way] - best[0]) / (best[1] - best[0]));
	free(own);
	return 0;
}
