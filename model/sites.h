/*
 * sites.h -- where in the source a program's statements are.
 *
 *	[0-15] for i0 = 0 to 249 // ssor
 *	  [0-15] p send (p+1)%16 tag1 ; bytes=1600 // rhs.f:203
 *	  [0-15] (p-1)%16 recv p tag1 ; bytes=1600 // rhs.f:210,231
 *	done
 *	// sites
 *	// rhs.f:203,210,231 compute_rhs
 *	// ssor
 *
 * A site is "FILE:LINE FUNCTION" as a recorder knows it; "MODULE+0xOFFSET FUNCTION" where there is
 * no debug information; or a function alone, where no more is known, or meant: a statement has the
 * sites of its events, a loop the innermost function that holds them all. They stand behind a
 * statement as its last comment, the lines of a file together, without their functions; these are
 * declared behind all statements. A comment that names what is not declared there is a comment like
 * any other. A line that is in several functions stands for all of these.
 */
#ifndef TRACENEST_MODEL_SITES_H
#define TRACENEST_MODEL_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/text.h"

struct program;

#define SITES_NONE 0

/* Why what needs sites cannot be had. */
#define SITES_MISSING                                                                                                  \
	"the model does not say where its statements are: make it of a trace that has call sites, as 'tracenest record' leaves it"

/* The parts of a site; they point into it. */
struct site {
	const char *file; /* without a line the place, or a function alone */
	size_t length; /* of the file's name; */
	uint64_t line; /* 0: it has none */
	const char *function; /* "": not known */
};
struct site site_parts(const char *words);

/* By file, line, function; those without a line come last. */
int site_compare(const char *left, const char *right);

/* The id of these sites, in any order. */
uint32_t program_sites(struct program *, const char *const *site, size_t count);

/* The sites of an id, ordered, as words of the program's dictionary: how many. */
size_t program_get_sites(const struct program *, uint32_t id, const uint32_t **site);

/* "rhs.f:203,210 | solve.f:7", "compute_rhs"; of sites in any order, which are put in theirs. */
void sites_print(const char **site, size_t count, struct text *);
void program_print_sites(const struct program *, uint32_t id, struct text *);

/* The same with functions: "rhs.f:203 compute_rhs | rhs.f:210 compute_rhs". */
void program_print_whole_sites(const struct program *, uint32_t id, struct text *);

/* Statements of `to` have the sites of those that they came from, by statement. */
void program_copy_sites(struct program *to, const struct program *from, const size_t *origin);

/* What declares all sites of the program's statements: lines, or nothing. */
void program_print_declared_sites(const struct program *, struct text *);

/* Read such a line, without its slashes, into a set of declared sites; and what a comment says of
   these: SITES_NONE where it says anything else. */
void sites_declare(struct intern *declared, const char *line);
uint32_t program_read_sites(struct program *, const struct intern *declared, const char *comment);

#endif
