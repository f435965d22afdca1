/*
 * nlr.c -- tracenest nlr: any trace of numbers or words, one record a line, to loop nests, and
 * back; and how well it can be foretold.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "model/affine_positions.h"
#include "model/affine_text.h"
#include "model/lines.h"
#include "nlr/affine_nlr.h"
#include "nlr/nlr.h"
#include "nlr/predict.h"

static struct affine_nlr_options affine_options(const struct settings *s)
{
	return (struct affine_nlr_options){
		.window = affine_nlr_window(s->window), .repetitions = (unsigned)s->repetitions};
}

/* ------------------------------------------------------------------ a trace, record by record */

struct record {
	uint32_t shape, width;
	int64_t number[AFFINE_WIDTH];
};

static bool read_record(struct lines *lines, struct affine_shapes *shapes, struct record *record, struct error *error)
{
	const char *line = lines_next(lines, error);
	if (line)
		record->shape = affine_shapes_line(shapes, line, strlen(line), &record->width, record->number);
	return line != NULL;
}

static struct affine_nest *recognize(
	const struct settings *s, struct lines *lines, struct affine_shapes *shapes, struct error *error)
{
	struct affine_nlr_options options = affine_options(s);
	struct affine_nlr *r = affine_nlr_new(&options);
	struct record record;
	while (read_record(lines, shapes, &record, error))
		affine_nlr_push(r, record.shape, record.width, record.number);
	return affine_nlr_finish(r);
}

/* ------------------------------------------------------ loops of constant counts (--affine=off) */

static void plain_node(const struct nest *from, node n, size_t depth, struct arena *arena, struct affine_node *to)
{
	*to = (struct affine_node){.shape = n};
	if (!node_is_loop(n))
		return;
	struct body body = nest_body(from, n);
	to->shape = AFFINE_LOOP;
	to->length = body.length;
	to->value = arena_alloc(arena, (1 + depth) * sizeof *to->value);
	memset(to->value, 0, (1 + depth) * sizeof *to->value);
	to->value[0] = (int64_t)nest_get(from, n)->count;
	to->body = arena_alloc(arena, body.length * sizeof *to->body);
	for (size_t i = 0; i < body.length; i++)
		plain_node(from, body.node[i], depth + 1, arena, &to->body[i]);
}

static struct affine_nest *recognize_plainly(const struct settings *s, struct lines *lines,
	struct affine_shapes *shapes, struct report *report, struct error *error)
{
	struct nlr_options options = {.window = s->window, .repetitions = (unsigned)s->repetitions};
	struct nlr *r = nlr_new(&options);
	struct record record;
	while (read_record(lines, shapes, &record, error))
		nlr_push(r, record.shape);
	if (nlr_window_hit(r))
		report_say(
			report, "repetitions longer than the window may have been missed: consider a larger --window");
	struct nest *plain = nlr_finish(r);
	struct affine_nest *nest = affine_nest_new();
	for (size_t i = 0; i < plain->root_length; i++) {
		struct affine_node top;
		plain_node(plain, plain->root[i], 0, nest->arena, &top);
		affine_nest_append(nest, &top);
	}
	nest_free(plain);
	return nest;
}

static bool make_nest(const struct settings *s, struct lines *lines, struct affine_shapes *shapes, struct output *out,
	struct report *report, struct error *error)
{
	struct affine_nest *nest = s->affine == AFFINE_ON ? recognize(s, lines, shapes, error)
							  : recognize_plainly(s, lines, shapes, report, error);
	bool good = error->kind == ERROR_NONE;
	uint64_t records = lines_number(lines);
	char all[32], constructs[32];
	if (good)
		affine_print(nest, shapes, records, s->positions, out);
	bool written = output_finish(out, good, error);
	if (good) {
		report_say(report, "%s records, %s constructs", grouped(records, all),
			grouped(affine_constructs(nest->root, nest->length), constructs));
		report_close(report, records, "records");
	}
	affine_nest_free(nest);
	return written;
}

/* ------------------------------------------------------------------ and back */

static bool run_nest(const struct affine_nest *nest, const struct affine_shapes *shapes, uint64_t expected,
	struct output *out, struct error *error)
{
	struct affine_walk *walk = affine_walk_new(nest);
	struct text text = {0};
	uint32_t shape;
	const int64_t *number;
	uint64_t records = 0;
	while (!output_failed(out) && affine_walk_next(walk, &shape, &number)) {
		affine_shapes_print(shapes, shape, number, &text);
		records++;
		output_text(out, &text);
	}
	bool good = true;
	if (affine_walk_overflowed(walk))
		good = error_set(error, ERROR_INCONSISTENT, "record %" PRIu64 ": a number beyond 64 bits", records);
	else if (affine_walk_idle(walk))
		good = error_set(error, ERROR_INCONSISTENT,
			"after record %" PRIu64 ": %d iterations without any record", records, AFFINE_IDLE_LIMIT);
	else if (!output_failed(out) && expected != UINT64_MAX && records != expected)
		good = error_set(error, ERROR_INCONSISTENT,
			"the nest says that it has %" PRIu64 " records, but has %" PRIu64, expected, records);
	text_clear(&text);
	affine_walk_free(walk);
	return good;
}

static bool expand_nest(const struct settings *s, struct error *error)
{
	struct affine_shapes *shapes = affine_shapes_new(true);
	uint64_t records;
	struct affine_nest *nest = affine_read(s->argument[0], shapes, &records, error);
	struct output *out = nest ? output_open(s->output, error) : NULL;
	bool good = out && output_finish(out, run_nest(nest, shapes, records, out, error), error);
	affine_nest_free(nest);
	affine_shapes_free(shapes);
	return good;
}

/* ------------------------------------------------------------------ predictions */

/* What was foretold for the records to come, by distance: the hash of a record for each place, in a
   ring as long as the distance. */
struct forecast {
	uint64_t *told[PREDICT_DISTANCES];
	uint64_t right[PREDICT_DISTANCES];
	unsigned distances;
	uint64_t records;
};

static uint64_t hash_record(uint32_t shape, uint32_t width, const int64_t *number)
{
	uint64_t hash = hash_pair(shape, width ? hash_bytes(number, width * sizeof *number) : 1);
	return hash ? hash : 1; /* 0: nothing was foretold */
}

static void compare(struct forecast *f, const struct record *record)
{
	uint64_t came = hash_record(record->shape, record->width, record->number);
	for (unsigned k = 0; k < f->distances; k++)
		f->right[k] += f->told[k][f->records & ((UINT64_C(1) << k) - 1)] == came;
	f->records++;
}

static void foretell(struct forecast *f, struct predictor *p)
{
	struct record next;
	for (unsigned k = 0; k < f->distances; k++) {
		bool known = predictor_ahead(p, k, &next.shape, &next.width, next.number);
		uint64_t *told = &f->told[k][(f->records + (UINT64_C(1) << k) - 1) & ((UINT64_C(1) << k) - 1)];
		*told = known ? hash_record(next.shape, next.width, next.number) : 0;
	}
}

static void print_forecast(const struct forecast *f, struct output *out)
{
	output_format(out, "%8s %14s %9s   of %" PRIu64 " records\n", "distance", "right", "share", f->records);
	for (unsigned k = 0; k < f->distances; k++)
		output_format(out, "%8" PRIu64 " %14" PRIu64 " %7.2f %%\n", UINT64_C(1) << k, f->right[k],
			f->records ? 100 * (double)f->right[k] / (double)f->records : 0);
}

static bool predict(const struct settings *s, struct lines *lines, struct affine_shapes *shapes, struct output *out,
	struct report *report, struct error *error)
{
	struct forecast f = {0};
	for (; f.distances < PREDICT_DISTANCES && UINT64_C(1) << f.distances <= s->predict; f.distances++)
		f.told[f.distances] = mem_zero(sizeof(uint64_t) << f.distances);
	struct affine_nlr_options options = affine_options(s);
	struct predictor *p = predictor_new(&options, f.distances);
	struct record record;
	while (read_record(lines, shapes, &record, error)) {
		compare(&f, &record);
		predictor_push(p, record.shape, record.width, record.number);
		foretell(&f, p);
	}
	bool good = error->kind == ERROR_NONE;
	if (good) {
		print_forecast(&f, out);
		report_close(report, f.records, "records");
	}
	good = output_finish(out, good, error);
	predictor_free(p);
	for (unsigned k = 0; k < f.distances; k++)
		free(f.told[k]);
	return good;
}

/* ------------------------------------------------------------------ the verb */

static bool check_options(const struct settings *s, struct error *error)
{
	bool plain = s->affine == AFFINE_OFF && !s->predict;
	if (s->expand && (s->predict || s->positions))
		return error_set(error, ERROR_INPUT, "--expand goes with neither --predict nor --positions");
	if (s->predict && s->positions)
		return error_set(error, ERROR_INPUT, "--predict does not go with --positions");
	if (!plain && s->repetitions < 3)
		return error_set(error, ERROR_INPUT,
			"--repetitions %" PRIu64
			": three copies at least show how numbers advance (--affine off does with two)",
			s->repetitions);
	if (s->repetitions > NLR_REPETITIONS_MOST)
		return error_set(error, ERROR_INPUT, "--repetitions %" PRIu64 ": at most %d", s->repetitions,
			NLR_REPETITIONS_MOST);
	return true;
}

bool verb_nlr(const struct settings *settings, struct report *report, struct error *error)
{
	if (!check_options(settings, error))
		return false;
	if (settings->expand) {
		idle_say(report, settings, OPTIONS(OPTIONS_NLR, OPTION_AFFINE), "a nest is read, and none is made");
		return expand_nest(settings, error);
	}
	struct lines *lines = lines_open(settings->argument[0], TEXT_ANY, error);
	struct output *out = lines ? output_open(settings->output, error) : NULL;
	struct affine_shapes *shapes = affine_shapes_new(settings->affine == AFFINE_ON);
	if (out)
		*error = (struct error){0};
	bool good = out && (settings->predict ? predict : make_nest)(settings, lines, shapes, out, report, error);
	affine_shapes_free(shapes);
	lines_close(lines);
	return good;
}
