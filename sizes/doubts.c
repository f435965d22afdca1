/*
 * doubts.c -- a program may do otherwise on each third number of processes, on odd ones, or where
 * P does not divide a number: what no run has, no run shows.
 */
#include "sizes/doubts.h"

#include "base/gcd.h"

static uint32_t times_of(uint32_t number, uint32_t prime)
{
	uint32_t times = 0;
	for (; number % prime == 0; number /= prime)
		times++;
	return times;
}

static int64_t trait_of(uint32_t processes, enum trait t)
{
	if (t <= QUARTERS)
		return processes % (2 + (t - PARITY));
	if (t <= THREES)
		return times_of(processes, 2 + (t - TWOS));
	return t == POWER_OF_TWO ? !(processes & (processes - 1))
				 : floor_root(processes) * floor_root(processes) == processes;
}

/* Does each prime power that divides it divide a run? Then the least common multiple of the
   divisors that it shares with each is all of it. What divides all runs divides it as well. */
static bool shares_primes(const struct learned_runs *runs, uint32_t processes)
{
	uint64_t all = 1, common = 0;
	for (size_t r = 0; r < runs->length; r++) {
		all = common_multiple(all, gcd(processes, runs->run[r].processes), processes);
		common = gcd(common, runs->run[r].processes);
	}
	return all == processes && processes % common == 0;
}

static bool has_trait(const struct learned_runs *runs, uint32_t processes, enum trait t)
{
	if (t == PRIME_POWERS)
		return shares_primes(runs, processes);
	bool any = false;
	for (size_t r = 0; r < runs->length && !any; r++)
		any = trait_of(runs->run[r].processes, t) == trait_of(processes, t);
	return any;
}

void doubts_about(struct doubts *d, const struct learned_runs *runs, uint32_t processes)
{
	uint32_t largest = 0;
	d->processes = processes;
	d->runs = runs->length;
	for (enum trait t = 0; t < TRAITS; t++)
		d->traits |= has_trait(runs, processes, t) ? 0 : 1U << t;
	for (size_t r = 0; r < runs->length; r++)
		largest = runs->run[r].processes > largest ? runs->run[r].processes : largest;
	d->largest = processes > largest ? largest : 0;
}

bool doubts_any(const struct doubts *d)
{
	return d->unproven.length || d->largest || d->traits || d->rivals || d->not_shown.length;
}

void doubts_clear(struct doubts *d)
{
	ranks_clear(&d->unproven);
	text_clear(&d->rival.place);
	text_clear(&d->rival.rule);
	text_clear(&d->rival.other);
	text_clear(&d->not_shown);
	*d = (struct doubts){0};
}
