/*
 * drawn.h -- the statements that a picture shows: of a module, or of one statement of it, as a
 * module of their own.
 *
 *	struct drawn *d = drawn_new(text, "2.0", unfolded, &error);
 *	... d->line[i].node, for scene items ...
 *	drawn_address(d, i, &text);		-- as the text has it
 *	drawn_free(d);
 *
 * A call is a loop of one iteration around its statements, so that a box is drawn for it.
 *
 * Where the lines of a picture are processes, the statements are written out for each of them; each
 * still knows the one that it comes from.
 */
#ifndef TRACENEST_VIZ_DRAWN_H
#define TRACENEST_VIZ_DRAWN_H

#include "ask/ends.h"
#include "base/error.h"
#include "base/rank_sets.h"
#include "base/text.h"
#include "model/module_address.h"
#include "model/run.h"

struct drawn {
	struct module *source, *module; /* the text without calls; what is drawn of it */
	struct run *source_run, *run;
	struct module_line *written, *line; /* of these two */
	size_t place; /* in the source: of the first that is drawn */
	size_t *origin; /* by line: that of the source */
	const char **call; /* by line that is the box of one: "call exchange(640)"; else NULL */
	struct text calls;
	struct module_addresses address; /* of the source */
	struct rank_sets *sets;
	uint32_t *who, all; /* by line the set of those who execute it; of all who execute anything */
	struct ends ends; /* channels */
	struct intern *tags; /* struct channel_key, from nobody to nobody */
	struct environment at;
	int64_t *first; /* indices: all loops in their first iterations */
	uint64_t *times; /* by line: how often control comes to it in all */
	/*
	 * By line, of one execution: by all processes, in all iterations. A statement whose
	 * executions differ has their mean. Saturate.
	 */
	uint64_t *events, *messages; /* messages: those sent */
};

/*
 * Of the text, which may have calls and must outlive this, the statement at an address; NULL: all.
 * unfolded: written out process by process; NULL with *error set where that cannot be, or there is no
 * such statement.
 */
struct drawn *drawn_new(const struct module *, const char *address, bool unfolded, struct error *);
void drawn_free(struct drawn *);

static inline const struct node *drawn_node(const struct drawn *d, size_t at)
{
	return node_of(d->module->store, d->line[at].node);
}
static inline bool drawn_is_loop(const struct drawn *d, size_t at)
{
	return drawn_node(d, at)->kind != NODE_EVENT;
}
/* Of the text, by line. */
static inline const struct node *drawn_source(const struct drawn *d, size_t line)
{
	return node_of(d->source->store, d->written[line].node);
}
/* The line behind all that is inside. */
static inline size_t drawn_behind(const struct drawn *d, size_t at)
{
	return at + drawn_node(d, at)->lines;
}
static inline struct ranks drawn_who(const struct drawn *d, size_t at)
{
	return rank_sets_get(d->sets, d->who[at]);
}
/* Each time another process executes it. */
static inline bool drawn_is_named(const struct drawn *d, size_t at)
{
	return node_of(d->module->store, drawn_node(d, at)->kid[0])->kind == NODE_NAMED;
}

/* An event as a process has it in these iterations. */
struct drawn_event {
	uint32_t process, peer; /* peer: of a collective its root; ENDS_NONE: there is none */
	uint32_t channel; /* of d->ends; ENDS_NONE: it is no communication */
	bool happens;
};
struct drawn_event drawn_event_at(struct drawn *, size_t at, uint32_t process, const int64_t *index);
static inline enum event_match drawn_match(const struct drawn *d, size_t at)
{
	return kind_rows[drawn_node(d, at)->sub].match;
}
static inline const char *drawn_word(const struct drawn *d, size_t at)
{
	return store_get_word(d->module->store, drawn_node(d, at)->word);
}

/* Is it one-sided, or an epoch of a window? In words: "put 2"; whole: "put 2 win". */
static inline bool drawn_accesses(const struct drawn *d, size_t at)
{
	return kind_is_call(drawn_node(d, at)->sub) && drawn_match(d, at) == MATCH_NONE;
}
void drawn_access(const struct drawn *, size_t at, const struct drawn_event *, bool whole, struct text *);

/* The tag of a channel; what it says. */
uint32_t drawn_tag_of(struct drawn *, uint32_t channel);
static inline const struct channel_key *drawn_tag(const struct drawn *d, uint32_t tag)
{
	return intern_data(d->tags, tag, NULL);
}
/* A tag of these words alone. */
uint32_t drawn_tag_named(struct drawn *, const char *words, size_t length);

/* Does it depend on tables or conditions, so that writing it out process by process would say each
   iteration by itself? */
bool drawn_is_irregular(const struct module *);
bool node_is_irregular(const struct store *, node_id statement); /* ... it, or what is inside */

/* Does the process decide how often it runs? Of events it does not. */
static inline bool node_is_divergent(const struct store *s, const struct node *statement)
{
	return statement->kind != NODE_EVENT && node_of(s, statement->kid[1])->uses[FOR_ALL] & USES_PROCESS;
}

/* The address of a statement in the text; of a box that of the first one in it. */
void drawn_address(const struct drawn *, size_t at, struct text *out);

/*
 * Indices of the loops around a statement at which control comes to it, the first iterations
 * preferred. False: there are none.
 */
bool drawn_instance(struct drawn *, size_t at, int64_t *index);

/*
 * How often a loop runs (a guard: once or never) for a process, for the one that runs it most
 * often. Does the process decide? Then O(processes), else O(1).
 */
uint64_t drawn_count_of(struct drawn *, size_t at, uint32_t process, const int64_t *index);
uint64_t drawn_count(struct drawn *, size_t at, const int64_t *index);
static inline bool drawn_is_divergent(const struct drawn *d, size_t at)
{
	return node_is_divergent(d->module->store, drawn_node(d, at));
}

#endif
