/*
 * statement_limits.h -- how much a statement may say.
 */
#ifndef TRACENEST_MODEL_STATEMENT_LIMITS_H
#define TRACENEST_MODEL_STATEMENT_LIMITS_H

/* Loops around a statement whose indices may stand in it: loops over grids, sizes and blocks around
   those of a solver, with conditions between them, are 14. */
#define INDEX_DEPTH 16

/* Attributes of an event. */
#define ATTRIBUTES_MOST 16

#endif
