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
 * sites of its events, each with the path of its callers, a loop the innermost function that holds
 * them all. They stand behind a statement as its last comment, which model/declared_sites.h writes
 * and reads.
 */
#ifndef TRACENEST_MODEL_SITES_H
#define TRACENEST_MODEL_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/text.h"
#include "model/call_paths.h"

/* Call paths, and sets of them, each by a number. */
struct site_places {
	struct call_paths *paths;
	struct intern *sets; /* ids are counted from 1 */
};
struct site_places site_places_new(void);
struct site_places site_places_copy(const struct site_places *); /* of the same numbers */
void site_places_free(struct site_places *);

#define SITES_NONE 0
#define SITES_BETWEEN " | "

/* Why what needs sites cannot be had. */
#define SITES_MISSING                                                                                                  \
	"the model does not say where its statements are: make it of a trace that has call sites, as 'tracenest record' leaves it"

/* The parts of a site; they point into it. */
struct site {
	const char *file; /* without a line the place, or a function alone */
	size_t length; /* of the file's name; */
	uint64_t line; /* 0: it has none */
	uint64_t offset; /* in its module; 0: it has a line, or none of both is known */
	const char *function; /* "": not known */
};
struct site site_parts(const char *words);

/* One that a recorder has, as it stands in models, and from then on everywhere: a file, module or
   function that would be read as anything else is a word in quotes (text_put_word). */
void site_put_quoted(const char *words, struct text *);

/* "rhs.f:203", "libsolve.so.1+0x12a4", or a function alone. */
void site_put_place(const struct site *, struct text *);

/* Those without a line come last. */
int site_compare_files(const struct site *, const struct site *);

/* Of the innermost call; and the path without that. */
const char *path_site(const struct site_places *, uint32_t path);
uint32_t path_caller(const struct site_places *, uint32_t path);

/*
 * For people, from the caller to the call: "limiter (heat.c:30) > exchange (heat.c:12)", each frame
 * the function and where in it. Lines of one function with the same callers stand together,
 * "exchange (heat.c:12,19)". PATH_SHORT: the innermost frames, "... > " before them, and the first
 * paths, " | 5 more" behind them. The only form in which verbs print paths.
 */
enum path_length { PATH_SHORT, PATH_WHOLE };
#define PATH_FRAMES_SHOWN 3
#define PATHS_SHOWN 3
void paths_print(const struct site_places *, const uint32_t *path, size_t count, enum path_length, struct text *);
void sites_print_paths(const struct site_places *, uint32_t sites, enum path_length, struct text *);

/* The id of these sites, each a path of model/call_paths.h, in any order. */
uint32_t sites_know(struct site_places *, const uint32_t *path, size_t count);

/* The paths of an id, ordered: how many. */
size_t sites_get(const struct site_places *, uint32_t id, const uint32_t **path);

/* "rhs.f:203,210 | solve.f:7", "compute_rhs"; of sites in any order, which are put in theirs. */
void sites_print(const char **site, size_t count, struct text *);

/* The same with functions: "rhs.f:203 compute_rhs | rhs.f:210 compute_rhs". */
void sites_print_whole(const struct site_places *, uint32_t id, struct text *);

#endif
