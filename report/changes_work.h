/*
 * changes_work.h -- the two programs of changes.h while they are compared: what their call sites
 * have to do with each other, and how it is told.
 */
#ifndef TRACENEST_REPORT_CHANGES_WORK_H
#define TRACENEST_REPORT_CHANGES_WORK_H

#include <string.h>

#include "ask/call_sites.h"
#include "ask/overview.h"
#include "report/changes.h"

#define NONE UINT32_MAX

/* In place of a rank, or of a peer: any of those that nobody foresees. */
#define ANYBODY (UINT32_MAX - 1)

enum { GOLDEN, RUN, SIDES };

struct site_item {
	struct site_call call;
	uint64_t count;
	uint32_t unit, side;
};

struct site_unit {
	uint32_t site[SIDES]; /* NONE: it is not there */
	size_t first, end; /* its items */
	bool counts_vary; /* it is in a loop that is loose */
	bool tested; /* which call completes its requests depends on when they are complete */
};

struct comparing {
	const struct changes_options *options;
	const struct module *program[SIDES];
	struct overview lines[SIDES];
	struct intern *words;
	struct call_sites *calls[SIDES];
	bool told[CHANGE_KINDS]; /* which fields both programs tell */
	struct site_unit *unit;
	uint32_t units;
	uint32_t *unit_of[SIDES]; /* by site */
	struct site_item *item;
	size_t items;
	bool *differs, *unforeseen; /* by rank; where wildcards may be why, */
	bool *excused; /* ... and are, as far as the order goes */
	struct changes *out;
};

/* The call that begins a message, and the one that completes it, if that is another one. */
static inline uint32_t *beginning(struct site_call *call)
{
	return kind_receives(call->kind) && call->other != INTERN_NONE ? &call->other : &call->call;
}

static inline uint32_t *completing(struct site_call *call)
{
	return kind_receives(call->kind) && call->other != INTERN_NONE ? &call->call : &call->other;
}

/* Of an object without lines, "app+0x2b0": the same object, wherever in it. */
static inline bool is_same_file(const struct site *a, const struct site *b)
{
	size_t x = a->line ? a->length : strcspn(a->file, "+ "), y = b->line ? b->length : strcspn(b->file, "+ ");
	return x == y && !memcmp(a->file, b->file, x) && !a->line == !b->line;
}

static inline const struct site *parts_of(const struct comparing *c, const struct site_unit *u, uint32_t side)
{
	return &c->calls[side]->site[u->site[side]].parts;
}

/* Where an event is: how many paths; of other lines none are asked for. */
static inline size_t sites_of_event(const struct comparing *c, uint32_t side, size_t line, const uint32_t **path)
{
	const struct module *m = c->program[side];
	return overview_is_event(&c->lines[side], line) ? sites_get(&m->places, m->sites[line], path) : 0;
}

/* ------------------------------------------------------------------ changes_units.c */

/* All but the place, and but what is not compared. unit: NULL, or its own. */
struct site_call changes_bare_call(const struct comparing *, const struct site_call *, const struct site_unit *);

/* Call sites become units, which get their calls. O(call sites of the one x of the other). */
void changes_find_units(struct comparing *);
void changes_gather(struct comparing *);

/* How often each of some keys occurs, in either program. */
struct tally {
	struct intern *keys;
	uint64_t (*count)[SIDES];
	size_t length, capacity;
};

void changes_tally_add(struct tally *, const void *key, size_t size, uint32_t side, uint64_t count);
void changes_tally_clear(struct tally *);

bool changes_is_among(const struct comparing *, const bool *them, uint32_t rank);
/* Ranks that wildcards may have led elsewhere are one. */
struct site_call changes_together(const struct comparing *, const struct site_call *);
/* Do both programs do the same there? apart: requests complete after as many calls, too. */
bool changes_unit_same(const struct comparing *, const struct site_unit *, bool merged, bool apart);

/* ------------------------------------------------------------------ changes_words.c */

/* site: of the run; NONE: where the unit was. Takes the words. */
void changes_add_change(
	struct comparing *, enum change_kind, const struct site_unit *, uint32_t site, struct text *words);
/* MPI_Isend, "send of MPI_Sendrecv"; "send" where the function is not known. Of the comparing. */
const char *changes_name_of(const struct comparing *, const struct site_unit *, uint32_t side);
void changes_put_ranks(const struct comparing *, const struct ranks *, struct text *);
/* The value of a field of a call, as it is written. */
void changes_put_value(const struct comparing *, const struct site_unit *, enum change_kind field,
	const struct site_call *, struct text *);
bool changes_has_field(const struct comparing *, const struct site_call *, enum change_kind field);
const char *changes_field_prefix(enum change_kind field);

/* ------------------------------------------------------------------ changes_values.c */

/* Of a unit that only one program has; that does otherwise in the run. */
void changes_say_there(struct comparing *, const struct site_unit *, uint32_t side);
void changes_say_unit(struct comparing *, const struct site_unit *);

/* ------------------------------------------------------------------ changes_order.c */

/* Where the streams of a rank part: what comes then in either, or NONE at the end. */
struct parting {
	bool parted;
	uint32_t unit[SIDES];
	struct site_call call[SIDES];
	uint32_t moved; /* the side whose unit is the one that moved: what the other one has now comes later there */
};

/* O(events of the rank). */
struct parting changes_part(struct comparing *, uint32_t rank);
/* What wildcards may be the reason of: c->unforeseen, c->excused. */
void changes_foresee(struct comparing *, const struct parting *);
bool changes_say_wildcards(struct comparing *, const struct site_unit *);
void changes_say_overlap(struct comparing *, const struct site_unit *);
/* Where all sites do the same on these ranks, what differs is their order: once for each pair. */
void changes_say_orders(struct comparing *, const struct parting *);

#endif
