/*
 * conjugate_gradient.c -- solves a system of equations whose matrix has three diagonals: a product
 * with the matrix needs one number from either neighbour, a step two sums over all processes.
 */
#include <math.h>
#include <stdio.h>

#include "tally.h"

enum { POINTS = 50, STEPS = 30, TO_LEFT = 1, TO_RIGHT = 2 };

static double dot(const double *a, const double *b)
{
	double mine = 0, sum;
	for (int i = 1; i <= POINTS; i++)
		mine += a[i] * b[i];
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce", MPI_COMM_WORLD);
	return sum;
}

/* product = matrix * x; x has room for a number of either neighbour. */
static void multiply(double *x, double *product, int left, int right)
{
	MPI_Request request[4];
	MPI_Irecv(&x[0], 1, MPI_DOUBLE, left, TO_RIGHT, MPI_COMM_WORLD, &request[0]);
	MPI_Irecv(&x[POINTS + 1], 1, MPI_DOUBLE, right, TO_LEFT, MPI_COMM_WORLD, &request[1]);
	MPI_Isend(&x[1], 1, MPI_DOUBLE, left, TO_LEFT, MPI_COMM_WORLD, &request[2]);
	MPI_Isend(&x[POINTS], 1, MPI_DOUBLE, right, TO_RIGHT, MPI_COMM_WORLD, &request[3]);
	tally_send(left, TO_LEFT, 1, MPI_DOUBLE, MPI_COMM_WORLD);
	tally_send(right, TO_RIGHT, 1, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int i = 0; i < 4; i++)
		MPI_Wait(&request[i], MPI_STATUS_IGNORE);
	tally_recv_from(left, TO_RIGHT, 1, MPI_DOUBLE, MPI_COMM_WORLD);
	tally_recv_from(right, TO_LEFT, 1, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int i = 1; i <= POINTS; i++)
		product[i] = 2.1 * x[i] - x[i - 1] - x[i + 1];
}

int main(int argc, char **argv)
{
	int rank, size;
	double x[POINTS + 2] = {0}, residual[POINTS + 2] = {0}, direction[POINTS + 2] = {0}, product[POINTS + 2] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int left = rank == 0 ? MPI_PROC_NULL : rank - 1, right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;

	for (int i = 1; i <= POINTS; i++)
		residual[i] = direction[i] = 1;
	double square = dot(residual, residual);
	for (int step = 0; step < STEPS; step++) {
		multiply(direction, product, left, right);
		double alpha = square / dot(direction, product);
		for (int i = 1; i <= POINTS; i++) {
			x[i] += alpha * direction[i];
			residual[i] -= alpha * product[i];
		}
		double next = dot(residual, residual), beta = next / square;
		for (int i = 1; i <= POINTS; i++)
			direction[i] = residual[i] + beta * direction[i];
		square = next;
	}
	if (rank == 0)
		printf("%d processes, %d steps: residual %.3g\n", size, STEPS, sqrt(square));
	tally_write();
	MPI_Finalize();
	return 0;
}
