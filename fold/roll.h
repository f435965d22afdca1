/*
 * roll.h -- statements that repeat with numbers that advance become loops over affine functions of
 * their indices.
 *
 *	struct program *program = fold(m, NULL);
 *	roll(program);
 *	program_print(program, output);		-- for i0 = 0 to 14 / [0-15] p send @(x+1+i0,y) tag7 / done
 *
 * Every body of a program is a trace of statements: shapes, and numbers that take no part in them
 * (tags, peers, roots, and the counts and numbers of loops inside). The affine recognizer finds
 * their nests. (Ketterlin & Clauss, CGO 2008.)
 */
#ifndef TRACENEST_FOLD_ROLL_H
#define TRACENEST_FOLD_ROLL_H

#include "model/program.h"

/*
 * Make the program shorter where that can be done; what it stands for, statement by statement,
 * stays the same, and this is verified. No message goes from one iteration of a new loop to
 * another. O(statements), with the processes they cover in bodies where something is found. False
 * if it was left as it is because it has, or would stand for, too many statements
 * (model/instances.h), or its numbers are too large for the text. One whose numbers advance already
 * is only made shorter where what it stands for is not much.
 */
bool roll(struct program *);

#endif
