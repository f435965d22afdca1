/*
 * decompose.c -- the algorithms. Members of rooted operations are counted from the root, so that it
 * is 0; blocks stay those of the members.
 */
#include "replay/decompose.h"

#include <string.h>

#include "ask/collective_names.h"

/* ------------------------------------------------------------------ names */

bool collective_kind_of(const char *name, enum collective_kind *kind)
{
	static const struct {
		const char *name;
		enum collective_kind kind;
	} known[] = {
		{"MPI_Barrier", COLLECTIVE_BARRIER},
		{"MPI_Bcast", COLLECTIVE_BCAST},
		{"MPI_Reduce", COLLECTIVE_REDUCE},
		{"MPI_Gather", COLLECTIVE_GATHER},
		{"MPI_Gatherv", COLLECTIVE_GATHER},
		{"MPI_Scatter", COLLECTIVE_SCATTER},
		{"MPI_Scatterv", COLLECTIVE_SCATTER},
		{"MPI_Allreduce", COLLECTIVE_ALLREDUCE},
		{"MPI_Allgather", COLLECTIVE_ALLGATHER},
		{"MPI_Allgatherv", COLLECTIVE_ALLGATHER},
		{"MPI_Reduce_scatter", COLLECTIVE_REDUCE_SCATTER},
		{"MPI_Reduce_scatter_block", COLLECTIVE_REDUCE_SCATTER},
		{"MPI_Alltoall", COLLECTIVE_ALLTOALL},
		{"MPI_Alltoallv", COLLECTIVE_ALLTOALL},
		{"MPI_Alltoallw", COLLECTIVE_ALLTOALL},
		{"MPI_Scan", COLLECTIVE_SCAN},
		{"MPI_Exscan", COLLECTIVE_EXSCAN},
	};
	const char *operation = collective_operation(name);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(operation, known[i].name)) {
			*kind = known[i].kind;
			return true;
		}
	return false;
}

bool collective_has_root(enum collective_kind kind)
{
	return kind == COLLECTIVE_BCAST || kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_GATHER ||
	       kind == COLLECTIVE_SCATTER;
}

static const char *const names[ALGORITHMS] = {"binomial", "recursive-doubling", "ring", "pairwise"};

/* As --collectives has them. */
static const char *const kind_names[COLLECTIVE_KINDS] = {"barrier", "bcast", "reduce", "gather", "scatter", "allreduce",
	"allgather", "reduce_scatter", "alltoall", "scan", "exscan"};

#define BIT(algorithm) (1u << ALGORITHM_##algorithm)

/* The algorithms that there are; the first one named is the usual. */
static const struct {
	enum algorithm usual;
	unsigned all;
} known[COLLECTIVE_KINDS] = {
	[COLLECTIVE_BARRIER] = {ALGORITHM_DOUBLING, BIT(BINOMIAL) | BIT(DOUBLING) | BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_BCAST] = {ALGORITHM_BINOMIAL, BIT(BINOMIAL) | BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_REDUCE] = {ALGORITHM_BINOMIAL, BIT(BINOMIAL) | BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_GATHER] = {ALGORITHM_BINOMIAL, BIT(BINOMIAL) | BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_SCATTER] = {ALGORITHM_BINOMIAL, BIT(BINOMIAL) | BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_ALLREDUCE] = {ALGORITHM_DOUBLING, BIT(BINOMIAL) | BIT(DOUBLING) | BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_ALLGATHER] = {ALGORITHM_RING, BIT(BINOMIAL) | BIT(DOUBLING) | BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_REDUCE_SCATTER] = {ALGORITHM_PAIRWISE, BIT(BINOMIAL) | BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_ALLTOALL] = {ALGORITHM_PAIRWISE, BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_SCAN] = {ALGORITHM_DOUBLING, BIT(DOUBLING) | BIT(RING) | BIT(PAIRWISE)},
	[COLLECTIVE_EXSCAN] = {ALGORITHM_DOUBLING, BIT(DOUBLING) | BIT(RING) | BIT(PAIRWISE)},
};

struct algorithms algorithms_usual(void)
{
	struct algorithms a;
	for (int k = 0; k < COLLECTIVE_KINDS; k++)
		a.of[k] = known[k].usual;
	return a;
}

static bool same(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && !strncmp(word, name, length);
}

static bool choose(struct algorithms *a, const char *word, size_t length, struct error *error)
{
	const char *equals = memchr(word, '=', length), *algorithm = equals ? equals + 1 : word;
	size_t rest = length - (size_t)(algorithm - word);
	int which = 0, kind = 0;
	while (which < ALGORITHMS && !same(algorithm, rest, names[which]))
		which++;
	if (which == ALGORITHMS)
		return error_set(error, ERROR_INPUT,
			"--collectives: '%.*s' is no algorithm: binomial, recursive-doubling, ring or pairwise",
			(int)rest, algorithm);
	while (equals && kind < COLLECTIVE_KINDS && !same(word, (size_t)(equals - word), kind_names[kind]))
		kind++;
	if (kind == COLLECTIVE_KINDS)
		return error_set(error, ERROR_INPUT,
			"--collectives: '%.*s' is no collective operation, as in allreduce=ring", (int)(equals - word),
			word);
	if (equals && !(known[kind].all & 1u << which))
		return error_set(
			error, ERROR_INPUT, "--collectives: %s cannot be done by %s", kind_names[kind], names[which]);
	for (int k = equals ? kind : 0; k <= (equals ? kind : COLLECTIVE_KINDS - 1); k++)
		if (known[k].all & 1u << which)
			a->of[k] = (enum algorithm)which;
	return true;
}

bool algorithms_choose(struct algorithms *a, const char *words, struct error *error)
{
	for (;;) {
		size_t length = strcspn(words, ",");
		if (!choose(a, words, length, error))
			return false;
		if (!words[length])
			return true;
		words += length + 1;
	}
}

/* ------------------------------------------------------------------ steps */

struct member {
	const struct collective_call *c;
	const struct exchange_sink *sink;
	uint32_t n, me; /* counted from the root */
	uint32_t root;
	uint64_t *steps; /* so far */
};

static uint32_t number_of(const struct member *m, uint32_t from_root)
{
	return (from_root + m->root) % m->n;
}

static uint64_t block_bytes(const struct member *m, uint32_t from, uint32_t first, uint32_t count)
{
	const struct collective_sizes *sizes = m->c->sizes;
	if (m->c->kind == COLLECTIVE_BARRIER)
		return 0;
	first %= m->n;
	uint32_t straight = count < m->n - first ? count : m->n - first;
	return sizes->blocks(sizes->context, from, first, straight) +
	       (straight < count ? sizes->blocks(sizes->context, from, 0, count - straight) : 0);
}

/* first: a number of the members, not counted from the root. */
static void step(const struct member *m, bool sends, uint32_t peer, uint32_t first, uint32_t count, bool combines)
{
	uint64_t at = (*m->steps)++;
	if (m->c->most && (at < m->c->first || at - m->c->first >= m->c->most))
		return;
	struct collective_message x = {
		.sends = sends, .peer = number_of(m, peer), .first = first, .count = count, .combines = combines};
	bool scan = m->c->kind == COLLECTIVE_SCAN || m->c->kind == COLLECTIVE_EXSCAN;
	x.bytes =
		scan ? block_bytes(m, 0, 0, m->n) : block_bytes(m, sends ? number_of(m, m->me) : x.peer, first, count);
	m->sink->take(m->sink->context, &x);
}

static void pass(const struct member *m, uint32_t to, uint32_t first, uint32_t count, bool combines)
{
	step(m, true, to, first, count, combines);
}

static void take(const struct member *m, uint32_t from, uint32_t first, uint32_t count, bool combines)
{
	step(m, false, from, first, count, combines);
}

static uint32_t at(const struct member *m, uint64_t move)
{
	return (uint32_t)((m->me + move) % m->n);
}

/* ------------------------------------------------------------------ trees */

/* The members below one of a binomial tree, itself included, are those that follow it: so many. */
static uint32_t tree_below(const struct member *m, uint32_t bit, uint32_t node)
{
	return m->n - node < bit ? m->n - node : bit;
}

/* own: only the blocks of those below are passed on; else all. */
static void tree_up(const struct member *m, bool own, bool combines)
{
	for (uint32_t bit = 1; bit < m->n; bit <<= 1) {
		bool leaf = m->me & bit;
		uint32_t node = leaf ? m->me : m->me + bit;
		if (node >= m->n)
			continue;
		uint32_t first = own ? number_of(m, node) : 0, count = own ? tree_below(m, bit, node) : m->n;
		step(m, leaf, leaf ? m->me - bit : node, first, count, combines);
		if (leaf)
			return;
	}
}

static void tree_down(const struct member *m, bool own)
{
	uint32_t top = 1;
	while (top < m->n && !(m->me & top))
		top <<= 1;
	if (m->me)
		take(m, m->me - top, own ? number_of(m, m->me) : 0, own ? tree_below(m, top, m->me) : m->n, false);
	for (uint32_t bit = top >> 1; bit; bit >>= 1)
		if (m->me + bit < m->n)
			pass(m, m->me + bit, own ? number_of(m, m->me + bit) : 0,
				own ? tree_below(m, bit, m->me + bit) : m->n, false);
}

static void by_tree(const struct member *m)
{
	switch (m->c->kind) {
	case COLLECTIVE_BCAST:
		tree_down(m, false);
		return;
	case COLLECTIVE_SCATTER:
		tree_down(m, true);
		return;
	case COLLECTIVE_REDUCE:
		tree_up(m, false, true);
		return;
	case COLLECTIVE_GATHER:
		tree_up(m, true, false);
		return;
	case COLLECTIVE_ALLGATHER:
		tree_up(m, true, false);
		tree_down(m, false);
		return;
	case COLLECTIVE_REDUCE_SCATTER:
		tree_up(m, false, true);
		tree_down(m, true);
		return;
	default: /* ALLREDUCE, BARRIER */
		tree_up(m, false, true);
		tree_down(m, false);
		return;
	}
}

/* ------------------------------------------------------------------ recursive doubling */

/*
 * Where the members are no power of two, the first ones stand together two by two: the even one of
 * two has the odd one do its part.
 */
struct halving {
	uint32_t power, extra; /* members = power + extra */
	uint32_t number; /* of this one among those that take part */
};

static uint32_t halving_member(const struct halving *h, uint32_t number)
{
	return number < h->extra ? 2 * number + 1 : number + h->extra;
}

/* The first block of those that are passed by `number` and the bits below `bit`. */
static uint32_t halving_blocks(const struct halving *h, uint32_t number, uint32_t bit, uint32_t *count)
{
	uint32_t first = number & ~(bit - 1), end = first + bit;
	uint32_t from = first + (first < h->extra ? first : h->extra);
	*count = end + (end < h->extra ? end : h->extra) - from;
	return from;
}

static void by_doubling(const struct member *m)
{
	struct halving h = {.power = 1};
	bool gathers = m->c->kind == COLLECTIVE_ALLGATHER;
	while (h.power * 2 <= m->n)
		h.power *= 2;
	h.extra = m->n - h.power;
	bool paired = m->me < 2 * h.extra, out = paired && m->me % 2 == 0;
	if (out)
		pass(m, m->me + 1, gathers ? m->me : 0, gathers ? 1 : m->n, !gathers);
	else if (paired)
		take(m, m->me - 1, gathers ? m->me - 1 : 0, gathers ? 1 : m->n, !gathers);
	h.number = paired ? m->me / 2 : m->me - h.extra;
	for (uint32_t bit = 1; bit < h.power && !out; bit <<= 1) {
		uint32_t other = h.number ^ bit, ours, theirs, peer = halving_member(&h, other);
		uint32_t first = halving_blocks(&h, h.number, bit, &ours);
		uint32_t their_first = halving_blocks(&h, other, bit, &theirs);
		pass(m, peer, gathers ? first : 0, gathers ? ours : m->n, !gathers);
		take(m, peer, gathers ? their_first : 0, gathers ? theirs : m->n, !gathers);
	}
	if (out)
		take(m, m->me + 1, 0, m->n, false);
	else if (paired)
		pass(m, m->me - 1, 0, m->n, false);
}

/* Members whose number has the bit receive what those without it know. */
static void scan_by_doubling(const struct member *m)
{
	for (uint32_t bit = 1; bit < m->n; bit <<= 1) {
		uint32_t peer = m->me ^ bit;
		if (peer >= m->n)
			continue;
		uint32_t first = m->me & ~(bit - 1), theirs = peer & ~(bit - 1);
		pass(m, peer, first, tree_below(m, bit, first), true);
		take(m, peer, theirs, tree_below(m, bit, theirs), true);
	}
}

/* ------------------------------------------------------------------ rings and chains */

/* Each block goes all around but for the last step; it ends, or begins, where it belongs. */
static void ring_reduce_scatter(const struct member *m)
{
	for (uint32_t k = 1; k < m->n; k++) {
		pass(m, at(m, 1), at(m, m->n - k), 1, true);
		take(m, at(m, m->n - 1), at(m, 2 * (uint64_t)m->n - k - 1), 1, true);
	}
}

static void ring_allgather(const struct member *m)
{
	for (uint32_t k = 0; k + 1 < m->n; k++) {
		pass(m, at(m, 1), at(m, m->n - k), 1, false);
		take(m, at(m, m->n - 1), at(m, 2 * (uint64_t)m->n - k - 1), 1, false);
	}
}

/* From the root through all others, each keeping what it is for; or the other way. */
static void chain_down(const struct member *m, bool own)
{
	if (m->me)
		take(m, m->me - 1, own ? number_of(m, m->me) : 0, own ? m->n - m->me : m->n, false);
	if (m->me + 1 < m->n)
		pass(m, m->me + 1, own ? number_of(m, m->me + 1) : 0, own ? m->n - m->me - 1 : m->n, false);
}

static void chain_up(const struct member *m, bool own)
{
	if (m->me + 1 < m->n)
		take(m, m->me + 1, own ? number_of(m, m->me + 1) : 0, own ? m->n - m->me - 1 : m->n, !own);
	if (m->me)
		pass(m, m->me - 1, own ? number_of(m, m->me) : 0, own ? m->n - m->me : m->n, !own);
}

static void chain_scan(const struct member *m)
{
	if (m->me)
		take(m, m->me - 1, 0, m->me, true);
	if (m->me + 1 < m->n)
		pass(m, m->me + 1, 0, m->me + 1, true);
}

/* ------------------------------------------------------------------ pairs */

/* What one member has for another: first block and how many. */
static void meant_for(const struct member *m, uint32_t from, uint32_t to, uint32_t *first, uint32_t *count)
{
	enum collective_kind kind = m->c->kind;
	bool of_receiver =
		kind == COLLECTIVE_ALLTOALL || kind == COLLECTIVE_REDUCE_SCATTER || kind == COLLECTIVE_SCATTER;
	bool of_sender = kind == COLLECTIVE_ALLGATHER || kind == COLLECTIVE_GATHER || kind == COLLECTIVE_SCAN ||
			 kind == COLLECTIVE_EXSCAN;
	*first = of_receiver ? number_of(m, to) : of_sender ? number_of(m, from) : 0;
	*count = of_receiver || of_sender ? 1 : m->n;
}

static bool has_something(const struct member *m, uint32_t from, uint32_t to)
{
	switch (m->c->kind) {
	case COLLECTIVE_BCAST:
	case COLLECTIVE_SCATTER:
		return from == 0;
	case COLLECTIVE_REDUCE:
	case COLLECTIVE_GATHER:
		return to == 0;
	case COLLECTIVE_SCAN:
	case COLLECTIVE_EXSCAN:
		return from < to;
	default:
		return true;
	}
}

static bool is_power_of_two(uint32_t n)
{
	return !(n & (n - 1));
}

/* shifts: a member sends to the one k further, not to the one that it receives from. */
static void by_pairs(const struct member *m, bool shifts)
{
	enum collective_kind kind = m->c->kind;
	bool combines = kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_ALLREDUCE ||
			kind == COLLECTIVE_REDUCE_SCATTER || kind == COLLECTIVE_SCAN || kind == COLLECTIVE_EXSCAN ||
			kind == COLLECTIVE_BARRIER;
	bool crosses = !shifts && is_power_of_two(m->n);
	for (uint32_t k = 1; k < m->n; k++) {
		uint32_t to = crosses ? m->me ^ k : at(m, k), from = crosses ? m->me ^ k : at(m, m->n - k), first,
			 count;
		if (has_something(m, m->me, to)) {
			meant_for(m, m->me, to, &first, &count);
			pass(m, to, first, count, combines);
		}
		if (has_something(m, from, m->me)) {
			meant_for(m, from, m->me, &first, &count);
			take(m, from, first, count, combines);
		}
	}
}

static void by_ring(const struct member *m)
{
	switch (m->c->kind) {
	case COLLECTIVE_BCAST:
		chain_down(m, false);
		return;
	case COLLECTIVE_SCATTER:
		chain_down(m, true);
		return;
	case COLLECTIVE_REDUCE:
		chain_up(m, false);
		return;
	case COLLECTIVE_GATHER:
		chain_up(m, true);
		return;
	case COLLECTIVE_ALLGATHER:
		ring_allgather(m);
		return;
	case COLLECTIVE_REDUCE_SCATTER:
		ring_reduce_scatter(m);
		return;
	case COLLECTIVE_SCAN:
	case COLLECTIVE_EXSCAN:
		chain_scan(m);
		return;
	case COLLECTIVE_ALLTOALL:
		by_pairs(m, true);
		return;
	default: /* ALLREDUCE, BARRIER */
		ring_reduce_scatter(m);
		ring_allgather(m);
		return;
	}
}

void decompose(const struct collective_call *c, enum algorithm algorithm, const struct exchange_sink *sink)
{
	uint32_t root = collective_has_root(c->kind) ? c->root : 0;
	uint64_t steps = 0;
	struct member m = {c, sink, .n = c->members, .me = (c->me + c->members - root) % c->members, .root = root,
		.steps = &steps};
	bool scan = c->kind == COLLECTIVE_SCAN || c->kind == COLLECTIVE_EXSCAN;
	switch (algorithm) {
	case ALGORITHM_BINOMIAL:
		by_tree(&m);
		return;
	case ALGORITHM_DOUBLING:
		(scan ? scan_by_doubling : by_doubling)(&m);
		return;
	case ALGORITHM_RING:
		by_ring(&m);
		return;
	default:
		by_pairs(&m, false);
		return;
	}
}
