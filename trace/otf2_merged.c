/*
 * otf2_merged.c -- one reader a process; the one whose next event is the earliest goes on.
 */
#include <stdlib.h>

#include "base/heap.h"
#include "trace/merged.h"
#include "trace/otf2.h"
#include "trace/otf2_threads.h"

struct merged {
	uint32_t processes;
	struct process_reader **reader;
	struct stream_facts *facts;
	const struct trace_event **event; /* the next one of each */
	struct heap heap; /* of ranks, by its time */
	uint32_t last; /* whose event was given last; NO_RANK */
};

static void fetch(struct merged *m, uint32_t rank)
{
	m->event[rank] = process_next(m->reader[rank]);
	if (m->event[rank])
		heap_push(&m->heap, (struct heap_entry){.key = m->event[rank]->time, .id = rank});
}

struct merged *archive_merged(struct archive *a, struct error *error)
{
	struct merged *m = mem_zero(sizeof *m);
	m->processes = a->definitions.processes;
	m->reader = mem_zero((m->processes + (size_t)1) * sizeof(struct process_reader *));
	m->facts = mem_zero((m->processes + (size_t)1) * sizeof *m->facts);
	m->event = mem_zero((m->processes + (size_t)1) * sizeof(struct trace_event *));
	m->last = NO_RANK;
	for (uint32_t rank = 0; rank < m->processes; rank++) {
		m->reader[rank] = process_open(a, rank, false, &m->facts[rank], error);
		if (!m->reader[rank]) {
			struct error other;
			merged_close(m, &other);
			return NULL;
		}
		fetch(m, rank);
	}
	return m;
}

const struct trace_event *merged_next(struct merged *m, uint32_t *rank)
{
	if (m->last != NO_RANK)
		fetch(m, m->last);
	m->last = NO_RANK;
	if (!m->heap.length)
		return NULL;
	m->last = *rank = heap_pop(&m->heap).id;
	return m->event[*rank];
}

bool merged_close(struct merged *m, struct error *error)
{
	bool good = true;
	for (uint32_t rank = 0; rank < m->processes; rank++) {
		struct error own = {0};
		if (m->reader[rank] && !process_close(m->reader[rank], &own) && good) {
			*error = own;
			good = false;
		}
	}
	heap_clear(&m->heap);
	free(m->reader);
	free(m->facts);
	free(m->event);
	free(m);
	return good;
}
