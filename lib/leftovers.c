/*
 * leftovers.c -- what processes had not completed at MPI_Finalize, by the place that posted it.
 */
#include "lib/leftovers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "trace/pending.h"

struct leftover {
	uint64_t times;
	struct ranks ranks;
};

void leftovers_tell(const struct trace *t, struct text *lines)
{
	size_t count, capacity = 0;
	const struct pending_line *line = trace_pending(t, &count);
	struct intern *places = intern_new();
	struct leftover *left = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct pending *p = &line[i].pending;
		struct text place = {0};
		size_t length = strcspn(line[i].site, " ");
		if (p->kind == PENDING_TURNS || p->where != PENDING_POSTED)
			continue;
		text_put(&place, line[i].call);
		if (memchr(line[i].site, ':', length))
			text_format(&place, " (%.*s)", (int)length, line[i].site);
		struct leftover *l = MEM_AT(left, capacity, intern_id(places, place.data, place.length + 1));
		l->times += p->times;
		ranks_add(&l->ranks, line[i].rank);
		text_clear(&place);
	}
	for (uint32_t i = 0; i < intern_count(places); i++) {
		text_format(lines, "%" PRIu64 " %s on ", left[i].times, (const char *)intern_data(places, i, NULL));
		ranks_print_short(&left[i].ranks, lines);
		text_char(lines, '\n');
		ranks_clear(&left[i].ranks);
	}
	intern_free(places);
	free(left);
}
