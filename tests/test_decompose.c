/*
 * test_decompose.c -- does every member end up with what it is to get, by whatever algorithm?
 *
 * The members are run, each with what it has of each block: whose contributions are in it. A
 * message carries what its sender has when it sends; a contribution that is added twice is a fault.
 */
#include "replay/decompose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/rows.h"

#define MOST 17

static const char *const algorithm_name[ALGORITHMS] = {"binomial", "recursive-doubling", "ring", "pairwise"};

/* Whose contributions are in each block, a bit each; 0: the member does not have it. */
struct state {
	uint32_t block[MOST];
	uint32_t scanned; /* of SCAN and EXSCAN: what is below the member itself */
};

struct message {
	struct collective_message exchange;
	uint32_t from;
	struct state carries;
};

struct plan {
	struct collective_message step[8 * MOST];
	size_t steps, done;
};

struct run {
	enum collective_kind kind;
	enum algorithm algorithm;
	uint32_t n, root;
	struct state state[MOST];
	struct plan plan[MOST];
	struct message queue[MOST][MOST][4 * MOST]; /* from, to */
	size_t sent[MOST][MOST], received[MOST][MOST];
	const char *fault;
};

/* Sizes that tell blocks apart. */
static uint64_t block_size(void *context, uint32_t from, uint32_t block)
{
	(void)context, (void)from;
	return 1000 + 7 * block;
}

static uint64_t blocks_size(void *context, uint32_t from, uint32_t first, uint32_t count)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < count; i++)
		bytes += block_size(context, from, first + i);
	return bytes;
}

static void note(void *context, const struct collective_message *x)
{
	struct plan *p = context;
	p->step[p->steps++] = *x;
}

static bool is_scan(const struct run *r)
{
	return r->kind == COLLECTIVE_SCAN || r->kind == COLLECTIVE_EXSCAN;
}

/* What each member begins with. */
static void begin(struct run *r)
{
	for (uint32_t p = 0; p < r->n; p++) {
		for (uint32_t b = 0; b < r->n; b++) {
			bool has = r->kind == COLLECTIVE_BCAST || r->kind == COLLECTIVE_SCATTER      ? p == r->root
				   : r->kind == COLLECTIVE_GATHER || r->kind == COLLECTIVE_ALLGATHER ? p == b
												     : true;
			r->state[p].block[b] = has ? 1u << p : 0;
		}
		struct collective_call c = {
			r->kind, r->n, p, r->root, &(struct collective_sizes){NULL, blocks_size}, 0, p % 4};
		/* all at once (p % 4 = 0), or so many at a time */
		do {
			c.first = r->plan[p].steps;
			decompose(&c, r->algorithm, &(struct exchange_sink){&r->plan[p], note});
		} while (c.most && r->plan[p].steps == c.first + c.most);
	}
}

static uint64_t bytes_of(const struct run *r, const struct collective_message *x)
{
	uint64_t bytes = 0;
	uint32_t first = is_scan(r) ? 0 : x->first, count = is_scan(r) ? r->n : x->count;
	for (uint32_t i = 0; i < count && r->kind != COLLECTIVE_BARRIER; i++)
		bytes += block_size(NULL, 0, (first + i) % r->n);
	return bytes;
}

/* Pairs pass on what they began with; all others what they have. */
static void post(struct run *r, uint32_t p, const struct collective_message *x)
{
	struct message *m = &r->queue[p][x->peer][r->sent[p][x->peer]++];
	bool began = r->algorithm == ALGORITHM_PAIRWISE && r->kind != COLLECTIVE_BCAST && r->kind != COLLECTIVE_SCATTER;
	*m = (struct message){.exchange = *x, .from = p, .carries = r->state[p]};
	for (uint32_t b = 0; b < r->n && began && m->carries.block[b]; b++)
		m->carries.block[b] = 1u << p;
	if (x->bytes != bytes_of(r, x))
		r->fault = "other bytes than its blocks have";
	for (uint32_t i = 0; i < x->count && !is_scan(r); i++)
		if (!m->carries.block[(x->first + i) % r->n])
			r->fault = "a block is passed on that the member does not have";
}

/* In a scan, block 0 stands for the sum of a group, and what goes up must be what is said; of the
   last group, which may be cut short, nobody needs anything. */
static void take_scanned(struct run *r, uint32_t p, const struct message *m)
{
	uint32_t said = 0, carried = m->carries.block[0];
	for (uint32_t i = 0; i < m->exchange.count; i++)
		said |= 1u << (m->exchange.first + i);
	if (r->algorithm == ALGORITHM_RING)
		carried |= m->carries.scanned;
	if (m->from < p ? carried != said : (carried & ~said) != 0)
		r->fault = "a scan passes on others than it says";
	if (m->from < p && r->state[p].scanned & carried)
		r->fault = "a contribution is added twice";
	r->state[p].scanned |= m->from < p ? carried : 0;
	if (r->algorithm == ALGORITHM_DOUBLING)
		r->state[p].block[0] |= carried;
}

static bool take(struct run *r, uint32_t p, const struct collective_message *x)
{
	if (r->received[x->peer][p] == r->sent[x->peer][p])
		return false;
	const struct message *m = &r->queue[x->peer][p][r->received[x->peer][p]++];
	const struct collective_message *y = &m->exchange;
	if (y->first != x->first || y->count != x->count || y->bytes != x->bytes || y->combines != x->combines)
		r->fault = "the two ends do not say the same";
	if (is_scan(r)) {
		take_scanned(r, p, m);
		return true;
	}
	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t b = (x->first + i) % r->n, *mine = &r->state[p].block[b];
		if (x->combines && *mine & m->carries.block[b] && r->kind != COLLECTIVE_BARRIER)
			r->fault = "a contribution is added twice";
		*mine = x->combines ? *mine | m->carries.block[b] : m->carries.block[b];
	}
	return true;
}

static void execute(struct run *r)
{
	for (bool any = true; any;) {
		any = false;
		for (uint32_t p = 0; p < r->n; p++) {
			struct plan *plan = &r->plan[p];
			for (; plan->done < plan->steps; plan->done++, any = true) {
				const struct collective_message *x = &plan->step[plan->done];
				if (x->sends)
					post(r, p, x);
				else if (!take(r, p, x))
					break;
			}
		}
	}
}

static uint32_t all(uint32_t n)
{
	return (1u << n) - 1;
}

/* Is what the member has at the end what MPI promises? */
static bool has_result(const struct run *r, uint32_t p)
{
	const struct state *s = &r->state[p];
	bool good = true;
	for (uint32_t b = 0; b < r->n; b++)
		switch (r->kind) {
		case COLLECTIVE_BCAST:
			good = good && s->block[b] == 1u << r->root;
			break;
		case COLLECTIVE_SCATTER:
			good = good && (b != p || s->block[b] == 1u << r->root);
			break;
		case COLLECTIVE_REDUCE:
			good = good && (p != r->root || s->block[b] == all(r->n));
			break;
		case COLLECTIVE_GATHER:
			good = good && (p != r->root || s->block[b] == 1u << b);
			break;
		case COLLECTIVE_ALLGATHER:
			good = good && s->block[b] == 1u << b;
			break;
		case COLLECTIVE_REDUCE_SCATTER:
			good = good && (b != p || s->block[b] == all(r->n));
			break;
		case COLLECTIVE_SCAN:
		case COLLECTIVE_EXSCAN:
			good = good && s->scanned == all(p);
			break;
		default:
			good = good && s->block[b] == all(r->n);
			break;
		}
	return good;
}

/* Of an Alltoall each message is one block, from its own member to its own: all pairs, each
   once. */
static bool meets_all(const struct run *r)
{
	for (uint32_t p = 0; p < r->n; p++)
		for (uint32_t q = 0; q < r->n; q++)
			if (r->sent[p][q] != (p != q) || (p != q && r->queue[p][q][0].exchange.first != q))
				return false;
	return true;
}

static void check(struct run *r, enum collective_kind kind, enum algorithm algorithm, uint32_t n, uint32_t root)
{
	char why[100];
	memset(r, 0, sizeof *r);
	*r = (struct run){.kind = kind, .algorithm = algorithm, .n = n, .root = root};
	begin(r);
	execute(r);
	for (uint32_t p = 0; p < n && !r->fault; p++) {
		if (r->plan[p].done < r->plan[p].steps)
			r->fault = "a member waits for ever";
		for (uint32_t q = 0; q < n; q++)
			if (r->sent[p][q] != r->received[p][q])
				r->fault = "a message is never received";
		if (!r->fault && kind != COLLECTIVE_ALLTOALL && !has_result(r, p))
			r->fault = "a member lacks something";
	}
	if (!r->fault && kind == COLLECTIVE_ALLTOALL && !meets_all(r))
		r->fault = "not every pair meets once";
	snprintf(why, sizeof why, "kind %d by %s, %u members, root %u: %s", kind, algorithm_name[algorithm], n, root,
		r->fault ? r->fault : "");
	ROW(why, !r->fault);
}

static void test_results(void)
{
	static const char *const name[COLLECTIVE_KINDS] = {"barrier", "bcast", "reduce", "gather", "scatter",
		"allreduce", "allgather", "reduce_scatter", "alltoall", "scan", "exscan"};
	struct run *r = mem_alloc(sizeof *r);
	unsigned algorithms = 0;
	for (int kind = 0; kind < COLLECTIVE_KINDS; kind++)
		for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
			char words[64];
			struct algorithms a = algorithms_usual();
			struct error error = {0};
			snprintf(words, sizeof words, "%s=%s", name[kind], algorithm_name[algorithm]);
			if (!algorithms_choose(&a, words, &error))
				continue;
			algorithms++;
			uint32_t roots = collective_has_root((enum collective_kind)kind) ? MOST : 1;
			for (uint32_t n = 2; n <= MOST; n++)
				for (uint32_t root = 0; root < n && root < roots; root++)
					check(r, (enum collective_kind)kind, (enum algorithm)algorithm, n, root);
		}
	CU_ASSERT_EQUAL(algorithms, 35);
	free(r);
}

static void test_choice(void)
{
	static const struct {
		const char *why, *words;
		bool good;
	} cases[] = {
		{"one for all", "ring", true},
		{"of some alone", "allreduce=ring,bcast=pairwise", true},
		{"no such algorithm", "tree", false},
		{"no such operation", "allsum=ring", false},
		{"what cannot be", "bcast=recursive-doubling", false},
		{"nothing", "", false},
		{"nothing behind a comma", "ring,", false},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct algorithms a = algorithms_usual();
		struct error error = {0};
		ROW(cases[i].why, algorithms_choose(&a, cases[i].words, &error) == cases[i].good);
	}
	struct algorithms a = algorithms_usual();
	struct error error = {0};
	CU_ASSERT_TRUE(algorithms_choose(&a, "recursive-doubling,alltoall=ring", &error));
	CU_ASSERT_EQUAL(a.of[COLLECTIVE_ALLGATHER], ALGORITHM_DOUBLING);
	CU_ASSERT_EQUAL(a.of[COLLECTIVE_BCAST], ALGORITHM_BINOMIAL);
	CU_ASSERT_EQUAL(a.of[COLLECTIVE_ALLTOALL], ALGORITHM_RING);
}

/* How many rounds an algorithm takes, and how much it moves. */
static void test_cost(void)
{
	struct run *r = mem_alloc(sizeof *r);
	check(r, COLLECTIVE_ALLREDUCE, ALGORITHM_DOUBLING, 16, 0);
	CU_ASSERT_EQUAL(r->plan[5].steps, 2 * 4);
	check(r, COLLECTIVE_ALLREDUCE, ALGORITHM_RING, 16, 0);
	CU_ASSERT_EQUAL(r->plan[5].steps, 2 * 2 * 15);
	check(r, COLLECTIVE_BCAST, ALGORITHM_BINOMIAL, 16, 3);
	CU_ASSERT_EQUAL(r->plan[3].steps, 4);
	CU_ASSERT_EQUAL(r->plan[4].steps, 1);
	check(r, COLLECTIVE_ALLTOALL, ALGORITHM_PAIRWISE, 16, 0);
	CU_ASSERT_EQUAL(r->plan[5].step[2].peer, 5 ^ 2);
	free(r);
}

void suite_decompose(CU_pSuite suite)
{
	CU_ADD_TEST(suite, test_results);
	CU_ADD_TEST(suite, test_choice);
	CU_ADD_TEST(suite, test_cost);
}
