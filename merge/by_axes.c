/*
 * by_axes.c -- ranks that share the outermost coordinate are a row, or a block of rows.
 */
#include "merge/by_axes.h"

bool by_axes_possible(const struct module *m)
{
	return m->grid.axes > 1 && m->grid.axes <= TABLE_ARGUMENTS && grid_ranks(&m->grid) == m->processes;
}

bool by_axes_rank(struct store *s, node_id entry)
{
	return node_kid(s, entry, 1) == number_variable(s, VARIABLE_P);
}

uint32_t by_axes_argument(const struct grid *g, uint32_t outer, uint32_t k)
{
	uint32_t axis = g->axes - k;
	return k == 0 ? outer : axis > outer ? axis : axis - 1;
}

struct table *by_axes_table(const struct table *by_rank, const struct grid *g, uint32_t outer)
{
	struct table *t = table_new(table_name(by_rank), g->axes);
	uint32_t stride = 1, row = g->size[by_axes_argument(g, outer, g->axes - 1)];
	for (uint32_t i = 0; i < outer; i++)
		stride *= g->size[i];
	for (uint32_t c = 0; c < g->size[outer]; c++) {
		uint32_t added = 0;
		for (uint32_t rank = 0; rank < table_entries(by_rank); rank++) {
			if (rank / stride % g->size[outer] != c)
				continue;
			table_add(t, table_entry(by_rank, rank));
			if (++added % row == 0)
				table_end(t, 1);
		}
		if (g->axes > 2)
			table_end(t, 2);
	}
	table_finish(t);
	return t;
}
