/*
 * lift.h -- what each process of a program does, record by record, in the loops as they stand
 * there.
 *
 *	struct lift *l = lift_new(builder, records, run, dictionary, false);
 *	if (l)
 *		lift_flatten(l, lane, to, records);		-- one record after the other; or
 *		lift_classes(l, to, records, &class_of);	-- its loops as trees
 *	lift_free(l);
 *
 * A record is an event with its sizes (recognize.h). What no index decides is asked once, so that
 * the cost follows the program and what varies in it, not the events.
 */
#ifndef TRACENEST_MERGE_LIFT_H
#define TRACENEST_MERGE_LIFT_H

#include "base/digest.h"
#include "merge/recognize.h"
#include "model/dictionary.h"
#include "model/run.h"

struct lift;

/* The processes that have events, ascending: how many; the array is the caller's. */
uint32_t lift_processes(struct run *, uint32_t **process);

/*
 * Lanes are the processes of the builder; shapes and ids are those of the builder and of these
 * records. NULL: an event carries what is no number, or loops whose index decides something have
 * more than LIFT_ITERATIONS iterations. at_sites: events of statements at different sites are
 * different records. The module has no calls. Words and groups are added to the dictionary, whose
 * ids shapes have.
 */
struct lift *lift_new(struct tree_builder *, struct records *, struct run *, struct dictionary *, bool at_sites);
void lift_free(struct lift *);

/* Iterations of loops whose index decides what is done, of all lanes: of so many events tracenest
   reads a second. */
#define LIFT_ITERATIONS (UINT64_C(1) << 22)

/* How many records a lane has (saturates). O(1). */
uint64_t lift_events(const struct lift *, uint32_t lane);

/* Append a lane's records, each as this one says (by id), to what the lane does there.
   O(records). */
void lift_flatten(const struct lift *, uint32_t lane, const uint32_t *to, struct records *);

/* Equal for lanes, also of two lifts of one builder and records, that do the same. O(nodes, and
   iterations that differ). */
struct digest lift_digest(const struct lift *, uint32_t lane);

/* Each record that occurs in a lane, at least once. */
void lift_visit(const struct lift *, uint32_t lane, void (*visit)(void *context, uint32_t record), void *context);

/*
 * The loops as trees, of records as `to` says (by id). Lanes that differ in numbers alone are one
 * class; the largest comes first, the array is the caller's. 0: a statement is of several shapes.
 */
size_t lift_classes(const struct lift *, const uint32_t *to, const struct records *, struct tree_list **class_of);

#endif
