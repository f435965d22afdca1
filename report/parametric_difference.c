/*
 * parametric_difference.c -- lines are aligned by what they do; then who does it, and what it
 * carries, are compared.
 */
#include "report/parametric_difference.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/alignment.h"
#include "base/mem.h"
#include "model/lines.h"

/* What lines have in common counts so much; at least the first. */
enum { SAME_VERB = 2, SAME_WHO = 1, SAME_DOING = 4, SAME_ALL = 16 };

/* Lines of both that are aligned with each other; of more, by their number. */
#define ALIGNED_MOST (UINT64_C(1) << 26)

static char *part(const char *from, const char *to)
{
	struct text text = {0};
	while (to > from && is_blank(to[-1]))
		to--;
	text_add(&text, from, (size_t)(to - from));
	return text.data;
}

static const char *find(const char *line, const char *what)
{
	const char *at = strstr(line, what);
	return at ? at : line + strlen(line);
}

/* Of the header: what is not of the runs. */
static const char *rule_of(const char *line)
{
	static const char *const rules[] = {"// processes ", "// rule ", "// or ", "// parameter "};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (!strncmp(line, rules[i], strlen(rules[i])))
			return line + strlen("// ");
	return NULL;
}

/* $n[y] = share(250,Y,y) */
struct definition_of_table {
	char *name, *formula; /* with the brackets around its arguments; "(...)" */
};

struct definitions {
	struct definition_of_table *table;
	size_t length, capacity;
};

/* Is the line the definition of a table by a formula? Names of tables are chance: formulas are
   compared. */
static bool defines(const char *line, struct definition_of_table *t)
{
	const char *at = behind_blanks(line), *equal = strstr(at, " = ");
	if (*at != '$' || !equal || !has_letter(equal))
		return false;
	if (t) {
		struct text formula = {0};
		text_format(&formula, "(%.*s)", (int)strcspn(equal + 3, "\n"), equal + 3);
		*t = (struct definition_of_table){part(at, equal), formula.data};
	}
	return true;
}

static void put_formulas(const struct definitions *all, const char *line, struct text *to)
{
	text_put(to, "");
	while (*line) {
		size_t i = 0, length = 0;
		for (; *line == '$' && i < all->length; i++)
			if (!strncmp(line, all->table[i].name, length = strlen(all->table[i].name)))
				break;
		bool found = *line == '$' && i < all->length;
		text_add(to, found ? all->table[i].formula : line, found ? strlen(all->table[i].formula) : 1);
		line += found ? length : 1;
	}
}

static void line_clear(struct parametric_line *l)
{
	free(l->whole);
	free(l->who);
	free(l->does);
	free(l->carries);
}

static void add_line(struct parametric_difference *d, int in, uint64_t number, uint32_t *depth, const char *line)
{
	const char *rule = rule_of(line), *at = behind_blanks(rule ? rule : line);
	const char *end = rule ? at + strlen(at) : find(at, "//");
	struct parametric_line l = {.number = number, .whole = part(at, end)};
	const char *bracket = *l.whole == '[' ? strchr(l.whole, ']') : NULL;
	const char *does = bracket ? behind_blanks(bracket + 1) : l.whole, *semicolon = find(does, " ; ");
	l.who = part(l.whole, bracket ? bracket + 1 : l.whole);
	l.does = part(does, semicolon);
	l.carries = part(behind_blanks(semicolon + (*semicolon ? strlen(" ; ") : 0)), semicolon + strlen(semicolon));
	bool closes = !strcmp(l.whole, "done");
	l.depth = *depth -= closes && *depth;
	*depth += text_begins_with(l.does, "for ") || text_begins_with(l.does, "if ") ||
		  text_begins_with(l.does, "procedure ");
	if (*l.whole && !closes) {
		*MEM_PUSH(d->line[in], d->lines[in], d->capacity[in]) = l;
		return;
	}
	line_clear(&l);
}

static void read_lines(struct parametric_difference *d, int in, const char *bytes, size_t length)
{
	struct error none = {0};
	struct definitions all = {0};
	struct definition_of_table t;
	struct text whole = {0};
	uint32_t depth = 0;
	struct lines *lines = lines_of("", bytes, length);
	for (char *line; (line = lines_next(lines, &none));)
		if (defines(line, &t))
			*MEM_PUSH(all.table, all.length, all.capacity) = t;
	lines_close(lines);
	lines = lines_of("", bytes, length);
	for (char *line; (line = lines_next(lines, &none));) {
		if (defines(line, NULL))
			continue;
		text_truncate(&whole, 0);
		put_formulas(&all, line, &whole);
		add_line(d, in, lines_number(lines), &depth, whole.data);
	}
	lines_close(lines);
	for (size_t i = 0; i < all.length; i++) {
		free(all.table[i].name);
		free(all.table[i].formula);
	}
	free(all.table);
	text_clear(&whole);
}

/* The word that says what kind of line it is: send, recv, sync, local; for, call; processes, $n. */
static const char *verb_of(const struct parametric_line *l, size_t *length)
{
	static const char *const verbs[] = {" send ", " recv ", " sync ", " local "};
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
		const char *at = strstr(l->does, verbs[i]);
		*length = strlen(verbs[i]);
		if (at)
			return at;
	}
	*length = strcspn(l->does, " ");
	return l->does;
}

/* A tag, or a collective's name, up to its number. */
static bool same_name(const struct parametric_line *a, const struct parametric_line *b)
{
	size_t la, lb;
	const char *va = verb_of(a, &la), *vb = verb_of(b, &lb);
	if (la != lb || memcmp(va, vb, la) != 0)
		return false;
	if (*va != ' ') /* a procedure and its calls have a name */
		return (strncmp(va, "call", 4) != 0 && strncmp(va, "procedure", 9) != 0) || !strcmp(a->does, b->does);
	bool message = !strncmp(va, " send ", 6) || !strncmp(va, " recv ", 6);
	const char *na = message ? strrchr(va + 1, ' ') : va + la, *nb = message ? strrchr(vb + 1, ' ') : vb + lb;
	size_t length = strcspn(na + message, message ? "0123456789{@" : " ");
	return !strncmp(na, nb, length + message);
}

static bool same_line(const struct parametric_line *a, const struct parametric_line *b)
{
	return a->depth == b->depth && !strcmp(a->whole, b->whole);
}

static uint32_t weigh(const void *context, size_t i, size_t k)
{
	const struct parametric_difference *d = context;
	const struct parametric_line *a = &d->line[0][i], *b = &d->line[1][k];
	if (same_line(a, b))
		return SAME_ALL;
	if (!same_name(a, b))
		return 0;
	return SAME_VERB + (strcmp(a->who, b->who) ? 0 : SAME_WHO) + (strcmp(a->does, b->does) ? 0 : SAME_DOING);
}

void parametric_difference_of(struct parametric_difference *d, const char *first, size_t first_length,
	const char *second, size_t second_length)
{
	*d = (struct parametric_difference){0};
	read_lines(d, 0, first, first_length);
	read_lines(d, 1, second, second_length);
	d->counterpart = mem_array(d->lines[0] + 1, sizeof *d->counterpart);
	if ((uint64_t)d->lines[0] * d->lines[1] <= ALIGNED_MOST)
		alignment_heaviest(d->lines[0], d->lines[1], weigh, d, d->counterpart);
	else
		for (size_t i = 0; i < d->lines[0]; i++)
			d->counterpart[i] = i < d->lines[1] && weigh(d, i, i) ? i : ALIGNMENT_NONE;
	d->only[1] = d->lines[1];
	for (size_t i = 0; i < d->lines[0]; i++) {
		bool alone = d->counterpart[i] == ALIGNMENT_NONE;
		bool same = !alone && same_line(&d->line[0][i], &d->line[1][d->counterpart[i]]);
		d->same += same;
		d->differing += !same && !alone;
		d->only[0] += alone;
		d->only[1] -= !alone;
	}
}

void parametric_difference_clear(struct parametric_difference *d)
{
	for (int in = 0; in < 2; in++) {
		for (size_t i = 0; i < d->lines[in]; i++)
			line_clear(&d->line[in][i]);
		free(d->line[in]);
	}
	free(d->counterpart);
}

/* ------------------------------------------------------------------ printing */

/* What is told of a pair, or of a line that stands alone (NULL). */
typedef void tell_line(void *context, const struct parametric_line *a, const struct parametric_line *b);

/* In the order of the first, those of the second where they stand between. */
static void tell_all(const struct parametric_difference *d, tell_line *tell, void *context)
{
	bool *met = mem_zero((d->lines[1] + 1) * sizeof *met);
	size_t next = 0;
	for (size_t i = 0; i < d->lines[0]; i++)
		if (d->counterpart[i] != ALIGNMENT_NONE)
			met[d->counterpart[i]] = true;
	for (size_t i = 0; i <= d->lines[0]; i++) {
		size_t k = i < d->lines[0] ? d->counterpart[i] : d->lines[1];
		for (; k != ALIGNMENT_NONE && next < k; next++)
			if (!met[next])
				tell(context, NULL, &d->line[1][next]);
		if (i < d->lines[0] && k == ALIGNMENT_NONE)
			tell(context, &d->line[0][i], NULL);
		else if (i < d->lines[0] && !same_line(&d->line[0][i], &d->line[1][k]))
			tell(context, &d->line[0][i], &d->line[1][k]);
	}
	free(met);
}

static void put_what(const struct parametric_line *a, const struct parametric_line *b, struct text *to)
{
	size_t start = to->length;
	const char *what = !strncmp(a->does, "for ", 4) ? "how often" : *a->does == '$' ? "a table" : "what";
	text_put(to, strcmp(a->who, b->who) ? "who" : "");
	if (strcmp(a->does, b->does) != 0)
		text_format(to, "%s%s", to->length > start ? ", " : "", what);
	if (strcmp(a->carries, b->carries) != 0)
		text_format(to, "%s%s", to->length > start ? ", " : "", "how much");
	if (a->depth != b->depth)
		text_format(to, "%s%s", to->length > start ? ", " : "", "in which loop");
}

static void print_one(void *context, const struct parametric_line *a, const struct parametric_line *b)
{
	struct text *to = context;
	if (a && b) {
		put_what(a, b, to);
		text_format(to, " differs: lines %" PRIu64 " and %" PRIu64 "\n", a->number, b->number);
	} else {
		text_format(to, "only in the %s: line %" PRIu64 "\n", a ? "first" : "second", (a ? a : b)->number);
	}
	if (a)
		text_format(to, "  < %s\n", a->whole);
	if (b)
		text_format(to, "  > %s\n", b->whole);
}

void parametric_difference_print(
	const struct parametric_difference *d, const char *first, const char *second, struct text *to)
{
	text_format(to, "%s and %s, for every number of processes: %zu lines are the same, %zu differ", first, second,
		d->same, d->differing);
	text_format(to, ", %zu only in the first, %zu only in the second\n", d->only[0], d->only[1]);
	tell_all(d, print_one, to);
}

static void put_line(struct json *j, const char *name, const struct parametric_line *l)
{
	if (!l)
		return;
	json_object(j, name, JSON_ROW);
	json_number(j, "line", l->number);
	json_string(j, "text", l->whole);
	json_close(j);
}

static void print_one_json(void *context, const struct parametric_line *a, const struct parametric_line *b)
{
	struct json *j = context;
	struct text what = {0};
	json_object(j, NULL, JSON_LINES);
	if (a && b) {
		put_what(a, b, &what);
		json_string(j, "differs", what.data);
	}
	put_line(j, "first", a);
	put_line(j, "second", b);
	json_close(j);
	text_clear(&what);
}

void parametric_difference_print_json(const struct parametric_difference *d, struct json *j)
{
	json_object(j, NULL, JSON_LINES);
	json_truth(j, "parametric", true);
	json_number(j, "same", d->same);
	json_array(j, "differences", JSON_LINES);
	tell_all(d, print_one_json, j);
	json_close(j);
	json_close(j);
}
