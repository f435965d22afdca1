/*
 * sameness.c -- two cursors beside each other, for each process; what they stand at is the same if
 * it is worded alike.
 */
#include "ask/sameness.h"

#include <stdlib.h>
#include <string.h>

#include "ask/event_texts.h"
#include "base/intern.h"

struct comparing {
	struct run *run[2];
	struct intern *names[2]; /* that events carry anything under */
	enum compared_values values;
	struct event_texts *texts[2];
	struct cursor *cursor[2];
	struct text line[2];
	uint64_t events; /* that may still be compared */
	struct first_difference *difference;
};

/* ------------------------------------------------------------------ what is carried */

static bool is_compared(const void *comparing, const char *name)
{
	const struct comparing *c = comparing;
	bool both = c->values != VALUES_SHARED;
	if (!both)
		both = intern_find(c->names[0], name, strlen(name)) != INTERN_NONE &&
		       intern_find(c->names[1], name, strlen(name)) != INTERN_NONE;
	return both && strcmp(name, "site") != 0;
}

/* The next of the words with blanks between them; blanks in quotes are part of one. */
static size_t word_length(const char *at)
{
	size_t length = 0;
	for (bool quoted = false; at[length] && (quoted || at[length] != ' '); length++) {
		quoted ^= at[length] == '"';
		length += at[length] == '\\' && at[length + 1];
	}
	return length;
}

/* The word that begins alike, up to its '=': the value of the same name. */
static const char *find_value(const char *words, const char *like)
{
	size_t name = strcspn(like, "=");
	while (*words && strncmp(words, like, name + 1) != 0) {
		words += word_length(words);
		words += *words == ' ';
	}
	return *words ? words : NULL;
}

/* Each name is there once. missing: it may be missing on either side. */
static bool carry_alike(const char *a, const char *b, bool missing)
{
	bool alike = true;
	for (size_t n; alike && *a; a += n + (a[n] == ' ')) {
		const char *other = find_value(b, a);
		n = word_length(a);
		alike = other ? word_length(other) == n && !memcmp(a, other, n) : missing;
	}
	return alike;
}

/* What stands behind the event. */
static const char *carried(const struct text *line)
{
	const char *behind = line->length ? strstr(line->data, " ; ") : NULL;
	return behind ? behind + strlen(" ; ") : "";
}

static size_t length_of_event(const struct text *line)
{
	return *carried(line) ? (size_t)(carried(line) - line->data) - strlen(" ; ") : line->length;
}

/* What an event carries may stand in another order. */
static bool are_alike(const struct text *line, enum compared_values values)
{
	size_t length = line[0].length, event = length_of_event(&line[0]);
	bool missing = values == VALUES_OF_BOTH, same = length == line[1].length;
	if (same && !memcmp(line[0].data, line[1].data, length))
		return true;
	return (same || missing) && event == length_of_event(&line[1]) && !memcmp(line[0].data, line[1].data, event) &&
	       carry_alike(carried(&line[0]), carried(&line[1]), missing);
}

/* ------------------------------------------------------------------ streams */

static bool step(struct comparing *c, size_t side)
{
	struct text *line = &c->line[side];
	struct cursor *cursor = c->cursor[side];
	text_truncate(line, 0);
	if (!cursor_next(cursor))
		return false;
	event_texts_put(c->texts[side], &cursor->at, cursor->event, NULL, line);
	text_truncate(line, line->length - 1);
	return true;
}

static enum sameness same(struct comparing *c, uint32_t rank)
{
	uint64_t position = 0;
	bool alike = true, more[2] = {true, true};
	for (size_t i = 0; i < 2; i++)
		cursor_restart(c->cursor[i], rank);
	for (;; position++) {
		for (size_t i = 0; i < 2; i++)
			more[i] = step(c, i);
		alike = more[0] == more[1] && (!more[0] || position == c->events || are_alike(c->line, c->values));
		if (!alike || !more[0] || position == c->events)
			break;
	}
	c->events -= position;
	if (c->cursor[0]->at.failure || c->cursor[1]->at.failure)
		return SAMENESS_UNKNOWN;
	if (!alike && c->difference) {
		*c->difference = (struct first_difference){.known = true, .rank = rank, .position = position};
		for (size_t i = 0; i < 2; i++)
			text_add(&c->difference->event[i], c->line[i].data, c->line[i].length);
	}
	return !alike ? SAMENESS_DIFFERENT : more[0] ? SAMENESS_UNKNOWN : SAMENESS_SAME;
}

/* Where it is unknown: has a process more events than in the other one? */
static bool counts_differ(struct comparing *c)
{
	struct environment e[2] = {{0}};
	bool differ = false;
	for (uint32_t rank = 0; rank < run_environment(c->run[0]).processes && !differ; rank++) {
		uint64_t events[2];
		for (size_t i = 0; i < 2; i++) {
			run_start(c->run[i], rank, &e[i]);
			events[i] = run_count(c->run[i], &e[i], run_module(c->run[i])->body);
		}
		differ = events[0] != events[1] && !e[0].failure && !e[1].failure;
	}
	free(e[0].index);
	free(e[1].index);
	return differ;
}

static void begin(struct comparing *c)
{
	for (size_t i = 0; i < 2; i++) {
		const struct module *m = run_module(c->run[i]);
		uint32_t *name;
		c->names[i] = intern_new();
		for (size_t k = module_attribute_names(m, &name); k-- > 0;) {
			const char *word = store_get_word(m->store, name[k]);
			intern_id(c->names[i], word, strlen(word));
		}
		free(name);
		c->texts[i] = event_texts_new(c->run[i], c->values == VALUES_NONE ? NULL : is_compared, c);
		c->cursor[i] = cursor_new(c->run[i], 0);
	}
}

static void end(struct comparing *c)
{
	for (size_t i = 0; i < 2; i++) {
		intern_free(c->names[i]);
		event_texts_free(c->texts[i]);
		cursor_free(c->cursor[i]);
		text_clear(&c->line[i]);
	}
}

enum sameness runs_sameness(struct run *first, struct run *other, enum compared_values values, uint64_t events,
	struct first_difference *difference)
{
	struct comparing c = {.run = {first, other}, .values = values, .events = events, .difference = difference};
	uint32_t processes = run_environment(first).processes;
	enum sameness result = processes == run_environment(other).processes ? SAMENESS_SAME : SAMENESS_DIFFERENT;
	if (difference)
		*difference = (struct first_difference){0};
	if (result != SAMENESS_SAME || !processes)
		return result;
	begin(&c);
	for (uint32_t rank = 0; rank < processes && result == SAMENESS_SAME; rank++)
		result = same(&c, rank);
	if (result == SAMENESS_UNKNOWN && counts_differ(&c))
		result = SAMENESS_DIFFERENT;
	end(&c);
	return result;
}

void first_difference_clear(struct first_difference *p)
{
	text_clear(&p->event[0]);
	text_clear(&p->event[1]);
	*p = (struct first_difference){0};
}
