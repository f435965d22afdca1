/*
 * matrix.c -- who sends how much to whom in a phase of a run: `matrix MODEL [ADDRESS]`.
 *
 * Counted from the program, without running it: a loop of 10^9 iterations costs no more than one of
 * three. Without an address, every loop that stands in no other is taken for a phase.
 */
#include <inttypes.h>
#include <stdio.h>

#include <tracenest.h>

static bool print_phase(const tracenest_program *program, const char *address, tracenest_error *error)
{
	size_t cells;
	tracenest_matrix *matrix = tracenest_matrix_new(program, address, false, NULL, error);
	if (!matrix)
		return false;
	const tracenest_cell *cell = tracenest_matrix_cells(matrix, &cells);
	printf("phase %s\n", address);
	for (size_t i = 0; i < cells; i++)
		printf("  %" PRIu32 " -> %" PRIu32 ": %" PRIu64 "\n", cell[i].source, cell[i].destination,
			cell[i].messages);
	tracenest_matrix_free(matrix);
	return true;
}

static bool print_phases(tracenest_program *program, tracenest_error *error)
{
	tracenest_statement s;
	bool good = true;
	for (size_t at = 0; good && tracenest_statement_at(program, at, &s); at += 1 + s.inside) {
		char *address = tracenest_statement_address(program, at);
		if (s.is_loop)
			good = print_phase(program, address, error);
		tracenest_free(address);
	}
	return good;
}

int main(int words, char **word)
{
	tracenest_error error;
	if (words < 2 || words > 3)
		return fprintf(stderr, "usage: matrix MODEL [ADDRESS]\n"), 2;
	tracenest_program *program = tracenest_program_read(word[1], &error);
	bool good = program && (words == 3 ? print_phase(program, word[2], &error) : print_phases(program, &error));
	tracenest_program_free(program);
	if (!good)
		fprintf(stderr, "matrix: %s\n", error.message);
	return good ? 0 : (int)error.kind;
}
