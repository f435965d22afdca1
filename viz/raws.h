/*
 * raws.h -- the statements of one system while they become items: which are one, on which lanes, in
 * which order. Private to build.c, by_process.c, by_role.c.
 */
#ifndef TRACENEST_VIZ_RAWS_H
#define TRACENEST_VIZ_RAWS_H

#include "base/intern.h"
#include "viz/build.h"
#include "viz/times.h"

/* A statement, or several that are one. */
struct raw {
	enum item_kind kind;
	uint32_t into; /* itself, or what it became part of */
	size_t statement, past;
	uint32_t process; /* SEND to LOCAL: whose event it is, */
	const int64_t *index; /* ... in these iterations; borrowed */
	uint64_t count, multiplicity, events, messages;
	double share;
	uint32_t next, last; /* the chain of those it stands for */
	uint32_t item;
};

struct row {
	uint32_t *raw;
	size_t length, capacity;
};

struct builder {
	struct scene *scene;
	const struct traffic *traffic;
	const uint32_t *lane_of;
	enum viz_labels labels;
	uint32_t *counter; /* per rank */
	struct row *row; /* per lane */
	struct raw *raw;
	size_t raws, raw_capacity;
	/*
	 * By statement: where in raw_of its raws stand, one or (by roles) one for each lane;
	 * SIZE_MAX: it is not in the system at hand.
	 */
	size_t *first_raw;
	uint32_t *raw_of;
	size_t raw_ofs, raw_of_capacity;
	struct intern *parts; /* of collectives */
	uint32_t *part_raw;
	size_t part_capacity;
	uint32_t *part_count; /* per rank and sync channel, by id of `counts` */
	struct intern *counts;
	size_t count_capacity;
	struct opening *queue;
	size_t queued, queue_capacity, served;
	bool out_of_step, join_parts;
};

/* What an event is drawn as. */
static inline enum item_kind raws_kind(const struct builder *b, size_t at)
{
	static const enum item_kind kinds[] = {
		[MATCH_OUT] = ITEM_SEND, [MATCH_IN] = ITEM_RECV, [MATCH_GROUP] = ITEM_SYNC, [MATCH_NONE] = ITEM_LOCAL};
	return kinds[drawn_match(b->scene->drawn, at)];
}

uint32_t raws_add(struct builder *, enum item_kind, size_t statement);

/* What a raw became part of. */
uint32_t raws_find(struct builder *, uint32_t raw);

/* So many raws may be what a statement is; what it is for the processes of a lane. */
void raws_open(struct builder *, size_t statement, uint32_t raws);
uint32_t raws_at(const struct builder *, size_t statement, uint32_t lane);

/* Behind all others of a lane; at the place on its lane of a rank, of each rank of a set. */
void raws_append(struct builder *, uint32_t lane, uint32_t raw);
void raws_put(struct builder *, uint32_t rank, uint32_t raw);
void raws_put_all(struct builder *, const struct ranks *, uint32_t raw);

/*
 * A collective of which there are several parts: join this one, of a member (a rank, or a lane), to
 * the other parts of the same occurrence.
 */
void raws_join_part(struct builder *, uint32_t channel, uint32_t member, uint32_t raw);

/* Would the joined raws stand in a circle? */
bool raws_circular(struct builder *, const uint32_t *lane, uint32_t lanes);

/*
 * The raws of a body: of statements written out process by process (by_process.c); of statements as
 * they stand, at these indices (by_role.c).
 */
void raws_of_processes(struct builder *, size_t from, size_t past);
void raws_of_roles(
	struct builder *, size_t from, size_t past, const uint32_t *lane, uint32_t lanes, const int64_t *index);

#endif
