/*
 * tracenest-scan.h -- the run-time of scanners: programs that fetch data from a trace at positions
 * that a model gives.
 *
 * A scanner is written by `tracenest scan`; this is all that it includes, and libtracenest-scan all
 * that it links. It says where to look:
 *
 *	static void scan(struct scan *s)
 *	{
 *		for (int64_t i0 = 0; i0 <= 248; i0++) {
 *			scan_start(s, "before", 1, i0);
 *			scan_value(s, 0, 991 + 644 * i0, SCAN_TIME);
 *			scan_value(s, 1, 1479 + 966 * i0, SCAN_TIME);
 *			scan_end(s);
 *		}
 *	}
 *
 * and what becomes of each record:
 *
 *	static void output(struct scan_output *out, const struct scan_record *r)
 *	{
 *		scan_put(out, r);
 *	}
 *
 * scan is called once for each process that is asked about, by several threads at the same time,
 * each with its own s: it must keep no state of its own. Every call goes through all the loops; a
 * value of another process costs a comparison. Positions of one process should ascend: then its
 * stream is read once, and what lies between is skipped where the archive allows it. output is
 * called by one thread at a time, in the order of the ranks and, for one rank, of the positions
 * asked for: it may keep what it likes. (The method: communication-model paper, section V and
 * Figure 8.)
 */
#ifndef TRACENEST_SCAN_H
#define TRACENEST_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names are short in the sources of scanners; what is linked has the library's prefix. */
#define SCAN_API(name) __asm__("tracenest_" #name) __attribute__((visibility("default")))

#define SCAN_TIME "time" /* OTF2: in ticks of the archive's clock */
#define SCAN_BYTES "bytes" /* of a message; of a collective: what the process sent */
#define SCAN_SITE "site" /* where it was called, and from where: "rhs.f:203 compute_rhs < main.f:12 main" */
/* Any other string: a key of a text trace's attributes. */

/* Loops around a record: no more. */
#define SCAN_DEPTH 32

/* One scan of one process. */
struct scan {
	uint32_t rank;
	uint32_t depth;
	const char *label;
	int64_t index[SCAN_DEPTH];
};

struct scan_record {
	const char *label;
	uint32_t rank;
	uint32_t depth; /* indices */
	const int64_t *index; /* of the enclosing loops, outermost first */
	const char *attribute;
	uint64_t position; /* in the stream of its process, from 0 */
	bool is_number;
	uint64_t number;
	const char *text; /* the value as text, if it is no number */
};

/* ------------------------------------------------------------------ where to look */

/* The process that is scanned now. */
static inline uint32_t scan_rank(const struct scan *s)
{
	return s->rank;
}

/* scan_start(s, LABEL, n, i0, ... n indices): the records that follow are of this occurrence. */
#define scan_start(s, label, ...) scan_start_at(s, label, (const int64_t[]){__VA_ARGS__})
static inline void scan_start_at(struct scan *s, const char *label, const int64_t *depth_and_indices)
{
	s->label = label;
	s->depth = (uint32_t)depth_and_indices[0];
	for (uint32_t i = 0; i < s->depth; i++)
		s->index[i] = depth_and_indices[i + 1];
}

/* Fetch for whoever is scanned now. The position behind the last event of a stream gives the last
   event. */
void scan_fetch(struct scan *, int64_t position, const char *attribute) SCAN_API(scan_fetch);

/* Fetch if it is this process that is scanned now. */
static inline void scan_value(struct scan *s, uint32_t rank, int64_t position, const char *attribute)
{
	if (s->rank == rank)
		scan_fetch(s, position, attribute);
}

static inline void scan_end(struct scan *s)
{
	s->depth = 0;
}

/* All three in one, for the process that is scanned now. */
#define scan_record(s, label, position, attribute, ...)                                                                \
	(scan_start(s, label, __VA_ARGS__), scan_fetch(s, position, attribute))

/* Is the rank in one of these runs, ascending pairs of first and last? */
bool scan_among(uint32_t rank, const uint32_t (*runs)[2], size_t count) SCAN_API(scan_among);

/* ------------------------------------------------------------------ what becomes of it */

struct scan_output;

/* As the command line asks: a line of CSV (label, indices, rank, value), or a row of binary
   columns. */
void scan_put(struct scan_output *, const struct scan_record *) SCAN_API(scan_put);

/* Whatever you like, as text; it appears in order. */
void scan_printf(struct scan_output *, const char *format, ...) SCAN_API(scan_printf)
	__attribute__((format(printf, 2, 3)));

/* ------------------------------------------------------------------ the program */

/* Ranks first to last have so many events each. */
struct scan_events {
	uint32_t first, last;
	uint64_t events;
};

struct scan_program {
	const char *model; /* where the positions come from, for messages */
	const char *index; /* places where reading may begin are kept in this file; NULL: nowhere */
	uint32_t processes;
	const struct scan_events *events; /* of the model, in the order of ranks: a trace with others is refused */
	size_t events_length;
	const uint32_t (*ranks)[2]; /* that are asked about */
	size_t ranks_length;
	const char *const *attributes; /* all that are asked for, ending with NULL */
	const char *const *labels; /* likewise */
	uint32_t depth; /* most indices of a record */
	const char *reading; /* how the trace is to be read, as words of a command line: "--order recorded" */
	void (*scan)(struct scan *);
	void (*output)(struct scan_output *, const struct scan_record *);
	void (*finish)(struct scan_output *); /* called once, behind the last record; NULL: nothing to do */
	bool plain; /* the output function writes no records of scan_put: no line of column names either */
};

/*
 * Read the command line (TRACE [-o FILE] [--binary] [--jobs N] [--index FILE]; --help), scan, and
 * give the exit status: 0 done, 1 internal failure, 2 bad usage or unreadable input, 3 the trace is
 * not the model's, or breaks off (then the records up to there are out).
 */
int scan_main(const struct scan_program *, int argc, char **argv) SCAN_API(scan_main);

#endif
