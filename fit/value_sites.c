/*
 * value_sites.c -- where in the source events were: the column of sites of each kind, whose words
 * are call paths.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fit/value_kinds.h"

/* ------------------------------------------------------------------ paths */

bool value_columns_have_sites(const struct value_columns *c)
{
	bool any = false;
	for (size_t rank = 0; rank < c->processes && !any; rank++) {
		const struct value_process *p = &c->process[rank];
		for (uint32_t i = 0; p->kinds && !any && i < intern_count(p->kinds); i++)
			any = value_column(&p->source[i], SLOT_SITES) != NULL;
	}
	return any;
}

/* Each number of a column that is there, each once or more often. */
static void each_site(const struct series *column, void (*take)(void *context, int64_t number), void *context)
{
	int64_t number, stride;
	if (series_constant(column, &number)) {
		if (number >= WORDS)
			take(context, number);
		return;
	}
	struct series_cursor *c = series_read(column);
	for (uint64_t run; (run = series_run(c, &number, &stride)) > 0; series_skip(c, run))
		for (uint64_t i = 0; i < (stride ? run : 1);
			i++, number = (int64_t)((uint64_t)number + (uint64_t)stride))
			if (number >= WORDS)
				take(context, number);
	series_cursor_free(c);
}

struct collecting_paths {
	struct intern *paths;
	const struct value_process *process;
};

static void collect_path(void *collecting, int64_t number)
{
	struct collecting_paths *c = collecting;
	size_t length;
	const char *words = intern_data(c->process->words, (uint32_t)(number - WORDS), &length);
	intern_id(c->paths, words, length);
}

void value_columns_name_sites(struct value_columns *c, const struct site_names *names)
{
	struct collecting_paths to = {.paths = intern_new()};
	for (size_t rank = 0; rank < c->processes; rank++) {
		to.process = &c->process[rank];
		for (uint32_t i = 0; to.process->kinds && i < intern_count(to.process->kinds); i++)
			if (value_column(&to.process->source[i], SLOT_SITES))
				each_site(value_column(&to.process->source[i], SLOT_SITES), collect_path, &to);
	}
	uint32_t count = intern_count(to.paths);
	const char **path = mem_array(count, sizeof *path);
	for (uint32_t i = 0; i < count; i++)
		path[i] = intern_data(to.paths, i, NULL);
	c->name = mem_zero((count + (size_t)1) * sizeof *c->name);
	names->name(names->context, path, count, c->name);
	c->unnamed = to.paths;
	free(path);
}

/* Of a number of a column of sites. path: by word of the process, plus one; 0: not known yet. */
static uint32_t path_of(const struct value_columns *c, const struct value_process *p, int64_t number, uint32_t *path,
	struct call_paths *paths)
{
	uint32_t word = (uint32_t)(number - WORDS);
	if (!path[word]) {
		size_t length;
		const char *words = intern_data(p->words, word, &length);
		uint32_t named = c->unnamed ? intern_find(c->unnamed, words, length) : INTERN_NONE;
		path[word] = 1 + call_paths_know(paths, named == INTERN_NONE ? words : c->name[named]);
	}
	return path[word] - 1;
}

/* ------------------------------------------------------------------ of lines */

struct locating {
	const struct value_columns *columns;
	struct dealt_values *dealt;
	struct sites *sites;
	struct call_paths *paths;
	uint32_t **path; /* by owner: path_of */
	const struct value_process *process; /* at hand */
	struct intern *of_line; /* paths, each once */
};

static void add_site(void *locating, int64_t number)
{
	struct locating *l = locating;
	uint32_t **known = &l->path[l->process - l->columns->process];
	if (!*known)
		*known = mem_zero(intern_count(l->process->words) * sizeof **known);
	uint32_t path = path_of(l->columns, l->process, number, *known, l->paths);
	intern_id(l->of_line, &path, sizeof path);
}

static void locate_line(struct locating *l, size_t line)
{
	size_t count;
	const struct line_values *values = dealt_values_of(l->dealt, line, &count);
	intern_empty(l->of_line);
	for (size_t i = 0; i < count; i++) {
		l->process = values[i].process;
		if (SLOT_SITES < values[i].slots && values[i].column[SLOT_SITES])
			each_site(values[i].column[SLOT_SITES], add_site, l);
	}
	uint32_t paths = intern_count(l->of_line), *path = mem_array(paths, sizeof *path);
	for (uint32_t i = 0; i < paths; i++)
		path[i] = *(const uint32_t *)intern_data(l->of_line, i, NULL);
	sites_of_line(l->sites, line, path, paths);
	free(path);
}

void locate_values(
	const struct value_columns *c, struct dealt_values *dealt, const struct module *m, struct sites *sites)
{
	struct locating l = {.columns = c,
		.dealt = dealt,
		.sites = sites,
		.paths = m->places.paths,
		.path = mem_zero((c->processes + 1) * sizeof *l.path),
		.of_line = intern_new_keys(sizeof **l.path)};
	for (size_t line = 0; line < m->lines; line++)
		locate_line(&l, line);
	for (size_t rank = 0; rank < c->processes; rank++)
		free(l.path[rank]);
	free(l.path);
	intern_free(l.of_line);
}

/* ------------------------------------------------------------------ in order */

/* Of a process, kind by kind. */
struct point_reading {
	const struct value_columns *columns;
	const struct value_process *process;
	struct series_cursor **site, **entered; /* by kind */
	uint32_t *path; /* path_of */
};

/* The next number, or ABSENT, where there is none. cursor: of the kind. */
static int64_t next_of(struct series_cursor **cursor, const struct series *column)
{
	int64_t number;
	if (!column)
		return ABSENT;
	*cursor = *cursor ? *cursor : series_read(column);
	return series_next(*cursor, &number) ? number : ABSENT;
}

static struct call_point read_point(struct point_reading *r, uint32_t kind, struct call_paths *paths)
{
	struct call_point point = {.path = CALL_PATH_NONE};
	const struct value_source *s = &r->process->source[kind];
	int64_t site = next_of(&r->site[kind], value_column(s, SLOT_SITES)),
		entered = next_of(&r->entered[kind], value_column(s, SLOT_ENTERED));
	if (site >= WORDS)
		point.path = path_of(r->columns, r->process, site, r->path, paths);
	if (entered >= 0) {
		point.entered = (uint32_t)(entered / ENTERED_FRAME);
		point.exact = entered % ENTERED_FRAME;
	}
	return point;
}

/* False: they are others. */
static bool read_points(struct point_reading *r, struct value_places *places, struct call_paths *paths, uint64_t events,
	struct call_point *point)
{
	struct cursor *c = cursor_new(places->run, (uint32_t)places->at.p);
	bool good = true;
	uint64_t at = 0;
	for (; good && cursor_next(c); at++) {
		uint32_t kind = at < events ? value_places_kind(places, &c->at, c->event) : INTERN_NONE;
		good = kind != INTERN_NONE;
		if (good)
			point[at] = read_point(r, kind, paths);
	}
	good = good && at == events && !c->at.failure;
	cursor_free(c);
	return good;
}

struct call_point *value_columns_points(
	const struct value_columns *c, struct run *run, uint32_t rank, struct call_paths *paths, uint64_t events)
{
	struct call_point *point = mem_array(events + 1, sizeof *point);
	struct value_places places = value_places_new(c, run);
	struct point_reading r = {.columns = c};
	bool good = value_places_start(&places, rank), none = !good && !events;
	if (good) {
		r.process = places.process;
		uint32_t kinds = intern_count(r.process->kinds), words = intern_count(r.process->words);
		r.site = mem_zero(2 * (kinds + (size_t)1) * sizeof *r.site);
		r.entered = r.site + kinds;
		r.path = mem_zero((words + (size_t)1) * sizeof *r.path);
		good = read_points(&r, &places, paths, events, point);
		for (uint32_t i = 0; i < 2 * kinds; i++)
			series_cursor_free(r.site[i]);
	}
	value_places_clear(&places);
	free(r.site);
	free(r.path);
	if (good || none)
		return point;
	free(point);
	return NULL;
}
