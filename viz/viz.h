/*
 * viz.h -- pictures of a program: loops as boxes over process lines, messages as arrows.
 *
 *	enum viz_format format;
 *	if (viz_format_of("lu.svg", &format, &error) && viz_draw(module, &options, format, output, &error)) ...
 *
 * One layout (viz/layout.h) for all formats; the static ones are rendered by Graphviz, which is
 * given every position. (The paper, section IV.)
 */
#ifndef TRACENEST_VIZ_VIZ_H
#define TRACENEST_VIZ_VIZ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/output.h"
#include "base/ranks.h"
#include "model/module.h"

enum viz_format { VIZ_SVG, VIZ_PDF, VIZ_PNG, VIZ_DOT, VIZ_HTML };

enum viz_labels {
	VIZ_LABELS_NAMES, /* loops and collectives */
	VIZ_LABELS_TAGS, /* and the tag of every message */
	VIZ_LABELS_NONE,
};

/* What a loop takes of the run time of all processes. */
struct viz_time {
	const char *address; /* of a loop in the text of the program */
	double share; /* 0 to 1 */
};

struct viz_options {
	const char *title; /* NULL: none */
	const char *loop; /* only the statement at this address; NULL: all */
	struct ranks ranks; /* these have a line of their own even in a large run */
	uint32_t depth; /* loops deeper than this stay closed; 0: as deep as fits */
	enum viz_labels labels;
	/* a line for processes that execute the same statements, these as they stand; else a line
	   per process */
	bool roles;
	bool skip_short; /* leave out what comes before and after the loops that matter; */
	bool *skipped; /* ... was there anything? NULL: who knows */
	uint32_t width; /* of the picture in millimetres; 0: as wide as it is */
	/* where it would be wider than VIZ_WIDE, leave out what matters less, as of skip_short,
	   and then more and more of the middle; *left_out: was it? */
	bool *left_out;
	uint32_t keep; /* of the outermost list, so many statements at either end; 0: all */
	bool inner; /* SVG: the element alone, to stand in a page */
	/* of what stands for every number of processes: by place what its text says of the
	   statement, "p send p+1 tag{N}"; NULL: this number is meant */
	const char *const *formula;
	const struct viz_time *time; /* loops are coloured by their share; none: by their depth */
	size_t times;
};

#define VIZ_WIDE 4000 /* points: 1.4 m */

/* By the suffix of a file's name. */
bool viz_format_of(const char *path, enum viz_format *, struct error *);

/* A run of at least so many processes is drawn in bands. */
#define VIZ_BANDS_FROM 64

/* Of a program that is drawn by roles though nobody asked for it, so many processes have lines of
   their own: more arrows between lines than these cannot be told apart. */
#define VIZ_ROLE_LINES 16

/*
 * Draw a module, which may have calls. False with *error set: no such address or rank, too many
 * roles, or Graphviz failed. By roles, time and memory follow the statements and the processes of
 * each; else, what the program is when it is written out. What is shown is at most some ten
 * thousand constructs.
 */
bool viz_draw(const struct module *, const struct viz_options *, enum viz_format, struct output *, struct error *);

#endif
