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
#include "trace/deadlock.h"
#include "trace/event_writer.h"

#define TAIL 256 /* records: a call that has not returned has told fewer */

static bool is_finalize(const struct process_stand *s, uint32_t region)
{
	return !strcmp(definitions_region_name(&s->archive->definitions, region), "MPI_Finalize");
}

static const char *site_of(const struct definitions *d, const struct event_record *r)
{
	const struct record_attribute *path =
		d->pathed ? record_attribute(r, d->path, OTF2_TYPE_CALLING_CONTEXT) : NULL;
	const struct record_attribute *site = d->sited ? record_attribute(r, d->site, OTF2_TYPE_STRING) : NULL;
	const struct calling_context *context = path ? definitions_context(d, (uint32_t)path->value) : NULL;
	if (path)
		return context ? context->words : NULL;
	return site ? definitions_string(d, (uint32_t)site->value) : NULL;
}

static void leave(struct process_stand *s, const struct event_record *r)
{
	s->any = true;
	s->inside = s->inside && r->id != s->region;
	s->finalized |= is_finalize(s, r->id);
	s->time = r->time;
}

static void begin_collective(struct process_stand *s, const struct event_record *r)
{
	const struct definitions *d = &s->archive->definitions;
	const struct record_attribute *communicator =
		s->inside && s->archive->ours && d->knows_communicator
			? record_attribute(r, d->communicator_attribute, OTF2_TYPE_COMM)
			: NULL;
	if (communicator)
		s->communicator = definitions_communicator(d, (uint32_t)communicator->value);
}

static bool take_record(void *context, const struct event_record *r)
{
	struct process_stand *s = context;
	const struct definitions *d = &s->archive->definitions;
	bool region = r->kind == RECORD_ENTER || r->kind == RECORD_LEAVE;
	bool mpi = region && definitions_region(d, r->id)->flags & REGION_MPI;
	if (r->kind == RECORD_ENTER && mpi && !s->inside)
		*s = (struct process_stand){s->archive, true, s->finalized, true, r->id, site_of(d, r), r->time, NULL};
	else if (r->kind == RECORD_LEAVE && mpi)
		leave(s, r);
	else if (r->kind == RECORD_COLLECTIVE_BEGIN)
		begin_collective(s, r);
	else if (r->kind == RECORD_MEASUREMENT) /* what is not measured ends unseen */
		s->finalized = r->id == OTF2_MEASUREMENT_OFF;
	return true;
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
static void look(struct process_stand *s, uint64_t location)
{
	struct library_call call = {.path = s->archive->files.anchor};
	struct location_reader l = {0};
	struct error ignored = {0};
	uint64_t read;
	library_enter(&call);
	if (location_open(&l, s->archive, location, take_record, s, &ignored) && !l.gap &&
		l.file.records != UINT64_MAX &&
		(l.file.records <= TAIL || location_seek(&l, l.file.records - TAIL + 1)))
		location_read(&l, TAIL, &read);
	else
		s->finalized = true; /* what is damaged is told elsewhere */
	location_close(&l);
	library_leave();
}

bool stand_is_inside(const struct process_stand *s)
{
	return s->inside && (s->archive->ours || !is_finalize(s, s->region));
}

/* Where there is one communicator, a collective in which all wait for all can be on no other. */
static const struct otf2_communicator *only_communicator(const struct process_stand *s)
{
	static const char *const names[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Allgatherv",
		"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"};
	const struct definitions *d = &s->archive->definitions;
	const struct otf2_communicator *only = NULL;
	size_t known = 0, named = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names && stand_is_inside(s); i++)
		named += !strcmp(definitions_region_name(d, s->region), names[i]);
	for (size_t i = 0; i < d->communicators && named; i++)
		if (!d->communicator[i].local->self || d->communicator[i].remote) {
			only = &d->communicator[i];
			known++;
		}
	return known == 1 && only->name == NO_COMMUNICATOR ? only : NULL;
}

static bool is_same(const struct process_stand *a, const struct process_stand *b)
{
	return stand_is_inside(a) == stand_is_inside(b) && a->finalized == b->finalized && a->any == b->any &&
	       (!stand_is_inside(a) ||
		       (a->region == b->region && a->communicator == b->communicator &&
			       (a->site == b->site || (a->site && b->site && !strcmp(a->site, b->site)))));
}

size_t stand_place_length(const char *site)
{
	size_t length = site ? strcspn(site, " ") : 0;
	return length && memchr(site, ':', length) ? length : 0;
}

static void put_since(const struct definitions *d, uint64_t time, struct text *out)
{
	if (d->ticks_per_second && time >= d->clock_begin)
		text_format(out, " since %.3f s", (double)(time - d->clock_begin) / (double)d->ticks_per_second);
}

/* Those at one place; more: on which communicator, since when, and who is not there. */
static void put_place(const struct process_stand *s, const struct ranks *there, bool more, struct text *out)
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
		stand_is_inside(s) ? " in %s"
		: s->finalized     ? " at its end"
		: s->any           ? " outside of MPI"
				   : " without any record",
		name);
	if (stand_is_inside(s) && stand_place_length(s->site))
		text_format(out, " (%.*s)", (int)stand_place_length(s->site), s->site);
	if (!stand_is_inside(s) && !s->finalized)
		put_since(d, s->time, out);
}

static void keep(const struct process_stand *stand, struct trace_ending *ending)
{
	ending->stand = mem_zero((ending->processes + (size_t)1) * sizeof *ending->stand);
	for (uint32_t rank = 0; rank < ending->processes; rank++) {
		const struct process_stand *s = &stand[rank];
		struct trace_stand *to = &ending->stand[rank];
		to->since = s->time;
		if (!stand_is_inside(s))
			continue;
		to->call = mem_text(definitions_region_name(&s->archive->definitions, s->region));
		to->place = mem_text(stand_place_length(s->site) ? s->site : "");
		to->place[stand_place_length(s->site)] = 0;
	}
}

void ending_find(const struct archive *a, struct trace_ending *ending)
{
	*ending = (struct trace_ending){.processes = a->definitions.processes};
	struct text *line = &ending->line;
	const struct definitions *d = &a->definitions;
	struct process_stand *stand = mem_zero((d->processes + (size_t)1) * sizeof *stand);
	bool ended = true, recording = is_recording(a);
	for (uint32_t rank = 0; rank < d->processes; rank++) {
		stand[rank].archive = a;
		look(&stand[rank], d->location[rank]);
		if (!stand[rank].communicator)
			stand[rank].communicator = only_communicator(&stand[rank]);
		ended = ended && !stand_is_inside(&stand[rank]) &&
			!(recording && stand[rank].any && !stand[rank].finalized);
	}
	for (int more = 0; more < 2 && !ended; more++) {
		if (more)
			deadlock_tell(a, stand, line);
		for (uint32_t rank = 0; rank < d->processes; rank++) {
			struct ranks there = {0};
			bool first = true;
			for (uint32_t other = 0; other < d->processes; other++)
				if (is_same(&stand[rank], &stand[other])) {
					first = first && other >= rank;
					ranks_add(&there, other);
				}
			if (first && (!more || stand_is_inside(&stand[rank]))) {
				text_put(line, more ? "" : line->length ? ", " : "the run did not end: ");
				put_place(&stand[rank], &there, more, line);
			}
			ranks_clear(&there);
		}
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
