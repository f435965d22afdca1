/*
 * palette.c -- the colours of Okabe and Ito, which eyes of all kinds tell apart, without the yellow
 * that paper swallows; then again with dashed and dotted lines.
 */
#include "viz/palette.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct look palette_look(uint32_t family)
{
	static const char *const colours[] = {
		"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
	static const char *const styles[] = {"solid", "dashed", "dotted"};
	if (family >= LOOKS)
		return (struct look){"#777777", "solid"};
	return (struct look){colours[family % 7], styles[family / 7]};
}

const char *palette_shade(uint32_t depth)
{
	static const char *const shades[] = {"#f3f3f3", "#e6e6e6", "#d9d9d9", "#cccccc", "#bfbfbf"};
	return shades[depth < 5 ? depth : 4];
}

void tag_name(const struct scene *s, uint32_t id, struct text *out)
{
	tag_print(scene_dictionary(s), dictionary_get_tag(scene_dictionary(s), id), out);
}

void family_name(const struct scene *s, const struct family *f, struct text *out)
{
	const struct tag *last = dictionary_get_tag(scene_dictionary(s), f->last);
	if (f->tags == 1) {
		tag_name(s, f->first, out);
		return;
	}
	const struct tag *first = dictionary_get_tag(scene_dictionary(s), f->first);
	text_format(out, "%s%" PRIu64 "–%" PRIu64, dictionary_get_word(scene_dictionary(s), first->stem), first->number,
		last->number);
	if (first->communicator != NO_COMMUNICATOR)
		text_format(out, "@%" PRId64, first->communicator);
	text_format(out, " (%" PRIu32 " tags)", f->tags);
}

/* A tag of the picture. */
struct used {
	const struct tag *tag;
	const char *stem;
	uint32_t id;
	uint64_t arrows;
};

static int compare_used(const void *a, const void *b)
{
	const struct used *x = a, *y = b;
	if (x->tag->stem != y->tag->stem)
		return strcmp(x->stem, y->stem);
	if (x->tag->communicator != y->tag->communicator)
		return x->tag->communicator < y->tag->communicator ? -1 : 1;
	return x->tag->number < y->tag->number ? -1 : x->tag->number > y->tag->number;
}

static bool related(const struct used *a, const struct used *b, uint64_t gap)
{
	return a->tag->stem == b->tag->stem && a->tag->communicator == b->tag->communicator && a->tag->numbered &&
	       b->tag->numbered && b->tag->number - a->tag->number <= gap;
}

static uint32_t count_families(const struct used *used, uint32_t tags, uint64_t gap)
{
	uint32_t families = tags > 0;
	for (uint32_t i = 1; i < tags; i++)
		families += !related(&used[i - 1], &used[i], gap);
	return families;
}

static int compare_families(const void *a, const void *b)
{
	const struct family *x = a, *y = b;
	if (x->arrows != y->arrows)
		return x->arrows > y->arrows ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* The smallest distance between tags of a family with which there are few enough families. */
static uint64_t choose_gap(const struct used *used, uint32_t tags)
{
	if (tags <= LOOKS)
		return 0;
	uint64_t gap = 1;
	while (gap < UINT64_C(1) << 40 && count_families(used, tags, gap) > LOOKS)
		gap *= 2;
	return gap;
}

static void make_families(struct palette *p, const struct used *used, uint32_t tags)
{
	uint64_t gap = choose_gap(used, tags);
	p->family = mem_array(tags + 1, sizeof *p->family);
	for (uint32_t i = 0; i < tags; i++) {
		if (i == 0 || !gap || !related(&used[i - 1], &used[i], gap))
			p->family[p->families++] = (struct family){.first = used[i].id, .place = i};
		struct family *f = &p->family[p->families - 1];
		f->last = used[i].id;
		f->tags++;
		f->arrows += used[i].arrows;
	}
	if (p->families)
		qsort(p->family, p->families, sizeof *p->family, compare_families);
	/* A family's tags stand together among those used. */
	uint32_t *family_of = mem_zero((p->ids + 1) * sizeof *family_of);
	for (uint32_t i = 0; i < p->families; i++)
		family_of[p->family[i].first] = i;
	for (uint32_t i = 0, at = 0; i < tags; i++) {
		if (i == 0 || !gap || !related(&used[i - 1], &used[i], gap))
			at = family_of[used[i].id];
		p->of_tag[used[i].id] = at;
	}
	free(family_of);
}

/* Those of messages without an arrow, too: their labels ask for a colour. */
static uint32_t ids_of(const struct layout *l)
{
	uint32_t ids = 0;
	for (size_t i = 0; i < l->arrows; i++)
		ids = l->arrow[i].tag >= ids ? l->arrow[i].tag + 1 : ids;
	for (size_t i = 0; i < l->scene->items; i++)
		ids = l->scene->item[i].tag >= ids ? l->scene->item[i].tag + 1 : ids;
	return ids;
}

static struct used use_of(const struct dictionary *d, uint32_t id, uint64_t arrows)
{
	const struct tag *tag = dictionary_get_tag(d, id);
	return (struct used){tag, dictionary_get_word(d, tag->stem), id, arrows};
}

struct palette *palette_new(const struct layout *l)
{
	struct palette *p = mem_zero(sizeof *p);
	p->ids = ids_of(l);
	uint64_t *arrows = mem_zero((p->ids + 1) * sizeof *arrows);
	p->of_tag = mem_zero((p->ids + 1) * sizeof *p->of_tag);
	p->used = mem_zero(p->ids + 1);
	for (size_t i = 0; i < l->arrows; i++)
		arrows[l->arrow[i].tag]++;
	struct used *used = mem_array(p->ids + 1, sizeof *used);
	uint32_t tags = 0;
	for (uint32_t i = 0; i < p->ids; i++)
		if ((p->used[i] = arrows[i] > 0))
			used[tags++] = use_of(scene_dictionary(l->scene), i, arrows[i]);
	if (tags)
		qsort(used, tags, sizeof *used, compare_used);
	make_families(p, used, tags);
	free(used);
	free(arrows);
	return p;
}

void palette_free(struct palette *p)
{
	free(p->family);
	free(p->of_tag);
	free(p->used);
	free(p);
}
