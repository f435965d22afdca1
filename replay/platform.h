/*
 * platform.h -- machines for SimGrid: a cluster in a word, its platform and host file.
 *
 *	struct platform p;
 *	if (platform_parse("cluster:16,10us,1.25GBps", &p, &error)) {
 *		platform_print(&p, &xml);
 *		platform_print_hosts(&p, 16, &hosts, &error);
 *	}
 *
 * All hosts are alike and reach each other through a switch that is never the bottleneck: a message
 * has the latency of two links, that of its sender and that of its receiver, each half of what was
 * said. (https://simgrid.org/doc/latest/XML_reference.html)
 */
#ifndef TRACENEST_REPLAY_PLATFORM_H
#define TRACENEST_REPLAY_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define PLATFORM_PREFIX "cluster:"
#define PLATFORM_SPEED 1e9 /* flops per second, where nothing is said */

struct platform {
	uint32_t hosts;
	double latency; /* seconds, from host to host */
	double bandwidth; /* bytes per second of a host's link */
	double speed; /* flops per second of a host */
};

/* "cluster:NODES,LATENCY,BANDWIDTH[,SPEED]": numbers with units as SimGrid has them (10us,
   1.25GBps, 10Gbps, 2Gf) or in seconds, bytes per second and flops. False with *error set. */
bool platform_parse(const char *words, struct platform *, struct error *);

/* A number with a unit, up to a comma or the end, behind which *at then stands: seconds, bytes per
   second, bytes, flops. */
enum platform_unit { IN_SECONDS, IN_BYTES_PER_SECOND, IN_BYTES, IN_FLOPS };
bool platform_read(const char **at, enum platform_unit, double *value);

/* A number with a unit of flops, as "2Gf" or "2e9". */
bool platform_parse_speed(const char *word, double *speed);

void platform_print(const struct platform *, struct text *xml);

/* A line for each process, in the order of hosts. False with *error set where there are fewer hosts
   than processes. */
bool platform_print_hosts(const struct platform *, uint32_t processes, struct text *, struct error *);

#endif
