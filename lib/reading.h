/*
 * reading.h -- the recognizers of a trace while it is read; for local_models.c and those who feed
 * it from somewhere else (collect.c, online.c).
 */
#ifndef TRACENEST_LIB_READING_H
#define TRACENEST_LIB_READING_H

#include <pthread.h>

#include "base/intern.h"
#include "base/progress.h"
#include "nlr/affine_events.h"
#include "fit/value_columns.h"
#include "lib/behaviours.h"
#include "lib/transport.h"
#include "nlr/nlr.h"
#include "trace/trace.h"

struct process {
	struct dictionary *dictionary; /* of its events; NULL: it has none, or all of a text trace have one */
	bool received; /* it was read elsewhere; the dictionary is ours */
	/* 1 + a process that does the same, relative to itself, whose nests are this one's; what it
	   is in bytes then has its dictionary, whose events have the same ids. 0: there is none */
	uint32_t like;
	struct unpack bytes;
	struct nlr *nlr; /* while it is fed */
	struct value_lane *lane; /* of an archive: where what its usual events carry goes; or NULL */
	struct nest *nest; /* then */
	bool window_hit;
	uint32_t *id_of; /* by event as the recognizer knows it: the id in the model's dictionary */
	/* of text traces: the recognizer's numbers of the events, whose dictionary all processes
	   share */
	struct intern *own;
	bool again; /* events became one: recognize once more, in the model's ids */
	struct affine_events *affine; /* has taken over from nlr and nest */
	/* of one that is recorded: what its communicators from 2 on are, the same on all members */
	uint64_t *key;
	size_t keys, key_capacity;
};

struct reading {
	struct trace *trace;
	struct nlr_options options;
	struct process *process; /* by rank */
	size_t processes, capacity;
	struct dictionary *dictionary; /* of the model to be */
	uint32_t *common; /* of text traces: by event, its id in there */
	const struct progress *progress;
	struct value_columns *values; /* NULL: nothing is asked for */
	bool archive, unnamed;
	bool at_sites; /* events of different sites are different to the recognizer; */
	struct intern *keys; /* of all processes, where there are any, in the order of their numbers */
	struct behaviours *behaviours; /* of processes that were read elsewhere, or are done with */
	pthread_mutex_t *sharing; /* around them, while several threads read */
};

/* Ranks of a text trace show up as it is read; of an archive all are known before. */
void reading_make_room(struct reading *, size_t processes);

/* An event of a process: of the type of a sink's. */
bool reading_push(void *reading, uint32_t rank, const struct trace_event *, struct error *);

/* It has no more. */
void reading_finish_process(void *reading, size_t rank);
void reading_clear(struct reading *);

/* ---------------------------------------------------- from one place to another: collect.c */

/* What was read here, or came up from below. */
struct collecting {
	struct reading *reading;
	struct behaviours *behaviours; /* of processes that were not read here, but on the way up of all */
	struct error *error; /* the first one, in the order of ranks */
};

/* For a gathering of transport.h. */
void collecting_pack(void *collecting, struct text *to);
void collecting_add(void *collecting, const struct text *bytes);

/* One that was read here becomes bytes in the reading's behaviours: nothing else of it is left. Of
   the type of a sink's. */
void reading_share(void *reading, uint32_t rank);

/* A process that was read here, to be sent. */
void collecting_take(struct collecting *, uint32_t rank);

/* What came, into the reading, which takes the behaviours. */
void collecting_unpack(struct collecting *);

/* The dictionary of a process; of one that is like another it is made each time it is asked for.
   NULL: it has no events. */
const struct dictionary *reading_dictionary(struct reading *, uint32_t rank);
void reading_dictionary_free(struct reading *, uint32_t rank, const struct dictionary *);

/* The process whose nests it has: itself, or the one that it is like. */
static inline const struct process *reading_model(const struct reading *r, const struct process *p)
{
	return p->like ? &r->process[p->like - 1] : p;
}

/* Everything that several have read (NULL: this one alone, in shares) to the first of them. False:
   not well (with *error set), or not here. error: of the reading here. */
bool reading_collect(struct reading *, const struct transport *, struct error *);

/* What a run left of its own model (online.h). */
bool reading_of_online(struct reading *, const char *path, struct error *);

#endif
