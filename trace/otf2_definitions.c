/*
 * otf2_definitions.c -- the global definitions of an archive, as the events need them.
 *
 * Definitions come in any order, ids are sparse, and one id may be defined twice: so everything is
 * first noted as it comes and put in order at the end. Of several definitions of one thing the last
 * holds. Groups are told apart by id *and* type: EZTrace gives id 0 both to the list of MPI's
 * locations and to the group of MPI_COMM_WORLD.
 *
 * The group of type COMM_LOCATIONS and paradigm MPI says which location is which rank; Score-P
 * writes a second one for its own purposes. A communicator's group is a COMM_GROUP (indices into
 * that list), a COMM_SELF (every process by itself, no members), or the list itself, looked for in
 * this order. Where no list is given, every process that has a CPU thread with communication is a
 * rank, in order of the process's id.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "model/call_paths.h"
#include "trace/names.h"
#include "trace/event_writer.h"
#include "trace/otf2.h"

/* ------------------------------------------------------------------ as they come */

struct string_note {
	uint32_t id;
	const char *text;
};

struct group_note {
	uint32_t id;
	bool of_mpi;
	bool identity;
	const uint64_t *member;
	size_t length;
	struct otf2_group *made; /* once a communicator needs it */
};

struct communicator_note {
	uint32_t id, name, group, remote; /* remote: OTF2_UNDEFINED_GROUP unless an intercommunicator */
};

struct window_note {
	uint32_t id, communicator;
};

struct region_note {
	uint32_t id, name;
	bool of_mpi, artificial;
};

struct parameter_note {
	uint32_t id, name;
};

struct location_note {
	uint64_t id;
	uint32_t process;
	bool cpu_thread, vacant; /* no event of a thread is expected there */
};

struct process_note {
	uint32_t id;
};

/* A source code location, a calling context. */
struct place_note {
	uint32_t id, file, line;
};

struct path_note {
	uint32_t id, region, place, caller, depth;
	const char *words; /* NULL: not made yet */
};

#define LIST(type)                                                                                                     \
	struct {                                                                                                       \
		struct type *at;                                                                                       \
		size_t length, capacity;                                                                               \
	}

struct definition_notes {
	struct arena *arena;
	LIST(string_note) strings;
	LIST(group_note) groups, selves, lists; /* COMM_GROUP, COMM_SELF, COMM_LOCATIONS */
	LIST(communicator_note) communicators;
	LIST(window_note) windows;
	LIST(region_note) regions;
	LIST(parameter_note) parameters, attributes;
	LIST(location_note) locations;
	LIST(process_note) processes;
	LIST(place_note) places;
	LIST(path_note) paths;
	uint64_t ticks_per_second, clock_begin;
};

#define NOTE(list, ...) (*MEM_PUSH((list).at, (list).length, (list).capacity) = __VA_ARGS__)

static OTF2_CallbackCode on_clock(
	void *context, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t real_time)
{
	(void)length, (void)real_time;
	struct definition_notes *n = context;
	n->ticks_per_second = resolution;
	n->clock_begin = offset;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *context, OTF2_StringRef self, const char *string)
{
	struct definition_notes *n = context;
	const char *text = string ? string : "";
	NOTE(n->strings, (struct string_note){self, arena_copy(n->arena, text, strlen(text) + 1)});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *context, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
	OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t length, const uint64_t *members)
{
	(void)name;
	struct definition_notes *n = context;
	bool of_mpi = paradigm == OTF2_PARADIGM_MPI, identity = (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
	struct group_note note = {.id = self, .of_mpi = of_mpi, .identity = identity, .length = length};
	if (type != OTF2_GROUP_TYPE_COMM_GROUP && type != OTF2_GROUP_TYPE_COMM_SELF &&
		(type != OTF2_GROUP_TYPE_COMM_LOCATIONS || !of_mpi))
		return OTF2_CALLBACK_SUCCESS;
	if (length)
		note.member = arena_copy(n->arena, members, length * sizeof *members);
	if (type == OTF2_GROUP_TYPE_COMM_GROUP)
		NOTE(n->groups, note);
	else if (type == OTF2_GROUP_TYPE_COMM_SELF)
		NOTE(n->selves, note);
	else
		NOTE(n->lists, note);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_communicator(void *context, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
	OTF2_CommRef parent, OTF2_CommFlag flags)
{
	(void)parent, (void)flags;
	struct definition_notes *n = context;
	NOTE(n->communicators, (struct communicator_note){self, name, group, OTF2_UNDEFINED_GROUP});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_intercommunicator(void *context, OTF2_CommRef self, OTF2_StringRef name,
	OTF2_GroupRef group_a, OTF2_GroupRef group_b, OTF2_CommRef common, OTF2_CommFlag flags)
{
	(void)common, (void)flags;
	struct definition_notes *n = context;
	NOTE(n->communicators, (struct communicator_note){self, name, group_a, group_b});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_window(
	void *context, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef communicator, OTF2_RmaWinFlag flags)
{
	(void)name, (void)flags;
	struct definition_notes *n = context;
	NOTE(n->windows, (struct window_note){self, communicator});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *context, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
	OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
	OTF2_StringRef file, uint32_t begin, uint32_t end)
{
	(void)canonical, (void)description, (void)flags, (void)file, (void)begin, (void)end;
	struct definition_notes *n = context;
	NOTE(n->regions,
		(struct region_note){self, name, paradigm == OTF2_PARADIGM_MPI, role == OTF2_REGION_ROLE_ARTIFICIAL});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(
	void *context, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type)
{
	(void)type;
	struct definition_notes *n = context;
	NOTE(n->parameters, (struct parameter_note){self, name});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(
	void *context, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef description, OTF2_Type type)
{
	(void)description, (void)type;
	struct definition_notes *n = context;
	NOTE(n->attributes, (struct parameter_note){self, name});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *context, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
	uint64_t events, OTF2_LocationGroupRef process)
{
	(void)name;
	struct definition_notes *n = context;
	bool cpu_thread = type == OTF2_LOCATION_TYPE_CPU_THREAD; /* EZTrace's numbers of events are wrong */
	NOTE(n->locations, (struct location_note){self, process, cpu_thread, !cpu_thread || !events});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_group(void *context, OTF2_LocationGroupRef self, OTF2_StringRef name,
	OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef creator)
{
	(void)name, (void)parent, (void)creator;
	struct definition_notes *n = context;
	if (type == OTF2_LOCATION_GROUP_TYPE_PROCESS)
		NOTE(n->processes, (struct process_note){self});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_place(void *context, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line)
{
	struct definition_notes *n = context;
	NOTE(n->places, (struct place_note){self, file, line});
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_path(void *context, OTF2_CallingContextRef self, OTF2_RegionRef region,
	OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent)
{
	struct definition_notes *n = context;
	NOTE(n->paths, (struct path_note){.id = self, .region = region, .place = place, .caller = parent});
	return OTF2_CALLBACK_SUCCESS;
}

static bool read_notes(struct definition_notes *n, OTF2_Reader *reader, uint64_t records, struct error *error)
{
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_communicator);
	OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_intercommunicator);
	OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_window);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
	OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, on_parameter);
	OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
	OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(callbacks, on_place);
	OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_path);
	uint64_t read = 0, announced = 0;
	bool good = definitions &&
		    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, n) == OTF2_SUCCESS &&
		    OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &announced) == OTF2_SUCCESS &&
		    OTF2_Reader_ReadGlobalDefinitions(
			    reader, definitions, records == UINT64_MAX ? announced : records, &read) == OTF2_SUCCESS;
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	if (!good)
		return error_set(error, ERROR_INPUT, "the definitions cannot be read: %s", library_words());
	if (read != announced)
		return error_set(error, ERROR_INPUT, "damaged: %llu of %llu definitions found",
			(unsigned long long)read, (unsigned long long)announced);
	return true;
}

static void clear_notes(struct definition_notes *n)
{
	free(n->strings.at);
	free(n->groups.at);
	free(n->selves.at);
	free(n->lists.at);
	free(n->communicators.at);
	free(n->windows.at);
	free(n->regions.at);
	free(n->parameters.at);
	free(n->attributes.at);
	free(n->locations.at);
	free(n->processes.at);
	free(n->places.at);
	free(n->paths.at);
}

/* ------------------------------------------------------------------ put in order */

/* Merge sort, because qsort may change the order of equals, and the last of them must win. */
static void sort_stably(char *items, char *room, size_t length, size_t size)
{
	if (length < 2)
		return;
	size_t half = length / 2;
	sort_stably(items, room, half, size);
	sort_stably(items + half * size, room, length - half, size);
	memcpy(room, items, half * size);
	const char *left = room, *left_end = room + half * size, *right = items + half * size,
		   *right_end = items + length * size;
	for (char *out = items; left < left_end; out += size) {
		const char **from = right < right_end && compare_u32(right, left) < 0 ? &right : &left;
		memcpy(out, *from, size);
		*from += size;
	}
}

/* Order by id, and keep the last of those that share one; every element begins with its id. Returns
   how many are left. */
static size_t order_by_id(void *items, size_t length, size_t size)
{
	char *at = items, *room = mem_array(length / 2 + 1, size);
	sort_stably(at, room, length, size);
	free(room);
	size_t kept = 0;
	for (size_t i = 0; i < length; i++) {
		if (kept && !compare_u32(at + (kept - 1) * size, at + i * size))
			kept--;
		memmove(at + kept++ * size, at + i * size, size);
	}
	return kept;
}

static const void *find_id(uint32_t id, const void *items, size_t length, size_t size)
{
	return length ? bsearch(&id, items, length, size, compare_u32) : NULL;
}

static const char *string_of(const struct definition_notes *n, uint32_t id)
{
	const struct string_note *s = find_id(id, n->strings.at, n->strings.length, sizeof *s);
	return s ? s->text : NULL;
}

/* ------------------------------------------------------------------ processes */

static int by_number(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

static bool check_processes(const struct definitions *d, struct error *error)
{
	if (!d->processes)
		return error_set(error, ERROR_INPUT, "no location of a process is defined");
	uint64_t *sorted = mem_copy(d->location, d->processes * sizeof *sorted);
	qsort(sorted, d->processes, sizeof *sorted, by_number);
	bool good = true;
	for (uint32_t i = 1; i < d->processes && good; i++)
		if (sorted[i] == sorted[i - 1])
			good = error_set(error, ERROR_INPUT, "damaged: location %llu is two processes",
				(unsigned long long)sorted[i]);
	free(sorted);
	return good;
}

static bool is_process(const struct definition_notes *n, uint32_t id)
{
	return !n->processes.length || find_id(id, n->processes.at, n->processes.length, sizeof *n->processes.at);
}

static int by_process(const void *left, const void *right)
{
	const struct location_note *a = left, *b = right;
	return a->process != b->process ? COMPARE(a->process, b->process) : COMPARE(a->id, b->id);
}

/* Every process's thread that communicates; where none does, its first thread. */
static bool choose_locations(struct definitions *d, struct definition_notes *n, definitions_choose choose,
	void *context, struct error *error)
{
	d->location = arena_alloc(d->arena, (n->locations.length + 1) * sizeof *d->location);
	const struct location_note *previous = NULL;
	bool chosen = false;
	for (size_t i = 0; i < n->locations.length; i++) {
		const struct location_note *l = &n->locations.at[i];
		if (!l->cpu_thread || !is_process(n, l->process))
			continue;
		bool first = !previous || previous->process != l->process, communicates = false;
		previous = l;
		if (!first && chosen)
			continue;
		if (!choose(context, l->id, &communicates, error))
			return false;
		if (first)
			d->location[d->processes++] = l->id;
		else if (communicates)
			d->location[d->processes - 1] = l->id;
		chosen = communicates;
	}
	return true;
}

static int by_rank(const void *left, const void *right)
{
	const struct otf2_thread *a = left, *b = right;
	return a->rank != b->rank     ? COMPARE(a->rank, b->rank)
	       : a->other != b->other ? COMPARE(a->other, b->other)
				      : COMPARE(a->location, b->location);
}

static int by_location(const void *left, const void *right)
{
	return COMPARE(((const struct otf2_thread *)left)->location, ((const struct otf2_thread *)right)->location);
}

/* The only rank of a location group: NO_RANK, if none or several are. */
static uint32_t owner(const struct otf2_thread *t, size_t length)
{
	uint32_t rank = NO_RANK;
	for (size_t i = 0; i < length; i++)
		if (!t[i].other && rank != NO_RANK)
			return NO_RANK;
		else if (!t[i].other)
			rank = t[i].rank;
	return rank;
}

/* All locations, and whose they are. */
static void list_threads(struct definitions *d, struct definition_notes *n)
{
	struct otf2_thread *named = mem_array(d->processes, sizeof *named);
	for (uint32_t rank = 0; rank < d->processes; rank++)
		named[rank] = (struct otf2_thread){d->location[rank], rank, false, false};
	qsort(named, d->processes, sizeof *named, by_location);
	d->thread = mem_array(n->locations.length + d->processes, sizeof *d->thread);
	for (size_t i = 0, first = 0; i < n->locations.length; i++) {
		const struct location_note *l = &n->locations.at[i];
		struct otf2_thread own = {l->id, NO_RANK, true, l->vacant};
		const struct otf2_thread *known = bsearch(&own, named, d->processes, sizeof *named, by_location);
		if (!i || l->id != l[-1].id)
			d->thread[d->threads++] = known ? *known : own;
		if (i + 1 < n->locations.length && l[1].process == l->process)
			continue;
		uint32_t rank = owner(d->thread + first, d->threads - first);
		for (; first < d->threads; first++)
			if (d->thread[first].other)
				d->thread[first].rank = rank;
	}
	qsort(d->thread, d->threads, sizeof *d->thread, by_location);
	for (uint32_t i = 0, defined = d->threads; i < d->processes; i++) /* also those that are listed alone */
		if (!bsearch(&named[i], d->thread, defined, sizeof *d->thread, by_location))
			d->thread[d->threads++] = named[i];
	qsort(d->thread, d->threads, sizeof *d->thread, by_rank);
	free(named);
}

static bool find_processes(struct definitions *d, struct definition_notes *n, definitions_choose choose, void *context,
	struct error *error)
{
	if (n->locations.length)
		qsort(n->locations.at, n->locations.length, sizeof *n->locations.at, by_process);
	const struct group_note *list = n->lists.length ? &n->lists.at[n->lists.length - 1] : NULL;
	size_t most = list ? list->length : n->locations.length;
	if (most > RANK_LIMIT)
		return error_set(error, ERROR_INPUT, "%zu processes: more than %u are not supported", most, RANK_LIMIT);
	if (!list)
		return choose_locations(d, n, choose, context, error) && check_processes(d, error);
	d->location = arena_copy(d->arena, list->member, list->length * sizeof *list->member);
	d->processes = (uint32_t)list->length;
	return check_processes(d, error);
}

/* ------------------------------------------------------------------ groups and communicators */

/* The set of a list of ranks: sorted first, because adding at the upper end is cheap. */
static void fill_set(struct otf2_group *g)
{
	uint32_t *sorted = mem_copy(g->member, g->length * sizeof *sorted);
	qsort(sorted, g->length, sizeof *sorted, compare_u32);
	for (size_t i = 0; i < g->length && sorted[i] != NO_RANK; i++)
		if (!i || sorted[i] != sorted[i - 1])
			ranks_add(&g->set, sorted[i]);
	free(sorted);
}

static void make_everybody(struct definitions *d)
{
	uint32_t *member = arena_alloc(d->arena, d->processes * sizeof *member);
	for (uint32_t i = 0; i < d->processes; i++)
		member[i] = i;
	d->everybody = (struct otf2_group){.member = member, .length = d->processes};
	ranks_add_run(&d->everybody.set, 0, d->processes - 1);
}

static struct otf2_group *make_group(struct definitions *d, const struct group_note *note)
{
	struct otf2_group *g = arena_alloc(d->arena, sizeof *g);
	uint32_t *member = arena_alloc(d->arena, (note->length + 1) * sizeof *member);
	*g = (struct otf2_group){
		.self = !note->length, .identity = note->identity, .member = member, .length = note->length};
	for (size_t i = 0; i < note->length; i++) {
		member[i] = note->member[i] < d->processes ? (uint32_t)note->member[i] : NO_RANK;
		g->damaged |= member[i] == NO_RANK;
	}
	fill_set(g);
	g->next = d->group;
	d->group = g;
	return g;
}

/* Of the notes on groups of one type. */
static struct otf2_group *find_group(struct definitions *d, uint32_t id, struct group_note *notes, size_t length)
{
	struct group_note *note = (struct group_note *)find_id(id, notes, length, sizeof *note);
	if (note && !note->made)
		note->made = make_group(d, note);
	return note ? note->made : NULL;
}

/* NULL: undefined. */
static struct otf2_group *group_of(struct definitions *d, struct definition_notes *n, uint32_t id)
{
	struct otf2_group *found = find_group(d, id, n->groups.at, n->groups.length);
	if (!found)
		found = find_group(d, id, n->selves.at, n->selves.length);
	if (!found && find_id(id, n->lists.at, n->lists.length, sizeof *n->lists.at))
		found = &d->everybody;
	return found;
}

static bool is_of_mpi(const struct definition_notes *n, uint32_t group)
{
	const struct group_note *note = find_id(group, n->groups.at, n->groups.length, sizeof *note);
	return !note || note->of_mpi;
}

static bool is_everybody(const struct definitions *d, const struct otf2_communicator *c)
{
	return !c->remote && c->local->length == d->processes &&
	       !memcmp(c->local->member, d->everybody.member, d->processes * sizeof *c->local->member);
}

/* The one named MPI_COMM_WORLD, else the one of lowest id over all MPI processes. */
static void find_world(
	struct definitions *d, const struct definition_notes *n, const struct communicator_note *const *origin)
{
	struct otf2_communicator *world = NULL;
	for (size_t i = 0; i < d->communicators && !world; i++) {
		const char *name = string_of(n, origin[i]->name);
		if (name && !strcmp(name, "MPI_COMM_WORLD"))
			world = &d->communicator[i];
	}
	for (size_t i = 0; i < d->communicators && !world; i++)
		if (is_everybody(d, &d->communicator[i]) && is_of_mpi(n, origin[i]->group))
			world = &d->communicator[i];
	if (world)
		world->name = NO_COMMUNICATOR;
}

/* Those whose groups are known; a communicator without is as good as undefined. */
static void make_communicators(struct definitions *d, struct definition_notes *n)
{
	d->communicator = mem_array(n->communicators.length, sizeof *d->communicator);
	const struct communicator_note **origin = mem_array(n->communicators.length, sizeof *origin);
	for (size_t i = 0; i < n->communicators.length; i++) {
		const struct communicator_note *note = &n->communicators.at[i];
		bool inter = note->remote != OTF2_UNDEFINED_GROUP;
		struct otf2_communicator c = {.id = note->id, .name = note->id, .local = group_of(d, n, note->group)};
		c.remote = inter ? group_of(d, n, note->remote) : NULL;
		if (!c.local || (inter && !c.remote))
			continue;
		if (inter)
			ranks_unite(&c.both, &c.local->set, &c.remote->set);
		origin[d->communicators] = note;
		d->communicator[d->communicators++] = c;
	}
	find_world(d, n, origin);
	free(origin);
}

/* By the name of its communicator; if that is the world, or another window's, too, behind all
   communicators. */
static void make_windows(struct definitions *d, const struct definition_notes *n)
{
	size_t communicators = n->communicators.length;
	int64_t behind = communicators ? (int64_t)n->communicators.at[communicators - 1].id + 1 : 0;
	uint32_t *users = mem_zero((d->communicators + 1) * sizeof *users);
	d->window = mem_array(n->windows.length, sizeof *d->window);
	for (size_t i = 0; i < n->windows.length; i++) {
		const struct otf2_communicator *c = definitions_communicator(d, n->windows.at[i].communicator);
		if (c)
			users[c - d->communicator]++;
	}
	for (size_t i = 0; i < n->windows.length; i++) {
		const struct otf2_communicator *c = definitions_communicator(d, n->windows.at[i].communicator);
		if (!c)
			continue;
		struct otf2_communicator w = *c;
		if (users[c - d->communicator] > 1 || c->name == NO_COMMUNICATOR)
			w.name = behind + (int64_t)i;
		w.id = n->windows.at[i].id;
		d->window[d->windows++] = w;
	}
	free(users);
}

/* ------------------------------------------------------------------ regions and other names */

static unsigned flags_of(const struct region_note *note, const char *name)
{
	unsigned flags = REGION_ANY | REGION_DEFINED;
	if (note->of_mpi || name_is_mpi(name))
		flags |= REGION_MPI;
	if (name_completes_several(name))
		flags |= REGION_COMPLETES_SEVERAL;
	if (name_completes_some(name))
		flags |= REGION_COMPLETES_SOME;
	if (name_of_collective_region(name))
		flags |= REGION_COLLECTIVE;
	if (note->artificial || !strcmp(name, "MPI Collective Sync") || !strcmp(name, ".TAU application"))
		flags |= REGION_INTERNAL;
	if (!(flags & (REGION_MPI | REGION_INTERNAL)))
		flags |= REGION_PROGRAM;
	return flags;
}

static void make_regions(struct definitions *d, const struct definition_notes *n)
{
	for (d->region_slots = 64; d->region_slots < 4 * n->regions.length;)
		d->region_slots *= 2;
	d->region = mem_zero(d->region_slots * sizeof *d->region);
	for (size_t i = 0; i < d->region_slots; i++)
		d->region[i] = (struct region){.flags = REGION_ANY, .call = TRACE_NO_CALL};
	d->region_name = mem_array(n->regions.length, sizeof *d->region_name);
	for (size_t i = 0; i < n->regions.length; i++) {
		const struct region_note *note = &n->regions.at[i];
		const char *name = string_of(n, note->name);
		d->region_name[i] = name ? name : "?";
		struct region *slot = definitions_region(d, note->id);
		slot->id = note->id;
		slot->flags = flags_of(note, d->region_name[i]) & 0xff;
		slot->name = (uint32_t)i & (REGION_LIMIT - 1);
		slot->call = name_of_call(d->region_name[i]);
		d->regions_named |= slot->flags & REGION_PROGRAM && !name_is_main(d->region_name[i]);
	}
}

static struct named *named_of(const struct definition_notes *n, const struct parameter_note *note, size_t count)
{
	struct named *named = mem_array(count, sizeof *named);
	for (size_t i = 0; i < count; i++) {
		const char *name = string_of(n, note[i].name);
		named[i] = (struct named){note[i].id, name ? name : "?"};
	}
	return named;
}

/* As names before '=' can be. */
static void clean_attributes(struct definitions *d, const struct definition_notes *n)
{
	for (size_t i = 0; i < d->attributes; i++) {
		struct text word = {0}, clean = {0};
		name_clean(d->attribute[i].name, true, &word);
		for (const char *at = word.data; *at; at++)
			text_format(&clean, strchr("=\"", *at) ? "%%%02X" : "%c", (unsigned char)*at);
		d->attribute[i].name = arena_copy(n->arena, clean.data, clean.length + 1);
		text_clear(&word);
		text_clear(&clean);
	}
}

static bool find_attribute(const struct definitions *d, const char *name, uint32_t *id)
{
	for (size_t i = 0; i < d->attributes; i++)
		if (!strcmp(d->attribute[i].name, name)) {
			*id = d->attribute[i].id;
			return true;
		}
	return false;
}

static void know_attributes(struct definitions *d)
{
	static const char *const usual[USUAL_ATTRIBUTES] = EVENT_VALUES_SAID;
	d->sited = find_attribute(d, "site", &d->site);
	d->pathed = find_attribute(d, "path", &d->path);
	d->knows_kept = find_attribute(d, "kept", &d->kept);
	d->knows_communicator = find_attribute(d, "communicator", &d->communicator_attribute);
	d->knows_thread = find_attribute(d, "thread", &d->which_thread);
	d->knows_neighbours = find_attribute(d, "to", &d->to) && find_attribute(d, "from", &d->from);
	for (size_t i = 0; i < USUAL_ATTRIBUTES; i++)
		d->usual += find_attribute(d, usual[i], &d->usual_attribute[d->usual]);
}

static void make_names(struct definitions *d, const struct definition_notes *n)
{
	d->strings = n->strings.length;
	d->string = mem_array(d->strings, sizeof *d->string);
	for (size_t i = 0; i < d->strings; i++)
		d->string[i] = (struct named){n->strings.at[i].id, n->strings.at[i].text};
	d->parameters = n->parameters.length;
	d->parameter = named_of(n, n->parameters.at, n->parameters.length);
	d->attributes = n->attributes.length;
	d->attribute = named_of(n, n->attributes.at, n->attributes.length);
	know_attributes(d);
	clean_attributes(d, n);
}

/* Its words. Callers are defined before those whom they call; others are left out, as are those
   further out than FRAMES_MOST: so words take no more than so many times what they are made of. */
#define FRAMES_MOST 256

static const char *words_of_path(const struct definition_notes *n, struct path_note *p)
{
	struct text words = {0};
	const struct region_note *region = find_id(p->region, n->regions.at, n->regions.length, sizeof *region);
	const struct place_note *place = find_id(p->place, n->places.at, n->places.length, sizeof *place);
	const struct path_note *caller = find_id(p->caller, n->paths.at, n->paths.length, sizeof *caller);
	const char *file = place ? string_of(n, place->file) : NULL, *name = region ? string_of(n, region->name) : NULL;
	if (file && place->line)
		text_format(&words, "%s:%" PRIu32, file, place->line);
	else if (file)
		text_put(&words, file);
	if (name && *name)
		text_format(&words, words.length ? " %s" : "%s", name);
	p->depth = 1;
	if (caller && caller->words && *caller->words && caller->depth < FRAMES_MOST) {
		text_format(&words, words.length ? CALL_PATH_OUTSIDE "%s" : "%s", caller->words);
		p->depth = caller->depth + 1;
	}
	const char *kept = arena_copy(n->arena, words.data ? words.data : "", words.length + 1);
	text_clear(&words);
	return kept;
}

#define PATHS_BYTES ((size_t)1 << 28) /* 250,000 paths of 20 frames; damaged definitions could ask for any number */

static bool make_paths(struct definitions *d, struct definition_notes *n, struct error *error)
{
	size_t bytes = 0;
	if (d->sited && !d->pathed)
		return true;
	d->context = mem_array(n->paths.length, sizeof *d->context);
	for (; d->contexts < n->paths.length && bytes <= PATHS_BYTES; d->contexts++) {
		struct path_note *p = &n->paths.at[d->contexts];
		p->words = words_of_path(n, p);
		bytes += strlen(p->words);
		d->context[d->contexts] = (struct calling_context){p->id, p->region, p->caller, p->depth, p->words};
	}
	d->in_contexts = !d->sited && n->paths.length && bytes <= PATHS_BYTES;
	return !d->pathed || bytes <= PATHS_BYTES ||
	       error_set(error, ERROR_INPUT, "calling contexts are more than %zu MB of words", PATHS_BYTES >> 20);
}

/* ------------------------------------------------------------------ all of it */

#define ORDER(list) ((list).length = order_by_id((list).at, (list).length, sizeof *(list).at))

static bool order_notes(struct definition_notes *n, struct error *error)
{
	if (n->regions.length >= REGION_LIMIT)
		return error_set(
			error, ERROR_INPUT, "%zu regions are more than this program can hold", n->regions.length);
	ORDER(n->strings);
	ORDER(n->groups);
	ORDER(n->selves);
	ORDER(n->communicators);
	ORDER(n->windows);
	ORDER(n->regions);
	ORDER(n->parameters);
	ORDER(n->attributes);
	ORDER(n->processes);
	ORDER(n->places);
	ORDER(n->paths);
	return true;
}

bool definitions_read(struct definitions *d, OTF2_Reader *reader, uint64_t records, definitions_choose choose,
	void *context, struct error *error)
{
	*d = (struct definitions){.arena = arena_new()};
	struct definition_notes notes = {.arena = d->arena};
	bool good = read_notes(&notes, reader, records, error) && order_notes(&notes, error) &&
		    find_processes(d, &notes, choose, context, error);
	if (good) {
		list_threads(d, &notes);
		ORDER(notes.lists);
		make_everybody(d);
		make_communicators(d, &notes);
		make_windows(d, &notes);
		make_regions(d, &notes);
		make_names(d, &notes);
		d->ticks_per_second = notes.ticks_per_second;
		d->clock_begin = notes.clock_begin;
		good = make_paths(d, &notes, error);
	}
	clear_notes(&notes);
	return good;
}

/* ------------------------------------------------------------------ in the making */

static void begin_regions(struct definitions *d, const char *const *region, uint32_t regions)
{
	struct definition_notes n = {.arena = d->arena};
	n.regions.at = mem_zero(((size_t)regions + 1) * sizeof *n.regions.at);
	n.strings.at = mem_zero(((size_t)regions + 1) * sizeof *n.strings.at);
	n.regions.length = n.strings.length = regions;
	for (uint32_t i = 0; i < regions; i++) {
		n.strings.at[i].id = n.regions.at[i].id = n.regions.at[i].name = i;
		n.strings.at[i].text = region[i];
	}
	make_regions(d, &n);
	free(n.regions.at);
	free(n.strings.at);
}

static struct otf2_group *add_group(struct definitions *d, const uint32_t *rank, size_t ranks)
{
	uint64_t *member = mem_array(ranks + 1, sizeof *member);
	for (size_t i = 0; i < ranks; i++)
		member[i] = rank[i];
	struct otf2_group *g = make_group(d, &(struct group_note){.member = member, .length = ranks});
	free(member);
	return g;
}

static void begin_attributes(struct definitions *d)
{
	d->attributes = ATTRIBUTES;
	d->attribute = mem_array(ATTRIBUTES, sizeof *d->attribute);
	for (uint32_t i = 0; i < ATTRIBUTES; i++)
		d->attribute[i] = (struct named){i, event_attribute_rows[i].name};
	know_attributes(d);
	d->sited = d->pathed = d->knows_kept = d->knows_thread = false; /* which are told otherwise */
}

void definitions_add_string(struct definitions *d, uint32_t id, const char *text)
{
	d->string = mem_resize(d->string, d->strings + 1, sizeof *d->string);
	d->string[d->strings++] = (struct named){id, arena_copy(d->arena, text, strlen(text) + 1)};
}

void definitions_begin(struct definitions *d, uint32_t processes, const char *const *region, uint32_t regions)
{
	*d = (struct definitions){.arena = arena_new(), .processes = processes};
	make_everybody(d);
	begin_regions(d, region, regions);
	begin_attributes(d);
	d->communicator = mem_array(2, sizeof *d->communicator);
	d->communicator[0] = (struct otf2_communicator){.name = NO_COMMUNICATOR, .local = &d->everybody};
	d->communicator[1] = (struct otf2_communicator){.id = 1, .name = 1, .local = add_group(d, NULL, 0)};
	d->communicators = 2;
}

void definitions_add_communicator(struct definitions *d, uint32_t id, const uint32_t *member, size_t members)
{
	struct otf2_communicator c = {.id = id, .name = id, .local = add_group(d, member, members)};
	d->communicator = mem_resize(d->communicator, d->communicators + 1, sizeof *d->communicator);
	d->communicator[d->communicators++] = c;
}

void definitions_clear(struct definitions *d)
{
	for (size_t i = 0; i < d->communicators; i++)
		ranks_clear(&d->communicator[i].both);
	for (struct otf2_group *g = d->group; g; g = g->next)
		ranks_clear(&g->set);
	ranks_clear(&d->everybody.set);
	free(d->communicator);
	free(d->window);
	free(d->thread);
	free(d->first_thread);
	free(d->region);
	free(d->region_name);
	free(d->string);
	free(d->parameter);
	free(d->attribute);
	free(d->context);
	arena_free(d->arena);
	*d = (struct definitions){0};
}

const struct otf2_communicator *definitions_communicator(const struct definitions *d, uint32_t id)
{
	return find_id(id, d->communicator, d->communicators, sizeof *d->communicator);
}

const struct otf2_communicator *definitions_window(const struct definitions *d, uint32_t id)
{
	const struct otf2_communicator *w = find_id(id, d->window, d->windows, sizeof *d->window);
	return w ? w : definitions_communicator(d, id);
}

static const char *name_in(const struct named *names, size_t length, uint32_t id)
{
	const struct named *found = find_id(id, names, length, sizeof *names);
	return found ? found->name : "?";
}

const char *definitions_region_name(const struct definitions *d, uint32_t id)
{
	const struct region *region = definitions_region(d, id);
	return region->flags & REGION_DEFINED ? d->region_name[region->name] : "?";
}

const struct calling_context *definitions_context(const struct definitions *d, uint32_t id)
{
	return find_id(id, d->context, d->contexts, sizeof *d->context);
}

const char *definitions_parameter(const struct definitions *d, uint32_t id)
{
	return name_in(d->parameter, d->parameters, id);
}

const char *definitions_attribute(const struct definitions *d, uint32_t id)
{
	return name_in(d->attribute, d->attributes, id);
}

const char *definitions_string(const struct definitions *d, uint32_t id)
{
	return name_in(d->string, d->strings, id);
}
