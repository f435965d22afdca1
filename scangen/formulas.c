/*
 * formulas.c -- sums are added up while the scanner runs, each from where it was last: loops visit
 * their iterations in order, so this costs what the loops cost.
 */
#include "scangen/formulas.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void formulas_clear(struct formulas *f)
{
	c_text_clear(&f->numbers);
	text_clear(&f->functions);
	free(f->written);
	*f = (struct formulas){0};
}

bool formulas_has_terms(const struct polynomial *p)
{
	for (size_t i = 0; i < p->terms; i++)
		for (size_t k = 0; k < p->term[i].degree; k++)
			if (p->term[i].index[k] >= POLYNOMIAL_OTHERS)
				return true;
	return false;
}

struct expression {
	struct formulas *formulas;
	uint64_t guards;
};

static void put_variable(const void *context, uint16_t variable, struct text *out);

static void put_expression(struct formulas *f, const struct polynomial *p, uint64_t guards, struct text *out)
{
	struct expression e = {f, guards};
	polynomial_print_with(p, true, &(struct polynomial_others){.context = &e, .print = put_variable}, out);
}

static const struct sum_term *term_of(const struct formulas *f, uint16_t variable)
{
	return terms_get(positions_terms(f->positions), variable);
}

bool formulas_ask_process(const struct formulas *f, const struct polynomial *p)
{
	for (size_t i = 0; i < p->terms; i++)
		for (size_t k = 0; k < p->term[i].degree; k++)
			if (p->term[i].index[k] >= POLYNOMIAL_OTHERS && term_of(f, p->term[i].index[k])->process)
				return true;
	return false;
}

/* What a term depends on: "p, i0", or with a type before each. */
static void put_parameters(const struct sum_term *t, uint64_t indices, const char *type, struct text *out)
{
	const char *before = "";
	if (t->process) {
		text_format(out, "%sp", type);
		before = ", ";
	}
	for (uint16_t d = 0; d < 64; d++) {
		if (!(indices >> d & 1))
			continue;
		text_format(out, "%s%si%u", before, type, terms_index(t->guards, d));
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
	terms_print(positions_terms(f->positions), &one, term_of(f, variable)->guards, out);
	text_put(out, " */\n");
}

static void put_count(struct formulas *f, const struct sum_term *t, struct text *out)
{
	struct value count = t->count;
	const struct grid *g = &f->program->grid;
	struct text expression = {0};
	struct c_text used = f->numbers;
	memset(used.axis, 0, sizeof used.axis);
	value_squeeze(&count, (uint32_t)t->guards);
	c_condition(&used, &count, &expression);
	for (uint32_t i = 0; i < g->axes; i++) {
		if (!used.axis[i])
			continue;
		text_format(out, "\tlong %c = ", "xyzw"[i]);
		c_coordinate(g, i, out);
		text_put(out, ";\n");
	}
	if (count.test)
		text_format(out, "\treturn %s;\n", expression.data);
	else
		text_format(out, "\tlong count = %s;\n\treturn count > 0 ? count : 0;\n", expression.data);
	f->numbers = used;
	text_clear(&expression);
}

/* On what its product depends but for the index, and the process. */
static uint64_t kept_indices(const struct formulas *f, const struct sum_term *t)
{
	uint64_t indices = 0;
	for (size_t i = 0; i < t->product.degree; i++) {
		uint16_t variable = t->product.index[i];
		indices |= variable < POLYNOMIAL_OTHERS ? UINT64_C(1) << variable : term_of(f, variable)->indices;
	}
	return indices & ~(UINT64_C(1) << t->index);
}

static void put_sum(struct formulas *f, const struct sum_term *t, struct text *out)
{
	struct polynomial inside = {.term = (struct polynomial_term *)&t->product, .terms = 1};
	uint64_t kept = kept_indices(f, t);
	unsigned own = terms_index(t->guards, t->index);
	bool n_counts_on_own = false;
	struct text n = {0}, name = {0};
	put_expression(f, &t->n, t->guards, &n);
	text_format(&name, "i%u", own);
	text_put(out, "\tstatic _Thread_local struct {\n\t\tlong n, sum");
	text_put(out, t->process ? ", p" : "");
	for (uint16_t d = 0; d < 64; d++)
		if (kept >> d & 1)
			text_format(out, ", i%u", terms_index(t->guards, d));
	text_format(out, ";\n\t} known;\n\tlong n = %s;\n\tif (n < known.n", n.data);
	if (t->process)
		text_put(out, " || known.p != p");
	for (uint16_t d = 0; d < 64; d++)
		if (kept >> d & 1)
			text_format(out, " || known.i%u != i%u", terms_index(t->guards, d), terms_index(t->guards, d));
	text_put(out, ") {\n\t\tknown.n = known.sum = 0;\n");
	text_put(out, t->process ? "\t\tknown.p = p;\n" : "");
	for (uint16_t d = 0; d < 64; d++)
		if (kept >> d & 1)
			text_format(
				out, "\t\tknown.i%u = i%u;\n", terms_index(t->guards, d), terms_index(t->guards, d));
	text_put(out, "\t}\n");
	n_counts_on_own = t->indices >> t->index & 1;
	text_format(out,
		"\tfor (%s%s = known.n; %s < n; %s++, known.n++)\n\t\tknown.sum += ", n_counts_on_own ? "" : "long ",
		name.data, name.data, name.data);
	put_expression(f, &inside, t->guards, out);
	text_put(out, ";\n\treturn known.sum;\n");
	text_clear(&n);
	text_clear(&name);
}

static void write_function(struct formulas *f, uint16_t variable)
{
	size_t at = variable - (size_t)POLYNOMIAL_OTHERS;
	const struct sum_term *t = term_of(f, variable);
	if (at >= f->terms) {
		f->written = mem_resize(f->written, at + 1, sizeof *f->written);
		memset(f->written + f->terms, 0, (at + 1 - f->terms) * sizeof *f->written);
		f->terms = at + 1;
	}
	if (f->written[at])
		return;
	f->written[at] = true;
	struct text body = {0};
	(t->is_sum ? put_sum : put_count)(f, t, &body); /* writes what it calls */
	put_text(f, variable, &f->functions);
	text_format(&f->functions, "static long %s_%zu(", t->is_sum ? "sum" : "count", at);
	put_parameters(t, t->indices, "long ", &f->functions);
	text_format(&f->functions, ")\n{\n%s}\n\n", body.data);
	text_clear(&body);
}

static void put_variable(const void *context, uint16_t variable, struct text *out)
{
	const struct expression *e = context;
	if (variable < POLYNOMIAL_OTHERS) {
		text_format(out, "i%u", terms_index(e->guards, variable));
		return;
	}
	write_function(e->formulas, variable);
	const struct sum_term *t = term_of(e->formulas, variable);
	text_format(out, "%s_%d(", t->is_sum ? "sum" : "count", variable - POLYNOMIAL_OTHERS);
	put_parameters(t, t->indices, "", out);
	text_char(out, ')');
}

void formulas_put(struct formulas *f, const struct polynomial *p, size_t loop, struct text *out)
{
	put_expression(f, p, positions_guards(f->positions, loop), out);
}

void formulas_definitions(const struct formulas *f, struct text *out)
{
	if (!f->functions.length)
		return;
	c_text_definitions(&f->numbers, out);
	text_add(out, f->functions.data, f->functions.length);
}
