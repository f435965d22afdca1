/*
 * bar.c -- painted by a thread of its own, so that a phase without news is seen to go on.
 */
#include "cli/bar.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define WAIT 500 /* milliseconds before the first painting */
#define EVERY 100 /* and between paintings */
#define MOST 30 /* cells */
#define NAME 12
#define SECONDS_FROM 2

struct bar {
	pthread_t thread;
	bool runs; /* there is a thread */
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t ended;
	bool end;
	const char *phase;
	double share; /* below 0: not known */
	struct timespec began; /* the phase */
	int painted; /* columns */
};

static struct timespec now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t;
}

static struct timespec later(struct timespec t, long milliseconds)
{
	t.tv_nsec += milliseconds * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static int columns(void)
{
	struct winsize size;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static int cells(void)
{
	int room = columns() - NAME - (int)sizeof " 100 %  99999 s";
	return room < MOST ? room : MOST;
}

static void wipe(struct bar *b)
{
	if (b->painted)
		fprintf(stderr, "\r%*s\r", b->painted, "");
	b->painted = 0;
	fflush(stderr);
}

static void paint(struct bar *b)
{
	char line[NAME + MOST + 64];
	int length = snprintf(line, sizeof line, "%-*s", NAME, b->phase), most = cells();
	if (b->share >= 0) {
		for (int i = 0; i < most; i++)
			line[length++] = i < (int)(b->share * most) ? '#' : '.';
		length += snprintf(line + length, sizeof line - (size_t)length, " %3d %%", (int)(b->share * 100));
	}
	long seconds = now().tv_sec - b->began.tv_sec;
	if (seconds >= SECONDS_FROM)
		length += snprintf(line + length, sizeof line - (size_t)length, "  %ld s", seconds);
	if (length >= columns())
		length = columns() - 1;
	fprintf(stderr, "\r%.*s%*s", length, line, b->painted > length ? b->painted - length : 0, "");
	fflush(stderr);
	b->painted = length > b->painted ? length : b->painted;
}

static void *run(void *context)
{
	struct bar *b = context;
	struct timespec next = later(now(), WAIT);
	pthread_mutex_lock(&b->lock);
	while (!b->end) {
		if (!pthread_cond_timedwait(&b->ended, &b->lock, &next))
			continue;
		if (b->phase)
			paint(b);
		next = later(now(), EVERY);
	}
	wipe(b);
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

struct bar *bar_new(void)
{
	struct bar *b = mem_zero(sizeof *b);
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&b->ended, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&b->lock, NULL);
	b->runs = pthread_create(&b->thread, NULL, run, b) == 0;
	return b;
}

void bar_begin(struct bar *b, const char *phase)
{
	pthread_mutex_lock(&b->lock);
	if (!b->phase || strcmp(phase, b->phase) != 0)
		b->began = now();
	b->phase = phase;
	b->share = -1;
	pthread_mutex_unlock(&b->lock);
}

void bar_tell(struct bar *b, double share)
{
	pthread_mutex_lock(&b->lock);
	b->share = share < 0 ? 0 : share > 1 ? 1 : share;
	pthread_mutex_unlock(&b->lock);
}

void bar_free(struct bar *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&b->lock);
	b->end = true;
	pthread_cond_signal(&b->ended);
	pthread_mutex_unlock(&b->lock);
	if (b->runs)
		pthread_join(b->thread, NULL);
	pthread_cond_destroy(&b->ended);
	pthread_mutex_destroy(&b->lock);
	free(b);
}
