/*
 * ending.c -- a run ended where each process left its last call. One that hung or was killed
 * leaves processes that entered a call and did not come back; others of it were outside of MPI.
 *
 * Tracers of other kinds may not record that MPI_Finalize is left, so that proves nothing there;
 * our own always do, so a recording without it is of a process that was killed.
 */
#include "trace/ending.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/event_writer.h"

#define TAIL 256 /* records: a call that has not returned has told fewer */

struct stand {
	const struct archive *archive;
	bool inside, finalized, any;
	uint32_t region;
	const char *site;
	uint64_t time;
	const struct otf2_communicator *communicator; /* of a collective; NULL: not known */
};

static bool is_finalize(const struct stand *s, uint32_t region)
{
	return !strcmp(definitions_region_name(&s->archive->definitions, region), "MPI_Finalize");
}

static const char *site_of(const struct definitions *d, const OTF2_AttributeList *list)
{
	OTF2_StringRef string;
	OTF2_CallingContextRef path;
	if (list && d->pathed && OTF2_AttributeList_GetCallingContextRef(list, d->path, &path) == OTF2_SUCCESS) {
		const struct calling_context *context = definitions_context(d, path);
		return context ? context->words : NULL;
	}
	return list && d->sited && OTF2_AttributeList_GetStringRef(list, d->site, &string) == OTF2_SUCCESS
		       ? definitions_string(d, string)
		       : NULL;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)position;
	struct stand *s = context;
	const struct definitions *d = &s->archive->definitions;
	if (!s->inside && definitions_region(d, region)->flags & REGION_MPI)
		*s = (struct stand){s->archive, true, s->finalized, true, region, site_of(d, attributes), time, NULL};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)position, (void)attributes;
	struct stand *s = context;
	if (!(definitions_region(&s->archive->definitions, region)->flags & REGION_MPI))
		return OTF2_CALLBACK_SUCCESS;
	s->any = true;
	s->inside = s->inside && region != s->region;
	s->finalized |= is_finalize(s, region);
	s->time = time;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_begin(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context,
	OTF2_AttributeList *attributes)
{
	(void)location, (void)position, (void)time;
	struct stand *s = context;
	const struct definitions *d = &s->archive->definitions;
	OTF2_CommRef communicator;
	if (s->inside && s->archive->ours && d->knows_communicator &&
		OTF2_AttributeList_GetCommRef(attributes, d->communicator_attribute, &communicator) == OTF2_SUCCESS)
		s->communicator = definitions_communicator(d, communicator);
	return OTF2_CALLBACK_SUCCESS;
}

/* What is not measured ends unseen. */
static OTF2_CallbackCode on_measurement(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *context, OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
	(void)location, (void)time, (void)position, (void)attributes;
	((struct stand *)context)->finalized = mode == OTF2_MEASUREMENT_OFF;
	return OTF2_CALLBACK_SUCCESS;
}

/* Of a program that ran, not of one that was exported. */
static bool is_recording(const struct archive *a)
{
	const struct definitions *d = &a->definitions;
	bool any = false;
	for (size_t i = 0; i < d->region_slots && a->ours && !any; i++)
		any = d->region[i].flags & REGION_DEFINED &&
		      !strncmp(d->region_name[d->region[i].name], "MPI_Init", strlen("MPI_Init"));
	return any;
}

/* Where the location stands at its end. */
static void look(struct stand *s, uint64_t location, const OTF2_EvtReaderCallbacks *callbacks)
{
	struct library_call call = {.path = s->archive->files.anchor};
	struct location_reader l = {0};
	struct error ignored = {0};
	uint64_t read;
	library_enter(&call);
	if (location_open(&l, s->archive, location, callbacks, s, &ignored) && l.events &&
		l.file.records != UINT64_MAX &&
		(l.file.records <= TAIL || OTF2_EvtReader_Seek(l.events, l.file.records - TAIL + 1) == OTF2_SUCCESS))
		location_read(&l, TAIL, &read);
	else
		s->finalized = true; /* what is damaged is told elsewhere */
	location_close(&l);
	library_leave();
}

static bool stands(const struct stand *s)
{
	return s->inside && (s->archive->ours || !is_finalize(s, s->region));
}

static bool is_same(const struct stand *a, const struct stand *b)
{
	return stands(a) == stands(b) && a->finalized == b->finalized && a->any == b->any &&
	       (!stands(a) || (a->region == b->region && a->communicator == b->communicator &&
				      (a->site == b->site || (a->site && b->site && !strcmp(a->site, b->site)))));
}

/* Of "three.c:21" in the words of its site; 0: it has no line. */
static size_t place_length(const struct stand *s)
{
	size_t length = s->site ? strcspn(s->site, " ") : 0;
	return length && memchr(s->site, ':', length) ? length : 0;
}

static void put_since(const struct definitions *d, uint64_t time, struct text *out)
{
	if (d->ticks_per_second && time >= d->clock_begin)
		text_format(out, " since %.3f s", (double)(time - d->clock_begin) / (double)d->ticks_per_second);
}

/* Those at one place; more: on which communicator, since when, and who is not there. */
static void put_place(const struct stand *s, const struct ranks *there, bool more, struct text *out)
{
	const struct definitions *d = &s->archive->definitions;
	const char *name = definitions_region_name(d, s->region);
	if (more) {
		text_format(out, "; %s", name);
		put_since(d, s->time, out);
		if (!s->communicator)
			return;
		const struct otf2_communicator *c = s->communicator;
		const struct ranks *members = c->remote ? &c->both : &c->local->set;
		struct ranks missing = {0};
		ranks_subtract(&missing, members, there);
		text_put(out, " on ");
		ranks_print_short(members, out);
		if (c->name != NO_COMMUNICATOR)
			text_format(out, "@%lld", (long long)c->name);
		if (ranks_count(&missing)) {
			text_put(out, ", without ");
			ranks_print_short(&missing, out);
		}
		ranks_clear(&missing);
		return;
	}
	ranks_print_short(there, out);
	text_format(out,
		stands(s)      ? " in %s"
		: s->finalized ? " at its end"
		: s->any       ? " outside of MPI"
			       : " without any record",
		name);
	if (stands(s) && place_length(s))
		text_format(out, " (%.*s)", (int)place_length(s), s->site);
	if (!stands(s) && !s->finalized)
		put_since(d, s->time, out);
}

static void keep(const struct stand *stand, struct trace_ending *ending)
{
	ending->stand = mem_zero((ending->processes + (size_t)1) * sizeof *ending->stand);
	for (uint32_t rank = 0; rank < ending->processes; rank++) {
		const struct stand *s = &stand[rank];
		struct trace_stand *to = &ending->stand[rank];
		to->since = s->time;
		if (!stands(s))
			continue;
		to->call = mem_text(definitions_region_name(&s->archive->definitions, s->region));
		to->place = mem_text(place_length(s) ? s->site : "");
		to->place[place_length(s)] = 0;
	}
}

void ending_find(const struct archive *a, struct trace_ending *ending)
{
	*ending = (struct trace_ending){.processes = a->definitions.processes};
	struct text *line = &ending->line;
	const struct definitions *d = &a->definitions;
	struct stand *stand = mem_zero((d->processes + (size_t)1) * sizeof *stand);
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	bool ended = true, recording = is_recording(a);
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, on_begin);
	for (uint32_t rank = 0; rank < d->processes; rank++) {
		stand[rank].archive = a;
		look(&stand[rank], d->location[rank], callbacks);
		ended = ended && !stands(&stand[rank]) && !(recording && stand[rank].any && !stand[rank].finalized);
	}
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	for (int more = 0; more < 2 && !ended; more++)
		for (uint32_t rank = 0; rank < d->processes; rank++) {
			struct ranks there = {0};
			bool first = true;
			for (uint32_t other = 0; other < d->processes; other++)
				if (is_same(&stand[rank], &stand[other])) {
					first = first && other >= rank;
					ranks_add(&there, other);
				}
			if (first && (!more || stands(&stand[rank]))) {
				text_put(line, more ? "" : line->length ? ", " : "the run did not end: ");
				put_place(&stand[rank], &there, more, line);
			}
			ranks_clear(&there);
		}
	if (!ended)
		keep(stand, ending);
	free(stand);
}

void trace_ending_clear(struct trace_ending *ending)
{
	for (uint32_t rank = 0; ending->stand && rank < ending->processes; rank++) {
		free(ending->stand[rank].call);
		free(ending->stand[rank].place);
	}
	free(ending->stand);
	text_clear(&ending->line);
}
