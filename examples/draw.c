/*
 * draw.c -- a picture of a run, a line for each role: `draw TRACE PICTURE`.
 *
 * From the trace to the picture without a file between. The suffix of the picture's name says what
 * it is: .svg, .pdf, .png, .dot, or .html, a page to walk in.
 */
#include <stdio.h>

#include <tracenest.h>

int main(int words, char **word)
{
	tracenest_error error;
	if (words != 3)
		return fprintf(stderr, "usage: draw TRACE PICTURE\n"), 2;
	tracenest_options options = {.lenient = true};
	tracenest_picture picture = {.title = word[1], .roles = true, .skip_short = true};
	tracenest_program *program = tracenest_program_of_trace(word[1], &options, NULL, &error);
	bool good = program && tracenest_draw(program, &picture, word[2], &error);
	tracenest_program_free(program);
	if (!good)
		fprintf(stderr, "draw: %s\n", error.message);
	return good ? 0 : (int)error.kind;
}
