/*
 * online.c -- the model of the run, recognized as it goes (lib/online.h): each record that is
 * written is told to a recognizer, and MPI_Finalize brings together what these have, over a
 * communicator of our own.
 */
#include "lib/online.h"

#include <stdlib.h>

#include "record/preload/recorder.h"
#include "record/record.h"

static const char *const region_names[] = {
#include "record/regions.inc"
};

static MPI_Comm way = NO_PARENT;

/* All processes come here, also those that cannot record. */
void online_start(void)
{
	const char *wanted = getenv(RECORD_MODEL), *sites = getenv(RECORD_SITES), *values = getenv(RECORD_VALUES),
		   *times = getenv(RECORD_TIMES);
	if (!wanted || !*wanted)
		return;
	struct online_options options = {
		.at_sites = sites && *sites, .times = times && *times, .values = values && *values ? values : NULL};
	recorder.online = online_new((uint32_t)recorder.rank, (uint32_t)recorder.processes, region_names,
		sizeof region_names / sizeof *region_names, &options);
	if (recorder.events)
		event_writer_listen(recorder.events, online_take, recorder.online);
	recorder.mpi.Comm_dup(recorder.mpi.world, &way);
}

static void send_bytes(void *context, uint32_t to, const void *bytes, size_t size)
{
	(void)context;
	recorder.mpi.Send(bytes, (int)size, recorder.mpi.byte, (int)to, 0, way);
}

static void receive_bytes(void *context, uint32_t from, void *bytes, size_t size)
{
	(void)context;
	recorder.mpi.Recv(bytes, (int)size, recorder.mpi.byte, (int)from, 0, way, MPI_STATUS_IGNORE);
}

void online_end(void)
{
	if (!recorder.online)
		return;
	struct transport transport = {
		(uint32_t)recorder.rank, (uint32_t)recorder.processes, NULL, send_bytes, receive_bytes};
	struct text path = {0};
	struct error error = {0};
	if (recorder.events)
		event_writer_listen(recorder.events, NULL, NULL);
	for (size_t region = 0; region < sizeof region_names / sizeof *region_names; region++)
		if (recorder.moved[region])
			online_moved(recorder.online, region_names[region], recorder.moved[region]);
	online_finish(
		recorder.online, recorder.failed || recorder.missing ? "not all of its messages are recorded" : NULL);
	text_format(&path, "%s/" RECORD_ONLINE_TIMES "%d", recorder.folder.data, recorder.rank);
	if (!online_write_times(recorder.online, path.data, &error))
		recorder_misses(error.message);
	text_truncate(&path, 0);
	online_gather(recorder.online, &transport);
	recorder.mpi.Comm_free(&way);
	text_format(&path, "%s/" RECORD_ONLINE, recorder.folder.data);
	if (!recorder.rank && !online_write(recorder.online, path.data, &error))
		recorder_misses(error.message);
	text_clear(&path);
	online_free(recorder.online);
	recorder.online = NULL;
}
