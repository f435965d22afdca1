/*
 * deadlock.h -- why a run did not end: who waits for whom, from where its processes stand and what
 * they have not completed. Private to the reader of OTF2 archives.
 */
#ifndef TRACENEST_TRACE_DEADLOCK_H
#define TRACENEST_TRACE_DEADLOCK_H

#include "trace/ending.h"

/*
 * Behind the line: "; 0 and 1 wait for each other: 0 for a message from 1 (tag7), ..."; of several
 * reasons the one that the others follow from: a collective that is another one elsewhere, a
 * message longer than its receive, a process that has ended, a cycle, a process that is elsewhere.
 * Nothing where none is known. stand: by rank. Reads the messages of those that wait for some.
 */
void deadlock_tell(const struct archive *, const struct process_stand *stand, struct text *line);

#endif
