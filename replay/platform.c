/*
 * platform.c -- one <cluster> of SimGrid.
 */
#include "replay/platform.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit of_time[] = {
	{"s", 1},
	{"ms", 1e-3},
	{"us", 1e-6},
	{"ns", 1e-9},
	{"", 1},
	{NULL, 0},
};
static const struct unit of_bandwidth[] = {
	{"Bps", 1},
	{"kBps", 1e3},
	{"MBps", 1e6},
	{"GBps", 1e9},
	{"TBps", 1e12},
	{"KiBps", 1024},
	{"MiBps", 1048576},
	{"GiBps", 1073741824},
	{"bps", 0.125},
	{"kbps", 125},
	{"Mbps", 125e3},
	{"Gbps", 125e6},
	{"Tbps", 125e9},
	{"", 1},
	{NULL, 0},
};
static const struct unit of_bytes[] = {
	{"B", 1},
	{"kB", 1e3},
	{"MB", 1e6},
	{"KiB", 1024},
	{"MiB", 1048576},
	{"", 1},
	{NULL, 0},
};
static const struct unit of_speed[] = {
	{"f", 1},
	{"kf", 1e3},
	{"Mf", 1e6},
	{"Gf", 1e9},
	{"Tf", 1e12},
	{"", 1},
	{NULL, 0},
};

/* A number with a unit, up to a comma or the end; *at moves behind it. */
static bool read_quantity(const char **at, const struct unit *unit, double *value)
{
	char *end;
	if (!strchr("0123456789.", **at) || !**at)
		return false;
	double number = strtod(*at, &end);
	size_t length = strcspn(end, ",");
	while (unit->name && (strlen(unit->name) != length || strncmp(unit->name, end, length)))
		unit++;
	*at = end + length;
	*value = number * unit->factor;
	return unit->name && isfinite(*value);
}

static bool read_hosts(const char **at, uint32_t *hosts)
{
	uint64_t number;
	bool good = text_read_number(at, 1 << 22, &number) && number > 0;
	*hosts = good ? (uint32_t)number : 0;
	return good;
}

static bool comma(const char **at)
{
	return **at == ',' && *++*at;
}

bool platform_parse(const char *words, struct platform *p, struct error *error)
{
	const char *at = words + strlen(PLATFORM_PREFIX);
	*p = (struct platform){.speed = PLATFORM_SPEED};
	bool good = !strncmp(words, PLATFORM_PREFIX, strlen(PLATFORM_PREFIX)) && read_hosts(&at, &p->hosts) &&
		    comma(&at) && read_quantity(&at, of_time, &p->latency) && comma(&at) &&
		    read_quantity(&at, of_bandwidth, &p->bandwidth) && p->bandwidth > 0 &&
		    (!*at || (comma(&at) && read_quantity(&at, of_speed, &p->speed) && p->speed > 0)) && !*at;
	return good ||
	       error_set(error, ERROR_INPUT,
		       "%s: not a cluster: cluster:NODES,LATENCY,BANDWIDTH[,SPEED], as in cluster:16,10us,1.25GBps",
		       words);
}

bool platform_read(const char **at, enum platform_unit unit, double *value)
{
	return read_quantity(at, unit == PLATFORM_TIME ? of_time : of_bytes, value);
}

bool platform_parse_speed(const char *word, double *speed)
{
	return read_quantity(&word, of_speed, speed) && *speed > 0 && !*word;
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
