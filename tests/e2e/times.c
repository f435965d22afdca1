/*
 * times.c -- a plain walk over an OTF2 archive, sharing nothing with tracenest: the time of each
 * message and collective of each location, in the order recorded, "LOCATION TIME" per line.
 */
#include <otf2/otf2.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t location[4096];
static size_t locations;

static OTF2_CallbackCode on_location(void *context, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
	uint64_t events, OTF2_LocationGroupRef group)
{
	(void)context, (void)name, (void)type, (void)events, (void)group;
	if (locations < sizeof location / sizeof *location)
		location[locations++] = self;
	return OTF2_CALLBACK_SUCCESS;
}

#define RECORD                                                                                                         \
	OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position, void *context, OTF2_AttributeList *attributes
#define TELL (void)position, (void)context, (void)attributes, printf("%" PRIu64 " %" PRIu64 "\n", at, time)

static OTF2_CallbackCode on_message(RECORD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void)peer, (void)communicator, (void)tag, (void)bytes, TELL;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_requested(
	RECORD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes, uint64_t request)
{
	(void)peer, (void)communicator, (void)tag, (void)bytes, (void)request, TELL;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective(
	RECORD, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent, uint64_t received)
{
	(void)operation, (void)communicator, (void)root, (void)sent, (void)received, TELL;
	return OTF2_CALLBACK_SUCCESS;
}

static void read_locations(OTF2_Reader *reader)
{
	uint64_t read;
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
	OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL);
	OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
}

static void read_events(OTF2_Reader *reader, uint64_t id, const OTF2_EvtReaderCallbacks *callbacks)
{
	uint64_t read;
	OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, id);
	if (definitions)
		OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read);
	OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, id);
	OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, NULL);
	OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
}

int main(int argc, char **argv)
{
	OTF2_Reader *reader = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
	if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS)
		return 2;
	read_locations(reader);
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_message);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_message);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_requested);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_requested);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective);
	for (size_t i = 0; i < locations; i++)
		OTF2_Reader_SelectLocation(reader, location[i]);
	OTF2_Reader_OpenDefFiles(reader);
	OTF2_Reader_OpenEvtFiles(reader);
	for (size_t i = 0; i < locations; i++)
		read_events(reader, location[i], callbacks);
	return 0;
}
