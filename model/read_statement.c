/*
 * read_statement.c -- who executes a line, and what: the words of an event in the order in which
 * its kind's notation has them (model/event_kinds.def), and its attributes.
 *
 * Over a set of processes the one who executes it is p; without a set it is a rank, or of a
 * collective ranks, and numbers are functions of indices alone.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/mem.h"
#include "model/module_read.h"

struct event {
	struct reader *r;
	node_id column[COLUMNS + ATTRIBUTES_MOST];
	bool plain; /* without a set */
	bool inside; /* "where inside": only where there is its peer */
	uint32_t word; /* of the store */
	enum event_kind kind;
	char rule[80]; /* how it is written */
};

static bool at_word_end(struct reader *r, struct word word, const char *at, const char *what)
{
	return at == word.start + word.length || fail(r, word.start, "'%.*s' is not %s", SHOWN_WORD(word), what);
}

/* ------------------------------------------------------------------ sets */

static node_id read_comparison(struct reader *r, const char **at)
{
	node_id side[2] = {read_sum(r, at)};
	enum node_function relation = side[0] ? read_relation(at) : FUNCTION_DIVIDED;
	if (side[0] && relation == FUNCTION_DIVIDED)
		return fail(r, *at, "<, <=, >, >=, == or != is expected in a condition, not '%.*s'", SHOWN, *at);
	side[1] = side[0] ? read_sum(r, at) : NODE_NONE;
	return side[1] ? node_make(r->store, NODE_COMPARISON, (int)relation, 0, 0, 2, side) : NODE_NONE;
}

/* Comparisons of one condition. */
#define COMPARISONS_LIMIT 16

static node_id read_comparisons(struct reader *r, const char **at)
{
	node_id kid[COMPARISONS_LIMIT];
	uint32_t kids = 0;
	do {
		if (kids == COMPARISONS_LIMIT)
			return fail(r, *at, "more than %d comparisons in a condition", COMPARISONS_LIMIT);
		kid[kids] = read_comparison(r, at);
		if (!kid[kids++])
			return NODE_NONE;
	} while (accept(at, "&&"));
	return node_make(r->store, NODE_WHERE, 0, 0, 0, kids, kid);
}

/* A list, or those that a condition holds of. bare: as a column; plain: a list of all ranks remains
   one. what: that is executed by them; NULL: they are a group. */
static node_id made_of(struct reader *r, const char *start, const char *end, const struct ranks *set, bool bare,
	bool plain, const char *what)
{
	const struct module *m = r->module;
	uint32_t last = set->length ? set->run[set->length - 1].last : 0;
	if (!set->length)
		return fail(r, start, "'%.*s' holds of no process", (int)(end - start), start);
	if (what && !m->parametric && last >= m->processes)
		return fail(r, start, "%s of rank %u, but the header says %u processes", what, last, m->processes);
	if (!plain && !m->parametric && ranks_count(set) == m->processes)
		return node_make(r->store, NODE_ALL, bare, 0, 0, 0, NULL);
	return node_make(r->store, NODE_RANKS, bare, 0, store_ranks(r->store, set), 0, NULL);
}

/* Who it holds of; of a parametric text that is known at extents. */
static node_id read_condition(struct reader *r, const char **at)
{
	size_t base = r->base;
	uint32_t parameters = r->parameters;
	struct ranks set = {0};
	const char *start = *at;
	r->base = r->depth;
	r->parameters = 0;
	r->condition = true;
	node_id where = read_comparisons(r, at);
	r->base = base;
	r->parameters = parameters;
	r->condition = false;
	if (!where || r->module->parametric)
		return where;
	struct environment e = module_environment(r->module);
	node_id result = domain_holds(&e, where, &set)
				 ? made_of(r, start, *at, &set, false, false, NULL)
				 : (node_id)fail(r, start, "a number in a condition is too large");
	ranks_clear(&set);
	return result;
}

static node_id read_ranks(struct reader *r, const char **at, bool bare, bool plain, const char *what)
{
	struct ranks set = {0};
	const char *start = *at;
	if (accept(at, "*"))
		return node_make(r->store, NODE_ALL, bare, 0, 0, 0, NULL);
	node_id result = ranks_parse(&set, at, r->error) ? made_of(r, start, *at, &set, bare, plain, what)
							 : (node_id)reader_place(r, start);
	ranks_clear(&set);
	return result;
}

/* What stands between the brackets has been read before, or is read now. */
static node_id read_known_set(struct reader *r, const char **at)
{
	size_t length = strcspn(*at, "]");
	uint32_t text = intern_id(r->set_texts, *at, length);
	while (text >= r->sets)
		*MEM_PUSH(r->set, r->sets, r->set_capacity) = NODE_NONE;
	if (r->set[text]) {
		*at += length;
		return r->set[text];
	}
	bool condition = false;
	for (size_t i = 0; i < length; i++)
		condition = condition || strchr("<>=!&", (*at)[i]) || is_letter((*at)[i]);
	node_id set = condition ? read_condition(r, at) : read_ranks(r, at, false, false, "a statement");
	if (set && **at != ']')
		return fail(r, *at, "']' is missing behind a set of ranks, before '%.*s'", SHOWN, *at);
	return r->set[text] = set;
}

node_id read_domain(struct reader *r, const char **at)
{
	bool named = number_begins(*at);
	const char *start = *at;
	node_id who = named ? read_value(r, at) : read_known_set(r, at);
	if (!who)
		return NODE_NONE;
	if (named && node_of(r->store, who)->uses[FOR_ALL] & USES_PROCESS)
		return fail(r, start, "who executes a statement is a function of indices alone: [$w[i0]]");
	if (named && (**at != ']' || !is_blank((*at)[1])))
		return fail(r, *at, "']' and a blank are expected behind the process that executes a statement");
	++*at;
	if (!is_blank(**at))
		return fail(r, *at, "a set of ranks must be followed by a blank and what they execute");
	return named ? node_make(r->store, NODE_NAMED, 0, 0, 0, 1, &who) : who;
}

/* ------------------------------------------------------------------ words */

/* What means something else than itself in a trace or a model. */
static const struct {
	const char *text, *why;
} forbidden[] = {{"#", "it starts a comment in traces; in a name write %23"},
	{";", "it starts the attributes in traces; in a name write %3B"},
	{"{", "braces are for numbers of models that advance, in tags, peers and roots; in a name write %7B"},
	{"}", "braces are for numbers of models that advance, in tags, peers and roots; in a name write %7D"},
	{"//", "it starts a comment in models; in a name write /%2F"}};

static bool check_characters(struct reader *r, struct word word)
{
	for (const char *at = word.start; at < word.start + word.length; at++)
		for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
			if (!strncmp(at, forbidden[i].text, strlen(forbidden[i].text)))
				return fail(r, at, "'%s' can not stand in an event: %s", forbidden[i].text,
					forbidden[i].why);
	return true;
}

/* ------------------------------------------------------------------ columns */

static bool read_peer(struct event *e, enum event_column column, struct word word)
{
	const char *at = word.start;
	node_id place = e->column[column] = read_place(e->r, &at);
	return place && at_word_end(e->r, word, at, "a rank: a number, p, p+1, p-1, p^1, (p+1)%16 or @(x+1,y)");
}

static const char *rule_of(struct event *);

/* p; of a plain event a rank, or ranks. */
static bool read_own(struct event *e, struct word word, bool several)
{
	struct reader *r = e->r;
	const char *at = word.start;
	if (!e->plain)
		return word_is(word, "p") ||
		       fail(r, at, "'%.*s' must be p, the process that executes the statement: '%s'", SHOWN_WORD(word),
			       rule_of(e));
	node_id who = e->column[COLUMN_WHO] = read_ranks(r, &at, true, true, "an event");
	bool one = who && ranks_count(store_get_ranks(r->store, (uint32_t)node_of(r->store, who)->number)) == 1;
	return who && at_word_end(r, word, at, "ranks, as in 0,4,8-11") &&
	       (several || one || fail(r, word.start, "the process must be a rank, not '%.*s'", SHOWN_WORD(word)));
}

/* @3 or @{3+y} at *at, or nothing. */
static bool read_communicator(struct event *e, const char **at)
{
	return !accept(at, "@") || (e->column[COLUMN_COMMUNICATOR] = read_value(e->r, at));
}

static bool read_tag(struct event *e, struct word word)
{
	struct reader *r = e->r;
	const char *at = word.start, *end = at + word.length;
	while (at < end && *at != '@' && !number_begins(at))
		at++;
	struct word stem = {word.start, (size_t)(at - word.start)};
	bool varies = at < end && *at != '@';
	uint64_t number;
	if (!check_characters(r, stem))
		return false;
	if (varies && stem.length && is_digit(at[-1]))
		return fail(r, word.start, "'%.*s{': a digit before the number of a tag would be part of it",
			SHOWN_WORD(stem));
	if (!varies && !stem.length)
		return fail(r, word.start, "'%.*s' is a communicator without a tag before it", SHOWN_WORD(word));
	if (varies) {
		e->column[COLUMN_TAG] = read_value(r, &at);
		if (!e->column[COLUMN_TAG])
			return false;
	} else {
		const char *digits = word_number(stem, &number);
		if (digits < at)
			e->column[COLUMN_TAG] = number_constant(r->store, (int64_t)number);
		stem.length = (size_t)(digits - stem.start);
	}
	e->word = store_word(r->store, stem.start, stem.length);
	return read_communicator(e, &at) && at_word_end(r, word, at, "a tag");
}

/* @(*,y), p */
static node_id read_own_group(struct reader *r, const char **at)
{
	uint32_t axes = r->module->grid.axes;
	node_id coordinate[GRID_AXES];
	if (**at == '@')
		return read_line_of_grid(r, at, coordinate) ? node_make(r->store, NODE_LINE, 0, 0, 0, axes, coordinate)
							    : NODE_NONE;
	++*at;
	for (uint32_t i = 0; i < axes; i++)
		coordinate[i] = number_variable(r->store, VARIABLE_X + i);
	return axes ? node_make(r->store, NODE_LINE, 0, 0, 0, axes, coordinate)
		    : node_make(r->store, NODE_SELF, 0, 0, 0, 0, NULL);
}

/* Of those who execute the event and have the same communicator: the set, where all have it. */
static node_id group_by_communicator(struct store *s, node_id who, node_id communicator)
{
	const struct node *w = node_of(s, who);
	int64_t number;
	bool all = number_is_constant(s, communicator, &number) && w->kind != NODE_WHERE;
	return node_make(s, all ? (enum node_kind)w->kind : NODE_BY_COMMUNICATOR, all, 0, all ? w->number : 0, 0, NULL);
}

static bool read_group(struct event *e, struct word word)
{
	struct reader *r = e->r;
	const char *at = word.start;
	node_id *group = &e->column[COLUMN_GROUP], who = e->column[COLUMN_WHO];
	bool by_communicator =
		!e->plain && *at == '@' && number_begins(at + 1) && node_of(r->store, who)->kind != NODE_NAMED;
	bool own = !e->plain && (*at == '@' || *at == 'p');
	if (!by_communicator && !(*group = own ? read_own_group(r, &at) : read_ranks(r, &at, true, e->plain, NULL)))
		return false;
	if (!read_communicator(e, &at) || !at_word_end(r, word, at, "a group"))
		return false;
	if (by_communicator)
		*group = group_by_communicator(r->store, who, e->column[COLUMN_COMMUNICATOR]);
	return true;
}

static bool read_root(struct event *e, const char **at)
{
	const char *behind = *at;
	struct word word = word_next(&behind);
	if (word.length < 5 || memcmp(word.start, "root=", 5) != 0)
		return true;
	*at = behind;
	return read_peer(e, COLUMN_ROOT, (struct word){word.start + 5, word.length - 5});
}

/* Words to the end of the line, with single blanks. */
static bool read_words(struct event *e, struct word word, const char **at)
{
	struct text words = {0};
	bool good = true;
	for (; word.length && good; word = word_next(at)) {
		text_put(&words, words.length ? " " : "");
		text_add(&words, word.start, word.length);
		good = check_characters(e->r, word);
	}
	e->word = store_word(e->r->store, words.data, words.length);
	text_clear(&words);
	return good;
}

/* ------------------------------------------------------------------ attributes */

node_id attribute_word(struct store *s, const char *word)
{
	struct text written = {0};
	attribute_word_print(word, &written);
	node_id result = node_make(s, NODE_WORD, 0, store_word(s, written.data, written.length), 0, 0, NULL);
	text_clear(&written);
	return result;
}

/* A number, or a WORD, up to a blank or, in a list, what ends the word. */
static bool read_word(struct reader *r, const char **at, node_id *word)
{
	const char *start = *at;
	struct text plain = {0};
	int64_t number;
	bool quoted = *start == '"', good = true;
	if (quoted)
		good = text_read_word(at, &plain, r->error) || reader_place(r, start);
	while (good && !quoted && **at && !is_blank(**at) && !strchr("|)", **at)) {
		if (strchr("\"\\({};#$", **at))
			good = fail(r, *at, "'%c' may stand in a word in quotes only: '%.*s'", **at, SHOWN, start);
		++*at;
	}
	if (!quoted)
		text_add(&plain, start, (size_t)(*at - start));
	if (good && !quoted && attribute_is_number(plain.data, &number))
		*word = number_constant(r->store, number);
	else if (good)
		*word = attribute_word(r->store, plain.data ? plain.data : "");
	text_clear(&plain);
	return good;
}

/* (MPI_INT||MPI_DOUBLE){i0%3}: of the second there is no attribute. */
static bool read_choices(struct reader *r, const char **at, node_id *number, node_id *words)
{
	node_id *word = NULL;
	size_t count = 0, capacity = 0;
	int64_t chosen;
	bool good = true;
	do {
		++*at;
		word = mem_grow(word, &capacity, count + 1, sizeof *word);
		word[count] = NODE_NONE;
		good = strchr("|)", **at) ? **at : read_word(r, at, &word[count]);
		count++;
	} while (good && **at == '|');
	if (good)
		*words = node_make(r->store, NODE_WORDS, 0, 0, 0, (uint32_t)count, word);
	free(word);
	if (r->error->kind == ERROR_NONE && !accept(at, ")"))
		return fail(r, *at, "words of which a number chooses are written (A|B){i0%%2}");
	if (!good)
		return false;
	if (**at != '{' && **at != '$')
		return fail(r, *at, "behind words in parentheses stands what chooses: (A|B){i0%%2}");
	*number = read_value(r, at);
	if (*number && number_is_constant(r->store, *number, &chosen) && (chosen < 0 || chosen >= (int64_t)count))
		return fail(r, *at, "there is no word %lld in the list, counted from 0", (long long)chosen);
	return *number;
}

static bool read_attribute_value(struct reader *r, const char **at, node_id *number, node_id *words)
{
	if (**at == '{' || **at == '$')
		return (*number = read_value(r, at));
	if (**at == '(')
		return read_choices(r, at, number, words);
	if (r->module->parametric && **at == '?') { /* it follows no formula */
		size_t length = strcspn(*at, " \t");
		*words = node_make(r->store, NODE_WORD, 1, store_word(r->store, *at, length), 0, 0, NULL);
		*at += length;
		return true;
	}
	return read_word(r, at, words);
}

static bool read_attribute(struct reader *r, const char **at, node_id *attribute)
{
	const char *name;
	size_t length;
	node_id number = NODE_NONE, words = NODE_NONE;
	if (!attribute_name(at, &name, &length, r->error))
		return reader_place(r, *at);
	if (length > 3 && !memcmp(name + length - 3, "[q]", 3))
		r->counter = MEMBER_NAME;
	bool good = read_attribute_value(r, at, &number, &words);
	r->counter = 0;
	if (!good)
		return false;
	*attribute = attribute_of(r->store, store_word(r->store, name, length), number, words);
	return !**at || is_blank(**at) || fail(r, *at, "'%.*s' is too much behind a value", SHOWN, *at);
}

/* Behind " ; ". */
static bool read_attributes(struct event *e, const char *at, uint32_t *columns)
{
	const struct store *s = e->r->store;
	if (!*behind_blanks(at))
		return fail(e->r, at, "behind ';' stand attributes, NAME=VALUE");
	for (at = behind_blanks(at); *at; at = behind_blanks(at)) {
		const char *start = at;
		node_id *attribute = &e->column[*columns];
		if (*columns == COLUMNS + ATTRIBUTES_MOST)
			return fail(e->r, at, "more than %d attributes in a statement", ATTRIBUTES_MOST);
		if (!read_attribute(e->r, &at, attribute))
			return false;
		uint32_t name = node_of(s, *attribute)->word;
		for (uint32_t i = COLUMNS; i < *columns && *attribute; i++)
			if (node_of(s, e->column[i])->word == name)
				return fail(e->r, start, "the attribute '%s' stands twice in a statement",
					store_get_word(s, name));
		*columns += *attribute != NODE_NONE;
	}
	return true;
}

/* ------------------------------------------------------------------ the line */

/* "[RANKS] p send RANK TAG" */
static const char *rule_of(struct event *e)
{
	static const struct {
		const char *column, *written;
	} columns[] = {{"S", "p"}, {"P", "RANK"}, {"T", "TAG"}, {"N", "NAME"}, {"G", "GROUP"},
		{"GR", "GROUP [root=RANK]"}, {"W", "WORD..."}};
	struct text rule = {0};
	text_put(&rule, e->plain ? "" : "[RANKS]");
	for (const char *at = kind_rows[e->kind].notation; *at;) {
		struct word word = word_next(&at);
		const char *written = NULL;
		for (size_t i = e->plain && *word.start == 'S'; i < sizeof columns / sizeof *columns; i++)
			written = word_is(word, columns[i].column) ? columns[i].written : written;
		text_put(&rule, rule.length ? " " : "");
		if (written)
			text_put(&rule, written);
		else
			text_add(&rule, *word.start == 'S' ? "RANK" : word.start, *word.start == 'S' ? 4 : word.length);
	}
	snprintf(e->rule, sizeof e->rule, "%s", rule.data);
	text_clear(&rule);
	return e->rule;
}

/* One of the notation's words. */
static bool read_column(struct event *e, struct word notation, struct word word, const char **at, bool several)
{
	switch (*notation.start) {
	case 'S':
		return read_own(e, word, several);
	case 'P':
		return read_peer(e, COLUMN_PEER, word);
	case 'T':
		return read_tag(e, word);
	case 'N':
		e->word = store_word(e->r->store, word.start, word.length);
		return check_characters(e->r, word);
	case 'G':
		return read_group(e, word) && (notation.length == 1 || read_root(e, at));
	case 'W':
		return read_words(e, word, at);
	default:
		return true;
	}
}

static bool read_columns(struct event *e, const char *at)
{
	struct reader *r = e->r;
	bool several = kind_rows[e->kind].match == MATCH_GROUP;
	for (const char *notation = kind_rows[e->kind].notation; *notation;) {
		struct word column = word_next(&notation), word = word_next(&at);
		if (!word.length)
			return fail(r, at, "a word is missing: '%s'", rule_of(e));
		if (!read_column(e, column, word, &at, several))
			return false;
	}
	struct word extra = word_next(&at);
	if (!several && !e->plain && word_is(extra, "where")) {
		extra = word_next(&at);
		e->inside = word_is(extra, "inside");
		extra = e->inside ? word_next(&at) : extra;
	}
	return !extra.length ||
	       fail(r, extra.start, "'%.*s' is one word too many: '%s'", SHOWN_WORD(extra), rule_of(e));
}

static node_id fail_verb(struct reader *r, struct word first, struct word verb, node_id who)
{
	struct text verbs = {0};
	kind_verbs(&verbs);
	fail(r, first.start, "'%.*s' is not an event: %s%s %s expected%s", SHOWN_WORD(verb.length ? verb : first),
		verb.length || who ? "" : "a rank and ", verbs.data, verb.length || who ? "is" : "are",
		who ? ", or 'for'" : "");
	text_clear(&verbs);
	return NODE_NONE;
}

node_id read_event(struct reader *r, char *line, node_id who)
{
	struct event e = {.r = r, .plain = !who, .column[COLUMN_WHO] = who};
	uint32_t columns = COLUMNS;
	const char *at = line;
	char *attributes = strchr(line, ';');
	if (attributes)
		*attributes++ = 0;
	struct word first = word_next(&at), verb = word_next(&at);
	uint32_t kind = kind_of_verb(verb.start, verb.length);
	if (kind == EVENT_KINDS)
		return fail_verb(r, first, verb, who);
	e.kind = (enum event_kind)kind;
	if (!read_columns(&e, line))
		return NODE_NONE;
	if (attributes && !read_attributes(&e, attributes, &columns))
		return NODE_NONE;
	return node_make(r->store, NODE_EVENT, (int)kind, e.word, e.inside, columns, e.column);
}
