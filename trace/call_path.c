/*
 * call_path.c -- a tree of paths, and a stack of the places in it.
 */
#include "trace/call_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define DEPTH_LIMIT 64

struct call_path_node {
	uint32_t region;
	struct call_path_node *inside, *next; /* the paths that lead on from here; the one beside it */
	char *words;
};

static void free_nodes(struct call_path_node *node)
{
	while (node) {
		struct call_path_node *next = node->next;
		free_nodes(node->inside); /* as deep as paths are long */
		free(node->words);
		free(node);
		node = next;
	}
}

void call_path_clear(struct call_path *p)
{
	free_nodes(p->root);
	free(p->frame);
	*p = (struct call_path){0};
}

/* TAU has where it is defined behind a name: "solve [{solve.f} {12,7}-{80,9}]". */
static size_t name_length(const char *name)
{
	const char *place = strstr(name, " [{");
	return place ? (size_t)(place - name) : strlen(name);
}

static struct call_path_node *new_node(uint32_t region, const char *name, const char *around)
{
	struct call_path_node *node = mem_zero(sizeof *node);
	struct text words = {0};
	text_add(&words, name, name_length(name));
	if (around)
		text_format(&words, " < %s", around);
	node->region = region;
	node->words = words.data;
	return node;
}

void call_path_enter(struct call_path *p, uint32_t region, const char *name)
{
	struct call_path_frame *top = p->depth ? &p->frame[p->depth - 1] : NULL;
	struct call_path_node *node = top ? top->node : NULL;
	if (!top || (top->region != region && p->depth < DEPTH_LIMIT)) {
		struct call_path_node **first = top ? &top->node->inside : &p->root;
		for (node = *first; node && node->region != region;)
			node = node->next;
		if (!node) {
			node = new_node(region, name, top ? top->node->words : NULL);
			node->next = *first;
			*first = node;
		}
	}
	*MEM_PUSH(p->frame, p->depth, p->capacity) = (struct call_path_frame){region, node};
}

void call_path_leave(struct call_path *p, uint32_t region)
{
	size_t depth = p->depth;
	while (depth && p->frame[depth - 1].region != region)
		depth--;
	if (depth)
		p->depth = depth - 1;
}

const char *call_path_words(const struct call_path *p)
{
	return p->depth ? p->frame[p->depth - 1].node->words : NULL;
}
