/*
 * network.h -- how long messages take: LogGOPS.
 *
 *	struct network n;
 *	if (network_parse("cluster:16,10us,1.25GBps", "o=1us,g=2us,O=0.1ns,S=64KiB", 16, &n, &error)) {
 *		struct port a = {0}, b = {0};
 *		double mark = network_send(&n, &a, 1000);
 *		network_receive(&n, &b, mark, 1000, b.now);
 *	}
 *
 * A message of k bytes costs its sender o + (k-1)O and its receiver as much, is L under way, and
 * takes (k-1)G to leave and to arrive, and g at least: T. Hoefler, T. Schneider, A. Lumsdaine:
 * LogGOPSim - simulating large-scale applications in the LogGOPS model (HPDC 2010). Links of
 * processes are the only ones that are ever busy. More than S bytes do not leave before the receive
 * is posted; nobody waits for his sends, as in what `export --to goal` writes.
 */
#ifndef TRACENEST_REPLAY_NETWORK_H
#define TRACENEST_REPLAY_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Seconds. */
struct network {
	double latency; /* L */
	double overhead; /* o */
	double gap; /* g: between two messages of a process */
	double per_byte; /* G */
	double overhead_per_byte; /* O */
	double rendezvous; /* S, bytes */
};

/* Messages that wait for their receive: SMPI's limit, too. */
#define NETWORK_RENDEZVOUS 65536

/* Of a cluster (platform.h), each process on a host of its own. options: as in the example; what is
   not said is 0, S is NETWORK_RENDEZVOUS. False with *error set. */
bool network_parse(const char *cluster, const char *options, uint32_t processes, struct network *, struct error *);

/* A process: seconds from the begin. */
struct port {
	double now; /* its clock */
	double free; /* of its link to the network */
	double from, until; /* its link from there is busy */
};

/* The process sends; gives what network_receive has to know: when the first byte arrives, or (more
   than S bytes) when it could leave. */
double network_send(const struct network *, struct port *, uint64_t bytes);

/* It waits for a message; posted: since when. Messages use the link in the order in which they are
   waited for, or, where they had come before, the order of arrival. */
void network_receive(const struct network *, struct port *, double mark, uint64_t bytes, double posted);

#endif
