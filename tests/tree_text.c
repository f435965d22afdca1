#include "tests/tree_text.h"

#include <inttypes.h>

static void print_indexed(const struct tree_builder *b, indexed v, struct text *out)
{
	int64_t number;
	if (v == INDEXED_NONE) {
		text_put(out, "-");
	} else if (indexed_is_constant(b->store, v, &number)) {
		text_format(out, "%" PRId64, number);
	} else if (indexed_kind(b->store, v) == INDEXED_IS_SAME) {
		text_put(out, "=");
		print_indexed(b, indexed_at(b->store, v, 0), out);
	} else {
		text_put(out, "(");
		for (size_t i = 0; i < indexed_length(b->store, v); i++) {
			text_put(out, i ? " " : "");
			print_indexed(b, indexed_at(b->store, v, i), out);
		}
		text_put(out, ")");
	}
}

static void print_slot(const struct tree_builder *b, const struct tree_node *n, uint32_t k, struct text *out)
{
	size_t lanes = tree_lanes(b, n->lanes).length;
	bool same = true;
	for (size_t i = 1; i < lanes; i++)
		same = same && n->slot[k][i] == n->slot[k][0];
	text_put(out, n->parameters >> k & 1 ? " #" : " ");
	for (size_t i = 0; i < (same && lanes ? 1 : lanes); i++) {
		text_put(out, i ? "|" : "");
		print_indexed(b, n->slot[k][i], out);
	}
}

static void print_list(const struct tree_builder *b, struct tree_list list, unsigned depth, struct text *out)
{
	static const char *const name[] = {"event", "for", "if", "call"};
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		struct lane_set set = tree_lanes(b, n->lanes);
		text_format(out, "%*s[", (int)(2 * depth), "");
		struct ranks ranks = {0};
		for (size_t k = 0; k < set.length; k++)
			ranks_add(&ranks, set.lane[k]);
		ranks_print_short(&ranks, out);
		ranks_clear(&ranks);
		text_format(out, "] %s", name[n->kind]);
		if (n->kind == TREE_EVENT)
			text_format(out, "%" PRIu32, n->shape);
		if (n->kind == TREE_CALL)
			text_format(out, "%" PRIu32, n->procedure->number);
		for (uint32_t k = 0; k < n->slots; k++)
			print_slot(b, n, k, out);
		text_put(out, "\n");
		print_list(b, n->body, depth + 1, out);
	}
}

void tree_print(const struct tree_builder *b, struct tree_list list, struct text *out)
{
	print_list(b, list, 0, out);
	for (size_t i = 0; i < b->procedures; i++) {
		text_format(out, "procedure %" PRIu32 " %" PRIu32 "\n", b->procedure[i]->number,
			b->procedure[i]->parameters);
		print_list(b, b->procedure[i]->body, 1, out);
	}
}
