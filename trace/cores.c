/*
 * cores.c -- sets of cores of a host, and the processes that may run on nothing else.
 */
#include "trace/cores.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct core_set {
	struct ranks ranks, cores;
	const char *host;
	size_t length; /* of that name */
};

static bool read_set(struct core_set *s, const char *at)
{
	struct error ignored = {0};
	if (!ranks_parse(&s->ranks, &at, &ignored) || *at++ != ' ' || !ranks_parse(&s->cores, &at, &ignored) ||
		*at++ != ' ')
		return false;
	s->host = at;
	s->length = strcspn(at, "\n");
	return true;
}

static bool is_within(const struct core_set *a, const struct core_set *b)
{
	return a->length == b->length && !memcmp(a->host, b->host, a->length) && ranks_within(&a->cores, &b->cores);
}

static void find_shared(struct cores *c, const struct core_set *set, size_t sets)
{
	for (size_t i = 0; i < sets; i++) {
		uint64_t processes = 0;
		for (size_t k = 0; k < sets; k++)
			processes += is_within(&set[k], &set[i]) ? ranks_count(&set[k].ranks) : 0;
		double each = (double)processes / (double)ranks_count(&set[i].cores);
		for (size_t k = 0; k < sets && each > 1; k++)
			if (is_within(&set[k], &set[i]))
				ranks_join(&c->shared, &set[k].ranks);
		c->each = each > c->each ? each : c->each;
	}
}

void cores_read(struct cores *c, const char *cores, const char *cpu, uint32_t processes)
{
	struct core_set *set = NULL;
	size_t sets = 0, capacity = 0;
	bool good = true;
	*c = (struct cores){0};
	for (const char *line = cores; good && line && *line; line += strcspn(line, "\n") + 1) {
		struct core_set *next = MEM_PUSH(set, sets, capacity);
		*next = (struct core_set){0};
		good = read_set(next, line) && line[strcspn(line, "\n")];
	}
	if (good)
		find_shared(c, set, sets);
	for (size_t i = 0; i < sets; i++) {
		ranks_clear(&set[i].ranks);
		ranks_clear(&set[i].cores);
	}
	free(set);
	c->cpu = cpu ? mem_zero((processes + (size_t)1) * sizeof *c->cpu) : NULL;
	for (uint32_t rank = 0; cpu && rank < processes; rank++) {
		char *end;
		c->cpu[rank] = strtoull(cpu, &end, 10);
		cpu = end;
	}
}

void cores_clear(struct cores *c)
{
	ranks_clear(&c->shared);
	free(c->cpu);
}
