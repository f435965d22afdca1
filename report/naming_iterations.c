/*
 * naming_iterations.c -- which iterations stand apart.
 *
 * Tried in this order, the first that holds:
 * 1. two heaps, with a gap between them that is wide beside their distance: the upper one;
 * 2. where a line explains most of the variance, a step that explains more: what is before or
 *    behind it;
 * 3. else the line: a trend;
 * 4. those far above the median, measured by the median distance from it;
 * 5. a step that explains most of the variance;
 * 6. a period whose iterations explain half of the variance.
 * What stands apart must matter: it must carry half of what lies above the others, and a part of
 * all that is lost.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "report/naming.h"

#define TREND_EXPLAINED 0.6
#define TREND_CHANGE 0.5
#define STEP_LEAST 3 /* iterations on either side */
#define PERIOD_EXPLAINED 0.5
#define PERIOD_LIMIT 64
#define FAR 5.0 /* median distances that are far */
#define MINOR 0.15 /* of the largest excess: does not count beside it */
#define MATTERS 0.1 /* of all */

struct bins {
	const double *value;
	size_t length;
	double *sorted;
	double total;
	double ratio; /* by how much those apart must exceed the others */
	bool *apart;
	size_t count; /* of those apart */
};

static double median_of(const double *sorted, size_t n)
{
	return n == 0 ? 0 : n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* -------------------------------------------------- values that stand apart */

struct power_sums {
	double n, sum, squares;
};

static void power_sums_add(struct power_sums *m, double value)
{
	m->n++;
	m->sum += value;
	m->squares += value * value;
}

static double power_sums_deviation(const struct power_sums *m) /* the sum of squared deviations */
{
	double deviation = m->n > 0 ? m->squares - m->sum * m->sum / m->n : 0;
	return deviation > 0 ? deviation : 0;
}

size_t stand_apart(const double *value, size_t n, double least, double *limit)
{
	double *sorted = mem_array(n + 1, sizeof *sorted), widest = 0;
	size_t cut = 0;
	memcpy(sorted, value, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, compare_double);
	for (size_t k = 1; k <= n / 2; k++)
		if (sorted[n - k] - sorted[n - k - 1] > widest) {
			widest = sorted[n - k] - sorted[n - k - 1];
			cut = k;
		}
	struct power_sums lower = {0}, upper = {0};
	for (size_t i = 0; i < n; i++)
		power_sums_add(i < n - cut ? &lower : &upper, sorted[i]);
	double spread =
		n > 2 ? sqrt((power_sums_deviation(&lower) + power_sums_deviation(&upper)) / (double)(n - 2)) : 0;
	if (!cut || widest < least || widest < 1.5 * spread)
		cut = 0;
	if (cut)
		*limit = sorted[n - cut];
	free(sorted);
	return cut;
}

/* ------------------------------------------------------------------ tests of bins */

/* Those of at least `limit` are apart. */
static void take_above(struct bins *b, double limit)
{
	b->count = 0;
	for (size_t i = 0; i < b->length; i++) {
		b->apart[i] = b->value[i] >= limit;
		b->count += b->apart[i];
	}
}

/* Do those apart carry what lies above the others? */
static bool they_matter(struct bins *b)
{
	double upper = 0, lower = 0, above = 0, theirs = 0;
	b->count = 0;
	for (size_t i = 0; i < b->length; i++) {
		*(b->apart[i] ? &upper : &lower) += b->value[i];
		b->count += b->apart[i];
	}
	size_t others = b->length - b->count;
	if (!b->count || !others)
		return false;
	double usual = lower / (double)others;
	for (size_t i = 0; i < b->length; i++) {
		double more = b->value[i] > usual ? b->value[i] - usual : 0;
		above += more;
		theirs += b->apart[i] ? more : 0;
	}
	return theirs >= 0.5 * above && theirs >= MATTERS * fabs(b->total) &&
	       upper / (double)b->count >= b->ratio * usual;
}

/* The distance from the median that half of the values do not exceed, as a standard deviation. */
static double usual_distance(const double *value, size_t n, double median)
{
	double *distance = mem_array(n + 1, sizeof *distance);
	for (size_t i = 0; i < n; i++)
		distance[i] = fabs(value[i] - median);
	qsort(distance, n, sizeof *distance, compare_double);
	double usual = 1.4826 * median_of(distance, n);
	free(distance);
	return usual;
}

double series_distance(const double *value, size_t n)
{
	double *sorted = mem_copy(value, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, compare_double);
	double distance = usual_distance(value, n, median_of(sorted, n));
	free(sorted);
	return distance;
}

/* The lowest value that is far above the median and not minor beside the largest. */
static double far_limit(const struct bins *b)
{
	double median = median_of(b->sorted, b->length), most = b->sorted[b->length - 1];
	double limit = median + FAR * usual_distance(b->value, b->length, median),
	       minor = median + MINOR * (most - median);
	double least = median + (b->ratio - 1) * fabs(median);
	limit = limit > minor ? limit : minor;
	return limit > least ? limit : least;
}

static bool two_heaps(struct bins *b)
{
	double limit = 0, upper = 0, lower = 0;
	size_t n = b->length, k = stand_apart(b->value, n, 0, &limit);
	if (!k)
		return false;
	for (size_t i = 0; i < n; i++)
		*(i < n - k ? &lower : &upper) += b->sorted[i];
	if (b->sorted[n - k] - b->sorted[n - k - 1] < 0.5 * (upper / (double)k - lower / (double)(n - k)))
		return false;
	/* What is far above the median belongs to them. */
	double far = far_limit(b);
	take_above(b, far < limit ? far : limit);
	if (b->count > n / 2)
		take_above(b, limit);
	return they_matter(b);
}

static bool far_above(struct bins *b)
{
	double limit = far_limit(b);
	if (limit <= median_of(b->sorted, b->length))
		return false;
	take_above(b, limit);
	return b->count <= b->length / 2 && they_matter(b);
}

/* explained: how much of the variance; the line is a trend if that is enough, and steep. */
static bool line_through(const struct bins *b, double *first, double *last, double *explained)
{
	double n = (double)b->length, middle = (n - 1) / 2, mean = b->total / n, xx = 0, xy = 0, yy = 0;
	*explained = 0;
	if (b->length < 5)
		return false;
	for (size_t i = 0; i < b->length; i++) {
		double x = (double)i - middle, y = b->value[i] - mean;
		xx += x * x;
		xy += x * y;
		yy += y * y;
	}
	double slope = xy / xx;
	*first = mean - slope * middle;
	*last = mean + slope * middle;
	*explained = yy > 0 ? xy * xy / (xx * yy) : 0;
	return *explained > TREND_EXPLAINED && fabs(*last - *first) > TREND_CHANGE * (b->ratio - 1) / 0.5 * fabs(mean);
}

/* From one iteration on it is more, or up to one: does that explain more of the variance than a
   line does? */
static bool step_up_or_down(struct bins *b, double line)
{
	double variance = 0, before = 0, most = TREND_EXPLAINED > line ? TREND_EXPLAINED : line;
	double n = (double)b->length, mean = b->total / n;
	size_t cut = 0;
	bool down = false;
	for (size_t i = 0; i < b->length; i++)
		variance += (b->value[i] - mean) * (b->value[i] - mean);
	for (size_t i = 1; i < b->length; i++) {
		double k = (double)i;
		before += b->value[i - 1];
		double more = (b->total - before) / (n - k) - before / k;
		double part = variance > 0 ? k * (n - k) / n * more * more / variance : 0;
		if (i < STEP_LEAST || i + STEP_LEAST > b->length || part <= most)
			continue;
		most = part;
		cut = i;
		down = more < 0;
	}
	if (!cut)
		return false;
	for (size_t i = 0; i < b->length; i++)
		b->apart[i] = (i < cut) == down;
	return they_matter(b);
}

/* How much of the variance is that every period-th bin from phase on differs from the others;
   negative where these are the lower ones. */
static double explained(const struct bins *b, size_t period, size_t phase, double variance)
{
	double upper = 0, n = (double)b->length, k = 0;
	for (size_t i = phase; i < b->length; i += period, k++)
		upper += b->value[i];
	double more = upper / k - (b->total - upper) / (n - k);
	return variance > 0 ? k * (n - k) / n * more * fabs(more) / variance : 0;
}

static bool periodic(struct bins *b)
{
	struct power_sums all = {0};
	double best = PERIOD_EXPLAINED;
	size_t period = 0, first = 0;
	for (size_t i = 0; i < b->length; i++)
		power_sums_add(&all, b->value[i]);
	for (size_t p = 2; p <= PERIOD_LIMIT && p * 3 <= b->length; p++)
		for (size_t phase = 0; phase < p; phase++) {
			double share = explained(b, p, phase, power_sums_deviation(&all));
			if (share > best) {
				best = share;
				period = p;
				first = phase;
			}
		}
	if (!period)
		return false;
	for (size_t i = 0; i < b->length; i++)
		b->apart[i] = i % period == first;
	return they_matter(b);
}

/* ------------------------------------------------------------------ what they are */

/* Are those apart equally far from each other, from one end to the other? */
static bool equally_far(const struct bins *b, size_t first, size_t last, size_t *period)
{
	if (b->count < 3 || (last - first) % (b->count - 1))
		return false;
	*period = (last - first) / (b->count - 1);
	for (size_t i = first; i <= last; i += *period)
		if (!b->apart[i])
			return false;
	return *period > 1 && first <= *period && last + *period >= b->length;
}

/* Of those that are equally far from each other so many are apart, and of those apart so many are
   equally far: the others are outliers. */
#define REGULAR 0.8

/* A period in spite of a few outliers: then those of the period are apart. Iteration 0 is not, if
   it was not: what ends iterations may be told as of the next. */
static void take_period(struct bins *b)
{
	for (size_t p = 2; p <= PERIOD_LIMIT && p * ITERATIONS_RECUR <= b->length; p++)
		for (size_t phase = 0; phase < p; phase++) {
			size_t hits = 0, slots = 0;
			for (size_t i = phase; i < b->length; i += p, slots++)
				hits += b->apart[i];
			if (hits < ITERATIONS_RECUR || (double)hits < REGULAR * (double)slots ||
				(double)hits < REGULAR * (double)b->count)
				continue;
			bool without = phase == 0 && !b->apart[0];
			for (size_t i = 0; i < b->length; i++)
				b->apart[i] = i % p == phase && !(without && i == 0);
			b->count = slots - without;
			return;
		}
}

static void describe_apart(struct bins *b, const struct iteration_series *s, struct named_iterations *names)
{
	size_t first = SIZE_MAX, last = 0, period = 1, listed = 0;
	take_period(b);
	names->count = 0;
	double theirs = 0;
	uint64_t others = 0;
	for (size_t i = 0; i < b->length; i++) {
		uint64_t width = i + 1 < b->length ? s->width : s->iterations - i * s->width;
		if (!b->apart[i]) {
			others += width;
			continue;
		}
		names->count += width;
		if (listed < ITERATIONS_LISTED)
			names->listed[listed++] = i * s->width;
		first = first == SIZE_MAX ? i : first;
		last = i;
		theirs += b->value[i];
	}
	names->first = first * s->width;
	names->last = last * s->width + s->width - 1;
	if (names->last >= s->iterations)
		names->last = s->iterations - 1;
	names->each = theirs / (double)names->count;
	names->others = (b->total - theirs) / (double)others;
	if (last - first + 1 == b->count && first == 0)
		names->kind = ITERATIONS_FIRST;
	else if (last - first + 1 == b->count && b->count > 2)
		names->kind = ITERATIONS_RANGE;
	else if (equally_far(b, first, last, &period))
		names->kind = ITERATIONS_EVERY;
	else
		names->kind = ITERATIONS_FEW;
	names->period = period * s->width;
}

static struct named_iterations name_apart(const struct iteration_series *s, double ratio, bool *apart)
{
	struct named_iterations names = {.total = s->iterations, .width = s->width, .count = s->iterations};
	struct bins b = {.value = s->value, .length = s->length, .ratio = ratio};
	double first, last, explained;
	for (size_t i = 0; i < s->length; i++)
		b.total += s->value[i];
	names.each = s->iterations ? b.total / (double)s->iterations : 0;
	for (size_t i = 0; apart && i < s->length; i++)
		apart[i] = true;
	if (s->length < 3)
		return names;
	b.sorted = mem_copy(s->value, s->length * sizeof *b.sorted);
	b.apart = mem_zero(s->length * sizeof *b.apart);
	qsort(b.sorted, s->length, sizeof *b.sorted, compare_double);
	bool line = line_through(&b, &first, &last, &explained);
	if (two_heaps(&b) || (line && step_up_or_down(&b, explained))) {
		describe_apart(&b, s, &names);
	} else if (line) {
		names.kind = ITERATIONS_TREND;
		names.from = (first > 0 ? first : 0) / (double)s->width;
		names.to = (last > 0 ? last : 0) / (double)s->width;
		names.last = s->iterations - 1;
	} else if (far_above(&b) || step_up_or_down(&b, explained) || periodic(&b)) {
		describe_apart(&b, s, &names);
	}
	if (apart && names.kind != ITERATIONS_ALL && names.kind != ITERATIONS_TREND)
		memcpy(apart, b.apart, s->length * sizeof *apart);
	free(b.sorted);
	free(b.apart);
	return names;
}

struct named_iterations iterations_name(const struct iteration_series *s, bool *apart)
{
	return name_apart(s, 1.5, apart);
}

bool iterations_have(const struct named_iterations *x, uint64_t iteration)
{
	return x->kind == ITERATIONS_ALL ||
	       (x->kind == ITERATIONS_EVERY && iteration >= x->first && (iteration - x->first) % x->period == 0);
}

/* ------------------------------------------------------------------ times of iterations */

struct variation variation_name(const struct iteration_series *times, bool *apart)
{
	struct variation v = {.iterations = name_apart(times, 1.2, apart)};
	double width = (double)times->width, base;
	if (v.iterations.kind == ITERATIONS_ALL)
		return v;
	double *sorted = mem_copy(times->value, times->length * sizeof *sorted);
	qsort(sorted, times->length, sizeof *sorted, compare_double);
	v.median = median_of(sorted, times->length) / width;
	for (size_t i = 0; i < times->length; i++)
		if (times->value[i] > v.median * width)
			v.loss += times->value[i] - v.median * width;
	bool trend = v.iterations.kind == ITERATIONS_TREND;
	base = trend ? v.iterations.from : v.iterations.others;
	v.factor = base > 0 ? (trend ? v.iterations.to : v.iterations.each) / base : INFINITY;
	free(sorted);
	return v;
}

/* ------------------------------------------------------------------ words */

static void put_listed(const struct named_iterations *x, struct text *out)
{
	size_t listed = x->count / x->width < ITERATIONS_LISTED ? (size_t)(x->count / x->width) : ITERATIONS_LISTED;
	for (size_t i = 0; i < listed; i++) {
		bool end = i + 1 == listed && listed == x->count / x->width;
		text_format(out, "%s%" PRIu64, i == 0 ? "" : end ? " and " : ", ", x->listed[i]);
		if (x->width > 1)
			text_format(out, "-%" PRIu64, x->listed[i] + x->width - 1);
	}
	text_format(out, "%s of %" PRIu64, listed < x->count / x->width ? " ..." : "", x->total);
}

void iterations_print(const struct named_iterations *x, double seconds, struct text *out)
{
	switch (x->kind) {
	case ITERATIONS_ALL:
		text_format(out, "all %" PRIu64, x->total);
		break;
	case ITERATIONS_FEW:
		put_listed(x, out);
		break;
	case ITERATIONS_FIRST:
		if (x->last)
			text_format(out, "the first %" PRIu64 " of %" PRIu64 ": 0-%" PRIu64, x->last + 1, x->total,
				x->last);
		else
			text_format(out, "the first of %" PRIu64 ": 0", x->total);
		if (x->unseen)
			text_put(out, " (the beginning of 0 is not recorded)");
		break;
	case ITERATIONS_RANGE:
		text_format(out, "%" PRIu64 "-%" PRIu64 " of %" PRIu64, x->first, x->last, x->total);
		break;
	case ITERATIONS_EVERY:
		text_put(out, "every ");
		text_ordinal(out, x->period);
		text_format(out, ": %" PRIu64 ", %" PRIu64 ", %" PRIu64 "%s (%" PRIu64 " of %" PRIu64 ")", x->first,
			x->first + x->period, x->first + 2 * x->period,
			x->last > x->first + 2 * x->period ? " ..." : "", x->count, x->total);
		break;
	case ITERATIONS_TREND:
		text_format(out, "all %" PRIu64 ", %s %s -> %s", x->total, x->to > x->from ? "growing" : "shrinking",
			seconds_of(x->from * seconds).words, seconds_of(x->to * seconds).words);
		break;
	}
}
