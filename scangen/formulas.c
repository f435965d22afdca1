/*
 * formulas.c -- sums are added up while the scanner runs, each from where it was last: loops visit
 * their iterations in order, so this costs what the loops cost.
 */
#include "scangen/formulas.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct formulas formulas_with(const struct module *m, const struct unknowns *unknowns)
{
	return (struct formulas){.unknowns = unknowns,
		.numbers = {.grid = &m->grid,
			.processes = m->processes,
			.store = m->store,
			.loops = unknowns_loops(unknowns)}};
}

void formulas_clear(struct formulas *f)
{
	c_text_clear(&f->numbers);
	text_clear(&f->functions);
	free(f->written);
	*f = (struct formulas){0};
}

static bool is_unknown(uint16_t variable)
{
	return variable >= POLYNOMIAL_OTHERS;
}

bool formulas_has_unknowns(const struct polynomial *p)
{
	for (size_t i = 0; i < p->terms; i++)
		for (size_t k = 0; k < p->term[i].degree; k++)
			if (is_unknown(p->term[i].index[k]))
				return true;
	return false;
}

bool formulas_ask_process(const struct formulas *f, const struct polynomial *p)
{
	for (size_t i = 0; i < p->terms; i++)
		for (size_t k = 0; k < p->term[i].degree; k++)
			if (is_unknown(p->term[i].index[k]) && unknowns_get(f->unknowns, p->term[i].index[k])->process)
				return true;
	return false;
}

static void put_variable(const void *context, uint16_t variable, struct text *out);

void formulas_put(struct formulas *f, const struct polynomial *p, struct text *out)
{
	polynomial_print_with(p, true, &(struct polynomial_others){.context = f, .print = put_variable}, out);
}

/* What an unknown depends on: "p, i0", or with a type before each. */
static void put_parameters(const struct unknown *x, const char *type, struct text *out)
{
	const char *before = "";
	if (x->process) {
		text_format(out, "%sp", type);
		before = ", ";
	}
	for (unsigned d = 0; d < 64; d++) {
		if (!(x->indices >> d & 1))
			continue;
		text_format(out, "%s%si%u", before, type, d);
		before = ", ";
	}
	if (!*before && *type)
		text_put(out, "void");
}

static void put_text(struct formulas *f, uint16_t variable, struct text *out)
{
	struct polynomial one = {
		.term = &(struct polynomial_term){.coefficient = 1, .degree = 1, .index = {variable}}, .terms = 1};
	text_put(out, "/* ");
	unknowns_print(f->unknowns, &one, out);
	text_put(out, " */\n");
}

static void put_count(struct formulas *f, const struct unknown *x, struct text *out)
{
	struct text expression = {0};
	struct c_text *c = &f->numbers;
	memset(c->axis, 0, sizeof c->axis);
	bool count = x->is.kind == UNKNOWN_COUNT;
	if (count)
		c_number(c, x->is.node, &expression);
	else
		(x->is.kind == UNKNOWN_TEST ? c_test : c_inside)(c, x->is.node, &expression);
	for (uint32_t i = 0; i < c->grid->axes; i++) {
		if (!c->axis[i])
			continue;
		text_format(out, "\tlong %c = ", c_axis(i));
		c_coordinate(c->grid, i, out);
		text_put(out, ";\n");
	}
	if (count)
		text_format(out, "\tlong count = %s;\n\treturn count > 0 ? count : 0;\n", expression.data);
	else
		text_format(out, "\treturn %s;\n", expression.data);
	text_clear(&expression);
}

/* On what its product depends but for the index, and the process. */
static uint64_t kept_indices(const struct formulas *f, const struct unknown *x)
{
	uint64_t indices = 0;
	for (size_t i = 0; i < x->is.product.degree; i++) {
		uint16_t variable = x->is.product.index[i];
		indices |=
			is_unknown(variable) ? unknowns_get(f->unknowns, variable)->indices : UINT64_C(1) << variable;
	}
	return indices & ~(UINT64_C(1) << x->is.index);
}

static void put_sum(struct formulas *f, const struct unknown *x, struct text *out)
{
	struct polynomial inside = {.term = (struct polynomial_term *)&x->is.product, .terms = 1};
	uint64_t kept = kept_indices(f, x);
	struct text n = {0}, name = {0};
	formulas_put(f, &x->n, &n);
	text_format(&name, "i%u", (unsigned)x->is.index);
	text_put(out, "\tstatic _Thread_local struct {\n\t\tlong n, sum");
	text_put(out, x->process ? ", p" : "");
	for (unsigned d = 0; d < 64; d++)
		if (kept >> d & 1)
			text_format(out, ", i%u", d);
	text_format(out, ";\n\t} known;\n\tlong n = %s;\n\tif (n < known.n", n.data);
	text_put(out, x->process ? " || known.p != p" : "");
	for (unsigned d = 0; d < 64; d++)
		if (kept >> d & 1)
			text_format(out, " || known.i%u != i%u", d, d);
	text_put(out, ") {\n\t\tknown.n = known.sum = 0;\n");
	text_put(out, x->process ? "\t\tknown.p = p;\n" : "");
	for (unsigned d = 0; d < 64; d++)
		if (kept >> d & 1)
			text_format(out, "\t\tknown.i%u = i%u;\n", d, d);
	text_put(out, "\t}\n");
	bool n_counts_on_own = x->indices >> x->is.index & 1;
	text_format(out,
		"\tfor (%s%s = known.n; %s < n; %s++, known.n++)\n\t\tknown.sum += ", n_counts_on_own ? "" : "long ",
		name.data, name.data, name.data);
	formulas_put(f, &inside, out);
	text_put(out, ";\n\treturn known.sum;\n");
	text_clear(&n);
	text_clear(&name);
}

static const char *function_of(const struct unknown *x)
{
	return x->is.kind == UNKNOWN_SUM ? "sum" : "count";
}

static void write_function(struct formulas *f, uint16_t variable)
{
	size_t at = variable - (size_t)POLYNOMIAL_OTHERS;
	const struct unknown *x = unknowns_get(f->unknowns, variable);
	if (at >= f->unknown) {
		f->written = mem_resize(f->written, at + 1, sizeof *f->written);
		memset(f->written + f->unknown, 0, (at + 1 - f->unknown) * sizeof *f->written);
		f->unknown = at + 1;
	}
	if (f->written[at])
		return;
	f->written[at] = true;
	struct text body = {0};
	(x->is.kind == UNKNOWN_SUM ? put_sum : put_count)(f, x, &body); /* writes what it calls */
	put_text(f, variable, &f->functions);
	text_format(&f->functions, "static long %s_%zu(", function_of(x), at);
	put_parameters(x, "long ", &f->functions);
	text_format(&f->functions, ")\n{\n%s}\n\n", body.data);
	text_clear(&body);
}

static void put_variable(const void *context, uint16_t variable, struct text *out)
{
	struct formulas *f = (struct formulas *)(uintptr_t)context;
	if (!is_unknown(variable)) {
		text_format(out, "i%u", variable);
		return;
	}
	write_function(f, variable);
	const struct unknown *x = unknowns_get(f->unknowns, variable);
	text_format(out, "%s_%d(", function_of(x), variable - POLYNOMIAL_OTHERS);
	put_parameters(x, "", out);
	text_char(out, ')');
}

void formulas_definitions(const struct formulas *f, struct text *out)
{
	if (!f->functions.length)
		return;
	c_text_definitions(&f->numbers, out);
	text_add(out, f->functions.data, f->functions.length);
}
