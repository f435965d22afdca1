/*
 * network.c -- the clocks of LogGOPS.
 */
#include "replay/network.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "replay/platform.h"

static bool read_options(const char *at, struct network *n)
{
	for (; *at; at += *at == ',') {
		double *to = *at == 'o'   ? &n->overhead
			     : *at == 'g' ? &n->gap
			     : *at == 'O' ? &n->overhead_per_byte
			     : *at == 'S' ? &n->rendezvous
					  : NULL;
		enum platform_unit unit = *at == 'S' ? IN_BYTES : IN_SECONDS;
		if (!to || at[1] != '=')
			return false;
		at += 2;
		if (!platform_read(&at, unit, to))
			return false;
	}
	return true;
}

bool network_parse(const char *cluster, const char *options, uint32_t processes, struct network *n, struct error *error)
{
	struct platform p;
	if (strncmp(cluster, PLATFORM_PREFIX, strlen(PLATFORM_PREFIX)))
		return error_set(error, ERROR_INPUT,
			"%s: LogGOPS has clusters alone: cluster:NODES,LATENCY,BANDWIDTH, as in cluster:16,10us,1.25GBps",
			cluster);
	if (!platform_parse(cluster, &p, error))
		return false;
	*n = (struct network){.latency = p.latency, .per_byte = 1 / p.bandwidth, .rendezvous = NETWORK_RENDEZVOUS};
	if (p.hosts < processes)
		return error_set(error, ERROR_INPUT,
			"the platform has %" PRIu32 " hosts, and there are %" PRIu32 " processes", p.hosts, processes);
	return read_options(options, n) ||
	       error_set(
		       error, ERROR_INPUT, "%s: not parameters of LogGOPS, as in o=1us,g=2us,O=0.1ns,S=64KiB", options);
}

static double times(uint64_t bytes, double per_byte)
{
	return bytes ? (double)(bytes - 1) * per_byte : 0;
}

double network_send(const struct network *n, struct port *p, uint64_t bytes)
{
	p->now += n->overhead + times(bytes, n->overhead_per_byte);
	double leaves = fmax(p->now, p->free);
	p->free = leaves + fmax(n->gap, times(bytes, n->per_byte));
	return (double)bytes > n->rendezvous ? leaves : leaves + n->latency;
}

void network_receive(const struct network *n, struct port *p, double mark, uint64_t bytes, double posted)
{
	double takes = times(bytes, n->per_byte),
	       first = (double)bytes > n->rendezvous ? fmax(mark, posted) + n->latency : mark;
	if (first + takes > p->from) {
		p->from = first >= p->until ? first : p->from;
		first = fmax(first, p->until);
		p->until = first + fmax(n->gap, takes);
	}
	p->now = fmax(p->now, first + takes) + n->overhead + times(bytes, n->overhead_per_byte);
}
