/*
 * decompose.c -- the algorithms. Members of rooted operations are counted from the root, so that it
 * is 0; blocks stay those of the members.
 */
#include "replay/decompose.h"

#include <string.h>

#include "ask/collective_names.h"

/* ------------------------------------------------------------------ kinds */

/* What an operation does. */
enum trait {
	COLLECTS = 1, /* all that is for the root, or for everybody, goes to one place first */
	SPREADS = 2, /* what is in one place goes to all */
	COMBINES = 4, /* what is collected is one sum; else each block stays what it is */
	SCANS = 8,
	OF_SENDER = 16, /* one member has its own block for another, or */
	OF_RECEIVER = 32, /* the block of the other; neither: all blocks */
	DOUBLES = 64 /* it can be done by recursive doubling; by rings and pairs, all */
};

static const struct kind {
	const char *name; /* as --collectives has it */
	const char *operation[3]; /* of MPI */
	enum algorithm usual;
	unsigned is; /* traits */
} kinds[COLLECTIVE_KINDS] = {
	[COLLECTIVE_BARRIER] = {"barrier", {"MPI_Barrier"}, ALGORITHM_DOUBLING,
		COLLECTS | SPREADS | COMBINES | DOUBLES},
	[COLLECTIVE_BCAST] = {"bcast", {"MPI_Bcast"}, ALGORITHM_BINOMIAL, SPREADS},
	[COLLECTIVE_REDUCE] = {"reduce", {"MPI_Reduce"}, ALGORITHM_BINOMIAL, COLLECTS | COMBINES},
	[COLLECTIVE_GATHER] = {"gather", {"MPI_Gather", "MPI_Gatherv"}, ALGORITHM_BINOMIAL, COLLECTS | OF_SENDER},
	[COLLECTIVE_SCATTER] = {"scatter", {"MPI_Scatter", "MPI_Scatterv"}, ALGORITHM_BINOMIAL, SPREADS | OF_RECEIVER},
	[COLLECTIVE_ALLREDUCE] = {"allreduce", {"MPI_Allreduce"}, ALGORITHM_DOUBLING,
		COLLECTS | SPREADS | COMBINES | DOUBLES},
	[COLLECTIVE_ALLGATHER] = {"allgather", {"MPI_Allgather", "MPI_Allgatherv"}, ALGORITHM_RING,
		COLLECTS | SPREADS | OF_SENDER | DOUBLES},
	[COLLECTIVE_REDUCE_SCATTER] = {"reduce_scatter", {"MPI_Reduce_scatter", "MPI_Reduce_scatter_block"},
		ALGORITHM_PAIRWISE, COLLECTS | SPREADS | COMBINES | OF_RECEIVER},
	[COLLECTIVE_ALLTOALL] = {"alltoall", {"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"}, ALGORITHM_PAIRWISE,
		OF_RECEIVER},
	[COLLECTIVE_SCAN] = {"scan", {"MPI_Scan"}, ALGORITHM_DOUBLING, COMBINES | SCANS | OF_SENDER | DOUBLES},
	[COLLECTIVE_EXSCAN] = {"exscan", {"MPI_Exscan"}, ALGORITHM_DOUBLING, COMBINES | SCANS | OF_SENDER | DOUBLES},
};

static bool is(enum collective_kind kind, unsigned trait)
{
	return kinds[kind].is & trait;
}

/* Trees are of what one place has. */
static bool can_be_done(enum collective_kind kind, enum algorithm by)
{
	return by == ALGORITHM_BINOMIAL   ? is(kind, COLLECTS | SPREADS)
	       : by == ALGORITHM_DOUBLING ? is(kind, DOUBLES)
					  : true;
}

bool collective_kind_of(const char *name, enum collective_kind *kind)
{
	const char *operation = collective_operation(name);
	for (int k = 0; k < COLLECTIVE_KINDS; k++)
		for (size_t i = 0; i < 3 && kinds[k].operation[i]; i++)
			if (!strcmp(operation, kinds[k].operation[i])) {
				*kind = (enum collective_kind)k;
				return true;
			}
	return false;
}

bool collective_has_root(enum collective_kind kind)
{
	return is(kind, COLLECTS) != is(kind, SPREADS);
}

/* ------------------------------------------------------------------ algorithms */

static const char *const names[ALGORITHMS] = {"binomial", "recursive-doubling", "ring", "pairwise"};

struct algorithms algorithms_usual(void)
{
	struct algorithms a;
	for (int k = 0; k < COLLECTIVE_KINDS; k++)
		a.of[k] = kinds[k].usual;
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
	while (equals && kind < COLLECTIVE_KINDS && !same(word, (size_t)(equals - word), kinds[kind].name))
		kind++;
	if (kind == COLLECTIVE_KINDS)
		return error_set(error, ERROR_INPUT,
			"--collectives: '%.*s' is no collective operation, as in allreduce=ring", (int)(equals - word),
			word);
	if (equals && !can_be_done((enum collective_kind)kind, (enum algorithm)which))
		return error_set(
			error, ERROR_INPUT, "--collectives: %s cannot be done by %s", kinds[kind].name, names[which]);
	for (int k = equals ? kind : 0; k <= (equals ? kind : COLLECTIVE_KINDS - 1); k++)
		if (can_be_done((enum collective_kind)k, (enum algorithm)which))
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
	enum collective_kind kind;
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
	if (m->kind == COLLECTIVE_BARRIER)
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
	x.bytes = is(m->kind, SCANS) ? block_bytes(m, 0, 0, m->n)
				     : block_bytes(m, sends ? number_of(m, m->me) : x.peer, first, count);
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

/* Each passes on the blocks of those below, or the sum. */
static void tree_up(const struct member *m)
{
	bool own = is(m->kind, OF_SENDER);
	for (uint32_t bit = 1; bit < m->n; bit <<= 1) {
		bool leaf = m->me & bit;
		uint32_t node = leaf ? m->me : m->me + bit;
		if (node >= m->n)
			continue;
		uint32_t first = own ? number_of(m, node) : 0, count = own ? tree_below(m, bit, node) : m->n;
		step(m, leaf, leaf ? m->me - bit : node, first, count, is(m->kind, COMBINES));
		if (leaf)
			return;
	}
}

static void tree_down(const struct member *m)
{
	bool own = is(m->kind, OF_RECEIVER);
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
	bool gathers = is(m->kind, OF_SENDER);
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

/* Each block goes all around but for the last step; it ends (combines), or begins, where it belongs. */
static void go_round(const struct member *m, bool combines)
{
	for (uint32_t i = 1; i < m->n; i++) {
		uint32_t k = i - !combines;
		pass(m, at(m, 1), at(m, m->n - k), 1, combines);
		take(m, at(m, m->n - 1), at(m, 2 * (uint64_t)m->n - k - 1), 1, combines);
	}
}

/* From the root through all others, or to it, each keeping what it is for. */
static void chain(const struct member *m)
{
	bool up = is(m->kind, COLLECTS), own = is(m->kind, OF_SENDER | OF_RECEIVER);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t below = m->me + (up ? !i : i); /* the one of the two that is further from the root */
		if (below && below < m->n)
			step(m, i, below == m->me ? m->me - 1 : below, own ? number_of(m, below) : 0,
				own ? m->n - below : m->n, is(m->kind, COMBINES));
	}
}

static void chain_scan(const struct member *m)
{
	if (m->me)
		take(m, m->me - 1, 0, m->me, true);
	if (m->me + 1 < m->n)
		pass(m, m->me + 1, 0, m->me + 1, true);
}

/* ------------------------------------------------------------------ pairs */

static bool has_something(const struct member *m, uint32_t from, uint32_t to)
{
	if (is(m->kind, SCANS))
		return from < to;
	return !collective_has_root(m->kind) || (is(m->kind, COLLECTS) ? to : from) == 0;
}

/* What one member has for another, if it has something. */
static void meet(const struct member *m, bool sends, uint32_t peer)
{
	uint32_t from = sends ? m->me : peer, to = sends ? peer : m->me;
	bool one = is(m->kind, OF_SENDER | OF_RECEIVER);
	if (has_something(m, from, to))
		step(m, sends, peer, one ? number_of(m, is(m->kind, OF_SENDER) ? from : to) : 0, one ? 1 : m->n,
			is(m->kind, COMBINES));
}

static bool is_power_of_two(uint32_t n)
{
	return !(n & (n - 1));
}

/* shifts: a member sends to the one k further, not to the one that it receives from. */
static void by_pairs(const struct member *m, bool shifts)
{
	bool crosses = !shifts && is_power_of_two(m->n);
	for (uint32_t k = 1; k < m->n; k++) {
		meet(m, true, crosses ? m->me ^ k : at(m, k));
		meet(m, false, crosses ? m->me ^ k : at(m, m->n - k));
	}
}

static void by_ring(const struct member *m)
{
	if (is(m->kind, SCANS)) {
		chain_scan(m);
	} else if (collective_has_root(m->kind)) {
		chain(m);
	} else if (!is(m->kind, COLLECTS)) {
		by_pairs(m, true);
	} else {
		if (is(m->kind, COMBINES))
			go_round(m, true);
		if (!is(m->kind, OF_RECEIVER))
			go_round(m, false);
	}
}

void decompose(const struct collective_call *c, enum algorithm algorithm, const struct exchange_sink *sink)
{
	uint32_t root = collective_has_root(c->kind) ? c->root : 0;
	uint64_t steps = 0;
	struct member m = {c, c->kind, sink, .n = c->members, .me = (c->me + c->members - root) % c->members,
		.root = root, .steps = &steps};
	if (algorithm == ALGORITHM_BINOMIAL && is(m.kind, COLLECTS))
		tree_up(&m);
	if (algorithm == ALGORITHM_BINOMIAL && is(m.kind, SPREADS))
		tree_down(&m);
	if (algorithm == ALGORITHM_DOUBLING)
		(is(m.kind, SCANS) ? scan_by_doubling : by_doubling)(&m);
	if (algorithm == ALGORITHM_RING)
		by_ring(&m);
	if (algorithm == ALGORITHM_PAIRWISE)
		by_pairs(&m, false);
}
