/*
 * phase.h -- turn the loops of a process's program to where all of it is shortest.
 *
 *	struct nest *n = nlr_finish(r);
 *	struct nest *turned = phase_turned(n, NLR_REPETITIONS);	-- NULL: nothing is turned
 *
 * A recognizer begins a loop where it first sees a repetition, so that a program's loop comes out
 * in a phase that what stands before it decides, and in several if it is met several times:
 *
 *	25 {26 {S R T S}  26 {S S R T}  3 {S}  26 {R T S S}}	is	75 {S  26 {R T S S}}
 *
 * The rules, for a loop [B]n and what stands around it, as records, however these are written:
 *
 *	absorb	Y [Z Y]n Z -> [Y Z]n+1	what continues a loop on both sides, an iteration or more
 *	turn	[Y Z]n Y -> Y [Z Y]n	else what stands behind goes before: a loop begins late
 *	fold	... S S S -> ... [S]3	the recognizer again, over terms: loops that are equal are one
 *	agree	Y [Z Y]n W [Y Z]m -> [Y Z]n Y W [Y Z]m	in the end: see agree.h
 *
 * Bodies come before what holds them; a loop gives up a part of its iterations only to loops of
 * longer bodies. In each body and in the whole nest this is repeated while it takes no more
 * constructs than before, which stays as it was otherwise.
 */
#ifndef TRACENEST_FOLD_PHASE_H
#define TRACENEST_FOLD_PHASE_H

#include "model/nest.h"

/*
 * A nest of the same records in no more constructs; NULL where that is the nest as it stands.
 * repetitions: adjacent copies that become a loop, as of nlr.h. Deterministic; of records it
 * matters only which are equal. O(constructs log (their records)) for each level of loops, times
 * the rounds until nothing changes, which are few; iteration counts do not matter. Nests of 2^60
 * records and more are left alone. That records are equal is known by their digests (digests.h).
 */
struct nest *phase_turned(const struct nest *, unsigned repetitions);

#endif
