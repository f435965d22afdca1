/*
 * deadlock.c -- a process that stands in a call waits for others: for all whom it needs, or, in
 * MPI_Waitany and for a message from anywhere, for one of several. Whoever is outside of MPI may
 * come yet; whoever has ended will not. Who waits only for those who may come may go on; those who
 * are left wait for ever (J. Hilbrich et al., "MPI runtime error detection with MUST", 2012, have
 * the model).
 *
 * A message that was sent is waited for no longer, so messages of those who wait are counted.
 */
#include "trace/deadlock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

/* What one operation of a process waits for. */
struct need {
	const struct pending_line *line; /* NULL: an archive without; its collective */
	struct ranks on;
	bool any; /* one of them is enough */
	bool met; /* by nobody any more */
	const char *longer; /* the site of a message for it that is too long; NULL: it is not */
	uint64_t length; /* of that */
};

enum state { STATE_OUTSIDE, STATE_ENDED, STATE_UNKNOWN, STATE_WAITS };

struct party {
	enum state state;
	size_t first, needs;
	bool any; /* one of its needs is enough */
};

struct channel {
	uint64_t sent, received;
	uint64_t length; /* of the first message that was not received */
	const char *site;
	bool claimed; /* by a receive that waits */
};

struct channel_key {
	uint32_t source, destination, tag, communicator;
};

struct deadlock {
	const struct archive *archive;
	const struct process_stand *stand;
	uint32_t processes;
	struct party *party;
	struct need *need;
	size_t needs, capacity;
	struct intern *turn_keys, *channels;
	uint64_t *turn;
	struct channel *channel;
	size_t turn_capacity, channel_capacity;
	struct ranks free; /* they may go on */
};

/* ------------------------------------------------------------------ collectives */

struct turn_key {
	uint32_t rank, communicator;
};

static uint64_t turn_of(const struct deadlock *d, uint32_t rank, uint32_t communicator)
{
	uint32_t at = intern_find(d->turn_keys, &(struct turn_key){rank, communicator}, sizeof(struct turn_key));
	return at == INTERN_NONE ? 0 : d->turn[at];
}

static void note_turns(struct deadlock *d)
{
	for (size_t i = 0; i < d->archive->pendings; i++) {
		const struct pending_line *l = &d->archive->pending[i];
		if (l->pending.kind == PENDING_TURNS)
			*MEM_AT(d->turn, d->turn_capacity,
				intern_id(d->turn_keys, &(struct turn_key){l->rank, l->pending.communicator},
					sizeof(struct turn_key))) = l->pending.turn;
	}
}

static const struct ranks *members_of(const struct deadlock *d, uint32_t communicator)
{
	const struct otf2_communicator *c = definitions_communicator(&d->archive->definitions, communicator);
	return !c ? NULL : c->remote ? &c->both : &c->local->set;
}

/* MPI_Ibcast and MPI_Bcast_init are MPI_Bcast for this purpose. */
static bool is_from_root(const char *call)
{
	return strstr(call, "cast") || strstr(call, "catter");
}

/* Those who have not begun it: where the root has not, it alone, if all comes from there. */
static void need_members(const struct deadlock *d, struct need *n)
{
	const struct pending *p = &n->line->pending;
	const struct ranks *members = members_of(d, p->communicator);
	struct ranks_walk walk = {0};
	uint32_t rank;
	while (members && p->turn && ranks_next(members, &walk, &rank))
		if (rank != n->line->rank && turn_of(d, rank, p->communicator) < p->turn)
			ranks_add(&n->on, rank);
	if (is_from_root(n->line->call) && !strstr(n->line->call, "educe") && ranks_has(&n->on, p->peer)) {
		ranks_clear(&n->on);
		ranks_add(&n->on, p->peer);
	}
	n->met = !n->on.length;
}

/* ------------------------------------------------------------------ messages */

static struct channel *channel_of(struct deadlock *d, const struct channel_key *key)
{
	return MEM_AT(d->channel, d->channel_capacity, intern_id(d->channels, key, sizeof *key));
}

struct counting {
	struct deadlock *deadlock;
	uint32_t rank;
	const struct ranks *wanted; /* processes whose messages are */
	bool sends;
};

static bool count_message(void *context, const struct event_record *r)
{
	struct counting *c = context;
	const struct definitions *d = &c->deadlock->archive->definitions;
	bool sent = r->kind == RECORD_SEND || r->kind == RECORD_ISEND,
	     received = r->kind == RECORD_RECV || r->kind == RECORD_IRECV;
	if (c->sends ? !sent : !received)
		return true;
	const struct otf2_communicator *k = definitions_communicator(d, r->communicator);
	if (!k || k->remote || k->local->self)
		return true;
	uint32_t peer = k->local->identity ? r->id : r->id < k->local->length ? k->local->member[r->id] : NO_RANK;
	if (peer == NO_RANK || !ranks_has(c->wanted, sent ? peer : c->rank))
		return true;
	struct channel *of = channel_of(c->deadlock,
		&(struct channel_key){sent ? c->rank : peer, sent ? peer : c->rank, r->number, r->communicator});
	if (received) {
		of->received++;
	} else if (of->sent++ == of->received) {
		const struct record_attribute *site = d->sited ? record_attribute(r, d->site, OTF2_TYPE_STRING) : NULL;
		of->length = r->bytes;
		of->site = site ? definitions_string(d, (uint32_t)site->value) : NULL;
	}
	return true;
}

static void count_messages(struct deadlock *d, uint32_t rank, const struct ranks *wanted, bool sends)
{
	struct library_call call = {.path = d->archive->files.anchor};
	struct location_reader l = {0};
	struct error ignored = {0};
	struct counting c = {d, rank, wanted, sends};
	uint64_t read = LOCATION_SLICE;
	library_enter(&call);
	if (location_open(&l, d->archive, d->archive->definitions.location[rank], count_message, &c, &ignored))
		while (read == LOCATION_SLICE && location_read(&l, LOCATION_SLICE, &read) == OTF2_SUCCESS)
			;
	location_close(&l);
	library_leave();
}

static bool is_message(const struct need *n, enum pending_kind kind)
{
	return n->line && n->line->pending.kind == kind;
}

/* Receivers first, for it is the first message that was not received that matters. */
static void count_all(struct deadlock *d)
{
	struct ranks to = {0}, from = {0};
	for (size_t i = 0; i < d->needs; i++) {
		const struct need *n = &d->need[i];
		if (is_message(n, PENDING_RECEIVE)) {
			ranks_add(&to, n->line->rank);
			ranks_join(&from, &n->on);
		} else if (is_message(n, PENDING_SEND)) {
			ranks_add(&from, n->line->rank);
			ranks_join(&to, &n->on);
		}
	}
	for (int sends = 0; sends < 2; sends++) {
		struct ranks_walk walk = {0};
		uint32_t rank;
		while (ranks_next(sends ? &from : &to, &walk, &rank))
			count_messages(d, rank, &to, sends);
	}
	ranks_clear(&to);
	ranks_clear(&from);
}

static bool fits(uint32_t asked, uint32_t number)
{
	return asked == PENDING_ANY || asked == number;
}

/* A message that has been sent is there for it. */
static void receive_what_is_there(struct deadlock *d, struct need *n)
{
	const struct pending *p = &n->line->pending;
	for (uint32_t i = 0; i < intern_count(d->channels) && !n->met; i++) {
		const struct channel_key *key = intern_data(d->channels, i, NULL);
		struct channel *c = &d->channel[i];
		if (key->destination != n->line->rank || key->communicator != p->communicator ||
			!fits(p->peer, key->source) || !fits(p->tag, key->tag) || c->sent <= c->received)
			continue;
		if (!c->claimed && c->length > p->received) {
			n->longer = c->site ? c->site : "";
			n->length = c->length;
		}
		c->claimed = true;
		c->received++;
		n->met = true;
	}
}

/* A receive that is posted for it, or was. */
static void send_what_is_wanted(struct deadlock *d, struct need *n)
{
	const struct pending *p = &n->line->pending;
	uint32_t at = intern_find(d->channels, &(struct channel_key){n->line->rank, p->peer, p->tag, p->communicator},
		sizeof(struct channel_key));
	n->met = at != INTERN_NONE && d->channel[at].received >= d->channel[at].sent;
	for (size_t i = 0; i < d->archive->pendings && !n->met; i++) {
		const struct pending_line *l = &d->archive->pending[i];
		n->met = l->pending.kind == PENDING_RECEIVE && l->rank == p->peer &&
			 l->pending.communicator == p->communicator && fits(l->pending.peer, n->line->rank) &&
			 fits(l->pending.tag, p->tag);
	}
}

/* Small messages are gone before anybody receives them: where a call waits for something else, too,
   that is what keeps it. */
static void forgive_sends(struct deadlock *d, const struct party *p)
{
	bool other = false;
	for (size_t i = 0; i < p->needs; i++)
		other |= !d->need[p->first + i].met && !is_message(&d->need[p->first + i], PENDING_SEND);
	for (size_t i = 0; i < p->needs && other && !p->any; i++)
		d->need[p->first + i].met |= is_message(&d->need[p->first + i], PENDING_SEND);
}

static void settle_messages(struct deadlock *d)
{
	count_all(d);
	for (size_t i = 0; i < d->needs; i++)
		if (is_message(&d->need[i], PENDING_SEND))
			send_what_is_wanted(d, &d->need[i]);
	for (size_t i = 0; i < d->needs; i++)
		if (is_message(&d->need[i], PENDING_RECEIVE))
			receive_what_is_there(d, &d->need[i]);
	for (uint32_t rank = 0; rank < d->processes; rank++)
		forgive_sends(d, &d->party[rank]);
}

/* ------------------------------------------------------------------ who needs whom */

static const char *call_of(const struct deadlock *d, uint32_t rank)
{
	return definitions_region_name(&d->archive->definitions, d->stand[rank].region);
}

static void remove_rank(struct ranks *set, uint32_t rank)
{
	struct ranks one = {0};
	ranks_add(&one, rank);
	ranks_remove(set, &one);
	ranks_clear(&one);
}

static void need_from_line(struct deadlock *d, const struct pending_line *l)
{
	struct need *n = MEM_PUSH(d->need, d->needs, d->capacity);
	*n = (struct need){.line = l};
	if (l->pending.kind == PENDING_COLLECTIVE)
		need_members(d, n);
	else if (l->pending.peer != PENDING_ANY)
		ranks_add(&n->on, l->pending.peer);
	else if (members_of(d, l->pending.communicator)) {
		n->any = true;
		ranks_copy(&n->on, members_of(d, l->pending.communicator));
		remove_rank(&n->on, l->rank);
	}
}

/* Of an archive that tells no more than the communicator: those of its members who stand
   elsewhere. */
static void need_from_stand(struct deadlock *d, uint32_t rank)
{
	const struct otf2_communicator *c = d->stand[rank].communicator;
	struct need *n = MEM_PUSH(d->need, d->needs, d->capacity);
	*n = (struct need){0};
	ranks_copy(&n->on, c->remote ? &c->both : &c->local->set);
	for (uint32_t other = 0; other < d->processes; other++)
		if (stand_is_inside(&d->stand[other]) && d->stand[other].communicator == c &&
			d->stand[other].region == d->stand[rank].region) {
			remove_rank(&n->on, other);
		}
	n->met = !n->on.length;
}

static void find_needs(struct deadlock *d)
{
	size_t at = 0;
	for (uint32_t rank = 0; rank < d->processes; rank++) {
		const struct process_stand *s = &d->stand[rank];
		struct party *p = &d->party[rank];
		p->first = d->needs;
		bool polls = stand_is_inside(s) && !strncmp(call_of(d, rank), "MPI_Test", 8);
		for (; at < d->archive->pendings && d->archive->pending[at].rank <= rank; at++) {
			const struct pending_line *l = &d->archive->pending[at];
			if (l->rank == rank && stand_is_inside(s) &&
				l->pending.where <= (polls ? PENDING_POSTED : PENDING_WAIT) &&
				l->pending.kind != PENDING_TURNS)
				need_from_line(d, l);
		}
		if (stand_is_inside(s) && s->communicator && p->first == d->needs)
			need_from_stand(d, rank);
		p->needs = d->needs - p->first;
		if (!stand_is_inside(s))
			p->state = s->finalized ? STATE_ENDED : STATE_OUTSIDE;
		else if (!strcmp(call_of(d, rank), "MPI_Finalize"))
			p->state = STATE_ENDED;
		else
			p->state = p->needs ? STATE_WAITS : STATE_UNKNOWN;
		/* for which of its requests it asks again and again is not known */
		p->any = p->state == STATE_WAITS && (polls || !strcmp(call_of(d, rank), "MPI_Waitany") ||
							    !strcmp(call_of(d, rank), "MPI_Waitsome"));
	}
}

static bool need_is_free(const struct deadlock *d, const struct need *n)
{
	return n->met || (n->any ? ranks_meet(&n->on, &d->free) : ranks_within(&n->on, &d->free));
}

static bool party_is_free(const struct deadlock *d, const struct party *p)
{
	if (p->state != STATE_WAITS)
		return p->state != STATE_ENDED;
	size_t good = 0;
	for (size_t i = 0; i < p->needs; i++)
		good += need_is_free(d, &d->need[p->first + i]);
	return p->any ? good : good == p->needs;
}

static void find_free(struct deadlock *d)
{
	for (bool more = true; more;) {
		more = false;
		for (uint32_t rank = 0; rank < d->processes; rank++)
			if (!ranks_has(&d->free, rank) && party_is_free(d, &d->party[rank])) {
				ranks_add(&d->free, rank);
				more = true;
			}
	}
}

/* ------------------------------------------------------------------ in words */

static void put_site(struct text *out, const char *site)
{
	if (stand_place_length(site))
		text_format(out, " (%.*s)", (int)stand_place_length(site), site);
}

static void put_number(struct text *out, const struct deadlock *d, const struct pending *p)
{
	const struct otf2_communicator *c = definitions_communicator(&d->archive->definitions, p->communicator);
	bool named = c && c->name != NO_COMMUNICATOR;
	if (p->tag != PENDING_ANY)
		text_format(out, " (tag%" PRIu32, p->tag);
	if (named)
		text_format(out, "%s@%lld", p->tag == PENDING_ANY ? " (" : "", (long long)c->name);
	if (named || p->tag != PENDING_ANY)
		text_char(out, ')');
}

/* "2 or 3", "0,1 and 5": sets of a few are told apart, others as sets are. */
static void put_either(struct text *out, const struct ranks *set, const char *word)
{
	uint64_t count = ranks_count(set);
	struct ranks_walk walk = {0};
	uint32_t rank;
	if (count > 3)
		ranks_print_short(set, out);
	for (uint64_t i = 0; count <= 3 && ranks_next(set, &walk, &rank); i++) {
		text_put(out, !i ? "" : i + 1 < count ? ", " : word);
		text_number(out, rank);
	}
}

/* What keeps it: of its needs the first that those who may go on do not meet (of one who may go on
   itself: that is not met yet), with those like it. */
static void put_need(struct text *out, const struct deadlock *d, uint32_t rank)
{
	const struct party *p = &d->party[rank];
	const struct need *first = NULL;
	struct ranks peers = {0};
	bool several = false, any = p->any;
	for (size_t i = 0; i < p->needs; i++) {
		const struct need *n = &d->need[p->first + i];
		if (n->met || (!ranks_has(&d->free, rank) && need_is_free(d, n)))
			continue;
		first = first ? first : n;
		if (!n->line || n->line->pending.kind != first->line->pending.kind ||
			n->line->pending.tag != first->line->pending.tag ||
			n->line->pending.communicator != first->line->pending.communicator)
			continue;
		several |= first != n;
		ranks_join(&peers, &n->on);
	}
	if (!first)
		return;
	enum pending_kind kind = first->line ? first->line->pending.kind : PENDING_COLLECTIVE;
	if (kind == PENDING_RECEIVE && first->line->pending.peer == PENDING_ANY) {
		text_put(out, "for a message from anyone");
	} else if (kind == PENDING_RECEIVE) {
		text_put(out, several && !any ? "for messages from " : "for a message from ");
		put_either(out, &peers, any ? " or " : " and ");
	} else if (kind == PENDING_SEND) {
		text_put(out, "for ");
		put_either(out, &peers, any ? " or " : " and ");
		text_put(out, several ? " to receive its messages" : " to receive its message");
	} else {
		text_put(out, "for ");
		ranks_print_short(&first->on, out);
		text_format(out, " in %s",
			first->line && first->line->pending.where == PENDING_WAIT ? first->line->call
										  : call_of(d, rank));
	}
	if (kind != PENDING_COLLECTIVE)
		put_number(out, d, &first->line->pending);
	ranks_clear(&peers);
}

static bool is_alike(const struct deadlock *d, uint32_t a, uint32_t b)
{
	const struct party *p = &d->party[a], *q = &d->party[b];
	bool inside = stand_is_inside(&d->stand[a]);
	bool same = p->state == q->state && p->needs == q->needs && p->any == q->any &&
		    inside == stand_is_inside(&d->stand[b]) && (!inside || d->stand[a].region == d->stand[b].region);
	for (size_t i = 0; i < p->needs && same; i++) {
		const struct need *m = &d->need[p->first + i], *n = &d->need[q->first + i];
		same = !m->line == !n->line && m->any == n->any && m->met == n->met && ranks_equal(&m->on, &n->on) &&
		       (!m->line || (m->line->pending.kind == n->line->pending.kind &&
					    m->line->pending.tag == n->line->pending.tag &&
					    m->line->pending.communicator == n->line->pending.communicator));
	}
	return same;
}

/* Those who stand as it does and wait for the same. */
static void alike(const struct deadlock *d, uint32_t rank, struct ranks *set)
{
	for (uint32_t other = 0; other < d->processes; other++)
		if (is_alike(d, rank, other))
			ranks_add(set, other);
}

/* ------------------------------------------------------------------ collectives that differ */

/* The collective that it stands in; NULL. */
static const struct need *meeting_of(const struct deadlock *d, uint32_t rank)
{
	const struct party *p = &d->party[rank];
	for (size_t i = 0; i < p->needs && p->state == STATE_WAITS; i++) {
		const struct need *n = &d->need[p->first + i];
		if (!n->line || n->line->pending.kind == PENDING_COLLECTIVE)
			return n;
	}
	return NULL;
}

/* All who take part pass on as much. */
static bool is_of_one_size(const char *call)
{
	return strstr(call, "cast") || (strstr(call, "educe") && !strstr(call, "catter")) || strstr(call, "can");
}

static uint64_t size_of(const struct pending *p)
{
	return p->sent > p->received ? p->sent : p->received;
}

enum difference { DIFFERENT_NOTHING, DIFFERENT_CALL, DIFFERENT_ROOT, DIFFERENT_SIZE };

static const char *meeting_call(const struct deadlock *d, uint32_t rank, const struct need *n)
{
	return n->line ? n->line->call : call_of(d, rank);
}

static enum difference difference_of(const struct deadlock *d, uint32_t a, uint32_t b)
{
	const struct need *m = meeting_of(d, a), *n = meeting_of(d, b);
	if (!m || !n || !m->line != !n->line)
		return DIFFERENT_NOTHING;
	if (m->line && (m->line->pending.communicator != n->line->pending.communicator ||
			       m->line->pending.turn != n->line->pending.turn))
		return DIFFERENT_NOTHING;
	if (!m->line && d->stand[a].communicator != d->stand[b].communicator)
		return DIFFERENT_NOTHING;
	if (strcmp(meeting_call(d, a, m), meeting_call(d, b, n)) != 0)
		return DIFFERENT_CALL;
	const struct otf2_communicator *k =
		m->line ? definitions_communicator(&d->archive->definitions, m->line->pending.communicator) : NULL;
	if (!k || k->between || k->remote) /* each group says what it means */
		return DIFFERENT_NOTHING;
	if (m->line->pending.peer != n->line->pending.peer)
		return DIFFERENT_ROOT;
	if (is_of_one_size(m->line->call) && size_of(&m->line->pending) != size_of(&n->line->pending))
		return DIFFERENT_SIZE;
	return DIFFERENT_NOTHING;
}

static void put_meeting(struct text *out, const struct deadlock *d, uint32_t rank, enum difference what, bool first)
{
	const struct need *n = meeting_of(d, rank);
	struct ranks set = {0};
	for (uint32_t other = 0; other < d->processes; other++) {
		const struct need *m = meeting_of(d, other);
		if (m && d->stand[other].site == d->stand[rank].site &&
			!strcmp(meeting_call(d, rank, n), meeting_call(d, other, m)) &&
			difference_of(d, rank, other) == DIFFERENT_NOTHING &&
			(!m->line || m->line->pending.turn == n->line->pending.turn))
			ranks_add(&set, other);
	}
	text_put(out, first ? "; " : " where ");
	ranks_print_short(&set, out);
	text_format(out, ranks_count(&set) > 1 ? " call %s" : " calls %s", meeting_call(d, rank, n));
	if (what == DIFFERENT_ROOT && n->line->pending.peer < PENDING_NONE)
		text_format(out, " with root %" PRIu32, n->line->pending.peer);
	if (what == DIFFERENT_SIZE)
		text_format(out, " on %" PRIu64 " bytes", size_of(&n->line->pending));
	put_site(out, n->line ? n->line->site : d->stand[rank].site);
	ranks_clear(&set);
}

/* Fewer first: they are those who err, more often. */
static bool tell_difference(const struct deadlock *d, struct text *out)
{
	for (uint32_t rank = 0; rank < d->processes; rank++) {
		enum difference what = DIFFERENT_NOTHING;
		uint32_t other = rank, differ = 0, agree = 0;
		if (!meeting_of(d, rank))
			continue;
		for (uint32_t i = 0; i < d->processes; i++) {
			enum difference here = difference_of(d, rank, i);
			if (here && !what) {
				what = here;
				other = i;
			}
			differ += here != DIFFERENT_NOTHING;
			agree += !here && is_alike(d, rank, i);
		}
		if (!what)
			continue;
		put_meeting(out, d, differ < agree ? other : rank, what, true);
		put_meeting(out, d, differ < agree ? rank : other, what, false);
		return true;
	}
	return false;
}

/* ------------------------------------------------------------------ the other reasons */

static bool tell_longer(const struct deadlock *d, struct text *out)
{
	for (size_t i = 0; i < d->needs; i++) {
		const struct need *n = &d->need[i];
		if (!n->longer)
			continue;
		const struct pending *p = &n->line->pending;
		text_format(out, "; %" PRIu32 " receives at most %" PRIu64 " bytes", n->line->rank, p->received);
		put_site(out, n->line->site);
		text_format(out, " of a message of %" PRIu64 " bytes", n->length);
		if (p->peer < PENDING_NONE)
			text_format(out, " from %" PRIu32, p->peer);
		put_site(out, n->longer);
		return true;
	}
	return false;
}

/* The first whom it needs of these; NO_RANK. */
static uint32_t needed(const struct deadlock *d, uint32_t rank, const struct ranks *of)
{
	const struct party *p = &d->party[rank];
	for (size_t i = 0; i < p->needs && p->state == STATE_WAITS; i++) {
		const struct need *n = &d->need[p->first + i];
		struct ranks both = {0};
		struct ranks_walk walk = {0};
		uint32_t first = NO_RANK;
		ranks_intersect(&both, &n->on, of);
		if (n->met || !ranks_next(&both, &walk, &first))
			first = NO_RANK;
		ranks_clear(&both);
		if (first != NO_RANK)
			return first;
	}
	return NO_RANK;
}

/* What it sent to whom waits, with another tag. */
static void put_other_tag(struct text *out, const struct deadlock *d, uint32_t rank, uint32_t from)
{
	const struct need *n = &d->need[d->party[rank].first];
	if (!is_message(n, PENDING_RECEIVE))
		return;
	for (uint32_t i = 0; i < intern_count(d->channels); i++) {
		const struct channel_key *key = intern_data(d->channels, i, NULL);
		const struct channel *c = &d->channel[i];
		if (key->destination == rank && key->source == from && c->sent > c->received &&
			key->tag != n->line->pending.tag) {
			text_format(out, ", which sent tag%" PRIu32, key->tag);
			put_site(out, c->site);
			return;
		}
	}
}

/* "; 0-2 wait for 3 in MPI_Allreduce, and 3 has ended" */
static void put_missing(struct text *out, const struct deadlock *d, uint32_t rank, uint32_t whom)
{
	struct ranks waiting = {0}, missing = {0};
	alike(d, rank, &waiting);
	text_put(out, "; ");
	ranks_print_short(&waiting, out);
	text_put(out, ranks_count(&waiting) > 1 ? " wait " : " waits ");
	put_need(out, d, rank);
	if (ranks_count(&waiting) == 1)
		put_other_tag(out, d, rank, whom);
	alike(d, whom, &missing);
	const struct party *p = &d->party[rank];
	struct ranks needed_ones = {0};
	for (size_t i = 0; i < p->needs; i++)
		ranks_join(&needed_ones, &d->need[p->first + i].on);
	struct ranks both = {0};
	ranks_intersect(&both, &needed_ones, &missing);
	text_put(out, ", and ");
	ranks_print_short(&both, out);
	bool many = ranks_count(&both) > 1;
	const struct process_stand *s = &d->stand[whom];
	if (d->party[whom].state == STATE_ENDED && stand_is_inside(s))
		text_put(out, many ? " are in MPI_Finalize" : " is in MPI_Finalize");
	else if (d->party[whom].state == STATE_ENDED)
		text_put(out, many ? " have ended" : " has ended");
	else if (stand_is_inside(s))
		text_format(out, many ? " are in %s" : " is in %s", call_of(d, whom));
	else
		text_put(out, s->any ? many ? " are outside of MPI" : " is outside of MPI"
			      : many ? " left no record"
				     : " left no record");
	if (stand_is_inside(s))
		put_site(out, s->site);
	ranks_clear(&both);
	ranks_clear(&needed_ones);
	ranks_clear(&waiting);
	ranks_clear(&missing);
}

/* Of those who wait, the first who needs one of these. */
static bool tell_missing(const struct deadlock *d, const struct ranks *who, const struct ranks *of, struct text *out)
{
	struct ranks_walk walk = {0};
	uint32_t rank, whom;
	while (ranks_next(who, &walk, &rank))
		if ((whom = needed(d, rank, of)) != NO_RANK) {
			put_missing(out, d, rank, whom);
			return true;
		}
	return false;
}

#define CYCLE_TOLD 6 /* of whom it is said what they wait for */

static bool tell_cycle(const struct deadlock *d, const struct ranks *stuck, struct text *out)
{
	uint32_t *path = mem_array(d->processes, sizeof *path), length = 0, from = 0;
	uint32_t *seen = mem_zero((d->processes + (size_t)1) * sizeof *seen);
	struct ranks_walk walk = {0};
	uint32_t at = NO_RANK;
	ranks_next(stuck, &walk, &at);
	while (at != NO_RANK && !seen[at]) {
		struct ranks same = {0};
		struct ranks_walk all = {0};
		uint32_t rank;
		path[length++] = at;
		alike(d, at, &same);
		while (ranks_next(&same, &all, &rank))
			seen[rank] = length;
		ranks_clear(&same);
		at = needed(d, at, stuck);
	}
	bool found = at != NO_RANK;
	from = found ? seen[at] - 1 : 0;
	for (int part = 0; part < 2 && found; part++) {
		text_put(out, part ? " wait for each other: " : "; ");
		for (uint32_t i = from; i < length && i - from < CYCLE_TOLD; i++) {
			struct ranks same = {0};
			alike(d, path[i], &same);
			text_put(out, i == from ? "" : !part && i + 1 == length ? " and " : ", ");
			ranks_print_short(&same, out);
			if (part) {
				text_char(out, ' ');
				put_need(out, d, path[i]);
			}
			ranks_clear(&same);
		}
		if (length - from > CYCLE_TOLD)
			text_format(out, part ? ", ..." : " and %" PRIu32 " more", length - from - CYCLE_TOLD);
	}
	free(path);
	free(seen);
	return found;
}

static void tell(const struct deadlock *d, struct text *out)
{
	struct ranks waiting = {0}, stuck = {0}, ended = {0}, elsewhere = {0};
	for (uint32_t rank = 0; rank < d->processes; rank++) {
		enum state state = d->party[rank].state;
		if (state == STATE_WAITS)
			ranks_add(ranks_has(&d->free, rank) ? &waiting : &stuck, rank);
		else
			ranks_add(state == STATE_ENDED ? &ended : &elsewhere, rank);
	}
	if (!tell_difference(d, out) && !tell_longer(d, out) && !tell_missing(d, &stuck, &ended, out) &&
		!tell_cycle(d, &stuck, out))
		tell_missing(d, &waiting, &elsewhere, out);
	ranks_clear(&waiting);
	ranks_clear(&stuck);
	ranks_clear(&ended);
	ranks_clear(&elsewhere);
}

void deadlock_tell(const struct archive *a, const struct process_stand *stand, struct text *line)
{
	struct deadlock d = {.archive = a,
		.stand = stand,
		.processes = a->definitions.processes,
		.turn_keys = intern_new_keys(sizeof(struct turn_key)),
		.channels = intern_new_keys(sizeof(struct channel_key))};
	d.party = mem_zero((d.processes + (size_t)1) * sizeof *d.party);
	note_turns(&d);
	find_needs(&d);
	settle_messages(&d);
	find_free(&d);
	tell(&d, line);
	for (size_t i = 0; i < d.needs; i++)
		ranks_clear(&d.need[i].on);
	ranks_clear(&d.free);
	intern_free(d.turn_keys);
	intern_free(d.channels);
	free(d.turn);
	free(d.channel);
	free(d.party);
	free(d.need);
}
