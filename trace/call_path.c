/*
 * call_path.c -- a tree of paths, and a stack of the places in it.
 */
#include "trace/call_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/call_paths.h"

struct call_path_node {
	uint32_t region, depth;
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

static struct call_path_node *new_node(uint32_t region, const char *name, const struct call_path_node *around)
{
	struct call_path_node *node = mem_zero(sizeof *node);
	struct text words = {0};
	text_add(&words, name, name_length(name));
	if (around)
		text_format(&words, CALL_PATH_OUTSIDE "%s", around->words);
	*node = (struct call_path_node){.region = region, .depth = around ? around->depth + 1 : 1, .words = words.data};
	return node;
}

static uint32_t path_depth(const struct call_path *p)
{
	return p->depth ? p->frame[p->depth - 1].node->depth : 0;
}

void call_path_enter(struct call_path *p, uint32_t region, const char *name)
{
	struct call_path_node *around = p->depth ? p->frame[p->depth - 1].node : NULL,
			      **first = around ? &around->inside : &p->root, *node = *first;
	while (node && node->region != region)
		node = node->next;
	if (!node && around && (around->depth == CALL_PATH_FRAMES || p->bytes > CALL_PATH_BYTES))
		node = around;
	if (!node) {
		node = new_node(region, name, around);
		node->next = *first;
		*first = node;
		p->bytes += strlen(node->words);
	}
	*MEM_PUSH(p->frame, p->depth, p->capacity) = (struct call_path_frame){region, node};
}

void call_path_leave(struct call_path *p, uint32_t region)
{
	size_t depth = p->depth;
	while (depth && p->frame[depth - 1].region != region)
		depth--;
	if (!depth)
		return;
	p->depth = depth - 1;
	p->kept = path_depth(p) < p->kept ? path_depth(p) : p->kept;
}

const char *call_path_words(const struct call_path *p)
{
	return p->depth ? p->frame[p->depth - 1].node->words : NULL;
}

uint32_t call_path_entered(struct call_path *p)
{
	uint32_t depth = path_depth(p), entered = depth - p->kept;
	p->kept = depth;
	return entered;
}
