/*
 * addresses.c -- programs that tell of each access to their arrays, one a line: "load 0x1008".
 * Arrays are given addresses of their own, so that every run prints the same.
 *
 *	addresses (multiply|decompose|solve|stencil|tiles)
 */
#include <stdio.h>
#include <string.h>

#define N 12
#define TILE 4

struct array {
	unsigned long base;
	double value[N][N];
};

static struct array a = {.base = 0x10000}, b = {.base = 0x20000}, c = {.base = 0x30000};

static double load(const struct array *x, int i, int j)
{
	printf("load 0x%lx\n", x->base + 8 * (unsigned long)(N * i + j));
	return x->value[i][j];
}

static void store(struct array *x, int i, int j, double value)
{
	printf("store 0x%lx\n", x->base + 8 * (unsigned long)(N * i + j));
	x->value[i][j] = value;
}

static void multiply(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;
			for (int k = 0; k < N; k++)
				sum += load(&a, i, k) * load(&b, k, j);
			store(&c, i, j, sum);
		}
}

/* LU decomposition, in place. */
static void decompose(void)
{
	for (int k = 0; k < N; k++)
		for (int i = k + 1; i < N; i++) {
			double pivot = load(&a, k, k), factor = load(&a, i, k) / pivot;
			store(&a, i, k, factor);
			for (int j = k + 1; j < N; j++)
				store(&a, i, j, load(&a, i, j) - factor * load(&a, k, j));
		}
}

/* a x = b, a being lower triangular; b and x are columns. */
static void solve(void)
{
	for (int i = 0; i < N; i++) {
		double sum = load(&b, i, 0);
		for (int j = 0; j < i; j++)
			sum -= load(&a, i, j) * load(&c, j, 0);
		store(&c, i, 0, sum / load(&a, i, i));
	}
}

static void stencil(void)
{
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++) {
			double sum = load(&a, i, j);
			sum += load(&a, i - 1, j);
			sum += load(&a, i + 1, j);
			sum += load(&a, i, j - 1);
			sum += load(&a, i, j + 1);
			store(&b, i, j, sum / 5);
		}
}

/* Transposition, tile by tile. */
static void tiles(void)
{
	for (int ti = 0; ti < N; ti += TILE)
		for (int tj = 0; tj < N; tj += TILE)
			for (int i = ti; i < ti + TILE; i++)
				for (int j = tj; j < tj + TILE; j++)
					store(&b, j, i, load(&a, i, j));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} programs[] = {{"multiply", multiply}, {"decompose", decompose}, {"solve", solve}, {"stencil", stencil},
		{"tiles", tiles}};
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a.value[i][j] = b.value[i][j] = 1 + i * j + (i == j ? N : 0);
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (argc == 2 && strcmp(argv[1], programs[i].name) == 0) {
			programs[i].run();
			return 0;
		}
	return 2;
}
