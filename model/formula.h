/*
 * formula.h -- what a statement says as a function of the process that executes it and of the
 * indices of the loops around it.
 *
 *	{3000+y}  {(x+y)%4+(-x)%4*4}  {5+2*i0}			numbers
 *	3  p  p+4  p^2  (p+1)%16  @(x+1,y)  {1+i0}  (p+i0)%16	ranks
 *	@(x+$dx[i0],y+$dy[i0])					ranks, by a table of offsets
 *	0-15  @(*,y)  p						groups
 *
 *	{16*4^(5-i0)}  {32+64*2^i0}				powers
 *	$w[i0]  {800+2*$b[p,i1%7]}  $f[x]*$g[y]			what stands in tables (table.h)
 *	{i0%7} = 6  {i0} in {3,17,40}  $g[i0]			conditions: 1 or 0
 *
 * There is one type of number, `struct value`, an affine function with remainders and powers, which
 * may look up a table or a product of two, and may be tested; ranks and groups are made of it.
 *
 * The process stands on a grid: p = x + NX*(y + NY*(z + NZ*w)). Each coordinate of a rank on the
 * grid is taken modulo its size. An index counts the iterations of its loop from 0, the outermost
 * loop's is index 0.
 *
 * All structs are plain integers without padding: their bytes are their identity.
 */
#ifndef TRACENEST_MODEL_FORMULA_H
#define TRACENEST_MODEL_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ranks.h"
#include "base/text.h"
#include "model/grid.h"
#include "model/table.h"

/* Of numbers in formulas: so without indices nothing is beyond 64 bits. */
#define FACTOR_LIMIT (INT64_C(1) << 31)
#define CONSTANT_LIMIT (INT64_C(1) << 60)
#define REMAINDER_LIMIT (INT64_C(1) << 30) /* of moduli, factors of remainders and bases of powers */

/* Loops and guards around a statement whose indices may stand in it, the outermost first: loops
   over grids, sizes and blocks around those of a solver, with conditions between them, are 14. */
#define INDEX_DEPTH 16

/* constant + p*P + axis[0]*x + axis[1]*y + ... + index[0]*i0 + index[1]*i1 + ... */
struct affine {
	int64_t constant, p, axis[GRID_AXES], index[INDEX_DEPTH];
};

/* (inside modulo modulus) * factor; the remainder is never negative. modulus 0: not there. */
struct remainder {
	struct affine inside;
	int64_t modulus, factor;
};

#define REMAINDERS 3

/* base^exponent * factor; base 0: not there, else 2 or more. There is no number where the exponent
   is negative. */
struct power {
	struct affine exponent;
	int64_t base, factor;
};

#define POWERS 2

/* table[argument] * factor; an argument is taken modulo something, or (modulus 0) as it is. */
struct lookup {
	const struct table *table; /* borrowed from the dictionary of the program; NULL: not there */
	int64_t factor;
	struct argument {
		struct affine inside;
		int64_t modulus;
	} argument[TABLE_ARGUMENTS];
};

/* Where it is tested, a value is 1 or 0: does the test hold of the sum? */
enum test { TEST_NONE, TEST_EQUAL, TEST_DIFFERS, TEST_AMONG, TEST_NOT_AMONG };

/* plain + remainders + powers + lookup * by, tested. */
struct value {
	struct affine plain;
	struct remainder remainder[REMAINDERS];
	struct power power[POWERS];
	struct lookup lookup;
	struct lookup by; /* a second table, factor 1; its table NULL: nothing, only beside a lookup */
	int64_t test; /* enum test */
	int64_t number; /* EQUAL, DIFFERS: from this one */
	const struct table *among; /* AMONG, NOT_AMONG: the entries of this one, which ascend */
};

enum place_kind { PLACE_NONE, PLACE_NUMBER, PLACE_OFFSET, PLACE_XOR, PLACE_RING, PLACE_GRID };

struct place {
	int64_t kind; /* enum place_kind */
	int64_t modulus; /* RING */
	union {
		/* NUMBER: the rank; OFFSET, RING: what is added to p, uniform but for a table; XOR:
		   what p is combined with, uniform but for a table. */
		struct value value;
		struct { /* GRID; then nothing is behind it */
			struct affine axis[GRID_AXES];
			/* what this table of one argument has is added; NULL: nothing */
			const struct table *offset[GRID_AXES];
			struct affine at; /* the argument of them all, a function of indices */
		};
	};
};

/* The k-th table of offsets as it is looked up; its table NULL: there is none. */
struct lookup place_offset(const struct place *, uint32_t axis);
/* Does it look up a table? */
bool place_asks_table(const struct place *);
/* Is it a function of the process and of what stands in tables of offsets at one argument:
   p+$d[i0], @(x+$dx[i0],y)? Then that argument; NULL: it is not. entries: as many have all of these
   tables. */
const struct affine *place_stencil(const struct place *, uint64_t *entries);
/* With this entry of each: is it there on the grid, or the line of ranks, if that is open? */
bool place_is_inside(const struct place *, const struct grid *, uint32_t processes, uint32_t rank, int64_t entry);

/* A coordinate of a rank with its constant as it is best read: beside a coordinate as a move
   (grid_nearest), alone as a coordinate. */
struct affine grid_coordinate(const struct affine *, uint32_t size);

/*
 * A group that depends on the process. On the grid: the line, plane, ... through it; where there is
 * no grid, the process alone. By communicator: those of a set for whom its number is the same.
 */
enum area_kind { AREA_FIXED, AREA_ON_GRID, AREA_BY_COMMUNICATOR };

struct area {
	int64_t kind; /* enum area_kind; the set of the others stands elsewhere */
	int64_t all[GRID_AXES]; /* every coordinate of this axis: '*' */
	struct affine axis[GRID_AXES]; /* of the others */
};

static inline struct value value_of(int64_t constant)
{
	return (struct value){.plain.constant = constant};
}
static inline struct place place_of(enum place_kind kind, int64_t constant)
{
	return (struct place){.kind = kind, .value.plain.constant = constant};
}
bool value_is_constant(const struct value *);

/* The k-th table that is looked up, of up to two; NULL: there are no more. */
static inline const struct lookup *value_lookup(const struct value *v, int k)
{
	const struct lookup *l = k ? &v->by : &v->lookup;
	return k < 2 && l->table ? l : NULL;
}

/* An entry of one table, and a constant, alone? */
bool value_is_entry(const struct value *);

/* Without tables and powers? Then it is a number at each spot, and periodic but for its plain
   part. */
bool value_is_quasi_affine(const struct value *);

/* The least and the most that comes of its tables, which there are. False: perhaps a product of two
   entries is beyond 64 bits, and so no number. */
bool value_product_range(const struct value *, __int128 *least, __int128 *most);

/* A value that looks up a table at these arguments, of which there are as many as it has. */
struct value value_looked_up(const struct table *, const struct affine *argument);

/* Its opposite: 0 - v. */
void value_oppose(struct value *);

/* The condition that the process is the one that this names: p - NAMED = 0. */
struct value value_naming(const struct value *name);

/* Is it that what stands in a table is not 0, where all that stands there is 0 or 1? Then it needs
   no test. */
bool value_is_flag(const struct value *);

/* The opposite condition. */
struct value value_negated(const struct value *);

/* Which indices occur: bit d for that of the loop at depth d. What is not quasi-affine varies,
   whether with an index or not: INDEX_TABLE. */
#define INDEX_TABLE (UINT32_C(1) << 31)
uint32_t affine_indices(const struct affine *);
uint32_t value_indices(const struct value *);
uint32_t place_indices(const struct place *);

/* At this spot, are tables asked for nothing but what they have, and are powers numbers? */
bool place_is_number(const struct place *, const struct spot *);

/* Is it a function of nothing but indices? */
bool affine_is_uniform(const struct affine *);
bool value_is_uniform(const struct value *);

/* value_fits: false where 64 bits do not suffice, which without powers and products of tables only
   large indices can bring about, where a table has no such entry, and where an exponent is
   negative; value_at: it is a number. */
bool value_fits(const struct value *, const struct spot *, int64_t *number);
int64_t value_at(const struct value *, const struct spot *);

/* The rank; negative or beyond the processes where there is none. */
int64_t place_at(const struct place *, const struct grid *, const struct spot *);

/* to: replaced. */
void area_at(const struct area *, const struct grid *, const struct spot *, struct ranks *to);

bool area_has(const struct area *, const struct grid *, const struct spot *); /* is the process itself in its group? */

/*
 * With numbers put in for the indices of the `depth` outermost loops, the others counted from
 * there; INDEX_DEPTH: a function of the process alone. False where 64 bits do not suffice.
 */
bool value_put(struct value *, const int64_t *index, uint32_t depth);
bool place_put(struct place *, const struct grid *, const int64_t *index, uint32_t depth);

/*
 * Without the indices of these loops, a bit each, which are 0: the others move up. So are formulas
 * printed, in which guards have no index.
 */
void value_squeeze(struct value *, uint32_t loops);
void place_squeeze(struct place *, const struct grid *, uint32_t loops);

/* A value prints with its braces, or is a table alone; indices are called i0, i1, ... A condition
   prints with what it is tested for; a sum is what stands in braces. */
void sum_print(const struct value *, struct text *);
void condition_print(const struct value *, struct text *);
void value_print(const struct value *, struct text *);
void place_print(const struct place *, const struct grid *, struct text *);
void area_print(const struct area *, const struct grid *, struct text *);

#endif
