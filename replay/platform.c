/*
 * platform.c -- one <cluster> of SimGrid.
 */
#include "replay/platform.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Units, and the prefixes that each may have. */
static const struct {
	enum platform_unit of;
	const char *name, *prefixes;
	double factor;
} units[] = {
	{IN_SECONDS, "s", "m u n", 1},
	{IN_BYTES_PER_SECOND, "Bps", "k M G T Ki Mi Gi", 1},
	{IN_BYTES_PER_SECOND, "bps", "k M G T", 0.125},
	{IN_BYTES, "B", "k M Ki Mi", 1},
	{IN_FLOPS, "f", "k M G T", 1},
};

static double factor_of_prefix(const char *word, size_t length)
{
	static const struct {
		const char *name;
		double factor;
	} prefixes[] = {{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12},
		{"Ki", 1024}, {"Mi", 1048576}, {"Gi", 1073741824}};
	size_t i = 0;
	while (strlen(prefixes[i].name) != length || strncmp(prefixes[i].name, word, length))
		i++;
	return prefixes[i].factor;
}

/* How much one of it is; without a unit, 1. Below 0: it is none of these. */
static double factor_of(enum platform_unit of, const char *word, size_t length)
{
	for (size_t i = 0; length && i < sizeof units / sizeof *units; i++) {
		size_t name = strlen(units[i].name), prefix = length - name;
		if (units[i].of != of || length < name || memcmp(word + prefix, units[i].name, name) != 0)
			continue;
		if (!prefix)
			return units[i].factor;
		for (const char *at = units[i].prefixes; *at; at += strcspn(at, " "), at += *at == ' ')
			if (strcspn(at, " ") == prefix && !strncmp(at, word, prefix))
				return units[i].factor * factor_of_prefix(word, prefix);
	}
	return length ? -1 : 1;
}

bool platform_read(const char **at, enum platform_unit unit, double *value)
{
	char *end;
	if (!strchr("0123456789.", **at) || !**at)
		return false;
	double number = strtod(*at, &end);
	size_t length = strcspn(end, ",");
	double factor = factor_of(unit, end, length);
	*at = end + length;
	*value = number * factor;
	return factor >= 0 && isfinite(*value);
}

static bool comma(const char **at)
{
	return **at == ',' && *++*at;
}

bool platform_parse(const char *words, struct platform *p, struct error *error)
{
	const char *at = words + strlen(PLATFORM_PREFIX);
	uint64_t hosts = 0;
	*p = (struct platform){.speed = PLATFORM_SPEED};
	bool good = !strncmp(words, PLATFORM_PREFIX, strlen(PLATFORM_PREFIX)) &&
		    text_read_number(&at, 1 << 22, &hosts) && hosts && comma(&at) &&
		    platform_read(&at, IN_SECONDS, &p->latency) && comma(&at) &&
		    platform_read(&at, IN_BYTES_PER_SECOND, &p->bandwidth) && p->bandwidth > 0 &&
		    (!*at || (comma(&at) && platform_read(&at, IN_FLOPS, &p->speed) && p->speed > 0)) && !*at;
	p->hosts = (uint32_t)hosts;
	return good ||
	       error_set(error, ERROR_INPUT,
		       "%s: not a cluster: cluster:NODES,LATENCY,BANDWIDTH[,SPEED], as in cluster:16,10us,1.25GBps",
		       words);
}

bool platform_parse_speed(const char *word, double *speed)
{
	return platform_read(&word, IN_FLOPS, speed) && *speed > 0 && !*word;
}

void platform_print(const struct platform *p, struct text *xml)
{
	text_format(xml,
		"<?xml version='1.0'?>\n"
		"<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
		"<platform version=\"4.1\">\n"
		"  <cluster id=\"cluster\" prefix=\"node\" suffix=\"\" radical=\"0-%" PRIu32
		"\" speed=\"%.9gf\" bw=\"%.9gBps\" lat=\"%.9gs\"/>\n"
		"</platform>\n",
		p->hosts - 1, p->speed, p->bandwidth, p->latency / 2);
}

bool platform_print_hosts(const struct platform *p, uint32_t processes, struct text *text, struct error *error)
{
	if (p->hosts < processes)
		return error_set(error, ERROR_INPUT,
			"the platform has %" PRIu32 " hosts, and there are %" PRIu32 " processes", p->hosts, processes);
	for (uint32_t i = 0; i < processes; i++)
		text_format(text, "node%" PRIu32 "\n", i);
	return true;
}
