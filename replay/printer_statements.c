/*
 * printer_statements.c -- statements as C.
 *
 * Neighbouring statements over one set share one condition; a set that everybody around has needs
 * none. Conditions count how often they are asked for: those that are asked for often get a name.
 */
#include "replay/printer.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "ask/collective_names.h"
#include "ask/shortfalls.h"
#include "base/escape.h"
#include "base/mem.h"
#include "replay/helpers.h"

static void indent(struct printer *x)
{
	for (uint32_t i = 0; i < x->indent; i++)
		text_char(x->out, '\t');
}

#define line(x, ...) (indent(x), text_format((x)->out, __VA_ARGS__), text_char((x)->out, '\n'))

/* ------------------------------------------------------------------ asking for sets */

void printer_put_ranks_condition(const struct printer *x, const struct ranks *who, struct text *out)
{
	struct text text = {0};
	ranks_print_condition(who, x->o->module->processes, "p", &text);
	bool around = text.data[0] == '(';
	for (size_t i = 0, depth = 0; around && i + 1 < text.length; i++) {
		depth += (size_t)(text.data[i] == '(') - (size_t)(text.data[i] == ')');
		around = depth > 0;
	}
	text_add(out, text.data + around, text.length - 2 * around);
	text_clear(&text);
}

static void put_condition(struct printer *x, size_t condition)
{
	struct condition *c = &x->condition[condition];
	c->asked++;
	if (c->name)
		text_format(x->out, c->neighbour ? "%s != MPI_PROC_NULL" : "%s", c->name);
	else
		printer_put_ranks_condition(x, &c->who, x->out);
}

/* ------------------------------------------------------------------ events */

/* Tags that differ in their words alone must not meet: of so many words, each has every so many-th
   number. */
static uint32_t word_of_tag(const struct printer *x, uint32_t word, bool numbered)
{
	return intern_find(x->tags, (uint32_t[]){word, numbered}, 2 * sizeof word);
}

static bool is_message(const struct printer *x, size_t at)
{
	return overview_match(x->o, at) == MATCH_OUT || overview_match(x->o, at) == MATCH_IN;
}

void printer_find_tags(struct printer *x)
{
	for (size_t i = 0; i < x->o->lines; i++) {
		const struct node *n = overview_node(x->o, i);
		if (is_message(x, i))
			intern_id(x->tags, (uint32_t[]){n->word, n->kid[COLUMN_TAG] != NODE_NONE}, 2 * sizeof n->word);
	}
}

/* Tags of C are ints. */
uint64_t printer_tag(const struct printer *x, uint32_t word, bool numbered, uint64_t number)
{
	unsigned __int128 tag = (unsigned __int128)(numbered ? number : 0) * intern_count(x->tags);
	return (uint64_t)((tag + word_of_tag(x, word, numbered)) % INT_MAX);
}

static void put_tag(struct printer *x, size_t at)
{
	const struct node *n = overview_node(x->o, at);
	node_id tag = n->kid[COLUMN_TAG];
	uint32_t words = intern_count(x->tags), word = word_of_tag(x, n->word, tag);
	int64_t number = 0;
	if (!tag || number_is_constant(x->o->store, tag, &number)) {
		text_number(x->out, printer_tag(x, n->word, tag, (uint64_t)number));
		return;
	}
	if (words == 1) {
		c_number(&x->c, tag, x->out);
		return;
	}
	struct text sum = {0};
	c_number(&x->c, tag, &sum);
	text_format(x->out, strchr(sum.data, ' ') ? "%" PRIu32 " * (%s)" : "%" PRIu32 " * %s", words, sum.data);
	if (word)
		text_format(x->out, " + %" PRIu32, word);
	text_clear(&sum);
}

/* The condition under which a message stands, if that is to have such a neighbour. */
static const struct condition *neighbour_of(const struct printer *x, size_t at)
{
	size_t inside = x->condition_inside ? x->condition_inside[at] : BLOCKS_NONE;
	size_t condition = inside == BLOCKS_NONE ? x->condition_of[at] : inside;
	bool has = condition != BLOCKS_NONE && x->condition[condition].neighbour;
	return has ? &x->condition[condition] : NULL;
}

/* left, p + 1 */
static void put_peer(struct printer *x, size_t at)
{
	struct text peer = {0};
	const struct condition *neighbour = neighbour_of(x, at);
	if (neighbour) {
		text_put(x->out, neighbour->name);
		return;
	}
	c_number(&x->c, overview_node(x->o, at)->kid[COLUMN_PEER], &peer);
	communicators_put_rank(&x->communicators, &x->c, at, false, peer.data, x->out);
	text_clear(&peer);
}

static void put_size(struct printer *x, size_t at)
{
	x->guessed |= !sizes_put_message(&x->sizes, &x->c, at, x->out);
	text_put(x->out, ", ");
}

/* p + 1, 2, MPI_COMM_WORLD); */
static void put_envelope(struct printer *x, size_t at)
{
	put_peer(x, at);
	text_put(x->out, ", ");
	put_tag(x, at);
	text_put(x->out, ", ");
	communicators_put(&x->communicators, &x->c, at, x->out);
	text_put(x->out, ");");
}

static void put_function(struct printer *x, enum helper helper)
{
	helper_call(&x->helpers, helper, COMPLETING_WAIT, x->out);
}

/* post_receive(600, MPI_BYTE, p + 1, 2, MPI_COMM_WORLD); */
static void put_request(struct printer *x, size_t at)
{
	bool send = overview_match(x->o, at) == MATCH_OUT;
	x->c.loops = x->o->line[at].loops;
	if (x->posts.of[at].how == PASSING_STARTED) {
		helper_call(&x->helpers, HELPER_START, x->posts.of[at].whole ? STARTING_ALL : COMPLETING_WAIT, x->out);
		text_put(x->out, send ? "1, " : "0, ");
	} else {
		put_function(x, x->posts.slots ? (send ? HELPER_POST_OWN_SEND : HELPER_POST_OWN_RECEIVE)
					       : (send ? HELPER_POST_SEND : HELPER_POST_RECEIVE));
		if (x->posts.slots)
			text_format(x->out, "%" PRIu32 ", ", x->posts.of[at].slot);
	}
	put_size(x, at);
	put_envelope(x, at);
}

/* left, is_member ? p ^ 1 : MPI_PROC_NULL */
static void put_end(struct printer *x, size_t at, bool sized)
{
	bool conditional = x->condition_inside[at] != BLOCKS_NONE && !neighbour_of(x, at);
	if (sized)
		put_size(x, at);
	if (conditional) {
		put_condition(x, x->condition_inside[at]);
		text_put(x->out, " ? ");
	}
	put_peer(x, at);
	text_put(x->out, conditional ? " : MPI_PROC_NULL, " : ", ");
	put_tag(x, at);
	text_put(x->out, ", ");
}

static void put_exchange(struct printer *x, size_t at)
{
	bool in_place = x->posts.of[at].whole;
	put_function(x, in_place ? HELPER_EXCHANGE_IN_PLACE : HELPER_EXCHANGE);
	put_end(x, at, true);
	put_end(x, x->posts.of[at].with, !in_place);
	communicators_put(&x->communicators, &x->c, at, x->out);
	text_put(x->out, ");");
}

/* send_to(600, MPI_BYTE, p + 1, 2, MPI_COMM_WORLD); */
static void put_send(struct printer *x, size_t at)
{
	enum passing how = x->posts.of[at].how;
	if (posts_is_request(&x->posts, at)) {
		put_request(x, at);
	} else if (how == PASSING_EXCHANGE) {
		put_exchange(x, at);
	} else {
		put_function(x, how == PASSING_BLOCKING      ? HELPER_SEND_BLOCKING
				: how == PASSING_SYNCHRONOUS ? HELPER_SEND_SYNCHRONOUS
							     : HELPER_SEND);
		put_size(x, at);
		put_envelope(x, at);
	}
}

static void put_waiting_for(struct printer *x, size_t at)
{
	helper_call(&x->helpers, HELPER_WAIT_FOR_OWN, x->posts.of[at].by, x->out);
	text_format(x->out, "%" PRIu32 ");", x->posts.of[at].slot);
}

static void put_receive(struct printer *x, size_t at)
{
	bool request = posts_is_request(&x->posts, at);
	if (request && x->posts.slots) {
		put_waiting_for(x, at);
		return;
	}
	if (request && !x->posts.of[at].together)
		helper_call(&x->helpers, HELPER_WAIT_FOR, x->posts.of[at].by, x->out);
	else
		put_function(x, request ? HELPER_COLLECT : HELPER_RECEIVE);
	if (!request)
		put_size(x, at);
	put_envelope(x, at);
}

/* Where the trace does not tell, the first process. */
static void put_root(struct printer *x, size_t at, enum helper helper)
{
	node_id place = overview_node(x->o, at)->kid[COLUMN_ROOT];
	struct text root = {0};
	if (!(helper_rows[helper].takes & TAKES_ROOT))
		return;
	if (!place) {
		text_put(x->out, "0, ");
		return;
	}
	c_number(&x->c, place, &root);
	communicators_put_rank(&x->communicators, &x->c, at, false, root.data, x->out);
	text_put(x->out, ", ");
	text_clear(&root);
}

static void put_operation(struct printer *x, size_t at, enum helper helper)
{
	const char *bytes = "MPI_BYTE, ";
	size_t length = strlen(bytes);
	if (!(helper_rows[helper].takes & TAKES_OPERATION))
		return;
	printer_put_operation(x, at,
		helper == HELPER_REDUCE_SCATTER ||
			(x->out->length >= length && !strcmp(x->out->data + x->out->length - length, bytes)));
	text_put(x->out, ", ");
}

/* sent[k] = table_b[k]; for the k-th process of the communicator. */
static void put_totals(struct printer *x, size_t at, enum total total, uint64_t divisor)
{
	struct text who = {0};
	bool called = x->communicators.world_rank;
	size_t from = x->out->length;
	text_put(&who, "");
	communicators_put_rank(&x->communicators, &x->c, at, true, "k", &who);
	x->c.process = who.data;
	indent(x);
	text_put(x->out, total == TOTAL_SENT ? "sent[k] = " : "received[k] = ");
	x->guessed |= !sizes_put_total(&x->sizes, &x->c, at, total, divisor, x->out);
	text_put(x->out, ";\n");
	if (!called) /* a total that is the same for all names no process */
		x->communicators.world_rank &= strstr(x->out->data + from, who.data) != NULL;
	x->c.process = NULL;
	text_clear(&who);
}

/* Of which each process passes on something else: all have to be known. */
static void put_uneven(struct printer *x, size_t at, uint64_t members, enum helper helper, bool posted)
{
	bool puts = helper_rows[helper].takes & TAKES_SENT, gets = helper_rows[helper].takes & TAKES_RECEIVED;
	bool evenly = puts && gets && !sizes_know_received(&x->sizes, at);
	bool times_all = helper == HELPER_ALLGATHERV && x->sizes.told.count == PAYLOAD_TIMES_MEMBERS;
	text_format(x->out, "{\n");
	x->indent++;
	if (puts)
		line(x, "long sent[%" PRIu64 "];", members);
	if (gets)
		line(x, "long received[%" PRIu64 "];", members);
	if (evenly)
		line(x, "long all = 0; /* of which each gets as much: what they get is not known */");
	line(x, "for (int k = 0; k < %" PRIu64 "; k++) {", members);
	x->indent++;
	if (puts)
		put_totals(x, at, TOTAL_SENT, times_all ? members : 1);
	if (gets && !evenly)
		put_totals(x, at, TOTAL_RECEIVED, 1);
	if (evenly)
		line(x, "all += sent[k];");
	x->indent--;
	line(x, "}");
	if (evenly) {
		line(x, "for (int k = 0; k < %" PRIu64 "; k++)", members);
		line(x, "\treceived[k] = all * (k + 1) / %" PRIu64 " - all * k / %" PRIu64 ";", members, members);
	}
	indent(x);
	text_format(x->out, "%s%s(%s%s", posted ? "i" : "", helper_rows[helper].name, puts ? "sent, " : "",
		gets ? "received, " : "");
	put_operation(x, at, helper);
	put_root(x, at, helper);
	communicators_put(&x->communicators, &x->c, at, x->out);
	text_put(x->out, ");\n");
	x->indent--;
	indent(x);
	text_char(x->out, '}');
}

/* to[k] = table_b[...]; what a process has for the k-th one of the communicator, and that for it. */
static void put_to_each(struct printer *x, size_t at, uint64_t members, enum helper helper, bool posted)
{
	struct text who = {0};
	bool called = x->communicators.world_rank;
	size_t from = x->out->length;
	text_put(&who, "");
	communicators_put_rank(&x->communicators, &x->c, at, true, "k", &who);
	text_put(x->out, "{\n");
	x->indent++;
	line(x, "long to[%" PRIu64 "], from[%" PRIu64 "];", members, members);
	line(x, "for (int k = 0; k < %" PRIu64 "; k++) {", members);
	x->indent++;
	for (int back = 0; back < 2; back++) {
		indent(x);
		text_put(x->out, back ? "from[k] = " : "to[k] = ");
		x->c.process = back ? who.data : NULL;
		x->c.counter = back ? "p" : who.data;
		sizes_put_to_each(&x->sizes, &x->c, at, x->out);
		text_put(x->out, ";\n");
	}
	x->c.process = x->c.counter = NULL;
	x->indent--;
	line(x, "}");
	indent(x);
	text_format(x->out, "%s%s(to, from, ", posted ? "i" : "", helper_rows[helper].name);
	if (!called)
		x->communicators.world_rank &= strstr(x->out->data + from, who.data) != NULL;
	communicators_put(&x->communicators, &x->c, at, x->out);
	text_put(x->out, ");\n");
	x->indent--;
	indent(x);
	text_char(x->out, '}');
	text_clear(&who);
}

static void put_remark(struct printer *x, const char *words)
{
	text_put(x->out, "/* ");
	text_put_c_comment(x->out, words);
	text_put(x->out, " */");
}

static void put_attribute(struct printer *x, size_t at, const char *name, const char *otherwise)
{
	node_id number = overview_attribute(x->o, at, name);
	if (number)
		c_number(&x->c, number, x->out);
	else
		text_put(x->out, otherwise);
}

/* win_allocate(8000, 8, comm[2]); win_fence(comm[2]); */
static void put_window(struct printer *x, size_t at, enum helper helper)
{
	put_function(x, helper);
	if (helper != HELPER_WIN_FENCE && helper != HELPER_WIN_FREE) {
		put_attribute(x, at, "size", "0");
		text_put(x->out, ", ");
		put_attribute(x, at, "unit", "1");
		text_put(x->out, ", ");
	}
	communicators_put(&x->communicators, &x->c, at, x->out);
	text_put(x->out, ");");
}

/* put_to(100, MPI_DOUBLE, (p + 1) % 4, 100 * p, comm[2]); */
static void put_access(struct printer *x, size_t at)
{
	static const enum helper helpers[EVENT_KINDS] = {[EVENT_PUT] = HELPER_PUT,
		[EVENT_GET] = HELPER_GET,
		[EVENT_ACCUMULATE] = HELPER_ACCUMULATE,
		[EVENT_GET_ACCUMULATE] = HELPER_GET_ACCUMULATE,
		[EVENT_FETCH_AND_OP] = HELPER_FETCH_AND_OP,
		[EVENT_COMPARE_AND_SWAP] = HELPER_COMPARE_AND_SWAP};
	enum event_kind kind = (enum event_kind)overview_node(x->o, at)->sub;
	bool element = kind == EVENT_FETCH_AND_OP || kind == EVENT_COMPARE_AND_SWAP;
	if (!x->windows) {
		put_remark(x, kind_rows[kind].verb);
		text_put(x->out, " {}");
		return;
	}
	put_function(x, helpers[kind]);
	size_t from = x->out->length;
	if (element)
		sizes_put_element(&x->sizes, at, x->out);
	else
		x->guessed |= !sizes_put_access(&x->sizes, &x->c, at, kind == EVENT_GET_ACCUMULATE, x->out);
	bool bytes = strstr(x->out->data + from, "MPI_BYTE");
	text_put(x->out, ", ");
	put_peer(x, at);
	text_put(x->out, ", ");
	put_attribute(x, at, "disp", "0");
	text_put(x->out, ", ");
	if (kind == EVENT_ACCUMULATE || kind == EVENT_GET_ACCUMULATE || kind == EVENT_FETCH_AND_OP) {
		printer_put_operation(x, at, bytes);
		text_put(x->out, ", ");
	}
	communicators_put(&x->communicators, &x->c, at, x->out);
	text_put(x->out, ");");
}

/* "1,3", or one of several: ((const char *[]){"1,3", "0,2"})[p]. As values, MPI_LOCK_SHARED. */
static void put_words(struct printer *x, size_t at, const char *name, const char *type, bool locks)
{
	node_id a = event_attribute(x->o->store, overview_node(x->o, at), store_word(x->o->store, name, strlen(name)));
	const struct node *said = node_of(x->o->store, a), *words = node_of(x->o->store, a ? said->kid[1] : NODE_NONE);
	bool several = words->kind == NODE_WORDS;
	if (several)
		text_format(x->out, "((%s[]){", type);
	for (uint32_t k = 0; k < (several ? words->kids : 1); k++) {
		const struct node *one = several ? node_of(x->o->store, words->kid[k]) : words;
		const char *word = one->kind == NODE_WORD ? store_get_word(x->o->store, one->word) : "";
		struct text quoted = {0};
		text_put(&quoted, word);
		if (!*word && a && said->kid[0] && !several) /* a group of one is a number */
			c_number(&x->c, said->kid[0], &quoted);
		text_put(x->out, k ? ", " : "");
		if (locks)
			text_put(x->out, !strcmp(word, "shared") ? "MPI_LOCK_SHARED" : "MPI_LOCK_EXCLUSIVE");
		else
			text_format(x->out, "\"%s\"", quoted.data ? quoted.data : "");
		text_clear(&quoted);
	}
	if (!several)
		return;
	text_put(x->out, "})[");
	c_number(&x->c, said->kid[0], x->out);
	text_char(x->out, ']');
}

/* win_lock(MPI_LOCK_SHARED, p + 1, comm[2]); win_post("1,3", comm[2]); win_wait(comm[2]); */
static void put_epoch(struct printer *x, size_t at)
{
	static const enum helper helpers[EVENT_KINDS] = {[EVENT_LOCK] = HELPER_WIN_LOCK,
		[EVENT_UNLOCK] = HELPER_WIN_UNLOCK,
		[EVENT_FLUSH] = HELPER_WIN_FLUSH,
		[EVENT_FLUSH_LOCAL] = HELPER_WIN_FLUSH_LOCAL,
		[EVENT_LOCK_ALL] = HELPER_WIN_LOCK_ALL,
		[EVENT_UNLOCK_ALL] = HELPER_WIN_UNLOCK_ALL,
		[EVENT_FLUSH_ALL] = HELPER_WIN_FLUSH_ALL,
		[EVENT_FLUSH_LOCAL_ALL] = HELPER_WIN_FLUSH_LOCAL_ALL,
		[EVENT_POST] = HELPER_WIN_POST,
		[EVENT_START] = HELPER_WIN_START,
		[EVENT_COMPLETE] = HELPER_WIN_COMPLETE,
		[EVENT_WAIT] = HELPER_WIN_WAIT};
	enum event_kind kind = (enum event_kind)overview_node(x->o, at)->sub;
	if (!x->windows) {
		put_remark(x, kind_rows[kind].verb);
		text_put(x->out, " {}");
		return;
	}
	put_function(x, helpers[kind]);
	if (kind == EVENT_LOCK)
		put_words(x, at, "lock", "int", true);
	if (kind == EVENT_POST || kind == EVENT_START)
		put_words(x, at, "group", "const char *", false);
	text_put(x->out, kind == EVENT_LOCK || kind == EVENT_POST || kind == EVENT_START ? ", " : "");
	if (kind_has_peer(kind)) {
		put_peer(x, at);
		text_put(x->out, ", ");
	}
	communicators_put(&x->communicators, &x->c, at, x->out);
	text_put(x->out, ");");
}

/* allreduce(5, MPI_DOUBLE, MPI_COMM_WORLD); what MPI does not know is a barrier. member: one of those
   whose group it is. */
static void put_sync(struct printer *x, size_t at, uint32_t member)
{
	const char *name = overview_word(x->o, at);
	uint64_t members = communicators_size(&x->communicators, at, member);
	bool posted;
	enum helper helper = helper_of(name, &posted);
	bool known = helper != HELPERS;
	if (collective_scope(name) != SCOPE_GROUP || shortfalls_may_be_between(&x->o->module->notes, name,
							     overview_node(x->o, at)->kid[COLUMN_COMMUNICATOR])) {
		text_put(x->out, "/* ");
		text_put_c_comment(x->out, name);
		text_put(x->out, ": who waits for whom is not known */ {}");
		return;
	}
	if (posted && x->options->without_posted) {
		put_remark(x, name);
		text_put(x->out, " {} /* which would wait forever here */");
		return;
	}
	if (!known) {
		put_remark(x, name);
		text_char(x->out, ' ');
		helper = HELPER_BARRIER;
	}
	if (known && helper_rows[helper].takes & TAKES_WINDOW && x->windows) {
		put_window(x, at, helper);
		return;
	}
	if (known && helper_rows[helper].takes & TAKES_WINDOW) {
		put_remark(x, name);
		text_char(x->out, ' ');
		helper = HELPER_BARRIER;
	}
	if (helper == HELPER_BARRIER && !posted) { /* which needs no help */
		text_put(x->out, "MPI_Barrier(");
		communicators_put(&x->communicators, &x->c, at, x->out);
		text_put(x->out, ");");
		return;
	}
	if (sizes_know_each(&x->sizes, at))
		helper = helper == HELPER_ALLTOALLV   ? HELPER_ALLTOALLV_TO_EACH
			 : helper == HELPER_ALLTOALLW ? HELPER_ALLTOALLW_TO_EACH
						      : helper;
	*(posted ? &x->helpers.posted : &x->helpers.called[COMPLETING_WAIT]) |= HELPER_BIT(helper);
	if (helper == HELPER_ALLTOALLV_TO_EACH || helper == HELPER_ALLTOALLW_TO_EACH) {
		put_to_each(x, at, members, helper, posted);
		return;
	}
	if (helper_rows[helper].takes & (TAKES_SENT | TAKES_RECEIVED)) {
		put_uneven(x, at, members, helper, posted);
		return;
	}
	text_format(x->out, posted ? "i%s(" : "%s(", helper_rows[helper].name);
	if (helper != HELPER_BARRIER) {
		x->guessed |= !sizes_put_block(&x->sizes, &x->c, at, helper_rows[helper].operation, members, x->out);
		text_put(x->out, ", ");
	}
	put_operation(x, at, helper);
	put_root(x, at, helper);
	communicators_put(&x->communicators, &x->c, at, x->out);
	text_put(x->out, ");");
}

/* By size of their groups, as that tells what they pass on. */
static void put_syncs(struct printer *x, size_t at)
{
	struct ranks left = {0}, who = {0};
	uint64_t members = ranks_count(&x->o->line[at].who);
	ranks_copy(&left, &x->o->line[at].who);
	while (left.length) {
		communicators_part(&x->communicators, at, &left, &who);
		ranks_remove(&left, &who);
		bool several = ranks_count(&who) < members;
		if (several && left.length) {
			text_put(x->out, "if (");
			ranks_print_condition(&who, x->o->module->processes, "p", x->out);
			text_put(x->out, ") ");
		}
		text_put(x->out, several ? "{\n" : "");
		x->indent += several;
		if (several)
			indent(x);
		put_sync(x, at, who.run->first);
		x->indent -= several;
		if (several) {
			text_char(x->out, '\n');
			indent(x);
			text_put(x->out, left.length ? "} else " : "}");
		}
	}
	ranks_clear(&left);
	ranks_clear(&who);
}

static node_id communicator_of(const struct printer *x, size_t at)
{
	return overview_node(x->o, at)->kid[COLUMN_COMMUNICATOR];
}

/* Make or free the communicator of a statement: open_communicator(3 + i0); */
static void put_number_of(struct printer *x, size_t at, const char *function)
{
	x->c.loops = x->o->line[at].loops;
	text_format(x->out, "%s(", function);
	c_number(&x->c, communicator_of(x, at), x->out);
	text_put(x->out, ");");
}

static bool closes(const struct printer *x, size_t at, size_t unit)
{
	return x->temporaries.is && x->temporaries.closes[at] && x->temporaries.unit[at] == unit;
}

/* Does it make its communicator, or is one freed behind it? */
static bool is_with_communicators(const struct printer *x, size_t at)
{
	bool any = x->temporaries.is && x->temporaries.opens[at];
	for (size_t i = at; x->temporaries.is && i < x->o->line[at].end; i++)
		any |= closes(x, i, at);
	return any;
}

/* Does a statement of the unit before this one free the same? */
static bool closes_again(const struct printer *x, size_t at, size_t unit)
{
	bool again = false;
	for (size_t k = unit; k < at && !again; k++)
		again = closes(x, k, unit) && communicator_of(x, k) == communicator_of(x, at);
	return again;
}

/* Those that nobody needs behind an event, or a loop: each once. */
static void put_closing(struct printer *x, size_t unit)
{
	for (size_t i = unit; i < x->o->line[unit].end; i++)
		if (closes(x, i, unit) && !closes_again(x, i, unit)) {
			text_char(x->out, '\n');
			indent(x);
			put_number_of(x, i, "close_communicator");
		}
}

static void put_event(struct printer *x, size_t at)
{
	const struct node *n = overview_node(x->o, at);
	x->c.loops = x->o->line[at].loops;
	if (kind_sends(n->sub))
		put_send(x, at);
	else if (kind_receives(n->sub))
		put_receive(x, at);
	else if (kind_is_one_sided(n->sub))
		put_access(x, at);
	else if (kind_is_of_window(n->sub))
		put_epoch(x, at);
	else if (!kind_gathers(n->sub))
		put_remark(x, overview_word(x->o, at));
	else if (node_of(x->o->store, n->kid[COLUMN_GROUP])->kind == NODE_BY_COMMUNICATOR)
		put_syncs(x, at);
	else
		put_sync(x, at, overview_first(x->o, at));
}

/* Who is named, and has such a neighbour. */
static void put_own_guard(struct printer *x, size_t at)
{
	const struct node *n = overview_node(x->o, at), *who = node_of(x->o->store, n->kid[COLUMN_WHO]);
	bool named = who->kind == NODE_NAMED;
	x->c.loops = x->o->line[at].loops;
	text_put(x->out, named ? "if (p == " : "if (");
	if (named)
		c_number(&x->c, who->kid[0], x->out);
	text_put(x->out, named && n->number ? " && " : "");
	if (n->number)
		c_inside(&x->c, n->kid[COLUMN_PEER], x->out);
	text_char(x->out, ')');
}

/* ------------------------------------------------------------------ conditions */

static bool is_else(const struct printer *x, size_t at)
{
	const struct node *n = overview_node(x->o, at);
	return n->kind == NODE_GUARD && n->sub;
}

/* A loop without a set concerns whoever may be here. But a table has entries for those alone who do
   something inside, or in the `else` of a condition; an `else` is where its condition is, to which
   `who` belongs until then. */
static void find_processes(struct printer *x, size_t at, const struct ranks *around, struct ranks *who)
{
	const struct node *n = overview_node(x->o, at);
	const struct overview_line *line = &x->o->line[at];
	struct ranks nobody = {0};
	if (n->kid[0]) {
		ranks_copy(who, &line->who);
	} else if (!node_of(x->o->store, n->kid[1])->looks) {
		ranks_copy(who, around);
	} else if (!is_else(x, at)) {
		bool other = line->end < x->o->lines && is_else(x, line->end);
		ranks_unite(who, &line->who, other ? &x->o->line[line->end].who : &nobody);
		if (!who->length) /* nobody ever comes in */
			ranks_copy(who, around);
	}
}

static size_t find_condition(struct printer *x, const struct ranks *who)
{
	uint32_t known = intern_count(x->sets), id = intern_id(x->sets, who->run, who->length * sizeof *who->run);
	if (id == known) {
		x->condition = mem_grow(x->condition, &x->condition_capacity, id + (size_t)1, sizeof *x->condition);
		x->condition[id] = (struct condition){0};
		ranks_copy(&x->condition[id].who, who);
	}
	return id;
}

/* Whom do its processes talk to? */
static void meet_peer(const struct printer *x, struct condition *c, size_t at)
{
	if (!is_message(x, at))
		return;
	int64_t move = communicator_of(x, at) ? 0 : printer_move(x, at);
	c->mixed |= !move || (c->move && c->move != move);
	c->move = move;
}

void printer_find_conditions(struct printer *x, size_t from, size_t to, const struct ranks *around)
{
	struct ranks who = {0};
	for (size_t i = from; i < to; i = x->o->line[i].end) {
		find_processes(x, i, around, &who);
		bool everybody = ranks_within(around, &who);
		x->condition_of[i] = everybody ? BLOCKS_NONE : find_condition(x, &who);
		if (!everybody)
			meet_peer(x, &x->condition[x->condition_of[i]], i);
		printer_find_conditions(x, i + 1, x->o->line[i].end, everybody ? around : &who);
	}
	ranks_clear(&who);
}

static size_t condition_of_either(struct printer *x, size_t a, size_t b)
{
	const struct overview_line *line = x->o->line;
	size_t loop = line[a].around, condition = BLOCKS_NONE;
	struct ranks either = {0};
	ranks_unite(&either, &line[a].who, &line[b].who);
	while (loop != OVERVIEW_NONE && !overview_node(x->o, loop)->kid[0])
		loop = line[loop].around;
	if (!ranks_within(loop == OVERVIEW_NONE ? &x->o->all : &line[loop].who, &either))
		condition = find_condition(x, &either);
	ranks_clear(&either);
	return condition;
}

void printer_join_exchanges(struct printer *x)
{
	size_t *inside = x->condition_inside = mem_array(x->o->lines + 1, sizeof *inside);
	for (size_t i = 0; i < x->o->lines; i++)
		inside[i] = BLOCKS_NONE;
	for (size_t i = 0; i < x->o->lines; i++) {
		size_t with = x->posts.of[i].with;
		if (x->posts.of[i].how != PASSING_EXCHANGE || with < i)
			continue;
		if (x->condition_of[i] != x->condition_of[with]) {
			inside[i] = x->condition_of[i];
			inside[with] = x->condition_of[with];
			x->condition_of[i] = condition_of_either(x, i, with);
		}
		x->condition_of[with] = BLOCKS_NONE;
	}
}

/* It stands in the line of the send that it goes with. */
static bool is_said(const struct printer *x, size_t at)
{
	return x->posts.of[at].how == PASSING_EXCHANGE && x->posts.of[at].with < at;
}

/* ------------------------------------------------------------------ loops and guards */

/* < 200, < i0, <= 3 + i0 */
static void put_bound(struct printer *x, size_t at)
{
	node_id last = overview_node(x->o, at)->kid[1];
	uint64_t trips;
	x->c.loops = x->o->line[at].loops;
	if (overview_trips(x->o, at, &trips)) {
		if (at == x->main_loop)
			text_put(x->out, "< option[ITERATIONS]");
		else
			text_format(x->out, "< %" PRIu64 "%s", trips < INT64_MAX ? trips : (uint64_t)INT64_MAX,
				trips > INT_MAX ? "L" : "");
		return;
	}
	bool before = node_of(x->o->store, last)->number == -1;
	text_put(x->out, before ? "< " : "<= ");
	c_number(&x->c, before ? number_add(x->o->store, last, number_constant(x->o->store, 1), 1) : last, x->out);
}

static void put_test(struct printer *x, size_t at)
{
	x->c.loops = x->o->line[at].loops;
	text_put(x->out, "if (");
	c_test(&x->c, overview_node(x->o, at)->kid[1], x->out);
	text_char(x->out, ')');
}

static void put_head_of(struct printer *x, size_t at)
{
	uint32_t depth = x->o->line[at].loops;
	if (!overview_is_loop(x->o, at)) {
		put_test(x, at);
		return;
	}
	text_format(x->out, "for (long i%u = 0; i%u ", depth, depth);
	put_bound(x, at);
	text_format(x->out, "; i%u++)", depth);
}

/* A message that comes from nobody, or goes to nobody, where there is no neighbour. */
static bool is_to_neighbour(const struct printer *x, size_t at)
{
	return is_message(x, at) && neighbour_of(x, at) && x->posts.of[at].how != PASSING_EXCHANGE &&
	       sizes_are_defined(&x->sizes, at);
}

/* What others than those of its set may call, too: it does nothing for them. */
static bool is_for_all(const struct printer *x, size_t at)
{
	bool own_wait = x->posts.slots && posts_is_request(&x->posts, at) && overview_match(x->o, at) == MATCH_IN;
	return !x->is_timed && overview_is_call(x->o, at) && !overview_is_guarded(x->o, at) &&
	       (own_wait || is_to_neighbour(x, at));
}

/* ------------------------------------------------------------------ requests */

/* What of a statement is posted elsewhere, with the loops that it stands in. */
static void put_posted(struct printer *x, size_t at, const struct others *o)
{
	const struct overview_line *line = x->o->line;
	bool event = overview_is_event(x->o, at), guarded = overview_is_guarded(x->o, at);
	bool conditional = x->condition_of[at] != BLOCKS_NONE && (guarded || !event || !is_to_neighbour(x, at));
	if (!posts_has(&x->posts, at, o))
		return;
	indent(x);
	if (conditional) {
		text_put(x->out, "if (");
		put_condition(x, x->condition_of[at]);
		text_put(x->out, ")\n");
		x->indent++;
		indent(x);
	}
	if (!event) {
		put_head_of(x, at);
		text_put(x->out, " {\n");
		x->indent++;
		for (size_t i = at + 1; i < line[at].end; i = line[i].end)
			put_posted(x, i, o);
		x->indent--;
		line(x, "}");
	} else {
		if (guarded) {
			put_own_guard(x, at);
			text_char(x->out, ' ');
		}
		put_request(x, at);
		text_char(x->out, '\n');
	}
	x->indent -= conditional;
}

static void put_waiting(struct printer *x, enum waiting waiting, enum completing by)
{
	if (waiting == WAITING_NOT)
		return;
	indent(x);
	helper_call(&x->helpers, waiting == WAITING_EACH ? HELPER_WAIT_SENDS : HELPER_WAIT_ALL, by, x->out);
	text_put(x->out, ");\n");
}

/* Of those that are completed before a statement, or at the end of a loop's body. */
static void put_waiting_for_sends(struct printer *x, size_t point, bool at_end)
{
	enum waiting waiting = posts_waits(&x->posts, point, at_end);
	if (waiting == WAITING_NOT)
		return;
	for (size_t i = 0; x->posts.slots && i < x->o->lines; i++) {
		if (!posts_completes(&x->posts, i, point, at_end))
			continue;
		indent(x);
		put_waiting_for(x, i);
		text_char(x->out, '\n');
	}
	if (!x->posts.slots)
		put_waiting(x, waiting, posts_completed_by(&x->posts, point, at_end, waiting == WAITING_TOGETHER));
}

/* Requests that are posted, or waited for, before a statement of a body. */
static void put_before(struct printer *x, size_t point)
{
	for (size_t i = point; x->posts.any && i < x->o->lines; i = x->o->line[i].end)
		put_posted(x, i, &(struct others){i, point, false, EVENT_RECV});
	put_waiting_for_sends(x, point, false);
}

static void put_behind(struct printer *x, size_t at)
{
	size_t last = x->o->line[at].end - 1;
	if (x->posts.behind[at])
		put_waiting(x, WAITING_TOGETHER, x->posts.of[last].by);
}

/* Is nothing to be said around a unit? */
static bool stands_alone(const struct printer *x, const struct unit *unit)
{
	return unit->function != BLOCKS_NONE ||
	       (!x->posts.behind[unit->statement] && !posts_any_before(&x->posts, unit->statement));
}

/* ------------------------------------------------------------------ blocks */

void printer_put_key(void *context, size_t at, uint32_t depth, struct text *key)
{
	struct printer *x = context;
	const struct node *n = overview_node(x->o, at);
	x->c.relative = true;
	x->c.depth = depth;
	x->out = key;
	text_format(key, "%zu ", x->condition_of[at]);
	if (x->is_timed && timed_tracks(&x->timed)) /* which keeps track of where it is */
		text_format(key, "%" PRIu32 " ", depth);
	put_before(x, at);
	put_behind(x, at);
	if (n->kind == NODE_EVENT) {
		if (overview_is_guarded(x->o, at))
			put_own_guard(x, at);
		put_event(x, at);
	} else if (n->kind == NODE_GUARD) {
		put_test(x, at);
	} else {
		text_put(key, "for ");
		put_bound(x, at);
	}
	if (n->kind != NODE_EVENT)
		put_waiting_for_sends(x, at, true);
	put_closing(x, at);
	if (x->temporaries.is && x->temporaries.opens[at])
		put_number_of(x, at, "open_communicator");
	x->c.relative = false;
}

/* ------------------------------------------------------------------ bodies */

/* Of the first event at or behind a statement. */
static void put_number(struct printer *x, size_t statement)
{
	uint32_t number = x->timed.number[statement];
	if (x->base == UINT32_MAX)
		text_format(x->out, "%" PRIu32, number);
	else if (number == x->base)
		text_put(x->out, "event");
	else
		text_format(x->out, "event + %" PRIu32, number - x->base);
}

static void put_computing(struct printer *x, size_t statement)
{
	if (!x->is_timed || !overview_is_call(x->o, statement))
		return;
	if (x->condition_inside[statement] != BLOCKS_NONE) {
		text_put(x->out, "if (");
		put_condition(x, x->condition_inside[statement]);
		text_put(x->out, ")\n\t");
		indent(x);
	}
	text_put(x->out, "compute(");
	put_number(x, statement);
	text_put(x->out, ");\n");
	indent(x);
}

static void put_call(struct printer *x, const struct unit *unit)
{
	const struct function *f = &x->function[x->function_of[unit->function]];
	unsigned some = 0;
	text_format(x->out, "%s(", f->name);
	if (x->is_timed) {
		put_number(x, unit->statement);
		some++;
	}
	for (unsigned d = 0; d < f->depth; d++)
		if (f->indices >> d & 1)
			text_format(x->out, "%si%u", some++ ? ", " : "", d);
	text_put(x->out, ");");
	x->c.indices |= f->indices;
}

static size_t condition_of_unit(const struct printer *x, const struct unit *unit)
{
	return unit->function == BLOCKS_NONE ? x->condition_of[unit->statement] : BLOCKS_NONE;
}

/* Is it the condition, or the `else` of one? */
static bool is_guard(const struct printer *x, const struct unit *unit, bool behind)
{
	return unit->function == BLOCKS_NONE && overview_node(x->o, unit->statement)->kind == NODE_GUARD &&
	       is_else(x, unit->statement) == behind;
}

/* Does it need no braces? */
static bool is_line(const struct printer *x, const struct unit *unit)
{
	return unit->function != BLOCKS_NONE ||
	       (!x->is_timed && !is_with_communicators(x, unit->statement) && overview_is_call(x->o, unit->statement) &&
		       !overview_is_guarded(x->o, unit->statement));
}

static void put_block(struct printer *x, const struct unit *unit, size_t units, size_t loop)
{
	bool waits = posts_waits(&x->posts, loop, true) != WAITING_NOT;
	bool one = !x->tracked && units == 1 && condition_of_unit(x, unit) == BLOCKS_NONE && is_line(x, unit) &&
		   stands_alone(x, unit) && !waits;
	text_put(x->out, one ? "\n" : " {\n");
	x->indent++;
	if (x->tracked)
		line(x, "iteration(%" PRIu32 ", i%" PRIu32 ");", x->tracked, x->o->line[loop].loops);
	x->tracked = 0;
	printer_put_units(x, unit, units);
	put_waiting_for_sends(x, loop, true);
	x->indent--;
	if (one) {
		text_truncate(x->out, x->out->length - 1);
		return;
	}
	indent(x);
	text_char(x->out, '}');
}

static void put_statement(struct printer *x, size_t at)
{
	put_computing(x, at);
	if (x->posts.of[at].how == PASSING_EXCHANGE)
		put_computing(x, x->posts.of[at].with);
	if (x->temporaries.is && x->temporaries.opens[at]) {
		put_number_of(x, at, "open_communicator");
		text_char(x->out, '\n');
		indent(x);
	}
	put_event(x, at);
	put_closing(x, at);
}

/* Of the one who is named, or of those who have such a neighbour. */
static void put_guarded(struct printer *x, size_t at)
{
	bool one = !x->is_timed && !is_with_communicators(x, at) && overview_is_call(x->o, at);
	put_own_guard(x, at);
	text_put(x->out, one ? "\n" : " {\n");
	x->indent++;
	indent(x);
	put_statement(x, at);
	x->indent--;
	if (one)
		return;
	text_char(x->out, '\n');
	indent(x);
	text_char(x->out, '}');
}

static void put_loop(struct printer *x, size_t at)
{
	const struct block_body *body = &x->blocks.body[x->blocks.body_of[at]];
	bool tracked = x->is_timed && timed_tracks(&x->timed) && overview_is_loop(x->o, at);
	put_head_of(x, at);
	uint32_t around = x->c.indices;
	x->c.indices = 0;
	x->tracked = tracked ? x->o->line[at].loops + 1 : 0;
	put_block(x, body->unit, body->units, at);
	x->main_counts |= at == x->main_loop && x->c.indices & 1;
	x->c.indices |= around;
	put_closing(x, at);
}

/* A line, or several: without the end of the last one. */
static void put_unit(struct printer *x, const struct unit *unit)
{
	if (unit->function != BLOCKS_NONE)
		put_call(x, unit);
	else if (!overview_is_event(x->o, unit->statement))
		put_loop(x, unit->statement);
	else if (overview_is_guarded(x->o, unit->statement))
		put_guarded(x, unit->statement);
	else
		put_statement(x, unit->statement);
}

/* The `else` of the guard before it. */
static void put_else(struct printer *x, const struct unit *unit)
{
	const struct block_body *body = &x->blocks.body[x->blocks.body_of[unit->statement]];
	text_put(x->out, x->out->data[x->out->length - 1] == '}' ? " else" : "\n");
	if (x->out->data[x->out->length - 1] == '\n') {
		indent(x);
		text_put(x->out, "else");
	}
	put_block(x, body->unit, body->units, unit->statement);
}

/* Those that all execute who are there. */
static void put_sequence(struct printer *x, const struct unit *unit, size_t units)
{
	for (size_t i = 0; i < units; i++) {
		int64_t wavefront = printer_wavefront(x, &unit[i]);
		if (wavefront)
			line(x, "/* A wavefront%s: each waits for those %s, then serves those %s. */",
				wavefront < 0 ? "" : " back", wavefront < 0 ? "before it" : "behind it",
				wavefront < 0 ? "behind" : "before");
		indent(x);
		put_unit(x, &unit[i]);
		while (i + 1 < units && is_guard(x, &unit[i], false) && is_guard(x, &unit[i + 1], true))
			put_else(x, &unit[++i]);
		text_char(x->out, '\n');
	}
}

/* Units under one condition, one after the other. */
static void put_group(struct printer *x, const struct unit *unit, size_t units)
{
	size_t condition = condition_of_unit(x, unit), most = 0;
	while (most < units && unit[most].function == BLOCKS_NONE && is_for_all(x, unit[most].statement))
		most++;
	if (condition == BLOCKS_NONE || most == units) {
		put_sequence(x, unit, units);
		return;
	}
	bool several = !overview_is_event(x->o, unit->statement) || overview_is_guarded(x->o, unit->statement);
	bool one = units == 1 && (is_line(x, unit) || (several && !is_with_communicators(x, unit->statement)));
	indent(x);
	text_put(x->out, "if (");
	put_condition(x, condition);
	text_put(x->out, one ? ")\n" : ") {\n");
	x->indent++;
	put_sequence(x, unit, units);
	x->indent--;
	if (!one)
		line(x, "}");
}

/* Does it stand under the same condition, with nothing to be said between? */
static bool goes_on(const struct printer *x, const struct unit *before, const struct unit *unit)
{
	bool ends = before->function == BLOCKS_NONE && x->posts.behind[before->statement];
	bool begins = unit->function == BLOCKS_NONE &&
		      (is_said(x, unit->statement) || posts_any_before(&x->posts, unit->statement));
	return !ends && !begins && condition_of_unit(x, unit) == condition_of_unit(x, before);
}

void printer_put_units(struct printer *x, const struct unit *unit, size_t units)
{
	for (size_t i = 0, next; i < units; i = next) {
		next = i + 1;
		if (unit[i].function == BLOCKS_NONE && is_said(x, unit[i].statement))
			continue;
		while (next < units && goes_on(x, &unit[next - 1], &unit[next]))
			next++;
		if (unit[i].function == BLOCKS_NONE)
			put_before(x, unit[i].statement);
		put_group(x, &unit[i], next - i);
		if (unit[next - 1].function == BLOCKS_NONE)
			put_behind(x, unit[next - 1].statement);
	}
}
