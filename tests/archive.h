/*
 * archive.h -- small OTF2 archives for tests, written from a text.
 *
 *	creator ID NAME...			what made it
 *	pending ID LINE				of the property of our own archives (trace/pending.h)
 *	between ID LIST				of communicators of our own archives that are between groups
 *	process ID
 *	location ID PROCESS [gpu]		of type CPU thread, but for gpu
 *	list ID PARADIGM LOCATION...		a group COMM_LOCATIONS; PARADIGM: mpi or other
 *	group ID PARADIGM INDEX...		a group COMM_GROUP; "group ID global INDEX...": with global members, of MPI
 *	self ID					a group COMM_SELF
 *	comm ID GROUP [NAME]
 *	inter ID GROUP GROUP
 *	window ID COMM
 *	region ID NAME...			"mpiregion": of the paradigm MPI
 *	place ID LINE FILE			in the source
 *	context ID REGION PLACE CALLER		a calling context; PLACE, CALLER: or none
 *	parameter ID NAME
 *	map LOCATION FROM TO			a table in the local definitions: communicator FROM means TO
 *	@LOCATION RECORD NUMBER...		the next record of a location, 10 later than the one before it in the text
 *	time TIME				... than this, instead
 *
 * Records: in CONTEXT DISTANCE; out CONTEXT; sample CONTEXT DISTANCE; send, recv PEER COMM TAG; isend, irecv PEER COMM TAG REQUEST; post, sent,
 * cancel REQUEST;
 * collective OPERATION COMM ROOT; put, get, lock, unlock, epoch PEER WINDOW; atomic PEER WINDOW TYPE; together OPERATION WINDOW; enter, leave REGION; fork N; join; parameter ID VALUE; text ID
 * (of a parameter) STRING; off; on; request REQUEST; complete OPERATION [REQUEST]. "none" is 4294967295.
 */
#ifndef TRACENEST_TESTS_ARCHIVE_H
#define TRACENEST_TESTS_ARCHIVE_H

#include "base/text.h"

/* Write it under a new directory; the path of the anchor file, to be freed. Dies if the text is
   wrong. */
char *archive_write(const char *text);

/* Remove what archive_write made; takes the path. */
void archive_remove(char *anchor);

/* A new empty directory, to be freed; removed with all its files. */
char *scratch_new(void);
void scratch_remove(char *directory);

#endif
