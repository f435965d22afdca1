/*
 * online.h -- the model of a run, recognized in its processes while they run.
 *
 *	struct online *o = online_new(rank, processes, region_names, count, &options);	-- in each process
 *	event_writer_listen(writer, online_take, o);
 *	...
 *	online_finish(o, NULL);
 *	online_gather(o, &transport);				-- all of them, at the end
 *	if (rank == 0)
 *		online_write(o, "run.trace/online", &error);
 *	online_free(o);
 *
 *	struct program_options options = {PROGRAM_OPTIONS, .online = true};	-- then, anywhere
 *	program_of_trace("run.trace/online", &options, &facts, &error);
 *
 * Each process pushes its events into a recognizer as they happen; its memory follows what does not
 * repeat. What travels up the tree at the end, and what is written, are the different processes
 * (behaviours.h). The program is that of the archive of the same run, byte for byte. (The paper,
 * section II-C.)
 */
#ifndef TRACENEST_LIB_ONLINE_H
#define TRACENEST_LIB_ONLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "lib/transport.h"
#include "trace/event_writer.h"

struct online;

struct online_options {
	bool at_sites; /* events of different sites, alike otherwise, are different to the recognizer */
	bool times; /* keep how long statements take, too (online_write_times) */
	/* as of program_options, "none": nor sites; borrowed. Sites have names later: no "site", "all" */
	const char *values;
};

/* region: names by id, borrowed. */
struct online *online_new(
	uint32_t rank, uint32_t processes, const char *const *region, uint32_t regions, const struct online_options *);
void online_free(struct online *);

/* A communicator, when it is made: its id in records, which ascend from 2; its members as ranks of
   the world, those of an intercommunicator one group behind the other. */
void online_communicator(struct online *, uint32_t id, const uint32_t *member, size_t members);

/* A record will name it. key: not 0, the same on all of its members, and of no other one. */
void online_used(struct online *, uint32_t id, uint64_t key);

/* A string that is a site of records, or a path of those that have one: the words that it is known
   by until sites have names (program_options.site_names). */
void online_site(struct online *, uint32_t id, const char *words);

/* Another string that records name; ids ascend. */
void online_string(struct online *, uint32_t id, const char *text);

/* A record. O(1) amortized. */
void online_take(void *online, const struct event_record *, const struct event_attributes *);

/* So many calls of this name moved data that are no event, from whatever thread. */
void online_moved(struct online *, const char *call, uint64_t calls);

/* No more. failure: NULL, or why records are missing. */
void online_finish(struct online *, const char *failure);

/* Bring together what all processes recognized, in the first. */
void online_gather(struct online *, const struct transport *);

/* Write how long this process was where (online_times.h), in each process, behind online_finish. */
bool online_write_times(struct online *, const char *path, struct error *);

/* Write it. ERROR_INPUT where the file cannot be written. */
bool online_write(struct online *, const char *path, struct error *);

#endif
