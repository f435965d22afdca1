/*
 * archive_names.c -- definitions read and written again: all as they are, but for strings that are
 * sites, and for calling contexts. What is inlined in a frame stands between it and its caller.
 */
#include "trace/archive_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/call_paths.h"
#include "model/sites.h"
#include "trace/archive_writer.h"
#include "trace/otf2.h"

struct place {
	uint32_t file, line;
};

struct context {
	uint32_t region, place, caller;
};

struct copying {
	const struct archive_names *names;
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *to;
	char **string; /* by id */
	uint32_t *function; /* by region: its name */
	struct place *place; /* by source code location */
	uint32_t *context; /* by calling context: which it is now */
	uint64_t *location;
	size_t strings, regions, places, old_contexts, locations;
	size_t string_capacity, function_capacity, place_capacity, context_capacity, location_capacity;
	uint64_t copied;
	bool counting; /* the first time: what there is */
	struct intern *new_strings, *new_regions, *new_places, *contexts;
	bool failed;
};

static OTF2_CallbackCode done(struct copying *c, OTF2_ErrorCode code)
{
	c->copied++;
	c->failed = c->failed || code != OTF2_SUCCESS;
	return c->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* record gives ids in a row. */
static bool is_next(struct copying *c, uint32_t id, size_t count)
{
	c->failed = c->failed || id != count;
	return !c->failed;
}

/* ------------------------------------------------------------------ new ones */

/* Behind all old ones, and written when these are: ids stand in a row. */
static uint32_t new_id(struct intern *all, size_t first, const void *key, size_t size)
{
	return (uint32_t)first + intern_id(all, key, size);
}

static uint32_t new_string(struct copying *c, const char *text)
{
	return new_id(c->new_strings, c->strings, text, strlen(text) + 1);
}

/* The same call of the same function is one. */
static uint32_t context_of(struct copying *c, uint32_t caller, uint32_t region, uint32_t place)
{
	struct context key = {region, place, caller};
	return intern_id(c->contexts, &key, sizeof key);
}

/* Of a frame, "x.c:3 f". */
static uint32_t context_of_frame(struct copying *c, uint32_t caller, const char *words)
{
	struct site site = site_parts(words);
	char *file = mem_text(site.file);
	file[site.length] = 0;
	struct place place = {new_string(c, file), (uint32_t)site.line};
	uint32_t name = new_string(c, site.function);
	free(file);
	return context_of(c, caller, new_id(c->new_regions, c->regions, &name, sizeof name),
		new_id(c->new_places, c->places, &place, sizeof place));
}

/* The outermost one first. Gives the innermost. */
static uint32_t context_of_frames(struct copying *c, uint32_t caller, char *words)
{
	char *inner = strstr(words, CALL_PATH_OUTSIDE);
	if (inner) {
		*inner = 0;
		caller = context_of_frames(c, caller, inner + strlen(CALL_PATH_OUTSIDE));
	}
	return context_of_frame(c, caller, words);
}

/* ------------------------------------------------------------------ one by one */

static OTF2_CallbackCode on_string(void *copying, OTF2_StringRef id, const char *text)
{
	struct copying *c = copying;
	if (c->counting) {
		if (is_next(c, id, c->strings))
			*MEM_PUSH(c->string, c->strings, c->string_capacity) = mem_text(text);
		return done(c, OTF2_SUCCESS);
	}
	/* What is no more than a place may be the name of a function. */
	char *name = strchr(text, ' ') ? c->names->name(c->names->context, text) : NULL;
	OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteString(c->to, id, name ? name : text);
	free(name);
	return done(c, code);
}

static const char *string_at(const struct copying *c, uint32_t id)
{
	return id < c->strings ? c->string[id] : "";
}

static OTF2_CallbackCode on_region(void *copying, OTF2_RegionRef id, OTF2_StringRef name, OTF2_StringRef canonical,
	OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
	OTF2_StringRef file, uint32_t first, uint32_t last)
{
	struct copying *c = copying;
	if (c->counting && is_next(c, id, c->regions))
		*MEM_PUSH(c->function, c->regions, c->function_capacity) = name;
	return done(c, c->counting ? OTF2_SUCCESS
				   : OTF2_GlobalDefWriter_WriteRegion(c->to, id, name, canonical, description, role,
					     paradigm, flags, file, first, last));
}

static OTF2_CallbackCode on_place(void *copying, OTF2_SourceCodeLocationRef id, OTF2_StringRef file, uint32_t line)
{
	struct copying *c = copying;
	if (c->counting && is_next(c, id, c->places))
		*MEM_PUSH(c->place, c->places, c->place_capacity) = (struct place){file, line};
	return done(
		c, c->counting ? OTF2_SUCCESS : OTF2_GlobalDefWriter_WriteSourceCodeLocation(c->to, id, file, line));
}

static OTF2_CallbackCode on_context(void *copying, OTF2_CallingContextRef id, OTF2_RegionRef region,
	OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef caller)
{
	struct copying *c = copying;
	if (c->counting)
		return done(c, OTF2_SUCCESS);
	struct text words = {0};
	char *name = NULL;
	if (region < c->regions && place < c->places && !c->place[place].line) {
		text_format(&words, "%s %s", string_at(c, c->place[place].file), string_at(c, c->function[region]));
		if (words.data[words.length - 1] == ' ')
			text_truncate(&words, words.length - 1);
		name = c->names->name(c->names->context, words.data);
	}
	if (is_next(c, id, c->old_contexts) && caller != OTF2_UNDEFINED_CALLING_CONTEXT) {
		c->failed = caller >= id; /* it is defined before */
		caller = c->failed ? caller : c->context[caller];
	}
	uint32_t now = name ? context_of_frames(c, caller, name) : context_of(c, caller, region, place);
	*MEM_PUSH(c->context, c->old_contexts, c->context_capacity) = now;
	free(name);
	text_clear(&words);
	return done(c, OTF2_SUCCESS);
}

/* What is copied as it stands. */
#define COPIED(NAME, PARAMETERS, ...)                                                                                  \
	static OTF2_CallbackCode on_##NAME PARAMETERS                                                                  \
	{                                                                                                              \
		struct copying *c = copying;                                                                           \
		return done(c, c->counting ? OTF2_SUCCESS : OTF2_GlobalDefWriter_Write##NAME(c->to, __VA_ARGS__));     \
	}

COPIED(Attribute,
	(void *copying, OTF2_AttributeRef id, OTF2_StringRef name, OTF2_StringRef description, OTF2_Type type), id,
	name, description, type)
COPIED(ClockProperties, (void *copying, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime),
	resolution, offset, length, realtime)
COPIED(SystemTreeNode,
	(void *copying, OTF2_SystemTreeNodeRef id, OTF2_StringRef name, OTF2_StringRef class,
		OTF2_SystemTreeNodeRef parent),
	id, name, class, parent)
COPIED(LocationGroup,
	(void *copying, OTF2_LocationGroupRef id, OTF2_StringRef name, OTF2_LocationGroupType type,
		OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef creator),
	id, name, type, parent, creator)
static OTF2_CallbackCode on_Location(void *copying, OTF2_LocationRef id, OTF2_StringRef name, OTF2_LocationType type,
	uint64_t events, OTF2_LocationGroupRef group)
{
	struct copying *c = copying;
	if (c->counting)
		return done(c, OTF2_SUCCESS);
	*MEM_PUSH(c->location, c->locations, c->location_capacity) = id;
	return done(c, OTF2_GlobalDefWriter_WriteLocation(c->to, id, name, type, events, group));
}

COPIED(Group,
	(void *copying, OTF2_GroupRef id, OTF2_StringRef name, OTF2_GroupType type, OTF2_Paradigm paradigm,
		OTF2_GroupFlag flags, uint32_t count, const uint64_t *member),
	id, name, type, paradigm, flags, count, member)
COPIED(Comm,
	(void *copying, OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,
		OTF2_CommFlag flags),
	id, name, group, parent, flags)

static void write_new(struct copying *c)
{
	uint32_t none = intern_count(c->new_regions) ? new_string(c, "") : 0;
	for (uint32_t i = 0; i < intern_count(c->new_strings); i++)
		done(c, OTF2_GlobalDefWriter_WriteString(
				c->to, (uint32_t)c->strings + i, intern_data(c->new_strings, i, NULL)));
	for (uint32_t i = 0; i < intern_count(c->new_regions); i++) {
		uint32_t name = *(const uint32_t *)intern_data(c->new_regions, i, NULL);
		done(c, OTF2_GlobalDefWriter_WriteRegion(c->to, (uint32_t)c->regions + i, name, name, none,
				OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING, OTF2_REGION_FLAG_NONE, none, 0, 0));
	}
	for (uint32_t i = 0; i < intern_count(c->new_places); i++) {
		const struct place *place = intern_data(c->new_places, i, NULL);
		done(c, OTF2_GlobalDefWriter_WriteSourceCodeLocation(
				c->to, (uint32_t)c->places + i, place->file, place->line));
	}
	for (uint32_t i = 0; i < intern_count(c->contexts); i++) {
		const struct context *x = intern_data(c->contexts, i, NULL);
		done(c, OTF2_GlobalDefWriter_WriteCallingContext(c->to, i, x->region, x->place, x->caller));
	}
}

/* ------------------------------------------------------------------ definitions of locations */

struct local {
	struct copying *c;
	OTF2_DefWriter *to;
	OTF2_IdMap *contexts; /* what those of the location are now */
};

static void add_pair(uint64_t own, uint64_t global, void *local)
{
	struct local *l = local;
	if (global < l->c->old_contexts)
		done(l->c, OTF2_IdMap_AddIdPair(l->contexts, own, l->c->context[global]));
}

static OTF2_CallbackCode on_map(void *local, OTF2_MappingType type, const OTF2_IdMap *map)
{
	struct local *l = local;
	if (type == OTF2_MAPPING_CALLING_CONTEXT)
		return done(l->c, OTF2_IdMap_Traverse(map, add_pair, l));
	return done(l->c, OTF2_DefWriter_WriteMappingTable(l->to, type, map));
}

static OTF2_CallbackCode on_offset(void *local, uint64_t time, int64_t offset, double deviation)
{
	struct local *l = local;
	return done(l->c, OTF2_DefWriter_WriteClockOffset(l->to, time, offset, deviation));
}

/* What a location has no number of its own for has the one of all. */
static void add_others(struct local *l)
{
	for (size_t i = 0; i < l->c->old_contexts; i++) {
		uint64_t known;
		if (OTF2_IdMap_GetGlobalIdSave(l->contexts, i, &known) != OTF2_SUCCESS)
			add_pair(i, i, l);
	}
}

static bool write_location(struct copying *c, OTF2_Reader *reader, uint64_t location)
{
	struct local l = {c, OTF2_Archive_GetDefWriter(c->archive, location),
		OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, c->old_contexts)};
	OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, location);
	OTF2_DefReaderCallbacks *k = OTF2_DefReaderCallbacks_New();
	OTF2_DefReaderCallbacks_SetMappingTableCallback(k, on_map);
	OTF2_DefReaderCallbacks_SetClockOffsetCallback(k, on_offset);
	uint64_t read = 0;
	bool good = l.to && local && OTF2_Reader_RegisterDefCallbacks(reader, local, k, &l) == OTF2_SUCCESS;
	c->copied = 0;
	good = good && OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read) == OTF2_SUCCESS && c->copied >= read;
	if (good && c->old_contexts) {
		add_others(&l);
		done(c, OTF2_DefWriter_WriteMappingTable(l.to, OTF2_MAPPING_CALLING_CONTEXT, l.contexts));
	}
	good = good && OTF2_Archive_CloseDefWriter(c->archive, l.to) == OTF2_SUCCESS && !c->failed;
	OTF2_DefReaderCallbacks_Delete(k);
	OTF2_IdMap_Free(l.contexts);
	return good;
}

static bool write_locations(struct copying *c, const char *anchor)
{
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);
	bool good = reader && OTF2_Archive_OpenDefFiles(c->archive) == OTF2_SUCCESS;
	for (size_t i = 0; i < c->locations && good; i++)
		good = OTF2_Reader_SelectLocation(reader, c->location[i]) == OTF2_SUCCESS;
	good = good && OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
	for (size_t i = 0; i < c->locations && good; i++)
		good = write_location(c, reader, c->location[i]);
	if (reader)
		OTF2_Reader_Close(reader);
	return good && OTF2_Archive_CloseDefFiles(c->archive) == OTF2_SUCCESS;
}

/* ------------------------------------------------------------------ all */

static bool read_all(struct copying *c, const char *anchor, uint64_t *read)
{
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);
	OTF2_GlobalDefReader *global = reader ? OTF2_Reader_GetGlobalDefReader(reader) : NULL;
	OTF2_GlobalDefReaderCallbacks *k = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(k, on_string);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(k, on_region);
	OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(k, on_place);
	OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(k, on_context);
	OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(k, on_Attribute);
	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(k, on_ClockProperties);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(k, on_SystemTreeNode);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(k, on_LocationGroup);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(k, on_Location);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(k, on_Group);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(k, on_Comm);
	c->copied = 0;
	bool good = global && OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, k, c) == OTF2_SUCCESS &&
		    OTF2_Reader_ReadAllGlobalDefinitions(reader, global, read) == OTF2_SUCCESS && !c->failed;
	OTF2_GlobalDefReaderCallbacks_Delete(k);
	if (reader)
		OTF2_Reader_Close(reader);
	return good;
}

/* The archive that is written, with the properties of the one that is read. */
static bool open_copy(struct copying *c, const char *anchor, const char *directory)
{
	uint64_t events, definitions;
	uint32_t count = 0;
	char **name = NULL, *creator = NULL;
	OTF2_Reader *from = OTF2_Reader_Open(anchor);
	bool good = from && OTF2_Reader_GetChunkSize(from, &events, &definitions) == OTF2_SUCCESS &&
		    OTF2_Reader_GetCreator(from, &creator) == OTF2_SUCCESS &&
		    OTF2_Reader_GetPropertyNames(from, &count, &name) == OTF2_SUCCESS;
	if (good)
		c->archive = library_archive(directory, events, definitions);
	good = good && c->archive && OTF2_Archive_SetCreator(c->archive, creator) == OTF2_SUCCESS;
	for (uint32_t i = 0; i < count && good; i++) {
		char *value = NULL;
		good = OTF2_Reader_GetProperty(from, name[i], &value) == OTF2_SUCCESS &&
		       OTF2_Archive_SetProperty(c->archive, name[i], value, true) == OTF2_SUCCESS;
		free(value);
	}
	c->to = good ? OTF2_Archive_GetGlobalDefWriter(c->archive) : NULL;
	free(name);
	free(creator);
	if (from)
		OTF2_Reader_Close(from);
	return c->to;
}

bool archive_modules(const char *anchor, char **modules, struct error *error)
{
	struct library_call call = {.path = anchor};
	char *creator = NULL;
	*modules = NULL;
	if (!files_check_anchor(anchor, error))
		return false;
	library_listen();
	library_enter(&call);
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);
	bool ours = reader && OTF2_Reader_GetCreator(reader, &creator) == OTF2_SUCCESS && creator &&
		    !strncmp(creator, ARCHIVE_CREATOR, strlen(ARCHIVE_CREATOR));
	if (!reader)
		error_set(error, ERROR_INPUT, "%s: cannot be read: %s", anchor, library_words());
	else if (!ours)
		error_set(error, ERROR_INPUT, "%s: was not recorded by tracenest record", anchor);
	else if (OTF2_Reader_GetProperty(reader, ARCHIVE_MODULES, modules) != OTF2_SUCCESS)
		*modules = NULL;
	free(creator);
	if (reader)
		OTF2_Reader_Close(reader);
	library_leave();
	return ours;
}

bool archive_names_write(
	const char *anchor, const char *directory, const struct archive_names *names, struct error *error)
{
	struct library_call call = {.path = anchor};
	struct copying c = {.names = names,
		.counting = true,
		.new_strings = intern_new(),
		.new_regions = intern_new(),
		.new_places = intern_new(),
		.contexts = intern_new_keys(sizeof(struct context))};
	uint64_t read = 0;
	library_listen();
	library_enter(&call);
	bool good = read_all(&c, anchor, &read), whole = !good || c.copied == read;
	c.counting = false;
	good = good && whole && open_copy(&c, anchor, directory) && read_all(&c, anchor, &read);
	if (good)
		write_new(&c);
	good = good && !c.failed && write_locations(&c, anchor);
	if (c.archive)
		good = OTF2_Archive_Close(c.archive) == OTF2_SUCCESS && good;
	good = good && !library_complained();
	if (!whole)
		error_set(error, ERROR_INPUT, "%s: has definitions that tracenest record does not write", anchor);
	else if (!good)
		error_set(error, ERROR_INPUT, "%s: cannot be written with other names: %s", anchor, library_words());
	library_leave();
	for (size_t i = 0; i < c.strings; i++)
		free(c.string[i]);
	free(c.string);
	free(c.function);
	free(c.place);
	free(c.context);
	free(c.location);
	intern_free(c.new_strings);
	intern_free(c.new_regions);
	intern_free(c.new_places);
	intern_free(c.contexts);
	return good;
}
