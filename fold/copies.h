/*
 * copies.h -- a sequence of statements that stands several times in a row is a loop.
 *
 *	[0-7] p send (p+1)%8 tag1		[0-7] for i0 = 0 to 1
 *	[0-7] (p-1)%8 recv p tag1		  [0-7] p send (p+1)%8 tag1
 *	[0-7] p send (p+1)%8 tag1	to	  [0-7] (p-1)%8 recv p tag1
 *	[0-7] (p-1)%8 recv p tag1		done
 *
 * Recognition asks for three copies of what processes do, one by one; of what many do alike two are
 * no chance.
 */
#ifndef TRACENEST_FOLD_COPIES_H
#define TRACENEST_FOLD_COPIES_H

#include "model/program.h"

/* Make such loops in a program without attributes where the text has fewer lines then, and no
   message goes from one iteration to another; in long programs, of bodies of a few lines. True if
   there are any. O(statements * the longest body, and processes of what becomes a loop), with a
   budget. */
bool copies_roll(struct program *);

#endif
